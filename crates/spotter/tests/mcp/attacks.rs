//! Attacks from outside: each is refused.

use serde_json::{Value, json};
use spotter_assistants::modules::{GrantSubject, Module, scope_of};
use spotter_harness::{
    App,
    assistant::{Assistant, REDIRECT, call, challenge, rpc, switch_on},
    people, scenario, send, text,
    world::{World, tool_arguments},
};

fn error(reply: &spotter_harness::Reply) -> &str {
    reply.body["error"].as_str().unwrap_or_default()
}

#[scenario]
async fn codes_are_for_one_assistant_once(app: App) {
    switch_on(&app).await;
    let (assistant, other) = (Assistant::register(&app).await, Assistant::register(&app).await);
    let code = assistant.code(&app, &app.coach_token, "company", Some("clients")).await;
    let resource = format!("{}/mcp/v1", app.server.base);
    let exchange = async |otherwise: &[(&str, &str)]| {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("client_id", assistant.id.as_str()),
            ("code", &code),
            ("code_verifier", &assistant.verifier),
            ("redirect_uri", REDIRECT),
            ("resource", &resource),
        ];
        for (name, value) in otherwise {
            form.retain(|(own, _)| own != name);
            if !value.is_empty() {
                form.push((name, value));
            }
        }
        assistant.token(&app, &form).await
    };
    for (otherwise, wanted) in [
        ([("client_id", other.id.as_str())], "invalid_grant"),
        ([("client_id", "mcpc_nobody")], "invalid_client"),
        ([("code_verifier", "x")], "invalid_request"),
        ([("code_verifier", &"v".repeat(42))], "invalid_request"),
        ([("code_verifier", &"v".repeat(129))], "invalid_request"),
        ([("code_verifier", &"v".repeat(43))], "invalid_grant"),
        ([("code_verifier", other.verifier.as_str())], "invalid_grant"),
        ([("code_verifier", "")], "invalid_request"),
        ([("redirect_uri", "http://127.0.0.1/callback")], "invalid_grant"),
        ([("redirect_uri", "https://assistant.example/callback/")], "invalid_grant"),
        ([("resource", "https://elsewhere.example/mcp/v1")], "invalid_target"),
        ([("code", "fscc_x")], "invalid_grant"),
        ([("grant_type", "password")], "unsupported_grant_type"),
        ([("grant_type", "")], "invalid_request"),
    ] {
        let refused = exchange(&otherwise).await;
        assert_eq!(error(&refused), wanted, "{otherwise:?}: {}", refused.body);
        assert_eq!(refused.status, if wanted == "invalid_client" { 401 } else { 400 });
        assert_eq!(refused.headers["cache-control"], "no-store");
    }
    // None of them has consumed the code. After its use, using it again revokes its tokens.
    let issued = exchange(&[("resource", "")]).await;
    assert_eq!(issued.status, 200, "{}", issued.body);
    let (access, refresh) =
        (text(&issued.body, "/access_token"), text(&issued.body, "/refresh_token"));
    call(&app, &access, "list_clients", json!({})).await;
    // A refresh token is its assistant's alone, and of this resource.
    assert_eq!(error(&other.refresh(&app, &refresh).await), "invalid_grant");
    let elsewhere = [
        ("grant_type", "refresh_token"),
        ("client_id", assistant.id.as_str()),
        ("refresh_token", refresh.as_str()),
        ("resource", "https://elsewhere.example"),
    ];
    assert_eq!(error(&assistant.token(&app, &elsewhere).await), "invalid_target");
    assert_eq!(error(&exchange(&[]).await), "invalid_grant");
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    assert_eq!(error(&assistant.refresh(&app, &refresh).await), "invalid_grant");
    // Of many that present one code at once, one is given tokens.
    let code = assistant.code(&app, &app.coach_token, "company", Some("clients")).await;
    let racing = (0..20).map(|_| assistant.exchange(&app, &code));
    let replies = futures_util::future::join_all(racing).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    // Parameters in the query, twice, or as JSON are no parameters.
    let path = "/mcp/v1/oauth/token?grant_type=refresh_token";
    let refused = send(app.server.request("POST", path).form(&[("client_id", "x")])).await;
    assert_eq!(error(&refused), "invalid_request");
    let twice = [("grant_type", "refresh_token"), ("grant_type", "refresh_token")];
    assert_eq!(error(&assistant.token(&app, &twice).await), "invalid_request");
    let json = app.server.request("POST", "/mcp/v1/oauth/token").json(&json!({"grant_type": "x"}));
    assert_eq!(error(&send(json).await), "invalid_request");
}

