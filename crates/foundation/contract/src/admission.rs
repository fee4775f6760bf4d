//! The ports that doors ask by whether somebody may come in: of finance, of the calendar, of forms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{
    Date, Id, Result, Timestamp, Verdict,
    id::{ClientId, LocationId},
    span::{Span, Window},
    text::{self, ClosingTime, WallTime},
};
use spotter_store::words;

use crate::context::{Read, Write};

words! {
    /// Why nothing that was sold lets a client in, the nearest to being let in first: a bill of the membership is
    /// unpaid, it rests, it has not begun, the days of the pass are used, it has ended, or nothing was sold that
    /// lets in.
    pub enum Refusal {
        PastDue = "past_due",
        Paused = "paused",
        NotYet = "not_yet",
        Used = "used",
        Ended = "ended",
        NoProduct = "no_product",
    }
}

/// Hours of a weekday, by the clock of the location.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessHours {
    /// ISO weekday, 1 = Monday to 7 = Sunday.
    #[serde(deserialize_with = "weekday")]
    #[schemars(range(min = 1, max = 7))]
    pub weekday: i64,
    /// Start, inclusive.
    pub from: WallTime,
    /// Until this time; on the next day where it is not later.
    #[serde(deserialize_with = "text::closing")]
    #[schemars(with = "ClosingTime")]
    pub until: WallTime,
}

fn weekday<'de, D: serde::Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    spotter_kernel::number::deserialize_within(d, 1..=7)
}

impl AccessHours {
    /// The hours as a window of their day.
    pub fn window(&self) -> Window {
        Window { start: self.from.clone(), end: self.until.clone() }
    }
}

/// Where and when a product lets in; an empty list leaves it open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// At these locations.
    pub locations: Vec<LocationId>,
    /// In these zones.
    pub zones: Vec<String>,
    /// In these hours.
    pub hours: Vec<AccessHours>,
}

/// Something that was sold and lets in on a day.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittingProduct {
    /// What was sold.
    pub client_product: Id,
    /// Whether it is a pass, whose days are counted.
    pub is_pass: bool,
    /// Whether a bill of it is unpaid.
    pub owes: bool,
    /// The first day on which it does not let in any more; nothing while none is known.
    pub until: Option<Date>,
    /// Where and when it lets in.
    pub limits: Limits,
}

/// What finance knows of who may come in.
pub trait Admissions: Send + Sync {
    /// What of all that a client was sold lets in on the date of an instant, the one that is open for longest
    /// first; where nothing does, why not.
    fn admitting_products(
        &self,
        cx: &mut Read,
        client: ClientId,
        at: Timestamp,
    ) -> Result<Verdict<Vec<AdmittingProduct>, Refusal>>;

    /// The memberships that let in today, of all clients who have one.
    fn memberships(&self, cx: &mut Read) -> Result<BTreeMap<ClientId, Vec<AdmittingProduct>>>;

    /// Uses a day of a pass for a visit; asked again for the same visit, it does nothing.
    fn use_day(
        &self,
        cx: &mut Write,
        client: ClientId,
        way: &AdmittingProduct,
        visit: Id,
    ) -> Result<()>;
}

/// What the calendar knows of who may come in.
pub trait Timetable: Send + Sync {
    /// When a location is open within a range, in order; closures are taken off.
    fn open(&self, cx: &mut Read, location: LocationId, range: Span) -> Result<Vec<Span>>;

    /// A client's bookings at a location that begin within a range, both ends included.
    fn expected(
        &self,
        cx: &mut Read,
        client: ClientId,
        location: LocationId,
        begins: Span,
    ) -> Result<Vec<Id>>;

    /// Somebody came to what they have booked: unless something was said of it, they have attended. It announces
    /// `booking.updated`.
    fn arrived(&self, cx: &mut Write, booking: Id) -> Result<()>;
}

/// What forms know of who may come in.
pub trait Forms: Send + Sync {
    /// Refuses the id of a form that there is not, naming this field.
    fn check_form(&self, cx: &mut Read, form: Id, field: &str) -> Result<()>;

    /// Whether a client has ever handed in a form.
    fn has_answered(&self, cx: &mut Read, client: ClientId, form: Id) -> Result<bool>;

    /// Who of all clients has.
    fn who_answered(&self, cx: &mut Read, form: Id) -> Result<Vec<ClientId>>;
}
