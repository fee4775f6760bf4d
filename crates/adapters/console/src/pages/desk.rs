//! Selling at the desk. What is bought is collected in the page's address: every step is a link, works without script,
//! and holds nothing until it is paid.

mod order;

use maud::{Markup, html};
use spotter_kernel::{Key, Problem, Result};

use super::{
    client::money::waiting_fees,
    clients::{find_clients, finder},
};
use crate::{
    api::{self, Answer},
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, state},
        qr,
        shell::View,
    },
};
use order::Order;

/// `/console/sell`
pub(super) fn sell(cx: &mut PageContext<'_, '_>) -> Result<View> {
    if !cx.may(api::CreateDeskSale) {
        return Err(Key::Forbidden.into());
    }
    let order = Order::of(cx.place);
    let buyer = match &*order.client {
        "" => None,
        id => Some(cx.client(id)?),
    };
    let found = find_clients(cx)?;
    let products = cx.call(api::list_products().archived(false).limit(100))?;
    let methods = match &*order.client {
        "" => None,
        id => cx.call_if_allowed(api::list_payment_methods(id))?,
    };
    // A discount that cannot be given is said, and everything goes on without it.
    let mut preview = previewed(cx, &order)?;
    let is_wrong = !order.off.is_empty()
        && (order.discount(cx).is_none()
            || matches!(&preview, Some(Err(problem)) if is_of_discount(problem)));
    let paid = if is_wrong { order.without_discount() } else { order.clone() };
    if is_wrong {
        preview = previewed(cx, &paid)?;
    }
    let (preview, refusal) = match preview {
        Some(Ok(answer)) => (Some(answer), None),
        Some(Err(problem)) => (None, Some(problem)),
        None => (None, None),
    };
    let is_charged = methods.is_some_and(|answer| !answer.payment_methods().is_empty());
    let t = cx.strings;
    let main = html! {
        div.desk {
            section aria-label=(t.products()) {
                (shelves(cx, &order, products.products()))
            }
            section.card.filled[!order.basket.0.is_empty()] aria-label=(t.basket()) {
                h2 { (t.client()) }
                p.buyer {
                    @if let Some(name) = &buyer {
                        a href={ "/console/clients/" (order.client) } { b { (name) } }
                        " "
                        a.button.plain
                            href=(cx.place.with_parameters(&[("client", ""), ("fees", "")]))
                        {
                            (t.without_client())
                        }
                    } @else {
                        b { (t.walk_in()) }
                    }
                }
                (finder(cx, "search"))
                @if !found.clients().is_empty() {
                    ul.rows {
                        @for client in found.clients() {
                            li {
                                a.grow
                                    href=(cx.place.with_parameters(&[
                                        ("client", client.client_id()),
                                        ("search", ""),
                                    ]))
                                {
                                    (client.full_name())
                                }
                                span.quiet { (client.email()) }
                            }
                        }
                    }
                } @else if !cx.place.parameter("search").is_empty() {
                    p.quiet { (t.nothing_found(cx.place.parameter("search"))) }
                }
                h2 { (t.basket()) }
                @if order.basket.0.is_empty() { p.quiet { (t.basket_empty()) } }
                (items(cx, &order, products.products()))
                @if let Some(problem) = &refusal {
                    div.notice.warn role="alert" { (t.refused(problem)) }
                }
                @if let Some(preview) = &preview {
                    (totals(cx, &order, is_wrong, preview.preview()))
                    (payment_options(cx, &paid, preview.preview(), is_charged))
                }
            }
        }
    };
    Ok(View::new(t.sell(), main))
}

/// What the order would bill; nothing without a product.
fn previewed(
    cx: &mut PageContext<'_, '_>,
    order: &Order,
) -> Result<Option<Result<Answer<api::PreviewDeskSale>>>> {
    if order.basket.0.is_empty() {
        return Ok(None);
    }
    let body = order.body(cx);
    match cx.call(api::preview_desk_sale().with_body(body)) {
        Err(problem) if problem.status >= 500 => Err(problem),
        other => Ok(Some(other)),
    }
}

fn is_of_discount(problem: &Problem) -> bool {
    problem.named_field().starts_with("discount")
}

