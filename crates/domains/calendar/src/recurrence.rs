//! Recurrences: dates of a weekly pattern at a wall-clock time of a zone, as in RFC 5545 with Monday as the first day
//! of a week (`FREQ=WEEKLY;INTERVAL;BYDAY;UNTIL;COUNT` and `EXDATE`); and the effect of a change on existing dates.
//! Needs no database.

use std::collections::BTreeSet;

use crate::rules::CalendarRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{
    Change, Date, Key, Many, Patch, Problem, Result, Rule, TimeZone, Timestamp,
    number::BoundedInteger, text::WallTime,
};

/// Most occurrences of a recurrence with an end.
const COUNT_MAX: usize = 104;
/// The longest recurrence with an end, in days.
const LONG_MAX: i64 = 366;
/// More dates than any query needs.
const EVERY: usize = 10_000;

/// Weekdays every few weeks, at one wall-clock time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recurrence {
    /// ISO weekdays, 1 = Monday to 7 = Sunday.
    pub weekdays: Vec<i64>,
    /// 1 for every week.
    pub interval_weeks: i64,
    /// Local start time.
    pub start_time: WallTime,
    /// The zone of that clock.
    pub time_zone: TimeZone,
    /// The date from which on there are occurrences; its week is the first.
    pub start_date: Date,
    /// The last possible date; null without an end.
    pub until_date: Option<Date>,
    /// Number of occurrences, including excluded ones; null if the recurrence ends by date or not
    /// at all.
    pub count: Option<i64>,
    /// Dates of the pattern that are left out.
    pub exclusions: Vec<Date>,
}

impl Recurrence {
    /// The first date of the pattern, left out or not, for which something holds.
    pub fn first(&self, through: Date, holds: impl Fn(&Date) -> bool) -> Option<Date> {
        self.pattern(through, EVERY).into_iter().find(holds)
    }

    /// The dates of the pattern up to a last one, at most `most`.
    fn pattern(&self, through: Date, most: usize) -> Vec<Date> {
        let last = self.until_date.map_or(through, |until| until.min(through));
        let most = self.count.map_or(most, |count| most.min(count.max(0) as usize));
        let (mut found, mut monday) = (Vec::new(), self.start_date.monday());
        while monday <= last && found.len() < most {
            for weekday in &self.weekdays {
                let Some(date) = monday.plus_days(weekday - 1) else { return found };
                if date >= self.start_date && date <= last && found.len() < most {
                    found.push(date);
                }
            }
            let Some(next) = monday.plus_days(7 * self.interval_weeks.max(1)) else { break };
            monday = next;
        }
        found
    }

    /// The dates up to a last one, without exceptions.
    pub fn dates(&self, through: Date) -> Vec<Date> {
        let mut dates = self.pattern(through, EVERY);
        dates.retain(|date| !self.exclusions.contains(date));
        dates
    }

    /// Whether a date is one of the pattern, left out or not.
    pub fn contains(&self, date: Date) -> bool {
        self.pattern(date, EVERY).last() == Some(&date)
    }

    /// When the occurrence of a date begins.
    pub fn starts_at(&self, date: Date) -> Timestamp {
        date.at(&self.start_time, &self.time_zone)
    }

    /// Whether it has an end.
    pub fn has_end(&self) -> bool {
        self.until_date.is_some() || self.count.is_some()
    }

    /// The date up to which occurrences are made: the last where it has an end, otherwise a horizon from now, or from
    /// a later start.
    pub fn materialized_until(&self, now: Timestamp, ahead_days: i64) -> Date {
        let today = self.time_zone.date_at(now);
        let from_start = |days| self.start_date.plus_days(days).unwrap_or(self.start_date);
        match (self.until_date, self.count) {
            (Some(until), _) => until,
            (None, Some(_)) => {
                self.pattern(from_start(LONG_MAX), EVERY).last().copied().unwrap_or(self.start_date)
            }
            (None, None) => from_start(ahead_days + self.start_date.days_until(today).max(0)),
        }
    }

