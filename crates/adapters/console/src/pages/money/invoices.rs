//! Invoices: those of a list, one of them, and what bills a client.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{
    payments::{payment_row, refund_row},
    tabs,
};
use crate::{
    api::{self, Answer},
    files::INVOICE,
    page_context::PageContext,
    parts::{
        fields::{Form, Ticks, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
    words::Strings,
};

/// The columns of a list of invoices.
pub(in crate::pages) fn columns(t: Strings, whose: bool) -> Vec<&'static str> {
    let mut all = vec![t.number(), t.date(), t.due(), t.total(), t.balance(), t.status()];
    if whose {
        all.insert(1, t.client());
    }
    all
}

/// The rows of a list of invoices.
pub(in crate::pages) fn rows(
    cx: &mut PageContext<'_, '_>,
    answer: &Answer<api::ListInvoices>,
    whose: bool,
) -> Result<Vec<Vec<Markup>>> {
    if whose {
        cx.know_clients(answer.invoices().iter().map(|one| one.client_id()))?;
    }
    let mut rows = Vec::new();
    for invoice in answer.invoices() {
        let currency = invoice.currency();
        // A client has the PDF; staff have a page of it.
        let base = if cx.is_client() { INVOICE } else { "/console/money/invoices/" };
        let address = format!("{base}{}", invoice.invoice_id());
        // A credit note takes away.
        let sign = if invoice.kind() == "credit_note" { -1 } else { 1 };
        let written = &cx.written;
        let mut row = vec![
            html! {
                a href=(address) data-hx-boost=[cx.is_client().then_some("false")] {
                    (invoice.number())
                }
            },
            html! { (written.date(invoice.issue_date())) },
            html! { (written.date(invoice.due_date())) },
            html! { span.number { (written.money(sign * invoice.gross_total(), currency)) } },
            html! { span.number { (written.money(invoice.balance(), currency)) } },
            state(cx, invoice.status()),
        ];
        if whose {
            let client = cx.client(invoice.client_id())?;
            row.insert(
                1,
                html! {
                    a href={ "/console/clients/" (invoice.client_id()) "/money" } { (client) }
                },
            );
        }
        rows.push(row);
    }
    Ok(rows)
}

/// What is open, overdue, invoiced and collected, above the list.
fn money_totals(cx: &mut PageContext<'_, '_>) -> Result<Markup> {
    let today = cx.written.today();
    let call = api::get_revenue_report().from(today.first_of_month()).to(today).group_by("month");
    let report = cx.call_if_allowed(call)?;
    let overdue = cx.count(api::list_invoices().status("overdue"))?;
    let (t, written) = (cx.strings, &cx.written);
    Ok(html! {
        div.figures {
            a.figure href="/console/money?status=overdue" {
                b { (written.count(overdue)) }
                (t.invoices_overdue())
            }
            @if let Some(report) = &report {
                @for own in report.report().buckets().iter().flat_map(|one| one.currencies()) {
                    div.figure {
                        b { (written.money(own.outstanding(), own.currency())) }
                        (t.outstanding())
                    }
                }
                @for own in report.report().totals() {
                    div.figure {
                        b { (written.money(own.invoiced().gross(), own.currency())) }
                        (t.invoiced_this_month())
                    }
                    a.figure href="/console/reports/revenue" {
                        b { (written.money(own.net_collected(), own.currency())) }
                        (t.collected_this_month())
                    }
                }
            }
        }
    })
}

/// `/console/money`
pub(in crate::pages) fn invoices(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let answer = cx.list(
        api::list_invoices()
            .status(place.parameter("status").trim())
            .number(place.parameter("number").trim()),
    )?;
    let mut rows = rows(cx, &answer, true)?;
    let totals = money_totals(cx)?;
    let t = cx.strings;
    let messages = [("reminder", t.remind()), ("copy", t.send_copy())];
    let form = Form::of(cx, api::send_invoice_messages()).previewed().choice(
        "message",
        t.what(),
        &messages,
    );
    let ticks = Ticks::new(cx.may(api::SendInvoiceMessages).then_some(form), "invoiceIds", t);
    for (row, invoice) in rows.iter_mut().zip(answer.invoices()) {
        row.insert(0, ticks.tick(invoice.invoice_id(), invoice.number()));
    }
    let mut columns = columns(t, true);
    columns.insert(0, t.tick());
    let main = html! {
        (tabs(cx, ""))
        (totals)
        form.filters method="get" role="search" {
            label {
                (t.number())
                input type="search" name="number" value=(place.parameter("number"));
            }
            label {
                (t.status())
                select name="status" {
                    option value="" { (t.all()) }
                    @for word in ["open", "overdue", "paid", "cancelled", "uncollectible"] {
                        option value=(word) selected[place.parameter("status") == word] {
                            (t.term(word))
                        }
                    }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.no_invoices(), None))
        } @else {
            (ticks.act(t.mail_about_ticked(), t.send()))
            (table(t.invoices(), &columns, rows))
            (pager(cx, &answer))
        }
    };
    let acts = html! {
        @if cx.may(api::CreateDeskSale) { a.button href="/console/sell" { (t.sell()) } }
    };
    Ok(View::new(t.money_section(), main).acts(acts))
}

/// `/console/money/invoices/{invoiceId}`
pub(in crate::pages) fn invoice(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("invoiceId").to_owned();
    let answer = cx.call(api::get_invoice(&id))?;
    let invoice = answer.invoice();
    let client = cx.client(invoice.client_id())?;
    let pdf = cx.call_or_empty(api::get_invoice_pdf(&id))?;
    let payments = cx.call_or_empty(api::list_payments().invoice_id(&id).limit(20))?;
    let notes = api::list_invoices().corrects_invoice_id(&id).limit(20);
    let notes = cx.call(notes)?;
    let corrected = match invoice.corrects_invoice_id() {
        "" => None,
        own => cx.call_if_allowed(api::get_invoice(own))?,
    };
    let refunds = payments.payments().iter().map(|payment| payment.refunded_total()).sum::<i64>();
    let (t, written) = (cx.strings, &cx.written);
    let currency = invoice.currency().to_owned();
    let money = |amount: i64| written.money(amount, &currency);
    let rest = serde_json::json!({"amount": invoice.balance()});
    let due = invoice.balance() > 0 && invoice.kind() == "invoice";
    let lines = invoice.lines().iter().map(|line| {
        vec![
            html! { (line.description()) },
            html! { span.number { (line.quantity()) } },
            html! { span.number { (written.number(line.vat_percentage(), 2)) " %" } },
            html! { span.number { (money(line.gross())) } },
        ]
    });
    let lines = lines.collect();
    let kinds = [
        ("cash", t.term("cash")),
        ("card", t.term("card")),
        ("bank_transfer", t.term("bank_transfer")),
    ];
    let main = html! {
        section.card {
            (facts(vec![
                (t.client(), html! {
                    a href={ "/console/clients/" (invoice.client_id()) "/money" } { (client) }
                }),
                (t.status(), html! { (state(cx, invoice.status())) }),
                (t.date(), html! { (written.date(invoice.issue_date())) }),
                (t.due(), html! { (written.date(invoice.due_date())) }),
                (t.total(), html! { (money(invoice.gross_total())) }),
                (t.of_which_vat(), html! { (money(invoice.tax_total())) }),
                (t.paid(), html! { (money(invoice.paid_total())) }),
                (t.credited(), html! {
                    @if invoice.credited_total() != 0 { (money(invoice.credited_total())) }
                }),
                (t.refunded(), html! { @if refunds > 0 { (money(refunds)) } }),
                (t.corrects(), html! {
                    @if let Some(own) = &corrected {
                        a href={ "/console/money/invoices/" (own.invoice().invoice_id()) } {
                            (own.invoice().number())
                        }
                    }
                }),
                (t.balance(), html! { b { (money(invoice.balance())) } }),
                (t.reminders(), html! { (invoice.reminder_count()) }),
            ]))
        }
        (table(t.lines(), &[t.what(), t.quantity(), t.vat(), t.total()], lines))
        section.card {
            h2 { (t.payments()) }
            @if payments.payments().is_empty() { p.quiet { (t.nothing_paid()) } }
            ul.rows {
                @for payment in payments.payments() {
                    (payment_row(cx, payment))
                    @for refund in payment.refunds() { (refund_row(cx, refund)) }
                }
            }
            @if !notes.invoices().is_empty() {
                h3 { (t.credit_notes()) }
                ul.rows {
                    @for note in notes.invoices() {
                        li {
                            span.grow {
                                a href={ "/console/money/invoices/" (note.invoice_id()) } {
                                    (note.number())
                                }
                                br;
                                span.quiet {
                                    (written.date(note.issue_date()))
                                    @if !note.reason().is_empty() { " · " (note.reason()) }
                                }
                            }
                            b.number { (money(note.gross_total())) }
                        }
                    }
                }
            }
            @if due {
                (disclosure(
                    t.take_payment(),
                    Form::of(cx, api::record_payment())
                        .from(&rest)
                        .hidden("invoiceId", &*id)
                        .hidden("clientId", invoice.client_id())
                        .choice("kind", t.kind(), &kinds)
                        .money("amount", t.amount_or_all())
                        .text("reference", t.reference())
                        .send(t.take_payment()),
                ))
            }
        }
    };
    let acts = html! {
        @if !pdf.pdf().url().is_empty() {
            a.button.plain href=(pdf.pdf().url()) download=(pdf.pdf().file_name()) { (t.pdf()) }
        }
        (Form::of(cx, api::send_invoice_copy(&id)).button(t.send_copy()))
        @if due { (Form::of(cx, api::remind_of_invoice(&id)).button(t.remind())) }
        @if due && cx.may(api::CreditInvoice) {
            @if cx.may(api::WriteOffInvoice) {
                (disclosure(t.write_off(), html! {
                    p { (t.write_off_means()) }
                    (Form::of(cx, api::write_off_invoice(&id)).danger(t.write_off()))
                }))
            }
            (disclosure(
                t.credit(),
                Form::of(cx, api::credit_invoice(&id))
                    .money("amount", t.amount_or_all())
                    .text("reason", t.reason())
                    .danger(t.credit()),
            ))
        }
    };
    Ok(View::new(invoice.number(), main).acts(acts))
}

/// Forms that issue an invoice to a client, and that request a payment.
pub(in crate::pages) fn billing(cx: &PageContext<'_, '_>, client: &str) -> Markup {
    let t = cx.strings;
    html! {
        @if cx.may(api::IssueInvoice) {
            (disclosure(
                t.new_invoice(),
                Form::of(cx, api::issue_invoice())
                    .hidden("clientId", client)
                    .text("lines.0.description", t.what())
                    .money("lines.0.amount", t.amount_with_vat())
                    .text("lines.0.vatPercentage", t.vat())
                    .send(t.new_invoice()),
            ))
        }
        @if cx.may(api::CreatePaymentRequest) {
            (disclosure(
                t.ask_to_pay(),
                Form::of(cx, api::create_payment_request())
                    .hidden("clientId", client)
                    .text("description", t.what())
                    .money("amount", t.amount())
                    .next("/console/money/requests")
                    .send(t.ask_to_pay()),
            ))
        }
    }
}
