//! Erasing a client: each table that holds something of clients says what is left in it. An area declares its
//! tables beside its operations; a test holds them against the schema, so that no table is forgotten.

use spotter_kernel::{Id, Result};
use spotter_store::{Sql, params, statements};

use crate::context::Write;

/// What becomes of a table's rows of a client who is erased.
#[derive(Clone, Copy)]
pub enum ErasureAction {
    /// This statement deletes or empties them: `?1` is the company, `?2` the client.
    By(Sql),
    /// This function does, some of them at a time; it tells whether there are more.
    Run(fn(&mut Write<'_, '_>, Id) -> Result<bool>),
    /// Nothing, or what was done in the transaction of the erasure itself.
    AtOnce,
}

/// A table that holds something of clients.
#[derive(Clone, Copy)]
pub struct ErasureRule {
    /// The table.
    pub table: &'static str,
    /// What is left in it, and why, as it is told to people; empty where nothing is.
    pub left: &'static str,
    action: ErasureAction,
}

impl ErasureRule {
    /// A table of which nothing is left.
    pub const fn gone(table: &'static str, erasure_action: ErasureAction) -> Self {
        Self { table, left: "", action: erasure_action }
    }

    /// A table whose rows stay without what could tell of the person.
    pub const fn emptied(
        table: &'static str,
        left: &'static str,
        erasure_action: ErasureAction,
    ) -> Self {
        Self { table, left, action: erasure_action }
    }

    /// A table whose rows stay as they are.
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
    /// Forgets the totals of a list that stands below a record which is no more.
    pub fn forget_tally(&mut self, subject: &str) -> Result<()> {
        let [from, until] = ["?", "@"].map(|end| format!("{subject}{end}"));
        self.defer(FORGET, params![subject, from, until])
    }
}

statements! {
    FORGET = "DELETE FROM tally WHERE company_id = ?1 AND (subject = ?2 OR subject > ?3 AND subject < ?4)";
}
