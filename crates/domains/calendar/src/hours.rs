//! Windows: working hours or opening hours in wall-clock times of a zone, and the starts on their grid. Needs no
//! database.

use jiff::{Span as Duration, civil::DateTime, tz::AmbiguousOffset};
use spotter_kernel::{Date, TimeZone, Timestamp};

const MINUTE: i64 = 60_000;

pub use spotter_kernel::span::{Span, Window, dates, merged};

/// A window on a date, as instants; its grid begins at its wall-clock start.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// From its start until before its end.
    pub span: Span,
    /// The latest end of what starts in it: its end, or that of an adjoining window.
    pub reach: Timestamp,
    /// The date that it belongs to.
    pub date: Date,
    wall: DateTime,
}

impl Opening {
    /// A window on a date of a zone. It belongs to the date on which it begins.
    pub fn of(window: &Window, date: Date, zone: &TimeZone) -> Self {
        let (hours, minutes) = window.start.parts();
        let span = window.on(date, zone);
        Self { span, reach: span.end, date, wall: date.0.at(hours, minutes, 0, 0) }
    }

    /// A part of a date without a window, such as the whole of it.
    pub fn whole(date: Date, span: Span) -> Self {
        Self { span, reach: span.end, date, wall: date.0.at(0, 0, 0, 0) }
    }