#[scenario]
async fn requests_that_are_not_in_order_go_nowhere(app: App) {
    let assistant = Assistant::register(&app).await;
    // An unknown client or redirect URI: nobody is redirected.
    for otherwise in [
        [("client_id", Some("mcpc_nobody"))],
        [("client_id", None)],
        [("redirect_uri", Some("https://evil.example/callback"))],
        [("redirect_uri", Some("https://assistant.example/callback?x=1"))],
        [("redirect_uri", Some("https://assistant.example/callback#x"))],
        [("redirect_uri", Some("https://assistant.example.evil.example/callback"))],
        [("redirect_uri", Some("http://127.0.0.1:49152/callback"))],
        [("redirect_uri", None)],
    ] {
        let path = format!("/mcp/v1/oauth/authorize?{}", assistant.query(&app, &otherwise));
        let stopped = send(app.server.request("GET", &path)).await;
        assert_eq!(stopped.status, 400, "{otherwise:?}");
        assert!(stopped.headers.get("location").is_none());
    }
    let plain = challenge("x");
    for (otherwise, wanted) in [
        (vec![("code_challenge", None)], "invalid_request"),
        (vec![("code_challenge_method", None)], "invalid_request"),
        (vec![("code_challenge_method", Some("plain"))], "invalid_request"),
        (vec![("code_challenge", Some("short"))], "invalid_request"),
        (vec![("code_challenge", Some(&plain[..42]))], "invalid_request"),
        (vec![("response_type", Some("token"))], "unsupported_response_type"),
        (vec![("resource", Some("https://elsewhere.example/mcp/v1"))], "invalid_target"),
        (vec![("resource", None)], "invalid_target"),
        (vec![("scope", Some("clients admin"))], "invalid_scope"),
    ] {
        let location = assistant.authorize(&app, &otherwise).await;
        assert!(
            location.starts_with(&format!("{REDIRECT}?error={wanted}&")),
            "{otherwise:?} {location}"
        );
        assert!(location.contains("state=st%26te") && location.contains("&iss="), "{location}");
    }
    // A state that cannot be returned is an error, and not dropped.
    let long = "x".repeat(3_000);
    let path = assistant.query(&app, &[("state", Some(&long))]);
    let stopped = send(app.server.request("GET", &format!("/mcp/v1/oauth/authorize?{path}"))).await;
    assert_eq!(stopped.status, 400);
}

#[scenario]
async fn credentials_open_their_own_door_alone(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let (access, refresh) =
        assistant.tokens(&app, &app.coach_token, "company", Some("clients")).await;
    let new = json!({"name": "Script", "modules": ["clients"]});
    let key = app.app("POST", "/company/mcp/keys", Some(new)).await.ok();
    let key = text(key.data(), "/secret");
    // The MCP server's credentials at the other doors.
    for credential in [&access, &refresh, &key] {
        let public =
            send(app.server.request("GET", "/public/v1/clients").bearer_auth(credential)).await;
        public.refused(401, "auth.invalid_token");
        app.app_as(credential, "GET", "/company/settings", None)
            .await
            .refused(401, "auth.invalid_token");
    }
    // The others' at the MCP server, and refresh tokens in place of access tokens.
    for credential in [&app.token, &app.coach_token, &refresh, "fsct_x", "fsc_", "x"] {
        let reply = rpc(&app, credential, "tools/list", json!({})).await;
        assert_eq!(reply.status, 401, "{credential}");
        let response = reply.headers["www-authenticate"].to_str().unwrap();
        assert!(response.contains("error=\"invalid_token\""), "{response}");
    }
    let doubled = app.server.request("POST", "/mcp/v1").bearer_auth(&access).bearer_auth("x");
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(send(doubled.json(&list)).await.status, 401, "one request has one credential");
    // A credential in the query or body is ignored, whatever the header has.
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "access_token": access});
    for name in ["access_token", "token", "api_key"] {
        let path = format!("/mcp/v1?{name}={access}");
        let bare = app.server.request("POST", &path).json(&list);
        assert_eq!(send(bare).await.status, 401);
        let both = app.server.request("POST", &path).bearer_auth(&access).json(&list);
        assert_eq!(send(both).await.status, 401);
    }
    assert_eq!(send(app.server.request("POST", "/mcp/v1").json(&list)).await.status, 401);
    // Unauthenticated callers do not learn which methods exist.
    for method in ["GET", "DELETE", "PUT"] {
        assert_eq!(send(app.server.request(method, "/mcp/v1")).await.status, 401);
        let refused = send(app.server.request(method, "/mcp/v1").bearer_auth(&access)).await;
        assert_eq!((refused.status, &refused.headers["allow"]), (405, &"POST".parse().unwrap()));
    }
    // A page of another site, and DNS rebinding.
    let post = || app.server.request("POST", "/mcp/v1").bearer_auth(&access).json(&list);
    assert_eq!(send(post().header("origin", "https://evil.example")).await.status, 403);
    assert_eq!(send(post().header("host", "evil.example")).await.status, 403);
    assert_eq!(send(post().header("accept", "*/*")).await.status, 200);
    // A coach who is a manager no longer, with earlier tokens.
    let (manager, token) = people::coach(&app, "Manager").await;
    let (theirs, _) = assistant.tokens(&app, &token, "company", Some("clients")).await;
    call(&app, &theirs, "list_clients", json!({})).await;
    app.app("PATCH", &format!("/coaches/{manager}"), Some(json!({"status": "deactivated"})))
        .await
        .ok();
    assert_eq!(rpc(&app, &theirs, "tools/list", json!({})).await.status, 401);
}

