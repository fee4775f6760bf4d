//! Forms: written, published and archived; published versions never change.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    forms::{NOTE, give, new_form, published, questions},
    people, scenario,
};

async fn of_version(app: &App, form: &str, version: i64) -> Value {
    let response = app.get(&format!("/forms/{form}?version={version}")).await.ok();
    response.data()["formVersion"].clone()
}

#[scenario]
async fn published_versions_never_change(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.events().await;
    let form = new_form(&app, "general", questions()).await;
    let path = format!("/forms/{form}");
    let response = app.get(&path).await.ok();
    let is = &response.data()["form"];
    assert_eq!(
        (&is["status"], &is["version"], &is["draftVersion"]),
        (&json!("draft"), &Value::Null, &json!(1))
    );
    let to = format!("/clients/{client}/form-assignments");
    app.post(&to, json!({"formId": form})).await.refused(409, "PUBLIC_API_ERROR").about("formId");
    let response = app.app("POST", &format!("{path}/publish"), None).await.ok();
    assert_eq!(response.data()["form"]["version"], 1);
    assert!(response.data()["formVersion"]["publishedAt"].is_string());
    let first = give(&app, &client, &form).await;
    let before = of_version(&app, &form, 1).await;
    // Changes make the next version, which is not assigned before it is published.
    let change = json!({"name": "Hello", "questions": [NOTE.clone()]});
    let response = app.app("PATCH", &path, Some(change)).await.ok();
    assert_eq!(response.data()["form"]["draftVersion"], 2);
    assert_eq!(of_version(&app, &form, 1).await, before);
    let second = give(&app, &client, &form).await;
    let request = async |given: &str| {
        let path = format!("/clients/{client}/form-assignments/{given}/draft");
        let response = app.app("GET", &path, None).await.ok();
        (
            response.data()["formAssignment"]["formVersion"].clone(),
            response.data()["questions"].as_array().unwrap().len(),
        )
    };
    assert_eq!(request(&second).await, (json!(1), 5));
    app.app("POST", &format!("{path}/publish"), None).await.ok();
    let third = give(&app, &client, &form).await;
    assert_eq!((request(&first).await, request(&third).await), ((json!(1), 5), (json!(2), 1)));
    assert_eq!(of_version(&app, &form, 1).await, before);
    // Publishing again without changes keeps the version.
    app.app("POST", &format!("{path}/publish"), None).await.ok();
    app.app("PATCH", &path, Some(json!({"questions": [NOTE.clone()]}))).await.ok();
    let response = app.get(&path).await.ok();
    let is = &response.data()["form"];
    assert_eq!(
        (&is["name"], &is["version"], &is["draftVersion"]),
        (&json!("Hello"), &json!(2), &Value::Null)
    );
    // An id keeps its type, in all versions there ever were.
    let other = json!({"questions": [{"questionId": "mood", "type": "text", "label": "?"}]});
    app.app("PATCH", &path, Some(other))
        .await
        .refused(400, "request.invalid")
        .about("questions[0].questionId");
    app.app("POST", &format!("{path}/archive"), None).await.ok();
    app.post(&to, json!({"formId": form})).await.refused(409, "PUBLIC_API_ERROR").about("formId");
    app.app("PATCH", &path, Some(json!({"name": "x"})))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("status");
    assert_eq!(request(&third).await, (json!(2), 1));
    let response = app.get("/forms?status=archived&kind=general").await.ok();
    assert_eq!(response.data()["total"], 1);
    app.announced(&["form.assigned"; 3]).await;
}

#[scenario]
async fn forms_that_make_no_sense_are_refused(app: App) {
    let call = async |kind: &str, question: Value| {
        let new = json!({"name": "x", "kind": kind, "questions": [question]});
        app.app("POST", "/forms", Some(new)).await
    };
    let weight = json!({"questionId": "w", "type": "measurement", "measurementType": "weight", "label": "?"});
    call("general", weight.clone())
        .await
        .refused(400, "request.invalid")
        .about("questions[0].measurementType");
    call("checkup", weight.clone()).await.ok();
    let mut unknown = weight;
    unknown["measurementType"] = json!("aura");
    call("intake", unknown)
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM")
        .about("questions[0].measurementType");
    let mut wrong = NOTE.clone();
    wrong["questionId"] = json!("a b");
    call("intake", wrong.clone())
        .await
        .refused(400, "request.invalid")
        .about("questions[0].questionId");
    wrong["questionId"] = json!("n");
    wrong["colour"] = json!("red");
    call("intake", wrong.clone()).await.refused(400, "request.invalid");
    wrong["colour"].take();
    wrong["type"] = json!("mood");
    wrong.as_object_mut().unwrap().remove("colour");
    call("intake", wrong).await.refused(400, "PUBLIC_API_INVALID_ENUM");
    let form =
        new_form(&app, "general", json!([{"questionId": "s", "type": "statement", "label": "Hi"}]))
            .await;
    let path = format!("/forms/{form}/publish");
    app.app("POST", &path, None).await.refused(409, "PUBLIC_API_ERROR").about("questions");
    let many: Vec<Value> = (0..201)
        .map(|number| json!({"questionId": format!("q{number}"), "type": "text", "label": "?"}))
        .collect();
    let new = json!({"name": "x", "kind": "general", "questions": many});
    app.app("POST", "/forms", Some(new)).await.refused(400, "request.invalid");
    let large = "x".repeat(1_900);
    let many: Vec<Value> = (0..180)
        .map(|number| json!({"questionId": format!("q{number}"), "type": "text", "label": "?", "help": large}))
        .collect();
    let new = json!({"name": "x", "kind": "general", "questions": many});
    app.app("POST", "/forms", Some(new)).await.refused(400, "request.invalid").about("questions");
}

#[scenario]
async fn forms_require_permission(app: App) {
    let form = published(&app, "general", questions()).await;
    let (_, client) = people::client(&app).await;
    let new = json!({"name": "x", "kind": "general"});
    app.app_as(&client, "POST", "/forms", Some(new.clone())).await.refused(403, "auth.forbidden");
    app.app_as(&client, "GET", &format!("/forms/{form}"), None)
        .await
        .refused(403, "auth.forbidden");
    let (_, coach) = people::coach(&app, "Coach").await;
    let made = app.app_as(&coach, "POST", "/forms", Some(new)).await.ok();
    assert_eq!(made.data()["form"]["createdByType"], "coach");
    let other = App::new(app.server.clone()).await;
    other.get(&format!("/forms/{form}")).await.refused(404, "resource.not_found");
}
