//! Clients answer their forms: drafts and submissions; hidden answers are dropped, measurements recorded, flags shown
//! to staff only.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    forms::{give, published, questions, send_file},
    people, scenario, text,
};

/// A client with an account, and a form of a kind that is assigned to them.
struct Given {
    client: String,
    token: String,
    path: String,
    id: String,
}

impl Given {
    async fn new(app: &App, kind: &str, questions: Value) -> Self {
        let (client, token) = people::client(app).await;
        let form = published(app, kind, questions).await;
        let id = match kind {
            "checkup" => {
                let path = format!("/clients/{client}/checkups");
                let made = app.post(&path, json!({"formId": form})).await.ok();
                text(made.data(), "/checkup/checkupId")
            }
            _ => give(app, &client, &form).await,
        };
        app.events().await;
        let path = format!("/clients/{client}/form-assignments/{id}");
        Self { client, token, path, id }
    }

    async fn save(&self, app: &App, answers: Value) -> spotter_harness::Reply {
        let path = format!("{}/draft", self.path);
        app.app_as(&self.token, "PUT", &path, Some(json!({"answers": answers}))).await
    }

    async fn hand_in(&self, app: &App, answers: Value) -> spotter_harness::Reply {
        let path = format!("{}/submit", self.path);
        app.app_as(&self.token, "POST", &path, Some(json!({"answers": answers}))).await
    }
}

#[scenario]
async fn answers_are_drafted_and_submitted(app: App) {
    let given = Given::new(&app, "general", questions()).await;
    let path = format!("{}/draft", given.path);
    let response = app.app_as(&given.token, "GET", &path, None).await.ok();
    assert_eq!(
        response.data()["draft"]["missing"],
        json!([{"questionId": "mood", "rule": "must be answered"}])
    );
    assert_eq!(response.data()["draft"]["shown"], json!(["mood", "pain", "note"]));
    // Clients do not see flags for coaches.
    assert_eq!(response.data()["questions"][1]["options"][1].get("flag"), None);
    let response = given.save(&app, json!({"pain": "some", "note": " "})).await.ok();
    let draft = &response.data()["draft"];
    assert_eq!(draft["shown"], json!(["mood", "pain", "where", "note"]));
    assert_eq!(draft["answers"], json!({"pain": "some"}));
    assert_eq!(response.data()["formAssignment"]["status"], "in_progress");
    given.save(&app, json!({"pain": "some", "where": "Knee", "mood": 3})).await.ok();
    app.announced(&[]).await;
    // Hidden answers stay in the draft, and are dropped at submission.
    let saved = given.save(&app, json!({"pain": "none", "where": "Knee", "mood": 3})).await.ok();
    assert_eq!(saved.data()["draft"]["answers"]["where"], "Knee");
    let submit = format!("{}/submit", given.path);
    let handed = app.app_as(&given.token, "POST", &submit, None).await.ok();
    assert_eq!(handed.data()["formAssignment"]["status"], "submitted");
    assert_eq!(
        handed.data()["answers"],
        json!([
            {"questionId": "mood", "type": "scale", "label": "How do you feel?", "value": 3},
            {"questionId": "pain", "type": "single_choice", "label": "Any pain?", "value": "none"}
        ])
    );
    let response = app.announced(&["form.submitted"]).await;
    let submission = text(handed.data(), "/submission/submissionId");
    assert_eq!(
        (&response[0]["submissionId"], &response[0]["assignmentId"]),
        (&json!(submission), &json!(given.id))
    );
    let path = format!("/clients/{}/form-submissions", given.client);
    let seen = app.get(&format!("{path}/{submission}")).await.ok();
    assert_eq!(seen.data()["answers"][0]["flagged"], false);
    assert_eq!(app.get(&path).await.ok().data()["total"], 1);
    given.save(&app, json!({})).await.refused(409, "PUBLIC_API_ERROR").about("status");
    given.hand_in(&app, json!({"mood": 1})).await.refused(409, "PUBLIC_API_ERROR").about("status");
    app.announced(&[]).await;
}

