//! Sessions: workouts that are begun, logged, completed, edited and deleted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, OptionalBody, Path, Read, Success, Write, activity::Training, answer,
    listed, operation, path,
};
use spotter_kernel::{
    Date, Event, Key, Many, Phrase, Problem, Result, Rule, Timestamp,
    id::ClientId,
    text::{Name, Text},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, Json, List, filters, lists, params, statements};

use super::{
    agenda::Agenda,
    measures::Milligrams,
    performance::NewLoggedExercise,
    plan::{MomentId, Plan, PlanId},
    prescription::EXERCISES_MAX,
    progress,
    session::{
        Performance, Session, SessionId, SessionStatus, SessionSummary, Snapshot, TALLY,
        WorkoutSession,
    },
    settings::WorkoutSettings,
    templates::company_zone,
    vocabulary::Mode,
};
use crate::rules::TrainingRule;

path!(pub(super) SessionPath { client_id: ClientId, session_id: SessionId });

listed!(Sessions { sessions: SessionSummary });

filters! {
    struct Filters {
        /// Sessions in this status.
        status: SessionStatus => "status = ?", tallied;
        /// Sessions of this plan.
        plan_id: PlanId => "plan_id = ?";
        /// Sessions that began at or after this instant.
        from: Timestamp => "started_at >= ?";
        /// Sessions that began before this instant.
        to: Timestamp => "started_at < ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_workout_sessions(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Sessions> {
    Client::find(cx, at.client_id)?;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let page = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    Ok(page.map(|session| session.summary(unit)).into())
}

answer!(SessionAnswer { session: WorkoutSession });

fn get_workout_session(cx: &mut Read, Path(at): Path<SessionPath>) -> Result<SessionAnswer> {
    let session = Session::find(cx, at.client_id, at.session_id)?;
    let (unit, log) = (WorkoutSettings::find(cx)?.weight_unit, session.log(cx)?);
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

/// A session to start, or one that is already over.
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
    pub name: Option<Name<120>>,
    /// Now when absent; not in the future.
    pub started_at: Option<Timestamp>,
    /// Completion time, for a session that is already over; not in the future nor before the start.
    pub completed_at: Option<Timestamp>,
    /// Notes, as free text.
    pub notes: Option<Text<2000>>,
    /// Exercises so far, at most 50.
    #[serde(default)]
    pub exercises: Many<NewLoggedExercise, 0, EXERCISES_MAX>,
}

/// The plan's day that a session follows: its snapshot and the occurrence.
fn followed(
    cx: &mut Read,
    client: ClientId,
    new: &NewSession,
) -> Result<Option<(Snapshot, Option<Date>)>> {
    let (plan_id, moment_id) = match (new.plan_id, new.plan_moment_id) {
        (None, None) if new.occurrence_date.is_some() => {
            return Err(Problem::invalid("occurrenceDate", TrainingRule::WithPlanMoment));
        }
        (None, None) => return Ok(None),
        (Some(plan), Some(moment)) => (plan, moment),
        (None, Some(_)) => return Err(Problem::invalid("planId", TrainingRule::WithPlanMoment)),
        (Some(_), None) => return Err(Problem::invalid("planMomentId", TrainingRule::WithPlan)),
    };
    let found = Plan::find(cx, plan_id).and_then(|plan| match plan.client_id {
        Some(of) if of == client => Ok(plan),
        _ => Err(Key::NotFound.into()),
    });
    let plan = found.map_err(|none| none.missing("planId", TrainingRule::OtherPlan))?;
    let agenda = Agenda::planned(cx, &plan)?;
    let day = agenda
        .day(moment_id)
        .ok_or_else(|| Problem::field(Key::NotFound, "planMomentId", TrainingRule::OtherDay))?;
    let today = plan.time_zone.date_at(cx.now());
    let due = |date| agenda.occurrence(moment_id, date).map(|occurrence| occurrence.date);
    let occurrence = match new.occurrence_date {
        Some(date) => Some(due(date).ok_or_else(|| {
            let rule = TrainingRule::DayNotDue;
            Problem::field(Key::NotFound, "occurrenceDate", rule)
        })?),
        None if plan.mode == Mode::MultiWeek => agenda.only_date(moment_id),
        None => due(today),
    };
    if let Some(due) = occurrence.and_then(|date| agenda.occurrence(moment_id, date)) {
        agenda.check_released(cx, &due)?;
    }
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

/// Longest session, in hours; a client who forgot to end one gives its end.
const HOURS_MAX: i64 = 24;

/// A session ends neither in the future nor before its start, and within a day.
fn check_end(started_at: Timestamp, end: Timestamp, now: Timestamp) -> Result<()> {
    let wrong = |rule: Phrase| Err(Problem::invalid("completedAt", rule));
    match end {
        _ if end > now => wrong(Rule::InFuture.into()),
        _ if end < started_at => wrong(TrainingRule::BeforeStartedAt.into()),
        _ if end > started_at.plus_seconds(HOURS_MAX * 3_600) => {
            wrong(TrainingRule::SessionTooLong.into())
        }
        _ => Ok(()),
    }
}

/// The unfinished session of the same occurrence of a plan's day: starting it again means that the answer was lost,
/// or that it was started on another device.
fn open_session(
    cx: &mut Read,
    client: ClientId,
    new: &NewSession,
    occurrence: Option<Date>,
) -> Result<Option<Session>> {
    let (Some(plan), Some(moment), None) = (new.plan_id, new.plan_moment_id, new.completed_at)
    else {
        return Ok(None);
    };
    let found: Vec<Session> = cx.all(OPEN, params![client, plan, moment])?;
    Ok(found.into_iter().find(|session| session.occurrence_date == occurrence))
}

/// Begins a session, or records one that is over. A day of a plan that is under way is answered with.
fn begin_workout_session(
    cx: &mut Write,
    Path(ClientPath { client_id }): Path<ClientPath>,
    OptionalBody(new): OptionalBody<NewSession>,
) -> Result<SessionAnswer> {
    Client::find(cx, client_id)?;
    let now = cx.now();
    let started_at = new.started_at.unwrap_or_else(|| new.completed_at.unwrap_or(now).min(now));
    if started_at > now {
        return Err(Problem::invalid("startedAt", Rule::InFuture));
    }
    new.completed_at.map_or(Ok(()), |end| check_end(started_at, end, now))?;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let local_date = company_zone(cx)?.date_at(started_at);
    let (snapshot, occurrence_date) = followed(cx, client_id, &new)?.unzip();
    if let Some(open) = open_session(cx, client_id, &new, occurrence_date.flatten())? {
        let log = open.log(cx)?;
        return Ok(SessionAnswer { session: open.in_full(cx, unit, log)? });
    }
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
        volume_mg: Milligrams(0),
        rating: None,
        difficulty: None,
        emoji_rating: None,
        feedback_notes: None,
        created_at: now,
        updated_at: now,
    };
    let log = session.logged(cx, unit, new.exercises, &[])?;
    session.insert(cx, &log)?;
    if session.is_completed() {
        progress::add(cx, client_id, session.session_id, session.started_at, &log)?;
        cx.activity()?.trained(cx, client_id)?;
    }
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

/// The exercises and sets of a session; replaces the present ones.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WorkoutSessionSets")]
struct SessionSets {
    /// At most 50 exercises, replacing those before, in the order in which they were done.
    exercises: Many<NewLoggedExercise, 0, EXERCISES_MAX>,
}

fn set_workout_session_sets(
    cx: &mut Write,
    Path(at): Path<SessionPath>,
    Body(wanted): Body<SessionSets>,
) -> Result<SessionAnswer> {
    let before = Session::find(cx, at.client_id, at.session_id)?;
    let mut session = before.clone();
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let was = session.log(cx)?;
    let log = session.logged(cx, unit, wanted.exercises, &was)?;
    session.save(cx, &before)?;
    if log != was {
        session.replace_log(cx, &log)?;
        if session.is_completed() {
            let touched = was.iter().chain(&log).map(Performance::exercise_id);
            progress::recount(cx, session.client_id, touched.collect())?;
        }
    }
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

/// When a session was completed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SessionCompletion")]
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
    let (unit, log) = (WorkoutSettings::find(cx)?.weight_unit, session.log(cx)?);
    if !session.is_completed() {
        let end = wanted.completed_at.unwrap_or_else(|| cx.now());
        check_end(session.started_at, end, cx.now())?;
        session.status = SessionStatus::Completed;
        session.completed_at = Some(end);
        session.count_log(cx)?;
        progress::add(cx, session.client_id, session.session_id, session.started_at, &log)?;
    }
    session.save(cx, &before)?;
    if !before.is_completed() {
        cx.activity()?.trained(cx, session.client_id)?;
        cx.set_audit_target("workout_session", session.session_id, Vec::<String>::new());
    }
    Ok(SessionAnswer { session: session.in_full(cx, unit, log)? })
}

/// The session that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedSession {
    session_id: SessionId,
    client_id: ClientId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedAnswer { session: DeletedSession });

fn delete_workout_session(cx: &mut Write, Path(at): Path<SessionPath>) -> Result<DeletedAnswer> {
    let session = Session::find(cx, at.client_id, at.session_id)?;
    let log = session.log(cx)?;
    let SessionPath { client_id, session_id } = at;
    session.delete(cx)?;
    if session.is_completed() {
        let touched = log.iter().map(Performance::exercise_id).collect();
        progress::recount(cx, client_id, touched)?;
        cx.activity()?.trained(cx, client_id)?;
        cx.set_audit_target("workout_session", session_id, Vec::<String>::new());
    }
    Ok(DeletedAnswer { session: DeletedSession { session_id, client_id, deleted: true } })
}

/// Events of goals that follow workouts.
const GOALS: &[Event] = &[Event::GoalUpdated];

/// What other areas may ask about workouts.
pub struct Workouts;

impl Training for Workouts {
    fn completed(&self, cx: &mut Read, client: ClientId, from: Date) -> Result<i64> {
        let count: Option<(i64,)> = cx.one(COMPLETED, params![client, from])?;
        Ok(count.map_or(0, |(count,)| count))
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/clients/{clientId}/plans/sessions", WorkoutSessionsRead, list_workout_sessions)
            .summary("List workout sessions")
            .for_client(&[])
            .describe("Returns the client's sessions by start, latest first."),
        operation!(GET "/workout/clients/{clientId}/plans/sessions/{sessionId}", WorkoutSessionsRead, get_workout_session)
            .summary("Get a workout session")
            .for_client(&[])
            .describe(
                "Returns what was logged, and the plan's day as it was when the session started.",
            ),
        operation!(POST "/workout/clients/{clientId}/plans/sessions", WorkoutSessionsWrite, begin_workout_session)
            .summary("Start a workout session")
            .for_client(&[])
            .describe(
                "Starts a session from a day of the client's plan, or without one. If a session \
                 of the day is in progress, returns it. With `exercises` and `completedAt`, \
                 records a finished session in one request.",
            )
            .created()
            .emits(GOALS)
            .always(&[])
            .fails(&[Key::ApiError, Key::ScopesHealthConsentRequired]),
        operation!(PUT "/workout/clients/{clientId}/plans/sessions/{sessionId}/sets", WorkoutSessionsWrite, set_workout_session_sets)
            .summary("Set a session's logged sets")
            .for_client(&[])
            .describe(
                "Replaces all exercises and sets. For a completed session, totals and personal \
                 records are recalculated.",
            )
            .fails(&[Key::ApiError, Key::ScopesHealthConsentRequired]),
        operation!(POST "/workout/clients/{clientId}/plans/sessions/{sessionId}/complete", WorkoutSessionsWrite, complete_workout_session)
            .success(Success::Completed)
            .summary("Complete a workout session")
            .for_client(&[])
            .describe("Counts the session's sets from now on. Completing again changes nothing.")
            .emits(GOALS)
            .always(&[]),
        operation!(DELETE "/workout/clients/{clientId}/plans/sessions/{sessionId}", WorkoutSessionsWrite, delete_workout_session)
            .success(Success::Deleted)
            .summary("Delete a workout session")
            .describe("Deletes a session. Totals and personal records are recalculated without it.")
            .emits(GOALS)
            .always(&[]),
    ])
}

lists! {
    /// A client's sessions; the one that began last comes first.
    LIST: List<Session, Filters> = List::new(
        "workout_session WHERE company_id = ?1 AND client_id = ?2",
        "started_at DESC, session_id DESC",
    ).tallied(TALLY);
}

statements! {
    COMPLETED = "SELECT COUNT(*) FROM workout_session WHERE company_id = ?1 AND client_id = ?2 \
        AND status = 'completed' AND local_date >= ?3";
    OPEN = "SELECT ", Session::COLUMNS, " FROM workout_session WHERE company_id = ?1 AND client_id = ?2 \
        AND plan_id = ?3 AND plan_moment_id = ?4 AND status = 'in_progress' LIMIT 20";
}
