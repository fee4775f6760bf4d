//! Letters to clients about their bookings. Soon after a change, one letter tells the difference between what the client
//! knows and what is, whatever happened in between: a change that was taken back is none, and a closure of twelve
//! bookings is one letter.

use std::collections::BTreeSet;

use spotter_company::{company::Company, locations::Location};
use spotter_contract::{Area, ErasureAction, ErasureRule, Timer, Write};
use spotter_kernel::{Id, Result, Timestamp, id::ClientId};
use spotter_mail::{BookingChange, BookingNews, CalendarFile, Letter};
use spotter_people::{
    clients::{
        letter_reader::LetterReader,
        notifications::{NotificationFilter, NotificationSettings},
    },
    coaches::Coach,
};
use spotter_store::{params, statements};

use crate::{
    booking::Booking,
    entries::booking_entries,
    ical::{self, Correspondents},
    notice::{CalendarNotice, NoticeKind, TELL_CLIENT, change, kind_of, leave, method_of},
    requests::BookingRequest,
    types::EventType,
    vocabulary::{
        BookingId, BookingRequestId, BookingRequestStatus, BookingStatus, CalendarEventId,
        RejectionCause,
    },
};

/// What begins so soon after quiet hours is told in them all the same.
const URGENT_SECONDS: i64 = 3 * 3_600;
/// A booking that was made so shortly before its reminder needs none.
const FRESH_SECONDS: i64 = 6 * 3_600;
/// Most notices that one letter tells.
const NOTICES_MAX: i64 = 50;

/// A notice with what it tells.
struct PendingNews {
    notice: CalendarNotice,
    booking: Option<Booking>,
    /// `None` where it does not matter to the client any more.
    news: Option<BookingNews>,
}

impl CalendarNotice {
    /// What it tells now.
    fn read(self, cx: &mut Write) -> Result<PendingNews> {
        let (booking, news) = match self.kind {
            NoticeKind::Request => (None, self.answer(cx)?),
            NoticeKind::Change | NoticeKind::Reminder => {
                let booking = Booking::find_optional(cx, BookingId(self.subject))?;
                let news = match &booking {
                    Some(booking) => self.news(cx, booking)?,
                    None => None,
                };
                (booking, news)
            }
        };
        Ok(PendingNews { notice: self, booking, news })
    }

    fn news(&self, cx: &mut Write, booking: &Booking) -> Result<Option<BookingNews>> {
        let is_booked = booking.status == BookingStatus::Booked;
        let change = match self.kind {
            NoticeKind::Reminder if is_booked && booking.starts_at > cx.now() => {
                Some(BookingChange::Reminder)
            }
            NoticeKind::Reminder | NoticeKind::Request => None,
            NoticeKind::Change => {
                change(self.known.as_ref().map(|known| &known.0), &booking.known())
            }
        };
        let Some(change) = change else { return Ok(None) };
        let location = match booking.location_id {
            Some(location) => Some(Location::find(cx, location)?.label()),
            None => None,
        };
        Ok(Some(BookingNews {
            change,
            name: booking.name.clone(),
            starts_at: booking.starts_at,
            ends_at: booking.ends_at,
            time_zone: booking.time_zone.clone(),
            coach: Coach::names(cx, &[booking.coach_id])?.pop().flatten(),
            location,
            message: self.message.clone(),
        }))
    }