    /// Refuses an end that is before the start, too far ahead, or given twice.
    pub fn check(&self) -> Result<()> {
        if self.until_date.is_some() && self.count.is_some() {
            return Err(Problem::invalid("recurrence.count", CalendarRule::CountBesideUntil));
        }
        if self.until_date.is_some_and(|until| until < self.start_date) {
            return Err(Problem::field(
                Key::DateRangeOrderInvalid,
                "recurrence.untilDate",
                Rule::BeforeStart,
            ));
        }
        if self.until_date.is_some_and(|until| self.start_date.days_until(until) > LONG_MAX) {
            return Err(Problem::field(
                Key::DateRangeTooLarge,
                "recurrence.untilDate",
                CalendarRule::SeriesTooLong,
            ));
        }
        let far = self.start_date.plus_days(LONG_MAX).unwrap_or(self.start_date);
        if self.first(far, |_| true).is_none() {
            return Err(Problem::invalid("recurrence", CalendarRule::NoDates));
        }
        let dates = self.pattern(far, COUNT_MAX + 1).len();
        if self.count.is_some_and(|count| dates < count as usize) {
            return Err(Problem::field(
                Key::DateRangeTooLarge,
                "recurrence.count",
                CalendarRule::LastTooFar,
            ));
        }
        if self.until_date.is_some() && dates > COUNT_MAX {
            return Err(Problem::invalid(
                "recurrence.untilDate",
                CalendarRule::TooManyOccurrences { max: COUNT_MAX },
            ));
        }
        Ok(())
    }

    /// The same from a date on.
    pub fn from_date(&self, date: Date) -> Self {
        let before = date.plus_days(-1).map_or(0, |last| self.pattern(last, EVERY).len() as i64);
        Self {
            start_date: date.max(self.start_date),
            count: self.count.map(|count| count - before),
            exclusions: self.exclusions.iter().copied().filter(|own| *own >= date).collect(),
            ..self.clone()
        }
    }

    /// The same up to the day before a date.
    pub fn before_date(&self, date: Date) -> Self {
        Self {
            until_date: date.plus_days(-1),
            count: None,
            exclusions: self.exclusions.iter().copied().filter(|own| *own < date).collect(),
            ..self.clone()
        }
    }

    /// Leaves a date out.
    pub fn exclude(&mut self, date: Date) {
        if !self.exclusions.contains(&date) {
            self.exclusions.push(date);
            self.exclusions.sort_unstable();
        }
    }

    /// Compares the dates of this recurrence with those of the one that replaces it, each up to a date: kept, dropped
    /// and added. A cancelled date does not come back, because a date of both keeps its state.
    pub fn diff(&self, through: Date, next: &Self, next_through: Date) -> Diff {
        let own: BTreeSet<_> = self.dates(through).into_iter().collect();
        let others: BTreeSet<_> = next.dates(next_through).into_iter().collect();
        Diff {
            gone: own.difference(&others).copied().collect(),
            added: others.difference(&own).copied().collect(),
        }
    }
}

/// The effect of a change on the dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Dropped dates.
    pub gone: BTreeSet<Date>,
    /// Dates that were none before.
    pub added: BTreeSet<Date>,
}

/// A weekly recurrence.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRecurrence {
    /// ISO weekdays, 1 = Monday to 7 = Sunday.
    weekdays: Many<BoundedInteger<1, 7>, 1, 7>,
    /// 1 to 8; 1 when absent.
    interval_weeks: Option<BoundedInteger<1, 8>>,
    /// Local start time.
    start_time: WallTime,
    /// The zone of that clock; that of the coach's hours when absent.
    time_zone: Option<TimeZone>,
    /// The date from which on there are occurrences.
    start_date: Date,
    /// The last date that can be one, at most 366 days later; without it and `count` there is no end.
    until_date: Option<Date>,
    /// Number of occurrences, 1 to 104.
    count: Option<BoundedInteger<1, 104>>,
    /// Dates of the pattern that are left out; at most 104.
    #[serde(default)]
    exclusions: Many<Date, 0, 104>,
}

/// Each weekday once, in order.
fn in_order(weekdays: Many<BoundedInteger<1, 7>, 1, 7>) -> Vec<i64> {
    let weekdays: BTreeSet<i64> = weekdays.into_iter().map(Into::into).collect();
    weekdays.into_iter().collect()
}

