//! Cancelling: whether it is early or late by the booking's own policy, what it costs, and what happens to the seat.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Effect, Offboarding, OptionalBody, Path, Read, Success, Write, answer,
    entitlement::{EntitlementState, ForfeitReason, ReleaseReason},
    operation, settling,
};
use spotter_kernel::{Event, Id, Key, Money, Problem, Result, Rule, id::ClientId, text::Text};
use spotter_store::{Json, words};

use crate::{
    attendance,
    booking::Booking,
    bookings::{BookingAnswer, BookingPath, STAFFS},
    effects::CalendarEffect,
    events::CalendarEvent,
    notice, permissions, requests,
    rules::CalendarRule,
    types::EventType,
    vocabulary::{
        AttendanceStatus, BookingStatus, CancellationTiming, CancelledBy, EventKind, FreedSeat,
        RequestedTiming,
    },
    waitlist,
};

/// Who cancels a booking, why, and what happens to its seat.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BookingCancellation {
    /// Reason; stored with the booking, not sent to the client.
    pub reason: Option<Text<500>>,
    /// Sentence to the client, in the letter that tells them of it.
    pub message: Option<Text<500>>,
    /// `auto` when absent: by the clock and the booking's policy.
    pub cancellation_timing: Option<RequestedTiming>,
    /// What happens to the seat: `promote` offers it to the waiting list, `release` leaves it to
    /// the next booking; `promote` when absent.
    pub capacity_action: Option<FreedSeat>,
    /// Side that cancels: `coach` when absent for a coach, `client` for an integration. Cancelling
    /// by the company or a coach is always early.
    pub cancelled_by: Option<Side>,
}

words! {
    /// The side that cancels.
    pub enum Side { Client = "client", Coach = "coach", Company = "company" }
}

/// The effects of the cancellation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Quote {
    /// Whether it is early or late; null for waitlisted bookings.
    cancellation_timing: Option<CancellationTiming>,
    /// Fee that is charged.
    fee: Option<Money>,
    /// The credits that come back.
    returned_units: i64,
    /// The credits that are used up all the same.
    forfeited_units: i64,
}

answer!(QuoteAnswer { cancellation: Quote });

/// Fields of a cancellation that only staff may set.
const STAFF_FIELDS: &[&str] = &["cancellationTiming", "cancelledBy", "capacityAction", "message"];

/// The side that the caller acts for, given or implied.
pub fn side(cx: &Read, request: Option<Side>) -> CancelledBy {
    match (request, &cx.caller().actor) {
        (Some(Side::Client), _) => CancelledBy::Client,
        (Some(Side::Coach), _) => CancelledBy::Coach,
        (Some(Side::Company), _) => CancelledBy::Company,
        // Integrations act for their users.
        (None, Actor::ApiClient { .. }) => CancelledBy::Client,
        (None, _) => permissions::canceller(cx),
    }
}

/// Whether a cancellation now is early or late; `None` for a place on a waiting list.
fn timing(
    cx: &Read,
    booking: &Booking,
    cancel: &BookingCancellation,
) -> Option<CancellationTiming> {
    if booking.status != BookingStatus::Booked {
        return None;
    }
    Some(
        match (
            cancel.cancellation_timing.unwrap_or(RequestedTiming::Auto),
            side(cx, cancel.cancelled_by),
        ) {
            (RequestedTiming::Early, _) => CancellationTiming::Early,
            (RequestedTiming::Late, _) => CancellationTiming::Late,
            (RequestedTiming::Auto, CancelledBy::Client) => booking.timing(cx.now()),
            (RequestedTiming::Auto, _) => CancellationTiming::Early,
        },
    )
}

/// Refuses to cancel a booking that is over.
pub(super) fn check(cx: &Read, booking: &Booking) -> Result<()> {
    if booking.status == BookingStatus::Cancelled {
        return Err(Problem::conflict("status", CalendarRule::CancelledAlready));
    }
    if booking.attendance_status != AttendanceStatus::Expected {
        return Err(Problem::conflict("attendanceStatus", CalendarRule::NotExpected));
    }
    if !cx.by_staff() && booking.starts_at <= cx.now() {
        return Err(Problem::conflict("startsAt", Rule::Passed));
    }
    Ok(())
}

