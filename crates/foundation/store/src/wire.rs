//! What goes over the wire to PostgreSQL: connecting, statements, and what errors mean.

use std::{
    future::poll_fn,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use spotter_kernel::{Problem, Result};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime::Runtime,
};
use tokio_postgres::{
    AsyncMessage, Client, Connection, SimpleQueryMessage, Statement,
    config::{Host, SslMode, TargetSessionAttrs},
    error::{Severity, SqlState},
    types::ToSql,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{batch::ExpectedRows, value::Value};

/// Deferred statements as they are sent.
pub(crate) struct PreparedBatch {
    pub(crate) statement: Statement,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) expected: ExpectedRows,
}

/// How statements are planned where Citus spreads the tables: for their values.
const PLANS_OF_A_CLUSTER: &str = "force_custom_plan";

/// How a failed statement is handled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Failure {
    /// A serialization conflict, a deadlock or a lock that others hold: run the closure again.
    Conflict,
    /// The connection is gone: connect again, then run the closure again.
    Disconnected,
    /// The closure took something for granted that is not so: run it again, without assuming.
    Assumption,
    /// An inserted row exists already. Rules check before inserting, so it was committed since, or assumed absent:
    /// the closure runs again without assumptions.
    Taken,
    /// The statement took longer than its transaction gives it.
    TooLong,
    /// The statement itself is at fault.
    Statement,
    /// The closure failed, and what it had changed takes the others of its transaction with it.
    Closure,
}

impl Failure {
    /// Whether others were quicker.
    pub(crate) fn is_by_others(self) -> bool {
        matches!(self, Self::Conflict | Self::Taken)
    }

    pub(crate) fn of(error: &tokio_postgres::Error) -> Self {
        match error.code() {
            Some(code) if is_conflict(code) => Self::Conflict,
            Some(code) if *code == SqlState::UNIQUE_VIOLATION => Self::Taken,
            Some(code) if *code == SqlState::QUERY_CANCELED => Self::TooLong,
            Some(_) if is_of_a_part(error) => Self::Statement,
            Some(code) if is_of_the_connection(code) || is_orphaned(error) => Self::Disconnected,
            Some(_) => Self::Statement,
            None if error.is_closed() || is_io(error) => Self::Disconnected,
            None => Self::Statement,
        }
    }
}

/// A serialization conflict, a deadlock or a lock that others hold.
fn is_conflict(code: &SqlState) -> bool {
    *code == SqlState::T_R_SERIALIZATION_FAILURE
        || *code == SqlState::T_R_DEADLOCK_DETECTED
        || *code == SqlState::LOCK_NOT_AVAILABLE
}

/// Whether another server, which has a part of the tables, is away: a cluster's coordinator reports that as an error of the
/// statement, and its own sessions go on.
pub(crate) fn is_of_a_part(error: &tokio_postgres::Error) -> bool {
    let is_away = |code: &str| code.starts_with("57P") || code.starts_with("08");
    error.as_db_error().is_some_and(|error| {
        error.parsed_severity() == Some(Severity::Error) && is_away(error.code().code())
    })
}

/// Whether the session is at fault and another one may do: the server went down or came up (57P01 to 57P05), it was
/// opened while the database took no writes, as a standby does before it is promoted (25006), it waited too long within
/// a transaction (25P03), the connection broke (class 08), or others had all that the server takes (53300).
fn is_of_the_connection(code: &SqlState) -> bool {
    let code = code.code();
    let is_one_of = matches!(code, "25006" | "25P03" | "53300");
    is_one_of || code.starts_with("57P") || code.starts_with("08")
}

/// Whether the main process of the server is dead, which Citus says with the code of a defect.
fn is_orphaned(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|error| error.message().starts_with("postmaster was shut down"))
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>())
}

/// Which server is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// The one that takes writes.
    Database,
    /// One that follows it.
    Replica,
}

/// The kind of a statement and its result.
#[derive(Clone, Copy)]
pub(crate) enum ResultKind {
    Rows,
    Count,
}

pub(crate) enum StatementResult {
    Rows(Vec<tokio_postgres::Row>),
    Count(u64),
}

