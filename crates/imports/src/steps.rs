//! What a worker does with an import: it runs the operations that its rows amount to, as whoever brought the file. A row is
//! done in one transaction with the note that it is, so that it is done once, however often the work is interrupted.

use serde_json::Value;
use spotter_contract::{
    Area, Job, Read, Write,
    jobs::{Patience, Settled, State},
};
use spotter_kernel::{Id, Problem, Result, id::ClientId};

use crate::{
    import::{self, Import, ImportId, ImportRow, ImportStatus, RowState},
    row::Wrong,
};

/// Doing an import, from wherever it is to wherever it can go by itself.
pub static RUN: Job = Job::new(
    "run_import",
    "Check, do or undo an import",
    Patience { lease_ms: 120_000, retries: &[5, 60, 600, 3_600] },
    settled,
);

/// What was given up does not stand still: the rows that are left are told why, and the import is where a person can go on.
fn settled(cx: &mut Write, run: Id, settled: &Settled) -> Result<()> {
    let is_over = settled.again_at.is_none() && settled.state != State::Done;
    if !is_over {
        return Ok(());
    }
    let Some(mut import) = Import::of_run(cx, run)? else { return Ok(()) };
    let (left, becomes, next) = match import.status {
        ImportStatus::Checking => (RowState::Unchecked, RowState::Wrong, ImportStatus::Checked),
        ImportStatus::Running => (RowState::Ready, RowState::Wrong, ImportStatus::Done),
        ImportStatus::Undoing => (RowState::Done, RowState::Kept, ImportStatus::Undone),
        _ => return Ok(()),
    };
    import::leave(
        cx,
        import.import_id,
        (left, becomes),
        "could not be done: whoever brought the file may not do it any more, or it failed again and again",
    )?;
    import.status = next;
    import.save(cx)
}

/// What is to be done next.
pub struct Work {
    /// The import.
    pub import: Import,
    /// Which rows: those that are in this state.
    pub state: RowState,
    /// The rows.
    pub rows: Vec<ImportRow>,
}

/// What is to be done of an import whose run this is; nothing where it waits for a person.
pub fn next(cx: &mut Read, run: Id) -> Result<Option<Work>> {
    let Some(import) = Import::of_run(cx, run)? else { return Ok(None) };
    let state = match import.status {
        ImportStatus::Checking => RowState::Unchecked,
        ImportStatus::Running => RowState::Ready,
        ImportStatus::Undoing => RowState::Done,
        _ => return Ok(None),
    };
    let rows = import::rows(cx, import.import_id, state)?;
    Ok(Some(Work { import, state, rows }))
}

/// Notes what was found out about rows, unless what their columns are was said anew since.
pub fn note_checked(cx: &mut Write, run: Id, checked: &[(ImportRow, Option<Wrong>)]) -> Result<()> {
    let Some(import) = Import::of_run(cx, run)? else { return Ok(()) };
    for (row, wrong) in checked {
        let row = row.clone().judged(RowState::Ready, wrong.clone());
        import::settle(cx, import.import_id, &row, RowState::Unchecked)?;
    }
    Ok(())
}

impl ImportRow {
    /// The row as it is with what was found out.
    fn judged(mut self, state: RowState, wrong: Option<Wrong>) -> Self {
        let bad = if state == RowState::Undone { RowState::Kept } else { RowState::Wrong };
        self.state = if wrong.is_some() { bad } else { state };
        (self.field, self.rule) = match wrong {
            Some(Wrong { field, rule }) => {
                (Some(field).filter(|field| !field.is_empty()), Some(rule))
            }
            None => (None, None),
        };
        self
    }
}

/// Notes with its transaction that a row became a record.
pub fn note_done(
    cx: &mut Write,
    id: ImportId,
    row: &ImportRow,
    answer: &Value,
    place: &str,
) -> Result<()> {
    let record = answer.pointer(place).and_then(Value::as_str).and_then(Id::parse);
    let client = ["/client/clientId", "/clientProduct/clientId"]
        .iter()
        .find_map(|place| answer.pointer(place)?.as_str())
        .and_then(Id::parse);
    let mut row = row.clone().judged(RowState::Done, None);
    let invoice = answer.pointer("/invoice/invoiceId").and_then(Value::as_str).and_then(Id::parse);
    (row.record_id, row.client_id, row.invoice_id) = (record, client.map(ClientId), invoice);
    once(import::settle(cx, id, &row, RowState::Ready)?)
}

/// Notes with its transaction that a row was taken back.
pub fn note_undone(cx: &mut Write, id: ImportId, row: &ImportRow) -> Result<()> {
    let row = row.clone().judged(RowState::Undone, None);
    once(import::settle(cx, id, &row, RowState::Done)?)
}

/// Whoever comes second takes back what they have done.
fn once(was_first: bool) -> Result<()> {
    match was_first {
        true => Ok(()),
        false => Err(Problem::conflict("state", "was changed by somebody else")),
    }
}

/// Notes that a row was refused.
pub fn note_refused(
    cx: &mut Write,
    id: ImportId,
    row: &ImportRow,
    before: RowState,
    wrong: Wrong,
) -> Result<()> {
    let good = if before == RowState::Done { RowState::Undone } else { RowState::Done };
    let row = row.clone().judged(good, Some(wrong));
    import::settle(cx, id, &row, before).map(drop)
}

/// Notes that nothing is left to be done for now, if that is so; has the rest done in another turn where there is some.
pub fn finish(cx: &mut Write, run: Id) -> Result<()> {
    let Some(mut import) = Import::of_run(cx, run)? else { return Ok(()) };
    let (left, next) = match import.status {
        ImportStatus::Checking => (RowState::Unchecked, ImportStatus::Checked),
        ImportStatus::Running => (RowState::Ready, ImportStatus::Done),
        ImportStatus::Undoing => (RowState::Done, ImportStatus::Undone),
        _ => return Ok(()),
    };
    let counts = import::counted(cx, import.import_id)?;
    if counts.iter().any(|(state, count)| *state == left && *count > 0) {
        import.run_id = cx.new_id();
        import.save(cx)?;
        return cx.begin_job(&RUN, import.run_id);
    }
    import.status = next;
    import.save(cx)
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().jobs(&[&RUN])
}
