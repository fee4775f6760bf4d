//! One attempt: a signed POST to an address that was checked, within its time.

use std::{
    error::Error,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use ipnet::IpNet;
use reqwest::{
    Client, Response,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT},
    redirect::Policy,
};
use rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer};
use spotter_kernel::{Problem, Result};

use crate::{
    preview::preview,
    redaction::Redactor,
    signature::{DELIVERY_HEADER, EVENT_HEADER, SIGNATURE_HEADER, Signed, TIMESTAMP_HEADER},
    target::{Target, TargetError, vet},
};

/// How long an attempt may take in all: looking up, connecting, sending and reading.
pub const ATTEMPT_TIME: Duration = Duration::from_secs(15);
/// Most bytes of an answer's body that are read.
pub const ANSWER_MAX: usize = 16 * 1024;
/// How long an unused connection is kept.
const IDLE_TIME: Duration = Duration::from_secs(60);

/// Looks up the addresses of a name.
pub trait LookUp: Send + Sync + 'static {
    /// The addresses, whatever they are; they are checked afterwards.
    fn look_up(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// The system's own resolver.
pub struct SystemLookUp;

impl LookUp for SystemLookUp {
    fn look_up(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Resolves names for the connections themselves, so that what was checked is what is dialled.
struct CheckedResolver {
    look_up: Arc<dyn LookUp>,
    private_networks: Arc<[IpNet]>,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (look_up, networks) = (self.look_up.clone(), self.private_networks.clone());
        Box::pin(async move {
            let found = addresses(&*look_up, name.as_str(), &networks).await?;
            let found: Vec<_> = found.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

async fn addresses(
    look_up: &dyn LookUp,
    name: &str,
    networks: &[IpNet],
) -> Result<Vec<IpAddr>, Unreachable> {
    let found = look_up.look_up(name).await.map_err(Unreachable::LookUp)?;
    vet(&found, networks).map_err(Unreachable::Refused)?;
    Ok(found)
}

/// Why there is no address to connect to.
#[derive(Debug)]
enum Unreachable {
    LookUp(io::Error),
    Refused(TargetError),
}

impl std::fmt::Display for Unreachable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LookUp(error) => write!(f, "the name has no address: {error}"),
            Self::Refused(refused) => write!(f, "the target {refused}"),
        }
    }
}

impl Error for Unreachable {}

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
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
    /// One that brought no answer, and why.
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

/// A client that goes to addresses which were checked, follows no redirect, and trusts the system's certificate
/// authorities and these.
pub(crate) fn client(
    private_networks: &Arc<[IpNet]>,
    authorities: &[CertificateDer<'static>],
    look_up: &Arc<dyn LookUp>,
) -> Result<Client> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots.add_parsable_certificates(authorities.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Problem::internal)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let (look_up, private_networks) = (look_up.clone(), private_networks.clone());
    Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(CheckedResolver { look_up, private_networks })
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .http1_only()
        .https_only(true)
        .referer(false)
        .tcp_nodelay(true)
        .pool_idle_timeout(IDLE_TIME)
        .pool_max_idle_per_host(32)
        .build()
        .map_err(Problem::internal)
}

impl Sender {
    /// A sender that trusts the system's certificate authorities and these.
    pub fn new(
        private_networks: Arc<[IpNet]>,
        authorities: &[CertificateDer<'static>],
        look_up: Arc<dyn LookUp>,
    ) -> Result<Self> {
        let client = client(&private_networks, authorities, &look_up)?;
        Ok(Self { client, look_up, private_networks, redactor: Redactor::new()?.into() })
    }

    /// Checks a target as every attempt does, its name's addresses too.
    pub async fn check(&self, url: &str) -> std::result::Result<(), TargetError> {
        let target = Target::parse(url, &self.private_networks)?;
        let Some(url::Host::Domain(name)) = target.url().host() else { return Ok(()) };
        let found = addresses(&*self.look_up, name, &self.private_networks);
        match tokio::time::timeout(ATTEMPT_TIME / 3, found).await {
            Ok(Err(Unreachable::Refused(refused))) => Err(refused),
            // A name that can't be looked up now may be there when there is something to tell.
            Ok(Ok(_) | Err(Unreachable::LookUp(_))) | Err(_) => Ok(()),
        }
    }

    /// Makes an attempt, signed at this instant (Unix seconds).
    pub async fn send(&self, outgoing: &Outgoing, now: i64) -> AttemptRecord {
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
            Ok(Err(error)) => explain(&error),
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

fn headers(outgoing: &Outgoing, now: i64) -> HeaderMap {
    let Outgoing { event, event_id, delivery_id, body, secrets, .. } = outgoing;
    let signed = Signed { timestamp: now, delivery: delivery_id, event: event_id, body };
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

/// The beginning of the body, as far as it comes in time.
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

/// Turns the client's error into a line for the integrator.
pub(crate) fn explain(error: &reqwest::Error) -> AttemptRecord {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    let mut last = error.to_string();
    while let Some(inner) = cause {
        match inner.downcast_ref::<Unreachable>() {
            Some(Unreachable::Refused(refused)) => {
                return AttemptRecord::failed(
                    AttemptOutcome::Blocked,
                    format!("the target {refused}"),
                );
            }
            Some(other) => {
                return AttemptRecord::failed(AttemptOutcome::Unreachable, other.to_string());
            }
            None => {}
        }
        if let Some(tls) = tls_error(inner) {
            return AttemptRecord::failed(AttemptOutcome::Unreachable, format!("TLS: {tls}"));
        }
        last = inner.to_string();
        cause = inner.source();
    }
    let when = if error.is_connect() { "connecting" } else { "the connection broke" };
    AttemptRecord::failed(AttemptOutcome::Unreachable, format!("{when}: {last}"))
}

/// The TLS library's own error, which others wrap.
fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.downcast_ref().or_else(|| wrapped.and_then(|inner| tls_error(inner)))
}
