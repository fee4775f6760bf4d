//! The slots of a type: its coaches, locations, closures and clients combined for the [`offer`], which lists slots
//! and checks the booked one.

use std::collections::{BTreeMap, BTreeSet};

use spotter_company::locations::Location;
use spotter_contract::Read;
use spotter_kernel::{
    Date, Id, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
};
use spotter_people::coaches::Coach;

use crate::{
    availability::{CoachAvailability, LocationAvailability},
    booking,
    busy::crowded,
    closures::{AvailabilityRule, Zones},
    days,
    events::CalendarEvent,
    hours::{Opening, Span, merged},
    requests::BookingRequest,
    seat_holds::SeatHold,
    slot_rules::{BookingTerms, CoachSupply, meets, offer},
    types::EventType,
    vocabulary::{BookingId, Buffers, CalendarEventId, EventKind, UnavailableReason},
};

/// The query.
pub struct SlotQuery<'a> {
    /// The event type.
    pub event_type: &'a EventType,
    /// By which coach, if by a certain one.
    pub coach: Option<CoachId>,
    /// Location, if any.
    pub location: Option<LocationId>,
    /// When it begins.
    pub range: Span,
    /// The client, if known.
    pub client: Option<ClientId>,
    /// An event or request that does not conflict with itself.
    pub than: Option<Id>,
    /// The moved booking: its credits are available for it.
    pub moved: Option<BookingId>,
}

/// A start with a coach at a place, or a class, and what speaks against it.
#[derive(Clone, Debug)]
pub struct Start {
    /// Start and end.
    pub span: Span,
    /// The coach.
    pub coach: CoachId,
    /// Where.
    pub location: Option<LocationId>,
    /// Time zone of the event.
    pub zone: TimeZone,
    /// The class, if it is one.
    pub class: Option<CalendarEvent>,
    /// Empty where it can be booked.
    pub reasons: Vec<UnavailableReason>,
}

/// A place, and when it can be used.
struct UsableLocation {
    location: Option<LocationId>,
    zone: Option<TimeZone>,
    open: Option<Vec<Span>>,
    crowded: Vec<Span>,
    limited: bool,
}

/// A coach at a place.
struct CoachAtLocation {
    coach: CoachId,
    place: usize,
    zone: TimeZone,
    openings: Vec<Opening>,
    busy: Vec<Span>,
    closed: Vec<Span>,
    full_dates: BTreeSet<Date>,
    buffers: Buffers,
}

/// Everything that determines slots, read in one snapshot.
pub struct SlotSearch<'a> {
    query: SlotQuery<'a>,
    earliest: Timestamp,
    latest: Option<Timestamp>,
    places: Vec<UsableLocation>,
    suppliers: Vec<CoachAtLocation>,
    client: Vec<Span>,
    /// Events for which the client waits for a coach's word.
    asked_for: BTreeSet<CalendarEventId>,
}

/// From when until when something of a type can be booked now.
pub fn bookable_from_to(
    cx: &mut Read,
    event_type: &EventType,
) -> Result<(Timestamp, Option<Timestamp>)> {
    let earliest = cx.now().plus_seconds(event_type.min_notice_minutes * 60);
    let days = event_type.window_days(cx)?;
    Ok((earliest, days.map(|days| cx.now().plus_days(days))))
}

impl<'a> SlotSearch<'a> {
    /// Reads what decides it.
    pub fn read(cx: &mut Read, slot_query: SlotQuery<'a>) -> Result<Self> {
        let event_type = slot_query.event_type;
        let (earliest, latest) = bookable_from_to(cx, event_type)?;
        let around =
            Span::new(slot_query.range.start.plus_days(-1), slot_query.range.end.plus_days(2));
        let requested = match slot_query.client {
            Some(client) => {
                let times = booking::prefetch_times(cx, client, around)?;
                Some((times, BookingRequest::prefetch_pending(cx, client)?))
            }
            None => None,
        };
        let mut search = Self {
            query: slot_query,
            earliest,
            latest,
            places: Vec::new(),
            suppliers: Vec::new(),
            client: Vec::new(),
            asked_for: BTreeSet::new(),
        };
        if event_type.kind == EventKind::Appointment {
            search.read_places(cx, around)?;
            search.read_suppliers(cx, around)?;
        }
        if let Some((times, pending)) = requested {
            let than = search.query.than;
            let mut times = booking::awaited_times(cx, times, than)?;
            let mut pending = cx.awaited(pending)?;
            pending.retain(|request| Some(request.booking_request_id.0) != than);
            times.extend(pending.iter().map(BookingRequest::span));
            search.client = merged(times);
            search.asked_for =
                pending.iter().filter_map(|request| request.calendar_event_id).collect();
        }
        Ok(search)
    }

