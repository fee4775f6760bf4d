//! Slots: the starts that can be booked, and why others cannot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Location;
use spotter_contract::{Area, Flag, IdList, Query, Read, operation};
use spotter_kernel::{
    Key, Problem, Result, Rule, TimeZone, Timestamp,
    id::{ClientId, CoachId, LocationId},
};
use spotter_people::{clients::Client, coaches::Coach};

use crate::{
    create::BookingDraft,
    hours::{Span, with_offset},
    permissions,
    policy::{CancellationTerms, Policy},
    rules::CalendarRule,
    slot_search::{SlotQuery, SlotSearch, Start},
    token::SlotKey,
    types::EventType,
    vocabulary::{CalendarEventId, EventTypeId, UnavailableReason},
};

/// The longest range of slots, in days.
const DAYS_MAX: i64 = 31;
/// The longest range that is explained, in days.
const EXPLAINED_DAYS_MAX: i64 = 2;
/// Most slots of an answer.
const SLOTS_MAX: usize = 2_000;

/// A time that can be booked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// Kind of appointment or class, one of `GET /event-types`.
    event_type_id: EventTypeId,
    /// The class, if it is one.
    calendar_event_id: Option<CalendarEventId>,
    /// Display name.
    name: String,
    /// Coach of the slot.
    coach_id: CoachId,
    /// The location, if there is one.
    location_id: Option<LocationId>,
    /// Instant at which it begins, in UTC.
    starts_at: Timestamp,
    /// Instant at which it is over, in UTC.
    ends_at: Timestamp,
    /// IANA zone of the place where it is held.
    time_zone: TimeZone,
    /// Start in local time with its UTC offset.
    local_starts_at: String,
    /// Number of seats.
    capacity: i64,
    /// Number of free seats.
    capacity_left: i64,
    /// Whether it can be booked.
    bookable: bool,
    /// Reasons why it cannot be booked.
    reasons: Vec<UnavailableReason>,
    /// What it costs to cancel it late, or not to come.
    cancellation: CancellationTerms,
    /// Token for `POST /bookings`, valid for ten minutes; null if the slot cannot be booked.
    slot_token: Option<String>,
}

impl Slot {
    /// The API form of a start.
    pub fn of(cx: &Read, event_type: &EventType, policy: &Policy, start: Start) -> Result<Self> {
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
            local_starts_at: with_offset(span.start, &zone),
            time_zone: zone,
            capacity: class.as_ref().map_or(1, |class| class.capacity),
            capacity_left: class.as_ref().map_or(free, |class| class.free_seats()),
            bookable,
            reasons,
            cancellation: policy.terms(span.start),
            slot_token: if bookable { Some(key.token(cx)?) } else { None },
        })
    }
}

/// The query.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlotFilters {
    /// The event type; required without `eventTypeIds`.
    event_type_id: Option<EventTypeId>,
    /// Up to ten types at once, with commas between; instead of `eventTypeId`.
    event_type_ids: Option<IdList<EventTypeId>>,
    /// Slots that begin at this instant or later.
    #[schemars(required, with = "Timestamp")]
    from: Option<Timestamp>,
    /// Slots that begin before this instant, at most 31 days later.
    #[schemars(required, with = "Timestamp")]
    to: Option<Timestamp>,
    /// Slots with this coach.
    coach_id: Option<CoachId>,
    /// Slots at this location.
    location_id: Option<LocationId>,
    /// Slots for this client: their bookings and entitlements are taken into account.
    client_id: Option<ClientId>,
    /// Shows times that are taken or closed, too, with the reasons; for at most two days.
    explain: Option<Flag>,
}

/// Most types of one query.
const TYPES_MAX: usize = 10;

impl SlotFilters {
    /// The requested types, in either form.
    fn types(&self) -> Result<Vec<EventTypeId>> {
        match (self.event_type_id, &self.event_type_ids) {
            (Some(one), None) => Ok(vec![one]),
            (None, Some(IdList(all))) if all.len() <= TYPES_MAX => Ok(all.clone()),
            (None, Some(_)) => {
                Err(Problem::invalid("eventTypeIds", CalendarRule::TooManyTypes { max: TYPES_MAX }))
            }
            (Some(_), Some(_)) => {
                Err(Problem::invalid("eventTypeIds", CalendarRule::GivenBesideType))
            }
            (None, None) => Err(Problem::invalid("eventTypeId", Rule::Required)),
        }
    }
}

/// The bookable times.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Slots {
    /// Slots by start, then by coach; at most 2000.
    slots: Vec<Slot>,
    /// Value of `from` for the next request, if there are more slots.
    next_from: Option<Timestamp>,
}

