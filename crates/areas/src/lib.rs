//! What a coaching business does, one module an area: types, rules, operations, SQL, tests.
//!
//! No area reaches into another's tables except through the owner's functions.

pub mod access;
pub mod audit_logs;
pub mod clients;
pub mod company;
pub mod conversations;
pub mod finance;
mod folding;
pub mod live;
pub mod locations;
pub mod mcp;
pub mod platform;
pub mod uploads;
pub mod webhooks;
pub mod workout;

use spotter_contract::Operation;
use spotter_store::{List, Sql};

/// The operations table: every operation of every area.
pub fn operations() -> Vec<Operation> {
    [
        platform::operations(),
        audit_logs::operations(),
        company::operations(),
        locations::operations(),
        clients::operations(),
        access::operations(),
        conversations::operations(),
        finance::operations(),
        mcp::operations(),
        webhooks::operations(),
        workout::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Every statement of every area, for the test that prepares them all.
pub fn statements() -> Vec<Sql> {
    [
        audit_logs::STATEMENTS,
        company::statements().as_slice(),
        locations::STATEMENTS,
        clients::statements().as_slice(),
        access::statements().as_slice(),
        conversations::statements().as_slice(),
        live::STATEMENTS,
        uploads::STATEMENTS,
        finance::STATEMENTS,
        mcp::statements().as_slice(),
        webhooks::statements().as_slice(),
        workout::statements().as_slice(),
    ]
    .concat()
}

/// Every list, with how many parameters always stand in front of its filters.
pub fn lists() -> Vec<(&'static List, usize)> {
    [
        vec![(&audit_logs::LIST, 1), (&locations::LIST, 1), (&finance::LIST, 1)],
        vec![(&finance::LIST_OF_SHELF, 2)],
        company::lists(),
        clients::lists(),
        access::lists(),
        conversations::lists(),
        mcp::lists(),
        webhooks::lists(),
        workout::lists(),
    ]
    .concat()
}
