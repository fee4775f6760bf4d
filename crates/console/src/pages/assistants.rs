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
    let say = cx.say;
    let (open, ended): (Vec<&Value>, Vec<&Value>) =
        answer.list("grants").iter().partition(|grant| !grant.has("revokedAt"));
    let main = html! {
        p { (say.assistants_are()) " " code { (cx.state.env.mcp_url) "/mcp/v1" } }
        h2 { (say.connected()) }
        @if open.is_empty() { (empty(say.no_assistants(), None)) }
        @for grant in open { (card(cx, grant)) }
        @if !ended.is_empty() { (disclosure(say.taken_back(), html! { @for grant in ended { (card(cx, grant)) } })) }
        @if cx.is_client() {
            (disclosure(say.no_assistant_at_all(), html! {
                p { (say.no_assistant_means()) }
                (Form::about(cx, "set_ai_access", vec![("clientId", cx.own_id())]).hidden("aiAccess", "off").danger(say.switch_off()))
            }))
        }
        @if let Some(keys) = &keys {
            h2 { (say.keys()) }
            @if keys.list("keys").is_empty() { p.quiet { (say.no_keys()) } }
            @for key in keys.list("keys") { (key_card(cx, key)) }
            (disclosure(say.make_key(), new_key(cx)))
        }
    };
    Ok(View::new(say.assistants(), main))
}

/// Modules of a record, with what each is called.
fn modules(cx: &PageContext<'_, '_>, of: &Value) -> Vec<(String, &'static str)> {
    let keys = of.list("modules").iter().filter_map(Value::as_str);
    keys.map(|key| (key.to_owned(), cx.say.module(key))).collect()
}

fn titles(cx: &PageContext<'_, '_>, of: &Value) -> String {
    modules(cx, of).iter().map(|(_, title)| *title).collect::<Vec<_>>().join(", ")
}

fn card(cx: &PageContext<'_, '_>, grant: &Value) -> Markup {
    let (say, written) = (cx.say, &cx.written);
    let at = || vec![("grantId", grant.text("grantId").to_owned())];
    let read_only = grant.is("readOnly");
    let limits = || {
        let form = Form::about(cx, "limit_mcp_grant", at()).from(grant);
        let form = form.any("modules", say.what_it_may(), &modules(cx, grant));
        // What only reads stays so.
        if read_only { form } else { form.check("readOnly", say.only_read()) }
    };
    html! {
        section.card {
            h3 { bdi { (grant.text("clientName")) } }
            p.quiet {
                (say.since()) " " (grant.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) " · "
                @match grant.instant("lastUsedAt") {
                    Some(used) => { (say.last_used()) " " (written.instant(used)) }
                    None => (say.never_used()),
                }
                @if cx.manages() && grant.text("subject") == "client" { " · " (say.by_a_client()) }
                @if read_only { " · " (say.only_reading()) }
                @if let Some(ended) = grant.instant("revokedAt") { " · " (say.taken_back()) " " (written.instant(ended)) }
            }
            p { (titles(cx, grant)) }
            @if !grant.has("revokedAt") {
                div.buttons {
                    (disclosure(say.change_what(), limits().send(say.save())))
                    (disclosure(say.disconnect(), Form::about(cx, "revoke_mcp_grant", at()).danger(say.disconnect())))
                }
            }
        }
    }
}

fn key_card(cx: &PageContext<'_, '_>, key: &Value) -> Markup {
    let (say, written) = (cx.say, &cx.written);
    let at = vec![("keyId", key.text("keyId").to_owned())];
    html! {
        section.card {
            h3 { (key.text("name")) " " span.quiet { "fsc_…" (key.text("last4")) } }
            p.quiet {
                @match key.instant("revokedAt") {
                    Some(ended) => { (say.taken_back()) " " (written.instant(ended)) }
                    None => { (say.expires()) " " (key.instant("expiresAt").map(|at| written.instant(at)).unwrap_or_default()) }
                }
                @if key.is("readOnly") { " · " (say.only_reading()) }
            }
            p { (titles(cx, key)) }
            @if !key.has("revokedAt") {
                (disclosure(say.revoke(), Form::about(cx, "revoke_mcp_key", at).danger(say.revoke())))
            }
        }
    }
}

fn new_key(cx: &PageContext<'_, '_>) -> Markup {
    let say = cx.say;
    let keys = cx.words_of("create_mcp_key", "modules");
    let offered: Vec<_> = keys
        .iter()
        .filter(|key| !key.starts_with("client_ai_"))
        .map(|key| (*key, say.module(key)))
        .collect();
    Form::of(cx, "create_mcp_key")
        .next("/console/assistants")
        .text("name", say.name())
        .text("expiresInDays", say.days())
        .any("modules", say.what_it_may(), &offered)
        .check("readOnly", say.only_read())
        .send(say.make_key())
}
