//! Chargebacks: money that a client's bank takes back; the record, its API form, and its effect on what the payment
//! had paid.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Payload, Read, Write};
use spotter_kernel::{
    Date, Event, Key, Result, Timestamp,
    id::{ClientId, LocationId},
    money::Currency,
};
use spotter_store::{params, record, set, statements, values};

use super::provider::{ChargebackKind, ChargebackStatus, Dispute};
use crate::{
    ids::{ChargebackId, PaymentId},
    payments::{allocation, payment::Payment},
};

record! {
    /// A payment disputed through the client's bank.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Chargeback {
        /// Id of the chargeback.
        pub chargeback_id: ChargebackId,
        /// The payment that it is taken from.
        pub payment_id: PaymentId,
        /// The client who had paid.
        pub client_id: ClientId,
        /// Kind of chargeback: a disputed card payment, or a returned direct debit.
        pub kind: ChargebackKind,
        /// Amount in minor units of the currency.
        pub amount: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// The bank's word for why.
        pub reason: String,
        /// Current status.
        pub status: ChargebackStatus,
        /// Amount removed from paid invoices; less if the payment was already refunded.
        pub taken: i64,
        #[serde(skip)]
        reference: String,
        /// Deadline for evidence; null for returned direct debits.
        pub evidence_due_at: Option<Timestamp>,
        /// When it was decided.
        pub closed_at: Option<Timestamp>,
        /// The company's date on which it began.
        #[serde(skip)]
        pub opened_on: Option<Date>,
        /// The company's date on which it was decided.
        #[serde(skip)]
        pub closed_on: Option<Date>,
        /// The client's home location when they paid.
        #[serde(skip)]
        pub home_location_id: Option<LocationId>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The payload of every chargeback event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChargebackEvent {
    /// Id of the chargeback.
    chargeback_id: ChargebackId,
    payment_id: PaymentId,
    client_id: ClientId,
    /// Kind of chargeback: a disputed card payment, or a returned direct debit.
    kind: ChargebackKind,
    /// Amount in minor units of the currency.
    amount: i64,
    currency: Currency,
    status: ChargebackStatus,
    /// Deadline for evidence; null for returned direct debits.
    evidence_due_at: Option<Timestamp>,
}

impl Payload for ChargebackEvent {
    const EVENTS: &'static [Event] = &[Event::ChargebackCreated];
}

/// The subject of the total of all chargebacks.
pub const TALLY: &str = "chargebacks";

impl Chargeback {
    /// The chargeback with this id.
    pub fn find(cx: &mut Read, id: ChargebackId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::ChargebackNotFound.into())
    }

    fn subjects(&self) -> BTreeSet<String> {
        crate::subjects(TALLY, self.status.word(), self.client_id)
    }

    fn publish(&self, cx: &mut Write) -> Result<()> {
        let payload = ChargebackEvent {
            chargeback_id: self.chargeback_id,
            payment_id: self.payment_id,
            client_id: self.client_id,
            kind: self.kind,
            amount: self.amount,
            currency: self.currency,
            status: self.status,
            evidence_due_at: self.evidence_due_at,
        };
        cx.emit(Event::ChargebackCreated, &payload).map(drop)
    }
}

/// Records a chargeback that a provider reports. What the payment had paid is owed again until the company wins.
pub fn follow(cx: &mut Write, dispute: &Dispute) -> Result<()> {
    // A chargeback in another currency than the payment's is not credible.
    if dispute.amount <= 0 || Payment::find(cx, dispute.payment)?.currency != dispute.currency {
        return Ok(());
    }
    let known: Option<Chargeback> = cx.one(BY_REFERENCE, params![dispute.reference])?;
    let closed = matches!(dispute.status, ChargebackStatus::Won | ChargebackStatus::Lost);
    let Some(before) = known else { return create(cx, dispute, closed) };
    // A decision is final.
    if before.status == dispute.status || before.closed_at.is_some() {
        return Ok(());
    }
    let mut chargeback = before.clone();
    chargeback.status = dispute.status;
    chargeback.evidence_due_at = dispute.evidence_due_at;
    chargeback.closed_at = closed.then(|| cx.now());
    let changed = chargeback.changed(&before);
    if let Some(now) = cx.audit_fields("chargeback", chargeback.chargeback_id, changed) {
        chargeback.updated_at = now;
        chargeback.update_metrics(cx, Some(&before))?;
        cx.defer(SAVE, &chargeback.params())?;
        cx.recount(&before.subjects(), &chargeback.subjects())?;
    }
    match dispute.status {
        ChargebackStatus::Won => give_back(cx, chargeback.payment_id, chargeback.taken),
        _ => Ok(()),
    }
}

