//! The delivery engine: finds what is due, holds it, sends it, and writes down what came of it.
//!
//! A commit that queued deliveries wakes the engine for their subscriptions; once a second a scout
//! looks for all others: retries, deliveries of nodes that died, and what was left by a restart.
//! Several processes may run one over the same database.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use spotter_contract::Env;
use spotter_kernel::{Id, Problem, Result};
use spotter_store::{Db, Signal};
use tokio::{
    sync::mpsc::{self, Receiver, Sender as Channel},
    task::JoinSet,
};

use crate::{
    permits::Permits,
    queue::{self, Backlog, Claimed, Claims, Completed, Hold, Lease, Turn},
    sender::{Sender, Verdict},
};

/// Most subscriptions that one transaction claims for.
const SUBSCRIPTIONS_MAX: usize = 16;
/// Most attempts that one transaction completes.
const COMPLETIONS_MAX: usize = 64;
/// How long completions are gathered.
const GATHERING: Duration = Duration::from_millis(2);
/// How long a busy engine lets permits come back before it claims again.
const PACE: Duration = Duration::from_millis(2);
/// How long the engine waits when it could not claim.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
/// How often the scout looks around.
const SCOUTING: Duration = Duration::from_secs(1);
/// Most subscriptions with unfinished deliveries that the scout looks at in one transaction.
const SCOUTED_MAX: usize = 256;
/// An answer that takes longer counts as none when permits are shared out.
const SLOW: Duration = Duration::from_secs(5);
/// How often completions are tried before their leases are left to run out.
const COMPLETION_TRIES: u32 = 4;
/// Most subscriptions whose share is remembered while they are idle.
const SHARES_MAX: usize = 10_000;

/// What the engine works with.
#[derive(Clone)]
pub struct Engine {
    /// The database.
    pub db: Db,
    /// Clock, randomness, key.
    pub env: Env,
    /// What makes attempts.
    pub sender: Sender,
    /// Attempts that may be under way at once.
    pub concurrency: u32,
}

/// An attempt that has ended, as the main loop hears of it.
struct Ended {
    of: Signal,
    delivery: Id,
    answered: bool,
}

impl Engine {
    /// Runs until the stop resolves; then waits so long for the attempts that are under way, and
    /// gives back those that take longer.
    pub async fn run(self, stop: impl Future<Output = ()>, patience: Duration) {
        let (completions, to_write) = mpsc::channel(4 * COMPLETIONS_MAX);
        let writer = tokio::spawn(write_completions(self.db.clone(), self.env.clone(), to_write));
        let (seen, backlogs) = mpsc::channel(4);
        let scout = tokio::spawn(scout(self.db.clone(), self.env.clone(), seen));
        let (ended, ends) = mpsc::channel(self.concurrency as usize);
        let mut work = Work {
            permits: Permits::new(self.concurrency),
            busy: BTreeSet::new(),
            retrying: BTreeSet::new(),
            last: None,
            held: HashMap::new(),
            cautious: 0,
            attempts: JoinSet::new(),
            completions,
            ended,
            engine: self,
        };
        let left = work.run(stop, ends, backlogs, patience).await;
        scout.abort();
        let Work { engine, completions, attempts, .. } = work;
        drop(attempts);
        drop(completions);
        writer.await.ok();
        if !left.is_empty() {
            tracing::warn!(deliveries = left.len(), "attempts were still under way at the stop");
            let now = engine.env.clock.now();
            engine.db.write_rows(move |tx| queue::release(tx, &left, now)).await.ok();
        }
    }
}

/// The state of the main loop.
struct Work {
    engine: Engine,
    permits: Permits,
    /// Subscriptions that may have deliveries that are due.
    busy: BTreeSet<Signal>,
    /// Those of them that the scout saw, whose retries may be due.
    retrying: BTreeSet<Signal>,
    /// The subscription that was claimed for last; the next round begins after it.
    last: Option<Signal>,
    held: HashMap<Id, Hold>,
    /// After a failure, so many rounds claim for one subscription alone, so that one whose
    /// deliveries cannot be claimed does not keep the others from theirs.
    cautious: usize,
    attempts: JoinSet<()>,
    completions: Channel<Completed>,
    ended: Channel<Ended>,
}

