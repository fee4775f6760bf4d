//! From a bare address to tokens, and their lifecycle.

use serde_json::{Value, json};
use spotter_assistants::modules::Module;
use spotter_harness::{
    App,
    assistant::{Assistant, REDIRECT, call, rpc, switch_on},
    people, scenario, send, text,
};

#[scenario]
async fn the_documents_lead_the_way(app: App) {
    let base = &app.server.base;
    let bare = send(app.server.request("POST", "/mcp/v1").json(&json!({}))).await;
    assert_eq!(bare.status, 401);
    let challenge = bare.headers["www-authenticate"].to_str().unwrap();
    let metadata = format!("{base}/.well-known/oauth-protected-resource/mcp/v1");
    assert!(challenge.contains(&format!("resource_metadata=\"{metadata}\"")), "{challenge}");
    // Assistants request what they are offered: the contract's eleven modules, and the usual ones of clients.
    let scope = "clients calendar_events bookings subscriptions credits invoices recurring_bookings event_templates calendar_tasks measurements goals \
        client_ai_account client_ai_bookings client_ai_measurements client_ai_nutrition client_ai_workouts";
    assert!(challenge.contains(&format!("scope=\"{scope}\"")), "{challenge}");
    assert!(!challenge.contains("error="), "{challenge}");
    for path in
        ["/.well-known/oauth-protected-resource/mcp/v1", "/.well-known/oauth-protected-resource"]
    {
        let document =
            send(app.server.request("GET", path).header("origin", "https://x.example")).await;
        assert_eq!(document.body["resource"], format!("{base}/mcp/v1"));
        assert_eq!(document.body["authorization_servers"], json!([base]));
        assert_eq!(document.headers["access-control-allow-origin"], "*");
    }
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp/v1",
    ] {
        let document = send(app.server.request("GET", path)).await.body;
        assert_eq!(document["issuer"], base.as_str());
        assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(document["authorization_response_iss_parameter_supported"], true);
        let all: Vec<_> = Module::ALL.iter().map(|module| module.key()).collect();
        assert_eq!(document["scopes_supported"], json!(all));
        let endpoints = ["authorization", "token", "registration", "revocation"];
        for endpoint in endpoints.map(|name| format!("{name}_endpoint")) {
            assert!(document[&endpoint].as_str().unwrap().starts_with(base.as_str()));
        }
    }
    for path in
        ["/.well-known/openid-configuration", "/mcp/v1/.well-known/oauth-authorization-server"]
    {
        let missing = send(app.server.request("GET", path)).await;
        assert_eq!((missing.status, missing.key()), (404, "resource.not_found"), "{path}");
    }
}

#[scenario]
async fn a_manager_lets_an_assistant_in(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let request = assistant.request(&app, None).await;
    let approve = |body: Value| app.app("POST", "/company/mcp/oauth/approve", Some(body));
    let approved = approve(json!({"requestId": request})).await.ok();
    // The proposal where nothing is requested.
    assert_eq!(
        approved.data()["grant"]["modules"],
        json!([
            "clients",
            "calendar_events",
            "bookings",
            "subscriptions",
            "credits",
            "invoices",
            "recurring_bookings",
            "event_templates",
            "calendar_tasks",
            "measurements",
            "goals"
        ])
    );
    let target = text(approved.data(), "/redirectTo");
    assert!(target.starts_with(&format!("{REDIRECT}?code=fscc_")), "{target}");
    assert!(target.contains("&state=st%26te&iss=http"), "{target}");
    // A request is decided once.
    approve(json!({"requestId": request}))
        .await
        .refused(404, "resource.not_found")
        .about("requestId");
    let code = target.split_once("?code=").unwrap().1.split('&').next().unwrap();
    let issued = assistant.exchange(&app, code).await;
    assert_eq!(issued.status, 200);
    assert_eq!(
        (&issued.body["token_type"], &issued.body["expires_in"]),
        (&json!("Bearer"), &json!(3600))
    );
    assert_eq!(issued.headers["cache-control"], "no-store");
    assert_eq!(issued.headers["pragma"], "no-cache");
    let access = text(&issued.body, "/access_token");
    assert!(access.starts_with("fsct_"));
    assert!(text(&issued.body, "/refresh_token").starts_with("fscr_"));
    assert!(issued.body["scope"].as_str().unwrap().starts_with("clients calendar_events"));
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let greeted = rpc(&app, &access, "initialize", hello).await;
    assert_eq!(greeted.body["result"]["serverInfo"]["name"], "spotter", "{}", greeted.body);
    let made = call(&app, &access, "create_client", json!({"firstName": "Zoe"})).await;
    let id = text(&made, "/client/clientId");
    let found = call(&app, &access, "get_client", json!({"clientId": id})).await;
    assert_eq!(found["client"]["firstName"], "Zoe");
    // The audit log shows the actor and the assistant.
    let audit = app.get("/audit-logs?operation=create_client").await.ok();
    let row = &audit.data()["auditLogs"][0];
    assert_eq!(
        (&row["actorType"], &row["actorId"]),
        (&json!("coach"), &json!(app.admin.to_string()))
    );
    assert_eq!(row["throughId"], approved.data()["grant"]["grantId"]);
    assert_eq!(row["requestId"].as_str().unwrap().len(), 36, "the request's own id");
    app.announced(&["client.created"]).await;
}

