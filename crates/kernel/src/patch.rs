//! Partial changes: absence leaves a value, `null` clears it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// What a request says about one nullable field. Use with `#[serde(default)]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field was not sent: leave it.
    #[default]
    Absent,
    /// The field was sent as `null`: clear it.
    Clear,
    /// The field was sent with a value: set it.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the change to a value.
    pub fn apply(self, to: &mut Option<T>) {
        match self {
            Self::Absent => {}
            Self::Clear => *to = None,
            Self::Set(value) => *to = Some(value),
        }
    }

    /// The same change of another type.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(into(value)),
        }
    }

    /// The value that was sent, if one was.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Absent | Self::Clear => None,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Patch_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Option<T>>()
    }
}
