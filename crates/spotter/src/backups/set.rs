//! The names of sets of backups: the instant at which each was made, and four digits that tell sets of one second apart.

use std::fmt;

use spotter_kernel::{Entropy, Timestamp};

/// What every name begins with.
const START: &str = "spotter-";

/// The name of a set, such as `spotter-20261128T020304Z-7f3a`. Names are in the order of their instants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SetName {
    at: Timestamp,
    digits: String,
}

impl SetName {
    pub(super) fn new(at: Timestamp, entropy: &dyn Entropy) -> Self {
        let mut random = [0; 2];
        entropy.fill(&mut random);
        let digits = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { at: Timestamp::from_millis(at.seconds() * 1_000), digits }
    }

    /// Reads a name.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (instant, digits) = text.strip_prefix(START)?.split_once('-')?;
        let part = |from, to| instant.get(from..to);
        let written = format!(
            "{}-{}-{}T{}:{}:{}Z",
            part(0, 4)?,
            part(4, 6)?,
            part(6, 8)?,
            part(9, 11)?,
            part(11, 13)?,
            part(13, 15)?
        );
        let is_digits = digits.len() == 4 && digits.bytes().all(|c| c.is_ascii_hexdigit());
        let own = Self { at: Timestamp::parse(&written)?, digits: digits.to_owned() };
        // Nothing else is read as a name.
        (is_digits && own.to_string() == text).then_some(own)
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
        let instant = written.split('.').next().unwrap_or_default();
        let instant: String = instant.chars().filter(|c| !matches!(c, '-' | ':' | 'Z')).collect();
        write!(f, "{START}{instant}Z-{}", self.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl Entropy for Sevens {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(0x77);
        }
    }

    #[test]
    fn a_name_is_an_instant_and_nothing_else_is_a_name() {
        let at = Timestamp::parse("2026-11-28T02:03:04.567Z").unwrap();
        let name = SetName::new(at, &Sevens);
        assert_eq!(name.to_string(), "spotter-20261128T020304Z-7777");
        assert_eq!(SetName::parse("spotter-20261128T020304Z-7777"), Some(name.clone()));
        assert_eq!(SetName::of("spotter-20261128T020304Z-7777.db.key"), Some(name));
        for other in [
            "spotter-",
            "spotter-20261128",
            "spotter-20261128T020304Z",
            "spotter-20261128T020304Z-zzzz",
            "spotter-20261328T020304Z-7777",
            "a-20261128T020304Z-7777",
        ] {
            assert_eq!(SetName::parse(other), None, "{other}");
        }
    }
}
