//! What an operation's function is given: one company's rows in one transaction.

use std::{
    collections::BTreeSet,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use ipnet::IpNet;
use spotter_kernel::{
    Clock, Date, Entropy, Event, Id, Key, Page, PageRequest, Phrase, Problem, Result, TimeZone,
    Timestamp,
    id::CompanyId,
    secret::{Credential, CredentialKind},
};
use spotter_store::{Chosen, Filters, List, Prefetch, Record, Sql, Tx, Value, params, statements};

use crate::{
    Vault,
    activity::{ActivityListener, Checkups, Training},
    admission::{Admissions, Forms, Timetable},
    area::Payload,
    caller::{Actor, Caller},
    confirmations::EffectPreview,
    consents::Consents,
    entitlement::Entitlements,
    erasure::ErasureRule,
    metrics,
    offboarding::Effect,
    outbox::{self, Announcement, EmittedEvent, Listeners, QueuedDelivery},
    remainders::Remainder,
    timers::{self, Timer},
};

/// The clock, the randomness and the key that everything is handed.
#[derive(Clone)]
pub struct Env {
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Random bytes.
    pub entropy: Arc<dyn Entropy>,
    /// The installation's key.
    pub vault: Vault,
    /// Networks that are not public and that webhooks may reach all the same.
    pub private_networks: Arc<[IpNet]>,
    /// The address that others reach the installation at.
    pub address: Arc<str>,
    /// The MCP server's base address, which is the issuer of its tokens.
    pub mcp_url: Arc<str>,
    /// How long a refresh token of an assistant that was exchanged is answered with the same pair.
    pub mcp_refresh_grace_seconds: i64,
    /// Whether a browser may be sent back to any port of the machine that it is on (RFC 8252).
    pub mcp_any_loopback_port: bool,
    /// The address that links to pages begin with, where mail leaves the installation.
    pub mail_links: Option<Arc<str>>,
    /// What ends with somebody who leaves.
    pub offboardings: Arc<[Effect]>,
    /// What stays when something is set aside.
    pub remainders: Arc<[Remainder]>,
    /// What is left of clients who are erased.
    pub erasure_rules: Arc<[ErasureRule]>,
    /// What areas ask of each other.
    pub ports: Ports,
}

/// What areas ask of each other, which do not know each other.
#[derive(Clone)]
pub struct Ports {
    /// What bookings take of what clients have paid for.
    pub entitlements: Arc<dyn Entitlements>,
    /// What is told of clients' workouts.
    pub training: Arc<dyn Training>,
    /// What is told of clients' check-ups.
    pub checkups: Arc<dyn Checkups>,
    /// Who follows what clients do.
    pub activity: Arc<dyn ActivityListener>,
    /// What clients have consented to.
    pub consents: Arc<dyn Consents>,
    /// What lets clients in.
    pub admissions: Arc<dyn Admissions>,
    /// When locations are open, and who is expected there.
    pub timetable: Arc<dyn Timetable>,
    /// What clients have been asked and have answered.
    pub forms: Arc<dyn Forms>,
}

impl Env {
    /// A new id.
    pub fn new_id(&self) -> Id {
        self.new_id_at(self.clock.now())
    }

    /// A new id of an instant.
    pub fn new_id_at(&self, at: Timestamp) -> Id {
        let mut random = [0; 6];
        self.entropy.fill(&mut random);
        Id::new(at, random)
    }
}

/// A view of one company's rows in one snapshot. In every statement `?1` is the company; the
/// parameters that are passed start at `?2`.
pub struct Read<'t, 'c> {
    tx: &'t mut Tx<'c>,
    caller: &'t Caller,
    now: Timestamp,
    environment: Option<&'t Env>,
    zone: Option<TimeZone>,
}

impl<'t, 'c> Read<'t, 'c> {
    /// A view for this caller at this instant.
    pub fn new(tx: &'t mut Tx<'c>, caller: &'t Caller, now: Timestamp) -> Self {
        Self { tx, caller, now, environment: None, zone: None }
    }

    /// The same with what the installation gives to whoever reads: its signature, its finance.
    pub fn with_env(mut self, env: &'t Env) -> Self {
        self.environment = Some(env);
        self
    }

    /// The zone of the company's dates.
    pub fn zone(&mut self) -> Result<TimeZone> {
        if let Some(zone) = &self.zone {
            return Ok(zone.clone());
        }
        let found: Option<(TimeZone,)> = self.one(ZONE, params![])?;
        let (zone,) = found.ok_or(Key::CompanyNotFound)?;
        self.zone = Some(zone.clone());
        Ok(zone)
    }

    /// Which date it is where the company is.
    pub fn today(&mut self) -> Result<Date> {
        Ok(self.zone()?.date_at(self.now))
    }

    fn installation(&self) -> Result<&'t Env> {
        self.environment.ok_or_else(|| Problem::internal("this is read outside of a request"))
    }

    /// What bookings take of what clients have paid for.
    pub fn entitlements(&self) -> Result<&'t dyn Entitlements> {
        Ok(&*self.installation()?.ports.entitlements)
    }

    /// What is told of clients' workouts.
    pub fn training(&self) -> Result<&'t dyn Training> {
        Ok(&*self.installation()?.ports.training)
    }

    /// What is told of clients' check-ups.
    pub fn checkups(&self) -> Result<&'t dyn Checkups> {
        Ok(&*self.installation()?.ports.checkups)
    }

    /// What clients have consented to.
    pub fn consents(&self) -> Result<&'t dyn Consents> {
        Ok(&*self.installation()?.ports.consents)
    }

    /// What lets clients in.
    pub fn admissions(&self) -> Result<&'t dyn Admissions> {
        Ok(&*self.installation()?.ports.admissions)
    }

    /// When locations are open, and who is expected there.
    pub fn timetable(&self) -> Result<&'t dyn Timetable> {
        Ok(&*self.installation()?.ports.timetable)
    }

    /// What clients have been asked and have answered.
    pub fn forms(&self) -> Result<&'t dyn Forms> {
        Ok(&*self.installation()?.ports.forms)
    }

    /// Who follows what clients do.
    pub fn activity(&self) -> Result<&'t dyn ActivityListener> {
        Ok(&*self.installation()?.ports.activity)
    }

    /// A signature of bytes for one purpose, which is good within the company alone.
    pub fn sign(&self, purpose: &str, bytes: &[u8]) -> Result<[u8; 32]> {
        self.installation()?.vault.sign(purpose, &[&self.company().0.to_bytes(), bytes].concat())
    }

    /// What was sealed with the installation's key.
    pub fn unsealed(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        self.installation()?.vault.open(sealed)
    }

    /// The installation's key.
    pub fn vault(&self) -> Result<&'t Vault> {
        Ok(&self.installation()?.vault)
    }

    /// The address that others reach the installation at.
    pub fn address(&self) -> Result<&'t str> {
        Ok(&self.installation()?.address)
    }

    /// The company whose rows are seen.
    pub fn company(&self) -> CompanyId {
        self.caller.company
    }

    /// Who calls.
    pub fn caller(&self) -> &'t Caller {
        self.caller
    }

    /// The instant of the request.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The first row, if there is one.
    pub fn one<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Option<R>> {
        self.tx.one(sql, &scoped(self.caller.company, params))
    }

    /// The first row for each of several sets of parameters, all asked for in one go.
    pub fn one_each<R: Record>(
        &mut self,
        sql: Sql,
        params: impl IntoIterator<Item = Vec<Value<'static>>>,
    ) -> Result<Vec<Option<R>>> {
        let each = self.all_each(sql, params)?;
        Ok(each.into_iter().map(|rows| rows.into_iter().next()).collect())
    }

    /// Every row for each of several sets of parameters, all asked for in one go.
    pub fn all_each<R: Record>(
        &mut self,
        sql: Sql,
        params: impl IntoIterator<Item = Vec<Value<'static>>>,
    ) -> Result<Vec<Vec<R>>> {
        let company = self.caller.company;
        let request: Result<Vec<_>> = params
            .into_iter()
            .map(|params| self.tx.prefetch(sql, &scoped(company, &params)))
            .collect();
        request?.into_iter().map(|ahead| self.tx.awaited(ahead)).collect()
    }

    /// Every row. The statement itself must bound them.
    pub fn all<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Vec<R>> {
        self.tx.all(sql, &scoped(self.caller.company, params))
    }

    /// Asks for rows before they are needed, so that they come with what is asked for next.
    pub fn prefetch<R: Record>(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<Prefetch<R>> {
        self.tx.prefetch(sql, &scoped(self.caller.company, params))
    }

    /// The rows that were asked for ahead.
    pub fn awaited<R: Record>(&mut self, request: Prefetch<R>) -> Result<Vec<R>> {
        self.tx.awaited(request)
    }

    /// A page of a list.
    pub fn page<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        wanted: &F,
        request: PageRequest,
    ) -> Result<Page<R>> {
        self.page_of(list, &[], &wanted.chosen(), request)
    }

    /// A page of a list below other records, whose keys are `?2` and on.
    pub fn page_under<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        above: &[Value<'_>],
        wanted: &F,
        request: PageRequest,
    ) -> Result<Page<R>> {
        self.page_of(list, above, &wanted.chosen(), request)
    }

    /// The same with conditions that the operation has chosen.
    pub fn page_of<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        above: &[Value<'_>],
        chosen: &[Chosen<'_>],
        request: PageRequest,
    ) -> Result<Page<R>> {
        list.page(self.tx, self.caller.company, above, chosen, request)
    }

    /// A page of a list below other records where the total is known.
    pub fn page_known<R: Record, F: Filters>(
        &mut self,
        list: &List<R, F>,
        above: &[Value<'_>],
        total: i64,
        request: PageRequest,
    ) -> Result<Page<R>> {
        list.page_known(self.tx, self.caller.company, above, total, request)
    }
}

fn scoped<'v>(company: CompanyId, params: &[Value<'v>]) -> Vec<Value<'v>> {
    let mut all = Vec::with_capacity(params.len() + 1);
    all.push(Value::Text(company.to_string().into()));
    all.extend_from_slice(params);
    all
}

