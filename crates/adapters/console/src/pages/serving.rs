//! Serves pages: reads in one transaction, handles forms, and shows errors.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{HeaderName, HeaderValue, Request, Response, StatusCode},
};
use maud::html;
use spotter_http::{Compressible, RateLimitStatus, RequestId, State};
use spotter_kernel::{Key, Problem, Result, secret::Credential};
use spotter_people::identity::browsers;
use spotter_store::Tx;

use super::{Audience, Page, account as account_page, counterpart, home};
use crate::{
    act::{self, FormOutcome},
    api::Answer,
    forms::{self, SubmittedForm, forged},
    page_context::PageContext,
    page_request::{PageAddress, PageRequest},
    parts::{
        self,
        format::JsonFields,
        shell::{self, View},
    },
    rejected_form::RejectedForm,
    session,
    words::Strings,
};

fn place(params: Option<RawPathParams>, request: &Request<Body>) -> PageAddress {
    let named = params.iter().flat_map(|params| params.iter());
    let query = request.uri().query().unwrap_or_default();
    let query = form_urlencoded::parse(query.as_bytes());
    PageAddress {
        path: request.uri().path().to_owned(),
        params: named.map(|(name, value)| (name.to_owned(), value.to_ascii_lowercase())).collect(),
        query: query.map(|(name, value)| (name.into_owned(), value.into_owned())).collect(),
    }
}

/// Shows a page.
pub(super) async fn read(
    state: Arc<State>,
    page: Page,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let place = place(params, &request);
    let t = crate::display::language(request.headers());
    let Some(token) = session::token(&state, request.headers()) else {
        return match state.count_address(&request) {
            Ok(_) => session::go_sign_in(&state, &place.address()),
            Err(refused) => parts::problem(t, &refused),
        };
    };
    let request_id = RequestId::of(&request);
    let (display, done) =
        (crate::display::settings(request.headers()), session::done(request.headers()));
    let answer = done.is_some();
    let request = PageRequest { place, entered: RejectedForm::default(), done, display };
    let mut response = render(&state, &token, &request_id, StatusCode::OK, page, request).await;
    if answer && response.status().is_success() {
        session::forget_done(&state, &mut response);
    }
    response
}

/// Makes a page in one transaction.
async fn render(
    state: &Arc<State>,
    token: &Credential,
    request_id: &RequestId,
    status: StatusCode,
    page: Page,
    request: PageRequest,
) -> Response<Body> {
    let back = request.place.address();
    let t = Strings(request.display.locale("en"));
    let stale = Arc::new(OnceLock::new());
    let counted = Arc::new(OnceLock::<RateLimitStatus>::new());
    let cookie = token;
    let (shared, token, request_id) = (state.clone(), token.clone(), request_id.clone());
    let noted = stale.clone();
    let transaction = move |tx: &mut Tx<'_>| {
        let began = Instant::now();
        let person = browsers::authenticate(tx, &shared.env, &token)?;
        let who = person.caller.rate_limit_id();
        counted.get_or_init(|| shared.count_caller(who)).check()?;
        if person.session.is_stale(shared.env.wall_clock.now()) {
            noted.set(person.clone()).ok();
        }
        let place = &request.place;
        let (state, id) = (&*shared, request_id.as_str());
        let mut cx = PageContext::new(tx, state, &request, id, person, token.expose());
        if cx.is_client() != (page.whose == Audience::Clients) {
            return Ok(session::redirect(&counterpart(&cx)));
        }
        let second_step = format!("{}/second-step", account_page(&cx));
        if cx.person.caller.owes_second_step && place.path != second_step {
            return Ok(session::redirect(&second_step));
        }
        cx.read_face()?;
        match (page.show)(&mut cx) {
            Ok(view) => {
                let response = shell::render(&cx, status, view);
                Ok(timed(response, began.elapsed(), cx.call_time))
            }
            Err(problem) if problem.status == 401 || problem.status >= 500 => Err(problem),
            Err(problem) => Ok(lost(&cx, &problem)),
        }
    };
    let answer = state.db.read(transaction).await;
    if let Some(person) = stale.get() {
        let (person, now) = (person.clone(), state.env.wall_clock.now());
        let db = state.db.clone();
        tokio::spawn(async move {
            if let Err(problem) =
                db.write(move |tx| browsers::extend_session(tx, &person, now)).await
            {
                tracing::warn!(%problem, "recording the use of a browser failed");
            }
        });
    }
    match answer {
        Ok(mut response) => {
            if let Some(person) = stale.get() {
                session::extend_cookie(state, &mut response, person, cookie);
            }
            response
        }
        Err(problem) if problem.key == Key::InvalidToken => session::go_sign_in(state, &back),
        Err(problem) => parts::problem(t, &problem),
    }
}

/// Reports the time of operations and of the page itself (W3C Server Timing).
fn timed(mut response: Response<Body>, whole: Duration, request: Duration) -> Response<Body> {
    let millis = |time: Duration| time.as_secs_f64() * 1_000.0;
    let (request, own) = (millis(request), millis(whole.saturating_sub(request)));
    let answer = format!("operations;dur={request:.3}, page;dur={own:.3}");
    if let Ok(answer) = HeaderValue::from_str(&answer) {
        response.headers_mut().insert(HeaderName::from_static("server-timing"), answer);
    }
    response
}

