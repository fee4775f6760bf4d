//! Assistants that are known by a document at an address of their own.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    assistant::{Assistant, browser, call, switch_on},
    random_text,
    receiver::{named_host, receiver},
    scenario, send,
};

const JSON: (&str, &str) = ("content-type", "application/json");

/// An assistant with a published document, with some fields changed.
fn published(otherwise: Value, headers: &[(&'static str, &str)]) -> (Assistant, String) {
    let mark = format!("{}.json", random_text());
    let id = receiver().url_at(named_host(), "document", &mark);
    let mut document = json!({"client_id": id, "client_name": "Helper",
        "redirect_uris": ["http://127.0.0.1/callback", "https://elsewhere.example/back"],
        "client_uri": "https://helper.example", "token_endpoint_auth_method": "none"});
    for (name, value) in otherwise.as_object().unwrap() {
        document[name] = value.clone();
    }
    receiver().publish(&mark, 200, &[&[JSON], headers].concat(), &document.to_string());
    (Assistant { id, verifier: format!("{}{}", random_text(), random_text()) }, mark)
}

/// The page or redirect that a browser is sent to.
async fn authorize(app: &App, assistant: &Assistant, redirect: &str) -> (u16, String) {
    let query =
        assistant.query(app, &[("redirect_uri", Some(redirect)), ("scope", Some("clients"))]);
    let path = format!("{}/mcp/v1/oauth/authorize?{query}", app.server.base);
    let answer = browser().get(path).send().await.unwrap();
    let status = answer.status().as_u16();
    let location = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
    (status, location.unwrap_or(answer.text().await.unwrap()))
}

#[scenario]
async fn document_clients_are_admitted(app: App) {
    switch_on(&app).await;
    let metadata = send(app.server.request("GET", "/.well-known/oauth-authorization-server")).await;
    assert_eq!(metadata.body["client_id_metadata_document_supported"], true);
    let (assistant, mark) = published(json!({}), &[("cache-control", "max-age=600")]);
    // The document is written once for all machines: whichever port is free there.
    let redirect = "http://127.0.0.1:50123/callback";
    let (status, location) = authorize(&app, &assistant, redirect).await;
    assert_eq!(status, 303, "{location}");
    let page = browser().get(format!("{}{location}", app.server.base)).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(page.contains(named_host()) && page.contains("this computer"), "{page}");
    let request = location.split_once("request=").unwrap().1;
    let path = "/company/mcp/oauth/approve";
    let approved = app.app("POST", path, Some(json!({"requestId": request}))).await.ok();
    let target = approved.data()["redirectTo"].as_str().unwrap().to_owned();
    assert!(target.starts_with(redirect), "{target}");
    let code = target.split_once("?code=").unwrap().1.split('&').next().unwrap();
    let resource = format!("{}/mcp/v1", app.server.base);
    let form = |redirect: &'static str| {
        [
            ("grant_type", "authorization_code"),
            ("client_id", assistant.id.as_str()),
            ("code", code),
            ("code_verifier", assistant.verifier.as_str()),
            ("redirect_uri", redirect),
            ("resource", resource.as_str()),
        ]
    };
    // The code goes to its redirect URI, whatever other ports exist.
    let elsewhere = assistant.token(&app, &form("http://127.0.0.1:50124/callback")).await;
    assert_eq!(elsewhere.body["error"], "invalid_grant");
    let issued = assistant.token(&app, &form("http://127.0.0.1:50123/callback")).await;
    assert_eq!(issued.status, 200, "{}", issued.body);
    let refreshed = assistant.refresh(&app, issued.body["refresh_token"].as_str().unwrap()).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.body);
    let access = refreshed.body["access_token"].as_str().unwrap();
    call(&app, access, "list_clients", json!({})).await;
    // A document is cached for ten minutes.
    assert_eq!(authorize(&app, &assistant, redirect).await.0, 303);
    assert_eq!(receiver().fetched(&mark), 1);
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert_eq!(grants.data()["grants"][0]["clientId"], assistant.id.as_str());
    app.events().await;
}

