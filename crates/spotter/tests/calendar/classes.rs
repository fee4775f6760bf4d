//! Classes, their seats, and the lines for them.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    calendar::{book, coach_at_work, free_start, new_class, new_type, waiting},
    dates::{later, this_minute},
    people, scenario, text, with,
};

async fn status(app: &App, booking: &str) -> (String, Value) {
    let response = app.get(&format!("/bookings/{booking}")).await.ok();
    (
        text(response.data(), "/booking/status"),
        response.data()["booking"]["waitlistPosition"].clone(),
    )
}

#[scenario]
async fn seats_are_booked_and_waiting_lists_promote(app: App) {
    let coach = coach_at_work(&app).await;
    let line =
        json!({"kind": "class", "capacity": 2, "waitlist": {"mode": "auto", "maxEntries": 3}});
    let event_type = new_type(&app, line).await;
    let class = new_class(&app, &event_type, &coach, &free_start()).await;
    let mut bookings = Vec::new();
    for name in ["A", "B", "C", "D", "E"] {
        let client = app.new_client(json!({"firstName": name})).await;
        let new =
            json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist"});
        bookings.push(book(&app, new).await);
    }
    let sixth = app.new_client(json!({"firstName": "F"})).await;
    let new = json!({"clientId": sixth, "calendarEventId": class, "capacityAction": "waitlist"});
    app.post("/bookings", new.clone())
        .await
        .refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert_eq!(status(&app, &bookings[3]).await, ("waitlisted".into(), json!(2)));
    app.events().await;
    app.act(&format!("/bookings/{}/cancel", bookings[0])).await.ok();
    let response = app.announced(&["booking.cancelled", "booking.updated"]).await;
    assert_eq!(response[1]["bookingId"], bookings[2].as_str(), "the first in line has the seat");
    assert_eq!(status(&app, &bookings[2]).await, ("booked".into(), json!(null)));
    // Leaving a waiting list does not move the others back.
    app.act(&format!("/bookings/{}/cancel", bookings[3])).await.ok();
    app.announced(&["booking.cancelled"]).await;
    app.post(&format!("/bookings/{}/cancel", bookings[1]), json!({"capacityAction": "release"}))
        .await
        .ok();
    app.announced(&["booking.cancelled"]).await;
    assert_eq!(status(&app, &bookings[4]).await, ("waitlisted".into(), json!(3)));
    let event = app.get(&format!("/calendar/events/{class}")).await.ok();
    let event = &event.data()["calendarEvent"];
    assert_eq!((&event["seatsTaken"], &event["waitlisted"]), (&json!(1), &json!(1)));
    // Staff may give a seat at once, and overbook.
    app.act(&format!("/bookings/{}/promote", bookings[4])).await.ok();
    app.announced(&["booking.updated"]).await;
    book(&app, with(&new, json!({"capacityAction": "overbook"}))).await;
    let event = app.get(&format!("/calendar/events/{class}")).await.ok();
    assert_eq!(event.data()["calendarEvent"]["seatsTaken"], 3);
    let wrong = with(&new, json!({"capacityAction": "squeeze"}));
    app.post("/bookings", wrong).await.refused(400, "PUBLIC_API_INVALID_CAPACITY_ACTION");
}

