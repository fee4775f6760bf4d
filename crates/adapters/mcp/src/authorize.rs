//! The authorization endpoint: an assistant sends a browser here, and its request is stored until a person decides.

use std::collections::BTreeMap;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Request, Response, StatusCode, header},
};
use spotter_assistants::{
    consent::{self, AuthorizationRequest},
    modules::{Module, parse_scope},
    registration,
};
use spotter_contract::Env;
use spotter_html::{display::language, page, words::Strings};
use spotter_kernel::{Problem, Verdict};
use spotter_store::Tx;

use crate::{document, guard::McpState, redirect};

/// Longest state that is given back, in bytes.
const STATE_MAX: usize = 2_000;

/// The outcome of the request.
enum Outcome {
    /// The browser goes on to here.
    Go(String),
    /// It cannot be redirected: the client or its redirect URI is unknown.
    Stay(&'static str),
}

/// Takes a request for authorization.
pub(crate) async fn authorize(
    State(mcp): State<McpState>,
    request: Request<Body>,
) -> Response<Body> {
    let state = &mcp.state;
    let t = language(request.headers());
    let from = match state.count_address(&request) {
        Ok(from) => from,
        Err(problem) => return page::problem(t, &problem),
    };
    let query = request.uri().query().unwrap_or_default().to_owned();
    let submitted = AuthorizationParameters::read(&query);
    if document::is_address(submitted.text("client_id")) {
        // A request that would be refused anyway does not cause a fetch.
        if submitted.check(&state.env).is_err()
            || !redirect::may_be_registered(submitted.text("redirect_uri"))
        {
            let why = "The assistant's request is not in order.";
            return page::stopped(t, StatusCode::BAD_REQUEST, why);
        }
        if let Err(problem) = state.count_registration(from) {
            return page::problem(t, &problem);
        }
        match mcp.documents.resolve(state, submitted.text("client_id"), from).await {
            Ok(Verdict::Granted(())) => {}
            Ok(Verdict::Refused(why)) => {
                let why = format!("The assistant is not known here. {why}");
                return page::stopped(t, StatusCode::BAD_REQUEST, &why);
            }
            Err(problem) => return page::problem(t, &problem),
        }
    }
    let env = state.env.clone();
    let decide = move |tx: &mut Tx<'_>| take(tx, &env, &submitted);
    match state.db.write(decide).await {
        Ok(Outcome::Go(target)) => redirect(&target),
        Ok(Outcome::Stay(why)) => page::stopped(t, StatusCode::BAD_REQUEST, why),
        Err(problem) => page::problem(t, &problem),
    }
}

/// Sends a browser on.
pub(crate) fn redirect(target: &str) -> Response<Body> {
    let Ok(location) = HeaderValue::from_str(target) else {
        let problem = Problem::internal("an address cannot be sent");
        return page::problem(Strings::in_english(), &problem);
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// The parameters of a request.
struct AuthorizationParameters {
    values: BTreeMap<String, String>,
    /// Whether one was sent more than once.
    twice: bool,
}

/// Why a request is refused, in RFC 6749's words and in a sentence.
type Refusal = (&'static str, String);

impl AuthorizationParameters {
    fn read(query: &str) -> Self {
        let (mut values, mut twice) = (BTreeMap::new(), false);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            twice |= values.insert(name.into_owned(), value.into_owned()).is_some();
        }
        Self { values, twice }
    }

    fn text(&self, name: &str) -> &str {
        self.values.get(name).map(String::as_str).unwrap_or_default()
    }

    /// The modules that it names, if it names any, where everything that needs no look-up is in order.
    fn check(&self, env: &Env) -> Result<Option<Vec<Module>>, Refusal> {
        let refused = |error, why: &str| Err((error, why.to_owned()));
        if self.twice {
            return refused("invalid_request", "Every parameter may be sent once.");
        }
        if self.text("response_type") != "code" {
            return refused("unsupported_response_type", "response_type must be code.");
        }
        let challenge = self.text("code_challenge");
        let digit = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
        if self.text("code_challenge_method") != "S256"
            || challenge.len() != 43
            || !challenge.bytes().all(digit)
        {
            return refused("invalid_request", "PKCE with the method S256 is required.");
        }
        if self.text("resource") != format!("{}{}", env.mcp_url, crate::ENDPOINT) {
            return refused("invalid_target", "resource must be the address of the MCP server.");
        }
        match self.values.get("scope").filter(|scope| !scope.trim().is_empty()) {
            None => Ok(None),
            Some(scope) => parse_scope(scope)
                .map(Some)
                .map_err(|unknown| ("invalid_scope", format!("There is no module {unknown}."))),
        }
    }
}

fn take(
    tx: &mut Tx<'_>,
    env: &Env,
    submitted: &AuthorizationParameters,
) -> spotter_kernel::Result<Outcome> {
    let Some(client) = registration::find(tx, submitted.text("client_id"))? else {
        return Ok(Outcome::Stay(
            "The assistant is not registered here. Remove it and add it again.",
        ));
    };
    let uri = submitted.text("redirect_uri");
    // A document is written once for every machine that the assistant runs on.
    let any_port = env.mcp_any_loopback_port || client.fresh_until.is_some();
    if !client.redirect_uris.0.iter().any(|own| redirect::matches(own, uri, any_port)) {
        return Ok(Outcome::Stay(
            "The assistant wants you sent to an address that it has not registered.",
        ));
    }
    let state = submitted.values.get("state").cloned();
    if state.as_ref().is_some_and(|state| state.len() > STATE_MAX) {
        return Ok(Outcome::Stay(
            "The assistant sent a state that is longer than 2,000 characters.",
        ));
    }
    let modules = match submitted.check(env) {
        Ok(modules) => modules,
        Err((error, why)) => {
            let words = [("error", error), ("error_description", &why)];
            return Ok(Outcome::Go(consent::answer(uri, state.as_deref(), env, &words)));
        }
    };
    let request = AuthorizationRequest {
        client_id: client.client_id,
        client_name: client.client_name,
        redirect_uri: uri.to_owned(),
        code_challenge: submitted.text("code_challenge").to_owned(),
        modules,
        state,
    };
    let secret = consent::create(tx, env, request)?;
    Ok(Outcome::Go(format!("/mcp/v1/oauth/consent?request={secret}")))
}
