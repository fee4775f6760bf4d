//! Signing in, coaches and their roles, the company's settings, API clients as managers see them.

use serde_json::{Value, json};
use spotter_harness::{App, PASSWORD, Reply, people, random_text, scenario, send};

async fn auth(app: &App, path: &str, body: Value) -> Reply {
    send(app.server.request("POST", &format!("/app/v1/auth/{path}")).json(&body)).await
}

async fn login(app: &App, email: &str, password: &str) -> Reply {
    auth(app, "login", json!({"email": email, "password": password})).await
}

fn session<'a>(reply: &'a Reply, name: &str) -> &'a str {
    reply.data()["session"][name].as_str().unwrap()
}

#[scenario]
async fn sign_in_refresh_and_out(app: App) {
    let signed_in = login(&app, &app.admin_email.to_uppercase(), PASSWORD).await.ok();
    assert_eq!(signed_in.data()["session"]["expiresIn"], 3600);
    assert_eq!(session(&signed_in, "tokenType"), "Bearer");
    let access = session(&signed_in, "accessToken").to_owned();
    app.app_as(&access, "GET", "/company/settings", None).await.ok();
    let refreshed =
        auth(&app, "refresh", json!({"refreshToken": session(&signed_in, "refreshToken")}))
            .await
            .ok();
    app.app_as(&access, "GET", "/company/settings", None).await.refused(401, "auth.invalid_token");
    let access = session(&refreshed, "accessToken").to_owned();
    app.app_as(&access, "GET", "/company/settings", None).await.ok();
    app.app_as(&access, "POST", "/auth/logout", None).await.ok();
    app.app_as(&access, "GET", "/company/settings", None).await.refused(401, "auth.invalid_token");
    auth(&app, "refresh", json!({"refreshToken": session(&refreshed, "refreshToken")}))
        .await
        .refused(401, "auth.invalid_token");
    // The two APIs' tokens are no good at each other's doors.
    app.app_as(&app.token, "GET", "/company/settings", None)
        .await
        .refused(401, "auth.invalid_token");
    send(app.server.request("GET", "/public/v1/clients").bearer_auth(&app.coach_token))
        .await
        .refused(401, "auth.invalid_token");
}

#[scenario]
async fn a_reused_refresh_token_ends_the_session(app: App) {
    let first = login(&app, &app.admin_email, PASSWORD).await.ok();
    let old = json!({"refreshToken": session(&first, "refreshToken")});
    let second = auth(&app, "refresh", old.clone()).await.ok();
    auth(&app, "refresh", old).await.refused(401, "auth.invalid_token");
    app.app_as(session(&second, "accessToken"), "GET", "/company/settings", None)
        .await
        .refused(401, "auth.invalid_token");
    auth(&app, "refresh", json!({"refreshToken": session(&second, "refreshToken")}))
        .await
        .refused(401, "auth.invalid_token");
}

#[scenario]
async fn passwords_change(app: App) {
    let here = login(&app, &app.admin_email, PASSWORD).await.ok();
    let there = login(&app, &app.admin_email, PASSWORD).await.ok();
    let change = |current: &str, new: &str| {
        let body = json!({"currentPassword": current, "newPassword": new});
        app.app_as(session(&here, "accessToken"), "POST", "/auth/password", Some(body))
    };
    change("not the password", "another password")
        .await
        .refused(400, "request.invalid")
        .about("currentPassword");
    change(PASSWORD, "short").await.refused(400, "request.invalid").about("newPassword");
    change(PASSWORD, "another password").await.ok();
    app.app_as(session(&here, "accessToken"), "GET", "/company/settings", None).await.ok();
    app.app_as(session(&there, "accessToken"), "GET", "/company/settings", None)
        .await
        .refused(401, "auth.invalid_token");
    login(&app, &app.admin_email, PASSWORD).await.refused(401, "auth.invalid_credentials");
    login(&app, &app.admin_email, "another password").await.ok();
}

