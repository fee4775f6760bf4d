//! Operations of bookings and waiting-list places.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_company::catalogue::Policies;
use spotter_contract::{
    Actor, Area, Body, ListQuery, OptionalBody, Path, Read, Success, Write, answer, listed,
    operation, path, settling,
};
use spotter_kernel::{
    Event, Key, Patch, Problem, Result, Timestamp,
    id::{ClientId, CoachId, LocationId},
    text::Text,
};
use spotter_people::{clients::Client, coaches::Coach};
use spotter_store::{List, filters, lists};

use crate::{
    booking::{Booking, BookingView, TALLY},
    cancellation::{self, Cancellation},
    create::{BookingDraft, book, bookable_type},
    effects::CalendarEffect,
    events::CalendarEvent,
    permissions,
    requests::{self, BookingRequestView},
    rules::CalendarRule,
    token::SlotKey,
    types::EventType,
    vocabulary::{
        BookingId, BookingStatus, CalendarEventId, CancelledBy, CapacityAction, EventKind,
        EventTypeId, FreedSeat, RecurringBookingId,
    },
    waitlist,
};

/// Fields of a booking that only staff see.
pub const STAFFS: &[&str] = &["note", "externalId"];

/// How staff alone can have something booked.
pub const OPTIONS: &[&str] = &["ignorePolicy", "allowOverlap"];

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
        /// Bookings of this series.
        recurring_booking_id: RecurringBookingId => "recurring_booking_id = ?";
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

fn list_bookings(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<Bookings> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    cx.check_staff_fields(&[("externalId", wanted.external_id.is_some())])?;
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(
    /// A booking in a path.
    pub BookingPath {
        /// The booking's id.
        booking_id: BookingId,
    }
);

answer!(
    /// A booking.
    pub BookingAnswer {
        /// The booking after the operation.
        booking: BookingView,
    }
);

answer!(
    /// The booking, or the request that waits for approval.
    BookedAnswer {
        /// The booking; null where a coach must approve it first.
        booking: Option<BookingView>,
        /// The request that a coach must approve; null if the booking was made directly.
        booking_request: Option<BookingRequestView>,
    }
);

fn get_booking(cx: &mut Read, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    Ok(BookingAnswer { booking: Booking::find(cx, at.booking_id)?.into() })
}

/// A request to book: a slot by its token, a class by its id, or an appointment by its type and
/// start.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NewBookingRequest {
    /// The client to book for; clients book for themselves.
    pub client_id: Option<ClientId>,
    /// A slot token; the other fields of the slot must be absent.
    pub slot_token: Option<Text<200>>,
    /// The class.
    pub calendar_event_id: Option<CalendarEventId>,
    /// The event type, unless a class is named.
    pub event_type_id: Option<EventTypeId>,
    /// The coach; the least busy free coach when absent.
    pub coach_id: Option<CoachId>,
    /// Where it is to be held.
    pub location_id: Option<LocationId>,
    /// Instant at which it begins, in UTC.
    pub starts_at: Option<Timestamp>,
    /// How a full class is handled; `reject` when absent, `overbook` for staff only.
    pub capacity_action: Option<CapacityAction>,
    /// Books whatever notice, hours and limits say, as long as coach and place are free, and without an
    /// approval.
    pub ignore_policy: bool,
    /// Books although the client has another booking then.
    pub allow_overlap: bool,
    /// Note by staff.
    pub note: Option<Text<1000>>,
    /// The integrator's own id for it; unique in the company.
    pub external_id: Option<Text<120>>,
}

/// Refuses fields that contradict a slot token.
fn absent_beside(named: &'static str, given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((field, _)) => Err(Problem::invalid(field, CalendarRule::GivenBeside { named })),
        None => Ok(()),
    }
}

