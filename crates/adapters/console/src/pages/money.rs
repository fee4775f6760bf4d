//! Money: invoices, payments, what is asked for and disputed, and memberships.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    files::INVOICE,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{self, empty, facts, pager, state, table},
        shell::View,
    },
    words::Strings,
};

fn tabs(cx: &PageContext<'_, '_>, here: &str) -> Markup {
    let t = cx.strings;
    let pages = [
        ("", t.invoices(), "list_invoices"),
        ("/payments", t.payments(), "list_payments"),
        ("/memberships", t.memberships(), "list_subscriptions"),
        ("/requests", t.payment_requests(), "list_payment_requests"),
        ("/chargebacks", t.chargebacks(), "list_chargebacks"),
    ];
    lists::tabs(cx, (t.money(), "/console/money", here), &pages)
}

/// Choices of a status as links.
fn statuses(cx: &PageContext<'_, '_>, words: &[&str]) -> Markup {
    let chosen = cx.place.parameter("status");
    html! {
        form.filters method="get" {
            label { (cx.strings.status())
                select name="status" {
                    option value="" { (cx.strings.all()) }
                    @for word in words { option value=(word) selected[*word == chosen] { (cx.strings.term(word)) } }
                }
            }
            button.plain type="submit" { (cx.strings.filter()) }
        }
    }
}

/// The columns of a list of invoices.
pub(super) fn columns(t: Strings, whose: bool) -> Vec<&'static str> {
    let mut all = vec![t.number(), t.date(), t.due(), t.total(), t.balance(), t.status()];
    if whose {
        all.insert(1, t.client());
    }
    all
}

/// The rows of a list of invoices.
pub(super) fn rows(
    cx: &mut PageContext<'_, '_>,
    answer: &Value,
    whose: bool,
) -> Result<Vec<Vec<Markup>>> {
    if whose {
        cx.know_clients(answer.list("invoices"))?;
    }
    let mut rows = Vec::new();
    for invoice in answer.list("invoices") {
        let currency = invoice.text("currency");
        // A client has the PDF; staff have a page of it.
        let base = if cx.is_client() { INVOICE } else { "/console/money/invoices/" };
        let address = format!("{base}{}", invoice.text("invoiceId"));
        // A credit note takes away.
        let sign = if invoice.text("kind") == "credit_note" { -1 } else { 1 };
        let written = &cx.written;
        let date = |place| invoice.date(place).map(|date| written.date(date)).unwrap_or_default();
        let mut row = vec![
            html! { a href=(address) data-hx-boost=[cx.is_client().then_some("false")] { (invoice.text("number")) } },
            html! { (date("issueDate")) },
            html! { (date("dueDate")) },
            html! { span.number { (written.money(sign * invoice.int("grossTotal"), currency)) } },
            html! { span.number { (written.money(invoice.int("balance"), currency)) } },
            state(cx, invoice.text("status")),
        ];
        if whose {
            let client = cx.client(invoice.text("clientId"))?;
            row.insert(1, html! { a href={ "/console/clients/" (invoice.text("clientId")) "/money" } { (client) } });
        }
        rows.push(row);
    }
    Ok(rows)
}

