//! Recurring bookings: booked whole or up to a horizon, by the clock of their zone, cancelled in part.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    calendar::{always, book, coach_at_work, new_class, new_type},
    dates::at,
    people, rebuild_metrics, scenario, text, with,
};
use spotter_store::{Sql, params};

/// Something to book again and again: the type, the coach, the client.
async fn prepared(app: &App) -> Value {
    let coach = coach_at_work(app).await;
    let event_type = new_type(app, json!({"coachIds": [coach], "bookingWindowDays": 10})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    json!({"clientId": client, "eventTypeId": event_type, "coachId": coach})
}

/// The same on dates, at ten.
fn on(own: &Value, dates: Value) -> Value {
    with(own, json!({"recurrence": with(&json!({"startTime": "10:00"}), dates)}))
}

async fn bookings(app: &App, client: &Value) -> Vec<Value> {
    let path = format!("/bookings?limit=100&clientId={}", client.as_str().unwrap());
    let mut all = app.get(&path).await.ok().data()["bookings"].as_array().unwrap().clone();
    all.reverse();
    all
}

/// The dates in the pattern of those that are booked.
async fn booked(app: &App, client: &Value) -> Vec<String> {
    let all = bookings(app, client).await.into_iter();
    let live = all.filter(|booking| booking["status"] == "booked");
    live.map(|booking| text(&booking, "/occurrenceDate")).collect()
}

#[scenario]
async fn a_series_is_booked_whole_by_the_clock(app: App) {
    let own = prepared(&app).await;
    let coach = text(&own, "/coachId");
    let hours = json!({"timeZone": "Europe/Amsterdam", "weekly": always()});
    app.put(&format!("/coaches/{coach}/availability"), hours).await.ok();
    app.events().await;
    let dates = json!({"weekdays": [7], "startDate": "2027-03-15", "count": 3});
    let new = with(&on(&own, dates), json!({"note": "Season ticket"}));
    let made = app.post("/recurring-bookings", new).await.ok();
    let series = &made.data()["recurringBooking"];
    assert_eq!(series["recurrence"]["timeZone"], "Europe/Amsterdam");
    let response = app.announced(&["booking.created", "booking.created", "booking.created"]).await;
    assert!(
        response
            .iter()
            .all(|response| response["recurringBookingId"] == series["recurringBookingId"])
    );
    let all = bookings(&app, &own["clientId"]).await;
    let view: Vec<_> =
        all.iter().map(|booking| text(booking, "/localStartsAt")[..16].to_owned()).collect();
    assert_eq!(view, ["2027-03-21T10:00", "2027-03-28T10:00", "2027-04-04T10:00"]);
    let instants: Vec<_> = all.iter().map(|booking| text(booking, "/startsAt")).collect();
    assert_eq!(
        instants[0], "2027-03-21T09:00:00.000Z",
        "an hour later by the sun before the change"
    );
    assert_eq!(instants[1], "2027-03-28T08:00:00.000Z");
    assert_eq!(all[0]["note"], "Season ticket");
}

#[scenario]
async fn conflicts_are_refused_together_or_skipped(app: App) {
    let own = prepared(&app).await;
    let (first, second) = (at(40, 0)[..10].to_owned(), at(41, 0)[..10].to_owned());
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    for day in [40, 42] {
        book(
            &app,
            with(
                &json!({"clientId": other, "startsAt": at(day, 600), "ignorePolicy": true}),
                json!({"eventTypeId": own["eventTypeId"], "coachId": own["coachId"]}),
            ),
        )
        .await;
    }
    app.events().await;
    let state = app.state().await;
    let new = on(&own, json!({"weekdays": [1, 2, 3, 4, 5, 6, 7], "startDate": first, "count": 3}));
    let refused = app.post("/recurring-bookings", new.clone()).await;
    let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let conflicts = refused.body["error"]["details"]["conflicts"].as_array().unwrap();
    assert_eq!(conflicts.len(), 2);
    assert_eq!(conflicts[0], json!({"date": first, "reasons": ["coach_busy"], "stays": false}));
    assert_eq!(state, app.state().await);
    let made =
        app.post("/recurring-bookings", with(&new, json!({"onConflict": "skip"}))).await.ok();
    assert_eq!(made.data()["recurringBooking"]["skipped"].as_array().unwrap().len(), 2);
    app.announced(&["booking.created"]).await;
    assert_eq!(booked(&app, &own["clientId"]).await, [second]);
}

#[scenario]
async fn one_following_and_all_are_cancelled(app: App) {
    let own = prepared(&app).await;
    let date = |day: i64| at(day, 0)[..10].to_owned();
    let new =
        on(&own, json!({"weekdays": [1, 2, 3, 4, 5, 6, 7], "startDate": date(50), "count": 6}));
    let made = app.post("/recurring-bookings", new).await.ok();
    let id = text(made.data(), "/recurringBooking/recurringBookingId");
    let path = format!("/recurring-bookings/{id}/cancel");
    // One that was moved is still that of its date.
    let all = bookings(&app, &own["clientId"]).await;
    let moved = text(&all[4], "/bookingId");
    let to = json!({"startsAt": at(70, 600), "ignorePolicy": true});
    let response = app.post(&format!("/bookings/{moved}/reschedule"), to).await.ok();
    assert_eq!(response.data()["booking"]["isException"], true);
    app.events().await;
    app.post(&path, json!({"scope": "this"}))
        .await
        .refused(400, "request.invalid")
        .about("occurrenceDate");
    app.post(&path, json!({"scope": "this", "occurrenceDate": date(49)}))
        .await
        .refused(404, "resource.not_found")
        .about("occurrenceDate");
    let response = app.post(&path, json!({"scope": "this", "occurrenceDate": date(51)})).await.ok();
    assert_eq!(response.data()["recurringBooking"]["recurrence"]["exclusions"], json!([date(51)]));
    app.announced(&["booking.cancelled", "recurring_booking.changed"]).await;
    assert_eq!(
        booked(&app, &own["clientId"]).await,
        [date(50), date(52), date(53), date(55), date(54)]
    );
    let response =
        app.post(&path, json!({"scope": "following", "occurrenceDate": date(54)})).await.ok();
    assert_eq!(response.data()["recurringBooking"]["recurrence"]["untilDate"], json!(date(53)));
    assert_eq!(response.data()["recurringBooking"]["status"], "active");
    app.announced(&["booking.cancelled", "booking.cancelled", "recurring_booking.changed"]).await;
    app.post(&path, json!({"scope": "all"})).await.ok();
    app.events().await;
    assert_eq!(booked(&app, &own["clientId"]).await, [""; 0]);
    app.post(&path, json!({"scope": "all"})).await.refused(409, "PUBLIC_API_ERROR").about("status");
}

#[scenario]
async fn an_endless_series_is_extended(app: App) {
    let own = prepared(&app).await;
    let dates = json!({"weekdays": [1, 3], "startDate": at(1, 0)[..10]});
    let new = with(&on(&own, dates), json!({"onConflict": "skip"}));
    let made = app.post("/recurring-bookings", new).await.ok();
    let id = text(made.data(), "/recurringBooking/recurringBookingId");
    let count = booked(&app, &own["clientId"]).await.len();
    assert!((26..=28).contains(&count), "{count}");
    app.events().await;
    // A fortnight is removed from the bookings; the next extension books it again.
    let (company, back) = (app.company, at(79, 0)[..10].to_owned());
    const BACK: Sql = Sql("UPDATE recurring_booking SET made_through = ?2 WHERE company_id = ?1");
    const GONE: Sql = Sql("UPDATE booking SET occurrence_date = NULL, status = 'cancelled' \
        WHERE company_id = ?1 AND occurrence_date > ?2");
    const DUE: Sql =
        Sql("UPDATE timer SET due_at = 1 WHERE company_id = ?1 AND kind = 'extend_series'");
    const FREE: Sql = Sql("UPDATE calendar_day SET busy = ?2 WHERE company_id = ?1 AND day > ?3");
    let day = spotter_kernel::Timestamp::parse(&at(79, 0)).unwrap().millis() / 86_400_000;
    let nothing: &[u8] = &[];
    app.server
        .db
        .write(move |tx| {
            tx.execute(BACK, params![company, back])?;
            tx.execute(GONE, params![company, back])?;
            tx.execute(FREE, params![company, nothing, day])?;
            tx.execute(DUE, params![company])
        })
        .await
        .unwrap();
    let began = std::time::Instant::now();
    while booked(&app, &own["clientId"]).await.len() < count {
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "it is not booked further");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let response = app.events().await;
    assert!(
        !response.is_empty() && response.iter().all(|(name, _)| name == "booking.created"),
        "{response:?}"
    );
    let series = app.get(&format!("/recurring-bookings/{id}")).await.ok();
    assert_eq!(series.data()["recurringBooking"]["recurrence"]["untilDate"], json!(null));
    rebuild_metrics(&app).await;
}

#[scenario]
async fn classes_recur_where_they_take_place(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"kind": "class", "capacity": 2})).await;
    for day in [60, 62] {
        new_class(&app, &event_type, &coach, &at(day, 600)).await;
    }
    let client = json!(app.new_client(json!({"firstName": "Ann"})).await);
    let new = json!({"clientId": client, "eventTypeId": event_type, "coachId": coach,
        "recurrence": {"startTime": "10:00", "weekdays": [1, 2, 3, 4, 5, 6, 7],
            "startDate": at(60, 0)[..10], "count": 3},
        "onConflict": "skip"});
    let made = app.post("/recurring-bookings", new).await.ok();
    let skipped = &made.data()["recurringBooking"]["skipped"];
    assert_eq!(*skipped, json!([{"date": at(61, 0)[..10], "reasons": ["closed"], "stays": false}]));
    assert_eq!(booked(&app, &client).await.len(), 2);
}

