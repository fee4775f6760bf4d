//! Check-ups: assigned, moved, cancelled, expired, and recurring at the client's wall-clock time.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    forms::{published, questions},
    scenario, text,
    travel::{Travel, travelling},
};

#[scenario]
async fn checkups_are_moved_and_called_off(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let form = published(&app, "checkup", questions()).await;
    app.events().await;
    let due = "2030-01-01T09:00:00.000Z";
    let new = json!({"formId": form, "dueAt": due, "message": "Your week?"});
    let made = app.post(&format!("/clients/{client}/checkups"), new).await.ok();
    let response = app.announced(&["checkup.assigned"]).await;
    assert_eq!((&response[0]["dueAt"], response[0].get("message")), (&json!(due), None));
    let path = format!("/checkups/{}", text(made.data(), "/checkup/checkupId"));
    let response = app.patch(&path, json!({"dueAt": null, "expiresAt": due})).await.ok();
    let is = &response.data()["checkup"];
    assert_eq!((&is["dueAt"], &is["expiresAt"]), (&Value::Null, &json!(due)));
    let later = json!({"dueAt": "2030-01-02T09:00:00Z"});
    app.patch(&path, later)
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID")
        .about("expiresAt");
    app.patch(&path, json!({"dueAt": "2020-01-02T09:00:00Z"}))
        .await
        .refused(400, "request.invalid")
        .about("dueAt");
    let response = app.act(&format!("{path}/cancel")).await.ok();
    assert_eq!(response.data()["checkup"]["status"], "cancelled");
    app.act(&format!("{path}/cancel")).await.ok();
    app.patch(&path, json!({"dueAt": null})).await.refused(409, "PUBLIC_API_ERROR").about("status");
    assert_eq!(
        app.get(&format!("/checkups?clientId={client}&status=cancelled")).await.ok().data()["total"],
        1
    );
    assert_eq!(app.get("/checkups?status=assigned").await.ok().data()["total"], 0);
    app.announced(&[]).await;
}

#[scenario]
async fn contradictions_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let form = published(&app, "checkup", questions()).await;
    let other = published(&app, "intake", questions()).await;
    let path = format!("/clients/{client}/checkups");
    let weekly = |more: Value| {
        let mut recurrence = json!({"frequency": "weekly"});
        recurrence.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"formId": form, "recurrence": recurrence})
    };
    for (body, field) in [
        (json!({"formId": other}), "formId"),
        (json!({"formId": form, "dueAt": "2020-01-01T00:00:00Z"}), "dueAt"),
        (json!({"formId": form, "expiresAt": "2070-01-01T00:00:00Z"}), "expiresAt"),
        (weekly(json!({"interval": 0})), "recurrence.interval"),
        (weekly(json!({"until": "2020-01-01"})), "recurrence.until"),
        (
            json!({"formId": form, "expiresAt": "2030-01-01T00:00:00Z", "recurrence": {"frequency": "weekly"}}),
            "expiresAt",
        ),
    ] {
        app.post(&path, body).await.refused(400, "request.invalid").about(field);
    }
    let nobodys = json!({"formId": "0199aaaaaaaaaaaaaaaaaaaa"});
    app.post(&path, nobodys).await.refused(404, "resource.not_found").about("formId");
    let path = format!("/clients/{client}/form-assignments");
    app.post(&path, json!({"formId": form})).await.refused(400, "request.invalid").about("formId");
}

async fn checkups(app: &App, client: &str) -> Vec<Value> {
    let response = app.get(&format!("/checkups?clientId={client}")).await.ok();
    response.data()["checkups"].as_array().unwrap().clone()
}

