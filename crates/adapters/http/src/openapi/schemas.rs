//! The schemas of the description, and what all operations share of it.

use schemars::{
    SchemaGenerator,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};
use spotter_contract::Surface;
use spotter_kernel::{Cursor, Key, PageRequest, limits};

use super::integrations::webhook_event;

/// The schemas of arguments and of answers: the same type may differ between the two, since an
/// answer always carries its nullable fields and a request may leave them out.
pub(super) struct Schemas {
    pub(super) taken: SchemaGenerator,
    pub(super) given: SchemaGenerator,
}

impl Schemas {
    pub(super) fn new() -> Self {
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

    pub(super) fn finish(mut self) -> Map<String, Value> {
        let mut all = self.given.take_definitions(true);
        for (name, schema) in self.taken.take_definitions(true) {
            // Types that go both ways are inlined, so that a name means one shape.
            debug_assert!(all.get(&name).is_none_or(|given| *given == schema), "{name}");
            all.insert(name, schema);
        }
        all
    }
}

/// Writes defaults into descriptions.
pub(super) fn in_words(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(default) = fields.get("default").cloned()
                && fields.get("properties").is_none_or(|own| own.get("default").is_none())
            {
                fields.remove("default");
                let description =
                    fields.get("description").and_then(Value::as_str).unwrap_or_default();
                let plain = default.is_null() || default == json!([]) || default == json!({});
                if !plain && !description.contains("absent") {
                    let default =
                        default.as_str().map_or_else(|| default.to_string(), str::to_owned);
                    let text = format!("{description} `{default}` when absent.").trim().to_owned();
                    fields.insert("description".into(), text.into());
                }
            }
            fields.values_mut().for_each(in_words);
        }
        Value::Array(items) => items.iter_mut().for_each(in_words),
        _ => {}
    }
}

/// Adds what all answers share.
pub(super) fn add_common(schemas: &mut Map<String, Value>) {
    let count = json!({"type": "integer", "minimum": 0});
    let uuid = json!({"type": "string", "format": "uuid"});
    let keys: Vec<_> = Key::ALL.iter().map(|key| key.wire()).collect();
    let mut add = |name: &str, schema: Value| schemas.insert(name.to_owned(), schema);
    add(
        "RateLimit",
        json!({
            "type": "object", "description": "How many requests are left, and for how long.", "required": ["limit", "remaining", "resetSeconds"],
            "properties": {"limit": {"type": "integer", "minimum": 0, "description": "Number of requests allowed in a window."},
                "remaining": count, "resetSeconds": count,
                "retryAfterSeconds": {"type": "integer", "minimum": 0, "description": "Seconds to wait; only with status 429."}},
        }),
    );
    add(
        "Meta",
        json!({
            "type": "object", "description": "The request id and the rate limit of a read.", "required": ["requestId", "rateLimit"],
            "properties": {"requestId": uuid, "rateLimit": {"$ref": "#/components/schemas/RateLimit"}},
        }),
    );
    add(
        "WriteMeta",
        json!({
            "type": "object", "description": "The request id, rate limit and idempotency of a write.", "required": ["requestId", "rateLimit", "idempotency"],
            "properties": {"requestId": uuid, "rateLimit": {"$ref": "#/components/schemas/RateLimit"},
                "idempotency": {"type": "object", "required": ["replayed"],
                    "properties": {"replayed": {"type": "boolean", "description": "Whether this is the stored response of an earlier request."}}}},
        }),
    );
    add(
        "ErrorKey",
        json!({"type": "string", "enum": keys, "description": "The stable key of an error; match on it."}),
    );
    add(
        "Failure",
        json!({
            "type": "object", "description": "The body of every error.", "required": ["error", "meta"],
            "properties": {
                "error": {
                    "type": "object", "required": ["code", "key", "message"],
                    "properties": {
                        "code": {"type": "integer", "description": "The HTTP status."},
                        "key": {"$ref": "#/components/schemas/ErrorKey"},
                        "message": {"type": "string", "description": "A message for developers; it may be reworded."},
                        "details": {"type": "object", "description":
                            "`requiredScopes` with the key scopes.insufficient; `field` and `rule` with invalid input."},
                    },
                },
                "meta": {"$ref": "#/components/schemas/Meta"},
            },
        }),
    );
    let output = json!({"type": "object", "description": "Ids, statuses, timestamps and names of changed fields."});
    add("WebhookEvent", webhook_event(json!({"type": "string"}), output));
    add(
        "TokenError",
        json!({
            "type": "object", "description": "A refusal of the token endpoint (RFC 6749, section 5.2).", "required": ["error"],
            "properties": {
                "error": {"type": "string", "enum": ["invalid_request", "invalid_client", "invalid_scope",
                    "unauthorized_client", "unsupported_grant_type", "temporarily_unavailable", "server_error"]},
                "error_description": {"type": "string"},
            },
        }),
    );
}

/// The headers of answers.
pub(super) fn headers() -> Value {
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

/// The parameters that operations share.
pub(super) fn parameters(surface: Surface) -> Value {
    json!({
        "page": {
            "name": "page", "in": "query", "description": "The page, from 1.",
            "schema": {"type": "integer", "minimum": 1, "maximum": PageRequest::PAGE_NUMBER_MAX, "default": 1},
        },
        "limit": {
            "name": "limit", "in": "query", "description": "Items on a page.",
            "schema": {"type": "integer", "minimum": 1, "maximum": limits::PAGE_MAX, "default": limits::PAGE_DEFAULT},
        },
        "cursor": {
            "name": "cursor", "in": "query",
            "description": "Goes on behind an answer, by its `nextCursor`, in place of `page`: nothing is repeated or left out \
                by what others write meanwhile.",
            "schema": {"type": "string", "maxLength": Cursor::LENGTH_MAX},
        },
        "IfNoneMatch": {
            "name": "If-None-Match", "in": "header", "required": false,
            "description": "The ETag of an answer that is there already.",
            "schema": {"type": "string"},
        },
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": surface == Surface::Public,
            "description": "Names this write. The same key with the same request returns the stored answer.",
            "schema": {"type": "string", "minLength": 1, "maxLength": limits::IDEMPOTENCY_KEY_MAX},
            "example": "7f6a2c1e-import-row-1",
        },
    })
}
