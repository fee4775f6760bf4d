//! The workout module: libraries, programmes, clients' plans and calendars, sessions and progress.

mod calendar;
mod libraries;
mod plans;
mod programmes;
mod sessions;
mod weeks;

use serde_json::{Value, json};
use spotter_contract::Operation;
use spotter_kernel::{Clock, Date, TimeZone};

use crate::harness::{App, SystemClock, random_text};

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

/// A record of each kind, to build good requests of.
pub struct Training {
    exercise: String,
    item: String,
    pub template: String,
    day: String,
    plan: String,
    days: Vec<String>,
    moved: String,
    session: String,
    group: String,
    start: String,
}

impl Training {
    pub async fn new(app: &App, client: &str) -> Self {
        let exercise = app
            .post("/workout/exercises", json!({"name": "Own", "primaryMuscles": ["chest"]}))
            .await
            .ok();
        let of_client = format!("/workout/equipment/clients/{client}/custom-items");
        let item = app.post(&of_client, json!({"label": random_text()})).await.ok();
        let template = new_template(app).await;
        publish(app, &template).await;
        let day = text(&days_of(app, &template).await[0], "/planMomentId");
        let start = monday(1);
        let plan = assign(app, client, &template, Some(&start)).await;
        let days: Vec<_> =
            days_of(app, &plan).await.iter().map(|day| text(day, "/planMomentId")).collect();
        let body = json!({"planId": plan, "planMomentId": days[1], "occurrenceDate": after(&start, 3),
            "scheduledDate": after(&start, 4)});
        let moved = app.post(&format!("/workout/clients/{client}/calendar/moves"), body).await.ok();
        let body = json!({"startedAt": ago(60), "exercises": [lifted(SQUAT, &[(100.0, 5)])]});
        let session =
            app.post(&format!("/workout/clients/{client}/plans/sessions"), body).await.ok();
        let group = app.post("/workout/groups", json!({"name": "Early birds"})).await.ok();
        let group = text(group.data(), "/group/groupId");
        let members = format!("/workout/groups/{group}/members");
        app.post(&members, json!({"clientIds": [client]})).await.ok();
        Self {
            exercise: text(exercise.data(), "/exercise/exerciseId"),
            item: text(item.data(), "/item/id"),
            template,
            day,
            plan,
            days,
            moved: text(moved.data(), "/item/moveId"),
            session: text(session.data(), "/session/sessionId"),
            group,
            start,
        }
    }

    /// The records that stand in an operation's path.
    pub fn ids(&self, operation: &Operation) -> Vec<(&'static str, &String)> {
        let of_client = operation.path.starts_with("/workout/clients/");
        vec![
            ("{exerciseId}", &self.exercise),
            ("{itemId}", &self.item),
            ("{templateId}", if of_client { &self.plan } else { &self.template }),
            ("{planId}", &self.template),
            ("{planMomentId}", &self.day),
            ("{sessionId}", &self.session),
            ("{moveId}", &self.moved),
            ("{groupId}", &self.group),
        ]
    }

    /// The ids of all records.
    pub fn all(&self) -> [&String; 8] {
        let Self { exercise, item, template, day, plan, moved, session, group, .. } = self;
        [exercise, item, template, day, plan, moved, session, group]
    }

    /// A good body of one of the module's operations.
    pub fn good_body(&self, operation: &str, client: &str) -> Value {
        let exercises = json!([lifted(SQUAT, &[(60.0, 8)])]);
        match operation {
            "create_workout_exercise" => json!({"name": "New", "primaryMuscles": ["glutes"]}),
            "create_workout_equipment" | "create_client_equipment" | "update_client_equipment" => {
                json!({"label": random_text()})
            }
            "create_workout_moment" => json!({"name": "Day", "weekday": 2}),
            "set_workout_moment_exercises" | "set_workout_session_sets" => {
                json!({"exercises": exercises})
            }
            "add_workout_week" => json!({"duplicateOf": 1}),
            "assign_workout_plan" | "assign_workout_group_plan" => {
                json!({"templateId": self.template})
            }
            "reorder_client_workout_days" => {
                json!({"planMomentIds": self.days.iter().rev().collect::<Vec<_>>()})
            }
            "create_workout_move" => json!({"planId": self.plan, "planMomentId": self.days[0],
                "occurrenceDate": self.start, "scheduledDate": after(&self.start, 1)}),
            "begin_workout_session" => json!({"exercises": exercises}),
            "complete_workout_session" => json!({"completedAt": ago(30)}),
            "update_workout_feedback" => json!({"rating": 7}),
            "update_workout_settings" => json!({"weightUnit": "lb"}),
            "add_workout_group_members" => json!({"clientIds": [client]}),
            _ => json!({"name": format!("Name {}", random_text())}),
        }
    }
}
