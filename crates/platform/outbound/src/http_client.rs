//! An HTTPS client that connects only to checked addresses: it resolves names itself, so that the checked address is
//! the dialled one.

use std::{
    error::Error,
    fmt, io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use ipnet::IpNet;
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect::Policy,
};
use rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer};
use spotter_kernel::{Problem, Result};

use crate::target::{TargetError, vet};

/// How long an unused connection is kept open.
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

/// Resolves names for the connections themselves, so that the checked address is the dialled one.
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

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LookUp(error) => write!(f, "the name has no address: {error}"),
            Self::Refused(refused) => write!(f, "the target {refused}"),
        }
    }
}

impl Error for Unreachable {}

/// Why a name may not be reached, if it was resolved to a forbidden address.
pub async fn refusal(look_up: &dyn LookUp, name: &str, networks: &[IpNet]) -> Option<TargetError> {
    match addresses(look_up, name, networks).await {
        Err(Unreachable::Refused(refused)) => Some(refused),
        Ok(_) | Err(Unreachable::LookUp(_)) => None,
    }
}

/// A client that goes to addresses which were checked, follows no redirect, and trusts the system's certificate
/// authorities and these.
pub fn client(
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

/// Why a request got no answer.
#[derive(Debug)]
pub enum ConnectionError {
    /// Its name leads where nothing may go.
    Refused(TargetError),
    /// There was no connection, or it broke; in a line for the one who runs the other end.
    Broken(String),
}

impl ConnectionError {
    /// The reason within the client's error.
    pub fn of(error: &reqwest::Error) -> Self {
        let mut cause: Option<&(dyn Error + 'static)> = Some(error);
        let mut last = error.to_string();
        while let Some(inner) = cause {
            match inner.downcast_ref::<Unreachable>() {
                Some(Unreachable::Refused(refused)) => return Self::Refused(refused.clone()),
                Some(other) => return Self::Broken(other.to_string()),
                None => {}
            }
            if let Some(tls) = tls_error(inner) {
                return Self::Broken(format!("TLS: {tls}"));
            }
            last = inner.to_string();
            cause = inner.source();
        }
        let when = if error.is_connect() { "connecting" } else { "the connection broke" };
        Self::Broken(format!("{when}: {last}"))
    }
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => write!(f, "the target {refused}"),
            Self::Broken(why) => f.write_str(why),
        }
    }
}

/// The TLS library's own error, which others wrap.
fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.downcast_ref().or_else(|| wrapped.and_then(|inner| tls_error(inner)))
}
