//! The bounded queue between request handlers and an engine's threads.

use crossbeam_channel::{Receiver, Sender, TrySendError};
use spotter_kernel::{Problem, Result};

use crate::{
    job::{Call, Job, TransactionKind, refuse},
    signals::Signals,
    tx::Tx,
};

/// Why one more is refused.
const FULL: &str = "too many transactions wait for the database";

/// The sending end of a bounded queue; jobs past the bound are refused at once.
#[derive(Clone)]
pub(crate) struct Queue {
    sender: Sender<Box<dyn Job>>,
    signals: Signals,
}

/// The receiving end.
pub(crate) type Jobs = Receiver<Box<dyn Job>>;

impl Queue {
    pub(crate) fn bounded(size: usize, signals: &Signals) -> (Self, Jobs) {
        let (sender, receiver) = crossbeam_channel::bounded(size);
        (Self { sender, signals: signals.clone() }, receiver)
    }

    pub(crate) async fn call<T, F>(&self, kind: TransactionKind, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (call, answer) = Call::new(closure, kind, self.signals.clone());
        match self.sender.try_send(Box::new(call)) {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(Problem::internal("the store stopped"))),
            Err(TrySendError::Full(_)) => Err(Problem::overloaded().caused_by(FULL)),
            Err(TrySendError::Disconnected(_)) => Err(Problem::internal("the store stopped")),
        }
    }

    /// Takes a job over that another queue began with and gave up.
    pub(crate) fn take_over(&self, mut job: Box<dyn Job>) {
        job.forget();
        match self.sender.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(job)) => refuse([job], FULL),
            Err(TrySendError::Disconnected(job)) => {
                job.finish(Some(Problem::internal("the store stopped")));
            }
        }
    }

    /// How many jobs wait.
    pub(crate) fn waiting(&self) -> usize {
        self.sender.len()
    }
}
