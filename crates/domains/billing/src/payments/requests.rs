//! Payment requests for integrations, staff and clients: each has a page of its own to send to the client.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::company::Company;
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Event, Key, Page, Problem, Result, Rule, Timestamp,
    id::ClientId,
    money::Currency,
    number::BoundedInteger,
    text::{Text, quoted},
};
use spotter_people::clients::Client;
use spotter_store::{List, filters, lists};

use super::request::{OPEN_DAYS, PaymentRequest, PaymentRequestStatus, RequestedPayment, TALLY};
use crate::{
    billing::{invoice::Invoice, invoices::InvoicePath},
    effects::BillingEffect,
    ids::{InvoiceId, PaymentRequestId},
    rules::BillingRule,
};

/// How long a request can be paid at most, in days.
const OPEN_DAYS_MAX: i64 = 366;

/// A payment request and the address of its page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PaymentRequest")]
pub struct PaymentRequestView {
    #[serde(flatten)]
    request: PaymentRequest,
    /// Address of the payment page while the request is open. Anyone who has it sees the amount.
    pay_url: Option<String>,
}

impl PaymentRequestView {
    /// A request and its page.
    pub fn of(cx: &Read, request: PaymentRequest) -> Result<Self> {
        let pay_url = match request.is_open() {
            true => request.page(cx)?,
            false => None,
        };
        Ok(Self { request, pay_url })
    }
}

listed!(PaymentRequests { payment_requests: PaymentRequestView });

filters! {
    struct Filters {
        /// Requests to this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Requests in this status.
        status: PaymentRequestStatus => "status = ?", tallied;
        /// Requests for this invoice.
        invoice_id: InvoiceId => "invoice_id = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_payment_requests(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<PaymentRequests> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    let Page { items, request, total, next } = cx.page(&LIST, &wanted, page)?;
    let items: Result<_> = items.into_iter().map(|one| PaymentRequestView::of(cx, one)).collect();
    Ok(Page { items: items?, request, total, next }.into())
}

path!(PaymentRequestPath { payment_request_id: PaymentRequestId });

answer!(PaymentRequestAnswer { payment_request: PaymentRequestView });

fn get_payment_request(
    cx: &mut Read,
    Path(at): Path<PaymentRequestPath>,
) -> Result<PaymentRequestAnswer> {
    let request = PaymentRequest::find(cx, at.payment_request_id)?;
    Ok(PaymentRequestAnswer { payment_request: PaymentRequestView::of(cx, request)? })
}

/// A payment to request from a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPaymentRequest {
    /// The client who is to pay.
    client_id: ClientId,
    /// The invoice that it is for.
    invoice_id: Option<InvoiceId>,
    /// Amount in minor units; the invoice's outstanding amount when absent.
    amount: Option<BoundedInteger<1, 1_000_000_000_000>>,
    /// The invoice's, or the company's, when absent.
    currency: Option<Currency>,
    /// Description for the client; the invoice number when absent.
    description: Option<Text<200>>,
    /// Instant at which the request expires, at most 366 days from now; 30 days when absent.
    expires_at: Option<Timestamp>,
}

