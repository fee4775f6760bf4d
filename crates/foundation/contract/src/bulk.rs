//! Acts on many records at once. What is refused for one record is said of that one, and the others are done: every
//! reason to refuse is found before anything of a record is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_kernel::{Id, Locale, Phrase, Problem, Result, phrases};
use spotter_store::words;

use crate::context::{Read, Write};

/// The most records of one such request.
pub const RECORDS_MAX: usize = 100;

words! {
    /// What became of a record: *unchanged* where there was nothing to do.
    pub enum BulkOutcome { Changed = "changed", Unchanged = "unchanged", Refused = "refused" }
}

/// Why a record was refused.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BulkError {
    /// The error key, as the operation on that record alone would answer.
    key: String,
    /// The reason in words.
    message: String,
}

/// What became of one record of a bulk request.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BulkResult {
    /// Id of the record.
    id: Id,
    /// What became of it.
    outcome: BulkOutcome,
    /// Why it was refused.
    error: Option<BulkError>,
}

/// What became of all records of a bulk request.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BulkReport {
    /// One for each record, in the order of the request.
    results: Vec<BulkResult>,
    /// How many were changed.
    changed: usize,
    /// How many were as wanted before.
    unchanged: usize,
    /// How many were refused.
    refused: usize,
}

impl BulkReport {
    fn of(results: Vec<BulkResult>) -> Self {
        let count = |outcome| results.iter().filter(|one| one.outcome == outcome).count();
        Self {
            changed: count(BulkOutcome::Changed),
            unchanged: count(BulkOutcome::Unchanged),
            refused: count(BulkOutcome::Refused),
            results,
        }
    }
}

phrases! {
    /// What a bulk request comes to.
    enum BulkEffect {
        Outcome { changed: usize, unchanged: usize, refused: usize }
            "Changed: {changed}. As wanted before: {unchanged}. Refused: {refused}."
            "Gewijzigd: {changed}. Al zo: {unchanged}. Geweigerd: {refused}."
            "Geändert: {changed}. Schon so: {unchanged}. Abgelehnt: {refused}."
    }
}

/// Why a record is refused, for a preview.
fn refusal(problem: &Problem) -> Phrase {
    let why = problem.phrase();
    let text = |word: &str, locale| format!("{word}: {}", why.text(locale)).into();
    Phrase::new([
        text("Refused", Locale::English),
        text("Geweigerd", Locale::Dutch),
        text("Abgelehnt", Locale::German),
    ])
}

/// The answer for one record: a plan, nothing to do, or a refusal. A failure of the server is one of the whole request.
fn result(id: Id, planned: Result<bool>) -> Result<BulkResult> {
    match planned {
        Ok(changes) => {
            let outcome = if changes { BulkOutcome::Changed } else { BulkOutcome::Unchanged };
            Ok(BulkResult { id, outcome, error: None })
        }
        Err(problem) if problem.status >= 500 => Err(problem),
        Err(Problem { key, message, .. }) => {
            let error = BulkError { key: key.wire().to_owned(), message };
            Ok(BulkResult { id, outcome: BulkOutcome::Refused, error: Some(error) })
        }
    }
}

/// What an act would do to each record; `plan` finds out without writing and answers `None` where there is nothing to
/// do. A record that is named twice counts once.
pub fn preview<P>(
    cx: &mut Read,
    ids: impl IntoIterator<Item = Id>,
    mut plan: impl FnMut(&mut Read, Id) -> Result<Option<P>>,
) -> Result<BulkReport> {
    let results = each_once(ids).into_iter().map(|id| {
        let planned = plan(cx, id).map(|planned| planned.is_some());
        result(id, planned)
    });
    Ok(BulkReport::of(results.collect::<Result<_>>()?))
}

/// Does to each record of a kind what `plan` says, each with a row of its own in the audit log. Records are changed in the
/// order of their ids, whatever the order of the request, so that two requests wait for each other at most once. What
/// `act` refuses late, refuses the whole request.
pub fn act<P>(
    cx: &mut Write,
    kind: &'static str,
    ids: impl IntoIterator<Item = Id>,
    mut plan: impl FnMut(&mut Read, Id) -> Result<Option<P>>,
    mut act: impl FnMut(&mut Write, P) -> Result<()>,
) -> Result<BulkReport> {
    let ids = each_once(ids);
    let mut in_order = ids.clone();
    in_order.sort_unstable();
    let mut results = BTreeMap::new();
    for id in in_order {
        let planned = match plan(cx, id) {
            Ok(Some(planned)) => {
                act(cx, planned)?;
                cx.audit_record(kind, id)?;
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(problem) => {
                cx.describe_count(0, || refusal(&problem));
                Err(problem)
            }
        };
        results.insert(id, result(id, planned)?);
    }
    let report = BulkReport::of(ids.iter().filter_map(|id| results.remove(id)).collect());
    let BulkReport { changed, unchanged, refused, .. } = report;
    cx.describe_effect(|| BulkEffect::Outcome { changed, unchanged, refused });
    Ok(report)
}

fn each_once(ids: impl IntoIterator<Item = Id>) -> Vec<Id> {
    let mut once = Vec::new();
    for id in ids {
        if !once.contains(&id) {
            once.push(id);
        }
    }
    once
}
