//! Classes as coaches make them, one at a time: what takes place and is joined. Integrations read them.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_company::locations::Location;
use spotter_contract::{Area, Body, OptionalBody, Path, Success, Write, answer, operation};
use spotter_kernel::{
    Change, Date, Event, Id, Key, Patch, Problem, Result, Rule, TimeZone, Timestamp,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::{Name, Text, quoted},
};
use spotter_people::coaches::Coach;

use crate::{
    availability::{CoachAvailability, LocationAvailability},
    booking::{self, AffectedBookings, Booking},
    busy::crowded,
    cancellation::{self, Cancellation},
    closures::closes_class,
    correcting,
    create::bookable_type,
    days,
    effects::CalendarEffect,
    events::{CalendarEvent, EventAnswer, EventPath, EventView, NewEvent},
    hours::Span,
    notice, permissions, requests,
    rules::CalendarRule,
    seat_holds,
    slot_rules::meets,
    templates::EventTemplate,
    types::EventType,
    vocabulary::{
        Buffers, CancellationTiming, CancelledBy, EventKind, EventSeriesId, EventTemplateId,
        EventTypeId, OfferStatus, Placement, UnavailableReason,
    },
    waitlist,
};

/// The class to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewClass {
    /// Template; absent fields are taken from it.
    pub event_template_id: Option<EventTemplateId>,
    /// Event type; required without a template.
    pub event_type_id: Option<EventTypeId>,
    /// Display name.
    pub name: Option<Name<120>>,
    /// Coach who leads it.
    pub coach_id: Option<CoachId>,
    /// Where it is held.
    pub location_id: Option<LocationId>,
    /// Instant at which it begins, in UTC.
    pub starts_at: Timestamp,
    /// Duration in minutes, 5 to 1,440.
    pub duration_minutes: Option<BoundedInteger<5, 1_440>>,
    /// Seats, 1 to 1,000.
    pub capacity: Option<BoundedInteger<1, 1_000>>,
    /// Makes it although its coach has something else to do then.
    #[serde(default)]
    pub ignore_policy: bool,
}

/// A class without its time.
pub struct ClassDetails {
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
    /// How long it is.
    pub minutes: i64,
    /// Number of seats.
    pub capacity: i64,
}

impl ClassDetails {
    /// The given fields, or else those of the template and the type.
    pub fn of(cx: &mut Write, new: NewClass) -> Result<Self> {
        let template = match new.event_template_id {
            Some(id) => {
                let template = EventTemplate::find(cx, id)?;
                if template.status == OfferStatus::Archived {
                    return Err(Problem::conflict("eventTemplateId", Rule::Archived));
                }
                Some(template)
            }
            None => None,
        };
        let template = template.as_ref();
        let type_id = new.event_type_id.or(template.map(|template| template.event_type_id));
        let type_id = type_id.ok_or_else(|| Problem::invalid("eventTypeId", Rule::Required))?;
        let event_type = bookable_type(cx, type_id)?;
        if event_type.kind != EventKind::Class {
            return Err(Problem::conflict("eventTypeId", CalendarRule::NotClass));
        }
        let coach = new.coach_id.or(template.and_then(|template| template.coach_id));
        let coach_id = match (coach, event_type.coach_ids.0.as_slice()) {
            (Some(coach), _) => coach,
            (None, [only]) => *only,
            _ => return Err(Problem::field(Key::CoachRequired, "coachId", Rule::Required)),
        };
        check_coach(cx, coach_id)?;
        let location = new.location_id.or(template.and_then(|template| template.location_id));
        let location_id = location.or(match event_type.location_ids.0.as_slice() {
            [only] => Some(*only),
            _ => None,
        });
        place(cx, location_id)?;
        let minutes = new.duration_minutes.map(i64::from);
        let minutes = minutes.or(template.map(|template| template.duration_minutes));
        let capacity = new.capacity.map(i64::from);
        let capacity = capacity.or(template.and_then(|template| template.capacity));
        let name = new.name.map(Into::into).or(template.map(|template| template.name.clone()));
        Ok(Self {
            event_type_id: event_type.event_type_id,
            event_template_id: new.event_template_id,
            minutes: minutes.unwrap_or(event_type.duration_minutes),
            capacity: capacity.unwrap_or(event_type.capacity),
            name: name.unwrap_or(event_type.name),
            coach_id,
            location_id,
        })
    }

