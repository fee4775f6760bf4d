//! The delivery engine: finds due deliveries, claims them, sends them, and records the results.
//!
//! A commit that queued deliveries wakes the engine for their subscriptions; the [`backlog`](crate::backlog) finds
//! all others: retries, deliveries of dead nodes, and what a restart left. Several processes may run one over the
//! same database.

use std::{
    collections::{BTreeSet, HashMap},
    pin::pin,
    time::{Duration, Instant},
};

use spotter_contract::{Env, Timer};
use spotter_kernel::{Id, Result, panics::caught_async};
use spotter_store::{Db, Signal};
use tokio::{
    sync::mpsc::{self, Receiver, Sender as Channel},
    task::JoinSet,
};

use crate::{
    backlog::{self, DueSubscriptions},
    completions,
    permits::Permits,
    queue::{
        self, ClaimRequest, ClaimedDelivery, Claims, CompletedAttempt, DeliveryLease, RETRY_POLICY,
    },
    sender::{AttemptOutcome, AttemptRecord, Sender},
};

/// Most subscriptions that one transaction claims for.
const SUBSCRIPTIONS_MAX: usize = 16;
/// Most subscriptions whose health is read at once.
const STANDINGS_MAX: usize = 256;
/// How long a busy engine lets permits come back before it claims again.
const PACE: Duration = Duration::from_millis(2);
/// How long the engine waits when it could not claim.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
/// How often it is said that claims fail.
const WARNED_AFTER: Duration = Duration::from_secs(60);
/// How long an attempt is fresh: most targets answer within it, and to count one as waiting that
/// answers a little later does no harm.
const FRESH: Duration = Duration::from_millis(100);
/// An answer that takes longer counts as none when permits are shared out.
const SLOW: Duration = Duration::from_secs(5);
/// Pause before the engine restarts after a panic of its own.
const REST: Duration = Duration::from_secs(1);

/// What the engine works with.
#[derive(Clone)]
pub struct Engine {
    /// The database.
    pub db: Db,
    /// Clock, randomness, key.
    pub env: Env,
    /// What makes attempts.
    pub sender: Sender,
    /// Attempts that may be fresh at once.
    pub concurrency: u32,
    /// Attempts that may be under way beside them, waiting for an answer.
    pub waiting: u32,
    /// The timer that alerts about a subscription after the last attempt of a delivery failed.
    pub alert: Option<&'static Timer>,
}

/// A message of an attempt to the main loop.
enum EngineEvent {
    /// It is not fresh any more.
    Waits { of: Signal, delivery: Id },
    /// It has ended.
    Ended { of: Signal, delivery: Id, answered: bool },
}

/// An attempt under way.
struct RunningAttempt {
    hold: DeliveryLease,
    waits: bool,
}

impl Engine {
    /// Runs until the stop resolves; then waits so long for the attempts that are under way, and
    /// gives back those that take longer. Should it panic, what it held is taken over when its leases
    /// run out, as if the process had died.
    pub async fn run(self, stop: impl Future<Output = ()>, retry_policy: Duration) {
        let mut stop = pin!(stop);
        loop {
            match caught_async(self.clone().run_once(&mut stop, retry_policy)).await {
                Ok(()) => return,
                Err(panic) => tracing::error!(%panic, "the delivery engine panicked and restarts"),
            }
            tokio::time::sleep(REST).await;
        }
    }

    async fn run_once(self, stop: impl Future<Output = ()> + Unpin, retry_policy: Duration) {
        let (completions, to_write) = mpsc::channel(completions::QUEUE);
        let writer = completions::write(self.db.clone(), self.env.clone(), self.alert, to_write);
        let writer = tokio::spawn(writer);
        let (seen, found) = mpsc::channel(4);
        let mut scouts = JoinSet::new();
        scouts.spawn(backlog::run(self.db.clone(), self.env.clone(), seen));
        let (result, hears) = mpsc::channel(self.concurrency as usize);
        let mut work = EngineState {
            permits: Permits::new(self.concurrency, self.waiting),
            busy: BTreeSet::new(),
            prompt: BTreeSet::new(),
            retrying: BTreeSet::new(),
            last: None,
            held: HashMap::new(),
            cautious: 0,
            warned: None,
            attempts: JoinSet::new(),
            completions,
            events: result,
            engine: self,
        };
        let left = work.run(stop, hears, found, retry_policy).await;
        drop(scouts);
        let EngineState { engine, completions, attempts, .. } = work;
        drop(attempts);
        drop(completions);
        writer.await.ok();
        if !left.is_empty() {
            tracing::warn!(deliveries = left.len(), "attempts were in progress at shutdown");
            let now = engine.env.clock.now();
            engine.db.write_rows(move |tx| queue::release(tx, &left, now)).await.ok();
        }
    }
}

