//! Payments: the record ([`payment`]), which invoices it pays ([`allocation`]), operations ([`operations`]), refunds ([`refunds`]), and
//! payment requests ([`request`], [`requests`]) with their page ([`page`]), and what a day has brought ([`takings`]).

pub mod allocation;
pub mod operations;
pub mod page;
pub mod payment;
pub mod refunds;
pub mod request;
pub mod requests;
mod takings;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        payment::area(),
        allocation::area(),
        operations::area(),
        refunds::area(),
        request::area(),
        requests::area(),
        takings::area(),
    ])
    .documents(&[&page::PAGE])
}
