//! What measurements amount to, by day and by month, kept as they are written: a year at a glance reads its months and the
//! days at its ends, however often something was measured.

use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, DateRange, Result, TimeZone, id::ClientId, span::Span};
use spotter_store::{params, record, statements};

use crate::types::TypeKey;

record! {
    /// What the measurements of a type in a span amount to.
    pub struct Amount {
        /// Of which type.
        pub r#type: TypeKey,
        /// Number of clients in the cohort.
        pub count: i64,
        /// The least value, as its type keeps it.
        pub minimum: Option<i64>,
        /// The largest value.
        pub maximum: Option<i64>,
        /// All values together.
        pub total: Option<i64>,
        /// The least pressure at the beat.
        pub systolic_minimum: Option<i64>,
        /// The largest pressure at the beat.
        pub systolic_maximum: Option<i64>,
        /// The sum of the measurements.
        pub systolic_total: Option<i64>,
        /// The least pressure in the pause.
        pub diastolic_minimum: Option<i64>,
        /// The largest pressure in the pause.
        pub diastolic_maximum: Option<i64>,
        /// The sum of the measurements.
        pub diastolic_total: Option<i64>,
    }
}

/// Further than a zone's midnight lies from that of UTC: 14 hours at most.
const APART_MS: i64 = 86_400_000;

/// The instants between which a span of dates lies, wherever the dates are: what keeps a search to an index of
/// instants.
pub fn instants(dates: DateRange) -> Span {
    let Span { start, end } = dates.span(&TimeZone::UTC);
    Span::new(start.plus_millis(-APART_MS), end.plus_millis(APART_MS))
}

/// The months within a span of dates, by their first dates, and the days before and after them. What there is none
/// of is the wrong way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    before: DateRange,
    months: DateRange,
    after: DateRange,
}

impl Parts {
    fn of(dates: DateRange) -> Self {
        let DateRange { from, to } = dates;
        let (first, last) = (Date::first_of_month, Date::last_of_month);
        let yesterday = |date: Date| date.plus_days(-1).unwrap_or(date);
        let none = DateRange { from: to.tomorrow(), to };
        // The first month that begins in the span, and the last that ends in it.
        let begin = if from == first(from) { from } else { last(from).tomorrow() };
        let end = if to == last(to) { first(to) } else { first(yesterday(first(to))) };
        if begin > end {
            return Self { before: dates, months: none, after: none };
        }
        let before = if begin == from { none } else { DateRange { from, to: yesterday(begin) } };
        let after =
            if to == last(end) { none } else { DateRange { from: last(end).tomorrow(), to } };
        Self { before, months: DateRange { from: begin, to: end }, after }
    }
}

/// What the measurements of a span of dates amount to, by type.
pub fn between(cx: &mut Read, client: ClientId, dates: DateRange) -> Result<Vec<Amount>> {
    let Parts { before, months, after } = Parts::of(dates);
    let own = params![client, months.from, months.to, before.from, before.to, after.from, after.to];
    cx.all(BETWEEN, own)
}

