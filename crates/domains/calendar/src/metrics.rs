//! Reports' metrics of bookings and events, by the date in the zone where they take place: seats by attendance,
//! capacity, and visiting clients.

use std::collections::{BTreeMap, BTreeSet};

use spotter_company::metrics::Attendance;
use spotter_contract::{
    Area, MetricSheet, Read, Recount, Write,
    metrics::{self, Days, Difference, scope, scopes},
};
use spotter_kernel::{
    Date, DateRange, Id, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
};
use spotter_store::{params, record, statements};

use crate::{
    booking::Booking,
    events::CalendarEvent,
    vocabulary::{AttendanceStatus, BookingStatus, CancellationTiming, CancelledBy, EventStatus},
};

const NONE: Attendance = Attendance {
    attended: 0,
    no_shows: 0,
    excused: 0,
    expected: 0,
    late_cancellations: 0,
    early_cancellations: 0,
    company_cancellations: 0,
    events: 0,
    capacity: 0,
    first_visits: 0,
    visitors_day: 0,
    visitors_week: 0,
    visitors_month: 0,
};

record! {
    /// The figures of a booking.
    #[derive(Debug, Clone, PartialEq)]
    struct BookedSeat {
        booking_id: Id,
        client_id: ClientId,
        starts_at: Timestamp,
        time_zone: TimeZone,
        location_id: Option<LocationId>,
        coach_id: CoachId,
        status: BookingStatus,
        attendance_status: AttendanceStatus,
        cancelled_by: Option<CancelledBy>,
        cancellation_timing: Option<CancellationTiming>,
    }
}

impl From<&Booking> for BookedSeat {
    fn from(booking: &Booking) -> Self {
        Self {
            booking_id: booking.booking_id.0,
            client_id: booking.client_id,
            starts_at: booking.starts_at,
            time_zone: booking.time_zone.clone(),
            location_id: booking.location_id,
            coach_id: booking.coach_id,
            status: booking.status,
            attendance_status: booking.attendance_status,
            cancelled_by: booking.cancelled_by,
            cancellation_timing: booking.cancellation_timing,
        }
    }
}

impl BookedSeat {
    /// Its attendance; zero for a waiting-list place or an offer.
    fn metrics(&self) -> Attendance {
        match (self.status, self.attendance_status, self.cancellation_timing) {
            (BookingStatus::Booked, AttendanceStatus::Attended, _) => {
                Attendance { attended: 1, ..NONE }
            }
            (BookingStatus::Booked, AttendanceStatus::NoShow, _) => {
                Attendance { no_shows: 1, ..NONE }
            }
            (BookingStatus::Booked, AttendanceStatus::Excused, _) => {
                Attendance { excused: 1, ..NONE }
            }
            (BookingStatus::Booked, AttendanceStatus::Expected, _) => {
                Attendance { expected: 1, ..NONE }
            }
            (BookingStatus::Cancelled, _, Some(timing)) => match (self.cancelled_by, timing) {
                (Some(CancelledBy::Client), CancellationTiming::Late) => {
                    Attendance { late_cancellations: 1, ..NONE }
                }
                (Some(CancelledBy::Client), CancellationTiming::Early) => {
                    Attendance { early_cancellations: 1, ..NONE }
                }
                _ => Attendance { company_cancellations: 1, ..NONE },
            },
            _ => NONE,
        }
    }

    fn sheet(&self) -> MetricSheet<Attendance> {
        let mut sheet = MetricSheet::default();
        let day = self.time_zone.date_at(self.starts_at);
        sheet.add(&scopes(self.location_id, Some(self.coach_id)), day, "", self.metrics(), 1);
        sheet
    }

    /// The client's visit, if they came.
    fn visit(&self) -> Option<AttendedBooking> {
        let came = self.status == BookingStatus::Booked
            && self.attendance_status == AttendanceStatus::Attended;
        came.then(|| AttendedBooking {
            booking_id: self.booking_id,
            starts_at: self.starts_at,
            time_zone: self.time_zone.clone(),
            location_id: self.location_id,
            coach_id: self.coach_id,
        })
    }
}

record! {
    /// That a client came.
    #[derive(Debug, Clone, PartialEq)]
    struct AttendedBooking {
        starts_at: Timestamp,
        booking_id: Id,
        time_zone: TimeZone,
        location_id: Option<LocationId>,
        coach_id: CoachId,
    }
}

impl AttendedBooking {
    fn day(&self) -> Date {
        self.time_zone.date_at(self.starts_at)
    }

    fn order(&self) -> (Timestamp, Id) {
        (self.starts_at, self.booking_id)
    }