fn create_payment_request(
    cx: &mut Write,
    Body(new): Body<NewPaymentRequest>,
) -> Result<PaymentRequestAnswer> {
    let client = Client::find(cx, new.client_id)?;
    let invoice = match new.invoice_id {
        Some(id) => Some(Invoice::payable(cx, id, new.client_id)?),
        None => None,
    };
    let company = Company::find(cx)?;
    let own = invoice.as_ref().map(|invoice| invoice.currency);
    let currency = new.currency.or(own).unwrap_or(company.currency);
    if own.is_some_and(|own| own != currency) {
        return Err(Problem::field(Key::InvalidCurrency, "currency", BillingRule::NotInvoices));
    }
    let balance = invoice.as_ref().map(|invoice| invoice.balance);
    let Some(amount) = new.amount.map(|amount| amount.0).or(balance) else {
        return Err(Problem::invalid("amount", BillingRule::RequiredWithoutInvoice));
    };
    if let Some(balance) = balance.filter(|balance| amount > *balance) {
        return Err(Problem::conflict(
            "amount",
            BillingRule::MoreThan { most: balance.to_string() },
        ));
    }
    let number = invoice.as_ref().map(|invoice| invoice.number.clone());
    let Some(description) = new.description.map(String::from).or(number) else {
        return Err(Problem::invalid("description", BillingRule::RequiredWithoutInvoice));
    };
    let expires_at = new.expires_at.unwrap_or_else(|| cx.now().plus_days(OPEN_DAYS));
    if expires_at <= cx.now() {
        return Err(Problem::invalid("expiresAt", Rule::NotInFuture));
    }
    if expires_at > cx.now().plus_days(OPEN_DAYS_MAX) {
        return Err(Problem::invalid(
            "expiresAt",
            BillingRule::TooFarAhead { days: OPEN_DAYS_MAX },
        ));
    }
    let (name, output) = (quoted(&client.name()), currency.format_amount(amount));
    cx.describe_effect(|| BillingEffect::PaymentRequested {
        name: name.to_string(),
        amount: output.to_string(),
    });
    let requested = RequestedPayment {
        client_id: new.client_id,
        invoice_id: new.invoice_id,
        amount,
        currency,
        description,
        expires_at,
    };
    let request = PaymentRequest::create(cx, requested)?;
    Ok(PaymentRequestAnswer { payment_request: PaymentRequestView::of(cx, request)? })
}

fn pay_invoice(cx: &mut Write, Path(at): Path<InvoicePath>) -> Result<PaymentRequestAnswer> {
    let found = Invoice::find(cx, at.invoice_id)?;
    let invoice = Invoice::payable(cx, at.invoice_id, found.client_id)?;
    let request = PaymentRequest::for_balance_due(cx, &invoice)?;
    Ok(PaymentRequestAnswer { payment_request: PaymentRequestView::of(cx, request)? })
}

fn cancel_payment_request(
    cx: &mut Write,
    Path(at): Path<PaymentRequestPath>,
) -> Result<PaymentRequestAnswer> {
    let request = PaymentRequest::find(cx, at.payment_request_id)?;
    if !request.is_open() {
        return Err(Problem::conflict("status", BillingRule::NotOpen));
    }
    cx.describe_effect(|| BillingEffect::PaymentRequestCancelled);
    cx.set_audit_target("payment_request", request.payment_request_id, ["status"]);
    let request = request.end(cx, PaymentRequestStatus::Cancelled)?;
    Ok(PaymentRequestAnswer { payment_request: PaymentRequestView::of(cx, request)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/payment-requests", FinancePaymentRequestsRead,
            list_payment_requests)
        .summary("List payment requests")
        .describe("Returns payment requests, newest first.")
        .for_own(&[]),
        operation!(GET "/finance/payment-requests/{paymentRequestId}", FinancePaymentRequestsRead,
            get_payment_request)
        .summary("Get a payment request")
        .describe("Returns one payment request with its status and payment page.")
        .for_own(&[]),
        operation!(POST "/finance/payment-requests", FinancePaymentRequestsWrite,
            create_payment_request)
        .success(Success::Added)
        .summary("Create a payment request")
        .describe(
            "Requests payment of an invoice or of another amount. `payUrl` is the client's \
                 payment page.",
        )
        .created()
        .emits(&[Event::PaymentRequestCreated])
        .payment_page()
        .fails(&[Key::CompanyNotFound, Key::ApiError])
        .confirmation(),
        operation!(app POST "/finance/invoices/{invoiceId}/pay", Manager, pay_invoice)
            .summary("Get an invoice's payment page")
            .describe(
                "Returns the payment request for the balance due; creates it if there is none.",
            )
            .emits(&[Event::PaymentRequestCreated])
            .for_own(&[])
            .payment_page()
            .fails(&[Key::ApiError]),
        operation!(POST "/finance/payment-requests/{paymentRequestId}/cancel",
            FinancePaymentRequestsWrite, cancel_payment_request)
        .success(Success::Cancelled)
        .summary("Cancel a payment request")
        .describe("Closes the payment page. The invoice stays due.")
        .emits(&[Event::PaymentRequestCancelled])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}

lists! {
    /// Every request to pay, the newest first.
    LIST: List<PaymentRequest, Filters> =
        List::new("payment_request WHERE company_id = ?1", "payment_request_id DESC").tallied(TALLY);
}
