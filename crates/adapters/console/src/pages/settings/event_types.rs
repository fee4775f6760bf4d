//! Event types: what can be booked, and by which rules.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{only_if, tabs};
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/settings/event-types`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_event_types())?;
    let t = cx.strings;
    let kinds = [("appointment", t.term("appointment")), ("class", t.term("class"))];
    let rows: Vec<Vec<Markup>> = answer
        .event_types()
        .iter()
        .map(|kind| {
            vec![
                html! {
                    a href={ "/console/settings/event-types/" (kind.event_type_id()) } {
                        b { (kind.name()) }
                    }
                },
                html! { (t.term(kind.kind())) },
                html! { span.number { (kind.duration_minutes()) " min" } },
                html! { span.number { (kind.capacity()) } },
                state(cx, kind.status()),
            ]
        })
        .collect();
    let form = Form::of(cx, api::create_event_type())
        .next("/console/settings/event-types/{eventType.eventTypeId}")
        .text("name", t.name())
        .choice("kind", t.kind(), &kinds)
        .text("durationMinutes", t.minutes())
        .helped("capacity", t.seats(), t.seats_help());
    let main = html! {
        (tabs(cx, "/event-types"))
        @if rows.is_empty() {
            (empty(t.no_event_types(), None))
        } @else {
            (table(
                t.event_types(),
                &[t.name(), t.kind(), t.minutes(), t.seats(), t.status()],
                rows,
            ))
            (pager(cx, &answer))
        }
        @if cx.may(api::CreateEventType) {
            section.card { (disclosure(t.add_event_type(), form.send(t.add_event_type()))) }
        }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/event-types/{eventTypeId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("eventTypeId").to_owned();
    let answer = cx.call(api::get_event_type(&id))?;
    let kind = answer.event_type();
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.location_choices()?;
    let t = cx.strings;
    let form = Form::of(cx, api::update_event_type(&id))
        .from(kind)
        .text("name", t.name())
        .area("description", t.description())
        .text("durationMinutes", t.minutes())
        .helped("capacity", t.seats(), t.seats_help())
        .text("credits", t.credits())
        .text("minNoticeMinutes", t.notice_minutes())
        .text("bookingWindowDays", t.window_days())
        .check("clientsMayBook", t.clients_may_book())
        .check("requiresApproval", t.needs_approval())
        .any("coachIds", t.coaches(), &coaches)
        .any("locationIds", t.locations(), &locations);
    let waitlist = kind.waitlist();
    // It is replaced entirely; fields not shown are sent unchanged.
    let form = match kind.kind() {
        "class" => [
            ("waitlist.maxEntries", waitlist.max_entries()),
            ("waitlist.offerMinutes", Some(waitlist.offer_minutes())),
            ("waitlist.closesMinutesBefore", Some(waitlist.closes_minutes_before())),
        ]
        .into_iter()
        .filter_map(|(place, value)| Some((place, value?)))
        .fold(form, |form, (place, value)| form.unchanged_hidden(place, &value.to_string()))
        .choice(
            "waitlist.mode",
            t.wait_for_it(),
            &["off", "auto", "offer"].map(|word| (word, t.term(word))),
        ),
        _ => form,
    };
    let main = html! {
        (tabs(cx, "/event-types"))
        section.card { (only_if(cx, api::UpdateEventType, form.send(t.save()))) }
    };
    let acts = html! {
        @if kind.status() == "active" && cx.may(api::ArchiveEventType) {
            (disclosure(
                t.archive(),
                Form::of(cx, api::archive_event_type(&id))
                    .previewed()
                    .next("/console/settings/event-types")
                    .danger(t.archive()),
            ))
        }
    };
    Ok(View::new(kind.name(), main).acts(acts))
}
