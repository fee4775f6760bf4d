//! Copying rows of one company into another database of the same engine, and the databases that such copies live in.

use std::{fs, path::PathBuf, sync::Arc};

use spotter_kernel::{Problem, Result, id::CompanyId};

use crate::{
    connection::{SNAPSHOT, within},
    copy::Table,
    db::DatabaseLocation,
    session::Session,
    tx::Tx,
    value::Value,
};

/// Most rows of a table that are copied.
const ROWS_MAX: usize = 20_000;

/// Which rows of a table are copied: those of the company that fulfil a condition on the table's own columns.
#[derive(Clone, Copy, Debug)]
pub struct CopiedRows {
    /// The table.
    pub table: &'static str,
    /// The condition.
    pub condition: &'static str,
}

/// Copies rows of a company: read in one snapshot, written in one transaction, in which `afterwards` runs, too. The
/// target has the schema of the source, and nothing of the company.
pub fn copy_company(
    from: &DatabaseLocation,
    to: &DatabaseLocation,
    company: CompanyId,
    copied: &[CopiedRows],
    afterwards: impl FnOnce(&mut Tx<'_>) -> Result<()>,
) -> Result<()> {
    let found = within(from, "BEGIN", SNAPSHOT, |tx| {
        copied.iter().map(|rows| TableRows::read(tx, company, *rows)).collect::<Result<Vec<_>>>()
    })?;
    within(to, "BEGIN IMMEDIATE", "BEGIN", |tx| {
        found.iter().try_for_each(|rows| rows.write(tx))?;
        afterwards(tx)
    })
}

/// Rows of a table.
struct TableRows {
    table: Table,
    rows: Vec<Vec<Value<'static>>>,
}

impl TableRows {
    fn read(tx: &mut Tx<'_>, company: CompanyId, copied: CopiedRows) -> Result<Self> {
        let CopiedRows { table: name, condition } = copied;
        let table = Table::find(tx, name)?;
        let sql = format!(
            "SELECT {} FROM {name} WHERE company_id = ?1 AND {condition} LIMIT {}",
            table.column_names(),
            ROWS_MAX + 1
        );
        let company = Value::Text(company.to_string().into());
        let rows = tx.raw_rows(&sql, &[company], &table.columns)?;
        if rows.len() > ROWS_MAX {
            return Err(Problem::internal(format!("{name} has more than {ROWS_MAX} rows to copy")));
        }
        Ok(Self { table, rows })
    }

    fn write(&self, tx: &mut Tx<'_>) -> Result<()> {
        let insert = self.table.insert();
        self.rows.iter().try_for_each(|row| tx.execute_text(&insert, row).map(drop))
    }
}

/// The place of another database beside one: a file in a folder, or a database on the same server whose name is that of
/// the first and a suffix.
pub fn beside(location: &DatabaseLocation, folder: PathBuf, suffix: &str) -> DatabaseLocation {
    match location {
        DatabaseLocation::File(_) => DatabaseLocation::File(folder.join("spotter.db")),
        DatabaseLocation::Server(url) => DatabaseLocation::Server(renamed(url, suffix)),
    }
}

/// Most characters that a name keeps of the database that it is beside: PostgreSQL's names have 63.
const KEPT_MAX: usize = 23;

/// A server's URL with another database, whose name needs no quotes.
fn renamed(url: &str, suffix: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (place, options) = match rest.split_once('?') {
        Some((place, options)) => (place, format!("?{options}")),
        None => (rest, String::new()),
    };
    let (server, name) = place.split_once('/').unwrap_or((place, ""));
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let mut own: String = name.chars().take(KEPT_MAX).map(plain).collect();
    if own != name {
        // FNV-1a, so that names that are shortened to the same do not share a database.
        let mix = |sum: u32, byte: u8| (sum ^ u32::from(byte)).wrapping_mul(16_777_619);
        own.push_str(&format!("_{:08x}", name.bytes().fold(2_166_136_261, mix)));
    }
    let own =
        if own.starts_with(|c: char| c.is_ascii_lowercase()) { own } else { format!("d{own}") };
    format!("{scheme}://{server}/{own}{suffix}{options}")
}

/// Makes an empty database in place of one that may be there. `from` is a database of the same server, whose role may
/// create others.
pub fn create_empty(from: &DatabaseLocation, new: &DatabaseLocation) -> Result<()> {
    drop_database(from, new)?;
    match (from, new) {
        (DatabaseLocation::Server(url), DatabaseLocation::Server(new)) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            session.script(&format!("CREATE DATABASE {}", database_name(new)?))
        }
        (_, DatabaseLocation::File(path)) => {
            path.parent().map_or(Ok(()), fs::create_dir_all).map_err(Problem::internal)
        }
        (DatabaseLocation::File(_), DatabaseLocation::Server(_)) => Err(other_engine()),
    }
}

/// Deletes a database, if it is there, whoever is connected to it.
pub fn drop_database(from: &DatabaseLocation, gone: &DatabaseLocation) -> Result<()> {
    match (from, gone) {
        (DatabaseLocation::Server(url), DatabaseLocation::Server(gone)) => {
            let mut session = Session::connect(Arc::from(url.as_str()))?;
            let name = database_name(gone)?;
            session.script(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        }
        (_, DatabaseLocation::File(path)) => {
            crate::copy::remove(path);
            Ok(())
        }
        (DatabaseLocation::File(_), DatabaseLocation::Server(_)) => Err(other_engine()),
    }
}

fn other_engine() -> Problem {
    Problem::internal("both databases are of one engine")
}

/// The name in a server's URL, which needs no quotes.
fn database_name(url: &str) -> Result<&str> {
    let name = url.split('?').next().and_then(|url| url.rsplit('/').next()).unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match !name.is_empty() && name.chars().all(plain) {
        true => Ok(name),
        false => Err(Problem::internal(format!("{name} is no name of a database of ours"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_beside_one_has_its_server_and_options() {
        for (url, expected) in [
            ("postgres://u:p@h:5432/own?a=b", "postgres://u:p@h:5432/own_x?a=b"),
            ("postgres://u@%2Frun%2Fpg/Own-2", "postgres://u@%2Frun%2Fpg/own_2_cbad530c_x"),
            ("postgresql://h", "postgresql://h/d_x"),
            ("postgres://h/?user=a/b", "postgres://h/d_x?user=a/b"),
        ] {
            assert_eq!(renamed(url, "_x"), expected);
            assert!(database_name(&renamed(url, "_x")).unwrap().ends_with("_x"));
        }
        assert!(database_name("postgres://h/a;b").is_err());
    }
}
