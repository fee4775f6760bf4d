//! Far pages of a long list equal those that are reached step by step.

use serde_json::json;
use spotter_harness::{App, scenario, text};
use spotter_kernel::{Id, Timestamp};
use spotter_store::{Sql, mark, params};

const COPY: Sql = Sql(
    "INSERT INTO invoice (company_id, invoice_id, number, series, kind, status, \
    collection, client_id, currency, issue_date, due_date, net_total, tax_total, gross_total, paid_total, \
    credited_total, balance, seller, buyer, lines, taxes, language, reminder_count, chased_days, created_at, \
    updated_at) SELECT company_id, ?2, ?4, series, kind, status, collection, client_id, currency, \
    issue_date, due_date, net_total, tax_total, gross_total, paid_total, credited_total, balance, seller, \
    buyer, lines, taxes, language, reminder_count, chased_days, created_at, updated_at \
    FROM invoice WHERE company_id = ?1 AND invoice_id = ?3",
);
const REMOVE: Sql = Sql("DELETE FROM invoice WHERE company_id = ?1 AND number LIKE 'COPY-%'");

#[scenario]
async fn far_pages_hold_their_records(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let lines = json!([{"description": "Towel", "amount": 1000}]);
    let new = json!({"clientId": client, "lines": lines});
    let made = app.app("POST", "/finance/invoices", Some(new)).await.ok();
    let first = Id::parse(&text(made.data(), "/invoice/invoiceId")).unwrap();
    let (company, count) = (app.company, 2_999i64);
    let ids = app.server.db.write(move |tx| {
        let mut ids = Vec::new();
        for number in 0..count {
            // Some days have many, some none.
            let seconds = 86_400 * (number * number / 40_000) + number;
            let at = Timestamp::from_millis(first.created_at().millis() - 1_000 * (seconds + 1));
            let id = Id::new(at, [0, 0, 0, 0, (number >> 8) as u8, number as u8]);
            tx.execute(COPY, params![company, id, first, format!("COPY-{number}")])?;
            tx.tally(company, "invoices", 1)?;
            tx.tally(company, &mark("invoices", id), 1)?;
            ids.push(id);
        }
        Ok(ids)
    });
    let mut ids = ids.await.unwrap();
    ids.push(first);
    ids.sort_unstable_by(|a, b| b.cmp(a));
    for limit in [100, 7] {
        for page in (1..=count / limit + 2).filter(|page| limit == 100 || page * limit > 1_950) {
            let response =
                app.get(&format!("/finance/invoices?limit={limit}&page={page}")).await.ok();
            let view: Vec<_> = response.data()["invoices"].as_array().unwrap().iter().collect();
            let wanted = ids.iter().skip(((page - 1) * limit) as usize).take(limit as usize);
            let wanted: Vec<_> = wanted.map(Id::to_string).collect();
            let view: Vec<_> = view.iter().map(|one| text(one, "/invoiceId")).collect();
            assert_eq!(view, wanted, "page {page} of {limit}");
            assert_eq!(response.data()["total"], count + 1);
        }
    }
    // These invoices have no sale: the books would not hold.
    let removed = app.server.db.write(move |tx| tx.execute(REMOVE, params![company]));
    assert_eq!(removed.await.unwrap(), count as u64);
}
