//! Webhooks: subscriptions to events, and the record of their deliveries.

mod deliveries;
mod record;
mod subscriptions;

use spotter_contract::Operation;
use spotter_kernel::id_type;
use spotter_store::{List, Sql, stored_ids};

id_type!(
    /// A subscription to events.
    SubscriptionId,
    RequestInvalid
);
id_type!(
    /// A delivery of an event to a subscription.
    DeliveryId,
    RequestInvalid
);
stored_ids!(SubscriptionId DeliveryId);

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    let all = [subscriptions::operations(), deliveries::operations()];
    all.into_iter().flatten().map(|operation| operation.under("Webhooks")).collect()
}

pub(crate) fn statements() -> Vec<Sql> {
    [record::STATEMENTS, deliveries::STATEMENTS].concat()
}

pub(crate) fn lists() -> Vec<(&'static List, usize)> {
    vec![(&record::LIST, 1), (&deliveries::LIST, 1)]
}
