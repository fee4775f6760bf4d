//! When the days of a plan are due.
//!
//! A plan's dates are local dates of its time zone. Week 1 of a plan on the calendar is the
//! Monday-to-Sunday week that holds the start date; its days before the start are not scheduled.
//! The weeks of a recurring plan come round again. The days of a sequence are due one a day from the
//! first day of their week, which begins on the weekday of the start; a recurring sequence has no
//! dates at all. Wall-clock times become instants by RFC 5545: a time that a change of the clocks
//! skips is read with the offset before it, one that comes twice means the first.

use spotter_kernel::{Date, TimeZone, Timestamp};

use super::{
    outline::WEEKS_MAX,
    plan::MomentId,
    vocabulary::{Layout, Mode, ReleasePolicy},
};

/// What decides when a plan's days are due.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    pub layout: Layout,
    pub mode: Mode,
    pub release_policy: ReleasePolicy,
    pub start: Option<Date>,
    pub end: Option<Date>,
    pub zone: TimeZone,
    pub total_weeks: i64,
}

/// A day as the calendar sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    pub id: MomentId,
    /// Position, from 1.
    pub week: i64,
    /// ISO weekday on a calendar plan.
    pub weekday: Option<i64>,
    /// Position among the days of its week, from 1.
    pub position: i64,
}

/// A date on which a day is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub id: MomentId,
    /// The week of the programme from 1, counted from its start without beginning again.
    pub nth_week: i64,
    pub date: Date,
}

impl Calendar {
    /// The first day of the first week: the Monday on the calendar, the start in a sequence.
    fn anchor(&self) -> Option<Date> {
        match self.layout {
            Layout::CalendarWeek => self.start.map(Date::monday),
            Layout::Sequence if self.mode == Mode::MultiWeek => self.start,
            Layout::Sequence => None,
        }
    }

    /// Days from the beginning of a week to a day of it.
    fn offset(&self, slot: &Slot) -> i64 {
        match self.layout {
            Layout::CalendarWeek => slot.weekday.unwrap_or(1) - 1,
            Layout::Sequence => slot.position.min(7) - 1,
        }
    }

    /// The last day of a plan that ends, as it is at assignment.
    pub fn planned_end(&self) -> Option<Date> {
        let lasts = self.mode == Mode::MultiWeek && self.total_weeks > 0;
        lasts.then(|| self.anchor()?.plus_days(7 * self.total_weeks - 1)).flatten()
    }

    /// The date of a day in the nth week of the programme, if it is due then.
    pub fn date_of(&self, slot: &Slot, nth_week: i64) -> Option<Date> {
        let date = self.anchor()?.plus_days(7 * (nth_week - 1) + self.offset(slot))?;
        let inside =
            self.start.is_some_and(|start| start <= date) && self.end.is_none_or(|end| date <= end);
        inside.then_some(date)
    }

    /// Whether a day of the first week lies before the start.
    pub fn is_before_start(&self, week: i64, weekday: i64) -> bool {
        let date = self.anchor().and_then(|anchor| anchor.plus_days(7 * (week - 1) + weekday - 1));
        self.mode == Mode::MultiWeek
            && date.zip(self.start).is_some_and(|(date, start)| date < start)
    }

    /// What is due between two dates, inclusive, by date and then in the order of the slots.
    pub fn between(&self, slots: &[Slot], from: Date, to: Date) -> Vec<Occurrence> {
        let Some(anchor) = self.anchor().filter(|_| self.total_weeks > 0) else {
            return Vec::new();
        };
        let week_of = |date| anchor.days_until(date).div_euclid(7) + 1;
        let last = match self.mode {
            Mode::MultiWeek => week_of(to).min(self.total_weeks.min(WEEKS_MAX)),
            Mode::Recurring => week_of(to),
        };
        let mut found = Vec::new();
        for nth_week in week_of(from).max(1)..=last {
            let week = (nth_week - 1) % self.total_weeks + 1;
            for slot in slots.iter().filter(|slot| slot.week == week) {
                let date = self.date_of(slot, nth_week).filter(|date| (from..=to).contains(date));
                found.extend(date.map(|date| Occurrence { id: slot.id, nth_week, date }));
            }
        }
        found.sort_by_key(|occurrence| occurrence.date);
        found
    }

