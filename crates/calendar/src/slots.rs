//! Slots: what can be booked, from which instant on, and why not where it cannot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Flag, Query, Read, operation};
use spotter_core::{clients::Client, company::coaches::Coach, locations::Location};
use spotter_kernel::{
    Key, Problem, Result, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
};

use crate::{
    calling,
    offering::{Asking, Offering, Start},
    token::SlotKey,
    types::EventType,
    vocabulary::{CalendarEventId, EventTypeId, Reason},
    window::{Span, local},
};

/// The longest range of slots, in days.
const DAYS_MAX: i64 = 31;
/// The longest range that is explained, in days.
const EXPLAINED_DAYS_MAX: i64 = 2;
/// Most slots of an answer.
const SLOTS_MAX: usize = 2_000;

/// What can be booked at an instant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// What is booked.
    event_type_id: EventTypeId,
    /// The class, where it is one.
    calendar_event_id: Option<CalendarEventId>,
    /// What people call it.
    name: String,
    /// With whom.
    coach_id: CoachId,
    /// Where, if it has a place.
    location_id: Option<LocationId>,
    /// When it begins.
    starts_at: Timestamp,
    /// When it is over.
    ends_at: Timestamp,
    /// The zone in which it takes place.
    time_zone: TimeZone,
    /// What the clock shows there at its start, `YYYY-MM-DDTHH:MM`.
    local_starts_at: String,
    /// How many seats there are.
    capacity: i64,
    /// How many of them are free.
    capacity_left: i64,
    /// Whether it can be booked.
    bookable: bool,
    /// Why not.
    reasons: Vec<Reason>,
    /// What `POST /bookings` takes, for ten minutes; null where it cannot be booked.
    slot_token: Option<String>,
}

impl Slot {
    /// A start as it is told.
    pub fn of(cx: &Read, event_type: &EventType, start: Start) -> Result<Self> {
        let Start { span, coach, location, zone, class, reasons } = start;
        let key = SlotKey {
            event_type_id: event_type.event_type_id,
            coach_id: coach,
            location_id: location,
            calendar_event_id: class.as_ref().map(|class| class.calendar_event_id),
            starts_at: span.start,
        };
        let bookable = reasons.is_empty();
        let free = i64::from(!reasons.iter().any(|reason| reason.is_taken()));
        let name = class.as_ref().map_or(&event_type.name, |class| &class.name).clone();
        Ok(Self {
            event_type_id: event_type.event_type_id,
            name,
            calendar_event_id: key.calendar_event_id,
            coach_id: coach,
            location_id: location,
            starts_at: span.start,
            ends_at: span.end,
            local_starts_at: local(span.start, &zone),
            time_zone: zone,
            capacity: class.as_ref().map_or(1, |class| class.capacity),
            capacity_left: class.as_ref().map_or(free, |class| class.free_seats()),
            bookable,
            reasons,
            slot_token: if bookable { Some(key.token(cx)?) } else { None },
        })
    }
}

/// What is asked for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Wanted {
    /// What is to be booked.
    event_type_id: EventTypeId,
    /// Slots that begin at this instant or later; required.
    from: Option<Timestamp>,
    /// Slots that begin before this instant, at most 31 days later; required.
    to: Option<Timestamp>,
    /// Slots with this coach.
    coach_id: Option<CoachId>,
    /// Slots at this location.
    location_id: Option<LocationId>,
    /// For this client: what they have booked, and what they may book, is looked at, too.
    client_id: Option<ClientId>,
    /// Shows times that are taken or closed, too, with the reasons; for at most two days.
    explain: Option<Flag>,
}

/// What can be booked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Slots {
    /// In order of their starts, then of their coaches; at most 2000.
    slots: Vec<Slot>,
    /// From where to ask on, where there are more.
    next_from: Option<Timestamp>,
}

