//! Sessions, feedback and progress.

use serde_json::{Value, json};
use spotter_harness::{
    App, SystemClock,
    dates::ago,
    scenario, text,
    training::{PLANK, SQUAT, assign, days_of, did, lifted, new_template, publish},
};
use spotter_kernel::{Clock, Timestamp};

pub(crate) async fn new_client(app: &App) -> (String, String) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/workout/clients/{client}/plans");
    (client, path)
}

#[scenario]
async fn a_session_from_start_to_end(app: App) {
    let (client, path) = new_client(&app).await;
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, None).await;
    let day = days_of(&app, &plan).await[3].clone();
    let made = app
        .post(&format!("{path}/sessions"), json!({"planId": plan, "planMomentId": day["_id"]}))
        .await
        .ok();
    let session = &made.data()["session"];
    assert_eq!(
        (made.status, &session["status"], &session["name"]),
        (201, &json!("in_progress"), &json!("W2D4"))
    );
    assert_eq!(
        (&session["plan"]["weekNumber"], &session["plan"]["planName"]),
        (&json!(2), &json!("Base"))
    );
    assert_eq!(
        (&session["completedAt"], &session["durationSeconds"], &session["exercises"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
    let one = format!("{path}/sessions/{}", text(session, "/sessionId"));
    let begun = json!({"planId": plan, "planMomentId": day["_id"]});
    let again = app.post(&format!("{path}/sessions"), begun).await.ok();
    assert_eq!(again.data(), made.data(), "a day that is under way is answered with");
    let exercises = json!([
        {"exerciseId": SQUAT, "notes": "Felt good", "sets": [
            {"type": "warmup", "weight": 60, "reps": 5}, {"weight": 100, "reps": 5, "rpe": 8},
            {"weight": 102.5, "reps": 3, "completed": false}, {"type": "dropset", "weight": 80, "reps": 10}]},
        {"exerciseId": PLANK, "sets": [{"durationSeconds": 75}]},
    ]);
    let logged = app.put(&format!("{one}/sets"), json!({"exercises": exercises})).await.ok();
    let session = &logged.data()["session"];
    assert_eq!(
        (&session["setCount"], &session["totalVolume"]),
        (&json!(3), &json!(1300.0)),
        "no warm-up, no set that was left out"
    );
    assert_eq!(
        session["exercises"][0]["sets"][2],
        json!({"type": "normal", "weight": 102.5, "reps": 3, "distanceMeters": null, "durationSeconds": null, "rpe": null, "completed": false})
    );
    assert_eq!(
        app.get(&format!("{path}/top-exercises")).await.ok().data()["topExercises"],
        json!([]),
        "what is not over does not count"
    );
    let done = app.act(&format!("{one}/complete")).await.ok();
    assert_eq!(done.data()["session"]["status"], "completed");
    assert!(done.data()["session"]["durationSeconds"].as_i64().unwrap() >= 0);
    let again = app.post(&format!("{one}/complete"), json!({"completedAt": ago(0)})).await.ok();
    assert_eq!(again.data(), done.data(), "completing twice changes nothing");
    assert_eq!(app.get(&one).await.ok().data(), done.data());
    let top = app.get(&format!("{path}/top-exercises")).await.ok();
    assert_eq!(top.data()["pagination"]["totalItems"], 2);
    app.delete(&one).await.ok();
    app.get(&one).await.refused(404, "resource.not_found");
    assert_eq!(
        app.get(&format!("{path}/top-exercises")).await.ok().data()["topExercises"],
        json!([])
    );
    app.announced(&[]).await;
}

#[scenario]
async fn sessions_are_checked(app: App) {
    let (client, path) = new_client(&app).await;
    let session = did(&app, &client, 60, json!([lifted(SQUAT, &[(100.0, 5)])])).await;
    let template = new_template(&app).await;
    let before = app.state().await;
    let in_a_day = ago(-1440);
    for (body, status, key, field) in [
        (json!({"startedAt": in_a_day}), 400, "request.invalid", "startedAt"),
        (json!({"completedAt": in_a_day}), 400, "request.invalid", "completedAt"),
        (
            json!({"startedAt": ago(5), "completedAt": ago(10)}),
            400,
            "request.invalid",
            "completedAt",
        ),
        (
            json!({"startedAt": ago(3_000), "completedAt": ago(1_500)}),
            400,
            "request.invalid",
            "completedAt",
        ),
        (json!({"startedAt": "yesterday"}), 400, "PUBLIC_API_INVALID_DATE", "startedAt"),
        (json!({"planId": template}), 400, "request.invalid", "planMomentId"),
        (json!({"planMomentId": template}), 400, "request.invalid", "planId"),
        (json!({"occurrenceDate": "2026-01-01"}), 400, "request.invalid", "occurrenceDate"),
        (
            json!({"planId": template, "planMomentId": template}),
            404,
            "resource.not_found",
            "planId",
        ),
        (
            json!({"exercises": [lifted(&"0".repeat(24), &[])]}),
            404,
            "resource.not_found",
            "exercises[0].exerciseId",
        ),
        (
            json!({"exercises": [{"exerciseId": SQUAT, "sets": [{"weight": 100}]}]}),
            400,
            "request.invalid",
            "exercises[0].sets[0]",
        ),
        (
            json!({"exercises": [lifted(SQUAT, &[(100.0, 1001)])]}),
            400,
            "request.invalid",
            "exercises[0].sets[0].reps",
        ),
        (
            json!({"exercises": [lifted(SQUAT, &[(2000.5, 1)])]}),
            400,
            "request.invalid",
            "exercises[0].sets[0].weight",
        ),
    ] {
        app.post(&format!("{path}/sessions"), body).await.refused(status, key).about(field);
    }
    let (other, _) = new_client(&app).await;
    app.get(&format!("/workout/clients/{other}/plans/sessions/{session}"))
        .await
        .refused(404, "resource.not_found");
    app.put(&format!("{path}/sessions/{session}/sets"), json!({}))
        .await
        .refused(400, "request.invalid")
        .about("exercises");
    let after = app.state().await;
    assert_eq!(
        (before["workout_session"], before["workout_performance"], before["workout_progress"]),
        (after["workout_session"], after["workout_performance"], after["workout_progress"])
    );
    app.announced(&[]).await;
}

#[scenario]
async fn sessions_are_listed(app: App) {
    let (client, path) = new_client(&app).await;
    let mut ids = Vec::new();
    for minutes in [30, 10, 20] {
        ids.push(did(&app, &client, minutes, json!([])).await);
    }
    let open = app.act(&format!("{path}/sessions")).await.ok();
    let open = text(open.data(), "/session/sessionId");
    let list = app.get(&format!("{path}/sessions")).await.ok();
    let response: Vec<_> = list.data()["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| text(session, "/sessionId"))
        .collect();
    assert_eq!(
        response.iter().collect::<Vec<_>>(),
        [&open, &ids[1], &ids[2], &ids[0]],
        "the one that began last comes first"
    );
    assert!(list.data()["sessions"][0].get("exercises").is_none());
    for (query, total) in [
        (String::new(), 4),
        ("status=completed".into(), 3),
        ("status=in_progress".into(), 1),
        (format!("from={}", ago(15)), 2),
        (format!("to={}&status=completed", ago(15)), 2),
        (format!("planId={}", "0".repeat(24)), 0),
    ] {
        assert_eq!(
            app.get(&format!("{path}/sessions?{query}")).await.ok().data()["total"],
            total,
            "{query}"
        );
    }
    app.act(&format!("{path}/sessions/{open}/complete")).await.ok();
    app.delete(&format!("{path}/sessions/{}", ids[0])).await.ok();
    for (query, total) in [("", 3), ("status=completed", 3), ("status=in_progress", 0)] {
        assert_eq!(
            app.get(&format!("{path}/sessions?{query}")).await.ok().data()["total"],
            total,
            "{query}"
        );
    }
    let reversed = format!("{path}/sessions?from={}&to={}", ago(1), ago(2));
    app.get(&reversed).await.refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
}

#[scenario]
async fn feedback_to_the_letter(app: App) {
    let (client, path) = new_client(&app).await;
    let session = did(&app, &client, 5, json!([])).await;
    let one = format!("{path}/workout-feedback/{session}");
    let given = app.patch(&one, json!({"clientId": client, "rating": 8, "difficulty": "Hard", "emojiRating": "Exhausted", "notes": "Tough"})).await.ok();
    assert_eq!(
        *given.data(),
        json!({"sessionId": session, "feedback": {"rating": 8, "difficulty": "Hard", "emojiRating": "Exhausted", "emoji": "😮‍💨", "notes": "Tough"}})
    );
    let changed = app.patch(&one, json!({"rating": 9})).await.ok();
    assert_eq!(
        changed.data()["feedback"],
        json!({"rating": 9, "difficulty": "Hard", "emojiRating": "Exhausted", "emoji": "😮‍💨", "notes": "Tough"}),
        "omitted fields stay"
    );
    let cleared = app
        .patch(&one, json!({"rating": "", "difficulty": null, "emojiRating": "", "notes": null}))
        .await
        .ok();
    assert_eq!(
        cleared.data()["feedback"],
        json!({"rating": null, "difficulty": null, "emojiRating": null, "emoji": null, "notes": null})
    );
    for (mood, emoji) in [
        ("Strong", "💪"),
        ("Energized", "⚡"),
        ("Challenging", "🎯"),
        ("Intense", "🔥"),
        ("Satisfied", "😌"),
    ] {
        let given = app.patch(&one, json!({"emojiRating": mood})).await.ok();
        assert_eq!(given.data()["feedback"]["emoji"], emoji);
    }
    let before = app.state().await;
    for (body, key, field) in [
        (json!({}), "request.invalid", "body"),
        (json!({"clientId": client}), "request.invalid", "body"),
        (json!({"clientId": "0".repeat(24), "rating": 1}), "request.invalid", "clientId"),
        (json!({"clientId": "x", "rating": 1}), "PUBLIC_API_INVALID_CLIENT_ID", "clientId"),
        (json!({"rating": 0}), "request.invalid", "rating"),
        (json!({"rating": 11}), "request.invalid", "rating"),
        (json!({"rating": 5.5}), "request.invalid", "rating"),
        (json!({"rating": "5"}), "request.invalid", "rating"),
        (json!({"difficulty": "hard"}), "PUBLIC_API_INVALID_ENUM", "difficulty"),
        (json!({"emojiRating": "💪"}), "PUBLIC_API_INVALID_ENUM", "emojiRating"),
        (json!({"notes": "x".repeat(2001)}), "PUBLIC_API_FIELD_TOO_LONG", "notes"),
        (json!({"emoji": "💪"}), "request.invalid", "emoji"),
    ] {
        app.patch(&one, body).await.refused(400, key).about(field);
    }
    app.patch(&one.replace(&session, &"0".repeat(24)), json!({"rating": 1}))
        .await
        .refused(404, "resource.not_found");
    let (other, _) = new_client(&app).await;
    app.patch(&one.replace(&client, &other), json!({"rating": 1}))
        .await
        .refused(404, "resource.not_found");
    let after = app.state().await;
    assert_eq!(before["workout_session"], after["workout_session"]);
    app.announced(&[]).await;
}

#[scenario]
async fn top_exercises_to_the_letter(app: App) {
    let (client, path) = new_client(&app).await;
    let own = app.post("/workout/exercises", json!({"name": "Own", "primaryMuscles": ["chest"], "thumbnail": "https://example.com/own.png"})).await.ok();
    let own = text(own.data(), "/exercise/exerciseId");
    did(
        &app,
        &client,
        30,
        json!([lifted(SQUAT, &[(100.0, 5), (100.0, 5)]), lifted(&own, &[(10.0, 10)])]),
    )
    .await;
    did(&app, &client, 20, json!([lifted(&own, &[(12.5, 8)]), lifted(&own, &[(10.0, 10)])])).await;
    let top = app.get(&format!("{path}/top-exercises")).await.ok();
    let first = &top.data()["topExercises"][0];
    assert_eq!(
        *first,
        json!({"exerciseId": own, "name": "Own", "thumbnail": "https://example.com/own.png",
        "timesPerformed": 2, "totalReps": 28, "totalVolume": 300.0, "lastPerformedAt": first["lastPerformedAt"], "hasHistory": true})
    );
    assert!(first["lastPerformedAt"].as_str().unwrap().ends_with('Z'));
    let second = &top.data()["topExercises"][1];
    assert_eq!(
        (
            &second["exerciseId"],
            &second["timesPerformed"],
            &second["totalVolume"],
            &second["thumbnail"]
        ),
        (&json!(SQUAT), &json!(1), &json!(1000.0), &Value::Null)
    );
    assert_eq!(
        top.data()["pagination"],
        json!({"page": 1, "limit": 20, "totalItems": 2, "totalPages": 1})
    );
    assert_eq!(top.data().as_object().unwrap().len(), 2);
    let page = app.get(&format!("{path}/top-exercises?page=2&limit=1")).await.ok();
    assert_eq!(page.data()["topExercises"], json!([second]));
    assert_eq!(
        page.data()["pagination"],
        json!({"page": 2, "limit": 1, "totalItems": 2, "totalPages": 2})
    );
    app.get(&format!("{path}/top-exercises?limit=101"))
        .await
        .refused(400, "request.invalid")
        .about("limit");
    app.get(&format!("{path}/top-exercises?page=0"))
        .await
        .refused(400, "request.invalid")
        .about("page");
}

#[scenario]
async fn volume_by_week_and_muscle(app: App) {
    let (client, path) = new_client(&app).await;
    did(&app, &client, 10, json!([lifted(SQUAT, &[(100.0, 5), (100.0, 5)]), {"exerciseId": PLANK, "sets": [{"durationSeconds": 60}]}])).await;
    did(&app, &client, 8 * 24 * 60, json!([lifted(SQUAT, &[(80.0, 10)])])).await;
    let response = app.get(&format!("{path}/volume")).await.ok();
    let volume = &response.data()["volume"];
    let weeks = volume["weeks"].as_array().unwrap();
    assert_eq!(
        (weeks.len(), &volume["timeZone"], &volume["weightUnit"]),
        (12, &json!("Europe/Amsterdam"), &json!("kg"))
    );
    let sum: f64 = weeks.iter().map(|week| week["totalVolume"].as_f64().unwrap()).sum();
    let sets: i64 = weeks.iter().map(|week| week["setCount"].as_i64().unwrap()).sum();
    assert_eq!((sum, sets), (1800.0, 4));
    let trained: Vec<_> = weeks.iter().rev().filter(|week| week["setCount"] != 0).collect();
    assert_eq!(trained.len(), 2);
    let muscle = |name: &str| {
        trained[0]["muscles"]
            .as_array()
            .unwrap()
            .iter()
            .find(|muscle| muscle["muscle"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(
        muscle("glutes"),
        json!({"muscle": "glutes", "setCount": 2, "totalReps": 10, "totalVolume": 1000.0})
    );
    assert_eq!(
        (&muscle("quadriceps")["setCount"], &muscle("abdominals")["setCount"]),
        (&json!(2), &json!(1))
    );
    for (query, key) in [
        ("from=2026-01-01", "PUBLIC_API_DATE_RANGE_REQUIRED"),
        ("from=2026-01-02&to=2026-01-01", "PUBLIC_API_DATE_RANGE_ORDER_INVALID"),
        ("from=2025-01-01&to=2026-01-07", "PUBLIC_API_DATE_RANGE_TOO_LARGE"),
    ] {
        app.get(&format!("{path}/volume?{query}")).await.refused(400, key);
    }
    let none = app.get(&format!("{path}/volume?from=2020-01-01&to=2020-01-05")).await.ok();
    assert_eq!(
        none.data()["volume"]["weeks"],
        json!([{"weekStart": "2019-12-30", "setCount": 0, "totalReps": 0, "totalVolume": 0.0, "muscles": []}])
    );
}

#[scenario]
async fn history_of_an_exercise(app: App) {
    let (client, path) = new_client(&app).await;
    for (minutes, weight, reps) in [(300, 100.0, 5), (200, 105.0, 5), (100, 60.0, 20)] {
        did(&app, &client, minutes, json!([lifted(SQUAT, &[(weight, reps)])])).await;
    }
    let history = format!("{path}/exercises/{SQUAT}/history");
    let response = app.get(&history).await.ok();
    let entries = response.data()["history"].as_array().unwrap();
    assert_eq!((entries.len(), &response.data()["total"]), (3, &json!(3)));
    assert_eq!(entries[0]["estimatedOneRepMax"], Value::Null, "twenty repetitions tell no maximum");
    assert_eq!(
        entries[1]["estimatedOneRepMax"],
        json!({"epley": 122.5, "brzycki": 118.13, "weight": 105.0, "reps": 5})
    );
    assert_eq!(
        (&entries[2]["totalVolume"], &entries[2]["sets"][0]["reps"]),
        (&json!(500.0), &json!(5))
    );
    let page = app.get(&format!("{history}?limit=1&page=3")).await.ok();
    assert_eq!(page.data()["history"], json!([entries[2]]));
    assert_eq!(app.get(&format!("{path}/exercises/{PLANK}/history")).await.ok().data()["total"], 0);
    app.get(&format!("{path}/exercises/{}/history", "0".repeat(24)))
        .await
        .refused(404, "resource.not_found");
}

#[scenario]
async fn progress_is_the_same_in_any_order(app: App) {
    let sessions =
        [(500, 100.0, 5), (400, 105.0, 3), (300, 105.0, 3), (200, 90.0, 12), (100, 107.5, 1)];
    let mut response = Vec::new();
    for turn in 0..sessions.len() {
        let (client, path) = new_client(&app).await;
        let mut order = sessions;
        order.rotate_left(turn);
        for (minutes, weight, reps) in order {
            did(&app, &client, minutes, json!([lifted(SQUAT, &[(weight, reps)])])).await;
        }
        let reply = app.get(&format!("{path}/personal-records")).await.ok();
        let mut records = reply.data()["personalRecords"][0]["records"].clone();
        for record in records.as_array_mut().unwrap() {
            let at = Timestamp::parse(&text(record, "/achievedAt")).unwrap();
            record
                .as_object_mut()
                .unwrap()
                .retain(|name, _| name != "sessionId" && name != "achievedAt");
            // Minutes distinguish the sessions, whatever the clock did meanwhile.
            let minutes = (SystemClock.now().millis() - at.millis()) / 60_000;
            record["minutes"] = json!((minutes + 2) / 100);
        }
        response.push(records);
    }
    assert!(response.windows(2).all(|pair| pair[0] == pair[1]), "{response:#?}");
}