    /// Whether a client sees the nth week yet: under `weekly_from_start` from the local midnight
    /// at which it begins.
    pub fn is_released(&self, nth_week: i64, now: Timestamp) -> bool {
        if self.release_policy == ReleasePolicy::AllAtOnce {
            return true;
        }
        let begins = self.anchor().and_then(|anchor| anchor.plus_days(7 * (nth_week - 1)));
        begins.is_none_or(|date| date.start_in(&self.zone) <= now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::{Id, text::WallTime};

    use super::*;

    const ZONES: [&str; 10] = [
        "Europe/Amsterdam",
        "America/New_York",
        "America/Sao_Paulo",
        "Asia/Beirut",
        "Asia/Kolkata",
        "Australia/Lord_Howe",
        "Africa/Casablanca",
        "Pacific/Apia",
        "America/St_Johns",
        "UTC",
    ];

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn slot(number: u8, week: i64, weekday: i64, position: i64) -> Slot {
        let id = MomentId(Id::new(Timestamp::from_millis(1), [0, 0, 0, 0, 0, number]));
        Slot { id, week, weekday: Some(weekday), position }
    }

    /// Slow reference: walks day by day from long before the start and determines what is due.
    fn slowly(calendar: &Calendar, slots: &[Slot], from: Date, to: Date) -> Vec<Occurrence> {
        let Some(start) = calendar.start else { return Vec::new() };
        let mut day = start;
        if calendar.layout == Layout::CalendarWeek {
            while day.0.weekday() != jiff::civil::Weekday::Monday {
                day = Date(day.0.yesterday().unwrap());
            }
        }
        let (mut nth_week, mut day_of_week, mut found) = (1, 1, Vec::new());
        while day <= to {
            let over = calendar.mode == Mode::MultiWeek && nth_week > calendar.total_weeks;
            let mut week = nth_week;
            while week > calendar.total_weeks {
                week -= calendar.total_weeks;
            }
            let ended = calendar.end.is_some_and(|end| day > end);
            if day >= start && day >= from && !over && !ended {
                for slot in slots.iter().filter(|slot| slot.week == week) {
                    let due = match calendar.layout {
                        Layout::CalendarWeek => {
                            i64::from(day.0.weekday().to_monday_one_offset())
                                == slot.weekday.unwrap()
                        }
                        Layout::Sequence if calendar.mode == Mode::Recurring => false,
                        Layout::Sequence => slot.position.min(7) == day_of_week,
                    };
                    if due {
                        found.push(Occurrence { id: slot.id, nth_week, date: day });
                    }
                }
            }
            day = day.tomorrow();
            day_of_week += 1;
            if day_of_week == 8 {
                (day_of_week, nth_week) = (1, nth_week + 1);
            }
        }
        found
    }

    /// Looks minute by minute for the first instant at which a clock in the zone shows the time.
    fn slow_instant(date: Date, time: &WallTime, zone: &TimeZone) -> Timestamp {
        let utc = TimeZone::parse("UTC").unwrap();
        let wall = date.0.to_datetime(time.parse::<jiff::civil::Time>().unwrap());
        let as_utc = wall.to_zoned(utc.0).unwrap().timestamp().as_second();
        let view = |second: i64| {
            let at = jiff::Timestamp::from_second(second).unwrap();
            at.to_zoned(zone.0.clone()).datetime()
        };
        let mut before = None;
        for minute in (-26 * 60)..=(26 * 60) {
            let second = as_utc + minute * 60;
            if view(second) == wall {
                return Timestamp::from_millis(second * 1000);
            }
            if view(second) < wall {
                before = Some(second);
            }
        }
        // The clock never showed it: the offset of the last instant before it counts.
        let before = jiff::Timestamp::from_second(before.unwrap()).unwrap();
        let offset = i64::from(zone.0.to_offset(before).seconds());
        Timestamp::from_millis((as_utc - offset) * 1000)
    }

    fn calendars() -> impl Strategy<Value = Calendar> {
        let words = (0..2usize, 0..2usize, 0..2usize, 0..10usize);
        (words, 0..1096i64, 1..6i64, prop::option::of(0..900i64)).prop_map(
            |((layout, mode, policy, zone), start, total_weeks, end)| {
                let start = date("2024-01-01").plus_days(start).unwrap();
                let (layout, mode) = (Layout::ALL[layout], Mode::ALL[mode]);
                let monday_anchored = layout == Layout::CalendarWeek && mode == Mode::Recurring;
                Calendar {
                    layout,
                    mode,
                    release_policy: ReleasePolicy::ALL[policy],
                    start: Some(if monday_anchored { start.monday() } else { start }),
                    end: end.and_then(|days| start.plus_days(days)),
                    zone: TimeZone::parse(ZONES[zone]).unwrap(),
                    total_weeks,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn dates_are_those_of_a_slow_walk(
            calendar in calendars(),
            days in prop::collection::vec((1..6i64, 1..8i64, 1..15i64), 0..12),
            window in (-400..1200i64, 0..200i64),
        ) {
            let slots: Vec<_> = days.iter().enumerate()
                .map(|(at, (week, weekday, position))| slot(at as u8, *week, *weekday, *position))
                .collect();
            let from = calendar.start.unwrap().plus_days(window.0).unwrap();
            let to = from.plus_days(window.1).unwrap();
            let quick = calendar.between(&slots, from, to);
            let mut slow = slowly(&calendar, &slots, from, to);
            slow.sort_by_key(|occurrence| occurrence.date);
            prop_assert_eq!(&quick, &slow);
            for occurrence in &quick {
                let at_midnight = occurrence.date.start_in(&calendar.zone);
                prop_assert!(calendar.is_released(occurrence.nth_week, at_midnight));
                prop_assert_eq!(calendar.zone.date_at(at_midnight), occurrence.date);
            }
        }

        #[test]
        fn a_week_is_released_when_it_begins(calendar in calendars(), week in 1..5i64) {
            let Some(anchor) = calendar.anchor() else { return Ok(()) };
            let begins = anchor.plus_days(7 * (week - 1)).unwrap().start_in(&calendar.zone);
            let weekly = calendar.release_policy == ReleasePolicy::WeeklyFromStart;
            prop_assert!(calendar.is_released(week, begins));
            prop_assert_eq!(calendar.is_released(week, begins.plus_millis(-1)), !weekly);
        }
    }

    #[test]
    fn times_are_those_of_the_clock_on_the_wall() {
        // Every day of three years in ten zones, at times that changes of the clocks touch.
        for name in ZONES {
            let zone = TimeZone::parse(name).unwrap();
            let mut day = date("2024-01-01");
            while day < date("2027-01-01") {
                let noon = |day: Date| day.0.at(12, 0, 0, 0).to_zoned(zone.0.clone()).unwrap();
                let changes = noon(Date(day.0.yesterday().unwrap())).offset() != noon(day).offset()
                    || noon(day).offset() != noon(day.tomorrow()).offset();
                let times: &[&str] = if changes {
                    &["00:00", "00:30", "01:00", "01:15", "02:00", "02:30", "03:00", "23:30"]
                } else {
                    &["02:30"]
                };
                for time in times {
                    let time = WallTime::parse(time).unwrap();
                    if !changes && day.0.day() != 1 {
                        continue;
                    }
                    let quick = day.at(&time, &zone);
                    assert_eq!(quick, slow_instant(day, &time, &zone), "{name} {day} {}", &*time);
                }
                day = day.tomorrow();
            }
        }
    }

    #[test]
    fn the_first_week_begins_on_monday_and_the_plan_on_its_start() {
        let calendar = Calendar {
            layout: Layout::CalendarWeek,
            mode: Mode::MultiWeek,
            release_policy: ReleasePolicy::AllAtOnce,
            start: Some(date("2026-03-26")), // a Thursday; the clocks change on the Sunday
            end: None,
            zone: TimeZone::parse("Europe/Amsterdam").unwrap(),
            total_weeks: 2,
        };
        let slots = [slot(1, 1, 1, 1), slot(2, 1, 5, 2), slot(3, 2, 1, 1), slot(4, 2, 7, 2)];
        let dates: Vec<_> = calendar
            .between(&slots, date("2026-01-01"), date("2026-12-31"))
            .iter()
            .map(|occurrence| occurrence.date.to_string())
            .collect();
        assert_eq!(dates, ["2026-03-27", "2026-03-30", "2026-04-05"]);
        assert!(calendar.is_before_start(1, 3) && !calendar.is_before_start(1, 4));
        assert_eq!(calendar.planned_end(), Some(date("2026-04-05")));
    }
}
