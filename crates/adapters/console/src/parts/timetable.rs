//! A timetable: the entries of a day by local time, overlapping ones beside each other. A repeated hour is shown
//! once. Pages have no inline styles, so positions are classes.

use maud::{Markup, html};
pub(crate) use spotter_html::timetable_style::LANES;
use spotter_html::timetable_style::{ROW, ROWS, ROWS_MIN};

/// What takes place: from which minute of the day, for how many, and how it is shown.
pub(crate) struct Entry {
    pub(crate) from: i64,
    pub(crate) minutes: i64,
    pub(crate) content: Markup,
}

/// The hours that are drawn, from the first to before the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hours {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

impl Hours {
    /// From 7 to 21, and what of the entries begins before or ends after that.
    pub(crate) fn of<'e>(entries: impl Iterator<Item = &'e Entry>) -> Self {
        entries.fold(Self { first: 7, last: 21 }, |hours, entry| {
            let end = (entry.from + entry.minutes.max(ROW * ROWS_MIN)).min(24 * 60);
            Self {
                first: hours.first.min(entry.from / 60),
                last: hours.last.max(end.div_euclid(60) + i64::from(end % 60 > 0)),
            }
        })
    }

    fn each(self) -> impl Iterator<Item = i64> {
        self.first..self.last
    }

    /// The rows of some minutes, as far as they are drawn.
    fn hatched(self, minutes: &Minutes) -> Option<(i64, i64)> {
        let from = minutes.start.max(self.first * 60);
        let until = minutes.end.min(self.last * 60);
        let row = (from - self.first * 60).div_euclid(ROW);
        (from < until).then(|| (row, ((until - from + ROW - 1).div_euclid(ROW)).max(1)))
    }

    /// The row of a minute.
    fn row(self, minute: i64) -> i64 {
        (minute - self.first * 60).div_euclid(ROW).clamp(0, ROWS - 1)
    }
}

/// The first row of something, and how many rows it has.
fn rows(hours: Hours, entry: &Entry) -> (i64, i64) {
    let from = hours.row(entry.from);
    let end = entry.from + entry.minutes - hours.first * 60;
    let end = (end + ROW - 1).div_euclid(ROW).min((hours.last - hours.first) * 60 / ROW);
    (from, (end - from).max(ROWS_MIN))
}

/// In which lane each of some ranges is, and how many lanes those have that overlap with it one after the other. Ranges are in
/// the order of their starts.
fn lanes(ranges: &[(i64, i64)]) -> Vec<(usize, usize)> {
    let mut placed: Vec<(usize, usize)> = Vec::with_capacity(ranges.len());
    let (mut ends, mut group): (Vec<i64>, usize) = (Vec::new(), 0);
    for (at, (from, rows)) in ranges.iter().enumerate() {
        if ends.iter().all(|end| end <= from) {
            close(&mut placed[group..], ends.len());
            (ends, group) = (Vec::new(), at);
        }
        let lane = ends.iter().position(|end| end <= from).unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(end) => *end = from + rows,
            None => ends.push(from + rows),
        }
        placed.push((lane, 0));
    }
    close(&mut placed[group..], ends.len());
    placed
}

fn close(group: &mut [(usize, usize)], lanes: usize) {
    group.iter_mut().for_each(|place| place.1 = lanes);
}

/// The names of the hours, beside the days.
pub(crate) fn rail(hours: Hours) -> Markup {
    html! {
        div.rail aria-hidden="true" {
            @for hour in hours.each() {
                span class={ "at-" (hours.row(hour * 60)) } { (format!("{hour:02}:00")) }
            }
        }
    }
}

/// Minutes of a day, from the first to before the last.
pub(crate) type Minutes = std::ops::Range<i64>;

/// A day: its entries, hatched where it is closed, a line where it is now, and what a gap leads to by its hour.
pub(crate) fn day(
    hours: Hours,
    mut entries: Vec<Entry>,
    closed: &[Minutes],
    now: Option<i64>,
    gap: impl Fn(i64) -> Markup,
) -> Markup {
    entries.sort_by_key(|entry| (entry.from, -entry.minutes));
    let ranges: Vec<_> = entries.iter().map(|entry| rows(hours, entry)).collect();
    let places = lanes(&ranges);
    let most = places.iter().map(|(_, lanes)| *lanes).max().unwrap_or(1).clamp(1, LANES);
    html! {
        div class={ "hours lanes-" (most) } {
            @for hour in hours.each() {
                div class={ "gap at-" (hours.row(hour * 60)) } { (gap(hour)) }
            }
            @for (from, rows) in closed.iter().filter_map(|minutes| hours.hatched(minutes)) {
                div class={ "shut at-" (from) " for-" (rows) } aria-hidden="true" {}
            }
            @for ((entry, (from, rows)), (lane, beside)) in
                entries.iter().zip(&ranges).zip(&places)
            {
                @let last = lane + 1 == *beside;
                div
                    class={
                        "slot at-" (from) " for-" (rows) " lane-" (lane.min(&(most - 1)))
                        @if last { " wide" }
                    }
                {
                    (entry.content)
                }
            }
            @if let Some(now) =
                now.filter(|now| (hours.first * 60..hours.last * 60).contains(now))
            {
                div class={ "now at-" (hours.row(now)) } aria-hidden="true" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(from: i64, minutes: i64) -> Entry {
        Entry { from, minutes, content: Markup::default() }
    }

    #[test]
    fn timetable_hours_cover_entries() {
        let hours = |entries: &[Entry]| {
            let Hours { first, last } = Hours::of(entries.iter());
            (first, last)
        };
        assert_eq!(hours(&[]), (7, 21));
        assert_eq!(hours(&[entry(6 * 60 + 45, 60), entry(20 * 60 + 30, 45)]), (6, 22));
        assert_eq!(hours(&[entry(23 * 60 + 30, 300)]), (7, 24));
    }

    proptest! {
        #[test]
        fn overlapping_entries_are_side_by_side(
            entries in prop::collection::vec((0i64..1440, 1i64..600), 0..24),
        ) {
            let mut entries: Vec<_> = entries.into_iter().map(|(from, minutes)| entry(from, minutes)).collect();
            entries.sort_by_key(|entry| (entry.from, -entry.minutes));
            let hours = Hours::of(entries.iter());
            prop_assert!(hours.first >= 0 && hours.last <= 24);
            let ranges: Vec<_> = entries.iter().map(|entry| rows(hours, entry)).collect();
            let places = lanes(&ranges);
            let over = |one: &(i64, i64), other: &(i64, i64)| one.0 < other.0 + other.1 && other.0 < one.0 + one.1;
            for (at, one) in ranges.iter().enumerate() {
                prop_assert!(places[at].0 < places[at].1);
                for other in 0..at {
                    let same = places[at].0 == places[other].0;
                    prop_assert!(!(same && over(one, &ranges[other])));
                    // Overlapping entries divide the width equally.
                    prop_assert!(!over(one, &ranges[other]) || places[at].1 == places[other].1);
                }
            }
            // No more lanes than there are at once, at some row.
            let at_once = |row: i64| ranges.iter().filter(|one| one.0 <= row && row < one.0 + one.1).count();
            let most = (0..200).map(at_once).max().unwrap_or(0);
            prop_assert_eq!(places.iter().map(|(_, lanes)| *lanes).max().unwrap_or(0), most);
        }
    }
}
