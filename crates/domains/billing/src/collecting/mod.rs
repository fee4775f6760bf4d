//! Collecting money through a payment provider: what a provider can do ([`provider`]), the connected one ([`connection`]), payment methods
//! ([`method`], [`methods`], [`setup`], [`card_expiry`]), charging ([`charging`]), repeated attempts ([`collection`]), payments with an
//! unknown result ([`resolution`]), the provider's notices ([`notice`]) and chargebacks ([`chargeback`], [`chargebacks`]).

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
