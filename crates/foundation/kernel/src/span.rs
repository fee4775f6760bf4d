//! Stretches of time, and windows of wall-clock times that become them on a date of a zone.

use crate::{Date, TimeZone, Timestamp, text::WallTime};

const MINUTE: i64 = 60_000;

/// A stretch of time: from its start until before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// When it begins.
    pub start: Timestamp,
    /// End.
    pub end: Timestamp,
}

impl Span {
    /// From a start to an end.
    pub const fn new(start: Timestamp, end: Timestamp) -> Self {
        Self { start, end }
    }

    /// A number of minutes from a start.
    pub const fn from_minutes(start: Timestamp, minutes: i64) -> Self {
        Self { start, end: start.plus_millis(minutes * MINUTE) }
    }

    /// Whether both share an instant.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether the other lies within.
    pub fn holds(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Extended by minutes before and after.
    pub const fn widened(self, before: i64, after: i64) -> Self {
        Self {
            start: self.start.plus_millis(-before * MINUTE),
            end: self.end.plus_millis(after * MINUTE),
        }
    }
}

/// Spans in order, those that touch made one.
pub fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut whole: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans.into_iter().filter(|span| span.start < span.end) {
        match whole.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => whole.push(span),
        }
    }
    whole
}

/// The dates from one to another; none where that is earlier.
pub fn dates(first: Date, last: Date) -> impl Iterator<Item = Date> {
    let next = move |date: &Date| (*date < last).then(|| date.tomorrow());
    std::iter::successors((first <= last).then_some(first), next)
}

/// A window of a date: wall-clock times, the end on the next day where it is not later than the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// When it opens.
    pub start: WallTime,
    /// When it closes.
    pub end: WallTime,
}

impl Window {
    /// The window on a date of a zone, as instants.
    pub fn on(&self, date: Date, zone: &TimeZone) -> Span {
        let last = if *self.end > *self.start { date } else { date.tomorrow() };
        Span::new(date.at(&self.start, zone), last.at(&self.end, zone))
    }
}

/// What two lists of spans share; each in order, without spans that touch.
pub fn shared(one: &[Span], other: &[Span]) -> Vec<Span> {
    let both = one
        .iter()
        .flat_map(|a| other.iter().map(|b| Span::new(a.start.max(b.start), a.end.min(b.end))));
    merged(both.collect())
}

/// What of some spans others leave.
pub fn without(spans: Vec<Span>, gone: &[Span]) -> Vec<Span> {
    gone.iter().fold(spans, |left, gone| {
        let parts = left.into_iter().flat_map(|span| {
            [
                Span::new(span.start, span.end.min(gone.start)),
                Span::new(span.start.max(gone.end), span.end),
            ]
        });
        merged(parts.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(of: &[(i64, i64)]) -> Vec<Span> {
        let at = |minute: i64| Timestamp::from_millis(minute * MINUTE);
        of.iter().map(|(from, to)| Span::new(at(*from), at(*to))).collect()
    }

    proptest::proptest! {
        #[test]
        fn spans_hold_the_minutes_that_they_should(
            one in proptest::collection::vec((0_i64..60, 0_i64..60), 0..5),
            other in proptest::collection::vec((0_i64..60, 0_i64..60), 0..5),
        ) {
            let (one, other) = (merged(spans(&one)), merged(spans(&other)));
            let holds = |all: &[Span], minute: i64| {
                let at = Timestamp::from_millis(minute * MINUTE);
                all.iter().any(|span| span.start <= at && at < span.end)
            };
            let (both, left) = (shared(&one, &other), without(one.clone(), &other));
            for minute in 0..60 {
                let (a, b) = (holds(&one, minute), holds(&other, minute));
                proptest::prop_assert_eq!(holds(&both, minute), a && b);
                proptest::prop_assert_eq!(holds(&left, minute), a && !b);
            }
        }
    }

    #[test]
    fn dates_end_with_the_calendar() {
        let last = Date::parse("9999-12-31").unwrap();
        assert_eq!(dates(last.plus_days(-1).unwrap(), last).count(), 2);
        assert_eq!(dates(last, last).count(), 1);
        assert_eq!(dates(last, last.plus_days(-1).unwrap()).count(), 0);
    }

    #[test]
    fn spans_that_touch_are_one() {
        let at = |minute: i64| Timestamp::from_millis(minute * MINUTE);
        let span = |from, to| Span::new(at(from), at(to));
        let spans = merged(vec![span(5, 9), span(1, 3), span(3, 4), span(6, 7), span(8, 8)]);
        assert_eq!(spans, [span(1, 4), span(5, 9)]);
        assert!(span(1, 3).overlaps(&span(2, 4)) && !span(1, 3).overlaps(&span(3, 4)));
    }
}
