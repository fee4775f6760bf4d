//! Hostile inputs for every operation, generated from the operations table. Each is answered by the contract and
//! changes nothing.

use serde_json::{Value, json};
use spotter_contract::{Access, Feature, Surface};
use spotter_harness::{
    App, people, random_text, scenario, send, text,
    world::{World, begins_a_job, good_body, prepare, takes_body, with_body},
};
use spotter_kernel::{Event, Scope};
use spotter_store::{Sql, params};

#[scenario]
async fn strangers_are_turned_away(app: App) {
    let world = World::new(app).await;
    let app = &world.app;
    let revoked = app.new_api_client(&["clients:read"]).await;
    let revoked_token = {
        let text = |name: &str| revoked.data()[name].as_str().unwrap().to_owned();
        app.issue(&text("clientId"), &text("clientSecret")).await
    };
    let id = revoked.data()["client"]["id"].as_str().unwrap();
    app.app("POST", &format!("/integrations/public-api/clients/{id}/revoke"), None).await.ok();
    let narrow = [
        app.token_with(&["attendance_summaries:read"]).await,
        app.token_with(&["revenue_summaries:read"]).await,
    ];
    let signed_in = send(
        app.server
            .request("POST", "/app/v1/auth/login")
            .json(&json!({"email": app.admin_email, "password": spotter_harness::PASSWORD})),
    )
    .await
    .ok();
    let out = signed_in.data()["session"]["accessToken"].as_str().unwrap().to_owned();
    app.app_as(&out, "POST", "/auth/logout", None).await.ok();
    let before = app.state().await;
    let junk = format!("fspt_{}{}", app.company, "x".repeat(43));
    for operation in spotter::areas::operations() {
        let path = world.path(&operation);
        let bare = || {
            let request = app
                .server
                .request(operation.method.name(), &path)
                .header("Idempotency-Key", random_text());
            with_body(&operation, &world, request)
        };
        // Strangers may: what they reach is a scenario of its own.
        if operation.access == Access::Visitor {
            continue;
        }
        if operation.access == Access::Device {
            world.ask(&operation, bare()).await.refused(401, "auth.missing_device_key");
            let with_token = bare().bearer_auth(&app.token);
            world.ask(&operation, with_token).await.refused(401, "auth.missing_device_key");
            for key in ["x", "fsdk_", &format!("fsdk_{}", &junk[5..]), &app.token] {
                let view = bare().header("x-device-key", key);
                world.ask(&operation, view).await.refused(401, "auth.invalid_device_key");
            }
            continue;
        }
        // A device's key opens nothing else.
        let with_key = bare().header("x-device-key", &world.ids["deviceKey"]);
        world.ask(&operation, with_key).await.refused(401, "auth.missing_bearer");
        let with_key = bare().bearer_auth(&world.ids["deviceKey"]);
        world.ask(&operation, with_key).await.refused(401, "auth.invalid_token");
        world.ask(&operation, bare()).await.refused(401, "auth.missing_bearer");
        world
            .ask(&operation, bare().header("authorization", "Basic eDp5"))
            .await
            .refused(401, "auth.missing_bearer");
        for token in ["x", "fspt_", &junk, &format!("fsat_{}", &junk[5..])] {
            world
                .ask(&operation, bare().bearer_auth(token))
                .await
                .refused(401, "auth.invalid_token");
        }
        match operation.surface {
            Surface::Public => {
                world
                    .ask(&operation, bare().bearer_auth(&revoked_token))
                    .await
                    .refused(401, "auth.invalid_client");
                let Access::Scope(scope) = operation.access else {
                    panic!("{operation:?} asks for no scope")
                };
                let [one, other] = &narrow;
                let narrow = if scope == Scope::AttendanceSummariesRead { other } else { one };
                let refused = world
                    .ask(&operation, bare().bearer_auth(narrow))
                    .await
                    .refused(403, "scopes.insufficient");
                assert_eq!(
                    refused.body["error"]["details"],
                    json!({"requiredScopes": [scope.name()]})
                );
            }
            Surface::App => {
                world
                    .ask(&operation, bare().bearer_auth(&out))
                    .await
                    .refused(401, "auth.invalid_token");
            }
        }
    }
    assert_eq!(before, app.state().await);
    app.app("PATCH", "/company/features", Some(json!({"publicApi": false}))).await.ok();
    let before = app.state().await;
    for operation in
        spotter::areas::operations().iter().filter(|row| matches!(row.access, Access::Scope(_)))
    {
        let request =
            with_body(operation, &world, world.request(operation, &world.path(operation)));
        world.ask(operation, request).await.refused(403, "auth.provider_unavailable");
    }
    assert_eq!(before, app.state().await);
}

