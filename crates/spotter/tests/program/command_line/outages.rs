//! The database away, or read-only: what is answered meanwhile, and that everything goes on afterwards.

use serde_json::json;

use super::*;

/// The name of the database that flags lead to, and the URL of one beside it.
fn database_of(flags: &[String]) -> (String, String) {
    let name = flags[1].rsplit_once('/').unwrap().1.split('?').next().unwrap().to_owned();
    let admin = flags[1].replace(&name, "postgres");
    (name, admin)
}

/// A service that is ready.
fn serve(folder: &Path, address: &str, flags: &[String]) -> Running {
    let mut start = Command::new(binary());
    start.args(["serve", "--listen", address, "--data"]).arg(folder).args(flags);
    start.args(["--database-connections", "2"]).stderr(Stdio::null());
    let child = Running(start.spawn().unwrap());
    wait_ready(address);
    child
}

/// A lost database is reported, and a missing one is waited for.
#[test]
fn a_database_that_is_away_is_waited_for() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let flags = demo_in(folder.path(), Engine::Postgres);
    let (name, admin) = database_of(&flags);
    let child = serve(folder.path(), &address, &flags);
    let app = format!("http://{address}/app/v1");
    let manager = &read_demo(folder.path())["manager"];
    let login = json!({"email": manager["email"], "password": manager["password"]});
    let url = format!("{app}/auth/login");
    let (_, session) = post(&url, "x", "k", &login).unwrap();
    let new = json!({"name": "Script", "modules": ["clients"]});
    let session = session["data"]["session"]["accessToken"].as_str().unwrap();
    let (_, key) = post(&format!("{app}/company/mcp/keys"), session, "k", &new).unwrap();
    let tool = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "list_clients", "arguments": {"limit": 1}}});
    let call = || {
        let key = key["data"]["secret"].as_str().unwrap();
        post(&format!("http://{address}/mcp/v1"), key, "k", &tool).unwrap()
    };
    assert_eq!(call().0, 200);
    let end =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    spotter_harness::postgres::execute(
        &admin,
        &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"),
    );
    spotter_harness::postgres::execute(&admin, &end);
    // Sign-ins that fail here are not counted as wrong passwords.
    for _ in 0..11 {
        let (status, response) = post(&url, "x", "k", &login).unwrap();
        let expected = (503, &json!("request.failed"));
        assert_eq!((status, &response["error"]["key"]), expected, "{response}");
    }
    let (status, response) = call();
    assert_eq!(
        (status, &response["error"]),
        (503, &json!("temporarily_unavailable")),
        "{response}"
    );
    spotter_harness::postgres::execute(
        &admin,
        &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"),
    );
    wait_ready(&address);
    assert_eq!((post(&url, "x", "k", &login).unwrap().0, call().0), (200, 200));
    stop(child);
}

/// A read-only database, such as a standby, is reported, and written to once it accepts writes, without a restart: no
/// session that was opened before is kept.
#[test]
fn writes_resume_after_read_only_mode() {
    if !Engine::Postgres.is_available() {
        return;
    }
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let flags = database_flags(Engine::Postgres);
    let (name, admin) = database_of(&flags);
    let child = serve(folder.path(), &address, &flags);
    let sql = |text: &str| spotter_harness::postgres::execute(&admin, text);
    let sessions =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    sql(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    sql(&sessions);
    let body = json!({"email": "a@b.io", "password": "correct horse battery"});
    let url = format!("http://{address}/app/v1/auth/login");
    let (status, response) = post(&url, "x", "k", &body).unwrap();
    assert_eq!((status, &response["error"]["key"]), (503, &json!("request.failed")), "{response}");
    assert!(response["meta"]["rateLimit"].is_object(), "{response}");
    let runtime = runtime();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ready = || {
        let request = client.get(format!("http://{address}/health/ready")).send();
        runtime.block_on(async { request.await.unwrap().status().as_u16() })
    };
    assert_eq!(ready(), 503, "readiness tells of it");
    sql(&format!("ALTER DATABASE {name} RESET default_transaction_read_only"));
    wait_ready(&address);
    let (status, response) = post(&url, "x", "k", &body).unwrap();
    assert_eq!(status, 401, "{response}");
    stop(child);
}
