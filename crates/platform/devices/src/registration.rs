//! Registering devices, and looking after them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Many, Problem, Result, Rule, Timestamp,
    id::LocationId,
    number::BoundedInteger,
    secret::{Credential, CredentialKind},
    text::{Name, Text},
};
use spotter_store::{Json, List, filters, lists, words};

use super::{
    device::{
        Device, DeviceId, DeviceStatus, DeviceView, OfflinePolicy, PassageDirection, Passback,
    },
    heartbeats, keys,
};
use crate::rules::DeviceRule;
use spotter_company::locations::Location;

/// Default minutes of anti-passback.
const PASSBACK_MINUTES: i64 = 10;

path!(DevicePath { device_id: DeviceId });

answer!(DeviceAnswer { device: DeviceView });

answer!(
    /// A device with its key, which is returned only once.
    DeviceKey {
        device: DeviceView,
        /// The key for the header `x-device-key`. It is returned only once.
        device_key: String,
    }
);

/// The access device to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewAccessDevice")]
pub struct NewDevice {
    /// Display name.
    pub name: Name<120>,
    /// Where it is installed.
    pub location_id: LocationId,
    /// The zones that it guards, each one of the location's `accessZones`; the location as a whole when absent.
    #[serde(default)]
    pub zones: Many<Text<60>, 0, 20>,
    /// `in` when absent.
    pub direction: Option<PassageDirection>,
    /// `off` when absent; `hard` needs a device that lets people out.
    pub passback: Option<Passback>,
    /// Minutes in which the same credential is not admitted again, for timed passback; 10 when
    /// absent.
    pub passback_minutes: Option<BoundedInteger<1, 1_440>>,
    /// `refuse` when absent.
    pub offline_policy: Option<OfflinePolicy>,
}

/// Zones as their location names them, each once.
fn known_zones(location: &Location, wanted: Vec<Text<60>>) -> Result<Json<Vec<String>>> {
    let mut seen = BTreeSet::new();
    let mut zones = Vec::new();
    for zone in wanted {
        let lower = zone.to_lowercase();
        let own = location.access_zones().iter().find(|own| own.to_lowercase() == lower);
        let own = own.ok_or_else(|| {
            let rule = DeviceRule::UnknownZones;
            Problem::field(Key::InvalidAccessZones, "zones", rule)
        })?;
        if seen.insert(lower) {
            zones.push(own.clone());
        }
    }
    Ok(Json(zones))
}

fn location(cx: &mut Read, id: LocationId) -> Result<Location> {
    let rule = Rule::OtherCompanysLocation;
    Location::find(cx, id).map_err(|none| none.missing("locationId", rule))
}

