//! What the process does beside serving: forgetting what has expired, and adding up totals and
//! metrics.

use std::{future::Future, time::Duration};

use metrics_exporter_prometheus::PrometheusHandle;
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
pub(crate) async fn run(
    db: Db,
    env: Env,
    files: Files,
    metrics: Option<PrometheusHandle>,
    webhook_retention_days: i64,
) {
    tokio::join!(
        every(2, || db.fold_tallies()),
        every(5, || condense(metrics.as_ref())),
        every(60, || prune_expired(&db, &env)),
        every(60, || sweep_files(&db, &files, env.clock.now())),
        every(600, || forget_webhooks(&db, &env, webhook_retention_days)),
    );
}

async fn every<F: Future<Output = Result<()>>>(seconds: u64, job: impl Fn() -> F) {
    let mut ticks = tokio::time::interval(Duration::from_secs(seconds));
    loop {
        ticks.tick().await;
        if let Err(problem) = job().await {
            tracing::warn!(%problem, "a background job failed; it will run again");
        }
    }
}

/// Adds what was measured to the metrics' buckets: every single measurement is kept until then,
/// and nobody may ever ask for /metrics.
async fn condense(metrics: Option<&PrometheusHandle>) -> Result<()> {
    metrics.inspect(|handle| handle.run_upkeep());
    Ok(())
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
