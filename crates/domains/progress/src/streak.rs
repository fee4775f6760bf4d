//! Streaks: how often in a row a habit was kept, by local dates. Needs no database and no clock.
//!
//! A streak of days is a run of due days that were kept; skipped or paused days neither count nor break it. A streak
//! of weeks is a run of ISO weeks in which the habit was kept often enough; a partial week (a pause, a skipped day,
//! or the habit's first or last day) counts where it was enough, and breaks nothing. A period that is not over breaks
//! nothing: neither today nor this week.

use std::collections::BTreeMap;

use crate::rules::ProgressRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Date, Phrase, Problem, Result, Rule};
use spotter_store::words;

words! {
    /// When a habit is due.
    pub enum ScheduleKind { Daily = "daily", Weekdays = "weekdays", TimesPerWeek = "times_per_week" }
}

words! {
    /// What a streak is counted in.
    pub enum StreakUnit { Day = "day", Week = "week" }
}

words! {
    /// The status of an entry: kept, missed, or skipped on purpose.
    pub enum EntryStatus { Done = "done", Missed = "missed", Skipped = "skipped" }
}

/// When a habit is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schedule {
    /// Kind of schedule: every day, some weekdays, or a number of times a week.
    pub kind: ScheduleKind,
    /// The ISO weekdays, 1 = Monday to 7 = Sunday, of `weekdays`.
    pub weekdays: Option<Vec<i64>>,
    /// Times per week, 1 to 7, for the schedule `times_per_week`.
    pub times: Option<i64>,
}

impl Schedule {
    /// Every day.
    pub const DAILY: Self = Self { kind: ScheduleKind::Daily, weekdays: None, times: None };

    /// The same with its weekdays in order, or what is wrong with it.
    pub fn checked(mut self) -> Result<Self> {
        let wrong = |field: &str, rule: Phrase| Err(Problem::invalid(field, rule));
        match (self.kind, &mut self.weekdays, self.times) {
            (ScheduleKind::Daily, None, None) => {}
            (ScheduleKind::Weekdays, Some(days), None) => {
                days.sort_unstable();
                days.dedup();
                if days.is_empty() || days.iter().any(|day| !(1..=7).contains(day)) {
                    return wrong("schedule.weekdays", ProgressRule::NotWeekdays.into());
                }
            }
            (ScheduleKind::TimesPerWeek, None, Some(1..=7)) => {}
            (ScheduleKind::TimesPerWeek, None, _) => {
                return wrong("schedule.times", Rule::OutOfRange { min: 1, max: 7 }.into());
            }
            (ScheduleKind::Weekdays, None, _) => {
                return wrong("schedule.weekdays", Rule::Required.into());
            }
            (ScheduleKind::Daily | ScheduleKind::TimesPerWeek, Some(_), _) => {
                return wrong("schedule.weekdays", ProgressRule::OnlyWithWeekdays.into());
            }
            (ScheduleKind::Daily | ScheduleKind::Weekdays, _, Some(_)) => {
                return wrong("schedule.times", ProgressRule::OnlyWithTimesPerWeek.into());
            }
        }
        Ok(self)
    }

    /// What its streaks are counted in.
    pub fn unit(&self) -> StreakUnit {
        match self.kind {
            ScheduleKind::TimesPerWeek => StreakUnit::Week,
            ScheduleKind::Daily | ScheduleKind::Weekdays => StreakUnit::Day,
        }
    }

    fn is_due(&self, date: Date) -> bool {
        let weekday = i64::from(date.0.weekday().to_monday_one_offset());
        self.weekdays.as_ref().is_none_or(|days| days.contains(&weekday))
    }
}

/// A schedule from a date on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleVersion {
    /// The first date on which it holds.
    pub from: Date,
    /// When the habit is due.
    pub schedule: Schedule,
}

/// Days on which a habit rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Rest {
    /// The first day of it.
    pub from: Date,
    /// The first day after it; null while it goes on.
    pub until: Option<Date>,
}

/// The facts that determine when a habit is due.
#[derive(Debug, Clone, Copy)]
pub struct HabitSchedule<'c> {
    /// Its schedules, the first one from its first day on.
    pub versions: &'c [ScheduleVersion],
    /// When it rests.
    pub rests: &'c [Rest],
    /// Its first day.
    pub start: Date,
    /// Last day.
    pub end: Option<Date>,
}

