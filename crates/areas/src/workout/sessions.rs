//! Sessions: workouts that were begun, what was logged in them, and how they are completed.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Body, Operation, OptionalBody, Paged, Path, Read, Write, listed, operation,
};
use spotter_kernel::{Date, Key, Problem, Result, Timestamp, id::ClientId, id_type, text::Text};
use spotter_store::{
    Bind, Filter, Json, List, Value, params, record, statements, stored_ids, subject, under, words,
};

use super::{
    agenda::Agenda,
    exercises::{Exercise, ExerciseId, check_usable},
    feedback::{Difficulty, EmojiRating, Feedback},
    measures::{Grams, Weight, WeightUnit},
    performance::{Amount, LoggedSet, NewLoggedExercise, Sets},
    plan::{MomentId, Plan, PlanId},
    prescription::{check_sizes, check_supersets},
    progress,
    settings::Settings,
    templates::company_zone,
    vocabulary::Mode,
};
use crate::{
    audit_logs::in_order,
    clients::{Client, ClientPath},
};

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
    plan_id: PlanId,
    plan_name: String,
    plan_moment_id: MomentId,
    day_name: String,
    week_number: i64,
    total_weeks: i64,
    day_order: i64,
    weekday: Option<i64>,
}

record! {
    /// A session as it is kept.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Session {
        pub(super) client_id: ClientId,
        pub(super) session_id: SessionId,
        name: String,
        status: SessionStatus,
        plan_id: Option<PlanId>,
        plan_moment_id: Option<MomentId>,
        occurrence_date: Option<Date>,
        plan_snapshot: Option<Json<Snapshot>>,
        local_date: Date,
        started_at: Timestamp,
        completed_at: Option<Timestamp>,
        notes: Option<String>,
        set_count: i64,
        volume_g: Grams,
        pub(super) rating: Option<i64>,
        pub(super) difficulty: Option<Difficulty>,
        pub(super) emoji_rating: Option<EmojiRating>,
        pub(super) feedback_notes: Option<String>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

record! {
    /// An exercise of a session as it is kept.
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
        sets: Sets,
        set_count: i64,
        reps: i64,
        volume_g: Grams,
    }
}

/// A session without what was logged in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
    /// From start to completion; null while it is in progress.
    duration_seconds: Option<i64>,
    notes: Option<String>,
    /// Working sets that were done.
    set_count: i64,
    /// The sum of weight times repetitions over working sets that were done.
    total_volume: Weight,
    /// The unit of the weights.
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
    sets: Vec<LoggedSet<Weight>>,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
}

/// A session with everything in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionInFull {
    #[serde(flatten)]
    summary: SessionSummary,
    /// The plan's day as it was when the session began; null for a free session.
    plan: Option<Snapshot>,
    /// What was logged, in its order.
    exercises: Vec<LoggedExercise>,
}

