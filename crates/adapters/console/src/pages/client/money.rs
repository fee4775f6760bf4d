//! A client's money: memberships, credits, what they bought, invoices; and how something is sold to them.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::head;
use crate::{
    api,
    api_call::ApiCall,
    page_context::PageContext,
    pages::money::{
        invoices as bills,
        memberships::{membership, pending_requests},
    },
    parts::{
        fields::{Form, disclosure},
        lists::{facts, pager, state, table},
        shell::View,
    },
};

/// `/console/clients/{clientId}/money`
pub(in crate::pages) fn money(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "money")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let products = cx.call(api::list_client_products(id).limit(20))?;
    let subscriptions = cx.call(api::list_subscriptions().client_id(id).limit(20))?;
    let credits = cx.call(api::get_credits(id))?;
    let invoices = cx.list_if_allowed(api::list_invoices().client_id(id))?;
    let balances = cx.call_or_empty(api::list_client_balances().client_ids(id))?;
    let billed = cx.call_or_empty(api::get_billing_details(id))?;
    let mut request = Vec::new();
    for subscription in subscriptions.subscriptions() {
        request.push(pending_requests(cx, subscription)?);
    }
    let rows = match &invoices {
        Some(answer) => bills::rows(cx, answer, false)?,
        None => Vec::new(),
    };
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        (tabs)
        div.grid {
            section.card {
                h2 { (t.membership()) }
                @if subscriptions.subscriptions().is_empty() { p.quiet { (t.no_membership()) } }
                @for (subscription, request) in subscriptions.subscriptions().iter().zip(request) {
                    (membership(cx, subscription))
                    (request)
                }
            }
            section.card {
                h2 { (t.credits()) }
                ul.rows {
                    @for pool in credits.credits() {
                        li {
                            span.grow {
                                @if !pool.pool_key().is_empty() {
                                    (pool.pool_key())
                                } @else {
                                    (t.general())
                                }
                            }
                            b.number { (written.count(pool.available())) }
                            @if pool.held() > 0 {
                                span.quiet { (written.count(pool.held())) " " (t.held()) }
                            }
                        }
                    }
                }
                @if cx.may(api::AdjustCredits) {
                    (disclosure(
                        t.adjust(),
                        Form::of(cx, api::adjust_credits(id))
                            .text("amount", t.amount_signed())
                            .text("reason", t.reason())
                            .send(t.adjust()),
                    ))
                }
            }
        }
        section.card {
            h2 { (t.bought()) }
            @if products.client_products().is_empty() { p.quiet { (t.nothing_bought()) } }
            ul.rows {
                @for product in products.client_products() {
                    li {
                        span.grow {
                            (product.name()) " "
                            span.quiet { (t.term(product.product_type())) }
                        }
                        (state(cx, product.status()))
                        @if product.status() == "active"
                            && cx.may(api::RevokeClientProduct)
                        {
                            (disclosure(
                                t.revoke(),
                                Form::of(
                                    cx,
                                    api::revoke_client_product(product.client_product_id()),
                                )
                                .danger(t.revoke()),
                            ))
                        }
                    }
                }
            }
            @if cx.may(api::CreateDeskSale) && client.archived_at().is_none() {
                a.button href={ "/console/sell?client=" (id) } { (t.sell()) }
            }
        }
        @if let Some(invoices) = &invoices {
            h2 { (t.invoices()) }
            @for sum in balances.client_balances().iter().flat_map(|own| own.balances()) {
                @let money = |amount: i64| written.money(amount, sum.currency());
                @if sum.owed() > 0 { p { (t.owes()) ": " b.number { (money(sum.owed())) } } }
                @if sum.unallocated() > 0 {
                    div.notice {
                        (t.unallocated(&money(sum.unallocated()))) ". " (t.unallocated_means())
                    }
                }
            }
            div.buttons { (bills::billing(cx, id)) }
            @if cx.may(api::UpdateBillingDetails) {
                (disclosure(t.billing_details(), billing_details(cx, id, billed.billing_details())))
            }
            @if rows.is_empty() {
                p.quiet { (t.no_invoices()) }
            } @else {
                (table(t.invoices(), &bills::columns(t, false), rows))
                (pager(cx, invoices))
            }
        }
    };
    Ok(View::new(client.full_name(), main))
}

