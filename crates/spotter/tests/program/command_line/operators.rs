//! What operators and service managers see: diagnoses, traces, readiness, manual pages and rules of alerts.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::net::UnixDatagram,
    sync::{Arc, Mutex},
    thread::sleep,
    time::Duration,
};

use axum::{Router, body::Bytes, routing::post};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest, trace::v1::Span,
};
use prost::Message;
use serde_json::json;
use spotter_harness::scenario;
use spotter_testing::requirements;

use super::*;

/// The findings of a diagnosis, by check: the level, and what was found.
fn diagnosed(arguments: &[&str], flags: &[String]) -> (bool, Vec<(String, String, String)>) {
    let mut all = vec!["doctor", "--json"];
    all.extend(arguments);
    all.extend(flags.iter().map(String::as_str));
    let (fine, response) = spotter(&all);
    let end = response.rfind('}').unwrap();
    let report: Value = serde_json::from_str(&response[..=end]).unwrap();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings.map(|own| (text(own, "check"), text(own, "level"), text(own, "found")));
    (fine, findings.collect())
}

fn level<'f>(findings: &'f [(String, String, String)], check: &str) -> &'f str {
    let of = findings.iter().filter(|(name, ..)| name == check);
    let worst = of.max_by_key(|(_, level, _)| match level.as_str() {
        "failure" => 2,
        "warning" => 1,
        _ => 0,
    });
    worst.map_or("none", |(_, level, _)| level)
}

