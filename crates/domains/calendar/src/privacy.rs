//! Privacy: what a data export contains of a client's calendar, and what remains after erasure: that a person
//! attended, because attendance is counted over years.

use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection};
use spotter_store::statements;

const EXPORTS: &[ExportSection] = &[
    ExportSection::of("bookings", "list_bookings"),
    ExportSection::of("recurring-bookings", "list_recurring_bookings"),
    ExportSection::of("booking-requests", "list_booking_requests"),
    ExportSection::of("calendar-tasks", "list_calendar_tasks"),
];

const TRACES: &[ErasureRule] = &[
    ErasureRule::emptied(
        "booking",
        "When the client attended: no notes, no reasons.",
        ErasureAction::By(BOOKINGS),
    ),
    ErasureRule::emptied(
        "booking_request",
        "When a slot was requested: no notes.",
        ErasureAction::By(REQUESTS),
    ),
    ErasureRule::emptied(
        "recurring_booking",
        "When recurring bookings took place: no notes.",
        ErasureAction::By(RECURRING),
    ),
    ErasureRule::emptied(
        "calendar_task",
        "When a coach was busy: not why.",
        ErasureAction::By(TASKS),
    ),
    ErasureRule::gone("calendar_feed", ErasureAction::By(FEEDS)),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).exports(EXPORTS).erases(TRACES)
}

statements! {
    BOOKINGS = "UPDATE booking SET note = NULL, cancellation_reason = NULL, external_id = NULL \
        WHERE company_id = ?1 AND client_id = ?2";
    REQUESTS = "UPDATE booking_request SET note = NULL, external_id = NULL WHERE company_id = ?1 AND client_id = ?2";
    RECURRING = "UPDATE recurring_booking SET note = NULL WHERE company_id = ?1 AND client_id = ?2";
    TASKS = "UPDATE calendar_task SET title = 'Task', note = NULL, client_id = NULL \
        WHERE company_id = ?1 AND client_id = ?2";
    FEEDS = "DELETE FROM calendar_feed WHERE company_id = ?1 AND owner_id = ?2";
}
