//! The contributions of an area, declared in one place: operations, statements and lists, and the payloads of its
//! events.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use spotter_kernel::{Event, Result, Timestamp};
use spotter_store::{Shape, Sql, Tx};

use crate::{
    caller::{Access, Role},
    confirmations,
    documents::LinkedDocument,
    downloads::Download,
    erasure::ErasureRule,
    exports::ExportSection,
    facts::Surface,
    features::Feature,
    jobs::{self, Job},
    metrics::Recount,
    offboarding::Effect,
    operation::Operation,
    remainders::Remainder,
    timers::{self, Repeating, Timer},
};

/// Payloads of events: ids, statuses, timestamps and names of fields, never texts that people wrote. An event has one
/// payload, whichever operation announces it.
pub trait Payload: Serialize + JsonSchema {
    /// The events with this payload.
    const EVENTS: &'static [Event];
}

/// A [`Payload`] as the API description sees it.
#[derive(Clone, Copy)]
pub struct EventSchema {
    /// The events with this payload.
    pub events: &'static [Event],
    /// Its schema.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// Brings forward records that are due later than their area ever schedules; returns their number.
pub type Clamp = fn(&mut Tx<'_>, Timestamp) -> Result<u64>;

/// An area, or a chapter of one.
#[derive(Default)]
pub struct Area {
    /// Its operations.
    pub operations: Vec<Operation>,
    /// Every statement, for the test that prepares them all.
    pub statements: Vec<Sql>,
    /// Every list, for the tests of query plans.
    pub lists: Vec<&'static Shape>,
    /// Payloads of its events.
    pub payloads: Vec<EventSchema>,
    /// Its timers.
    pub timers: Vec<&'static Timer>,
    /// Its jobs.
    pub jobs: Vec<&'static Job>,
    /// How its own due times are corrected after the clock was fast; those of jobs and timers are corrected anyway.
    pub clamps: Vec<Clamp>,
    /// Its effects of people leaving.
    pub offboardings: Vec<Effect>,
    /// Its records that stay when a coach, location or similar is archived.
    pub remainders: Vec<Remainder>,
    /// What remains in its tables of erased clients.
    pub erasure_rules: Vec<ErasureRule>,
    /// Its sections of clients' data exports.
    pub exports: Vec<ExportSection>,
    /// How its metrics are recalculated.
    pub recounts: Vec<&'static Recount>,
    /// Its repeating work.
    pub repeating: Vec<&'static Repeating>,
    /// Its documents at secret addresses.
    pub documents: Vec<&'static LinkedDocument>,
    /// Its downloads at signed addresses.
    pub downloads: Vec<&'static Download>,
}

impl Area {
    /// The chapters as one.
    pub fn join(chapters: impl IntoIterator<Item = Self>) -> Self {
        chapters.into_iter().fold(Self::default(), Self::with)
    }

    /// A chapter with these statements.
    pub fn of(statements: &[Sql]) -> Self {
        Self { statements: statements.to_vec(), ..Self::default() }
    }

    /// The same with lists.
    pub fn lists(mut self, lists: Vec<&'static Shape>) -> Self {
        self.lists.extend(lists);
        self
    }

    /// The same with operations.
    pub fn operations(mut self, rows: impl IntoIterator<Item = Operation>) -> Self {
        self.operations.extend(rows);
        self
    }

    /// With the payload of events.
    pub fn tells<P: Payload>(mut self) -> Self {
        self.payloads.push(EventSchema {
            events: P::EVENTS,
            schema: |schemas| schemas.subschema_for::<P>(),
        });
        self
    }

    /// The same with timers.
    pub fn timers(mut self, timers: &[&'static Timer]) -> Self {
        self.timers.extend_from_slice(timers);
        self
    }

    /// The same with jobs.
    pub fn jobs(mut self, jobs: &[&'static Job]) -> Self {
        self.jobs.extend_from_slice(jobs);
        self
    }

    /// The same with due times of its own.
    pub fn clamps(mut self, clamp: Clamp) -> Self {
        self.clamps.push(clamp);
        self
    }

    /// With effects of people leaving.
    pub fn ends(mut self, effects: &[Effect]) -> Self {
        self.offboardings.extend_from_slice(effects);
        self
    }

    /// The same with records that stay when something is archived.
    pub fn stays(mut self, remainders: &[Remainder]) -> Self {
        self.remainders.extend_from_slice(remainders);
        self
    }

    /// With what remains in its tables of erased clients.
    pub fn erases(mut self, rules: &[ErasureRule]) -> Self {
        self.erasure_rules.extend_from_slice(rules);
        self
    }

    /// The same with sections of clients' data exports.
    pub fn exports(mut self, parts: &[ExportSection]) -> Self {
        self.exports.extend_from_slice(parts);
        self
    }

    /// With recalculations of metrics.
    pub fn recounts(mut self, recounts: &[&'static Recount]) -> Self {
        self.recounts.extend_from_slice(recounts);
        self
    }

    /// The same with repeating work.
    pub fn repeats(mut self, work: &'static [Repeating]) -> Self {
        self.repeating.extend(work);
        self
    }

    /// With documents that are read by their address.
    pub fn documents(mut self, documents: &[&'static LinkedDocument]) -> Self {
        self.documents.extend_from_slice(documents);
        self
    }

    /// With files that are downloaded from signed addresses.
    pub fn downloads(mut self, downloads: &[&'static Download]) -> Self {
        self.downloads.extend_from_slice(downloads);
        self
    }

    /// The same with the contributions of another module.
    pub fn with(mut self, chapter: Self) -> Self {
        self.operations.extend(chapter.operations);
        self.documents.extend(chapter.documents);
        self.downloads.extend(chapter.downloads);
        self.statements.extend(chapter.statements);
        self.lists.extend(chapter.lists);
        self.payloads.extend(chapter.payloads);
        self.timers.extend(chapter.timers);
        self.jobs.extend(chapter.jobs);
        self.clamps.extend(chapter.clamps);
        self.repeating.extend(chapter.repeating);
        self.recounts.extend(chapter.recounts);
        self.offboardings.extend(chapter.offboardings);
        self.remainders.extend(chapter.remainders);
        self.erasure_rules.extend(chapter.erasure_rules);
        self.exports.extend(chapter.exports);
        self
    }

    /// Sets the tag of its operations that have none.
    pub fn tagged(mut self, tag: &'static str) -> Self {
        self.operations.iter_mut().filter(|row| row.tag.is_empty()).for_each(|row| row.tag = tag);
        self
    }

    /// Requires a feature for operations that do not declare one.
    pub fn needs(mut self, feature: Feature) -> Self {
        self.operations.iter_mut().for_each(|row| {
            row.feature.get_or_insert(feature);
        });
        self
    }
}

/// The contributions of all areas, as they are served: operations by path and by id, payloads, timers, and repeating
/// work.
pub struct Table {
    operations: Vec<Arc<Operation>>,
    by_id: BTreeMap<&'static str, usize>,
    payloads: Vec<EventSchema>,
    timers: BTreeMap<&'static str, &'static Timer>,
    jobs: Vec<&'static Job>,
    clamps: Vec<Clamp>,
    repeating: Vec<&'static Repeating>,
    documents: Vec<&'static LinkedDocument>,
    downloads: Vec<&'static Download>,
    exports: Vec<ExportSection>,
}

impl Table {
    /// The table of all areas.
    pub fn new(mut areas: Area) -> Self {
        let operations: Vec<_> =
            std::mem::take(&mut areas.operations).into_iter().map(Arc::new).collect();
        let by_id = operations.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        let by_name = areas.timers.drain(..).map(|timer| (timer.id, timer)).collect();
        let Area { payloads, jobs, clamps, mut repeating, documents, downloads, exports, .. } =
            areas;
        repeating.extend(timers::REPEATING);
        repeating.extend(jobs::REPEATING);
        repeating.extend(confirmations::REPEATING);
        let timers = by_name;
        Self {
            operations,
            by_id,
            payloads,
            timers,
            jobs,
            clamps,
            repeating,
            documents,
            downloads,
            exports,
        }
    }

    /// Documents that are read by their address.
    pub fn documents(&self) -> &[&'static LinkedDocument] {
        &self.documents
    }

    /// Files that are downloaded from signed addresses.
    pub fn downloads(&self) -> &[&'static Download] {
        &self.downloads
    }

    /// The sections of clients' data exports.
    pub fn exports(&self) -> &[ExportSection] {
        &self.exports
    }

    /// Every operation, in the order of the documentation.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// What people reach through the application API: its own operations, and those of the Public API for people,
    /// unless it has one of its own at that address.
    pub fn for_people(&self) -> impl Iterator<Item = &Arc<Operation>> {
        let place = |row: &Operation| {
            let pieces = row.path.split('/');
            let piece = |piece: &'static str| if piece.starts_with('{') { "{}" } else { piece };
            (row.method, pieces.map(piece).collect::<Vec<_>>())
        };
        let own: BTreeSet<_> = self
            .operations
            .iter()
            .filter(|row| row.surface == Surface::App)
            .map(|row| place(row))
            .collect();
        self.operations.iter().filter(move |row| {
            row.surface == Surface::App || row.for_people && !own.contains(&place(row))
        })
    }

    /// The summary of an operation, a timer or a job.
    pub fn summary(&self, id: &str) -> Option<&'static str> {
        let operation = self.find(id).map(|operation| operation.summary);
        let timer = || self.timers.get(id).map(|timer| timer.summary);
        let job = || self.jobs.iter().find(|job| job.id == id).map(|job| job.summary);
        operation.or_else(timer).or_else(job)
    }

    /// The operation of this name.
    pub fn find(&self, id: &str) -> Option<&Arc<Operation>> {
        self.by_id.get(id).map(|at| &self.operations[*at])
    }

    /// The payload of an event; nothing if no area announces it.
    pub fn payload(&self, event: Event) -> Option<&EventSchema> {
        self.payloads.iter().find(|output| output.events.contains(&event))
    }

    /// Who reaches which operation, as a document that is read in review.
    pub fn access_table(&self) -> String {
        let mut text = String::from(WHO_MAY_CALL_WHAT);
        for row in self.for_people() {
            let granted = row.for_client.map(|granted| match granted.staffs {
                [] => granted.subject.words().to_owned(),
                staffs => format!("{}, without {}", granted.subject.words(), staffs.join(", ")),
            });
            let granted = granted.unwrap_or_default();
            let (coaches, clients) = match row.access {
                Access::Scope(scope) => (Role::least_for(scope).map_or("", Role::word), granted),
                Access::Coach(least) => (least.word(), granted),
                Access::SignedIn => ("Coach", "their own".to_owned()),
                Access::Client => ("", "their own".to_owned()),
                Access::Device => continue,
                Access::Visitor => ("", "strangers, too".to_owned()),
            };
            let shared = if row.surface == Surface::Public { "yes" } else { "" };
            let (method, path) = (row.method, row.path);
            text.push_str(&format!("| {method} {path} | {coaches} | {clients} | {shared} |\n"));
        }
        text
    }

    /// The timer of this name.
    pub fn timer(&self, id: &str) -> Option<&'static Timer> {
        self.timers.get(id).copied()
    }

    /// The names of all timers, with a comma on both sides of each.
    pub fn timer_kinds(&self) -> String {
        self.timers.keys().fold(",".to_owned(), |kinds, kind| kinds + kind + ",")
    }

    /// What pulls in due times of areas after a clock that was ahead.
    pub fn clamps(&self) -> &[Clamp] {
        &self.clamps
    }

    /// Jobs outside the database.
    pub fn jobs(&self) -> &[&'static Job] {
        &self.jobs
    }

    /// Repeating work.
    pub fn repeating(&self) -> &[&'static Repeating] {
        &self.repeating
    }
}

const WHO_MAY_CALL_WHAT: &str = "\
# Who may call what

The operations of the application API, below `/app/v1`: the least role of a coach that may call each, and what clients may reach
with it: *themselves*, where the path names the client; *their own* records; or records that *all* clients may see. Other
clients' records return 404. Shared operations are also part of the Public API, at the same path below `/public/v1`. Not listed
are sign-in (`/auth/…`), files (`/uploads`, attachments of messages) and live updates (`/events`), which every coach and client
may use. Printed by `spotter access`; the suite keeps it current.

| Operation | Coaches from | Clients | Shared |
|---|---|---|---|
";
