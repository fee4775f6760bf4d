//! Calendar tasks: work of a coach at a time, which may block bookings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Payload, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Event, Key, Patch, Problem, Result, Timestamp,
    id::{ClientId, CoachId},
    text::{Name, Text},
};
use spotter_people::{clients::Client, coaches::Coach};
use spotter_store::{List, filters, lists, params, record, set, statements, values};

use crate::{
    booking::{self, AffectedBookings},
    busy::BusySpan,
    days,
    effects::CalendarEffect,
    hours::Span,
    permissions,
    rules::CalendarRule,
    vocabulary::{CalendarTaskId, EventStatus},
};

record! {
    /// A task of a coach.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CalendarTask {
        /// The task's id.
        pub calendar_task_id: CalendarTaskId,
        /// Coach who does it.
        coach_id: CoachId,
        title: String,
        starts_at: Timestamp,
        ends_at: Timestamp,
        /// Whether it blocks bookings with the coach.
        blocks_slots: bool,
        status: EventStatus,
        /// Client that the work is for.
        client_id: Option<ClientId>,
        note: Option<String>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The payload of every task event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CalendarTaskEvent")]
struct TaskEvent {
    calendar_task_id: CalendarTaskId,
    coach_id: CoachId,
    client_id: Option<ClientId>,
    starts_at: Timestamp,
    ends_at: Timestamp,
    blocks_slots: bool,
    status: EventStatus,
    /// Names of the changed fields; absent on creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for TaskEvent {
    const EVENTS: &'static [Event] =
        &[Event::CalendarTaskCreated, Event::CalendarTaskUpdated, Event::CalendarTaskCancelled];
}

/// The longest task, in days.
const DAYS_MAX: i64 = 31;

impl CalendarTask {
    fn find(cx: &mut Read, id: CalendarTaskId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn busy_span(&self) -> BusySpan {
        BusySpan { span: Span::new(self.starts_at, self.ends_at), by: self.calendar_task_id.0 }
    }

    /// Whether it takes its coach's time.
    fn takes_time(&self) -> bool {
        self.blocks_slots && self.status == EventStatus::Scheduled
    }

    fn check(&self, cx: &mut Read) -> Result<()> {
        permissions::check_start(cx, self.starts_at)?;
        if self.ends_at <= self.starts_at {
            return Err(Problem::field(
                Key::DateRangeOrderInvalid,
                "endsAt",
                CalendarRule::NotAfterStart,
            ));
        }
        if self.ends_at > self.starts_at.plus_days(DAYS_MAX) {
            return Err(Problem::field(
                Key::DateRangeTooLarge,
                "endsAt",
                CalendarRule::TooLongAfterStart { days: DAYS_MAX },
            ));
        }
        permissions::check_own_calendar(cx, self.coach_id)?;
        Coach::find(cx, self.coach_id)?;
        match self.client_id {
            Some(client) => Client::find(cx, client).map(drop),
            None => Ok(()),
        }
    }

    fn overlapping(&self, cx: &mut Read) -> Result<AffectedBookings> {
        booking::affected(cx, Some(self.coach_id), None, &[self.busy_span().span])
    }

    fn save(&mut self, cx: &mut Write, before: &Self, event: Event) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("calendar_task", self.calendar_task_id, changed.clone())
        else {
            return Ok(());
        };
        self.updated_at = now;
        if before.takes_time() {
            days::give_back(cx, before.coach_id, before.busy_span())?;
        }
        if self.takes_time() {
            days::take(cx, self.coach_id, self.busy_span())?;
        }
        cx.defer(SAVE, &self.params())?;
        self.publish(cx, event, changed)
    }

