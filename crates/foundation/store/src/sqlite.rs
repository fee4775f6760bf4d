//! SQLite: reader threads, and one writer thread that commits in groups.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig, functions::FunctionFlags};
use spotter_kernel::{Problem, Result};

use crate::{
    checkpoints::copying,
    job::{Job, RunEnding, TransactionKind, in_time, refuse},
    queue::{Jobs, Queue},
    signals::Signals,
    tx::{Engine, Tx, failed},
};

/// So much of the write-ahead log stays on disk between checkpoints, in bytes.
const LOG_KEPT_BYTES: i64 = 64 * 1024 * 1024;

/// The most closures that share one commit.
const BATCH_MAX: usize = 128;
/// The most closures that share one snapshot.
const READS_MAX: usize = 8;
/// Engine steps between two checks of a read's limit.
const STEPS: i32 = 10_000;
/// Checks until a read counts as slow: some 20 ms.
const QUICK: u64 = 150;
/// Pages in the log after which a commit copies them back into the file (16 MB).
const CHECKPOINT_PAGES: i64 = 4_000;
/// Statements that each connection keeps prepared.
const STATEMENTS_KEPT: usize = 512;

pub(crate) struct Sqlite {
    pub(crate) readers: Queue,
    /// Reads that may take long, which others do not wait for.
    pub(crate) slow: Queue,
    pub(crate) writer: Queue,
    /// Writes in the background, which others do not wait for.
    pub(crate) background: Queue,
    pub(crate) threads: Vec<JoinHandle<()>>,
    pub(crate) path: PathBuf,
}

impl Sqlite {
    pub(crate) fn open(
        path: &Path,
        readers: usize,
        queue: usize,
        cache_mb: usize,
        signals: &Signals,
    ) -> Result<Self> {
        let (write_queue, jobs) = Queue::bounded(queue, signals);
        let (background_queue, background_jobs) = Queue::bounded(queue, signals);
        let mut writer = connect(path)?;
        // In KiB, negative as SQLite wants it.
        let cache = -1024 * i64::try_from(cache_mb).unwrap_or(48);
        writer.pragma_update(None, "cache_size", cache).map_err(Problem::internal)?;
        let checkpoints = spawn("sqlite-checkpoints", copying(&mut writer, connect(path)?)?)?;
        let write = move || write_loop(&writer, &jobs, &background_jobs);
        let mut threads = vec![checkpoints, spawn("sqlite-writer", write)?];
        let (read_queue, jobs) = Queue::bounded(queue, signals);
        let (slow_queue, slow_jobs) = Queue::bounded(queue, signals);
        for number in 0..readers.max(1) {
            let (mut reader, jobs) = (connect_reader(path)?, jobs.clone());
            let bound = Bound::new(&mut reader, slow_queue.clone())?;
            let serve = move || read_loop(&reader, &jobs, Some(&bound));
            threads.push(spawn(&format!("sqlite-reader-{number}"), serve)?);
        }
        let reader = connect_reader(path)?;
        let serve = move || read_loop(&reader, &slow_jobs, None);
        threads.push(spawn("sqlite-slow-reader", serve)?);
        let (readers, slow, writer, background) =
            (read_queue, slow_queue, write_queue, background_queue);
        Ok(Self { readers, slow, writer, background, threads, path: path.to_owned() })
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map_err(Problem::internal)
}

/// Opens a database file as every connection here is opened.
pub(crate) fn connect(path: &Path) -> Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(path, flags)?;
        conn.busy_timeout(Duration::from_secs(10))?;
        conn.pragma_update(None, "journal_mode", "WAL")?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        conn.pragma_update(None, "foreign_keys", true)?;
        conn.pragma_update(None, "cache_size", -16_000)?;
        // Fewer, larger checkpoints: a page that is written often is copied back once.
        conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        // What a burst of writes made of the log is given back once it is copied.
        conn.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES)?;
        conn.pragma_update(None, "temp_store", "MEMORY")?;
        // What is deleted is overwritten: erased people are not read from the file's free pages.
        conn.pragma_update(None, "secure_delete", true)?;
        // Without this, a statement whose parameters the planner has used is compiled again at each binding.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
        // PostgreSQL's side of this function tries an advisory lock; a single writer has it.
        conn.create_scalar_function("claim", 1, FunctionFlags::SQLITE_UTF8, |_| Ok(true))?;
        Ok(conn)
    };
    open().map_err(|e| Problem::internal(format!("{}: {e}", path.display())))
}