    /// The answer to a request that was not granted; one that was is told by its booking.
    fn answer(&self, cx: &mut Write) -> Result<Option<BookingNews>> {
        let request = match BookingRequest::find(cx, BookingRequestId(self.subject)) {
            Ok(request) => request,
            Err(problem) if problem.status == 404 => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let withdrawn = request.rejection_cause == Some(RejectionCause::Withdrawn);
        if request.status != BookingRequestStatus::Rejected || withdrawn {
            return Ok(None);
        }
        Ok(Some(BookingNews {
            change: BookingChange::RequestRejected,
            name: EventType::of(cx, request.event_type_id)?.name,
            starts_at: request.starts_at,
            ends_at: request.ends_at,
            time_zone: request.time_zone,
            coach: Coach::names(cx, &[request.coach_id])?.pop().flatten(),
            location: None,
            message: self.message.clone(),
        }))
    }

    /// Whether it is told in quiet hours: it answers what the client has just done, or cannot wait for their end.
    fn breaks_quiet(&self, news: &BookingNews, quiet_until: Timestamp) -> bool {
        let known = self.known.as_ref().map_or(news.starts_at, |known| known.0.starts_at);
        let lapses = match news.change {
            BookingChange::SeatOffered { until } => until,
            _ => news.starts_at,
        };
        let first = known.min(news.starts_at).min(lapses);
        self.prompt || first < quiet_until.plus_seconds(URGENT_SECONDS)
    }
}

/// Writes to a client about everything that they have not been told.
fn tell_client(cx: &mut Write, client: Id) -> Result<()> {
    let client = ClientId(client);
    let notices: Vec<CalendarNotice> = cx.all(NOTICES, params![client, NOTICES_MAX])?;
    let more = notices.len() as i64 == NOTICES_MAX;
    let reader = LetterReader::of(cx, client)?.filter(|reader| !reader.client.is_archived());
    let Some(reader) = reader else {
        cx.defer(FORGET, params![client])?;
        return Ok(());
    };
    let filter = NotificationFilter::of(cx, client)?;
    let zone = reader.client.zone(cx)?;
    let quiet_until = filter.settings.quiet_until(cx.now(), &zone);
    let (mut letter, mut waits) = (Vec::new(), None);
    for notice in notices {
        let told = notice.read(cx)?;
        if let (Some(news), Some(until)) = (&told.news, quiet_until)
            && !told.notice.breaks_quiet(news, until)
        {
            waits = Some(until);
            continue;
        }
        cx.defer(DELETE_NOTICE, params![client, told.notice.kind, told.notice.subject])?;
        plan_reminder(cx, &told, filter.settings.reminder_hours)?;
        if told.news.as_ref().is_some_and(|news| filter.includes(kind_of(news.change))) {
            letter.push(told);
        }
    }
    write_letter(cx, &reader, letter)?;
    match waits {
        Some(until) => cx.set_timer(TELL_CLIENT, client, until),
        None if more => {
            let now = cx.now();
            cx.set_timer(TELL_CLIENT, client, now)
        }
        None => Ok(()),
    }
}

fn write_letter(cx: &mut Write, reader: &LetterReader, mut told: Vec<PendingNews>) -> Result<()> {
    // What has just been told needs no reminder.
    let changed: BTreeSet<Id> = told
        .iter()
        .filter(|told| told.notice.kind == NoticeKind::Change)
        .map(|told| told.notice.subject)
        .collect();
    told.retain(|told| {
        told.notice.kind != NoticeKind::Reminder || !changed.contains(&told.notice.subject)
    });
    let Some(about) = told.first().map(|first| first.notice.subject) else { return Ok(()) };
    told.sort_by_key(|told| told.news.as_ref().map(|news| news.starts_at));
    let (company, sender) = (Company::find(cx)?.name, cx.env().mail_sender.clone());
    let people = Correspondents { name: &company, sender: &sender, recipient: reader.email() };
    let (mut news, mut calendars) = (Vec::new(), Vec::new());
    for PendingNews { booking, news: told, .. } in told {
        let Some(told) = told else { continue };
        if let (Some(method), Some(booking)) = (method_of(told.change), booking)
            && let Some(entry) = booking_entries(cx, vec![booking])?.first()
        {
            let content = ical::invitation(method, entry, people);
            calendars.push(CalendarFile { method: method.word().to_owned(), content });
        }
        news.push(told);
    }
    let has_portal = reader.client.may_sign_in();
    let letter = Letter::Bookings { news: &news, calendars: &calendars, has_portal };
    spotter_mail::send(cx, reader.recipient(), about, &letter)
}

/// Has the attendees of an event reminded, some hours before it begins.
fn plan_reminder(cx: &mut Write, told: &PendingNews, hours: i64) -> Result<()> {
    let Some(booking) = &told.booking else { return Ok(()) };
    if told.notice.kind != NoticeKind::Change {
        return Ok(());
    }
    let at = booking.starts_at.plus_seconds(-3_600 * hours);
    if booking.status == BookingStatus::Booked && at > cx.now() {
        cx.set_timer(&REMIND_ATTENDEES, booking.calendar_event_id, at)?;
    }
    Ok(())
}

/// Reminds everybody who has a seat at an event.
fn remind_attendees(cx: &mut Write, event: Id) -> Result<()> {
    let now = cx.now();
    let booked = Booking::of_event(cx, CalendarEventId(event), BookingStatus::Booked)?;
    let Some(starts_at) = booked.first().map(|booking| booking.starts_at) else { return Ok(()) };
    let hours = NotificationSettings::find(cx)?.reminder_hours;
    let due = starts_at.plus_seconds(-3_600 * hours);
    if due > now {
        // It was moved, or the setting changed.
        return cx.set_timer(&REMIND_ATTENDEES, event, due);
    }
    for booking in booked {
        if booking.starts_at > now && booking.created_at < now.plus_seconds(-FRESH_SECONDS) {
            leave(cx, booking.client_id, NoticeKind::Reminder, booking.booking_id.0, None)?;
        }
    }
    Ok(())
}

static WRITE_LETTERS: Timer = Timer::new(
    TELL_CLIENT.0,
    "Write to a client what has changed about their bookings",
    tell_client,
);

static REMIND_ATTENDEES: Timer =
    Timer::new("remind_attendees", "Remind the attendees of an event", remind_attendees);

/// Personal data in this module.
const TRACES: &[ErasureRule] = &[ErasureRule::gone("calendar_notice", ErasureAction::By(FORGET))];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&WRITE_LETTERS, &REMIND_ATTENDEES]).erases(TRACES)
}

statements! {
    NOTICES = "SELECT ", CalendarNotice::COLUMNS, " FROM calendar_notice WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY kind, subject LIMIT ?3";
    DELETE_NOTICE = "DELETE FROM calendar_notice WHERE company_id = ?1 AND client_id = ?2 AND kind = ?3 AND subject = ?4";
    FORGET = "DELETE FROM calendar_notice WHERE company_id = ?1 AND client_id = ?2";
}
