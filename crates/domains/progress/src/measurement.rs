//! A measurement: the record and its API form.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Actor, Area, Payload, Read, Write};
use spotter_kernel::{Date, Event, Id, Key, Result, Timestamp, id::ClientId, id_type};
use spotter_people::clients::Client;
use spotter_store::{
    Bind, of_tally, params, record, set, statements, stored_ids, subject, values, words,
};

use crate::{
    amounts,
    types::{MeasurementType, TypeKey},
    units::Units,
};

id_type!(
    /// A measurement.
    MeasurementId,
    RequestInvalid
);
stored_ids!(MeasurementId);

words! {
    /// The source of a measurement: entered by the client or a coach, a device, a form, an import, an integration, or
    /// an assistant.
    pub enum MeasurementSource {
        Manual = "manual",
        Coach = "coach",
        Device = "device",
        Form = "form",
        Import = "import",
        Api = "api",
        Assistant = "assistant",
    }
}

impl MeasurementSource {
    /// The default source of what a caller writes.
    pub fn of(cx: &Read) -> Self {
        let caller = cx.caller();
        match (&caller.delegation, &caller.actor) {
            (Some(_), _) => Self::Assistant,
            (None, Actor::Client { .. }) => Self::Manual,
            (None, Actor::Coach { .. }) => Self::Coach,
            (None, Actor::ApiClient { .. }) => Self::Api,
            (None, Actor::Device { .. } | Actor::Visitor | Actor::System) => Self::Form,
        }
    }
}

words! {
    /// Whether a measurement still exists. A deleted one keeps its id only.
    pub enum MeasurementStatus { Recorded = "recorded", Deleted = "deleted" }
}

record! {
    /// A measurement: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Measurement {
        /// Client who was measured.
        pub client_id: ClientId,
        /// Id of the measurement.
        pub measurement_id: MeasurementId,
        /// The type of measurement.
        pub r#type: TypeKey,
        /// As its type keeps it; null where it has two values.
        pub value: Option<i64>,
        /// The pressure at the beat.
        pub systolic: Option<i64>,
        /// The pressure in the pause.
        pub diastolic: Option<i64>,
        /// When.
        pub measured_at: Timestamp,
        /// On which date, where the client is.
        pub measured_on: Date,
        /// How the meal was recorded.
        pub source: MeasurementSource,
        /// Note, as free text.
        pub note: Option<String>,
        /// The sender's own id.
        pub external_id: Option<String>,
        /// What kind of caller recorded it.
        pub recorded_by_type: String,
        /// Who recorded it.
        pub recorded_by: Option<Id>,
        /// Whether it is still there.
        pub status: MeasurementStatus,
        /// When it was recorded.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The two values of a blood pressure, in mmHg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub struct Components {
    /// Systolic pressure.
    pub systolic: i64,
    /// Diastolic pressure.
    pub diastolic: i64,
}

/// A measurement of a client.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Measurement")]
pub struct MeasurementView {
    measurement_id: MeasurementId,
    client_id: ClientId,
    /// A key of `GET /measurement-types`.
    r#type: TypeKey,
    /// Value in `unit`; null for measurements with components.
    value: Option<f64>,
    /// The unit of the value or the components; null for an own type without one.
    unit: Option<String>,
    /// Components of a blood pressure.
    components: Option<Components>,
    measured_at: Timestamp,
    /// The date on which it was measured, in the client's time zone or else the company's.
    measured_on: Date,
    source: MeasurementSource,
    note: Option<String>,
    /// The sender's own id, unique for client and type.
    external_id: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    recorded_by_type: String,
    recorded_by: Option<Id>,
    status: MeasurementStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The payload of every measurement event, without the value.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MeasurementEvent {
    client_id: ClientId,
    measurement_id: MeasurementId,
    /// The key of a type that everybody knows; null for one of the company's own.
    r#type: Option<TypeKey>,
    status: MeasurementStatus,
    source: MeasurementSource,
    measured_on: Date,
    /// In `measurement.updated` alone: the fields that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_fields: Vec<String>,
}

impl Payload for MeasurementEvent {
    const EVENTS: &'static [Event] = &[Event::MeasurementCreated, Event::MeasurementUpdated];
}

/// The subject of the totals of a client's measurements.
pub const TALLY: &str = "measurements";

impl Measurement {
    /// A client's measurement; one that was deleted is not found.
    pub fn find(cx: &mut Read, client: ClientId, id: MeasurementId) -> Result<Self> {
        Client::find(cx, client)?;
        let found: Option<Self> = cx.one(FIND, params![client, id])?;
        found
            .filter(|found| found.status == MeasurementStatus::Recorded)
            .ok_or_else(|| Key::NotFound.into())
    }

