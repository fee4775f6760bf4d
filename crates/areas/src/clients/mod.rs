//! Clients: the people a company coaches, from the first contact to the archive.

mod calling;
pub mod custom_fields;
pub mod lifecycle;
pub mod notes;
pub mod onboarding;
pub mod profile;
pub mod record;
pub mod search;
pub mod timeline;

pub use record::Client;
pub(crate) use search::ClientPath;

use spotter_contract::Operation;
use spotter_kernel::{Event, Key};
use spotter_store::{List, Sql};

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    let clients = [search::operations(), profile::operations(), lifecycle::operations()];
    clients
        .into_iter()
        .flatten()
        .chain(onboarding::operations())
        .map(|operation| operation.under("Clients"))
        .chain(custom_fields::operations())
        .chain(timeline::operations())
        .chain(notes::operations())
        .collect()
}

/// Keys that every operation on one client can answer.
const ON_ONE_CLIENT: &[Key] = &[Key::InvalidClientId, Key::ClientNotFound];

/// What a change of a client announces.
const UPDATED: &[Event] = &[Event::ClientUpdated];

/// The area's statements.
pub(crate) fn statements() -> Vec<Sql> {
    [
        record::STATEMENTS,
        search::STATEMENTS,
        custom_fields::STATEMENTS,
        timeline::STATEMENTS,
        notes::STATEMENTS,
    ]
    .concat()
}

/// The area's lists.
pub(crate) fn lists() -> Vec<(&'static List, usize)> {
    vec![(&search::LIST, 1), (&timeline::LIST, 2), (&notes::LIST, 2), (&custom_fields::FIELDS, 1)]
}
