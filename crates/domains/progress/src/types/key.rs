//! The key of a measurement type.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use spotter_company::folding::slug;
use spotter_kernel::{Id, Key, Result, problem::refuse};

use super::standard::standard_types;
use crate::rules::ProgressRule;

/// The key of a type, such as `weight`: small letters, digits and underscores.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct TypeKey(pub(super) String);

/// Longest key.
pub(super) const KEY_MAX: usize = 40;

impl TypeKey {
    /// The key that this text is.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
        let right = !text.is_empty() && text.len() <= KEY_MAX && text.bytes().all(fits);
        right.then(|| Self(text.to_owned()))
    }

    /// The key that a label makes; one of the type's id where nothing of it is a letter or digit of ASCII.
    pub(super) fn of(label: &str, id: Id) -> Self {
        let words = slug(label, "").to_ascii_lowercase();
        let words =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let key: String = words.collect::<Vec<_>>().join("_").chars().take(KEY_MAX).collect();
        Self::parse(&key).unwrap_or_else(|| Self(format!("own_{id}")))
    }

    /// Whether it is that of a type that everybody knows.
    pub fn is_everybodys(&self) -> bool {
        standard_types().any(|known| known.key == self.0)
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for TypeKey {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        Self::parse(&text)
            .ok_or_else(|| refuse(Key::InvalidEnum, ProgressRule::UnknownMeasurementType))
    }
}

impl JsonSchema for TypeKey {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "MeasurementTypeKey".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[a-z0-9_]{1,40}$", "examples": ["weight"],
            spotter_kernel::problem::INVALID: Key::InvalidEnum.wire()})
    }
}

impl spotter_store::Bind for TypeKey {
    fn bind(&self) -> spotter_store::Value<'_> {
        spotter_store::Value::Text(self.as_str().into())
    }
}
