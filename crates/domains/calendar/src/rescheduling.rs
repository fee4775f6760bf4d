//! Moving a booking, which keeps its id: an appointment moves its event, a seat moves to another class.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Path, Write, operation, settling};
use spotter_kernel::{
    Event, Key, Problem, Result, Timestamp,
    id::{CoachId, LocationId},
    text::Text,
};
use spotter_people::coaches::Coach;

use crate::{
    booking::Booking,
    bookings::{BookingAnswer, BookingPath, NewBookingRequest, STAFFS, check_staffs, slot_of},
    cancellation::{self, Side},
    create::{BookableSlot, BookingDraft, bookable_type, find_slot},
    events::CalendarEvent,
    notice,
    rules::CalendarRule,
    slots::RefusedSlot,
    types::EventType,
    vocabulary::{
        AttendanceStatus, BookingStatus, CalendarEventId, CancellationTiming, CancelledBy,
        CapacityAction, EventKind,
    },
    waitlist,
};

/// The new time of a booking: a slot by its token, another class, or another start.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BookingRescheduling {
    /// A slot token; the other fields of the slot must be absent.
    pub slot_token: Option<Text<200>>,
    /// The class.
    pub calendar_event_id: Option<CalendarEventId>,
    /// The coach; unchanged when absent.
    pub coach_id: Option<CoachId>,
    /// Location; unchanged when absent.
    pub location_id: Option<LocationId>,
    /// Instant at which it begins, in UTC.
    pub starts_at: Option<Timestamp>,
    /// How a full class is handled; `reject` when absent, `overbook` for staff only.
    pub capacity_action: Option<CapacityAction>,
    /// Moves it whatever notice, hours and limits say, as long as coach and place are free.
    pub ignore_policy: bool,
    /// Moves it although the client has another booking then.
    pub allow_overlap: bool,
    /// Side that chooses the time: `coach` when absent for a coach, `client` for an integration.
    /// The other side can cancel free of charge until `freeUntil`.
    pub rescheduled_by: Option<Side>,
    /// Sentence to the client, in the letter that tells them of it.
    pub message: Option<Text<500>>,
}

/// Fields of a move that only staff may set.
const STAFF_FIELDS: &[&str] = &["ignorePolicy", "allowOverlap", "rescheduledBy", "message"];

fn reschedule_booking(
    cx: &mut Write,
    Path(at): Path<BookingPath>,
    Body(to): Body<BookingRescheduling>,
) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    if before.status != BookingStatus::Booked {
        return Err(Problem::conflict("status", CalendarRule::NotBooked));
    }
    if before.attendance_status != AttendanceStatus::Expected {
        return Err(Problem::conflict("attendanceStatus", CalendarRule::NotExpected));
    }
    let late = before.timing(cx.now()) == CancellationTiming::Late;
    if !cx.by_staff() && (late || before.starts_at <= cx.now()) {
        return Err(Problem::conflict("startsAt", CalendarRule::TooLateToMove));
    }
    EventType::ask_ahead(cx, before.event_type_id)?;
    if to.coach_id.is_none() {
        Coach::ask_ahead(cx, before.coach_id)?;
    }
    let event = CalendarEvent::find(cx, before.calendar_event_id)?;
    let by_start = to.slot_token.is_none() && to.calendar_event_id.is_none();
    let is_class = event.kind == EventKind::Class;
    let wanted = NewBookingRequest {
        client_id: Some(before.client_id),
        event_type_id: by_start.then_some(before.event_type_id),
        coach_id: to.coach_id.or(Some(before.coach_id).filter(|_| by_start && !is_class)),
        location_id: to.location_id.or(before.location_id.filter(|_| by_start && !is_class)),
        slot_token: to.slot_token,
        calendar_event_id: to.calendar_event_id,
        starts_at: to.starts_at,
        capacity_action: to.capacity_action,
        ignore_policy: to.ignore_policy,
        allow_overlap: to.allow_overlap,
        ..NewBookingRequest::default()
    };
    check_staffs(cx, &wanted)?;
    let (type_id, draft) = slot_of(cx, &wanted)?;
    if type_id != before.event_type_id {
        return Err(Problem::conflict("eventTypeId", CalendarRule::NotBookingsOwn));
    }
    let stays = draft.starts_at == before.starts_at
        && draft.coach.is_none_or(|coach| coach == before.coach_id)
        && draft.location.is_none_or(|place| Some(place) == before.location_id)
        && draft.class.is_none_or(|class| class == before.calendar_event_id);
    if stays {
        return Ok(BookingAnswer { booking: before.into() });
    }
    let event_type = match cx.by_staff() {
        true => EventType::of(cx, type_id)?,
        false => bookable_type(cx, type_id)?,
    };
    if !cx.by_staff() && event_type.requires_approval {
        return Err(Problem::conflict("eventTypeId", CalendarRule::NeedsApproval));
    }
    let than = Some(before.calendar_event_id.0);
    // Bookings of a series may be further ahead than single ones.
    let ignore_window = cx.by_staff() && before.recurring_booking_id.is_some();
    let moved = Some(before.booking_id);
    let draft = BookingDraft { than, moved, ignore_window, note: before.note.clone(), ..draft };
    let slot = find_slot(cx, &event_type, &draft)?;
    let is_exception = before.recurring_booking_id.is_some();
    let by = cancellation::side(cx, to.rescheduled_by);
    cx.as_of(before.updated_at);
    let (event_type, draft, message) = (&event_type, &draft, to.message);
    let to = Move { event_type, draft, slot, is_exception, by };
    let booking = move_to(cx, &before, event, to)?;
    notice::add_message(cx, booking.client_id, booking.booking_id, message.as_deref())?;
    booking.describe_move(cx, &before);
    Ok(BookingAnswer { booking: booking.into() })
}

