//! Exports of lists for signed-in people, and calendar files.

use serde_json::json;
use spotter_harness::{
    App,
    browser::{Browser, Form, Page},
    people, scenario, text,
};

fn export(page: &Page) -> Form {
    let found = page.forms().into_iter().find(|form| form.action == "/console/export");
    found.expect("a list can be taken along")
}

#[scenario]
async fn a_filtered_list_is_exported_as_filtered(app: App) {
    for (name, tags) in
        [("=HYPERLINK(1)", json!(["a", "b"])), ("Zoë", json!([])), ("Other", json!([]))]
    {
        app.new_client(json!({"firstName": name, "tags": tags})).await;
    }
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/clients").await.is(200);
    let file = browser.send(export(&page)).await.is(200);
    assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"clients.csv\"");
    let lines: Vec<&str> = file.text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(lines.len(), 4, "{}", file.text);
    assert!(lines[0].starts_with("clientId,externalId,firstName,lastName,email"), "{}", lines[0]);
    assert!(
        file.text.contains("'=HYPERLINK(1)") && file.text.contains("\"a, b\""),
        "{}",
        file.text
    );
    let page = browser.get("/console/clients?search=zoe").await.is(200);
    let file = browser.send(export(&page)).await.is(200);
    assert_eq!(file.text.lines().count(), 2, "{}", file.text);
    // An unknown list, or another person's, is not found.
    let form = export(&page);
    for wrong in ["create_client", "get_client", "list_platform_scopes", "x"] {
        browser.send(form.clone().with("-do", wrong)).await.is(404);
    }
    browser.send(form.clone().with("-csrf", "x")).await.is(403);
    let (_, _) = people::coach(&app, "Coach").await;
    app.events().await;
}

/// Behind the end of a list is its last page, not the word that there is nothing.
#[scenario]
async fn a_page_behind_the_last_one_is_the_last_one(app: App) {
    app.new_client(json!({"firstName": "Zoë"})).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    browser.get("/console/clients?page=9").await.is(200).shows("Zoë");
    browser.get("/console/clients?page=9&search=zzz").await.is(200).shows("No clients");
}

#[scenario]
async fn sessions_are_seen_and_ended(app: App) {
    let mut phone = Browser::of(&app, &app.admin_email).await;
    let mut desk = Browser::of(&app, &app.admin_email).await;
    let page = desk.get("/console/account").await.is(200).shows("(this one)");
    let others: Vec<_> =
        page.forms().into_iter().filter(|form| form.field("-do") == Some("end_session")).collect();
    assert!(others.len() >= 2, "an app and another browser: {}", page.main());
    for other in others {
        desk.act(other).await;
    }
    phone.get("/console").await.is(303);
    desk.get("/console").await.is(200);
    app.app("GET", "/clients", None).await.refused(401, "auth.invalid_token");
}

#[scenario]
async fn classes_and_blocked_times_are_put_into_the_calendar(app: App) {
    let class = json!({"name": "Spin", "kind": "class", "durationMinutes": 45, "capacity": 8});
    let class = app.post("/event-types", class).await.ok();
    let class = text(class.data(), "/eventType/eventTypeId");
    app.app("PATCH", "/company/settings", Some(json!({"timeZone": "Europe/Amsterdam"}))).await.ok();
    app.events().await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/calendar?date=2027-03-10").await.is(200);
    let coach = app.admin.to_string();
    let form =
        page.form("create_calendar_event").with("eventTypeId", &class).with("coachId", &coach);
    let form = form.with("startsAt:local", "2027-03-10T18:30").with("capacity", "6");
    browser.act(form).await.shows("Spin").shows("18:30").shows("0/6");
    let task = page.form("create_calendar_task").with("title", "Dentist").with("coachId", &coach);
    let task =
        task.with("startsAt:local", "2027-03-11T09:00").with("endsAt:local", "2027-03-11T10:00");
    browser.act(task).await.shows("Dentist");
    let answer =
        app.get("/calendar/events?from=2027-03-10T00:00:00Z&to=2027-03-11T00:00:00Z").await.ok();
    assert_eq!(answer.data()["calendarEvents"][0]["startsAt"], "2027-03-10T17:30:00.000Z");
    app.events().await;
}
