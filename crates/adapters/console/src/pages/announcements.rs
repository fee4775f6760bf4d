//! Announcements: one text to the attendees of a class, to clients with a tag, to those of a coach, or to everybody.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// A form for an announcement to a kind of audience.
pub(super) fn composing<'f>(cx: &'f PageContext<'_, '_>, kind: &str) -> Form<'f> {
    let t = cx.strings;
    // Attendees are written to about what they have booked.
    let by_mail = if kind == "class" { t.email() } else { t.by_mail() };
    Form::with_key(cx, kind, api::create_announcement())
        .previewed()
        .hidden("audience.kind", kind)
        .text("subject", t.subject())
        .area("text", t.message())
        .check("channels.mail", by_mail)
        .check("channels.message", t.as_message())
        .next("/console/announcements/{announcement.announcementId}")
}

/// `/console/announcements`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_announcements())?;
    let tags = cx.call(api::list_client_tags().limit(100))?;
    let coaches = cx.coaches_to_plan()?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = answer
        .announcements()
        .iter()
        .map(|one| {
            vec![
                html! {
                    a href={ "/console/announcements/" (one.announcement_id()) } { (one.subject()) }
                },
                html! { (state(cx, one.status())) },
                html! { (written.count(one.sent())) " / " (written.count(one.recipients())) },
                html! { (written.instant(one.send_at())) },
            ]
        })
        .collect();
    let tags: Vec<(String, String)> =
        tags.tags().iter().map(|tag| (tag.tag().to_owned(), tag.tag().to_owned())).collect();
    let main = html! {
        @if cx.may(api::CreateAnnouncement) {
            section.card {
                @if !tags.is_empty() {
                    (disclosure(
                        t.announce_to_tag(),
                        composing(cx, "tag").choice("audience.tag", t.tag(), &tags).send(t.send()),
                    ))
                }
                (disclosure(
                    t.announce_to_coachs(),
                    composing(cx, "coach")
                        .choice("audience.coachId", t.coach(), &coaches)
                        .send(t.send()),
                ))
                (disclosure(t.announce_to_all(), composing(cx, "all").send(t.send())))
            }
        }
        @if rows.is_empty() {
            (empty(t.no_announcements(), None))
        } @else {
            (table(t.announcements(), &[t.subject(), t.status(), t.reached(), t.when()], rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.announcements(), main))
}

/// `/console/announcements/{announcementId}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("announcementId").to_owned();
    let answer = cx.call(api::get_announcement(&id))?;
    let one = answer.announcement();
    let unreachable =
        cx.call(api::list_announcement_recipients(&id).status("unreachable").limit(100))?;
    let mut names = Vec::new();
    for client in unreachable.recipients() {
        names.push((client.client_id().to_owned(), cx.client(client.client_id())?));
    }
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        section.card {
            (facts(vec![
                (t.status(), html! { (state(cx, one.status())) }),
                (t.when(), html! { (written.instant(one.send_at())) }),
                (t.recipients(), html! { (written.count(one.recipients())) }),
                (t.reached(), html! { (written.count(one.sent())) }),
                (t.not_reached(), html! { (written.count(one.unreachable())) }),
            ]))
            p.text { (one.text()) }
            @if one.status() == "scheduled" && cx.may(api::CancelAnnouncement) {
                (Form::of(cx, api::cancel_announcement(&id)).danger(t.take_back()))
            }
        }
        @if !names.is_empty() {
            section.card {
                h2 { (t.not_reached()) }
                ul.rows {
                    @for (id, name) in &names {
                        li { a href={ "/console/clients/" (id) } { (name) } }
                    }
                }
            }
        }
    };
    Ok(View::new(one.subject(), main))
}
