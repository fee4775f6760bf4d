//! Goals: they follow their source, are achieved once, and are missed when their time is over.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    dates::{ago, day},
    people,
    progress::{aim, goal, measure, take_up},
    scenario, text,
    travel::{Travel, travelling},
};

#[scenario]
async fn goals_follow_measurements_and_corrections(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    measure(&app, &client, json!({"type": "weight", "value": 80, "measuredAt": ago(3_000)})).await;
    app.events().await;
    let lighter = json!({"kind": "measurement", "measurementType": "weight", "targetValue": 75, "startDate": day(-1)});
    let made = aim(&app, &client, lighter).await;
    assert_eq!((&made["direction"], &made["startValue"]), (&json!("decrease"), &json!(80.0)));
    app.announced(&["goal.updated"]).await;
    let newer = measure(&app, &client, json!({"type": "weight", "value": 78})).await;
    let response = app.announced(&["measurement.created", "goal.updated"]).await;
    assert_eq!(response[1]["changedFields"], json!(["currentValue", "progressPercent"]));
    assert_eq!(response[1].get("currentValue"), None);
    let is = goal(&app, &client, &made).await;
    assert_eq!(
        (&is["currentValue"], &is["progressPercent"], &is["unit"]),
        (&json!(78.0), &json!(40), &json!("kg"))
    );
    // Older values, and those before its start, change nothing.
    measure(&app, &client, json!({"type": "weight", "value": 70, "measuredAt": ago(30)})).await;
    measure(&app, &client, json!({"type": "weight", "value": 60, "measuredAt": ago(9_000)})).await;
    measure(&app, &client, json!({"type": "waist", "value": 90})).await;
    app.announced(&["measurement.created"; 3]).await;
    let path = format!("/clients/{client}/measurements/{}", text(&newer, "/measurementId"));
    app.patch(&path, json!({"value": 77})).await.ok();
    app.announced(&["measurement.updated", "goal.updated"]).await;
    assert_eq!(goal(&app, &client, &made).await["progressPercent"], 60);
    app.patch(&path, json!({"note": "x"})).await.ok();
    app.announced(&["measurement.updated"]).await;
    let query = format!("/clients/{client}/goals/{}?units=imperial", text(&made, "/goalId"));
    let response = app.get(&query).await.ok();
    let response = &response.data()["goal"];
    assert_eq!((&response["targetValue"], &response["unit"]), (&json!(165.35), &json!("lb")));
}

#[scenario]
async fn achieved_goals_stay_achieved(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let lighter = json!({"kind": "measurement", "measurementType": "weight", "direction": "decrease",
        "targetValue": 165, "unit": "lb"});
    let made = aim(&app, &client, lighter).await;
    assert_eq!((&made["startValue"], &made["targetValue"]), (&Value::Null, &json!(74.84)));
    measure(&app, &client, json!({"type": "weight", "value": 80})).await;
    assert_eq!(goal(&app, &client, &made).await["startValue"], 80.0);
    let light = measure(&app, &client, json!({"type": "weight", "value": 165, "unit": "lb"})).await;
    let is = goal(&app, &client, &made).await;
    assert_eq!((&is["status"], &is["progressPercent"]), (&json!("achieved"), &json!(100)));
    assert!(is["achievedAt"].is_string());
    app.events().await;
    let path = format!("/clients/{client}/measurements/{}", text(&light, "/measurementId"));
    app.delete(&path).await.ok();
    app.announced(&["measurement.updated"]).await;
    assert_eq!(goal(&app, &client, &made).await, is);
    let path = format!("/clients/{client}/goals/{}", text(&made, "/goalId"));
    for change in [json!({"status": "abandoned"}), json!({"targetValue": 70})] {
        app.patch(&path, change).await.refused(409, "PUBLIC_API_ERROR").about("status");
    }
    app.patch(&path, json!({"title": "Done"})).await.ok();
    app.announced(&["goal.updated"]).await;
}

