//! The companies of an installation, as its operator has them: listed, suspended and resumed. Nothing of what a company
//! keeps is read here.

use serde::Serialize;
use spotter_contract::{Area, Write, timers};
use spotter_kernel::{Result, Timestamp, id::CompanyId};
use spotter_store::{Tx, params, record, statements};

record! {
    /// A company in the operator's list.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct CompanyEntry {
        /// The company's id.
        pub company_id: CompanyId,
        /// Display name.
        pub name: String,
        /// When it was created.
        pub created_at: Timestamp,
        /// Since when it is suspended, if it is.
        pub suspended_at: Option<Timestamp>,
    }
}

impl CompanyEntry {
    /// What the operator has done with it.
    pub fn status(&self) -> CompanyStatus {
        match self.suspended_at {
            None => CompanyStatus::Active,
            Some(ERASING) => CompanyStatus::Erasing,
            Some(_) => CompanyStatus::Suspended,
        }
    }
}

/// What the operator has done with a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompanyStatus {
    /// Nothing: it is admitted.
    Active,
    /// Its people and integrations are kept out.
    Suspended,
    /// Its records are being deleted.
    Erasing,
}

/// Since when a company is suspended that is being erased.
pub(crate) const ERASING: Timestamp = Timestamp::from_millis(0);

/// Most companies on a page of the list.
pub const PAGE_MAX: i64 = 100;

/// Companies whose name contains a text, or all for an empty one, in the order of their creation: the first hundred after
/// one.
pub fn page(tx: &mut Tx, search: &str, after: Option<CompanyId>) -> Result<Vec<CompanyEntry>> {
    let plain: String = search.trim().to_lowercase().chars().flat_map(escaped).collect();
    let after = after.map(|company| company.to_string()).unwrap_or_default();
    tx.all(PAGE, params![after, format!("%{plain}%"), PAGE_MAX])
}

/// A character as a pattern of LIKE has it.
fn escaped(c: char) -> impl Iterator<Item = char> {
    matches!(c, '%' | '_' | '!').then_some('!').into_iter().chain([c])
}

/// How many there are.
pub fn count(tx: &mut Tx) -> Result<i64> {
    let found: Option<(i64,)> = tx.one(COUNT, params![""])?;
    Ok(found.map_or(0, |(count,)| count))
}

/// Whether there is none yet.
pub fn is_empty(tx: &mut Tx) -> Result<bool> {
    Ok(tx.one::<(CompanyId,)>(ANY, params![""])?.is_none())
}

/// A company, if it is there.
pub fn find(tx: &mut Tx, company: CompanyId) -> Result<Option<CompanyEntry>> {
    tx.one(FIND, params![company])
}

/// Does something for every company, in the order of their creation.
pub fn for_each(
    tx: &mut Tx,
    mut step: impl FnMut(&mut Tx, &CompanyEntry) -> Result<()>,
) -> Result<()> {
    let mut after = None;
    loop {
        let companies = page(tx, "", after)?;
        companies.iter().try_for_each(|company| step(tx, company))?;
        match companies.last() {
            Some(last) if companies.len() as i64 == PAGE_MAX => after = Some(last.company_id),
            _ => return Ok(()),
        }
    }
}

/// Keeps the company's people and integrations out, and lets its timers rest; whether they were not kept out before.
/// Nothing is lost: what is written stays, and what was under way, such as letters and deliveries, goes on.
pub fn suspend(cx: &mut Write) -> Result<bool> {
    let now = cx.now();
    if cx.execute(SUSPEND, params![now])? == 0 {
        return Ok(false);
    }
    timers::park(cx)?;
    changed(cx).map(|()| true)
}

/// Lets them in again, and its timers run; whether it was suspended. What became due meanwhile is done now.
pub fn resume(cx: &mut Write) -> Result<bool> {
    let now = cx.now();
    if cx.execute(RESUME, params![now])? == 0 {
        return Ok(false);
    }
    timers::unpark(cx)?;
    changed(cx).map(|()| true)
}

/// Notes that a suspended company is being erased, and cannot be resumed any more; whether it is suspended.
pub fn begin_erasing(tx: &mut Tx, company: CompanyId) -> Result<bool> {
    Ok(tx.execute(BEGIN_ERASING, params![company, ERASING])? > 0)
}

fn changed(cx: &mut Write) -> Result<()> {
    let company = cx.company();
    cx.set_audit_target("company", company.0, ["suspendedAt"]);
    Ok(())
}

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    PAGE = "SELECT ", CompanyEntry::COLUMNS, " FROM company c WHERE c.company_id > ?1 \
        AND LOWER(c.name) LIKE ?2 ESCAPE '!' ORDER BY c.company_id LIMIT ?3";
    COUNT = "SELECT COUNT(*) FROM company c WHERE c.company_id > ?1";
    ANY = "SELECT company_id FROM company c WHERE c.company_id > ?1 LIMIT 1";
    FIND = "SELECT ", CompanyEntry::COLUMNS, " FROM company WHERE company_id = ?1";
    SUSPEND = "UPDATE company SET suspended_at = ?2, updated_at = ?2 WHERE company_id = ?1 AND suspended_at IS NULL";
    RESUME = "UPDATE company SET suspended_at = NULL, updated_at = ?2 \
        WHERE company_id = ?1 AND suspended_at > 0";
    BEGIN_ERASING = "UPDATE company SET suspended_at = ?2 WHERE company_id = ?1 AND suspended_at IS NOT NULL";
}
