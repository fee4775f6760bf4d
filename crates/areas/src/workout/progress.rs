//! Progress: what a client has done of each exercise, kept up to date with every completed session,
//! so that no answer has to count sets.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Operation, Paged, Path, Query, Read, Write, arguments::NoFilters, listed, operation,
};
use spotter_kernel::{Date, Key, Page, Result, TimeZone, Timestamp, id::ClientId};
use spotter_store::{Bind, Filter, List, params, record, statements};

use super::{
    calendar::checked_range,
    exercises::{Exercise, ExerciseId},
    measures::{Grams, Weight, WeightUnit},
    performance::{
        Amount, LoggedSet, Performed, Progress, Record, RecordType, Records, Sets, best_estimate,
        brzycki,
    },
    sessions::{Performance, SessionId, by_exercise},
    settings::Settings,
    templates::company_zone,
    vocabulary::Muscle,
};
use crate::clients::{Client, ClientPath};

record! {
    /// A client's progress in an exercise as it is kept.
    #[derive(Debug, Clone, PartialEq)]
    struct Row {
        client_id: ClientId,
        exercise_id: ExerciseId,
        times_performed: i64,
        entries: i64,
        set_count: i64,
        total_reps: i64,
        total_volume_g: Grams,
        last_performed_at: Timestamp,
        records: Records,
    }
}

impl Row {
    fn of(client_id: ClientId, exercise_id: ExerciseId, progress: Progress) -> Self {
        Self {
            client_id,
            exercise_id,
            times_performed: progress.times_performed,
            entries: progress.entries,
            set_count: progress.amount.sets,
            total_reps: progress.amount.reps,
            total_volume_g: progress.amount.volume,
            last_performed_at: progress.last_performed_at,
            records: Records(progress.records),
        }
    }
}

impl From<Row> for Progress {
    fn from(row: Row) -> Self {
        let Row { set_count: sets, total_reps: reps, total_volume_g: volume, .. } = row;
        Self {
            times_performed: row.times_performed,
            entries: row.entries,
            amount: Amount { sets, reps, volume },
            last_performed_at: row.last_performed_at,
            records: row.records.0,
        }
    }
}

/// Counts a session that has just been completed.
pub(super) fn add(
    cx: &mut Write,
    client: ClientId,
    (session_id, started_at): (SessionId, Timestamp),
    log: &[Performance],
) -> Result<()> {
    let done = by_exercise(log);
    let wanted = done.keys().map(|id| vec![client.bind().into_owned(), id.bind().into_owned()]);
    let rows: Vec<Option<Row>> = cx.one_each(FIND, wanted.collect::<Vec<_>>())?;
    let mut late = BTreeSet::new();
    for ((exercise, (sets, entries)), row) in done.into_iter().zip(rows) {
        let mut progress = row.map(Progress::from).unwrap_or_default();
        if progress.times_performed > 0 && started_at < progress.last_performed_at {
            late.insert(exercise);
            continue;
        }
        progress.add(&Performed { session_id, started_at, sets, entries });
        cx.defer(SAVE, &Row::of(client, exercise, progress).params())?;
    }
    // A session of an earlier day may hold records that later ones have taken.
    recount(cx, client, late)
}

/// Works the progress in some exercises out anew, from everything that was logged.
pub(super) fn recount(
    cx: &mut Write,
    client: ClientId,
    exercises: BTreeSet<ExerciseId>,
) -> Result<()> {
    for exercise in exercises {
        let progress = from_log(cx, client, exercise)?;
        if progress.times_performed == 0 {
            cx.defer(DELETE, params![client, exercise])?;
        } else {
            cx.defer(SAVE, &Row::of(client, exercise, progress).params())?;
        }
    }
    Ok(())
}

/// Rows that are read at once.
const STEP: usize = 500;

