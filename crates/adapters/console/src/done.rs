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
}

impl From<Success> for Done {
    fn from(success: Success) -> Self {
        Self { success, left: Vec::new() }
    }
}

impl Done {
    /// What an operation did, by its answer.
    pub(crate) fn of(operation: &Operation, answer: &Value) -> Self {
        let left = answer.list("leavesBehind").iter();
        let left = left
            .filter_map(|left| Some((RemainderKind::parse(left.text("kind"))?, left.int("total"))));
        Self { success: operation.success_of(answer), left: left.collect() }
    }

    /// The value of the cookie, such as `archived.client-12`.
    pub(crate) fn to_cookie(&self) -> String {
        let left = self.left.iter().map(|(kind, total)| format!(".{}-{total}", kind.word()));
        self.success.word().to_owned() + &left.collect::<String>()
    }

    /// Reads a cookie; nothing where it holds something else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let success = Success::parse(parts.next()?)?;
        let left = parts.map(|part| {
            let (kind, total) = part.rsplit_once('-')?;
            Some((RemainderKind::parse(kind)?, total.parse().ok()?))
        });
        Some(Self { success, left: left.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_as_it_was_written() {
        let left = vec![(RemainderKind::Client, 12), (RemainderKind::EventSeries, 1)];
        let done = Done { success: Success::Archived, left };
        assert_eq!(Done::parse(&done.to_cookie()), Some(done));
        assert_eq!(Done::parse("sold"), Some(Success::Sold.into()));
        for bad in ["", "nothing", "archived.client", "archived.client-x", "archived.horse-1"] {
            assert_eq!(Done::parse(bad), None, "{bad}");
        }
    }
}
