//! What it costs to cancel late, or not to come: shown before something is booked.

use maud::{Markup, html};

use super::format::Format;
use crate::api::{BookingFee, CancellationTerms};

/// The terms of something that can be booked, as a paragraph; empty where cancelling is always free.
pub(crate) fn terms(written: &Format, own: CancellationTerms<'_>) -> Markup {
    let t = written.strings;
    let price = |fee: BookingFee<'_>| written.money(fee.amount(), fee.currency());
    let no_show = own.no_show_fee().map(price);
    let Some(until) = own.free_until() else {
        return html! { @if let Some(fee) = no_show { p.quiet { (t.not_coming_costs(&fee)) } } };
    };
    html! {
        p.quiet {
            @if until > written.now { (t.free_until(&written.instant(until))) "." }
            @else { (t.no_longer_free()) }
            @if let Some(fee) = own.late_fee().map(price) { " " (t.later_costs(&fee)) }
            @if let Some(fee) = no_show { " " (t.not_coming_costs(&fee)) }
        }
    }
}
