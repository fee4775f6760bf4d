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
pub mod mail;
pub mod mcp;
pub mod platform;
pub mod uploads;
pub mod webhooks;
pub mod workout;

use spotter_contract::{Area, Operation};

/// Everything that the areas bring, in the order of the documentation.
pub fn areas() -> Area {
    Area::join([
        platform::area(),
        audit_logs::area(),
        company::area(),
        locations::area(),
        clients::area(),
        access::area(),
        conversations::area(),
        finance::area(),
        mcp::area(),
        webhooks::area(),
        workout::area(),
        mail::area(),
        uploads::area(),
        live::area(),
    ])
}

/// The operations table: every operation of every area.
pub fn operations() -> Vec<Operation> {
    areas().operations
}
