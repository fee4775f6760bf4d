//! The statements of a list: its total, a page, and pages that are found in other ways.

use super::Shape;

/// The parts of a list's statements that the chosen conditions decide. They are long: each is written where it is sent.
pub(super) struct Texts {
    pub(super) shape: Shape,
    /// A statement of its own for the total.
    pub(super) counted_by: Option<&'static str>,
    pub(super) conditions: String,
    /// The same where very many match, if that is another text.
    pub(super) by_record: Option<String>,
    /// The condition for records from the start of the page on.
    pub(super) began: String,
    /// The number of the last parameter before limit and offset.
    pub(super) last: usize,
    pub(super) is_marked: bool,
    /// Whether an index in the order of the list has what conditions compare, but not the rows.
    pub(super) is_covered: bool,
}

impl Texts {
    pub(super) fn count(&self) -> String {
        let Self { shape: Shape { from, .. }, conditions, .. } = self;
        match self.counted_by {
            Some(count) => count.to_owned(),
            None => format!("SELECT COUNT(*) FROM {from}{conditions}"),
        }
    }

    pub(super) fn page(&self) -> String {
        let covered = self.is_covered.then(|| self.far()).flatten();
        covered.unwrap_or_else(|| self.page_of(&self.conditions))
    }

    /// The page where very many match, if that is another text.
    pub(super) fn many(&self) -> Option<String> {
        self.by_record.as_deref().map(|conditions| self.page_of(conditions))
    }

    fn page_of(&self, conditions: &str) -> String {
        let Self { shape: Shape { columns, .. }, .. } = self;
        self.rows(&[columns, self.places().as_str()].concat(), conditions)
    }

    /// A page of which the ids alone are stepped over, as where it is far on: an index holds them, and the rows before it are not
    /// read.
    pub(super) fn far(&self) -> Option<String> {
        let Self { shape, conditions, is_marked, .. } = self;
        let (table, key) = shape.key().filter(|_| shape.fixed() == 1 && !is_marked)?;
        let (ids, places) = (self.rows(key, conditions), self.places());
        let Shape { columns, order, .. } = shape;
        Some(format!(
            "SELECT {columns}{places} FROM {table} WHERE company_id = ?1 AND {key} IN ({ids}) ORDER BY {order}"
        ))
    }

    /// A page of few matches in an order that no index of a condition has: they are found first, and sorted.
    pub(super) fn gathered(&self) -> Option<String> {
        let Self { shape, conditions, began, last, is_marked, is_covered, .. } = self;
        let (table, key) = shape.key().filter(|_| shape.fixed() == 1 && !is_marked)?;
        let (places, limit, offset) = (self.places(), last + 1, last + 2);
        let Shape { columns, from, order, .. } = shape;
        // What is checked in an index is so for the ids alone.
        let matching = match is_covered {
            true => format!(
                "{table} WHERE company_id = ?1 AND {key} IN (SELECT {key} FROM {from}{conditions})"
            ),
            false => format!("{from}{conditions}"),
        };
        Some(format!(
            "WITH matching AS MATERIALIZED (SELECT {} FROM {matching}) \
             SELECT {columns}{places} FROM {table} WHERE company_id = ?1 AND {key} IN \
             (SELECT {key} FROM matching WHERE TRUE{began} ORDER BY {order} LIMIT ?{limit} OFFSET ?{offset}) \
             ORDER BY {order}",
            places.trim_start_matches(", ")
        ))
    }

    /// What the list is in the order of, behind other columns.
    fn places(&self) -> String {
        self.shape.order_terms().flat_map(|(term, _)| [", ", term]).collect()
    }

    fn rows(&self, columns: &str, conditions: &str) -> String {
        let Self { shape: Shape { from, order, .. }, began, last, .. } = self;
        let (limit, offset) = (last + 1, last + 2);
        format!(
            "SELECT {columns} FROM {from}{conditions}{began} ORDER BY {order} LIMIT ?{limit} OFFSET ?{offset}"
        )
    }
}
