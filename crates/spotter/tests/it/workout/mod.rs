//! The workout module: libraries, programmes, clients' plans and calendars, sessions and progress.

mod calendar;
mod libraries;
mod plans;
mod programmes;
mod sessions;
mod weeks;

use serde_json::{Value, json};
use spotter_kernel::{Clock, Date, TimeZone};

use crate::harness::{App, SystemClock};

/// The squat of the starter library.
pub const SQUAT: &str = "000000000000010000000001";
/// The plank of the starter library, of which time is taken.
pub const PLANK: &str = "0000000000000100000000b2";

/// The date that it is in the test company's zone, so many days later.
pub fn day(days: i64) -> String {
    let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
    zone.date_at(SystemClock.now()).plus_days(days).unwrap().to_string()
}

/// A Monday, so many weeks from this week's.
pub fn monday(weeks: i64) -> String {
    after(&Date::parse(&day(0)).unwrap().monday().to_string(), 7 * weeks)
}

/// The date so many days after another.
pub fn after(date: &str, days: i64) -> String {
    Date::parse(date).unwrap().plus_days(days).unwrap().to_string()
}

/// An instant so many minutes ago.
pub fn ago(minutes: i64) -> String {
    SystemClock.now().plus_millis(-minutes * 60_000).to_string()
}

/// A text at a place of an answer.
#[track_caller]
pub fn text(value: &Value, pointer: &str) -> String {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {pointer} of {value}")).to_owned()
}

/// Sets of one exercise: weight and repetitions of each.
pub fn lifted(exercise: &str, sets: &[(f64, i64)]) -> Value {
    let sets: Vec<_> =
        sets.iter().map(|(weight, reps)| json!({"weight": weight, "reps": reps})).collect();
    json!({"exerciseId": exercise, "sets": sets})
}

/// A multi-week template on the calendar: three weeks with a day on Monday and one on Thursday.
pub async fn new_template(app: &App) -> String {
    let template =
        template_of(app, json!({"layout": "calendar_week", "mode": "multi_week", "weeks": 3}))
            .await;
    for week in 1..=3 {
        for weekday in [1, 4] {
            add_day(app, &template, json!({"name": format!("W{week}D{weekday}"), "weekNumber": week, "weekday": weekday})).await;
        }
    }
    template
}

pub async fn template_of(app: &App, mut facts: Value) -> String {
    facts["name"] = json!("Base");
    let made = app.post("/workout/plans/templates", facts).await.ok();
    text(made.data(), "/template/_id")
}

pub async fn add_day(app: &App, plan: &str, day: Value) -> String {
    let made = app.post(&format!("/workout/plans/moments/{plan}"), day).await.ok();
    text(made.data(), "/day/planMomentId")
}

/// Publishes a template, which needs a day for that.
pub async fn publish(app: &App, template: &str) {
    let days = app.get(&format!("/workout/plans/moments/{template}")).await.ok();
    if days.data()["moments"].as_array().unwrap().is_empty() {
        let plan = app.get(&format!("/workout/plans/templates/{template}")).await.ok();
        let on_calendar = plan.data().to_string().contains("\"layout\":\"calendar_week\"");
        let day =
            if on_calendar { json!({"name": "Day", "weekday": 1}) } else { json!({"name": "Day"}) };
        add_day(app, template, day).await;
    }
    app.put(&format!("/workout/plans/publish/{template}"), json!({})).await.ok();
}

/// Gives a client a published template; the client's plan.
pub async fn assign(app: &App, client: &str, template: &str, start: Option<&str>) -> String {
    let body = match start {
        Some(start) => json!({"templateId": template, "startDate": start}),
        None => json!({"templateId": template}),
    };
    let made = app.post(&format!("/workout/clients/{client}/plans"), body).await.ok();
    text(made.data(), "/plan/_id")
}

/// The days of a plan, in their order.
pub async fn days_of(app: &App, plan: &str) -> Vec<Value> {
    let reply = app.get(&format!("/workout/plans/moments/{plan}?limit=100")).await.ok();
    reply.data()["moments"].as_array().unwrap().clone()
}

/// Records a session that is over.
pub async fn did(app: &App, client: &str, minutes_ago: i64, exercises: Value) -> String {
    let body = json!({"startedAt": ago(minutes_ago), "completedAt": ago(minutes_ago), "exercises": exercises});
    let made = app.post(&format!("/workout/clients/{client}/plans/sessions"), body).await.ok();
    text(made.data(), "/session/sessionId")
}