fn create(cx: &mut Write, dispute: &Dispute, closed: bool) -> Result<()> {
    let before = Payment::find(cx, dispute.payment)?;
    // A chargeback that is first reported when it is won has taken nothing.
    let taken = match dispute.status {
        ChargebackStatus::Won => 0,
        _ => dispute.amount.min(before.refundable()),
    };
    let mut chargeback = Chargeback {
        chargeback_id: ChargebackId(cx.new_id()),
        payment_id: before.payment_id,
        client_id: before.client_id,
        kind: dispute.kind,
        amount: dispute.amount,
        taken,
        currency: before.currency,
        reason: dispute.reason.clone(),
        status: dispute.status,
        reference: dispute.reference.clone(),
        evidence_due_at: dispute.evidence_due_at,
        closed_at: closed.then(|| cx.now()),
        opened_on: None,
        closed_on: None,
        home_location_id: before.home_location_id,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("chargeback", chargeback.chargeback_id, ["chargeback"]);
    chargeback.update_metrics(cx, None)?;
    cx.defer(INSERT, &chargeback.params())?;
    cx.recount(&BTreeSet::new(), &chargeback.subjects())?;
    take(cx, &before, taken)?;
    chargeback.publish(cx)
}

fn take(cx: &mut Write, before: &Payment, amount: i64) -> Result<()> {
    let mut payment = before.clone();
    payment.disputed_total += amount;
    allocation::take_back(cx, &mut payment, amount)?;
    payment.save(cx, before)?;
    // What is owed again is paid from the client's other unallocated money.
    allocation::apply_unallocated(cx, payment.client_id, payment.currency).map(drop)
}

/// Takes what is still due for the chargebacks of a payment, once money is there again.
pub fn claim_remainder(cx: &mut Write, payment: PaymentId) -> Result<()> {
    let open: Vec<Chargeback> = cx.all(SHORT, params![payment])?;
    for before in open {
        let paid = Payment::find(cx, payment)?;
        let more = (before.amount - before.taken).min(paid.refundable());
        if more > 0 {
            let mut chargeback = before.clone();
            chargeback.taken += more;
            chargeback.updated_at = cx.now();
            chargeback.update_metrics(cx, Some(&before))?;
            cx.defer(SAVE, &chargeback.params())?;
            take(cx, &paid, more)?;
        }
    }
    Ok(())
}

/// The company was in the right: the money pays bills again.
fn give_back(cx: &mut Write, payment: PaymentId, amount: i64) -> Result<()> {
    let before = Payment::find(cx, payment)?;
    let mut payment = before.clone();
    payment.disputed_total -= amount;
    allocation::pay_bills(cx, &mut payment, amount)?;
    payment.save(cx, &before)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<ChargebackEvent>()
}

statements! {
    FIND = "SELECT ", Chargeback::COLUMNS, " FROM chargeback WHERE company_id = ?1 AND chargeback_id = ?2";
    BY_REFERENCE = "SELECT ", Chargeback::COLUMNS, " FROM chargeback \
        WHERE company_id = ?1 AND reference = ?2";
    SHORT = "SELECT ", Chargeback::COLUMNS, " FROM chargeback WHERE company_id = ?1 AND payment_id = ?2 \
        AND taken < amount AND status <> 'won' ORDER BY chargeback_id LIMIT 100";
    INSERT = "INSERT INTO chargeback ", values!(Chargeback);
    SAVE = "UPDATE chargeback SET ", set!(Chargeback), " WHERE company_id = ?1 AND chargeback_id = ?2";
}
