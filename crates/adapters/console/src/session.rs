//! Signing in to the pages and out of them, and what a browser keeps: the cookie of its session, and how its person wants
//! the pages to look.

use std::sync::Arc;

use crate::{
    act::{safe, signed_in},
    cookies,
    display::{self, language},
    done::Done,
    forms::{self, SubmittedForm},
    page_context::{is_own, new_csrf},
    parts::{self, outside, test_notice::test_notice},
    sign_in::{self, SignIn},
    unsent_form::{self, UnsentForm},
    words::{Locale, Strings},
};
use axum::{
    body::Body,
    extract::State as Given,
    http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header},
};
use maud::{Markup, html};
use spotter_company::site;
use spotter_contract::{Actor, Caller, Success, Write, vault};
use spotter_html::page::{Brand, branded};
use spotter_http::{RequestId, State, write};
use spotter_kernel::{
    Key, Result,
    secret::{Credential, CredentialKind, EnvironmentMode, base64url},
};
use spotter_people::identity::{
    accounts::Account,
    browsers::{self, BrowserSession, SignedInPerson},
};
use spotter_store::Tx;

/// Where people sign in.
pub(crate) const SIGN_IN: &str = "/sign-in";
/// Where they sign out.
pub(crate) const SIGN_OUT: &str = "/sign-out";
/// Path of live updates.
pub(crate) const EVENTS: &str = "/console/events";
/// Where they say how pages are to look.
pub(crate) const DISPLAY: &str = "/console/display";

const KNOWN_COOKIE: &str = "spotter_known";
const DONE_COOKIE: &str = "spotter_done";
/// How long a browser keeps how pages are to look, in seconds.
const DISPLAY_SECONDS: i64 = 365 * 86_400;

fn is_secure(state: &State) -> bool {
    state.env.address.starts_with("https")
}

/// The name of the session's cookie: over TLS one that no other host can have set (RFC 6265bis, section 4.1.3). A
/// browser can be signed in to a test environment, too.
fn cookie_name(state: &State) -> &'static str {
    match (state.env.mode, is_secure(state)) {
        (EnvironmentMode::Live, true) => "__Host-spotter",
        (EnvironmentMode::Live, false) => "spotter",
        (EnvironmentMode::Test, true) => "__Host-spotter-test",
        (EnvironmentMode::Test, false) => "spotter_test",
    }
}

