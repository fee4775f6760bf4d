//! A person's data as they take it with them: each area says which of its operations a data export holds the
//! answers of. What the operations tell, to whoever asked for the export, is what is in it.

use spotter_kernel::{Id, Result};

use crate::{context::Read, downloads::DownloadSource};

/// A part of data exports: what an operation answers about a client, all pages of it.
#[derive(Clone, Copy)]
pub struct ExportSection {
    /// What it is called; its file is named so.
    pub name: &'static str,
    /// The operation. Of its path it needs the client alone, or nothing.
    pub operation: &'static str,
    /// What belongs to each of its records.
    pub with: &'static [RelatedRecords],
}

/// What belongs to a record of a part. Operations find their paths' parameters among its fields.
#[derive(Clone, Copy)]
pub enum RelatedRecords {
    /// All that this operation tells of the record, of which the list tells less.
    Whole(&'static str),
    /// What this operation lists below the record, under a name of its own.
    Listed(&'static str, &'static str),
    /// The file of each id that stands under this name, wherever in the record; not found where there is none.
    File(&'static str, fn(&mut Read, Id) -> Result<DownloadSource>),
}

impl ExportSection {
    /// A part of records to which nothing belongs.
    pub const fn of(name: &'static str, operation: &'static str) -> Self {
        Self { name, operation, with: &[] }
    }

    /// The same with what belongs to each record.
    pub const fn with(mut self, with: &'static [RelatedRecords]) -> Self {
        self.with = with;
        self
    }
}
