//! Plans and their days: a template, or the copy that was assigned to a client.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::folding::haystack;
use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, Key, Problem, Result, TimeZone, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{
    Bind, Value, params, parts, record, set, statements, stored_ids, values, words,
};

use super::{
    groups::GroupId,
    measures::{Weight, WeightUnit},
    outline::{DayPosition, Outline},
    prescription::{PlannedExercise, Prescription},
    schedule::{Calendar, Slot},
    vocabulary::{Layout, Mode, ReleasePolicy},
};
use crate::rules::TrainingRule;

id_type!(
    /// A plan: a template, or the plan of a client.
    PlanId,
    RequestInvalid
);
id_type!(
    /// A day of a plan.
    MomentId,
    RequestInvalid
);
stored_ids!(PlanId MomentId);

words! {
    /// The status of a plan: a template is a draft until it is published; a client's plan is active until it is
    /// completed.
    pub enum PlanStatus { Draft = "Draft", Active = "Active", Completed = "Completed" }
}

record! {
    /// A plan: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Plan {
        pub(super) plan_id: PlanId,
        /// The client; `None` for a template.
        pub(super) client_id: Option<ClientId>,
        /// The template that it was made from.
        pub(super) template_id: Option<PlanId>,
        /// The group that it was given to.
        pub(super) group_id: Option<GroupId>,
        pub(super) name: String,
        pub(super) description: Option<String>,
        pub(super) status: PlanStatus,
        pub(super) difficulty: Option<String>,
        pub(super) intensity: Option<String>,
        pub(super) category: Option<String>,
        pub(super) goal: Option<String>,
        pub(super) layout: Layout,
        pub(super) mode: Mode,
        pub(super) release_policy: ReleasePolicy,
        pub(super) start_date: Option<Date>,
        pub(super) end_date: Option<Date>,
        pub(super) time_zone: TimeZone,
        pub(super) total_weeks: i64,
        pub(super) total_days: i64,
        pub(super) total_exercises: i64,
        pub(super) published_at: Option<Timestamp>,
        pub(super) deleted_at: Option<Timestamp>,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
    }
}

record! {
    /// A day of a plan: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Moment {
        pub(super) plan_id: PlanId,
        pub(super) plan_moment_id: MomentId,
        pub(super) week_number: i64,
        pub(super) day_order: i64,
        pub(super) weekday: Option<i64>,
        pub(super) name: String,
        pub(super) notes: Option<String>,
        pub(super) start_time: Option<String>,
        pub(super) planned_duration_minutes: Option<i64>,
        pub(super) exercises: Prescription,
        pub(super) deleted_at: Option<Timestamp>,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
    }
}

