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
    let admission = admission_section(cx, &id)?;
    let data = data(cx, &id)?;
    let t = cx.strings;
    let erasing = client.has("archivedAt") && cx.may("erase_client");
    let main = html! {
        (tabs)
        div.grid { (consent) (admission) }
        section.card {
            h2 { (t.their_data()) }
            (data)
            @if erasing {
                (disclosure(t.erase(), html! { p { (t.erase_means()) } (Form::about(cx, "erase_client", at(&id)).next("/console/clients").danger(t.erase())) }))
            } @else if cx.may("erase_client") { p.quiet { (t.archive_first()) } }
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
    let (t, written) = (cx.strings, &cx.written);
    let time = |place| consent.instant(place).map(|at| written.instant(at)).unwrap_or_default();
    let form = |given: &str| {
        Form::with_key(cx, given, "set_health_consent", at(id)).hidden("given", given)
    };
    Ok(html! {
        section.card {
            h2 { (t.health_consent()) }
            p { (t.health_consent_means()) }
            @if consent.is("given") {
                p { (state(cx, "given")) " " (time("givenAt")) }
                (disclosure(t.withdraw(), form("false").danger(t.withdraw())))
            } @else {
                p { (state(cx, if consent.has("withdrawnAt") { "withdrawn" } else { "not_given" })) " " (time("withdrawnAt")) }
                p.quiet { (if consent.is("required") { t.consent_is_needed() } else { t.consent_is_free() }) }
                (form("true").send(t.consent()))
            }
        }
    })
}

/// What opens the doors for somebody, and whether they are let in.
fn admission_section(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let call = ApiCall::of("list_access_credentials").at("clientId", id).with("limit", 50);
    let Some(answer) = cx.call_if_allowed(call)? else { return Ok(Markup::default()) };
    let block = cx.call_if_allowed(ApiCall::of("get_access_block").at("clientId", id))?;
    let (t, written) = (cx.strings, &cx.written);
    let kinds = ["card", "pin", "qr", "mobile"].map(|kind| (kind, t.term(kind)));
    let form = Form::about(cx, "add_access_credential", at(id))
        .choice("kind", t.kind(), &kinds)
        .text("number", t.card_number())
        .text("validUntil", t.until());
    Ok(html! {
        section.card {
            h2 { (t.entrance()) }
            @if let Some(block) = &block {
                div.notice.warn { (t.is_blocked()) @if block.has("accessBlock.note") { " " (block.text("accessBlock.note")) } }
                (Form::about(cx, "unblock_access", at(id)).button(t.let_in()))
            }
            ul.rows { @for one in answer.list("accessCredentials") {
                li {
                    span.grow { (t.term(one.text("kind"))) @if one.has("last4") { " …" (one.text("last4")) }
                        @if let Some(until) = one.date("validUntil") { br; span.quiet { (t.until()) " " (written.date(until)) } } }
                    (state(cx, one.text("status")))
                    @if one.text("status") != "revoked" && cx.may("revoke_access_credential") {
                        (disclosure(t.revoke(), Form::about(cx, "revoke_access_credential", vec![("clientId", id.to_owned()), ("credentialId", one.text("credentialId").to_owned())]).danger(t.revoke())))
                    }
                }
            } }
            @if cx.may("add_access_credential") { (disclosure(t.add_credential(), form.send(t.add_credential()))) }
            @if block.is_none() && cx.may("block_access") {
                (disclosure(t.keep_out(), Form::about(cx, "block_access", at(id)).text("note", t.reason()).danger(t.keep_out())))
            }
        }
    })
}

/// The files with all that is kept of somebody, and the button that has one made.
pub(in crate::pages) fn data(cx: &mut PageContext<'_, '_>, id: &str) -> Result<Markup> {
    let call = ApiCall::of("list_data_exports").at("clientId", id).with("limit", 5);
    let Some(answer) = cx.call_if_allowed(call)? else { return Ok(Markup::default()) };
    let (t, written) = (cx.strings, &cx.written);
    Ok(html! {
        p { (t.data_export_means()) }
        ul.rows { @for one in answer.list("dataExports") {
            li {
                span.grow { (one.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) }
                (state(cx, one.text("status")))
                @if one.text("status") == "ready" {
                    @let about = vec![("clientId", id.to_owned()), ("dataExportId", one.text("dataExportId").to_owned())];
                    (Form::about(cx, "get_data_export_file", about).downloads().next(format!("{EXPORTED}{id}/{}", one.text("dataExportId"))).button(t.download()))
                }
            }
        } }
        (Form::about(cx, "request_data_export", at(id)).button(t.make_export()))
    })
}
