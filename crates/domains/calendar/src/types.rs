//! Event types: what can be booked, its duration, capacity and policy.

mod booking_terms;
mod waitlist;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::{catalogue::Policies, locations::Location};
use spotter_contract::{
    ArchivedKind, Area, Body, Effect, ListQuery, Offboarding, Path, Read, Remainders, Success,
    Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Id, Key, Many, Patch, Problem, Result, Rule, Timestamp,
    id::{CoachId, LocationId},
    number::BoundedInteger,
    text::{self, Name, Text, quoted},
};
use spotter_people::coaches::Coach;
use spotter_store::{Json, List, filters, lists, params, record, set, statements, values};

use crate::{
    availability::CoachAvailability,
    effects::CalendarEffect,
    rules::CalendarRule,
    vocabulary::{Buffers, EventKind, EventTypeId, OfferStatus, WaitlistMode},
};
pub use waitlist::Waitlist;

record! {
    /// A kind of class or appointment.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct EventType {
        /// The type's id.
        pub event_type_id: EventTypeId,
        /// Display name.
        pub name: String,
        description: Option<String>,
        /// Kind: an appointment, or a class with seats.
        pub kind: EventKind,
        /// Whether it can be booked, or is archived.
        pub status: OfferStatus,
        /// Minutes from beginning to end.
        pub duration_minutes: i64,
        /// Number of seats.
        pub capacity: i64,
        /// The grid of the starts of appointments.
        pub slot_interval_minutes: i64,
        /// Minutes that the coach needs before; the coach's own where null.
        pub buffer_before_minutes: Option<i64>,
        /// Minutes that the coach needs after; the coach's own where null.
        pub buffer_after_minutes: Option<i64>,
        /// Minutes before the start until which it can be booked.
        pub min_notice_minutes: i64,
        /// Number of days ahead that clients can book; the company's policy when null.
        pub booking_window_days: Option<i64>,
        /// Minutes before the start until which cancelling is early; the company's policy when
        /// null.
        pub cancellation_window_minutes: Option<i64>,
        /// Whether a coach must approve what clients and integrations book.
        pub requires_approval: bool,
        /// Minutes a coach has to approve a request.
        pub approval_minutes: i64,
        /// Whether clients book it themselves.
        pub clients_may_book: bool,
        /// The coaches who do it; every active one where empty.
        pub coach_ids: Json<Vec<CoachId>>,
        /// Locations; none in particular when empty.
        pub location_ids: Json<Vec<LocationId>>,
        /// Maximum number of these events per coach and date; unlimited when null.
        pub daily_limit_per_coach: Option<i64>,
        /// The credits that it takes.
        pub credits: i64,
        /// Keys of the pools whose credits pay for it, beside general credits.
        pub credit_pools: Json<Vec<String>>,
        /// The waiting list's settings.
        pub waitlist: Json<Waitlist>,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl EventType {
    /// The type with this id.
    pub fn find(cx: &mut Read, id: EventTypeId) -> Result<Self> {
        let found: Option<Self> = cx.one_kept(FIND, params![id])?;
        found
            .filter(|found| cx.by_staff() || found.is_shown())
            .ok_or_else(|| Key::EventTypeNotFound.into())
    }

    /// The type of something that is booked already, whatever has become of it.
    pub fn of(cx: &mut Read, id: EventTypeId) -> Result<Self> {
        cx.one_kept(FIND, params![id])?.ok_or_else(|| Key::EventTypeNotFound.into())
    }

    /// The minutes that a coach with these hours needs around an event of this type.
    pub fn buffers(&self, schedule: &CoachAvailability) -> Buffers {
        Buffers {
            before: self.buffer_before_minutes.unwrap_or(schedule.prep_minutes),
            after: self.buffer_after_minutes.unwrap_or(schedule.finish_minutes),
        }
    }

    /// Whether something new can be booked.
    pub fn is_active(&self) -> bool {
        self.status == OfferStatus::Active
    }

    /// Whether clients and strangers see it.
    pub fn is_shown(&self) -> bool {
        self.is_active() && self.clients_may_book
    }

    /// What clients and strangers see.
    pub fn list_public(cx: &mut Read) -> Result<Vec<Self>> {
        cx.all(PUBLIC, params![])
    }

    /// What it is about.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The coaches of the type: those it names, or all active ones; only the requested one, if given.
    pub fn coaches(&self, cx: &mut Read, wanted: Option<CoachId>) -> Result<Vec<CoachId>> {
        // A type with coaches of its own reads those only, however many the company has.
        let own = &self.coach_ids.0;
        let working = match wanted {
            Some(id) if !own.is_empty() && !own.contains(&id) => Vec::new(),
            Some(id) => match Coach::find_assignable(cx, id) {
                Ok(_) => vec![id],
                Err(none) if none.key == Key::CoachNotFound => Vec::new(),
                Err(problem) => return Err(problem),
            },
            None if own.is_empty() => Coach::working(cx)?,
            None => Coach::working_of(cx, own)?,
        };
        Ok(working)
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("event_type", self.event_type_id, self.changed(before))
        else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }

    fn check(&self) -> Result<()> {
        if self.kind == EventKind::Appointment && self.capacity != 1 {
            return Err(Problem::invalid("capacity", CalendarRule::AppointmentSeats));
        }
        if self.kind == EventKind::Appointment && self.waitlist.0.mode != WaitlistMode::Off {
            return Err(Problem::invalid("waitlist.mode", CalendarRule::WaitlistOfAppointment));
        }
        Ok(())
    }

    /// How many days ahead it can be booked: its own rule, or the company's; `None` without one.
    pub fn window_days(&self, cx: &mut Read) -> Result<Option<i64>> {
        match self.booking_window_days {
            Some(days) => Ok(Some(days)),
            None => Ok(Policies::of(cx)?.map(|policies| policies.booking_window_days())),
        }
    }

    /// Refuses a notice that is as long as the window: no start would satisfy both.
    fn check_window(&self, cx: &mut Read) -> Result<()> {
        if self.window_days(cx)?.is_some_and(|days| self.min_notice_minutes >= days * 1_440) {
            return Err(Problem::invalid("minNoticeMinutes", CalendarRule::NoticeBeyondWindow));
        }
        Ok(())
    }
}

/// Refuses a company's window that is no longer than the notice of a type without its own window.
fn check_policies(cx: &mut Write, _: Id) -> Result<u64> {
    let Some(days) = Policies::of(cx)?.map(|policies| policies.booking_window_days()) else {
        return Ok(0);
    };
    let never: Option<(String,)> = cx.one(NEVER_BOOKABLE, params![days * 1_440])?;
    match never {
        None => Ok(0),
        Some((name,)) => Err(Problem::conflict(
            "bookingWindowDays",
            CalendarRule::WindowBelowNotice { name: name.to_string() },
        )),
    }
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::PoliciesChanged,
    || CalendarEffect::RefusedWhileNoticeTooLong.into(),
    check_policies,
)];

