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

use spotter_store::{Location, Sql};

use crate::harness::{
    Engine, binary, free_address, location, random_text, receiver::receiver, runtime,
};

fn spotter(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(binary()).args(arguments).output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.success(), text)
}

fn wait_ready(address: &str) {
    crate::harness::wait_ready(&format!("http://{address}"), String::new);
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
    let mut command = Command::new(binary());
    command.args(["demo", "--listen", address, "--data"]).arg(folder).args(more);
    command.env("SPOTTER_RATE_LIMIT", "1000000").stderr(Stdio::null());
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
        let mut command = Command::new(binary());
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
    let url = receiver().url_at("127.0.0.1", "slow", &mark);
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
fn the_command_line_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("none");
    let data = data.to_str().unwrap();
    let create = ["api-client", "create", "--data", data, "--name", "Sync"];
    let (fine, told) = spotter(&create);
    assert!(!fine && told.contains("spotter company create"), "{told}");
    assert!(!Path::new(data).exists(), "nothing is left behind");
    for name in ["One", "Two"] {
        let mut company = vec!["company", "create", "--data", data, "--name", name];
        company.extend(["--admin-email", "a@b.io", "--admin-first-name", "A"]);
        company.extend(["--admin-last-name", "B"]);
        assert!(spotter(&company).0);
    }
    let (fine, told) = spotter(&create);
    assert!(!fine && told.contains("--company") && told.contains("Two"), "{told}");
    let (_, help) = spotter(&["api-client", "create", "--help"]);
    assert!(!help.contains("--webhook-concurrency") && help.contains("spotter serve --help"));
    assert!(spotter(&["serve", "--help"]).1.contains("--webhook-concurrency"));
    let mut check = Command::new(binary());
    let checked = check.args(["config", "check"]).env("SPOTTER_LISTNE", "x").output().unwrap();
    let told = String::from_utf8(checked.stderr).unwrap();
    assert!(!checked.status.success() && told.contains("is SPOTTER_LISTEN meant?"), "{told}");
}

