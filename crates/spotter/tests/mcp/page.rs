//! The consent page, as a browser sees it and as forgers meet it.

use serde_json::{Value, json};
use spotter_harness::{
    App, PASSWORD,
    assistant::{Assistant, REDIRECT, browser, call, switch_on},
    browser::Browser,
    people, random_text, scenario, send, text,
};

/// A visitor of the page.
struct Visit {
    client: reqwest::Client,
    base: String,
    request: String,
    cookie: String,
}

struct Seen {
    status: u16,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Visit {
    async fn new(app: &App, assistant: &Assistant, scope: Option<&str>) -> Self {
        let request = assistant.request(app, scope).await;
        Self { client: browser(), base: app.server.base.clone(), request, cookie: String::new() }
    }

    async fn see(&self, request: reqwest::RequestBuilder) -> Seen {
        let request =
            if self.cookie.is_empty() { request } else { request.header("cookie", &self.cookie) };
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Seen { status, headers, text: response.text().await.unwrap() }
    }

    async fn open(&self) -> Seen {
        let url = format!("{}/mcp/v1/oauth/consent?request={}", self.base, self.request);
        self.see(self.client.get(url)).await
    }

    fn form(&self, action: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let mut fields = fields.to_vec();
        fields.push(("request", &self.request));
        self.client.post(format!("{}/mcp/v1/oauth/consent/{action}", self.base)).form(&fields)
    }

    async fn sign_in(&mut self, email: &str, password: &str, subject: &str) -> Seen {
        let fields = [("email", email), ("password", password), ("subject", subject)];
        let seen = self.see(self.form("sign-in", &fields)).await;
        if let Some(cookie) = seen.headers.get("set-cookie") {
            let cookie = cookie.to_str().unwrap();
            for part in ["HttpOnly", "SameSite=Strict", "Path=/mcp/v1/oauth/consent"] {
                assert!(cookie.contains(part), "{cookie}");
            }
            self.cookie = cookie.split(';').next().unwrap().to_owned();
        }
        seen
    }
}

fn hidden(page: &str, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    page.split(&start).nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[track_caller]
fn safe(seen: &Seen) {
    let header = |name: &str| seen.headers[name].to_str().unwrap();
    assert!(header("content-security-policy").contains("frame-ancestors 'none'"));
    assert!(header("content-security-policy").starts_with("default-src 'none'"));
    assert_eq!(header("x-frame-options"), "DENY");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert!(!seen.text.contains("<script"), "{}", seen.text);
}

#[scenario]
async fn a_person_signs_in_and_allows(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let mut visit = Visit::new(&app, &assistant, Some("clients client_notes measurements")).await;
    let page = visit.open().await;
    safe(&page);
    assert!(page.text.contains("Nobody has verified") && page.text.contains("assistant.example"));
    let wrong = visit.sign_in(&app.admin_email, "not the password", "coach").await;
    assert_eq!(wrong.status, 401);
    safe(&wrong);
    assert!(visit.cookie.is_empty());
    assert_eq!(visit.sign_in(&app.admin_email, PASSWORD, "coach").await.status, 303);
    let page = visit.open().await;
    safe(&page);
    for words in [
        "Test Gym",
        "Ada Admin",
        "Reads: Names, contact details",
        "Changes: Create, update",
        "Notes about clients",
        "Allow it more",
        "Not you?",
    ] {
        assert!(page.text.contains(words), "{words} is not in {}", page.text);
    }
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("form-action 'self' https://assistant.example"), "{policy}");
    let csrf = hidden(&page.text, "csrf");
    let fields = [
        ("csrf", csrf.as_str()),
        ("module", "clients"),
        ("read_only", "yes"),
        ("decision", "approve"),
    ];
    let done = visit.see(visit.form("decide", &fields)).await;
    assert_eq!(done.status, 303, "{}", done.text);
    let target = done.headers["location"].to_str().unwrap();
    assert!(target.starts_with(&format!("{REDIRECT}?code=")), "{target}");
    let code = target.split_once("?code=").unwrap().1.split('&').next().unwrap();
    let issued = assistant.exchange(&app, code).await;
    assert_eq!(issued.body["scope"], "clients");
    call(&app, &text(&issued.body, "/access_token"), "list_clients", json!({})).await;
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert_eq!(grants.data()["grants"][0]["readOnly"], true);
    // The request is over.
    assert_eq!(visit.see(visit.form("decide", &fields)).await.status, 404);
    assert_eq!(visit.open().await.status, 404);
}

#[scenario]
async fn people_of_two_companies_choose_one(app: App) {
    switch_on(&app).await;
    let other = App::new(app.server.clone()).await;
    people::coach_with(&other, "Manager", &app.admin_email).await;
    let ids = [app.company.to_string(), other.company.to_string()];
    let mut login = json!({"email": app.admin_email, "password": PASSWORD});
    let sign_in = async |login: &Value| {
        send(app.server.request("POST", "/app/v1/auth/login").json(login)).await
    };
    let requested = sign_in(&login).await.refused(400, "request.invalid").about("companyId");
    let companies = &requested.body["error"]["details"]["companies"];
    for id in &ids {
        let one = json!({"companyId": id, "name": "Test Gym"});
        assert!(companies.as_array().unwrap().contains(&one), "{companies}");
    }
    login["companyId"] = json!(other.company.to_string());
    sign_in(&login).await.ok();
    login["password"] = json!("not the password");
    let refused = sign_in(&login).await.refused(401, "auth.invalid_credentials");
    assert!(refused.body["error"].get("details").is_none_or(Value::is_null), "{}", refused.body);
    let assistant = Assistant::register(&app).await;
    let mut visit = Visit::new(&app, &assistant, Some("clients")).await;
    let requested = visit.sign_in(&app.admin_email, PASSWORD, "coach").await;
    assert_eq!(requested.status, 400);
    safe(&requested);
    for id in &ids {
        assert!(
            requested.text.contains(&format!("name=\"company\" value=\"{id}\"")),
            "{}",
            requested.text
        );
    }
    let fields = [
        ("email", app.admin_email.as_str()),
        ("password", PASSWORD),
        ("subject", "coach"),
        ("company", ids[0].as_str()),
    ];
    assert_eq!(visit.see(visit.form("sign-in", &fields)).await.status, 303);
}

#[scenario]
async fn a_person_refuses(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let mut visit = Visit::new(&app, &assistant, None).await;
    visit.sign_in(&app.admin_email, PASSWORD, "coach").await;
    let csrf = hidden(&visit.open().await.text, "csrf");
    let fields = [("csrf", csrf.as_str()), ("module", "clients"), ("decision", "refuse")];
    let done = visit.see(visit.form("decide", &fields)).await;
    let target = done.headers["location"].to_str().unwrap();
    assert!(target.starts_with(&format!("{REDIRECT}?error=access_denied&state=")), "{target}");
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert_eq!(grants.data()["total"], 0);
    // People without permission are told before anything is shown.
    let email = format!("{}@example.com", random_text());
    let new = json!({"firstName": "Bo", "lastName": "Vos", "email": email, "role": "Coach"});
    let invited = app.app("POST", "/coaches", Some(new)).await.ok();
    let accept = json!({"token": invited.data()["invitation"]["token"], "password": PASSWORD});
    send(app.server.request("POST", "/app/v1/auth/invitations/accept").json(&accept)).await.ok();
    let mut visit = Visit::new(&app, &assistant, None).await;
    let refused = visit.sign_in(&email, PASSWORD, "coach").await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("managers and admins") && visit.cookie.is_empty());
}

