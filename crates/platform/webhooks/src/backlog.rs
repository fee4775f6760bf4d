//! The scout: looks for deliveries that are due, whoever left them, and measures the backlog.
//!
//! Every second it asks for what has become due since it last looked, which costs as much as there is;
//! now and then it looks at every unfinished delivery, so that nothing is missed whatever the clocks
//! and commits of other nodes do.

use std::{collections::BTreeSet, time::Duration};

use spotter_contract::Env;
use spotter_kernel::{Result, Timestamp, panics::caught_async};
use spotter_store::{Db, Signal};
use tokio::sync::mpsc::Sender;

use crate::queue;

/// How often the scout looks around.
const SCOUTING: Duration = Duration::from_secs(1);
/// As many looks later it looks at everything.
const LOOKS_BETWEEN: u32 = 30;
/// How far back a look goes behind the one before: a commit may come so much later than its instant.
const OVERLAP_MS: i64 = 10_000;
/// Most subscriptions with unfinished deliveries that are looked at in one transaction.
const LOOKED_AT_MAX: usize = 256;

/// Subscriptions that may have deliveries that are due.
pub(crate) type DueSubscriptions = BTreeSet<Signal>;

/// Looks around until nobody listens.
pub(crate) async fn run(db: Db, env: Env, seen: Sender<DueSubscriptions>) {
    let mut ticks = tokio::time::interval(SCOUTING);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut looks, mut since) = (0u32, None);
    while !seen.is_closed() {
        ticks.tick().await;
        let now = env.clock.now();
        let from = since.filter(|_| !looks.is_multiple_of(LOOKS_BETWEEN));
        let looked = caught_async(look(&db, from, now, &seen)).await;
        match looked {
            Ok(Ok(())) => (looks, since) = (looks.wrapping_add(1), Some(now)),
            Ok(Err(problem)) => tracing::warn!(%problem, "looking for due deliveries failed"),
            Err(panic) => tracing::error!(%panic, "looking for due deliveries failed"),
        }
    }
}

async fn look(
    db: &Db,
    since: Option<Timestamp>,
    now: Timestamp,
    seen: &Sender<DueSubscriptions>,
) -> Result<()> {
    measure(db, now).await?;
    let became = match since {
        Some(since) => {
            let since = since.plus_millis(-OVERLAP_MS);
            db.read(move |tx| queue::became_due(tx, since, now)).await?
        }
        None => None,
    };
    match became {
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

async fn measure(db: &Db, now: Timestamp) -> Result<()> {
    let (due, oldest) = db.read(move |tx| queue::past_due(tx, now)).await?;
    let age = oldest.map_or(0, |since| now.millis() - since.millis());
    metrics::gauge!("spotter_webhooks_past_due").set(due as f64);
    metrics::gauge!("spotter_webhooks_oldest_due_seconds").set(age as f64 / 1_000.0);
    Ok(())
}
