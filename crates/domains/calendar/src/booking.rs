//! The booking: a client's seat at an event, or their place in the line for one; what is kept of it, what
//! is told of it, and how it is found.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::catalogue::Policies;
use spotter_contract::{
    Area, Offboarding, Payload, Read, Write,
    entitlement::{BookingEntitlement, Entitlement, EntitlementState},
};
use spotter_kernel::{
    Date, Event, Id, Key, Money, Problem, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
    text::quoted,
};
use spotter_store::{Bind, Json, Prefetch, params, record, set, statements, values};

use crate::{
    attendance,
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::{Span, local, with_offset},
    metrics, permissions,
    rules::CalendarRule,
    types::EventType,
    vocabulary::{
        AttendanceStatus, BookingId, BookingRequestId, BookingStatus, CalendarEventId,
        CancellationTiming, CancelledBy, EventTypeId, RecurringBookingId,
    },
};

/// The rules of cancelling, as they were when it was booked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Until how long before the start a cancellation is early; always where null.
    pub cancellation_window_minutes: Option<i64>,
    /// What a late cancellation costs.
    pub late_fee: Option<Money>,
    /// What it costs not to show up.
    pub no_show_fee: Option<Money>,
    /// Keys of the pools whose credits pay for it, beside credits that pay for everything.
    #[serde(default)]
    pub credit_pools: Vec<String>,
}

impl Policy {
    /// The rules that hold now for a type.
    pub fn of(cx: &mut Read, event_type: &EventType) -> Result<Self> {
        let company = Policies::of(cx)?;
        let company = company.as_ref();
        Ok(Self {
            cancellation_window_minutes: event_type
                .cancellation_window_minutes
                .or_else(|| company.map(Policies::cancellation_window_minutes)),
            late_fee: company.and_then(Policies::late_cancellation_fee),
            no_show_fee: company.and_then(Policies::no_show_fee),
            credit_pools: event_type.credit_pools.0.clone(),
        })
    }

    /// Whether a cancellation at an instant is early or late for something that begins at another, in
    /// elapsed time.
    fn timing(&self, now: Timestamp, starts_at: Timestamp) -> CancellationTiming {
        match self.closes_at(starts_at) {
            Some(closes_at) if now > closes_at => CancellationTiming::Late,
            _ => CancellationTiming::Early,
        }
    }

    /// The last instant at which something that begins at another is cancelled early.
    fn closes_at(&self, starts_at: Timestamp) -> Option<Timestamp> {
        self.cancellation_window_minutes.map(|minutes| starts_at.plus_seconds(-60 * minutes))
    }
}