fn from_log(cx: &mut Read, client: ClientId, exercise: ExerciseId) -> Result<Progress> {
    type Logged = (SessionId, Timestamp, i64, Sets);
    let mut progress = Progress::default();
    let mut open: Option<Performed> = None;
    let mut after = (Timestamp::default(), String::new(), 0);
    loop {
        let (at, session, position) = &after;
        let step: Vec<Logged> = cx.all(LOGGED, params![client, exercise, at, session, position])?;
        let full = step.len() == STEP;
        for (session_id, started_at, position, Sets(sets)) in step {
            after = (started_at, session_id.to_string(), position);
            match &mut open {
                Some(performed) if performed.session_id == session_id => {
                    performed.sets.extend(sets);
                    performed.entries += 1;
                }
                _ => {
                    let next = Performed { session_id, started_at, sets, entries: 1 };
                    let done = open.replace(next);
                    done.iter().for_each(|performed| progress.add(performed));
                }
            }
        }
        if !full {
            open.iter().for_each(|performed| progress.add(performed));
            return Ok(progress);
        }
    }
}

/// An exercise that a client has done.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TopExercise {
    exercise_id: ExerciseId,
    name: String,
    thumbnail: Option<String>,
    /// Completed sessions with the exercise.
    times_performed: i64,
    total_reps: i64,
    /// The sum of weight times repetitions, in the company's unit.
    total_volume: Weight,
    last_performed_at: Timestamp,
    /// Whether there is a history to read.
    has_history: bool,
}

/// The figures of this list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    #[schemars(range(min = 1))]
    page: i64,
    #[schemars(range(min = 1, max = 100))]
    limit: i64,
    total_items: i64,
    total_pages: i64,
}

/// What a client does most.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TopExercises {
    top_exercises: Vec<TopExercise>,
    pagination: Pagination,
}

/// The exercises of these rows.
fn exercises_of<'r>(
    cx: &mut Read,
    rows: impl IntoIterator<Item = &'r Row>,
) -> Result<BTreeMap<ExerciseId, Exercise>> {
    Exercise::find_all(cx, rows.into_iter().map(|row| row.exercise_id))
}

fn list_top_exercises(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Paged(_, page): Paged<NoFilters>,
) -> Result<TopExercises> {
    Client::find(cx, at.client_id)?;
    let unit = Settings::find(cx)?.weight_unit;
    let rows: Page<Row> = cx.page_under(&LIST, &[at.client_id.bind()], &[], page)?;
    let found = exercises_of(cx, &rows.items)?;
    let figures = rows.figures();
    let told = rows.items.into_iter().map(|row| {
        let exercise = found.get(&row.exercise_id);
        TopExercise {
            exercise_id: row.exercise_id,
            name: exercise.map(|exercise| exercise.name.clone()).unwrap_or_default(),
            thumbnail: exercise.and_then(|exercise| exercise.thumbnail.clone()),
            times_performed: row.times_performed,
            total_reps: row.total_reps,
            total_volume: unit.show(row.total_volume_g),
            last_performed_at: row.last_performed_at,
            has_history: row.times_performed > 0,
        }
    });
    Ok(TopExercises {
        top_exercises: told.collect(),
        pagination: Pagination {
            page: figures.page,
            limit: figures.limit,
            total_items: figures.total,
            total_pages: figures.total_pages,
        },
    })
}

/// A personal record. `value` is a weight or volume in the company's unit, repetitions, seconds or
/// metres, by the type.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct PersonalRecord {
    r#type: RecordType,
    value: Weight,
    /// The weight of the set that holds the record.
    weight: Option<Weight>,
    /// The repetitions of the set that holds the record.
    reps: Option<i64>,
    session_id: SessionId,
    achieved_at: Timestamp,
}

/// A client's records in an exercise.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ExerciseRecords {
    exercise_id: ExerciseId,
    name: String,
    weight_unit: WeightUnit,
    records: Vec<PersonalRecord>,
}

listed!(PersonalRecords { personal_records: ExerciseRecords });