/// The page shown for an error, within the navigation.
fn lost(cx: &PageContext<'_, '_>, problem: &Problem) -> Response<Body> {
    // An invalid id in an address is a page that does not exist.
    let of_path = problem.details.as_ref().is_some_and(|details| {
        cx.place.params.iter().any(|(name, _)| details.text("field") == name)
    });
    let (title, status) = match problem.status {
        404 | 400 if of_path || problem.status == 404 => {
            (cx.strings.not_there(), StatusCode::NOT_FOUND)
        }
        403 => (cx.strings.not_for_you(), StatusCode::FORBIDDEN),
        _ => (cx.strings.did_not_work(), parts::shut(problem)),
    };
    let main = html! {
        // That there is no such thing is in the heading.
        @if !of_path && problem.message != Key::NotFound.meaning() {
            p { (cx.strings.refused(problem)) }
        }
        p { a.button href=(home(cx)) { (cx.strings.to_start()) } }
    };
    shell::render(cx, status, View::new(title, main))
}

/// Handles a form of a page.
pub(super) async fn act(
    state: Arc<State>,
    page: Page,
    params: Option<RawPathParams>,
    request: Request<Body>,
) -> Response<Body> {
    let place = place(params, &request);
    let t = crate::display::language(request.headers());
    let with_file = forms::brings_file(request.headers());
    let Some(token) = session::token(&state, request.headers()) else {
        if with_file {
            return session::go_sign_in(&state, &place.address());
        }
        return match SubmittedForm::take(&state, request).await {
            Ok(sent) => session::sign_in_first(&state, &sent, place.address()).await,
            Err(answer) => answer,
        };
    };
    let room = match with_file {
        true => act::room_for_file(&state, &token).await,
        false => Ok((None, forms::TEXT_MAX)),
    };
    let (_room, most) = match room {
        Ok(room) => room,
        Err(problem) if problem.status == 401 => {
            return session::go_sign_in(&state, &place.address());
        }
        Err(problem) => return parts::problem(t, &problem),
    };
    let sent = match SubmittedForm::from_browser(&state, request, most).await {
        Ok(sent) => sent,
        Err(answer) => return answer,
    };
    let from = sent.from;
    let (request_id, display) = (sent.request_id.clone(), crate::display::settings(&sent.headers));
    match act::act(&state, &token, &sent).await {
        Ok(FormOutcome::Taken { next, done }) => {
            session::redirect_with_message(&state, &next, &done)
        }
        Ok(FormOutcome::Secret { answer, next, places }) => {
            let entered = RejectedForm {
                fields: vec![
                    ("next".to_owned(), next),
                    ("answer".to_owned(), answer.to_string()),
                    ("places".to_owned(), places.join(" ")),
                ],
                ..RejectedForm::default()
            };
            let page = Page { show: secret, ..page };
            let request = PageRequest { place, entered, done: None, display };
            let mut once = render(&state, &token, &request_id, StatusCode::OK, page, request).await;
            once.extensions_mut().remove::<Compressible>();
            once
        }
        Ok(FormOutcome::Previewed(entered)) => {
            let request = PageRequest { place, entered, done: None, display };
            render(&state, &token, &request_id, StatusCode::OK, page, request).await
        }
        Ok(FormOutcome::Refused(entered)) => {
            let request = PageRequest { place, entered, done: None, display };
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            render(&state, &token, &request_id, status, page, request).await
        }
        Ok(FormOutcome::Forged) => forged(t),
        Err(problem) if problem.status == 401 => match state.count_stranger(from) {
            Ok(()) => session::sign_in_first(&state, &sent, place.address()).await,
            Err(refused) => parts::problem(t, &refused),
        },
        Err(problem) => parts::problem(t, &problem),
    }
}

/// Secrets that are shown once.
fn secret(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let field = |name: &str| {
        let found = cx.entered.fields.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let answer: serde_json::Value =
        serde_json::from_str(&field("answer")).map_err(Problem::internal)?;
    if answer.text("uri").starts_with("otpauth:") {
        return Ok(super::account::authenticator(cx, &Answer::new(answer)));
    }
    let codes = answer.list(act::RECOVERY_CODES);
    let mut secrets: Vec<(&str, String)> = Vec::new();
    let places = field("places");
    for place in places.split(' ').filter(|place| *place != act::RECOVERY_CODES) {
        let name = place.rsplit('.').next().unwrap_or(place);
        if answer.has(place) {
            let text = answer.text(place);
            let output = match name {
                "token" => format!("{}/set-password?token={text}", cx.state.env.address),
                _ => text.to_owned(),
            };
            secrets.push((name, output));
        }
    }
    let main = html! {
        div.notice.warn { (cx.strings.shown_once()) }
        @if !answer.text("invitation.token").is_empty() { p { (cx.strings.pass_link_on()) } }
        @if !codes.is_empty() {
            h2 { (cx.strings.recovery_codes()) }
            p { (cx.strings.recovery_codes_mean()) }
            code.secret #recovery-codes {
                @for code in codes { (code.as_str().unwrap_or_default()) br; }
            }
            p { button.plain type="button" data-copy="recovery-codes" { (cx.strings.copy()) } }
        }
        @for (name, value) in &secrets {
            h2 { (cx.strings.term(name)) }
            code.secret #{ "secret-" (name) } { (value) }
            p { button.plain type="button" data-copy={ "secret-" (name) } { (cx.strings.copy()) } }
        }
        p { a.button href=(field("next")) { (cx.strings.kept_it()) } }
    };
    Ok(View::new(cx.strings.keep_this(), main))
}
