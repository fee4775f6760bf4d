//! Memberships for integrations, staff and clients, and their future invoices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, ListQuery, Path, Read, Write, answer, listed, operation};
use spotter_kernel::{
    Change, Date, Event, Key, Page, Patch, Problem, Result, Timestamp, id::ClientId,
    money::Currency,
};
use spotter_store::{List, filters, lists};

use super::{
    billing_schedule::PeriodBill,
    change_preview::SubscriptionPath,
    requests::SubscriptionAnswer,
    subscription::{Subscription, SubscriptionStatus, TALLY},
};
use crate::{
    billing::invoice::Collection,
    catalogue::product::ProductId,
    collecting::methods,
    ids::{ClientProductId, PaymentMethodId, SubscriptionId},
    rules::BillingRule,
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
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Subscriptions> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

fn get_subscription(cx: &mut Read, Path(at): Path<SubscriptionPath>) -> Result<SubscriptionAnswer> {
    Ok(SubscriptionAnswer { subscription: Subscription::find(cx, at.subscription_id)? })
}

/// How the invoices of a membership are collected.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "SubscriptionCollectionChanges")]
struct CollectionChanges {
    /// How invoices are collected: paid by the client, or charged to the client's payment method.
    collection: Change<Collection>,
    /// Payment method to charge; the client's default when null.
    payment_method_id: Patch<PaymentMethodId>,
}

fn update_subscription(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    Body(change): Body<CollectionChanges>,
) -> Result<SubscriptionAnswer> {
    let before = Subscription::find(cx, at.subscription_id)?;
    if before.has_ended() {
        return Err(Problem::conflict("status", BillingRule::Ended));
    }
    let mut subscription = before.clone();
    change.collection.apply(&mut subscription.collection);
    change.payment_method_id.apply(&mut subscription.payment_method_id);
    let Subscription { client_id, collection, payment_method_id, .. } = subscription;
    methods::check_collection(cx, client_id, collection, payment_method_id)?;
    subscription.save_and_emit(cx, &before, Event::SubscriptionChanged)?;
    Ok(SubscriptionAnswer { subscription })
}

answer!(BillsAnswer { subscription_id: SubscriptionId, currency: Currency, bills_to_come: Vec<PeriodBill> });

fn get_bills_to_come(cx: &mut Read, Path(at): Path<SubscriptionPath>) -> Result<BillsAnswer> {
    let subscription = Subscription::find(cx, at.subscription_id)?;
    Ok(BillsAnswer {
        subscription_id: subscription.subscription_id,
        currency: subscription.currency,
        bills_to_come: subscription.bills_to_come(12),
    })
}

/// A membership and its next invoice.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionRenewal")]
struct Renewal {
    subscription_id: SubscriptionId,
    client_id: ClientId,
    client_product_id: ClientProductId,
    /// What was bought, in the languages of the company.
    name: String,
    currency: Currency,
    /// The next invoice if nothing changes.
    bill: PeriodBill,
}

listed!(Renewals { renewals: Renewal });

filters! {
    /// Filters of upcoming invoices.
    struct DueFilters {
        /// Renewals billed on or before this date; tomorrow when absent.
        to: Date => "next_billing_date <= ?";
    }
}

fn list_renewals(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<DueFilters>,
) -> Result<Renewals> {
    let tomorrow = cx.today()?.tomorrow();
    wanted.to = wanted.to.or(Some(tomorrow));
    let Page { items, request, total, next } = cx.page(&DUE, &wanted, page)?;
    let renewal = |subscription: Subscription| {
        subscription.bills_to_come(1).pop().map(|bill| Renewal {
            subscription_id: subscription.subscription_id,
            client_id: subscription.client_id,
            client_product_id: subscription.client_product_id,
            name: subscription.name,
            currency: subscription.currency,
            bill,
        })
    };
    let items = items.into_iter().filter_map(renewal).collect();
    Ok(Page { items, request, total, next }.into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/subscriptions", FinanceSubscriptionsRead, list_subscriptions)
            .summary("List memberships")
            .describe("Returns clients' memberships, latest sold first.")
            .for_own(&[]),
        operation!(GET "/finance/subscriptions/{subscriptionId}", FinanceSubscriptionsRead,
            get_subscription)
        .summary("Get a membership")
            .describe("Returns one membership with its status, periods, pauses and cancellation.")
        .for_own(&[]),
        operation!(app PATCH "/finance/subscriptions/{subscriptionId}", Manager, update_subscription)
            .summary("Update a membership's collection")
            .describe(
                "Sets how future invoices of a membership are paid. Issued invoices stay \
                 unchanged.",
            )
            .emits(&[Event::SubscriptionChanged])
            .fails(&[Key::ApiError]),
        operation!(GET "/finance/subscriptions/{subscriptionId}/bills-to-come", FinanceSubscriptionsRead,
            get_bills_to_come)
        .summary("List upcoming invoices")
        .describe(
                "Returns a membership's next twelve invoices, with the reasons for their amounts, \
                 if nothing changes.",
            )
        .for_own(&[]),
        operation!(app GET "/finance/renewals", Manager, list_renewals)
            .summary("List upcoming renewals")
            .describe(
                "Returns a dry run of the renewals up to a date: which membership is billed for \
                 which period, how much, and why. Changes nothing.",
            ),
    ])
}

lists! {
    /// Every membership, the latest sold first.
    LIST: List<Subscription, Filters> =
        List::new("subscription WHERE company_id = ?1", "subscription_id DESC").tallied(TALLY);
    /// Memberships with upcoming invoices, the next due first.
    DUE: List<Subscription, DueFilters> = List::new(
        "subscription WHERE company_id = ?1 AND next_billing_date IS NOT NULL",
        "next_billing_date, subscription_id",
    );
}
