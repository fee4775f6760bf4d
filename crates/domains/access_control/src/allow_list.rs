//! Allow-lists: the clients a device may admit while it is offline. A list admits only clients whom the server would admit: what
//! changes from scan to scan (credits, days of passes, bookings, capacity) admits nobody offline.
//!
//! A list is sent in parts. The first two digits of an entry's digest determine its part, and the version of a list
//! contains a digest of each part: a device that sends its version receives the changed parts, each whole. The server
//! stores nothing about what it sent, so no list can be out of step.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Query, Read, operation, vault};
use spotter_devices::{Device, DeviceId, device::PassageDirection};
use spotter_kernel::{
    Problem, Result, Timestamp,
    id::ClientId,
    span::{Span, shared},
    text::Text,
};
use spotter_store::{params, record, statements};

use crate::{
    credential::AccessKind,
    decision::{hours_within, is_of_place},
    zone_context::ZoneContext,
};

/// How often a device polls for changes.
pub const POLL_SECONDS: i64 = 60;
/// How long a list is good.
const GOOD_SECONDS: i64 = 24 * 3_600;
/// Bytes of the digest of a part that a version holds.
const PART_BYTES: usize = 4;
/// Parts of a list.
const PARTS: usize = 256;

/// The key of a device's digests.
pub fn digest_key(cx: &Read, device: DeviceId) -> Result<[u8; 32]> {
    cx.sign("allow list", &device.0.to_bytes())
}

/// What a device has.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct AllowListFilters {
    /// The `listVersion` that the device has; the whole list is returned when absent.
    since: Option<Text<2000>>,
}

/// An admissible client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct ListEntry {
    /// HMAC-SHA256 with the device's `digestKey` of the kind, a colon and the number, in hexadecimal digits.
    digest: String,
    /// Kind of credential.
    kind: AccessKind,
    /// The zones that it opens; empty where the device guards the location as a whole.
    zones: Vec<String>,
    /// The hours in which it does: the key of a schedule.
    schedule: String,
    /// Instant from which the entry is valid.
    valid_from: Option<Timestamp>,
    /// Instant until which the entry is valid.
    valid_until: Option<Timestamp>,
}

/// When doors may open, as instants.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Schedule {
    /// Key of the schedule.
    schedule: String,
    /// Open intervals in order, within the location's opening hours.
    open: Vec<Hours>,
}

/// A stretch of time in which doors may open.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Hours {
    /// Start of the interval.
    from: Timestamp,
    /// End of the interval, exclusive.
    until: Timestamp,
}

/// A zone whose rules a list cannot express.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct OnlineOnly {
    /// Zone; null for the whole location.
    zone: Option<String>,
    /// The conditions that only the server can check.
    #[serde(rename = "asks")]
    required_credential: &'static str,
}

/// The credentials that a device may admit offline.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AllowList {
    /// The current version, for the next `since`.
    list_version: String,
    /// Whether the whole list is returned; the device then replaces its list.
    is_complete: bool,
    /// If incomplete: the parts of the list that are returned, by the first two digits of their
    /// digests. The device replaces these parts.
    replaces: Vec<String>,
    /// Credentials that may be admitted. Entries with the same digest each admit on their own.
    entries: Vec<ListEntry>,
    /// When: each time whole.
    schedules: Vec<Schedule>,
    /// Zones that the list opens for no one.
    online_only: Vec<OnlineOnly>,
    /// When the list expires; the device then follows its `offlinePolicy`.
    expires_at: Timestamp,
}

record! {
    /// A credential of an active client.
    struct ListedCredential {
        client_id: ClientId,
        kind: AccessKind,
        sealed_number: Vec<u8>,
        valid_from: Option<Timestamp>,
        valid_until: Option<Timestamp>,
    }
}

