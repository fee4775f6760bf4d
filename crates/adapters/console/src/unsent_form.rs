//! Entered values that survive the end of a session: shown again after the same person signed in. Not for operations
//! that require the password, and not for secrets.

use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use spotter_contract::vault;
use spotter_http::State;
use spotter_kernel::{id::CompanyId, secret::base64url};

use crate::{
    act::safe, edited_fields, forms::FormData, page_context::allowed_operation, words::Strings,
};

/// The field of the sign-in that it goes along in.
pub(crate) const FIELD: &str = "unsent";
/// The longest, in bytes.
const LENGTH_MAX: usize = 60_000;

/// A form that was not sent.
#[derive(Serialize, Deserialize)]
pub(crate) struct UnsentForm {
    /// The page of the form.
    at: String,
    fields: Vec<(String, String)>,
}

/// The field with its owner.
pub(crate) const WHOSE: &str = "-whose";

/// Whether an operation has no secrets and requires no password.
fn is_plain(state: &State, operation: &str) -> bool {
    allowed_operation(state, operation)
        .is_ok_and(|found| !found.needs_reauthentication() && !found.is_secret())
}

/// The owner of a form, by company and address.
pub(crate) fn whose(company: CompanyId, email: &str) -> String {
    let text = format!("whose {company} {}", email.trim().to_lowercase());
    base64url(&vault::digest_of(text.as_bytes())).chars().take(16).collect()
}

impl UnsentForm {
    /// The entered values without secrets; nothing without values.
    pub(crate) fn of(state: &State, form: &FormData, at: String) -> Option<String> {
        if !is_plain(state, form.one("-do")) {
            return None;
        }
        let is_secret = |name: &str| name == "-csrf" || name.to_lowercase().contains("password");
        let fields: Vec<_> = form
            .pairs()
            .filter(|(name, _)| !is_secret(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let own = Self { at, fields };
        let text = serde_json::to_string(&own).ok()?;
        (own.is_filled_in() && text.len() <= LENGTH_MAX).then_some(text)
    }

    /// The value of a field; empty where there is none.
    fn one(&self, name: &str) -> &str {
        let found = self.fields.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Whether anything was typed.
    fn is_filled_in(&self) -> bool {
        self.fields.iter().any(|(name, value)| !name.starts_with('-') && !value.is_empty())
    }

    /// The entered values for a sign-in, if they belong to this person.
    pub(crate) fn read(state: &State, form: &FormData, whose: &str) -> Option<Self> {
        let own: Self = serde_json::from_str(form.one(FIELD)).ok()?;
        let theirs = own.one(WHOSE) == whose && is_plain(state, own.one("-do"));
        (theirs && own.is_filled_in()).then_some(own)
    }

    /// The form again, to be submitted after signing in.
    pub(crate) fn resend_form(&self, t: Strings, csrf: &str) -> Markup {
        let was: Vec<(String, String)> =
            serde_json::from_str(self.one(edited_fields::FIELD)).unwrap_or_default();
        let typed = self.fields.iter().filter(|field| {
            !field.0.starts_with('-') && !field.1.is_empty() && !was.contains(field)
        });
        let at = safe(&self.at);
        html! {
            p { (t.unsent_means()) }
            @for (name, value) in typed {
                @let label = t.field(name.split(':').next().unwrap_or_default());
                // Without a label the name is enough.
                p { @if !name.ends_with(label) { span.quiet { (label) } br; } (value) }
            }
            form method="post" action=(at) {
                @for (name, value) in &self.fields {
                    input type="hidden" name=(name) value=(value);
                }
                input type="hidden" name="-csrf" value=(csrf);
                button type="submit" { (t.send()) }
            }
            p { a href=(at) { (t.discard()) } }
        }
    }
}
