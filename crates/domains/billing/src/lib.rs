//! Billing: what a company sells, sales, invoices, payments and credits.
//!
//! - [`catalogue`]: products. [`sales`]: a sale and its lifecycle. [`memberships`]: recurring sales.
//! - [`billing`]: invoices and credit notes. [`payments`]: money and what it pays. [`collecting`]: charging cards and
//!   accounts.
//! - [`credits`]: what bookings are paid with. [`account_status`]: what a balance means for memberships and credits.
//! - [`admission`], [`access_rules`]: who may enter because of a purchase. [`settings`]: how the company bills.
//! - [`audit`]: checks that the books hold. [`metrics`]: figures for reports. [`privacy`]: export and erasure.

mod access_rules;
pub mod account_status;
pub mod admission;
pub mod audit;
mod balances;
pub mod billing;
pub mod catalogue;
pub mod collecting;
pub mod credits;
mod effects;
pub mod identifiers;
pub mod ids;
pub mod memberships;
mod metrics;
pub mod payments;
mod privacy;
mod rules;
pub mod sales;
pub mod settings;

use std::collections::BTreeSet;

use spotter_contract::{Area, Read};
use spotter_kernel::{Date, Event, Result, Timestamp, id::ClientId};

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        catalogue::area().tagged("Products"),
        settings::area().tagged("Invoices"),
        billing::area().tagged("Invoices"),
        payments::area().tagged("Payments"),
        balances::area().tagged("Payments"),
        collecting::area(),
        sales::area().tagged("Sales"),
        Area::join([memberships::area(), account_status::area()]).tagged("Subscriptions"),
        credits::area().tagged("Credits"),
        admission::area().tagged("Sales"),
        access_rules::area(),
        audit::area(),
        metrics::area(),
        privacy::area(),
    ])
}

/// The instant at which a date of the company begins.
fn company_day(cx: &mut Read, date: Date) -> Result<Timestamp> {
    Ok(date.start_in(&cx.zone()?))
}

/// The subjects of the totals that count a record with a status and a client: the filters of its list.
fn subjects(tally: &str, status: &str, client: ClientId) -> BTreeSet<String> {
    [tally.to_owned(), format!("{tally}?status={status}"), format!("{tally}?clientId={client}")]
        .into()
}

/// Events of settling an invoice: money arrives, is refunded, or is credited.
const SETTLES: &[Event] = &[
    Event::InvoiceCreated,
    Event::InvoicePaid,
    Event::InvoiceCancelled,
    Event::PaymentSucceeded,
    Event::SubscriptionChanged,
    Event::CreditAssigned,
    Event::CreditRevoked,
    Event::PaymentRequestCreated,
    Event::PaymentRequestCancelled,
];

/// Events of collecting money from a card or account: success, failure and reversal.
pub const COLLECTS: &[Event] = &[
    Event::InvoicePaid,
    Event::InvoiceCancelled,
    Event::PaymentSucceeded,
    Event::PaymentFailed,
    Event::PaymentRequestCreated,
    Event::PaymentRequestCancelled,
    Event::ChargebackCreated,
    Event::SubscriptionChanged,
    Event::CreditAssigned,
    Event::CreditRevoked,
];

/// Events of a sale.
const SELLS: &[Event] = &[
    Event::ClientProductAssigned,
    Event::MembershipAssigned,
    Event::InvoiceCreated,
    Event::InvoicePaid,
    Event::CreditAssigned,
    Event::ClientUpdated,
    Event::PaymentRequestCreated,
];

/// Events of a sale's course, including what it covered.
const TURNS: &[Event] = &[
    Event::SubscriptionChanged,
    Event::SubscriptionCancelled,
    Event::ClientProductRevoked,
    Event::InvoiceCreated,
    Event::InvoicePaid,
    Event::InvoiceCancelled,
    Event::CreditAssigned,
    Event::CreditAdjusted,
    Event::CreditRevoked,
    Event::BookingUpdated,
    Event::BookingCancelled,
    Event::ClientUpdated,
    Event::PaymentRequestCreated,
    Event::PaymentRequestCancelled,
];
