//! What an area brings to the rest, said once where the area is: its operations, its statements and
//! lists, and what its events tell.

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
    documents::Document,
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

/// What events tell: ids, statuses, timestamps and names of fields, and never what a person has
/// written. An event has one payload, whichever operation announces it.
pub trait Payload: Serialize + JsonSchema {
    /// The events that it tells of.
    const EVENTS: &'static [Event];
}

/// A [`Payload`] as the API description sees it.
#[derive(Clone, Copy)]
pub struct EventSchema {
    /// The events that it tells of.
    pub events: &'static [Event],
    /// Its schema.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// Pulls in, at this instant, what is due further ahead than it ever is put off; how many records.
pub type Clamp = fn(&mut Tx<'_>, Timestamp) -> Result<u64>;

/// An area, or a chapter of one.
#[derive(Default)]
pub struct Area {
    /// What can be asked of it.
    pub operations: Vec<Operation>,
    /// Every statement, for the test that prepares them all.
    pub statements: Vec<Sql>,
    /// Every list, for the tests that look at their plans.
    pub lists: Vec<&'static Shape>,
    /// What its events tell.
    pub payloads: Vec<EventSchema>,
    /// What it has done at an instant.
    pub timers: Vec<&'static Timer>,
    /// What it has done outside the database.
    pub jobs: Vec<&'static Job>,
    /// How its own due times are pulled in after a clock that was ahead; jobs and timers are by themselves.
    pub clamps: Vec<Clamp>,
    /// What of it ends with somebody who leaves.
    pub offboardings: Vec<Effect>,
    /// What of it stays when something is set aside.
    pub remainders: Vec<Remainder>,
    /// What is left in its tables of clients who are erased.
    pub erasure_rules: Vec<ErasureRule>,
    /// What of it a client's data exports hold.
    pub exports: Vec<ExportSection>,
    /// How the figures of its records are counted anew.
    pub recounts: Vec<&'static Recount>,
    /// What it has done again and again.
    pub repeating: Vec<&'static Repeating>,
    /// What of it is read by its address alone.
    pub documents: Vec<&'static Document>,
    /// What of it is fetched at signed addresses.
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

    /// The same with what its events tell.
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

    /// The same with what of it ends with somebody who leaves.
    pub fn ends(mut self, effects: &[Effect]) -> Self {
        self.offboardings.extend_from_slice(effects);
        self
    }

    /// The same with what of it stays when something is set aside.
    pub fn stays(mut self, remainders: &[Remainder]) -> Self {
        self.remainders.extend_from_slice(remainders);
        self
    }

    /// The same with what is left in its tables of clients who are erased.
    pub fn erases(mut self, rules: &[ErasureRule]) -> Self {
        self.erasure_rules.extend_from_slice(rules);
        self
    }

    /// The same with what of it a client's data exports hold.
    pub fn exports(mut self, parts: &[ExportSection]) -> Self {
        self.exports.extend_from_slice(parts);
        self
    }

    /// The same with how the figures of its records are counted anew.
    pub fn recounts(mut self, recounts: &[&'static Recount]) -> Self {
        self.recounts.extend_from_slice(recounts);
        self
    }

    /// The same with repeating work.
    pub fn repeats(mut self, work: &'static [Repeating]) -> Self {
        self.repeating.extend(work);
        self
    }

    /// The same with what is read by its address alone.
    pub fn documents(mut self, documents: &[&'static Document]) -> Self {
        self.documents.extend_from_slice(documents);
        self
    }

    /// The same with what is fetched at signed addresses.
    pub fn downloads(mut self, downloads: &[&'static Download]) -> Self {
        self.downloads.extend_from_slice(downloads);
        self
    }

    /// The same with another chapter.
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

    /// Puts those of its operations under a heading of the documentation that are under none.
    pub fn tagged(mut self, tag: &'static str) -> Self {
        self.operations.iter_mut().filter(|row| row.tag.is_empty()).for_each(|row| row.tag = tag);
        self
    }

    /// Says what must be switched on for those of its operations that don't say it themselves.
    pub fn needs(mut self, feature: Feature) -> Self {
        self.operations.iter_mut().for_each(|row| {
            row.feature.get_or_insert(feature);
        });
        self
    }
}

/// What the areas bring, as it is served: operations by their place and by their names, what events
/// tell, timers, and repeating work.
pub struct Table {
    operations: Vec<Arc<Operation>>,
    by_id: BTreeMap<&'static str, usize>,
    payloads: Vec<EventSchema>,
    timers: BTreeMap<&'static str, &'static Timer>,
    jobs: Vec<&'static Job>,
    clamps: Vec<Clamp>,
    repeating: Vec<&'static Repeating>,
    documents: Vec<&'static Document>,
    downloads: Vec<&'static Download>,
    exports: Vec<ExportSection>,
}

impl Table {
    /// The table of what all areas bring.
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

    /// What is read by its address alone.
    pub fn documents(&self) -> &[&'static Document] {
        &self.documents
    }

    /// What is fetched at signed addresses.
    pub fn downloads(&self) -> &[&'static Download] {
        &self.downloads
    }

    /// What a client's data exports hold.
    pub fn exports(&self) -> &[ExportSection] {
        &self.exports
    }

    /// Every operation, in the order of the documentation.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// What people reach through the application API: its own operations, and those of the Public API
    /// that are theirs, too, unless it has one of its own at that place.
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

    /// What is done under a name, in a line: by an operation, a timer or a job.
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

    /// What an event tells; nothing while no area announces it.
    pub fn payload(&self, event: Event) -> Option<&EventSchema> {
        self.payloads.iter().find(|output| output.events.contains(&event))
    }

    /// Who reaches which operation, as a document that is read in review.
    pub fn access_table(&self) -> String {
        let mut text = String::from(WHO_REACHES_WHAT);
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

    /// What is done outside the database.
    pub fn jobs(&self) -> &[&'static Job] {
        &self.jobs
    }

    /// What is done again and again.
    pub fn repeating(&self) -> &[&'static Repeating] {
        &self.repeating
    }
}

const WHO_REACHES_WHAT: &str = "\
# Who reaches what

The operations of the application API, below `/app/v1`, with the least role of a coach that reaches each, and what clients
reach: *themselves*, where the path names the client; *their own* records; or what *all* of them may know of the company.
Everybody else does not exist for them. Those that are shared are those of the
Public API, at the same path below `/public/v1`. Beside them are signing in (`/auth/…`), files (`/uploads`, the attachment of a
message) and live updates (`/events`), for every coach and client. Made by `spotter access`; a change of it is seen in review.

| Operation | Coaches from | Clients | Shared |
|---|---|---|---|
";
