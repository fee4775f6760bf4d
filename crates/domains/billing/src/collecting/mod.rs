//! Collecting: how money is fetched from clients' cards and accounts through a payment provider. What a
//! provider is asked for and what it says stands in [`provider`]; through which one a company collects in
//! [`connection`]; what is charged in [`method`], [`methods`], [`setup`] and [`expiring`]; charging itself, with what
//! follows from a failure or from silence, in [`charging`], [`retrying`] and [`resolving`]; what providers tell by themselves in [`notice`]; and money
//! that a bank takes back in [`chargeback`] and [`chargebacks`].

pub mod card_expiry;
pub mod chargeback;
pub mod chargebacks;
pub mod charging;
pub mod collection;
pub mod connection;
pub mod method;
pub mod methods;
pub mod notice;
pub mod provider;
pub mod resolution;
pub mod setup;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        connection::area().tagged("Invoices"),
        Area::join([
            method::area(),
            methods::area(),
            setup::area(),
            charging::area(),
            card_expiry::area(),
            collection::area(),
            resolution::area(),
            notice::area(),
            chargeback::area(),
            chargebacks::area(),
        ])
        .tagged("Payments"),
    ])
    .documents(&[&setup::PAGE])
}