#[scenario]
async fn goals_count_workouts_and_habits(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let often = json!({"kind": "sessions", "targetValue": 2, "startDate": day(-3)});
    let often = aim(&app, &client, often).await;
    let habit = take_up(&app, &client, json!({"name": "Water", "startDate": day(-3)})).await;
    let dry = json!({"kind": "habit", "habitId": habit, "targetValue": 2, "startDate": day(-3)});
    let dry = aim(&app, &client, dry).await;
    app.events().await;
    let sessions = format!("/workout/clients/{client}/plans/sessions");
    let begun = app.post(&sessions, json!({"startedAt": ago(20)})).await.ok();
    app.announced(&[]).await;
    let session = format!("{sessions}/{}", text(begun.data(), "/session/sessionId"));
    app.act(&format!("{session}/complete")).await.ok();
    app.announced(&["goal.updated"]).await;
    app.act(&format!("{session}/complete")).await.ok();
    app.announced(&[]).await;
    let is = goal(&app, &client, &often).await;
    assert_eq!(
        (&is["currentValue"], &is["progressPercent"], &is["unit"]),
        (&json!(1.0), &json!(50), &json!("sessions"))
    );
    app.delete(&session).await.ok();
    app.announced(&["goal.updated"]).await;
    assert_eq!(goal(&app, &client, &often).await["progressPercent"], 0);
    for _ in 0..2 {
        let over = json!({"startedAt": ago(20), "completedAt": ago(10)});
        app.post(&sessions, over).await.ok();
        app.announced(&["goal.updated"]).await;
    }
    assert_eq!(goal(&app, &client, &often).await["status"], "achieved");
    let entry = |days| format!("/clients/{client}/habits/{habit}/entries/{}", day(days));
    app.put(&entry(-2), json!({})).await.ok();
    app.announced(&["habit_entry.created", "goal.updated"]).await;
    app.put(&entry(-2), json!({"status": "missed"})).await.ok();
    app.announced(&["goal.updated"]).await;
    assert_eq!(goal(&app, &client, &dry).await["currentValue"], 0.0);
}

#[scenario]
async fn manual_goal_values_count(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"kind": "custom", "startValue": 5, "targetValue": 0, "unit": "cigarettes"});
    let made = aim(&app, &client, new).await;
    assert_eq!((&made["direction"], &made["currentValue"]), (&json!("decrease"), &json!(5.0)));
    let path = format!("/clients/{client}/goals/{}", text(&made, "/goalId"));
    app.events().await;
    let response = app.patch(&path, json!({"currentValue": 2.5})).await.ok();
    assert_eq!(response.data()["goal"]["progressPercent"], 50);
    app.patch(&path, json!({"currentValue": 2.5})).await.ok();
    app.announced(&["goal.updated"]).await;
    app.patch(&path, json!({"status": "abandoned"})).await.ok();
    app.patch(&path, json!({"currentValue": 1}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("status");
    app.patch(&path, json!({"status": "active", "currentValue": 1})).await.ok();
    let response = app.patch(&path, json!({"status": "achieved"})).await.ok();
    assert_eq!(response.data()["goal"]["progressPercent"], 100);
    let all = format!("/clients/{client}/goals");
    for (status, total) in [("achieved", 1), ("active", 0)] {
        let response = app.get(&format!("{all}?status={status}")).await.ok();
        assert_eq!(response.data()["total"], total);
    }
}

#[scenario]
async fn contradictions_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    measure(&app, &client, json!({"type": "weight", "value": 80})).await;
    let all = format!("/clients/{client}/goals");
    for (facts, field) in [
        (json!({"kind": "measurement", "targetValue": 75}), "measurementType"),
        (
            json!({"kind": "measurement", "measurementType": "blood_pressure", "targetValue": 75}),
            "measurementType",
        ),
        (
            json!({"kind": "measurement", "measurementType": "weight", "targetValue": 80}),
            "targetValue",
        ),
        (
            json!({"kind": "measurement", "measurementType": "weight", "targetValue": 85, "direction": "decrease"}),
            "targetValue",
        ),
        (
            json!({"kind": "measurement", "measurementType": "waist", "targetValue": 80}),
            "direction",
        ),
        (
            json!({"kind": "measurement", "measurementType": "weight", "targetValue": 8000}),
            "targetValue",
        ),
        (
            json!({"kind": "measurement", "measurementType": "weight", "targetValue": 79, "direction": "maintain"}),
            "tolerance",
        ),
        (json!({"kind": "sessions", "targetValue": 1.5}), "targetValue"),
        (
            json!({"kind": "sessions", "targetValue": 5, "measurementType": "weight"}),
            "measurementType",
        ),
        (json!({"kind": "habit", "targetValue": 5}), "habitId"),
        (json!({"kind": "custom", "targetValue": 5}), "direction"),
        (
            json!({"kind": "sessions", "targetValue": 5, "dueDate": "2026-01-01", "startDate": "2025-12-01"}),
            "dueDate",
        ),
    ] {
        let mut body = json!({"title": "Goal"});
        body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
        app.post(&all, body.clone()).await.refused(400, "request.invalid").about(field);
    }
    let none =
        json!({"title": "Goal", "kind": "habit", "habitId": "0".repeat(24), "targetValue": 5});
    app.post(&all, none).await.refused(404, "resource.not_found").about("habitId");
    app.events().await;
    let stay = json!({"kind": "measurement", "measurementType": "weight", "targetValue": 176, "unit": "lb",
        "direction": "maintain", "tolerance": 2});
    let made = aim(&app, &client, stay).await;
    assert_eq!((&made["tolerance"], &made["progressPercent"]), (&json!(0.91), &json!(100)));
    measure(&app, &client, json!({"type": "weight", "value": 85})).await;
    assert_eq!(goal(&app, &client, &made).await["progressPercent"], 50);
}

