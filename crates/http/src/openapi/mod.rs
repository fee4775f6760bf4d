//! The OpenAPI 3.1 description of the Public API, read from the operations table.

mod examples;
mod problems;

use schemars::{
    Schema, SchemaGenerator,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};
use spotter_contract::{Access, Operation, Surface, arguments::Described};
use spotter_kernel::{Event, Key, PageRequest, Scope, limits};

/// The version that the contract's description carries.
const VERSION: &str = "1.0.0";

const DESCRIPTION: &str = "\
The server-to-server API of Spotter, the back office for fitness coaching businesses.

**Authentication.** Exchange an API client's id and secret for an access token at \
`POST /oauth/token` (OAuth 2.0 client credentials) and send it as `Authorization: Bearer`. The \
company is always derived from the token.

**Envelope.** Every answer holds `data` or `error`, and `meta`. Match on `error.key`, never on \
`error.message`; for refused input `error.details` names the field and the rule.

**Idempotency.** Every write carries an `Idempotency-Key` of 1 to 200 characters. The same key \
with the same request returns the stored answer for at least 24 hours, marked \
`meta.idempotency.replayed: true`; with another request it is refused with 409. Failures are not stored: \
the same key may be tried again.

**Lists** are paged with `page` (from 1) and `limit` (1 to 100, 20 when absent), newest first unless said \
otherwise, and carry exact totals. A page past the end is empty.

**Values.** Ids are 24 hexadecimal characters and sort by the time of creation. Timestamps are UTC with \
milliseconds, `2026-03-29T01:00:00.000Z`; dates are `YYYY-MM-DD`, wall-clock times `HH:MM` in the time zone \
that stands beside them or the company's. Money is a whole number of minor units beside its ISO 4217 \
currency: 1250 with EUR is twelve euros fifty. A nullable field is always sent, as `null` where there is \
nothing.

**Requests.** Bodies are JSON in UTF-8 of at most 1 MiB. Unknown fields and unknown query parameters are \
refused by name. In PATCH bodies an absent field stays and `null` clears. Whole numbers in addresses are \
digits without a sign or zeros in front.

**Limits.** Requests are counted for each API client; `meta.rateLimit` and the `RateLimit-*` headers tell how \
many are left and for how long. One too many is 429 with `Retry-After`.

**Saving bytes.** Answers are compressed for whoever accepts gzip, br or zstd. What a GET of one record \
answers has an `ETag`: sent back as `If-None-Match` it is answered with 304 while nothing has changed.";

/// The description of these operations' public part.
pub fn document(operations: &[Operation]) -> Value {
    let public: Vec<&Operation> =
        operations.iter().filter(|operation| operation.surface == Surface::Public).collect();
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for operation in &public {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.name().to_ascii_lowercase()] = describe(operation, &mut schemas);
    }
    paths.insert("/oauth/token".into(), token_path());
    let webhooks: Map<String, Value> =
        Event::ALL.iter().map(|event| (event.name().to_owned(), webhook(*event))).collect();
    let mut tags: Vec<&str> = Vec::new();
    for operation in &public {
        if !tags.contains(&operation.tag) {
            tags.push(operation.tag);
        }
    }
    let mut tags: Vec<Value> =
        tags.iter().map(|tag| json!({"name": tag, "description": about(tag)})).collect();
    tags.insert(0, json!({"name": "Authentication", "description": "Access tokens."}));
    tags.push(json!({"name": "Webhook events", "description": "What subscriptions are told."}));
    let mut components = schemas.finish();
    // Generators of clients demand a field that has a default, which a request may leave out.
    for path in paths.values_mut() {
        for operation in path.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
            in_words(&mut operation["requestBody"]);
        }
    }
    components.values_mut().for_each(in_words);
    common_schemas(&mut components);
    let used = json!([paths, webhooks]).to_string();
    for path in paths.values_mut().flat_map(Value::as_object_mut) {
        path.values_mut().for_each(|operation| examples::fill(operation, &components));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Spotter Public API",
            "version": VERSION,
            "summary": "A company's clients, workouts, conversations, products and events, for integrations.",
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
            "contact": {"name": "The operator of this installation"},
        },
        "servers": [{"url": "/public/v1", "description": "This installation"}],
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "securitySchemes": security_schemes(),
            "parameters": parameters(),
            "headers": headers(),
            "schemas": components,
            "examples": problems::examples(&used),
        },
    })
}

