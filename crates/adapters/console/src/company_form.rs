//! The form of a new company and its first admin, where an installation is set up and on the operator's page.

use maud::{Markup, html};
use spotter_company::company::NewCompany;
use spotter_contract::Role;
use spotter_kernel::{
    Locale, Phrase, Problem, Result, Rule, TimeZone,
    money::Currency,
    text::{Email, Language, Name},
};
use spotter_people::coaches::NewCoach;

use crate::{forms::FormData, words::Strings};

/// A field of the page: its name, label, autocomplete token and initial value.
type Field = (&'static str, fn(Strings) -> &'static str, &'static str, &'static str);

const FIELDS: &[Field] = &[
    ("name", |say| say.business_name(), "organization", ""),
    ("firstName", |say| say.first_name(), "given-name", ""),
    ("lastName", |say| say.last_name(), "family-name", ""),
    ("email", |say| say.email(), "username", ""),
    ("timeZone", |say| say.time_zone(), "off", "Europe/Amsterdam"),
    ("currency", |say| say.currency(), "off", "EUR"),
];

/// The label of a field.
pub(crate) fn label(t: Strings, field: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(name, ..)| *name == field).map(|(_, label, ..)| label(t))
}

/// The fields as they were filled in, one of which may be wrong.
pub(crate) fn fields(t: Strings, form: &FormData, field: Option<&str>) -> Markup {
    html! {
        @for (name, label, complete, first) in FIELDS {
            @let typed = form.one(name);
            div.field {
                label for=(name) { (label(t)) }
                @if let Some(offered) = offered(name) {
                    @let chosen = if typed.is_empty() { *first } else { typed };
                    select
                        id=(name)
                        name=(name)
                        required
                        aria-invalid=[(field == Some(name)).then_some("true")]
                    {
                        @for own in offered {
                            option value=(own) selected[own == chosen] { (own) }
                        }
                    }
                } @else {
                    input
                        id=(name)
                        type=(if *name == "email" { "email" } else { "text" })
                        name=(name)
                        required
                        autocomplete=(complete)
                        value=(if typed.is_empty() { first } else { typed })
                        aria-invalid=[(field == Some(name)).then_some("true")];
                }
            }
        }
        div.field {
            label for="language" { (t.language()) }
            select #language name="language" {
                @for language in Locale::ALL {
                    option value=(language.code()) selected[language == t.0] {
                        (language.name())
                    }
                }
            }
        }
    }
}

/// The choices of a field with codes.
fn offered(field: &str) -> Option<Vec<String>> {
    match field {
        "timeZone" => Some(TimeZone::names()),
        "currency" => Some(Currency::codes().map(str::to_owned).collect()),
        _ => None,
    }
}

/// What was filled in.
pub(crate) fn read(form: &FormData) -> Result<(NewCompany, NewCoach)> {
    let wrong = |field: &str, rule: Phrase| Problem::invalid(field, rule);
    let name = |field: &'static str| {
        Name::<80>::parse(form.one(field)).map_err(|(_, rule)| wrong(field, rule.into()))
    };
    let company = NewCompany {
        name: Name::<120>::parse(form.one("name"))
            .map_err(|(_, rule)| wrong("name", rule.into()))?,
        time_zone: TimeZone::parse(form.one("timeZone").trim())
            .ok_or_else(|| wrong("timeZone", Rule::NotTimeZone.into()))?,
        currency: Currency::parse(form.one("currency").trim())
            .ok_or_else(|| wrong("currency", Rule::NotCurrency.into()))?,
        language: Language::parse(form.one("language"))
            .ok_or_else(|| wrong("language", Rule::NotLanguage.into()))?,
        country: None,
    };
    let admin = NewCoach {
        first_name: name("firstName")?,
        last_name: name("lastName")?,
        email: Email::parse(form.one("email").trim())
            .ok_or_else(|| wrong("email", Rule::NotEmail.into()))?,
        role: Role::Admin,
    };
    Ok((company, admin))
}
