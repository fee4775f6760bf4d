//! Series of classes: what takes place again and again. Its classes are made ahead, further than bookings
//! of a series are, so that those find them; one without an end is made a day further every day. A class is
//! known by its date in the recurrence, however it is moved.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, LeftKind, ListQuery, Path, Read, Remainder, SetAside, Success, Timer, Write,
    answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Id, Key, Patch, Problem, Result, Timestamp,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::{Name, Text},
};
use spotter_store::{Json, List, filters, lists, params, record, set, statements, values};

use crate::{
    availability::CoachAvailability,
    booking::{self, AffectedBookings},
    classes::{NewClass, Plan, altered, call_off, check_coach},
    correcting,
    create::goes_on,
    days,
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::Span,
    permissions,
    recurrence::{NewRecurrence, Recurrence, RecurrenceChanges},
    rules::CalendarRule,
    series::{
        HORIZON_DAYS, OnConflict, SeriesScope, SeriesState, SeriesStatus, SkippedDate,
        affected_from, check_conflicts, check_next, in_moving_order,
    },
    vocabulary::{EventSeriesId, EventTemplateId, EventTypeId, Placement},
};

/// How far ahead classes without an end are made, in days: a month further than bookings of a series.
const AHEAD_DAYS: i64 = HORIZON_DAYS + 31;

