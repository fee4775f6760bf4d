//! What several people hold at once of something that there is little of, so that nobody has all of it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use spotter_kernel::{Id, Key, Problem};

/// How much each person holds.
#[derive(Clone, Default)]
pub(crate) struct Shares(Arc<Mutex<HashMap<Id, usize>>>);

/// What one person holds, until it is dropped.
pub(crate) struct Share {
    all: Shares,
    person: Id,
}

/// Why there is nothing more to hold.
pub(crate) enum Taken {
    /// All of it is held.
    All,
    /// The person holds as much as one may.
    Own,
}

impl Shares {
    /// One more for a person, of so many in all and so many each.
    pub(crate) fn take(&self, person: Id, all: usize, each: usize) -> Result<Share, Taken> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.values().sum::<usize>() >= all {
            return Err(Taken::All);
        }
        let own = held.entry(person).or_default();
        if *own >= each {
            return Err(Taken::Own);
        }
        *own += 1;
        Ok(Share { all: self.clone(), person })
    }

    /// One more file that a person sends, of so many at once.
    pub(crate) fn own(&self, person: Id, each: usize) -> spotter_kernel::Result<Share> {
        self.take(person, usize::MAX, each).map_err(|_| {
            let text = format!("A person sends at most {each} files at once.");
            Problem::because(Key::RateLimitExceeded, text)
        })
    }
}

impl Drop for Share {
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
