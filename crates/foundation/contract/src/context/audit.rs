//! The row that a request leaves in the audit log.

use spotter_kernel::{Id, Problem, Result, Timestamp};
use spotter_store::{params, statements};

use super::Write;

impl Write<'_, '_> {
    /// Sets the target and the changed fields of the request in the audit log.
    pub fn set_audit_target<S: Into<String>>(
        &mut self,
        kind: &'static str,
        id: impl Into<Id>,
        changed: impl IntoIterator<Item = S>,
    ) {
        self.target = Some((kind, id.into()));
        self.changed.extend(changed.into_iter().map(Into::into));
    }

    /// Sets the changed fields of a record in the audit log; returns the instant of the change, if there is one.
    pub fn audit_fields(
        &mut self,
        kind: &'static str,
        id: impl Into<Id>,
        fields: Vec<String>,
    ) -> Option<Timestamp> {
        let changed = !fields.is_empty();
        self.set_audit_target(kind, id, fields);
        changed.then(|| self.now())
    }

    /// Writes an audit row if a record was touched.
    pub(super) fn audit_changes(&mut self) -> Result<()> {
        if self.target.is_some() { self.audit() } else { self.flush() }
    }

    /// Writes the audit row of a request that did something; one that has left a row for each record has it.
    pub fn audit(&mut self) -> Result<()> {
        match self.records_audited && self.target.is_none() {
            true => self.flush(),
            false => self.audit_as("succeeded"),
        }
    }

    /// Writes the audit row of one record of a request that changes many.
    pub fn audit_record(&mut self, kind: &'static str, id: Id) -> Result<()> {
        // What followed from the change may have named another.
        self.target = Some((kind, id));
        self.write_audit("succeeded")?;
        self.target = None;
        self.changed.clear();
        self.records_audited = true;
        Ok(())
    }

    /// Writes an audit row with this outcome.
    pub fn audit_as(&mut self, outcome: &'static str) -> Result<()> {
        self.flush()?;
        self.write_audit(outcome)
    }

    fn write_audit(&mut self, outcome: &'static str) -> Result<()> {
        let id = self.new_id();
        let caller = self.caller();
        let (kind, target) = self.target.unzip();
        let changed = serde_json::to_string(&self.changed).map_err(Problem::internal)?;
        let (operation, request_id, actor_id) =
            (self.operation, self.request_id, caller.actor.id());
        let through = caller.delegation.as_ref().map(|delegation| delegation.through);
        self.defer(
            AUDIT,
            params![
                id,
                caller.actor,
                actor_id,
                operation,
                outcome,
                kind,
                target,
                changed,
                request_id,
                through
            ],
        )?;
        self.tally("auditLogs", 1)
    }
}

statements! {
    AUDIT = "INSERT INTO audit_log (company_id, audit_log_id, actor_type, actor_id, operation, outcome, \
        target_type, target_id, changed_fields, request_id, through_id) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
}
