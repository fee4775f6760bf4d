//! The router, built from the operations table, and what every handler shares.

use std::{
    collections::{BTreeMap, HashSet},
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::{Extensions, HeaderMap, HeaderValue, Request, Response, StatusCode, Version, header},
    middleware,
    routing::{MethodFilter, MethodRouter, get, on, post},
};
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use spotter_contract::{Env, Method, Surface, Table};
use spotter_files::Files;
use spotter_kernel::{Id, Key, Phrase, Problem, Result, limits};
use spotter_people::identity::tokens::KnownTokens;
use spotter_store::Db;
use spotter_webhooks::sender::Sender;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit, watch};
use tower_http::{
    CompressionLevel,
    compression::{CompressionLayer, Predicate, predicate::SizeAbove},
    cors::{AllowOrigin, CorsLayer},
};

use crate::{
    docs, documents, envelope, live, observe,
    observe::RequestId,
    permits::SharedRates,
    pipeline,
    quotas::{PersonQuotas, QuotaPermit},
    rate_limit::{RateLimitKey, RateLimitStatus, RateLimiter},
    rules::HttpRule,
    sign_in, token, uploads,
};

/// What an operator can set about HTTP.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Requests a minute of one API client or signed-in person.
    pub rate_limit: u32,
    /// Requests a minute without a good token, of one address.
    pub anonymous_rate_limit: u32,
    /// Requests a minute for public sites, of one address.
    pub visitor_rate_limit: u32,
    /// What strangers may send to public sites in an hour, of one address: each sign-up has a letter sent.
    pub sign_up_rate_limit: u32,
    /// Networks of trusted proxies, whose X-Forwarded-For is used.
    pub trusted_proxies: Vec<IpNet>,
    /// Networks that may read /metrics.
    pub metrics_networks: Vec<IpNet>,
    /// Origins whose pages may call the APIs; none when empty.
    pub cors_origins: Vec<String>,
    /// The largest file that people may send, in bytes.
    pub upload_max: u64,
    /// Most streams of live updates.
    pub live_max: u32,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            rate_limit: limits::RATE_LIMIT_DEFAULT,
            anonymous_rate_limit: 300,
            visitor_rate_limit: 600,
            sign_up_rate_limit: 60,
            trusted_proxies: Vec::new(),
            metrics_networks: Vec::new(),
            cors_origins: Vec::new(),
            upload_max: 25 << 20,
            live_max: 10_000,
        }
    }
}

/// What every handler shares.
pub struct State {
    /// The database.
    pub db: Db,
    /// Clock, randomness, key.
    pub env: Env,
    /// The operations.
    pub table: Arc<Table>,
    /// What the operator set.
    pub settings: HttpSettings,
    /// What knows whether a webhook's target may be reached.
    pub sender: Sender,
    /// The store of uploaded files.
    pub files: Files,
    /// What /metrics is rendered from; nothing is served without it.
    pub metrics: Option<PrometheusHandle>,
    pub(crate) rates: RateLimiter,
    pub(crate) shared_rates: SharedRates,
    pub(crate) attempts: Arc<RateLimiter>,
    pub(crate) registrations: RateLimiter,
    visits: RateLimiter,
    sign_ups: RateLimiter,
    pub(crate) known_tokens: KnownTokens,
    pub(crate) in_flight: Arc<Mutex<HashSet<[u8; 32]>>>,
    pub(crate) uploading: Semaphore,
    /// Slots for pictures in memory, while they arrive and are re-encoded.
    pub(crate) pictures: Semaphore,
    /// How many of those each person sends.
    pub(crate) pictures_of: PersonQuotas,
    /// Slots for re-encoding pictures.
    pub(crate) drawing: Semaphore,
    /// Slots for page forms with a file.
    forms: Semaphore,
    /// How many of those each person sends.
    forms_of: PersonQuotas,
    /// How many streams people have open.
    pub(crate) seats: PersonQuotas,
    pub(crate) stopping: watch::Sender<bool>,
    /// The API descriptions, made on first request.
    pub(crate) openapi: [OnceCell<docs::Document>; 2],
}

/// Period for counting registrations of assistants from one address: an hour allows as many as a minute allows other
/// requests.
const REGISTRATIONS_WINDOW_SECONDS: i64 = 3_600;

/// Period for counting what strangers send from one address.
const SIGN_UPS_WINDOW_SECONDS: i64 = 3_600;

/// Shorter answers are not worth compressing, in bytes.
const COMPRESSED_FROM: u64 = 1_024;

