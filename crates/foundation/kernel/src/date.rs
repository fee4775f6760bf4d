//! Calendar dates and IANA time zones.

use std::{borrow::Cow, fmt};

use jiff::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Timestamp,
    problem::{INVALID, Key, Result, refuse},
    rule::Rule,
    text::WallTime,
};

/// A calendar date without a time or a zone, written `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub jiff::civil::Date);

impl Date {
    /// The last date of the calendar.
    pub const MAX: Self = Self(jiff::civil::Date::MAX);

    /// Reads `YYYY-MM-DD`, and nothing looser.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return None;
        }
        text.parse().ok().map(Self)
    }

    /// The instant at which this date begins in a zone (the first valid instant where midnight
    /// is skipped by a change of the clocks).
    pub fn start_in(self, zone: &TimeZone) -> Timestamp {
        instant(self.0.to_zoned(zone.0.clone()))
    }

    /// The instant of a wall-clock time on this date in a zone, by RFC 5545: a time that a change
    /// of the clocks skips is read with the offset before it, one that comes twice means the first.
    pub fn at(self, time: &WallTime, zone: &TimeZone) -> Timestamp {
        let (hours, minutes) = time.parts();
        // The library's default is RFC 5545's rule.
        instant(self.0.at(hours, minutes, 0, 0).to_zoned(zone.0.clone()))
    }

    /// The date a number of days later; none past the end of the calendar.
    pub fn plus_days(self, days: i64) -> Option<Self> {
        let span = Span::new().try_days(days).ok()?;
        self.0.checked_add(span).ok().map(Self)
    }

    /// Days from this date to another; negative where that is earlier.
    pub fn days_until(self, other: Self) -> i64 {
        (other.0 - self.0).get_days().into()
    }

    /// The ISO weekday, 1 = Monday to 7 = Sunday.
    pub fn weekday(self) -> i64 {
        self.0.weekday().to_monday_one_offset().into()
    }

    /// The Monday of the date's week.
    pub fn monday(self) -> Self {
        let behind = i64::from(self.0.weekday().to_monday_zero_offset());
        self.plus_days(-behind).unwrap_or(self)
    }

    /// The first date of the date's month.
    pub fn first_of_month(self) -> Self {
        Self(self.0.first_of_month())
    }

    /// The last date of the date's month.
    pub fn last_of_month(self) -> Self {
        Self(self.0.last_of_month())
    }

    /// The date a number of months later, or the last day of a shorter month; unchanged past the end of the calendar.
    pub fn plus_months(self, months: i64) -> Self {
        let moved = Span::new().try_months(months).and_then(|span| self.0.checked_add(span));
        moved.map_or(self, Self)
    }

    /// The date after this one.
    pub fn tomorrow(self) -> Self {
        Self(self.0.tomorrow().unwrap_or(self.0))
    }
}

/// The instant of a time in a zone; the last of all for the last hours of the calendar, which have none.
fn instant(zoned: Result<jiff::Zoned, jiff::Error>) -> Timestamp {
    Timestamp::from_millis(zoned.map_or(i64::MAX, |at| at.timestamp().as_millisecond()))
}

/// A date of birth: a date from 1900 on. Whether it has come is for who knows the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BirthDate(pub Date);

impl<'de> Deserialize<'de> for BirthDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let date = Date::deserialize(deserializer)?;
        if date.0.year() >= 1900 {
            Ok(Self(date))
        } else {
            Err(refuse::<D::Error>(Key::InvalidDate, Rule::Before1900))
        }
    }
}

impl JsonSchema for BirthDate {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "BirthDate".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date", "examples": ["1990-05-17"],
            "pattern": "^(19|[2-9][0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}$",
            INVALID: Key::InvalidDate.wire()})
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| refuse::<D::Error>(Key::InvalidDate, Rule::NotDate))
    }
}

impl JsonSchema for Date {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Date".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            INVALID: Key::InvalidDate.wire()})
    }
}

/// A time zone by its IANA name, such as `Europe/Amsterdam`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZone(pub jiff::tz::TimeZone);

impl TimeZone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(jiff::tz::TimeZone::UTC);

    /// Looks a zone up by its IANA name.
    pub fn parse(name: &str) -> Option<Self> {
        // The library takes names in any case; here a zone has one name.
        jiff::tz::TimeZone::get(name).ok().filter(|zone| zone.iana_name() == Some(name)).map(Self)
    }

    /// The names that people choose from: those of places and UTC, in order, without old names.
    pub fn names() -> Vec<String> {
        const REGIONS: [&str; 10] = [
            "Africa",
            "America",
            "Antarctica",
            "Arctic",
            "Asia",
            "Atlantic",
            "Australia",
            "Europe",
            "Indian",
            "Pacific",
        ];
        let all = jiff::tz::db().available().map(|name| name.as_str().to_owned());
        let of_places = |name: &String| {
            name == "UTC"
                || name.split_once('/').is_some_and(|(region, _)| REGIONS.contains(&region))
        };
        let mut names: Vec<String> = all.filter(of_places).collect();
        names.sort_unstable();
        names
    }

    /// The date that it is in the zone at an instant.
    pub fn date_at(&self, at: Timestamp) -> Date {
        Date(at.to_jiff().to_zoned(self.0.clone()).date())
    }

    /// The time by the clock in the zone at an instant, without its seconds.
    pub fn time_at(&self, at: Timestamp) -> WallTime {
        let local = at.to_jiff().to_zoned(self.0.clone());
        WallTime::of(local.hour(), local.minute())
    }

    /// The IANA name.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }
}

impl Serialize for TimeZone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for TimeZone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| refuse::<D::Error>(Key::InvalidEnum, Rule::NotTimeZone))
    }
}

impl JsonSchema for TimeZone {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "TimeZone".into()
    }
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        // Zones come and go, and some names differ by a sign alone, which generators make one name of: no list of them.
        let about = "An IANA time zone name.";
        if schemas.contract().is_serialize() {
            return json_schema!({"type": "string", "description": about, "examples": ["Europe/Amsterdam"]});
        }
        json_schema!({"type": "string", "description": about, "maxLength": 60, "pattern": "^[A-Za-z0-9_+/-]+$",
            "examples": ["Europe/Amsterdam"], INVALID: Key::InvalidEnum.wire()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_strict() {
        assert!(Date::parse("2028-02-29").is_some());
        for text in ["2027-02-29", "2026-1-01", "20260101", "2026-01-01T00:00", "+02026-01-01"] {
            assert!(Date::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_day_begins_at_the_first_valid_instant() {
        // In Beirut the clocks go from 00:00 to 01:00 on 29 March 2026.
        let zone = TimeZone::parse("Asia/Beirut").unwrap();
        let start = Date::parse("2026-03-29").unwrap().start_in(&zone);
        assert_eq!(start.to_string(), "2026-03-28T22:00:00.000Z");
        assert!(TimeZone::parse("Mars/Olympus").is_none());
        assert!(TimeZone::parse("europe/amsterdam").is_none());
    }
}
