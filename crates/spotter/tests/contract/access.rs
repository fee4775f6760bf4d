//! Tokens, scopes, consents, idempotency and rate limits.

use serde_json::{Value, json};
use spotter_harness::{self, App, SystemClock, random_text, scenario, send};
use spotter_kernel::{Clock, Id, Key, id::CompanyId};
use spotter_people::identity::permits;
use spotter_store::Tx;

#[scenario]
async fn a_token_dies_with_its_client(app: App) {
    app.get("/platform/profile").await.ok();
    let path = format!("/integrations/public-api/clients/{}", app.api_client);
    let rotated = app.app("POST", &format!("{path}/rotate-secret"), None).await.ok();
    app.get("/platform/profile").await.refused(401, "auth.invalid_token");
    let old = app.server.token(&app.client_id, &app.client_secret).await;
    assert_eq!((old.status, old.body["error"].as_str()), (401, Some("invalid_client")));
    let secret = rotated.data()["clientSecret"].as_str().unwrap();
    let token = app.issue(&app.client_id, secret).await;
    let call =
        || send(app.server.request("GET", "/public/v1/platform/profile").bearer_auth(&token));
    call().await.ok();
    app.app("POST", &format!("{path}/revoke"), None).await.ok();
    call().await.refused(401, "auth.invalid_client");
    assert_eq!(app.server.token(&app.client_id, secret).await.status, 401);
    app.app("POST", &format!("{path}/rotate-secret"), None).await.refused(409, "PUBLIC_API_ERROR");
}

#[scenario]
async fn scopes_and_consents(app: App) {
    let create = |scopes: Value, consents: Value| {
        let body = json!({"name": "X", "scopes": scopes, "consents": consents, "defaultAssignedCoachId": app.admin});
        app.app("POST", "/integrations/public-api/clients", Some(body))
    };
    create(json!(["goals:read"]), json!({}))
        .await
        .refused(400, "PUBLIC_API_HEALTH_CONSENT_REQUIRED");
    create(json!(["messages:read"]), json!({"healthData": true}))
        .await
        .refused(400, "PUBLIC_API_PRIVATE_COMMUNICATION_CONSENT_REQUIRED");
    create(json!(["everything"]), json!({}))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("scopes[0]");
    create(json!([]), json!({})).await.refused(400, "request.invalid").about("scopes");
    let bare = json!({"name": "X", "scopes": ["clients:read"]});
    app.app("POST", "/integrations/public-api/clients", Some(bare))
        .await
        .refused(400, "PUBLIC_API_COACH_REQUIRED");
    let token = app.token_with(&["clients:read"]).await;
    let call = |method: &str, path: &str| {
        let request = app.server.request(method, &format!("/public/v1{path}")).bearer_auth(&token);
        send(request.header("Idempotency-Key", random_text()).json(&json!({"firstName": "x"})))
    };
    call("GET", "/clients").await.ok();
    let refused = call("POST", "/clients").await.refused(403, "scopes.insufficient");
    assert_eq!(refused.body["error"]["details"], json!({"requiredScopes": ["clients:write"]}));
    call("GET", "/locations").await.refused(403, "scopes.insufficient");
    // Narrowing a client's scopes takes its tokens back.
    let id = app.api_client.clone();
    app.get("/clients").await.ok();
    app.app(
        "PATCH",
        &format!("/integrations/public-api/clients/{id}"),
        Some(json!({"scopes": ["clients:read"]})),
    )
    .await
    .ok();
    app.get("/clients").await.refused(401, "auth.invalid_token");
    let withdrawn = json!({"consents": {"healthData": false, "privateCommunication": false}});
    app.app("PATCH", &format!("/integrations/public-api/clients/{id}"), Some(withdrawn)).await.ok();
    let gated = json!({"scopes": ["goals:read"]});
    app.app("PATCH", &format!("/integrations/public-api/clients/{id}"), Some(gated))
        .await
        .refused(400, "PUBLIC_API_HEALTH_CONSENT_REQUIRED");
}

