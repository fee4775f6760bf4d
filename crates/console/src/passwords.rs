//! Setting a password: the first one with an invitation, a new one with what was mailed, and asking for
//! that.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State as Given,
    http::{Request, Response, StatusCode},
};
use maud::{Markup, html};
use spotter_core::access::accounts::Password;
use spotter_http::{State, passwords};
use spotter_kernel::{
    Key, Problem, Result,
    secret::{Credential, CredentialKind},
    text::Email,
};

use crate::{
    forms::Sent,
    parts::{page, problem, stopped},
    session,
};

/// Where a password is set; mail leads here.
pub(crate) const SET: &str = "/set-password";
/// Where a new password is asked for.
pub(crate) const FORGOT: &str = "/forgot-password";

const NO_MAIL: &str =
    "No mail is sent from here. Ask the business for a link that sets a new password.";
const OVER: &str = "This link is over: it was used, or its time has passed. Ask for another one.";

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
    html! { @if let Some(wrong) = wrong { p.wrong role="alert" { (wrong) } } }
}

fn set_page(token: &str, wrong: Option<&str>, status: StatusCode) -> Response<Body> {
    let main = html! {
        h1 { "Set your password" }
        (alert(wrong))
        form method="post" action=(SET) {
            input type="hidden" name="token" value=(token);
            label {
                "Password"
                input type="password" name="password" required minlength="10" maxlength="200" autocomplete="new-password" autofocus;
            }
            p.quiet { "At least 10 characters. Several words are easier to remember than odd characters." }
            button type="submit" { "Set password" }
        }
    };
    page(status, "Set your password", "", main)
}

/// Shows the page that a link in a mail leads to.
pub(crate) async fn show_set(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    if let Err(refused) = state.count_address(&request) {
        return problem(&refused);
    }
    let text = query(&request, "token");
    match token(&text) {
        Some(token) => match passwords::is_open(&state, token).await {
            Ok(true) => set_page(&text, None, StatusCode::OK),
            Ok(false) => stopped(StatusCode::NOT_FOUND, OVER),
            Err(refused) => problem(&refused),
        },
        None => {
            stopped(StatusCode::NOT_FOUND, "This link is not whole. Copy all of it from the mail.")
        }
    }
}

/// Sets the password.
pub(crate) async fn set(Given(state): Given<Arc<State>>, request: Request<Body>) -> Response<Body> {
    let Sent { form, request_id, .. } = match Sent::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let Some(token) = token(form.one("token")) else {
        return stopped(StatusCode::NOT_FOUND, OVER);
    };
    let Some(password) = Password::parse(form.one("password")) else {
        let wrong = "The password must have 10 to 200 characters.";
        return set_page(form.one("token"), Some(wrong), StatusCode::BAD_REQUEST);
    };
    let done = match token.kind {
        CredentialKind::Invitation => {
            passwords::accept(&state, &request_id, token, password).await.map(drop)
        }
        _ => passwords::reset(&state, &request_id, token, password).await,
    };
    match done {
        Ok(()) => page(
            StatusCode::OK,
            "Your password is set",
            "",
            html! {
                h1 { "Your password is set" }
                p { "You can sign in with your e-mail address and this password." }
                p { a href=(session::SIGN_IN) { "Sign in" } }
            },
        ),
        Err(refused) if refused.status == 400 => stopped(StatusCode::NOT_FOUND, OVER),
        Err(refused) => problem(&refused),
    }
}

fn forgot_page(email: &str, wrong: Option<&str>, status: StatusCode) -> Response<Body> {
    let main = html! {
        h1 { "A new password" }
        (alert(wrong))
        form method="post" action=(FORGOT) {
            label {
                "E-mail"
                input type="email" name="email" value=(email) required autocomplete="username" autofocus;
            }
            button type="submit" { "Send me a link" }
        }
    };
    page(status, "A new password", "", main)
}

/// Shows the page on which a new password is asked for.
pub(crate) async fn show_forgot(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    match state.count_address(&request) {
        Ok(_) if state.env.mail_links.is_none() => stopped(StatusCode::NOT_FOUND, NO_MAIL),
        Ok(_) => forgot_page("", None, StatusCode::OK),
        Err(refused) => problem(&refused),
    }
}

/// Has a link mailed to whoever has this address.
pub(crate) async fn forget(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let Sent { form, from, request_id, .. } = match Sent::take(&state, request).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let typed = form.one("email").trim().to_owned();
    if state.env.mail_links.is_none() {
        return stopped(StatusCode::NOT_FOUND, NO_MAIL);
    }
    match mail_link(&state, &request_id, from, &typed).await {
        Ok(()) => page(
            StatusCode::OK,
            "Look into your mail",
            "",
            html! {
                h1 { "Look into your mail" }
                p { "If " strong { bdi { (typed) } } " has an account here, a link is on its way. It is good for one hour." }
                p.quiet { "Nothing there after some minutes? Look into the folder for unwanted mail, or ask the business." }
            },
        ),
        Err(refused) if refused.status < 500 => {
            let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
            forgot_page(&typed, Some(&refused.message), status)
        }
        Err(refused) => problem(&refused),
    }
}

async fn mail_link(
    state: &Arc<State>,
    request_id: &spotter_http::RequestId,
    from: std::net::IpAddr,
    typed: &str,
) -> Result<()> {
    let email = Email::parse(typed)
        .ok_or_else(|| Problem::because(Key::RequestInvalid, "This is no e-mail address."))?;
    passwords::forgot(state, request_id, from, email).await
}