/// Says defaults in words.
fn in_words(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(default) = fields.get("default").cloned()
                && fields.get("properties").is_none_or(|own| own.get("default").is_none())
            {
                fields.remove("default");
                let said = fields.get("description").and_then(Value::as_str).unwrap_or_default();
                let plain = default.is_null() || default == json!([]) || default == json!({});
                if !plain && !said.contains("absent") {
                    let default =
                        default.as_str().map_or_else(|| default.to_string(), str::to_owned);
                    let text = format!("{said} `{default}` when absent.").trim().to_owned();
                    fields.insert("description".into(), text.into());
                }
            }
            fields.values_mut().for_each(in_words);
        }
        Value::Array(items) => items.iter_mut().for_each(in_words),
        _ => {}
    }
}

fn about(tag: &str) -> &'static str {
    match tag {
        "Platform" => "What an integration can learn about itself.",
        "Audit logs" => "Who did what, without the values.",
        "Company catalogue" => "What the company offers and by which rules.",
        "Locations" => "Where the company trains its clients.",
        "Clients" => "The people a company coaches.",
        "Client custom fields" => "What a company wants to know beside the profile.",
        "Client timeline" => "The steps of a client's way through the company.",
        "Client notes" => "Notes about a client.",
        _ => "Operations of the Public API.",
    }
}

/// The schemas of arguments and of answers: the same type may differ between the two, since an
/// answer always carries its nullable fields and a request may leave them out.
struct Schemas {
    taken: SchemaGenerator,
    given: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let generator = |contract: Contract| {
            SchemaSettings::draft2020_12()
                .with(|settings| {
                    settings.definitions_path = "/components/schemas".into();
                    settings.meta_schema = None;
                    settings.contract = contract;
                })
                .into_generator()
        };
        Self { taken: generator(Contract::Deserialize), given: generator(Contract::Serialize) }
    }

    fn finish(mut self) -> Map<String, Value> {
        let mut all = self.given.take_definitions(true);
        for (name, schema) in self.taken.take_definitions(true) {
            // Types that go both ways are inlined, so that a name means one shape.
            debug_assert!(all.get(&name).is_none_or(|given| *given == schema), "{name}");
            all.insert(name, schema);
        }
        all
    }
}

fn describe(operation: &Operation, schemas: &mut Schemas) -> Value {
    let arguments = operation.arguments(&mut schemas.taken);
    let answer = operation.answer(&mut schemas.given);
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "parameters": parameters_of(operation, &arguments),
        "responses": responses(operation, &arguments, answer),
    });
    let mut text = operation.description.to_owned();
    if let Access::Scope(scope) = operation.access {
        described["security"] = json!([{"oauth2": [scope.name()]}]);
        text = format!("{text}\n\nScope: `{}`.", scope.name());
    }
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

