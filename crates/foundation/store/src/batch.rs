//! Deferred statements on their way to PostgreSQL. Adjacent statements that change different tables and read no other
//! are sent as one message, and so are consecutive inserts into a table, and assumptions that need no result: each
//! message saved is one wake-up less on both sides.

use crate::{sql::to_postgres, value::Value};

/// A statement that waits for the next one to be sent, or for the commit.
pub(crate) struct DeferredStatement {
    pub(crate) sql: &'static str,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) expected: ExpectedRows,
}

/// What a queued statement needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedRows {
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
pub(crate) type StatementPart = (&'static str, usize);

/// Deferred statements that are sent as one.
pub(crate) struct CombinedStatement {
    pub(crate) parts: Vec<StatementPart>,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) ask: ExpectedRows,
    /// Where each part's values begin.
    offsets: Vec<usize>,
    /// What each part does.
    effects: Vec<Effect<'static>>,
}

impl CombinedStatement {
    /// The text as PostgreSQL takes it. Parts of one statement run side by side, in no order, on
    /// one snapshot, which changes nothing where each writes a table of its own.
    pub(crate) fn text(&self) -> String {
        let ends = self.offsets.iter().skip(1).copied().chain([self.values.len()]);
        let each = self.parts.iter().zip(&self.offsets).zip(ends);
        let mut texts: Vec<String> =
            each.map(|(((sql, rows), from), to)| with_rows(sql, *rows, *from, to)).collect();
        if self.ask == ExpectedRows::OneRow && texts.len() > 1 {
            for (text, effect) in texts.iter_mut().zip(&self.effects) {
                if matches!(effect, Effect::Changes(_)) {
                    text.push_str(" RETURNING 1");
                }
            }
            // One row of each part, side by side, is one row; none of any part is none.
            let names: Vec<String> = (0..texts.len()).map(|at| format!("part_{at}")).collect();
            texts.push(format!("SELECT 1 FROM {}", names.join(", ")));
        }
        let last = texts.pop().unwrap_or_default();
        if texts.is_empty() {
            return last;
        }
        let others = texts.iter().enumerate().map(|(at, text)| format!("part_{at} AS ({text})"));
        format!("WITH {} {last}", others.collect::<Vec<_>>().join(", "))
    }

    /// Merges the statement if that has no visible effect; returns it otherwise.
    fn take(&mut self, deferred: DeferredStatement) -> Option<DeferredStatement> {
        if self.ask != deferred.expected {
            return Some(deferred);
        }
        if let Some((sql, rows)) = self.parts.last_mut()
            && self.ask == ExpectedRows::Nothing
            && *sql == deferred.sql
            && *rows < ROWS_MAX
            && inserts_plainly(sql)
        {
            *rows += 1;
            self.values.extend(deferred.values);
            return None;
        }
        let effect = Effect::of(deferred.sql);
        if !self.effects.iter().all(|before| before.leaves_room_for(effect)) {
            return Some(deferred);
        }
        self.offsets.push(self.values.len());
        self.parts.push((deferred.sql, 1));
        self.values.extend(deferred.values);
        self.effects.push(effect);
        None
    }

    fn alone(deferred: DeferredStatement) -> Self {
        let DeferredStatement { sql, values, expected: kind } = deferred;
        Self {
            parts: vec![(sql, 1)],
            values,
            ask: kind,
            offsets: vec![0],
            effects: vec![Effect::of(sql)],
        }
    }
}

/// Merges adjacent statements where that has no visible effect.
pub(crate) fn combine(deferred: Vec<DeferredStatement>) -> Vec<CombinedStatement> {
    let mut all: Vec<CombinedStatement> = Vec::new();
    for one in deferred {
        let left = match all.last_mut() {
            Some(last) => last.take(one),
            None => Some(one),
        };
        all.extend(left.map(CombinedStatement::alone));
    }
    all
}

/// What a statement does, as far as it matters to others beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect<'s> {
    /// It changes nothing.
    Looks,
    /// It changes this table and reads no other.
    Changes(&'s str),
    /// Whatever it does, nothing runs beside it.
    Any,
}

