//! The payload of events of booking requests.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::Payload;
use spotter_kernel::{
    Event, Timestamp,
    id::{ClientId, CoachId, LocationId},
};

use crate::vocabulary::{
    BookingId, BookingRequestId, BookingRequestStatus, CalendarEventId, EventTypeId, RejectionCause,
};

/// The payload of every booking request event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BookingRequestEvent")]
pub(super) struct RequestEvent {
    pub(super) booking_request_id: BookingRequestId,
    pub(super) client_id: ClientId,
    pub(super) event_type_id: EventTypeId,
    pub(super) calendar_event_id: Option<CalendarEventId>,
    pub(super) coach_id: CoachId,
    pub(super) location_id: Option<LocationId>,
    pub(super) starts_at: Timestamp,
    pub(super) ends_at: Timestamp,
    pub(super) status: BookingRequestStatus,
    pub(super) rejection_cause: Option<RejectionCause>,
    pub(super) expires_at: Timestamp,
    pub(super) decided_at: Option<Timestamp>,
    pub(super) booking_id: Option<BookingId>,
}

impl Payload for RequestEvent {
    const EVENTS: &'static [Event] = &[
        Event::BookingRequestCreated,
        Event::BookingRequestApproved,
        Event::BookingRequestRejected,
    ];
}
