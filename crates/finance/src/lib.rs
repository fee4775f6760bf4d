//! Finance: what a company sells.
//!
//! The words of products stand in [`vocabulary`], the credits that they give again and again in [`pools`],
//! their facts and the rules that they obey in [`product`]; how products are shown, changed and put in
//! order, in [`products`].

pub mod pools;
pub mod product;
pub mod products;
pub mod vocabulary;

use spotter_contract::Area;

/// What the area brings.
pub fn area() -> Area {
    products::area().under("Products")
}
