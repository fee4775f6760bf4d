//! Waiting lists: one way to every freed seat. Whatever frees one (a cancellation, a move, more seats, an expired
//! offer) calls [`fill`], which goes down the list.

use spotter_contract::{Area, Effect, Offboarding, Timer, Write, settling};
use spotter_kernel::{
    Event, Id, Result, Timestamp,
    id::{ClientId, CoachId},
};
use spotter_store::{params, statements};

use crate::{
    booking::Booking,
    cancellation,
    create::{BookingDraft, bookable_type, find_slot, look_up_slot},
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::Span,
    types::{EventType, Waitlist},
    vocabulary::{BookingId, BookingStatus, CalendarEventId, CapacityAction, WaitlistMode},
};

/// Events of promoting or removing somebody from a waiting list.
const EVENTS: &[Event] = settling![BookingUpdated, BookingCancelled];

/// Passes free seats to the waiting list: booked at once, or offered for a while. A client who may not book it, or
/// has another booking then, keeps their place.
pub fn fill(cx: &mut Write, event: &mut CalendarEvent) -> Result<()> {
    let event_type = EventType::of(cx, event.event_type_id)?;
    let waitlist = &event_type.waitlist.0;
    let closes_at = closes_at(event, waitlist);
    let moves_up = waitlist.mode != WaitlistMode::Off && cx.now() < closes_at;
    let is_offered = event_type.is_active() && event.is_scheduled();
    if !moves_up || !is_offered || event.free_seats() == 0 || event.waitlisted == 0 {
        return Ok(());
    }
    for before in Booking::of_event(cx, event.calendar_event_id, BookingStatus::Waitlisted)? {
        if event.free_seats() == 0 {
            break;
        }
        if !look_up_slot(cx, &event_type, &draft(&before, OverriddenRules::default()))?.is_placed()
        {
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
            booking.grant_grace(cx, None)?;
        }
        seat(cx, event, &mut booking)?;
        booking.save(cx, &before, Event::BookingUpdated)?;
    }
    event.save(cx)
}

/// When promotions end, so that nobody can join the list either.
pub fn closes_at(event: &CalendarEvent, waitlist: &Waitlist) -> Timestamp {
    event.starts_at.plus_seconds(-60 * waitlist.closes_minutes_before)
}

/// Rules that staff override for a client on the waiting list.
#[derive(Debug, Clone, Copy, Default)]
pub struct OverriddenRules {
    /// Whether only occupied time counts.
    pub ignore_policy: bool,
    /// Whether the client may have another booking then.
    pub allow_overlap: bool,
}

/// A seat for a client on the waiting list, found by the function that finds all seats: notice was met by joining,
/// and the caller checks whether a seat is free.
fn draft(waiting: &Booking, rules: OverriddenRules) -> BookingDraft {
    BookingDraft {
        client: waiting.client_id,
        starts_at: waiting.starts_at,
        coach: None,
        location: None,
        class: Some(waiting.calendar_event_id),
        capacity: CapacityAction::Overbook,
        ignore_policy: rules.ignore_policy,
        ignore_window: true,
        ignore_notice: true,
        allow_overlap: rules.allow_overlap,
        note: None,
        external_id: None,
        request: None,
        series: None,
        than: Some(waiting.calendar_event_id.0),
        moved: Some(waiting.booking_id),
    }
}

/// Gives a seat to a client of the waiting list.
fn seat(cx: &mut Write, event: &mut CalendarEvent, booking: &mut Booking) -> Result<()> {
    booking.waitlist_position = None;
    event.waitlisted -= 1;
    event.seats_taken += 1;
    booking.hold(cx)
}