fn set_cookie(
    state: &State,
    response: &mut Response<Body>,
    name: &str,
    value: &str,
    seconds: Option<i64>,
) {
    let secure = if is_secure(state) { "; Secure" } else { "" };
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    // Lax, so that links in mail keep the session.
    let cookie = format!("{name}={value}; Path=/{age}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// What a browser's cookie holds, if it can be one of ours.
pub(crate) fn token(state: &State, headers: &HeaderMap) -> Option<Credential> {
    let text = cookies::cookie(headers, cookie_name(state))?;
    Credential::parse(CredentialKind::BrowserSession, &text)
}

/// The act completed on the previous page, if any.
pub(crate) fn done(headers: &HeaderMap) -> Option<Done> {
    Done::parse(&cookies::cookie(headers, DONE_COOKIE)?)
}

/// On to another page.
pub(crate) fn redirect(address: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    if let Ok(address) = HeaderValue::from_str(address) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Redirects to the next page with a message.
pub(crate) fn redirect_with_message(state: &State, address: &str, done: &Done) -> Response<Body> {
    let mut response = redirect(address);
    set_cookie(state, &mut response, DONE_COOKIE, &done.to_cookie(), Some(60));
    response
}

/// Removes the message after it was shown.
pub(crate) fn forget_done(state: &State, response: &mut Response<Body>) {
    set_cookie(state, response, DONE_COOKIE, "", Some(0));
}

/// Extends the cookie, if the person chose to stay signed in.
pub(crate) fn extend_cookie(
    state: &State,
    response: &mut Response<Body>,
    person: &SignedInPerson,
    token: &Credential,
) {
    if let Some(seconds) = person.session.cookie_seconds() {
        set_cookie(state, response, cookie_name(state), token.expose(), Some(seconds));
    }
}

/// To where people sign in, and back from there.
pub(crate) fn go_sign_in(state: &State, then: &str) -> Response<Body> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("then", then);
    let mut response = redirect(&format!("{SIGN_IN}?{}", query.finish()));
    set_cookie(state, &mut response, cookie_name(state), "", Some(0));
    response
}

/// To where people sign in, with what they had typed; it is sent once they have.
pub(crate) async fn sign_in_first(
    state: &State,
    sent: &SubmittedForm,
    then: String,
) -> Response<Body> {
    let Some(unsent) = UnsentForm::of(state, &sent.form, then.clone()) else {
        return go_sign_in(state, &then);
    };
    let t = language(&sent.headers);
    let way = SignInContext { then: &then, remembered: false, unsent: &unsent };
    let mut response =
        sign_in_page(state, t, &SignIn::default(), way, StatusCode::UNAUTHORIZED).await;
    set_cookie(state, &mut response, cookie_name(state), "", Some(0));
    response
}

/// What goes along with a sign-in.
struct SignInContext<'w> {
    /// Where it leads.
    then: &'w str,
    /// Whether its person is to stay signed in.
    remembered: bool,
    /// What they had typed before.
    unsent: &'w str,
}

/// Whose installation it is, where it is that of one company.
pub(crate) async fn brand(state: &State) -> Brand {
    let found = state.db.read(|tx: &mut Tx<'_>| site::only_face(tx)).await;
    match found {
        Ok(Some(face)) => Brand { name: face.name, logo: face.logo, color: face.accent_color },
        _ => Brand::default(),
    }
}

async fn sign_in_page(
    state: &State,
    t: Strings,
    entered: &SignIn,
    SignInContext { then, remembered, unsent }: SignInContext<'_>,
    status: StatusCode,
) -> Response<Body> {
    // Without mail, managers hand out links.
    let may_forget = state.env.mail_links.is_some() && state.env.mode == EnvironmentMode::Live;
    let has_code = entered.ticket.is_some();
    let main = html! {
        (test_notice(state, t, html! {}))
        @if !unsent.is_empty() && entered.wrong.is_none() {
            div.notice role="status" { (t.unsent_is_kept()) }
        }
        @if let Some(wrong) = &entered.wrong { div.summary role="alert" { p { (wrong) } } }
        form method="post" action=(SIGN_IN) {
            input type="hidden" name="then" value=(then);
            @if !unsent.is_empty() { input type="hidden" name=(unsent_form::FIELD) value=(unsent); }
            (sign_in::fields(t, entered))
            @if has_code {
                @if remembered { input type="hidden" name="remember" value="true"; }
            } @else {
                label.check.field {
                    input type="checkbox" name="remember" value="true" checked[remembered];
                    (t.stay_signed_in())
                }
            }
            button type="submit" { (t.sign_in()) }
        }
        @if has_code {
            p { a href=(SIGN_IN) { (t.back()) } }
        } @else if may_forget {
            p { a href="/forgot-password" { (t.forgot()) } }
        }
    };
    let title = if has_code { t.second_step() } else { t.sign_in() };
    branded(&brand(state).await, t, status, title, entered.wrong.is_some(), main)
}

/// Shows the sign-in page; signed-in people are redirected.
pub(crate) async fn show(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    if let Err(refused) = state.count_address(&request) {
        return parts::problem(t, &refused);
    }
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let then = pairs.find(|(name, _)| name == "then").map(|(_, then)| then.into_owned());
    let then = then.unwrap_or_default();
    if let Some(token) = token(&state, request.headers())
        && signed_in(&state, &token).await.is_ok()
    {
        return redirect(safe(&then));
    }
    let way = SignInContext { then: &then, remembered: false, unsent: "" };
    sign_in_page(&state, t, &SignIn::default(), way, StatusCode::OK).await
}

/// For how long a browser is known to an account, in seconds: a year.
const KNOWN_SECONDS: i64 = 365 * 86_400;

/// What a browser is known by that has signed in to an account: a digest of the address, and until when.
fn account_mark(email: &str) -> String {
    base64url(&vault::digest_of(format!("known {}", email.trim().to_lowercase()).as_bytes()))
}

/// Has a browser remember that the password of an account was typed in it rightly.
fn know_browser(state: &State, response: &mut Response<Body>, email: &str) {
    if email.is_empty() {
        return;
    }
    let until = state.env.clock.now().plus_seconds(KNOWN_SECONDS).seconds();
    let text = format!("{}:{until}", account_mark(email));
    if let Ok(signed) = state.env.vault.signed(&known_purpose(state), &text) {
        set_cookie(state, response, KNOWN_COOKIE, &signed, Some(KNOWN_SECONDS));
    }
}

/// What those marks are signed for: a test environment, where anybody may be made, has its own.
fn known_purpose(state: &State) -> String {
    format!("{}{KNOWN_COOKIE}", state.env.mode.mark())
}

/// Whether a browser shows that it signed in to an account before.
fn is_known_browser(state: &State, headers: &HeaderMap, email: &str) -> bool {
    let shown = || {
        let signed = cookies::cookie(headers, KNOWN_COOKIE)?;
        let text = state.env.vault.verified(&known_purpose(state), &signed)?;
        let (account, until) = text.split_once(':')?;
        let is_open = until.parse::<i64>().ok()? > state.env.clock.now().seconds();
        Some(is_open && account == account_mark(email))
    };
    shown().unwrap_or(false)
}

/// Signs a person in.
pub(crate) async fn sign_in(
    Given(state): Given<Arc<State>>,
    sent: SubmittedForm,
) -> Response<Body> {
    let t = language(&sent.headers);
    let remembered = sent.form.one("remember") == "true";
    match open_session(&state, &sent, remembered).await {
        Ok((token, account)) => {
            let whose = unsent_form::whose(account.company_id, &account.email);
            let mut response = match UnsentForm::read(&state, &sent.form, &whose) {
                Some(unsent) => {
                    let csrf = new_csrf(&state, token.expose());
                    let main = unsent.resend_form(t, &csrf);
                    let mut view = outside(t, StatusCode::OK, t.unsent(), false, main);
                    set_session(&state, &mut view, &token, remembered);
                    view
                }
                None => continue_to(&state, safe(sent.form.one("then")), &token, remembered),
            };
            know_browser(&state, &mut response, &account.email);
            response
        }
        Err(problem) if problem.status < 500 => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::BAD_REQUEST);
            let entered = sent.form.typed_values(t, &problem);
            // The password was right; its code comes next.
            let goes_on = entered.ticket.is_some() && entered.wrong.is_none();
            let status = if goes_on { StatusCode::OK } else { status };
            let (then, unsent) = (sent.form.one("then"), sent.form.one(unsent_form::FIELD));
            let way = SignInContext { then, remembered, unsent };
            let mut response = sign_in_page(&state, t, &entered, way, status).await;
            // With a ticket, the password of the typed address was not looked at.
            if goes_on && sent.form.one("ticket").is_empty() {
                know_browser(&state, &mut response, sent.form.one("email"));
            }
            response
        }
        Err(problem) => parts::problem(t, &problem),
    }
}

