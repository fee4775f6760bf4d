//! Retention of access logs, as set by the operator.

use spotter_contract::{Area, Env, Write};
use spotter_kernel::{
    Result, Timestamp,
    id::{ClientId, CompanyId},
};
use spotter_store::{Tx, params, statements};

use crate::{
    scan::{self, AccessScanId},
    visit::{self, VisitId},
};

/// Rows that are deleted in one step.
pub const STEP: u64 = 200;

/// A company, after this one, that has something older than an instant.
pub fn next_company(
    tx: &mut Tx<'_>,
    after: Option<CompanyId>,
    before: Timestamp,
) -> Result<Option<CompanyId>> {
    let after = after.map_or_else(String::new, |company| company.to_string());
    let found: Option<(CompanyId,)> = tx.one(COMPANIES, params![after, before])?;
    Ok(found.map(|(company,)| company))
}

/// Forgets some scans and visits of a company that are older than an instant; how many.
pub fn prune(tx: &mut Tx<'_>, env: &Env, company: CompanyId, before: Timestamp) -> Result<u64> {
    let mut gone = 0;
    Write::as_system(tx, env, company, "forget_access_scans", &[], |cx| {
        gone = forget(cx, before)?;
        Ok(())
    })?;
    Ok(gone)
}

fn forget(cx: &mut Write, before: Timestamp) -> Result<u64> {
    let most = STEP as i64;
    let scans: Vec<(AccessScanId, Option<ClientId>)> = cx.all(OLD_SCANS, params![before, most])?;
    for (id, client) in &scans {
        cx.defer(FORGET_SCAN, params![id])?;
        for subject in scan::subjects(*client) {
            cx.tally(&subject, -1)?;
        }
    }
    let visits: Vec<(VisitId, ClientId)> = cx.all(OLD_VISITS, params![before, most])?;
    for (id, client) in &visits {
        cx.defer(FORGET_VISIT, params![id])?;
        for subject in visit::subjects(*client) {
            cx.tally(&subject, -1)?;
        }
    }
    cx.defer(FORGET_PRESENCE, params![before])?;
    Ok(scans.len().max(visits.len()) as u64)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    COMPANIES = "SELECT c.company_id FROM company c WHERE c.company_id > ?1 AND (\
        EXISTS (SELECT 1 FROM access_scan s WHERE s.company_id = c.company_id AND s.occurred_at < ?2) \
        OR EXISTS (SELECT 1 FROM visit v WHERE v.company_id = c.company_id AND v.entered_at < ?2)) \
        ORDER BY c.company_id LIMIT 1";
    OLD_SCANS = "SELECT access_scan_id, client_id FROM access_scan WHERE company_id = ?1 AND occurred_at < ?2 \
        ORDER BY occurred_at LIMIT ?3";
    OLD_VISITS = "SELECT visit_id, client_id FROM visit WHERE company_id = ?1 AND entered_at < ?2 \
        ORDER BY entered_at LIMIT ?3";
    FORGET_SCAN = "DELETE FROM access_scan WHERE company_id = ?1 AND access_scan_id = ?2";
    FORGET_VISIT = "DELETE FROM visit WHERE company_id = ?1 AND visit_id = ?2";
    FORGET_PRESENCE = "DELETE FROM access_presence WHERE company_id = ?1 AND (location_id, zone, client_id) IN \
        (SELECT location_id, zone, client_id FROM access_presence WHERE company_id = ?1 AND moved_at < ?2 \
        ORDER BY moved_at LIMIT 500)";
}
