//! The daily course of a sale: it begins, pauses, is billed again, grants credits, and ends. One timer for each sale
//! does what is due on the company's date, in order, and sets itself to the next date.

use spotter_contract::{Area, Offboarding, Read, Timer, Write};
use spotter_kernel::{Date, Event, Id, Result};

use crate::{
    account_status,
    billing::{
        dunning,
        invoice::BillLine,
        issue::{self, Bill},
    },
    company_day,
    credits::{booking_credits, grant},
    ids::ClientProductId,
    memberships::{
        billing_schedule::PeriodBill,
        letters,
        subscription::{Subscription, SubscriptionStatus},
    },
    sales::{
        client_product::{ClientProduct, ClientProductStatus},
        end,
    },
    settings::{FinanceSettings, PauseBilling},
};

/// The next step of a sale.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LifecycleStep {
    /// Its first day has come.
    Begin,
    /// A pause begins.
    Rest(usize),
    /// A pause ends.
    Resume,
    /// Its end has come.
    End,
    /// A period is billed.
    Bill,
    /// Credits are given.
    Grant,
}

/// The next step of a sale and its date; `None` where it goes on unchanged.
fn next_step(
    product: &ClientProduct,
    subscription: Option<&Subscription>,
) -> Option<(Date, LifecycleStep)> {
    if product.has_ended() {
        return None;
    }
    // Of steps on the same date, the order here decides: an end before all others.
    let mut steps = Vec::new();
    steps.extend(product.valid_until.map(|until| (until, LifecycleStep::End)));
    steps.extend(
        subscription
            .and_then(|membership| membership.end_date)
            .map(|end| (end, LifecycleStep::End)),
    );
    if product.status == ClientProductStatus::Scheduled {
        steps.push((product.valid_from, LifecycleStep::Begin));
    }
    if let Some(membership) = subscription {
        let resting = membership.pauses.0.iter().rfind(|pause| pause.begun);
        if let Some(pause) = resting.filter(|_| membership.status == SubscriptionStatus::Paused) {
            steps.push((pause.until, LifecycleStep::Resume));
        }
        steps.extend(membership.next_pause().map(|(at, from)| (from, LifecycleStep::Rest(at))));
        steps.extend(membership.next_bill().map(|bill| (bill.period_start, LifecycleStep::Bill)));
    }
    let terms = &product.terms.0;
    let next = terms.next_date(product.valid_from, product.granted_until);
    // No credits are granted for days that no invoice covers.
    let covered = |date: &Date| subscription.is_none_or(|membership| *date < membership.paid_until);
    steps.extend(next.filter(covered).map(|date| (date, LifecycleStep::Grant)));
    steps.into_iter().min_by_key(|(date, _)| *date)
}

/// Steps that are taken in one transaction at most; the rest in the next.
const STEPS_MAX: usize = 40;

/// Schedules the next step of a sale.
pub fn schedule(
    cx: &mut Write,
    product: &ClientProduct,
    subscription: Option<&Subscription>,
) -> Result<()> {
    if let Some(subscription) = subscription {
        letters::tell_of_end(cx, subscription)?;
    }
    match next_step(product, subscription) {
        Some((date, _)) => {
            let due_at = company_day(cx, date)?;
            cx.set_timer(&TURN_SALE, product.client_product_id, due_at)
        }
        None => cx.clear_timer(&TURN_SALE, product.client_product_id),
    }
}

fn advance(cx: &mut Write, id: Id) -> Result<()> {
    ClientProduct::ask_ahead(cx, ClientProductId(id))?;
    FinanceSettings::ask_ahead(cx)?;
    let today = cx.today()?;
    let mut product = ClientProduct::find(cx, ClientProductId(id))?;
    let mut subscription = billing_schedule_of(cx, &product)?;
    for _ in 0..STEPS_MAX {
        let due = next_step(&product, subscription.as_ref()).filter(|(date, _)| *date <= today);
        let Some((date, step)) = due else { break };
        if let (LifecycleStep::Bill, Some(own)) = (&step, &subscription) {
            issue::ask_ahead(cx, own.client_id, own.currency)?;
        }
        if let (LifecycleStep::Bill, Some(own)) = (&step, &subscription)
            && dunning::run_before_renewal(cx, own.subscription_id)?
        {
            product = ClientProduct::find(cx, ClientProductId(id))?;
            subscription = billing_schedule_of(cx, &product)?;
            continue;
        }
        (product, subscription) = take(cx, product, subscription, date, step, today)?;
    }
    schedule(cx, &product, subscription.as_ref())
}

/// The membership of a sale.
pub fn billing_schedule_of(cx: &mut Read, product: &ClientProduct) -> Result<Option<Subscription>> {
    product.subscription_id.map(|id| Subscription::find(cx, id)).transpose()
}

