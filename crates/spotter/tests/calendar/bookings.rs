//! Bookings: created, moved, cancelled, attended, by every kind of caller.

use serde_json::json;
use spotter_harness::{
    App,
    calendar::{book, coach_at_work, free_start, new_type},
    dates::{at, later, this_minute},
    people, scenario, text, with,
};

#[scenario]
async fn a_token_books_once(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let (from, to) = (at(33, 0), at(33, 60));
    let response = app
        .get(&format!("/availability/slots?eventTypeId={event_type}&from={from}&to={to}"))
        .await
        .ok();
    let slot = &response.data()["slots"][0];
    assert_eq!((&slot["startsAt"], &slot["capacityLeft"]), (&json!(from), &json!(1)));
    let token = text(slot, "/slotToken");
    assert!(token.len() < 120, "{}", token.len());
    let (ann, bo) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bo"})).await,
    );
    app.events().await;
    let made = app.post("/bookings", json!({"clientId": ann, "slotToken": token})).await.ok();
    assert_eq!(made.status, 201);
    let booking = &made.data()["booking"];
    assert_eq!(booking["status"], "booked");
    assert_eq!(booking["startsAt"], from.as_str());
    assert_eq!(booking["policy"]["cancellationWindowMinutes"], json!(null));
    assert_eq!(made.data()["bookingRequest"], json!(null));
    let response = app.announced(&["booking.created"]).await;
    assert_eq!(response[0]["bookingId"], booking["bookingId"]);
    let again = app.post("/bookings", json!({"clientId": bo, "slotToken": token})).await;
    again.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let mut forged = token.clone();
    forged.replace_range(10..11, if &token[10..11] == "A" { "B" } else { "A" });
    for wrong in [forged.as_str(), "", "abc", &token[1..]] {
        let refused = app.post("/bookings", json!({"clientId": bo, "slotToken": wrong})).await;
        refused.refused(400, "request.invalid").about("slotToken");
    }
    let both = json!({"clientId": bo, "slotToken": token, "startsAt": from});
    app.post("/bookings", both).await.refused(400, "request.invalid").about("startsAt");
    app.post("/bookings", json!({"clientId": bo}))
        .await
        .refused(400, "request.invalid")
        .about("eventTypeId");
    app.announced(&[]).await;
}

#[scenario]
async fn a_booking_is_read_listed_and_changed(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let start = free_start();
    let external = spotter_harness::random_text();
    let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": start,
        "note": "First time", "externalId": external});
    let booked = book(&app, new.clone()).await;
    let later_one = with(&new, json!({"startsAt": later(&start, 60)}));
    app.post("/bookings", later_one.clone())
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("externalId");
    book(&app, with(&later_one, json!({"externalId": null}))).await;
    app.events().await;
    let path = format!("/bookings/{booked}");
    let response = app.get(&path).await.ok();
    assert_eq!(response.data()["booking"]["externalId"], external.as_str());
    for (query, total) in [
        (String::new(), 2),
        (format!("clientId={client}"), 2),
        (format!("coachId={coach}"), 2),
        ("status=booked".into(), 2),
        ("status=cancelled".into(), 0),
        (format!("externalId={external}"), 1),
        (format!("from={start}&to={}", later(&start, 30)), 1),
        (format!("calendarEventId={}", text(response.data(), "/booking/calendarEventId")), 1),
    ] {
        let list = app.get(&format!("/bookings?{query}")).await.ok();
        assert_eq!(list.data()["total"], total, "{query}");
        assert_eq!(list.data()["bookings"].as_array().unwrap().len(), total, "{query}");
    }
    let changed = app.patch(&path, json!({"note": null})).await.ok();
    assert_eq!(changed.data()["booking"]["version"], 2);
    assert_eq!(app.announced(&["booking.updated"]).await[0]["changedFields"], json!(["note"]));
    app.patch(&path, json!({"note": null})).await.ok();
    app.announced(&[]).await;
    let event = format!("/calendar/events/{}", text(response.data(), "/booking/calendarEventId"));
    assert_eq!(app.get(&event).await.ok().data()["calendarEvent"]["seatsTaken"], 1);
}

