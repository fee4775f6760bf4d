//! What committed transactions tell the rest of the process.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use spotter_kernel::{Id, id::CompanyId};
use tokio::sync::{Notify, futures::Notified};

/// A record that something was done for, with its company.
pub type Signal = (CompanyId, Id);

/// The most signals that are kept for whoever listens; past it only the fact is told.
const KEPT_MAX: usize = 10_000;

/// What a transaction wants to be told once it is committed.
#[derive(Default)]
pub(crate) struct PendingSignals {
    pub(crate) signals: Vec<Signal>,
    /// Records whose bells are to be rung.
    pub(crate) rings: Vec<Id>,
}

/// Bells are shared by records, so that they need no memory of who waits.
const BELLS: usize = 256;

/// The signals of committed transactions, until they are taken.
#[derive(Clone, Default)]
pub struct Signals(Arc<SharedSignals>);

struct SharedSignals {
    pending: Mutex<BTreeSet<Signal>>,
    bell: Notify,
    bells: [Notify; BELLS],
    hasher: RandomState,
}

impl Default for SharedSignals {
    fn default() -> Self {
        let bells = std::array::from_fn(|_| Notify::new());
        let (kept, bell, hasher) = (Mutex::default(), Notify::new(), RandomState::new());
        Self { pending: kept, bell, bells, hasher }
    }
}

impl SharedSignals {
    fn bell_of(&self, id: Id) -> &Notify {
        &self.bells[self.hasher.hash_one(id) as usize % BELLS]
    }
}

impl Signals {
    /// Waits until there is a signal that was not waited for.
    pub async fn next_signal(&self) {
        self.0.bell.notified().await;
    }

    /// Takes what was signalled since the last time.
    pub fn take(&self) -> BTreeSet<Signal> {
        std::mem::take(&mut *self.0.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resolves once a transaction that [rings](crate::Tx::ring) for this record is committed, from
    /// the call on; now and then for another's.
    pub fn rung(&self, id: Id) -> Notified<'_> {
        self.0.bell_of(id).notified()
    }

    pub(crate) fn publish(&self, output: PendingSignals) {
        let PendingSignals { signals, rings } = output;
        rings.iter().for_each(|id| self.0.bell_of(*id).notify_waiters());
        if signals.is_empty() {
            return;
        }
        let mut kept = self.0.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT_MAX {
            kept.extend(signals);
        }
        drop(kept);
        self.0.bell.notify_one();
    }
}
