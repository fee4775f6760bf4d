//! Credits: lots that were granted together, and ledger entries of every change. `remaining` is what is not used,
//! `held` the part of it that upcoming bookings hold; the rest is available. Only a debt lot has less than zero
//! available.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Offboarding, Payload, Read, Write};
use spotter_kernel::{Date, Event, Id, Result, Timestamp, id::ClientId};
use spotter_store::{Bind, params, record, set, statements, values, words};

use crate::ids::{ClientProductId, CreditEntryId, CreditLotId};

words! {
    /// Where credits came from.
    pub enum LotSource {
        Product = "product",
        Adjustment = "adjustment",
        Returned = "returned",
        Debt = "debt",
    }
}

words! {
    /// The status of a lot: *promised* before its day, *used* when nothing is left, *suspended* while its invoice is
    /// unpaid.
    pub enum LotStatus {
        Promised = "promised",
        Active = "active",
        Suspended = "suspended",
        Used = "used",
        Expired = "expired",
        Revoked = "revoked",
    }
}

words! {
    /// The kind of a change.
    pub enum EntryKind {
        Grant = "grant",
        Hold = "hold",
        Release = "release",
        Consume = "consume",
        Adjust = "adjust",
        Expire = "expire",
        Revoke = "revoke",
        Settle = "settle",
    }
}

record! {
    /// Credits granted together, with one expiry.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CreditLot {
        /// Id of the credit lot.
        pub credit_lot_id: CreditLotId,
        /// Client who may spend them.
        #[serde(skip)]
        pub client_id: ClientId,
        /// The sale that granted the credits.
        pub client_product_id: Option<ClientProductId>,
        /// The pool; null for general credits.
        pub pool_key: Option<String>,
        /// Identifies the grant within its purchase and pool.
        #[serde(skip)]
        pub grant_number: Option<i64>,
        /// What they come from.
        pub source: LotSource,
        /// Current status.
        pub status: LotStatus,
        /// How many there were at first.
        pub granted: i64,
        /// Credits left.
        pub remaining: i64,
        /// Credits held by upcoming bookings.
        pub held: i64,
        /// The first day on which they are good.
        pub valid_from: Date,
        /// The first day on which they have expired; null where they do not expire.
        pub valid_until: Option<Date>,
        /// When they were granted.
        pub created_at: Timestamp,
        /// When they were last changed.
        pub updated_at: Timestamp,
    }
}

record! {
    /// A change of a client's credits.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CreditEntry {
        /// Id of the credit entry.
        pub credit_entry_id: CreditEntryId,
        /// Lot that the entry changes.
        pub credit_lot_id: CreditLotId,
        /// Credit pool; null for general credits.
        pub pool_key: Option<String>,
        /// Kind of change.
        pub kind: EntryKind,
        /// Credits of this entry; negative if it reverses an earlier entry of its kind.
        pub amount: i64,
        /// The booking that the credits are for.
        pub booking_id: Option<Id>,
        /// Reason, if given.
        pub reason: Option<String>,
        /// When it was created.
        pub created_at: Timestamp,
    }
}

/// The payload of every credit event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditEvent {
    client_id: ClientId,
    credit_lot_id: CreditLotId,
    client_product_id: Option<ClientProductId>,
    pool_key: Option<String>,
    /// Kind of change.
    kind: EntryKind,
    /// Number of credits; negative if deducted.
    amount: i64,
    /// Credits left in the lot.
    remaining: i64,
    /// Credits held by upcoming bookings.
    held: i64,
    valid_from: Date,
    valid_until: Option<Date>,
    booking_id: Option<Id>,
}

impl Payload for CreditEvent {
    const EVENTS: &'static [Event] =
        &[Event::CreditAssigned, Event::CreditAdjusted, Event::CreditRevoked];
}

/// A change that is to be made of a lot.
#[derive(Debug, Clone, Default)]
pub struct LotChangeCause {
    /// For which booking.
    pub booking: Option<Id>,
    /// Reason, if given.
    pub reason: Option<String>,
}

impl LotChangeCause {
    /// For a booking.
    pub fn of(booking: Id) -> Self {
        Self { booking: Some(booking), reason: None }
    }
}

impl CreditLot {
    /// The number of units that a booking can take.
    pub fn available(&self) -> i64 {
        self.remaining - self.held
    }

    /// Whether the lot has expired by a day: its date counts, whether or not its timer has run.
    pub fn has_ended_on(&self, day: Date) -> bool {
        self.valid_until.is_some_and(|until| until <= day)
    }

    /// Whether it is good on a day.
    pub fn is_good_on(&self, day: Date) -> bool {
        self.valid_from <= day && !self.has_ended_on(day)
    }

    /// Whether it pays for bookings of these pools: its own pool is one of them, or it is general.
    pub fn fits(&self, pools: &[String]) -> bool {
        self.pool_key.as_ref().is_none_or(|own| pools.contains(own))
    }

    /// A client's lots with units that are left or held: those that pay for least and expire first come first.
    pub fn of(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        let mut lots: Vec<Self> = cx.all(OPEN, params![client])?;
        lots.sort_by_key(|lot| {
            (
                lot.source == LotSource::Debt,
                lot.pool_key.is_none(),
                lot.valid_until.is_none(),
                lot.valid_until,
                lot.credit_lot_id,
            )
        });
        Ok(lots)
    }

