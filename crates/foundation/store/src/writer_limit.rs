//! How many connections write at once: fewer while writes get into each other's way, more again when they do not. The
//! more transactions are open together, the likelier PostgreSQL takes what they read for what others write: it
//! remembers pages, not rows.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use crossbeam_channel::{Receiver, Sender};

/// How many transactions in a row, for each connection that writes, must be spared before one more may.
const SPARED_FOR_ONE_MORE: usize = 4;

/// A limit that all connections of a process share.
pub(crate) struct WriterLimit {
    limit: AtomicUsize,
    /// Transactions since the last one that was lost or made the limit higher.
    spared: AtomicUsize,
    /// What wakes each writer.
    wakes: Vec<Sender<()>>,
}

impl WriterLimit {
    /// The limit of so many writers, and what each is woken by.
    pub(crate) fn of(writers: usize) -> (Arc<Self>, Vec<Receiver<()>>) {
        let (wakes, woken) = (0..writers).map(|_| crossbeam_channel::bounded(1)).unzip();
        let limit = AtomicUsize::new(writers);
        (Arc::new(Self { limit, spared: AtomicUsize::new(0), wakes }), woken)
    }

    /// Whether this writer, by its number, may take a write; where not, it is woken when it may.
    pub(crate) fn admits(&self, writer: usize) -> bool {
        writer < self.limit.load(Ordering::Relaxed)
    }

    /// How many may write now.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Follows what happened to one transaction: whether it was spared the others.
    pub(crate) fn adapt(&self, spared: bool) {
        let limit = self.limit();
        if !spared {
            self.spared.store(0, Ordering::Relaxed);
            self.limit.store(1.max(limit - 1), Ordering::Relaxed);
            return;
        }
        if limit == self.wakes.len() {
            return;
        }
        let spared = self.spared.fetch_add(1, Ordering::Relaxed) + 1;
        if spared >= limit * SPARED_FOR_ONE_MORE {
            self.spared.store(0, Ordering::Relaxed);
            self.limit.store(limit + 1, Ordering::Relaxed);
            // It may be awake already.
            let _ = self.wakes[limit].try_send(());
        }
    }

    /// Lets all write, and wakes them.
    pub(crate) fn lift(&self) {
        self.limit.store(self.wakes.len(), Ordering::Relaxed);
        for wake in &self.wakes {
            let _ = wake.try_send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_become_fewer_by_losses_and_more_by_patience() {
        let (limit, woken) = WriterLimit::of(3);
        assert!(limit.admits(2) && !limit.admits(3));
        (0..5).for_each(|_| limit.adapt(false));
        assert!(limit.admits(0) && !limit.admits(1), "one writes in any case");
        (0..SPARED_FOR_ONE_MORE).for_each(|_| limit.adapt(true));
        assert!(limit.admits(1) && !limit.admits(2));
        assert_eq!(woken.iter().map(Receiver::len).collect::<Vec<_>>(), [0, 1, 0]);
        (0..2 * SPARED_FOR_ONE_MORE - 1).for_each(|_| limit.adapt(true));
        limit.adapt(false);
        assert!(limit.admits(0) && !limit.admits(1), "a loss forgets what was spared");
        (0..20 * SPARED_FOR_ONE_MORE).for_each(|_| limit.adapt(true));
        assert_eq!(limit.limit(), 3);
        limit.adapt(false);
        limit.lift();
        assert!(limit.admits(2) && woken.iter().all(|woken| woken.len() == 1));
    }
}
