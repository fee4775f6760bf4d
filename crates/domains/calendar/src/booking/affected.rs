//! The bookings that a change would affect, for previews and answers.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::Read;
use spotter_kernel::{
    Result,
    id::{CoachId, LocationId},
};
use spotter_store::params;

use super::{AFFECTED, AFFECTED_AT, AFFECTED_OF_COACH, AffectedBooking};
use crate::hours::Span;

/// The bookings that something concerns.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct AffectedBookings {
    /// Number of records.
    pub(super) total: i64,
    /// The first 100 bookings.
    pub(super) bookings: Vec<AffectedBooking>,
}

/// Most affected bookings that are listed.
pub(super) const LISTED_MAX: usize = 100;
/// Most bookings that are counted.
pub(super) const AFFECTED_MAX: i64 = 20_000;

/// The upcoming bookings of a coach, at a location, or of the company, that overlap the given spans.
pub fn affected(
    cx: &mut Read,
    coach: Option<CoachId>,
    location: Option<LocationId>,
    spans: &[Span],
) -> Result<AffectedBookings> {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        return Ok(AffectedBookings { total: 0, bookings: Vec::new() });
    };
    // A booking that overlaps a range may have begun a day before it.
    let (from, to) = (first.start.plus_days(-1).max(cx.now()), last.end);
    let mut found: Vec<AffectedBooking> = match (coach, location) {
        (Some(coach), _) => cx.all(AFFECTED_OF_COACH, params![from, to, coach, AFFECTED_MAX])?,
        (_, Some(place)) => cx.all(AFFECTED_AT, params![from, to, place, AFFECTED_MAX])?,
        _ => cx.all(AFFECTED, params![from, to, AFFECTED_MAX])?,
    };
    let hit = |booking: &AffectedBooking| {
        let span = Span::new(booking.starts_at, booking.ends_at);
        spans.iter().any(|closed| closed.overlaps(&span))
    };
    found.retain(hit);
    let total = found.len() as i64;
    found.truncate(LISTED_MAX);
    Ok(AffectedBookings { total, bookings: found })
}
