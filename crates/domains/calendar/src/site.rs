//! The timetable that strangers see on a company's public site: classes with their free seats, and appointments with their
//! free times. Nothing of who has booked, and nothing that clients cannot book themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::{
    locations::Location,
    site::{Site, SitePath},
};
use spotter_contract::{Area, Path, Query, Read, answer, operation, path};
use spotter_kernel::{
    Key, Result, TimeZone, Timestamp,
    id::{CoachId, LocationId},
    text::Slug,
};
use spotter_people::coaches::Coach;
use spotter_store::{params, statements};

use crate::{
    events::CalendarEvent,
    hours::{Span, with_offset},
    permissions,
    policy::{CancellationTerms, Policy},
    seat_holds::SeatHold,
    slot_search::{SlotQuery, SlotSearch, bookable_from_to},
    types::EventType,
    vocabulary::{CalendarEventId, EventKind, EventTypeId},
};

/// The longest range of classes and times, in days.
const DAYS_MAX: i64 = 31;
/// Most classes of an answer.
const CLASSES_MAX: i64 = 1_000;
/// Most times of an answer.
const TIMES_MAX: usize = 500;

/// Names of coaches and locations, which strangers read instead of ids alone.
struct Names {
    coaches: BTreeMap<CoachId, String>,
    locations: BTreeMap<LocationId, String>,
}

impl Names {
    fn read(cx: &mut Read, coaches: impl IntoIterator<Item = CoachId>) -> Result<Self> {
        let mut ids: Vec<CoachId> = coaches.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        // A site that does not list its coaches names none of them.
        let names = match Site::of(cx)?.shows_coaches {
            true => Coach::names(cx, &ids)?,
            false => vec![None; ids.len()],
        };
        let coaches = ids.into_iter().zip(names.into_iter().map(Option::unwrap_or_default));
        let locations = Location::active(cx)?.into_iter();
        Ok(Self {
            coaches: coaches.collect(),
            locations: locations.map(|own| (own.id(), own.name().to_owned())).collect(),
        })
    }

    fn coach(&self, id: CoachId) -> String {
        self.coaches.get(&id).cloned().unwrap_or_default()
    }

    fn location(&self, id: Option<LocationId>) -> Option<String> {
        self.locations.get(&id?).cloned()
    }
}

/// A class as strangers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteClass {
    calendar_event_id: CalendarEventId,
    event_type_id: EventTypeId,
    name: String,
    /// What the kind of class is about.
    description: Option<String>,
    coach_id: CoachId,
    /// Empty where the site does not list its coaches.
    coach_name: String,
    location_id: Option<LocationId>,
    location_name: Option<String>,
    starts_at: Timestamp,
    ends_at: Timestamp,
    /// IANA zone of the place where it is held.
    time_zone: TimeZone,
    /// Start in local time with its UTC offset.
    local_starts_at: String,
    /// Number of seats.
    capacity: i64,
    /// Number of free seats.
    capacity_left: i64,
    /// Whether a full class has a waiting list.
    has_waitlist: bool,
    /// Whether it can be booked now: not too late, and not too far ahead.
    bookable: bool,
    /// Number of credits that it takes.
    credits: i64,
    /// What it costs to cancel it late, or not to come.
    cancellation: CancellationTerms,
}

/// A type that clients book themselves, and from when until when.
struct PublicType {
    event_type: EventType,
    earliest: Timestamp,
    latest: Option<Timestamp>,
    policy: Policy,
}

impl PublicType {
    fn of(cx: &mut Read, event_type: EventType) -> Result<Self> {
        let (earliest, latest) = bookable_from_to(cx, &event_type)?;
        let policy = event_type.policy(cx)?;
        Ok(Self { event_type, earliest, latest, policy })
    }

    /// The types of a kind.
    fn all(cx: &mut Read, kind: EventKind) -> Result<BTreeMap<EventTypeId, Self>> {
        let all = EventType::list_public(cx)?.into_iter().filter(|own| own.kind == kind);
        all.map(|own| Ok((own.event_type_id, Self::of(cx, own)?))).collect()
    }

    fn is_bookable_at(&self, start: Timestamp) -> bool {
        start >= self.earliest && self.latest.is_none_or(|latest| start < latest)
    }
}

