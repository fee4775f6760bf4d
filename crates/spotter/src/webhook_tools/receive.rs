//! `spotter webhooks listen --port`: a receiver for the integrator's desk, which verifies what comes, prints it and
//! forwards it.

use std::{net::SocketAddr, path::PathBuf};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use axum_server::tls_rustls::RustlsConfig;
use spotter_kernel::Clock;
use spotter_webhooks::{
    canonical::canonical,
    signature::{DELIVERY_HEADER, EVENT_HEADER, SIGNATURE_HEADER, SignedBody, TIMESTAMP_HEADER},
};

use super::forward::ForwardTarget;
use crate::system::SystemClock;

/// The receiver of events.
pub(crate) struct Listener {
    pub(crate) port: u16,
    pub(crate) secret: String,
    /// Certificate chain and private key; without them it speaks plain HTTP, for a tunnel.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    /// Where authentic deliveries go on to, as they came.
    pub(crate) target: Option<ForwardTarget>,
}

/// Receives until the process ends.
pub(crate) async fn run(listener: Listener) -> Result<(), String> {
    let Listener { port, secret, tls, target } = listener;
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let shared = std::sync::Arc::new((secret, target));
    let receive = move |headers: HeaderMap, body: Bytes| {
        let shared = shared.clone();
        async move {
            let (secret, target) = &*shared;
            let status = receive(secret, &headers, &body);
            if let (true, Some(target)) = (status.is_success(), target) {
                let answer = target.send(&signed_headers(&headers), &body).await;
                say!("{}", answer.unwrap_or_else(|error| error));
            }
            status
        }
    };
    let service = Router::new().fallback(post(receive)).into_make_service();
    let scheme = if tls.is_some() { "https" } else { "http" };
    say!("Listening on {scheme}://{address}/ for deliveries; any path will do. Ctrl-C stops.");
    let served = match tls {
        Some((certificate, key)) => {
            let loaded = RustlsConfig::from_pem_file(&certificate, &key).await;
            let tls = loaded.map_err(|error| format!("{}: {error}", certificate.display()))?;
            axum_server::bind_rustls(address, tls).serve(service).await
        }
        None => axum_server::bind(address).serve(service).await,
    };
    served.map_err(|error| format!("{address}: {error}"))
}

/// The headers of a delivery, for a copy of it.
fn signed_headers(headers: &HeaderMap) -> Vec<(&'static str, String)> {
    let names = [EVENT_HEADER, DELIVERY_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER];
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    names.into_iter().map(|name| (name, value(name).unwrap_or_default().to_owned())).collect()
}

fn receive(secret: &str, headers: &HeaderMap, body: &[u8]) -> StatusCode {
    let now = SystemClock.now();
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("-");
    let verdict = verify(secret, headers, body, now.seconds());
    let mark = match &verdict {
        Ok(_) => "signature ok".to_owned(),
        Err(why) => format!("REFUSED: {why}"),
    };
    say!("\n{now}  {}  delivery {}  {mark}", header(EVENT_HEADER), header(DELIVERY_HEADER));
    match verdict {
        Ok(event) => {
            say!("{event:#}");
            StatusCode::NO_CONTENT
        }
        Err(_) => {
            say!("{}", String::from_utf8_lossy(body).escape_debug());
            StatusCode::BAD_REQUEST
        }
    }
}

/// The event, if the delivery is authentic; otherwise what is wrong with it.
fn verify(
    secret: &str,
    headers: &HeaderMap,
    body: &[u8],
    now: i64,
) -> Result<serde_json::Value, String> {
    let header = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.ok_or_else(|| format!("there is no header {name}"))
    };
    let event: serde_json::Value =
        serde_json::from_slice(body).map_err(|error| format!("the body is no JSON: {error}"))?;
    let id = event["id"].as_str().ok_or("the body has no id")?;
    let timestamp = header(TIMESTAMP_HEADER)?;
    let timestamp = timestamp.parse().map_err(|_| "the timestamp is no number".to_owned())?;
    let signed = SignedBody {
        timestamp,
        delivery: header(DELIVERY_HEADER)?,
        event: id,
        body: &canonical(&event),
    };
    signed.verify(secret, header(SIGNATURE_HEADER)?, now)?;
    Ok(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signed_notices_are_accepted() {
        let body = r#"{ "type": "client.created", "id": "e1", "data": {"b": 1, "a": 2} }"#;
        let canonical = r#"{"data":{"a":2,"b":1},"id":"e1","type":"client.created"}"#;
        let signed = SignedBody { timestamp: 1_000, delivery: "d1", event: "e1", body: canonical };
        let mut headers = HeaderMap::new();
        assert!(verify("whsec_a", &headers, body.as_bytes(), 1_000).is_err());
        headers.insert(DELIVERY_HEADER, "d1".parse().unwrap());
        headers.insert(TIMESTAMP_HEADER, "1000".parse().unwrap());
        headers.insert(SIGNATURE_HEADER, signed.header(["whsec_a"]).parse().unwrap());
        assert!(verify("whsec_a", &headers, body.as_bytes(), 1_200).is_ok());
        assert!(verify("whsec_a", &headers, body.as_bytes(), 1_400).is_err());
        assert!(verify("whsec_b", &headers, body.as_bytes(), 1_200).is_err());
        assert!(verify("whsec_a", &headers, b"{}", 1_200).is_err());
        assert!(verify("whsec_a", &headers, b"x", 1_200).is_err());
    }
}
