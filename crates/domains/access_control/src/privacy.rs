//! Privacy: what a data export contains of a client's access, of which nothing remains after erasure.

use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection, Write};
use spotter_kernel::{Id, Result, id::ClientId};
use spotter_store::{params, statements};

use crate::{scan, visit};

/// Rows that are erased at a time.
const SOME: i64 = 500;

fn erase_scans(cx: &mut Write, client: Id) -> Result<bool> {
    let gone = cx.execute(SCANS, params![client, SOME])?;
    cx.tally(scan::TALLY, -(gone as i64))?;
    cx.forget_tally(&scan::subject_of(ClientId(client)))?;
    Ok(gone as i64 == SOME)
}

fn erase_visits(cx: &mut Write, client: Id) -> Result<bool> {
    let gone = cx.execute(VISITS, params![client, SOME])?;
    cx.tally(visit::TALLY, -(gone as i64))?;
    cx.forget_tally(&visit::subject_of(ClientId(client)))?;
    Ok(gone as i64 == SOME)
}

const TRACES: &[ErasureRule] = &[
    ErasureRule::gone("access_credential", ErasureAction::By(CREDENTIALS)),
    ErasureRule::gone("access_block", ErasureAction::By(BLOCK)),
    ErasureRule::gone("access_presence", ErasureAction::By(PRESENCE)),
    ErasureRule::gone("access_scan", ErasureAction::Run(erase_scans)),
    ErasureRule::gone("visit", ErasureAction::Run(erase_visits)),
];

const EXPORTS: &[ExportSection] = &[
    ExportSection::of("access-block", "get_access_block"),
    ExportSection::of("access-credentials", "list_access_credentials"),
    ExportSection::of("access-scans", "list_access_scans"),
    ExportSection::of("visits", "list_visits"),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).erases(TRACES).exports(EXPORTS)
}

statements! {
    CREDENTIALS = "DELETE FROM access_credential WHERE company_id = ?1 AND client_id = ?2";
    BLOCK = "DELETE FROM access_block WHERE company_id = ?1 AND client_id = ?2";
    PRESENCE = "DELETE FROM access_presence WHERE company_id = ?1 AND client_id = ?2";
    SCANS = "DELETE FROM access_scan WHERE company_id = ?1 AND access_scan_id IN (SELECT access_scan_id \
        FROM access_scan WHERE company_id = ?1 AND client_id = ?2 ORDER BY access_scan_id LIMIT ?3)";
    VISITS = "DELETE FROM visit WHERE company_id = ?1 AND visit_id IN (SELECT visit_id \
        FROM visit WHERE company_id = ?1 AND client_id = ?2 ORDER BY visit_id LIMIT ?3)";
}
