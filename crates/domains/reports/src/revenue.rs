//! The revenue report: invoiced and paid amounts, outstanding balance and recurring revenue, by the company's dates;
//! a block per currency, in its minor units.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::{
    company::Company,
    metrics::{Balance, Revenue},
};
use spotter_contract::{Area, Query, Read, answer, operation};
use spotter_kernel::{Date, DateRange, Key, Result, id::LocationId, money::Currency};
use spotter_store::{DailyMetrics, DatedMetrics};

use crate::buckets::{Bucket, Frame, GroupBy};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReportFilters {
    /// The first date; `PUBLIC_API_DATE_RANGE_REQUIRED` when absent.
    #[schemars(required, with = "Date")]
    from: Option<Date>,
    /// The last date: at most 366 days, 106 weeks or 60 months.
    #[schemars(required, with = "Date")]
    to: Option<Date>,
    /// `day` when absent; weeks begin on Monday.
    group_by: Option<GroupBy>,
    /// Only clients whose home location this was.
    location_id: Option<LocationId>,
}

/// An amount with and without tax.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline)]
struct Amount {
    /// Amount excluding VAT, in minor units.
    net: i64,
    /// VAT in minor units.
    vat: i64,
    /// Amount including VAT, in minor units.
    gross: i64,
}

/// Amounts of chargebacks.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(inline)]
struct Disputes {
    /// Amount of opened chargebacks.
    opened: i64,
    /// Amount of lost chargebacks.
    lost: i64,
}

/// Amounts of one currency.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Income {
    /// ISO 4217 code of every amount here, which are in its minor units.
    currency: Currency,
    /// Invoiced amounts by date of issue.
    invoiced: Amount,
    /// Credited amounts by date of issue.
    credited: Amount,
    /// Payments, by the dates on which they succeeded.
    collected: i64,
    /// Refunded amount.
    refunded: i64,
    /// Amounts of chargebacks.
    disputed: Disputes,
    /// Collected amount minus refunds and lost chargebacks.
    net_collected: i64,
}

impl Income {
    fn of(currency: Currency, sums: &Revenue) -> Self {
        Self {
            currency,
            invoiced: Amount {
                net: sums.invoiced_net,
                vat: sums.invoiced_vat,
                gross: sums.invoiced_gross,
            },
            credited: Amount {
                net: sums.credited_net,
                vat: sums.credited_vat,
                gross: sums.credited_gross,
            },
            collected: sums.collected,
            refunded: sums.refunded,
            disputed: Disputes { opened: sums.disputes_opened, lost: sums.disputes_lost },
            net_collected: sums.collected - sums.refunded - sums.disputes_lost,
        }
    }
}

/// Amounts of one currency, and its balances at the end.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct CurrencyTotals {
    #[serde(flatten)]
    income: Income,
    /// Outstanding amount of open and overdue invoices at the end of the period, or now for the
    /// current one.
    outstanding: i64,
    /// Monthly recurring revenue at the end, or now: a month's share of running memberships, tax included.
    mrr: i64,
    /// Monthly recurring revenue of paused memberships, in minor units.
    paused_mrr: i64,
}

/// A day, week or month of the revenue report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct RevenueBucket {
    #[serde(flatten)]
    bucket: Bucket,
    /// A block for each currency of the report.
    currencies: Vec<CurrencyTotals>,
}

/// Invoiced and received amounts by period.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RevenueReport {
    from: Date,
    to: Date,
    /// day, week or month.
    group_by: GroupBy,
    /// The zone in which the buckets begin and end.
    time_zone: String,
    location_id: Option<LocationId>,
    /// Periods in order, including empty ones.
    buckets: Vec<RevenueBucket>,
    /// Totals by currency.
    totals: Vec<Income>,
}

answer!(RevenueAnswer { report: RevenueReport });

/// Sums by the code of their currency.
type Sums<F> = BTreeMap<String, F>;

fn add<F: DailyMetrics>(sums: &mut Sums<F>, row: &DatedMetrics<F>) {
    sums.entry(row.part.clone()).or_default().add(&row.metrics, 1);
}