#[scenario]
async fn answers_that_do_not_fit_are_refused(app: App) {
    let given = Given::new(&app, "intake", json!([
        {"questionId": "n", "type": "number", "label": "?", "max": 10},
        {"questionId": "w", "type": "measurement", "label": "?", "measurementType": "weight"},
        {"questionId": "bp", "type": "measurement", "label": "?", "measurementType": "blood_pressure"},
        {"questionId": "f", "type": "file", "label": "?"},
        {"questionId": "ok", "type": "consent", "label": "I agree.", "required": true}
    ]))
    .await;
    let nobodys = "0199aaaaaaaaaaaaaaaaaaaa";
    for (answers, field) in [
        (json!({"other": 1}), "answers.other"),
        (json!({"n": 11}), "answers.n"),
        (json!({"n": "1"}), "answers.n"),
        (json!({"w": 80}), "answers.w"),
        (json!({"w": {"value": 9_000, "unit": "kg"}}), "answers.w.value"),
        (json!({"w": {"value": 80, "unit": "stone"}}), "answers.w.unit"),
        (json!({"w": {"components": {"systolic": 120, "diastolic": 80}}}), "answers.w.value"),
        (
            json!({"bp": {"components": {"systolic": 80, "diastolic": 120}}}),
            "answers.bp.components.diastolic",
        ),
        (json!({"f": {"fileId": nobodys}}), "answers.f"),
        (json!({"f": {"uploadId": nobodys}}), "answers.f"),
        (json!({"f": "x"}), "answers.f"),
    ] {
        let refused = given.save(&app, answers.clone()).await;
        assert!((400..405).contains(&refused.status), "{answers}: {}", refused.body);
        refused.about(field);
    }
    given.hand_in(&app, json!({})).await.refused(400, "request.invalid").about("answers.ok");
    given
        .hand_in(&app, json!({"ok": false}))
        .await
        .refused(400, "request.invalid")
        .about("answers.ok");
    let path = format!("{}/draft", given.path);
    let response = app.app_as(&given.token, "GET", &path, None).await.ok();
    assert_eq!(
        (&response.data()["draft"]["savedAt"], &response.data()["formAssignment"]["status"]),
        (&Value::Null, &json!("assigned"))
    );
    given.hand_in(&app, json!({"ok": true})).await.ok();
    app.announced(&["intake.submitted"]).await;
}

#[scenario]
async fn measurements_are_recorded_and_corrected(app: App) {
    let weight = json!({"questionId": "w", "type": "measurement", "label": "?", "measurementType": "weight"});
    let given = Given::new(
        &app,
        "checkup",
        json!([weight, {"questionId": "n", "type": "text", "label": "?"}]),
    )
    .await;
    let goal = json!({"title": "Lighter", "kind": "measurement", "measurementType": "weight", "direction": "decrease",
        "targetValue": 75});
    app.post(&format!("/clients/{}/goals", given.client), goal).await.ok();
    app.events().await;
    given.hand_in(&app, json!({"w": {"value": 176.37, "unit": "lb"}})).await.ok();
    let response =
        app.announced(&["measurement.created", "goal.updated", "checkup.submitted"]).await;
    assert_eq!((&response[0]["source"], response[2].get("answers")), (&json!("form"), None));
    let latest = format!("/clients/{}/measurements/latest", given.client);
    let is = app.get(&latest).await.ok().data()["measurements"].clone();
    assert_eq!((&is[0]["value"], &is[0]["recordedByType"]), (&json!(80.0), &json!("client")));
    // Submitting again corrects the same measurement.
    app.app("POST", &format!("{}/reopen", given.path), None).await.ok();
    given.hand_in(&app, json!({"w": {"value": 79, "unit": "kg"}, "n": "Typo"})).await.ok();
    app.announced(&["measurement.updated", "goal.updated", "checkup.submitted"]).await;
    let now = app.get(&latest).await.ok().data()["measurements"].clone();
    assert_eq!(
        (&now[0]["value"], &now[0]["measurementId"]),
        (&json!(79.0), &is[0]["measurementId"])
    );
    let response = app.get(&format!("/checkups/{}", given.id)).await.ok();
    assert_eq!(response.data()["answers"][0]["value"], json!({"value": 79.0, "unit": "kg"}));
}

