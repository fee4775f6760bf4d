//! Forgetting events and deliveries that have been kept long enough.

use std::collections::BTreeMap;

use spotter_contract::outbox;
use spotter_kernel::{Id, Result, Timestamp, id::CompanyId};
use spotter_store::{Tx, params, statements};

use crate::queue::Stage;

/// Most rows of a kind that one step deletes.
pub const STEP: u64 = 500;

/// The next company, in the order of the ids, that keeps something from before the instant.
pub fn next_company(
    tx: &mut Tx<'_>,
    after: Option<CompanyId>,
    before: Timestamp,
) -> Result<Option<CompanyId>> {
    let after = after.map_or_else(String::new, |company| company.to_string());
    let next: Option<(CompanyId,)> =
        tx.one(NEXT_COMPANY, params![after, Id::new(before, [0; 6])])?;
    Ok(next.map(|(company,)| company))
}

/// Deletes some of a company's deliveries that are over and were queued before the instant, with
/// their attempts, and of its events; how many rows at most of a kind.
pub fn prune(tx: &mut Tx<'_>, company: CompanyId, before: Timestamp) -> Result<u64> {
    let before = Id::new(before, [0; 6]);
    let old: Vec<(Id, Id, Stage)> = tx.all(OLD, params![company, before, STEP as i64])?;
    if let Some((last, ..)) = old.last() {
        tx.defer(FORGET_ATTEMPTS, params![company, last])?;
        tx.defer(FORGET, params![company, last])?;
    }
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for (_, subscription, stage) in &old {
        for subject in [
            outbox::TALLY.to_owned(),
            outbox::subscription_tally(*subscription),
            outbox::status_tally(stage.word()),
        ] {
            *counts.entry(subject).or_default() -= 1;
        }
    }
    for (subject, by) in counts {
        tx.tally(company, &subject, by)?;
    }
    let events = tx.execute(FORGET_EVENTS, params![company, before, STEP as i64])?;
    Ok(events.max(old.len() as u64))
}

statements! {
    // Two looks into an index for each company; one statement, however many companies there are.
    NEXT_COMPANY = "SELECT company_id FROM company c WHERE company_id > ?1 AND (\
        EXISTS (SELECT 1 FROM event e WHERE e.company_id = c.company_id AND e.event_id < ?2) OR \
        EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.company_id = c.company_id \
            AND d.delivery_id < ?2 AND d.due_at IS NULL)) \
        ORDER BY company_id LIMIT 1";
    OLD = "SELECT delivery_id, subscription_id, status FROM webhook_delivery \
        WHERE company_id = ?1 AND delivery_id < ?2 AND due_at IS NULL ORDER BY delivery_id LIMIT ?3";
    FORGET = "DELETE FROM webhook_delivery \
        WHERE company_id = ?1 AND delivery_id <= ?2 AND due_at IS NULL";
    FORGET_ATTEMPTS = "DELETE FROM webhook_attempt WHERE company_id = ?1 AND delivery_id IN \
        (SELECT delivery_id FROM webhook_delivery \
        WHERE company_id = ?1 AND delivery_id <= ?2 AND due_at IS NULL)";
    FORGET_EVENTS = "DELETE FROM event WHERE company_id = ?1 AND event_id IN \
        (SELECT event_id FROM event WHERE company_id = ?1 AND event_id < ?2 ORDER BY event_id LIMIT ?3)";
}
