//! Payments as integrations, staff and clients see them, and money that staff take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::company::Company;
use spotter_contract::{
    Area, Body, ListQuery, Offboarding, Path, Read, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Event, Key, Problem, Result, Timestamp,
    id::ClientId,
    money::{Currency, Money},
    number::BoundedInteger,
    text::{Text, quoted},
};
use spotter_people::clients::Client;
use spotter_store::{List, filters, lists, words};

use super::request::{PaymentRequest, PaymentRequestStatus};
use crate::{
    billing::invoice::Invoice,
    effects::BillingEffect,
    ids::{InvoiceId, PaymentId, PaymentRequestId},
    payments::{
        allocation,
        payment::{Allocation, Payment, PaymentKind, PaymentSource, PaymentStatus, TALLY},
        refunds::{self, Refund},
    },
    rules::BillingRule,
};

/// A payment with its allocations and refunds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Payment")]
pub struct PaymentView {
    #[serde(flatten)]
    payment: Payment,
    /// The invoices that it pays.
    allocations: Vec<Allocation>,
    /// Refunds, oldest first.
    refunds: Vec<Refund>,
}

/// Payments with their allocations.
fn views(cx: &mut Read, payments: Vec<Payment>) -> Result<Vec<PaymentView>> {
    let ids: Vec<PaymentId> = payments.iter().map(|payment| payment.payment_id).collect();
    let allocations = allocation::of_payments(cx, &ids)?;
    let refunds = refunds::of_payments(cx, &ids)?;
    let each = payments.into_iter().zip(allocations.into_iter().zip(refunds));
    Ok(each
        .map(|(payment, (allocations, refunds))| PaymentView { payment, allocations, refunds })
        .collect())
}

impl PaymentView {
    /// A payment with its allocations.
    pub fn of(cx: &mut Read, payment: Payment) -> Result<Self> {
        views(cx, vec![payment])?.pop().ok_or_else(|| Key::NotFound.into())
    }
}

listed!(Payments { payments: PaymentView });

filters! {
    struct Filters {
        /// Payments of this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Payments in this status.
        status: PaymentStatus => "status = ?", tallied;
        /// Payments for this invoice.
        invoice_id: InvoiceId => "invoice_id = ?";
        /// Payments that answer this request.
        payment_request_id: PaymentRequestId => "payment_request_id = ?";
        /// Payments of this kind.
        kind: PaymentKind => "kind = ?";
        /// Payments that were changed at this instant or later.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_payments(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Payments> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    let page = cx.page(&LIST, &wanted, page)?;
    let spotter_kernel::Page { items, request, total, next } = page;
    let items = views(cx, items)?;
    Ok(spotter_kernel::Page { items, request, total, next }.into())
}

path!(
    /// A payment in a path.
    pub PaymentPath {
        /// The payment's id.
        payment_id: PaymentId,
    }
);

answer!(
    /// A payment.
    pub PaymentAnswer {
        /// The payment after the operation.
        payment: PaymentView,
    }
);

fn get_payment(cx: &mut Read, Path(at): Path<PaymentPath>) -> Result<PaymentAnswer> {
    let payment = Payment::find(cx, at.payment_id)?;
    Ok(PaymentAnswer { payment: PaymentView::of(cx, payment)? })
}

words! {
    /// How staff take money.
    enum RecordedKind { Cash = "cash", Card = "card", BankTransfer = "bank_transfer" }
}

/// A payment that staff received.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPayment {
    /// The client who pays.
    client_id: ClientId,
    /// The invoice that it pays first; the rest pays the client's others, the oldest due first.
    invoice_id: Option<InvoiceId>,
    /// The request that it answers; it pays the invoice of that.
    payment_request_id: Option<PaymentRequestId>,
    /// Amount in minor units; the requested or outstanding amount when absent.
    amount: Option<BoundedInteger<1, 1_000_000_000_000>>,
    /// The invoice's, or the company's, when absent.
    currency: Option<Currency>,
    /// Payment method type; `card` is a card terminal at the desk.
    kind: RecordedKind,
    /// Reference in your accounts, such as a line of a bank statement.
    reference: Option<Text<120>>,
}

/// The payment request that the money answers; the amount must match.
fn answered(cx: &mut Read, new: &NewPayment, id: PaymentRequestId) -> Result<PaymentRequest> {
    let rule = || BillingRule::NotOpenRequest;
    let found =
        PaymentRequest::find(cx, id).map_err(|none| none.missing("paymentRequestId", rule()))?;
    if found.client_id != new.client_id {
        return Err(Problem::field(Key::NotFound, "paymentRequestId", rule()));
    }
    if !found.is_open() {
        return Err(Problem::conflict("paymentRequestId", rule()));
    }
    if new.amount.is_some_and(|amount| amount.0 != found.amount) {
        return Err(Problem::conflict(
            "amount",
            BillingRule::NotRequestedAmount { amount: found.amount.to_string() },
        ));
    }
    if new.invoice_id.is_some() && new.invoice_id != found.invoice_id {
        return Err(Problem::conflict("invoiceId", BillingRule::NotRequestsInvoice));
    }
    Ok(found)
}