listed!(EventTypes { event_types: EventType });

filters! {
    struct Filters {
        /// Types in this status.
        status: OfferStatus => "status = ?";
        /// Types of this kind.
        kind: EventKind => "kind = ?";
        /// Whether clients book them themselves.
        clients_may_book: spotter_contract::Flag => "clients_may_book = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_event_types(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<EventTypes> {
    let staffs = wanted.status == Some(OfferStatus::Archived);
    let others = wanted.clients_may_book.is_some_and(|flag| !flag.0);
    cx.check_staff_fields(&[("status", staffs), ("clientsMayBook", others)])?;
    if !cx.by_staff() {
        wanted.status = Some(OfferStatus::Active);
        wanted.clients_may_book = Some(spotter_contract::Flag(true));
    }
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(TypePath { event_type_id: EventTypeId });

answer!(TypeAnswer { event_type: EventType });

answer!(
    /// The archived event type, and the records that still refer to it.
    ArchivedAnswer {
        event_type: EventType,
        /// Records that still refer to it, by kind; they are unchanged.
        leaves_behind: Vec<Remainders>,
    }
);

fn get_event_type(cx: &mut Read, Path(at): Path<TypePath>) -> Result<TypeAnswer> {
    Ok(TypeAnswer { event_type: EventType::find(cx, at.event_type_id)? })
}

/// The event type to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewEventType {
    /// Display name.
    #[schemars(required, with = "Name<120>")]
    #[serde(default, deserialize_with = "text::given")]
    pub name: Option<Name<120>>,
    /// Description of the event type, for clients.
    pub description: Option<Text<1000>>,
    /// `appointment` when absent.
    pub kind: Option<EventKind>,
    /// Duration in minutes, 5 to 1,440.
    pub duration_minutes: BoundedInteger<5, 1_440>,
    /// 1 to 1000; 1 when absent, and for an appointment always.
    pub capacity: Option<BoundedInteger<1, 1_000>>,
    /// 5 to 240; 15 when absent.
    pub slot_interval_minutes: Option<BoundedInteger<5, 240>>,
    /// 0 to 240; the coach's own when absent.
    pub buffer_before_minutes: Option<BoundedInteger<0, 240>>,
    /// 0 to 240; the coach's own when absent.
    pub buffer_after_minutes: Option<BoundedInteger<0, 240>>,
    /// 0 to 43200; 0 when absent.
    pub min_notice_minutes: Option<BoundedInteger<0, 43_200>>,
    /// 1 to 366; the company's policies when absent.
    pub booking_window_days: Option<BoundedInteger<1, 366>>,
    /// 0 to 43200; the company's policies when absent.
    pub cancellation_window_minutes: Option<BoundedInteger<0, 43_200>>,
    /// `false` when absent.
    #[serde(default)]
    pub requires_approval: bool,
    /// 5 to 43200; 1440 when absent.
    pub approval_minutes: Option<BoundedInteger<5, 43_200>>,
    /// `true` when absent.
    pub clients_may_book: Option<bool>,
    /// At most 100; every active coach when empty.
    #[serde(default)]
    pub coach_ids: Many<CoachId, 0, 100>,
    /// At most 100; nowhere in particular when empty.
    #[serde(default)]
    pub location_ids: Many<LocationId, 0, 100>,
    /// 1 to 100; any number when absent.
    pub daily_limit_per_coach: Option<BoundedInteger<1, 100>>,
    /// 0 to 100; 0 when absent.
    pub credits: Option<BoundedInteger<0, 100>>,
    /// Keys of the pools whose credits pay for it, beside general credits.
    #[serde(default)]
    pub credit_pools: Many<Text<60>, 0, 10>,
    /// None when absent.
    pub waitlist: Option<Waitlist>,
}

fn name_required() -> Problem {
    Problem::field(Key::EventTypeNameRequired, "name", Rule::Required)
}

fn checked_coaches(cx: &mut Read, ids: Vec<CoachId>) -> Result<Json<Vec<CoachId>>> {
    for id in &ids {
        Coach::find(cx, *id)?;
    }
    Ok(Json(ids))
}

fn checked_locations(cx: &mut Read, ids: Vec<LocationId>) -> Result<Json<Vec<LocationId>>> {
    for id in &ids {
        let rule = Rule::OtherCompanysLocations;
        Location::find(cx, *id).map_err(|none| none.missing("locationIds", rule))?;
    }
    Ok(Json(ids))
}

/// Most types of a company.
const TYPES_MAX: i64 = 1_000;

/// Makes something new that can be booked.
pub fn create(cx: &mut Write, new: NewEventType) -> Result<EventType> {
    let name = new.name.ok_or_else(name_required)?;
    let count: Option<(i64,)> = cx.one(COUNT, params![])?;
    if count.is_some_and(|(count,)| count >= TYPES_MAX) {
        return Err(Problem::conflict("eventTypes", Rule::TooManyOfCompany { max: TYPES_MAX }));
    }
    let event_type = EventType {
        event_type_id: EventTypeId(cx.new_id()),
        name: name.into(),
        description: new.description.map(Into::into),
        kind: new.kind.unwrap_or(EventKind::Appointment),
        status: OfferStatus::Active,
        duration_minutes: new.duration_minutes.into(),
        capacity: new.capacity.map_or(1, Into::into),
        slot_interval_minutes: new.slot_interval_minutes.map_or(15, Into::into),
        buffer_before_minutes: new.buffer_before_minutes.map(Into::into),
        buffer_after_minutes: new.buffer_after_minutes.map(Into::into),
        min_notice_minutes: new.min_notice_minutes.map_or(0, Into::into),
        booking_window_days: new.booking_window_days.map(Into::into),
        cancellation_window_minutes: new.cancellation_window_minutes.map(Into::into),
        requires_approval: new.requires_approval,
        approval_minutes: new.approval_minutes.map_or(1_440, Into::into),
        clients_may_book: new.clients_may_book.unwrap_or(true),
        coach_ids: checked_coaches(cx, new.coach_ids.into_vec())?,
        location_ids: checked_locations(cx, new.location_ids.into_vec())?,
        daily_limit_per_coach: new.daily_limit_per_coach.map(Into::into),
        credits: new.credits.map_or(0, Into::into),
        credit_pools: Json(new.credit_pools.into_iter().map(Into::into).collect()),
        waitlist: Json(new.waitlist.unwrap_or(Waitlist::OFF)),
        archived_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    event_type.check()?;
    event_type.check_window(cx)?;
    cx.set_audit_target("event_type", event_type.event_type_id, ["eventType"]);
    cx.defer(INSERT, &event_type.params())?;
    Ok(event_type)
}

fn create_event_type(cx: &mut Write, Body(new): Body<NewEventType>) -> Result<TypeAnswer> {
    Ok(TypeAnswer { event_type: create(cx, new)? })
}

/// The fields of an event type to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "EventTypeChanges")]
struct TypeChanges {
    #[serde(deserialize_with = "text::replaced_text")]
    name: Patch<Name<120>>,
    description: Patch<Text<1000>>,
    duration_minutes: Change<BoundedInteger<5, 1_440>>,
    capacity: Change<BoundedInteger<1, 1_000>>,
    slot_interval_minutes: Change<BoundedInteger<5, 240>>,
    buffer_before_minutes: Patch<BoundedInteger<0, 240>>,
    buffer_after_minutes: Patch<BoundedInteger<0, 240>>,
    min_notice_minutes: Change<BoundedInteger<0, 43_200>>,
    booking_window_days: Patch<BoundedInteger<1, 366>>,
    cancellation_window_minutes: Patch<BoundedInteger<0, 43_200>>,
    requires_approval: Change<bool>,
    approval_minutes: Change<BoundedInteger<5, 43_200>>,
    clients_may_book: Change<bool>,
    coach_ids: Change<Many<CoachId, 0, 100>>,
    location_ids: Change<Many<LocationId, 0, 100>>,
    daily_limit_per_coach: Patch<BoundedInteger<1, 100>>,
    credits: Change<BoundedInteger<0, 100>>,
    credit_pools: Change<Many<Text<60>, 0, 10>>,
    waitlist: Change<Waitlist>,
}

fn update_event_type(
    cx: &mut Write,
    Path(at): Path<TypePath>,
    Body(change): Body<TypeChanges>,
) -> Result<TypeAnswer> {
    let before = EventType::find(cx, at.event_type_id)?;
    let mut own = before.clone();
    match change.name {
        Patch::Absent => {}
        Patch::Clear => return Err(name_required()),
        Patch::Set(name) => own.name = name.into(),
    }
    change.description.map(Into::into).apply(&mut own.description);
    change.duration_minutes.apply(&mut own.duration_minutes);
    change.capacity.apply(&mut own.capacity);
    change.slot_interval_minutes.apply(&mut own.slot_interval_minutes);
    change.buffer_before_minutes.map(Into::into).apply(&mut own.buffer_before_minutes);
    change.buffer_after_minutes.map(Into::into).apply(&mut own.buffer_after_minutes);
    change.min_notice_minutes.apply(&mut own.min_notice_minutes);
    change.booking_window_days.map(Into::into).apply(&mut own.booking_window_days);
    change.cancellation_window_minutes.map(Into::into).apply(&mut own.cancellation_window_minutes);
    change.requires_approval.apply(&mut own.requires_approval);
    change.approval_minutes.apply(&mut own.approval_minutes);
    change.clients_may_book.apply(&mut own.clients_may_book);
    if let Some(ids) = change.coach_ids.value() {
        own.coach_ids = checked_coaches(cx, ids.into_vec())?;
    }
    if let Some(ids) = change.location_ids.value() {
        own.location_ids = checked_locations(cx, ids.into_vec())?;
    }
    change.daily_limit_per_coach.map(Into::into).apply(&mut own.daily_limit_per_coach);
    change.credits.apply(&mut own.credits);
    let keys = |keys: Many<Text<60>, 0, 10>| Json(keys.into_iter().map(Into::into).collect());
    change.credit_pools.map(keys).apply(&mut own.credit_pools);
    change.waitlist.map(Json).apply(&mut own.waitlist);
    own.check()?;
    let rules = |own: &EventType| (own.min_notice_minutes, own.booking_window_days);
    if rules(&own) != rules(&before) {
        own.check_window(cx)?;
    }
    own.save(cx, &before)?;
    Ok(TypeAnswer { event_type: own })
}

fn archive_event_type(cx: &mut Write, Path(at): Path<TypePath>) -> Result<ArchivedAnswer> {
    let before = EventType::find(cx, at.event_type_id)?;
    let mut own = before.clone();
    if own.is_active() {
        own.status = OfferStatus::Archived;
        own.archived_at = Some(cx.now());
    }
    cx.describe_effect(|| CalendarEffect::EventTypeArchived { name: quoted(&own.name) });
    let leaves_behind = cx.left_behind(ArchivedKind::EventType, own.event_type_id)?;
    cx.as_of(before.updated_at);
    own.save(cx, &before)?;
    Ok(ArchivedAnswer { event_type: own, leaves_behind })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).ends(ENDS).operations([
        operation!(GET "/event-types", EventTypesRead, list_event_types)
            .summary("List event types")
            .describe("Returns the types of appointments and classes that can be booked.")
            .for_every_client(&[]),
        operation!(GET "/event-types/{eventTypeId}", EventTypesRead, get_event_type)
            .summary("Get an event type")
            .describe("Returns one event type with its booking rules.")
            .for_every_client(&[]),
        operation!(POST "/event-types", EventTypesWrite, create_event_type)
            .success(Success::Added)
            .summary("Create an event type")
            .describe(
                "Defines an appointment or a class: its duration, seats, credits and booking \
                 rules.",
            )
            .created()
            .fails(&[Key::EventTypeNameRequired, Key::ApiError]),
        operation!(PATCH "/event-types/{eventTypeId}", EventTypesWrite, update_event_type)
            .summary("Update an event type")
            .describe(
                "Changes the event type. Existing bookings keep the rules they were booked under.",
            )
            .fails(&[Key::EventTypeNameRequired]),
        operation!(POST "/event-types/{eventTypeId}/archive", EventTypesWrite, archive_event_type)
            .success(Success::Archived)
            .summary("Archive an event type")
            .describe("Prevents new bookings of this type. Existing bookings stay.")
            .confirmation(),
    ])
}

lists! {
    /// Every event type, newest first; a company has few.
    LIST: List<EventType, Filters> = List::new("event_type WHERE company_id = ?1", "event_type_id DESC");
}

statements! {
    PUBLIC = "SELECT ", EventType::COLUMNS, " FROM event_type WHERE company_id = ?1 AND status = 'active' \
        AND clients_may_book ORDER BY event_type_id LIMIT 500";
    NEVER_BOOKABLE = "SELECT name FROM event_type WHERE company_id = ?1 AND status = 'active' \
        AND booking_window_days IS NULL AND min_notice_minutes >= ?2 ORDER BY event_type_id LIMIT 1";
    FIND = "SELECT ", EventType::COLUMNS, " FROM event_type WHERE company_id = ?1 AND event_type_id = ?2";
    COUNT = "SELECT COUNT(*) FROM event_type WHERE company_id = ?1";
    INSERT = "INSERT INTO event_type ", values!(EventType);
    SAVE = "UPDATE event_type SET ", set!(EventType), " WHERE company_id = ?1 AND event_type_id = ?2";
}
