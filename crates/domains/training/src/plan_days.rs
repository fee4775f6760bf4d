//! The days and weeks of a plan, a template's or a client's.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use spotter_contract::{
    Area, Body, Feature, ListQuery, OptionalBody, Path, Read, Success, UpdatedFrom, Write, answer,
    listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Many, Patch, Problem, Result,
    number::{self, BoundedInteger},
    text::{Name, Text, WallTime},
};
use spotter_store::{Bind, List, lists, params, statements};

use super::{
    agenda::{Agenda, Duration, ProgrammeSchedule},
    plan::{Moment, MomentId, MomentView, Plan, PlanId, Programme},
    prescription::{EXERCISES_MAX, NewPlannedExercise, Prescription, checked},
    settings::WorkoutSettings,
    vocabulary::{Layout, Mode},
};
use crate::rules::TrainingRule;

path!(PlanPath {
    /// A template, or the plan of a client.
    plan_id: PlanId,
});

path!(MomentPath { plan_id: PlanId, plan_moment_id: MomentId });

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WeekPath {
    plan_id: PlanId,
    /// Position, from 1.
    #[serde(deserialize_with = "week")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_i64))]
    week_number: i64,
}

/// Week numbers are bounded far above what a plan may have, so that unknown ones are not found.
const WEEK_NUMBER_MAX: i64 = (1 << 53) - 1;

fn week<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 1..=WEEK_NUMBER_MAX)
}

fn optional_week<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 1..=WEEK_NUMBER_MAX)
}

fn weekday<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 1..=7)
}

fn minutes<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 1..=1_440)
}

listed!(Moments { moments: MomentView });

