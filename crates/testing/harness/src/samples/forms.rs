use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    forms::{NOTE, give, new_form, published, questions, send_file},
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// Forms of each kind, and a client's assignments.
pub struct Forms;

/// Parts after a client in the paths of forms.
const ROOMS: [&str; 4] = ["/form-", "/checkup", "/forms", "/intakes"];

impl Sample for Forms {
    fn has(&self, operation: &Operation) -> bool {
        let path = operation.path.trim_start_matches("/clients/{clientId}");
        ROOMS.iter().any(|room| path.starts_with(room))
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
            let form = published(app, "general", questions()).await;
            // Something waits to be published.
            let other =
                json!({"questions": [{"questionId": "why", "type": "text", "label": "Why?"}]});
            app.app("PATCH", &format!("/forms/{form}"), Some(other)).await.ok();
            let given = give(app, &client, &form).await;
            let path = format!("/clients/{client}/form-assignments/{given}");
            ids.insert("formId", form);
            let sent = send_file(app, &app.coach_token).await;
            let draft = json!({"answers": {"mood": 3, "scan": {"uploadId": sent}}});
            let saved = app.app("PUT", &format!("{path}/draft"), Some(draft)).await.ok();
            ids.insert("fileId", text(saved.data(), "/draft/answers/scan/fileId"));
            if matches!(
                of,
                "" | "reopen_form_assignment" | "review_form_assignment" | "get_form_submission"
            ) {
                let handed = app.app("POST", &format!("{path}/submit"), None).await.ok();
                ids.insert("submissionId", text(handed.data(), "/submission/submissionId"));
            }
            ids.insert("assignmentId", given);
            let intake = published(app, "intake", questions()).await;
            ids.insert("intakeId", give(app, &client, &intake).await);
            let checkup = published(app, "checkup", questions()).await;
            let new = json!({"formId": checkup, "recurrence": {"frequency": "weekly"}});
            let made = app.post(&format!("/clients/{client}/checkups"), new).await.ok();
            let given = text(made.data(), "/checkup/checkupId");
            ids.insert("seriesId", text(made.data(), "/checkup/seriesId"));
            if matches!(of, "" | "review_checkup") {
                let path = format!("/clients/{client}/form-assignments/{given}/submit");
                let answers = json!({"answers": {"mood": 4}});
                app.app("POST", &path, Some(answers)).await.ok();
            }
            ids.insert("checkupFormId", checkup);
            ids.insert("checkupId", given);
            if of == "create_form" {
                new_form(app, "general", questions()).await;
            }
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_form" => {
                json!({"name": "Welcome", "kind": "general", "questions": questions()})
            }
            "update_form" => json!({"name": "Welcome back", "questions": [NOTE.clone()]}),
            "publish_form"
            | "archive_form"
            | "cancel_form_assignment"
            | "cancel_checkup"
            | "end_checkup_series" => json!({}),
            "assign_form" => json!({"formId": ids["formId"], "dueAt": "2030-01-01T09:00:00Z"}),
            "reopen_form_assignment" => json!({"dueAt": "2030-01-01T09:00:00Z"}),
            "review_form_assignment" | "review_checkup" => json!({"review": "Sleep more."}),
            "save_form_draft" => json!({"answers": {"mood": 2}}),
            "submit_form" => json!({"answers": {"mood": 2, "note": "Fine."}}),
            "assign_checkup" => {
                json!({"formId": ids["checkupFormId"], "message": "How was the week?"})
            }
            "update_checkup" => json!({"dueAt": "2030-01-02T09:00:00Z"}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
