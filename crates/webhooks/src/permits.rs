//! Who may send how much at once, so that a slow or dead target delays nobody else.
//!
//! Each subscription has a share that grows while its target answers in time and falls to one
//! while it does not; targets that do not answer share a part of the whole among themselves; a
//! company has at most half of the whole.

use std::collections::HashMap;

use spotter_store::Signal;

/// Attempts that a new subscription may have under way.
const SHARE_START: u32 = 8;
/// Attempts that a subscription whose target answers may have under way.
const SHARE_MAX: u32 = 32;

/// The permits of the process.
#[derive(Debug)]
pub struct Permits {
    total: u32,
    in_use: u32,
    in_use_by_failing: u32,
    companies: HashMap<spotter_kernel::id::CompanyId, u32>,
    subscriptions: HashMap<Signal, Share>,
}

#[derive(Clone, Copy, Debug)]
struct Share {
    in_use: u32,
    most: u32,
    failing: bool,
}

impl Default for Share {
    fn default() -> Self {
        Self { in_use: 0, most: SHARE_START, failing: false }
    }
}

impl Permits {
    /// As many permits in all.
    pub fn new(total: u32) -> Self {
        Self {
            total,
            in_use: 0,
            in_use_by_failing: 0,
            companies: HashMap::new(),
            subscriptions: HashMap::new(),
        }
    }

    /// How many more attempts a subscription may begin now.
    pub fn free(&self, of: Signal) -> u32 {
        let share = self.subscriptions.get(&of).copied().unwrap_or_default();
        let company = self.companies.get(&of.0).copied().unwrap_or_default();
        let failing = (self.total / 4).max(1).saturating_sub(self.in_use_by_failing);
        share
            .most
            .saturating_sub(share.in_use)
            .min(self.total.saturating_sub(self.in_use))
            .min((self.total / 2).max(1).saturating_sub(company))
            .min(if share.failing { failing } else { u32::MAX })
    }

    /// Begins attempts.
    pub fn take(&mut self, of: Signal, count: u32) {
        if count == 0 {
            return;
        }
        let share = self.subscriptions.entry(of).or_default();
        share.in_use += count;
        self.in_use += count;
        *self.companies.entry(of.0).or_default() += count;
        if share.failing {
            self.in_use_by_failing += count;
        }
    }

    /// Gives back permits that were not needed after all.
    pub fn put_back(&mut self, of: Signal, count: u32) {
        if count > 0 {
            self.lower(of, count);
        }
    }

    /// Ends an attempt, whose target answered in time or did not.
    pub fn give_back(&mut self, of: Signal, answered: bool) {
        self.lower(of, 1);
        let share = self.subscriptions.entry(of).or_default();
        match (share.failing, answered) {
            (false, false) => self.in_use_by_failing += share.in_use,
            (true, true) => self.in_use_by_failing -= share.in_use,
            _ => {}
        }
        share.failing = !answered;
        share.most = if answered { (share.most * 2).min(SHARE_MAX) } else { 1 };
        // A share that nobody uses and that says nothing is forgotten.
        if share.in_use == 0 && answered {
            self.subscriptions.remove(&of);
        }
    }

    fn lower(&mut self, of: Signal, count: u32) {
        let share = self.subscriptions.entry(of).or_default();
        share.in_use -= count;
        self.in_use -= count;
        if share.failing {
            self.in_use_by_failing -= count;
        }
        if let Some(company) = self.companies.get_mut(&of.0) {
            *company -= count;
            if *company == 0 {
                self.companies.remove(&of.0);
            }
        }
    }

    /// Forgets failing targets that nothing is sent to, so that what is remembered stays bounded.
    pub fn forget_idle(&mut self, most: usize) {
        if self.subscriptions.len() > most {
            self.subscriptions.retain(|_, share| share.in_use > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::{Id, Timestamp, id::CompanyId};

    use super::*;

    fn signal(company: u8, subscription: u8) -> Signal {
        let id = |n| Id::new(Timestamp::from_millis(1), [n; 6]);
        (CompanyId(id(company)), id(subscription))
    }

    #[test]
    fn a_dead_target_keeps_one_permit_and_a_live_one_grows() {
        let mut permits = Permits::new(256);
        let (dead, live) = (signal(1, 1), signal(1, 2));
        assert_eq!(permits.free(dead), SHARE_START);
        permits.take(dead, 8);
        permits.take(live, 8);
        permits.give_back(dead, false);
        assert_eq!(permits.free(dead), 0);
        for _ in 0..7 {
            permits.give_back(dead, false);
        }
        assert_eq!(permits.free(dead), 1);
        permits.give_back(live, true);
        permits.give_back(live, true);
        assert_eq!(permits.free(live), SHARE_MAX - 6);
        permits.take(live, 5);
        permits.put_back(live, 5);
        assert_eq!(permits.free(live), SHARE_MAX - 6);
        permits.take(dead, 1);
        permits.give_back(dead, true);
        assert_eq!(permits.free(dead), SHARE_START);
    }

    #[test]
    fn many_dead_targets_leave_room_for_the_rest() {
        let mut permits = Permits::new(64);
        for n in 0..200 {
            let dead = signal(n / 4, n);
            let count = permits.free(dead).min(1);
            permits.take(dead, count);
            if count == 1 {
                permits.give_back(dead, false);
            }
            let again = permits.free(dead);
            permits.take(dead, again);
        }
        assert_eq!(permits.in_use, 16);
        assert_eq!(permits.free(signal(99, 255)), SHARE_START);
    }

    #[test]
    fn a_company_has_half_at_most() {
        let mut permits = Permits::new(64);
        for n in 0..20 {
            let count = permits.free(signal(1, n));
            permits.take(signal(1, n), count);
        }
        assert_eq!(permits.in_use, 32);
        assert_eq!(permits.free(signal(2, 1)), SHARE_START);
    }

    proptest! {
        #[test]
        fn what_is_taken_is_given_back(steps in proptest::collection::vec((0u8..4, 0u8..6, any::<bool>(), any::<bool>()), 0..400)) {
            let mut permits = Permits::new(40);
            let mut held: Vec<Signal> = Vec::new();
            for (company, subscription, takes, answered) in steps {
                let of = signal(company, subscription);
                if takes {
                    let count = permits.free(of);
                    permits.take(of, count);
                    held.extend((0..count).map(|_| of));
                } else if let Some(of) = held.pop() {
                    permits.give_back(of, answered);
                }
                prop_assert_eq!(permits.in_use as usize, held.len());
                prop_assert!(permits.in_use <= 40);
            }
            for of in held.into_iter().rev() {
                permits.give_back(of, true);
            }
            prop_assert_eq!((permits.in_use, permits.in_use_by_failing), (0, 0));
            prop_assert!(permits.companies.is_empty());
        }
    }
}