#[test]
fn a_demo_takes_nothing_that_is_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (taken, data) = (TcpListener::bind("127.0.0.1:0").unwrap(), folder.path().join("demo"));
    let address = taken.local_addr().unwrap().to_string();
    let data = data.to_str().unwrap();
    let (fine, told) = spotter(&["demo", "--data", data, "--listen", &address]);
    assert!(!fine && told.contains("--listen") && !Path::new(data).exists(), "{told}");
    std::fs::write(folder.path().join("novel.txt"), "It was a dark night").unwrap();
    let other = folder.path().to_str().unwrap();
    let (fine, told) = spotter(&["demo", "--data", other, "--listen", &free_address()]);
    assert!(!fine && told.contains("holds other things"), "{told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Nothing that is on record in a demo is of a time that is yet to come.
#[test]
fn a_demo_has_no_future() {
    let file = made_demo().join("backup.db");
    let db = crate::harness::open(&spotter_store::Config::new(Location::File(file)));
    let now = spotter_kernel::Clock::now(&crate::harness::SystemClock).millis();
    let looked_at = db.read(move |tx| {
        let columns: Vec<(String, String)> = tx.all(
            Sql("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
                WHERE m.type = 'table' AND c.type = 'BIGINT' AND c.name LIKE '%\\_at' ESCAPE '\\'"),
            &[],
        )?;
        // What is meant to lie ahead.
        let ahead = ["expires_at", "due_at"];
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

/// Whatever the shell's umask says, what a process makes is its user's alone.
#[test]
fn files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    fn others(path: &Path, seen: &mut usize) {
        *seen += 1;
        let about = std::fs::metadata(path).unwrap();
        let mode = about.permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
        if about.is_dir() {
            std::fs::read_dir(path).unwrap().for_each(|one| others(&one.unwrap().path(), seen));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (data, address) = (folder.path().join("data"), free_address());
    let script = format!(
        "umask 000; exec \"$0\" demo --data '{}' --listen {address} 2>/dev/null",
        data.display()
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script, binary()]).stdout(Stdio::null());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    let demo = read_demo(&data);
    let login = json!({"email": demo["client"]["email"], "password": demo["client"]["password"]});
    let base = format!("http://{address}/app/v1");
    let (_, session) = post(&format!("{base}/auth/login"), "x", "k", &login).unwrap();
    let bearer = session["data"]["session"]["accessToken"].as_str().unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let upload = http.post(format!("{base}/uploads?fileName=x.png")).bearer_auth(bearer);
    let upload = upload.header("content-type", "image/png").body(png);
    let uploaded = runtime().block_on(async { upload.send().await.unwrap().status() });
    assert_eq!(uploaded, 201);
    let backup = folder.path().join("copy.db");
    let script =
        format!("umask 000; exec \"$0\" backup --data '{}' '{}'", data.display(), backup.display());
    assert!(Command::new("/bin/sh").args(["-c", &script, binary()]).status().unwrap().success());
    let mut seen = 0;
    others(&data, &mut seen);
    others(&backup, &mut seen);
    others(&folder.path().join("copy.db.key"), &mut seen);
    assert!(seen > 8, "{seen}");
    stop(child);
}

/// What a backup that was cut off, or changed, is taken for.
#[test]
fn only_a_whole_backup_is_restored() {
    let (folder, whole) = (tempfile::tempdir().unwrap(), made_demo().join("backup.db"));
    let there = folder.path().join("there");
    let restore = |file: &Path| {
        let arguments = ["restore", "--data", there.to_str().unwrap(), file.to_str().unwrap()];
        spotter(&arguments)
    };
    let bytes = std::fs::read(&whole).unwrap();
    let broken = folder.path().join("broken.db");
    for (share, word) in [(1, "not a whole backup"), (2, "not a whole backup")] {
        std::fs::write(&broken, &bytes[..bytes.len() * share / 3]).unwrap();
        let (fine, told) = restore(&broken);
        assert!(!fine && told.contains(word), "{told}");
    }
    for change in ["DELETE FROM client_note", "DROP TABLE backup_end"] {
        std::fs::write(&broken, &bytes).unwrap();
        let db = crate::harness::open(&spotter_store::Config::new(Location::File(broken.clone())));
        runtime().block_on(db.write(move |tx| tx.execute(Sql(change), &[]))).unwrap();
        assert!(db.close(Duration::from_secs(5)));
        let (fine, told) = restore(&broken);
        assert!(!fine && told.contains("not a whole backup"), "{told}");
        assert!(told.contains("broken.db") && !told.contains("restoring-"), "{told}");
    }
    let (fine, told) = restore(&whole);
    assert!(fine, "{told}");
}

/// A backup is in its place when it is whole, and nothing of it is there before.
#[test]
fn a_backup_that_is_killed_leaves_nothing_that_looks_like_one() {
    let folder = tempfile::tempdir().unwrap();
    let flags = demo_in(folder.path(), Engine::Postgres);
    let file = folder.path().join("copy.db");
    for _ in 0..3 {
        let mut command = Command::new(binary());
        command.args(["backup", "--data"]).arg(folder.path()).args(&flags).arg(&file);
        let mut child = Running(command.stdout(Stdio::null()).spawn().unwrap());
        std::thread::sleep(Duration::from_millis(150));
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        assert!(!file.exists());
    }
    let data = folder.path().to_str().unwrap();
    let mut backup = vec!["backup", "--data", data, file.to_str().unwrap()];
    backup.extend(flags.iter().map(String::as_str));
    let (fine, told) = spotter(&backup);
    assert!(fine && file.exists(), "{told}");
}

/// Deliveries that waited at a backup are not sent by the copy, unless that takes the place of the one
/// that was backed up.
fn restored_deliveries_wait_for_a_word(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, mut flags) = (free_address(), demo_in(folder.path(), engine));
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let (api, bearer) = (format!("http://{address}/public/v1"), token(&read_demo(folder.path())));
    let hook =
        json!({"name": "Gone", "url": "https://nowhere.example/", "events": ["client.created"]});
    let (_, made) = post(&format!("{api}/webhooks"), &bearer, "hook", &hook).unwrap();
    let id = made["data"]["subscription"]["id"].as_str().unwrap();
    let (_, tested) =
        post(&format!("{api}/webhooks/{id}/test"), &bearer, "test", &json!({})).unwrap();
    let delivery = tested["data"]["test"]["deliveryIds"][0].as_str().unwrap().to_owned();
    stop(child);
    let backup = folder.path().join("copy.db");
    let data = folder.path().to_str().unwrap();
    let mut arguments = vec!["backup", "--data", data, backup.to_str().unwrap()];
    arguments.extend(flags.iter().map(String::as_str));
    assert!(spotter(&arguments).0);
    for (word, status, mark) in
        [("park", "cancelled", "1 webhook deliveries"), ("keep", "pending", "")]
    {
        let there = tempfile::tempdir().unwrap();
        flags = database_flags(engine);
        let mut arguments = vec!["restore", "--data", there.path().to_str().unwrap()];
        arguments.extend(["--webhooks", word, backup.to_str().unwrap()]);
        arguments.extend(flags.iter().map(String::as_str));
        let (fine, told) = spotter(&arguments);
        assert!(fine && told.contains(mark), "{told}");
        std::fs::copy(folder.path().join("demo.json"), there.path().join("demo.json")).unwrap();
        let address = free_address();
        let child = demo(there.path(), &address, &flags);
        wait_ready(&address);
        let api = format!("http://{address}/public/v1");
        let told = get(&format!("{api}/webhooks/deliveries/{delivery}"), &bearer);
        assert_eq!(told["data"]["delivery"]["status"], status, "{told}");
        let listed = get(&format!("{api}/webhooks/deliveries?status={status}"), &bearer);
        assert_eq!(listed["data"]["total"], 1, "{listed}");
        stop(child);
    }
}

#[test]
fn restored_deliveries_wait_for_a_word_on_sqlite() {
    restored_deliveries_wait_for_a_word(Engine::Sqlite);
}

#[test]
fn restored_deliveries_wait_for_a_word_on_postgres() {
    restored_deliveries_wait_for_a_word(Engine::Postgres);
}

fn another_key_is_noticed(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let flags = database_flags(engine);
    let data = folder.path().to_str().unwrap();
    let mut company = vec!["company", "create", "--data", data, "--name", "Gym"];
    company.extend([
        "--admin-email",
        "a@b.io",
        "--admin-first-name",
        "A",
        "--admin-last-name",
        "B",
    ]);
    company.extend(flags.iter().map(String::as_str));
    assert!(spotter(&company).0);
    let mut client = vec!["api-client", "create", "--data", data, "--name", "Sync"];
    client.extend(flags.iter().map(String::as_str));
    let key = folder.path().join("secret.key");
    let right = std::fs::read(&key).unwrap();
    std::fs::write(&key, "0".repeat(64)).unwrap();
    let (fine, told) = spotter(&client);
    assert!(!fine && told.contains("secret_key is not the one"), "{told}");
    let file = folder.path().join("backup.db");
    let beside = folder.path().join("backup.db.key");
    let mut backup = vec!["backup", file.to_str().unwrap(), "--data", data];
    backup.extend(flags.iter().map(String::as_str));
    let (fine, told) = spotter(&backup);
    assert!(!fine && told.contains("secret_key is not the one") && !beside.exists(), "{told}");
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&key).unwrap();
    let (fine, told) = spotter(&client);
    assert!(!fine && told.contains("secret.key") && !key.exists(), "{told}");
    std::fs::write(&key, &right).unwrap();
    assert!(spotter(&client).0);
    assert!(spotter(&backup).0 && std::fs::read(&beside).unwrap() == right);
    let restored = folder.path().join("restored");
    let restore = ["restore", file.to_str().unwrap(), "--data", restored.to_str().unwrap()];
    std::fs::write(&beside, "0".repeat(64)).unwrap();
    let (fine, told) = spotter(&restore);
    assert!(!fine && told.contains("secret_key is not the one"), "{told}");
    assert!(!restored.join("secret.key").exists());
    std::fs::write(&beside, &right).unwrap();
    assert!(spotter(&restore).0);
    assert_eq!(std::fs::read(restored.join("secret.key")).unwrap(), right);
}

#[test]
fn another_key_is_noticed_on_sqlite() {
    another_key_is_noticed(Engine::Sqlite);
}

#[test]
fn another_key_is_noticed_on_postgres() {
    another_key_is_noticed(Engine::Postgres);
}

/// Nodes that start together on a schema that is still to be made all serve.
#[test]
fn nodes_that_start_together_all_serve() {
    let flags = database_flags(Engine::Postgres);
    let nodes: Vec<_> = (0..5)
        .map(|_| {
            let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
            let mut command = Command::new(binary());
            command.args(["serve", "--listen", &address, "--data"]).arg(folder.path());
            command.args(&flags).env("SPOTTER_SECRET_KEY", "1".repeat(64));
            command.args(["--database-connections", "2"]).stderr(Stdio::null());
            (Running(command.spawn().unwrap()), folder, address)
        })
        .collect();
    nodes.iter().for_each(|(_, _, address)| wait_ready(address));
    nodes.into_iter().for_each(|(child, ..)| stop(child));
}

/// What a service that allows so few connections does with more.
#[test]
fn connections_are_few_and_heads_are_whole() {
    use std::io::{Read, Write};
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--connections-max", "16", "--data"]);
    let child = Running(command.arg(folder.path()).stderr(Stdio::null()).spawn().unwrap());
    wait_ready(&address);
    let say = |text: &str| {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut told = String::new();
        stream.read_to_string(&mut told).ok();
        told
    };
    let good = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert!(say(good).starts_with("HTTP/1.1 200"));
    for bad in [
        good.replace("\r\n", "\n"),
        good.replace("Host: x\r\n", ""),
        good.replace("Host: x", "Host: a b/@"),
        good.replace("Host: x\r\n", "Host: x\r\nHost: y\r\n"),
    ] {
        assert!(say(&bad).starts_with("HTTP/1.1 400"), "{bad:?}: {}", say(&bad));
    }
    let half: Vec<_> = (0..16)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(&address).unwrap();
            stream.write_all(b"GET / HT").unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(say(good), "", "there is no room");
    drop(half);
    std::thread::sleep(Duration::from_millis(200));
    assert!(say(good).starts_with("HTTP/1.1 200"));
    stop(child);
}

/// A database that goes away is told as such, and one that is not there yet is waited for.
#[test]
fn a_database_that_is_away_is_waited_for() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let flags = database_flags(Engine::Postgres);
    let name = flags[1].rsplit_once('/').unwrap().1.split('?').next().unwrap().to_owned();
    let admin = flags[1].replace(&name, "postgres");
    let mut start = Command::new(binary());
    start.args(["serve", "--listen", &address, "--data"]).arg(folder.path()).args(&flags);
    start.args(["--database-connections", "2"]).stderr(Stdio::null());
    let child = Running(start.spawn().unwrap());
    wait_ready(&address);
    let end =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    crate::harness::postgres::execute(
        &admin,
        &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"),
    );
    crate::harness::postgres::execute(&admin, &end);
    let body = json!({"email": "a@b.io", "password": "correct horse battery"});
    let url = format!("http://{address}/app/v1/auth/login");
    let (status, told) = post(&url, "x", "k", &body).unwrap();
    assert_eq!((status, &told["error"]["key"]), (503, &json!("request.failed")), "{told}");
    crate::harness::postgres::execute(
        &admin,
        &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"),
    );
    wait_ready(&address);
    let (status, told) = post(&url, "x", "k", &body).unwrap();
    assert_eq!(status, 401, "{told}");
    stop(child);
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
