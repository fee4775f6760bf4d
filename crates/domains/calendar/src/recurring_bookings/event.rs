//! The payload of events of recurring bookings.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::Payload;
use spotter_kernel::{
    Event,
    id::{ClientId, CoachId, LocationId},
};

use crate::{
    series::ClassSeriesStatus,
    vocabulary::{EventTypeId, RecurringBookingId},
};

/// The payload of every series event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RecurringBookingEvent")]
pub(super) struct SeriesEvent {
    pub(super) recurring_booking_id: RecurringBookingId,
    pub(super) client_id: ClientId,
    pub(super) event_type_id: EventTypeId,
    pub(super) coach_id: CoachId,
    pub(super) location_id: Option<LocationId>,
    pub(super) status: ClassSeriesStatus,
    /// The series that this one continues, after a change from a date on.
    pub(super) previous_id: Option<RecurringBookingId>,
    /// The series that its later part has become.
    pub(super) next_id: Option<RecurringBookingId>,
    /// Names of the changed fields; absent on creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changed_fields: Vec<String>,
}

impl Payload for SeriesEvent {
    const EVENTS: &'static [Event] = &[Event::RecurringBookingChanged];
}
