//! Runs what happens by itself: timers that are due, and repeating work, on whichever node comes first.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use spotter_contract::{
    Env, Repeating, Table, jobs,
    timers::{self, DueTimer, RepeatedWork, STEP, TimerRun},
};
use spotter_kernel::{
    Problem, Result, TRACE_TARGET, Timestamp, id::CompanyId, panics::caught_async,
};
use spotter_store::{Db, Tx};
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::jobs::{enter_due_jobs, measure};

/// How often the agenda is checked, which asks the database nothing.
const LOOK: Duration = Duration::from_millis(200);
/// How often work of other processes is looked for.
const SURVEY: Duration = Duration::from_secs(5);
/// How long a node waits where timers are due that it could not run: another node has their turn.
const PAUSE: Duration = Duration::from_millis(500);
/// Most timers per query.
const BATCH: usize = 4_096;
/// How long timers run before others have their turn.
const LONGEST_RUN: Duration = Duration::from_secs(1);
/// Companies whose timers run at once, at most: few, so that requests hardly notice thousands that are due together.
const AT_ONCE_MAX: usize = 4;
/// Most timers of a company per transaction; on SQLite, fewer while others wait to write.
const TOGETHER: usize = 8;
/// How often work is looked for that a fast clock has postponed too far.
const PULL_IN: Duration = Duration::from_secs(60);
/// How long repeating work rests after a step that was full.
const REST: Duration = Duration::from_millis(50);

/// How a run ended, as it is counted.
const SUCCEEDED: &str = "succeeded";
const FAILED: &str = "failed";

/// What happens by itself.
#[derive(Clone)]
pub struct Timers {
    /// The database.
    pub db: Db,
    /// Clock, randomness, key.
    pub env: Env,
    /// What there is to be run.
    pub table: Arc<Table>,
}

