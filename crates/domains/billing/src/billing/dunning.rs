//! Dunning: an unpaid invoice becomes overdue, the client is reminded, and finally it is written off. One timer for
//! each invoice does what is due on the company's date and sets itself to the next step.

use spotter_contract::{Area, Offboarding, Timer, Write};
use spotter_kernel::{Date, Id, Result};
use spotter_store::{params, statements};

use super::{
    invoice::{Invoice, InvoiceKind, InvoiceStatus},
    letters,
};
use crate::{
    account_status, company_day,
    ids::{InvoiceId, SubscriptionId},
    payments::payment::Payment,
    settings::FinanceSettings,
};

/// A step of dunning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DunningStep {
    /// It is not paid in time.
    Overdue,
    /// Remind the client, this number of days after the due date.
    Remind(i64),
    /// Stop collecting it.
    GiveUp,
}

/// The next step of an invoice and its date; `None` where nothing is left to pay.
fn next_step(invoice: &Invoice, settings: &FinanceSettings) -> Option<(Date, DunningStep)> {
    if !invoice.is_unpaid() || invoice.kind != InvoiceKind::Invoice {
        return None;
    }
    let after = |days: i64| invoice.due_date.plus_days(days).unwrap_or(Date::MAX);
    if invoice.status == InvoiceStatus::Open {
        return Some((after(1), DunningStep::Overdue));
    }
    let given_up = settings.write_off_days;
    let reminders = settings.reminder_days.0.iter().copied();
    let reminder =
        reminders.filter(|days| *days < given_up).find(|days| *days > invoice.chased_days);
    Some(match reminder {
        Some(days) => (after(days), DunningStep::Remind(days)),
        None => (after(given_up).max(end_of_patience(invoice, given_up)), DunningStep::GiveUp),
    })
}

/// Where the last step was late, as after a time in which nothing ran, the client still has as many days after it as if it had
/// come in time.
fn end_of_patience(invoice: &Invoice, given_up: i64) -> Date {
    // An invoice is overdue on the first day after its due date.
    let left = given_up - invoice.chased_days.max(1);
    invoice.chased_on.and_then(|day| day.plus_days(left)).unwrap_or(invoice.due_date)
}

/// Starts dunning for an invoice.
pub fn schedule(cx: &mut Write, invoice: &Invoice, settings: &FinanceSettings) -> Result<()> {
    match next_step(invoice, settings) {
        Some((date, _)) => {
            let due_at = company_day(cx, date)?;
            cx.set_timer(&CHASE_INVOICE, invoice.invoice_id, due_at)
        }
        None => Ok(()),
    }
}

/// Runs the steps of an invoice that are due by the company's date. Returns whether it was written off.
fn run_due(cx: &mut Write, id: InvoiceId) -> Result<bool> {
    FinanceSettings::ask_ahead(cx)?;
    Payment::ask_ahead_unfinished(cx, id)?;
    let (today, settings) = (cx.today()?, FinanceSettings::find(cx)?);
    let mut invoice = Invoice::still_due(cx, id)?;
    // Nobody is reminded of a payment that is in progress.
    if Payment::unfinished(cx, invoice.invoice_id)?.is_some() {
        let tomorrow = company_day(cx, today.tomorrow())?;
        cx.set_timer(&CHASE_INVOICE, invoice.invoice_id, tomorrow)?;
        return Ok(false);
    }
    let mut is_given_up = false;
    while let Some((_, step)) = next_step(&invoice, &settings).filter(|(date, _)| *date <= today) {
        let before = invoice.clone();
        match step {
            DunningStep::Overdue => invoice.status = InvoiceStatus::Overdue,
            DunningStep::Remind(days) => invoice.chased_days = days,
            DunningStep::GiveUp => invoice.status = InvoiceStatus::Uncollectible,
        }
        invoice.chased_on = Some(today);
        invoice.save(cx, &before)?;
        match step {
            DunningStep::Overdue => account_status::unpaid(cx, &invoice)?,
            // Where several reminders are due at once, one is sent.
            DunningStep::Remind(_)
                if next_step(&invoice, &settings).is_some_and(|(date, _)| date > today) =>
            {
                letters::remind(cx, &invoice)?;
            }
            DunningStep::Remind(_) => {}
            DunningStep::GiveUp => {
                cx.end(Offboarding::InvoiceGivenUp, invoice.invoice_id)?;
                is_given_up = true;
            }
        }
    }
    schedule(cx, &invoice, &settings)?;
    Ok(is_given_up)
}

/// Runs the steps that are due on the unpaid invoices of a membership before its next period is billed: an end that
/// is due on the same date comes first, whichever timer runs first. Returns whether an invoice was written off, which
/// ends the membership.
pub fn run_before_renewal(cx: &mut Write, subscription: SubscriptionId) -> Result<bool> {
    let mut is_given_up = false;
    for (invoice,) in cx.all::<(InvoiceId,)>(UNPAID_OF, params![subscription])? {
        is_given_up |= run_due(cx, invoice)?;
    }
    Ok(is_given_up)
}

fn advance(cx: &mut Write, id: Id) -> Result<()> {
    run_due(cx, InvoiceId(id)).map(drop)
}

static CHASE_INVOICE: Timer =
    Timer::new("chase_invoice", "Mark an invoice overdue, send reminders, write it off", advance)
        .emits(crate::TURNS);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&CHASE_INVOICE])
}

statements! {
    UNPAID_OF = "SELECT invoice_id FROM invoice WHERE company_id = ?1 AND subscription_id = ?2 \
        AND status IN ('open', 'overdue') AND kind = 'invoice' ORDER BY invoice_id LIMIT 100";
}
