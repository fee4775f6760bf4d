//! Booking requests: bookings that wait for a coach's word. A request holds its slot, so a yes finds it
//! free; without a decision in time it expires.

mod event;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{
    Area, ListQuery, Path, Read, Success, Timer, Write, answer, listed, operation, path, settling,
};
use spotter_kernel::{
    Event, Id, Key, Problem, Result, Rule, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
};
use spotter_store::{List, Prefetch, filters, lists, params, record, set, statements, values};

use crate::{
    booking::{Booking, BookingView},
    bookings::STAFFS,
    busy::BusySpan,
    create::{BookableSlot, BookingDraft, book, draft_of, find_slot},
    days,
    effects::CalendarEffect,
    events::CalendarEvent,
    hours::{Span, with_offset},
    notice, permissions,
    rules::CalendarRule,
    slots::RefusedSlot,
    types::EventType,
    vocabulary::{
        BookingId, BookingRequestId, BookingRequestStatus, Buffers, CalendarEventId, EventTypeId,
        RejectionCause,
    },
    waitlist,
};
use event::RequestEvent;

record! {
    /// A booking that waits for a coach's word.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct BookingRequest {
        /// The request's id.
        pub booking_request_id: BookingRequestId,
        /// Client who asks for the appointment.
        pub client_id: ClientId,
        /// Kind of appointment or class, one of `GET /event-types`.
        pub event_type_id: EventTypeId,
        /// The class, if it is one.
        pub calendar_event_id: Option<CalendarEventId>,
        /// Coach who decides on it.
        pub coach_id: CoachId,
        /// The location, if there is one.
        pub location_id: Option<LocationId>,
        /// Instant at which it begins, in UTC.
        pub starts_at: Timestamp,
        /// Instant at which it is over, in UTC.
        pub ends_at: Timestamp,
        /// IANA zone of the place where it is held.
        pub time_zone: TimeZone,
        /// Whether a coach has decided.
        pub status: BookingRequestStatus,
        /// Reason for the rejection.
        pub rejection_cause: Option<RejectionCause>,
        /// Instant until which the slot is held.
        pub expires_at: Timestamp,
        /// When it was decided.
        pub decided_at: Option<Timestamp>,
        /// The booking that was created.
        pub booking_id: Option<BookingId>,
        /// Note by staff.
        pub note: Option<String>,
        /// The integrator's own id for the booking.
        pub external_id: Option<String>,
        /// Whether the client may have another booking then.
        #[serde(skip)]
        pub allow_overlap: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// A request to book, with its local start.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BookingRequest")]
pub struct BookingRequestView {
    #[serde(flatten)]
    request: BookingRequest,
    /// Start in local time with its UTC offset.
    local_starts_at: String,
}

impl From<BookingRequest> for BookingRequestView {
    fn from(request: BookingRequest) -> Self {
        let local_starts_at = with_offset(request.starts_at, &request.time_zone);
        Self { request, local_starts_at }
    }
}

/// Most requests of a client or an event that are read.
const REQUESTS_MAX: i64 = 1_000;

impl BookingRequest {
    /// The request with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: BookingRequestId) -> Result<Self> {
        let found: Self =
            cx.one(FIND, params![id])?.ok_or(Problem::new(Key::BookingRequestNotFound))?;
        match cx.calling_client() {
            Some(own) if own != found.client_id => Err(Key::BookingRequestNotFound.into()),
            _ => Ok(found),
        }
    }

    /// When the pending requests to a coach for a type begin, with their ids: each is one of a date's.
    pub fn starts_of_type(
        cx: &mut Read,
        coach: CoachId,
        event_type: EventTypeId,
    ) -> Result<Vec<(BookingRequestId, Timestamp)>> {
        cx.all(STARTS, params![coach, event_type, REQUESTS_MAX])
    }

    /// Requests a client's pending requests before they are needed.
    pub fn prefetch_pending(cx: &mut Read, client: ClientId) -> Result<Prefetch<Self>> {
        cx.prefetch(PENDING_OF, params![client, REQUESTS_MAX])
    }

    /// Start and end.
    pub fn span(&self) -> Span {
        Span::new(self.starts_at, self.ends_at)
    }

    /// The same while it is undecided.
    fn pending(cx: &mut Read, id: BookingRequestId) -> Result<Self> {
        let found = Self::find(cx, id)?;
        match found.status {
            BookingRequestStatus::Pending => Ok(found),
            _ => Err(Key::BookingRequestNotPending.into()),
        }
    }

    fn held(&self, buffers: Buffers) -> BusySpan {
        let span = buffers.around(Span::new(self.starts_at, self.ends_at));
        BusySpan { span, by: self.booking_request_id.0 }
    }

