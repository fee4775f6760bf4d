//! One operation in the description: its parameters, its body, its answers.

use schemars::Schema;
use serde_json::{Map, Value, json};
use spotter_contract::{Access, DataSubject, Operation, Role, Surface, arguments::ArgumentSchemas};

use super::{problems, schemas::Schemas};

/// Describes an operation as an API has it.
pub(super) fn describe(operation: &Operation, surface: Surface, schemas: &mut Schemas) -> Value {
    let arguments = operation.arguments(&mut schemas.taken);
    let answer = operation.answer(&mut schemas.given).into();
    let answer = match (surface, operation.for_client) {
        (Surface::App, Some(granted)) if !granted.staffs.is_empty() => {
            granted.without_staff_only(inlined(answer, schemas.given.definitions()))
        }
        _ => answer,
    };
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": parameters_of(operation, &arguments),
        "responses": responses(operation, surface, &arguments, answer, schemas.taken.definitions()),
    });
    let (security, who) = security_of(operation, surface);
    described["security"] = security;
    let mut text = format!("{}\n\n{who}", operation.description);
    if !operation.events.is_empty() {
        let events: Vec<_> = operation.events.iter().map(|e| format!("`{}`", e.name())).collect();
        text = format!("{text} Events: {}.", events.join(", "));
    }
    described["description"] = text.trim().into();
    if let Some(body) = &arguments.body {
        described["requestBody"] = json!({
            "required": arguments.body_required,
            "content": {"application/json": {"schema": body}},
        });
    }
    described
}

/// A schema with what it refers to in place of the references.
fn inlined(schema: Value, definitions: &Map<String, Value>) -> Value {
    match schema {
        Value::Object(fields) => {
            let target = fields.get("$ref").and_then(Value::as_str);
            match target.and_then(|target| definitions.get(target.rsplit('/').next()?)) {
                Some(found) => inlined(found.clone(), definitions),
                None => {
                    let fields = fields.into_iter();
                    fields.map(|(name, part)| (name, inlined(part, definitions))).collect()
                }
            }
        }
        Value::Array(items) => items.into_iter().map(|item| inlined(item, definitions)).collect(),
        other => other,
    }
}

/// How its caller is known, and who may call it.
fn security_of(operation: &Operation, surface: Surface) -> (Value, String) {
    let session = json!([{"session": []}]);
    match (surface, operation.access) {
        (Surface::Public, Access::Scope(scope)) => {
            (json!([{"oauth2": [scope.name()]}]), format!("Scope: `{}`.", scope.name()))
        }
        (_, Access::Scope(_) | Access::Coach(_)) => {
            let least = match operation.access {
                Access::Scope(scope) => Role::least_for(scope),
                Access::Coach(least) => Some(least),
                Access::SignedIn | Access::Client | Access::Device | Access::Visitor => None,
            };
            let mut text = match least {
                Some(least) => format!("Requires the role {}.", least.word()),
                None => String::new(),
            };
            if let Some(granted) = operation.for_client {
                text.push_str(match granted.subject {
                    DataSubject::Named => " Clients: their own record",
                    DataSubject::Own => " Clients: their own records",
                    DataSubject::Company => " Clients: all records",
                });
                if !granted.staffs.is_empty() {
                    text.push_str(&format!(", without {}", granted.staffs.join(", ")));
                }
                text.push('.');
            }
            (session, text)
        }
        (_, Access::Device) => {
            (json!([{"deviceKey": []}]), "For access devices, by their key.".to_owned())
        }
        (_, Access::SignedIn) => (session, "For coaches and clients.".to_owned()),
        (_, Access::Client) => (session, "For clients.".to_owned()),
        (_, Access::Visitor) => (json!([]), "For strangers: no token.".to_owned()),
    }
}

fn parameters_of(operation: &Operation, arguments: &ArgumentSchemas) -> Value {
    let mut all = Vec::new();
    let mut list = |schema: &Schema, place: &str| {
        let empty = Map::new();
        let required =
            schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        for (name, schema) in properties {
            let mut schema = not_null(schema.clone());
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let mut parameter = json!({
                "name": name,
                "in": place,
                "required": place == "path" || required.iter().any(|field| field == name),
                "schema": schema,
            });
            if let Some(about) = about {
                parameter["description"] = about;
            }
            all.push(parameter);
        }
    };
    if let Some(path) = &arguments.path {
        list(path, "path");
    }
    if let Some(query) = &arguments.query {
        list(query, "query");
    }
    if arguments.paged {
        all.push(json!({"$ref": "#/components/parameters/page"}));
        all.push(json!({"$ref": "#/components/parameters/limit"}));
        all.push(json!({"$ref": "#/components/parameters/cursor"}));
    }
    if operation.writes {
        all.push(json!({"$ref": "#/components/parameters/IdempotencyKey"}));
    }
    if operation.is_tagged() {
        all.push(json!({"$ref": "#/components/parameters/IfNoneMatch"}));
    }
    all.into()
}

/// A parameter that is absent is absent: in a query string there is no null.
fn not_null(mut schema: Value) -> Value {
    if let Some(kinds) = schema.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            schema["type"] = kind.clone();
        }
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.retain(|word| !word.is_null());
    }
    if let Some(kinds) = schema.get("anyOf").and_then(Value::as_array) {
        let rest: Vec<_> = kinds.iter().filter(|kind| kind["type"] != "null").cloned().collect();
        if let [only] = rest.as_slice() {
            let about = schema.get("description").cloned();
            schema = only.clone();
            if let (Some(about), Some(object)) = (about, schema.as_object_mut()) {
                object.insert("description".into(), about);
            }
        }
    }
    if let Some(object) = schema.as_object_mut() {
        object.remove("default");
    }
    schema
}

fn responses(
    operation: &Operation,
    surface: Surface,
    arguments: &ArgumentSchemas,
    answer: Value,
    definitions: &Map<String, Value>,
) -> Value {
    let meta = if operation.writes { "WriteMeta" } else { "Meta" };
    let schema = json!({
        "type": "object",
        "required": ["data", "meta"],
        "properties": {"data": answer, "meta": {"$ref": format!("#/components/schemas/{meta}")}},
    });
    let mut responses = Map::new();
    responses.insert(
        operation.status.to_string(),
        json!({
            "description": "Success.",
            "headers": rate_headers(),
            "content": {"application/json": {"schema": schema}},
        }),
    );
    if operation.rows.is_some() {
        let table =
            json!({"schema": {"type": "string", "description": "RFC 4180, with a line of names."}});
        responses["200"]["content"]["text/csv"] = table;
    }
    if operation.is_tagged() {
        responses["200"]["headers"]["ETag"] = json!({"$ref": "#/components/headers/ETag"});
        let known = json!({"description": "Not modified since the version in `If-None-Match`.",
            "headers": {"ETag": {"$ref": "#/components/headers/ETag"}}});
        responses.insert("304".into(), known);
    }
    for (status, keys) in problems::of(operation, surface, arguments, definitions) {
        responses.insert(status.to_string(), problems::response(status, &keys));
    }
    responses.into()
}

pub(super) fn rate_headers() -> Value {
    json!({
        "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
        "RateLimit-Limit": {"$ref": "#/components/headers/RateLimitLimit"},
        "RateLimit-Remaining": {"$ref": "#/components/headers/RateLimitRemaining"},
        "RateLimit-Reset": {"$ref": "#/components/headers/RateLimitReset"},
    })
}
