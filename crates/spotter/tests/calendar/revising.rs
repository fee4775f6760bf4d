//! Changes of recurring bookings: of one, of one and all after it, of all upcoming ones.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    calendar::{book, coach_at_work, new_type},
    dates::at,
    people, scenario, text, with,
};

/// A daily series from day 40 on, at ten: its path, and its client.
async fn series(app: &App, count: i64) -> (String, Value) {
    let coach = coach_at_work(app).await;
    let event_type = new_type(app, json!({"bookingWindowDays": 10})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let own = json!({"clientId": client, "eventTypeId": event_type, "coachId": coach});
    let recurrence = json!({"weekdays": [1, 2, 3, 4, 5, 6, 7], "startTime": "10:00",
        "startDate": date(40), "count": count});
    let new = with(&own, json!({"recurrence": recurrence}));
    let made = app.post("/recurring-bookings", new).await.ok();
    let path = text(made.data(), "/recurringBooking/recurringBookingId");
    app.events().await;
    (format!("/recurring-bookings/{path}"), own)
}

fn date(day: i64) -> String {
    at(day, 0)[..10].to_owned()
}

/// The live bookings of a client in the order of their dates: date, time of the clock, id, series.
async fn live(app: &App, own: &Value) -> Vec<(String, String, String, String)> {
    let client = own["clientId"].as_str().unwrap();
    let path = format!("/bookings?limit=100&status=booked&clientId={client}");
    let response = app.get(&path).await.ok();
    let all = response.data()["bookings"].as_array().unwrap().iter();
    let mut all: Vec<_> = all
        .map(|booking| {
            let time = text(booking, "/localStartsAt")[11..16].to_owned();
            let (id, series) = (text(booking, "/bookingId"), text(booking, "/recurringBookingId"));
            (text(booking, "/occurrenceDate"), time, id, series)
        })
        .collect();
    all.sort();
    all
}

fn times(live: &[(String, String, String, String)]) -> Vec<(&str, &str)> {
    live.iter().map(|(date, time, ..)| (date.as_str(), time.as_str())).collect()
}

#[scenario]
async fn all_upcoming_bookings_move_together(app: App) {
    let (path, own) = series(&app, 4).await;
    let before = live(&app, &own).await;
    // Half an hour later and half an hour earlier, where each still overlaps itself.
    for time in ["10:15", "09:45"] {
        let change = json!({"scope": "all", "recurrence": {"startTime": time}});
        let response = app.patch(&path, change).await.ok();
        assert_eq!(response.data()["recurringBooking"]["recurrence"]["startTime"], time);
        let mut response = app
            .announced(&[&["booking.updated"; 4][..], &["recurring_booking.changed"]].concat())
            .await;
        assert_eq!(response.pop().unwrap()["changedFields"], json!(["recurrence"]));
        assert!(response.iter().all(|response| response["previousStartsAt"].is_string()));
        let after = live(&app, &own).await;
        assert!(after.iter().all(|booking| booking.1 == time));
        let ids = |all: &[(String, String, String, String)]| -> Vec<String> {
            all.iter().map(|booking| booking.2.clone()).collect()
        };
        assert_eq!(ids(&before), ids(&after), "they keep their ids");
    }
    // Another coach takes all of them over; the first is free again.
    let coach = coach_at_work(&app).await;
    app.patch(&path, json!({"scope": "all", "coachId": coach, "note": "With Bo"})).await.ok();
    let id = &before[0].2;
    let response = app.get(&format!("/bookings/{id}")).await.ok();
    let booking = &response.data()["booking"];
    assert_eq!((&booking["coachId"], &booking["note"]), (&json!(coach), &json!("With Bo")));
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let again =
        with(&own, json!({"clientId": other, "startsAt": at(41, 585), "ignorePolicy": true}));
    book(&app, again).await;
}

#[scenario]
async fn dates_that_stay_keep_their_bookings(app: App) {
    let (path, own) = series(&app, 7).await;
    let before = live(&app, &own).await;
    let weekday = |day: i64| {
        spotter_kernel::Date::parse(&date(day)).unwrap().0.weekday().to_monday_one_offset()
    };
    // One is moved, one cancelled, one skipped.
    let to = json!({"startsAt": at(41, 900), "ignorePolicy": true});
    app.post(&format!("/bookings/{}/reschedule", before[1].2), to).await.ok();
    app.post(&format!("/bookings/{}/cancel", before[2].2), json!({})).await.ok();
    let one = json!({"scope": "this", "occurrenceDate": date(43)});
    app.post(&format!("{path}/cancel"), one).await.ok();
    app.events().await;
    let days: Vec<_> = (41..=45).map(weekday).collect();
    let change = json!({"scope": "all", "recurrence": {"weekdays": days, "startTime": "12:00",
        "untilDate": date(46)}});
    app.patch(&path, change).await.ok();
    let mut response: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    response.sort();
    let expected =
        [&["booking.cancelled"; 2][..], &["booking.updated"; 2], &["recurring_booking.changed"]];
    assert_eq!(response, expected.concat(), "40 and 46 are gone, 44 and 45 moved");
    let after = live(&app, &own).await;
    let (d41, d44, d45) = (date(41), date(44), date(45));
    assert_eq!(
        times(&after),
        [(d41.as_str(), "15:00"), (d44.as_str(), "12:00"), (d45.as_str(), "12:00")],
        "the one that was moved stays, what was given up does not come back"
    );
    assert_eq!((&after[0].2, &after[1].2), (&before[1].2, &before[4].2));
}

#[scenario]
async fn the_later_part_becomes_its_own_series(app: App) {
    let (path, own) = series(&app, 6).await;
    let before = live(&app, &own).await;
    let change = json!({"scope": "following", "occurrenceDate": date(43),
        "recurrence": {"startTime": "11:00"}});
    let response = app.patch(&path, change).await.ok();
    let next = &response.data()["recurringBooking"];
    let id = text(next, "/recurringBookingId");
    assert_ne!(path, format!("/recurring-bookings/{id}"));
    assert_eq!(next["recurrence"]["count"], 3);
    assert_eq!(next["recurrence"]["startDate"], date(43));
    let names = ["booking.updated", "booking.updated", "booking.updated"];
    let both = ["recurring_booking.changed", "recurring_booking.changed"];
    let response = app.announced(&[&names[..], &both].concat()).await;
    assert!(response[..3].iter().all(|response| response["recurringBookingId"] == id.as_str()));
    let old = app.get(&path).await.ok();
    let old = &old.data()["recurringBooking"];
    assert_eq!((&old["nextId"], &next["previousId"]), (&json!(id), &old["recurringBookingId"]));
    assert_eq!(old["recurrence"]["untilDate"], date(42));
    let after = live(&app, &own).await;
    assert_eq!(after.len(), 6);
    for (at, (was, is)) in before.iter().zip(&after).enumerate() {
        assert_eq!(was.2, is.2, "ids stay");
        assert_eq!(is.1, if at < 3 { "10:00" } else { "11:00" });
        assert_eq!(is.3 == id, at >= 3);
    }
    // From the first on, it is all.
    let change = json!({"scope": "following", "occurrenceDate": date(40),
        "recurrence": {"startTime": "09:00"}});
    let response = app.patch(&path, change).await.ok();
    assert_eq!(
        response.data()["recurringBooking"]["recurringBookingId"],
        old["recurringBookingId"]
    );
    app.post(&format!("{path}/cancel"), json!({"scope": "all"})).await.ok();
    let after = live(&app, &own).await;
    let (d43, d44, d45) = (date(43), date(44), date(45));
    let eleven = |date| (date, "11:00");
    assert_eq!(times(&after), [eleven(d43.as_str()), eleven(&d44), eleven(&d45)]);
}

#[scenario]
async fn one_is_an_exception(app: App) {
    let (path, own) = series(&app, 3).await;
    let change = |own: Value| with(&json!({"scope": "this", "occurrenceDate": date(41)}), own);
    let time = change(json!({"recurrence": {"startTime": "13:00"}, "note": "Later"}));
    app.patch(&path, time).await.ok();
    let response = app.announced(&["booking.updated"]).await;
    let id = text(&response[0], "/bookingId");
    let response = app.get(&format!("/bookings/{id}")).await.ok();
    let booking = &response.data()["booking"];
    assert_eq!((&booking["isException"], &booking["note"]), (&json!(true), &json!("Later")));
    assert_eq!(booking["occurrenceDate"], date(41));
    app.patch(&path, json!({"scope": "all", "recurrence": {"startTime": "12:00"}})).await.ok();
    let after = live(&app, &own).await;
    let times: Vec<_> = after.iter().map(|booking| booking.1.as_str()).collect();
    assert_eq!(times, ["12:00", "13:00", "12:00"]);
    app.events().await;
    let state = app.state().await;
    let weekdays = change(json!({"recurrence": {"weekdays": [1]}}));
    app.patch(&path, weekdays).await.refused(400, "request.invalid").about("recurrence.weekdays");
    assert_eq!(state, app.state().await);
    // The same again is no change.
    app.patch(&path, change(json!({"recurrence": {"startTime": "13:00"}}))).await.ok();
    app.announced(&[]).await;
}

#[scenario]
async fn a_change_that_does_not_fit_is_refused_or_left_out(app: App) {
    let (path, own) = series(&app, 3).await;
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let taken =
        with(&own, json!({"clientId": other, "startsAt": at(41, 720), "ignorePolicy": true}));
    book(&app, taken).await;
    app.events().await;
    let (state, before) = (app.state().await, live(&app, &own).await);
    let change = json!({"scope": "all", "recurrence": {"startTime": "12:00"}});
    let refused = app.patch(&path, change.clone()).await;
    let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let conflicts = &refused.body["error"]["details"]["conflicts"];
    assert_eq!(*conflicts, json!([{"date": date(41), "reasons": ["coach_busy"], "stays": true}]));
    assert_eq!(state, app.state().await);
    assert_eq!(before, live(&app, &own).await);
    let response = app.patch(&path, with(&change, json!({"onConflict": "skip"}))).await.ok();
    assert_eq!(response.data()["recurringBooking"]["skipped"], *conflicts);
    let after = live(&app, &own).await;
    let times: Vec<_> = after.iter().map(|booking| booking.1.as_str()).collect();
    assert_eq!(times, ["12:00", "10:00", "12:00"], "nobody loses a seat by a change");
    // A skipped date is tried again by the next change.
    let response =
        app.patch(&path, json!({"scope": "all", "recurrence": {"startTime": "14:00"}})).await;
    assert_eq!(response.ok().data()["recurringBooking"]["skipped"], json!([]));
}

#[scenario]
async fn ends_are_changed(app: App) {
    let (path, own) = series(&app, 4).await;
    let shorter = json!({"scope": "all", "recurrence": {"untilDate": date(41)}});
    let response = app.patch(&path, shorter).await.ok();
    assert_eq!(response.data()["recurringBooking"]["recurrence"]["count"], json!(null));
    app.announced(&["booking.cancelled", "booking.cancelled", "recurring_booking.changed"]).await;
    assert_eq!(live(&app, &own).await.len(), 2);
    let longer = json!({"scope": "all", "recurrence": {"count": 5}});
    app.patch(&path, longer).await.ok();
    assert_eq!(live(&app, &own).await.len(), 5);
    let endless = json!({"scope": "following", "occurrenceDate": date(43),
        "recurrence": {"count": null, "weekdays": [1]}});
    let response = app.patch(&path, endless).await.ok();
    let next = &response.data()["recurringBooking"];
    assert_eq!(
        (&next["recurrence"]["untilDate"], &next["status"]),
        (&json!(null), &json!("active"))
    );
    let count = live(&app, &own).await.len();
    assert!((3 + 12..=3 + 14).contains(&count), "{count}");
}

#[scenario]
async fn changes_are_checked(app: App) {
    let (path, _) = series(&app, 2).await;
    let state = app.state().await;
    for (change, status, key, field) in [
        (json!({}), 400, "request.invalid", "scope"),
        (json!({"scope": "this"}), 400, "request.invalid", "occurrenceDate"),
        (
            json!({"scope": "all", "occurrenceDate": date(40)}),
            400,
            "request.invalid",
            "occurrenceDate",
        ),
        (
            json!({"scope": "following", "occurrenceDate": date(39)}),
            404,
            "resource.not_found",
            "occurrenceDate",
        ),
        (
            json!({"scope": "all", "recurrence": {"weekdays": []}}),
            400,
            "request.invalid",
            "recurrence.weekdays",
        ),
        (
            json!({"scope": "all", "recurrence": {"startDate": date(1)}}),
            400,
            "request.invalid",
            "recurrence.startDate",
        ),
        (
            json!({"scope": "all", "recurrence": {"untilDate": date(1)}}),
            400,
            "PUBLIC_API_DATE_RANGE_ORDER_INVALID",
            "recurrence.untilDate",
        ),
        (json!({"scope": "all", "coachId": null}), 400, "PUBLIC_API_INVALID_COACH_ID", "coachId"),
        (
            json!({"scope": "all", "locationId": "0".repeat(24)}),
            404,
            "resource.not_found",
            "locationId",
        ),
    ] {
        app.patch(&path, change.clone()).await.refused(status, key).about(field);
    }
    assert_eq!(state, app.state().await);
    let (_, token) = people::client(&app).await;
    let change = json!({"scope": "all", "note": "x"});
    app.app_as(&token, "PATCH", &path, Some(change.clone())).await.refused(403, "auth.forbidden");
    app.post(&format!("{path}/cancel"), json!({"scope": "all"})).await.ok();
    app.patch(&path, change).await.refused(409, "PUBLIC_API_ERROR").about("status");
}

#[scenario]
async fn a_series_of_seats_follows_its_classes(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"kind": "class", "capacity": 3})).await;
    let recurrence = json!({"weekdays": [1, 2, 3, 4, 5, 6, 7], "startTime": "18:00",
        "timeZone": "UTC", "startDate": date(40), "count": 3});
    let classes = json!({"eventTypeId": event_type, "coachId": coach, "recurrence": recurrence});
    let made = app.app("POST", "/calendar/event-series", Some(classes)).await.ok();
    let classes =
        format!("/calendar/event-series/{}", text(made.data(), "/eventSeries/eventSeriesId"));
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let own = json!({"clientId": client, "eventTypeId": event_type, "coachId": coach});
    let made = app.post("/recurring-bookings", with(&own, json!({"recurrence": recurrence}))).await;
    let id = text(made.ok().data(), "/recurringBooking/recurringBookingId");
    let path = format!("/recurring-bookings/{id}");
    let before = live(&app, &own).await;
    let later = json!({"scope": "all", "recurrence": {"startTime": "18:30"}});
    app.app("PATCH", &classes, Some(later.clone())).await.ok();
    app.events().await;
    // The classes have moved their bookings; the series shows it, and nothing is moved again.
    let response = app.patch(&path, later).await.ok();
    assert_eq!(response.data()["recurringBooking"]["skipped"], json!([]));
    app.announced(&["recurring_booking.changed"]).await;
    let after = live(&app, &own).await;
    assert_eq!(
        before.iter().map(|one| &one.2).collect::<Vec<_>>(),
        after.iter().map(|one| &one.2).collect::<Vec<_>>()
    );
    let response = app.get(&format!("/bookings?recurringBookingId={id}")).await.ok();
    let all = response.data()["bookings"].as_array().unwrap();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|booking| booking["isException"] == false));
    // Moving a class reports its clients' other bookings.
    let talk = new_type(&app, json!({"coachIds": [coach_at_work(&app).await]})).await;
    let besides = json!({"clientId": client, "eventTypeId": talk, "startsAt": at(41, 20 * 60),
        "ignorePolicy": true});
    book(&app, besides).await;
    let onto = json!({"scope": "all", "recurrence": {"startTime": "20:00"}});
    let response = app.app("PATCH", &classes, Some(onto)).await.ok();
    assert_eq!(response.data()["overlappingBookings"]["total"], 1);
    assert_eq!(response.data()["overlappingBookings"]["bookings"][0]["clientId"], client.as_str());
}

