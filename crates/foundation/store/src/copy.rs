//! Backup and restore: a copy of every table, always as one SQLite file, whichever engine serves.
//!
//! A backup is taken in one snapshot while the database is in use. It is written beside its place and
//! takes it once it is whole and on disk; the last thing in it is a table with the number of rows of
//! every other, without which, or with other numbers, nothing is restored. Because the file is the
//! same for both engines, it also carries a database from one engine to the other.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;
use spotter_kernel::{Problem, Result, Timestamp, id::CompanyId};

use crate::{
    connection::{SNAPSHOT, within},
    db::DatabaseLocation,
    migrate::{latest_schema, migrate, schema_of},
    row::{Row, Source},
    session::Session,
    sql::Sql,
    sqlite,
    tx::{Engine, Tx},
    value::Value,
};

/// Progress of a copy: the table, and the rows so far.
pub type CopyProgress<'p> = &'p mut dyn FnMut(&str, u64);

/// Runs on the restored rows in the restoring transaction.
pub type AfterRestore<'a> = &'a mut dyn FnMut(&mut Tx<'_>) -> Result<()>;

/// Rows that are copied at once.
const STEP: i64 = 1_000;

/// Writes a consistent copy of the database to a new file. A later version's schema is refused: its tables are unknown.
pub fn backup(
    from: &DatabaseLocation,
    to: &Path,
    now: Timestamp,
    progress: CopyProgress<'_>,
) -> Result<()> {
    write_copy(from, to, |partial| match from {
        DatabaseLocation::File(path) => copy_file(path, partial, progress),
        _ => copy_rows(from, partial, None, now, progress, |_| Ok(())),
    })
}

/// The same of one company alone, in which `afterwards` changes what must not be the same in both.
pub fn export_company(
    from: &DatabaseLocation,
    to: &Path,
    company: CompanyId,
    now: Timestamp,
    progress: CopyProgress<'_>,
    afterwards: impl FnOnce(&mut Tx<'_>) -> Result<()>,
) -> Result<()> {
    write_copy(from, to, |partial| {
        copy_rows(from, partial, Some(company), now, progress, afterwards)
    })
}

fn write_copy(
    from: &DatabaseLocation,
    to: &Path,
    write: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    if to.exists() {
        return Err(Problem::internal(format!("{} exists already", to.display())));
    }
    let (schema, latest) = (schema_of(from)?.version, latest_schema());
    if schema != latest {
        return Err(Problem::internal(format!(
            "the database has schema {schema} and this version of spotter backs up schema {latest}; use the \
             version that serves it"
        )));
    }
    let partial = sibling(to, &format!("partial-{}", std::process::id()));
    remove(&partial);
    let placed = write(&partial).and_then(|()| finish(&partial)).and_then(|()| place(&partial, to));
    placed.inspect_err(|_| remove(&partial))
}

/// A copy of a file by the engine itself.
fn copy_file(from: &Path, to: &Path, progress: CopyProgress<'_>) -> Result<()> {
    let conn = sqlite::connect(from)?;
    // The engine copies in one go: how far it is shows in the size of the new file.
    let copied = std::thread::scope(|scope| {
        let copy = scope.spawn(move || conn.execute("VACUUM INTO ?1", [to.to_string_lossy()]));
        while !copy.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            let bytes = fs::metadata(to).map_or(0, |file| file.len());
            progress("kilobytes of the whole file", bytes / 1024);
        }
        copy.join().map_err(|_| Problem::internal("the copy panicked"))
    })?;
    copied.map(drop).map_err(Problem::internal)
}

/// A copy of tables' rows, in one snapshot of the one and one transaction of the other.
fn copy_rows(
    from: &DatabaseLocation,
    to: &Path,
    company: Option<CompanyId>,
    now: Timestamp,
    progress: CopyProgress<'_>,
    afterwards: impl FnOnce(&mut Tx<'_>) -> Result<()>,
) -> Result<()> {
    migrate(&DatabaseLocation::File(to.to_owned()), now, |_| ())?;
    let target = sqlite::connect(to)?;
    // The file is private, and an aborted copy is discarded.
    batch(&target, "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")?;
    let into = &mut Tx::new(Engine::Sqlite(&target));
    let all = tables(&target)?;
    within(from, "BEGIN", SNAPSHOT, |source| copy_all(source, into, &all, company, progress))?;
    afterwards(into)?;
    batch(&target, "COMMIT")
}

/// Writes the end mark, makes one file of it, and sees it on disk.
fn finish(file: &Path) -> Result<()> {
    let conn = sqlite::connect(file)?;
    let counts = counts(&conn)?;
    batch(
        &conn,
        "PRAGMA synchronous = OFF; BEGIN IMMEDIATE; \
         CREATE TABLE backup_end (name TEXT PRIMARY KEY, row_count BIGINT NOT NULL)",
    )?;
    for (name, count) in counts {
        let row = rusqlite::params![name, count];
        conn.execute("INSERT INTO backup_end VALUES (?1, ?2)", row).map_err(Problem::internal)?;
    }
    batch(&conn, "COMMIT; PRAGMA journal_mode = DELETE")?;
    conn.close().map_err(|(_, error)| Problem::internal(error))?;
    File::open(file).and_then(|file| file.sync_all()).map_err(Problem::internal)
}

/// Moves a finished file to its place, unless that was taken meanwhile.
fn place(partial: &Path, to: &Path) -> Result<()> {
    let taken = |error| Problem::internal(format!("{}: {error}", to.display()));
    fs::hard_link(partial, to)
        .or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Err(error),
            // Not every file system has links.
            _ => fs::rename(partial, to),
        })
        .map_err(taken)?;
    remove(partial);
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Problem::internal)
}

