//! The token endpoint (RFC 6749, section 3.2; RFC 7636; RFC 8707).

use std::collections::BTreeMap;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, Request, Response, StatusCode, header},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use spotter_assistants::tokens::{self, IssuedTokens, PresentedCode, TokenError};
use spotter_http::{RequestId, read_body};
use spotter_kernel::{Result, Verdict, limits::ACCESS_TOKEN_SECONDS, secret::base64url};
use spotter_store::Tx;

use crate::{
    guard::McpState,
    refusal::{failed, no_store, refuse},
};

const BODY_MAX: usize = 16 << 10;

/// Issues tokens for a code or a refresh token.
pub(crate) async fn issue(State(mcp): State<McpState>, request: Request<Body>) -> Response<Body> {
    if let Err(problem) = mcp.state.count_address(&request) {
        return failed(&problem);
    }
    let request_id = RequestId::of(&request);
    let bad = |error: &str, why: &str| refuse(StatusCode::BAD_REQUEST, error, why);
    let submitted = match read_form(request).await {
        Ok(submitted) => submitted,
        Err(why) => return bad("invalid_request", &why),
    };
    // The resource that was bound at consent applies where none is given.
    if submitted.get("resource").is_some_and(|resource| *resource != crate::resource(&mcp.state)) {
        return bad("invalid_target", "resource must be the address of the MCP server.");
    }
    let wanted: &[&str] = match submitted.get("grant_type").map(String::as_str) {
        Some("authorization_code") => &["client_id", "code", "code_verifier", "redirect_uri"],
        Some("refresh_token") => &["client_id", "refresh_token"],
        Some(_) => {
            let why = "grant_type must be authorization_code or refresh_token.";
            return bad("unsupported_grant_type", why);
        }
        None => return bad("invalid_request", "grant_type is missing."),
    };
    if let Some(missing) = wanted.iter().find(|name| !submitted.contains_key(**name)) {
        return bad("invalid_request", &format!("{missing} is missing."));
    }
    if submitted.get("code_verifier").is_some_and(|verifier| !is_verifier(verifier)) {
        let why = "code_verifier must be 43 to 128 characters of A-Z, a-z, 0-9, - . _ and ~.";
        return bad("invalid_request", why);
    }
    let (env, id) = (mcp.state.env.clone(), request_id);
    let exchange = move |tx: &mut Tx<'_>| exchanged(tx, &env, &submitted, id.as_str());
    // The row of the code or token decides alone, and one transaction changes it; the grant is checked at every use
    // of the tokens.
    match mcp.state.db.write_rows(exchange).await {
        Ok(Verdict::Granted(issued)) => token_answer(&issued),
        Ok(Verdict::Refused(TokenError::InvalidClient)) => {
            let why = "The assistant is not registered; it has to register again.";
            refuse(StatusCode::UNAUTHORIZED, "invalid_client", why)
        }
        Ok(Verdict::Refused(TokenError::InvalidGrant)) => {
            bad("invalid_grant", "The code or token is not good, or not good any more.")
        }
        Ok(Verdict::Refused(TokenError::CompanySuspended)) => {
            bad("unauthorized_client", "The company is suspended: ask who runs this installation.")
        }
        Err(problem) => failed(&problem),
    }
}

/// Revokes a token (RFC 7009). The answer does not reveal whether it was one.
pub(crate) async fn revoke(State(mcp): State<McpState>, request: Request<Body>) -> Response<Body> {
    if let Err(problem) = mcp.state.count_address(&request) {
        return failed(&problem);
    }
    let id = RequestId::of(&request);
    let bad = |why: &str| refuse(StatusCode::BAD_REQUEST, "invalid_request", why);
    let submitted = match read_form(request).await {
        Ok(submitted) => submitted,
        Err(why) => return bad(&why),
    };
    if let Some(missing) =
        ["client_id", "token"].iter().find(|name| !submitted.contains_key(**name))
    {
        return bad(&format!("{missing} is missing."));
    }
    let env = mcp.state.env.clone();
    let text = move |name: &str| submitted.get(name).cloned().unwrap_or_default();
    let (client, token) = (text("client_id"), text("token"));
    let take_back = move |tx: &mut Tx<'_>| tokens::revoke(tx, &env, &client, &token, id.as_str());
    match mcp.state.db.write(take_back).await {
        Ok(()) => no_store(StatusCode::OK, &json!({})),
        Err(problem) => failed(&problem),
    }
}

/// The parameters of a form, each once; or what is wrong with it.
async fn read_form(request: Request<Body>) -> Result<BTreeMap<String, String>, String> {
    let (parts, body) = request.into_parts();
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        return Err("Parameters are sent in the body.".into());
    }
    if !is_form(&parts.headers) {
        return Err("The body must be application/x-www-form-urlencoded.".into());
    }
    let body = read_body(body, BODY_MAX).await.map_err(|problem| problem.message)?;
    let mut submitted = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(&body) {
        if submitted.insert(name.clone().into_owned(), value.into_owned()).is_some() {
            return Err(format!("{name} may be sent once."));
        }
    }
    Ok(submitted)
}

/// RFC 7636, section 4.1.
fn is_verifier(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"-._~".contains(&c);
    (43..=128).contains(&text.len()) && text.bytes().all(plain)
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

fn exchanged(
    tx: &mut Tx<'_>,
    env: &spotter_contract::Env,
    submitted: &BTreeMap<String, String>,
    request_id: &str,
) -> Result<Verdict<IssuedTokens, TokenError>> {
    let text = |name: &str| submitted.get(name).map(String::as_str).unwrap_or_default();
    if text("grant_type") == "refresh_token" {
        return tokens::refresh(tx, env, text("client_id"), text("refresh_token"), request_id);
    }
    let challenge = base64url(&Sha256::digest(text("code_verifier")));
    let presented = PresentedCode {
        client_id: text("client_id"),
        code: text("code"),
        challenge: &challenge,
        redirect_uri: text("redirect_uri"),
    };
    tokens::exchange(tx, env, &presented, request_id)
}

fn token_answer(issued: &IssuedTokens) -> Response<Body> {
    no_store(
        StatusCode::OK,
        &json!({
            "access_token": issued.access.expose(),
            "token_type": "Bearer",
            "expires_in": ACCESS_TOKEN_SECONDS,
            "refresh_token": issued.refresh.expose(),
            "scope": issued.scope,
        }),
    )
}