    /// Releases the slot that it holds, to the waiting list where it is a class.
    fn give_back(&self, cx: &mut Write, fills: bool) -> Result<()> {
        match self.calendar_event_id {
            None => {
                // Buffers are at most four hours: the held time lies within.
                days::give_back(cx, self.coach_id, self.held(Buffers { before: 240, after: 240 }))?;
                match self.location_id {
                    Some(location) => days::give_back(cx, location, self.held(Buffers::default())),
                    None => Ok(()),
                }
            }
            Some(id) => {
                let mut event = CalendarEvent::find(cx, id)?;
                if !event.is_scheduled() {
                    return Ok(());
                }
                event.seats_taken -= 1;
                event.save(cx)?;
                if fills { waitlist::fill(cx, &mut event) } else { Ok(()) }
            }
        }
    }

    fn decide(&mut self, cx: &mut Write, status: BookingRequestStatus, event: Event) -> Result<()> {
        self.status = status;
        self.decided_at = Some(cx.now());
        self.updated_at = cx.now();
        cx.set_audit_target("booking_request", self.booking_request_id, ["status"]);
        cx.clear_timer(&EXPIRE_REQUEST, self.booking_request_id)?;
        cx.defer(SAVE, &self.params())?;
        if status == BookingRequestStatus::Rejected {
            let (client, request) = (self.client_id, self.booking_request_id);
            notice::note_request(cx, client, request, self.starts_at)?;
        }
        self.publish(cx, event)
    }

    /// Informs integrations, the client and the coach.
    fn publish(&self, cx: &mut Write, event: Event) -> Result<()> {
        let payload = RequestEvent {
            booking_request_id: self.booking_request_id,
            client_id: self.client_id,
            event_type_id: self.event_type_id,
            calendar_event_id: self.calendar_event_id,
            coach_id: self.coach_id,
            location_id: self.location_id,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            status: self.status,
            rejection_cause: self.rejection_cause,
            expires_at: self.expires_at,
            decided_at: self.decided_at,
            booking_id: self.booking_id,
        };
        permissions::publish(cx, event, &payload, self.client_id, self.coach_id)
    }

    fn reject(mut self, cx: &mut Write, why: RejectionCause, fills: bool) -> Result<Self> {
        self.give_back(cx, fills)?;
        self.rejection_cause = Some(why);
        self.decide(cx, BookingRequestStatus::Rejected, Event::BookingRequestRejected)?;
        Ok(self)
    }
}