impl NewRecurrence {
    /// The recurrence with its default zone; it must begin today or within a year.
    pub fn checked(self, zone: TimeZone, now: Timestamp) -> Result<Recurrence> {
        let recurrence = Recurrence {
            weekdays: in_order(self.weekdays),
            interval_weeks: self.interval_weeks.map_or(1, Into::into),
            start_time: self.start_time,
            time_zone: self.time_zone.unwrap_or(zone),
            start_date: self.start_date,
            until_date: self.until_date,
            count: self.count.map(Into::into),
            exclusions: self.exclusions.into(),
        };
        let today = recurrence.time_zone.date_at(now);
        if recurrence.start_date < today {
            return Err(Problem::invalid("recurrence.startDate", Rule::Passed));
        }
        if today.days_until(recurrence.start_date) > LONG_MAX {
            return Err(Problem::invalid("recurrence.startDate", CalendarRule::BeyondYear));
        }
        recurrence.check()?;
        Ok(recurrence)
    }
}

/// The changes of a recurrence from a date on.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RecurrenceChanges {
    /// ISO weekdays, 1 = Monday to 7 = Sunday.
    weekdays: Change<Many<BoundedInteger<1, 7>, 1, 7>>,
    /// Weeks between occurrences, 1 to 8.
    interval_weeks: Change<BoundedInteger<1, 8>>,
    /// Local start time.
    start_time: Change<WallTime>,
    /// The zone of that clock.
    time_zone: Change<TimeZone>,
    /// The last date that can be one; takes the place of `count`.
    until_date: Patch<Date>,
    /// Number of occurrences from the first changed one; replaces `untilDate`.
    count: Patch<BoundedInteger<1, 104>>,
}

impl RecurrenceChanges {
    /// The recurrence with the changes.
    pub fn apply(self, recurrence: &mut Recurrence) -> Result<()> {
        if let Some(weekdays) = self.weekdays.value() {
            recurrence.weekdays = in_order(weekdays);
        }
        self.interval_weeks.apply(&mut recurrence.interval_weeks);
        self.start_time.apply(&mut recurrence.start_time);
        self.time_zone.apply(&mut recurrence.time_zone);
        let (until, count) = (self.until_date, self.count.map(i64::from));
        if until.value().is_some() && count == Patch::Absent {
            recurrence.count = None;
        }
        if count.value().is_some() && until == Patch::Absent {
            recurrence.until_date = None;
        }
        until.apply(&mut recurrence.until_date);
        count.apply(&mut recurrence.count);
        recurrence.check()
    }