    /// What a sender has recorded under an id of its own, deleted or not.
    pub fn sent_as(
        cx: &mut Read,
        client: ClientId,
        kind: &TypeKey,
        external_id: &str,
    ) -> Result<Option<Self>> {
        cx.one(SENT_AS, params![client, kind, external_id])
    }

    /// Its API form.
    pub fn view(&self, of: &MeasurementType, units: Units) -> MeasurementView {
        let components = self.systolic.zip(self.diastolic);
        MeasurementView {
            measurement_id: self.measurement_id,
            client_id: self.client_id,
            r#type: self.r#type.clone(),
            value: self.value.map(|kept| of.show(kept, units)),
            unit: of.unit(units),
            components: components.map(|(systolic, diastolic)| Components { systolic, diastolic }),
            measured_at: self.measured_at,
            measured_on: self.measured_on,
            source: self.source,
            note: self.note.clone(),
            external_id: self.external_id.clone(),
            recorded_by_type: self.recorded_by_type.clone(),
            recorded_by: self.recorded_by,
            status: self.status,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// The subjects of the totals that count it.
    fn tallies(&self) -> BTreeSet<String> {
        if self.status == MeasurementStatus::Deleted {
            return BTreeSet::new();
        }
        let all = of_tally(TALLY, &[self.client_id.bind()]);
        BTreeSet::from([subject(&all, "type", &self.r#type.bind()), all])
    }

    fn publish(&self, cx: &mut Write, event: Event, changed_fields: Vec<String>) -> Result<()> {
        if cx.lacks_consent(self.client_id)? {
            return Ok(());
        }
        let payload = MeasurementEvent {
            client_id: self.client_id,
            measurement_id: self.measurement_id,
            r#type: self.r#type.is_everybodys().then(|| self.r#type.clone()),
            status: self.status,
            source: self.source,
            measured_on: self.measured_on,
            changed_fields,
        };
        cx.emit(event, &payload).map(drop)
    }

    /// Stores a new measurement and emits its event.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("measurement", self.measurement_id, ["measurement"]);
        cx.defer(INSERT, &self.params())?;
        amounts::recount(cx, self.client_id, &self.r#type, self.measured_on)?;
        cx.recount(&BTreeSet::new(), &self.tallies())?;
        self.publish(cx, Event::MeasurementCreated, Vec::new())
    }

    /// Saves a change and emits its event; returns whether there was one.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<bool> {
        let mut changed = self.changed(before);
        // Two values are named in events by their common name.
        let parts = ["systolic", "diastolic"];
        if changed.iter().any(|name| parts.contains(&name.as_str())) {
            changed.retain(|name| !parts.contains(&name.as_str()));
            changed.push("components".to_owned());
        }
        let Some(now) = cx.audit_fields("measurement", self.measurement_id, changed.clone()) else {
            return Ok(false);
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())?;
        amounts::recount(cx, self.client_id, &self.r#type, self.measured_on)?;
        if before.measured_on != self.measured_on {
            amounts::recount(cx, self.client_id, &self.r#type, before.measured_on)?;
        }
        cx.recount(&before.tallies(), &self.tallies())?;
        self.publish(cx, Event::MeasurementUpdated, changed)?;
        Ok(true)
    }

    /// Deletes it: the values are removed, and the sender's id stays taken, so that a device that sends it again does
    /// not restore it.
    pub fn delete(mut self, cx: &mut Write) -> Result<Self> {
        let before = self.clone();
        self.status = MeasurementStatus::Deleted;
        (self.value, self.systolic, self.diastolic, self.note) = (None, None, None, None);
        self.save(cx, &before)?;
        Ok(self)
    }
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).tells::<MeasurementEvent>()
}

statements! {
    /// The measurement with an id.
    pub FIND = "SELECT ", Measurement::COLUMNS, " FROM measurement \
        WHERE company_id = ?1 AND client_id = ?2 AND measurement_id = ?3";
    SENT_AS = "SELECT ", Measurement::COLUMNS, " FROM measurement \
        WHERE company_id = ?1 AND client_id = ?2 AND type = ?3 AND external_id = ?4";
    INSERT = "INSERT INTO measurement ", values!(Measurement);
    SAVE = "UPDATE measurement SET ", set!(Measurement),
        " WHERE company_id = ?1 AND client_id = ?2 AND measurement_id = ?3";
}
