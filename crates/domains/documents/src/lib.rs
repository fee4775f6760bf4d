//! Documents: contracts, waivers, reports and plans, as links or as files, in folders.
//!
//! Without a database: which addresses can be linked ([`link`]), and the tree of folders ([`tree`]). With one:
//! folders ([`folder`]), the document ([`document`]), its operations ([`documents`]), files ([`file`]), and notices
//! of expiry ([`expiry`]).

mod document;
mod documents;
mod effects;
mod expiry;
mod file;
mod folder;
mod link;
mod privacy;
mod rules;
mod tree;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([
        folder::area(),
        document::area(),
        documents::area(),
        file::area(),
        expiry::area(),
        privacy::area(),
    ])
    .tagged("Documents")
}
