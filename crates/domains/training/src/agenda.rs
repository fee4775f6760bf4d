//! The agenda: a plan's days with their status, planned, moved, begun, done or missed; and the API form of a
//! schedule.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Read};
use spotter_kernel::{Date, Problem, Result, Timestamp, id::ClientId, id_type, text::WallTime};
use spotter_store::{params, record, statements, stored_ids, words};

use super::{
    plan::{MomentFacts, MomentId, Plan, PlanId, PlanStatus, slots},
    schedule::{Calendar, Occurrence, Slot},
    session::{SessionId, SessionStatus},
    vocabulary::{Layout, Mode, ReleasePolicy},
};
use crate::rules::TrainingRule;

id_type!(
    /// A move of an occurrence to another date.
    MoveId,
    RequestInvalid
);
stored_ids!(MoveId);

/// The schedule of a programme by week.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProgrammeSchedule {
    mode: Mode,
    release_policy: ReleasePolicy,
    /// YYYY-MM-DD; empty for templates and for recurring sequences.
    #[schemars(regex(pattern = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$"))]
    start_date: String,
    /// The IANA time zone of the dates.
    time_zone: String,
    #[schemars(range(min = 0))]
    total_weeks: i64,
    layout: Layout,
    /// The weeks of a plan on the calendar; a sequence has no weekdays.
    #[serde(skip_serializing_if = "Option::is_none")]
    weeks: Option<Vec<ScheduleWeek>>,
}

/// A week of a schedule.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScheduleWeek {
    #[schemars(range(min = 1))]
    week_number: i64,
    days: Vec<ScheduleDay>,
}

/// A weekday of a schedule.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScheduleDay {
    /// ISO weekday, 1 = Monday.
    #[schemars(range(min = 1, max = 7))]
    weekday: i64,
    is_rest_day: bool,
    /// The day lies before the plan's start and is not scheduled.
    is_before_start: bool,
    items: Vec<ScheduleItem>,
}

words! {
    /// The type of an item.
    pub(super) enum ItemType { Workout = "workout" }
}

words! {
    /// Where an item comes from.
    pub(super) enum ItemSource { Programme = "programme" }
}

words! {
    /// The status of an item. `locked` is not released to the client yet.
    pub(super) enum ItemStatus {
        Upcoming = "upcoming", Today = "today", Missed = "missed", Locked = "locked",
        InProgress = "in_progress", Completed = "completed",
    }
}

words! {
    /// The change of an occurrence.
    pub(super) enum Adjustment { Moved = "moved" }
}

/// How a client's occurrence of a planned workout was changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClientAdjustment {
    action: Adjustment,
    occurrence_date: Date,
    scheduled_date: Date,
    changed_at: Option<Timestamp>,
}

/// A workout of a schedule. Dates and status are `null` where the programme has none.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScheduleItem {
    #[serde(rename = "_id")]
    id: MomentId,
    r#type: ItemType,
    /// Position among the items of its day, from 1.
    #[schemars(range(min = 1))]
    order: i64,
    plan_moment_id: MomentId,
    name: String,
    /// Wall-clock time HH:MM, or empty.
    #[schemars(regex(pattern = r"^(([01][0-9]|2[0-3]):[0-5][0-9])?$"))]
    start_time: String,
    planned_duration_minutes: Option<i64>,
    status: Option<ItemStatus>,
    planned_date: Option<Date>,
    scheduled_date: Option<Date>,
    source: ItemSource,
    client_adjustment: Option<ClientAdjustment>,
    /// Whether the client may take the move back.
    can_client_restore: bool,
}

/// A planned workout on a client's calendar.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ScheduledWorkout")]
pub(super) struct CalendarItem {
    plan_id: PlanId,
    plan_name: String,
    /// The week of the plan that the day is in.
    week_number: i64,
    /// The instant of the start time on the scheduled date; null without a start time.
    starts_at: Option<Timestamp>,
    /// The move, by which it can be undone.
    move_id: Option<MoveId>,
    /// The session that was begun for it.
    session_id: Option<SessionId>,
    #[serde(flatten)]
    item: ScheduleItem,
}

