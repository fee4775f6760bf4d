//! Signing in with a browser, staying, and leaving.

use serde_json::json;
use spotter_harness::{App, PASSWORD, browser::Browser, people, random_text, scenario};

#[scenario]
async fn people_sign_in_and_out(app: App) {
    let mut browser = Browser::new(&app);
    let first = browser.get("/console/clients?search=zo").await;
    let first = first.leads_to("/sign-in?then=%2Fconsole%2Fclients%3Fsearch%3Dzo");
    let page = browser.get(&first.location).await.is(200);
    let form = page.forms().remove(0).with("email", &app.admin_email).with("password", PASSWORD);
    let answer = browser.send(form).await.leads_to("/console/clients?search=zo");
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Lax") && !cookie.contains("Max-Age"), "{cookie}");
    let home = browser.get("/console").await.is(200);
    assert_eq!(browser.get("/sign-in").await.status, 303);
    let more = browser.get("/console/account").await.is(200);
    let out = more.forms().into_iter().find(|form| form.action == "/sign-out").unwrap();
    let old = browser.cookie("spotter").unwrap().to_owned();
    browser.send(out).await.leads_to("/sign-in");
    assert_eq!(browser.cookie("spotter"), None);
    // The session is ended, not only the cookie removed.
    browser.set_cookie("spotter", &old);
    browser.get("/console").await.leads_to("/sign-in?then=%2Fconsole");
    assert!(home.text.contains("Test Gym"));
}

#[scenario]
async fn wrong_passwords_and_unknown_addresses_look_alike(app: App) {
    let mut output = Vec::new();
    for email in [app.admin_email.clone(), format!("{}@example.com", random_text())] {
        let mut browser = Browser::new(&app);
        let page = browser.get("/sign-in").await.is(200);
        let form = page.forms().remove(0).with("email", &email).with("password", "not this one");
        let answer = browser.send(form).await.is(401);
        output.push(answer.text.replace(&email, "…"));
        assert!(!answer.text.contains("not this one"));
        assert_eq!(browser.cookie("spotter"), None);
    }
    assert_eq!(output[0], output[1]);
}

#[scenario]
async fn bytes_that_are_no_text_are_refused(app: App) {
    let mut browser = Browser::new(&app);
    for body in ["email=%FF&password=x", "email=a&%C3%28=x", "email=a\u{0}%ED%A0%80"] {
        browser.send_raw("/sign-in", body).await.is(400);
    }
    browser.send_raw("/sign-in", "email=%C3%BC&password=%F0%9F%98%80+%26").await.is(401);
}

/// Wrong passwords from elsewhere lock an account's sign-in there, and not where its person has signed in before; a
/// browser's mark is for one account only.
#[scenario]
async fn nobody_is_locked_out_of_their_own_browser(app: App) {
    let email = format!("{}@example.com", random_text());
    people::coach_with(&app, "Coach", &email).await;
    let mut own = Browser::of(&app, &email).await;
    let known = own.cookie("spotter_known").unwrap().to_owned();
    let mut stranger = Browser::new(&app);
    let sign_in = async |browser: &mut Browser, password: &str| {
        browser.set_cookie("spotter", "gone");
        let page = browser.get("/sign-in").await.is(200);
        let form = page.forms().remove(0).with("email", &email).with("password", password);
        browser.send(form).await.status
    };
    let mut tries = Vec::new();
    for _ in 0..12 {
        tries.push(sign_in(&mut stranger, "not this one").await);
    }
    assert_eq!(tries.last(), Some(&429), "{tries:?}");
    assert_eq!(sign_in(&mut stranger, PASSWORD).await, 429);
    assert_eq!(sign_in(&mut own, PASSWORD).await, 303);
    // A forged mark, or another account's, is worthless.
    for word in [known.replace('.', "x"), "x".to_owned()] {
        stranger.set_cookie("spotter_known", &word);
        assert_eq!(sign_in(&mut stranger, PASSWORD).await, 429);
    }
    let other = Browser::of(&app, &app.admin_email).await;
    stranger.set_cookie("spotter_known", other.cookie("spotter_known").unwrap());
    assert_eq!(sign_in(&mut stranger, PASSWORD).await, 429);
}

#[scenario]
async fn a_session_ends_where_its_person_does(app: App) {
    let email = format!("{}@example.com", random_text());
    let (coach, _) = people::coach_with(&app, "Coach", &email).await;
    let mut browser = Browser::of(&app, &email).await;
    browser.get("/console").await.is(200);
    let off = json!({"status": "deactivated"});
    app.app("PATCH", &format!("/coaches/{coach}"), Some(off)).await.ok();
    browser.get("/console").await.is(303);
    let client = people::client_with_address(&app).await;
    let mut browser = Browser::of(&app, &client).await;
    browser.get("/my").await.is(200);
    let id = app.get(&format!("/clients?search={client}")).await.ok();
    let id = id.data()["clients"][0]["clientId"].as_str().unwrap().to_owned();
    app.act(&format!("/clients/{id}/archive")).await.ok();
    browser.get("/my").await.is(303);
    app.events().await;
}