#[scenario]
async fn a_booking_is_moved_under_its_id(app: App) {
    let (one, two) = (coach_at_work(&app).await, coach_at_work(&app).await);
    let event_type = new_type(
        &app,
        json!({"coachIds": [one, two], "slotIntervalMinutes": 15,
        "cancellationWindowMinutes": 60}),
    )
    .await;
    let (client, token) = people::client(&app).await;
    let start = free_start();
    let new =
        json!({"clientId": client, "eventTypeId": event_type, "coachId": one, "startsAt": start});
    let booked = book(&app, new).await;
    app.events().await;
    let path = format!("/bookings/{booked}/reschedule");
    // Its own time is not in its way.
    let moved = app.post(&path, json!({"startsAt": later(&start, 15)})).await.ok();
    let response = &moved.data()["booking"];
    assert_eq!(
        (&response["bookingId"], &response["rescheduledFrom"]),
        (&json!(booked), &json!(start))
    );
    let response = app.announced(&["booking.updated"]).await;
    assert_eq!(response[0]["previousStartsAt"], start.as_str());
    app.app_as(&token, "POST", &path, Some(json!({"startsAt": start, "coachId": two}))).await.ok();
    app.announced(&["booking.updated"]).await;
    let event = text(moved.data(), "/booking/calendarEventId");
    let event = app.get(&format!("/calendar/events/{event}")).await.ok();
    assert_eq!(event.data()["calendarEvent"]["coachId"], two.as_str());
    // The first coach is free again.
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let new = json!({"clientId": other, "eventTypeId": event_type, "coachId": one,
        "startsAt": later(&start, 15)});
    book(&app, new).await;
    app.post(&path, json!({"coachId": one, "startsAt": start}))
        .await
        .refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let another = new_type(&app, json!({"kind": "class"})).await;
    let class = spotter_harness::calendar::new_class(&app, &another, &one, &free_start()).await;
    app.post(&path, json!({"calendarEventId": class}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("eventTypeId");
    app.events().await;
    app.act(&format!("/bookings/{booked}/cancel")).await.ok();
    app.post(&path, json!({"startsAt": start}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("status");
    app.announced(&["booking.cancelled"]).await;
    let soon = json!({"clientId": client, "eventTypeId": event_type, "coachId": two,
        "startsAt": this_minute(), "ignorePolicy": true});
    let late = book(&app, soon).await;
    let path = format!("/bookings/{late}/reschedule");
    app.app_as(&token, "POST", &path, Some(json!({"startsAt": free_start()})))
        .await
        .refused(409, "PUBLIC_API_ERROR");
}

#[scenario]
async fn cancelling_follows_the_policy_of_the_booking(app: App) {
    let fee = json!({"amount": 1250, "currency": "EUR"});
    let policies = json!({"cancellationWindowHours": 24, "bookingWindowDays": 300,
        "lateCancellationFee": fee, "noShowFee": {"amount": 2000, "currency": "EUR"}});
    app.app("PUT", "/company/policies", Some(policies)).await.ok();
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let (client, token) = people::client(&app).await;
    let booked = async |start: String, allow: bool| {
        book(
            &app,
            json!({"clientId": client, "eventTypeId": event_type, "startsAt": start,
            "ignorePolicy": allow}),
        )
        .await
    };
    let (soon, far) =
        (booked(later(&this_minute(), 60), true).await, booked(at(10, 60), false).await);
    app.events().await;
    // The rules are those of the day on which it was booked.
    let lax = json!({"cancellationWindowHours": 0, "bookingWindowDays": 300});
    app.app("PUT", "/company/policies", Some(lax)).await.ok();
    let state = app.state().await;
    let preview = async |id: &str| {
        let path = format!("/bookings/{id}/cancel/preview");
        let quote = app.app_as(&token, "POST", &path, Some(json!({}))).await.ok();
        quote.data()["cancellation"].clone()
    };
    let late = preview(&soon).await;
    assert_eq!((&late["cancellationTiming"], &late["fee"]), (&json!("late"), &fee));
    let early = preview(&far).await;
    assert_eq!((&early["cancellationTiming"], &early["fee"]), (&json!("early"), &json!(null)));
    assert_eq!(state, app.state().await);
    let path = format!("/bookings/{soon}/cancel");
    let staffs = json!({"cancellationTiming": "early"});
    app.app_as(&token, "POST", &path, Some(staffs.clone()))
        .await
        .refused(400, "request.invalid")
        .about("cancellationTiming");
    let wrong = json!({"cancellationTiming": "soon"});
    app.post(&path, wrong).await.refused(400, "PUBLIC_API_INVALID_CANCELLATION_TIMING");
    let cancelled = app.app_as(&token, "POST", &path, Some(json!({"reason": "Ill"}))).await.ok();
    let response = &cancelled.data()["booking"];
    assert_eq!((&response["cancelledBy"], &response["fee"]), (&json!("client"), &fee));
    assert_eq!(response["cancellationTiming"], "late");
    let response = app.announced(&["booking.cancelled"]).await;
    assert_eq!(response[0]["cancellationTiming"], "late");
    assert!(!response[0].to_string().contains("Ill"), "reasons are not told");
    app.act(&path).await.refused(409, "PUBLIC_API_ERROR").about("status");
    let other = booked(later(&this_minute(), 60), true).await;
    let cancelled = app.post(&format!("/bookings/{other}/cancel"), staffs).await.ok();
    assert_eq!(cancelled.data()["booking"]["cancellationTiming"], "early", "staff overrule");
    let by_coach = app.app("POST", &format!("/bookings/{far}/cancel"), None).await.ok();
    assert_eq!(by_coach.data()["booking"]["cancelledBy"], "coach");
}

#[scenario]
async fn attendance_is_marked_and_corrected(app: App) {
    let policies = json!({"cancellationWindowHours": 24, "bookingWindowDays": 300,
        "noShowFee": {"amount": 2000, "currency": "EUR"}});
    app.app("PUT", "/company/policies", Some(policies)).await.ok();
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let now = json!({"clientId": client, "eventTypeId": event_type, "startsAt": this_minute(),
        "ignorePolicy": true});
    let booked = book(&app, now.clone()).await;
    let path = format!("/bookings/{booked}/attendance");
    app.events().await;
    let mark = async |status: &str| {
        let response = app.post(&path, json!({"attendanceStatus": status})).await.ok();
        app.announced(&["booking.updated"]).await;
        response.data()["booking"].clone()
    };
    assert!(mark("attended").await["checkedInAt"].is_string());
    let missed = mark("no_show").await;
    assert_eq!((&missed["fee"]["amount"], &missed["checkedInAt"]), (&json!(2000), &json!(null)));
    assert_eq!(mark("expected").await["fee"], json!(null), "a correction takes back what it did");
    mark("excused").await;
    app.post(&path, json!({"attendanceStatus": "excused"})).await.ok();
    app.announced(&[]).await;
    app.post(&path, json!({"attendanceStatus": "late"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_ATTENDANCE_STATUS");
    let far = book(&app, with(&now, json!({"startsAt": at(20, 0)}))).await;
    app.post(&format!("/bookings/{far}/attendance"), json!({"attendanceStatus": "attended"}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("startsAt");
    app.act(&format!("/bookings/{booked}/cancel"))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("attendanceStatus");
}

#[scenario]
async fn clients_see_and_book_for_themselves_alone(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach], "slotIntervalMinutes": 30})).await;
    let staffs = new_type(&app, json!({"clientsMayBook": false})).await;
    let (client, token) = people::client(&app).await;
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let start = free_start();
    let others = book(
        &app,
        json!({"clientId": other, "eventTypeId": event_type, "startsAt": start,
        "note": "VIP"}),
    )
    .await;
    app.events().await;
    let call = async |method: &str, path: &str, body| app.app_as(&token, method, path, body).await;
    let new = json!({"eventTypeId": event_type, "startsAt": later(&start, 60)});
    let made = call("POST", "/bookings", Some(new.clone())).await.ok();
    assert_eq!(made.data()["booking"]["clientId"], client.as_str());
    assert!(made.data()["booking"].get("note").is_none(), "{}", made.body);
    app.announced(&["booking.created"]).await;
    for (method, path, body) in [
        ("GET", format!("/bookings/{others}"), None),
        ("POST", format!("/bookings/{others}/cancel"), Some(json!({}))),
        ("POST", format!("/bookings/{others}/reschedule"), Some(json!({"startsAt": start}))),
        ("POST", format!("/bookings/{others}/cancel/preview"), Some(json!({}))),
    ] {
        call(method, &path, body).await.refused(404, "resource.not_found");
    }
    let for_other = with(&new, json!({"clientId": other}));
    call("POST", "/bookings", Some(for_other)).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    call("GET", &format!("/bookings?clientId={other}"), None)
        .await
        .refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    assert_eq!(call("GET", "/bookings", None).await.ok().data()["total"], 1);
    call("POST", "/bookings", Some(with(&new, json!({"eventTypeId": staffs}))))
        .await
        .refused(404, "PUBLIC_API_EVENT_TYPE_NOT_FOUND");
    call("GET", &format!("/event-types/{staffs}"), None)
        .await
        .refused(404, "PUBLIC_API_EVENT_TYPE_NOT_FOUND");
    assert_eq!(call("GET", "/event-types", None).await.ok().data()["total"], 1);
    for staffs in [
        json!({"ignorePolicy": true}),
        json!({"capacityAction": "overbook"}),
        json!({"note": "x"}),
        json!({"allowOverlap": true}),
        json!({"externalId": "x"}),
    ] {
        call("POST", "/bookings", Some(with(&new, staffs))).await.refused(400, "request.invalid");
    }
    call(
        "POST",
        &format!("/bookings/{others}/attendance"),
        Some(json!({"attendanceStatus": "attended"})),
    )
    .await
    .refused(403, "auth.forbidden");
    let coaches = call("GET", "/coaches", None).await.ok();
    let response = coaches.data()["coaches"][0].as_object().unwrap();
    assert!(response.contains_key("firstName") && !response.contains_key("email"), "{response:?}");
    app.announced(&[]).await;
}

#[scenario]
async fn archived_clients_lose_their_bookings(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let approved = new_type(&app, json!({"coachIds": [coach], "requiresApproval": true})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let start = free_start();
    let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": start});
    let booked = book(&app, new.clone()).await;
    app.post(
        "/bookings",
        json!({"clientId": client, "eventTypeId": approved,
        "startsAt": later(&start, 60)}),
    )
    .await
    .ok();
    app.events().await;
    app.act(&format!("/clients/{client}/archive")).await.ok();
    let mut response: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    response.sort();
    assert_eq!(response, ["booking.cancelled", "booking_request.rejected", "client.archived"]);
    let response = app.get(&format!("/bookings/{booked}")).await.ok();
    let response = &response.data()["booking"];
    assert_eq!(
        (&response["cancelledBy"], &response["cancellationTiming"]),
        (&json!("system"), &json!("early"))
    );
    app.post("/bookings", new).await.refused(409, "PUBLIC_API_ERROR").about("clientId");
}
