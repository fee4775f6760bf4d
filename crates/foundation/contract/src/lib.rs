//! The contract's machinery: operations as functions plus a row of facts, and the transaction in
//! which an operation, its idempotency, its audit row and its events are one.

pub mod activity;
pub mod admission;
mod answers;
pub mod area;
pub mod arguments;
pub mod bulk;
pub mod caller;
pub mod confirmations;
pub mod consents;
pub mod content;
pub mod context;
pub mod documents;
pub mod downloads;
pub mod entitlement;
pub mod erasure;
pub mod exports;
pub mod facts;
pub mod features;
pub mod handler;
pub mod idempotency;
pub mod installation;
pub mod jobs;
pub mod metrics;
pub mod offboarding;
pub mod operation;
pub mod outbox;
pub mod permissions;
mod reader;
pub mod remainders;
pub mod run;
mod shape;
pub mod success;
pub mod timers;
pub mod traces;
pub mod vault;

pub use area::{Area, Payload, Table};
pub use arguments::{
    Arguments, Body, Flag, IdList, ListQuery, OptionalBody, Path, Query, UpdatedFrom,
};
pub use caller::{Access, Actor, Caller, Delegation, Role};
pub use content::Content;
pub use context::{Env, Ports, Read, Write};
pub use documents::{LinkedDocument, ReaderDocument};
pub use downloads::{Download, DownloadSource, File};
pub use erasure::{ErasureAction, ErasureRule};
pub use exports::{ExportSection, RelatedRecords};
pub use facts::{Confirmation, HealthData, Method, Reauthentication, Secret, Surface};
pub use features::{Feature, Features};
pub use handler::Handler;
pub use jobs::Job;
pub use metrics::{MetricSheet, Recount};
pub use offboarding::{Effect, Offboarding};
pub use operation::Operation;
pub use permissions::{ClientAccess, DataSubject};
pub use remainders::{ArchivedKind, Remainder, RemainderKind, Remainders};
pub use run::{Answer, PreparedRequest};
pub use success::Success;
pub use timers::{Repeating, Timer};
pub use vault::Vault;

/// Every statement of this crate, for the test that prepares them all.
pub fn statements() -> Vec<spotter_store::Sql> {
    [
        confirmations::STATEMENTS,
        &context::statements(),
        erasure::STATEMENTS,
        idempotency::STATEMENTS,
        installation::STATEMENTS,
        jobs::STATEMENTS,
        outbox::STATEMENTS,
        timers::STATEMENTS,
    ]
    .concat()
}
