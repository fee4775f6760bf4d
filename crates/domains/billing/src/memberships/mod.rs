//! Memberships: billing periods ([`period`]), the record ([`subscription`]), its invoices from dates alone ([`billing_schedule`]),
//! operations ([`subscriptions`]), and requests to pause or cancel: their preview ([`change_preview`]), record ([`request`]), operations
//! ([`requests`]), effect ([`apply_changes`]) and letters (`letters`).

pub mod apply_changes;
pub mod billing_schedule;
pub mod change_preview;
pub(crate) mod letters;
pub mod period;
pub mod request;
pub mod requests;
pub mod subscription;
pub mod subscriptions;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        subscription::area(),
        subscriptions::area(),
        request::area(),
        change_preview::area(),
        requests::area(),
        apply_changes::area(),
        letters::area(),
    ])
}