/// Files that may arrive at once.
const UPLOADS_AT_ONCE: usize = 16;
/// Most pictures in memory at once: each is up to 25 MiB, and much more while it is re-encoded.
const PICTURES_AT_ONCE: usize = 6;
/// Forms with files that may be held at once, and the longest: an upload of the API is passed on as it comes.
const FORMS_AT_ONCE: usize = 6;
const FORM_MAX: u64 = 25 << 20;
/// Forms with files that one person may send at once, and how long room for one is waited for.
const FORMS_EACH: usize = 2;
const FORM_TIMEOUT: Duration = Duration::from_secs(5);
/// Most pictures that are re-encoded at once.
const DRAWN_AT_ONCE: usize = 2;

/// Room for a form that brings a file, until it is dropped.
pub struct FormRoom<'s> {
    _permit: SemaphorePermit<'s>,
    _share: QuotaPermit,
}

impl State {
    /// The shared state over an open database.
    pub fn new(
        db: Db,
        env: Env,
        table: Arc<Table>,
        settings: HttpSettings,
        sender: Sender,
        files: Files,
        metrics: Option<PrometheusHandle>,
    ) -> Self {
        Self {
            db,
            env,
            table,
            settings,
            sender,
            files,
            metrics,
            rates: RateLimiter::new(),
            shared_rates: SharedRates::default(),
            attempts: Arc::new(RateLimiter::with_window(sign_in::ATTEMPTS_WINDOW_SECONDS)),
            registrations: RateLimiter::with_window(REGISTRATIONS_WINDOW_SECONDS),
            visits: RateLimiter::new(),
            sign_ups: RateLimiter::with_window(SIGN_UPS_WINDOW_SECONDS),
            known_tokens: KnownTokens::default(),
            in_flight: Arc::default(),
            uploading: Semaphore::new(UPLOADS_AT_ONCE),
            pictures: Semaphore::new(PICTURES_AT_ONCE),
            pictures_of: PersonQuotas::default(),
            drawing: Semaphore::new(DRAWN_AT_ONCE),
            forms: Semaphore::new(FORMS_AT_ONCE),
            forms_of: PersonQuotas::default(),
            seats: PersonQuotas::default(),
            stopping: watch::Sender::new(false),
            openapi: [const { OnceCell::const_new() }; 2],
        }
    }

    /// The same where attempts to sign in are counted together with another environment's, whose passwords it has.
    pub fn counting_with(mut self, other: &Self) -> Self {
        self.attempts = other.attempts.clone();
        self
    }

    /// A slot for a page form with a file, and its size limit. No caller can hold all slots, and each waits a moment
    /// for one.
    pub async fn room_for_file(&self, person: Id) -> Result<(FormRoom<'_>, usize)> {
        let share = self.forms_of.own(person, FORMS_EACH)?;
        let permit = tokio::time::timeout(FORM_TIMEOUT, self.forms.acquire()).await;
        let permit =
            permit.ok().and_then(std::result::Result::ok).ok_or_else(Problem::overloaded)?;
        let most = self.settings.upload_max.min(FORM_MAX);
        let room = FormRoom { _permit: permit, _share: share };
        Ok((room, usize::try_from(most).unwrap_or(usize::MAX)))
    }

    /// Counts a request without a valid credential against the caller's address. Returns the address, or refuses a
    /// request over the limit.
    pub fn count_address(&self, request: &Request<Body>) -> Result<IpAddr> {
        let from = self.address(request);
        self.count_stranger(from)?;
        Ok(from)
    }

    /// The address that a request comes from.
    pub fn address(&self, request: &Request<Body>) -> IpAddr {
        crate::address::of(request, &self.settings.trusted_proxies)
    }

    /// The same as [`count_address`](Self::count_address) where only the address is known.
    pub fn count_stranger(&self, from: IpAddr) -> Result<()> {
        count_address(self, from).check()
    }

    /// Counts a request of a known caller.
    pub fn count_caller(&self, caller: Id) -> RateLimitStatus {
        self.rates.take(
            RateLimitKey::Caller(caller),
            self.settings.rate_limit,
            self.env.wall_clock.now(),
        )
    }

    /// Counts the registration of an assistant from an address.
    pub fn count_registration(&self, from: IpAddr) -> Result<()> {
        let (who, now) = (RateLimitKey::address(from), self.env.wall_clock.now());
        self.registrations.take(who, self.settings.anonymous_rate_limit, now).check()
    }

    /// Counts a stranger's request for a public site.
    pub fn count_visit(&self, from: IpAddr) -> RateLimitStatus {
        let (who, limit) = (RateLimitKey::address(from), self.settings.visitor_rate_limit);
        self.visits.take(who, limit, self.env.wall_clock.now())
    }

