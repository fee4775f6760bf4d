//! Weeks of a programme: added, duplicated, deleted, also beside each other.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spotter_harness::{
    App,
    dates::{after, ago, monday},
    scenario, text,
    training::{SQUAT, add_day, assign, days_of, lifted, new_template, publish, template_of},
};

fn labels(days: &[Value]) -> Vec<(String, i64, i64)> {
    let label = |day: &Value| {
        (text(day, "/name"), day["weekNumber"].as_i64().unwrap(), day["dayOrder"].as_i64().unwrap())
    };
    days.iter().map(label).collect()
}

#[scenario]
async fn deletion_to_the_letter(app: App) {
    for layout in ["calendar_week", "sequence"] {
        let template =
            template_of(&app, json!({"layout": layout, "mode": "multi_week", "weeks": 3})).await;
        let mut second = Vec::new();
        for week in 1..=3 {
            for (name, weekday) in [("A", 1), ("B", 5)] {
                let mut day = json!({"name": format!("{name}{week}"), "weekNumber": week});
                if layout == "calendar_week" {
                    day["weekday"] = json!(weekday);
                }
                let id = add_day(&app, &template, day).await;
                second.extend((week == 2).then_some(id));
            }
        }
        let done = app.delete(&format!("/workout/plans/moments/{template}/weeks/2")).await.ok();
        assert_eq!(done.status, 200);
        assert_eq!(done.body["meta"]["idempotency"]["replayed"], false);
        let data = done.data();
        let fields = ["deletedPlanMomentIds", "duration", "schedule", "totalWeeks", "weekNumber"];
        assert_eq!(data.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
        assert_eq!((&data["weekNumber"], &data["totalWeeks"]), (&json!(2), &json!(2)));
        assert_eq!(data["deletedPlanMomentIds"], json!(second));
        assert_eq!(
            data["duration"],
            json!({"startDate": null, "endDate": null, "hasEndDate": false})
        );
        let schedule = &data["schedule"];
        assert_eq!(
            (&schedule["mode"], &schedule["releasePolicy"], &schedule["startDate"]),
            (&json!("multi_week"), &json!("all_at_once"), &json!(""))
        );
        assert_eq!((&schedule["totalWeeks"], &schedule["layout"]), (&json!(2), &json!(layout)));
        if layout == "calendar_week" {
            let weeks = schedule["weeks"].as_array().unwrap();
            assert_eq!(
                weeks.iter().map(|week| week["weekNumber"].as_i64().unwrap()).collect::<Vec<_>>(),
                [1, 2]
            );
            let item = &weeks[1]["days"][0]["items"][0];
            assert_eq!(
                (&item["name"], &item["order"], &item["type"]),
                (&json!("A3"), &json!(1), &json!("workout"))
            );
            assert_eq!(
                (&weeks[1]["days"][0]["weekday"], &weeks[1]["days"][1]["isRestDay"]),
                (&json!(1), &json!(true))
            );
        }
        let expected = [("A1", 1, 1), ("B1", 1, 2), ("A3", 2, 3), ("B3", 2, 4)]
            .map(|(name, week, order)| (name.to_owned(), week, order));
        assert_eq!(labels(&days_of(&app, &template).await), expected);
        let response = app.get(&format!("/workout/plans/templates/{template}")).await.ok();
        assert_eq!(
            (&response.data()["template"]["totalWeeks"], &response.data()["template"]["totalDays"]),
            (&json!(2), &json!(4))
        );
    }
    app.announced(&[]).await;
}

#[scenario]
async fn deletion_is_refused_by_rule(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template =
        template_of(&app, json!({"layout": "calendar_week", "mode": "multi_week"})).await;
    let recurring = template_of(&app, json!({"layout": "calendar_week", "weeks": 2})).await;
    let sequence = template_of(&app, json!({"mode": "multi_week", "weeks": 2})).await;
    publish(&app, &recurring).await;
    publish(&app, &sequence).await;
    let recurring = assign(&app, &client, &recurring, None).await;
    let sequence = assign(&app, &client, &sequence, None).await;
    let before = app.state().await;
    let path = |plan: &str, week: &str| format!("/workout/plans/moments/{plan}/weeks/{week}");
    app.delete(&path(&template, "1")).await.refused(400, "request.invalid").about("weekNumber");
    app.delete(&path(&template, "2")).await.refused(404, "resource.not_found");
    for week in ["0", "-1", "x", "1.5"] {
        app.delete(&path(&template, week))
            .await
            .refused(400, "request.invalid")
            .about("weekNumber");
    }
    app.delete(&path("x", "1")).await.refused(400, "request.invalid").about("planId");
    app.delete(&path(&"0".repeat(24), "1")).await.refused(404, "resource.not_found");
    for plan in [&recurring, &sequence] {
        app.delete(&path(plan, "1")).await.refused(400, "request.invalid").about("planId");
        app.post(&format!("/workout/plans/moments/{plan}/weeks"), json!({}))
            .await
            .refused(400, "request.invalid")
            .about("planId");
    }
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn logged_sessions_keep_their_labels(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, Some(&monday(-2))).await;
    let days = days_of(&app, &plan).await;
    let sessions = format!("/workout/clients/{client}/plans/sessions");
    let mut logged = Vec::new();
    for day in [&days[2], &days[4]] {
        let body = json!({"planId": plan, "planMomentId": day["_id"], "startedAt": ago(30), "completedAt": ago(1), "exercises": [lifted(SQUAT, &[(100.0, 5)])]});
        let made = app.post(&sessions, body).await.ok();
        assert_eq!(made.data()["session"]["plan"]["dayName"], day["name"]);
        logged.push(made.data()["session"].clone());
    }
    app.delete(&format!("/workout/plans/moments/{plan}/weeks/2")).await.ok();
    app.patch(
        &format!("/workout/plans/moments/{plan}/{}", text(&days[4], "/_id")),
        json!({"name": "Renamed"}),
    )
    .await
    .ok();
    for before in &logged {
        let now = app.get(&format!("{sessions}/{}", text(before, "/sessionId"))).await.ok();
        assert_eq!(now.data()["session"], *before, "day, week and sets are as they were");
    }
    assert_eq!(
        (&logged[0]["plan"]["weekNumber"], &logged[0]["plan"]["dayName"]),
        (&json!(2), &json!("W2D1"))
    );
    assert_eq!(
        (&logged[1]["plan"]["weekNumber"], &logged[1]["plan"]["dayName"]),
        (&json!(3), &json!("W3D1"))
    );
    let top = app.get(&format!("/workout/clients/{client}/plans/top-exercises")).await.ok();
    assert_eq!(top.data()["topExercises"][0]["timesPerformed"], 2, "performance is never removed");
    // The day that moved up is still done.
    let full = app.get(&format!("/workout/clients/{client}/plans/template/{plan}")).await.ok();
    let item = &full.data()["schedule"]["weeks"][1]["days"][0]["items"][0];
    assert_eq!((&item["name"], &item["status"]), (&json!("Renamed"), &json!("completed")));
}

#[scenario]
async fn an_assigned_programme_keeps_its_duration(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let start = after(&monday(1), 3);
    let plan = assign(&app, &client, &template, Some(&start)).await;
    let days = days_of(&app, &plan).await;
    let moves = format!("/workout/clients/{client}/calendar/moves");
    for (day, date) in [(&days[1], start.clone()), (&days[4], monday(3))] {
        let body = json!({"planId": plan, "planMomentId": day["_id"], "occurrenceDate": date, "scheduledDate": after(&date, 1)});
        app.post(&moves, body).await.ok();
    }
    let done = app.delete(&format!("/workout/plans/moments/{plan}/weeks/2")).await.ok();
    let duration =
        json!({"startDate": start, "endDate": after(&monday(1), 20), "hasEndDate": true});
    assert_eq!(done.data()["duration"], duration);
    let schedule = &done.data()["schedule"];
    assert_eq!((&schedule["startDate"], &schedule["totalWeeks"]), (&json!(start), &json!(2)));
    let first = &schedule["weeks"][0]["days"][3]["items"][0];
    let adjustment = &first["clientAdjustment"];
    assert_eq!(
        (&adjustment["action"], &adjustment["occurrenceDate"], &adjustment["scheduledDate"]),
        (&json!("moved"), &json!(start), &json!(after(&start, 1))),
        "moves before the deleted week stay"
    );
    assert!(adjustment["changedAt"].is_string() && first["canClientRestore"] == true);
    let moved_up = &schedule["weeks"][1]["days"][0]["items"][0];
    assert_eq!(
        (&moved_up["name"], &moved_up["plannedDate"], &moved_up["scheduledDate"]),
        (&json!("W3D1"), &json!(monday(2)), &json!(monday(2)))
    );
    assert_eq!(
        moved_up["clientAdjustment"],
        Value::Null,
        "its move named a date of the week that it left"
    );
}

#[scenario]
async fn weeks_are_added_and_duplicated(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = new_template(&app).await;
    let weeks = format!("/workout/plans/moments/{template}/weeks");
    let added = app.act(&weeks).await.ok();
    assert_eq!(
        (added.status, &added.data()["weekNumber"], &added.data()["planMomentIds"]),
        (201, &json!(4), &json!([]))
    );
    let copied = app.post(&weeks, json!({"duplicateOf": 1})).await.ok();
    assert_eq!(
        (&copied.data()["weekNumber"], &copied.data()["totalWeeks"]),
        (&json!(2), &json!(5))
    );
    assert_eq!(copied.data()["planMomentIds"].as_array().unwrap().len(), 2);
    let names: Vec<_> = labels(&days_of(&app, &template).await)
        .into_iter()
        .map(|(name, week, _)| format!("{name}@{week}"))
        .collect();
    assert_eq!(
        names,
        ["W1D1@1", "W1D4@1", "W1D1@2", "W1D4@2", "W2D1@3", "W2D4@3", "W3D1@4", "W3D4@4"]
    );
    app.post(&weeks, json!({"duplicateOf": 9}))
        .await
        .refused(404, "resource.not_found")
        .about("duplicateOf");
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, Some(&monday(1))).await;
    let longer = app.act(&format!("/workout/plans/moments/{plan}/weeks")).await.ok();
    assert_eq!(
        longer.data()["duration"]["endDate"],
        json!(after(&monday(1), 41)),
        "a longer programme lasts longer"
    );
    for _ in 6..52 {
        app.act(&weeks).await.ok();
    }
    app.act(&weeks).await.ok();
    app.act(&weeks).await.refused(409, "PUBLIC_API_ERROR").about("weeks");
    app.announced(&[]).await;
}

