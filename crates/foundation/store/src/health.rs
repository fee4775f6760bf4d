//! The health of a database, for its operator: its schema, its clock, damages, and replicas.

use std::sync::Arc;

use spotter_kernel::{Clock, Problem, Result};

use crate::{
    citus::away::SERVERS,
    db::DatabaseLocation,
    migrate::{SchemaVersion, schema_of},
    session::Session,
    sqlite,
    tx::{Engine, Tx},
};

/// How a database is.
#[derive(Clone, Debug)]
pub struct DatabaseHealth {
    /// The engine with its version.
    pub engine: String,
    /// Version of the schema.
    pub schema: i64,
    /// Whether this program works with it, which it may with one that is newer than its own.
    pub is_compatible: bool,
    /// By how many milliseconds our clock is ahead of the database's, where it has one.
    pub ahead_by_ms: Option<i64>,
    /// What is damaged: sentences of the engine.
    pub damages: Vec<String>,
    /// Servers that follow this one.
    pub replicas: Vec<Replica>,
    /// Whether the server follows another, and takes no writes.
    pub is_replica: bool,
    /// The servers of a cluster.
    pub cluster: Vec<ClusterServer>,
    /// Connections that are open, and that there may be.
    pub connections: Option<(i64, i64)>,
}

/// A server that follows another.
#[derive(Clone, Debug)]
pub struct Replica {
    /// Its name.
    pub name: String,
    /// Whether commits wait for it.
    pub is_synchronous: bool,
    /// What it has not replayed yet, in bytes; none where the server does not show it to this role.
    pub lag_bytes: Option<i64>,
}

/// A server of a cluster, with a part of the companies.
#[derive(Clone, Debug)]
pub struct ClusterServer {
    /// Where the coordinator looks for it.
    pub address: String,
    /// Whether it answers the coordinator.
    pub is_there: bool,
}

/// Looks into a database: that of SQLite is read from its first page to its last.
pub fn database_health(location: &DatabaseLocation, ours: &dyn Clock) -> Result<DatabaseHealth> {
    let SchemaVersion { version: schema, is_compatible } = schema_of(location)?;
    match location {
        DatabaseLocation::File(path) => {
            let conn = sqlite::connect(path)?;
            let tx = &mut Tx::new(Engine::Sqlite(&conn));
            let version: Vec<(String,)> = tx.rows("SELECT sqlite_version()", &[])?;
            let found: Vec<(String,)> = tx.rows("PRAGMA quick_check(10)", &[])?;
            let damages = found.into_iter().map(|row| row.0).filter(|text| text != "ok").collect();
            Ok(DatabaseHealth {
                engine: format!("SQLite {}", first(version)?.0),
                schema,
                is_compatible,
                ahead_by_ms: None,
                damages,
                replicas: Vec::new(),
                is_replica: false,
                cluster: Vec::new(),
                connections: None,
            })
        }
        DatabaseLocation::Server(url) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            let tx = &mut Tx::new(Engine::Postgres(&mut session));
            let (version, clock, is_replica, open, most) =
                first(tx.rows::<(String, i64, bool, i64, i64)>(SERVER, &[])?)?;
            // At once: what follows may wait for a server of a cluster.
            let ahead_by_ms = ours.now().millis() - clock;
            let damages: Vec<(String,)> = tx.rows(INVALID_INDEXES, &[])?;
            let replicas: Vec<(String, bool, Option<i64>)> = match is_replica {
                true => Vec::new(),
                false => tx.rows(REPLICAS, &[])?,
            };
            let cluster: Vec<(String, bool)> = match is_replica || !tx.is_spread() {
                true => Vec::new(),
                false => tx.rows(SERVERS, &[])?,
            };
            let damages = damages.into_iter();
            let cluster = cluster.into_iter();
            let replicas = replicas.into_iter();
            Ok(DatabaseHealth {
                engine: format!("PostgreSQL {version}"),
                schema,
                is_compatible,
                ahead_by_ms: Some(ahead_by_ms),
                damages: damages.map(|(name,)| format!("the index {name} is not valid")).collect(),
                replicas: replicas
                    .map(|(name, is_synchronous, lag_bytes)| Replica {
                        name,
                        is_synchronous,
                        lag_bytes,
                    })
                    .collect(),
                is_replica,
                cluster: cluster
                    .map(|(address, is_there)| ClusterServer { address, is_there })
                    .collect(),
                connections: Some((open, most)),
            })
        }
    }
}

fn first<R>(rows: Vec<R>) -> Result<R> {
    rows.into_iter().next().ok_or_else(|| Problem::internal("the database answers nothing"))
}

const SERVER: &str = "SELECT current_setting('server_version'), \
    (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint, pg_is_in_recovery(), \
    (SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), \
    current_setting('max_connections')::bigint";
const INVALID_INDEXES: &str =
    "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid";
const REPLICAS: &str = "SELECT COALESCE(NULLIF(application_name, ''), client_addr::text, 'unnamed'), \
    COALESCE(sync_state IN ('sync', 'quorum'), FALSE), \
    pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint FROM pg_stat_replication";
