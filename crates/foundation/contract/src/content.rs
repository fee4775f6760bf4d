//! A request body, parsed once.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use spotter_kernel::Rule;

/// A body.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Content {
    /// There was none.
    #[default]
    Nothing,
    /// A JSON object.
    Object(Value),
    /// An invalid body, and why.
    Malformed(Rule),
}

impl Content {
    /// Parses a body.
    pub fn parse(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Nothing;
        }
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let parsed = Once.deserialize(&mut json).and_then(|value| json.end().map(|()| value));
        match parsed {
            Ok(value @ Value::Object(_)) => Self::Object(value),
            Err(error) if error.to_string().starts_with(TWICE) => {
                let name = error.to_string().split('`').nth(1).unwrap_or_default().to_owned();
                Self::Malformed(Rule::NameTwice { name })
            }
            _ => Self::Malformed(Rule::NotWellFormed),
        }
    }

    /// The object, if it is one.
    pub fn object(&self) -> Option<&Value> {
        match self {
            Self::Object(value) => Some(value),
            _ => None,
        }
    }
}

impl From<Value> for Content {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Nothing,
            Value::Object(_) => Self::Object(value),
            _ => Self::Malformed(Rule::NotWellFormed),
        }
    }
}

const TWICE: &str = "twice";

/// Reads a value whose objects have no duplicate names, because readers would disagree about them.
#[derive(Clone, Copy)]
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            if all.contains_key(&name) {
                return Err(A::Error::custom(format!("{TWICE} `{name}`")));
            }
            all.insert(name, value);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn bodies_have_no_duplicate_names() {
        assert_eq!(Content::parse(b""), Content::Nothing);
        assert_eq!(
            Content::parse(b" {\"a\": [1, 1.5, null]} "),
            Content::Object(json!({"a": [1, 1.5, null]}))
        );
        for bad in ["[]", "{", "{}{}", "null", "{\"a\": NaN}", "\u{feff}{}"] {
            assert_eq!(
                Content::parse(bad.as_bytes()),
                Content::Malformed(Rule::NotWellFormed),
                "{bad}"
            );
        }
        for twice in ["{\"a\": 1, \"a\": 1}", "{\"b\": [{\"a\": 1, \"\\u0061\": 2}]}"] {
            let Content::Malformed(rule) = Content::parse(twice.as_bytes()) else {
                panic!("{twice}")
            };
            assert_eq!(rule, Rule::NameTwice { name: "a".to_owned() });
        }
        let deep = "[".repeat(10_000);
        assert!(matches!(Content::parse(deep.as_bytes()), Content::Malformed(_)));
    }

    proptest! {
        #[test]
        fn parsed_bodies_equal_serde_json(text in "[ {}\\[\\]\":,0-9a-z.eE+-]{0,40}") {
            if let Content::Object(value) = Content::parse(text.as_bytes()) {
                prop_assert_eq!(value, serde_json::from_str::<Value>(&text).unwrap());
            }
        }
    }
}
