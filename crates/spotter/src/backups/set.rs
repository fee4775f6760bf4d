//! The names of sets of backups: the instant at which each was made.

use std::fmt;

use spotter_kernel::Timestamp;

/// What every name begins with.
const START: &str = "spotter-";

/// The name of a set, such as `spotter-20261128T020304Z`. Names are in the order of their instants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SetName {
    at: Timestamp,
}

impl SetName {
    pub(super) const fn new(at: Timestamp) -> Self {
        Self { at: Timestamp::from_millis(at.seconds() * 1_000) }
    }

    /// Reads a name.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(START)?;
        let part = |from, to| digits.get(from..to);
        let written = format!(
            "{}-{}-{}T{}:{}:{}Z",
            part(0, 4)?,
            part(4, 6)?,
            part(6, 8)?,
            part(9, 11)?,
            part(11, 13)?,
            part(13, 15)?
        );
        let own = Self { at: Timestamp::parse(&written)? };
        // Nothing else is read as a name.
        (own.to_string() == text).then_some(own)
    }

    /// The set that a part belongs to.
    pub(super) fn of(key: &str) -> Option<Self> {
        Self::parse(key.split('.').next()?)
    }

    pub(super) const fn at(&self) -> Timestamp {
        self.at
    }
}

impl fmt::Display for SetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = self.at.to_string();
        let digits = written.split('.').next().unwrap_or_default();
        let digits: String = digits.chars().filter(|c| !matches!(c, '-' | ':' | 'Z')).collect();
        write!(f, "{START}{digits}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_an_instant_and_nothing_else_is_a_name() {
        let at = Timestamp::parse("2026-11-28T02:03:04.567Z").unwrap();
        let name = SetName::new(at);
        assert_eq!(name.to_string(), "spotter-20261128T020304Z");
        assert_eq!(SetName::parse("spotter-20261128T020304Z"), Some(name.clone()));
        assert_eq!(SetName::of("spotter-20261128T020304Z.db.key"), Some(name));
        for other in
            ["spotter-", "spotter-20261128", "spotter-20261328T020304Z", "a-20261128T020304Z"]
        {
            assert_eq!(SetName::parse(other), None, "{other}");
        }
    }
}
