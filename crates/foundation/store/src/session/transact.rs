//! The life of a transaction on PostgreSQL: begun, run, committed or rolled back, run again.

use std::{future::Future, pin::pin, sync::atomic::Ordering, task::Poll, time::Duration};

use futures_util::future::join3;
use spotter_kernel::{Key, Problem, Result};

use super::Session;
use crate::{
    batch::{DeferredStatement, ExpectedRows},
    job::{Job, RunEnding, TransactionKind, in_time, refuse},
    queue::Queue,
    tx::{Engine, Tx},
    wire::{Failure, open, run_all},
};

/// How often a closure is run again after a serialization conflict before the caller gets "busy".
const TRIES_MAX: u32 = 50;
/// How often writes that take turns are run together again.
const TOGETHER_AGAIN: u32 = 3;
/// Why the others of a batch are refused with one that could not reach the server.
const UNREACHED: &str = "the database cannot be reached";
/// Said each time: behind a pooler, what a connection is set to may be another one's.
pub(super) const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
/// The same for several closures, which do not wait for locks: two that change the same rows in another order would
/// deadlock.
const BEGIN_TOGETHER: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL lock_timeout = '20ms'";
/// One snapshot, and an error where a row that is changed was changed since.
const BEGIN_ROWS: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ";
/// One committed snapshot: a read decides nothing and need not make writers retry. Slow ones are left to the slow
/// lane.
pub(super) const BEGIN_QUICK: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '100ms'";
/// The same for who may take long.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What became of writes that shared a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BatchEnding {
    /// Each has its answer.
    Kept,
    /// They are run anew, for a reason of one of them.
    Repeated,
    /// They are run anew because of others.
    Conflicted,
}

impl BatchEnding {
    fn of(failure: Option<Failure>) -> Self {
        match failure {
            None => Self::Kept,
            Some(Failure::Conflict) => Self::Conflicted,
            Some(_) => Self::Repeated,
        }
    }
}

fn count_retry() {
    metrics::counter!("spotter_store_retries_total").increment(1);
}

impl Session {
    /// Begins anew, on a new connection where the last one was lost: on that, a transaction may still be open, and would be
    /// kept with the next one.
    fn start(&mut self, begin: &'static str, assuming: bool) -> Result<()> {
        if self.is_lost {
            self.failure = Some(Failure::Disconnected);
            self.reconnect(0)?;
        }
        self.begin = begin;
        self.begun = false;
        self.deferred.clear();
        self.tallies.clear();
        self.ahead.clear();
        self.assuming = assuming;
        self.failure = None;
        self.problem = None;
        self.tells_of_conflict.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Runs writes in one transaction, so that they share its beginning, its commit and the flush
    /// of the log; should it be lost, each runs alone. What others got into the way of is left to the `turns`, if
    /// possible.
    pub(crate) fn write_together(
        &mut self,
        batch: Vec<Box<dyn Job>>,
        turns: Option<&Queue>,
    ) -> BatchEnding {
        let batch = in_time(batch);
        metrics::histogram!("spotter_store_batch_size").record(batch.len() as f64);
        let (mut together, mut alone): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|job| job.kind() == TransactionKind::Serializable);
        let (mut ending, mut is_away) = (BatchEnding::Kept, false);
        if together.len() < 2 {
            alone.append(&mut together);
        } else {
            let mut ended = self.transact_together(&mut together);
            for _ in 0..TOGETHER_AGAIN {
                if turns.is_none() && self.failure.is_some_and(Failure::is_by_others) {
                    count_retry();
                    ended = self.transact_together(&mut together);
                }
            }
            ending = BatchEnding::of(self.failure);
            is_away = !self.is_reached;
            match (self.failure, turns) {
                (None, _) => {
                    together.drain(..).for_each(|job| job.finish(ended.clone().err()));
                }
                (Some(failure), Some(turns)) if failure.is_by_others() => {
                    count_retry();
                    together.drain(..).for_each(|job| turns.take_over(job));
                }
                _ => {}
            }
        }
        // Where one could not reach the server, the others do not wait to hear the same.
        for job in together.into_iter().chain(alone) {
            match is_away {
                true => refuse([job], UNREACHED),
                false => ending = ending.max(self.write_alone(job, turns)),
            }
            is_away = !self.is_reached;
        }
        ending
    }