/// The zones of a device that a list can open, and those that it cannot.
fn zones(cx: &mut Read, device: &Device) -> Result<(Vec<ZoneContext>, Vec<OnlineOnly>)> {
    let (mut open, mut online_only) = (Vec::new(), Vec::new());
    let names: Vec<String> = match device.zones.0.as_slice() {
        [] => vec![String::new()],
        zones => zones.to_vec(),
    };
    for name in names {
        let place = ZoneContext::find(cx, device.location_id, &name)?;
        let calls = match (place.zone.needs_booking, place.zone.capacity) {
            (true, _) => "booking",
            (false, Some(_)) => "capacity",
            (false, None) => {
                open.push(place);
                continue;
            }
        };
        online_only.push(OnlineOnly {
            zone: Some(name).filter(|name| !name.is_empty()),
            required_credential: calls,
        });
    }
    Ok((open, online_only))
}

/// A schedule's key: the same hours have the same one.
fn key_of(hours: &str) -> String {
    hex(&vault::digest_of(hours.as_bytes())[..6])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The number of the part that an entry belongs to.
fn part_of(entry: &ListEntry) -> usize {
    entry.digest.get(..2).and_then(|digits| usize::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// The version of a list: a digest of each part.
fn version_of(parts: &[Vec<ListEntry>]) -> Result<Vec<u8>> {
    let mut version = Vec::with_capacity(PARTS * PART_BYTES);
    for part in parts {
        let text = serde_json::to_string(part).map_err(Problem::internal)?;
        version.extend_from_slice(&vault::digest_of(text.as_bytes())[..PART_BYTES]);
    }
    Ok(version)
}

/// Everybody whom the list admits, in parts, with their hours.
fn admissible_clients(
    cx: &mut Read,
    device: &Device,
    places: &[ZoneContext],
    range: Span,
) -> Result<(Vec<Vec<ListEntry>>, Vec<Schedule>)> {
    let mut parts = vec![Vec::new(); PARTS];
    let Some(first) = places.first().filter(|_| device.direction != PassageDirection::Out) else {
        return Ok((parts, Vec::new()));
    };
    let open = match first.location.is_active() {
        true => cx.timetable()?.open(cx, first.id(), range)?,
        false => Vec::new(),
    };
    let mut answered: Vec<Option<BTreeSet<ClientId>>> = Vec::new();
    for place in places {
        answered.push(match place.zone.form_id {
            Some(form) => Some(cx.forms()?.who_answered(cx, form)?.into_iter().collect()),
            None => None,
        });
    }
    let memberships = cx.admissions()?.memberships(cx)?;
    let key = digest_key(cx, device.device_id)?;
    let company_zone = cx.zone()?;
    let mut schedules: BTreeMap<String, Schedule> = BTreeMap::new();
    let credentials: Vec<ListedCredential> = cx.all(CREDENTIALS, params![])?;
    for own in credentials {
        let Some(ways) = memberships.get(&own.client_id) else { continue };
        let mut digest = None;
        for way in ways {
            let zones = places.iter().zip(&answered).filter(|(place, answered)| {
                is_of_place(&way.limits, place.id(), place.zone())
                    && (!way.owes || place.zone.admits_overdue)
                    && answered.as_ref().is_none_or(|who| who.contains(&own.client_id))
            });
            let zones: Vec<String> = zones.map(|(place, _)| place.zone().to_owned()).collect();
            if zones.is_empty() {
                continue;
            }
            if digest.is_none() {
                let number = cx.unsealed(&own.sealed_number)?;
                let text = [own.kind.word().as_bytes(), b":", &number].concat();
                digest = Some(hex(&vault::keyed(&key, &text)?));
            }
            let hours = serde_json::to_string(&way.limits.hours).map_err(Problem::internal)?;
            let schedule = key_of(&hours);
            schedules.entry(schedule.clone()).or_insert_with(|| {
                let spans = shared(&open, &hours_within(&way.limits.hours, first, range));
                let hours = |span: &Span| Hours { from: span.start, until: span.end };
                Schedule { schedule: schedule.clone(), open: spans.iter().map(hours).collect() }
            });
            let ends = way.until.map(|until| until.start_in(&company_zone));
            let valid_until = own.valid_until.into_iter().chain(ends).min();
            let entry = ListEntry {
                digest: digest.clone().unwrap_or_default(),
                kind: own.kind,
                zones: zones.into_iter().filter(|zone| !zone.is_empty()).collect(),
                schedule,
                valid_from: own.valid_from,
                valid_until,
            };
            parts[part_of(&entry)].push(entry);
        }
    }
    parts.iter_mut().for_each(|part| {
        part.sort();
        part.dedup();
    });
    Ok((parts, schedules.into_values().collect()))
}

fn get_allow_list(cx: &mut Read, Query(request): Query<AllowListFilters>) -> Result<AllowList> {
    let device = Device::from_caller(cx)?;
    let expires_at = cx.now().plus_seconds(GOOD_SECONDS);
    let (places, online_only) = zones(cx, &device)?;
    let range = Span::new(cx.now(), expires_at);
    let (parts, schedules) = admissible_clients(cx, &device, &places, range)?;
    let version = version_of(&parts)?;
    let known = request.since.and_then(|text| URL_SAFE_NO_PAD.decode(text.as_bytes()).ok());
    let known = known.filter(|known| known.len() == version.len());
    let is_complete = known.is_none();
    let changed = |part: usize| {
        let of = part * PART_BYTES..(part + 1) * PART_BYTES;
        known.as_ref().is_none_or(|known| known[of.clone()] != version[of])
    };
    let output: Vec<usize> = (0..PARTS).filter(|part| changed(*part)).collect();
    Ok(AllowList {
        is_complete,
        replaces: match is_complete {
            true => Vec::new(),
            false => output.iter().map(|part| format!("{part:02x}")).collect(),
        },
        entries: output.iter().flat_map(|part| parts[*part].iter().cloned()).collect(),
        list_version: URL_SAFE_NO_PAD.encode(&version),
        schedules,
        online_only,
        expires_at,
    })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([operation!(device GET "/access/allow-list", get_allow_list)
        .summary("Get the offline allow-list")
        .describe(
            "Returns the cards and phones that the device may admit without a network: those \
                 of members whose membership is running and paid. PINs, codes, passes, credits, \
                 bookings and zones with a capacity need the server. Ask the server first; decide \
                 by the list after 800 ms without an answer. Poll every minute with the \
                 `listVersion` that the device has.",
        )])
}

statements! {
    CREDENTIALS = "SELECT a.client_id, a.kind, a.sealed_number, a.valid_from, a.valid_until \
        FROM access_credential a \
        JOIN client c ON c.company_id = a.company_id AND c.client_id = a.client_id \
        WHERE a.company_id = ?1 AND a.status = 'active' AND a.kind IN ('card', 'mobile') \
        AND a.sealed_number IS NOT NULL AND c.relationship_status = 'active' AND c.erased_at IS NULL \
        AND NOT EXISTS (SELECT 1 FROM access_block b WHERE b.company_id = ?1 AND b.client_id = a.client_id) \
        ORDER BY a.credential_id LIMIT 50000";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(digest: &str, zone: &str) -> ListEntry {
        ListEntry {
            digest: digest.to_owned(),
            kind: AccessKind::Card,
            zones: vec![zone.to_owned()],
            schedule: key_of("[]"),
            valid_from: None,
            valid_until: None,
        }
    }

    #[test]
    fn a_version_identifies_changed_parts() {
        let mut parts = vec![Vec::new(); PARTS];
        parts[part_of(&entry("0a77", "gym"))].push(entry("0a77", "gym"));
        let before = version_of(&parts).unwrap();
        assert_eq!(part_of(&entry("ff00", "gym")), 255);
        parts[255].push(entry("ff00", "gym"));
        let after = version_of(&parts).unwrap();
        let differ = |part: usize| before[part * 4..part * 4 + 4] != after[part * 4..part * 4 + 4];
        assert_eq!((0..PARTS).filter(|part| differ(*part)).collect::<Vec<_>>(), [255]);
    }
}
