//! Memberships: the periods that are paid for ([`period`]), the record ([`subscription`]), its course from
//! bill to bill ([`course`]), how they are read ([`subscriptions`]), and wishes to pause or to cancel one
//! ([`request`], [`requests`]), of which clients are written (`letters`).

pub mod course;
mod letters;
pub mod period;
pub mod request;
pub mod requests;
pub mod subscription;
pub mod subscriptions;

use spotter_contract::Area;

/// What the area brings.
pub(super) fn area() -> Area {
    Area::join([subscription::area(), subscriptions::area(), request::area(), requests::area()])
}
