//! No event contains more than ids, statuses and names of changed fields, and the books always hold. After every
//! scenario, every payload and the books of its companies are checked.

use std::{cell::RefCell, sync::Arc};

use serde_json::Value;
use spotter_contract::{Actor, Caller, Read};
use spotter_kernel::{Date, Id, Timestamp, id::CompanyId};
use spotter_store::{Sql, Tx, params};

use super::Server;

/// Words that payloads may contain, by field: nothing that a person has written.
const WORDS: &[(&str, &[&str])] = &[
    ("relationshipStatus", &["pending", "active", "rejected", "archived"]),
    ("memberStatus", &["lead", "active", "paused", "former"]),
    ("portalAccessStatus", &["none", "invited", "active", "revoked"]),
    ("conversationType", &["direct", "group"]),
    ("role", &["Coach", "Client"]),
    (
        "status",
        &[
            "archived",
            "booked",
            "waitlisted",
            "offered",
            "cancelled",
            "pending",
            "approved",
            "rejected",
            "scheduled",
            "active",
            "open",
            "overdue",
            "paid",
            "uncollectible",
            "processing",
            "succeeded",
            "failed",
            "past_due",
            "paused",
            "expired",
            "used",
            "revoked",
            "under_review",
            "won",
            "lost",
            "recorded",
            "deleted",
            "achieved",
            "missed",
            "abandoned",
        ],
    ),
    ("attendanceStatus", &["expected", "attended", "no_show", "excused"]),
    ("cancelledBy", &["client", "coach", "company", "system"]),
    ("cancellationTiming", &["early", "late"]),
    (
        "kind",
        &[
            "invoice",
            "credit_note",
            "card",
            "sepa_debit",
            "ideal",
            "bank_transfer",
            "cash",
            "dispute",
            "debit_return",
            "grant",
            "hold",
            "release",
            "consume",
            "adjust",
            "expire",
            "revoke",
            "settle",
            "measurement",
            "habit",
            "sessions",
            "custom",
            "general",
            "intake",
            "checkup",
        ],
    ),
    (
        "failureCode",
        &[
            "declined",
            "insufficient_funds",
            "method_expired",
            "authentication_required",
            "method_revoked",
            "not_sent",
            "provider_error",
        ],
    ),
    (
        "source",
        &[
            "automatic",
            "request",
            "manual",
            "coach",
            "device",
            "import",
            "api",
            "assistant",
            "form",
        ],
    ),
    (
        "type",
        &[
            "weight",
            "waist",
            "body_fat",
            "blood_pressure",
            "body_temperature",
            "blood_glucose",
            "sleep",
        ],
    ),
    ("productType", &["DayPass", "WeekPass", "Membership", "CreditPack", "Other"]),
    ("currency", &["EUR", "USD", "JPY"]),
    ("poolKey", &["pt", "sauna"]),
    ("rejectionCause", &["coach", "expired", "withdrawn", "slot_gone"]),
];

/// Fields that hold another object with the same rules.
const OBJECTS: &[&str] = &["sender"];

/// Fields that hold an amount, or count something.
const AMOUNTS: &[&str] = &[
    "amount",
    "attempt",
    "balance",
    "formVersion",
    "grossTotal",
    "held",
    "remaining",
    "reminderCount",
];

/// Fields that hold a date.
const DATES: &[&str] = &[
    "date",
    "measuredOn",
    "takenOn",
    "validFrom",
    "validUntil",
    "issueDate",
    "dueDate",
    "startDate",
    "endDate",
    "paidUntil",
    "nextBillingDate",
];

/// Whether it is the number of an invoice or a credit note.
fn is_number(text: &str) -> bool {
    let (series, digits) = text.split_once('-').unwrap_or_default();
    ["INV", "CN"].contains(&series) && digits.chars().all(|c| c.is_ascii_digit() || c == '-')
}

/// What is wrong with a payload, if anything.
fn fault(data: &Value) -> Option<String> {
    let Value::Object(fields) = data else { return Some(format!("{data} is no object")) };
    fields.iter().find_map(|(name, value)| {
        let text = value.as_str();
        let words = WORDS.iter().find(|(field, _)| field == name).map(|(_, words)| *words);
        let fine = match name.as_str() {
            _ if value.is_null() => true,
            "changedFields" => value
                .as_array()
                .is_some_and(|names| names.iter().all(|name| name.as_str().is_some_and(is_field))),
            id if id.ends_with("Id") => text.is_some_and(|text| Id::parse(text).is_some()),
            object if OBJECTS.contains(&object) => return fault(value),
            instant if instant.ends_with("At") => {
                text.is_some_and(|at| Timestamp::parse(at).is_some())
            }
            _ if value.is_boolean() => true,
            amount if AMOUNTS.contains(&amount) => value.is_number(),
            day if DATES.contains(&day) => text.is_some_and(|day| Date::parse(day).is_some()),
            "number" => text.is_some_and(is_number),
            _ => text.zip(words).is_some_and(|(text, words)| words.contains(&text)),
        };
        (!fine).then(|| format!("{name} holds {value}"))
    })
}

/// Whether it is the name of a field, such as `address.city`, or a custom field's by its id.
fn is_field(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let custom = name.strip_prefix("customFields.").is_some_and(|id| Id::parse(id).is_some());
    custom || name.len() <= 60 && name.split('.').all(part)
}

thread_local! {
    /// Companies of the scenario that runs on this thread.
    static COMPANIES: RefCell<Vec<(Arc<Server>, CompanyId)>> = const { RefCell::new(Vec::new()) };
}

/// Registers a company whose events will be checked.
pub fn note(server: Arc<Server>, company: CompanyId) {
    COMPANIES.with_borrow_mut(|all| all.push((server, company)));
}

/// Checks every event of the scenario's companies.
pub async fn check() {
    const EVENTS: Sql = Sql("SELECT type, data FROM event WHERE company_id = ?1");
    for (server, company) in COMPANIES.take() {
        let read = move |tx: &mut Tx<'_>| tx.all(EVENTS, params![company]);
        let events: Vec<(String, String)> = server.db.read(read).await.unwrap();
        for (event, data) in events {
            let data = serde_json::from_str(&data).unwrap();
            assert_eq!(fault(&data), None, "{event} tells too much: {data}");
        }
        let now = server.env.clock.now();
        let audit = move |tx: &mut Tx<'_>| {
            let caller = Caller::new(company, Actor::System);
            spotter_billing::audit::findings(&mut Read::new(tx, &caller, now))
        };
        assert_eq!(server.db.read(audit).await.unwrap(), [], "the books hold");
    }
}

#[test]
fn content_is_noticed() {
    use serde_json::json;
    let id = "0".repeat(24);
    assert_eq!(
        fault(&json!({"clientId": id, "memberStatus": "lead", "changedFields": ["a.bC"]})),
        None
    );
    for response in [
        json!({"messageId": id, "text": "My knee hurts"}),
        json!({"messageId": "My knee hurts"}),
        json!({"memberStatus": "My knee hurts"}),
        json!({"changedFields": ["My knee hurts"]}),
        json!({"changedFields": "name"}),
        json!({"sender": {"userId": id, "name": "Ann"}}),
        json!({"name": "Runners"}),
        json!({"conversationId": id, "extra": {}}),
        json!({"count": 3}),
        json!([id]),
    ] {
        assert!(fault(&response).is_some(), "{response}");
    }
}
