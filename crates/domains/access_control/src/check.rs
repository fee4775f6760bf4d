//! Access checks: a device asks whether to open. Every answer can be acted on: a denial is a 200 with a reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::company::Company;
use spotter_contract::{
    Actor, Area, Body, Read, Write, entitlement::BookingEntitlement, operation, settling,
};
use spotter_devices::{Device, DeviceId, device::PassageDirection, heartbeats};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, Verdict, id::ClientId, text::Text};
use spotter_people::clients::Client;

use crate::{
    code::CodeContent,
    credential::{AccessCredential, AccessKind, normalized},
    decision::{AdmissionBasis, Decision, DenialReason, PresentedCredential, decide},
    lockout, messages, presence,
    rules::AccessControlRule,
    scan::{AccessScanId, Scan},
    visit::{Visit, VisitId},
    zone_context::{ZoneContext, way_of, zone_of},
};

/// The credential presented to a device.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "PresentedCredential")]
pub struct GivenCredential {
    /// How the client identified themselves.
    pub kind: AccessKind,
    /// Number, or the content of the code for `qr`.
    pub number: Text<200>,
}

/// A scan at a door that waits for a decision.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewScan {
    /// Id of the scan, unique per device. Repeating it returns the same decision.
    scan_id: Text<64>,
    /// The presented credential.
    credential: GivenCredential,
    /// Zone, for devices with several.
    zone: Option<Text<60>>,
    /// Direction, for devices with both.
    direction: Option<PassageDirection>,
}

/// The client of a scan.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScannedClient {
    client_id: ClientId,
    /// The first name.
    display_name: String,
}

/// The decision on a scan.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScannedCredential {
    /// The device's own id of the scan.
    scan_id: String,
    /// Whether the door opens.
    decision: Decision,
    /// Reason for the denial; null if admitted. For the device and the log, not for display.
    reason: Option<DenialReason>,
    /// Text for the display, which bystanders can read.
    display_text: String,
    /// The client of the credential; null if the credential is unknown, and when leaving by PIN.
    client: Option<ScannedClient>,
    /// The visit that it belongs to.
    visit_id: Option<VisitId>,
    /// Seconds for which the door stays open.
    open_seconds: i64,
    /// When it was decided.
    decided_at: Timestamp,
}

/// For how long a door is open.
const OPEN_SECONDS: i64 = 5;

/// The operation that a scan's idempotency key covers.
pub fn code_for<'a>(
    view: &'a GivenCredential,
    zone: &'a str,
    direction: PassageDirection,
) -> [&'a str; 4] {
    [view.kind.word(), &view.number, zone, direction.word()]
}

/// A fingerprint of the request that does not reveal the number.
pub fn fingerprint(cx: &Read, parts: &[&str]) -> Result<Vec<u8>> {
    Ok(cx.sign("access scan", parts.join("\n").as_bytes())?.to_vec())
}

/// The credential that was presented, if it exists.
pub fn resolve(
    cx: &mut Read,
    view: &GivenCredential,
    at: Timestamp,
) -> Result<Option<PresentedCredential>> {
    if view.kind == AccessKind::Qr {
        let Some(code) = CodeContent::read(cx, &view.number, at)? else { return Ok(None) };
        let found = AccessCredential::find_optional(cx, code.credential)?;
        let found = found.filter(|own| own.kind == AccessKind::Qr);
        return Ok(found.map(|credential| PresentedCredential { credential, code: Some(code) }));
    }
    let Ok(number) = normalized(view.kind, &view.number) else { return Ok(None) };
    let found = AccessCredential::by_number(cx, view.kind, &number, at)?;
    Ok(found.map(|credential| PresentedCredential { credential, code: None }))
}

