//! Running imports, as a job: each row is given to its operation, as the author of the import. To check a row, the
//! operation is run and rolled back, so that a preview shows exactly what the operation would answer.

mod lookups;
mod row_operation;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use spotter_company::company::Company;
use spotter_contract::{
    Caller, Env, Job, Read, Table, Write,
    jobs::{ClaimedJob, JobOutcome},
};
use spotter_imports::{
    Import, ImportId, ImportRow, RowState,
    row::{FieldError, KnownRecords, ReadingRules},
    rules::ImportRule,
    steps::{self, ImportBatch, RowCheck},
};
use spotter_jobs::jobs::{Attempt, Worker};
use spotter_kernel::{Id, Problem, Result, id::CompanyId};
use spotter_store::{Db, Tx};

use row_operation::{Author, RowOperation, found, taking_back};

/// Rows whose checks are stored at once.
const BATCH: usize = 100;

/// What does imports.
#[derive(Clone)]
pub struct Importer {
    /// The database.
    pub db: Db,
    /// The clock and the key.
    pub env: Env,
    /// The operations.
    pub table: Arc<Table>,
    /// How long a turn may take: shorter than it is held.
    pub turn: Duration,
}

/// How long a worker's turn may take; the rest is another turn's, so that the work of a process that died goes on soon.
pub const SLICE: Duration = Duration::from_secs(10);

/// A run of an import, and the rules and records that its rows are read by.
struct ImportRun {
    author: Author,
    import: Import,
    rules: ReadingRules,
    known: KnownRecords,
    until: Instant,
}

impl ImportRun {
    /// Rows as long as the turn lasts; the first in any case, so that each turn gets on.
    fn in_time<R>(&self, rows: impl IntoIterator<Item = R>) -> impl Iterator<Item = R> {
        let until = self.until;
        let rows = rows.into_iter().enumerate();
        rows.take_while(move |(at, _)| *at == 0 || Instant::now() < until).map(|(_, row)| row)
    }
}

