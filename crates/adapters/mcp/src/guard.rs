//! The guard of the MCP server: authentication and permission. Refusals follow RFC 6750 and RFC 9728, which tell
//! assistants what to do next.

use std::{
    net::IpAddr,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header},
    response::IntoResponse,
};
use lru::LruCache;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use serde_json::json;
use spotter_assistants::{
    assistant::{self, CredentialHint},
    modules::{self, Module, scope_of},
};
use spotter_contract::vault;
use spotter_http::{RequestId, State as Shared, read_body};
use spotter_kernel::{Key, Problem, Result, limits, secret::Credential};
use spotter_outbound::fetch::Fetcher;

use crate::{
    assistant_request::AssistantRequest,
    document::Documents,
    message,
    plain_call::{Hosts, PlainCall},
    refusal::no_store,
    server::Spotter,
    tools::Tools,
};

/// What the endpoints share.
#[derive(Clone)]
pub(crate) struct McpState {
    pub(crate) state: Arc<Shared>,
    /// Shared, for a copy has all its settings.
    service: Arc<StreamableHttpService<Spotter, NeverSessionManager>>,
    spotter: Spotter,
    hosts: Arc<Hosts>,
    pub(crate) documents: Documents,
    /// What credentials led to, by their digests.
    hints: Arc<Mutex<LruCache<[u8; 32], CredentialHint>>>,
}

/// Most credentials whose hints are cached.
const HINTS_MAX: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

impl McpState {
    pub(crate) fn new(state: Arc<Shared>, fetcher: Fetcher) -> Self {
        let spotter = Spotter::new(state.clone(), Arc::new(Tools::of(&state.table)));
        let (hosts, origins) = (hosts(&state.env.mcp_url), origins(&state));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(limits::BODY_MAX)
            .with_allowed_hosts(hosts.clone())
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        let own = spotter.clone();
        let factory = move || Ok(own.clone());
        let service =
            StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config);
        let hints = Arc::new(Mutex::new(LruCache::new(HINTS_MAX)));
        let (service, hosts) = (Arc::new(service), Arc::new(Hosts(hosts)));
        Self { state, service, spotter, hosts, documents: Documents::new(fetcher), hints }
    }

    fn hints(&self) -> MutexGuard<'_, LruCache<[u8; 32], CredentialHint>> {
        self.hints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names that the server is reached by: its own, and the machine's.
fn hosts(mcp_url: &str) -> Vec<String> {
    let own = mcp_url.split_once("://").map_or(mcp_url, |(_, host)| host);
    let bare = own.rsplit_once(':').map_or(own, |(host, _)| host);
    ["localhost", "127.0.0.1", "[::1]", own, bare].map(str::to_owned).to_vec()
}

/// Pages that may ask: the server's own, those that the operator named, and tools on the own machine.
fn origins(state: &Shared) -> Vec<String> {
    let own = ["http://localhost:*", "http://127.0.0.1:*"].map(str::to_owned);
    let named = state.settings.cors_origins.iter().map(String::as_str);
    own.into_iter().chain(named.chain([&*state.env.mcp_url]).map(with_port)).collect()
}

/// An origin with the port that its scheme implies: to the library, one without a port is of any.
fn with_port(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let is_bare = !host.rsplit(']').next().unwrap_or_default().contains(':');
    match origin {
        _ if !is_bare => origin.to_owned(),
        _ if origin.starts_with("https://") => format!("{origin}:443"),
        _ if origin.starts_with("http://") => format!("{origin}:80"),
        _ => origin.to_owned(),
    }
}

/// Serves one request of an assistant.
pub(crate) async fn serve(State(mcp): State<McpState>, request: Request<Body>) -> Response<Body> {
    let from = mcp.state.address(&request);
    let credential = match presented(&request) {
        Ok(credential) => credential,
        Err(problem) => return refuse(&mcp, from, &problem),
    };
    let digest = vault::digest(&credential);
    let hint = mcp.hints().get(&digest).copied();
    let visit = AssistantRequest::new(credential, hint, RequestId::of(&request));
    let response = answer(&mcp, &visit, request).await;
    // Whatever the protocol answers, the request must be authenticated.
    let mut response = match visit.authenticate_alone(&mcp.state).await {
        Ok(assistant) => {
            if hint != Some(assistant.hint) {
                mcp.hints().put(digest, assistant.hint);
            }
            response
        }
        Err(problem) if visit.rate_limit_status().is_some() || problem.status >= 500 => {
            refused(&mcp, &problem)
        }
        Err(problem) => refuse(&mcp, from, &problem),
    };
    if let Some(rate_limit) = visit.rate_limit_status() {
        rate_limit.write_headers(response.headers_mut());
    }
    response
}