    fn read_places(&mut self, cx: &mut Read, around: Span) -> Result<()> {
        let ids = &self.query.event_type.location_ids.0;
        if ids.is_empty() {
            let anywhere = UsableLocation {
                location: None,
                zone: None,
                open: None,
                crowded: Vec::new(),
                limited: false,
            };
            // Nowhere in particular is no place that one can ask for.
            self.places.extend(self.query.location.is_none().then_some(anywhere));
            return Ok(());
        }
        let wanted = |id: &&LocationId| self.query.location.is_none_or(|wanted| wanted == **id);
        for id in ids.iter().filter(wanted) {
            let location = Location::find(cx, *id)?;
            if !location.is_active() {
                continue;
            }
            let availability = LocationAvailability::of(cx, &location)?;
            let full = match availability.max_concurrent_events {
                Some(most) => {
                    let taken = days::busy_spans(cx, &[id.0], around, self.query.than)?;
                    crowded(taken.into_iter().flatten(), most as usize)
                }
                None => Vec::new(),
            };
            self.places.push(UsableLocation {
                location: Some(*id),
                zone: Some(availability.time_zone.clone()),
                open: availability.open(&location, around),
                crowded: full,
                limited: availability.max_concurrent_events.is_some(),
            });
        }
        Ok(())
    }

    fn read_suppliers(&mut self, cx: &mut Read, around: Span) -> Result<()> {
        let event_type = self.query.event_type;
        let closures = AvailabilityRule::prefetch_in_range(cx, around)?;
        let coaches = event_type.coaches(cx, self.query.coach)?;
        let owners: Vec<Id> = coaches.iter().map(|id| id.0).collect();
        let busy = days::prefetch_busy_spans(cx, &owners, around)?;
        let schedules = CoachAvailability::for_coaches(cx, &coaches)?;
        let busy = days::awaited_busy_spans(cx, busy, self.query.than)?;
        let closures = cx.awaited(closures)?;
        let company = match closures.is_empty() {
            true => TimeZone::UTC,
            false => cx.zone()?,
        };
        for ((coach, schedule), busy) in coaches.iter().zip(schedules).zip(busy) {
            let full_dates = self.full_dates(cx, *coach, &schedule.time_zone, around)?;
            let busy = merged(busy);
            for (place, at) in self.places.iter().enumerate() {
                let zones = Zones {
                    company: company.clone(),
                    location: at.location.zip(at.zone.clone()),
                    coach: Some((*coach, schedule.time_zone.clone())),
                };
                let closed = closures.iter().flat_map(|rule| rule.closes(&zones)).collect();
                self.suppliers.push(CoachAtLocation {
                    coach: *coach,
                    place,
                    zone: schedule.time_zone.clone(),
                    openings: schedule.openings(around, at.location, event_type.event_type_id),
                    busy: busy.clone(),
                    closed: merged(closed),
                    full_dates: full_dates.clone(),
                    buffers: event_type.buffers(&schedule),
                });
            }
        }
        Ok(())
    }

    /// The dates, in the zone of the coach's schedule, on which the coach has reached the daily limit of the type.
    fn full_dates(
        &self,
        cx: &mut Read,
        coach: CoachId,
        zone: &TimeZone,
        around: Span,
    ) -> Result<BTreeSet<Date>> {
        let Some(limit) = self.query.event_type.daily_limit_per_coach else {
            return Ok(BTreeSet::new());
        };
        let id = self.query.event_type.event_type_id;
        let mut counts = BTreeMap::<Date, i64>::new();
        for (event, at) in CalendarEvent::starts_of_type(cx, coach, id, around)? {
            if Some(event.0) != self.query.than {
                *counts.entry(zone.date_at(at)).or_default() += 1;
            }
        }
        for (request, at) in BookingRequest::starts_of_type(cx, coach, id)? {
            if Some(request.0) != self.query.than {
                *counts.entry(zone.date_at(at)).or_default() += 1;
            }
        }
        Ok(counts.into_iter().filter(|(_, count)| *count >= limit).map(|(date, _)| date).collect())
    }

