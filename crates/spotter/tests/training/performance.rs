//! Training records, volumes and estimates.

use serde_json::{Value, json};
use spotter_harness::{
    App, scenario, text,
    training::{SQUAT, did, lifted},
};

use super::sessions::new_client;

/// The records of an exercise: type to value, and the session that holds it.
async fn records(
    app: &App,
    path: &str,
    exercise: &str,
) -> std::collections::BTreeMap<String, (f64, String)> {
    let reply = app.get(&format!("{path}/personal-records?exerciseId={exercise}")).await.ok();
    let records =
        reply.data()["personalRecords"][0]["records"].as_array().cloned().unwrap_or_default();
    records
        .iter()
        .map(|record| {
            (text(record, "/type"), (record["value"].as_f64().unwrap(), text(record, "/sessionId")))
        })
        .collect()
}

#[scenario]
async fn records_follow_every_edit(app: App) {
    let (client, path) = new_client(&app).await;
    let first = did(&app, &client, 300, json!([lifted(SQUAT, &[(100.0, 5), (90.0, 10)])])).await;
    let second = did(&app, &client, 200, json!([lifted(SQUAT, &[(110.0, 3), (60.0, 20)])])).await;
    let response = records(&app, &path, SQUAT).await;
    for (kind, value, session) in [
        ("max_weight", 110.0, &second),
        ("1rm", 110.0, &second),
        ("3rm", 110.0, &second),
        ("5rm", 100.0, &first),
        ("10rm", 90.0, &first),
        ("max_reps", 20.0, &second),
        ("max_volume", 1530.0, &second),
        ("estimated_1rm", 121.0, &second),
    ] {
        // 110 · (1 + 3/30) = 121; 90 · (1 + 10/30) = 120.
        assert_eq!(response.get(kind), Some(&(value, session.clone())), "{kind}: {response:?}");
    }
    assert_eq!(response.len(), 8, "nothing was timed: {response:?}");
    app.put(
        &format!("{path}/sessions/{second}/sets"),
        json!({"exercises": [lifted(SQUAT, &[(95.0, 3)])]}),
    )
    .await
    .ok();
    let response = records(&app, &path, SQUAT).await;
    assert_eq!(
        (response["max_weight"].0, &response["max_weight"].1, response["max_reps"].0),
        (100.0, &first, 10.0)
    );
    app.delete(&format!("{path}/sessions/{first}")).await.ok();
    let response = records(&app, &path, SQUAT).await;
    assert_eq!((response["max_weight"].0, &response["max_weight"].1), (95.0, &second));
    assert!(!response.contains_key("5rm"));
    app.put(&format!("{path}/sessions/{second}/sets"), json!({"exercises": []})).await.ok();
    assert!(records(&app, &path, SQUAT).await.is_empty());
    let all = app.get(&format!("{path}/personal-records")).await.ok();
    assert_eq!(all.data()["total"], 0);
    app.announced(&[]).await;
}

#[scenario]
async fn late_sessions_count_on_their_date(app: App) {
    let (client, path) = new_client(&app).await;
    let late = did(&app, &client, 100, json!([lifted(SQUAT, &[(100.0, 5)])])).await;
    let early = did(&app, &client, 200, json!([lifted(SQUAT, &[(100.0, 5)])])).await;
    let response = records(&app, &path, SQUAT).await;
    assert_eq!(
        response["max_weight"],
        (100.0, early),
        "who was first keeps the record, whenever it is logged"
    );
    let top = app.get(&format!("{path}/top-exercises")).await.ok();
    let top = &top.data()["topExercises"][0];
    let session = app.get(&format!("{path}/sessions/{late}")).await.ok();
    assert_eq!(
        (&top["timesPerformed"], &top["lastPerformedAt"]),
        (&json!(2), &session.data()["session"]["startedAt"])
    );
}

