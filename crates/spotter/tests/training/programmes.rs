//! Templates and their days.

use serde_json::{Value, json};
use spotter_harness::{
    App, scenario, text,
    training::{PLANK, SQUAT, add_day, days_of, lifted, new_template, publish, template_of},
};

#[scenario]
async fn a_template_from_draft_to_active(app: App) {
    let made = app
        .post(
            "/workout/plans/templates",
            json!({"name": "Strength", "goal": "Lift more", "difficulty": "Beginner"}),
        )
        .await
        .ok();
    let template = &made.data()["template"];
    assert_eq!(
        (&template["status"], &template["layout"], &template["mode"]),
        (&json!("Draft"), &json!("sequence"), &json!("recurring"))
    );
    assert_eq!((&template["totalWeeks"], &template["publishedAt"]), (&json!(1), &Value::Null));
    let id = text(template, "/_id");
    add_day(&app, &id, json!({"name": "A", "exercises": [lifted(SQUAT, &[(60.0, 5)])]})).await;
    let published = app.put(&format!("/workout/plans/publish/{id}"), json!({})).await.ok();
    let summary = &published.data()["template"];
    let fields = [
        "_id",
        "category",
        "description",
        "difficulty",
        "goal",
        "intensity",
        "name",
        "publishedAt",
        "status",
        "totalDays",
        "totalExercises",
    ];
    assert_eq!(summary.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
    assert_eq!(
        (&summary["status"], &summary["totalDays"], &summary["totalExercises"]),
        (&json!("Active"), &json!(1), &json!(1))
    );
    assert!(summary["publishedAt"].as_str().unwrap().ends_with('Z'));
    let before = app.state().await;
    app.put(&format!("/workout/plans/publish/{id}"), json!({}))
        .await
        .refused(409, "WORKOUT_TEMPLATE_ALREADY_ACTIVE");
    app.put(&format!("/workout/plans/publish/{}", "0".repeat(24)), json!({}))
        .await
        .refused(404, "resource.not_found");
    assert_eq!(before, app.state().await);
    let got = app.get(&format!("/workout/plans/templates/{id}")).await.ok();
    let schedule = &got.data()["schedule"];
    assert_eq!(
        (&schedule["startDate"], &schedule["timeZone"]),
        (&json!(""), &json!("Europe/Amsterdam"))
    );
    assert!(schedule.get("weeks").is_none(), "a sequence has no weekdays");
    assert_eq!(
        got.data()["duration"],
        json!({"startDate": null, "endDate": null, "hasEndDate": false})
    );
    new_template(&app).await;
    for (query, total) in [
        ("status=Active", 1),
        ("status=Draft", 1),
        ("search=stren", 1),
        ("layout=calendar_week", 1),
        ("mode=recurring", 1),
        ("", 2),
    ] {
        assert_eq!(
            app.get(&format!("/workout/plans/templates?{query}")).await.ok().data()["total"],
            total,
            "{query}"
        );
    }
    app.patch(
        &format!("/workout/plans/templates/{id}"),
        json!({"goal": null, "releasePolicy": "weekly_from_start"}),
    )
    .await
    .ok();
    app.delete(&format!("/workout/plans/templates/{id}")).await.ok();
    app.get(&format!("/workout/plans/templates/{id}")).await.refused(404, "resource.not_found");
    app.announced(&[]).await;
}

#[scenario]
async fn days_hold_requested_exercises(app: App) {
    let template = template_of(&app, json!({})).await;
    let exercises = json!([
        {"exerciseId": SQUAT, "superset": "A", "restSeconds": 180, "tempo": "3-1-X-0", "notes": "Deep",
         "sets": [{"type": "warmup", "reps": 10, "weight": 40}, {"reps": 5, "repsMax": 8, "weight": 82.5, "rpe": 8.5}]},
        {"exerciseId": PLANK, "superset": "A", "sets": [{"durationSeconds": 60}, {"type": "failure", "durationSeconds": 90}]},
    ]);
    let made = app.post(&format!("/workout/plans/moments/{template}"), json!({"name": "Legs", "startTime": "07:30", "plannedDurationMinutes": 45, "exercises": exercises})).await.ok();
    let day = &made.data()["day"];
    assert_eq!(day["_id"], day["planMomentId"]);
    assert_eq!(
        (&day["startTime"], &day["weekday"], &day["dayOrder"], &day["order"]),
        (&json!("07:30"), &Value::Null, &json!(1), &json!(0))
    );
    let (squat, plank) = (&day["exercises"][0], &day["exercises"][1]);
    assert_eq!(
        (&squat["name"], &squat["tempo"], &squat["restSeconds"]),
        (&json!("Barbell Back Squat"), &json!("3-1-X-0"), &json!(180))
    );
    assert_eq!(
        squat["sets"][1],
        json!({"type": "normal", "reps": 5, "repsMax": 8, "weight": 82.5, "distanceMeters": null, "durationSeconds": null, "rpe": 8.5})
    );
    assert_eq!(
        (&plank["restSeconds"], &plank["name"]),
        (&json!(90), &json!("Plank")),
        "the company's default"
    );
    assert_eq!(days_of(&app, &template).await, std::slice::from_ref(day));
    let path = format!("/workout/plans/moments/{template}/{}", text(day, "/planMomentId"));
    let set = app
        .put(
            &format!("{path}/exercises"),
            json!({"exercises": [lifted(SQUAT, &[(60.0, 5), (60.0, 5)])]}),
        )
        .await
        .ok();
    assert_eq!(set.data()["day"]["exercises"].as_array().unwrap().len(), 1);
    let changed = app.patch(&path, json!({"name": "Legs and more", "startTime": null})).await.ok();
    assert_eq!(
        (&changed.data()["day"]["startTime"], &changed.data()["day"]["plannedDurationMinutes"]),
        (&json!(""), &json!(45))
    );
    let response = app.get(&format!("/workout/plans/templates/{template}")).await.ok();
    assert_eq!(response.data()["template"]["totalExercises"], 1);
    for field in ["weekday", "weekNumber", "name"] {
        let null = app.patch(&path, json!({field: null})).await;
        null.refused(400, "request.invalid").about(field);
    }
    app.delete(&path).await.ok();
    app.delete(&path).await.refused(404, "resource.not_found");
    let response = app.get(&format!("/workout/plans/templates/{template}")).await.ok();
    assert_eq!(
        (&response.data()["template"]["totalDays"], &response.data()["template"]["totalExercises"]),
        (&json!(0), &json!(0))
    );
    app.announced(&[]).await;
}

#[scenario]
async fn days_are_checked(app: App) {
    let sequence = template_of(&app, json!({})).await;
    let calendar = template_of(&app, json!({"layout": "calendar_week"})).await;
    let own = app
        .post("/workout/exercises", json!({"name": "Own", "primaryMuscles": ["chest"]}))
        .await
        .ok();
    let own = text(own.data(), "/exercise/exerciseId");
    app.act(&format!("/workout/exercises/{own}/archive")).await.ok();
    let before = app.state().await;
    let with = |exercise: Value| json!({"name": "D", "exercises": [exercise]});
    let cases = [
        (&sequence, json!({}), 400, "request.invalid", "name"),
        (&sequence, json!({"name": "D", "weekday": 1}), 400, "request.invalid", "weekday"),
        (&calendar, json!({"name": "D"}), 400, "request.invalid", "weekday"),
        (&calendar, json!({"name": "D", "weekday": 8}), 400, "request.invalid", "weekday"),
        (
            &calendar,
            json!({"name": "D", "weekday": 1, "weekNumber": 2}),
            404,
            "resource.not_found",
            "weekNumber",
        ),
        (
            &calendar,
            json!({"name": "D", "weekday": 1, "weekNumber": 0}),
            400,
            "request.invalid",
            "weekNumber",
        ),
        (&sequence, json!({"name": "D", "startTime": "7:30"}), 400, "request.invalid", "startTime"),
        (
            &sequence,
            with(json!({"exerciseId": "0".repeat(24)})),
            404,
            "resource.not_found",
            "exercises[0].exerciseId",
        ),
        (
            &sequence,
            with(json!({"exerciseId": own})),
            409,
            "PUBLIC_API_ERROR",
            "exercises[0].exerciseId",
        ),
        (
            &sequence,
            with(json!({"exerciseId": SQUAT, "tempo": "slow"})),
            400,
            "request.invalid",
            "exercises[0].tempo",
        ),
        (
            &sequence,
            with(json!({"exerciseId": SQUAT, "sets": [{"reps": 8, "repsMax": 5}]})),
            400,
            "request.invalid",
            "exercises[0].sets[0].repsMax",
        ),
        (
            &sequence,
            with(json!({"exerciseId": SQUAT, "sets": [{"weight": -1}]})),
            400,
            "request.invalid",
            "exercises[0].sets[0].weight",
        ),
        (
            &sequence,
            with(json!({"exerciseId": SQUAT, "sets": [{"rpe": 8.3}]})),
            400,
            "request.invalid",
            "exercises[0].sets[0].rpe",
        ),
        (
            &sequence,
            with(json!({"exerciseId": SQUAT, "sets": [{"type": "drop"}]})),
            400,
            "PUBLIC_API_INVALID_ENUM",
            "exercises[0].sets[0].type",
        ),
        (
            &sequence,
            with(json!({"exerciseId": SQUAT, "sets": vec![json!({}); 31]})),
            400,
            "request.invalid",
            "exercises[0].sets",
        ),
        (
            &sequence,
            json!({"name": "D", "exercises": vec![json!({"exerciseId": SQUAT}); 51]}),
            400,
            "request.invalid",
            "exercises",
        ),
        (
            &sequence,
            json!({"name": "D", "exercises": [{"exerciseId": SQUAT, "superset": "A"}, {"exerciseId": PLANK}, {"exerciseId": SQUAT, "superset": "A"}]}),
            400,
            "request.invalid",
            "exercises[2].superset",
        ),
    ];
    for (plan, body, status, key, field) in cases {
        app.post(&format!("/workout/plans/moments/{plan}"), body)
            .await
            .refused(status, key)
            .about(field);
    }
    assert_eq!(before, app.state().await);
}

#[scenario]
async fn duplicate_options_stay_separate(app: App) {
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let copy = app
        .post(&format!("/workout/plans/templates/{template}/duplicate"), json!({"name": "Copy"}))
        .await
        .ok();
    let copied = &copy.data()["template"];
    assert_eq!(
        (&copied["name"], &copied["status"], &copied["totalDays"], &copied["totalWeeks"]),
        (&json!("Copy"), &json!("Draft"), &json!(6), &json!(3))
    );
    let (own, theirs) =
        (days_of(&app, &template).await, days_of(&app, &text(copied, "/_id")).await);
    for (own, theirs) in own.iter().zip(&theirs) {
        assert_eq!(
            (&own["name"], &own["weekNumber"], &own["dayOrder"]),
            (&theirs["name"], &theirs["weekNumber"], &theirs["dayOrder"])
        );
        assert_ne!(own["_id"], theirs["_id"]);
    }
    let path =
        format!("/workout/plans/moments/{}/{}", text(copied, "/_id"), text(&theirs[0], "/_id"));
    app.patch(&path, json!({"name": "Changed"})).await.ok();
    assert_eq!(days_of(&app, &template).await, own, "the original stays as it was");
}
