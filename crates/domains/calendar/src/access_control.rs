//! What doors know of the calendar: opening times of a location, expected clients, and check-ins.

use spotter_company::locations::Location;
use spotter_contract::{
    Area, Read, Write,
    admission::{ClassAttendees, Timetable},
};
use spotter_kernel::{
    Id, Result,
    id::{ClientId, LocationId},
    span,
};
use spotter_store::{params, statements};

use crate::{
    attendance,
    availability::LocationAvailability,
    booking::Booking,
    closures::{AvailabilityRule, Zones},
    events::CalendarEvent,
    hours::Span,
    vocabulary::{AttendanceStatus, BookingId, BookingStatus, CalendarEventId},
};

/// The calendar's answers to doors.
pub struct CalendarAccess;

impl Timetable for CalendarAccess {
    fn ask_ahead(
        &self,
        cx: &mut Read,
        client: ClientId,
        location: LocationId,
        at: Span,
        begins: Span,
    ) -> Result<()> {
        LocationAvailability::ask_ahead(cx, location)?;
        AvailabilityRule::ask_ahead(cx, at)?;
        cx.ask_ahead(EXPECTED, params![client, location, begins.start, begins.end])
    }

    fn open(&self, cx: &mut Read, location: LocationId, range: Span) -> Result<Vec<Span>> {
        let location = Location::find(cx, location)?;
        let hours = LocationAvailability::of(cx, &location)?;
        let open = match hours.open(&location, range) {
            Some(open) => span::shared(&open, &[range]),
            None => vec![range],
        };
        let closures = AvailabilityRule::in_range(cx, range)?;
        if closures.is_empty() {
            return Ok(open);
        }
        let place = Some((location.id(), location.time_zone()));
        let zones = Zones { company: cx.zone()?, location: place, coach: None };
        let closed: Vec<_> = closures.iter().flat_map(|rule| rule.closes(&zones)).collect();
        Ok(span::without(open, &closed))
    }

    fn expected(
        &self,
        cx: &mut Read,
        client: ClientId,
        location: LocationId,
        begins: Span,
    ) -> Result<Vec<Id>> {
        let Span { start, end } = begins;
        let found: Vec<(Id,)> = cx.all(EXPECTED, params![client, location, start, end])?;
        Ok(found.into_iter().map(|(booking,)| booking).collect())
    }

    fn attendees(&self, cx: &mut Read, event: Id) -> Result<ClassAttendees> {
        let event = CalendarEvent::find(cx, CalendarEventId(event))?;
        let booked = Booking::of_event(cx, event.calendar_event_id, BookingStatus::Booked)?;
        let clients = booked.into_iter().map(|booking| booking.client_id).collect();
        Ok(ClassAttendees { coach: event.coach_id, starts_at: event.starts_at, clients })
    }

    fn arrived(&self, cx: &mut Write, booking: Id) -> Result<()> {
        let before = Booking::find(cx, BookingId(booking))?;
        let expected = before.status == BookingStatus::Booked
            && before.attendance_status == AttendanceStatus::Expected;
        match expected {
            true => attendance::mark(cx, &before, AttendanceStatus::Attended).map(drop),
            false => Ok(()),
        }
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    EXPECTED = "SELECT booking_id FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND starts_at >= ?4 AND starts_at <= ?5 AND location_id = ?3 AND status = 'booked' \
        ORDER BY starts_at, booking_id LIMIT 20";
}
