//! Money: [`invoices`], [`payments`] and [`memberships`].

pub(super) mod invoices;
pub(super) mod memberships;
pub(super) mod payments;

use maud::{Markup, html};

use crate::{
    api::{self, ApiOperation},
    page_context::PageContext,
    parts::lists,
};

fn tabs(cx: &PageContext<'_, '_>, here: &str) -> Markup {
    let t = cx.strings;
    let pages = [
        ("", t.invoices(), api::ListInvoices::ID),
        ("/payments", t.payments(), api::ListPayments::ID),
        ("/memberships", t.memberships(), api::ListSubscriptions::ID),
        ("/requests", t.payment_requests(), api::ListPaymentRequests::ID),
        ("/chargebacks", t.chargebacks(), api::ListChargebacks::ID),
    ];
    lists::tabs(cx, t.money_section(), "/console/money", here, &pages)
}

/// A filter by status.
fn status_filter(cx: &PageContext<'_, '_>, words: &[&str]) -> Markup {
    let chosen = cx.place.parameter("status");
    html! {
        form.filters method="get" {
            label {
                (cx.strings.status())
                select name="status" {
                    option value="" { (cx.strings.all()) }
                    @for word in words {
                        option value=(word) selected[*word == chosen] { (cx.strings.term(word)) }
                    }
                }
            }
            button.plain type="submit" { (cx.strings.filter()) }
        }
    }
}
