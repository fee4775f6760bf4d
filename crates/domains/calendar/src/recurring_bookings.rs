//! Recurring bookings: a client's bookings of a recurrence. A series with an end is booked whole; one
//! without is booked up to a horizon, and a day further every day. An occurrence is known by its date in
//! the recurrence, however it is moved.

mod event;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Location;
use spotter_contract::{
    ArchivedKind, Area, Body, Effect, ListQuery, Offboarding, Path, Read, Remainder, RemainderKind,
    Success, Timer, Write, answer, listed, operation, path, settling,
};
use spotter_kernel::{
    Date, Event, Id, Key, Problem, Result, Rule, Timestamp,
    id::{ClientId, CoachId, LocationId},
    text::Text,
};
use spotter_people::{clients::Client, coaches::Coach};
use spotter_store::{Json, List, filters, lists, params, record, set, statements, values};

use crate::{
    availability::CoachAvailability,
    booking::Booking,
    create::{BookingDraft, book_at, bookable_type, goes_on, look_up_slot},
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::Span,
    permissions,
    recurrence::{NewRecurrence, Recurrence},
    rules::CalendarRule,
    series::{
        ClassSeriesStatus, HORIZON_DAYS, OnConflict, SeriesState, SkippedDate, check_conflicts,
    },
    types::EventType,
    vocabulary::{CapacityAction, EventKind, EventTypeId, Placement, RecurringBookingId},
};
use event::SeriesEvent;

record! {
    /// A client's bookings that repeat weekly.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct RecurringBooking {
        /// The series' id.
        pub recurring_booking_id: RecurringBookingId,
        /// Client who attends each time.
        pub client_id: ClientId,
        /// Kind of appointment or class, one of `GET /event-types`.
        pub event_type_id: EventTypeId,
        /// Coach who leads the appointments.
        pub coach_id: CoachId,
        /// Location, if any.
        pub location_id: Option<LocationId>,
        /// Dates of the recurrence and its local time.
        pub recurrence: Json<Recurrence>,
        /// How conflicts are handled.
        pub on_conflict: OnConflict,
        /// Dates to come that could not be booked.
        pub skipped: Json<Vec<SkippedDate>>,
        /// `active` until it is cancelled, whatever its end.
        pub status: ClassSeriesStatus,
        /// Date up to which bookings are created.
        pub made_through: Date,
        /// The series that this one continues, after a change from a date on.
        pub previous_id: Option<RecurringBookingId>,
        /// The series that its later part has become.
        pub next_id: Option<RecurringBookingId>,
        /// Note of staff on its bookings.
        pub note: Option<String>,
        /// Version number; increases with every change.
        pub version: i64,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

impl RecurringBooking {
    /// The series with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: RecurringBookingId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Problem::new(Key::NotFound))?;
        cx.own(found, |series| series.client_id)
    }