fn list_workout_moments(
    cx: &mut Read,
    Path(at): Path<PlanPath>,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Moments> {
    Plan::find(cx, at.plan_id)?;
    let unit = WorkoutSettings::find(cx)?.weight_unit;
    let moments = cx.page_under(&LIST, &[at.plan_id.bind()], &wanted, page)?;
    Ok(moments.map(|moment| moment.in_unit(unit)).into())
}

answer!(DayAnswer { day: MomentView });

fn get_workout_moment(cx: &mut Read, Path(at): Path<MomentPath>) -> Result<DayAnswer> {
    let moment = Plan::find(cx, at.plan_id)?.moment(cx, at.plan_moment_id)?;
    Ok(DayAnswer { day: moment.in_unit(WorkoutSettings::find(cx)?.weight_unit) })
}

/// A day of a programme.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewPlanDay")]
pub struct NewDay {
    /// Display name.
    pub name: Name<120>,
    /// The week that it is put in, after its other days; 1 when absent.
    #[serde(default, deserialize_with = "optional_week")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_i64))]
    pub week_number: Option<i64>,
    /// ISO weekday, 1 = Monday; required on the calendar, absent in a sequence.
    #[serde(default, deserialize_with = "weekday")]
    #[schemars(range(min = 1, max = 7))]
    pub weekday: Option<i64>,
    /// Note of the coach.
    pub notes: Option<Text<2000>>,
    /// Wall-clock time in the plan's time zone.
    pub start_time: Option<WallTime>,
    /// Minutes that it is expected to take.
    #[serde(default, deserialize_with = "minutes")]
    #[schemars(range(min = 1, max = 1440))]
    pub planned_duration_minutes: Option<i64>,
    /// At most 50 exercises, in the order in which they are done.
    #[serde(default)]
    pub exercises: Many<NewPlannedExercise, 0, EXERCISES_MAX>,
}

fn check_weekday(plan: &Plan, weekday: Option<i64>) -> Result<()> {
    match (plan.layout, weekday) {
        (Layout::CalendarWeek, None) => {
            Err(Problem::invalid("weekday", TrainingRule::WeekdayRequired))
        }
        (Layout::Sequence, Some(_)) => {
            Err(Problem::invalid("weekday", TrainingRule::WeekdayOfSequence))
        }
        _ => Ok(()),
    }
}

fn no_such_week() -> Problem {
    Problem::field(Key::NotFound, "weekNumber", TrainingRule::UnknownWeek)
}

/// Adds a day to a plan.
fn create_workout_moment(
    cx: &mut Write,
    Path(PlanPath { plan_id }): Path<PlanPath>,
    Body(new): Body<NewDay>,
) -> Result<DayAnswer> {
    let plan = Plan::find(cx, plan_id)?;
    check_weekday(&plan, new.weekday)?;
    let mut programme = Programme::of(cx, plan)?;
    let week = new.week_number.unwrap_or(1);
    if !programme.outline.has_week(week) {
        return Err(no_such_week());
    }
    let WorkoutSettings { weight_unit, default_rest_seconds, .. } = WorkoutSettings::find(cx)?;
    let none = Prescription::default();
    let exercises = checked(cx, weight_unit, default_rest_seconds, new.exercises, &none)?;
    let place = programme.outline.add_day(MomentId(cx.new_id()), week)?;
    let moment = Moment {
        plan_id,
        plan_moment_id: place.id,
        week_number: place.week,
        day_order: place.order,
        weekday: new.weekday,
        name: new.name.into(),
        notes: new.notes.map(Into::into),
        start_time: new.start_time.map(Into::into),
        planned_duration_minutes: new.planned_duration_minutes,
        exercises,
        deleted_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    moment.insert(cx)?;
    programme.exercises.insert(place.id, moment.exercises.0.len() as i64);
    programme.save(cx)?;
    Ok(DayAnswer { day: moment.in_unit(weight_unit) })
}

/// The fields of a programme day to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "PlanDayChanges")]
struct DayChanges {
    name: Change<Name<120>>,
    notes: Patch<Text<2000>>,
    start_time: Patch<WallTime>,
    planned_duration_minutes: Patch<BoundedInteger<1, 1_440>>,
    /// ISO weekday, on the calendar alone.
    weekday: Change<BoundedInteger<1, 7>>,
    /// Puts the day after the others of that week.
    week_number: Change<BoundedInteger<1, WEEK_NUMBER_MAX>>,
}

fn update_workout_moment(
    cx: &mut Write,
    Path(at): Path<MomentPath>,
    Body(change): Body<DayChanges>,
) -> Result<DayAnswer> {
    let plan = Plan::find(cx, at.plan_id)?;
    let before = plan.moment(cx, at.plan_moment_id)?;
    let mut moment = before.clone();
    change.name.apply(&mut moment.name);
    change.notes.map(Into::into).apply(&mut moment.notes);
    change.start_time.map(Into::into).apply(&mut moment.start_time);
    change.planned_duration_minutes.map(Into::into).apply(&mut moment.planned_duration_minutes);
    if let Some(BoundedInteger(weekday)) = change.weekday.value() {
        moment.weekday = Some(weekday);
        check_weekday(&plan, moment.weekday)?;
    }
    let mut changed = moment.save(cx, &before)?;
    let week = change.week_number.value().map(i64::from);
    if let Some(week) = week.filter(|week| *week != moment.week_number) {
        let mut programme = Programme::of(cx, plan)?;
        if !programme.outline.has_week(week) {
            return Err(no_such_week());
        }
        programme.outline.move_day(moment.plan_moment_id, week)?;
        let place = programme.outline.of_week(week).find(|place| place.id == moment.plan_moment_id);
        (moment.week_number, moment.day_order) =
            place.map_or((week, moment.day_order), |place| (place.week, place.order));
        programme.save(cx)?;
        changed.push("weekNumber".to_owned());
    }
    cx.set_audit_target("workout_moment", moment.plan_moment_id, changed);
    Ok(DayAnswer { day: moment.in_unit(WorkoutSettings::find(cx)?.weight_unit) })
}

/// The programme day that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DeletedPlanDay")]
struct DeletedDay {
    plan_moment_id: MomentId,
    plan_id: PlanId,
    /// Always true.
    deleted: bool,
}

answer!(DeletedDayAnswer { day: DeletedDay });

fn delete_workout_moment(cx: &mut Write, Path(at): Path<MomentPath>) -> Result<DeletedDayAnswer> {
    let MomentPath { plan_id, plan_moment_id } = at;
    let plan = Plan::find(cx, plan_id)?;
    plan.moment(cx, plan_moment_id)?;
    let mut programme = Programme::of(cx, plan)?;
    programme.outline.delete_day(plan_moment_id);
    programme.save(cx)?;
    Ok(DeletedDayAnswer { day: DeletedDay { plan_moment_id, plan_id, deleted: true } })
}

/// The exercises of a programme day.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DayExercises {
    /// At most 50, replacing those before, in the order in which they are done.
    exercises: Many<NewPlannedExercise, 0, EXERCISES_MAX>,
}

fn set_workout_moment_exercises(
    cx: &mut Write,
    Path(at): Path<MomentPath>,
    Body(wanted): Body<DayExercises>,
) -> Result<DayAnswer> {
    let plan = Plan::find(cx, at.plan_id)?;
    let before = plan.moment(cx, at.plan_moment_id)?;
    let WorkoutSettings { weight_unit, default_rest_seconds, .. } = WorkoutSettings::find(cx)?;
    let mut moment = before.clone();
    let was = &before.exercises;
    moment.exercises = checked(cx, weight_unit, default_rest_seconds, wanted.exercises, was)?;
    let changed = moment.save(cx, &before)?;
    let mut programme = Programme::of(cx, plan)?;
    programme.exercises.insert(moment.plan_moment_id, moment.exercises.0.len() as i64);
    programme.save(cx)?;
    cx.set_audit_target("workout_moment", moment.plan_moment_id, changed);
    Ok(DayAnswer { day: moment.in_unit(weight_unit) })
}

/// Weeks may be added to and taken from templates on either layout, and plans of clients that are
/// multi-week programmes on the calendar.
fn find_with_weeks(cx: &mut Read, id: PlanId) -> Result<Plan> {
    let plan = Plan::find(cx, id)?;
    let on_calendar = (plan.layout, plan.mode) == (Layout::CalendarWeek, Mode::MultiWeek);
    if plan.is_template() || on_calendar {
        return Ok(plan);
    }
    Err(Problem::invalid("planId", TrainingRule::NoWeeks))
}

/// The week to add to a programme.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewPlanWeek")]
struct NewWeek {
    /// The week to copy, right after itself; absent adds an empty week at the end.
    #[serde(default, deserialize_with = "optional_week")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_i64))]
    duplicate_of: Option<i64>,
}

/// The week that was added, and the plan as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AddedWeek {
    week_number: i64,
    /// The days of the new week.
    plan_moment_ids: Vec<MomentId>,
    total_weeks: i64,
    schedule: ProgrammeSchedule,
    duration: Duration,
}

