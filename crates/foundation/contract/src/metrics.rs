//! Figures: what reports are made of. An area says what a record amounts to, on which day and in which
//! scopes; each change of it adds the difference, in the change's own transaction. What the figures should
//! be can be counted anew from the records, and they are mended where they are not.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use spotter_kernel::{
    Date, Result,
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

/// What is asked for: everything, a place, a coach, or both.
pub fn scope(location: Option<LocationId>, coach: Option<CoachId>) -> String {
    match (location, coach) {
        (None, None) => "all".to_owned(),
        (Some(location), None) => format!("location:{location}"),
        (None, Some(coach)) => format!("coach:{coach}"),
        (Some(location), Some(coach)) => format!("location:{location},coach:{coach}"),
    }
}

/// Where a figure stands: its scope, its day and its part.
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
    /// Adds so many times figures to a day of each of these scopes.
    pub fn add(&mut self, scopes: &[String], (day, part): (Date, &str), metrics: F, times: i64) {
        for scope in scopes {
            let key = (scope.clone(), day, part.to_owned());
            self.0.entry(key).or_default().add(&metrics, times);
        }
    }

    /// Adds so many times another sheet.
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

    /// The figures that are something, by scope, day and part.
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

/// What is written at the end of a transaction, each row once.
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
    /// Has the figures follow a change: they amount to one sheet less, and to another more.
    pub fn refigure<F: DailyMetrics>(&mut self, before: &MetricSheet<F>, after: &MetricSheet<F>) {
        let change = MetricSheet::from_to(before, after);
        self.add_figures(&change);
    }

    /// Adds to the figures.
    pub fn add_figures<F: DailyMetrics>(&mut self, sheet: &MetricSheet<F>) {
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

/// A figure that is not what its records amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table of figures.
    pub table: &'static str,
    /// The scope of the row.
    pub scope: String,
    /// The day of the row.
    pub day: Date,
    /// The part of the row.
    pub part: String,
    /// The figure.
    pub figure: &'static str,
    /// By how much it is less than it should be.
    pub missing: i64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, scope, day, part, figure, missing } = self;
        let part = if part.is_empty() { String::new() } else { format!(" {part}") };
        write!(f, "{table} of {day}{part}, {scope}: {figure} is {missing} short")
    }
}

/// How figures are counted anew from the records that they are of.
pub struct Recount {
    /// The first and the last day of which there are records or figures.
    pub span: fn(&mut Read) -> Result<Days>,
    /// Fills in what records of before lack; whether there is more to do.
    pub prepare: fn(&mut Write) -> Result<bool>,
    /// Counts the days between two, both included, of which one is the first and the other the last of a
    /// month; where the figures are others, they are mended if that is wanted.
    pub month: fn(&mut Write, Date, Date, bool) -> Result<Vec<Difference>>,
    /// The same for what is true of now alone, and of no day before.
    pub now: fn(&mut Write, bool) -> Result<Vec<Difference>>,
}

/// The first and the last of some days, if there are any.
pub type Days = (Option<Date>, Option<Date>);

/// The days of which there are figures, and those of which there are records.
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

/// Compares the figures of some days with what they should be.
pub fn compare<F: DailyMetrics>(
    cx: &mut Write,
    should: &MetricSheet<F>,
    (from, to): (Date, Date),
    mend: bool,
) -> Result<Vec<Difference>> {
    let kept: Vec<DatedMetrics<F>> = cx.all(F::ALL, params![from, to])?;
    Ok(differ(cx, &MetricSheet::from_iter(kept), should, mend))
}

/// Compares what the figures of all days come to with what that should be, whichever days they stand under.
/// Where there are none at all, what they should be stands where it says; else only the difference is added.
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
            sheet.add(&[scope], (day, &part), metrics, 1);
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
        cx.add_figures(&change);
    }
    let each = change.iter().flat_map(|((scope, day, part), metrics)| {
        let named = F::TABLE.columns.iter().copied().zip(metrics.amounts());
        named.filter(|(_, missing)| *missing != 0).map(|(figure, missing)| Difference {
            table: F::TABLE.name,
            scope: scope.clone(),
            day: *day,
            part: part.clone(),
            figure,
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
    fn something_counts_in_each_scope_that_it_is_of() {
        let id = |digit: &str| Id::parse(&digit.repeat(24)).unwrap();
        let (location, coach) = (LocationId(id("a")), CoachId(id("b")));
        assert_eq!(scopes(None, None), ["all"]);
        assert_eq!(scopes(Some(location), None).len(), 2);
        let both = scopes(Some(location), Some(coach));
        assert_eq!(both.len(), 4);
        assert_eq!(both[3], scope(Some(location), Some(coach)));
    }
}