    fn write_alone(&mut self, mut job: Box<dyn Job>, turns: Option<&Queue>) -> BatchEnding {
        // Who takes work from a queue skips rows that others hold.
        let (begin, turns) = match job.kind() {
            TransactionKind::Serializable | TransactionKind::Trial => (BEGIN_WRITE, turns),
            TransactionKind::Rows => (BEGIN_ROWS, None),
        };
        let problem = self.transact(begin, true, turns.is_some(), &mut *job).err();
        match turns.filter(|_| self.failure.is_some_and(Failure::is_by_others)) {
            Some(turns) => {
                turns.take_over(job);
                BatchEnding::of(self.failure)
            }
            None => {
                job.finish(problem);
                BatchEnding::Kept
            }
        }
    }

    fn transact_together(&mut self, batch: &mut [Box<dyn Job>]) -> Result<()> {
        self.start(BEGIN_TOGETHER, true)?;
        for job in batch {
            self.changing = false;
            let succeeded = self.run(&mut **job);
            // What has changed nothing has nothing to be undone: its failure is its own.
            if !succeeded && self.changing {
                self.failure.get_or_insert(Failure::Closure);
            }
            if self.failure.is_some() {
                return self.rollback();
            }
        }
        self.commit()
    }

    /// Runs the closure and ensures that none of its answers rests on an assumption that has not
    /// been checked; whether it succeeded.
    fn run(&mut self, job: &mut dyn Job) -> bool {
        self.meter = job.meter();
        let meter = self.meter.clone();
        let ending = job.run(&mut Tx::new(Engine::Postgres(self)).metered(meter));
        let succeeded = ending == RunEnding::Done;
        let assumed = |deferred: &DeferredStatement| deferred.expected == ExpectedRows::OneRow;
        if self.failure.is_none() && self.deferred.iter().any(assumed) {
            return self.flush().is_ok() && succeeded;
        }
        succeeded
    }

    /// Runs reads in one snapshot; if it fails, the remaining ones run alone. Slow reads are handed over, if
    /// possible.
    pub(crate) fn read_together(&mut self, batch: Vec<Box<dyn Job>>, slow: Option<&Queue>) {
        let begin = if slow.is_some() { BEGIN_QUICK } else { BEGIN_READ };
        let batch = in_time(batch);
        if batch.is_empty() {
            return;
        }
        if let Err(problem) = self.start(begin, true) {
            batch.into_iter().for_each(|job| job.finish(Some(problem.clone())));
            return;
        }
        let mut rest = batch.into_iter();
        while let Some(mut job) = rest.next() {
            self.run(&mut *job);
            if self.failure.is_none() {
                job.finish(None);
                continue;
            }
            let took_long = slow.filter(|_| self.failure == Some(Failure::TooLong));
            self.rollback().ok();
            let alone = match took_long {
                Some(slow) => {
                    slow.take_over(job);
                    None
                }
                None => Some(job),
            };
            let mut is_away = false;
            for mut job in alone.into_iter().chain(rest) {
                if is_away {
                    refuse([job], UNREACHED);
                    continue;
                }
                let problem = self.transact(begin, false, false, &mut *job).err();
                match slow.filter(|_| self.failure == Some(Failure::TooLong)) {
                    Some(slow) => slow.take_over(job),
                    None => job.finish(problem),
                }
                is_away = !self.is_reached;
            }
            return;
        }
        self.end_read();
    }