impl SiteClass {
    fn of(event: CalendarEvent, public: &PublicType, names: &Names) -> Self {
        let event_type = &public.event_type;
        Self {
            event_type_id: event.event_type_id,
            description: event_type.description().map(str::to_owned),
            coach_id: event.coach_id,
            coach_name: names.coach(event.coach_id),
            location_id: event.location_id,
            location_name: names.location(event.location_id),
            starts_at: event.starts_at,
            ends_at: event.ends_at,
            local_starts_at: with_offset(event.starts_at, &event.time_zone),
            capacity: event.capacity,
            capacity_left: event.free_seats(),
            has_waitlist: event_type.waitlist.0.is_on(),
            bookable: public.is_bookable_at(event.starts_at),
            credits: event_type.credits,
            cancellation: public.policy.terms(event.starts_at),
            calendar_event_id: event.calendar_event_id,
            name: event.name,
            time_zone: event.time_zone,
        }
    }
}

/// The query of a timetable.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ClassFilters {
    /// Classes that begin at this instant or later.
    #[schemars(required, with = "Timestamp")]
    from: Option<Timestamp>,
    /// Classes that begin before this instant, at most 31 days later.
    #[schemars(required, with = "Timestamp")]
    to: Option<Timestamp>,
    /// Classes of this type.
    event_type_id: Option<EventTypeId>,
    /// Classes of this coach.
    coach_id: Option<CoachId>,
    /// Classes at this location.
    location_id: Option<LocationId>,
}

answer!(SiteClasses {
    /// Classes by start; at most 1000.
    classes: Vec<SiteClass>
});

fn list_site_classes(
    cx: &mut Read,
    Path(_): Path<SitePath>,
    Query(wanted): Query<ClassFilters>,
) -> Result<SiteClasses> {
    let range = permissions::check_range(wanted.from, wanted.to, DAYS_MAX)?;
    let types = PublicType::all(cx, EventKind::Class)?;
    let found: Vec<CalendarEvent> =
        cx.all(CLASSES, params![range.start, range.end, CLASSES_MAX])?;
    let found: Vec<CalendarEvent> = found
        .into_iter()
        .filter(|event| types.contains_key(&event.event_type_id))
        .filter(|event| wanted.event_type_id.is_none_or(|id| id == event.event_type_id))
        .filter(|event| wanted.coach_id.is_none_or(|id| id == event.coach_id))
        .filter(|event| wanted.location_id.is_none_or(|id| Some(id) == event.location_id))
        .collect();
    let names = Names::read(cx, found.iter().map(|event| event.coach_id))?;
    let classes = found.into_iter().filter_map(|event| {
        let public = types.get(&event.event_type_id)?;
        Some(SiteClass::of(event, public, &names))
    });
    Ok(SiteClasses { classes: classes.collect() })
}

path!(SiteClassPath {
    /// The address of the company's public site.
    slug: Slug,
    /// The class.
    calendar_event_id: CalendarEventId,
});

answer!(SiteClassAnswer {
    class: SiteClass,
    /// Until when a seat is held for the client who calls; null where none is, and for strangers.
    seat_held_until: Option<Timestamp>,
});

fn get_site_class(cx: &mut Read, Path(at): Path<SiteClassPath>) -> Result<SiteClassAnswer> {
    let event = CalendarEvent::find(cx, at.calendar_event_id)?;
    let event_type = EventType::of(cx, event.event_type_id)?;
    if event.kind != EventKind::Class || !event.is_scheduled() || !event_type.is_shown() {
        return Err(Key::NotFound.into());
    }
    let names = Names::read(cx, [event.coach_id])?;
    let held = match cx.calling_client() {
        Some(client) => SeatHold::of(cx, event.calendar_event_id, client)?,
        None => None,
    };
    Ok(SiteClassAnswer {
        class: SiteClass::of(event, &PublicType::of(cx, event_type)?, &names),
        seat_held_until: held.map(|hold| hold.expires_at),
    })
}

/// A kind of class or appointment that clients book themselves.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteEventType {
    event_type_id: EventTypeId,
    kind: EventKind,
    name: String,
    description: Option<String>,
    /// Minutes from beginning to end.
    duration_minutes: i64,
    /// Number of credits that it takes.
    credits: i64,
    /// Whether a coach approves it first.
    requires_approval: bool,
}

answer!(SiteEventTypes {
    /// Kinds by name.
    event_types: Vec<SiteEventType>
});

