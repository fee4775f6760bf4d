//! Writing down what came of attempts, many at a time.

use std::{sync::Arc, time::Duration};

use spotter_contract::{Env, Timer};
use spotter_kernel::{Problem, Result};
use spotter_store::Db;
use tokio::sync::mpsc::Receiver;

use crate::queue::{self, CompletedAttempt};

/// Most attempts that one transaction completes.
const TOGETHER_MAX: usize = 64;
/// Completions that may wait to be written down.
pub(crate) const QUEUE: usize = 4 * TOGETHER_MAX;
/// How long completions are gathered.
const GATHERING: Duration = Duration::from_millis(2);
/// How often completions are tried before their leases are left to run out.
const TRIES: u32 = 4;

/// Writes completions in batches until the sender is closed.
pub(crate) async fn write(
    db: Db,
    env: Env,
    alert: Option<&'static Timer>,
    mut completions: Receiver<CompletedAttempt>,
) {
    let mut batch = Vec::with_capacity(TOGETHER_MAX);
    while completions.recv_many(&mut batch, TOGETHER_MAX).await > 0 {
        if batch.len() < TOGETHER_MAX {
            tokio::time::sleep(GATHERING).await;
            while batch.len() < TOGETHER_MAX
                && let Ok(completed) = completions.try_recv()
            {
                batch.push(completed);
            }
        }
        let done: Arc<[CompletedAttempt]> = std::mem::take(&mut batch).into();
        if write_batch(&db, &env, alert, &done).await.is_ok() {
            continue;
        }
        // One that cannot be written down must not keep the others from it.
        for one in done.iter().cloned() {
            let delivery = one.claimed.delivery_id;
            if let Err(problem) = write_batch(&db, &env, alert, &Arc::from([one])).await {
                tracing::error!(%problem, %delivery, "an attempt could not be written down; \
                    it will be made again");
            }
        }
    }
}

async fn write_batch(
    db: &Db,
    env: &Env,
    alert: Option<&'static Timer>,
    done: &Arc<[CompletedAttempt]>,
) -> Result<()> {
    let mut outcome = Err(Problem::overloaded());
    for attempt in 0..TRIES {
        if attempt > 0 {
            tokio::time::sleep(Duration::from_millis(20 << attempt)).await;
        }
        let (done, now) = (done.clone(), env.clock.now());
        outcome = db.write_rows(move |tx| queue::complete(tx, &done, alert, now)).await;
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
