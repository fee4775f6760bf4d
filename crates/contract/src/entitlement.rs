//! The port between the calendar and finance: what a booking takes of what its client has paid for.
//! Every call is about one booking and runs in the transaction of the booking; asked twice, it does the
//! same once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Id, Money, Result, Timestamp, id::ClientId};
use spotter_store::words;

use crate::context::{Read, Write};

words! {
    /// What a booking is taken from.
    pub enum EntitlementSource { None = "none", Membership = "membership", Credits = "credits" }
}

words! {
    /// Where what a booking takes stands: *held* until it takes place, then *consumed*, or *released*.
    pub enum EntitlementState {
        None = "none",
        Held = "held",
        Consumed = "consumed",
        Released = "released",
    }
}

/// What a booking takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Entitlement {
    /// From what.
    pub source: EntitlementSource,
    /// How many credits.
    pub units: i64,
    /// Whether they are held, consumed or given back.
    pub state: EntitlementState,
}

impl Entitlement {
    /// A booking that takes nothing.
    pub const NONE: Self =
        Self { source: EntitlementSource::None, units: 0, state: EntitlementState::None };
}

/// The booking that something is taken for.
#[derive(Clone, Copy, Debug)]
pub struct Taking {
    /// The booking.
    pub booking: Id,
    /// Whose it is.
    pub client: ClientId,
    /// The credits that it takes.
    pub units: i64,
    /// When what is booked begins: what is taken must be good then.
    pub at: Timestamp,
}

words! {
    /// Why what was held is given back.
    pub enum ReleaseReason { Cancelled = "cancelled", Excused = "excused", Corrected = "corrected" }
}

/// What finance does for the calendar.
pub trait Settling: Send + Sync {
    /// Whether the client may book it, and what it would take; nothing where they may not.
    fn quote(&self, cx: &mut Read, taking: Taking) -> Result<Option<Entitlement>>;
    /// Holds what a booking takes.
    fn hold(&self, cx: &mut Write, taking: Taking) -> Result<Entitlement>;
    /// What was held is used up.
    fn consume(&self, cx: &mut Write, taking: Taking, held: &Entitlement) -> Result<Entitlement>;
    /// What was held or used up is given back.
    fn release(
        &self,
        cx: &mut Write,
        taking: Taking,
        held: &Entitlement,
        why: ReleaseReason,
    ) -> Result<Entitlement>;
    /// What was held is used up, and a fee is due beside it.
    fn forfeit(
        &self,
        cx: &mut Write,
        taking: Taking,
        held: &Entitlement,
        fee: Option<&Money>,
    ) -> Result<Entitlement>;
    /// Takes a forfeit back: the fee is not due, and what was used up is held again.
    fn reinstate(&self, cx: &mut Write, taking: Taking, held: &Entitlement) -> Result<Entitlement>;
}

/// Lets everybody book, and takes nothing: for a company that sells nothing here.
pub struct Unpriced;

impl Settling for Unpriced {
    fn quote(&self, _: &mut Read, _: Taking) -> Result<Option<Entitlement>> {
        Ok(Some(Entitlement::NONE))
    }
    fn hold(&self, _: &mut Write, _: Taking) -> Result<Entitlement> {
        Ok(Entitlement::NONE)
    }
    fn consume(&self, _: &mut Write, _: Taking, held: &Entitlement) -> Result<Entitlement> {
        Ok(held.clone())
    }
    fn release(
        &self,
        _: &mut Write,
        _: Taking,
        held: &Entitlement,
        _: ReleaseReason,
    ) -> Result<Entitlement> {
        Ok(held.clone())
    }
    fn forfeit(
        &self,
        _: &mut Write,
        _: Taking,
        held: &Entitlement,
        _: Option<&Money>,
    ) -> Result<Entitlement> {
        Ok(held.clone())
    }
    fn reinstate(&self, _: &mut Write, _: Taking, held: &Entitlement) -> Result<Entitlement> {
        Ok(held.clone())
    }
}
