//! Every error key of the contract's that belongs to the calendar is met.

use serde_json::json;
use spotter_harness::{App, calendar::new_type, dates::at, scenario, text};

#[scenario]
async fn each_key_has_a_case(app: App) {
    let nobody = "019a8f3c2b7d4e5f60718293";
    let event_type = new_type(&app, json!({})).await;
    let range = format!("from={}&to={}", at(1, 0), at(2, 0));
    let long = format!("from={}&to={}", at(1, 0), at(400, 0));
    let turned = format!("from={}&to={}", at(2, 0), at(1, 0));
    for (path, status, key) in [
        ("/calendar/events/x".to_owned(), 400, "PUBLIC_API_INVALID_CALENDAR_EVENT_ID"),
        (format!("/calendar/events/{nobody}"), 404, "resource.not_found"),
        ("/calendar/events".into(), 400, "PUBLIC_API_DATE_RANGE_REQUIRED"),
        (format!("/calendar/events?{long}"), 400, "PUBLIC_API_DATE_RANGE_TOO_LARGE"),
        (format!("/calendar/events?{turned}"), 400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID"),
        ("/calendar/events?from=yesterday".into(), 400, "PUBLIC_API_INVALID_DATE"),
        ("/calendar/events?from=yesterday&to=today".into(), 400, "PUBLIC_API_INVALID_DATE_RANGE"),
        (
            format!("/availability/slots?eventTypeId={event_type}"),
            400,
            "PUBLIC_API_DATE_RANGE_REQUIRED",
        ),
        (
            format!("/availability/slots?eventTypeId={nobody}&{range}"),
            404,
            "PUBLIC_API_EVENT_TYPE_NOT_FOUND",
        ),
        (
            format!("/availability/slots?eventTypeId={event_type}&{range}&coachId={nobody}"),
            404,
            "PUBLIC_API_COACH_NOT_FOUND",
        ),
        (
            format!("/availability/slots?eventTypeId={event_type}&{range}&coachId=x"),
            400,
            "PUBLIC_API_INVALID_COACH_ID",
        ),
        (
            format!("/availability/slots?eventTypeId={event_type}&{range}&explain=yes"),
            400,
            "PUBLIC_API_INVALID_BOOLEAN",
        ),
        (format!("/event-types/{nobody}"), 404, "PUBLIC_API_EVENT_TYPE_NOT_FOUND"),
        (format!("/event-templates/{nobody}"), 404, "PUBLIC_API_EVENT_TEMPLATE_NOT_FOUND"),
        ("/booking-requests/x".into(), 400, "PUBLIC_API_INVALID_BOOKING_REQUEST_ID"),
        (format!("/booking-requests/{nobody}"), 404, "PUBLIC_API_BOOKING_REQUEST_NOT_FOUND"),
        ("/booking-requests?status=open".into(), 400, "PUBLIC_API_INVALID_BOOKING_REQUEST_STATUS"),
        (format!("/coaches/{nobody}"), 404, "PUBLIC_API_COACH_NOT_FOUND"),
        (format!("/coaches/{nobody}/availability"), 404, "PUBLIC_API_COACH_NOT_FOUND"),
        ("/bookings?status=gone".into(), 400, "PUBLIC_API_INVALID_ENUM"),
        (
            "/availability-rules?from=2026-12-02&to=2026-12-01".into(),
            400,
            "PUBLIC_API_DATE_RANGE_ORDER_INVALID",
        ),
    ] {
        let reply = app.get(&path).await;
        assert_eq!((reply.status, reply.key()), (status, key), "{path}: {}", reply.body);
    }
    for (path, body, key) in [
        ("/event-types", json!({"durationMinutes": 30}), "PUBLIC_API_EVENT_TYPE_NAME_REQUIRED"),
        (
            "/event-types",
            json!({"name": "x".repeat(121), "durationMinutes": 30}),
            "PUBLIC_API_FIELD_TOO_LONG",
        ),
        (
            "/event-templates",
            json!({"eventTypeId": event_type, "durationMinutes": 30}),
            "PUBLIC_API_EVENT_TEMPLATE_NAME_REQUIRED",
        ),
        (
            "/event-templates",
            json!({"eventTypeId": event_type, "name": "Spin"}),
            "PUBLIC_API_EVENT_TEMPLATE_DURATION_REQUIRED",
        ),
        (
            "/event-types",
            json!({"name": "Yoga", "durationMinutes": 30, "capacity": 5}),
            "request.invalid",
        ),
        // One mistake has one key, however it is made.
        (
            "/event-types",
            json!({"name": " \u{200b}", "durationMinutes": 30}),
            "PUBLIC_API_EVENT_TYPE_NAME_REQUIRED",
        ),
        (
            "/event-templates",
            json!({"eventTypeId": event_type, "name": "", "durationMinutes": 30}),
            "PUBLIC_API_EVENT_TEMPLATE_NAME_REQUIRED",
        ),
        (
            "/documents",
            json!({"name": " ", "type": "other", "url": "https://example.com/a"}),
            "PUBLIC_API_DOCUMENT_NAME_REQUIRED",
        ),
        ("/locations", json!({"name": "L", "timeZone": "Nowhere"}), "PUBLIC_API_INVALID_ENUM"),
        ("/locations", json!({"name": "L", "timeZone": 5}), "PUBLIC_API_INVALID_ENUM"),
        (
            "/locations",
            json!({"name": "L", "coordinates": {"latitude": 1}}),
            "PUBLIC_API_INVALID_COORDINATES",
        ),
        ("/locations", json!({"name": "L", "coordinates": 5}), "PUBLIC_API_INVALID_COORDINATES"),
        ("/locations", json!({"name": "L", "accessZones": 5}), "PUBLIC_API_INVALID_ACCESS_ZONES"),
        (
            "/workout/exercises",
            json!({"name": "L", "primaryMuscles": ["lats"], "unilateral": "yes"}),
            "PUBLIC_API_INVALID_BOOLEAN",
        ),
        (
            "/workout/exercises",
            json!({"name": "L", "primaryMuscles": ["lats"], "trackingType": 5}),
            "PUBLIC_API_INVALID_ENUM",
        ),
        (
            "/clients",
            json!({"firstName": "L", "assignedCoachId": 5}),
            "PUBLIC_API_INVALID_COACH_ID",
        ),
        ("/clients", json!({"firstName": 5}), "request.invalid"),
    ] {
        let reply = app.post(path, body).await;
        assert_eq!((reply.status, reply.key()), (400, key), "{path}: {}", reply.body);
    }
}

#[scenario]
async fn types_and_templates_are_kept(app: App) {
    let made = app
        .post(
            "/event-types",
            json!({"name": "Yoga", "kind": "class", "durationMinutes": 60,
        "capacity": 12, "waitlist": {"mode": "offer", "offerMinutes": 30}}),
        )
        .await
        .ok();
    let id = text(made.data(), "/eventType/eventTypeId");
    assert_eq!(made.data()["eventType"]["waitlist"]["offerMinutes"], 30);
    let path = format!("/event-types/{id}");
    let changed = app.patch(&path, json!({"capacity": 15, "credits": 1})).await.ok();
    assert_eq!(changed.data()["eventType"]["capacity"], 15);
    for name in [json!(null), json!(""), json!(" ")] {
        app.patch(&path, json!({"name": name}))
            .await
            .refused(400, "PUBLIC_API_EVENT_TYPE_NAME_REQUIRED");
    }
    let template = json!({"name": "Sunrise", "eventTypeId": id, "durationMinutes": 45});
    let made = app.post("/event-templates", template).await.ok();
    let template =
        format!("/event-templates/{}", text(made.data(), "/eventTemplate/eventTemplateId"));
    app.patch(&template, json!({"durationMinutes": null}))
        .await
        .refused(400, "PUBLIC_API_EVENT_TEMPLATE_DURATION_REQUIRED");
    app.act(&format!("{template}/archive")).await.ok();
    assert_eq!(app.get("/event-templates?status=active").await.ok().data()["total"], 0);
    let archived = app.act(&format!("{path}/archive")).await.ok();
    assert_eq!(archived.data()["eventType"]["status"], "archived");
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"clientId": client, "eventTypeId": id, "startsAt": at(1, 0)});
    app.post("/bookings", new).await.refused(409, "PUBLIC_API_ERROR").about("eventTypeId");
}