record! {
    /// Classes of a recurrence.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct EventSeries {
        /// The series' id.
        pub event_series_id: EventSeriesId,
        event_type_id: EventTypeId,
        event_template_id: Option<EventTemplateId>,
        /// What people call its classes.
        name: String,
        coach_id: CoachId,
        location_id: Option<LocationId>,
        duration_minutes: i64,
        capacity: i64,
        /// Dates of the recurrence and its local time.
        recurrence: Json<Recurrence>,
        /// What was done where a class could not be made.
        on_conflict: OnConflict,
        /// Dates to come on which no class could be made.
        skipped: Json<Vec<SkippedDate>>,
        /// `active` until it is cancelled, whatever its end.
        status: SeriesStatus,
        /// Up to which date its classes are made.
        made_through: Date,
        /// The series whose later part this one was, before it was changed.
        previous_id: Option<EventSeriesId>,
        /// The series that its later part has become.
        next_id: Option<EventSeriesId>,
        /// Version number; increases with every change.
        version: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl EventSeries {
    fn find(cx: &mut Read, id: EventSeriesId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    fn state(&self) -> SeriesState<'_> {
        SeriesState {
            recurrence: &self.recurrence.0,
            skipped: &self.skipped.0,
            made_through: self.made_through,
            ahead_days: AHEAD_DAYS,
        }
    }

    fn plan(&self) -> Plan {
        Plan {
            event_type_id: self.event_type_id,
            event_template_id: self.event_template_id,
            name: self.name.clone(),
            coach_id: self.coach_id,
            location_id: self.location_id,
            minutes: self.duration_minutes,
            capacity: self.capacity,
        }
    }

    /// Makes classes on dates; where none can be, is told.
    fn create_classes(
        &self,
        cx: &mut Write,
        dates: impl IntoIterator<Item = Date>,
    ) -> Result<Vec<SkippedDate>> {
        let (plan, mut conflicts) = (self.plan(), Vec::new());
        for date in dates {
            let starts_at = self.recurrence.0.starts_at(date);
            let series = Some((self.event_series_id, date));
            let made = plan.create(cx, starts_at, series, false)?;
            if let Placement::Blocked(reasons) = made {
                conflicts.push(SkippedDate { date, reasons, stays: false });
            }
        }
        Ok(conflicts)
    }

    /// Makes the classes after those that are made, up to where it reaches now.
    fn extend(&mut self, cx: &mut Write) -> Result<Vec<SkippedDate>> {
        let (dates, through) = self.state().due(cx.now());
        self.made_through = through;
        self.create_classes(cx, dates)
    }

    fn create(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("event_series", self.event_series_id, ["eventSeries"]);
        cx.defer(INSERT, &self.params())
    }

    /// Sees to it that what has no end is made further every day, and what has one, or is over, is not.
    fn keep_extending(&self, cx: &mut Write) -> Result<()> {
        if self.status == SeriesStatus::Active && !self.recurrence.0.has_end() {
            let tomorrow = cx.now().plus_days(1);
            return cx.set_timer(&EXTEND_EVENT_SERIES, self.event_series_id, tomorrow);
        }
        cx.clear_timer(&EXTEND_EVENT_SERIES, self.event_series_id)
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("event_series", self.event_series_id, changed) else {
            return Ok(());
        };
        self.updated_at = now;
        self.version = before.version + 1;
        cx.defer(SAVE, &self.params())
    }
}

listed!(EventSeriesList { event_series: EventSeries });

filters! {
    struct Filters {
        /// Series of this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Series in this status.
        status: SeriesStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_event_series(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<EventSeriesList> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(SeriesPath { event_series_id: EventSeriesId });

answer!(SeriesAnswer { event_series: EventSeries });

fn get_event_series(cx: &mut Read, Path(at): Path<SeriesPath>) -> Result<SeriesAnswer> {
    Ok(SeriesAnswer { event_series: EventSeries::find(cx, at.event_series_id)? })
}

/// New classes of a recurrence.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewEventSeries {
    /// What its classes are made of; what is absent here is as it says.
    event_template_id: Option<EventTemplateId>,
    /// What they are; required without a template.
    event_type_id: Option<EventTypeId>,
    /// What people call them.
    name: Option<Name<120>>,
    coach_id: Option<CoachId>,
    location_id: Option<LocationId>,
    /// Duration in minutes, 5 to 1,440.
    duration_minutes: Option<BoundedInteger<5, 1_440>>,
    /// Seats, 1 to 1,000.
    capacity: Option<BoundedInteger<1, 1_000>>,
    /// Dates of the recurrence and its local time.
    recurrence: NewRecurrence,
    /// `refuse` when absent.
    on_conflict: Option<OnConflict>,
}

fn create_event_series(cx: &mut Write, Body(new): Body<NewEventSeries>) -> Result<SeriesAnswer> {
    let plan = Plan::of(
        cx,
        NewClass {
            event_template_id: new.event_template_id,
            event_type_id: new.event_type_id,
            name: new.name,
            coach_id: new.coach_id,
            location_id: new.location_id,
            starts_at: cx.now(),
            duration_minutes: new.duration_minutes,
            capacity: new.capacity,
            ignore_policy: false,
        },
    )?;
    let zone = CoachAvailability::of(cx, plan.coach_id)?.time_zone;
    let recurrence = new.recurrence.checked(zone, cx.now())?;
    let mut series = EventSeries {
        event_series_id: EventSeriesId(cx.new_id()),
        event_type_id: plan.event_type_id,
        event_template_id: plan.event_template_id,
        name: plan.name,
        coach_id: plan.coach_id,
        location_id: plan.location_id,
        duration_minutes: plan.minutes,
        capacity: plan.capacity,
        made_through: recurrence.start_date.plus_days(-1).unwrap_or(recurrence.start_date),
        recurrence: Json(recurrence),
        on_conflict: new.on_conflict.unwrap_or(OnConflict::Refuse),
        skipped: Json(Vec::new()),
        status: SeriesStatus::Active,
        previous_id: None,
        next_id: None,
        version: 1,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    let conflicts = series.extend(cx)?;
    check_conflicts(series.on_conflict, &conflicts)?;
    series.skipped = Json(conflicts);
    series.create(cx)?;
    series.keep_extending(cx)?;
    Ok(SeriesAnswer { event_series: series })
}

/// What changes of which classes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventSeriesChanges {
    /// One and all after it, or all that are to come; one alone is changed as a calendar event.
    scope: SeriesScope,
    /// Date of the occurrence in the recurrence; absent for `all`.
    occurrence_date: Option<Date>,
    /// Dates of the recurrence and its local time.
    #[serde(default)]
    recurrence: RecurrenceChanges,
    #[serde(default)]
    name: Change<Name<120>>,
    #[serde(default)]
    coach_id: Change<CoachId>,
    #[serde(default)]
    location_id: Patch<LocationId>,
    #[serde(default)]
    duration_minutes: Change<BoundedInteger<5, 1_440>>,
    /// More seats go to those who wait; fewer take nobody's.
    #[serde(default)]
    capacity: Change<BoundedInteger<1, 1_000>>,
    /// What to do now where a class cannot be made, or moved: refuse the change, or leave new dates out and
    /// old classes where they are; `refuse` when absent.
    on_conflict: Option<OnConflict>,
}

/// The series with this id, while it goes on.
fn active(cx: &mut Write, at: SeriesPath) -> Result<EventSeries> {
    let series = EventSeries::find(cx, at.event_series_id)?;
    permissions::check_own_calendar(cx, series.coach_id)?;
    if series.status == SeriesStatus::Cancelled {
        return Err(Problem::conflict("status", CalendarRule::CancelledAlready));
    }
    Ok(series)
}

fn update_event_series(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(change): Body<EventSeriesChanges>,
) -> Result<ChangedAnswer> {
    if change.scope == SeriesScope::This {
        return Err(Problem::invalid("scope", CalendarRule::OneClassOfSeries));
    }
    let mut before = active(cx, at)?;
    let (scope, date) = (change.scope, change.occurrence_date);
    let turn = before.state().plan_change(scope, date, change.recurrence, cx.now())?;
    let (from, mut next) = (turn.from, before.clone());
    change.name.apply(&mut next.name);
    change.coach_id.apply(&mut next.coach_id);
    change.location_id.apply(&mut next.location_id);
    change.duration_minutes.apply(&mut next.duration_minutes);
    change.capacity.apply(&mut next.capacity);
    let on_conflict = change.on_conflict.unwrap_or(OnConflict::Refuse);
    let after = match before.next_id {
        Some(id) => Some(EventSeries::find(cx, id)?),
        None => None,
    };
    let after = after.filter(|after| after.status == SeriesStatus::Active);
    let begins = after.map(|after| after.recurrence.0.start_date);
    check_next(&turn.recurrence, turn.through, begins)?;
    if next.coach_id != before.coach_id {
        check_coach(cx, next.coach_id)?;
    }
    if turn.splits {
        next.event_series_id = EventSeriesId(cx.new_id());
        next.previous_id = Some(before.event_series_id);
    }
    next.recurrence = Json(turn.recurrence);
    next.made_through = turn.through;
    let carried = carry_over(cx, &before, &next, from, &turn.diff.gone)?;
    let mut conflicts = carried.conflicts;
    conflicts.extend(next.create_classes(cx, turn.diff.added)?);
    conflicts.sort_unstable_by_key(|skipped| skipped.date);
    check_conflicts(on_conflict, &conflicts)?;
    next.skipped = Json(conflicts);
    if turn.splits {
        let was = before.clone();
        let (recurrence, skipped, made_through) = was.state().before(from);
        (before.recurrence, before.skipped) = (Json(recurrence), Json(skipped));
        before.made_through = made_through;
        before.next_id = Some(next.event_series_id);
        before.keep_extending(cx)?;
        before.save(cx, &was)?;
        (next.version, next.created_at, next.updated_at) = (1, cx.now(), cx.now());
        next.create(cx)?;
    } else {
        next.save(cx, &before)?;
    }
    next.keep_extending(cx)?;
    let overlapping_bookings = booking::elsewhere(cx, &carried.moved)?;
    let (cancelled_classes, cancelled_bookings) =
        (carried.cancelled_classes, carried.cancelled_bookings);
    cx.describe_count(cancelled_classes, || CalendarEffect::ClassesCancelled {
        classes: cancelled_classes,
        bookings: cancelled_bookings,
    });
    Ok(ChangedAnswer {
        event_series: next,
        overlapping_bookings,
        cancelled_classes,
        cancelled_bookings,
    })
}

answer!(
    /// A series that was changed.
    ChangedAnswer {
        /// The series.
        event_series: EventSeries,
        /// What clients of its classes have booked besides at the times to which those were moved.
        overlapping_bookings: AffectedBookings,
        /// Classes of dates that are gone, which were cancelled.
        cancelled_classes: u64,
        /// The bookings of those classes, which were cancelled with them.
        cancelled_bookings: u64,
    }
);

/// What became of a series' classes when it was changed.
#[derive(Default)]
struct SeriesUpdate {
    /// Dates whose class could not be moved and stays where it is.
    conflicts: Vec<SkippedDate>,
    /// Classes that were moved.
    moved: Vec<CalendarEvent>,
    cancelled_classes: u64,
    cancelled_bookings: u64,
}

/// Takes the classes from a date on over into what the series becomes: those whose date is gone are cancelled, but for
/// exceptions, which stay as somebody has made them; the others are changed.
fn carry_over(
    cx: &mut Write,
    series: &EventSeries,
    next: &EventSeries,
    from: Date,
    gone: &BTreeSet<Date>,
) -> Result<SeriesUpdate> {
    let events = CalendarEvent::of_series(cx, series.event_series_id)?;
    let starts = events.iter().map(|event| (event.coach_id, event.starts_at));
    days::hold(cx, starts, next.coach_id)?;
    let (mut kept, mut carried) = (Vec::new(), SeriesUpdate::default());
    for mut event in events {
        match event.occurrence_date {
            Some(date) if date < from => {}
            Some(date) if !gone.contains(&date) || event.is_exception => kept.push((date, event)),
            _ => {
                carried.cancelled_bookings += call_off(cx, &mut event, None)?;
                carried.cancelled_classes += 1;
            }
        }
    }
    let kept = in_moving_order(kept, |date, event: &CalendarEvent| {
        next.recurrence.0.starts_at(*date) > event.starts_at && !event.is_exception
    });
    for (date, was) in kept {
        let mut event = was.clone();
        event.event_series_id = Some(next.event_series_id);
        if !was.is_exception {
            event.starts_at = next.recurrence.0.starts_at(date);
            event.ends_at = Span::from_minutes(event.starts_at, next.duration_minutes).end;
            event.name.clone_from(&next.name);
            event.capacity = next.capacity;
            event.coach_id = next.coach_id;
            event.location_id = next.location_id;
        }
        if event == was {
            continue;
        }
        match altered(cx, &was, event, false)? {
            Placement::Placed(event) if event.moves > was.moves => carried.moved.push(event),
            Placement::Placed(_) => {}
            Placement::Blocked(reasons) => {
                let mut stays = was.clone();
                stays.event_series_id = Some(next.event_series_id);
                stays.is_exception = true;
                altered(cx, &was, stays, true)?;
                carried.conflicts.push(SkippedDate { date, reasons, stays: true });
            }
        }
    }
    Ok(carried)
}

/// Which classes do not take place.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CancelEventSeries {
    /// One, one and all after it, or all that are to come.
    scope: SeriesScope,
    /// Date of the occurrence in the recurrence; absent for `all`.
    occurrence_date: Option<Date>,
    /// Why; kept with their bookings, and not told.
    reason: Option<Text<500>>,
}

fn cancel_event_series(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(cancel): Body<CancelEventSeries>,
) -> Result<SeriesAnswer> {
    let before = active(cx, at)?;
    let mut series = before.clone();
    let date = affected_from(&series.recurrence.0, cancel.scope, cancel.occurrence_date)?;
    let from = date.unwrap_or(series.recurrence.0.start_date);
    let reason: Option<String> = cancel.reason.map(Into::into);
    let (mut classes, mut bookings) = (0, 0);
    for mut event in CalendarEvent::of_series(cx, series.event_series_id)? {
        if cancel.scope.means(event.occurrence_date, from) {
            bookings += call_off(cx, &mut event, reason.clone())?;
            classes += 1;
        }
    }
    match before.state().left(cancel.scope, from) {
        Some((recurrence, made_through)) => {
            series.recurrence = Json(recurrence);
            series.made_through = made_through;
        }
        None => series.status = SeriesStatus::Cancelled,
    }
    series.keep_extending(cx)?;
    cx.describe_count(classes, || CalendarEffect::ClassesCalledOff { classes, bookings });
    cx.as_of(before.updated_at);
    series.save(cx, &before)?;
    Ok(SeriesAnswer { event_series: series })
}

/// Makes the classes of a series without an end a day further; what cannot be made is left out.
fn extend_event_series(cx: &mut Write, id: Id) -> Result<()> {
    let before = EventSeries::find(cx, EventSeriesId(id))?;
    let open = before.status == SeriesStatus::Active && !before.recurrence.0.has_end();
    if open && goes_on(cx, before.event_type_id, before.coach_id, before.location_id)? {
        let mut series = before.clone();
        let conflicts = series.extend(cx)?;
        let today = series.recurrence.0.time_zone.date_at(cx.now());
        series.skipped.0.extend(conflicts);
        series.skipped.0.retain(|skipped| skipped.date >= today);
        series.save(cx, &before)?;
    }
    before.keep_extending(cx)
}

static EXTEND_EVENT_SERIES: Timer = Timer::new(
    "extend_event_series",
    "Make the classes of a series a day further",
    extend_event_series,
);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).stays(STAYS).timers(&[&EXTEND_EVENT_SERIES]).operations([
        operation!(app GET "/calendar/event-series", Coach, list_event_series)
            .summary("List series of classes")
            .describe("Returns series of classes."),
        operation!(app GET "/calendar/event-series/{eventSeriesId}", Coach, get_event_series)
            .summary("Get a series of classes")
            .describe(
                "Returns one series with its recurrence and the dates that could not be created.",
            ),
        operation!(app POST "/calendar/event-series", Coach, create_event_series)
            .success(Success::Added)
            .summary("Make classes again and again")
            .describe(
                "A series with an end (`untilDate` or `count`) is made whole, at most 104 classes; one \
                 without is made 123 days ahead, and a day further every day. Where a class cannot be \
                 made, `refuse` lists the dates in `details.conflicts` and makes none; `skip` leaves \
                 them out.",
            )
            .created()
            .fails(&[
                Key::CoachRequired,
                Key::AvailabilitySlotNotBookable,
                Key::DateRangeOrderInvalid,
                Key::DateRangeTooLarge,
                Key::ApiError,
                Key::CompanyNotFound,
            ]),
        operation!(app PATCH "/calendar/event-series/{eventSeriesId}", Coach, update_event_series)
            .summary("Change a series of classes, or a part of it")
            .describe(
                "`following` makes a series of its own of one and all after it, `all` changes what is \
                 to come. Classes of dates that stay keep their ids and take their bookings along, those \
                 of dates that are gone are cancelled and counted, new ones made; what was changed, moved or cancelled \
                 by itself stays so, on dates that are gone as well.",
            )
            .emits(correcting![BookingCancelled, BookingRequestRejected])
            .always(&[])
            .fails(&[
                Key::AvailabilitySlotNotBookable,
                Key::DateRangeOrderInvalid,
                Key::DateRangeTooLarge,
                Key::ApiError,
                Key::CompanyNotFound,
            ]),
        operation!(app POST "/calendar/event-series/{eventSeriesId}/cancel", Coach,
            cancel_event_series)
        .success(Success::Cancelled)
        .summary("Cancel a series of classes")
        .describe(
                "Cancels one class of a series, one and all following, or all to come. Their \
                 bookings are cancelled as early cancellations by the company.",
            )
        .emits(correcting![BookingCancelled, BookingRequestRejected])
        .always(&[])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}

lists! {
    /// Series of classes, newest first.
    LIST: List<EventSeries, Filters> = List::new(
        "event_series WHERE company_id = ?1",
        "event_series_id DESC",
    );
}

/// The series of classes that go on with what is set aside.
const STAYS: &[Remainder] = &[
    Remainder::new(
        SetAside::Coach,
        LeftKind::EventSeries,
        |cx, id, most| cx.all(LEFT_OF_COACH, params![id, most]),
        |total| CalendarEffect::SeriesStayWithCoach { total }.into(),
    ),
    Remainder::new(
        SetAside::Location,
        LeftKind::EventSeries,
        |cx, id, most| cx.all(LEFT_OF_LOCATION, params![id, most]),
        |total| CalendarEffect::SeriesStayAtLocation { total }.into(),
    ),
    Remainder::new(
        SetAside::EventType,
        LeftKind::EventSeries,
        |cx, id, most| cx.all(LEFT_OF_TYPE, params![id, most]),
        |total| CalendarEffect::SeriesOfTypeStay { total }.into(),
    ),
];

/// Records that erasure keeps, and why.
const LEFT: &str = " FROM event_series WHERE company_id = ?1 AND status = 'active' AND ";

statements! {
    LEFT_OF_COACH = "SELECT event_series_id, (SELECT COUNT(*)", LEFT, "coach_id = ?2)", LEFT,
        "coach_id = ?2 ORDER BY event_series_id LIMIT ?3";
    LEFT_OF_LOCATION = "SELECT event_series_id, (SELECT COUNT(*)", LEFT, "location_id = ?2)", LEFT,
        "location_id = ?2 ORDER BY event_series_id LIMIT ?3";
    LEFT_OF_TYPE = "SELECT event_series_id, (SELECT COUNT(*)", LEFT, "event_type_id = ?2)", LEFT,
        "event_type_id = ?2 ORDER BY event_series_id LIMIT ?3";
    FIND = "SELECT ", EventSeries::COLUMNS, " FROM event_series \
        WHERE company_id = ?1 AND event_series_id = ?2";
    INSERT = "INSERT INTO event_series ", values!(EventSeries);
    SAVE = "UPDATE event_series SET ", set!(EventSeries),
        " WHERE company_id = ?1 AND event_series_id = ?2";
}
