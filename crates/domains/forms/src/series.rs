//! Check-ups that recur: a series gives a client the same form repeatedly, at the same time by the clock on
//! their wall.

use jiff::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Effect, ListQuery, Offboarding, Path, Read, Timer, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Date, Event, Id, Key, Problem, Result, TimeZone, Timestamp, id::ClientId, id_type, number,
    text::WallTime,
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{
    Bind, List, filters, lists, params, record, set, statements, stored_ids, values, words,
};

use crate::{
    assignment::{self, Assignment, AssignmentId, AssignmentOptions},
    effects::FormEffect,
    form::{Form, FormId, FormStatus},
    rules::FormRule,
};

id_type!(
    /// A series of check-ups.
    SeriesId,
    RequestInvalid
);
stored_ids!(SeriesId);

/// Most series of a client that go on.
const SERIES_MAX: i64 = 20;

words! {
    /// In what units the time from one check-up to the next is counted.
    pub enum Frequency { Weekly = "weekly", Monthly = "monthly" }
}

words! {
    /// Whether more check-ups of a series are to come.
    pub enum CheckupSeriesStatus { Active = "active", Ended = "ended" }
}

/// How a check-up recurs.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckupRecurrence {
    /// Weekly or monthly, from the date of the first.
    pub frequency: Frequency,
    /// Interval in weeks or months, 1 to 12; 1 when absent.
    #[serde(default = "one", deserialize_with = "interval")]
    #[schemars(range(min = 1, max = 12))]
    pub interval: i64,
    /// The last date on which one is given, where the client is; it goes on when absent.
    pub until: Option<Date>,
}

fn one() -> i64 {
    1
}

fn interval<'de, D: serde::Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 1..=12)
}

record! {
    /// A series: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Series {
        series_id: SeriesId,
        client_id: ClientId,
        form_id: FormId,
        frequency: Frequency,
        /// Number of weeks or months between two check-ups.
        every: i64,
        /// The date of the first, where the client is.
        start_date: Date,
        /// The time of day of each, by the clock on the client's wall.
        time: WallTime,
        /// How many dates later each is due.
        due_days: Option<i64>,
        /// At which time by the clock each is due.
        due_time: Option<WallTime>,
        until: Option<Date>,
        message: Option<String>,
        /// The number of the next, the first being 0.
        next_number: i64,
        next_date: Option<Date>,
        status: CheckupSeriesStatus,
        assigned_by_type: String,
        assigned_by: Option<Id>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// Check-ups that repeat.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckupSeries {
    series_id: SeriesId,
    client_id: ClientId,
    form_id: FormId,
    /// Weekly or monthly, from `startDate`.
    frequency: Frequency,
    /// Number of weeks or months between two check-ups.
    interval: i64,
    /// The date of the first, where the client is.
    start_date: Date,
    /// The last date on which one is given; null where it goes on.
    until: Option<Date>,
    /// The date on which the next is given; null once it has ended.
    next_date: Option<Date>,
    status: CheckupSeriesStatus,
    /// Message to the client with each check-up.
    message: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    assigned_by_type: String,
    assigned_by: Option<Id>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The date of the check-up with this number, in intervals from the first. In a month without that day it is the
/// last.
pub fn date_of(start: Date, frequency: Frequency, every: i64, number: i64) -> Option<Date> {
    let steps = every.checked_mul(number)?;
    match frequency {
        Frequency::Weekly => start.plus_days(steps.checked_mul(7)?),
        Frequency::Monthly => {
            let span = Span::new().try_months(steps).ok()?;
            start.0.checked_add(span).ok().map(Date)
        }
    }
}

impl Series {
    /// Starts a series and assigns its first check-up.
    pub fn start(
        cx: &mut Write,
        client: &Client,
        form: FormId,
        recurrence: &CheckupRecurrence,
        how: &AssignmentOptions,
    ) -> Result<SeriesId> {
        let there: Option<(i64,)> = cx.one(COUNT, params![client.client_id])?;
        if there.is_some_and(|(count,)| count >= SERIES_MAX) {
            return Err(Problem::conflict("clientId", FormRule::TooManySeries { max: SERIES_MAX }));
        }
        let (zone, now) = (client.zone(cx)?, cx.now());
        let start_date = zone.date_at(now);
        if recurrence.until.is_some_and(|until| until <= start_date) {
            return Err(Problem::invalid("recurrence.until", FormRule::NotAfterToday));
        }
        let due = how.due_at.map(|at| (start_date.days_until(zone.date_at(at)), at));
        let due_time = due.map(|(_, at)| zone.time_at(at));
        let (assigned_by_type, assigned_by) = cx.maker();
        let mut series = Self {
            series_id: SeriesId(cx.new_id()),
            client_id: client.client_id,
            form_id: form,
            frequency: recurrence.frequency,
            every: recurrence.interval,
            start_date,
            time: zone.time_at(now),
            due_days: due.map(|(days, _)| days),
            due_time,
            until: recurrence.until,
            message: how.message.clone(),
            next_number: 1,
            next_date: None,
            status: CheckupSeriesStatus::Active,
            assigned_by_type,
            assigned_by,
            created_at: now,
            updated_at: now,
        };
        series.plan(cx, &zone)?;
        cx.defer(INSERT, &series.params())?;
        Ok(series.series_id)
    }

