//! Selling a product to a client, with its invoice and credits. The preview and the sale use the same functions.

mod request;

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Area, Body, Path, Read, Success, Write, answer, entitlement::BookingEntitlement, operation,
};
use spotter_kernel::{
    Date, Event, Id, Key, Problem, Result, Timestamp, id::ClientId, money::Currency, text::quoted,
};
use spotter_people::clients::{Client, ClientPath, letter_reader};
use spotter_store::Json;

use crate::{
    account_status,
    billing::{
        charge::{self, WaitingFee},
        invoice::{BillLine, Collection, Invoice, InvoiceLine},
        issue::{self, Bill, InvoiceDraft},
        tax::RateTotal,
    },
    catalogue::{
        product::{Product, ProductId},
        vocabulary::ProductType,
    },
    collecting::methods,
    credits::{credit_selection::AvailableCredits, grant, grants::CreditGrant},
    effects::BillingEffect,
    ids::{ClientProductId, CreditLotId, InvoiceId, PaymentMethodId, SubscriptionId},
    memberships::{
        billing_schedule::{self, PeriodBill},
        subscription::{Subscription, SubscriptionStatus},
    },
    rules::BillingRule,
    sales::{
        client_product::ClientProduct,
        purchase::{self, Purchase},
        terms::SaleTerms,
    },
    settings::{BillingAnchor, FinanceSettings},
};
use request::{AnchorChoice, NewMembership, NewSale, SaleRequest};

/// How far from today a sale can begin, in days.
const START_DAYS: RangeInclusive<i64> = -31..=366;

/// A sale that is computed and not stored yet.
struct Sale {
    client: Client,
    purchase: Purchase,
    /// How a membership begins.
    beginning: Option<billing_schedule::BillingStart>,
    /// From when its term is counted.
    term_from: Date,
    payment_method_id: Option<PaymentMethodId>,
    bill: Bill,
    draft: InvoiceDraft,
}

/// A sale before it is made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SalePreview {
    /// Lines of the first invoice.
    lines: Vec<InvoiceLine>,
    /// Amounts by VAT rate.
    taxes: Vec<RateTotal>,
    net_total: i64,
    tax_total: i64,
    gross_total: i64,
    currency: Currency,
    due_date: Date,
    valid_from: Date,
    valid_until: Option<Date>,
    /// Earliest end date of the membership.
    minimum_end_date: Option<Date>,
    /// The next twelve invoices of a membership, if nothing is changed.
    bills_to_come: Vec<PeriodBill>,
    /// Credits granted on the first day.
    credits: Vec<PreviewedCredits>,
    /// Fees that wait for the client's next invoice, whether `includeFees` makes them lines of this one or not.
    waiting_fees: Vec<WaitingFee>,
}

/// Credits that are given.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct PreviewedCredits {
    pool_key: Option<String>,
    credits: i64,
    valid_from: Date,
    valid_until: Option<Date>,
}

answer!(PreviewAnswer { preview: SalePreview });
answer!(SoldAnswer { client_product: ClientProduct, invoice: Invoice });
answer!(MembershipAnswer {
    client_product: ClientProduct,
    subscription: Subscription,
    invoice: Invoice
});

