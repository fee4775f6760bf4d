//! What is sold, as staff, clients and strangers all read it.

use maud::{Markup, html};

use super::format::Format;
use crate::words::Strings;

/// Headings, and the types of products below each.
pub(crate) fn groups(t: Strings) -> [(&'static str, &'static [&'static str]); 4] {
    [
        (t.memberships(), &["Membership"]),
        (t.credit_packs(), &["CreditPack"]),
        (t.passes(), &["DayPass", "WeekPass"]),
        (t.other_products(), &["Other"]),
    ]
}

/// What a product gives, and how it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProductTerms<'p> {
    /// Number of credits; 0 where it gives none.
    pub(crate) credits: i64,
    /// Number of days; 0 where they are not limited.
    pub(crate) days_usable: i64,
    pub(crate) auto_renew: bool,
    /// `None` where nothing is to be given notice of.
    pub(crate) notice_period: &'p str,
}

/// The terms of a product as a list.
pub(crate) fn terms(written: &Format, own: ProductTerms<'_>) -> Markup {
    let t = written.strings;
    html! {
        ul {
            @if own.credits > 0 { li { (t.credits()) ": " (written.count(own.credits)) } }
            @if own.days_usable > 0 { li { (t.days_usable()) ": " (written.count(own.days_usable)) } }
            @if own.auto_renew { li { (t.renews_by_itself()) } }
            @if own.notice_period != "None" {
                li { (t.notice_period()) ": " (t.term(own.notice_period)) }
            }
        }
    }
}
