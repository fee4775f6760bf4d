//! Requests that wait for a coach's word.

use serde_json::json;
use spotter_harness::{
    App,
    calendar::{coach_at_work, free_start, new_class, new_type},
    dates::later,
    people, scenario, text, with,
};

#[scenario]
async fn a_request_holds_its_slot_until_it_is_decided(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(
        &app,
        json!({"coachIds": [coach], "requiresApproval": true,
        "bufferBeforeMinutes": 10, "bufferAfterMinutes": 20}),
    )
    .await;
    let (ann, bo) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bo"})).await,
    );
    let start = free_start();
    let new =
        json!({"clientId": ann, "eventTypeId": event_type, "startsAt": start, "note": "Knee"});
    let requested = app.post("/bookings", new.clone()).await.ok();
    assert_eq!(requested.data()["booking"], json!(null));
    let request = &requested.data()["bookingRequest"];
    assert_eq!((&request["status"], &request["coachId"]), (&json!("pending"), &json!(coach)));
    app.announced(&["booking_request.created"]).await;
    let path = format!("/booking-requests/{}", text(request, "/bookingRequestId"));
    let taken = app.post("/bookings", with(&new, json!({"clientId": bo}))).await;
    taken.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let approved = app.act(&format!("{path}/approve")).await.ok();
    assert_eq!(approved.data()["booking"]["status"], "booked");
    assert_eq!(approved.data()["booking"]["note"], "Knee");
    assert_eq!(
        approved.data()["bookingRequest"]["bookingId"],
        approved.data()["booking"]["bookingId"]
    );
    app.announced(&["booking.created", "booking_request.approved"]).await;
    for act in ["approve", "reject", "withdraw"] {
        app.act(&format!("{path}/{act}"))
            .await
            .refused(400, "PUBLIC_API_BOOKING_REQUEST_NOT_PENDING");
    }
    // The booking now holds what the request held, and releases it alone.
    let booked = text(approved.data(), "/booking/bookingId");
    app.act(&format!("/bookings/{booked}/cancel")).await.ok();
    let second = app.post("/bookings", with(&new, json!({"clientId": bo}))).await.ok();
    let path =
        format!("/booking-requests/{}", text(second.data(), "/bookingRequest/bookingRequestId"));
    app.events().await;
    let rejected = app.act(&format!("{path}/reject")).await.ok();
    assert_eq!(rejected.data()["bookingRequest"]["rejectionCause"], "coach");
    app.announced(&["booking_request.rejected"]).await;
    app.post("/bookings", new.clone()).await.ok();
    let list = app.get("/booking-requests?status=pending").await.ok();
    assert_eq!(list.data()["total"], 1);
    // A coach's own booking needs no approval.
    let next = with(&new, json!({"startsAt": later(&start, 120)}));
    let booked = app.app("POST", "/bookings", Some(next)).await.ok();
    assert_eq!(booked.data()["booking"]["status"], "booked");
}

#[scenario]
async fn clients_ask_and_withdraw(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach], "requiresApproval": true})).await;
    let (client, token) = people::client(&app).await;
    let (_, stranger) = people::client(&app).await;
    let new = json!({"eventTypeId": event_type, "startsAt": free_start()});
    let request = app.app_as(&token, "POST", "/bookings", Some(new.clone())).await.ok();
    assert_eq!(request.data()["bookingRequest"]["clientId"], client.as_str());
    let path =
        format!("/booking-requests/{}", text(request.data(), "/bookingRequest/bookingRequestId"));
    app.events().await;
    for (method, path) in [("GET", path.clone()), ("POST", format!("{path}/withdraw"))] {
        app.app_as(&stranger, method, &path, None)
            .await
            .refused(404, "PUBLIC_API_BOOKING_REQUEST_NOT_FOUND");
    }
    app.app_as(&token, "POST", &format!("{path}/approve"), None)
        .await
        .refused(403, "auth.forbidden");
    assert_eq!(
        app.app_as(&stranger, "GET", "/booking-requests", None).await.ok().data()["total"],
        0
    );
    let withdrawn = app.app_as(&token, "POST", &format!("{path}/withdraw"), None).await.ok();
    assert_eq!(withdrawn.data()["bookingRequest"]["rejectionCause"], "withdrawn");
    app.announced(&["booking_request.rejected"]).await;
    app.app_as(&stranger, "POST", "/bookings", Some(new)).await.ok();
}

#[scenario]
async fn a_request_lapses(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(
        &app,
        json!({"coachIds": [coach], "requiresApproval": true, "approvalMinutes": 5}),
    )
    .await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": free_start()});
    let request = app.post("/bookings", new.clone()).await.ok();
    let id = text(request.data(), "/bookingRequest/bookingRequestId");
    app.events().await;
    let company = app.company;
    const DUE: spotter_store::Sql = spotter_store::Sql(
        "UPDATE timer SET due_at = 1 WHERE company_id = ?1 AND kind = 'expire_request'",
    );
    const PAST: spotter_store::Sql =
        spotter_store::Sql("UPDATE booking_request SET expires_at = 1 WHERE company_id = ?1");
    let db = &app.server.db;
    let past = move |tx: &mut spotter_store::Tx<'_>| {
        tx.execute(PAST, spotter_store::params![company])?;
        tx.execute(DUE, spotter_store::params![company])
    };
    db.write(past).await.unwrap();
    let began = std::time::Instant::now();
    loop {
        let response = app.get(&format!("/booking-requests/{id}")).await.ok();
        if response.data()["bookingRequest"]["rejectionCause"] == "expired" {
            break;
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "{}", response.body);
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    app.announced(&["booking_request.rejected"]).await;
    app.post("/bookings", new).await.ok();
}