fn add_workout_week(
    cx: &mut Write,
    Path(at): Path<PlanPath>,
    OptionalBody(wanted): OptionalBody<NewWeek>,
) -> Result<AddedWeek> {
    let plan = find_with_weeks(cx, at.plan_id)?;
    let mut programme = Programme::of(cx, plan)?;
    let mut plan_moment_ids = Vec::new();
    let week_number = match wanted.duplicate_of {
        None => programme.outline.add_week()?,
        Some(week) if !programme.outline.has_week(week) => {
            return Err(Problem::field(Key::NotFound, "duplicateOf", TrainingRule::UnknownWeek));
        }
        Some(week) => {
            let moments = programme.plan.moments(cx)?;
            let (number, copies) =
                programme.outline.duplicate_week(week, || MomentId(cx.new_id()))?;
            for (of, place) in copies {
                let Some(moment) = moments.iter().find(|moment| moment.plan_moment_id == of) else {
                    continue;
                };
                let mut copy = moment.copied(moment.plan_id, place.id, cx.now());
                (copy.week_number, copy.day_order) = (place.week, place.order);
                copy.insert(cx)?;
                programme.exercises.insert(place.id, copy.exercises.0.len() as i64);
                plan_moment_ids.push(place.id);
            }
            forget_moves(cx, &programme, number)?;
            number
        }
    };
    // A longer programme of a client lasts longer.
    programme.plan.total_weeks = programme.outline.total_weeks;
    if !programme.plan.is_template() {
        let end = programme.plan.calendar().planned_end();
        programme.plan.end_date = programme.plan.end_date.max(end);
    }
    let plan = programme.save(cx)?;
    let schedule = Agenda::of(cx, &plan)?.schedule();
    let (total_weeks, duration) = (plan.total_weeks, Duration::of(&plan));
    Ok(AddedWeek { week_number, plan_moment_ids, total_weeks, schedule, duration })
}

/// Deletes moves by date for days in renumbered weeks, where they mean nothing any more.
fn forget_moves(cx: &mut Write, programme: &Programme, from_week: i64) -> Result<()> {
    let Some(client) = programme.plan.client_id else { return Ok(()) };
    for place in programme.outline.places().iter().filter(|place| place.week >= from_week) {
        cx.defer(FORGET_MOVES, params![client, programme.plan.plan_id, place.id])?;
    }
    Ok(())
}

