//! Which errors an operation can give: those of the pipeline, of its arguments, and its own.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use spotter_contract::{
    Access, Operation, Surface,
    arguments::{ArgumentSchemas, partner},
};
use spotter_kernel::{
    Gate, Key, Rule,
    problem::{INVALID, MISSING},
};

/// The keys by status.
pub(super) fn of(
    operation: &Operation,
    surface: Surface,
    arguments: &ArgumentSchemas,
    definitions: &Map<String, Value>,
) -> BTreeMap<u16, Vec<Key>> {
    let mut all: BTreeMap<u16, Vec<Key>> = BTreeMap::new();
    let mut add = |status: u16, key: Key| {
        let keys = all.entry(status).or_default();
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    let pipeline =
        [Key::RequestInvalid, operation.invalid(), Key::RateLimitExceeded, Key::InternalError];
    let own: &[Key] = match (surface, operation.access) {
        (_, Access::Device) => &[Key::MissingDeviceKey, Key::InvalidDeviceKey],
        (_, Access::Visitor) => &[Key::NotFound],
        (Surface::Public, _) => &[
            Key::MissingBearer,
            Key::InvalidToken,
            Key::InvalidClient,
            Key::MissingContext,
            Key::ProviderUnavailable,
            Key::ScopesInsufficient,
        ],
        (Surface::App, _) => &[Key::MissingBearer, Key::InvalidToken, Key::Forbidden],
    };
    for key in pipeline.iter().chain(own) {
        add(key.status(), *key);
    }
    if let (Surface::Public, Access::Scope(scope)) = (surface, operation.access)
        && scope.gate() != Gate::None
    {
        add(403, scope.gate().at_use());
    }
    if operation.is_about_health() {
        add(403, Key::ScopesHealthConsentRequired);
    }
    let needed = std::iter::successors(operation.feature, |feature| feature.needs());
    for feature in needed {
        add(403, feature.off());
    }
    if arguments.path.is_some() {
        add(404, Key::NotFound);
    }
    if operation.writes {
        let writes = [
            Key::IdempotencyRequired,
            Key::IdempotencyInvalid,
            Key::IdempotencyConflict,
            Key::IdempotencyInProgress,
            Key::IdempotencyPersistenceFailed,
            Key::AuditStoreUnavailable,
        ];
        for key in writes
            .into_iter()
            .filter(|key| surface == Surface::Public || *key != Key::IdempotencyRequired)
        {
            add(key.status(), key);
        }
        add(507, Key::RequestFailed);
    }
    if operation.takes_body() {
        for status in [408, 413, 415] {
            add(status, Key::RequestFailed);
        }
        // A field may name another record that must exist.
        if arguments.body.is_some() {
            add(404, Key::NotFound);
        }
    }
    add(503, Key::RequestFailed);
    for status in operation.declared {
        add(*status, Key::RequestFailed);
    }
    // Where refusals have one key, it is that of every value.
    let own = operation.invalid() == Key::RequestInvalid;
    let brought = argument_keys(arguments, definitions);
    let brought = brought.iter().filter(|key| own || key.status() != 400);
    for key in brought.chain(operation.problems) {
        match key {
            Key::ApiError => add(409, Key::ApiError),
            key => add(key.status(), *key),
        }
    }
    all
}

/// Error keys from the types of the arguments: of refused values, and of ids in paths and bodies that do not exist; a
/// list with such an id is empty instead.
pub fn argument_keys(arguments: &ArgumentSchemas, definitions: &Map<String, Value>) -> Vec<Key> {
    let mut found = Vec::new();
    let ArgumentSchemas { path, query, body, .. } = arguments;
    for (schema, names) in [(path, NAMES), (body, NAMES), (query, &NAMES[..1])] {
        if let Some(schema) = schema {
            gather(schema.as_value(), definitions, names, &mut found);
        }
    }
    // Of two dates that belong together one may be none.
    let parameters = query.as_ref().and_then(|schema| schema.as_value()["properties"].as_object());
    let is_pair = parameters.is_some_and(|parameters| {
        parameters
            .keys()
            .any(|name| partner(name).is_some_and(|other| parameters.contains_key(&other)))
    });
    if is_pair && found.contains(&Key::InvalidDate) {
        found.extend([Key::InvalidDateRange, Key::DateRangeOrderInvalid]);
    }
    found
}

const NAMES: &[&str] = &[INVALID, MISSING];

fn gather(schema: &Value, definitions: &Map<String, Value>, names: &[&str], found: &mut Vec<Key>) {
    match schema {
        Value::Object(fields) => {
            for name in names {
                let key = fields.get(*name).and_then(Value::as_str).and_then(Key::parse);
                found.extend(key.filter(|key| !found.contains(key)));
            }
            let is_boolean = |kind: &Value| kind == "boolean";
            let kinds = fields.get("type");
            if kinds.is_some_and(|kinds| {
                is_boolean(kinds) || kinds.as_array().is_some_and(|all| all.iter().any(is_boolean))
            }) && !found.contains(&Key::InvalidBoolean)
            {
                found.push(Key::InvalidBoolean);
            }
            let target = fields.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|target| definitions.get(target.rsplit('/').next()?));
            target.into_iter().for_each(|target| gather(target, definitions, names, found));
            fields.values().for_each(|part| gather(part, definitions, names, found));
        }
        Value::Array(items) => {
            items.iter().for_each(|item| gather(item, definitions, names, found));
        }
        _ => {}
    }
}

