//! Seats that are kept for a client for some minutes, while they sign up or pay. A held seat counts as taken; it becomes
//! the client's booking ([`crate::create`]), or is given back when its time is over ([`crate::seats`]).

use spotter_contract::{Area, ErasureAction, ErasureRule, Read, Write};
use spotter_kernel::{Result, Timestamp, id::ClientId, id_type};
use spotter_store::{params, record, statements, stored_ids, values};

use crate::vocabulary::CalendarEventId;

id_type!(
    /// A seat that is held.
    SeatHoldId,
    RequestInvalid
);
stored_ids!(SeatHoldId);

record! {
    /// A seat that is held for a client.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SeatHold {
        /// Its id.
        pub seat_hold_id: SeatHoldId,
        /// The class.
        pub calendar_event_id: CalendarEventId,
        /// The client.
        pub client_id: ClientId,
        /// When the seat is given back.
        pub expires_at: Timestamp,
    }
}

/// Forgets the held seats of a class that is called off, whose seats are all given back.
pub fn forget_of_event(cx: &mut Write, event: CalendarEventId) -> Result<()> {
    cx.execute(FORGET_OF_EVENT, params![event]).map(drop)
}

impl SeatHold {
    /// The hold with this id, if it still is one.
    pub fn find(cx: &mut Read, id: SeatHoldId) -> Result<Option<Self>> {
        cx.one(FIND, params![id])
    }

    /// What is held of a class for a client.
    pub fn of(cx: &mut Read, event: CalendarEventId, client: ClientId) -> Result<Option<Self>> {
        cx.one(OF_CLIENT, params![client, event])
    }

    /// All that is held for a client.
    pub fn all_of(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        cx.all(ALL_OF_CLIENT, params![client])
    }

    /// Writes a new one down.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.defer(INSERT, &self.params())
    }

    /// Holds it until another instant.
    pub fn extend(&self, cx: &mut Write, until: Timestamp) -> Result<()> {
        cx.defer(EXTEND, params![self.seat_hold_id, until])
    }

    /// Deletes it; the timer that would end it finds nothing.
    pub fn delete(&self, cx: &mut Write) -> Result<()> {
        cx.execute(DELETE, params![self.seat_hold_id]).map(drop)
    }
}

const TRACES: &[ErasureRule] = &[ErasureRule::gone("seat_hold", ErasureAction::By(DELETE_ALL))];

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).erases(TRACES)
}

statements! {
    FIND = "SELECT ", SeatHold::COLUMNS, " FROM seat_hold WHERE company_id = ?1 AND seat_hold_id = ?2";
    OF_CLIENT = "SELECT ", SeatHold::COLUMNS, " FROM seat_hold WHERE company_id = ?1 AND client_id = ?2 \
        AND calendar_event_id = ?3";
    ALL_OF_CLIENT = "SELECT ", SeatHold::COLUMNS, " FROM seat_hold WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY seat_hold_id LIMIT 100";
    INSERT = "INSERT INTO seat_hold ", values!(SeatHold);
    EXTEND = "UPDATE seat_hold SET expires_at = ?3 WHERE company_id = ?1 AND seat_hold_id = ?2";
    DELETE = "DELETE FROM seat_hold WHERE company_id = ?1 AND seat_hold_id = ?2";
    DELETE_ALL = "DELETE FROM seat_hold WHERE company_id = ?1 AND client_id = ?2";
    FORGET_OF_EVENT = "DELETE FROM seat_hold WHERE company_id = ?1 AND calendar_event_id = ?2";
}
