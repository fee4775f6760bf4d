//! Rules of every request and answer.

use std::sync::Arc;

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine, Reply, random_text, runtime, scenario, send, start_as, text,
    training::{add_day, new_template},
};
use spotter_store::{Sql, params};

fn rule(reply: &Reply) -> String {
    reply.body["error"]["details"]["rule"].as_str().unwrap_or_default().to_owned()
}

#[scenario]
async fn numbers_in_addresses_have_one_spelling(app: App) {
    let template = new_template(&app).await;
    app.post(&format!("/workout/plans/moments/{template}/weeks"), json!({})).await.ok();
    let before = app.state().await;
    for week in ["+1", "1e0", "1.0", "01", "-1", "", "0x1", "1%20"] {
        let path = format!("/workout/plans/moments/{template}/weeks/{week}");
        let key = random_text();
        let refused = send(app.raw("DELETE", &path).header("Idempotency-Key", key)).await;
        assert!(matches!(refused.status, 400 | 404), "{week}: {}", refused.body);
        if !week.is_empty() {
            refused.refused(400, "request.invalid").about("weekNumber");
        }
    }
    for query in ["page=+1", "page=01", "limit=1e1", "limit=1.0"] {
        app.get(&format!("/clients?{query}")).await.refused(400, "request.invalid");
    }
    assert_eq!(before, app.state().await);
    app.delete(&format!("/workout/plans/moments/{template}/weeks/1")).await.ok();
}

#[scenario]
async fn doubled_headers_are_refused(app: App) {
    let body = json!({"firstName": "Ann"});
    let twice = app.raw("POST", "/clients").header("Idempotency-Key", "a");
    let twice = twice.header("Idempotency-Key", "b").json(&body);
    send(twice).await.refused(400, "idempotency.invalid");
    let token = format!("Bearer {}", app.token);
    let two = app.server.request("GET", "/public/v1/clients");
    let two = two.header("Authorization", &token).header("Authorization", &token);
    send(two).await.refused(401, "auth.invalid_token");
    app.announced(&[]).await;
}

#[scenario]
async fn one_mistake_has_one_key(app: App) {
    for (method, path) in [
        ("GET", "/webhooks/zz"),
        ("DELETE", "/webhooks/zz"),
        ("PATCH", "/webhooks/zz"),
        ("POST", "/webhooks/zz/test"),
        ("GET", "/webhooks?foo=1"),
    ] {
        let request = app.raw(method, path).header("Idempotency-Key", random_text());
        let request = if method == "PATCH" { request.json(&json!({})) } else { request };
        send(request).await.refused(400, "webhook.request_invalid");
    }
}

#[scenario]
async fn refusals_explain_the_next_step(app: App) {
    let unknown = app.get("/webhooks?foo=1").await.about("foo");
    assert_eq!(
        rule(&unknown),
        "is not a known parameter; known are updatedFrom, page, limit, cursor"
    );
    let twice = app.get("/clients?limit=1&limit=2").await.about("limit");
    assert_eq!(rule(&twice), "must be given once");
    let tags = app.post("/clients", json!({"firstName": "Ann", "tags": "x"})).await.about("tags");
    assert_eq!(rule(&tags), "must be a list");
}

#[scenario]
async fn bodies_match_their_media_type(app: App) {
    let write = |kind: &str, body: Vec<u8>| {
        let request = app.raw("POST", "/clients").header("Idempotency-Key", random_text());
        request.header("Content-Type", kind).body(body)
    };
    let plain = br#"{"firstName": "Ann"}"#.to_vec();
    for kind in
        ["application/json; charset=iso-8859-1", "text/json", "application/json;charset=utf-16"]
    {
        send(write(kind, plain.clone())).await.refused(415, "request.failed");
    }
    let packed = write("application/json", plain.clone()).header("Content-Encoding", "gzip");
    let refused = send(packed).await.refused(415, "request.failed");
    assert!(refused.body["error"]["message"].as_str().unwrap().contains("Content-Encoding"));
    app.announced(&[]).await;
    for kind in [
        "application/json",
        "application/json; charset=UTF-8",
        "Application/JSON;charset=\"utf-8\"",
    ] {
        send(write(kind, plain.clone())).await.ok();
    }
    send(write("application/json", [b"\xef\xbb\xbf".to_vec(), plain].concat())).await.ok();
    app.announced(&["client.created"; 4]).await;
}

