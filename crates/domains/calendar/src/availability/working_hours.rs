//! Hours of a week and of dates: when a coach works, and when a location is open.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use spotter_kernel::{
    Date, Problem, Result,
    id::LocationId,
    number::{self},
    text::{self, ClosingTime, WallTime},
};

use crate::{rules::CalendarRule, vocabulary::EventTypeId};

/// Hours in which a coach works on a weekday.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkingHours {
    /// ISO weekday, 1 = Monday to 7 = Sunday.
    #[serde(deserialize_with = "weekday")]
    #[schemars(range(min = 1, max = 7))]
    pub weekday: i64,
    /// Time of day at which it begins, as `HH:MM`.
    pub start_time: WallTime,
    /// End as a time of day; on the next day if not later than the start.
    #[serde(deserialize_with = "text::closing")]
    #[schemars(with = "ClosingTime")]
    pub end_time: WallTime,
    /// Locations in this window; all when empty.
    #[serde(default)]
    pub location_ids: Vec<LocationId>,
    /// Event types that can be booked in this window; all when empty.
    #[serde(default)]
    pub event_type_ids: Vec<EventTypeId>,
}

/// Hours in which a coach works on a date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatedHours {
    /// Time of day at which it begins, as `HH:MM`.
    pub start_time: WallTime,
    /// End as a time of day; on the next day if not later than the start.
    #[serde(deserialize_with = "text::closing")]
    #[schemars(with = "ClosingTime")]
    pub end_time: WallTime,
    /// Locations in this window; all when empty.
    #[serde(default)]
    pub location_ids: Vec<LocationId>,
    /// Event types that can be booked in this window; all when empty.
    #[serde(default)]
    pub event_type_ids: Vec<EventTypeId>,
}

/// Hours on particular dates, instead of the weekly hours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Override<H> {
    /// The date, in the schedule's zone.
    pub date: Date,
    /// The hours of that date; none for a day off.
    pub windows: Vec<H>,
}

/// Hours in which a location can be used on a weekday.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenHours {
    /// ISO weekday, 1 = Monday to 7 = Sunday.
    #[serde(deserialize_with = "weekday")]
    #[schemars(range(min = 1, max = 7))]
    pub weekday: i64,
    /// Time of day at which it begins, as `HH:MM`.
    pub start_time: WallTime,
    /// End as a time of day; on the next day if not later than the start.
    #[serde(deserialize_with = "text::closing")]
    #[schemars(with = "ClosingTime")]
    pub end_time: WallTime,
}

/// Hours in which a location can be used on a date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatedOpenHours {
    /// Time of day at which it begins, as `HH:MM`.
    pub start_time: WallTime,
    /// End as a time of day; on the next day if not later than the start.
    #[serde(deserialize_with = "text::closing")]
    #[schemars(with = "ClosingTime")]
    pub end_time: WallTime,
}

pub(super) fn weekday<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 1..=7)
}

/// Hours that are checked for overlaps.
pub(super) trait Hours {
    /// The weekday; any one for the hours of a date.
    fn weekday(&self) -> i64 {
        1
    }
    /// Start and end.
    fn times(&self) -> (&WallTime, &WallTime);
    /// The locations and event types they apply to: hours with different ones may overlap.
    fn limits(&self) -> (&[LocationId], &[EventTypeId]) {
        (&[], &[])
    }

    /// The minutes of a week that they hold in.
    fn minutes(&self) -> (i64, i64) {
        let minute = |time: &WallTime| {
            let (hours, minutes) = time.parts();
            i64::from(hours) * 60 + i64::from(minutes)
        };
        let (start, end) = self.times();
        let (start, end) = (minute(start), minute(end));
        let long = if end > start { end - start } else { end + 1_440 - start };
        let begins = self.weekday() * 1_440 + start;
        (begins, begins + long)
    }
}

/// Implements the fields of working hours and opening hours.
macro_rules! hours {
    ($kind:ident $(, $weekday:ident)? $(; $places:ident, $types:ident)?) => {
        impl Hours for $kind {
            $(fn weekday(&self) -> i64 {
                self.$weekday
            })?
            fn times(&self) -> (&WallTime, &WallTime) {
                (&self.start_time, &self.end_time)
            }
            $(fn limits(&self) -> (&[LocationId], &[EventTypeId]) {
                (&self.$places, &self.$types)
            })?
        }
    };
}

hours!(WorkingHours, weekday; location_ids, event_type_ids);
hours!(DatedHours; location_ids, event_type_ids);
hours!(OpenHours, weekday);
hours!(DatedOpenHours);

/// Hours that hold for the same places and types are apart: two that overlap are a mistake in one of them.
pub(super) fn check_apart<H: Hours>(field: &str, all: &[H]) -> Result<()> {
    const WEEK: i64 = 7 * 1_440;
    for (at, one) in all.iter().enumerate() {
        let (start, end) = one.minutes();
        // Sunday night continues on Monday.
        let meets = |other: &H| {
            let (from, to) = other.minutes();
            [-WEEK, 0, WEEK].iter().any(|by| start + by < to && from < end + by)
        };
        let same = |other: &H| one.limits() == other.limits() && meets(other);
        if let Some(before) = all[..at].iter().position(same) {
            let rule = CalendarRule::Overlaps { field: field.to_string(), before };
            return Err(Problem::invalid(&format!("{field}[{at}]"), rule));
        }
    }
    Ok(())
}

/// The same for a week's hours, and for the exceptions of each date.
pub(super) fn check_all_apart<W: Hours, H: Hours>(
    weekly: &[W],
    overrides: &[Override<H>],
) -> Result<()> {
    check_apart("weekly", weekly)?;
    overrides.iter().enumerate().try_for_each(|(at, other)| {
        check_apart(&format!("overrides[{at}].windows"), &other.windows)
    })
}