    /// The state of the series.
    pub fn state(&self) -> SeriesState<'_> {
        SeriesState {
            recurrence: &self.recurrence.0,
            skipped: &self.skipped.0,
            made_through: self.made_through,
            ahead_days: HORIZON_DAYS,
        }
    }

    /// Books the dates after those that exist, up to the horizon, and reports those that cannot be booked.
    fn extend(&mut self, cx: &mut Write) -> Result<Vec<SkippedDate>> {
        let (dates, through) = self.state().due(cx.now());
        self.made_through = through;
        self.book(cx, dates)
    }

    /// Books dates, and reports those that cannot be booked.
    pub fn book(
        &self,
        cx: &mut Write,
        dates: impl IntoIterator<Item = Date>,
    ) -> Result<Vec<SkippedDate>> {
        let event_type = EventType::of(cx, self.event_type_id)?;
        let mut conflicts = Vec::new();
        for date in dates {
            let booking_draft = self.draft(cx, &event_type, date)?;
            match look_up_slot(cx, &event_type, &booking_draft)? {
                Placement::Placed(slot) => {
                    book_at(cx, &event_type, &booking_draft, slot)?;
                }
                Placement::Blocked(reasons) => {
                    conflicts.push(SkippedDate { date, reasons, stays: false })
                }
            }
        }
        Ok(conflicts)
    }

    /// What is booked on a date: an appointment, or the class that begins then.
    pub fn draft(
        &self,
        cx: &mut Write,
        event_type: &EventType,
        date: Date,
    ) -> Result<BookingDraft> {
        let booking_draft = self.draft_at(self.recurrence.0.starts_at(date), date);
        self.in_class(cx, event_type, booking_draft)
    }

    /// The same at an instant.
    pub fn draft_at(&self, starts_at: Timestamp, date: Date) -> BookingDraft {
        BookingDraft {
            client: self.client_id,
            starts_at,
            coach: Some(self.coach_id),
            location: self.location_id,
            class: None,
            capacity: CapacityAction::Reject,
            ignore_policy: false,
            // Staff's series may reach further than single bookings.
            ignore_window: true,
            ignore_notice: false,
            allow_overlap: false,
            note: self.note.clone(),
            external_id: None,
            request: None,
            series: Some((self.recurring_booking_id, date)),
            than: None,
            moved: None,
        }
    }

    /// The draft of a class type as a booking of its coach's class that begins then.
    pub fn in_class(
        &self,
        cx: &mut Write,
        event_type: &EventType,
        draft: BookingDraft,
    ) -> Result<BookingDraft> {
        if event_type.kind == EventKind::Appointment {
            return Ok(draft);
        }
        let at = Span::new(draft.starts_at, draft.starts_at.plus_millis(1));
        let classes = CalendarEvent::classes(cx, event_type.event_type_id, at)?;
        let own = classes.into_iter().find(|class| Some(class.coach_id) == draft.coach);
        Ok(BookingDraft { class: own.map(|class| class.calendar_event_id), ..draft })
    }

    /// Writes down a series that is new.
    pub fn create(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("recurring_booking", self.recurring_booking_id, ["recurringBooking"]);
        cx.defer(INSERT, &self.params())
    }

    /// Schedules the daily extension of an endless series, and stops it for others.
    pub fn keep_extending(&self, cx: &mut Write) -> Result<()> {
        if self.status == ClassSeriesStatus::Active && !self.recurrence.0.has_end() {
            let tomorrow = cx.now().plus_days(1);
            return cx.set_timer(&EXTEND_SERIES, self.recurring_booking_id, tomorrow);
        }
        cx.clear_timer(&EXTEND_SERIES, self.recurring_booking_id)
    }

    /// Saves the changes and emits their events.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let id = self.recurring_booking_id;
        let Some(now) = cx.audit_fields("recurring_booking", id, changed.clone()) else {
            return Ok(());
        };
        self.updated_at = now;
        self.version = before.version + 1;
        cx.defer(SAVE, &self.params())?;
        // A further booked day is announced by its booking.
        let output = changed.into_iter().filter(|field| field != "madeThrough").collect::<Vec<_>>();
        if output.is_empty() { Ok(()) } else { self.publish(cx, output) }
    }

    /// The live bookings of a series that are to come, in the order of their starts.
    pub fn to_come(cx: &mut Read, id: RecurringBookingId) -> Result<Vec<Booking>> {
        let now = cx.now();
        cx.all(TO_COME, params![id, now])
    }

    /// Informs integrations, the client and the coach.
    pub fn publish(&self, cx: &mut Write, changed_fields: Vec<String>) -> Result<()> {
        let payload = SeriesEvent {
            recurring_booking_id: self.recurring_booking_id,
            client_id: self.client_id,
            event_type_id: self.event_type_id,
            coach_id: self.coach_id,
            location_id: self.location_id,
            status: self.status,
            previous_id: self.previous_id,
            next_id: self.next_id,
            changed_fields,
        };
        permissions::publish(
            cx,
            Event::RecurringBookingChanged,
            &payload,
            self.client_id,
            self.coach_id,
        )
    }
}

listed!(RecurringBookings { recurring_bookings: RecurringBooking });

