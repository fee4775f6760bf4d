//! When a purchase grants credits: with each invoice, on the first days of weeks or months, and by pools at
//! intervals; computed from dates alone. No two grants of a purchase and pool have the same date, so the date
//! identifies them. Needs no database.

use spotter_kernel::Date;

use crate::{
    catalogue::vocabulary::{CreditCalendar, PoolMode, SpanUnit},
    sales::terms::SaleTerms,
};

/// Credits that are given on a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditGrant {
    /// The pool; `None` for general credits.
    pub pool: Option<String>,
    /// The date.
    pub on: Date,
    /// The first day on which they have expired.
    pub until: Option<Date>,
    /// Number of credits.
    pub credits: i64,
}

impl CreditGrant {
    /// The number of the grant within its purchase and pool: days since 1970.
    pub fn number(&self) -> i64 {
        Date(jiff::civil::date(1970, 1, 1)).days_until(self.on)
    }
}

impl SaleTerms {
    /// Credits that come with a bill for a period that begins on a date, or with a purchase on it.
    pub fn with_bill(&self, on: Date) -> Option<CreditGrant> {
        let rolling = self.credit_calendar == CreditCalendar::Rolling;
        (self.assign_credits && self.credits > 0 && rolling).then(|| self.general(on))
    }

    fn general(&self, on: Date) -> CreditGrant {
        CreditGrant { pool: None, on, until: self.credit_validity.after(on), credits: self.credits }
    }

    /// Grants on dates from one to before another that follow from dates alone, the earliest first.
    pub fn by_date(&self, start: Date, from: Date, before: Date) -> Vec<CreditGrant> {
        let mut grants = Vec::new();
        if !self.assign_credits {
            return grants;
        }
        let unit = match self.credit_calendar {
            CreditCalendar::Rolling => None,
            CreditCalendar::CalendarWeek => Some(SpanUnit::Week),
            CreditCalendar::CalendarMonth => Some(SpanUnit::Month),
        };
        if let Some(unit) = unit.filter(|_| self.credits > 0) {
            let first = match unit {
                SpanUnit::Week => start.monday(),
                _ => start.first_of_month(),
            };
            // The first are given with the start, whichever day that is.
            let on = dates(first, unit, 1, before).map(|(on, _)| on.max(start));
            grants.extend(on.filter(|on| *on >= from && *on < before).map(|on| self.general(on)));
        }
        for pool in &self.credit_pools {
            let (unit, interval) = (pool.schedule_unit, pool.schedule_interval);
            let of_pool = dates(start, unit, interval, before).filter(|(on, _)| *on >= from);
            grants.extend(of_pool.map(|(on, next)| CreditGrant {
                pool: Some(pool.key.clone()),
                on,
                until: match pool.mode {
                    PoolMode::Reset => Some(next),
                    PoolMode::Accumulate => self.credit_validity.after(on),
                },
                credits: pool.credits,
            }));
        }
        grants.sort_by_key(|grant| grant.on);
        grants
    }

    /// The first date from one on on which credits are given by dates alone.
    pub fn next_date(&self, start: Date, from: Date) -> Option<Date> {
        // Later dates are computed when this one has come.
        let horizon = from.plus_days(400)?;
        let found = self.by_date(start, from, horizon);
        let later =
            || (!self.by_date(start, start, start.tomorrow()).is_empty()).then_some(horizon);
        found.first().map(|grant| grant.on).or_else(later)
    }
}

/// Dates at a fixed distance from the first, before a last one; each with the next.
fn dates(
    first: Date,
    unit: SpanUnit,
    interval: i64,
    before: Date,
) -> impl Iterator<Item = (Date, Date)> {
    let date = move |number| unit.times_after(first, number * interval);
    let pairs = (0..).map(move |number| (date(number), date(number + 1)));
    // A calendar that has ended gives the same last date repeatedly.
    pairs.take_while(move |(on, next)| *on < before && on < next)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn terms(own: serde_json::Value) -> SaleTerms {
        let mut terms = json!({"price": 0, "currency": "EUR", "vatPercentage": 0, "period": "Month",
            "autoRenew": true, "contractPeriod": {"value": 0, "unit": "Day"},
            "cancellationNoticePeriod": "None", "daysUsable": 0,
            "validityAfterPurchase": {"value": 0, "unit": "Day"}, "assignCredits": true, "credits": 4,
            "creditValidity": {"value": 2, "unit": "Week"}, "creditCalendar": "Rolling",
            "maxNegativeCredits": 0, "creditPools": []});
        terms.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        serde_json::from_value(terms).unwrap()
    }

    fn on(grants: &[CreditGrant]) -> Vec<String> {
        grants.iter().map(|grant| grant.on.to_string()).collect()
    }

    #[test]
    fn credits_are_granted_by_invoice_or_calendar() {
        let rolling = terms(json!({}));
        let grant = rolling.with_bill(date("2027-01-31")).unwrap();
        assert_eq!((grant.credits, grant.until), (4, Some(date("2027-02-14"))));
        assert!(
            rolling.by_date(date("2027-01-01"), date("2027-01-01"), date("2027-12-01")).is_empty()
        );
        assert_eq!(rolling.next_date(date("2027-01-01"), date("2027-01-02")), None);
        let weekly = terms(json!({"creditCalendar": "CalendarWeek"}));
        assert_eq!(weekly.with_bill(date("2027-01-31")), None);
        // 2027-01-13 is a Wednesday.
        let start = date("2027-01-13");
        assert_eq!(
            on(&weekly.by_date(start, start, date("2027-02-01"))),
            ["2027-01-13", "2027-01-18", "2027-01-25"]
        );
        assert_eq!(
            on(&weekly.by_date(start, date("2027-01-14"), date("2027-01-25"))),
            ["2027-01-18"]
        );
        let monthly = terms(json!({"creditCalendar": "CalendarMonth"}));
        assert_eq!(
            on(&monthly.by_date(start, start, date("2027-03-02"))),
            ["2027-01-13", "2027-02-01", "2027-03-01"]
        );
        assert_eq!(monthly.next_date(start, start.tomorrow()), Some(date("2027-02-01")));
    }

    #[test]
    fn pools_grant_at_intervals() {
        let pool = |mode: &str| {
            json!({"key": "pt", "name": "PT", "credits": 2, "scheduleInterval": 1,
            "scheduleUnit": "Month", "mode": mode})
        };
        let start = date("2027-01-31");
        let reset = terms(json!({"credits": 0, "creditPools": [pool("Reset")]}));
        let grants = reset.by_date(start, start, date("2027-04-01"));
        assert_eq!(on(&grants), ["2027-01-31", "2027-02-28", "2027-03-31"]);
        assert_eq!(grants[1].until, Some(date("2027-03-31")));
        let numbers: Vec<_> = grants.iter().map(CreditGrant::number).collect();
        assert_eq!(numbers, [20_849, 20_877, 20_908]);
        let kept = terms(json!({"credits": 0, "creditPools": [pool("Accumulate")]}));
        assert_eq!(kept.by_date(start, start, start.tomorrow())[0].until, Some(date("2027-02-14")));
    }
}
