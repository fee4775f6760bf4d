//! Serving: starting, stopping, kill -9, and losing the database.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use spotter_harness::{SystemClock, apart, random_text, receiver::receiver, scenario};
use spotter_kernel::Clock;
use spotter_store::{DatabaseLocation, latest_schema, migrate_to};

use super::{operator::create_company, *};

/// A stop waits for the running delivery, and its result is stored.
#[scenario(process)]
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
    let response = get(&format!("{api}/webhooks/deliveries/{delivery}"), &bearer);
    let response = &response["data"]["delivery"];
    assert_eq!(
        (&response["status"], &response["attemptCount"]),
        (&json!("succeeded"), &json!(1)),
        "{response}"
    );
    assert_eq!(receiver().received(&mark).len(), 1);
    stop(child);
}

/// Writers write until the process is killed; acknowledged writes must be there afterwards.
#[scenario(process)]
fn kill_loses_nothing(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let mut child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let response = read_demo(folder.path());
    let (bearer, url) = (token(&response), format!("http://{address}/public/v1/clients"));
    let acknowledged: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let (url, bearer, acknowledged, over) =
                (url.clone(), bearer.clone(), acknowledged.clone(), over.clone());
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let key = random_text();
                    if let Some((201, response)) =
                        post(&url, &bearer, &key, &json!({"firstName": key}))
                    {
                        let id =
                            response["data"]["client"]["clientId"].as_str().unwrap().to_owned();
                        acknowledged.lock().unwrap().push((key, id));
                    }
                }
            })
        })
        .collect();
    let started = Instant::now();
    while acknowledged.lock().unwrap().len() < 60 {
        assert!(started.elapsed() < Duration::from_secs(60), "hardly a write was acknowledged");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    over.store(true, Ordering::Relaxed);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let child = demo(folder.path(), &address, &flags);
    wait_ready(&address);
    let acknowledged = acknowledged.lock().unwrap();
    for (key, id) in acknowledged.iter() {
        let (status, response) = post(&url, &bearer, key, &json!({"firstName": key})).unwrap();
        assert_eq!(
            (status, &response["meta"]["idempotency"]["replayed"]),
            (201, &json!(true)),
            "{response}"
        );
        assert_eq!(response["data"]["client"]["clientId"], id.as_str());
    }
    let total = get(&format!("{url}?limit=1"), &bearer)["data"]["total"].as_u64().unwrap();
    let rows =
        get(&format!("{url}?limit=1&createdFrom=2020-01-01T00:00:00Z"), &bearer)["data"]["total"]
            .as_u64()
            .unwrap();
    assert_eq!(total, rows, "the kept total is the counted one");
    stop(child);
}

/// Nodes that start together on a schema that is still to be made, or is an older version's, all serve.
#[test]
fn nodes_that_start_together_all_serve() {
    if !Engine::Postgres.is_available() {
        return;
    }
    for older in [0, 1, latest_schema() / 2] {
        let flags = database_flags(Engine::Postgres);
        if older > 0 {
            let place = DatabaseLocation::Server(flags[1].clone());
            apart(|| migrate_to(&place, older, SystemClock.now(), |_| ())).unwrap();
        }
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
}

/// A service with few allowed connections handles more.
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
        let mut response = String::new();
        stream.read_to_string(&mut response).ok();
        response
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
    // More connections than allowed. Earlier ones may still be open for a while, so more are opened until the limit
    // is reached.
    let mut half = Vec::new();
    let is_full = (0..50).any(|_| {
        half.extend((0..24).map(|_| {
            let mut stream = std::net::TcpStream::connect(&address).unwrap();
            stream.write_all(b"GET / HT").unwrap();
            stream
        }));
        std::thread::sleep(Duration::from_millis(100));
        say(good).is_empty()
    });
    assert!(is_full, "there is no room");
    drop(half);
    // The process notices in its own time that they are gone.
    let has_room = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        say(good).starts_with("HTTP/1.1 200")
    });
    assert!(has_room, "there is room again");
    stop(child);
}

