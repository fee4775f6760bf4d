//! Calendar events: what takes place, from when until when, with how many seats.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    ArchivedKind, Area, ListQuery, Path, Read, Remainder, RemainderKind, Write, answer, listed,
    operation, path,
};
use spotter_kernel::{
    Date, Key, Result, TimeZone, Timestamp,
    id::{CoachId, LocationId},
};
use spotter_store::{List, filters, lists, params, record, set, statements, values};

use crate::{
    busy::BusySpan,
    days,
    effects::CalendarEffect,
    hours::{Span, with_offset},
    metrics, permissions,
    seat_holds::SeatHold,
    vocabulary::{
        Buffers, CalendarEventId, EventKind, EventSeriesId, EventStatus, EventTemplateId,
        EventTypeId,
    },
};

record! {
    /// Something that takes place.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CalendarEvent {
        /// The event's id.
        pub calendar_event_id: CalendarEventId,
        /// Kind: an appointment, or a class with seats.
        pub kind: EventKind,
        /// Kind of appointment or class, one of `GET /event-types`.
        pub event_type_id: EventTypeId,
        /// The template that it was made of.
        pub event_template_id: Option<EventTemplateId>,
        /// Display name.
        pub name: String,
        /// Coach who leads it.
        pub coach_id: CoachId,
        /// Location, if any.
        pub location_id: Option<LocationId>,
        /// Instant at which it begins, in UTC.
        pub starts_at: Timestamp,
        /// Instant at which it is over, in UTC.
        pub ends_at: Timestamp,
        /// IANA zone of the place where it is held.
        pub time_zone: TimeZone,
        /// Number of seats.
        pub capacity: i64,
        /// Number of seats that are booked, offered or held for requests.
        pub seats_taken: i64,
        /// Number of bookings on the waiting list.
        pub waitlisted: i64,
        /// The last place in the line that was given.
        #[serde(skip)]
        pub last_position: i64,
        /// Whether it takes place.
        pub status: EventStatus,
        /// Series that made it; absent for a single one.
        pub event_series_id: Option<EventSeriesId>,
        /// Original date in the series, which does not change when it is moved.
        pub occurrence_date: Option<Date>,
        /// Whether it differs from its series.
        pub is_exception: bool,
        /// Minutes that its coach needs before it.
        #[serde(skip)]
        pub before_minutes: i64,
        /// Minutes that its coach needs after it.
        #[serde(skip)]
        pub after_minutes: i64,
        /// How often it was moved.
        #[serde(skip)]
        pub moves: i64,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// A new event.
pub struct NewEvent {
    /// Its kind.
    pub kind: EventKind,
    /// Kind of appointment or class, one of `GET /event-types`.
    pub event_type_id: EventTypeId,
    /// The template that it is made of.
    pub event_template_id: Option<EventTemplateId>,
    /// Display name.
    pub name: String,
    /// Coach who leads it.
    pub coach_id: CoachId,
    /// Where it is held.
    pub location_id: Option<LocationId>,
    /// Start and end.
    pub span: Span,
    /// IANA zone of the place where it is held.
    pub time_zone: TimeZone,
    /// Number of seats.
    pub capacity: i64,
    /// How many are taken from the start.
    pub seats_taken: i64,
    /// The minutes that its coach needs around it.
    pub buffers: Buffers,
    /// Its series, and its date in it.
    pub series: Option<(EventSeriesId, Date)>,
}

impl CalendarEvent {
    /// The event with this id.
    pub fn find(cx: &mut Read, id: CalendarEventId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// Creates an event, which occupies its coach, and its location where that is limited.
    pub fn create(cx: &mut Write, new: NewEvent, limited: bool) -> Result<Self> {
        let event = Self {
            calendar_event_id: CalendarEventId(cx.new_id()),
            kind: new.kind,
            event_type_id: new.event_type_id,
            event_template_id: new.event_template_id,
            name: new.name,
            coach_id: new.coach_id,
            location_id: new.location_id,
            starts_at: new.span.start,
            ends_at: new.span.end,
            time_zone: new.time_zone,
            capacity: new.capacity,
            seats_taken: new.seats_taken,
            waitlisted: 0,
            last_position: 0,
            status: EventStatus::Scheduled,
            event_series_id: new.series.map(|(series, _)| series),
            occurrence_date: new.series.map(|(_, date)| date),
            is_exception: false,
            before_minutes: new.buffers.before,
            after_minutes: new.buffers.after,
            moves: 0,
            created_at: cx.now(),
            updated_at: cx.now(),
        };
        event.take(cx, limited)?;
        cx.defer(INSERT, &event.params())?;
        cx.tally(TALLY, 1)?;
        metrics::follow_event(cx, None, &event);
        Ok(event)
    }

    /// Start and end.
    pub fn span(&self) -> Span {
        Span::new(self.starts_at, self.ends_at)
    }

    /// Status of the event.
    pub fn is_scheduled(&self) -> bool {
        self.status == EventStatus::Scheduled
    }

    /// The number of free seats.
    pub fn free_seats(&self) -> i64 {
        (self.capacity - self.seats_taken).max(0)
    }

    /// Ends the hold of a seat: it is free again, unless the class is called off.
    pub fn of_ended_hold(cx: &mut Write, hold: &SeatHold) -> Result<Self> {
        hold.delete(cx)?;
        let mut event = Self::find(cx, hold.calendar_event_id)?;
        if event.is_scheduled() {
            event.seats_taken -= 1;
            event.save(cx)?;
        }
        Ok(event)
    }

    fn coach_busy_span(&self) -> BusySpan {
        let span = self.span().widened(self.before_minutes, self.after_minutes);
        BusySpan { span, by: self.calendar_event_id.0 }
    }

    fn location_busy_span(&self) -> BusySpan {
        BusySpan { span: self.span(), by: self.calendar_event_id.0 }
    }

    /// Takes the time of its coach, and the room of a limited location.
    pub fn take(&self, cx: &mut Write, limited: bool) -> Result<()> {
        days::take(cx, self.coach_id, self.coach_busy_span())?;
        match self.location_id {
            Some(location) if limited => days::take(cx, location, self.location_busy_span()),
            _ => Ok(()),
        }
    }

    /// Gives back the time of its coach and the room of its location.
    pub fn give_back(&self, cx: &mut Write) -> Result<()> {
        days::give_back(cx, self.coach_id, self.coach_busy_span())?;
        match self.location_id {
            Some(location) => days::give_back(cx, location, self.location_busy_span()),
            None => Ok(()),
        }
    }

    /// Saves a changed time, location or capacity.
    pub fn revise(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        metrics::follow_event(cx, Some(before), self);
        self.save(cx)
    }

    /// Saves changes of its seats and waiting list.
    pub fn save(&mut self, cx: &mut Write) -> Result<()> {
        self.updated_at = cx.now();
        cx.defer(SAVE, &self.params())
    }

    /// Ends an event that has no bookings any more.
    pub fn end(&mut self, cx: &mut Write) -> Result<()> {
        let before = self.clone();
        self.status = EventStatus::Cancelled;
        self.give_back(cx)?;
        self.revise(cx, &before)
    }

    /// Classes of a type that begin within a range, in order.
    pub fn classes(cx: &mut Read, event_type: EventTypeId, range: Span) -> Result<Vec<Self>> {
        cx.all(CLASSES, params![range.start, range.end, event_type, CLASSES_MAX])
    }

    /// The classes of a series that are to come and take place, in order.
    pub fn of_series(cx: &mut Read, series: EventSeriesId) -> Result<Vec<Self>> {
        let now = cx.now();
        cx.all(OF_SERIES, params![series, now])
    }

    /// On how many appointments of a type a coach's dates begin, as their starts.
    pub fn starts_of_type(
        cx: &mut Read,
        coach: CoachId,
        event_type: EventTypeId,
        range: Span,
    ) -> Result<Vec<(CalendarEventId, Timestamp)>> {
        cx.all(OF_TYPE, params![event_type, coach, range.start, range.end])
    }
}

/// Most classes that a list of slots reads.
const CLASSES_MAX: i64 = 2_001;

/// A class or an appointment, with its local start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CalendarEvent")]
pub struct EventView {
    #[serde(flatten)]
    event: CalendarEvent,
    /// Start in local time with its UTC offset.
    local_starts_at: String,
}

impl From<CalendarEvent> for EventView {
    fn from(event: CalendarEvent) -> Self {
        let local_starts_at = with_offset(event.starts_at, &event.time_zone);
        Self { event, local_starts_at }
    }
}

listed!(CalendarEvents { calendar_events: EventView });

filters! {
    struct Filters {
        /// Events that begin at this instant or later; required unless updatedFrom is given.
        from: Timestamp => "starts_at >= ?";
        /// Events that begin before this instant, at most 366 days later.
        to: Timestamp => "starts_at < ?";
        /// Events that were changed at this instant or later.
        updated_from: Timestamp => "updated_at >= ?";
        /// Events of this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Events at this location.
        location_id: LocationId => "location_id = ?";
        /// Events of this type.
        event_type_id: EventTypeId => "event_type_id = ?";
        /// Events in this status.
        status: EventStatus => "status = ?";
        /// Events of this series.
        event_series_id: EventSeriesId => "event_series_id = ?";
        /// Events of this kind.
        kind: EventKind => "kind = ?";
    }
}

/// The longest range of events, in days.
const RANGE_DAYS_MAX: i64 = 366;

fn list_calendar_events(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<CalendarEvents> {
    if wanted.updated_from.is_none() || wanted.from.is_some() || wanted.to.is_some() {
        permissions::check_range(wanted.from, wanted.to, RANGE_DAYS_MAX)?;
    }
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(
    /// An event in a path.
    pub EventPath {
        /// The event's id.
        calendar_event_id: CalendarEventId,
    }
);

answer!(
    /// An event.
    pub EventAnswer {
        /// The event.
        calendar_event: EventView,
    }
);

fn get_calendar_event(cx: &mut Read, Path(at): Path<EventPath>) -> Result<EventAnswer> {
    Ok(EventAnswer { calendar_event: CalendarEvent::find(cx, at.calendar_event_id)?.into() })
}

/// The subject of the total of all events.
const TALLY: &str = "calendarEvents";

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).stays(STAYS).operations([
        operation!(GET "/calendar/events", CalendarEventsRead, list_calendar_events)
            .summary("List calendar events")
            .describe(
                "Returns classes and appointments by start, within a range of at most 366 days. \
                 With `updatedFrom` alone, returns all that changed since then.",
            )
            .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge]),
        operation!(GET "/calendar/events/{calendarEventId}", CalendarEventsRead, get_calendar_event)
            .summary("Get a calendar event")
            .describe("Returns one class or appointment with its seats and status."),
    ])
}