#[scenario]
async fn series_are_checked(app: App) {
    let prepared = prepared(&app).await;
    let dates = json!({"weekdays": [1], "startDate": at(5, 0)[..10], "startTime": "10:00"});
    let date = |day: i64| at(day, 0)[..10].to_owned();
    for (change, key, field) in [
        (json!({"weekdays": []}), "request.invalid", "weekdays"),
        (json!({"weekdays": [8]}), "request.invalid", "weekdays[0]"),
        (json!({"intervalWeeks": 9}), "request.invalid", "intervalWeeks"),
        (json!({"count": 105}), "request.invalid", "count"),
        (json!({"count": 2, "untilDate": date(30)}), "request.invalid", "count"),
        (json!({"untilDate": date(1)}), "PUBLIC_API_DATE_RANGE_ORDER_INVALID", "untilDate"),
        (json!({"untilDate": date(400)}), "PUBLIC_API_DATE_RANGE_TOO_LARGE", "untilDate"),
        (json!({"count": 104}), "PUBLIC_API_DATE_RANGE_TOO_LARGE", "count"),
        (json!({"weekdays": [1, 2, 3], "untilDate": date(370)}), "request.invalid", "untilDate"),
        (json!({"startDate": "2020-01-06"}), "request.invalid", "startDate"),
        (json!({"startDate": date(400)}), "request.invalid", "startDate"),
        (json!({"startTime": "25:00"}), "request.invalid", "startTime"),
    ] {
        let new = with(&prepared, json!({"recurrence": with(&dates, change)}));
        let refused = app.post("/recurring-bookings", new).await;
        refused.refused(400, key).about(&format!("recurrence.{field}"));
    }
    let none = json!({"weekdays": [1], "startDate": date(5), "untilDate": date(5)});
    let monday =
        spotter_kernel::Date::parse(&date(5)).unwrap().0.weekday().to_monday_one_offset() == 1;
    if !monday {
        let refused = app.post("/recurring-bookings", on(&prepared, none)).await;
        refused.refused(400, "request.invalid").about("recurrence");
    }
    let elsewhere = with(&on(&prepared, dates.clone()), json!({"locationId": "0".repeat(24)}));
    app.post("/recurring-bookings", elsewhere)
        .await
        .refused(404, "resource.not_found")
        .about("locationId");
    let other = coach_at_work(&app).await;
    let not_theirs = with(&on(&prepared, dates.clone()), json!({"coachId": other}));
    app.post("/recurring-bookings", not_theirs)
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("coachId");
    let own = on(&prepared, dates.clone());
    let (client, token) = people::client(&app).await;
    app.app_as(&token, "POST", "/recurring-bookings", Some(own.clone()))
        .await
        .refused(403, "auth.forbidden");
    let made = app
        .post("/recurring-bookings", on(&prepared, with(&dates, json!({"count": 1}))))
        .await
        .ok();
    let path = format!(
        "/recurring-bookings/{}",
        text(made.data(), "/recurringBooking/recurringBookingId")
    );
    app.app_as(&token, "GET", &path, None).await.refused(404, "resource.not_found");
    let mine = with(&dates, json!({"count": 2, "startDate": date(20)}));
    let mine = with(&on(&prepared, mine), json!({"clientId": client}));
    app.post("/recurring-bookings", mine).await.ok();
    let seen = app.app_as(&token, "GET", "/recurring-bookings", None).await.ok();
    assert_eq!(seen.data()["total"], 1);
    app.events().await;
    app.act(&format!("/clients/{client}/archive")).await.ok();
    let mut response: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    response.sort();
    assert_eq!(
        response,
        ["booking.cancelled", "booking.cancelled", "client.archived", "recurring_booking.changed"]
    );
}
