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
    pub enum EntitlementSource {
        None = "none",
        Membership = "membership",
        Pass = "pass",
        Credits = "credits",
    }
}

words! {
    /// Where what a booking takes stands: *held* until it takes place, then *consumed*; *released* where
    /// it was given back, *forfeited* where it was used up by who did not come.
    pub enum EntitlementState {
        None = "none",
        Held = "held",
        Consumed = "consumed",
        Released = "released",
        Forfeited = "forfeited",
    }
}

/// What a booking takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Entitlement {
    /// What the credits come from.
    pub source: EntitlementSource,
    /// Number of credits.
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
#[derive(Clone, Debug)]
pub struct BookingEntitlement {
    /// The booking.
    pub booking: Id,
    /// The client.
    pub client: ClientId,
    /// The credits that it takes; nothing is asked of who books what takes none.
    pub units: i64,
    /// Pools that pay for it, beside credits that pay for everything.
    pub pools: Vec<String>,
    /// When what is booked begins: what is taken must be good then.
    pub at: Timestamp,
}

words! {
    /// Why what was held is given back: the client has cancelled early, it was called off by the company,
    /// the client was excused, or it was moved or said wrongly.
    pub enum ReleaseReason {
        Cancelled = "cancelled",
        CalledOff = "called_off",
        Excused = "excused",
        Corrected = "corrected",
    }
}

words! {
    /// Why what was held is used up by who did not come.
    pub enum ForfeitReason { LateCancellation = "late_cancellation", NoShow = "no_show" }
}

/// What finance does for the calendar.
pub trait Entitlements: Send + Sync {
    /// What a booking would take at each of some instants, whatever it holds already; nothing where the
    /// client has not got it.
    fn quote(
        &self,
        cx: &mut Read,
        taking: &BookingEntitlement,
        at: &[Timestamp],
    ) -> Result<Vec<Option<Entitlement>>>;
    /// Holds what a booking takes.
    fn hold(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement>;
    /// What was held is used up.
    fn consume(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement>;
    /// What was held or used up is given back.
    fn release(
        &self,
        cx: &mut Write,
        taking: &BookingEntitlement,
        why: ReleaseReason,
    ) -> Result<Entitlement>;
    /// What was held is used up, and a fee is due beside it.
    fn forfeit(
        &self,
        cx: &mut Write,
        taking: &BookingEntitlement,
        why: ForfeitReason,
        fee: Option<&Money>,
    ) -> Result<Entitlement>;
    /// Takes back what was said of who came: a fee is not due, and what was used up or given back is held
    /// again.
    fn reinstate(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement>;
}

/// The events of what books, moves or cancels: its own, and what finance tells of the credits that are held
/// or given back.
#[macro_export]
macro_rules! settling {
    ($($event:ident),* $(,)?) => {
        &[
            $(spotter_kernel::Event::$event,)*
            spotter_kernel::Event::CreditAdjusted,
            spotter_kernel::Event::CreditRevoked,
        ]
    };
}