    fn date(&self, number: i64) -> Option<Date> {
        let date = date_of(self.start_date, self.frequency, self.every, number)?;
        Some(date).filter(|date| self.until.is_none_or(|until| *date <= until))
    }

    /// Has the next given when its time comes, or ends where none is to come.
    fn plan(&mut self, cx: &mut Write, zone: &TimeZone) -> Result<()> {
        self.next_date = self.date(self.next_number);
        match self.next_date {
            Some(date) => cx.set_timer(&RECUR, self.series_id, date.at(&self.time, zone)),
            None => {
                self.status = CheckupSeriesStatus::Ended;
                cx.clear_timer(&RECUR, self.series_id)
            }
        }
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        if let Some(now) = cx.audit_fields("checkup_series", self.series_id, changed) {
            self.updated_at = now;
            cx.defer(SAVE, &self.params())?;
        }
        Ok(())
    }

    fn end(&mut self, cx: &mut Write) -> Result<()> {
        (self.status, self.next_date) = (CheckupSeriesStatus::Ended, None);
        cx.clear_timer(&RECUR, self.series_id)
    }

    /// When the check-up of a date is due.
    fn due_at(&self, date: Date, zone: &TimeZone) -> Option<Timestamp> {
        let (days, time) = self.due_days.zip(self.due_time.as_ref())?;
        Some(date.plus_days(days)?.at(time, zone))
    }

