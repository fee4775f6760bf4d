//! Examples of bodies whose fields exclude each other or depend on the day: one with every field would be refused.

use serde_json::Value;

/// The example of a schema that has one of its own.
pub(super) fn of(schema: &str) -> Option<Value> {
    let (_, text) = BODIES.iter().find(|(name, _)| *name == schema)?;
    serde_json::from_str(text).ok()
}

/// By the name of the schema.
const BODIES: &[(&str, &str)] = &[
    (
        "NewAvailabilityRule",
        r#"{"appliesTo": "company", "startDate": "2026-12-25", "endDate": "2026-12-26", "reason": "Christmas"}"#,
    ),
    (
        "NewBookingRequest",
        r#"{"calendarEventId": "019a8f3c2b7d4e5f60718293", "clientId": "019a8f3c2b7d4e5f60718293",
            "externalId": "CRM-1042", "note": "First time here"}"#,
    ),
    (
        "BookingBulk",
        r#"{"bookingIds": ["019a8f3c2b7d4e5f60718293"], "attendanceStatus": "attended"}"#,
    ),
    (
        "CheckupChanges",
        r#"{"dueAt": "2030-03-29T17:00:00.000Z", "expiresAt": "2030-04-05T17:00:00.000Z"}"#,
    ),
    (
        "ClientBulk",
        r#"{"clientIds": ["019a8f3c2b7d4e5f60718293"], "addTags": ["strength"], "removeTags": ["trial"]}"#,
    ),
    (
        "NewCheckup",
        r#"{"formId": "019a8f3c2b7d4e5f60718293", "dueAt": "2030-03-29T17:00:00.000Z",
            "recurrence": {"frequency": "weekly", "interval": 1, "until": "2030-06-21"}, "message": "How was your week?"}"#,
    ),
    (
        "NewFormAssignment",
        r#"{"formId": "019a8f3c2b7d4e5f60718293", "dueAt": "2030-03-29T17:00:00.000Z",
            "message": "Please fill this in before your first session."}"#,
    ),
    (
        "NewGoal",
        r#"{"kind": "measurement", "title": "Down to 77.5 kg", "measurementType": "weight", "direction": "decrease",
            "startValue": 82, "targetValue": 77.5, "unit": "kg", "dueDate": "2030-06-21"}"#,
    ),
    (
        "NewHabit",
        r#"{"name": "Walk", "kind": "amount", "target": 8000, "unit": "steps", "direction": "at_least",
            "schedule": {"kind": "daily"}, "startDate": "2026-03-30"}"#,
    ),
    (
        "NewMeasurement",
        r#"{"type": "weight", "value": 80.4, "unit": "kg", "measuredAt": "2026-03-29T07:00:00.000Z", "source": "device",
            "externalId": "scale-20260329"}"#,
    ),
    (
        "NewCreditAdjustment",
        r#"{"amount": 2, "reason": "Class was cut short", "validUntil": "2030-03-29"}"#,
    ),
    ("NewSale", r#"{"productId": "019a8f3c2b7d4e5f60718293", "externalId": "CRM-1042"}"#),
    (
        "NewDeskSale",
        r#"{"clientId": "019a8f3c2b7d4e5f60718293", "items": [{"productId": "019a8f3c2b7d4e5f60718293", "quantity": 1}],
            "discount": {"percentage": 10, "reason": "Friend of a member"}, "payment": {"kind": "card", "reference": "T-4711"}}"#,
    ),
    ("SubscriptionCancellation", r#"{"reason": "Moved away"}"#),
    (
        "SubscriptionPause",
        r#"{"from": "2030-03-01", "until": "2030-03-22", "reason": "Travelling"}"#,
    ),
    (
        "NewMeasurementType",
        r#"{"label": "Resting heart rate", "unit": "bpm", "decimals": 0, "minimum": 20, "maximum": 220}"#,
    ),
    (
        "NewExercise",
        r#"{"name": "Tempo squat", "trackingType": "weight_reps", "equipment": ["barbell"],
            "primaryMuscles": ["quadriceps"], "secondaryMuscles": ["glutes"], "instructions": "Three seconds down.",
            "videoUrl": "https://example.com/tempo-squat"}"#,
    ),
    (
        "ExerciseChanges",
        r#"{"name": "Tempo squat", "instructions": "Three seconds down, one up."}"#,
    ),
];
