//! People through the operations of the Public API: coaches by their role, clients by the row.

use serde_json::json;
use spotter_contract::{Access, DataSubject, Method, Operation, Role, Surface, Table};
use spotter_harness::{
    App, people, random_text, scenario, send,
    world::{World, with_body},
};

fn table() -> Table {
    Table::new(spotter::areas::areas())
}

/// The path of an operation of the Public API below the application's base.
fn path(world: &World, operation: &Operation) -> String {
    world.fill(operation, format!("/app/v1{}", operation.path))
}

#[scenario]
async fn coaches_reach_what_their_role_has(app: App) {
    let mut people = Vec::new();
    for role in [Role::Coach, Role::Manager, Role::Admin] {
        people.push((role, people::coach(&app, role.word()).await.1));
    }
    let world = World::new(app).await;
    world.app.events().await;
    let table = table();
    let shared = table.for_people().filter(|operation| operation.surface == Surface::Public);
    let mut requested = 0;
    for operation in shared {
        let Access::Scope(scope) = operation.access else { panic!("{}", operation.id) };
        let least =
            Role::least_for(scope).unwrap_or_else(|| panic!("{} is for nobody", operation.id));
        for (role, token) in &people {
            // Writes are covered by other scenarios; here reads are called.
            if *role >= least && operation.method != Method::Get {
                continue;
            }
            let slots = format!(
                "?from=2026-11-02T00:00:00Z&to=2026-11-03T00:00:00Z&eventTypeId={}",
                world.ids["eventTypeId"]
            );
            let path = path(&world, operation)
                + match operation.id {
                    "get_client_workout_calendar"
                    | "get_workout_volume"
                    | "get_progress_summary"
                    | "get_attendance_report"
                    | "get_revenue_report"
                    | "get_retention_report"
                    | "get_retention_cohorts" => "?from=2026-11-02&to=2026-11-08",
                    "list_calendar_events" => "?from=2026-11-02T00:00:00Z&to=2026-11-08T00:00:00Z",
                    "list_slots" => &slots,
                    _ => "",
                };
            let request =
                world.app.server.request(operation.method.name(), &path).bearer_auth(token);
            let reply = send(with_body(operation, &world, request)).await;
            if *role >= least {
                let there =
                    reply.status == 200 || reply.key() == "PUBLIC_API_COMPANY_POLICIES_NOT_FOUND";
                assert!(there, "{} {role:?}: {}", operation.id, reply.body);
            } else {
                reply.refused(403, "auth.forbidden");
            }
            requested += 1;
        }
    }
    assert!(requested > 150, "{requested}");
    world.app.announced(&[]).await;
    // Operations for integrations only do not exist here, unless people have their own at that address.
    let only = table.operations().iter().filter(|operation| !operation.for_people);
    for operation in only.filter(|operation| matches!(operation.access, Access::Scope(_))) {
        // The address of the event log has people's live updates, which do not end.
        if operation.path == "/events" {
            continue;
        }
        let path = path(&world, operation);
        let own = table.operations().iter().any(|other| {
            other.surface == Surface::App
                && other.path == operation.path
                && other.method == operation.method
        });
        let reply =
            world.app.server.request(operation.method.name(), &path).bearer_auth(&people[2].1);
        let reply = send(reply).await;
        assert!(own || reply.key() == "resource.not_found", "{}: {}", operation.id, reply.body);
    }
}

