//! The harness of the scenarios: a server for each engine, a company for each scenario, and a client that checks
//! every answer against the API description.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing test panics"
)]

pub mod assistant;
pub mod billing;
pub mod browser;
pub mod calendar;
pub mod data_exports;
pub mod dates;
pub mod described;
pub mod dice;
pub mod documents;
pub mod files;
pub mod forms;
pub mod imports;
mod json;
pub mod letters;
pub mod messaging;
pub mod people;
pub mod postgres;
pub mod progress;
pub mod public_safe;
mod push;
pub mod python;
pub mod receiver;
pub mod samples;
pub mod second_step;
mod server;
pub mod site;
pub mod state;
pub mod stripe;
pub mod training;
pub mod travel;
pub mod world;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use spotter_contract::{Env, Surface, Write};
use spotter_kernel::{Entropy, Id, id::CompanyId};
use spotter_store::{Sql, params};
use spotter_testing::requirements;

pub use json::{text, with};
pub use server::*;
pub use spotter_testing_macros::scenario;

/// A database engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A database in a file.
    Sqlite,
    /// A database on a PostgreSQL server.
    Postgres,
}

impl Engine {
    /// The engines that this machine has.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Sqlite, Self::Postgres].into_iter().filter(|engine| engine.is_available())
    }

    /// Whether this machine has it, which it must where the run requires it.
    pub fn is_available(self) -> bool {
        self == Self::Sqlite || requirements::POSTGRESQL.is_available()
    }
}

/// A company on a running server, with an admin and an integration that may do everything.
pub struct App {
    /// The server that it runs on.
    pub server: Arc<Server>,
    /// The company.
    pub company: CompanyId,
    /// The coach who is its admin.
    pub admin: Id,
    /// Access token of the admin.
    pub coach_token: String,
    /// The admin's email address.
    pub admin_email: String,
    /// The integration's OAuth client id.
    pub client_id: String,
    /// The integration's OAuth client secret.
    pub client_secret: String,
    /// The API client's record.
    pub api_client: String,
    /// Access token of the integration.
    pub token: String,
    /// Events that were already asserted.
    seen: Mutex<BTreeSet<String>>,
}

/// Everybody's password.
pub const PASSWORD: &str = "correct horse battery";

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body; null where it is not JSON.
    pub body: Value,
    /// The headers.
    pub headers: reqwest::header::HeaderMap,
}

impl Reply {
    /// The `data` of the envelope.
    pub fn data(&self) -> &Value {
        &self.body["data"]
    }

    /// The `error.key` of a refusal.
    pub fn key(&self) -> &str {
        self.body["error"]["key"].as_str().unwrap_or("")
    }

    /// Asserts success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self
    }

    /// Asserts a refusal with a status and an error key.
    #[track_caller]
    pub fn refused(self, status: u16, key: &str) -> Self {
        assert_eq!((self.status, self.key()), (status, key), "{}", self.body);
        assert_eq!(self.body["error"]["code"], status);
        self
    }

    /// The refusal names this field.
    #[track_caller]
    pub fn about(self, field: &str) -> Self {
        assert_eq!(self.body["error"]["details"]["field"], field, "{}", self.body);
        self
    }
}

