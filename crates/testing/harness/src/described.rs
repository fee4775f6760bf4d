//! Every answer of the Public API is held against its description: the status, the shape, and
//! for failures the key.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use jsonschema::Validator;
use serde_json::{Value, json};
use spotter_contract::{Surface, Table};

use super::Reply;

fn document(surface: Surface) -> Value {
    spotter_http::openapi::document(&Table::new(spotter::areas::areas()), surface)
}

/// The OpenAPI description of the Public API.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document(Surface::Public));
/// The OpenAPI description of the application API.
pub static APP_DOCUMENT: LazyLock<Value> = LazyLock::new(|| document(Surface::App));

fn of(surface: Surface) -> &'static Value {
    match surface {
        Surface::Public => &DOCUMENT,
        Surface::App => &APP_DOCUMENT,
    }
}

static VALIDATORS: LazyLock<Mutex<HashMap<String, &'static Validator>>> =
    LazyLock::new(Mutex::default);

/// Holds an answer against the description.
#[track_caller]
pub fn check(surface: Surface, method: &str, path: &str, reply: &Reply) {
    let path = path.split('?').next().unwrap();
    let template = template(surface, path);
    let operation = &of(surface)["paths"][&template][method.to_lowercase()];
    assert!(operation.is_object(), "{method} {path} is not described");
    let response = &operation["responses"][reply.status.to_string()];
    assert!(
        response.is_object(),
        "{method} {template} does not describe {}: {}",
        reply.status,
        reply.body
    );
    if reply.status >= 400 {
        let listed = response["content"]["application/json"]["examples"].as_object().unwrap();
        assert!(
            listed.contains_key(reply.key()),
            "{method} {template} does not describe {}",
            reply.body
        );
    }
    let schema = &response["content"]["application/json"]["schema"];
    let validator =
        validator(surface, &format!("{surface:?} {method} {template} {}", reply.status), schema);
    let wrong: Vec<_> = validator
        .iter_errors(&reply.body)
        .map(|e| format!("{} at {}", e, e.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{method} {template}: {wrong:?}\n{}", reply.body);
}

/// The described path of a real one; a fixed part wins over a parameter.
fn template(surface: Surface, path: &str) -> String {
    let parts: Vec<_> = path.split('/').collect();
    let paths = of(surface)["paths"].as_object().unwrap();
    let mut fitting: Vec<&String> = paths
        .keys()
        .filter(|template| {
            let theirs: Vec<_> = template.split('/').collect();
            theirs.len() == parts.len()
                && theirs
                    .iter()
                    .zip(&parts)
                    .all(|(theirs, own)| theirs.starts_with('{') || theirs == own)
        })
        .collect();
    fitting.sort_by_key(|template| template.matches('{').count());
    fitting.first().unwrap_or_else(|| panic!("{path} is not described")).to_string()
}

fn validator(surface: Surface, name: &str, schema: &Value) -> &'static Validator {
    let mut known = VALIDATORS.lock().unwrap();
    if let Some(validator) = known.get(name) {
        return validator;
    }
    let mut schema = closed(schema.clone());
    schema["components"] = json!({"schemas": closed(of(surface)["components"]["schemas"].clone())});
    let validator = jsonschema::draft202012::options().build(&schema).unwrap();
    let validator: &'static Validator = Box::leak(Box::new(validator));
    known.insert(name.to_owned(), validator);
    validator
}

/// The same schema with every object closed, so that an undescribed field is noticed.
fn closed(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            for value in fields.values_mut() {
                *value = closed(value.take());
            }
            if fields.contains_key("properties") && !fields.contains_key("allOf") {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = closed(item.take())),
        _ => {}
    }
    schema
}
