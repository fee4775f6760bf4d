//! Offboarding: revoked access is not restored.

use serde_json::json;
use spotter_contract::Offboarding;
use spotter_harness::{
    App, PASSWORD,
    assistant::{Assistant, switch_on},
    people, scenario, send,
};

#[scenario]
async fn a_clients_records_end_with_them(app: App) {
    switch_on(&app).await;
    let (client, session) = people::client(&app).await;
    let assistant = Assistant::register(&app).await;
    assistant.tokens(&app, &session, "client", None).await;
    let invited = app.new_client(json!({"firstName": "Bo", "email": "bo@example.com"})).await;
    let invitation = app.act(&format!("/clients/{invited}/invite")).await.ok();
    app.events().await;
    for id in [&client, &invited] {
        app.act(&format!("/clients/{id}/archive")).await.ok();
        app.announced(&["client.archived"]).await;
        app.act(&format!("/clients/{id}/restore")).await.ok();
        app.events().await;
    }
    app.app_as(&session, "GET", "/mcp/grants", None).await.refused(401, "auth.invalid_token");
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert!(grants.data()["grants"][0]["revokedAt"].is_string(), "{}", grants.body);
    let token = &invitation.data()["invitation"]["token"];
    let accept = app.server.request("POST", "/app/v1/auth/invitations/accept");
    let accept = accept.json(&json!({"token": token, "password": PASSWORD}));
    send(accept).await.refused(400, "request.invalid").about("token");
}

#[scenario]
async fn a_coachs_records_end_with_them(app: App) {
    switch_on(&app).await;
    let (coach, session) = people::coach(&app, "Manager").await;
    let assistant = Assistant::register(&app).await;
    assistant.tokens(&app, &session, "company", Some("clients")).await;
    let key = json!({"name": "Script", "modules": ["clients"]});
    app.app_as(&session, "POST", "/company/mcp/keys", Some(key)).await.ok();
    let path = format!("/coaches/{coach}");
    app.app("PATCH", &path, Some(json!({"status": "deactivated"}))).await.ok();
    app.app("PATCH", &path, Some(json!({"status": "active"}))).await.ok();
    app.app_as(&session, "GET", "/coaches", None).await.refused(401, "auth.invalid_token");
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert!(grants.data()["grants"][0]["revokedAt"].is_string(), "{}", grants.body);
    let keys = app.app("GET", "/company/mcp/keys", None).await.ok();
    assert!(keys.data()["keys"][0]["revokedAt"].is_string(), "{}", keys.body);
}

/// The documentation's table is the areas' own.
#[test]
fn every_effect_is_documented() {
    const DOCS: &str = include_str!("../../../../docs/API-DESIGN.md");
    let (_, endings) = DOCS.split_once("## Endings").unwrap();
    for end in Offboarding::ALL {
        let effects = spotter::areas::areas().offboardings;
        let response: Vec<_> = effects.iter().filter(|effect| effect.of == *end).collect();
        assert!(!response.is_empty(), "{end:?}");
        let row = endings.lines().find(|line| line.starts_with(&format!("| {} |", end.title())));
        let row = row.unwrap_or_default();
        for effect in response {
            let text = (effect.summary)().to_string();
            assert!(row.contains(&text), "{}: {text}", end.title());
        }
    }
}
