//! Recurring bookings: a client's bookings of a weekly pattern. A series with an end is booked whole; one
//! without is booked up to a horizon, and a day further every day. An occurrence is known by its date in
//! the pattern, however it is moved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, Effect, Ending, Paged, Path, Payload, Read, Timer, Write, answer, listed,
    operation, path,
};
use spotter_core::{clients::Client, company::coaches::Coach};
use spotter_kernel::{
    Date, Event, Id, Key, Many, Problem, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
    number::Whole,
    text::{Text, WallTime},
};
use spotter_store::{Json, List, filters, lists, params, record, set, statements, values, words};

use crate::{
    availability::CoachAvailability,
    booking::Booking,
    calling, cancellation,
    events::CalendarEvent,
    making::{Wish, book_at, bookable_type, look},
    pattern::Pattern,
    types::EventType,
    vocabulary::{CapacityAction, EventKind, EventTypeId, FreedSeat, Reason, RecurringBookingId},
    window::Span,
};

words! {
    /// Whether a series goes on.
    pub enum SeriesStatus { Active = "active", Cancelled = "cancelled" }
}

words! {
    /// What to do where a date cannot be booked: refuse the whole series, or leave the date out.
    pub enum OnConflict { Refuse = "refuse", Skip = "skip" }
}

words! {
    /// Which occurrences are meant: one, one and all after it, or all that are to come.
    pub enum SeriesScope { This = "this", Following = "following", All = "all" }
}

/// A date that was left out, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// The date in the pattern.
    date: Date,
    /// What spoke against it.
    reasons: Vec<Reason>,
}

record! {
    /// A client's bookings of a weekly pattern.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct RecurringBooking {
        /// The series' id.
        pub recurring_booking_id: RecurringBookingId,
        client_id: ClientId,
        event_type_id: EventTypeId,
        coach_id: CoachId,
        location_id: Option<LocationId>,
        /// ISO weekdays, 1 = Monday to 7 = Sunday.
        weekdays: Json<Vec<i64>>,
        /// 1 for every week.
        interval_weeks: i64,
        /// What the clock shows at each start.
        start_time: WallTime,
        /// The zone of that clock.
        time_zone: TimeZone,
        start_date: Date,
        /// The last date that can be one; null where there is no such date.
        until_date: Option<Date>,
        /// How many there are; null where they are not counted.
        count: Option<i64>,
        /// Dates of the pattern that are left out.
        exclusions: Json<Vec<Date>>,
        /// What was done where a date could not be booked.
        on_conflict: OnConflict,
        /// Dates that could not be booked.
        skipped: Json<Vec<Skipped>>,
        status: SeriesStatus,
        /// Up to which date the pattern is booked.
        booked_through: Date,
        note: Option<String>,
        /// Counts the changes.
        version: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// What is told of a series.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SeriesEvent {
    recurring_booking_id: RecurringBookingId,
    client_id: ClientId,
    event_type_id: EventTypeId,
    coach_id: CoachId,
    location_id: Option<LocationId>,
    status: SeriesStatus,
    /// The fields that have changed.
    changed_fields: Vec<String>,
}

impl Payload for SeriesEvent {
    const EVENTS: &'static [Event] = &[Event::RecurringBookingChanged];
}

/// How far ahead a series without an end is booked, in days.
const HORIZON_DAYS: i64 = 92;
/// Most occurrences of a series with an end.
const COUNT_MAX: usize = 104;
/// The longest series with an end, in days.
const LONG_MAX: i64 = 366;

