//! Workout templates, plans and sessions.

use serde_json::{Value, json};

use crate::{App, dates::ago, text};

/// The squat of the starter library.
pub const SQUAT: &str = "000000000000010000000001";

/// The plank of the starter library, of which time is taken.
pub const PLANK: &str = "0000000000000100000000b2";

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

/// Creates a workout template; returns its id.
pub async fn template_of(app: &App, mut facts: Value) -> String {
    facts["name"] = json!("Base");
    let made = app.post("/workout/plans/templates", facts).await.ok();
    text(made.data(), "/template/_id")
}

/// Adds a day to a template or plan; returns its id.
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

/// Records a finished session.
pub async fn did(app: &App, client: &str, minutes_ago: i64, exercises: Value) -> String {
    let body = json!({"startedAt": ago(minutes_ago), "completedAt": ago(minutes_ago), "exercises": exercises});
    let made = app.post(&format!("/workout/clients/{client}/plans/sessions"), body).await.ok();
    text(made.data(), "/session/sessionId")
}
