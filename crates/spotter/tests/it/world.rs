//! A company with a record of each kind, and good requests of every operation made of them.

use serde_json::{Value, json};
use spotter_contract::{Access, Operation, Surface};

use crate::{
    conversations::Talk,
    finance::new_product,
    harness::{App, Reply, described, people, random_text, receiver::receiver, send},
    mcp::Consented,
    workout::{Training, new_template},
};

/// A company with a record of each kind, to build good requests of.
pub struct World {
    pub app: App,
    pub client: String,
    pub location: String,
    pub note: String,
    pub field: String,
    pub audit: String,
    pub coach: String,
    pub subscription: String,
    pub delivery: String,
    pub workout: Training,
    pub product: String,
    pub talk: Talk,
    pub assistant: Consented,
    client_token: String,
}

impl World {
    pub async fn new(app: App) -> Self {
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let id = |reply: Reply, kind: &str, name: &str| {
            reply.data()[kind][name].as_str().unwrap().to_owned()
        };
        let location = id(
            app.post("/locations", json!({"name": "Centre"})).await.ok(),
            "location",
            "locationId",
        );
        let note = id(
            app.post(&format!("/clients/{client}/notes"), json!({"body": "x"})).await.ok(),
            "note",
            "noteId",
        );
        let field = id(
            app.post("/client-custom-fields", json!({"label": "Height", "type": "number"}))
                .await
                .ok(),
            "customField",
            "fieldId",
        );
        let (subscription, delivery) = tested_webhook(&app).await;
        let workout = Training::new(&app, &client).await;
        let product = new_product(&app, json!({"productType": "Other"})).await;
        let talk = Talk::new(&app).await;
        let (_, client_token) = people::client(&app).await;
        let assistant = Consented::new(&app).await;
        let logs = app.get("/audit-logs").await.ok();
        let audit = logs.data()["auditLogs"][0]["auditLogId"].as_str().unwrap().to_owned();
        Self {
            coach: app.admin.to_string(),
            app,
            client,
            location,
            note,
            field,
            audit,
            subscription,
            delivery,
            workout,
            product,
            talk,
            assistant,
            client_token,
        }
    }

    /// The operation's path with this company's records in it.
    pub fn path(&self, operation: &Operation) -> String {
        self.fill(operation, operation.full_path())
    }

    /// A path with this company's records in place of the parameters.
    pub fn fill(&self, operation: &Operation, path: String) -> String {
        let own_id = match operation.path {
            path if path.starts_with("/webhooks/deliveries/") => &self.delivery,
            path if path.starts_with("/webhooks/") => &self.subscription,
            _ => &self.app.api_client,
        };
        let ids = [
            ("{clientId}", &self.client),
            ("{locationId}", &self.location),
            ("{noteId}", &self.note),
            ("{fieldId}", &self.field),
            ("{auditLogId}", &self.audit),
            ("{coachId}", &self.coach),
            ("{productId}", &self.product),
            ("{id}", own_id),
            ("{weekNumber}", &"2".to_owned()),
        ];
        let ids = ids.into_iter().chain(self.workout.ids(operation)).chain(self.talk.ids());
        let ids = ids.chain(self.assistant.ids());
        let path = ids.fold(path, |path, (name, id)| path.replace(name, id));
        assert!(!path.contains('{'), "{path} needs a record of another kind");
        path
    }

    pub fn token(&self, operation: &Operation) -> &str {
        match (operation.surface, operation.access) {
            (Surface::Public, _) => &self.app.token,
            (Surface::App, Access::Client) => &self.client_token,
            (Surface::App, _) => &self.app.coach_token,
        }
    }

