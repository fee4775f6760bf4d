//! One attempt: a signed POST to an address that was checked, within its time.

use std::{sync::Arc, time::Duration};

use ipnet::IpNet;
use reqwest::{
    Client, Response,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT},
};
use rustls::pki_types::CertificateDer;
use spotter_kernel::Result;
use spotter_outbound::{
    http_client::{self, ConnectionError, LookUp},
    target::{Target, TargetError},
};

use crate::{
    preview::preview,
    redaction::Redactor,
    signature::{DELIVERY_HEADER, EVENT_HEADER, SIGNATURE_HEADER, SignedBody, TIMESTAMP_HEADER},
};

/// How long an attempt may take in all: looking up, connecting, sending and reading.
pub const ATTEMPT_TIME: Duration = Duration::from_secs(15);
/// Most bytes of an answer's body that are read.
pub const ANSWER_MAX: usize = 16 * 1024;

/// The request to send.
#[derive(Clone, Debug)]
pub struct OutgoingRequest {
    /// The target as it was registered.
    pub url: String,
    /// The event's name.
    pub event: String,
    /// The event's id.
    pub event_id: String,
    /// The delivery's id.
    pub delivery_id: String,
    /// Canonical JSON.
    pub body: String,
    /// The secrets that sign.
    pub secrets: Vec<String>,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The target answered 2xx.
    Delivered,
    /// The target answered something else.
    Refused,
    /// There was no answer in time.
    TimedOut,
    /// There was no connection, or it broke.
    Unreachable,
    /// The target is not where deliveries may go.
    Blocked,
    /// The attempt broke off on our side.
    Broken,
}

impl AttemptOutcome {
    /// As metrics call it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Refused => "refused",
            Self::TimedOut => "timed_out",
            Self::Unreachable => "unreachable",
            Self::Blocked => "blocked",
            Self::Broken => "broken",
        }
    }
}

/// The record of an attempt.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    /// Result.
    pub verdict: AttemptOutcome,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// The beginning of the answer, redacted.
    pub preview: Option<String>,
    /// What went wrong, in a line.
    pub error: Option<String>,
}

impl AttemptRecord {
    /// An attempt without an answer, and why.
    pub fn failed(verdict: AttemptOutcome, error: impl Into<String>) -> Self {
        Self { verdict, status: None, preview: None, error: Some(error.into()) }
    }
}

/// Sends attempts over kept-alive connections to addresses that were checked.
#[derive(Clone)]
pub struct Sender {
    client: Client,
    look_up: Arc<dyn LookUp>,
    private_networks: Arc<[IpNet]>,
    redactor: Arc<Redactor>,
}

impl Sender {
    /// A sender that trusts the system's certificate authorities and these.
    pub fn new(
        private_networks: Arc<[IpNet]>,
        authorities: &[CertificateDer<'static>],
        look_up: Arc<dyn LookUp>,
    ) -> Result<Self> {
        let client = http_client::client(&private_networks, authorities, &look_up)?;
        Ok(Self { client, look_up, private_networks, redactor: Redactor::new()?.into() })
    }

    /// Its connections, for what else goes to checked addresses.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Checks a target as every attempt does, its name's addresses too.
    pub async fn check(&self, url: &str) -> std::result::Result<(), TargetError> {
        let target = Target::parse(url, &self.private_networks)?;
        let Some(url::Host::Domain(name)) = target.url().host() else { return Ok(()) };
        let refused = http_client::refusal(&*self.look_up, name, &self.private_networks);
        match tokio::time::timeout(ATTEMPT_TIME / 3, refused).await {
            Ok(Some(refused)) => Err(refused),
            // A name that cannot be resolved now may exist by the time of a delivery.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Makes an attempt, signed at this instant (Unix seconds).
    pub async fn send(&self, outgoing: &OutgoingRequest, now: i64) -> AttemptRecord {
        let target = match Target::parse(&outgoing.url, &self.private_networks) {
            Ok(target) => target,
            Err(refused) => {
                return AttemptRecord::failed(
                    AttemptOutcome::Blocked,
                    format!("the target {refused}"),
                );
            }
        };
        let deadline = tokio::time::Instant::now() + ATTEMPT_TIME;
        let request = self
            .client
            .post(target.url().clone())
            .headers(headers(outgoing, now))
            .body(outgoing.body.clone());
        match tokio::time::timeout_at(deadline, request.send()).await {
            Err(_) => {
                AttemptRecord::failed(AttemptOutcome::TimedOut, "no answer within 15 seconds")
            }
            Ok(Err(error)) => ConnectionError::of(&error).into(),
            Ok(Ok(answer)) => {
                let status = answer.status();
                // Once the status is known, so is the outcome; the body is only for people.
                let body = read(answer, deadline).await;
                let verdict = if status.is_success() {
                    AttemptOutcome::Delivered
                } else {
                    AttemptOutcome::Refused
                };
                let redirects = matches!(status.as_u16(), 300..=303 | 307 | 308);
                let error = (!status.is_success()).then(|| match redirects {
                    true => format!("HTTP {}: redirects are not followed", status.as_u16()),
                    false => format!("HTTP {}", status.as_u16()),
                });
                let status = Some(status.as_u16());
                let preview = preview(&self.redactor, &body);
                AttemptRecord { verdict, status, preview, error }
            }
        }
    }
}

fn headers(outgoing: &OutgoingRequest, now: i64) -> HeaderMap {
    let OutgoingRequest { event, event_id, delivery_id, body, secrets, .. } = outgoing;
    let signed = SignedBody { timestamp: now, delivery: delivery_id, event: event_id, body };
    let signature = signed.header(secrets.iter().map(String::as_str));
    let timestamp = now.to_string();
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (CONTENT_TYPE, "application/json"),
        (USER_AGENT, concat!("Spotter/", env!("CARGO_PKG_VERSION"))),
        (HeaderName::from_static(EVENT_HEADER), event.as_str()),
        (HeaderName::from_static(DELIVERY_HEADER), delivery_id),
        (HeaderName::from_static(TIMESTAMP_HEADER), &timestamp),
        (HeaderName::from_static(SIGNATURE_HEADER), &signature),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// The beginning of the body, as far as it arrives in time.
async fn read(mut answer: Response, deadline: tokio::time::Instant) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(deadline, answer.chunk()).await {
        let room = ANSWER_MAX - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == ANSWER_MAX {
            break;
        }
    }
    body
}

impl From<ConnectionError> for AttemptRecord {
    fn from(error: ConnectionError) -> Self {
        let verdict = match error {
            ConnectionError::Refused(_) => AttemptOutcome::Blocked,
            ConnectionError::Broken(_) => AttemptOutcome::Unreachable,
        };
        Self::failed(verdict, error.to_string())
    }
}
