//! Notices: what a client has not been told yet of their bookings and requests. A change leaves one in its transaction,
//! with what the client knew before it, and has them written to soon.

use serde::{Deserialize, Serialize};
use spotter_contract::{
    Actor, Area, Write,
    timers::{self, TimerId},
};
use spotter_kernel::{
    Id, Result, Timestamp,
    id::{ClientId, CoachId, LocationId},
};
use spotter_mail::BookingChange;
use spotter_people::clients::{
    letter_reader::LetterReader,
    notifications::{NotificationFilter, NotificationKind},
};
use spotter_store::{Json, Tx, params, record, statements, values, words};

use crate::{
    ical::CalendarMethod,
    vocabulary::{BookingId, BookingRequestId, BookingStatus, CancelledBy},
};

/// How long changes are gathered for one letter.
const GATHERING_SECONDS: i64 = 60;

/// The timer that writes to a client about all notices.
pub const TELL_CLIENT: TimerId = TimerId("tell_client");

words! {
    /// What a notice is about.
    pub enum NoticeKind { Change = "change", Reminder = "reminder", Request = "request" }
}

/// What a client knows of a booking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownBooking {
    /// Whether the seat is taken, waited for or given up.
    pub status: BookingStatus,
    /// Instant at which it begins.
    pub starts_at: Timestamp,
    /// Instant at which it is over.
    pub ends_at: Timestamp,
    /// Who leads it.
    pub coach_id: CoachId,
    /// Where it is held.
    pub location_id: Option<LocationId>,
    /// Who gave it up.
    pub cancelled_by: Option<CancelledBy>,
    /// Until when a seat is held.
    pub offer_expires_at: Option<Timestamp>,
}

record! {
    /// Something that a client has not been told yet.
    #[derive(Debug, Clone)]
    pub struct CalendarNotice {
        /// Who is told.
        pub client_id: ClientId,
        /// What it is about.
        pub kind: NoticeKind,
        /// The booking or the request.
        pub subject: Id,
        /// What they know of the booking; `None` where it is new to them.
        pub known: Option<Json<KnownBooking>>,
        /// What staff want to say about it.
        pub message: Option<String>,
        /// Whether it answers what the client did themselves.
        pub prompt: bool,
    }
}

/// What has become of a booking since the client last heard of it, if that matters to them.
pub fn change(known: Option<&KnownBooking>, booking: &KnownBooking) -> Option<BookingChange> {
    use BookingStatus::{Booked, Cancelled, Offered, Waitlisted};
    let before = known.map(|known| known.status);
    let by_client = booking.cancelled_by == Some(CancelledBy::Client);
    Some(match (before, booking.status) {
        (None | Some(Cancelled), Cancelled) => return None,
        (Some(Booked), Cancelled) if by_client => BookingChange::CancelledByClient,
        (Some(Booked), Cancelled) => BookingChange::CancelledByCompany,
        (Some(Offered), Cancelled) if booking.cancelled_by == Some(CancelledBy::System) => {
            BookingChange::OfferLapsed
        }
        (Some(_), Cancelled) => BookingChange::WaitlistLeft,
        (None | Some(Waitlisted | Offered | Cancelled), Booked) => BookingChange::Booked,
        (Some(Offered), Offered) => return None,
        (_, Offered) => BookingChange::SeatOffered { until: booking.offer_expires_at? },
        (Some(Waitlisted), Waitlisted)
            if known.is_some_and(|k| k.starts_at == booking.starts_at) =>
        {
            return None;
        }
        (Some(Waitlisted), Waitlisted) => BookingChange::Moved { from: known?.starts_at },
        (_, Waitlisted) => BookingChange::Waitlisted,
        (Some(Booked), Booked) => {
            let known = known?;
            match () {
                () if known.starts_at != booking.starts_at || known.ends_at != booking.ends_at => {
                    BookingChange::Moved { from: known.starts_at }
                }
                () if known.location_id != booking.location_id => BookingChange::LocationChanged,
                () if known.coach_id != booking.coach_id => BookingChange::CoachChanged,
                () => return None,
            }
        }
    })
}

/// The kind of notification that tells of a change.
pub const fn kind_of(change: BookingChange) -> NotificationKind {
    match change {
        BookingChange::Waitlisted
        | BookingChange::WaitlistLeft
        | BookingChange::SeatOffered { .. }
        | BookingChange::OfferLapsed => NotificationKind::Waitlists,
        BookingChange::Reminder => NotificationKind::Reminders,
        BookingChange::Booked
        | BookingChange::Moved { .. }
        | BookingChange::CoachChanged
        | BookingChange::LocationChanged
        | BookingChange::CancelledByClient
        | BookingChange::CancelledByCompany
        | BookingChange::RequestRejected => NotificationKind::Bookings,
    }
}

