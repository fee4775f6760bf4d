//! Permits: how many attempts may run at once, so that a slow or dead target delays nobody else.
//!
//! An attempt is *fresh* for a moment, within which most targets answer, and *waiting* after that. Fresh ones use the
//! process and are few; waiting ones cost little more than a socket and are many. Targets without a known answer
//! leave a quarter of the fresh permits to proven ones, and failing targets share a quarter. A company has half of the
//! fresh ones and half of the waiting ones at most: its targets that hang keep nothing from those that answer. A
//! subscription's share grows while its target answers and is one otherwise.

use std::collections::HashMap;

use spotter_kernel::id::CompanyId;
use spotter_store::Signal;

/// Attempts that a subscription may have under way once its target has answered.
const SHARE_START: u32 = 8;
/// Attempts that a subscription may have under way at most.
const SHARE_MAX: u32 = 32;
/// Failures in a row after which a target that answered counts as one that does not.
const FAILURES_BELIEVED: u32 = 3;
/// Most idle subscriptions that are remembered; forgotten ones are read from the database again.
const REMEMBERED_MAX: usize = 20_000;

/// The health of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetHealth {
    /// It was never tried.
    New,
    /// It answered lately.
    Answers,
    /// It did not answer when it was last tried.
    Fails,
}

/// The permits of the process.
#[derive(Debug)]
pub struct Permits {
    /// Attempts that may be fresh at once.
    total: u32,
    /// Attempts that may wait at once.
    waiting_max: u32,
    fresh: u32,
    /// Those whose targets are not proven.
    fresh_unproven: u32,
    waiting: u32,
    /// Attempts at targets that fail: fresh ones, and those that wait.
    failing: AttemptCounts,
    companies: HashMap<CompanyId, AttemptCounts>,
    subscriptions: HashMap<Signal, TargetPermits>,
}

/// Attempts under way.
#[derive(Clone, Copy, Debug, Default)]
struct AttemptCounts {
    fresh: u32,
    waiting: u32,
}

impl AttemptCounts {
    fn all(self) -> u32 {
        self.fresh + self.waiting
    }
}

#[derive(Clone, Copy, Debug)]
struct TargetPermits {
    held: AttemptCounts,
    most: u32,
    health: TargetHealth,
    /// Failures since it last answered.
    failures: u32,
}

impl TargetPermits {
    fn new(state: TargetHealth) -> Self {
        let most = if state == TargetHealth::Answers { SHARE_START } else { 1 };
        Self { held: AttemptCounts::default(), most, health: state, failures: 0 }
    }
}

impl Permits {
    /// A number of fresh permits, and of waiting ones.
    pub fn new(total: u32, waiting_max: u32) -> Self {
        Self {
            total,
            waiting_max,
            fresh: 0,
            fresh_unproven: 0,
            waiting: 0,
            failing: AttemptCounts::default(),
            companies: HashMap::new(),
            subscriptions: HashMap::new(),
        }
    }

    /// Whether the target's standing is known here.
    pub fn knows(&self, of: Signal) -> bool {
        self.subscriptions.contains_key(&of)
    }

    /// Notes what the database knows of a target.
    pub fn learn(&mut self, of: Signal, state: TargetHealth) {
        self.subscriptions.entry(of).or_insert_with(|| TargetPermits::new(state));
    }

    /// How many more attempts a subscription may begin now.
    pub fn free(&self, of: Signal) -> u32 {
        let share = self.subscriptions.get(&of).copied();
        let TargetPermits { held, most, health: state, .. } =
            share.unwrap_or_else(|| TargetPermits::new(TargetHealth::New));
        let company = self.companies.get(&of.0).copied().unwrap_or_default();
        let unproven = (self.total - self.total / 4).saturating_sub(self.fresh_unproven);
        let failing = (self.total / 4).max(1).saturating_sub(self.failing.fresh);
        let failing_waits = self.total.saturating_sub(self.failing.waiting);
        let kept_for_others = match state {
            TargetHealth::Answers => u32::MAX,
            TargetHealth::New => unproven,
            TargetHealth::Fails => unproven.min(failing).min(failing_waits),
        };
        most.saturating_sub(held.all())
            .min(self.total.saturating_sub(self.fresh))
            .min((self.total / 2).max(1).saturating_sub(company.fresh))
            .min(kept_for_others)
    }

