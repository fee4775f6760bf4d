//! Statements: each prepares on both engines and uses its indexes.

use spotter_harness::{App, Engine, scenario};

#[scenario]
async fn every_statement_prepares(app: App) {
    let mut texts: Vec<String> = [
        spotter::areas::areas().statements,
        spotter_contract::statements(),
        spotter_webhooks::statements(),
        spotter_store::own_statements(),
    ]
    .concat()
    .iter()
    .map(|sql| sql.0.to_owned())
    .collect();
    texts.extend(spotter::areas::areas().lists.iter().flat_map(|list| list.all_texts()));
    assert!(texts.len() > 120, "{}", texts.len());
    app.server.db.read(move |tx| texts.iter().try_for_each(|text| tx.check(text))).await.unwrap();
}

#[scenario]
async fn lists_use_their_indexes(app: App) {
    for text in spotter::areas::areas().lists.iter().flat_map(|list| list.all_texts()) {
        let request = text.clone();
        let plan = app.server.db.read(move |tx| tx.plan(&request)).await.unwrap();
        // On SQLite, search conditions of a walked list use the client's terms; PostgreSQL decides by the number of
        // rows.
        if text.contains("FROM client_term t ") && app.server.engine == Engine::Sqlite {
            let by_client = plan.iter().any(|step| step.contains("client_term_client"));
            assert!(by_client, "{text}: {plan:?}");
        }
        assert!(!plan.is_empty() && !reads_whole(&plan), "{text}: {plan:?}");
    }
}

/// No statement of the areas and of the delivery engine reads a whole table.
#[scenario]
async fn statements_use_their_indexes(app: App) {
    for sql in [spotter::areas::areas().statements, spotter_webhooks::statements()].concat() {
        let plan = app.server.db.read(move |tx| tx.plan(sql.0)).await.unwrap();
        // Results of a limited subquery are in memory; the operator's list of companies, pruning, and a restore
        // concern all rows.
        let meant = [
            // A year of a client's measurements: its months, and the days at its ends.
            ") spans WHERE count > 0",
            ") due",
            ") few",
            ") AS dated",
            "RECURSIVE unfinished",
            "RECURSIVE days",
            "RECURSIVE kind (type)",
            "FROM company ORDER BY",
            "FROM company c WHERE",
            "FROM report_recount ORDER BY",
            "UPDATE mail SET status = ?1, content = NULL, error = ?3",
            "DELETE FROM calendar_notice",
            "UPDATE announcement SET status = ?1 WHERE status IN",
            "WHERE due_at IS NOT NULL GROUP BY",
            "lease = NULL, due_at = NULL WHERE due_at IS NOT NULL",
            "FROM sandbox_notice n",
            "FROM refund WHERE status = 'pending' ON CONFLICT",
        ];
        let meant = meant.iter().any(|part| sql.0.contains(part));
        assert!(!reads_whole(&plan) || meant, "{}: {plan:?}", sql.0);
    }
    // Claims read due deliveries in order, however many others are stored.
    for sql in spotter_webhooks::queue::CLAIMS {
        let plan = app.server.db.read(move |tx| tx.plan(sql.0)).await.unwrap().join("; ");
        assert!(plan.contains("webhook_delivery_due"), "{}: {plan}", sql.0);
        assert!(!plan.contains("B-TREE") && !plan.contains("Sort"), "{}: {plan}", sql.0);
    }
    let unindexed = "SELECT event_id FROM event WHERE data = ?1";
    let plan = app.server.db.read(move |tx| tx.plan(unindexed)).await.unwrap();
    assert!(reads_whole(&plan), "a plan shows what it reads whole: {plan:?}");
}

/// Whether a plan reads a whole table.
fn reads_whole(plan: &[String]) -> bool {
    plan.iter().any(|step| {
        step.contains("Seq Scan") || step.starts_with("SCAN") && !step.contains("CONSTANT")
    })
}