/// A membership with what can be done about it.
pub(super) fn course(cx: &PageContext<'_, '_>, subscription: &Value) -> Markup {
    let id = || vec![("subscriptionId", subscription.text("subscriptionId").to_owned())];
    let (t, written) = (cx.strings, &cx.written);
    let date = |place| subscription.date(place).map(|date| written.date(date)).unwrap_or_default();
    let open =
        matches!(subscription.text("status"), "active" | "past_due" | "scheduled" | "paused");
    html! {
        div {
            p { b { (subscription.text("name")) } " " (state(cx, subscription.text("status"))) }
            (facts(vec![
                (t.price(), html! { (written.money(subscription.int("price"), subscription.text("currency"))) " / " (t.term(subscription.text("period"))) }),
                (t.starts_on(), html! { (date("startDate")) }),
                (t.next_bill(), html! { (date("nextBillingDate")) }),
                (t.ends_on(), html! { (date("endDate")) }),
            ]))
            @if open && cx.may("request_pause") {
                div.buttons {
                    @if subscription.text("status") != "paused" {
                        (disclosure(t.pause(), Form::about(cx, "request_pause", id()).text("from", t.from()).text("until", t.until()).text("reason", t.reason()).send(t.pause())))
                    } @else { (Form::about(cx, "resume_subscription", id()).button(t.resume())) }
                    @if subscription.has("endDate") && cx.may("undo_cancellation") { (Form::about(cx, "undo_cancellation", id()).button(t.undo_cancellation())) }
                    @if !subscription.has("endDate") {
                        (disclosure(t.end_it(), Form::about(cx, "request_cancellation", id()).text("endDate", t.ends_on()).text("reason", t.reason()).danger(t.end_membership())))
                    }
                }
            }
        }
    }
}

