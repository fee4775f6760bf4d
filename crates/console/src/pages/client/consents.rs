//! What a client agreed to, what they enter by, and what becomes of their data.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{Head, at, head};
use crate::{
    files::EXPORTED,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::{JsonFields, name},
        lists::state,
        shell::View,
    },
};

/// `/console/clients/{clientId}/consents`
pub(in crate::pages) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let Head { id, client, tabs } = head(cx, "consents")?;
    let consent = health(cx, &id)?;
    let admission = entrance(cx, &id)?;
    let data = data(cx, &id)?;
    let say = cx.say;
    let erasing = client.has("archivedAt") && cx.may("erase_client");
    let main = html! {
        (tabs)
        div.grid { (consent) (admission) }
        section.card {
            h2 { (say.their_data()) }
            (data)
            @if erasing {
                (disclosure(say.erase(), html! { p { (say.erase_means()) } (Form::about(cx, "erase_client", at(&id)).next("/console/clients").danger(say.erase())) }))
            } @else if cx.may("erase_client") { p.quiet { (say.archive_first()) } }
        }
    };
    Ok(View::new(name(&client), main))
}

/// Whether somebody agreed that their health is written about, and the buttons that say so.
pub(in crate::pages) fn health(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let answer = cx
        .call_if_allowed(ApiCall::of("get_health_consent").at("clientId", id))?
        .unwrap_or_default();
    let consent = answer.at("healthConsent");
    let (say, written) = (cx.say, &cx.written);
    let time = |place| consent.instant(place).map(|at| written.instant(at)).unwrap_or_default();
    let form = |given: &str| {
        Form::with_key(cx, given, "set_health_consent", at(id)).hidden("given", given)
    };
    Ok(html! {
        section.card {
            h2 { (say.health_consent()) }
            p { (say.health_consent_means()) }
            @if consent.is("given") {
                p { (state(cx, "given")) " " (time("givenAt")) }
                (disclosure(say.withdraw(), form("false").danger(say.withdraw())))
            } @else {
                p { (state(cx, if consent.has("withdrawnAt") { "withdrawn" } else { "not_given" })) " " (time("withdrawnAt")) }
                p.quiet { (if consent.is("required") { say.consent_is_needed() } else { say.consent_is_free() }) }
                (form("true").send(say.consent()))
            }
        }
    })
}

/// What opens the doors for somebody, and whether they are let in.
fn entrance(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let call = ApiCall::of("list_access_credentials").at("clientId", id).with("limit", 50);
    let Some(answer) = cx.call_if_allowed(call)? else { return Ok(Markup::default()) };
    let block = cx.call_if_allowed(ApiCall::of("get_access_block").at("clientId", id))?;
    let (say, written) = (cx.say, &cx.written);
    let kinds = ["card", "pin", "qr", "mobile"].map(|kind| (kind, say.term(kind)));
    let form = Form::about(cx, "add_access_credential", at(id))
        .choice("kind", say.kind(), &kinds)
        .text("number", say.card_number())
        .text("validUntil", say.until());
    Ok(html! {
        section.card {
            h2 { (say.entrance()) }
            @if let Some(block) = &block {
                div.notice.warn { (say.is_blocked()) @if block.has("accessBlock.note") { " " (block.text("accessBlock.note")) } }
                (Form::about(cx, "unblock_access", at(id)).button(say.let_in()))
            }
            ul.rows { @for one in answer.list("accessCredentials") {
                li {
                    span.grow { (say.term(one.text("kind"))) @if one.has("last4") { " …" (one.text("last4")) }
                        @if let Some(until) = one.date("validUntil") { br; span.quiet { (say.until()) " " (written.date(until)) } } }
                    (state(cx, one.text("status")))
                    @if one.text("status") != "revoked" && cx.may("revoke_access_credential") {
                        (disclosure(say.revoke(), Form::about(cx, "revoke_access_credential", vec![("clientId", id.to_owned()), ("credentialId", one.text("credentialId").to_owned())]).danger(say.revoke())))
                    }
                }
            } }
            @if cx.may("add_access_credential") { (disclosure(say.add_credential(), form.send(say.add_credential()))) }
            @if block.is_none() && cx.may("block_access") {
                (disclosure(say.keep_out(), Form::about(cx, "block_access", at(id)).text("note", say.reason()).danger(say.keep_out())))
            }
        }
    })
}

/// The files with all that is kept of somebody, and the button that has one made.
pub(in crate::pages) fn data(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let call = ApiCall::of("list_data_exports").at("clientId", id).with("limit", 5);
    let Some(answer) = cx.call_if_allowed(call)? else { return Ok(Markup::default()) };
    let (say, written) = (cx.say, &cx.written);
    Ok(html! {
        p { (say.data_export_means()) }
        ul.rows { @for one in answer.list("dataExports") {
            li {
                span.grow { (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }
                (state(cx, one.text("status")))
                @if one.text("status") == "ready" {
                    @let about = vec![("clientId", id.to_owned()), ("dataExportId", one.text("dataExportId").to_owned())];
                    (Form::about(cx, "get_data_export_file", about).downloads().next(format!("{EXPORTED}{id}/{}", one.text("dataExportId"))).button(say.download()))
                }
            }
        } }
        (Form::about(cx, "request_data_export", at(id)).button(say.make_export()))
    })
}
