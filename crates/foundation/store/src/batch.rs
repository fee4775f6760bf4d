//! Deferred statements on their way to PostgreSQL. Adjacent statements that change different tables and read no other
//! are sent as one message, and so are consecutive inserts into a table, and assumptions that need no result: each
//! message saved is one wake-up less on both sides. Where all are about one company, they share its id as one parameter:
//! a cluster then knows that they belong on one of its servers.

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

/// A part of a combined statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StatementPart {
    pub(crate) sql: &'static str,
    /// How many rows it inserts with it.
    pub(crate) rows: usize,
    /// Whether its first parameter is that of the whole statement.
    shares_first: bool,
    /// Where its own values begin.
    offset: usize,
}

impl StatementPart {
    /// The number in the whole statement of a parameter of one of its rows, each with so many own values.
    fn place(&self, parameter: usize, row: usize, width: usize) -> usize {
        match (self.shares_first, parameter) {
            (true, 1) => 1,
            (true, _) => self.offset + row * width + parameter - 1,
            (false, _) => self.offset + row * width + parameter,
        }
    }

    /// Its text, with own values up to a place.
    fn text(&self, to: usize) -> String {
        let width = (to - self.offset) / self.rows;
        let mut text = to_postgres(self.sql, |parameter| self.place(parameter, 0, width));
        if let Some((_, row)) = self.sql.split_once(VALUES) {
            for at in 1..self.rows {
                text.push_str(", ");
                text.push_str(&to_postgres(row, |parameter| self.place(parameter, at, width)));
            }
        }
        text
    }
}

/// Deferred statements that are sent as one.
pub(crate) struct CombinedStatement {
    pub(crate) parts: Vec<StatementPart>,
    pub(crate) values: Vec<Value<'static>>,
    pub(crate) ask: ExpectedRows,
    /// What each part does.
    effects: Vec<Effect<'static>>,
}

impl CombinedStatement {
    /// The text as PostgreSQL takes it. Parts of one statement run side by side, in no order, on
    /// one snapshot, which changes nothing where each writes a table of its own.
    pub(crate) fn text(&self) -> String {
        let ends = self.parts.iter().skip(1).map(|part| part.offset).chain([self.values.len()]);
        let mut texts: Vec<String> =
            self.parts.iter().zip(ends).map(|(part, end)| part.text(end)).collect();
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
        let shares = self.shares_first(&deferred);
        if let Some(part) = self.parts.last_mut()
            && self.ask == ExpectedRows::Nothing
            && part.sql == deferred.sql
            && part.rows < ROWS_MAX
            && part.shares_first == shares
            && inserts_plainly(part.sql)
        {
            part.rows += 1;
            self.values.extend(deferred.values.into_iter().skip(usize::from(shares)));
            return None;
        }
        let effect = Effect::of(deferred.sql);
        if !self.effects.iter().all(|before| before.leaves_room_for(effect)) {
            return Some(deferred);
        }
        let offset = self.values.len();
        self.parts.push(StatementPart { sql: deferred.sql, rows: 1, shares_first: shares, offset });
        self.values.extend(deferred.values.into_iter().skip(usize::from(shares)));
        self.effects.push(effect);
        None
    }

    /// Whether a statement's first parameter is that of this one: the same text, such as the company's id.
    fn shares_first(&self, deferred: &DeferredStatement) -> bool {
        match (self.values.first(), deferred.values.first()) {
            (Some(Value::Text(own)), Some(Value::Text(other))) => own == other,
            _ => false,
        }
    }

    fn alone(deferred: DeferredStatement) -> Self {
        let DeferredStatement { sql, values, expected: kind } = deferred;
        let shares_first = matches!(values.first(), Some(Value::Text(_)));
        let offset = usize::from(shares_first);
        let parts = vec![StatementPart { sql, rows: 1, shares_first, offset }];
        Self { parts, values, ask: kind, effects: vec![Effect::of(sql)] }
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
    fn statements_about_one_company_share_its_id() {
        let of = |company: &'static str, sql, value| DeferredStatement {
            sql,
            values: vec![Value::Text(company.into()), Value::Int(value)],
            expected: ExpectedRows::Nothing,
        };
        const ROW: &str = "INSERT INTO c (x, y) VALUES (?1, ?2)";
        let all = combine(vec![
            of("one", "UPDATE a SET y = ?2 WHERE x = ?1", 1),
            of("one", ROW, 2),
            of("one", ROW, 3),
            of("one", "DELETE FROM b WHERE x = ?1 AND y = ?2", 4),
            of("other", "DELETE FROM d WHERE x = ?1 AND y = ?2", 5),
            of("other", ROW, 6),
        ]);
        let texts: Vec<String> = all.iter().map(CombinedStatement::text).collect();
        assert_eq!(
            texts,
            [
                "WITH part_0 AS (UPDATE a SET y = $2 WHERE x = $1), \
                 part_1 AS (INSERT INTO c (x, y) VALUES ($1, $3), ($1, $4)), \
                 part_2 AS (DELETE FROM b WHERE x = $1 AND y = $5) \
                 DELETE FROM d WHERE x = $6 AND y = $7",
                "INSERT INTO c (x, y) VALUES ($1, $2)",
            ]
        );
        assert_eq!((all[0].values.len(), all[1].values.len()), (7, 2));
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
