//! What each process does beside serving and beside what the table has done: adding up totals and
//! metrics, and deleting files and deliveries.

use std::{future::Future, time::Duration};

use metrics_exporter_prometheus::PrometheusHandle;
use spotter_access_control::retention as scans;
use spotter_company::{
    metrics,
    uploads::{self, StoredFile},
};
use spotter_contract::{Env, installation};
use spotter_files::Files;
use spotter_kernel::{Problem, Result, Timestamp, panics::caught_async};
use spotter_people::clients::{data_exports, search_terms};
use spotter_reports::recount;
use spotter_store::{Db, Tx};
use spotter_webhooks::retention;

use crate::machine::Machine;

/// How long it rests after a step that was full, so that requests hardly notice it.
const REST: Duration = Duration::from_millis(50);

/// Retention periods, in days.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention {
    /// Events and deliveries.
    pub webhook_days: i64,
    /// Who went through which door.
    pub access_log_days: i64,
}

/// Runs until the process ends.
pub(crate) async fn run(
    db: Db,
    env: Env,
    files: Files,
    metrics: Option<PrometheusHandle>,
    keeps: Retention,
    machine: Option<Machine>,
) {
    tokio::join!(
        attempt("find clients by what they are found by now", reindex(&db)),
        attempt("make reports of what was before", report(&db, &env)),
        every(2, "fold totals", || db.fold_tallies()),
        every(2, "fold metrics", || db.fold_metrics(metrics::TABLES)),
        every(5, "condense metrics", || condense(metrics.as_ref())),
        every(60, "sweep files", || with_all_servers(
            &db,
            sweep_files(&db, &files, env.wall_clock.now())
        )),
        every(60, "measure the machine", || measure(machine.as_ref(), &db)),
        every(600, "forget deliveries", || with_all_servers(
            &db,
            forget_webhooks(&db, &env, keeps.webhook_days)
        )),
        every(600, "forget scans", || with_all_servers(
            &db,
            forget_scans(&db, &env, keeps.access_log_days)
        )),
    );
}

async fn every<F: Future<Output = Result<()>>>(
    seconds: u64,
    work: &'static str,
    run: impl Fn() -> F,
) {
    let mut ticks = tokio::time::interval(Duration::from_secs(seconds));
    loop {
        ticks.tick().await;
        attempt(work, run()).await;
    }
}

/// Does what is about all companies, unless a server of a cluster is away.
async fn with_all_servers(db: &Db, work: impl Future<Output = Result<()>>) -> Result<()> {
    db.read(|tx| tx.need_all_servers()).await?;
    work.await
}

/// Runs a piece of background work; one that fails, or panics, is logged and keeps nothing else from
/// running.
async fn attempt(work: &'static str, done: impl Future<Output = Result<()>>) {
    match caught_async(done).await {
        Ok(Ok(())) => {}
        Ok(Err(problem)) => {
            tracing::warn!(work, %problem, "maintenance failed; it will be retried")
        }
        Err(panic) => tracing::error!(work, %panic, "maintenance failed; it will be retried"),
    }
}

/// Aggregates measurements into the metrics' buckets: until then each measurement is in memory, and /metrics may
/// never be read.
async fn condense(metrics: Option<&PrometheusHandle>) -> Result<()> {
    metrics.inspect(|handle| handle.run_upkeep());
    Ok(())
}

async fn measure(machine: Option<&Machine>, db: &Db) -> Result<()> {
    match machine {
        Some(machine) => machine.measure(db).await,
        None => Ok(()),
    }
}

/// Deletes unused files: first the bytes, then their records, so that an interrupted sweep continues with the next
/// one.
pub(crate) async fn sweep_files(db: &Db, files: &Files, now: Timestamp) -> Result<()> {
    let [sent, exports] = [
        (uploads::expired as FindExpired, uploads::forget as ForgetFile),
        (data_exports::expired, data_exports::forget),
    ];
    for (expired, forget) in [sent, exports] {
        loop {
            let gone = db.read(move |tx| expired(tx, now)).await?;
            for stored in &gone {
                files.delete(&stored.key()).await.map_err(Problem::internal)?;
            }
            let count = gone.len() as i64;
            db.write(move |tx| gone.iter().try_for_each(|stored| forget(tx, *stored))).await?;
            if count < uploads::SWEEP {
                break;
            }
            tokio::time::sleep(REST).await;
        }
    }
    Ok(())
}

type FindExpired = fn(&mut Tx, Timestamp) -> Result<Vec<StoredFile>>;
type ForgetFile = fn(&mut Tx, StoredFile) -> Result<()>;

/// Under which name it is noted that clients are found by the terms of this version.
const TERMS: &str = "client terms 5";

/// Rebuilds search terms of records that an older version indexed less completely, once.
async fn reindex(db: &Db) -> Result<()> {
    if db.read(|tx| installation::is_done(tx, TERMS)).await? {
        return Ok(());
    }
    let mut after = None;
    loop {
        // It adds to what it has read, so nobody may change that meanwhile.
        after = db.write_in_background(move |tx| search_terms::reindex(tx, after)).await?;
        if after.is_none() {
            return db.write(|tx| installation::done(tx, TERMS)).await;
        }
        tokio::time::sleep(REST).await;
    }
}

/// Notes of a new database that it has no older search terms.
pub(crate) fn skip_reindexing(tx: &mut Tx) -> Result<()> {
    installation::done(tx, TERMS)
}

/// Computes figures of the time before they were recorded, once.
async fn report(db: &Db, env: &Env) -> Result<()> {
    let recounts = crate::areas::areas().recounts;
    while let Some(company) = recount::waiting(db).await? {
        let made = recount::recount(db, env, company, &recounts, true).await?;
        tracing::info!(%company, metrics = made.len(), "metrics of earlier months are complete");
        recount::done(db, company).await?;
    }
    Ok(())
}

async fn forget_webhooks(db: &Db, env: &Env, retention_days: i64) -> Result<()> {
    let before = env.wall_clock.now().plus_days(-retention_days);
    let mut at = None;
    while let Some(company) = db.read(move |tx| retention::next_company(tx, at, before)).await? {
        while db.write_in_background(move |tx| retention::prune(tx, company, before)).await?
            >= retention::STEP
        {
            tokio::time::sleep(REST).await;
        }
        at = Some(company);
    }
    Ok(())
}

async fn forget_scans(db: &Db, env: &Env, days: i64) -> Result<()> {
    let before = env.wall_clock.now().plus_days(-days);
    let mut at = None;
    while let Some(company) = db.read(move |tx| scans::next_company(tx, at, before)).await? {
        let forget = || {
            let env = env.clone();
            db.write_in_background(move |tx| scans::prune(tx, &env, company, before))
        };
        while forget().await? >= scans::STEP {
            tokio::time::sleep(REST).await;
        }
        at = Some(company);
    }
    Ok(())
}
