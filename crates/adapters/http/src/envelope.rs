//! The one envelope that every answer of both APIs is sent in.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use serde::Serialize;
use serde_json::Value;
use spotter_contract::run::Answer;
use spotter_kernel::{Problem, Result};

use crate::{etag, rate_limit::RateLimitStatus};

/// The remaining requests and when they are replenished.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RateLimit {
    limit: u32,
    remaining: u32,
    reset_seconds: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u32>,
}

/// The request id and the rate limit of a read.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    request_id: &'a str,
    rate_limit: RateLimit,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotency: Option<Idempotency>,
}

#[derive(Serialize)]
struct Idempotency {
    replayed: bool,
}

#[derive(Serialize)]
struct Failure<'a> {
    error: Error<'a>,
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: u16,
    key: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Value>,
}

impl From<RateLimitStatus> for RateLimit {
    fn from(rate_limit: RateLimitStatus) -> Self {
        Self {
            limit: rate_limit.limit,
            remaining: rate_limit.remaining,
            reset_seconds: rate_limit.reset_seconds,
            retry_after_seconds: None,
        }
    }
}

/// The answer to a success; writes include whether it is a replay.
pub(crate) fn success(
    answer: &Answer,
    writes: bool,
    request_id: &str,
    limit_status: RateLimitStatus,
) -> Response<Body> {
    let idempotency = writes.then_some(Idempotency { replayed: answer.replayed });
    let meta = Meta { request_id, rate_limit: limit_status.into(), idempotency };
    let meta = serde_json::to_string(&meta).unwrap_or_default();
    let text = ["{\"data\":", &answer.data, ",\"meta\":", &meta, "}"].concat();
    finish(answer.status, text, limit_status)
}

/// The answer with one record, or that the caller has it already.
pub(crate) fn tagged(
    answer: &Answer,
    headers: &HeaderMap,
    request_id: &str,
    rate_limit: RateLimitStatus,
) -> Response<Body> {
    let mut response = success(answer, false, request_id, rate_limit);
    // `meta` differs with each request and is not cached.
    if let Some(tag) = etag::of(answer.data.as_bytes()) {
        if etag::is_known(headers, &tag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            response.headers_mut().remove(header::CONTENT_TYPE);
        }
        let own = response.headers_mut();
        own.insert(header::ETAG, tag);
        own.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    response
}

/// The answer to a success as a table, which browsers keep under the last name of its path.
pub(crate) fn table(text: String, path: &str, rate_limit: RateLimitStatus) -> Response<Body> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut response = finish(200, text, rate_limit);
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
    headers.insert(header::CONTENT_TYPE, kind);
    if let Ok(kept) = HeaderValue::try_from(format!("attachment; filename=\"{name}.csv\"")) {
        headers.insert(header::CONTENT_DISPOSITION, kept);
    }
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// The answer to a request outside the operations table, with this status where it succeeded.
pub(crate) fn answer<T: Serialize>(
    outcome: Result<T>,
    status: u16,
    writes: bool,
    request_id: &str,
    rate_limit: RateLimitStatus,
) -> Response<Body> {
    let written = outcome.and_then(|value| {
        let data = serde_json::to_string(&value).map_err(Problem::internal)?;
        Ok(Answer { status, data, replayed: false })
    });
    match written {
        Ok(answer) => success(&answer, writes, request_id, rate_limit),
        Err(problem) => {
            if problem.status >= 500 {
                tracing::error!(request_id, %problem, "failed");
            }
            failure(&problem, request_id, rate_limit)
        }
    }
}

/// The answer to a failure.
pub(crate) fn failure(
    problem: &Problem,
    request_id: &str,
    limit_status: RateLimitStatus,
) -> Response<Body> {
    let retry_after =
        problem.retry_after.or(limit_status.exceeded.then_some(limit_status.reset_seconds));
    let mut rate_limit = RateLimit::from(limit_status);
    rate_limit.retry_after_seconds = retry_after.filter(|_| problem.status == 429);
    let text = serde_json::to_string(&Failure {
        error: Error {
            code: problem.status,
            key: problem.key.wire(),
            message: &problem.message,
            details: problem.details.as_ref(),
        },
        meta: Meta { request_id, rate_limit, idempotency: None },
    });
    let mut response = finish(problem.status, text.unwrap_or_default(), limit_status);
    let headers = response.headers_mut();
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if problem.status == 401 {
        // RFC 6750, section 3: no error code where no token was presented.
        let challenge = match problem.key {
            spotter_kernel::Key::MissingBearer => "Bearer realm=\"spotter\"",
            _ => "Bearer realm=\"spotter\", error=\"invalid_token\"",
        };
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    response
}

fn finish(status: u16, text: String, rate_limit: RateLimitStatus) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    rate_limit.write_headers(headers);
    response
}
