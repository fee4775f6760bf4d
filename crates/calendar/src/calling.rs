//! Who may do what in whose calendar.

use spotter_contract::{Actor, Payload, Read, Role, Write};
use spotter_core::live;
use spotter_kernel::{
    Event, Key, Problem, Result,
    id::{ClientId, CoachId},
};

use crate::vocabulary::CancelledBy;

/// Coaches change their own calendar; managers, and integrations, everybody's.
pub fn check_own_calendar(cx: &Read, coach: CoachId) -> Result<()> {
    match cx.caller().actor {
        Actor::Coach { id, role: Role::Coach, .. } if id != coach => {
            Err(Problem::because(Key::Forbidden, "Coaches change their own calendar."))
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
        Actor::Device { .. } | Actor::System => CancelledBy::System,
    }
}

/// Tells integrations of something, and the client and the coach as it happens.
pub fn tell(
    cx: &mut Write,
    event: Event,
    told: &impl Payload,
    (client, coach): (ClientId, CoachId),
) -> Result<()> {
    cx.emit(event, told)?;
    let people = [client.0, coach.0];
    live::open(cx, people)?;
    live::tell(cx, &people, event.name(), told)
}

/// Refuses a range that is missing, turned round, or longer than so many days.
pub fn check_range(
    from: Option<spotter_kernel::Timestamp>,
    to: Option<spotter_kernel::Timestamp>,
    days_max: i64,
) -> Result<crate::window::Span> {
    let (Some(from), Some(to)) = (from, to) else {
        let field = if from.is_none() { "from" } else { "to" };
        return Err(Problem::field(Key::DateRangeRequired, field, "must be given"));
    };
    spotter_kernel::in_order(Some(from), Some(to), "to")?;
    if to > from.plus_days(days_max) {
        let rule = format!("must be at most {days_max} days after from");
        return Err(Problem::field(Key::DateRangeTooLarge, "to", &rule));
    }
    Ok(crate::window::Span::new(from, to))
}
