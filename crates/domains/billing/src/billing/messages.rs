//! Reminders and copies of invoices on request.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, OptionalBody, Path, Read, Success, Write, answer, bulk, operation,
};
use spotter_kernel::{
    Event, Id, Key, Many, Problem, Result,
    text::{Email, quoted},
};
use spotter_mail::LetterKind;
use spotter_people::clients::Client;
use spotter_store::words;

use super::{
    invoice::{Invoice, InvoiceKind, InvoiceStatus},
    invoices::{InvoiceAnswer, InvoicePath},
    letters,
};
use crate::{effects::BillingEffect, ids::InvoiceId, rules::BillingRule};

/// Seconds within which an invoice is not reminded of again together with others.
const REPEATED_SECONDS: i64 = 86_400;

words! {
    /// What is mailed about invoices.
    enum InvoiceMessage { Reminder = "reminder", Copy = "copy" }
}

impl InvoiceMessage {
    /// The invoice and its client, or why it cannot be mailed.
    fn check(self, cx: &mut Read, id: InvoiceId, is_mail_on: bool) -> Result<(Invoice, Client)> {
        let invoice = Invoice::find(cx, id)?;
        match self {
            Self::Reminder if invoice.status != InvoiceStatus::Overdue => {
                return Err(Problem::conflict("status", BillingRule::NotOverdue));
            }
            Self::Copy if invoice.kind != InvoiceKind::Invoice => {
                return Err(Problem::conflict("kind", BillingRule::NotInvoice));
            }
            _ => {}
        }
        let client = Client::find(cx, invoice.client_id)?;
        match letters::unreachable(is_mail_on, &client) {
            Some(problem) => Err(problem),
            None => Ok((invoice, client)),
        }
    }

    /// The same, or nothing where a reminder was sent within a day.
    fn plan(
        self,
        cx: &mut Read,
        id: InvoiceId,
        is_mail_on: bool,
    ) -> Result<Option<(Invoice, Client)>> {
        let planned = self.check(cx, id, is_mail_on)?;
        let repeats = self == Self::Reminder
            && spotter_mail::sent_lately(cx, LetterKind::InvoiceReminder, id.0, REPEATED_SECONDS)?
                > 0;
        Ok((!repeats).then_some(planned))
    }

    fn send(self, cx: &mut Write, invoice: &Invoice, client: &Client) -> Result<()> {
        let (name, number) = (quoted(&client.name()), invoice.number.clone());
        let (field, letter) = match self {
            Self::Reminder => {
                cx.describe_effect(|| BillingEffect::Reminded { name, number });
                ("reminder", LetterKind::InvoiceReminder)
            }
            Self::Copy => {
                cx.describe_effect(|| BillingEffect::CopySent { name, number });
                ("copy", LetterKind::Invoice)
            }
        };
        cx.set_audit_target("invoice", invoice.invoice_id, [field]);
        letters::write_to(cx, invoice, letter)
    }
}

fn remind_of_invoice(cx: &mut Write, Path(at): Path<InvoicePath>) -> Result<InvoiceAnswer> {
    send_one(cx, at.invoice_id, InvoiceMessage::Reminder)
}

/// Where a copy is mailed to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct InvoiceCopy {
    /// The client's address when absent.
    email: Option<Email>,
}

fn send_invoice_copy(
    cx: &mut Write,
    Path(at): Path<InvoicePath>,
    OptionalBody(wanted): OptionalBody<InvoiceCopy>,
) -> Result<InvoiceAnswer> {
    let Some(email) = wanted.email else {
        return send_one(cx, at.invoice_id, InvoiceMessage::Copy);
    };
    let invoice = Invoice::find(cx, at.invoice_id)?;
    if invoice.kind != InvoiceKind::Invoice {
        return Err(Problem::conflict("kind", BillingRule::NotInvoice));
    }
    if !spotter_mail::is_on(cx) {
        return Err(Problem::conflict("email", BillingRule::NoMailSent));
    }
    let (name, number) = (email.to_string(), invoice.number.clone());
    cx.describe_effect(|| BillingEffect::CopySent { name, number });
    cx.set_audit_target("invoice", invoice.invoice_id, ["copy"]);
    letters::send_to(cx, &invoice, &email)?;
    Ok(InvoiceAnswer { invoice })
}

fn send_one(cx: &mut Write, id: InvoiceId, message: InvoiceMessage) -> Result<InvoiceAnswer> {
    let is_on = spotter_mail::is_on(cx);
    let (invoice, client) = message.check(cx, id, is_on)?;
    message.send(cx, &invoice, &client)?;
    Ok(InvoiceAnswer { invoice })
}

/// Mail about many invoices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct InvoiceMessages {
    /// The invoices, at most 100.
    invoice_ids: Many<InvoiceId, 1, { bulk::RECORDS_MAX }>,
    /// What is mailed: a reminder of an overdue invoice, or a copy.
    message: InvoiceMessage,
}

answer!(InvoiceBulkAnswer { report: bulk::BulkReport });

fn preview_invoice_messages(
    cx: &mut Read,
    Body(wanted): Body<InvoiceMessages>,
) -> Result<InvoiceBulkAnswer> {
    let (message, is_on) = (wanted.message, spotter_mail::is_on(cx));
    let ids = wanted.invoice_ids.iter().map(|id| id.0).collect::<Vec<_>>();
    let plan = |cx: &mut Read, id: Id| message.plan(cx, InvoiceId(id), is_on);
    Ok(InvoiceBulkAnswer { report: bulk::preview(cx, ids, plan)? })
}

fn send_invoice_messages(
    cx: &mut Write,
    Body(wanted): Body<InvoiceMessages>,
) -> Result<InvoiceBulkAnswer> {
    let (message, is_on) = (wanted.message, spotter_mail::is_on(cx));
    let ids = wanted.invoice_ids.iter().map(|id| id.0).collect::<Vec<_>>();
    let plan = |cx: &mut Read, id: Id| message.plan(cx, InvoiceId(id), is_on);
    let report = bulk::act(cx, "invoice", ids, plan, |cx, (invoice, client)| {
        message.send(cx, &invoice, &client)
    })?;
    Ok(InvoiceBulkAnswer { report })
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
            "Mails a copy to the client, or to another address. `invoice.sent` is emitted once a mail server has \
                 accepted it.",
        )
        .created()
        .emits(&[Event::PaymentRequestCreated])
        .always(&[])
        .fails(&[Key::ApiError, Key::CompanyNotFound])
        .confirmation(),
        operation!(POST "/finance/invoices/messages/preview", FinanceInvoiceMessagesWrite,
            preview_invoice_messages)
        .summary("Preview mail about many invoices")
        .describe("Returns for each invoice whether it would be mailed, or why not. Sends nothing."),
        operation!(POST "/finance/invoices/messages", FinanceInvoiceMessagesWrite,
            send_invoice_messages)
        .success(Success::Sent)
        .summary("Mail about many invoices")
        .describe(
            "Mails a reminder or a copy of at most 100 invoices. Each is sent or refused by \
                 itself, with its own row in the audit log. What was reminded of within a day is `unchanged`.",
        )
        .emits(&[Event::PaymentRequestCreated])
        .always(&[])
        .fails(&[Key::ApiError, Key::CompanyNotFound])
        .confirmation(),
    ])
}
