//! Bookings as they are made, moved and read. One function makes them, whoever asks and through whichever
//! door: it looks at the same offer that lists slots.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Actor, Area, Body, Paged, Path, Read, Write, answer, listed, operation, path,
};
use spotter_core::{clients::Client, company::coaches::Coach};
use spotter_kernel::{
    Date, Event, Id, Key, Patch, Problem, Result, Timestamp,
    id::{ClientId, CoachId, LocationId},
    text::Text,
};
use spotter_store::{List, filters, lists};

use crate::{
    booking::{Booking, BookingView, NewBooking, Policy, TALLY},
    cancellation,
    events::{CalendarEvent, NewEvent},
    offering::{Asking, Offering, Start},
    requests::{self, BookingRequest, RequestView},
    slots::not_bookable,
    token::SlotKey,
    types::EventType,
    vocabulary::{
        BookingId, BookingRequestId, BookingStatus, CalendarEventId, CancelledBy, CapacityAction,
        EventKind, EventTypeId, FreedSeat, Reason, RecurringBookingId, WaitlistMode,
    },
    waitlist,
    window::Span,
};

/// What of a booking is staff's alone.
pub const STAFFS: &[&str] = &["note", "externalId"];

/// How staff alone can have something booked.
const OPTIONS: &[&str] = &["ignorePolicy", "allowOverlap"];

listed!(Bookings { bookings: BookingView });

filters! {
    struct Filters {
        /// Bookings of this client.
        client_id: ClientId => "client_id = ?";
        /// Bookings with this coach.
        coach_id: CoachId => "coach_id = ?", tallied;
        /// Bookings at this location.
        location_id: LocationId => "location_id = ?";
        /// Bookings of this event.
        calendar_event_id: CalendarEventId => "calendar_event_id = ?";
        /// Bookings of this type.
        event_type_id: EventTypeId => "event_type_id = ?";
        /// Bookings in this status.
        status: BookingStatus => "status = ?", tallied;
        /// Bookings that begin at this instant or later.
        from: Timestamp => "starts_at >= ?";
        /// Bookings that begin before this instant.
        to: Timestamp => "starts_at < ?";
        /// Bookings that were changed at this instant or later.
        updated_from: Timestamp => "updated_at >= ?";
        /// The booking with this id of the integrator's own.
        external_id: Text<120> => "external_id = ?";
    }
}

fn list_bookings(cx: &mut Read, Paged(mut wanted, page): Paged<Filters>) -> Result<Bookings> {
    spotter_kernel::in_order(wanted.from, wanted.to, "to")?;
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    cx.staff_say(&[("externalId", wanted.external_id.is_some())])?;
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(
    /// Where a booking stands in a path.
    pub BookingPath {
        /// The booking's id.
        booking_id: BookingId,
    }
);

answer!(
    /// A booking.
    pub BookingAnswer {
        /// The booking.
        booking: BookingView,
    }
);

answer!(
    /// What became of a wish to book.
    BookedAnswer {
        /// The booking; null where a coach must approve it first.
        booking: Option<BookingView>,
        /// What a coach must approve; null where it is booked.
        booking_request: Option<RequestView>,
    }
);

fn get_booking(cx: &mut Read, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    Ok(BookingAnswer { booking: Booking::find(cx, at.booking_id)?.into() })
}

/// A wish to book: a slot by its token, a class by its id, or an appointment by its type and start.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NewBookingRequest {
    /// For whom; clients book for themselves.
    pub client_id: Option<ClientId>,
    /// The token of a slot; then nothing else of the slot is given.
    pub slot_token: Option<Text<200>>,
    /// The class.
    pub calendar_event_id: Option<CalendarEventId>,
    /// What is booked, where no class is named.
    pub event_type_id: Option<EventTypeId>,
    /// With whom; the least busy coach who is free when absent.
    pub coach_id: Option<CoachId>,
    /// Where.
    pub location_id: Option<LocationId>,
    /// When it begins.
    pub starts_at: Option<Timestamp>,
    /// What to do where the class is full; `reject` when absent, `overbook` for staff alone.
    pub capacity_action: Option<CapacityAction>,
    /// Books whatever notice, hours and limits say, as long as coach and place are free, and without an
    /// approval.
    pub ignore_policy: bool,
    /// Books although the client is somewhere else then.
    pub allow_overlap: bool,
    /// What staff say of it.
    pub note: Option<Text<1000>>,
    /// The integrator's own id for it; unique in the company.
    pub external_id: Option<Text<120>>,
}

