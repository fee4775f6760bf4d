//! A client's consents, access credentials and data exports.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    files::EXPORTED,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::state,
        shell::View,
    },
};

/// `/console/clients/{clientId}/consents`
pub(in crate::pages) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "consents")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let consent = health(cx, id)?;
    let (admission, mail) = (admission_section(cx, id)?, notifications(cx, id)?);
    let data = data(cx, id)?;
    let t = cx.strings;
    let erasing = client.archived_at().is_some() && cx.may(api::EraseClient);
    let main = html! {
        (tabs)
        div.grid { (consent) (admission) (mail) }
        section.card {
            h2 { (t.their_data()) }
            (data)
            @if erasing {
                (disclosure(t.erase(), html! {
                    p { (t.erase_means()) }
                    (Form::of(cx, api::erase_client(id)).next("/console/clients").danger(t.erase()))
                }))
            } @else if cx.may(api::EraseClient) {
                p.quiet { (t.archive_first()) }
            }
        }
    };
    Ok(View::new(client.full_name(), main))
}

/// What the client wants to be written of.
pub(in crate::pages) fn notifications(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let answer = cx.call(api::get_notification_choices(id))?;
    let t = cx.strings;
    let form = Form::of(cx, api::update_notification_choices(id))
        .from(answer.notification_choices())
        .check("kinds.bookings", t.notify_of_bookings())
        .check("kinds.waitlists", t.notify_of_waitlists())
        .check("kinds.reminders", t.notify_of_reminders())
        .check("kinds.memberships", t.notify_of_memberships())
        .check("kinds.forms", t.notify_of_forms())
        .check("kinds.messages", t.notify_of_messages())
        .check("kinds.announcements", t.notify_of_announcements());
    let (title, means) = match cx.is_client() {
        true => (t.mail_from_us(), t.mail_from_us_means()),
        false => (t.notifications(), t.mail_to_client_means()),
    };
    Ok(html! {
        section.card { h2 { (title) } p.quiet { (means) } (form.send(t.save())) }
    })
}

/// The health-data consent and the buttons that change it.
pub(in crate::pages) fn health(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let answer = cx.call_or_empty(api::get_health_consent(id))?;
    let consent = answer.health_consent();
    let (t, written) = (cx.strings, &cx.written);
    let form =
        |given: &str| Form::with_key(cx, given, api::set_health_consent(id)).hidden("given", given);
    Ok(html! {
        section.card {
            h2 { (t.health_consent()) }
            p { (t.health_consent_means()) }
            @if consent.given() {
                p { (state(cx, "given")) " " (written.instant(consent.given_at())) }
                (disclosure(t.withdraw(), form("false").danger(t.withdraw())))
            } @else {
                p {
                    (state(
                        cx,
                        if consent.withdrawn_at().is_some() { "withdrawn" } else { "not_given" },
                    ))
                    " " (written.instant(consent.withdrawn_at()))
                }
                p.quiet {
                    (match (consent.required(), cx.is_client()) {
                        (true, _) => t.consent_is_needed(),
                        (false, true) => t.consent_is_yours(),
                        (false, false) => t.consent_is_free(),
                    })
                }
                (form("true").send(t.consent()))
            }
        }
    })
}

/// A client's access credentials and bans.
fn admission_section(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let call = api::list_access_credentials(id).limit(50);
    let Some(answer) = cx.call_if_allowed(call)? else { return Ok(Markup::default()) };
    let block = cx.call_if_allowed(api::get_access_block(id))?;
    let (t, written) = (cx.strings, &cx.written);
    let kinds = ["card", "pin", "qr", "mobile"].map(|kind| (kind, t.term(kind)));
    let form = Form::of(cx, api::add_access_credential(id))
        .choice("kind", t.kind(), &kinds)
        .text("number", t.card_number())
        .text("validUntil", t.until());
    Ok(html! {
        section.card {
            h2 { (t.entrance()) }
            @if let Some(block) = &block {
                div.notice.warn { (t.is_blocked()) " " (block.access_block().note()) }
                (Form::of(cx, api::unblock_access(id)).button(t.let_in()))
            }
            ul.rows {
                @for one in answer.access_credentials() {
                    li {
                        span.grow {
                            (t.term(one.kind()))
                            @if !one.last4().is_empty() { " …" (one.last4()) }
                            @if let Some(until) = one.valid_until() {
                                br;
                                span.quiet { (t.until()) " " (written.instant(until)) }
                            }
                        }
                        (state(cx, one.status()))
                        @if one.status() != "revoked"
                            && cx.may(api::RevokeAccessCredential)
                        {
                            (disclosure(
                                t.revoke(),
                                Form::of(
                                    cx,
                                    api::revoke_access_credential(id, one.credential_id()),
                                )
                                .danger(t.revoke()),
                            ))
                        }
                    }
                }
            }
            @if cx.may(api::AddAccessCredential) {
                (disclosure(t.add_credential(), form.send(t.add_credential())))
            }
            @if block.is_none() && cx.may(api::BlockAccess) {
                (disclosure(
                    t.keep_out(),
                    Form::of(cx, api::block_access(id))
                        .text("note", t.reason())
                        .danger(t.keep_out()),
                ))
            }
        }
    })
}

/// A client's data exports and the button that requests one.
pub(in crate::pages) fn data(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let call = api::list_data_exports(id).limit(5);
    let Some(answer) = cx.call_if_allowed(call)? else { return Ok(Markup::default()) };
    let (t, written) = (cx.strings, &cx.written);
    let (meaning, button) = match cx.is_client() {
        true => (t.data_export_means(), t.make_export()),
        false => (t.clients_data_export_means(), t.make_clients_export()),
    };
    Ok(html! {
        p { (meaning) }
        ul.rows {
            @for one in answer.data_exports() {
                li {
                    span.grow { (written.instant(one.created_at())) }
                    (state(cx, one.status()))
                    @if one.status() == "ready" {
                        (Form::of(cx, api::get_data_export_file(id, one.data_export_id()))
                            .downloads()
                            .next(format!("{EXPORTED}{id}/{}", one.data_export_id()))
                            .button(t.download()))
                    }
                }
            }
        }
        (Form::of(cx, api::request_data_export(id)).button(button))
    })
}