/// A response that lists its keys, with an example of each.
pub(super) fn response(status: u16, keys: &[Key]) -> Value {
    let listed: Vec<_> = keys.iter().map(|key| format!("`{}`", key.wire())).collect();
    let examples: Map<String, Value> = keys
        .iter()
        .map(|key| {
            (
                key.wire().to_owned(),
                json!({"$ref": format!("#/components/examples/{}", name(status, *key))}),
            )
        })
        .collect();
    let mut response = json!({
        "description": listed.join(", "),
        "headers": super::operation::rate_headers(),
        "content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/Failure"},
            "examples": examples,
        }},
    });
    if matches!(status, 429 | 503) {
        response["headers"]["Retry-After"] = json!({"$ref": "#/components/headers/RetryAfter"});
    }
    response
}

/// What the generic fallback means under each status.
fn failed(status: u16) -> &'static str {
    match status {
        408 => "The body took too long to arrive.",
        413 => "The body is larger than 1 MiB.",
        415 => "The body must be sent as application/json.",
        503 => "The server cannot answer now; try again.",
        507 => "There is no room on the server's disk; nothing was changed.",
        _ => "The request could not be carried out.",
    }
}

fn name(status: u16, key: Key) -> String {
    if key.is_fallback() { format!("{}-{status}", key.wire()) } else { key.wire().to_owned() }
}

/// An example of every error that the text refers to.
pub(super) fn examples(used: &str) -> Value {
    let mut all = Map::new();
    for key in Key::ALL {
        let statuses: &[u16] = match key {
            Key::RequestFailed => &[408, 413, 415, 422, 503, 507],
            Key::ApiError => &[400, 403, 404, 409],
            _ => &[key.status()],
        };
        let refers = |status: &&u16| used.contains(&format!("examples/{}\"", name(**status, *key)));
        for status in statuses.iter().filter(refers) {
            let mut rate = json!({"limit": 600, "remaining": 599, "resetSeconds": 60});
            if *key == Key::RateLimitExceeded {
                rate = json!({"limit": 600, "remaining": 0, "resetSeconds": 12, "retryAfterSeconds": 12});
            }
            let mut error = json!({"code": status, "key": key.wire(), "message": key.meaning()});
            if *key == Key::ScopesInsufficient {
                error["details"] = json!({"requiredScopes": ["clients:write"]});
            }
            if *key == Key::RequestInvalid {
                error["details"] = json!({"field": "email", "rule": Rule::NotEmail.to_string()});
            }
            if *key == Key::WebhookRequestInvalid {
                error["details"] = json!({"field": "url", "rule": Rule::NotHttpsUrl.to_string()});
            }
            if *key == Key::RequestFailed {
                error["message"] = failed(*status).into();
            }
            all.insert(
                name(*status, *key),
                json!({"summary": key.meaning(), "value": {"error": error, "meta": {
                    "requestId": "6f1c2f0e-8a53-4d0f-9d0c-2b7d4e5f6071", "rateLimit": rate}}}),
            );
        }
    }
    all.into()
}
