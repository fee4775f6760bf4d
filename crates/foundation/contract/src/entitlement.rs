//! The ports between the calendar and billing: what a booking uses of its client's entitlements ([`Entitlements`]), of which
//! every call is about one booking, runs in its transaction, and is idempotent; and seats of classes that are held and booked
//! for who signs up or buys ([`Seats`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Id, Money, Result, Timestamp, id::ClientId};
use spotter_store::words;

use crate::context::{Read, Write};

words! {
    /// The source of a booking's entitlement.
    pub enum EntitlementSource {
        None = "none",
        Membership = "membership",
        Pass = "pass",
        Credits = "credits",
    }
}

words! {
    /// State of an entitlement: *held* until the event, then *consumed*; *released* if it was returned, *forfeited*
    /// if it was used by a no-show or late cancellation.
    pub enum EntitlementState {
        None = "none",
        Held = "held",
        Consumed = "consumed",
        Released = "released",
        Forfeited = "forfeited",
    }
}

/// The entitlement of a booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Entitlement {
    /// What they come from.
    pub source: EntitlementSource,
    /// Number of credits.
    pub units: i64,
    /// State of the credits.
    pub state: EntitlementState,
}

impl Entitlement {
    /// A booking without an entitlement.
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
    /// The credits it takes; 0 for events without credits.
    pub units: i64,
    /// Pools that pay for it, besides general credits.
    pub pools: Vec<String>,
    /// Start of the event: entitlements must be valid then.
    pub at: Timestamp,
}

words! {
    /// Why held credits return: the client cancelled early, the company cancelled, the client was excused, or the
    /// booking was moved or corrected.
    pub enum ReleaseReason {
        Cancelled = "cancelled",
        CalledOff = "called_off",
        Excused = "excused",
        Corrected = "corrected",
    }
}

words! {
    /// Why held credits are used without attendance.
    pub enum ForfeitReason { LateCancellation = "late_cancellation", NoShow = "no_show" }
}

/// What finance does for the calendar.
pub trait Entitlements: Send + Sync {
    /// What a booking would take at each of some instants, regardless of what it holds; `None` where the client has
    /// too few.
    fn quote(
        &self,
        cx: &mut Read,
        taking: &BookingEntitlement,
        at: &[Timestamp],
    ) -> Result<Vec<Option<Entitlement>>>;
    /// Holds the credits of a booking.
    fn hold(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement>;
    /// Consumes held credits.
    fn consume(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement>;
    /// Returns held or consumed credits.
    fn release(
        &self,
        cx: &mut Write,
        taking: &BookingEntitlement,
        why: ReleaseReason,
    ) -> Result<Entitlement>;
    /// Consumes held credits, and charges a fee.
    fn forfeit(
        &self,
        cx: &mut Write,
        taking: &BookingEntitlement,
        why: ForfeitReason,
        fee: Option<&Money>,
    ) -> Result<Entitlement>;
    /// Reverses attendance: removes a fee, and holds consumed or returned credits again.
    fn reinstate(&self, cx: &mut Write, taking: &BookingEntitlement) -> Result<Entitlement>;
}

/// What became of a class that was to be booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookedSeat {
    /// It is booked.
    Booked,
    /// A coach approves it first.
    Requested,
}

/// The calendar's part of signing up and buying. A class is named by the id of its event.
pub trait Seats: Send + Sync {
    /// The name and the start of a class, as people read it.
    fn describe(&self, cx: &mut Read, event: Id) -> Result<String>;

    /// Refuses a class that a client could not book now, whatever they pay: one that is over, closed, too near or too far
    /// ahead, or beside another of their bookings. Seats and entitlements are not looked at. What is no class is 404. Returns
    /// what its booking would take.
    fn check_open(&self, cx: &mut Write, event: Id, client: ClientId)
    -> Result<BookingEntitlement>;

    /// Holds a seat of a class for a client until an instant, at the latest until it begins: whether there was one. A seat
    /// that is held already is held longer.
    fn hold(&self, cx: &mut Write, event: Id, client: ClientId, until: Timestamp) -> Result<bool>;

    /// Gives a seat back that is held for a client, if one is.
    fn release(&self, cx: &mut Write, event: Id, client: ClientId) -> Result<()>;

    /// Books a class for a client by the rules of clients, with the seat that is held for them. The refusal is that of
    /// booking.
    fn book(&self, cx: &mut Write, event: Id, client: ClientId) -> Result<BookedSeat>;
}

/// Events of operations that book, move or cancel: their own, and those of credits.
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
