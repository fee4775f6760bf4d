//! Zones and their requirements. The zone without a name is the location as a whole.

use crate::rules::AccessControlRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::locations::Location;
use spotter_contract::{Area, Body, Path, Read, Write, answer, operation, path};
use spotter_kernel::{
    Id, Key, Many, Problem, Result, Timestamp, id::LocationId, number::BoundedInteger, text::Text,
};
use spotter_store::{Json, params, record, set, statements, values};

record! {
    /// The requirements of a zone.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AccessZone {
        location_id: LocationId,
        /// As the location names it; empty for the location as a whole.
        pub zone: String,
        /// Most people at once; null without a limit.
        pub capacity: Option<i64>,
        /// Whether entry requires a booking.
        pub needs_booking: bool,
        /// Credits per day for clients without a membership or pass; 0 admits no one by credits.
        pub credits_per_visit: i64,
        /// Pools that pay for it, beside credits that pay for everything.
        pub credit_pools: Json<Vec<String>>,
        /// A form that a client must have submitted.
        pub form_id: Option<Id>,
        /// Whether clients with an overdue membership may enter.
        pub admits_overdue: bool,
        updated_at: Timestamp,
    }
}

impl AccessZone {
    /// Asks ahead for the requirements of a zone.
    pub fn ask_ahead(cx: &mut Read, location: LocationId, zone: &str) -> Result<()> {
        cx.ask_ahead(FIND, params![location, zone])
    }

    /// The requirements of a zone; none where it was never set.
    pub fn of(cx: &mut Read, location: LocationId, zone: &str) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![location, zone])?;
        Ok(found.unwrap_or_else(|| Self {
            location_id: location,
            zone: zone.to_owned(),
            capacity: None,
            needs_booking: false,
            credits_per_visit: 0,
            credit_pools: Json(Vec::new()),
            form_id: None,
            admits_overdue: false,
            updated_at: Timestamp::from_millis(0),
        }))
    }

    fn is_set(&self) -> bool {
        self.updated_at.millis() > 0
    }
}

path!(LocationZones { location_id: LocationId });

answer!(AccessZones {
    /// Every zone of the location, and the location as a whole, which has no name.
    access_zones: Vec<AccessZoneView>
});

/// The conditions for entering a zone.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccessZone")]
struct AccessZoneView {
    location_id: LocationId,
    /// Name of the zone at the location; null for the whole location.
    zone: Option<String>,
    /// Most people at once; null without a limit.
    capacity: Option<i64>,
    /// Whether entry requires a booking.
    needs_booking: bool,
    /// Credits per day for clients without a membership or pass; 0 admits no one by credits.
    credits_per_visit: i64,
    /// Pools that pay for it, beside credits that pay for everything.
    credit_pools: Vec<String>,
    /// A form that a client must have submitted.
    form_id: Option<Id>,
    /// Whether clients with an overdue membership may enter.
    admits_overdue: bool,
    /// Instant of the last change; null before the first.
    updated_at: Option<Timestamp>,
}

impl From<AccessZone> for AccessZoneView {
    fn from(own: AccessZone) -> Self {
        let updated_at = own.is_set().then_some(own.updated_at);
        Self {
            location_id: own.location_id,
            zone: Some(own.zone).filter(|zone| !zone.is_empty()),
            capacity: own.capacity,
            needs_booking: own.needs_booking,
            credits_per_visit: own.credits_per_visit,
            credit_pools: own.credit_pools.0,
            form_id: own.form_id,
            admits_overdue: own.admits_overdue,
            updated_at,
        }
    }
}

fn list_access_zones(cx: &mut Read, Path(at): Path<LocationZones>) -> Result<AccessZones> {
    let location = Location::find(cx, at.location_id)?;
    let names = [String::new()].into_iter().chain(location.access_zones().iter().cloned());
    let zones = names.map(|name| AccessZone::of(cx, at.location_id, &name).map(Into::into));
    Ok(AccessZones { access_zones: zones.collect::<Result<_>>()? })
}

answer!(AccessZoneAnswer { access_zone: AccessZoneView });

/// The conditions for entering a zone; absent fields take their defaults.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewAccessZone")]
struct NewZone {
    /// One of the location's `accessZones`; the location as a whole when absent.
    zone: Option<Text<60>>,
    /// Most people at once; no limit when absent.
    capacity: Option<BoundedInteger<1, 100_000>>,
    /// Whether entry requires a booking.
    #[serde(default)]
    needs_booking: bool,
    /// Credits per day for clients without a membership or pass; credits admit no one when absent.
    credits_per_visit: Option<BoundedInteger<0, 1_000>>,
    /// Keys of pools that pay for it, beside credits that pay for everything.
    #[serde(default)]
    credit_pools: Many<Text<60>, 0, 20>,
    /// A form that a client must have submitted.
    form_id: Option<Id>,
    /// Whether clients with an overdue membership may enter.
    #[serde(default)]
    admits_overdue: bool,
}

fn set_access_zone(
    cx: &mut Write,
    Path(at): Path<LocationZones>,
    Body(new): Body<NewZone>,
) -> Result<AccessZoneAnswer> {
    let location = Location::find(cx, at.location_id)?;
    let name = match &new.zone {
        None => String::new(),
        Some(zone) => {
            let lower = zone.to_lowercase();
            let own = location.access_zones().iter().find(|own| own.to_lowercase() == lower);
            own.cloned().ok_or_else(|| {
                let rule = AccessControlRule::UnknownZone;
                Problem::field(Key::InvalidAccessZones, "zone", rule)
            })?
        }
    };
    if let Some(form) = new.form_id {
        cx.forms()?.check_form(cx, form, "formId")?;
    }
    let before = AccessZone::of(cx, at.location_id, &name)?;
    let mut zone = AccessZone {
        capacity: new.capacity.map(|most| most.0),
        needs_booking: new.needs_booking,
        credits_per_visit: new.credits_per_visit.map_or(0, |credits| credits.0),
        credit_pools: Json(new.credit_pools.into_iter().map(Text::into_string).collect()),
        form_id: new.form_id,
        admits_overdue: new.admits_overdue,
        ..before.clone()
    };
    let mut changed = zone.changed(&before);
    if !before.is_set() {
        changed.push("accessZone".to_owned());
    }
    if let Some(now) = cx.audit_fields("location", at.location_id, changed) {
        zone.updated_at = now;
        cx.defer(if before.is_set() { SAVE } else { INSERT }, &zone.params())?;
    }
    Ok(AccessZoneAnswer { access_zone: zone.into() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app GET "/locations/{locationId}/access-zones", Manager, list_access_zones)
            .summary("List access zones")
            .describe("Returns what each zone requires."),
        operation!(app PUT "/locations/{locationId}/access-zones", Manager, set_access_zone)
            .summary("Set a zone's requirements")
            .describe(
                "Sets what a zone requires of everyone who enters, in addition to admission.",
            ),
    ])
}

statements! {
    FIND = "SELECT ", AccessZone::COLUMNS, " FROM access_zone \
        WHERE company_id = ?1 AND location_id = ?2 AND zone = ?3";
    INSERT = "INSERT INTO access_zone ", values!(AccessZone);
    SAVE = "UPDATE access_zone SET ", set!(AccessZone),
        " WHERE company_id = ?1 AND location_id = ?2 AND zone = ?3";
}
