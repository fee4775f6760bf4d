//! The days, weeks and months of a report. Dates are those of the place where something happened; weeks begin
//! on Monday (ISO 8601). A range that begins or ends within a week or a month cuts it.

use crate::rules::ReportRule;
use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::locations::Location;
use spotter_contract::{Read, metrics};
use spotter_kernel::{
    Date, DateRange, Key, Problem, Result, TimeZone, Timestamp,
    id::{CoachId, LocationId},
};
use spotter_people::coaches::Coach;
use spotter_store::words;

words! {
    /// What a report is divided into.
    pub enum GroupBy { Day = "day", Week = "week", Month = "month" }
}

impl GroupBy {
    /// The first day of the bucket that a day is in.
    fn first(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => day.monday(),
            Self::Month => day.first_of_month(),
        }
    }

    /// The last day of it.
    fn last(self, day: Date) -> Date {
        match self {
            Self::Day => day,
            Self::Week => day.monday().plus_days(6).unwrap_or(Date::MAX),
            Self::Month => day.last_of_month(),
        }
    }

    /// How many of them a report may have.
    const fn most(self) -> usize {
        match self {
            Self::Day => 366,
            Self::Week => 106,
            Self::Month => 60,
        }
    }
}

/// A day, week or month of a report, or the part of it that is in the range.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Bucket {
    /// First date, inclusive.
    pub from: Date,
    /// Last date, inclusive.
    pub to: Date,
    /// When the first date begins, by the report's time zone.
    pub starts_at: Timestamp,
    /// When the last date is over.
    pub ends_at: Timestamp,
    /// Whether the period is partial: cut by the range, or not over yet.
    pub partial: bool,
    /// Whether the range has all of it that has been.
    #[serde(skip)]
    pub whole: bool,
}

/// What a report is of.
#[derive(Debug, Clone)]
pub struct Frame {
    /// First date, inclusive.
    pub from: Date,
    /// Last date, inclusive.
    pub to: Date,
    /// Into what it is divided.
    pub group_by: GroupBy,
    /// The zone of the location that it is of, or else of the company.
    pub zone: TimeZone,
    /// Today's date there.
    pub today: Date,
    /// The scope of its metrics.
    pub scope: String,
}

impl Frame {
    /// The requested scope, if its location and coach exist.
    pub fn of(
        cx: &mut Read,
        dates: DateRange,
        group_by: GroupBy,
        location: Option<LocationId>,
        coach: Option<CoachId>,
    ) -> Result<Self> {
        let DateRange { from, to } = dates;
        let rule = ReportRule::UnknownLocation;
        let zone = match location {
            Some(id) => {
                Location::find(cx, id).map_err(|none| none.missing("locationId", rule))?.time_zone()
            }
            None => cx.zone()?,
        };
        if let Some(id) = coach {
            let rule = ReportRule::UnknownCoach;
            Coach::find(cx, id).map_err(|none| none.missing("coachId", rule))?;
        }
        let today = zone.date_at(cx.now());
        let scope = metrics::scope(location, coach);
        let frame = Self { from, to, group_by, zone, today, scope };
        if frame.firsts().nth(group_by.most()).is_some() {
            let most = group_by.most();
            let rule = match group_by {
                GroupBy::Day => ReportRule::RangeOfDays { most },
                GroupBy::Week => ReportRule::RangeOfWeeks { most },
                GroupBy::Month => ReportRule::RangeOfMonths { most },
            };
            return Err(Problem::field(Key::DateRangeTooLarge, "to", rule));
        }
        Ok(frame)
    }

    /// The first day of each bucket, whether or not the range has it.
    fn firsts(&self) -> impl Iterator<Item = Date> + use<> {
        let (group_by, to) = (self.group_by, self.to);
        std::iter::successors(Some(group_by.first(self.from)), move |first| {
            // The last day of the calendar is followed by none.
            let last = group_by.last(*first);
            (last < to).then(|| last.tomorrow())
        })
    }

    /// Its days, weeks or months, also those of which there is nothing.
    pub fn buckets(&self) -> Vec<Bucket> {
        let bucket = |first: Date| {
            let last = self.group_by.last(first);
            let (from, to) = (first.max(self.from), last.min(self.to));
            // Beyond today there is nothing yet that the range could leave out.
            let whole = from == first && (to == last || to >= self.today);
            Bucket {
                from,
                to,
                starts_at: from.start_in(&self.zone),
                ends_at: to.tomorrow().start_in(&self.zone),
                partial: !whole || last >= self.today,
                whole,
            }
        };
        self.firsts().map(bucket).collect()
    }

    /// Whether all of a day is over.
    pub fn is_over(&self, day: Date) -> bool {
        day < self.today
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(from: &str, to: &str, group_by: GroupBy) -> Frame {
        let [from, to, today] = [from, to, "2026-11-24"].map(|text| Date::parse(text).unwrap());
        let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
        Frame { from, to, group_by, zone, today, scope: String::new() }
    }

    fn labels(frame: &Frame) -> Vec<(String, String, bool, bool)> {
        let output =
            |one: Bucket| (one.from.to_string(), one.to.to_string(), one.partial, one.whole);
        frame.buckets().into_iter().map(output).collect()
    }

    #[test]
    fn ranges_cut_weeks_and_months() {
        let text = |from: &str, to: &str, partial, whole| (from.into(), to.into(), partial, whole);
        assert_eq!(
            labels(&frame("2026-10-28", "2026-11-10", GroupBy::Week)),
            [
                text("2026-10-28", "2026-11-01", true, false),
                text("2026-11-02", "2026-11-08", false, true),
                text("2026-11-09", "2026-11-10", true, false),
            ]
        );
        assert_eq!(
            labels(&frame("2026-10-01", "2026-11-30", GroupBy::Month)),
            [
                text("2026-10-01", "2026-10-31", false, true),
                text("2026-11-01", "2026-11-30", true, true),
            ]
        );
        // This month so far is all of it that there is.
        assert_eq!(
            labels(&frame("2026-11-01", "2026-11-24", GroupBy::Month)),
            [text("2026-11-01", "2026-11-24", true, true)]
        );
        assert_eq!(labels(&frame("2026-02-28", "2026-03-01", GroupBy::Day)).len(), 2);
    }

    #[test]
    fn days_have_as_many_hours_as_the_clock_gives_them() {
        let hours = |day: &str| {
            let [bucket] = frame(day, day, GroupBy::Day).buckets().try_into().unwrap();
            (bucket.ends_at.millis() - bucket.starts_at.millis()) / 3_600_000
        };
        assert_eq!((hours("2026-03-29"), hours("2026-10-25"), hours("2026-11-24")), (23, 25, 24));
    }

    #[test]
    fn the_calendar_ends() {
        assert_eq!(frame("9999-12-20", "9999-12-31", GroupBy::Week).buckets().len(), 2);
    }
}