/// What is sold, by its type; a press puts it into the basket.
fn shelves(
    cx: &PageContext<'_, '_>,
    order: &Order,
    products: api::List<'_, api::Product<'_>>,
) -> Markup {
    let t = cx.strings;
    let kinds = ["Other", "CreditPack", "DayPass", "WeekPass", "Membership"];
    let is_sold = |kind: &str| kind == "Other" || !order.client.is_empty();
    html! {
        @if products.is_empty() {
            (empty(t.no_products(), Some(("/console/products/new", t.add_product()))))
        }
        @for kind in kinds.into_iter().filter(|kind| is_sold(kind)) {
            @let own: Vec<_> = products.iter().filter(|one| one.product_type() == kind).collect();
            @if !own.is_empty() {
                h2 { (t.term(kind)) }
                div.tiles {
                    @for product in own {
                        // Its beginning and its periods have a page of their own.
                        @let address = match kind {
                            "Membership" => format!(
                                "/console/clients/{}/sell?productId={}",
                                order.client,
                                product.product_id()
                            ),
                            _ => order.basket.with(product.product_id(), 1).address(cx.place),
                        };
                        a.tile href=(address) {
                            b { (cx.localized(product.name())) }
                            span.number {
                                (cx.written.money(product.price(), product.currency()))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What is in the basket, with one more or one less of each.
fn items(
    cx: &PageContext<'_, '_>,
    order: &Order,
    products: api::List<'_, api::Product<'_>>,
) -> Markup {
    let t = cx.strings;
    let of = |id: &str| products.iter().find(|product| product.product_id() == id);
    html! {
        ul.rows {
            @for (id, units) in &order.basket.0 {
                @if let Some(product) = of(id) {
                    @let name = cx.localized(product.name());
                    li {
                        span.grow { (name) }
                        span.units {
                            a.button.plain
                                href=(order.basket.with(id, -1).address(cx.place))
                                aria-label=(t.one_less_of(&name))
                            {
                                "−"
                            }
                            b.number { (units) }
                            a.button.plain
                                href=(order.basket.with(id, 1).address(cx.place))
                                aria-label=(t.add_one_of(&name))
                            {
                                "+"
                            }
                        }
                        span.number {
                            (cx.written.money(product.price() * units, product.currency()))
                        }
                    }
                }
            }
        }
    }
}

/// The discount, the fees that wait, and what is to be paid.
fn totals(
    cx: &PageContext<'_, '_>,
    order: &Order,
    is_wrong: bool,
    preview: api::DeskSalePreview<'_>,
) -> Markup {
    let (t, place) = (cx.strings, cx.place);
    let money = |amount: i64| cx.written.money(amount, preview.currency());
    html! {
        (waiting_fees(cx, preview.waiting_fees(), preview.currency(), order.with_fees))
        details.behind open[is_wrong] {
            summary { (t.add_discount()) }
            form.filters method="get" {
                @if is_wrong {
                    p.mistake role="alert" {
                        (t.discount_wrong(&money(preview.gross_total() + preview.discount_total())))
                    }
                }
                @for (name, value) in place.query.iter().filter(|(name, _)| {
                    !matches!(name.as_str(), "off" | "why" | "search")
                }) {
                    input type="hidden" name=(name) value=(value);
                }
                label {
                    (t.discount_amount())
                    input name="off" value=(order.off) autocomplete="off";
                }
                label.wide {
                    (t.discount_reason())
                    input name="why" value=(order.why) maxlength="100" autocomplete="off";
                }
                button.plain type="submit" { (t.change()) }
            }
        }
        dl.sum {
            @if preview.discount_total() > 0 {
                dt { (t.discount()) } dd.number { "−" (money(preview.discount_total())) }
            }
            dt { (t.of_which_vat()) } dd.number { (money(preview.tax_total())) }
            @if preview.prepaid_total() > 0 {
                dt { (t.paid_before()) } dd.number { "−" (money(preview.prepaid_total())) }
            }
            dt { b { (t.to_pay()) } } dd.number { b.due { (money(preview.amount_due())) } }
        }
    }
}

/// The ways to pay: each is the end of the sale.
fn payment_options(
    cx: &PageContext<'_, '_>,
    order: &Order,
    preview: api::DeskSalePreview<'_>,
    is_charged: bool,
) -> Markup {
    let t = cx.strings;
    let way = |way| order.form(cx, way);
    html! {
        div.ways {
            @if preview.amount_due() == 0 {
                (way(Some("cash")).send(t.sell()))
            } @else {
                (way(Some("card")).send(t.card_terminal()))
                (way(Some("cash"))
                    .money("payment.amountReceived", t.cash_received())
                    .send(t.pay_in_cash()))
                @if !order.client.is_empty() {
                    @if is_charged {
                        (way(Some("payment_method")).button(t.charge_on_file()))
                    }
                    (way(Some("payment_page")).button(t.pay_page()))
                    (way(None).button(t.pay_later()))
                }
            }
        }
    }
}

/// `/console/sell/{invoiceId}`
pub(super) fn receipt(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("invoiceId").to_owned();
    let answer = cx.call(api::get_invoice(&id))?;
    let invoice = answer.invoice();
    let client = cx.client(invoice.client_id())?;
    let payments = cx.call_or_empty(api::list_payments().invoice_id(&id).limit(20))?;
    let pdf = cx.call_or_empty(api::get_invoice_pdf(&id))?;
    let requests = cx.call_or_empty(api::list_payment_requests().invoice_id(&id).limit(1))?;
    let page = requests.payment_requests().iter().map(|request| request.pay_url()).next();
    let page = page.filter(|page| !page.is_empty() && invoice.balance() > 0);
    let change = |payment: api::Payment<'_>| {
        payment
            .amount_received()
            .map(|received| received - payment.amount())
            .filter(|rest| *rest > 0)
    };
    let mail = cx.call_or_empty(api::get_client(invoice.client_id()))?;
    let has_mail = !mail.client().email().is_empty();
    let t = cx.strings;
    let money = |amount: i64| cx.written.money(amount, invoice.currency());
    let main = html! {
        @for rest in payments.payments().iter().filter_map(change) {
            div.figures.screen-only { div.figure { b { (money(rest)) } (t.give_change()) } }
        }
        section.card.receipt {
            @let seller = invoice.seller();
            h2 { (seller.name()) }
            p.quiet {
                @if let Some(address) = seller.address() {
                    (address.line1()) ", " (address.postal_code()) " " (address.city()) br;
                }
                (seller.vat_number())
            }
            p {
                (invoice.number()) " · " (cx.written.instant(invoice.created_at())) br;
                (client)
            }
            ul.rows {
                @for line in invoice.lines() {
                    li {
                        span.grow {
                            @if line.quantity() > 1 { (line.quantity()) " × " }
                            (line.description())
                        }
                        span.number { (money(line.gross())) }
                    }
                }
            }
            dl.sum {
                dt { b { (t.total()) } } dd.number { b { (money(invoice.gross_total())) } }
                @for rate in invoice.taxes() {
                    dt { (t.of_which_vat()) " " (cx.written.number(rate.vat_percentage(), 2)) " %" }
                    dd.number { (money(rate.tax())) }
                }
                @for payment in payments.payments() {
                    @let received = payment.amount_received().unwrap_or(payment.amount());
                    dt { (t.term(payment.kind())) } dd.number { (money(received)) }
                    @if let Some(rest) = change(payment) {
                        dt { (t.change_given()) } dd.number { "−" (money(rest)) }
                    }
                    @for refund in payment.refunds() {
                        dt { (t.refunded()) } dd.number { "−" (money(refund.amount())) }
                    }
                }
                @if invoice.balance() > 0 {
                    dt { (t.to_pay()) } dd.number { b.due { (money(invoice.balance())) } }
                }
            }
            p { (state(cx, invoice.status())) }
        }
        @if let Some(page) = page {
            section.card.screen-only {
                h2 { (t.scan_to_pay()) }
                (qr(t.scan_to_pay(), page))
                p { a href=(page) { (page) } }
            }
        }
    };
    let acts = html! {
        button type="button" data-print { (t.print()) }
        @if !pdf.pdf().url().is_empty() {
            a.button.plain href=(pdf.pdf().url()) download=(pdf.pdf().file_name()) { (t.pdf()) }
        }
        @if has_mail {
            (Form::of(cx, api::send_invoice_copy(&id)).button(t.mail_receipt()))
        } @else {
            (disclosure(
                t.mail_receipt(),
                Form::of(cx, api::send_invoice_copy(&id))
                    .of_type("email", "email", t.email(), "off")
                    .send(t.mail_receipt()),
            ))
        }
        a.button.plain href={ "/console/money/invoices/" (id) } { (t.invoice()) }
        a.button.plain href="/console/sell" { (t.new_sale()) }
    };
    Ok(View::new(t.receipt(), main).acts(acts))
}
