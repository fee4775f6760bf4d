//! A page of a site while it is built: operations as a stranger calls them, in one transaction.

use std::sync::Arc;

use spotter_company::site;
use spotter_contract::Caller;
use spotter_http::{RequestId, State};
use spotter_kernel::{Locale, Problem, Result, TimeZone};
use spotter_store::Tx;

use super::{SiteAddress, in_language};
use crate::{
    api::{self, Answer, Call, SiteProfile},
    page_context::{allowed_operation, answered},
    page_request::PageAddress,
    parts::format::{Format, JsonFields},
    words::Strings,
};

/// A form that was refused: what was typed, and why.
#[derive(Clone, Debug)]
pub(super) struct SiteForm {
    pub(super) fields: Vec<(String, String)>,
    pub(super) problem: Problem,
}

impl SiteForm {
    /// What was typed in a field.
    pub(super) fn typed(&self, name: &str) -> &str {
        self.fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }
}

/// A page of a site for a stranger.
pub(super) struct SiteContext<'v, 't> {
    tx: &'v mut Tx<'t>,
    pub(super) state: &'v Arc<State>,
    request_id: &'v RequestId,
    caller: Caller,
    pub(super) place: &'v PageAddress,
    /// The site's address.
    pub(super) slug: String,
    /// What links of the site begin with.
    pub(super) base: String,
    pub(super) strings: Strings,
    pub(super) written: Format,
    pub(super) is_embedded: bool,
    profile: Answer<api::GetSiteProfile>,
    /// The form that was refused, if any.
    pub(super) form: Option<SiteForm>,
}

impl<'v, 't> SiteContext<'v, 't> {
    /// A page of a published site.
    pub(super) fn new(
        tx: &'v mut Tx<'t>,
        state: &'v Arc<State>,
        place: &'v PageAddress,
        request_id: &'v RequestId,
        SiteAddress { slug, base }: SiteAddress,
        strings: Strings,
        is_embedded: bool,
    ) -> Result<Self> {
        let mut caller = site::visitor(tx, &slug)?;
        caller.locale = strings.0;
        let written = Format { strings, zone: TimeZone::UTC, now: state.env.clock.now() };
        let profile = Answer::default();
        let mut cx = Self {
            tx,
            state,
            request_id,
            caller,
            place,
            slug,
            base,
            strings,
            written,
            is_embedded,
            profile,
            form: None,
        };
        cx.profile = cx.call(api::get_site_profile(&cx.slug.clone()))?;
        cx.written.zone = TimeZone::parse(cx.gym().time_zone()).unwrap_or(TimeZone::UTC);
        Ok(cx)
    }

    /// Calls an operation as a stranger.
    pub(super) fn call<O>(&mut self, call: Call<O>) -> Result<Answer<O>> {
        let request = call.request();
        let operation = allowed_operation(self.state, request.operation)?;
        let id = self.request_id.as_str();
        let arguments = request.arguments();
        let answer = answered(self.tx, self.state, &self.caller, id, operation, arguments)?;
        Ok(Answer::new(serde_json::from_str(&answer).map_err(Problem::internal)?))
    }

    /// What strangers see of the company.
    pub(super) fn gym(&self) -> SiteProfile<'_> {
        self.profile.site()
    }

    /// The address of a page of the site, in the language that was chosen.
    pub(super) fn to(&self, path: &str) -> String {
        let base =
            if self.is_embedded { format!("{}/embed", self.base) } else { self.base.clone() };
        self.link(&base, path)
    }

    /// The same of a page that is not in a frame.
    pub(super) fn out_to(&self, path: &str) -> String {
        self.link(&self.base, path)
    }

    fn link(&self, base: &str, path: &str) -> String {
        let address = below(base, path);
        match Locale::parse(self.place.parameter("lang")) {
            Some(chosen) => in_language(&address, chosen),
            None => address,
        }
    }

    /// Where links out of a frame open.
    pub(super) fn target(&self) -> Option<&'static str> {
        self.is_embedded.then_some("_blank")
    }

    /// A text that there is in several languages: in the reader's, the company's, or any.
    pub(super) fn localized(&self, texts: &serde_json::Value) -> String {
        let own = |language: &str| Some(texts.text(language)).filter(|text| !text.is_empty());
        let first = || texts.as_object()?.values().next()?.as_str();
        let found =
            own(self.strings.0.code()).or_else(|| own(self.gym().language())).or_else(first);
        found.unwrap_or_default().to_owned()
    }

    /// What was typed in a field of a refused form.
    pub(super) fn typed(&self, name: &str) -> &str {
        self.form.as_ref().map_or("", |form| form.typed(name))
    }

    /// Why a field was refused.
    pub(super) fn refusal_of(&self, name: &str) -> Option<String> {
        let problem = &self.form.as_ref()?.problem;
        (problem.named_field() == name).then(|| self.strings.refusal(problem))
    }

    /// Why a form was refused, where no field of it is to blame.
    pub(super) fn refusal_of_none(&self) -> Option<String> {
        const FIELDS: &[&str] = &["firstName", "lastName", "email", "phone", "message", "code"];
        let problem = &self.form.as_ref()?.problem;
        (!FIELDS.contains(&problem.named_field())).then(|| self.strings.refused(problem))
    }

    /// Whether strangers can sign up.
    pub(super) fn is_open(&self) -> bool {
        self.gym().sign_up_policy() != "closed"
    }

    /// The path of the page below the site's.
    pub(super) fn path(&self) -> &str {
        // Addresses are read in either case.
        let rest = self.place.path.get(self.base.len()..).unwrap_or_default();
        rest.trim_end_matches('/')
    }

    /// The path of this page, in no language.
    pub(super) fn out_path(&self) -> String {
        below(&self.base, self.path())
    }

    /// The whole address of a page of the site, for search engines.
    pub(super) fn absolute(&self, path: &str) -> String {
        format!("{}{}", self.state.env.address.trim_end_matches('/'), below(&self.base, path))
    }
}

/// The path of a page below a base: the first page of a site is at `/` or at its base.
fn below(base: &str, path: &str) -> String {
    match (base, path) {
        ("", "") => "/".to_owned(),
        (base, path) => format!("{base}{path}"),
    }
}
