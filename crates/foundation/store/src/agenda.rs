//! When queues of the database have work: no query looks for work before then.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use spotter_kernel::Timestamp;

/// The queue of totals that have been appended to.
pub(crate) const UNFOLDED_TALLIES: &str = "unfolded_tallies";
/// The same of metrics.
pub(crate) const UNFOLDED_METRICS: &str = "unfolded_metrics";

/// The earliest instant at which each queue, by its name, may have work. Transactions of this process enter theirs when
/// they are committed; what other processes enter is found by looking now and then.
#[derive(Debug, Default)]
pub struct Agenda(Mutex<BTreeMap<&'static str, Timestamp>>);

impl Agenda {
    /// When work is due that waits for nothing.
    pub const AT_ONCE: Timestamp = Timestamp::from_millis(0);

    /// Notes that a queue may have work at an instant.
    pub fn note(&self, queue: &'static str, due_at: Timestamp) {
        let mut queues = self.lock();
        let earliest = queues.entry(queue).or_insert(due_at);
        *earliest = due_at.min(*earliest);
    }

    /// Whether a queue may have work by now. Once this is true, it is not again before the next note.
    pub fn take_due(&self, queue: &str, now: Timestamp) -> bool {
        let mut queues = self.lock();
        let is_due = queues.get(queue).is_some_and(|due_at| *due_at <= now);
        if is_due {
            queues.remove(queue);
        }
        is_due
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks whether a queue has work, made at a fixed interval. Every so many of them count as due, whatever the clock
/// does: they find what other processes have entered.
#[derive(Debug)]
pub struct Checks {
    queue: &'static str,
    between: u32,
    made: u32,
}

impl Checks {
    /// Checks of a queue; the first, and each one after this many, is due in any case.
    pub const fn new(queue: &'static str, between: u32) -> Self {
        Self { queue, between, made: 0 }
    }

    /// Makes a check.
    pub fn is_due(&mut self, agenda: &Agenda, now: Timestamp) -> bool {
        let is_turn = self.made.is_multiple_of(self.between);
        self.made = self.made.wrapping_add(1);
        // Taken in any case: the look that follows finds all that is due.
        agenda.take_due(self.queue, now) || is_turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_note_counts_and_is_taken_once() {
        let agenda = Agenda::default();
        let at = Timestamp::from_millis;
        assert!(!agenda.take_due("mail", at(100)));
        agenda.note("mail", at(50));
        agenda.note("mail", at(80));
        assert!(!agenda.take_due("mail", at(49)));
        assert!(!agenda.take_due("exports", at(50)));
        assert!(agenda.take_due("mail", at(50)));
        assert!(!agenda.take_due("mail", at(90)));
        let mut checks = Checks::new("mail", 3);
        let due: Vec<bool> = (0..5).map(|_| checks.is_due(&agenda, at(100))).collect();
        assert_eq!(due, [true, false, false, true, false]);
        agenda.note("mail", Agenda::AT_ONCE);
        assert!(checks.is_due(&agenda, at(100)));
    }
}
