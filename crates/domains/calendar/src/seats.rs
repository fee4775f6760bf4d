//! The calendar's part of signing up and buying: seats of classes that are held for a client, booked, or given back when
//! their time is over.

use spotter_contract::{
    Area, Effect, Offboarding, Read, Timer, Write,
    entitlement::{BookedSeat, BookingEntitlement, Seats},
    settling,
};
use spotter_kernel::{Id, Key, Result, Timestamp, id::ClientId};

use crate::{
    booking::Booking,
    create::{BookingDraft, book, bookable_type, find_slot, look_up_slot, release_for_booking},
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::with_offset,
    requests,
    seat_holds::{SeatHold, SeatHoldId},
    slots::RefusedSlot,
    types::EventType,
    vocabulary::{CalendarEventId, CapacityAction, EventKind, Placement, UnavailableReason},
    waitlist,
};

/// Most seats that are held for one client at once.
const HOLDS_MAX: usize = 3;

/// Seats of classes for who signs up or buys.
pub struct ClassSeats;

impl Seats for ClassSeats {
    fn describe(&self, cx: &mut Read, event: Id) -> Result<String> {
        let event = CalendarEvent::find(cx, CalendarEventId(event))?;
        let at = with_offset(event.starts_at, &event.time_zone);
        let (date, time) = (at.get(..10).unwrap_or_default(), at.get(11..16).unwrap_or_default());
        Ok(format!("{}, {date} {time}", event.name))
    }

    fn check_open(
        &self,
        cx: &mut Write,
        event: Id,
        client: ClientId,
    ) -> Result<BookingEntitlement> {
        let event = CalendarEvent::find(cx, CalendarEventId(event))?;
        let event_type = EventType::of(cx, event.event_type_id)?;
        let is_class = event.kind == EventKind::Class && event.is_scheduled();
        if !is_class || event.starts_at <= cx.now() || !event_type.is_shown() {
            return Err(Key::NotFound.into());
        }
        let draft = BookingDraft::of_class(&event, client, CapacityAction::Reject);
        let taking = event_type.taking(client, Id::first_at(cx.now()), event.starts_at);
        let Placement::Blocked(mut reasons) = look_up_slot(cx, &event_type, &draft)? else {
            return Ok(taking);
        };
        reasons.retain(|reason| {
            !matches!(reason, UnavailableReason::Full | UnavailableReason::NotEntitled)
        });
        match reasons.is_empty() {
            true => Ok(taking),
            false => {
                Err(RefusedSlot::of(&draft, event.starts_at, &reasons).problem(cx, &event_type)?)
            }
        }
    }

    fn hold(&self, cx: &mut Write, event: Id, client: ClientId, until: Timestamp) -> Result<bool> {
        let id = CalendarEventId(event);
        let mut event = CalendarEvent::find(cx, id)?;
        let until = until.min(event.starts_at);
        if !event.is_scheduled() || until <= cx.now() || Booking::live_of(cx, id, client)?.is_some()
        {
            return Ok(false);
        }
        if let Some(hold) = SeatHold::of(cx, id, client)? {
            let until = hold.expires_at.max(until);
            hold.extend(cx, until)?;
            cx.set_timer(&RELEASE_SEAT, hold.seat_hold_id, until)?;
            return Ok(true);
        }
        // Who waits comes first.
        let is_free = event.free_seats() > 0 && event.waitlisted == 0;
        if !is_free || SeatHold::all_of(cx, client)?.len() >= HOLDS_MAX {
            return Ok(false);
        }
        event.seats_taken += 1;
        event.save(cx)?;
        let hold = SeatHold {
            seat_hold_id: SeatHoldId(cx.new_id()),
            calendar_event_id: id,
            client_id: client,
            expires_at: until,
        };
        hold.insert(cx)?;
        cx.set_timer(&RELEASE_SEAT, hold.seat_hold_id, until)?;
        Ok(true)
    }

    fn release(&self, cx: &mut Write, event: Id, client: ClientId) -> Result<()> {
        match SeatHold::of(cx, CalendarEventId(event), client)? {
            Some(hold) => give_back(cx, &hold),
            None => Ok(()),
        }
    }

    fn book(&self, cx: &mut Write, event: Id, client: ClientId) -> Result<BookedSeat> {
        let id = CalendarEventId(event);
        if Booking::live_of(cx, id, client)?.is_some() {
            return Ok(BookedSeat::Booked);
        }
        let event = CalendarEvent::find(cx, id)?;
        let event_type = bookable_type(cx, event.event_type_id)?;
        // Notice was met when the client chose the class.
        let draft = BookingDraft {
            ignore_notice: true,
            ..BookingDraft::of_class(&event, client, CapacityAction::Reject)
        };
        if event_type.requires_approval {
            find_slot(cx, &event_type, &draft)?;
            release_for_booking(cx, id, client)?;
            requests::create(cx, &event_type, draft)?;
            return Ok(BookedSeat::Requested);
        }
        book(cx, &event_type, &draft)?;
        Ok(BookedSeat::Booked)
    }
}

/// Gives a seat back, to the waiting list where there is one.
fn give_back(cx: &mut Write, hold: &SeatHold) -> Result<()> {
    let mut event = CalendarEvent::of_ended_hold(cx, hold)?;
    match event.is_scheduled() {
        true => waitlist::fill(cx, &mut event),
        false => Ok(()),
    }
}

/// Gives a seat back that was not booked in time.
fn release_seat(cx: &mut Write, id: Id) -> Result<()> {
    match SeatHold::find(cx, SeatHoldId(id))? {
        Some(hold) if hold.expires_at <= cx.now() => give_back(cx, &hold),
        _ => Ok(()),
    }
}

static RELEASE_SEAT: Timer =
    Timer::new("release_seat", "Give back a seat that was held", release_seat)
        .emits(settling![BookingUpdated, BookingCancelled]);

fn give_back_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let holds = SeatHold::all_of(cx, ClientId(client))?;
    holds.iter().try_for_each(|hold| give_back(cx, hold))?;
    Ok(holds.len() as u64)
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ClientArchived,
    || CalendarEffect::HeldSeatsReturn.into(),
    give_back_of_client,
)];

/// The timers and endings of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&RELEASE_SEAT]).ends(ENDS)
}
