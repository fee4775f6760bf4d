//! A session: the record and its API form, with its labels, log and figures.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, Key, Many, Problem, Result, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{
    Bind, Json, of_tally, params, parts, record, statements, stored_ids, subject, values, words,
};

use super::{
    body,
    exercises::{Exercise, ExerciseId, check_usable},
    feedback::{Difficulty, EmojiRating, Feedback},
    measures::{Milligrams, WEIGHT_RULE, Weight, WeightUnit},
    performance::{Amount, LoggedSet, NewLoggedExercise, SetCounting, Sets},
    plan::{MomentId, PlanId},
    prescription::{EXERCISES_MAX, check_supersets},
    progress::tracking,
};
use crate::rules::TrainingRule;

id_type!(
    /// A session.
    SessionId,
    RequestInvalid
);
stored_ids!(SessionId);

words! {
    /// Whether a session is over.
    pub enum SessionStatus { InProgress = "in_progress", Completed = "completed" }
}

/// What the plan's day was called and where it stood when the session began; it never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub(super) struct Snapshot {
    pub(super) plan_id: PlanId,
    pub(super) plan_name: String,
    pub(super) plan_moment_id: MomentId,
    pub(super) day_name: String,
    pub(super) week_number: i64,
    pub(super) total_weeks: i64,
    pub(super) day_order: i64,
    pub(super) weekday: Option<i64>,
}

record! {
    /// A session: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Session {
        pub(super) client_id: ClientId,
        pub(super) session_id: SessionId,
        pub(super) name: String,
        pub(super) status: SessionStatus,
        pub(super) plan_id: Option<PlanId>,
        pub(super) plan_moment_id: Option<MomentId>,
        pub(super) occurrence_date: Option<Date>,
        pub(super) plan_snapshot: Option<Json<Snapshot>>,
        pub(super) local_date: Date,
        pub(super) started_at: Timestamp,
        pub(super) completed_at: Option<Timestamp>,
        pub(super) notes: Option<String>,
        pub(super) set_count: i64,
        pub(super) volume_mg: Milligrams,
        pub(super) rating: Option<i64>,
        pub(super) difficulty: Option<Difficulty>,
        pub(super) emoji_rating: Option<EmojiRating>,
        pub(super) feedback_notes: Option<String>,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
    }
}

record! {
    /// An exercise of a session: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub(super) struct Performance {
        client_id: ClientId,
        session_id: SessionId,
        position: i64,
        exercise_id: ExerciseId,
        counted: bool,
        local_date: Date,
        started_at: Timestamp,
        superset: Option<String>,
        notes: Option<String>,
        body_weight_mg: Option<Milligrams>,
        sets: Sets,
        set_count: i64,
        reps: i64,
        volume_mg: Milligrams,
    }
}

/// A training session, without its exercises.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WorkoutSessionSummary")]
pub(super) struct SessionSummary {
    session_id: SessionId,
    client_id: ClientId,
    name: String,
    status: SessionStatus,
    plan_id: Option<PlanId>,
    plan_moment_id: Option<MomentId>,
    /// The planned date of the occurrence that it was begun for.
    occurrence_date: Option<Date>,
    /// The company's date on which it began.
    local_date: Date,
    started_at: Timestamp,
    completed_at: Option<Timestamp>,
    /// Duration in seconds; null while in progress.
    duration_seconds: Option<i64>,
    notes: Option<String>,
    /// Working sets that were done.
    set_count: i64,
    /// The sum of weight times repetitions over performed working sets; nothing for `assisted` exercises.
    total_volume: Weight,
    /// `kg` or `lb`, in which weights are given.
    weight_unit: WeightUnit,
    feedback: Feedback,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// An exercise of a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct LoggedExercise {
    exercise_id: ExerciseId,
    name: String,
    /// Neighbouring exercises with the same label were done in turn.
    superset: Option<String>,
    notes: Option<String>,
    /// Body weight, if recorded; only for callers who may read measurements.
    body_weight: Option<Weight>,
    sets: Vec<LoggedSet<Weight>>,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
}

/// A training session with its exercises and sets.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkoutSession {
    #[serde(flatten)]
    summary: SessionSummary,
    /// The plan's day as it was when the session began; null for a free session.
    plan: Option<Snapshot>,
    /// Recorded exercises in order.
    exercises: Vec<LoggedExercise>,
}