impl Record {
    fn shown(self, unit: WeightUnit) -> PersonalRecord {
        let value = match self.r#type {
            RecordType::MaxReps | RecordType::MaxDuration | RecordType::MaxDistance => {
                Weight(self.value as f64)
            }
            _ => unit.show(Grams(self.value)),
        };
        PersonalRecord {
            r#type: self.r#type,
            value,
            weight: self.weight.map(|weight| unit.show(weight)),
            reps: self.reps,
            session_id: self.session_id,
            achieved_at: self.achieved_at,
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RecordFilters {
    exercise_id: Option<ExerciseId>,
}

fn list_personal_records(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Paged(wanted, page): Paged<RecordFilters>,
) -> Result<PersonalRecords> {
    Client::find(cx, at.client_id)?;
    let weight_unit = Settings::find(cx)?.weight_unit;
    let mut chosen = Vec::new();
    chosen.extend(wanted.exercise_id.map(|id| ("exerciseId", vec![id.bind().into_owned()])));
    let rows: Page<Row> = cx.page_under(&LIST, &[at.client_id.bind()], &chosen, page)?;
    let found = exercises_of(cx, &rows.items)?;
    let told = rows.map(|row| ExerciseRecords {
        exercise_id: row.exercise_id,
        name: found.get(&row.exercise_id).map(|e| e.name.clone()).unwrap_or_default(),
        weight_unit,
        records: row.records.0.into_iter().map(|record| record.shown(weight_unit)).collect(),
    });
    Ok(told.into())
}

/// Weeks that are told where no range is given.
const WEEKS: i64 = 12;
/// Most days of a range.
const DAYS_MAX: i64 = 371;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Between {
    /// The first date; with `to`. Twelve weeks up to today when both are absent.
    from: Option<Date>,
    /// The last date, at most 370 days after the first.
    to: Option<Date>,
}

/// What was trained of a muscle. A set counts in full for each primary muscle of its exercise.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct MuscleVolume {
    muscle: Muscle,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
}

/// What was trained in a week, Monday to Sunday.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WeekVolume {
    /// The week's Monday.
    week_start: Date,
    set_count: i64,
    total_reps: i64,
    /// The sum of weight times repetitions over working sets.
    total_volume: Weight,
    /// Those that were trained, the most first.
    muscles: Vec<MuscleVolume>,
}

/// What was trained between two dates, by week and muscle.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Volume {
    from: Date,
    to: Date,
    /// The IANA time zone of the dates.
    time_zone: TimeZone,
    weight_unit: WeightUnit,
    /// Every week that the range touches, the first first.
    weeks: Vec<WeekVolume>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VolumeAnswer {
    volume: Volume,
}

#[derive(Default)]
struct Week {
    all: Amount,
    by_muscle: BTreeMap<Muscle, Amount>,
}

