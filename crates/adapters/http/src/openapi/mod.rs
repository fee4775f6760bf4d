//! The OpenAPI 3.1 descriptions, read from the operations table: the Public API's for integrations, and
//! the application API's for what coaches and clients use.

mod application;
mod bodies;
mod examples;
mod glossary;
mod integrations;
mod operation;
mod outline;
mod problems;
mod samples;
mod schemas;
mod tags;

pub use outline::outline;
pub use problems::argument_keys;
use serde_json::{Map, Value, json};
use spotter_contract::{Operation, Surface, Table};
use spotter_kernel::{Event, problem::unmarked};

use schemas::Schemas;

/// The version that the contract's description carries.
const VERSION: &str = "1.0.0";

/// The description of an API.
pub fn document(table: &Table, surface: Surface) -> Value {
    let mut document = without_glossary(table, surface);
    unmarked(&mut document);
    glossary::fill(&mut document);
    document
}

fn without_glossary(table: &Table, surface: Surface) -> Value {
    let operations: Vec<&Operation> = match surface {
        Surface::Public => {
            let all = table.operations().iter().filter(|row| row.surface == surface);
            all.map(AsRef::as_ref).collect()
        }
        Surface::App => table.for_people().map(AsRef::as_ref).collect(),
    };
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for row in &operations {
        let path = paths.entry(row.path).or_insert_with(|| json!({}));
        let described = operation::describe(row, surface, &mut schemas);
        path[row.method.name().to_ascii_lowercase()] = described;
    }
    let mut webhooks = Map::new();
    match surface {
        Surface::Public => {
            paths.insert("/oauth/token".into(), integrations::token_path());
            for event in Event::ALL {
                let output =
                    table.payload(*event).map(|output| (output.schema)(&mut schemas.given));
                webhooks.insert(event.name().to_owned(), integrations::webhook(*event, output));
            }
        }
        Surface::App => paths.extend(application::paths()),
    }
    let tags = tags(&operations, surface);
    let mut components = schemas.finish();
    // Generators of clients demand a field that has a default, which a request may leave out.
    for path in paths.values_mut() {
        for operation in path.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
            operation.get_mut("requestBody").into_iter().for_each(schemas::in_words);
        }
    }
    components.values_mut().for_each(schemas::in_words);
    schemas::add_common(&mut components);
    let used = json!([paths, webhooks]).to_string();
    for (path, methods) in &mut paths {
        for (method, operation) in methods.as_object_mut().into_iter().flatten() {
            examples::fill(operation, &components);
            match (surface, path.as_str()) {
                (Surface::App, _) => {}
                (Surface::Public, "/oauth/token") => samples::add_token(operation),
                (Surface::Public, path) => samples::add(operation, path, method, &components),
            }
        }
    }
    for (event, hook) in &mut webhooks {
        examples::fill(&mut hook["post"], &components);
        let content = &mut hook["post"]["requestBody"]["content"]["application/json"];
        // Updates alone name fields, but for what always does.
        let data = content["schema"]["properties"]["data"]["$ref"].as_str().unwrap_or_default();
        let data = data.rsplit('/').next().and_then(|name| components.get(name));
        let required = data.and_then(|data| data["required"].as_array());
        let always = required.is_some_and(|all| all.iter().any(|name| name == "changedFields"));
        let output = &mut content["example"]["data"];
        if let (false, Value::Object(output)) = (event.ends_with(".updated") || always, output) {
            output.remove("changedFields");
        }
    }
    let (title, summary, description, security) = match surface {
        Surface::Public => (
            "Spotter Public API",
            integrations::SUMMARY,
            integrations::DESCRIPTION,
            integrations::security_schemes(),
        ),
        Surface::App => (
            "Spotter application API",
            application::SUMMARY,
            application::DESCRIPTION,
            application::security_schemes(),
        ),
    };
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": VERSION,
            "summary": summary,
            "description": description,
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
            "contact": {"name": "The operator of this installation"},
        },
        "servers": [{"url": surface.base(), "description": "This installation"}],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": security,
            "parameters": schemas::parameters(surface),
            "headers": schemas::headers(),
            "schemas": components,
            "examples": problems::examples(&used),
        },
    });
    if !webhooks.is_empty() {
        document["webhooks"] = webhooks.into();
    }
    document
}

/// The groups of operations, in the order of the table.
fn tags(operations: &[&Operation], surface: Surface) -> Vec<Value> {
    let (first, last) = match surface {
        Surface::Public => ("Authentication", Some("Webhook events")),
        Surface::App => ("Signing in", None),
    };
    let mut names = vec![first];
    for row in operations {
        if !names.contains(&row.tag) {
            names.push(row.tag);
        }
    }
    names.extend(last);
    let tag =
        |name| json!({"name": name, "description": tags::description(name).unwrap_or_default()});
    names.into_iter().map(tag).collect()
}