fn list_site_event_types(cx: &mut Read, Path(_): Path<SitePath>) -> Result<SiteEventTypes> {
    let mut all: Vec<EventType> = EventType::list_public(cx)?;
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let event_types = all.into_iter().map(|own| SiteEventType {
        event_type_id: own.event_type_id,
        kind: own.kind,
        description: own.description().map(str::to_owned),
        duration_minutes: own.duration_minutes,
        credits: own.credits,
        requires_approval: own.requires_approval,
        name: own.name,
    });
    Ok(SiteEventTypes { event_types: event_types.collect() })
}

/// A time at which an appointment can be booked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SiteTime {
    coach_id: CoachId,
    coach_name: String,
    location_id: Option<LocationId>,
    location_name: Option<String>,
    starts_at: Timestamp,
    ends_at: Timestamp,
    /// IANA zone of the place where it is held.
    time_zone: TimeZone,
    /// Start in local time with its UTC offset.
    local_starts_at: String,
}

/// The query of free times.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TimeFilters {
    /// The kind of appointment.
    event_type_id: EventTypeId,
    /// Times that begin at this instant or later.
    #[schemars(required, with = "Timestamp")]
    from: Option<Timestamp>,
    /// Times that begin before this instant, at most 31 days later.
    #[schemars(required, with = "Timestamp")]
    to: Option<Timestamp>,
    /// Times with this coach.
    coach_id: Option<CoachId>,
    /// Times at this location.
    location_id: Option<LocationId>,
}

answer!(SiteTimes {
    /// Times by start, then by coach; at most 500.
    times: Vec<SiteTime>
});

fn list_site_times(
    cx: &mut Read,
    Path(_): Path<SitePath>,
    Query(wanted): Query<TimeFilters>,
) -> Result<SiteTimes> {
    let range = permissions::check_range(wanted.from, wanted.to, DAYS_MAX)?;
    let event_type = EventType::find(cx, wanted.event_type_id)?;
    if event_type.kind != EventKind::Appointment {
        return Ok(SiteTimes { times: Vec::new() });
    }
    let query = SlotQuery {
        event_type: &event_type,
        coach: wanted.coach_id,
        location: wanted.location_id,
        range,
        client: None,
        than: None,
        moved: None,
    };
    let search = SlotSearch::read(cx, query)?;
    let (mut found, mut from) = (Vec::new(), range.start);
    while from < range.end && found.len() < TIMES_MAX {
        let to = from.plus_days(1).min(range.end);
        let day = search.starts(cx, Span::new(from, to))?.into_iter();
        found.extend(day.filter(|start| start.reasons.is_empty()));
        from = to;
    }
    found.truncate(TIMES_MAX);
    let names = Names::read(cx, found.iter().map(|start| start.coach))?;
    let times = found.into_iter().map(|start| SiteTime {
        coach_id: start.coach,
        coach_name: names.coach(start.coach),
        location_id: start.location,
        location_name: names.location(start.location),
        starts_at: start.span.start,
        ends_at: start.span.end,
        local_starts_at: with_offset(start.span.start, &start.zone),
        time_zone: start.zone,
    });
    Ok(SiteTimes { times: times.collect() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    let ranged = &[Key::DateRangeRequired, Key::DateRangeTooLarge];
    Area::of(STATEMENTS).operations([
        operation!(visitor GET "/site/{slug}/classes", list_site_classes)
            .summary("List a public timetable")
            .describe(
                "Returns the classes of a range that clients book themselves, with their free \
                 seats. Nothing of who has booked.",
            )
            .fails(ranged),
        operation!(visitor GET "/site/{slug}/classes/{calendarEventId}", get_site_class)
            .summary("Get a public class")
            .describe("Returns one class of the public timetable.")
            .fails(&[Key::EventTypeNotFound]),
        operation!(visitor GET "/site/{slug}/event-types", list_site_event_types)
            .summary("List public event types")
            .describe(
                "Returns the kinds of classes and appointments that clients book themselves.",
            ),
        operation!(visitor GET "/site/{slug}/times", list_site_times)
            .summary("List public times")
            .describe("Returns the times at which an appointment can be booked.")
            .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge, Key::EventTypeNotFound]),
    ])
}

statements! {
    CLASSES = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND starts_at >= ?2 AND starts_at < ?3 AND kind = 'class' AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?4";
}
