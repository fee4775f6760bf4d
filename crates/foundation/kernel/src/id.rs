//! Record ids: 24 hexadecimal characters, ordered by the time of their making.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Timestamp,
    problem::{Key, refuse},
    rule::Rule,
};

/// 12 bytes: 6 of milliseconds since the epoch, then 6 of randomness; written as 24 lower-case
/// hexadecimal characters and read in either case. Sorting ids sorts by time of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; 12]);

impl Id {
    /// The id of a record created at `at`, with six random bytes.
    pub const fn new(at: Timestamp, random: [u8; 6]) -> Self {
        let ms = at.millis().to_be_bytes();
        let r = random;
        Self([ms[2], ms[3], ms[4], ms[5], ms[6], ms[7], r[0], r[1], r[2], r[3], r[4], r[5]])
    }

    /// The lowest id that something created at `at` can have.
    pub const fn first_at(at: Timestamp) -> Self {
        Self::new(at, [0; 6])
    }

    /// The id of these bytes.
    pub const fn from_bytes(bytes: [u8; 12]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn to_bytes(self) -> [u8; 12] {
        self.0
    }

    /// Reads 24 hexadecimal characters in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let text: &[u8; 24] = text.as_bytes().try_into().ok()?;
        let mut bytes = [0; 12];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).map(|d| d as u8);
            *byte = digit(0)? << 4 | digit(1)?;
        }
        Some(Self(bytes))
    }

    /// The id that follows this one, for several records made in one go.
    pub fn next(self) -> Self {
        let mut bytes = self.0;
        for byte in bytes.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
        Self(bytes)
    }

    /// The instant that the id was made at.
    pub fn created_at(self) -> Timestamp {
        let b = self.0;
        Timestamp::from_millis(i64::from_be_bytes([0, 0, b[0], b[1], b[2], b[3], b[4], b[5]]))
    }

    /// The 24 characters without an allocation.
    pub fn as_chars(self) -> [u8; 24] {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut out = [0; 24];
        for (pair, byte) in out.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        out
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.as_chars()).unwrap_or_default())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.as_chars()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, Key::RequestInvalid)
    }
}

impl JsonSchema for Id {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[a-fA-F0-9]{24}$",
            "examples": ["019a8f3c2b7d4e5f60718293"]})
    }
}

/// Reads an id and, where the text is no id, refuses with the key that the contract names.
pub fn read<'de, D: Deserializer<'de>>(deserializer: D, key: Key) -> Result<Id, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    Id::parse(&text).ok_or_else(|| refuse::<D::Error>(key, Rule::NotId))
}

/// Declares the id type of one kind of record, so that a coach's id never passes for a client's.
/// The second name is the error key for text that is no id, the third that of an id that leads to
/// nothing, where it has one of its own.
#[macro_export]
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $key:ident $(, $missing:ident)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(pub $crate::Id);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $crate::id::read(d, $crate::Key::$key).map(Self)
            }
        }

        impl From<$name> for $crate::Id {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(g: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = <$crate::Id as schemars::JsonSchema>::json_schema(g);
                schema.insert($crate::problem::INVALID.into(), $crate::Key::$key.wire().into());
                $(schema.insert(
                    $crate::problem::MISSING.into(),
                    $crate::Key::$missing.wire().into(),
                );)?
                schema
            }
        }
    };
}

id_type!(
    /// A company: one coaching business, and the wall between tenants.
    CompanyId,
    RequestInvalid
);
id_type!(
    /// A coach of a company.
    CoachId,
    InvalidCoachId,
    CoachNotFound
);
id_type!(
    /// A client of a company.
    ClientId,
    InvalidClientId,
    ClientNotFound
);
id_type!(
    /// A location of a company.
    LocationId,
    RequestInvalid
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_read_in_either_case() {
        let early = Id::new(Timestamp::from_millis(1), [255; 6]);
        let late = Id::new(Timestamp::from_millis(2), [0; 6]);
        assert!(early < late && early.to_string() < late.to_string());
        assert_eq!(Id::parse(&early.to_string().to_uppercase()), Some(early));
        assert_eq!(late.created_at(), Timestamp::from_millis(2));
        assert_eq!(Id::parse("019a8f3c2b7d4e5f6071829g"), None);
        assert_eq!(Id::parse("+19a8f3c2b7d4e5f60718293"), None);
    }
}
