//! Waiting lists: one way to every freed seat. Whatever frees one (a cancellation, a move, more seats, an
//! offer that lapses) calls [`fill`], which goes down the line.

use spotter_contract::{Area, Timer, Write, settling};
use spotter_kernel::{Event, Id, Result, Timestamp};

use crate::{
    booking::{self, Booking},
    cancellation,
    events::CalendarEvent,
    offer::meets,
    types::{EventType, Waitlist},
    vocabulary::{BookingId, BookingStatus, CalendarEventId, WaitlistMode},
};

/// What moves up a line, or ends a place in it, may tell.
const EVENTS: &[Event] = settling![BookingUpdated, BookingCancelled];

/// Gives free seats to those who wait: booked at once, or offered for a while. Who may not have it, or is
/// somewhere else then, keeps their place.
pub fn fill(cx: &mut Write, event: &mut CalendarEvent) -> Result<()> {
    let event_type = EventType::of(cx, event.event_type_id)?;
    let waitlist = &event_type.waitlist.0;
    let closes_at = closes_at(event, waitlist);
    let moves_up = waitlist.mode != WaitlistMode::Off && cx.now() < closes_at;
    if !moves_up || !event.is_scheduled() || event.free_seats() == 0 || event.waitlisted == 0 {
        return Ok(());
    }
    for before in Booking::of_event(cx, event.calendar_event_id, BookingStatus::Waitlisted)? {
        if event.free_seats() == 0 {
            break;
        }
        if !is_free(cx, &before)? {
            continue;
        }
        let mut booking = before.clone();
        if waitlist.mode == WaitlistMode::Offer {
            let until = cx.now().plus_seconds(60 * waitlist.offer_minutes).min(closes_at);
            booking.status = BookingStatus::Offered;
            booking.offer_expires_at = Some(until);
            cx.set_timer(&LAPSE_OFFER, booking.booking_id, until)?;
        } else {
            booking.status = BookingStatus::Booked;
        }
        seat(cx, event, &mut booking)?;
        booking.save(cx, &before, Event::BookingUpdated)?;
    }
    event.save(cx)
}

/// From when on nobody moves up, so that nobody joins the line either.
pub fn closes_at(event: &CalendarEvent, waitlist: &Waitlist) -> Timestamp {
    event.starts_at.plus_seconds(-60 * waitlist.closes_minutes_before)
}

/// Whether somebody who waits is free then, and may have the seat.
fn is_free(cx: &mut Write, waiting: &Booking) -> Result<bool> {
    let around = crate::window::Span::new(waiting.starts_at.plus_days(-1), waiting.ends_at);
    let than = Some(waiting.calendar_event_id.0);
    let elsewhere = booking::times_of(cx, waiting.client_id, around, than)?;
    if meets(&elsewhere, &waiting.span()) {
        return Ok(false);
    }
    let quoted = cx.settling()?.quote(cx, &waiting.taking(), &[waiting.starts_at])?;
    Ok(quoted.iter().all(Option::is_some))
}

/// Takes a seat for somebody who waited.
fn seat(cx: &mut Write, event: &mut CalendarEvent, booking: &mut Booking) -> Result<()> {
    booking.waitlist_position = None;
    event.waitlisted -= 1;
    event.seats_taken += 1;
    booking.hold(cx)
}

/// Gives a seat to somebody who waits because staff say so, whether or not there is one.
pub fn promote(cx: &mut Write, before: &Booking) -> Result<Booking> {
    let mut event = CalendarEvent::find(cx, before.calendar_event_id)?;
    let mut booking = before.clone();
    booking.status = BookingStatus::Booked;
    seat(cx, &mut event, &mut booking)?;
    event.save(cx)?;
    booking.save(cx, before, Event::BookingUpdated)?;
    Ok(booking)
}

/// Takes an offered seat.
pub fn accept(cx: &mut Write, before: &Booking) -> Result<Booking> {
    let mut booking = before.clone();
    booking.status = BookingStatus::Booked;
    booking.offer_expires_at = None;
    cx.clear_timer(&LAPSE_OFFER, booking.booking_id)?;
    booking.save(cx, before, Event::BookingUpdated)?;
    Ok(booking)
}

/// An offer, and a place in the line, of an event that is moved: neither outlives its start.
pub fn follow(cx: &mut Write, event: &CalendarEvent, booking: &mut Booking) -> Result<()> {
    if let Some(until) = booking.offer_expires_at {
        let until = until.min(event.starts_at);
        booking.offer_expires_at = Some(until);
        cx.set_timer(&LAPSE_OFFER, booking.booking_id, until)?;
    }
    Ok(())
}

/// A place in the line ends when the event begins; set when the first stands in it.
pub fn close_at_start(cx: &mut Write, event: &CalendarEvent) -> Result<()> {
    cx.set_timer(&CLOSE_WAITLIST, event.calendar_event_id, event.starts_at)
}

/// An offer that was not taken is gone, and the next in line is asked.
fn lapse_offer(cx: &mut Write, booking: Id) -> Result<()> {
    let before = Booking::find(cx, BookingId(booking))?;
    let due = before.offer_expires_at.is_some_and(|until| until <= cx.now());
    if before.status == BookingStatus::Offered && due {
        cancellation::by_system(cx, &before)?;
    }
    Ok(())
}

/// Who still waits when an event begins does not come.
fn close_waitlist(cx: &mut Write, event: Id) -> Result<()> {
    let event = CalendarEvent::find(cx, CalendarEventId(event))?;
    if event.starts_at > cx.now() {
        // It was moved since the timer was set.
        return close_at_start(cx, &event);
    }
    for status in [BookingStatus::Waitlisted, BookingStatus::Offered] {
        for before in Booking::of_event(cx, event.calendar_event_id, status)? {
            cancellation::by_system(cx, &before)?;
        }
    }
    Ok(())
}

static LAPSE_OFFER: Timer =
    Timer::new("lapse_offer", "Take back an offered seat that was not taken", lapse_offer)
        .emits(EVENTS);

static CLOSE_WAITLIST: Timer =
    Timer::new("close_waitlist", "End a waiting list when its event begins", close_waitlist)
        .emits(EVENTS);

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().timers(&[&LAPSE_OFFER, &CLOSE_WAITLIST])
}