    /// Creates a class by this plan.
    pub fn create(
        &self,
        cx: &mut Write,
        starts_at: Timestamp,
        series: Option<(EventSeriesId, Date)>,
        ignore_policy: bool,
    ) -> Result<Placement<CalendarEvent>> {
        let event_type = EventType::of(cx, self.event_type_id)?;
        let schedule = CoachAvailability::of(cx, self.coach_id)?;
        let buffers = event_type.buffers(&schedule);
        let span = Span::from_minutes(starts_at, self.minutes);
        let (time_zone, most) = place(cx, self.location_id)?;
        if !ignore_policy {
            let occupancy = Occupancy {
                coach: self.coach_id,
                location: self.location_id,
                max_concurrent_events: most,
                span,
                buffers,
            };
            let found = occupancy.obstacles(cx, None)?;
            if !found.is_empty() {
                return Ok(Placement::Blocked(found));
            }
        }
        let event = NewEvent {
            kind: EventKind::Class,
            event_type_id: self.event_type_id,
            event_template_id: self.event_template_id,
            name: self.name.clone(),
            coach_id: self.coach_id,
            location_id: self.location_id,
            span,
            time_zone,
            capacity: self.capacity,
            seats_taken: 0,
            buffers,
            series,
        };
        let event = CalendarEvent::create(cx, event, most.is_some())?;
        cx.set_audit_target("calendar_event", event.calendar_event_id, ["calendarEvent"]);
        Ok(Placement::Placed(event))
    }
}

/// Refuses a coach who has left, or whose calendar the caller may not change.
pub fn check_coach(cx: &mut Write, coach: CoachId) -> Result<()> {
    permissions::check_own_calendar(cx, coach)?;
    Coach::find_assignable(cx, coach).map(drop)
}

/// The zone of a place, or of the company; and how many events a limited place holds at once.
fn place(cx: &mut Write, location: Option<LocationId>) -> Result<(TimeZone, Option<i64>)> {
    let Some(id) = location else { return Ok((cx.zone()?, None)) };
    let rule = Rule::OtherCompanysLocation;
    let location = Location::find(cx, id).map_err(|none| none.missing("locationId", rule))?;
    if !location.is_active() {
        return Err(Problem::conflict("locationId", Rule::Archived));
    }
    let most = LocationAvailability::of(cx, &location)?.max_concurrent_events;
    Ok((location.time_zone(), most))
}

/// The coach, the location and the time that a class takes.
struct Occupancy {
    coach: CoachId,
    location: Option<LocationId>,
    /// The number of simultaneous events at the location, where it is limited.
    max_concurrent_events: Option<i64>,
    span: Span,
    buffers: Buffers,
}

impl Occupancy {
    /// Why a class cannot take it: a closure, a busy coach, or a location without room. An event of this id does not
    /// count.
    fn obstacles(&self, cx: &mut Write, except: Option<Id>) -> Result<Vec<UnavailableReason>> {
        let span = self.span;
        let around = self.buffers.around(span);
        let mut found = Vec::new();
        if closes_class(cx, span, self.coach, self.location)? {
            found.push(UnavailableReason::Closed);
        }
        if meets(&days::busy(cx, self.coach, around, except)?, &around) {
            found.push(UnavailableReason::CoachBusy);
        }
        if let Some((id, most)) = self.location.zip(self.max_concurrent_events) {
            let taken = days::busy_spans(cx, &[id.0], span, except)?;
            if meets(&crowded(taken.into_iter().flatten(), most as usize), &span) {
                found.push(UnavailableReason::LocationBusy);
            }
        }
        Ok(found)
    }
}

/// The class that could be placed, or the refusal by the first obstacle.
fn placed_class(placement: Placement<CalendarEvent>) -> Result<CalendarEvent> {
    let reasons = match placement {
        Placement::Placed(class) => return Ok(class),
        Placement::Blocked(reasons) => reasons,
    };
    Err(match reasons.first() {
        Some(UnavailableReason::Closed) => {
            Problem::conflict("startsAt", CalendarRule::WithinClosure)
        }
        Some(UnavailableReason::LocationBusy) => {
            Problem::conflict("locationId", CalendarRule::NoRoomThen)
        }
        _ => Problem::conflict("startsAt", CalendarRule::CoachBusy),
    })
}