#[scenario]
async fn a_part_that_was_split_off_is_not_overrun(app: App) {
    let (path, own) = series(&app, 6).await;
    let split = json!({"scope": "following", "occurrenceDate": date(43),
        "recurrence": {"startTime": "12:00"}});
    let response = app.patch(&path, split).await.ok();
    let next = response.data()["recurringBooking"].clone();
    let state = app.state().await;
    let over = json!({"scope": "all", "recurrence": {"untilDate": date(44)}});
    app.patch(&path, over.clone()).await.refused(409, "PUBLIC_API_ERROR").about("recurrence");
    assert_eq!(state, app.state().await);
    // A part that is split once more leads on to the one that follows.
    let again = json!({"scope": "following", "occurrenceDate": date(41),
        "recurrence": {"startTime": "08:00"}});
    let response = app.patch(&path, again).await.ok();
    let middle = &response.data()["recurringBooking"];
    assert_eq!(middle["nextId"], next["recurringBookingId"]);
    assert_eq!(live(&app, &own).await.len(), 6);
    // Where it does not go on, there is room.
    let id = next["recurringBookingId"].as_str().unwrap();
    app.post(&format!("/recurring-bookings/{id}/cancel"), json!({"scope": "all"})).await.ok();
    let middle = format!("/recurring-bookings/{}", text(middle, "/recurringBookingId"));
    app.patch(&middle, over).await.ok();
}

