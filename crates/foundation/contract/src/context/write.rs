//! Writing one company's rows, including deferred writes at the end of the transaction.

use std::{
    collections::BTreeSet,
    ops::{Deref, DerefMut},
};

use spotter_kernel::{
    Event, Id, Result, Timestamp,
    id::CompanyId,
    secret::{Credential, CredentialKind},
};
use spotter_store::{Sql, Tx, Value, params};

use super::{Env, Read, read::scoped};
use crate::{
    caller::{Actor, Caller},
    confirmations::EffectPreview,
    metrics,
    outbox::Listeners,
    timers::{self, Timer, TimerId},
};

/// A [`Read`] that may also change rows and announce events. What it changed is audited, and what
/// it announced is delivered, with the same commit.
pub struct Write<'t, 'c> {
    pub(super) read: Read<'t, 'c>,
    pub(super) env: &'t Env,
    pub(super) operation: &'static str,
    pub(super) may_emit: &'static [Event],
    pub(super) request_id: &'t str,
    pub(super) next_id: Id,
    pub(super) target: Option<(&'static str, Id)>,
    pub(super) changed: Vec<String>,
    /// Whether records have left audit rows of their own.
    pub(super) records_audited: bool,
    pub(super) listeners: Listeners,
    pub(super) preview: Option<EffectPreview>,
    deferred: Vec<DeferredWrites>,
    pending_metrics: metrics::PendingMetrics,
}

/// Writes deferred to the end, because many transactions write there.
struct DeferredWrites {
    /// The records that it changes.
    records: Vec<Id>,
    /// Locks one of them without changing it.
    hold: Sql,
    statements: Vec<(Sql, Vec<Value<'static>>)>,
}

impl<'t, 'c> Deref for Write<'t, 'c> {
    type Target = Read<'t, 'c>;
    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

impl DerefMut for Write<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.read
    }
}

impl<'t, 'c> Write<'t, 'c> {
    /// A writable view, for the operation of this name which may announce these events.
    pub fn new(
        read: Read<'t, 'c>,
        env: &'t Env,
        operation: &'static str,
        may_emit: &'static [Event],
        request_id: &'t str,
    ) -> Result<Self> {
        let read = read.with_env(env);
        let next_id = env.new_id_at(read.now);
        let listeners = Listeners::prefetch(read.tx, read.caller.company, may_emit)?;
        let (target, changed, effects, last) = (None, Vec::new(), None, Vec::new());
        Ok(Self {
            read,
            env,
            operation,
            may_emit,
            request_id,
            next_id,
            target,
            changed,
            records_audited: false,
            listeners,
            preview: effects,
            deferred: last,
            pending_metrics: metrics::PendingMetrics::new(),
        })
    }

    /// The pending changes of metrics of this transaction.
    pub(crate) fn pending_metrics(&mut self) -> &mut metrics::PendingMetrics {
        &mut self.pending_metrics
    }

    /// Adds the collected metrics.
    fn write_metrics(&mut self) -> Result<()> {
        let company = self.company();
        for ((_, scope, day, part), (table, amounts)) in std::mem::take(&mut self.pending_metrics) {
            if amounts.iter().any(|amount| *amount != 0) {
                self.read.tx.add_metrics(table, company, &scope, day, &part, &amounts)?;
            }
        }
        Ok(())
    }

    /// Runs a step as the system, with an audit entry if it changed a record, under this name and with these events.
    /// Returns the id of the run in the audit log.
    pub fn as_system(
        tx: &mut Tx<'_>,
        env: &Env,
        company: CompanyId,
        name: &'static str,
        events: &'static [Event],
        step: impl FnOnce(&mut Write<'_, '_>) -> Result<()>,
    ) -> Result<Id> {
        let caller = Caller::new(company, Actor::System);
        let run = env.new_id();
        let request_id = run.to_string();
        let read = Read::new(tx, &caller, env.clock.now());
        let mut cx = Write::new(read, env, name, events, &request_id)?;
        step(&mut cx)?;
        cx.audit_changes()?;
        Ok(run)
    }