#[scenario]
async fn clients_reach_what_rows_grant_them_with_themselves_as_the_subject(app: App) {
    let (client, token) = people::client(&app).await;
    let mut world = World::new(app).await;
    let other = world.ids.insert("clientId", client.clone()).unwrap();
    world.app.events().await;
    let before = world.app.state().await;
    let table = table();
    let granted = |operation: &&std::sync::Arc<Operation>| {
        operation.surface == Surface::Public || operation.for_client.is_some()
    };
    for operation in table.for_people().filter(granted) {
        let call = async |world: &World| {
            let path = path(world, operation);
            let request = world.app.server.request(operation.method.name(), &path);
            send(with_body(operation, world, request.bearer_auth(&token))).await
        };
        let Some(granted) = operation.for_client else {
            call(&world).await.refused(403, "auth.forbidden");
            continue;
        };
        if granted.subject != DataSubject::Named {
            // The company's records are visible; another client's own do not exist.
            world.ids.insert("clientId", other.clone());
            let reply = call(&world).await;
            let listed = operation.method == Method::Get && !operation.path.contains('{');
            let view = granted.subject == DataSubject::Company || listed;
            let fine = if view { matches!(reply.status, 200 | 400) } else { reply.status == 404 };
            assert!(fine, "{}: {}", operation.id, reply.body);
            world.ids.insert("clientId", client.clone());
            continue;
        }
        assert!(operation.path.contains("{clientId}"), "{} names no client", operation.id);
        if operation.method == Method::Get {
            let reply = call(&world).await;
            let let_in = matches!(reply.status, 200 | 400) || reply.key() == "resource.not_found";
            assert!(let_in, "{}: {}", operation.id, reply.body);
        }
        // Another client does not exist.
        world.ids.insert("clientId", other.clone());
        call(&world).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
        world.ids.insert("clientId", client.clone());
    }
    assert_eq!(before, world.app.state().await);
    world.app.announced(&[]).await;
    let tags = json!({"tags": ["vip"], "externalId": random_text(), "source": "street"});
    world
        .app
        .patch(&format!("/clients/{client}"), json!({"externalId": tags["externalId"]}))
        .await
        .ok();
    world.app.put(&format!("/clients/{client}/tags"), json!({"tags": ["vip"]})).await.ok();
    let own = world.app.app_as(&token, "GET", &format!("/clients/{client}"), None).await.ok();
    let response = own.data()["client"].as_object().unwrap();
    assert_eq!(response["clientId"], client.as_str());
    assert!(
        !["tags", "externalId", "source"].iter().any(|field| response.contains_key(*field)),
        "{response:?}"
    );
    let seen = world.app.get(&format!("/clients/{client}")).await.ok();
    assert_eq!(seen.data()["client"]["tags"], json!(["vip"]), "staff see them");
}

#[scenario]
async fn people_act_as_integrations_do(app: App) {
    let (coach, token) = people::coach(&app, "Coach").await;
    app.events().await;
    let new = json!({"firstName": "Ann"});
    let made = app.app_as(&token, "POST", "/clients", Some(new.clone())).await.ok();
    let client = made.data()["client"]["clientId"].as_str().unwrap().to_owned();
    app.announced(&["client.created"]).await;
    let note = json!({"body": "Likes mornings."});
    let made =
        app.app_as(&token, "POST", &format!("/clients/{client}/notes"), Some(note)).await.ok();
    assert_eq!(made.data()["note"]["authorId"], coach.as_str());
    app.announced(&["client.note.created"]).await;
    let logs = app.get("/audit-logs?operation=create_client_note").await.ok();
    let log = &logs.data()["auditLogs"][0];
    assert_eq!((&log["actorType"], &log["actorId"]), (&json!("coach"), &json!(coach)));
    // A key is optional, and has the same effect where it is given.
    let (key, path) = (random_text(), "/app/v1/clients");
    let again = || {
        let request = app.server.request("POST", path).bearer_auth(&token).json(&new);
        send(request.header("Idempotency-Key", &key))
    };
    let first = again().await.ok();
    let second = again().await.ok();
    assert_eq!(first.data(), second.data());
    assert_eq!(second.body["meta"]["idempotency"]["replayed"], true);
    app.announced(&["client.created"]).await;
    // An integration's token opens its own door alone, and so does a person's.
    let request = app.server.request("GET", "/app/v1/clients").bearer_auth(&app.token);
    send(request).await.refused(401, "auth.invalid_token");
    let request = app.server.request("GET", "/public/v1/clients").bearer_auth(&token);
    send(request).await.refused(401, "auth.invalid_token");
}

/// The access table for review: write it again with `cargo run -- access > docs/ACCESS.md`.
#[test]
fn the_access_table_is_current() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ACCESS.md");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(kept == table().access_table(), "cargo run -- access > docs/ACCESS.md");
}
