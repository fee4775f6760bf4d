//! Questions that are asked ahead of their time: over a network they travel with the statement before, so that their
//! rows are here when the question itself comes. What is written in between makes them stale.

use crate::{batch::Effect, value::Value};

/// The questions of one transaction whose rows nobody has asked for yet.
#[derive(Default)]
pub(crate) struct QuestionsAhead(Vec<Question>);

struct Question {
    sql: &'static str,
    params: Vec<Value<'static>>,
    /// The number under which its rows arrive.
    number: usize,
}

impl QuestionsAhead {
    /// Whether this question is on its way.
    pub(crate) fn contains(&self, sql: &str, params: &[Value<'_>]) -> bool {
        self.place(sql, params).is_some()
    }

    /// Notes a question, and the number under which its rows arrive.
    pub(crate) fn note(&mut self, sql: &'static str, params: &[Value<'_>], number: usize) {
        let params = params.iter().map(|value| value.clone().into_owned()).collect();
        self.0.push(Question { sql, params, number });
    }

    /// The number of this question, which is answered once.
    pub(crate) fn take(&mut self, sql: &str, params: &[Value<'_>]) -> Option<usize> {
        let place = self.place(sql, params)?;
        Some(self.0.swap_remove(place).number)
    }

    /// Forgets questions whose answer a statement may change.
    pub(crate) fn forget(&mut self, sql: &str) {
        if self.0.is_empty() {
            return;
        }
        match Effect::of(sql) {
            Effect::Looks => {}
            Effect::Changes(table) => self.0.retain(|question| !names(question.sql, table)),
            Effect::Any => self.0.clear(),
        }
    }

    fn place(&self, sql: &str, params: &[Value<'_>]) -> Option<usize> {
        self.0.iter().position(|question| question.sql == sql && question.params == params)
    }
}

/// Whether a statement has a table's name in it as a word.
fn names(sql: &str, table: &str) -> bool {
    sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIND: &str = "SELECT invoice_id FROM client WHERE client_id = ?1";

    #[test]
    fn a_question_is_answered_once_and_not_after_a_write() {
        let mut asked = QuestionsAhead::default();
        let (ann, bea) = ([Value::Int(1)], [Value::Int(2)]);
        let ask = |asked: &mut QuestionsAhead| {
            asked.note(FIND, &ann, 7);
            asked.note(FIND, &bea, 8);
        };
        ask(&mut asked);
        assert_eq!(asked.take(FIND, &[Value::Int(3)]), None);
        assert_eq!(asked.take(FIND, &bea), Some(8));
        assert_eq!(asked.take(FIND, &bea), None);
        for (statement, stays) in [
            ("SELECT name FROM client", true),
            ("UPDATE invoice SET paid = 0", true),
            ("DELETE FROM client WHERE client_id = ?1", false),
            ("UPDATE client SET name = ?1", false),
            ("WITH old AS (SELECT 1) UPDATE client SET name = ?1", false),
            ("INSERT INTO invoice (paid) SELECT 0 FROM client", false),
        ] {
            let mut asked = QuestionsAhead::default();
            ask(&mut asked);
            asked.forget(statement);
            assert_eq!(asked.contains(FIND, &ann), stays, "{statement}");
        }
    }
}
