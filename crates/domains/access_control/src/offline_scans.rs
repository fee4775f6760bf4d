//! Late scans: decisions of a device while it was offline. They are not decided again. Their effects, visits and
//! attendance, depend on when they happened, apply once, and do not depend on their order. No credits or days are
//! taken, because the device's list does not include those.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Write, operation};
use spotter_devices::{Device, device::PassageDirection, heartbeats};
use spotter_kernel::{Many, Result, Timestamp, text::Text};
use spotter_store::words;

use crate::{
    check::{CHECK_IN, GivenCredential, code_for, fingerprint, moved, resolve},
    credential::AccessKind,
    decision::{Decision, DenialReason, PresentedCredential, decide, starts_around},
    presence,
    scan::{AccessScanId, Scan},
    visit::VisitId,
    zone_context::{ZoneContext, way_of, zone_of},
};

/// So old that nothing follows from it any more, in days.
const STALE_DAYS: i64 = 7;
/// A clock that is off by no more is taken as right, in milliseconds.
const RIGHT_MS: i64 = 2_000;

/// A scan that a device decided by itself.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LateScan {
    /// The device's own id of the scan.
    scan_id: Text<64>,
    /// The presented credential.
    credential: GivenCredential,
    /// When, by the device's clock.
    occurred_at: Timestamp,
    /// Decision of the device.
    decision: Decision,
    /// Zone, for devices with several.
    zone: Option<Text<60>>,
    /// Direction, for devices with both.
    direction: Option<PassageDirection>,
    /// The list that it decided by; absent where it had none.
    list_version: Option<Text<2000>>,
}

/// Scans that a device decided while offline.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "OfflineScans")]
struct LateScans {
    /// The device's current time, by which the times of scans are corrected.
    sent_at: Timestamp,
    /// 1 to 100 scans.
    scans: Many<LateScan, 1, 100>,
}

words! {
    /// The result of a late scan: *recorded*; *known* from an identical scan; *stale*, too old to have effects; a
    /// *conflict* with another scan of the same id; *invalid*, where its zone or direction does not exist at the
    /// device: `rule` says which.
    enum LateResult {
        Recorded = "recorded",
        Known = "known",
        Stale = "stale",
        Conflict = "conflict",
        Invalid = "invalid",
    }
}

/// The result of an offline scan.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfflineScanResult {
    /// The device's own id of the scan.
    scan_id: String,
    /// `recorded`; `known` from before; `stale`, older than seven days, so that it has no effects; a `conflict` with
    /// another scan of the same id; or `invalid`, and `rule` says why.
    result: LateResult,
    /// The violated rule and its field; null unless the result is `invalid`.
    rule: Option<String>,
    /// The decision that the server would have made, as far as is known now. For PINs, it, the
    /// reason and the visit are only in the log, so that PINs cannot be guessed here.
    would_have_been: Option<Decision>,
    /// Reason for the denial.
    reason: Option<DenialReason>,
    /// The visit that it belongs to.
    visit_id: Option<VisitId>,
    /// When it happened, by the server's clock.
    occurred_at: Timestamp,
}

/// The results of offline scans.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LateAnswer {
    /// Results in the order of the request.
    results: Vec<OfflineScanResult>,
    /// Milliseconds by which the device's clock lags behind the server.
    clock_skew_ms: i64,
}

/// When something happened by the server's clock: a clock that is off is put right, and nothing happens later than now.
fn corrected_time(reported: Timestamp, skew: i64, now: Timestamp) -> Timestamp {
    let skew = if skew.abs() > RIGHT_MS { skew } else { 0 };
    Timestamp::from_millis(reported.millis().saturating_add(skew).min(now.millis()))
}

fn record(cx: &mut Write, device: &Device, late: LateScan, skew: i64) -> Result<OfflineScanResult> {
    let kind = late.credential.kind;
    let mut output = write_down(cx, device, late, skew)?;
    if kind == AccessKind::Pin {
        (output.would_have_been, output.reason, output.visit_id) = (None, None, None);
    }
    Ok(output)
}