    /// Begins attempts.
    pub fn take(&mut self, of: Signal, count: u32) {
        if count > 0 {
            self.count(of, |held| held.fresh += count);
        }
    }

    /// Gives back permits that were not needed after all.
    pub fn put_back(&mut self, of: Signal, count: u32) {
        if count > 0 {
            self.count(of, |held| held.fresh -= count);
        }
    }

    /// An attempt is not fresh any more; whether there was room among those that wait.
    pub fn waits(&mut self, of: Signal) -> bool {
        let company = self.companies.get(&of.0).copied().unwrap_or_default();
        let room =
            self.waiting < self.waiting_max && company.waiting < self.waiting_max.div_ceil(2);
        if room {
            self.count(of, |held| {
                held.fresh -= 1;
                held.waiting += 1;
            });
        }
        room
    }

    /// Ends an attempt, fresh or waiting, whose target answered in time or did not.
    pub fn give_back(&mut self, of: Signal, waited: bool, answered: bool) {
        self.count(of, |held| match waited {
            true => held.waiting -= 1,
            false => held.fresh -= 1,
        });
        let share = self.share(of);
        share.failures = if answered { 0 } else { share.failures + 1 };
        let (state, most) = match (answered, share.health) {
            (true, _) => (TargetHealth::Answers, (share.most * 2).clamp(SHARE_START, SHARE_MAX)),
            // A connection may break off without its target being down.
            (false, TargetHealth::Answers) if share.failures < FAILURES_BELIEVED => {
                (TargetHealth::Answers, (share.most / 2).max(1))
            }
            (false, _) => (TargetHealth::Fails, 1),
        };
        // What it holds is counted under its new standing from now on.
        let held = share.held;
        self.count(of, |own| *own = AttemptCounts::default());
        let share = self.share(of);
        (share.health, share.most) = (state, most);
        self.count(of, |own| *own = held);
    }

    /// Forgets idle targets, so that memory is bounded.
    pub fn forget_idle(&mut self) {
        if self.subscriptions.len() > REMEMBERED_MAX {
            self.subscriptions.retain(|_, share| share.held.all() > 0);
        }
    }

    fn share(&mut self, of: Signal) -> &mut TargetPermits {
        self.subscriptions.entry(of).or_insert_with(|| TargetPermits::new(TargetHealth::New))
    }