filters! {
    struct Filters {
        /// Series of this client.
        client_id: ClientId => "client_id = ?";
        /// Series with this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Series in this status.
        status: ClassSeriesStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_recurring_bookings(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<RecurringBookings> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(
    /// A series in a path.
    pub SeriesPath {
        /// The series' id.
        recurring_booking_id: RecurringBookingId,
    }
);

answer!(
    /// A series.
    pub SeriesAnswer {
        /// The series.
        recurring_booking: RecurringBooking,
    }
);

fn get_recurring_booking(cx: &mut Read, Path(at): Path<SeriesPath>) -> Result<SeriesAnswer> {
    Ok(SeriesAnswer { recurring_booking: RecurringBooking::find(cx, at.recurring_booking_id)? })
}

/// A client's bookings that repeat weekly.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewRecurringBooking")]
struct NewSeries {
    client_id: ClientId,
    event_type_id: EventTypeId,
    coach_id: CoachId,
    location_id: Option<LocationId>,
    /// Dates of the recurrence and its local time.
    recurrence: NewRecurrence,
    /// `refuse` when absent.
    on_conflict: Option<OnConflict>,
    /// Note of staff on its bookings.
    note: Option<Text<1000>>,
}

/// Refuses a coach who does not do it, and a place at which it is not done.
pub fn check_place(
    cx: &mut Read,
    event_type: &EventType,
    coach: CoachId,
    location: Option<LocationId>,
) -> Result<()> {
    let coaches = &event_type.coach_ids.0;
    if !coaches.is_empty() && !coaches.contains(&coach) {
        return Err(Problem::conflict("coachId", CalendarRule::NotTypesCoach));
    }
    let Some(id) = location else { return Ok(()) };
    let rule = Rule::OtherCompanysLocation;
    Location::find(cx, id).map_err(|none| none.missing("locationId", rule))?;
    let places = &event_type.location_ids.0;
    if event_type.kind == EventKind::Appointment && !places.contains(&id) {
        return Err(Problem::conflict("locationId", CalendarRule::NotTypesLocation));
    }
    Ok(())
}

fn create_recurring_booking(cx: &mut Write, Body(new): Body<NewSeries>) -> Result<SeriesAnswer> {
    let client = Client::find(cx, new.client_id)?;
    if client.is_archived() {
        return Err(Problem::conflict("clientId", Rule::Archived));
    }
    Coach::find(cx, new.coach_id)?;
    let event_type = bookable_type(cx, new.event_type_id)?;
    check_place(cx, &event_type, new.coach_id, new.location_id)?;
    let zone = CoachAvailability::of(cx, new.coach_id)?.time_zone;
    let recurrence = new.recurrence.checked(zone, cx.now())?;
    let mut series = RecurringBooking {
        recurring_booking_id: RecurringBookingId(cx.new_id()),
        client_id: new.client_id,
        event_type_id: event_type.event_type_id,
        coach_id: new.coach_id,
        location_id: new.location_id,
        made_through: recurrence.start_date.plus_days(-1).unwrap_or(recurrence.start_date),
        recurrence: Json(recurrence),
        on_conflict: new.on_conflict.unwrap_or(OnConflict::Refuse),
        skipped: Json(Vec::new()),
        status: ClassSeriesStatus::Active,
        previous_id: None,
        next_id: None,
        note: new.note.map(Into::into),
        version: 1,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    let conflicts = series.extend(cx)?;
    check_conflicts(series.on_conflict, &conflicts)?;
    let (through, left_out) = (series.made_through, conflicts.len());
    cx.describe_effect(|| CalendarEffect::DatesBooked { through, left_out });
    series.skipped = Json(conflicts);
    series.create(cx)?;
    series.keep_extending(cx)?;
    Ok(SeriesAnswer { recurring_booking: series })
}

/// Books one more day of an endless series; a date that cannot be booked is skipped and reported.
fn extend_series(cx: &mut Write, id: Id) -> Result<()> {
    let before = RecurringBooking::find(cx, RecurringBookingId(id))?;
    if before.status == ClassSeriesStatus::Cancelled || before.recurrence.0.has_end() {
        return Ok(());
    }
    if !goes_on(cx, before.event_type_id, before.coach_id, before.location_id)? {
        return before.keep_extending(cx);
    }
    let mut series = before.clone();
    let conflicts = series.extend(cx)?;
    if !conflicts.is_empty() {
        // Past dates do not matter.
        let today = series.recurrence.0.time_zone.date_at(cx.now());
        series.skipped.0.retain(|skipped| skipped.date >= today);
        series.skipped.0.extend(conflicts);
    }
    series.save(cx, &before)?;
    series.keep_extending(cx)
}

static EXTEND_SERIES: Timer =
    Timer::new("extend_series", "Extend a recurring booking by one day", extend_series)
        .emits(settling![BookingCreated, BookingUpdated, RecurringBookingChanged]);

/// Ends the series of a leaving client; their bookings end separately.
fn end_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let series: Vec<RecurringBooking> = cx.all(ACTIVE_OF, params![client])?;
    let count = series.len() as u64;
    for before in series {
        let mut ended = before.clone();
        ended.status = ClassSeriesStatus::Cancelled;
        ended.keep_extending(cx)?;
        ended.save(cx, &before)?;
    }
    Ok(count)
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ClientArchived,
    || CalendarEffect::RecurringBookingsEnd.into(),
    end_of_client,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .tells::<SeriesEvent>()
        .timers(&[&EXTEND_SERIES])
        .stays(STAYS)
        .ends(ENDS)
        .operations([
            operation!(GET "/recurring-bookings", RecurringBookingsRead, list_recurring_bookings)
                .summary("List recurring bookings")
            .describe("Returns clients' recurring bookings, newest first.")
                .for_own(&["note"])
                .fails(&[Key::ClientNotFound]),
            operation!(GET "/recurring-bookings/{recurringBookingId}", RecurringBookingsRead,
                get_recurring_booking)
            .summary("Get a recurring booking")
            .describe(
                "Returns one recurring booking with its recurrence and the dates that could not \
                 be booked.",
            )
            .for_own(&["note"]),
            operation!(POST "/recurring-bookings", RecurringBookingsWrite, create_recurring_booking)
                .success(Success::Added)
                .summary("Create a recurring booking")
                .describe(
                "Books a recurrence. With an end (`untilDate` or `count`, at most 104 dates) it \
                 is booked completely; without one, 92 days ahead and a further day every day. \
                 Where dates cannot be booked, `refuse` returns them in `details.conflicts` and \
                 books nothing; `skip` leaves them out.",
            )
                .created()
                .emits(settling![BookingCreated, BookingUpdated])
                .always(&[])
                .fails(&[
                    Key::AvailabilitySlotNotBookable,
                    Key::DateRangeOrderInvalid,
                    Key::DateRangeTooLarge,
                    Key::CompanyNotFound,
                    Key::ApiError,
                ])
                .confirmation(),
        ])
}

lists! {
    /// Series, newest first.
    LIST: List<RecurringBooking, Filters> = List::new(
        "recurring_booking WHERE company_id = ?1",
        "recurring_booking_id DESC",
    );
}

/// Recurring bookings that go on with an archived record.
const STAYS: &[Remainder] = &[
    Remainder::new(
        ArchivedKind::Coach,
        RemainderKind::RecurringBooking,
        |cx, id, most| cx.all(LEFT_OF_COACH, params![id, most]),
        |total| CalendarEffect::RecurringStayWithCoach { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::Location,
        RemainderKind::RecurringBooking,
        |cx, id, most| cx.all(LEFT_OF_LOCATION, params![id, most]),
        |total| CalendarEffect::RecurringStayAtLocation { total }.into(),
    ),
    Remainder::new(
        ArchivedKind::EventType,
        RemainderKind::RecurringBooking,
        |cx, id, most| cx.all(LEFT_OF_TYPE, params![id, most]),
        |total| CalendarEffect::RecurringOfTypeStay { total }.into(),
    ),
];

/// Records that erasure keeps, and why.
const LEFT: &str = " FROM recurring_booking WHERE company_id = ?1 AND status = 'active' AND ";

statements! {
    LEFT_OF_COACH = "SELECT recurring_booking_id, (SELECT COUNT(*)", LEFT, "coach_id = ?2)", LEFT,
        "coach_id = ?2 ORDER BY recurring_booking_id LIMIT ?3";
    LEFT_OF_LOCATION = "SELECT recurring_booking_id, (SELECT COUNT(*)", LEFT, "location_id = ?2)", LEFT,
        "location_id = ?2 ORDER BY recurring_booking_id LIMIT ?3";
    LEFT_OF_TYPE = "SELECT recurring_booking_id, (SELECT COUNT(*)", LEFT, "event_type_id = ?2)", LEFT,
        "event_type_id = ?2 ORDER BY recurring_booking_id LIMIT ?3";
    FIND = "SELECT ", RecurringBooking::COLUMNS, " FROM recurring_booking \
        WHERE company_id = ?1 AND recurring_booking_id = ?2";
    ACTIVE_OF = "SELECT ", RecurringBooking::COLUMNS, " FROM recurring_booking \
        WHERE company_id = ?1 AND client_id = ?2 AND status = 'active' LIMIT 1000";
    TO_COME = "SELECT ", Booking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND recurring_booking_id = ?2 AND starts_at > ?3 AND status <> 'cancelled' \
        ORDER BY starts_at LIMIT 1000";
    INSERT = "INSERT INTO recurring_booking ", values!(RecurringBooking);
    SAVE = "UPDATE recurring_booking SET ", set!(RecurringBooking),
        " WHERE company_id = ?1 AND recurring_booking_id = ?2";
}