/// A day of a programme.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlanDay")]
pub struct MomentView {
    #[serde(rename = "_id")]
    id: MomentId,
    plan_moment_id: MomentId,
    plan_id: PlanId,
    /// From 1; the week's position among the plan's.
    week_number: i64,
    /// Position among the plan's days, from 1.
    day_order: i64,
    /// Position among the plan's days, from 0.
    order: i64,
    /// ISO weekday, 1 = Monday; null in a sequence.
    weekday: Option<i64>,
    name: String,
    notes: Option<String>,
    /// Wall-clock time HH:MM in the plan's time zone, or empty.
    start_time: String,
    planned_duration_minutes: Option<i64>,
    /// Exercises in order.
    exercises: Vec<PlannedExercise<Weight>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Moment {
    /// The API form of the day, weights in the company's unit.
    pub(super) fn in_unit(self, unit: WeightUnit) -> MomentView {
        MomentView {
            id: self.plan_moment_id,
            plan_moment_id: self.plan_moment_id,
            plan_id: self.plan_id,
            week_number: self.week_number,
            day_order: self.day_order,
            order: self.day_order - 1,
            weekday: self.weekday,
            name: self.name,
            notes: self.notes,
            start_time: self.start_time.unwrap_or_default(),
            planned_duration_minutes: self.planned_duration_minutes,
            exercises: self.exercises.0.into_iter().map(|each| each.in_unit(unit)).collect(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        let (mut params, count) = (self.params(), self.exercises.0.len() as i64);
        params.push(count.bind().into_owned());
        cx.defer(INSERT_MOMENT, &params)
    }

    /// Writes the day's own facts; its place is the outline's business.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<Vec<String>> {
        let changed = self.changed(before);
        if !changed.is_empty() {
            self.updated_at = cx.now();
            let mut row = self.facts();
            row.push(Value::Int(self.exercises.0.len() as i64));
            cx.defer(SAVE_MOMENT, &row)?;
        }
        Ok(changed)
    }

    /// The same day for another plan, as a new record.
    pub(super) fn copied(&self, plan: PlanId, id: MomentId, now: Timestamp) -> Self {
        let copy = self.clone();
        Self { plan_id: plan, plan_moment_id: id, created_at: now, updated_at: now, ..copy }
    }
}

impl Plan {
    /// The plan with this id, a template or a client's.
    pub(super) fn find(cx: &mut Read, id: PlanId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The template with this id.
    pub(super) fn find_template(cx: &mut Read, id: PlanId) -> Result<Self> {
        let plan = Self::find(cx, id)?;
        if plan.client_id.is_none() { Ok(plan) } else { Err(Key::NotFound.into()) }
    }

    /// The plan with this id of this client.
    pub(super) fn find_of_client(cx: &mut Read, client: ClientId, id: PlanId) -> Result<Self> {
        Client::find(cx, client)?;
        let plan = Self::find(cx, id)?;
        if plan.client_id == Some(client) { Ok(plan) } else { Err(Key::NotFound.into()) }
    }

    /// The plan's id.
    pub fn id(&self) -> PlanId {
        self.plan_id
    }

    /// Whether it is a template.
    pub(super) fn is_template(&self) -> bool {
        self.client_id.is_none()
    }

    /// The plan's days in their order.
    pub(super) fn moments(&self, cx: &mut Read) -> Result<Vec<Moment>> {
        cx.all(MOMENTS, params![self.plan_id])
    }

    /// The plan's days in order, without their exercises.
    pub fn moment_facts(&self, cx: &mut Read) -> Result<Vec<MomentFacts>> {
        cx.all(MOMENT_FACTS, params![self.plan_id])
    }

    /// The day of this plan with this id.
    pub(super) fn moment(&self, cx: &mut Read, id: MomentId) -> Result<Moment> {
        cx.one(MOMENT, params![self.plan_id, id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// What decides when its days are due.
    pub(super) fn calendar(&self) -> Calendar {
        Calendar {
            layout: self.layout,
            mode: self.mode,
            release_policy: self.release_policy,
            start: self.start_date,
            end: self.end_date,
            zone: self.time_zone.clone(),
            total_weeks: self.total_weeks,
        }
    }

    fn haystack(&self) -> String {
        haystack([self.name.as_str()])
    }

    fn parameters<'r>(&'r self, haystack: &'r str) -> Vec<Value<'r>> {
        let mut params = self.params();
        params.push(haystack.bind());
        params
    }

    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("workout_plan", self.plan_id, ["plan"]);
        cx.defer(INSERT, &self.parameters(&self.haystack()))
    }

    /// Saves a change, and names the changed fields for the audit log.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("workout_plan", self.plan_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.parameters(&self.haystack()))
    }

    /// Takes the plan away; its days and the sessions that were logged stay.
    pub(super) fn delete(&mut self, cx: &mut Write) -> Result<()> {
        let before = self.clone();
        self.deleted_at = Some(cx.now());
        self.save(cx, &before)
    }

    /// A copy of this plan with all its days, for a client or as another template.
    pub(super) fn copy(
        &self,
        cx: &mut Write,
        change: impl FnOnce(&mut Self),
    ) -> Result<(Self, Vec<Moment>)> {
        let moments = self.moments(cx)?;
        self.copy_with(cx, &moments, change)
    }

    /// The same with days that were read already.
    pub(super) fn copy_with(
        &self,
        cx: &mut Write,
        moments: &[Moment],
        change: impl FnOnce(&mut Self),
    ) -> Result<(Self, Vec<Moment>)> {
        let now = cx.now();
        let mut plan = self.clone();
        plan.plan_id = PlanId(cx.new_id());
        (plan.created_at, plan.updated_at) = (now, now);
        change(&mut plan);
        plan.insert(cx)?;
        let mut copies = Vec::with_capacity(moments.len());
        for moment in moments {
            let copy = moment.copied(plan.plan_id, MomentId(cx.new_id()), now);
            copy.insert(cx)?;
            copies.push(copy);
        }
        Ok((plan, copies))
    }
}

/// A plan with the order of its days, as it is while one of them is changed.
pub(super) struct Programme {
    pub plan: Plan,
    pub outline: Outline,
    before: (Plan, BTreeMap<MomentId, DayPosition>),
    /// How many exercises each day has.
    pub exercises: BTreeMap<MomentId, i64>,
}

impl Programme {
    /// Reads the order of a plan's days.
    pub fn of(cx: &mut Read, plan: Plan) -> Result<Self> {
        let rows: Vec<(MomentId, i64, i64, i64)> = cx.all(PLACES, params![plan.plan_id])?;
        let places = rows.iter().map(|&(id, week, order, _)| DayPosition { id, week, order });
        let outline = Outline::new(plan.total_weeks, plan.layout, plan.mode, places.collect());
        let before = outline.places().iter().map(|place| (place.id, *place)).collect();
        let exercises = rows.iter().map(|&(id, .., count)| (id, count)).collect();
        Ok(Self { before: (plan.clone(), before), plan, outline, exercises })
    }

    /// Whether a day changed its position.
    pub fn is_reordered(&self) -> bool {
        let places = self.outline.places();
        places.iter().any(|place| self.before.1.get(&place.id) != Some(place))
    }

    /// Saves the new order and the plan's totals. New days are stored by the caller.
    pub fn save(mut self, cx: &mut Write) -> Result<Plan> {
        let (plan, before) = &mut self.before;
        let now = cx.now();
        for place in self.outline.places() {
            let was = before.remove(&place.id);
            if was.is_some_and(|was| was != *place) {
                let DayPosition { id, week, order } = place;
                cx.defer(PLACE, params![plan.plan_id, id, week, order])?;
            }
        }
        for id in before.keys() {
            cx.defer(DELETE_MOMENT, params![plan.plan_id, id, now])?;
            self.exercises.remove(id);
        }
        self.plan.total_weeks = self.outline.total_weeks;
        self.plan.total_days = self.outline.places().len() as i64;
        self.plan.total_exercises = self.exercises.values().sum();
        self.plan.save(cx, plan)?;
        Ok(self.plan)
    }
}

record! {
    /// A day without its exercises.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MomentFacts {
        /// The day's id.
        pub plan_moment_id: MomentId,
        /// Position, from 1.
        pub week_number: i64,
        /// Position among the plan's days, from 1.
        pub day_order: i64,
        /// ISO weekday on a calendar plan.
        pub weekday: Option<i64>,
        /// Display name.
        pub name: String,
        /// Wall-clock time in the plan's time zone.
        pub start_time: Option<String>,
        /// Duration.
        pub planned_duration_minutes: Option<i64>,
    }
}

/// The days as the calendar sees them.
pub(super) fn slots(moments: &[MomentFacts]) -> Vec<Slot> {
    let mut in_week: BTreeMap<i64, i64> = BTreeMap::new();
    let slot = |day: &MomentFacts| {
        let position = in_week.entry(day.week_number).or_default();
        *position += 1;
        let MomentFacts { plan_moment_id: id, week_number: week, weekday, .. } = *day;
        Slot { id, week, weekday, position: *position }
    };
    moments.iter().map(slot).collect()
}

/// The start of an assigned plan, by the rules of its kind: a recurring plan on the calendar is
/// anchored to a Monday, a recurring sequence has no dates.
pub(super) fn checked_start(
    layout: Layout,
    mode: Mode,
    wanted: Option<Date>,
    today: Date,
) -> Result<Option<Date>> {
    let wrong = |rule| Err(Problem::invalid("startDate", rule));
    match (layout, mode, wanted) {
        (Layout::Sequence, Mode::Recurring, Some(_)) => wrong(TrainingRule::DateOfSequence),
        (Layout::Sequence, Mode::Recurring, None) => Ok(None),
        (Layout::CalendarWeek, Mode::Recurring, Some(date)) if date != date.monday() => {
            wrong(TrainingRule::NotMonday)
        }
        (Layout::CalendarWeek, Mode::Recurring, None) => Ok(Some(today.monday())),
        (.., Some(date)) if !(2000..=2199).contains(&date.0.year()) => {
            wrong(TrainingRule::OutsideTwoCenturies)
        }
        (.., Some(date)) => Ok(Some(date)),
        (_, Mode::MultiWeek, None) => Ok(Some(today)),
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

parts! {
    Moment by plan_id, plan_moment_id without week_number, day_order, deleted_at, created_at;
    FACTS facts: weekday, name, notes, start_time, planned_duration_minutes, exercises, updated_at;
}

statements! {
    FIND = "SELECT ", Plan::COLUMNS, " FROM workout_plan \
        WHERE company_id = ?1 AND plan_id = ?2 AND deleted_at IS NULL";
    INSERT = "INSERT INTO workout_plan ", values!(Plan, haystack);
    SAVE = "UPDATE workout_plan SET ", set!(Plan, haystack),
        " WHERE company_id = ?1 AND plan_id = ?2";
    MOMENTS = "SELECT ", Moment::COLUMNS, " FROM workout_moment WHERE company_id = ?1 \
        AND plan_id = ?2 AND deleted_at IS NULL ORDER BY day_order LIMIT 1000";
    MOMENT_FACTS = "SELECT ", MomentFacts::COLUMNS, " FROM workout_moment WHERE company_id = ?1 \
        AND plan_id = ?2 AND deleted_at IS NULL ORDER BY day_order LIMIT 1000";
    MOMENT = "SELECT ", Moment::COLUMNS, " FROM workout_moment WHERE company_id = ?1 \
        AND plan_id = ?2 AND plan_moment_id = ?3 AND deleted_at IS NULL";
    PLACES = "SELECT plan_moment_id, week_number, day_order, exercise_count FROM workout_moment \
        WHERE company_id = ?1 AND plan_id = ?2 AND deleted_at IS NULL LIMIT 1000";
    INSERT_MOMENT = "INSERT INTO workout_moment ", values!(Moment, exercise_count);
    SAVE_MOMENT = "UPDATE workout_moment SET ", Moment::FACTS, ", exercise_count = ?11 \
        WHERE company_id = ?1 AND plan_id = ?2 AND plan_moment_id = ?3";
    PLACE = "UPDATE workout_moment SET week_number = ?4, day_order = ?5 \
        WHERE company_id = ?1 AND plan_id = ?2 AND plan_moment_id = ?3";
    DELETE_MOMENT = "UPDATE workout_moment SET deleted_at = ?4 \
        WHERE company_id = ?1 AND plan_id = ?2 AND plan_moment_id = ?3";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_follow_the_kind_of_plan() {
        let date = |text: &str| Date::parse(text).unwrap();
        let today = date("2026-11-21");
        let start = |layout, mode, wanted: Option<&str>| {
            checked_start(layout, mode, wanted.map(&date), today)
                .map(|start| start.map(|date| date.to_string()))
        };
        let (week, sequence) = (Layout::CalendarWeek, Layout::Sequence);
        let output = |text: &str| Some(text.to_owned());
        assert_eq!(start(week, Mode::Recurring, None).unwrap(), output("2026-11-16"));
        assert_eq!(start(week, Mode::Recurring, Some("2026-11-23")).unwrap(), output("2026-11-23"));
        assert!(start(week, Mode::Recurring, Some("2026-11-24")).is_err());
        assert_eq!(start(week, Mode::MultiWeek, Some("2026-11-24")).unwrap(), output("2026-11-24"));
        assert_eq!(start(sequence, Mode::MultiWeek, None).unwrap(), output("2026-11-21"));
        assert_eq!(start(sequence, Mode::Recurring, None).unwrap(), None);
        assert!(start(sequence, Mode::Recurring, Some("2026-11-23")).is_err());
        assert!(start(week, Mode::MultiWeek, Some("9999-11-23")).is_err());
    }
}
