//! Attendance or a cancellation for many bookings at once, of whichever events.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Read, Success, Write, answer, bulk, operation};
use spotter_kernel::{Id, Many, Problem, Result, text::Text};

use crate::{
    attendance,
    booking::Booking,
    cancellation::{self, Cancellation},
    correcting, notice,
    rules::CalendarRule,
    vocabulary::{AttendanceStatus, BookingId, BookingStatus, FreedSeat},
};

/// What is done to many bookings: their attendance is marked, or they are cancelled.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BookingBulk {
    /// The bookings, at most 100.
    booking_ids: Many<BookingId, 1, { bulk::RECORDS_MAX }>,
    /// Attendance to mark; `expected` removes the mark.
    attendance_status: Option<AttendanceStatus>,
    /// Whether to cancel them, as the company would: early, whenever that is. Not with `attendanceStatus`.
    #[serde(default)]
    cancel: bool,
    /// Reason; stored with the bookings, not sent to clients.
    reason: Option<Text<500>>,
    /// Sentence to the clients, in the letter that tells them of it.
    message: Option<Text<500>>,
}

/// What is done to each booking.
enum BookingAct {
    Mark(AttendanceStatus),
    Cancel { reason: Option<String>, message: Option<Text<500>> },
}

impl BookingAct {
    fn of(wanted: BookingBulk) -> Result<(Vec<Id>, Self)> {
        let ids = wanted.booking_ids.iter().map(|id| id.0).collect();
        let act = match (wanted.attendance_status, wanted.cancel) {
            (Some(_), false) if wanted.reason.is_some() => {
                return Err(Problem::invalid("reason", CalendarRule::OfCancellations));
            }
            (Some(_), false) if wanted.message.is_some() => {
                return Err(Problem::invalid("message", CalendarRule::OfCancellations));
            }
            (Some(status), false) => Self::Mark(status),
            (None, true) => {
                Self::Cancel { reason: wanted.reason.map(Into::into), message: wanted.message }
            }
            (Some(_), true) => {
                return Err(Problem::invalid("cancel", CalendarRule::NotBesideAttendance));
            }
            (None, false) => {
                return Err(Problem::invalid("attendanceStatus", CalendarRule::MarkedOrCancelled));
            }
        };
        Ok((ids, act))
    }

    /// The booking, or nothing where it is so already.
    fn plan(&self, cx: &mut Read, id: Id) -> Result<Option<Booking>> {
        let booking = Booking::find(cx, BookingId(id))?;
        let changes = match self {
            Self::Mark(status) => {
                attendance::check(cx, &booking)?;
                booking.attendance_status != *status
            }
            Self::Cancel { .. } if booking.status == BookingStatus::Cancelled => false,
            Self::Cancel { .. } => {
                cancellation::check(cx, &booking)?;
                true
            }
        };
        Ok(changes.then_some(booking))
    }

    fn act(&self, cx: &mut Write, booking: &Booking) -> Result<()> {
        match self {
            Self::Mark(status) => attendance::mark(cx, booking, *status).map(drop),
            Self::Cancel { reason, message } => {
                let cancellation = Cancellation::by_company(booking, reason.clone());
                cancellation::cancelled(cx, booking, cancellation, FreedSeat::Promote)?;
                let message = message.as_deref();
                notice::add_message(cx, booking.client_id, booking.booking_id, message)
            }
        }
    }
}

answer!(BookingBulkAnswer { report: bulk::BulkReport });

fn preview_booking_bulk(
    cx: &mut Read,
    Body(wanted): Body<BookingBulk>,
) -> Result<BookingBulkAnswer> {
    let (ids, act) = BookingAct::of(wanted)?;
    Ok(BookingBulkAnswer { report: bulk::preview(cx, ids, |cx, id| act.plan(cx, id))? })
}

fn change_bookings(cx: &mut Write, Body(wanted): Body<BookingBulk>) -> Result<BookingBulkAnswer> {
    let (ids, act) = BookingAct::of(wanted)?;
    let report = bulk::act(
        cx,
        "booking",
        ids,
        |cx, id| act.plan(cx, id),
        |cx, booking| act.act(cx, &booking),
    )?;
    Ok(BookingBulkAnswer { report })
}

/// The operations of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/bookings/bulk/preview", BookingsRead, preview_booking_bulk)
            .summary("Preview a change of many bookings")
            .describe("Returns what would become of each booking. Changes nothing."),
        operation!(POST "/bookings/bulk", BookingsWrite, change_bookings)
            .success(Success::Saved)
            .summary("Change many bookings")
            .describe(
                "Marks attendance or cancels, for at most 100 bookings of any events. Each is changed, was so already, \
                 or is refused by itself, with its own row in the audit log. Cancelled by the company they are early: \
                 credits come back, and no fee is due.",
            )
            .emits(correcting![BookingCancelled])
            .always(&[])
            .confirmation(),
    ])
}