#[scenario]
async fn records_have_tags(app: App) {
    let id = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/clients/{id}");
    let first = app.get(&path).await.ok();
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    assert_eq!(app.get(&path).await.ok().headers["etag"], tag.as_str(), "meta does not count");
    let known = send(app.raw("GET", &path).header("If-None-Match", &tag)).await;
    assert_eq!((known.status, known.body), (304, Value::String(String::new())));
    assert!(known.headers.contains_key("ratelimit-limit"));
    app.patch(&path, json!({"lastName": "Bos"})).await.ok();
    let changed = send(app.raw("GET", &path).header("If-None-Match", &tag)).await.ok();
    assert_ne!(changed.headers["etag"], tag.as_str());
    let other = App::new(app.server.clone()).await;
    let foreign = app.server.request("GET", &format!("/public/v1{path}")).bearer_auth(&other.token);
    send(foreign.header("If-None-Match", "*")).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let description = send(app.server.request("GET", "/public/v1/openapi.json")).await;
    let tag = description.headers["etag"].clone();
    let again = app.server.request("GET", "/public/v1/openapi.json").header("If-None-Match", tag);
    assert_eq!(send(again).await.status, 304);
    assert!(!app.get("/clients").await.headers.contains_key("etag"), "lists have none");
}

#[scenario]
async fn answers_are_compressed_on_request(app: App) {
    for _ in 0..5 {
        app.new_client(json!({"firstName": "Ann", "lastName": "Bos"})).await;
    }
    for kind in ["gzip", "br"] {
        let request = app.raw("GET", "/clients").header("Accept-Encoding", kind);
        assert_eq!(request.send().await.unwrap().headers()["content-encoding"], kind);
    }
    let plain = app.raw("GET", "/clients").send().await.unwrap();
    assert!(!plain.headers().contains_key("content-encoding"));
    let small =
        app.raw("GET", "/locations").header("Accept-Encoding", "gzip").send().await.unwrap();
    assert!(!small.headers().contains_key("content-encoding"), "it is not worth it");
}

#[scenario]
async fn a_browser_is_sent_on(app: App) {
    let http = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let sent = http.get(&app.server.base).header("Accept", "text/html,*/*").send().await.unwrap();
    assert_eq!(
        (sent.status().as_u16(), &sent.headers()["location"]),
        (303, &"/console".parse().unwrap())
    );
    send(app.server.request("GET", "/")).await.refused(404, "resource.not_found");
    // A person at an unknown address gets a page; a program the envelope.
    for (path, kind) in [
        ("/timetable", "text/html; charset=utf-8"),
        ("/console-old/x", "text/html; charset=utf-8"),
        ("/public/v1/nothing", "application/json"),
        ("/app/v1/nothing", "application/json"),
    ] {
        let url = format!("{}{path}", app.server.base);
        let lost = http.get(url).header("Accept", "text/html,*/*;q=0.8").send().await.unwrap();
        let response = lost.headers()["content-type"].to_str().unwrap();
        assert_eq!((lost.status().as_u16(), response), (404, kind), "{path}");
    }
}

/// A request may be refused before its body was read; the next request on the connection must still work.
#[scenario]
async fn a_refused_body_leaves_the_connection_usable(app: App) {
    let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(1).build().unwrap();
    let url = |path: &str| format!("{}{path}", app.server.base);
    for round in 0..40 {
        let body = vec![b'x'; 200_000];
        let path = if round % 2 == 0 { "/public/v1/clients" } else { "/nowhere" };
        let refused =
            http.post(url(path)).bearer_auth("fspt_junk").body(body).send().await.unwrap();
        assert!(matches!(refused.status().as_u16(), 401 | 404));
        refused.bytes().await.unwrap();
        let next = http.post(url("/public/v1/oauth/token")).body("x").send().await.unwrap();
        assert_eq!(next.status(), 400);
        next.bytes().await.unwrap();
    }
}

#[scenario]
async fn names_hide_no_other_columns(app: App) {
    let view = async |name: &str| app.post("/clients", json!({"firstName": name})).await;
    let made = view("\u{202e}An\u{200b}n\u{2069}").await.ok();
    assert_eq!(made.data()["client"]["firstName"], "Ann");
    for nothing in ["\u{200b}\u{200d}", "\u{2066}", "\u{feff}", "\u{2800}"] {
        view(nothing).await.refused(400, "request.invalid").about("firstName");
    }
    app.announced(&["client.created"]).await;
}

