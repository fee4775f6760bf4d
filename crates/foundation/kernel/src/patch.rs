//! Partial changes: absence leaves a value, `null` clears one that may be missing and is refused
//! for one that may not.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// A nullable field of a partial update. Use with `#[serde(default)]`.
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

    /// Whether the field was sent.
    pub const fn is_said(&self) -> bool {
        !matches!(self, Self::Absent)
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

/// A field of a partial update that always has a value: absence leaves it, and `null` is refused. Use with
/// `#[serde(default)]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<T>(Option<T>);

impl<T> Default for Change<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Change<T> {
    /// Applies the change to a value.
    pub fn apply<U: From<T>>(self, to: &mut U) {
        if let Some(value) = self.0 {
            *to = value.into();
        }
    }

    /// The same change of another type.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Change<U> {
        Change(self.0.map(into))
    }

    /// Whether there is a new value.
    pub const fn is_said(&self) -> bool {
        self.0.is_some()
    }

    /// The new value, if there is one.
    pub fn value(self) -> Option<T> {
        self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Some).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Debug)]
    struct Changes {
        #[serde(default)]
        name: Change<String>,
        #[serde(default)]
        note: Patch<String>,
    }

    #[test]
    fn null_clears_optional_fields_only() {
        let read = |text: &str| serde_json::from_str::<Changes>(text);
        let (mut name, mut note) = ("old".to_owned(), Some("old".to_owned()));
        let absent = read("{}").unwrap();
        absent.name.apply(&mut name);
        absent.note.apply(&mut note);
        assert_eq!((name.as_str(), note.as_deref()), ("old", Some("old")));
        let changes = read(r#"{"name": "new", "note": null}"#).unwrap();
        changes.name.apply(&mut name);
        changes.note.apply(&mut note);
        assert_eq!((name.as_str(), note), ("new", None));
        assert!(read(r#"{"name": null}"#).is_err());
    }
}
