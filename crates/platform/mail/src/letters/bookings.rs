//! Letters about bookings: what has changed, or is about to begin, one paragraph each.

use spotter_kernel::{TimeZone, Timestamp};

use super::content::{LetterParagraph, fill};

/// What a client is told of a booking.
#[derive(Debug, Clone)]
pub struct BookingNews {
    /// What has become of it.
    pub change: BookingChange,
    /// Display name.
    pub name: String,
    /// Instant at which it begins.
    pub starts_at: Timestamp,
    /// Instant at which it is over.
    pub ends_at: Timestamp,
    /// IANA zone of the place where it is held.
    pub time_zone: TimeZone,
    /// Who leads it.
    pub coach: Option<String>,
    /// Where it is held.
    pub location: Option<String>,
    /// What staff want to say about it.
    pub message: Option<String>,
}

/// What has become of a booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookingChange {
    /// It has a seat.
    Booked,
    /// It has another time.
    Moved {
        /// Start before the move.
        from: Timestamp,
    },
    /// Somebody else leads it.
    CoachChanged,
    /// It is held elsewhere.
    LocationChanged,
    /// The client cancelled it.
    CancelledByClient,
    /// The company cancelled it, or it does not take place.
    CancelledByCompany,
    /// It waits for a seat.
    Waitlisted,
    /// It left the waiting list without a seat.
    WaitlistLeft,
    /// A seat is held for it.
    SeatOffered {
        /// Until when.
        until: Timestamp,
    },
    /// The seat that was held for it was given away.
    OfferLapsed,
    /// The time that was asked for is not possible.
    RequestRejected,
    /// It begins soon.
    Reminder,
}

/// The texts of letters about bookings in one language. Names in braces are placeholders.
pub(super) struct BookingTexts {
    /// Monday first.
    pub(super) weekdays: [&'static str; 7],
    /// January first.
    pub(super) months: [&'static str; 12],
    /// A date.
    pub(super) date: &'static str,
    /// An instant.
    pub(super) moment: &'static str,
    /// From one time of day to another.
    pub(super) hours: &'static str,
    /// Where it was before a move.
    pub(super) moved_from: &'static str,
    /// Who leads it.
    pub(super) coach: &'static str,
    /// Until when a seat is held.
    pub(super) held_until: &'static str,
    /// The subject of a letter about several bookings.
    pub(super) several: &'static str,
    /// The subject of a letter that reminds of several bookings.
    pub(super) several_reminders: &'static str,
    /// What the link is called.
    pub(super) link: &'static str,
    pub(super) booked: &'static str,
    pub(super) moved: &'static str,
    pub(super) coach_changed: &'static str,
    pub(super) location_changed: &'static str,
    pub(super) cancelled_by_client: &'static str,
    pub(super) cancelled_by_company: &'static str,
    pub(super) waitlisted: &'static str,
    pub(super) waitlist_left: &'static str,
    pub(super) seat_offered: &'static str,
    pub(super) offer_lapsed: &'static str,
    pub(super) request_rejected: &'static str,
    pub(super) reminder: &'static str,
}

impl BookingTexts {
    const fn heading(&self, change: BookingChange) -> &'static str {
        match change {
            BookingChange::Booked => self.booked,
            BookingChange::Moved { .. } => self.moved,
            BookingChange::CoachChanged => self.coach_changed,
            BookingChange::LocationChanged => self.location_changed,
            BookingChange::CancelledByClient => self.cancelled_by_client,
            BookingChange::CancelledByCompany => self.cancelled_by_company,
            BookingChange::Waitlisted => self.waitlisted,
            BookingChange::WaitlistLeft => self.waitlist_left,
            BookingChange::SeatOffered { .. } => self.seat_offered,
            BookingChange::OfferLapsed => self.offer_lapsed,
            BookingChange::RequestRejected => self.request_rejected,
            BookingChange::Reminder => self.reminder,
        }
    }

    fn date(&self, at: Timestamp, zone: &TimeZone) -> String {
        let date = zone.date_at(at);
        let weekday = self.weekdays.get(date.weekday() as usize - 1).copied().unwrap_or_default();
        let month = self.months.get(date.0.month() as usize - 1).copied().unwrap_or_default();
        let day = date.0.day().to_string();
        fill(self.date, &[("weekday", weekday), ("day", &day), ("month", month)])
    }

    fn moment(&self, at: Timestamp, zone: &TimeZone) -> String {
        let (date, time) = (self.date(at, zone), zone.time_at(at).to_string());
        fill(self.moment, &[("date", &date), ("time", &time)])
    }

    fn hours(&self, from: Timestamp, until: Timestamp, zone: &TimeZone) -> String {
        let date = self.date(from, zone);
        let (from, until) = (zone.time_at(from).to_string(), zone.time_at(until).to_string());
        fill(self.hours, &[("date", &date), ("from", &from), ("until", &until)])
    }
}

impl BookingNews {
    /// The subject of a letter about this alone.
    fn subject(&self, texts: &BookingTexts) -> String {
        let heading = fill(texts.heading(self.change), &[("name", &self.name)]);
        format!("{heading}, {}", texts.moment(self.starts_at, &self.time_zone))
    }

    /// Its paragraph.
    pub(super) fn paragraph(&self, texts: &BookingTexts) -> LetterParagraph {
        let zone = &self.time_zone;
        let heading = Some(fill(texts.heading(self.change), &[("name", &self.name)]));
        let mut lines = vec![texts.hours(self.starts_at, self.ends_at, zone)];
        match self.change {
            BookingChange::Moved { from } => {
                let before = texts.moment(from, zone);
                lines.push(fill(texts.moved_from, &[("before", &before)]));
            }
            BookingChange::SeatOffered { until } => {
                let until = texts.moment(until, zone);
                lines.push(fill(texts.held_until, &[("until", &until)]));
            }
            _ => {}
        }
        lines.extend(self.location.clone());
        lines.extend(self.coach.as_ref().map(|coach| fill(texts.coach, &[("coach", coach)])));
        lines.extend(self.message.clone());
        LetterParagraph { heading, lines }
    }
}

/// The subject of a letter about bookings.
pub(super) fn subject(news: &[BookingNews], texts: &BookingTexts, company: &str) -> String {
    if let [one] = news {
        return one.subject(texts);
    }
    let several = if reminds(news) { texts.several_reminders } else { texts.several };
    fill(several, &[("company", company), ("count", &news.len().to_string())])
}

/// Whether a letter does nothing but remind.
pub(super) fn reminds(news: &[BookingNews]) -> bool {
    news.iter().all(|one| one.change == BookingChange::Reminder)
}
