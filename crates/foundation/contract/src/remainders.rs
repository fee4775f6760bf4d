//! What is left behind when something is set aside: a coach, a place, a kind of appointment, a product. Each area says what
//! of its own stays; the one who sets it aside is told, and decides what is to become of it.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_kernel::{Id, Phrase, Result};
use spotter_store::words;

use crate::context::{Read, Write};

words! {
    /// What is set aside.
    pub enum SetAside {
        Coach = "coach",
        Location = "location",
        EventType = "event_type",
        Product = "product",
    }
}

words! {
    /// What is left behind: classes to come and appointments that are booked; series of classes and bookings of every week
    /// that go on; clients of the coach, or whose home it is; memberships that go on.
    pub enum LeftKind {
        CalendarEvent = "calendar_event",
        EventSeries = "event_series",
        RecurringBooking = "recurring_booking",
        Client = "client",
        Membership = "subscription",
    }
}

/// Most ids that are told.
const TOLD: i64 = 100;

/// Finds what stays when something is set aside: as many ids as are told, the next first, each with how many there are.
pub type Find = fn(&mut Read, Id, i64) -> Result<Vec<(Id, i64)>>;

/// Records of a kind that stay when something is set aside.
#[derive(Clone, Copy, Debug)]
pub struct Remainder {
    /// When what.
    pub of: SetAside,
    kind: LeftKind,
    find: Find,
    /// In a sentence, by how many there are.
    summary: fn(i64) -> Phrase,
}

impl Remainder {
    /// What stays of a kind, and how people are told.
    pub const fn new(of: SetAside, kind: LeftKind, find: Find, summary: fn(i64) -> Phrase) -> Self {
        Self { of, kind, find, summary }
    }
}

/// Records of a kind that are left behind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct LeftBehind {
    /// Of what kind they are.
    kind: LeftKind,
    /// Number of records.
    total: i64,
    /// The first 100 ids.
    ids: Vec<Id>,
}

impl Write<'_, '_> {
    /// What something leaves behind that is set aside; it is told in previews, too.
    pub fn left_behind(&mut self, what: SetAside, id: impl Into<Id>) -> Result<Vec<LeftBehind>> {
        let (remainders, id) = (self.env().remainders.clone(), id.into());
        let mut left = Vec::new();
        for remainder in remainders.iter().filter(|remainder| remainder.of == what) {
            let found = (remainder.find)(self, id, TOLD)?;
            let Some((_, total)) = found.first().copied() else { continue };
            self.describe_effect(|| (remainder.summary)(total));
            let ids = found.into_iter().map(|(id, _)| id).collect();
            left.push(LeftBehind { kind: remainder.kind, total, ids });
        }
        Ok(left)
    }
}