impl Session {
    pub(super) fn find(cx: &mut Read, client: ClientId, id: SessionId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    pub(super) fn is_completed(&self) -> bool {
        self.status == SessionStatus::Completed
    }

    pub(super) fn log(&self, cx: &mut Read) -> Result<Vec<Performance>> {
        cx.all(LOG, params![self.client_id, self.session_id])
    }

    pub(super) fn summary(&self, unit: WeightUnit) -> SessionSummary {
        let lasted = |end: Timestamp| (end.millis() - self.started_at.millis()) / 1000;
        SessionSummary {
            session_id: self.session_id,
            client_id: self.client_id,
            name: self.name.clone(),
            status: self.status,
            plan_id: self.plan_id,
            plan_moment_id: self.plan_moment_id,
            occurrence_date: self.occurrence_date,
            local_date: self.local_date,
            started_at: self.started_at,
            completed_at: self.completed_at,
            duration_seconds: self.completed_at.map(lasted),
            notes: self.notes.clone(),
            set_count: self.set_count,
            total_volume: unit.show(self.volume_mg),
            weight_unit: unit,
            feedback: Feedback::of(self),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    pub(super) fn in_full(
        self,
        cx: &mut Read,
        unit: WeightUnit,
        log: Vec<Performance>,
    ) -> Result<WorkoutSession> {
        let found = Exercise::find_all(cx, log.iter().map(|each| each.exercise_id))?;
        let tells_body = body::may_read(cx, self.client_id)?;
        let logged = |each: Performance| LoggedExercise {
            exercise_id: each.exercise_id,
            name: found.get(&each.exercise_id).map(|e| e.name.clone()).unwrap_or_default(),
            superset: each.superset,
            notes: each.notes,
            body_weight: each.body_weight_mg.filter(|_| tells_body).map(|body| unit.show(body)),
            sets: each.sets.0.into_iter().map(|set| set.in_unit(unit)).collect(),
            set_count: each.set_count,
            total_reps: each.reps,
            total_volume: unit.show(each.volume_mg),
        };
        let summary = self.summary(unit);
        let exercises = log.into_iter().map(logged).collect();
        let plan = self.plan_snapshot.map(|snapshot| snapshot.0);
        Ok(WorkoutSession { summary, plan, exercises })
    }

    /// The subjects of the totals that count this session.
    fn tallies(&self) -> BTreeSet<String> {
        let all = of_tally(TALLY, &[self.client_id.bind()]);
        BTreeSet::from([subject(&all, "status", &self.status.bind()), all])
    }

    /// Stores a new session with its log.
    pub(super) fn insert(&self, cx: &mut Write, log: &[Performance]) -> Result<()> {
        cx.set_audit_target("workout_session", self.session_id, ["session"]);
        cx.defer(INSERT, &self.params())?;
        cx.recount(&BTreeSet::new(), &self.tallies())?;
        self.write_log(cx, log)
    }

    /// Deletes the session with its log.
    pub(super) fn delete(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("workout_session", self.session_id, ["session"]);
        cx.defer(DELETE_LOG, params![self.client_id, self.session_id])?;
        cx.defer(DELETE, params![self.client_id, self.session_id])?;
        cx.recount(&self.tallies(), &BTreeSet::new())
    }

    fn write_log(&self, cx: &mut Write, log: &[Performance]) -> Result<()> {
        log.iter().try_for_each(|each| cx.defer(INSERT_LOG, &each.params()))
    }

    /// Replaces the log.
    pub(super) fn replace_log(&self, cx: &mut Write, log: &[Performance]) -> Result<()> {
        cx.set_audit_target("workout_session", self.session_id, ["exercises"]);
        cx.defer(DELETE_LOG, params![self.client_id, self.session_id])?;
        self.write_log(cx, log)
    }

    /// Counts the log in the client's progress.
    pub(super) fn count_log(&self, cx: &mut Write) -> Result<()> {
        cx.defer(COUNT_LOG, params![self.client_id, self.session_id])
    }

    /// Saves a change, and names the changed fields for the audit log.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("workout_session", self.session_id, self.changed(before))
        else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.outcome())?;
        cx.recount(&before.tallies(), &self.tallies())
    }

    /// The checked rows of a log; their figures are set in the session.
    pub(super) fn logged(
        &mut self,
        cx: &mut Read,
        unit: WeightUnit,
        exercises: Many<NewLoggedExercise, 0, EXERCISES_MAX>,
        before: &[Performance],
    ) -> Result<Vec<Performance>> {
        check_supersets(exercises.iter().map(|exercise| exercise.superset.as_deref()))?;
        let found = Exercise::find_all(cx, exercises.iter().map(|each| each.exercise_id))?;
        let tells_body = body::may_read(cx, self.client_id)?;
        if let Some(first) = exercises.iter().position(|each| each.body_weight.is_some()) {
            let field = format!("exercises[{first}].bodyWeight");
            body::check_write(cx, self.client_id, &field)?;
        }
        let mut total = Amount::default();
        let mut log = Vec::with_capacity(exercises.len());
        for (position, each) in exercises.into_iter().enumerate() {
            // Exercises that are in the log already may stay, archived or not.
            let same = before.iter().filter(|was| was.exercise_id == each.exercise_id);
            let weights: Vec<_> =
                same.clone().flat_map(|was| was.sets()).filter_map(|set| set.weight).collect();
            if same.clone().count() == 0 {
                let field = format!("exercises[{position}].exerciseId");
                check_usable(&found, each.exercise_id, &field)?;
            }
            if let Some(number) = each.sets.iter().position(|set| !set.is_measured()) {
                let field = format!("exercises[{position}].sets[{number}]");
                return Err(Problem::invalid(&field, TrainingRule::EmptySet));
            }
            let sets: Vec<LoggedSet<Milligrams>> = each
                .sets
                .into_iter()
                .enumerate()
                .map(|(number, set)| {
                    let weight = set.weight.map(|weight| unit.take(weight, &weights));
                    let field = || format!("exercises[{position}].sets[{number}].weight");
                    match weight {
                        Some(None) => Err(Problem::invalid(&field(), WEIGHT_RULE)),
                        weight => Ok(set.map(|_| weight.flatten().unwrap_or_default())),
                    }
                })
                .collect::<Result<_>>()?;
            let weighed: Vec<_> = same.filter_map(|was| was.body_weight_mg).collect();
            let body = match each.body_weight {
                Some(body) => {
                    let field = format!("exercises[{position}].bodyWeight");
                    let taken = unit.take(body, &weighed);
                    Some(taken.ok_or_else(|| Problem::invalid(&field, WEIGHT_RULE))?)
                }
                // A caller who may not see the body weight does not remove it.
                None if tells_body => None,
                None => weighed.first().copied(),
            };
            let counting = SetCounting { tracking: tracking(&found, each.exercise_id), body };
            let amount = Amount::of(counting, &sets);
            total.add(amount);
            log.push(Performance {
                client_id: self.client_id,
                session_id: self.session_id,
                position: position as i64 + 1,
                exercise_id: each.exercise_id,
                counted: self.is_completed() && amount.sets > 0,
                local_date: self.local_date,
                started_at: self.started_at,
                superset: each.superset.map(Into::into),
                notes: each.notes.map(Into::into),
                body_weight_mg: body,
                sets: Sets(sets),
                set_count: amount.sets,
                reps: amount.reps,
                volume_mg: amount.volume,
            });
        }
        (self.set_count, self.volume_mg) = (total.sets, total.volume);
        Ok(log)
    }
}

impl Performance {
    pub(super) fn exercise_id(&self) -> ExerciseId {
        self.exercise_id
    }

