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

/// A problem of ours, or of too many requests.
pub(crate) fn failed(problem: &Problem) -> Response<Body> {
    let (status, error) = match problem.status {
        429 => (StatusCode::TOO_MANY_REQUESTS, "temporarily_unavailable"),
        503 => (StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable"),
        400 | 408 | 413 => {
            (StatusCode::from_u16(problem.status).unwrap_or_default(), "invalid_request")
        }
        _ => {
            tracing::error!(%problem, "an OAuth request failed");
            (StatusCode::INTERNAL_SERVER_ERROR, "server_error")
        }
    };
    let mut response = refuse(status, error, &problem.message);
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