#[scenario]
async fn a_client_lets_an_assistant_in(app: App) {
    switch_on(&app).await;
    let (ann, token) = people::client(&app).await;
    let bea = app.new_client(json!({"firstName": "Bea"})).await;
    let assistant = Assistant::register(&app).await;
    let (access, _) = assistant.tokens(&app, &token, "client", None).await;
    let list = rpc(&app, &access, "tools/list", json!({})).await;
    let tools = list.body["result"]["tools"].as_array().unwrap();
    assert!(tools.len() >= 5, "{}", tools.len());
    for tool in tools {
        assert!(tool["inputSchema"]["properties"].get("clientId").is_none(), "{tool}");
    }
    app.put(&format!("/clients/{ann}/tags"), json!({"tags": ["difficult"]})).await.ok();
    let own = call(&app, &access, "get_client", json!({})).await;
    assert_eq!(own["client"]["clientId"], ann.as_str());
    assert!(!own.to_string().contains("difficult"), "{own}");
    // Another client cannot even be named.
    let error =
        spotter_harness::assistant::refused(&app, &access, "get_client", json!({"clientId": bea}))
            .await;
    assert_eq!(error["error"]["details"]["field"], "clientId");
    let begun = call(&app, &access, "begin_workout_session", json!({})).await;
    assert_eq!(begun["session"]["clientId"].as_str().unwrap_or(&ann), ann);
    // A coach's tools are not theirs.
    let reply =
        rpc(&app, &access, "tools/call", json!({"name": "list_clients", "arguments": {}})).await;
    assert!(reply.body["error"].is_object(), "{}", reply.body);
}

