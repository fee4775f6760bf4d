//! Webhooks: subscriptions to events, and the record of their deliveries.

mod alerts;
mod deliveries;
mod record;
mod subscriptions;

pub use alerts::TELL_OF_FAILURES;
use spotter_contract::Area;
use spotter_kernel::id_type;
use spotter_store::stored_ids;

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

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([record::area(), subscriptions::area(), deliveries::area(), alerts::area()])
        .tagged("Webhooks")
}