fn list_slots(cx: &mut Read, Query(wanted): Query<SlotFilters>) -> Result<Slots> {
    let range = permissions::check_range(wanted.from, wanted.to, DAYS_MAX)?;
    let explains = wanted.explain.is_some_and(|flag| flag.0);
    if explains {
        permissions::check_range(wanted.from, wanted.to, EXPLAINED_DAYS_MAX)?;
    }
    let mut event_types = Vec::new();
    for id in wanted.types()? {
        event_types.push(EventType::find(cx, id)?);
    }
    if let Some(coach) = wanted.coach_id {
        Coach::find(cx, coach)?;
    }
    if let Some(location) = wanted.location_id {
        let rule = Rule::OtherCompanysLocation;
        Location::find(cx, location).map_err(|none| none.missing("locationId", rule))?;
    }
    let client = cx.narrowed(wanted.client_id)?;
    if let Some(client) = client {
        Client::find(cx, client)?;
    }
    let (coach, location) = (wanted.coach_id, wanted.location_id);
    let mut offerings = Vec::new();
    for event_type in event_types.iter().filter(|event_type| event_type.is_active()) {
        let query =
            SlotQuery { event_type, coach, location, range, client, than: None, moved: None };
        let (policy, search) = (event_type.policy(cx)?, SlotSearch::read(cx, query)?);
        offerings.push(Offering { event_type, policy, search });
    }
    let (mut starts, mut from) = (Vec::new(), range.start);
    // A day at a time, so that no more is computed than is returned.
    while from < range.end && starts.len() <= SLOTS_MAX && !offerings.is_empty() {
        let to = from.plus_days(1).min(range.end);
        let mut of_day: Vec<TypedStart> = Vec::new();
        for own in &offerings {
            let day = own.search.starts(cx, Span::new(from, to))?.into_iter();
            let output =
                |start: &Start| explains || !start.reasons.iter().any(|reason| reason.is_taken());
            of_day.extend(day.filter(output).map(|start| (own, start)));
        }
        // Starts of one type are in order already.
        if offerings.len() > 1 {
            of_day.sort_by_key(|(_, start)| (start.span.start, start.coach));
        }
        starts.extend(of_day);
        from = to;
    }
    let is_over = offerings.is_empty() || from >= range.end;
    let next_from = cut(&mut starts).or((!is_over).then_some(from));
    let slots: Result<_> = starts
        .into_iter()
        .map(|(own, start)| Slot::of(cx, own.event_type, &own.policy, start))
        .collect();
    Ok(Slots { slots: slots?, next_from })
}

/// A type whose starts are listed.
struct Offering<'t> {
    event_type: &'t EventType,
    policy: Policy,
    search: SlotSearch<'t>,
}

/// A start, and of what.
type TypedStart<'t> = (&'t Offering<'t>, Start);

/// Cuts the list to its limit, but never between starts of the same instant.
fn cut(starts: &mut Vec<TypedStart<'_>>) -> Option<Timestamp> {
    let at = |(_, start): &TypedStart<'_>| start.span.start;
    let first_left_out = at(starts.get(SLOTS_MAX)?);
    let kept = starts.partition_point(|start| at(start) < first_left_out);
    if kept > 0 {
        starts.truncate(kept);
        return Some(first_left_out);
    }
    let end = starts.partition_point(|start| at(start) <= first_left_out);
    let next = starts.get(end).map(at);
    starts.truncate(end);
    next
}

/// How far the alternatives to a slot may be, in days.
const ALTERNATIVES_DAYS: i64 = 7;
/// Number of records.
const ALTERNATIVES: usize = 3;

/// A slot that cannot be booked.
pub struct RefusedSlot<'r> {
    /// Its coach, where alternatives must be theirs.
    pub coach: Option<CoachId>,
    /// Its location, where alternatives must be there.
    pub location: Option<LocationId>,
    /// The client of the request.
    pub client: ClientId,
    /// Its start.
    pub starts_at: Timestamp,
    /// Reasons why it cannot be booked.
    pub reasons: &'r [UnavailableReason],
}

impl<'r> RefusedSlot<'r> {
    /// The slot of a draft, of whichever coach.
    pub const fn of(
        draft: &BookingDraft,
        starts_at: Timestamp,
        reasons: &'r [UnavailableReason],
    ) -> Self {
        let (location, client) = (draft.location, draft.client);
        Self { coach: None, location, client, starts_at, reasons }
    }

    /// A class of which every seat is taken.
    pub const fn full(draft: &BookingDraft, starts_at: Timestamp) -> Self {
        Self::of(draft, starts_at, &[UnavailableReason::Full])
    }

    /// The refusal, with the reasons and the next slots that can be booked instead.
    pub fn problem(&self, cx: &mut Read, event_type: &EventType) -> Result<Problem> {
        let &Self { coach, location, client, starts_at, reasons } = self;
        let client = Some(client);
        let from = starts_at.max(cx.now());
        let range = Span::new(from, from.plus_days(ALTERNATIVES_DAYS));
        let query =
            SlotQuery { event_type, coach, location, range, client, than: None, moved: None };
        let search = SlotSearch::read(cx, query)?;
        let (policy, mut alternatives) = (event_type.policy(cx)?, Vec::new());
        for day in 0..ALTERNATIVES_DAYS {
            let part = Span::new(from.plus_days(day), from.plus_days(day + 1));
            let starts = search.starts(cx, part)?.into_iter();
            let free = starts.filter(|start| start.reasons.is_empty());
            for start in free.take(ALTERNATIVES - alternatives.len()) {
                alternatives.push(Slot::of(cx, event_type, &policy, start)?);
            }
            if alternatives.len() == ALTERNATIVES {
                break;
            }
        }
        let words: Vec<_> = reasons.iter().map(|reason| reason.word()).collect();
        let refusal = match reasons.first() {
            None => CalendarRule::SlotGone.into(),
            Some(reason) => reason.refusal(&words.join(", ")),
        };
        let mut problem = Problem::because(Key::AvailabilitySlotNotBookable, refusal);
        problem.details = Some(serde_json::json!({"reasons": words, "alternatives": alternatives}));
        Ok(problem)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(GET "/availability/slots", AvailabilityRead, list_slots)
            .summary("List bookable slots")
            .without_etag()
            .describe(
                "Returns the starts that can be booked, each with a token that books it. A slot \
                 that is free but cannot be booked is listed with its `reasons`: `notice`, \
                 `window`, `full`, `daily_limit`, `client_busy`, `already_booked` or \
                 `not_entitled`.",
            )
            .for_own(&[])
            .fails(&[
                Key::DateRangeRequired,
                Key::DateRangeTooLarge,
                Key::CompanyNotFound,
                Key::EventTypeNotFound,
                Key::CoachNotFound,
                Key::ClientNotFound,
                Key::NotFound,
            ]),
    ])
}
