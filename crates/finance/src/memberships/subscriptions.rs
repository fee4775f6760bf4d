//! Memberships as integrations, staff and clients see them, and the bills that are to come of them.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Paged, Path, Read, answer, listed, operation};
use spotter_kernel::{Date, Page, Result, Timestamp, id::ClientId, money::Currency};
use spotter_store::{List, filters, lists};

use super::{
    course::PeriodBill,
    requests::{SubscriptionAnswer, SubscriptionPath},
    subscription::{Subscription, SubscriptionStatus, TALLY},
};
use crate::{
    catalogue::product::ProductId,
    ids::{ClientProductId, SubscriptionId},
    zone,
};

listed!(Subscriptions { subscriptions: Subscription });

filters! {
    struct Filters {
        /// Memberships of this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Memberships in this status.
        status: SubscriptionStatus => "status = ?", tallied;
        /// Memberships of this product.
        product_id: ProductId => "product_id = ?";
        /// Memberships that were changed at this instant or later.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_subscriptions(
    cx: &mut Read,
    Paged(mut wanted, page): Paged<Filters>,
) -> Result<Subscriptions> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

fn get_subscription(cx: &mut Read, Path(at): Path<SubscriptionPath>) -> Result<SubscriptionAnswer> {
    Ok(SubscriptionAnswer { subscription: Subscription::find(cx, at.subscription_id)? })
}

answer!(BillsAnswer { subscription_id: SubscriptionId, currency: Currency, bills_to_come: Vec<PeriodBill> });

fn get_bills_to_come(cx: &mut Read, Path(at): Path<SubscriptionPath>) -> Result<BillsAnswer> {
    let course = Subscription::find(cx, at.subscription_id)?;
    Ok(BillsAnswer {
        subscription_id: course.subscription_id,
        currency: course.currency,
        bills_to_come: course.bills_to_come(12),
    })
}

/// A membership that is to be billed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Renewal {
    subscription_id: SubscriptionId,
    client_id: ClientId,
    client_product_id: ClientProductId,
    /// What the client calls it.
    name: String,
    currency: Currency,
    /// What will be billed, should nothing change.
    bill: PeriodBill,
}

listed!(Renewals { renewals: Renewal });

filters! {
    /// What may be asked of what is to be billed.
    struct DueFilters {
        /// What is billed on this date or before; tomorrow when absent.
        to: Date => "next_billing_date <= ?";
    }
}

fn list_renewals(cx: &mut Read, Paged(mut wanted, page): Paged<DueFilters>) -> Result<Renewals> {
    let tomorrow = zone(cx)?.date_at(cx.now()).tomorrow();
    wanted.to = wanted.to.or(Some(tomorrow));
    let Page { items, request, total } = cx.page(&DUE, &wanted, page)?;
    let renewal = |course: Subscription| {
        course.bills_to_come(1).pop().map(|bill| Renewal {
            subscription_id: course.subscription_id,
            client_id: course.client_id,
            client_product_id: course.client_product_id,
            name: course.name,
            currency: course.currency,
            bill,
        })
    };
    let items = items.into_iter().filter_map(renewal).collect();
    Ok(Page { items, request, total }.into())
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/subscriptions", FinanceSubscriptionsRead, list_subscriptions)
            .summary("List memberships")
            .describe("The latest sold first.")
            .for_own(&[]),
        operation!(GET "/finance/subscriptions/{subscriptionId}", FinanceSubscriptionsRead,
            get_subscription)
        .summary("Get a membership")
        .for_own(&[]),
        operation!(GET "/finance/subscriptions/{subscriptionId}/bills-to-come", FinanceSubscriptionsRead,
            get_bills_to_come)
        .summary("Get a membership's next twelve bills")
        .describe("With the reasons for their amounts, should nothing change.")
        .for_own(&[]),
        operation!(app GET "/finance/renewals", Manager, list_renewals)
            .summary("List what is to be billed")
            .describe(
                "A dry run of the renewals up to a date: which membership is billed for which days, how \
                 much, and why. Changes nothing.",
            ),
    ])
}

lists! {
    /// Every membership, the latest sold first.
    LIST: List<Subscription, Filters> =
        List::new("subscription WHERE company_id = ?1", "subscription_id DESC").tallied(TALLY);
    /// Memberships with bills to come, the next due first.
    DUE: List<Subscription, DueFilters> = List::new(
        "subscription WHERE company_id = ?1 AND next_billing_date IS NOT NULL",
        "next_billing_date, subscription_id",
    );
}
