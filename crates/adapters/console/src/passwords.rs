//! Passwords: the first one by an invitation, a new one by a mailed link, and requesting the link.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State as Given,
    http::{Request, Response, StatusCode, header},
};
use maud::{Markup, html};
use spotter_html::page::branded;
use spotter_http::{State, passwords};
use spotter_kernel::{
    Key, Problem, Result, Rule,
    secret::{Credential, CredentialKind},
    text::Email,
};
use spotter_people::identity::accounts::Password;

use crate::{
    act::safe,
    display::language,
    forms::SubmittedForm,
    parts::{outside, problem, stopped},
    session::{self},
    words::Strings,
};

/// Where a password is set; mail leads here.
pub(crate) const SET: &str = "/set-password";
/// The address of the page on which a first password is set, and which leads on to another.
pub(crate) fn address(token: &str, then: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("token", token).append_pair("then", then);
    format!("{SET}?{}", query.finish())
}

/// Where an address to sign in with is confirmed; mail leads here.
pub(crate) const CONFIRM: &str = "/confirm-address";
/// Path of the request for a new password.
pub(crate) const FORGOT: &str = "/forgot-password";

fn query(request: &Request<Body>, name: &str) -> String {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(own, _)| own == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// What a link brings, if it can be one of ours.
fn token(text: &str) -> Option<Credential> {
    [CredentialKind::Invitation, CredentialKind::PasswordReset]
        .into_iter()
        .find_map(|kind| Credential::parse(kind, text))
}

fn alert(wrong: Option<&str>) -> Markup {
    html! { @if let Some(wrong) = wrong { div.summary role="alert" { p { (wrong) } } } }
}

fn over(t: Strings) -> Response<Body> {
    stopped(t, StatusCode::NOT_FOUND, t.link_is_over())
}

/// A link that sets a password, and where it leads afterwards; empty where its person signs in by themselves.
#[derive(Clone, Copy)]
struct PasswordLink<'l> {
    token: &'l str,
    then: &'l str,
}

async fn set_page(
    state: &State,
    t: Strings,
    PasswordLink { token, then }: PasswordLink<'_>,
    wrong: Option<&str>,
    status: StatusCode,
) -> Response<Body> {
    let main = html! {
        (alert(wrong))
        form method="post" action=(SET) {
            input type="hidden" name="token" value=(token);
            @if !then.is_empty() { input type="hidden" name="then" value=(then); }
            div.field {
                label for="password" { (t.password()) }
                p.help #password-help { (t.password_help()) }
                input #password
                    type="password"
                    name="password"
                    required
                    minlength="10"
                    maxlength="200"
                    autocomplete="new-password"
                    aria-describedby="password-help"
                    aria-invalid=[wrong.map(|_| "true")]
                    autofocus;
            }
            button type="submit" { (t.set_password()) }
        }
    };
    let brand = session::brand(state).await;
    branded(&brand, t, status, t.set_password_title(), wrong.is_some(), main)
}

/// Shows the page that a link in a mail leads to.
pub(crate) async fn show_set(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    if let Err(refused) = state.count_address(&request) {
        return problem(t, &refused);
    }
    let (text, then) = (query(&request, "token"), query(&request, "then"));
    let link = PasswordLink { token: &text, then: &then };
    match token(&text) {
        Some(token) => match passwords::is_open(&state, token).await {
            Ok(true) => set_page(&state, t, link, None, StatusCode::OK).await,
            Ok(false) => over(t),
            Err(refused) => problem(t, &refused),
        },
        None => stopped(t, StatusCode::NOT_FOUND, t.link_not_whole()),
    }
}

/// Sets the password.
pub(crate) async fn set(
    Given(state): Given<Arc<State>>,
    SubmittedForm { form, request_id, headers, .. }: SubmittedForm,
) -> Response<Body> {
    let t = language(&headers);
    let link = PasswordLink { token: form.one("token"), then: form.one("then") };
    let Some(token) = token(link.token) else { return over(t) };
    let Some(password) = Password::parse(form.one("password")) else {
        let wrong = Some(t.password_length());
        return set_page(&state, t, link, wrong, StatusCode::BAD_REQUEST).await;
    };
    if token.kind == CredentialKind::Invitation && !link.then.is_empty() {
        let browser = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        let browser = browser.unwrap_or_default().to_owned();
        let opened =
            passwords::accept_in_browser(&state, &request_id, token, password, browser).await;
        return match opened {
            Ok(session) => session::continue_to(&state, safe(link.then), &session, false),
            Err(refused) if refused.status == 400 => over(t),
            Err(refused) => problem(t, &refused),
        };
    }
    let done = match token.kind {
        CredentialKind::Invitation => {
            passwords::accept(&state, &request_id, token, password).await.map(drop)
        }
        _ => passwords::reset(&state, &request_id, token, password).await,
    };
    match done {
        Ok(()) => {
            let main = html! {
                p { (t.password_is_set_means()) }
                p { a.button href=(session::SIGN_IN) { (t.sign_in()) } }
            };
            outside(t, StatusCode::OK, t.password_is_set(), false, main)
        }
        Err(refused) if refused.status == 400 => over(t),
        Err(refused) => problem(t, &refused),
    }
}