#[scenario]
async fn preconditions_are_honoured(app: App) {
    let assistant = Assistant::register(&app).await;
    let (_, token) = people::client(&app).await;
    let (_, coach) = people::coach(&app, "Coach").await;
    let company = "/company/mcp/oauth/approve";
    let client = "/client/mcp/oauth/approve";
    let before = app.state().await;
    let approve = async |token: &str, path: &str, scope: Option<&str>| {
        let request = assistant.request(&app, scope).await;
        app.app_as(token, "POST", path, Some(json!({"requestId": request}))).await
    };
    approve(&app.coach_token, company, None).await.refused(403, "COMPANY_MCP_FEATURE_DISABLED");
    approve(&token, client, None).await.refused(403, "COMPANY_MCP_FEATURE_DISABLED");
    assert_eq!(before["mcp_grant"], app.state().await["mcp_grant"]);
    app.app("PATCH", "/company/features", Some(json!({"mcp": true}))).await.ok();
    approve(&token, client, None).await.refused(403, "COMPANY_MCP_CLIENT_AI_DISABLED");
    approve(&coach, company, None).await.refused(403, "auth.forbidden");
    approve(&token, company, None).await.refused(403, "auth.forbidden");
    approve(&app.coach_token, client, None).await.refused(403, "auth.forbidden");
    switch_on(&app).await;
    // The company's policy allows clients' assistants none of the requested modules.
    let policy =
        |keys: Value| app.app("PUT", "/company/mcp/policy", Some(json!({"clientModules": keys})));
    policy(json!(["client_ai_workouts"])).await.ok();
    let scope = Some("client_ai_account client_ai_bookings");
    approve(&token, client, scope).await.refused(403, "COMPANY_MCP_CLIENT_AI_DISABLED");
    policy(json!(["clients"])).await.refused(400, "request.invalid").about("clientModules");
    // Client modules mean nothing for a manager, and vice versa.
    approve(&app.coach_token, company, Some("client_ai_account"))
        .await
        .refused(400, "request.invalid")
        .about("modules");
    assert_eq!(before["mcp_grant"], app.state().await["mcp_grant"]);
    policy(json!(["client_ai_account", "client_ai_workouts"])).await.ok();
    let (access, _) = assistant.tokens(&app, &token, "client", None).await;
    call(&app, &access, "get_client", json!({})).await;
    // A module that the company removes is gone at the next request, and so is a switched-off feature.
    policy(json!(["client_ai_workouts"])).await.ok();
    let refused =
        rpc(&app, &access, "tools/call", json!({"name": "get_client", "arguments": {}})).await;
    assert_eq!(refused.status, 403);
    app.app("PATCH", "/company/features", Some(json!({"clientAi": false}))).await.ok();
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
}

#[scenario]
async fn refresh_tokens_rotate_and_reuse_revokes(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let (access, refresh) =
        assistant.tokens(&app, &app.coach_token, "company", Some("clients")).await;
    let rotated = assistant.refresh(&app, &refresh).await;
    assert_eq!(rotated.status, 200, "{}", rotated.body);
    assert_eq!(rotated.body["scope"], "clients");
    let (newer, next) =
        (text(&rotated.body, "/access_token"), text(&rotated.body, "/refresh_token"));
    assert_eq!(
        rpc(&app, &access, "tools/list", json!({})).await.status,
        200,
        "the access token before it has its time"
    );
    assert_eq!(rpc(&app, &newer, "tools/list", json!({})).await.status, 200);
    let reused = assistant.refresh(&app, &refresh).await;
    assert_eq!((reused.status, &reused.body["error"]), (400, &json!("invalid_grant")));
    assert_eq!(rpc(&app, &newer, "tools/list", json!({})).await.status, 401);
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    let after = assistant.refresh(&app, &next).await;
    assert_eq!(after.body["error"], "invalid_grant");
}

/// Simultaneous refreshes: with a grace period they get the same pair.
#[scenario]
async fn simultaneous_refreshes_get_the_same_answer(app: App) {
    let server = spotter_harness::start_as(app.server.engine, |env| {
        env.mcp_refresh_grace_seconds = 2;
        env.mcp_any_loopback_port = true;
    });
    let app = App::new(server.into()).await;
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let (_, refresh) = assistant.tokens(&app, &app.coach_token, "company", Some("clients")).await;
    let racing = (0..10).map(|_| assistant.refresh(&app, &refresh));
    let replies = futures_util::future::join_all(racing).await;
    let pairs: std::collections::BTreeSet<_> = replies
        .iter()
        .map(|reply| (text(&reply.body, "/access_token"), text(&reply.body, "/refresh_token")))
        .collect();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    let (access, next) = pairs.first().unwrap();
    assert_eq!(rpc(&app, access, "tools/list", json!({})).await.status, 200);
    tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    assert_eq!(assistant.refresh(&app, next).await.body["error"], "invalid_grant");
    // The same operator lets any port of a loopback address pass.
    let other = [("redirect_uri", Some("http://127.0.0.1:49152/callback"))];
    assert!(assistant.authorize(&app, &other).await.starts_with("/mcp/v1/oauth/consent"));
}