#[scenario]
async fn typed_values_outlive_the_session(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.events().await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/clients/{client}/notes");
    // Signed out in another window, or by somebody else: the cookie is gone or invalid.
    for (nth, cookie) in ["spotter_gone", ""].into_iter().enumerate() {
        let page = browser.get(&path).await.is(200);
        let typed = format!("Knee hurts {nth} <b>");
        let note = page.form("create_client_note").with("body", &typed);
        match cookie {
            "" => {
                let home = browser.get("/console/account").await.is(200);
                let out = home.forms().into_iter().find(|form| form.action == "/sign-out");
                browser.send(out.unwrap()).await.leads_to("/sign-in");
            }
            gone => browser.set_cookie("spotter", gone),
        }
        let kept = browser.send(note).await.is(401).shows("What you typed is kept");
        assert_eq!(app.get(&format!("/clients/{client}/notes")).await.data()["total"], nth);
        let form = |page: &spotter_harness::browser::Page| {
            page.forms().remove(0).with("email", &app.admin_email)
        };
        let wrong = browser.send(form(&kept).with("password", "wrong")).await.is(401);
        let view = browser.send(form(&wrong).with("password", PASSWORD)).await.is(200);
        let view = view.shows("You have not sent this yet").shows("&lt;b&gt;");
        browser.act(view.forms().remove(0)).await.shows(&format!("Knee hurts {nth} &lt;b&gt;"));
    }
    assert_eq!(app.get(&format!("/clients/{client}/notes")).await.data()["total"], 2);
    // It is restored for nobody else, and an action that requires the password is not.
    let (client_email, note) = (people::client_with_address(&app).await, "About somebody else");
    let page = browser.get(&path).await.is(200);
    let form = page.form("create_client_note").with("body", note);
    browser.set_cookie("spotter", "gone");
    let kept = browser.send(form).await.is(401);
    let other = kept.forms().remove(0).with("email", &client_email).with("password", PASSWORD);
    let answer = browser.send(other).await.is(303);
    assert!(!answer.text.contains(note), "{}", answer.text);
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/settings/invoices").await.is(200);
    let keys = page.form("connect_payment_provider").with("secretKey", "sk_live_hush");
    browser.set_cookie("spotter", "gone");
    let answer = browser.send(keys).await.is(303);
    assert!(!answer.text.contains("hush"), "{}", answer.text);
    let mut browser = Browser::of(&app, &app.admin_email).await;
    // Secrets are not kept, and forged links lead nowhere.
    let page = browser.get("/console/account").await.is(200);
    let secret = page.form("change_password").with("currentPassword", "hush-hush");
    browser.set_cookie("spotter", "gone");
    let answer = browser.send(secret.with("newPassword", "hush-hush-hush")).await;
    assert!(!answer.text.contains("hush"), "{}", answer.text);
    let page = browser.get("/sign-in").await.is(200);
    let form = page.forms().remove(0).with("email", &app.admin_email).with("password", PASSWORD);
    let odd = r#"{"at":"https://evil.example","fields":[["-do","erase_client"],["text","x"]]}"#;
    let view = browser.send(form.with("unsent", odd)).await.is(303);
    assert!(!view.text.contains("evil.example") && view.location == "/console", "{}", view.text);
    app.events().await;
}

#[scenario]
async fn cross_site_forms_are_refused(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/clients/new").await.is(200);
    let form = page.form("create_client").with("firstName", "Mallory").with("lastName", "M");
    for site in ["cross-site", "same-site"] {
        browser.send_from(form.clone(), site).await.is(403);
    }
    browser.send(form.clone().with("-csrf", "x")).await.is(403);
    // The mark of another session is not taken, though it is whole.
    let mut other = Browser::of(&app, &app.admin_email).await;
    let others = other.get("/console/clients/new").await.form("create_client");
    browser.send(form.clone().with("-csrf", others.field("-csrf").unwrap())).await.is(403);
    browser.send(form.clone().with("-do", "no_such_thing")).await.is(403);
    assert_eq!(app.get("/clients?search=mallory").await.data()["total"], 0);
    assert_eq!(browser.send(form).await.status, 303);
    assert_eq!(app.get("/clients?search=mallory").await.data()["total"], 1);
    app.events().await;
}

#[scenario]
async fn staff_and_clients_have_pages_of_their_own(app: App) {
    let client = people::client_with_address(&app).await;
    let mut browser = Browser::of(&app, &client).await;
    browser.get("/console").await.leads_to("/my");
    browser.get("/console/audit").await.leads_to("/my");
    let email = format!("{}@example.com", random_text());
    people::coach_with(&app, "Coach", &email).await;
    let mut coach = Browser::of(&app, &email).await;
    coach.get("/my/book").await.leads_to("/console");
    for path in ["/console/audit", "/console/webhooks", "/console/money", "/console/reports"] {
        let page = coach.get(path).await.is(403);
        assert!(!page.text.contains("name=\"-do\""), "{path}");
    }
    let home = coach.get("/console").await.is(200);
    assert!(!home.text.contains("/console/audit") && !home.text.contains("/console/webhooks"));
    // A field that a page does not show is refused when it is sent.
    let form = coach.get("/console/clients/new").await.form("create_client");
    let fields = form.with("-do", "create_location").with("name", "Mine");
    coach.send(fields).await.is(422).shows("role=\"alert\"");
}

#[scenario]
async fn pages_are_had_in_three_languages_and_two_colours(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    for (language, theme, title) in
        [("nl", "dark", "Instellingen"), ("de", "light", "Einstellungen"), ("en", "", "Settings")]
    {
        let page = browser.get("/console/account").await.is(200);
        let form = page.forms().into_iter().find(|form| form.action == "/console/display").unwrap();
        browser.act(form.with("language", language).with("theme", theme)).await;
        let page = browser.get("/console/settings").await.is(200);
        let page = page.shows(&format!("lang=\"{language}\"")).shows(title);
        assert_eq!(page.text.contains("data-theme"), !theme.is_empty());
    }
}

#[scenario]
async fn the_apis_take_no_cookie(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let answer = browser.get("/app/v1/clients").await.is(401);
    assert!(answer.text.contains("auth.missing_bearer"));
    let token = browser.cookie("spotter").unwrap().to_owned();
    app.app_as(&token, "GET", "/clients", None).await.refused(401, "auth.invalid_token");
}
