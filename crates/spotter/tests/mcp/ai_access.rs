//! Which clients' assistants are admitted: the company's switch and policy, and decisions about one client.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    assistant::{Assistant, call, rpc, switch_on},
    people, scenario,
};

async fn set_access(app: &App, token: &str, client: &str, access: Value) -> spotter_harness::Reply {
    let path = format!("/clients/{client}/ai-access");
    app.app_as(token, "PUT", &path, Some(json!({"aiAccess": access}))).await
}

#[scenario]
async fn a_client_is_admitted_or_denied(app: App) {
    switch_on(&app).await;
    let (ann, token) = people::client(&app).await;
    let path = format!("/clients/{ann}/ai-access");
    let response = app.app_as(&token, "GET", &path, None).await.ok();
    assert_eq!(
        (&response.data()["aiAccess"]["aiAccess"], &response.data()["aiAccess"]["isLetIn"]),
        (&json!("default"), &json!(true))
    );
    let assistant = Assistant::register(&app).await;
    let (access, refresh) = assistant.tokens(&app, &token, "client", None).await;
    call(&app, &access, "get_client", json!({})).await;
    // Switching off ends existing grants, and prevents new ones.
    set_access(&app, &app.coach_token, &ann, json!("off")).await.ok();
    let turned_away = rpc(&app, &access, "tools/list", json!({})).await;
    assert_eq!(turned_away.status, 401, "{}", turned_away.body);
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    let request = assistant.request(&app, None).await;
    app.app_as(&token, "POST", "/client/mcp/oauth/approve", Some(json!({"requestId": request})))
        .await
        .refused(403, "COMPANY_MCP_CLIENT_AI_DISABLED");
    let response = app.app_as(&token, "GET", &path, None).await.ok();
    assert_eq!(response.data()["aiAccess"]["modules"], json!([]), "{}", response.body);
    // Clients can switch off their own access only; the company can switch it on again.
    for opened in ["on", "default"] {
        set_access(&app, &token, &ann, json!(opened))
            .await
            .refused(400, "request.invalid")
            .about("aiAccess");
    }
    set_access(&app, &app.coach_token, &ann, json!("on")).await.ok();
    let (access, _) = assistant.tokens(&app, &token, "client", None).await;
    set_access(&app, &token, &ann, json!("off")).await.ok();
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    let (bea, _) = people::client(&app).await;
    set_access(&app, &token, &bea, json!("off")).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let (_, coach) = people::coach(&app, "Coach").await;
    set_access(&app, &coach, &ann, json!("on")).await.refused(403, "auth.forbidden");
    // The company's switch is above all of it.
    set_access(&app, &app.coach_token, &ann, json!("on")).await.ok();
    let (access, refresh) = assistant.tokens(&app, &token, "client", None).await;
    app.app("PATCH", "/company/features", Some(json!({"clientAi": false}))).await.ok();
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    let response = app.app_as(&token, "GET", &path, None).await.ok();
    assert_eq!(response.data()["aiAccess"]["isLetIn"], false);
    app.events().await;
}

#[scenario]
async fn all_or_chosen_clients_are_admitted(app: App) {
    switch_on(&app).await;
    let ((ann, token), (_, other)) = (people::client(&app).await, people::client(&app).await);
    let assistant = Assistant::register(&app).await;
    let (access, _) = assistant.tokens(&app, &other, "client", None).await;
    let policy = json!({"clientModules": ["client_ai_account"], "clients": "chosen"});
    let set = app.app("PUT", "/company/mcp/policy", Some(policy.clone())).await.ok();
    assert_eq!(set.data()["policy"], policy);
    assert_eq!(app.app("GET", "/company/mcp/policy", None).await.ok().data()["policy"], policy);
    // Assistants of other clients are not admitted any more.
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    let request = assistant.request(&app, None).await;
    app.app_as(&other, "POST", "/client/mcp/oauth/approve", Some(json!({"requestId": request})))
        .await
        .refused(403, "COMPANY_MCP_CLIENT_AI_DISABLED");
    set_access(&app, &app.coach_token, &ann, json!("on")).await.ok();
    let (access, _) = assistant.tokens(&app, &token, "client", None).await;
    call(&app, &access, "get_client", json!({})).await;
    app.events().await;
}
