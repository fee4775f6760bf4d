//! The API description: whole, a snapshot, and kept with the operations table.

use std::collections::BTreeSet;

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
    let mut ids = BTreeSet::new();
    for operation in operations() {
        assert!(ids.insert(operation.id), "{} stands twice", operation.id);
        assert!(!operation.summary.is_empty() && !operation.tag.is_empty(), "{operation:?}");
        let sentence = operation.description;
        assert!(sentence.ends_with('.') && sentence.split(' ').count() > 2, "{operation:?}");
        assert!(!operation.summary.ends_with('.'), "{operation:?}: a summary is no sentence");
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

/// What tells whether an answer has changed must not differ by itself: an address that expires, a token of the moment.
#[test]
fn answers_that_are_made_anew_have_no_tag() {
    let mut checked = 0;
    for document in [&*DOCUMENT, &*APP_DOCUMENT] {
        for (path, methods) in document["paths"].as_object().unwrap() {
            let answer = &methods["get"]["responses"]["200"];
            let mut names = BTreeSet::new();
            names_in(&answer["content"]["application/json"]["schema"], document, &mut names);
            let anew =
                ["slotToken", "urlExpiresAt", "code"].iter().any(|name| names.contains(*name))
                    && !names.contains("errorCode")
                    || names.contains("url") && names.contains("expiresAt");
            let is_device_list = path.ends_with("allow-list") || names.contains("creditPools");
            if anew && !is_device_list {
                assert!(
                    answer["headers"]["ETag"].is_null(),
                    "{path} has a tag, and differs each time"
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 5, "{checked}");
}

fn names_in(schema: &Value, document: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(own) = fields.get("properties").and_then(Value::as_object) {
                names.extend(own.keys().cloned());
            }
            let target = fields.get("$ref").and_then(Value::as_str);
            // A schema that is of itself has been seen by its own name.
            if let Some(target) = target.filter(|target| names.insert((*target).to_owned())) {
                names_in(document.pointer(&target[1..]).unwrap(), document, names);
            }
            fields.values().for_each(|part| names_in(part, document, names));
        }
        Value::Array(items) => items.iter().for_each(|item| names_in(item, document, names)),
        _ => {}
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

/// A group of operations says what a reader should know before the first of them.
#[test]
fn every_tag_is_described() {
    for document in [&*DOCUMENT, &*APP_DOCUMENT] {
        for tag in document["tags"].as_array().unwrap() {
            let words = tag["description"].as_str().unwrap().split(' ').count();
            assert!(words > 7, "{tag}");
        }
    }
}

/// A description that repeats the field's name says nothing.
#[test]
fn no_field_is_described_by_its_name() {
    fn look(value: &Value, found: &mut BTreeSet<String>) {
        if let Some(items) = value.as_array() {
            items.iter().for_each(|item| look(item, found));
        }
        let Some(object) = value.as_object() else { return };
        let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in fields {
            let text = schema["description"].as_str().unwrap_or("x").to_lowercase();
            let text = text.trim_end_matches('.').trim_start_matches("the ").replace(' ', "");
            // What a name alone tells whole: a list of the records, the record itself, a part of an address.
            let is_record = ["$ref", "allOf", "anyOf", "items", "oneOf", "properties"];
            let is_plain = is_record.iter().any(|word| schema.get(word).is_some());
            if text == name.to_lowercase() && !is_plain && !PLAIN.contains(&name.as_str()) {
                found.insert(name.clone());
            }
        }
        object.values().for_each(|part| look(part, found));
    }
    /// Words that every reader knows.
    const PLAIN: &[&str] =
        &["city", "dateOfBirth", "firstName", "gender", "lastName", "postalCode"];
    let mut found = BTreeSet::new();
    look(&DOCUMENT, &mut found);
    look(&APP_DOCUMENT, &mut found);
    assert!(found.is_empty(), "{found:?}");
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
        "confirm_address",
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
        let response = example["data"].as_object().unwrap();
        assert!(response.keys().any(|name| name.ends_with("Id")), "{}: {response:?}", event.name());
    }
}

/// A row's own errors are those that its function decides on: those of its arguments come by
/// themselves.
#[test]
fn no_error_is_said_twice() {
    let mut all = Vec::new();
    for operation in operations() {
        let mut schemas = schemars::SchemaGenerator::default();
        let arguments = operation.arguments(&mut schemas);
        let brought = spotter_http::openapi::argument_keys(&arguments, schemas.definitions());
        let twice: Vec<_> = operation.problems.iter().filter(|key| brought.contains(key)).collect();
        if !twice.is_empty() {
            all.push(format!("{}: {twice:?}", operation.id));
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// What a description shows as an example is of the schema that it stands beside, wherever it stands.
#[test]
fn every_example_is_of_its_schema() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for document in [&*DOCUMENT, &*APP_DOCUMENT] {
        let components = &document["components"];
        let mut queue = vec![(String::new(), document)];
        while let Some((at, value)) = queue.pop() {
            let under = |name: &str| format!("{at}/{name}");
            match value {
                Value::Object(fields) => {
                    queue.extend(fields.iter().map(|(name, value)| (under(name), value)));
                }
                Value::Array(items) => {
                    queue.extend(items.iter().enumerate().map(|(i, v)| (under(&i.to_string()), v)));
                }
                _ => continue,
            }
            // Beside its schema, or within it.
            let own = fields_of(value, "schema", &["example"], &["examples"]);
            let within = fields_of(value, "", &[], &["examples"]);
            for (schema, example) in own.into_iter().chain(within) {
                seen += 1;
                let mut schema = schema.clone();
                schema["components"] = components.clone();
                let options = jsonschema::draft202012::options().should_validate_formats(true);
                let validator = options.build(&schema).unwrap();
                let found = validator.iter_errors(example).next();
                wrong.extend(found.map(|why| format!("{at}: {why} at {}", why.instance_path())));
            }
        }
    }
    assert!(seen > 1_000, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen}: {wrong:#?}", wrong.len());
}

/// A schema with what is shown of it: a schema stands at a name, or is the value itself, of which examples are a list.
fn fields_of<'v>(
    value: &'v Value,
    schema: &str,
    one: &[&str],
    several: &[&str],
) -> Vec<(&'v Value, &'v Value)> {
    let of = if schema.is_empty() { value } else { &value[schema] };
    if !of.is_object() {
        return Vec::new();
    }
    let single = one.iter().filter_map(|name| value.get(*name));
    let listed = several.iter().flat_map(|name| match (&value[*name], schema) {
        (Value::Array(all), "") => all.iter().collect(),
        (Value::Object(all), "schema") => all.values().filter_map(|own| own.get("value")).collect(),
        _ => Vec::new(),
    });
    single.chain(listed).map(|example| (of, example)).collect()
}

/// What a write takes that no read shows: what it is to do, and secrets.
const TAKEN_ALONE: &[&str] = &[
    // Whether and how something is done; what came of it is shown.
    "allowOverlap",
    "archived",
    "attendance",
    "capacityAction",
    "duplicateOf",
    "endOfTerm",
    "ignorePolicy",
    "immediately",
    "rescheduledBy",
    "since",
    "startsOn",
    // How long something is good: when it ends is shown.
    "expiresInDays",
    "gracePeriodSeconds",
    // Of which records; they are shown by themselves, in the order that was said.
    "clientIds",
    "planMomentIds",
    "productIds",
    "shelf",
    "uploadId",
    "userIds",
    // What somebody holds before a door, and the scans of a device.
    "credential",
    "scans",
    // Secrets.
    "currentPassword",
    "grant_type",
    "newPassword",
    "password",
    "refreshToken",
    "sandboxToken",
    "secretKey",
    "signingSecret",
    "token",
];

/// A write that keeps what nobody can read loses it in silence.
#[test]
fn what_a_write_takes_some_read_shows() {
    let documents = [&*DOCUMENT, &*APP_DOCUMENT];
    let mut view = BTreeSet::new();
    for document in documents {
        for methods in document["paths"].as_object().unwrap().values() {
            let mut own = BTreeSet::new();
            names_in(&methods["get"]["responses"]["200"]["content"], document, &mut own);
            view.extend(own);
        }
    }
    let mut hidden = BTreeSet::new();
    for document in documents {
        for methods in document["paths"].as_object().unwrap().values() {
            for method in ["post", "put", "patch"] {
                let mut taken = BTreeSet::new();
                names_in(&methods[method]["requestBody"]["content"], document, &mut taken);
                let own = taken.difference(&view).filter(|name| !name.starts_with('#'));
                hidden.extend(own.cloned());
            }
        }
    }
    let alone: BTreeSet<String> = TAKEN_ALONE.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(hidden, alone);
}

/// Lists for whoever works through them now: nobody keeps a copy of them.
const WORKED_THROUGH: &[&str] =
    &["/calendar/absences", "/calendar/no-shows", "/conversations", "/workout/plans/ending"];

/// A company is copied by what was changed since: every list of records that change can be asked for that.
#[test]
fn lists_of_records_are_asked_for_what_was_changed() {
    let mut lacking = Vec::new();
    for document in [&*DOCUMENT, &*APP_DOCUMENT] {
        let followed = |schema: &'static Value| -> &'static Value {
            let target = schema["$ref"].as_str();
            target.map_or(schema, |target| document.pointer(&target[1..]).unwrap())
        };
        for (path, methods) in document["paths"].as_object().unwrap() {
            let operation = &methods["get"];
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let names: Vec<String> = parameters
                .iter()
                .map(|parameter| match parameter["$ref"].as_str() {
                    Some(target) => target.rsplit('/').next().unwrap().to_owned(),
                    None => parameter["name"].as_str().unwrap().to_owned(),
                })
                .collect();
            if !names.iter().any(|name| name == "cursor") {
                continue;
            }
            let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let data = followed(&followed(answer)["properties"]["data"]);
            let items = data["properties"].as_object().into_iter().flatten();
            let items = items.map(|(_, own)| &followed(own)["items"]).find(|own| !own.is_null());
            let has = |name: &str| {
                let mut own = BTreeSet::new();
                items.into_iter().for_each(|items| names_in(items, document, &mut own));
                own.contains(name)
            };
            let is_record = items.is_some_and(|items| {
                !followed(items)["properties"]["updatedAt"].is_null()
                    || has("updatedAt") && followed(items)["allOf"].is_array()
            });
            if is_record
                && !names.iter().any(|name| name == "updatedFrom")
                && !WORKED_THROUGH.contains(&path.as_str())
            {
                lacking.push(path.clone());
            }
        }
    }
    assert!(lacking.is_empty(), "{lacking:?}");
}
