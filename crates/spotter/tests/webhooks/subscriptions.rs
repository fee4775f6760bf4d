//! Subscriptions: lifecycle, refusals, and permissions.

use serde_json::{Value, json};
use spotter_harness::{App, random_text, receiver::receiver, scenario, send};

use super::{after_attempts, hook, hurry, is_signed};

/// An integration receives what it may read, with the required consent: when it subscribes, and at delivery.
#[scenario]
async fn unreadable_events_are_not_delivered(mut app: App) {
    let made = async |app: &App, scopes: &[&str], health: bool| {
        let body = json!({"name": "Integration", "scopes": scopes, "defaultAssignedCoachId": app.admin,
            "consents": {"healthData": health, "privateCommunication": false}});
        let path = "/integrations/public-api/clients";
        let made = app.app("POST", path, Some(body)).await.ok();
        let text = |name: &str| made.data()[name].as_str().unwrap().to_owned();
        let token = app.issue(&text("clientId"), &text("clientSecret")).await;
        (made.data()["client"]["id"].as_str().unwrap().to_owned(), token)
    };
    let bare = made(&app, &["webhooks:read", "webhooks:write"], false).await.1;
    let all = ["webhooks:read", "webhooks:write", "clients:read", "measurements:read"];
    let (reader, reading) = made(&app, &all, true).await;
    let staffs = std::mem::replace(&mut app.token, bare.clone());
    let url = receiver().url("good", &random_text());
    let wanted = |event: &str| json!({"name": "X", "url": url, "events": [event]});
    for (event, scope) in [
        ("client.created", "clients:read"),
        ("measurement.created", "measurements:read"),
        ("intake.submitted", "intakes:read"),
        ("conversation.message.created", "conversations:read"),
        ("invoice.paid", "finance_invoices:read"),
    ] {
        let refused = app.post("/webhooks", wanted(event)).await;
        let refused = refused.refused(403, "scopes.insufficient");
        assert_eq!(refused.body["error"]["details"]["requiredScopes"], json!([scope]), "{event}");
    }
    app.post("/webhooks", wanted("subscription.test")).await.ok();
    // Nor does it by leading another's subscription elsewhere.
    app.token = reading;
    let hook = hook(&app, "good", &["client.created", "measurement.created"]).await;
    app.token = bare;
    let elsewhere = json!({"url": receiver().url("good", &random_text())});
    app.patch(&hook.path(), elsewhere).await.refused(403, "scopes.insufficient");
    // Nor can a caller without that permission see its secret or disable it.
    for act in ["rotate-secret", "test"] {
        let path = format!("{}/{act}", hook.path());
        app.post(&path, json!({})).await.refused(403, "scopes.insufficient");
    }
    let since = json!({"since": "2026-01-01T00:00:00Z"});
    let path = format!("{}/recover", hook.path());
    app.post(&path, since).await.refused(403, "scopes.insufficient");
    app.delete(&hook.path()).await.refused(403, "scopes.insufficient");
    app.patch(&hook.path(), json!({"events": ["client.created", "goal.updated"]}))
        .await
        .refused(403, "scopes.insufficient");
    app.token = staffs;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let weigh = json!({"type": "weight", "value": 80, "unit": "kg"});
    let path = format!("/clients/{client}/measurements");
    app.post(&path, weigh.clone()).await.ok();
    assert_eq!(hook.received(2).await.len(), 2);
    // Withdrawing a consent ends it at once, also for redeliveries.
    let own = format!("/integrations/public-api/clients/{reader}");
    let withdrawn = json!({"consents": {"healthData": false, "privateCommunication": false}});
    app.app("PATCH", &own, Some(withdrawn)).await.ok();
    let kept = hook.get(&app).await["events"].clone();
    assert_eq!(kept, json!(["client.created", "measurement.created"]), "what it asked for stays");
    app.post(&path, weigh.clone()).await.ok();
    let deliveries = format!("/webhooks/deliveries?subscriptionId={}", hook.id);
    let response = app.get(&deliveries).await.ok();
    let all = response.data()["deliveries"].as_array().unwrap().clone();
    let of_health = all.iter().find(|one| one["eventType"] == "measurement.created").unwrap();
    // Payloads are visible with permission to read them.
    let one = format!("/webhooks/deliveries/{}", of_health["id"].as_str().unwrap());
    let view = app.get(&one).await.ok();
    assert_eq!(view.data()["delivery"]["payload"]["type"], "measurement.created");
    let nosy = made(&app, &["webhook_deliveries:read"], false).await.1;
    let staffs = std::mem::replace(&mut app.token, nosy);
    let hidden = app.get(&one).await.ok();
    assert_eq!(hidden.data()["delivery"]["payload"], Value::Null);
    app.token = staffs;
    let again = format!("{one}/redeliver");
    app.act(&again).await.ok();
    app.new_client(json!({"firstName": "Bea"})).await;
    assert_eq!(hook.received(3).await.len(), 3, "the client alone is told of");
    let given = json!({"consents": {"healthData": true, "privateCommunication": false}});
    app.app("PATCH", &own, Some(given)).await.ok();
    app.post(&path, weigh).await.ok();
    hook.received(4).await;
    // A revoked integration receives nothing.
    app.app("POST", &format!("{own}/revoke"), None).await.ok();
    app.new_client(json!({"firstName": "Cid"})).await;
    let response = app.get(&deliveries).await.ok();
    let all = response.data()["deliveries"].as_array().unwrap().clone();
    let with = |status: &str| all.iter().filter(|one| one["status"] == status).count();
    assert_eq!((all.len(), with("succeeded"), with("cancelled")), (5, 4, 1), "{all:?}");
}

