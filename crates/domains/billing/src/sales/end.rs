//! How a sale ends: by its term, by cancellation, by revocation, or because the client leaves.

use spotter_contract::{Area, Effect, Offboarding, Write};
use spotter_kernel::{Date, Event, Id, Result, id::ClientId, text::quoted};
use spotter_store::{params, statements};

use crate::{
    account_status,
    billing::{credit_notes, invoice::Invoice, tax::for_days},
    credits::{
        booking_credits,
        lot::{CreditLot, EntryKind, LotChangeCause},
    },
    effects::BillingEffect,
    ids::InvoiceId,
    memberships::subscription::{Subscription, SubscriptionStatus},
    sales::{
        client_product::{ClientProduct, ClientProductStatus},
        lifecycle,
    },
    settings::{CancellationEnd, FinanceSettings},
};

/// Ends a sale on a date, which is the first day after. Unused credits lapse, and bookings that they paid for must be
/// paid otherwise. A revocation has a reason.
pub fn end(
    cx: &mut Write,
    before: ClientProduct,
    on: Date,
    is_revoked: bool,
    reason: Option<String>,
) -> Result<ClientProduct> {
    let mut product = before.clone();
    let subscription = lifecycle::billing_schedule_of(cx, &product)?;
    let was_cancelled = subscription.as_ref().is_some_and(|subscription| subscription.auto_renew);
    let taken_back = is_revoked || was_cancelled;
    product.status = match taken_back {
        true => ClientProductStatus::Revoked,
        false => ClientProductStatus::Expired,
    };
    product.valid_until = Some(on.max(product.valid_from));
    if taken_back {
        product.revoked_at = Some(cx.now());
    }
    product.revoke_reason = reason;
    product.save(cx, &before)?;
    if let Some(subscription) = subscription {
        end_course(cx, subscription, on, is_revoked)?;
    }
    booking_credits::release_cover(cx, product.client_product_id, on)?;
    let kind = if taken_back { EntryKind::Revoke } else { EntryKind::Expire };
    for mut lot in CreditLot::given_by(cx, product.client_product_id)? {
        lot.close(cx, kind, &LotChangeCause::default())?;
    }
    if taken_back {
        product.publish(cx, Event::ClientProductRevoked)?;
    }
    lifecycle::schedule(cx, &product, None)?;
    cx.end(Offboarding::EntitlementEnded, product.client_id)?;
    Ok(product)
}

fn end_course(cx: &mut Write, before: Subscription, on: Date, is_revoked: bool) -> Result<()> {
    if before.has_ended() {
        return Ok(());
    }
    let mut subscription = before.clone();
    subscription.status = match subscription.auto_renew || is_revoked {
        true => SubscriptionStatus::Cancelled,
        false => SubscriptionStatus::Expired,
    };
    subscription.end_date = Some(on);
    subscription.next_billing_date = None;
    subscription.end_requests(cx)?;
    subscription.save_and_emit(cx, &before, Event::SubscriptionCancelled)?;
    let exact = FinanceSettings::find(cx)?.cancellation_end == CancellationEnd::NoticeEnd;
    credit_unused(cx, &subscription, on, is_revoked, exact)?;
    account_status::follow_members(cx, subscription.client_id)
}

/// Credits what was billed for days after the end: whole periods that begin with it or later, whether or not their
/// timer has run, and of the current one what the company's settings say.
fn credit_unused(
    cx: &mut Write,
    subscription: &Subscription,
    on: Date,
    is_revoked: bool,
    exact: bool,
) -> Result<()> {
    let bills: Vec<Invoice> = cx.all(BILLS_AFTER, params![subscription.subscription_id, on])?;
    for mut bill in bills {
        let (Some(start), Some(end)) = (bill.period_start, bill.period_end) else { continue };
        let began = start < on;
        // A sale that is revoked on its first day has begun.
        let is_first_day = is_revoked && start == on && start == subscription.start_date;
        if is_first_day || began && (is_revoked || !exact) {
            continue;
        }
        let unused = on.max(start).days_until(end);
        let own: i64 = bill
            .lines
            .0
            .iter()
            .filter(|line| line.product_id.is_some())
            .map(|line| line.gross)
            .sum();
        let amount =
            for_days(own, unused, start.days_until(end)).min(credit_notes::creditable(&bill));
        if amount > 0 {
            credit_notes::credit(cx, &mut bill, amount, None, None)?;
        }
    }
    Ok(())
}

/// The memberships of a client who leaves end now, without notice; bills stay due.
fn end_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let today = cx.today()?;
    let mut ended = 0;
    for subscription in Subscription::running_of(cx, ClientId(client))? {
        let product = ClientProduct::find(cx, subscription.client_product_id)?;
        let on = subscription.end_date.map_or(today, |end| end.min(today));
        cx.describe_effect(|| BillingEffect::MembershipEndsToday {
            name: quoted(&subscription.name),
        });
        end(cx, product, on, true, None)?;
        ended += 1;
    }
    Ok(ended)
}

/// Ends the membership of an unpaid invoice now.
fn end_of_unpaid(cx: &mut Write, invoice: Id) -> Result<u64> {
    let Some(id) = Invoice::find(cx, InvoiceId(invoice))?.subscription_id else { return Ok(0) };
    let subscription = Subscription::find(cx, id)?;
    if subscription.has_ended() {
        return Ok(0);
    }
    let today = cx.today()?;
    let on = subscription.end_date.map_or(today, |end| end.min(today));
    let product = ClientProduct::find(cx, subscription.client_product_id)?;
    end(cx, product, on, true, None)?;
    Ok(1)
}

const EFFECTS: &[Effect] = &[
    Effect::new(
        Offboarding::ClientLeavesAtOnce,
        || BillingEffect::MembershipsEndNow.into(),
        end_of_client,
    ),
    Effect::new(
        Offboarding::InvoiceGivenUp,
        || BillingEffect::BilledMembershipEnds.into(),
        end_of_unpaid,
    ),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).ends(EFFECTS)
}

statements! {
    BILLS_AFTER = "SELECT ", Invoice::COLUMNS, " FROM invoice WHERE company_id = ?1 AND subscription_id = ?2 \
        AND kind = 'invoice' AND period_end > ?3 ORDER BY invoice_id LIMIT 20";
}
