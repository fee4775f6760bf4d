//! Finance: what a company sells.
//!
//! The words of products stand in [`vocabulary`], a product's facts and the rules that they obey in
//! [`product`]; how products are shown,
//! changed and put in order, in [`products`].

pub mod product;
pub mod products;
pub mod vocabulary;

use spotter_contract::Area;

/// What the area brings.
pub fn area() -> Area {
    products::area().under("Products")
}
