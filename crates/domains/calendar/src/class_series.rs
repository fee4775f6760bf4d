//! Series of recurring classes. Its classes are made ahead, further than bookings
//! of a series are, so that those find them; one without an end is made a day further every day. A class is
//! known by its date in the recurrence, however it is moved.

mod changes;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    ArchivedKind, Area, Body, ListQuery, Path, Read, Remainder, RemainderKind, Success, Timer,
    Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Date, Id, Key, Problem, Result, Timestamp,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::{Name, Text},
};
use spotter_store::{Json, List, filters, lists, params, record, set, statements, values};

use crate::{
    availability::CoachAvailability,
    booking::AffectedBookings,
    classes::{CallingOff, ClassDetails, NewClass, call_off},
    correcting,
    create::goes_on,
    effects::CalendarEffect,
    events::CalendarEvent,
    permissions,
    recurrence::{NewRecurrence, Recurrence},
    rules::CalendarRule,
    series::{
        ClassSeriesStatus, HORIZON_DAYS, OnConflict, SeriesScope, SeriesState, SkippedDate,
        affected_from, check_conflicts,
    },
    vocabulary::{EventSeriesId, EventTemplateId, EventTypeId, Placement},
};
use changes::update_event_series;

/// How far ahead classes without an end are made, in days: a month further than bookings of a series.
const AHEAD_DAYS: i64 = HORIZON_DAYS + 31;

record! {
    /// Classes that repeat weekly.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct EventSeries {
        /// Id of the series.
        pub event_series_id: EventSeriesId,
        event_type_id: EventTypeId,
        event_template_id: Option<EventTemplateId>,
        /// Name of the classes.
        name: String,
        coach_id: CoachId,
        location_id: Option<LocationId>,
        duration_minutes: i64,
        capacity: i64,
        /// Dates of the recurrence and its local time.
        recurrence: Json<Recurrence>,
        /// How conflicts are handled.
        on_conflict: OnConflict,
        /// Dates to come on which no class could be made.
        skipped: Json<Vec<SkippedDate>>,
        /// `active` until it is cancelled, whatever its end.
        status: ClassSeriesStatus,
        /// Date up to which classes are created.
        made_through: Date,
        /// The series that this one continues, after a change from a date on.
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

    fn details(&self) -> ClassDetails {
        ClassDetails {
            event_type_id: self.event_type_id,
            event_template_id: self.event_template_id,
            name: self.name.clone(),
            coach_id: self.coach_id,
            location_id: self.location_id,
            minutes: self.duration_minutes,
            capacity: self.capacity,
        }
    }

    /// Creates classes on dates, and reports the dates that could not be used.
    fn create_classes(
        &self,
        cx: &mut Write,
        dates: impl IntoIterator<Item = Date>,
    ) -> Result<Vec<SkippedDate>> {
        let (details, mut conflicts) = (self.details(), Vec::new());
        for date in dates {
            let starts_at = self.recurrence.0.starts_at(date);
            let series = Some((self.event_series_id, date));
            let made = details.create(cx, starts_at, series, false)?;
            if let Placement::Blocked(reasons) = made {
                conflicts.push(SkippedDate { date, reasons, stays: false });
            }
        }
        Ok(conflicts)
    }

    /// Makes further classes up to the horizon.
    fn extend(&mut self, cx: &mut Write) -> Result<Vec<SkippedDate>> {
        let (dates, through) = self.state().due(cx.now());
        self.made_through = through;
        self.create_classes(cx, dates)
    }

    fn create(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("event_series", self.event_series_id, ["eventSeries"]);
        cx.defer(INSERT, &self.params())
    }