impl RecurringBooking {
    /// The series with this id, which for a client must be their own.
    fn find(cx: &mut Read, id: RecurringBookingId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Problem::new(Key::NotFound))?;
        cx.own(found, |series| series.client_id)
    }

    fn pattern(&self) -> Pattern {
        Pattern {
            weekdays: self.weekdays.0.clone(),
            interval_weeks: self.interval_weeks,
            start_date: self.start_date,
            until_date: self.until_date,
            count: self.count,
        }
    }

    fn has_end(&self) -> bool {
        self.until_date.is_some() || self.count.is_some()
    }

    /// Books the dates after those that are booked, up to a date; what cannot be booked is told.
    fn book_through(&mut self, cx: &mut Write, through: Date) -> Result<Vec<Skipped>> {
        let event_type = EventType::of(cx, self.event_type_id)?;
        let dates = self.pattern().dates(through, 10_000).into_iter();
        let new: Vec<_> = dates.filter(|date| *date > self.booked_through).collect();
        let mut conflicts = Vec::new();
        for date in new.into_iter().filter(|date| !self.exclusions.0.contains(date)) {
            let wish = self.wish(cx, &event_type, date)?;
            match look(cx, &event_type, &wish)? {
                Ok(found) => {
                    book_at(cx, &event_type, &wish, found)?;
                }
                Err(reasons) => conflicts.push(Skipped { date, reasons }),
            }
        }
        self.booked_through = through.max(self.booked_through);
        Ok(conflicts)
    }

    /// What is booked on a date: an appointment, or the class that begins then.
    fn wish(&self, cx: &mut Write, event_type: &EventType, date: Date) -> Result<Wish> {
        let starts_at = date.at(&self.start_time, &self.time_zone);
        let class = match event_type.kind {
            EventKind::Appointment => None,
            EventKind::Class => {
                let at = Span::new(starts_at, starts_at.plus_millis(1));
                let classes = CalendarEvent::classes(cx, event_type.event_type_id, at)?;
                let own = classes.into_iter().find(|class| class.coach_id == self.coach_id);
                own.map(|class| class.calendar_event_id)
            }
        };
        Ok(Wish {
            client: self.client_id,
            starts_at,
            coach: Some(self.coach_id),
            location: self.location_id,
            class,
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
        })
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let id = self.recurring_booking_id;
        let Some(now) = cx.changes("recurring_booking", id, changed.clone()) else {
            return Ok(());
        };
        self.updated_at = now;
        self.version = before.version + 1;
        cx.defer(SAVE, &self.params())
    }

    /// Tells integrations, the client and the coach.
    fn tell(&self, cx: &mut Write, changed_fields: Vec<String>) -> Result<()> {
        let told = SeriesEvent {
            recurring_booking_id: self.recurring_booking_id,
            client_id: self.client_id,
            event_type_id: self.event_type_id,
            coach_id: self.coach_id,
            location_id: self.location_id,
            status: self.status,
            changed_fields,
        };
        calling::tell(cx, Event::RecurringBookingChanged, &told, (self.client_id, self.coach_id))
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
        status: SeriesStatus => "status = ?";
    }
}

fn list_recurring_bookings(
    cx: &mut Read,
    Paged(mut wanted, page): Paged<Filters>,
) -> Result<RecurringBookings> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(SeriesPath { recurring_booking_id: RecurringBookingId });

answer!(SeriesAnswer { recurring_booking: RecurringBooking });

fn get_recurring_booking(cx: &mut Read, Path(at): Path<SeriesPath>) -> Result<SeriesAnswer> {
    Ok(SeriesAnswer { recurring_booking: RecurringBooking::find(cx, at.recurring_booking_id)? })
}

/// A new series.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewSeries {
    client_id: ClientId,
    event_type_id: EventTypeId,
    coach_id: CoachId,
    location_id: Option<LocationId>,
    /// ISO weekdays, 1 = Monday to 7 = Sunday.
    weekdays: Many<Whole<1, 7>, 1, 7>,
    /// 1 to 8; 1 when absent.
    interval_weeks: Option<Whole<1, 8>>,
    /// What the clock shows at each start.
    start_time: WallTime,
    /// The zone of that clock; that of the coach's hours when absent.
    time_zone: Option<TimeZone>,
    /// The date from which on there are occurrences.
    start_date: Date,
    /// The last date that can be one, at most 366 days later; without it and `count` there is no end.
    until_date: Option<Date>,
    /// How many there are, 1 to 104.
    count: Option<Whole<1, 104>>,
    /// Dates of the pattern that are left out; at most 104.
    #[serde(default)]
    exclusions: Many<Date, 0, 104>,
    /// `refuse` when absent.
    on_conflict: Option<OnConflict>,
    /// What staff say of its bookings.
    note: Option<Text<1000>>,
}

