use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    dates::{after, ago, monday},
    random_text,
    samples::{Ids, Sample, SampleFuture},
    text,
    training::{SQUAT, assign, days_of, lifted, new_template, publish},
};

/// A client's training: exercises and equipment, a template and the plan out of it, a day that was moved,
/// a session, a group.
pub struct Training;

impl Training {
    async fn train(app: &App, ids: &mut Ids) {
        let client = ids["clientId"].clone();
        let new = json!({"name": "Own", "primaryMuscles": ["chest"]});
        let exercise = app.post("/workout/exercises", new).await.ok();
        let of_client = format!("/workout/equipment/clients/{client}/custom-items");
        let item = app.post(&of_client, json!({"label": random_text()})).await.ok();
        let template = new_template(app).await;
        publish(app, &template).await;
        let day = text(&days_of(app, &template).await[0], "/planMomentId");
        let start = monday(1);
        let plan = assign(app, &client, &template, Some(&start)).await;
        let days: Vec<_> =
            days_of(app, &plan).await.iter().map(|day| text(day, "/planMomentId")).collect();
        let body = json!({"planId": plan, "planMomentId": days[1],
            "occurrenceDate": after(&start, 3), "scheduledDate": after(&start, 4)});
        let moved = app.post(&format!("/workout/clients/{client}/calendar/moves"), body).await.ok();
        let body = json!({"startedAt": ago(60), "exercises": [lifted(SQUAT, &[(100.0, 5)])]});
        let session =
            app.post(&format!("/workout/clients/{client}/plans/sessions"), body).await.ok();
        let group = app.post("/workout/groups", json!({"name": "Early birds"})).await.ok();
        let group = text(group.data(), "/group/groupId");
        let members = format!("/workout/groups/{group}/members");
        app.post(&members, json!({"clientIds": [client]})).await.ok();
        ids.extend([
            ("exerciseId", text(exercise.data(), "/exercise/exerciseId")),
            ("itemId", text(item.data(), "/item/id")),
            ("planId", template),
            ("clientPlanId", plan),
            ("planMomentId", day),
            ("firstDay", days[0].clone()),
            ("days", days.join(" ")),
            ("moveId", text(moved.data(), "/item/moveId")),
            ("sessionId", text(session.data(), "/session/sessionId")),
            ("groupId", group),
            ("weekNumber", "2".to_owned()),
            ("startDate", start),
        ]);
    }
}

impl Sample for Training {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/workout")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            if of.is_some() {
                ids.insert("clientId", app.new_client(json!({"firstName": "Ann"})).await);
            }
            Self::train(app, ids).await;
            match of.map_or("", |operation| operation.id) {
                "publish_workout_template" => {
                    ids.insert("planId", new_template(app).await);
                }
                "add_workout_group_members" => {
                    ids.insert("clientId", app.new_client(json!({"firstName": "New"})).await);
                }
                _ => {}
            }
        })
    }

    fn noted_as(&self, operation: &Operation, parameter: &'static str) -> &'static str {
        let of_client = operation.path.starts_with("/workout/clients/");
        match parameter {
            "templateId" if of_client => "clientPlanId",
            "templateId" => "planId",
            "planMomentId" if of_client => "firstDay",
            other => other,
        }
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
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
                json!({"templateId": ids["planId"]})
            }
            "reorder_client_workout_days" => {
                json!({"planMomentIds": ids["days"].split(' ').rev().collect::<Vec<_>>()})
            }
            "create_workout_move" => json!({"planId": ids["clientPlanId"],
                "planMomentId": ids["firstDay"], "occurrenceDate": ids["startDate"],
                "scheduledDate": after(&ids["startDate"], 1)}),
            "begin_workout_session" => json!({"exercises": exercises}),
            "complete_workout_session" => json!({"completedAt": ago(30)}),
            "update_workout_feedback" => json!({"rating": 7}),
            "update_workout_settings" => json!({"weightUnit": "lb"}),
            "add_workout_group_members" => json!({"clientIds": [ids["clientId"]]}),
            _ => json!({"name": format!("Name {}", random_text())}),
        }
    }
}