fn record_payment(cx: &mut Write, Body(new): Body<NewPayment>) -> Result<PaymentAnswer> {
    let client = Client::find(cx, new.client_id)?;
    if new.invoice_id.is_none() {
        client.check_named()?;
    }
    let request = match new.payment_request_id {
        Some(id) => Some(answered(cx, &new, id)?),
        None => None,
    };
    let invoice_id = new.invoice_id.or(request.as_ref().and_then(|request| request.invoice_id));
    let invoice = match invoice_id {
        Some(id) => Some(Invoice::payable(cx, id, new.client_id)?),
        None => None,
    };
    let company = Company::find(cx)?;
    let own = invoice.as_ref().map(|invoice| invoice.currency);
    let own = own.or(request.as_ref().map(|request| request.currency));
    let currency = new.currency.or(own).unwrap_or(company.currency);
    if own.is_some_and(|own| own != currency) {
        return Err(Problem::field(Key::InvalidCurrency, "currency", BillingRule::NotInvoices));
    }
    let requested = request.as_ref().map(|request| request.amount);
    let balance = requested.or(invoice.as_ref().map(|invoice| invoice.balance));
    let Some(amount) = new.amount.map(|amount| amount.0).or(balance) else {
        return Err(Problem::invalid("amount", BillingRule::RequiredWithoutInvoice));
    };
    let kind = match new.kind {
        RecordedKind::Cash => PaymentKind::Cash,
        RecordedKind::Card => PaymentKind::Card,
        RecordedKind::BankTransfer => PaymentKind::BankTransfer,
    };
    let received = ReceivedMoney {
        client_id: client.client_id,
        invoice_id,
        payment_request_id: new.payment_request_id,
        money: Money { amount, currency },
        kind,
        reference: new.reference.map(Into::into),
        amount_received: None,
    };
    cx.describe_effect(|| {
        let amount = currency.format_amount(amount);
        BillingEffect::PaymentRecorded { amount: amount.to_string(), name: quoted(&client.name()) }
    });
    if let Some(request) = &request {
        request.end(cx, PaymentRequestStatus::Paid)?;
    }
    let payment = receive(cx, received)?;
    if let Some(request) = request {
        cx.end(Offboarding::RequestPaid, request.payment_request_id)?;
    }
    Ok(PaymentAnswer { payment: PaymentView::of(cx, payment)? })
}

/// Money that staff have taken.
pub struct ReceivedMoney {
    /// The client who pays.
    pub client_id: ClientId,
    /// The invoice that it pays first.
    pub invoice_id: Option<InvoiceId>,
    /// The request that it answers.
    pub payment_request_id: Option<PaymentRequestId>,
    /// How much.
    pub money: Money,
    /// Payment method type.
    pub kind: PaymentKind,
    /// Reference in the accounts.
    pub reference: Option<String>,
    /// Cash that was handed over, of which the rest was given back.
    pub amount_received: Option<i64>,
}

/// Records money that staff have taken, and pays the client's invoices with it.
pub fn receive(cx: &mut Write, received: ReceivedMoney) -> Result<Payment> {
    let ReceivedMoney { client_id, invoice_id, payment_request_id, money, kind, .. } = received;
    let mut payment = Payment {
        invoice_id,
        payment_request_id,
        status: PaymentStatus::Succeeded,
        kind,
        reference: received.reference,
        amount_received: received.amount_received,
        settled_at: Some(cx.now()),
        ..Payment::to_come(cx, client_id, money, PaymentSource::Manual)
    };
    allocation::pay_bills(cx, &mut payment, money.amount)?;
    payment.insert(cx)?;
    payment.publish(cx, Event::PaymentSucceeded)?;
    Ok(payment)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/payments", FinancePaymentsRead, list_payments)
            .summary("List payments")
            .describe("Returns payments, newest first.")
            .for_own(&["reference"]),
        operation!(GET "/finance/payments/{paymentId}", FinancePaymentsRead, get_payment)
            .summary("Get a payment")
            .describe("Returns one payment with the invoices it settled and its refunds.")
            .for_own(&["reference"]),
        operation!(app POST "/finance/payments", Manager, record_payment)
            .summary("Record a payment")
            .describe(
                "Records cash, a card payment at the desk or a bank transfer. An unallocated \
                 amount pays the client's next invoice or can be refunded.",
            )
            .created()
            .emits(crate::SETTLES)
            .always(&[Event::PaymentSucceeded])
            .fails(&[Key::CompanyNotFound, Key::ApiError])
            .confirmation(),
    ])
}

lists! {
    /// Every payment, the newest first.
    LIST: List<Payment, Filters> =
        List::new("payment WHERE company_id = ?1", "payment_id DESC").tallied(TALLY).marked("payment_id");
}
