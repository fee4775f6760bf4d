//! A summary of a period: measurements, habits, goals and workouts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Path, Query, Read, answer, operation};
use spotter_kernel::{Date, DateRange, Key, Result, id::ClientId, span::Span};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, Value, params, statements};

use crate::{
    amounts::{self, Amount},
    goal::GoalStatus,
    habit::{Habit, HabitId},
    measurement::Measurement,
    photos::COUNT_BETWEEN,
    streak::{EntryStatus, StreakUnit},
    types::{MeasurementType, TypeKey},
    units::Units,
};

/// Most days of a summary.
const DAYS_MAX: i64 = 366;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SummaryQuery {
    /// The first date; `PUBLIC_API_DATE_RANGE_REQUIRED` when absent.
    #[schemars(required, with = "Date")]
    from: Option<Date>,
    /// The last date, at most 365 days after the first.
    #[schemars(required, with = "Date")]
    to: Option<Date>,
    /// The units of the answer; `metric` when absent.
    units: Option<Units>,
}

/// The trend of a value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct ValueChange {
    /// First value within the range.
    first: f64,
    /// Latest value within the range.
    latest: f64,
    /// The latest less the first.
    change: f64,
    /// Lowest value within the range.
    minimum: f64,
    /// Highest value within the range.
    maximum: f64,
    /// Rounded as values are.
    mean: f64,
}

/// The first, latest and extreme values of a measurement type.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MeasurementSummary {
    /// A key of `GET /measurement-types`.
    r#type: TypeKey,
    /// Display name.
    label: String,
    unit: Option<String>,
    /// Number of measurements.
    count: i64,
    /// Statistics of the value; null for types with components.
    value: Option<ValueChange>,
    /// Systolic pressure.
    systolic: Option<ValueChange>,
    /// Diastolic pressure.
    diastolic: Option<ValueChange>,
}

/// The adherence to a habit in a period.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HabitSummary {
    habit_id: HabitId,
    name: String,
    /// Number of days on which the habit was kept.
    done: i64,
    /// Number of days on which the habit was recorded but not kept.
    missed: i64,
    /// Number of days that were skipped on purpose.
    skipped: i64,
    /// Number of dates in a row on which the habit was kept, as of today.
    current_streak: i64,
    streak_unit: StreakUnit,
}

/// Number of goals by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct GoalCounts {
    /// Active now.
    active: i64,
    /// Goals achieved within the range.
    achieved: i64,
    /// Goals missed within the range.
    missed: i64,
    /// Goals abandoned within the range.
    abandoned: i64,
}

/// A client's progress in a period.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProgressSummary {
    client_id: ClientId,
    from: Date,
    to: Date,
    /// Summaries of measurement types, by key.
    measurements: Vec<MeasurementSummary>,
    /// Summaries of habits that are not archived.
    habits: Vec<HabitSummary>,
    goals: GoalCounts,
    /// Workouts that were completed.
    sessions_completed: i64,
    /// Check-ups that were given.
    checkups_assigned: i64,
    /// Number of check-ups that were submitted.
    checkups_submitted: i64,
    /// Photos of these dates.
    photos: i64,
}

answer!(SummaryAnswer { summary: ProgressSummary });

fn measured(
    cx: &mut Read,
    client: ClientId,
    dates: DateRange,
    units: Units,
) -> Result<Vec<MeasurementSummary>> {
    let DateRange { from, to } = dates;
    let Span { start: since, end: until } = amounts::instants(dates);
    let amounts = amounts::between(cx, client, dates)?;
    let params = |amount: &Amount| -> Vec<Value<'static>> {
        let kind = amount.r#type.bind().into_owned();
        let of = [client.bind().into_owned(), kind, from.bind().into_owned()];
        [&of[..], &[to.bind().into_owned(), since.bind().into_owned(), until.bind().into_owned()]]
            .concat()
    };
    amounts.iter().try_for_each(|amount| cx.ask_ahead(LATEST, &params(amount)))?;
    let first: Vec<Option<Measurement>> = cx.one_each(FIRST, amounts.iter().map(params))?;
    let latest: Vec<Option<Measurement>> = cx.one_each(LATEST, amounts.iter().map(params))?;
    let types = MeasurementType::all(cx)?;
    let mut output = Vec::with_capacity(amounts.len());
    for ((amount, first), latest) in amounts.iter().zip(&first).zip(&latest) {
        let of = types.iter().find(|kind| kind.key() == amount.r#type);
        let (Some(of), Some(first), Some(latest)) = (of, first, latest) else { continue };
        let metrics = |ends: (Option<i64>, Option<i64>),
                       range: (Option<i64>, Option<i64>),
                       total: Option<i64>| {
            let ((first, latest), (least, most)) = (ends.0.zip(ends.1)?, range.0.zip(range.1)?);
            let mean = (total? as f64 / amount.count.max(1) as f64).round() as i64;
            Some(ValueChange {
                first: of.show(first, units),
                latest: of.show(latest, units),
                change: of.show_difference(latest - first, units),
                minimum: of.show(least, units),
                maximum: of.show(most, units),
                mean: of.show(mean, units),
            })
        };
        output.push(MeasurementSummary {
            r#type: amount.r#type.clone(),
            label: of.label().to_owned(),
            unit: of.unit(units),
            count: amount.count,
            value: metrics(
                (first.value, latest.value),
                (amount.minimum, amount.maximum),
                amount.total,
            ),
            systolic: metrics(
                (first.systolic, latest.systolic),
                (amount.systolic_minimum, amount.systolic_maximum),
                amount.systolic_total,
            ),
            diastolic: metrics(
                (first.diastolic, latest.diastolic),
                (amount.diastolic_minimum, amount.diastolic_maximum),
                amount.diastolic_total,
            ),
        });
    }
    Ok(output)
}

