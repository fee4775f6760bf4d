//! Letters about invoices and payments: the invoice, a copy, a reminder, a receipt. A letter counts as sent once a
//! mail server has accepted it.

use spotter_contract::{
    Area, File, Job, Read, Write,
    jobs::{AttemptResult, JobState},
};
use spotter_kernel::{Event, Id, Problem, Result};
use spotter_mail::{InvoiceFigures, Letter, LetterKind, Recipient};
use spotter_people::clients::{Client, letter_reader::LetterReader};

use super::{
    invoice::{Collection, Invoice, InvoiceStatus},
    invoice_pdf, texts,
};
use crate::{
    ids::InvoiceId,
    payments::{payment::Payment, request::PaymentRequest},
    rules::BillingRule,
    settings::FinanceSettings,
};

/// Why a client cannot be reached by mail, as a rule for the caller.
pub fn unreachable(is_mail_on: bool, client: &Client) -> Option<Problem> {
    match client.email() {
        _ if !is_mail_on => Some(Problem::conflict("mail", BillingRule::NoMailSent)),
        None => Some(Problem::conflict("email", BillingRule::NoEmailOfClient)),
        Some(_) => None,
    }
}

/// Writes to a client about an invoice, where they can be reached.
pub fn write_to(cx: &mut Write, invoice: &Invoice, kind: LetterKind) -> Result<()> {
    match LetterReader::of(cx, invoice.client_id)? {
        Some(reader) => write_about(cx, invoice, kind, reader.recipient()),
        None => Ok(()),
    }
}

fn write_about(
    cx: &mut Write,
    invoice: &Invoice,
    kind: LetterKind,
    to: Recipient<'_>,
) -> Result<()> {
    let language = to.language.unwrap_or(&invoice.language);
    let amount = texts::amount(invoice.balance, invoice.currency, language);
    let due = texts::date(invoice.due_date, language);
    let is_collected = kind == LetterKind::Invoice
        && invoice.collection == Collection::Automatic
        && invoice.status == InvoiceStatus::Open;
    let link = match invoice.is_unpaid() && !is_collected {
        true => PaymentRequest::for_balance_due(cx, invoice)?.page(cx)?,
        false => None,
    };
    let link = link.as_deref().unwrap_or_default();
    let bill = InvoiceFigures { number: &invoice.number, amount: &amount, due: &due, link };
    let letter = match kind {
        LetterKind::InvoiceReminder => Letter::InvoiceReminder(bill),
        LetterKind::PaymentFailed => Letter::PaymentFailed(bill),
        LetterKind::Invoice if invoice.status == InvoiceStatus::Paid => {
            Letter::InvoicePaid { number: &invoice.number }
        }
        _ if is_collected => Letter::InvoiceToCollect(bill),
        _ => Letter::Invoice(bill),
    };
    spotter_mail::send_by(cx, &SEND_INVOICE, to, invoice.invoice_id, &letter)
}

/// Mails a new invoice, where the company wants that and the client can be written to.
pub fn post(cx: &mut Write, invoice: &Invoice, settings: &FinanceSettings) -> Result<()> {
    if !settings.mail_invoices || invoice.gross_total == 0 {
        return Ok(());
    }
    write_to(cx, invoice, LetterKind::Invoice)
}

/// Mails an invoice to an address that its buyer has given, beside their own.
pub fn send_to(cx: &mut Write, invoice: &Invoice, email: &str) -> Result<()> {
    let buyer = Client::find(cx, invoice.client_id)?;
    let to = Recipient {
        email,
        name: buyer.first_name(),
        language: Some(&invoice.language),
        client: Some(buyer.client_id),
        signs_in: false,
    };
    write_about(cx, invoice, LetterKind::Invoice, to)
}

/// Reminds a client of an invoice, where they can be reached.
pub fn remind(cx: &mut Write, invoice: &Invoice) -> Result<()> {
    write_to(cx, invoice, LetterKind::InvoiceReminder)
}

/// Tells a client that an invoice could not be collected, with a link to pay it.
pub fn not_collected(cx: &mut Write, invoice: &Invoice) -> Result<()> {
    write_to(cx, invoice, LetterKind::PaymentFailed)
}

/// Confirms a payment by card, account or payment page to the client, with the invoice.
pub fn received(cx: &mut Write, payment: &Payment) -> Result<()> {
    let (number, about) = match (payment.invoice_id, payment.payment_request_id) {
        (Some(invoice), _) => (Invoice::find(cx, invoice)?.number, invoice.0),
        (None, Some(request)) => (PaymentRequest::find(cx, request)?.description, request.0),
        (None, None) => return Ok(()),
    };
    if !FinanceSettings::find(cx)?.mail_invoices {
        return Ok(());
    }
    let Some(reader) = LetterReader::of(cx, payment.client_id)? else { return Ok(()) };
    let amount = texts::amount(payment.amount, payment.currency, &reader.language);
    let letter = Letter::PaymentReceived { number: &number, amount: &amount };
    spotter_mail::send_by(cx, &SEND_INVOICE, reader.recipient(), about, &letter)
}

/// The attachment of a letter: the invoice as a file.
pub fn attachments(cx: &mut Read, kind: LetterKind, about: Id) -> Result<Vec<File>> {
    let invoice = match kind {
        LetterKind::Invoice
        | LetterKind::InvoicePaid
        | LetterKind::InvoiceToCollect
        | LetterKind::InvoiceReminder
        | LetterKind::PaymentReceived => Invoice::find_external(cx, InvoiceId(about))?,
        _ => None,
    };
    invoice.map(|invoice| invoice_pdf::file(cx, &invoice)).into_iter().collect()
}

/// Cancels unsent letters about an invoice that is settled.
pub fn take_back(cx: &mut Write, invoice: InvoiceId) -> Result<()> {
    match spotter_mail::is_on(cx) {
        true => [LetterKind::InvoiceReminder, LetterKind::PaymentFailed]
            .into_iter()
            .try_for_each(|kind| spotter_mail::take_back(cx, &SEND_INVOICE, kind, invoice)),
        false => Ok(()),
    }
}

/// Records the outcome of a letter: it counts as sent once a server has accepted it.
fn on_finished(cx: &mut Write, letter: Id, settled: &AttemptResult) -> Result<()> {
    spotter_mail::on_finished(cx, letter, settled)?;
    if settled.state != JobState::Done {
        return Ok(());
    }
    let Some((kind, about)) = spotter_mail::subject_of(cx, letter)? else { return Ok(()) };
    if matches!(kind, LetterKind::PaymentFailed | LetterKind::PaymentReceived) {
        return Ok(());
    }
    let before = Invoice::find(cx, InvoiceId(about))?;
    let mut invoice = before.clone();
    let event = match kind {
        LetterKind::InvoiceReminder => {
            invoice.reminder_count += 1;
            Event::InvoiceOverdue
        }
        _ => {
            invoice.sent_at = Some(cx.now());
            Event::InvoiceSent
        }
    };
    invoice.save(cx, &before)?;
    invoice.publish(cx, event)
}

/// Mail about invoices.
pub static SEND_INVOICE: Job = Job::new(
    "send_invoice",
    "Send invoices and reminders to clients",
    spotter_mail::RETRY_POLICY,
    on_finished,
)
.emits(&[Event::InvoiceSent, Event::InvoiceOverdue]);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().jobs(&[&SEND_INVOICE])
}
