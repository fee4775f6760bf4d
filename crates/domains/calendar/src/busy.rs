//! What takes the time of a coach, or the room of a location, on a day: packed, so that a month of a
//! team is a few hundred rows. Knows no database.

use spotter_kernel::{Id, Problem, Result, Timestamp};

use crate::{hours::Span, rules::CalendarRule};

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BusySpan {
    /// Which time, with the minutes that are needed before and after.
    pub span: Span,
    /// What takes it: an event, a request or a task.
    pub by: Id,
}

/// A start and an end of eight bytes each, and an id of twelve.
const ENTRY: usize = 28;
/// Most entries of a day.
const ENTRIES_MAX: usize = 500;
/// Milliseconds of a UTC day.
const DAY: i64 = 86_400_000;

/// What takes time on a day, in the order of the starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Busy(Vec<BusySpan>);

impl Busy {
    /// Reads what [`Self::packed`] has written.
    pub fn unpack(bytes: &[u8]) -> Self {
        let (entries, _) = bytes.as_chunks::<ENTRY>();
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all << 8 | i64::from(*byte));
        let entry = |bytes: &[u8; ENTRY]| {
            let at = |from: usize| Timestamp::from_millis(number(&bytes[from..from + 8]));
            let id: [u8; 12] = std::array::from_fn(|n| bytes[16 + n]);
            BusySpan { span: Span::new(at(0), at(8)), by: Id::from_bytes(id) }
        };
        Self(entries.iter().map(entry).collect())
    }

    /// The stored form.
    pub fn packed(&self) -> Vec<u8> {
        let entry = |taken: &BusySpan| {
            let Span { start, end } = taken.span;
            [&start.millis().to_be_bytes()[..], &end.millis().to_be_bytes(), &taken.by.to_bytes()]
                .concat()
        };
        self.0.iter().flat_map(entry).collect()
    }

    /// Adds a span; a day holds a limited number.
    pub fn add(&mut self, taken: BusySpan) -> Result<()> {
        if self.0.len() >= ENTRIES_MAX {
            return Err(Problem::conflict("startsAt", CalendarRule::DayFull));
        }
        let at = self.0.partition_point(|other| other.span <= taken.span);
        self.0.insert(at, taken);
        Ok(())
    }

    /// Takes something away; whether it was there.
    pub fn remove(&mut self, by: Id) -> bool {
        let before = self.0.len();
        self.0.retain(|taken| taken.by != by);
        self.0.len() < before
    }

    /// What takes time, but for one thing.
    pub fn others(&self, than: Option<Id>) -> impl Iterator<Item = BusySpan> {
        self.0.iter().copied().filter(move |taken| Some(taken.by) != than)
    }
}

/// The UTC days that a span touches, as days since 1970-01-01.
pub fn days_of(span: Span) -> std::ops::RangeInclusive<i64> {
    let last = (span.end.millis() - 1).max(span.start.millis());
    span.start.millis().div_euclid(DAY)..=last.div_euclid(DAY)
}

/// The spans in which at least this number of the given spans overlap.
pub fn crowded(spans: impl IntoIterator<Item = Span>, most: usize) -> Vec<Span> {
    let mut turns: Vec<(Timestamp, bool)> =
        spans.into_iter().flat_map(|span| [(span.start, true), (span.end, false)]).collect();
    // Who leaves makes room for who comes at the same instant.
    turns.sort_unstable();
    let (mut there, mut since, mut found) = (0_usize, None, Vec::new());
    for (at, comes) in turns {
        there = if comes { there + 1 } else { there.saturating_sub(1) };
        match (there >= most, since) {
            (true, None) => since = Some(at),
            (false, Some(start)) => {
                since = None;
                found.push(Span::new(start, at));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_millis(minute * 60_000)
    }

    fn id(n: u8) -> Id {
        Id::from_bytes([n; 12])
    }

    #[test]
    fn archives_round_trip() {
        let mut busy = Busy::default();
        let far = Timestamp::parse("2199-12-31T23:59:00Z").unwrap();
        busy.add(BusySpan { span: Span::from_minutes(far, 60), by: id(3) }).unwrap();
        busy.add(BusySpan { span: Span::from_minutes(at(1), 60), by: id(255) }).unwrap();
        assert_eq!(Busy::unpack(&busy.packed()), busy);
        assert_eq!(busy.others(Some(id(3))).count(), 1);
        busy.remove(id(255));
        let left: Vec<_> = busy.others(None).map(|taken| taken.span).collect();
        assert_eq!(left, [Span::from_minutes(far, 60)]);
    }

    #[test]
    fn days_are_those_that_are_touched() {
        let day = |minute: i64| at(1_440 * 20_000 + minute);
        assert_eq!(days_of(Span::from_minutes(day(1_380), 60)), 20_000..=20_000);
        assert_eq!(days_of(Span::from_minutes(day(1_380), 61)), 20_000..=20_001);
    }

    proptest! {
        #[test]
        fn crowds_are_those_that_a_count_finds(
            spans in prop::collection::vec((0_i64..60, 1_i64..20), 0..12), most in 1_usize..5,
        ) {
            let spans: Vec<_> =
                spans.into_iter().map(|(from, long)| Span::from_minutes(at(from), long)).collect();
            let found = crowded(spans.clone(), most);
            for minute in 0..90 {
                let there = Span::from_minutes(at(minute), 1);
                let count = spans.iter().filter(|span| span.overlaps(&there)).count();
                let output = found.iter().any(|span| span.overlaps(&there));
                prop_assert_eq!(count >= most, output, "at {}", minute);
            }
        }
    }
}
