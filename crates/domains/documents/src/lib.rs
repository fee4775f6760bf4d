//! Documents: contracts, waivers, reports and plans, as links or as files, in folders.
//!
//! What knows no database comes first: which addresses can be linked ([`link`]), and where folders stand
//! ([`tree`]). Then the folders ([`folder`]); a document and what is told of it ([`document`]), what is done with
//! documents ([`documents`]), their files ([`file`]), and who is told when they expire ([`expiry`]).

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
