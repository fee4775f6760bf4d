//! Assistants: which act for whom, what each may, and how that ends.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::empty,
        shell::View,
    },
};

/// `/console/assistants`, `/my/assistants`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let operation = if cx.manages() { "list_mcp_grants" } else { "list_own_mcp_grants" };
    let answer = cx.call(ApiCall::of(operation).with("limit", 100))?;
    let keys = cx.call_if_allowed(ApiCall::of("list_mcp_keys").with("limit", 100))?;
    let t = cx.strings;
    let (open, ended): (Vec<&Value>, Vec<&Value>) =
        answer.list("grants").iter().partition(|grant| !grant.has("revokedAt"));
    let main = html! {
        p { (t.assistants_are()) " " code { (cx.state.env.mcp_url) "/mcp/v1" } }
        h2 { (t.connected()) }
        @if open.is_empty() { (empty(t.no_assistants(), None)) }
        @for grant in open { (card(cx, grant)) }
        @if !ended.is_empty() { (disclosure(t.taken_back(), html! { @for grant in ended { (card(cx, grant)) } })) }
        @if cx.is_client() {
            (disclosure(t.no_assistant_at_all(), html! {
                p { (t.no_assistant_means()) }
                (Form::about(cx, "set_ai_access", vec![("clientId", cx.own_id())]).hidden("aiAccess", "off").danger(t.switch_off()))
            }))
        }
        @if let Some(keys) = &keys {
            h2 { (t.keys()) }
            @if keys.list("keys").is_empty() { p.quiet { (t.no_keys()) } }
            @for key in keys.list("keys") { (key_card(cx, key)) }
            (disclosure(t.make_key(), new_key(cx)))
        }
    };
    Ok(View::new(t.assistants(), main))
}

/// Modules of a record, with what each is called.
fn modules(cx: &PageContext<'_, '_>, of: &Value) -> Vec<(String, &'static str)> {
    let keys = of.list("modules").iter().filter_map(Value::as_str);
    keys.map(|key| (key.to_owned(), cx.strings.module(key))).collect()
}

fn titles(cx: &PageContext<'_, '_>, of: &Value) -> String {
    modules(cx, of).iter().map(|(_, title)| *title).collect::<Vec<_>>().join(", ")
}

fn card(cx: &PageContext<'_, '_>, grant: &Value) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let at = || vec![("grantId", grant.text("grantId").to_owned())];
    let read_only = grant.is("readOnly");
    let limits = || {
        let form = Form::about(cx, "limit_mcp_grant", at()).from(grant);
        let form = form.any("modules", t.what_it_may(), &modules(cx, grant));
        // What only reads stays so.
        if read_only { form } else { form.check("readOnly", t.only_read()) }
    };
    html! {
        section.card {
            h3 { bdi { (grant.text("clientName")) } }
            p.quiet {
                (t.since()) " " (grant.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) " · "
                @match grant.instant("lastUsedAt") {
                    Some(used) => { (t.last_used()) " " (written.instant(used)) }
                    None => (t.never_used()),
                }
                @if cx.manages() && grant.text("subject") == "client" { " · " (t.by_a_client()) }
                @if read_only { " · " (t.only_reading()) }
                @if let Some(ended) = grant.instant("revokedAt") { " · " (t.taken_back()) " " (written.instant(ended)) }
            }
            p { (titles(cx, grant)) }
            @if !grant.has("revokedAt") {
                div.buttons {
                    (disclosure(t.change_what(), limits().send(t.save())))
                    (disclosure(t.disconnect(), Form::about(cx, "revoke_mcp_grant", at()).danger(t.disconnect())))
                }
            }
        }
    }
}

fn key_card(cx: &PageContext<'_, '_>, key: &Value) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let at = vec![("keyId", key.text("keyId").to_owned())];
    html! {
        section.card {
            h3 { (key.text("name")) " " span.quiet { "fsc_…" (key.text("last4")) } }
            p.quiet {
                @match key.instant("revokedAt") {
                    Some(ended) => { (t.taken_back()) " " (written.instant(ended)) }
                    None => { (t.expires()) " " (key.instant("expiresAt").map(|at| written.instant(at)).unwrap_or_default()) }
                }
                @if key.is("readOnly") { " · " (t.only_reading()) }
            }
            p { (titles(cx, key)) }
            @if !key.has("revokedAt") {
                (disclosure(t.revoke(), Form::about(cx, "revoke_mcp_key", at).danger(t.revoke())))
            }
        }
    }
}

fn new_key(cx: &PageContext<'_, '_>) -> Markup {
    let t = cx.strings;
    let keys = cx.words_of("create_mcp_key", "modules");
    let offered: Vec<_> = keys
        .iter()
        .filter(|key| !key.starts_with("client_ai_"))
        .map(|key| (*key, t.module(key)))
        .collect();
    Form::of(cx, "create_mcp_key")
        .next("/console/assistants")
        .text("name", t.name())
        .text("expiresInDays", t.days())
        .any("modules", t.what_it_may(), &offered)
        .check("readOnly", t.only_read())
        .send(t.make_key())
}
