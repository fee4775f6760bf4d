//! One request to a push service: encrypted for the browser (RFC 8291), signed (RFC 8292), to an address that was
//! checked, within its time.

use std::{sync::Arc, time::Duration};

use ipnet::IpNet;
use reqwest::{
    Client, StatusCode,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE},
};
use spotter_contract::jobs::JobOutcome;
use spotter_kernel::Timestamp;
use spotter_outbound::{http_client::ConnectionError, target::Target};

use crate::{notifications::Notification, subscriptions::BrowserKeys, vapid::VapidKey};

/// How long an attempt may take in all.
const ATTEMPT_TIME: Duration = Duration::from_secs(15);
/// How long a push service keeps a notification for a browser that is away, in seconds.
const KEPT_SECONDS: &str = "86400";

/// Hands notifications to push services.
#[derive(Clone)]
pub struct PushSender {
    client: Client,
    private_networks: Arc<[IpNet]>,
    key: Arc<VapidKey>,
    contact: Arc<str>,
}

impl PushSender {
    /// A sender over connections to checked addresses. `contact` is a URL (`mailto:` or `https:`) under which people of
    /// push services find the operator.
    pub fn new(
        client: Client,
        private_networks: Arc<[IpNet]>,
        key: VapidKey,
        contact: Arc<str>,
    ) -> Self {
        Self { client, private_networks, key: key.into(), contact }
    }

    /// Hands over a notification for a browser.
    pub async fn send(
        &self,
        shown: &Notification,
        browser: &BrowserKeys,
        now: Timestamp,
    ) -> JobOutcome {
        let target = match Target::parse(&browser.endpoint, &self.private_networks) {
            Ok(target) => target,
            Err(refused) => return JobOutcome::Refused(format!("the push service {refused}")),
        };
        let body = match encrypted(shown, browser) {
            Ok(body) => body,
            Err(why) => return JobOutcome::Refused(why),
        };
        let origin = target.url().origin().ascii_serialization();
        let request = self
            .client
            .post(target.url().clone())
            .header(AUTHORIZATION, self.key.authorization(&origin, &self.contact, now))
            .header(CONTENT_ENCODING, "aes128gcm")
            .header(CONTENT_TYPE, "application/octet-stream")
            .header("ttl", KEPT_SECONDS)
            .header("urgency", "normal")
            .body(body)
            .send();
        match tokio::time::timeout(ATTEMPT_TIME, request).await {
            Err(_) => JobOutcome::Failed("no answer within 15 seconds".to_owned()),
            Ok(Ok(answer)) => outcome(answer.status()),
            Ok(Err(error)) => match ConnectionError::of(&error) {
                refused @ ConnectionError::Refused(_) => JobOutcome::Refused(refused.to_string()),
                broken @ ConnectionError::Broken(_) => JobOutcome::Failed(broken.to_string()),
            },
        }
    }
}

fn encrypted(shown: &Notification, browser: &BrowserKeys) -> Result<Vec<u8>, String> {
    let content = serde_json::to_vec(shown).map_err(|error| error.to_string())?;
    let (Some(key), Some(secret)) = (browser.public_key(), browser.secret()) else {
        return Err("the browser's keys are none".to_owned());
    };
    web_push_native::encrypt(content, &key, &secret).map_err(|error| error.to_string())
}

/// What an answer means: a browser that ended its subscription is not tried again (RFC 8030, 7.3).
fn outcome(status: StatusCode) -> JobOutcome {
    let why = || format!("HTTP {}", status.as_u16());
    match status {
        status if status.is_success() => JobOutcome::Done,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => JobOutcome::Failed(why()),
        status if status.is_client_error() => JobOutcome::Refused(why()),
        _ => JobOutcome::Failed(why()),
    }
}