#[scenario(process, clock)]
fn checkups_recur_by_the_wall_clock(engine: Engine) {
    // The Sunday between is the one on which the clocks of New York go back, a week after those of Europe.
    travelling(engine, "2027-10-27T13:30:00Z", async |mut travel: Travel| {
        let new = json!({"firstName": "Ann", "timeZone": "America/New_York"});
        let client = travel.app.new_client(new).await;
        let form = published(&travel.app, "checkup", questions()).await;
        let new = json!({"formId": form, "dueAt": "2027-10-28T22:00:00Z", "message": "Your week?",
            "recurrence": {"frequency": "weekly", "until": "2027-11-17"}});
        travel.app.post(&format!("/clients/{client}/checkups"), new).await.ok();
        travel.app.events().await;
        travel.to("2027-11-03T13:29:00Z").await;
        assert_eq!(checkups(&travel.app, &client).await.len(), 1);
        travel.to("2027-11-03T13:31:00Z").await;
        let response = travel.app.announced(&["checkup.assigned"]).await;
        assert_eq!(response[0]["dueAt"], "2027-11-04T22:00:00.000Z");
        let all = checkups(&travel.app, &client).await;
        assert_eq!(
            (&all[0]["message"], &all[1]["status"]),
            (&json!("Your week?"), &json!("expired"))
        );
        // Half past nine on the wall is an hour later once the clocks went back.
        travel.to("2027-11-10T14:29:00Z").await;
        assert_eq!(checkups(&travel.app, &client).await.len(), 2);
        travel.to("2027-11-10T14:31:00Z").await;
        let response = travel.app.announced(&["checkup.assigned"]).await;
        assert_eq!(response[0]["dueAt"], "2027-11-11T23:00:00.000Z");
        travel.to("2027-12-31T12:00:00Z").await;
        assert_eq!(
            checkups(&travel.app, &client).await.len(),
            4,
            "the last is that of the last date"
        );
        let response = travel.app.get(&format!("/clients/{client}/checkup-series")).await.ok();
        assert_eq!(response.data()["checkupSeries"][0]["status"], "ended");
    });
}

#[scenario(process, clock)]
fn a_late_timer_assigns_one_checkup(engine: Engine) {
    travelling(engine, "2027-01-31T10:00:00Z", async |mut travel: Travel| {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let form = published(&travel.app, "checkup", questions()).await;
        let new = json!({"formId": form, "recurrence": {"frequency": "monthly"}});
        let made = travel.app.post(&format!("/clients/{client}/checkups"), new).await.ok();
        let series = text(made.data(), "/checkup/seriesId");
        let now = spotter_kernel::Timestamp::parse("2027-06-29T12:00:00Z").unwrap();
        travel.leap(now).await;
        assert_eq!(
            checkups(&travel.app, &client).await.len(),
            2,
            "the last of those that were missed"
        );
        travel.to("2027-06-30T12:00:00Z").await;
        assert_eq!(checkups(&travel.app, &client).await.len(), 3);
        travel.app.act(&format!("/clients/{client}/checkup-series/{series}/end")).await.ok();
        travel.to("2027-09-30T12:00:00Z").await;
        let all = checkups(&travel.app, &client).await;
        assert_eq!(
            (all.len(), &all[0]["status"]),
            (3, &json!("assigned")),
            "the last can be answered"
        );
    });
}

#[scenario(process, clock)]
fn late_requests_expire(engine: Engine) {
    travelling(engine, "2027-01-31T10:00:00Z", async |mut travel: Travel| {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let form = published(&travel.app, "checkup", questions()).await;
        let new = json!({"formId": form, "expiresAt": "2027-02-01T10:00:00Z"});
        let made = travel.app.post(&format!("/clients/{client}/checkups"), new).await.ok();
        let id = text(made.data(), "/checkup/checkupId");
        let given = format!("/clients/{client}/form-assignments/{id}");
        let answers = json!({"answers": {"mood": 2}});
        travel.app.app("PUT", &format!("{given}/draft"), Some(answers.clone())).await.ok();
        travel.app.events().await;
        travel.to("2027-02-01T10:01:00Z").await;
        assert_eq!(checkups(&travel.app, &client).await[0]["status"], "expired");
        let submit = format!("{given}/submit");
        travel
            .app
            .app("POST", &submit, None)
            .await
            .refused(409, "PUBLIC_API_ERROR")
            .about("status");
        // A reopened assignment still has its draft.
        travel.app.app("POST", &format!("{given}/reopen"), None).await.ok();
        travel.app.app("POST", &submit, None).await.ok();
        travel.app.announced(&["checkup.submitted"]).await;
        let response = travel.app.get(&format!("/checkups/{id}")).await.ok();
        assert_eq!(response.data()["answers"][0]["value"], 2);
    });
}
