//! Server-sent events (WHATWG HTML, section 9.2) for people who are signed in: their feed as it
//! grows, from where they were.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract,
    http::{HeaderMap, HeaderValue, Request, Response},
    response::{
        IntoResponse, Sse,
        sse::{self, KeepAlive},
    },
    routing::get,
};
use futures_util::stream;
use spotter_company::live::{self, Entry, StreamUpdate};
use spotter_contract::{Caller, Read, arguments::refuse_surplus};
use spotter_kernel::{
    Id, Key, Problem, Result,
    secret::{Credential, CredentialKind},
};
use spotter_people::identity::{browsers, sessions};
use spotter_store::Tx;

use crate::{
    quotas::{QuotaError, QuotaPermit},
    rules::HttpRule,
    server::State,
    visitor::{Visitor, arguments},
};

/// Most streams of one person.
const SEATS_EACH: usize = 10;
/// A comment is sent after so long a silence, so that proxies keep the connection.
const SILENCE: Duration = Duration::from_secs(15);
/// How often a feed is checked without a signal: whether the session is still valid and, where other processes commit
/// too, whether there are updates.
const PACE: Duration = Duration::from_secs(15);
const PACE_SHARED: Duration = Duration::from_secs(2);
/// The time after which a client reconnects.
const RETRY: Duration = Duration::from_secs(3);

/// The route of live updates.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    Router::new().route("/app/v1/events", get(events)).with_state(state.clone())
}

async fn events(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let visitor = match Visitor::admit(state, &request).await {
        Ok(visitor) => visitor,
        Err(answer) => return answer,
    };
    let query = request.uri().query().unwrap_or_default().to_owned();
    let requested = refuse_surplus(&arguments(None, Some(&query)), false, false, false);
    let known = requested.and_then(|()| last_event_id(request.headers()));
    drop(request);
    let listening = match known {
        Ok(known) => follow(visitor.state.clone(), visitor.token.clone(), known).await,
        Err(problem) => Err(problem),
    };
    listening.unwrap_or_else(|problem| visitor.respond(Err::<(), _>(problem), 0, false))
}

/// The live updates of a signed-in user, for an app or a browser.
pub async fn listen(
    state: Arc<State>,
    token: Credential,
    headers: HeaderMap,
) -> Result<Response<Body>> {
    let known = last_event_id(&headers)?;
    follow(state, token, known).await
}

/// The stream from a known position.
async fn follow(
    state: Arc<State>,
    token: Credential,
    known: Option<i64>,
) -> Result<Response<Body>> {
    let listener = start_stream(state, token, known).await?;
    let events = stream::unfold(listener, Listener::next);
    let stream = Sse::new(events).keep_alive(KeepAlive::new().interval(SILENCE));
    let mut response = stream.into_response();
    // Proxies that hold answers back would hold all of it back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Who holds a token.
fn holder(tx: &mut Tx<'_>, state: &State, token: &Credential) -> Result<Caller> {
    match token.kind {
        CredentialKind::BrowserSession => {
            browsers::authenticate(tx, &state.env, token).map(|person| person.caller)
        }
        _ => sessions::authenticate(tx, &state.env, token),
    }
}

async fn start_stream(
    state: Arc<State>,
    token: Credential,
    known: Option<i64>,
) -> Result<Listener> {
    let (shared, own) = (state.clone(), token.clone());
    let read_update = move |tx: &mut Tx<'_>| {
        let caller = holder(tx, &shared, &own)?;
        caller.check_second_step()?;
        let person = caller.rate_limit_id();
        let now = shared.env.clock.now();
        live::latest(&mut Read::new(tx, &caller, now), person).map(|latest| (person, latest))
    };
    let (person, latest) = state.db.read(read_update).await?;
    let seat = OpenStream::take(&state, person)?;
    let (position, first) = match known {
        // An unknown number belongs to another feed.
        Some(known) if known <= latest => (known, control_event("ready", known)),
        Some(_) => (latest, control_event("reset", latest)),
        None => (latest, control_event("ready", latest)),
    };
    let ready = VecDeque::from([first.retry(RETRY)]);
    Ok(Listener { state, token, person, position, ready, _seat: seat })
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().filter(|text| text.bytes().all(|c| c.is_ascii_digit()));
    let number = number.and_then(|text| text.parse().ok());
    let rule = HttpRule::UnknownStreamEvent;
    number.map(Some).ok_or_else(|| Problem::invalid("Last-Event-ID", rule))
}

/// An event about the stream itself.
fn control_event(event: &str, position: i64) -> sse::Event {
    sse::Event::default().event(event).id(position.to_string()).data("{}")
}

/// An event of the feed.
fn news(entry: Entry) -> sse::Event {
    sse::Event::default().event(entry.r#type).id(entry.position.to_string()).data(entry.data)
}

/// A listener and the position up to which it has read.
struct Listener {
    state: Arc<State>,
    token: Credential,
    person: Id,
    position: i64,
    ready: VecDeque<sse::Event>,
    _seat: OpenStream,
}

impl Listener {
    /// The next event; nothing once the session is over or the process stops.
    async fn next(mut self) -> Option<(std::result::Result<sse::Event, Infallible>, Self)> {
        let (signals, mut stopping) = (self.state.db.signals(), self.state.stopping.subscribe());
        let pace = if self.state.db.is_shared() { PACE_SHARED } else { PACE };
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((Ok(event), self));
            }
            // The bell is listened for before the look, so that nothing rings in between.
            let notified = signals.notified(self.person);
            match self.read_update().await {
                Ok(StreamUpdate::Entries(entries)) => {
                    self.position = entries.last().map_or(self.position, |last| last.position);
                    self.ready.extend(entries.into_iter().map(news));
                }
                Ok(StreamUpdate::Reset(position)) => {
                    self.position = position;
                    self.ready.push_back(control_event("reset", position));
                }
                // A busy server is tried again.
                Err(problem) if problem.status == 503 => {}
                Err(problem) => {
                    if problem.key != Key::InvalidToken {
                        tracing::error!(%problem, "a stream of events ended");
                    }
                    return None;
                }
            }
            if self.ready.is_empty() {
                tokio::select! {
                    () = notified => {}
                    () = tokio::time::sleep(pace) => {}
                    _ = stopping.wait_for(|stopping| *stopping) => return None,
                }
            }
        }
    }

    /// New updates, if the session is still valid.
    async fn read_update(&self) -> Result<StreamUpdate> {
        let (state, token) = (self.state.clone(), self.token.clone());
        let (person, position) = (self.person, self.position);
        let read_update = move |tx: &mut Tx<'_>| {
            let caller = holder(tx, &state, &token)?;
            live::since(&mut Read::new(tx, &caller, state.env.clock.now()), person, position)
        };
        self.state.db.read(read_update).await
    }
}

/// A stream that is open.
struct OpenStream(#[expect(dead_code, reason = "it is held")] QuotaPermit);

impl OpenStream {
    fn take(state: &State, person: Id) -> Result<Self> {
        let most = usize::try_from(state.settings.live_max).unwrap_or(usize::MAX);
        let share = state.seats.take(person, most, SEATS_EACH).map_err(|taken| match taken {
            QuotaError::All => Problem::overloaded(),
            QuotaError::Own => {
                let refusal = HttpRule::ConnectionsTaken { max: SEATS_EACH };
                Problem::because(Key::RateLimitExceeded, refusal)
            }
        })?;
        metrics::gauge!("spotter_live_streams").increment(1.0);
        Ok(Self(share))
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        metrics::gauge!("spotter_live_streams").decrement(1.0);
    }
}
