//! Permissions: who may do what in whose calendar.

use spotter_company::live;
use spotter_contract::{Actor, Payload, Read, Role, Write};
use spotter_kernel::{
    Event, Key, Problem, Result, Rule, Timestamp,
    id::{ClientId, CoachId},
};

use crate::{rules::CalendarRule, vocabulary::CancelledBy};

/// Coaches change their own calendar; managers, and integrations, everybody's.
pub fn check_own_calendar(cx: &Read, coach: CoachId) -> Result<()> {
    match cx.caller().actor {
        Actor::Coach { id, role: Role::Coach, .. } if id != coach => {
            Err(Problem::because(Key::Forbidden, CalendarRule::OwnCalendar))
        }
        _ => Ok(()),
    }
}

/// Who the caller is to a booking.
pub fn canceller(cx: &Read) -> CancelledBy {
    match cx.caller().actor {
        Actor::Client { .. } => CancelledBy::Client,
        Actor::Coach { .. } => CancelledBy::Coach,
        Actor::ApiClient { .. } => CancelledBy::Company,
        Actor::Device { .. } | Actor::Visitor | Actor::System => CancelledBy::System,
    }
}

/// Informs integrations through an event, and the client and the coach live.
pub fn publish(
    cx: &mut Write,
    event: Event,
    payload: &impl Payload,
    client: ClientId,
    coach: CoachId,
) -> Result<()> {
    cx.emit(event, payload)?;
    let people = [client.0, coach.0];
    live::open(cx, people)?;
    live::push(cx, &people, event.name(), payload)
}

/// How far from now anything begins, in days of ten years.
const START_DAYS_MAX: i64 = 3_652;

/// Refuses a start too far in the past or the future.
pub fn check_start(cx: &Read, starts_at: Timestamp) -> Result<()> {
    let now = cx.now();
    let (first, last) = (now.plus_days(-START_DAYS_MAX), now.plus_days(START_DAYS_MAX));
    if !(first..=last).contains(&starts_at) {
        return Err(Problem::invalid("startsAt", CalendarRule::StartTooFar));
    }
    Ok(())
}

/// Refuses a range that is missing, reversed or too long.
pub fn check_range(
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    days_max: i64,
) -> Result<crate::hours::Span> {
    let (Some(from), Some(to)) = (from, to) else {
        let field = if from.is_none() { "from" } else { "to" };
        return Err(Problem::field(Key::DateRangeRequired, field, Rule::Required));
    };
    spotter_kernel::in_order(Some(from), Some(to), "to")?;
    if to > from.plus_days(days_max) {
        return Err(Problem::field(
            Key::DateRangeTooLarge,
            "to",
            Rule::RangeTooWide { days: days_max },
        ));
    }
    Ok(crate::hours::Span::new(from, to))
}
