//! Deliveries: once each, signed, retried, recorded, taken over and deleted.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine, SystemClock, deliveries, open, random_text,
    receiver::{closed_address, host, receiver},
    scenario, send, start_as,
};
use spotter_kernel::{Clock, Timestamp};
use spotter_store::{Config, Sql, params};

use super::{after_attempts, hook, hurry, is_signed};

#[scenario]
async fn every_listener_hears_a_signed_event_once(app: App) {
    let both = ["client.created", "client.archived"];
    let (first, second) = (hook(&app, "good", &both).await, hook(&app, "good", &both[..1]).await);
    let deaf = hook(&app, "good", &["invoice.paid"]).await;
    let other = App::new(app.server.clone()).await;
    let others = hook(&other, "good", &both).await;
    let made = app.post("/clients", json!({"firstName": "Ann"})).await.ok();
    let client = made.data()["client"]["clientId"].as_str().unwrap().to_owned();
    app.act(&format!("/clients/{client}/archive")).await.ok();
    let result = first.received(2).await;
    let created: Value = serde_json::from_str(&second.received(1).await[0].body).unwrap();
    assert_eq!(created["type"], "client.created");
    assert_eq!(created["data"]["clientId"], client.as_str());
    let keys: BTreeSet<&str> = created.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, BTreeSet::from(["data", "id", "occurredAt", "type"]));
    let names: BTreeSet<String> =
        result.iter().map(|one| one.headers["x-service-webhook-event"].clone()).collect();
    assert_eq!(names, both.map(str::to_owned).into());
    for one in &result {
        assert!(is_signed(one, &first.secret) && !is_signed(one, &second.secret));
    }
    let deliveries: BTreeSet<String> = result
        .iter()
        .chain(&second.received(1).await)
        .map(|one| one.headers["x-service-webhook-delivery"].clone())
        .collect();
    assert_eq!(deliveries.len(), 3, "each delivery has an id of its own");
    for delivery in &deliveries {
        let response = app.wait_for_attempt(delivery).await;
        assert_eq!(
            (&response["status"], &response["attemptCount"]),
            (&json!("succeeded"), &json!(1))
        );
        assert_eq!(response["nextAttemptAt"], Value::Null);
        assert!(response["completedAt"].is_string());
        assert_eq!(response["lastAttempt"]["responseStatus"], 204);
        assert_eq!(response["lastAttempt"]["error"], Value::Null);
    }
    let seen = first.get(&app).await;
    assert!(seen["lastDeliveryAt"].is_string());
    assert_eq!(seen["lastDeliveryAt"], seen["lastSuccessAt"]);
    assert_eq!(seen["lastFailureAt"], Value::Null);
    app.announced(&["client.created", "client.archived"]).await;
    for silent in [&deaf, &others] {
        assert!(receiver().received(&silent.mark).is_empty());
    }
}

/// A clock that is months ahead, as that of a test environment can be.
struct ClockAhead;

impl Clock for ClockAhead {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_days(90)
    }
}

#[scenario(here)]
async fn signatures_bear_the_real_time(app: App) {
    let server = start_as(app.server.engine, |env| env.clock = Arc::new(ClockAhead));
    let app = App::new(Arc::new(server)).await;
    let hook = hook(&app, "good", &["client.created"]).await;
    app.post("/clients", json!({"firstName": "Ann"})).await.ok();
    let sent = &hook.received(1).await[0];
    let signed_at: i64 = sent.headers["x-service-webhook-timestamp"].parse().unwrap();
    assert!((signed_at - SystemClock.now().seconds()).abs() < 300 && is_signed(sent, &hook.secret));
}

#[scenario]
async fn rolled_back_changes_emit_nothing(app: App) {
    let hook = hook(&app, "good", &["client.created", "client.updated"]).await;
    let taken = format!("{}@example.com", random_text());
    app.post("/clients", json!({"firstName": "Ann", "email": taken})).await.ok();
    app.post("/clients", json!({"firstName": "Bea", "email": taken}))
        .await
        .refused(409, "PUBLIC_API_ERROR");
    app.post("/clients", json!({"firstName": ""})).await.refused(400, "request.invalid");
    let key = random_text();
    for _ in 0..3 {
        let request = app.raw("POST", "/clients").header("Idempotency-Key", &key);
        send(request.json(&json!({"firstName": "Once"}))).await.ok();
    }
    hook.received(2).await;
    assert_eq!(app.get("/webhooks/deliveries").await.ok().data()["total"], 2);
    app.announced(&["client.created", "client.created"]).await;
}