fn preview_booking_cancellation(
    cx: &mut Read,
    Path(at): Path<BookingPath>,
    OptionalBody(cancel): OptionalBody<BookingCancellation>,
) -> Result<QuoteAnswer> {
    let booking = Booking::find(cx, at.booking_id)?;
    check(cx, &booking)?;
    let timing = timing(cx, &booking, &cancel);
    let late = timing == Some(CancellationTiming::Late);
    let held = match booking.entitlement.0.state {
        EntitlementState::Held => booking.entitlement.0.units,
        _ => 0,
    };
    let fee = booking.policy.0.late_fee.filter(|_| late);
    let (returned_units, forfeited_units) = if late { (0, held) } else { (held, 0) };
    let cancellation = Quote { cancellation_timing: timing, fee, returned_units, forfeited_units };
    Ok(QuoteAnswer { cancellation })
}

fn cancel_booking(
    cx: &mut Write,
    Path(at): Path<BookingPath>,
    OptionalBody(cancel): OptionalBody<BookingCancellation>,
) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    check(cx, &before)?;
    let timing = timing(cx, &before, &cancel);
    let by = side(cx, cancel.cancelled_by);
    let reason = cancel.reason.map(Into::into);
    let freed = cancel.capacity_action.unwrap_or(FreedSeat::Promote);
    cx.describe_effect(|| CalendarEffect::BookingCancelled);
    match timing {
        Some(CancellationTiming::Late) => {
            cx.describe_effect(|| CalendarEffect::CancelledLate);
        }
        Some(CancellationTiming::Early) => {
            cx.describe_effect(|| CalendarEffect::CancelledEarly);
        }
        None => {}
    }
    cx.as_of(before.updated_at);
    let booking = cancelled(cx, &before, Cancellation { by, timing, reason }, freed)?;
    notice::add_message(cx, booking.client_id, booking.booking_id, cancel.message.as_deref())?;
    Ok(BookingAnswer { booking: booking.into() })
}

/// Who cancels a booking, whether that is early or late, and why.
#[derive(Debug)]
pub struct Cancellation {
    /// The side that cancels.
    pub by: CancelledBy,
    /// `None` for a booking without a seat.
    pub timing: Option<CancellationTiming>,
    /// The given reason.
    pub reason: Option<String>,
}

impl Cancellation {
    /// The cancellation of a booking by the caller, now.
    pub fn now(cx: &Read, booking: &Booking, reason: Option<String>) -> Self {
        let timing = timing(cx, booking, &BookingCancellation::default());
        Self { by: side(cx, None), timing, reason }
    }
}

impl Cancellation {
    /// The cancellation of a booking by the company, which is early.
    pub(super) fn by_company(booking: &Booking, reason: Option<String>) -> Self {
        let timing = (booking.status == BookingStatus::Booked).then_some(CancellationTiming::Early);
        Self { by: CancelledBy::Company, timing, reason }
    }
}

/// Cancels a booking without a caller: an offer lapsed, a waiting list closed, a client left.
pub fn by_system(cx: &mut Write, before: &Booking) -> Result<Booking> {
    let timing = (before.status == BookingStatus::Booked).then_some(CancellationTiming::Early);
    let cancellation = Cancellation { by: CancelledBy::System, timing, reason: None };
    cancelled(cx, before, cancellation, FreedSeat::Promote)
}

/// Cancels a booking: the only way to free a seat or a place on a waiting list. The event and its coach's day are
/// written before anything that follows, in the same order as when booking.
pub fn cancelled(
    cx: &mut Write,
    before: &Booking,
    cancellation: Cancellation,
    freed: FreedSeat,
) -> Result<Booking> {
    EventType::ask_ahead(cx, before.event_type_id)?;
    let mut event = CalendarEvent::find(cx, before.calendar_event_id)?;
    give_up(cx, &mut event, before)?;
    let booking = ended(cx, before, cancellation)?;
    if before.status.has_seat() && freed == FreedSeat::Promote {
        waitlist::fill(cx, &mut event)?;
    }
    Ok(booking)
}

