//! Does jobs: takes those that are due under a lease, attempts them a few at a time, and writes what came
//! of each attempt, on however many nodes.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};

use spotter_contract::{
    Env, Job,
    jobs::{self, ClaimedJob, Outcome},
};
use spotter_kernel::{Problem, Result, id::CompanyId, panics::caught_async};
use spotter_store::Db;
use tokio::{sync::watch, task::JoinSet};

/// How often it is looked for jobs that are due.
const LOOK: Duration = Duration::from_millis(500);
/// How much longer than an attempt its hold is.
const MARGIN: Duration = Duration::from_secs(10);
/// How long it is waited until an outcome that could not be written is written again.
const AGAIN: Duration = Duration::from_secs(1);

/// An attempt under way.
pub type Attempt = Pin<Box<dyn Future<Output = Outcome> + Send>>;

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
    /// Runs until the stop is told; then waits so long for the attempts that are under way. Those that
    /// take longer are held until their leases run out, and count as not known.
    pub async fn run(self, mut stop: watch::Receiver<bool>, retry_policy: Duration) {
        let mut stopped = pin!(async move { stop.wait_for(|stopped| *stopped).await.map(drop) });
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut under_way = JoinSet::new();
        // Companies with attempts under way, one entry an attempt.
        let mut busy: Vec<CompanyId> = Vec::new();
        let mut more = false;
        loop {
            let mut ended = None;
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                Some(joined) = under_way.join_next(), if !under_way.is_empty() => ended = Some(joined),
                _ = looks.tick() => {}
            }
            let looks_around = ended.is_none();
            let idle = !looks_around && !more;
            while let Some(joined) = ended.or_else(|| under_way.try_join_next()) {
                if let Ok(company) = joined
                    && let Some(at) = busy.iter().position(|own| *own == company)
                {
                    busy.swap_remove(at);
                }
                ended = None;
            }
            if idle {
                continue;
            }
            let room = self.worker.at_once() - under_way.len().min(self.worker.at_once());
            let looked = caught_async(self.claim(room, busy.clone(), looks_around)).await;
            let looked = looked.unwrap_or_else(|panic| Err(Problem::internal(panic)));
            let claimed = looked.unwrap_or_else(|problem| {
                tracing::warn!(job = self.worker.job().id, %problem, "claiming jobs failed");
                Vec::new()
            });
            more = room > 0 && claimed.len() == room;
            for held in claimed {
                busy.push(held.company);
                under_way.spawn(self.clone().attend(held));
            }
        }
        let ended = async { while under_way.join_next().await.is_some() {} };
        tokio::time::timeout(retry_policy, ended).await.ok();
    }

    /// Takes hold of some. Looking around, it first counts what is due: while more is known to wait, that
    /// would be counted again for every few that are taken.
    async fn claim(
        &self,
        room: usize,
        busy: Vec<CompanyId>,
        looks_around: bool,
    ) -> Result<Vec<ClaimedJob>> {
        let none_due = looks_around && self.count().await? == 0;
        if none_due || room == 0 {
            return Ok(Vec::new());
        }
        let (env, job, mut busy) = (self.env.clone(), self.worker.job(), busy);
        busy.sort_unstable();
        busy.dedup();
        self.db.write(move |tx| jobs::claim(tx, &env, job, room, &busy)).await
    }

    /// Counts what is due, for the metrics.
    async fn count(&self) -> Result<i64> {
        let (job, now) = (self.worker.job(), self.env.clock.now());
        let (due, oldest) = self.db.read(move |tx| jobs::past_due(tx, job, now)).await?;
        let age = oldest.map_or(0, |since| now.millis() - since.millis());
        metrics::gauge!("spotter_jobs_past_due", "job" => job.id).set(due as f64);
        metrics::gauge!("spotter_jobs_oldest_due_seconds", "job" => job.id)
            .set(age as f64 / 1_000.0);
        Ok(due)
    }

    /// Sees an attempt through. One that breaks off, or takes too long, may have done its work.
    async fn attend(self, held: ClaimedJob) -> CompanyId {
        let (job, begun) = (self.worker.job(), Instant::now());
        let held_for = Duration::from_millis(job.retry_policy.lease_ms.unsigned_abs());
        let outcome = if held.is_spent(job) {
            Outcome::Unknown("whoever attempted it has gone without a word".to_owned())
        } else {
            let attempt = caught_async(self.worker.attempt(&held));
            match tokio::time::timeout(held_for.saturating_sub(MARGIN), attempt).await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(panic)) => {
                    tracing::error!(job = job.id, subject = %held.subject, %panic, "an attempt panicked");
                    Outcome::Unknown("the attempt broke off on our side".to_owned())
                }
                Err(_) => Outcome::Unknown("the attempt took too long".to_owned()),
            }
        };
        metrics::counter!("spotter_job_attempts_total", "job" => job.id, "outcome" => outcome.word())
            .increment(1);
        metrics::histogram!("spotter_job_attempt_seconds", "job" => job.id).record(begun.elapsed());
        if let Some(error) = outcome.error() {
            tracing::warn!(job = job.id, subject = %held.subject, error, "a job is not done");
        }
        while begun.elapsed() < held_for {
            let (env, kept, submitted) = (self.env.clone(), held.clone(), outcome.clone());
            let settled =
                self.db.write(move |tx| jobs::finish(tx, &env, job, &kept, &submitted)).await;
            match settled {
                Ok(_) => break,
                Err(problem) => {
                    tracing::warn!(job = job.id, %problem, "recording the result of a job failed");
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
        held.company
    }
}