fn create_recurring_booking(cx: &mut Write, Body(new): Body<NewSeries>) -> Result<SeriesAnswer> {
    let client = Client::find(cx, new.client_id)?;
    if client.is_archived() {
        return Err(Problem::conflict("clientId", "must not be archived"));
    }
    Coach::find(cx, new.coach_id)?;
    let event_type = bookable_type(cx, new.event_type_id)?;
    if new.until_date.is_some() && new.count.is_some() {
        return Err(Problem::invalid("count", "must be absent beside untilDate"));
    }
    if new.until_date.is_some_and(|until| until < new.start_date) {
        let rule = "must not be before the start";
        return Err(Problem::field(Key::DateRangeOrderInvalid, "untilDate", rule));
    }
    if new.until_date.is_some_and(|until| new.start_date.days_until(until) > LONG_MAX) {
        let rule = "must be at most 366 days after the start";
        return Err(Problem::field(Key::DateRangeTooLarge, "untilDate", rule));
    }
    let time_zone = match new.time_zone {
        Some(zone) => zone,
        None => CoachAvailability::of(cx, new.coach_id)?.time_zone,
    };
    let today = time_zone.date_at(cx.now());
    if new.start_date < today {
        return Err(Problem::invalid("startDate", "must not have passed"));
    }
    if today.days_until(new.start_date) > LONG_MAX {
        return Err(Problem::invalid("startDate", "must be within a year"));
    }
    let mut series = RecurringBooking {
        recurring_booking_id: RecurringBookingId(cx.new_id()),
        client_id: new.client_id,
        event_type_id: event_type.event_type_id,
        coach_id: new.coach_id,
        location_id: new.location_id,
        weekdays: Json(new.weekdays.into_iter().map(Into::into).collect()),
        interval_weeks: new.interval_weeks.map_or(1, Into::into),
        start_time: new.start_time,
        time_zone,
        start_date: new.start_date,
        until_date: new.until_date,
        count: new.count.map(Into::into),
        exclusions: Json(new.exclusions.into()),
        on_conflict: new.on_conflict.unwrap_or(OnConflict::Refuse),
        skipped: Json(Vec::new()),
        status: SeriesStatus::Active,
        booked_through: new.start_date.plus_days(-1).unwrap_or(new.start_date),
        note: new.note.map(Into::into),
        version: 1,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    let horizon = today.max(new.start_date).plus_days(HORIZON_DAYS).unwrap_or(today);
    let through = match (series.until_date, series.has_end()) {
        (Some(until), _) => until,
        (None, true) => {
            let far = new.start_date.plus_days(LONG_MAX).unwrap_or(horizon);
            let dates = series.pattern().dates(far, COUNT_MAX);
            if dates.len() < series.count.unwrap_or_default() as usize {
                let rule = "must be so many that the last is within 366 days of the start";
                return Err(Problem::field(Key::DateRangeTooLarge, "count", rule));
            }
            dates.last().copied().unwrap_or(new.start_date)
        }
        (None, false) => horizon,
    };
    if series.has_end() && series.pattern().dates(through, COUNT_MAX + 1).len() > COUNT_MAX {
        return Err(Problem::invalid("untilDate", "must leave at most 104 occurrences"));
    }
    let conflicts = series.book_through(cx, through)?;
    if !conflicts.is_empty() && series.on_conflict == OnConflict::Refuse {
        let mut problem = Problem::because(
            Key::AvailabilitySlotNotBookable,
            format!("{} of the dates cannot be booked.", conflicts.len()),
        );
        problem.details = Some(serde_json::json!({"conflicts": conflicts}));
        return Err(problem);
    }
    series.skipped = Json(conflicts);
    cx.touch("recurring_booking", series.recurring_booking_id, ["recurringBooking"]);
    cx.defer(INSERT, &series.params())?;
    if !series.has_end() {
        extend_later(cx, &series)?;
    }
    Ok(SeriesAnswer { recurring_booking: series })
}

/// Which occurrences are cancelled.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CancelSeries {
    /// One, one and all after it, or all that are to come.
    scope: SeriesScope,
    /// The date in the pattern of the one that is meant; for `all` absent.
    occurrence_date: Option<Date>,
    /// Why; kept with the bookings, and not told.
    reason: Option<Text<500>>,
}

