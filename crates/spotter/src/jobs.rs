//! What the process does beside serving: forgetting what has expired, and adding up totals.

use std::time::Duration;

use spotter_areas::{
    access::{accounts, sessions, tokens},
    live, mcp, uploads,
};
use spotter_contract::{Env, idempotency};
use spotter_files::Files;
use spotter_kernel::{Problem, Result, Timestamp};
use spotter_store::Db;
use spotter_webhooks::retention;

/// The most rows of a kind that one step deletes.
const STEP: u64 = 500;

/// How long a job rests after a step that was full, so that requests hardly notice it.
const REST: Duration = Duration::from_millis(50);

/// Runs until the process ends.
pub(crate) async fn run(db: Db, env: Env, files: Files, webhook_retention_days: i64) {
    let ticks = |seconds| tokio::time::interval(Duration::from_secs(seconds));
    let (mut fold, mut prune, mut forget) = (ticks(2), ticks(60), ticks(600));
    let mut sweep = ticks(60);
    let folding = async {
        loop {
            fold.tick().await;
            report(db.fold_tallies().await);
        }
    };
    let pruning = async {
        loop {
            prune.tick().await;
            report(prune_expired(&db, &env).await);
        }
    };
    let forgetting = async {
        loop {
            forget.tick().await;
            report(forget_webhooks(&db, &env, webhook_retention_days).await);
        }
    };
    let sweeping = async {
        loop {
            sweep.tick().await;
            report(sweep_files(&db, &files, env.clock.now()).await);
        }
    };
    tokio::join!(folding, pruning, forgetting, sweeping);
}

fn report(done: Result<()>) {
    if let Err(problem) = done {
        tracing::warn!(%problem, "a background job failed; it will run again");
    }
}

/// Deletes the files that nobody uses any more: first the bytes, then what is known of them, so that
/// a sweep that is interrupted goes on with the next.
pub(crate) async fn sweep_files(db: &Db, files: &Files, now: Timestamp) -> Result<()> {
    loop {
        let expired = db.read(move |tx| uploads::expired(tx, now)).await?;
        for stored in &expired {
            files.delete(&stored.key()).await.map_err(Problem::internal)?;
        }
        let (count, gone) = (expired.len() as i64, expired);
        db.write(move |tx| gone.iter().try_for_each(|stored| uploads::forget(tx, *stored))).await?;
        if count < uploads::SWEEP {
            return Ok(());
        }
        tokio::time::sleep(REST).await;
    }
}

async fn forget_webhooks(db: &Db, env: &Env, retention_days: i64) -> Result<()> {
    let before = env.clock.now().plus_days(-retention_days);
    let mut at = None;
    while let Some(company) = db.read(move |tx| retention::next_company(tx, at)).await? {
        while db.write(move |tx| retention::prune(tx, company, before)).await? >= retention::STEP {
            tokio::time::sleep(REST).await;
        }
        at = Some(company);
    }
    Ok(())
}

async fn prune_expired(db: &Db, env: &Env) -> Result<()> {
    let prunes = [
        tokens::prune,
        sessions::prune,
        accounts::prune,
        idempotency::prune,
        live::prune,
        mcp::registration::prune,
        mcp::consent::prune,
        mcp::tokens::prune,
    ];
    for prune in prunes {
        let clock = env.clock.clone();
        loop {
            let clock = clock.clone();
            let gone = db.write(move |tx| prune(tx, clock.now())).await?;
            if gone < STEP {
                break;
            }
            tokio::time::sleep(REST).await;
        }
    }
    Ok(())
}
