//! Measurements: recorded, corrected, read, the latest of each type.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, Path, Query, Read, Success, Write, activity::MeasuredValue, answer,
    listed, operation, path,
};
use spotter_kernel::{
    Change, Date, Event, Key, Patch, Problem, Result, Rule, Timestamp, id::ClientId, text::Text,
};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{Bind, List, filters, lists, params, statements};

use crate::{
    effects::ProgressEffect,
    goal_progress,
    measurement::{
        Components, FIND, Measurement, MeasurementId, MeasurementSource, MeasurementStatus,
        MeasurementView, TALLY,
    },
    permissions::check_own,
    rules::ProgressRule,
    types::{MeasurementType, TypeKey},
    units::Units,
};

/// How far ahead the clock of a device may be.
const AHEAD_SECONDS: i64 = 300;

listed!(Measurements { measurements: MeasurementView });

filters! {
    struct Filters {
        /// Measurements of this type.
        r#type: TypeKey => "type = ?", tallied;
        /// Measured at or after this instant.
        from: Timestamp => "measured_at >= ?";
        /// Measured before this instant.
        to: Timestamp => "measured_at < ?";
        /// Recorded or changed at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
        /// The units of the answer; `metric` when absent.
        units: Units;
    }
}

/// The units of the answer.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitsFilter {
    /// The units of the answer; `metric` when absent.
    units: Option<Units>,
}

impl UnitsFilter {
    /// The units of the answer.
    pub(super) fn units(&self) -> Units {
        self.units.unwrap_or(Units::Metric)
    }
}