/// Twelfths as wholes, halves up: the one rounding of recurring revenue.
fn monthly(twelfths: i64) -> i64 {
    (twelfths + 6).div_euclid(12)
}

fn get_revenue_report(cx: &mut Read, Query(wanted): Query<ReportFilters>) -> Result<RevenueAnswer> {
    let (location_id, group_by) = (wanted.location_id, wanted.group_by.unwrap_or(GroupBy::Day));
    let dates = DateRange::checked(wanted.from, wanted.to, i64::MAX)?;
    let mut frame = Frame::of(cx, dates, group_by, location_id, None)?;
    // Amounts are dated in the company's zone, as invoices are.
    frame.zone = cx.zone()?;
    frame.today = cx.today()?;
    let moved: Vec<DatedMetrics<Revenue>> = cx.metrics(&frame.scope, frame.from, frame.to)?;
    let before: Vec<DatedMetrics<Balance>> = cx.metrics_before(&frame.scope, frame.from)?;
    let changes: Vec<DatedMetrics<Balance>> = cx.metrics(&frame.scope, frame.from, frame.to)?;
    let parts = moved.iter().map(|row| &row.part);
    let parts = parts.chain(before.iter().chain(&changes).map(|row| &row.part));
    let mut currencies: BTreeSet<Currency> =
        parts.filter_map(|code| Currency::parse(code)).collect();
    if currencies.is_empty() {
        currencies.insert(Company::find(cx)?.currency);
    }
    let (mut moved, mut changes) = (moved.iter().peekable(), changes.iter().peekable());
    let (mut levels, mut totals) = (Sums::new(), Sums::new());
    before.iter().for_each(|row| add(&mut levels, row));
    let mut buckets = Vec::new();
    for bucket in frame.buckets() {
        let mut sums = Sums::new();
        while let Some(row) = moved.next_if(|row| row.day <= bucket.to) {
            add(&mut sums, row);
            add(&mut totals, row);
        }
        while let Some(row) = changes.next_if(|row| row.day <= bucket.to) {
            add(&mut levels, row);
        }
        let state = |currency: &Currency| {
            let sums = sums.get(currency.code()).copied().unwrap_or_default();
            let level: Balance = levels.get(currency.code()).copied().unwrap_or_default();
            CurrencyTotals {
                income: Income::of(*currency, &sums),
                outstanding: level.outstanding,
                mrr: monthly(level.mrr),
                paused_mrr: monthly(level.paused_mrr),
            }
        };
        buckets.push(RevenueBucket { currencies: currencies.iter().map(state).collect(), bucket });
    }
    let total = |currency: &Currency| {
        Income::of(*currency, &totals.get(currency.code()).copied().unwrap_or_default())
    };
    let report = RevenueReport {
        from: frame.from,
        to: frame.to,
        group_by: frame.group_by,
        time_zone: frame.zone.name().to_owned(),
        location_id,
        buckets,
        totals: currencies.iter().map(total).collect(),
    };
    Ok(RevenueAnswer { report })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(GET "/reports/revenue", RevenueSummariesRead,
        get_revenue_report)
    .summary("Get the revenue report")
    .report()
    .describe(
        "Sums what was billed, paid and refunded by the company's dates, with the \
                 outstanding balance and recurring revenue at the end of each bucket; one block \
                 for each currency. With `Accept: text/csv`, returns a row for each bucket and \
                 currency.",
    )
    .table("report.buckets")
    .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge, Key::CompanyNotFound, Key::NotFound])])
}

#[cfg(test)]
mod tests {
    use super::monthly;

    #[test]
    fn recurring_revenue_is_rounded_once() {
        // 100.00 a year, 49.95 in four weeks, 9.99 a week.
        assert_eq!(monthly(10_000), 833);
        assert_eq!(monthly(4_995 * 13), 5_411);
        assert_eq!(monthly(999 * 52), 4_329);
        assert_eq!((monthly(6), monthly(5), monthly(0)), (1, 0, 0));
    }
}