fn cancel_recurring_booking(
    cx: &mut Write,
    Path(at): Path<SeriesPath>,
    Body(cancel): Body<CancelSeries>,
) -> Result<SeriesAnswer> {
    let before = RecurringBooking::find(cx, at.recurring_booking_id)?;
    if before.status == SeriesStatus::Cancelled {
        return Err(Problem::conflict("status", "must not be cancelled already"));
    }
    let mut series = before.clone();
    let (scope, date) = (cancel.scope, cancel.occurrence_date);
    let date = match (scope, date) {
        (SeriesScope::All, None) => series.start_date,
        (SeriesScope::All, Some(_)) => {
            return Err(Problem::invalid("occurrenceDate", "must be absent for all"));
        }
        (_, None) => return Err(Problem::invalid("occurrenceDate", "must be given")),
        (_, Some(date)) => {
            if !series.pattern().dates(date, 10_000).contains(&date) {
                let rule = "must be a date of the series";
                return Err(Problem::field(Key::NotFound, "occurrenceDate", rule));
            }
            date
        }
    };
    let reason: Option<String> = cancel.reason.map(Into::into);
    let mut ended = 0;
    for booking in of_series(cx, series.recurring_booking_id)? {
        let meant = booking.occurrence_date.is_some_and(|own| match scope {
            SeriesScope::This => own == date,
            SeriesScope::Following | SeriesScope::All => own >= date,
        });
        if meant {
            let (by, timing) = cancellation::told_now(cx, &booking);
            cancellation::cancelled(
                cx,
                &booking,
                (by, timing, reason.clone()),
                FreedSeat::Promote,
            )?;
            ended += 1;
        }
    }
    match scope {
        SeriesScope::This => {
            if !series.exclusions.0.contains(&date) {
                series.exclusions.0.push(date);
                series.exclusions.0.sort();
            }
        }
        SeriesScope::Following if date > series.start_date => {
            // What was counted before still counts; what follows is no date of the series any more.
            series.until_date = date.plus_days(-1);
            series.count = None;
        }
        SeriesScope::Following | SeriesScope::All => series.status = SeriesStatus::Cancelled,
    }
    if scope != SeriesScope::This {
        cx.clear_timer(&EXTEND_SERIES, series.recurring_booking_id)?;
    }
    cx.happens(|| format!("{ended} bookings are cancelled, which cannot be taken back."));
    cx.as_of(before.updated_at);
    let changed = series.changed(&before);
    series.save(cx, &before)?;
    series.tell(cx, changed)?;
    Ok(SeriesAnswer { recurring_booking: series })
}

/// The live bookings of a series that are to come.
fn of_series(cx: &mut Read, id: RecurringBookingId) -> Result<Vec<Booking>> {
    let now = cx.now();
    cx.all(TO_COME, params![id, now])
}

fn extend_later(cx: &mut Write, series: &RecurringBooking) -> Result<()> {
    cx.set_timer(&EXTEND_SERIES, series.recurring_booking_id, cx.now().plus_days(1))
}

