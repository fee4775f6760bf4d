//! Examples that a reader would recognize.

use serde_json::{Map, Value, json};

use super::bodies;

/// Gives an operation an example of its body and of its success, made from their schemas.
pub(super) fn fill(operation: &mut Value, schemas: &Map<String, Value>) {
    let places = [
        "/requestBody/content/application~1json",
        "/responses/200/content/application~1json",
        "/responses/201/content/application~1json",
    ];
    for place in places {
        if let Some(content) = operation.pointer_mut(place)
            && content.get("example").is_none()
        {
            content["example"] = of("", &content["schema"], schemas);
        }
    }
}

/// An example of a schema; the field's name selects a recognizable one.
pub(super) fn of(name: &str, schema: &Value, schemas: &Map<String, Value>) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        let target = target.rsplit('/').next().unwrap_or_default();
        if let Some(own) = bodies::of(target) {
            return own;
        }
        return schemas.get(target).map_or(Value::Null, |schema| of(name, schema, schemas));
    }
    let own = [&schema["const"], &schema["examples"][0]];
    if let Some(value) = own.into_iter().find(|value| !value.is_null()) {
        return value.clone();
    }
    if let Some(words) = schema["enum"].as_array() {
        let usual = known_example(name).filter(|usual| words.contains(usual));
        return usual.or_else(|| words.first().cloned()).unwrap_or_default();
    }
    let first = schema["anyOf"].get(0).or_else(|| schema["oneOf"].get(0));
    if let Some(first) = first.filter(|_| schema.get("properties").is_none()) {
        return of(name, first, schemas);
    }
    // A field of the same name may be a date or an instant.
    let usual = known_example(name).filter(|_| schema["format"] != "date-time");
    if let Some(value) = usual.filter(|value| fits(schema, value)) {
        return value;
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default();
    match kind {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            // Of refusals alone.
            let fields = fields.filter(|(name, _)| *name != "retryAfterSeconds");
            fields.map(|(name, schema)| (name.clone(), of(name, schema, schemas))).collect()
        }
        "array" => json!([of("", &schema["items"], schemas)]),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "string" => match schema["format"].as_str() {
            // Things end after they began.
            Some("date-time") => json!(match name {
                "completedAt"
                | "endsAt"
                | "endedAt"
                | "expiresAt"
                | "previousSecretUntil"
                | "to" => {
                    "2026-03-29T02:00:00.000Z"
                }
                "updatedAt" | "changedAt" | "lastDeliveryAt" => "2026-03-29T01:30:00.000Z",
                _ => "2026-03-29T01:00:00.000Z",
            }),
            Some("date") => json!("2026-03-29"),
            Some("uuid") => json!("6f1c2f0e-8a53-4d0f-9d0c-2b7d4e5f6071"),
            _ => json!("text"),
        },
        _ => json!(72.5),
    }
}

/// Whether a value is of the schema's type.
fn fits(schema: &Value, value: &Value) -> bool {
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.as_slice(),
        kind => std::slice::from_ref(kind),
    };
    kinds.iter().filter_map(Value::as_str).any(|kind| match kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" | "number" => value.is_number(),
        "array" => value
            .as_array()
            .is_some_and(|items| items.iter().all(|item| fits(&schema["items"], item))),
        _ => false,
    })
}

fn known_example(name: &str) -> Option<Value> {
    Some(match name {
        "firstName" => json!("Sam"),
        "changedFields" => json!(["name"]),
        "relationshipStatus" | "memberStatus" => json!("active"),
        "url" => json!("https://example.com/hook"),
        "password" | "newPassword" => json!("correct horse battery staple"),
        "email" => json!("sam@example.com"),
        "phone" => json!("+31 30 123 4567"),
        "language" => json!("nl"),
        "lastName" => json!("de Vries"),
        "name" => json!("Riverside"),
        "label" => json!("T-shirt size"),
        "options" => json!([]),
        "line1" => json!("Kanaalstraat 12"),
        "line2" | "region" | "archivedAt" | "archiveReason" | "rotatedAt" => Value::Null,
        "postalCode" => json!("3531 CJ"),
        "city" => json!("Utrecht"),
        "timeZone" => json!("Europe/Amsterdam"),
        "source" => json!("website"),
        "externalId" => json!("CRM-1042"),
        "tags" => json!(["strength", "running"]),
        "tag" => json!("strength"),
        "reason" => json!("Moved away"),
        "title" => json!("Intake"),
        "body" => json!("Prefers to train in the morning."),
        "description" => json!("With a view of the river"),
        "startTime" => json!("18:30"),
        "startDate" | "weekStart" => json!("2026-03-30"),
        "dayName" => json!("Lower body"),
        "planName" => json!("Strength in twelve weeks"),
        "superset" => json!("A"),
        "opens" => json!("09:00"),
        "closes" => json!("17:00"),
        "latitude" => json!(52.0907),
        "longitude" => json!(5.1214),
        "relationship" => json!("partner"),
        "operation" => json!("update_client"),
        "clientId" | "companyId" => json!("019a8f3c2b7d4e5f60718293"),
        "limit" | "pageSizeDefault" => json!(20),
        "remaining" => json!(599),
        "resetSeconds" => json!(60),
        "retryAfterSeconds" => json!(12),
        "total" | "totalPages" | "page" => json!(1),
        "hasNextPage" | "hasPrevPage" | "replayed" | "isRestDay" | "isDeleted" | "isArchived"
        | "isBeforeStart" | "locked" => json!(false),
        "endDate" | "until" => json!("2026-06-21"),
        "from" => json!("2026-03-01"),
        "to" => json!("2026-03-31"),
        "token" => json!("fsiv_019a8f3c2b7d4e5f60718293…"),
        _ => return None,
    })
}
