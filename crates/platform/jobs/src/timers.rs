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
    timers::{self, DueTimer, STEP, TimerRun},
};
use spotter_kernel::{Problem, Result, TRACE_TARGET, id::CompanyId, panics::caught_async};
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
const BATCH: usize = 1_024;
/// Companies whose timers run at once: few, so that requests hardly notice thousands that are due together.
const AT_ONCE: usize = 2;
/// Most timers of a company per transaction.
const TOGETHER: usize = 8;
/// How often work is looked for that a fast clock has postponed too far.
const PULL_IN: Duration = Duration::from_secs(60);
/// How long repeating work rests after a step that was full.
const REST: Duration = Duration::from_millis(50);

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
        // Each node takes companies in an order of its own.
        let order = RandomState::new();
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
                    let looked = caught_async(self.run_due(&order)).await;
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
            let mut past_due = (0, None);
            if let Some(due_at) = timers::next_due(tx)? {
                agenda.agenda().note(timers::QUEUE, due_at);
                if due_at <= now {
                    past_due = timers::past_due(tx, now)?;
                }
            }
            measure(&env, "spotter_timers", &[], past_due);
            enter_due_jobs(tx, &env, agenda.agenda(), table.jobs())?;
            let wall_now = env.wall_clock.now();
            timers::due_repeating(tx, table.repeating().iter().copied(), wall_now)
        };
        self.db.read(read).await
    }

    /// Runs timers until none is due, or a second has passed and others should have their turn.
    async fn run_due(&self, order: &RandomState) -> Result<()> {
        let began = Instant::now();
        let kinds: Arc<str> = self.table.timer_kinds().into();
        let mut ran = 0;
        loop {
            let (now, known) = (self.env.clock.now(), kinds.clone());
            let found = self.db.read(move |tx| timers::due(tx, &known, now, BATCH as i64));
            let mut companies = BTreeMap::<_, Vec<DueTimer>>::new();
            for due in found.await? {
                let company = due.company_id;
                companies.entry((order.hash_one(company), company)).or_default().push(due);
            }
            let before = ran;
            let mut under_way = JoinSet::new();
            for ((_, company), due) in companies {
                while under_way.len() >= AT_ONCE {
                    ran += under_way.join_next().await.map_or(0, |ran| ran.unwrap_or(0));
                }
                under_way.spawn(self.clone().run_company(company, due));
            }
            while let Some(more) = under_way.join_next().await {
                ran += more.unwrap_or(0);
            }
            if ran == before || began.elapsed() > Duration::from_secs(1) {
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

    /// Runs due timers of one company, several in a transaction; how many. Should one fail, each has its own.
    async fn run_company(self, company: CompanyId, due: Vec<DueTimer>) -> usize {
        let mut ran = 0;
        for chunk in due.chunks(TOGETHER) {
            let (env, table, some) = (self.env.clone(), self.table.clone(), chunk.to_vec());
            let work = self.db.write(move |tx| {
                let mut done = Vec::new();
                if timers::take_company(tx, company)? {
                    for due in &some {
                        let name = due.kind.as_str();
                        let span =
                            tracing::trace_span!(target: TRACE_TARGET, "timer", otel.name = name);
                        let _traced = span.entered();
                        if let Some(timer) = table.timer(&due.kind)
                            && timers::run(tx, &env, timer, due)?
                        {
                            done.push(due.kind.clone());
                        }
                    }
                }
                Ok(done)
            });
            let span = tracing::trace_span!(target: TRACE_TARGET, "timers", %company);
            let ran_all = caught_async(work).instrument(span).await;
            match ran_all.unwrap_or_else(|panic| Err(Problem::internal(panic))) {
                // Another node has its turn, or has run them.
                Ok(done) if done.is_empty() => break,
                Ok(done) => {
                    ran += done.len();
                    done.into_iter().for_each(|kind| count_run(kind, "succeeded"));
                }
                Err(_) => {
                    for due in chunk {
                        ran += usize::from(self.clone().run_one(due.clone()).await);
                    }
                }
            }
        }
        ran
    }

    /// Runs one timer, or notes that it failed; whether either was done.
    async fn run_one(self, due: DueTimer) -> bool {
        let ran = match self.table.timer(&due.kind) {
            Some(timer) => {
                let (env, due) = (self.env.clone(), due.clone());
                let work = self.db.write(move |tx| timers::run(tx, &env, timer, &due));
                let span =
                    tracing::trace_span!(target: TRACE_TARGET, "timer", otel.name = timer.id);
                let ran = caught_async(work).instrument(span).await;
                ran.unwrap_or_else(|panic| Err(Problem::internal(panic)))
            }
            None => return false,
        };
        let outcome = match &ran {
            Ok(true) => "succeeded",
            Ok(false) => return false,
            Err(_) => "failed",
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

    /// Takes the turns of repeating work that are due; one that fails, or panics, keeps no other from
    /// its own.
    async fn run_repeatedly(self, due: Vec<&'static Repeating>) {
        for work in due {
            if let Err(problem) = self.run_once_if_due(work).await {
                tracing::warn!(work = work.id, %problem, "claiming repeating work failed");
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
        let word = if outcome.is_ok() { "succeeded" } else { "failed" };
        metrics::counter!("spotter_repeating_runs_total", "work" => work.id, "outcome" => word)
            .increment(1);
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
        loop {
            let now = self.env.wall_clock.now();
            let some = match work.only_reads {
                true => self.db.read(move |tx| (work.step)(tx, now)).await?,
                false => self.db.write(move |tx| (work.step)(tx, now)).await?,
            };
            done += some;
            if some < STEP {
                return Ok(done);
            }
            tokio::time::sleep(REST).await;
        }
    }
}

fn count_run(timer: String, outcome: &'static str) {
    metrics::counter!("spotter_timer_runs_total", "timer" => timer, "outcome" => outcome)
        .increment(1);
}
