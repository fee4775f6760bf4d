//! Series of bookings and of classes: the words that both have, and which of their occurrences a caller
//! means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Date, Key, Problem, Result, Rule, Timestamp};
use spotter_store::words;

use crate::{
    recurrence::{Diff, Recurrence, RecurrenceChanges},
    rules::CalendarRule,
    vocabulary::UnavailableReason,
};

words! {
    /// Whether a series is active.
    pub enum ClassSeriesStatus { Active = "active", Cancelled = "cancelled" }
}

words! {
    /// What to do where a date cannot be had: refuse the whole, or leave the date out.
    pub enum OnConflict { Refuse = "refuse", Skip = "skip" }
}

words! {
    /// Which occurrences are meant: one, one and all after it, or all that are to come.
    pub enum SeriesScope { This = "this", Following = "following", All = "all" }
}

/// How far ahead bookings without an end are made, in days.
pub const HORIZON_DAYS: i64 = 92;

/// A date that could not be had, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct SkippedDate {
    /// The date in the recurrence.
    pub date: Date,
    /// Why the date could not be used.
    pub reasons: Vec<UnavailableReason>,
    /// Whether the existing booking was left in place.
    pub stays: bool,
}

/// Refuses dates that the series which continues this one already has.
pub fn check_next(recurrence: &Recurrence, through: Date, next: Option<Date>) -> Result<()> {
    let Some(next) = next else { return Ok(()) };
    match recurrence.dates(through).last() {
        Some(last) if *last >= next => Err(Problem::conflict(
            "recurrence",
            CalendarRule::EndsAfterNext { next: next.to_string() },
        )),
        _ => Ok(()),
    }
}

/// Refuses the whole where a date cannot be had and none may be left out.
pub fn check_conflicts(on_conflict: OnConflict, conflicts: &[SkippedDate]) -> Result<()> {
    if conflicts.is_empty() || on_conflict == OnConflict::Skip {
        return Ok(());
    }
    let refusal = CalendarRule::DatesNotBookable { count: conflicts.len() };
    let mut problem = Problem::because(Key::AvailabilitySlotNotBookable, refusal);
    problem.details = Some(serde_json::json!({"conflicts": conflicts}));
    Err(problem)
}

/// The date that is meant, which is none where all are.
pub fn affected_from(
    recurrence: &Recurrence,
    scope: SeriesScope,
    date: Option<Date>,
) -> Result<Option<Date>> {
    match (scope, date) {
        (SeriesScope::All, None) => Ok(None),
        (SeriesScope::All, Some(_)) => {
            Err(Problem::invalid("occurrenceDate", CalendarRule::GivenForAll))
        }
        (_, None) => Err(Problem::invalid("occurrenceDate", Rule::Required)),
        (_, Some(date)) if recurrence.contains(date) => Ok(Some(date)),
        _ => Err(Problem::field(Key::NotFound, "occurrenceDate", CalendarRule::NotSeriesDate)),
    }
}

impl SeriesScope {
    /// Whether the occurrence of a date is selected.
    pub fn means(self, own: Option<Date>, from: Date) -> bool {
        own.is_some_and(|own| match self {
            Self::This => own == from,
            Self::Following | Self::All => own >= from,
        })
    }
}

/// A series before a change.
pub struct SeriesState<'s> {
    /// On which dates.
    pub recurrence: &'s Recurrence,
    /// Which could not be had.
    pub skipped: &'s [SkippedDate],
    /// Date up to which bookings are created.
    pub made_through: Date,
    /// How far ahead occurrences of an endless series are made, in days.
    pub ahead_days: i64,
}

/// The effect of a change on a series.
pub struct SeriesChange {
    /// The date from which it applies: earlier occurrences stay.
    pub from: Date,
    /// Whether the later part becomes a series of its own.
    pub splits: bool,
    /// What recurs from there on.
    pub recurrence: Recurrence,
    /// Whether the same dates have other starts.
    pub moves: bool,
    /// Date up to which bookings are created.
    pub through: Date,
    /// The compared dates; those that could not be booked are tried again.
    pub diff: Diff,
}

