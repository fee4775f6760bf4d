//! The periods that are paid for: counted from one date, never from the one before, so that what begins
//! on the 31st is due on the last of each month. Knows no database.

use jiff::{Span, ToSpan};
use spotter_kernel::Date;

use crate::catalogue::{
    pools,
    vocabulary::{Period, SpanUnit},
};

impl Period {
    /// Whether it is a whole number of months.
    pub const fn is_months(self) -> bool {
        matches!(self, Self::Month | Self::Quarter | Self::HalfYear | Self::Year)
    }

    /// A number of these periods.
    fn times(self, count: i64) -> Span {
        match self {
            Self::None => Span::new(),
            Self::Day => count.days(),
            Self::Week => count.weeks(),
            Self::FourWeeks => (4 * count).weeks(),
            Self::Month => count.months(),
            Self::Quarter => (3 * count).months(),
            Self::HalfYear => (6 * count).months(),
            Self::Year => count.years(),
        }
    }

    /// Days that it has at the least.
    const fn days_at_least(self) -> i64 {
        match self {
            Self::None | Self::Day => 1,
            Self::Week => 7,
            Self::FourWeeks => 28,
            Self::Month => 28,
            Self::Quarter => 89,
            Self::HalfYear => 181,
            Self::Year => 365,
        }
    }

    /// The start of the period with this number; 0 begins at the anchor.
    pub fn start(self, anchor: Date, number: i64) -> Date {
        Date(anchor.0.saturating_add(self.times(number)))
    }

    /// The number of the last period that begins on a date or before it.
    pub fn number(self, anchor: Date, date: Date) -> i64 {
        if self == Self::None {
            return 0;
        }
        // No period is shorter, so none of a lower number is left out.
        let mut number = anchor.days_until(date).div_euclid(self.days_at_least()) + 1;
        while self.start(anchor, number) > date {
            number -= 1;
        }
        number
    }

    /// The period in which a date lies: its number, its start and the start of the next.
    pub fn around(self, anchor: Date, date: Date) -> (i64, Date, Date) {
        let number = self.number(anchor, date);
        (number, self.start(anchor, number), self.start(anchor, number + 1))
    }

    /// The first date after notice that is given on one.
    pub fn after(self, date: Date) -> Date {
        self.start(date, 1)
    }
}

impl pools::TimeSpan {
    /// The first date after it, from a date on; `None` without a limit.
    pub fn after(self, date: Date) -> Option<Date> {
        (self.value > 0).then(|| self.unit.times_after(date, self.value))
    }
}

impl SpanUnit {
    /// The date a number of units after another.
    pub fn times_after(self, date: Date, count: i64) -> Date {
        let span = match self {
            Self::Day => count.days(),
            Self::Week => count.weeks(),
            Self::Month => count.months(),
            Self::Year => count.years(),
        };
        Date(date.0.saturating_add(span))
    }
}

/// The first day of a date's month, or of the next month where the date is not a first.
pub fn first_of_month(date: Date) -> Date {
    let first = date.0.first_of_month();
    Date(if first == date.0 { first } else { first.saturating_add(1.month()) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PERIODS: &[Period] = &[
        Period::Day,
        Period::Week,
        Period::FourWeeks,
        Period::Month,
        Period::Quarter,
        Period::HalfYear,
        Period::Year,
    ];

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn the_last_day_of_a_month_comes_back() {
        let starts: Vec<_> =
            (0..4).map(|n| Period::Month.start(date("2027-01-31"), n).to_string()).collect();
        assert_eq!(starts, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]);
        assert_eq!(Period::Year.start(date("2024-02-29"), 4), date("2028-02-29"));
        assert_eq!(first_of_month(date("2026-12-02")), date("2027-01-01"));
        assert_eq!(first_of_month(date("2026-12-01")), date("2026-12-01"));
    }

    proptest! {
        #[test]
        fn periods_tile(year in 1990i16..2090, day in 1i16..366, which in 0usize..7, after in 0i64..4_000) {
            let anchor = Date(jiff::civil::date(year, 1, 1)).plus_days(day.into()).unwrap();
            let period = PERIODS[which];
            let date = anchor.plus_days(after).unwrap();
            let (number, start, end) = period.around(anchor, date);
            prop_assert!(number >= 0 && start <= date && date < end);
            prop_assert_eq!(period.around(anchor, end), (number + 1, end, period.start(anchor, number + 2)));
            prop_assert!(start.days_until(end) >= period.days_at_least());
        }
    }
}
