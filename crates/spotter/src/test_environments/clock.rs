//! The clock of a test environment, and how it is advanced: from one instant at which something falls due to the next,
//! and further only when that has run.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use spotter_company::test_clock::TestClock;
use spotter_contract::{Job, jobs, timers};
use spotter_kernel::{Clock, Result, Timestamp, id::CompanyId, panics::caught_async};
use spotter_payments::sandbox;
use spotter_store::{Db, Tx};

/// How often the clock is read that other nodes may have advanced.
const LOOK: Duration = Duration::from_secs(1);
/// How long it is waited before it is looked again whether all has run.
const PAUSE: Duration = Duration::from_millis(20);
/// How long it is waited for what falls due at one instant.
const DUE_TIMEOUT: Duration = Duration::from_secs(30);
/// The least that the clock is moved at once, in seconds: what falls due within it runs together.
const STEP_SECONDS: i64 = 60;

/// A clock that is ahead of another one.
pub(super) struct ShiftedClock {
    real: Arc<dyn Clock>,
    offset_ms: AtomicI64,
}

impl ShiftedClock {
    pub(super) fn new(real: Arc<dyn Clock>) -> Self {
        Self { real, offset_ms: AtomicI64::new(0) }
    }

    /// It never goes back, in whatever order nodes read it.
    fn set(&self, offset_ms: i64) {
        self.offset_ms.fetch_max(offset_ms, Ordering::Relaxed);
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        self.real.now().plus_millis(self.offset_ms.load(Ordering::Relaxed))
    }
}

/// Advances the clock of a test environment.
pub(super) struct ClockDriver {
    pub(super) db: Db,
    pub(super) company: CompanyId,
    pub(super) clock: Arc<ShiftedClock>,
    /// The jobs that are done in a test environment.
    pub(super) jobs: Arc<[&'static Job]>,
}

impl ClockDriver {
    /// Sets the clock as it is stored, and returns that.
    pub(super) async fn set(&self) -> Result<TestClock> {
        let company = self.company;
        let stored = self.db.read(move |tx| TestClock::stored(tx, company)).await?;
        self.clock.set(stored.offset_ms);
        Ok(stored)
    }

    /// Runs until it is dropped.
    pub(super) async fn run(self) {
        let signals = self.db.signals();
        loop {
            let advanced = pin!(signals.notified(self.company.0));
            let driven = caught_async(self.advance()).await;
            let why = match driven {
                Ok(Ok(())) => None,
                Ok(Err(problem)) => Some(problem.to_string()),
                Err(panic) => Some(panic),
            };
            if let Some(why) = why {
                tracing::warn!(company = %self.company, why, "advancing a test clock failed; it is tried again");
            }
            tokio::time::timeout(LOOK, advanced).await.ok();
        }
    }

    /// Advances the clock to where it is to be, if anywhere.
    async fn advance(&self) -> Result<()> {
        let mut since = Instant::now();
        loop {
            let stored = self.set().await?;
            let Some(to) = stored.advance_to else { return Ok(()) };
            let now = self.clock.now();
            let jobs = self.jobs.clone();
            let due = self.db.read(move |tx| next_due(tx, &jobs)).await?;
            if due.is_some_and(|due| due <= now) && since.elapsed() < DUE_TIMEOUT {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let next = if now < to { moved(stored, now, due, to) } else { arrived(stored) };
            let company = self.company;
            // Another node may have been faster: then its step is read.
            self.db.write(move |tx| stored.step(tx, company, next)).await?;
            since = Instant::now();
        }
    }
}

fn arrived(stored: TestClock) -> TestClock {
    TestClock { advance_to: None, ..stored }
}

/// The clock at the next instant at which something is due, but not beyond its target.
fn moved(stored: TestClock, now: Timestamp, due: Option<Timestamp>, to: Timestamp) -> TestClock {
    let least = now.plus_seconds(STEP_SECONDS);
    let next = due.map_or(to, |due| due.max(least)).min(to);
    TestClock { offset_ms: stored.offset_ms + next.millis() - now.millis(), ..stored }
}

/// When the next timer, job or act of the sandbox is due; in the past while any is, or is under way.
fn next_due(tx: &mut Tx<'_>, kinds: &[&'static Job]) -> Result<Option<Timestamp>> {
    if jobs::in_progress(tx)? {
        return Ok(Some(Timestamp::from_millis(0)));
    }
    let mut due = vec![timers::next_due(tx)?, sandbox::next_due(tx)?];
    due.extend(jobs::next_due(tx, kinds)?);
    Ok(due.into_iter().flatten().min())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stops_at_what_is_due() {
        let at = Timestamp::from_millis;
        let stored = TestClock { offset_ms: 5, advance_to: Some(at(1_000_000)) };
        let next = |due: Option<i64>| moved(stored, at(100), due.map(at), at(1_000_000)).offset_ms;
        assert_eq!(next(None), 5 + 999_900);
        assert_eq!(next(Some(700_000)), 5 + 699_900);
        assert_eq!(next(Some(200)), 5 + 60_000, "what is due within a minute runs together");
        assert_eq!(next(Some(2_000_000)), 5 + 999_900);
        assert_eq!(arrived(stored), TestClock { offset_ms: 5, advance_to: None });
    }
}
