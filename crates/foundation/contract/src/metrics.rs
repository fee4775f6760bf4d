//! Metrics: the basis of reports. An area defines what a record contributes, on which day and in which scopes; each
//! change adds the difference in its own transaction. Metrics can be recounted from the records, and corrected where
//! they differ.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use spotter_kernel::{
    Date, DateRange, Result,
    id::{CoachId, LocationId},
};
use spotter_store::{DailyMetrics, DatedMetrics, MetricTable, Sql, params};

use crate::context::{Read, Write};

/// The scopes that something at a place and with a coach counts in: everything, the place, the coach, and
/// both.
pub fn scopes(location: Option<LocationId>, coach: Option<CoachId>) -> Vec<String> {
    let mut scopes = vec![scope(None, None)];
    scopes.extend(location.map(|_| scope(location, None)));
    scopes.extend(coach.map(|_| scope(None, coach)));
    scopes.extend(location.and(coach).map(|_| scope(location, coach)));
    scopes
}

/// The scope of a report: everything, a location, a coach, or both.
pub fn scope(location: Option<LocationId>, coach: Option<CoachId>) -> String {
    match (location, coach) {
        (None, None) => "all".to_owned(),
        (Some(location), None) => format!("location:{location}"),
        (None, Some(coach)) => format!("coach:{coach}"),
        (Some(location), Some(coach)) => format!("location:{location},coach:{coach}"),
    }
}

/// The key of a metric: its scope, day and name.
type Key = (String, Date, String);

/// What records amount to, by scope, day and part.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSheet<F>(BTreeMap<Key, F>);

impl<F> Default for MetricSheet<F> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<F: DailyMetrics> MetricSheet<F> {
    /// Adds a multiple of metrics to a day in each of these scopes.
    pub fn add(&mut self, scopes: &[String], day: Date, part: &str, metrics: F, times: i64) {
        for scope in scopes {
            let key = (scope.clone(), day, part.to_owned());
            self.0.entry(key).or_default().add(&metrics, times);
        }
    }

    /// Adds a multiple of another sheet.
    pub fn join(&mut self, other: &Self, times: i64) {
        for (key, metrics) in &other.0 {
            self.0.entry(key.clone()).or_default().add(metrics, times);
        }
    }

    /// What has to be added to one sheet to make another of it.
    pub fn from_to(before: &Self, after: &Self) -> Self {
        let mut change = after.clone();
        change.join(before, -1);
        change.0.retain(|_, metrics| *metrics != F::default());
        change
    }

    /// The same without the days before one or after another.
    pub fn between(mut self, from: Date, to: Date) -> Self {
        self.0.retain(|(_, day, _), _| (from..=to).contains(day));
        self
    }

    /// What all days come to, under the first.
    pub fn totals(&self) -> Self {
        let mut first: BTreeMap<(&str, &str), Date> = BTreeMap::new();
        let mut totals = Self::default();
        for ((scope, day, part), metrics) in &self.0 {
            let day = *first.entry((scope, part)).or_insert(*day);
            totals.0.entry((scope.clone(), day, part.clone())).or_default().add(metrics, 1);
        }
        totals
    }

    /// The metrics that are something, by scope, day and part.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &F)> {
        self.0.iter().filter(|(_, metrics)| **metrics != F::default())
    }
}

impl<F: DailyMetrics> FromIterator<DatedMetrics<F>> for MetricSheet<F> {
    fn from_iter<I: IntoIterator<Item = DatedMetrics<F>>>(rows: I) -> Self {
        let mut sheet = Self::default();
        for row in rows {
            sheet.0.entry((row.scope, row.day, row.part)).or_default().add(&row.metrics, 1);
        }
        sheet
    }
}

/// Metrics to write at the end of a transaction, each row once.
pub(crate) type PendingMetrics =
    BTreeMap<(&'static str, String, Date, String), (&'static MetricTable, Vec<i64>)>;

impl Read<'_, '_> {
    /// The days of a scope between two, both included, by day and part.
    pub fn metrics<F: DailyMetrics>(
        &mut self,
        scope: &str,
        from: Date,
        to: Date,
    ) -> Result<Vec<DatedMetrics<F>>> {
        self.all(F::BETWEEN, params![scope, from, to])
    }

    /// What everything of a scope before a day comes to, by part.
    pub fn metrics_before<F: DailyMetrics>(
        &mut self,
        scope: &str,
        day: Date,
    ) -> Result<Vec<DatedMetrics<F>>> {
        self.all(F::BEFORE, params![scope, day])
    }
}

impl Write<'_, '_> {
    /// Has the metrics follow a change: they amount to one sheet less, and to another more.
    pub fn update_metrics<F: DailyMetrics>(
        &mut self,
        before: &MetricSheet<F>,
        after: &MetricSheet<F>,
    ) {
        let change = MetricSheet::from_to(before, after);
        self.add_metrics(&change);
    }

    /// Adds to the metrics.
    pub fn add_metrics<F: DailyMetrics>(&mut self, sheet: &MetricSheet<F>) {
        for ((scope, day, part), metrics) in sheet.iter() {
            let key = (F::TABLE.name, scope.clone(), *day, part.clone());
            let (_, amounts) = self
                .pending_metrics()
                .entry(key)
                .or_insert_with(|| (F::TABLE, vec![0; F::TABLE.columns.len()]));
            amounts.iter_mut().zip(metrics.amounts()).for_each(|(all, more)| *all += more);
        }
    }
}

