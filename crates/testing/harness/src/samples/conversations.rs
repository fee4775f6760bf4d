use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    messaging::{open_group, say},
    samples::{Ids, Sample, SampleFuture},
};

/// A group with a guest and a message, and a person outside of it.
pub struct Talk;

impl Sample for Talk {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/conversations")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async {
            let guest = app.new_client(json!({"firstName": "Gus"})).await;
            let newcomer = app.new_client(json!({"firstName": "Nia"})).await;
            let group = open_group(app, &app.coach_token, &[&guest]).await;
            let message = say(app, &app.coach_token, &group, "Welcome").await;
            ids.extend([("conversationId", group), ("messageId", message)]);
            ids.extend([("userId", guest), ("newcomerId", newcomer)]);
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "open_conversation" => {
                json!({"conversationType": "group", "name": "Team", "userIds": [ids["userId"]]})
            }
            "update_conversation" => json!({"name": "Renamed"}),
            "add_participant" => json!({"userId": ids["newcomerId"]}),
            "send_message" => json!({"text": "Hello"}),
            "edit_message" => json!({"text": "Hello again"}),
            "mark_seen" => json!({"messageId": ids["messageId"]}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
