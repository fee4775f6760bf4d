//! Hints for assistants: about tools, where the reference says more than a model needs or less; and about arguments
//! whose name and type are not enough.

use spotter_contract::{Method, Operation};

/// Arguments for programs that assistants do not see: they have no ids and files of their own and no synchronization;
/// consents are given by the person, and emergency contacts are other people.
pub(super) const HIDDEN_ARGUMENTS: &[&str] = &[
    "emergencyContact",
    "externalId",
    "nextCursor",
    "optIns",
    "source",
    "updatedFrom",
    "uploadId",
];

/// Operations that replace something although their method does not say so.
pub(super) const REPLACING: &[&str] = &["reschedule_booking", "set_booking_attendance"];

/// Operations that create no record and still only add: they send something, or return what was taken.
pub(super) const ADDING: &[&str] = &[
    "redeliver_webhook",
    "remind_of_invoice",
    "restore_client",
    "restore_document",
    "send_invoice_copy",
    "test_webhook",
    "unblock_access",
];

/// The hint of an argument of a tool, or of any argument with this name.
pub(super) fn hint(tool: &str, name: &str) -> Option<&'static str> {
    found(HINTS, &format!("{tool}.{name}")).or_else(|| found(HINTS, name))
}

/// The description of a tool: its summary, and further hints. Partial updates share one.
pub(super) fn of(operation: &Operation) -> String {
    let line = operation.summary.trim_end_matches('.');
    match (found(TEXTS, operation.id), operation.method) {
        (Some(text), _) => format!("{line}. {text}"),
        (None, Method::Patch) => format!("{line}. null clears."),
        (None, _) => format!("{line}."),
    }
}

fn found(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.binary_search_by_key(&name, |(own, _)| own).ok().map(|at| table[at].1)
}

/// By argument, or by tool and argument; in the order of the names.
const HINTS: &[(&str, &str)] = &[
    ("adjust_credits.amount", "negative takes back"),
    ("amount", "minor units"),
    ("components", "of a blood pressure"),
    ("create_booking.calendarEventId", "a class"),
    ("list_clients.search", "words of name, email or phone"),
    ("list_measurements.type", "from list_measurement_types"),
    ("measurementType", "from list_measurement_types"),
    ("occurrenceDate", "unless scope is all"),
    ("poolKey", "from get_credits"),
    ("price", "minor units"),
    ("record_measurement.type", "from list_measurement_types"),
    ("reschedule_booking.calendarEventId", "another class"),
    ("slotToken", "from list_slots"),
    ("startTime", "HH:MM"),
    ("timeZone", "IANA"),
    ("weekdays", "1 = Monday"),
    ("weight", "as unit says"),
];

/// By tool, in the order of the names.
const TEXTS: &[(&str, &str)] = &[
    ("adjust_credits", "Never below what the client has."),
    (
        "archive_client",
        "They become former and are signed out; memberships end, with endOfTerm not before their term.",
    ),
    ("assign_client_coach", "In place of the one there is."),
    ("assign_workout_plan", "The client gets a copy."),
    (
        "begin_workout_session",
        "A day of a plan, or free; then set_workout_session_sets and complete_workout_session. With exercises and completedAt it records one that is over.",
    ),
    ("block_access", "No door lets the client in, whatever they have paid."),
    ("cancel_booking", "Late may cost a fee or the credits."),
    ("create_availability_rule", "A closure of the company, a location or a coach."),
    (
        "create_booking",
        "By slotToken, by calendarEventId, or by eventTypeId, coachId and startsAt.",
    ),
    ("create_recurring_booking", "Without untilDate or count it goes on."),
    ("get_attendance_report", "At most 366 days, by day, week or month."),
    ("get_retention_report", "At most 366 days, by day, week or month."),
    ("get_revenue_report", "At most 366 days, by day, week or month; minor units."),
    ("list_calendar_events", "At most 366 days."),
    ("list_clients", "Few facts each; get_client has all."),
    ("list_invoices", "Few facts each; get_invoice has all."),
    ("list_own_conversations", "Those of the person you act for."),
    ("list_slots", "Each with a slotToken; where nextFrom is told, go on from there."),
    ("publish_workout_template", "From then on it can be given to clients."),
    ("record_measurement", "A value in unit, or components."),
    ("set_client_tags", "In place of those there are."),
    ("set_coach_availability", "In place of all there is: get it first."),
    ("set_location_availability", "In place of all there is: get it first."),
    ("set_workout_moment_exercises", "All of a day, in place of those there are."),
    ("set_workout_session_sets", "All of them, in place of those there are."),
    ("update_recurring_booking", "One, one and all after it, or all to come."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(HINTS.is_sorted_by(|a, b| a.0 < b.0) && TEXTS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(hint("adjust_credits", "amount"), Some("negative takes back"));
        assert_eq!(hint("create_payment_request", "amount"), Some("minor units"));
        assert_eq!(hint("list_clients", "nothing"), None);
    }
}