    /// The clock, the randomness and the key.
    pub fn env(&self) -> &'t Env {
        self.env
    }

    /// A new id; later ones sort after earlier ones.
    pub fn new_id(&mut self) -> Id {
        let id = self.next_id;
        self.next_id = id.next();
        id
    }

    /// A new credential of the company, to be shown once.
    pub fn new_credential(&self, kind: CredentialKind) -> Credential {
        Credential::generate(kind, self.env.mode, self.company(), &*self.env.entropy)
    }

    /// Changes rows now; how many.
    pub fn execute(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64> {
        let company = self.company();
        self.read.tx.execute(sql, &scoped(company, params))
    }

    /// Changes rows, with the commit at the latest.
    pub fn defer(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<()> {
        let company = self.company();
        self.read.tx.defer(sql, &scoped(company, params))
    }

    /// Adds to a total.
    pub fn tally(&mut self, subject: &str, by: i64) -> Result<()> {
        let company = self.company();
        self.read.tx.tally(company, subject, by)
    }

    /// The company's count of a subject, including this transaction's changes.
    pub fn tallied(&mut self, subject: &str) -> Result<i64> {
        let company = self.company();
        self.read.tx.tallied(company, subject)
    }

    /// Changes what belongs to no company; for the owner of such a table.
    pub fn with_tx<T>(&mut self, change: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        change(self.read.tx)
    }

    /// Notifies waiting readers of this record once the change is committed.
    pub fn wake(&mut self, id: Id) {
        self.read.tx.ring(id);
    }

    /// Brings totals up to date with a record that was counted under some subjects and is counted
    /// under others now.
    pub fn recount(&mut self, was: &BTreeSet<String>, is: &BTreeSet<String>) -> Result<()> {
        was.difference(is).try_for_each(|gone| self.tally(gone, -1))?;
        is.difference(was).try_for_each(|new| self.tally(new, 1))
    }

    /// Sets a timer for a record, in place of an earlier one.
    pub fn set_timer(
        &mut self,
        timer: impl Into<TimerId>,
        subject: impl Into<Id>,
        due_at: Timestamp,
    ) -> Result<()> {
        self.note_due(timers::QUEUE, due_at);
        self.defer(timers::SET, params![timer.into().0, subject.into(), due_at, 0i64])
    }

    /// Notes in the agenda that a queue has work from an instant on.
    pub(crate) fn note_due(&mut self, queue: &'static str, due_at: Timestamp) {
        self.read.tx.note_due(queue, due_at);
    }

    /// Deletes a record's timer, if there is one.
    pub fn clear_timer(&mut self, timer: &Timer, subject: impl Into<Id>) -> Result<()> {
        self.defer(timers::CLEAR, params![timer.id, subject.into()])
    }

    /// Defers writes to rows that many transactions write, so that they lock them in one order and never deadlock.
    pub fn defer_to_end(
        &mut self,
        records: &[Id],
        hold: Sql,
        statements: impl IntoIterator<Item = (Sql, Vec<Value<'static>>)>,
    ) {
        let statements = statements.into_iter().collect();
        self.deferred.push(DeferredWrites { records: records.to_vec(), hold, statements });
    }

    /// Runs deferred writes: all records are locked in one order before the first is changed.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.write_metrics()?;
        let last = std::mem::take(&mut self.deferred);
        if let [first, _, ..] = last.as_slice() {
            let hold = first.hold;
            let records: BTreeSet<Id> =
                last.iter().flat_map(|one| one.records.iter().copied()).collect();
            records.into_iter().try_for_each(|record| self.defer(hold, params![record]))?;
        }
        let mut statements = last.into_iter().flat_map(|one| one.statements);
        statements.try_for_each(|(sql, params)| self.defer(sql, &params))
    }
}