#[scenario]
async fn tokens_are_revoked(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let (access, refresh) =
        assistant.tokens(&app, &app.coach_token, "company", Some("clients")).await;
    let revoke = async |client: &str, token: &str| {
        let request = app.server.request("POST", "/mcp/v1/oauth/revoke");
        send(request.form(&[("client_id", client), ("token", token)])).await.status
    };
    let stranger = Assistant::register(&app).await;
    assert_eq!(revoke(&stranger.id, &refresh).await, 200, "nobody is told");
    assert_eq!(revoke(&assistant.id, "fscr_junk").await, 200);
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 200);
    assert_eq!(revoke(&assistant.id, &refresh).await, 200);
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    assert!(grants.data()["grants"][0]["revokedAt"].is_string());
}

/// Connecting again replaces the previous grant, and a person who may not sign in gets no new tokens.
#[scenario]
async fn grants_do_not_pile_up_nor_outlive_their_person(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let (_, manager) = people::coach(&app, "Manager").await;
    let (old, _) = assistant.tokens(&app, &manager, "company", Some("clients")).await;
    let (new, refresh) = assistant.tokens(&app, &manager, "company", Some("clients")).await;
    assert_eq!(rpc(&app, &old, "tools/list", json!({})).await.status, 401);
    assert_eq!(rpc(&app, &new, "tools/list", json!({})).await.status, 200);
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    let open = grants.data()["grants"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|grant| grant["revokedAt"].is_null());
    let open: Vec<_> = open.collect();
    assert_eq!(open.len(), 1);
    assert!(open[0]["lastUsedAt"].is_string());
    let id = text(open[0], "/subjectId");
    app.app("PATCH", &format!("/coaches/{id}"), Some(json!({"role": "Coach"}))).await.ok();
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    // It has ended, and does not wake with the role.
    app.app("PATCH", &format!("/coaches/{id}"), Some(json!({"role": "Manager"}))).await.ok();
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    assert_eq!(rpc(&app, &new, "tools/list", json!({})).await.status, 401);
}

/// Grants that a switch or a policy has ended do not return with it, and restricted ones stay restricted.
#[scenario]
async fn disabled_subscriptions_do_not_wake_the_engine(app: App) {
    switch_on(&app).await;
    let modules = "client_ai_account client_ai_bookings";
    let switch = async |feature: &str, on: bool| {
        app.app("PATCH", "/company/features", Some(json!({feature: on}))).await.ok();
    };
    let policy = async |modules: &[&str], clients: &str| {
        let body = json!({"clientModules": modules, "clients": clients});
        app.app("PUT", "/company/mcp/policy", Some(body)).await.ok();
    };
    let all = ["client_ai_account", "client_ai_bookings"];
    policy(&all, "all").await;
    let assistant = Assistant::register(&app).await;
    let works = async |access: &str| rpc(&app, access, "tools/list", json!({})).await.status == 200;
    for round in 0..4 {
        let (_, token) = people::client(&app).await;
        let (access, refresh) = assistant.tokens(&app, &token, "client", Some(modules)).await;
        assert!(works(&access).await);
        match round {
            0 => (switch("clientAi", false).await, switch("clientAi", true).await),
            1 => (switch("mcp", false).await, switch("mcp", true).await),
            2 => (policy(&[], "all").await, policy(&all, "all").await),
            _ => (policy(&all, "chosen").await, policy(&all, "all").await),
        };
        assert!(!works(&access).await, "round {round}");
        assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
    }
    let key = json!({"name": "Script", "modules": ["clients"]});
    let made = app.app("POST", "/company/mcp/keys", Some(key)).await.ok();
    let secret = text(made.data(), "/secret");
    switch("mcp", false).await;
    switch("mcp", true).await;
    assert!(!works(&secret).await, "a key ends with the switch");
    // A module that is taken away is not there when it is allowed again.
    let (_, token) = people::client(&app).await;
    let (access, _) = assistant.tokens(&app, &token, "client", Some(modules)).await;
    policy(&all[..1], "all").await;
    policy(&all, "all").await;
    let list = rpc(&app, &access, "tools/list", json!({})).await;
    assert!(!list.body.to_string().contains("create_booking"), "{}", list.body);
}

