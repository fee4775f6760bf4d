//! Ports that decide admission at doors: to finance, the calendar and forms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{
    Date, Id, Result, Timestamp, Verdict,
    id::{ClientId, CoachId, LocationId},
    span::{Span, Window},
    text::{self, ClosingTime, WallTime},
};
use spotter_store::words;

use crate::context::{Read, Write};

words! {
    /// Why no purchase grants access, the closest to granting it first: an unpaid invoice, a pause, not begun, no
    /// days left, ended, or nothing that grants access.
    pub enum AdmissionRefusal {
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
    /// End time; on the next day if it is not later.
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

/// Where and when a product grants access; an empty list does not restrict it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// At these locations.
    pub locations: Vec<LocationId>,
    /// In these zones.
    pub zones: Vec<String>,
    /// In these hours.
    pub hours: Vec<AccessHours>,
}

/// A sold product that grants access on a day.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittingProduct {
    /// The sold product.
    pub client_product: Id,
    /// Whether it is a pass, whose days are counted.
    pub is_pass: bool,
    /// Whether a bill of it is unpaid.
    pub owes: bool,
    /// The first day without access; nothing while no end is known.
    pub until: Option<Date>,
    /// Where and when it grants access.
    pub limits: Limits,
}

/// Finance's part of admission.
pub trait Admissions: Send + Sync {
    /// Asks ahead for what [`admitting_products`](Self::admitting_products) reads.
    fn ask_ahead(&self, cx: &mut Read, client: ClientId) -> Result<()>;

    /// The products of a client that grant access on the date of an instant, the one with the latest closing time
    /// first; or the reason why none does.
    fn admitting_products(
        &self,
        cx: &mut Read,
        client: ClientId,
        at: Timestamp,
    ) -> Result<Verdict<Vec<AdmittingProduct>, AdmissionRefusal>>;

    /// Memberships that grant access today, of all clients.
    fn memberships(&self, cx: &mut Read) -> Result<BTreeMap<ClientId, Vec<AdmittingProduct>>>;

    /// Uses a day of a pass for a visit, once per visit.
    fn use_day(
        &self,
        cx: &mut Write,
        client: ClientId,
        way: &AdmittingProduct,
        visit: Id,
    ) -> Result<()>;
}

/// The calendar's part of admission.
pub trait Timetable: Send + Sync {
    /// Asks ahead for what [`open`](Self::open) and [`expected`](Self::expected) read: whether the location is open at an
    /// instant, and the bookings that begin within a range.
    fn ask_ahead(
        &self,
        cx: &mut Read,
        client: ClientId,
        location: LocationId,
        at: Span,
        begins: Span,
    ) -> Result<()>;

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

    /// Who has a seat at an event.
    fn attendees(&self, cx: &mut Read, event: Id) -> Result<ClassAttendees>;

    /// Marks a booking attended on entry, unless it was marked before. It announces `booking.updated`.
    fn arrived(&self, cx: &mut Write, booking: Id) -> Result<()>;
}

/// Who has a seat at a class or an appointment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassAttendees {
    /// Who leads it.
    pub coach: CoachId,
    /// Instant at which it begins.
    pub starts_at: Timestamp,
    /// The clients who are booked.
    pub clients: Vec<ClientId>,
}

/// The part of forms in admission.
pub trait Forms: Send + Sync {
    /// Refuses the id of a form that there is not, naming this field.
    fn check_form(&self, cx: &mut Read, form: Id, field: &str) -> Result<()>;

    /// Gives a client a form to fill in; nothing where it is not published any more.
    fn assign(&self, cx: &mut Write, client: ClientId, form: Id) -> Result<()>;

    /// Whether a client has ever submitted a form.
    fn has_answered(&self, cx: &mut Read, client: ClientId, form: Id) -> Result<bool>;

    /// Who of all clients has.
    fn who_answered(&self, cx: &mut Read, form: Id) -> Result<Vec<ClientId>>;
}