#[scenario]
async fn offers_are_accepted_declined_and_expire(app: App) {
    let (client, token) = people::client(&app).await;
    let (mine, seat) = waiting(&app, &client, "offer").await;
    let path = format!("/bookings/{mine}");
    app.events().await;
    app.act(&format!("/bookings/{seat}/cancel")).await.ok();
    app.announced(&["booking.cancelled", "booking.updated"]).await;
    let response = app.get(&path).await.ok();
    assert_eq!(response.data()["booking"]["status"], "offered");
    assert!(response.data()["booking"]["offerExpiresAt"].is_string());
    app.app_as(&token, "POST", &format!("{path}/accept"), None).await.ok();
    app.announced(&["booking.updated"]).await;
    app.app_as(&token, "POST", &format!("{path}/decline"), None)
        .await
        .refused(409, "PUBLIC_API_ERROR");
    let (mine, seat) = waiting(&app, &client, "offer").await;
    app.act(&format!("/bookings/{seat}/cancel")).await.ok();
    app.events().await;
    app.app_as(&token, "POST", &format!("/bookings/{mine}/decline"), None).await.ok();
    app.announced(&["booking.cancelled"]).await;
    assert_eq!(status(&app, &mine).await.0, "cancelled");
    // A beginning class closes its waiting list.
    let (waits, _) = waiting(&app, &client, "auto").await;
    let class = app.get(&format!("/bookings/{waits}")).await.ok();
    let class = format!("/calendar/events/{}", text(class.data(), "/booking/calendarEventId"));
    let soon = spotter_kernel::Timestamp::parse(&this_minute()).unwrap();
    app.app("PATCH", &class, Some(json!({"startsAt": soon.to_string()}))).await.ok();
    let company = app.company;
    const DUE: spotter_store::Sql = spotter_store::Sql(
        "UPDATE timer SET due_at = ?2 WHERE company_id = ?1 AND kind = 'close_waitlist'",
    );
    let db = &app.server.db;
    db.write(move |tx| tx.execute(DUE, spotter_store::params![company, soon])).await.unwrap();
    let began = std::time::Instant::now();
    while status(&app, &waits).await.0 != "cancelled" {
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "the line is still there");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let response = app.get(&format!("/bookings/{waits}")).await.ok();
    assert_eq!(response.data()["booking"]["cancelledBy"], "system");
}

#[scenario]
async fn added_seats_go_to_the_waiting_list(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let (waits, seat) = waiting(&app, &client, "auto").await;
    app.events().await;
    let response = app.get(&format!("/bookings/{seat}")).await.ok();
    let path = format!("/calendar/events/{}", text(response.data(), "/booking/calendarEventId"));
    app.app("PATCH", &path, Some(json!({"capacity": 2}))).await.ok();
    app.announced(&["booking.updated"]).await;
    assert_eq!(status(&app, &waits).await.0, "booked");
    app.app("PATCH", &path, Some(json!({"capacity": 1}))).await.ok();
    app.announced(&[]).await;
    assert_eq!(status(&app, &waits).await.0, "booked", "fewer seats take nobody's");
}

#[scenario]
async fn a_class_is_moved_and_cancelled_with_its_bookings(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let (waits, seat) = waiting(&app, &client, "auto").await;
    let response = app.get(&format!("/bookings/{seat}")).await.ok();
    let class = text(response.data(), "/booking/calendarEventId");
    let path = format!("/calendar/events/{class}");
    app.events().await;
    let start = free_start();
    app.app("PATCH", &path, Some(json!({"startsAt": start}))).await.ok();
    app.announced(&["booking.updated", "booking.updated"]).await;
    let moved = app.get(&format!("/bookings/{waits}")).await.ok();
    assert_eq!(moved.data()["booking"]["startsAt"], start.as_str());
    app.app("POST", &format!("{path}/cancel"), Some(json!({"reason": "Flood"}))).await.ok();
    app.announced(&["booking.cancelled", "booking.cancelled"]).await;
    let response = app.get(&format!("/bookings/{seat}")).await.ok();
    let response = &response.data()["booking"];
    assert_eq!(
        (&response["cancelledBy"], &response["cancellationTiming"]),
        (&json!("company"), &json!("early"))
    );
    let event = app.get(&path).await.ok();
    assert_eq!(event.data()["calendarEvent"]["status"], "cancelled");
    app.app("POST", &format!("{path}/cancel"), None).await.refused(409, "PUBLIC_API_ERROR");
    let again = json!({"clientId": client, "calendarEventId": class});
    app.post("/bookings", again).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
}