fn parameters_of(operation: &Operation, arguments: &Described) -> Value {
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

fn responses(operation: &Operation, arguments: &Described, answer: Schema) -> Value {
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
    if operation.is_tagged() {
        responses["200"]["headers"]["ETag"] = json!({"$ref": "#/components/headers/ETag"});
        let known = json!({"description": "What `If-None-Match` names is what there is.",
            "headers": {"ETag": {"$ref": "#/components/headers/ETag"}}});
        responses.insert("304".into(), known);
    }
    for (status, keys) in problems::of(operation, arguments) {
        responses.insert(status.to_string(), problems::response(status, &keys));
    }
    responses.into()
}

fn rate_headers() -> Value {
    json!({
        "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
        "RateLimit-Limit": {"$ref": "#/components/headers/RateLimitLimit"},
        "RateLimit-Remaining": {"$ref": "#/components/headers/RateLimitRemaining"},
        "RateLimit-Reset": {"$ref": "#/components/headers/RateLimitReset"},
    })
}

fn headers() -> Value {
    let header = |about: &str, schema: Value| json!({"description": about, "schema": schema});
    let count = json!({"type": "integer", "minimum": 0});
    json!({
        "RequestId": header("The request's id, as in meta.requestId.", json!({"type": "string", "format": "uuid"})),
        "RateLimitLimit": header("Requests in a window.", count.clone()),
        "RateLimitRemaining": header("Requests left in this window.", count.clone()),
        "RateLimitReset": header("Seconds until the window ends.", count.clone()),
        "ETag": header("Stands for this state of the record.", json!({"type": "string"})),
        "RetryAfter": header("Seconds to wait before trying again.", count),
    })
}

fn parameters() -> Value {
    json!({
        "page": {
            "name": "page", "in": "query", "description": "The page, from 1.",
            "schema": {"type": "integer", "minimum": 1, "maximum": PageRequest::PAGE_NUMBER_MAX, "default": 1},
        },
        "limit": {
            "name": "limit", "in": "query", "description": "Items on a page.",
            "schema": {"type": "integer", "minimum": 1, "maximum": limits::PAGE_MAX, "default": limits::PAGE_DEFAULT},
        },
        "IfNoneMatch": {
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "The ETag of an answer that is there already.",
            "schema": {"type": "string"},
        },
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": true,
            "description": "Names this write. The same key with the same request returns the stored answer.",
            "schema": {"type": "string", "minLength": 1, "maxLength": limits::IDEMPOTENCY_KEY_MAX},
            "example": "7f6a2c1e-import-row-1",
        },
    })
}

fn security_schemes() -> Value {
    let scopes: Map<String, Value> =
        Scope::ALL.iter().map(|scope| (scope.name().to_owned(), scope.purpose().into())).collect();
    json!({
        "oauth2": {
            "type": "oauth2",
            "description": "OAuth 2.0 client credentials (RFC 6749, section 4.4). Tokens live for an hour.",
            "flows": {"clientCredentials": {"tokenUrl": "/public/v1/oauth/token", "scopes": scopes}},
        },
        "apiClient": {
            "type": "http", "scheme": "basic",
            "description": "The API client's id and secret, for the token endpoint alone.",
        },
    })
}

fn common_schemas(schemas: &mut Map<String, Value>) {
    let count = json!({"type": "integer", "minimum": 0});
    let uuid = json!({"type": "string", "format": "uuid"});
    let keys: Vec<_> = Key::ALL.iter().map(|key| key.wire()).collect();
    let mut add = |name: &str, schema: Value| schemas.insert(name.to_owned(), schema);
    add(
        "RateLimit",
        json!({
            "type": "object", "required": ["limit", "remaining", "resetSeconds"],
            "properties": {"limit": count, "remaining": count, "resetSeconds": count,
                "retryAfterSeconds": {"type": "integer", "minimum": 0, "description": "On 429 alone."}},
        }),
    );
    add(
        "Meta",
        json!({
            "type": "object", "required": ["requestId", "rateLimit"],
            "properties": {"requestId": uuid, "rateLimit": {"$ref": "#/components/schemas/RateLimit"}},
        }),
    );
    add(
        "WriteMeta",
        json!({
            "type": "object", "required": ["requestId", "rateLimit", "idempotency"],
            "properties": {"requestId": uuid, "rateLimit": {"$ref": "#/components/schemas/RateLimit"},
                "idempotency": {"type": "object", "required": ["replayed"],
                    "properties": {"replayed": {"type": "boolean", "description": "Whether this is a stored answer."}}}},
        }),
    );
    add("ErrorKey", json!({"type": "string", "enum": keys, "description": "Stable; match on it."}));
    add(
        "Failure",
        json!({
            "type": "object", "required": ["error", "meta"],
            "properties": {
                "error": {
                    "type": "object", "required": ["code", "key", "message"],
                    "properties": {
                        "code": {"type": "integer", "description": "The HTTP status."},
                        "key": {"$ref": "#/components/schemas/ErrorKey"},
                        "message": {"type": "string", "description": "For humans; it may be reworded."},
                        "details": {"type": "object", "description":
                            "For scopes.insufficient requiredScopes; for refused input field and rule."},
                    },
                },
                "meta": {"$ref": "#/components/schemas/Meta"},
            },
        }),
    );
    add(
        "WebhookEvent",
        json!({
            "type": "object", "required": ["id", "type", "occurredAt", "data"],
            "properties": {
                "id": {"type": "string", "description": "The event's stable id."},
                "type": {"type": "string"},
                "occurredAt": {"type": "string", "format": "date-time"},
                "data": {"type": "object", "description": "Ids, statuses, timestamps and names of changed fields."},
            },
        }),
    );
    add(
        "TokenError",
        json!({
            "type": "object", "required": ["error"],
            "properties": {
                "error": {"type": "string", "enum": ["invalid_request", "invalid_client", "invalid_scope",
                    "unauthorized_client", "unsupported_grant_type", "temporarily_unavailable", "server_error"]},
                "error_description": {"type": "string"},
            },
        }),
    );
}

