//! The store: serializable transactions over SQLite or PostgreSQL behind one face.
//!
//! [`Db::read`] and [`Db::write`] run a synchronous closure in a transaction. The closure may be
//! run again (after a serialization conflict, or where another one of its transaction failed), so it must
//! have no effect outside the transaction. SQL is written once for both engines: placeholders
//! are `?1`, types are TEXT, BIGINT, BOOLEAN, DOUBLE PRECISION and BLOB. This crate is the only
//! place that knows which engine runs.

mod agenda;
mod batch;
mod checkpoints;
mod citus;
mod company_copy;
mod company_erasure;
mod connection;
mod copy;
mod cost;
mod db;
mod filter;
mod health;
mod job;
mod kept;
mod list;
mod metrics;
mod migrate;
mod pooler;
mod postgres;
mod questions;
mod queue;
mod replica;
mod row;
mod session;
mod signals;
mod sql;
mod sqlite;
mod tally;
mod tx;
mod value;
mod wire;
mod writer_limit;

pub use agenda::{Agenda, Checks};
pub use company_copy::{CopiedRows, beside, copy_company, create_empty, drop_database};
pub use company_erasure::CompanyTable;
pub use copy::{
    AfterRestore, CopyProgress, backup, check_backup, export_company, look_into, restore,
};
pub use cost::{Cost, CostMeter};
pub use db::{Config, DatabaseLocation, Db};
pub use filter::{AppliedFilter, Filter, Filters, NoFilters};
#[doc(hidden)]
pub use filter::{converted, spread};
pub use health::{ClusterServer, DatabaseHealth, Replica, database_health};
pub use list::{List, Shape, mark, of_tally, subject};
pub use metrics::{DailyMetrics, DatedMetrics, MetricTable};
pub use migrate::{is_in_use, latest_schema, migrate, migrate_to};
pub use pooler::{POOLER, is_pooled};
pub use replica::check_replica;
pub use row::{Base, Column, Json, Record, Row, Stored, wire_name};
pub use signals::{Signal, Signals};
#[doc(hidden)]
pub use sql::count;
pub use sql::{Sql, places};
pub use tx::{Prefetch, Tx};
pub use value::{Bind, Value};
pub use wire::check_address;

#[doc(hidden)]
pub use const_format::concatcp;

/// The statements of the store itself that both engines run, for the test that prepares them all.
pub fn own_statements() -> Vec<Sql> {
    tally::STATEMENTS.to_vec()
}

/// Libraries of the engines that log the values of statements, at levels more detailed than `info`.
pub const LOGGING_DATA: &[&str] = &["tokio_postgres", "postgres_protocol", "rusqlite"];
