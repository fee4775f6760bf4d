//! The steps of an import's worker: it runs the operation of each row as the author. A row is done in one transaction
//! with its new status, so that it is done once, however often the work is interrupted.

use serde_json::Value;
use spotter_contract::{
    Area, Job, Read, Write,
    jobs::{AttemptResult, JobState, RetryPolicy},
};
use spotter_kernel::{Id, Problem, Result, id::ClientId};
use spotter_store::Json;

use crate::{
    import::{self, Import, ImportId, ImportRow, ImportStatus, RowState},
    row::FieldError,
    rules::ImportRule,
};

/// Runs an import from its current status as far as it can go by itself.
pub static RUN: Job = Job::new(
    "run_import",
    "Check, run or undo an import",
    RetryPolicy { lease_ms: 30_000, retries: &[5, 60, 600, 3_600] },
    on_finished,
);

/// The current phase of an import.
struct ImportPhase {
    /// The rows that are left.
    left: RowState,
    /// The status of rows when the run is given up.
    given_up: RowState,
    /// Where the import is once none is left.
    next: ImportStatus,
}

impl ImportStatus {
    /// The current phase; `None` where the import waits for a person.
    const fn phase(self) -> Option<ImportPhase> {
        let (left, given_up, next) = match self {
            Self::Checking => (RowState::Unchecked, RowState::Wrong, Self::Checked),
            Self::Running => (RowState::Ready, RowState::Wrong, Self::Done),
            Self::Undoing => (RowState::Done, RowState::Kept, Self::Undone),
            Self::Checked | Self::Done | Self::Undone => return None,
        };
        Some(ImportPhase { left, given_up, next })
    }
}

/// The import of a run, with its current phase.
fn under_way(cx: &mut Read, run: Id) -> Result<Option<(Import, ImportPhase)>> {
    let Some(import) = Import::find_running(cx, run)? else { return Ok(None) };
    Ok(import.status.phase().map(|import_phase| (import, import_phase)))
}

/// The run of an import that is under way; `None` where it waits for a person.
pub fn current_run(cx: &mut Read, id: ImportId) -> Result<Option<Id>> {
    let import = Import::find(cx, id)?;
    Ok(import.status.phase().map(|_| import.run()))
}

/// After a run is given up, the remaining rows get its error, and a person can continue the import.
fn on_finished(cx: &mut Write, run: Id, settled: &AttemptResult) -> Result<()> {
    let is_over = settled.again_at.is_none() && settled.state != JobState::Done;
    if !is_over {
        return Ok(());
    }
    let Some((mut import, phase)) = under_way(cx, run)? else { return Ok(()) };
    import::leave(cx, import.import_id, phase.left, phase.given_up, ImportRule::CouldNotBeDone)?;
    import.status = phase.next;
    import.save(cx)
}

/// The next batch.
pub struct ImportBatch {
    /// The import.
    pub import: Import,
    /// The state of the rows that are left.
    pub state: RowState,
    /// Those rows.
    pub rows: Vec<ImportRow>,
    /// While rows are checked, those that were found to be in order.
    pub ready: Vec<ImportRow>,
}

/// The next batch of a run's import; `None` where it waits for a person.
pub fn next(cx: &mut Read, run: Id) -> Result<Option<ImportBatch>> {
    let Some((import, ImportPhase { left, .. })) = under_way(cx, run)? else { return Ok(None) };
    let rows = import::rows(cx, import.import_id, left)?;
    let ready = match left {
        RowState::Unchecked => import::rows(cx, import.import_id, RowState::Ready)?,
        _ => Vec::new(),
    };
    Ok(Some(ImportBatch { import, state: left, rows, ready }))
}

/// The result of checking a row: fields that are left out, or why the whole row is invalid.
pub type RowCheck = std::result::Result<Vec<FieldError>, Vec<FieldError>>;

