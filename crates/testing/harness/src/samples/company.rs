use serde_json::{Value, json};
use spotter_contract::Operation;
use spotter_store::{Sql, Tx, params};

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

/// Has it that a company has a test environment, or that it has none.
async fn set_test_environment(app: &App, is_there: bool) {
    const FORGET: Sql = Sql("DELETE FROM test_environment WHERE company_id = ?1");
    const NOTE: Sql =
        Sql("INSERT INTO test_environment (company_id, status, created_at, updated_at) \
            VALUES (?1, 'ready', 0, 0)");
    let company = app.company;
    let set = move |tx: &mut Tx<'_>| {
        tx.execute(FORGET, params![company])?;
        if is_there { tx.execute(NOTE, params![company]).map(drop) } else { Ok(()) }
    };
    app.server.db.write(set).await.unwrap();
}

impl Sample for Company {
    fn has(&self, operation: &Operation) -> bool {
        let places = ["/company", "/coaches", "/platform", "/audit-logs", "/mail", "/test-"];
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
                Some(operation) if operation.id == "create_test_environment" => {
                    set_test_environment(app, false).await;
                }
                Some(operation) if operation.id == "delete_test_environment" => {
                    set_test_environment(app, true).await;
                }
                Some(_) => {}
                None => {
                    ids.insert("coachId", app.admin.to_string());
                    set_test_environment(app, true).await;
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
            "advance_test_clock" => json!({"advanceTo": "2027-01-01T00:00:00Z"}),
            "set_company_facilities" => json!({"facilities": []}),
            "set_company_services" => json!({"services": []}),
            "set_company_policies" => json!({"cancellationWindowHours": 1, "bookingWindowDays": 1}),
            other => panic!("{other} needs a good body here"),
        }
    }
}