#[scenario]
async fn clients_set_goals_and_change_their_own(app: App) {
    let (client, token) = people::client(&app).await;
    let coachs = aim(&app, &client, json!({"kind": "sessions", "targetValue": 5})).await;
    let all = format!("/clients/{client}/goals");
    let new = json!({"title": "Mine", "kind": "sessions", "targetValue": 3});
    let own = app.app_as(&token, "POST", &all, Some(new)).await.ok();
    let path = |goal: &Value| format!("{all}/{}", text(goal, "/goalId"));
    let change = Some(json!({"status": "abandoned"}));
    let refused = app.app_as(&token, "PATCH", &path(&coachs), change.clone()).await;
    refused.refused(403, "auth.forbidden");
    app.app_as(&token, "PATCH", &path(&own.data()["goal"]), change).await.ok();
    let response = app.app_as(&token, "GET", &all, None).await.ok();
    assert_eq!(response.data()["total"], 2);
}

#[scenario(process, clock)]
fn late_clients_miss_the_class(engine: Engine) {
    travelling(engine, "2026-03-02T09:00:00Z", |mut travel: Travel| async move {
        let client = json!({"firstName": "Ann", "timeZone": "America/New_York"});
        let client = travel.app.new_client(client).await;
        let due = json!({"kind": "sessions", "targetValue": 5, "dueDate": "2026-03-03"});
        let late = aim(&travel.app, &client, due.clone()).await;
        let given_up = aim(&travel.app, &client, due).await;
        let path = format!("/clients/{client}/goals/{}", text(&given_up, "/goalId"));
        travel.app.patch(&path, json!({"status": "abandoned"})).await.ok();
        measure(&travel.app, &client, json!({"type": "weight", "value": 80})).await;
        let stay = json!({"kind": "measurement", "measurementType": "weight", "targetValue": 79.5,
            "direction": "maintain", "tolerance": 1, "dueDate": "2026-03-03"});
        let stays = aim(&travel.app, &client, stay).await;
        travel.app.events().await;
        travel.to("2026-03-04T04:59:00Z").await;
        assert_eq!(goal(&travel.app, &client, &late).await["status"], "active");
        travel.to("2026-03-04T05:00:00Z").await;
        let status = async |one: &Value| text(&goal(&travel.app, &client, one).await, "/status");
        assert_eq!(status(&late).await, "missed");
        assert_eq!(status(&given_up).await, "abandoned");
        assert_eq!(status(&stays).await, "achieved");
        travel.app.announced(&["goal.updated"; 2]).await;
        // More time makes it one to be reached again.
        let path = format!("/clients/{client}/goals/{}", text(&late, "/goalId"));
        let over = travel.app.patch(&path, json!({"status": "active"})).await;
        over.refused(400, "request.invalid").about("dueDate");
        let more = json!({"status": "active", "dueDate": "2026-04-01"});
        travel.app.patch(&path, more).await.ok();
        assert_eq!(status(&late).await, "active");
    });
}

#[scenario]
async fn correcting_a_value_reopens_a_goal(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    measure(&app, &client, json!({"type": "weight", "value": 80, "measuredAt": ago(3_000)})).await;
    let lighter = json!({"kind": "measurement", "measurementType": "weight", "targetValue": 75, "startDate": day(-1)});
    let made = aim(&app, &client, lighter).await;
    let wrong =
        measure(&app, &client, json!({"type": "weight", "value": 7.8e1, "measuredAt": ago(60)}))
            .await;
    let path = format!("/clients/{client}/measurements/{}", text(&wrong, "/measurementId"));
    app.patch(&path, json!({"value": 70})).await.ok();
    assert_eq!(goal(&app, &client, &made).await["status"], "achieved");
    let own = format!("/clients/{client}/goals/{}", text(&made, "/goalId"));
    // With the same value it is achieved again at once.
    app.patch(&own, json!({"status": "active"})).await.ok();
    assert_eq!(goal(&app, &client, &made).await["status"], "achieved");
    app.delete(&path).await.ok();
    app.patch(&own, json!({"status": "abandoned"})).await.refused(409, "PUBLIC_API_ERROR");
    app.patch(&own, json!({"status": "active"})).await.ok();
    let is = goal(&app, &client, &made).await;
    assert_eq!(
        (&is["status"], &is["achievedAt"], &is["progressPercent"]),
        (&json!("active"), &Value::Null, &json!(0))
    );
    assert_eq!(is["currentValue"], json!(80.0), "it is where it began");
    app.events().await;
}