/// The effects of an entry or exit: the visit, and presence.
pub fn moved(
    cx: &mut Write,
    place: &ZoneContext,
    client: ClientId,
    way: PassageDirection,
    at: Timestamp,
    code: Option<CodeContent>,
) -> Result<Option<Visit>> {
    let inside = way != PassageDirection::Out;
    presence::note(cx, place, client, inside, at, code.map(|code| code.step))?;
    if inside {
        return Visit::record_entry(cx, place, client, at).map(Some);
    }
    let Some(mut visit) = Visit::of(cx, place, client, at)? else { return Ok(None) };
    if visit.left_at.is_none_or(|left| left < at) {
        visit.left_at = Some(at);
        visit.save(cx)?;
    }
    Ok(Some(visit))
}

/// Takes the credit or day that pays for the visit, once per visit.
fn pay(
    cx: &mut Write,
    client: ClientId,
    place: &ZoneContext,
    visit: &mut Visit,
    by: &AdmissionBasis,
) -> Result<()> {
    let id = visit.visit_id.0;
    match by {
        AdmissionBasis::Product(way) => {
            cx.admissions()?.use_day(cx, client, way, id)?;
            visit.client_product_id.get_or_insert(way.client_product);
        }
        AdmissionBasis::Credits(units) if *units > 0 => {
            let pools = place.zone.credit_pools.0.clone();
            let taking =
                BookingEntitlement { booking: id, client, units: *units, pools, at: cx.now() };
            let booking_credits = cx.entitlements()?;
            booking_credits.hold(cx, &taking)?;
            booking_credits.consume(cx, &taking)?;
            visit.credits = *units;
        }
        AdmissionBasis::Credits(_) | AdmissionBasis::Booking => return Ok(()),
    }
    visit.save(cx)
}

/// Records an entry with its effects.
fn record_entry(
    cx: &mut Write,
    place: &ZoneContext,
    client: ClientId,
    code: Option<CodeContent>,
    by: &AdmissionBasis,
    bookings: &[Id],
) -> Result<Option<VisitId>> {
    let moved = moved(cx, place, client, PassageDirection::In, cx.now(), code)?;
    let Some(mut visit) = moved else { return Ok(None) };
    pay(cx, client, place, &mut visit, by)?;
    for booking in bookings {
        cx.timetable()?.arrived(cx, *booking)?;
    }
    Ok(Some(visit.visit_id))
}

/// Asks ahead for what a scan is about, as far as the request names it.
fn ask_ahead(cx: &mut Read, new: &NewScan) -> Result<()> {
    Company::ask_ahead(cx)?;
    if let Actor::Device { id, .. } = cx.caller().actor {
        Scan::ask_ahead(cx, DeviceId(id), &new.scan_id)?;
    }
    let (kind, now) = (new.credential.kind, cx.now());
    match normalized(kind, &new.credential.number) {
        Ok(number) if kind != AccessKind::Qr => AccessCredential::ask_ahead(cx, kind, &number, now),
        _ => Ok(()),
    }
}

