//! Calling off what a closure closes: its classes and appointments, a number at a time.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, OptionalBody, Path, Read, Success, Write, answer, operation};
use spotter_kernel::{
    Key, Result,
    id::{CoachId, LocationId},
    text::Text,
};
use spotter_store::{params, statements};

use crate::{
    classes::{CallingOff, call_off},
    closures::{AvailabilityRule, RulePath},
    correcting,
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::Span,
    permissions,
};

/// Most events that one request calls off.
const AT_ONCE: usize = 100;
/// Most events that are counted.
const COUNTED_MAX: i64 = 5_000;

/// Why what is closed does not take place.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClosedEventsCancellation {
    /// Reason; stored with the bookings, not sent to clients.
    reason: Option<Text<500>>,
    /// Sentence to the clients, in the letter that tells them of it.
    message: Option<Text<500>>,
}

answer!(
    /// What was called off.
    ClosedEventsAnswer {
        availability_rule: AvailabilityRule,
        /// Number of classes and appointments that were cancelled, at most 100.
        cancelled_events: i64,
        /// Number of their bookings.
        cancelled_bookings: i64,
        /// Number of classes and appointments within the closure that are left: send the request again for them.
        remaining_events: i64,
    }
);

/// The scheduled events to come of a coach, at a location, or of the company, that overlap the given spans.
fn events_within(
    cx: &mut Read,
    coach: Option<CoachId>,
    location: Option<LocationId>,
    spans: &[Span],
) -> Result<Vec<CalendarEvent>> {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Ok(Vec::new()) };
    // An event that overlaps a range may have begun a day before it.
    let (from, to) = (first.start.plus_days(-1).max(cx.now()), last.end);
    let mut found: Vec<CalendarEvent> = match (coach, location) {
        (Some(coach), _) => cx.all(OF_COACH, params![from, to, coach, COUNTED_MAX])?,
        (_, Some(place)) => cx.all(AT_LOCATION, params![from, to, place, COUNTED_MAX])?,
        _ => cx.all(OF_COMPANY, params![from, to, COUNTED_MAX])?,
    };
    found.retain(|event| spans.iter().any(|closed| closed.overlaps(&event.span())));
    Ok(found)
}

fn cancel_closed_events(
    cx: &mut Write,
    Path(at): Path<RulePath>,
    OptionalBody(why): OptionalBody<ClosedEventsCancellation>,
) -> Result<ClosedEventsAnswer> {
    let rule = AvailabilityRule::find(cx, at.availability_rule_id)?;
    let closed = rule.spans(cx)?;
    let mut events = events_within(cx, rule.coach_id, rule.location_id, &closed)?;
    let remaining = events.len().saturating_sub(AT_ONCE) as i64;
    events.truncate(AT_ONCE);
    let why = CallingOff { reason: why.reason.as_deref(), message: why.message.as_deref() };
    let (classes, mut bookings) = (events.len() as u64, 0);
    for mut event in events {
        permissions::check_own_calendar(cx, event.coach_id)?;
        bookings += call_off(cx, &mut event, why)?;
    }
    cx.describe_count(classes, || CalendarEffect::ClassesCalledOff { classes, bookings });
    cx.set_audit_target("availability_rule", rule.availability_rule_id, ["calendarEvents"]);
    Ok(ClosedEventsAnswer {
        availability_rule: rule,
        cancelled_events: classes as i64,
        cancelled_bookings: bookings as i64,
        remaining_events: remaining,
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([operation!(app POST
        "/availability-rules/{availabilityRuleId}/cancel-events", Coach, cancel_closed_events)
    .success(Success::Cancelled)
    .summary("Cancel what a closure closes")
    .describe(
        "Cancels the classes and appointments to come within a closure, with their bookings, as early \
         cancellations by the company: at most 100, the earliest first. Each client gets one letter.",
    )
    .emits(correcting![BookingCancelled, BookingRequestRejected])
    .always(&[])
    .fails(&[Key::ApiError])
    .confirmation()])
}

statements! {
    OF_COMPANY = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?4";
    OF_COACH = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND coach_id = ?4 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?5";
    AT_LOCATION = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND location_id = ?4 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?5";
}
