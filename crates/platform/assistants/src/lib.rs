//! What assistants are allowed: the modules, who registers, who consents, grants and keys, tokens.
//!
//! The MCP server itself, its OAuth endpoints and the consent page are the `mcp` crate's.

mod ai_access;
pub mod assistant;
pub mod consent;
mod effects;
pub mod grants;
pub mod keys;
pub mod modules;
mod policy;
pub mod registration;
mod rules;
pub mod tokens;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        ai_access::area(),
        consent::area(),
        grants::area(),
        keys::area(),
        policy::area(),
        registration::area(),
        tokens::area(),
    ])
    .tagged("Assistants")
}
