//! Signing in with a second step: set up, required, lost, mandatory.

use serde_json::{Value, json};
use spotter_harness::{
    App, PASSWORD,
    browser::Browser,
    people, random_text, scenario,
    second_step::{code, enabled},
    send,
};

async fn sign_in(app: &App, email: &str, code: Option<&str>) -> spotter_harness::Reply {
    let mut login = json!({"email": email, "password": PASSWORD});
    if let Some(code) = code {
        login["code"] = json!(code);
    }
    send(app.server.request("POST", "/app/v1/auth/login").json(&login)).await
}

async fn somebody(app: &App, role: &str) -> (String, String, String) {
    let email = format!("{}@example.com", random_text());
    let (id, token) = people::coach_with(app, role, &email).await;
    (id, token, email)
}

#[scenario]
async fn a_person_adds_a_second_step_and_signs_in_with_it(app: App) {
    let (_, token, email) = somebody(&app, "Coach").await;
    let mut browser = Browser::of(&app, &email).await;
    let page = browser.get("/console/account/second-step").await.is(200);
    let view = browser.send(page.form("begin_second_step")).await.is(200);
    let secret = view.text.split("id=\"authenticator-secret\">").nth(1).unwrap();
    let secret = secret.split('<').next().unwrap().to_owned();
    assert!(view.text.contains("<svg viewBox"), "{}", view.main());
    // Until the first code is confirmed, the password is enough.
    sign_in(&app, &email, None).await.ok();
    let form = view.form("enable_second_step");
    browser.send(form.clone().with("code", "000000")).await.is(422).shows("six digits");
    let page = browser.get("/console/account/second-step").await.is(200);
    let form = page.form("enable_second_step").with("code", &code(&secret, -1));
    let kept = browser.send(form).await.is(200).shows("Recovery codes");
    let codes = kept.text.split("id=\"recovery-codes\">").nth(1).unwrap();
    let recovery = codes.split("<br>").next().unwrap().to_owned();
    assert_eq!(recovery.len(), 11, "{recovery}");
    let answer = app.app_as(&token, "GET", "/auth/second-step", None).await.ok();
    let step = &answer.data()["secondStep"];
    assert_eq!((&step["isOn"], &step["recoveryCodesLeft"]), (&json!(true), &json!(10)));

    // An app learns only that a code is needed.
    let requested = sign_in(&app, &email, None).await.refused(400, "request.invalid").about("code");
    assert!(requested.body["error"]["details"].get("ticket").is_none(), "{}", requested.body);
    sign_in(&app, &email, Some(&code(&secret, 0))).await.ok();
    sign_in(&app, &email, Some("wrong1")).await.refused(400, "request.invalid").about("code");
    // A caller without the password learns nothing about it.
    let wrong = json!({"email": email, "password": "not the password"});
    let refused = send(app.server.request("POST", "/app/v1/auth/login").json(&wrong)).await;
    refused.refused(401, "auth.invalid_credentials");

    // A browser asks for it after the password, which is typed once.
    let mut other = Browser::new(&app);
    let page = other.get("/sign-in?then=%2Fconsole%2Fclients").await.is(200);
    let form = page.forms().remove(0).with("email", &email).with("password", PASSWORD);
    let second = other.send(form).await.is(200).shows("authenticator");
    assert!(!second.text.contains(PASSWORD) && other.cookie("spotter").is_none());
    let form = second.forms().remove(0);
    // A ticket says nothing about another address that is typed beside it.
    let known = other.cookie("spotter_known").map(str::to_owned);
    other.send(form.clone().with("email", &app.admin_email).with("code", "")).await.is(200);
    assert_eq!(other.cookie("spotter_known").map(str::to_owned), known);
    other.send(form.clone().with("code", "123")).await.is(400).shows("not right");
    other.send(form.clone().with("ticket", "x.y").with("code", &recovery)).await.is(401);
    other.send(form.with("code", &recovery)).await.leads_to("/console/clients");
    // The person is known now, so only the password is required before a sensitive action.
    let page = other.get("/console/account/second-step").await.is(200).shows("9");
    let off = other.send(page.form("delete_second_step")).await;
    assert_eq!(off.status, 303, "{}", off.main());
    sign_in(&app, &email, None).await.ok();
    app.events().await;
}

#[scenario]
async fn a_code_works_once_under_races(app: App) {
    let (_, token, email) = somebody(&app, "Manager").await;
    let (secret, codes) = enabled(&app, &token).await;
    for code in [code(&secret, 1), codes[0].clone(), codes[1].replace('-', "").to_uppercase()] {
        let tries = (0..2).map(|_| sign_in(&app, &email, Some(&code)));
        let answers = futures_util::future::join_all(tries).await;
        let taken = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!(taken, 1, "{:?}", answers.iter().map(|a| a.status).collect::<Vec<_>>());
    }
    // The one that confirmed it was used, and so was every one before the last.
    sign_in(&app, &email, Some(&code(&secret, 0))).await.refused(400, "request.invalid");
    // New codes end the old ones.
    let new = app.app_as(&token, "POST", "/auth/second-step/recovery-codes", None).await.ok();
    sign_in(&app, &email, Some(&codes[5])).await.refused(400, "request.invalid");
    sign_in(&app, &email, Some(new.data()["recoveryCodes"][0].as_str().unwrap())).await.ok();
    app.events().await;
}