/// Junk does not keep honest assistants out, and one address does not register for all.
#[scenario]
async fn registration_stays_open(app: App) {
    let settings = spotter_http::HttpSettings { anonymous_rate_limit: 60, ..Default::default() };
    let server = spotter_harness::start(app.server.engine, settings);
    let app = App::new(server.into()).await;
    const FILL: spotter_store::Sql = spotter_store::Sql(
        "INSERT INTO mcp_client (client_id, client_name, redirect_uris, created_at, digest, expires_at) \
         VALUES (?1, 'Junk', '[]', 0, ?2, ?3)",
    );
    let now = spotter_kernel::Clock::now(&spotter_harness::SystemClock);
    let fill = move |tx: &mut spotter_store::Tx<'_>| {
        (0..10_000i64).try_for_each(|number| {
            let (id, digest) = (format!("mcpc_{number}"), number.to_be_bytes().to_vec());
            tx.defer(FILL, spotter_store::params![id, digest, now.plus_seconds(3_600 + number)])
        })
    };
    app.server.db.write(fill).await.unwrap();
    let honest = Assistant::register(&app).await;
    assert!(honest.authorize(&app, &[]).await.starts_with("/mcp/v1/oauth/consent"));
    let mut refused = 0;
    for number in 0..70 {
        let body = json!({"client_name": format!("Junk {number}"), "redirect_uris": [REDIRECT]});
        let request = app.server.request("POST", "/mcp/v1/oauth/register").json(&body);
        refused += u32::from(send(request).await.status == 429);
    }
    assert!((11..30).contains(&refused), "{refused}");
}

#[scenario]
async fn one_of_a_thousand_rotates(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let (_, refresh) = assistant.tokens(&app, &app.coach_token, "company", Some("clients")).await;
    let mut won = 0;
    for _ in 0..10 {
        let racing = (0..100).map(|_| assistant.refresh(&app, &refresh));
        let replies = futures_util::future::join_all(racing).await;
        for reply in &replies {
            assert!([200, 400, 503].contains(&reply.status), "{} {}", reply.status, reply.body);
        }
        won += replies.iter().filter(|reply| reply.status == 200).count();
    }
    assert_eq!(won, 1, "a refresh token is claimed once");
}

#[scenario]
async fn grants_are_limited_and_revoked(app: App) {
    switch_on(&app).await;
    let assistant = Assistant::register(&app).await;
    let scope = Some("clients client_notes");
    let (access, refresh) = assistant.tokens(&app, &app.coach_token, "company", scope).await;
    let grants = app.app("GET", "/company/mcp/grants", None).await.ok();
    let grant = text(grants.data(), "/grants/0/grantId");
    let path = format!("/mcp/grants/{grant}");
    let limit = async |body: Value| app.app("PATCH", &path, Some(body)).await;
    limit(json!({"modules": ["clients", "invoices"]}))
        .await
        .refused(400, "request.invalid")
        .about("modules");
    limit(json!({"modules": []})).await.refused(400, "request.invalid").about("modules");
    limit(json!({"readOnly": true})).await.ok();
    limit(json!({"readOnly": false})).await.refused(400, "request.invalid").about("readOnly");
    let list = rpc(&app, &access, "tools/list", json!({})).await;
    let tools = list.body["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{}", list.body);
    let error = spotter_harness::assistant::refused(
        &app,
        &access,
        "create_client",
        json!({"firstName": "X"}),
    )
    .await;
    assert_eq!(error["error"]["key"], "scopes.insufficient");
    limit(json!({"modules": ["clients"]})).await.ok();
    let notes = json!({"name": "list_client_notes", "arguments": {}});
    let narrower = rpc(&app, &access, "tools/call", notes).await;
    assert_eq!(narrower.status, 403);
    let challenge = narrower.headers["www-authenticate"].to_str().unwrap();
    assert!(
        challenge.contains("error=\"insufficient_scope\"")
            && challenge.contains("scope=\"clients client_notes\""),
        "{challenge}"
    );
    // Others' grants are managers' alone.
    let (_, coach) = people::coach(&app, "Coach").await;
    app.app_as(&coach, "PATCH", &path, Some(json!({"readOnly": true})))
        .await
        .refused(404, "resource.not_found");
    app.app_as(&coach, "GET", "/company/mcp/grants", None).await.refused(403, "auth.forbidden");
    let (_, client) = people::client(&app).await;
    let (theirs, _) = assistant.tokens(&app, &client, "client", None).await;
    let own = app.app_as(&client, "GET", "/mcp/grants", None).await.ok();
    assert_eq!(own.data()["total"], 1);
    let own = format!("/mcp/grants/{}/revoke", text(own.data(), "/grants/0/grantId"));
    app.app_as(&client, "POST", &own, None).await.ok();
    assert_eq!(rpc(&app, &theirs, "tools/list", json!({})).await.status, 401);
    app.app_as(&client, "POST", &format!("{path}/revoke"), None)
        .await
        .refused(404, "resource.not_found");
    app.app("POST", &format!("{path}/revoke"), None).await.ok();
    assert_eq!(rpc(&app, &access, "tools/list", json!({})).await.status, 401);
    assert_eq!(assistant.refresh(&app, &refresh).await.body["error"], "invalid_grant");
}

