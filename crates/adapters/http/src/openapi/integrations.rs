//! The parts of the Public API's description beside operations: the token endpoint, and webhooks.

use schemars::Schema;
use serde_json::{Map, Value, json};
use spotter_kernel::{Event, Scope, limits};

/// One line.
pub(super) const SUMMARY: &str =
    "A company's clients, workouts, conversations, products and events, for integrations.";

/// The conventions that all operations share.
pub(super) const DESCRIPTION: &str = "\
The server-to-server API of Spotter, the back office for fitness coaching businesses.

**Authentication.** Exchange an API client's id and secret for an access token at `POST /oauth/token` (OAuth 2.0 client \
credentials) and send it as `Authorization: Bearer`. The company is always derived from the token.

**Envelope.** Every response contains `data` or `error`, and `meta`. Match on `error.key`, never on `error.message`; for invalid \
input `error.details` names the field and the rule.

**Idempotency.** Every write requires an `Idempotency-Key` of 1 to 200 characters. Repeating a request with the same key returns \
the stored response for at least 24 hours, marked `meta.idempotency.replayed: true`; a different request with the same key is \
refused with 409. Failures are not stored: retry them with the same key.

**Lists** are paged with `page` (from 1) and `limit` (1 to 100, default 20), newest first unless stated otherwise, and carry exact \
totals. A page past the end is empty. To read a list completely, follow `nextCursor`: it neither skips nor repeats records that \
are added or removed meanwhile.

**Formats.** Ids are 24 hexadecimal characters and sort by creation time. Timestamps are UTC with milliseconds, \
`2026-03-29T01:00:00.000Z`; dates are `YYYY-MM-DD`; times of day are `HH:MM` in the time zone next to them or the company's. Money \
is an integer in minor units with its ISO 4217 currency: 1250 and EUR are twelve euros fifty. A nullable field is always present, \
as `null` if empty.

**Requests.** Bodies are JSON in UTF-8 of at most 1 MiB. Unknown fields and query parameters are refused by name. In PATCH bodies \
an absent field stays unchanged and `null` clears it. Integers in URLs are digits without a sign or leading zeros.

**Rate limits** count requests per API client; `meta.rateLimit` and the `RateLimit-*` headers report what is left. Beyond the limit \
the response is 429 with `Retry-After`.

**Compression and caching.** Responses are compressed with gzip or br on request. A GET of one record returns an `ETag`; sent as \
`If-None-Match`, it is answered with 304 as long as nothing has changed.

**Test environment.** A company can have a copy of its setup in which nothing is real, with API clients of its own: their ids begin \
with `fspc_test_`, their tokens with `fspt_test_`. Requests with such a token go there, at the same addresses. Its clock can be \
[advanced](#operation/advance_test_clock).

**Libraries.** `spotter-api` for TypeScript and for Python has a method for each operation, of its name; the samples beside the \
operations use it. A Postman collection and a node for n8n come with the source.

**Changes.** Within `/public/v1` operations, optional parameters, fields of responses, events, error keys and values of \
enumerations are added without notice: ignore what you do not know. Nothing is removed or renamed, and nothing optional becomes \
required, before it was deprecated for twelve months. What is deprecated is marked so here, with what replaces it. \
Nothing is deprecated now.

**Changelog.** 2026-11-28: test environments, `GET /test-clock`, `POST /test-clock/advance`, `GET /events`, \
`GET /events/{eventId}`, samples in three languages. 2026-11-27: `POST /clients/bulk`, \
`POST /bookings/bulk`, `cancellation` in slots. 2026-11-25: `cursor` and `updatedFrom` in every list of records, payloads in \
`GET /webhooks/deliveries/{id}`. 2026-11-21: first version.";

/// How integrations are known.
pub(super) fn security_schemes() -> Value {
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
            "description": "The API client's id and secret, for the token endpoint only.",
        },
        "deviceKey": {
            "type": "apiKey", "in": "header", "name": "x-device-key",
            "description": "The key of an access device, for operations below `/access`.",
        },
    })
}

/// The token endpoint, which speaks OAuth instead of the envelope.
pub(super) fn token_path() -> Value {
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
        "description": "OAuth 2.0 client credentials (RFC 6749): no envelope and no idempotency key. Without `scope` the \
            token has every scope of the client. Unknown form fields are ignored.",
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
            "400": refused("The request is not a valid OAuth request.", "invalid_request"),
            "401": refused("The client is unknown, its secret is wrong, or it is revoked.", "invalid_client"),
            "429": refused("Too many token requests.", "temporarily_unavailable"),
            "500": refused("The token could not be issued.", "server_error"),
        },
    }})
}

/// The schema of what a subscription is sent.
pub(super) fn webhook_event(kind: Value, data: Value) -> Value {
    json!({
        "type": "object", "description": "The body of a webhook delivery.",
        "required": ["id", "type", "occurredAt", "data"],
        "properties": {
            "id": {"type": "string", "description": "The event's stable id.", "examples": ["019a8f3c2b7d4e5f60718293"]},
            "type": kind,
            "occurredAt": {"type": "string", "format": "date-time"},
            "data": data,
        },
    })
}

/// The webhook of an event, with the schema of its payload.
pub(super) fn webhook(event: Event, payload: Option<Schema>) -> Value {
    // What no operation announces yet is in the registry all the same.
    let yet = if payload.is_some() { "" } else { " Nothing announces it yet." };
    let payload = payload.map_or_else(
        || json!({"type": "object", "description": "What it will tell is not decided yet."}),
        Value::from,
    );
    let schema = webhook_event(json!({"type": "string", "const": event.name()}), payload);
    json!({"post": {
        "operationId": format!("on_{}", event.name().replace('.', "_")),
        "tags": ["Webhook events"],
        "summary": event.name(),
        "description": format!("{}.{yet} The body is signed; see X-Service-Webhook-Signature.", event.when()),
        "security": [],
        "parameters": [
            {"name": "X-Service-Webhook-Event", "in": "header", "required": true, "schema": {"type": "string", "const": event.name()},
                "description": "The event's type."},
            {"name": "X-Service-Webhook-Delivery", "in": "header", "required": true, "schema": {"type": "string"},
                "description": "The delivery's id, for idempotent processing."},
            {"name": "X-Service-Webhook-Timestamp", "in": "header", "required": true, "schema": {"type": "string"},
                "description": "Unix seconds."},
            {"name": "X-Service-Webhook-Signature", "in": "header", "required": true, "schema": {"type": "string", "pattern": "^v1="},
                "description": "HMAC-SHA256 over `<timestamp>.<deliveryId>.<eventId>.<canonical JSON>`."},
        ],
        "requestBody": {"required": true, "content": {"application/json": {
            "schema": schema,
        }}},
        "responses": {
            "2XX": {"description": "The delivery succeeded."},
            "4XX": {"description": "The delivery failed and is tried again: 3 attempts, 1 and 2 minutes later."},
        },
    }})
}
