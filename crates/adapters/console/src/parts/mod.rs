//! What pages are made of.

pub(crate) mod charts;
pub(crate) mod fields;
pub(crate) mod format;
mod icons;
pub(crate) mod lists;
pub(crate) mod measures;
mod plain;
mod qr;
pub(crate) mod shell;
pub(crate) mod timetable;

pub(crate) use icons::icon;
pub use plain::{page, problem, stopped, style};
pub(crate) use plain::{sealed, shut};
pub(crate) use qr::qr;
pub use shell::{leading_to, outside};
