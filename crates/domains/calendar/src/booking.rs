//! The booking: a client's seat at an event, or their place on its waiting list; the record, its API form, and
//! queries.

mod affected;
mod noting;
mod times;
mod view;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::catalogue::Policies;
use spotter_contract::{
    Area, Offboarding, Read, Write,
    entitlement::{BookingEntitlement, Entitlement, EntitlementState},
};
use spotter_kernel::{
    Date, Event, Key, Money, Problem, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
    text::quoted,
};
use spotter_store::{Json, params, record, set, statements, values};

use crate::{
    attendance,
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::{Span, local},
    metrics, permissions,
    policy::Policy,
    rules::CalendarRule,
    vocabulary::{
        AttendanceStatus, BookingId, BookingRequestId, BookingStatus, CalendarEventId,
        CancellationTiming, CancelledBy, EventTypeId, RecurringBookingId,
    },
};
pub use affected::{AffectedBookings, affected};

pub use times::{awaited_times, elsewhere, events_of, prefetch_times, times_of};
pub use view::{BookingEvent, BookingView};

record! {
    /// A client's seat at an event, or their place in the line for one.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Booking {
        /// The booking's id, which stays the same however it is moved.
        pub booking_id: BookingId,
        /// Client who attends.
        pub client_id: ClientId,
        /// Appointment or class in which the seat is.
        pub calendar_event_id: CalendarEventId,
        /// Kind of appointment or class, one of `GET /event-types`.
        pub event_type_id: EventTypeId,
        /// Coach who leads it.
        pub coach_id: CoachId,
        /// The location, if there is one.
        pub location_id: Option<LocationId>,
        /// Instant at which it begins, in UTC.
        pub starts_at: Timestamp,
        /// Instant at which it is over, in UTC.
        pub ends_at: Timestamp,
        /// IANA zone of the place where it is held.
        pub time_zone: TimeZone,
        /// Display name.
        pub name: String,
        /// Whether the seat is taken, waited for or given up.
        pub status: BookingStatus,
        /// Whether the client came; absent until it is marked.
        pub attendance_status: AttendanceStatus,
        /// When the client was checked in.
        pub checked_in_at: Option<Timestamp>,
        /// The position on the waiting list; lower ones are served first. Null otherwise.
        pub waitlist_position: Option<i64>,
        /// Instant until which an offered seat is held.
        pub offer_expires_at: Option<Timestamp>,
        /// Its series.
        pub recurring_booking_id: Option<RecurringBookingId>,
        /// Original date in the series, which does not change when it is moved.
        pub occurrence_date: Option<Date>,
        /// Whether it differs from its series.
        pub is_exception: bool,
        /// The request that it was made from.
        pub booking_request_id: Option<BookingRequestId>,
        /// Start before the last move.
        pub rescheduled_from: Option<Timestamp>,
        /// Instant until which the client can cancel or move it free of charge regardless of the
        /// policy, because staff chose its time.
        pub free_until: Option<Timestamp>,
        /// The rules that it was booked by.
        pub policy: Json<Policy>,
        /// What the booking uses: credits, a membership or a pass.
        pub entitlement: Json<Entitlement>,
        /// Fee for a late cancellation or a no-show.
        pub fee: Option<Json<Money>>,
        /// When it was cancelled.
        pub cancelled_at: Option<Timestamp>,
        /// Side that cancelled.
        pub cancelled_by: Option<CancelledBy>,
        /// Whether that was early or late.
        pub cancellation_timing: Option<CancellationTiming>,
        /// Why it was cancelled; absent if no reason was given.
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

/// A new booking.
pub struct NewBooking {
    /// Client who will attend.
    pub client_id: ClientId,
    /// Whether it has a seat, waits, or is offered one.
    pub status: BookingStatus,
    /// The position on the waiting list.
    pub position: Option<i64>,
    /// The credits that it takes.
    pub credits: i64,
    /// The rules that it is booked by.
    pub policy: Policy,
    /// The request that it is made from.
    pub request: Option<BookingRequestId>,
    /// Its series, and its date in it.
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

    /// The same where the record may be gone.
    pub fn find_optional(cx: &mut Read, id: BookingId) -> Result<Option<Self>> {
        cx.one(FIND, params![id])
    }

    /// Creates a booking of an event and emits its event.
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
        booking.note(cx, None)?;
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

    /// What the booking uses: credits, a membership or a pass.
    pub fn taking(&self) -> BookingEntitlement {
        BookingEntitlement {
            booking: self.booking_id.0,
            client: self.client_id,
            units: self.entitlement.0.units,
            pools: self.policy.0.credit_pools.clone(),
            at: self.starts_at,
        }
    }

    /// Holds its credits.
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

    /// Opens a period in which the client may cancel free of charge, because somebody else chose the time: the
    /// company's grace period, the window of the time that the client had agreed to, and the window of the new time,
    /// whichever ends last.
    pub fn grant_grace(&mut self, cx: &mut Read, agreed: Option<&Self>) -> Result<()> {
        let now = cx.now();
        let output = now.plus_seconds(3_600 * Policies::change_grace_hours(cx)?);
        let agreed =
            agreed.and_then(|before| match before.free_until.filter(|until| *until >= now) {
                Some(until) => Some(until),
                None => before.policy.0.closes_at(before.starts_at),
            });
        // Nobody cancels an event that has begun.
        let agreed = agreed.map(|until| until.min(self.starts_at));
        let own = self.policy.0.closes_at(self.starts_at);
        self.free_until = [agreed, own].into_iter().flatten().chain([output]).max();
        Ok(())
    }

    /// Start and end.
    pub fn span(&self) -> Span {
        Span::new(self.starts_at, self.ends_at)
    }

    /// The subjects of the totals that count it.
    fn subjects(&self) -> BTreeSet<String> {
        [
            TALLY.to_owned(),
            format!("{TALLY}?status={}", self.status.word()),
            format!("{TALLY}?coachId={}", self.coach_id),
        ]
        .into()
    }

    /// Moves the booking to its event's time and policy. At another time attendance begins again, and unless the
    /// client chose it, they may cancel free of charge for a while.
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
                // A notice that others owed stays owed.
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

    /// Saves the changes and emits their events.
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
        self.note(cx, Some(before))?;
        let moved = (self.starts_at != before.starts_at).then_some(before.starts_at);
        self.publish(cx, event, changed, moved)
    }

    /// Informs integrations, the client and the coach.
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
        permissions::publish(cx, event, &payload, self.client_id, self.coach_id)
    }

    /// The bookings of an event in a status, in the order of their places in the line, then of their ids.
    pub fn of_event(
        cx: &mut Read,
        event: CalendarEventId,
        status: BookingStatus,
    ) -> Result<Vec<Self>> {
        cx.all(OF_EVENT, params![event, status, SEATS_MAX])
    }

    /// The live bookings of an event: booked, offered and waitlisted.
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

    /// A client's upcoming live bookings.
    pub fn to_come(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        let now = cx.now();
        cx.all(TO_COME, params![client, now, TO_COME_MAX])
    }
}

/// Whether something is held that is to be settled later.
fn held_state(entitlement: &Entitlement) -> bool {
    entitlement.state == EntitlementState::Held
}

/// Most bookings of one event that are read: its seats and its waiting list.
const SEATS_MAX: i64 = 3_000;
/// Most upcoming bookings of one client.
const TO_COME_MAX: i64 = 1_000;

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

    /// Describes the effects of the new booking for a preview.
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