    /// The figures of a client's first visit.
    fn first(&self) -> MetricSheet<Attendance> {
        let mut sheet = MetricSheet::default();
        let own = scopes(self.location_id, Some(self.coach_id));
        sheet.add(&own, self.day(), "", Attendance { first_visits: 1, ..NONE }, 1);
        sheet
    }
}

/// The figures of a client's visits: one a day, week and month, in all, at each location and with each coach.
fn visitors<'v>(visits: impl IntoIterator<Item = &'v AttendedBooking>) -> MetricSheet<Attendance> {
    let mut seen = BTreeSet::new();
    for visit in visits {
        let day = visit.day();
        let own = [
            Some(scope(None, None)),
            visit.location_id.map(|location| scope(Some(location), None)),
            Some(scope(None, Some(visit.coach_id))),
        ];
        for scope in own.into_iter().flatten() {
            seen.insert((scope.clone(), 0, day));
            seen.insert((scope.clone(), 1, day.monday()));
            seen.insert((scope, 2, day.first_of_month()));
        }
    }
    let mut sheet = MetricSheet::default();
    for (scope, span, first) in seen {
        let came = match span {
            0 => Attendance { visitors_day: 1, ..NONE },
            1 => Attendance { visitors_week: 1, ..NONE },
            _ => Attendance { visitors_month: 1, ..NONE },
        };
        sheet.add(&[scope], first, "", came, 1);
    }
    sheet
}

/// Has the metrics follow a booking that was made or changed.
pub fn follow_booking(cx: &mut Write, before: Option<&Booking>, after: &Booking) -> Result<()> {
    let (before, after) = (before.map(BookedSeat::from), BookedSeat::from(after));
    if before.as_ref() == Some(&after) {
        return Ok(());
    }
    let was = before.as_ref().map(BookedSeat::sheet).unwrap_or_default();
    cx.update_metrics(&was, &after.sheet());
    let (was, is) = (before.as_ref().and_then(BookedSeat::visit), after.visit());
    if was != is { follow_visit(cx, &after, was, is) } else { Ok(()) }
}

/// Updates a client's visits after attendance was marked, reversed or moved.
fn follow_visit(
    cx: &mut Write,
    seat: &BookedSeat,
    before: Option<AttendedBooking>,
    after: Option<AttendedBooking>,
) -> Result<()> {
    let known = || before.iter().chain(&after);
    // A day, a week or a month reaches at most so far from a visit in it, with a day for the zones.
    let from = known().map(|visit| visit.starts_at).min().unwrap_or(seat.starts_at).plus_days(-33);
    let to = known().map(|visit| visit.starts_at).max().unwrap_or(seat.starts_at).plus_days(33);
    let own = params![seat.client_id, seat.booking_id, from, to];
    let others: Vec<AttendedBooking> = cx.all(VISITS, own)?;
    cx.update_metrics(
        &visitors(others.iter().chain(&before)),
        &visitors(others.iter().chain(&after)),
    );
    let earliest: Option<AttendedBooking> =
        cx.one(EARLIEST, params![seat.client_id, seat.booking_id])?;
    let first = |own: &Option<AttendedBooking>| {
        let both = earliest.iter().chain(own);
        both.min_by_key(|visit| visit.order()).map(AttendedBooking::first).unwrap_or_default()
    };
    cx.update_metrics(&first(&before), &first(&after));
    Ok(())
}

record! {
    /// The capacity of an event.
    #[derive(Debug, Clone, PartialEq)]
    struct EventCapacity {
        starts_at: Timestamp,
        time_zone: TimeZone,
        location_id: Option<LocationId>,
        coach_id: CoachId,
        capacity: i64,
        status: EventStatus,
    }
}

impl From<&CalendarEvent> for EventCapacity {
    fn from(event: &CalendarEvent) -> Self {
        Self {
            starts_at: event.starts_at,
            time_zone: event.time_zone.clone(),
            location_id: event.location_id,
            coach_id: event.coach_id,
            capacity: event.capacity,
            status: event.status,
        }
    }
}

impl EventCapacity {
    fn sheet(&self) -> MetricSheet<Attendance> {
        let mut sheet = MetricSheet::default();
        if self.status == EventStatus::Scheduled {
            let own = scopes(self.location_id, Some(self.coach_id));
            let day = self.time_zone.date_at(self.starts_at);
            let room = Attendance { events: 1, capacity: self.capacity, ..NONE };
            sheet.add(&own, day, "", room, 1);
        }
        sheet
    }
}

/// Has the metrics follow an event that was made, moved, changed or cancelled.
pub fn follow_event(cx: &mut Write, before: Option<&CalendarEvent>, after: &CalendarEvent) {
    let was = before.map(|event| EventCapacity::from(event).sheet()).unwrap_or_default();
    cx.update_metrics(&was, &EventCapacity::from(after).sheet());
}

