//! Creating bookings: one function for every caller and entry point. It checks the same offer that lists slots.

use spotter_company::locations::Location;
use spotter_contract::{Read, Write};
use spotter_kernel::{
    Date, Id, Problem, Result, Rule, Timestamp,
    id::{ClientId, CoachId, LocationId},
};
use spotter_people::{clients::Client, coaches::Coach};

use crate::{
    booking::{Booking, NewBooking},
    events::{CalendarEvent, NewEvent},
    hours::Span,
    requests::BookingRequest,
    seat_holds::SeatHold,
    slot_search::{SlotQuery, SlotSearch, Start},
    slots::RefusedSlot,
    types::EventType,
    vocabulary::{
        BookingId, BookingRequestId, BookingStatus, Buffers, CalendarEventId, CapacityAction,
        EventKind, EventTypeId, Placement, RecurringBookingId, UnavailableReason, WaitlistMode,
    },
    waitlist,
};

/// A booking to create.
#[derive(Clone)]
pub struct BookingDraft {
    /// The client.
    pub client: ClientId,
    /// Instant at which it begins, in UTC.
    pub starts_at: Timestamp,
    /// The coach, where a certain one is requested.
    pub coach: Option<CoachId>,
    /// Location, if any.
    pub location: Option<LocationId>,
    /// The class, if it is one.
    pub class: Option<CalendarEventId>,
    /// What to do where the event is full.
    pub capacity: CapacityAction,
    /// Whether only occupied time counts.
    pub ignore_policy: bool,
    /// Whether it may be further ahead than single bookings may.
    pub ignore_window: bool,
    /// Whether the minimum notice has been met already.
    pub ignore_notice: bool,
    /// Whether the client may have another booking then.
    pub allow_overlap: bool,
    /// Note by staff.
    pub note: Option<String>,
    /// The integrator's own id for it.
    pub external_id: Option<String>,
    /// The request that it is made from.
    pub request: Option<BookingRequestId>,
    /// Its series, and its date in it.
    pub series: Option<(RecurringBookingId, Date)>,
    /// What does not conflict with it: the hold of its own request, or the event that it is moved from.
    pub than: Option<Id>,
    /// The moved booking: its credits are available for it.
    pub moved: Option<BookingId>,
}

/// The draft of a booking from a request that a coach has accepted.
pub fn draft_of(request: &BookingRequest) -> BookingDraft {
    BookingDraft {
        client: request.client_id,
        starts_at: request.starts_at,
        coach: Some(request.coach_id),
        location: request.location_id,
        class: request.calendar_event_id,
        capacity: CapacityAction::Reject,
        ignore_policy: false,
        ignore_window: true,
        ignore_notice: true,
        allow_overlap: request.allow_overlap,
        note: request.note.clone(),
        external_id: request.external_id.clone(),
        request: Some(request.booking_request_id),
        series: None,
        than: Some(request.booking_request_id.0),
        moved: None,
    }
}

impl BookingDraft {
    /// The draft of a seat at a class for a client, by the rules of clients.
    pub fn of_class(event: &CalendarEvent, client: ClientId, capacity: CapacityAction) -> Self {
        Self {
            client,
            starts_at: event.starts_at,
            coach: None,
            location: None,
            class: Some(event.calendar_event_id),
            capacity,
            ignore_policy: false,
            ignore_window: false,
            ignore_notice: false,
            allow_overlap: false,
            note: None,
            external_id: None,
            request: None,
            series: None,
            than: None,
            moved: None,
        }
    }
}

/// The type, if something new can be booked of it.
pub fn bookable_type(cx: &mut Read, id: EventTypeId) -> Result<EventType> {
    let event_type = EventType::find(cx, id)?;
    if !event_type.is_active() {
        return Err(Problem::conflict("eventTypeId", Rule::Archived));
    }
    Ok(event_type)
}