lists! {
    /// Events in the order of their starts.
    LIST: List<CalendarEvent, Filters> = List::new(
        "calendar_event WHERE company_id = ?1",
        "starts_at, calendar_event_id",
    ).tallied(TALLY);
}

/// Upcoming classes and booked appointments of an archived record.
const STAYS: &[Remainder] = &[
    Remainder::new(
        ArchivedKind::Coach,
        RemainderKind::CalendarEvent,
        |cx, coach, most| cx.all(LEFT_BY_COACH, params![coach, cx.now(), most]),
        |total| CalendarEffect::EventsStayWithCoach { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::Location,
        RemainderKind::CalendarEvent,
        |cx, location, most| cx.all(LEFT_AT_LOCATION, params![location, cx.now(), most]),
        |total| CalendarEffect::EventsStayAtLocation { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::EventType,
        RemainderKind::CalendarEvent,
        |cx, kind, most| cx.all(LEFT_OF_TYPE, params![kind, cx.now(), most]),
        |total| CalendarEffect::EventsOfTypeStay { total }.into(),
    ),
];

/// Records that erasure keeps, and why.
const LEFT: &str = " FROM calendar_event WHERE company_id = ?1 AND starts_at > ?3 \
    AND status = 'scheduled' AND (kind = 'class' OR seats_taken > 0) AND ";

statements! {
    LEFT_BY_COACH = "SELECT calendar_event_id, (SELECT COUNT(*)", LEFT, "coach_id = ?2)", LEFT,
        "coach_id = ?2 ORDER BY starts_at, calendar_event_id LIMIT ?4";
    LEFT_AT_LOCATION = "SELECT calendar_event_id, (SELECT COUNT(*)", LEFT, "location_id = ?2)", LEFT,
        "location_id = ?2 ORDER BY starts_at, calendar_event_id LIMIT ?4";
    LEFT_OF_TYPE = "SELECT calendar_event_id, (SELECT COUNT(*)", LEFT, "event_type_id = ?2)", LEFT,
        "event_type_id = ?2 ORDER BY starts_at, calendar_event_id LIMIT ?4";
    FIND = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event \
        WHERE company_id = ?1 AND calendar_event_id = ?2";
    CLASSES = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND event_type_id = ?4 AND kind = 'class' \
        AND status = 'scheduled' ORDER BY starts_at, calendar_event_id LIMIT ?5";
    OF_TYPE = "SELECT calendar_event_id, starts_at FROM calendar_event WHERE company_id = ?1 \
        AND event_type_id = ?2 AND coach_id = ?3 AND starts_at >= ?4 AND starts_at < ?5 \
        AND status = 'scheduled' LIMIT 10000";
    OF_SERIES = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND event_series_id = ?2 AND starts_at > ?3 AND status = 'scheduled' \
        ORDER BY starts_at LIMIT 1000";
    INSERT = "INSERT INTO calendar_event ", values!(CalendarEvent);
    SAVE = "UPDATE calendar_event SET ", set!(CalendarEvent),
        " WHERE company_id = ?1 AND calendar_event_id = ?2";
}