#[scenario]
async fn unsafe_registrations_are_refused(app: App) {
    let register =
        |body: Value| send(app.server.request("POST", "/mcp/v1/oauth/register").json(&body));
    for uri in [
        "javascript:alert(1)",
        "data:text/html,x",
        "http://evil.example/",
        "https://x.example/#y",
        "https://u:p@x.example/",
        "not an address",
        "file:///etc/passwd",
        "https://x.example/\r\nSet-Cookie: a",
    ] {
        let refused = register(json!({"client_name": "X", "redirect_uris": [uri]})).await;
        assert_eq!((refused.status, error(&refused)), (400, "invalid_redirect_uri"), "{uri}");
    }
    let good = "https://x.example/cb";
    for body in [
        json!({"client_name": "X"}),
        json!({"client_name": "X", "redirect_uris": good}),
        json!({"client_name": 7, "redirect_uris": [good]}),
        json!({"client_name": "x".repeat(121), "redirect_uris": [good]}),
        json!({"client_name": "a\u{7}b", "redirect_uris": [good]}),
        json!({"client_name": "X", "redirect_uris": [good], "token_endpoint_auth_method": "private_key_jwt"}),
        json!([]),
    ] {
        let refused = register(body.clone()).await;
        assert_eq!((refused.status, error(&refused)), (400, "invalid_client_metadata"), "{body}");
    }
    let none = register(json!({"client_name": "X", "redirect_uris": []})).await;
    assert_eq!(error(&none), "invalid_redirect_uri");
    let long =
        register(json!({"client_name": "X", "redirect_uris": [good], "x": "x".repeat(20_000)}))
            .await;
    assert_eq!(long.status, 400);
    // The same assistant again gets its existing id: registering does not fill the database.
    let same = json!({"client_name": app.company.to_string(), "redirect_uris": [good]});
    let (first, again) = (register(same.clone()).await, register(same).await);
    assert_eq!(first.status, 201);
    assert_eq!(first.body["client_id"], again.body["client_id"]);
    assert_eq!(first.body["token_endpoint_auth_method"], "none");
    assert!(first.body.get("client_secret").is_none());
    assert!(first.body.as_object().unwrap().values().all(|value| !value.is_null()));
}

/// Every tool that takes an id, with those of another company's records.
#[scenario]
async fn other_companies_do_not_exist_through_any_tool(app: App) {
    let world = World::new(app).await;
    let other = App::new(world.app.server.clone()).await;
    switch_on(&other).await;
    let all: Vec<_> = Module::of(GrantSubject::Company).collect();
    let assistant = Assistant::register(&other).await;
    let (access, _) =
        assistant.tokens(&other, &other.coach_token, "company", Some(&scope_of(&all))).await;
    let before = (world.app.state().await, other.state().await);
    let mut tried = 0;
    for operation in spotter::areas::operations() {
        let known = all.iter().any(|module| module.tools().contains(&operation.id));
        if !known || !operation.path.contains('{') {
            continue;
        }
        let arguments = tool_arguments(&operation, &world);
        // Operations with previews are confirmed.
        let name = match operation.needs_confirmation() {
            true => format!("preview_{}", operation.id),
            false => operation.id.to_owned(),
        };
        let response = spotter_harness::assistant::refused(&other, &access, &name, arguments).await;
        assert_eq!(response["error"]["code"], 404, "{name}: {response}");
        assert!(response["next"].is_string(), "{response}");
        tried += 1;
    }
    assert!(tried >= 15, "{tried}");
    let (mine, theirs) = (world.app.state().await, other.state().await);
    assert_eq!(before, (mine, theirs));
    let list = call(&other, &access, "list_clients", json!({})).await;
    assert_eq!(list["total"], 0);
}

#[scenario]
async fn approvals_cannot_be_forged(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let other = App::new(app.server.clone()).await;
    switch_on(&other).await;
    let approve = async |app: &App, request: &str| {
        let body = json!({"requestId": request});
        app.app("POST", "/company/mcp/oauth/approve", Some(body)).await
    };
    for request in ["x", &"0".repeat(43)] {
        approve(&app, request).await.refused(404, "resource.not_found").about("requestId");
    }
    // Grants beyond the caller's permission cannot be smuggled in.
    let request = assistant.request(&app, Some("clients")).await;
    let more = json!({"requestId": request, "modules": ["clients", "client_ai_account"]});
    app.app("POST", "/company/mcp/oauth/approve", Some(more))
        .await
        .refused(400, "request.invalid")
        .about("modules");
    // Of two simultaneous decisions one counts; another company's approval is not the first one's.
    let (one, two) = tokio::join!(approve(&app, &request), approve(&other, &request));
    let won = [&one, &two].iter().filter(|reply| reply.status == 200).count();
    assert_eq!(won, 1, "{} {}", one.body, two.body);
}
