//! Calendar feeds: private addresses that calendar programs subscribe to. A coach's feed shows what the coach does, a
//! client's what the client has booked, a location's what takes place there, without names of people. An address is
//! shown once, and ends when it is replaced or revoked, or when its owner leaves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::{company::Company, locations::Location};
use spotter_contract::{
    Actor, Area, Body, Effect, LinkedDocument, ListQuery, Offboarding, Path, Read, ReaderDocument,
    Role, Success, UpdatedFrom, Write, answer, listed, operation, path, vault::digest,
};
use spotter_kernel::{
    Id, Key, Problem, Result, Rule, Timestamp,
    id::{ClientId, CoachId, LocationId},
    secret::{Credential, CredentialKind},
};
use spotter_people::{clients::Client, coaches::Coach};
use spotter_store::{Bind, List, lists, params, record, statements, values, words};

use crate::{
    booking::Booking,
    effects::CalendarEffect,
    entries::{DatedLabel, LocationLabels, booking_entries, entry_of, text_of, uid},
    events::CalendarEvent,
    hours::Span,
    ical::{CalendarEntry, calendar},
    rules::CalendarRule,
    vocabulary::{CalendarEventId, CalendarFeedId, EventKind},
};

words! {
    /// The owner of a feed.
    pub enum FeedKind { Coach = "coach", Client = "client", Location = "location" }
}

/// How far back a feed reaches, and how far ahead, in days.
const BACK_DAYS: i64 = 30;
const AHEAD_DAYS: i64 = 180;
/// Most entries of a feed.
const ENTRIES_MAX: i64 = 5_000;
/// Most feeds of one owner.
const FEEDS_MAX: i64 = 10;

record! {
    /// The secret address of a calendar in iCalendar format.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CalendarFeed {
        /// The feed's id.
        calendar_feed_id: CalendarFeedId,
        /// Kind of owner.
        kind: FeedKind,
        /// The coach, the client or the location.
        owner_id: Id,
        /// Who has made it.
        #[serde(skip)]
        made_by: Option<Id>,
        #[serde(skip)]
        digest: Vec<u8>,
        created_at: Timestamp,
        /// When its address was last created.
        updated_at: Timestamp,
    }
}

impl CalendarFeed {
    /// The feed with this id, if the caller may look after it.
    fn find(cx: &mut Read, id: CalendarFeedId) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        found.filter(|feed| feed.is_callers(cx)).ok_or_else(|| Key::NotFound.into())
    }

    /// People manage their own feeds and those they created; managers those of every coach and location.
    fn is_callers(&self, cx: &Read) -> bool {
        match cx.caller().actor {
            Actor::Client { id, .. } => self.owner_id == id.0,
            Actor::Coach { id, role: Role::Coach, .. } => {
                self.owner_id == id.0 || self.made_by == Some(id.0)
            }
            Actor::Coach { .. } => self.kind != FeedKind::Client,
            Actor::ApiClient { .. } | Actor::Device { .. } | Actor::Visitor | Actor::System => {
                false
            }
        }
    }

    /// A new address, which from now on is the only one.
    fn renew(&mut self, cx: &mut Write) -> String {
        let credential = cx.new_credential(CredentialKind::CalendarFeed);
        self.digest = digest(&credential).to_vec();
        self.updated_at = cx.now();
        FEED.address(&cx.env().address, &credential)
    }
}

listed!(CalendarFeeds { calendar_feeds: CalendarFeed });