    /// Counts what a stranger sends from an address, which has a letter sent.
    pub fn count_sign_up(&self, from: IpAddr) -> RateLimitStatus {
        let (who, limit) = (RateLimitKey::address(from), self.settings.sign_up_rate_limit);
        self.sign_ups.take(who, limit, self.env.wall_clock.now())
    }

    /// Ends the streams that would otherwise never end.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }
}

/// The whole HTTP service.
pub fn router(state: Arc<State>) -> Router {
    serve_also(state, Router::new())
}

/// The whole HTTP service, together with other routes, which handle CORS themselves.
pub fn serve_also(state: Arc<State>, others: Router) -> Router {
    let mut routes: BTreeMap<String, MethodRouter> = BTreeMap::new();
    let public = state.table.operations().iter().filter(|row| row.surface == Surface::Public);
    let places = public.map(|row| (Surface::Public, row));
    for (surface, operation) in
        places.chain(state.table.for_people().map(|row| (Surface::App, row)))
    {
        let path = format!("{}{}", surface.base(), operation.path);
        let method = filter(operation.method);
        let (state, operation) = (state.clone(), operation.clone());
        let handler = move |params: std::result::Result<RawPathParams, RawPathParamsRejection>,
                            request: Request<Body>| {
            pipeline::serve(state.clone(), (surface, operation.clone()), params.ok(), request)
        };
        let so_far = routes.remove(&path).unwrap_or_default();
        routes.insert(path, so_far.merge(on(method, handler)));
    }
    let mut router = Router::new();
    for (path, methods) in routes {
        router = router.route(&path, methods);
    }
    let router = router
        .route("/public/v1/oauth/token", shared(&state, post(token::issue)))
        .merge(described(&state))
        .merge(sign_in::routes(&state))
        .merge(uploads::routes(&state))
        .merge(live::routes(&state))
        .merge(documents::routes(&state))
        .merge(documents::downloads(&state))
        .route(docs::SCRIPT, get(docs::script))
        .route(docs::START, get(docs::start))
        .route("/health/live", get(observe::live))
        .route("/health/ready", shared(&state, get(observe::ready)))
        .route("/metrics", shared(&state, get(observe::metrics)));
    let lost = {
        let state = state.clone();
        move |request: Request<Body>| unmatched(state.clone(), request)
    };
    let router = router.fallback(lost.clone()).method_not_allowed_fallback(lost);
    let router = match cors(&state.settings.cors_origins) {
        Some(layer) => router.layer(layer),
        None => router,
    };
    watched(state, router.merge(others))
}

/// These routes alone, with what every request has: an id, a line in the log, its place in the metrics.
pub fn serve_only(state: Arc<State>, routes: Router) -> Router {
    let lost = {
        let state = state.clone();
        move |request: Request<Body>| unmatched(state.clone(), request)
    };
    let routes = routes
        .route("/health/live", get(observe::live))
        .route("/health/ready", shared(&state, get(observe::ready)))
        .fallback(lost.clone())
        .method_not_allowed_fallback(lost);
    watched(state, routes)
}

fn watched(state: Arc<State>, router: Router) -> Router {
    router.layer(compression()).layer(middleware::from_fn_with_state(state, observe::request))
}

/// The descriptions of both APIs, and their reference pages.
fn described(state: &Arc<State>) -> Router {
    [(Surface::Public, "/docs/api"), (Surface::App, "/docs/app")].into_iter().fold(
        Router::new(),
        |router, (surface, page)| {
            let state = state.clone();
            let description =
                move |headers: HeaderMap| docs::openapi(state.clone(), surface, headers);
            router
                .route(&format!("{}/openapi.json", surface.base()), get(description))
                .route(page, get(move || docs::page(surface)))
        },
    )
}

/// Marks an answer that contains no secret, so that its compressed length may depend on its content.
#[derive(Clone, Copy, Debug)]
pub struct Compressible;

/// Compresses JSON, calendars, and pages that are marked as compressible, where that saves bytes. Other pages contain
/// tokens beside text that others may have written, and the length of a compressed page would reveal them (BREACH).
fn compression() -> CompressionLayer<impl Predicate> {
    let is_data = |_: StatusCode, _: Version, headers: &HeaderMap, marks: &Extensions| {
        if marks.get::<Compressible>().is_some() {
            return true;
        }
        let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let data = ["application/json", "text/calendar"];
        kind.is_some_and(|kind| data.iter().any(|data| kind.starts_with(data)))
    };
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(COMPRESSED_FROM).and(is_data))
}

