//! Attendance: who came. It can be marked from an hour before the start on, and corrected, which reverses exactly
//! what it did.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, Path, Read, Timer, Write, answer,
    entitlement::{EntitlementState, ForfeitReason, ReleaseReason},
    operation,
};
use spotter_kernel::{Event, Id, Key, Many, Problem, Result, text::quoted};
use spotter_store::Json;

use crate::{
    booking::{Booking, BookingView},
    bookings::{BookingAnswer, BookingPath},
    effects::CalendarEffect,
    events::{CalendarEvent, EventPath},
    hours::local,
    rules::CalendarRule,
    vocabulary::{AttendanceStatus, BookingId, BookingStatus},
};

/// Seconds before the start from which attendance can be marked.
const EARLIEST_SECONDS: i64 = 3_600;

/// The attendance of a booking.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAttendance {
    /// `expected` removes the mark.
    pub attendance_status: AttendanceStatus,
}

/// The attendance of each booking.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OneAttendance {
    /// Whose attendance is marked.
    booking_id: BookingId,
    /// `expected` removes the mark.
    attendance_status: AttendanceStatus,
}

/// The attendance of the bookings of an event.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewAttendances {
    /// 1 to 200 bookings of the event.
    attendance: Many<OneAttendance, 1, 200>,
}

answer!(BookingsAnswer { bookings: Vec<BookingView> });

/// Refuses a booking whose attendance cannot be marked: without a seat, or too early.
pub(super) fn check(cx: &Read, booking: &Booking) -> Result<()> {
    if booking.status != BookingStatus::Booked {
        return Err(Problem::conflict("status", CalendarRule::NotBooked));
    }
    if cx.now() < booking.starts_at.plus_seconds(-EARLIEST_SECONDS) {
        return Err(Problem::conflict("startsAt", CalendarRule::AttendanceTooEarly));
    }
    Ok(())
}

/// Marks attendance.
pub fn mark(cx: &mut Write, before: &Booking, status: AttendanceStatus) -> Result<Booking> {
    check(cx, before)?;
    let mut booking = before.clone();
    if before.attendance_status == status {
        return Ok(booking);
    }
    undo(cx, &mut booking)?;
    let (booking_credits, taking) = (cx.entitlements()?, before.taking());
    let told_too_late = before.free_until.is_some_and(|until| until > before.starts_at);
    booking.entitlement = Json(match status {
        AttendanceStatus::Expected => booking.entitlement.0,
        AttendanceStatus::Attended => {
            booking.checked_in_at = Some(cx.now());
            booking_credits.consume(cx, &taking)?
        }
        // A client does not pay for missing a time that others have chosen for them so late.
        AttendanceStatus::NoShow if told_too_late => {
            booking_credits.release(cx, &taking, ReleaseReason::Excused)?
        }
        AttendanceStatus::NoShow => {
            let fee = before.policy.0.no_show_fee;
            booking.fee = fee.map(Json);
            booking_credits.forfeit(cx, &taking, ForfeitReason::NoShow, fee.as_ref())?
        }
        AttendanceStatus::Excused => {
            booking_credits.release(cx, &taking, ReleaseReason::Excused)?
        }
    });
    booking.attendance_status = status;
    booking.save(cx, before, Event::BookingUpdated)?;
    Ok(booking)
}

/// Reverses the effects of a mark on a booking: used credits are held again, and a fee is cancelled, with a credit
/// note where it was billed. The caller saves the booking.
pub fn undo(cx: &mut Write, booking: &mut Booking) -> Result<()> {
    if booking.attendance_status == AttendanceStatus::Expected {
        return Ok(());
    }
    booking.entitlement = Json(cx.entitlements()?.reinstate(cx, &booking.taking())?);
    booking.attendance_status = AttendanceStatus::Expected;
    booking.fee = None;
    booking.checked_in_at = None;
    Ok(())
}

fn set_booking_attendance(
    cx: &mut Write,
    Path(at): Path<BookingPath>,
    Body(new): Body<NewAttendance>,
) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    let word = new.attendance_status.word().replace('_', " ");
    let at_start = local(before.starts_at, &before.time_zone);
    cx.describe_effect(|| CalendarEffect::AttendanceMarked {
        name: quoted(&before.name),
        at_start: at_start.to_string(),
        word: word.to_string(),
    });
    cx.as_of(before.updated_at);
    Ok(BookingAnswer { booking: mark(cx, &before, new.attendance_status)?.into() })
}

