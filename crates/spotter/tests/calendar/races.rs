//! Races for the same seat or slot.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::json;
use spotter_harness::{
    App,
    calendar::{book, coach_at_work, free_start, new_class, new_type},
    scenario, text,
};

async fn clients(app: &App, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(app.new_client(json!({"firstName": "Ann"})).await);
    }
    ids
}

/// Everybody sends their request, again when told to; the results.
async fn all_ask(app: &App, drafts: Vec<serde_json::Value>) -> Vec<(u16, serde_json::Value)> {
    let call = async |draft: serde_json::Value| loop {
        let reply = app.post("/bookings", draft.clone()).await;
        if reply.status != 503 {
            return (reply.status, reply.body);
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    join_all(drafts.into_iter().map(call)).await
}

#[scenario]
async fn fifteen_seats_stay_fifteen(app: App) {
    let coach = coach_at_work(&app).await;
    let line = json!({"kind": "class", "capacity": 15, "waitlist": {"mode": "auto"}});
    let event_type = new_type(&app, line).await;
    let class = new_class(&app, &event_type, &coach, &free_start()).await;
    let draft = |client| json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist"});
    let drafts = clients(&app, 200).await.into_iter().map(draft).collect();
    let response = all_ask(&app, drafts).await;
    let mut positions = Vec::new();
    let mut statuses = BTreeMap::<String, usize>::new();
    for (status, body) in &response {
        assert_eq!(*status, 201, "{body}");
        *statuses.entry(text(body, "/data/booking/status")).or_default() += 1;
        positions.extend(body["data"]["booking"]["waitlistPosition"].as_i64());
    }
    assert_eq!(statuses, BTreeMap::from([("booked".into(), 15), ("waitlisted".into(), 185)]));
    positions.sort_unstable();
    assert_eq!(positions, (1..=185).collect::<Vec<_>>());
    let event = app.get(&format!("/calendar/events/{class}")).await.ok();
    let event = &event.data()["calendarEvent"];
    assert_eq!((&event["seatsTaken"], &event["waitlisted"]), (&json!(15), &json!(185)));
}

#[scenario]
async fn one_appointment_is_booked_once(app: App) {
    let coach = coach_at_work(&app).await;
    let event_type = new_type(&app, json!({"coachIds": [coach]})).await;
    let start = free_start();
    let draft = |client| json!({"clientId": client, "eventTypeId": event_type, "startsAt": start});
    let response = all_ask(&app, clients(&app, 50).await.into_iter().map(draft).collect()).await;
    let booked = response.iter().filter(|(status, _)| *status == 201).count();
    let refused = response.iter().filter(|(status, body)| {
        *status == 409 && body["error"]["key"] == "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE"
    });
    assert_eq!((booked, refused.count()), (1, 49));
}

#[scenario]
async fn any_coach_is_each_coach_once(app: App) {
    let mut coaches = Vec::new();
    for _ in 0..5 {
        coaches.push(coach_at_work(&app).await);
    }
    let event_type = new_type(&app, json!({"coachIds": coaches})).await;
    let start = free_start();
    let draft = |client| json!({"clientId": client, "eventTypeId": event_type, "startsAt": start});
    let response = all_ask(&app, clients(&app, 6).await.into_iter().map(draft).collect()).await;
    let mut with: Vec<_> = response
        .iter()
        .filter(|(status, _)| *status == 201)
        .map(|(_, body)| text(body, "/data/booking/coachId"))
        .collect();
    with.sort();
    coaches.sort();
    assert_eq!(with, coaches);
}

#[scenario]
async fn lines_keep_their_order_while_people_leave_and_join(app: App) {
    let coach = coach_at_work(&app).await;
    let line = json!({"kind": "class", "capacity": 15, "waitlist": {"mode": "auto"}});
    let event_type = new_type(&app, line).await;
    let class = new_class(&app, &event_type, &coach, &free_start()).await;
    let draft = |client| json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist"});
    let mut seats = Vec::new();
    for client in clients(&app, 15).await {
        seats.push(book(&app, draft(client)).await);
    }
    let drafts: Vec<_> = clients(&app, 50).await.into_iter().map(draft).collect();
    let leave = async |seat: &String| loop {
        let reply = app.act(&format!("/bookings/{seat}/cancel")).await;
        if reply.status != 503 {
            return reply.status;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    let (response, left) = tokio::join!(all_ask(&app, drafts), join_all(seats.iter().map(leave)));
    assert!(left.iter().all(|status| *status == 200), "{left:?}");
    assert!(response.iter().all(|(status, _)| *status == 201));
    // A client with a place on the waiting list before another has the seat before them.
    let list = app.get(&format!("/bookings?calendarEventId={class}&limit=100")).await.ok();
    let bookings = list.data()["bookings"].as_array().unwrap();
    let with = |status: &str| bookings.iter().filter(|booking| booking["status"] == status).count();
    assert_eq!((with("booked"), with("waitlisted")), (15, 35), "{}", list.body);
    let waiting: Vec<i64> =
        bookings.iter().filter_map(|booking| booking["waitlistPosition"].as_i64()).collect();
    let first_waiting = waiting.iter().min().unwrap();
    let passed = response.iter().filter_map(|(_, body)| {
        let given = body["data"]["booking"]["waitlistPosition"].as_i64()?;
        let id = &body["data"]["booking"]["bookingId"];
        let now = bookings.iter().find(|booking| booking["bookingId"] == *id)?;
        (now["status"] == "booked").then_some(given)
    });
    for given in passed {
        assert!(given < *first_waiting, "{given} has a seat, {first_waiting} waits");
    }
}
