//! Deferred statements on their way to PostgreSQL. Neighbours that change different tables and
//! read no other are sent as one, and so are the rows of a table that are inserted in a row: each
//! message that is spared is a wake-up less on both sides.

use crate::{sql::to_postgres, value::Value};

/// A statement that waits for the next one to be sent, or for the commit.
pub(crate) struct Deferred {
    pub(crate) sql: &'static str,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) ask: Waiting,
}

/// What is asked of a statement that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Nothing.
    Nothing,
    /// That it touches exactly one row, as the closure took for granted.
    OneRow,
    /// Its rows, which the closure will ask for later by this number.
    Rows(usize),
}

/// Most rows that are inserted by one statement.
const ROWS_MAX: usize = 32;

/// A part of a combined statement: its text, and how many rows it inserts with it.
pub(crate) type Part = (&'static str, usize);

/// Deferred statements that are sent as one.
pub(crate) struct Combined {
    pub(crate) parts: Vec<Part>,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) ask: Waiting,
    /// Where each part's values begin.
    offsets: Vec<usize>,
    /// The tables that the parts change; none where the one part there is stays alone.
    tables: Vec<&'static str>,
}

impl Combined {
    /// The text as PostgreSQL takes it. Parts of one statement run side by side, in no order, on
    /// one snapshot, which changes nothing where each writes a table of its own.
    pub(crate) fn text(&self) -> String {
        let ends = self.offsets.iter().skip(1).copied().chain([self.values.len()]);
        let each = self.parts.iter().zip(&self.offsets).zip(ends);
        let mut texts: Vec<String> =
            each.map(|(((sql, rows), from), to)| with_rows(sql, *rows, *from, to)).collect();
        let last = texts.pop().unwrap_or_default();
        if texts.is_empty() {
            return last;
        }
        let others = texts.iter().enumerate().map(|(at, text)| format!("part_{at} AS ({text})"));
        format!("WITH {} {last}", others.collect::<Vec<_>>().join(", "))
    }

    /// Takes the statement in where nobody could tell; gives it back elsewhere.
    fn take(&mut self, deferred: Deferred, table: Option<&'static str>) -> Option<Deferred> {
        let Some(name) = table.filter(|_| !self.tables.is_empty()) else { return Some(deferred) };
        if let Some((sql, rows)) = self.parts.last_mut()
            && *sql == deferred.sql
            && *rows < ROWS_MAX
            && inserts_plainly(sql)
        {
            *rows += 1;
            self.values.extend(deferred.values);
            return None;
        }
        if self.tables.contains(&name) {
            return Some(deferred);
        }
        self.offsets.push(self.values.len());
        self.parts.push((deferred.sql, 1));
        self.values.extend(deferred.values);
        self.tables.push(name);
        None
    }

    fn alone(deferred: Deferred, table: Option<&'static str>) -> Self {
        let Deferred { sql, values, ask } = deferred;
        let tables = table.into_iter().collect();
        Self { parts: vec![(sql, 1)], values, ask, offsets: vec![0], tables }
    }
}

/// Joins neighbours wherever nobody could tell.
pub(crate) fn combine(deferred: Vec<Deferred>) -> Vec<Combined> {
    let mut all: Vec<Combined> = Vec::new();
    for one in deferred {
        let table = if one.ask == Waiting::Nothing { changes_only(one.sql) } else { None };
        let left = match all.last_mut() {
            Some(last) => last.take(one, table),
            None => Some(one),
        };
        all.extend(left.map(|one| Combined::alone(one, table)));
    }
    all
}

const VALUES: &str = " VALUES ";

/// Whether a statement does nothing but insert the row of its parameters.
fn inserts_plainly(sql: &str) -> bool {
    sql.starts_with("INSERT INTO ") && sql.ends_with(')') && !sql.contains("CONFLICT")
}

/// A part's text, whose parameters are numbered after `from` up to `to`.
fn with_rows(sql: &str, rows: usize, from: usize, to: usize) -> String {
    let mut text = to_postgres(sql, from);
    if let Some((_, row)) = sql.split_once(VALUES) {
        let width = (to - from) / rows;
        for at in 1..rows {
            text.push_str(", ");
            text.push_str(&to_postgres(row, from + at * width));
        }
    }
    text
}

/// The one table that a statement changes, where it looks at no other.
fn changes_only(sql: &'static str) -> Option<&'static str> {
    let (verb, rest) = ["INSERT INTO ", "UPDATE ", "DELETE FROM "]
        .iter()
        .find_map(|verb| Some((*verb, sql.strip_prefix(verb)?)))?;
    let plain =
        ["SELECT", " FROM ", " USING ", "RETURNING"].iter().all(|word| !rest.contains(word))
            && (verb != "INSERT INTO " || rest.contains(VALUES));
    if plain { rest.split([' ', '(']).next() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(sql: &'static str, values: &[i64], ask: Waiting) -> Deferred {
        Deferred { sql, values: values.iter().map(|v| Value::Int(*v)).collect(), ask }
    }

    #[test]
    fn neighbours_on_different_tables_become_one() {
        let write = |sql, values: &[i64]| waiting(sql, values, Waiting::Nothing);
        const ROW: &str = "INSERT INTO c (x, y) VALUES (?1, ?2)";
        let all = combine(vec![
            waiting("SELECT 1 FROM t WHERE x = ?1", &[1], Waiting::OneRow),
            write("UPDATE a SET x = ?2 WHERE y = ?1", &[1, 2]),
            write("DELETE FROM b WHERE y = ?1", &[3]),
            write(ROW, &[4, 5]),
            write(ROW, &[6, 7]),
            write(ROW, &[8, 9]),
            write("INSERT INTO b (y) VALUES (?1)", &[6]),
            write("INSERT INTO d SELECT x FROM a WHERE x = ?1", &[7]),
            write("UPDATE a SET x = ?1", &[8]),
            write("UPDATE a SET x = ?1", &[9]),
        ]);
        let texts: Vec<String> = all.iter().map(Combined::text).collect();
        assert_eq!(
            texts,
            [
                "SELECT 1 FROM t WHERE x = $1",
                "WITH part_0 AS (UPDATE a SET x = $2 WHERE y = $1), \
                 part_1 AS (DELETE FROM b WHERE y = $3) \
                 INSERT INTO c (x, y) VALUES ($4, $5), ($6, $7), ($8, $9)",
                "INSERT INTO b (y) VALUES ($1)",
                "INSERT INTO d SELECT x FROM a WHERE x = $1",
                "UPDATE a SET x = $1",
                "UPDATE a SET x = $1",
            ]
        );
        assert_eq!((all[0].ask, all[1].ask), (Waiting::OneRow, Waiting::Nothing));
    }
}