/// A name beside a file's.
fn sibling(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{end}"));
    name.into()
}

/// Removes a database file with what belongs to it.
pub(crate) fn remove(file: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        fs::remove_file(name).ok();
    }
}

fn batch(conn: &Connection, text: &str) -> Result<()> {
    conn.execute_batch(text).map_err(Problem::internal)
}

/// The number of rows of each table.
fn counts(conn: &Connection) -> Result<Vec<(String, i64)>> {
    let count = |table: Table| {
        let sql = format!("SELECT COUNT(*) FROM {}", table.name);
        let count = conn.query_row(&sql, [], |row| row.get(0)).map_err(Problem::internal)?;
        Ok((table.name, count))
    };
    tables(conn)?.into_iter().map(count).collect()
}

/// Refuses a file that is not a whole backup.
pub fn check_backup(file: &Path) -> Result<()> {
    let refused = |why: &str| {
        let name = file.display();
        Problem::internal(format!("{name} is not a whole backup: {why}"))
    };
    let conn = sqlite::connect(file).map_err(|_| refused("it cannot be read"))?;
    let marked: bool = conn
        .query_row(
            "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'backup_end')",
            [],
            |row| row.get(0),
        )
        .map_err(|_| refused("it is damaged"))?;
    if !marked {
        return Err(refused("it has no end mark, so it was cut off or is no backup"));
    }
    let whole: String = conn
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|_| refused("it is damaged"))?;
    if whole != "ok" {
        return Err(refused("it is damaged"));
    }
    for (name, found) in counts(&conn)? {
        let expected =
            conn.query_row("SELECT row_count FROM backup_end WHERE name = ?1", [&name], |row| {
                row.get::<_, i64>(0)
            });
        if expected != Ok(found) {
            return Err(refused(&format!("rows of {name} are missing")));
        }
    }
    Ok(())
}

/// Fills an empty database from a whole backup. A database that holds a company is refused.
pub fn restore(
    from: &Path,
    to: &DatabaseLocation,
    now: Timestamp,
    afterwards: AfterRestore<'_>,
    progress: CopyProgress<'_>,
) -> Result<()> {
    if !from.exists() {
        return Err(Problem::internal(format!("{} does not exist", from.display())));
    }
    // A backup is one file: what lies in a log beside it would be lost silently.
    let mut log = from.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(Problem::internal(format!(
            "{} is not a whole backup: it was changed since it was made, for there is {}. Nothing was \
             restored.",
            from.display(),
            log.display()
        )));
    }
    // The backup may be older than this binary: a scratch copy of it is migrated first, private to this process.
    let scratch = sibling(from, &format!("restoring-{}", std::process::id()));
    fs::copy(from, &scratch).map_err(Problem::internal)?;
    let restored = check_backup(&scratch)
        .map_err(|mut problem| {
            let (scratch, from) = (scratch.display().to_string(), from.display().to_string());
            problem.cause = problem.cause.map(|cause| cause.replace(&scratch, &from));
            problem
        })
        .and_then(|()| restore_from(&scratch, to, now, afterwards, progress));
    remove(&scratch);
    restored
}

