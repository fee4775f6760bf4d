//! What pages are made of.

pub(crate) mod cancellation;
pub(crate) mod charts;
pub(crate) mod fields;
pub(crate) mod format;
mod icons;
pub(crate) mod lists;
pub(crate) mod measures;
pub(crate) mod offers;
mod qr;
pub(crate) mod shell;
pub(crate) mod test_notice;
pub(crate) mod timetable;

pub(crate) use icons::icon;
pub(crate) use qr::qr;
pub(crate) use spotter_html::page::{outside, page, problem, shut, stopped};
