//! A snapshot of a company's rows, derived from the schema: "nothing changed" means every table and every column.

use std::collections::BTreeMap;

use spotter_company::metrics;
use spotter_kernel::{Result, id::CompanyId};
use spotter_store::{Sql, Tx, params};

use super::Engine;

/// What changes by itself: jobs fold appended rows of totals, and requests are counted.
const BY_THEMSELVES: &[&str] = &["tally", "api_client_window"];

const COLUMNS_ON_SQLITE: Sql = Sql("SELECT m.name, c.name, c.type FROM sqlite_master m, \
    pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid");
const COLUMNS_ON_POSTGRES: Sql =
    Sql("SELECT table_name::TEXT, column_name::TEXT, data_type::TEXT \
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position");

/// The tables with rows of a company, each with the number of rows and a checksum.
pub fn of(
    tx: &mut Tx<'_>,
    engine: Engine,
    company: CompanyId,
) -> Result<BTreeMap<String, (i64, i64)>> {
    let columns = match engine {
        Engine::Sqlite => COLUMNS_ON_SQLITE,
        Engine::Postgres => COLUMNS_ON_POSTGRES,
    };
    let mut tables: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (table, column, kind) in tx.all::<(String, String, String)>(columns, params![])? {
        tables.entry(table).or_default().push((column, kind.to_uppercase()));
    }
    tables.retain(|name, columns| {
        columns.iter().any(|(column, _)| column == "company_id")
            && !BY_THEMSELVES.contains(&name.as_str())
            && !metrics::TABLES.iter().any(|table| table.name == name)
    });
    let mut state = BTreeMap::new();
    for (table, columns) in tables {
        let sums: Vec<_> = columns.iter().map(|(column, kind)| figure(column, kind)).collect();
        let text = format!(
            "SELECT COUNT(*), CAST(COALESCE(SUM({}), 0) AS BIGINT) FROM {table} WHERE company_id = ?1",
            sums.join(" + ")
        );
        let row: Option<(i64, i64)> = tx.one(Sql(text.leak()), params![company])?;
        state.insert(table, row.unwrap_or_default());
    }
    Ok(state)
}

/// A column's value as a number that a change of it changes.
fn figure(column: &str, kind: &str) -> String {
    match kind {
        "BIGINT" => format!("COALESCE({column}, 0)"),
        "BOOLEAN" => format!("CASE WHEN {column} THEN 1 ELSE 0 END"),
        "DOUBLE PRECISION" => format!("CAST(COALESCE({column}, 0) * 1000 AS BIGINT)"),
        _ => format!("COALESCE(LENGTH({column}), 0)"),
    }
}