/// The content of a signed address.
async fn fetch(app: &App, url: &str) -> reqwest::Response {
    let path = &url[url.find("/files/").unwrap()..];
    app.server.request("GET", path).send().await.unwrap()
}

#[scenario]
async fn files_go_with_answers(app: App) {
    let given = Given::new(&app, "general", questions()).await;
    let (first, second) =
        (send_file(&app, &given.token).await, send_file(&app, &given.token).await);
    let answer = |upload: &str| json!({"mood": 3, "scan": {"uploadId": upload}});
    let saved = given.save(&app, answer(&first)).await.ok();
    let file = text(saved.data(), "/draft/answers/scan/fileId");
    // Saved in the same words once more, it is the same file; others take its place.
    let again = given.save(&app, answer(&first)).await.ok();
    assert_eq!(text(again.data(), "/draft/answers/scan/fileId"), file);
    let path = format!("/clients/{}/form-files/{file}", given.client);
    let response = app.app_as(&given.token, "GET", &path, None).await.ok();
    assert_eq!(
        (&response.data()["file"]["fileName"], &response.data()["file"]["sizeBytes"]),
        (&json!("résumé.pdf"), &json!(29))
    );
    let url = text(response.data(), "/file/url");
    let got = fetch(&app, &url).await;
    assert_eq!(got.headers()["content-type"], "application/pdf");
    assert_eq!(
        got.headers()["content-disposition"],
        "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf"
    );
    given.save(&app, answer(&second)).await.ok();
    app.app_as(&given.token, "GET", &path, None).await.refused(404, "resource.not_found");
    assert_eq!(fetch(&app, &url).await.status(), 404);
    // Another client's files, and deleted ones, do not exist.
    given.save(&app, answer(&first)).await.refused(404, "resource.not_found").about("answers.scan");
    let sent = send_file(&app, &app.coach_token).await;
    given.save(&app, answer(&sent)).await.refused(404, "resource.not_found");
    let handed =
        app.app_as(&given.token, "POST", &format!("{}/submit", given.path), None).await.ok();
    let file = text(handed.data(), "/answers/1/value/fileId");
    let path = format!("/clients/{}/form-files/{file}", given.client);
    let response = app.app("GET", &path, None).await.ok();
    assert_eq!(fetch(&app, &text(response.data(), "/file/url")).await.status(), 200);
    let (_, other) = people::client(&app).await;
    app.app_as(&other, "GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    // A new submission without the file keeps it in the earlier one.
    app.app("POST", &format!("{}/reopen", given.path), None).await.ok();
    given.hand_in(&app, json!({"mood": 3})).await.ok();
    app.app("GET", &path, None).await.ok();
}

#[scenario]
async fn submissions_are_reviewed_and_reopened(app: App) {
    let given = Given::new(&app, "checkup", questions()).await;
    let checkup = format!("/checkups/{}", given.id);
    let review = format!("{checkup}/review");
    app.post(&review, json!({})).await.refused(409, "PUBLIC_API_ERROR").about("status");
    given.hand_in(&app, json!({"mood": 1, "pain": "some", "where": "Knee"})).await.ok();
    let response = app.get(&checkup).await.ok();
    assert_eq!(
        (&response.data()["checkup"]["flagged"], &response.data()["answers"][1]["flagged"]),
        (&json!(true), &json!(true))
    );
    let first = text(response.data(), "/submission/submissionId");
    let own = app.app_as(&given.token, "GET", &checkup, None).await.ok();
    assert_eq!(own.data()["checkup"].get("flagged"), None);
    let response = app.post(&review, json!({"review": "Rest it."})).await.ok();
    let is = &response.data()["checkup"];
    assert_eq!(
        (&is["status"], &is["review"], &is["reviewedByType"]),
        (&json!("reviewed"), &json!("Rest it."), &json!("api_client"))
    );
    let at = is["reviewedAt"].clone();
    let response = app.post(&review, json!({"review": "Rest it."})).await.ok();
    assert_eq!(response.data()["checkup"]["reviewedAt"], at);
    let own = app.app_as(&given.token, "GET", &checkup, None).await.ok();
    assert_eq!(own.data()["checkup"]["review"], "Rest it.");
    let reopen = format!("{}/reopen", given.path);
    app.app_as(&given.token, "POST", &reopen, None).await.refused(403, "auth.forbidden");
    let response = app.app("POST", &reopen, None).await.ok();
    assert_eq!(response.data()["formAssignment"]["status"], "assigned");
    app.app("POST", &reopen, None).await.refused(409, "PUBLIC_API_ERROR").about("status");
    let path = format!("{}/draft", given.path);
    let response = app.app_as(&given.token, "GET", &path, None).await.ok();
    assert_eq!(response.data()["draft"]["answers"]["where"], "Knee");
    given.hand_in(&app, json!({"mood": 5, "pain": "none"})).await.ok();
    app.announced(&["checkup.submitted", "checkup.submitted"]).await;
    let response = app.get(&checkup).await.ok();
    let is = &response.data()["checkup"];
    assert_eq!(
        (&is["flagged"], &is["review"], &is["status"]),
        (&json!(false), &Value::Null, &json!("submitted"))
    );
    let before = app.get(&format!("{checkup}?submissionId={first}")).await.ok();
    assert_eq!(before.data()["answers"][0]["value"], 1);
    app.get(&format!("/intakes/{}", given.id)).await.refused(404, "resource.not_found");
    // A check-up is cancelled as one; this one was answered.
    app.act(&format!("{checkup}/cancel")).await.refused(409, "PUBLIC_API_ERROR").about("status");
    app.act(&format!("{}/cancel", given.path)).await.refused(404, "resource.not_found");
}

#[scenario]
async fn each_sees_their_own(app: App) {
    let given = Given::new(&app, "intake", questions()).await;
    let (other, token) = people::client(&app).await;
    let draft = format!("{}/draft", given.path);
    app.app_as(&token, "GET", &draft, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let stolen = format!("/clients/{other}/form-assignments/{}/draft", given.id);
    app.app_as(&token, "GET", &stolen, None).await.refused(404, "resource.not_found");
    let intake = format!("/intakes/{}", given.id);
    app.app_as(&token, "GET", &intake, None).await.refused(404, "resource.not_found");
    app.app_as(&given.token, "GET", &intake, None).await.ok();
    for (token, count) in [(&token, 0), (&given.token, 1)] {
        let response = app.app_as(token, "GET", "/intakes", None).await.ok();
        assert_eq!(response.data()["total"], count);
    }
    let definitions = app.token_with(&["forms:read"]).await;
    for path in [intake.as_str(), "/checkups"] {
        let reply = spotter_harness::send(
            app.server.request("GET", &format!("/public/v1{path}")).bearer_auth(&definitions),
        )
        .await;
        reply.refused(403, "scopes.insufficient");
    }
    let stranger = App::new(app.server.clone()).await;
    stranger.get(&intake).await.refused(404, "resource.not_found");
}

#[scenario]
async fn archived_clients_get_no_forms(app: App) {
    let given = Given::new(&app, "intake", questions()).await;
    let form = published(&app, "checkup", questions()).await;
    let path = format!("/clients/{}/checkups", given.client);
    let new = json!({"formId": form, "recurrence": {"frequency": "monthly"}});
    app.post(&path, new.clone()).await.ok();
    given.save(&app, json!({"mood": 1})).await.ok();
    app.act(&format!("/clients/{}/archive", given.client)).await.ok();
    for status in ["assigned", "in_progress"] {
        let path = format!("/clients/{}/form-assignments?status={status}", given.client);
        assert_eq!(app.get(&path).await.ok().data()["total"], 0);
    }
    let response = app.get(&format!("/clients/{}/checkup-series", given.client)).await.ok();
    let series = &response.data()["checkupSeries"][0];
    assert_eq!((&series["status"], &series["nextDate"]), (&json!("ended"), &Value::Null));
    app.post(&path, new).await.refused(409, "PUBLIC_API_ERROR").about("clientId");
}
