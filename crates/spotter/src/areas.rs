//! The areas that this program is made of.

use spotter_contract::{Area, Operation};
use spotter_core::{
    access, audit_logs, clients, company, live, locations, mail, mcp, platform, uploads, webhooks,
};

/// Everything that the areas bring, in the order of the documentation.
pub fn areas() -> Area {
    Area::join([
        platform::area(),
        audit_logs::area(),
        company::area(),
        locations::area(),
        clients::area(),
        access::area(),
        spotter_calendar::area(),
        spotter_conversations::area(),
        spotter_finance::area(),
        spotter_providers::area(),
        mcp::area(),
        webhooks::area(),
        spotter_workouts::area(),
        mail::area(),
        uploads::area(),
        live::area(),
    ])
}

/// The operations table: every operation of every area.
pub fn operations() -> Vec<Operation> {
    areas().operations
}
