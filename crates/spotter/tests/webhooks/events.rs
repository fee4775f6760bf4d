//! The event log: complete, newest first, and for each caller what it may read.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spotter_harness::{App, scenario};
use spotter_kernel::{Id, Timestamp};
use spotter_store::{Sql, params};

use super::hook;

const EMIT: Sql = Sql("INSERT INTO event (company_id, event_id, type, occurred_at, data) \
    VALUES (?1, ?2, ?3, ?4, ?5)");

/// The ids of the log by a query, with every page.
async fn log(app: &App, query: &str) -> (Vec<String>, usize) {
    let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = app.get(&format!("/events?{query}{cursor}")).await.ok();
        pages += 1;
        let events = page.data()["events"].as_array().unwrap();
        ids.extend(events.iter().map(|event| event["id"].as_str().unwrap().to_owned()));
        match page.data()["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (ids, pages),
        }
    }
}

#[scenario]
async fn the_log_has_what_webhooks_deliver_and_what_nobody_subscribed_to(app: App) {
    let hook = hook(&app, "good", &["client.created"]).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.act(&format!("/clients/{client}/archive")).await.ok();
    let sent: Value = serde_json::from_str(&hook.received(1).await[0].body).unwrap();
    let listed = app.get("/events").await.ok();
    let events = listed.data()["events"].as_array().unwrap();
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["client.archived", "client.created"]);
    assert_eq!(events[1], sent, "the log has the event as it was delivered");
    assert_eq!(listed.data()["nextCursor"], Value::Null);
    let one = app.get(&format!("/events/{}", sent["id"].as_str().unwrap())).await.ok();
    assert_eq!(one.data()["event"], sent);
    app.announced(&["client.archived"]).await;
    let other = App::new(app.server.clone()).await;
    assert!(other.get("/events").await.ok().data()["events"].as_array().unwrap().is_empty());
    other
        .get(&format!("/events/{}", sent["id"].as_str().unwrap()))
        .await
        .refused(404, "resource.not_found");
}

#[scenario]
async fn each_api_client_sees_events_of_records_that_it_may_read(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let measured = json!({"type": "weight", "value": 80, "unit": "kg"});
    app.post(&format!("/clients/{client}/measurements"), measured).await.ok();
    let (all, _) = log(&app, "").await;
    let health = app.get("/events?type=measurement.created").await.ok();
    let measurement = health.data()["events"][0]["id"].as_str().unwrap().to_owned();
    assert!(all.contains(&measurement));
    let token = app.token_with(&["webhook_deliveries:read", "clients:read"]).await;
    let as_narrow = |path: String| {
        let request = app.server.request("GET", &format!("/public/v1{path}")).bearer_auth(&token);
        async { spotter_harness::send(request).await }
    };
    let seen = as_narrow("/events".into()).await.ok();
    let types: BTreeSet<_> = seen.data()["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert_eq!(types, ["client.created"].into());
    as_narrow(format!("/events/{measurement}")).await.refused(404, "resource.not_found");
    as_narrow("/events?type=measurement.created".into()).await.refused(403, "scopes.insufficient");
    let without = app.token_with(&["clients:read"]).await;
    let request = app.server.request("GET", "/public/v1/events").bearer_auth(without);
    spotter_harness::send(request).await.refused(403, "scopes.insufficient");
}

#[scenario]
async fn the_log_is_walked_without_gaps_in_bounded_steps(app: App) {
    // One in fifty is of a type that is asked for, among more than one request looks at.
    let (company, began) = (app.company, 1_700_000_000_000);
    let id = move |n: i64| {
        Id::new(Timestamp::from_millis(began + n / 3), [0, 0, 0, 0, 0, (n % 3) as u8])
    };
    let written = move |tx: &mut spotter_store::Tx<'_>| {
        for n in 0..2_600 {
            let name = if n % 50 == 7 { "invoice.paid" } else { "client.updated" };
            let at = Timestamp::from_millis(began + n / 3);
            tx.execute(EMIT, params![company, id(n), name, at, "{}"])?;
        }
        Ok(())
    };
    app.server.db.write(written).await.unwrap();
    let expected = |keep: &dyn Fn(i64) -> bool| -> Vec<String> {
        (0..2_600).rev().filter(|n| keep(*n)).map(|n| id(n).to_string()).collect()
    };
    let (all, pages) = log(&app, "limit=100").await;
    assert_eq!((all, pages), (expected(&|_| true), 26));
    let (rare, pages) = log(&app, "type=invoice.paid&limit=100").await;
    assert_eq!(rare, expected(&|n| n % 50 == 7));
    assert!(pages <= 4, "each looks at a thousand: {pages}");
    for limit in [1, 7, 51] {
        let (rare, _) = log(&app, &format!("type=invoice.paid&limit={limit}")).await;
        assert_eq!(rare.len(), 52, "{limit}");
    }
    let instant = |n: i64| Timestamp::from_millis(began + n);
    let (some, _) = log(&app, &format!("from={}&to={}", instant(100), instant(101))).await;
    assert_eq!(some, expected(&|n| n / 3 == 100));
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("cursor=x", "cursor"),
        ("type=client.eaten", "type"),
        ("page=2", "page"),
        ("from=yesterday", "from"),
    ] {
        let refused = app.get(&format!("/events?{query}")).await;
        assert_eq!(refused.status, 400, "{query}: {}", refused.body);
        assert_eq!(refused.body["error"]["details"]["field"], field, "{}", refused.body);
    }
}