/// What a change means for a client's own calendar.
pub const fn method_of(change: BookingChange) -> Option<CalendarMethod> {
    match change {
        BookingChange::Booked
        | BookingChange::Moved { .. }
        | BookingChange::CoachChanged
        | BookingChange::LocationChanged => Some(CalendarMethod::Request),
        BookingChange::CancelledByClient | BookingChange::CancelledByCompany => {
            Some(CalendarMethod::Cancel)
        }
        BookingChange::Waitlisted
        | BookingChange::WaitlistLeft
        | BookingChange::SeatOffered { .. }
        | BookingChange::OfferLapsed
        | BookingChange::RequestRejected
        | BookingChange::Reminder => None,
    }
}

/// A booking that was made or changed.
#[derive(Debug, Clone)]
pub struct BookingRevision {
    /// The booking.
    pub booking_id: BookingId,
    /// Its client.
    pub client_id: ClientId,
    /// What it was; `None` where it is new.
    pub before: Option<KnownBooking>,
    /// What it is.
    pub after: KnownBooking,
    /// Whether it belongs to a series.
    pub is_of_series: bool,
}

/// Notes that a booking was made or changed, so that its client is told.
pub fn note(cx: &mut Write, revision: BookingRevision) -> Result<()> {
    let BookingRevision { booking_id, client_id, before, after, is_of_series } = revision;
    let is_over = [&before, &Some(after.clone())]
        .into_iter()
        .flatten()
        .all(|state| state.starts_at <= cx.now());
    if !spotter_mail::is_on(cx) || is_over || before.as_ref() == Some(&after) {
        return Ok(());
    }
    if cx.is_preview()
        && let Some(change) = change(before.as_ref(), &after)
    {
        describe_reader(cx, client_id, kind_of(change))?;
    }
    // Dates that a series adds day by day are no news, but are reminded of.
    let is_agreed = before.is_none() && is_of_series;
    let by_system = matches!(cx.caller().actor, Actor::System);
    let known = if is_agreed && by_system { Some(after) } else { before };
    leave(cx, client_id, NoticeKind::Change, booking_id.0, known)
}

/// Notes that a request for a time was answered.
pub fn note_request(
    cx: &mut Write,
    client: ClientId,
    request: BookingRequestId,
    starts_at: Timestamp,
) -> Result<()> {
    if !spotter_mail::is_on(cx) || starts_at <= cx.now() {
        return Ok(());
    }
    if cx.is_preview() {
        describe_reader(cx, client, NotificationKind::Bookings)?;
    }
    leave(cx, client, NoticeKind::Request, request.0, None)
}

/// Adds who will be written to, where an operation is previewed.
fn describe_reader(cx: &mut Write, client: ClientId, kind: NotificationKind) -> Result<()> {
    if let Some(reader) = LetterReader::of(cx, client)?
        && NotificationFilter::of(cx, client)?.includes(kind)
    {
        spotter_mail::describe_recipient(cx, reader.recipient());
    }
    Ok(())
}

/// Leaves a notice; what the client knew before the first one counts.
pub fn leave(
    cx: &mut Write,
    client_id: ClientId,
    kind: NoticeKind,
    subject: Id,
    known: Option<KnownBooking>,
) -> Result<()> {
    let prompt = matches!(cx.caller().actor, Actor::Client { id, .. } if id == client_id);
    let known = known.map(Json);
    let notice = CalendarNotice { client_id, kind, subject, known, message: None, prompt };
    cx.defer(LEAVE, &notice.params())?;
    let (now, company) = (cx.now(), cx.company());
    match prompt {
        true => cx.set_timer(TELL_CLIENT, client_id, now),
        false => {
            let soon = now.plus_seconds(GATHERING_SECONDS);
            // One that waits for the end of quiet hours must not keep what cannot wait.
            cx.with_tx(|tx| timers::set_earlier(tx, company, TELL_CLIENT, client_id.0, soon))
        }
    }
}

/// Adds what staff want to say to what a client is told of a booking.
pub fn add_message(
    cx: &mut Write,
    client: ClientId,
    booking: BookingId,
    message: Option<&str>,
) -> Result<()> {
    let Some(message) = message else { return Ok(()) };
    cx.defer(ADD_MESSAGE, params![client, NoticeKind::Change, booking, message])
}

/// Deletes all notices in a restored database: they may have been told since the backup.
pub fn delete_all(tx: &mut Tx<'_>) -> Result<u64> {
    tx.execute(DELETE_ALL, &[])
}

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    LEAVE = "INSERT INTO calendar_notice ", values!(CalendarNotice),
        " ON CONFLICT (company_id, client_id, kind, subject) DO UPDATE SET \
        prompt = calendar_notice.prompt OR excluded.prompt";
    DELETE_ALL = "DELETE FROM calendar_notice";
    ADD_MESSAGE = "UPDATE calendar_notice SET message = ?5 \
        WHERE company_id = ?1 AND client_id = ?2 AND kind = ?3 AND subject = ?4";
}
