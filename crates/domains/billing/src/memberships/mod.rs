//! Memberships: the periods that are paid for ([`period`]), the record ([`subscription`]), its course from
//! bill to bill ([`course`]), how they are read ([`subscriptions`]), and wishes to pause or to cancel one: what they
//! would mean ([`wishes`]), what is kept of them ([`request`]), what is done with them ([`requests`]) and how they come
//! into effect ([`applying`]), of which clients are written (`letters`).

pub mod apply_changes;
pub mod billing_schedule;
pub mod change_preview;
mod letters;
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
    ])
}
