//! What invoices mean for what they bill: a membership is past due while an invoice of it is overdue, and credits
//! that came with such an invoice are suspended; and what memberships mean for the client's status.

use std::collections::BTreeSet;

use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, Event, Result, id::ClientId};
use spotter_people::clients::{self, Client, record::MemberStatus};
use spotter_store::{params, statements};

use crate::{
    billing::{
        dunning,
        invoice::{Invoice, InvoiceTransition},
        letters,
    },
    collecting::collection,
    credits::lot::{CreditLot, EntryKind, LotChangeCause, LotStatus},
    ids::SubscriptionId,
    memberships::subscription::{Subscription, SubscriptionStatus},
    payments::request::{self, PaymentRequestStatus},
    sales::client_product::ClientProduct,
    settings::FinanceSettings,
};

/// Applies an invoice's new status to the memberships and credits that depend on it.
pub fn follow(cx: &mut Write, bill: &Invoice, turned: InvoiceTransition) -> Result<()> {
    match turned {
        InvoiceTransition::Nothing => request::lower(cx, bill.invoice_id, bill.balance),
        InvoiceTransition::Owed => {
            request::lower(cx, bill.invoice_id, bill.balance)?;
            let settings = FinanceSettings::find(cx)?;
            dunning::schedule(cx, bill, &settings)
        }
        InvoiceTransition::Paid => {
            collection::stop(cx, bill.invoice_id)?;
            letters::take_back(cx, bill.invoice_id)?;
            request::end_with(cx, bill.invoice_id, PaymentRequestStatus::Paid)?;
            on_invoice_settled(cx, bill)
        }
        InvoiceTransition::Cancelled => {
            collection::stop(cx, bill.invoice_id)?;
            letters::take_back(cx, bill.invoice_id)?;
            request::end_with(cx, bill.invoice_id, PaymentRequestStatus::Cancelled)?;
            // An invoice of fees alone granted nothing.
            if bill.lines.0.iter().any(|line| line.product_id.is_some() && line.gross > 0) {
                rest(cx, bill, LotStatus::Revoked)?;
            }
            on_invoice_settled(cx, bill)
        }
    }
}

/// A bill was not paid in time: its membership is past due, and the credits that it gave rest.
pub fn unpaid(cx: &mut Write, bill: &Invoice) -> Result<()> {
    rest(cx, bill, LotStatus::Suspended)?;
    let Some(id) = bill.subscription_id else { return Ok(()) };
    let before = Subscription::find(cx, id)?;
    if before.status != SubscriptionStatus::Active {
        return Ok(());
    }
    let mut subscription = before.clone();
    subscription.status = SubscriptionStatus::PastDue;
    subscription.save_and_emit(cx, &before, Event::SubscriptionChanged)
}

/// Resumes what was suspended for an invoice that is now paid or credited.
fn on_invoice_settled(cx: &mut Write, bill: &Invoice) -> Result<()> {
    let today = cx.today()?;
    for mut lot in lots_of(cx, bill)? {
        if lot.status == LotStatus::Suspended && !lot.has_ended_on(today) {
            lot.status = LotStatus::Active;
            lot.write(cx)?;
            lot.publish(cx, Event::CreditAssigned, EntryKind::Grant, lot.available(), None)?;
        }
    }
    let Some(id) = bill.subscription_id else { return Ok(()) };
    let before = Subscription::find(cx, id)?;
    let still = overdue(cx, id)?.into_iter().any(|(other,)| other != bill.invoice_id.0);
    if before.status != SubscriptionStatus::PastDue || still {
        return Ok(());
    }
    let mut subscription = before.clone();
    subscription.status = SubscriptionStatus::Active;
    subscription.save_and_emit(cx, &before, Event::SubscriptionChanged)
}

/// The status of a membership that is not paused any more.
pub fn awake(cx: &mut Read, id: SubscriptionId) -> Result<SubscriptionStatus> {
    Ok(match overdue(cx, id)?.is_empty() {
        true => SubscriptionStatus::Active,
        false => SubscriptionStatus::PastDue,
    })
}

fn overdue(cx: &mut Read, id: SubscriptionId) -> Result<Vec<(spotter_kernel::Id,)>> {
    cx.all(OVERDUE, params![id])
}

/// The credits that came with an invoice: those of its purchase that are valid from its first billed day.
fn lots_of(cx: &mut Read, bill: &Invoice) -> Result<Vec<CreditLot>> {
    let purchases = match bill.client_product_id {
        Some(purchase) => vec![purchase],
        None => ClientProduct::on_invoice(cx, bill.client_id, bill.invoice_id)?,
    };
    let mut lots = Vec::new();
    for purchase in purchases {
        lots.extend(CreditLot::given_by(cx, purchase)?);
    }
    let within = |day: Date| match (bill.period_start, bill.period_end) {
        (Some(start), Some(end)) => start <= day && day < end,
        _ => true,
    };
    lots.retain(|lot| within(lot.valid_from));
    Ok(lots)
}

/// Suspends or closes the credits of an invoice that no booking holds.
fn rest(cx: &mut Write, bill: &Invoice, status: LotStatus) -> Result<()> {
    for mut lot in lots_of(cx, bill)? {
        let unused = lot.available();
        match (lot.status, status) {
            (LotStatus::Active, LotStatus::Suspended) if unused > 0 => {
                lot.status = LotStatus::Suspended;
                lot.write(cx)?;
                lot.publish(cx, Event::CreditRevoked, EntryKind::Revoke, unused, None)?;
            }
            (
                LotStatus::Active | LotStatus::Suspended | LotStatus::Promised,
                LotStatus::Revoked,
            ) => {
                lot.close(cx, EntryKind::Revoke, &LotChangeCause::default())?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Derives a client's status from their memberships: active with one that runs, paused while all are paused, former
/// after the last. A status that staff set by hand stays until the next change.
pub fn follow_members(cx: &mut Write, client: ClientId) -> Result<()> {
    let running: BTreeSet<SubscriptionStatus> =
        Subscription::running_of(cx, client)?.iter().map(|one| one.status).collect();
    let status = match running.first() {
        None => MemberStatus::Former,
        Some(_) if running.iter().all(|status| *status == SubscriptionStatus::Paused) => {
            MemberStatus::Paused
        }
        // A scheduled membership makes nobody a member yet.
        Some(_) if running.iter().all(|status| *status == SubscriptionStatus::Scheduled) => {
            return Ok(());
        }
        Some(_) => MemberStatus::Active,
    };
    // Who has left becomes no member again.
    if status != MemberStatus::Former
        && Client::find_optional(cx, client)?.is_none_or(|own| own.is_archived())
    {
        return Ok(());
    }
    clients::profile::set_member_status(cx, client, status)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    OVERDUE = "SELECT invoice_id FROM invoice WHERE company_id = ?1 AND subscription_id = ?2 \
        AND status = 'overdue' AND kind = 'invoice' LIMIT 100";
}
