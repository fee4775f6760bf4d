//! The database as the rest of the product sees it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use spotter_kernel::{Problem, Result, TRACE_TARGET};

use crate::{
    agenda::{Agenda, UNFOLDED_METRICS, UNFOLDED_TALLIES},
    citus::on_each_part,
    job::TransactionKind,
    metrics::{self, MetricTable},
    params,
    postgres::Postgres,
    signals::Signals,
    sql::Sql,
    sqlite::{self, Sqlite},
    tally,
    tx::Tx,
};

/// A closure that is a part of the trace that it is called in, from its place in the queue to its commit. Outside of a
/// trace it stays as it is.
fn traced<T, F>(kind: &'static str, mut closure: F) -> impl FnMut(&mut Tx<'_>) -> Result<T> + Send
where
    F: FnMut(&mut Tx<'_>) -> Result<T> + Send,
{
    let span = match tracing::Span::current() {
        outer if outer.is_none() => outer,
        _ => tracing::trace_span!(target: TRACE_TARGET, "transaction", otel.name = kind),
    };
    move |tx| span.in_scope(|| closure(tx))
}

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// A file, served by SQLite inside this process.
    File(PathBuf),
    /// A server that speaks PostgreSQL's protocol, by its URL.
    Server(String),
}

/// How the database is opened.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the data is.
    pub location: DatabaseLocation,
    /// A server that follows that one, for slow reads.
    pub replica: Option<String>,
    /// Threads that read from a file.
    pub readers: usize,
    /// Connections to a server.
    pub connections: usize,
    /// Transactions that may wait for a thread; one more is refused with 503.
    pub queue: usize,
    /// What the writer of a file keeps of it in memory, in MiB.
    pub cache_mb: usize,
}

impl Config {
    /// The defaults for a location.
    pub fn new(location: DatabaseLocation) -> Self {
        Self { location, replica: None, readers: 2, connections: 8, queue: 1024, cache_mb: 48 }
    }
}

enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// What adds up the appended rows of a table.
#[derive(Clone, Copy)]
struct Fold {
    table: &'static str,
    sql: Sql,
}

/// An open database; clones share it.
#[derive(Clone)]
pub struct Db(Arc<Engine>, Signals);

/// Whether PostgreSQL is read-only: a standby, or configured so.
const READ_ONLY: &str = "SELECT CAST(CASE WHEN pg_is_in_recovery() \
    OR current_setting('default_transaction_read_only') = 'on' THEN 1 ELSE 0 END AS BIGINT)";

impl Db {
    /// Opens the database. The schema must be current: see [`migrate`](crate::migrate).
    pub fn open(config: &Config) -> Result<Self> {
        let Config { location, replica, readers, connections, queue, cache_mb } = config;
        let signals = Signals::default();
        // What an earlier process has left is folded once.
        for queue in [UNFOLDED_TALLIES, UNFOLDED_METRICS] {
            signals.agenda().note(queue, Agenda::AT_ONCE);
        }
        let engine = match location {
            DatabaseLocation::File(path) => {
                Engine::Sqlite(Sqlite::open(path, *readers, *queue, *cache_mb, &signals)?)
            }
            DatabaseLocation::Server(url) => {
                let replica = replica.as_deref();
                Engine::Postgres(Postgres::open(url, replica, *connections, *queue, &signals)?)
            }
        };
        Ok(Self(Arc::new(engine), signals))
    }

    /// What transactions committed by this process have [signalled](Tx::signal).
    pub fn signals(&self) -> Signals {
        self.1.clone()
    }

    /// Whether other processes may commit to the same database, so that [`Db::signals`] has only some commits.
    pub fn is_shared(&self) -> bool {
        matches!(*self.0, Engine::Postgres(_))
    }

