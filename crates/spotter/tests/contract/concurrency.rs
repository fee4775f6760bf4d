//! Many requests at once.

use std::collections::BTreeMap;

use serde_json::json;
use spotter_harness::{App, random_text, scenario, send};

#[scenario]
async fn forty_requests_with_one_key_have_one_effect(app: App) {
    let key = random_text();
    let before = app.state().await;
    let requests = (0..40).map(|_| {
        let request = app.raw("POST", "/clients").header("Idempotency-Key", &key);
        tokio::spawn(send(request.json(&json!({"firstName": "Once"}))))
    });
    let mut outcomes: BTreeMap<(u16, String), usize> = BTreeMap::new();
    let mut ids = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        let reply = request.await.unwrap();
        if reply.status == 201 {
            ids.push(reply.data()["client"]["clientId"].clone());
        }
        let replayed = reply.body["meta"]["idempotency"]["replayed"].to_string();
        *outcomes.entry((reply.status, format!("{}{replayed}", reply.key()))).or_default() += 1;
    }
    for ((status, what), count) in &outcomes {
        match (status, what.as_str()) {
            (201, "false") => assert_eq!(*count, 1, "{outcomes:?}"),
            (201, "true") | (409, "idempotency.in_progressnull") => {}
            _ => panic!("{outcomes:?}"),
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "one client was made");
    let after = app.state().await;
    for table in ["client", "stored_answer", "event", "audit_log"] {
        assert_eq!(after[table].0, before[table].0 + 1, "{table}");
    }
    let replay = app
        .raw("POST", "/clients")
        .header("Idempotency-Key", &key)
        .json(&json!({"firstName": "Once"}));
    let replay = send(replay).await.ok();
    assert_eq!(replay.body["meta"]["idempotency"]["replayed"], true);
    app.announced(&["client.created"]).await;
}

#[scenario]
async fn one_address_goes_to_one_client(app: App) {
    let email = format!("{}@example.com", random_text());
    let requests = (0..20).map(|_| {
        let request = app.raw("POST", "/clients").header("Idempotency-Key", random_text());
        tokio::spawn(send(request.json(&json!({"firstName": "Twin", "email": email}))))
    });
    let mut made = 0;
    for request in requests.collect::<Vec<_>>() {
        let reply = request.await.unwrap();
        match reply.status {
            201 => made += 1,
            _ => assert_eq!(reply.key(), "PUBLIC_API_ERROR", "{}", reply.body),
        }
    }
    assert_eq!(made, 1);
    assert_eq!(app.get("/clients").await.data()["total"], 1);
}

#[scenario]
async fn totals_stay_exact(app: App) {
    let requests = (0..60).map(|number| {
        let request = app.raw("POST", "/clients").header("Idempotency-Key", random_text());
        let status = if number % 3 == 0 { "active" } else { "lead" };
        tokio::spawn(send(request.json(&json!({"firstName": "Many", "memberStatus": status}))))
    });
    for request in requests.collect::<Vec<_>>() {
        request.await.unwrap().ok();
    }
    for _ in 0..3 {
        assert_eq!(app.get("/clients").await.data()["total"], 60);
        assert_eq!(app.get("/clients?memberStatus=active").await.data()["total"], 20);
        assert_eq!(
            app.get("/clients?memberStatus=active&archived=false").await.data()["total"],
            20
        );
        app.server.db.fold_tallies().await.unwrap();
    }
}