impl Session {
    pub(super) fn find(cx: &mut Read, client: ClientId, id: SessionId) -> Result<Self> {
        Client::find(cx, client)?;
        cx.one(FIND, params![client, id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn is_completed(&self) -> bool {
        self.status == SessionStatus::Completed
    }

    fn log(&self, cx: &mut Read) -> Result<Vec<Performance>> {
        cx.all(LOG, params![self.client_id, self.session_id])
    }

    fn summary(&self, unit: WeightUnit) -> SessionSummary {
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
            total_volume: unit.show(self.volume_g),
            weight_unit: unit,
            feedback: Feedback::of(self),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn in_full(
        self,
        cx: &mut Read,
        unit: WeightUnit,
        log: Vec<Performance>,
    ) -> Result<SessionInFull> {
        let found = Exercise::find_all(cx, log.iter().map(|each| each.exercise_id))?;
        let logged = |each: Performance| LoggedExercise {
            exercise_id: each.exercise_id,
            name: found.get(&each.exercise_id).map(|e| e.name.clone()).unwrap_or_default(),
            superset: each.superset,
            notes: each.notes,
            sets: each.sets.0.into_iter().map(|set| set.shown(unit)).collect(),
            set_count: each.set_count,
            total_reps: each.reps,
            total_volume: unit.show(each.volume_g),
        };
        let summary = self.summary(unit);
        let exercises = log.into_iter().map(logged).collect();
        let plan = self.plan_snapshot.map(|snapshot| snapshot.0);
        Ok(SessionInFull { summary, plan, exercises })
    }

    /// The subjects of the totals that count this session.
    fn tallies(&self) -> BTreeSet<String> {
        let all = under(TALLY, &[self.client_id.bind()]);
        BTreeSet::from([subject(&all, "status", &self.status.bind()), all])
    }

    /// Writes a change; says for the audit log what changed.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.changes("workout_session", self.session_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(
            SAVE,
            params![
                self.client_id,
                self.session_id,
                self.status,
                self.completed_at,
                self.set_count,
                self.volume_g,
                self.rating,
                self.difficulty,
                self.emoji_rating,
                self.feedback_notes,
                self.updated_at,
            ],
        )?;
        cx.recount(&before.tallies(), &self.tallies())
    }

    /// The rows of what was logged, checked; what they amount to goes into the session.
    fn logged(
        &mut self,
        cx: &mut Read,
        unit: WeightUnit,
        exercises: Vec<NewLoggedExercise>,
        known: &BTreeSet<ExerciseId>,
    ) -> Result<Vec<Performance>> {
        check_sizes(exercises.iter().map(|exercise| exercise.sets.len()))?;
        check_supersets(exercises.iter().map(|exercise| exercise.superset.as_deref()))?;
        let found = Exercise::find_all(cx, exercises.iter().map(|each| each.exercise_id))?;
        let mut total = Amount::default();
        let mut log = Vec::with_capacity(exercises.len());
        for (position, each) in exercises.into_iter().enumerate() {
            // What stands in the log already may stay, archived or not.
            if !known.contains(&each.exercise_id) {
                let field = format!("exercises[{position}].exerciseId");
                check_usable(&found, each.exercise_id, &field)?;
            }
            if let Some(number) = each.sets.iter().position(|set| !set.is_measured()) {
                let field = format!("exercises[{position}].sets[{number}]");
                return Err(Problem::invalid(&field, "must have reps, a duration or a distance"));
            }
            let sets: Vec<_> = each.sets.into_iter().map(|set| set.kept(unit)).collect();
            let amount = Amount::of(&sets);
            total.add(amount);
            log.push(Performance {
                client_id: self.client_id,
                session_id: self.session_id,
                position: position as i64 + 1,
                exercise_id: each.exercise_id,
                counted: self.is_completed(),
                local_date: self.local_date,
                started_at: self.started_at,
                superset: each.superset.map(Into::into),
                notes: each.notes.map(Into::into),
                sets: Sets(sets),
                set_count: amount.sets,
                reps: amount.reps,
                volume_g: amount.volume,
            });
        }
        (self.set_count, self.volume_g) = (total.sets, total.volume);
        Ok(log)
    }
}

impl Performance {
    pub(super) fn exercise_id(&self) -> ExerciseId {
        self.exercise_id
    }

    pub(super) fn sets(&self) -> &[LoggedSet<Grams>] {
        &self.sets.0
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionPath {
    pub(super) client_id: ClientId,
    pub(super) session_id: SessionId,
}

listed!(Sessions { sessions: SessionSummary });

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Filters {
    status: Option<SessionStatus>,
    plan_id: Option<PlanId>,
    /// Sessions that began at or after this instant.
    from: Option<Timestamp>,
    /// Sessions that began before this instant.
    to: Option<Timestamp>,
}

fn list_workout_sessions(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Paged(wanted, page): Paged<Filters>,
) -> Result<Sessions> {
    Client::find(cx, at.client_id)?;
    in_order(wanted.from, wanted.to, "to")?;
    let unit = Settings::find(cx)?.weight_unit;
    let mut chosen: Vec<(&'static str, Vec<Value<'static>>)> = Vec::new();
    let mut add = |name, value: Option<Value<'static>>| {
        chosen.extend(value.map(|value| (name, vec![value])));
    };
    add("status", wanted.status.map(|word| word.bind().into_owned()));
    add("planId", wanted.plan_id.map(|id| id.bind().into_owned()));
    add("from", wanted.from.map(|at| Value::Int(at.millis())));
    add("to", wanted.to.map(|at| Value::Int(at.millis())));
    let page = cx.page_under::<Session>(&LIST, &[at.client_id.bind()], &chosen, page)?;
    Ok(page.map(|session| session.summary(unit)).into())
}

#[derive(Debug, Serialize, JsonSchema)]
struct SessionAnswer {
    session: SessionInFull,
}

fn get_workout_session(cx: &mut Read, Path(at): Path<SessionPath>) -> Result<SessionAnswer> {
    let session = Session::find(cx, at.client_id, at.session_id)?;
    let (unit, log) = (Settings::find(cx)?.weight_unit, session.log(cx)?);
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

/// A session to be begun, or one that is over already.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSession {
    /// The client's plan that it follows; with `planMomentId`.
    pub plan_id: Option<PlanId>,
    /// The day of that plan; absent for a free session.
    pub plan_moment_id: Option<MomentId>,
    /// The planned date that it is for. When absent: the day's own date in a plan that ends,
    /// today's occurrence in one that comes round.
    pub occurrence_date: Option<Date>,
    /// The day's name when absent, or `Workout`.
    pub name: Option<Text<120>>,
    /// Now when absent; not in the future.
    pub started_at: Option<Timestamp>,
    /// Given for a session that is over; not in the future nor before the start.
    pub completed_at: Option<Timestamp>,
    /// What there is to say.
    pub notes: Option<Text<2000>>,
    /// What was done so far; at most 50 exercises.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub exercises: Vec<NewLoggedExercise>,
}

/// The plan's day that a session follows: its snapshot and the occurrence.
fn followed(
    cx: &mut Read,
    client: ClientId,
    new: &NewSession,
) -> Result<Option<(Snapshot, Option<Date>)>> {
    let (plan_id, moment_id) = match (new.plan_id, new.plan_moment_id) {
        (None, None) if new.occurrence_date.is_some() => {
            return Err(Problem::invalid("occurrenceDate", "must come with planMomentId"));
        }
        (None, None) => return Ok(None),
        (Some(plan), Some(moment)) => (plan, moment),
        (None, Some(_)) => return Err(Problem::invalid("planId", "must come with planMomentId")),
        (Some(_), None) => return Err(Problem::invalid("planMomentId", "must come with planId")),
    };
    let missing = |field: &'static str, rule: &'static str| {
        move |problem: Problem| match problem.status {
            404 if problem.key == Key::NotFound => Problem::field(Key::NotFound, field, rule),
            _ => problem,
        }
    };
    let plan =
        Plan::find(cx, plan_id).map_err(missing("planId", "must be a plan of the client"))?;
    if plan.client_id != Some(client) {
        return Err(missing("planId", "must be a plan of the client")(Key::NotFound.into()));
    }
    let agenda = Agenda::planned(cx, &plan)?;
    let day = agenda.day(moment_id).ok_or_else(|| {
        Problem::field(Key::NotFound, "planMomentId", "must be a day of the plan")
    })?;
    let today = plan.time_zone.date_at(cx.now());
    let due = |date| agenda.occurrence(moment_id, date).map(|occurrence| occurrence.date);
    let occurrence = match new.occurrence_date {
        Some(date) => Some(due(date).ok_or_else(|| {
            let rule = "must be a date on which the day is due";
            Problem::field(Key::NotFound, "occurrenceDate", rule)
        })?),
        None if plan.mode == Mode::MultiWeek => agenda.only_date(moment_id),
        None => due(today),
    };
    let snapshot = Snapshot {
        plan_id,
        plan_name: plan.name.clone(),
        plan_moment_id: moment_id,
        day_name: day.name.clone(),
        week_number: day.week_number,
        total_weeks: plan.total_weeks,
        day_order: day.day_order,
        weekday: day.weekday,
    };
    Ok(Some((snapshot, occurrence)))
}

/// Begins a session, or records one that is over.
fn begin_workout_session(
    cx: &mut Write,
    Path(ClientPath { client_id }): Path<ClientPath>,
    OptionalBody(new): OptionalBody<NewSession>,
) -> Result<SessionAnswer> {
    Client::find(cx, client_id)?;
    let now = cx.now();
    let started_at = new.started_at.unwrap_or_else(|| new.completed_at.unwrap_or(now).min(now));
    let future = |field| Err(Problem::invalid(field, "must not be in the future"));
    match new.completed_at {
        _ if started_at > now => return future("startedAt"),
        Some(end) if end > now => return future("completedAt"),
        Some(end) if end < started_at => {
            return Err(Problem::invalid("completedAt", "must not be before startedAt"));
        }
        _ => {}
    }
    let unit = Settings::find(cx)?.weight_unit;
    let local_date = company_zone(cx)?.date_at(started_at);
    let (snapshot, occurrence_date) = followed(cx, client_id, &new)?.unzip();
    let named = snapshot.as_ref().map_or("Workout", |snapshot| &snapshot.day_name);
    let mut session = Session {
        client_id,
        session_id: SessionId(cx.new_id()),
        name: new.name.map_or_else(|| named.to_owned(), Into::into),
        status: match new.completed_at {
            Some(_) => SessionStatus::Completed,
            None => SessionStatus::InProgress,
        },
        plan_id: new.plan_id,
        plan_moment_id: new.plan_moment_id,
        occurrence_date: occurrence_date.flatten(),
        plan_snapshot: snapshot.map(Json),
        local_date,
        started_at,
        completed_at: new.completed_at,
        notes: new.notes.map(Into::into),
        set_count: 0,
        volume_g: Grams(0),
        rating: None,
        difficulty: None,
        emoji_rating: None,
        feedback_notes: None,
        created_at: now,
        updated_at: now,
    };
    let log = session.logged(cx, unit, new.exercises, &BTreeSet::new())?;
    cx.touch("workout_session", session.session_id, ["session"]);
    cx.defer(INSERT, &session.params())?;
    cx.recount(&BTreeSet::new(), &session.tallies())?;
    write_log(cx, &log)?;
    if session.is_completed() {
        progress::add(cx, client_id, (session.session_id, session.started_at), &log)?;
    }
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

fn write_log(cx: &mut Write, log: &[Performance]) -> Result<()> {
    log.iter().try_for_each(|each| cx.defer(INSERT_LOG, &each.params()))
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SessionSets {
    /// At most 50 exercises, replacing those before, in the order in which they were done.
    #[schemars(length(max = 50))]
    exercises: Vec<NewLoggedExercise>,
}

fn set_workout_session_sets(
    cx: &mut Write,
    Path(at): Path<SessionPath>,
    Body(wanted): Body<SessionSets>,
) -> Result<SessionAnswer> {
    let before = Session::find(cx, at.client_id, at.session_id)?;
    let mut session = before.clone();
    let unit = Settings::find(cx)?.weight_unit;
    let was = session.log(cx)?;
    let known: BTreeSet<_> = was.iter().map(|each| each.exercise_id).collect();
    let log = session.logged(cx, unit, wanted.exercises, &known)?;
    session.save(cx, &before)?;
    if log != was {
        cx.touch("workout_session", session.session_id, ["exercises"]);
        cx.defer(DELETE_LOG, params![session.client_id, session.session_id])?;
        write_log(cx, &log)?;
        if session.is_completed() {
            let touched = was.iter().chain(&log).map(|each| each.exercise_id);
            progress::recount(cx, session.client_id, touched.collect())?;
        }
    }
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Completion {
    /// Now when absent; not in the future nor before the start.
    completed_at: Option<Timestamp>,
}

fn complete_workout_session(
    cx: &mut Write,
    Path(at): Path<SessionPath>,
    OptionalBody(wanted): OptionalBody<Completion>,
) -> Result<SessionAnswer> {
    let before = Session::find(cx, at.client_id, at.session_id)?;
    let mut session = before.clone();
    let (unit, log) = (Settings::find(cx)?.weight_unit, session.log(cx)?);
    if !session.is_completed() {
        let end = wanted.completed_at.unwrap_or_else(|| cx.now());
        if end > cx.now() {
            return Err(Problem::invalid("completedAt", "must not be in the future"));
        }
        if end < session.started_at {
            return Err(Problem::invalid("completedAt", "must not be before startedAt"));
        }
        session.status = SessionStatus::Completed;
        session.completed_at = Some(end);
        cx.defer(COUNT_LOG, params![session.client_id, session.session_id])?;
        let of = (session.session_id, session.started_at);
        progress::add(cx, session.client_id, of, &log)?;
    }
    session.save(cx, &before)?;
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

/// A session that is no more.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedSession {
    session_id: SessionId,
    client_id: ClientId,
    /// Always true.
    deleted: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DeletedAnswer {
    session: DeletedSession,
}

fn delete_workout_session(cx: &mut Write, Path(at): Path<SessionPath>) -> Result<DeletedAnswer> {
    let session = Session::find(cx, at.client_id, at.session_id)?;
    let log = session.log(cx)?;
    let SessionPath { client_id, session_id } = at;
    cx.touch("workout_session", session_id, ["session"]);
    cx.defer(DELETE_LOG, params![client_id, session_id])?;
    cx.defer(DELETE, params![client_id, session_id])?;
    cx.recount(&session.tallies(), &BTreeSet::new())?;
    if session.is_completed() {
        let touched = log.iter().map(|each| each.exercise_id).collect();
        progress::recount(cx, client_id, touched)?;
    }
    Ok(DeletedAnswer { session: DeletedSession { session_id, client_id, deleted: true } })
}

/// What was done of each exercise in one session.
pub(super) fn by_exercise(
    log: &[Performance],
) -> BTreeMap<ExerciseId, (Vec<LoggedSet<Grams>>, i64)> {
    let mut all: BTreeMap<ExerciseId, (Vec<LoggedSet<Grams>>, i64)> = BTreeMap::new();
    for each in log {
        let (sets, entries) = all.entry(each.exercise_id()).or_default();
        sets.extend_from_slice(each.sets());
        *entries += 1;
    }
    all
}

/// The operations about sessions.
pub(super) fn operations() -> Vec<Operation> {
    const ON_A_CLIENT: &[Key] = &[Key::InvalidClientId, Key::ClientNotFound];
    const WITH_SETS: &[Key] = &[
        Key::InvalidClientId,
        Key::ClientNotFound,
        Key::InvalidDate,
        Key::InvalidEnum,
        Key::FieldTooLong,
        Key::ApiError,
    ];
    vec![
        operation!(GET "/workout/clients/{clientId}/plans/sessions", WorkoutSessionsRead, list_workout_sessions)
            .summary("List a client's sessions")
            .describe("The one that began last comes first.")
            .fails(&[
                Key::InvalidClientId,
                Key::ClientNotFound,
                Key::InvalidEnum,
                Key::InvalidDate,
                Key::DateRangeOrderInvalid,
            ]),
        operation!(GET "/workout/clients/{clientId}/plans/sessions/{sessionId}", WorkoutSessionsRead, get_workout_session)
            .summary("Get a session")
            .describe("With what was logged, and the plan's day as it was when the session began.")
            .fails(ON_A_CLIENT),
        operation!(POST "/workout/clients/{clientId}/plans/sessions", WorkoutSessionsWrite, begin_workout_session)
            .summary("Start a session")
            .describe(
                "From a day of a client's plan, or free. With `exercises` and `completedAt` it \
                 records a session that is over in one request.",
            )
            .created()
            .fails(WITH_SETS),
        operation!(PUT "/workout/clients/{clientId}/plans/sessions/{sessionId}/sets", WorkoutSessionsWrite, set_workout_session_sets)
            .summary("Set what was logged in a session")
            .describe(
                "Replaces all exercises and sets. Editing a completed session brings totals and \
                 personal records up to date.",
            )
            .fails(WITH_SETS),
        operation!(POST "/workout/clients/{clientId}/plans/sessions/{sessionId}/complete", WorkoutSessionsWrite, complete_workout_session)
            .summary("Complete a session")
            .describe("Its sets count from then on. Completing a completed session changes nothing.")
            .fails(&[Key::InvalidClientId, Key::ClientNotFound, Key::InvalidDate]),
        operation!(DELETE "/workout/clients/{clientId}/plans/sessions/{sessionId}", WorkoutSessionsWrite, delete_workout_session)
            .summary("Delete a session")
            .describe("Totals and personal records are as if it had never been.")
            .fails(ON_A_CLIENT),
    ]
}

/// The subject of the totals of clients' sessions.
const TALLY: &str = "workoutSessions";

/// A client's sessions; the one that began last comes first.
pub(crate) static LIST: List = List {
    columns: Session::COLUMNS,
    from: "workout_session WHERE company_id = ?1 AND client_id = ?2",
    filters: &[
        Filter::tallied("status", "status = ?"),
        Filter::new("planId", "plan_id = ?"),
        Filter::new("from", "started_at >= ?"),
        Filter::new("to", "started_at < ?"),
    ],
    order: "started_at DESC, session_id DESC",
    tally: Some(TALLY),
};

statements! {
    FIND = "SELECT ", Session::COLUMNS, " FROM workout_session \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    INSERT = "INSERT INTO workout_session (company_id, ", Session::COLUMNS, ") \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, \
        ?19, ?20, ?21)";
    SAVE = "UPDATE workout_session SET status = ?4, completed_at = ?5, set_count = ?6, \
        volume_g = ?7, rating = ?8, difficulty = ?9, emoji_rating = ?10, feedback_notes = ?11, \
        updated_at = ?12 WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    DELETE = "DELETE FROM workout_session \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    LOG = "SELECT ", Performance::COLUMNS, " FROM workout_performance WHERE company_id = ?1 \
        AND client_id = ?2 AND session_id = ?3 ORDER BY position LIMIT 100";
    INSERT_LOG = "INSERT INTO workout_performance (company_id, ", Performance::COLUMNS, ") \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    COUNT_LOG = "UPDATE workout_performance SET counted = TRUE \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
    DELETE_LOG = "DELETE FROM workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND session_id = ?3";
}
