//! The message on the next page after a form. A cookie of a minute carries it.

use serde_json::Value;
use spotter_contract::{Operation, RemainderKind, Success};

use crate::parts::format::JsonFields;

/// A completed act, and the records it left behind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Done {
    pub(crate) success: Success,
    /// Kinds of records, and how many of each.
    pub(crate) left: Vec<(RemainderKind, i64)>,
    /// Of an act on many records: how many were changed, were so already, and were refused.
    pub(crate) outcomes: Option<[i64; 3]>,
}

impl From<Success> for Done {
    fn from(success: Success) -> Self {
        Self { success, left: Vec::new(), outcomes: None }
    }
}

/// What stands before the outcomes in the cookie.
const OUTCOMES: &str = "outcomes";

impl Done {
    /// What an operation did, by its answer.
    pub(crate) fn of(operation: &Operation, answer: &Value) -> Self {
        let left = answer.list("leavesBehind").iter();
        let left = left
            .filter_map(|left| Some((RemainderKind::parse(left.text("kind"))?, left.int("total"))));
        let report = &answer["report"];
        let outcomes = report["results"]
            .is_array()
            .then(|| ["changed", "unchanged", "refused"].map(|outcome| report.int(outcome)));
        Self { success: operation.success_of(answer), left: left.collect(), outcomes }
    }

    /// The value of the cookie, such as `archived.client-12`.
    pub(crate) fn to_cookie(&self) -> String {
        let left = self.left.iter().map(|(kind, total)| format!(".{}-{total}", kind.word()));
        let outcomes = self.outcomes.map(|[changed, unchanged, refused]| {
            format!(".{OUTCOMES}-{changed}-{unchanged}-{refused}")
        });
        self.success.word().to_owned()
            + &left.collect::<String>()
            + outcomes.as_deref().unwrap_or_default()
    }

    /// Reads a cookie; nothing where it holds something else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let success = Success::parse(parts.next()?)?;
        let (mut left, mut outcomes) = (Vec::new(), None);
        for part in parts {
            let mut words = part.split('-');
            let kind = words.next()?;
            let counts: Vec<i64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
            match (kind, counts.as_slice()) {
                (OUTCOMES, [changed, unchanged, refused]) => {
                    outcomes = Some([*changed, *unchanged, *refused]);
                }
                (kind, [total]) => left.push((RemainderKind::parse(kind)?, *total)),
                _ => return None,
            }
        }
        Some(Self { success, left, outcomes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_as_it_was_written() {
        let left = vec![(RemainderKind::Client, 12), (RemainderKind::EventSeries, 1)];
        let done = Done { success: Success::Archived, left, outcomes: Some([2, 0, 98]) };
        assert_eq!(Done::parse(&done.to_cookie()), Some(done));
        assert_eq!(Done::parse("sold"), Some(Success::Sold.into()));
        for bad in [
            "",
            "nothing",
            "archived.client",
            "archived.client-x",
            "archived.horse-1",
            "saved.outcomes-1",
        ] {
            assert_eq!(Done::parse(bad), None, "{bad}");
        }
    }
}
