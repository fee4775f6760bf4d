//! What the process does beside serving: forgetting what has expired, and adding up totals.

use std::time::Duration;

use spotter_areas::access::{accounts, sessions, tokens};
use spotter_contract::{Env, idempotency};
use spotter_kernel::Result;
use spotter_store::Db;
use spotter_webhooks::retention;

/// The most rows of a kind that one step deletes.
const STEP: u64 = 500;

/// Runs until the process ends.
pub(crate) async fn run(db: Db, env: Env, webhook_retention_days: i64) {
    let mut fold = tokio::time::interval(Duration::from_secs(2));
    let mut prune = tokio::time::interval(Duration::from_secs(60));
    let mut forget = tokio::time::interval(Duration::from_secs(600));
    loop {
        let done = tokio::select! {
            _ = fold.tick() => fold_tallies(&db).await,
            _ = prune.tick() => prune_expired(&db, &env).await,
            _ = forget.tick() => forget_webhooks(&db, &env, webhook_retention_days).await,
        };
        if let Err(problem) = done {
            tracing::warn!(%problem, "a background job failed; it will run again");
        }
    }
}

/// Adds up until nothing is left; a demo does so once its crowd has joined.
pub(crate) async fn fold_tallies(db: &Db) -> Result<()> {
    while db.fold_tallies().await? > 0 {}
    Ok(())
}

async fn forget_webhooks(db: &Db, env: &Env, retention_days: i64) -> Result<()> {
    let before = env.clock.now().plus_days(-retention_days);
    let mut at = None;
    while let Some(company) = db.read(move |tx| retention::next_company(tx, at)).await? {
        // Small steps, so that nobody waits long behind them.
        while db.write(move |tx| retention::prune(tx, company, before)).await? >= retention::STEP {}
        at = Some(company);
    }
    Ok(())
}

async fn prune_expired(db: &Db, env: &Env) -> Result<()> {
    let prunes = [tokens::prune, sessions::prune, accounts::prune, idempotency::prune];
    for prune in prunes {
        let clock = env.clock.clone();
        loop {
            let clock = clock.clone();
            // Small steps, so that nobody waits long behind them.
            let gone = db.write(move |tx| prune(tx, clock.now())).await?;
            if gone < STEP {
                break;
            }
        }
    }
    Ok(())
}
