//! Mail to coaches and clients. A message is a row in the transaction of its cause; it is sent after, as a
//! job, so that nothing is sent of what did not happen and nothing that happened goes untold.

mod effects;
mod letters;
mod outbox;

use spotter_contract::Area;

pub use letters::{
    BookingChange, BookingNews, CalendarFile, InvoiceFigures, Letter, LetterKind, RenderedLetter,
};
pub use outbox::{
    MailStatus, OutgoingMail, RETRY_POLICY, Recipient, SEND, cancel_waiting, describe_recipient,
    forget_client, is_on, on_finished, outgoing, send, send_by, sent_lately, subject_of, take_back,
};

/// The operations and statements of this domain.
pub fn area() -> Area {
    outbox::area().tagged("Mail")
}