impl CalendarItem {
    /// The date that it is due on.
    pub fn scheduled(&self) -> Option<Date> {
        self.item.scheduled_date
    }

    pub fn set_order(&mut self, order: i64) {
        self.item.order = order;
    }

    /// By day, then by start time, those without one last.
    pub fn sort_key(&self) -> impl Ord + use<> {
        let ScheduleItem { id, scheduled_date, start_time, .. } = &self.item;
        (*scheduled_date, start_time.is_empty(), start_time.clone(), *id)
    }
}

/// The length of a programme; deleting a week does not change it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlanDuration")]
pub(super) struct Duration {
    start_date: Option<Date>,
    end_date: Option<Date>,
    has_end_date: bool,
}

impl Duration {
    pub fn of(plan: &Plan) -> Self {
        let Plan { start_date, end_date, .. } = *plan;
        Self { start_date, end_date, has_end_date: end_date.is_some() }
    }
}

record! {
    /// A move: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub(super) struct Move {
        pub move_id: MoveId,
        pub plan_id: PlanId,
        pub plan_moment_id: MomentId,
        pub occurrence_date: Date,
        pub scheduled_date: Date,
        pub changed_at: Timestamp,
    }
}

record! {
    /// A session of a plan, as far as the calendar is concerned.
    #[derive(Debug, Clone)]
    struct PlanSession {
        session_id: SessionId,
        plan_moment_id: MomentId,
        occurrence_date: Option<Date>,
        status: SessionStatus,
    }
}

/// A plan with its days and their status.
pub(super) struct Agenda<'p> {
    pub plan: &'p Plan,
    pub calendar: Calendar,
    days: Vec<MomentFacts>,
    slots: Vec<Slot>,
    pub moves: Vec<Move>,
    /// By day, and on recurring plans by date.
    done: HashMap<(MomentId, Option<Date>), PlanSession>,
    now: Timestamp,
    today: Date,
}

impl<'p> Agenda<'p> {
    /// Reads a plan's days alone.
    pub fn planned(cx: &mut Read, plan: &'p Plan) -> Result<Self> {
        let days = plan.moment_facts(cx)?;
        let (now, today) = (cx.now(), plan.time_zone.date_at(cx.now()));
        let (slots, calendar) = (slots(&days), plan.calendar());
        let (moves, done) = (Vec::new(), HashMap::new());
        Ok(Self { plan, calendar, days, slots, moves, done, now, today })
    }

    /// Reads a plan's days and their status.
    pub fn of(cx: &mut Read, plan: &'p Plan) -> Result<Self> {
        let mut agenda = Self::planned(cx, plan)?;
        if let Some(client) = plan.client_id {
            agenda.moves = cx.all(MOVES, params![client, plan.plan_id])?;
            let sessions: Vec<PlanSession> = cx.all(SESSIONS, params![client, plan.plan_id])?;
            for session in sessions {
                let key = key(plan.mode, session.plan_moment_id, session.occurrence_date);
                let known = agenda.done.entry(key).or_insert_with(|| session.clone());
                if session.status == SessionStatus::Completed {
                    *known = session;
                }
            }
        }
        Ok(agenda)
    }

    /// The schedule with every week of the plan.
    pub fn schedule(&self) -> ProgrammeSchedule {
        let plan = self.plan;
        let on_calendar = plan.layout == Layout::CalendarWeek;
        ProgrammeSchedule {
            mode: plan.mode,
            release_policy: plan.release_policy,
            start_date: plan.start_date.map(|date| date.to_string()).unwrap_or_default(),
            time_zone: plan.time_zone.name().to_owned(),
            total_weeks: plan.total_weeks,
            layout: plan.layout,
            weeks: on_calendar
                .then(|| (1..=plan.total_weeks).map(|week| self.week(week)).collect()),
        }
    }