    pub(super) fn sets(&self) -> &[LoggedSet<Milligrams>] {
        &self.sets.0
    }
}

/// The sets of an exercise in one session, the client's body weight, and the number of entries.
type ExerciseSets = (Vec<LoggedSet<Milligrams>>, Option<Milligrams>, i64);

/// What was performed of each exercise in one session.
pub(super) fn by_exercise(log: &[Performance]) -> BTreeMap<ExerciseId, ExerciseSets> {
    let mut all: BTreeMap<ExerciseId, ExerciseSets> = BTreeMap::new();
    // A skipped exercise was not performed.
    for each in log.iter().filter(|each| each.set_count > 0) {
        let (sets, body, entries) = all.entry(each.exercise_id()).or_default();
        sets.extend_from_slice(each.sets());
        *body = body.or(each.body_weight_mg);
        *entries += 1;
    }
    all
}

/// The subject of the totals of clients' sessions.
pub(super) const TALLY: &str = "workoutSessions";

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

parts! {
    Session by client_id, session_id
        without name, plan_id, plan_moment_id, occurrence_date, plan_snapshot, local_date,
            started_at, notes, created_at;
    OUTCOME outcome: status, completed_at, set_count, volume_mg, rating, difficulty, emoji_rating,
        feedback_notes, updated_at;
}

statements! {
    FIND = "SELECT ", Session::COLUMNS, " FROM workout_session \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    INSERT = "INSERT INTO workout_session ", values!(Session);
    SAVE = "UPDATE workout_session SET ", Session::OUTCOME,
        " WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    DELETE = "DELETE FROM workout_session \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    LOG = "SELECT ", Performance::COLUMNS, " FROM workout_performance WHERE company_id = ?1 \
        AND client_id = ?2 AND session_id = ?3 ORDER BY position LIMIT 100";
    INSERT_LOG = "INSERT INTO workout_performance ", values!(Performance);
    COUNT_LOG = "UPDATE workout_performance SET counted = TRUE \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3 AND set_count > 0";
    DELETE_LOG = "DELETE FROM workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
}