fn get_workout_volume(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(wanted): Query<Between>,
) -> Result<VolumeAnswer> {
    Client::find(cx, at.client_id)?;
    let time_zone = company_zone(cx)?;
    let today = time_zone.date_at(cx.now());
    let (from, to) = match (wanted.from, wanted.to) {
        (None, None) => (today.monday().plus_days(-7 * (WEEKS - 1)).unwrap_or(today), today),
        (from, to) => checked_range(from, to, DAYS_MAX)?,
    };
    let weight_unit = Settings::find(cx)?.weight_unit;
    type Done = (Date, ExerciseId, i64, i64, Grams);
    let done: Vec<Done> = cx.all(DONE, params![at.client_id, from, to])?;
    let found = Exercise::find_all(cx, done.iter().map(|row| row.1))?;
    let mut weeks: BTreeMap<Date, Week> = BTreeMap::new();
    let mut next = Some(from.monday());
    while let Some(week) = next.filter(|week| *week <= to) {
        weeks.entry(week).or_default();
        next = week.plus_days(7);
    }
    for (date, exercise, sets, reps, volume) in done {
        let amount = Amount { sets, reps, volume };
        let week = weeks.entry(date.monday()).or_default();
        week.all.add(amount);
        for muscle in found.get(&exercise).map(|e| e.primary_muscles.as_slice()).unwrap_or_default()
        {
            week.by_muscle.entry(*muscle).or_default().add(amount);
        }
    }
    let weeks = weeks.into_iter().map(|(week_start, week)| {
        let mut muscles: Vec<_> = week.by_muscle.into_iter().collect();
        muscles.sort_by_key(|(_, amount)| std::cmp::Reverse((amount.volume, amount.sets)));
        let told = |(muscle, amount): (Muscle, Amount)| MuscleVolume {
            muscle,
            set_count: amount.sets,
            total_reps: amount.reps,
            total_volume: weight_unit.show(amount.volume),
        };
        WeekVolume {
            week_start,
            set_count: week.all.sets,
            total_reps: week.all.reps,
            total_volume: weight_unit.show(week.all.volume),
            muscles: muscles.into_iter().map(told).collect(),
        }
    });
    let weeks = weeks.collect();
    Ok(VolumeAnswer { volume: Volume { from, to, time_zone, weight_unit, weeks } })
}

/// An estimate of the one-repetition maximum from the set that gives the highest by Epley. Sets of
/// more than 12 repetitions are not used.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Estimate {
    /// Epley (1985): w · (1 + r / 30), and w for one repetition.
    epley: Weight,
    /// Brzycki (1993): w · 36 / (37 − r).
    brzycki: Option<Weight>,
    /// The set's weight.
    weight: Weight,
    /// The set's repetitions.
    reps: i64,
}

/// What was done of the exercise in a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryEntry {
    session_id: SessionId,
    /// The company's date on which the session began.
    local_date: Date,
    /// When the session began.
    performed_at: Timestamp,
    notes: Option<String>,
    sets: Vec<LoggedSet<Weight>>,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
    /// The unit of the weights.
    weight_unit: WeightUnit,
    /// Null where no working set of 1 to 12 repetitions has a weight.
    estimated_one_rep_max: Option<Estimate>,
}

listed!(History { history: HistoryEntry });

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryPath {
    client_id: ClientId,
    exercise_id: ExerciseId,
}

record! {
    struct Entry {
        session_id: SessionId,
        local_date: Date,
        started_at: Timestamp,
        notes: Option<String>,
        sets: Sets,
        set_count: i64,
        reps: i64,
        volume_g: Grams,
    }
}

impl Entry {
    fn shown(self, weight_unit: WeightUnit) -> HistoryEntry {
        let estimate = best_estimate(&self.sets.0).map(|(weight, reps, epley)| Estimate {
            epley: weight_unit.show(epley),
            brzycki: brzycki(weight, reps).map(|grams| weight_unit.show(grams)),
            weight: weight_unit.show(weight),
            reps,
        });
        HistoryEntry {
            session_id: self.session_id,
            local_date: self.local_date,
            performed_at: self.started_at,
            notes: self.notes,
            sets: self.sets.0.into_iter().map(|set| set.shown(weight_unit)).collect(),
            set_count: self.set_count,
            total_reps: self.reps,
            total_volume: weight_unit.show(self.volume_g),
            weight_unit,
            estimated_one_rep_max: estimate,
        }
    }
}

fn list_exercise_history(
    cx: &mut Read,
    Path(at): Path<HistoryPath>,
    Paged(_, page): Paged<NoFilters>,
) -> Result<History> {
    Client::find(cx, at.client_id)?;
    Exercise::find(cx, at.exercise_id)?;
    let unit = Settings::find(cx)?.weight_unit;
    let row: Option<Row> = cx.one(FIND, params![at.client_id, at.exercise_id])?;
    let total = row.map_or(0, |row| row.entries);
    let under = [at.client_id.bind(), at.exercise_id.bind()];
    let entries = cx.page_known::<Entry>(&HISTORY, &under, total, page)?;
    Ok(entries.map(|entry| entry.shown(unit)).into())
}