#[scenario]
async fn failures_are_tried_three_times(app: App) {
    let hook = hook(&app, "fails", &["client.created"]).await;
    let delivery = hook.test(&app).await;
    let instant =
        |value: &Value| spotter_kernel::Timestamp::parse(value.as_str().unwrap()).unwrap().millis();
    for (attempt, wait) in [(1, 60_000), (2, 120_000)] {
        let response = after_attempts(&app, &delivery, attempt).await;
        assert_eq!(response["status"], "pending");
        let waited =
            instant(&response["nextAttemptAt"]) - instant(&response["lastAttempt"]["attemptedAt"]);
        assert!((wait..wait + 10_000).contains(&waited), "{waited}");
        hurry(&app).await;
    }
    let response = after_attempts(&app, &delivery, 3).await;
    assert_eq!((&response["status"], &response["nextAttemptAt"]), (&json!("failed"), &Value::Null));
    let received = hook.received(3).await;
    let ids: BTreeSet<_> =
        received.iter().map(|one| &one.headers["x-service-webhook-delivery"]).collect();
    assert_eq!(ids.len(), 1, "retries keep the delivery's id");
    assert!(received.iter().all(|one| is_signed(one, &hook.secret)));
    let whole = app.get(&format!("/webhooks/deliveries/{delivery}")).await.ok();
    let sent: Value = serde_json::from_str(&received[0].body).unwrap();
    assert_eq!(whole.data()["delivery"]["payload"], sent);
    let attempts = whole.data()["delivery"]["attempts"].as_array().unwrap().clone();
    assert_eq!(attempts.len(), 3);
    for (attempt, number) in attempts.iter().zip(1..) {
        assert_eq!(attempt["attempt"], number);
        assert_eq!(
            (&attempt["responseStatus"], &attempt["error"]),
            (&json!(500), &json!("HTTP 500"))
        );
        let preview = attempt["responsePreview"].as_str().unwrap();
        assert_eq!(preview, r#"{"error":"broken","token":[redacted],"to":"[redacted]"}"#);
    }
    let seen = hook.get(&app).await;
    assert_eq!(
        (&seen["lastSuccessAt"], &seen["lastFailureAt"]),
        (&Value::Null, &seen["lastDeliveryAt"])
    );
    hurry(&app).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    hook.received(3).await;
}

#[scenario]
async fn a_second_attempt_can_succeed(app: App) {
    let hook = hook(&app, "recovers", &["client.created"]).await;
    let delivery = hook.test(&app).await;
    after_attempts(&app, &delivery, 1).await;
    // Timestamps are whole seconds.
    tokio::time::sleep(std::time::Duration::from_millis(1_050)).await;
    hurry(&app).await;
    let response = after_attempts(&app, &delivery, 2).await;
    assert_eq!(response["status"], "succeeded");
    let signatures: BTreeSet<_> = hook
        .received(2)
        .await
        .iter()
        .map(|one| one.headers["x-service-webhook-timestamp"].clone())
        .collect();
    assert_eq!(signatures.len(), 2, "each attempt is signed afresh");
}

/// What waits for another attempt is not sent once the client has withdrawn consent.
#[scenario]
async fn consent_is_looked_at_before_every_attempt(app: App) {
    let hook = hook(&app, "fails", &["measurement.created"]).await;
    app.app("PATCH", "/company/features", Some(json!({"healthConsent": true}))).await.ok();
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let consent = format!("/clients/{client}/health-consent");
    app.app("PUT", &consent, Some(json!({"given": true, "version": "1"}))).await.ok();
    let weigh = json!({"type": "weight", "value": 80, "unit": "kg"});
    app.post(&format!("/clients/{client}/measurements"), weigh).await.ok();
    hook.received(1).await;
    let deliveries = format!("/webhooks/deliveries?subscriptionId={}", hook.id);
    let listed = app.get(&deliveries).await.ok().data()["deliveries"].clone();
    let delivery = listed[0]["id"].as_str().unwrap().to_owned();
    after_attempts(&app, &delivery, 1).await;
    app.app("PUT", &consent, Some(json!({"given": false}))).await.ok();
    hurry(&app).await;
    for _ in 0..500 {
        let seen = app.get(&deliveries).await.ok().data()["deliveries"][0].clone();
        if seen["status"] == "cancelled" {
            assert_eq!(seen["attemptCount"], 1);
            hook.received(1).await;
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the delivery still waits");
}

#[scenario]
async fn bad_manners_are_recorded(app: App) {
    let closed = closed_address();
    let url = format!("https://{}:{}/", host(), closed.port());
    let made =
        app.post("/webhooks", json!({"name": "X", "url": url, "events": ["client.created"]}));
    let refusing = made.await.ok().data()["subscription"]["id"].as_str().unwrap().to_owned();
    for (manner, succeeds, error) in [
        ("redirects", false, "HTTP 301: redirects are not followed"),
        ("endless", true, ""),
        ("bomb", true, ""),
        ("reset", false, "connecting"),
        ("untrusted", false, "TLS: invalid peer certificate"),
        ("refusing", false, "connecting"),
    ] {
        let id = match manner {
            "refusing" => refusing.clone(),
            _ => hook(&app, manner, &["client.created"]).await.id,
        };
        let tested = app.act(&format!("/webhooks/{id}/test")).await.ok();
        let delivery = tested.data()["test"]["deliveryIds"][0].as_str().unwrap().to_owned();
        let response = app.wait_for_attempt(&delivery).await;
        let status = if succeeds { "succeeded" } else { "pending" };
        assert_eq!(response["status"], status, "{manner}: {response}");
        let last = &response["lastAttempt"];
        assert!(last["error"].as_str().unwrap_or_default().contains(error), "{manner}: {last}");
        let preview = last["responsePreview"].as_str().unwrap_or_default();
        assert!(preview.len() <= 1_024, "{manner}");
        if manner == "bomb" {
            assert_eq!(preview, "[4010 bytes that are not text]", "it is not unpacked");
        }
    }
    assert!(receiver().received("redirected").is_empty());
}

#[scenario]
async fn answers_with_a_body_are_written_down(app: App) {
    let hook = hook(&app, "chatty", &["client.created"]).await;
    for _ in 0..3 {
        let response = app.wait_for_attempt(&hook.test(&app).await).await;
        assert_eq!(
            (&response["status"], &response["attemptCount"]),
            (&json!("succeeded"), &json!(1))
        );
        let preview = response["lastAttempt"]["responsePreview"].as_str().unwrap();
        assert_eq!(preview, r#"{"ok":true,"session":{"token":[redacted]}}"#);
    }
    hook.received(3).await;
}

/// More of them than there are permits, so that one that kept its permit would stop the others.
#[scenario(here)]
async fn an_attempt_that_panics_counts_as_failed(app: App) {
    let url = receiver().url_at("panics.receiver.example", "good", &random_text());
    let body = json!({"name": "X", "url": url, "events": ["client.created"]});
    let made = app.post("/webhooks", body).await.ok();
    let id = made.data()["subscription"]["id"].as_str().unwrap().to_owned();
    let mut deliveries = Vec::new();
    for _ in 0..70 {
        let tested = app.act(&format!("/webhooks/{id}/test")).await.ok();
        deliveries.push(tested.data()["test"]["deliveryIds"][0].as_str().unwrap().to_owned());
    }
    for delivery in &deliveries {
        let response = app.wait_for_attempt(delivery).await;
        assert_eq!(
            (&response["status"], &response["attemptCount"]),
            (&json!("pending"), &json!(1))
        );
        let last = &response["lastAttempt"];
        assert_eq!(last["error"], "the attempt broke off on our side");
    }
    let good = hook(&app, "good", &["client.created"]).await;
    app.wait_for_attempt(&good.test(&app).await).await;
    good.received(1).await;
}

#[scenario]
async fn silence_ends_an_attempt(app: App) {
    let (silent, slow) = (
        hook(&app, "hangs", &["client.created"]).await,
        hook(&app, "trickles", &["client.created"]).await,
    );
    let (delivery, trickled) = (silent.test(&app).await, slow.test(&app).await);
    let response = app.wait_for_attempt(&delivery).await;
    assert_eq!(response["lastAttempt"]["error"], "no answer within 15 seconds");
    let response = app.wait_for_attempt(&trickled).await;
    assert_eq!(response["lastAttempt"]["responseStatus"], 500);
    let took = response["lastAttempt"]["durationMs"].as_i64().unwrap();
    assert!((14_000..17_000).contains(&took), "{took}");
}

#[scenario(here)]
async fn names_are_checked_at_every_attempt(app: App) {
    let mark = random_text();
    let url = receiver().url_at("changing.receiver.example", "good", &mark);
    let body = json!({"name": "X", "url": url, "events": ["client.created"]});
    let made = app.post("/webhooks", body).await.ok();
    let id = made.data()["subscription"]["id"].as_str().unwrap();
    let tested = app.act(&format!("/webhooks/{id}/test")).await.ok();
    let delivery = tested.data()["test"]["deliveryIds"][0].as_str().unwrap().to_owned();
    let response = app.wait_for_attempt(&delivery).await;
    let error = response["lastAttempt"]["error"].as_str().unwrap();
    assert_eq!(error, "the target must be at a public address, not private");
    assert!(receiver().received(&mark).is_empty());
}

#[scenario]
async fn failed_deliveries_are_sent_again(app: App) {
    let hook = hook(&app, "fails", &["client.created"]).await;
    let delivery = hook.test(&app).await;
    let again = format!("/webhooks/deliveries/{delivery}/redeliver");
    after_attempts(&app, &delivery, 1).await;
    app.act(&again).await.refused(409, "PUBLIC_API_ERROR");
    for attempt in [2, 3] {
        hurry(&app).await;
        after_attempts(&app, &delivery, attempt).await;
    }
    let good = receiver().url("good", &hook.mark);
    app.patch(&hook.path(), json!({"url": good})).await.ok();
    let recover = format!("{}/recover", hook.path());
    let late = json!({"since": "2100-01-01T00:00:00.000Z"});
    let none = app.post(&recover, late).await.ok();
    assert_eq!(none.data()["recovery"], json!({"recovered": 0, "hasMore": false}));
    let since = json!({"since": "2026-01-01T00:00:00.000Z"});
    let recovered = app.post(&recover, since.clone()).await.ok();
    assert_eq!(recovered.data()["recovery"], json!({"recovered": 1, "hasMore": false}));
    let twice = app.post(&recover, since).await.ok();
    assert_eq!(twice.data()["recovery"]["recovered"], 0, "nothing is recovered twice");
    let received = hook.received(4).await;
    let event =
        |at: usize| serde_json::from_str::<Value>(&received[at].body).unwrap()["id"].clone();
    assert_eq!(event(0), event(3), "it is the same event");
    let old = app.wait_for_attempt(&delivery).await;
    let new = app.wait_for_attempt(old["redeliveryId"].as_str().unwrap()).await;
    assert_eq!((&new["status"], &new["eventId"]), (&json!("succeeded"), &old["eventId"]));
    let once_more = app.act(&again).await.ok();
    assert_eq!(once_more.data()["redelivery"]["eventId"], old["eventId"]);
    hook.received(5).await;
    app.patch(&hook.path(), json!({"status": "disabled"})).await.ok();
    app.act(&again).await.refused(400, "webhook.request_invalid").about("status");
    app.announced(&["subscription.test"]).await;
}

#[scenario]
async fn deliveries_are_listed(app: App) {
    let (good, bad) = (
        hook(&app, "good", &["client.created"]).await,
        hook(&app, "fails", &["client.created"]).await,
    );
    for _ in 0..3 {
        app.new_client(json!({"firstName": "Ann"})).await;
    }
    let failed = bad.test(&app).await;
    for attempt in [1, 2, 3] {
        after_attempts(&app, &failed, attempt).await;
        hurry(&app).await;
    }
    good.received(3).await;
    let total = async |query: &str| {
        let listed = app.get(&format!("/webhooks/deliveries?{query}")).await.ok();
        let view = listed.data()["deliveries"].as_array().unwrap().len() as i64;
        let total = listed.data()["total"].as_i64().unwrap();
        assert_eq!(view, total.min(20), "{query}");
        total
    };
    assert_eq!(total("").await, 7);
    assert_eq!(total(&format!("subscriptionId={}", good.id)).await, 3);
    assert_eq!(total(&format!("subscriptionId={}", bad.id)).await, 4);
    assert_eq!(total("subscriptionId=nonsense").await, 0);
    assert_eq!(total(&format!("subscriptionId={}", "0".repeat(24))).await, 0);
    // Two questions are not one snapshot: between them an attempt may end.
    let mut counted = Vec::new();
    for _ in 0..500 {
        let others = total("status=failed").await + total("status=pending").await;
        counted = vec![others, total("status=succeeded").await];
        if counted == [4, 3] {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(counted, [4, 3]);
    assert_eq!(total(&format!("status=succeeded&subscriptionId={}", good.id)).await, 3);
    app.get("/webhooks/deliveries?status=lost").await.refused(400, "PUBLIC_API_INVALID_ENUM");
    let narrow = app.token_with(&["webhooks:read", "webhooks:write"]).await;
    let list = app.server.request("GET", "/public/v1/webhooks/deliveries").bearer_auth(&narrow);
    send(list).await.refused(403, "scopes.insufficient");
}

#[scenario]
async fn a_lost_lease_is_taken_over(app: App) {
    const FORGET: Sql = Sql("DELETE FROM webhook_attempt WHERE company_id = ?1");
    const HOLD: Sql =
        Sql("UPDATE webhook_delivery SET lease = ?2, due_at = ?3, status = 'pending', \
        attempts = 0 WHERE company_id = ?1");
    let hook = hook(&app, "good", &["client.created"]).await;
    let delivery = hook.test(&app).await;
    hook.received(1).await;
    app.wait_for_attempt(&delivery).await;
    // As if the process had died between sending and writing it down.
    let (company, dead) = (app.company, "0".repeat(24));
    let now = spotter_kernel::Clock::now(&spotter_harness::SystemClock);
    let dies = app.server.db.write(move |tx| {
        tx.execute(FORGET, params![company])?;
        tx.execute(HOLD, params![company, dead, now])
    });
    dies.await.unwrap();
    hook.received(2).await;
    let response = app.wait_for_attempt(&delivery).await;
    assert_eq!((&response["status"], &response["attemptCount"]), (&json!("succeeded"), &json!(1)));
}

#[scenario]
async fn two_engines_share_the_work(app: App) {
    // On a server the second engine has connections of its own, as another node would.
    let db = match app.server.engine {
        Engine::Sqlite => app.server.db.clone(),
        Engine::Postgres => open(&Config::new(app.server.location.clone())),
    };
    let second = deliveries(&db, &app.server.env);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running =
        tokio::spawn(second.run(async { drop(stopped.await) }, std::time::Duration::ZERO));
    let hook = hook(&app, "good", &["client.updated"]).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    for number in 0..100 {
        let change = json!({"lastName": format!("Bos {number}")});
        app.patch(&format!("/clients/{client}"), change).await.ok();
    }
    let received = hook.received(100).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    let once: BTreeSet<_> =
        received.iter().map(|one| &one.headers["x-service-webhook-delivery"]).collect();
    assert_eq!(once.len(), 100, "each delivery is made by one of them");
    hook.received(100).await;
    stop.send(()).unwrap();
    running.await.unwrap();
}

#[scenario]
async fn old_deliveries_are_forgotten(app: App) {
    let hook = hook(&app, "good", &["client.created"]).await;
    for _ in 0..3 {
        let delivery = hook.test(&app).await;
        app.wait_for_attempt(&delivery).await;
    }
    let waiting = self::hook(&app, "fails", &["client.created"]).await;
    let waits = waiting.test(&app).await;
    after_attempts(&app, &waits, 1).await;
    let (company, now) = (app.company, spotter_kernel::Clock::now(&spotter_harness::SystemClock));
    let prune = |before| {
        app.server.db.write(move |tx| spotter_webhooks::retention::prune(tx, company, before))
    };
    assert_eq!(prune(now.plus_days(-1)).await.unwrap(), 0);
    assert_eq!(app.get("/webhooks/deliveries").await.ok().data()["total"], 4);
    assert_eq!(prune(now.plus_seconds(60)).await.unwrap(), 4, "its events are gone, too");
    let left = app.get("/webhooks/deliveries").await.ok();
    assert_eq!(
        (&left.data()["total"], &left.data()["deliveries"][0]["id"]),
        (&json!(1), &json!(waits))
    );
    let listed = app.get(&format!("/webhooks/deliveries?subscriptionId={}", hook.id)).await.ok();
    assert_eq!(listed.data()["total"], 0);
    let state = app.state().await;
    assert_eq!((state["webhook_attempt"].0, state["event"].0), (1, 0));
    hurry(&app).await;
    for _ in 0..500 {
        if app.wait_for_attempt(&waits).await["status"] == "cancelled" {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("a delivery whose event is gone was not cancelled");
}