record! {
    /// A client's seat at an event, or their place in the line for one.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Booking {
        /// The booking's id, which stays the same however it is moved.
        pub booking_id: BookingId,
        /// The client.
        pub client_id: ClientId,
        /// The event.
        pub calendar_event_id: CalendarEventId,
        /// The event type.
        pub event_type_id: EventTypeId,
        /// The coach.
        pub coach_id: CoachId,
        /// The location, if there is one.
        pub location_id: Option<LocationId>,
        /// Start.
        pub starts_at: Timestamp,
        /// End.
        pub ends_at: Timestamp,
        /// Time zone of the event.
        pub time_zone: TimeZone,
        /// Display name.
        pub name: String,
        /// Whether it has a seat.
        pub status: BookingStatus,
        /// What became of the seat.
        pub attendance_status: AttendanceStatus,
        /// When the client was marked as there.
        pub checked_in_at: Option<Timestamp>,
        /// The number that was drawn in the line, while it waits: who has a lower one is before it.
        pub waitlist_position: Option<i64>,
        /// Until when an offered seat is held.
        pub offer_expires_at: Option<Timestamp>,
        /// The series that it is of.
        pub recurring_booking_id: Option<RecurringBookingId>,
        /// Its date in the series, which stays the same however it is moved.
        pub occurrence_date: Option<Date>,
        /// Whether it was changed apart from its series.
        pub is_exception: bool,
        /// The request that it came of.
        pub booking_request_id: Option<BookingRequestId>,
        /// Where it was moved from last.
        pub rescheduled_from: Option<Timestamp>,
        /// Until when the client cancels or moves it free of charge whatever the policy says, because somebody else has
        /// chosen its time.
        pub free_until: Option<Timestamp>,
        /// The rules that it was booked by.
        pub policy: Json<Policy>,
        /// What it takes of what the client has paid for.
        pub entitlement: Json<Entitlement>,
        /// What is due for a late cancellation or for not showing up.
        pub fee: Option<Json<Money>>,
        /// When it was cancelled.
        pub cancelled_at: Option<Timestamp>,
        /// On whose side it was cancelled.
        pub cancelled_by: Option<CancelledBy>,
        /// Whether that was early or late.
        pub cancellation_timing: Option<CancellationTiming>,
        /// Why it was cancelled.
        pub cancellation_reason: Option<String>,
        /// Note by staff.
        pub note: Option<String>,
        /// The integrator's own id for it; unique in the company.
        pub external_id: Option<String>,
        /// Version number; increases with every change.
        pub version: i64,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// What is told of a booking.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingEvent {
    booking_id: BookingId,
    client_id: ClientId,
    calendar_event_id: CalendarEventId,
    event_type_id: EventTypeId,
    coach_id: CoachId,
    location_id: Option<LocationId>,
    starts_at: Timestamp,
    ends_at: Timestamp,
    status: BookingStatus,
    attendance_status: AttendanceStatus,
    recurring_booking_id: Option<RecurringBookingId>,
    booking_request_id: Option<BookingRequestId>,
    /// When it began before it was moved.
    previous_starts_at: Option<Timestamp>,
    cancelled_at: Option<Timestamp>,
    cancelled_by: Option<CancelledBy>,
    cancellation_timing: Option<CancellationTiming>,
    /// Names of the changed fields; absent on creation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for BookingEvent {
    const EVENTS: &'static [Event] =
        &[Event::BookingCreated, Event::BookingUpdated, Event::BookingCancelled];
}

/// What a new booking is made of.
pub struct NewBooking {
    /// The client.
    pub client_id: ClientId,
    /// Whether it has a seat, waits, or is offered one.
    pub status: BookingStatus,
    /// The place in the line, where it waits.
    pub position: Option<i64>,
    /// The credits that it takes.
    pub credits: i64,
    /// The rules that it is booked by.
    pub policy: Policy,
    /// The request that it comes of.
    pub request: Option<BookingRequestId>,
    /// The series that it is of, and its date there.
    pub series: Option<(RecurringBookingId, Date)>,
    /// Note by staff.
    pub note: Option<String>,
    /// The integrator's own id for it.
    pub external_id: Option<String>,
}

/// The subject of the total of all bookings.
pub const TALLY: &str = "bookings";