#[scenario]
async fn forged_and_replayed_forms_decide_nothing(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let mut visit = Visit::new(&app, &assistant, None).await;
    visit.sign_in(&app.admin_email, PASSWORD, "coach").await;
    let csrf = hidden(&visit.open().await.text, "csrf");
    let decide = |csrf: &str| {
        visit.form("decide", &[("csrf", csrf), ("module", "clients"), ("decision", "approve")])
    };
    let before = app.state().await["mcp_grant"];
    // Without the browser's cookie, with another's, without the token, and from another site.
    let bare = decide(&csrf).send().await.unwrap();
    assert_eq!(bare.status(), 403);
    let stranger = decide(&csrf).header("cookie", "spotter_consent=x").send().await.unwrap();
    assert_eq!(stranger.status(), 403);
    for wrong in ["", "x", &csrf[1..]] {
        assert_eq!(visit.see(decide(wrong)).await.status, 403);
    }
    assert_eq!(visit.see(decide(&csrf).header("sec-fetch-site", "cross-site")).await.status, 403);
    assert_eq!(visit.see(decide(&csrf).header("origin", "https://evil.example")).await.status, 403);
    assert_eq!(visit.see(decide(&csrf).header("origin", "null")).await.status, 403);
    // A cookie of one request is no good for another.
    let mut other = Visit::new(&app, &assistant, None).await;
    other.cookie.clone_from(&visit.cookie);
    let fields = [("csrf", csrf.as_str()), ("module", "clients"), ("decision", "approve")];
    assert_eq!(other.see(other.form("decide", &fields)).await.status, 403);
    assert!(other.open().await.text.contains("Password"), "it has to be signed in to");
    // Foreign permissions cannot be ticked, and an empty choice is no approval.
    let more = [("csrf", csrf.as_str()), ("module", "client_ai_account"), ("decision", "approve")];
    assert_eq!(visit.see(visit.form("decide", &more)).await.status, 400);
    let none = [("csrf", csrf.as_str()), ("decision", "approve")];
    assert_eq!(visit.see(visit.form("decide", &none)).await.status, 400);
    assert_eq!(before, app.state().await["mcp_grant"]);
    // A request that a person has signed in to cannot be approved by another over the API.
    let (_, manager) = people::coach(&app, "Manager").await;
    let body = json!({"requestId": visit.request});
    app.app_as(&manager, "POST", "/company/mcp/oauth/approve", Some(body))
        .await
        .refused(404, "resource.not_found");
    assert_eq!(visit.see(decide(&csrf)).await.status, 303);
}