/// The id of an exercise of the starter library.
async fn starter(app: &App, name: &str) -> String {
    let found =
        app.get(&format!("/workout/exercises?search={}", name.replace(' ', "+"))).await.ok();
    let all = found.data()["exercises"].as_array().unwrap().clone();
    text(all.iter().find(|one| one["name"] == name).unwrap(), "/exerciseId")
}

/// A logged exercise of a client with a body weight.
fn moved(exercise: &str, body: f64, sets: &[(f64, i64)]) -> Value {
    let mut logged = lifted(exercise, sets);
    logged["bodyWeight"] = json!(body);
    logged
}

#[scenario]
async fn assistance_and_added_weight_count_correctly(app: App) {
    let (client, path) = new_client(&app).await;
    let (dip, pull) =
        (starter(&app, "Assisted Dip").await, starter(&app, "Weighted Pull-Up").await);
    did(&app, &client, 40, json!([moved(&dip, 80.0, &[(30.0, 8)])])).await;
    let least = did(&app, &client, 30, json!([moved(&dip, 80.0, &[(20.0, 8), (35.0, 10)])])).await;
    did(&app, &client, 20, json!([moved(&dip, 80.0, &[(25.0, 9)])])).await;
    let response = records(&app, &path, &dip).await;
    assert_eq!(response["min_assistance"], (20.0, least.clone()));
    assert_eq!(response["max_reps"].0, 10.0);
    assert_eq!(response.len(), 2, "help is no weight that was lifted: {response:?}");
    let history = format!("{path}/exercises/{dip}/history");
    let response = app.get(&history).await.ok();
    let entry = &response.data()["history"][1];
    assert_eq!((&entry["bodyWeight"], &entry["totalVolume"]), (&json!(80.0), &json!(0.0)));
    assert_eq!(entry["estimatedOneRepMax"], Value::Null);
    let session = app.get(&format!("{path}/sessions/{least}")).await.ok();
    assert_eq!(session.data()["session"]["exercises"][0]["bodyWeight"], 80.0);
    // Deleting a set restores the next best record, which is the next lowest here.
    app.delete(&format!("{path}/sessions/{least}")).await.ok();
    assert_eq!(records(&app, &path, &dip).await["min_assistance"].0, 25.0);
    let belt = did(&app, &client, 10, json!([moved(&pull, 80.0, &[(20.0, 6)])])).await;
    let response = records(&app, &path, &pull).await;
    // (80 + 20) · (1 + 6/30) = 120 kg, of which 40 beyond the body.
    for (kind, value) in
        [("max_weight", 20.0), ("5rm", 20.0), ("estimated_1rm", 40.0), ("max_volume", 120.0)]
    {
        assert_eq!(response[kind], (value, belt.clone()), "{kind}");
    }
    // Without a body weight, only the added weight is known.
    did(&app, &client, 5, json!([lifted(&pull, &[(30.0, 2)])])).await;
    let response = records(&app, &path, &pull).await;
    assert_eq!((response["max_weight"].0, response["estimated_1rm"].0), (30.0, 40.0));
    let bad = json!({"exercises": [moved(&pull, 2001.0, &[(1.0, 1)])]});
    app.put(&format!("{path}/sessions/{belt}/sets"), bad)
        .await
        .refused(400, "request.invalid")
        .about("exercises[0].bodyWeight");
    app.announced(&[]).await;
}

