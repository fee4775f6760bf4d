//! Signed-in people of a company.

use serde_json::json;

use super::{App, PASSWORD, Reply, random_text, send};

async fn accept(app: &App, invited: &Reply) -> String {
    let body = json!({"token": invited.data()["invitation"]["token"], "password": PASSWORD});
    let accept = app.server.request("POST", "/app/v1/auth/invitations/accept").json(&body);
    let accepted = send(accept).await.ok();
    accepted.data()["session"]["accessToken"].as_str().unwrap().to_owned()
}

/// A new coach with this role: the id and an access token.
pub async fn coach(app: &App, role: &str) -> (String, String) {
    coach_with(app, role, &format!("{}@example.com", random_text())).await
}

/// A new coach with this role and address.
pub async fn coach_with(app: &App, role: &str, email: &str) -> (String, String) {
    let new = json!({"firstName": "Bo", "lastName": "Vos", "email": email, "role": role});
    let invited = app.app("POST", "/coaches", Some(new)).await.ok();
    let id = invited.data()["coach"]["coachId"].as_str().unwrap().to_owned();
    (id, accept(app, &invited).await)
}

/// A new client with portal access: the id and an access token. Emitted events are dropped.
pub async fn client(app: &App) -> (String, String) {
    let email = format!("{}@example.com", random_text());
    let new = json!({"firstName": "Ann", "lastName": "Bos", "email": email});
    let id = app.new_client(new).await;
    let invited = app.act(&format!("/clients/{id}/invite")).await.ok();
    let token = accept(app, &invited).await;
    app.events().await;
    (id, token)
}

/// A new client with portal access, with their sign-in address. Emitted events are dropped.
pub async fn client_with_address(app: &App) -> String {
    let email = format!("{}@example.com", random_text());
    let new = json!({"firstName": "Ann", "lastName": "Bos", "email": email});
    let id = app.new_client(new).await;
    let invited = app.act(&format!("/clients/{id}/invite")).await.ok();
    accept(app, &invited).await;
    app.events().await;
    email
}
