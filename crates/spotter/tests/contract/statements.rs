//! Statements: each prepares on both engines and uses its indexes.

use std::collections::BTreeSet;

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
        // Conditions beside others are checked in an index that has what they compare: an index of one of them would find
        // rows that are looked at one by one.
        let has_another = ["client_term", "updated_at >="].iter().any(|other| text.contains(other));
        let is_walked_by_name = text.contains("ORDER BY sort_name") && !text.starts_with("WITH ");
        let is_checked = text.contains(") IS TRUE") && !has_another && !is_walked_by_name;
        if is_checked && app.server.engine == Engine::Sqlite {
            let is_covered = plan.iter().any(|step| step.contains("client_listed"));
            assert!(is_covered, "{text}: {plan:?}");
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

/// Statements about all companies, by a part of their text. They belong to the operator, to what is done for everybody in
/// the background, or find out whose a request is. The list may only shrink.
const ACROSS_COMPANIES: &[&str] = &[
    // Whose a request is.
    "FROM site_address WHERE slug = ?1",
    "FROM account WHERE email = ?1",
    "FROM mcp_client WHERE",
    "FROM mcp_request WHERE digest = ?1",
    "UPDATE mcp_request SET company_id",
    "DELETE FROM mcp_request WHERE digest",
    "UPDATE mcp_client SET",
    "FROM installation WHERE",
    // Companies, for the operator and for what is done for each of them.
    "FROM company ORDER BY company_id",
    "FROM company c WHERE",
    "FROM report_recount ORDER BY",
    // What is over, some of it at a time.
    "expires_at <= ?1",
    "kept_until <= ?1",
    "mail_id < ?1",
    "push_notification_id < ?1",
    "provider_notice_id < ?1",
    "run_id < ?1",
    "ended_at < ?1",
    // What is due, and how much of it.
    "SELECT company_id, subject, attempts, state, lease, trace_parent FROM job",
    "FROM job WHERE kind = ?1 AND due_at",
    "FROM job WHERE due_at IS NOT NULL AND lease",
    "FROM job GROUP BY",
    "FROM job WHERE error IS NOT NULL",
    "UPDATE job SET due_at = ?2",
    "FROM timer WHERE due_at <= ?1",
    "SELECT due_at FROM timer WHERE",
    "FROM timer GROUP BY",
    "FROM timer_run WHERE outcome",
    "FROM repeating",
    "UPDATE repeating",
    "UPDATE webhook_delivery SET due_at = ?1",
    "FROM webhook_delivery WHERE due_at",
    "SELECT secret FROM webhook_subscription ORDER BY",
    // The bank of the sandbox.
    "FROM sandbox_payment WHERE next_at",
    "FROM sandbox_dispute WHERE next_at",
    "FROM sandbox_notice n",
    // What a restored backup must not do again, and what comes with it.
    "UPDATE mail SET status = ?1, content = NULL",
    "DELETE FROM calendar_notice",
    "UPDATE announcement SET status = ?1 WHERE status IN",
    "FROM refund WHERE status = 'pending' ON CONFLICT",
    "UPDATE job SET state = ?1, error = ?2",
    "UPDATE webhook_delivery SET status = ?1, completed_at",
    "FROM upload WHERE (company_id, upload_id) >",
    "FROM client c JOIN company o",
];

/// A statement of an operation finds rows of one company alone, by its id, in each of its tables: a cluster then runs it
/// whole on the server that has the company.
#[scenario]
async fn statements_keep_to_one_company(app: App) {
    // Its plans say of each step by which values it finds its rows.
    if app.server.engine == Engine::Sqlite {
        return;
    }
    let areas = spotter::areas::areas();
    let lists = areas.lists.iter().flat_map(|list| list.all_texts());
    let statements = [
        spotter::areas::areas().statements,
        spotter_contract::statements(),
        spotter_webhooks::statements(),
    ]
    .concat();
    let texts = statements.iter().map(|sql| sql.0.to_owned()).chain(lists);
    let (mut beyond, mut meant) = (Vec::new(), BTreeSet::new());
    for text in texts {
        let request = text.clone();
        let plan = app.server.db.read(move |tx| tx.plan(&request)).await;
        let plan = plan.unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
        if keeps_to_one_company(&text, &plan) {
            continue;
        }
        match ACROSS_COMPANIES.iter().find(|part| text.contains(**part)) {
            Some(part) => drop(meant.insert(*part)),
            None => beyond.push(format!("{text}\n    {}", plan.join("\n    "))),
        }
    }
    assert!(beyond.is_empty(), "{}", beyond.join("\n"));
    let over: Vec<_> = ACROSS_COMPANIES.iter().filter(|part| !meant.contains(**part)).collect();
    assert!(over.is_empty(), "no statement is about all companies with {over:?} any more");
}

/// Whether all of its rows are found by the company's id, on a cluster by one task. A subquery names the id itself, by the
/// parameter: a cluster does not conclude it.
fn keeps_to_one_company(text: &str, plan: &[String]) -> bool {
    let concludes = text.split("(SELECT ").skip(1).any(|subquery| {
        let own = subquery.split_once(" WHERE ").map_or("", |(_, condition)| condition);
        let first = own.split(" AND ").next().unwrap_or_default();
        first.split_once(".company_id = ").is_some_and(|(_, other)| other.ends_with(".company_id"))
    });
    let tasks = plan.iter().filter_map(|step| step.split_once("Task Count: "));
    let together = tasks.clone().all(|(_, count)| count.trim() == "1");
    if concludes || tasks.count() > 0 {
        return together && !concludes;
    }
    let is_scan = |step: &str| {
        let of_rows = ["Seq Scan on", "Bitmap Heap Scan on", "Tid Scan on"];
        of_rows.iter().any(|kind| step.contains(kind))
            || step.contains("Index") && step.contains(" on ")
    };
    plan.iter().enumerate().filter(|(_, step)| is_scan(step)).all(|(at, step)| {
        let within = ["->", "SubPlan", "InitPlan", "CTE "];
        let conditions = plan[at + 1..].iter();
        let mut conditions =
            conditions.take_while(|line| !within.iter().any(|part| line.contains(part)));
        step.contains("Bitmap Index Scan") || {
            let own = ["company_id = $1", "company_id = ($1)::text"];
            conditions.any(|line| own.iter().any(|own| line.contains(own)))
        }
    })
}

/// Whether a plan reads a whole table.
fn reads_whole(plan: &[String]) -> bool {
    plan.iter().any(|step| {
        // What matches a filter was found before.
        let is_in_memory = step.contains("CONSTANT") || step == "SCAN matching";
        step.contains("Seq Scan") || step.starts_with("SCAN") && !is_in_memory
    })
}