/// Redirects to a page after signing in.
pub(crate) fn continue_to(
    state: &State,
    address: &str,
    token: &Credential,
    remembered: bool,
) -> Response<Body> {
    let mut response = redirect(address);
    set_session(state, &mut response, token, remembered);
    response
}

fn set_session(state: &State, response: &mut Response<Body>, token: &Credential, remembered: bool) {
    let seconds = BrowserSession::seconds_of_cookie(remembered);
    set_cookie(state, response, cookie_name(state), token.expose(), seconds);
}

/// Opens a session: its cookie, and the account.
async fn open_session(
    state: &Arc<State>,
    sent: &SubmittedForm,
    remembered: bool,
) -> Result<(Credential, Account)> {
    let known = is_known_browser(state, &sent.headers, sent.form.one("email"));
    let account = sent.form.authenticate(state, &sent.request_id, sent.from, known).await?;
    let caller = Caller::new(account.company_id, Actor::System);
    let browser = sent.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let browser = browser.unwrap_or_default().to_owned();
    let (subject, id) = (account.subject, account.subject_id);
    let open = move |cx: &mut Write<'_, '_>| browsers::open(cx, subject, id, &browser, remembered);
    let opened = write(state, caller, "login", &[], &sent.request_id, open).await;
    opened.map(|token| (token, account)).map_err(|problem| match problem.key {
        Key::InvalidToken => Key::InvalidCredentials.into(),
        _ => problem,
    })
}

/// Signs a person out.
pub(crate) async fn sign_out(
    Given(state): Given<Arc<State>>,
    sent: SubmittedForm,
) -> Response<Body> {
    let t = language(&sent.headers);
    let mut response = redirect(SIGN_IN);
    if let Some(token) = token(&state, &sent.headers) {
        if !is_own(token.expose(), sent.form.one("-csrf")) {
            return forms::forged(t);
        }
        if let Err(problem) = end(&state, &token, &sent.request_id).await {
            return parts::problem(t, &problem);
        }
    }
    set_cookie(&state, &mut response, cookie_name(&state), "", Some(0));
    response
}

async fn end(state: &Arc<State>, token: &Credential, request_id: &RequestId) -> Result<()> {
    let person = match signed_in(state, token).await {
        Err(problem) if problem.status == 401 => return Ok(()),
        found => found?,
    };
    let session = person.session.session_id;
    let end = move |cx: &mut Write<'_, '_>| browsers::end(cx, session);
    write(state, person.caller, "logout", &[], request_id, end).await
}

/// Streams live updates to the signed-in person.
pub(crate) async fn events(
    Given(state): Given<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let t = language(request.headers());
    let Some(token) = token(&state, request.headers()) else {
        return parts::problem(t, &Key::InvalidToken.into());
    };
    let headers = request.headers().clone();
    drop(request);
    let listening = spotter_http::listen(state, token, headers).await;
    listening.unwrap_or_else(|problem| parts::problem(t, &problem))
}

/// Stores display settings in the browser.
pub(crate) async fn choose(Given(state): Given<Arc<State>>, sent: SubmittedForm) -> Response<Body> {
    let language = Locale::parse(sent.form.one("language")).map_or("", Locale::code);
    let theme = match sent.form.one("theme") {
        theme @ ("light" | "dark") => theme,
        _ => "",
    };
    let mut response =
        redirect_with_message(&state, safe(sent.form.one("then")), &Success::Saved.into());
    let units = match sent.form.one("units") {
        units @ ("metric" | "imperial") => units,
        _ => "",
    };
    let value = format!("{language}.{theme}.{units}");
    set_cookie(&state, &mut response, display::COOKIE, &value, Some(DISPLAY_SECONDS));
    response
}

/// A form that signs out.
pub(crate) fn sign_out_form(csrf: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(SIGN_OUT) data-hx-boost="false" {
            input type="hidden" name="-csrf" value=(csrf);
            button.plain type="submit" { (label) }
        }
    }
}
