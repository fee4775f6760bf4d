//! A webhook receiver over TLS with good and bad manners, and names for it that only the tests' engine can resolve.

use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, Response, StatusCode},
    routing::post,
};
use axum_server::tls_rustls::RustlsConfig;
use futures_util::{StreamExt, stream};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::CertificateDer;
use spotter_outbound::http_client::LookUp;

use super::runtime;

/// A received delivery.
#[derive(Clone, Debug)]
pub struct Received {
    /// Its headers, in lower case.
    pub headers: HashMap<String, String>,
    /// Its body; in hexadecimal where it is no text.
    pub body: String,
}

/// A document's answer: status, headers and body.
type Published = (u16, Vec<(&'static str, String)>, String);

/// The receiver of this process.
pub struct Receiver {
    authority: CertificateDer<'static>,
    authority_pem: String,
    port: u16,
    untrusted: u16,
    resetting: u16,
    received: Mutex<HashMap<String, Vec<Received>>>,
    /// The answers for documents, by mark.
    documents: Mutex<HashMap<String, Published>>,
    fetched: Mutex<HashMap<String, usize>>,
}

/// The name of this machine, for settings that require a name.
pub fn named_host() -> &'static str {
    if super::shipped().is_some() { "localhost" } else { "good.receiver.example" }
}

/// The name of this machine for receivers: the shipped binary looks names up in the system.
pub fn host() -> &'static str {
    if super::shipped().is_some() { "127.0.0.1" } else { "good.receiver.example" }
}

/// The one receiver.
pub fn receiver() -> &'static Receiver {
    static RECEIVER: OnceLock<&Receiver> = OnceLock::new();
    RECEIVER.get_or_init(Receiver::start)
}

fn certificate(issuer: Option<&Issuer<'_, KeyPair>>) -> (String, String) {
    let names = ["*.receiver.example", "127.0.0.1", "localhost"].map(str::to_owned).to_vec();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(names).unwrap();
    let signed = match issuer {
        Some(issuer) => params.signed_by(&key, issuer).unwrap(),
        None => params.self_signed(&key).unwrap(),
    };
    (signed.pem(), key.serialize_pem())
}