    /// The start of one occurrence; one alone has no pattern that could change.
    pub fn time_of_one(self) -> Result<Option<WallTime>> {
        let refused = [
            ("weekdays", self.weekdays.is_said()),
            ("intervalWeeks", self.interval_weeks.is_said()),
            ("timeZone", self.time_zone.is_said()),
            ("untilDate", self.until_date.is_said()),
            ("count", self.count.is_said()),
        ];
        match refused.into_iter().find(|(_, submitted)| *submitted) {
            Some((field, _)) => {
                let field = format!("recurrence.{field}");
                Err(Problem::invalid(&field, CalendarRule::OneOccurrence))
            }
            None => Ok(self.start_time.value()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn weekly(weekdays: Vec<i64>, start_date: Date) -> Recurrence {
        Recurrence {
            weekdays,
            interval_weeks: 1,
            start_time: WallTime::parse("10:00").unwrap(),
            time_zone: TimeZone::parse("Europe/Amsterdam").unwrap(),
            start_date,
            until_date: None,
            count: None,
            exclusions: Vec::new(),
        }
    }

    fn texts(dates: impl IntoIterator<Item = Date>) -> Vec<String> {
        dates.into_iter().map(|date| date.to_string()).collect()
    }

    prop_compose! {
        fn any_recurrence()(
            weekdays in prop::collection::btree_set(1_i64..=7, 1..=7),
            interval_weeks in 1_i64..=8, start in 0_i64..1_000,
            until in prop::option::of(0_i64..400), count in prop::option::of(1_i64..=104),
        ) -> Recurrence {
            let start_date = date("2025-01-01").plus_days(start).unwrap();
            let until_date = until.and_then(|days| start_date.plus_days(days));
            let own = weekly(weekdays.into_iter().collect(), start_date);
            Recurrence { interval_weeks, until_date, count, ..own }
        }
    }

    proptest! {
        /// The dates equal those that a walk over the days finds.
        #[test]
        fn dates_are_those_that_a_walk_finds(own in any_recurrence(), long in 0_i64..400) {
            let mut walked = Vec::new();
            for day in 0..=long {
                let date = own.start_date.plus_days(day).unwrap();
                let weeks = own.start_date.monday().days_until(date.monday()) / 7;
                let weekday = i64::from(date.0.weekday().to_monday_one_offset());
                let counted = own.count.is_none_or(|count| (walked.len() as i64) < count);
                let open = own.until_date.is_none_or(|until| date <= until);
                let in_turn = weeks % own.interval_weeks == 0;
                if in_turn && own.weekdays.contains(&weekday) && counted && open {
                    walked.push(date);
                }
            }
            let through = own.start_date.plus_days(long).unwrap();
            prop_assert_eq!(own.dates(through), walked);
        }

        /// Parts of a recurrence that is split at any of its dates are the whole.
        #[test]
        fn a_split_loses_nothing(own in any_recurrence(), at in 0_usize..60, left in 0_usize..60) {
            let through = own.start_date.plus_days(400).unwrap();
            let all = own.dates(through);
            prop_assume!(!all.is_empty());
            let mut own = own;
            own.exclude(all[left % all.len()]);
            let at = all[at % all.len()];
            let whole = own.dates(through);
            let parts = [own.before_date(at).dates(through), own.from_date(at).dates(through)];
            prop_assert_eq!(parts.concat(), whole);
            prop_assert!(own.contains(at));
        }

        /// A change keeps, drops and adds what comparing the two sets of dates gives, and never restores a skipped
        /// date.
        #[test]
        fn a_change_is_the_difference(
            own in any_recurrence(), weekdays in prop::collection::btree_set(1_i64..=7, 1..=7),
            left in 0_usize..60,
        ) {
            let through = own.start_date.plus_days(200).unwrap();
            let all = own.dates(through);
            prop_assume!(!all.is_empty());
            let mut own = own;
            own.exclude(all[left % all.len()]);
            let next = Recurrence { weekdays: weekdays.into_iter().collect(), ..own.clone() };
            let Diff { gone, added } = own.diff(through, &next, through);
            let mut result: BTreeSet<_> = own.dates(through).into_iter().collect();
            result.retain(|date| !gone.contains(date));
            prop_assert!(added.iter().all(|date| result.insert(*date)));
            prop_assert_eq!(result.into_iter().collect::<Vec<_>>(), next.dates(through));
            prop_assert!(own.exclusions.iter().all(|date| !added.contains(date)));
        }
    }

    #[test]
    fn the_week_of_the_start_is_the_first() {
        let own = weekly(vec![1, 5], date("2026-11-25"));
        let own = Recurrence { interval_weeks: 2, count: Some(4), ..own };
        let dates = own.dates(date("2027-12-31"));
        assert_eq!(texts(dates), ["2026-11-27", "2026-12-07", "2026-12-11", "2026-12-21"]);
        assert_eq!(own.materialized_until(Timestamp::from_millis(0), 92), date("2026-12-21"));
    }

    #[test]
    fn endless_series_reach_the_horizon() {
        let own = weekly(vec![1], date("2026-11-23"));
        let at = |day: &str| date(day).start_in(&own.time_zone);
        assert_eq!(own.materialized_until(at("2026-11-01"), 92), date("2027-02-23"));
        assert_eq!(own.materialized_until(at("2026-12-01"), 92), date("2027-03-03"));
    }

    #[test]
    fn an_end_takes_the_place_of_the_other() {
        let changed = |own: &Recurrence, change: serde_json::Value| {
            let mut next = own.clone();
            let changes: RecurrenceChanges = serde_json::from_value(change).unwrap();
            changes.apply(&mut next).map(|()| (next.until_date, next.count))
        };
        let own = Recurrence { count: Some(3), ..weekly(vec![1], date("2026-11-23")) };
        let until = serde_json::json!({"untilDate": "2027-01-04"});
        assert_eq!(changed(&own, until).unwrap(), (Some(date("2027-01-04")), None));
        assert_eq!(changed(&own, serde_json::json!({"count": null})).unwrap(), (None, None));
        let both = serde_json::json!({"untilDate": "2027-01-04", "count": 2});
        assert!(changed(&own, both).is_err());
        assert!(changed(&own, serde_json::json!({"untilDate": "2026-01-04"})).is_err());
    }
}