fn list_slots(cx: &mut Read, Query(wanted): Query<Wanted>) -> Result<Slots> {
    let range = calling::check_range(wanted.from, wanted.to, DAYS_MAX)?;
    let explains = wanted.explain.is_some_and(|flag| flag.0);
    if explains {
        calling::check_range(wanted.from, wanted.to, EXPLAINED_DAYS_MAX)?;
    }
    let event_type = EventType::find(cx, wanted.event_type_id)?;
    if let Some(coach) = wanted.coach_id {
        Coach::find(cx, coach)?;
    }
    if let Some(location) = wanted.location_id {
        let rule = "must be one of the company's locations";
        Location::find(cx, location).map_err(|none| none.missing("locationId", rule))?;
    }
    let client = cx.narrowed(wanted.client_id)?;
    if let Some(client) = client {
        Client::find(cx, client)?;
    }
    if !event_type.is_active() {
        return Ok(Slots { slots: Vec::new(), next_from: None });
    }
    let (coach, location) = (wanted.coach_id, wanted.location_id);
    let asking =
        Asking { event_type: &event_type, coach, location, range, client, than: None, moved: None };
    let offering = Offering::read(cx, asking)?;
    let (mut starts, mut from) = (Vec::new(), range.start);
    // A day at a time, so that no more is worked out than is told.
    while from < range.end && starts.len() <= SLOTS_MAX {
        let to = from.plus_days(1).min(range.end);
        let day = offering.starts(cx, Span::new(from, to))?;
        let told =
            |start: &Start| explains || !start.reasons.iter().any(|reason| reason.is_taken());
        starts.extend(day.into_iter().filter(told));
        from = to;
    }
    let next_from = cut(&mut starts).or((from < range.end).then_some(from));
    let slots: Result<_> =
        starts.into_iter().map(|start| Slot::of(cx, &event_type, start)).collect();
    Ok(Slots { slots: slots?, next_from })
}

/// Leaves out what is too much, but never a part of those that begin at one instant.
fn cut(starts: &mut Vec<Start>) -> Option<Timestamp> {
    let first_left_out = starts.get(SLOTS_MAX)?.span.start;
    let kept = starts.partition_point(|start| start.span.start < first_left_out);
    if kept > 0 {
        starts.truncate(kept);
        return Some(first_left_out);
    }
    let end = starts.partition_point(|start| start.span.start <= first_left_out);
    let next = starts.get(end).map(|start| start.span.start);
    starts.truncate(end);
    next
}

/// How far the alternatives to a slot may be, in days.
const ALTERNATIVES_DAYS: i64 = 7;
/// How many there are.
const ALTERNATIVES: usize = 3;

/// The refusal of a slot, with the reasons and the next slots that can be booked instead.
pub fn not_bookable(
    cx: &mut Read,
    event_type: &EventType,
    (coach, location): (Option<CoachId>, Option<LocationId>),
    client: Option<ClientId>,
    (at, reasons): (Timestamp, &[Reason]),
) -> Result<Problem> {
    let from = at.max(cx.now());
    let range = Span::new(from, from.plus_days(ALTERNATIVES_DAYS));
    let asking = Asking { event_type, coach, location, range, client, than: None, moved: None };
    let offering = Offering::read(cx, asking)?;
    let mut alternatives = Vec::new();
    for day in 0..ALTERNATIVES_DAYS {
        let part = Span::new(from.plus_days(day), from.plus_days(day + 1));
        let starts = offering.starts(cx, part)?.into_iter();
        let free = starts.filter(|start| start.reasons.is_empty());
        for start in free.take(ALTERNATIVES - alternatives.len()) {
            alternatives.push(Slot::of(cx, event_type, start)?);
        }
        if alternatives.len() == ALTERNATIVES {
            break;
        }
    }
    let words: Vec<_> = reasons.iter().map(|reason| reason.word()).collect();
    let told = match words.is_empty() {
        true => "The slot can no longer be booked.".to_owned(),
        false => format!("The slot cannot be booked: {}.", words.join(", ")),
    };
    let mut problem = Problem::because(Key::AvailabilitySlotNotBookable, told);
    problem.details = Some(serde_json::json!({"reasons": words, "alternatives": alternatives}));
    Ok(problem)
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(GET "/availability/slots", AvailabilityRead, list_slots)
        .summary("List slots")
        .describe(
            "What can be booked, with a token that books it. A slot that is free and still cannot be \
             booked is listed with the reasons: `notice`, `window`, `full`, `daily_limit`, \
             `client_busy`, `already_booked`, `not_entitled`.",
        )
        .for_own(&[])
        .fails(&[
            Key::DateRangeRequired,
            Key::DateRangeOrderInvalid,
            Key::DateRangeTooLarge,
            Key::CompanyNotFound,
            Key::EventTypeNotFound,
            Key::CoachNotFound,
            Key::ClientNotFound,
            Key::NotFound,
        ])])
}