    /// Every instant in the window at which the clock shows its start plus a multiple of the interval, and from which
    /// the given minutes fit before its end: none where the clock skips that time, two where it shows it twice.
    pub fn starts(&self, interval: i64, minutes: i64, zone: &TimeZone) -> Vec<Timestamp> {
        let Span { start, end } = self.span;
        let last = self.reach.plus_millis(-minutes * MINUTE).min(end.plus_millis(-1));
        if last < start {
            return Vec::new();
        }
        let steady = zone
            .0
            .following(start.to_jiff())
            .next()
            .is_none_or(|change| change.timestamp() >= end.to_jiff());
        let skipped = zone.0.to_datetime(start.to_jiff()) != self.wall;
        if steady && !skipped {
            let count = (last.millis() - start.millis()) / (interval * MINUTE);
            return (0..=count).map(|k| start.plus_millis(k * interval * MINUTE)).collect();
        }
        let mut found = Vec::new();
        // The clock is never changed by more than a day.
        let most = (end.millis() - start.millis()) / (interval * MINUTE) + 1_440 / interval + 1;
        for k in 0..=most {
            let Ok(view) = self.wall.checked_add(Duration::new().minutes(k * interval)) else {
                break;
            };
            found.extend(wall_time_at(view, zone).into_iter().flatten());
        }
        found.retain(|at| (start..=last).contains(at));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Joins adjoining windows, such as at midnight: what starts in one may end in the next.
pub fn joined(mut openings: Vec<Opening>) -> Vec<Opening> {
    let whole = merged(openings.iter().map(|opening| opening.span).collect());
    for opening in &mut openings {
        let next = whole.partition_point(|span| span.end < opening.span.end);
        opening.reach = whole.get(next).map_or(opening.reach, |span| span.end);
    }
    openings
}

/// The instants at which the clock of a zone shows a time.
fn wall_time_at(view: DateTime, zone: &TimeZone) -> [Option<Timestamp>; 2] {
    let at = |offset: jiff::tz::Offset| {
        let instant = offset.to_timestamp(view).ok()?;
        Some(Timestamp::from_millis(instant.as_millisecond()))
    };
    match zone.0.to_ambiguous_zoned(view).offset() {
        AmbiguousOffset::Unambiguous { offset } => [at(offset), None],
        AmbiguousOffset::Gap { .. } => [None, None],
        AmbiguousOffset::Fold { before, after } => [at(before), at(after)],
    }
}

/// The local time at an instant, with its offset from UTC (RFC 3339): a repeated hour has two.
pub fn with_offset(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_jiff().to_zoned(zone.0.clone());
    local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// The local time at an instant, as `YYYY-MM-DDTHH:MM`.
pub fn local(at: Timestamp, zone: &TimeZone) -> String {
    let zoned = zone.0.to_datetime(at.to_jiff());
    let (date, time) = (zoned.date(), zoned.time());
    format!("{date}T{:02}:{:02}", time.hour(), time.minute())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::text::WallTime;

    use super::*;

    const ZONES: [&str; 10] = [
        "Europe/Amsterdam",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "America/St_Johns",
        "Africa/Casablanca",
        "Asia/Beirut",
        "Pacific/Apia",
        "America/Sao_Paulo",
        "UTC",
    ];

    fn time(minutes: i64) -> WallTime {
        WallTime::parse(&format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)).unwrap()
    }

    /// Slow reference: minute by minute through the window, the local time and the distance from the start.
    fn walked(window: &Opening, interval: i64, minutes: i64, zone: &TimeZone) -> Vec<Timestamp> {
        let mut found = Vec::new();
        let mut at = window.span.start;
        while at.plus_millis(minutes * MINUTE) <= window.span.end {
            let local = zone.0.to_datetime(at.to_jiff());
            let apart = (local.duration_since(window.wall)).as_secs() / 60;
            if apart >= 0 && apart % interval == 0 {
                found.push(at);
            }
            at = at.plus_millis(MINUTE);
        }
        found
    }

    proptest! {
        #[test]
        fn starts_are_those_that_a_walk_finds(
            zone in 0..ZONES.len(), day in 0_i64..1_096, opens in 0_i64..1_440, closes in 0_i64..1_440,
            interval in prop::sample::select(vec![5_i64, 10, 15, 20, 30, 45, 60, 90]),
            minutes in prop::sample::select(vec![5_i64, 30, 45, 60, 90, 300]),
        ) {
            let zone = TimeZone::parse(ZONES[zone]).unwrap();
            let date = Date::parse("2025-01-01").unwrap().plus_days(day).unwrap();
            let window = Opening::of(&Window { start: time(opens), end: time(closes) }, date, &zone);
            prop_assert_eq!(
                window.starts(interval, minutes, &zone), walked(&window, interval, minutes, &zone));
        }

        /// The days of the change themselves, which chance seldom finds.
        #[test]
        fn changes_of_the_clock_are_walked(
            zone in 0..ZONES.len(), year in 2024_i16..2027, which in 0_usize..2, back in 0_i64..2,
            opens in 0_i64..1_440, closes in 0_i64..1_440,
            interval in prop::sample::select(vec![5_i64, 15, 30, 45, 60]),
        ) {
            let zone = TimeZone::parse(ZONES[zone]).unwrap();
            let new_year = jiff::civil::date(year, 1, 1).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
            if let Some(change) = zone.0.following(new_year.timestamp()).nth(which) {
                let at = Timestamp::from_millis(change.timestamp().as_millisecond());
                let date = zone.date_at(at).plus_days(-back).unwrap();
                let window = Opening::of(&Window { start: time(opens), end: time(closes) }, date, &zone);
                prop_assert_eq!(
                    window.starts(interval, 30, &zone), walked(&window, interval, 30, &zone));
            }
        }
    }

    #[test]
    fn round_the_clock_hours_cross_midnight() {
        let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
        let on = |date: &str, opens, closes| {
            let window = Window { start: time(opens), end: time(closes) };
            Opening::of(&window, Date::parse(date).unwrap(), &zone)
        };
        let starts = |openings: &[Opening], minutes| {
            let all = openings.iter().flat_map(|own| own.starts(60, minutes, &zone));
            all.map(|at| local(at, &zone)).collect::<Vec<_>>()
        };
        let days = joined(vec![on("2026-06-01", 1_200, 0), on("2026-06-02", 0, 120)]);
        let late = ["2026-06-01T20:00", "2026-06-01T21:00", "2026-06-01T22:00", "2026-06-01T23:00"];
        let early = ["2026-06-02T00:00", "2026-06-02T01:00"];
        assert_eq!(starts(&days, 60), [&late[..], &early].concat());
        assert_eq!(starts(&days, 120), [&late[..], &early[..1]].concat());
        assert_eq!(starts(&days, 360), late[..1]);
        // A minute between them keeps them apart.
        let apart = joined(vec![on("2026-06-01", 1_200, 1_439), on("2026-06-02", 0, 120)]);
        assert_eq!(starts(&apart, 120), [&late[..2], &early[..1]].concat());
    }

    #[test]
    fn a_skipped_hour_has_no_starts_and_a_repeated_one_twice_as_many() {
        let zone = TimeZone::parse("Europe/Amsterdam").unwrap();
        let on = |date| {
            let window = Window { start: time(60), end: time(240) };
            let starts =
                Opening::of(&window, Date::parse(date).unwrap(), &zone).starts(60, 60, &zone);
            starts.into_iter().map(|at| local(at, &zone)[11..].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(on("2026-03-29"), ["01:00", "03:00"]);
        assert_eq!(on("2026-10-25"), ["01:00", "02:00", "02:00", "03:00"]);
        assert_eq!(on("2026-06-01"), ["01:00", "02:00", "03:00"]);
        let at = |text| with_offset(Timestamp::parse(text).unwrap(), &zone);
        assert_eq!(at("2026-10-25T00:30:00Z"), "2026-10-25T02:30:00+02:00");
        assert_eq!(at("2026-10-25T01:30:00Z"), "2026-10-25T02:30:00+01:00");
    }
}
