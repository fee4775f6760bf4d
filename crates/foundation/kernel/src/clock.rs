//! Instants, and the two sources that rules may not reach for themselves.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    problem::{INVALID, Key, Problem, Result, refuse},
    rule::Rule,
};

/// Where the current time comes from.
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> Timestamp;
}

/// Where random bytes come from.
pub trait Entropy: Send + Sync {
    /// Fills the whole buffer with unpredictable bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// An instant: milliseconds since 1970-01-01T00:00:00Z inside, ISO 8601 in UTC with exactly three
/// decimals outside (`2026-03-29T01:00:00.000Z`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The last instant that a four-digit year can write.
    const MAX: i64 = 253_402_300_799_999;

    /// An instant from milliseconds since the epoch; out-of-range values are clamped to four-digit years.
    pub const fn from_millis(millis: i64) -> Self {
        if millis < 0 {
            Self(0)
        } else if millis > Self::MAX {
            Self(Self::MAX)
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch.
    pub const fn seconds(self) -> i64 {
        self.0 / 1000
    }

    /// The instant that many milliseconds later (earlier when negative).
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The instant that many seconds later (earlier when negative).
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(1000))
    }

    /// The instant that many days of 24 hours later (earlier when negative).
    pub const fn plus_days(self, days: i64) -> Self {
        self.plus_seconds(days.saturating_mul(86_400))
    }

    /// Reads an RFC 3339 instant with any offset; finer digits than milliseconds are cut.
    pub fn parse(text: &str) -> Option<Self> {
        let millis = text.parse::<jiff::Timestamp>().ok()?.as_millisecond();
        (0..=Self::MAX).contains(&millis).then_some(Self(millis))
    }

    /// The 24 characters without an allocation.
    fn as_chars(self) -> [u8; 24] {
        let at = jiff::tz::Offset::UTC.to_datetime(self.to_jiff());
        let mut out = *b"0000-00-00T00:00:00.000Z";
        let parts = [
            (0..4, i64::from(at.year())),
            (5..7, at.month().into()),
            (8..10, at.day().into()),
            (11..13, at.hour().into()),
            (14..16, at.minute().into()),
            (17..19, at.second().into()),
            (20..23, self.0 % 1000),
        ];
        for (place, mut rest) in parts {
            for digit in out[place].iter_mut().rev() {
                *digit += (rest % 10) as u8;
                rest /= 10;
            }
        }
        out
    }

    /// The same instant as the time library's type.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::MAX)
    }
}

/// Refuses a range whose end is before its start, by the end's field.
pub fn in_order<T: PartialOrd>(from: Option<T>, to: Option<T>, field: &str) -> Result<()> {
    match (from, to) {
        (Some(from), Some(to)) if to < from => {
            Err(Problem::field(Key::DateRangeOrderInvalid, field, Rule::BeforeStart))
        }
        _ => Ok(()),
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.as_chars()).unwrap_or_default())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.as_chars()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| refuse::<D::Error>(Key::InvalidDate, Rule::NotTimestamp))
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time", INVALID: Key::InvalidDate.wire(),
            "pattern": "^(19[7-9][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_three_decimals_always() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        let at = Timestamp::parse("2026-03-29T03:00:00.1239+02:00").unwrap();
        assert_eq!(at.to_string(), "2026-03-29T01:00:00.123Z");
    }

    #[test]
    fn instants_are_read_as_they_were_written() {
        // Each a day and a half after the one before, at another time of day, as far as the time library goes.
        let last = jiff::Timestamp::MAX.as_millisecond();
        for millis in (0..=last).step_by(129_599_983).chain([last]) {
            let at = Timestamp::from_millis(millis);
            assert_eq!(Timestamp::parse(&at.to_string()), Some(at), "{millis}");
        }
    }

    #[test]
    fn invalid_instants_are_refused() {
        for text in ["", "2026-03-29", "2026-03-29T10:00:00", "2026-02-30T00:00:00Z"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