impl SeriesState<'_> {
    /// The effect of a change.
    pub fn plan_change(
        &self,
        scope: SeriesScope,
        occurrence_date: Option<Date>,
        change: RecurrenceChanges,
        now: Timestamp,
    ) -> Result<SeriesChange> {
        let meant = affected_from(self.recurrence, scope, occurrence_date)?;
        let is_to_come = |date: &Date| self.recurrence.starts_at(*date) > now;
        let from = match meant {
            Some(date) if is_to_come(&date) => date,
            Some(_) => return Err(Problem::conflict("occurrenceDate", CalendarRule::Begun)),
            None => {
                let far = self.recurrence.materialized_until(now, self.ahead_days);
                self.recurrence
                    .first(far, is_to_come)
                    .ok_or_else(|| Problem::conflict("recurrence", CalendarRule::NothingToCome))?
            }
        };
        let is_whole = self.recurrence.first(from, |_| true) == Some(from);
        // A series that continues another has no earlier dates, even at its start.
        let own = match is_whole && scope == SeriesScope::All {
            true => self.recurrence.clone(),
            false => self.recurrence.from_date(from),
        };
        let mut recurrence = own.clone();
        change.apply(&mut recurrence)?;
        let through = recurrence.materialized_until(now, self.ahead_days);
        let mut diff = own.diff(self.made_through, &recurrence, through);
        for SkippedDate { date, stays, .. } in self.skipped {
            if *date >= from && !stays && !diff.gone.contains(date) {
                diff.added.insert(*date);
            }
        }
        let moves =
            recurrence.start_time != own.start_time || recurrence.time_zone != own.time_zone;
        let splits = scope == SeriesScope::Following && !is_whole;
        Ok(SeriesChange { from, splits, recurrence, moves, through, diff })
    }

    /// What stays of it before a date: its recurrence, what could not be had, and how far it is made.
    pub fn before(&self, from: Date) -> (Recurrence, Vec<SkippedDate>, Date) {
        let skipped = self.skipped.iter().filter(|skipped| skipped.date < from).cloned();
        let last = from.plus_days(-1).unwrap_or(from);
        (self.recurrence.before_date(from), skipped.collect(), self.made_through.min(last))
    }

    /// What remains when some occurrences are cancelled: the recurrence, and how far it has been made; `None` where
    /// it is over.
    pub fn left(&self, scope: SeriesScope, from: Date) -> Option<(Recurrence, Date)> {
        match scope {
            SeriesScope::This => {
                let mut recurrence = self.recurrence.clone();
                recurrence.exclude(from);
                Some((recurrence, self.made_through))
            }
            SeriesScope::Following if from > self.recurrence.start_date => {
                let (recurrence, _, made_through) = self.before(from);
                Some((recurrence, made_through))
            }
            SeriesScope::Following | SeriesScope::All => None,
        }
    }

    /// Dates to make now, and the date up to which they are made. Dates that have passed meanwhile are not made any
    /// more.
    pub fn due(&self, now: Timestamp) -> (Vec<Date>, Date) {
        let through =
            self.recurrence.materialized_until(now, self.ahead_days).max(self.made_through);
        let is_new = self.made_through < self.recurrence.start_date;
        let mut dates = self.recurrence.dates(through);
        dates.retain(|date| {
            *date > self.made_through && (is_new || self.recurrence.starts_at(*date) > now)
        });
        (dates, through)
    }
}

/// Orders moves so that each makes room for the next: when moving later, the last comes first.
pub fn in_moving_order<T>(
    mut kept: Vec<(Date, T)>,
    goes_on: impl Fn(&Date, &T) -> bool,
) -> Vec<(Date, T)> {
    kept.sort_unstable_by_key(|(date, _)| *date);
    if kept.iter().any(|(date, one)| goes_on(date, one)) {
        kept.reverse();
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Begins on a Monday, with Thursdays: what changes from the first Thursday on has no Wednesday before it.
    #[test]
    fn a_continued_series_has_no_earlier_dates() {
        let date = |text: &str| Date::parse(text).unwrap();
        let recurrence: Recurrence = serde_json::from_value(json!({
            "weekdays": [4], "intervalWeeks": 1, "startTime": "10:00", "timeZone": "UTC",
            "startDate": "2026-06-01", "untilDate": "2026-06-30", "count": null, "exclusions": [],
        }))
        .unwrap();
        let now = Timestamp::parse("2026-05-01T00:00:00Z").unwrap();
        let state = SeriesState {
            recurrence: &recurrence,
            skipped: &[],
            made_through: date("2026-06-30"),
            ahead_days: HORIZON_DAYS,
        };
        let turned = |scope, from: Option<&str>| {
            let change = serde_json::from_value(json!({"weekdays": [3]})).unwrap();
            state.plan_change(scope, from.map(date), change, now).unwrap()
        };
        let following = turned(SeriesScope::Following, Some("2026-06-04"));
        assert!(!following.splits, "nothing is left of what was before");
        assert_eq!(following.diff.added.first(), Some(&date("2026-06-10")));
        let all = turned(SeriesScope::All, None);
        assert_eq!(all.diff.added.first(), Some(&date("2026-06-03")));
    }
}
