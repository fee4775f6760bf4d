//! Classes as coaches make them: what takes place and is joined. Integrations read them.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, OptionalBody, Path, Write, operation};
use spotter_core::{
    company::{Company, coaches::Coach},
    locations::Location,
};
use spotter_kernel::{
    Change, Event, Key, Problem, Result, Timestamp,
    id::{CoachId, LocationId},
    number::Whole,
    text::{Name, Text},
};

use crate::{
    availability::{CoachAvailability, LocationAvailability},
    booking::Booking,
    busy::crowded,
    calling, cancellation, days,
    events::{CalendarEvent, EventAnswer, EventPath, NewEvent},
    making::bookable_type,
    offer::meets,
    requests,
    templates::EventTemplate,
    types::EventType,
    vocabulary::{
        BookingStatus, CancellationTiming, CancelledBy, EventKind, EventTemplateId, EventTypeId,
        OfferStatus,
    },
    waitlist,
    window::Span,
};

/// A new class.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewClass {
    /// What it is made of; what is absent here is as it says.
    pub event_template_id: Option<EventTemplateId>,
    /// What it is; required without a template.
    pub event_type_id: Option<EventTypeId>,
    /// What people call it.
    pub name: Option<Name<120>>,
    /// Who does it.
    pub coach_id: Option<CoachId>,
    /// Where.
    pub location_id: Option<LocationId>,
    /// When it begins.
    pub starts_at: Timestamp,
    /// 5 to 1440.
    pub duration_minutes: Option<Whole<5, 1_440>>,
    /// 1 to 1000.
    pub capacity: Option<Whole<1, 1_000>>,
    /// Makes it although its coach has something else to do then.
    #[serde(default)]
    pub ignore_policy: bool,
}

/// Makes a class.
pub fn create(cx: &mut Write, new: NewClass) -> Result<CalendarEvent> {
    let template = match new.event_template_id {
        Some(id) => {
            let template = EventTemplate::find(cx, id)?;
            if template.status == OfferStatus::Archived {
                return Err(Problem::conflict("eventTemplateId", "must not be archived"));
            }
            Some(template)
        }
        None => None,
    };
    let template = template.as_ref();
    let type_id = new.event_type_id.or(template.map(|template| template.event_type_id));
    let type_id = type_id.ok_or_else(|| Problem::invalid("eventTypeId", "must be given"))?;
    let event_type = bookable_type(cx, type_id)?;
    if event_type.kind != EventKind::Class {
        return Err(Problem::conflict("eventTypeId", "must be a class"));
    }
    let coach = new.coach_id.or(template.and_then(|template| template.coach_id));
    let coach = match (coach, event_type.coach_ids.0.as_slice()) {
        (Some(coach), _) => coach,
        (None, [only]) => *only,
        _ => return Err(Key::CoachRequired.into()),
    };
    calling::check_own_calendar(cx, coach)?;
    Coach::find_assignable(cx, coach)?;
    let location = new.location_id.or(template.and_then(|template| template.location_id));
    let location = location.or(match event_type.location_ids.0.as_slice() {
        [only] => Some(*only),
        _ => None,
    });
    let minutes = new.duration_minutes.map(i64::from);
    let minutes = minutes.or(template.map(|template| template.duration_minutes));
    let span = Span::of_minutes(new.starts_at, minutes.unwrap_or(event_type.duration_minutes));
    let capacity = new.capacity.map(i64::from).or(template.and_then(|template| template.capacity));
    let named = template.map(|template| template.name.clone());
    let buffers = buffers_of(cx, &event_type, coach)?;
    let (time_zone, limited) = zone_of(cx, location)?;
    if !new.ignore_policy {
        check_free(cx, coach, span.widened(buffers.0, buffers.1), None)?;
        check_room(cx, location, span, None)?;
    }
    let name = new.name.map(Into::into).or(named).unwrap_or(event_type.name);
    let event = NewEvent {
        kind: EventKind::Class,
        event_type_id: event_type.event_type_id,
        event_template_id: new.event_template_id,
        name,
        coach_id: coach,
        location_id: location,
        span,
        time_zone,
        capacity: capacity.unwrap_or(event_type.capacity),
        seats_taken: 0,
        buffers,
    };
    let event = CalendarEvent::create(cx, event, limited)?;
    cx.touch("calendar_event", event.calendar_event_id, ["calendarEvent"]);
    Ok(event)
}

