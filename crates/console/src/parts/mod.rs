//! What pages are made of.

pub(crate) mod charts;
pub(crate) mod fields;
mod icons;
pub(crate) mod lists;
mod plain;
pub(crate) mod shell;
pub(crate) mod told;

pub(crate) use icons::icon;
pub use plain::{page, problem, stopped, style};
pub(crate) use plain::{sealed, shut};
