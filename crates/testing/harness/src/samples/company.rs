use serde_json::{Value, json};
use spotter_contract::Operation;

use crate::{
    App, random_text,
    samples::{Ids, Sample, SampleFuture},
    text,
};

/// The company, its coaches, and its audit log.
pub struct Company;

/// Invites a coach.
pub async fn invite(app: &App, ids: &mut Ids) {
    let made = app.app("POST", "/coaches", Some(new_coach())).await.ok();
    ids.insert("coachId", text(made.data(), "/coach/coachId"));
}

fn new_coach() -> Value {
    let email = format!("{}@example.com", random_text());
    json!({"firstName": "A", "lastName": "B", "email": email, "role": "Coach"})
}

impl Sample for Company {
    fn has(&self, operation: &Operation) -> bool {
        let places = ["/company", "/coaches", "/platform", "/audit-logs", "/mail"];
        places.iter().any(|place| operation.path.starts_with(place))
            && !operation.path.contains("/mcp/")
    }

    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async move {
            match of {
                Some(operation) if operation.id == "reinvite_coach" => invite(app, ids).await,
                Some(_) => {}
                None => {
                    ids.insert("coachId", app.admin.to_string());
                    let logs = app.get("/audit-logs").await.ok();
                    ids.insert("auditLogId", text(logs.data(), "/auditLogs/0/auditLogId"));
                }
            }
        })
    }

    fn body(&self, operation: &str, _: &Ids) -> Value {
        match operation {
            "invite_coach" => new_coach(),
            "update_coach" => json!({"firstName": "A"}),
            "update_company_settings" => json!({"name": "X"}),
            "update_notification_settings" => json!({"reminderHours": 12}),
            "update_company_features" => json!({"mcp": true}),
            "set_company_facilities" => json!({"facilities": []}),
            "set_company_services" => json!({"services": []}),
            "set_company_policies" => json!({"cancellationWindowHours": 1, "bookingWindowDays": 1}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
