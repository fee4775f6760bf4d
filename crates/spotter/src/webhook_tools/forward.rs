//! Deliveries to a program under development: signed like those of the service.

use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use spotter_contract::{Surface, Table};
use spotter_http::openapi;
use spotter_kernel::{Clock, Entropy, Event, Id};
use spotter_webhooks::{
    canonical::canonical,
    signature::{
        DELIVERY_HEADER, EVENT_HEADER, SIGNATURE_HEADER, SignedBody, TIMESTAMP_HEADER, new_secret,
    },
};

use crate::system::{SystemClock, SystemEntropy};

/// How long the program may take to answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Most characters that are shown of a refusal.
const TOLD_MAX: usize = 200;

/// Where deliveries go, and the secret that signs them.
pub(crate) struct ForwardTarget {
    http: Client,
    url: String,
    secret: String,
}

impl ForwardTarget {
    /// A target; without a secret a new one is made, and printed for the program.
    pub(crate) fn new(url: String, secret: Option<String>) -> Result<Self, String> {
        let parsed = reqwest::Url::parse(&url).map_err(|error| format!("--forward-to: {error}"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err("--forward-to must be an http or https URL".into());
        }
        let http = Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none());
        let http = http.build().map_err(|error| error.to_string())?;
        let secret = secret.unwrap_or_else(|| {
            let secret = new_secret(&SystemEntropy);
            say!("The signing secret of these deliveries is {secret}");
            secret
        });
        Ok(Self { http, url, secret })
    }

    /// Sends an event as a delivery of its own; the answer in a line, or why there is none.
    pub(crate) async fn deliver(&self, event: &Value) -> Result<String, String> {
        let delivery = new_id().to_string();
        let timestamp = SystemClock.now().seconds();
        let body = canonical(event);
        let id = event["id"].as_str().unwrap_or_default();
        let signed = SignedBody { timestamp, delivery: &delivery, event: id, body: &body };
        let headers = [
            (EVENT_HEADER, event["type"].as_str().unwrap_or_default().to_owned()),
            (DELIVERY_HEADER, delivery.clone()),
            (TIMESTAMP_HEADER, timestamp.to_string()),
            (SIGNATURE_HEADER, signed.header([self.secret.as_str()])),
        ];
        self.send(&headers, body.as_bytes()).await
    }

    /// Sends a delivery as it was received.
    pub(crate) async fn send(
        &self,
        headers: &[(&str, String)],
        body: &[u8],
    ) -> Result<String, String> {
        let request = self.http.post(&self.url).header("content-type", "application/json");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        let answer = request.body(body.to_vec()).send().await;
        let answer = answer.map_err(|error| format!("{} did not answer: {error}", self.url))?;
        let status = answer.status();
        let mut told = format!("{} answered {status}", self.url);
        if !status.is_success() {
            let text = answer.text().await.unwrap_or_default();
            let line: String = text.chars().filter(|c| !c.is_control()).take(TOLD_MAX).collect();
            told.push_str(&format!(": {line}"));
        }
        Ok(told)
    }
}

fn new_id() -> Id {
    let mut random = [0; 6];
    SystemEntropy.fill(&mut random);
    Id::new(SystemClock.now(), random)
}

/// An example of an event: what the API's description shows, with an id of its own and the time of now.
pub(crate) fn example(name: &str) -> Result<Value, String> {
    let event = Event::parse(name).ok_or_else(|| {
        let names: Vec<_> = Event::ALL.iter().map(|event| event.name()).collect();
        format!("{name} is no event; the events are {}", names.join(", "))
    })?;
    let table = Table::new(crate::areas::areas());
    let document = openapi::document(&table, Surface::Public);
    let content = &document["webhooks"][event.name()]["post"]["requestBody"]["content"];
    let data = content["application/json"]["example"]["data"].clone();
    let (id, now) = (new_id().to_string(), SystemClock.now().to_string());
    Ok(json!({"id": id, "type": event.name(), "occurredAt": now, "data": data}))
}
