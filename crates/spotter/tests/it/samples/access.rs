use serde_json::{Value, json};
use spotter_contract::Operation;

use super::{Ids, Making, Sample};
use crate::{
    harness::{App, PASSWORD, send},
    workout::text,
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

    fn make<'m>(&'m self, app: &'m App, ids: &'m mut Ids, _: Option<&'m Operation>) -> Making<'m> {
        Box::pin(async {
            ids.insert("id", app.api_client.clone());
            let login = json!({"email": app.admin_email, "password": PASSWORD});
            let login = app.server.request("POST", "/app/v1/auth/login").json(&login);
            send(login).await.ok();
            let told = app.app("GET", "/auth/sessions", None).await.ok();
            let all = told.data()["sessions"].as_array().unwrap();
            let other = all.iter().find(|one| one["isCurrent"] == false).unwrap();
            ids.insert("signedInSessionId", text(other, "/sessionId"));
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "create_api_client" => {
                json!({"name": "X", "scopes": ["clients:read"], "defaultAssignedCoachId": ids["coachId"]})
            }
            _ => json!({"name": "X"}),
        }
    }
}
