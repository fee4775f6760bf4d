//! The times of bookings, and the events they belong to.

use std::collections::BTreeSet;

use spotter_contract::Read;
use spotter_kernel::{Id, Result, Timestamp, id::ClientId};
use spotter_store::{Bind, Prefetch, params};

use super::affected::{AffectedBookings, LISTED_MAX};
use super::{AffectedBooking, Booking, EVENTS, OF_CLIENT, TIMES};
use crate::{
    events::CalendarEvent,
    hours::Span,
    vocabulary::{BookingStatus, CalendarEventId},
};

/// A client's times in order and without overlaps, except for one event.
pub fn times_of(
    cx: &mut Read,
    client: ClientId,
    range: Span,
    than: Option<Id>,
) -> Result<Vec<Span>> {
    let prefetched = prefetch_times(cx, client, range)?;
    awaited_times(cx, prefetched, than)
}

/// Requests a client's times before they are needed.
pub fn prefetch_times(
    cx: &mut Read,
    client: ClientId,
    range: Span,
) -> Result<Prefetch<(Timestamp, Timestamp, Id)>> {
    cx.prefetch(TIMES, params![client, range.start, range.end])
}

/// The requested times.
pub fn awaited_times(
    cx: &mut Read,
    request: Prefetch<(Timestamp, Timestamp, Id)>,
    than: Option<Id>,
) -> Result<Vec<Span>> {
    let rows = cx.awaited(request)?;
    let others = rows.into_iter().filter(|(_, _, event)| Some(*event) != than);
    Ok(crate::hours::merged(others.map(|(start, end, _)| Span::new(start, end)).collect()))
}

/// The events within a range that a client has booked, or waits for.
pub fn events_of(
    cx: &mut Read,
    client: ClientId,
    range: Span,
) -> Result<BTreeSet<CalendarEventId>> {
    let rows: Vec<(CalendarEventId,)> = cx.all(EVENTS, params![client, range.start, range.end])?;
    Ok(rows.into_iter().map(|(event,)| event).collect())
}

/// Other events of the clients of some events at the same time.
pub fn elsewhere(cx: &mut Read, events: &[CalendarEvent]) -> Result<AffectedBookings> {
    let mut seats = Vec::new();
    for event in events {
        let booked = Booking::of_event(cx, event.calendar_event_id, BookingStatus::Booked)?;
        seats.extend(booked.into_iter().map(|booking| (booking.client_id, event)));
    }
    let params = seats.iter().map(|(client, event)| {
        let from = event.starts_at.plus_days(-1);
        [client.bind(), from.bind(), event.ends_at.bind()].map(|v| v.into_owned()).to_vec()
    });
    let found: Vec<Vec<AffectedBooking>> = cx.all_each(OF_CLIENT, params)?;
    let mut bookings = Vec::new();
    for ((_, event), others) in seats.iter().zip(found) {
        bookings.extend(others.into_iter().filter(|other| {
            let span = Span::new(other.starts_at, other.ends_at);
            other.calendar_event_id != event.calendar_event_id && span.overlaps(&event.span())
        }));
    }
    let total = bookings.len() as i64;
    bookings.truncate(LISTED_MAX);
    Ok(AffectedBookings { total, bookings })
}
