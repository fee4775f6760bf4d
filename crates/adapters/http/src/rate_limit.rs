//! Rate limits: fixed windows of a minute, one for each API client, person or address.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::http::HeaderMap;
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, limits::RATE_WINDOW_SECONDS};

/// The caller that requests are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RateLimitKey {
    /// An API client or a signed-in person.
    Caller(Id),
    /// An account by the digest of its e-mail address, whether it exists or not.
    Account([u8; 32]),
    /// Everyone without a good token at an address (for IPv6: in its /64 network).
    Address(IpAddr),
}

impl RateLimitKey {
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }
}

/// The address that stands for its callers: for IPv6 the /64 network of a household.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// A caller's rate limit, as in `meta.rateLimit` and the `RateLimit-*` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset_seconds: u32,
    /// Whether this request is one too many.
    pub(crate) exceeded: bool,
}

impl RateLimitStatus {
    /// Refuses a request over the limit, with the time to wait.
    pub fn check(self) -> Result<()> {
        if !self.exceeded {
            return Ok(());
        }
        let mut problem = Problem::new(Key::RateLimitExceeded);
        problem.retry_after = Some(self.reset_seconds);
        Err(problem)
    }

    /// Writes the headers of an answer.
    pub fn write_headers(self, headers: &mut HeaderMap) {
        headers.insert("ratelimit-limit", self.limit.into());
        headers.insert("ratelimit-remaining", self.remaining.into());
        headers.insert("ratelimit-reset", self.reset_seconds.into());
    }
}

#[derive(Clone, Copy)]
struct Window {
    ends: i64,
    count: u32,
}

const SHARDS: usize = 16;
/// Windows that a shard holds before those that have ended are dropped.
const SHARD_SIZE: usize = 4_096;

/// Counts requests in this process; nodes count apart. [`SharedRates`](crate::permits::SharedRates) count together.
pub(crate) struct RateLimiter {
    shards: Vec<Mutex<HashMap<RateLimitKey, Window>>>,
    hasher: RandomState,
    window_seconds: i64,
}

impl RateLimiter {
    pub(crate) fn new() -> Self {
        Self::with_window(RATE_WINDOW_SECONDS)
    }

    pub(crate) fn with_window(window_seconds: i64) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, hasher: RandomState::new(), window_seconds }
    }

    /// Takes one request back out of the count.
    pub(crate) fn give_back(&self, counted: RateLimitKey) {
        let mut windows = self.shard(counted);
        if let Some(window) = windows.get_mut(&counted) {
            window.count = window.count.saturating_sub(1);
        }
    }

    /// Resets a count.
    pub(crate) fn forget(&self, counted: RateLimitKey) {
        self.shard(counted).remove(&counted);
    }

    fn shard(&self, counted: RateLimitKey) -> MutexGuard<'_, HashMap<RateLimitKey, Window>> {
        let shard = self.hasher.hash_one(counted) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one request and returns the state of the limit.
    pub(crate) fn take(
        &self,
        counted: RateLimitKey,
        limit: u32,
        now: Timestamp,
    ) -> RateLimitStatus {
        let mut windows = self.shard(counted);
        let seconds = now.seconds();
        if windows.len() >= SHARD_SIZE && !windows.contains_key(&counted) {
            windows.retain(|_, window| window.ends > seconds);
        }
        let fresh = Window { ends: seconds + self.window_seconds, count: 0 };
        let window = windows.entry(counted).or_insert(fresh);
        // A window that ends further off than any can was begun by a clock that has been set back since.
        if window.ends <= seconds || window.ends > fresh.ends {
            *window = fresh;
        }
        window.count = window.count.saturating_add(1);
        RateLimitStatus {
            limit,
            remaining: limit.saturating_sub(window.count),
            reset_seconds: u32::try_from(window.ends - seconds).unwrap_or(1).max(1),
            exceeded: window.count > limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_counts_and_ends() {
        let limiter = RateLimiter::new();
        let who = RateLimitKey::address("10.0.0.1".parse().unwrap());
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        assert_eq!(limiter.take(who, 2, at(0)).remaining, 1);
        assert!(!limiter.take(who, 2, at(1)).exceeded);
        let third = limiter.take(who, 2, at(2));
        assert!(third.exceeded && third.remaining == 0 && third.reset_seconds == 58);
        assert!(!limiter.take(who, 2, at(60)).exceeded);
    }

    #[test]
    fn a_fast_clock_locks_nobody_out() {
        let limiter = RateLimiter::new();
        let who = RateLimitKey::address("10.0.0.1".parse().unwrap());
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        for _ in 0..3 {
            limiter.take(who, 2, at(3_600));
        }
        let back = limiter.take(who, 2, at(0));
        assert!(!back.exceeded && back.reset_seconds == 60, "{back:?}");
    }

    #[test]
    fn an_ipv6_network_counts_as_one_and_mapped_addresses_as_ipv4() {
        let of = |text: &str| RateLimitKey::address(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
    }
}