#[scenario]
async fn invalid_client_documents_are_refused(app: App) {
    switch_on(&app).await;
    let redirect = "http://127.0.0.1:50123/callback";
    for otherwise in [
        json!({"client_id": "https://somebody.else.example/x"}),
        json!({"client_name": "Spotter"}),
        json!({"redirect_uris": []}),
        json!({"redirect_uris": ["https://elsewhere.example/back"]}),
        json!({"client_secret": "x"}),
        json!({"token_endpoint_auth_method": "client_secret_post"}),
        json!({"client_name": "x".repeat(6_000)}),
    ] {
        let (assistant, _) = published(otherwise.clone(), &[]);
        let (status, page) = authorize(&app, &assistant, redirect).await;
        assert_eq!(status, 400, "{otherwise}: {page}");
    }
    let mark = random_text();
    let id = receiver().url_at(named_host(), "document", &mark);
    let good = json!({"client_id": id, "redirect_uris": [redirect]}).to_string();
    let assistant = Assistant { id, verifier: random_text() + &random_text() };
    for (status, headers, body) in [
        (404, vec![JSON], good.as_str()),
        (201, vec![JSON], good.as_str()),
        (302, vec![JSON, ("location", "https://somebody.else.example/")], ""),
        (200, vec![("content-type", "text/html")], good.as_str()),
        (200, vec![JSON], "{"),
    ] {
        receiver().publish(&mark, status, &headers, body);
        let (status, page) = authorize(&app, &assistant, redirect).await;
        assert_eq!(status, 400, "{page}");
    }
    // Failures are not cached.
    receiver().publish(&mark, 200, &[JSON], &good);
    assert_eq!(authorize(&app, &assistant, redirect).await.0, 303);
    // A request that would be refused causes no fetch.
    let before = receiver().fetched(&mark);
    for otherwise in [
        ("response_type", Some("token")),
        ("code_challenge_method", Some("plain")),
        ("resource", Some("https://somebody.else.example/mcp/v1")),
        ("redirect_uri", Some("javascript:alert(1)")),
    ] {
        let query = assistant.query(&app, &[otherwise]);
        let path = format!("{}/mcp/v1/oauth/authorize?{query}", app.server.base);
        assert_eq!(browser().get(path).send().await.unwrap().status(), 400);
    }
    assert_eq!(receiver().fetched(&mark), before);
    // The program cannot be made to scan its own network.
    for id in [
        "https://private.receiver.example/x",
        "https://127.0.0.1/x",
        "https://10.0.0.1/x",
        "https://localhost./x",
    ] {
        let assistant = Assistant { id: id.into(), verifier: random_text() + &random_text() };
        assert_eq!(authorize(&app, &assistant, redirect).await.0, 400, "{id}");
    }
    app.events().await;
}

#[scenario]
async fn old_documents_are_fetched_again(app: App) {
    switch_on(&app).await;
    let (assistant, mark) = published(json!({}), &[("cache-control", "no-store")]);
    let redirect = "https://elsewhere.example/back";
    // Simultaneous requests share one fetch.
    let all = (0..8).map(|_| authorize(&app, &assistant, redirect));
    for (status, location) in futures_util::future::join_all(all).await {
        assert_eq!(status, 303, "{location}");
    }
    assert_eq!(receiver().fetched(&mark), 1);
    const OLD: spotter_store::Sql =
        spotter_store::Sql("UPDATE mcp_client SET fresh_until = 1 WHERE client_id = ?1");
    let id = assistant.id.clone();
    let old = move |tx: &mut spotter_store::Tx<'_>| tx.execute(OLD, spotter_store::params![id]);
    app.server.db.write(old).await.unwrap();
    // The document has changed: the new content counts.
    let document = json!({"client_id": assistant.id, "client_name": "Another",
        "redirect_uris": ["https://new.example/back"]});
    receiver().publish(&mark, 200, &[JSON], &document.to_string());
    assert_eq!(authorize(&app, &assistant, redirect).await.0, 400);
    assert_eq!(authorize(&app, &assistant, "https://new.example/back").await.0, 303);
    assert_eq!(receiver().fetched(&mark), 2);
    app.events().await;
}