    /// Changes what a subscription holds, and all sums with it.
    fn count(&mut self, of: Signal, change: impl FnOnce(&mut AttemptCounts)) {
        let share = self.share(of);
        let before = share.held;
        change(&mut share.held);
        let (after, state) = (share.held, share.health);
        let moved = |sum: &mut u32, from: u32, to: u32| *sum = *sum + to - from;
        moved(&mut self.fresh, before.fresh, after.fresh);
        moved(&mut self.waiting, before.waiting, after.waiting);
        if state != TargetHealth::Answers {
            moved(&mut self.fresh_unproven, before.fresh, after.fresh);
        }
        if state == TargetHealth::Fails {
            moved(&mut self.failing.fresh, before.fresh, after.fresh);
            moved(&mut self.failing.waiting, before.waiting, after.waiting);
        }
        let company = self.companies.entry(of.0).or_default();
        moved(&mut company.fresh, before.fresh, after.fresh);
        moved(&mut company.waiting, before.waiting, after.waiting);
        if company.all() == 0 {
            self.companies.remove(&of.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::{Id, Timestamp};

    use super::*;

    fn signal(company: u16, subscription: u16) -> Signal {
        let id = |n: u16| {
            let [high, low] = n.to_be_bytes();
            Id::new(Timestamp::from_millis(1), [high, low, 0, 0, 0, 0])
        };
        (CompanyId(id(company)), id(subscription))
    }

    #[test]
    fn a_new_target_starts_with_one_attempt_and_grows() {
        let mut permits = Permits::new(256, 4_096);
        let of = signal(1, 1);
        assert_eq!(permits.free(of), 1);
        for share in [8, 16, 32, 32] {
            permits.take(of, 1);
            permits.give_back(of, false, true);
            assert_eq!(permits.free(of), share);
        }
        for share in [16, 8, 1] {
            permits.take(of, 1);
            assert!(permits.waits(of));
            permits.give_back(of, true, false);
            assert_eq!(permits.free(of), share);
        }
        assert_eq!(permits.share(of).health, TargetHealth::Fails, "three in a row are believed");
    }

    #[test]
    fn thousands_of_new_targets_that_hang_leave_room_for_a_new_one() {
        let mut permits = Permits::new(256, 4_096);
        for n in 0..4_000 {
            let of = signal(n / 2, n);
            assert_eq!(permits.free(of), 1, "{n}");
            permits.take(of, 1);
            assert!(permits.waits(of));
        }
        assert_eq!((permits.fresh, permits.free(signal(9_999, 1))), (0, 1));
    }

    #[test]
    fn targets_that_are_not_known_to_answer_leave_a_quarter_to_those_that_are() {
        let mut permits = Permits::new(256, 0);
        for n in 0..400 {
            let of = signal(n, n);
            let free = permits.free(of);
            permits.take(of, free);
            assert!(free == 0 || !permits.waits(of), "there is no room to wait");
        }
        assert_eq!((permits.fresh, permits.free(signal(9_998, 1))), (192, 0));
        permits.learn(signal(9_999, 1), TargetHealth::Answers);
        assert_eq!(permits.free(signal(9_999, 1)), SHARE_START);
    }

    #[test]
    fn targets_that_fail_share_a_quarter() {
        let mut permits = Permits::new(64, 1_024);
        let fails = |n| signal(n / 4, n);
        for n in 0..200 {
            permits.learn(fails(n), TargetHealth::Fails);
            let free = permits.free(fails(n));
            permits.take(fails(n), free);
        }
        assert_eq!((permits.fresh, permits.free(fails(199))), (16, 0));
        assert_eq!(permits.free(signal(999, 999)), 1);
        for n in 0..16 {
            assert!(permits.waits(fails(n)));
        }
        assert_eq!(permits.free(fails(199)), 1);
    }

    #[test]
    fn a_company_has_half_at_most() {
        let mut permits = Permits::new(64, 1_024);
        for n in 0..20 {
            permits.learn(signal(1, n), TargetHealth::Answers);
            let count = permits.free(signal(1, n));
            permits.take(signal(1, n), count);
        }
        assert_eq!(permits.fresh, 32);
        assert_eq!(permits.free(signal(2, 1)), 1);
    }

    #[test]
    fn targets_that_hang_keep_nothing_from_others_of_their_company() {
        let mut permits = Permits::new(64, 1_024);
        let hangs = |n| signal(1, n);
        for n in 0..60 {
            permits.learn(hangs(n), TargetHealth::Answers);
            for _ in 0..permits.free(hangs(n)) {
                permits.take(hangs(n), 1);
                permits.waits(hangs(n));
            }
        }
        assert_eq!((permits.waiting, permits.fresh), (480, 0));
        permits.learn(signal(1, 99), TargetHealth::Answers);
        assert_eq!(permits.free(signal(1, 99)), SHARE_START);
    }

    proptest! {
        #[test]
        fn permits_are_given_back(steps in proptest::collection::vec((0u16..4, 0u16..6, 0u8..3, any::<bool>()), 0..400)) {
            let mut permits = Permits::new(40, 30);
            let mut held: Vec<(Signal, bool)> = Vec::new();
            for (company, subscription, step, answered) in steps {
                let of = signal(company, subscription);
                let next = held.iter().position(|(_, waited)| !waited);
                match (step, next) {
                    (0, _) => {
                        let count = permits.free(of);
                        permits.take(of, count);
                        held.extend((0..count).map(|_| (of, false)));
                    }
                    (1, Some(at)) => held[at].1 = permits.waits(held[at].0),
                    _ => if let Some((of, waited)) = held.pop() {
                        permits.give_back(of, waited, answered);
                    }
                }
                prop_assert_eq!((permits.fresh + permits.waiting) as usize, held.len());
                prop_assert!(permits.fresh <= 40 && permits.waiting <= 30);
            }
            for (of, waited) in held.into_iter().rev() {
                permits.give_back(of, waited, true);
            }
            let AttemptCounts { fresh, waiting } = permits.failing;
            prop_assert_eq!((permits.fresh, permits.waiting, permits.fresh_unproven, fresh, waiting), (0, 0, 0, 0, 0));
            prop_assert!(permits.companies.is_empty());
        }
    }
}
