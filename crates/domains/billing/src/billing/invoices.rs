//! Invoices for integrations, staff and clients, and invoices that staff write by hand.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_company::company::Company;
use spotter_contract::{Area, Body, ListQuery, Path, Read, Write, answer, listed, operation, path};
use spotter_kernel::{
    Date, Event, Key, Many, Problem, Result, Timestamp,
    id::ClientId,
    money::{Currency, Percentage},
    text::{Text, quoted},
};
use spotter_people::clients::Client;
use spotter_store::{List, filters, lists};

use crate::{
    billing::{
        invoice::{BillLine, Collection, Invoice, InvoiceKind, InvoiceStatus, TALLY},
        issue::{self, Bill},
    },
    catalogue::product::Price,
    effects::BillingEffect,
    ids::{InvoiceId, SubscriptionId},
    rules::BillingRule,
};

listed!(Invoices { invoices: Invoice });

filters! {
    struct Filters {
        /// Invoices of this client.
        client_id: ClientId => "client_id = ?", tallied;
        /// Invoices in this status.
        status: InvoiceStatus => "status = ?", tallied;
        /// Invoices or credit notes alone.
        kind: InvoiceKind => "kind = ?";
        /// Invoices of this membership.
        subscription_id: SubscriptionId => "subscription_id = ?";
        /// Credit notes that correct this invoice.
        corrects_invoice_id: InvoiceId => "corrects_invoice_id = ?";
        /// The invoice with this number.
        number: Text<40> => "number = ?";
        /// Invoices that were issued on this date or later.
        issued_from: Date => "issue_date >= ?";
        /// Invoices that were issued before this date.
        issued_to: Date => "issue_date < ?";
        /// Invoices that were changed at this instant or later.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_invoices(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Invoices> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(
    /// An invoice in a path.
    pub InvoicePath {
        /// The invoice's id.
        invoice_id: InvoiceId,
    }
);

answer!(
    /// Invoice or credit note.
    pub InvoiceAnswer {
        /// The invoice after the operation.
        invoice: Invoice,
    }
);

fn get_invoice(cx: &mut Read, Path(at): Path<InvoicePath>) -> Result<InvoiceAnswer> {
    Ok(InvoiceAnswer { invoice: Invoice::find(cx, at.invoice_id)? })
}

/// A line to invoice.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewLine {
    /// Description for the client.
    description: Text<200>,
    /// Gross amount in minor units of the invoice's currency.
    amount: Price,
    /// The share of VAT in percent; 0 when absent.
    vat_percentage: Option<Percentage>,
}

/// An invoice of lines that are not products.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewInvoice {
    /// Client to bill.
    client_id: ClientId,
    /// The company's when absent.
    currency: Option<Currency>,
    /// Lines of the invoice; without lines, the pending fees are invoiced.
    #[serde(default)]
    lines: Many<NewLine, 0, 50>,
}

fn issue_invoice(cx: &mut Write, Body(new): Body<NewInvoice>) -> Result<InvoiceAnswer> {
    let client = Client::find(cx, new.client_id)?;
    client.check_named()?;
    let company = Company::find(cx)?;
    let currency = new.currency.unwrap_or(company.currency);
    let line = |line: NewLine| BillLine {
        product_id: None,
        description: line.description.into(),
        quantity: 1,
        gross: line.amount.0,
        vat_percentage: line.vat_percentage.unwrap_or_default(),
    };
    let bill = Bill {
        client_id: client.client_id,
        currency,
        lines: new.lines.into_iter().map(line).collect(),
        collection: Collection::Manual,
        period: None,
        due_from: None,
        subscription_id: None,
        client_product_id: None,
        with_fees: true,
    };
    if issue::draft(cx, &bill)?.totals.lines.is_empty() {
        return Err(Problem::conflict("lines", BillingRule::NothingToBill));
    }
    let invoice = issue::issue(cx, &bill)?;
    let (name, number) = (quoted(&client.name()), invoice.number.clone());
    let total = invoice.currency.format_amount(invoice.gross_total);
    cx.describe_effect(|| BillingEffect::InvoiceIssued {
        number: number.to_string(),
        total: total.to_string(),
        name: name.to_string(),
    });
    Ok(InvoiceAnswer { invoice })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/finance/invoices", FinanceInvoicesRead, list_invoices)
            .summary("List invoices")
            .describe("Returns invoices and credit notes, newest first.")
            .for_own(&[]),
        operation!(GET "/finance/invoices/{invoiceId}", FinanceInvoicesRead, get_invoice)
            .summary("Get an invoice")
            .describe("Returns one invoice or credit note with its lines, tax and balance.")
            .for_own(&[]),
        operation!(app POST "/finance/invoices", Manager, issue_invoice)
            .summary("Issue an invoice")
            .describe(
                "Issues an invoice for custom lines, and for fees that wait for the client's next \
                 invoice. The client's unallocated payments are applied to it.",
            )
            .created()
            .emits(crate::SETTLES)
            .always(&[Event::InvoiceCreated])
            .fails(&[Key::CompanyNotFound, Key::ApiError])
            .confirmation(),
    ])
}

lists! {
    /// Every invoice, the newest first.
    LIST: List<Invoice, Filters> =
        List::new("invoice WHERE company_id = ?1", "invoice_id DESC").tallied(TALLY).marked("invoice_id");
}