/// Cancels a booking without passing its seat on, for an event that ends as a whole.
pub fn ended(cx: &mut Write, before: &Booking, cancellation: Cancellation) -> Result<Booking> {
    let Cancellation { by, timing, reason } = cancellation;
    let mut booking = before.clone();
    // What does not take place has no absentees.
    attendance::undo(cx, &mut booking)?;
    booking.status = BookingStatus::Cancelled;
    booking.waitlist_position = None;
    booking.offer_expires_at = None;
    booking.cancelled_at = Some(cx.now());
    booking.cancelled_by = Some(by);
    booking.cancellation_timing = timing;
    booking.cancellation_reason = reason;
    if before.status.has_seat() {
        let (booking_credits, taking) = (cx.entitlements()?, before.taking());
        booking.entitlement = Json(if timing == Some(CancellationTiming::Late) {
            let fee = before.policy.0.late_fee;
            booking.fee = fee.map(Json);
            booking_credits.forfeit(cx, &taking, ForfeitReason::LateCancellation, fee.as_ref())?
        } else {
            let why = match by {
                CancelledBy::Client => ReleaseReason::Cancelled,
                _ => ReleaseReason::CalledOff,
            };
            booking_credits.release(cx, &taking, why)?
        });
    }
    booking.save(cx, before, Event::BookingCancelled)?;
    if before.status.has_seat() {
        // The client's time is free again for other waiting lists.
        cx.end(Offboarding::ObstacleEnded, booking.client_id)?;
    }
    Ok(booking)
}

/// Gives up a seat of an event, or a place in its line; an appointment ends with it.
pub fn give_up(cx: &mut Write, event: &mut CalendarEvent, left: &Booking) -> Result<()> {
    if !event.is_scheduled() {
        return Ok(());
    }
    if left.status.has_seat() {
        event.seats_taken -= 1;
    } else {
        event.waitlisted -= 1;
    }
    match event.kind {
        EventKind::Appointment => event.end(cx),
        EventKind::Class => event.save(cx),
    }
}

/// Cancels the bookings of a leaving client, and returns their credits.
fn end_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let client = ClientId(client);
    let mut ended = 0;
    for before in Booking::to_come(cx, client)? {
        // A client who is checked in has come.
        if before.attendance_status == AttendanceStatus::Expected {
            by_system(cx, &before)?;
            ended += 1;
        }
    }
    Ok(ended + requests::end_of_client(cx, client)?)
}

/// Covers bookings otherwise whose purchase has ended or is suspended; those that nothing covers are cancelled and
/// their credits returned.
fn end_of_entitlement(cx: &mut Write, client: Id) -> Result<u64> {
    let mut ended = 0;
    for before in Booking::to_come(cx, ClientId(client))? {
        let was = before.entitlement.0;
        let expected = before.attendance_status == AttendanceStatus::Expected;
        if was.state != EntitlementState::Held || !expected {
            continue;
        }
        let mut booking = before.clone();
        booking.hold(cx)?;
        if booking.entitlement.0.state == EntitlementState::Held {
            booking.save(cx, &before, Event::BookingUpdated)?;
            continue;
        }
        by_system(cx, &before)?;
        ended += 1;
    }
    Ok(ended)
}

const ENDS: &[Effect] = &[
    Effect::new(
        Offboarding::ClientArchived,
        || CalendarEffect::BookingsOfClientCancelled.into(),
        end_of_client,
    ),
    Effect::new(
        Offboarding::EntitlementEnded,
        || CalendarEffect::UncoveredBookingsCancelled.into(),
        end_of_entitlement,
    ),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().ends(ENDS).operations([
        operation!(POST "/bookings/{bookingId}/cancel/preview", BookingsRead,
            preview_booking_cancellation)
        .summary("Preview a cancellation")
        .describe(
            "Returns whether cancelling now would be early or late, and what it would cost. \
                 Changes nothing.",
        )
        .for_own(STAFFS)
        .staff_only_input(STAFF_FIELDS)
        .fails(&[Key::ApiError]),
        operation!(POST "/bookings/{bookingId}/cancel", BookingsWrite, cancel_booking)
            .success(Success::Cancelled)
            .summary("Cancel a booking")
            .describe(
                "Cancels a booking, early or late by the policy it was booked under; staff may \
                 set the timing. The freed seat goes to the waitlist unless `capacityAction` is \
                 `release`.",
            )
            .for_own(STAFFS)
            .staff_only_input(STAFF_FIELDS)
            .emits(settling![BookingCancelled, BookingUpdated])
            .always(&[Event::BookingCancelled])
            .fails(&[Key::ApiError])
            .confirmation(),
    ])
}
