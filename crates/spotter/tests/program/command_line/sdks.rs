//! The SDKs, the samples of the reference, and the tools for integrators, against a demo.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    os::unix::fs::symlink,
    time::Duration,
};

use serde_json::json;
use spotter_harness::scenario;
use spotter_testing::requirements::{self, SDKS};

use super::*;

/// The root of the source tree.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A program's output; it must succeed.
fn output_of(command: &mut Command) -> String {
    let run = command.output().unwrap();
    let text = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(run.status.success(), "{command:?}\n{}", text.concat());
    text.concat()
}

/// A demo that is served, with the environment that SDKs read.
fn served_demo(folder: &Path, engine: Engine) -> (Running, Vec<(&'static str, String)>) {
    let (address, flags) = (free_address(), demo_in(folder, engine));
    let child = demo(folder, &address, &flags);
    wait_ready(&address);
    let demo = read_demo(folder);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let variables = vec![
        ("SPOTTER_URL", format!("http://{address}")),
        ("SPOTTER_CLIENT_ID", text(&demo["apiClient"]["clientId"])),
        ("SPOTTER_CLIENT_SECRET", text(&demo["apiClient"]["clientSecret"])),
    ];
    (child, variables)
}

/// The package for TypeScript as its own script builds it, with tools that are installed beside the target folder.
fn typescript_package(folder: &Path) -> PathBuf {
    let package = folder.join("typescript");
    let copied =
        Command::new("cp").args(["-r", "sdk/typescript"]).arg(&package).current_dir(ROOT).status();
    assert!(copied.unwrap().success());
    let _ = std::fs::remove_dir_all(package.join("node_modules"));
    let _ = std::fs::remove_dir_all(package.join("dist"));
    symlink(requirements::node_modules(), package.join("node_modules")).unwrap();
    output_of(Command::new("node_modules/.bin/tsc").current_dir(&package));
    package
}

#[test]
fn what_is_generated_is_up_to_date() {
    if requirements::PYTHON.is_available() {
        output_of(Command::new("python3").args(["sdk/generate", "--check"]).current_dir(ROOT));
    }
}

#[scenario(process)]
fn the_sdk_for_typescript_works_and_so_do_its_samples(engine: Engine) {
    if !SDKS.is_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_child, variables) = served_demo(folder.path(), engine);
    let package = typescript_package(folder.path());
    let tests = ["--test", "test/"];
    output_of(Command::new("node").args(tests).envs(variables.clone()).current_dir(&package));
    let samples = Command::new("python3")
        .args(["sdk/samples", "typescript"])
        .current_dir(ROOT)
        .env("SPOTTER_SDK", &package)
        .envs(variables)
        .output()
        .unwrap();
    assert!(samples.status.success(), "{}", String::from_utf8_lossy(&samples.stderr));
}

#[scenario(process)]
fn the_sdk_for_python_works_and_so_do_its_samples(engine: Engine) {
    if !SDKS.is_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_child, variables) = served_demo(folder.path(), engine);
    let python = |arguments: &[&str]| {
        let mut command = Command::new(SDKS.python());
        command.args(arguments).envs(variables.clone()).current_dir(ROOT);
        command.env("PYTHONPATH", "sdk/python/src").env("PYTHONDONTWRITEBYTECODE", "1");
        output_of(&mut command)
    };
    python(&["sdk/python/tests/test_client.py"]);
    python(&["sdk/samples", "python"]);
    python(&["-m", "mypy", "--strict", "--cache-dir", "/dev/null", "sdk/python/src"]);
}

#[scenario(process)]
fn samples_for_curl_work(engine: Engine) {
    if !requirements::CURL_AND_JQ.is_available() || !requirements::PYTHON.is_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_child, variables) = served_demo(folder.path(), engine);
    output_of(
        Command::new("python3").args(["sdk/samples", "curl"]).envs(variables).current_dir(ROOT),
    );
}

/// The next request that reaches a listener: its headers in lower case, and its body. It is answered with 204.
fn received(listener: &TcpListener) -> (String, Value) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "the request broke off: {head}");
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

fn is_signed(head: &str, event: &Value, secret: &str) -> bool {
    let header = |name: &str| {
        let line = head.split(&format!("x-service-webhook-{name}: ")).nth(1).unwrap();
        line.split("\r\n").next().unwrap().to_owned()
    };
    let body = spotter_webhooks::canonical::canonical(event);
    let signed = spotter_webhooks::signature::SignedBody {
        timestamp: header("timestamp").parse().unwrap(),
        delivery: &header("delivery"),
        event: event["id"].as_str().unwrap(),
        body: &body,
    };
    let now = spotter_kernel::Clock::now(&spotter_harness::SystemClock).seconds();
    signed.verify(secret, &header("signature"), now).is_ok()
}

#[test]
fn an_example_of_every_event_is_sent_as_a_signed_delivery() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let sent = std::thread::spawn(move || {
        spotter(&[
            "webhooks",
            "trigger",
            "booking.cancelled",
            "--forward-to",
            &url,
            "--secret",
            "whsec_a",
        ])
    });
    let (head, event) = received(&listener);
    assert_eq!(event["type"], "booking.cancelled");
    assert!(event["data"]["bookingId"].is_string(), "{event}");
    assert!(is_signed(&head, &event, "whsec_a") && !is_signed(&head, &event, "whsec_b"));
    let (fine, response) = sent.join().unwrap();
    assert!(fine && response.contains("answered 204"), "{response}");
    let (fine, printed) = spotter(&["webhooks", "trigger", "invoice.paid"]);
    assert!(fine && printed.contains("\"type\": \"invoice.paid\""), "{printed}");
    let (fine, response) = spotter(&["webhooks", "trigger", "client.eaten"]);
    assert!(!fine && response.contains("client.created"), "{response}");
    drop(listener);
    let down = ["webhooks", "trigger", "invoice.paid", "--forward-to", "http://127.0.0.1:9/"];
    let (fine, response) = spotter(&down);
    assert!(!fine && response.contains("did not answer"), "{response}");
}

#[scenario(process)]
fn what_happens_is_forwarded_from_the_log_once(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let (_child, variables) = served_demo(folder.path(), engine);
    let url = &variables[0].1;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("http://{}/hook", listener.local_addr().unwrap());
    let mut command = Command::new(binary());
    command.args(["webhooks", "listen", "--forward-to", &target, "--events", "client.created"]);
    command.envs(variables.clone()).stdout(Stdio::piped());
    let mut following = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(following.0.stdout.take().unwrap()).lines();
    let secret = lines.next().unwrap().unwrap();
    let secret = secret.rsplit(' ').next().unwrap().to_owned();
    assert!(lines.next().unwrap().unwrap().starts_with("Waiting for events"));
    let token = token(&read_demo(folder.path()));
    let token_url = format!("{url}/public/v1");
    let create = |name: &str| {
        let body = json!({"firstName": name});
        let (status, made) = post(&format!("{token_url}/clients"), &token, name, &body).unwrap();
        assert_eq!(status, 201, "{made}");
        made["data"]["client"]["clientId"].clone()
    };
    for name in ["Ann", "Bea"] {
        let client = create(name);
        let (head, event) = received(&listener);
        assert_eq!(
            (&event["type"], &event["data"]["clientId"]),
            (&json!("client.created"), &client)
        );
        assert!(is_signed(&head, &event, &secret));
        assert!(lines.next().unwrap().unwrap().contains("answered 204"));
    }
    // Three looks later nothing was repeated.
    std::thread::sleep(Duration::from_secs(3));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}