/// Whatever level an operator sets, and for whichever library: names, notes, messages, passwords and tokens are in no
/// line of the log.
#[scenario(process)]
fn no_log_contains_personal_data(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (address, flags) = (free_address(), demo_in(folder.path(), engine));
    let log = folder.path().join("log");
    let mut command = Command::new(binary());
    command.args(["demo", "--listen", &address, "--data"]).arg(folder.path()).args(&flags);
    command.env("SPOTTER_LOG", "trace,tokio_postgres=trace,hyper=trace,[request]=trace");
    command.stdout(Stdio::null()).stderr(std::fs::File::create(&log).unwrap());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    let demo = read_demo(folder.path());
    let (api, bearer) = (format!("http://{address}/public/v1"), token(&demo));
    let canary = format!("canary{}", random_text());
    let new = json!({"firstName": canary, "lastName": canary, "email": format!("{canary}@example.com"),
        "phone": "+31 6 55501234", "source": canary, "tags": [canary]});
    let (status, made) = post(&format!("{api}/clients"), &bearer, "canary-1", &new).unwrap();
    assert_eq!(status, 201, "{made}");
    let id = made["data"]["client"]["clientId"].as_str().unwrap();
    let note = json!({"title": canary, "body": canary});
    let (status, response) =
        post(&format!("{api}/clients/{id}/notes"), &bearer, "canary-2", &note).unwrap();
    assert_eq!(status, 201, "{response}");
    let found = get(&format!("{api}/clients?search={canary}"), &bearer);
    assert_eq!(found["data"]["total"], 1, "{found}");
    let login = json!({"email": format!("{canary}@example.com"), "password": canary});
    let (status, _) =
        post(&format!("http://{address}/app/v1/auth/login"), "x", "k", &login).unwrap();
    assert_eq!(status, 401);
    let right = json!({"email": demo["coach"]["email"], "password": demo["coach"]["password"]});
    let (status, session) =
        post(&format!("http://{address}/app/v1/auth/login"), "x", "k", &right).unwrap();
    assert_eq!(status, 200, "{session}");
    stop(child);
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.lines().count() > 2, "the log is there: {log}");
    let secrets = [
        canary.as_str(),
        "55501234",
        demo["coach"]["password"].as_str().unwrap(),
        session["data"]["session"]["accessToken"].as_str().unwrap(),
        bearer.as_str(),
        "$argon2",
    ];
    for secret in secrets {
        let response = log.lines().find(|line| line.contains(secret));
        assert!(response.is_none(), "{response:?}");
    }
}