/// The week that was deleted, and the plan as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedWeek {
    /// The number that the deleted week had.
    week_number: i64,
    /// The days that were deleted with the week.
    deleted_plan_moment_ids: Vec<MomentId>,
    /// Number of remaining weeks.
    total_weeks: i64,
    schedule: ProgrammeSchedule,
    duration: Duration,
}

fn delete_workout_week(cx: &mut Write, Path(at): Path<WeekPath>) -> Result<DeletedWeek> {
    let WeekPath { plan_id, week_number } = at;
    let plan = find_with_weeks(cx, plan_id)?;
    let mut programme = Programme::of(cx, plan)?;
    if !programme.outline.has_week(week_number) {
        return Err(no_such_week());
    }
    forget_moves(cx, &programme, week_number)?;
    let deleted_plan_moment_ids = programme.outline.delete_week(week_number)?;
    let plan = programme.save(cx)?;
    let schedule = Agenda::of(cx, &plan)?.schedule();
    let (total_weeks, duration) = (plan.total_weeks, Duration::of(&plan));
    Ok(DeletedWeek { week_number, deleted_plan_moment_ids, total_weeks, schedule, duration })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/plans/moments/{planId}", WorkoutPlansRead, list_workout_moments)
            .summary("List a plan's days")
            .describe("Returns the days in order, with exercises and sets."),
        operation!(app GET "/workout/plans/moments/{planId}/{planMomentId}", Coach, get_workout_moment)
            .summary("Get a day of a plan")
            .describe("Returns a day with its exercises and sets."),
        operation!(POST "/workout/plans/moments/{planId}", WorkoutPlansWrite, create_workout_moment)
            .success(Success::Added)
            .summary("Add a day to a plan")
            .describe("Adds a day to a week of the plan.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(PATCH "/workout/plans/moments/{planId}/{planMomentId}", WorkoutPlansWrite, update_workout_moment)
            .summary("Update a day of a plan")
            .describe("Changes the day's name, notes, date and planned duration.")
            .fails(&[Key::ApiError]),
        operation!(DELETE "/workout/plans/moments/{planId}/{planMomentId}", WorkoutPlansWrite, delete_workout_moment)
            .success(Success::Deleted)
            .summary("Delete a day of a plan")
            .describe("Deletes the day. Sessions that were logged for it keep its labels."),
        operation!(PUT "/workout/plans/moments/{planId}/{planMomentId}/exercises", WorkoutPlansWrite, set_workout_moment_exercises)
            .summary("Set a day's exercises")
            .describe("Replaces the day's exercises and sets.")
            .fails(&[Key::ApiError]),
        operation!(POST "/workout/plans/moments/{planId}/weeks", WorkoutPlansWrite, add_workout_week)
            .summary("Add or duplicate a programme week")
            .describe(
                "Adds an empty week at the end, or a copy of a week right after it. Applies to \
                 templates of either layout, and to clients' plans that are multi-week programmes \
                 on the calendar, which become longer.",
            )
            .created()
            .needs(Feature::ProgrammeCalendar)
            .fails(&[Key::ApiError]),
        operation!(DELETE "/workout/plans/moments/{planId}/weeks/{weekNumber}", WorkoutPlansWrite, delete_workout_week)
            .success(Success::Deleted)
            .declares(&[422])
            .summary("Delete a programme week")
            .describe(
                "Deletes a week with its days; later weeks move up by one. The last remaining \
                 week cannot be deleted. Applies to templates of either layout, and to clients' \
                 plans that are multi-week programmes on the calendar. Logged sessions keep the \
                 labels of their day and week, and the plan's duration does not change.",
            )
            .needs(Feature::ProgrammeCalendar),
    ])
}

lists! {
    /// A plan's days in their order; at most 728.
    LIST: List<Moment, UpdatedFrom> = List::new(
        "workout_moment WHERE company_id = ?1 AND plan_id = ?2 AND deleted_at IS NULL",
        "day_order, plan_moment_id",
    );
}

statements! {
    FORGET_MOVES = "DELETE FROM workout_move WHERE company_id = ?1 AND client_id = ?2 \
        AND plan_id = ?3 AND plan_moment_id = ?4";
}