#[scenario]
async fn a_full_class_says_so(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"kind": "class", "capacity": 1})).await;
    let start = free_start();
    let class = new_class(&app, &event_type, &coach, &start).await;
    let other = new_class(&app, &event_type, &coach, &later(&start, 60)).await;
    let (ann, bo) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bo"})).await,
    );
    let new = json!({"clientId": ann, "calendarEventId": class});
    let booked = book(&app, new.clone()).await;
    let twice = app.post("/bookings", new).await;
    let twice = twice.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert_eq!(twice.body["error"]["details"]["reasons"], json!(["already_booked"]));
    let full = app.post("/bookings", json!({"clientId": bo, "calendarEventId": class})).await;
    let full = full.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let details = &full.body["error"]["details"];
    assert_eq!(details["reasons"], json!(["full"]));
    assert_eq!(details["alternatives"][0]["calendarEventId"], other.as_str());
    let query = format!(
        "/availability/slots?eventTypeId={event_type}&from={start}&to={}",
        later(&start, 30)
    );
    let response = app.get(&query).await.ok();
    assert_eq!(response.data()["slots"][0]["reasons"], json!(["full"]));
    assert_eq!(response.data()["slots"][0]["capacityLeft"], 0);
    let moved = json!({"calendarEventId": other});
    app.post(&format!("/bookings/{booked}/reschedule"), moved).await.ok();
    book(&app, json!({"clientId": bo, "calendarEventId": class})).await;
    let both = json!({"clientId": bo, "calendarEventId": other, "capacityAction": "waitlist"});
    app.post("/bookings", both).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
}

/// Moving one's seat leaves the class and its other bookings unchanged.
#[scenario]
async fn a_seat_moves_without_its_class(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"kind": "class", "capacity": 2})).await;
    let (start, next) = (free_start(), free_start());
    let class = new_class(&app, &event_type, &coach, &start).await;
    let other = new_class(&app, &event_type, &coach, &next).await;
    let (client, token) = people::client(&app).await;
    let second = app.new_client(json!({"firstName": "Bo"})).await;
    let mine = book(&app, json!({"clientId": client, "calendarEventId": class})).await;
    let stays = book(&app, json!({"clientId": second, "calendarEventId": class})).await;
    app.events().await;
    let path = format!("/bookings/{mine}/reschedule");
    for to in [json!({"startsAt": start}), json!({"calendarEventId": class})] {
        let same = app.post(&path, to).await.ok();
        assert_eq!(same.data()["booking"]["version"], 1);
        assert_eq!(same.data()["booking"]["rescheduledFrom"], json!(null));
    }
    app.announced(&[]).await;
    let to = Some(json!({"startsAt": next}));
    let moved = app.app_as(&token, "POST", &path, to).await.ok();
    assert_eq!(moved.data()["booking"]["calendarEventId"], other.as_str());
    app.announced(&["booking.updated"]).await;
    for (event, at, seats) in [(&class, &start, 1), (&other, &next, 1)] {
        let response = app.get(&format!("/calendar/events/{event}")).await.ok();
        let response = &response.data()["calendarEvent"];
        assert_eq!((&response["startsAt"], &response["seatsTaken"]), (&json!(at), &json!(seats)));
    }
    let response = app.get(&format!("/bookings/{stays}")).await.ok();
    assert_eq!(response.data()["booking"]["startsAt"], start.as_str());
    let nowhere = app.post(&path, json!({"startsAt": free_start()})).await;
    nowhere.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
}

