//! Does jobs: takes those that are due under a lease, attempts them a few at a time, and writes what came
//! of each attempt, on however many nodes.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};

use spotter_contract::{
    Env, Job,
    jobs::{self, ClaimedJob, JobOutcome},
    traces,
};
use spotter_kernel::{
    Problem, Result, TRACE_TARGET, Timestamp, id::CompanyId, panics::caught_async,
    secret::EnvironmentMode,
};
use spotter_store::{Agenda, Db, Tx};
use tokio::{sync::watch, task::JoinSet};
use tracing::Instrument;

/// How often the agenda is checked, which asks the database nothing.
const LOOK: Duration = Duration::from_millis(200);
/// How much longer than an attempt its hold is.
const MARGIN: Duration = Duration::from_secs(10);
/// How long it is waited until an outcome that could not be written is written again.
const AGAIN: Duration = Duration::from_secs(1);

/// How long an outcome is kept that cannot be written, beyond its lease. There are as few as attempts at once: of what the database
/// does not take, none is begun.
const KEPT: Duration = Duration::from_secs(3_600);

/// An attempt under way.
pub type Attempt = Pin<Box<dyn Future<Output = JobOutcome> + Send>>;

/// What attempts jobs of a kind.
pub trait Worker: Send + Sync + 'static {
    /// The kind.
    fn job(&self) -> &'static Job;
    /// How many are attempted at once.
    fn at_once(&self) -> usize;
    /// Attempts one. It is dropped when its time is over.
    fn attempt(&self, held: &ClaimedJob) -> Attempt;
}

/// Does the jobs of one kind.
#[derive(Clone)]
pub struct Jobs {
    /// The database.
    pub db: Db,
    /// Clock, randomness, key.
    pub env: Env,
    /// Who attempts them.
    pub worker: Arc<dyn Worker>,
}