fn write_down(
    cx: &mut Write,
    device: &Device,
    late: LateScan,
    skew: i64,
) -> Result<OfflineScanResult> {
    let now = cx.now();
    let at = corrected_time(late.occurred_at, skew, now);
    let mut output = OfflineScanResult {
        scan_id: late.scan_id.to_string(),
        result: LateResult::Invalid,
        rule: None,
        would_have_been: None,
        reason: None,
        visit_id: None,
        occurred_at: at,
    };
    let whither = zone_of(device, late.zone.as_deref())
        .and_then(|zone| way_of(device, late.direction).map(|direction| (zone, direction)));
    let (zone, direction) = match whither {
        Ok(found) => found,
        Err(wrong) => {
            output.rule = Some(wrong.message);
            return Ok(output);
        }
    };
    let kind = late.credential.kind;
    let occurred = late.occurred_at.to_string();
    let fields = [
        kind.word(),
        &late.credential.number,
        &zone,
        direction.word(),
        &occurred,
        late.decision.word(),
    ];
    let fingerprint = fingerprint(cx, &fields)?;
    if let Some(known) = Scan::of_device(cx, device.device_id, &late.scan_id)? {
        let code = code_for(&late.credential, &zone, direction);
        if !known.offline && known.fingerprint == self::fingerprint(cx, &code)? {
            let fingerprint =
                if known.decision == late.decision { None } else { Some(fingerprint) };
            return conflicting_answer(cx, known, &late, fingerprint, output, skew);
        }
        let same = known.fingerprint == fingerprint;
        output.result = if same { LateResult::Known } else { LateResult::Conflict };
        if same {
            output.visit_id = known.visit_id;
            output.would_have_been = known.would_have_been;
            output.reason = known.reason;
            output.occurred_at = known.occurred_at;
        }
        return Ok(output);
    }
    let place = ZoneContext::find(cx, device.location_id, &zone)?;
    let presented = resolve(cx, &late.credential, at)?;
    let stale = at < now.plus_days(-STALE_DAYS);
    let refusal = match (&presented, direction) {
        (_, PassageDirection::Out) => None,
        (None, _) => Some(DenialReason::CredentialUnknown),
        (Some(presented), _) => decide(cx, presented, &place, device, at, false)?.refusal(),
    };
    if let (Some(presented), Decision::Allow, false) = (&presented, late.decision, stale) {
        output.visit_id = follow(cx, &place, presented, direction, at)?;
    }
    output.result = if stale { LateResult::Stale } else { LateResult::Recorded };
    output.would_have_been = Some(if refusal.is_none() { Decision::Allow } else { Decision::Deny });
    output.reason = refusal;
    let scan = Scan {
        access_scan_id: AccessScanId(cx.new_id()),
        device_id: device.device_id,
        scan_id: late.scan_id.into_string(),
        fingerprint,
        location_id: place.id(),
        zone,
        direction,
        kind,
        credential_id: presented.as_ref().map(|presented| presented.credential.credential_id),
        client_id: presented.as_ref().map(|presented| presented.credential.client_id),
        decision: late.decision,
        reason: output.reason,
        offline: true,
        would_have_been: output.would_have_been,
        passback_broken: false,
        stale,
        visit_id: output.visit_id,
        occurred_at: at,
        device_time: Some(late.occurred_at),
        clock_is_off: skew.abs() > heartbeats::CLOCK_OFF_MS,
        list_version: late.list_version.map(Into::into),
        answer: None,
        received_at: now,
    };
    scan.insert(cx)?;
    Ok(output)
}

