//! Finance: what a company sells.
//!
//! The words of products stand in [`vocabulary`], a product's facts and the rules that they obey in
//! [`product`]; how products are shown,
//! changed and put in order, in [`products`].

pub mod product;
pub mod products;
pub mod vocabulary;

pub use products::{LIST, LIST_OF_SHELF, operations};

/// The area's statements.
pub(crate) use products::STATEMENTS;