#[scenario]
async fn keys_are_demanded(app: App) {
    let world = World::new(app).await;
    world.app.events().await;
    let before = world.app.state().await;
    let writes = spotter::areas::operations().into_iter().filter(|operation| operation.writes);
    for operation in writes {
        let with = |key: Option<&str>| {
            let request =
                world.app.server.request(operation.method.name(), &world.path(&operation));
            let request = with_body(&operation, &world, world.signed(&operation, request));
            match key {
                Some(key) => request.header("Idempotency-Key", key),
                None => request,
            }
        };
        if operation.surface == Surface::Public {
            world.ask(&operation, with(None)).await.refused(400, "idempotency.required");
        }
        for key in ["", &"k".repeat(201)] {
            world.ask(&operation, with(Some(key))).await.refused(400, "idempotency.invalid");
        }
    }
    assert_eq!(before, world.app.state().await);
    world.app.announced(&[]).await;
}

/// The same value with its first text, number or flag replaced by one of the wrong type.
fn wrongly_typed(body: &Value) -> Value {
    let mut body = body.clone();
    let fields = body.as_object_mut().unwrap();
    let value = fields.values_mut().next().unwrap();
    *value = match value {
        Value::Object(_) => json!(7),
        _ => json!({"not": "this"}),
    };
    body
}

#[scenario]
async fn unknown_and_malformed_input_is_refused(app: App) {
    let world = World::new(app).await;
    world.app.events().await;
    let before = world.app.state().await;
    for operation in &spotter::areas::operations() {
        let path = world.path(operation);
        let request =
            with_body(operation, &world, world.request(operation, &format!("{path}?surprise=1")));
        // Writes without parameters refuse them too.
        let refused = world.ask(operation, request).await.refused(400, operation.invalid().wire());
        refused.about("surprise");
        if let Some(at) = operation.full_path().rfind('{') {
            let named = operation.full_path()[at + 1..].split('}').next().unwrap().to_owned();
            let bad = operation.full_path().replace(&format!("{{{named}}}"), "not-an-id");
            let rest = world.fill(operation, bad);
            let request = with_body(operation, &world, world.request(operation, &rest));
            let refused = world.ask(operation, request).await;
            match (operation.access, named.as_str()) {
                // An address that no site has.
                (Access::Visitor, "slug") => assert_eq!(refused.status, 404, "{operation:?}"),
                _ => assert_eq!(refused.about(&named).status, 400, "{operation:?}"),
            }
        }
        if !operation.writes {
            continue;
        }
        let json = |text: String| {
            world.request(operation, &path).header("content-type", "application/json").body(text)
        };
        for text in ["{", "[]", "nothing", "{}{}", "\"x\""] {
            let reply = world.ask(operation, json(text.into())).await;
            assert_eq!(
                (reply.status, reply.key()),
                (400, operation.invalid().wire()),
                "{operation:?} {text}: {}",
                reply.body
            );
        }
        world.ask(operation, json("x".repeat((1 << 20) + 1))).await.refused(413, "request.failed");
        let text = world.request(operation, &path).header("content-type", "text/plain").body("{}");
        world.ask(operation, text).await.refused(415, "request.failed");
        let mut surprise =
            if takes_body(operation) { good_body(operation, &world) } else { json!({}) };
        surprise["surprise"] = json!(1);
        world
            .ask(operation, world.request(operation, &path).json(&surprise))
            .await
            .refused(400, operation.invalid().wire())
            .about("surprise");
        if takes_body(operation) {
            let wrong = wrongly_typed(&good_body(operation, &world));
            let reply = world.ask(operation, world.request(operation, &path).json(&wrong)).await;
            assert_eq!(reply.status, 400, "{operation:?} {wrong}: {}", reply.body);
            assert!(
                reply.body["error"]["details"]["field"].is_string(),
                "{operation:?}: {}",
                reply.body
            );
        }
    }
    assert_eq!(before, world.app.state().await);
    world.app.announced(&[]).await;
}

