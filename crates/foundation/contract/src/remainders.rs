//! Remainders: what still refers to an archived coach, location, event type or product. Each area declares which of
//! its records stay; the person who archives is shown them, and decides about them.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_kernel::{Id, Phrase, Result};
use spotter_store::words;

use crate::context::{Read, Write};

words! {
    /// What is archived.
    pub enum ArchivedKind {
        Coach = "coach",
        Location = "location",
        EventType = "event_type",
        Product = "product",
    }
}

words! {
    /// What remains: upcoming classes and booked appointments; series; clients of the coach or of the location;
    /// running memberships.
    pub enum RemainderKind {
        CalendarEvent = "calendar_event",
        EventSeries = "event_series",
        RecurringBooking = "recurring_booking",
        Client = "client",
        Membership = "subscription",
    }
}

/// Most ids that are returned.
const LISTED_MAX: i64 = 100;

/// Finds the records that remain: up to the returned number of ids, the next first, each with the total.
pub type Find = fn(&mut Read, Id, i64) -> Result<Vec<(Id, i64)>>;

/// Records of a kind that stay when something is set aside.
#[derive(Clone, Copy, Debug)]
pub struct Remainder {
    /// When what.
    pub of: ArchivedKind,
    kind: RemainderKind,
    find: Find,
    /// In a sentence, by how many there are.
    summary: fn(i64) -> Phrase,
}

impl Remainder {
    /// A kind of remaining records.
    pub const fn new(
        of: ArchivedKind,
        kind: RemainderKind,
        find: Find,
        summary: fn(i64) -> Phrase,
    ) -> Self {
        Self { of, kind, find, summary }
    }
}

/// Records of a kind that are left behind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Remainders {
    /// Kind of record.
    kind: RemainderKind,
    /// Number of records.
    total: i64,
    /// The first 100 ids.
    ids: Vec<Id>,
}

impl Write<'_, '_> {
    /// The records that something leaves behind; previews describe them, too.
    pub fn left_behind(
        &mut self,
        what: ArchivedKind,
        id: impl Into<Id>,
    ) -> Result<Vec<Remainders>> {
        let (remainders, id) = (self.env().remainders.clone(), id.into());
        let mut left = Vec::new();
        for remainder in remainders.iter().filter(|remainder| remainder.of == what) {
            let found = (remainder.find)(self, id, LISTED_MAX)?;
            let Some((_, total)) = found.first().copied() else { continue };
            self.describe_effect(|| (remainder.summary)(total));
            let ids = found.into_iter().map(|(id, _)| id).collect();
            left.push(Remainders { kind: remainder.kind, total, ids });
        }
        Ok(left)
    }
}
