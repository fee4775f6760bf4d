//! Privacy: what a data export contains of a client's documents. Nothing remains after erasure.

use spotter_company::uploads;
use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection, RelatedRecords, Write};
use spotter_kernel::{Id, Result};
use spotter_store::{params, statements};

use crate::{document::Document, file};

/// Rows that are erased at a time.
const SOME: usize = 500;

fn erase_documents(cx: &mut Write, client: Id) -> Result<bool> {
    let some: Vec<Document> = cx.all(OF_CLIENT, params![client, SOME as i64])?;
    for document in &some {
        if let Some(upload) = document.upload_id {
            uploads::discard(cx, upload)?;
        }
        document.delete(cx)?;
    }
    Ok(some.len() == SOME)
}

const EXPORTS: &[ExportSection] = &[ExportSection::of("documents", "list_documents")
    .with(&[RelatedRecords::File("documentId", file::find_file)])];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .exports(EXPORTS)
        .erases(&[ErasureRule::gone("document", ErasureAction::Run(erase_documents))])
}

statements! {
    OF_CLIENT = "SELECT ", Document::COLUMNS, " FROM document WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY document_id LIMIT ?3";
}