/// Events begin before or with their bookings, and end with or after them.
fn span(cx: &mut Read) -> Result<Days> {
    let (mut first, mut last) = metrics::days_with::<Attendance>(cx, &[])?;
    let found: Option<(Option<Timestamp>, Option<Timestamp>)> = cx.one(SPAN, params![])?;
    if let Some((Some(from), Some(to))) = found {
        // In any zone, dates begin within a day of those of UTC.
        let [from, to] = [from.plus_days(-1), to.plus_days(1)].map(|at| TimeZone::UTC.date_at(at));
        first = first.map_or(Some(from), |first| Some(first.min(from)));
        last = last.map_or(Some(to), |last| Some(last.max(to)));
    }
    Ok((first, last))
}

/// Recounts a month. A week that begins in it may end in the next: visits are read that far.
fn month(cx: &mut Write, from: Date, to: Date, mend: bool) -> Result<Vec<Difference>> {
    // In any zone, dates begin within a day of those of UTC.
    let starts = from.start_in(&TimeZone::UTC).plus_days(-1);
    let ends = to.start_in(&TimeZone::UTC).plus_days(2 + 7);
    let mut sheet = MetricSheet::default();
    let rooms: Vec<EventCapacity> = cx.all(ROOMS, params![starts, ends])?;
    rooms.iter().for_each(|room| sheet.join(&room.sheet(), 1));
    let seats: Vec<BookedSeat> = cx.all(SEATS, params![starts, ends])?;
    let mut visits: BTreeMap<ClientId, Vec<AttendedBooking>> = BTreeMap::new();
    for seat in &seats {
        sheet.join(&seat.sheet(), 1);
        if let Some(visit) = seat.visit() {
            visits.entry(seat.client_id).or_default().push(visit);
        }
    }
    for (client, visits) in visits {
        sheet.join(&visitors(&visits), 1);
        let earliest: Option<AttendedBooking> = cx.one(EARLIEST, params![client, ""])?;
        if let Some(earliest) = earliest {
            sheet.join(&earliest.first(), 1);
        }
    }
    metrics::compare(cx, &sheet.between(from, to), DateRange { from, to }, mend)
}

static RECOUNT: Recount =
    Recount { span, prepare: metrics::prepared, month, now: metrics::nothing_now };

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).recounts(&[&RECOUNT])
}

statements! {
    VISITS = "SELECT ", AttendedBooking::COLUMNS, " FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND attendance_status = 'attended' AND status = 'booked' AND booking_id <> ?3 AND starts_at >= ?4 AND starts_at <= ?5 \
        LIMIT 2000";
    EARLIEST = "SELECT ", AttendedBooking::COLUMNS, " FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND attendance_status = 'attended' AND status = 'booked' AND booking_id <> ?3 ORDER BY starts_at, booking_id LIMIT 1";
    SPAN = "SELECT MIN(starts_at), MAX(starts_at) FROM calendar_event WHERE company_id = ?1";
    SEATS = "SELECT ", BookedSeat::COLUMNS, " FROM booking WHERE company_id = ?1 AND starts_at >= ?2 AND starts_at < ?3";
    ROOMS = "SELECT ", EventCapacity::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(at: &str, digit: char) -> AttendedBooking {
        let id = |digit: char| Id::parse(&digit.to_string().repeat(24)).unwrap();
        AttendedBooking {
            starts_at: Timestamp::parse(at).unwrap(),
            booking_id: id('0'),
            time_zone: TimeZone::parse("Europe/Amsterdam").unwrap(),
            location_id: None,
            coach_id: CoachId(id(digit)),
        }
    }

    #[test]
    fn two_visits_are_one_visitor() {
        // A Sunday evening by UTC is Monday in Amsterdam, and 30 November's week ends in December.
        let visits = [
            visit("2026-11-29T23:30:00.000Z", 'a'),
            visit("2026-11-30T10:00:00.000Z", 'a'),
            visit("2026-12-01T10:00:00.000Z", 'b'),
        ];
        let of = |scope: &str, day: &str| {
            let day = Date::parse(day).unwrap();
            let sheet = visitors(&visits);
            let found = sheet.iter().find(|((own, on, _), _)| own == scope && *on == day);
            found.map_or((0, 0, 0), |(_, all)| {
                (all.visitors_day, all.visitors_week, all.visitors_month)
            })
        };
        assert_eq!(of("all", "2026-11-30"), (1, 1, 0));
        assert_eq!(of("all", "2026-12-01"), (1, 0, 1));
        assert_eq!(of("all", "2026-11-01"), (0, 0, 1));
        let b = scope(None, Some(visits[2].coach_id));
        assert_eq!(of(&b, "2026-11-30"), (0, 1, 0));
        assert_eq!(of(&b, "2026-12-01"), (1, 0, 1));
    }
}