impl Receiver {
    fn start() -> &'static Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let signed = params.self_signed(&key).unwrap();
        let (authority, authority_pem) = (signed.der().clone(), signed.pem());
        let issuer = Issuer::new(params, key);
        let listener = || {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        };
        let listeners = [listener(), listener(), listener()];
        let [port, untrusted, resetting] =
            [0, 1, 2].map(|at| listeners[at].local_addr().unwrap().port());
        let [trusted_listener, untrusted_listener, resetting_listener] = listeners;
        let this: &'static Self = Box::leak(Box::new(Self {
            authority,
            authority_pem,
            port,
            untrusted,
            resetting,
            received: Mutex::default(),
            documents: Mutex::default(),
            fetched: Mutex::default(),
        }));
        let service = Router::new()
            .route("/{manner}/{mark}", post(receive).get(document))
            .with_state(this)
            .into_make_service();
        for (listener, (chain, key)) in [
            (trusted_listener, certificate(Some(&issuer))),
            (untrusted_listener, certificate(None)),
        ] {
            let service = service.clone();
            runtime().spawn(async move {
                let tls = RustlsConfig::from_pem(chain.into(), key.into()).await.unwrap();
                axum_server::from_tcp_rustls(listener, tls).unwrap().serve(service).await.unwrap();
            });
        }
        runtime().spawn(async move {
            let listener = tokio::net::TcpListener::from_std(resetting_listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_zero_linger().unwrap();
            }
        });
        this
    }

    /// The authority's certificate as a PEM file holds it.
    pub fn authority_pem(&self) -> &str {
        &self.authority_pem
    }

    /// The certificate authority of the receiver.
    pub fn authority(&self) -> CertificateDer<'static> {
        self.authority.clone()
    }

    /// The address of a receiver with these manners; the mark identifies its deliveries.
    pub fn url(&self, manner: &str, mark: &str) -> String {
        self.url_at(host(), manner, mark)
    }

    /// The same by another name of this machine.
    pub fn url_at(&self, host: &str, manner: &str, mark: &str) -> String {
        let port = match manner {
            "untrusted" => self.untrusted,
            "reset" => self.resetting,
            _ => self.port,
        };
        format!("https://{host}:{port}/{manner}/{mark}")
    }

    /// Has a document fetched at the address of a mark.
    pub fn publish(
        &self,
        mark: &str,
        status: u16,
        headers: &[(&'static str, &str)],
        body: &str,
    ) -> String {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        self.documents.lock().unwrap().insert(mark.to_owned(), (status, headers, body.to_owned()));
        self.url_at(named_host(), "document", mark)
    }

    /// How often the document of a mark was fetched.
    pub fn fetched(&self, mark: &str) -> usize {
        self.fetched.lock().unwrap().get(mark).copied().unwrap_or_default()
    }

    /// Deliveries received for a mark so far.
    pub fn received(&self, mark: &str) -> Vec<Received> {
        self.received.lock().unwrap().get(mark).cloned().unwrap_or_default()
    }
}

async fn document(
    State(this): State<&'static Receiver>,
    Path((_, mark)): Path<(String, String)>,
) -> Response<Body> {
    *this.fetched.lock().unwrap().entry(mark.clone()).or_default() += 1;
    let found = this.documents.lock().unwrap().get(&mark).cloned();
    let (status, headers, body) = found.unwrap_or((404, Vec::new(), String::new()));
    let mut answer = Response::builder().status(status);
    for (name, value) in headers {
        answer = answer.header(name, value);
    }
    answer.body(body.into()).unwrap()
}

async fn receive(
    State(this): State<&'static Receiver>,
    Path((manner, mark)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let text = |value: &axum::http::HeaderValue| value.to_str().unwrap().to_owned();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let hex = || body.iter().map(|byte| format!("{byte:02x}")).collect();
    let body = String::from_utf8(body.to_vec()).unwrap_or_else(|_| hex());
    let received = Received { headers, body };
    let count = {
        let mut all = this.received.lock().unwrap();
        let so_far = all.entry(mark).or_default();
        so_far.push(received);
        so_far.len()
    };
    let answer = |status: u16, body: Body| Response::builder().status(status).body(body).unwrap();
    let slowly = |byte: &'static [u8]| {
        Body::from_stream(stream::repeat(byte).then(|byte| async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, Infallible>(byte)
        }))
    };
    match manner.as_str() {
        "fails" => answer(
            500,
            r#"{"error":"broken","token":"s3cr3t-t0ken","to":"ann@example.com"}"#.into(),
        ),
        "pushed" => answer(201, Body::empty()),
        "gone" => answer(410, Body::empty()),
        "recovers" if count == 1 => answer(503, "later".into()),
        "redirects" => Response::builder()
            .status(StatusCode::MOVED_PERMANENTLY)
            .header("location", this.url("good", "redirected"))
            .body(Body::empty())
            .unwrap(),
        "hangs" => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            answer(200, Body::empty())
        }
        "slow" => {
            tokio::time::sleep(Duration::from_secs(2)).await;
            answer(204, Body::empty())
        }
        "trickles" => answer(500, slowly(b".")),
        "endless" => {
            let chunk: &[u8] = &[b'x'; 4096];
            answer(200, Body::from_stream(stream::repeat(Ok::<_, Infallible>(chunk))))
        }
        "bomb" => Response::builder()
            .header("content-encoding", "gzip")
            // The beginning of ten megabytes of zeros.
            .body(Body::from([&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0; 4000]].concat()))
            .unwrap(),
        "chatty" => answer(200, r#"{"ok":true,"session":{"token":"s3cr3t-t0ken"}}"#.into()),
        _ => answer(204, Body::empty()),
    }
}

/// Looks up the names of the tests: `good` is here, `private` is not public, `changing` is here
/// at first and not public afterwards, `panics` is here at first and panics afterwards.
#[derive(Default)]
pub struct TestNames {
    changing: AtomicUsize,
    panics: AtomicUsize,
}

impl LookUp for TestNames {
    fn look_up(&self, name: &str) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let here = IpAddr::from([127, 0, 0, 1]);
        let private = IpAddr::from([10, 0, 0, 1]);
        let found = match name {
            "good.receiver.example" => Ok(vec![here]),
            "panics.receiver.example" if self.panics.fetch_add(1, Ordering::SeqCst) > 0 => {
                return Box::pin(async { panic!("on purpose") });
            }
            "panics.receiver.example" => Ok(vec![here]),
            "private.receiver.example" => Ok(vec![private]),
            "mixed.receiver.example" => Ok(vec![here, private]),
            "changing.receiver.example" => match self.changing.fetch_add(1, Ordering::SeqCst) {
                0 => Ok(vec![here]),
                _ => Ok(vec![private]),
            },
            _ => Err(io::Error::other("no such name")),
        };
        Box::pin(async move { found })
    }
}

/// An address without a listener.
pub fn closed_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Shared by the engines of a process.
pub fn names() -> Arc<TestNames> {
    Arc::default()
}
