use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, PASSWORD,
    samples::{Ids, Sample, SampleFuture},
    second_step, send, text,
};

/// The company's API client, and where its admin is signed in.
pub struct Access;

impl Sample for Access {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/integrations") || operation.path.starts_with("/auth/")
    }

    fn noted_as(&self, _: &Operation, parameter: &'static str) -> &'static str {
        if parameter == "sessionId" { "signedInSessionId" } else { parameter }
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            ids.insert("id", app.api_client.clone());
            // One of the operations before may have switched one on.
            app.app("DELETE", "/auth/second-step", None).await.ok();
            let login = json!({"email": app.admin_email, "password": PASSWORD});
            let login = app.server.request("POST", "/app/v1/auth/login").json(&login);
            send(login).await.ok();
            let response = app.app("GET", "/auth/sessions", None).await.ok();
            let all = response.data()["sessions"].as_array().unwrap();
            let other = all.iter().find(|one| one["isCurrent"] == false).unwrap();
            ids.insert("signedInSessionId", text(other, "/sessionId"));
            match of.map_or("", |operation| operation.id) {
                "enable_second_step" => {
                    let begun = app.app("POST", "/auth/second-step", None).await.ok();
                    let secret = text(begun.data(), "/secret");
                    ids.insert("secondStepCode", second_step::code(&secret, 0));
                }
                "replace_recovery_codes" => {
                    second_step::enabled(app, &app.coach_token).await;
                }
                _ => {}
            }
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_api_client" => {
                json!({"name": "X", "scopes": ["clients:read"], "defaultAssignedCoachId": ids["coachId"]})
            }
            "enable_second_step" => {
                json!({"code": ids.get("secondStepCode").map_or("000000", String::as_str)})
            }
            _ => json!({"name": "X"}),
        }
    }
}