fn work_out(cx: &mut Read, client: ClientId, request: SaleRequest) -> Result<Sale> {
    let client = Client::find(cx, client)?;
    let is_membership = request.membership.is_some();
    let product = purchase::find_sold(cx, request.product_id, "productId", is_membership)?;
    purchase::check_buyer(&client)?;
    if let Some(external) = &request.external_id {
        ClientProduct::check_external_id(cx, external)?;
    }
    methods::check_collection(cx, client.client_id, request.collection, request.payment_method_id)?;
    let today = cx.today()?;
    let start = request.starts_on.unwrap_or(today);
    if !START_DAYS.contains(&today.days_until(start)) {
        return Err(Problem::invalid("startsOn", BillingRule::SaleStart));
    }
    let mut terms = SaleTerms::of(&product);
    terms.price = request.price.unwrap_or(terms.price);
    let settings = FinanceSettings::find(cx)?;
    // Weeks are counted from the start, whatever the company's settings say about months.
    let usual = match terms.period.is_months() {
        true => settings.billing_anchor,
        false => BillingAnchor::Start,
    };
    let term_from = request.membership.as_ref().and_then(|own| own.date).unwrap_or(start);
    let beginning = match request.membership {
        Some(AnchorChoice { anchor, first, date: Some(date) }) => {
            if anchor.is_some() || first.is_some() {
                return Err(Problem::invalid("anchorDate", BillingRule::AnchoredTwice));
            }
            Some(billing_schedule::imported_start(&terms, date, start)?)
        }
        Some(AnchorChoice { anchor, first, date: None }) => Some(billing_schedule::billing_start(
            &terms,
            start,
            anchor.unwrap_or(usual),
            first.unwrap_or(settings.first_period),
        )?),
        None => None,
    };
    let language = letter_reader::language_of(cx, client.client_id)?;
    let line = BillLine {
        product_id: Some(product.product_id),
        description: product.called(Some(&language)),
        quantity: 1,
        gross: beginning.as_ref().map_or(terms.price, |begun| begun.bill.amount),
        vat_percentage: terms.vat_percentage,
    };
    let bill = Bill {
        client_id: client.client_id,
        currency: terms.currency,
        lines: vec![line],
        collection: request.collection,
        period: beginning.as_ref().map(|begun| (begun.bill.period_start, begun.bill.period_end)),
        due_from: Some(start),
        subscription_id: None,
        client_product_id: None,
        with_fees: request.with_fees,
    };
    let name = bill.lines[0].description.clone();
    let external_id = request.external_id;
    Ok(Sale {
        draft: issue::draft(cx, &bill)?,
        purchase: Purchase {
            client_id: client.client_id,
            product,
            name,
            terms,
            start,
            today,
            external_id,
        },
        payment_method_id: request.payment_method_id,
        client,
        beginning,
        term_from,
        bill,
    })
}

impl Sale {
    fn subscription(
        &self,
        id: SubscriptionId,
        of: &ClientProduct,
        begun: &billing_schedule::BillingStart,
    ) -> Subscription {
        let term = self.purchase.terms.contract_period.after(self.term_from);
        let mut subscription = Subscription {
            subscription_id: id,
            client_id: of.client_id,
            client_product_id: of.client_product_id,
            product_id: of.product_id,
            name: of.name.clone(),
            status: match self.purchase.start > self.purchase.today {
                true => SubscriptionStatus::Scheduled,
                false => SubscriptionStatus::Active,
            },
            price: self.purchase.terms.price,
            currency: self.purchase.terms.currency,
            vat_percentage: self.purchase.terms.vat_percentage,
            period: self.purchase.terms.period,
            auto_renew: self.purchase.terms.auto_renew,
            notice_period: self.purchase.terms.cancellation_notice_period,
            collection: self.bill.collection,
            payment_method_id: self.payment_method_id,
            start_date: self.purchase.start,
            anchor_date: begun.anchor,
            paid_until: self.purchase.start,
            next_billing_date: Some(self.purchase.start),
            minimum_end_date: term,
            end_date: self.purchase.terms.term_end(self.term_from),
            pauses: Json(Vec::new()),
            skipped_periods: 0,
            home_location_id: self.client.home_location_id(),
            created_at: of.created_at,
            updated_at: of.created_at,
        };
        subscription.billed(&begun.bill);
        subscription
    }

    /// The purchase and its membership, as they would be stored.
    fn outcome(&self, now: Timestamp) -> (ClientProduct, Option<Subscription>) {
        let id = Id::first_at(now);
        let product = self.purchase.client_product(ClientProductId(id), now);
        let begun = self.beginning.as_ref();
        let membership = begun.map(|begun| self.subscription(SubscriptionId(id), &product, begun));
        (product, membership)
    }

