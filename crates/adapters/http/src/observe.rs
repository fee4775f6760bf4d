//! What operators see: request ids, logs, metrics, health.

use std::{
    fmt::Write,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::{self, MatchedPath},
    http::{HeaderValue, Request, Response, StatusCode, Version, header},
    middleware::Next,
};
use percent_encoding::percent_decode_str;
use spotter_kernel::{Key, Problem, TRACE_TARGET, panics::caught_async};
use tracing::Instrument;

use crate::{
    address, envelope,
    server::{self, State},
    unread_body,
};

/// The id of a request: a random UUID, in `meta.requestId`, in the log and in audit rows.
#[derive(Clone, Debug)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The id that a request was given.
    pub fn of<B>(request: &Request<B>) -> Self {
        request.extensions().get::<Self>().cloned().unwrap_or_else(|| Self("".into()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Gives each request its id, and logs and measures it when it is answered.
pub async fn request(
    extract::State(state): extract::State<Arc<State>>,
    mut request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let mut random = [0; 16];
    state.env.entropy.fill(&mut random);
    let id = RequestId(uuid::Builder::from_random_bytes(random).into_uuid().to_string().into());
    request.extensions_mut().insert(id.clone());
    let started = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let from = address::of(&request, &state.settings.trusted_proxies);
    let mut response = match fault(&request) {
        // Extractors of paths would answer in words of their own.
        None if percent_decode_str(request.uri().path()).decode_utf8().is_err() => {
            server::unmatched(state.clone(), request).await
        }
        Some(why) => {
            server::refuse(&state, &request, Problem::with_message(Key::RequestInvalid, why))
        }
        None => {
            let (request, leftover) = unread_body::watch(request);
            let span = tracing::trace_span!(
                target: TRACE_TARGET,
                "request",
                otel.name = format_args!("{method} {}", route_name(route.as_ref())),
                otel.kind = "server",
                otel.status_code = tracing::field::Empty,
                http.request.method = %method,
                http.route = route_name(route.as_ref()),
                http.response.status_code = tracing::field::Empty,
                request_id = id.as_str(),
            );
            let answered = caught_async(next.run(request)).instrument(span.clone()).await;
            let response = answered.unwrap_or_else(|panic| {
                let request_id = id.as_str();
                tracing::error!(request_id, %method, %panic, "a request panicked");
                let rate_limit = server::count_address(&state, from);
                envelope::failure(&Key::InternalError.into(), request_id, rate_limit)
            });
            span.record("http.response.status_code", response.status().as_u16());
            if response.status().is_server_error() {
                span.record("otel.status_code", "error");
            }
            match leftover {
                Some(leftover) => unread_body::drain_or_close(response, leftover).await,
                None => response,
            }
        }
    };
    let (status, took) = (response.status().as_u16(), started.elapsed());
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert("x-request-id", value);
    }
    let route = route_name(route.as_ref());
    measure(route, status, took);
    // Query strings can hold names and addresses: they stay out of the log.
    let (request_id, ms) = (id.as_str(), took.as_secs_f64() * 1000.0);
    let path = without_secrets(&path);
    if status >= 500 {
        tracing::error!(request_id, %method, path, status, ms, %from, "request");
    } else {
        tracing::debug!(request_id, %method, path, status, ms, %from, "request");
    }
    response
}

/// The route of a request in metrics and traces.
fn route_name(route: Option<&MatchedPath>) -> &str {
    route.map_or("none", MatchedPath::as_str)
}

/// Checks of a request before it is routed (RFC 9112, section 3.2): proxies in front of this program must not be able
/// to interpret it differently.
fn fault(request: &Request<Body>) -> Option<&'static str> {
    let count = |name: header::HeaderName| request.headers().get_all(name).iter().count();
    let hosts = count(header::HOST);
    match request.version() {
        Version::HTTP_11 if hosts == 0 => Some("The Host header is missing."),
        _ if hosts > 1 => Some("The Host header was sent more than once."),
        _ if request.headers().get(header::HOST).is_some_and(|host| !is_host(host)) => {
            Some("The Host header is no host.")
        }
        _ => None,
    }
}

/// Whether every character may be part of a host and port (RFC 3986, section 3.2.2).
fn is_host(value: &HeaderValue) -> bool {
    let may = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:%[]".contains(byte);
    value.as_bytes().iter().all(may)
}

/// A path without parts that may be credentials.
fn without_secrets(path: &str) -> String {
    let plain = |part: &str| {
        let token = part.starts_with("fs") && part.contains('_') || part.starts_with("whsec_");
        !token && part.len() <= 40
    };
    let parts = path.split('/').map(|part| if plain(part) { part } else { "…" });
    parts.collect::<Vec<_>>().join("/")
}

fn measure(route: &str, status: u16, took: Duration) {
    let class = match status {
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    };
    let labels = [("route", route.to_owned()), ("status", class.to_owned())];
    metrics::counter!("spotter_http_requests_total", &labels).increment(1);
    metrics::histogram!("spotter_http_request_seconds", "route" => route.to_owned())
        .record(took.as_secs_f64());
}

/// The process runs.
pub(crate) async fn live() -> Response<Body> {
    json(StatusCode::OK, "{\"status\":\"live\"}")
}

/// The process can answer requests: the database answers a read within two seconds.
pub(crate) async fn ready(extract::State(state): extract::State<Arc<State>>) -> Response<Body> {
    match tokio::time::timeout(Duration::from_secs(2), state.db.ping()).await {
        Ok(Ok(())) => json(StatusCode::OK, "{\"status\":\"ready\"}"),
        Ok(Err(problem)) => {
            tracing::error!(%problem, "not ready");
            json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"unavailable\"}")
        }
        Err(_) => json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"slow\"}"),
    }
}

fn json(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Prometheus' text format, for the networks that may read it.
pub(crate) async fn metrics(
    extract::State(state): extract::State<Arc<State>>,
    request: Request<Body>,
) -> Response<Body> {
    let from = address::of(&request, &state.settings.trusted_proxies);
    let allowed = state.settings.metrics_networks.iter().any(|network| network.contains(&from));
    let (Some(handle), true) = (&state.metrics, allowed) else {
        return json(StatusCode::NOT_FOUND, "{}");
    };
    let (reads, writes) = state.db.waiting();
    handle.run_upkeep();
    let mut text = handle.render();
    writeln!(text, "# HELP spotter_store_waiting Transactions that wait for the store.").ok();
    writeln!(text, "# TYPE spotter_store_waiting gauge").ok();
    writeln!(text, "spotter_store_waiting{{kind=\"read\"}} {reads}").ok();
    writeln!(text, "spotter_store_waiting{{kind=\"write\"}} {writes}").ok();
    let mut response = Response::new(Body::from(text));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn tokens_in_paths_stay_out_of_the_log() {
        assert_eq!(
            without_secrets("/public/v1/clients/0123456789abcdef01234567"),
            "/public/v1/clients/0123456789abcdef01234567"
        );
        let token = format!("fspt_{}_{}", "0".repeat(24), "a".repeat(43));
        assert_eq!(without_secrets(&format!("/public/v1/{token}/x")), "/public/v1/…/x");
        assert_eq!(without_secrets("/fsc_0a"), "/…");
    }
}