    pub fn request(&self, operation: &Operation, path: &str) -> reqwest::RequestBuilder {
        let request = self
            .app
            .server
            .request(operation.method.name(), path)
            .bearer_auth(self.token(operation));
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

/// A webhook subscription and a delivery to it that is over.
pub async fn tested_webhook(app: &App) -> (String, String) {
    let url = receiver().url("good", &random_text());
    let hook = json!({"name": "Hook", "url": url, "events": ["client.archived"]});
    let made = app.post("/webhooks", hook).await.ok();
    let subscription = made.data()["subscription"]["id"].as_str().unwrap().to_owned();
    let tested = app.act(&format!("/webhooks/{subscription}/test")).await.ok();
    let delivery = tested.data()["test"]["deliveryIds"][0].as_str().unwrap().to_owned();
    app.settle(&delivery).await;
    (subscription, delivery)
}

pub fn takes_body(operation: &Operation) -> bool {
    let mut schemas = schemars::SchemaGenerator::default();
    operation.arguments(&mut schemas).body.is_some()
}

/// A good body, so that each refusal is for the reason that is tried.
pub fn good_body(operation: &Operation, world: &World) -> Value {
    match operation.id {
        "create_client" => json!({"firstName": "Bea"}),
        "update_client" => json!({"lastName": "Bos"}),
        "archive_client" => json!({"reason": "x"}),
        "assign_client_coach" => json!({"coachId": world.coach}),
        "set_client_tags" => json!({"tags": ["x"]}),
        "create_client_note" => json!({"body": "x"}),
        "update_client_note" => json!({"body": "y"}),
        "create_location" => json!({"name": "East"}),
        "update_location" => json!({"name": "East"}),
        "create_custom_field" => json!({"label": "Weight", "type": "number"}),
        "update_custom_field" => json!({"label": "Weight"}),
        "update_client_custom_fields" => json!({"values": [{"fieldId": world.field, "value": 1}]}),
        "create_api_client" => {
            json!({"name": "X", "scopes": ["clients:read"], "defaultAssignedCoachId": world.app.admin})
        }
        "update_api_client" => json!({"name": "X"}),
        "invite_coach" => {
            json!({"firstName": "A", "lastName": "B", "email": format!("{}@example.com", random_text()), "role": "Coach"})
        }
        "update_coach" => json!({"firstName": "A"}),
        "update_company_settings" => json!({"name": "X"}),
        "update_company_features" => json!({"mcp": true}),
        "set_company_facilities" => json!({"facilities": []}),
        "set_company_services" => json!({"services": []}),
        "set_company_policies" => json!({"cancellationWindowHours": 1, "bookingWindowDays": 1}),
        "create_webhook" => {
            json!({"name": "X", "url": receiver().url("good", "hostile"), "events": ["client.created"]})
        }
        "update_webhook" => json!({"name": "X"}),
        "rotate_webhook_secret" => json!({"gracePeriodSeconds": 0}),
        "recover_webhook" => json!({"since": "2026-01-01T00:00:00.000Z"}),
        "create_product" => json!({"productType": "DayPass", "name": {"en": "Day"}, "price": 1500}),
        "update_product" => json!({"price": 1750}),
        "order_products" => json!({"shelf": "Others", "productIds": [world.product]}),
        id if operation.path.contains("/mcp/") => world.assistant.good_body(id),
        id if Talk::has(operation) => world.talk.good_body(id),
        id if id.contains("workout") || id.contains("equipment") => {
            world.workout.good_body(id, &world.client)
        }
        other => panic!("{other} needs a good body here"),
    }
}

pub fn with_body(
    operation: &Operation,
    world: &World,
    request: reqwest::RequestBuilder,
) -> reqwest::RequestBuilder {
    if takes_body(operation) { request.json(&good_body(operation, world)) } else { request }
}

/// Puts the company's client where the operation can act on it.
pub async fn prepare(operation: &Operation, world: &mut World) {
    let body = match operation.id {
        "approve_client_relationship" | "reject_client_relationship" => {
            json!({"firstName": "Pending", "relationshipStatus": "pending"})
        }
        "invite_client" => {
            json!({"firstName": "Ann", "email": format!("{}@example.com", random_text())})
        }
        _ => json!({"firstName": "Ann"}),
    };
    world.client = world.app.new_client(body).await;
    let note = world
        .app
        .post(&format!("/clients/{}/notes", world.client), json!({"body": "x"}))
        .await
        .ok();
    world.note = note.data()["note"]["noteId"].as_str().unwrap().to_owned();
    if operation.path.starts_with("/workout") {
        world.workout = Training::new(&world.app, &world.client).await;
        if operation.id == "publish_workout_template" {
            world.workout.template = new_template(&world.app).await;
        }
        if operation.id == "add_workout_group_members" {
            world.client = world.app.new_client(json!({"firstName": "New"})).await;
        }
    }
    if operation.path.starts_with("/webhooks") {
        (world.subscription, world.delivery) = tested_webhook(&world.app).await;
    }
    if operation.path.contains("/mcp/") {
        world.assistant = Consented::new(&world.app).await;
    }
    if Talk::has(operation) {
        world.talk = Talk::new(&world.app).await;
    }
    if operation.id == "restore_product" {
        world.app.app("POST", &format!("/products/{}/archive", world.product), None).await.ok();
    }
    if operation.id == "restore_client" {
        world.app.act(&format!("/clients/{}/archive", world.client)).await.ok();
    }
    if ["reinvite_coach", "assign_client_coach"].contains(&operation.id) {
        let new = json!({"firstName": "A", "lastName": "B", "email": format!("{}@example.com", random_text()), "role": "Coach"});
        let coach = world.app.app("POST", "/coaches", Some(new)).await.ok();
        world.coach = coach.data()["coach"]["coachId"].as_str().unwrap().to_owned();
    }
    world.app.events().await;
}
