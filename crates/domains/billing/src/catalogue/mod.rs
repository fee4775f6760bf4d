//! Products: their words ([`vocabulary`]), credit pools ([`pools`]), the record and its rules ([`product`]), operations ([`products`]), and
//! what strangers see ([`site`]).

pub mod pools;
pub mod product;
pub mod products;
mod site;
pub mod vocabulary;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    products::area().with(pools::area()).with(site::area())
}