/// Recounts the figures of a type's measurements on a date, and in its month.
pub fn recount(cx: &mut Write, client: ClientId, of: &TypeKey, date: Date) -> Result<()> {
    let Span { start, end } = instants(DateRange::of_day(date));
    cx.defer(OF_DAY, params![client, of, date, start, end])?;
    let (first, last) = (date.first_of_month(), date.last_of_month());
    cx.defer(OF_MONTH, params![client, of, first, last])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

/// Overwrites the previous figures.
const AGAIN: &str = " ON CONFLICT (company_id, client_id, grain, span, type) DO UPDATE SET \
    (count, minimum, maximum, total, systolic_minimum, systolic_maximum, systolic_total, diastolic_minimum, \
    diastolic_maximum, diastolic_total) = (excluded.count, excluded.minimum, excluded.maximum, excluded.total, \
    excluded.systolic_minimum, excluded.systolic_maximum, excluded.systolic_total, excluded.diastolic_minimum, \
    excluded.diastolic_maximum, excluded.diastolic_total)";

/// Several counts as one.
const TOGETHER: &str = "CAST(COALESCE(SUM(count), 0) AS BIGINT) AS count, MIN(minimum) AS minimum, \
    MAX(maximum) AS maximum, CAST(SUM(total) AS BIGINT) AS total, MIN(systolic_minimum) AS systolic_minimum, \
    MAX(systolic_maximum) AS systolic_maximum, CAST(SUM(systolic_total) AS BIGINT) AS systolic_total, \
    MIN(diastolic_minimum) AS diastolic_minimum, MAX(diastolic_maximum) AS diastolic_maximum, \
    CAST(SUM(diastolic_total) AS BIGINT) AS diastolic_total";

statements! {
    OF_DAY = "INSERT INTO measurement_sum (company_id, client_id, grain, span, type, count, minimum, maximum, total, \
        systolic_minimum, systolic_maximum, systolic_total, diastolic_minimum, diastolic_maximum, diastolic_total) \
        SELECT ?1, ?2, 'day', ?4, ?3, COUNT(*), MIN(value), MAX(value), CAST(SUM(value) AS BIGINT), \
        MIN(systolic), MAX(systolic), CAST(SUM(systolic) AS BIGINT), MIN(diastolic), MAX(diastolic), \
        CAST(SUM(diastolic) AS BIGINT) FROM measurement WHERE company_id = ?1 AND client_id = ?2 AND type = ?3 \
        AND status = 'recorded' AND measured_at >= ?5 AND measured_at < ?6 AND measured_on = ?4", AGAIN;
    OF_MONTH = "INSERT INTO measurement_sum (company_id, client_id, grain, span, type, count, minimum, maximum, total, \
        systolic_minimum, systolic_maximum, systolic_total, diastolic_minimum, diastolic_maximum, diastolic_total) \
        SELECT ?1, ?2, 'month', ?4, ?3, ", TOGETHER, " FROM measurement_sum WHERE company_id = ?1 AND client_id = ?2 \
        AND grain = 'day' AND span >= ?4 AND span <= ?5 AND type = ?3", AGAIN;
    BETWEEN = "SELECT type, ", TOGETHER, " FROM (\
        SELECT * FROM measurement_sum WHERE company_id = ?1 AND client_id = ?2 AND grain = 'month' AND span >= ?3 AND span <= ?4 \
        UNION ALL SELECT * FROM measurement_sum WHERE company_id = ?1 AND client_id = ?2 AND grain = 'day' AND span >= ?5 AND span <= ?6 \
        UNION ALL SELECT * FROM measurement_sum WHERE company_id = ?1 AND client_id = ?2 AND grain = 'day' AND span >= ?7 AND span <= ?8\
        ) spans WHERE count > 0 GROUP BY type ORDER BY type LIMIT 200";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn a_span_is_its_months_and_the_days_at_its_ends() {
        let range = |from: &str, to: &str| DateRange { from: date(from), to: date(to) };
        let parts = |from: &str, to: &str| Parts::of(range(from, to));
        let year = parts("2025-11-25", "2026-11-24");
        assert_eq!(year.before, range("2025-11-25", "2025-11-30"));
        assert_eq!(year.months, range("2025-12-01", "2026-10-01"));
        assert_eq!(year.after, range("2026-11-01", "2026-11-24"));
        let month = parts("2026-02-01", "2026-02-28");
        assert_eq!(month.months, range("2026-02-01", "2026-02-01"));
        assert!(month.before.from > month.before.to && month.after.from > month.after.to);
    }

    proptest! {
        /// Every date of a span is counted once, and no other.
        #[test]
        fn every_date_is_counted_once(from in 0..1_500i64, days in 0..900i64) {
            let first = date("2024-01-01");
            let (from, to) = (first.plus_days(from).unwrap(), first.plus_days(from + days).unwrap());
            let dates = DateRange { from, to };
            let Parts { before, months, after } = Parts::of(dates);
            for day in -40..=2_500 {
                let day = first.plus_days(day).unwrap();
                let month = day.first_of_month();
                let times = [(before, day), (after, day), (months, month)]
                    .iter()
                    .filter(|(part, of)| part.from <= *of && *of <= part.to)
                    .count();
                prop_assert_eq!(times, usize::from(from <= day && day <= to), "{}", day);
            }
        }
    }
}
