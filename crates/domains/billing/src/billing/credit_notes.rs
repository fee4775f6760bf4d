//! Credit notes: the only way to reverse an invoice, in whole or in part.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, OptionalBody, Path, Read, Write, operation};
use spotter_kernel::{Event, Key, Problem, Result, number::BoundedInteger, text::Text};
use spotter_people::clients::letter_reader;
use spotter_store::{Json, params, statements};

use crate::{
    account_status,
    billing::{
        charge::Charge,
        invoice::{Invoice, InvoiceKind, InvoiceLine, InvoiceStatus},
        invoices::{InvoiceAnswer, InvoicePath},
        issue::{self, Bill, InvoiceCalculation, InvoiceTotals, Issuer},
        tax::{self, RateTotal},
        texts,
    },
    effects::BillingEffect,
    ids::{InvoiceId, PaymentId},
    payments::allocation,
    rules::BillingRule,
};

/// How much of an invoice to credit.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NewCreditNote {
    /// Gross amount to credit, in minor units of the invoice's currency; the whole remainder when
    /// absent.
    amount: Option<BoundedInteger<1, 1_000_000_000_000>>,
    /// Reason, printed on the credit note.
    reason: Option<Text<500>>,
}

/// Credits an amount of an invoice: issues a credit note and lowers the balance; what is overpaid then pays the
/// client's other open invoices. Where a payment is to be refunded, that amount is set aside for it.
pub fn credit(
    cx: &mut Write,
    bill: &mut Invoice,
    amount: i64,
    of: Option<PaymentId>,
    reason: Option<String>,
) -> Result<Invoice> {
    let language = letter_reader::language_of(cx, bill.client_id)?;
    let (issuer, id) = (Issuer::find(cx)?, InvoiceId(cx.new_id()));
    let earlier: Vec<(Json<Vec<RateTotal>>,)> = match bill.credited_total {
        0 => Vec::new(),
        _ => cx.all(NOTES_OF, params![bill.invoice_id])?,
    };
    let earlier: Vec<RateTotal> = earlier.into_iter().flat_map(|(taxes,)| taxes.0).collect();
    let taxes = tax::credited(&bill.taxes.0, &earlier, amount);
    let line = |rate: &RateTotal| InvoiceLine {
        product_id: None,
        description: texts::correction(&bill.number, &language),
        quantity: 1,
        gross: rate.gross,
        net: rate.net,
        tax: rate.tax,
        vat_percentage: rate.vat_percentage,
        vat_category: rate.vat_category,
    };
    let sum = |of: fn(&RateTotal) -> i64| taxes.iter().map(of).sum();
    let totals = InvoiceTotals {
        lines: taxes.iter().map(line).collect(),
        net: sum(|rate| rate.net),
        tax: sum(|rate| rate.tax),
        gross: amount,
        taxes: taxes.clone(),
    };
    let same = Bill {
        client_id: bill.client_id,
        currency: bill.currency,
        lines: Vec::new(),
        collection: bill.collection,
        period: None,
        due_from: None,
        subscription_id: bill.subscription_id,
        client_product_id: bill.client_product_id,
        with_fees: false,
    };
    let calculation = InvoiceCalculation {
        kind: InvoiceKind::CreditNote,
        totals,
        due_date: bill.due_date,
        corrects: Some(bill.invoice_id),
        reason,
    };
    let note = issue::write(cx, id, &issuer, &same, calculation)?;
    note.publish(cx, Event::InvoiceCreated)?;
    let freed = if of.is_some() { amount } else { (amount - bill.balance).max(0) };
    allocation::free(cx, bill.invoice_id, freed, of)?;
    let turned = bill.weigh(cx, -freed, amount)?;
    account_status::follow(cx, bill, turned)?;
    if of.is_none() && freed > 0 {
        allocation::apply_unallocated(cx, bill.client_id, bill.currency)?;
    }
    Ok(note)
}

/// How much of an invoice can still be credited.
pub fn creditable(bill: &Invoice) -> i64 {
    match bill.kind {
        InvoiceKind::Invoice => bill.gross_total - bill.credited_total,
        InvoiceKind::CreditNote => 0,
    }
}

/// Takes a fee back that was billed.
pub fn take_back_fee(cx: &mut Write, fee: &Charge) -> Result<()> {
    let Some(id) = fee.invoice_id else { return Ok(()) };
    let mut bill = Invoice::find(cx, id)?;
    let amount = fee.amount.min(creditable(&bill));
    if amount > 0 {
        credit(cx, &mut bill, amount, None, None)?;
    }
    Ok(())
}

fn checked(cx: &mut Read, id: InvoiceId, wanted: &NewCreditNote) -> Result<(Invoice, i64)> {
    let bill = Invoice::find(cx, id)?;
    let left = creditable(&bill);
    if left == 0 {
        return Err(Problem::conflict("invoiceId", BillingRule::NothingToCredit));
    }
    let amount = wanted.amount.map_or(left, |amount| amount.0);
    if amount > left {
        return Err(Problem::conflict("amount", BillingRule::MoreThan { most: left.to_string() }));
    }
    Ok((bill, amount))
}

fn credit_invoice(
    cx: &mut Write,
    Path(at): Path<InvoicePath>,
    OptionalBody(wanted): OptionalBody<NewCreditNote>,
) -> Result<InvoiceAnswer> {
    let (mut bill, amount) = checked(cx, at.invoice_id, &wanted)?;
    cx.as_of(bill.updated_at);
    let (output, number) = (bill.currency.format_amount(amount), bill.number.clone());
    cx.describe_effect(|| BillingEffect::CreditNoteIssued {
        amount: output.to_string(),
        number: number.to_string(),
    });
    let note = credit(cx, &mut bill, amount, None, wanted.reason.map(Into::into))?;
    Ok(InvoiceAnswer { invoice: note })
}

fn write_off_invoice(cx: &mut Write, Path(at): Path<InvoicePath>) -> Result<InvoiceAnswer> {
    let before = Invoice::find(cx, at.invoice_id)?;
    if !before.is_unpaid() {
        return Err(Problem::conflict("status", BillingRule::NotOpenOrOverdue));
    }
    let mut invoice = before.clone();
    invoice.status = InvoiceStatus::Uncollectible;
    cx.as_of(before.updated_at);
    cx.describe_effect(|| BillingEffect::InvoiceWrittenOff { number: before.number.to_string() });
    invoice.save(cx, &before)?;
    Ok(InvoiceAnswer { invoice })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app POST "/finance/invoices/{invoiceId}/credit-notes", Manager, credit_invoice)
            .summary("Issue a credit note")
            .describe(
                "Credits the remaining amount of an invoice, or a part of it. Crediting all of an unpaid invoice \
                 cancels it. The paid part of the credited amount is applied to the client's open invoices, the \
                 oldest due first; what remains can be refunded, or is applied to the next invoice. To return \
                 money, refund the payment instead: that issues the credit note as well.",
            )
            .created()
            .emits(crate::SETTLES)
            .always(&[Event::InvoiceCreated])
            .fails(&[Key::ApiError])
            .confirmation(),
        operation!(app POST "/finance/invoices/{invoiceId}/write-off", Manager, write_off_invoice)
            .summary("Write off an invoice")
            .describe(
                "Stops reminders and collection. The amount stays due, and a payment settles it.",
            )
            .fails(&[Key::ApiError])
            .confirmation(),
    ])
}

statements! {
    NOTES_OF = "SELECT taxes FROM invoice WHERE company_id = ?1 AND corrects_invoice_id = ?2 \
        ORDER BY invoice_id LIMIT 10000";
}
