//! Sales at the desk: several products on one invoice, for a client or a walk-in customer, paid at once or later. The
//! preview and the sale use the same functions.

mod discount;
mod request;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Body, Read, Success, Write, answer, operation};
use spotter_kernel::{
    Event, Id, Key, Problem, Result,
    id::ClientId,
    money::{Currency, Money},
    text::quoted,
};
use spotter_people::clients::{Client, letter_reader};

use crate::{
    billing::{
        charge::{self, WaitingFee},
        invoice::{BillLine, Collection, Invoice, InvoiceLine},
        issue::{self, Bill, InvoiceDraft},
        letters,
        tax::RateTotal,
        texts,
    },
    catalogue::vocabulary::ProductType,
    collecting::methods,
    effects::BillingEffect,
    ids::ClientProductId,
    payments::{
        allocation,
        operations::{PaymentView, ReceivedMoney, receive},
        request::PaymentRequest,
        requests::PaymentRequestView,
    },
    rules::BillingRule,
    sales::{
        client_product::ClientProduct,
        purchase::{self, Purchase},
        terms::SaleTerms,
        walk_in,
    },
};
use request::{DeskPayment, DeskPaymentKind, NewDeskSale};

/// The most units of one sale: each is a purchase of its own.
const UNITS_MAX: i64 = 100;

/// A sale that is computed and not stored yet.
struct DeskSale {
    /// What a client is handed over.
    purchases: Vec<Purchase>,
    /// What is sold, as people read it.
    names: String,
    bill: Bill,
    draft: InvoiceDraft,
    discount: i64,
    /// Of the total, what the client's earlier overpayments pay.
    prepaid: i64,
    payment: Option<DeskPayment>,
}

/// A sale at the desk before it is made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeskSalePreview {
    /// Lines of the invoice, with the discount in them.
    lines: Vec<InvoiceLine>,
    /// Amounts by VAT rate.
    taxes: Vec<RateTotal>,
    net_total: i64,
    tax_total: i64,
    gross_total: i64,
    currency: Currency,
    /// What is taken off, in minor units.
    discount_total: i64,
    /// Of the total, what the client's earlier overpayments pay.
    prepaid_total: i64,
    /// What is left to be paid now.
    amount_due: i64,
    /// What a customer who pays in cash gets back; null unless `payment.amountReceived` is sent.
    change: Option<i64>,
    /// Fees that wait for the client's next invoice, whether `includeFees` makes them lines of this one or not.
    waiting_fees: Vec<WaitingFee>,
}

answer!(DeskPreviewAnswer { preview: DeskSalePreview });

answer!(DeskSaleAnswer {
    invoice: Invoice,
    /// What the client can use now; empty for a walk-in customer.
    client_products: Vec<ClientProduct>,
    /// The payment that was recorded; null where nothing was paid at the desk.
    payment: Option<PaymentView>,
    /// The payment page of the sale, where that was wanted.
    payment_request: Option<PaymentRequestView>,
    /// What a customer who paid in cash gets back.
    change: Option<i64>,
});

