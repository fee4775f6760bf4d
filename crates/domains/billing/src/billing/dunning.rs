//! What becomes of a bill that is not paid in time: it is overdue, the client is reminded, and in the end it
//! is given up. One timer for each bill does what is due on the company's date, and sets itself to the next.

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

/// What is done about a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DunningStep {
    /// It is not paid in time.
    Overdue,
    /// The client is reminded, so many days after the due date.
    Remind(i64),
    /// Nobody asks for it any more.
    GiveUp,
}

/// What is next about a bill, and on which date; nothing where nothing is left to pay of it.
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
        None => (after(given_up), DunningStep::GiveUp),
    })
}

/// Has it seen to that a bill is paid.
pub fn schedule(cx: &mut Write, invoice: &Invoice, settings: &FinanceSettings) -> Result<()> {
    match next_step(invoice, settings) {
        Some((date, _)) => {
            let due_at = company_day(cx, date)?;
            cx.set_timer(&CHASE_INVOICE, invoice.invoice_id, due_at)
        }
        None => Ok(()),
    }
}

/// Does what is due about a bill by the company's date; whether it was given up.
fn run_due(cx: &mut Write, id: InvoiceId) -> Result<bool> {
    let (today, settings) = (cx.today()?, FinanceSettings::find(cx)?);
    let mut invoice = Invoice::still_due(cx, id)?;
    // Nobody is reminded of what is on its way.
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
        invoice.save(cx, &before)?;
        match step {
            DunningStep::Overdue => account_status::unpaid(cx, &invoice)?,
            // Of several that were due while nobody was there, one is enough.
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

/// Does the same for the unpaid bills of a membership before its next period is billed: of what is due on one date an
/// ending comes first, whichever timer wakes first. Whether one was given up, which ends the membership.
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

static CHASE_INVOICE: Timer = Timer::new(
    "chase_invoice",
    "Say of an invoice that it is overdue, remind of it, and give it up",
    advance,
)
.emits(crate::TURNS);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&CHASE_INVOICE])
}

statements! {
    UNPAID_OF = "SELECT invoice_id FROM invoice WHERE company_id = ?1 AND subscription_id = ?2 \
        AND status IN ('open', 'overdue') AND kind = 'invoice' ORDER BY invoice_id LIMIT 100";
}