    fn week(&self, week_number: i64) -> ScheduleWeek {
        let day = |weekday| {
            let due = self.slots.iter().zip(&self.days);
            let due =
                due.filter(|(slot, _)| (slot.week, slot.weekday) == (week_number, Some(weekday)));
            let item = |(order, (slot, day)): (i64, (&Slot, &MomentFacts))| {
                let date = self.calendar.date_of(slot, week_number);
                let planned = date.filter(|_| self.plan.mode == Mode::MultiWeek);
                let occurrence =
                    planned.map(|date| Occurrence { id: slot.id, nth_week: week_number, date });
                ScheduleItem { order, ..self.item(day, occurrence.as_ref()) }
            };
            let items: Vec<_> = (1..).zip(due).map(item).collect();
            let is_before_start = self.calendar.is_before_start(week_number, weekday);
            ScheduleDay { weekday, is_rest_day: items.is_empty(), is_before_start, items }
        };
        ScheduleWeek { week_number, days: (1..=7).map(day).collect() }
    }

    fn item(&self, day: &MomentFacts, occurrence: Option<&Occurrence>) -> ScheduleItem {
        let moved = occurrence.and_then(|occurrence| self.moved(occurrence));
        let planned_date = occurrence.map(|occurrence| occurrence.date);
        let scheduled_date = moved.map(|moved| moved.scheduled_date).or(planned_date);
        let status =
            occurrence.zip(scheduled_date).map(|(occurrence, date)| self.status(occurrence, date));
        let begun = matches!(status, Some(ItemStatus::Completed | ItemStatus::InProgress));
        ScheduleItem {
            id: day.plan_moment_id,
            r#type: ItemType::Workout,
            order: 1,
            plan_moment_id: day.plan_moment_id,
            name: day.name.clone(),
            start_time: day.start_time.clone().unwrap_or_default(),
            planned_duration_minutes: day.planned_duration_minutes,
            status,
            planned_date,
            scheduled_date,
            source: ItemSource::Programme,
            client_adjustment: moved.map(|moved| ClientAdjustment {
                action: Adjustment::Moved,
                occurrence_date: moved.occurrence_date,
                scheduled_date: moved.scheduled_date,
                changed_at: Some(moved.changed_at),
            }),
            can_client_restore: moved
                .is_some_and(|moved| !begun && moved.occurrence_date >= self.today),
        }
    }

    fn moved(&self, occurrence: &Occurrence) -> Option<&Move> {
        let of = |moved: &&Move| {
            moved.plan_moment_id == occurrence.id && moved.occurrence_date == occurrence.date
        };
        self.moves.iter().find(of)
    }

    fn session(&self, occurrence: &Occurrence) -> Option<&PlanSession> {
        self.done.get(&key(self.plan.mode, occurrence.id, Some(occurrence.date)))
    }

    fn status(&self, occurrence: &Occurrence, scheduled: Date) -> ItemStatus {
        match self.session(occurrence).map(|session| session.status) {
            Some(SessionStatus::Completed) => ItemStatus::Completed,
            Some(SessionStatus::InProgress) => ItemStatus::InProgress,
            None if !self.calendar.is_released(occurrence.nth_week, self.now) => ItemStatus::Locked,
            None if scheduled == self.today => ItemStatus::Today,
            None if scheduled < self.today => ItemStatus::Missed,
            None => ItemStatus::Upcoming,
        }
    }

    /// The day with this id.
    pub fn day(&self, id: MomentId) -> Option<&MomentFacts> {
        self.days.iter().find(|day| day.plan_moment_id == id)
    }

