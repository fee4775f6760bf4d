//! Deleting all that is one company's, in steps that others do not wait for.

use spotter_kernel::{Result, id::CompanyId};

use crate::{
    tx::{Engine, Tx},
    value::Value,
};

/// Rows of a table that are deleted in one transaction at most.
const STEP: u64 = 500;

/// A table with rows of companies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyTable {
    name: String,
    /// The columns of its key, separated by commas.
    key: String,
}

impl CompanyTable {
    /// All of them, in the order in which a company's rows can be deleted: those that refer to others first, the company's
    /// own row last.
    pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Self>> {
        let found: Vec<(String, String)> = tx.rows(
            match tx.engine {
                Engine::Sqlite(_) => OF_FILE,
                Engine::Postgres(_) => OF_SERVER,
            },
            &[],
        )?;
        let mut all: Vec<Self> = found.into_iter().map(|(name, key)| Self { name, key }).collect();
        // Tables refer to tables that were made before them.
        all.reverse();
        Ok(all)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Deletes some of a company's rows; how many. Fewer than [a step](Self::is_step) are the last.
    pub fn delete_some(&self, tx: &mut Tx<'_>, company: CompanyId) -> Result<u64> {
        let Self { name, key } = self;
        let sql = format!(
            "DELETE FROM {name} WHERE company_id = ?1 AND ({key}) IN \
             (SELECT {key} FROM {name} WHERE company_id = ?1 LIMIT {STEP})"
        );
        tx.execute_text(&sql, &[Value::Text(company.to_string().into())])
    }

    /// How many rows of a company there are.
    pub fn count(&self, tx: &mut Tx<'_>, company: CompanyId) -> Result<i64> {
        let sql = format!("SELECT COUNT(*) FROM {} WHERE company_id = ?1", self.name);
        let found: Vec<(i64,)> = tx.rows(&sql, &[Value::Text(company.to_string().into())])?;
        Ok(found.first().map_or(0, |row| row.0))
    }

    /// Whether so many deleted rows may not have been all.
    pub const fn is_step(deleted: u64) -> bool {
        deleted >= STEP
    }
}

const OF_FILE: &str = "SELECT t.name, (SELECT GROUP_CONCAT(name) FROM \
    (SELECT k.name AS name FROM pragma_table_info(t.name) k WHERE k.pk > 0 ORDER BY k.pk)) \
    FROM sqlite_master t WHERE t.type = 'table' \
    AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) o WHERE o.name = 'company_id') ORDER BY t.rowid";

const OF_SERVER: &str = "SELECT CAST(c.relname AS TEXT), \
    STRING_AGG(CAST(a.attname AS TEXT), ',' ORDER BY k.place) \
    FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary \
    CROSS JOIN LATERAL UNNEST(i.indkey) WITH ORDINALITY AS k (attnum, place) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS REGNAMESPACE) \
    AND EXISTS (SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'company_id') \
    GROUP BY c.oid, c.relname ORDER BY c.oid";