/// Weeks and days are numbered without gaps in every answer.
async fn assert_no_gap(app: &App, plan: &str) {
    let template = app.get(&format!("/workout/plans/templates/{plan}")).await.ok();
    let total = template.data()["template"]["totalWeeks"].as_i64().unwrap();
    let weeks: Vec<_> = template.data()["schedule"]["weeks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|week| week["weekNumber"].as_i64().unwrap())
        .collect();
    assert_eq!(weeks, (1..=total).collect::<Vec<_>>());
    let days = days_of(app, plan).await;
    assert_eq!(template.data()["template"]["totalDays"], days.len());
    for (day, order) in days.iter().zip(1..) {
        assert_eq!(day["dayOrder"], order, "{days:?}");
        assert!((1..=total).contains(&day["weekNumber"].as_i64().unwrap()));
    }
}

#[scenario]
async fn deletions_beside_other_changes_leave_no_gap(app: App) {
    let template =
        template_of(&app, json!({"layout": "calendar_week", "mode": "multi_week", "weeks": 20}))
            .await;
    for week in 1..=20 {
        add_day(
            &app,
            &template,
            json!({"name": format!("W{week}"), "weekNumber": week, "weekday": 1}),
        )
        .await;
    }
    let base = format!("/workout/plans/moments/{template}");
    let changes = (0..24).map(|number| {
        let (app, base) = (&app, &base);
        async move {
            match number % 4 {
                0 | 1 => app.delete(&format!("{base}/weeks/{}", 1 + number % 5)).await,
                2 => {
                    app.post(&format!("{base}/weeks"), json!({"duplicateOf": 1 + number % 3})).await
                }
                _ => app.post(base, json!({"name": "New", "weekNumber": 2, "weekday": 3})).await,
            }
        }
    });
    let done = futures_util::future::join_all(changes).await;
    assert!(done.iter().all(|reply| reply.status < 300), "{done:?}");
    let response = app.get(&format!("/workout/plans/templates/{template}")).await.ok();
    assert_eq!(response.data()["template"]["totalWeeks"], 20 - 12 + 6);
    assert_no_gap(&app, &template).await;
}

#[scenario]
async fn any_sequence_of_changes_leaves_no_gap(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, Some(&monday(0))).await;
    let sessions = format!("/workout/clients/{client}/plans/sessions");
    let (mut seed, mut logged) = (20_260_329u64, BTreeMap::new());
    let mut below = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    for _ in 0..40 {
        let days = days_of(&app, &plan).await;
        let full = app.get(&format!("/workout/clients/{client}/plans/template/{plan}")).await.ok();
        let weeks = full.data()["plan"]["totalWeeks"].as_u64().unwrap();
        let base = format!("/workout/plans/moments/{plan}");
        let week = 1 + below(weeks);
        match below(6) {
            0 if weeks < 10 => drop(app.post(&format!("{base}/weeks"), json!({"duplicateOf": week})).await.ok()),
            1 if weeks > 1 => drop(app.delete(&format!("{base}/weeks/{week}")).await.ok()),
            2 => drop(add_day(&app, &plan, json!({"name": format!("D{}", days.len()), "weekNumber": week, "weekday": 1 + below(7)})).await),
            3 if !days.is_empty() => {
                let mut ids: Vec<_> = days.iter().map(|day| text(day, "/_id")).collect();
                let turn = below(ids.len() as u64) as usize;
                ids.rotate_left(turn);
                app.patch(&format!("/workout/clients/{client}/plans/template/{plan}/reorder-days"), json!({"planMomentIds": ids})).await.ok();
            }
            4 if !days.is_empty() => {
                let day = &days[below(days.len() as u64) as usize];
                let body = json!({"planId": plan, "planMomentId": day["_id"]});
                let made = app.post(&sessions, body).await.ok();
                let session = &made.data()["session"];
                assert_eq!((&session["plan"]["dayName"], &session["plan"]["weekNumber"]), (&day["name"], &day["weekNumber"]));
                logged.insert(text(session, "/sessionId"), session["plan"].clone());
            }
            _ => drop(app.act(&format!("{base}/weeks")).await),
        }
        for (day, order) in days_of(&app, &plan).await.iter().zip(1..) {
            assert_eq!(day["dayOrder"], order);
        }
    }
    assert!(logged.len() > 2, "some sessions were logged");
    for (id, plan) in logged {
        let now = app.get(&format!("{sessions}/{id}")).await.ok();
        assert_eq!(now.data()["session"]["plan"], plan, "no session is relabelled");
    }
}