/// Whether the type, coach and location of a series are all active. Existing occurrences stay; no dates are added
/// while one is archived.
pub fn goes_on(
    cx: &mut Read,
    kind: EventTypeId,
    coach: CoachId,
    location: Option<LocationId>,
) -> Result<bool> {
    let is_held = match location {
        Some(id) => Location::find(cx, id)?.is_active(),
        None => true,
    };
    Ok(is_held
        && EventType::find(cx, kind)?.is_active()
        && Coach::find_assignable(cx, coach).is_ok())
}

/// The client, if they can book.
fn bookable_client(cx: &mut Read, id: ClientId) -> Result<()> {
    if Client::find(cx, id)?.is_archived() {
        return Err(Problem::conflict("clientId", Rule::Archived));
    }
    Ok(())
}

/// Books a slot, or refuses it with its reasons and alternatives.
pub fn book(cx: &mut Write, event_type: &EventType, draft: &BookingDraft) -> Result<Booking> {
    bookable_client(cx, draft.client)?;
    let slot = find_slot(cx, event_type, draft)?;
    // A seat that is held for the client is theirs before those who wait.
    match draft.class {
        Some(class) if release_for_booking(cx, class, draft.client)? => {
            let event = CalendarEvent::find(cx, class)?;
            take_seat(cx, event_type, draft, event)
        }
        _ => book_at(cx, event_type, draft, slot),
    }
}

/// Gives a client's held seat back just before they book it: whether one was held. The seat stays theirs within the
/// transaction.
pub fn release_for_booking(
    cx: &mut Write,
    event: CalendarEventId,
    client: ClientId,
) -> Result<bool> {
    let hold = SeatHold::of(cx, event, client)?;
    hold.map_or(Ok(false), |hold| CalendarEvent::of_ended_hold(cx, &hold).map(|_| true))
}

/// Books a slot that was found bookable in the same transaction.
pub fn book_at(
    cx: &mut Write,
    event_type: &EventType,
    draft: &BookingDraft,
    slot: BookableSlot,
) -> Result<Booking> {
    let BookableSlot { start, buffers, is_limited } = slot;
    match start.class {
        Some(class) => join(cx, event_type, draft, class),
        None => {
            let span = start.span;
            let new = NewEvent {
                kind: EventKind::Appointment,
                event_type_id: event_type.event_type_id,
                event_template_id: None,
                name: event_type.name.clone(),
                coach_id: start.coach,
                location_id: start.location,
                span,
                time_zone: start.zone,
                capacity: 1,
                seats_taken: 1,
                buffers,
                series: None,
            };
            let event = CalendarEvent::create(cx, new, is_limited)?;
            let new = new_booking(cx, event_type, draft, None)?;
            Booking::create(cx, &event, new)
        }
    }
}

fn new_booking(
    cx: &mut Write,
    event_type: &EventType,
    draft: &BookingDraft,
    waitlist_position: Option<i64>,
) -> Result<NewBooking> {
    Ok(NewBooking {
        client_id: draft.client,
        status: match waitlist_position {
            Some(_) => BookingStatus::Waitlisted,
            None => BookingStatus::Booked,
        },
        position: waitlist_position,
        credits: event_type.credits,
        policy: event_type.policy(cx)?,
        request: draft.request,
        series: draft.series,
        note: draft.note.clone(),
        external_id: draft.external_id.clone(),
    })
}

/// A slot that can be booked in this transaction.
pub struct BookableSlot {
    /// Its start, with the coach and the location.
    pub start: Start,
    /// The minutes that the coach needs around it.
    pub buffers: Buffers,
    /// Whether its location holds a limited number of events at once.
    pub is_limited: bool,
}

/// The slot of a draft, or the refusal with its reasons and alternatives.
pub fn find_slot(
    cx: &mut Write,
    event_type: &EventType,
    draft: &BookingDraft,
) -> Result<BookableSlot> {
    match look_up_slot(cx, event_type, draft)? {
        Placement::Placed(slot) => Ok(slot),
        Placement::Blocked(reasons) => {
            // Another class may be another coach's.
            let is_full = reasons.contains(&UnavailableReason::Full);
            let refused = RefusedSlot {
                coach: draft.coach.filter(|_| !is_full),
                ..RefusedSlot::of(draft, draft.starts_at, &reasons)
            };
            Err(refused.problem(cx, event_type)?)
        }
    }
}