/// Rows of a table from which plans take their number into account.
const COUNTED_FROM: i64 = 1_000;

/// Rows of an index that are read to estimate the others, so that a start does not wait for millions.
const COUNTED_MAX: i64 = 1_000;

/// Lets SQLite count the rows of its tables, for plans of connections that are opened later. It forgets those of small tables:
/// a plan that reads a small one whole would go on to while it grows.
pub(crate) fn count_rows(conn: &Connection) -> Result<()> {
    const IS_COUNTED: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)";
    let count = || -> rusqlite::Result<()> {
        conn.execute_batch(&format!("PRAGMA analysis_limit = {COUNTED_MAX}; PRAGMA optimize"))?;
        for counts in ["sqlite_stat4", "sqlite_stat1"] {
            if conn.query_row(IS_COUNTED, [counts], |row| row.get(0))? {
                let small = "SELECT tbl FROM sqlite_stat1 GROUP BY tbl HAVING MAX(CAST(stat AS INTEGER)) < ?1";
                conn.execute(
                    &format!("DELETE FROM {counts} WHERE tbl IN ({small})"),
                    [COUNTED_FROM],
                )?;
            }
        }
        Ok(())
    };
    count().map_err(Problem::internal)
}

fn connect_reader(path: &Path) -> Result<Connection> {
    let reader = connect(path)?;
    reader.pragma_update(None, "query_only", true).map_err(Problem::internal)?;
    Ok(reader)
}

/// The limit of reads of a connection, and what takes them over.
struct Bound {
    taken: Arc<AtomicU64>,
    slow: Queue,
}

impl Bound {
    fn new(conn: &mut Connection, slow: Queue) -> Result<Self> {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = taken.clone();
        let gives_up = move || counted.fetch_add(1, Ordering::Relaxed) >= QUICK;
        conn.progress_handler(STEPS, Some(gives_up)).map_err(Problem::internal)?;
        Ok(Self { taken, slow })
    }

    fn begin(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }

    fn is_exceeded(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > QUICK
    }
}

fn run_sql(conn: &Connection, sql: &str) -> Result<()> {
    let mut statement = conn.prepare_cached(sql).map_err(Problem::internal)?;
    statement.raw_execute().map(drop).map_err(|error| failed(sql, error))
}

/// Runs reads; those that exceed the bound are taken over by who may take long.
fn read_loop(conn: &Connection, jobs: &Jobs, bound: Option<&Bound>) {
    while let Ok(first) = jobs.recv() {
        // Those that wait already may share the snapshot; those that come later must not, for it
        // would be older than they are.
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(READS_MAX - 1));
        if let Err(problem) = run_sql(conn, "BEGIN") {
            batch.into_iter().for_each(|job| job.finish(Some(problem.clone())));
            continue;
        }
        for mut job in batch {
            bound.inspect(|bound| bound.begin());
            job.run(&mut Tx::new(Engine::Sqlite(conn)).metered(job.meter()));
            match bound.filter(|bound| bound.is_exceeded()) {
                Some(bound) => bound.slow.take_over(job),
                None => job.finish(None),
            }
        }
        bound.inspect(|bound| bound.begin());
        run_sql(conn, "COMMIT").or_else(|_| run_sql(conn, "ROLLBACK")).ok();
    }
}

