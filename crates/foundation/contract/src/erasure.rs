//! Erasing a client: each area declares for each of its tables with clients' data what remains, beside its
//! operations; a test compares the declarations with the schema.

use spotter_kernel::{Id, Result};
use spotter_store::{Sql, params, statements};

use crate::context::Write;

/// What happens to a table's rows of an erased client.
#[derive(Clone, Copy)]
pub enum ErasureAction {
    /// This statement deletes or empties them: `?1` is the company, `?2` the client.
    By(Sql),
    /// A function removes them in batches; it returns whether there are more.
    Run(fn(&mut Write<'_, '_>, Id) -> Result<bool>),
    /// Done in the transaction of the erasure.
    AtOnce,
}

/// A table that holds something of clients.
#[derive(Clone, Copy)]
pub struct ErasureRule {
    /// The table.
    pub table: &'static str,
    /// What remains and why, for people; empty if nothing does.
    pub left: &'static str,
    action: ErasureAction,
}

impl ErasureRule {
    /// A table of which nothing is left.
    pub const fn gone(table: &'static str, erasure_action: ErasureAction) -> Self {
        Self { table, left: "", action: erasure_action }
    }

    /// A table whose rows remain without personal data.
    pub const fn emptied(
        table: &'static str,
        left: &'static str,
        erasure_action: ErasureAction,
    ) -> Self {
        Self { table, left, action: erasure_action }
    }

    /// A table whose rows remain unchanged.
    pub const fn stays(table: &'static str, why: &'static str) -> Self {
        Self { table, left: why, action: ErasureAction::AtOnce }
    }

    /// Whether there is something to do.
    pub const fn is_to_do(&self) -> bool {
        !matches!(self.action, ErasureAction::AtOnce)
    }

    /// Does it, or some of it; whether there is more to do.
    pub fn erase(&self, cx: &mut Write, client: Id) -> Result<bool> {
        match self.action {
            ErasureAction::By(sql) => cx.execute(sql, params![client]).map(|_| false),
            ErasureAction::Run(function) => function(cx, client),
            ErasureAction::AtOnce => Ok(false),
        }
    }
}

impl Write<'_, '_> {
    /// Deletes the totals of a list within a deleted record.
    pub fn forget_tally(&mut self, subject: &str) -> Result<()> {
        let [from, until] = ["?", "@"].map(|end| format!("{subject}{end}"));
        self.defer(FORGET, params![subject, from, until])
    }
}

statements! {
    FORGET = "DELETE FROM tally WHERE company_id = ?1 AND (subject = ?2 OR subject > ?3 AND subject < ?4)";
}