    /// Whether [slow reads](Self::read_slow) have a server of their own.
    pub fn has_replica(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(engine) if engine.has_replica)
    }

    /// Runs a closure in a read-only transaction: one snapshot.
    pub async fn read<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => {
                engine.readers.call(TransactionKind::Rows, traced("read", closure)).await
            }
            Engine::Postgres(engine) => {
                engine.reads.call(TransactionKind::Rows, traced("read", closure)).await
            }
        }
    }

    /// The same for a read that may take long, such as a far page of a list: such reads wait for each other, and
    /// others do not wait for them.
    pub async fn read_slow<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => {
                engine.slow.call(TransactionKind::Rows, traced("read", closure)).await
            }
            Engine::Postgres(engine) => {
                engine.slow.call(TransactionKind::Rows, traced("read", closure)).await
            }
        }
    }

    /// Runs a closure in a serializable transaction; its answer comes after the commit.
    pub async fn write<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.change(TransactionKind::Serializable, closure).await
    }

    /// The same for a closure that depends only on the rows that it changes, such as one that takes work from a
    /// queue: such a row was not changed by others since it was read, but a row that was only read may have been. On
    /// PostgreSQL this avoids tracking reads, with which a busy queue would conflict with everybody.
    pub async fn write_rows<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.change(TransactionKind::Rows, closure).await
    }

    /// The same as [`Self::write`] for work in the background, such as timers: on SQLite, where one write follows the
    /// other, it lets others pass and shares no commit with them.
    pub async fn write_in_background<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => {
                engine
                    .background
                    .call(TransactionKind::Serializable, traced("write", closure))
                    .await
            }
            Engine::Postgres(_) => self.write(closure).await,
        }
    }

    /// The same as [`Self::write`], and nothing of it is kept, however it ends: what a change would do.
    pub async fn try_out<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.change(TransactionKind::Trial, closure).await
    }

    /// Whether another write waits for the one in the background that runs, which should come to its end.
    pub fn is_background_awaited(&self) -> bool {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.writer.waiting() > 0,
            Engine::Postgres(_) => false,
        }
    }

    async fn change<T, F>(&self, kind: TransactionKind, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.writer.call(kind, traced("write", closure)).await,
            Engine::Postgres(engine) => engine.queue.call(kind, traced("write", closure)).await,
        }
    }

    /// Adds up the tallies' many small changes where the engine keeps them apart.
    pub async fn fold_tallies(&self) -> Result<()> {
        let fold = Fold { table: "tally", sql: tally::FOLD };
        self.fold_noted(UNFOLDED_TALLIES, &[fold], tally::FOLD_MAX).await
    }

    /// The same for tables of metrics.
    pub async fn fold_metrics(&self, tables: &[&'static MetricTable]) -> Result<()> {
        let folds: Vec<Fold> =
            tables.iter().map(|table| Fold { table: table.name, sql: table.fold }).collect();
        self.fold_noted(UNFOLDED_METRICS, &folds, metrics::FOLD_MAX).await
    }

    /// Folds where this process has appended since it last did, or has just begun.
    async fn fold_noted(&self, queue: &'static str, folds: &[Fold], most: i64) -> Result<()> {
        let agenda = self.1.agenda();
        let is_apart = matches!(*self.0, Engine::Postgres(_));
        if !is_apart || !agenda.take_due(queue, Agenda::AT_ONCE) {
            return Ok(());
        }
        let mut outcome = Ok(());
        for fold in folds {
            // One that fails, as where a server of a cluster is away, is no reason to leave out the others.
            outcome = outcome.and(self.fold(*fold, most).await);
        }
        outcome.inspect_err(|_| agenda.note(queue, Agenda::AT_ONCE))
    }

    /// Adds up appended rows until a step finds fewer than it can take.
    async fn fold(&self, Fold { table, sql }: Fold, most: i64) -> Result<()> {
        loop {
            let folded = self.write_rows(move |tx| match tx.is_spread() {
                false => tx.one::<(i64,)>(sql, &[]),
                true => {
                    let (all, part) = on_each_part(table, sql.0);
                    let away = tx.servers_away()?;
                    match tx.rows::<(i64, Option<String>)>(&all, params![part, away])?.pop() {
                        Some((_, Some(failure))) => {
                            let cause = format!("a part of {table} was not folded: {failure}");
                            Err(Problem::overloaded().caused_by(cause))
                        }
                        folded => Ok(folded.map(|(rows, _)| (rows,))),
                    }
                }
            });
            let folded = folded.await?;
            if folded.is_none_or(|(rows,)| rows < most) {
                return Ok(());
            }
        }
    }

    /// Checks that the engine responds.
    pub async fn ping(&self) -> Result<()> {
        let sql = match &*self.0 {
            Engine::Sqlite(_) => "SELECT CAST(0 AS BIGINT)",
            Engine::Postgres(_) => READ_ONLY,
        };
        let output = self.read(move |tx| tx.rows::<(i64,)>(sql, &[])).await?;
        match output.first() {
            Some((0,)) => Ok(()),
            _ => Err(Problem::overloaded().caused_by("the database takes no writes")),
        }
    }

    /// Transactions that wait for a thread: reads, writes.
    pub fn waiting(&self) -> (usize, usize) {
        match &*self.0 {
            Engine::Sqlite(engine) => {
                (engine.readers.waiting(), engine.writer.waiting() + engine.background.waiting())
            }
            Engine::Postgres(engine) => {
                (engine.reads.waiting(), engine.queue.waiting() + engine.turns.waiting())
            }
        }
    }

    /// Waits until every accepted transaction is answered and the threads have ended. Only the
    /// last handle may call it; false means that the time ran out.
    pub fn close(self, within: Duration) -> bool {
        let Some(engine) = Arc::into_inner(self.0) else { return false };
        let (threads, file) = match engine {
            Engine::Sqlite(Sqlite { readers, slow, writer, background, threads, path }) => {
                drop((readers, slow, writer, background));
                (threads, Some(path))
            }
            Engine::Postgres(Postgres { queue, reads, turns, slow, threads, .. }) => {
                drop((queue, reads, turns, slow));
                (threads, None)
            }
        };
        let step = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        while waited < within && threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(step);
            waited += step;
        }
        let ended = threads.iter().all(std::thread::JoinHandle::is_finished);
        if let (true, Some(file)) = (ended, file) {
            // The last connection to be closed copies the whole log; those of the threads were closed at one time.
            sqlite::connect(&file).ok();
        }
        ended
    }
}
