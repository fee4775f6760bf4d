//! The zone of a location that a client wants to enter, with its requirements.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_company::locations::Location;
use spotter_contract::{Area, Read, operation};
use spotter_devices::{
    Device, DeviceId,
    device::{OfflinePolicy, PassageDirection, Passback},
};
use spotter_kernel::{
    Date, Problem, Result, TimeZone, Timestamp, id::LocationId, span::Span, text::WallTime,
};

use crate::{allow_list, rules::AccessControlRule, zone::AccessZone};

/// When who has not gone out is taken to be out, by the clock of the location; a day of visits begins then.
const DAY_BEGINS: &str = "04:00";

/// A zone of a location, with its requirements.
pub struct ZoneContext {
    /// The location.
    pub location: Location,
    /// Its zone of time.
    pub time_zone: TimeZone,
    /// The requirements.
    pub zone: AccessZone,
}

impl ZoneContext {
    /// A zone of a location; the location as a whole where it has no name.
    pub fn find(cx: &mut Read, location: LocationId, zone: &str) -> Result<Self> {
        AccessZone::ask_ahead(cx, location, zone)?;
        let location = Location::find(cx, location)?;
        let calls = AccessZone::of(cx, location.id(), zone)?;
        Ok(Self { time_zone: location.time_zone(), location, zone: calls })
    }

    /// The location.
    pub fn id(&self) -> LocationId {
        self.location.id()
    }

    /// The zone's name.
    pub fn zone(&self) -> &str {
        &self.zone.zone
    }

    /// The day of visits that an instant belongs to, and when it began.
    pub fn day(&self, at: Timestamp) -> (Date, Timestamp) {
        let date = self.time_zone.date_at(at);
        match (self.begins(date) <= at, date.plus_days(-1)) {
            (false, Some(yesterday)) => (yesterday, self.begins(yesterday)),
            _ => (date, self.begins(date)),
        }
    }

    /// When a day of visits begins.
    pub fn begins(&self, day: Date) -> Timestamp {
        match WallTime::parse(DAY_BEGINS) {
            Some(time) => day.at(&time, &self.time_zone),
            None => day.start_in(&self.time_zone),
        }
    }

    /// Whether the location is open at an instant.
    pub fn is_open(&self, cx: &mut Read, at: Timestamp) -> Result<bool> {
        if !self.location.is_active() {
            return Ok(false);
        }
        Ok(!cx.timetable()?.open(cx, self.id(), Self::instant(at))?.is_empty())
    }

    /// The shortest time that holds an instant.
    pub fn instant(at: Timestamp) -> Span {
        Span::new(at, at.plus_millis(1))
    }
}

/// The zone that a scan is about: the one that is named, or the only one that the device guards.
pub fn zone_of(device: &Device, named: Option<&str>) -> Result<String> {
    let zones = &device.zones.0;
    match (named, zones.as_slice()) {
        (None, []) => Ok(String::new()),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(Problem::invalid("zone", AccessControlRule::ZoneRequired)),
        (Some(named), zones) => {
            let lower = named.to_lowercase();
            let own = zones.iter().find(|own| own.to_lowercase() == lower);
            own.cloned().ok_or_else(|| Problem::invalid("zone", AccessControlRule::UnguardedZone))
        }
    }
}

/// The direction of a scan: the device's, or the given one where the device serves both.
pub fn way_of(device: &Device, named: Option<PassageDirection>) -> Result<PassageDirection> {
    match (device.direction, named) {
        (PassageDirection::Both, None | Some(PassageDirection::Both)) => {
            Err(Problem::invalid("direction", AccessControlRule::DirectionRequired))
        }
        (PassageDirection::Both, Some(way)) => Ok(way),
        (own, Some(way)) if way != own => {
            Err(Problem::invalid("direction", AccessControlRule::OtherDevices))
        }
        (own, _) => Ok(own),
    }
}

/// The calling device.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OwnDevice {
    /// Id of the device.
    device_id: DeviceId,
    /// Display name.
    name: String,
    location_id: LocationId,
    /// IANA time zone of the location.
    time_zone: String,
    /// The zones that it guards, as the location names them; the location as a whole where it names none.
    zones: Vec<String>,
    /// Direction in which people pass.
    direction: PassageDirection,
    /// How a second entry without an exit is handled.
    passback: Passback,
    /// Minutes in which the same credential is not admitted again, for timed passback.
    passback_minutes: i64,
    /// Behaviour without a network connection and a valid list.
    offline_policy: OfflinePolicy,
    /// The key of its allow-list's digests: 64 hexadecimal digits of 32 bytes.
    digest_key: String,
    /// The server's current time.
    server_time: Timestamp,
    /// Milliseconds without a response after which the device decides offline.
    answer_within_ms: i64,
    /// Seconds between two requests of the allow list.
    poll_seconds: i64,
    /// Seconds between two heartbeats.
    heartbeat_seconds: i64,
}

fn get_own_device(cx: &mut Read) -> Result<OwnDevice> {
    let device = Device::from_caller(cx)?;
    let location = Location::find(cx, device.location_id)?;
    Ok(OwnDevice {
        device_id: device.device_id,
        location_id: device.location_id,
        time_zone: location.time_zone().name().to_owned(),
        direction: device.direction,
        passback: device.passback,
        passback_minutes: device.passback_minutes,
        offline_policy: device.offline_policy,
        digest_key: allow_list::digest_key(cx, device.device_id)?
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        server_time: cx.now(),
        answer_within_ms: 800,
        poll_seconds: allow_list::POLL_SECONDS,
        heartbeat_seconds: spotter_devices::heartbeats::EVERY_SECONDS,
        name: device.name,
        zones: device.zones.0,
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(device GET "/access/device", get_own_device)
        .summary("Get the calling device")
        .describe("Returns the device's location, the zones that it guards, and its settings.")])
}
