//! How many connections write at once: fewer while writes conflict, more again when they do not. The more transactions
//! are open together, the likelier PostgreSQL takes what they read for what others write: it remembers pages, not rows.

use std::{sync::Arc, time::Duration};

use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;

/// So many write in any case: one may be away for long.
const LEAST: usize = 2;
/// Transactions without a conflict after which one more may write.
const CALM: usize = 16;
/// What takes longer keeps a connection from others, so that one more may write.
const LONG: Duration = Duration::from_millis(100);

/// A limit that all connections of a process share.
pub(crate) struct WriterLimit {
    state: Mutex<LimitState>,
    /// What wakes each writer.
    wakes: Vec<Sender<()>>,
}

struct LimitState {
    limit: usize,
    /// Transactions without a conflict since the last one, or since the limit was raised.
    calm: usize,
}

impl WriterLimit {
    /// The limit of so many writers, and what each is woken by.
    pub(crate) fn of(writers: usize) -> (Arc<Self>, Vec<Receiver<()>>) {
        let (wakes, woken) = (0..writers).map(|_| crossbeam_channel::bounded(1)).unzip();
        let state = Mutex::new(LimitState { limit: writers, calm: 0 });
        (Arc::new(Self { state, wakes }), woken)
    }

    /// Whether this writer, by its number, may take a write; where not, it is woken when it may.
    pub(crate) fn admits(&self, writer: usize) -> bool {
        writer < self.limit()
    }

    /// How many may write now.
    pub(crate) fn limit(&self) -> usize {
        self.state.lock().limit
    }

    /// Follows one transaction: whether it conflicted with others, and how long it took.
    pub(crate) fn adapt(&self, conflicted: bool, took: Duration) {
        let mut state = self.state.lock();
        if conflicted {
            state.calm = 0;
            state.limit = state.limit.saturating_sub(1).max(LEAST.min(self.wakes.len()));
        } else {
            state.calm += 1;
        }
        if state.calm >= CALM || took > LONG {
            let limit = state.limit + 1;
            self.raise(&mut state, limit);
        }
    }

    /// Lets all write.
    pub(crate) fn lift(&self) {
        self.raise(&mut self.state.lock(), self.wakes.len());
    }

    fn raise(&self, state: &mut LimitState, limit: usize) {
        let (before, limit) = (state.limit, limit.min(self.wakes.len()));
        *state = LimitState { limit, calm: 0 };
        // Who is awake has a token left over, and looks once more than it must.
        self.wakes.iter().take(limit).skip(before).for_each(|wake| {
            wake.try_send(()).ok();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_become_fewer_by_conflicts_and_more_when_it_is_calm() {
        let (limit, woken) = WriterLimit::of(4);
        let follow = |conflicted, times: usize| {
            (0..times).for_each(|_| limit.adapt(conflicted, Duration::ZERO));
        };
        assert!(limit.admits(3) && !limit.admits(4));
        follow(true, 5);
        assert!(limit.admits(LEAST - 1) && !limit.admits(LEAST));
        follow(false, CALM);
        assert!(limit.admits(2) && !limit.admits(3));
        assert_eq!(woken.iter().map(Receiver::len).collect::<Vec<_>>(), [0, 0, 1, 0]);
        follow(false, CALM - 1);
        follow(true, 1);
        assert_eq!(limit.limit(), 2, "a conflict forgets the calm");
        limit.adapt(true, 2 * LONG);
        assert_eq!(limit.limit(), 3, "who is long away makes room");
        follow(false, 10 * CALM);
        assert_eq!(limit.limit(), 4);
        follow(true, 2);
        woken.iter().for_each(|woken| {
            woken.try_recv().ok();
        });
        limit.lift();
        assert_eq!(woken.iter().map(Receiver::len).collect::<Vec<_>>(), [0, 0, 1, 1]);
    }

    #[test]
    fn two_connections_both_write() {
        let (limit, _woken) = WriterLimit::of(2);
        (0..9).for_each(|_| limit.adapt(true, Duration::ZERO));
        assert!(limit.admits(1));
    }
}