fn token_path() -> Value {
    let refused = |about: &str, error: &str| {
        json!({
            "description": about,
            "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/TokenError"},
                "example": {"error": error, "error_description": about},
            }},
        })
    };
    json!({"post": {
        "operationId": "issue_token",
        "tags": ["Authentication"],
        "summary": "Get an access token",
        "description": "OAuth 2.0 client credentials (RFC 6749): no envelope, no idempotency key. Without `scope` \
            the token holds every scope of the client. Unknown form fields are ignored.",
        "security": [{"apiClient": []}],
        "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {
            "type": "object", "required": ["grant_type"],
            "properties": {
                "grant_type": {"type": "string", "const": "client_credentials"},
                "scope": {"type": "string", "description": "Space-separated scope names, a subset of the client's.",
                    "examples": ["clients:read clients:write"],
                    "pattern": "^$|^[a-z_]+:(read|write)( [a-z_]+:(read|write))*$"},
            },
        }}}},
        "responses": {
            "200": {"description": "A token.", "content": {"application/json": {
                "schema": {
                    "type": "object", "required": ["access_token", "token_type", "expires_in", "scope"],
                    "properties": {
                        "access_token": {"type": "string", "pattern": "^fspt_"},
                        "token_type": {"type": "string", "const": "Bearer"},
                        "expires_in": {"type": "integer", "const": limits::ACCESS_TOKEN_SECONDS},
                        "scope": {"type": "string"},
                    },
                },
                "example": {"access_token": "fspt_019a8f3c2b7d4e5f60718293…", "token_type": "Bearer",
                    "expires_in": 3600, "scope": "clients:read clients:write"},
            }}},
            "400": refused("The request is not one that OAuth knows.", "invalid_request"),
            "401": refused("The client is unknown, its secret is wrong, or it is revoked.", "invalid_client"),
            "429": refused("Too many token requests.", "temporarily_unavailable"),
            "500": refused("The token could not be issued.", "server_error"),
        },
    }})
}

fn webhook(event: Event) -> Value {
    json!({"post": {
        "operationId": format!("on_{}", event.name().replace('.', "_")),
        "tags": ["Webhook events"],
        "summary": event.name(),
        "description": format!("{}. The body is signed; see X-Service-Webhook-Signature.", event.when()),
        "security": [],
        "parameters": [
            {"name": "X-Service-Webhook-Event", "in": "header", "required": true, "schema": {"type": "string", "const": event.name()}},
            {"name": "X-Service-Webhook-Delivery", "in": "header", "required": true, "schema": {"type": "string"},
                "description": "The delivery's id, for idempotent processing."},
            {"name": "X-Service-Webhook-Timestamp", "in": "header", "required": true, "schema": {"type": "string"},
                "description": "Unix seconds."},
            {"name": "X-Service-Webhook-Signature", "in": "header", "required": true, "schema": {"type": "string", "pattern": "^v1="},
                "description": "HMAC-SHA256 over `<timestamp>.<deliveryId>.<eventId>.<canonical JSON>`."},
        ],
        "requestBody": {"required": true, "content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/WebhookEvent"},
            "example": {"id": "019a8f3c2b7d4e5f60718293", "type": event.name(),
                "occurredAt": "2026-03-29T01:00:00.000Z", "data": examples::event_data(event)},
        }}},
        "responses": {
            "2XX": {"description": "The delivery succeeded."},
            "4XX": {"description": "The delivery failed and is tried again: 3 attempts, 1 and 2 minutes later."},
        },
    }})
}