/// Runs writes in the groups in which they wait. Of those in the background, one runs after each group, and any while no
/// other waits: a write waits for one of them at most.
fn write_loop(conn: &Connection, jobs: &Jobs, background: &Jobs) {
    loop {
        let next = crossbeam_channel::select_biased! {
            recv(jobs) -> first => first.map(|first| {
                let mut batch = vec![first];
                batch.extend(jobs.try_iter().take(BATCH_MAX - 1));
                write_batch(conn, in_time(batch));
                background.try_recv().ok()
            }),
            recv(background) -> one => one.map(Some),
        };
        match next {
            Ok(one) => one.into_iter().for_each(|one| write_batch(conn, vec![one])),
            // The database is being closed: what was taken is answered.
            Err(_) => break,
        }
    }
    jobs.iter().chain(background.iter()).for_each(|job| write_batch(conn, vec![job]));
}

fn write_batch(conn: &Connection, mut batch: Vec<Box<dyn Job>>) {
    if batch.is_empty() {
        return;
    }
    metrics::histogram!("spotter_store_batch_size").record(batch.len() as f64);
    match run_together(conn, &mut batch) {
        Ok(()) => batch.into_iter().for_each(|job| job.finish(None)),
        Err(problem) if is_locked(&problem) => refuse(batch, LOCKED),
        Err(_) => write_one_by_one(conn, batch),
    }
}

/// The same where the whole transaction was lost: alone, each closure answers for itself.
fn write_one_by_one(conn: &Connection, batch: Vec<Box<dyn Job>>) {
    let mut rest = batch.into_iter();
    while let Some(mut job) = rest.next() {
        job.forget();
        let ran = run_without_savepoints(conn, std::slice::from_mut(&mut job));
        if ran.as_ref().is_err_and(is_locked) {
            return refuse(std::iter::once(job).chain(rest), LOCKED);
        }
        job.finish(ran.inspect_err(|_| abandon(conn)).err());
    }
}

/// Why writes are refused that could not begin: the next would wait as long to hear the same.
const LOCKED: &str = "another program writes to the database's file";

/// Whether the engine refused to begin, because another program has the file.
fn is_locked(problem: &Problem) -> bool {
    problem.status == 503
}

/// Runs closures in one transaction and commits once. An error means that nothing was kept.
fn run_together(conn: &Connection, batch: &mut [Box<dyn Job>]) -> Result<()> {
    let meter = batch.iter().find_map(|job| job.meter());
    if meter.is_some() {
        // What the log has after the commit is then the commit's own.
        logged_pages(conn, "TRUNCATE");
    }
    let mut run = || -> Result<()> {
        if !run_without_savepoints(conn, batch)? {
            metrics::counter!("spotter_store_retries_total").increment(1);
            run_with_savepoints(conn, batch)?;
        }
        if let Some(meter) = &meter {
            meter.count_pages(logged_pages(conn, "PASSIVE"));
        }
        Ok(())
    };
    run().inspect_err(|problem| {
        tracing::warn!(%problem, "a transaction of writes failed; each is tried alone");
        abandon(conn);
    })
}

/// Runs closures as most end: well, or refused before they have changed anything. Within a savepoint, SQLite copies each page
/// before it is changed. False where one failed otherwise: nothing was kept, and the others are to be run again; one that is
/// alone has none.
fn run_without_savepoints(conn: &Connection, batch: &mut [Box<dyn Job>]) -> Result<bool> {
    let is_alone = batch.len() == 1;
    run_sql(conn, "BEGIN IMMEDIATE")?;
    for job in batch {
        let before = conn.total_changes();
        // What a failed statement leaves behind is not always counted.
        let is_kept = match run_job(conn, &mut **job)? {
            RunEnding::Done => true,
            RunEnding::Refused => conn.total_changes() == before,
            RunEnding::Failed => false,
        };
        if !is_kept {
            run_sql(conn, "ROLLBACK")?;
            return Ok(is_alone);
        }
    }
    run_sql(conn, "COMMIT")?;
    Ok(true)
}

