//! The API description: whole, a snapshot, and kept with the operations table.

use serde_json::Value;
use spotter::areas::operations;
use spotter_contract::{Surface, Table};

use crate::harness::described::{APP_DOCUMENT, DOCUMENT};

/// The description as it is reviewed. A change of contract is seen in its diff: write it anew with
/// `cargo run -- openapi > docs/openapi.json`.
#[test]
fn the_snapshot_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap();
    let now = format!("{:#}\n", *DOCUMENT);
    assert!(
        kept == now,
        "docs/openapi.json is not what the binary prints: cargo run -- openapi > docs/openapi.json"
    );
}

#[test]
fn every_operation_is_described() {
    let mut ids = std::collections::BTreeSet::new();
    for operation in operations() {
        assert!(ids.insert(operation.id), "{} stands twice", operation.id);
        assert!(!operation.summary.is_empty() && !operation.tag.is_empty(), "{operation:?}");
        let mut schemas = schemars::SchemaGenerator::default();
        let arguments = operation.arguments(&mut schemas);
        let declared = arguments
            .path
            .map_or(0, |path| path.get("properties").unwrap().as_object().unwrap().len());
        assert_eq!(declared, operation.path.matches('{').count(), "{operation:?}");
        if operation.surface == Surface::Public {
            let described =
                &DOCUMENT["paths"][operation.path][operation.method.name().to_lowercase()];
            assert_eq!(described["operationId"], operation.id);
        }
    }
}

#[test]
fn bodies_are_closed() {
    bodies_of_are_closed(&DOCUMENT);
    bodies_of_are_closed(&APP_DOCUMENT);
}

fn bodies_of_are_closed(document: &Value) {
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if let Some(name) = schema["$ref"].as_str() {
                let schema = document.pointer(&name[1..]).unwrap();
                assert_eq!(schema["additionalProperties"], false, "{method} {path}");
            }
        }
    }
}

#[test]
fn every_field_and_parameter_says_what_it_is() {
    fn look(place: &str, value: &Value, silent: &mut Vec<String>) {
        let Some(object) = value.as_object() else {
            let items = value.as_array().into_iter().flatten();
            return items.for_each(|item| look(place, item, silent));
        };
        let says = |schema: &Value| schema["description"].is_string() || schema["$ref"].is_string();
        let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mute = fields.filter(|(_, schema)| !says(schema));
        silent.extend(mute.map(|(name, _)| format!("{place}: {name}")));
        if object.contains_key("in") && !says(value) {
            silent.push(format!("{place}: {}", object["name"]));
        }
        // Values, and conditions on fields that are described beside them.
        let apart = ["example", "examples", "if", "then", "else"];
        for (name, part) in object.iter().filter(|(name, _)| !apart.contains(&name.as_str())) {
            look(&format!("{place}/{name}"), part, silent);
        }
    }
    let mut silent = Vec::new();
    look("public", &DOCUMENT, &mut silent);
    look("app", &APP_DOCUMENT, &mut silent);
    assert!(silent.is_empty(), "{silent:#?}");
}

/// Coaches and clients have a description, too, of everything that they reach and of nothing else.
#[test]
fn what_people_reach_is_described() {
    let table = Table::new(spotter::areas::areas());
    let mut described = 0;
    for operation in table.for_people() {
        let own = &APP_DOCUMENT["paths"][operation.path][operation.method.name().to_lowercase()];
        assert_eq!(own["operationId"], operation.id);
        assert_eq!(own["security"], serde_json::json!([{"session": []}]), "{}", operation.id);
        described += 1;
    }
    let beside = [
        "sign_in",
        "refresh_session",
        "sign_out",
        "change_password",
        "forgot_password",
        "reset_password",
        "accept_invitation",
        "upload_file",
        "get_attachment",
        "listen_for_updates",
    ];
    let all = APP_DOCUMENT["paths"].as_object().unwrap().values();
    let all: usize = all.map(|methods| methods.as_object().unwrap().len()).sum();
    assert_eq!(all, described + beside.len());
}

/// What an event tells is described wherever an operation announces it.
#[test]
fn every_announced_event_says_what_it_tells() {
    let table = Table::new(spotter::areas::areas());
    for event in table.operations().iter().flat_map(|operation| operation.events) {
        assert!(table.payload(*event).is_some(), "{}", event.name());
        let post = &DOCUMENT["webhooks"][event.name()]["post"];
        let example = &post["requestBody"]["content"]["application/json"]["example"];
        assert_eq!(example["type"], event.name());
        let told = example["data"].as_object().unwrap();
        assert!(told.keys().any(|name| name.ends_with("Id")), "{}: {told:?}", event.name());
    }
}

/// A row's own errors are those that its function decides on: those of its arguments come by
/// themselves.
#[test]
fn no_error_is_said_twice() {
    for operation in operations() {
        let mut schemas = schemars::SchemaGenerator::default();
        let arguments = operation.arguments(&mut schemas);
        let brought = spotter_http::openapi::of_arguments(&arguments, schemas.definitions());
        let twice: Vec<_> = operation.problems.iter().filter(|key| brought.contains(key)).collect();
        assert!(twice.is_empty(), "{}: {twice:?}", operation.id);
    }
}
