//! Assistants: which act for whom, and how that ends.

use maud::html;
use spotter_kernel::Result;

use crate::{
    parts::{
        fields::{Form, behind},
        lists::empty,
        shell::Shown,
        told::Told,
    },
    visit::{Ask, Visit},
};

/// `/console/assistants`
pub(super) fn list(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let operation = if cx.manages() { "list_mcp_grants" } else { "list_own_mcp_grants" };
    let told = cx.ask(Ask::of(operation).with("limit", 100))?;
    let keys = cx.ask_if(Ask::of("list_mcp_keys").with("limit", 100))?;
    let (say, written) = (cx.say, &cx.written);
    let modules = |of: &serde_json::Value| {
        of.list("modules")
            .iter()
            .filter_map(|key| key.as_str())
            .map(|key| say.term(key))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let main = html! {
        p { (say.assistants_are()) " " code { (cx.state.env.mcp_url) "/mcp/v1" } }
        p { a.button.plain href="/mcp/v1/manage" data-hx-boost="false" { (say.limit_assistants()) } }
        h2 { (say.connected()) }
        @if told.list("grants").is_empty() { (empty(say.no_assistants(), None)) }
        @for grant in told.list("grants") {
            section.card {
                h3 { bdi { (grant.text("clientName")) } }
                p.quiet { (say.since()) " " (grant.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default())
                    @if let Some(used) = grant.instant("lastUsedAt") { " · " (say.last_used()) " " (written.instant(used)) } }
                p { (modules(grant)) }
                (behind(say.disconnect(), Form::about(cx, "revoke_mcp_grant", vec![("grantId", grant.text("grantId").to_owned())]).danger(say.disconnect())))
            }
        }
        @if let Some(keys) = &keys {
            h2 { (say.keys()) }
            @if keys.list("keys").is_empty() { p.quiet { (say.no_keys()) } }
            @for key in keys.list("keys") {
                section.card {
                    h3 { (key.text("name")) }
                    p.quiet { (say.expires()) " " (key.instant("expiresAt").map(|at| written.instant(at)).unwrap_or_default()) }
                    p { (modules(key)) }
                    (behind(say.revoke(), Form::about(cx, "revoke_mcp_key", vec![("keyId", key.text("keyId").to_owned())]).danger(say.revoke())))
                }
            }
        }
    };
    Ok(Shown::new(say.assistants(), main))
}