fn take(
    cx: &mut Write,
    before: ClientProduct,
    was: Option<Subscription>,
    date: Date,
    step: LifecycleStep,
    today: Date,
) -> Result<(ClientProduct, Option<Subscription>)> {
    let (mut product, mut subscription, mut rests) = (before.clone(), was.clone(), false);
    match (step, &mut subscription) {
        (LifecycleStep::End, _) => {
            let product = end::end(cx, before, date, false, None)?;
            let subscription = billing_schedule_of(cx, &product)?;
            return Ok((product, subscription));
        }
        (LifecycleStep::Grant, _) => {
            let until =
                today.tomorrow().min(subscription.as_ref().map_or(Date::MAX, |one| one.paid_until));
            let mut grants =
                product.terms.0.by_date(product.valid_from, product.granted_until, until);
            if let Some(subscription) = &subscription {
                grants.retain(|grant| subscription.pause_on(grant.on).is_none());
            }
            grant::give(cx, &product, &grants)?;
            product.granted_until = until.max(product.granted_until.tomorrow());
        }
        (LifecycleStep::Begin, subscription) => {
            product.status = ClientProductStatus::Active;
            let grants: Vec<_> =
                product.terms.0.with_bill(product.valid_from).into_iter().collect();
            grant::give(cx, &product, &grants)?;
            if let Some(subscription) = subscription {
                subscription.status = SubscriptionStatus::Active;
            }
        }
        (LifecycleStep::Rest(at), Some(subscription)) => {
            subscription.begin_pause(at);
            subscription.status = SubscriptionStatus::Paused;
            rests = true;
        }
        (LifecycleStep::Resume, Some(subscription)) => {
            subscription.status = account_status::awake(cx, subscription.subscription_id)?;
        }
        (LifecycleStep::Bill, Some(subscription)) => {
            let (skipped, bill) = (subscription.skip_to(today), subscription.next_bill());
            if skipped > 0 {
                // Nor are there credits for days that were skipped.
                let from = bill.as_ref().map_or(subscription.paid_until, |bill| bill.period_start);
                product.granted_until = product.granted_until.max(from);
            }
            if let Some(bill) = bill {
                renew(cx, &product, subscription, &bill)?;
            }
        }
        (LifecycleStep::Rest(_) | LifecycleStep::Resume | LifecycleStep::Bill, None) => {}
    }
    product.save(cx, &before)?;
    if let (Some(subscription), Some(was)) = (&mut subscription, &was) {
        subscription.save_and_emit(cx, was, Event::SubscriptionChanged)?;
        if subscription.status != was.status {
            account_status::follow_members(cx, subscription.client_id)?;
        }
        if rests {
            rest(cx, subscription)?;
        }
    }
    Ok((product, subscription))
}

/// Applies a pause of a membership that has begun: its credits are valid as many days longer, and what it covered is
/// covered otherwise, or cancelled.
pub fn rest(cx: &mut Write, subscription: &Subscription) -> Result<()> {
    let Some(pause) = subscription.pauses.0.iter().rfind(|pause| pause.begun) else {
        return Ok(());
    };
    booking_credits::release_cover(cx, subscription.client_product_id, pause.from)?;
    grant::shift(
        cx,
        subscription.client_product_id,
        pause.from,
        pause.from.days_until(pause.until),
    )?;
    cx.end(Offboarding::EntitlementEnded, subscription.client_id)
}

/// Bills a period, and gives the credits that come with it. The membership itself is written by who calls.
fn renew(
    cx: &mut Write,
    product: &ClientProduct,
    subscription: &mut Subscription,
    bill: &PeriodBill,
) -> Result<()> {
    if bill.amount > 0 {
        issue::issue(cx, &billed(product, subscription, bill))?;
    }
    subscription.billed(bill);
    // A pause that keeps the dates of bills has days without credits.
    let resting =
        subscription.pause_on(bill.period_start).map(|at| subscription.pauses.0[at].billing);
    if resting != Some(PauseBilling::Fixed) {
        let grants: Vec<_> = product.terms.0.with_bill(bill.period_start).into_iter().collect();
        grant::give(cx, product, &grants)?;
    }
    Ok(())
}

/// The bill of a period.
pub fn billed(product: &ClientProduct, subscription: &Subscription, bill: &PeriodBill) -> Bill {
    Bill {
        client_id: subscription.client_id,
        currency: subscription.currency,
        lines: vec![BillLine {
            product_id: Some(product.product_id),
            description: product.name.clone(),
            quantity: 1,
            gross: bill.amount,
            vat_percentage: subscription.vat_percentage,
        }],
        collection: subscription.collection,
        period: Some((bill.period_start, bill.period_end)),
        due_from: Some(bill.period_start),
        subscription_id: Some(subscription.subscription_id),
        client_product_id: Some(product.client_product_id),
        with_fees: true,
    }
}

static TURN_SALE: Timer =
    Timer::new("turn_sale", "Begin, bill, pause or end a purchase, and grant its credits", advance)
        .emits(crate::TURNS);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&TURN_SALE])
}
