//! Short reads, on the thread of who waits for them: handing one to another thread and back costs more than it does.

use std::{
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;
use spotter_kernel::Result;

use super::{Bound, connect_reader, run_sql};
use crate::{
    job::Job,
    tx::{Engine, Tx},
};

/// Checks until a read is given up here: some 1.3 ms.
const SHORT_CHECKS: u64 = 10;
/// A read that took longer, whatever it did, is long.
const SHORT: Duration = Duration::from_micros(1_500);
/// So many reads of a kind are taken for long after one that was.
const TAKEN_FOR_LONG: u32 = 64;

/// Whether reads of one kind, such as those of an operation, are short, by what the last ones took.
#[derive(Debug, Default)]
pub struct Pace(AtomicU32);

impl Pace {
    /// Whether the next one is to be tried as a short one.
    fn is_short(&self) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        if left > 0 {
            // Two threads that count the same one down do no harm.
            self.0.store(left - 1, Ordering::Relaxed);
        }
        left == 0
    }

    fn note_long(&self) {
        self.0.store(TAKEN_FOR_LONG, Ordering::Relaxed);
    }
}

/// Idle connections for short reads.
pub(crate) struct ShortReads(Mutex<Vec<(Connection, Bound)>>);

impl ShortReads {
    pub(super) fn open(path: &Path, count: usize) -> Result<Self> {
        let open = |_| {
            let mut reader = connect_reader(path)?;
            let bound = Bound::new(&mut reader, SHORT_CHECKS)?;
            Ok((reader, bound))
        };
        Ok(Self(Mutex::new((0..count).map(open).collect::<Result<_>>()?)))
    }

    /// Runs a read in a snapshot of its own. False, and nothing of it counts, where it takes too long for this thread,
    /// those of its kind have just done so, or every connection is in use.
    pub(crate) fn run(&self, pace: &Pace, job: &mut impl Job) -> bool {
        if !pace.is_short() {
            return false;
        }
        let Some((conn, bound)) = self.lock().pop() else { return false };
        let began = Instant::now();
        let begun = run_sql(&conn, "BEGIN").is_ok();
        if begun {
            bound.begin();
            job.run(&mut Tx::new(Engine::Sqlite(&conn)).metered(job.meter()));
        }
        let is_done = begun && !bound.is_exceeded();
        if !is_done {
            job.forget();
        }
        if !is_done || began.elapsed() > SHORT {
            pace.note_long();
        }
        bound.begin();
        run_sql(&conn, "COMMIT").or_else(|_| run_sql(&conn, "ROLLBACK")).ok();
        self.lock().push((conn, bound));
        is_done
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Connection, Bound)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_was_long_is_tried_again_later() {
        let pace = Pace::default();
        assert!(pace.is_short() && pace.is_short());
        pace.note_long();
        let tried = (0..TAKEN_FOR_LONG + 1).filter(|_| pace.is_short()).count();
        assert_eq!(tried, 1);
    }
}