/// Looks up the slot of a draft: the check at commit of everything that is booked.
pub fn look_up_slot(
    cx: &mut Write,
    event_type: &EventType,
    draft: &BookingDraft,
) -> Result<Placement<BookableSlot>> {
    let at = draft.starts_at;
    let search = SlotSearch::read(
        cx,
        SlotQuery {
            event_type,
            coach: draft.coach,
            location: draft.location,
            range: Span::from_minutes(at, 1),
            client: Some(draft.client),
            than: draft.than,
            moved: draft.moved,
        },
    )?;
    let part = Span::new(at, at.plus_millis(1));
    let mut found = match draft.ignore_policy && draft.class.is_none() {
        true => search.ignoring_hours(at),
        false => search.starts(cx, part)?,
    };
    if let Some(id) = draft.class {
        found.retain(|start| {
            start.class.as_ref().is_some_and(|class| class.calendar_event_id == id)
        });
    }
    for start in &mut found {
        start.reasons.retain(|reason| match reason {
            UnavailableReason::ClientBusy => !draft.allow_overlap,
            UnavailableReason::Full => draft.capacity == CapacityAction::Reject,
            UnavailableReason::Window => !draft.ignore_policy && !draft.ignore_window,
            UnavailableReason::Notice => !draft.ignore_policy && !draft.ignore_notice,
            UnavailableReason::DailyLimit | UnavailableReason::NotEntitled => !draft.ignore_policy,
            _ => true,
        });
    }
    let best = found
        .iter()
        .filter(|start| start.reasons.is_empty())
        .min_by_key(|start| (search.busy_minutes(start), start.coach, start.location));
    if let Some(best) = best {
        return Ok(Placement::Placed(BookableSlot {
            start: best.clone(),
            buffers: search.buffers_of(best.coach),
            is_limited: search.is_limited(best),
        }));
    }
    let closest = found.iter().min_by_key(|start| start.reasons.len());
    let reasons = closest.map_or(vec![UnavailableReason::Closed], |start| start.reasons.clone());
    Ok(Placement::Blocked(reasons))
}

/// Takes a seat of a class, or a place in its line.
fn join(
    cx: &mut Write,
    event_type: &EventType,
    draft: &BookingDraft,
    mut event: CalendarEvent,
) -> Result<Booking> {
    // Who waits comes before who comes now: what kept them from the seat may be gone.
    if event.free_seats() > 0 && event.waitlisted > 0 {
        waitlist::fill(cx, &mut event)?;
    }
    take_seat(cx, event_type, draft, event)
}

/// Takes a free seat of a class, or a place in its line.
fn take_seat(
    cx: &mut Write,
    event_type: &EventType,
    draft: &BookingDraft,
    mut event: CalendarEvent,
) -> Result<Booking> {
    let full = event.free_seats() == 0;
    if full && draft.capacity == CapacityAction::Reject {
        return Err(RefusedSlot::full(draft, event.starts_at).problem(cx, event_type)?);
    }
    let waits = full && draft.capacity == CapacityAction::Waitlist;
    if waits {
        let waitlist = &event_type.waitlist.0;
        let is_long = waitlist.max_entries.is_some_and(|most| event.waitlisted >= most);
        let is_closed = waitlist::closes_at(&event, waitlist) <= cx.now();
        if waitlist.mode == WaitlistMode::Off || is_long || is_closed {
            return Err(RefusedSlot::full(draft, event.starts_at).problem(cx, event_type)?);
        }
        event.last_position += 1;
        event.waitlisted += 1;
        if event.waitlisted == 1 {
            waitlist::close_at_start(cx, &event)?;
        }
    } else {
        event.seats_taken += 1;
    }
    let position = waits.then_some(event.last_position);
    let new = new_booking(cx, event_type, draft, position)?;
    event.save(cx)?;
    Booking::create(cx, &event, new)
}
