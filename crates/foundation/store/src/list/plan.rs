//! How statements would run, for tests of query plans.

use spotter_kernel::{Problem, Result};

use crate::{
    sql::to_postgres,
    tx::{Engine, Tx, read_all},
};

impl Tx<'_> {
    /// Prepares a statement without running it, for the test that prepares them all.
    pub fn check(&mut self, text: &str) -> Result<()> {
        match &mut self.engine {
            Engine::Sqlite(conn) => conn
                .prepare(text)
                .map(drop)
                .map_err(|e| Problem::internal(format!("{e} in {text}"))),
            Engine::Postgres(session) => session.check(&to_postgres(text, |own| own)),
        }
    }

    /// The plan of a statement for any parameters, one line per step, for tests of query plans.
    pub fn plan(&mut self, text: &str) -> Result<Vec<String>> {
        match &mut self.engine {
            Engine::Sqlite(_) => {
                let text = format!("EXPLAIN QUERY PLAN {text}");
                let rows: Vec<(i64, i64, i64, String)> = self.rows(&text, &[])?;
                Ok(rows.into_iter().map(|row| row.3).collect())
            }
            Engine::Postgres(session) => {
                let text = to_postgres(text, |own| own);
                let numbers = text.split('$').skip(1).filter_map(|rest| {
                    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
                });
                // Plans are for any values, but on a cluster, where they are for the server of a company.
                let values = match numbers.max().unwrap_or_default() {
                    0 => String::new(),
                    number => format!("({})", vec!["'1'"; number].join(", ")),
                };
                // The transaction begins with its first statement.
                session.query("SELECT 1", &[])?;
                let name = format!("looked_at_{}", session.shard());
                session.script(&format!("PREPARE {name} AS {text}"))?;
                let rows: Vec<(String,)> =
                    read_all(&session.query(&format!("EXPLAIN EXECUTE {name} {values}"), &[])?)?;
                session.script(&format!("DEALLOCATE {name}"))?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }
        }
    }
}
