//! The binary itself, as a process of its own.

mod assistant;
mod backups;
mod companies;
mod demo;
mod mail;
mod nodes;
mod operator;
mod operators;
mod outages;
mod replicas;
mod sdks;
mod serving;
mod test_environments;
mod tours;

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use serde_json::Value;
use spotter_harness::{Engine, binary, free_address, location, runtime};

fn spotter(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(binary()).args(arguments).output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.success(), text)
}

fn wait_ready(address: &str) {
    spotter_harness::wait_ready(&format!("http://{address}"), String::new);
}

/// A demo that was made once and stopped: its folder, and a backup of its database.
fn made_demo() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (folder, address) = (tempfile::tempdir().unwrap().keep(), free_address());
        let child = demo(&folder, &address, &[]);
        wait_ready(&address);
        stop(child);
        let (data, backup) = (folder.to_str().unwrap(), folder.join("backup.db"));
        let (fine, response) = spotter(&["backup", "--data", data, backup.to_str().unwrap()]);
        assert!(fine, "{response}");
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
    let (fine, response) = spotter(&restore);
    assert!(fine, "{response}");
    std::fs::copy(made.join("demo.json"), folder.join("demo.json")).unwrap();
    flags
}

/// A demo in a folder with its uploaded files, on an engine; the flags to start it with.
fn whole_demo_in(folder: &Path, engine: Engine) -> Vec<String> {
    let flags = demo_in(folder, engine);
    let from = made_demo().join("files");
    for company in std::fs::read_dir(&from).unwrap().flatten() {
        let to = folder.join("files").join(company.file_name());
        std::fs::create_dir_all(&to).unwrap();
        for file in std::fs::read_dir(company.path()).unwrap().flatten() {
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    flags
}

fn database_flags(engine: Engine) -> Vec<String> {
    match location(engine) {
        spotter_store::DatabaseLocation::Server(url) => vec!["--database-url".into(), url],
        spotter_store::DatabaseLocation::File(_) => vec![],
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
    // However busy the machine is, a stop may end what it has begun.
    command.env("SPOTTER_RATE_LIMIT", "1000000").env("SPOTTER_SHUTDOWN_SECONDS", "120");
    command.stderr(Stdio::null());
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
    let runtime = runtime();
    let request =
        reqwest::Client::builder().no_proxy().build().unwrap().post(url).bearer_auth(token);
    runtime.block_on(async {
        let response = request.header("Idempotency-Key", key).json(body).send().await.ok()?;
        Some((response.status().as_u16(), response.json().await.ok()?))
    })
}

fn get(url: &str, token: &str) -> Value {
    let runtime = runtime();
    let request =
        reqwest::Client::builder().no_proxy().build().unwrap().get(url).bearer_auth(token);
    runtime.block_on(async { request.send().await.unwrap().json().await.unwrap() })
}

fn token(demo: &Value) -> String {
    let (api, runtime) = (&demo["apiClient"], runtime());
    let request = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .post(format!("{}/public/v1/oauth/token", demo["baseUrl"].as_str().unwrap()))
        .basic_auth(api["clientId"].as_str().unwrap(), api["clientSecret"].as_str())
        .form(&[("grant_type", "client_credentials")]);
    let response: Value =
        runtime.block_on(async { request.send().await.unwrap().json().await.unwrap() });
    response["access_token"].as_str().unwrap().to_owned()
}
