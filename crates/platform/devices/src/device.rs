//! An access device: the record.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::locations::Location;
use spotter_contract::{Actor, Area, Effect, Offboarding, Read, Write};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, id::LocationId, id_type};
use spotter_store::{Json, params, record, set, statements, stored_ids, values, words};

use crate::{effects::DeviceEffect, rules::DeviceRule};

id_type!(
    /// An access device.
    DeviceId,
    RequestInvalid
);
stored_ids!(DeviceId);

words! {
    /// Direction in which people pass.
    pub enum PassageDirection { In = "in", Out = "out", Both = "both" }
}

words! {
    /// The status of its key: *pending* until its first use, *revoked* is final.
    pub enum DeviceStatus {
        Pending = "pending",
        Active = "active",
        Disabled = "disabled",
        Revoked = "revoked",
    }
}

words! {
    /// What happens when a client enters again without having left: nothing; denied for some minutes; allowed and
    /// logged; denied until they have left.
    pub enum Passback { Off = "off", Timed = "timed", Soft = "soft", Hard = "hard" }
}

words! {
    /// What a device does without a network and without a list that is good: refuse everybody, or admit everybody.
    pub enum OfflinePolicy { Refuse = "refuse", Admit = "admit" }
}

words! {
    /// Whether a device was heard of lately.
    pub enum Connection { Online = "online", Silent = "silent" }
}

record! {
    /// An access device as it is stored.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Device {
        /// Id of the device.
        pub device_id: DeviceId,
        /// Display name.
        pub name: String,
        /// Where it is installed.
        pub location_id: LocationId,
        /// The zones that it guards, as the location names them; the location as a whole where it names none.
        pub zones: Json<Vec<String>>,
        /// Direction in which people pass.
        pub direction: PassageDirection,
        /// Whether its key is accepted.
        pub status: DeviceStatus,
        /// How a second entry without an exit is handled.
        pub passback: Passback,
        /// For how long, where that is timed.
        pub passback_minutes: i64,
        /// What it does when it is on its own.
        pub offline_policy: OfflinePolicy,
        pub(super) key_digest: Vec<u8>,
        pub(super) key_last4: String,
        pub(super) previous_key_digest: Option<Vec<u8>>,
        pub(super) previous_key_until: Option<Timestamp>,
        pub(super) last_seen_at: Option<Timestamp>,
        pub(super) silent_since: Option<Timestamp>,
        pub(super) clock_skew_ms: Option<i64>,
        pub(super) firmware: Option<String>,
        pub(super) queue_depth: Option<i64>,
        pub(super) list_version: Option<String>,
        pub(super) created_at: Timestamp,
        /// When a person last changed it.
        pub updated_at: Timestamp,
    }
}

