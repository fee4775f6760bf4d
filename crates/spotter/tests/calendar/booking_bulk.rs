//! Changes of many bookings: each is changed, was so already, or is refused by itself.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    calendar::{book, coach_at_work, free_start, new_class, new_type},
    dates::this_minute,
    scenario, text,
};

const PATH: &str = "/bookings/bulk";

/// What became of each, by the order of the request.
fn outcomes(report: &Value) -> Vec<&str> {
    let results = report["report"]["results"].as_array().unwrap();
    results.iter().map(|one| one["outcome"].as_str().unwrap()).collect()
}

/// Bookings of a class that starts then.
async fn booked(app: &App, start: &str, names: &[&str]) -> Vec<String> {
    let coach = coach_at_work(app).await;
    let class = new_type(app, json!({"kind": "class", "capacity": 9})).await;
    let class = new_class(app, &class, &coach, start).await;
    let mut bookings = Vec::new();
    for name in names {
        let client = app.new_client(json!({"firstName": name})).await;
        let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
        bookings.push(book(app, new).await);
    }
    bookings
}

#[scenario]
async fn attendance_of_several_classes_is_marked_at_once(app: App) {
    let now = booked(&app, &this_minute(), &["Ann", "Bo"]).await;
    let later = booked(&app, &free_start(), &["Cas"]).await;
    let mark = json!({"attendanceStatus": "attended"});
    app.post(&format!("/bookings/{}/attendance", now[1]), mark).await.ok();
    app.events().await;
    let nobody = "0".repeat(24);
    let wanted = json!({"bookingIds": [later[0], now[0], now[1], nobody],
        "attendanceStatus": "attended"});
    let before = app.state().await;
    let preview = app.post(&format!("{PATH}/preview"), wanted.clone()).await.ok();
    assert_eq!(before, app.state().await, "a preview changes nothing");
    let made = app.post(PATH, wanted).await.ok();
    assert_eq!(preview.data(), made.data(), "it became what was foreseen");
    assert_eq!(outcomes(made.data()), ["refused", "changed", "unchanged", "refused"]);
    let message = text(made.data(), "/report/results/0/error/message");
    assert!(message.contains("hour"), "{message}");
    app.announced(&["booking.updated"]).await;
}

#[scenario]
async fn many_are_cancelled_without_a_fee(app: App) {
    let bookings = booked(&app, &free_start(), &["Ann", "Bo"]).await;
    app.act(&format!("/bookings/{}/cancel", bookings[1])).await.ok();
    app.events().await;
    let wanted = json!({"bookingIds": bookings, "cancel": true, "reason": "Storm",
        "message": "The roof leaks."});
    let made = app.post(PATH, wanted).await.ok();
    assert_eq!(outcomes(made.data()), ["changed", "unchanged"]);
    app.announced(&["booking.cancelled"]).await;
    let found = app.get(&format!("/bookings/{}", bookings[0])).await.ok();
    let booking = &found.data()["booking"];
    assert_eq!(
        (&booking["cancelledBy"], &booking["cancellationTiming"], &booking["cancellationReason"]),
        (&json!("company"), &json!("early"), &json!("Storm"))
    );
    // Each has a row of its own in the audit log.
    let log = app.app("GET", "/audit-logs?operation=change_bookings", None).await.ok();
    assert_eq!(log.data()["total"], 1);
    assert_eq!(log.data()["auditLogs"][0]["targetId"], json!(bookings[0]));
}

#[scenario]
async fn a_fee_that_was_billed_is_credited(app: App) {
    let coach = coach_at_work(&app).await;
    let policies = json!({"cancellationWindowHours": 24, "bookingWindowDays": 300,
        "noShowFee": {"amount": 2_000, "currency": "EUR"}});
    app.app("PUT", "/company/policies", Some(policies)).await.ok();
    let class = new_type(&app, json!({"kind": "class", "capacity": 9})).await;
    let class = new_class(&app, &class, &coach, &this_minute()).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
    let booking = book(&app, new).await;
    let mark = |status: &str| json!({"bookingIds": [booking], "attendanceStatus": status});
    app.post(PATH, mark("no_show")).await.ok();
    let towel = json!({"clientId": client,
        "lines": [{"description": "Towel", "amount": 1_000, "vatPercentage": 21}]});
    app.app("POST", "/finance/invoices", Some(towel)).await.ok();
    app.events().await;
    let made = app.post(PATH, mark("attended")).await.ok();
    assert_eq!(outcomes(made.data()), ["changed"]);
    let told: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    assert!(told.contains(&"invoice.created".to_owned()), "{told:?}");
}

#[scenario]
async fn one_of_both_is_asked(app: App) {
    let bookings = booked(&app, &free_start(), &["Ann"]).await;
    app.events().await;
    for (act, field) in [
        (json!({}), "attendanceStatus"),
        (json!({"cancel": true, "attendanceStatus": "attended"}), "cancel"),
        (json!({"attendanceStatus": "attended", "reason": "Late"}), "reason"),
        (json!({"attendanceStatus": "attended", "message": "Hi"}), "message"),
    ] {
        let mut wanted = json!({"bookingIds": bookings});
        wanted.as_object_mut().unwrap().extend(act.as_object().unwrap().clone());
        app.post(PATH, wanted).await.refused(400, "request.invalid").about(field);
    }
    let many = vec![&bookings[0]; 101];
    let many = json!({"bookingIds": many, "cancel": true});
    app.post(PATH, many).await.refused(400, "request.invalid").about("bookingIds");
    app.announced(&[]).await;
}