fn restore_from(
    from: &Path,
    to: &DatabaseLocation,
    now: Timestamp,
    afterwards: AfterRestore<'_>,
    progress: CopyProgress<'_>,
) -> Result<()> {
    migrate(&DatabaseLocation::File(from.to_owned()), now, |_| ())?;
    migrate(to, now, |_| ())?;
    let source = sqlite::connect(from)?;
    let tables = tables(&source)?;
    let source = &mut Tx::new(Engine::Sqlite(&source));
    let (begin_file, begin_server) =
        ("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", "BEGIN; SET LOCAL statement_timeout = 0");
    within(to, begin_file, begin_server, |tx| {
        copy_all(source, tx, &tables, None, progress)?;
        afterwards(tx)
    })?;
    match to {
        DatabaseLocation::File(_) => Ok(()),
        DatabaseLocation::Server(url) => {
            Session::connect(Arc::from(url.as_str()))?.script("ANALYZE")
        }
    }
}

/// Looks into a backup.
pub fn look_into(backup: &Path, look: AfterRestore<'_>) -> Result<()> {
    let connection = sqlite::connect(backup)?;
    look(&mut Tx::new(Engine::Sqlite(&connection)))
}

/// A table: its columns with their declared types, and those of its key.
pub(crate) struct Table {
    name: String,
    pub(crate) columns: Vec<(String, String)>,
    key: Vec<String>,
}

impl Table {
    /// A table of either engine, without its key.
    pub(crate) fn find(tx: &mut Tx<'_>, name: &str) -> Result<Self> {
        let sql = match tx.engine {
            Engine::Sqlite(_) => "SELECT name, type FROM pragma_table_info(?1) ORDER BY cid",
            Engine::Postgres(_) => {
                "SELECT CAST(column_name AS TEXT), REPLACE(UPPER(CAST(data_type AS TEXT)), 'BYTEA', 'BLOB') \
                 FROM information_schema.columns WHERE table_schema = current_schema() \
                 AND table_name = ?1 ORDER BY ordinal_position"
            }
        };
        let columns: Vec<(String, String)> =
            tx.rows(sql, &[Value::Text(name.to_owned().into())])?;
        match columns.is_empty() {
            true => Err(Problem::internal(format!("there is no table {name}"))),
            false => Ok(Self { name: name.to_owned(), columns, key: Vec::new() }),
        }
    }

    /// Its columns, as statements list them.
    pub(crate) fn column_names(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }

    /// Whether its rows are of companies, and not of the installation.
    fn has_company(&self) -> bool {
        self.columns.iter().any(|(column, _)| column == "company_id")
    }

    /// The condition for the rows that go with a company: its own, what a database needs to be opened with its key, and the
    /// programs that its assistants are. What is in other databases, or belongs to this machine's work, stays.
    fn rows_of(&self, company: CompanyId) -> String {
        match self.name.as_str() {
            "test_environment" | "test_clock" => "FALSE".to_owned(),
            "mcp_client" => format!(
                "client_id IN (SELECT client_id FROM mcp_grant WHERE company_id = '{company}')"
            ),
            "installation" => "TRUE".to_owned(),
            _ if self.has_company() => format!("company_id = '{company}'"),
            _ => "FALSE".to_owned(),
        }
    }

    /// The statement that inserts a row.
    pub(crate) fn insert(&self) -> String {
        let marks: Vec<_> = (1..=self.columns.len()).map(|n| format!("?{n}")).collect();
        let Self { name, .. } = self;
        format!("INSERT INTO {name} ({}) VALUES ({})", self.column_names(), marks.join(", "))
    }
}

/// Every table but the schema's own book, parents before children.
fn tables(conn: &Connection) -> Result<Vec<Table>> {
    let tx = &mut Tx::new(Engine::Sqlite(conn));
    let names: Vec<(String,)> = tx.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
         AND name NOT IN ('schema_version', 'backup_end') ORDER BY rowid",
        &[],
    )?;
    names
        .into_iter()
        .map(|(name,)| {
            let rows: Vec<(String, String, i64)> = tx.rows(
                "SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid",
                &[Value::Text(name.as_str().into())],
            )?;
            let mut key: Vec<_> =
                rows.iter().filter(|row| row.2 > 0).map(|row| (row.2, row.0.clone())).collect();
            key.sort();
            Ok(Table {
                name,
                columns: rows.into_iter().map(|row| (row.0, row.1)).collect(),
                key: key.into_iter().map(|(_, column)| column).collect(),
            })
        })
        .collect()
}

fn copy_all(
    source: &mut Tx<'_>,
    target: &mut Tx<'_>,
    tables: &[Table],
    company: Option<CompanyId>,
    progress: CopyProgress<'_>,
) -> Result<()> {
    let companies: Vec<(i64,)> = target.rows("SELECT COUNT(*) FROM company", &[])?;
    if companies.first().is_some_and(|row| row.0 > 0) {
        return Err(Problem::internal("the database to restore into holds data already"));
    }
    // Without a company it knows what a server or a command has noted at its start, which the copy has, too.
    for Table { name, .. } in tables.iter().rev().filter(|table| !table.has_company()) {
        target.execute(Sql(format!("DELETE FROM {name}").leak()), &[])?;
    }
    for table in tables {
        copy_table(source, target, table, company, progress)?;
    }
    Ok(())
}

