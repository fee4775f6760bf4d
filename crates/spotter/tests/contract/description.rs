//! The API description: whole, a snapshot, and kept with the operations table.

use std::collections::BTreeSet;

use serde_json::Value;
use spotter::areas::operations;
use spotter_contract::{Access, Surface, Table};
use spotter_harness::described::{APP_DOCUMENT, DOCUMENT};

/// The description for review. A change of the contract is seen in its diff: write it again with `cargo run --
/// openapi > docs/openapi.json`.
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

/// The console's types are made from the outline, so that a page that reads a field that is no more does not compile.
#[test]
fn the_outline_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapters/console/application_api.json");
    let kept = std::fs::read_to_string(path).unwrap();
    let now =
        format!("{:#}\n", spotter_http::openapi::outline(&Table::new(spotter::areas::areas())));
    assert!(
        kept == now,
        "the outline of the application API is not current: \
         cargo run -- openapi --outline > crates/adapters/console/application_api.json"
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

/// Parts of an answer that identify its version must not change by themselves: expiring addresses, tokens.
#[test]
fn generated_answers_have_no_etag() {
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

/// A tag's description introduces its operations. Generated clients have a type for each schema, under its name.
#[test]
fn every_schema_has_a_name_of_its_own_and_a_description() {
    for document in [&*DOCUMENT, &*APP_DOCUMENT] {
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let described = schema["description"].as_str().unwrap_or_default();
            assert!(described.ends_with('.'), "{name} is not described");
            // schemars numbers schemas of one name.
            assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name} is not unique");
            assert!(!name.ends_with("View"), "{name} is named for the code");
        }
    }
}

#[test]
fn every_tag_is_described() {
    for document in [&*DOCUMENT, &*APP_DOCUMENT] {
        for tag in document["tags"].as_array().unwrap() {
            let words = tag["description"].as_str().unwrap().split(' ').count();
            assert!(words > 7, "{tag}");
        }
    }
}

/// A description that has no word beside those of the field and its schema says nothing.
#[test]
fn no_field_is_described_by_its_name() {
    /// Words that add nothing.
    const FILLERS: &[&str] = &[
        "a", "an", "and", "as", "at", "by", "for", "in", "is", "it", "its", "of", "on", "one",
        "or", "that", "the", "this", "to", "when", "whether", "which", "with",
    ];
    fn words(text: &str) -> BTreeSet<String> {
        let mut words = vec![String::new()];
        for letter in text.chars() {
            if !letter.is_alphanumeric() || letter.is_uppercase() {
                words.push(String::new());
            }
            words.last_mut().unwrap().extend(letter.to_lowercase().filter(|c| c.is_alphanumeric()));
        }
        let singular = |word: String| word.trim_end_matches('s').to_owned();
        words.into_iter().filter(|word| !FILLERS.contains(&&**word)).map(singular).collect()
    }
    fn look(value: &Value, owner: &str, found: &mut BTreeSet<String>) {
        if let Some(items) = value.as_array() {
            items.iter().for_each(|item| look(item, owner, found));
        }
        let Some(object) = value.as_object() else { return };
        let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in fields {
            let known: BTreeSet<String> = &words(name) | &words(owner);
            // The schema that a field refers to has a description of its own.
            let is_record =
                ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|of| schema.get(of).is_some());
            let says_nothing =
                schema["description"].as_str().is_some_and(|text| words(text).is_subset(&known));
            // Of an id, what it identifies is all there is to say.
            let is_id = name.ends_with("Id") || name.ends_with("Ids");
            if says_nothing && !is_record && !is_id {
                found.insert(format!("{owner}.{name}: {}", schema["description"]));
            }
        }
        for (name, part) in object {
            let is_named = !["properties", "items"].contains(&name.as_str());
            look(part, if is_named { name } else { owner }, found);
        }
    }
    let mut found = BTreeSet::new();
    look(&DOCUMENT["components"]["schemas"], "", &mut found);
    look(&APP_DOCUMENT["components"]["schemas"], "", &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

/// Coaches and clients have a description of everything that they can reach, and of nothing else.
#[test]
fn the_application_api_is_described() {
    let table = Table::new(spotter::areas::areas());
    let mut described = 0;
    for operation in table.for_people() {
        let own = &APP_DOCUMENT["paths"][operation.path][operation.method.name().to_lowercase()];
        assert_eq!(own["operationId"], operation.id);
        let security = match operation.access {
            Access::Visitor => serde_json::json!([]),
            _ => serde_json::json!([{"session": []}]),
        };
        assert_eq!(own["security"], security, "{}", operation.id);
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

/// An event's payload is described wherever an operation emits it.
#[test]
fn every_event_has_a_payload_schema() {
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

/// A row declares only the errors that its function decides on: those of its arguments are derived.
#[test]
fn no_error_message_repeats_itself() {
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

/// An example matches the schema beside it, everywhere.
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
                let schema = with_own_components(schema, components);
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

/// A schema with the components that it refers to, and no others: to build a validator of all takes long.
fn with_own_components(schema: &Value, components: &Value) -> Value {
    let mut whole = schema.clone();
    let mut queue = vec![schema];
    while let Some(value) = queue.pop() {
        let reference = value["$ref"].as_str().and_then(|text| text.strip_prefix("#/components/"));
        if let Some((kind, name)) = reference.and_then(|path| path.split_once('/'))
            && whole["components"][kind][name].is_null()
        {
            let component = &components[kind][name];
            whole["components"][kind][name] = component.clone();
            queue.push(component);
        }
        match value {
            Value::Object(fields) => queue.extend(fields.values()),
            Value::Array(items) => queue.extend(items),
            _ => {}
        }
    }
    whole
}

/// The schemas beside a value with their examples: a schema under a name, or the value itself with a list of
/// examples.
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

/// Written fields that no read returns: instructions, and secrets.
const TAKEN_ALONE: &[&str] = &[
    "addTags",
    "allowOverlap",
    "archive",
    "archived",
    "attendance",
    "auth",
    "bookingIds",
    "cancel",
    "capacityAction",
    "credential",
    "currentPassword",
    "discount",
    "duplicateOf",
    "endOfTerm",
    "endpoint",
    "expirationTime",
    "expiresInDays",
    "gracePeriodSeconds",
    "grant_type",
    "ignorePolicy",
    "immediately",
    "includeFees",
    "invoiceIds",
    "newPassword",
    "p256dh",
    "password",
    "percentage",
    "planMomentIds",
    "productIds",
    "receiptEmail",
    "refreshToken",
    "removeTags",
    "rescheduledBy",
    "sandboxToken",
    "scans",
    "secretKey",
    "shelf",
    "signingSecret",
    "since",
    "token",
    "uploadId",
    "userIds",
];

/// A written value that cannot be read would be lost silently.
#[test]
fn written_fields_are_readable() {
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

/// Work lists: nobody keeps a copy of them.
const WORKED_THROUGH: &[&str] =
    &["/calendar/absences", "/calendar/no-shows", "/conversations", "/workout/plans/ending"];

/// Integrations copy changes: every list of records that change can filter by the last change.
#[test]
fn lists_filter_by_change() {
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
