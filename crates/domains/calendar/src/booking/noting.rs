//! What a booking's client is told of its changes.

use spotter_contract::Write;
use spotter_kernel::Result;

use super::Booking;
use crate::notice::{self, BookingRevision, KnownBooking};

impl Booking {
    /// What its client is told of it.
    pub fn known(&self) -> KnownBooking {
        KnownBooking {
            status: self.status,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            coach_id: self.coach_id,
            location_id: self.location_id,
            cancelled_by: self.cancelled_by,
            offer_expires_at: self.offer_expires_at,
        }
    }

    /// Has the client told, where something changes for them.
    pub(super) fn note(&self, cx: &mut Write, before: Option<&Self>) -> Result<()> {
        let revision = BookingRevision {
            booking_id: self.booking_id,
            client_id: self.client_id,
            before: before.map(Self::known),
            after: self.known(),
            is_of_series: self.recurring_booking_id.is_some(),
        };
        notice::note(cx, revision)
    }
}
