//! The authorization endpoint: an assistant sends a browser here, and its request is kept until a
//! person has decided on it.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Request, Response, StatusCode, header},
};
use spotter_console::parts;
use spotter_core::mcp::{
    consent::{self, Asked},
    modules::parse_scope,
    registration,
};
use spotter_http::State as Shared;
use spotter_kernel::{Problem, Result};
use spotter_store::Tx;

use crate::redirect;

/// Longest state that is given back, in bytes.
const STATE_MAX: usize = 2_000;

/// What became of the request.
enum Outcome {
    /// The browser goes on to here.
    Go(String),
    /// It goes nowhere: who asks, or where it should go back to, is not known.
    Stay(&'static str),
}

/// Takes a request for authorization.
pub(crate) async fn authorize(
    State(state): State<Arc<Shared>>,
    request: Request<Body>,
) -> Response<Body> {
    if let Err(problem) = state.count_address(&request) {
        return parts::problem(&problem);
    }
    let query = request.uri().query().unwrap_or_default().to_owned();
    let env = state.env.clone();
    let decide = move |tx: &mut Tx<'_>| take(tx, &env, &query);
    match state.db.write(decide).await {
        Ok(Outcome::Go(target)) => go(&target),
        Ok(Outcome::Stay(why)) => parts::stopped(StatusCode::BAD_REQUEST, why),
        Err(problem) => parts::problem(&problem),
    }
}

/// Sends a browser on.
pub(crate) fn go(target: &str) -> Response<Body> {
    let Ok(location) = HeaderValue::from_str(target) else {
        return parts::problem(&Problem::internal("an address cannot be sent"));
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn take(tx: &mut Tx<'_>, env: &spotter_contract::Env, query: &str) -> Result<Outcome> {
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let mut twice = false;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        twice |= said.insert(name.into_owned(), value.into_owned()).is_some();
    }
    let text = |name: &str| said.get(name).map(String::as_str).unwrap_or_default();
    let Some(client) = registration::find(tx, text("client_id"))? else {
        return Ok(Outcome::Stay(
            "The assistant is not registered here. Remove it and add it again.",
        ));
    };
    let uri = text("redirect_uri");
    let any_port = env.mcp_any_loopback_port;
    if !client.redirect_uris.0.iter().any(|own| redirect::matches(own, uri, any_port)) {
        return Ok(Outcome::Stay(
            "The assistant wants you sent to an address that it has not registered.",
        ));
    }
    let state = said.get("state").cloned();
    if state.as_ref().is_some_and(|state| state.len() > STATE_MAX) {
        return Ok(Outcome::Stay(
            "The assistant sent a state that is longer than 2,000 characters.",
        ));
    }
    let refused = |error: &str, why: &str| {
        let words = [("error", error), ("error_description", why)];
        Ok(Outcome::Go(consent::answer(uri, state.as_deref(), env, &words)))
    };
    if twice {
        return refused("invalid_request", "Every parameter may be sent once.");
    }
    if text("response_type") != "code" {
        return refused("unsupported_response_type", "response_type must be code.");
    }
    let challenge = text("code_challenge");
    let digit = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    if text("code_challenge_method") != "S256"
        || challenge.len() != 43
        || !challenge.bytes().all(digit)
    {
        return refused("invalid_request", "PKCE with the method S256 is required.");
    }
    if text("resource") != format!("{}{}", env.mcp_url, crate::ENDPOINT) {
        return refused("invalid_target", "resource must be the address of the MCP server.");
    }
    let modules = match said.get("scope").filter(|scope| !scope.trim().is_empty()) {
        None => None,
        Some(scope) => match parse_scope(scope) {
            Ok(modules) => Some(modules),
            Err(unknown) => {
                return refused("invalid_scope", &format!("There is no module {unknown}."));
            }
        },
    };
    let asked = Asked {
        client_id: client.client_id,
        client_name: client.client_name,
        redirect_uri: uri.to_owned(),
        code_challenge: challenge.to_owned(),
        modules,
        state: state.clone(),
    };
    let secret = consent::ask(tx, env, asked)?;
    Ok(Outcome::Go(format!("/mcp/v1/oauth/consent?request={secret}")))
}
