//! The pages on which people let assistants in, and see what they have let in.

use axum::{
    body::Body,
    http::{Response, StatusCode},
};
use maud::{Markup, html};
use serde_json::Value;
use spotter_console::{
    parts::page,
    sign_in::{SignIn, credentials},
};
use spotter_core::mcp::{
    consent::{Pending, Proposal},
    modules::{GrantSubject, Module},
};

use crate::{
    document,
    manage::{Shown, Typed},
    redirect,
};

/// Who asks, and where it leads: the head of both pages. The address is what can be trusted.
fn asker(pending: &Pending) -> Markup {
    html! {
        p.target {
            "Your browser goes on to "
            strong { bdi { (redirect::shown(&pending.redirect_uri)) } }
        }
        p.quiet {
            "The assistant there calls itself " strong { bdi { (pending.client_name) } }
            @if let Some(host) = document::host(&pending.client_id) {
                ", and describes itself at " strong { bdi { (host) } }
                ". Nobody has verified the name. Go on only if you know the addresses."
            } @else {
                ", which nobody has verified. Go on only if you know the address."
            }
        }
    }
}

/// Where somebody signs in.
pub(crate) fn sign_in(
    pending: &Pending,
    request: &str,
    entered: &SignIn,
    status: StatusCode,
) -> Response<Body> {
    page(
        status,
        "Sign in",
        "",
        html! {
            h1 { "Connect an assistant" }
            (asker(pending))
            @if let Some(wrong) = &entered.wrong { p.wrong role="alert" { (wrong) } }
            form method="post" action="/mcp/v1/oauth/consent/sign-in" {
                input type="hidden" name="request" value=(request);
                (credentials(entered))
                button type="submit" { "Sign in" }
            }
            p.quiet { "Nothing is shared by signing in. You decide on the next page." }
        },
    )
}

/// What the one who decides is shown.
pub(crate) struct Decision<'d> {
    pub(crate) pending: &'d Pending,
    pub(crate) request: &'d str,
    pub(crate) csrf: &'d str,
    pub(crate) person: &'d str,
    pub(crate) company: &'d str,
    pub(crate) subject: GrantSubject,
    pub(crate) proposal: &'d Proposal,
}

/// Where somebody decides.
pub(crate) fn decide(decision: &Decision<'_>) -> Response<Body> {
    let Decision { pending, request, csrf, person, company, subject, proposal } = decision;
    let (asked, idle): (Vec<Module>, Vec<Module>) =
        proposal.proposed.iter().partition(|module| module.is_of_use());
    let others: Vec<_> = proposal.others.iter().filter(|module| module.is_of_use()).collect();
    let whose = match subject {
        GrantSubject::Company => "your company's data",
        GrantSubject::Client => "your own data",
    };
    let target = redirect::form_target(&pending.redirect_uri);
    page(
        StatusCode::OK,
        "Allow an assistant?",
        &target,
        html! {
            h1 { "Allow this assistant to use " (whose) "?" }
            (asker(pending))
            p.quiet {
                "You are signed in as " strong { bdi { (person) } } " at " strong { bdi { (company) } } ". "
                a href={ "/mcp/v1/oauth/consent?request=" (request) "&as=other" } { "Not you?" }
            }
            form method="post" action="/mcp/v1/oauth/consent/decide" {
                input type="hidden" name="request" value=(request);
                input type="hidden" name="csrf" value=(csrf);
                @for module in asked { (choice(module, true)) }
                label.module {
                    input type="checkbox" name="read_only" value="yes" checked;
                    span { strong { "Only let it read" } span.quiet { "It then changes nothing, whatever is ticked. Take this away to let it act for you." } }
                }
                div.buttons {
                    button type="submit" name="decision" value="approve" { "Allow" }
                    button.plain type="submit" name="decision" value="refuse" { "Refuse" }
                }
                @if !others.is_empty() {
                    details {
                        summary { "Allow it more" }
                        @for module in others { (choice(*module, false)) }
                    }
                }
                @if !idle.is_empty() {
                    details {
                        summary { "Asked for, and of no use yet" }
                        p.quiet { "The assistant can do nothing with these today. What you tick it may use once it can." }
                        @for module in idle { (choice(module, false)) }
                    }
                }
            }
            p.quiet {
                "Everything it does is done in your name and stands in the audit log. You can take this back \
                 at any time."
            }
        },
    )
}

/// A module that can be allowed.
fn choice(module: Module, checked: bool) -> Markup {
    html! {
        label.module {
            input type="checkbox" name="module" value=(module.key()) checked[checked];
            span {
                strong { (module.title()) }
                span.reads { "Reads: " (module.reads()) "." }
                @if !module.changes().is_empty() {
                    span.changes { "Changes: " (module.changes()) "." }
                }
            }
        }
    }
}

/// Where somebody signs in to see what assistants are allowed.
pub(crate) fn manage_sign_in(entered: &SignIn, status: StatusCode) -> Response<Body> {
    let main = html! {
        h1 { "Your assistants" }
        @if let Some(wrong) = &entered.wrong { p.wrong role="alert" { (wrong) } }
        form method="post" action="/mcp/v1/manage/sign-in" {
            (credentials(entered))
            button type="submit" { "Sign in" }
        }
    };
    page(status, "Assistants", "", main)
}

/// A text of a record.
fn text<'v>(record: &'v Value, name: &str) -> &'v str {
    record[name].as_str().unwrap_or_default()
}

/// The date of an instant.
fn date<'v>(record: &'v Value, name: &str) -> &'v str {
    text(record, name).get(..10).unwrap_or_default()
}

/// The modules of a record.
fn modules(record: &Value) -> Vec<Module> {
    let keys = record["modules"].as_array().into_iter().flatten().filter_map(Value::as_str);
    keys.filter_map(Module::parse).collect()
}

