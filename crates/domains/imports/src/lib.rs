//! Importing data of other programs: clients and their memberships.
//!
//! Without a database: how a file is parsed ([`file`]), the fields of columns ([`fields`]) and their names in other
//! programs (`columns`), and how a row becomes the body of an operation ([`row`]). With one: an import and its rows
//! ([`import`]), its operations ([`operations`]), and the steps of the worker that runs each row's operation as the
//! author ([`steps`]).

mod columns;
mod effects;
pub mod fields;
pub mod file;
mod import;
mod operations;
pub mod row;
mod rows;
pub mod rules;
pub mod steps;

pub use fields::ImportKind;
pub use import::{Import, ImportId, ImportRow, ImportStatus, RowState};
pub use operations::{NewImport, create, report, start};
pub use steps::RUN;

use spotter_contract::Area;

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::join([import::area(), operations::area(), rows::area(), steps::area()]).tagged("Imports")
}