/// API forms of measurements, each by its type.
fn views(cx: &mut Read, all: &[Measurement], units: Units) -> Result<Vec<MeasurementView>> {
    let types = MeasurementType::all(cx)?;
    let of = |one: &Measurement| types.iter().find(|kind| kind.key() == one.r#type);
    all.iter()
        .map(|one| {
            let kind = of(one).ok_or_else(|| Problem::internal("a measurement of no type"))?;
            Ok(one.view(kind, units))
        })
        .collect()
}

fn list_measurements(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Measurements> {
    Client::find(cx, at.client_id)?;
    let page = cx.page_under(&LIST, &[at.client_id.bind()], &wanted, page)?;
    let mut output = views(cx, &page.items, wanted.units.unwrap_or(Units::Metric))?.into_iter();
    let page = page.map(|_| output.next());
    let spotter_kernel::Page { items, request, total, next } = page;
    let items = items.into_iter().flatten().collect();
    Ok(spotter_kernel::Page { items, request, total, next }.into())
}

path!(pub(super) MeasurementPath { client_id: ClientId, measurement_id: MeasurementId });

answer!(MeasurementAnswer { measurement: MeasurementView });

fn get_measurement(
    cx: &mut Read,
    Path(at): Path<MeasurementPath>,
    Query(output): Query<UnitsFilter>,
) -> Result<MeasurementAnswer> {
    let found = Measurement::find(cx, at.client_id, at.measurement_id)?;
    let of = MeasurementType::find(cx, &found.r#type)?;
    Ok(MeasurementAnswer { measurement: found.view(&of, output.units()) })
}

answer!(LatestAnswer {
    /// The latest measurement of each type, by key.
    measurements: Vec<MeasurementView>,
});

fn get_latest_measurements(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(output): Query<UnitsFilter>,
) -> Result<LatestAnswer> {
    Client::find(cx, at.client_id)?;
    let latest: Vec<(Option<MeasurementId>,)> = cx.all(LATEST, params![at.client_id])?;
    let ids = latest.into_iter().filter_map(|(id,)| id);
    let client = at.client_id;
    let params = ids.map(|id| vec![client.bind().into_owned(), id.bind().into_owned()]);
    let all: Vec<Measurement> = cx.one_each(FIND, params)?.into_iter().flatten().collect();
    Ok(LatestAnswer { measurements: views(cx, &all, output.units())? })
}

/// The measurement to record.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewMeasurement {
    /// A key of `GET /measurement-types`.
    pub r#type: TypeKey,
    /// Value in `unit`; not with `components`.
    pub value: Option<f64>,
    /// Components of a blood pressure.
    pub components: Option<Components>,
    /// One of the type's units; the metric one when absent.
    pub unit: Option<Text<20>>,
    /// Now when absent; not in the future.
    pub measured_at: Option<Timestamp>,
    /// `device` or `import` where it was not typed in.
    pub source: Option<MeasurementSource>,
    /// Note, as free text.
    pub note: Option<Text<2000>>,
    /// The sender's own id: sent once more, it changes the measurement that was recorded under it.
    pub external_id: Option<Text<200>>,
}

/// Values in the stored unit of their type.
struct Values {
    value: Option<i64>,
    systolic: Option<i64>,
    diastolic: Option<i64>,
}

impl Values {
    fn take(
        of: &MeasurementType,
        value: Option<f64>,
        components: Option<Components>,
        unit: Option<&str>,
        at: &str,
    ) -> Result<Self> {
        let named = |name: &str| format!("{at}{name}");
        match (of.has_two(), value, components) {
            (false, Some(value), None) => {
                let value = Some(of.take(value, unit, &named("value"))?);
                Ok(Self { value, systolic: None, diastolic: None })
            }
            (true, None, Some(Components { systolic, diastolic })) => {
                let part =
                    |value: i64, name: &str| of.take(value as f64, unit, &named(name)).map(Some);
                if diastolic >= systolic {
                    return Err(Problem::invalid(
                        &named("components.diastolic"),
                        ProgressRule::AboveSystolic,
                    ));
                }
                Ok(Self {
                    value: None,
                    systolic: part(systolic, "components.systolic")?,
                    diastolic: part(diastolic, "components.diastolic")?,
                })
            }
            (true, ..) => {
                Err(Problem::invalid(&named("components"), ProgressRule::ComponentsRequired))
            }
            (false, None, _) => Err(Problem::invalid(&named("value"), Rule::Required)),
            (false, ..) => {
                Err(Problem::invalid(&named("components"), ProgressRule::OtherMeasurementType))
            }
        }
    }
}

/// When something was measured: not in the future, but for a device's clock, and not before 1900.
fn checked_time(submitted: Option<Timestamp>, now: Timestamp) -> Result<Timestamp> {
    let first = Date::parse("1900-01-01").map(|date| date.start_in(&spotter_kernel::TimeZone::UTC));
    match submitted {
        Some(at) if at > now.plus_seconds(AHEAD_SECONDS) => {
            Err(Problem::invalid("measuredAt", Rule::InFuture))
        }
        Some(at) if first.is_some_and(|first| at < first) => {
            Err(Problem::invalid("measuredAt", ProgressRule::MeasuredBefore1900))
        }
        Some(at) => Ok(at.min(now)),
        None => Ok(now),
    }
}

/// Records a measurement, or brings up to date the one that was recorded under the sender's own id.
pub fn record(cx: &mut Write, client: ClientId, new: NewMeasurement) -> Result<Measurement> {
    let of_client = Client::find(cx, client)?;
    let of = MeasurementType::find_requested(cx, &new.r#type, "type")?;
    let source = match (new.source, MeasurementSource::of(cx)) {
        (_, assistant @ MeasurementSource::Assistant) => assistant,
        (Some(submitted @ (MeasurementSource::Device | MeasurementSource::Import)), _) => submitted,
        (Some(_), _) => {
            return Err(Problem::invalid("source", ProgressRule::NotMeasurementSource));
        }
        (None, own) => own,
    };
    save(cx, &of_client, &of, source, new)
}

fn save(
    cx: &mut Write,
    of_client: &Client,
    of: &MeasurementType,
    source: MeasurementSource,
    new: NewMeasurement,
) -> Result<Measurement> {
    let client = of_client.client_id;
    let values = Values::take(of, new.value, new.components, new.unit.as_deref(), "")?;
    let now = cx.now();
    let external_id: Option<String> = new.external_id.map(Into::into);
    let before = match &external_id {
        Some(id) => Measurement::sent_as(cx, client, &new.r#type, id)?,
        None => None,
    };
    let measured_at = match (&before, new.measured_at) {
        (Some(before), None) => before.measured_at,
        (_, submitted) => checked_time(submitted, now)?,
    };
    let measured_on = of_client.zone(cx)?.date_at(measured_at);
    let note = new.note.map(Into::into);
    let Values { value, systolic, diastolic } = values;
    let Some(before) = before else {
        let (recorded_by_type, recorded_by) = cx.maker();
        let measurement = Measurement {
            client_id: client,
            measurement_id: MeasurementId(cx.new_id()),
            r#type: new.r#type,
            value,
            systolic,
            diastolic,
            measured_at,
            measured_on,
            source,
            note,
            external_id,
            recorded_by_type,
            recorded_by,
            status: MeasurementStatus::Recorded,
            created_at: now,
            updated_at: now,
        };
        measurement.insert(cx)?;
        goal_progress::measured(cx, client, &measurement.r#type)?;
        return Ok(measurement);
    };
    if before.status == MeasurementStatus::Deleted {
        cx.set_audit_target("measurement", before.measurement_id, Vec::<String>::new());
        return Ok(before);
    }
    let mut measurement = Measurement { value, systolic, diastolic, measured_at, ..before.clone() };
    measurement.measured_on = measured_on;
    measurement.note = note.or(measurement.note);
    measurement.save(cx, &before)?;
    goal_progress::measured(cx, client, &measurement.r#type)?;
    Ok(measurement)
}

/// The type that another area names.
pub(super) fn find_type(cx: &mut Read, key: &str, field: &str) -> Result<MeasurementType> {
    let rule = ProgressRule::UnknownMeasurementType;
    let key = TypeKey::parse(key).ok_or_else(|| Problem::invalid(field, rule))?;
    MeasurementType::find_requested(cx, &key, field)
}

fn components(measured: &MeasuredValue<'_>) -> Option<Components> {
    measured.components.map(|(systolic, diastolic)| Components { systolic, diastolic })
}

/// Refuses what cannot have been measured.
pub(super) fn check(cx: &mut Read, measured: &MeasuredValue<'_>, field: &str) -> Result<()> {
    let key = TypeKey::parse(measured.r#type).ok_or(Key::NotFound)?;
    // A type that was archived meanwhile can still be answered.
    let of = MeasurementType::find(cx, &key)?;
    let at = format!("{field}.");
    Values::take(&of, measured.value, components(measured), measured.unit, &at).map(drop)
}

/// Records a form's measurement, or corrects the one that was recorded under the same id.
pub(super) fn record_answer(
    cx: &mut Write,
    client: ClientId,
    measured: &MeasuredValue<'_>,
    external_id: &str,
) -> Result<Measurement> {
    let of_client = Client::find(cx, client)?;
    let r#type = TypeKey::parse(measured.r#type).ok_or(Key::NotFound)?;
    let new = NewMeasurement {
        r#type,
        value: measured.value,
        components: components(measured),
        unit: measured
            .unit
            .map(Text::parse)
            .transpose()
            .map_err(|(_, rule)| Problem::internal(rule))?,
        measured_at: None,
        source: None,
        note: None,
        external_id: Some(Text::parse(external_id).map_err(|(_, rule)| Problem::internal(rule))?),
    };
    let of = MeasurementType::find(cx, &new.r#type)?;
    save(cx, &of_client, &of, MeasurementSource::Form, new)
}

fn record_measurement(
    cx: &mut Write,
    Path(at): Path<ClientPath>,
    Body(new): Body<NewMeasurement>,
) -> Result<MeasurementAnswer> {
    let unit = new.unit.clone();
    let measurement = record(cx, at.client_id, new)?;
    let of = MeasurementType::find(cx, &measurement.r#type)?;
    let units = units_of(&of, unit.as_deref());
    Ok(MeasurementAnswer { measurement: measurement.view(&of, units) })
}

/// The units of the answer to a caller who has just given a unit.
fn units_of(of: &MeasurementType, submitted: Option<&str>) -> Units {
    let imperial = of.unit(Units::Imperial);
    match submitted.is_some()
        && imperial.as_deref() == submitted
        && of.unit(Units::Metric) != imperial
    {
        true => Units::Imperial,
        false => Units::Metric,
    }
}

/// A measurement that the caller may change: clients correct what they have recorded themselves.
fn own(cx: &mut Read, at: &MeasurementPath) -> Result<Measurement> {
    let found = Measurement::find(cx, at.client_id, at.measurement_id)?;
    check_own(cx, found.recorded_by, ProgressRule::ForeignMeasurement)?;
    Ok(found)
}

/// The fields of a measurement to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct MeasurementChanges {
    /// The value, in `unit`.
    value: Change<f64>,
    components: Change<Components>,
    /// One of the type's units; the metric one when absent.
    unit: Option<Text<20>>,
    measured_at: Change<Timestamp>,
    note: Patch<Text<2000>>,
}

fn update_measurement(
    cx: &mut Write,
    Path(at): Path<MeasurementPath>,
    Body(change): Body<MeasurementChanges>,
) -> Result<MeasurementAnswer> {
    let before = own(cx, &at)?;
    let of = MeasurementType::find(cx, &before.r#type)?;
    let mut measurement = before.clone();
    let unit = change.unit;
    let (value, components) = (change.value.value(), change.components.value());
    if value.is_some() || components.is_some() {
        let values = Values::take(&of, value, components, unit.as_deref(), "")?;
        let is_read_back = before
            .value
            .zip(value)
            .is_some_and(|(kept, submitted)| of.equals_displayed(kept, submitted, unit.as_deref()));
        if !is_read_back {
            (measurement.value, measurement.systolic, measurement.diastolic) =
                (values.value, values.systolic, values.diastolic);
        }
    } else if unit.is_some() {
        return Err(Problem::invalid("unit", ProgressRule::UnitAlone));
    }
    if let Some(submitted) = change.measured_at.value() {
        measurement.measured_at = checked_time(Some(submitted), cx.now())?;
        let client = Client::find(cx, at.client_id)?;
        measurement.measured_on = client.zone(cx)?.date_at(measurement.measured_at);
    }
    change.note.map(Into::into).apply(&mut measurement.note);
    if measurement.save(cx, &before)? {
        goal_progress::measured(cx, at.client_id, &measurement.r#type)?;
    }
    let units = units_of(&of, unit.as_deref());
    Ok(MeasurementAnswer { measurement: measurement.view(&of, units) })
}

fn delete_measurement(
    cx: &mut Write,
    Path(at): Path<MeasurementPath>,
) -> Result<MeasurementAnswer> {
    let before = own(cx, &at)?;
    let of = MeasurementType::find(cx, &before.r#type)?;
    cx.as_of(before.updated_at);
    cx.describe_effect(|| ProgressEffect::MeasurementDeleted {
        at: before.measured_on.to_string(),
        kind: of.label().to_string(),
    });
    let deleted = before.delete(cx)?;
    goal_progress::measured(cx, at.client_id, &deleted.r#type)?;
    Ok(MeasurementAnswer { measurement: deleted.view(&of, Units::Metric) })
}

/// Events of changing a measurement, and of the goals that follow it.
const CHANGES: &[Event] = &[Event::MeasurementUpdated, Event::GoalUpdated];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/clients/{clientId}/measurements", MeasurementsRead, list_measurements)
            .summary("List measurements")
            .describe("Returns a client's measurements, latest first.")
            .for_client(&[]),
        operation!(GET "/clients/{clientId}/measurements/latest", MeasurementsRead,
            get_latest_measurements)
        .summary("Get the latest measurements")
        .describe("Returns the client's latest measurement of each type.")
        .for_client(&[]),
        operation!(GET "/clients/{clientId}/measurements/{measurementId}", MeasurementsRead,
            get_measurement)
        .summary("Get a measurement")
        .describe("Returns one measurement in the requested units.")
        .for_client(&[]),
        operation!(POST "/clients/{clientId}/measurements", MeasurementsWrite, record_measurement)
            .summary("Record a measurement")
            .describe(
                "Records a measurement. An `externalId` that was already sent for the client and \
                 type updates that measurement; a deleted one stays deleted. Goals are \
                 recalculated.",
            )
            .created()
            .for_client(&[])
            .emits(&[Event::MeasurementCreated, Event::MeasurementUpdated, Event::GoalUpdated])
            .always(&[Event::MeasurementCreated])
            .fails(&[Key::ApiError]),
        operation!(PATCH "/clients/{clientId}/measurements/{measurementId}", MeasurementsWrite,
            update_measurement)
        .summary("Update a measurement")
        .describe("Corrects a measurement. Clients may correct what they recorded themselves.")
        .for_client(&[])
        .emits(CHANGES)
        .always(&[Event::MeasurementUpdated]),
        operation!(DELETE "/clients/{clientId}/measurements/{measurementId}", MeasurementsWrite,
            delete_measurement)
        .success(Success::Deleted)
        .summary("Delete a measurement")
        .describe("Deletes a measurement permanently. Its `externalId` stays reserved.")
        .for_client(&[])
        .emits(CHANGES)
        .always(&[Event::MeasurementUpdated])
        .confirmation(),
    ])
}

lists! {
    /// A client's measurements; the one that was measured last comes first.
    LIST: List<Measurement, Filters> = List::new(
        "measurement WHERE company_id = ?1 AND client_id = ?2 AND status = 'recorded'",
        "measured_at DESC, measurement_id DESC",
    ).tallied(TALLY);
}

statements! {
    /// From type to type by the index, and of each the first that it finds.
    LATEST = "WITH RECURSIVE kind (type) AS (\
        SELECT MIN(type) FROM measurement WHERE company_id = ?1 AND client_id = ?2 AND status = 'recorded' \
        UNION ALL SELECT (SELECT MIN(m.type) FROM measurement m WHERE m.company_id = ?1 AND m.client_id = ?2 \
        AND m.status = 'recorded' AND m.type > kind.type) FROM kind WHERE kind.type IS NOT NULL) \
        SELECT (SELECT n.measurement_id FROM measurement n WHERE n.company_id = ?1 \
        AND n.client_id = ?2 AND n.status = 'recorded' AND n.type = kind.type \
        ORDER BY n.measured_at DESC, n.measurement_id DESC LIMIT 1) FROM kind WHERE kind.type IS NOT NULL \
        ORDER BY kind.type LIMIT 200";
}