/// SIGHUP, from a closing terminal or a request to reload, ends nothing; `/metrics` describes every metric, including
/// unused ones.
#[test]
fn sighup_is_ignored_and_metrics_are_described() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data"]).arg(folder.path());
    let child = Running(command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    wait_ready(&address);
    for _ in 0..3 {
        let pid = child.0.id().to_string();
        Command::new("kill").args(["-HUP", &pid]).status().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let runtime = runtime();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.get(format!("http://{address}/metrics")).send();
    let text = runtime.block_on(async { request.await.unwrap().text().await.unwrap() });
    assert!(text.contains("\nspotter_store_retries_total 0\n"), "{text}");
    let names = |mark: &str| -> std::collections::BTreeSet<String> {
        let own = text.lines().filter_map(|line| line.strip_prefix(mark));
        own.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names("# TYPE "), names("# HELP "), "each says what it is");
    stop(child);
}

/// Assistants have an address of their own, with nothing else on it.
#[test]
fn assistants_have_an_address_of_their_own() {
    let (folder, address, own) = (tempfile::tempdir().unwrap(), free_address(), free_address());
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data"]).arg(folder.path());
    command.args(["--mcp-listen", &own]).stderr(Stdio::null()).stdout(Stdio::null());
    let child = Running(command.spawn().unwrap());
    wait_ready(&address);
    wait_ready(&own);
    // It takes the process's cryptography, which clients need.
    let runtime = runtime();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let status = |address: &str, path: &str| {
        let request = client.get(format!("http://{address}{path}")).send();
        runtime.block_on(async { request.await.unwrap().status().as_u16() })
    };
    for (path, at_all, at_own) in [
        ("/mcp/v1", 404, 401),
        ("/mcp/v1/manage", 404, 200),
        ("/.well-known/oauth-authorization-server", 404, 200),
        ("/public/v1/clients", 401, 404),
        ("/app/v1/clients", 401, 404),
        ("/metrics", 200, 404),
        ("/docs", 200, 404),
        ("/page.css", 200, 200),
    ] {
        assert_eq!((status(&address, path), status(&own, path)), (at_all, at_own), "{path}");
    }
    let metadata = get(&format!("http://{own}/.well-known/oauth-protected-resource"), "");
    assert_eq!(metadata["resource"], format!("http://{own}/mcp/v1"));
    stop(child);
}

/// The operator's page is opened once by a link of the command line, and shows nothing about companies.
#[test]
fn an_operator_sees_how_the_installation_is() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    let data = folder.path().to_str().unwrap();
    assert!(create_company(data, "Riverside", &[]).0);
    let (_, companies) = spotter(&["company", "list", "--data", data]);
    let company = companies.split(' ').next().unwrap();
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", &address, "--data", data]);
    let child = Running(command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    wait_ready(&address);
    let link = || {
        let (fine, response) = spotter(&["operator-link", "--data", data, "--listen", &address]);
        assert!(fine, "{response}");
        response.trim().to_owned()
    };
    let backup = folder.path().join("copy.db");
    assert!(spotter(&["backup", "--data", data, backup.to_str().unwrap()]).0);
    let runtime = runtime();
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    let client = client.build().unwrap();
    let see = |url: &str, cookie: &str| {
        let request = client.get(url).header("cookie", cookie).send();
        runtime.block_on(async {
            let answer = request.await.unwrap();
            let cookie = answer
                .headers()
                .get("set-cookie")
                .map(|set| set.to_str().unwrap().split(';').next().unwrap().to_owned());
            (answer.status().as_u16(), cookie.unwrap_or_default(), answer.text().await.unwrap())
        })
    };
    let page = format!("http://{address}/operator");
    assert_eq!(see(&page, "").0, 404);
    let first = link();
    let enter = |link: &str| {
        let key = link.split_once("?key=").unwrap().1;
        let sent = client.post(format!("{page}/enter")).header("sec-fetch-site", "same-origin");
        let sent = sent.form(&[("key", key)]).send();
        runtime.block_on(async {
            let answer = sent.await.unwrap();
            let cookie = answer
                .headers()
                .get("set-cookie")
                .map(|set| set.to_str().unwrap().split(';').next().unwrap().to_owned());
            (answer.status().as_u16(), cookie.unwrap_or_default())
        })
    };
    // A link checker does not use it up.
    assert_eq!((see(&first, "").0, see(&first, "").0), (200, 200));
    let (status, cookie) = enter(&first);
    assert_eq!(status, 303);
    assert_eq!(enter(&first).0, 404, "a link is good once");
    for wrong in [format!("{first}x"), format!("{page}?key=1.x"), format!("{page}?key=")] {
        assert_eq!(see(&wrong, "").0, 404);
    }
    let (status, _, text) = see(&page, &cookie);
    assert_eq!(status, 200, "{text}");
    for part in ["Background jobs", "secret_key", "the flag --listen", "free"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("No backup was made"), "{text}");
    let (_, other) = enter(&link());
    assert_eq!((see(&page, &other).0, see(&page, &cookie).0), (200, 404));
    assert_eq!(see(&format!("{page}/companies/new"), &cookie).0, 404, "its session has ended");
    assert!(see(&format!("{page}?search=nobody"), &other).2.contains("Nothing found for"));
    // What is done in a list leads back to it.
    let act = |what: &str, company: &str| {
        let sent = client.post(format!("{page}/companies/{what}"));
        let sent = sent.header("sec-fetch-site", "same-origin").header("cookie", &other);
        let sent = sent.form(&[("company", company), ("search", "river")]).send();
        let answer = runtime.block_on(sent).unwrap();
        let to = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
        (answer.status().as_u16(), to.unwrap_or_default())
    };
    for (what, status) in [("suspend", "Suspended"), ("resume", "Active")] {
        let (code, to) = act(what, company);
        assert_eq!((code, to.as_str()), (303, "/operator?search=river#companies"));
        let (_, _, text) = see(&format!("http://{address}{to}"), &other);
        assert!(text.contains(status), "{text}");
    }
    assert_eq!(act("suspend", "000000000000000000000000").0, 404);
    let out = client.post(format!("{page}/sign-out")).header("sec-fetch-site", "same-origin");
    let out = out.header("cookie", &other).form(&[("x", "y")]).send();
    assert_eq!(runtime.block_on(out).unwrap().status().as_u16(), 303);
    assert_eq!(see(&page, &other).0, 404);
    stop(child);
}

#[test]
fn two_processes_never_serve_one_folder() {
    let (folder, address) = (tempfile::tempdir().unwrap(), free_address());
    demo_in(folder.path(), Engine::Sqlite);
    let child = demo(folder.path(), &address, &[]);
    wait_ready(&address);
    let (fine, response) =
        spotter(&["serve", "--data", folder.path().to_str().unwrap(), "--listen", &free_address()]);
    assert!(!fine && response.contains("in use by another"), "{response}");
    stop(child);
}
