//! Texts in several languages.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    problem::{Key, refuse},
    rule::Rule,
    text::{Language, Text},
};

/// The key of a text in an undeclared language (ISO 639-2).
pub const UNDECLARED: &str = "und";

/// Most languages of one text.
const LANGUAGES_MAX: usize = 50;

/// A text in any number of languages: a map from ISO 639-1 codes, or `und`, to texts of 1 to `MAX`
/// characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Localized<const MAX: usize>(BTreeMap<String, Text<MAX>>);

impl<const MAX: usize> Localized<MAX> {
    /// Whether there is a text in this language, or an undeclared one under `und`.
    pub fn has(&self, language: &str) -> bool {
        self.0.contains_key(language)
    }

    /// The language of a text that is in one alone.
    pub fn only(&self) -> Option<&str> {
        let mut languages = self.0.keys().filter(|code| *code != UNDECLARED);
        let first = languages.next();
        first.filter(|_| languages.next().is_none()).map(String::as_str)
    }

    /// The text in a language, or the undeclared one under `und`.
    pub fn get(&self, language: &str) -> Option<&str> {
        self.0.get(language).map(|text| &**text)
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The texts, in the order of their codes.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|text| &**text)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Localized<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, Text<MAX>>::deserialize(deserializer)?;
        let known = |code: &String| code == UNDECLARED || Language::parse(code).is_some();
        if !texts.keys().all(known) {
            let rule = Rule::NotLanguageKeys;
            return Err(refuse::<D::Error>(Key::RequestInvalid, rule));
        }
        if texts.len() > LANGUAGES_MAX {
            let rule = Rule::TooManyLanguages { max: LANGUAGES_MAX };
            return Err(refuse::<D::Error>(Key::RequestInvalid, rule));
        }
        Ok(Self(texts))
    }
}

impl<const MAX: usize> JsonSchema for Localized<MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Localized{MAX}").into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Texts by ISO 639-1 code; `und` where the language is not declared.",
            "propertyNames": {"pattern": "^([a-z]{2}|und)$"},
            "additionalProperties": generator.subschema_for::<Text<MAX>>(),
            "maxProperties": LANGUAGES_MAX,
            "examples": [{"en": "Day pass", "nl": "Dagpas"}],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_codes_or_undeclared() {
        let read = |json: &str| serde_json::from_str::<Localized<10>>(json);
        let text = read(r#"{"nl": " Dagpas ", "und": "Pass"}"#).unwrap();
        assert!(text.has("nl") && text.has(UNDECLARED) && !text.has("en"));
        assert_eq!(text.texts().collect::<Vec<_>>(), ["Dagpas", "Pass"]);
        assert!(read("{}").unwrap().is_empty());
        for bad in [r#"{"EN": "x"}"#, r#"{"eng": "x"}"#, r#"{"en": ""}"#, r#"{"en": null}"#, "[]"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