    fn terms(&self, buffers: Buffers) -> BookingTerms {
        let event_type = self.query.event_type;
        BookingTerms {
            minutes: event_type.duration_minutes,
            interval: event_type.slot_interval_minutes,
            before: buffers.before,
            after: buffers.after,
            earliest: self.earliest,
            latest: self.latest,
        }
    }

    /// Every start of a part of the range, in order of the starts and then of the coaches.
    pub fn starts(&self, cx: &mut Read, part: Span) -> Result<Vec<Start>> {
        let mut found = match self.query.event_type.kind {
            EventKind::Appointment => self.appointments(part),
            EventKind::Class => self.classes(cx, part)?,
        };
        self.check_credits(cx, &mut found)?;
        found.sort_by_key(|start| (start.span, start.coach, start.location));
        Ok(found)
    }

    fn appointments(&self, part: Span) -> Vec<Start> {
        let mut found = Vec::new();
        for supplier in &self.suppliers {
            let place = &self.places[supplier.place];
            let supply = CoachSupply {
                zone: &supplier.zone,
                openings: &supplier.openings,
                place: place.open.as_deref(),
                closed: &supplier.closed,
                busy: &supplier.busy,
                crowded: &place.crowded,
                client: &self.client,
                full_dates: &supplier.full_dates,
            };
            let offered = offer(&self.terms(supplier.buffers), &supply, part);
            found.extend(offered.into_iter().map(|offered| Start {
                span: offered.span,
                coach: supplier.coach,
                location: place.location,
                zone: place.zone.clone().unwrap_or_else(|| supplier.zone.clone()),
                class: None,
                reasons: offered.reasons,
            }));
        }
        found
    }

    fn classes(&self, cx: &mut Read, part: Span) -> Result<Vec<Start>> {
        let SlotQuery { event_type, coach, location, client, .. } = &self.query;
        let mine = match client {
            Some(client) => booking::events_of(cx, *client, part)?,
            None => BTreeSet::new(),
        };
        let gone = self.departures(cx)?;
        let classes = CalendarEvent::classes(cx, event_type.event_type_id, part)?;
        // A seat that is held for the client is free for them.
        let held = match client {
            Some(client) if classes.iter().any(|class| class.free_seats() == 0) => {
                SeatHold::all_of(cx, *client)?
            }
            _ => Vec::new(),
        };
        let closed = self.closed_classes(cx, &classes, part)?;
        let wanted = |class: &CalendarEvent| {
            !gone.contains(&class.coach_id.0)
                && class.location_id.is_none_or(|id| !gone.contains(&id.0))
                && coach.is_none_or(|id| id == class.coach_id)
                && location.is_none_or(|id| Some(id) == class.location_id)
        };
        Ok(classes
            .into_iter()
            .filter(wanted)
            .map(|class| {
                let span = class.span();
                let closed =
                    closed.get(&class.calendar_event_id).is_some_and(|shut| meets(shut, &span));
                let id = &class.calendar_event_id;
                let own = Some(id.0) == self.query.than;
                let already = !own && (mine.contains(id) || self.asked_for.contains(id));
                let is_held = class.seats_taken <= class.capacity
                    && held.iter().any(|hold| hold.calendar_event_id == *id);
                let is_full = class.free_seats() == 0 && !is_held;
                let reasons = [
                    (closed, UnavailableReason::Closed),
                    (is_full && !already, UnavailableReason::Full),
                    (span.start < self.earliest, UnavailableReason::Notice),
                    (
                        self.latest.is_some_and(|latest| span.start >= latest),
                        UnavailableReason::Window,
                    ),
                    (already, UnavailableReason::AlreadyBooked),
                    (!already && meets(&self.client, &span), UnavailableReason::ClientBusy),
                ];
                let reasons = reasons.into_iter().filter(|(holds, _)| *holds);
                Start {
                    span,
                    coach: class.coach_id,
                    location: class.location_id,
                    zone: class.time_zone.clone(),
                    reasons: reasons.map(|(_, reason)| reason).collect(),
                    class: Some(class),
                }
            })
            .collect())
    }

    /// Departed coaches and archived locations: nothing new is booked with or at them.
    fn departures(&self, cx: &mut Read) -> Result<BTreeSet<Id>> {
        let coaches = Coach::prefetch_departed(cx)?;
        let places: Vec<Id> = Location::archived(cx)?;
        let coaches = cx.awaited(coaches)?;
        Ok(coaches.into_iter().map(|(id,)| id).chain(places).collect())
    }

