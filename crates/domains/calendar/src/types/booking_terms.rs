//! What a booking of a type takes, and the rules that it is made under.

use spotter_company::catalogue::Policies;
use spotter_contract::{Read, entitlement::BookingEntitlement};
use spotter_kernel::{Id, Result, Timestamp, id::ClientId};
use spotter_store::params;

use super::{EventType, FIND};
use crate::{policy::Policy, vocabulary::EventTypeId};

impl EventType {
    /// Asks ahead for a type.
    pub fn ask_ahead(cx: &mut Read, id: EventTypeId) -> Result<()> {
        cx.ask_ahead(FIND, params![id])
    }

    /// What a booking of it takes.
    pub fn taking(&self, client: ClientId, booking: Id, at: Timestamp) -> BookingEntitlement {
        let (units, pools) = (self.credits, self.credit_pools.0.clone());
        BookingEntitlement { booking, client, units, pools, at }
    }

    /// The rules that hold now: its own, else the company's.
    pub fn policy(&self, cx: &mut Read) -> Result<Policy> {
        let company = Policies::of(cx)?;
        let company = company.as_ref();
        Ok(Policy {
            cancellation_window_minutes: self
                .cancellation_window_minutes
                .or_else(|| company.map(Policies::cancellation_window_minutes)),
            late_fee: company.and_then(Policies::late_cancellation_fee),
            no_show_fee: company.and_then(Policies::no_show_fee),
            credit_pools: self.credit_pools.0.clone(),
        })
    }
}
