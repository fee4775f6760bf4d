//! The pages on which people let assistants in.

use axum::{
    body::Body,
    http::{Response, StatusCode},
};
use maud::{Markup, html};
use spotter_assistants::{
    consent::{PendingAuthorization, Proposal},
    modules::{GrantSubject, Module},
};
use spotter_html::{
    page::{leading_to, outside},
    sign_in::{self, SignIn},
    words::Strings,
};

use crate::{document, redirect};

/// The client and its redirect address: the head of both pages. Only the address can be trusted.
fn asker(t: Strings, pending: &PendingAuthorization) -> Markup {
    html! {
        p {
            (t.goes_on_to()) " "
            strong { bdi { (redirect::display_host(&pending.redirect_uri)) } }
        }
        p.quiet {
            (t.calls_itself()) " "
            strong { bdi { (pending.client_name) } }
            ". "
            @if let Some(host) = document::host(&pending.client_id) {
                (t.describes_itself()) " "
                strong { bdi { (host) } }
                ". "
            }
            (t.nobody_verified())
        }
    }
}

/// The sign-in page.
pub(crate) fn sign_in(
    t: Strings,
    pending: &PendingAuthorization,
    request: &str,
    entered: &SignIn,
    status: StatusCode,
) -> Response<Body> {
    let main = html! {
        (asker(t, pending))
        @if let Some(wrong) = &entered.wrong { div.summary role="alert" { p { (wrong) } } }
        form method="post" action="/mcp/v1/oauth/consent/sign-in" {
            input type="hidden" name="request" value=(request);
            (sign_in::fields(t, entered))
            button type="submit" { (t.sign_in()) }
        }
        p.quiet { (t.nothing_shared_yet()) }
    };
    outside(t, status, t.connect_assistant(), entered.wrong.is_some(), main)
}

/// What the one who decides is shown.
pub(crate) struct Decision<'d> {
    pub(crate) pending: &'d PendingAuthorization,
    pub(crate) request: &'d str,
    pub(crate) csrf: &'d str,
    pub(crate) person: &'d str,
    pub(crate) company: &'d str,
    pub(crate) subject: GrantSubject,
    pub(crate) proposal: &'d Proposal,
}

/// The decision page.
pub(crate) fn decide(t: Strings, decision: &Decision<'_>) -> Response<Body> {
    let Decision { pending, request, csrf, person, company, subject, proposal } = decision;
    let (requested, idle): (Vec<Module>, Vec<Module>) =
        proposal.proposed.iter().partition(|module| module.is_of_use());
    let others: Vec<_> = proposal.others.iter().filter(|module| module.is_of_use()).collect();
    let title = match subject {
        GrantSubject::Company => t.allow_company_data(),
        GrantSubject::Client => t.allow_own_data(),
    };
    let target = redirect::form_target(&pending.redirect_uri);
    let main = html! {
        (asker(t, pending))
        p.quiet {
            (t.signed_in_as()) " "
            strong { bdi { (person) } }
            ", "
            strong { bdi { (company) } }
            ". "
            a href={ "/mcp/v1/oauth/consent?request=" (request) "&as=other" } { (t.not_you()) }
        }
        form method="post" action="/mcp/v1/oauth/consent/decide" {
            input type="hidden" name="request" value=(request);
            input type="hidden" name="csrf" value=(csrf);
            @for module in requested { (choice(t, module, true)) }
            label.check.field {
                input type="checkbox" name="read_only" value="yes" checked;
                span { strong { (t.only_read()) } br; span.quiet { (t.only_read_means()) } }
            }
            div.buttons {
                button type="submit" name="decision" value="approve" { (t.allow()) }
                button.plain type="submit" name="decision" value="refuse" { (t.refuse()) }
            }
            @if !others.is_empty() {
                details.behind {
                    summary { (t.allow_more()) }
                    div { @for module in others { (choice(t, *module, false)) } }
                }
            }
            @if !idle.is_empty() {
                details.behind {
                    summary { (t.of_no_use_yet()) }
                    div {
                        p.quiet { (t.of_no_use_yet_means()) }
                        @for module in idle { (choice(t, module, false)) }
                    }
                }
            }
        }
        p.quiet { (t.in_your_name()) }
    };
    leading_to(&target, t, StatusCode::OK, title, false, main)
}

/// A module that can be allowed.
fn choice(t: Strings, module: Module, checked: bool) -> Markup {
    let key = module.key();
    let (reads, changes) = (t.module_reads(key), t.module_changes(key));
    html! {
        label.check.field {
            input type="checkbox" name="module" value=(key) checked[checked];
            span {
                strong { (t.module(key)) }
                @if !reads.is_empty() { br; span.quiet { (t.reads()) ": " (reads) "." } }
                @if !changes.is_empty() { br; span.quiet { (t.changes()) ": " (changes) "." } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_translated() {
        let all = [GrantSubject::Company, GrantSubject::Client].into_iter().flat_map(Module::of);
        for module in all {
            let key = module.key();
            let english = Strings::in_english();
            assert_eq!(english.module(key), module.title(), "{key}");
            assert_eq!(english.module_reads(key), module.reads(), "{key}");
            assert_eq!(english.module_changes(key), module.changes(), "{key}");
        }
    }
}