/// The form of the billing details.
fn billing_details(cx: &PageContext<'_, '_>, id: &str, details: api::BillingDetails<'_>) -> Markup {
    let t = cx.strings;
    let form = Form::with_key(cx, "billing-details", api::update_billing_details(id)).from(details);
    form.text("companyName", t.billed_company())
        .text("vatNumber", t.vat_number())
        .text("registrationNumber", t.registration_number())
        .address("address")
        .check("reverseCharge", t.reverse_charge())
        .send(t.save())
}

/// Fees that wait for a client's next invoice, each offered as a line of this one.
pub(in crate::pages) fn waiting_fees(
    cx: &PageContext<'_, '_>,
    fees: api::List<'_, api::WaitingFee<'_>>,
    currency: &str,
    are_included: bool,
) -> Markup {
    let (t, place) = (cx.strings, cx.place);
    html! {
        @if !fees.is_empty() {
            div.notice {
                @for fee in fees.iter() {
                    p {
                        @if fee.kind() == "no_show" { (t.no_show_fee()) } @else { (t.late_fee()) }
                        ": "
                        b { (cx.written.money(fee.amount(), currency)) }
                        @if !are_included { " · " (t.waiting_fee()) }
                    }
                }
                @if are_included {
                    a.button.plain href=(place.with_parameters(&[("fees", "")])) {
                        (t.without_fee())
                    }
                } @else {
                    a.button.plain href=(place.with_parameters(&[("fees", "1")])) {
                        (t.include_fee())
                    }
                }
            }
        }
    }
}

/// `/console/clients/{clientId}/sell`
pub(in crate::pages) fn sell(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let head = head(cx, "sell")?;
    let (id, client, tabs) = (&*head.id, head.client(), &head.tabs);
    let wanted = cx.place.parameter("productId").to_owned();
    let products = cx.call(api::list_products().archived(false).limit(100))?;
    let found = products.products().iter().find(|product| product.product_id() == wanted);
    let with_fees = cx.place.parameter("fees") == "1";
    let body = serde_json::json!({"productId": wanted, "includeFees": with_fees});
    // Memberships and other products are sold by different operations.
    let (of_membership, of_product);
    let (bill, act) = match found.map(|product| product.product_type()) {
        Some("Membership") => {
            of_membership = cx.call(api::preview_membership(id).with_body(body))?;
            (Some(of_membership.preview()), ApiCall::from(api::assign_membership(id)))
        }
        Some(_) => {
            of_product = cx.call(api::preview_product(id).with_body(body))?;
            (Some(of_product.preview()), api::assign_product(id).into())
        }
        None => (None, api::assign_product(id).into()),
    };
    let (t, written) = (cx.strings, &cx.written);
    let label = |product: api::Product<'_>| {
        format!(
            "{} · {}",
            cx.localized(product.name()),
            written.money(product.price(), product.currency())
        )
    };
    let main = html! {
        (tabs)
        form.filters method="get" {
            label.wide {
                (t.product())
                select name="productId" required {
                    option value="" { (t.choose()) }
                    @for product in products.products() {
                        option
                            value=(product.product_id())
                            selected[product.product_id() == wanted]
                        {
                            (label(product))
                        }
                    }
                }
            }
            button.plain type="submit" { (t.next()) }
        }
        @if let (Some(product), Some(bill)) = (found, bill) {
            section.card {
                h2 { (cx.localized(product.name())) }
                (facts(vec![
                    (t.price(), html! {
                        (written.money(product.price(), product.currency()))
                        @if product.period() != "None" { " / " (t.term(product.period())) }
                    }),
                    (t.first_bill(), html! {
                        (written.money(bill.gross_total(), bill.currency()))
                    }),
                    (
                        t.of_which_vat(),
                        html! { (written.money(bill.tax_total(), bill.currency())) },
                    ),
                    (t.due(), html! { (written.date(bill.due_date())) }),
                    (t.credits(), html! {
                        @if product.credits() > 0 { (written.count(product.credits())) }
                    }),
                ]))
                ul.rows {
                    @for line in bill.lines() {
                        li {
                            span.grow { (line.description()) }
                            span.number { (written.money(line.gross(), bill.currency())) }
                        }
                    }
                }
                (waiting_fees(cx, bill.waiting_fees(), bill.currency(), with_fees))
                @let form = Form::of(cx, act)
                    .hidden("productId", &*wanted)
                    .hidden("includeFees", with_fees.to_string())
                    .next(format!("/console/clients/{id}/money"))
                    .text("startsOn", t.starts_on())
                    .money("price", t.other_price());
                (form.send(t.sell()))
            }
        }
    };
    Ok(View::new(client.full_name(), main))
}