/// What is to be booked, and how.
#[derive(Clone)]
pub struct Wish {
    /// For whom.
    pub client: ClientId,
    /// When it begins.
    pub starts_at: Timestamp,
    /// With whom, if with a certain coach.
    pub coach: Option<CoachId>,
    /// Where, if at a certain place.
    pub location: Option<LocationId>,
    /// The class, where it is one.
    pub class: Option<CalendarEventId>,
    /// What to do where it is full.
    pub capacity: CapacityAction,
    /// Whether only what is taken counts.
    pub ignore_policy: bool,
    /// Whether it may be further ahead than single bookings may.
    pub ignore_window: bool,
    /// Whether it was asked for in time.
    pub ignore_notice: bool,
    /// Whether the client may be somewhere else then.
    pub allow_overlap: bool,
    /// What staff say of it.
    pub note: Option<String>,
    /// The integrator's own id for it.
    pub external_id: Option<String>,
    /// The request that it comes of.
    pub request: Option<BookingRequestId>,
    /// The series that it is of, and its date there.
    pub series: Option<(RecurringBookingId, Date)>,
    /// What is not in its way: the hold of its own request, or the event that it is moved from.
    pub than: Option<Id>,
}

/// Refuses what else is said of a slot that is named already.
fn absent_beside(named: &str, given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((field, _)) => Err(Problem::invalid(field, &format!("must be absent beside {named}"))),
        None => Ok(()),
    }
}

/// Which slot is meant, by its token, its class, or its type and start.
fn slot_of(cx: &mut Read, new: &NewBookingRequest) -> Result<(EventTypeId, Wish)> {
    let client = cx.whose(new.client_id)?;
    let wish = Wish {
        client,
        starts_at: cx.now(),
        coach: new.coach_id,
        location: new.location_id,
        class: None,
        capacity: new.capacity_action.unwrap_or(CapacityAction::Reject),
        ignore_policy: new.ignore_policy,
        ignore_window: false,
        ignore_notice: false,
        allow_overlap: new.allow_overlap,
        note: new.note.clone().map(Into::into),
        external_id: new.external_id.clone().map(Into::into),
        request: None,
        series: None,
        than: None,
    };
    let given = [
        ("calendarEventId", new.calendar_event_id.is_some()),
        ("eventTypeId", new.event_type_id.is_some()),
        ("coachId", new.coach_id.is_some()),
        ("locationId", new.location_id.is_some()),
        ("startsAt", new.starts_at.is_some()),
    ];
    if let Some(token) = &new.slot_token {
        absent_beside("slotToken", &given)?;
        let slot = SlotKey::parse(cx, token)?;
        let (coach, location) = (Some(slot.coach_id), slot.location_id);
        let (class, starts_at) = (slot.calendar_event_id, slot.starts_at);
        return Ok((slot.event_type_id, Wish { coach, location, class, starts_at, ..wish }));
    }
    if let Some(id) = new.calendar_event_id {
        absent_beside("calendarEventId", &given[1..])?;
        let rule = "must be one of the company's events";
        let event =
            CalendarEvent::find(cx, id).map_err(|none| none.missing("calendarEventId", rule))?;
        if event.kind != EventKind::Class {
            return Err(Problem::conflict("calendarEventId", "must be a class"));
        }
        let (coach, location) = (Some(event.coach_id), event.location_id);
        let starts_at = event.starts_at;
        return Ok((
            event.event_type_id,
            Wish { coach, location, class: Some(id), starts_at, ..wish },
        ));
    }
    let missing =
        |field| Problem::invalid(field, "must be given, or slotToken, or calendarEventId");
    let event_type = new.event_type_id.ok_or_else(|| missing("eventTypeId"))?;
    let starts_at = new.starts_at.ok_or_else(|| missing("startsAt"))?;
    if let Some(coach) = new.coach_id {
        Coach::find(cx, coach)?;
    }
    Ok((event_type, Wish { starts_at, ..wish }))
}

fn check_staffs(cx: &Read, new: &NewBookingRequest) -> Result<()> {
    let overbooks = new.capacity_action == Some(CapacityAction::Overbook);
    cx.staff_say(&[("capacityAction", overbooks)])
}