fn list_calendar_feeds(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<CalendarFeeds> {
    let own = match cx.caller().actor {
        Actor::Client { id, .. } => Some(id.0),
        Actor::Coach { id, role: Role::Coach, .. } => Some(id.0),
        _ => None,
    };
    Ok(match own {
        Some(owner) => cx.page_under(&OWN, &[owner.bind()], &wanted, page)?.into(),
        None => cx.page(&ALL, &wanted, page)?.into(),
    })
}

/// The calendar of the feed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewCalendarFeed")]
struct NewFeed {
    /// Clients may create their own; coaches their own and those of locations; managers every coach's, too.
    kind: FeedKind,
    /// The coach; the caller when absent.
    coach_id: Option<CoachId>,
    /// The location; for `location` alone.
    location_id: Option<LocationId>,
}

answer!(
    /// A calendar feed with its address, which is returned only once.
    FeedAnswer {
        calendar_feed: CalendarFeed,
        /// Address of the calendar. Anyone who has it can read the calendar.
        url: String,
    }
);

/// The owner of a new feed, if the caller may create it.
fn owner(cx: &mut Write, new: &NewFeed) -> Result<Id> {
    let absent = |field: &str| Problem::invalid(field, Rule::WrongKind);
    match (new.kind, new.coach_id, new.location_id) {
        (FeedKind::Coach | FeedKind::Client, _, Some(_)) => return Err(absent("locationId")),
        (FeedKind::Client | FeedKind::Location, Some(_), _) => return Err(absent("coachId")),
        _ => {}
    }
    let refused = |rule: CalendarRule| Err(Problem::because(Key::Forbidden, rule));
    match (new.kind, &cx.caller().actor) {
        (FeedKind::Client, Actor::Client { id, .. }) => Ok(id.0),
        (FeedKind::Client, _) => refused(CalendarRule::FeedsOfClients),
        (_, Actor::Client { .. }) => refused(CalendarRule::OwnBookings),
        (FeedKind::Coach, Actor::Coach { id, role, .. }) => {
            let (own, role) = (*id, *role);
            let coach = new.coach_id.unwrap_or(own);
            if coach != own && role == Role::Coach {
                return refused(CalendarRule::OwnFeeds);
            }
            Coach::find_assignable(cx, coach)?;
            Ok(coach.0)
        }
        (FeedKind::Location, _) => {
            let id = new.location_id;
            let id = id.ok_or_else(|| Problem::invalid("locationId", Rule::Required))?;
            let rule = Rule::OtherCompanysLocation;
            Location::find(cx, id).map_err(|none| none.missing("locationId", rule))?;
            Ok(id.0)
        }
        (FeedKind::Coach, _) => refused(CalendarRule::OwnFeeds),
    }
}

fn create_calendar_feed(cx: &mut Write, Body(new): Body<NewFeed>) -> Result<FeedAnswer> {
    let owner_id = owner(cx, &new)?;
    let count: Option<(i64,)> = cx.one(COUNT, params![owner_id])?;
    if count.is_some_and(|(count,)| count >= FEEDS_MAX) {
        return Err(Problem::conflict(
            "calendarFeeds",
            CalendarRule::TooManyFeeds { max: FEEDS_MAX },
        ));
    }
    let mut feed = CalendarFeed {
        calendar_feed_id: CalendarFeedId(cx.new_id()),
        kind: new.kind,
        owner_id,
        made_by: cx.caller().actor.id(),
        digest: Vec::new(),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    let url = feed.renew(cx);
    cx.set_audit_target("calendar_feed", feed.calendar_feed_id, ["calendarFeed"]);
    cx.defer(INSERT, &feed.params())?;
    Ok(FeedAnswer { calendar_feed: feed, url })
}

path!(FeedPath { calendar_feed_id: CalendarFeedId });

fn rotate_calendar_feed(cx: &mut Write, Path(at): Path<FeedPath>) -> Result<FeedAnswer> {
    let mut feed = CalendarFeed::find(cx, at.calendar_feed_id)?;
    let url = feed.renew(cx);
    cx.describe_effect(|| CalendarEffect::FeedAddressReplaced);
    cx.set_audit_target("calendar_feed", feed.calendar_feed_id, ["url"]);
    cx.execute(RENEW, params![feed.calendar_feed_id, feed.digest, feed.updated_at])?;
    Ok(FeedAnswer { calendar_feed: feed, url })
}

answer!(
    /// A removed feed.
    GoneAnswer {
        calendar_feed_id: CalendarFeedId,
    }
);

fn delete_calendar_feed(cx: &mut Write, Path(at): Path<FeedPath>) -> Result<GoneAnswer> {
    let feed = CalendarFeed::find(cx, at.calendar_feed_id)?;
    cx.set_audit_target("calendar_feed", feed.calendar_feed_id, ["calendarFeed"]);
    cx.execute(DELETE, params![feed.calendar_feed_id])?;
    Ok(GoneAnswer { calendar_feed_id: feed.calendar_feed_id })
}

/// The calendar of a feed, for its secret address.
fn read_feed(cx: &mut Read, credential: &Credential) -> Result<Option<ReaderDocument>> {
    let feed: Option<CalendarFeed> = cx.one(BY_DIGEST, params![digest(credential).to_vec()])?;
    let Some(feed) = feed else { return Ok(None) };
    let now = cx.now();
    let range = Span::new(now.plus_days(-BACK_DAYS), now.plus_days(AHEAD_DAYS));
    let company = Company::find(cx)?;
    company.admit()?;
    let company = company.name;
    let output = match feed.kind {
        FeedKind::Coach => {
            let coach = CoachId(feed.owner_id);
            let Ok(own) = Coach::find_assignable(cx, coach) else { return Ok(None) };
            (own.first_name().to_owned(), of_coach(cx, coach, range)?)
        }
        FeedKind::Client => {
            let client = ClientId(feed.owner_id);
            let Ok(own) = Client::find(cx, client) else { return Ok(None) };
            if !own.may_sign_in() {
                return Ok(None);
            }
            (own.first_name().to_owned(), of_client(cx, client, range)?)
        }
        FeedKind::Location => {
            let location = LocationId(feed.owner_id);
            let Ok(own) = Location::find(cx, location) else { return Ok(None) };
            if !own.is_active() {
                return Ok(None);
            }
            (own.label(), at_location(cx, location, range)?)
        }
    };
    let (name, entries) = output;
    let content = calendar(&format!("{company} – {name}"), &entries).into_bytes();
    Ok(Some(ReaderDocument { reader: feed.calendar_feed_id.0, content }))
}

/// How full a class is.
fn seats(event: &CalendarEvent) -> String {
    format!("{} ({}/{})", event.name, event.seats_taken, event.capacity)
}

fn of_coach(cx: &mut Read, coach: CoachId, range: Span) -> Result<Vec<CalendarEntry>> {
    let within = params![coach, range.start, range.end, ENTRIES_MAX];
    let events: Vec<CalendarEvent> = cx.all(EVENTS_OF_COACH, within)?;
    let booked: Vec<(CalendarEventId, ClientId)> = cx.all(CLIENTS_OF_COACH, within)?;
    let ids: Vec<_> = booked.iter().map(|(_, client)| *client).collect();
    let names = Client::short_names(cx, &ids)?;
    let named = booked.iter().zip(names).map(|((event, _), name)| (*event, name));
    let clients: BTreeMap<_, _> = named.collect();
    let mut places = LocationLabels::default();
    let mut entries = Vec::with_capacity(events.len());
    for event in events {
        let client = clients.get(&event.calendar_event_id).cloned().flatten();
        let summary = match (event.kind, &client) {
            (EventKind::Class, _) => seats(&event),
            (EventKind::Appointment, Some((client, _))) => format!("{} · {client}", event.name),
            (EventKind::Appointment, None) => event.name.clone(),
        };
        let place = places.label(cx, event.location_id)?;
        let location = text_of(&place);
        let entry = CalendarEntry { summary, location, ..entry_of(cx, &event) };
        entries.push(entry.showing([&place, &client]));
    }
    let tasks: Vec<Task> = cx.all(TASKS_OF_COACH, within)?;
    for task in tasks {
        entries.push(CalendarEntry {
            uid: uid(cx, task.calendar_task_id),
            changed_at: task.updated_at,
            created_at: task.created_at,
            revision: 0,
            span: Span::new(task.starts_at, task.ends_at),
            summary: task.title,
            description: None,
            location: None,
            tentative: false,
            transparent: !task.blocks_slots,
        });
    }
    Ok(entries)
}

record! {
    /// A coach's task, as a feed shows it.
    #[derive(Debug, Clone)]
    struct Task {
        calendar_task_id: Id,
        title: String,
        starts_at: Timestamp,
        ends_at: Timestamp,
        blocks_slots: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

fn of_client(cx: &mut Read, client: ClientId, range: Span) -> Result<Vec<CalendarEntry>> {
    let within = params![client, range.start, range.end, ENTRIES_MAX];
    let bookings: Vec<Booking> = cx.all(BOOKINGS, within)?;
    booking_entries(cx, bookings)
}

fn at_location(cx: &mut Read, location: LocationId, range: Span) -> Result<Vec<CalendarEntry>> {
    let within = params![location, range.start, range.end, ENTRIES_MAX];
    let events: Vec<CalendarEvent> = cx.all(EVENTS_AT, within)?;
    let coaches: Vec<_> = events.iter().map(|event| event.coach_id).collect();
    let names = Coach::dated_names(cx, &coaches)?;
    let entry = |(event, coach): (CalendarEvent, DatedLabel)| {
        let summary = match event.kind {
            EventKind::Class => seats(&event),
            EventKind::Appointment => event.name.clone(),
        };
        let description = text_of(&coach);
        CalendarEntry { summary, description, ..entry_of(cx, &event) }.showing([&coach])
    };
    Ok(events.into_iter().zip(names).map(entry).collect())
}

/// A feed, where calendar programs read it.
static FEED: LinkedDocument = LinkedDocument {
    place: ("/calendars/", ".ics"),
    kind: CredentialKind::CalendarFeed,
    media_type: "text/calendar; charset=utf-8",
    keep_seconds: 300,
    read: read_feed,
};

/// Ends the feeds that a leaving person subscribes to and those of their calendar.
fn end_of_owner(cx: &mut Write, owner: Id) -> Result<u64> {
    cx.execute(DELETE_OF, params![owner])
}

const ENDS: &[Effect] = &[
    Effect::new(Offboarding::ClientArchived, || CalendarEffect::FeedsEnd.into(), end_of_owner),
    Effect::new(Offboarding::CoachDeactivated, || CalendarEffect::FeedsEnd.into(), end_of_owner),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).ends(ENDS).documents(&[&FEED]).operations([
        operation!(app GET "/calendar/feeds", SignedIn, list_calendar_feeds)
            .summary("List calendar feeds")
            .describe(
                "Returns the caller's feeds and those that the caller created; for managers, \
                 those of all coaches and locations.",
            ),
        operation!(app POST "/calendar/feeds", SignedIn, create_calendar_feed)
            .success(Success::Added)
            .summary("Create a calendar feed")
            .describe(
                "Returns a `url` that calendar programs read without signing in: whoever knows it \
                 sees the calendar from 30 days ago to 180 days ahead. It is shown once; rotating \
                 or deleting the feed ends it, and so does its owner's departure.",
            )
            .created()
            .secret(&[])
            .fails(&[Key::ApiError]),
        operation!(app POST "/calendar/feeds/{calendarFeedId}/rotate", SignedIn,
            rotate_calendar_feed)
        .summary("Rotate a calendar feed's address")
        .describe("Returns a new address; the old one stops working at once.")
        .secret(&[]),
        operation!(app DELETE "/calendar/feeds/{calendarFeedId}", SignedIn, delete_calendar_feed)
            .success(Success::Deleted)
            .summary("Delete a calendar feed")
            .describe("Ends the feed's address."),
    ])
}

lists! {
    /// Feeds of coaches and locations, newest first.
    ALL: List<CalendarFeed, UpdatedFrom> = List::new(
        "calendar_feed WHERE company_id = ?1 AND kind <> 'client'",
        "calendar_feed_id DESC",
    );
    /// Feeds of a person, and those that they created, newest first.
    OWN: List<CalendarFeed, UpdatedFrom> = List::new(
        "calendar_feed WHERE company_id = ?1 AND (owner_id = ?2 OR made_by = ?2)",
        "calendar_feed_id DESC",
    );
}

statements! {
    FIND = "SELECT ", CalendarFeed::COLUMNS, " FROM calendar_feed \
        WHERE company_id = ?1 AND calendar_feed_id = ?2";
    BY_DIGEST = "SELECT ", CalendarFeed::COLUMNS, " FROM calendar_feed \
        WHERE company_id = ?1 AND digest = ?2";
    COUNT = "SELECT COUNT(*) FROM calendar_feed WHERE company_id = ?1 AND owner_id = ?2";
    INSERT = "INSERT INTO calendar_feed ", values!(CalendarFeed);
    RENEW = "UPDATE calendar_feed SET digest = ?3, updated_at = ?4 \
        WHERE company_id = ?1 AND calendar_feed_id = ?2";
    DELETE = "DELETE FROM calendar_feed WHERE company_id = ?1 AND calendar_feed_id = ?2";
    DELETE_OF = "DELETE FROM calendar_feed WHERE company_id = ?1 AND (owner_id = ?2 OR made_by = ?2)";
    EVENTS_OF_COACH = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND coach_id = ?2 AND starts_at >= ?3 AND starts_at < ?4 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?5";
    CLIENTS_OF_COACH = "SELECT calendar_event_id, client_id FROM booking WHERE company_id = ?1 \
        AND coach_id = ?2 AND starts_at >= ?3 AND starts_at < ?4 AND status = 'booked' \
        ORDER BY starts_at, booking_id LIMIT ?5";
    TASKS_OF_COACH = "SELECT ", Task::COLUMNS, " FROM calendar_task WHERE company_id = ?1 \
        AND coach_id = ?2 AND starts_at >= ?3 AND starts_at < ?4 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_task_id LIMIT ?5";
    BOOKINGS = "SELECT ", Booking::COLUMNS, " FROM booking WHERE company_id = ?1 AND client_id = ?2 \
        AND starts_at >= ?3 AND starts_at < ?4 AND status IN ('booked', 'offered') \
        ORDER BY starts_at, booking_id LIMIT ?5";
    EVENTS_AT = "SELECT ", CalendarEvent::COLUMNS, " FROM calendar_event WHERE company_id = ?1 \
        AND location_id = ?2 AND starts_at >= ?3 AND starts_at < ?4 AND status = 'scheduled' \
        ORDER BY starts_at, calendar_event_id LIMIT ?5";
}
