//! Invoices: the addressee ([`billing_details`]), VAT ([`tax`]), the record ([`invoice`]), fees for the next invoice ([`charge`]), issuing
//! ([`issue`]), operations ([`invoices`]), credit notes ([`credit_notes`]), the PDF ([`invoice_pdf`], [`texts`]), letters ([`letters`],
//! [`messages`]) and reminders ([`dunning`]).

pub mod billing_details;
pub mod charge;
pub mod credit_notes;
pub mod dunning;
pub mod invoice;
pub mod invoice_pdf;
pub mod invoices;
pub mod issue;
pub mod letters;
pub mod messages;
pub mod tax;
pub mod texts;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub(super) fn area() -> Area {
    Area::join([
        billing_details::area(),
        invoice::area(),
        issue::area(),
        invoices::area(),
        credit_notes::area(),
        charge::area(),
        invoice_pdf::area(),
        letters::area(),
        messages::area(),
        dunning::area(),
    ])
}