impl Booking {
    /// The booking with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: BookingId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Problem::new(Key::NotFound))?;
        cx.own(found, |booking| booking.client_id)
    }

    /// Makes a booking of an event and tells of it.
    pub fn create(cx: &mut Write, event: &CalendarEvent, new: NewBooking) -> Result<Self> {
        if let Some(external) = &new.external_id {
            Self::check_external_id(cx, external)?;
        }
        let mut booking = Self {
            booking_id: BookingId(cx.new_id()),
            client_id: new.client_id,
            calendar_event_id: event.calendar_event_id,
            event_type_id: event.event_type_id,
            coach_id: event.coach_id,
            location_id: event.location_id,
            starts_at: event.starts_at,
            ends_at: event.ends_at,
            time_zone: event.time_zone.clone(),
            name: event.name.clone(),
            status: new.status,
            attendance_status: AttendanceStatus::Expected,
            checked_in_at: None,
            waitlist_position: new.position,
            offer_expires_at: None,
            recurring_booking_id: new.series.map(|(series, _)| series),
            occurrence_date: new.series.map(|(_, date)| date),
            is_exception: false,
            booking_request_id: new.request,
            rescheduled_from: None,
            free_until: None,
            policy: Json(new.policy),
            entitlement: Json(Entitlement { units: new.credits, ..Entitlement::NONE }),
            fee: None,
            cancelled_at: None,
            cancelled_by: None,
            cancellation_timing: None,
            cancellation_reason: None,
            note: new.note,
            external_id: new.external_id,
            version: 1,
            created_at: cx.now(),
            updated_at: cx.now(),
        };
        if booking.booking_request_id.is_some() {
            booking.grant_grace(cx, None)?;
        }
        if booking.status.has_seat() {
            booking.hold(cx)?;
        }
        cx.set_audit_target("booking", booking.booking_id, ["booking"]);
        cx.defer(INSERT, &booking.params())?;
        cx.recount(&BTreeSet::new(), &booking.subjects())?;
        metrics::follow_booking(cx, None, &booking)?;
        booking.publish(cx, Event::BookingCreated, Vec::new(), None)?;
        Ok(booking)
    }

    /// Refuses the integrator's own id of another booking.
    pub fn check_external_id(cx: &mut Read, external: &str) -> Result<()> {
        let taken: Option<(BookingId,)> = cx.one(BY_EXTERNAL_ID, params![external])?;
        match taken {
            Some(_) => Err(Problem::conflict("externalId", CalendarRule::OtherBookings)),
            None => Ok(()),
        }
    }

    /// What it takes of what the client has paid for.
    pub fn taking(&self) -> BookingEntitlement {
        BookingEntitlement {
            booking: self.booking_id.0,
            client: self.client_id,
            units: self.entitlement.0.units,
            pools: self.policy.0.credit_pools.clone(),
            at: self.starts_at,
        }
    }

    /// Holds what it takes.
    pub fn hold(&mut self, cx: &mut Write) -> Result<()> {
        self.entitlement = Json(cx.entitlements()?.hold(cx, &self.taking())?);
        if held_state(&self.entitlement.0) {
            attendance::schedule_settlement(cx, self)?;
        }
        Ok(())
    }

    /// Whether the client cancels or moves it in time now.
    pub fn timing(&self, now: Timestamp) -> CancellationTiming {
        match self.free_until {
            Some(until) if now <= until => CancellationTiming::Early,
            _ => self.policy.0.timing(now, self.starts_at),
        }
    }

    /// Lets the client leave free of charge for a while, because somebody else has just chosen the time: for the
    /// company's grace, until the window of the time that they had agreed to, where it was moved from one, and as long as
    /// that of the new one is open.
    pub fn grant_grace(&mut self, cx: &mut Read, agreed: Option<&Self>) -> Result<()> {
        let now = cx.now();
        let output = now.plus_seconds(3_600 * Policies::change_grace_hours(cx)?);
        let agreed =
            agreed.and_then(|before| match before.free_until.filter(|until| *until >= now) {
                Some(until) => Some(until),
                None => before.policy.0.closes_at(before.starts_at),
            });
        // Nobody leaves what has begun.
        let agreed = agreed.map(|until| until.min(self.starts_at));
        let own = self.policy.0.closes_at(self.starts_at);
        self.free_until = [agreed, own].into_iter().flatten().chain([output]).max();
        Ok(())
    }

    /// Start and end.
    pub fn span(&self) -> Span {
        Span::new(self.starts_at, self.ends_at)
    }

    /// Under what it is counted.
    fn subjects(&self) -> BTreeSet<String> {
        [
            TALLY.to_owned(),
            format!("{TALLY}?status={}", self.status.word()),
            format!("{TALLY}?coachId={}", self.coach_id),
        ]
        .into()
    }

    /// Lies where its event lies, and takes what is good then. At another time attendance begins anew, and where not
    /// the client has chosen it, they leave free of charge for a while.
    pub fn follow(
        &mut self,
        cx: &mut Write,
        event: &CalendarEvent,
        chosen_by: CancelledBy,
    ) -> Result<()> {
        let moved = self.starts_at != event.starts_at;
        if moved && self.status.has_seat() {
            attendance::undo(cx, self)?;
        }
        let agreed = self.clone();
        self.calendar_event_id = event.calendar_event_id;
        self.coach_id = event.coach_id;
        self.location_id = event.location_id;
        self.starts_at = event.starts_at;
        self.ends_at = event.ends_at;
        self.time_zone = event.time_zone.clone();
        self.name = event.name.clone();
        if moved && self.status.has_seat() {
            match chosen_by {
                // What others had to give them stays theirs.
                CancelledBy::Client => {
                    self.free_until = self.free_until.filter(|until| *until > cx.now())
                }
                CancelledBy::Coach | CancelledBy::Company | CancelledBy::System => {
                    self.grant_grace(cx, Some(&agreed))?;
                }
            }
            self.hold(cx)?;
            cx.end(Offboarding::ObstacleEnded, self.client_id)?;
        }
        Ok(())
    }

    /// Writes down what has changed, and tells of it.
    pub fn save(&mut self, cx: &mut Write, before: &Self, event: Event) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("booking", self.booking_id, changed.clone()) else {
            return Ok(());
        };
        self.updated_at = now;
        self.version = before.version + 1;
        cx.defer(SAVE, &self.params())?;
        cx.recount(&before.subjects(), &self.subjects())?;
        metrics::follow_booking(cx, Some(before), self)?;
        let moved = (self.starts_at != before.starts_at).then_some(before.starts_at);
        self.publish(cx, event, changed, moved)
    }

    /// Tells integrations, the client and the coach.
    fn publish(
        &self,
        cx: &mut Write,
        event: Event,
        changed_fields: Vec<String>,
        previous_starts_at: Option<Timestamp>,
    ) -> Result<()> {
        let payload = BookingEvent {
            booking_id: self.booking_id,
            client_id: self.client_id,
            calendar_event_id: self.calendar_event_id,
            event_type_id: self.event_type_id,
            coach_id: self.coach_id,
            location_id: self.location_id,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            status: self.status,
            attendance_status: self.attendance_status,
            recurring_booking_id: self.recurring_booking_id,
            booking_request_id: self.booking_request_id,
            previous_starts_at,
            cancelled_at: self.cancelled_at,
            cancelled_by: self.cancelled_by,
            cancellation_timing: self.cancellation_timing,
            changed_fields,
        };
        permissions::publish(cx, event, &payload, (self.client_id, self.coach_id))
    }

    /// The bookings of an event in a status, in the order of their places in the line, then of their ids.
    pub fn of_event(
        cx: &mut Read,
        event: CalendarEventId,
        status: BookingStatus,
    ) -> Result<Vec<Self>> {
        cx.all(OF_EVENT, params![event, status, SEATS_MAX])
    }

    /// The live bookings of an event: those with a seat, those who are offered one, and the line.
    pub fn live_at(cx: &mut Read, event: CalendarEventId) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for status in [BookingStatus::Booked, BookingStatus::Offered, BookingStatus::Waitlisted] {
            found.extend(Self::of_event(cx, event, status)?);
        }
        Ok(found)
    }

    /// The client's live booking of an event, if there is one.
    pub fn live_of(
        cx: &mut Read,
        event: CalendarEventId,
        client: ClientId,
    ) -> Result<Option<Self>> {
        cx.one(LIVE, params![event, client])
    }

    /// A client's bookings to come that something can still come of.
    pub fn to_come(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        let now = cx.now();
        cx.all(TO_COME, params![client, now, TO_COME_MAX])
    }
}