fn create_booking(cx: &mut Write, Body(new): Body<NewBookingRequest>) -> Result<BookedAnswer> {
    check_staffs(cx, &new)?;
    let (event_type, wish) = slot_of(cx, &new)?;
    let event_type = bookable_type(cx, event_type)?;
    let by_coach = matches!(cx.caller().actor, Actor::Coach { .. });
    if event_type.requires_approval && !by_coach && !wish.ignore_policy {
        let request = requests::create(cx, &event_type, wish)?;
        return Ok(BookedAnswer { booking: None, booking_request: Some(request.into()) });
    }
    let booking = book(cx, &event_type, &wish)?;
    Ok(BookedAnswer { booking: Some(booking.into()), booking_request: None })
}

/// The type, if something new can be booked of it.
pub fn bookable_type(cx: &mut Read, id: EventTypeId) -> Result<EventType> {
    let event_type = EventType::find(cx, id)?;
    if !event_type.is_active() {
        return Err(Problem::conflict("eventTypeId", "must not be archived"));
    }
    Ok(event_type)
}

/// The client, if they can book.
fn bookable_client(cx: &mut Read, id: ClientId) -> Result<()> {
    if Client::find(cx, id)?.is_archived() {
        return Err(Problem::conflict("clientId", "must not be archived"));
    }
    Ok(())
}

/// Books a slot, or refuses it with its reasons and alternatives.
pub fn book(cx: &mut Write, event_type: &EventType, wish: &Wish) -> Result<Booking> {
    bookable_client(cx, wish.client)?;
    let found = checked(cx, event_type, wish)?;
    book_at(cx, event_type, wish, found)
}

/// Books a slot that was found bookable in the same transaction.
pub fn book_at(
    cx: &mut Write,
    event_type: &EventType,
    wish: &Wish,
    (start, buffers, limited): Checked,
) -> Result<Booking> {
    match start.class {
        Some(class) => join(cx, event_type, wish, class),
        None => {
            let span = start.span;
            let new = NewEvent {
                kind: EventKind::Appointment,
                event_type_id: event_type.event_type_id,
                event_template_id: None,
                name: event_type.name.clone(),
                coach_id: start.coach,
                location_id: start.location,
                span,
                time_zone: start.zone,
                capacity: 1,
                seats_taken: 1,
                buffers,
            };
            let event = CalendarEvent::create(cx, new, limited)?;
            let new = new_booking(cx, event_type, wish, (BookingStatus::Booked, None))?;
            Booking::create(cx, &event, new)
        }
    }
}

fn new_booking(
    cx: &mut Write,
    event_type: &EventType,
    wish: &Wish,
    (status, position): (BookingStatus, Option<i64>),
) -> Result<NewBooking> {
    Ok(NewBooking {
        client_id: wish.client,
        status,
        position,
        credits: event_type.credits,
        policy: Policy::of(cx, event_type)?,
        request: wish.request,
        series: wish.series,
        note: wish.note.clone(),
        external_id: wish.external_id.clone(),
    })
}

/// What a slot is, once it is found bookable: the start, what the coach needs around it, and whether its
/// place is limited.
pub type Checked = (Start, (i64, i64), bool);

/// What was found bookable, or the refusal with its reasons and alternatives.
pub fn checked(cx: &mut Write, event_type: &EventType, wish: &Wish) -> Result<Checked> {
    match look(cx, event_type, wish)? {
        Ok(found) => Ok(found),
        Err(reasons) => {
            let full = reasons.contains(&Reason::Full);
            // Another class may be another coach's.
            let place = (wish.coach.filter(|_| !full), wish.location);
            let refused = (wish.starts_at, reasons.as_slice());
            Err(not_bookable(cx, event_type, place, Some(wish.client), refused)?)
        }
    }
}