impl Importer {
    /// Continues an import as far as it can go by itself.
    pub async fn run(&self, company: CompanyId, run: Id) -> Result<()> {
        let until = Instant::now() + self.turn;
        let now = self.env.clock.now();
        let look = move |tx: &mut Tx<'_>| {
            let system = Caller::new(company, spotter_contract::Actor::System);
            let cx = &mut Read::new(tx, &system, now);
            Ok((steps::next(cx, run)?, Company::find(cx)?.admit().is_ok()))
        };
        let (Some(ImportBatch { import, state, rows, ready }), is_admitted) =
            self.db.read(look).await?
        else {
            return Ok(());
        };
        let author = Author { env: self.env.clone(), company, coach: import.created_by.0, run };
        if !is_admitted {
            let put_off = move |tx: &mut Tx<'_>| author.note(tx, |cx| steps::put_off(cx, run));
            return self.db.write(put_off).await;
        }
        let rules = self.rules(&author, &import).await?;
        let mut run = ImportRun { author, import, rules, known: KnownRecords::default(), until };
        if state != RowState::Done {
            run.known = self.load_records(&run, &rows).await?;
        }
        match state {
            RowState::Unchecked => self.check(&run, rows, &ready).await?,
            RowState::Done => self.undo(&run, rows).await?,
            _ => self.perform(&run, rows).await?,
        }
        self.change(&run, steps::finish).await
    }

    /// Continues an import until it waits for a person, also through turns that another process began.
    pub async fn run_all(&self, company: CompanyId, import: ImportId) -> Result<()> {
        let mut next = self.current_run(company, import).await?;
        while let Some(run) = next {
            let ran = self.run(company, run).await;
            next = self.current_run(company, import).await?;
            if next == Some(run) {
                // Otherwise the turn was over before this process was done with it.
                ran?;
            }
        }
        Ok(())
    }

    /// The run that an import needs now; `None` where it waits for a person.
    pub async fn current_run(&self, company: CompanyId, import: ImportId) -> Result<Option<Id>> {
        let now = self.env.clock.now();
        let look = move |tx: &mut Tx<'_>| {
            let system = Caller::new(company, spotter_contract::Actor::System);
            steps::current_run(&mut Read::new(tx, &system, now), import)
        };
        self.db.read(look).await
    }

    /// Checks rows and stores the results only. A rolled-back row cannot conflict with later ones, so values that
    /// must be unique are compared separately.
    async fn check(
        &self,
        run: &ImportRun,
        rows: Vec<ImportRow>,
        ready: &[ImportRow],
    ) -> Result<()> {
        let mut seen = UniqueValues::default();
        ready.iter().for_each(|row| drop(seen.already(&run.rules, row)));
        for rows in run.in_time(rows.chunks(BATCH)) {
            let mut checked = Vec::with_capacity(rows.len());
            for row in rows {
                let mut verdict = self.trial(run, row).await?;
                if let (Ok(left_out), Some(twice)) = (&mut verdict, seen.already(&run.rules, row)) {
                    match seen.is_relative(run, row, &twice) {
                        true => left_out.push(twice),
                        false => verdict = Err(vec![twice]),
                    }
                }
                checked.push((row.clone(), verdict));
            }
            self.change(run, move |cx, run| steps::note_checked(cx, run, &checked)).await?;
        }
        Ok(())
    }

    /// Runs what a row amounts to, and takes it back.
    async fn trial(&self, run: &ImportRun, row: &ImportRow) -> Result<RowCheck> {
        let doing = RowOperation::of(&self.table, run.import.kind)?;
        let mut without = Vec::new();
        loop {
            let calls = match run.rules.request(&row.cells.0, &run.known, &without) {
                Ok(calls) => calls,
                Err(wrong) => return Ok(Err(wrong)),
            };
            let left_out = calls.left_out.clone();
            let output: Arc<Mutex<Option<Result<()>>>> = Arc::default();
            let (author, note, doing) = (run.author.clone(), output.clone(), doing.clone());
            let trial = move |tx: &mut Tx<'_>| -> Result<()> {
                let caller = author.caller(tx)?;
                let outcome = doing.execute(tx, &author, &caller, &calls).and_then(|_| {
                    // Postponed work is done before anything else is read.
                    let now = author.env.clock.now();
                    steps::next(&mut Read::new(tx, &caller, now), Id::first_at(now)).map(drop)
                });
                let ended = outcome.clone().and(Err(trial_rollback()));
                *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                ended
            };
            let ended = self.db.write_in_background(trial).await;
            let output = output.lock().unwrap_or_else(PoisonError::into_inner).take();
            match (output, ended) {
                (Some(Ok(())), _) => return Ok(Ok(left_out)),
                (Some(Err(problem)), _) if problem.status < 500 => {
                    match run.is_left_out(row, &problem, &without) {
                        true => without.push(why(&problem)),
                        false => return Ok(Err(vec![why(&problem)])),
                    }
                }
                (Some(Err(problem)), _) | (None, Err(problem)) => return Err(problem),
                (None, Ok(())) => return Err(Problem::internal("a trial told nothing")),
            }
        }
    }

    /// Does each row that is in order, once.
    async fn perform(&self, run: &ImportRun, rows: Vec<ImportRow>) -> Result<()> {
        let doing = RowOperation::of(&self.table, run.import.kind)?;
        for row in run.in_time(rows) {
            let mut without = Vec::new();
            let wrong = loop {
                let calls = match run.rules.request(&row.cells.0, &run.known, &without) {
                    Err(wrong) => break Some(wrong),
                    Ok(calls) => calls,
                };
                let (author, doing, own) = (run.author.clone(), doing.clone(), row.clone());
                let (import, place) = (run.import.import_id, doing.place);
                let done = self.db.write_in_background(move |tx: &mut Tx<'_>| {
                    let caller = author.caller(tx)?;
                    let answer = doing.execute(tx, &author, &caller, &calls)?;
                    let left_out = calls.left_out.clone();
                    author
                        .note(tx, |cx| steps::note_done(cx, import, &own, left_out, &answer, place))
                });
                match done.await {
                    Err(problem) if run.is_left_out(&row, &problem, &without) => {
                        without.push(why(&problem));
                    }
                    done => break refusal(done)?,
                }
            };
            if let Some(wrong) = wrong {
                self.note_refused(run, row, RowState::Ready, wrong).await?;
            }
        }
        Ok(())
    }

    /// Undoes each imported row, the last first.
    async fn undo(&self, run: &ImportRun, rows: Vec<ImportRow>) -> Result<()> {
        let steps = run.import.kind.undo().iter();
        let steps: Result<Vec<_>> =
            steps.map(|step| Ok((*step, found(&self.table, step.operation)?))).collect();
        let steps = Arc::new(steps?);
        for row in run.in_time(rows.into_iter().rev()) {
            let (author, steps, own) = (run.author.clone(), steps.clone(), row.clone());
            let import = run.import.import_id;
            let done = self.db.write_in_background(move |tx: &mut Tx<'_>| {
                let caller = author.caller(tx)?;
                for (step, operation) in steps.iter() {
                    if let Some(made) = own.created(step.made) {
                        let outcome = author.call(tx, &caller, operation, taking_back(step, made));
                        match outcome {
                            Err(problem) if problem.status == 409 && step.unless_over => {}
                            outcome => drop(outcome?),
                        }
                    }
                }
                author.note(tx, |cx| steps::note_undone(cx, import, &own))
            });
            if let Some(wrong) = refusal(done.await)? {
                self.note_refused(run, row, RowState::Done, wrong).await?;
            }
        }
        Ok(())
    }

    async fn note_refused(
        &self,
        run: &ImportRun,
        row: ImportRow,
        before: RowState,
        wrong: Vec<FieldError>,
    ) -> Result<()> {
        let id = run.import.import_id;
        self.change(run, move |cx, _| steps::note_refused(cx, id, &row, before, wrong.clone()))
            .await
    }

    async fn change(
        &self,
        run: &ImportRun,
        step: impl Fn(&mut Write<'_, '_>, Id) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let author = run.author.clone();
        let change = move |tx: &mut Tx<'_>| author.note(tx, |cx| step(cx, author.run));
        self.db.write(change).await
    }
}

