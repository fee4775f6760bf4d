//! Recounting metrics from their records: to check them, and to compute them for the time before they were recorded.
//! A month is one transaction, so nobody waits for it, and simultaneous changes are included.

use spotter_contract::{Actor, Area, Caller, Env, Read, Recount, Write, metrics::Difference};
use spotter_kernel::{Date, Result, id::CompanyId};
use spotter_store::{Db, Tx, params, statements};

/// As what the system counts.
const NAME: &str = "recount_reports";

/// Most reported differences.
pub const LISTED_MAX: usize = 1_000;

async fn write<T: Send + 'static>(
    db: &Db,
    env: &Env,
    company: CompanyId,
    step: impl Fn(&mut Write<'_, '_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let env = env.clone();
    db.write_in_background(move |tx| {
        let mut done = None;
        Write::as_system(tx, &env, company, NAME, &[], |cx| {
            done = Some(step(cx)?);
            Ok(())
        })?;
        done.ok_or_else(|| spotter_kernel::Problem::internal("nothing was counted"))
    })
    .await
}

/// The first days of the months of which there is something to count, in order.
async fn months(
    db: &Db,
    env: &Env,
    company: CompanyId,
    recount: &'static Recount,
) -> Result<Vec<Date>> {
    let now = env.clock.now();
    let span = db.read(move |tx: &mut Tx<'_>| {
        let caller = Caller::new(company, Actor::System);
        (recount.span)(&mut Read::new(tx, &caller, now))
    });
    let (Some(first), Some(last)) = span.await? else { return Ok(Vec::new()) };
    let next = move |month: &Date| {
        let next = month.plus_months(1);
        (next > *month && next <= last).then_some(next)
    };
    Ok(std::iter::successors(Some(first.first_of_month()), next).collect())
}

/// Recounts a company's metrics, and corrects wrong ones if requested; returns the differences.
pub async fn recount(
    db: &Db,
    env: &Env,
    company: CompanyId,
    recounts: &[&'static Recount],
    mend: bool,
) -> Result<Vec<Difference>> {
    let mut found = Vec::new();
    for recount in recounts.iter().copied() {
        while mend && write(db, env, company, recount.prepare).await? {}
        for month in months(db, env, company, recount).await? {
            let count = move |cx: &mut Write<'_, '_>| {
                (recount.month)(cx, month, month.last_of_month(), mend)
            };
            found.extend(write(db, env, company, count).await?);
        }
        let now = move |cx: &mut Write<'_, '_>| (recount.now)(cx, mend);
        found.extend(write(db, env, company, now).await?);
    }
    found.truncate(LISTED_MAX);
    Ok(found)
}

/// Every company.
pub async fn companies(db: &Db) -> Result<Vec<CompanyId>> {
    let found: Vec<(CompanyId,)> = db.read(|tx| tx.all(COMPANIES, params![])).await?;
    Ok(found.into_iter().map(|(company,)| company).collect())
}

/// A company whose metrics of the past are still to be computed.
pub async fn waiting(db: &Db) -> Result<Option<CompanyId>> {
    let found: Option<(CompanyId,)> = db.read(|tx| tx.one(WAITING, params![])).await?;
    Ok(found.map(|(company,)| company))
}

/// Its metrics are made.
pub async fn done(db: &Db, company: CompanyId) -> Result<()> {
    db.write(move |tx| tx.execute(DONE, params![company]).map(drop)).await
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    COMPANIES = "SELECT company_id FROM company ORDER BY company_id";
    WAITING = "SELECT company_id FROM report_recount ORDER BY company_id LIMIT 1";
    DONE = "DELETE FROM report_recount WHERE company_id = ?1";
}