/// Leaving events out of a subscription opens no way to those of before, to whomever it belongs.
#[scenario]
async fn narrowed_subscriptions_send_nothing_of_before(mut app: App) {
    let hook = hook(&app, "good", &["client.created"]).await;
    app.new_client(json!({"firstName": "Ann"})).await;
    hook.received(1).await;
    let deliveries = format!("/webhooks/deliveries?subscriptionId={}", hook.id);
    let one = app.get(&deliveries).await.ok().data()["deliveries"][0]["id"].clone();
    let again = format!("/webhooks/deliveries/{}/redeliver", one.as_str().unwrap());
    let bare = json!({"name": "Bare", "scopes": ["webhooks:read", "webhooks:write", "webhook_deliveries:read"],
        "defaultAssignedCoachId": app.admin, "consents": {"healthData": false, "privateCommunication": false}});
    let made = app.app("POST", "/integrations/public-api/clients", Some(bare)).await.ok();
    let text = |name: &str| made.data()[name].as_str().unwrap().to_owned();
    let other = app.issue(&text("clientId"), &text("clientSecret")).await;
    let own = std::mem::replace(&mut app.token, other);
    let narrowed = json!({"events": ["subscription.test"]});
    app.patch(&hook.path(), narrowed.clone()).await.refused(403, "scopes.insufficient");
    app.act(&again).await.refused(403, "scopes.insufficient");
    app.token = own;
    app.patch(&hook.path(), narrowed).await.ok();
    app.act(&again).await.refused(409, "PUBLIC_API_ERROR").about("eventType");
    hook.received(1).await;
    app.patch(&hook.path(), json!({"events": ["client.created"]})).await.ok();
    app.act(&again).await.ok();
    hook.received(2).await;
    app.events().await;
}