/// A metric that is not what its records amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table of metrics.
    pub table: &'static str,
    /// The scope of the row.
    pub scope: String,
    /// The day of the row.
    pub day: Date,
    /// The part of the row.
    pub part: String,
    /// The metric.
    pub metric: &'static str,
    /// By how much it is less than it should be.
    pub missing: i64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, scope, day, part, metric, missing } = self;
        let part = if part.is_empty() { String::new() } else { format!(" {part}") };
        write!(f, "{table} of {day}{part}, {scope}: {metric} is {missing} short")
    }
}

/// How metrics are recalculated from their records.
pub struct Recount {
    /// The first and the last day of which there are records or metrics.
    pub span: fn(&mut Read) -> Result<Days>,
    /// Fills in what records of before lack; whether there is more to do.
    pub prepare: fn(&mut Write) -> Result<bool>,
    /// Counts the days between two, both included, of which one is the first and the other the last of a
    /// month; where the metrics are others, they are mended if that is wanted.
    pub month: fn(&mut Write, Date, Date, bool) -> Result<Vec<Difference>>,
    /// The same for present values without a history.
    pub now: fn(&mut Write, bool) -> Result<Vec<Difference>>,
}

/// The first and the last of some days, if there are any.
pub type Days = (Option<Date>, Option<Date>);

/// The days of which there are metrics, and those of which there are records.
pub fn days_with<F: DailyMetrics>(cx: &mut Read, records: &[Sql]) -> Result<Days> {
    let mut days = BTreeSet::new();
    for sql in [F::SPAN].iter().chain(records) {
        let found: Option<(Option<Date>, Option<Date>)> = cx.one(*sql, params![])?;
        let (first, last) = found.unwrap_or_default();
        days.extend(first.into_iter().chain(last));
    }
    Ok((days.first().copied(), days.last().copied()))
}

/// Nothing to fill in.
pub fn prepared(_: &mut Write) -> Result<bool> {
    Ok(false)
}

/// Nothing that is true of now alone.
pub fn nothing_now(_: &mut Write, _: bool) -> Result<Vec<Difference>> {
    Ok(Vec::new())
}

/// Compares the metrics of some days with what they should be.
pub fn compare<F: DailyMetrics>(
    cx: &mut Write,
    should: &MetricSheet<F>,
    dates: DateRange,
    mend: bool,
) -> Result<Vec<Difference>> {
    let kept: Vec<DatedMetrics<F>> = cx.all(F::ALL, params![dates.from, dates.to])?;
    Ok(differ(cx, &MetricSheet::from_iter(kept), should, mend))
}

/// Compares the sums of metrics over all days with the records, whatever their days. Without any metrics, all are
/// written; otherwise only the differences.
pub fn compare_totals<F: DailyMetrics>(
    cx: &mut Write,
    should: &MetricSheet<F>,
    today: Date,
    mend: bool,
) -> Result<Vec<Difference>> {
    let kept: Vec<DatedMetrics<F>> = cx.all(F::ALL, params![EARLIEST, Date::MAX])?;
    let kept = MetricSheet::from_iter(kept);
    if kept.iter().next().is_none() {
        return Ok(differ(cx, &kept, should, mend));
    }
    let [kept, should] = [kept.totals(), should.totals()].map(|totals| totals.on(today));
    Ok(differ(cx, &kept, &should, mend))
}

const EARLIEST: &str = "0001-01-01";

impl<F: DailyMetrics> MetricSheet<F> {
    /// All of it on one day.
    fn on(self, day: Date) -> Self {
        let mut sheet = Self::default();
        for ((scope, _, part), metrics) in self.0 {
            sheet.add(&[scope], day, &part, metrics, 1);
        }
        sheet
    }
}

fn differ<F: DailyMetrics>(
    cx: &mut Write,
    kept: &MetricSheet<F>,
    should: &MetricSheet<F>,
    mend: bool,
) -> Vec<Difference> {
    let change = MetricSheet::from_to(kept, should);
    if mend {
        cx.add_metrics(&change);
    }
    let each = change.iter().flat_map(|((scope, day, part), metrics)| {
        let named = F::TABLE.columns.iter().copied().zip(metrics.amounts());
        named.filter(|(_, missing)| *missing != 0).map(|(metric, missing)| Difference {
            table: F::TABLE.name,
            scope: scope.clone(),
            day: *day,
            part: part.clone(),
            metric,
            missing,
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use spotter_kernel::Id;

    use super::*;

    #[test]
    fn records_count_in_all_their_scopes() {
        let id = |digit: &str| Id::parse(&digit.repeat(24)).unwrap();
        let (location, coach) = (LocationId(id("a")), CoachId(id("b")));
        assert_eq!(scopes(None, None), ["all"]);
        assert_eq!(scopes(Some(location), None).len(), 2);
        let both = scopes(Some(location), Some(coach));
        assert_eq!(both.len(), 4);
        assert_eq!(both[3], scope(Some(location), Some(coach)));
    }
}
