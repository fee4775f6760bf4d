//! Visits: a client's day at a location, from the first entry to the last exit. A day begins at four in the morning
//! there. Visits do not depend on the order in which entries and exits are reported, or on repetitions.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, ListQuery, Read, Write, listed, operation};
use spotter_kernel::{
    Date, Id, Key, Problem, Result, Rule, Timestamp,
    id::{ClientId, LocationId},
    id_type,
};
use spotter_store::{List, filters, lists, params, record, set, statements, stored_ids, values};

use crate::zone_context::ZoneContext;

id_type!(
    /// A client's day at a location.
    VisitId,
    RequestInvalid
);
stored_ids!(VisitId);

record! {
    /// A client's visit to a location on one day.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "AccessVisit")]
    pub struct Visit {
        /// Id of the visit.
        pub visit_id: VisitId,
        client_id: ClientId,
        location_id: LocationId,
        /// The day, which begins at four in the morning.
        day: Date,
        /// First entry.
        entered_at: Timestamp,
        /// Last exit, if recorded.
        pub left_at: Option<Timestamp>,
        /// Number of entries on that day.
        entries: i64,
        /// Credits used.
        pub credits: i64,
        /// The product that granted access; null for bookings and credits, and for offline scans.
        pub client_product_id: Option<Id>,
    }
}

/// The subject of the total of all visits.
pub const TALLY: &str = "visits";

impl Visit {
    /// Asks ahead for what [`record_entry`](Self::record_entry) reads.
    pub fn ask_ahead(
        cx: &mut Read,
        place: &ZoneContext,
        client: ClientId,
        at: Timestamp,
    ) -> Result<()> {
        let (day, begins) = place.day(at);
        let (location, ends) = (place.id(), place.begins(day.tomorrow()));
        cx.ask_ahead(OF_DAY, params![client, location, day])?;
        cx.ask_ahead(LEFT, params![client, location, begins, ends])
    }

    /// The visit that a client has there on the day of an instant.
    pub fn of(
        cx: &mut Read,
        place: &ZoneContext,
        client: ClientId,
        at: Timestamp,
    ) -> Result<Option<Self>> {
        cx.one(OF_DAY, params![client, place.id(), place.day(at).0])
    }

    /// Notes that a client came in.
    pub fn record_entry(
        cx: &mut Write,
        place: &ZoneContext,
        client: ClientId,
        at: Timestamp,
    ) -> Result<Self> {
        if let Some(mut own) = Self::of(cx, place, client, at)? {
            own.entered_at = own.entered_at.min(at);
            own.entries += 1;
            own.save(cx)?;
            return Ok(own);
        }
        let (day, begins) = place.day(at);
        // The exit may have been reported before.
        let (location, ends) = (place.id(), place.begins(day.tomorrow()));
        let left: Option<(Option<Timestamp>,)> =
            cx.one(LEFT, params![client, location, begins, ends])?;
        let own = Self {
            visit_id: VisitId(cx.new_id()),
            client_id: client,
            location_id: location,
            day,
            entered_at: at,
            left_at: left.and_then(|(left,)| left),
            entries: 1,
            credits: 0,
            client_product_id: None,
        };
        cx.defer(INSERT, &own.params())?;
        for subject in subjects(client) {
            cx.tally(&subject, 1)?;
        }
        Ok(own)
    }

    /// Keeps what has changed.
    pub fn save(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.params())
    }
}

/// Under what the visits of one client are counted.
pub fn subject_of(client: ClientId) -> String {
    format!("{TALLY}?clientId={client}")
}

/// Under what a visit is counted.
pub fn subjects(client: ClientId) -> [String; 2] {
    [TALLY.to_owned(), subject_of(client)]
}

listed!(Visits { visits: Visit });

filters! {
    struct Filters {
        /// Visits of this client.
        client_id: ClientId => "client_id = ?";
        /// Visits of this location.
        location_id: LocationId => "location_id = ?";
        /// Visits from this day on.
        from: Date => "day >= ?";
        /// Visits up to this day.
        to: Date => "day <= ?";
    }
}

fn list_visits(cx: &mut Read, ListQuery(mut wanted, page): ListQuery<Filters>) -> Result<Visits> {
    if let (Some(from), Some(to)) = (wanted.from, wanted.to)
        && to < from
    {
        return Err(Problem::field(Key::DateRangeOrderInvalid, "to", Rule::BeforeStart));
    }
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(app GET "/visits", Coach, list_visits)
            .summary("List visits")
            .describe(
                "Returns visits, latest first. A visit is a client's day at a location, which \
                 begins at four in the morning.",
            )
            .for_own(&[]),
    ])
}

lists! {
    /// Every visit, the latest first.
    LIST: List<Visit, Filters> =
        List::new("visit WHERE company_id = ?1", "entered_at DESC, visit_id DESC").tallied(TALLY);
}

statements! {
    OF_DAY = "SELECT ", Visit::COLUMNS, " FROM visit WHERE company_id = ?1 AND client_id = ?2 \
        AND location_id = ?3 AND day = ?4";
    LEFT = "SELECT MAX(occurred_at) FROM access_scan WHERE company_id = ?1 AND client_id = ?2 \
        AND occurred_at >= ?4 AND occurred_at < ?5 AND location_id = ?3 AND direction = 'out' \
        AND decision = 'allow' AND NOT stale";
    INSERT = "INSERT INTO visit ", values!(Visit);
    SAVE = "UPDATE visit SET ", set!(Visit), " WHERE company_id = ?1 AND visit_id = ?2";
}