#[scenario]
async fn details_that_were_wrong(app: App) {
    let settings = app.get("/workout/settings").await.ok();
    assert_eq!(settings.data()["settings"]["updatedAt"], Value::Null);
    let changed = app.patch("/workout/settings", json!({"defaultRestSeconds": 60})).await.ok();
    assert!(changed.data()["settings"]["updatedAt"].is_string());
    let empty = app.post("/workout/plans/templates", json!({"name": "Empty"})).await.ok();
    let template = text(empty.data(), "/template/_id");
    let publish = format!("/workout/plans/publish/{template}");
    let refused = app.put(&publish, json!({})).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("templateId");
    add_day(&app, &template, json!({"name": "Day"})).await;
    app.put(&publish, json!({})).await.ok();
    let born = async |date: &str| {
        app.post("/clients", json!({"firstName": "Ann", "dateOfBirth": date})).await
    };
    born("2026-01-31").await.ok();
    born("2226-01-31").await.refused(400, "PUBLIC_API_INVALID_DATE").about("dateOfBirth");
    born("1899-12-31").await.refused(400, "PUBLIC_API_INVALID_DATE").about("dateOfBirth");
    let hook = json!({"name": "X", "url": "https://example.com:0/", "events": ["client.created"]});
    app.post("/webhooks", hook).await.refused(400, "webhook.request_invalid").about("url");
    let client = app.new_client(json!({"firstName": "Bea"})).await;
    let items = format!("/workout/equipment/clients/{client}/custom-items");
    for label in ["!!!", "???"] {
        let made = app.post(&items, json!({"label": label})).await.ok();
        assert_ne!(made.data()["item"]["key"], "item", "{label}");
    }
}

/// PostgreSQL stores no text with U+0000: searching for it finds nothing, writing it is refused. Neither is a server
/// error.
#[scenario]
async fn unstorable_search_texts_find_nothing(app: App) {
    for (path, list) in [
        ("/webhooks/deliveries?subscriptionId=%00", "deliveries"),
        ("/clients?tag=a%00b", "clients"),
        ("/finance/invoices?number=%00", "invoices"),
        ("/audit-logs?operation=%00", "auditLogs"),
    ] {
        let answer = app.get(path).await;
        match answer.status {
            200 => assert_eq!(answer.data()[list], json!([]), "{path}"),
            status => assert_eq!(status, 400, "{path}: {}", answer.body),
        }
    }
    app.post("/clients", json!({"firstName": "A\u{0}n"})).await.about("firstName");
    app.post("/clients", json!({"firstName": "An", "source": "\u{0}"})).await.about("source");
}

/// On a server of its own, because it breaks tables. Every write is audited, and unreadable entries are reported.
#[scenario(process)]
fn an_audit_log_that_fails_has_a_key(engine: Engine) {
    runtime().block_on(async {
        let app = App::new(Arc::new(start_as(engine, |_| ()))).await;
        without_an_audit_log(app).await;
    });
}

async fn without_an_audit_log(app: App) {
    const AWAY: Sql = Sql("ALTER TABLE audit_log RENAME TO audit_log_away");
    const BACK: Sql = Sql("ALTER TABLE audit_log_away RENAME TO audit_log");
    let rename = async |sql: Sql| {
        app.server.db.write(move |tx| tx.execute(sql, params![]).map(drop)).await.unwrap();
    };
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    rename(AWAY).await;
    let path = format!("/clients/{ann}");
    for refused in [
        app.patch(&path, json!({"firstName": "Bea"})).await,
        app.get("/audit-logs").await,
        app.get("/audit-logs/65a1b2c3d4e5f6a7b8c9d0e1").await,
    ] {
        refused.refused(500, "PUBLIC_API_AUDIT_STORE_UNAVAILABLE");
    }
    assert_eq!(app.get(&path).await.ok().data()["client"]["firstName"], "Ann");
    rename(BACK).await;
    app.patch(&path, json!({"firstName": "Bea"})).await.ok();
    app.get("/audit-logs").await.ok();
}