/// What comes of a habit's entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Streak {
    /// The longest ever, in the unit of the schedule that holds last.
    pub longest: i64,
    /// The last run.
    pub last: i64,
    /// The last day on which the streak lasts without a new entry; `None` where it cannot break.
    pub holds_until: Option<Date>,
}

impl Streak {
    /// The streak on a day.
    pub fn on(&self, today: Date) -> i64 {
        match self.holds_until {
            Some(until) if today > until => 0,
            _ => self.last,
        }
    }
}

/// The result of a day or week.
enum PeriodResult {
    Kept,
    Neutral,
    Broken,
}

impl HabitSchedule<'_> {
    fn schedule_on(&self, date: Date) -> Option<&Schedule> {
        let at = self.versions.partition_point(|version| version.from <= date);
        self.versions.get(at.checked_sub(1)?).map(|version| &version.schedule)
    }

    fn rests_on(&self, date: Date) -> bool {
        self.rests.iter().any(|rest| rest.from <= date && rest.until.is_none_or(|end| date < end))
    }

    fn is_on(&self, date: Date) -> bool {
        self.start <= date && self.end.is_none_or(|end| date <= end)
    }

    /// From when on the unit has been that of the last schedule.
    fn beginning(&self) -> Date {
        let Some(last) = self.versions.last() else { return self.start };
        let same = |version: &&ScheduleVersion| version.schedule.unit() == last.schedule.unit();
        let first = self.versions.iter().rev().take_while(same).last();
        first.map_or(self.start, |first| first.from.max(self.start))
    }

    fn day(&self, date: Date, entries: &BTreeMap<Date, EntryStatus>) -> PeriodResult {
        let is_due = self.is_on(date)
            && !self.rests_on(date)
            && self.schedule_on(date).is_some_and(|schedule| schedule.is_due(date));
        match (is_due, entries.get(&date)) {
            (false, _) | (true, Some(EntryStatus::Skipped)) => PeriodResult::Neutral,
            (true, Some(EntryStatus::Done)) => PeriodResult::Kept,
            (true, Some(EntryStatus::Missed) | None) => PeriodResult::Broken,
        }
    }

    fn week(&self, monday: Date, entries: &BTreeMap<Date, EntryStatus>) -> PeriodResult {
        let days: Vec<Date> = (0..7).filter_map(|day| monday.plus_days(day)).collect();
        let Some(sunday) = days.last() else { return PeriodResult::Neutral };
        let status = |day: &&Date| entries.get(day).copied();
        let done = |day: &&Date| self.is_on(**day) && status(day) == Some(EntryStatus::Done);
        let times = self.schedule_on(*sunday).and_then(|schedule| schedule.times).unwrap_or(1);
        if days.iter().filter(done).count() as i64 >= times {
            return PeriodResult::Kept;
        }
        let aside = |day: &Date| {
            !self.is_on(*day)
                || *day < self.beginning()
                || self.rests_on(*day)
                || entries.get(day) == Some(&EntryStatus::Skipped)
        };
        if days.iter().any(aside) { PeriodResult::Neutral } else { PeriodResult::Broken }
    }

    /// What comes of these entries.
    pub fn streak(&self, entries: &BTreeMap<Date, EntryStatus>) -> Streak {
        let is_weekly =
            self.versions.last().is_some_and(|last| last.schedule.unit() == StreakUnit::Week);
        let (first, step) = match is_weekly {
            true => (self.beginning().monday(), 7),
            false => (self.beginning(), 1),
        };
        let found = |date| match is_weekly {
            true => self.week(date, entries),
            false => self.day(date, entries),
        };
        let output = entries.iter().rev().find(|(_, status)| **status != EntryStatus::Missed);
        // Days or weeks with something in them that may have kept the run, and then those to come.
        let last = output.map(|(date, _)| if is_weekly { date.monday() } else { *date });
        let (mut longest, mut run) = (0, 0);
        let mut date = first;
        while last.is_some_and(|last| date <= last) {
            let is_last = last == Some(date);
            match found(date) {
                PeriodResult::Kept => run += 1,
                PeriodResult::Neutral => {}
                // A week that is not enough yet may still become so.
                PeriodResult::Broken if is_weekly && is_last => break,
                PeriodResult::Broken => run = 0,
            }
            longest = longest.max(run);
            match date.plus_days(step) {
                Some(next) => date = next,
                None => break,
            }
        }
        Streak { longest, last: run, holds_until: self.next_broken(date, step, found) }
    }

    /// The last day of the first day or week, from one on, that breaks a run if nothing is done in it.
    fn next_broken(
        &self,
        mut date: Date,
        step: i64,
        found: impl Fn(Date) -> PeriodResult,
    ) -> Option<Date> {
        loop {
            if let PeriodResult::Broken = found(date) {
                return date.plus_days(step - 1);
            }
            let last = date.plus_days(step - 1)?;
            // During an open pause nothing is due.
            let rests_on = |rest: &Rest| rest.until.is_none() && rest.from <= last;
            if self.end.is_some_and(|end| date > end) || self.rests.iter().any(rests_on) {
                return None;
            }
            date = date.plus_days(step)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn schedule(kind: ScheduleKind, weekdays: Option<Vec<i64>>, times: Option<i64>) -> Schedule {
        Schedule { kind, weekdays, times }.checked().unwrap()
    }

    fn streak(schedule: Schedule, rests: &[Rest], entries: &[(&str, EntryStatus)]) -> Streak {
        let start = date("2026-03-02");
        let versions = [ScheduleVersion { from: start, schedule }];
        let habit_schedule = HabitSchedule { versions: &versions, rests, start, end: None };
        habit_schedule.streak(&entries.iter().map(|(day, status)| (date(day), *status)).collect())
    }

    use EntryStatus::{Done, Missed, Skipped};

    #[test]
    fn today_never_breaks_and_yesterday_does() {
        let one = streak(Schedule::DAILY, &[], &[("2026-03-27", Done), ("2026-03-28", Done)]);
        assert_eq!((one.longest, one.last), (2, 2));
        let on = |day| one.on(date(day));
        assert_eq!((on("2026-03-28"), on("2026-03-29"), on("2026-03-30")), (2, 2, 0));
        let low = streak(Schedule::DAILY, &[], &[("2026-03-27", Done), ("2026-03-28", Missed)]);
        assert_eq!((low.on(date("2026-03-28")), low.on(date("2026-03-29"))), (1, 0));
    }

    #[test]
    fn skipped_or_paused_days_neither_add_nor_break() {
        let rest = Rest { from: date("2026-03-11"), until: Some(date("2026-03-20")) };
        let entries = [("2026-03-09", Done), ("2026-03-10", Skipped), ("2026-03-20", Done)];
        assert_eq!(streak(Schedule::DAILY, std::slice::from_ref(&rest), &entries).last, 2);
        let open = Rest { from: date("2026-03-11"), until: None };
        let resting = streak(Schedule::DAILY, &[open], &entries[..2]);
        assert_eq!((resting.last, resting.holds_until), (1, None));
        // A day that was due before the rest breaks it all the same.
        let late = Rest { from: date("2026-03-16"), until: None };
        let broken = streak(Schedule::DAILY, &[late], &entries[..2]);
        assert_eq!((broken.last, broken.holds_until), (1, Some(date("2026-03-11"))));
    }

    #[test]
    fn days_that_are_not_due_are_passed_over() {
        let days = schedule(ScheduleKind::Weekdays, Some(vec![5, 1, 3, 1]), None);
        let entries = [("2026-03-09", Done), ("2026-03-11", Done), ("2026-03-12", Done)];
        let one = streak(days, &[], &entries);
        assert_eq!((one.last, one.holds_until), (2, Some(date("2026-03-13"))));
    }

    #[test]
    fn weeks_count_where_it_was_enough() {
        let weekly = || schedule(ScheduleKind::TimesPerWeek, None, Some(2));
        let two = [
            ("2026-03-02", Done),
            ("2026-03-08", Done),
            ("2026-03-11", Done),
            ("2026-03-12", Done),
        ];
        let one = streak(weekly(), &[], &two);
        assert_eq!((one.last, one.holds_until), (2, Some(date("2026-03-22"))));
        // The third week has one of two so far, and breaks the run once it is over.
        let begun = [two.as_slice(), &[("2026-03-16", Done)]].concat();
        let one = streak(weekly(), &[], &begun);
        assert_eq!((one.last, one.holds_until), (2, Some(date("2026-03-22"))));
        let skipped = [
            two.as_slice(),
            &[("2026-03-16", Skipped), ("2026-03-23", Done), ("2026-03-24", Done)],
        ];
        assert_eq!(streak(weekly(), &[], &skipped.concat()).last, 3);
    }

    #[test]
    fn schedules_that_make_no_sense_are_refused() {
        for (kind, weekdays, times) in [
            (ScheduleKind::Daily, Some(vec![1]), None),
            (ScheduleKind::Weekdays, Some(vec![]), None),
            (ScheduleKind::Weekdays, Some(vec![0]), None),
            (ScheduleKind::Weekdays, None, None),
            (ScheduleKind::TimesPerWeek, None, Some(8)),
            (ScheduleKind::TimesPerWeek, None, None),
        ] {
            assert!(Schedule { kind, weekdays, times }.checked().is_err());
        }
    }

    /// From today backwards, day by day.
    fn slow_days(
        due: impl Fn(Date) -> bool,
        entries: &BTreeMap<Date, EntryStatus>,
        start: Date,
        today: Date,
    ) -> i64 {
        let (mut run, mut day) = (0, today);
        while day >= start {
            match entries.get(&day) {
                _ if !due(day) => {}
                Some(EntryStatus::Done) => run += 1,
                Some(EntryStatus::Skipped) => {}
                _ if day == today => {}
                _ => break,
            }
            day = day.plus_days(-1).unwrap();
        }
        run
    }

    proptest! {
        #[test]
        fn streaks_are_those_of_a_naive_count(
            output in prop::collection::btree_map(0..60i64, 0..3usize, 0..40),
            weekdays in prop::collection::btree_set(1..8i64, 1..8),
            rest in prop::option::of((0..60i64, prop::option::of(1..20i64))),
            ahead in 0..30i64,
        ) {
            let start = date("2026-02-20");
            let on = |day: i64| start.plus_days(day).unwrap();
            let status = |at: usize| [Done, Missed, Skipped][at];
            let entries: BTreeMap<_, _> = output.iter().map(|(day, at)| (on(*day), status(*at))).collect();
            let days: BTreeSet<i64> = weekdays.clone();
            let schedule = schedule(ScheduleKind::Weekdays, Some(weekdays.into_iter().collect()), None);
            let versions = [ScheduleVersion { from: start, schedule }];
            let rests: Vec<Rest> = rest
                .map(|(from, days)| Rest { from: on(from), until: days.map(|days| on(from + days)) })
                .into_iter()
                .collect();
            let habit_schedule = HabitSchedule { versions: &versions, rests: &rests, start, end: None };
            let today = on(output.keys().max().copied().unwrap_or(0) + ahead);
            let due = |day: Date| {
                let rests = rests.iter().any(|rest| rest.from <= day && rest.until.is_none_or(|end| day < end));
                days.contains(&i64::from(day.0.weekday().to_monday_one_offset())) && !rests
            };
            let found = habit_schedule.streak(&entries);
            prop_assert_eq!(found.on(today), slow_days(due, &entries, start, today));
            let longest = (0..=60).map(|day| slow_days(due, &entries, start, on(day))).max();
            prop_assert_eq!(Some(found.longest), longest);
        }

        #[test]
        fn weeks_are_those_of_a_naive_count(
            output in prop::collection::btree_set(0..70i64, 0..50), times in 1..4i64, ahead in 0..20i64,
        ) {
            let start = date("2026-02-23");
            let on = |day: i64| start.plus_days(day).unwrap();
            let entries: BTreeMap<_, _> = output.iter().map(|day| (on(*day), Done)).collect();
            let schedule = schedule(ScheduleKind::TimesPerWeek, None, Some(times));
            let versions = [ScheduleVersion { from: start, schedule }];
            let habit_schedule = HabitSchedule { versions: &versions, rests: &[], start, end: None };
            let today = output.iter().max().copied().unwrap_or(0) + ahead;
            let reached = |week: i64| output.range(week * 7..week * 7 + 7).count() as i64 >= times;
            let this = today / 7;
            let before = (0..this).rev().take_while(|week| reached(*week)).count() as i64;
            let naive = before + i64::from(reached(this));
            prop_assert_eq!(habit_schedule.streak(&entries).on(on(today)), naive);
        }
    }
}
