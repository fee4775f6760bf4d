//! A company with a record of each kind, and good requests of every operation made of them.

use serde_json::{Value, json};
use spotter_contract::{Access, Operation, Surface};

use crate::{
    App, Reply, described, people, random_text,
    samples::{self, Ids},
    send,
};

/// A company with a record of each kind, to build good requests of.
pub struct World {
    /// The company.
    pub app: App,
    /// The records, by the names that paths have for them.
    pub ids: Ids,
}

impl World {
    /// Makes a record of each kind in a company.
    pub async fn new(app: App) -> Self {
        let (_, client_token) = people::client(&app).await;
        let mut ids = Ids::from([("clientToken", client_token)]);
        for sample in samples::ALL {
            sample.make(&app, &mut ids, None).await;
        }
        Self { app, ids }
    }

    /// The operation's path with this company's records in it.
    pub fn path(&self, operation: &Operation) -> String {
        self.fill(operation, operation.full_path())
    }

    /// A path with this company's records in place of the parameters.
    pub fn fill(&self, operation: &Operation, path: String) -> String {
        let parameters = operation.path.split('{').skip(1);
        let names = parameters.map(|rest| rest.split('}').next().unwrap());
        names
            .fold(path, |path, name| path.replace(&format!("{{{name}}}"), self.id(operation, name)))
    }

    /// The record that a parameter of an operation's path names.
    pub fn id(&self, operation: &Operation, parameter: &'static str) -> &str {
        let name = samples::of(operation).noted_as(operation, parameter);
        self.ids.get(name).unwrap_or_else(|| panic!("{operation:?} needs a record for {name}"))
    }

    fn token(&self, operation: &Operation) -> &str {
        match (operation.surface, operation.access) {
            (Surface::Public, _) => &self.app.token,
            (Surface::App, Access::Client) => &self.ids["clientToken"],
            (Surface::App, _) => &self.app.coach_token,
        }
    }

    /// A request with the credentials of the operation's usual caller.
    pub fn signed(
        &self,
        operation: &Operation,
        request: reqwest::RequestBuilder,
    ) -> reqwest::RequestBuilder {
        match operation.access {
            Access::Device => request.header("x-device-key", &self.ids["deviceKey"]),
            Access::Visitor => request,
            _ => request.bearer_auth(self.token(operation)),
        }
    }

    /// A request of an operation as its usual caller.
    pub fn request(&self, operation: &Operation, path: &str) -> reqwest::RequestBuilder {
        let request = self.app.server.request(operation.method.name(), path);
        let request = self.signed(operation, request);
        if operation.writes { request.header("Idempotency-Key", random_text()) } else { request }
    }

    /// Sends, and holds the answer against the description.
    pub async fn ask(&self, operation: &Operation, request: reqwest::RequestBuilder) -> Reply {
        let reply = send(request).await;
        let path = self.path(operation);
        let path = &path[operation.surface.base().len()..];
        described::check(operation.surface, operation.method.name(), path, &reply);
        assert!(reply.body["meta"]["requestId"].is_string(), "{operation:?}: {}", reply.body);
        reply
    }
}

/// Whether a job does its work later: mail to clients, charges, and rows of imports. Such operations have scenarios
/// of their own.
pub fn begins_a_job(operation: &Operation) -> bool {
    const ALL: &[&str] = &[
        "remind_of_invoice",
        "send_invoice_copy",
        "send_invoice_messages",
        "charge_invoice",
        "start_import",
        "undo_import",
        "create_sign_up",
        "confirm_sign_up",
        "create_test_environment",
        "delete_test_environment",
        "advance_test_clock",
    ];
    ALL.contains(&operation.id)
}

/// Whether an operation has a body.
pub fn takes_body(operation: &Operation) -> bool {
    let mut schemas = schemars::SchemaGenerator::default();
    operation.arguments(&mut schemas).body.is_some()
}

/// A good body, so that each refusal is for the reason that is tried.
pub fn good_body(operation: &Operation, world: &World) -> Value {
    samples::of(operation).body(operation.id, &world.ids)
}

/// Adds a good body, where the operation has one.
pub fn with_body(
    operation: &Operation,
    world: &World,
    request: reqwest::RequestBuilder,
) -> reqwest::RequestBuilder {
    if takes_body(operation) { request.json(&good_body(operation, world)) } else { request }
}

/// Prepares the records so that the operation can act on them. Emitted events are dropped.
pub async fn prepare(operation: &Operation, world: &mut World) {
    samples::of(operation).make(&world.app, &mut world.ids, Some(operation)).await;
    world.app.events().await;
}

/// Good arguments of a tool: those of the path beside those of the body.
pub fn tool_arguments(operation: &Operation, world: &World) -> Value {
    let mut arguments = match takes_body(operation) {
        true => good_body(operation, world),
        false => json!({}),
    };
    for rest in operation.path.split('{').skip(1) {
        let name = rest.split('}').next().unwrap();
        arguments[name] = json!(world.id(operation, name));
    }
    // Ranges are in the query, which has no sample values.
    match operation.id {
        "get_client_workout_calendar" | "get_workout_volume" | "get_progress_summary" => {
            arguments["from"] = json!("2026-11-01");
            arguments["to"] = json!("2026-11-07");
        }
        "list_calendar_events" | "list_slots" => {
            arguments["from"] = json!("2026-11-01T00:00:00Z");
            arguments["to"] = json!("2026-11-02T00:00:00Z");
        }
        id if id.starts_with("get_") && operation.path.starts_with("/reports/") => {
            arguments["from"] = json!("2026-11-01");
            arguments["to"] = json!("2026-11-07");
            if operation.id != "get_retention_cohorts" {
                arguments["groupBy"] = json!("day");
            }
        }
        _ => {}
    }
    if operation.id == "list_slots" {
        arguments["eventTypeId"] = json!(world.ids["eventTypeId"]);
    }
    arguments
}