/// Registers a device.
pub fn register(cx: &mut Write, new: NewDevice) -> Result<(Device, Credential)> {
    let location = location(cx, new.location_id)?;
    if location.is_online() {
        return Err(Problem::invalid("locationId", DeviceRule::OnlineLocation));
    }
    let key = cx.new_credential(CredentialKind::DeviceKey);
    let mut device = Device {
        device_id: DeviceId(cx.new_id()),
        name: new.name.into(),
        location_id: new.location_id,
        zones: known_zones(&location, new.zones.into_vec())?,
        direction: new.direction.unwrap_or(PassageDirection::In),
        status: DeviceStatus::Pending,
        passback: new.passback.unwrap_or(Passback::Off),
        passback_minutes: new.passback_minutes.map_or(PASSBACK_MINUTES, |minutes| minutes.0),
        offline_policy: new.offline_policy.unwrap_or(OfflinePolicy::Refuse),
        key_digest: Vec::new(),
        key_last4: String::new(),
        previous_key_digest: None,
        previous_key_until: None,
        last_seen_at: None,
        silent_since: None,
        clock_skew_ms: None,
        firmware: None,
        queue_depth: None,
        list_version: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    device.check_passback(cx)?;
    keys::give(&mut device, &key);
    device.insert(cx)?;
    Ok((device, key))
}

fn register_access_device(cx: &mut Write, Body(new): Body<NewDevice>) -> Result<DeviceKey> {
    let (device, key) = register(cx, new)?;
    Ok(DeviceKey { device: device.view(), device_key: key.expose().to_owned() })
}

listed!(AccessDevices { access_devices: DeviceView });

filters! {
    struct Filters {
        /// Devices of this location.
        location_id: LocationId => "location_id = ?";
        /// Devices in this status.
        status: DeviceStatus => "status = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

fn list_access_devices(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<AccessDevices> {
    Ok(cx.page(&LIST, &wanted, page)?.map(Device::view).into())
}

fn get_access_device(cx: &mut Read, Path(at): Path<DevicePath>) -> Result<DeviceAnswer> {
    Ok(DeviceAnswer { device: Device::find(cx, at.device_id)?.view() })
}

words! {
    /// Whether its key is to be good.
    enum Switch { Active = "active", Disabled = "disabled" }
}

/// The fields of an access device to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "AccessDeviceChanges")]
struct DeviceChanges {
    name: Change<Name<120>>,
    /// The zones that it guards, each one of the location's `accessZones`; none for the location as a whole.
    zones: Change<Many<Text<60>, 0, 20>>,
    /// Direction in which people pass.
    direction: Change<PassageDirection>,
    /// `disabled` stops its key, `active` lets it work again.
    status: Change<Switch>,
    /// How a second entry without an exit is handled; `hard` requires a device at the exit.
    passback: Change<Passback>,
    /// Minutes in which the same credential is not admitted again, for timed passback.
    passback_minutes: Change<BoundedInteger<1, 1_440>>,
    /// Behaviour without a network connection and a valid list.
    offline_policy: Change<OfflinePolicy>,
}

fn update_access_device(
    cx: &mut Write,
    Path(at): Path<DevicePath>,
    Body(change): Body<DeviceChanges>,
) -> Result<DeviceAnswer> {
    let before = Device::find(cx, at.device_id)?;
    let mut device = before.clone();
    change.name.apply(&mut device.name);
    if let Some(zones) = change.zones.value() {
        device.zones = known_zones(&location(cx, device.location_id)?, zones.into_vec())?;
    }
    change.direction.apply(&mut device.direction);
    change.passback.apply(&mut device.passback);
    change.passback_minutes.map(|minutes| minutes.0).apply(&mut device.passback_minutes);
    change.offline_policy.apply(&mut device.offline_policy);
    match (change.status.value(), device.status) {
        (None, _) => {}
        (Some(_), DeviceStatus::Revoked) => {
            return Err(Problem::conflict("status", Rule::Revoked));
        }
        (Some(Switch::Disabled), _) => device.status = DeviceStatus::Disabled,
        (Some(Switch::Active), DeviceStatus::Disabled) => {
            device.status = match device.last_seen_at {
                Some(_) => DeviceStatus::Active,
                None => DeviceStatus::Pending,
            };
        }
        (Some(Switch::Active), _) => {}
    }
    if device != before {
        device.check_passback(cx)?;
    }
    heartbeats::follow(cx, &device)?;
    device.save(cx, &before)?;
    Ok(DeviceAnswer { device: device.view() })
}

fn rotate_access_device_key(cx: &mut Write, Path(at): Path<DevicePath>) -> Result<DeviceKey> {
    let before = Device::find(cx, at.device_id)?;
    if before.status == DeviceStatus::Revoked {
        return Err(Problem::conflict("status", DeviceRule::DeviceRevoked));
    }
    let mut device = before.clone();
    let key = cx.new_credential(CredentialKind::DeviceKey);
    keys::replace(&mut device, &key, cx.now());
    device.save(cx, &before)?;
    Ok(DeviceKey { device: device.view(), device_key: key.expose().to_owned() })
}

fn revoke_access_device(cx: &mut Write, Path(at): Path<DevicePath>) -> Result<DeviceAnswer> {
    let before = Device::find(cx, at.device_id)?;
    let mut device = before.clone();
    device.status = DeviceStatus::Revoked;
    device.previous_key_until = None;
    device.previous_key_digest = None;
    heartbeats::follow(cx, &device)?;
    device.save(cx, &before)?;
    Ok(DeviceAnswer { device: device.view() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([
        operation!(app GET "/access-devices", Manager, list_access_devices)
            .summary("List access devices")
            .describe("Returns the company's devices."),
        operation!(app POST "/access-devices", Manager, register_access_device)
            .summary("Register an access device")
            .describe("Registers a device. Its key is returned in this response only.")
            .created()
            .secret(&["deviceKey"])
            .fails(&[Key::ApiError]),
        operation!(app GET "/access-devices/{deviceId}", Manager, get_access_device)
            .summary("Get an access device")
            .describe("Returns one device with its zones and status."),
        operation!(app PATCH "/access-devices/{deviceId}", Manager, update_access_device)
            .summary("Update an access device")
            .describe("Changes the fields that are sent.")
            .fails(&[Key::ApiError]),
        operation!(app POST "/access-devices/{deviceId}/rotate-key", Manager, rotate_access_device_key)
            .summary("Rotate a device's key")
            .describe(
                "Returns a new key in this response only. The old key is accepted until the new \
                 one is first used, for a day at most.",
            )
            .secret(&["deviceKey"])
            .fails(&[Key::ApiError]),
        operation!(app POST "/access-devices/{deviceId}/revoke", Manager, revoke_access_device)
            .success(Success::Revoked)
            .summary("Revoke an access device")
            .describe("Rejects the device's key permanently. Its scans stay in the log."),
    ])
}

lists! {
    /// Every access device, newest first; a company has few.
    LIST: List<Device, Filters> =
        List::new("access_device WHERE company_id = ?1", "device_id DESC");
}