    /// Runs a closure until it succeeds or fails by itself; where it `leaves_conflicts`, only until the first one.
    fn transact(
        &mut self,
        begin: &'static str,
        mut assume: bool,
        leaves_conflicts: bool,
        job: &mut dyn Job,
    ) -> Result<()> {
        for attempt in 0..TRIES_MAX {
            self.start(begin, assume).inspect_err(|_| job.forget())?;
            let succeeded = self.run(job);
            let ended = match self.failure {
                None if begin == BEGIN_READ || begin == BEGIN_QUICK => {
                    self.end_read();
                    Ok(())
                }
                None if succeeded && job.kind() != TransactionKind::Trial => self.commit(),
                _ => self.rollback(),
            };
            match self.failure {
                None => return ended,
                // Its closure may not have heard of it: nothing is kept, whatever it answered.
                Some(Failure::Statement | Failure::TooLong | Failure::Closure) => {
                    return ended.and_then(|()| Err(self.problem()));
                }
                // An assumption may be the cause; checking it reads more, and reads conflict.
                Some(Failure::Assumption) => assume = false,
                Some(Failure::Taken) if assume => assume = false,
                // What needs a silent server gets no further another time.
                Some(Failure::Disconnected)
                    if attempt < 3 && (attempt == 0 || !self.servers_away.is_one_silent()) =>
                {
                    // The signals of the last run are kept: the connection broke.
                    self.reconnect(attempt).inspect_err(|_| job.forget())?;
                }
                Some(Failure::Disconnected) => break,
                Some(Failure::Conflict | Failure::Taken) => {
                    count_retry();
                    if leaves_conflicts {
                        break;
                    }
                    // Spread the contenders out: a random share of a growing pause.
                    let pause = (self.shard() as u64 % 1_000) * u64::from(attempt.min(20) + 1) / 4;
                    std::thread::sleep(Duration::from_micros(pause));
                }
            }
        }
        // The error of the last run is about the engine, not for the caller.
        job.forget();
        Err(Problem::overloaded().caused_by(match self.failure {
            Some(Failure::Disconnected) => "connections to the database break again and again",
            _ => "others changed the same rows, each time that it ran",
        }))
    }

    fn commit(&mut self) -> Result<()> {
        self.write_tallies()?;
        if !self.begun && self.deferred.is_empty() {
            return Ok(());
        }
        // Assumptions were checked by now: a COMMIT could not be reverted.
        let deferred = match self.take_deferred() {
            Ok(deferred) => deferred,
            Err(problem) => return self.rollback().and(Err(problem)),
        };
        self.count_round_trip();
        let outcome = {
            let Self { client, begun, begin, .. } = &*self;
            self.wait(async {
                let end = client.batch_execute("COMMIT");
                let (start, writes, end) =
                    join3(open(client, begin, *begun), run_all(client, &deferred), end).await;
                // A COMMIT of a failed transaction reports no error: each statement must speak.
                start.and(writes).map(|_| end)
            })
        };
        self.begun = false;
        match outcome {
            Some(Ok(Ok(()))) => Ok(()),
            // Statements that the server refused were undone; those that it did not answer may be kept, as COMMIT went with them.
            Some(Err(error)) if error.as_db_error().is_none() => {
                self.may_have_happened(&error.to_string())
            }
            Some(Err(error)) => Err(self.note(&error, "a deferred statement")),
            Some(Ok(Err(error))) if Failure::of(&error) == Failure::Conflict => {
                self.wait_for_release();
                Err(self.note(&error, "COMMIT"))
            }
            Some(Ok(Err(error))) if self.tells_of_conflict.load(Ordering::Relaxed) => {
                self.wait_for_release();
                let problem = self.note(&error, "COMMIT");
                self.failure = Some(Failure::Conflict);
                Err(problem)
            }
            // The connection broke while the commit was on its way: it may have happened.
            Some(Ok(Err(error))) => self.may_have_happened(&error.to_string()),
            None => self.may_have_happened("the database does not answer"),
        }
    }

    /// Waits until the server is done with a transaction that it did not keep: it reports the conflict before it releases the locks,
    /// and the same job on another connection would find its own claim still held.
    fn wait_for_release(&self) {
        self.wait(self.client.batch_execute(""));
    }

    fn may_have_happened(&mut self, cause: &str) -> Result<()> {
        self.is_lost = true;
        Err(Problem::new(Key::IdempotencyPersistenceFailed).caused_by(cause))
    }

    /// Ends a read without waiting for the engine's word: there is nothing it could refuse.
    fn end_read(&mut self) {
        if std::mem::take(&mut self.begun) {
            let Self { runtime, client, .. } = &*self;
            runtime.block_on(async {
                let mut end = pin!(client.batch_execute("COMMIT"));
                // One poll hands the message to the connection; yielding lets it be written.
                std::future::poll_fn(|cx| {
                    let _ = end.as_mut().poll(cx);
                    Poll::Ready(())
                })
                .await;
                tokio::task::yield_now().await;
            });
        }
    }

    fn rollback(&mut self) -> Result<()> {
        self.deferred.clear();
        if std::mem::take(&mut self.begun) && self.failure != Some(Failure::Disconnected) {
            match self.wait(self.client.batch_execute("ROLLBACK")) {
                Some(ended) => ended.map_err(|error| self.note(&error, "ROLLBACK"))?,
                None => return Err(self.note_silence()),
            }
        }
        Ok(())
    }
}
