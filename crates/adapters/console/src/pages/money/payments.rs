//! Payments, payment requests and chargebacks.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{status_filter, tabs};
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// The part of a payment that is not allocated to an invoice.
fn unallocated_part(cx: &PageContext<'_, '_>, payment: api::Payment<'_>) -> Markup {
    let amount = payment.unallocated();
    html! {
        @if amount > 0 {
            " · " (cx.strings.unallocated(&cx.written.money(amount, payment.currency())))
        }
    }
}

/// A refund in a list of payments.
pub(super) fn refund_row(cx: &PageContext<'_, '_>, refund: api::Refund<'_>) -> Markup {
    let written = &cx.written;
    html! {
        li {
            span.grow {
                b.number { "−" (written.money(refund.amount(), refund.currency())) }
                " " (cx.strings.refund()) br;
                span.quiet {
                    (written.instant(refund.created_at()))
                    @if !refund.reason().is_empty() { " · " (refund.reason()) }
                }
            }
            (state(cx, refund.status()))
        }
    }
}

/// A payment in a list of them.
pub(super) fn payment_row(cx: &PageContext<'_, '_>, payment: api::Payment<'_>) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let currency = payment.currency();
    let left = payment.amount() - payment.refunded_total();
    html! {
        li {
            span.grow {
                b.number { (written.money(payment.amount(), currency)) }
                " " (t.term(payment.kind())) br;
                span.quiet {
                    (written.instant(payment.created_at()))
                    @if !payment.failure_code().is_empty() { " · " (payment.failure_code()) }
                    (unallocated_part(cx, payment))
                }
            }
            (state(cx, payment.status()))
            @if payment.status() == "succeeded" && left > 0 && cx.may(api::RefundPayment) {
                (disclosure(
                    t.refund(),
                    Form::of(cx, api::refund_payment(payment.payment_id()))
                        .money("amount", t.amount())
                        .text("reason", t.reason())
                        .danger(t.refund()),
                ))
            }
        }
    }
}

/// What a day has brought, by the way it was paid, to count the till.
fn takings(cx: &mut PageContext<'_, '_>) -> Result<Markup> {
    let date = cx.place.date("date").unwrap_or_else(|| cx.written.today());
    let answer = cx.call_or_empty(api::get_takings().date(date))?;
    let (t, written) = (cx.strings, &cx.written);
    Ok(html! {
        section.card {
            form.filters method="get" {
                label { (t.takings()) input type="date" name="date" value=(date); }
                button.plain.unscripted type="submit" { (t.show()) }
            }
            @if answer.takings().is_empty() { p.quiet { (t.nothing_paid()) } }
            dl.sum {
                @for one in answer.takings() {
                    @let money = |amount: i64| written.money(amount, one.currency());
                    dt {
                        (t.term(one.kind()))
                        @if one.refunded() > 0 {
                            span.quiet {
                                " " (money(one.received())) " − " (money(one.refunded())) " "
                                (t.refunded())
                            }
                        }
                    }
                    dd.number { b { (money(one.net())) } }
                }
            }
        }
    })
}

/// `/console/money/payments`
pub(in crate::pages) fn payments(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_payments().status(cx.place.parameter("status").trim()))?;
    cx.know_clients(answer.payments().iter().map(|one| one.client_id()))?;
    let mut rows = Vec::new();
    for payment in answer.payments() {
        let client = cx.client(payment.client_id())?;
        let written = &cx.written;
        rows.push(vec![
            html! { (written.instant(payment.created_at())) },
            html! { a href={ "/console/clients/" (payment.client_id()) "/money" } { (client) } },
            html! {
                span.number { (written.money(payment.amount(), payment.currency())) }
                span.quiet { (unallocated_part(cx, payment)) }
            },
            html! { (cx.strings.term(payment.kind())) },
            state(cx, payment.status()),
            html! {
                @if !payment.invoice_id().is_empty() {
                    a href={ "/console/money/invoices/" (payment.invoice_id()) } {
                        (cx.strings.invoice())
                    }
                }
            },
        ]);
    }
    let takings = takings(cx)?;
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/payments"))
        (takings)
        (status_filter(cx, &["pending", "processing", "succeeded", "failed", "cancelled"]))
        @if rows.is_empty() {
            (empty(t.nothing_paid(), None))
        } @else {
            (table(
                t.payments(),
                &[t.when(), t.client(), t.amount(), t.kind(), t.status(), t.invoice()],
                rows,
            ))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.payments(), main))
}

/// `/console/money/requests`
pub(in crate::pages) fn requests(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer =
        cx.list(api::list_payment_requests().status(cx.place.parameter("status").trim()))?;
    cx.know_clients(answer.payment_requests().iter().map(|one| one.client_id()))?;
    let mut rows = Vec::new();
    for request in answer.payment_requests() {
        let client = cx.client(request.client_id())?;
        let written = &cx.written;
        let open = request.status() == "open";
        rows.push(vec![
            html! { a href={ "/console/clients/" (request.client_id()) "/money" } { (client) } },
            html! { (request.description()) },
            html! { span.number { (written.money(request.amount(), request.currency())) } },
            state(cx, request.status()),
            html! {
                @if open {
                    div.buttons {
                        a.button.plain href=(request.pay_url()) target="_blank" rel="noopener" {
                            (cx.strings.pay_page())
                        }
                        (Form::of(cx, api::cancel_payment_request(request.payment_request_id()))
                            .button(cx.strings.cancel()))
                    }
                }
            },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/requests"))
        (status_filter(cx, &["open", "paid", "cancelled", "expired"]))
        @if rows.is_empty() {
            (empty(t.nothing(), None))
        } @else {
            (table(t.payment_requests(), &[t.client(), t.what(), t.amount(), t.status(), ""], rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.payment_requests(), main))
}

/// `/console/money/chargebacks`
pub(in crate::pages) fn chargebacks(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_chargebacks().status(cx.place.parameter("status").trim()))?;
    cx.know_clients(answer.chargebacks().iter().map(|one| one.client_id()))?;
    let mut rows = Vec::new();
    for chargeback in answer.chargebacks() {
        let client = cx.client(chargeback.client_id())?;
        let written = &cx.written;
        rows.push(vec![
            html! { (written.instant(chargeback.created_at())) },
            html! { a href={ "/console/clients/" (chargeback.client_id()) "/money" } { (client) } },
            html! { span.number { (written.money(chargeback.amount(), chargeback.currency())) } },
            html! { (cx.strings.term(chargeback.reason())) },
            html! { (written.instant(chargeback.evidence_due_at())) },
            state(cx, chargeback.status()),
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/chargebacks"))
        (status_filter(cx, &["open", "under_review", "won", "lost"]))
        @if rows.is_empty() {
            (empty(t.nothing(), None))
        } @else {
            (table(
                t.chargebacks(),
                &[t.when(), t.client(), t.amount(), t.reason(), t.evidence_due(), t.status()],
                rows,
            ))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.chargebacks(), main))
}
