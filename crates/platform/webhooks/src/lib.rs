//! Webhooks: the log of events, subscriptions to them, the record of their deliveries, and the engine that sends them: what is sent
//! ([`canonical`]), how it is signed ([`signature`]), one attempt ([`sender`]), and all of them in turn ([`engine`]).

mod alerts;
mod backlog;
pub mod canonical;
mod completions;
mod deliveries;
mod effects;
pub mod engine;
mod events;
pub mod permits;
pub mod preview;
pub mod queue;
mod record;
pub mod redaction;
pub mod retention;
mod rules;
pub mod sender;
pub mod signature;
mod subscriptions;

pub use alerts::ALERT_OF_FAILURES;
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use spotter_contract::Area;
use spotter_kernel::id_type;
use spotter_store::{Sql, stored_ids};

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
id_type!(
    /// An event of the log.
    EventId,
    RequestInvalid
);
stored_ids!(SubscriptionId DeliveryId EventId);

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        record::area(),
        subscriptions::area(),
        deliveries::area(),
        events::area(),
        alerts::area(),
    ])
    .clamps(queue::clamp_due_times)
    .tagged("Webhooks")
}

/// What an operator can set about webhooks.
#[derive(Clone, Debug)]
pub struct WebhookSettings {
    /// Networks that are not public and that deliveries may go to all the same.
    pub private_networks: Vec<IpNet>,
    /// Certificate authorities that are trusted beside the system's.
    pub certificate_authority: Vec<CertificateDer<'static>>,
    /// Attempts that may be fresh at once.
    pub concurrency: u32,
    /// Retention of events and deliveries, in days.
    pub retention_days: i64,
}

/// Every statement of this crate, for the test that prepares them all.
pub fn statements() -> Vec<Sql> {
    [queue::STATEMENTS, retention::STATEMENTS].concat()
}