#[scenario]
async fn attempts_are_limited_and_reveal_nothing(app: App) {
    let unknown = login(&app, &format!("{}@example.com", random_text()), "some password")
        .await
        .refused(401, "auth.invalid_credentials");
    let wrong = login(&app, &app.admin_email, "some password")
        .await
        .refused(401, "auth.invalid_credentials");
    assert_eq!(unknown.body["error"], wrong.body["error"]);
    for _ in 0..9 {
        login(&app, &app.admin_email, "some password")
            .await
            .refused(401, "auth.invalid_credentials");
    }
    let blocked = login(&app, &app.admin_email, PASSWORD).await.refused(429, "rate_limit.exceeded");
    assert!(blocked.body["meta"]["rateLimit"]["retryAfterSeconds"].is_u64(), "{}", blocked.body);
    assert!(blocked.headers["retry-after"].to_str().unwrap().parse::<u32>().unwrap() <= 900);
    // Refused attempts on a real account are in its company's audit log.
    for _ in 0..50 {
        let logs = app.get("/audit-logs?operation=login").await.ok();
        if logs.data()["total"] == 10 {
            assert_eq!(logs.data()["auditLogs"][0]["outcome"], "refused");
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("refused logins were not audited");
}

#[scenario]
async fn roles_are_enforced(app: App) {
    let (coach_id, coach) = people::coach(&app, "Coach").await;
    let (_, manager) = people::coach(&app, "Manager").await;
    let clients = "/integrations/public-api/clients";
    app.app_as(&coach, "GET", "/company/settings", None).await.ok();
    app.app_as(&coach, "GET", clients, None).await.refused(403, "auth.forbidden");
    app.app_as(&coach, "PATCH", "/company/features", Some(json!({"mcp": true})))
        .await
        .refused(403, "auth.forbidden");
    app.app_as(&manager, "GET", clients, None).await.ok();
    let admin = json!({"firstName": "A", "lastName": "B", "email": format!("{}@example.com", random_text()), "role": "Admin"});
    app.app_as(&manager, "POST", "/coaches", Some(admin)).await.refused(403, "auth.forbidden");
    app.app_as(
        &manager,
        "PATCH",
        &format!("/coaches/{coach_id}"),
        Some(json!({"role": "Manager"})),
    )
    .await
    .refused(403, "auth.forbidden");
    app.app_as(
        &manager,
        "PATCH",
        &format!("/coaches/{}", app.admin),
        Some(json!({"status": "deactivated"})),
    )
    .await
    .refused(403, "auth.forbidden");
    app.app_as(
        &manager,
        "PATCH",
        &format!("/coaches/{coach_id}"),
        Some(json!({"status": "deactivated"})),
    )
    .await
    .ok();
    app.app_as(&coach, "GET", "/company/settings", None).await.refused(401, "auth.invalid_token");
    let list = app.app("GET", "/coaches?status=active", None).await.ok();
    assert_eq!(list.data()["total"], 2);
    let twice =
        json!({"firstName": "A", "lastName": "B", "email": app.admin_email, "role": "Coach"});
    app.app("POST", "/coaches", Some(twice)).await.refused(409, "PUBLIC_API_ERROR").about("email");
}

#[scenario]
async fn the_company_keeps_an_admin(app: App) {
    let path = format!("/coaches/{}", app.admin);
    for change in [json!({"role": "Manager"}), json!({"status": "deactivated"})] {
        app.app("PATCH", &path, Some(change)).await.refused(409, "PUBLIC_API_ERROR").about("role");
    }
    app.app("GET", "/company/settings", None).await.ok();
    people::coach(&app, "Admin").await;
    app.app("PATCH", &path, Some(json!({"role": "Manager"}))).await.ok();
}

#[scenario]
async fn clients_sign_in_too(app: App) {
    let email = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "email": email})).await;
    let invited = app.act(&format!("/clients/{id}/invite")).await.ok();
    let body = json!({"token": invited.data()["invitation"]["token"], "password": PASSWORD});
    auth(&app, "invitations/accept", body).await.ok();
    let signed_in = login(&app, &email, PASSWORD).await.ok();
    let token = session(&signed_in, "accessToken").to_owned();
    app.app_as(&token, "GET", "/company/settings", None).await.refused(403, "auth.forbidden");
    let moved = format!("{}@example.com", random_text());
    app.patch(&format!("/clients/{id}"), json!({"email": moved})).await.ok();
    // A person who may write the recorded address cannot take over the account with it.
    login(&app, &moved, PASSWORD).await.refused(401, "auth.invalid_credentials");
    login(&app, &email, PASSWORD).await.ok();
    app.act(&format!("/clients/{id}/archive")).await.ok();
    app.app_as(&token, "POST", "/auth/logout", None).await.refused(401, "auth.invalid_token");
    login(&app, &email, PASSWORD).await.refused(401, "auth.invalid_credentials");
    // Nor can a person who archives, restores and invites again.
    app.act(&format!("/clients/{id}/restore")).await.ok();
    app.act(&format!("/clients/{id}/invite"))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("portalAccessStatus");
    login(&app, &moved, PASSWORD).await.refused(401, "auth.invalid_credentials");
    login(&app, &email, PASSWORD).await.ok();
    // A sign-in address cannot be given to another person.
    let other = app.new_client(json!({"firstName": "Bea", "email": email})).await;
    app.act(&format!("/clients/{other}/invite"))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("email");
}

#[scenario]
async fn api_clients_are_shown_without_secrets(app: App) {
    let path = "/integrations/public-api/clients";
    let list = app.app("GET", path, None).await.ok();
    assert_eq!(list.data()["clients"][0]["clientId"], app.client_id.as_str());
    assert!(!list.body.to_string().contains("fsps_"));
    let one = app.app("GET", &format!("{path}/{}", app.api_client), None).await.ok();
    let last4 = one.data()["client"]["secret"]["last4"].as_str().unwrap();
    assert!(app.client_secret.ends_with(last4));
    let renamed = app
        .app("PATCH", &format!("{path}/{}", app.api_client), Some(json!({"name": " New "})))
        .await
        .ok();
    assert_eq!(renamed.data()["client"]["name"], "New");
    app.get("/platform/profile").await.ok();
    let other = App::new(app.server.clone()).await;
    other
        .app("GET", &format!("{path}/{}", app.api_client), None)
        .await
        .refused(404, "resource.not_found");
    other
        .app("POST", &format!("{path}/{}/revoke", app.api_client), None)
        .await
        .refused(404, "resource.not_found");
    app.get("/platform/profile").await.ok();
}