#[scenario]
async fn provider_access_is_rechecked(app: App) {
    app.app("PATCH", "/company/features", Some(json!({"publicApi": false}))).await.ok();
    app.get("/platform/profile").await.refused(403, "auth.provider_unavailable");
    let token = app.server.token(&app.client_id, &app.client_secret).await;
    assert_eq!((token.status, token.body["error"].as_str()), (400, Some("unauthorized_client")));
    app.app("PATCH", "/company/features", Some(json!({"publicApi": true}))).await.ok();
    app.get("/platform/profile").await.ok();
}

#[scenario]
async fn replays_and_conflicts(app: App) {
    let key = random_text();
    let with = |path: &str, body: &str| {
        let request = app.raw("POST", path).header("Idempotency-Key", &key);
        send(request.header("content-type", "application/json").body(body.to_owned()))
    };
    let first = with("/clients", r#"{"firstName": "Ann", "lastName": "Bos"}"#).await.ok();
    let again = with("/clients", r#"{"lastName":"Bos","firstName":"Ann"}"#).await.ok();
    assert_eq!((again.status, again.data()), (201, first.data()));
    assert_eq!(again.body["meta"]["idempotency"]["replayed"], true);
    assert_ne!(again.body["meta"]["requestId"], first.body["meta"]["requestId"]);
    with("/clients", r#"{"firstName":"Bea"}"#).await.refused(409, "idempotency.conflict");
    with("/locations", r#"{"name":"Bea"}"#).await.refused(409, "idempotency.conflict");
    app.announced(&["client.created"]).await;
    // A repeated request is replayed although it could not run again, and its key stays used.
    let (key, ours) = (random_text(), r#"{"firstName": "Cas", "externalId": "crm-1"}"#);
    let with = |body: &'static str| {
        let request = app.raw("POST", "/clients").header("Idempotency-Key", &key);
        send(request.header("content-type", "application/json").body(body))
    };
    let first_of_all = with(ours).await.ok();
    for _ in 0..2 {
        let again = with(ours).await.ok();
        assert_eq!((again.status, again.data()), (201, first_of_all.data()));
        assert_eq!(again.body["meta"]["idempotency"]["replayed"], true);
        let taken = with(r#"{"firstName": "Dan", "externalId": "crm-1"}"#).await;
        taken.refused(409, "idempotency.conflict");
    }
    app.announced(&["client.created"]).await;
    // Failures are not stored: the same key may succeed later.
    let key = random_text();
    let archive = |id: &str| {
        send(app.raw("POST", &format!("/clients/{id}/archive")).header("Idempotency-Key", &key))
    };
    archive(&"0".repeat(24)).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    archive(first.data()["client"]["clientId"].as_str().unwrap()).await.ok();
    // Keys belong to their API client.
    let token = app.token_with(&["clients:write"]).await;
    let other = app.server.request("POST", "/public/v1/clients").bearer_auth(token);
    let other =
        send(other.header("Idempotency-Key", &key).json(&json!({"firstName": "Ann"}))).await.ok();
    assert_eq!(other.body["meta"]["idempotency"]["replayed"], false);
}

#[scenario]
async fn replays_of_secrets_are_sealed(app: App) {
    let key = random_text();
    let body =
        json!({"name": "X", "scopes": ["clients:read"], "defaultAssignedCoachId": app.admin});
    let create = || {
        let request = app.server.request("POST", "/app/v1/integrations/public-api/clients");
        send(request.bearer_auth(&app.coach_token).header("Idempotency-Key", &key).json(&body))
    };
    let (first, again) = (create().await.ok(), create().await.ok());
    assert_eq!(first.data()["clientSecret"], again.data()["clientSecret"]);
    assert_eq!(again.body["meta"]["idempotency"]["replayed"], true);
    let kept: Vec<(Vec<u8>, bool)> = app
        .server
        .db
        .read({
            let key = key.clone();
            move |tx| {
                tx.all(
                    spotter_store::Sql(
                        "SELECT answer, sealed FROM stored_answer WHERE idempotency_key = ?1",
                    ),
                    spotter_store::params![key],
                )
            }
        })
        .await
        .unwrap();
    assert!(kept[0].1 && !String::from_utf8_lossy(&kept[0].0).contains("fsps_"), "stored sealed");
}

#[scenario]
async fn envelope_and_headers(app: App) {
    let reply = app.get("/clients").await.ok();
    let rate = &reply.body["meta"]["rateLimit"];
    for name in ["limit", "remaining", "resetSeconds"] {
        assert!(rate[name].is_u64(), "{name}");
    }
    assert_eq!(reply.headers["x-request-id"], reply.body["meta"]["requestId"].as_str().unwrap());
    assert_eq!(reply.headers["ratelimit-limit"], rate["limit"].to_string());
    let missing = send(app.server.request("GET", "/public/v1/clients"))
        .await
        .refused(401, "auth.missing_bearer");
    assert_eq!(missing.headers["www-authenticate"], "Bearer realm=\"spotter\"");
    let key = app.server.request("GET", "/public/v1/clients").header("x-api-key", "fspt_x");
    send(key).await.refused(401, "auth.missing_bearer");
    let junk = send(app.server.request("GET", "/public/v1/clients").bearer_auth("fspt_junk")).await;
    assert!(junk.headers["www-authenticate"].to_str().unwrap().contains("invalid_token"));
    for (method, path) in [
        ("GET", "/public/v1/nowhere"),
        ("DELETE", "/public/v1/clients"),
        ("GET", "/"),
        ("PATCH", "/app/v1/auth/login"),
    ] {
        send(app.server.request(method, path)).await.refused(404, "resource.not_found");
    }
    let large = app
        .raw("POST", "/clients")
        .header("Idempotency-Key", "k")
        .header("content-type", "application/json");
    send(large.body("x".repeat((1 << 20) + 1))).await.refused(413, "request.failed");
    let form = app
        .raw("POST", "/clients")
        .header("Idempotency-Key", "k")
        .header("content-type", "text/plain");
    send(form.body("{}")).await.refused(415, "request.failed");
}

/// A token is checked before permits are taken for it, and its company may be erased in between.
#[scenario]
async fn permits_of_an_erased_company_are_refused(app: App) {
    let erased = CompanyId(Id::parse(&random_text()).unwrap());
    let (client, now) = (erased.0, SystemClock.now());
    let take = async |company| {
        let take = move |tx: &mut Tx<'_>| permits::take(tx, company, client, 64, now);
        app.server.db.write(take).await
    };
    assert_eq!(take(erased).await.unwrap_err().key, Key::InvalidToken);
    assert_eq!(take(app.company).await.unwrap().granted, 1);
}

#[scenario]
async fn rate_limits_are_per_client(app: App) {
    let settings = spotter_http::HttpSettings {
        rate_limit: 3,
        anonymous_rate_limit: 40,
        ..Default::default()
    };
    let app = App::new(spotter_harness::start(app.server.engine, settings).into()).await;
    let other = app.issue(&app.client_id, &app.client_secret).await;
    for left in [2, 1, 0] {
        let reply = app.get("/platform/profile").await.ok();
        assert_eq!(reply.body["meta"]["rateLimit"]["remaining"], left);
    }
    let call = |token: &str| {
        send(app.server.request("GET", "/public/v1/platform/profile").bearer_auth(token))
    };
    for token in [&app.token, &other] {
        let refused = call(token).await.refused(429, "rate_limit.exceeded");
        let wait = refused.body["meta"]["rateLimit"]["retryAfterSeconds"].as_u64().unwrap();
        assert!((1..=60).contains(&wait));
        assert_eq!(refused.headers["retry-after"], wait.to_string());
    }
    // A token that has ended is refused as such, not by the limit.
    const END: spotter_store::Sql =
        spotter_store::Sql("DELETE FROM access_token WHERE company_id = ?1");
    let company = app.company;
    app.server.db.write(move |tx| tx.execute(END, spotter_store::params![company])).await.unwrap();
    for token in [&app.token, &other] {
        call(token).await.refused(401, "auth.invalid_token");
    }
    for _ in 0..60 {
        call("fspt_junk").await;
    }
    call("fspt_junk").await.refused(429, "rate_limit.exceeded");
    send(app.server.request("GET", "/nowhere")).await.refused(429, "rate_limit.exceeded");
}
