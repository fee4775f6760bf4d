use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, random_text,
    receiver::receiver,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// A browser of a client that shows notifications.
pub struct Push;

fn browser() -> Value {
    // The public key of RFC 8291's example.
    let key =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    json!({"endpoint": receiver().url("pushed", &random_text()),
        "keys": {"p256dh": key, "auth": "BTBZMqHH6r4Tts7J_aSIgg"}})
}

impl Sample for Push {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/client/push-subscriptions")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let (token, path) = (&ids["clientToken"], "/client/push-subscriptions");
            let made = app.app_as(token, "POST", path, Some(browser())).await.ok();
            let id = text(made.data(), "/pushSubscription/pushSubscriptionId");
            ids.insert("pushSubscriptionId", id);
        })
    }

    fn body(&self, operation: &str, _: &Ids) -> Value {
        match operation {
            "create_push_subscription" => browser(),
            other => panic!("{other} needs a good body here"),
        }
    }
}