/// Gives a seat to a client of the waiting list by decision of staff, whether or not one is free. All rules apply
/// except for the overridden ones.
pub fn promote(cx: &mut Write, before: &Booking, rules: OverriddenRules) -> Result<Booking> {
    let event_type = bookable_type(cx, before.event_type_id)?;
    find_slot(cx, &event_type, &draft(before, rules))?;
    let mut event = CalendarEvent::find(cx, before.calendar_event_id)?;
    let mut booking = before.clone();
    booking.status = BookingStatus::Booked;
    booking.grant_grace(cx, None)?;
    seat(cx, &mut event, &mut booking)?;
    event.save(cx)?;
    booking.save(cx, before, Event::BookingUpdated)?;
    Ok(booking)
}

/// What kept a client from a seat is gone: the lines in which they wait move up soon.
fn move_up_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let now = cx.now();
    for (event,) in cx.all::<(CalendarEventId,)>(WAITS_FOR, params![ClientId(client), now])? {
        cx.set_timer(&MOVE_UP_WAITLIST, event, now)?;
    }
    Ok(0)
}

/// The same for all waiting lists of classes within a range that a closure no longer covers.
pub fn move_up_within(cx: &mut Write, range: Span) -> Result<()> {
    let now = cx.now();
    let from = range.start.max(now);
    for (event,) in cx.all::<(CalendarEventId,)>(LINES_WITHIN, params![from, range.end])? {
        cx.set_timer(&MOVE_UP_WAITLIST, event, now)?;
    }
    Ok(())
}

fn move_up_waitlist(cx: &mut Write, event: Id) -> Result<()> {
    let mut event = CalendarEvent::find(cx, CalendarEventId(event))?;
    fill(cx, &mut event)
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

/// Schedules the end of a waiting list at the start of its event; set with its first entry.
pub fn close_at_start(cx: &mut Write, event: &CalendarEvent) -> Result<()> {
    cx.set_timer(&CLOSE_WAITLIST, event.calendar_event_id, event.starts_at)
}

/// Expires an offer that was not accepted, and offers the seat to the next.
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
    Timer::new("lapse_offer", "Expire the offer of a seat", lapse_offer).emits(EVENTS);

static CLOSE_WAITLIST: Timer =
    Timer::new("close_waitlist", "Close a waiting list when its event begins", close_waitlist)
        .emits(EVENTS);

static MOVE_UP_WAITLIST: Timer =
    Timer::new("move_up_waitlist", "Promote a client from a waiting list", move_up_waitlist)
        .emits(EVENTS);

/// The same for a coach's classes, which can be booked again.
fn move_up_of_coach(cx: &mut Write, coach: Id) -> Result<u64> {
    let now = cx.now();
    let lines: Vec<(CalendarEventId,)> = cx.all(LINES_OF_COACH, params![CoachId(coach), now])?;
    for (event,) in &lines {
        cx.set_timer(&MOVE_UP_WAITLIST, *event, now)?;
    }
    Ok(lines.len() as u64)
}

const ENDS: &[Effect] = &[
    Effect::new(
        Offboarding::ObstacleEnded,
        || CalendarEffect::WaitlistsOfClientMoveUp.into(),
        move_up_of_client,
    ),
    Effect::new(
        Offboarding::CoachReturned,
        || CalendarEffect::WaitlistsOfClassesMoveUp.into(),
        move_up_of_coach,
    ),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&LAPSE_OFFER, &CLOSE_WAITLIST, &MOVE_UP_WAITLIST]).ends(ENDS)
}

statements! {
    LINES_WITHIN = "SELECT calendar_event_id FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND waitlisted > 0 AND status = 'scheduled' \
        ORDER BY starts_at LIMIT 5000";
    LINES_OF_COACH = "SELECT calendar_event_id FROM calendar_event WHERE company_id = ?1 AND coach_id = ?2 \
        AND starts_at > ?3 AND waitlisted > 0 AND status = 'scheduled' ORDER BY starts_at LIMIT 5000";
    WAITS_FOR = "SELECT calendar_event_id FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND starts_at > ?3 AND status = 'waitlisted' ORDER BY starts_at LIMIT 100";
}