    /// Some lots by their ids, in that order.
    pub fn some(cx: &mut Read, ids: &[Id]) -> Result<Vec<Self>> {
        let params = ids.iter().map(|id| vec![id.bind().into_owned()]);
        Ok(cx.one_each(FIND, params)?.into_iter().flatten().collect())
    }

    /// Lots that a sale has given, whatever is left of them.
    pub fn given_by(cx: &mut Read, product: ClientProductId) -> Result<Vec<Self>> {
        cx.all(GIVEN_BY, params![product])
    }

    /// Stores a new lot, with the ledger entry of its credits.
    pub fn open(self, cx: &mut Write, because: &LotChangeCause) -> Result<Self> {
        cx.defer(INSERT, &self.params())?;
        if self.granted > 0 {
            self.record_entry(cx, EntryKind::Grant, self.granted, because)?;
        }
        Ok(self)
    }

    /// Changes it by an entry, and writes both down.
    pub fn change(
        &mut self,
        cx: &mut Write,
        kind: EntryKind,
        amount: i64,
        because: &LotChangeCause,
    ) -> Result<()> {
        match kind {
            EntryKind::Hold => self.held += amount,
            EntryKind::Release => self.held -= amount,
            EntryKind::Consume => {
                (self.remaining, self.held) = (self.remaining - amount, self.held - amount)
            }
            EntryKind::Grant | EntryKind::Adjust | EntryKind::Settle => self.remaining += amount,
            EntryKind::Expire | EntryKind::Revoke => self.remaining -= amount,
        }
        self.status = match (self.status, kind) {
            (_, EntryKind::Expire) => LotStatus::Expired,
            (_, EntryKind::Revoke) => LotStatus::Revoked,
            (LotStatus::Active | LotStatus::Used, _) => match (self.remaining, self.held) {
                (0, 0) => LotStatus::Used,
                _ => LotStatus::Active,
            },
            (status, _) => status,
        };
        self.write(cx)?;
        self.record_entry(cx, kind, amount, because)
    }

    /// Stores its current state.
    pub fn write(&mut self, cx: &mut Write) -> Result<()> {
        self.updated_at = cx.now();
        cx.defer(SAVE, &self.params())
    }

    fn record_entry(
        &self,
        cx: &mut Write,
        kind: EntryKind,
        amount: i64,
        because: &LotChangeCause,
    ) -> Result<()> {
        let (id, now, client) = (CreditEntryId(cx.new_id()), cx.now(), self.client_id);
        let LotChangeCause { booking, reason } = because;
        let lot = self.credit_lot_id;
        cx.defer(
            INSERT_ENTRY,
            params![client, id, lot, self.pool_key, kind, amount, booking, reason, now],
        )?;
        cx.tally(&format!("creditEntries/{client}"), 1)
    }

    /// Emits an event about a change.
    pub fn publish(
        &self,
        cx: &mut Write,
        event: Event,
        kind: EntryKind,
        amount: i64,
        booking_id: Option<Id>,
    ) -> Result<()> {
        let payload = CreditEvent {
            client_id: self.client_id,
            credit_lot_id: self.credit_lot_id,
            client_product_id: self.client_product_id,
            pool_key: self.pool_key.clone(),
            kind,
            amount,
            remaining: self.remaining,
            held: self.held,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            booking_id,
        };
        cx.emit(event, &payload)?;
        match kind {
            EntryKind::Grant | EntryKind::Release | EntryKind::Settle => {
                cx.end(Offboarding::ObstacleEnded, self.client_id)
            }
            _ => Ok(()),
        }
    }

    /// Removes what no booking holds: the lot has expired or was revoked. Held credits stay.
    pub fn close(
        &mut self,
        cx: &mut Write,
        kind: EntryKind,
        because: &LotChangeCause,
    ) -> Result<()> {
        let unused = self.available().max(0);
        if unused == 0 {
            return Ok(());
        }
        self.change(cx, kind, unused, because)?;
        self.publish(cx, Event::CreditRevoked, kind, unused, None)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<CreditEvent>()
}

statements! {
    FIND = "SELECT ", CreditLot::COLUMNS, " FROM credit_lot WHERE company_id = ?1 AND credit_lot_id = ?2";
    OPEN = "SELECT ", CreditLot::COLUMNS, " FROM credit_lot WHERE company_id = ?1 AND client_id = ?2 \
        AND status IN ('promised', 'active') ORDER BY credit_lot_id LIMIT 1000";
    GIVEN_BY = "SELECT ", CreditLot::COLUMNS, " FROM credit_lot WHERE company_id = ?1 \
        AND client_product_id = ?2 ORDER BY credit_lot_id LIMIT 2000";
    INSERT = "INSERT INTO credit_lot ", values!(CreditLot);
    SAVE = "UPDATE credit_lot SET ", set!(CreditLot), " WHERE company_id = ?1 AND credit_lot_id = ?2";
    INSERT_ENTRY = "INSERT INTO credit_entry (company_id, client_id, credit_entry_id, credit_lot_id, pool_key, \
        kind, amount, booking_id, reason, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
}
