//! Stripe's HTTP: forms out, JSON in. A refusal and an unknown outcome are different errors.

use std::{sync::Arc, time::Duration};

use form_urlencoded::Serializer;
use reqwest::{Client, Method, Response, header};
use serde::{Deserialize, de::DeserializeOwned};
use spotter_kernel::{Problem, Result};

use super::objects::PaymentIntent;

/// The version of the API that this program speaks, whichever the account's own is.
const VERSION: &str = "2024-06-20";
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer that is read, in bytes.
const ANSWER_MAX: usize = 1 << 20;

/// A form, as Stripe takes it.
pub type FormBody<'f> = [(&'f str, &'f str)];

/// Speaks to Stripe.
#[derive(Clone)]
pub struct Wire {
    http: Client,
    base: Arc<str>,
}

/// Why there is no answer to a request.
#[derive(Debug)]
pub enum StripeError {
    /// Stripe has refused it.
    Said(Box<StripeRefusal>),
    /// The outcome is unknown.
    Silent(String),
}

/// What Stripe refuses with.
#[derive(Debug, Default, Deserialize)]
pub struct StripeRefusal {
    /// The answer's status.
    #[serde(skip)]
    pub status: u16,
    /// Of which kind it is.
    #[serde(default)]
    pub r#type: String,
    /// The error code.
    pub code: Option<String>,
    /// The bank's word for it.
    pub decline_code: Option<String>,
    /// Which part of the request is wrong.
    pub param: Option<String>,
    /// For people.
    #[serde(default)]
    pub message: String,
    /// The PaymentIntent that was created nevertheless.
    pub payment_intent: Option<PaymentIntent>,
}

impl StripeRefusal {
    /// Whether the request itself was refused, so that nothing was done: it is not the account's keys, another
    /// request under the same key, too many requests, or trouble of Stripe's own.
    pub fn is_final(&self) -> bool {
        matches!(self.status, 400 | 402 | 404) && self.r#type != "idempotency_error"
    }
}

impl StripeRefusal {
    /// Whether Stripe did not let the request in: its key is not taken, or may not do that.
    pub fn is_refused_at_the_door(&self) -> bool {
        matches!(self.status, 401 | 403)
    }
}

impl std::fmt::Display for StripeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Said(refusal) => {
                write!(f, "Stripe answers {}: {}", refusal.status, refusal.message)
            }
            Self::Silent(why) => f.write_str(why),
        }
    }
}

/// What Stripe answers, or why it does not.
pub type StripeResult<T> = std::result::Result<T, StripeError>;

impl Wire {
    /// Speaks to who answers at an address.
    pub fn new(base: &str) -> Result<Self> {
        let http = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .timeout(TIMEOUT)
            .user_agent(concat!("Spotter/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(Problem::internal)?;
        Ok(Self { http, base: base.trim_end_matches('/').into() })
    }

    /// Sends a GET request.
    pub async fn get<T: DeserializeOwned>(
        &self,
        secret: &str,
        path: &str,
        query: &FormBody<'_>,
    ) -> StripeResult<T> {
        let query = Serializer::new(String::new()).extend_pairs(query).finish();
        let request = self.request(Method::GET, secret, &format!("{path}?{query}"));
        answer(request.send().await).await
    }

    /// Has something done, under a key once.
    pub async fn post<T: DeserializeOwned>(
        &self,
        secret: &str,
        path: &str,
        key: &str,
        form: &FormBody<'_>,
    ) -> StripeResult<T> {
        let form = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self
            .request(Method::POST, secret, path)
            .header("Idempotency-Key", key)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        answer(request.send().await).await
    }

    fn request(&self, method: Method, secret: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}/v1/{path}", self.base));
        request.bearer_auth(secret).header("Stripe-Version", VERSION)
    }
}

async fn answer<T: DeserializeOwned>(sent: reqwest::Result<Response>) -> StripeResult<T> {
    let no_answer = |why: String| StripeError::Silent(format!("Stripe does not answer: {why}"));
    let mut answer = sent.map_err(|error| no_answer(error.without_url().to_string()))?;
    let status = answer.status();
    let mut body = Vec::new();
    while let Some(chunk) =
        answer.chunk().await.map_err(|error| no_answer(error.without_url().to_string()))?
    {
        if body.len() + chunk.len() > ANSWER_MAX {
            return Err(no_answer("its answer has no end".to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    if has_nul(&body) {
        return Err(no_answer("its answer has a NUL in it".to_owned()));
    }
    if status.is_success() {
        return serde_json::from_slice(&body)
            .map_err(|error| no_answer(format!("its answer is another: {error}")));
    }
    #[derive(Deserialize)]
    struct ErrorBody {
        error: StripeRefusal,
    }
    match serde_json::from_slice::<ErrorBody>(&body) {
        Ok(notice) => {
            Err(StripeError::Said(StripeRefusal { status: status.as_u16(), ..notice.error }.into()))
        }
        Err(_) => Err(no_answer(format!("HTTP {}", status.as_u16()))),
    }
}

/// Whether there is a NUL in a JSON text, which no name has and not every database keeps.
pub fn has_nul(json: &[u8]) -> bool {
    json.windows(6).any(|six| six == b"\\u0000")
}