#[scenario]
async fn subscriptions_live_and_die(app: App) {
    let url = receiver().url("good", "x");
    let new = json!({"name": "  CRM  ", "url": url, "events": ["client.updated", "client.created", "client.created"]});
    let made = app.post("/webhooks", new).await.ok();
    assert_eq!(made.status, 201);
    let subscription = &made.data()["subscription"];
    assert_eq!(subscription["name"], "CRM");
    assert_eq!(subscription["status"], "active");
    assert_eq!(subscription["events"], json!(["client.created", "client.updated"]));
    assert_eq!(subscription["target"], json!({"type": "url", "url": url}));
    let secret = subscription["signingSecret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 49, "{secret}");
    assert!(secret.starts_with(subscription["secret"]["prefix"].as_str().unwrap()));
    assert!(secret.ends_with(subscription["secret"]["last4"].as_str().unwrap()));
    for never in ["lastDeliveryAt", "lastSuccessAt", "lastFailureAt"] {
        assert_eq!(subscription[never], Value::Null);
    }
    let path = format!("/webhooks/{}", subscription["id"].as_str().unwrap());
    let seen = app.get(&path).await.ok();
    assert_eq!(seen.data()["subscription"]["signingSecret"], Value::Null, "shown once");
    let listed = app.get("/webhooks").await.ok();
    assert_eq!(listed.data()["total"], 1);
    assert_eq!(listed.data()["subscriptions"][0], seen.data()["subscription"]);
    let other = receiver().url("good", "y");
    let change = json!({"name": "ERP", "status": "disabled", "target": {"type": "url", "url": other}, "events": ["invoice.paid"]});
    let changed = app.patch(&path, change).await.ok();
    let changed = &changed.data()["subscription"];
    assert_eq!((&changed["name"], &changed["status"]), (&json!("ERP"), &json!("disabled")));
    assert_eq!(
        (&changed["target"]["url"], &changed["events"]),
        (&json!(other), &json!(["invoice.paid"]))
    );
    assert_eq!(changed["signingSecret"], Value::Null);
    app.act(&format!("{path}/test")).await.refused(400, "webhook.request_invalid").about("status");
    app.patch(&path, json!({"status": "active"})).await.ok();
    let deleted = app.delete(&path).await.ok();
    assert_eq!(deleted.data()["subscription"]["status"], "deleted");
    app.get(&path).await.refused(404, "resource.not_found");
    app.delete(&path).await.refused(404, "resource.not_found");
    app.patch(&path, json!({"name": "x"})).await.refused(404, "resource.not_found");
    assert_eq!(app.get("/webhooks").await.ok().data()["total"], 0);
    let logs = app.get("/audit-logs?operation=update_webhook").await.ok();
    assert_eq!(
        logs.data()["auditLogs"][1]["changedFields"],
        json!(["name", "status", "events", "url"])
    );
    app.announced(&[]).await;
    let key = random_text();
    let create = || {
        let request = app.raw("POST", "/webhooks").header("Idempotency-Key", &key);
        send(request.json(&json!({"name": "Again", "url": url, "events": ["client.created"]})))
    };
    let (first, again) = (create().await.ok(), create().await.ok());
    assert_eq!((again.status, again.data()), (201, first.data()), "the secret is replayed");
    assert_eq!(again.body["meta"]["idempotency"]["replayed"], true);
}

#[scenario]
async fn errors_are_named(app: App) {
    let good =
        json!({"name": "X", "url": receiver().url("good", "x"), "events": ["client.created"]});
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    let without = |field: &str| {
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(field);
        body
    };
    let subscription = hook(&app, "good", &["client.created"]).await;
    let before = app.state().await;
    for (body, field) in [
        (with("events", json!([])), "events"),
        (with("events", json!(["client.created", "client.exploded"])), "events[1]"),
        (with("events", json!("client.created")), "events"),
        (with("name", json!("x".repeat(121))), "name"),
        (with("name", json!("  ")), "name"),
        (with("url", json!("http://example.com/")), "url"),
        (with("url", json!("https://user@example.com/")), "url"),
        (with("url", json!("nonsense")), "url"),
        (with("target", json!({"url": "https://example.com/other"})), "target.url"),
        (with("target", json!({"type": "queue"})), "target.type"),
        (with("targetType", json!("email")), "targetType"),
        (without("name"), "name"),
        (without("url"), "url"),
        (without("events"), "events"),
    ] {
        let refused = app.post("/webhooks", body.clone()).await;
        assert_eq!(refused.status, 400, "{body}: {}", refused.body);
        refused.refused(400, "webhook.request_invalid").about(field);
    }
    for field in [
        "companyId",
        "createdByCoachId",
        "secretHash",
        "signingSecret",
        "secret",
        "retryCount",
        "attempts",
        "lastDeliveryAt",
        "lastSuccessAt",
        "lastFailureAt",
        "nextAttemptAt",
        "id",
        "createdAt",
        "updatedAt",
    ] {
        let created = app.post("/webhooks", with(field, json!("x"))).await;
        created.refused(400, "webhook.request_invalid").about(field);
        let changed = app.patch(&subscription.path(), json!({field: "x"})).await;
        changed.refused(400, "webhook.request_invalid").about(field);
    }
    for (body, field) in [
        (json!({"status": "deleted"}), "status"),
        (json!({"status": "paused"}), "status"),
        (json!({"events": []}), "events"),
        (json!({"target": {"type": "sns"}}), "target.type"),
        (json!({"target": {"url": "https://10.0.0.1/"}}), "target.url"),
    ] {
        let refused = app.patch(&subscription.path(), body).await;
        refused.refused(400, "webhook.request_invalid").about(field);
    }
    let rotate = format!("{}/rotate-secret", subscription.path());
    let refused = app.post(&rotate, json!({"gracePeriodSeconds": 604_801})).await;
    refused.refused(400, "webhook.request_invalid").about("gracePeriodSeconds");
    let recover = format!("{}/recover", subscription.path());
    app.post(&recover, json!({})).await.refused(400, "webhook.request_invalid").about("since");
    assert_eq!(before, app.state().await);
    assert!(app.post("/webhooks", with("name", json!("x".repeat(120)))).await.status == 201);
    for _ in 0..48 {
        app.post("/webhooks", good.clone()).await.ok();
    }
    app.post("/webhooks", good.clone()).await.refused(409, "PUBLIC_API_ERROR");
    app.delete(&subscription.path()).await.ok();
    app.post("/webhooks", good).await.ok();
}

#[scenario(here)]
async fn targets_that_may_not_be_reached_are_refused(app: App) {
    for host in [
        "private.receiver.example",
        "mixed.receiver.example",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "0xa000001",
        "192.168.1.1.",
    ] {
        let body =
            json!({"name": "X", "url": format!("https://{host}/"), "events": ["client.created"]});
        let refused = app.post("/webhooks", body).await;
        refused.refused(400, "webhook.request_invalid").about("url");
    }
    // A name that cannot be resolved today may exist at delivery.
    let body = json!({"name": "X", "url": "https://nowhere.receiver.example/", "events": ["client.created"]});
    app.post("/webhooks", body).await.ok();
}

#[scenario]
async fn a_test_reaches_its_subscription(app: App) {
    let tested = hook(&app, "good", &["client.created"]).await;
    let curious = hook(&app, "good", &["subscription.test"]).await;
    let reply = app.act(&format!("{}/test", tested.path())).await.ok();
    assert_eq!(reply.data()["test"]["deliveryIds"].as_array().unwrap().len(), 2);
    let event: Value = serde_json::from_str(&tested.received(1).await[0].body).unwrap();
    assert_eq!(event["id"], reply.data()["test"]["eventId"]);
    assert_eq!(event["type"], "subscription.test");
    assert_eq!(event["data"], json!({"subscriptionId": tested.id}));
    curious.received(1).await;
    app.announced(&["subscription.test"]).await;
}

#[scenario]
async fn secrets_rotate_with_grace(app: App) {
    let hook = hook(&app, "good", &["client.created"]).await;
    let rotate = format!("{}/rotate-secret", hook.path());
    let rotated = app.act(&rotate).await.ok();
    let subscription = &rotated.data()["subscription"];
    let new = subscription["signingSecret"].as_str().unwrap();
    assert!(new != hook.secret && subscription["secret"]["rotatedAt"].is_string());
    hook.test(&app).await;
    let received = hook.received(1).await;
    assert!(is_signed(&received[0], new) && is_signed(&received[0], &hook.secret));
    let last = app.post(&rotate, json!({"gracePeriodSeconds": 0})).await.ok();
    let last = last.data()["subscription"]["signingSecret"].as_str().unwrap();
    hook.test(&app).await;
    let received = &hook.received(2).await[1];
    assert!(is_signed(received, last) && !is_signed(received, new));
    assert!(!received.headers["x-service-webhook-signature"].contains(','));
}

#[scenario]
async fn disabled_subscriptions_receive_nothing(app: App) {
    let hook = hook(&app, "fails", &["client.created"]).await;
    let waiting = hook.test(&app).await;
    after_attempts(&app, &waiting, 1).await;
    app.patch(&hook.path(), json!({"status": "disabled"})).await.ok();
    app.new_client(json!({"firstName": "Ann"})).await;
    hurry(&app).await;
    for _ in 0..500 {
        if app.wait_for_attempt(&waiting).await["status"] == "cancelled" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let response = app.wait_for_attempt(&waiting).await;
    assert_eq!(
        (&response["status"], &response["nextAttemptAt"]),
        (&json!("cancelled"), &Value::Null)
    );
    assert_eq!(app.get("/webhooks/deliveries").await.ok().data()["total"], 1);
    app.patch(&hook.path(), json!({"status": "active"})).await.ok();
    app.new_client(json!({"firstName": "Bea"})).await;
    assert_eq!(app.get("/webhooks/deliveries").await.ok().data()["total"], 2);
    hook.received(2).await;
}
