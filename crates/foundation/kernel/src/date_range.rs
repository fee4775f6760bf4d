//! Ranges of dates.

use crate::{Date, Key, Problem, Result, Rule, TimeZone, span::Span};

/// Dates from one to another, both included; none where the last is before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRange {
    /// The first date.
    pub from: Date,
    /// The last date.
    pub to: Date,
}

impl DateRange {
    /// A single date.
    pub const fn of_day(date: Date) -> Self {
        Self { from: date, to: date }
    }

    /// From the first instant of the first date to the end of the last, in a zone.
    pub fn span(self, zone: &TimeZone) -> Span {
        Span::new(self.from.start_in(zone), self.to.tomorrow().start_in(zone))
    }

    /// The range of two given dates, of at most `days_max` days.
    ///
    /// # Errors
    ///
    /// A date is missing, `to` is before `from`, or the range is too long.
    pub fn checked(from: Option<Date>, to: Option<Date>, days_max: i64) -> Result<Self> {
        let missing = |field| Problem::field(Key::DateRangeRequired, field, Rule::Required);
        let from = from.ok_or_else(|| missing("from"))?;
        let to = to.ok_or_else(|| missing("to"))?;
        if to < from {
            return Err(Problem::field(Key::DateRangeOrderInvalid, "to", Rule::BeforeFrom));
        }
        if from.days_until(to) >= days_max {
            return Err(Problem::field(
                Key::DateRangeTooLarge,
                "to",
                Rule::RangeTooWide { days: days_max - 1 },
            ));
        }
        Ok(Self { from, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_ordered_and_short() {
        let date = |text| Some(Date::parse(text).unwrap());
        let key = |from, to| DateRange::checked(from, to, 92).unwrap_err().key;
        assert_eq!(key(None, date("2026-01-01")), Key::DateRangeRequired);
        assert_eq!(key(date("2026-01-02"), date("2026-01-01")), Key::DateRangeOrderInvalid);
        assert_eq!(key(date("2026-01-01"), date("2026-04-03")), Key::DateRangeTooLarge);
        assert!(DateRange::checked(date("2026-01-01"), date("2026-04-02"), 92).is_ok());
    }
}