impl Jobs {
    /// Runs until the stop; then waits a limited time for running attempts. Longer ones stay claimed until their
    /// leases expire, and count as unknown.
    pub async fn run(self, mut stop: watch::Receiver<bool>, retry_policy: Duration) {
        let mut stopped = pin!(async move { stop.wait_for(|stopped| *stopped).await.map(drop) });
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut under_way = JoinSet::new();
        // Companies with attempts under way, one entry an attempt.
        let mut busy: Vec<CompanyId> = Vec::new();
        let mut more = false;
        let signals = self.db.signals();
        loop {
            let mut ended = None;
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                Some(joined) = under_way.join_next(), if !under_way.is_empty() => ended = Some(joined),
                _ = looks.tick() => {}
            }
            while let Some(joined) = ended.or_else(|| under_way.try_join_next()) {
                if let Ok(company) = joined
                    && let Some(at) = busy.iter().position(|own| *own == company)
                {
                    busy.swap_remove(at);
                }
                ended = None;
            }
            more |= signals.agenda().take_due(self.worker.job().id, self.env.clock.now());
            let room = self.worker.at_once() - under_way.len().min(self.worker.at_once());
            if !more || room == 0 {
                continue;
            }
            let looked = caught_async(self.claim(room, busy.clone())).await;
            let looked = looked.unwrap_or_else(|panic| Err(Problem::internal(panic)));
            let claimed = looked.unwrap_or_else(|problem| {
                tracing::warn!(job = self.worker.job().id, %problem, "claiming jobs failed");
                Vec::new()
            });
            more = claimed.len() == room;
            for held in claimed {
                busy.push(held.company);
                under_way.spawn(self.clone().attend(held));
            }
        }
        let ended = async { while under_way.join_next().await.is_some() {} };
        tokio::time::timeout(retry_policy, ended).await.ok();
    }

    /// Claims some due jobs.
    async fn claim(&self, room: usize, mut busy: Vec<CompanyId>) -> Result<Vec<ClaimedJob>> {
        let (env, job) = (self.env.clone(), self.worker.job());
        busy.sort_unstable();
        busy.dedup();
        self.db.write(move |tx| jobs::claim(tx, &env, job, room, &busy)).await
    }

    /// Sees an attempt through. One that breaks off, or takes too long, may have done its work.
    async fn attend(self, held: ClaimedJob) -> CompanyId {
        let (job, begun) = (self.worker.job(), Instant::now());
        let held_for = Duration::from_millis(job.retry_policy.lease_ms.unsigned_abs());
        let outcome = if held.is_spent(job) {
            JobOutcome::Unknown("the process that attempted it ended without a result".to_owned())
        } else {
            let name = job.id;
            let span = tracing::trace_span!(target: TRACE_TARGET, "job", otel.name = name, otel.kind = "consumer");
            held.trace_parent.iter().for_each(|parent| traces::adopt(&span, parent));
            let attempt = caught_async(self.worker.attempt(&held)).instrument(span);
            match tokio::time::timeout(held_for.saturating_sub(MARGIN), attempt).await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(panic)) => {
                    tracing::error!(job = job.id, subject = %held.subject, %panic, "an attempt panicked");
                    JobOutcome::Unknown("the attempt broke off on our side".to_owned())
                }
                Err(_) => JobOutcome::Unknown("the attempt took too long".to_owned()),
            }
        };
        metrics::counter!("spotter_job_attempts_total", "kind" => job.id, "outcome" => outcome.word())
            .increment(1);
        metrics::histogram!("spotter_job_attempt_seconds", "kind" => job.id)
            .record(begun.elapsed());
        if let Some(error) = outcome.error() {
            tracing::warn!(job = job.id, subject = %held.subject, error, "a job is not done");
        }
        let company = held.company;
        if !self.record(&held, &outcome, held_for.saturating_sub(begun.elapsed())).await {
            // It makes room for others, and is recorded all the same, unless another attempt was begun meanwhile.
            tokio::spawn(async move { self.record(&held, &outcome, KEPT).await });
        }
        company
    }

    /// Writes what came of an attempt, as soon as the database takes it within a time; whether it did.
    async fn record(&self, held: &ClaimedJob, outcome: &JobOutcome, within: Duration) -> bool {
        let (job, begun, mut failed) = (self.worker.job(), Instant::now(), false);
        loop {
            let (env, kept, submitted) = (self.env.clone(), held.clone(), outcome.clone());
            let settled =
                self.db.write(move |tx| jobs::finish(tx, &env, job, &kept, &submitted)).await;
            let Err(problem) = settled else { return true };
            if !std::mem::replace(&mut failed, true) {
                tracing::warn!(job = job.id, subject = %held.subject, %problem, "recording the result of a job failed");
            }
            if begun.elapsed() >= within {
                return false;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// Notes in the agenda when jobs of these kinds are due next, those of other processes too, and measures how many are
/// due.
pub fn enter_due_jobs(
    tx: &mut Tx<'_>,
    env: &Env,
    agenda: &Agenda,
    kinds: &[&'static Job],
) -> Result<()> {
    let now = env.clock.now();
    for (job, due_at) in kinds.iter().zip(jobs::next_due(tx, kinds)?) {
        let mut past_due = (0, None);
        if let Some(due_at) = due_at {
            agenda.note(job.id, due_at);
            if due_at <= now {
                past_due = jobs::past_due(tx, job, now)?;
            }
        }
        measure(env, "spotter_jobs", &[("kind", job.id)], past_due);
    }
    Ok(())
}

/// Sets the gauges of a queue: how many are due, and for how long the oldest has been. They are those of the real
/// environment.
pub(crate) fn measure(
    env: &Env,
    queue: &str,
    labels: &[(&'static str, &'static str)],
    (count, oldest): (i64, Option<Timestamp>),
) {
    if env.mode == EnvironmentMode::Test {
        return;
    }
    let age = oldest.map_or(0, |since| env.clock.now().millis() - since.millis());
    metrics::gauge!(format!("{queue}_past_due"), labels).set(count as f64);
    metrics::gauge!(format!("{queue}_oldest_due_seconds"), labels).set(age as f64 / 1_000.0);
}
