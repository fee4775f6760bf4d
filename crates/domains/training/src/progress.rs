//! Progress: what a client has done of each exercise, kept up to date with every completed session,
//! so that no answer has to count sets.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, ListQuery, Path, Read, Write, listed, operation};
use spotter_kernel::{Result, Timestamp, id::ClientId};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, NoFilters, filters, lists, params, record, statements, values};

use super::{
    body,
    exercises::{Exercise, ExerciseId},
    measures::{Milligrams, Weight, WeightUnit},
    performance::{
        Amount, ExercisePerformance, Progress, Record, RecordType, Records, SetCounting, Sets,
    },
    session::{Performance, SessionId, by_exercise},
    settings::WorkoutSettings,
    vocabulary::TrackingType,
};

record! {
    /// A client's progress in an exercise: the record.
    #[derive(Debug, Clone, PartialEq)]
    struct Row {
        client_id: ClientId,
        exercise_id: ExerciseId,
        times_performed: i64,
        entries: i64,
        set_count: i64,
        total_reps: i64,
        total_volume_mg: Milligrams,
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
            total_volume_mg: progress.amount.volume,
            last_performed_at: progress.last_performed_at,
            records: Records(progress.records),
        }
    }
}

impl From<Row> for Progress {
    fn from(row: Row) -> Self {
        let Row { set_count: sets, total_reps: reps, total_volume_mg: volume, .. } = row;
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
    session_id: SessionId,
    started_at: Timestamp,
    log: &[Performance],
) -> Result<()> {
    let done = by_exercise(log);
    let wanted = done.keys().map(|id| vec![client.bind().into_owned(), id.bind().into_owned()]);
    let rows: Vec<Option<Row>> = cx.one_each(FIND, wanted.collect::<Vec<_>>())?;
    let kinds = Exercise::find_all(cx, done.keys().copied())?;
    let mut late = BTreeSet::new();
    for ((exercise, (sets, body, entries)), row) in done.into_iter().zip(rows) {
        let mut progress = row.map(Progress::from).unwrap_or_default();
        if progress.times_performed > 0 && started_at < progress.last_performed_at {
            late.insert(exercise);
            continue;
        }
        let counting = SetCounting { tracking: tracking(&kinds, exercise), body };
        progress.add(&ExercisePerformance { session_id, started_at, sets, counting, entries });
        cx.defer(SAVE, &Row::of(client, exercise, progress).params())?;
    }
    // A session of an earlier day may hold records that later ones have taken.
    recount(cx, client, late)
}

/// Recomputes the progress in some exercises from everything that was logged.
pub(super) fn recount(
    cx: &mut Write,
    client: ClientId,
    exercises: BTreeSet<ExerciseId>,
) -> Result<()> {
    let kinds = Exercise::find_all(cx, exercises.iter().copied())?;
    for exercise in exercises {
        let progress = from_log(cx, client, exercise, tracking(&kinds, exercise))?;
        if progress.times_performed == 0 {
            cx.defer(DELETE, params![client, exercise])?;
        } else {
            cx.defer(SAVE, &Row::of(client, exercise, progress).params())?;
        }
    }
    Ok(())
}

/// What is measured of an exercise: weight and repetitions where it does not exist any more.
pub(super) fn tracking(
    kinds: &BTreeMap<ExerciseId, Exercise>,
    exercise: ExerciseId,
) -> TrackingType {
    kinds.get(&exercise).map_or(TrackingType::WeightReps, |exercise| exercise.tracking_type)
}

/// How many entries a client's history of an exercise has.
pub(super) fn entries(cx: &mut Read, client: ClientId, exercise: ExerciseId) -> Result<i64> {
    let row: Option<Row> = cx.one(FIND, params![client, exercise])?;
    Ok(row.map_or(0, |row| row.entries))
}

/// Rows that are read at once.
const STEP: usize = 500;

fn from_log(
    cx: &mut Read,
    client: ClientId,
    exercise: ExerciseId,
    tracking: TrackingType,
) -> Result<Progress> {
    type Logged = (SessionId, Timestamp, i64, Sets, Option<Milligrams>);
    let mut progress = Progress::default();
    let mut open: Option<ExercisePerformance> = None;
    let mut after = (Timestamp::default(), String::new(), 0);
    loop {
        let (at, session, position) = &after;
        let step: Vec<Logged> = cx.all(LOGGED, params![client, exercise, at, session, position])?;
        let full = step.len() == STEP;
        for (session_id, started_at, position, Sets(sets), body) in step {
            after = (started_at, session_id.to_string(), position);
            match &mut open {
                Some(performed) if performed.session_id == session_id => {
                    performed.sets.extend(sets);
                    performed.counting.body = performed.counting.body.or(body);
                    performed.entries += 1;
                }
                _ => {
                    let counting = SetCounting { tracking, body };
                    let next =
                        ExercisePerformance { session_id, started_at, sets, counting, entries: 1 };
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

/// An exercise that a client has done, with its count.
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

/// The position of a page in a list.
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

/// The exercises a client does most.
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
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<TopExercises> {
    Client::find(cx, at.client_id)?;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let rows = cx.page_under(&LIST, &[at.client_id.bind()], &Filters::default(), page)?;
    let found = exercises_of(cx, &rows.items)?;
    let metrics = rows.page_info();
    let output = rows.items.into_iter().map(|row| {
        let exercise = found.get(&row.exercise_id);
        TopExercise {
            exercise_id: row.exercise_id,
            name: exercise.map(|exercise| exercise.name.clone()).unwrap_or_default(),
            thumbnail: exercise.and_then(|exercise| exercise.thumbnail.clone()),
            times_performed: row.times_performed,
            total_reps: row.total_reps,
            total_volume: unit.show(row.total_volume_mg),
            last_performed_at: row.last_performed_at,
            has_history: row.times_performed > 0,
        }
    });
    Ok(TopExercises {
        top_exercises: output.collect(),
        pagination: Pagination {
            page: metrics.page,
            limit: metrics.limit,
            total_items: metrics.total,
            total_pages: metrics.total_pages,
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
    fn in_unit(self, unit: WeightUnit) -> PersonalRecord {
        let value = match self.r#type.is_weight() {
            true => unit.show(Milligrams(self.value)),
            false => Weight(self.value as f64),
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

filters! {
    struct Filters {
        /// The records of this exercise.
        exercise_id: ExerciseId => "exercise_id = ?";
    }
}

fn list_personal_records(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<PersonalRecords> {
    Client::find(cx, at.client_id)?;
    let weight_unit = WorkoutSettings::find(cx)?.weight_unit;
    let tells_body = body::may_read(cx, at.client_id)?;
    let rows = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    let found = exercises_of(cx, &rows.items)?;
    let output = rows.map(|row| ExerciseRecords {
        exercise_id: row.exercise_id,
        name: found.get(&row.exercise_id).map(|e| e.name.clone()).unwrap_or_default(),
        weight_unit,
        records: row
            .records
            .0
            .into_iter()
            // What could be added once is worked out with what the client weighs.
            .filter(|record| {
                tells_body
                    || record.r#type != RecordType::EstimatedOneRm
                    || !tracking(&found, row.exercise_id).moves_body()
            })
            .map(|record| record.in_unit(weight_unit))
            .collect(),
    });
    Ok(output.into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/clients/{clientId}/plans/top-exercises", WorkoutProgressRead, list_top_exercises)
            .summary("Client's most-performed exercises")
            .for_client(&[])
            .describe(
                "Returns exercises by the number of completed sessions, then by the latest \
                 session.",
            ),
        operation!(GET "/workout/clients/{clientId}/plans/personal-records", WorkoutProgressRead, list_personal_records)
            .summary("List personal records")
            .for_client(&[])
            .describe(
                "Returns the client's records by exercise, the most performed first. Working sets of completed \
                 sessions count; of equal values the earliest is the record. Editing or deleting a session \
                 recalculates its records. For `assisted` exercises the least assistance is the best \
                 (`min_assistance`); records of `bodyweight_plus` exclude the client's own weight.",
            ),
    ])
}

lists! {
    /// A client's exercises, the most frequent first; there are as many as the client has performed.
    LIST: List<Row, Filters> = List::new(
        "workout_progress WHERE company_id = ?1 AND client_id = ?2",
        "times_performed DESC, last_performed_at DESC, exercise_id DESC",
    );
}

statements! {
    FIND = "SELECT ", Row::COLUMNS, " FROM workout_progress \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3";
    SAVE = "INSERT INTO workout_progress ", values!(Row),
        " ON CONFLICT (company_id, client_id, exercise_id) DO UPDATE SET times_performed = \
        excluded.times_performed, entries = excluded.entries, set_count = excluded.set_count, \
        total_reps = excluded.total_reps, total_volume_mg = excluded.total_volume_mg, \
        last_performed_at = excluded.last_performed_at, records = excluded.records";
    DELETE = "DELETE FROM workout_progress \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3";
    LOGGED = "SELECT session_id, started_at, position, sets, body_weight_mg FROM workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND exercise_id = ?3 AND counted \
        AND (started_at, session_id, position) > (?4, ?5, ?6) \
        ORDER BY started_at, session_id, position LIMIT 500";
}