/// A text that no other scenario has.
pub fn random_text() -> String {
    let mut bytes = [0; 12];
    spotter::system::SystemEntropy.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Sends a request and reads the answer.
pub async fn send(request: reqwest::RequestBuilder) -> Reply {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Reply { status, body, headers }
}

impl App {
    /// A new company, built through the command line's functions and the APIs themselves.
    pub async fn new(server: Arc<Server>) -> Self {
        let admin_email = format!("admin-{}@example.com", random_text());
        // As on the command line, which shows the token whether mail is sent or not.
        let env = Env { mail_links: None, ..server.env.clone() };
        let made = spotter::testing::create_company(&server.db, &env, "Test Gym", &admin_email)
            .await
            .unwrap();
        let company = CompanyId(Id::parse(made["companyId"].as_str().unwrap()).unwrap());
        public_safe::note(server.clone(), company);
        let admin = Id::parse(made["admin"]["coachId"].as_str().unwrap()).unwrap();
        let accepted =
            send(server.request("POST", "/app/v1/auth/invitations/accept").json(&json!({
                "token": made["invitation"]["token"], "password": PASSWORD,
            })))
            .await
            .ok();
        let coach_token = accepted.data()["session"]["accessToken"].as_str().unwrap().to_owned();
        let mut app = Self {
            server,
            company,
            admin,
            coach_token,
            admin_email,
            client_id: String::new(),
            client_secret: String::new(),
            api_client: String::new(),
            token: String::new(),
            seen: Mutex::default(),
        };
        let scopes: Vec<_> = spotter_kernel::Scope::ALL.iter().map(|scope| scope.name()).collect();
        let made = app.new_api_client(&scopes).await;
        app.client_id = made.data()["clientId"].as_str().unwrap().to_owned();
        app.client_secret = made.data()["clientSecret"].as_str().unwrap().to_owned();
        app.api_client = made.data()["client"]["id"].as_str().unwrap().to_owned();
        app.token = app.issue(&app.client_id, &app.client_secret).await;
        app.events().await;
        app
    }

    /// Issues an access token for client credentials.
    pub async fn issue(&self, client_id: &str, secret: &str) -> String {
        let reply = self.server.token(client_id, secret).await.ok();
        reply.body["access_token"].as_str().unwrap().to_owned()
    }

    /// Creates an API client with scopes.
    pub async fn new_api_client(&self, scopes: &[&str]) -> Reply {
        let body = json!({
            "name": "Integration", "scopes": scopes, "defaultAssignedCoachId": self.admin,
            "consents": {"healthData": true, "privateCommunication": true},
        });
        self.app("POST", "/integrations/public-api/clients", Some(body)).await.ok()
    }

    /// A token of a new API client with these scopes alone.
    pub async fn token_with(&self, scopes: &[&str]) -> String {
        let made = self.new_api_client(scopes).await;
        let text = |name: &str| made.data()[name].as_str().unwrap().to_owned();
        self.issue(&text("clientId"), &text("clientSecret")).await
    }

    /// A request to the Public API that is not checked in any way.
    pub fn raw(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.server.request(method, &format!("/public/v1{path}")).bearer_auth(&self.token)
    }

    async fn public(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        let mut request = self.raw(method, path);
        if method != "GET" {
            request = request.header("Idempotency-Key", random_text());
        }
        if let Some(body) = &body {
            request = request.json(body);
        }
        let reply = send(request).await;
        described::check(Surface::Public, method, path, &reply);
        reply
    }

    /// A GET request of the integration.
    pub async fn get(&self, path: &str) -> Reply {
        self.public("GET", path, None).await
    }

    /// A POST request of the integration, with a new idempotency key.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.public("POST", path, Some(body)).await
    }

    /// A POST request of the integration without a body.
    pub async fn act(&self, path: &str) -> Reply {
        self.public("POST", path, None).await
    }

    /// A PATCH request of the integration.
    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.public("PATCH", path, Some(body)).await
    }

    /// A PUT request of the integration.
    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.public("PUT", path, Some(body)).await
    }

    /// A DELETE request of the integration.
    pub async fn delete(&self, path: &str) -> Reply {
        self.public("DELETE", path, None).await
    }

    /// A request of the admin to the application API.
    pub async fn app(&self, method: &str, path: &str, body: Option<Value>) -> Reply {
        self.app_as(&self.coach_token, method, path, body).await
    }

    /// A request of the application API with a person's token.
    pub async fn app_as(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Reply {
        let request = self.server.request(method, &format!("/app/v1{path}")).bearer_auth(token);
        send(match &body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    /// Creates a client and forgets that it was announced.
    pub async fn new_client(&self, body: Value) -> String {
        let made = self.post("/clients", body).await.ok();
        self.events().await;
        made.data()["client"]["clientId"].as_str().unwrap().to_owned()
    }

    /// Waits until a delivery is finished, or its first attempt is; returns it.
    pub async fn wait_for_attempt(&self, delivery: &str) -> Value {
        for _ in 0..2_000 {
            let reply = self.get(&format!("/webhooks/deliveries/{delivery}")).await.ok();
            let response = &reply.data()["delivery"];
            if response["attemptCount"] != 0 && response["status"] != "sending" {
                return response.clone();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let response = self.get(&format!("/webhooks/deliveries/{delivery}")).await.ok();
        panic!("delivery was never attempted: {}", response.body);
    }

    /// The events that were announced since the last look, in order: type and data.
    pub async fn events(&self) -> Vec<(String, Value)> {
        const EVENTS: Sql = Sql("SELECT event_id, type, data FROM event WHERE company_id = ?1");
        let company = self.company;
        let mut rows: Vec<(String, String, String)> =
            self.server.db.read(move |tx| tx.all(EVENTS, params![company])).await.unwrap();
        rows.sort();
        let mut seen = self.seen.lock().unwrap();
        rows.retain(|(id, ..)| seen.insert(id.clone()));
        rows.into_iter()
            .map(|(_, name, data)| (name, serde_json::from_str(&data).unwrap()))
            .collect()
    }

    /// Asserts which events were announced since the last look, and that no other was.
    #[track_caller]
    pub fn announced<'a>(&'a self, names: &'a [&'a str]) -> impl Future<Output = Vec<Value>> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            let events = self.events().await;
            let response: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(response, names, "at {caller}");
            events.into_iter().map(|(_, data)| data).collect()
        }
    }

    /// Runs a closure as the system, in a transaction.
    pub async fn as_the_system<F>(&self, act: F)
    where
        F: Fn(&mut Write) -> spotter_kernel::Result<()> + Send + 'static,
    {
        let (company, env) = (self.company, self.server.env.clone());
        let done = self.server.db.write(move |tx| {
            let events = spotter_kernel::Event::ALL;
            Write::as_system(tx, &env, company, "scenario", events, |cx| act(cx)).map(drop)
        });
        done.await.unwrap();
    }

    /// A snapshot of the company's rows in every table.
    pub async fn state(&self) -> BTreeMap<String, (i64, i64)> {
        let (company, engine) = (self.company, self.server.engine);
        self.server.db.read(move |tx| state::of(tx, engine, company)).await.unwrap()
    }
}