impl ResultKind {
    pub(crate) async fn run(
        self,
        client: &Client,
        statement: &Statement,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<StatementResult, tokio_postgres::Error> {
        match self {
            Self::Rows => client.query(statement, params).await.map(StatementResult::Rows),
            Self::Count => client.execute(statement, params).await.map(StatementResult::Count),
        }
    }
}

pub(crate) fn borrowed<'v>(params: &'v [Value<'v>]) -> Vec<&'v (dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

pub(crate) async fn open(
    client: &Client,
    begin: &str,
    begun: bool,
) -> Result<(), tokio_postgres::Error> {
    if begun { Ok(()) } else { client.batch_execute(begin).await }
}

/// Runs deferred statements; returns their results.
pub(crate) async fn run_all(
    client: &Client,
    deferred: &[PreparedBatch],
) -> Result<Vec<StatementResult>, tokio_postgres::Error> {
    let each = deferred.iter().map(async |PreparedBatch { statement, values, expected: kind }| {
        let kind = if matches!(kind, ExpectedRows::Rows(_)) {
            ResultKind::Rows
        } else {
            ResultKind::Count
        };
        kind.run(client, statement, &borrowed(values)).await
    });
    join_all(each).await.into_iter().collect()
}

/// A connection.
pub(crate) struct ServerConnection {
    pub(crate) client: Client,
    /// Whether the tables of its server are spread over those of a cluster.
    pub(crate) is_spread: bool,
    /// Whether the server has told of a conflict by a notice: a cluster's coordinator says so of a commit that another
    /// server refused, and fails it for a reason of its own.
    pub(crate) tells_of_conflict: Arc<AtomicBool>,
}

/// What the server calls our connections, where the address says nothing.
const APPLICATION: &str = "spotter";
/// How long a server has to answer who connects, and to take its settings.
const DIAL: Duration = Duration::from_secs(10);

/// Compiling a plan takes longer than any of the statements does. With Citus, a plan is for the server of the company
/// that is asked for; elsewhere it is made once. That may be while its tables are empty, and what reads a table whole, however
/// small, conflicts with every write to it: so an index is used where there is one.
const SETTINGS: &str = "SET statement_timeout = '15s'; SET idle_in_transaction_session_timeout = '60s'; \
    SET synchronous_commit = on; \
    SELECT set_config('spotter.plans', CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') \
    THEN 'force_custom_plan' ELSE 'force_generic_plan' END, false); \
    SELECT set_config('plan_cache_mode', current_setting('spotter.plans'), false); \
    SELECT set_config('citus.node_connection_timeout', '5s', false); \
    SET jit = off; SET enable_seqscan = off; SET client_min_messages = warning;";

/// Whether an address can be understood; else, why not.
pub fn check_address(url: &str) -> std::result::Result<(), String> {
    parse(url).map(drop)
}

fn parse(url: &str) -> std::result::Result<tokio_postgres::Config, String> {
    let mut config: tokio_postgres::Config =
        url.parse().map_err(|error: tokio_postgres::Error| {
            let why = std::error::Error::source(&error).map(|why| format!(": {why}"));
            let why = why.unwrap_or_default();
            let allowed = match why.contains("sslmode") {
                true => ": it is disable, prefer or require",
                false => "",
            };
            format!("cannot be understood{why}{allowed}")
        })?;
    if config.get_application_name().is_none() {
        config.application_name(APPLICATION);
    }
    let (hosts, ports) = (config.get_hosts().len(), config.get_ports().len());
    if ports > 1 && ports != hosts {
        return Err(format!(
            "names another number of ports ({ports}) than of hosts ({hosts}); write each beside its host, as in host1:5432,host2:5433"
        ));
    }
    // What does not leave this machine needs no certificate, which servers there rarely have from an authority.
    if !url.contains("sslmode=") && config.get_hosts().iter().all(is_here) {
        config.ssl_mode(SslMode::Disable);
    }
    Ok(config)
}

/// Whether a server is on this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

pub(crate) fn dial(runtime: &Runtime, url: &str, server: ServerKind) -> Result<ServerConnection> {
    let mut config = parse(url).map_err(|why| Problem::internal(format!("database_url {why}")))?;
    if server == ServerKind::Database
        && config.get_target_session_attrs() == TargetSessionAttrs::Any
    {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    let mut roots = rustls::RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    if let (Ok(file), Some(error)) = (std::env::var("SSL_CERT_FILE"), found.errors.first()) {
        return Err(unreachable_database(format!("SSL_CERT_FILE, {file}: {error}")));
    }
    roots.add_parsable_certificates(found.certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Problem::internal)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    runtime.block_on(async {
        let connect = config.connect(MakeRustlsConnect::new(tls));
        let connected = tokio::time::timeout(DIAL, connect).await;
        let (client, connection) = match connected {
            Err(_) => return Err(unreachable_database("PostgreSQL does not answer")),
            Ok(Err(error))
                if error.code().is_none() || Failure::of(&error) == Failure::Disconnected =>
            {
                return Err(unreachable_database(explain(&error)));
            }
            Ok(connected) => connected.map_err(|e| Problem::internal(explain(&e)))?,
        };
        let tells_of_conflict = Arc::new(AtomicBool::new(false));
        tokio::spawn(listen(connection, tells_of_conflict.clone()));
        // A server that follows another one knows no serializable transactions.
        let isolation = match server {
            ServerKind::Database => "serializable",
            ServerKind::Replica => "repeatable read",
        };
        let settings = format!("{SETTINGS} SET default_transaction_isolation = '{isolation}'");
        let set = tokio::time::timeout(DIAL, client.simple_query(&settings)).await;
        let set = set.map_err(|_| unreachable_database("PostgreSQL does not answer"))?;
        let set = set.map_err(|e| Problem::internal(explain(&e)))?;
        let is_spread = set.iter().any(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0) == Some(PLANS_OF_A_CLUSTER),
            _ => false,
        });
        Ok(ServerConnection { client, is_spread, tells_of_conflict })
    })
}

/// Moves what comes and goes, until the connection ends.
async fn listen<S, T>(mut connection: Connection<S, T>, tells_of_conflict: Arc<AtomicBool>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match poll_fn(|cx| connection.poll_message(cx)).await {
            Some(Ok(AsyncMessage::Notice(notice))) if is_conflict(notice.code()) => {
                tells_of_conflict.store(true, Ordering::Relaxed);
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::warn!(%error, "a database connection ended");
                return;
            }
            None => return,
        }
    }
}

/// The database cannot be reached: callers may try again.
fn unreachable_database(cause: impl Into<String>) -> Problem {
    let mut problem = Problem::overloaded();
    problem.cause = Some(cause.into());
    problem
}

fn explain(error: &tokio_postgres::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    let cause = cause.unwrap_or_default();
    let advice = match &*cause {
        text if text.contains("CaUsedAsEndEntity") => {
            "; an authority's own certificate is no server's: have it sign one, or add sslmode=disable in a network \
             that is trusted"
        }
        text if text.contains("not valid for name") => "; use a name that it is for in the address",
        text if text.contains("certificate") => {
            "; name who signed it in SSL_CERT_FILE, or add sslmode=disable in a network that is trusted"
        }
        _ => "",
    };
    format!("PostgreSQL: {error}{cause}{advice}")
}
