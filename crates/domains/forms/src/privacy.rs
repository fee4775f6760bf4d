//! Privacy: what a data export contains of a client's forms. Nothing remains after erasure.

use spotter_company::uploads::{self, UploadId};
use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection, RelatedRecords, Write};
use spotter_kernel::{Id, Result};
use spotter_store::{Bind, of_tally, params, statements};

use crate::{assignment::Assignment, file::FormFile, submission};

/// Number of rows that are erased at a time.
const SOME: usize = 500;

fn erase_assignments(cx: &mut Write, client: Id) -> Result<bool> {
    let some = Assignment::some_of(cx, client, SOME)?;
    some.iter().try_for_each(|one| one.delete(cx))?;
    Ok(some.len() == SOME)
}

fn erase_submissions(cx: &mut Write, client: Id) -> Result<bool> {
    cx.forget_tally(&of_tally(submission::TALLY, &[client.bind()]))?;
    cx.execute(SUBMISSIONS, params![client]).map(|_| false)
}

fn erase_files(cx: &mut Write, client: Id) -> Result<bool> {
    let files: Vec<(Id, UploadId)> = cx.all(FILES, params![client, SOME as i64])?;
    for (file, upload) in &files {
        uploads::discard(cx, *upload)?;
        cx.defer(FORGET_FILE, params![client, *file])?;
    }
    Ok(files.len() == SOME)
}

const EXPORTS: &[ExportSection] = &[
    ExportSection::of("form-assignments", "list_form_assignments").with(&[
        RelatedRecords::Whole("get_form_draft"),
        RelatedRecords::File("fileId", FormFile::find_file),
    ]),
    ExportSection::of("form-submissions", "list_form_submissions").with(&[
        RelatedRecords::Whole("get_form_submission"),
        RelatedRecords::File("fileId", FormFile::find_file),
    ]),
    ExportSection::of("intakes", "list_intakes").with(&[
        RelatedRecords::Whole("get_intake"),
        RelatedRecords::File("fileId", FormFile::find_file),
    ]),
    ExportSection::of("checkups", "list_checkups").with(&[
        RelatedRecords::Whole("get_checkup"),
        RelatedRecords::File("fileId", FormFile::find_file),
    ]),
    ExportSection::of("checkup-series", "list_checkup_series"),
];

const TRACES: &[ErasureRule] = &[
    ErasureRule::gone("form_draft", ErasureAction::By(DRAFTS)),
    ErasureRule::gone("form_file", ErasureAction::Run(erase_files)),
    ErasureRule::gone("form_submission", ErasureAction::Run(erase_submissions)),
    ErasureRule::gone("form_assignment", ErasureAction::Run(erase_assignments)),
    ErasureRule::gone("checkup_series", ErasureAction::By(SERIES)),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).exports(EXPORTS).erases(TRACES)
}

statements! {
    DRAFTS = "DELETE FROM form_draft WHERE company_id = ?1 AND assignment_id IN \
        (SELECT assignment_id FROM form_assignment WHERE company_id = ?1 AND client_id = ?2)";
    FILES = "SELECT file_id, upload_id FROM form_file WHERE company_id = ?1 AND client_id = ?2 LIMIT ?3";
    FORGET_FILE = "DELETE FROM form_file WHERE company_id = ?1 AND client_id = ?2 AND file_id = ?3";
    SUBMISSIONS = "DELETE FROM form_submission WHERE company_id = ?1 AND client_id = ?2";
    SERIES = "DELETE FROM checkup_series WHERE company_id = ?1 AND client_id = ?2";
}
