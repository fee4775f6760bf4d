use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App,
    messaging::{open_group, say},
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// A group with a guest and a message, and a person outside of it.
pub struct Talk;

fn announcement() -> Value {
    json!({"audience": {"kind": "all"}, "channels": {"message": true}, "subject": "Hello", "text": "Hello"})
}

impl Sample for Talk {
    fn has(&self, operation: &Operation) -> bool {
        ["/conversations", "/announcements"].iter().any(|place| operation.path.starts_with(place))
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            let guest = app.new_client(json!({"firstName": "Gus"})).await;
            let newcomer = app.new_client(json!({"firstName": "Nia"})).await;
            let group = open_group(app, &app.coach_token, &[&guest]).await;
            let message = say(app, &app.coach_token, &group, "Welcome").await;
            ids.extend([("conversationId", group), ("messageId", message)]);
            ids.extend([("userId", guest), ("newcomerId", newcomer)]);
            let new = announcement();
            let made = app.app("POST", "/announcements", Some(new)).await.ok();
            let announcement = text(made.data(), "/announcement/announcementId");
            // Nothing is to happen by itself meanwhile.
            if of.is_none_or(|of| of.id != "cancel_announcement") {
                app.app("POST", &format!("/announcements/{announcement}/cancel"), None).await.ok();
            }
            ids.insert("announcementId", announcement);
        })
    }

    fn body(&self, operation: &str, ids: &Ids) -> Value {
        match operation {
            "open_conversation" => {
                json!({"conversationType": "group", "name": "Team", "userIds": [ids["userId"]]})
            }
            "create_announcement" => announcement(),
            "update_conversation" => json!({"name": "Renamed"}),
            "add_participant" => json!({"userId": ids["newcomerId"]}),
            "send_message" => json!({"text": "Hello"}),
            "edit_message" => json!({"text": "Hello again"}),
            "mark_seen" => json!({"messageId": ids["messageId"]}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
