//! Fetching a small document from an address that anybody may have named: by the checks of deliveries, once, in little
//! time, and with nothing of ours in the request.

use std::{sync::Arc, time::Duration};

use ipnet::IpNet;
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderName, USER_AGENT},
};
use rustls::pki_types::CertificateDer;
use spotter_kernel::Result;

use crate::{
    sender::{LookUp, client, explain},
    target::Target,
};

/// How long it may take in all.
const FETCH_TIME: Duration = Duration::from_secs(5);
/// Most bytes of a document.
pub const DOCUMENT_MAX: usize = 5 * 1024;

/// A document as it came.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Its bytes.
    pub body: Vec<u8>,
    /// Its Cache-Control header.
    pub cache_control: String,
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
    pub async fn fetch(&self, url: &str) -> std::result::Result<Fetched, String> {
        let target = Target::parse(url, &self.private_networks).map_err(|why| why.to_string())?;
        let request = self
            .client
            .get(target.url().clone())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("Spotter/", env!("CARGO_PKG_VERSION")));
        let fetched = async {
            let answer = request.send().await;
            let answer = answer.map_err(|error| explain(&error).error.unwrap_or_default())?;
            read(answer).await
        };
        let in_time = tokio::time::timeout(FETCH_TIME, fetched).await;
        in_time.unwrap_or_else(|_| Err("no answer within 5 seconds".to_owned()))
    }
}

async fn read(mut answer: Response) -> std::result::Result<Fetched, String> {
    if answer.status() != StatusCode::OK {
        return Err(format!("HTTP {}, and not 200", answer.status().as_u16()));
    }
    let header = |name: HeaderName| {
        let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_ascii_lowercase()
    };
    let (kind, cache_control) = (header(CONTENT_TYPE), header(CACHE_CONTROL));
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind != "application/json" && !kind.ends_with("+json") {
        return Err("is not sent as JSON".to_owned());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|_| "broke off".to_owned())? {
        if body.len() + chunk.len() > DOCUMENT_MAX {
            return Err("is longer than 5 KiB".to_owned());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Fetched { body, cache_control })
}
