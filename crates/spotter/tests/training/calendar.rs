//! Clients' calendars.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    dates::{after, ago, day, monday},
    people, scenario, text,
    training::{add_day, assign, days_of, new_template, publish, template_of},
};

async fn items(app: &App, client: &str, from: &str, to: &str) -> Vec<Value> {
    let reply =
        app.get(&format!("/workout/clients/{client}/calendar?from={from}&to={to}")).await.ok();
    let calendar = &reply.data()["calendar"];
    assert_eq!(
        (&calendar["from"], &calendar["to"], &calendar["today"]),
        (&json!(from), &json!(to), &json!(day(0)))
    );
    assert_eq!(calendar["timeZone"], "Europe/Amsterdam");
    calendar["items"].as_array().unwrap().clone()
}

fn due(items: &[Value]) -> Vec<(String, String)> {
    items.iter().map(|item| (text(item, "/name"), text(item, "/scheduledDate"))).collect()
}

#[scenario]
async fn due_items_between_two_dates(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template =
        template_of(&app, json!({"layout": "calendar_week", "mode": "multi_week", "weeks": 2}))
            .await;
    for (name, week, weekday, time) in
        [("Late", 1, 2, "19:00"), ("Early", 1, 2, "06:30"), ("Sunday", 2, 7, "02:30")]
    {
        add_day(
            &app,
            &template,
            json!({"name": name, "weekNumber": week, "weekday": weekday, "startTime": time}),
        )
        .await;
    }
    add_day(&app, &template, json!({"name": "Any time", "weekday": 2})).await;
    publish(&app, &template).await;
    // The clocks go from 02:00 to 03:00 on Sunday 28 March 2027 in Amsterdam.
    let plan = assign(&app, &client, &template, Some("2027-03-15")).await;
    let all = items(&app, &client, "2027-03-01", "2027-04-30").await;
    let dates = [
        ("Early", "2027-03-16"),
        ("Late", "2027-03-16"),
        ("Any time", "2027-03-16"),
        ("Sunday", "2027-03-28"),
    ];
    assert_eq!(due(&all), dates.map(|(name, date)| (name.to_owned(), date.to_owned())));
    assert_eq!(
        all.iter().map(|item| item["order"].as_i64().unwrap()).collect::<Vec<_>>(),
        [1, 2, 3, 1]
    );
    let instants: Vec<_> = all.iter().map(|item| item["startsAt"].clone()).collect();
    assert_eq!(
        instants,
        [
            json!("2027-03-16T05:30:00.000Z"),
            json!("2027-03-16T18:00:00.000Z"),
            Value::Null,
            json!("2027-03-28T01:30:00.000Z")
        ]
    );
    assert!(all.iter().all(|item| item["planId"] == plan.as_str()
        && item["status"] == "upcoming"
        && item["canClientRestore"] == false));
    assert_eq!(
        items(&app, &client, "2027-03-16", "2027-03-16").await.len(),
        3,
        "both ends are included"
    );
    assert_eq!(items(&app, &client, "2027-03-17", "2027-03-27").await.len(), 0);
    let path = format!("/workout/clients/{client}/calendar");
    for (query, key, field) in [
        ("", "PUBLIC_API_DATE_RANGE_REQUIRED", "from"),
        ("?from=2027-03-01", "PUBLIC_API_DATE_RANGE_REQUIRED", "to"),
        ("?from=2027-03-02&to=2027-03-01", "PUBLIC_API_DATE_RANGE_ORDER_INVALID", "to"),
        ("?from=2027-01-01&to=2027-04-03", "PUBLIC_API_DATE_RANGE_TOO_LARGE", "to"),
        ("?from=2027-02-30&to=2027-03-01", "PUBLIC_API_INVALID_DATE_RANGE", "from"),
    ] {
        app.get(&format!("{path}{query}")).await.refused(400, key).about(field);
    }
}