impl Timers {
    /// Runs until the stop resolves. Timers that are under way are finished; a turn of repeating work ends
    /// with its step, and goes on when it is due again.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let (mut looks, mut surveys) = (tokio::time::interval(LOOK), tokio::time::interval(SURVEY));
        let mut pulls = tokio::time::interval(PULL_IN);
        pulls.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        surveys.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let signals = self.db.signals();
        // There from the start, at 0, so that a rule about failures holds for the first of them.
        self.table.repeating().iter().for_each(|work| repeating_runs(work, FAILED).increment(0));
        // Each node begins at a place of its own.
        let start = RandomState::new();
        let mut repeating = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break,
                _ = pulls.tick() => {
                    if let Err(problem) = self.clamp_due_times().await {
                        tracing::warn!(%problem, "clamping due times failed");
                    }
                }
                _ = surveys.tick() => {
                    while repeating.try_join_next().is_some() {}
                    let surveyed = caught_async(self.survey()).await;
                    match surveyed.unwrap_or_else(|panic| Err(Problem::internal(panic))) {
                        Ok(due) if repeating.is_empty() => {
                            repeating.spawn(self.clone().run_repeatedly(due));
                        }
                        Ok(_) => {}
                        Err(problem) => {
                            tracing::warn!(%problem, "looking for work failed");
                        }
                    }
                }
                // Last, so that a backlog keeps nothing else from its turn.
                _ = looks.tick() => {
                    if !signals.agenda().take_due(timers::QUEUE, self.env.clock.now()) {
                        continue;
                    }
                    let looked = caught_async(self.run_due(&start)).await;
                    match looked.unwrap_or_else(|panic| Err(Problem::internal(panic))) {
                        Ok(()) => looks.reset_immediately(),
                        Err(problem) => {
                            tracing::warn!(%problem, "looking for due timers failed");
                        }
                    }
                }
            }
        }
    }

    /// Corrects due times that are further ahead than possible, set by a clock that was fast and has been set back.
    async fn clamp_due_times(&self) -> Result<()> {
        let (table, now) = (self.table.clone(), self.env.clock.now());
        let pulled = self.db.write(move |tx| {
            let mut pulled = 0;
            if tx.is_server_away()? {
                return Ok(pulled);
            }
            for clamp in table.clamps() {
                pulled += clamp(tx, now)?;
            }
            for job in table.jobs() {
                pulled += jobs::clamp_due_times(tx, job, now)?;
            }
            Ok(pulled)
        });
        let pulled = pulled.await?;
        if pulled > 0 {
            tracing::warn!(
                pulled,
                "due times lay too far ahead, after a clock change; they are due now"
            );
        }
        Ok(())
    }

    /// Enters in the agenda what is due next, and measures what is due; returns the repeating work that is due.
    async fn survey(&self) -> Result<Vec<&'static Repeating>> {
        let (table, env, agenda) = (self.table.clone(), self.env.clone(), self.db.signals());
        let read = move |tx: &mut Tx<'_>| {
            let now = env.clock.now();
            let is_away = tx.is_server_away()?;
            metrics::gauge!("spotter_database_server_away").set(f64::from(u8::from(is_away)));
            let mut past_due = (0, None);
            if let Some(due_at) = timers::next_due(tx)? {
                agenda.agenda().note(timers::QUEUE, due_at);
                if due_at <= now {
                    past_due = timers::past_due(tx, now)?;
                }
            }
            measure(&env, "spotter_timers", &[], past_due);
            enter_due_jobs(tx, &env, agenda.agenda(), table.jobs())?;
            // Repeating work is for all companies, and its turns are noted on all servers.
            let repeating = table.repeating().iter().copied().filter(|_| !is_away);
            timers::due_repeating(tx, repeating, env.wall_clock.now())
        };
        self.db.read(read).await
    }

    /// Runs timers until none is due, or others should have their turn.
    async fn run_due(&self, start: &RandomState) -> Result<()> {
        let until = Instant::now() + LONGEST_RUN;
        let kinds: Arc<str> = self.table.timer_kinds().into();
        let mut ran = 0;
        loop {
            let (now, known) = (self.env.clock.now(), kinds.clone());
            let found = self.db.read(move |tx| timers::due(tx, &known, now, BATCH as i64));
            let found = found.await?;
            let start = start.hash_one(now) as usize;
            let before = ran;
            let mut under_way = JoinSet::new();
            for stretch in stretches(found, at_once(), start) {
                under_way.spawn(self.clone().run_stretch(stretch, until));
            }
            while let Some(more) = under_way.join_next().await {
                ran += more.unwrap_or(0);
            }
            if ran == before || Instant::now() > until {
                break;
            }
        }
        let now = self.env.clock.now();
        if let Some(next) = self.db.read(timers::next_due).await? {
            let pause = if ran == 0 { PAUSE } else { Duration::ZERO };
            let next = next.max(now.plus_millis(pause.as_millis() as i64));
            self.db.signals().agenda().note(timers::QUEUE, next);
        }
        Ok(())
    }

    /// Runs the timers of one company after the other, until another node turns out to be at work there; how many.
    async fn run_stretch(self, companies: Vec<CompanyTimers>, until: Instant) -> usize {
        let mut ran = 0;
        for CompanyTimers { company, due } in companies {
            let more = self.clone().run_company(company, due, until).await;
            ran += more;
            if more == 0 || Instant::now() > until {
                break;
            }
        }
        ran
    }

    /// Runs due timers of one company, several in a transaction; how many. Should one fail, each has its own.
    async fn run_company(self, company: CompanyId, due: Vec<DueTimer>, until: Instant) -> usize {
        let (mut ran, mut rest) = (0, due.as_slice());
        while !rest.is_empty() && (ran == 0 || Instant::now() <= until) {
            let some = &rest[..rest.len().min(TOGETHER)];
            match self.run_together(company, some.to_vec()).await {
                // Another node has its turn, or has run them.
                Ok((_, done)) if done.is_empty() => break,
                Ok((passed, done)) => {
                    ran += done.len();
                    rest = &rest[passed..];
                    done.into_iter().for_each(|kind| count_run(kind, SUCCEEDED));
                }
                Err(_) => {
                    for due in some {
                        ran += usize::from(self.clone().run_one(due.clone()).await);
                    }
                    rest = &rest[some.len()..];
                }
            }
        }
        ran
    }

    /// Runs timers of one company in a transaction, until another write waits for it; how many it came to, and the
    /// kinds of those that were still due.
    async fn run_together(
        &self,
        company: CompanyId,
        due: Vec<DueTimer>,
    ) -> Result<(usize, Vec<String>)> {
        let (db, env, table) = (self.db.clone(), self.env.clone(), self.table.clone());
        let work = self.db.write_in_background(move |tx| {
            let (mut passed, mut done) = (0, Vec::new());
            if timers::take_company(tx, company)? {
                for due in &due {
                    let name = due.kind.as_str();
                    let span =
                        tracing::trace_span!(target: TRACE_TARGET, "timer", otel.name = name);
                    let _traced = span.entered();
                    if let Some(timer) = table.timer(&due.kind)
                        && timers::run(tx, &env, timer, due)?
                    {
                        done.push(due.kind.clone());
                    }
                    passed += 1;
                    if db.is_background_awaited() {
                        break;
                    }
                }
            }
            Ok((passed, done))
        });
        let span = tracing::trace_span!(target: TRACE_TARGET, "timers", %company);
        let ran = caught_async(work).instrument(span).await;
        ran.unwrap_or_else(|panic| Err(Problem::internal(panic)))
    }

    /// Runs one timer, or notes that it failed; whether either was done.
    async fn run_one(self, due: DueTimer) -> bool {
        let ran = match self.table.timer(&due.kind) {
            Some(timer) => {
                let (env, due) = (self.env.clone(), due.clone());
                let work =
                    self.db.write_in_background(move |tx| timers::run(tx, &env, timer, &due));
                let span =
                    tracing::trace_span!(target: TRACE_TARGET, "timer", otel.name = timer.id);
                let ran = caught_async(work).instrument(span).await;
                ran.unwrap_or_else(|panic| Err(Problem::internal(panic)))
            }
            None => return false,
        };
        let outcome = match &ran {
            Ok(true) => SUCCEEDED,
            Ok(false) => return false,
            Err(_) => FAILED,
        };
        count_run(due.kind.clone(), outcome);
        let Err(problem) = ran else { return true };
        let (env, failed, why) = (self.env.clone(), due.clone(), problem.clone());
        let noted = self.db.write(move |tx| timers::failed(tx, &env, &failed, &why)).await;
        match noted {
            // Another node has run it, or noted it.
            Ok(false) => false,
            Ok(true) => {
                let DueTimer { kind: timer, subject, .. } = due;
                tracing::warn!(timer, subject, %problem, "a timer failed; it will run again");
                true
            }
            Err(problem) => {
                tracing::warn!(%problem, "recording the failure of a timer failed");
                false
            }
        }
    }

    /// Takes the turns of repeating work that are due; one that fails, or panics, keeps no other from its own. Where a turn
    /// cannot be taken, none can: they wait until the database takes it.
    async fn run_repeatedly(self, due: Vec<&'static Repeating>) {
        for work in due {
            if let Err(problem) = self.run_once_if_due(work).await {
                tracing::warn!(work = work.id, %problem, "claiming repeating work failed");
                return;
            }
        }
    }

    async fn run_once_if_due(&self, work: &'static Repeating) -> Result<()> {
        let ran_at = self.env.wall_clock.now();
        if !self.db.write(move |tx| work.take(tx, ran_at)).await? {
            return Ok(());
        }
        let began = Instant::now();
        let outcome = caught_async(self.do_all(work)).await;
        let outcome = outcome.unwrap_or_else(|panic| Err(Problem::internal(panic)));
        let word = if outcome.is_ok() { SUCCEEDED } else { FAILED };
        repeating_runs(work, word).increment(1);
        if let Err(problem) = &outcome {
            tracing::warn!(work = work.id, %problem, "repeating work failed; it will be done again");
        }
        let turn = TimerRun {
            ran_at,
            took_ms: began.elapsed().as_millis() as i64,
            done: *outcome.as_ref().unwrap_or(&0) as i64,
            error: outcome.err().map(|problem| problem.to_string()),
        };
        self.db.write(move |tx| work.note(tx, &turn)).await
    }

    async fn do_all(&self, work: &'static Repeating) -> Result<u64> {
        let mut done = 0;
        let step = match work.work {
            RepeatedWork::Step(step) => step,
            RepeatedWork::Look(look) => return self.look_at_all(work, look).await,
        };
        loop {
            let now = self.env.wall_clock.now();
            let some = self.db.write_in_background(move |tx| step(tx, now)).await?;
            done += some;
            if some < STEP {
                return Ok(done);
            }
            tokio::time::sleep(REST).await;
        }
    }
}

