//! A person's data export: each area declares whose operations' answers it contains. It holds what the person who
//! requested it may read.

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
    /// The complete record from this operation, where the list returns a summary.
    Whole(&'static str),
    /// What this operation lists below the record, under a name of its own.
    Listed(&'static str, &'static str),
    /// The file of each id under this name, anywhere in the record; skipped if not found.
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
