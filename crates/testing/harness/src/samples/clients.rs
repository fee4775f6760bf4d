use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, random_text,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// A client with a note, and a custom field.
pub struct Clients;

impl Sample for Clients {
    fn has(&self, operation: &Operation) -> bool {
        ["/clients", "/client-custom-fields"].iter().any(|at| operation.path.starts_with(at))
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let of = of.map_or("", |operation| operation.id);
            let client = app.new_client(match of {
                "approve_client_relationship" | "reject_client_relationship" => {
                    json!({"firstName": "Pending", "relationshipStatus": "pending"})
                }
                "invite_client" => {
                    json!({"firstName": "Ann", "email": format!("{}@example.com", random_text())})
                }
                _ => json!({"firstName": "Ann"}),
            });
            let client = client.await;
            let note =
                app.post(&format!("/clients/{client}/notes"), json!({"body": "x"})).await.ok();
            ids.insert("noteId", text(note.data(), "/note/noteId"));
            if matches!(of, "restore_client" | "erase_client" | "get_client_erasure") {
                app.act(&format!("/clients/{client}/archive")).await.ok();
            }
            if of == "get_client_erasure" {
                app.app("POST", &format!("/clients/{client}/erase"), None).await.ok();
            }
            if of.is_empty() || of.contains("data_export") && of != "request_data_export" {
                let path = format!("/clients/{client}/data-exports");
                let request = app.app("POST", &path, None).await.ok();
                let export = text(request.data(), "/dataExport/dataExportId");
                crate::data_exports::ready(app, &app.coach_token, &client, &export).await;
                ids.insert("dataExportId", export);
            }
            if of == "assign_client_coach" {
                crate::samples::company::invite(app, ids).await;
            }
            ids.insert("clientId", client);
            if of.is_empty() {
                let field = json!({"label": "Height", "type": "number"});
                let field = app.post("/client-custom-fields", field).await.ok();
                ids.insert("fieldId", text(field.data(), "/customField/fieldId"));
            }
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_client" => json!({"firstName": "Bea"}),
            "update_client" => json!({"lastName": "Bos"}),
            "preview_client_bulk" | "change_clients" => {
                json!({"clientIds": [ids["clientId"]], "addTags": ["spring"]})
            }
            "archive_client" => json!({"reason": "x"}),
            "erase_client" | "request_data_export" => json!({}),
            "set_health_consent" => json!({"given": true}),
            "update_notification_choices" => json!({"kinds": {"forms": false}}),
            "assign_client_coach" => json!({"coachId": ids["coachId"]}),
            "set_client_tags" => json!({"tags": ["x"]}),
            "create_client_note" | "update_client_note" => json!({"body": "y"}),
            "set_ai_access" => json!({"aiAccess": "off"}),
            "create_custom_field" => json!({"label": "Weight", "type": "number"}),
            "update_custom_field" => json!({"label": "Weight"}),
            "update_client_custom_fields" => {
                json!({"values": [{"fieldId": ids["fieldId"], "value": 1}]})
            }
            other => panic!("{other} needs a good body here"),
        }
    }
}