    /// Schedules the daily extension of an endless series, and stops it for others.
    fn keep_extending(&self, cx: &mut Write) -> Result<()> {
        if self.status == ClassSeriesStatus::Active && !self.recurrence.0.has_end() {
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
        status: ClassSeriesStatus => "status = ?";
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

/// The class series to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewEventSeries {
    /// Template; absent fields are taken from it.
    event_template_id: Option<EventTemplateId>,
    /// Event type; required without a template.
    event_type_id: Option<EventTypeId>,
    /// Name of the classes.
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
    let details = ClassDetails::of(
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
    let zone = CoachAvailability::of(cx, details.coach_id)?.time_zone;
    let recurrence = new.recurrence.checked(zone, cx.now())?;
    let mut series = EventSeries {
        event_series_id: EventSeriesId(cx.new_id()),
        event_type_id: details.event_type_id,
        event_template_id: details.event_template_id,
        name: details.name,
        coach_id: details.coach_id,
        location_id: details.location_id,
        duration_minutes: details.minutes,
        capacity: details.capacity,
        made_through: recurrence.start_date.plus_days(-1).unwrap_or(recurrence.start_date),
        recurrence: Json(recurrence),
        on_conflict: new.on_conflict.unwrap_or(OnConflict::Refuse),
        skipped: Json(Vec::new()),
        status: ClassSeriesStatus::Active,
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

/// The series with this id, if it is active.
fn active(cx: &mut Write, at: SeriesPath) -> Result<EventSeries> {
    let series = EventSeries::find(cx, at.event_series_id)?;
    permissions::check_own_calendar(cx, series.coach_id)?;
    if series.status == ClassSeriesStatus::Cancelled {
        return Err(Problem::conflict("status", CalendarRule::CancelledAlready));
    }
    Ok(series)
}

answer!(
    /// A series that was changed.
    ChangedAnswer {
        /// The series.
        event_series: EventSeries,
        /// Other bookings of the participants that overlap with the new times.
        overlapping_bookings: AffectedBookings,
        /// Classes of dates that are gone, which were cancelled.
        cancelled_classes: u64,
        /// The bookings of those classes, which were cancelled with them.
        cancelled_bookings: u64,
    }
);

/// Which classes of a series are cancelled.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventSeriesCancellation {
    /// Scope: one, one and all after it, or all upcoming ones.
    scope: SeriesScope,
    /// Date of the occurrence in the recurrence; absent for `all`.
    occurrence_date: Option<Date>,
    /// Reason; stored with their bookings, not sent to clients.
    reason: Option<Text<500>>,
    /// Sentence to their clients, in the letter that tells them of it.
    message: Option<Text<500>>,
}

fn cancel_event_series(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(cancel): Body<EventSeriesCancellation>,
) -> Result<SeriesAnswer> {
    let before = active(cx, at)?;
    let mut series = before.clone();
    let date = affected_from(&series.recurrence.0, cancel.scope, cancel.occurrence_date)?;
    let from = date.unwrap_or(series.recurrence.0.start_date);
    let why = CallingOff { reason: cancel.reason.as_deref(), message: cancel.message.as_deref() };
    let (mut classes, mut bookings) = (0, 0);
    for mut event in CalendarEvent::of_series(cx, series.event_series_id)? {
        if cancel.scope.means(event.occurrence_date, from) {
            bookings += call_off(cx, &mut event, why)?;
            classes += 1;
        }
    }
    match before.state().left(cancel.scope, from) {
        Some((recurrence, made_through)) => {
            series.recurrence = Json(recurrence);
            series.made_through = made_through;
        }
        None => series.status = ClassSeriesStatus::Cancelled,
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
    let open = before.status == ClassSeriesStatus::Active && !before.recurrence.0.has_end();
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

static EXTEND_EVENT_SERIES: Timer =
    Timer::new("extend_event_series", "Extend a class series by one day", extend_event_series);

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
            .summary("Create a class series")
            .describe(
                "Creates all classes of a series with an end (`untilDate` or `count`), at most 104. A series \
                 without an end is created 123 days ahead, and extended by one day every day. Where a class \
                 cannot be created, `refuse` creates none and lists the dates in `details.conflicts`; `skip` \
                 leaves those dates out.",
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
            .summary("Update a class series")
            .describe(
                "Changes a class and all after it, which become a series of their own (`following`), or all \
                 upcoming classes (`all`). Classes on dates that remain keep their ids and bookings; those on \
                 dates that are dropped are cancelled and counted; classes on new dates are created. Classes \
                 that were changed, moved or cancelled individually are left as they are.",
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

/// Class series that go on with an archived record.
const STAYS: &[Remainder] = &[
    Remainder::new(
        ArchivedKind::Coach,
        RemainderKind::EventSeries,
        |cx, id, most| cx.all(LEFT_OF_COACH, params![id, most]),
        |total| CalendarEffect::SeriesStayWithCoach { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::Location,
        RemainderKind::EventSeries,
        |cx, id, most| cx.all(LEFT_OF_LOCATION, params![id, most]),
        |total| CalendarEffect::SeriesStayAtLocation { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::EventType,
        RemainderKind::EventSeries,
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