    /// When closures close the classes.
    fn closed_classes(
        &self,
        cx: &mut Read,
        classes: &[CalendarEvent],
        part: Span,
    ) -> Result<BTreeMap<CalendarEventId, Vec<Span>>> {
        let around = Span::new(part.start, part.end.plus_days(1));
        let closures = AvailabilityRule::in_range(cx, around)?;
        if closures.is_empty() || classes.is_empty() {
            return Ok(BTreeMap::new());
        }
        let company = cx.zone()?;
        let coaches: BTreeSet<_> = classes.iter().map(|class| class.coach_id).collect();
        let coaches: Vec<_> = coaches.into_iter().collect();
        let schedules = CoachAvailability::for_coaches(cx, &coaches)?;
        let closed = classes.iter().map(|class| {
            let mut own = coaches.iter().zip(&schedules);
            let coach = own.find(|(id, _)| **id == class.coach_id);
            let zones = Zones {
                company: company.clone(),
                location: class.location_id.map(|id| (id, class.time_zone.clone())),
                coach: coach.map(|(id, schedule)| (*id, schedule.time_zone.clone())),
            };
            let spans = closures.iter().flat_map(|rule| rule.closes(&zones)).collect();
            (class.calendar_event_id, merged(spans))
        });
        Ok(closed.collect())
    }

    /// A client's purchase must be valid on the day, whatever the other reasons.
    fn check_credits(&self, cx: &mut Read, starts: &mut [Start]) -> Result<()> {
        let Some(client) = self.query.client else { return Ok(()) };
        let date = |start: &Start| start.zone.date_at(start.span.start);
        let mut dates = BTreeMap::<Date, Timestamp>::new();
        for start in starts.iter() {
            dates.entry(date(start)).or_insert(start.span.start);
        }
        let at: Vec<Timestamp> = dates.values().copied().collect();
        let Some(first) = at.first().copied() else { return Ok(()) };
        let event_type = self.query.event_type;
        let booking = self.query.moved.map_or(Id::first_at(first), |moved| moved.0);
        let taking = event_type.taking(client, booking, first);
        let quoted = cx.entitlements()?.quote(cx, &taking, &at)?;
        let entitled: BTreeMap<_, _> = dates.into_keys().zip(quoted).collect();
        for start in starts.iter_mut() {
            if entitled.get(&date(start)).is_none_or(Option::is_none) {
                start.reasons.push(UnavailableReason::NotEntitled);
            }
        }
        Ok(())
    }

    /// Every coach at every location at an instant, regardless of hours: only occupied time counts against it.
    pub fn ignoring_hours(&self, at: Timestamp) -> Vec<Start> {
        let span = Span::from_minutes(at, self.query.event_type.duration_minutes);
        let start = |supplier: &CoachAtLocation| {
            let place = &self.places[supplier.place];
            let reasons = [
                (
                    meets(&supplier.busy, &supplier.buffers.around(span)),
                    UnavailableReason::CoachBusy,
                ),
                (meets(&place.crowded, &span), UnavailableReason::LocationBusy),
                (meets(&self.client, &span), UnavailableReason::ClientBusy),
            ];
            Start {
                span,
                coach: supplier.coach,
                location: place.location,
                zone: place.zone.clone().unwrap_or_else(|| supplier.zone.clone()),
                class: None,
                reasons: reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, r)| r).collect(),
            }
        };
        self.suppliers.iter().map(start).collect()
    }

    /// How many minutes of the date of a start its coach is busy already.
    pub fn busy_minutes(&self, start: &Start) -> i64 {
        let date = start.zone.date_at(start.span.start);
        let day = Span::new(date.start_in(&start.zone), date.tomorrow().start_in(&start.zone));
        let supplier = self.suppliers.iter().find(|supplier| supplier.coach == start.coach);
        let busy = supplier.map(|supplier| supplier.busy.as_slice()).unwrap_or_default();
        let shared = busy.iter().filter(|span| span.overlaps(&day));
        let minutes = |span: &Span| {
            (span.end.min(day.end).millis() - span.start.max(day.start).millis()) / 60_000
        };
        shared.map(minutes).sum()
    }

    /// Whether the location of a start limits the number of simultaneous events.
    pub fn is_limited(&self, start: &Start) -> bool {
        self.places.iter().any(|place| place.location == start.location && place.limited)
    }

    /// The minutes that a coach needs around an event.
    pub fn buffers_of(&self, coach: CoachId) -> Buffers {
        let found = self.suppliers.iter().find(|supplier| supplier.coach == coach);
        found.map_or_else(Buffers::default, |supplier| supplier.buffers)
    }
}
