//! Entries of calendars: how feeds and letters show bookings and events.

use std::collections::BTreeMap;

use spotter_company::locations::Location;
use spotter_contract::Read;
use spotter_kernel::{Id, Result, Timestamp, id::LocationId};
use spotter_people::coaches::Coach;

use crate::{
    booking::Booking, events::CalendarEvent, ical::CalendarEntry, vocabulary::BookingStatus,
};

/// The UID of a record, the same in every calendar.
pub fn uid(cx: &Read, id: Id) -> String {
    format!("{id}@{}.spotter", cx.company())
}

/// The entry of an event, with its name alone.
pub fn entry_of(cx: &Read, event: &CalendarEvent) -> CalendarEntry {
    CalendarEntry {
        uid: uid(cx, event.calendar_event_id.0),
        changed_at: event.updated_at,
        created_at: event.created_at,
        revision: event.moves,
        span: event.span(),
        summary: event.name.clone(),
        description: None,
        location: None,
        tentative: false,
        transparent: false,
    }
}

/// The entries of bookings, as their clients see them.
pub fn booking_entries(cx: &mut Read, bookings: Vec<Booking>) -> Result<Vec<CalendarEntry>> {
    let coaches: Vec<_> = bookings.iter().map(|booking| booking.coach_id).collect();
    let names = Coach::dated_names(cx, &coaches)?;
    let mut places = LocationLabels::default();
    let mut entries = Vec::with_capacity(bookings.len());
    for (booking, coach) in bookings.into_iter().zip(names) {
        let place = places.label(cx, booking.location_id)?;
        let entry = CalendarEntry {
            uid: uid(cx, booking.booking_id.0),
            changed_at: booking.updated_at,
            created_at: booking.created_at,
            revision: booking.version - 1,
            span: booking.span(),
            location: text_of(&place),
            summary: booking.name,
            description: text_of(&coach),
            tentative: booking.status == BookingStatus::Offered,
            transparent: false,
        };
        entries.push(entry.showing([&place, &coach]));
    }
    Ok(entries)
}

/// A label from another record, and when that changed.
pub type DatedLabel = Option<(String, Timestamp)>;

impl CalendarEntry {
    /// Includes labels of other records: renaming one of them changes the entry.
    pub fn showing<const N: usize>(mut self, others: [&DatedLabel; N]) -> Self {
        for (_, at) in others.into_iter().flatten() {
            self.changed_at = self.changed_at.max(*at);
        }
        self
    }
}

/// The text of a label.
pub fn text_of(called: &DatedLabel) -> Option<String> {
    called.as_ref().map(|(text, _)| text.clone())
}

/// Names of locations, each read once.
#[derive(Default)]
pub struct LocationLabels(BTreeMap<LocationId, (String, Timestamp)>);

impl LocationLabels {
    /// The name of a location, and when it changed.
    pub fn label(&mut self, cx: &mut Read, id: Option<LocationId>) -> Result<DatedLabel> {
        let Some(id) = id else { return Ok(None) };
        if let Some(label) = self.0.get(&id) {
            return Ok(Some(label.clone()));
        }
        let place = Location::find(cx, id)?;
        let label = (place.label(), place.updated_at());
        self.0.insert(id, label.clone());
        Ok(Some(label))
    }
}