fn create_calendar_event(cx: &mut Write, Body(new): Body<NewClass>) -> Result<EventAnswer> {
    let (starts_at, ignore_policy) = (new.starts_at, new.ignore_policy);
    permissions::check_start(cx, starts_at)?;
    let event = ClassDetails::of(cx, new)?.create(cx, starts_at, None, ignore_policy)?;
    Ok(EventAnswer { calendar_event: placed_class(event)?.into() })
}

/// The fields of a class to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClassChanges {
    name: Change<Name<120>>,
    coach_id: Change<CoachId>,
    location_id: Patch<LocationId>,
    starts_at: Change<Timestamp>,
    duration_minutes: Change<BoundedInteger<5, 1_440>>,
    /// Number of seats. More seats promote from the waiting list; fewer seats cancel no booking.
    capacity: Change<BoundedInteger<1, 1_000>>,
    /// Moves it although its coach has something else to do then.
    ignore_policy: bool,
    /// Sentence to its clients, in the letter that tells them of it.
    message: Option<Text<500>>,
}

/// The class with this id, while it can be changed.
fn changeable(cx: &mut Write, at: EventPath) -> Result<CalendarEvent> {
    let event = CalendarEvent::find(cx, at.calendar_event_id)?;
    permissions::check_own_calendar(cx, event.coach_id)?;
    if event.kind != EventKind::Class {
        return Err(Problem::conflict("kind", CalendarRule::NotClassButAppointment));
    }
    if !event.is_scheduled() {
        return Err(Problem::conflict("status", CalendarRule::NotScheduled));
    }
    Ok(event)
}

fn update_calendar_event(
    cx: &mut Write,
    Path(at): Path<EventPath>,
    Body(change): Body<ClassChanges>,
) -> Result<ChangedAnswer> {
    let before = changeable(cx, at)?;
    let mut event = before.clone();
    let minutes = (event.ends_at.millis() - event.starts_at.millis()) / 60_000;
    let minutes = change.duration_minutes.value().map_or(minutes, Into::into);
    change.name.apply(&mut event.name);
    change.coach_id.apply(&mut event.coach_id);
    change.location_id.apply(&mut event.location_id);
    if let Some(starts_at) = change.starts_at.value() {
        permissions::check_start(cx, starts_at)?;
        event.starts_at = starts_at;
    }
    change.capacity.apply(&mut event.capacity);
    event.ends_at = Span::from_minutes(event.starts_at, minutes).end;
    if event.coach_id != before.coach_id {
        check_coach(cx, event.coach_id)?;
    }
    event.is_exception |= event != before && event.event_series_id.is_some();
    let changed = placed_class(altered(cx, &before, event, change.ignore_policy)?)?;
    let moved: &[_] =
        if changed.moves > before.moves { std::slice::from_ref(&changed) } else { &[] };
    let overlapping_bookings = booking::elsewhere(cx, moved)?;
    if change.message.is_some() {
        for booking in Booking::live_at(cx, changed.calendar_event_id)? {
            notice::add_message(
                cx,
                booking.client_id,
                booking.booking_id,
                change.message.as_deref(),
            )?;
        }
    }
    Ok(ChangedAnswer { calendar_event: changed.into(), overlapping_bookings })
}

answer!(
    /// A class that was changed.
    ChangedAnswer {
        /// The class.
        calendar_event: EventView,
        /// Other bookings of the participants that overlap with the new time.
        overlapping_bookings: AffectedBookings,
    }
);