impl Work {
    /// The main loop; returns what is still held when patience has run out after the stop.
    async fn run(
        &mut self,
        stop: impl Future<Output = ()>,
        mut ends: Receiver<Ended>,
        mut backlogs: Receiver<Vec<Backlog>>,
        patience: Duration,
    ) -> Vec<Hold> {
        let signals = self.engine.db.signals();
        let mut stop = std::pin::pin!(stop);
        let mut more = false;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break,
                // Many small claims would cost more than the moment that gathers them.
                () = tokio::time::sleep(PACE), if more => {}
                Some(ended) = ends.recv(), if !more => self.end(&ended),
                Some(found) = backlogs.recv(), if !more => self.look_at(&found),
                () = signals.heard(), if !more => {}
            }
            while let Ok(ended) = ends.try_recv() {
                self.end(&ended);
            }
            while let Ok(found) = backlogs.try_recv() {
                self.look_at(&found);
            }
            while self.attempts.try_join_next().is_some() {}
            self.busy.extend(signals.take());
            self.claim().await;
            more = self.busy.iter().any(|of| self.permits.free(*of) > 0);
        }
        let waited = async {
            while !self.held.is_empty() {
                match ends.recv().await {
                    Some(ended) => self.end(&ended),
                    None => break,
                }
            }
        };
        tokio::time::timeout(patience, waited).await.ok();
        self.attempts.abort_all();
        self.held.values().copied().collect()
    }

    fn look_at(&mut self, found: &[Backlog]) {
        self.busy.extend(found.iter().map(|backlog| backlog.of));
        self.retrying.extend(found.iter().map(|backlog| backlog.of));
        self.permits.forget_idle(SHARES_MAX);
    }

    fn end(&mut self, ended: &Ended) {
        self.permits.give_back(ended.of, ended.answered);
        self.held.remove(&ended.delivery);
    }

    /// The subscriptions whose turn it is, with how many attempts each may begin.
    fn turns(&mut self) -> Vec<Turn> {
        let after = self.last.map(|last| {
            self.busy.range((std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded))
        });
        let first: Vec<Signal> = after.into_iter().flatten().copied().collect();
        let then = self.busy.iter().filter(|of| self.last.is_none_or(|last| **of <= last));
        let order: Vec<Signal> = first.into_iter().chain(then.copied()).collect();
        let mut turns = Vec::new();
        let most = if self.cautious > 0 { 1 } else { SUBSCRIPTIONS_MAX };
        self.cautious = self.cautious.saturating_sub(1);
        for of in order {
            let free = self.permits.free(of);
            if free > 0 {
                self.permits.take(of, free);
                turns.push(Turn { of, most: free, retries: self.retrying.contains(&of) });
            }
            if turns.len() == most {
                break;
            }
        }
        turns
    }

    /// Claims for those whose turn it is and begins their attempts.
    async fn claim(&mut self) {
        let turns = self.turns();
        let Some(last) = turns.last() else { return };
        self.last = Some(last.of);
        let (env, wanted) = (self.engine.env.clone(), turns.clone());
        let claimed = self.engine.db.write_rows(move |tx| {
            let lease = Lease::new(&env);
            let each = wanted.iter().map(|turn| queue::claim(tx, &env, lease, *turn));
            each.collect::<Result<Vec<Claims>>>()
        });
        match claimed.await {
            Ok(all) => {
                for (turn, claims) in turns.into_iter().zip(all) {
                    self.begin(turn, claims);
                }
            }
            Err(problem) => {
                tracing::warn!(%problem, "deliveries could not be claimed; trying again");
                for turn in turns {
                    self.permits.put_back(turn.of, turn.most);
                }
                self.cautious = 2 * SUBSCRIPTIONS_MAX;
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    }

    fn begin(&mut self, turn: Turn, claims: Claims) {
        let Turn { of, most, retries } = turn;
        self.permits.put_back(of, most - claims.claimed.len() as u32);
        if claims.found < most {
            self.busy.remove(&of);
            if retries {
                self.retrying.remove(&of);
            }
        }
        if claims.lost > 0 {
            metrics::counter!("spotter_webhooks_leases_lost_total").increment(claims.lost.into());
        }
        for claimed in claims.claimed {
            self.held.insert(claimed.delivery_id, claimed.hold());
            let (engine, completions) = (self.engine.clone(), self.completions.clone());
            let ended = self.ended.clone();
            self.attempts.spawn(async move {
                let (of, delivery) = (claimed.of, claimed.delivery_id);
                let (completed, answered) = attempt(&engine, claimed).await;
                completions.send(completed).await.ok();
                ended.send(Ended { of, delivery, answered }).await.ok();
            });
        }
    }
}

/// Makes an attempt; its record, and whether the target answered in time.
async fn attempt(engine: &Engine, claimed: Claimed) -> (Completed, bool) {
    let at = engine.env.clock.now();
    if claimed.attempts == 0 {
        let waited = (at.millis() - claimed.occurred_at.millis()).max(0) as f64 / 1_000.0;
        metrics::histogram!("spotter_webhooks_first_attempt_seconds").record(waited);
    }
    let begun = Instant::now();
    let attempted = engine.sender.send(&claimed.outgoing, at.seconds()).await;
    let took = begun.elapsed();
    let verdict = attempted.verdict;
    metrics::counter!("spotter_webhooks_attempts_total", "outcome" => verdict.word()).increment(1);
    if verdict == Verdict::Blocked {
        metrics::counter!("spotter_webhooks_targets_blocked_total").increment(1);
    }
    let answered = matches!(verdict, Verdict::Delivered | Verdict::Refused) && took < SLOW;
    let duration_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
    (Completed { claimed, attempted, at, duration_ms }, answered)
}

/// Writes completions in batches until nobody sends any.
async fn write_completions(db: Db, env: Env, mut completions: Receiver<Completed>) {
    let mut batch = Vec::with_capacity(COMPLETIONS_MAX);
    while completions.recv_many(&mut batch, COMPLETIONS_MAX).await > 0 {
        if batch.len() < COMPLETIONS_MAX {
            tokio::time::sleep(GATHERING).await;
            while batch.len() < COMPLETIONS_MAX
                && let Ok(completed) = completions.try_recv()
            {
                batch.push(completed);
            }
        }
        let done: Arc<[Completed]> = std::mem::take(&mut batch).into();
        if write_batch(&db, &env, &done).await.is_ok() {
            continue;
        }
        // One that cannot be written down must not keep the others from it.
        for one in done.iter().cloned() {
            let delivery = one.claimed.delivery_id;
            if let Err(problem) = write_batch(&db, &env, &Arc::from([one])).await {
                tracing::error!(%problem, %delivery, "an attempt could not be written down; \
                    it will be made again");
            }
        }
    }
}

async fn write_batch(db: &Db, env: &Env, done: &Arc<[Completed]>) -> Result<()> {
    let mut outcome = Err(Problem::overloaded());
    for attempt in 0..COMPLETION_TRIES {
        if attempt > 0 {
            tokio::time::sleep(Duration::from_millis(20 << attempt)).await;
        }
        let (done, now) = (done.clone(), env.clock.now());
        outcome = db.write_rows(move |tx| queue::complete(tx, &done, now)).await;
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// Looks for deliveries that are due, whoever left them, and measures the backlog.
async fn scout(db: Db, env: Env, seen: Channel<Vec<Backlog>>) {
    let mut ticks = tokio::time::interval(SCOUTING);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (mut due, mut oldest, mut after) = (0, None, None);
        loop {
            let now = env.clock.now();
            let look = db.read(move |tx| queue::backlogs(tx, after, SCOUTED_MAX, now)).await;
            let (found, next) = match look {
                Ok(looked) => looked,
                Err(problem) => {
                    tracing::warn!(%problem, "due deliveries could not be looked for");
                    break;
                }
            };
            due += found.iter().map(|backlog| backlog.due).sum::<i64>();
            oldest = oldest.into_iter().chain(found.iter().map(|backlog| backlog.since)).min();
            if !found.is_empty() && seen.send(found).await.is_err() {
                return;
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
        let age = oldest.map_or(0, |since| env.clock.now().millis() - since.millis());
        metrics::gauge!("spotter_webhooks_past_due").set(due as f64);
        metrics::gauge!("spotter_webhooks_oldest_due_seconds").set(age as f64 / 1_000.0);
    }
}
