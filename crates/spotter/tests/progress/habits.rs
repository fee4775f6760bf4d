//! Habits: due days, entries, and streaks by the client's local dates.

use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    dates::day,
    people,
    progress::take_up,
    scenario, text,
    travel::{Travel, travelling},
};

fn entry(client: &str, habit: &str, date: &str) -> String {
    format!("/clients/{client}/habits/{habit}/entries/{date}")
}

#[scenario]
async fn amounts_are_judged_by_their_target(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    for (direction, cases) in [
        ("at_least", [(7.99, "missed"), (8.0, "done")]),
        ("at_most", [(8.01, "missed"), (8.0, "done")]),
    ] {
        let new = json!({"name": "Sleep", "kind": "amount", "target": 8, "unit": "h", "direction": direction});
        let habit = take_up(&app, &client, new).await;
        for (amount, status) in cases {
            let response =
                app.put(&entry(&client, &habit, &day(0)), json!({"amount": amount})).await.ok();
            let response = &response.data()["entry"];
            assert_eq!(
                (&response["status"], &response["amount"]),
                (&json!(status), &json!(amount))
            );
        }
        // Only the first is news.
        app.announced(&["habit_entry.created"]).await;
        // A recorded status stays, whatever the target is later.
        let path = format!("/clients/{client}/habits/{habit}");
        let much = if direction == "at_least" { 9 } else { 7 };
        app.patch(&path, json!({"target": much})).await.ok();
        let response = app.get(&entry(&client, &habit, &day(0))).await.ok();
        assert_eq!(response.data()["entry"]["status"], "done");
        let skipped =
            app.put(&entry(&client, &habit, &day(0)), json!({"status": "skipped"})).await.ok();
        assert_eq!(skipped.data()["entry"]["amount"], Value::Null);
        let response = app.delete(&entry(&client, &habit, &day(0))).await.ok();
        assert_eq!(response.data()["habit"]["currentStreak"], 0);
        app.get(&entry(&client, &habit, &day(0))).await.refused(404, "resource.not_found");
        app.announced(&[]).await;
    }
}