/// Works a sale out for a client, or without one for a walk-in customer, who is known by an id.
fn work_out(
    cx: &mut Read,
    client: Option<Client>,
    buyer: ClientId,
    new: NewDeskSale,
) -> Result<DeskSale> {
    if let Some(client) = &client {
        purchase::check_buyer(client)?;
    }
    let today = cx.today()?;
    let language = letter_reader::language_of(cx, buyer)?;
    let (mut sold, mut currency) = (Vec::new(), None);
    for (at, item) in new.items.into_iter().enumerate() {
        let field = format!("items[{at}].productId");
        let product = purchase::find_sold(cx, item.product_id, &field, false)?;
        if client.is_none() && product.product_type != ProductType::Other {
            return Err(Problem::conflict(&field, BillingRule::NotForWalkIns));
        }
        if *currency.get_or_insert(product.currency) != product.currency {
            return Err(Problem::field(Key::InvalidCurrency, &field, BillingRule::NotFirstItems));
        }
        sold.push((product, item.quantity.map_or(1, Into::into)));
    }
    if sold.iter().map(|(_, units)| units).sum::<i64>() > UNITS_MAX {
        return Err(Problem::invalid("items", BillingRule::TooManyUnits { max: UNITS_MAX }));
    }
    let full: Vec<i64> = sold.iter().map(|(product, quantity)| product.price * quantity).collect();
    let (off, share, reason) = match new.discount {
        Some(wanted) => {
            let total = wanted.of(full.iter().sum())?;
            (discount::shares(total, &full), wanted.percentage, Some(wanted.reason))
        }
        None => (vec![0; full.len()], None, None),
    };
    let (mut lines, mut purchases, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (((product, quantity), full), off) in sold.into_iter().zip(&full).zip(&off) {
        let (name, gross) = (product.called(Some(&language)), full - off);
        names.push(match quantity {
            1 => name.clone(),
            many => format!("{many} × {name}"),
        });
        lines.push(BillLine {
            product_id: Some(product.product_id),
            description: match &reason {
                Some(reason) if *off > 0 => texts::discounted(&name, share, reason, &language),
                _ => name.clone(),
            },
            quantity,
            gross,
            vat_percentage: product.vat_percentage,
        });
        for price in discount::each(gross, quantity).into_iter().filter(|_| client.is_some()) {
            purchases.push(Purchase {
                client_id: buyer,
                product: product.clone(),
                name: name.clone(),
                terms: SaleTerms { price, ..SaleTerms::of(&product) },
                start: today,
                today,
                external_id: None,
            });
        }
    }
    let collection = match &new.payment {
        Some(payment) if payment.kind == DeskPaymentKind::PaymentMethod => Collection::Automatic,
        _ => Collection::Manual,
    };
    if collection == Collection::Automatic {
        methods::check_collection(cx, buyer, collection, None).map_err(|problem| match problem
            .status
        {
            409 => Problem::conflict("payment.kind", BillingRule::NoMethodOnFile),
            _ => problem,
        })?;
    }
    let currency = currency.ok_or_else(|| Problem::internal("a sale of nothing"))?;
    let bill = Bill {
        client_id: buyer,
        currency,
        lines,
        collection,
        period: None,
        due_from: None,
        subscription_id: None,
        client_product_id: None,
        with_fees: new.include_fees,
    };
    let draft = issue::draft(cx, &bill)?;
    let held: i64 =
        allocation::unallocated(cx, buyer, currency)?.iter().map(|one| one.unallocated).sum();
    Ok(DeskSale {
        prepaid: held.min(draft.totals.gross),
        payment: new.payment,
        discount: off.iter().sum(),
        names: names.join(", "),
        purchases,
        bill,
        draft,
    })
}

impl DeskSale {
    /// What is left to be paid now.
    fn due(&self) -> i64 {
        self.draft.totals.gross - self.prepaid
    }

    /// What a customer gets back who hands over cash.
    fn change(&self) -> Result<Option<i64>> {
        let Some(payment) = &self.payment else { return Ok(None) };
        let Some(received) = payment.amount_received.map(i64::from) else { return Ok(None) };
        if payment.kind != DeskPaymentKind::Cash {
            return Err(Problem::invalid("payment.amountReceived", BillingRule::CashOnly));
        }
        if received < self.due() {
            let least = self.bill.currency.format_amount(self.due());
            let rule = BillingRule::LessThanDue { least };
            return Err(Problem::invalid("payment.amountReceived", rule));
        }
        Ok(Some(received - self.due()))
    }

    fn preview(self, cx: &mut Read) -> Result<DeskSalePreview> {
        let (change, amount_due) = (self.change()?, self.due());
        Ok(DeskSalePreview {
            waiting_fees: charge::offered(cx, self.bill.client_id, self.bill.currency)?,
            currency: self.bill.currency,
            discount_total: self.discount,
            prepaid_total: self.prepaid,
            amount_due,
            change,
            net_total: self.draft.totals.net,
            tax_total: self.draft.totals.tax,
            gross_total: self.draft.totals.gross,
            lines: self.draft.totals.lines,
            taxes: self.draft.totals.taxes,
        })
    }
}

fn preview_desk_sale(cx: &mut Read, Body(new): Body<NewDeskSale>) -> Result<DeskPreviewAnswer> {
    let client = match new.client_id {
        Some(id) => Some(Client::find(cx, id)?),
        None => None,
    };
    let buyer = match &client {
        Some(client) => client.client_id,
        // Nobody yet, before the first walk-in customer.
        None => Client::walk_in(cx)?
            .map_or_else(|| ClientId(Id::first_at(cx.now())), |client| client.client_id),
    };
    let sale = work_out(cx, client, buyer, new)?;
    Ok(DeskPreviewAnswer { preview: sale.preview(cx)? })
}

fn create_desk_sale(cx: &mut Write, Body(mut new): Body<NewDeskSale>) -> Result<DeskSaleAnswer> {
    let client = match new.client_id {
        Some(id) => Some(Client::find(cx, id)?),
        None => None,
    };
    let at_once = new.payment.as_ref().is_some_and(|payment| payment.kind.recorded().is_some());
    if client.is_none() && !at_once {
        return Err(Problem::invalid("payment", BillingRule::WalkInPaysNow));
    }
    let buyer = match &client {
        Some(client) => client.clone(),
        None => walk_in::find_or_create(cx)?,
    };
    let receipt_email = new.receipt_email.take();
    if receipt_email.is_some() && !spotter_mail::is_on(cx) {
        return Err(Problem::conflict("receiptEmail", BillingRule::NoMailSent));
    }
    let sale = work_out(cx, client, buyer.client_id, new)?;
    let change = sale.change()?;
    let (names, total) = (quoted(&sale.names), sale.draft.totals.gross);
    cx.describe_effect(|| BillingEffect::Sold {
        name: names.to_string(),
        client: quoted(&buyer.name()),
        gross: sale.bill.currency.format_amount(total),
    });
    let mut purchases: Vec<(Purchase, ClientProduct)> = Vec::new();
    let now = cx.now();
    for purchase in sale.purchases {
        let record = purchase.client_product(ClientProductId(cx.new_id()), now);
        purchases.push((purchase, record));
    }
    let bill = Bill {
        // Its credits depend on it, as those of a sale by itself do.
        client_product_id: match &purchases[..] {
            [(_, only)] => Some(only.client_product_id),
            _ => None,
        },
        ..sale.bill
    };
    let (invoice, settings) = issue::issue_unmailed(cx, &bill)?;
    for (purchase, record) in &mut purchases {
        record.invoice_id = Some(invoice.invoice_id);
        purchase.hand_over(cx, record, None)?;
    }
    let (mut payment, mut payment_request) = (None, None);
    if let Some(paid) = sale.payment.filter(|_| invoice.balance > 0) {
        match paid.kind.recorded() {
            Some(kind) => {
                let received = ReceivedMoney {
                    client_id: invoice.client_id,
                    invoice_id: Some(invoice.invoice_id),
                    payment_request_id: None,
                    money: Money { amount: invoice.balance, currency: invoice.currency },
                    kind,
                    reference: paid.reference.map(Into::into),
                    amount_received: paid.amount_received.map(Into::into),
                };
                let received = receive(cx, received)?;
                payment = Some(PaymentView::of(cx, received)?);
            }
            None if paid.kind == DeskPaymentKind::PaymentPage => {
                let request = PaymentRequest::for_balance_due(cx, &invoice)?;
                payment_request = Some(PaymentRequestView::of(cx, request)?);
            }
            // It is charged as any invoice that is collected.
            None => {}
        }
    }
    let invoice = Invoice::find(cx, invoice.invoice_id)?;
    cx.set_audit_target("invoice", invoice.invoice_id, ["invoice"]);
    letters::post(cx, &invoice, &settings)?;
    if let Some(email) = &receipt_email {
        letters::send_to(cx, &invoice, email)?;
    }
    let client_products = purchases.into_iter().map(|(_, record)| record).collect();
    Ok(DeskSaleAnswer { invoice, client_products, payment, payment_request, change })
}

/// Events of a sale at the desk.
const SELLS: &[Event] = &[
    Event::ClientCreated,
    Event::ClientArchived,
    Event::ClientProductAssigned,
    Event::InvoiceCreated,
    Event::InvoicePaid,
    Event::PaymentSucceeded,
    Event::PaymentRequestCreated,
    Event::CreditAssigned,
];

/// The operations of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/finance/desk-sales/preview", FinanceProductsRead, preview_desk_sale)
            .summary("Preview a sale at the desk")
            .describe(
                "Returns what the sale would bill, what is left to be paid now, and the fees that \
                 wait for the client's next invoice. Changes nothing.",
            )
            .fails(&[Key::CompanyNotFound, Key::InvalidCurrency, Key::ApiError]),
        operation!(POST "/finance/desk-sales", FinanceProductsWrite, create_desk_sale)
            .success(Success::Sold)
            .summary("Sell at the desk")
            .describe(
                "Sells up to 20 products and 100 units on one invoice, to a client or to a walk-in customer, \
                 and records how it was paid: in cash, at a card terminal, on a payment page, by \
                 the client's payment method, or later. A discount takes its share off each line. \
                 Memberships are sold by themselves.",
            )
            .created()
            .emits(SELLS)
            .always(&[Event::InvoiceCreated])
            .payment_page()
            .fails(&[Key::CompanyNotFound, Key::InvalidCurrency, Key::ApiError])
            .confirmation(),
    ])
}