impl Timers {
    /// Looks at each company. A failure at one is logged, and the others are looked at all the same.
    async fn look_at_all(
        &self,
        work: &'static Repeating,
        look: fn(&mut Tx<'_>, CompanyId, Timestamp) -> Result<()>,
    ) -> Result<u64> {
        let (mut after, mut outcome, mut seen) = (None, Ok(()), 0);
        loop {
            let some = self.db.read(move |tx| timers::companies(tx, after)).await?;
            for (company,) in &some {
                let (company, now) = (*company, self.env.wall_clock.now());
                let looked = self.db.read_slow(move |tx| look(tx, company, now)).await;
                if let Err(problem) = &looked {
                    tracing::warn!(work = work.id, %company, %problem, "looking at a company failed");
                }
                outcome = outcome.and(looked);
            }
            seen += some.len() as u64;
            after = match some.last() {
                Some((last,)) if some.len() as u64 == STEP => Some(*last),
                _ => return outcome.map(|()| seen),
            };
        }
    }
}

/// What is due of a company.
#[derive(Debug)]
struct CompanyTimers {
    company: CompanyId,
    due: Vec<DueTimer>,
}

/// Half of the machine, at most.
fn at_once() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (cores / 2).clamp(1, AT_ONCE_MAX)
}

/// Companies in the order of their ids from a place on, in a number of stretches. Neighbours lie on the same pages of indexes,
/// where PostgreSQL takes what two transactions do for a conflict: so those that run at once are far from each other.
fn stretches(found: Vec<DueTimer>, count: usize, start: usize) -> Vec<Vec<CompanyTimers>> {
    let mut companies = BTreeMap::<_, Vec<DueTimer>>::new();
    for due in found {
        companies.entry(due.company_id).or_default().push(due);
    }
    let companies = companies.into_iter().map(|(company, due)| CompanyTimers { company, due });
    let mut rest: Vec<_> = companies.collect();
    if rest.is_empty() {
        return Vec::new();
    }
    let start = start % rest.len();
    rest.rotate_left(start);
    let length = rest.len().div_ceil(count);
    let mut stretches = Vec::with_capacity(count);
    while !rest.is_empty() {
        let after = rest.split_off(length.min(rest.len()));
        stretches.push(std::mem::replace(&mut rest, after));
    }
    stretches
}