/// Looks at the offer of that start: the commit check of everything that is booked. What speaks against
/// it where nothing was found.
pub fn look(
    cx: &mut Write,
    event_type: &EventType,
    wish: &Wish,
) -> Result<Result<Checked, Vec<Reason>>> {
    let at = wish.starts_at;
    let offering = Offering::read(
        cx,
        Asking {
            event_type,
            coach: wish.coach,
            location: wish.location,
            range: Span::of_minutes(at, 1),
            client: Some(wish.client),
            than: wish.than,
        },
    )?;
    let part = Span::new(at, at.plus_millis(1));
    let mut found = match wish.ignore_policy && wish.class.is_none() {
        true => offering.whatever_the_hours(at),
        false => offering.starts(cx, part)?,
    };
    if let Some(id) = wish.class {
        found.retain(|start| {
            start.class.as_ref().is_some_and(|class| class.calendar_event_id == id)
        });
    }
    for start in &mut found {
        start.reasons.retain(|reason| match reason {
            Reason::ClientBusy => !wish.allow_overlap,
            Reason::Full => wish.capacity == CapacityAction::Reject,
            Reason::Window => !wish.ignore_policy && !wish.ignore_window,
            Reason::Notice => !wish.ignore_policy && !wish.ignore_notice,
            Reason::DailyLimit => !wish.ignore_policy,
            _ => true,
        });
    }
    let best = found
        .iter()
        .filter(|start| start.reasons.is_empty())
        .min_by_key(|start| (offering.busy_minutes(start), start.coach, start.location));
    if let Some(best) = best {
        let limited = offering.is_limited(best);
        return Ok(Ok((best.clone(), offering.buffers_of(best.coach), limited)));
    }
    let closest = found.iter().min_by_key(|start| start.reasons.len());
    Ok(Err(closest.map_or(vec![Reason::Closed], |start| start.reasons.clone())))
}

/// Takes a seat of a class, or a place in its line.
fn join(
    cx: &mut Write,
    event_type: &EventType,
    wish: &Wish,
    mut event: CalendarEvent,
) -> Result<Booking> {
    let full = event.free_seats() == 0;
    let waits = full && wish.capacity == CapacityAction::Waitlist;
    if waits {
        let waitlist = &event_type.waitlist.0;
        let is_long = waitlist.max_entries.is_some_and(|most| event.waitlisted >= most);
        let is_closed = waitlist::closes_at(&event, waitlist) <= cx.now();
        if waitlist.mode == WaitlistMode::Off || is_long || is_closed {
            let place = (None, wish.location);
            let refused = (event.starts_at, &[Reason::Full][..]);
            return Err(not_bookable(cx, event_type, place, Some(wish.client), refused)?);
        }
        event.last_position += 1;
        event.waitlisted += 1;
        if event.waitlisted == 1 {
            waitlist::close_at_start(cx, &event)?;
        }
    } else {
        event.seats_taken += 1;
    }
    let position = waits.then_some(event.last_position);
    let status = if waits { BookingStatus::Waitlisted } else { BookingStatus::Booked };
    let new = new_booking(cx, event_type, wish, (status, position))?;
    event.save(cx)?;
    Booking::create(cx, &event, new)
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct BookingChanges {
    /// What staff say of it.
    note: Patch<Text<1000>>,
    /// The integrator's own id for it; unique in the company.
    external_id: Patch<Text<120>>,
}

fn update_booking(
    cx: &mut Write,
    Path(at): Path<BookingPath>,
    Body(change): Body<BookingChanges>,
) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    let mut booking = before.clone();
    change.note.map(Into::into).apply(&mut booking.note);
    change.external_id.map(Into::into).apply(&mut booking.external_id);
    if booking.external_id != before.external_id
        && let Some(external) = &booking.external_id
    {
        Booking::check_external_id(cx, external)?;
    }
    booking.save(cx, &before, Event::BookingUpdated)?;
    Ok(BookingAnswer { booking: booking.into() })
}

/// Where a booking is moved to: a slot by its token, another class, or another start.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Reschedule {
    /// The token of a slot; then nothing else of the slot is given.
    pub slot_token: Option<Text<200>>,
    /// The class.
    pub calendar_event_id: Option<CalendarEventId>,
    /// With whom; the same coach when absent.
    pub coach_id: Option<CoachId>,
    /// Where; the same place when absent.
    pub location_id: Option<LocationId>,
    /// When it begins.
    pub starts_at: Option<Timestamp>,
    /// What to do where the class is full; `reject` when absent, `overbook` for staff alone.
    pub capacity_action: Option<CapacityAction>,
    /// Moves it whatever notice, hours and limits say, as long as coach and place are free.
    pub ignore_policy: bool,
    /// Moves it although the client is somewhere else then.
    pub allow_overlap: bool,
}