/// The target of a move, and who moves it.
pub struct Move<'m> {
    /// Its event type.
    pub event_type: &'m EventType,
    /// The requested booking.
    pub draft: &'m BookingDraft,
    /// The slot of the draft, found in the same transaction.
    pub slot: BookableSlot,
    /// Whether it is an exception of its series from now on.
    pub is_exception: bool,
    /// The side that moves it.
    pub by: CancelledBy,
}

/// Moves a booking away from its event.
pub fn move_to(
    cx: &mut Write,
    before: &Booking,
    mut event: CalendarEvent,
    to: Move<'_>,
) -> Result<Booking> {
    let Move { event_type, draft, slot, is_exception, by } = to;
    let BookableSlot { start, buffers, is_limited } = slot;
    let (mut booking, mut left) = (before.clone(), None);
    match start.class {
        None => {
            let was = event.clone();
            event.give_back(cx)?;
            event.coach_id = start.coach;
            event.location_id = start.location;
            (event.starts_at, event.ends_at) = (start.span.start, start.span.end);
            event.time_zone = start.zone;
            (event.before_minutes, event.after_minutes) = (buffers.before, buffers.after);
            event.moves += 1;
            event.take(cx, is_limited)?;
            event.revise(cx, &was)?;
        }
        Some(mut other) => {
            if other.free_seats() == 0 && draft.capacity != CapacityAction::Overbook {
                return Err(RefusedSlot::full(draft, other.starts_at).problem(cx, event_type)?);
            }
            other.seats_taken += 1;
            other.save(cx)?;
            cancellation::give_up(cx, &mut event, before)?;
            left = Some(std::mem::replace(&mut event, other));
        }
    }
    booking.follow(cx, &event, by)?;
    booking.rescheduled_from = Some(before.starts_at);
    booking.is_exception = is_exception;
    if let Some((series, date)) = draft.series {
        booking.recurring_booking_id = Some(series);
        booking.occurrence_date = Some(date);
    }
    booking.note.clone_from(&draft.note);
    booking.save(cx, before, Event::BookingUpdated)?;
    if let Some(mut left) = left {
        waitlist::fill(cx, &mut left)?;
    }
    Ok(booking)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/bookings/{bookingId}/reschedule", BookingsWrite, reschedule_booking)
            .summary("Reschedule a booking")
            .describe(
                "Moves a booking to another start, coach or class of the same type, and keeps its \
                 id. Clients may do so until the cancellation window begins.",
            )
            .for_own(STAFFS)
            .staff_only_input(STAFF_FIELDS)
            .emits(settling![BookingUpdated])
            .always(&[Event::BookingUpdated])
            .confirmation()
            .fails(&[Key::AvailabilitySlotNotBookable, Key::ApiError, Key::CompanyNotFound]),
    ])
}