/// What assistants are allowed, and what can be done about it.
pub(crate) fn manage(shown: &Shown, csrf: &str) -> Response<Body> {
    let main = html! {
        h1 { "Your assistants" }
        @if let Some(done) = &shown.done { p.done role="status" { (done) } }
        @if let Some(wrong) = &shown.wrong { p.wrong role="alert" { (wrong) } }
        @if let Some(made) = &shown.made {
            p.wrong role="status" {
                "This is the new key. It is shown this once: " code { (made) }
            }
        }
        h2 { "Connected" }
        @if shown.grants.is_empty() { p.quiet { "No assistant is connected." } }
        @for grant in &shown.grants { (grant_card(grant, csrf)) }
        @if let Some(client) = &shown.client {
            details {
                summary { "Let no assistant in" }
                (confirmed(csrf, client, "switch-off", "Switch off",
                    "Whatever you have allowed ends at once. Ask at the desk to have it opened again."))
            }
        }
        @if shown.manages {
            h2 { "Keys for scripts" }
            @for key in &shown.keys { (key_card(key, csrf)) }
            (new_key(csrf, shown.typed.as_ref()))
        }
        form method="post" action="/mcp/v1/manage/act" {
            input type="hidden" name="csrf" value=(csrf);
            button.plain type="submit" name="action" value="sign-out" { "Sign out" }
        }
    };
    page(StatusCode::OK, "Assistants", "", main)
}

fn grant_card(grant: &Value, csrf: &str) -> Markup {
    let (read_only, revoked) = (grant["readOnly"] == true, grant["revokedAt"].is_string());
    html! {
        section.card {
            p.asker { strong { bdi { (text(grant, "clientName")) } } span.badge { "unverified name" } }
            p.quiet {
                "Allowed on " (date(grant, "createdAt"))
                @if grant["lastUsedAt"].is_string() { ", last used on " (date(grant, "lastUsedAt")) }
                @else { ", never used" }
                @if text(grant, "subject") == "client" { ", by a client" }
                @if read_only { ", only reading" }
                @if revoked { ", taken back on " (date(grant, "revokedAt")) }
                "."
            }
            p.quiet { @for module in modules(grant) { (module.title()) ". " } }
            @if !revoked {
                details {
                    summary { "Change or disconnect" }
                    form method="post" action="/mcp/v1/manage/act" {
                        input type="hidden" name="csrf" value=(csrf);
                        input type="hidden" name="id" value=(text(grant, "grantId"));
                        @for module in modules(grant) { (ticked(module, true)) }
                        label.module {
                            input type="checkbox" name="read_only" value="yes" checked[read_only] disabled[read_only];
                            span { strong { "Only let it read" } }
                        }
                        div.buttons {
                            button.plain type="submit" name="action" value="limit" { "Save" }
                        }
                    }
                    (confirmed(csrf, text(grant, "grantId"), "revoke", "Disconnect",
                        "It loses its access at once, and has to be allowed anew."))
                }
            }
        }
    }
}

/// A button for what cannot be taken back, behind a word that has to be ticked.
fn confirmed(csrf: &str, id: &str, action: &str, label: &str, what: &str) -> Markup {
    html! {
        form method="post" action="/mcp/v1/manage/act" {
            input type="hidden" name="csrf" value=(csrf);
            input type="hidden" name="id" value=(id);
            label.module {
                input type="checkbox" name="sure" value="yes" required;
                span { strong { "Yes, " (label.to_lowercase()) } span.quiet { (what) } }
            }
            button.danger type="submit" name="action" value=(action) { (label) }
        }
    }
}

fn key_card(key: &Value, csrf: &str) -> Markup {
    let revoked = key["revokedAt"].is_string();
    html! {
        section.card {
            p.asker { strong { (text(key, "name")) } " " span.quiet { "fsc_…" (text(key, "last4")) } }
            p.quiet {
                @for module in modules(key) { (module.title()) ". " }
                @if key["readOnly"] == true { "Only reading. " }
                @if revoked { "Revoked on " (date(key, "revokedAt")) "." }
                @else { "Good until " (date(key, "expiresAt")) "." }
            }
            @if !revoked {
                details {
                    summary { "Revoke" }
                    (confirmed(csrf, text(key, "keyId"), "revoke-key", "Revoke",
                        "Whatever uses the key stops working at once."))
                }
            }
        }
    }
}

fn ticked(module: Module, checked: bool) -> Markup {
    html! {
        label.module {
            input type="checkbox" name="module" value=(module.key()) checked[checked];
            span { strong { (module.title()) } }
        }
    }
}

fn new_key(csrf: &str, typed: Option<&Typed>) -> Markup {
    let offered = Module::of(GrantSubject::Company).filter(|module| module.is_of_use());
    let (name, days) = typed.map_or(("", "90"), |typed| (&typed.name, &typed.days));
    let wanted = |module: Module| typed.is_some_and(|typed| typed.modules.contains(&module));
    html! {
        details open[typed.is_some()] {
            summary { "Make a key" }
            form method="post" action="/mcp/v1/manage/act" {
                input type="hidden" name="csrf" value=(csrf);
                label { "Name" input type="text" name="name" value=(name) required maxlength="120"; }
                label { "Days" input type="number" name="days" value=(days) min="1" max="365"; }
                @for module in offered { (ticked(module, wanted(module))) }
                label.module {
                    input type="checkbox" name="read_only" value="yes" checked[typed.is_none_or(|typed| typed.read_only)];
                    span { strong { "Only let it read" } }
                }
                button type="submit" name="action" value="make-key" { "Make the key" }
            }
        }
    }
}
