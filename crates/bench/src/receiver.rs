//! A receiver over TLS that writes down what comes and when.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path as UrlPath, State},
    http::{HeaderMap, StatusCode},
    routing::post,
};
use axum_server::tls_rustls::RustlsConfig;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::Value;
use spotter_kernel::Timestamp;

use crate::Outcome;

/// A received delivery.
#[derive(Clone, Debug)]
pub struct Receipt {
    /// The delivery's id.
    pub delivery: String,
    /// The event.
    pub event: Value,
    /// When it was received, in milliseconds since the epoch.
    pub at: i64,
}

impl Receipt {
    /// From the event to its receipt, in milliseconds: the commit lies in between.
    pub fn latency(&self) -> i64 {
        let occurred = self.event["occurredAt"].as_str().and_then(Timestamp::parse);
        self.at - occurred.map_or(0, Timestamp::millis)
    }
}

/// The receiver.
#[derive(Clone)]
pub struct Receiver {
    port: u16,
    receipts: Arc<Mutex<Vec<Receipt>>>,
}

/// The time now, in milliseconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "a measurement needs the real time")]
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

impl Receiver {
    /// Starts it; the certificate of its authority is written to `ca.pem` in the folder.
    pub async fn start(folder: &Path) -> Outcome<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("ca.pem"), params.self_signed(&key)?.pem())?;
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate()?;
        let signed =
            CertificateParams::new(vec!["127.0.0.1".to_owned()])?.signed_by(&key, &issuer)?;
        let tls = RustlsConfig::from_pem(signed.pem().into(), key.serialize_pem().into()).await?;
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let this = Self { port: listener.local_addr()?.port(), receipts: Arc::default() };
        let service = Router::new()
            .route("/{manner}/{mark}", post(receive))
            .with_state(this.clone())
            .into_make_service();
        let server = axum_server::from_tcp_rustls(listener, tls)?;
        tokio::spawn(async move { server.serve(service).await });
        Ok(this)
    }

    /// An address that answers at once (`good`) or never (`hangs`).
    pub fn url(&self, manner: &str, mark: &str) -> String {
        format!("https://127.0.0.1:{}/{manner}/{mark}", self.port)
    }

    /// The number of received deliveries.
    pub fn count(&self) -> usize {
        self.receipts.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Deliveries received since the last call.
    pub fn take(&self) -> Vec<Receipt> {
        std::mem::take(&mut *self.receipts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until this many were received; false if they are not in time.
    pub async fn wait_for(&self, count: usize, within: Duration) -> bool {
        let deadline = tokio::time::Instant::now() + within;
        while self.count() < count && tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.count() >= count
    }
}

async fn receive(
    State(this): State<Receiver>,
    UrlPath((manner, _)): UrlPath<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let at = now();
    if manner == "hangs" {
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let delivery = headers.get("x-service-webhook-delivery").and_then(|id| id.to_str().ok());
    let delivery = delivery.unwrap_or_default().to_owned();
    let event = serde_json::from_slice(&body).unwrap_or_default();
    let receipt = Receipt { delivery, event, at };
    this.receipts.lock().unwrap_or_else(PoisonError::into_inner).push(receipt);
    StatusCode::NO_CONTENT
}
