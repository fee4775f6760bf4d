//! Locations: where a company trains its clients, in the physical world or online.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use spotter_contract::{
    ArchivedKind, Area, Body, ListQuery, Offboarding, Path, Read, Remainders, Success, Write,
    answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Many, Patch, Problem, Result, Rule, TimeZone, Timestamp,
    id::LocationId,
    number,
    problem::refuse,
    text::{self, ClosingTime, Country, Email, Name, Phone, Text, WallTime, quoted},
};
use spotter_store::{Json, List, filters, lists, params, record, set, statements, values, words};

use crate::company::Company;
use crate::{effects::CompanyEffect, rules::CompanyRule};

words! {
    /// Whether a location is a place.
    pub enum LocationType { Physical = "physical", Online = "online" }
}

words! {
    /// Whether a location is in use.
    pub enum LocationStatus { Active = "active", Archived = "archived" }
}

/// A postal address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Address {
    /// Street and number.
    pub line1: Text<200>,
    /// Second address line.
    pub line2: Option<Text<200>>,
    /// As written on letters there.
    pub postal_code: Option<Text<20>>,
    /// Town or city.
    pub city: Text<100>,
    /// State or province.
    pub region: Option<Text<100>>,
    /// ISO 3166-1 alpha-2 code.
    pub country: Country,
}

/// A point on the earth (WGS 84).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, extend("x-invalid" = Key::InvalidCoordinates.wire()))]
#[serde(deny_unknown_fields)]
pub struct Coordinates {
    /// Degrees north, -90 to 90.
    #[serde(deserialize_with = "latitude")]
    #[schemars(range(min = -90, max = 90))]
    pub latitude: f64,
    /// Degrees east, -180 to 180.
    #[serde(deserialize_with = "longitude")]
    #[schemars(range(min = -180, max = 180))]
    pub longitude: f64,
}

fn latitude<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    degrees(d, 90.0, Rule::OutOfRange { min: -90, max: 90 })
}

fn longitude<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    degrees(d, 180.0, Rule::OutOfRange { min: -180, max: 180 })
}

fn degrees<'de, D: Deserializer<'de>>(d: D, most: f64, rule: Rule) -> Result<f64, D::Error> {
    let value = f64::deserialize(d)
        .map_err(|_| refuse::<D::Error>(Key::InvalidCoordinates, rule.clone()))?;
    if value.abs() <= most { Ok(value) } else { Err(refuse(Key::InvalidCoordinates, rule)) }
}

/// Hours in which a location is open on a weekday, in the location's time zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpeningHours {
    /// ISO weekday, 1 = Monday to 7 = Sunday.
    #[serde(deserialize_with = "weekday")]
    #[schemars(range(min = 1, max = 7))]
    pub weekday: i64,
    /// Wall-clock time of opening.
    pub opens: WallTime,
    /// Wall-clock time of closing; on the next day where it is not later than opening.
    #[serde(deserialize_with = "text::closing")]
    #[schemars(with = "ClosingTime")]
    pub closes: WallTime,
}

fn weekday<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    number::deserialize_within(d, 1..=7)
}