#[scenario]
async fn recurring_plans_repeat(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = template_of(&app, json!({"layout": "calendar_week", "weeks": 2})).await;
    for (name, week) in [("A", 1), ("B", 2)] {
        add_day(&app, &template, json!({"name": name, "weekNumber": week, "weekday": 3})).await;
    }
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, Some(&monday(-4))).await;
    let names: Vec<_> = due(&items(&app, &client, &monday(-6), &after(&monday(1), 6)).await);
    let expected: Vec<_> = (-4..=1)
        .map(|week: i64| {
            (if week % 2 == 0 { "A" } else { "B" }.to_owned(), after(&monday(week), 2))
        })
        .collect();
    assert_eq!(names, expected);
    let days = days_of(&app, &plan).await;
    let sessions = format!("/workout/clients/{client}/plans/sessions");
    let body = json!({"planId": plan, "planMomentId": days[0]["_id"], "occurrenceDate": after(&monday(-2), 2), "completedAt": ago(5)});
    let made = app.post(&sessions, body).await.ok();
    let response = items(&app, &client, &monday(-4), &after(&monday(-1), 6)).await;
    let statuses: Vec<_> = response.iter().map(|item| text(item, "/status")).collect();
    assert_eq!(statuses, ["missed", "missed", "completed", "missed"], "one date of many is done");
    assert_eq!(response[2]["sessionId"], made.data()["session"]["sessionId"]);
    let wrong = json!({"planId": plan, "planMomentId": days[1]["_id"], "occurrenceDate": after(&monday(-2), 2)});
    app.post(&sessions, wrong).await.refused(404, "resource.not_found").about("occurrenceDate");
}

#[scenario]
async fn moves_and_restores(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let start = monday(2);
    let plan = assign(&app, &client, &template, Some(&start)).await;
    let days = days_of(&app, &plan).await;
    let path = format!("/workout/clients/{client}/calendar/moves");
    let moved = |day: &Value, from: &str, to: &str| json!({"planId": plan, "planMomentId": day["_id"], "occurrenceDate": from, "scheduledDate": to});
    let outside = after(&start, -10);
    let made = app.post(&path, moved(&days[0], &start, &outside)).await.ok();
    let item = made.data()["item"].clone();
    assert_eq!(
        (made.status, &item["plannedDate"], &item["scheduledDate"], &item["canClientRestore"]),
        (201, &json!(start), &json!(outside), &json!(true))
    );
    assert_eq!(
        (&item["clientAdjustment"]["action"], &item["clientAdjustment"]["occurrenceDate"]),
        (&json!("moved"), &json!(start))
    );
    assert_eq!(
        due(&items(&app, &client, &outside, &outside).await),
        [("W1D1".to_owned(), outside.clone())],
        "also outside the plan's dates"
    );
    assert!(items(&app, &client, &start, &start).await.is_empty());
    let again = app.post(&path, moved(&days[0], &start, &after(&start, 1))).await.ok();
    assert_eq!(
        (&again.data()["item"]["moveId"], &again.data()["item"]["scheduledDate"]),
        (&item["moveId"], &json!(after(&start, 1)))
    );
    let before = app.state().await;
    for (body, status, key, field) in [
        (moved(&days[0], &start, &start), 400, "request.invalid", "scheduledDate"),
        (moved(&days[0], &start, &after(&start, 93)), 400, "request.invalid", "scheduledDate"),
        (
            moved(&days[0], &after(&start, 1), &after(&start, 2)),
            404,
            "resource.not_found",
            "occurrenceDate",
        ),
        (
            moved(&json!({"_id": "0".repeat(24)}), &start, &after(&start, 2)),
            404,
            "resource.not_found",
            "occurrenceDate",
        ),
        (json!({"planId": plan}), 400, "request.invalid", "planMomentId"),
    ] {
        app.post(&path, body).await.refused(status, key).about(field);
    }
    assert_eq!(before, app.state().await);
    let one = format!("{path}/{}", text(&item, "/moveId"));
    let restored = app.delete(&one).await.ok();
    let back = &restored.data()["item"];
    assert_eq!(
        (&back["scheduledDate"], &back["clientAdjustment"], &back["moveId"]),
        (&json!(start), &Value::Null, &Value::Null)
    );
    app.delete(&one).await.refused(404, "resource.not_found");
    assert_eq!(items(&app, &client, &start, &start).await.len(), 1);
    // An early start completes it; a completed workout cannot be moved.
    let body = json!({"planId": plan, "planMomentId": days[0]["_id"], "completedAt": ago(1)});
    app.post(&format!("/workout/clients/{client}/plans/sessions"), body).await.ok();
    app.post(&path, moved(&days[0], &start, &after(&start, 2)))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("occurrenceDate");
    let gone = app.post(&path, moved(&days[1], &after(&start, 3), &after(&start, 4))).await.ok();
    app.delete(&format!("/workout/clients/{client}/plans/template/{plan}")).await.ok();
    let restored = app.delete(&format!("{path}/{}", text(gone.data(), "/item/moveId"))).await.ok();
    assert_eq!(restored.data()["item"], Value::Null, "the plan is no more");
    app.announced(&[]).await;
}