#[scenario]
async fn approval_checks_the_slot_again(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(
        &app,
        json!({"coachIds": [coach], "requiresApproval": true,
        "dailyLimitPerCoach": 1, "slotIntervalMinutes": 30}),
    )
    .await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let start = free_start();
    let new = json!({"clientId": client, "eventTypeId": event_type, "startsAt": start});
    let request = app.post("/bookings", new.clone()).await.ok();
    let path =
        format!("/booking-requests/{}", text(request.data(), "/bookingRequest/bookingRequestId"));
    let second = app.post("/bookings", with(&new, json!({"startsAt": later(&start, 60)}))).await;
    assert_eq!(second.body["error"]["details"]["reasons"], json!(["daily_limit"]));
    let date = &start[..10];
    let closure = json!({"appliesTo": "company", "startDate": date, "endDate": date});
    let closed = app.post("/availability-rules", closure).await.ok();
    let refused = app.act(&format!("{path}/approve")).await;
    let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert_eq!(refused.body["error"]["details"]["reasons"], json!(["closed"]));
    let rule = text(closed.data(), "/availabilityRule/availabilityRuleId");
    app.delete(&format!("/availability-rules/{rule}")).await.ok();
    app.act(&format!("{path}/approve")).await.ok();
}

#[scenario]
async fn requests_for_classes_hold_a_seat(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type =
        new_type(&app, json!({"kind": "class", "capacity": 1, "requiresApproval": true})).await;
    let class = new_class(&app, &event_type, &coach, &free_start()).await;
    let (ann, bo) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bo"})).await,
    );
    let new = |client: &str| json!({"clientId": client, "calendarEventId": class});
    let request = app.post("/bookings", new(&ann)).await.ok();
    let path =
        format!("/booking-requests/{}", text(request.data(), "/bookingRequest/bookingRequestId"));
    app.post("/bookings", new(&bo)).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    app.act(&format!("{path}/approve")).await.ok();
    let twice = app.post("/bookings", new(&ann)).await;
    assert_eq!(twice.body["error"]["details"]["reasons"], json!(["already_booked"]));
    let event = app.get(&format!("/calendar/events/{class}")).await.ok();
    assert_eq!(event.data()["calendarEvent"]["seatsTaken"], 1);
    app.app("PATCH", &format!("/calendar/events/{class}"), Some(json!({"capacity": 2}))).await.ok();
    let request = app.post("/bookings", new(&bo)).await.ok();
    let path =
        format!("/booking-requests/{}", text(request.data(), "/bookingRequest/bookingRequestId"));
    let twice = app.post("/bookings", new(&bo)).await;
    assert_eq!(twice.body["error"]["details"]["reasons"], json!(["already_booked"]));
    // A request moves with its class.
    let start = free_start();
    app.app("PATCH", &format!("/calendar/events/{class}"), Some(json!({"startsAt": start})))
        .await
        .ok();
    let response = app.get(&path).await.ok();
    assert_eq!(response.data()["bookingRequest"]["startsAt"], start.as_str());
    app.events().await;
    app.app("POST", &format!("/calendar/events/{class}/cancel"), None).await.ok();
    app.announced(&["booking.cancelled", "booking_request.rejected"]).await;
    let response = app.get(&path).await.ok();
    assert_eq!(response.data()["bookingRequest"]["rejectionCause"], "slot_gone");
}

#[scenario]
async fn a_requests_terms_hold_at_approval(app: App) {
    let coaches = [coach_at_work(&app).await, coach_at_work(&app).await];
    let own = json!({"coachIds": coaches, "requiresApproval": true});
    let event_type = new_type(&app, own).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let start = free_start();
    let request = |coach: &String| {
        json!({"clientId": client, "eventTypeId": event_type, "coachId": coach, "startsAt": start,
            "externalId": "E-1", "allowOverlap": true})
    };
    let made = app.post("/bookings", request(&coaches[0])).await.ok();
    let first = text(made.data(), "/bookingRequest/bookingRequestId");
    // An external id is unique among requests, as among bookings.
    app.post("/bookings", request(&coaches[1]))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("externalId");
    let mut other = request(&coaches[1]);
    other["externalId"] = json!("E-2");
    let made = app.post("/bookings", other).await.ok();
    let second = text(made.data(), "/bookingRequest/bookingRequestId");
    app.act(&format!("/booking-requests/{first}/approve")).await.ok();
    let response = app.act(&format!("/booking-requests/{second}/approve")).await.ok();
    assert_eq!(
        response.data()["booking"]["externalId"],
        "E-2",
        "both at once, as it was asked for"
    );
}