/// `/console/money`
pub(super) fn invoices(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let answer = cx.list(ApiCall::of("list_invoices").filtered(place, &["status", "number"]))?;
    let rows = rows(cx, &answer, true)?;
    let t = cx.strings;
    let main = html! {
        (tabs(cx, ""))
        form.filters method="get" role="search" {
            label { (t.number()) input type="search" name="number" value=(place.parameter("number")); }
            label { (t.status())
                select name="status" {
                    option value="" { (t.all()) }
                    @for word in ["open", "overdue", "paid", "cancelled", "uncollectible"] { option value=(word) selected[place.parameter("status") == word] { (t.term(word)) } }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.no_invoices(), None)) }
        @else { (table(t.invoices(), &columns(t, true), rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.money(), main))
}

/// `/console/money/invoices/{invoiceId}`
pub(super) fn invoice(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("invoiceId").to_owned();
    let answer = cx.call(ApiCall::of("get_invoice").at("invoiceId", &id))?;
    let invoice = answer.at("invoice").clone();
    let client = cx.client(invoice.text("clientId"))?;
    let pdf = cx
        .call_if_allowed(ApiCall::of("get_invoice_pdf").at("invoiceId", &id))?
        .unwrap_or_default();
    let payments = cx
        .call_if_allowed(ApiCall::of("list_payments").with("invoiceId", &id).with("limit", 20))?
        .unwrap_or_default();
    let notes = ApiCall::of("list_invoices").with("correctsInvoiceId", &id).with("limit", 20);
    let notes = cx.call(notes)?;
    let corrected = match invoice.text("correctsInvoiceId") {
        "" => None,
        own => cx.call_if_allowed(ApiCall::of("get_invoice").at("invoiceId", own))?,
    };
    let refunds =
        payments.list("payments").iter().map(|payment| payment.int("refundedTotal")).sum::<i64>();
    let (t, written) = (cx.strings, &cx.written);
    let currency = invoice.text("currency").to_owned();
    let money = |amount: i64| written.money(amount, &currency);
    let date = |place| invoice.date(place).map(|date| written.date(date)).unwrap_or_default();
    let at = || vec![("invoiceId", id.clone())];
    let rest = serde_json::json!({"amount": invoice.int("balance")});
    let due = invoice.int("balance") > 0 && invoice.text("kind") == "invoice";
    let lines = invoice.list("lines").iter().map(|line| vec![
        html! { (line.text("description")) },
        html! { span.number { (line.int("quantity")) } },
        html! { span.number { (written.number(line.at("vatPercentage").as_f64().unwrap_or_default(), 2)) " %" } },
        html! { span.number { (money(line.int("gross"))) } },
    ]);
    let lines = lines.collect();
    let kinds = [
        ("cash", t.term("cash")),
        ("card", t.term("card")),
        ("bank_transfer", t.term("bank_transfer")),
    ];
    let main = html! {
        section.card {
            (facts(vec![
                (t.client(), html! { a href={ "/console/clients/" (invoice.text("clientId")) "/money" } { (client) } }),
                (t.status(), html! { (state(cx, invoice.text("status"))) }),
                (t.date(), html! { (date("issueDate")) }),
                (t.due(), html! { (date("dueDate")) }),
                (t.total(), html! { (money(invoice.int("grossTotal"))) }),
                (t.of_which_vat(), html! { (money(invoice.int("taxTotal"))) }),
                (t.paid(), html! { (money(invoice.int("paidTotal"))) }),
                (t.credited(), html! { @if invoice.int("creditedTotal") != 0 { (money(invoice.int("creditedTotal"))) } }),
                (t.refunded(), html! { @if refunds > 0 { (money(refunds)) } }),
                (t.corrects(), html! { @if let Some(own) = &corrected { a href={ "/console/money/invoices/" (own.text("invoice.invoiceId")) } { (own.text("invoice.number")) } } }),
                (t.balance(), html! { b { (money(invoice.int("balance"))) } }),
                (t.reminders(), html! { (invoice.int("reminderCount")) }),
            ]))
        }
        (table(t.lines(), &[t.what(), t.quantity(), t.vat(), t.total()], lines))
        section.card {
            h2 { (t.payments()) }
            @if payments.list("payments").is_empty() { p.quiet { (t.nothing_paid()) } }
            ul.rows {
                @for payment in payments.list("payments") {
                    (paid(cx, payment))
                    @for refund in payment.list("refunds") { (went_back(cx, refund)) }
                }
            }
            @if !notes.list("invoices").is_empty() {
                h3 { (t.credit_notes()) }
                ul.rows {
                    @for note in notes.list("invoices") {
                        li {
                            span.grow {
                                a href={ "/console/money/invoices/" (note.text("invoiceId")) } { (note.text("number")) }
                                br; span.quiet { (note.date("issueDate").map(|date| written.date(date)).unwrap_or_default()) @if note.has("reason") { " · " (note.text("reason")) } }
                            }
                            b.number { (money(note.int("grossTotal"))) }
                        }
                    }
                }
            }
            @if due {
                (disclosure(t.take_payment(), Form::of(cx, "record_payment").from(&rest).hidden("invoiceId", &*id).hidden("clientId", invoice.text("clientId"))
                    .choice("kind", t.kind(), &kinds).money("amount", t.amount_or_all()).text("reference", t.reference()).send(t.take_payment())))
            }
        }
    };
    let acts = html! {
        @if pdf.has("pdf.url") { a.button.plain href=(pdf.text("pdf.url")) download=(pdf.text("pdf.fileName")) { (t.pdf()) } }
        (Form::about(cx, "send_invoice_copy", at()).button(t.send_copy()))
        @if due { (Form::about(cx, "remind_of_invoice", at()).button(t.remind())) }
        @if due && cx.may("credit_invoice") {
            @if cx.may("write_off_invoice") { (disclosure(t.write_off(), html! { p { (t.write_off_means()) } (Form::about(cx, "write_off_invoice", at()).danger(t.write_off())) })) }
            (disclosure(t.credit(), Form::about(cx, "credit_invoice", at()).money("amount", t.amount_or_all()).text("reason", t.reason()).danger(t.credit())))
        }
    };
    Ok(View::new(invoice.text("number"), main).acts(acts))
}

/// What of a payment pays for nothing yet.
fn unused(cx: &PageContext<'_, '_>, payment: &Value) -> Markup {
    let amount = payment.int("unallocated");
    html! { @if amount > 0 { " · " (cx.strings.unallocated(&cx.written.money(amount, payment.text("currency")))) } }
}

/// What of a payment went back.
fn went_back(cx: &PageContext<'_, '_>, refund: &Value) -> Markup {
    let written = &cx.written;
    html! {
        li {
            span.grow {
                b.number { "−" (written.money(refund.int("amount"), refund.text("currency"))) } " " (cx.strings.refund())
                br; span.quiet { (refund.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) @if refund.has("reason") { " · " (refund.text("reason")) } }
            }
            (state(cx, refund.text("status")))
        }
    }
}

fn paid(cx: &PageContext<'_, '_>, payment: &Value) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let currency = payment.text("currency");
    let left = payment.int("amount") - payment.int("refundedTotal");
    html! {
        li {
            span.grow {
                b.number { (written.money(payment.int("amount"), currency)) } " " (t.term(payment.text("kind")))
                br; span.quiet { (payment.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) @if payment.has("failureCode") { " · " (payment.text("failureCode")) } (unused(cx, payment)) }
            }
            (state(cx, payment.text("status")))
            @if payment.text("status") == "succeeded" && left > 0 && cx.may("refund_payment") {
                (disclosure(t.refund(), Form::about(cx, "refund_payment", vec![("paymentId", payment.text("paymentId").to_owned())]).money("amount", t.amount()).text("reason", t.reason()).danger(t.refund())))
            }
        }
    }
}

/// `/console/money/payments`
pub(super) fn payments(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_payments").filtered(cx.place, &["status"]))?;
    cx.know_clients(answer.list("payments"))?;
    let mut rows = Vec::new();
    for payment in answer.list("payments") {
        let client = cx.client(payment.text("clientId"))?;
        let written = &cx.written;
        rows.push(vec![
            html! { (payment.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) },
            html! { a href={ "/console/clients/" (payment.text("clientId")) "/money" } { (client) } },
            html! { span.number { (written.money(payment.int("amount"), payment.text("currency"))) } span.quiet { (unused(cx, payment)) } },
            html! { (cx.strings.term(payment.text("kind"))) },
            state(cx, payment.text("status")),
            html! { @if payment.has("invoiceId") { a href={ "/console/money/invoices/" (payment.text("invoiceId")) } { (cx.strings.invoice()) } } },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/payments"))
        (statuses(cx, &["pending", "processing", "succeeded", "failed", "cancelled"]))
        @if rows.is_empty() { (empty(t.nothing_paid(), None)) }
        @else { (table(t.payments(), &[t.when(), t.client(), t.amount(), t.kind(), t.status(), t.invoice()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.payments(), main))
}

/// `/console/money/memberships`
pub(super) fn memberships(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_subscriptions").filtered(cx.place, &["status"]))?;
    cx.know_clients(answer.list("subscriptions"))?;
    let mut rows = Vec::new();
    for subscription in answer.list("subscriptions") {
        let client = cx.client(subscription.text("clientId"))?;
        let written = &cx.written;
        rows.push(vec![
            html! { a href={ "/console/clients/" (subscription.text("clientId")) "/money" } { (client) } },
            html! { (subscription.text("name")) },
            html! { span.number { (written.money(subscription.int("price"), subscription.text("currency"))) } },
            html! { (subscription.date("nextBillingDate").map(|date| written.date(date)).unwrap_or_default()) },
            state(cx, subscription.text("status")),
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/memberships"))
        (statuses(cx, &["scheduled", "active", "past_due", "paused", "cancelled", "expired"]))
        @if rows.is_empty() { (empty(t.no_membership(), None)) }
        @else { (table(t.memberships(), &[t.client(), t.membership(), t.price(), t.next_bill(), t.status()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.memberships(), main))
}

/// `/console/money/requests`
pub(super) fn requests(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_payment_requests").filtered(cx.place, &["status"]))?;
    cx.know_clients(answer.list("paymentRequests"))?;
    let mut rows = Vec::new();
    for request in answer.list("paymentRequests") {
        let client = cx.client(request.text("clientId"))?;
        let written = &cx.written;
        let open = request.text("status") == "open";
        rows.push(vec![
            html! { a href={ "/console/clients/" (request.text("clientId")) "/money" } { (client) } },
            html! { (request.text("description")) },
            html! { span.number { (written.money(request.int("amount"), request.text("currency"))) } },
            state(cx, request.text("status")),
            html! { @if open { div.buttons {
                a.button.plain href=(request.text("payUrl")) target="_blank" rel="noopener" { (cx.strings.pay_page()) }
                (Form::about(cx, "cancel_payment_request", vec![("paymentRequestId", request.text("paymentRequestId").to_owned())]).button(cx.strings.cancel()))
            } } },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/requests"))
        (statuses(cx, &["open", "paid", "cancelled", "expired"]))
        @if rows.is_empty() { (empty(t.nothing(), None)) }
        @else { (table(t.payment_requests(), &[t.client(), t.what(), t.amount(), t.status(), ""], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.payment_requests(), main))
}

/// `/console/money/chargebacks`
pub(super) fn chargebacks(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_chargebacks").filtered(cx.place, &["status"]))?;
    cx.know_clients(answer.list("chargebacks"))?;
    let mut rows = Vec::new();
    for chargeback in answer.list("chargebacks") {
        let client = cx.client(chargeback.text("clientId"))?;
        let written = &cx.written;
        rows.push(vec![
            html! { (chargeback.instant("createdAt").map(|at| written.instant(at)).unwrap_or_default()) },
            html! { a href={ "/console/clients/" (chargeback.text("clientId")) "/money" } { (client) } },
            html! { span.number { (written.money(chargeback.int("amount"), chargeback.text("currency"))) } },
            html! { (cx.strings.term(chargeback.text("reason"))) },
            html! { (chargeback.instant("evidenceDueAt").map(|at| written.instant(at)).unwrap_or_default()) },
            state(cx, chargeback.text("status")),
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/chargebacks"))
        (statuses(cx, &["open", "under_review", "won", "lost"]))
        @if rows.is_empty() { (empty(t.nothing(), None)) }
        @else { (table(t.chargebacks(), &[t.when(), t.client(), t.amount(), t.reason(), t.evidence_due(), t.status()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.chargebacks(), main))
}

/// What a client has asked for of a membership, and waits for an answer.
pub(super) fn pending_requests(
    cx: &mut PageContext<'_, '_>,
    subscription: &Value,
) -> Result<Markup> {
    let id = subscription.text("subscriptionId");
    let call = ApiCall::of("list_subscription_requests").at("subscriptionId", id).with("limit", 10);
    let answer = cx.call_if_allowed(call)?.unwrap_or_default();
    let (t, written) = (cx.strings, &cx.written);
    let date = |one: &Value, place: &str| {
        one.date(place).map(|date| written.date(date)).unwrap_or_default()
    };
    let waiting = answer.list("requests").iter().filter(|one| one.text("status") == "pending");
    Ok(html! {
        @for one in waiting {
            @let about = || vec![("subscriptionId", id.to_owned()), ("requestId", one.text("requestId").to_owned())];
            div.notice.warn {
                b { (t.term(one.text("kind"))) } " " (date(one, "pauseFrom")) @if one.has("pauseUntil") { " – " (date(one, "pauseUntil")) } (date(one, "endDate"))
                @if one.has("reason") { p { (one.text("reason")) } }
                @if cx.may("approve_subscription_request") {
                    div.buttons {
                        (Form::about(cx, "approve_subscription_request", about()).send(t.approve()))
                        (Form::about(cx, "reject_subscription_request", about()).button(t.reject()))
                    }
                }
            }
        }
    })
}

/// Forms that bill a client for something of its own, and that ask them to pay.
pub(super) fn billing(cx: &PageContext<'_, '_>, client: &str) -> Markup {
    let t = cx.strings;
    html! {
        @if cx.may("issue_invoice") {
            (disclosure(t.new_invoice(), Form::of(cx, "issue_invoice").hidden("clientId", client).text("lines.0.description", t.what())
                .money("lines.0.amount", t.amount_with_vat()).text("lines.0.vatPercentage", t.vat()).send(t.new_invoice())))
        }
        @if cx.may("create_payment_request") {
            (disclosure(t.ask_to_pay(), Form::of(cx, "create_payment_request").hidden("clientId", client).text("description", t.what())
                .money("amount", t.amount()).next("/console/money/requests").send(t.ask_to_pay())))
        }
    }
}
