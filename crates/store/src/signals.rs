//! What committed transactions tell the rest of the process.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use spotter_kernel::{Id, id::CompanyId};
use tokio::sync::Notify;

/// A record that something was done for, with its company.
pub type Signal = (CompanyId, Id);

/// The most signals that are kept for whoever listens; past it only the fact is told.
const KEPT_MAX: usize = 10_000;

/// The signals of committed transactions, until they are taken.
#[derive(Clone, Default)]
pub struct Signals(Arc<Shared>);

#[derive(Default)]
struct Shared {
    kept: Mutex<BTreeSet<Signal>>,
    bell: Notify,
}

impl Signals {
    /// Waits until there is a signal that was not waited for.
    pub async fn heard(&self) {
        self.0.bell.notified().await;
    }

    /// Takes what was signalled since the last time.
    pub fn take(&self) -> BTreeSet<Signal> {
        std::mem::take(&mut *self.0.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn tell(&self, signals: Vec<Signal>) {
        if signals.is_empty() {
            return;
        }
        let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT_MAX {
            kept.extend(signals);
        }
        drop(kept);
        self.0.bell.notify_one();
    }
}
