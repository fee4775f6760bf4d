//! Bills: to whom they are addressed ([`billing_details`]), what stands on them and how it is worked out ([`tax`],
//! [`texts`]), the record ([`invoice`]), how one
//! comes to be ([`charge`], [`issuing`]), is read and made by staff ([`invoices`]), is put on paper ([`paper`])
//! and written of to the client ([`letters`], [`messages`]), chased where it is not paid ([`chasing`]), and
//! corrected ([`correcting`]).

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
