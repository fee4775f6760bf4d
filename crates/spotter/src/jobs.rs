//! What the process does beside serving: forgetting what has expired, and adding up totals and
//! metrics.

use std::{future::Future, time::Duration};

use metrics_exporter_prometheus::PrometheusHandle;
use spotter_areas::{
    access::{accounts, sessions, tokens},
    clients::search,
    live, mcp, uploads,
};
use spotter_contract::{Env, idempotency, installation};
use spotter_files::Files;
use spotter_kernel::{Problem, Result, Timestamp, panics::caught_async};
use spotter_store::{Db, Tx};
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
        attempt("find clients by what they are found by now", reindex(&db)),
        every(2, "fold totals", || db.fold_tallies()),
        every(5, "condense metrics", || condense(metrics.as_ref())),
        every(60, "forget what has expired", || prune_expired(&db, &env)),
        every(60, "sweep files", || sweep_files(&db, &files, env.clock.now())),
        every(600, "forget deliveries", || forget_webhooks(&db, &env, webhook_retention_days)),
    );
}

async fn every<F: Future<Output = Result<()>>>(
    seconds: u64,
    job: &'static str,
    run: impl Fn() -> F,
) {
    let mut ticks = tokio::time::interval(Duration::from_secs(seconds));
    loop {
        ticks.tick().await;
        attempt(job, run()).await;
    }
}

/// Runs a piece of background work; one that fails, or panics, is logged and keeps nothing else from
/// running.
async fn attempt(job: &'static str, work: impl Future<Output = Result<()>>) {
    match caught_async(work).await {
        Ok(Ok(())) => {}
        Ok(Err(problem)) => tracing::warn!(job, %problem, "a job failed; it will run again"),
        Err(panic) => tracing::error!(job, %panic, "a job failed; it will run again"),
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

/// Under which name it is noted that clients are found by the terms of this version.
const TERMS: &str = "client terms 2";

/// Adds the search terms that an older version did not know, once.
async fn reindex(db: &Db) -> Result<()> {
    if db.read(|tx| installation::is_done(tx, TERMS)).await? {
        return Ok(());
    }
    let mut after = None;
    loop {
        after = db.write_rows(move |tx| search::reindex(tx, after)).await?;
        if after.is_none() {
            return db.write(|tx| installation::done(tx, TERMS)).await;
        }
        tokio::time::sleep(REST).await;
    }
}

async fn forget_webhooks(db: &Db, env: &Env, retention_days: i64) -> Result<()> {
    let before = env.clock.now().plus_days(-retention_days);
    let mut at = None;
    while let Some(company) = db.read(move |tx| retention::next_company(tx, at, before)).await? {
        while db.write(move |tx| retention::prune(tx, company, before)).await? >= retention::STEP {
            tokio::time::sleep(REST).await;
        }
        at = Some(company);
    }
    Ok(())
}

type Prune = fn(&mut Tx<'_>, Timestamp) -> Result<u64>;

/// What forgets a kind of thing that has expired, each by itself.
const PRUNES: &[(&str, Prune)] = &[
    ("forget access tokens", tokens::prune),
    ("forget sessions", sessions::prune),
    ("forget invitations", accounts::prune),
    ("forget stored answers", idempotency::prune),
    ("forget live updates", live::prune),
    ("forget registered assistants", mcp::registration::prune),
    ("forget requests for consent", mcp::consent::prune),
    ("forget tokens of assistants", mcp::tokens::prune),
];

async fn prune_expired(db: &Db, env: &Env) -> Result<()> {
    prune_all(db, env, PRUNES).await;
    Ok(())
}

async fn prune_all(db: &Db, env: &Env, prunes: &[(&'static str, Prune)]) {
    for (job, prune) in prunes {
        attempt(job, async {
            let (prune, clock) = (*prune, env.clock.clone());
            loop {
                let clock = clock.clone();
                if db.write(move |tx| prune(tx, clock.now())).await? < STEP {
                    return Ok(());
                }
                tokio::time::sleep(REST).await;
            }
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use spotter_store::{Config, Location, migrate};

    use super::*;

    static LAST: AtomicU32 = AtomicU32::new(0);

    fn fails(_: &mut Tx<'_>, _: Timestamp) -> Result<u64> {
        Err(Problem::internal("on purpose"))
    }

    fn panics(_: &mut Tx<'_>, _: Timestamp) -> Result<u64> {
        panic!("on purpose")
    }

    fn works(_: &mut Tx<'_>, _: Timestamp) -> Result<u64> {
        LAST.fetch_add(1, Ordering::Relaxed);
        Ok(0)
    }

    #[test]
    fn one_that_fails_or_panics_starves_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let place = Location::File(folder.path().join("x.db"));
        migrate(&place, Timestamp::from_millis(0), |_| ()).unwrap();
        let db = Db::open(&Config::new(place)).unwrap();
        let env = crate::system::env(&[0; 32], &[], "");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let all: &[(&str, Prune)] = &[("fails", fails), ("panics", panics), ("works", works)];
        runtime.block_on(prune_all(&db, &env, all));
        assert_eq!(LAST.load(Ordering::Relaxed), 1);
        runtime.block_on(attempt("itself", async { panic!("on purpose") }));
    }
}
