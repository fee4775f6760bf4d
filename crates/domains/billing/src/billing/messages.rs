//! Reminders and copies of invoices on request.

use spotter_contract::{Area, Path, Success, Write, operation};
use spotter_kernel::{Event, Key, Problem, Result, text::quoted};
use spotter_mail::LetterKind;
use spotter_people::clients::Client;

use super::{
    invoice::{Invoice, InvoiceKind, InvoiceStatus},
    invoices::{InvoiceAnswer, InvoicePath},
    letters,
};
use crate::{effects::BillingEffect, rules::BillingRule};

fn remind_of_invoice(cx: &mut Write, Path(at): Path<InvoicePath>) -> Result<InvoiceAnswer> {
    let invoice = Invoice::find(cx, at.invoice_id)?;
    if invoice.status != InvoiceStatus::Overdue {
        return Err(Problem::conflict("status", BillingRule::NotOverdue));
    }
    let client = Client::find(cx, invoice.client_id)?;
    if let Some(problem) = letters::unreachable(cx, &client) {
        return Err(problem);
    }
    let (name, number) = (quoted(&client.name()), &invoice.number);
    cx.describe_effect(|| BillingEffect::Reminded {
        name: name.to_string(),
        number: number.to_string(),
    });
    cx.set_audit_target("invoice", invoice.invoice_id, ["reminder"]);
    letters::write_to(cx, &invoice, LetterKind::InvoiceReminder)?;
    Ok(InvoiceAnswer { invoice })
}

fn send_invoice_copy(cx: &mut Write, Path(at): Path<InvoicePath>) -> Result<InvoiceAnswer> {
    let invoice = Invoice::find(cx, at.invoice_id)?;
    if invoice.kind != InvoiceKind::Invoice {
        return Err(Problem::conflict("kind", BillingRule::NotInvoice));
    }
    let client = Client::find(cx, invoice.client_id)?;
    if let Some(problem) = letters::unreachable(cx, &client) {
        return Err(problem);
    }
    let (name, number) = (quoted(&client.name()), &invoice.number);
    cx.describe_effect(|| BillingEffect::CopySent {
        name: name.to_string(),
        number: number.to_string(),
    });
    cx.set_audit_target("invoice", invoice.invoice_id, ["copy"]);
    letters::write_to(cx, &invoice, LetterKind::Invoice)?;
    Ok(InvoiceAnswer { invoice })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(POST "/finance/invoices/{invoiceId}/reminders", FinanceInvoiceMessagesWrite,
            remind_of_invoice)
        .success(Success::Sent)
        .summary("Send a payment reminder")
        .describe(
            "Mails the client a reminder of an overdue invoice with a link to pay it. \
                 `invoice.overdue` is emitted once a mail server has accepted it.",
        )
        .created()
        .emits(&[Event::PaymentRequestCreated])
        .always(&[])
        .fails(&[Key::ApiError, Key::CompanyNotFound])
        .confirmation(),
        operation!(POST "/finance/invoices/{invoiceId}/copies", FinanceInvoiceMessagesWrite,
            send_invoice_copy)
        .success(Success::Sent)
        .summary("Send a copy of an invoice")
        .describe(
            "Mails the client a copy. `invoice.sent` is emitted once a mail server has \
                 accepted it.",
        )
        .created()
        .emits(&[Event::PaymentRequestCreated])
        .always(&[])
        .fails(&[Key::ApiError, Key::CompanyNotFound])
        .confirmation(),
    ])
}
