//! The backlog: finds due deliveries of any process, and measures how many there are.
//!
//! When a retry of this process is due, and every few seconds, it reads what has become due since the last time, which
//! costs as much as there is; from time to time it reads every unfinished delivery, so that nothing is missed whatever
//! the clocks and commits of other nodes do.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use spotter_contract::Env;
use spotter_kernel::{Result, Timestamp, panics::caught_async, secret::EnvironmentMode};
use spotter_store::{Checks, Db, Signal, Tx};
use tokio::sync::mpsc::Sender;

use crate::queue;

/// How often the scout checks whether a retry is due, which asks the database nothing.
const SCOUTING: Duration = Duration::from_secs(1);
/// Number of those checks after which it looks around in any case.
const CHECKS_BETWEEN: u32 = 5;
/// How often it reads every unfinished delivery.
const COMPLETE_LOOK: Duration = Duration::from_secs(30);
/// How far back a look goes behind the one before: a commit may come so much later than its instant.
const OVERLAP_MS: i64 = 10_000;
/// Most subscriptions with unfinished deliveries per transaction.
const LOOKED_AT_MAX: usize = 256;

/// Subscriptions that may have deliveries that are due.
pub(crate) type DueSubscriptions = BTreeSet<Signal>;

/// Runs until the receiver is closed.
pub(crate) async fn run(db: Db, env: Env, seen: Sender<DueSubscriptions>) {
    let mut ticks = tokio::time::interval(SCOUTING);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut checks, signals) = (Checks::new(queue::QUEUE, CHECKS_BETWEEN), db.signals());
    let mut since = None;
    let mut complete_look = Instant::now();
    while !seen.is_closed() {
        ticks.tick().await;
        let now = env.clock.now();
        if !checks.is_due(signals.agenda(), now) {
            continue;
        }
        let from = since.filter(|_| complete_look.elapsed() < COMPLETE_LOOK);
        let looked = caught_async(read_backlog(&db, &env, from, &seen)).await;
        match looked {
            Ok(Ok(())) => {
                if from.is_none() {
                    complete_look = Instant::now();
                }
                since = Some(now);
            }
            Ok(Err(problem)) => tracing::warn!(%problem, "looking for due deliveries failed"),
            Err(panic) => tracing::error!(%panic, "looking for due deliveries failed"),
        }
    }
}

async fn read_backlog(
    db: &Db,
    env: &Env,
    since: Option<Timestamp>,
    seen: &Sender<DueSubscriptions>,
) -> Result<()> {
    let (now, mode) = (env.clock.now(), env.mode);
    let read = move |tx: &mut Tx<'_>| {
        if mode == EnvironmentMode::Live && !tx.is_server_away()? {
            measure(queue::past_due(tx, now)?, now);
        }
        match since.map(|since| since.plus_millis(-OVERLAP_MS)) {
            Some(since) => queue::became_due(tx, since, now),
            None => Ok(None),
        }
    };
    match db.read(read).await? {
        Some(found) if found.is_empty() => {}
        Some(found) => drop(seen.send(found).await),
        None => look_at_all(db, seen).await?,
    }
    Ok(())
}

async fn look_at_all(db: &Db, seen: &Sender<DueSubscriptions>) -> Result<()> {
    let mut after = None;
    loop {
        let found = db.read(move |tx| queue::unfinished(tx, after, LOOKED_AT_MAX)).await?;
        after = found.last().copied();
        let whole = found.len() < LOOKED_AT_MAX;
        if !found.is_empty() && seen.send(found).await.is_err() || whole {
            return Ok(());
        }
    }
}

fn measure((due, oldest): (i64, Option<Timestamp>), now: Timestamp) {
    let age = oldest.map_or(0, |since| now.millis() - since.millis());
    metrics::gauge!("spotter_webhooks_past_due").set(due as f64);
    metrics::gauge!("spotter_webhooks_oldest_due_seconds").set(age as f64 / 1_000.0);
}