/// An access device.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AccessDevice")]
pub struct DeviceView {
    device_id: DeviceId,
    name: String,
    location_id: LocationId,
    /// The zones that it guards, as the location names them; the location as a whole where it names none.
    zones: Vec<String>,
    /// Direction in which people pass.
    direction: PassageDirection,
    /// Whether its key is accepted.
    status: DeviceStatus,
    /// How a second entry without an exit is handled.
    passback: Passback,
    /// Minutes in which the same credential is not admitted again, for timed passback.
    passback_minutes: i64,
    /// Behaviour without a network connection and a valid list.
    offline_policy: OfflinePolicy,
    /// The last characters of its key.
    key_last4: String,
    /// Instant until which the previous key is accepted; null if it is not.
    previous_key_until: Option<Timestamp>,
    /// Connection status; null before the first heartbeat.
    connection: Option<Connection>,
    /// When it was last seen, to the minute.
    last_seen_at: Option<Timestamp>,
    /// Milliseconds by which its clock lags behind the server, as last reported.
    clock_skew_ms: Option<i64>,
    /// Firmware version that the device reports.
    firmware: Option<String>,
    /// Number of offline scans that are not uploaded yet.
    queue_depth: Option<i64>,
    /// The allow-list that it has.
    list_version: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Device {
    /// The device with this id.
    pub fn find(cx: &mut Read, id: DeviceId) -> Result<Self> {
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The device that calls.
    pub fn from_caller(cx: &mut Read) -> Result<Self> {
        match cx.caller().actor {
            Actor::Device { id, .. } => Self::find(cx, DeviceId(id)),
            _ => Err(Key::Forbidden.into()),
        }
    }

    /// Status of the device.
    pub fn is_usable(&self) -> bool {
        matches!(self.status, DeviceStatus::Pending | DeviceStatus::Active)
    }

    pub(super) fn view(self) -> DeviceView {
        let connection = self.last_seen_at.map(|_| match self.silent_since {
            Some(_) => Connection::Silent,
            None => Connection::Online,
        });
        DeviceView {
            device_id: self.device_id,
            name: self.name,
            location_id: self.location_id,
            zones: self.zones.0,
            direction: self.direction,
            status: self.status,
            passback: self.passback,
            passback_minutes: self.passback_minutes,
            offline_policy: self.offline_policy,
            key_last4: self.key_last4,
            previous_key_until: self.previous_key_until,
            connection,
            last_seen_at: self.last_seen_at,
            clock_skew_ms: self.clock_skew_ms,
            firmware: self.firmware,
            queue_depth: self.queue_depth,
            list_version: self.list_version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// Adds it.
    pub(super) fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.set_audit_target("access_device", self.device_id, ["accessDevice"]);
        cx.defer(INSERT, &self.params())
    }

    /// Saves a person's changes.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let mut changed = self.changed(before);
        changed.retain(|name| !name.to_lowercase().contains("digest"));
        match cx.audit_fields("access_device", self.device_id, changed) {
            None => Ok(()),
            Some(now) => {
                self.updated_at = now;
                self.note(cx)
            }
        }
    }

    /// Saves what the device reported about itself.
    pub(super) fn note(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.params())
    }

    /// Refuses what needs its location to have another device.
    pub(super) fn check_passback(&self, cx: &mut Read) -> Result<()> {
        if self.passback != Passback::Hard || self.direction != PassageDirection::In {
            return Ok(());
        }
        let others: Vec<Self> = cx.all(AT, params![self.location_id])?;
        let lets_out = |zone: Option<&String>| {
            others.iter().any(|other| {
                other.device_id != self.device_id
                    && other.is_usable()
                    && other.direction != PassageDirection::In
                    && zone.is_none_or(|zone| other.zones.0.contains(zone))
            })
        };
        let fine = match &*self.zones.0 {
            [] => lets_out(None),
            zones => zones.iter().all(|zone| lets_out(Some(zone))),
        };
        match fine {
            true => Ok(()),
            false => Err(Problem::conflict("passback", DeviceRule::HardWithoutExit)),
        }
    }
}

/// Refuses a change of a location's access zones that leaves a device guarding one that is gone.
fn check_guarded(cx: &mut Write, location: Id) -> Result<u64> {
    let location_id = LocationId(location);
    let location = Location::find(cx, location_id)?;
    let devices: Vec<Device> = cx.all(AT, params![location_id])?;
    let guarded =
        devices.iter().flat_map(|device| device.zones.0.iter().map(move |zone| (device, zone)));
    match guarded.into_iter().find(|(_, zone)| !location.access_zones().contains(zone)) {
        Some((device, zone)) => Err(Problem::conflict(
            "accessZones",
            DeviceRule::GuardedZone { zone: zone.clone(), device: device.name.clone() },
        )),
        None => Ok(0),
    }
}

/// What keeps a zone as it is.
const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ZonesChanged,
    || DeviceEffect::RefusedWhileGuarded.into(),
    check_guarded,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).ends(ENDS)
}

statements! {
    FIND = "SELECT ", Device::COLUMNS, " FROM access_device WHERE company_id = ?1 AND device_id = ?2";
    AT = "SELECT ", Device::COLUMNS, " FROM access_device WHERE company_id = ?1 AND location_id = ?2 \
        AND status <> 'revoked' ORDER BY device_id LIMIT 500";
    INSERT = "INSERT INTO access_device ", values!(Device);
    SAVE = "UPDATE access_device SET ", set!(Device), " WHERE company_id = ?1 AND device_id = ?2";
}