fn reschedule_booking(
    cx: &mut Write,
    Path(at): Path<BookingPath>,
    Body(to): Body<Reschedule>,
) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    if before.status != BookingStatus::Booked {
        return Err(Problem::conflict("status", "must be booked"));
    }
    if before.attendance_status != crate::vocabulary::AttendanceStatus::Expected {
        return Err(Problem::conflict("attendanceStatus", "must be expected"));
    }
    let late = before.policy.0.timing(cx.now(), before.starts_at)
        == crate::vocabulary::CancellationTiming::Late;
    if !cx.by_staff() && (late || before.starts_at <= cx.now()) {
        let rule = "must not be within the cancellation window: it is too late to move it";
        return Err(Problem::conflict("startsAt", rule));
    }
    let mut event = CalendarEvent::find(cx, before.calendar_event_id)?;
    let by_start = to.slot_token.is_none() && to.calendar_event_id.is_none();
    let is_class = event.kind == EventKind::Class;
    let wanted = NewBookingRequest {
        client_id: Some(before.client_id),
        event_type_id: by_start.then_some(before.event_type_id),
        coach_id: to.coach_id.or(Some(before.coach_id).filter(|_| by_start && !is_class)),
        location_id: to.location_id.or(before.location_id.filter(|_| by_start && !is_class)),
        slot_token: to.slot_token,
        calendar_event_id: to.calendar_event_id,
        starts_at: to.starts_at,
        capacity_action: to.capacity_action,
        ignore_policy: to.ignore_policy,
        allow_overlap: to.allow_overlap,
        ..NewBookingRequest::default()
    };
    check_staffs(cx, &wanted)?;
    let (type_id, wish) = slot_of(cx, &wanted)?;
    if type_id != before.event_type_id {
        return Err(Problem::conflict("eventTypeId", "must be the booking's own"));
    }
    let stays = wish.starts_at == before.starts_at
        && wish.coach.is_none_or(|coach| coach == before.coach_id)
        && wish.location.is_none_or(|place| Some(place) == before.location_id)
        && wish.class.is_none_or(|class| class == before.calendar_event_id);
    if stays {
        return Ok(BookingAnswer { booking: before.into() });
    }
    let event_type = match cx.by_staff() {
        true => EventType::of(cx, type_id)?,
        false => bookable_type(cx, type_id)?,
    };
    if !cx.by_staff() && event_type.requires_approval {
        let rule = "must not need a coach's approval: cancel it, and ask anew";
        return Err(Problem::conflict("eventTypeId", rule));
    }
    let than = Some(before.calendar_event_id.0);
    let wish = Wish { than, ..wish };
    let (mut booking, mut left) = (before.clone(), None);
    let (start, buffers, limited) = checked(cx, &event_type, &wish)?;
    match start.class {
        None => {
            event.give_back(cx)?;
            event.coach_id = start.coach;
            event.location_id = start.location;
            (event.starts_at, event.ends_at) = (start.span.start, start.span.end);
            event.time_zone = start.zone;
            (event.before_minutes, event.after_minutes) = buffers;
            event.moves += 1;
            event.take(cx, limited)?;
            event.save(cx)?;
        }
        Some(mut other) => {
            if other.free_seats() == 0 && wish.capacity != CapacityAction::Overbook {
                let place = (None, wish.location);
                let refused = (other.starts_at, &[Reason::Full][..]);
                let client = Some(before.client_id);
                return Err(not_bookable(cx, &event_type, place, client, refused)?);
            }
            other.seats_taken += 1;
            other.save(cx)?;
            cancellation::give_up(cx, &mut event, &before)?;
            left = Some(std::mem::replace(&mut event, other));
        }
    }
    booking.follow(&event);
    booking.rescheduled_from = Some(before.starts_at);
    booking.is_exception = booking.recurring_booking_id.is_some();
    booking.save(cx, &before, Event::BookingUpdated)?;
    if let Some(mut left) = left {
        waitlist::fill(cx, &mut left)?;
    }
    Ok(BookingAnswer { booking: booking.into() })
}

fn promote_booking(cx: &mut Write, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    if before.status != BookingStatus::Waitlisted {
        return Err(Problem::conflict("status", "must be waitlisted"));
    }
    Ok(BookingAnswer { booking: waitlist::promote(cx, &before)?.into() })
}

