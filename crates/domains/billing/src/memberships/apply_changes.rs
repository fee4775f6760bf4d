//! How decided changes of a membership take effect: pauses and ends.

use spotter_contract::{Area, Effect, Offboarding, Write};
use spotter_kernel::{Event, Id, Result, id::ClientId, text::quoted};
use spotter_people::clients::{
    profile::set_member_status,
    record::{Client, MemberStatus},
};

use super::letters;
use crate::{
    account_status,
    effects::BillingEffect,
    memberships::subscription::{Subscription, SubscriptionStatus},
    sales::{client_product::ClientProduct, end, lifecycle},
    settings::FinanceSettings,
};

/// Applies a change: at once where its day has come.
pub(super) fn apply(
    cx: &mut Write,
    before: &Subscription,
    mut subscription: Subscription,
) -> Result<Subscription> {
    let today = cx.today()?;
    let product = ClientProduct::find(cx, subscription.client_product_id)?;
    letters::send(cx, before, &subscription)?;
    // A membership that has not begun ends at once, and its invoice is credited.
    if let Some(end) =
        subscription.end_date.filter(|end| *end <= today || *end <= subscription.start_date)
    {
        end::end(cx, product, end, false, None)?;
        return Subscription::find(cx, subscription.subscription_id);
    }
    if let Some((at, from)) = subscription.next_pause()
        && from <= today
    {
        subscription.begin_pause(at);
        subscription.status = SubscriptionStatus::Paused;
    }
    subscription.save_and_emit(cx, before, Event::SubscriptionChanged)?;
    if subscription.status != before.status {
        account_status::follow_members(cx, subscription.client_id)?;
        if subscription.status == SubscriptionStatus::Paused {
            lifecycle::rest(cx, &subscription)?;
        }
    }
    lifecycle::schedule(cx, &product, Some(&subscription))?;
    Ok(subscription)
}

/// Ends the memberships of a leaving client by their terms, as if they were cancelled today. A client without one is
/// no member any more.
fn end_at_term(cx: &mut Write, client: Id) -> Result<u64> {
    let client = ClientId(client);
    let running = Subscription::running_of(cx, client)?;
    if running.is_empty() && Client::find(cx, client)?.is_member() {
        set_member_status(cx, client, MemberStatus::Former)?;
    }
    let until = FinanceSettings::find(cx)?.cancellation_end;
    let today = cx.today()?;
    let mut ended = 0;
    for before in running {
        before.end_requests(cx)?;
        let mut subscription = before.clone();
        // An earlier end by its term stays.
        let end = match (before.end_date, before.auto_renew) {
            (Some(end), false) => end,
            (known, _) => {
                let by_terms = before.end_after(today, until).date;
                known.map_or(by_terms, |known| known.min(by_terms))
            }
        };
        if before.end_date != Some(end) {
            subscription.end_on(end);
        }
        let bills = subscription.bills_to_come(100).len();
        cx.describe_effect(|| BillingEffect::MembershipEnds {
            name: quoted(&subscription.name),
            end: end.to_string(),
            bills: bills.to_string(),
        });
        if subscription != before {
            apply(cx, &before, subscription)?;
            ended += 1;
        }
    }
    Ok(ended)
}

const EFFECTS: &[Effect] = &[Effect::new(
    Offboarding::ClientLeavesAtTerm,
    || BillingEffect::MembershipsEndByTerms.into(),
    end_at_term,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().ends(EFFECTS)
}
