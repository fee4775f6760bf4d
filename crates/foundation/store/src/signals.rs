//! Signals of committed transactions to the rest of the process.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use spotter_kernel::{Id, Timestamp, id::CompanyId};
use tokio::sync::{Notify, futures::Notified};

use crate::agenda::Agenda;

/// A record that something was done for, with its company.
pub type Signal = (CompanyId, Id);

/// Most signals kept for a listener; of more, it hears that there were some.
const KEPT_MAX: usize = 10_000;

/// Signals of a transaction, sent after its commit.
#[derive(Default)]
pub(crate) struct PendingSignals {
    pub(crate) signals: Vec<Signal>,
    /// Records whose waiting readers are notified.
    pub(crate) rings: Vec<Id>,
    /// Queues that have work from an instant on.
    pub(crate) due: Vec<(&'static str, Timestamp)>,
}

/// Bells are shared by records, so that they need no memory of who waits.
const BELLS: usize = 256;

/// The signals of committed transactions, until they are taken.
#[derive(Clone, Default)]
pub struct Signals(Arc<SharedSignals>);

struct SharedSignals {
    pending: Mutex<BTreeSet<Signal>>,
    agenda: Agenda,
    bell: Notify,
    bells: [Notify; BELLS],
    hasher: RandomState,
}

impl Default for SharedSignals {
    fn default() -> Self {
        let bells = std::array::from_fn(|_| Notify::new());
        let (pending, bell, hasher) = (Mutex::default(), Notify::new(), RandomState::new());
        Self { pending, agenda: Agenda::default(), bell, bells, hasher }
    }
}

impl SharedSignals {
    fn bell_of(&self, id: Id) -> &Notify {
        &self.bells[self.hasher.hash_one(id) as usize % BELLS]
    }
}

impl PendingSignals {
    /// Keeps the earliest instant of each queue.
    pub(crate) fn note_due(&mut self, queue: &'static str, due_at: Timestamp) {
        match self.due.iter_mut().find(|(own, _)| *own == queue) {
            Some((_, earliest)) => *earliest = due_at.min(*earliest),
            None => self.due.push((queue, due_at)),
        }
    }
}

impl Signals {
    /// Waits until there is a signal that was not waited for.
    pub async fn next_signal(&self) {
        self.0.bell.notified().await;
    }

    /// Takes the signals since the last call.
    pub fn take(&self) -> BTreeSet<Signal> {
        std::mem::take(&mut *self.0.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resolves once a transaction that [rings](crate::Tx::ring) for this record is committed, from
    /// the call on; now and then for another's.
    pub fn notified(&self, id: Id) -> Notified<'_> {
        self.0.bell_of(id).notified()
    }

    /// When this process has to look at its queues.
    pub fn agenda(&self) -> &Agenda {
        &self.0.agenda
    }

    pub(crate) fn publish(&self, output: PendingSignals) {
        let PendingSignals { signals, rings, due } = output;
        due.into_iter().for_each(|(queue, due_at)| self.0.agenda.note(queue, due_at));
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