/// Whether something is held that is to be settled later.
fn held_state(entitlement: &Entitlement) -> bool {
    entitlement.state == EntitlementState::Held
}

/// Most bookings of one event that are looked at: its seats, and those who wait.
const SEATS_MAX: i64 = 3_000;
/// Most bookings to come of one client.
const TO_COME_MAX: i64 = 1_000;

/// When a client is somewhere, in order and without overlaps, but for one event.
pub fn times_of(
    cx: &mut Read,
    client: ClientId,
    range: Span,
    than: Option<Id>,
) -> Result<Vec<Span>> {
    let request = prefetch_times(cx, client, range)?;
    awaited_times(cx, request, than)
}

/// Asks for the times of a client before they are needed.
pub fn prefetch_times(
    cx: &mut Read,
    client: ClientId,
    range: Span,
) -> Result<Prefetch<(Timestamp, Timestamp, Id)>> {
    cx.prefetch(TIMES, params![client, range.start, range.end])
}

/// The times that were asked for.
pub fn awaited_times(
    cx: &mut Read,
    request: Prefetch<(Timestamp, Timestamp, Id)>,
    than: Option<Id>,
) -> Result<Vec<Span>> {
    let rows = cx.awaited(request)?;
    let others = rows.into_iter().filter(|(_, _, event)| Some(*event) != than);
    Ok(crate::hours::merged(others.map(|(start, end, _)| Span::new(start, end)).collect()))
}