#[scenario]
async fn simultaneous_changes_settle(app: App) {
    let (path, own) = series(&app, 20).await;
    let coach = own["coachId"].as_str().unwrap();
    let class =
        new_type(&app, json!({"kind": "class", "capacity": 4, "waitlist": {"mode": "auto"}})).await;
    let new = json!({"eventTypeId": class, "coachId": coach, "recurrence": {"startTime": "05:00",
        "weekdays": [1, 2, 3, 4, 5, 6, 7], "timeZone": "UTC", "startDate": date(40), "count": 20}});
    let made = app.app("POST", "/calendar/event-series", Some(new)).await.ok();
    let classes =
        format!("/calendar/event-series/{}", text(made.data(), "/eventSeries/eventSeriesId"));
    let change = async |time: &str, own: bool| {
        let body = json!({"scope": "all", "recurrence": {"startTime": time}});
        loop {
            let response = match own {
                true => app.patch(&path, body.clone()).await,
                false => app.app("PATCH", &classes, Some(body.clone())).await,
            };
            if response.status != 503 {
                break response.status;
            }
        }
    };
    let times = ["06:00", "05:15", "23:30", "00:30", "14:00", "13:15"];
    let all = times.iter().flat_map(|time| [change(time, false), change(time, true)]);
    let response = futures_util::future::join_all(all).await;
    assert!(response.iter().all(|status| [200, 409].contains(status)), "{response:?}");
    assert!(response.iter().filter(|status| **status == 200).count() >= 6, "{response:?}");
    let times: std::collections::BTreeSet<_> =
        live(&app, &own).await.into_iter().map(|booking| booking.1).collect();
    assert_eq!(times.len(), 1, "all of them moved, or none");
}
