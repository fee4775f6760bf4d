//! What a company sells: the words of products ([`vocabulary`]), the credits that they give again and again
//! ([`pools`]), their facts and the rules that they obey ([`product`]), and how they are shown, changed and
//! put in order ([`products`]).

pub mod pools;
pub mod product;
pub mod products;
pub mod vocabulary;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    products::area().with(pools::area())
}
