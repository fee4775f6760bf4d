//! The calendar: hours, slots, bookings, lines, requests, over HTTP on both engines.

mod availability;
mod bookings;
mod class_series;
mod classes;
mod fairness;
mod feeds;
mod invariants;
mod keys;
mod oracles;
mod races;
mod recurring;
mod requests;
mod revising;

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use spotter_kernel::{Clock, Timestamp};

use crate::{
    harness::{App, SystemClock, people},
    workout::text,
};

const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;

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

/// An instant so many days and minutes after today's midnight (UTC).
pub fn at(day: i64, minute: i64) -> String {
    let today = SystemClock.now().millis().div_euclid(DAY);
    Timestamp::from_millis((today + day) * DAY + minute * MINUTE).to_string()
}

/// A start at which nobody has anything to do yet: each is asked for once in this process.
pub fn free_start() -> String {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    at(30 + next % 300, next / 300 * 120)
}

/// The minute that it is.
pub fn this_minute() -> String {
    let now = SystemClock.now().millis();
    Timestamp::from_millis(now - now % MINUTE).to_string()
}

/// So many minutes after an instant.
pub fn later(at: &str, minutes: i64) -> String {
    Timestamp::parse(at).unwrap().plus_millis(minutes * MINUTE).to_string()
}

/// One object with the fields of another beside its own.
pub fn with(one: &Value, other: Value) -> Value {
    let mut both = one.clone();
    for (name, value) in other.as_object().unwrap() {
        both[name] = value.clone();
    }
    both
}

/// A new event type, of 30 minutes and for the next year unless it is said: its id.
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

/// A booking of a client who waits for the one seat of a class, and that of the one who has it.
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