#[scenario]
async fn entries_need_a_past_date(app: App) {
    let (client, token) = people::client(&app).await;
    let habit = take_up(&app, &client, json!({"name": "Water", "startDate": day(-30)})).await;
    let path = |days| entry(&client, &habit, &day(days));
    app.put(&path(1), json!({})).await.refused(400, "request.invalid").about("date");
    app.put(&path(-31), json!({})).await.refused(400, "request.invalid").about("date");
    app.put(&path(-30), json!({})).await.ok();
    let late = app.app_as(&token, "PUT", &path(-8), Some(json!({}))).await;
    late.refused(400, "request.invalid").about("date");
    for days in [-7, -6, 0] {
        app.app_as(&token, "PUT", &path(days), None).await.ok();
    }
    let all = format!("/clients/{client}/habits/{habit}/entries");
    let response = app.get(&format!("{all}?from={}&to={}", day(-7), day(0))).await.ok();
    let dates: Vec<_> = response.data()["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(one, "/date"))
        .collect();
    assert_eq!(dates, [day(-6), day(-7)]);
    let bad = app.get(&format!("{all}?from={}&to={}", day(0), day(-1))).await;
    bad.refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
    app.put(&entry(&client, &habit, "tomorrow"), json!({}))
        .await
        .refused(400, "PUBLIC_API_INVALID_DATE");
}

#[scenario]
async fn clients_keep_their_habits_and_change_their_own(app: App) {
    let (client, token) = people::client(&app).await;
    let all = format!("/clients/{client}/habits");
    let coachs = take_up(&app, &client, json!({"name": "Stretch"})).await;
    let made = app.app_as(&token, "POST", &all, Some(json!({"name": "Read"}))).await.ok();
    let own = text(made.data(), "/habit/habitId");
    let rename = Some(json!({"name": "Rest"}));
    let refused = app.app_as(&token, "PATCH", &format!("{all}/{coachs}"), rename.clone()).await;
    refused.refused(403, "auth.forbidden");
    app.app_as(&token, "PATCH", &format!("{all}/{own}"), rename).await.ok();
    app.app_as(&token, "PUT", &entry(&client, &coachs, &day(0)), None).await.ok();
    app.patch(&format!("{all}/{own}"), json!({"status": "archived"})).await.ok();
    let done = app.app_as(&token, "PUT", &entry(&client, &own, &day(0)), None).await;
    done.refused(409, "PUBLIC_API_ERROR").about("habitId");
    let response = app.app_as(&token, "GET", &format!("{all}?status=active"), None).await.ok();
    assert_eq!(response.data()["total"], 1);
}

#[scenario]
async fn contradictions_are_refused(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let all = format!("/clients/{client}/habits");
    for (body, field) in [
        (json!({"name": "Water", "kind": "amount"}), "target"),
        (json!({"name": "Water", "target": 2}), "target"),
        (json!({"name": "Water", "unit": "l"}), "unit"),
        (json!({"name": "Water", "startDate": "2020-01-01"}), "startDate"),
        (json!({"name": "Water", "schedule": {"kind": "weekdays"}}), "schedule.weekdays"),
        (
            json!({"name": "Water", "schedule": {"kind": "weekdays", "weekdays": [8]}}),
            "schedule.weekdays",
        ),
        (
            json!({"name": "Water", "schedule": {"kind": "times_per_week", "times": 8}}),
            "schedule.times",
        ),
    ] {
        app.post(&all, body.clone()).await.refused(400, "request.invalid").about(field);
    }
    let over = json!({"name": "Water", "endDate": day(-1)});
    app.post(&all, over).await.refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID").about("endDate");
    let habit = take_up(&app, &client, json!({"name": "Water"})).await;
    let path = entry(&client, &habit, &day(0));
    app.put(&path, json!({"amount": 1})).await.refused(400, "request.invalid").about("amount");
    let count =
        take_up(&app, &client, json!({"name": "Steps", "kind": "amount", "target": 1})).await;
    let path = entry(&client, &count, &day(0));
    app.put(&path, json!({})).await.refused(400, "request.invalid").about("amount");
    app.put(&path, json!({"status": "done"})).await.refused(400, "request.invalid").about("status");
    for _ in 0..48 {
        take_up(&app, &client, json!({"name": "Habit"})).await;
    }
    app.post(&all, json!({"name": "One more"}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("clientId");
}

async fn streak(travel: &Travel, client: &str, habit: &str) -> (i64, i64) {
    let response = travel.app.get(&format!("/clients/{client}/habits/{habit}")).await.ok();
    let of = |name: &str| response.data()["habit"][name].as_i64().unwrap();
    (of("currentStreak"), of("longestStreak"))
}

#[scenario(process, clock)]
fn streaks_are_by_the_clients_days(engine: Engine) {
    travelling(engine, "2026-03-27T11:30:00Z", |mut travel: Travel| async move {
        // In Auckland it is the 28th already, and an hour is lost on the 5th of April.
        let zone = json!({"firstName": "Ann", "timeZone": "Pacific/Auckland"});
        let client = travel.app.new_client(zone).await;
        let habit = take_up(&travel.app, &client, json!({"name": "Water"})).await;
        for date in ["2026-03-28", "2026-03-29", "2026-03-30"] {
            travel.app.put(&entry(&client, &habit, date), json!({})).await.ok();
            let next = format!("{date}T11:30:00Z");
            travel.to(&next).await;
        }
        assert_eq!(streak(&travel, &client, &habit).await, (3, 3));
        // The 31st is not over at her location.
        travel.to("2026-03-31T10:59:00Z").await;
        assert_eq!(streak(&travel, &client, &habit).await, (3, 3));
        travel.to("2026-03-31T11:00:00Z").await;
        assert_eq!(streak(&travel, &client, &habit).await, (0, 3));
        // A forgotten entry can be added later.
        travel.app.put(&entry(&client, &habit, "2026-03-31"), json!({})).await.ok();
        assert_eq!(streak(&travel, &client, &habit).await, (4, 4));
    });
}

#[scenario(process, clock)]
fn pauses_break_no_streak(engine: Engine) {
    travelling(engine, "2026-03-02T09:00:00Z", |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let twice = json!({"name": "Swim", "schedule": {"kind": "times_per_week", "times": 2}});
        let habit = take_up(&travel.app, &client, twice).await;
        let path = format!("/clients/{client}/habits/{habit}");
        travel.to("2026-03-04T09:00:00Z").await;
        for date in ["2026-03-02", "2026-03-04"] {
            travel.app.put(&entry(&client, &habit, date), json!({})).await.ok();
        }
        assert_eq!(streak(&travel, &client, &habit).await, (1, 1));
        travel.app.patch(&path, json!({"status": "paused"})).await.ok();
        travel.to("2026-04-01T09:00:00Z").await;
        assert_eq!(streak(&travel, &client, &habit).await, (1, 1));
        let awake = travel.app.patch(&path, json!({"status": "active"})).await.ok();
        assert_eq!(
            awake.data()["habit"]["rests"],
            json!([{"from": "2026-03-04", "until": "2026-04-01"}])
        );
        // This week was rested in, the next one is whole.
        travel.to("2026-04-12T09:00:00Z").await;
        assert_eq!(streak(&travel, &client, &habit).await, (1, 1));
        travel.to("2026-04-13T09:00:00Z").await;
        assert_eq!(streak(&travel, &client, &habit).await, (0, 1));
    });
}
