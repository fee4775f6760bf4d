//! Taking over what other programs have written: clients, and what they were sold.
//!
//! What knows no database comes first: how a file is read ([`file`]), what its columns may be ([`fields`]) and are called by other programs (`columns`), and how a row
//! becomes the body of an operation ([`row`]). Then an import and its rows ([`import`]), what people do with it
//! ([`operations`]), and what the worker does that runs the operations, row by row, as whoever asked for it ([`steps`]).

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