impl<'s> Effect<'s> {
    pub(crate) fn of(sql: &'s str) -> Self {
        let verbs = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
        let Some(rest) = verbs.iter().find_map(|verb| sql.strip_prefix(verb)) else {
            return if sql.starts_with("SELECT ") { Self::Looks } else { Self::Any };
        };
        let looks = [" FROM ", " USING ", "RETURNING"].iter().any(|word| rest.contains(word));
        let table = rest.split([' ', '(']).next().filter(|_| !looks);
        table.map_or(Self::Any, Self::Changes)
    }

    /// Whether the other may run beside this one although it comes after it.
    fn leaves_room_for(self, other: Self) -> bool {
        match (self, other) {
            (Self::Looks, Self::Looks | Self::Changes(_)) => true,
            (Self::Changes(one), Self::Changes(other)) => one != other,
            _ => false,
        }
    }
}

const VALUES: &str = " VALUES ";

/// Whether a statement does nothing but insert the row of its parameters.
fn inserts_plainly(sql: &str) -> bool {
    sql.starts_with("INSERT INTO ")
        && sql.contains(VALUES)
        && sql.ends_with(')')
        && ![" FROM ", "CONFLICT"].iter().any(|word| sql.contains(word))
}

/// A part's text, with parameters numbered from `from` to `to`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(sql: &'static str, values: &[i64], kind: ExpectedRows) -> DeferredStatement {
        DeferredStatement {
            sql,
            values: values.iter().map(|v| Value::Int(*v)).collect(),
            expected: kind,
        }
    }

    #[test]
    fn neighbours_on_different_tables_become_one() {
        let write = |sql, values: &[i64]| waiting(sql, values, ExpectedRows::Nothing);
        const ROW: &str = "INSERT INTO c (x, y) VALUES (?1, ?2)";
        let all = combine(vec![
            waiting("SELECT 1 FROM t WHERE x = ?1", &[1], ExpectedRows::OneRow),
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
        let texts: Vec<String> = all.iter().map(CombinedStatement::text).collect();
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
        assert_eq!((all[0].ask, all[1].ask), (ExpectedRows::OneRow, ExpectedRows::Nothing));
    }

    #[test]
    fn assumptions_become_one_row_together() {
        let assumed = |sql, value| waiting(sql, &[value], ExpectedRows::OneRow);
        let rows =
            |number| waiting("SELECT y FROM t WHERE x = ?1", &[7], ExpectedRows::Rows(number));
        let all = combine(vec![
            assumed("SELECT 1 FROM t WHERE x = ?1", 1),
            assumed("SELECT 1 FROM u WHERE x = ?1", 2),
            assumed("INSERT INTO a (x) SELECT CAST(?1 AS TEXT) WHERE claim(?1)", 3),
            assumed("UPDATE b SET x = 1 WHERE y = ?1", 4),
            assumed("SELECT 1 FROM a WHERE x = ?1", 5),
            assumed("UPDATE b SET x = 2 WHERE y = ?1", 6),
            assumed("UPDATE b SET x = 3 WHERE y = ?1", 7),
            rows(0),
            rows(1),
        ]);
        let texts: Vec<String> = all.iter().map(CombinedStatement::text).collect();
        assert_eq!(
            texts,
            [
                "WITH part_0 AS (SELECT 1 FROM t WHERE x = $1), \
                 part_1 AS (SELECT 1 FROM u WHERE x = $2), \
                 part_2 AS (INSERT INTO a (x) SELECT CAST($3 AS TEXT) WHERE claim($3) RETURNING 1), \
                 part_3 AS (UPDATE b SET x = 1 WHERE y = $4 RETURNING 1) \
                 SELECT 1 FROM part_0, part_1, part_2, part_3",
                "WITH part_0 AS (SELECT 1 FROM a WHERE x = $1), \
                 part_1 AS (UPDATE b SET x = 2 WHERE y = $2 RETURNING 1) \
                 SELECT 1 FROM part_0, part_1",
                "UPDATE b SET x = 3 WHERE y = $1",
                "SELECT y FROM t WHERE x = $1",
                "SELECT y FROM t WHERE x = $1",
            ]
        );
    }
}