/// The events within a range that a client has booked, or waits for.
pub fn events_of(
    cx: &mut Read,
    client: ClientId,
    range: Span,
) -> Result<BTreeSet<CalendarEventId>> {
    let rows: Vec<(CalendarEventId,)> = cx.all(EVENTS, params![client, range.start, range.end])?;
    Ok(rows.into_iter().map(|(event,)| event).collect())
}

record! {
    /// A booking that something concerns.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[schemars(inline)]
    #[serde(rename_all = "camelCase")]
    pub struct AffectedBooking {
        booking_id: BookingId,
        client_id: ClientId,
        calendar_event_id: CalendarEventId,
        coach_id: CoachId,
        location_id: Option<LocationId>,
        starts_at: Timestamp,
        ends_at: Timestamp,
    }
}

/// The bookings that something concerns.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct AffectedBookings {
    /// Number of records.
    total: i64,
    /// The first 100 bookings.
    bookings: Vec<AffectedBooking>,
}

/// Most bookings that are told of.
const AFFECTED_TOLD: usize = 100;
/// Most bookings that are counted.
const AFFECTED_MAX: i64 = 20_000;

/// The bookings to come of a coach, at a location, or of the company, that share time with some spans.
pub fn affected(
    cx: &mut Read,
    coach: Option<CoachId>,
    location: Option<LocationId>,
    spans: &[Span],
) -> Result<AffectedBookings> {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        return Ok(AffectedBookings { total: 0, bookings: Vec::new() });
    };
    // What lies in a range may have begun a day before it.
    let (from, to) = (first.start.plus_days(-1).max(cx.now()), last.end);
    let mut found: Vec<AffectedBooking> = match (coach, location) {
        (Some(coach), _) => cx.all(AFFECTED_OF_COACH, params![from, to, coach, AFFECTED_MAX])?,
        (_, Some(place)) => cx.all(AFFECTED_AT, params![from, to, place, AFFECTED_MAX])?,
        _ => cx.all(AFFECTED, params![from, to, AFFECTED_MAX])?,
    };
    let hit = |booking: &AffectedBooking| {
        let span = Span::new(booking.starts_at, booking.ends_at);
        spans.iter().any(|closed| closed.overlaps(&span))
    };
    found.retain(hit);
    let total = found.len() as i64;
    found.truncate(AFFECTED_TOLD);
    Ok(AffectedBookings { total, bookings: found })
}

/// Where those who come to events are at the same time, besides.
pub fn elsewhere(cx: &mut Read, events: &[CalendarEvent]) -> Result<AffectedBookings> {
    let mut seats = Vec::new();
    for event in events {
        let booked = Booking::of_event(cx, event.calendar_event_id, BookingStatus::Booked)?;
        seats.extend(booked.into_iter().map(|booking| (booking.client_id, event)));
    }
    let request = seats.iter().map(|(client, event)| {
        let from = event.starts_at.plus_days(-1);
        [client.bind(), from.bind(), event.ends_at.bind()].map(|v| v.into_owned()).to_vec()
    });
    let found: Vec<Vec<AffectedBooking>> = cx.all_each(OF_CLIENT, request)?;
    let mut bookings = Vec::new();
    for ((_, event), others) in seats.iter().zip(found) {
        bookings.extend(others.into_iter().filter(|other| {
            let span = Span::new(other.starts_at, other.ends_at);
            other.calendar_event_id != event.calendar_event_id && span.overlaps(&event.span())
        }));
    }
    let total = bookings.len() as i64;
    bookings.truncate(AFFECTED_TOLD);
    Ok(AffectedBookings { total, bookings })
}

