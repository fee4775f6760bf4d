//! The setup of an installation: its operator opens a link that the program printed, and creates the first company.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State as Given,
    http::{Request, Response, StatusCode, header},
};
use maud::html;
use spotter_company::company::NewCompany;
use spotter_contract::{Actor, Caller, Env, Role, Write};
use spotter_http::{State, passwords::hashed, write};
use spotter_kernel::{
    Locale, Phrase, Problem, Result, Rule, TimeZone,
    money::Currency,
    secret::Credential,
    text::{Email, Language, Name},
};
use spotter_people::{
    coaches::NewCoach,
    founding,
    identity::{
        accounts::{Password, Subject},
        browsers,
    },
};
use spotter_store::Tx;

use crate::{
    forms::{FormData, SubmittedForm},
    parts::{self, outside},
    session,
    words::Strings,
};

/// Where an installation is set up.
pub(crate) const SET_UP: &str = "/set-up";

/// The link by which an installation is set up that has no company yet.
pub fn set_up_link(env: &Env) -> Result<String> {
    Ok(format!("{}{SET_UP}?key={}", env.address, founding::key(env)?))
}

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

fn page(
    t: Strings,
    form: &FormData,
    wrong: Option<&Problem>,
    status: StatusCode,
) -> Response<Body> {
    let field = wrong.and_then(|wrong| wrong.details.as_ref()?["field"].as_str());
    let main = html! {
        p { (t.set_up_means()) }
        @if let Some(wrong) = wrong {
            @let label = FIELDS
                .iter()
                .find(|(name, ..)| field == Some(name))
                .map(|(_, label, ..)| label(t));
            div.summary role="alert" {
                p { @if let Some(label) = label { b { (label) } ": " } (t.refusal(wrong)) }
            }
        }
        form method="post" action=(SET_UP) {
            input type="hidden" name="key" value=(form.one("key"));
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
            div.field {
                label for="password" { (t.password()) }
                p.help { (t.password_help()) }
                input #password
                    type="password"
                    name="password"
                    required
                    minlength="10"
                    maxlength="200"
                    autocomplete="new-password"
                    aria-invalid=[(field == Some("password")).then_some("true")];
            }
            button type="submit" { (t.set_up()) }
        }
    };
    outside(t, status, t.set_up_title(), wrong.is_some(), main)
}

/// Choices of a field whose codes nobody should need to know.
fn offered(field: &str) -> Option<Vec<String>> {
    match field {
        "timeZone" => Some(TimeZone::names()),
        "currency" => Some(Currency::codes().map(str::to_owned).collect()),
        _ => None,
    }
}

/// Whether the page is open for this key.
async fn is_open(state: &Arc<State>, key: &str) -> Result<bool> {
    if !founding::is_key(&state.env, key)? {
        return Ok(false);
    }
    state.db.read(|tx: &mut Tx<'_>| founding::is_open(tx)).await
}

fn over(t: Strings) -> Response<Body> {
    let main =
        html! { p { (t.set_up_over()) } p { a.button href=(session::SIGN_IN) { (t.sign_in()) } } };
    outside(t, StatusCode::NOT_FOUND, t.not_there(), false, main)
}

/// Shows the page.
pub(crate) async fn show(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = crate::display::language(request.headers());
    if let Err(refused) = state.count_address(&request) {
        return parts::problem(t, &refused);
    }
    let form = FormData::from_query(request.uri().query().unwrap_or_default());
    match is_open(&state, form.one("key")).await {
        Ok(true) => page(t, &form, None, StatusCode::OK),
        Ok(false) => over(t),
        Err(problem) => parts::problem(t, &problem),
    }
}

/// Sets the installation up.
pub(crate) async fn set_up(Given(state): Given<Arc<State>>, sent: SubmittedForm) -> Response<Body> {
    let t = crate::display::language(&sent.headers);
    match is_open(&state, sent.form.one("key")).await {
        Ok(true) => {}
        Ok(false) => return over(t),
        Err(problem) => return parts::problem(t, &problem),
    }
    match found(&state, &sent).await {
        Ok(token) => session::continue_to(&state, "/console", &token, false),
        Err(problem) if problem.status < 500 => {
            page(t, &sent.form, Some(&problem), StatusCode::UNPROCESSABLE_ENTITY)
        }
        Err(problem) => parts::problem(t, &problem),
    }
}

async fn found(state: &Arc<State>, sent: &SubmittedForm) -> Result<Credential> {
    let form = &sent.form;
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
    let password = Password::parse(form.one("password"))
        .ok_or_else(|| wrong("password", Password::RULE.into()))?;
    let hash = hashed(state, password).await?;
    let (env, request_id) = (state.env.clone(), sent.request_id.clone());
    let found = move |tx: &mut Tx<'_>| {
        let (company, admin) = (company.clone(), admin.clone());
        founding::found(tx, &env, request_id.as_str(), company, admin, &hash)
    };
    let (company, coach) = state.db.write(found).await?;
    let browser = sent.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let browser = browser.unwrap_or_default().to_owned();
    let caller = Caller::new(company, Actor::System);
    let open =
        move |cx: &mut Write<'_, '_>| browsers::open(cx, Subject::Coach, coach, &browser, false);
    write(state, caller, "login", &[], &sent.request_id, open).await
}
