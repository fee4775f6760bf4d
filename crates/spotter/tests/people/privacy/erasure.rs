//! Erasing a client: no trace in any table except for what the law requires.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spotter_harness::{App, Engine, messaging, people, scenario, send, world::World};
use spotter_store::{Sql, params};

use super::{MARK, columns, mark_everything, places};

/// Tables without clients' data, or with it for a day at most.
const NOT_OF_CLIENTS: &[&str] = &[
    "access_device",
    "access_lockout",
    "access_rule",
    "access_token",
    "access_zone",
    "announcement",
    "api_client",
    "api_client_window",
    "attendance_day",
    "availability_rule",
    "balance_day",
    "calendar_day",
    "calendar_event",
    "coach",
    "coach_availability",
    "cohort_month",
    "company",
    "company_policy",
    "confirmation",
    "custom_field",
    "document_folder",
    "event",
    "event_series",
    "event_template",
    "event_type",
    "facility",
    "finance_settings",
    "form",
    "form_version",
    "habit_schedule",
    "idempotency",
    "idempotency_answer",
    "invoice_series",
    "job",
    "location",
    "location_availability",
    "mcp_key",
    "mcp_policy",
    "mcp_request",
    "measurement_type",
    "members_day",
    "notification_settings",
    "payment_provider",
    "product",
    "provider_notice",
    "provider_payment",
    "report_recount",
    "revenue_day",
    "sandbox_dispute",
    "sandbox_notice",
    "sandbox_payment",
    "sandbox_refund",
    "sandbox_setup",
    "service",
    "site",
    "site_address",
    "stored_answer",
    "tally",
    "test_clock",
    "test_environment",
    "timer",
    "timer_run",
    "webhook_attempt",
    "webhook_delivery",
    "webhook_listener",
    "webhook_subscription",
    "workout_exercise",
    "workout_group",
    "workout_settings",
];

