//! A server that follows the database's, for slow reads: what was written before is seen, and nobody needs it.

use serde_json::json;
use spotter_harness::postgres;

use super::*;

/// How many slow reads a server has answered.
fn reads_of(url: &str, server: &str) -> u64 {
    let request =
        reqwest::Client::builder().no_proxy().build().unwrap().get(format!("{url}/metrics"));
    let text = runtime().block_on(async { request.send().await.unwrap().text().await.unwrap() });
    let line = format!("spotter_store_slow_reads_total{{server=\"{server}\"}} ");
    let found = text.lines().find_map(|own| own.strip_prefix(&line));
    found.map_or(0, |count| count.parse().unwrap())
}

#[test]
fn slow_reads_are_answered_by_a_replica() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let (folder, primary) = (tempfile::tempdir().unwrap(), postgres::start());
    let (data, backup) = (folder.path().to_str().unwrap(), made_demo().join("backup.db"));
    let restore = ["restore", "--data", data, "--database-url", &primary, backup.to_str().unwrap()];
    let (fine, response) = spotter(&restore);
    assert!(fine, "{response}");
    let replica = postgres::replica_of(&primary);
    std::fs::copy(made_demo().join("demo.json"), folder.path().join("demo.json")).unwrap();
    let mut people = read_demo(folder.path());
    let address = free_address();
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data", data, "--database-url", &primary]);
    command.args(["--database-read-url", &replica, "--rate-limit", "1000000"]);
    let child = Running(command.stderr(Stdio::null()).spawn().unwrap());
    wait_ready(&address);
    let url = format!("http://{address}");
    people["baseUrl"] = json!(url);
    let token = token(&people);

    let report = format!("{url}/public/v1/reports/attendance?from=2026-01-01&to=2026-03-31");
    // Right after the start, the replica may still be behind.
    let answered = |_| {
        assert!(get(&report, &token)["data"].is_object());
        reads_of(&url, "replica") > 0
    };
    assert!((0..50).any(answered));
    // A page far down the list has the total, and so has what was created a moment ago.
    let (clients, far) = (format!("{url}/public/v1/clients"), "?limit=100&page=21");
    let total = || get(&format!("{clients}{far}"), &token)["data"]["total"].as_i64().unwrap();
    let create = |number: i64| {
        let made = post(&clients, &token, &format!("new-{number}"), &json!({"firstName": "New"}));
        assert_eq!(made.unwrap().0, 201);
    };
    let before = total();
    for number in 1..=30 {
        create(number);
        assert_eq!(total(), before + number);
    }
    assert!(reads_of(&url, "replica") >= 10, "{}", reads_of(&url, "replica"));
    // Another database of the same servers is not read from.
    let (place, _) = replica.split_once("/postgres").unwrap();
    postgres::execute(&primary, "CREATE DATABASE another");
    let doctor = |url: &str| {
        let own =
            ["doctor", "--data", data, "--database-url", &primary, "--database-read-url", url];
        spotter(&own).1
    };
    assert!(doctor(&replica).contains("leads to a replica"), "{}", doctor(&replica));
    assert!(doctor(&primary).contains("takes writes itself"), "{}", doctor(&primary));
    postgres::execute(&replica, "SELECT pg_wal_replay_pause()");
    assert!(doctor(&replica).contains("told to pause"), "{}", doctor(&replica));
    postgres::execute(&replica, "SELECT pg_wal_replay_resume()");
    let follows = || doctor(&format!("{place}/another")).contains("another database");
    assert!((0..50).any(|_| follows()));
    // Without it, the database answers.
    assert!(
        Command::new("kill")
            .args(["-INT", &postgres::process_of(&replica)])
            .status()
            .unwrap()
            .success()
    );
    for number in 31..=33 {
        create(number);
        assert_eq!(total(), before + number);
    }
    assert!(reads_of(&url, "database") >= 3);
    stop(child);
}
