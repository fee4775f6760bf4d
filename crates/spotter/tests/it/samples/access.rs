use serde_json::{Value, json};
use spotter_contract::Operation;

use super::{Ids, Making, Sample};
use crate::harness::App;

/// The company's API client.
pub struct Access;

impl Sample for Access {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/integrations")
    }

    fn make<'m>(&'m self, app: &'m App, ids: &'m mut Ids, _: Option<&'m Operation>) -> Making<'m> {
        Box::pin(async {
            ids.insert("id", app.api_client.clone());
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
