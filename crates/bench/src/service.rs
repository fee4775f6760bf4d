//! The service under test: a process of its own, and requests to it.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::{Outcome, receiver};

/// A demo that is started, used and killed.
pub struct Service {
    spotter: PathBuf,
    data: PathBuf,
    database_url: Option<String>,
    port: u16,
    child: Option<Child>,
}

/// A client of its API.
#[derive(Clone)]
pub struct Api {
    base: String,
    http: Client,
    /// The demo's own description, with its people's passwords.
    demo: Arc<Value>,
    tokens: Arc<RwLock<Tokens>>,
    /// Held by who gets new tokens.
    renewal: Arc<tokio::sync::Mutex<()>>,
}

/// Access tokens of the demo's API client and of its manager.
#[derive(Clone, Default, PartialEq, Eq)]
struct Tokens {
    integration: String,
    manager: String,
}

/// How long a write is waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

static KEYS: AtomicU64 = AtomicU64::new(0);

impl Service {
    /// A service that is not started yet.
    pub fn new(spotter: PathBuf, data: PathBuf, database_url: Option<String>, port: u16) -> Self {
        Self { spotter, data, database_url, port, child: None }
    }

    /// Gives it the key and the people of another node of the installation: each node has a folder of its own.
    pub fn join(&self, other: &Self) -> Outcome {
        std::fs::create_dir_all(self.data.join("demo"))?;
        for name in ["ca.pem", "demo/secret.key", "demo/demo.json"] {
            // An authority is there where deliveries are received.
            if other.data.join(name).exists() {
                std::fs::copy(other.data.join(name), self.data.join(name))?;
            }
        }
        Ok(())
    }

