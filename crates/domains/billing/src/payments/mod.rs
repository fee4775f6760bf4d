//! Payments: the record ([`payment`]), which invoices it pays ([`allocation`]), operations ([`operations`]), refunds ([`refunds`]), and
//! payment requests ([`request`], [`requests`]) with their page ([`page`]).

pub mod allocation;
pub mod operations;
pub mod page;
pub mod payment;
pub mod refunds;
pub mod request;
pub mod requests;

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
    ])
    .documents(&[&page::PAGE])
}
