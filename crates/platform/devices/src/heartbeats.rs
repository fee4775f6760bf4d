//! Heartbeats: a device reports its state every five minutes. One that misses three is silent, and managers are notified.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Actor, Area, Body, Success, Timer, Write, operation};
use spotter_kernel::{Id, Result, Timestamp, number::BoundedInteger, text::Text};

use super::{
    device::{Device, DeviceId, DeviceStatus},
    keys,
};
use spotter_company::locations::Location;
use spotter_mail::Letter;
use spotter_people::coaches::Coach;

/// How often a device is to send one.
pub const EVERY_SECONDS: i64 = 300;
/// After so long it is silent: three were missed.
const SILENT_SECONDS: i64 = 3 * EVERY_SECONDS;
/// That a device was heard of is noted once in so long.
const NOTED_SECONDS: i64 = 60;
/// A clock is off that is further from the server's.
pub const CLOCK_OFF_MS: i64 = 300_000;

/// By how many milliseconds a device's clock is behind the server's: what it sent last, against when that came.
pub fn skew(received: Timestamp, sent: Timestamp) -> i64 {
    received.millis().saturating_sub(sent.millis())
}

/// The condition of a device.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewHeartbeat {
    /// The device's current time.
    pub device_time: Timestamp,
    /// Firmware version.
    pub firmware: Option<Text<60>>,
    /// Number of offline scans that are not uploaded yet.
    pub queue_depth: Option<BoundedInteger<0, 1_000_000>>,
    /// The allow-list that it has.
    pub list_version: Option<Text<2000>>,
}

/// The response to a heartbeat.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HeartbeatAnswer {
    /// The server's current time.
    server_time: Timestamp,
    /// Milliseconds by which the device's clock lags behind the server.
    clock_skew_ms: i64,
    /// Whether the clock is off by more than five minutes.
    clock_is_off: bool,
    /// When the next heartbeat is expected.
    next_at: Timestamp,
}

/// Notes that the calling device was heard of; for everything that it writes.
pub fn record_contact(cx: &mut Write, device: &mut Device) -> Result<()> {
    let (before, now) = (device.clone(), cx.now());
    if let Actor::Device { key, .. } = &cx.caller().actor {
        keys::forget_previous(device, key);
    }
    if device.status == DeviceStatus::Pending {
        device.status = DeviceStatus::Active;
    }
    let lately = now.plus_seconds(-NOTED_SECONDS);
    if device.silent_since.is_some() || device.last_seen_at.is_none_or(|last| last < lately) {
        device.last_seen_at = Some(now);
        device.silent_since = None;
        follow(cx, device)?;
    }
    if *device != before { device.note(cx) } else { Ok(()) }
}

/// Has it noticed when a device falls silent.
pub(super) fn follow(cx: &mut Write, device: &Device) -> Result<()> {
    match device.last_seen_at.filter(|_| device.is_usable()) {
        Some(seen) => cx.set_timer(&SILENT, device.device_id, seen.plus_seconds(SILENT_SECONDS)),
        None => cx.clear_timer(&SILENT, device.device_id),
    }
}

fn send_heartbeat(cx: &mut Write, Body(new): Body<NewHeartbeat>) -> Result<HeartbeatAnswer> {
    let mut device = Device::from_caller(cx)?;
    cx.set_audit_target("access_device", device.device_id, ["heartbeat"]);
    let clock_skew_ms = skew(cx.now(), new.device_time);
    device.last_seen_at = None;
    device.clock_skew_ms = Some(clock_skew_ms);
    device.firmware = new.firmware.map(Into::into);
    device.queue_depth = new.queue_depth.map(|depth| depth.0);
    device.list_version = new.list_version.map(Into::into);
    record_contact(cx, &mut device)?;
    Ok(HeartbeatAnswer {
        server_time: cx.now(),
        clock_skew_ms,
        clock_is_off: clock_skew_ms.abs() > CLOCK_OFF_MS,
        next_at: cx.now().plus_seconds(EVERY_SECONDS),
    })
}

fn mark_silent(cx: &mut Write, id: Id) -> Result<()> {
    let Ok(mut device) = Device::find(cx, DeviceId(id)) else { return Ok(()) };
    let Some(since) = device.last_seen_at.filter(|_| device.is_usable()) else { return Ok(()) };
    if cx.now() < since.plus_seconds(SILENT_SECONDS) {
        return follow(cx, &device);
    }
    device.silent_since = Some(since);
    cx.set_audit_target("access_device", device.device_id, ["connection"]);
    device.note(cx)?;
    let location = Location::find(cx, device.location_id)?;
    let zone = location.time_zone();
    let local_time = format!("{} {}", zone.date_at(since), &*zone.time_at(since));
    for manager in Coach::managers(cx)? {
        let letter = Letter::DeviceSilent {
            device: &device.name,
            location: location.name(),
            since: &local_time,
        };
        spotter_mail::send(cx, manager.recipient(), id, &letter)?;
    }
    Ok(())
}

static SILENT: Timer =
    Timer::new("device_silent", "Mail managers about a silent access device", mark_silent);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().timers(&[&SILENT]).operations([
        operation!(device POST "/access/heartbeats", send_heartbeat)
            .success(Success::Sent)
            .summary("Send a heartbeat")
            .describe(
                "Reports that the device is running. Send one every five minutes: after three \
                 missed heartbeats the device counts as silent and managers are notified by mail.",
            ),
    ])
}
