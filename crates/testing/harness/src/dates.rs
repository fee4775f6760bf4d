//! Dates and instants around now.

use spotter_kernel::{Clock, Date, TimeZone, Timestamp};

use crate::SystemClock;

thread_local! {
    /// The instant at which the test of this thread first asked for one. Tests have a thread each, and count from one
    /// instant: asked twice, the clock can strike between two that are compared.
    static BEGUN: Timestamp = SystemClock.now();
}

fn begun() -> Timestamp {
    BEGUN.with(|begun| *begun)
}

/// The date a number of days from today, in the test company's zone.
pub fn day(days: i64) -> String {
    let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
    zone.date_at(begun()).plus_days(days).unwrap().to_string()
}

/// A Monday, a number of weeks from this week's.
pub fn monday(weeks: i64) -> String {
    after(&Date::parse(&day(0)).unwrap().monday().to_string(), 7 * weeks)
}

/// The date a number of days after another.
pub fn after(date: &str, days: i64) -> String {
    Date::parse(date).unwrap().plus_days(days).unwrap().to_string()
}

/// An instant a number of minutes ago.
pub fn ago(minutes: i64) -> String {
    SystemClock.now().plus_millis(-minutes * 60_000).to_string()
}

const MINUTE: i64 = 60_000;

const DAY: i64 = 86_400_000;

/// An instant a number of days and minutes after today's midnight (UTC).
pub fn at(day: i64, minute: i64) -> String {
    let today = begun().millis().div_euclid(DAY);
    Timestamp::from_millis((today + day) * DAY + minute * MINUTE).to_string()
}

/// The minute that it is, the same throughout a test.
pub fn this_minute() -> String {
    let now = begun().millis();
    Timestamp::from_millis(now - now % MINUTE).to_string()
}

/// A number of minutes after an instant.
pub fn later(at: &str, minutes: i64) -> String {
    Timestamp::parse(at).unwrap().plus_millis(minutes * MINUTE).to_string()
}