/// Minutes that a coach needs before and after something of a type.
fn buffers_of(cx: &mut Write, event_type: &EventType, coach: CoachId) -> Result<(i64, i64)> {
    let schedule = CoachAvailability::of(cx, coach)?;
    Ok((
        event_type.buffer_before_minutes.unwrap_or(schedule.prep_minutes),
        event_type.buffer_after_minutes.unwrap_or(schedule.finish_minutes),
    ))
}

/// The zone of a place, or of the company; and whether the place is limited.
fn zone_of(
    cx: &mut Write,
    location: Option<LocationId>,
) -> Result<(spotter_kernel::TimeZone, bool)> {
    let Some(id) = location else { return Ok((Company::find(cx)?.zone(), false)) };
    let rule = "must be one of the company's locations";
    let location = Location::find(cx, id).map_err(|none| none.missing("locationId", rule))?;
    if !location.is_active() {
        return Err(Problem::conflict("locationId", "must not be archived"));
    }
    let limited = LocationAvailability::of(cx, &location)?.max_concurrent_events.is_some();
    Ok((location.time_zone(), limited))
}

/// Nobody is at two places at once.
fn check_free(
    cx: &mut Write,
    coach: CoachId,
    span: Span,
    than: Option<spotter_kernel::Id>,
) -> Result<()> {
    if meets(&days::busy(cx, coach, span, than)?, &span) {
        return Err(Problem::conflict("startsAt", "must be when the coach is free"));
    }
    Ok(())
}

/// A limited location holds so many events at once, and no more.
fn check_room(
    cx: &mut Write,
    location: Option<LocationId>,
    span: Span,
    than: Option<spotter_kernel::Id>,
) -> Result<()> {
    let Some(id) = location else { return Ok(()) };
    let location = Location::find(cx, id)?;
    let Some(most) = LocationAvailability::of(cx, &location)?.max_concurrent_events else {
        return Ok(());
    };
    let taken = days::taken_each(cx, &[id.0], span, than)?;
    if meets(&crowded(taken.into_iter().flatten(), most as usize), &span) {
        return Err(Problem::conflict("locationId", "must have room for one more event then"));
    }
    Ok(())
}

