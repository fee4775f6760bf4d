//! Invoice PDFs, in the client's language, with the electronic invoice embedded. They are made of what was frozen at
//! issue, so that every download is the same.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::locations::Address;
use spotter_contract::{
    Area, Download, DownloadSource, File, Path, Read, answer, operation, vault::digest_of,
};
use spotter_invoice_pdf::{
    einvoice,
    invoice::{self as paper, Category, Kind},
    words::Language,
};
use spotter_kernel::{Id, Problem, Result, Timestamp, money::Percentage};

use super::{
    invoice::{Collection, Invoice, InvoiceKind, InvoiceLine, Party},
    invoices::InvoicePath,
    tax::{RateTotal, VatCategory},
};
use crate::ids::InvoiceId;

const MEDIA_TYPE: &str = "application/pdf";

/// The PDF of an invoice, at an address that is good for ten minutes.
pub static PDF: Download = Download {
    place: ("/files/invoices/", ".pdf"),
    operation: "get_invoice_pdf",
    seconds: 600,
    read,
};

/// The PDF of an invoice that the caller may see.
pub fn read(cx: &mut Read, id: Id) -> Result<DownloadSource> {
    let invoice = Invoice::find(cx, InvoiceId(id))?;
    file(cx, &invoice).map(DownloadSource::Made)
}

/// An invoice as a file.
pub fn file(cx: &mut Read, invoice: &Invoice) -> Result<File> {
    Ok(File { name: file_name(invoice), media_type: MEDIA_TYPE, content: pdf(cx, invoice)? })
}

/// The file name of an invoice.
fn file_name(invoice: &Invoice) -> String {
    format!("{}.pdf", invoice.number)
}

/// An invoice as a PDF.
fn pdf(cx: &mut Read, invoice: &Invoice) -> Result<Vec<u8>> {
    let facts = facts(cx, invoice)?;
    drawn(&facts, invoice)
}

fn drawn(facts: &paper::PrintedInvoice, invoice: &Invoice) -> Result<Vec<u8>> {
    spotter_invoice_pdf::pdf(facts, Language::of(&invoice.language)).map_err(Problem::internal)
}

fn facts(cx: &mut Read, invoice: &Invoice) -> Result<paper::PrintedInvoice> {
    let corrects = match invoice.corrects_invoice_id {
        Some(id) => Some(Invoice::find(cx, id)?),
        None => None,
    };
    let is_registered = invoice.seller.0.vat_number.is_some();
    let category = |known: Option<VatCategory>, rate: Percentage| match known {
        Some(VatCategory::Standard) => Category::Standard,
        Some(VatCategory::Zero) => Category::Zero,
        Some(VatCategory::Exempt) => Category::Exempt,
        Some(VatCategory::ReverseCharge) => Category::ReverseCharge,
        Some(VatCategory::OutsideScope) => Category::OutsideScope,
        // Issued before it was written down.
        None if rate != Percentage::default() => Category::Standard,
        None if is_registered => Category::Zero,
        None => Category::OutsideScope,
    };
    let line = |line: &InvoiceLine| paper::Line {
        description: line.description.clone(),
        quantity: line.quantity,
        net: line.net,
        gross: line.gross,
        rate: line.vat_percentage.hundredths(),
        category: category(line.vat_category, line.vat_percentage),
    };
    let rate = |total: &RateTotal| paper::PrintedRate {
        rate: total.vat_percentage.hundredths(),
        category: category(total.vat_category, total.vat_percentage),
        exemption_reason: total.vat_exemption_reason.clone(),
        net: total.net,
        tax: total.tax,
    };
    Ok(paper::PrintedInvoice {
        kind: match invoice.kind {
            InvoiceKind::Invoice => Kind::Invoice,
            InvoiceKind::CreditNote => Kind::CreditNote,
        },
        number: invoice.number.clone(),
        issued: invoice.issue_date,
        due: invoice.due_date,
        period: invoice.period_start.zip(invoice.period_end),
        corrects: corrects.map(|bill| (bill.number, bill.issue_date)),
        reason: invoice.reason.clone(),
        currency: invoice.currency,
        seller: party(&invoice.seller.0),
        seller_id: cx.company().to_string(),
        buyer: party(&invoice.buyer.0),
        lines: invoice.lines.0.iter().map(line).collect(),
        rates: invoice.taxes.0.iter().map(rate).collect(),
        net: invoice.net_total,
        tax: invoice.tax_total,
        gross: invoice.gross_total,
        prepaid: invoice.prepaid_total,
        collected: invoice.collection == Collection::Automatic,
        iban: invoice.seller.0.iban.clone(),
        bic: invoice.seller.0.bic.clone(),
    })
}

fn party(own: &Party) -> paper::PrintedParty {
    let text = |text: &str| text.to_owned();
    let address = own.address.as_ref();
    let street = |address: &Address| {
        let more = [address.line2.as_deref(), address.region.as_deref()];
        [text(&address.line1)].into_iter().chain(more.into_iter().flatten().map(text)).collect()
    };
    paper::PrintedParty {
        name: own.name.clone(),
        contact_name: own.contact_name.clone(),
        street: address.map(street).unwrap_or_default(),
        postal_code: address.and_then(|own| own.postal_code.as_deref().map(text)),
        city: address.map(|own| text(&own.city)),
        country: own.country.clone(),
        email: own.email.clone(),
        phone: own.phone.clone(),
        vat_number: own.vat_number.clone(),
        tax_number: own.tax_number.clone(),
        registration_number: own.registration_number.clone(),
    }
}

/// The PDF of an invoice and its address.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InvoicePdf {
    invoice_id: InvoiceId,
    /// Name to save the file under.
    file_name: String,
    /// `application/pdf`.
    media_type: &'static str,
    /// Size in bytes.
    size: i64,
    /// The SHA-256 of the file, in hexadecimal digits.
    sha256: String,
    /// Whether the electronic invoice of EN 16931 is inside, in the way of Factur-X: it needs the seller's
    /// country, and the VAT number where VAT is billed.
    has_electronic_invoice: bool,
    /// Download address. Anyone who has it can download the file.
    url: String,
    /// Instant after which it is not accepted any more.
    expires_at: Timestamp,
}

answer!(PdfAnswer { pdf: InvoicePdf });

fn get_invoice_pdf(cx: &mut Read, Path(at): Path<InvoicePath>) -> Result<PdfAnswer> {
    let invoice = Invoice::find(cx, at.invoice_id)?;
    let facts = facts(cx, &invoice)?;
    let bytes = drawn(&facts, &invoice)?;
    let has_electronic_invoice = einvoice::xml(&facts).is_some();
    let (url, expires_at) = PDF.address(cx, invoice.invoice_id)?;
    let pdf = InvoicePdf {
        invoice_id: invoice.invoice_id,
        file_name: file_name(&invoice),
        media_type: MEDIA_TYPE,
        size: bytes.len() as i64,
        sha256: digest_of(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        has_electronic_invoice,
        url,
        expires_at,
    };
    Ok(PdfAnswer { pdf })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().downloads(&[&PDF]).operations([
        operation!(GET "/finance/invoices/{invoiceId}/pdf", FinanceInvoicePdfsRead, get_invoice_pdf)
            .summary("Get an invoice's PDF")
            .without_etag()
            .describe(
                "Returns a `url` that serves the file for ten minutes without a token: a PDF/A-3 \
                 in the client's language, as frozen when the invoice was issued.",
            )
            .for_own(&[]),
    ])
}