#[scenario]
async fn other_companies_do_not_exist(app: App) {
    let world = World::new(app).await;
    let other = App::new(world.app.server.clone()).await;
    let (_, other_client) = people::client(&other).await;
    let before = world.app.state().await;
    for operation in &spotter::areas::operations() {
        // Strangers are at home at every site.
        if !operation.path.contains('{') || operation.access == Access::Visitor {
            continue;
        }
        let token = match (operation.surface, operation.access) {
            (Surface::Public, _) => &other.token,
            (Surface::App, Access::Client) => &other_client,
            (Surface::App, _) => &other.coach_token,
        };
        let call = |path: &str| {
            let request =
                world.app.server.request(operation.method.name(), path).bearer_auth(token);
            with_body(operation, &world, request.header("Idempotency-Key", random_text()))
        };
        let theirs = world.path(operation);
        let nobodys = theirs.clone();
        let unknown = world
            .ids
            .values()
            .filter(|id| id.len() == 24)
            .fold(nobodys, |path, id| path.replace(id.as_str(), &"0".repeat(24)));
        let (seen, missing) =
            (world.ask(operation, call(&theirs)).await, world.ask(operation, call(&unknown)).await);
        assert_eq!(seen.status, 404, "{operation:?}: {}", seen.body);
        assert_eq!(
            seen.body["error"], missing.body["error"],
            "another's record is like none: {operation:?}"
        );
    }
    let all = other.get("/clients").await.ok();
    assert_eq!(all.data()["total"], 1, "their own alone");
    assert_eq!(before, world.app.state().await);
}

/// What the samples announce that others of their operation do not: a walk-in customer is handed over nothing to use.
const ALSO: &[(&str, Event)] = &[
    ("create_desk_sale", Event::ClientProductAssigned),
    ("create_shop_order", Event::PaymentRequestCreated),
    ("change_clients", Event::ClientUpdated),
    ("change_bookings", Event::BookingCancelled),
];

#[scenario]
async fn every_write_is_audited_and_announced_as_declared(app: App) {
    const OF_REQUEST: Sql = Sql("SELECT operation, target_type, target_id FROM audit_log \
            WHERE company_id = ?1 AND request_id = ?2");
    let mut world = World::new(app).await;
    let mut writes: Vec<_> =
        spotter::areas::operations().into_iter().filter(|operation| operation.writes).collect();
    writes.retain(|operation| !begins_a_job(operation));
    // An announcement goes out a minute later: it comes late, so that it is told of after the scenario. The others take the
    // world's own API client away.
    let last = ["create_announcement", "rotate_api_client_secret", "revoke_api_client"];
    writes.sort_by_key(|operation| last.iter().position(|id| *id == operation.id));
    for operation in &writes {
        if operation.id != "rotate_api_client_secret" && operation.id != "revoke_api_client" {
            prepare(operation, &mut world).await;
        }
        let request =
            with_body(operation, &world, world.request(operation, &world.path(operation)));
        let reply = world.ask(operation, request).await.ok();
        assert_eq!(reply.status, operation.status, "{operation:?}");
        // Jobs leave audit rows in their own time, for requests of their own.
        let (company, request) = (world.app.company, text(&reply.body, "/meta/requestId"));
        let rows: Vec<(String, Option<String>, Option<String>)> = world
            .app
            .server
            .db
            .read(move |tx| tx.all(OF_REQUEST, params![company, request]))
            .await
            .unwrap();
        let response: Vec<_> = rows
            .iter()
            .map(|(name, target, id)| (name.as_str(), target.is_some(), id.is_some()))
            .collect();
        assert_eq!(response, [(operation.id, true, true)], "{operation:?} leaves one audit row");
        let response: Vec<_> = world.app.events().await.into_iter().map(|(name, _)| name).collect();
        let also = ALSO.iter().filter(|(id, _)| *id == operation.id).map(|(_, event)| event);
        let declared: Vec<_> =
            operation.always.iter().chain(also).map(|event| event.name().to_owned()).collect();
        assert_eq!(response, declared, "{operation:?}");
    }
}

#[scenario]
async fn disabled_features_are_refused(app: App) {
    let world = World::new(app).await;
    for (features, key) in [
        (json!({"workout": false}), "PUBLIC_API_ERROR"),
        (
            json!({"workout": true, "programmeCalendar": false}),
            "WORKOUT_V2_PROGRAMME_CALENDAR_DISABLED",
        ),
    ] {
        world.app.app("PATCH", "/company/features", Some(features.clone())).await.ok();
        let before = world.app.state().await;
        let mut refused = 0;
        for operation in spotter::areas::operations() {
            let needs = match operation.feature {
                None => continue,
                Some(Feature::Workout) => features["workout"] == false,
                Some(Feature::ProgrammeCalendar) => true,
            };
            if needs {
                let request = world.request(&operation, &world.path(&operation));
                let reply = world.ask(&operation, with_body(&operation, &world, request)).await;
                reply.refused(403, key);
                refused += 1;
            }
        }
        assert!(refused >= 5, "{refused} operations need {features}");
        assert_eq!(before, world.app.state().await);
    }
}