    fn publish(&self, cx: &mut Write, event: Event, changed_fields: Vec<String>) -> Result<()> {
        let payload = TaskEvent {
            calendar_task_id: self.calendar_task_id,
            coach_id: self.coach_id,
            client_id: self.client_id,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            blocks_slots: self.blocks_slots,
            status: self.status,
            changed_fields,
        };
        cx.emit(event, &payload).map(drop)
    }
}

listed!(CalendarTasks { calendar_tasks: CalendarTask });

filters! {
    struct Filters {
        /// Tasks of this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Tasks about this client.
        client_id: ClientId => "client_id = ?";
        /// Tasks in this status.
        status: EventStatus => "status = ?";
        /// Tasks that begin at this instant or later.
        from: Timestamp => "starts_at >= ?";
        /// Tasks that begin before this instant.
        to: Timestamp => "starts_at < ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_calendar_tasks(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<CalendarTasks> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(TaskPath { calendar_task_id: CalendarTaskId });

answer!(TaskAnswer { calendar_task: CalendarTask });

answer!(
    /// A task, and the bookings with its coach at that time.
    PlannedAnswer {
        calendar_task: CalendarTask,
        overlapping_bookings: AffectedBookings,
    }
);

fn get_calendar_task(cx: &mut Read, Path(at): Path<TaskPath>) -> Result<TaskAnswer> {
    Ok(TaskAnswer { calendar_task: CalendarTask::find(cx, at.calendar_task_id)? })
}

/// The task to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewCalendarTask")]
pub struct NewTask {
    /// Coach who does it.
    pub coach_id: CoachId,
    /// What is to be done, in a few words.
    pub title: Name<120>,
    /// Instant at which it begins, in UTC.
    pub starts_at: Timestamp,
    /// Its end, at most 31 days after the start.
    pub ends_at: Timestamp,
    /// `true` when absent: it blocks bookings with the coach.
    pub blocks_slots: Option<bool>,
    /// Client that the work is for.
    pub client_id: Option<ClientId>,
    /// Note for staff; clients do not see it.
    pub note: Option<Text<1000>>,
}

fn create_calendar_task(cx: &mut Write, Body(new): Body<NewTask>) -> Result<PlannedAnswer> {
    let task = CalendarTask {
        calendar_task_id: CalendarTaskId(cx.new_id()),
        coach_id: new.coach_id,
        title: new.title.into(),
        starts_at: new.starts_at,
        ends_at: new.ends_at,
        blocks_slots: new.blocks_slots.unwrap_or(true),
        status: EventStatus::Scheduled,
        client_id: new.client_id,
        note: new.note.map(Into::into),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    task.check(cx)?;
    if task.takes_time() {
        days::take(cx, task.coach_id, task.busy_span())?;
    }
    cx.set_audit_target("calendar_task", task.calendar_task_id, ["calendarTask"]);
    cx.defer(INSERT, &task.params())?;
    task.publish(cx, Event::CalendarTaskCreated, Vec::new())?;
    let overlapping_bookings = task.overlapping(cx)?;
    Ok(PlannedAnswer { calendar_task: task, overlapping_bookings })
}

/// The fields of a task to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "CalendarTaskChanges")]
struct TaskChanges {
    coach_id: Change<CoachId>,
    title: Change<Name<120>>,
    starts_at: Change<Timestamp>,
    ends_at: Change<Timestamp>,
    blocks_slots: Change<bool>,
    client_id: Patch<ClientId>,
    note: Patch<Text<1000>>,
}

fn scheduled(cx: &mut Read, id: CalendarTaskId) -> Result<CalendarTask> {
    let task = CalendarTask::find(cx, id)?;
    permissions::check_own_calendar(cx, task.coach_id)?;
    match task.status {
        EventStatus::Scheduled => Ok(task),
        EventStatus::Cancelled => Err(Problem::conflict("status", CalendarRule::Cancelled)),
    }
}

fn update_calendar_task(
    cx: &mut Write,
    Path(at): Path<TaskPath>,
    Body(change): Body<TaskChanges>,
) -> Result<PlannedAnswer> {
    let before = scheduled(cx, at.calendar_task_id)?;
    let mut task = before.clone();
    change.coach_id.apply(&mut task.coach_id);
    change.title.apply(&mut task.title);
    change.starts_at.apply(&mut task.starts_at);
    change.ends_at.apply(&mut task.ends_at);
    change.blocks_slots.apply(&mut task.blocks_slots);
    change.client_id.apply(&mut task.client_id);
    change.note.map(Into::into).apply(&mut task.note);
    task.check(cx)?;
    task.save(cx, &before, Event::CalendarTaskUpdated)?;
    let overlapping_bookings = task.overlapping(cx)?;
    Ok(PlannedAnswer { calendar_task: task, overlapping_bookings })
}

fn cancel_calendar_task(cx: &mut Write, Path(at): Path<TaskPath>) -> Result<TaskAnswer> {
    let before = scheduled(cx, at.calendar_task_id)?;
    let mut task = before.clone();
    task.status = EventStatus::Cancelled;
    cx.describe_effect(|| CalendarEffect::TaskCancelled);
    cx.as_of(before.updated_at);
    task.save(cx, &before, Event::CalendarTaskCancelled)?;
    Ok(TaskAnswer { calendar_task: task })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).tells::<TaskEvent>().operations([
        operation!(GET "/calendar-tasks", CalendarTasksRead, list_calendar_tasks)
            .summary("List calendar tasks")
            .describe("Returns coaches' tasks by start, latest first."),
        operation!(GET "/calendar-tasks/{calendarTaskId}", CalendarTasksRead, get_calendar_task)
            .summary("Get a calendar task")
            .describe("Returns one task with its coach, time and status."),
        operation!(POST "/calendar-tasks", CalendarTasksWrite, create_calendar_task)
            .success(Success::Added)
            .summary("Create a calendar task")
            .describe(
                "Blocks a coach's time for a task. Cancels nothing; returns existing bookings of \
                 that time in `overlappingBookings`.",
            )
            .created()
            .emits(&[Event::CalendarTaskCreated])
            .fails(&[Key::DateRangeOrderInvalid, Key::DateRangeTooLarge, Key::ApiError]),
        operation!(PATCH "/calendar-tasks/{calendarTaskId}", CalendarTasksWrite,
            update_calendar_task)
        .summary("Update a calendar task")
        .describe(
            "Changes the fields that are sent. Cancels nothing; returns existing bookings of \
                 that time in `overlappingBookings`.",
        )
        .emits(&[Event::CalendarTaskUpdated])
        .fails(&[Key::DateRangeOrderInvalid, Key::DateRangeTooLarge, Key::ApiError]),
        operation!(POST "/calendar-tasks/{calendarTaskId}/cancel", CalendarTasksWrite,
            cancel_calendar_task)
        .success(Success::Cancelled)
        .summary("Cancel a calendar task")
        .describe("Frees the coach's time.")
        .emits(&[Event::CalendarTaskCancelled])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}

lists! {
    /// Tasks, the latest start first.
    LIST: List<CalendarTask, Filters> = List::new(
        "calendar_task WHERE company_id = ?1",
        "starts_at DESC, calendar_task_id DESC",
    );
}

statements! {
    FIND = "SELECT ", CalendarTask::COLUMNS, " FROM calendar_task \
        WHERE company_id = ?1 AND calendar_task_id = ?2";
    INSERT = "INSERT INTO calendar_task ", values!(CalendarTask);
    SAVE = "UPDATE calendar_task SET ", set!(CalendarTask),
        " WHERE company_id = ?1 AND calendar_task_id = ?2";
}