fn create_calendar_event(cx: &mut Write, Body(new): Body<NewClass>) -> Result<EventAnswer> {
    Ok(EventAnswer { calendar_event: create(cx, new)?.into() })
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ClassChanges {
    name: Change<Name<120>>,
    coach_id: Change<CoachId>,
    starts_at: Change<Timestamp>,
    duration_minutes: Change<Whole<5, 1_440>>,
    /// More seats go to those who wait; fewer take nobody's.
    capacity: Change<Whole<1, 1_000>>,
    /// Moves it although its coach has something else to do then.
    ignore_policy: bool,
}

/// The class with this id, while it can be changed.
fn changeable(cx: &mut Write, at: EventPath) -> Result<CalendarEvent> {
    let event = CalendarEvent::find(cx, at.calendar_event_id)?;
    calling::check_own_calendar(cx, event.coach_id)?;
    if event.kind != EventKind::Class {
        return Err(Problem::conflict("kind", "must be a class: an appointment is its booking's"));
    }
    if !event.is_scheduled() {
        return Err(Problem::conflict("status", "must be scheduled"));
    }
    Ok(event)
}

fn update_calendar_event(
    cx: &mut Write,
    Path(at): Path<EventPath>,
    Body(change): Body<ClassChanges>,
) -> Result<EventAnswer> {
    let before = changeable(cx, at)?;
    let mut event = before.clone();
    let minutes = (event.ends_at.millis() - event.starts_at.millis()) / 60_000;
    let minutes = change.duration_minutes.value().map_or(minutes, Into::into);
    change.name.apply(&mut event.name);
    change.coach_id.apply(&mut event.coach_id);
    change.starts_at.apply(&mut event.starts_at);
    change.capacity.apply(&mut event.capacity);
    event.ends_at = Span::of_minutes(event.starts_at, minutes).end;
    if event.coach_id != before.coach_id {
        calling::check_own_calendar(cx, event.coach_id)?;
        Coach::find_assignable(cx, event.coach_id)?;
    }
    let moved = event.span() != before.span() || event.coach_id != before.coach_id;
    if moved {
        let span = event.span().widened(event.before_minutes, event.after_minutes);
        if !change.ignore_policy {
            let own = Some(event.calendar_event_id.0);
            check_free(cx, event.coach_id, span, own)?;
            check_room(cx, event.location_id, event.span(), own)?;
        }
        let (_, limited) = zone_of(cx, event.location_id)?;
        before.give_back(cx)?;
        event.take(cx, limited)?;
        event.moves += 1;
    }
    cx.touch("calendar_event", event.calendar_event_id, event.changed(&before));
    event.save(cx)?;
    if moved {
        requests::follow(cx, &event)?;
        if event.waitlisted > 0 {
            waitlist::close_at_start(cx, &event)?;
        }
    }
    if moved || event.name != before.name {
        for status in [BookingStatus::Booked, BookingStatus::Offered, BookingStatus::Waitlisted] {
            for was in Booking::of_event(cx, event.calendar_event_id, status)? {
                let mut booking = was.clone();
                booking.follow(&event);
                waitlist::follow(cx, &event, &mut booking)?;
                if event.starts_at != before.starts_at {
                    booking.rescheduled_from = Some(before.starts_at);
                }
                booking.save(cx, &was, Event::BookingUpdated)?;
            }
        }
    }
    waitlist::fill(cx, &mut event)?;
    Ok(EventAnswer { calendar_event: event.into() })
}

/// Why a class does not take place.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct CancelClass {
    /// Why; kept with its bookings, and not told.
    reason: Option<Text<500>>,
}

fn cancel_calendar_event(
    cx: &mut Write,
    Path(at): Path<EventPath>,
    OptionalBody(why): OptionalBody<CancelClass>,
) -> Result<EventAnswer> {
    let mut event = changeable(cx, at)?;
    let reason: Option<String> = why.reason.map(Into::into);
    let mut ended = 0;
    event.seats_taken = 0;
    event.waitlisted = 0;
    event.end(cx)?;
    for status in [BookingStatus::Booked, BookingStatus::Offered, BookingStatus::Waitlisted] {
        for before in Booking::of_event(cx, event.calendar_event_id, status)? {
            let timing = before.status.has_seat().then_some(CancellationTiming::Early);
            let by = (CancelledBy::Company, timing, reason.clone());
            cancellation::ended(cx, &before, by)?;
            ended += 1;
        }
    }
    requests::end_of_event(cx, event.calendar_event_id)?;
    cx.happens(|| format!("{} does not take place; {ended} bookings are cancelled.", event.name));
    cx.touch("calendar_event", event.calendar_event_id, ["status"]);
    Ok(EventAnswer { calendar_event: event.into() })
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(app POST "/calendar/events", Coach, create_calendar_event)
            .summary("Make a class")
            .created()
            .fails(&[Key::CoachRequired, Key::ApiError, Key::CompanyNotFound]),
        operation!(app PATCH "/calendar/events/{calendarEventId}", Coach, update_calendar_event)
            .summary("Change or move a class")
            .describe("Its bookings go with it.")
            .emits(&[Event::BookingUpdated])
            .always(&[])
            .fails(&[Key::ApiError, Key::CompanyNotFound]),
        operation!(app POST "/calendar/events/{calendarEventId}/cancel", Coach,
            cancel_calendar_event)
        .summary("Cancel a class")
        .describe("Its bookings are cancelled by the company, as early.")
        .emits(&[Event::BookingCancelled, Event::BookingRequestRejected])
        .always(&[])
        .fails(&[Key::ApiError])
        .asks(),
    ])
}
