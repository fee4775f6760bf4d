//! Signing in with a browser, staying, and leaving.

use serde_json::json;

use super::Browser;
use crate::{
    harness::{App, PASSWORD, people, random_text},
    on_both_engines,
};

on_both_engines!(
    somebody_signs_in_and_out,
    the_wrong_password_is_told_like_an_unknown_address,
    a_session_ends_where_its_person_does,
    forms_of_other_sites_do_nothing,
    staff_and_clients_have_pages_of_their_own,
    pages_are_had_in_three_languages_and_two_colours,
    the_apis_take_no_cookie,
);

async fn somebody_signs_in_and_out(app: App) {
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
    // The session is over, not only the cookie gone.
    browser.set_cookie("spotter", &old);
    browser.get("/console").await.leads_to("/sign-in?then=%2Fconsole");
    assert!(home.text.contains("Test Gym"));
}

async fn the_wrong_password_is_told_like_an_unknown_address(app: App) {
    let mut told = Vec::new();
    for email in [app.admin_email.clone(), format!("{}@example.com", random_text())] {
        let mut browser = Browser::new(&app);
        let page = browser.get("/sign-in").await.is(200);
        let form = page.forms().remove(0).with("email", &email).with("password", "not this one");
        let answer = browser.send(form).await.is(401);
        told.push(answer.text.replace(&email, "…"));
        assert!(!answer.text.contains("not this one"));
        assert_eq!(browser.cookie("spotter"), None);
    }
    assert_eq!(told[0], told[1]);
}

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

async fn forms_of_other_sites_do_nothing(app: App) {
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
    // What a page does not show is refused when it is sent all the same.
    let form = coach.get("/console/clients/new").await.form("create_client");
    let fields = form.with("-do", "create_location").with("name", "Mine");
    coach.send(fields).await.is(422).shows("role=\"alert\"");
}

async fn pages_are_had_in_three_languages_and_two_colours(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    for (language, theme, title) in
        [("nl", "dark", "Instellingen"), ("de", "light", "Einstellungen"), ("en", "", "Settings")]
    {
        let page = browser.get("/console/account").await.is(200);
        let form = page.forms().into_iter().find(|form| form.action == "/console/taste").unwrap();
        browser.act(form.with("language", language).with("theme", theme)).await;
        let page = browser.get("/console/settings").await.is(200);
        let page = page.shows(&format!("lang=\"{language}\"")).shows(title);
        assert_eq!(page.text.contains("data-theme"), !theme.is_empty());
    }
}

async fn the_apis_take_no_cookie(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let answer = browser.get("/app/v1/clients").await.is(401);
    assert!(answer.text.contains("auth.missing_bearer"));
    let token = browser.cookie("spotter").unwrap().to_owned();
    app.app_as(&token, "GET", "/clients", None).await.refused(401, "auth.invalid_token");
}