impl ImportRun {
    /// Whether to import a row without the refused field: an optional field, or another person's email address where
    /// the check found it so.
    fn is_left_out(&self, row: &ImportRow, problem: &Problem, without: &[FieldError]) -> bool {
        let wrong = why(problem);
        let output = |name: &str| {
            row.mistakes.iter().flat_map(|found| &found.0).any(|error| error.field == name)
        };
        let is_bad = problem.status == 400 || (problem.status == 409 && output(&wrong.field));
        let is_new = without.iter().all(|own| own.field != wrong.field);
        is_bad && is_new && self.import.kind.can_do_without(&wrong.field)
    }
}

/// Unique values of rows, with the line that has each first and its person.
#[derive(Default)]
struct UniqueValues(HashMap<(&'static str, String), (i64, String)>);

impl UniqueValues {
    /// The field of a row that repeats a value of an earlier one; remembers the row's own values.
    fn already(&mut self, rules: &ReadingRules, row: &ImportRow) -> Option<FieldError> {
        let unique = rules.kind.fields().iter().filter(|field| field.unique);
        let cells =
            unique.filter_map(|field| Some((field.name, rules.cell(field.name, &row.cells.0)?)));
        let mut wrong = None;
        for (field, cell) in cells {
            let new = || (row.line, rules.person(&row.cells.0));
            let line = self.0.entry((field, folded(field, cell))).or_insert_with(new).0;
            if line != row.line && wrong.is_none() {
                wrong = Some(FieldError::new(field, ImportRule::SameAsLine { line }));
            }
        }
        wrong
    }
}

impl UniqueValues {
    /// Whether a row is of another person with the address of one before them, as families have one.
    fn is_relative(&self, run: &ImportRun, row: &ImportRow, twice: &FieldError) -> bool {
        let Some(cell) = run.rules.cell("email", &row.cells.0) else { return false };
        let first = self.0.get(&("email", folded("email", cell)));
        let other = first.is_some_and(|(_, person)| *person != run.rules.person(&row.cells.0));
        twice.field == "email" && other && run.import.kind.can_do_without("email")
    }
}

/// What makes two cells the same: addresses do not mind case.
fn folded(field: &str, cell: &str) -> String {
    if field == "email" { cell.to_lowercase() } else { cell.to_owned() }
}

/// What ends a transaction that was a trial.
fn trial_rollback() -> Problem {
    Problem::with_message(spotter_kernel::Key::RequestInvalid, "a trial")
}

/// Why a row was refused; anything unexpected is an error of the job.
fn refusal(done: Result<()>) -> Result<Option<Vec<FieldError>>> {
    match done {
        Ok(()) => Ok(None),
        Err(problem) if problem.status < 500 && problem.status != 401 => {
            Ok(Some(vec![why(&problem)]))
        }
        Err(problem) => Err(problem),
    }
}

fn why(problem: &Problem) -> FieldError {
    let field = problem.details.as_ref().and_then(|details| details["field"].as_str());
    FieldError { field: field.unwrap_or_default().to_owned(), rule: problem.phrase() }
}

impl Worker for Importer {
    fn job(&self) -> &'static Job {
        &steps::RUN
    }

    fn at_once(&self) -> usize {
        1
    }

    fn attempt(&self, held: &ClaimedJob) -> Attempt {
        let (importer, company, run) = (self.clone(), held.company, held.subject);
        Box::pin(async move {
            match importer.run(company, run).await {
                Ok(()) => JobOutcome::Done,
                Err(problem) if problem.status < 500 => JobOutcome::Refused(problem.to_string()),
                Err(problem) => JobOutcome::Failed(problem.to_string()),
            }
        })
    }
}
