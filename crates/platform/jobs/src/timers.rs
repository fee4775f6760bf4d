//! Runs what happens by itself: timers that are due, and repeating work, on whichever node comes first.

use std::{
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use spotter_contract::{
    Env, Repeating, Table, jobs,
    timers::{self, DueTimer, STEP, TimerRun},
};
use spotter_kernel::{Problem, Result, panics::caught_async};
use spotter_store::Db;
use tokio::task::JoinSet;

/// How often it is looked for timers that are due.
const LOOK: Duration = Duration::from_millis(500);
/// Most timers that are looked at in one go.
const BATCH: usize = 256;
/// Timers that run at once: few, so that requests hardly notice thousands that are due together.
const AT_ONCE: usize = 2;
/// How often it is looked for repeating work that is due.
const TURN: Duration = Duration::from_secs(5);
/// How often it is looked for what a clock that was ahead has put off.
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
        let (mut looks, mut turns) = (tokio::time::interval(LOOK), tokio::time::interval(TURN));
        let mut pulls = tokio::time::interval(PULL_IN);
        pulls.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut repeating = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break,
                _ = looks.tick() => {
                    let looked = caught_async(self.run_due()).await;
                    let looked = looked.unwrap_or_else(|panic| Err(Problem::internal(panic)));
                    if let Err(problem) = looked {
                        tracing::warn!(%problem, "looking for due timers failed");
                    }
                }
                _ = pulls.tick() => {
                    if let Err(problem) = self.clamp_due_times().await {
                        tracing::warn!(%problem, "clamping due times failed");
                    }
                }
                _ = turns.tick() => {
                    while repeating.try_join_next().is_some() {}
                    if repeating.is_empty() {
                        repeating.spawn(self.clone().run_repeatedly());
                    }
                }
            }
        }
    }

    /// Has made now what was put off further than it ever is, by a clock that was ahead and has been set back.
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

    /// Runs timers until none is due, or a second has passed and others should have their turn.
    async fn run_due(&self) -> Result<()> {
        let began = Instant::now();
        let kinds: Arc<str> = self.table.timer_kinds().into();
        if self.count_due(kinds.clone()).await? == 0 {
            return Ok(());
        }
        loop {
            let (now, known) = (self.env.clock.now(), kinds.clone());
            let found = self.db.read(move |tx| timers::due(tx, &known, now, BATCH as i64));
            let mut due = found.await?;
            let full = due.len() == BATCH;
            // Nodes that look at the same ones begin at different places.
            let mut random = [0];
            self.env.entropy.fill(&mut random);
            let start = usize::from(random[0]) % due.len().max(1);
            due.rotate_left(start);
            let mut under_way = JoinSet::new();
            for one in due {
                while under_way.len() >= AT_ONCE {
                    under_way.join_next().await;
                }
                under_way.spawn(self.clone().run_one(one));
            }
            while under_way.join_next().await.is_some() {}
            if !full || began.elapsed() > Duration::from_secs(1) {
                return Ok(());
            }
        }
    }

    /// Counts for operators what is due.
    async fn count_due(&self, kinds: Arc<str>) -> Result<i64> {
        let now = self.env.clock.now();
        let counted = self.db.read(move |tx| timers::past_due(tx, &kinds, now));
        let (count, oldest) = counted.await?;
        let age = oldest.map_or(0, |since| now.millis() - since.millis());
        metrics::gauge!("spotter_timers_past_due").set(count as f64);
        metrics::gauge!("spotter_timers_oldest_due_seconds").set(age as f64 / 1_000.0);
        Ok(count)
    }

    async fn run_one(self, due: DueTimer) {
        let ran = match self.table.timer(&due.kind) {
            Some(timer) => {
                let (env, due) = (self.env.clone(), due.clone());
                let work = self.db.write(move |tx| timers::run(tx, &env, timer, &due));
                caught_async(work).await.unwrap_or_else(|panic| Err(Problem::internal(panic)))
            }
            None => return,
        };
        let outcome = match &ran {
            Ok(true) => "succeeded",
            Ok(false) => return,
            Err(_) => "failed",
        };
        metrics::counter!("spotter_timer_runs_total", "timer" => due.kind.clone(), "outcome" => outcome)
            .increment(1);
        let Err(problem) = ran else { return };
        let (env, failed, why) = (self.env.clone(), due.clone(), problem.clone());
        let noted = self.db.write(move |tx| timers::failed(tx, &env, &failed, &why)).await;
        match noted {
            // Another node has run it, or noted it.
            Ok(false) => {}
            Ok(true) => {
                let DueTimer { kind: timer, subject, .. } = due;
                tracing::warn!(timer, subject, %problem, "a timer failed; it will run again");
            }
            Err(problem) => {
                tracing::warn!(%problem, "recording the failure of a timer failed");
            }
        }
    }

    /// Takes the turns of repeating work that are due; one that fails, or panics, keeps no other from
    /// its own.
    async fn run_repeatedly(self) {
        for work in self.table.repeating() {
            if let Err(problem) = self.run_once_if_due(work).await {
                tracing::warn!(work = work.id, %problem, "claiming repeating work failed");
            }
        }
    }

    async fn run_once_if_due(&self, work: &'static Repeating) -> Result<()> {
        let ran_at = self.env.clock.now();
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
            let now = self.env.clock.now();
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
