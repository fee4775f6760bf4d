//! Scans: requests of devices and their results. The log that managers read, and clients of their own.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, ListQuery, Read, Write, listed, operation};
use spotter_devices::{DeviceId, device::PassageDirection};
use spotter_kernel::{
    Key, Problem, Result, Rule, Timestamp,
    id::{ClientId, LocationId},
    id_type,
};
use spotter_store::{List, filters, lists, params, record, set, statements, stored_ids, values};

use crate::{
    credential::{AccessKind, CredentialId},
    decision::{Decision, DenialReason},
    visit::VisitId,
};

id_type!(
    /// An entry of the access log.
    AccessScanId,
    RequestInvalid
);
stored_ids!(AccessScanId);

record! {
    /// A scan: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Scan {
        /// Its place in the log.
        pub access_scan_id: AccessScanId,
        /// The device.
        pub device_id: DeviceId,
        /// The device's own id of the scan.
        pub scan_id: String,
        /// A fingerprint of the request, to recognize a repetition.
        pub fingerprint: Vec<u8>,
        /// Where the door is.
        pub location_id: LocationId,
        /// At which zone; empty for the location as a whole.
        pub zone: String,
        /// Direction of the passage: in or out.
        pub direction: PassageDirection,
        /// Kind of credential.
        pub kind: AccessKind,
        /// The purchase or booking that granted access.
        pub credential_id: Option<CredentialId>,
        /// Client whose credential was read.
        pub client_id: Option<ClientId>,
        /// Whether access was allowed.
        pub decision: Decision,
        /// Why access was denied.
        pub reason: Option<DenialReason>,
        /// Whether the device decided it by itself.
        pub offline: bool,
        /// What the server would have decided.
        pub would_have_been: Option<Decision>,
        /// Whether the client was inside already.
        pub passback_broken: bool,
        /// Whether it arrived too late to have effects.
        pub stale: bool,
        /// The visit that it belongs to.
        pub visit_id: Option<VisitId>,
        /// When, by the server's clock.
        pub occurred_at: Timestamp,
        /// When, by the device's.
        pub device_time: Option<Timestamp>,
        /// Whether that is more than five minutes off.
        pub clock_is_off: bool,
        /// The list that it decided by.
        pub list_version: Option<String>,
        /// The answer to the device.
        pub answer: Option<String>,
        /// When it was received.
        pub received_at: Timestamp,
    }
}

/// The subject of the total of all scans.
pub const TALLY: &str = "accessScans";

/// Under what the scans of one client are counted.
pub fn subject_of(client: ClientId) -> String {
    format!("{TALLY}?clientId={client}")
}

/// Under what a scan is counted.
pub fn subjects(client: Option<ClientId>) -> Vec<String> {
    let of_client = client.map(subject_of);
    [TALLY.to_owned()].into_iter().chain(of_client).collect()
}

impl Scan {
    /// Asks ahead for the earlier scan of a device under this id.
    pub fn ask_ahead(cx: &mut Read, device: DeviceId, scan: &str) -> Result<()> {
        cx.ask_ahead(OF_DEVICE, params![device, scan])
    }

    /// The earlier scan of a device under this id.
    pub fn of_device(cx: &mut Read, device: DeviceId, scan: &str) -> Result<Option<Self>> {
        cx.one(OF_DEVICE, params![device, scan])
    }

    /// Saves changes; its device and id stay.
    pub fn save(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.params())
    }

    /// Keeps it.
    pub fn insert(&self, cx: &mut Write) -> Result<()> {
        cx.defer(INSERT, &self.params())?;
        for subject in subjects(self.client_id) {
            cx.tally(&subject, 1)?;
        }
        Ok(())
    }
}