fn confirm_page(
    t: Strings,
    token: &str,
    wrong: Option<&str>,
    status: StatusCode,
) -> Response<Body> {
    let main = html! {
        (alert(wrong))
        p { (t.confirm_address_means()) }
        form method="post" action=(CONFIRM) {
            input type="hidden" name="token" value=(token);
            div.field {
                label for="password" { (t.password()) }
                input #password
                    type="password"
                    name="password"
                    required
                    maxlength="200"
                    autocomplete="current-password"
                    aria-invalid=[wrong.map(|_| "true")]
                    autofocus;
            }
            button type="submit" { (t.confirm_address()) }
        }
    };
    outside(t, status, t.confirm_address(), wrong.is_some(), main)
}

/// Shows the page on which an address to sign in with is confirmed.
pub(crate) async fn show_confirm(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    if let Err(refused) = state.count_address(&request) {
        return problem(t, &refused);
    }
    let text = query(&request, "token");
    match Credential::parse(CredentialKind::AddressConfirmation, &text) {
        Some(token) => match passwords::is_open(&state, token).await {
            Ok(true) => confirm_page(t, &text, None, StatusCode::OK),
            Ok(false) => over(t),
            Err(refused) => problem(t, &refused),
        },
        None => stopped(t, StatusCode::NOT_FOUND, t.link_not_whole()),
    }
}

/// Confirms the address.
pub(crate) async fn confirm(
    Given(state): Given<Arc<State>>,
    SubmittedForm { form, request_id, headers, .. }: SubmittedForm,
) -> Response<Body> {
    let (t, text) = (language(&headers), form.one("token"));
    let Some(token) = Credential::parse(CredentialKind::AddressConfirmation, text) else {
        return over(t);
    };
    let password = Password::new(form.one("password").to_owned());
    match passwords::confirm(&state, &request_id, token, password).await {
        Ok(()) => {
            let main = html! {
                p { (t.address_is_confirmed_means()) }
                p { a.button href=(session::SIGN_IN) { (t.sign_in()) } }
            };
            outside(t, StatusCode::OK, t.address_is_confirmed(), false, main)
        }
        Err(refused) if refused.names("password") => {
            confirm_page(t, text, Some(t.wrong_password()), StatusCode::BAD_REQUEST)
        }
        Err(refused) if matches!(refused.status, 400 | 409) => over(t),
        Err(refused) => problem(t, &refused),
    }
}

fn forgot_page(t: Strings, email: &str, wrong: Option<&str>, status: StatusCode) -> Response<Body> {
    let main = html! {
        (alert(wrong))
        form method="post" action=(FORGOT) {
            div.field {
                label for="email" { (t.email()) }
                input #email
                    type="email"
                    name="email"
                    value=(email)
                    required
                    autocomplete="username"
                    autofocus;
            }
            button type="submit" { (t.send_link()) }
        }
    };
    outside(t, status, t.new_password(), wrong.is_some(), main)
}

/// Shows the page that requests a new password.
pub(crate) async fn show_forgot(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    match state.count_address(&request) {
        Ok(_) if state.env.mail_links.is_none() => stopped(t, StatusCode::NOT_FOUND, t.no_mail()),
        Ok(_) => forgot_page(t, "", None, StatusCode::OK),
        Err(refused) => problem(t, &refused),
    }
}

/// Mails a link to the owner of an address.
pub(crate) async fn forget(
    Given(state): Given<Arc<State>>,
    SubmittedForm { form, from, request_id, headers }: SubmittedForm,
) -> Response<Body> {
    let (t, typed) = (language(&headers), form.one("email").trim().to_owned());
    if state.env.mail_links.is_none() {
        return stopped(t, StatusCode::NOT_FOUND, t.no_mail());
    }
    match mail_link(&state, &request_id, from, &typed).await {
        Ok(()) => {
            let main = html! {
                p { bdi { strong { (typed) } } }
                p { (t.link_is_on_its_way()) }
                p.quiet { (t.no_link_came()) }
            };
            outside(t, StatusCode::OK, t.look_into_mail(), false, main)
        }
        Err(refused) if refused.status < 500 => {
            let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
            forgot_page(t, &typed, Some(&t.refusal(&refused)), status)
        }
        Err(refused) => problem(t, &refused),
    }
}

async fn mail_link(
    state: &Arc<State>,
    request_id: &spotter_http::RequestId,
    from: std::net::IpAddr,
    typed: &str,
) -> Result<()> {
    let email =
        Email::parse(typed).ok_or_else(|| Problem::because(Key::RequestInvalid, Rule::NotEmail))?;
    passwords::forgot(state, request_id, from, email).await
}
