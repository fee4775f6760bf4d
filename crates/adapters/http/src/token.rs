//! The token endpoint of the Public API: RFC 6749, client credentials.

use std::sync::Arc;

use axum::{
    body::Body,
    extract,
    http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;
use spotter_kernel::{ScopeSet, limits::ACCESS_TOKEN_SECONDS};
use spotter_people::identity::tokens::{self, TokenRefusal};

use crate::{
    address, incoming::read_body, observe::RequestId, rate_limit::RateLimitKey, server::State,
};

/// Largest token request, in bytes.
const FORM_MAX: usize = 16 << 10;

/// A refusal in OAuth's words (RFC 6749, section 5.2).
struct Refusal {
    status: StatusCode,
    error: &'static str,
    description: String,
    basic: bool,
    retry_after: Option<u32>,
}

impl Refusal {
    fn new(error: &'static str, description: &str) -> Self {
        let status = StatusCode::BAD_REQUEST;
        Self { status, error, description: description.into(), basic: false, retry_after: None }
    }

    fn invalid_client() -> Self {
        let description = "The client is unknown, its secret is wrong, or it is revoked.";
        let refusal = Self::new("invalid_client", description);
        Self { status: StatusCode::UNAUTHORIZED, basic: true, ..refusal }
    }
}

#[derive(Default)]
struct Form {
    grant_type: Option<String>,
    scope: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

/// Issues an access token.
pub(crate) async fn issue(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let outcome = grant(&state, request).await;
    let (status, body, challenge, retry_after) = match outcome {
        Ok(body) => (StatusCode::OK, body, false, None),
        Err(refusal) => {
            let body = json!({"error": refusal.error, "error_description": refusal.description});
            (refusal.status, body, refusal.basic, refusal.retry_after)
        }
    };
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    if challenge {
        let value = HeaderValue::from_static("Basic realm=\"spotter\", charset=\"UTF-8\"");
        headers.insert(header::WWW_AUTHENTICATE, value);
    }
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

async fn grant(state: &Arc<State>, request: Request<Body>) -> Result<serde_json::Value, Refusal> {
    let request_id = RequestId::of(&request);
    let counted = RateLimitKey::address(address::of(&request, &state.settings.trusted_proxies));
    let limit = state.settings.anonymous_rate_limit;
    let rate_limit = state.rates.take(counted, limit, state.env.wall_clock.now());
    if rate_limit.exceeded {
        let refusal = Refusal::new("temporarily_unavailable", "Too many token requests.");
        let retry_after = Some(rate_limit.reset_seconds);
        return Err(Refusal { status: StatusCode::TOO_MANY_REQUESTS, retry_after, ..refusal });
    }
    let (parts, body) = request.into_parts();
    let form = read_form(&parts.headers, body).await?;
    let (client_id, secret) = credentials(&parts.headers, &form)?;
    match form.grant_type.as_deref() {
        Some("client_credentials") => {}
        None => return Err(Refusal::new("invalid_request", "grant_type is required.")),
        Some(_) => {
            let description = "grant_type must be client_credentials.";
            return Err(Refusal::new("unsupported_grant_type", description));
        }
    }
    let wanted = match form.scope.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(text) => Some(ScopeSet::parse(text).map_err(|_| {
            Refusal::new("invalid_scope", "scope names a scope that does not exist.")
        })?),
    };
    let env = state.env.clone();
    let id = request_id.clone();
    let issued = state
        .db
        .write(move |tx| tokens::issue(tx, &env, &client_id, &secret, wanted.as_ref(), id.as_str()))
        .await
        .map_err(|problem| {
            tracing::error!(request_id = request_id.as_str(), %problem, "no token issued");
            // A database that is away or full is so for a while.
            let passes = matches!(problem.status, 503 | 507);
            let error = if passes { "temporarily_unavailable" } else { "server_error" };
            let refusal = Refusal::new(error, "The token could not be issued.");
            let status = StatusCode::from_u16(problem.status).unwrap_or_default();
            Refusal { status, retry_after: problem.retry_after, ..refusal }
        })?;
    let issued = issued.into_result().map_err(|refusal| match refusal {
        TokenRefusal::InvalidClient => Refusal::invalid_client(),
        TokenRefusal::UnauthorizedClient => {
            Refusal::new("unauthorized_client", "The company's provider access is disabled.")
        }
        TokenRefusal::InvalidScope => {
            Refusal::new("invalid_scope", "scope asks for more than the client was given.")
        }
    })?;
    Ok(json!({
        "access_token": issued.token.expose(),
        "token_type": "Bearer",
        "expires_in": ACCESS_TOKEN_SECONDS,
        "scope": issued.scopes.as_str(),
    }))
}

async fn read_form(headers: &HeaderMap, body: Body) -> Result<Form, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let description = "The body must be sent as application/x-www-form-urlencoded.";
        return Err(Refusal::new("invalid_request", description));
    }
    let body = read_body(body, FORM_MAX)
        .await
        .map_err(|problem| Refusal::new("invalid_request", &problem.message))?;
    let mut form = Form::default();
    for (name, value) in form_urlencoded::parse(&body) {
        let field = match &*name {
            "grant_type" => &mut form.grant_type,
            "scope" => &mut form.scope,
            "client_id" => &mut form.client_id,
            "client_secret" => &mut form.client_secret,
            // Section 3.2: unrecognized parameters are ignored.
            _ => continue,
        };
        if field.replace(value.into_owned()).is_some() {
            let description = format!("{name} must not be repeated.");
            return Err(Refusal::new("invalid_request", &description));
        }
    }
    Ok(form)
}

/// Section 2.3.1: HTTP Basic, or both fields in the body, but not two ways at once.
fn credentials(headers: &HeaderMap, form: &Form) -> Result<(String, String), Refusal> {
    let basic = match headers.get(header::AUTHORIZATION) {
        Some(value) => {
            Some(value.to_str().ok().and_then(decode).ok_or_else(Refusal::invalid_client)?)
        }
        None => None,
    };
    match (basic, &form.client_id, &form.client_secret) {
        (Some(_), _, Some(_)) => {
            Err(Refusal::new("invalid_request", "Authenticate in one way only."))
        }
        (Some((id, _)), Some(other), None) if *other != id => {
            Err(Refusal::new("invalid_request", "client_id differs from the Basic credentials."))
        }
        (Some(pair), _, None) => Ok(pair),
        (None, Some(id), Some(secret)) => Ok((id.clone(), secret.clone())),
        _ => Err(Refusal::invalid_client()),
    }
}

fn decode(value: &str) -> Option<(String, String)> {
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let bytes = BASE64_STANDARD.decode(encoded.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    // Each half is form-encoded before it is joined.
    let plain = |half: &str| {
        let pair = format!("v={half}");
        form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned())
    };
    Some((plain(id)?, plain(secret)?))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn basic_credentials_are_form_decoded() {
        // base64 of "id%3A1:s%2Bcret"
        assert_eq!(decode("basic aWQlM0ExOnMlMkJjcmV0"), Some(("id:1".into(), "s+cret".into())));
        assert_eq!(decode("Bearer aWQ6cw=="), None);
        assert_eq!(decode("Basic ???"), None);
    }
}
