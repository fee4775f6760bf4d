//! Quotas of scarce resources for each person, so that nobody can hold all of them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use spotter_kernel::{Id, Key, Problem};

use crate::rules::HttpRule;

/// How much each person holds.
#[derive(Clone, Default)]
pub(crate) struct PersonQuotas(Arc<Mutex<HashMap<Id, usize>>>);

/// What one person holds, until it is dropped.
pub(crate) struct QuotaPermit {
    all: PersonQuotas,
    person: Id,
}

/// Why there is nothing more to hold.
pub(crate) enum QuotaError {
    /// All of it is held.
    All,
    /// The person holds as much as one may.
    Own,
}

impl PersonQuotas {
    /// Takes one more for a person, within the limits for all and for each.
    pub(crate) fn take(
        &self,
        person: Id,
        all: usize,
        each: usize,
    ) -> Result<QuotaPermit, QuotaError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.values().sum::<usize>() >= all {
            return Err(QuotaError::All);
        }
        let own = held.entry(person).or_default();
        if *own >= each {
            return Err(QuotaError::Own);
        }
        *own += 1;
        Ok(QuotaPermit { all: self.clone(), person })
    }

    /// Takes one more upload for a person, within a limit.
    pub(crate) fn own(&self, person: Id, each: usize) -> spotter_kernel::Result<QuotaPermit> {
        self.take(person, usize::MAX, each).map_err(|_| {
            Problem::because(Key::RateLimitExceeded, HttpRule::FilesAtOnce { max: each })
        })
    }
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        let mut held = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.person) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.person);
            }
        }
    }
}
