//! The setup of an installation: its operator opens a link that the program printed, and creates the first company.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State as Given,
    http::{Request, Response, StatusCode, header},
};
use maud::html;
use spotter_contract::{Actor, Caller, Env, Write};
use spotter_http::{State, passwords::hashed, write};
use spotter_kernel::{Problem, Result, secret::Credential};
use spotter_people::{
    founding,
    identity::{
        accounts::{Password, Subject},
        browsers,
    },
};
use spotter_store::Tx;

use crate::{
    company_form,
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
            @let label = field.and_then(|field| company_form::label(t, field));
            div.summary role="alert" {
                p { @if let Some(label) = label { b { (label) } ": " } (t.refusal(wrong)) }
            }
        }
        form method="post" action=(SET_UP) {
            input type="hidden" name="key" value=(form.one("key"));
            (company_form::fields(t, form, field))
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
    let (company, admin) = company_form::read(form)?;
    let password = Password::parse(form.one("password"))
        .ok_or_else(|| Problem::invalid("password", Password::RULE))?;
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
