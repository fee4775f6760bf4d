//! Who may come in: API clients and their tokens, accounts, invitations and signed-in sessions.

pub mod accounts;
pub mod api_clients;
pub mod sessions;
pub mod tokens;

use spotter_contract::Operation;
use spotter_store::{List, Sql};

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    api_clients::operations()
}

/// The area's statements.
pub(crate) fn statements() -> Vec<Sql> {
    [accounts::STATEMENTS, api_clients::STATEMENTS, sessions::STATEMENTS, tokens::STATEMENTS]
        .concat()
}

/// The area's lists.
pub(crate) fn lists() -> Vec<(&'static List, usize)> {
    vec![(&api_clients::LIST, 1)]
}