/// An entry of the access log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AccessScan {
    access_scan_id: AccessScanId,
    device_id: DeviceId,
    /// The device's own id of the scan.
    scan_id: String,
    location_id: LocationId,
    /// Zone; null for the whole location.
    zone: Option<String>,
    /// Direction of the passage: in or out.
    direction: PassageDirection,
    /// Kind of credential.
    kind: AccessKind,
    /// Null if the credential is unknown.
    credential_id: Option<CredentialId>,
    /// Null if the credential is unknown.
    client_id: Option<ClientId>,
    decision: Decision,
    /// Reason for the denial.
    reason: Option<DenialReason>,
    /// Whether the device decided offline.
    offline: bool,
    /// The decision that the server would have made; null if the server decided.
    would_have_been: Option<Decision>,
    /// Whether the client was inside already, where that is noted.
    passback_broken: bool,
    /// Whether it was uploaded more than seven days later and had no effect.
    stale: bool,
    visit_id: Option<VisitId>,
    /// When, by the server's clock.
    occurred_at: Timestamp,
    /// When, by the device's clock.
    device_time: Option<Timestamp>,
    /// Whether the device's clock was more than five minutes off.
    clock_is_off: bool,
    /// When the server received it.
    received_at: Timestamp,
}

impl From<Scan> for AccessScan {
    fn from(own: Scan) -> Self {
        Self {
            access_scan_id: own.access_scan_id,
            device_id: own.device_id,
            scan_id: own.scan_id,
            location_id: own.location_id,
            zone: Some(own.zone).filter(|zone| !zone.is_empty()),
            direction: own.direction,
            kind: own.kind,
            credential_id: own.credential_id,
            client_id: own.client_id,
            decision: own.decision,
            reason: own.reason,
            offline: own.offline,
            would_have_been: own.would_have_been,
            passback_broken: own.passback_broken,
            stale: own.stale,
            visit_id: own.visit_id,
            occurred_at: own.occurred_at,
            device_time: own.device_time,
            clock_is_off: own.clock_is_off,
            received_at: own.received_at,
        }
    }
}

listed!(AccessScans { access_scans: AccessScan });

filters! {
    struct Filters {
        /// Scans of this client.
        client_id: ClientId => "client_id = ?";
        /// Scans at this device.
        device_id: DeviceId => "device_id = ?";
        /// Scans with this outcome.
        decision: Decision => "decision = ?";
        /// Scans at or after this instant.
        from: Timestamp => "occurred_at >= ?";
        /// Scans before this instant.
        to: Timestamp => "occurred_at < ?";
    }
}

fn list_access_scans(
    cx: &mut Read,
    ListQuery(mut wanted, page): ListQuery<Filters>,
) -> Result<AccessScans> {
    if let (Some(from), Some(to)) = (wanted.from, wanted.to)
        && to < from
    {
        return Err(Problem::field(Key::DateRangeOrderInvalid, "to", Rule::BeforeStart));
    }
    wanted.client_id = cx.narrowed(wanted.client_id)?;
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

/// Fields of an entry that clients do not see.
const STAFFS: &[&str] = &["deviceTime", "clockIsOff", "wouldHaveBeen", "passbackBroken", "stale"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(app GET "/access-scans", Manager, list_access_scans)
            .summary("List access scans")
            .describe(
                "Returns the access log, latest first. Scans are kept as long as the operator \
                 sets, 180 days by default.",
            )
            .for_own(STAFFS),
    ])
}

lists! {
    /// Every scan, the latest first.
    LIST: List<Scan, Filters> = List::new(
        "access_scan WHERE company_id = ?1",
        "occurred_at DESC, access_scan_id DESC",
    ).tallied(TALLY);
}

statements! {
    OF_DEVICE = "SELECT ", Scan::COLUMNS, " FROM access_scan WHERE company_id = ?1 AND device_id = ?2 \
        AND scan_id = ?3";
    INSERT = "INSERT INTO access_scan ", values!(Scan);
    SAVE = "UPDATE access_scan SET ", set!(Scan), " WHERE company_id = ?1 AND access_scan_id = ?2";
}
