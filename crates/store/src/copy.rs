//! Backup and restore: a copy of every table, always as one SQLite file, whichever engine serves.
//!
//! A backup is taken in one snapshot while the database is in use. Because the file is the same
//! for both engines, it also carries a database from one engine to the other.

use std::{path::Path, sync::Arc, time::Duration};

use rusqlite::Connection;
use spotter_kernel::{Problem, Result, Timestamp};

use crate::{
    db::Location,
    migrate::migrate,
    row::{Row, Source},
    session::Session,
    sql::Sql,
    sqlite,
    tx::{Engine, Tx},
    value::Value,
};

/// How far a copy has come: what is copied, and how much of it so far.
pub type Progress<'p> = &'p mut dyn FnMut(&str, u64);

/// Rows that are copied at once.
const STEP: i64 = 1_000;

/// Writes a consistent copy of the database to a new file.
pub fn backup(from: &Location, to: &Path, now: Timestamp, progress: Progress<'_>) -> Result<()> {
    if to.exists() {
        return Err(Problem::internal(format!("{} exists already", to.display())));
    }
    match from {
        Location::File(path) => {
            let conn = sqlite::connect(path)?;
            // The engine copies in one go: how far it is shows in the size of the new file.
            std::thread::scope(|scope| {
                let copy =
                    scope.spawn(move || conn.execute("VACUUM INTO ?1", [to.to_string_lossy()]));
                while !copy.is_finished() {
                    std::thread::sleep(Duration::from_millis(20));
                    let bytes = std::fs::metadata(to).map_or(0, |file| file.len());
                    progress("kilobytes of the whole file", bytes / 1024);
                }
                copy.join().map_err(|_| Problem::internal("the copy panicked"))
            })?
            .map(drop)
            .map_err(Problem::internal)
        }
        Location::Server(url) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            migrate(&Location::File(to.to_owned()), now, |_| ())?;
            let target = sqlite::connect(to)?;
            session.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
            let tables = tables(&target)?;
            let source = &mut Tx::new(Engine::Postgres(&mut session));
            let target = &mut Tx::new(Engine::Sqlite(&target));
            copy_all(source, target, &tables, progress)?;
            session.script("COMMIT")
        }
    }
}

/// Fills an empty database from a backup. A database that holds a company is refused.
pub fn restore(from: &Path, to: &Location, now: Timestamp, progress: Progress<'_>) -> Result<()> {
    if !from.exists() {
        return Err(Problem::internal(format!("{} does not exist", from.display())));
    }
    // The backup may be older than this binary: bring a scratch copy of it up to date first, which
    // no other process may use that restores the same backup.
    let scratch = from.with_extension(format!("restoring-{}", std::process::id()));
    std::fs::copy(from, &scratch).map_err(Problem::internal)?;
    let restored = restore_from(&scratch, to, now, progress);
    for suffix in ["", "-wal", "-shm"] {
        let mut name = scratch.clone().into_os_string();
        name.push(suffix);
        std::fs::remove_file(name).ok();
    }
    restored
}

fn restore_from(from: &Path, to: &Location, now: Timestamp, progress: Progress<'_>) -> Result<()> {
    migrate(&Location::File(from.to_owned()), now, |_| ())?;
    migrate(to, now, |_| ())?;
    let source = sqlite::connect(from)?;
    let tables = tables(&source)?;
    let source = &mut Tx::new(Engine::Sqlite(&source));
    match to {
        Location::File(path) => {
            let target = sqlite::connect(path)?;
            target
                .execute_batch("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
                .map_err(Problem::internal)?;
            copy_all(source, &mut Tx::new(Engine::Sqlite(&target)), &tables, progress)?;
            target.execute_batch("COMMIT").map_err(Problem::internal)
        }
        Location::Server(url) => {
            let mut target = Session::connect(Arc::from(url.as_str()))?;
            target.script("BEGIN; SET LOCAL statement_timeout = 0")?;
            copy_all(source, &mut Tx::new(Engine::Postgres(&mut target)), &tables, progress)?;
            target.script("COMMIT; ANALYZE")
        }
    }
}

struct Table {
    name: String,
    columns: Vec<(String, String)>,
    key: Vec<String>,
}

/// Every table but the schema's own book, parents before children.
fn tables(conn: &Connection) -> Result<Vec<Table>> {
    let tx = &mut Tx::new(Engine::Sqlite(conn));
    let names: Vec<(String,)> = tx.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
         AND name <> 'schema_version' ORDER BY rowid",
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
    progress: Progress<'_>,
) -> Result<()> {
    let companies: Vec<(i64,)> = target.rows("SELECT COUNT(*) FROM company", &[])?;
    if companies.first().is_some_and(|row| row.0 > 0) {
        return Err(Problem::internal("the database to restore into holds data already"));
    }
    for table in tables {
        copy_table(source, target, table, progress)?;
    }
    Ok(())
}

fn copy_table(
    source: &mut Tx<'_>,
    target: &mut Tx<'_>,
    table: &Table,
    progress: Progress<'_>,
) -> Result<()> {
    let names: Vec<_> = table.columns.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    let marks: Vec<_> = (1..=table.columns.len()).map(|n| format!("?{n}")).collect();
    // Texts of statements live as long as the process; a restore needs one a table.
    let insert = format!("INSERT INTO {} ({names}) VALUES ({})", table.name, marks.join(", "));
    let insert = Sql(Box::leak(insert.into_boxed_str()));
    let width = table.key.len();
    let key = table.key.join(", ");
    let after: Vec<_> = (1..=width).map(|n| format!("?{n}")).collect();
    let after = after.join(", ");
    let first = format!("SELECT {names} FROM {} ORDER BY {key} LIMIT {STEP}", table.name);
    let next = format!(
        "SELECT {names} FROM {} WHERE ({key}) > ({after}) ORDER BY {key} LIMIT {STEP}",
        table.name
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
    /// Rows as values, by the declared type of each column.
    fn raw_rows(
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