record! {
    /// A location of the company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Location {
        location_id: LocationId,
        name: String,
        r#type: LocationType,
        status: LocationStatus,
        /// IANA time zone of the opening hours.
        time_zone: String,
        pub(crate) address: Option<Json<Address>>,
        pub(crate) coordinates: Option<Json<Coordinates>>,
        pub(crate) phone: Option<String>,
        pub(crate) email: Option<String>,
        opening_hours: Json<Vec<OpeningHours>>,
        /// Names of the zones that access devices guard.
        access_zones: Json<Vec<String>>,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl Location {
    /// The location with this id; another company's is not found like one that never was.
    pub fn find(cx: &mut Read, id: LocationId) -> Result<Self> {
        cx.one_kept(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The location's id.
    pub fn id(&self) -> LocationId {
        self.location_id
    }

    /// What it is called, and where it is, on a line.
    pub fn label(&self) -> String {
        let Some(Json(address)) = &self.address else { return self.name.clone() };
        let code = address.postal_code.as_ref().map(|code| format!("{} ", &**code));
        let city = format!("{}{}", code.unwrap_or_default(), &*address.city);
        format!("{}, {}, {city}", self.name, &*address.line1)
    }

    /// When it was last updated.
    pub fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// Display name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is not a place that anybody enters.
    pub fn is_online(&self) -> bool {
        self.r#type == LocationType::Online
    }

    /// The names of the zones that access devices guard.
    pub fn access_zones(&self) -> &[String] {
        &self.access_zones.0
    }

    /// Those that are archived.
    pub fn archived(cx: &mut Read) -> Result<Vec<spotter_kernel::Id>> {
        let rows: Vec<(spotter_kernel::Id,)> = cx.all(ARCHIVED, params![])?;
        Ok(rows.into_iter().map(|(id,)| id).collect())
    }

    /// Those in use, by name.
    pub fn active(cx: &mut Read) -> Result<Vec<Self>> {
        cx.all(ACTIVE, params![])
    }

    /// Whether something new can take place there.
    pub fn is_active(&self) -> bool {
        self.status == LocationStatus::Active
    }

    /// When it was created.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// The zone of its opening hours.
    pub fn time_zone(&self) -> TimeZone {
        TimeZone::parse(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// When it is open, in its zone.
    pub fn opening_hours(&self) -> &[OpeningHours] {
        &self.opening_hours.0
    }

    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let Some(now) = cx.audit_fields("location", self.location_id, self.changed(before)) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }
}

const ZONES_MAX: usize = 50;

/// Opening hours in the order of the week.
fn sorted_hours(hours: Many<OpeningHours, 0, 42>) -> Json<Vec<OpeningHours>> {
    let mut hours = hours.into_vec();
    hours.sort_by(|a, b| (a.weekday, &a.opens).cmp(&(b.weekday, &b.opens)));
    Json(hours)
}

/// Zones are unique regardless of case.
fn checked_zones(zones: Vec<ZoneName>) -> Result<Json<Vec<String>>> {
    if zones.len() > ZONES_MAX {
        return Err(Problem::field(
            Key::InvalidAccessZones,
            "accessZones",
            CompanyRule::TooManyZones { max: ZONES_MAX },
        ));
    }
    let mut seen = BTreeSet::new();
    let new = |zone: &ZoneName| seen.insert(zone.0.to_lowercase());
    let mut kept = zones;
    kept.retain(new);
    Ok(Json(kept.into_iter().map(|zone| zone.0.into_string()).collect()))
}

/// The name of an access zone.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(transparent, inline, extend("x-invalid" = Key::InvalidAccessZones.wire()))]
pub struct ZoneName(Text<60>);

impl<'de> Deserialize<'de> for ZoneName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let wrong = || refuse::<D::Error>(Key::InvalidAccessZones, CompanyRule::NotZoneName);
        let text = String::deserialize(d).map_err(|_| wrong())?;
        Text::parse(&text).map(Self).map_err(|_| wrong())
    }
}

listed!(Locations { locations: Location });

filters! {
    struct Filters {
        /// Locations in this status.
        status: LocationStatus => "status = ?";
        /// Locations of this type.
        r#type: LocationType => "type = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_locations(cx: &mut Read, ListQuery(wanted, page): ListQuery<Filters>) -> Result<Locations> {
    Ok(cx.page(&LIST, &wanted, page)?.into())
}

path!(LocationPath { location_id: LocationId });

answer!(LocationAnswer { location: Location });

answer!(
    /// The archived location, and the records that still refer to it.
    ArchivedAnswer {
        location: Location,
        /// Records that still refer to it, by kind; they are unchanged.
        leaves_behind: Vec<Remainders>,
    }
);

fn get_location(cx: &mut Read, Path(at): Path<LocationPath>) -> Result<LocationAnswer> {
    Ok(LocationAnswer { location: Location::find(cx, at.location_id)? })
}

/// The location to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewLocation {
    /// Display name.
    pub name: Name<120>,
    /// `physical` when absent.
    pub r#type: Option<LocationType>,
    /// The company's when absent.
    pub time_zone: Option<TimeZone>,
    /// Postal address.
    pub address: Option<Address>,
    /// Geographic coordinates.
    pub coordinates: Option<Coordinates>,
    /// Phone number.
    pub phone: Option<Phone>,
    /// Email address.
    pub email: Option<Email>,
    /// When it is open; at most 42 entries.
    #[serde(default)]
    pub opening_hours: Many<OpeningHours, 0, 42>,
    /// At most 50 names of 1 to 60 characters.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub access_zones: Vec<ZoneName>,
}

/// Creates a location.
pub fn create(cx: &mut Write, new: NewLocation) -> Result<Location> {
    let time_zone = match new.time_zone {
        Some(zone) => zone.name().to_owned(),
        None => Company::find(cx)?.time_zone,
    };
    let location = Location {
        location_id: LocationId(cx.new_id()),
        name: new.name.into(),
        r#type: new.r#type.unwrap_or(LocationType::Physical),
        status: LocationStatus::Active,
        time_zone,
        address: new.address.map(Json),
        coordinates: new.coordinates.map(Json),
        phone: new.phone.map(Into::into),
        email: new.email.map(Into::into),
        opening_hours: sorted_hours(new.opening_hours),
        access_zones: checked_zones(new.access_zones)?,
        archived_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("location", location.location_id, ["location"]);
    cx.defer(INSERT, &location.params())?;
    Ok(location)
}

fn create_location(cx: &mut Write, Body(new): Body<NewLocation>) -> Result<LocationAnswer> {
    Ok(LocationAnswer { location: create(cx, new)? })
}

/// The fields of a location to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct LocationChanges {
    name: Change<Name<120>>,
    r#type: Change<LocationType>,
    time_zone: Change<TimeZone>,
    address: Patch<Address>,
    coordinates: Patch<Coordinates>,
    phone: Patch<Phone>,
    email: Patch<Email>,
    opening_hours: Change<Many<OpeningHours, 0, 42>>,
    #[schemars(length(max = 50))]
    access_zones: Change<Vec<ZoneName>>,
}

fn update_location(
    cx: &mut Write,
    Path(at): Path<LocationPath>,
    Body(change): Body<LocationChanges>,
) -> Result<LocationAnswer> {
    let before = Location::find(cx, at.location_id)?;
    let mut location = before.clone();
    change.name.apply(&mut location.name);
    change.r#type.apply(&mut location.r#type);
    change.time_zone.map(|zone| zone.name().to_owned()).apply(&mut location.time_zone);
    change.address.map(Json).apply(&mut location.address);
    change.coordinates.map(Json).apply(&mut location.coordinates);
    change.phone.map(Into::into).apply(&mut location.phone);
    change.email.map(Into::into).apply(&mut location.email);
    if let Some(hours) = change.opening_hours.value() {
        location.opening_hours = sorted_hours(hours);
    }
    if let Some(zones) = change.access_zones.value() {
        location.access_zones = checked_zones(zones)?;
    }
    location.save(cx, &before)?;
    if location.access_zones != before.access_zones {
        cx.end(Offboarding::ZonesChanged, location.location_id)?;
    }
    Ok(LocationAnswer { location })
}

fn archive_location(cx: &mut Write, Path(at): Path<LocationPath>) -> Result<ArchivedAnswer> {
    let before = Location::find(cx, at.location_id)?;
    let mut location = before.clone();
    cx.describe_effect(|| CompanyEffect::LocationArchived { name: quoted(&location.name) });
    if location.status != LocationStatus::Archived {
        location.status = LocationStatus::Archived;
        location.archived_at = Some(cx.now());
    }
    location.save(cx, &before)?;
    let leaves_behind = cx.left_behind(ArchivedKind::Location, location.location_id)?;
    Ok(ArchivedAnswer { location, leaves_behind })
}

/// Fields of a location that clients do not see.
const STAFFS: &[&str] = &["accessZones"];

/// The operations and statements of this domain.
pub fn area() -> Area {
    Area::of(STATEMENTS)
        .lists(lists())
        .operations([
            operation!(GET "/locations", LocationsRead, list_locations)
                .summary("List locations")
            .describe("Returns the company's locations.")
                .for_every_client(STAFFS),
            operation!(GET "/locations/{locationId}", LocationsRead, get_location)
                .summary("Get a location")
            .describe("Returns one location.")
                .for_every_client(STAFFS),
            operation!(POST "/locations", LocationsWrite, create_location)
                .success(Success::Added)
                .summary("Create a location")
            .describe("Creates a location with its address, opening hours and zones.")
                .created()
                .fails(&[Key::CompanyNotFound]),
            operation!(PATCH "/locations/{locationId}", LocationsWrite, update_location)
                .summary("Update a location")
                .describe(
                "Changes the fields that are sent. A zone that a device guards cannot be renamed \
                 or removed.",
            )
                .fails(&[Key::CompanyNotFound, Key::ApiError]),
            operation!(POST "/locations/{locationId}/archive", LocationsWrite, archive_location)
                .success(Success::Archived)
                .summary("Archive a location")
                .describe(
                "Archives a location; `leavesBehind` lists what still refers to it. Archiving \
                 again changes nothing.",
            )
                .confirmation(),
        ])
        .tagged("Locations")
}

lists! {
    /// Every location, newest first; a company has few.
    LIST: List<Location, Filters> = List::new("location WHERE company_id = ?1", "location_id DESC");
}

statements! {
    FIND = "SELECT ", Location::COLUMNS, " FROM location WHERE company_id = ?1 AND location_id = ?2";
    ACTIVE = "SELECT ", Location::COLUMNS, " FROM location WHERE company_id = ?1 AND status = 'active' \
        ORDER BY name, location_id LIMIT 100";
    ARCHIVED = "SELECT location_id FROM location WHERE company_id = ?1 AND status = 'archived' \
        ORDER BY location_id LIMIT 10000";
    INSERT = "INSERT INTO location ", values!(Location);
    SAVE = "UPDATE location SET ", set!(Location), " WHERE company_id = ?1 AND location_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(weekday: i64, opens: &str, closes: &str) -> OpeningHours {
        let time = |text| WallTime::parse(text).unwrap();
        OpeningHours { weekday, opens: time(opens), closes: time(closes) }
    }

    #[test]
    fn opening_hours_are_sorted() {
        let day = vec![
            hours(2, "08:00", "12:00"),
            hours(1, "13:00", "20:00"),
            hours(1, "06:00", "02:00"),
        ];
        let sorted = sorted_hours(Many::new(day).unwrap());
        assert_eq!(sorted.0[0], hours(1, "06:00", "02:00"));
    }

    #[test]
    fn zones_are_unique() {
        let zones = |json: &str| serde_json::from_str::<Vec<ZoneName>>(json);
        let kept = checked_zones(zones(r#"[" gym ", "GYM", "sauna"]"#).unwrap()).unwrap();
        assert_eq!(kept.0, ["gym", "sauna"]);
        for bad in [r#"[""]"#, r#"["x\u0000"]"#, "[1]"] {
            assert!(zones(bad).unwrap_err().to_string().contains("INVALID_ACCESS_ZONES"), "{bad}");
        }
    }
}