/// Changes a class, and its bookings with it.
pub fn altered(
    cx: &mut Write,
    before: &CalendarEvent,
    mut event: CalendarEvent,
    ignore_policy: bool,
) -> Result<Placement<CalendarEvent>> {
    let moved = event.span() != before.span()
        || event.coach_id != before.coach_id
        || event.location_id != before.location_id;
    if moved {
        let (time_zone, most) = place(cx, event.location_id)?;
        if !ignore_policy {
            let occupancy = Occupancy {
                coach: event.coach_id,
                location: event.location_id,
                max_concurrent_events: most,
                span: event.span(),
                buffers: Buffers { before: event.before_minutes, after: event.after_minutes },
            };
            let found = occupancy.obstacles(cx, Some(event.calendar_event_id.0))?;
            if !found.is_empty() {
                return Ok(Placement::Blocked(found));
            }
        }
        event.time_zone = time_zone;
        before.give_back(cx)?;
        event.take(cx, most.is_some())?;
        event.moves += 1;
    }
    cx.set_audit_target("calendar_event", event.calendar_event_id, event.changed(before));
    event.revise(cx, before)?;
    if moved {
        requests::follow(cx, &event)?;
        if event.waitlisted > 0 {
            waitlist::close_at_start(cx, &event)?;
        }
    }
    if moved || event.name != before.name {
        for was in Booking::live_at(cx, event.calendar_event_id)? {
            let mut booking = was.clone();
            booking.follow(cx, &event, CancelledBy::Company)?;
            waitlist::follow(cx, &event, &mut booking)?;
            if event.starts_at != before.starts_at {
                booking.rescheduled_from = Some(before.starts_at);
            }
            booking.save(cx, &was, Event::BookingUpdated)?;
        }
    }
    waitlist::fill(cx, &mut event)?;
    Ok(Placement::Placed(event))
}

/// Why a class is cancelled.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClassCancellation {
    /// Reason; stored with its bookings, not sent to clients.
    reason: Option<Text<500>>,
    /// Sentence to its clients, in the letter that tells them of it.
    message: Option<Text<500>>,
}

fn cancel_calendar_event(
    cx: &mut Write,
    Path(at): Path<EventPath>,
    OptionalBody(why): OptionalBody<ClassCancellation>,
) -> Result<EventAnswer> {
    let mut event = changeable(cx, at)?;
    let why = CallingOff { reason: why.reason.as_deref(), message: why.message.as_deref() };
    let ended = call_off(cx, &mut event, why)?;
    cx.describe_effect(|| CalendarEffect::ClassCalledOff {
        name: quoted(&event.name),
        bookings: ended,
    });
    Ok(EventAnswer { calendar_event: event.into() })
}

/// Why a class does not take place.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallingOff<'c> {
    /// What is stored with its bookings.
    pub reason: Option<&'c str>,
    /// What its clients are told.
    pub message: Option<&'c str>,
}

/// Cancels a class with its bookings and requests: how many bookings it had.
pub fn call_off(cx: &mut Write, event: &mut CalendarEvent, why: CallingOff<'_>) -> Result<u64> {
    let mut ended = 0;
    event.seats_taken = 0;
    event.waitlisted = 0;
    event.end(cx)?;
    for before in Booking::live_at(cx, event.calendar_event_id)? {
        let timing = before.status.has_seat().then_some(CancellationTiming::Early);
        let by = CancelledBy::Company;
        let cancellation = Cancellation { by, timing, reason: why.reason.map(str::to_owned) };
        let booking = cancellation::ended(cx, &before, cancellation)?;
        notice::add_message(cx, booking.client_id, booking.booking_id, why.message)?;
        ended += 1;
    }
    requests::end_of_event(cx, event.calendar_event_id)?;
    seat_holds::forget_of_event(cx, event.calendar_event_id)?;
    cx.set_audit_target("calendar_event", event.calendar_event_id, ["status"]);
    Ok(ended)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(app POST "/calendar/events", Coach, create_calendar_event)
            .success(Success::Added)
            .summary("Create a class")
            .describe("Creates one class that clients can book.")
            .created()
            .fails(&[Key::CoachRequired, Key::ApiError, Key::CompanyNotFound]),
        operation!(app PATCH "/calendar/events/{calendarEventId}", Coach, update_calendar_event)
            .summary("Update a class")
            .describe(
                "Changes or moves a class with its bookings; returns other bookings of its \
                 clients at the new time in `overlappingBookings`. After a move attendance starts \
                 over, and clients may cancel free of charge until `freeUntil`.",
            )
            .emits(correcting![])
            .always(&[])
            .fails(&[Key::ApiError, Key::CompanyNotFound]),
        operation!(app POST "/calendar/events/{calendarEventId}/cancel", Coach,
            cancel_calendar_event)
        .success(Success::Cancelled)
        .summary("Cancel a class")
        .describe(
            "Cancels a class and its bookings, as early cancellations by the company. \
                 Attendance and its fees are reversed.",
        )
        .emits(correcting![BookingCancelled, BookingRequestRejected])
        .always(&[])
        .fails(&[Key::ApiError])
        .confirmation(),
    ])
}
