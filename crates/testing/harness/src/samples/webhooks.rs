use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, random_text,
    receiver::receiver,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// A subscription with a finished delivery.
pub struct Webhooks;

/// A subscription with a finished delivery.
pub async fn tested_webhook(app: &App) -> (String, String) {
    let url = receiver().url("good", &random_text());
    let hook = json!({"name": "Hook", "url": url, "events": ["client.archived"]});
    let made = app.post("/webhooks", hook).await.ok();
    let subscription = text(made.data(), "/subscription/id");
    let tested = app.act(&format!("/webhooks/{subscription}/test")).await.ok();
    let delivery = text(tested.data(), "/test/deliveryIds/0");
    app.wait_for_attempt(&delivery).await;
    (subscription, delivery)
}

impl Sample for Webhooks {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/webhooks") || operation.path.starts_with("/events")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async {
            let (subscription, delivery) = tested_webhook(app).await;
            let event = app.get("/events?type=subscription.test").await.ok();
            let event = text(event.data(), "/events/0/id");
            ids.extend([
                ("subscriptionId", subscription),
                ("deliveryId", delivery),
                ("eventId", event),
            ]);
        })
    }

    fn noted_as(&self, operation: &Operation, parameter: &'static str) -> &'static str {
        match operation.path {
            path if path.starts_with("/events/") => parameter,
            path if path.starts_with("/webhooks/deliveries/") => "deliveryId",
            _ => "subscriptionId",
        }
    }

    fn body(&self, operation: &str, _: &Ids) -> Value {
        match operation {
            "create_webhook" => {
                let url = receiver().url("good", "hostile");
                json!({"name": "X", "url": url, "events": ["client.created"]})
            }
            "update_webhook" => json!({"name": "X"}),
            "rotate_webhook_secret" => json!({"gracePeriodSeconds": 0}),
            "recover_webhook" => json!({"since": "2026-01-01T00:00:00.000Z"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