#[scenario(process)]
fn an_installation_is_diagnosed(engine: Engine) {
    let (folder, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let flags = whole_demo_in(folder.path(), engine);
    let (data, to) = (folder.path().to_str().unwrap(), place.path().to_str().unwrap());
    let address = free_address();
    let base = format!("http://{address}");
    let arguments = ["--data", data, "--listen", &address, "--backups", to, "--base-url", &base];
    // Nothing serves, and nothing was backed up.
    let (fine, findings) = diagnosed(&arguments, &flags);
    assert!(!fine);
    for (check, expected) in [
        ("service", "failure"),
        ("address", "warning"),
        ("backups", "failure"),
        ("mail", "warning"),
    ] {
        assert_eq!(level(&findings, check), expected, "{check}: {findings:?}");
    }
    for check in ["database", "integrity", "key", "settings"] {
        assert_eq!(level(&findings, check), "fine", "{check}: {findings:?}");
    }
    let serving = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let mut backup = vec!["backup", "--data", data, "--backups", to];
    backup.extend(flags.iter().map(String::as_str));
    assert!(spotter(&backup).0);
    let (fine, findings) = diagnosed(&arguments, &flags);
    assert!(fine, "{findings:?}");
    for check in ["service", "address", "backups", "backlog"] {
        assert_eq!(level(&findings, check), "fine", "{check}: {findings:?}");
    }
    stop(serving);
    // A mail server that is not there, a key that others read, a setting that is none.
    fs::set_permissions(
        folder.path().join("secret.key"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    let mail = format!("smtp://{}?tls=none", free_address());
    let mut more = arguments.to_vec();
    more.extend(["--smtp-url", &mail, "--mail-from", "a@example.com"]);
    let (fine, findings) = diagnosed(&more, &flags);
    assert!(!fine);
    assert_eq!((level(&findings, "mail"), level(&findings, "key")), ("failure", "failure"));
    let (fine, findings) = diagnosed(&["--data", data, "--listen", "here"], &flags);
    assert!(!fine && level(&findings, "settings") == "failure", "{findings:?}");
}

#[test]
fn damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    demo_in(folder.path(), Engine::Sqlite);
    let file = folder.path().join("spotter.db");
    let mut bytes = fs::read(&file).unwrap();
    // Pages in the middle, as a bad disk leaves them.
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 40 * 4_096].fill(0x5a);
    fs::write(&file, bytes).unwrap();
    let (fine, findings) = diagnosed(&["--data", folder.path().to_str().unwrap()], &[]);
    let found = (level(&findings, "integrity"), level(&findings, "database"));
    assert!(!fine && (found.0 == "failure" || found.1 == "failure"), "{findings:?}");
}

/// Receives traces as a collector does.
fn collector() -> (String, Arc<Mutex<Vec<Span>>>) {
    let spans = Arc::new(Mutex::new(Vec::new()));
    let kept = spans.clone();
    let take = move |body: Bytes| {
        let request = ExportTraceServiceRequest::decode(body).unwrap();
        let scopes = request.resource_spans.into_iter().flat_map(|own| own.scope_spans);
        kept.lock().unwrap().extend(scopes.flat_map(|scope| scope.spans));
        std::future::ready(())
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let door = Router::new().route("/v1/traces", post(take));
    runtime().spawn(async move {
        axum_server::from_tcp(listener).unwrap().serve(door.into_make_service()).await.unwrap();
    });
    (address, spans)
}

#[scenario(process)]
fn a_request_is_traced_to_its_statements(engine: Engine) {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let flags = demo_in(folder.path(), engine);
    let demo = read_demo(folder.path());
    let (url, spans) = collector();
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--otlp-url", &url, "--data"]);
    command.arg(folder.path()).args(&flags).stderr(Stdio::null()).stdout(Stdio::null());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    let mut here = demo;
    here["baseUrl"] = format!("http://{address}").into();
    let (token, secret) = (token(&here), "Zyxwvut");
    let body = json!({"firstName": secret, "lastName": "Ash"});
    let made = super::post(&format!("http://{address}/public/v1/clients"), &token, "one", &body);
    assert_eq!(made.unwrap().0, 201);
    // A job that is done at once.
    let app = format!("http://{address}/app/v1");
    let login = json!({"email": here["manager"]["email"], "password": here["manager"]["password"]});
    let (_, session) = super::post(&format!("{app}/auth/login"), "x", "k", &login).unwrap();
    let session = session["data"]["session"]["accessToken"].as_str().unwrap();
    let exports =
        format!("{app}/clients/{}/data-exports", here["client"]["clientId"].as_str().unwrap());
    let (status, response) = super::post(&exports, session, "two", &json!({})).unwrap();
    assert_eq!(status, 201, "{response}");
    for _ in 0..200 {
        let exports = get(&exports, session);
        if exports["data"]["dataExports"][0]["status"] == "ready" {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    stop(child);
    let spans = spans.lock().unwrap().clone();
    let by_id: BTreeMap<_, _> = spans.iter().map(|span| (span.span_id.clone(), span)).collect();
    let root = spans.iter().find(|span| span.name == "POST /public/v1/clients").unwrap();
    let statements: Vec<_> = spans
        .iter()
        .filter(|span| span.name == "statement" && span.trace_id == root.trace_id)
        .collect();
    assert!(statements.len() > 10, "{}", statements.len());
    let insert = statements.iter().find(|span| format!("{span:?}").contains("INSERT INTO client "));
    let parent = by_id[&insert.unwrap().parent_span_id];
    assert_eq!(parent.name, "write");
    assert_eq!(parent.parent_span_id, root.span_id);
    assert!(spans.iter().any(|span| span.name == "GET /health/ready"));
    // A job belongs to the trace of the request that began it.
    let cause = spans.iter().find(|span| span.name.ends_with("/data-exports") && span.kind == 2);
    let job = spans.iter().find(|span| span.name == "make_data_export").unwrap();
    assert_eq!(job.trace_id, cause.unwrap().trace_id);
    assert!(!job.parent_span_id.is_empty());
    // No values: names, addresses and tokens stay where they are.
    let all = format!("{spans:?}");
    for word in [secret, &token, "Zyxwvut Ash"] {
        assert!(!all.contains(word), "{word}");
    }
    // What nobody waits for is no trace of its own.
    assert!(spans.iter().all(|span| !span.parent_span_id.is_empty() || span.name != "read"));
}

/// A collector that is not there, or does not answer, is nobody's trouble.
#[test]
fn a_lost_collector_changes_nothing() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    demo_in(folder.path(), Engine::Sqlite);
    let mut command = Command::new(binary());
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    command.args(["serve", "--listen", &address, "--otlp-url", &url, "--data"]);
    command.arg(folder.path()).stderr(Stdio::null()).stdout(Stdio::null());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    let mut here = read_demo(folder.path());
    here["baseUrl"] = format!("http://{address}").into();
    let token = token(&here);
    let url = format!("http://{address}/public/v1/clients?limit=1");
    let answers: Vec<_> = (0..200).map(|_| get(&url, &token)).collect();
    assert!(answers.iter().all(|answer| answer["data"].is_object()));
    stop(child);
}

/// The service manager is told when requests are accepted, that it is alive, and that it stops.
#[test]
fn the_service_manager_is_told() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let socket = folder.path().join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data"]).arg(folder.path().join("data"));
    command.env("NOTIFY_SOCKET", &socket).env("WATCHDOG_USEC", "200000");
    let child = Running(command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    let next = || {
        let mut bytes = [0; 4_096];
        let size = manager.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..size].to_vec()).unwrap()
    };
    let mut told = Vec::new();
    while !told.iter().any(|text: &String| text.contains("READY=1")) {
        told.push(next());
    }
    assert!(told[0].starts_with("STATUS="), "{told:?}");
    let is_ready = runtime().block_on(async {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        client.get(format!("http://{address}/health/ready")).send().await.unwrap().status()
    });
    assert_eq!(is_ready.as_u16(), 200, "what is told is so");
    assert!((0..3).all(|_| next().contains("WATCHDOG=1")));
    stop(child);
    manager.set_nonblocking(true).unwrap();
    sleep(Duration::from_millis(100));
    let mut bytes = [0; 4_096];
    let mut last = String::new();
    while let Ok(size) = manager.recv(&mut bytes) {
        last += &String::from_utf8_lossy(&bytes[..size]);
    }
    assert!(last.contains("STOPPING=1"), "{last}");
}

#[test]
fn shells_and_readers_are_served() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let (fine, script) = spotter(&["completions", shell]);
        assert!(fine && script.contains("healthcheck"), "{shell}");
    }
    let (fine, response) = spotter(&["man", folder.path().to_str().unwrap()]);
    assert!(fine, "{response}");
    let page = fs::read_to_string(folder.path().join("spotter-backup.1")).unwrap();
    assert!(page.contains("\\-\\-every"), "{page}");
    assert!(folder.path().join("spotter.1").exists());
}

/// The rules of alerts are such as Prometheus reads, fire when they should, and are of metrics that there are.
#[test]
fn alerts_fire_when_they_should() {
    let monitoring = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist/monitoring");
    let rules = fs::read_to_string(monitoring.join("alerts.yml")).unwrap();
    let dashboard = fs::read_to_string(monitoring.join("dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    // Every alert is explained to operators.
    let manual = include_str!("../../../../../docs/OPERATIONS.md");
    for name in rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        assert!(manual.contains(&format!("`{name}`")), "{name} is not explained");
    }
    let sources = concat!(
        include_str!("../../../src/metric_descriptions.rs"),
        include_str!("../../../../adapters/http/src/observe.rs"),
    );
    let named = format!("{rules} {dashboard}");
    let words = named.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    for word in words.filter(|word| word.starts_with("spotter_")) {
        let name = word.trim_end_matches("_bucket").trim_end_matches("_count");
        let name = name.trim_end_matches("_sum");
        assert!(sources.contains(name), "{word} is no metric");
    }
    if !requirements::PROMTOOL.is_available() {
        return;
    }
    for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]] {
        let output =
            Command::new("promtool").args(arguments).current_dir(&monitoring).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "{text}");
    }
}
