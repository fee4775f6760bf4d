//! The binary itself: the demo, serving, stopping, and kill -9.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::harness::{Engine, location, random_text, receiver::receiver, runtime};

const BINARY: &str = env!("CARGO_BIN_EXE_spotter");

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn spotter(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(BINARY).args(arguments).output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.success(), text)
}

fn wait_ready(address: &str) {
    let started = Instant::now();
    while !spotter(&["healthcheck", "--url", &format!("http://{address}")]).0 {
        assert!(started.elapsed() < Duration::from_secs(60), "{address} never became ready");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A demo that was made once and stopped: its folder, and a backup of its database.
fn made_demo() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let (folder, address) = (tempfile::tempdir().unwrap().keep(), free_address());
        let child = demo(&folder, &address, &[]);
        wait_ready(&address);
        stop(child);
        let (data, backup) = (folder.to_str().unwrap(), folder.join("backup.db"));
        let (fine, told) = spotter(&["backup", "--data", data, backup.to_str().unwrap()]);
        assert!(fine, "{told}");
        folder
    })
}

/// The same demo in a folder, on an engine; the flags to start it with.
fn demo_in(folder: &Path, engine: Engine) -> Vec<String> {
    let made = made_demo();
    let (flags, data) = (database_flags(engine), folder.to_str().unwrap());
    let backup = made.join("backup.db");
    let mut restore = vec!["restore", "--data", data, backup.to_str().unwrap()];
    restore.extend(flags.iter().map(String::as_str));
    let (fine, told) = spotter(&restore);
    assert!(fine, "{told}");
    std::fs::copy(made.join("demo.json"), folder.join("demo.json")).unwrap();
    flags
}

fn database_flags(engine: Engine) -> Vec<String> {
    match location(engine) {
        spotter_store::Location::Server(url) => vec!["--database-url".into(), url],
        spotter_store::Location::File(_) => vec![],
    }
}

/// A process that does not outlive its test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn demo(folder: &Path, address: &str, more: &[String]) -> Running {
    let mut command = Command::new(BINARY);
    command.args(["demo", "--listen", address, "--data"]).arg(folder).args(more);
    Running(command.stdout(Stdio::piped()).spawn().unwrap())
}

fn stop(mut running: Running) {
    let pid = running.0.id().to_string();
    Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(running.0.wait().unwrap().success(), "a stop is graceful");
}

fn read_demo(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("demo.json")).unwrap()).unwrap()
}

fn post(url: &str, token: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
    let request =
        reqwest::Client::builder().no_proxy().build().unwrap().post(url).bearer_auth(token);
    runtime().block_on(async {
        let response = request.header("Idempotency-Key", key).json(body).send().await.ok()?;
        Some((response.status().as_u16(), response.json().await.ok()?))
    })
}

fn get(url: &str, token: &str) -> Value {
    let request =
        reqwest::Client::builder().no_proxy().build().unwrap().get(url).bearer_auth(token);
    runtime().block_on(async { request.send().await.unwrap().json().await.unwrap() })
}

fn token(demo: &Value) -> String {
    let api = &demo["apiClient"];
    let request = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .post(format!("{}/public/v1/oauth/token", demo["baseUrl"].as_str().unwrap()))
        .basic_auth(api["clientId"].as_str().unwrap(), api["clientSecret"].as_str())
        .form(&[("grant_type", "client_credentials")]);
    let told: Value =
        runtime().block_on(async { request.send().await.unwrap().json().await.unwrap() });
    told["access_token"].as_str().unwrap().to_owned()
}

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
        let (status, told) = post(&format!("{base}/app/v1/auth/login"), "x", "k", &body).unwrap();
        assert_eq!(status, 200, "{told}");
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

/// A stop waits for the delivery that is under way, and what it wrote down is there afterwards.
fn a_stop_drains_deliveries(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, receiver().authority_pem()).unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let start = || {
        let mut command = Command::new(BINARY);
        command.args(["demo", "--listen", &address, "--data"]).arg(folder.path()).args(&flags);
        command.env("SPOTTER_WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8");
        command.env("SPOTTER_WEBHOOK_CERTIFICATE_AUTHORITY", &authority);
        let child = Running(command.stdout(Stdio::null()).spawn().unwrap());
        wait_ready(&address);
        child
    };
    let child = start();
    let (api, bearer) = (format!("http://{address}/public/v1"), token(&read_demo(folder.path())));
    let mark = random_text();
    let url = receiver().url("slow", &mark).replace("good.receiver.example", "127.0.0.1");
    let hook = json!({"name": "Slow", "url": url, "events": ["client.created"]});
    let (_, made) = post(&format!("{api}/webhooks"), &bearer, "hook", &hook).unwrap();
    let id = made["data"]["subscription"]["id"].as_str().unwrap();
    let (_, tested) =
        post(&format!("{api}/webhooks/{id}/test"), &bearer, "test", &json!({})).unwrap();
    let delivery = tested["data"]["test"]["deliveryIds"][0].as_str().unwrap();
    let started = Instant::now();
    while receiver().received(&mark).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20), "the delivery never came");
        std::thread::sleep(Duration::from_millis(10));
    }
    stop(child);
    let child = start();
    let told = get(&format!("{api}/webhooks/deliveries/{delivery}"), &bearer);
    let told = &told["data"]["delivery"];
    assert_eq!(
        (&told["status"], &told["attemptCount"]),
        (&json!("succeeded"), &json!(1)),
        "{told}"
    );
    assert_eq!(receiver().received(&mark).len(), 1);
    stop(child);
}

