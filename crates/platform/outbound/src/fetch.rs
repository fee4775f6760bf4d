//! Fetching a small document from an address that anybody may have named: with the checks of deliveries, one attempt,
//! little time, and no credentials.

use std::{fmt, sync::Arc, time::Duration};

use ipnet::IpNet;
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderName, USER_AGENT},
};
use rustls::pki_types::CertificateDer;
use spotter_kernel::Result;

use crate::{
    http_client::{ConnectionError, LookUp, client},
    target::Target,
};

/// How long it may take in all.
const FETCH_TIME: Duration = Duration::from_secs(5);
/// Most bytes of a document.
pub const DOCUMENT_MAX: usize = 5 * 1024;

/// A document as it came.
#[derive(Clone, Debug)]
pub struct FetchedDocument {
    /// Its bytes.
    pub body: Vec<u8>,
    /// Its Cache-Control header.
    pub cache_control: String,
}

/// Why there is no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No answer, or an incomplete one.
    Silent(String),
    /// The answer is not the expected document.
    Wrong(String),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Silent(why) | Self::Wrong(why)) = self;
        f.write_str(why)
    }
}

/// Fetches documents.
#[derive(Clone)]
pub struct Fetcher {
    client: Client,
    private_networks: Arc<[IpNet]>,
}

impl Fetcher {
    /// One that goes to public addresses and into these networks.
    pub fn new(
        private_networks: Arc<[IpNet]>,
        authorities: &[CertificateDer<'static>],
        look_up: Arc<dyn LookUp>,
    ) -> Result<Self> {
        Ok(Self { client: client(&private_networks, authorities, &look_up)?, private_networks })
    }

    /// The JSON document at an address, or a line on why there is none.
    pub async fn fetch(&self, url: &str) -> std::result::Result<FetchedDocument, FetchError> {
        let target = Target::parse(url, &self.private_networks);
        let target = target.map_err(|why| FetchError::Wrong(why.to_string()))?;
        let request = self
            .client
            .get(target.url().clone())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("Spotter/", env!("CARGO_PKG_VERSION")));
        let fetched = async {
            let answer = request.send().await;
            let silent = |error| FetchError::Silent(ConnectionError::of(&error).to_string());
            let answer = answer.map_err(silent)?;
            read(answer).await
        };
        let in_time = tokio::time::timeout(FETCH_TIME, fetched).await;
        let late = || FetchError::Silent("no answer within 5 seconds".to_owned());
        in_time.unwrap_or_else(|_| Err(late()))
    }
}

async fn read(mut answer: Response) -> std::result::Result<FetchedDocument, FetchError> {
    let wrong = |why: &str| Err(FetchError::Wrong(why.to_owned()));
    if answer.status() != StatusCode::OK {
        return wrong(&format!("HTTP {}, and not 200", answer.status().as_u16()));
    }
    let header = |name: HeaderName| {
        let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_ascii_lowercase()
    };
    let (kind, cache_control) = (header(CONTENT_TYPE), header(CACHE_CONTROL));
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind != "application/json" && !kind.ends_with("+json") {
        return wrong("is not sent as JSON");
    }
    let mut body = Vec::new();
    let broke_off = |_| FetchError::Silent("broke off".to_owned());
    while let Some(chunk) = answer.chunk().await.map_err(broke_off)? {
        if body.len() + chunk.len() > DOCUMENT_MAX {
            return wrong("is longer than 5 KiB");
        }
        body.extend_from_slice(&chunk);
    }
    Ok(FetchedDocument { body, cache_control })
}