async fn gone(app: &App, client: &str) -> Value {
    for _ in 0..500 {
        let response = app.app("GET", &format!("/clients/{client}/erasure"), None).await.ok();
        if response.data()["erasure"]["status"] == "completed" {
            return response.data()["erasure"].clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let step = Sql("SELECT step, status FROM client_erasure WHERE company_id = ?1");
    let company = app.company;
    let at: Vec<(i64, String)> =
        app.server.db.read(move |tx| tx.all(step, params![company])).await.unwrap();
    panic!("the erasure does not end: {at:?}");
}

#[scenario]
async fn an_erased_client_leaves_nothing(app: App) {
    let World { app, .. } = World::new(app).await;
    let (client, _) = mark_everything(&app).await;
    let before = places(&app, MARK).await;
    for place in ["client.last_name", "client_term.term", "message.text", "form_submission.answers"]
    {
        assert!(before.contains(place), "{place} of {before:?}");
    }
    let other = app.get("/clients").await.ok().data()["total"].as_i64().unwrap() - 1;
    app.act(&format!("/clients/{client}/archive")).await.ok();
    app.events().await;
    let once = json!({"name": "Form", "type": "other", "url": "https://example.com/f", "clientId": client});
    let again = async || {
        let request = app.server.request("POST", "/public/v1/documents").bearer_auth(&app.token);
        send(request.header("Idempotency-Key", "once").json(&once)).await
    };
    again().await.ok();
    app.events().await;
    app.app("POST", &format!("/clients/{client}/erase"), None).await.ok();
    // From the answer on the client is not found.
    for list in ["intakes", "checkups", "documents"] {
        let response = app.app("GET", &format!("/{list}?clientId={client}"), None).await.ok();
        assert_eq!(response.data()["total"], 0, "{list}");
    }
    again().await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    app.get(&format!("/clients/{client}")).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    app.act(&format!("/clients/{client}/restore"))
        .await
        .refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let response = app.get("/clients").await.ok();
    assert_eq!(response.data()["total"], other);
    let found = app.get(&format!("/clients?search={MARK}")).await.ok();
    assert_eq!(found.data()["total"], 0);
    assert_eq!(app.get(&format!("/clients?tag={MARK}")).await.ok().data()["total"], 0);
    assert!(!app.get("/clients/tags").await.ok().body.to_string().contains(MARK));
    for number in ["7477734518", "7477834519"] {
        assert_eq!(places(&app, number).await, BTreeSet::new());
        let found = app.get(&format!("/clients?search={number}")).await.ok();
        assert_eq!(found.data()["total"], 0, "{number}");
    }
    gone(&app, &client).await;
    app.app("POST", &format!("/clients/{client}/erase"), None).await.ok();
    let response = app.announced(&["client.updated"]).await;
    assert!(!response[0].to_string().contains(MARK));
    // Stored answers are replayed to the same request for a day.
    let mut left = places(&app, MARK).await;
    left.retain(|place| !place.starts_with("stored_answer.") && !place.starts_with("idempotency"));
    assert_eq!(left, BTreeSet::new());
    // A table without remainders keeps no row that names the client.
    let whole: BTreeSet<_> = spotter::areas::areas()
        .erasure_rules
        .iter()
        .filter(|erasure_rule| erasure_rule.left.is_empty())
        .map(|erasure_rule| erasure_rule.table)
        .collect();
    for place in places(&app, &client).await {
        let (table, _) = place.split_once('.').unwrap();
        assert!(!whole.contains(table), "{place}");
    }
}

/// What a client wrote in a group is theirs, also once they have left it.
#[scenario]
async fn messages_in_groups_that_were_left_are_emptied(app: App) {
    let (_, coach) = people::coach(&app, "Coach").await;
    let (client, token) = people::client(&app).await;
    let group = messaging::open_group(&app, &coach, &[&client]).await;
    messaging::say(&app, &token, &group, "A secret of mine").await;
    messaging::say(&app, &coach, &group, "A coach's word").await;
    let gone_from = format!("/conversations/{group}/participants/{client}");
    app.app_as(&coach, "DELETE", &gone_from, None).await.ok();
    app.act(&format!("/clients/{client}/archive")).await.ok();
    app.app("POST", &format!("/clients/{client}/erase"), None).await.ok();
    gone(&app, &client).await;
    let messages = format!("/conversations/{group}/messages");
    let left = app.app_as(&coach, "GET", &messages, None).await.ok().body.to_string();
    assert!(!left.contains("A secret of mine") && left.contains("A coach's word"), "{left}");
    app.events().await;
}

#[scenario]
async fn debtors_and_active_clients_are_not_erased(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/clients/{client}/erase");
    app.app("POST", &path, None).await.refused(409, "PUBLIC_API_ERROR").about("clientId");
    spotter_harness::billing::sold(&app, &client, json!({}), json!({})).await;
    app.act(&format!("/clients/{client}/archive")).await.ok();
    let refused = app.app("POST", &path, None).await.refused(409, "PUBLIC_API_ERROR");
    assert!(refused.body.to_string().contains("open invoices"), "{}", refused.body);
    app.events().await;
    app.app("GET", &format!("/clients/{client}/erasure"), None)
        .await
        .refused(404, "resource.not_found");
    let (_, coach) = people::coach(&app, "Coach").await;
    app.app_as(&coach, "POST", &path, None).await.refused(403, "auth.forbidden");
    app.get(&format!("/clients/{client}")).await.ok();
}

/// Every table has an erasure rule, or contains no clients' data.
#[test]
fn every_table_has_an_erasure_rule() {
    spotter_harness::run(Engine::Sqlite, async |app| {
        let of_companies: BTreeSet<_> =
            columns(&app).await.into_iter().map(|(table, _)| table).collect();
        let rules = spotter::areas::areas().erasure_rules;
        let submitted: BTreeSet<_> = rules.iter().map(|erasure_rule| erasure_rule.table).collect();
        assert_eq!(submitted.len(), rules.len(), "each is said once");
        for table in &submitted {
            assert!(of_companies.contains(*table), "{table}");
            assert!(!NOT_OF_CLIENTS.contains(table), "{table}");
        }
        let silent: Vec<_> = of_companies
            .iter()
            .filter(|table| !submitted.contains(table.as_str()))
            .filter(|table| !NOT_OF_CLIENTS.contains(&table.as_str()))
            .collect();
        assert!(silent.is_empty(), "{silent:?} say nothing of what is left in them");
    });
}

/// The documentation's table is the areas' own.
#[test]
fn erasure_leftovers_are_documented() {
    const DOCS: &str = include_str!("../../../../../docs/PRIVACY.md");
    for erasure_rule in spotter::areas::areas().erasure_rules {
        let row = match erasure_rule.left {
            "" => continue,
            left => format!("| `{}` | {left} |", erasure_rule.table),
        };
        assert!(DOCS.contains(&row), "{row}");
    }
}

/// More files than are erased at a time, of more forms than are.
#[scenario]
async fn files_are_found_whatever_became_of_their_forms(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    const FILE: Sql = Sql(
        "INSERT INTO form_file (company_id, file_id, client_id, assignment_id, upload_id, file_name, \
        media_type, size_bytes, submitted, created_at) VALUES (?1, ?2, ?3, ?4, ?5, 'x', 'text/plain', 1, ?6, 0)",
    );
    let (company, of) = (app.company, client.clone());
    let fill = move |tx: &mut spotter_store::Tx<'_>| {
        for at in 0..1_201 {
            let id = format!("{at:024x}");
            tx.execute(FILE, params![company, id, of, id, id, true])?;
        }
        Ok(())
    };
    app.server.db.write(fill).await.unwrap();
    app.act(&format!("/clients/{client}/archive")).await.ok();
    app.app("POST", &format!("/clients/{client}/erase"), None).await.ok();
    gone(&app, &client).await;
    const LEFT: Sql = Sql("SELECT COUNT(*) FROM form_file WHERE company_id = ?1");
    let left = app.server.db.read(move |tx| tx.one::<(i64,)>(LEFT, params![company])).await;
    assert_eq!(left.unwrap(), Some((0,)));
    app.events().await;
}