/// A scan that the server decided and whose answer the device never received: the device's own decision is what
/// happened. Where both agree, nothing changes.
fn conflicting_answer(
    cx: &mut Write,
    known: Scan,
    late: &LateScan,
    fingerprint: Option<Vec<u8>>,
    mut output: OfflineScanResult,
    skew: i64,
) -> Result<OfflineScanResult> {
    let at = output.occurred_at;
    output.would_have_been = Some(known.decision);
    output.reason = known.reason;
    output.visit_id = known.visit_id;
    let Some(fingerprint) = fingerprint else {
        output.result = LateResult::Known;
        output.occurred_at = known.occurred_at;
        return Ok(output);
    };
    let stale = at < cx.now().plus_days(-STALE_DAYS);
    if late.decision == Decision::Allow && !stale {
        let place = ZoneContext::find(cx, known.location_id, &known.zone)?;
        if let Some(view) = resolve(cx, &late.credential, at)? {
            output.visit_id = follow(cx, &place, &view, known.direction, at)?;
        }
    }
    // A client who was admitted here and found the door shut is not inside.
    if let (Decision::Deny, Decision::Allow, Some(client), false) =
        (late.decision, known.decision, known.client_id, stale)
        && known.direction != PassageDirection::Out
    {
        let place = ZoneContext::find(cx, known.location_id, &known.zone)?;
        presence::note(cx, &place, client, false, known.occurred_at, None)?;
    }
    output.result = if stale { LateResult::Stale } else { LateResult::Recorded };
    let scan = Scan {
        fingerprint,
        decision: late.decision,
        would_have_been: Some(known.decision),
        offline: true,
        stale,
        visit_id: output.visit_id,
        occurred_at: at,
        device_time: Some(late.occurred_at),
        clock_is_off: skew.abs() > heartbeats::CLOCK_OFF_MS,
        list_version: late.list_version.as_ref().map(|version| version.to_string()),
        ..known
    };
    scan.save(cx)?;
    Ok(output)
}

/// The effects of an entry or exit.
fn follow(
    cx: &mut Write,
    place: &ZoneContext,
    presented: &PresentedCredential,
    direction: PassageDirection,
    at: Timestamp,
) -> Result<Option<VisitId>> {
    let client = presented.credential.client_id;
    let visit = moved(cx, place, client, direction, at, presented.code)?;
    if direction != PassageDirection::Out {
        let timetable = cx.timetable()?;
        for booking in timetable.expected(cx, client, place.id(), starts_around(at))? {
            timetable.arrived(cx, booking)?;
        }
    }
    Ok(visit.map(|visit| visit.visit_id))
}

fn record_late_scans(cx: &mut Write, Body(new): Body<LateScans>) -> Result<LateAnswer> {
    let mut device = Device::from_caller(cx)?;
    heartbeats::record_contact(cx, &mut device)?;
    let skew = heartbeats::skew(cx.now(), new.sent_at);
    let mut results = Vec::with_capacity(new.scans.len());
    for late in new.scans {
        results.push(record(cx, &device, late, skew)?);
    }
    cx.set_audit_target("access_device", device.device_id, ["lateScans"]);
    Ok(LateAnswer { results, clock_skew_ms: skew })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([operation!(device POST "/access/scans/late", record_late_scans)
        .summary("Upload offline scans")
        .describe(
            "Records up to 100 scans that the device decided without a network, in any order; \
                 each gets a result of its own. The device's decision stands. Visits and \
                 attendance follow from when each scan happened, and are written once.",
        )
        .emits(CHECK_IN)
        .always(&[])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_times_of_a_fast_clock_are_corrected() {
        let at = Timestamp::from_millis;
        let now = at(1_000_000);
        assert_eq!(corrected_time(at(900_000), 1_500, now), at(900_000), "near enough");
        assert_eq!(corrected_time(at(900_000), 50_000, now), at(950_000));
        assert_eq!(corrected_time(at(900_000), -50_000, now), at(850_000));
        assert_eq!(corrected_time(at(2_000_000), 0, now), now);
        assert_eq!(corrected_time(at(999_000), i64::MAX, now), now);
    }
}
