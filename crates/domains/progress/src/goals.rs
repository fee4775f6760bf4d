//! Goals: creating, changing and abandoning them, and what happens when their time is over.

mod view;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, Path, Query, Read, Success, Timer, Write, answer, listed, operation,
    path,
};
use spotter_kernel::{
    Change, Date, Event, Id, Key, Page, Patch, Phrase, Problem, Result, Rule, Timestamp,
    id::ClientId,
    text::{Name, Text},
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, filters, lists, params, statements};

use crate::{
    goal::{Goal, GoalDirection, GoalId, GoalKind, GoalStatus, TALLY},
    goal_progress,
    habit::{Habit, HabitId},
    measurements::UnitsFilter,
    permissions::{check_own, today},
    rules::ProgressRule,
    types::{MeasurementType, TypeKey},
    units::Units,
};
use view::{GoalScale, GoalView};

/// Most active goals of a client.
const GOALS_MAX: i64 = 50;
/// How far a goal may reach, in days.
const DAYS_MAX: i64 = 3_660;

impl Goal {
    fn view(&self, scale: &GoalScale, units: Units) -> GoalView {
        let show = |kept| scale.show(kept, units);
        GoalView {
            goal_id: self.goal_id,
            client_id: self.client_id,
            title: self.title.clone(),
            kind: self.kind,
            measurement_type: self.measurement_type.clone(),
            habit_id: self.habit_id,
            direction: self.direction,
            start_value: self.start_value.map(show),
            target_value: show(self.target_value),
            current_value: self.current_value.map(show),
            tolerance: self.tolerance.map(|kept| scale.show_difference(kept, units)),
            unit: scale.unit(self, units),
            start_date: self.start_date,
            due_date: self.due_date,
            status: self.status,
            progress_percent: self.progress_percent,
            achieved_at: self.achieved_at,
            note: self.note.clone(),
            created_by_type: self.created_by_type.clone(),
            created_by: self.created_by,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn scale(&self, cx: &mut Read) -> Result<GoalScale> {
        GoalScale::of(cx, self.kind, self.measurement_type.as_ref())
    }

    fn view_in_units(&self, cx: &mut Read, units: Units) -> Result<GoalAnswer> {
        let scale = self.scale(cx)?;
        Ok(GoalAnswer { goal: self.view(&scale, units) })
    }
}

listed!(Goals { goals: GoalView });

filters! {
    struct Filters {
        /// Goals in this status.
        status: GoalStatus => "status = ?", tallied;
        /// The units of the answer; `metric` when absent.
        units: Units;
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_goals(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Goals> {
    Client::find(cx, at.client_id)?;
    let found: Page<Goal> = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    let units = wanted.units.unwrap_or(Units::Metric);
    let mut items = Vec::with_capacity(found.items.len());
    for goal in &found.items {
        let scale = goal.scale(cx)?;
        items.push(goal.view(&scale, units));
    }
    Ok(found.with(items).into())
}

path!(GoalPath { client_id: ClientId, goal_id: GoalId });

answer!(GoalAnswer { goal: GoalView });

fn get_goal(
    cx: &mut Read,
    Path(at): Path<GoalPath>,
    Query(output): Query<UnitsFilter>,
) -> Result<GoalAnswer> {
    Goal::find(cx, at.client_id, at.goal_id)?.view_in_units(cx, output.units())
}

/// The goal to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewGoal {
    /// Display name.
    pub title: Name<120>,
    /// How progress is measured.
    pub kind: GoalKind,
    /// The key of a type with one value, of `measurement`.
    pub measurement_type: Option<TypeKey>,
    /// What the goal is measured by, if its type is `habit`.
    pub habit_id: Option<HabitId>,
    /// Direction of progress; derived from the start value when absent.
    pub direction: Option<GoalDirection>,
    /// Start value; the latest measurement when absent, or the next one. For the kinds
    /// `measurement` and `custom`.
    pub start_value: Option<f64>,
    /// Target value; for habits and sessions, the number to reach.
    pub target_value: f64,
    /// Tolerance around the target, for goals with the direction `maintain`.
    pub tolerance: Option<f64>,
    /// Unit: one of the type's, or any for `custom`. The metric one when absent.
    pub unit: Option<Text<20>>,
    /// Today when absent, where the client is.
    pub start_date: Option<Date>,
    /// Due date; none when absent.
    pub due_date: Option<Date>,
    /// Note, as free text.
    pub note: Option<Text<2000>>,
}

/// Which fields go with which kind.
fn checked(new: &NewGoal) -> Result<()> {
    let wrong = |field: &str, rule: Phrase| Err(Problem::invalid(field, rule));
    match (new.kind, &new.measurement_type, new.habit_id) {
        (GoalKind::Measurement, None, _) => return wrong("measurementType", Rule::Required.into()),
        (GoalKind::Habit, _, None) => return wrong("habitId", Rule::Required.into()),
        (GoalKind::Measurement, Some(_), None) | (GoalKind::Habit, None, Some(_)) => {}
        (GoalKind::Sessions | GoalKind::Custom, None, None) => {}
        (_, _, Some(_)) if new.kind != GoalKind::Habit => {
            return wrong("habitId", Rule::WrongKind.into());
        }
        _ => return wrong("measurementType", Rule::WrongKind.into()),
    }
    let is_counted = matches!(new.kind, GoalKind::Habit | GoalKind::Sessions);
    if is_counted && new.start_value.is_some() {
        return wrong("startValue", ProgressRule::StartOfCounted.into());
    }
    if is_counted && new.unit.is_some() {
        return wrong("unit", ProgressRule::GivenOfCounted.into());
    }
    if is_counted && new.direction.is_some_and(|direction| direction != GoalDirection::Increase) {
        return wrong("direction", ProgressRule::DirectionOfCounted.into());
    }
    match (new.direction, new.tolerance) {
        (Some(GoalDirection::Maintain), None) => wrong("tolerance", Rule::Required.into()),
        (Some(GoalDirection::Maintain), _) | (_, None) => Ok(()),
        (_, Some(_)) => wrong("tolerance", ProgressRule::OnlyToMaintain.into()),
    }
}

/// Where a goal is to go, by where it begins and is to end.
fn direction(
    submitted: Option<GoalDirection>,
    start: Option<i64>,
    target: i64,
) -> Result<GoalDirection> {
    let wrong = |rule: Phrase| Err(Problem::invalid("targetValue", rule));
    match (submitted, start) {
        (Some(GoalDirection::Maintain), _) => Ok(GoalDirection::Maintain),
        (_, Some(start)) if start == target => wrong(ProgressRule::TargetIsStart.into()),
        (Some(GoalDirection::Increase), Some(start)) if target < start => {
            wrong(ProgressRule::TargetBelowStart.into())
        }
        (Some(GoalDirection::Decrease), Some(start)) if target > start => {
            wrong(ProgressRule::TargetAboveStart.into())
        }
        (Some(submitted), _) => Ok(submitted),
        (None, Some(start)) if target > start => Ok(GoalDirection::Increase),
        (None, Some(_)) => Ok(GoalDirection::Decrease),
        (None, None) => Err(Problem::invalid("direction", ProgressRule::StartUnknown)),
    }
}

fn checked_dates(start: Date, due: Option<Date>, today: Date) -> Result<()> {
    if today.days_until(start).abs() > DAYS_MAX {
        return Err(Problem::invalid("startDate", ProgressRule::BeyondTenYears));
    }
    match due {
        Some(due) if due < start => Err(Problem::field(
            Key::DateRangeOrderInvalid,
            "dueDate",
            ProgressRule::BeforeStartDate,
        )),
        Some(due) if due < today => Err(Problem::invalid("dueDate", Rule::BeforeToday)),
        Some(due) if today.days_until(due) > DAYS_MAX => {
            Err(Problem::invalid("dueDate", ProgressRule::BeyondTenYears))
        }
        _ => Ok(()),
    }
}

/// Has the end of a goal's last day noticed, where it has one.
fn watch(cx: &mut Write, goal: &Goal) -> Result<()> {
    let client = Client::find(cx, goal.client_id)?;
    match goal.due_date.filter(|_| goal.status == GoalStatus::Active) {
        Some(due) => {
            let at = due.tomorrow().start_in(&client.zone(cx)?);
            cx.set_timer(&DUE, goal.goal_id, at)
        }
        None => cx.clear_timer(&DUE, goal.goal_id),
    }
}

/// Sets a goal of a client.
pub fn create(cx: &mut Write, client: ClientId, new: NewGoal) -> Result<GoalId> {
    set(cx, client, new).map(|goal| goal.goal_id)
}

fn set(cx: &mut Write, client: ClientId, new: NewGoal) -> Result<Goal> {
    let today = today(cx, client)?;
    checked(&new)?;
    let start_date = new.start_date.unwrap_or(today);
    checked_dates(start_date, new.due_date, today)?;
    if let Some(key) = &new.measurement_type
        && MeasurementType::find_requested(cx, key, "measurementType")?.has_two()
    {
        return Err(Problem::invalid("measurementType", ProgressRule::SeveralValues));
    }
    if let Some(habit) = new.habit_id {
        Habit::find(cx, client, habit)
            .map_err(|none| none.missing("habitId", ProgressRule::OtherClientsHabit))?;
    }
    let there: Option<(i64,)> = cx.one(COUNT, params![client])?;
    if there.is_some_and(|(count,)| count >= GOALS_MAX) {
        return Err(Problem::conflict("clientId", ProgressRule::TooManyGoals { max: GOALS_MAX }));
    }
    let scale = GoalScale::of(cx, new.kind, new.measurement_type.as_ref())?;
    let unit = new.unit.as_deref();
    let said_unit = unit.filter(|_| new.kind == GoalKind::Measurement);
    let target_value = scale.take(new.target_value, said_unit, "targetValue")?;
    let tolerance = new
        .tolerance
        .map(|off| scale.take_difference(off, new.target_value, said_unit))
        .transpose()?;
    let start_value = match (new.start_value, &new.measurement_type, new.kind) {
        (Some(submitted), ..) => Some(scale.take(submitted, said_unit, "startValue")?),
        (None, Some(key), _) => {
            let latest: Option<(Option<i64>,)> = cx.one(LATEST, params![client, key])?;
            latest.and_then(|(value,)| value)
        }
        (None, None, GoalKind::Habit | GoalKind::Sessions) => Some(0),
        (None, None, _) => None,
    };
    let given = new.direction.or(match new.kind {
        GoalKind::Habit | GoalKind::Sessions => Some(GoalDirection::Increase),
        GoalKind::Measurement | GoalKind::Custom => None,
    });
    let direction = direction(given, start_value, target_value)?;
    let (is_custom, of_measurements) =
        (new.kind == GoalKind::Custom, new.kind == GoalKind::Measurement);
    let (created_by_type, created_by) = cx.maker();
    let mut goal = Goal {
        client_id: client,
        goal_id: GoalId(cx.new_id()),
        title: new.title.into(),
        kind: new.kind,
        measurement_type: new.measurement_type,
        habit_id: new.habit_id,
        direction,
        start_value,
        target_value,
        current_value: start_value.filter(|_| is_custom),
        tolerance,
        unit: new.unit.map(Into::into).filter(|_| is_custom || of_measurements),
        start_date,
        due_date: new.due_date,
        status: GoalStatus::Active,
        progress_percent: None,
        achieved_at: None,
        note: new.note.map(Into::into),
        created_by_type,
        created_by,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    goal.follow(goal_progress::facts(cx, &goal)?, cx.now());
    goal.insert(cx)?;
    watch(cx, &goal)?;
    Ok(goal)
}

fn create_goal(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewGoal>,
) -> Result<GoalAnswer> {
    set(cx, at.client_id, new)?.view_in_units(cx, Units::Metric)
}

/// The fields of a goal to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct GoalChanges {
    title: Change<Name<120>>,
    /// Target value in `unit`.
    target_value: Change<f64>,
    /// Current value, for the kind `custom` only.
    current_value: Change<f64>,
    /// Tolerance around the target, for goals with the direction `maintain`.
    tolerance: Change<f64>,
    /// Unit: one of the type's.
    unit: Option<Text<20>>,
    due_date: Patch<Date>,
    /// `abandoned`; `active` for one that was missed or abandoned; `achieved` of `custom` alone.
    status: Change<GoalStatus>,
    note: Patch<Text<2000>>,
}

/// A goal that the caller may change: clients change those that they have set themselves.
fn changeable(cx: &mut Read, at: &GoalPath) -> Result<Goal> {
    let found = Goal::find(cx, at.client_id, at.goal_id)?;
    check_own(cx, found.created_by, ProgressRule::ForeignGoal)?;
    Ok(found)
}

impl Goal {
    /// Moves it to another status, where that may be.
    fn set_status(&mut self, status: GoalStatus, now: Timestamp) -> Result<()> {
        let is_custom = self.kind == GoalKind::Custom;
        match (self.status, status) {
            (was, is) if was == is => {}
            (GoalStatus::Active, GoalStatus::Abandoned) => self.status = status,
            (GoalStatus::Active, GoalStatus::Achieved) if is_custom => {
                (self.status, self.achieved_at) = (status, Some(now));
                self.progress_percent = Some(100);
            }
            (GoalStatus::Missed | GoalStatus::Abandoned, GoalStatus::Active) => {
                self.status = status;
            }
            // After a corrected value, whether it is achieved is determined again.
            (GoalStatus::Achieved, GoalStatus::Active) => {
                (self.status, self.achieved_at) = (status, None);
            }
            (GoalStatus::Achieved, _) => {
                return Err(Problem::conflict("status", ProgressRule::AchievedGoal));
            }
            _ => {
                return Err(Problem::conflict("status", ProgressRule::ClosedGoal));
            }
        }
        Ok(())
    }
}

fn update_goal(
    cx: &mut Write,
    Path(at): Path<GoalPath>,
    Body(change): Body<GoalChanges>,
) -> Result<GoalAnswer> {
    let before = changeable(cx, &at)?;
    let scale = before.scale(cx)?;
    let mut goal = before.clone();
    let unit = change.unit.as_deref().map(str::to_owned);
    let unit = unit.as_deref().filter(|_| before.kind == GoalKind::Measurement);
    if let Some(unit) = unit {
        goal.unit = Some(unit.to_owned());
    }
    change.title.apply(&mut goal.title);
    change.note.map(Into::into).apply(&mut goal.note);
    if let Some(status) = change.status.value() {
        goal.set_status(status, cx.now())?;
    }
    let moves = change.target_value.is_said()
        || change.current_value.is_said()
        || change.tolerance.is_said()
        || change.due_date.is_said();
    if moves && goal.status != GoalStatus::Active {
        return Err(Problem::conflict("status", Rule::Inactive));
    }
    let mut target = scale.show(goal.target_value, Units::Metric);
    if let Some(submitted) = change.target_value.value() {
        target = submitted;
        goal.target_value = scale.take(submitted, unit, "targetValue")?;
        direction(Some(goal.direction), goal.start_value, goal.target_value)?;
    }
    if let Some(off) = change.tolerance.value() {
        if goal.direction != GoalDirection::Maintain {
            return Err(Problem::invalid("tolerance", ProgressRule::OnlyToMaintain));
        }
        goal.tolerance = Some(scale.take_difference(off, target, unit)?);
    }
    if let Some(submitted) = change.current_value.value() {
        if goal.kind != GoalKind::Custom {
            return Err(Problem::invalid("currentValue", ProgressRule::FollowsCounted));
        }
        goal.current_value = Some(scale.take(submitted, None, "currentValue")?);
    }
    change.due_date.apply(&mut goal.due_date);
    if goal.status == GoalStatus::Active {
        let today = today(cx, goal.client_id)?;
        if goal.due_date != before.due_date || goal.status != before.status {
            checked_dates(goal.start_date, goal.due_date, today)?;
        }
        goal.follow(goal_progress::facts(cx, &goal)?, cx.now());
    }
    if goal.save(cx, &before)? {
        watch(cx, &goal)?;
    }
    Ok(GoalAnswer { goal: goal.view(&scale, Units::Metric) })
}

/// The last day of a goal is over.
fn end_goal(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Goal> = cx.one(BY_ID, params![id])?;
    let Some(before) = found.filter(|goal| goal.status == GoalStatus::Active) else {
        return Ok(());
    };
    let mut goal = before.clone();
    goal.end(cx.now());
    goal.save(cx, &before).map(drop)
}

static DUE: Timer = Timer::new("end_goal", "Conclude a goal after its last day", end_goal)
    .emits(&[Event::GoalUpdated]);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).timers(&[&DUE]).operations([
        operation!(GET "/clients/{clientId}/goals", GoalsRead, list_goals)
            .summary("List a client's goals")
            .describe("Returns goals newest first.")
            .for_client(&[]),
        operation!(GET "/clients/{clientId}/goals/{goalId}", GoalsRead, get_goal)
            .summary("Get a goal")
            .describe("Returns one goal with its progress.")
            .for_client(&[]),
        operation!(POST "/clients/{clientId}/goals", GoalsWrite, create_goal)
            .success(Success::Added)
            .summary("Create a goal")
            .describe(
                "Sets a goal that follows measurements, a habit or workouts, or progress that is \
                 entered by hand. An achieved goal stays achieved; a goal that is not achieved by \
                 the end of its last day is missed.",
            )
            .created()
            .for_client(&[])
            .emits(&[Event::GoalUpdated])
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid, Key::NotFound]),
        operation!(PATCH "/clients/{clientId}/goals/{goalId}", GoalsWrite, update_goal)
            .summary("Update a goal")
            .describe(
                "Changes a goal or gives it up. Clients may change goals that they set themselves.",
            )
            .for_client(&[])
            .emits(&[Event::GoalUpdated])
            .fails(&[Key::ApiError, Key::DateRangeOrderInvalid]),
    ])
}

lists! {
    /// A client's goals, the newest first.
    LIST: List<Goal, Filters> = List::new("goal WHERE company_id = ?1 AND client_id = ?2", "goal_id DESC")
        .tallied(TALLY);
}

statements! {
    COUNT = "SELECT COUNT(*) FROM goal WHERE company_id = ?1 AND client_id = ?2 AND status = 'active'";
    LATEST = "SELECT value FROM measurement WHERE company_id = ?1 AND client_id = ?2 AND type = ?3 \
        AND status = 'recorded' ORDER BY measured_at DESC, measurement_id DESC LIMIT 1";
    BY_ID = "SELECT ", Goal::COLUMNS, " FROM goal WHERE company_id = ?1 AND goal_id = ?2";
}