/// The caller's booking, while it is offered.
fn offered(cx: &mut Read, id: BookingId) -> Result<Booking> {
    let booking = Booking::find(cx, id)?;
    let until = booking.offer_expires_at.map(|until| until.min(booking.starts_at));
    let open = until.is_some_and(|until| until > cx.now());
    if booking.status != BookingStatus::Offered || !open {
        return Err(Problem::conflict("status", "must be offered"));
    }
    Ok(booking)
}

fn accept_offered_seat(cx: &mut Write, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    let before = offered(cx, at.booking_id)?;
    Ok(BookingAnswer { booking: waitlist::accept(cx, &before)?.into() })
}

fn decline_offered_seat(cx: &mut Write, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    let before = offered(cx, at.booking_id)?;
    let declined = (CancelledBy::Client, None, None);
    let booking = cancellation::cancelled(cx, &before, declined, FreedSeat::Promote)?;
    cx.happens(|| "The seat goes to the next in line.".to_owned());
    Ok(BookingAnswer { booking: booking.into() })
}

/// A request as a wish again, once a coach has said yes.
pub fn wish_of(request: &BookingRequest) -> Wish {
    Wish {
        client: request.client_id,
        starts_at: request.starts_at,
        coach: Some(request.coach_id),
        location: request.location_id,
        class: request.calendar_event_id,
        capacity: CapacityAction::Reject,
        ignore_policy: false,
        ignore_window: true,
        ignore_notice: true,
        allow_overlap: false,
        note: request.note.clone(),
        external_id: request.external_id.clone(),
        request: Some(request.booking_request_id),
        series: None,
        than: Some(request.booking_request_id.0),
    }
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/bookings", BookingsRead, list_bookings)
            .summary("List bookings")
            .describe("The latest start first. Places in lines and cancelled bookings are among them.")
            .for_own(STAFFS)
            .fails(&[Key::DateRangeOrderInvalid, Key::ClientNotFound]),
        operation!(GET "/bookings/{bookingId}", BookingsRead, get_booking)
            .summary("Get a booking")
            .for_own(STAFFS),
        operation!(POST "/bookings", BookingsWrite, create_booking)
            .summary("Book")
            .describe(
                "By the token of a slot, by a class, or by a type and a start. Answers a booking, or \
                 a booking request where a coach must approve it. A slot that cannot be booked is \
                 refused with `details.reasons` and up to three `details.alternatives`.",
            )
            .created()
            .for_own(STAFFS).said_by_staff(OPTIONS)
            .emits(&[Event::BookingCreated, Event::BookingRequestCreated]).always(&[Event::BookingCreated])
            .fails(&[Key::AvailabilitySlotNotBookable, Key::ApiError, Key::CompanyNotFound]),
        operation!(PATCH "/bookings/{bookingId}", BookingsWrite, update_booking)
            .summary("Update a booking")
            .emits(&[Event::BookingUpdated])
            .fails(&[Key::ApiError]),
        operation!(POST "/bookings/{bookingId}/reschedule", BookingsWrite, reschedule_booking)
            .summary("Move a booking")
            .describe(
                "To another start, coach or class of the same type, under the same id. Clients do so \
                 before the cancellation window.",
            )
            .for_own(STAFFS).said_by_staff(OPTIONS)
            .emits(&[Event::BookingUpdated])
            .fails(&[Key::AvailabilitySlotNotBookable, Key::ApiError, Key::CompanyNotFound]),
        operation!(POST "/bookings/{bookingId}/promote", BookingsWrite, promote_booking)
            .summary("Give a seat to somebody who waits")
            .describe("Whether or not there is one.")
            .emits(&[Event::BookingUpdated])
            .fails(&[Key::ApiError]),
        operation!(POST "/bookings/{bookingId}/accept", BookingsWrite, accept_offered_seat)
            .summary("Take an offered seat")
            .for_own(STAFFS)
            .emits(&[Event::BookingUpdated])
            .fails(&[Key::ApiError]),
        operation!(POST "/bookings/{bookingId}/decline", BookingsWrite, decline_offered_seat)
            .summary("Decline an offered seat")
            .describe("It goes to the next in line.")
            .for_own(STAFFS)
            .emits(&[Event::BookingCancelled, Event::BookingUpdated]).always(&[Event::BookingCancelled])
            .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// Every booking, the latest start first.
    LIST: List<Booking, Filters> = List::new(
        "booking WHERE company_id = ?1",
        "starts_at DESC, booking_id DESC",
    ).tallied(TALLY);
}