#[scenario]
async fn closed_waiting_lists_and_days_promote_nobody(app: App) {
    let coach = coach_at_work(&app).await;
    let line = json!({"kind": "class", "capacity": 1,
        "waitlist": {"mode": "auto", "closesMinutesBefore": 180}});
    let event_type = new_type(&app, line).await;
    let class = new_class(&app, &event_type, &coach, &later(&this_minute(), 60)).await;
    let (ann, bo) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bo"})).await,
    );
    book(&app, json!({"clientId": ann, "calendarEventId": class})).await;
    let waits = json!({"clientId": bo, "calendarEventId": class, "capacityAction": "waitlist"});
    let refused = app.post("/bookings", waits).await;
    let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert_eq!(refused.body["error"]["details"]["reasons"], json!(["full"]));
    let start = free_start();
    let class = new_class(&app, &event_type, &coach, &start).await;
    let date = &start[..10];
    let closure =
        json!({"appliesTo": "coach", "coachId": coach, "startDate": date, "endDate": date});
    app.post("/availability-rules", closure).await.ok();
    let refused = app.post("/bookings", json!({"clientId": bo, "calendarEventId": class})).await;
    assert_eq!(refused.body["error"]["details"]["reasons"], json!(["closed"]));
}

#[scenario]
async fn classes_are_made_by_coaches(app: App) {
    let (coach, token) = people::coach(&app, "Coach").await;
    let other = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"kind": "class", "name": "Spin", "capacity": 12})).await;
    let template = json!({"name": "Morning spin", "eventTypeId": event_type, "durationMinutes": 45,
        "capacity": 8, "coachId": coach});
    let made = app.post("/event-templates", template).await.ok();
    let template = text(made.data(), "/eventTemplate/eventTemplateId");
    let start = free_start();
    let new = json!({"eventTemplateId": template, "startsAt": start});
    let made = app.app_as(&token, "POST", "/calendar/events", Some(new.clone())).await.ok();
    let event = &made.data()["calendarEvent"];
    assert_eq!((&event["name"], &event["capacity"]), (&json!("Morning spin"), &json!(8)));
    assert_eq!(event["endsAt"], later(&start, 45).as_str());
    let twice = app.app_as(&token, "POST", "/calendar/events", Some(new.clone())).await;
    twice.refused(409, "PUBLIC_API_ERROR").about("startsAt");
    let for_other = with(&new, json!({"coachId": other}));
    app.app_as(&token, "POST", "/calendar/events", Some(for_other))
        .await
        .refused(403, "auth.forbidden");
    let nobody = json!({"eventTypeId": event_type, "startsAt": start});
    app.app("POST", "/calendar/events", Some(nobody))
        .await
        .refused(400, "PUBLIC_API_COACH_REQUIRED");
    app.act(&format!("/event-templates/{template}/archive")).await.ok();
    app.app("POST", "/calendar/events", Some(with(&new, json!({"startsAt": free_start()}))))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("eventTemplateId");
    let range = format!("/calendar/events?from={start}&to={}", later(&start, 10));
    assert_eq!(app.get(&range).await.ok().data()["total"], 1);
    app.announced(&[]).await;
}

#[scenario]
async fn class_attendance_is_marked_together(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"kind": "class", "capacity": 5})).await;
    let class = new_class(&app, &event_type, &coach, &this_minute()).await;
    let mut entries = Vec::new();
    for (name, status) in [("A", "attended"), ("B", "no_show")] {
        let client = app.new_client(json!({"firstName": name})).await;
        let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
        entries.push(json!({"bookingId": book(&app, new).await, "attendanceStatus": status}));
    }
    app.events().await;
    let path = format!("/calendar/events/{class}/attendance");
    let submitted = app.app("POST", &path, Some(json!({"attendance": entries}))).await.ok();
    assert_eq!(submitted.data()["bookings"][1]["attendanceStatus"], "no_show");
    app.announced(&["booking.updated", "booking.updated"]).await;
    entries[0]["bookingId"] = json!("019a8f3c2b7d4e5f60718293");
    app.app("POST", &path, Some(json!({"attendance": entries})))
        .await
        .refused(404, "resource.not_found")
        .about("attendance[0].bookingId");
    app.announced(&[]).await;
}