#[test]
fn a_stop_drains_deliveries_on_sqlite() {
    a_stop_drains_deliveries(Engine::Sqlite);
}

#[test]
fn a_stop_drains_deliveries_on_postgres() {
    a_stop_drains_deliveries(Engine::Postgres);
}

#[test]
fn the_demo_starts_on_sqlite() {
    the_demo_starts(Engine::Sqlite);
}

#[test]
fn the_demo_starts_on_postgres() {
    the_demo_starts(Engine::Postgres);
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

/// Writers write until the process is killed; what was acknowledged must be there afterwards.
fn kill_loses_nothing(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let mut child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let told = read_demo(folder.path());
    let (bearer, url) = (token(&told), format!("http://{address}/public/v1/clients"));
    let acknowledged: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let (url, bearer, acknowledged, over) =
                (url.clone(), bearer.clone(), acknowledged.clone(), over.clone());
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let key = random_text();
                    if let Some((201, told)) = post(&url, &bearer, &key, &json!({"firstName": key}))
                    {
                        let id = told["data"]["client"]["clientId"].as_str().unwrap().to_owned();
                        acknowledged.lock().unwrap().push((key, id));
                    }
                }
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(1500));
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    over.store(true, Ordering::Relaxed);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let acknowledged = acknowledged.lock().unwrap();
    assert!(acknowledged.len() > 20, "only {} writes were acknowledged", acknowledged.len());
    for (key, id) in acknowledged.iter() {
        let (status, told) = post(&url, &bearer, key, &json!({"firstName": key})).unwrap();
        assert_eq!(
            (status, &told["meta"]["idempotency"]["replayed"]),
            (201, &json!(true)),
            "{told}"
        );
        assert_eq!(told["data"]["client"]["clientId"], id.as_str());
    }
    let total = get(&format!("{url}?limit=1"), &bearer)["data"]["total"].as_u64().unwrap();
    let rows =
        get(&format!("{url}?limit=1&createdFrom=2020-01-01T00:00:00Z"), &bearer)["data"]["total"]
            .as_u64()
            .unwrap();
    assert_eq!(total, rows, "the kept total is the counted one");
    stop(child);
}

#[test]
fn kill_loses_nothing_on_sqlite() {
    kill_loses_nothing(Engine::Sqlite);
}

#[test]
fn kill_loses_nothing_on_postgres() {
    kill_loses_nothing(Engine::Postgres);
}

#[test]
fn operators_find_their_way() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    assert!(spotter(&["config", "check"]).0);
    let (fine, told) = spotter(&["config", "check", "--listen", "here", "--rate-limit", "0"]);
    assert!(!fine && told.contains("--listen") && told.contains("--rate-limit"), "{told}");
    assert!(spotter(&["migrate", "--data", data]).0);
    let (fine, told) = spotter(&[
        "company",
        "create",
        "--data",
        data,
        "--name",
        "Gym",
        "--admin-email",
        "a@b.io",
        "--admin-first-name",
        "A",
        "--admin-last-name",
        "B",
    ]);
    assert!(fine && told.contains("invitation"), "{told}");
    let (fine, told) = spotter(&[
        "api-client",
        "create",
        "--data",
        data,
        "--name",
        "Sync",
        "--scopes",
        "clients:read",
    ]);
    assert!(fine, "{told}");
    let made: Value = serde_json::from_str(&told).unwrap();
    let id = made["clientId"].as_str().unwrap();
    let (fine, told) = spotter(&["api-client", "rotate", "--data", data, id]);
    assert!(
        fine && told.contains("fsps_") && !told.contains(made["clientSecret"].as_str().unwrap()),
        "{told}"
    );
    assert!(spotter(&["api-client", "revoke", "--data", data, id]).0);
    let backup = folder.path().join("copy.db");
    let (fine, told) = spotter(&["backup", "--data", data, backup.to_str().unwrap()]);
    assert!(fine && folder.path().join("copy.db.key").exists(), "{told}");
    let elsewhere = tempfile::tempdir().unwrap();
    let there = elsewhere.path().to_str().unwrap();
    let (fine, told) = spotter(&["restore", "--data", there, backup.to_str().unwrap()]);
    assert!(fine && elsewhere.path().join("secret.key").exists(), "{told}");
    let (fine, told) = spotter(&["openapi"]);
    assert!(fine && serde_json::from_str::<Value>(&told).unwrap()["openapi"] == "3.1.0");
    assert!(!spotter(&["healthcheck", "--url", &format!("http://{}", free_address())]).0);
}

#[test]
fn two_processes_never_serve_one_folder() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    demo_in(folder.path(), Engine::Sqlite);
    let child = demo(folder.path(), &address, &[]);
    wait_ready(&address);
    let (fine, told) =
        spotter(&["serve", "--data", folder.path().to_str().unwrap(), "--listen", &free_address()]);
    assert!(!fine && told.contains("in use by another"), "{told}");
    stop(child);
}
