//! Finance: what a company sells.
//!
//! A product's facts and the rules that they obey stand in [`product`]; how products are shown,
//! changed and put in order, in [`products`].

pub mod product;
pub mod products;

pub use products::{LIST, LIST_OF_SHELF, operations};

/// The area's statements.
pub(crate) use products::STATEMENTS;