/// The protocol's answer. A tool call authenticates its caller in its own transaction; a refusal found there replaces
/// the answer.
async fn answer(
    mcp: &McpState,
    visit: &AssistantRequest,
    request: Request<Body>,
) -> Response<Body> {
    if request.method() != Method::POST {
        let mut response = no_store(
            StatusCode::METHOD_NOT_ALLOWED,
            &json!({"error": "method_not_allowed", "error_description": "Requests are sent with POST."}),
        );
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let (mut parts, body) = request.into_parts();
    let body = match read_body(body, limits::BODY_MAX).await {
        Ok(body) => body,
        Err(problem) => return crate::refusal::failed(&problem),
    };
    let message = match message::read(&body) {
        Ok(message) => message,
        Err((status, answer)) => return no_store(status, &answer),
    };
    if let Some(mut call) = PlainCall::of(&parts.headers, &mcp.hosts, message) {
        let arguments = std::mem::take(&mut call.arguments);
        let outcome = mcp.spotter.call(visit, &call.name, arguments).await;
        return match call.answer(&outcome) {
            Ok(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
            Err(error) => crate::refusal::failed(&Problem::internal(error)),
        };
    }
    // The library wants both types by name; some clients send */*.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    parts.headers.insert(header::ACCEPT, both);
    parts.extensions.insert(visit.clone());
    let request = Request::from_parts(parts, Body::from(body));
    mcp.service.handle(request).await.map(Body::new).into_response()
}

/// Refuses a request without a valid credential, counted against its address.
fn refuse(mcp: &McpState, from: IpAddr, problem: &Problem) -> Response<Body> {
    match mcp.state.count_stranger(from) {
        Ok(()) => refused(mcp, problem),
        Err(limited) => refused(mcp, &limited),
    }
}

/// The credential in the Authorization header; one in the query is none.
fn presented(request: &Request<Body>) -> Result<Credential> {
    let query = request.uri().query().unwrap_or_default();
    let in_query = form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| matches!(&*name, "access_token" | "token" | "api_key" | "key"));
    match bearer(request.headers()) {
        _ if in_query => Err(Key::InvalidToken.into()),
        None => Err(Key::MissingBearer.into()),
        Some(text) => assistant::parse(&text).ok_or_else(|| Key::InvalidToken.into()),
    }
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (sent.next(), sent.next()) else { return None };
    let value = value.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

/// The scopes that a new assistant is offered. Assistants request what they are offered, and the person removes or
/// adds some.
fn usual() -> String {
    scope_of(&modules::usual().collect::<Vec<_>>())
}

/// Modules with which an assistant can do something today.
pub(crate) fn usable_modules() -> impl Iterator<Item = Module> {
    Module::ALL.iter().copied().filter(|module| module.is_of_use())
}

fn refused(mcp: &McpState, problem: &Problem) -> Response<Body> {
    match problem.key {
        Key::MissingBearer => challenge(mcp, StatusCode::UNAUTHORIZED, "", &usual()),
        Key::InvalidToken => challenge(mcp, StatusCode::UNAUTHORIZED, "invalid_token", &usual()),
        Key::ScopesInsufficient => {
            let needed = problem.details.as_ref().and_then(|details| details["scope"].as_str());
            let needed = needed.unwrap_or_default();
            challenge(mcp, StatusCode::FORBIDDEN, "insufficient_scope", needed)
        }
        _ => crate::refusal::failed(problem),
    }
}

/// RFC 6750, section 3, with the address of the metadata (RFC 9728, section 5.1).
fn challenge(mcp: &McpState, status: StatusCode, error: &str, scope: &str) -> Response<Body> {
    let base = &mcp.state.env.mcp_url;
    let mut value = String::from("Bearer realm=\"mcp\"");
    if !error.is_empty() {
        value.push_str(&format!(", error=\"{error}\""));
    }
    value.push_str(&format!(
        ", scope=\"{scope}\", resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp/v1\""
    ));
    let output = match error {
        "" => "unauthorized",
        output => output,
    };
    let mut response = no_store(status, &json!({"error": output}));
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}