#[scenario]
async fn keys_are_for_scripts(app: App) {
    switch_on(&app).await;
    let make = |body: Value| app.app("POST", "/company/mcp/keys", Some(body));
    let made = make(json!({"name": "Nightly", "modules": ["clients", "locations"]})).await.ok();
    let secret = text(made.data(), "/secret");
    let hex = secret.strip_prefix("fsc_").unwrap();
    assert!(hex.len() >= 64 && hex.bytes().all(|c| c.is_ascii_hexdigit()), "{secret}");
    call(&app, &secret, "list_locations", json!({"limit": 5})).await;
    let until = text(made.data(), "/key/expiresAt");
    let made_at = text(made.data(), "/key/createdAt");
    let days = |text: &str| spotter_kernel::Timestamp::parse(text).unwrap().millis() / 86_400_000;
    assert_eq!(days(&until) - days(&made_at), 90);
    for (body, field) in [
        (json!({"name": "X", "modules": []}), "modules"),
        (json!({"name": "X", "modules": ["client_ai_account"]}), "modules"),
        (json!({"name": "X", "modules": ["clients"], "expiresInDays": 366}), "expiresInDays"),
        (json!({"name": "X", "modules": ["everything"]}), "modules[0]"),
    ] {
        assert_eq!(make(body).await.about(field).status, 400);
    }
    let list = app.app("GET", "/company/mcp/keys", None).await.ok();
    assert!(!list.body.to_string().contains(&secret[10..]), "{}", list.body);
    let revoke = format!("/company/mcp/keys/{}/revoke", text(made.data(), "/key/keyId"));
    app.app("POST", &revoke, None).await.ok();
    assert_eq!(rpc(&app, &secret, "tools/list", json!({})).await.status, 401);
    // A key acts for the manager who created it, as long as they are one.
    let (manager, token) = people::coach(&app, "Manager").await;
    let new = json!({"name": "Theirs", "modules": ["clients"], "readOnly": true});
    let made = app.app_as(&token, "POST", "/company/mcp/keys", Some(new)).await.ok();
    let secret = text(made.data(), "/secret");
    call(&app, &secret, "list_clients", json!({})).await;
    let error = spotter_harness::assistant::refused(
        &app,
        &secret,
        "create_client",
        json!({"firstName": "X"}),
    )
    .await;
    assert_eq!(error["error"]["key"], "scopes.insufficient");
    let path = format!("/coaches/{manager}");
    app.app("PATCH", &path, Some(json!({"role": "Coach"}))).await.ok();
    assert_eq!(rpc(&app, &secret, "tools/list", json!({})).await.status, 401);
    app.app("PATCH", &path, Some(json!({"role": "Manager"}))).await.ok();
    assert_eq!(rpc(&app, &secret, "tools/list", json!({})).await.status, 401, "it does not wake");
}
