//! A closure on its way to an engine's thread, and its answer on the way back.

use std::time::{Duration, Instant};

use spotter_kernel::{Problem, Result, panics::caught};
use tokio::sync::oneshot;

use crate::{
    cost::CostMeter,
    signals::{PendingSignals, Signals},
    tx::Tx,
};

/// How long a transaction may wait for a connection: where a server says nothing, each is away for half a minute.
const WAIT_MAX: Duration = Duration::from_secs(15);

/// A transaction to be run, perhaps more than once, and answered exactly once.
pub(crate) trait Job: Send {
    /// What the engine has to see to beside atomicity.
    fn kind(&self) -> TransactionKind;
    /// Whether it has waited for so long that it is refused.
    fn is_late(&self) -> bool;
    /// What counts its cost, if anything does.
    fn meter(&self) -> Option<CostMeter>;
    /// Runs the closure, keeping its answer; how that ended.
    fn run(&mut self, tx: &mut Tx<'_>) -> RunEnding;
    /// Forgets the kept answer, which came of a run that does not count.
    fn forget(&mut self);
    /// Hands the kept answer over; with a problem, a kept success is replaced by it.
    fn finish(self: Box<Self>, problem: Option<Problem>);
}

/// Refuses those that are late, of which nothing was kept; the others.
pub(crate) fn in_time(batch: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
    if !batch.iter().any(|job| job.is_late()) {
        return batch;
    }
    let (late, rest): (Vec<_>, Vec<_>) = batch.into_iter().partition(|job| job.is_late());
    refuse(late, "it waited too long for its turn");
    rest
}

/// Answers that the server cannot do it now, for a cause that the log tells.
pub(crate) fn refuse(batch: impl IntoIterator<Item = Box<dyn Job>>, cause: &'static str) {
    for mut job in batch {
        job.forget();
        job.finish(Some(Problem::overloaded().caused_by(cause)));
    }
}

/// What a transaction promises beside atomicity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionKind {
    /// As if it ran alone.
    Serializable,
    /// It sees one snapshot, and no row that it changes was changed since.
    Rows,
    /// As if it ran alone, and nothing of it is kept, however it ends.
    Trial,
}

/// How a run of a closure ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnding {
    /// Well.
    Done,
    /// With a refusal by its own rules.
    Refused,
    /// With a panic, or an error that is not its caller's.
    Failed,
}

pub(crate) struct Call<F, T> {
    closure: F,
    kind: TransactionKind,
    queued_at: Instant,
    meter: Option<CostMeter>,
    answer: Option<Result<T>>,
    /// Signals of the last run of the closure.
    pending_signals: PendingSignals,
    signals: Signals,
    reply: oneshot::Sender<Result<T>>,
}

impl<F, T> Call<F, T> {
    pub(crate) fn new(
        closure: F,
        kind: TransactionKind,
        signals: Signals,
    ) -> (Self, oneshot::Receiver<Result<T>>) {
        let (reply, receiver) = oneshot::channel();
        (
            Self {
                closure,
                kind,
                queued_at: Instant::now(),
                meter: CostMeter::current(),
                answer: None,
                pending_signals: PendingSignals::default(),
                signals,
                reply,
            },
            receiver,
        )
    }
}

impl<F, T> Job for Call<F, T>
where
    F: FnMut(&mut Tx<'_>) -> Result<T> + Send,
    T: Send,
{
    fn kind(&self) -> TransactionKind {
        self.kind
    }

    fn is_late(&self) -> bool {
        self.queued_at.elapsed() > WAIT_MAX
    }

    fn meter(&self) -> Option<CostMeter> {
        self.meter.clone()
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> RunEnding {
        let outcome = caught(|| (self.closure)(tx));
        let answer = outcome.unwrap_or_else(|panic| Err(Problem::internal(panic)));
        self.pending_signals = std::mem::take(&mut tx.signals);
        let ending = match &answer {
            Ok(_) => RunEnding::Done,
            Err(problem) if problem.status < 500 => RunEnding::Refused,
            Err(_) => RunEnding::Failed,
        };
        self.answer = Some(answer);
        ending
    }

    fn forget(&mut self) {
        self.answer = None;
    }

    fn finish(self: Box<Self>, problem: Option<Problem>) {
        let answer = match (self.answer, problem) {
            (Some(Err(own)), _) => Err(own),
            (_, Some(problem)) => Err(problem),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(Problem::internal("a transaction was never run")),
        };
        if answer.is_ok() && self.kind != TransactionKind::Trial {
            self.signals.publish(self.pending_signals);
        }
        // The caller may be gone; a committed transaction stays committed.
        drop(self.closure);
        self.reply.send(answer).ok();
    }
}