/// The operations about progress.
pub(super) fn operations() -> Vec<Operation> {
    const ON_A_CLIENT: &[Key] = &[Key::InvalidClientId, Key::ClientNotFound];
    vec![
        operation!(GET "/workout/clients/{clientId}/plans/top-exercises", WorkoutProgressRead, list_top_exercises)
            .summary("Client's most-performed exercises")
            .describe("By the number of completed sessions with the exercise, then by the latest.")
            .fails(ON_A_CLIENT),
        operation!(GET "/workout/clients/{clientId}/plans/personal-records", WorkoutProgressRead, list_personal_records)
            .summary("List a client's personal records")
            .describe(
                "By exercise, the one done most first. Working sets of completed sessions count; \
                 whoever reaches a record first keeps it. Editing or deleting a session works its \
                 records out anew.",
            )
            .fails(ON_A_CLIENT),
        operation!(GET "/workout/clients/{clientId}/plans/volume", WorkoutProgressRead, get_workout_volume)
            .summary("Get a client's training volume")
            .describe(
                "By week (Monday to Sunday in the company's time zone) and muscle. The volume is \
                 the sum of weight times repetitions over working sets of completed sessions. A set \
                 counts in full for each primary muscle of its exercise, so the muscles of a week may \
                 add up to more than the week.",
            )
            .fails(&[
                Key::InvalidClientId,
                Key::ClientNotFound,
                Key::InvalidDate,
                Key::DateRangeRequired,
                Key::DateRangeOrderInvalid,
                Key::DateRangeTooLarge,
            ]),
        operation!(GET "/workout/clients/{clientId}/plans/exercises/{exerciseId}/history", WorkoutProgressRead, list_exercise_history)
            .summary("Get a client's history of an exercise")
            .describe("Completed sessions with the exercise, the latest first.")
            .fails(ON_A_CLIENT),
    ]
}

/// A client's exercises, the one done most first; there are as many as a client knows exercises.
pub(crate) static LIST: List = List {
    columns: Row::COLUMNS,
    from: "workout_progress WHERE company_id = ?1 AND client_id = ?2",
    filters: &[Filter::new("exerciseId", "exercise_id = ?")],
    order: "times_performed DESC, last_performed_at DESC, exercise_id DESC",
    tally: None,
};

/// What was done of an exercise in completed sessions, the latest first.
pub(crate) static HISTORY: List = List {
    columns: Entry::COLUMNS,
    from: "workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3 AND counted",
    filters: &[],
    order: "started_at DESC, session_id DESC, position DESC",
    tally: None,
};

statements! {
    FIND = "SELECT ", Row::COLUMNS, " FROM workout_progress \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3";
    SAVE = "INSERT INTO workout_progress (company_id, ", Row::COLUMNS, ") \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
        ON CONFLICT (company_id, client_id, exercise_id) DO UPDATE SET \
        times_performed = excluded.times_performed, entries = excluded.entries, \
        set_count = excluded.set_count, total_reps = excluded.total_reps, \
        total_volume_g = excluded.total_volume_g, \
        last_performed_at = excluded.last_performed_at, records = excluded.records";
    DELETE = "DELETE FROM workout_progress \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3";
    LOGGED = "SELECT session_id, started_at, position, sets FROM workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3 AND counted \
        AND (started_at, session_id, position) > (?4, ?5, ?6) \
        ORDER BY started_at, session_id, position LIMIT 500";
    DONE = "SELECT local_date, exercise_id, CAST(SUM(set_count) AS BIGINT), \
        CAST(SUM(reps) AS BIGINT), CAST(SUM(volume_g) AS BIGINT) FROM workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND counted AND local_date >= ?3 \
        AND local_date <= ?4 GROUP BY local_date, exercise_id LIMIT 20000";
}
