//! Tallies of lists: the subjects under which records are counted, and where a far page begins.

use spotter_kernel::{Id, Problem, Result, id::CompanyId};

use crate::{tx::Tx, value::Value};

/// Leading digits of an id by which records are counted together: those of three days.
pub(super) const MARK: usize = 5;

/// The tally's subject of the records of about the time of one: `invoices@018d3`.
pub fn mark(tally: &str, id: Id) -> String {
    let text = id.as_chars();
    let beginning = text.iter().take(MARK).copied().map(char::from);
    [tally, "@"].into_iter().flat_map(str::chars).chain(beginning).collect()
}

/// A list whose records are also counted by the beginnings of their ids.
pub(super) struct CountedRange {
    pub(super) tally: String,
}

impl CountedRange {
    /// The upper bound of ids of a page, and the number of records before it.
    pub(super) fn place(
        &self,
        tx: &mut Tx<'_>,
        company: CompanyId,
        offset: i64,
    ) -> Result<(String, i64)> {
        let [from, until] = ["@", "@g"].map(|end| format!("{}{end}", self.tally));
        let (mut before, prefix) = (0, from.len());
        for (subject, count) in tx.tallied_between(company, &from, &until)? {
            if before + count > offset {
                let beginning = u32::from_str_radix(&subject[prefix..], 16);
                let next = beginning.map_err(Problem::internal)? + 1;
                return Ok((format!("{next:0MARK$x}"), offset - before));
            }
            before += count;
        }
        // Records that were never marked, or none: nothing is skipped.
        Ok(("g".to_owned(), offset))
    }
}

/// The tally's subject of a list below other records: `workoutSessions/{clientId}`.
pub fn of_tally(tally: &str, above: &[Value<'_>]) -> String {
    above.iter().fold(tally.to_owned(), |subject, value| match value {
        Value::Text(text) => format!("{subject}/{text}"),
        other => format!("{subject}/{other:?}"),
    })
}

/// The tally's subject of one value of a filter: `clients?memberStatus=active`.
pub fn subject(tally: &str, name: &str, value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("{tally}?{name}={text}"),
        Value::Bool(yes) => format!("{tally}?{name}={yes}"),
        Value::Int(number) => format!("{tally}?{name}={number}"),
        Value::Real(_) | Value::Bytes(_) | Value::Null => format!("{tally}?{name}"),
    }
}
