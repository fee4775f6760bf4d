//! Webhooks: subscriptions, and deliveries to real receivers over TLS.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod deliveries;
mod events;
mod subscriptions;

use serde_json::{Value, json};
use spotter_harness::{
    App, random_text,
    receiver::{Received, receiver},
};
use spotter_store::{Sql, params};
use spotter_webhooks::{canonical::canonical, signature::SignedBody};

/// A subscription to these events at a receiver of these manners; its id, its secret, its mark.
struct Hook {
    pub id: String,
    pub secret: String,
    pub mark: String,
}

async fn hook(app: &App, manner: &str, events: &[&str]) -> Hook {
    let mark = random_text();
    let url = receiver().url(manner, &mark);
    let made = app.post("/webhooks", json!({"name": manner, "url": url, "events": events})).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let subscription = &made.data()["subscription"];
    let text = |name: &str| subscription[name].as_str().unwrap().to_owned();
    Hook { id: text("id"), secret: text("signingSecret"), mark }
}

impl Hook {
    pub fn path(&self) -> String {
        format!("/webhooks/{}", self.id)
    }

    pub async fn get(&self, app: &App) -> Value {
        app.get(&self.path()).await.ok().data()["subscription"].clone()
    }

    /// Has the subscription tested; the delivery's id.
    pub async fn test(&self, app: &App) -> String {
        let tested = app.act(&format!("{}/test", self.path())).await.ok();
        let ids = tested.data()["test"]["deliveryIds"].as_array().unwrap().clone();
        assert_eq!(ids.len(), 1);
        ids[0].as_str().unwrap().to_owned()
    }

    /// The received deliveries, once there are this many.
    pub async fn received(&self, count: usize) -> Vec<Received> {
        for _ in 0..2_000 {
            let received = receiver().received(&self.mark);
            if received.len() >= count {
                assert_eq!(received.len(), count, "{received:#?}");
                return received;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("{} of {count} deliveries came", receiver().received(&self.mark).len());
    }
}

/// Lets the next attempt of the company's waiting deliveries begin at once.
async fn hurry(app: &App) {
    const DUE: Sql = Sql("UPDATE webhook_delivery SET due_at = ?2 \
        WHERE company_id = ?1 AND due_at IS NOT NULL AND lease IS NULL");
    let (company, now) = (app.company, spotter_kernel::Clock::now(&spotter_harness::SystemClock));
    app.server.db.write(move |tx| tx.execute(DUE, params![company, now])).await.unwrap();
}

/// The delivery once it has had this many attempts.
async fn after_attempts(app: &App, delivery: &str, count: i64) -> Value {
    for _ in 0..2_000 {
        let response = app.wait_for_attempt(delivery).await;
        if response["attemptCount"] == count {
            return response;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("delivery {delivery} had no {count} attempts");
}

/// Whether a received delivery is signed with the secret.
fn is_signed(received: &Received, secret: &str) -> bool {
    let header = |name: &str| received.headers[&format!("x-service-webhook-{name}")].as_str();
    let event: Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!(canonical(&event), received.body, "the body is what is signed");
    assert_eq!(received.headers["content-type"], "application/json");
    assert_eq!(header("event"), event["type"]);
    let signed = SignedBody {
        timestamp: header("timestamp").parse().unwrap(),
        delivery: header("delivery"),
        event: event["id"].as_str().unwrap(),
        body: &received.body,
    };
    let now = spotter_kernel::Clock::now(&spotter_harness::SystemClock).seconds();
    signed.verify(secret, header("signature"), now).is_ok()
}