    /// Whether the client could book something with it and with what they have.
    fn would_cover(&self, cx: &mut Read, taking: &BookingEntitlement) -> Result<bool> {
        if taking.units == 0 {
            return Ok(true);
        }
        let now = cx.now();
        let mut means = AvailableCredits::of(cx, self.client.client_id, None)?;
        let (product, membership) = self.outcome(now);
        let lot = |given| grant::new_lot(CreditLotId(Id::first_at(now)), &product, &given, now);
        means.lots.extend(self.purchase.grants().into_iter().map(lot));
        means.products.push(product);
        means.subscriptions.extend(membership);
        let day = cx.zone()?.date_at(taking.at);
        Ok(means.cover(day, taking.units, &taking.pools).is_some())
    }

    fn preview(self, cx: &mut Read) -> Result<SalePreview> {
        let (product, membership) = self.outcome(cx.now());
        let given = |grant: CreditGrant| PreviewedCredits {
            pool_key: grant.pool,
            credits: grant.credits,
            valid_from: grant.on,
            valid_until: grant.until,
        };
        Ok(SalePreview {
            waiting_fees: charge::offered(cx, self.client.client_id, self.purchase.terms.currency)?,
            currency: self.purchase.terms.currency,
            due_date: self.draft.due_date,
            valid_from: product.valid_from,
            valid_until: product.valid_until,
            minimum_end_date: membership
                .as_ref()
                .and_then(|membership| membership.minimum_end_date),
            bills_to_come: membership
                .map(|membership| membership.bills_to_come(12))
                .unwrap_or_default(),
            credits: self.purchase.grants().into_iter().map(given).collect(),
            net_total: self.draft.totals.net,
            tax_total: self.draft.totals.tax,
            gross_total: self.draft.totals.gross,
            lines: self.draft.totals.lines,
            taxes: self.draft.totals.taxes,
        })
    }
}

/// Stores a sale: the purchase, its invoice, its credits, and their events.
fn sell(cx: &mut Write, sale: Sale) -> Result<(ClientProduct, Option<Subscription>, Invoice)> {
    let now = cx.now();
    let mut product = sale.purchase.client_product(ClientProductId(cx.new_id()), now);
    let subscription = sale.beginning.as_ref().map(|begun| {
        let id = SubscriptionId(cx.new_id());
        sale.subscription(id, &product, begun)
    });
    product.subscription_id = subscription.as_ref().map(|one| one.subscription_id);
    let bill = Bill {
        subscription_id: product.subscription_id,
        client_product_id: Some(product.client_product_id),
        ..sale.bill.clone()
    };
    let (name, client) = (quoted(&product.name), quoted(&sale.client.name()));
    let gross = bill.currency.format_amount(sale.draft.totals.gross);
    cx.describe_effect(|| BillingEffect::Sold { name, client, gross });
    if let Some(subscription) = &subscription {
        subscription.insert(cx)?;
        account_status::follow_members(cx, product.client_id)?;
    }
    let invoice = issue::issue(cx, &bill)?;
    product.invoice_id = Some(invoice.invoice_id);
    sale.purchase.hand_over(cx, &product, subscription.as_ref())?;
    Ok((product, subscription, invoice))
}

/// The request to sell what a client ordered by themselves: nothing is added to what the order says.
fn ordered(product: &Product, price: i64, starts_on: Date) -> SaleRequest {
    let is_membership = product.product_type == ProductType::Membership;
    SaleRequest {
        product_id: product.product_id,
        starts_on: Some(starts_on),
        price: Some(price),
        external_id: None,
        membership: is_membership.then_some(AnchorChoice { anchor: None, first: None, date: None }),
        collection: Collection::Manual,
        payment_method_id: None,
        with_fees: false,
    }
}