fn copy_table(
    source: &mut Tx<'_>,
    target: &mut Tx<'_>,
    table: &Table,
    company: Option<CompanyId>,
    progress: CopyProgress<'_>,
) -> Result<()> {
    let names = table.column_names();
    // Texts of statements live as long as the process; a restore needs one a table.
    let insert = Sql(Box::leak(table.insert().into_boxed_str()));
    let width = table.key.len();
    let key = table.key.join(", ");
    let after: Vec<_> = (1..=width).map(|n| format!("?{n}")).collect();
    let after = after.join(", ");
    let (name, rows) =
        (&table.name, company.map_or_else(|| "TRUE".to_owned(), |id| table.rows_of(id)));
    let first = format!("SELECT {names} FROM {name} WHERE {rows} ORDER BY {key} LIMIT {STEP}");
    let next = format!(
        "SELECT {names} FROM {name} WHERE {rows} AND ({key}) > ({after}) ORDER BY {key} LIMIT {STEP}"
    );
    let mut last: Option<Vec<Value<'static>>> = None;
    let mut copied = 0;
    loop {
        let rows = match &last {
            None => source.raw_rows(&first, &[], &table.columns)?,
            Some(key) => source.raw_rows(&next, key, &table.columns)?,
        };
        rows.iter().try_for_each(|row| target.defer(insert, row))?;
        target.send_deferred()?;
        copied += rows.len() as u64;
        progress(&table.name, copied);
        match rows.last() {
            Some(row) if rows.len() == STEP as usize => {
                let at =
                    |column: &String| table.columns.iter().position(|(name, _)| name == column);
                last = Some(
                    table.key.iter().filter_map(at).map(|position| row[position].clone()).collect(),
                );
            }
            _ => return Ok(()),
        }
    }
}

impl Tx<'_> {
    /// Runs a statement whose text does not live on.
    pub(crate) fn execute_text(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        match &mut self.engine {
            Engine::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql).map_err(Problem::internal)?;
                for (at, value) in params.iter().enumerate() {
                    statement.raw_bind_parameter(at + 1, value).map_err(Problem::internal)?;
                }
                statement.raw_execute().map(|rows| rows as u64).map_err(Problem::internal)
            }
            Engine::Postgres(session) => session.execute(sql, params),
        }
    }

    /// Rows as values, by the declared type of each column.
    pub(crate) fn raw_rows(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        columns: &[(String, String)],
    ) -> Result<Vec<Vec<Value<'static>>>> {
        let read = |row: &Row<'_>| -> Result<Vec<Value<'static>>> {
            let typed = columns.iter().enumerate().map(|(at, (_, kind))| raw(row, at, kind));
            typed.collect()
        };
        match &mut self.engine {
            Engine::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql).map_err(Problem::internal)?;
                for (at, value) in params.iter().enumerate() {
                    statement.raw_bind_parameter(at + 1, value).map_err(Problem::internal)?;
                }
                let mut rows = statement.raw_query();
                let mut out = Vec::new();
                while let Some(row) = rows.next().map_err(Problem::internal)? {
                    out.push(read(&Row(Source::Sqlite(row)))?);
                }
                Ok(out)
            }
            Engine::Postgres(session) => {
                let rows = session.query(sql, params)?;
                rows.iter().map(|row| read(&Row(Source::Postgres(row)))).collect()
            }
        }
    }
}

fn raw(row: &Row<'_>, at: usize, kind: &str) -> Result<Value<'static>> {
    fn or_null<T>(value: Option<T>, into: fn(T) -> Value<'static>) -> Value<'static> {
        value.map_or(Value::Null, into)
    }
    Ok(match kind {
        "BIGINT" => or_null(row.get::<Option<i64>>(at)?, Value::Int),
        "BOOLEAN" => or_null(row.get::<Option<bool>>(at)?, Value::Bool),
        "DOUBLE PRECISION" => or_null(row.get::<Option<f64>>(at)?, Value::Real),
        "BLOB" => or_null(row.get::<Option<Vec<u8>>>(at)?, |v| Value::Bytes(v.into())),
        _ => or_null(row.get::<Option<String>>(at)?, |v| Value::Text(v.into())),
    })
}
