//! Samples for the tests of all operations, a file for each area: its records, and good requests of its operations.

mod access;
mod calendar;
mod clients;
mod company;
mod conversations;
mod documents;
mod doors;
mod finance;
mod forms;
mod imports;
mod locations;
mod mcp;
mod progress;
mod push;
mod reports;
mod site;
/// Webhook subscriptions and deliveries.
pub mod webhooks;
mod workout;

use std::{collections::BTreeMap, pin::Pin};

use serde_json::Value;
use spotter_contract::Operation;

use crate::App;

/// Ids of a company's records, by the names that paths have for them.
pub type Ids = BTreeMap<&'static str, String>;

/// The future of making an area's records.
pub type SampleFuture<'m> = Pin<Box<dyn Future<Output = ()> + 'm>>;

/// An area, or a chapter of one.
pub trait Sample: Sync {
    /// Whether an operation is its own.
    fn has(&self, operation: &Operation) -> bool;

    /// Makes its records, and notes their ids: those of other areas that it needs are there. For one of
    /// its operations it makes them so that the operation can act on them.
    fn make<'m>(
        &'m self,
        app: &'m App,
        ids: &'m mut Ids,
        of: Option<&'m Operation>,
    ) -> SampleFuture<'m>;

    /// Under which name a path's parameter is noted, where that is another one.
    fn noted_as(&self, _operation: &Operation, parameter: &'static str) -> &'static str {
        parameter
    }

    /// A good body of one of its operations.
    fn body(&self, operation: &str, ids: &Ids) -> Value;
}

/// Every area, in an order in which each finds the records that it needs.
pub const ALL: &[&dyn Sample] = &[
    &clients::Clients,
    &locations::Locations,
    &push::Push,
    &company::Company,
    &access::Access,
    &webhooks::Webhooks,
    &calendar::Calendar,
    &workout::Training,
    &finance::Shop,
    &progress::Progress,
    &forms::Forms,
    &documents::Documents,
    &imports::Imports,
    &reports::Reports,
    &doors::Doors,
    &conversations::Talk,
    &mcp::Assistants,
    &site::Site,
];

/// The area of an operation.
pub fn of(operation: &Operation) -> &'static dyn Sample {
    let found = ALL.iter().rfind(|sample| sample.has(operation));
    *found.unwrap_or_else(|| panic!("{operation:?} has no sample"))
}