/// Body weight is health data: visible with permission to read measurements, and written with the client's consent.
#[scenario]
async fn body_weight_requires_permission_and_consent(mut app: App) {
    let (client, path) = new_client(&app).await;
    let pull = starter(&app, "Weighted Pull-Up").await;
    let session = did(&app, &client, 10, json!([moved(&pull, 80.0, &[(20.0, 6)])])).await;
    let one = format!("{path}/sessions/{session}");
    let history = format!("{path}/exercises/{pull}/history");
    let scopes = ["workout_sessions:read", "workout_sessions:write", "workout_progress:read"];
    let body = json!({"name": "Reader", "scopes": scopes, "defaultAssignedCoachId": app.admin});
    let made = app.app("POST", "/integrations/public-api/clients", Some(body)).await.ok();
    let reader = app
        .issue(
            made.data()["clientId"].as_str().unwrap(),
            made.data()["clientSecret"].as_str().unwrap(),
        )
        .await;
    let all = std::mem::replace(&mut app.token, reader);
    let response = app.get(&one).await.ok();
    let logged = &response.data()["session"]["exercises"][0];
    assert_eq!((&logged["bodyWeight"], &logged["totalVolume"]), (&Value::Null, &json!(120.0)));
    let response = app.get(&history).await.ok();
    let entry = &response.data()["history"][0];
    assert_eq!((&entry["bodyWeight"], &entry["estimatedOneRepMax"]), (&Value::Null, &Value::Null));
    assert!(!records(&app, &path, &pull).await.contains_key("estimated_1rm"));
    let weighed = json!({"exercises": [moved(&pull, 70.0, &[(20.0, 6)])]});
    app.put(&format!("{one}/sets"), weighed.clone())
        .await
        .refused(403, "scopes.health_consent_required")
        .about("exercises[0].bodyWeight");
    // A caller who may not see it does not remove it.
    app.put(&format!("{one}/sets"), json!({"exercises": [lifted(&pull, &[(20.0, 5)])]})).await.ok();
    app.token = all;
    let response = app.get(&one).await.ok();
    assert_eq!(response.data()["session"]["exercises"][0]["bodyWeight"], 80.0);
    assert!(records(&app, &path, &pull).await.contains_key("estimated_1rm"));
    app.app("PATCH", "/company/features", Some(json!({"healthConsent": true}))).await.ok();
    app.put(&format!("{one}/sets"), weighed.clone())
        .await
        .refused(403, "scopes.health_consent_required")
        .about("exercises[0].bodyWeight");
    assert_eq!(
        app.get(&one).await.ok().data()["session"]["exercises"][0]["bodyWeight"],
        Value::Null
    );
    app.app("PATCH", "/company/features", Some(json!({"healthConsent": false}))).await.ok();
    app.put(&format!("{one}/sets"), weighed).await.ok();
    app.announced(&[]).await;
}

#[scenario]
async fn a_changed_measure_is_recounted(app: App) {
    let (client, path) = new_client(&app).await;
    let new = json!({"name": "Helped chin-up", "primaryMuscles": ["lats"]});
    let own = text(app.post("/workout/exercises", new).await.ok().data(), "/exercise/exerciseId");
    let session =
        did(&app, &client, 20, json!([lifted(&own, &[(40.0, 5)]), lifted(SQUAT, &[(100.0, 5)])]))
            .await;
    did(&app, &client, 10, json!([lifted(&own, &[(30.0, 5)])])).await;
    assert_eq!(records(&app, &path, &own).await["max_weight"].0, 40.0);
    let exercise = format!("/workout/exercises/{own}");
    for (kind, record, value, volume) in
        [("assisted", "min_assistance", 30.0, 500.0), ("weight_reps", "max_weight", 40.0, 700.0)]
    {
        app.patch(&exercise, json!({"trackingType": kind})).await.ok();
        let began = std::time::Instant::now();
        loop {
            let response = records(&app, &path, &own).await;
            if let Some((is, _)) = response.get(record) {
                assert_eq!(
                    (*is, response.contains_key("1rm")),
                    (value, kind == "weight_reps"),
                    "{response:?}"
                );
                break;
            }
            assert!(began.elapsed().as_secs() < 20, "{kind}: {response:?}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let response = app.get(&format!("{path}/sessions/{session}")).await.ok();
        assert_eq!(response.data()["session"]["totalVolume"], volume, "{kind}");
    }
    app.announced(&[]).await;
}