fn repeating_runs(work: &Repeating, outcome: &'static str) -> metrics::Counter {
    metrics::counter!("spotter_repeating_runs_total", "work" => work.id, "outcome" => outcome)
}

fn count_run(timer: String, outcome: &'static str) {
    metrics::counter!("spotter_timer_runs_total", "timer" => timer, "outcome" => outcome)
        .increment(1);
}

#[cfg(test)]
mod tests {
    use spotter_kernel::{Id, Timestamp};

    use super::*;

    #[test]
    fn every_company_is_in_one_stretch_and_stretches_are_far_apart() {
        let company = |number: u8| CompanyId(Id::new(Timestamp::from_millis(1), [number; 6]));
        let due = |number: u8| DueTimer {
            company_id: company(number),
            kind: "remind".to_owned(),
            subject: number.to_string(),
            due_at: Timestamp::from_millis(0),
            attempts: 0,
        };
        for (companies, count, start) in [(0, 2, 5), (1, 4, 7), (10, 4, 3), (100, 2, 999)] {
            // Two timers of each, and the newest company first.
            let found: Vec<_> = (0..companies).rev().flat_map(|at| [due(at), due(at)]).collect();
            let stretches = stretches(found, count, start);
            assert!(stretches.len() <= count);
            let numbers: Vec<u8> = stretches
                .iter()
                .flatten()
                .inspect(|own| assert_eq!(own.due.len(), 2))
                .filter_map(|own| own.due[0].subject.parse().ok())
                .collect();
            let first = start % usize::from(companies.max(1));
            let expected = (0..companies).cycle().skip(first).take(companies.into());
            assert_eq!(numbers, expected.collect::<Vec<_>>());
            let longest = stretches.iter().map(Vec::len).max().unwrap_or(0);
            assert_eq!(longest, usize::from(companies).div_ceil(count));
        }
    }
}