/// Records the results of checks, unless the columns were mapped again since.
pub fn note_checked(cx: &mut Write, run: Id, checked: &[(ImportRow, RowCheck)]) -> Result<()> {
    let Some(import) = Import::find_running(cx, run)? else { return Ok(()) };
    for (row, verdict) in checked {
        let row = row.clone().judged(RowState::Ready, verdict.clone());
        import::set_row_state(cx, import.import_id, &row, RowState::Unchecked)?;
    }
    Ok(())
}

impl ImportRow {
    /// The row with the result of its check.
    fn judged(mut self, state: RowState, verdict: RowCheck) -> Self {
        let bad = if state == RowState::Undone { RowState::Kept } else { RowState::Wrong };
        self.state = if verdict.is_err() { bad } else { state };
        let errors = verdict.unwrap_or_else(|errors| errors);
        self.field = errors.first().map(|error| error.field.clone()).filter(|it| !it.is_empty());
        self.rule = FieldError::joined(&errors);
        self.mistakes = (!errors.is_empty()).then_some(Json(errors));
        self
    }
}

/// Notes with its transaction that a row became a record.
pub fn note_done(
    cx: &mut Write,
    id: ImportId,
    row: &ImportRow,
    left_out: Vec<FieldError>,
    answer: &Value,
    place: &str,
) -> Result<()> {
    let record = answer.pointer(place).and_then(Value::as_str).and_then(Id::parse);
    let client = ["/client/clientId", "/clientProduct/clientId"]
        .iter()
        .find_map(|place| answer.pointer(place)?.as_str())
        .and_then(Id::parse);
    let mut row = row.clone().judged(RowState::Done, Ok(left_out));
    let invoice = answer.pointer("/invoice/invoiceId").and_then(Value::as_str).and_then(Id::parse);
    (row.record_id, row.client_id, row.invoice_id) = (record, client.map(ClientId), invoice);
    once(import::set_row_state(cx, id, &row, RowState::Ready)?)
}

/// Records in the same transaction that a row was undone.
pub fn note_undone(cx: &mut Write, id: ImportId, row: &ImportRow) -> Result<()> {
    let row = row.clone().judged(RowState::Undone, Ok(Vec::new()));
    once(import::set_row_state(cx, id, &row, RowState::Done)?)
}

/// The second of two workers rolls back.
fn once(was_first: bool) -> Result<()> {
    match was_first {
        true => Ok(()),
        false => Err(Problem::conflict("state", ImportRule::ChangedBySomebody)),
    }
}

/// Notes that a row was refused.
pub fn note_refused(
    cx: &mut Write,
    id: ImportId,
    row: &ImportRow,
    before: RowState,
    wrong: Vec<FieldError>,
) -> Result<()> {
    let good = if before == RowState::Done { RowState::Undone } else { RowState::Done };
    let row = row.clone().judged(good, Err(wrong));
    import::set_row_state(cx, id, &row, before).map(drop)
}

/// Seconds from one look to the next whether a suspended company may go on.
const SUSPENDED: i64 = 600;

/// Has a run's rows done later, because the company is suspended.
pub fn put_off(cx: &mut Write, run: Id) -> Result<()> {
    let Some((mut import, _)) = under_way(cx, run)? else { return Ok(()) };
    import.run_id = cx.new_id();
    import.save(cx)?;
    cx.begin_job_at(&RUN, import.run_id, cx.now().plus_seconds(SUSPENDED))
}

/// Notes that nothing is left to be done for now, if that is so; has the rest done in another turn where there is some.
pub fn finish(cx: &mut Write, run: Id) -> Result<()> {
    let Some((mut import, phase)) = under_way(cx, run)? else { return Ok(()) };
    let counts = import::counted(cx, import.import_id)?;
    if counts.iter().any(|(state, count)| *state == phase.left && *count > 0) {
        import.run_id = cx.new_id();
        import.save(cx)?;
        return cx.begin_job(&RUN, import.run_id);
    }
    import.status = phase.next;
    import.save(cx)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().jobs(&[&RUN])
}