fn scan_access(cx: &mut Write, Body(new): Body<NewScan>) -> Result<ScannedCredential> {
    ask_ahead(cx, &new)?;
    let mut device = Device::from_caller(cx)?;
    heartbeats::record_contact(cx, &mut device)?;
    let zone = zone_of(&device, new.zone.as_deref())?;
    let direction = way_of(&device, new.direction)?;
    let kind = new.credential.kind;
    let fingerprint = fingerprint(cx, &code_for(&new.credential, &zone, direction))?;
    if let Some(known) = Scan::of_device(cx, device.device_id, &new.scan_id)? {
        cx.set_audit_target("access_scan", known.access_scan_id, Vec::<String>::new());
        return match known.answer.filter(|_| known.fingerprint == fingerprint) {
            Some(answer) => serde_json::from_str(&answer).map_err(Problem::internal),
            None => Err(Problem::conflict("scanId", AccessControlRule::ScanReused)),
        };
    }
    let now = cx.now();
    let place = ZoneContext::find(cx, device.location_id, &zone)?;
    let locked = lockout::is_locked(cx, device.device_id, kind)?;
    let presented = if locked { None } else { resolve(cx, &new.credential, now)? };
    let client = presented.as_ref().map(|presented| presented.credential.client_id);
    let (mut visit_id, mut passback_broken) = (None, false);
    let outcome = match (&presented, direction) {
        // Nobody is locked in: there may be a fire.
        (presented, PassageDirection::Out) => {
            if let Some(presented) = presented {
                let moved =
                    moved(cx, &place, presented.credential.client_id, direction, now, None)?;
                visit_id = moved.map(|visit| visit.visit_id);
            }
            Ok(())
        }
        (None, _) if locked => Err(DenialReason::KeypadLocked),
        (None, _) => {
            lockout::count(cx, device.device_id, kind)?;
            Err(DenialReason::CredentialUnknown)
        }
        (Some(presented), _) => match decide(cx, presented, &place, &device, now, true)? {
            Verdict::Granted(admitted) => {
                let client = presented.credential.client_id;
                let (by, bookings) = (&admitted.by, &admitted.bookings);
                visit_id = record_entry(cx, &place, client, presented.code, by, bookings)?;
                passback_broken = admitted.passback_broken;
                Ok(())
            }
            Verdict::Refused(why) => Err(why),
        },
    };
    let language = Company::find(cx)?.language;
    let display_text = match outcome {
        Ok(()) => messages::to_admitted(&language, direction != PassageDirection::Out),
        Err(why) => messages::to_refused(&language, why),
    };
    // Exits are always allowed, so an exit reader would reveal whose PIN was guessed.
    let guessed = direction == PassageDirection::Out && kind == AccessKind::Pin;
    let named = match client.filter(|_| !guessed) {
        Some(id) => Client::find_optional(cx, id)?
            .map(|own| ScannedClient { client_id: id, display_name: own.first_name().to_owned() }),
        None => None,
    };
    let answer = ScannedCredential {
        scan_id: new.scan_id.to_string(),
        decision: if outcome.is_ok() { Decision::Allow } else { Decision::Deny },
        reason: outcome.err(),
        display_text: display_text.to_owned(),
        client: named,
        visit_id: visit_id.filter(|_| !guessed),
        open_seconds: if outcome.is_ok() { OPEN_SECONDS } else { 0 },
        decided_at: now,
    };
    let output = serde_json::to_string(&answer).map_err(Problem::internal)?;
    let scan = Scan {
        access_scan_id: AccessScanId(cx.new_id()),
        device_id: device.device_id,
        scan_id: new.scan_id.into_string(),
        fingerprint,
        location_id: place.id(),
        zone,
        direction,
        kind,
        credential_id: presented.as_ref().map(|presented| presented.credential.credential_id),
        client_id: client,
        decision: answer.decision,
        reason: answer.reason,
        offline: false,
        would_have_been: None,
        passback_broken,
        stale: false,
        visit_id,
        occurred_at: now,
        device_time: None,
        clock_is_off: false,
        list_version: None,
        answer: Some(output),
        received_at: now,
    };
    cx.set_audit_target("access_scan", scan.access_scan_id, ["accessScan"]);
    scan.insert(cx)?;
    Ok(answer)
}

/// What a scan may announce: attendance, and credits.
pub const CHECK_IN: &[spotter_kernel::Event] = settling![BookingUpdated];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(device POST "/access/scans", scan_access)
        .summary("Check a credential")
        .describe(
            "Decides whether to open. The status is 200 whether access is allowed or denied; \
                 `reason` is the first rule that failed, in the order in which the reasons are \
                 listed. Leaving is always allowed. An allowed entry writes the visit, charges \
                 for it once, and marks the bookings that the client came for as attended.",
        )
        .emits(CHECK_IN)
        .always(&[])
        .fails(&[Key::ApiError])])
}
