//! The database as the rest of the product sees it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use spotter_kernel::{Problem, Result};

use crate::{
    job::Isolation,
    metrics::{self, MetricTable},
    postgres::Postgres,
    signals::Signals,
    sql::Sql,
    sqlite::Sqlite,
    tally,
    tx::Tx,
};

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file, served by SQLite inside this process.
    File(PathBuf),
    /// A server that speaks PostgreSQL's protocol, by its URL.
    Server(String),
}

/// How the database is opened.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the data is.
    pub location: Location,
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
    pub fn new(location: Location) -> Self {
        Self { location, readers: 2, connections: 8, queue: 1024, cache_mb: 48 }
    }
}

enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// An open database; clones share it.
#[derive(Clone)]
pub struct Db(Arc<Engine>, Signals);

/// Whether PostgreSQL takes no writes: it is a standby, or was told to.
const READ_ONLY: &str = "SELECT CAST(CASE WHEN pg_is_in_recovery() \
    OR current_setting('default_transaction_read_only') = 'on' THEN 1 ELSE 0 END AS BIGINT)";

impl Db {
    /// Opens the database. The schema must be current: see [`migrate`](crate::migrate).
    pub fn open(config: &Config) -> Result<Self> {
        let Config { location, readers, connections, queue, cache_mb } = config;
        let signals = Signals::default();
        let engine = match location {
            Location::File(path) => {
                Engine::Sqlite(Sqlite::open(path, *readers, *queue, *cache_mb, &signals)?)
            }
            Location::Server(url) => {
                Engine::Postgres(Postgres::open(url, *connections, *queue, &signals)?)
            }
        };
        Ok(Self(Arc::new(engine), signals))
    }

    /// What transactions committed by this process have [signalled](Tx::signal).
    pub fn signals(&self) -> Signals {
        self.1.clone()
    }

    /// Whether other processes may commit to the same database, so that [`Db::signals`] tells only
    /// of some commits.
    pub fn is_shared(&self) -> bool {
        matches!(*self.0, Engine::Postgres(_))
    }

    /// Runs a closure in a read-only transaction: one snapshot.
    pub async fn read<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.readers.call(Isolation::Rows, closure).await,
            Engine::Postgres(engine) => engine.reads.call(Isolation::Rows, closure).await,
        }
    }

    /// The same for a read that may take long, such as of a page far down a list: those wait for each
    /// other, and nobody else for them.
    pub async fn read_slow<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.slow.call(Isolation::Rows, closure).await,
            Engine::Postgres(engine) => engine.slow.call(Isolation::Rows, closure).await,
        }
    }

    /// Runs a closure in a serializable transaction; its answer comes after the commit.
    pub async fn write<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.change(Isolation::Serializable, closure).await
    }

    /// The same for a closure that decides by nothing but the rows that it changes, such as one
    /// that takes work from a queue: no such row was changed by others since it was read, but what
    /// was only read may have been. On PostgreSQL this spares the tracking of reads, in which a
    /// queue that is read and written all the time would conflict with everybody.
    pub async fn write_rows<T, F>(&self, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.change(Isolation::Rows, closure).await
    }

    async fn change<T, F>(&self, isolation: Isolation, closure: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(engine) => engine.writer.call(isolation, closure).await,
            Engine::Postgres(engine) => engine.queue.call(isolation, closure).await,
        }
    }

    /// Adds up the tallies' many small changes where the engine keeps them apart.
    pub async fn fold_tallies(&self) -> Result<()> {
        if matches!(*self.0, Engine::Sqlite(_)) {
            return Ok(());
        }
        self.fold(tally::FOLD, tally::FOLD_MAX).await
    }

    /// The same for tables of figures.
    pub async fn fold_figures(&self, tables: &[&'static MetricTable]) -> Result<()> {
        if matches!(*self.0, Engine::Sqlite(_)) {
            return Ok(());
        }
        for table in tables {
            self.fold(table.fold, metrics::FOLD_MAX).await?;
        }
        Ok(())
    }

    /// Adds up appended rows until a step finds fewer than it can take.
    async fn fold(&self, sql: Sql, most: i64) -> Result<()> {
        loop {
            let folded: Option<(i64,)> = self.write_rows(move |tx| tx.one(sql, &[])).await?;
            if folded.is_none_or(|(rows,)| rows < most) {
                return Ok(());
            }
        }
    }

    /// Asks the engine for nothing, to see that it answers.
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
            Engine::Sqlite(engine) => (engine.readers.waiting(), engine.writer.waiting()),
            Engine::Postgres(engine) => (engine.reads.waiting(), engine.queue.waiting()),
        }
    }

    /// Waits until every accepted transaction is answered and the threads have ended. Only the
    /// last handle may call it; false means that the time ran out.
    pub fn close(self, within: Duration) -> bool {
        let Some(engine) = Arc::into_inner(self.0) else { return false };
        let threads = match engine {
            Engine::Sqlite(Sqlite { readers, slow, writer, threads }) => {
                drop((readers, slow, writer));
                threads
            }
            Engine::Postgres(Postgres { queue, reads, slow, threads }) => {
                drop((queue, reads, slow));
                threads
            }
        };
        let step = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        while waited < within && threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(step);
            waited += step;
        }
        threads.iter().all(std::thread::JoinHandle::is_finished)
    }
}