/// Which slot is meant, by its token, its class, or its type and start.
pub fn slot_of(cx: &mut Read, new: &NewBookingRequest) -> Result<(EventTypeId, BookingDraft)> {
    let client = cx.subject_client(new.client_id)?;
    let draft = BookingDraft {
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
        moved: None,
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
        return Ok((
            slot.event_type_id,
            BookingDraft { coach, location, class, starts_at, ..draft },
        ));
    }
    if let Some(id) = new.calendar_event_id {
        absent_beside("calendarEventId", &given[1..])?;
        let rule = CalendarRule::UnknownEvent;
        let event =
            CalendarEvent::find(cx, id).map_err(|none| none.missing("calendarEventId", rule))?;
        if event.kind != EventKind::Class {
            return Err(Problem::conflict("calendarEventId", CalendarRule::NotClass));
        }
        let (coach, location) = (Some(event.coach_id), event.location_id);
        let starts_at = event.starts_at;
        return Ok((
            event.event_type_id,
            BookingDraft { coach, location, class: Some(id), starts_at, ..draft },
        ));
    }
    let missing = |field| Problem::invalid(field, CalendarRule::SlotRequired);
    let event_type = new.event_type_id.ok_or_else(|| missing("eventTypeId"))?;
    let starts_at = new.starts_at.ok_or_else(|| missing("startsAt"))?;
    permissions::check_start(cx, starts_at)?;
    if let Some(coach) = new.coach_id {
        Coach::find(cx, coach)?;
    }
    Ok((event_type, BookingDraft { starts_at, ..draft }))
}

/// Refuses a client who uses fields that are for staff only.
pub fn check_staffs(cx: &Read, new: &NewBookingRequest) -> Result<()> {
    let overbooks = new.capacity_action == Some(CapacityAction::Overbook);
    cx.check_staff_fields(&[("capacityAction", overbooks)])
}

fn create_booking(cx: &mut Write, Body(new): Body<NewBookingRequest>) -> Result<BookedAnswer> {
    check_staffs(cx, &new)?;
    let client = cx.subject_client(new.client_id)?;
    Client::ask_ahead(cx, client)?;
    Policies::ask_ahead(cx)?;
    if let Some(id) = new.event_type_id {
        EventType::ask_ahead(cx, id)?;
    }
    let (event_type, draft) = slot_of(cx, &new)?;
    let event_type = bookable_type(cx, event_type)?;
    let by_coach = matches!(cx.caller().actor, Actor::Coach { .. });
    if event_type.requires_approval && !by_coach && !draft.ignore_policy {
        let request = requests::create(cx, &event_type, draft)?;
        cx.describe_effect(|| CalendarEffect::BecomesRequest);
        return Ok(BookedAnswer { booking: None, booking_request: Some(request.into()) });
    }
    let booking = book(cx, &event_type, &draft)?;
    booking.describe_effects(cx);
    Ok(BookedAnswer { booking: Some(booking.into()), booking_request: None })
}

/// The fields of a booking to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct BookingChanges {
    /// Note by staff.
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

/// Which rules a promotion from the waiting list may ignore.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "WaitlistPromotion")]
struct Promotion {
    /// Assigns the seat although nothing pays for it.
    ignore_policy: bool,
    /// Assigns the seat although the client has another booking then.
    allow_overlap: bool,
}

fn promote_booking(
    cx: &mut Write,
    Path(at): Path<BookingPath>,
    OptionalBody(how): OptionalBody<Promotion>,
) -> Result<BookingAnswer> {
    let before = Booking::find(cx, at.booking_id)?;
    if before.status != BookingStatus::Waitlisted {
        return Err(Problem::conflict("status", CalendarRule::NotWaitlisted));
    }
    let Promotion { ignore_policy, allow_overlap } = how;
    let rules = waitlist::OverriddenRules { ignore_policy, allow_overlap };
    let booking = waitlist::promote(cx, &before, rules)?;
    booking.describe_effects(cx);
    cx.as_of(before.updated_at);
    Ok(BookingAnswer { booking: booking.into() })
}

/// The caller's booking, while it is offered.
fn offered(cx: &mut Read, id: BookingId) -> Result<Booking> {
    let booking = Booking::find(cx, id)?;
    let until = booking.offer_expires_at.map(|until| until.min(booking.starts_at));
    let open = until.is_some_and(|until| until > cx.now());
    if booking.status != BookingStatus::Offered || !open {
        return Err(Problem::conflict("status", CalendarRule::NotOffered));
    }
    Ok(booking)
}

