//! Assistants: grants, their modules, and how they end.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api::{self, List},
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::empty,
        shell::View,
    },
};

/// `/console/assistants`, `/my/assistants`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (of_company, own);
    let grants = if cx.manages() {
        of_company = cx.call(api::list_mcp_grants().limit(100))?;
        of_company.grants()
    } else {
        own = cx.call(api::list_own_mcp_grants().limit(100))?;
        own.grants()
    };
    let keys = cx.call_if_allowed(api::list_mcp_keys().limit(100))?;
    let t = cx.strings;
    let (open, ended): (Vec<_>, Vec<_>) =
        grants.iter().partition(|grant| grant.revoked_at().is_none());
    let main = html! {
        p { (t.assistants_are()) " " code { (cx.state.env.mcp_url) "/mcp/v1" } }
        h2 { (t.connected()) }
        @if open.is_empty() { (empty(t.no_assistants(), None)) }
        @for grant in open { (card(cx, grant)) }
        @if !ended.is_empty() {
            (disclosure(t.taken_back(), html! { @for grant in ended { (card(cx, grant)) } }))
        }
        @if cx.is_client() {
            (disclosure(t.no_assistant_at_all(), html! {
                p { (t.no_assistant_means()) }
                (Form::of(cx, api::set_ai_access(&cx.own_id()))
                    .hidden("aiAccess", "off")
                    .danger(t.switch_off()))
            }))
        }
        @if let Some(keys) = &keys {
            h2 { (t.keys()) }
            @if keys.keys().is_empty() { p.quiet { (t.no_keys()) } }
            @for key in keys.keys() { (key_card(cx, key)) }
            (disclosure(t.make_key(), new_key(cx)))
        }
    };
    Ok(View::new(t.assistants(), main))
}

/// Modules by their keys, each with its title.
fn modules(cx: &PageContext<'_, '_>, keys: List<'_, &str>) -> Vec<(String, &'static str)> {
    keys.iter().map(|key| (key.to_owned(), cx.strings.module(key))).collect()
}

fn titles(cx: &PageContext<'_, '_>, keys: List<'_, &str>) -> String {
    modules(cx, keys).iter().map(|(_, title)| *title).collect::<Vec<_>>().join(", ")
}

fn card(cx: &PageContext<'_, '_>, grant: api::AssistantGrant<'_>) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let read_only = grant.read_only();
    let limits = || {
        let form = Form::of(cx, api::limit_mcp_grant(grant.grant_id())).from(grant);
        let form = form.any("modules", t.what_it_may(), &modules(cx, grant.modules()));
        // What only reads stays so.
        if read_only { form } else { form.check("readOnly", t.only_read()) }
    };
    html! {
        section.card {
            h3 { bdi { (grant.client_name()) } }
            p.quiet {
                (t.since()) " " (written.instant(grant.created_at())) " · "
                @match grant.last_used_at() {
                    Some(used) => { (t.last_used()) " " (written.instant(used)) }
                    None => (t.never_used()),
                }
                @if cx.manages() && grant.subject() == "client" { " · " (t.by_a_client()) }
                @if read_only { " · " (t.only_reading()) }
                @if let Some(ended) = grant.revoked_at() {
                    " · " (t.taken_back()) " " (written.instant(ended))
                }
            }
            p { (titles(cx, grant.modules())) }
            @if grant.revoked_at().is_none() {
                div.buttons {
                    (disclosure(t.change_what(), limits().send(t.save())))
                    (disclosure(
                        t.disconnect(),
                        Form::of(cx, api::revoke_mcp_grant(grant.grant_id()))
                            .danger(t.disconnect()),
                    ))
                }
            }
        }
    }
}

fn key_card(cx: &PageContext<'_, '_>, key: api::McpKey<'_>) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    html! {
        section.card {
            h3 { (key.name()) " " span.quiet { "fsc_…" (key.last4()) } }
            p.quiet {
                @match key.revoked_at() {
                    Some(ended) => { (t.taken_back()) " " (written.instant(ended)) }
                    None => { (t.expires()) " " (written.instant(key.expires_at())) }
                }
                @if key.read_only() { " · " (t.only_reading()) }
            }
            p { (titles(cx, key.modules())) }
            @if key.revoked_at().is_none() {
                (disclosure(
                    t.revoke(),
                    Form::of(cx, api::revoke_mcp_key(key.key_id())).danger(t.revoke()),
                ))
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
    Form::of(cx, api::create_mcp_key())
        .next("/console/assistants")
        .text("name", t.name())
        .text("expiresInDays", t.days())
        .any("modules", t.what_it_may(), &offered)
        .check("readOnly", t.only_read())
        .send(t.make_key())
}