    /// Refuses a client what is not released to them yet; staff may do it.
    pub fn check_released(&self, cx: &Read, occurrence: &Occurrence) -> Result<()> {
        let by_client = matches!(cx.caller().actor, Actor::Client { .. });
        if by_client && !self.calendar.is_released(occurrence.nth_week, self.now) {
            return Err(Problem::conflict("occurrenceDate", TrainingRule::WeekNotReleased));
        }
        Ok(())
    }

    /// Whether a session was begun for an occurrence.
    pub fn is_begun(&self, occurrence: &Occurrence) -> bool {
        self.session(occurrence).is_some()
    }

    /// The occurrence of a day on a date, if it is due then.
    pub fn occurrence(&self, id: MomentId, date: Date) -> Option<Occurrence> {
        let slot: Vec<_> = self.slots.iter().filter(|slot| slot.id == id).cloned().collect();
        self.calendar.between(&slot, date, date).pop()
    }

    /// The one date of a day in a plan that ends.
    pub fn only_date(&self, id: MomentId) -> Option<Date> {
        let slot = self.slots.iter().find(|slot| slot.id == id)?;
        let ends = self.plan.mode == Mode::MultiWeek;
        ends.then(|| self.calendar.date_of(slot, slot.week)).flatten()
    }

    /// What is due between two dates, inclusive, after moves; includes what was moved there. Nothing is due of a
    /// completed plan any more, so only what was begun or done.
    pub fn between(&self, from: Date, to: Date) -> Vec<CalendarItem> {
        let mut due = self.calendar.between(&self.slots, from, to);
        let elsewhere =
            self.moves.iter().filter(|moved| !(from..=to).contains(&moved.occurrence_date));
        due.extend(
            elsewhere
                .filter_map(|moved| self.occurrence(moved.plan_moment_id, moved.occurrence_date)),
        );
        let items = due.iter().filter_map(|occurrence| self.calendar_item(occurrence));
        let over = self.plan.status == PlanStatus::Completed;
        items
            .filter(|item| !over || item.session_id.is_some())
            .filter(|item| item.scheduled().is_some_and(|date| (from..=to).contains(&date)))
            .collect()
    }

    /// An occurrence as an item of the calendar.
    pub fn calendar_item(&self, occurrence: &Occurrence) -> Option<CalendarItem> {
        let day = self.day(occurrence.id)?;
        let item = self.item(day, Some(occurrence));
        let time = WallTime::parse(&item.start_time);
        let starts_at = time.zip(item.scheduled_date);
        Some(CalendarItem {
            plan_id: self.plan.plan_id,
            plan_name: self.plan.name.clone(),
            week_number: day.week_number,
            starts_at: starts_at.map(|(time, date)| date.at(&time, &self.calendar.zone)),
            move_id: self.moved(occurrence).map(|moved| moved.move_id),
            session_id: self.session(occurrence).map(|session| session.session_id),
            item,
        })
    }
}

/// A day of a plan that ends is done once, whatever its date has become; of a recurring one, each
/// date by itself.
fn key(mode: Mode, id: MomentId, date: Option<Date>) -> (MomentId, Option<Date>) {
    (id, date.filter(|_| mode == Mode::Recurring))
}

/// Most moves of one plan.
pub(super) const MOVES_MAX: usize = 1_000;

/// The client's move with this id.
pub(super) fn find_move(cx: &mut Read, client: ClientId, id: MoveId) -> Result<Option<Move>> {
    cx.one(MOVE, params![client, id])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    MOVES = "SELECT ", Move::COLUMNS, " FROM workout_move WHERE company_id = ?1 AND client_id = ?2 \
        AND plan_id = ?3 ORDER BY occurrence_date LIMIT 1000";
    MOVE = "SELECT ", Move::COLUMNS, " FROM workout_move \
        WHERE company_id = ?1 AND client_id = ?2 AND move_id = ?3";
    SESSIONS = "SELECT ", PlanSession::COLUMNS, " FROM workout_session WHERE company_id = ?1 \
        AND client_id = ?2 AND plan_id = ?3 ORDER BY session_id DESC LIMIT 2000";
}