/// A [`Read`] that may also change rows and announce events. What it changed is audited, and what
/// it announced is delivered, with the same commit.
pub struct Write<'t, 'c> {
    read: Read<'t, 'c>,
    env: &'t Env,
    operation: &'static str,
    may_emit: &'static [Event],
    request_id: &'t str,
    next_id: Id,
    target: Option<(&'static str, Id)>,
    changed: Vec<String>,
    listeners: Listeners,
    preview: Option<EffectPreview>,
    deferred: Vec<DeferredWrites>,
    pending_metrics: metrics::PendingMetrics,
}

/// What is written at the end, because everybody writes there.
struct DeferredWrites {
    /// The records that it changes.
    records: Vec<Id>,
    /// What changes nothing of one of them, but has it to itself.
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
            listeners,
            preview: effects,
            deferred: last,
            pending_metrics: metrics::PendingMetrics::new(),
        })
    }

    /// What the figures will have been added by the end of the transaction.
    pub(crate) fn pending_metrics(&mut self) -> &mut metrics::PendingMetrics {
        &mut self.pending_metrics
    }

    /// Adds to the figures what was gathered.
    fn write_metrics(&mut self) -> Result<()> {
        let company = self.company();
        for ((_, scope, day, part), (table, amounts)) in std::mem::take(&mut self.pending_metrics) {
            if amounts.iter().any(|amount| *amount != 0) {
                self.read.tx.add_figures(table, company, (&scope, day, &part), &amounts)?;
            }
        }
        Ok(())
    }

    /// Gathers from here on what people are told of it.
    pub(crate) fn start_preview(&mut self) {
        self.preview = Some(EffectPreview::default());
    }

    /// Whether it is gathered what people are told of it, so that what only that needs is read.
    pub fn is_preview(&self) -> bool {
        self.preview.is_some()
    }

    /// What was gathered.
    pub(crate) fn take_preview(&mut self) -> Option<EffectPreview> {
        self.preview.take()
    }

    /// Adds an effect to the preview, where the operation is previewed.
    pub fn describe_effect<P: Into<Phrase>>(&mut self, effect: impl FnOnce() -> P) {
        self.describe_count(1, effect);
    }

    /// The same for an effect on so many records; on none it takes nothing from anybody.
    pub fn describe_count<P: Into<Phrase>>(&mut self, count: u64, effect: impl FnOnce() -> P) {
        if let Some(previewed) = &mut self.preview {
            previewed.effects.push(effect().into());
            previewed.is_harmful |= count > 0;
        }
    }

    /// Says when what it is about was last changed: a later change makes what was told stale.
    pub fn as_of(&mut self, changed_at: Timestamp) {
        if let Some(effects) = &mut self.preview {
            effects.as_of.push(changed_at);
        }
    }

    /// Adds a person who is notified to the preview, where the operation is previewed.
    pub fn describe_recipient<P: Into<Phrase>>(&mut self, recipient: impl FnOnce() -> P) {
        if let Some(effects) = &mut self.preview {
            effects.recipients.push(recipient().into());
        }
    }

    /// Runs a step as the system, with an audit row if it touched a record: what happens by itself, under
    /// this name and with these events. Returns the id of the run, which stands in the audit log.
    pub fn as_system(
        tx: &mut Tx<'_>,
        env: &Env,
        company: CompanyId,
        (name, events): (&'static str, &'static [Event]),
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
        Credential::generate(kind, self.company(), &*self.env.entropy)
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

    /// What the company's count of something is, with what this transaction added to it.
    pub fn tallied(&mut self, subject: &str) -> Result<i64> {
        let company = self.company();
        self.read.tx.tallied(company, subject)
    }

    /// Changes what belongs to no company; for the owner of such a table.
    pub fn with_tx<T>(&mut self, change: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        change(self.read.tx)
    }

    /// Wakes whoever waits for news of this record, once the change is committed.
    pub fn wake(&mut self, id: Id) {
        self.read.tx.ring(id);
    }

    /// Says for the audit log what the request is about, and which fields it changed.
    pub fn set_audit_target<S: Into<String>>(
        &mut self,
        kind: &'static str,
        id: impl Into<Id>,
        changed: impl IntoIterator<Item = S>,
    ) {
        self.target = Some((kind, id.into()));
        self.changed.extend(changed.into_iter().map(Into::into));
    }

    /// Says for the audit log which fields of a record a change touched; the instant of the change,
    /// if it is one.
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

    /// Brings totals up to date with a record that was counted under some subjects and is counted
    /// under others now.
    pub fn recount(&mut self, was: &BTreeSet<String>, is: &BTreeSet<String>) -> Result<()> {
        was.difference(is).try_for_each(|gone| self.tally(gone, -1))?;
        is.difference(was).try_for_each(|new| self.tally(new, 1))
    }

    /// Announces an event with its public-safe payload to every subscription that listens.
    pub fn emit<P: Payload>(&mut self, event: Event, data: &P) -> Result<EmittedEvent> {
        self.announce(event, data, None)
    }

    /// Announces an event to a subscription, whether it listens or not, and to those that do.
    pub fn emit_to<P: Payload>(
        &mut self,
        subscription: Id,
        event: Event,
        data: &P,
    ) -> Result<EmittedEvent> {
        self.announce(event, data, Some(subscription))
    }

    fn announce<P: Payload>(
        &mut self,
        event: Event,
        data: &P,
        also: Option<Id>,
    ) -> Result<EmittedEvent> {
        if !P::EVENTS.contains(&event) {
            let text = format!("{} is not told by {}", event.name(), std::any::type_name::<P>());
            return Err(Problem::internal(text));
        }
        if !self.may_emit.contains(&event) {
            let text = format!("{} does not declare {}", self.operation, event.name());
            return Err(Problem::internal(text));
        }
        let (company, now, data) = (self.company(), self.now(), outbox::serialize_payload(data)?);
        let Self { read, next_id, listeners, .. } = self;
        let new_id = &mut || std::mem::replace(next_id, next_id.next());
        let announced =
            Announcement { company, event, data, now, also, new_id }.store(read.tx, listeners)?;
        if let Some(effects) = &mut self.preview {
            effects.events.push((event.name(), announced.delivery_ids.len()));
        }
        Ok(announced)
    }

    /// Has a timer run for a record at an instant, in place of one that was set before.
    pub fn set_timer(
        &mut self,
        timer: &Timer,
        subject: impl Into<Id>,
        due_at: Timestamp,
    ) -> Result<()> {
        self.defer(timers::SET, params![timer.id, subject.into(), due_at, 0i64])
    }

    /// Takes back a timer that was set for a record, if one was.
    pub fn clear_timer(&mut self, timer: &Timer, subject: impl Into<Id>) -> Result<()> {
        self.defer(timers::CLEAR, params![timer.id, subject.into()])
    }

    /// Queues one more delivery of an event that was announced before.
    pub fn deliver_again(&mut self, subscription: Id, event_id: Id, event: &str) -> Result<Id> {
        let (id, company, due_at) = (self.new_id(), self.company(), self.now());
        QueuedDelivery { company, subscription, event_id, event, due_at }.store(self.read.tx, id)
    }

    /// Writes at the end of the transaction what many write to, such as who is told of it: two that
    /// change several of these records, and something else before, never wait for each other in a circle.
    pub fn defer_to_end(
        &mut self,
        records: &[Id],
        hold: Sql,
        statements: impl IntoIterator<Item = (Sql, Vec<Value<'static>>)>,
    ) {
        let statements = statements.into_iter().collect();
        self.deferred.push(DeferredWrites { records: records.to_vec(), hold, statements });
    }

    /// Writes what was left for the end: all records are held in one order before the first is changed.
    fn flush(&mut self) -> Result<()> {
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

    /// Writes an audit row if a record was touched.
    fn audit_changes(&mut self) -> Result<()> {
        if self.target.is_some() { self.audit() } else { self.flush() }
    }

    /// Writes the audit row of a request that did something.
    pub fn audit(&mut self) -> Result<()> {
        self.audit_as("succeeded")
    }

    /// Writes an audit row with this outcome.
    pub fn audit_as(&mut self, outcome: &'static str) -> Result<()> {
        self.flush()?;
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
    ZONE = "SELECT time_zone FROM company WHERE company_id = ?1";
    AUDIT = "INSERT INTO audit_log (company_id, audit_log_id, actor_type, actor_id, operation, outcome, \
        target_type, target_id, changed_fields, request_id, through_id) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
}
