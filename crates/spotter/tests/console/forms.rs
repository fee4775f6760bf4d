//! Forms on pages: written by staff, filled in by clients, read by staff.

use serde_json::json;
use spotter_harness::{App, browser::Browser, forms::give, people, scenario, text};

#[scenario]
async fn a_form_is_written_filled_in_and_read(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/forms").await.is(200);
    let new = page.form("create_form").with("name", "Knee check").with("kind", "general");
    let mut page = browser.act(new).await;
    let id = text(app.get("/forms").await.data(), "/forms/0/formId");
    for (label, more) in [
        (
            "Does it hurt?",
            [("question.type", "single_choice"), ("question.options", "No\n! Both knees")],
        ),
        ("Since when?", [("question.type", "text"), ("question.shownIf", "does_it_hurt")]),
    ] {
        let is_editor =
            |form: &spotter_harness::browser::Form| form.field("questions:question").is_some();
        let added = page.forms().into_iter().rfind(is_editor);
        let mut form = added.unwrap().with("question.label", label);
        for (name, value) in more {
            form = form.with(name, value);
        }
        page = browser.act(form).await.shows(label);
    }
    // An empty label is refused at its field, and typed values stay.
    let empty = page.forms().into_iter().rfind(|form| form.field("questions:question").is_some());
    let long = "x".repeat(501);
    let refused = browser.send(empty.unwrap().with("question.label", &long)).await;
    refused.is(422).shows("role=\"alert\"").shows(&long);
    browser.act(page.form("publish_form")).await.shows("Published.");
    let answer = app.get(&format!("/forms/{id}")).await.ok();
    let questions = &answer.data()["formVersion"]["questions"];
    assert_eq!(
        questions[0]["options"][1],
        json!({"optionId": "both_knees", "label": "Both knees", "flag": true})
    );
    assert_eq!(questions[1]["showWhen"]["all"][0]["questionId"], "does_it_hurt");

    let (client, token) = people::client(&app).await;
    let given = give(&app, &client, &id).await;
    let path = format!("/clients/{client}/form-assignments/{given}");
    let answers = json!({"answers": {"does_it_hurt": "both_knees", "since_when": "Yesterday"}});
    app.app_as(&token, "PUT", &format!("{path}/draft"), Some(answers)).await.ok();
    app.app_as(&token, "POST", &format!("{path}/submit"), None).await.ok();
    let list = browser.get(&format!("/console/clients/{client}/forms")).await.is(200);
    let address = format!("/console/clients/{client}/forms/{given}");
    assert!(list.links().contains(&address), "{}", list.main());
    let page = browser.get(&address).await.is(200).shows("Yesterday").shows("Both knees");
    assert!(page.text.contains("state bad"), "what is flagged is marked: {}", page.main());
    app.events().await;
}

#[scenario]
async fn hours_of_a_coach_are_set(app: App) {
    let (coach, _) = people::coach(&app, "Coach").await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/settings/coaches/{coach}");
    let page = browser.get(&path).await.is(200);
    let form = page.form("set_coach_availability");
    let form = form.with("-hours.1.0.startTime", "09:00").with("-hours.1.0.endTime", "12:00");
    let form = form.with("-hours.1.1.startTime", "13:00").with("-hours.1.1.endTime", "17:30");
    browser.act(form).await.shows("13:00–17:30");
    let answer = app.get(&format!("/coaches/{coach}/availability")).await.ok();
    let weekly = answer.data()["availability"]["weekly"].as_array().unwrap().clone();
    assert_eq!(weekly.len(), 2);
    assert_eq!((&weekly[1]["weekday"], &weekly[1]["endTime"]), (&json!(1), &json!("17:30")));
    let wrong = browser.get(&path).await.form("set_coach_availability");
    let wrong = wrong.with("-hours.2.0.startTime", "25:00").with("-hours.2.0.endTime", "26:00");
    browser.send(wrong).await.is(422).shows("role=\"alert\"");
    app.events().await;
}