fn accept_offered_seat(cx: &mut Write, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    let before = offered(cx, at.booking_id)?;
    before.describe_effects(cx);
    cx.as_of(before.updated_at);
    Ok(BookingAnswer { booking: waitlist::accept(cx, &before)?.into() })
}

fn decline_offered_seat(cx: &mut Write, Path(at): Path<BookingPath>) -> Result<BookingAnswer> {
    let before = offered(cx, at.booking_id)?;
    let declined = Cancellation { by: CancelledBy::Client, timing: None, reason: None };
    let booking = cancellation::cancelled(cx, &before, declined, FreedSeat::Promote)?;
    cx.describe_effect(|| CalendarEffect::SeatPassedOn);
    Ok(BookingAnswer { booking: booking.into() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(GET "/bookings", BookingsRead, list_bookings)
            .summary("List bookings")
            .describe(
                "Returns bookings by start, latest first, including waitlisted and cancelled ones.",
            )
            .for_own(STAFFS)
            .fails(&[Key::ClientNotFound]),
        operation!(GET "/bookings/{bookingId}", BookingsRead, get_booking)
            .summary("Get a booking")
            .describe(
                "Returns one booking with its status, attendance, fee and the policy it was \
                 booked under.",
            )
            .for_own(STAFFS),
        operation!(POST "/bookings", BookingsWrite, create_booking)
            .success(Success::Booked)
            .success_where("booking.status", "waitlisted", Success::Waitlisted)
            .summary("Create a booking")
            .describe(
                "Books a slot by its token, a class by its id, or an event type at a start. \
                 Returns a booking, or a booking request if a coach must approve it. A slot that \
                 cannot be booked is refused with `details.reasons` and up to three \
                 `details.alternatives`.",
            )
            .created()
            .for_own(STAFFS)
            .staff_only_input(OPTIONS)
            .emits(settling![BookingCreated, BookingUpdated, BookingRequestCreated])
            .always(&[Event::BookingCreated])
            .fails(&[Key::AvailabilitySlotNotBookable, Key::ApiError, Key::CompanyNotFound])
            .confirmation(),
        operation!(PATCH "/bookings/{bookingId}", BookingsWrite, update_booking)
            .summary("Update a booking")
            .describe("Changes the note and the external id. To change the time, move the booking.")
            .emits(&[Event::BookingUpdated])
            .fails(&[Key::ApiError]),
        operation!(POST "/bookings/{bookingId}/promote", BookingsWrite, promote_booking)
            .summary("Promote from the waitlist")
            .describe(
                "Gives a waitlisted client a seat, even when the class is full. The client must \
                 be allowed to book it; staff may override the policy.",
            )
            .emits(settling![BookingUpdated])
            .always(&[Event::BookingUpdated])
            .fails(&[Key::AvailabilitySlotNotBookable, Key::ApiError, Key::CompanyNotFound])
            .confirmation(),
        operation!(POST "/bookings/{bookingId}/accept", BookingsWrite, accept_offered_seat)
            .summary("Accept an offered seat")
            .describe(
                "Books the seat that a waitlisted client was offered. Fails with 409 after the \
                 offer has expired.",
            )
            .for_own(STAFFS)
            .emits(&[Event::BookingUpdated])
            .fails(&[Key::ApiError])
            .confirmation(),
        operation!(POST "/bookings/{bookingId}/decline", BookingsWrite, decline_offered_seat)
            .summary("Decline an offered seat")
            .describe("Gives the seat to the next client on the waitlist.")
            .for_own(STAFFS)
            .emits(settling![BookingCancelled, BookingUpdated])
            .always(&[Event::BookingCancelled])
            .fails(&[Key::ApiError])
            .confirmation(),
    ])
}

lists! {
    /// Every booking, the latest start first.
    LIST: List<Booking, Filters> = List::new(
        "booking WHERE company_id = ?1",
        "starts_at DESC, booking_id DESC",
    ).tallied(TALLY);
}
