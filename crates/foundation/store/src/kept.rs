//! Records that a transaction has read, so that a question that is asked twice is answered once. A statement that
//! names their table forgets them.

use std::any::Any;

use crate::value::Value;

/// Most records that are kept: those that many steps of an operation ask for, such as the company and the client.
const KEPT_MAX: usize = 16;

/// The records of one transaction.
#[derive(Default)]
pub(crate) struct KeptReads(Vec<KeptRead>);

struct KeptRead {
    sql: &'static str,
    params: Vec<Value<'static>>,
    table: &'static str,
    /// An `Option` of the record.
    answer: Box<dyn Any + Send>,
}

impl KeptReads {
    /// The answer to a statement that was asked before.
    pub(crate) fn find<R: Clone + 'static>(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
    ) -> Option<Option<R>> {
        let is_same = |kept: &&KeptRead| std::ptr::eq(kept.sql, sql) && kept.params == params;
        self.0.iter().find(is_same)?.answer.downcast_ref().cloned()
    }

    /// Whether a statement was asked before.
    pub(crate) fn contains(&self, sql: &str, params: &[Value<'_>]) -> bool {
        self.0.iter().any(|kept| kept.sql == sql && kept.params == params)
    }

    /// Keeps an answer.
    pub(crate) fn keep<R: Send + 'static>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        answer: Option<R>,
    ) {
        debug_assert!(is_of_one_table(sql), "a kept record is of one table: {sql}");
        let Some(table) = table_of(sql).filter(|_| self.0.len() < KEPT_MAX) else { return };
        let params = params.iter().map(|value| value.clone().into_owned()).collect();
        self.0.push(KeptRead { sql, params, table, answer: Box::new(answer) });
    }

    /// Forgets what a statement may change.
    pub(crate) fn forget(&mut self, sql: &str) {
        if !self.0.is_empty() && !sql.starts_with("SELECT") {
            self.0.retain(|kept| !sql.contains(kept.table));
        }
    }
}

/// Whether a statement reads one table, whose writes alone change its answer.
fn is_of_one_table(sql: &str) -> bool {
    sql.matches(" FROM ").count() == 1 && !sql.contains(" JOIN ")
}

/// The table of a statement that reads one.
fn table_of(sql: &'static str) -> Option<&'static str> {
    let (_, rest) = sql.split_once(" FROM ")?;
    rest.split([' ', ',']).next().filter(|table| !table.starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIND: &str = "SELECT name FROM client WHERE client_id = ?1";

    #[test]
    fn a_record_is_kept_until_its_table_is_written() {
        let mut kept = KeptReads::default();
        let (ann, bea) = ([Value::Int(1)], [Value::Int(2)]);
        kept.keep(FIND, &ann, Some("Ann".to_owned()));
        kept.keep(FIND, &bea, None::<String>);
        assert_eq!(kept.find(FIND, &ann), Some(Some("Ann".to_owned())));
        assert_eq!(kept.find::<String>(FIND, &bea), Some(None), "that there is none is known, too");
        assert_eq!(kept.find::<String>(FIND, &[Value::Int(3)]), None);
        assert_eq!(kept.find::<i64>(FIND, &ann), None, "another type is another question");
        kept.forget("SELECT 1 FROM client");
        kept.forget("UPDATE invoice SET paid = 0");
        assert!(kept.find::<String>(FIND, &ann).is_some());
        kept.forget("WITH old AS (SELECT 1) UPDATE client SET name = ?1");
        assert_eq!(kept.find::<String>(FIND, &ann), None);
    }
}