fn set_event_attendance(
    cx: &mut Write,
    Path(at): Path<EventPath>,
    Body(new): Body<NewAttendances>,
) -> Result<BookingsAnswer> {
    let event = CalendarEvent::find(cx, at.calendar_event_id)?;
    let mut bookings = Vec::new();
    for (number, one) in new.attendance.into_iter().enumerate() {
        let field = format!("attendance[{number}].bookingId");
        let before = Booking::find(cx, one.booking_id)
            .map_err(|none| none.missing(&field, CalendarRule::OtherEventsBooking))?;
        if before.calendar_event_id != event.calendar_event_id {
            return Err(Problem::field(Key::NotFound, &field, CalendarRule::OtherEventsBooking));
        }
        bookings.push(mark(cx, &before, one.attendance_status)?.into());
    }
    cx.set_audit_target("calendar_event", event.calendar_event_id, ["attendance"]);
    Ok(BookingsAnswer { bookings })
}

/// Seconds after its end at which an unmarked seat counts as used.
const UNMARKED_SECONDS: i64 = 86_400;

/// Schedules the settlement of a booking a day after its end, in case nobody marks attendance.
pub fn schedule_settlement(cx: &mut Write, booking: &Booking) -> Result<()> {
    let due_at = booking.ends_at.plus_seconds(UNMARKED_SECONDS);
    cx.set_timer(&SETTLE_UNMARKED, booking.booking_id, due_at)
}

fn settle_unmarked(cx: &mut Write, booking: Id) -> Result<()> {
    let before = Booking::find(cx, BookingId(booking))?;
    let unmarked = before.status == BookingStatus::Booked
        && before.attendance_status == AttendanceStatus::Expected
        && before.entitlement.0.state == EntitlementState::Held;
    if !unmarked {
        return Ok(());
    }
    if cx.now() < before.ends_at.plus_seconds(UNMARKED_SECONDS) {
        // It was moved since the timer was set.
        return schedule_settlement(cx, &before);
    }
    let mut booking = before.clone();
    booking.entitlement = Json(cx.entitlements()?.consume(cx, &before.taking())?);
    booking.save(cx, &before, Event::BookingUpdated)
}

static SETTLE_UNMARKED: Timer = Timer::new(
    "settle_unmarked",
    "Consume the credits of a booking without attendance",
    settle_unmarked,
)
.emits(&[Event::BookingUpdated]);

/// Events of reversing attendance: a billed fee is reversed by a credit note.
#[macro_export]
macro_rules! correcting {
    ($($event:ident),* $(,)?) => {
        &[
            $(spotter_kernel::Event::$event,)*
            spotter_kernel::Event::BookingUpdated,
            spotter_kernel::Event::CreditAdjusted,
            spotter_kernel::Event::CreditRevoked,
            spotter_kernel::Event::CreditAssigned,
            spotter_kernel::Event::InvoiceCreated,
            spotter_kernel::Event::InvoicePaid,
            spotter_kernel::Event::InvoiceCancelled,
            spotter_kernel::Event::SubscriptionChanged,
            spotter_kernel::Event::PaymentRequestCancelled,
        ]
    };
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&SETTLE_UNMARKED]).operations([
        operation!(POST "/bookings/{bookingId}/attendance", BookingsWrite, set_booking_attendance)
            .summary("Mark attendance")
            .describe(
                "Marks a booking as `attended`, `no_show` or, again, `expected`. Allowed from one \
                 hour before the start. A no-show is charged by the booking's policy; correcting \
                 it reverses the fee.",
            )
            .emits(correcting![])
            .always(&[Event::BookingUpdated])
            .fails(&[Key::ApiError])
            .confirmation(),
        operation!(app POST "/calendar/events/{calendarEventId}/attendance", Coach,
            set_event_attendance)
        .summary("Mark attendance of a class")
        .describe("Marks several bookings of a class at once.")
        .emits(correcting![])
        .always(&[Event::BookingUpdated])
        .fails(&[Key::ApiError]),
    ])
}
