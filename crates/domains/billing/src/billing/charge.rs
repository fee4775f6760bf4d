//! Fees that wait for the client's next bill.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Read, Write, entitlement::ForfeitReason};
use spotter_kernel::{
    Id, Money, Result,
    id::ClientId,
    money::{Currency, Percentage},
};
use spotter_people::clients::letter_reader;
use spotter_store::{params, record, statements, words};

use crate::{
    billing::{invoice::BillLine, texts},
    effects::BillingEffect,
    ids::InvoiceId,
};

words! {
    /// The status of a fee.
    pub enum ChargeStatus { Waiting = "waiting", Billed = "billed", Undone = "undone" }
}

record! {
    /// A fee.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Charge {
        /// Id of the pending charge.
        pub pending_charge_id: Id,
        /// Client who owes it.
        pub client_id: ClientId,
        /// Purpose.
        pub kind: ForfeitReason,
        /// Amount in minor units.
        pub amount: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// Current status.
        pub status: ChargeStatus,
        /// The bill that it is on.
        pub invoice_id: Option<InvoiceId>,
    }
}

/// A fee is due for a booking, with the next bill.
pub fn add(
    cx: &mut Write,
    client: ClientId,
    booking: Id,
    kind: ForfeitReason,
    fee: &Money,
) -> Result<()> {
    if fee.amount == 0 {
        return Ok(());
    }
    let what = match kind {
        ForfeitReason::LateCancellation => "for a late cancellation",
        ForfeitReason::NoShow => "for not showing up",
    };
    cx.describe_effect(|| {
        let (amount, code) = (fee.currency.decimal(fee.amount), fee.currency.code());
        BillingEffect::FeeCharged {
            amount: amount.to_string(),
            code: code.to_string(),
            what: what.to_string(),
        }
    });
    let (id, now) = (cx.new_id(), cx.now());
    cx.defer(ADD, params![client, id, booking, kind, fee.amount, fee.currency, now])
}

/// Cancels the due fees of a booking; returns those that were billed already.
pub fn undo(cx: &mut Write, booking: Id) -> Result<Vec<Charge>> {
    let charges: Vec<Charge> = cx.all(OF_BOOKING, params![booking])?;
    let now = cx.now();
    cx.defer(UNDO, params![booking, now])?;
    Ok(charges.into_iter().filter(|charge| charge.status == ChargeStatus::Billed).collect())
}

/// Asks ahead for the fees of a client that wait for a bill.
pub fn ask_ahead(cx: &mut Read, client: ClientId, currency: Currency) -> Result<()> {
    let now = cx.now();
    cx.ask_ahead(WAITING, params![client, currency, now])
}

/// The fees of a client that wait for a bill.
pub fn waiting(cx: &mut Read, client: ClientId, currency: Currency) -> Result<Vec<Charge>> {
    let now = cx.now();
    cx.all(WAITING, params![client, currency, now])
}

/// Fees as lines of an invoice.
pub fn lines(cx: &mut Read, fees: &[Charge], rate: Percentage) -> Result<Vec<BillLine>> {
    let Some(first) = fees.first() else { return Ok(Vec::new()) };
    let language = letter_reader::language_of(cx, first.client_id)?;
    let line = |fee: &Charge| BillLine {
        product_id: None,
        description: texts::fee(fee.kind, &language).to_owned(),
        quantity: 1,
        gross: fee.amount,
        vat_percentage: rate,
    };
    Ok(fees.iter().map(line).collect())
}

/// A fee that waits for the client's next invoice.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingFee {
    /// Purpose.
    kind: ForfeitReason,
    /// What it is for, as its line would say.
    description: String,
    /// Amount in minor units, including VAT.
    amount: i64,
}

/// The fees of a client that wait for a bill, as people read them.
pub fn offered(cx: &mut Read, client: ClientId, currency: Currency) -> Result<Vec<WaitingFee>> {
    let fees = waiting(cx, client, currency)?;
    let lines = lines(cx, &fees, Percentage::default())?;
    let offered = |(fee, line): (&Charge, BillLine)| WaitingFee {
        kind: fee.kind,
        description: line.description,
        amount: line.gross,
    };
    Ok(fees.iter().zip(lines).map(offered).collect())
}

/// Puts fees on a bill.
pub fn bill(cx: &mut Write, fees: &[Charge], invoice: InvoiceId) -> Result<()> {
    let now = cx.now();
    fees.iter().try_for_each(|fee| {
        cx.defer(BILL, params![fee.client_id, fee.pending_charge_id, invoice, now])
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    ADD = "INSERT INTO pending_charge (company_id, client_id, pending_charge_id, booking_id, kind, amount, \
        currency, status, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'waiting', ?8, ?8)";
    OF_BOOKING = "SELECT ", Charge::COLUMNS, " FROM pending_charge WHERE company_id = ?1 AND booking_id = ?2 \
        AND status <> 'undone' ORDER BY pending_charge_id LIMIT 20";
    UNDO = "UPDATE pending_charge SET status = 'undone', updated_at = ?3 \
        WHERE company_id = ?1 AND booking_id = ?2 AND status <> 'undone'";
    WAITING = "SELECT ", Charge::COLUMNS, " FROM pending_charge WHERE company_id = ?1 AND client_id = ?2 \
        AND status = 'waiting' AND currency = ?3 AND created_at <= ?4 ORDER BY pending_charge_id LIMIT 100";
    BILL = "UPDATE pending_charge SET status = 'billed', invoice_id = ?4, updated_at = ?5 \
        WHERE company_id = ?1 AND client_id = ?2 AND pending_charge_id = ?3";
}