/// The state of the main loop.
struct EngineState {
    engine: Engine,
    permits: Permits,
    /// Subscriptions that may have deliveries that are due.
    busy: BTreeSet<Signal>,
    /// Those that a commit of this process has just signalled.
    prompt: BTreeSet<Signal>,
    /// Those from the backlog, whose retries may be due.
    retrying: BTreeSet<Signal>,
    /// The last waiting subscription that had a turn; the next round begins after it.
    last: Option<Signal>,
    held: HashMap<Id, RunningAttempt>,
    /// Rounds after a failure that claim for one subscription only, so that one whose deliveries cannot be claimed
    /// does not block the others.
    cautious: usize,
    /// When it was last said that claims fail.
    warned: Option<Instant>,
    attempts: JoinSet<()>,
    completions: Channel<CompletedAttempt>,
    events: Channel<EngineEvent>,
}

impl EngineState {
    /// The main loop; returns what is still claimed when the time after the stop has run out.
    async fn run(
        &mut self,
        mut stop: impl Future<Output = ()> + Unpin,
        mut hears: Receiver<EngineEvent>,
        mut seen: Receiver<DueSubscriptions>,
        retry_policy: Duration,
    ) -> Vec<DeliveryLease> {
        let signals = self.engine.db.signals();
        let mut more = false;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break,
                // Many small claims would cost more than the moment that gathers them.
                () = tokio::time::sleep(PACE), if more => {}
                Some(result) = hears.recv(), if !more => self.apply(&result),
                Some(found) = seen.recv(), if !more => self.look_at(&found),
                () = signals.next_signal(), if !more => {}
            }
            while let Ok(result) = hears.try_recv() {
                self.apply(&result);
            }
            while let Ok(found) = seen.try_recv() {
                self.look_at(&found);
            }
            while self.attempts.try_join_next().is_some() {}
            let output = signals.take();
            self.busy.extend(&output);
            self.prompt.extend(output);
            self.learn().await;
            self.claim().await;
            more = self.busy.iter().any(|of| self.permits.free(*of) > 0);
        }
        let waited = async {
            while !self.held.is_empty() {
                match hears.recv().await {
                    Some(result) => self.apply(&result),
                    None => break,
                }
            }
        };
        tokio::time::timeout(retry_policy, waited).await.ok();
        self.attempts.abort_all();
        self.held.values().map(|under_way| under_way.hold).collect()
    }

    fn look_at(&mut self, found: &DueSubscriptions) {
        self.busy.extend(found);
        self.retrying.extend(found);
        self.permits.forget_idle();
    }

    fn apply(&mut self, result: &EngineEvent) {
        match *result {
            EngineEvent::Waits { of, delivery } => {
                if let Some(under_way) = self.held.get_mut(&delivery) {
                    under_way.waits = self.permits.waits(of);
                }
            }
            EngineEvent::Ended { of, delivery, answered } => {
                if let Some(under_way) = self.held.remove(&delivery) {
                    self.permits.give_back(of, under_way.waits, answered);
                }
            }
        }
    }

    /// Reads the health of targets that are not known here.
    async fn learn(&mut self) {
        let news = self.busy.iter().filter(|of| !self.permits.knows(**of));
        let news: Vec<Signal> = news.take(STANDINGS_MAX).copied().collect();
        if news.is_empty() {
            return;
        }
        let newcomers = news.clone();
        match self.engine.db.read(move |tx| queue::target_health(tx, &newcomers)).await {
            Ok(states) => {
                news.into_iter().zip(states).for_each(|(of, how)| self.permits.learn(of, how));
            }
            // They are taken for new ones meanwhile.
            Err(problem) => tracing::warn!(%problem, "reading the health of targets failed"),
        }
    }

    /// The subscriptions of this round, with how many attempts each may begin: signalled ones go before waiting ones,
    /// and leave them half of the turns.
    fn claim_requests(&mut self) -> Vec<ClaimRequest> {
        let after = self.last.map(|last| {
            self.busy.range((std::ops::Bound::Excluded(last), std::ops::Bound::Unbounded))
        });
        let first: Vec<Signal> = after.into_iter().flatten().copied().collect();
        let then = self.busy.iter().filter(|of| self.last.is_none_or(|last| **of <= last));
        let order: Vec<Signal> = first.into_iter().chain(then.copied()).collect();
        let most = if self.cautious > 0 { 1 } else { SUBSCRIPTIONS_MAX };
        self.cautious = self.cautious.saturating_sub(1);
        let mut turns = Vec::new();
        for of in self.prompt.clone() {
            if turns.len() < most.div_ceil(2) {
                turns.extend(self.claim_request(of));
            }
        }
        for of in order {
            if turns.len() == most {
                break;
            }
            if let Some(turn) = self.claim_request(of) {
                turns.push(turn);
                self.last = Some(of);
            }
        }
        turns
    }

    /// A turn of a subscription, if it may begin attempts now.
    fn claim_request(&mut self, of: Signal) -> Option<ClaimRequest> {
        let most = Some(self.permits.free(of)).filter(|free| *free > 0)?;
        self.permits.take(of, most);
        self.prompt.remove(&of);
        Some(ClaimRequest { of, most, retries: self.retrying.contains(&of) })
    }

    /// Claims deliveries of this round and begins their attempts.
    async fn claim(&mut self) {
        let turns = self.claim_requests();
        if turns.is_empty() {
            return;
        }
        let (env, wanted) = (self.engine.env.clone(), turns.clone());
        let claimed = self.engine.db.write_rows(move |tx| {
            let lease = RETRY_POLICY.lease(&env);
            let each = wanted.iter().map(|turn| queue::claim(tx, &env, lease, *turn));
            each.collect::<Result<Vec<Claims>>>()
        });
        match claimed.await {
            Ok(all) => {
                for (turn, claims) in turns.into_iter().zip(all) {
                    self.start_attempts(turn, claims);
                }
            }
            Err(problem) => {
                // As long as a server of a cluster is away it fails again and again for the companies there.
                if self.warned.is_none_or(|at| at.elapsed() > WARNED_AFTER) {
                    self.warned = Some(Instant::now());
                    tracing::warn!(%problem, "claiming deliveries fails; it is tried again and again");
                }
                for turn in turns {
                    self.permits.put_back(turn.of, turn.most);
                }
                self.cautious = 2 * SUBSCRIPTIONS_MAX;
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    }

    fn start_attempts(&mut self, turn: ClaimRequest, claims: Claims) {
        let ClaimRequest { of, most, retries } = turn;
        self.permits.put_back(of, most - claims.claimed.len() as u32);
        if claims.found < most {
            self.busy.remove(&of);
            self.prompt.remove(&of);
            if retries {
                self.retrying.remove(&of);
            }
        }
        if claims.lost > 0 {
            metrics::counter!("spotter_webhooks_leases_lost_total").increment(claims.lost.into());
        }
        for claimed in claims.claimed {
            let (delivery, hold) = (claimed.delivery_id, claimed.hold());
            self.held.insert(delivery, RunningAttempt { hold, waits: false });
            let (engine, completions) = (self.engine.clone(), self.completions.clone());
            self.attempts.spawn(attend(engine, claimed, completions, self.events.clone()));
        }
    }
}

/// Runs an attempt and reports its result; one that panics has failed like any other.
async fn attend(
    engine: Engine,
    claimed: ClaimedDelivery,
    completions: Channel<CompletedAttempt>,
    result: Channel<EngineEvent>,
) {
    let (of, delivery) = (claimed.of, claimed.delivery_id);
    let (at, begun) = (engine.env.clock.now(), Instant::now());
    if claimed.attempts == 0 {
        let waited = (at.millis() - claimed.occurred_at.millis()).max(0) as f64 / 1_000.0;
        metrics::histogram!("spotter_webhooks_first_attempt_seconds").record(waited);
    }
    let attempted = {
        // Receivers compare the signature's time with their own.
        let signed_at = engine.env.wall_clock.now().seconds();
        let mut attempt = pin!(caught_async(engine.sender.send(&claimed.outgoing, signed_at)));
        let attempted = tokio::select! {
            attempted = &mut attempt => attempted,
            () = tokio::time::sleep(FRESH) => {
                result.send(EngineEvent::Waits { of, delivery }).await.ok();
                attempt.await
            }
        };
        attempted.unwrap_or_else(|panic| {
            let event = &claimed.outgoing.event;
            tracing::error!(%panic, %delivery, %event, "an attempt panicked; it counts as failed");
            AttemptRecord::failed(AttemptOutcome::Broken, "the attempt broke off on our side")
        })
    };
    let took = begun.elapsed();
    let verdict = attempted.verdict;
    metrics::counter!("spotter_webhooks_attempts_total", "outcome" => verdict.word()).increment(1);
    if verdict == AttemptOutcome::Blocked {
        metrics::counter!("spotter_webhooks_targets_blocked_total").increment(1);
    }
    let answered =
        matches!(verdict, AttemptOutcome::Delivered | AttemptOutcome::Refused) && took < SLOW;
    let duration_ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
    completions.send(CompletedAttempt { claimed, attempted, at, duration_ms }).await.ok();
    result.send(EngineEvent::Ended { of, delivery, answered }).await.ok();
}
