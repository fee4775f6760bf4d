use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    progress::{TURNED, send_picture},
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// A measurement, a habit with an entry of today, and a goal.
pub struct Progress;

/// Parts after a client in the paths of progress.
const ROOMS: [&str; 6] =
    ["/measurements", "/habits", "/goals", "/progress-summary", "/progress-photos", "/nutrition-"];

impl Sample for Progress {
    fn has(&self, operation: &Operation) -> bool {
        let is_of_client = operation.path.starts_with("/clients/{clientId}/");
        operation.path.starts_with("/measurement-types")
            || is_of_client && ROOMS.iter().any(|room| operation.path.contains(room))
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let client = ids["clientId"].clone();
            let of = of.map_or("", |operation| operation.id);
            if of.is_empty() {
                let new = json!({"label": "Grip strength", "unit": "kg", "maximum": 200});
                let made = app.post("/measurement-types", new).await.ok();
                ids.insert("type", text(made.data(), "/measurementType/type"));
            }
            let weight = json!({"type": "weight", "value": 80});
            let made = app.post(&format!("/clients/{client}/measurements"), weight).await.ok();
            ids.insert("measurementId", text(made.data(), "/measurement/measurementId"));
            let habits = format!("/clients/{client}/habits");
            let made = app.post(&habits, json!({"name": "Water"})).await.ok();
            let habit = text(made.data(), "/habit/habitId");
            ids.insert("date", text(made.data(), "/habit/startDate"));
            if of != "put_habit_entry" {
                let path = format!("{habits}/{habit}/entries/{}", ids["date"]);
                app.put(&path, json!({})).await.ok();
            }
            ids.insert("habitId", habit);
            let goal = json!({"title": "Slimmer", "kind": "measurement", "measurementType": "waist",
                "targetValue": 75, "direction": "decrease"});
            let made = app.post(&format!("/clients/{client}/goals"), goal).await.ok();
            ids.insert("goalId", text(made.data(), "/goal/goalId"));
            let path = format!("/clients/{client}/nutrition-logs");
            let made = app.app("POST", &path, Some(meal())).await.ok();
            ids.insert("nutritionLogId", text(made.data(), "/nutritionLog/nutritionLogId"));
            for name in ["progressPhotoId", "pictureId"] {
                let sent = send_picture(app, &app.coach_token, "image/jpeg", TURNED).await.ok();
                let picture = text(sent.data(), "/upload/uploadId");
                if name == "pictureId" {
                    ids.insert(name, picture);
                    continue;
                }
                let path = format!("/clients/{client}/progress-photos");
                let new = json!({"uploadId": picture});
                let made = app.app("POST", &path, Some(new)).await.ok();
                ids.insert(name, text(made.data(), "/progressPhoto/progressPhotoId"));
            }
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_measurement_type" => json!({"label": "Reach", "unit": "cm", "maximum": 300}),
            "update_measurement_type" => json!({"label": "Grip strength, right"}),
            "record_measurement" => json!({"type": "weight", "value": 81.5}),
            "update_measurement" => json!({"value": 80.5, "note": "Before breakfast"}),
            "create_habit" => json!({"name": "Sleep", "kind": "amount", "target": 8, "unit": "h"}),
            "update_habit" => json!({"name": "More water"}),
            "put_habit_entry" => json!({"note": "With lemon"}),
            "create_goal" => {
                json!({"title": "Often", "kind": "sessions", "targetValue": 10})
            }
            "add_progress_photo" => json!({"uploadId": ids["pictureId"]}),
            "update_progress_photo" => json!({"pose": "left"}),
            "log_meal" => meal(),
            "update_nutrition_log" => json!({"mealType": "snack"}),
            "set_nutrition_target" => json!({"amounts": {"energyKcal": 2200, "proteinG": 130}}),
            "update_goal" => json!({"targetValue": 74}),
            other => panic!("{other} needs a good body here"),
        }
    }
}

fn meal() -> Value {
    json!({"mealType": "lunch", "items": [{"name": "Apple", "amount": 1, "unit": "piece",
        "nutrients": {"energyKcal": 95.5, "sugarG": 19}}]})
}
