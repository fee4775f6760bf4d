//! The demo: what it creates, which flags it accepts, and what it prints.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
};

use serde_json::json;
use spotter_harness::scenario;
use spotter_store::{DatabaseLocation, Sql};

use super::*;

#[scenario(process)]
fn the_demo_starts(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), database_flags(engine));
    let mut child = demo(folder.path(), &address, &flags);
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let printed: Vec<String> =
        lines.by_ref().map(Result::unwrap).take_while(|line| !line.contains("Ctrl-C")).collect();
    let printed = printed.join("\n");
    let first = read_demo(folder.path());
    let base = format!("http://{address}");
    for part in [&base, first["apiClient"]["clientSecret"].as_str().unwrap(), "curl -s"] {
        assert!(printed.contains(part), "{part} is not printed:\n{printed}");
    }
    let bearer = token(&first);
    let clients = get(&format!("{base}/public/v1/clients?limit=1"), &bearer);
    assert_eq!(clients["data"]["total"], 550);
    assert_eq!(get(&format!("{base}/public/v1/locations"), &bearer)["data"]["total"], 4);
    let client = &first["client"];
    let one =
        get(&format!("{base}/public/v1/clients/{}", client["clientId"].as_str().unwrap()), &bearer);
    assert_eq!(one["data"]["client"]["portalAccessStatus"], "active");
    for login in [&first["manager"], &first["coach"], client] {
        let body = json!({"email": login["email"], "password": login["password"]});
        let (status, response) =
            post(&format!("{base}/app/v1/auth/login"), "x", "k", &body).unwrap();
        assert_eq!(status, 200, "{response}");
    }
    stop(child);
    // Started again, it keeps its data and its file.
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    assert_eq!(read_demo(folder.path()), first);
    assert_eq!(
        get(&format!("{base}/public/v1/clients?limit=1"), &bearer)["data"]["clients"],
        clients["data"]["clients"]
    );
    stop(child);
}

#[test]
fn the_demo_is_the_same_at_every_start() {
    let again = tempfile::tempdir().unwrap();
    let first = tempfile::tempdir().unwrap();
    demo_in(first.path(), Engine::Sqlite);
    let clients = [&first, &again].map(|folder| {
        let address = free_address();
        let child = demo(folder.path(), &address, &[]);
        wait_ready(&address);
        let bearer = token(&read_demo(folder.path()));
        let page = get(&format!("http://{address}/public/v1/clients?limit=100&page=3"), &bearer);
        stop(child);
        page["data"].clone()
    });
    assert_eq!(clients[0], clients[1]);
}

#[test]
fn a_demo_does_not_touch_foreign_files() {
    let folder = tempfile::tempdir().unwrap();
    let (taken, data) = (TcpListener::bind("127.0.0.1:0").unwrap(), folder.path().join("demo"));
    let address = taken.local_addr().unwrap().to_string();
    let data = data.to_str().unwrap();
    let (fine, response) = spotter(&["demo", "--data", data, "--listen", &address]);
    assert!(!fine && response.contains("--listen") && !Path::new(data).exists(), "{response}");
    std::fs::write(folder.path().join("novel.txt"), "It was a dark night").unwrap();
    let other = folder.path().to_str().unwrap();
    let (fine, response) = spotter(&["demo", "--data", other, "--listen", &free_address()]);
    assert!(!fine && response.contains("holds other things"), "{response}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The demo's memberships have paused, ended, failed to pay and recovered.
#[test]
fn a_demo_has_all_kinds_of_payers() {
    let file = made_demo().join("backup.db");
    let db = spotter_harness::open(&spotter_store::Config::new(DatabaseLocation::File(file)));
    let counts = db.read(|tx| {
        let mut counts = Vec::new();
        for (what, sql) in [
            ("renewals", "SELECT COUNT(*) FROM invoice WHERE period_start IS NOT NULL AND status = 'paid'"),
            ("pauses", "SELECT COUNT(*) FROM subscription_request WHERE kind = 'pause' AND status = 'applied'"),
            ("failures", "SELECT COUNT(*) FROM payment WHERE status = 'failed'"),
            (
                "recoveries",
                "SELECT COUNT(*) FROM payment p JOIN payment f ON f.invoice_id = p.invoice_id \
                 AND f.status = 'failed' WHERE p.status = 'succeeded' AND p.source = 'automatic'",
            ),
            ("overdue", "SELECT COUNT(*) FROM invoice WHERE status = 'overdue'"),
            ("disputes", "SELECT COUNT(*) FROM chargeback WHERE status = 'won'"),
            ("notes", "SELECT COUNT(*) FROM invoice WHERE kind = 'credit_note'"),
            ("lapses", "SELECT COUNT(*) FROM credit_entry WHERE kind = 'expire'"),
            ("debts", "SELECT COUNT(*) FROM credit_lot WHERE source = 'debt' AND remaining - held < 0"),
        ] {
            counts.push((what, tx.one::<(i64,)>(Sql(sql), &[])?.unwrap().0));
        }
        Ok(counts)
    });
    let counts = runtime().block_on(counts).unwrap();
    assert!(counts.iter().all(|(_, count)| *count > 0), "{counts:?}");
}

/// No past record of a demo has a future date.
#[test]
fn a_demo_has_no_future() {
    let file = made_demo().join("backup.db");
    let db = spotter_harness::open(&spotter_store::Config::new(DatabaseLocation::File(file)));
    let now = spotter_kernel::Clock::now(&spotter_harness::SystemClock).millis();
    let looked_at = db.read(move |tx| {
        let columns: Vec<(String, String)> = tx.all(
            Sql("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
                WHERE m.type = 'table' AND c.type = 'BIGINT' AND c.name LIKE '%\\_at' ESCAPE '\\'"),
            &[],
        )?;
        // Columns that are meant to be in the future.
        let ahead = ["expires_at", "due_at", "starts_at", "ends_at", "offer_expires_at"];
        let past: Vec<_> =
            columns.into_iter().filter(|(_, name)| !ahead.contains(&name.as_str())).collect();
        for (table, column) in &past {
            let text = format!("SELECT MAX({column}) FROM {table}").leak();
            let latest: Option<(Option<i64>,)> = tx.one(Sql(text), &[])?;
            let latest = latest.and_then(|row| row.0).unwrap_or_default();
            assert!(latest <= now, "{table}.{column} is {} s ahead", (latest - now) / 1_000);
        }
        Ok(past.len())
    });
    let looked_at = runtime().block_on(looked_at).unwrap();
    assert!(looked_at > 40, "{looked_at}");
}