/// The same where one failed that had changed something: it alone is undone.
fn run_with_savepoints(conn: &Connection, batch: &mut [Box<dyn Job>]) -> Result<()> {
    run_sql(conn, "BEGIN IMMEDIATE")?;
    for job in batch {
        run_sql(conn, "SAVEPOINT one")?;
        if run_job(conn, &mut **job)? != RunEnding::Done {
            run_sql(conn, "ROLLBACK TO one")?;
        }
        run_sql(conn, "RELEASE one")?;
    }
    run_sql(conn, "COMMIT")
}

/// Runs a closure in the transaction that is open. A trial always counts as done: nothing of it is left.
fn run_job(conn: &Connection, job: &mut dyn Job) -> Result<RunEnding> {
    // Any closure may be run again. In builds for debugging those of requests and timers are, so that one which cannot be shows.
    let is_rehearsed = cfg!(debug_assertions) && job.kind() != TransactionKind::Rows;
    if is_rehearsed && job.meter().is_none() {
        run_undone(conn, job)?;
    }
    match job.kind() {
        TransactionKind::Trial => run_undone(conn, job).map(|()| RunEnding::Done),
        TransactionKind::Serializable | TransactionKind::Rows => run_inside(conn, job),
    }
}

/// Runs a closure and undoes what it changed.
fn run_undone(conn: &Connection, job: &mut dyn Job) -> Result<()> {
    run_sql(conn, "SAVEPOINT undone")?;
    run_inside(conn, job)?;
    run_sql(conn, "ROLLBACK TO undone")?;
    run_sql(conn, "RELEASE undone")
}

fn run_inside(conn: &Connection, job: &mut dyn Job) -> Result<RunEnding> {
    let ending = job.run(&mut Tx::new(Engine::Sqlite(conn)).metered(job.meter()));
    if conn.is_autocommit() {
        return Err(Problem::internal("the engine rolled the transaction back"));
    }
    Ok(ending)
}

/// Runs a checkpoint; the number of pages that the write-ahead log has.
fn logged_pages(conn: &Connection, mode: &str) -> u64 {
    let pragma = format!("PRAGMA wal_checkpoint({mode})");
    let pages: rusqlite::Result<i64> = conn.query_row(&pragma, [], |row| row.get(1));
    pages.map_or(0, i64::unsigned_abs)
}

fn abandon(conn: &Connection) {
    if !conn.is_autocommit() {
        run_sql(conn, "ROLLBACK").ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOINED: &str = "EXPLAIN QUERY PLAN SELECT s.name FROM large l JOIN small s ON s.id = l.small_id \
        WHERE l.small_id = 'a' AND l.id = 7";

    fn reads_whole(path: &Path) -> bool {
        let conn = connect(path).unwrap();
        let mut plan = conn.prepare(JOINED).unwrap();
        let steps = plan.query_map([], |row| row.get::<_, String>(3)).unwrap();
        steps.map(Result::unwrap).any(|step| step.starts_with("SCAN"))
    }

    #[test]
    fn small_tables_are_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counted.db");
        let conn = connect(&path).unwrap();
        count_rows(&conn).unwrap();
        let tables = "CREATE TABLE small (id TEXT PRIMARY KEY, name TEXT); \
            CREATE TABLE large (small_id TEXT, id BIGINT, PRIMARY KEY (small_id, id)); \
            INSERT INTO small VALUES ('a', 'A'); \
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000) \
            INSERT INTO large SELECT 'a', n FROM number; \
            ANALYZE";
        conn.execute_batch(tables).unwrap();
        assert!(reads_whole(&path), "counted, a small table is read whole");
        count_rows(&conn).unwrap();
        assert!(!reads_whole(&path));
        let counted = "SELECT group_concat(DISTINCT tbl) FROM sqlite_stat1";
        let counted: String = conn.query_row(counted, [], |row| row.get(0)).unwrap();
        assert_eq!(counted, "large");
    }
}
