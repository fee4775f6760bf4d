//! Event types, classes, working hours and bookings.

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};

use crate::{App, dates::at, people, text, with};

/// The whole week.
pub fn always() -> Value {
    let day = |weekday| json!({"weekday": weekday, "startTime": "00:00", "endTime": "00:00"});
    (1..=7).map(day).collect()
}

/// Puts a coach to work around the clock, in UTC.
pub async fn always_at_work(app: &App, coach: &str) {
    let hours = json!({"timeZone": "UTC", "weekly": always()});
    app.put(&format!("/coaches/{coach}/availability"), hours).await.ok();
}

/// A new coach who works around the clock.
pub async fn coach_at_work(app: &App) -> String {
    let (coach, _) = people::coach(app, "Coach").await;
    always_at_work(app, &coach).await;
    coach
}

/// A free start: each is returned once in this process.
pub fn free_start() -> String {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    at(30 + next % 300, next / 300 * 120)
}

/// A new event type, of 30 minutes and bookable a year ahead by default: its id.
pub async fn new_type(app: &App, own: Value) -> String {
    let new =
        with(&json!({"name": "Training", "durationMinutes": 30, "bookingWindowDays": 366}), own);
    let made = app.post("/event-types", new).await.ok();
    text(made.data(), "/eventType/eventTypeId")
}

/// A class: its id.
pub async fn new_class(app: &App, event_type: &str, coach: &str, start: &str) -> String {
    let new = json!({"eventTypeId": event_type, "coachId": coach, "startsAt": start});
    let made = app.app("POST", "/calendar/events", Some(new)).await.ok();
    text(made.data(), "/calendarEvent/calendarEventId")
}

/// Books: the booking's id.
pub async fn book(app: &App, new: Value) -> String {
    let made = app.post("/bookings", new).await.ok();
    text(made.data(), "/booking/bookingId")
}

/// A booking on the waiting list for the only seat of a class, and the booking of that seat.
pub async fn waiting(app: &App, client: &str, mode: &str) -> (String, String) {
    let line = json!({"kind": "class", "capacity": 1, "waitlist": {"mode": mode}});
    let event_type = new_type(app, line).await;
    let coach = coach_at_work(app).await;
    let class = new_class(app, &event_type, &coach, &free_start()).await;
    let first = app.new_client(json!({"firstName": "First"})).await;
    let booked = book(app, json!({"clientId": first, "calendarEventId": class})).await;
    let new = json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist",
        "allowOverlap": true});
    (book(app, new).await, booked)
}

/// Slots of a day: their starts, with those reasons that speak against them.
pub async fn slots(app: &App, query: &str) -> Vec<(String, Vec<String>)> {
    let response = app.get(&format!("/availability/slots?{query}")).await.ok();
    let slots = response.data()["slots"].as_array().unwrap().clone();
    let reasons = |slot: &Value| {
        let reasons = slot["reasons"].as_array().unwrap().iter();
        reasons.map(|reason| reason.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    slots
        .iter()
        .map(|slot| (text(slot, "/localStartsAt")[..16].to_owned(), reasons(slot)))
        .collect()
}