#[scenario]
async fn statuses_describe_a_day(app: App) {
    let (client, token) = people::client(&app).await;
    let template = template_of(&app, json!({"layout": "calendar_week", "mode": "multi_week", "weeks": 3, "releasePolicy": "weekly_from_start"})).await;
    for week in 1..=3 {
        for weekday in 1..=7 {
            add_day(&app, &template, json!({"name": format!("{week}.{weekday}"), "weekNumber": week, "weekday": weekday})).await;
        }
    }
    publish(&app, &template).await;
    let plan = assign(&app, &client, &template, Some(&monday(-1))).await;
    let days = days_of(&app, &plan).await;
    let sessions = format!("/workout/clients/{client}/plans/sessions");
    app.post(
        &sessions,
        json!({"planId": plan, "planMomentId": days[0]["_id"], "completedAt": ago(1)}),
    )
    .await
    .ok();
    app.post(&sessions, json!({"planId": plan, "planMomentId": days[1]["_id"]})).await.ok();
    let response = items(&app, &client, &monday(-1), &after(&monday(1), 6)).await;
    let status = |date: String| {
        let item = response.iter().find(|item| item["scheduledDate"] == date.as_str());
        text(item.unwrap(), "/status")
    };
    assert_eq!(status(monday(-1)), "completed");
    assert_eq!(status(after(&monday(-1), 1)), "in_progress");
    assert_eq!(status(after(&monday(-1), 2)), "missed");
    assert_eq!(status(day(0)), "today");
    assert_eq!(status(monday(1)), "locked", "next week is released when it begins");
    if day(1) < monday(1) {
        assert_eq!(status(day(1)), "upcoming");
    }
    // A locked workout is refused to the client, and allowed to staff.
    let locked =
        json!({"planId": plan, "planMomentId": days[14]["_id"], "occurrenceDate": monday(1)});
    let mut moved = locked.clone();
    moved["scheduledDate"] = json!(after(&monday(1), 1));
    for (path, body) in [("plans/sessions", &locked), ("calendar/moves", &moved)] {
        let path = format!("/workout/clients/{client}/{path}");
        let refused = app.app_as(&token, "POST", &path, Some(body.clone())).await;
        refused.refused(409, "PUBLIC_API_ERROR").about("occurrenceDate");
    }
    app.post(&sessions, locked).await.ok();
}

#[scenario]
async fn sequences_that_end_have_dates(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let template = template_of(&app, json!({"mode": "multi_week", "weeks": 2})).await;
    for (name, week) in [("A", 1), ("B", 1), ("C", 2)] {
        add_day(&app, &template, json!({"name": name, "weekNumber": week})).await;
    }
    publish(&app, &template).await;
    assign(&app, &client, &template, Some("2027-03-25")).await;
    let dates = [("A", "2027-03-25"), ("B", "2027-03-26"), ("C", "2027-04-01")];
    assert_eq!(
        due(&items(&app, &client, "2027-03-01", "2027-04-30").await),
        dates.map(|(name, date)| (name.to_owned(), date.to_owned()))
    );
}