    /// Starts it and waits until it is ready; returns a client with a token.
    pub async fn start(&mut self) -> Outcome<Api> {
        let mut command = Command::new(&self.spotter);
        command
            .args(["demo", "--listen", &format!("127.0.0.1:{}", self.port), "--data"])
            .arg(self.data.join("demo"))
            .env("SPOTTER_RATE_LIMIT", "1000000")
            .env("SPOTTER_LOG", "error")
            .env("SPOTTER_WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8")
            .stdout(Stdio::null());
        let authority = self.data.join("ca.pem");
        if authority.exists() {
            command.env("SPOTTER_WEBHOOK_CERTIFICATE_AUTHORITY", authority);
        }
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        self.child = Some(command.spawn()?);
        let (base, http) = (format!("http://127.0.0.1:{}", self.port), Client::new());
        for _ in 0..600 {
            let ready = http.get(format!("{base}/health/ready")).send().await;
            if ready.is_ok_and(|answer| answer.status().is_success()) {
                let demo = std::fs::read_to_string(self.data.join("demo/demo.json"))?;
                let demo = Arc::new(serde_json::from_str(&demo)?);
                let api = Api { base, http, demo, tokens: Arc::default(), renewal: Arc::default() };
                api.sign_in().await?;
                return Ok(api);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err("the service never became ready".into())
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The processor time that it has used, in milliseconds.
    pub fn processor_ms(&self) -> f64 {
        let stat = self.child.as_ref().map(|child| format!("/proc/{}/stat", child.id()));
        let text = stat.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
        // User and system time, in hundredths of a second.
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10.0
    }

    /// The memory that it uses, in MB.
    pub fn memory_mb(&self) -> u64 {
        let status = self.child.as_ref().map(|child| format!("/proc/{}/status", child.id()));
        let text = status.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or_default() / 1_024
    }

    /// The sum of a metric over its labels.
    pub async fn metric(&self, name: &str) -> Outcome<f64> {
        let text = reqwest::get(format!("http://{}/metrics", self.address())).await?.text().await?;
        let of_name = |line: &&str| line.split(['{', ' ']).next() == Some(name);
        let values = text.lines().filter(of_name).filter_map(|line| line.rsplit(' ').next());
        Ok(values.filter_map(|value| value.parse::<f64>().ok()).sum())
    }

    /// Ends it as a power cut would.
    pub fn kill(&mut self) -> Outcome {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill().ok();
    }
}

/// Who sends a request.
pub enum Sender {
    /// The demo's API client.
    Integration,
    /// The demo's manager, in the application.
    Manager,
    /// A device at a door, by its key.
    Door(String),
}

impl Api {
    /// Gets tokens, at first and after they have expired.
    async fn sign_in(&self) -> Outcome {
        let text =
            |place: &str| self.demo.pointer(place).and_then(Value::as_str).unwrap_or_default();
        let answer: Value = self
            .http
            .post(format!("{}/public/v1/oauth/token", self.base))
            .basic_auth(text("/apiClient/clientId"), Some(text("/apiClient/clientSecret")))
            .form(&[("grant_type", "client_credentials")])
            .send()
            .await?
            .json()
            .await?;
        let integration = answer["access_token"].as_str().ok_or("no token")?.to_owned();
        let own = json!({"email": text("/manager/email"), "password": text("/manager/password")});
        let request = self.http.post(format!("{}/app/v1/auth/login", self.base));
        let output = data(request.json(&own).send().await?).await?;
        let manager = output["session"]["accessToken"].as_str().ok_or("no session")?.to_owned();
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) =
            Tokens { integration, manager };
        Ok(())
    }

    /// Gets new tokens, unless another writer has meanwhile.
    async fn renew(&self) -> Outcome {
        let refused = self.tokens();
        let _one = self.renewal.lock().await;
        if self.tokens() == refused { self.sign_in().await } else { Ok(()) }
    }

    fn tokens(&self) -> Tokens {
        self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A key that no other write has.
    pub fn new_key(&self) -> String {
        format!("{}-{}", receiver::now(), KEYS.fetch_add(1, Ordering::Relaxed))
    }

    fn request(&self, sender: &Sender, method: Method, path: &str) -> reqwest::RequestBuilder {
        let surface = if matches!(sender, Sender::Manager) { "app" } else { "public" };
        let request = self.http.request(method, format!("{}/{surface}/v1{path}", self.base));
        match sender {
            Sender::Integration => request.bearer_auth(self.tokens().integration),
            Sender::Manager => request.bearer_auth(self.tokens().manager),
            Sender::Door(key) => request.header("X-Device-Key", key),
        }
    }

    /// `data` of a write with a key; nothing where it is to be sent again: no answer came, or one that asks for patience.
    pub async fn try_write(
        &self,
        sender: &Sender,
        path: &str,
        key: &str,
        body: &Value,
    ) -> Outcome<Option<Value>> {
        let request = self.request(sender, Method::POST, path).header("Idempotency-Key", key);
        let Ok(answer) = request.json(body).timeout(ANSWER_TIMEOUT).send().await else {
            return Ok(None);
        };
        let status = answer.status();
        let Ok(mut output) = answer.json::<Value>().await else { return Ok(None) };
        if status == StatusCode::UNAUTHORIZED {
            self.renew().await.ok();
            return Ok(None);
        }
        // The same key is at work, or its connection ended while its commit was on the way.
        let is_at_work =
            status == StatusCode::CONFLICT && output["error"]["key"] == "idempotency.in_progress";
        match status.is_success() {
            true => Ok(Some(output["data"].take())),
            false
                if status.is_server_error()
                    || status == StatusCode::TOO_MANY_REQUESTS
                    || is_at_work =>
            {
                Ok(None)
            }
            false => Err(format!("{path}: {output}").into()),
        }
    }

    /// `data` of a read.
    pub async fn read(&self, sender: &Sender, path: &str) -> Outcome<Value> {
        self.data(sender, Method::GET, path, None, None).await
    }

    /// `data` of a successful answer.
    pub async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Outcome<Value> {
        let key = self.new_key();
        self.data(&Sender::Integration, method, path, Some(&key), body.as_ref()).await
    }

    /// The same of the application API, for a manager.
    pub async fn ask_as_manager(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Outcome<Value> {
        self.data(&Sender::Manager, method, path, None, body.as_ref()).await
    }

    /// `data` of a successful answer, with new tokens where those that were sent have expired.
    async fn data(
        &self,
        sender: &Sender,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Outcome<Value> {
        let send = || {
            let mut request = self.request(sender, method.clone(), path);
            if let Some(key) = key {
                request = request.header("Idempotency-Key", key);
            }
            if let Some(body) = body {
                request = request.json(body);
            }
            request.send()
        };
        let mut answer = send().await?;
        if answer.status() == StatusCode::UNAUTHORIZED {
            self.renew().await?;
            answer = send().await?;
        }
        data(answer).await
    }

    /// Reads an answer to its end without parsing it.
    pub async fn fetch(&self, path: &str) -> Outcome {
        let request = self.request(&Sender::Integration, Method::GET, path);
        request.send().await?.error_for_status()?.bytes().await?;
        Ok(())
    }

    /// Reads it so often, one after the other: how long each took, without those that warm up.
    pub async fn fetch_often(&self, path: &str, times: usize) -> Outcome<Vec<Duration>> {
        let mut taken = Vec::with_capacity(times);
        for _ in 0..times {
            let began = Instant::now();
            self.fetch(path).await?;
            taken.push(began.elapsed());
        }
        Ok(taken.split_off(times / 10))
    }

    /// Subscribes a target to events; the subscription's id.
    pub async fn subscribe(&self, url: &str, events: &[&str]) -> Outcome<String> {
        let body = json!({"name": "Bench", "url": url, "events": events});
        let made = self.ask(Method::POST, "/webhooks", Some(body)).await?;
        Ok(made["subscription"]["id"].as_str().unwrap_or_default().to_owned())
    }
}

/// `data` of a successful answer.
async fn data(answer: reqwest::Response) -> Outcome<Value> {
    let status = answer.status();
    let mut output: Value = answer.json().await?;
    if status.is_success() { Ok(output["data"].take()) } else { Err(output.to_string().into()) }
}

/// Shows a measurement: a row of the table that `bench/run` writes.
pub fn row(label: &str, value: impl std::fmt::Display) {
    println!("  {label} | {value}");
}

/// Shows p50 and p99; the p50 in milliseconds.
pub fn print_times(name: &str, mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    let at = |share: usize| {
        let index = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
    };
    row(&format!("{name}, p50 and p99"), format_args!("{:.2} ms, {:.2} ms", at(50), at(99)));
    at(50)
}