impl Booking {
    /// Describes for a preview that it was moved.
    pub fn describe_move(&self, cx: &mut Write, before: &Self) {
        let was = local(before.starts_at, &before.time_zone);
        let (name, at) = (quoted(&self.name), local(self.starts_at, &self.time_zone));
        cx.describe_effect(|| CalendarEffect::Moved {
            name: name.to_string(),
            was: was.to_string(),
            at: at.to_string(),
        });
        if self.free_until.is_some() && self.free_until != before.free_until {
            cx.describe_effect(|| CalendarEffect::FreeToCancel);
        }
    }

    /// Says what it means that it is made, for whoever asks before.
    pub fn describe_effects(&self, cx: &mut Write) {
        let (name, at) = (quoted(&self.name), local(self.starts_at, &self.time_zone));
        match self.waitlist_position {
            Some(place) => {
                cx.describe_effect(|| CalendarEffect::Waitlisted {
                    name: name.to_string(),
                    at: at.to_string(),
                    place,
                });
            }
            None => cx.describe_effect(|| CalendarEffect::Booked {
                name: name.to_string(),
                at: at.to_string(),
            }),
        }
        let units = self.entitlement.0.units;
        if units > 0 {
            cx.describe_effect(|| CalendarEffect::CreditsUsed { units });
        }
    }
}

/// A booking as it is told, with what the clock shows at its start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingView {
    #[serde(flatten)]
    booking: Booking,
    /// Start in local time with its UTC offset.
    local_starts_at: String,
}

impl From<Booking> for BookingView {
    fn from(booking: Booking) -> Self {
        let local_starts_at = with_offset(booking.starts_at, &booking.time_zone);
        Self { booking, local_starts_at }
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<BookingEvent>()
}

statements! {
    FIND = "SELECT ", Booking::COLUMNS, " FROM booking WHERE company_id = ?1 AND booking_id = ?2";
    BY_EXTERNAL_ID = "SELECT booking_id FROM booking WHERE company_id = ?1 AND external_id = ?2";
    LIVE = "SELECT ", Booking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND calendar_event_id = ?2 AND client_id = ?3 AND status <> 'cancelled'";
    OF_EVENT = "SELECT ", Booking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND calendar_event_id = ?2 AND status = ?3 ORDER BY waitlist_position, booking_id LIMIT ?4";
    TO_COME = "SELECT ", Booking::COLUMNS, " FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND starts_at > ?3 AND status <> 'cancelled' ORDER BY starts_at, booking_id LIMIT ?4";
    TIMES = "SELECT starts_at, ends_at, calendar_event_id FROM booking WHERE company_id = ?1 \
        AND client_id = ?2 AND starts_at >= ?3 AND starts_at < ?4 AND status IN ('booked', 'offered') \
        ORDER BY starts_at LIMIT 5000";
    EVENTS = "SELECT calendar_event_id FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND starts_at >= ?3 AND starts_at < ?4 AND status <> 'cancelled' LIMIT 5000";
    AFFECTED = "SELECT ", AffectedBooking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND status IN ('booked', 'offered') \
        ORDER BY starts_at, booking_id LIMIT ?4";
    AFFECTED_OF_COACH = "SELECT ", AffectedBooking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND coach_id = ?4 AND status IN ('booked', 'offered') \
        ORDER BY starts_at, booking_id LIMIT ?5";
    AFFECTED_AT = "SELECT ", AffectedBooking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND location_id = ?4 AND status IN ('booked', 'offered') \
        ORDER BY starts_at, booking_id LIMIT ?5";
    OF_CLIENT = "SELECT ", AffectedBooking::COLUMNS, " FROM booking WHERE company_id = ?1 \
        AND client_id = ?2 AND starts_at >= ?3 AND starts_at < ?4 AND status IN ('booked', 'offered') \
        ORDER BY starts_at, booking_id LIMIT 100";
    INSERT = "INSERT INTO booking ", values!(Booking);
    SAVE = "UPDATE booking SET ", set!(Booking), " WHERE company_id = ?1 AND booking_id = ?2";
}
