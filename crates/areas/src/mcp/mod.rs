//! What assistants are allowed: the modules, who registers, who consents, grants and keys, tokens.
//!
//! The MCP server itself, its OAuth endpoints and the consent page are the `mcp` crate's.

pub mod assistant;
pub mod consent;
pub mod grants;
pub mod keys;
pub mod modules;
mod policy;
pub mod registration;
pub mod tokens;

use spotter_contract::Operation;
use spotter_store::{List, Sql};

/// The area's operations.
pub fn operations() -> Vec<Operation> {
    [consent::operations(), grants::operations(), keys::operations(), policy::operations()]
        .into_iter()
        .flatten()
        .map(|operation| operation.under("Assistants"))
        .collect()
}

/// The area's statements.
pub(crate) fn statements() -> Vec<Sql> {
    [
        consent::STATEMENTS,
        grants::STATEMENTS,
        keys::STATEMENTS,
        policy::STATEMENTS,
        registration::STATEMENTS,
        tokens::STATEMENTS,
    ]
    .concat()
}

/// The area's lists.
pub(crate) fn lists() -> Vec<(&'static List, usize)> {
    vec![(&grants::LIST, 1), (&grants::LIST_OF_SUBJECT, 3), (&keys::LIST, 1)]
}
