//! Refusals of the OAuth endpoints, in the words of RFC 6749 (section 5.2) and RFC 7591.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use serde_json::{Value, json};
use spotter_kernel::Problem;

/// A JSON answer that must not be cached.
pub(crate) fn no_store(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

/// A refusal: its code and what a person may want to know.
pub(crate) fn refuse(status: StatusCode, error: &str, description: &str) -> Response<Body> {
    no_store(status, &json!({"error": error, "error_description": description}))
}

/// A problem with the status that it has at the other APIs, too.
pub(crate) fn failed(problem: &Problem) -> Response<Body> {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = match problem.status {
        429 | 503 | 507 => "temporarily_unavailable",
        401 | 403 => "access_denied",
        400..500 => "invalid_request",
        _ => {
            tracing::error!(%problem, "an assistant's request failed");
            "server_error"
        }
    };
    let mut response = refuse(status, error, &problem.message);
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
