//! How a booking is shown: in answers and in events.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::Payload;
use spotter_kernel::{
    Event, Timestamp,
    id::{ClientId, CoachId, LocationId},
};

use super::Booking;
use crate::{
    hours::with_offset,
    vocabulary::{
        AttendanceStatus, BookingId, BookingRequestId, BookingStatus, CalendarEventId,
        CancellationTiming, CancelledBy, EventTypeId, RecurringBookingId,
    },
};

/// The payload of every booking event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingEvent {
    pub(super) booking_id: BookingId,
    pub(super) client_id: ClientId,
    pub(super) calendar_event_id: CalendarEventId,
    pub(super) event_type_id: EventTypeId,
    pub(super) coach_id: CoachId,
    pub(super) location_id: Option<LocationId>,
    pub(super) starts_at: Timestamp,
    pub(super) ends_at: Timestamp,
    pub(super) status: BookingStatus,
    pub(super) attendance_status: AttendanceStatus,
    pub(super) recurring_booking_id: Option<RecurringBookingId>,
    pub(super) booking_request_id: Option<BookingRequestId>,
    /// When it began before it was moved.
    pub(super) previous_starts_at: Option<Timestamp>,
    pub(super) cancelled_at: Option<Timestamp>,
    pub(super) cancelled_by: Option<CancelledBy>,
    pub(super) cancellation_timing: Option<CancellationTiming>,
    /// Names of the changed fields; absent on creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changed_fields: Vec<String>,
}

impl Payload for BookingEvent {
    const EVENTS: &'static [Event] =
        &[Event::BookingCreated, Event::BookingUpdated, Event::BookingCancelled];
}

/// A booking of a client, with its local start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Booking")]
pub struct BookingView {
    #[serde(flatten)]
    pub(super) booking: Booking,
    /// Start in local time with its UTC offset.
    pub(super) local_starts_at: String,
}

impl From<Booking> for BookingView {
    fn from(booking: Booking) -> Self {
        let local_starts_at = with_offset(booking.starts_at, &booking.time_zone);
        Self { booking, local_starts_at }
    }
}
