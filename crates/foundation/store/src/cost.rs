//! The cost of transactions: statements, round trips and rows. The suite keeps a snapshot of it, in which a change of
//! cost is a line in a review.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{batch::Effect, value::Value};

tokio::task_local! {
    static METER: CostMeter;
}

/// Counts the cost of the transactions that a task begins; clones share it.
#[derive(Clone, Debug, Default)]
pub struct CostMeter(Arc<Mutex<Cost>>);

/// What transactions have cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Statements of closures. Those of the engine, such as `COMMIT`, do not count.
    pub statements: u64,
    /// Pages that SQLite wrote for a commit; 0 on PostgreSQL.
    pub pages: u64,
    /// Times that a transaction has waited for a server. Statements are prepared once for each connection, which does
    /// not count.
    pub round_trips: u64,
    /// Rows that statements returned, by the first table that each reads.
    pub read: BTreeMap<String, u64>,
    /// Reads that equal an earlier one, by the same table: what was known already.
    pub repeated: BTreeMap<String, u64>,
    /// Rows that statements wrote, by table. On PostgreSQL the number is not known of all of them, and each statement
    /// counts as one.
    pub written: BTreeMap<String, u64>,
    /// Reads so far, with their values.
    asked: BTreeSet<String>,
}

impl CostMeter {
    /// Runs a future, and counts the transactions that its task begins meanwhile.
    pub async fn measure<F: Future>(&self, future: F) -> F::Output {
        METER.scope(self.clone(), future).await
    }

    /// The cost so far.
    pub fn cost(&self) -> Cost {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The meter of the current task.
    pub(crate) fn current() -> Option<Self> {
        METER.try_with(Clone::clone).ok()
    }

    fn change(&self, change: impl FnOnce(&mut Cost)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Counts a statement that returned or changed this many rows.
    pub(crate) fn count_statement(&self, sql: &str, params: &[Value<'_>], rows: u64) {
        let reads = Effect::of(sql) == Effect::Looks;
        let table = if reads { table_after(sql, &["FROM"]) } else { table_after(sql, &WRITES) };
        self.change(|cost| {
            cost.statements += 1;
            if reads && !cost.asked.insert(format!("{sql} {params:?}")) {
                *cost.repeated.entry(table.to_owned()).or_default() += 1;
            }
            let tables = if reads { &mut cost.read } else { &mut cost.written };
            if rows > 0 {
                *tables.entry(table.to_owned()).or_default() += rows;
            }
        });
    }

    /// Counts pages that a commit wrote.
    pub(crate) fn count_pages(&self, pages: u64) {
        self.change(|cost| cost.pages += pages);
    }

    /// Counts a wait for a server.
    pub(crate) fn count_round_trip(&self) {
        self.change(|cost| cost.round_trips += 1);
    }
}

const WRITES: [&str; 3] = ["INTO", "UPDATE", "DELETE FROM"];

/// The name behind the first of these words, or nothing.
fn table_after<'s>(sql: &'s str, words: &[&str]) -> &'s str {
    let places = words.iter().filter_map(|word| Some(sql.find(&format!("{word} "))? + word.len()));
    let Some(at) = places.min() else { return "-" };
    let rest = sql[at..].trim_start_matches([' ', '(']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    match &rest[..end] {
        "" => "-",
        // A query within: the table that it reads.
        "SELECT" => table_after(&rest[end..], words),
        table => table,
    }
}

#[cfg(test)]
mod tests {
    use super::table_after;

    #[test]
    fn statements_name_their_table() {
        assert_eq!(table_after("SELECT 1 FROM client WHERE company_id = ?1", &["FROM"]), "client");
        assert_eq!(table_after("SELECT 1 FROM (SELECT a FROM tag t) x", &["FROM"]), "tag");
        assert_eq!(table_after("INSERT INTO tag (a) VALUES (?1)", &super::WRITES), "tag");
        assert_eq!(table_after("UPDATE tag SET a = ?1", &super::WRITES), "tag");
        assert_eq!(table_after("DELETE FROM tag WHERE a IN (SELECT 1)", &super::WRITES), "tag");
        assert_eq!(table_after("SELECT 1", &["FROM"]), "-");
    }
}