fn shared(state: &Arc<State>, methods: MethodRouter<Arc<State>>) -> MethodRouter {
    methods.with_state(state.clone())
}

const fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    }
}

fn cors(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let request_headers = ["authorization", "content-type", "idempotency-key", "last-event-id"];
    let response_headers =
        ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"];
    let names = |names: &[&'static str]| -> Vec<header::HeaderName> {
        names.iter().map(|name| header::HeaderName::from_static(name)).collect()
    };
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    Some(
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods(methods.map(|name| name.parse().unwrap_or_default()))
            .allow_headers(names(&request_headers))
            .expose_headers(names(&response_headers)),
    )
}

/// No route, or none for the method: 404, counted against the caller's address. A browser gets a page, a program the
/// envelope.
pub async fn unmatched(state: Arc<State>, request: Request<Body>) -> Response<Body> {
    if is_a_persons(&request) {
        return lost_page(&state, &request, HttpRule::NoPage);
    }
    refuse(&state, &request, Problem::with_message(Key::NotFound, "No route matches."))
}

/// Refuses every request in a test environment that is not there, under this key.
pub fn no_test_environment(state: &Arc<State>, key: Key) -> Router {
    refusing(state, Problem::because(key, HttpRule::NoTestEnvironment))
}

/// Refuses every request, each with an id and a line in the log. A browser gets a page for an unknown address.
pub fn refusing(state: &Arc<State>, problem: Problem) -> Router {
    let own = state.clone();
    let refusal = move |request: Request<Body>| {
        let (state, problem) = (own.clone(), problem.clone());
        async move {
            match problem.status == 404 && is_a_persons(&request) {
                true => lost_page(&state, &request, HttpRule::NoTestEnvironment),
                false => refuse(&state, &request, problem),
            }
        }
    };
    watched(state.clone(), Router::new().fallback(refusal))
}

/// Whether a browser requests a page, outside the addresses of the APIs.
fn is_a_persons(request: &Request<Body>) -> bool {
    let accepts = request.headers().get(header::ACCEPT);
    let wants_page = accepts
        .and_then(|accepts| accepts.to_str().ok())
        .is_some_and(|accepts| accepts.split(',').any(|kind| kind.trim().starts_with("text/html")));
    let path = request.uri().path();
    let of_programs = ["/public/", "/app/", "/mcp/", "/device/", "/.well-known/", "/health/"];
    let reads = matches!(*request.method(), axum::http::Method::GET | axum::http::Method::HEAD);
    reads && wants_page && !of_programs.iter().any(|own| path.starts_with(own))
}

/// The page for an unknown address.
fn lost_page(state: &State, request: &Request<Body>, why: HttpRule) -> Response<Body> {
    let from = crate::address::of(request, &state.settings.trusted_proxies);
    let problem = match count_address(state, from).exceeded {
        true => Problem::because(Key::RateLimitExceeded, HttpRule::TooManyRequests),
        false => Problem::because(Key::NotFound, why),
    };
    let locale = crate::accepted_language(request.headers()).unwrap_or_default();
    let (title, home) = (Phrase::from(HttpRule::PageNotFound), Phrase::from(HttpRule::ToStartPage));
    let (title, home) = (title.text(locale), home.text(locale));
    let (language, reason) = (locale.code(), problem.phrase());
    let reason = reason.on_page(locale);
    let mut response = Response::new(Body::from(format!(
        "<!doctype html><html lang=\"{language}\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title>\
         <link rel=\"stylesheet\" href=\"/page.css\">\
         <main><h1>{title}</h1><p>{reason} <a href=\"/\">{home}</a></p></main></html>"
    )));
    *response.status_mut() = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::NOT_FOUND);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Refuses a request before it is handled, counted against the caller's address.
pub(crate) fn refuse(state: &State, request: &Request<Body>, problem: Problem) -> Response<Body> {
    let from = crate::address::of(request, &state.settings.trusted_proxies);
    let rate_limit = count_address(state, from);
    let problem = if rate_limit.exceeded { Key::RateLimitExceeded.into() } else { problem };
    envelope::failure(&problem, RequestId::of(request).as_str(), rate_limit)
}

/// Counts a request against its address.
pub(crate) fn count_address(state: &State, from: IpAddr) -> RateLimitStatus {
    let (who, limit) = (RateLimitKey::address(from), state.settings.anonymous_rate_limit);
    state.rates.take(who, limit, state.env.wall_clock.now())
}
