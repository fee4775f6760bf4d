//! Series of bookings and of classes: the words that both have, and which of their occurrences a caller
//! means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{Date, Key, Problem, Result, Rule, Timestamp};
use spotter_store::words;

use crate::{
    recurrence::{Diff, Recurrence, RecurrenceChanges},
    rules::CalendarRule,
    vocabulary::Reason,
};

words! {
    /// Whether a series goes on.
    pub enum SeriesStatus { Active = "active", Cancelled = "cancelled" }
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
    /// What spoke against it.
    pub reasons: Vec<Reason>,
    /// Whether it has its occurrence all the same, which stays where it was.
    pub stays: bool,
}

/// Refuses dates at which another series goes on already, in which the later part of this one has become.
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
    let message = format!("{} of the dates cannot be booked.", conflicts.len());
    let mut problem = Problem::with_message(Key::AvailabilitySlotNotBookable, message);
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
    /// Whether the occurrence of a date is among those that are meant.
    pub fn means(self, own: Option<Date>, from: Date) -> bool {
        own.is_some_and(|own| match self {
            Self::This => own == from,
            Self::Following | Self::All => own >= from,
        })
    }
}

/// A series as it stands when it is changed.
pub struct SeriesState<'s> {
    /// On which dates.
    pub recurrence: &'s Recurrence,
    /// Which could not be had.
    pub skipped: &'s [SkippedDate],
    /// Up to which date its occurrences are made.
    pub made_through: Date,
    /// How far ahead they are made where there is no end, in days.
    pub ahead_days: i64,
}

/// What a change makes of a series.
pub struct SeriesChange {
    /// The date from which on it holds: what has begun stays as it was.
    pub from: Date,
    /// Whether what follows becomes a series of its own.
    pub splits: bool,
    /// What recurs from there on.
    pub recurrence: Recurrence,
    /// Whether the same dates have other starts.
    pub moves: bool,
    /// Up to which date its occurrences are made.
    pub through: Date,
    /// What becomes of the dates; those that could not be had are tried again.
    pub diff: Diff,
}

impl SeriesState<'_> {
    /// What a change makes of it.
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
        // What follows a date has none before it, also where that is the first.
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

    /// What is left of it when some occurrences are cancelled: its recurrence, and how far it is made;
    /// nothing where it is over.
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

    /// Dates that are to be made now, and up to where. What should have been made and has passed by now,
    /// because nobody was there to make it, is not made any more.
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

/// Puts what is moved into the order in which it makes room for itself: what goes on in time begins with
/// the last.
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
    fn what_follows_the_first_has_no_date_before_it() {
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