    fn into_view(self) -> CheckupSeries {
        CheckupSeries {
            series_id: self.series_id,
            client_id: self.client_id,
            form_id: self.form_id,
            frequency: self.frequency,
            interval: self.every,
            start_date: self.start_date,
            until: self.until,
            next_date: self.next_date,
            status: self.status,
            message: self.message,
            assigned_by_type: self.assigned_by_type,
            assigned_by: self.assigned_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// Assigns the next check-up. Of several that were due meanwhile, only the last is assigned, and the previous one
/// expires if it was not answered.
fn recur_checkup(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Series> = cx.one(FIND, params![id])?;
    let Some(before) = found.filter(|series| series.status == CheckupSeriesStatus::Active) else {
        return Ok(());
    };
    let mut series = before.clone();
    let client = Client::find(cx, series.client_id)?;
    let (zone, now) = (client.zone(cx)?, cx.now());
    let form = Form::find(cx, series.form_id)?;
    let version = form.version.filter(|_| form.status == FormStatus::Published);
    let (Some(version), false) = (version, client.is_archived()) else {
        series.end(cx)?;
        return series.save(cx, &before);
    };
    let has_come = |date: Date| date.at(&series.time, &zone) <= now;
    let mut number = series.next_number;
    let Some(mut date) = series.date(number) else {
        series.end(cx)?;
        return series.save(cx, &before);
    };
    while let Some(next) = series.date(number + 1).filter(|date| has_come(*date)) {
        (number, date) = (number + 1, next);
    }
    let open: Vec<(AssignmentId,)> = cx.all(OPEN, params![series.series_id])?;
    for (open,) in open {
        assignment::expire(cx, open)?;
    }
    if cx.lacks_consent(series.client_id)? {
        // It goes on, and gives the next once the client consents.
        series.next_number = number + 1;
        series.plan(cx, &zone)?;
        return series.save(cx, &before);
    }
    let how = AssignmentOptions {
        message: series.message.clone(),
        due_at: series.due_at(date, &zone),
        series_id: Some(series.series_id),
        by: Some((series.assigned_by_type.clone(), series.assigned_by)),
        ..AssignmentOptions::default()
    };
    Assignment::give(cx, &client, &form, version, how)?;
    series.next_number = number + 1;
    series.plan(cx, &zone)?;
    series.save(cx, &before)
}

static RECUR: Timer = Timer::new("recur_checkup", "Assign a recurring check-up", recur_checkup)
    .emits(&[Event::CheckupAssigned]);

fn end_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let all: Vec<Series> = cx.all(ACTIVE, params![client])?;
    for before in &all {
        let mut series = before.clone();
        series.end(cx)?;
        series.save(cx, before)?;
    }
    Ok(all.len() as u64)
}

const ENDS: &[Effect] =
    &[Effect::new(Offboarding::ClientArchived, || FormEffect::CheckupsEnd.into(), end_of_client)];

listed!(AllSeries { checkup_series: CheckupSeries });

filters! {
    struct Filters {
        /// Series in this status.
        status: CheckupSeriesStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_checkup_series(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<AllSeries> {
    Client::find(cx, at.client_id)?;
    let page = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(page.map(Series::into_view).into())
}

path!(SeriesPath { client_id: ClientId, series_id: SeriesId });

answer!(SeriesAnswer { checkup_series: CheckupSeries });

fn end_checkup_series(cx: &mut Write, Path(at): Path<SeriesPath>) -> Result<SeriesAnswer> {
    Client::find(cx, at.client_id)?;
    let found: Option<Series> = cx.one(FIND, params![at.series_id])?;
    let before = found.filter(|series| series.client_id == at.client_id).ok_or(Key::NotFound)?;
    cx.describe_effect(|| FormEffect::CheckupSeriesEnds);
    let mut series = before.clone();
    series.end(cx)?;
    series.save(cx, &before)?;
    Ok(SeriesAnswer { checkup_series: series.into_view() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).timers(&[&RECUR]).ends(ENDS).operations([
        operation!(GET "/clients/{clientId}/checkup-series", CheckupsRead, list_checkup_series)
            .summary("List a client's recurring check-ups")
            .describe("Returns the series of check-ups, newest first.")
            .for_client(&[]),
        operation!(POST "/clients/{clientId}/checkup-series/{seriesId}/end", CheckupsWrite, end_checkup_series)
            .summary("End recurring check-ups")
            .describe("Assigns no further check-ups. The latest one can still be answered.")
            .confirmation(),
    ])
}

lists! {
    /// A client's series, the newest first; a client has few.
    LIST: List<Series, Filters> =
        List::new("checkup_series WHERE company_id = ?1 AND client_id = ?2", "series_id DESC");
}

statements! {
    FIND = "SELECT ", Series::COLUMNS, " FROM checkup_series WHERE company_id = ?1 AND series_id = ?2";
    COUNT = "SELECT COUNT(*) FROM checkup_series WHERE company_id = ?1 AND client_id = ?2 AND status = 'active'";
    ACTIVE = "SELECT ", Series::COLUMNS, " FROM checkup_series WHERE company_id = ?1 AND client_id = ?2 \
        AND status = 'active' ORDER BY series_id LIMIT 20";
    OPEN = "SELECT assignment_id FROM form_assignment WHERE company_id = ?1 AND series_id = ?2 \
        AND status IN ('assigned', 'in_progress') ORDER BY assignment_id DESC LIMIT 20";
    INSERT = "INSERT INTO checkup_series ", values!(Series);
    SAVE = "UPDATE checkup_series SET ", set!(Series), " WHERE company_id = ?1 AND series_id = ?2";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn months_without_the_day_have_it_on_their_last() {
        let start = Date::parse("2027-10-31").unwrap();
        let dates: Vec<String> = (0..6)
            .filter_map(|number| date_of(start, Frequency::Monthly, 1, number))
            .map(|date| date.to_string())
            .collect();
        let is =
            ["2027-10-31", "2027-11-30", "2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31"];
        assert_eq!(dates, is);
    }

    proptest! {
        /// Each is later than the one before, and weeks keep the weekday.
        #[test]
        fn dates_go_on(day in 0..20_000i64, every in 1..=12i64, number in 0..200i64, weekly: bool) {
            let start = Date::parse("1990-01-01").unwrap().plus_days(day).unwrap();
            let frequency = if weekly { Frequency::Weekly } else { Frequency::Monthly };
            let one = date_of(start, frequency, every, number).unwrap();
            let next = date_of(start, frequency, every, number + 1).unwrap();
            prop_assert!(next > one);
            match weekly {
                true => prop_assert_eq!(one.days_until(next), 7 * every),
                false => prop_assert!(next.0.day() == start.0.day() || next.tomorrow().0.day() == 1),
            }
        }
    }
}