#[scenario]
async fn guesses_are_few(app: App) {
    let (_, token, email) = somebody(&app, "Coach").await;
    let (_, codes) = enabled(&app, &token).await;
    let (_, other, _) = somebody(&app, "Coach").await;
    enabled(&app, &other).await;
    for _ in 0..10 {
        sign_in(&app, &email, Some("000000")).await.refused(400, "request.invalid");
    }
    let late = sign_in(&app, &email, Some(&codes[0])).await;
    late.refused(429, "rate_limit.exceeded");
    // A recovery code belongs to one person.
    let (_, third, theirs) = somebody(&app, "Coach").await;
    enabled(&app, &third).await;
    sign_in(&app, &theirs, Some(&codes[0])).await.refused(400, "request.invalid");
    app.events().await;
}

#[scenario]
async fn a_lost_second_step_is_reset(app: App) {
    let (coach, token, email) = somebody(&app, "Coach").await;
    enabled(&app, &token).await;
    let (boss, manager, _) = somebody(&app, "Manager").await;
    let (_, others, _) = somebody(&app, "Manager").await;
    enabled(&app, &manager).await;
    let path = format!("/coaches/{coach}/second-step");
    app.app_as(&token, "DELETE", &path, None).await.refused(403, "auth.forbidden");
    app.app_as(&others, "DELETE", &format!("/coaches/{boss}/second-step"), None)
        .await
        .refused(403, "auth.forbidden");
    app.app_as(&manager, "DELETE", &path, None).await.ok();
    sign_in(&app, &email, None).await.ok();
    let (client, own) = people::client(&app).await;
    enabled(&app, &own).await;
    let answer = app.app_as(&own, "GET", "/auth/second-step", None).await.ok();
    assert_eq!(answer.data()["secondStep"]["isOn"], true);
    app.app_as(&own, "DELETE", &format!("/clients/{client}/second-step"), None)
        .await
        .refused(403, "auth.forbidden");
    app.app_as(&manager, "DELETE", &format!("/clients/{client}/second-step"), None).await.ok();
    let answer = app.app_as(&own, "GET", "/auth/second-step", None).await.ok();
    assert_eq!(answer.data()["secondStep"]["isOn"], false);
    app.events().await;
}

#[scenario]
async fn a_company_demands_it_of_managers(app: App) {
    let (_, coach, _) = somebody(&app, "Coach").await;
    let (_, manager, email) = somebody(&app, "Manager").await;
    let mut browser = Browser::of(&app, &email).await;
    let demand = Some(json!({"secondStep": true}));
    app.app_as(&manager, "PATCH", "/company/features", demand).await.ok();
    // Coaches and clients need none; managers can do nothing else before.
    app.app_as(&coach, "GET", "/clients", None).await.ok();
    app.app_as(&manager, "GET", "/clients", None).await.refused(403, "auth.forbidden");
    browser.get("/console/clients").await.leads_to("/console/account/second-step");
    let page =
        browser.get("/console/account/second-step").await.is(200).shows("Your business asks");
    let form = page.form("begin_second_step").with("-do", "create_location").with("name", "X");
    browser.send(form).await.is(422).shows("Add yours first");
    let locations = app.app_as(&coach, "GET", "/locations", None).await.ok();
    assert!(!locations.body.to_string().contains("\"name\":\"X\""), "{}", locations.body);
    enabled(&app, &manager).await;
    app.app_as(&manager, "GET", "/clients", None).await.ok();
    browser.get("/console/clients").await.is(200);
    let off = Some(json!({"secondStep": false}));
    app.app_as(&manager, "PATCH", "/company/features", off).await.ok();
    app.events().await;
}

#[scenario]
async fn a_password_is_changed_where_it_is_known(app: App) {
    let (_, token, email) = somebody(&app, "Coach").await;
    let (mut browser, mut other) =
        (Browser::of(&app, &email).await, Browser::of(&app, &email).await);
    let page = browser.get("/console/account").await.is(200);
    let form = page.form("change_password").with("newPassword", "quite another one");
    let wrong = form.clone().with("currentPassword", "not this one");
    let answer = browser.send(wrong).await.is(422).shows("must be the current password");
    assert!(!answer.text.contains("quite another one"));
    let short = form.clone().with("currentPassword", PASSWORD).with("newPassword", "short");
    browser.send(short).await.is(422).shows("10 to 200");
    browser.send(form.with("currentPassword", PASSWORD)).await.leads_to("/console/account");
    // It stays signed in itself, and everything else is out.
    browser.get("/console").await.is(200);
    other.get("/console").await.is(303);
    app.app_as(&token, "GET", "/clients", None).await.refused(401, "auth.invalid_token");
    let login: Value = json!({"email": email, "password": "quite another one"});
    send(app.server.request("POST", "/app/v1/auth/login").json(&login)).await.ok();
    app.events().await;
}