#[scenario]
async fn names_are_shown_as_text(app: App) {
    switch_on(&app).await;
    let name = format!("<script>alert('{}')</script><b>\"", &app.company.to_string()[20..]);
    let body = json!({"client_name": name, "redirect_uris": [REDIRECT]});
    let registered = send(app.server.request("POST", "/mcp/v1/oauth/register").json(&body)).await;
    let id = text(&registered.body, "/client_id");
    let assistant = Assistant { id, verifier: "v".repeat(43) };
    let mut visit = Visit::new(&app, &assistant, None).await;
    for _ in 0..2 {
        let page = visit.open().await;
        safe(&page);
        assert!(page.text.contains("&lt;script&gt;alert("), "{}", page.text);
        assert!(!page.text.contains("<b>\""));
        visit.sign_in(&app.admin_email, PASSWORD, "coach").await;
    }
}

/// On the console's page, which the old address leads to.
#[scenario]
async fn people_manage_their_grants(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let scope = Some("clients client_notes");
    let (access, _) = assistant.tokens(&app, &app.coach_token, "company", scope).await;
    let manage = browser().get(format!("{}/mcp/v1/manage", app.server.base)).send().await.unwrap();
    let target = manage.headers()["location"].to_str().unwrap();
    assert!(target.ends_with("/console/assistants"), "{target}");
    let mut visit = Browser::of(&app, &app.admin_email).await;
    let page = visit.get("/console/assistants").await.is(200).shows("Notes about clients");
    let limit = page.form("limit_mcp_grant");
    let mut limit = limit.with("readOnly", "true");
    limit.fields.retain(|(name, value)| name != "modules" || value != "client_notes");
    visit.act(limit).await;
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert_eq!(grants.data()["grants"][0]["modules"], json!(["clients"]));
    assert_eq!(grants.data()["grants"][0]["readOnly"], true);
    // A refused form keeps the typed values.
    let page = visit.get("/console/assistants").await.is(200);
    let make = page.form("create_mcp_key").with("name", "Kept").with("expiresInDays", "7");
    let page = visit.send(make).await.is(422).shows("value=\"Kept\"");
    let mut make = page.form("create_mcp_key");
    make.fields.push(("modules".to_owned(), "clients".to_owned()));
    let made = visit.send(make).await.is(200);
    let key = made.text.split("<code class=\"secret\" id=\"secret-secret\">").nth(1).unwrap();
    let key = key.split('<').next().unwrap().to_owned();
    call(&app, &key, "list_clients", json!({})).await;
    let page = visit.get("/console/assistants").await.is(200);
    assert!(!page.text.contains(&key), "it is shown once");
    visit.act(page.form("revoke_mcp_key")).await;
    let gone = visit.act(page.form("revoke_mcp_grant")).await;
    assert!(gone.text.contains("Revoked."), "{}", gone.main());
    for credential in [&key, &access] {
        assert_eq!(
            spotter_harness::assistant::rpc(&app, credential, "tools/list", json!({})).await.status,
            401
        );
    }
    // A client sees their own, and no keys.
    let (ann, _) = people::client(&app).await;
    let email = app.get(&format!("/clients/{ann}")).await.ok();
    let mut own = Browser::of(&app, &text(email.data(), "/client/email")).await;
    own.get("/console/assistants").await.leads_to("/my/assistants");
    let page = own.get("/my/assistants").await.is(200);
    assert!(!page.text.contains("create_mcp_key") && !page.text.contains("revoke_mcp_grant"));
    // Clients switch off their own access only.
    let (bea, _) = people::client(&app).await;
    let close = page.form("set_ai_access");
    own.send(close.clone().with("-at.clientId", &bea)).await.is(422);
    own.act(close).await;
    for (client, expected) in [(&ann, "off"), (&bea, "default")] {
        let response = app.app("GET", &format!("/clients/{client}/ai-access"), None).await.ok();
        assert_eq!(text(response.data(), "/aiAccess/aiAccess"), expected);
    }
}