/// Books a series without an end a day further; a date that cannot be booked is left out, and told.
fn extend_series(cx: &mut Write, id: Id) -> Result<()> {
    let before = RecurringBooking::find(cx, RecurringBookingId(id))?;
    if before.status == SeriesStatus::Cancelled || before.has_end() {
        return Ok(());
    }
    let mut series = before.clone();
    let today = series.time_zone.date_at(cx.now());
    let horizon = today.plus_days(HORIZON_DAYS).unwrap_or(today);
    let conflicts = series.book_through(cx, horizon)?;
    let told = !conflicts.is_empty();
    series.skipped.0.extend(conflicts);
    // What is long past is nobody's concern.
    series.skipped.0.retain(|skipped| skipped.date >= today);
    series.save(cx, &before)?;
    if told {
        series.tell(cx, vec!["skipped".to_owned()])?;
    }
    extend_later(cx, &series)
}

static EXTEND_SERIES: Timer =
    Timer::new("extend_series", "Book a recurring booking a day further", extend_series)
        .emits(&[Event::BookingCreated, Event::RecurringBookingChanged]);

/// Who leaves the company has no series any more; their bookings end on their own account.
fn end_of_client(cx: &mut Write, client: Id) -> Result<u64> {
    let series: Vec<RecurringBooking> = cx.all(ACTIVE_OF, params![client])?;
    let count = series.len() as u64;
    for before in series {
        let mut ended = before.clone();
        ended.status = SeriesStatus::Cancelled;
        cx.clear_timer(&EXTEND_SERIES, ended.recurring_booking_id)?;
        ended.save(cx, &before)?;
        ended.tell(cx, vec!["status".to_owned()])?;
    }
    Ok(count)
}

const ENDS: &[Effect] =
    &[Effect::new(Ending::ClientArchived, "Their recurring bookings end.", end_of_client)];

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .tells::<SeriesEvent>()
        .timers(&[&EXTEND_SERIES])
        .ends(ENDS)
        .operations([
            operation!(GET "/recurring-bookings", RecurringBookingsRead, list_recurring_bookings)
                .summary("List recurring bookings")
                .for_own(&["note"])
                .fails(&[Key::ClientNotFound]),
            operation!(GET "/recurring-bookings/{recurringBookingId}", RecurringBookingsRead,
                get_recurring_booking)
            .summary("Get a recurring booking")
            .for_own(&["note"]),
            operation!(POST "/recurring-bookings", RecurringBookingsWrite, create_recurring_booking)
                .summary("Book again and again")
                .describe(
                    "A series with an end (`untilDate` or `count`) is booked whole, at most 104 times; \
                     one without is booked 92 days ahead, and a day further every day. Where dates cannot \
                     be booked, `refuse` lists them in `details.conflicts` and books nothing; `skip` \
                     leaves them out.",
                )
                .created()
                .emits(&[Event::BookingCreated])
                .always(&[])
                .fails(&[
                    Key::AvailabilitySlotNotBookable,
                    Key::DateRangeOrderInvalid,
                    Key::DateRangeTooLarge,
                    Key::CompanyNotFound,
                    Key::ApiError,
                ]),
            operation!(POST "/recurring-bookings/{recurringBookingId}/cancel", RecurringBookingsWrite,
                cancel_recurring_booking)
            .summary("Cancel a recurring booking, or a part of it")
            .emits(&[
                Event::RecurringBookingChanged,
                Event::BookingCancelled,
                Event::BookingUpdated,
            ])
            .always(&[Event::RecurringBookingChanged])
            .fails(&[Key::ApiError])
            .asks(),
        ])
}

lists! {
    /// Series, newest first.
    LIST: List<RecurringBooking, Filters> = List::new(
        "recurring_booking WHERE company_id = ?1",
        "recurring_booking_id DESC",
    );
}

statements! {
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
