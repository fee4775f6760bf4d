//! The door of the MCP server: who calls, and whether they were allowed what they call for. What is
//! not allowed is told in the words of RFC 6750 and RFC 9728, from which assistants know what to do.

use std::{
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
use serde_json::{Value, json};
use spotter_contract::vault;
use spotter_core::mcp::{
    assistant::{self, Assistant, Hint},
    modules::{Module, holding, scope_of},
};
use spotter_http::{RequestId, State as Shared, read_body};
use spotter_kernel::{Key, Problem, Result, limits, secret::Credential};
use spotter_store::Tx;

use crate::{message, refusal::no_store, server::Spotter, tools::Tools};

/// What the endpoints share.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) state: Arc<Shared>,
    service: StreamableHttpService<Spotter, NeverSessionManager>,
    /// What credentials led to, by their digests.
    hints: Arc<Mutex<LruCache<[u8; 32], Hint>>>,
}

/// How many credentials' hints are kept.
const HINTS_MAX: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// What the guard hands to the tools.
#[derive(Clone)]
pub(crate) struct Entered {
    pub(crate) assistant: Arc<Assistant>,
    pub(crate) credential: Credential,
    pub(crate) request_id: RequestId,
}

impl Door {
    pub(crate) fn new(state: Arc<Shared>) -> Self {
        let tools = Arc::new(Tools::of(&state.table));
        let (host, origins) = (host(&state.env.mcp_url), origins(&state));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(limits::BODY_MAX)
            .with_allowed_hosts(host)
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        let (shared, own) = (state.clone(), tools);
        let factory = move || Ok(Spotter::new(shared.clone(), own.clone()));
        let service =
            StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config);
        let hints = Arc::new(Mutex::new(LruCache::new(HINTS_MAX)));
        Self { state, service, hints }
    }

    fn hints(&self) -> MutexGuard<'_, LruCache<[u8; 32], Hint>> {
        self.hints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names that the server is reached by: its own, and the machine's.
fn host(mcp_url: &str) -> Vec<String> {
    let own = mcp_url.split_once("://").map_or(mcp_url, |(_, host)| host);
    let bare = own.rsplit_once(':').map_or(own, |(host, _)| host);
    ["localhost", "127.0.0.1", "[::1]", own, bare].map(str::to_owned).to_vec()
}

/// Pages that may ask: the server's own, those that the operator named, and tools on the own machine.
fn origins(state: &Shared) -> Vec<String> {
    let own = ["http://localhost:*", "http://127.0.0.1:*"].map(str::to_owned);
    let named = state.settings.cors_origins.iter().cloned();
    own.into_iter().chain([state.env.mcp_url.to_string()]).chain(named).collect()
}

/// Serves one request of an assistant.
pub(crate) async fn serve(State(door): State<Door>, mut request: Request<Body>) -> Response<Body> {
    let entered = match presented(&request) {
        Ok(credential) => enter(&door, credential).await,
        Err(problem) => Err(problem),
    };
    let (credential, assistant) = match entered {
        Ok(entered) => entered,
        Err(problem) => {
            if let Err(limited) = door.state.count_address(&request) {
                return refused(&door, &limited);
            }
            return refused(&door, &problem);
        }
    };
    // Each grant and key has a limit of its own: one that runs away leaves its person theirs.
    let through = assistant.caller.delegation.as_ref().map(|delegation| delegation.through);
    if let Some(id) = through.or(assistant.caller.actor.id())
        && let Err(problem) = door.state.count_caller(id)
    {
        return refused(&door, &problem);
    }
    if request.method() != Method::POST {
        let mut response = no_store(
            StatusCode::METHOD_NOT_ALLOWED,
            &json!({"error": "method_not_allowed", "error_description": "Requests are sent with POST."}),
        );
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let request_id = RequestId::of(&request);
    let (mut parts, body) = request.into_parts();
    let body = match read_body(body, limits::BODY_MAX).await {
        Ok(body) => body,
        Err(problem) => return crate::refusal::failed(&problem),
    };
    if let Err((status, answer)) = message::check(&body) {
        return no_store(status, &answer);
    }
    if let Some(needed) = missing(&body, &assistant) {
        return challenge(&door, StatusCode::FORBIDDEN, "insufficient_scope", &needed);
    }
    // The library wants both types by name; some clients send */*.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    parts.headers.insert(header::ACCEPT, both);
    parts.extensions.insert(Entered { assistant: Arc::new(assistant), credential, request_id });
    request = Request::from_parts(parts, Body::from(body));
    door.service.handle(request).await.map(Body::new).into_response()
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

async fn enter(door: &Door, credential: Credential) -> Result<(Credential, Assistant)> {
    let (env, shown, digest) =
        (door.state.env.clone(), credential.clone(), vault::digest(&credential));
    let hint = door.hints().get(&digest).copied();
    let look = move |tx: &mut Tx<'_>| assistant::authenticate(tx, &env, &shown, hint);
    let found = door.state.db.read(look).await?;
    if hint != Some(found.hint) {
        door.hints().put(digest, found.hint);
    }
    Ok((credential, found))
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (sent.next(), sent.next()) else { return None };
    let value = value.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

/// The modules that a call needs and that were not granted, with those that were.
fn missing(body: &[u8], assistant: &Assistant) -> Option<String> {
    let message: Value = serde_json::from_slice(body).ok()?;
    if message["method"] != "tools/call" {
        return None;
    }
    let tool = message["params"]["name"].as_str()?;
    let needed = holding(assistant.subject, tool);
    if needed.is_empty() || needed.iter().any(|module| assistant.modules.contains(module)) {
        return None;
    }
    let mut all = assistant.modules.clone();
    all.extend(needed);
    Some(scope_of(&all))
}

/// What somebody who has nothing yet may ask for: all that is of use to anybody. Assistants ask for
/// just what they are offered, and the person takes from it.
fn usual() -> String {
    scope_of(&of_use().collect::<Vec<_>>())
}

/// Modules with which an assistant can do something today.
pub(crate) fn of_use() -> impl Iterator<Item = Module> {
    Module::ALL.iter().copied().filter(|module| module.is_of_use())
}

fn refused(door: &Door, problem: &Problem) -> Response<Body> {
    match problem.key {
        Key::MissingBearer => challenge(door, StatusCode::UNAUTHORIZED, "", &usual()),
        Key::InvalidToken => challenge(door, StatusCode::UNAUTHORIZED, "invalid_token", &usual()),
        _ => crate::refusal::failed(problem),
    }
}

/// RFC 6750, section 3, with the address of the metadata (RFC 9728, section 5.1).
fn challenge(door: &Door, status: StatusCode, error: &str, scope: &str) -> Response<Body> {
    let base = &door.state.env.mcp_url;
    let mut value = String::from("Bearer realm=\"mcp\"");
    if !error.is_empty() {
        value.push_str(&format!(", error=\"{error}\""));
    }
    value.push_str(&format!(
        ", scope=\"{scope}\", resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp/v1\""
    ));
    let told = match error {
        "" => "unauthorized",
        told => told,
    };
    let mut response = no_store(status, &json!({"error": told}));
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}
