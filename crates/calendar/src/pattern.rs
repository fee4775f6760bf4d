//! Weekly patterns: the dates of a series, in RFC 5545's way with Monday as the first day of a week
//! (`FREQ=WEEKLY;INTERVAL;BYDAY;UNTIL;COUNT`). Knows no database.

use spotter_kernel::Date;

/// Some weekdays of every so many weeks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// ISO weekdays, 1 = Monday to 7 = Sunday.
    pub weekdays: Vec<i64>,
    /// 1 for every week.
    pub interval_weeks: i64,
    /// The date from which on there are occurrences; its week is the first.
    pub start_date: Date,
    /// The last date that can be one.
    pub until_date: Option<Date>,
    /// How many there are.
    pub count: Option<i64>,
}

impl Pattern {
    /// The dates up to a last one, and no more than so many.
    pub fn dates(&self, through: Date, most: usize) -> Vec<Date> {
        let last = self.until_date.map_or(through, |until| until.min(through));
        let most = self.count.map_or(most, |count| most.min(count.max(0) as usize));
        let mut weekdays = self.weekdays.clone();
        weekdays.sort_unstable();
        weekdays.dedup();
        let (mut found, mut monday) = (Vec::new(), self.start_date.monday());
        while monday <= last && found.len() < most {
            for weekday in &weekdays {
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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    proptest! {
        /// The dates are those that a walk over the days finds.
        #[test]
        fn dates_are_those_that_a_walk_finds(
            weekdays in prop::collection::btree_set(1_i64..=7, 1..=7),
            interval_weeks in 1_i64..=8, start in 0_i64..1_000, long in 0_i64..400,
            until in prop::option::of(0_i64..400), count in prop::option::of(1_i64..=104),
        ) {
            let start_date = date("2025-01-01").plus_days(start).unwrap();
            let until_date = until.and_then(|days| start_date.plus_days(days));
            let weekdays: Vec<_> = weekdays.into_iter().collect();
            let through = start_date.plus_days(long).unwrap();
            let mut walked = Vec::new();
            for day in 0..=long {
                let date = start_date.plus_days(day).unwrap();
                let weeks = start_date.monday().days_until(date.monday()) / 7;
                let weekday = i64::from(date.0.weekday().to_monday_one_offset());
                let counted = count.is_none_or(|count| (walked.len() as i64) < count);
                let open = until_date.is_none_or(|until| date <= until);
                if weeks % interval_weeks == 0 && weekdays.contains(&weekday) && counted && open {
                    walked.push(date);
                }
            }
            let pattern = Pattern { weekdays, interval_weeks, start_date, until_date, count };
            prop_assert_eq!(pattern.dates(through, 10_000), walked);
        }
    }

    #[test]
    fn the_week_of_the_start_is_the_first() {
        let pattern = Pattern {
            weekdays: vec![1, 5],
            interval_weeks: 2,
            start_date: date("2026-11-25"),
            until_date: None,
            count: Some(4),
        };
        let dates: Vec<_> =
            pattern.dates(date("2027-12-31"), 100).iter().map(ToString::to_string).collect();
        assert_eq!(dates, ["2026-11-27", "2026-12-07", "2026-12-11", "2026-12-21"]);
    }
}
