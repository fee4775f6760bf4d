//! The companies on the operator's page: found by name, suspended and resumed.

use axum::{
    body::Body,
    http::{Response, StatusCode},
};
use maud::{Markup, html};
use spotter_company::companies::{self, CompanyEntry, CompanyStatus, PAGE_MAX};
use spotter_contract::Env;
use spotter_kernel::{Id, Problem, Result, id::CompanyId};
use spotter_people::founding::SignedUpCompany;
use spotter_store::Tx;

use crate::{
    company_form,
    forms::FormData,
    parts::{format::Format, lists::table, outside},
    words::Strings,
};

/// The list of companies on the operator's page.
const LIST: &str = "/operator#companies";
/// Where a company is signed up.
pub(super) const SIGN_UP: &str = "/operator/companies/new";
/// Where the form of a company leads that is suspended.
pub(super) const SUSPEND: &str = "/operator/companies/suspend";
/// The same of one that is resumed.
pub(super) const RESUME: &str = "/operator/companies/resume";

/// Which companies are shown.
#[derive(Clone, Debug, Default)]
pub(super) struct CompanySearch {
    text: String,
    after: Option<CompanyId>,
}

impl CompanySearch {
    pub(super) fn of_query(query: &str) -> Self {
        let form = FormData::from_query(query);
        let after = Id::parse(form.one("after")).map(CompanyId);
        Self { text: form.one("search").trim().to_owned(), after }
    }

    /// The path of the same list, after something was done in it.
    pub(super) fn path(form: &FormData) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for name in ["search", "after"] {
            if !form.one(name).is_empty() {
                query.append_pair(name, form.one(name));
            }
        }
        format!("/operator?{}#companies", query.finish())
    }

    /// What a form of the list carries along, so that it leads back to the same list.
    fn carried(&self) -> Markup {
        html! {
            input type="hidden" name="search" value=(self.text);
            @if let Some(after) = self.after { input type="hidden" name="after" value=(after); }
        }
    }

    /// The companies that are shown, and how many there are in all.
    pub(super) fn read(self, tx: &mut Tx<'_>) -> Result<CompanyListing> {
        let entries = companies::page(tx, &self.text, self.after)?;
        Ok(CompanyListing { entries, total: companies::count(tx)?, search: self })
    }
}

/// A page of companies.
pub(super) struct CompanyListing {
    search: CompanySearch,
    entries: Vec<CompanyEntry>,
    pub(super) total: i64,
}

/// The list, with what can be done with each.
pub(super) fn section(written: &Format, listing: &CompanyListing) -> Markup {
    let t = written.strings;
    let CompanyListing { search, entries, .. } = listing;
    let rows = entries.iter().map(|entry| {
        vec![
            html! { bdi { (entry.name) } },
            html! { code { (entry.company_id) } },
            html! { (written.instant(entry.created_at)) " UTC" },
            html! { (act(written, search, entry)) },
        ]
    });
    let next = entries.last().filter(|_| entries.len() as i64 == PAGE_MAX);
    html! {
        h2 #companies { (t.companies()) }
        p { a.button.plain href=(SIGN_UP) { (t.new_company()) } }
        form.filters method="get" action=(LIST) {
            label {
                (t.name())
                input type="search" name="search" value=(search.text);
            }
            button.plain type="submit" { (t.search()) }
        }
        @if entries.is_empty() && !search.text.is_empty() {
            p { (t.nothing_found(&search.text)) }
        } @else {
            (table(t.companies(), &[t.name(), "Id", t.term("created"), t.status()], rows.collect()))
        }
        @if let Some(last) = next {
            form method="get" action=(LIST) {
                input type="hidden" name="search" value=(search.text);
                input type="hidden" name="after" value=(last.company_id);
                button.plain type="submit" { (t.more()) }
            }
        }
    }
}

/// The form for a new company, with what is wrong in it.
pub(super) fn sign_up_page(t: Strings, form: &FormData, wrong: Option<&Problem>) -> Response<Body> {
    let field = wrong.and_then(|wrong| wrong.details.as_ref()?["field"].as_str());
    let status = wrong.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    let main = html! {
        @if let Some(wrong) = wrong {
            @let label = field.and_then(|field| company_form::label(t, field));
            div.summary role="alert" {
                p { @if let Some(label) = label { b { (label) } ": " } (t.refusal(wrong)) }
            }
        }
        form method="post" action=(SIGN_UP) {
            (company_form::fields(t, form, field))
            button type="submit" { (t.add()) }
        }
        p { a href=(LIST) { (t.companies()) } }
    };
    outside(t, status, t.new_company(), wrong.is_some(), main)
}

/// How the admin of a new company begins.
pub(super) fn signed_up(t: Strings, env: &Env, made: &SignedUpCompany) -> Response<Body> {
    let main = html! {
        p { bdi { (made.invitation.email) } }
        @match &made.invitation.token {
            Some(token) => {
                p { (t.pass_link_on()) }
                p { code { (env.address) "/set-password?token=" (token) } }
            }
            None => { p { (t.invitation_is_mailed()) } }
        }
        p { a.button href=(LIST) { (t.companies()) } }
    };
    outside(t, StatusCode::OK, t.new_company(), false, main)
}

/// The status of a company, and a form that changes it. Before the button to suspend stands what that does.
fn act(written: &Format, search: &CompanySearch, entry: &CompanyEntry) -> Markup {
    let t = written.strings;
    let form = |action: &str, label: &str| {
        html! {
            form method="post" action=(action) {
                input type="hidden" name="company" value=(entry.company_id);
                (search.carried())
                button.plain type="submit" { (label) }
            }
        }
    };
    match entry.status() {
        CompanyStatus::Active => html! {
            (t.term("active"))
            details {
                summary { (t.suspend()) }
                p { (t.suspended_companies()) }
                (form(SUSPEND, t.suspend()))
            }
        },
        CompanyStatus::Suspended => html! {
            span.state.bad { (t.term("suspended")) } " " (form(RESUME, t.resume()))
        },
        CompanyStatus::Erasing => html! { span.state.bad { (t.term("erasing")) } },
    }
}
