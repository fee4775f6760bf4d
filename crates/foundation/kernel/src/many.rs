//! Arrays of a bounded length.

use std::{borrow::Cow, ops::Deref};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    problem::{Key, refuse},
    rule::Rule,
};

/// From `MIN` to `MAX` entries. A list that may be empty may be omitted, if its field has `#[serde(default)]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Many<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> Many<T, MIN, MAX> {
    /// The entries, or the rule that their number breaks.
    pub fn new(entries: Vec<T>) -> Result<Self, Rule> {
        if (MIN..=MAX).contains(&entries.len()) {
            return Ok(Self(entries));
        }
        Err(match MIN {
            0 => Rule::TooManyEntries { max: MAX },
            _ => Rule::EntriesOutOfRange { min: MIN, max: MAX },
        })
    }

    /// The entries.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Default for Many<T, 0, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MIN: usize, const MAX: usize> Deref for Many<T, MIN, MAX> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MIN: usize, const MAX: usize> IntoIterator for Many<T, MIN, MAX> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T, const MIN: usize, const MAX: usize> From<Many<T, MIN, MAX>> for Vec<T> {
    fn from(many: Many<T, MIN, MAX>) -> Self {
        many.0
    }
}

impl<'de, T, const MIN: usize, const MAX: usize> Deserialize<'de> for Many<T, MIN, MAX>
where
    T: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Vec::deserialize(deserializer)?;
        Self::new(entries).map_err(|rule| refuse(Key::RequestInvalid, rule))
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for Many<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("{}To{}{}", MIN, MAX, T::schema_name()).into()
    }
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "type": "array", "items": schemas.subschema_for::<T>(), "maxItems": MAX,
        });
        if MIN > 0 {
            schema.insert("minItems".into(), MIN.into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_a_length() {
        let read = |text: &str| serde_json::from_str::<Many<i64, 1, 2>>(text);
        assert_eq!(read("[1, 2]").unwrap().into_vec(), [1, 2]);
        for wrong in ["[]", "[1, 2, 3]"] {
            assert!(read(wrong).unwrap_err().to_string().contains("1 to 2 entries"), "{wrong}");
        }
        assert!(serde_json::from_str::<Many<i64, 0, 2>>("[]").unwrap().is_empty());
    }
}