/// What a client pays at once who orders a product from a day on, in minor units: of a membership, its first period. Refuses
/// a product that does not pay for the class that is booked with it.
pub(super) fn quote_order(
    cx: &mut Read,
    client: ClientId,
    product: &Product,
    starts_on: Date,
    class: Option<&BookingEntitlement>,
) -> Result<i64> {
    let sale = work_out(cx, client, ordered(product, product.price, starts_on))?;
    match class {
        Some(class) if !sale.would_cover(cx, class)? => {
            Err(Problem::conflict("productId", BillingRule::ClassNotCovered))
        }
        _ => Ok(sale.draft.totals.gross),
    }
}

/// Sells what a client ordered, at the price of the order.
pub(super) fn sell_ordered(
    cx: &mut Write,
    client: ClientId,
    product: ProductId,
    price: i64,
    starts_on: Date,
) -> Result<(ClientProductId, InvoiceId)> {
    let product = Product::find(cx, product)?;
    let sale = work_out(cx, client, ordered(&product, price, starts_on))?;
    let (client_product, _, invoice) = sell(cx, sale)?;
    Ok((client_product.client_product_id, invoice.invoice_id))
}

fn preview_product(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewSale>,
) -> Result<PreviewAnswer> {
    let sale = work_out(cx, at.client_id, new.into())?;
    Ok(PreviewAnswer { preview: sale.preview(cx)? })
}

fn assign_product(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewSale>,
) -> Result<SoldAnswer> {
    let sale = work_out(cx, at.client_id, new.into())?;
    let (client_product, _, invoice) = sell(cx, sale)?;
    Ok(SoldAnswer { client_product, invoice })
}

fn preview_membership(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewMembership>,
) -> Result<PreviewAnswer> {
    let sale = work_out(cx, at.client_id, new.into())?;
    Ok(PreviewAnswer { preview: sale.preview(cx)? })
}

fn assign_membership(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewMembership>,
) -> Result<MembershipAnswer> {
    let sale = work_out(cx, at.client_id, new.into())?;
    let (client_product, subscription, invoice) = sell(cx, sale)?;
    let subscription = subscription.ok_or_else(|| Problem::internal("no membership was sold"))?;
    Ok(MembershipAnswer { client_product, subscription, invoice })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/finance/clients/{clientId}/products/preview", FinanceProductsRead, preview_product)
            .summary("Preview a product sale")
            .describe("Returns what the sale would bill and grant. Changes nothing.")
            .fails(&[Key::CompanyNotFound, Key::ApiError]),
        operation!(POST "/finance/clients/{clientId}/products", FinanceProductsWrite, assign_product)
            .success(Success::Sold)
            .summary("Sell a product")
            .describe(
                "Sells a pass, a credit pack or another one-time product to a client. The invoice \
                 is issued at once; credits are granted on the first day.",
            )
            .created()
            .emits(crate::SELLS)
            .always(&[Event::InvoiceCreated, Event::ClientProductAssigned])
            .fails(&[Key::CompanyNotFound, Key::ApiError])
            .confirmation(),
        operation!(POST "/finance/clients/{clientId}/memberships/preview", FinanceSubscriptionsRead,
            preview_membership)
        .summary("Preview a membership sale")
        .describe(
                "Returns what selling a membership would bill and grant, with the next twelve \
                 invoices. Changes nothing.",
            )
        .fails(&[Key::CompanyNotFound, Key::ApiError]),
        operation!(POST "/finance/clients/{clientId}/memberships", FinanceMembershipsWrite,
            assign_membership)
        .success(Success::Sold)
        .summary("Sell a membership")
        .describe(
                "Sells a membership to a client. The invoice of the first period is issued at \
                 once, the following ones automatically.",
            )
        .created()
        .emits(crate::SELLS)
        .always(&[Event::InvoiceCreated, Event::ClientProductAssigned, Event::MembershipAssigned])
        .fails(&[Key::CompanyNotFound, Key::ApiError])
        .confirmation(),
    ])
}