/// Requests a slot from a coach, and holds it.
pub fn create(
    cx: &mut Write,
    event_type: &EventType,
    draft: BookingDraft,
) -> Result<BookingRequest> {
    let client = spotter_people::clients::Client::find(cx, draft.client)?;
    if client.is_archived() {
        return Err(Problem::conflict("clientId", Rule::Archived));
    }
    let BookableSlot { start, buffers, is_limited } = find_slot(cx, event_type, &draft)?;
    if let Some(class) = &start.class
        && class.free_seats() == 0
    {
        return Err(RefusedSlot::full(&draft, start.span.start).problem(cx, event_type)?);
    }
    if let Some(external) = &draft.external_id {
        Booking::check_external_id(cx, external)?;
        let waiting: Option<(BookingRequestId,)> = cx.one(BY_EXTERNAL_ID, params![external])?;
        if waiting.is_some() {
            return Err(Problem::conflict("externalId", CalendarRule::OtherRequests));
        }
    }
    let until = cx.now().plus_seconds(60 * event_type.approval_minutes);
    let request = BookingRequest {
        booking_request_id: BookingRequestId(cx.new_id()),
        client_id: draft.client,
        event_type_id: event_type.event_type_id,
        calendar_event_id: start.class.as_ref().map(|class| class.calendar_event_id),
        coach_id: start.coach,
        location_id: start.location,
        starts_at: start.span.start,
        ends_at: start.span.end,
        time_zone: start.zone,
        status: BookingRequestStatus::Pending,
        rejection_cause: None,
        expires_at: until.min(start.span.start),
        decided_at: None,
        booking_id: None,
        note: draft.note,
        external_id: draft.external_id,
        allow_overlap: draft.allow_overlap,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    match start.class {
        Some(mut class) => {
            class.seats_taken += 1;
            class.save(cx)?;
        }
        None => {
            days::take(cx, request.coach_id, request.held(buffers))?;
            if let (Some(location), true) = (request.location_id, is_limited) {
                days::take(cx, location, request.held(Buffers::default()))?;
            }
        }
    }
    cx.set_audit_target("booking_request", request.booking_request_id, ["bookingRequest"]);
    cx.defer(INSERT, &request.params())?;
    cx.set_timer(&EXPIRE_REQUEST, request.booking_request_id, request.expires_at)?;
    request.publish(cx, Event::BookingRequestCreated)?;
    Ok(request)
}

listed!(BookingRequests { booking_requests: BookingRequestView });

filters! {
    struct Filters {
        /// Requests in this status.
        status: BookingRequestStatus => "status = ?";
        /// Requests of this client.
        client_id: ClientId => "client_id = ?";
        /// Requests to this coach.
        coach_id: CoachId => "coach_id = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_booking_requests(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<BookingRequests> {
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(RequestPath { booking_request_id: BookingRequestId });

answer!(RequestAnswer { booking_request: BookingRequestView });

answer!(
    /// The approved request and its booking.
    ApprovedAnswer {
        booking_request: BookingRequestView,
        booking: BookingView,
    }
);

fn get_booking_request(cx: &mut Read, Path(at): Path<RequestPath>) -> Result<RequestAnswer> {
    Ok(RequestAnswer { booking_request: BookingRequest::find(cx, at.booking_request_id)?.into() })
}

fn approve_booking_request(cx: &mut Write, Path(at): Path<RequestPath>) -> Result<ApprovedAnswer> {
    let mut request = BookingRequest::pending(cx, at.booking_request_id)?;
    permissions::check_own_calendar(cx, request.coach_id)?;
    let event_type = EventType::of(cx, request.event_type_id)?;
    // Its hold is released first, so that all transactions lock rows in one order.
    request.give_back(cx, false)?;
    let booking = book(cx, &event_type, &draft_of(&request))?;
    booking.describe_effects(cx);
    cx.as_of(request.updated_at);
    request.booking_id = Some(booking.booking_id);
    request.decide(cx, BookingRequestStatus::Approved, Event::BookingRequestApproved)?;
    Ok(ApprovedAnswer { booking_request: request.into(), booking: booking.into() })
}

fn reject_booking_request(cx: &mut Write, Path(at): Path<RequestPath>) -> Result<RequestAnswer> {
    let request = BookingRequest::pending(cx, at.booking_request_id)?;
    permissions::check_own_calendar(cx, request.coach_id)?;
    cx.describe_effect(|| CalendarEffect::RequestRejected);
    cx.as_of(request.updated_at);
    let request = request.reject(cx, RejectionCause::Coach, true)?;
    Ok(RequestAnswer { booking_request: request.into() })
}

fn withdraw_booking_request(cx: &mut Write, Path(at): Path<RequestPath>) -> Result<RequestAnswer> {
    let request = BookingRequest::pending(cx, at.booking_request_id)?;
    cx.describe_effect(|| CalendarEffect::RequestWithdrawn);
    cx.as_of(request.updated_at);
    let request = request.reject(cx, RejectionCause::Withdrawn, true)?;
    Ok(RequestAnswer { booking_request: request.into() })
}

/// Expires a request that nobody decided in time.
fn expire_request(cx: &mut Write, id: Id) -> Result<()> {
    let request = BookingRequest::find(cx, BookingRequestId(id))?;
    if request.status == BookingRequestStatus::Pending && request.expires_at <= cx.now() {
        request.reject(cx, RejectionCause::Expired, true)?;
    }
    Ok(())
}

static EXPIRE_REQUEST: Timer =
    Timer::new("expire_request", "Expire a booking request", expire_request)
        .emits(settling![BookingRequestRejected, BookingUpdated]);

/// Withdraws the requests of a leaving client; returns their number.
pub fn end_of_client(cx: &mut Write, client: ClientId) -> Result<u64> {
    let requested = BookingRequest::prefetch_pending(cx, client)?;
    let pending = cx.awaited(requested)?;
    let count = pending.len() as u64;
    for request in pending {
        request.reject(cx, RejectionCause::Withdrawn, true)?;
    }
    Ok(count)
}

/// What pending requests hold of a location's room.
pub fn held_at(cx: &mut Read, location: LocationId) -> Result<Vec<BusySpan>> {
    let pending: Vec<BookingRequest> = cx.all(PENDING_IN, params![location, REQUESTS_MAX])?;
    Ok(pending.iter().map(|request| request.held(Buffers::default())).collect())
}

/// Moves requests for a class with the class.
pub fn follow(cx: &mut Write, event: &CalendarEvent) -> Result<()> {
    let pending: Vec<BookingRequest> =
        cx.all(PENDING_AT, params![event.calendar_event_id, REQUESTS_MAX])?;
    for mut request in pending {
        request.coach_id = event.coach_id;
        (request.starts_at, request.ends_at) = (event.starts_at, event.ends_at);
        request.expires_at = request.expires_at.min(event.starts_at);
        request.updated_at = cx.now();
        cx.defer(SAVE, &request.params())?;
        cx.set_timer(&EXPIRE_REQUEST, request.booking_request_id, request.expires_at)?;
    }
    Ok(())
}

/// Rejects the requests of an event that does not take place; how many.
pub fn end_of_event(cx: &mut Write, event: CalendarEventId) -> Result<u64> {
    let pending: Vec<BookingRequest> = cx.all(PENDING_AT, params![event, REQUESTS_MAX])?;
    let count = pending.len() as u64;
    for request in pending {
        request.reject(cx, RejectionCause::SlotGone, false)?;
    }
    Ok(count)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .tells::<RequestEvent>()
        .timers(&[&EXPIRE_REQUEST])
        .operations([
            operation!(GET "/booking-requests", BookingRequestsRead, list_booking_requests)
                .summary("List booking requests")
                .describe(
                    "Returns requests for appointments and classes that need a coach's approval, \
                 newest first.",
                )
                .for_own(STAFFS)
                .fails(&[Key::ClientNotFound]),
            operation!(GET "/booking-requests/{bookingRequestId}", BookingRequestsRead,
            get_booking_request)
            .summary("Get a booking request")
            .describe("Returns one request with its slot, status and expiry.")
            .for_own(STAFFS),
            operation!(POST "/booking-requests/{bookingRequestId}/approve", BookingRequestsWrite,
            approve_booking_request)
            .success(Success::Approved)
            .summary("Approve a booking request")
            .describe(
                "Books the requested slot. The slot is checked again: if it was taken in the \
                 meantime the request is refused with 409.",
            )
            .emits(settling![BookingCreated, BookingUpdated, BookingRequestApproved])
            .always(&[Event::BookingCreated, Event::BookingRequestApproved])
            .fails(&[
                Key::BookingRequestNotPending,
                Key::AvailabilitySlotNotBookable,
                Key::ApiError,
                Key::CompanyNotFound,
            ])
            .confirmation(),
            operation!(POST "/booking-requests/{bookingRequestId}/reject", BookingRequestsWrite,
            reject_booking_request)
            .success(Success::Rejected)
            .summary("Reject a booking request")
            .describe("Declines the request and releases its slot.")
            .emits(settling![BookingRequestRejected, BookingUpdated])
            .always(&[Event::BookingRequestRejected])
            .fails(&[Key::BookingRequestNotPending])
            .confirmation(),
            operation!(POST "/booking-requests/{bookingRequestId}/withdraw", BookingRequestsWrite,
            withdraw_booking_request)
            .summary("Withdraw a booking request")
            .describe("Takes the request back for its client and releases its slot.")
            .for_own(STAFFS)
            .emits(settling![BookingRequestRejected, BookingUpdated])
            .always(&[Event::BookingRequestRejected])
            .fails(&[Key::BookingRequestNotPending])
            .confirmation(),
        ])
}

lists! {
    /// Requests, newest first.
    LIST: List<BookingRequest, Filters> = List::new(
        "booking_request WHERE company_id = ?1",
        "booking_request_id DESC",
    );
}

statements! {
    FIND = "SELECT ", BookingRequest::COLUMNS, " FROM booking_request \
        WHERE company_id = ?1 AND booking_request_id = ?2";
    BY_EXTERNAL_ID = "SELECT booking_request_id FROM booking_request WHERE company_id = ?1 \
        AND external_id = ?2 AND status = 'pending'";
    PENDING_OF = "SELECT ", BookingRequest::COLUMNS, " FROM booking_request WHERE company_id = ?1 \
        AND client_id = ?2 AND status = 'pending' ORDER BY booking_request_id LIMIT ?3";
    PENDING_AT = "SELECT ", BookingRequest::COLUMNS, " FROM booking_request WHERE company_id = ?1 \
        AND calendar_event_id = ?2 AND status = 'pending' ORDER BY booking_request_id LIMIT ?3";
    PENDING_IN = "SELECT ", BookingRequest::COLUMNS, " FROM booking_request WHERE company_id = ?1 \
        AND status = 'pending' AND location_id = ?2 AND calendar_event_id IS NULL \
        ORDER BY booking_request_id LIMIT ?3";
    STARTS = "SELECT booking_request_id, starts_at FROM booking_request WHERE company_id = ?1 \
        AND coach_id = ?2 AND event_type_id = ?3 AND status = 'pending' LIMIT ?4";
    INSERT = "INSERT INTO booking_request ", values!(BookingRequest);
    SAVE = "UPDATE booking_request SET ", set!(BookingRequest),
        " WHERE company_id = ?1 AND booking_request_id = ?2";
}