fn kept_rate(
    cx: &mut Read,
    client: ClientId,
    dates: DateRange,
    today: Date,
) -> Result<Vec<HabitSummary>> {
    let habits: Vec<Habit> = cx.all(HABITS, params![client])?;
    let rows: Vec<(HabitId, EntryStatus, i64)> =
        cx.all(ENTRIES, params![client, dates.from, dates.to])?;
    let counts: BTreeMap<(HabitId, EntryStatus), i64> =
        rows.into_iter().map(|(habit, status, count)| ((habit, status), count)).collect();
    let output = |habit: &Habit| {
        let count = |status| counts.get(&(habit.habit_id, status)).copied().unwrap_or(0);
        let (current_streak, streak_unit) = habit.streak_on(today);
        HabitSummary {
            habit_id: habit.habit_id,
            name: habit.name.clone(),
            done: count(EntryStatus::Done),
            missed: count(EntryStatus::Missed),
            skipped: count(EntryStatus::Skipped),
            current_streak,
            streak_unit,
        }
    };
    Ok(habits.iter().map(output).collect())
}

fn counted(cx: &mut Read, client: ClientId, span: Span) -> Result<GoalCounts> {
    let rows: Vec<(GoalStatus, i64)> = cx.all(GOALS, params![client, span.start, span.end])?;
    let count = |status| rows.iter().find(|(own, _)| *own == status).map_or(0, |(_, count)| *count);
    Ok(GoalCounts {
        active: count(GoalStatus::Active),
        achieved: count(GoalStatus::Achieved),
        missed: count(GoalStatus::Missed),
        abandoned: count(GoalStatus::Abandoned),
    })
}

fn get_progress_summary(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(wanted): Query<SummaryQuery>,
) -> Result<SummaryAnswer> {
    let client = Client::find(cx, at.client_id)?;
    let dates = DateRange::checked(wanted.from, wanted.to, DAYS_MAX)?;
    let DateRange { from, to } = dates;
    let zone = client.zone(cx)?;
    let today = zone.date_at(cx.now());
    let units = wanted.units.unwrap_or(Units::Metric);
    let span = dates.span(&zone);
    cx.ask_ahead(COUNT_BETWEEN, params![at.client_id, from, to])?;
    cx.ask_ahead(HABITS, params![at.client_id])?;
    cx.ask_ahead(ENTRIES, params![at.client_id, from, to])?;
    cx.ask_ahead(GOALS, params![at.client_id, span.start, span.end])?;
    let until = cx.training()?.completed(cx, at.client_id, to.tomorrow())?;
    let photos: Option<(i64,)> = cx.one(COUNT_BETWEEN, params![at.client_id, from, to])?;
    let (checkups_assigned, checkups_submitted) = cx.checkups()?.given(cx, at.client_id, span)?;
    let summary = ProgressSummary {
        client_id: at.client_id,
        from,
        to,
        measurements: measured(cx, at.client_id, dates, units)?,
        habits: kept_rate(cx, at.client_id, dates, today)?,
        goals: counted(cx, at.client_id, span)?,
        sessions_completed: cx.training()?.completed(cx, at.client_id, from)? - until,
        checkups_assigned,
        checkups_submitted,
        photos: photos.map_or(0, |(count,)| count),
    };
    Ok(SummaryAnswer { summary })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([operation!(
        GET "/clients/{clientId}/progress-summary",
        ProgressSummariesRead,
        get_progress_summary
    )
    .summary("Get a progress summary")
    .describe(
        "Returns, for a range of dates: the first, latest, lowest, highest and mean measurement of each type and its \
         change; adherence to habits; goals by status; and the numbers of completed workouts, check-ups and photos.",
    )
    .for_client(&[])
    .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge])])
}

statements! {
    FIRST = "SELECT ", Measurement::COLUMNS, " FROM measurement WHERE company_id = ?1 AND client_id = ?2 \
        AND type = ?3 AND status = 'recorded' AND measured_at >= ?6 AND measured_at < ?7 \
        AND measured_on >= ?4 AND measured_on <= ?5 ORDER BY measured_at, measurement_id LIMIT 1";
    LATEST = "SELECT ", Measurement::COLUMNS, " FROM measurement WHERE company_id = ?1 AND client_id = ?2 \
        AND type = ?3 AND status = 'recorded' AND measured_at >= ?6 AND measured_at < ?7 \
        AND measured_on >= ?4 AND measured_on <= ?5 ORDER BY measured_at DESC, measurement_id DESC LIMIT 1";
    HABITS = "SELECT ", Habit::COLUMNS, " FROM habit WHERE company_id = ?1 AND client_id = ?2 \
        AND status <> 'archived' ORDER BY habit_id LIMIT 100";
    ENTRIES = "SELECT habit_id, status, COUNT(*) FROM habit_entry WHERE company_id = ?1 AND client_id = ?2 \
        AND date >= ?3 AND date <= ?4 GROUP BY habit_id, status LIMIT 1000";
    GOALS = "SELECT status, COUNT(*) FROM goal WHERE company_id = ?1 AND client_id = ?2 AND (status = 'active' \
        OR status = 'achieved' AND achieved_at >= ?3 AND achieved_at < ?4 \
        OR status IN ('missed', 'abandoned') AND updated_at >= ?3 AND updated_at < ?4) GROUP BY status LIMIT 10";
}
