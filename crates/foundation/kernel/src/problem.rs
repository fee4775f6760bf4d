//! The one error type that every layer returns: a key, a message, and for refused input the field and its rule.

use std::{borrow::Cow, fmt};

use serde::de;
use serde_json::{Value, json};

use crate::{Locale, Phrase, Rule, text};

/// What operations, rules and finders return.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

pub use crate::key::Key;

/// A refusal or a failure on its way to the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The machine-readable key.
    pub key: Key,
    /// The HTTP status.
    pub status: u16,
    /// Text for humans, in English.
    pub message: String,
    /// The same in every language, where it is not the meaning of the key.
    pub reason: Option<Box<Phrase>>,
    /// What a program may want to know.
    pub details: Option<Value>,
    /// The rule that a field broke, in every language.
    pub rule: Option<Box<Phrase>>,
    /// Seconds after which a retry makes sense.
    pub retry_after: Option<u32>,
    /// What really happened, for the log alone.
    pub cause: Option<String>,
}

impl Problem {
    /// A problem with the key's own status and meaning.
    pub fn new(key: Key) -> Self {
        Self::with_message(key, key.meaning())
    }

    /// A problem with a message of its own, in every language.
    pub fn because(key: Key, reason: impl Into<Phrase>) -> Self {
        let reason = reason.into();
        let mut problem = Self::with_message(key, reason.to_string());
        problem.reason = Some(Box::new(reason));
        problem
    }

    /// A problem with a message of its own for programs and operators, who read English.
    pub fn with_message(key: Key, message: impl Into<String>) -> Self {
        Self {
            key,
            status: key.status(),
            message: message.into(),
            reason: None,
            details: None,
            rule: None,
            retry_after: None,
            cause: None,
        }
    }

    /// A refusal that names the field and the rule it breaks.
    pub fn field(key: Key, field: &str, rule: impl Into<Phrase>) -> Self {
        // Long names in requests are shortened in responses.
        let field = shortened(field.into(), NAME_SHOWN);
        let is_hidden = |c: char| c.is_control() || text::is_directional(c);
        let field = field.replace(is_hidden, "\u{fffd}");
        let rule = rule.into().map(|text| shortened(text, RULE_SHOWN));
        let mut problem = Self::with_message(key, format!("{field}: {rule}."));
        problem.details = Some(json!({"field": &*field, "rule": rule.to_string()}));
        problem.rule = Some(Box::new(rule));
        problem
    }

    /// The field that it refuses; empty where it is about none.
    pub fn named_field(&self) -> &str {
        let field = self.details.as_ref().and_then(|details| details["field"].as_str());
        field.unwrap_or_default()
    }

    /// Whether it refuses this field.
    pub fn names(&self, field: &str) -> bool {
        self.details.as_ref().is_some_and(|details| details["field"] == field)
    }

    /// Whether a field broke this rule.
    pub fn breaks(&self, rule: impl Into<Phrase>) -> bool {
        self.rule.as_deref() == Some(&rule.into())
    }

    /// `request.invalid` for one field.
    pub fn invalid(field: &str, rule: impl Into<Phrase>) -> Self {
        Self::field(Key::RequestInvalid, field, rule)
    }

    /// The same refusal of a record that is not there, naming the field that should lead to it; any
    /// other problem as it is.
    pub fn missing(self, field: &str, rule: impl Into<Phrase>) -> Self {
        if self.status == 404 { Self::field(self.key, field, rule) } else { self }
    }

    /// The generic conflict, with the field whose value is taken.
    pub fn conflict(field: &str, rule: impl Into<Phrase>) -> Self {
        Self::field(Key::ApiError, field, rule).with_status(409)
    }

    /// An internal error, whose cause is only logged.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let mut problem = Self::new(Key::InternalError);
        problem.cause = Some(cause.to_string());
        problem
    }

    /// The same, with what really happened, for the log alone.
    pub fn caused_by(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// The text for operators: what really happened, where that is known.
    pub fn for_operators(self) -> String {
        self.cause.unwrap_or(self.message)
    }

    /// The server cannot take the work now: 503 with a time to wait.
    pub fn overloaded() -> Self {
        let mut problem = Self::because(Key::RequestFailed, Rule::ServerBusy);
        problem.retry_after = Some(1);
        problem.with_status(503)
    }

    /// Why it was refused, in every language: the rule that a field broke, else the reason, else the meaning of the key.
    /// A message that was written for programs alone stays English.
    pub fn phrase(&self) -> Phrase {
        match self.rule.as_deref().or(self.reason.as_deref()) {
            Some(phrase) => phrase.clone(),
            None if self.message == self.key.meaning() => self.key.phrase(),
            None => Phrase::verbatim(&self.message),
        }
    }

    /// The same problem under another status, for the generic fallbacks.
    pub fn with_status(mut self, status: u16) -> Self {
        debug_assert!(self.key.is_fallback(), "{} has one status", self.key.wire());
        self.status = status;
        self
    }

    /// Turns a deserializer's error into a refusal that names the field. `field` is the path
    /// to the value, empty or `.` for the whole.
    pub fn from_serde(field: &str, error: &str) -> Self {
        // JSON deserializers append the position to the message of a value type.
        let error = error.split_once(" at line ").map_or(error, |(error, _)| error);
        let is_whole = matches!(field, "" | "." | "?");
        let place = if is_whole { "body" } else { field };
        if let Some((key, rule)) = refused(error) {
            return Self::field(key, place, rule);
        }
        match named_in(error) {
            Some(name) if is_whole => Self::field(Key::RequestInvalid, name, reworded(error)),
            Some(name) => Self::field(Key::RequestInvalid, &join(field, name), reworded(error)),
            None if error.starts_with("unknown variant") => {
                Self::field(Key::InvalidEnum, place, reworded(error))
            }
            None => Self::field(Key::RequestInvalid, place, reworded(error)),
        }
    }
}

/// Characters of a field's name, and of a rule that may hold one, that a refusal shows.
const NAME_SHOWN: usize = 200;
const RULE_SHOWN: usize = 1_000;

fn shortened(text: Cow<'_, str>, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text,
    }
}

/// What a deserializer reports of a value of the wrong type or of a field, as a rule.
fn reworded(error: &str) -> Phrase {
    if error.starts_with("missing field") {
        return Rule::Required.into();
    }
    if let Some(names) = known_fields(error) {
        let rule = match names.is_empty() {
            true => Rule::UnknownField,
            false => Rule::UnknownFieldOf { names: names.join(", ") },
        };
        return rule.into();
    }
    if let Some((_, options)) = error.strip_prefix("unknown variant `").and_then(variants) {
        return Rule::NotAnOption { words: options.join(", ") }.into();
    }
    if error.starts_with("duplicate field") || error == "unsupported value" {
        return Rule::GivenTwice.into();
    }
    // Both "invalid type: string \"x\", expected a sequence" and "invalid value: integer `999`, expected u8".
    let rule = error.strip_prefix("invalid ").and_then(|rest| rest.rsplit_once(", expected "));
    rule.and_then(|(found, expected)| expectation(found, expected))
        .unwrap_or(Rule::Malformed)
        .into()
}

/// The rule for a value, by what a deserializer has found and what it has expected.
fn expectation(found: &str, expected: &str) -> Option<Rule> {
    Some(match expected {
        "a sequence" => Rule::NotList,
        "a string" | "a borrowed string" | "string" | "str" => Rule::NotText,
        "a boolean" => Rule::NotBoolean,
        "map with a single key" => Rule::NotOneKey,
        "a map" | "string or map" => Rule::NotObject,
        kind if kind.starts_with("struct ") => Rule::NotObject,
        "f32" | "f64" => Rule::NotNumber,
        kind => {
            let (min, max) = bounds(kind)?;
            match found.starts_with("value: integer") {
                true => Rule::OutOfRange { min, max },
                false => Rule::NotWholeNumber,
            }
        }
    })
}

/// The least and the greatest of an integer type's values, as far as JSON's own go.
fn bounds(kind: &str) -> Option<(i64, i64)> {
    Some(match kind {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, i64::MAX),
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN, i64::MAX),
        _ => return None,
    })
}

/// The value and the options of "unknown variant `zz`, expected `all` or `any`", from behind its first backtick.
fn variants(rest: &str) -> Option<(&str, Vec<&str>)> {
    let (found, options) = rest.rsplit_once("`, expected ")?;
    Some((found, options.split('`').skip(1).step_by(2).collect()))
}

fn join(path: &str, name: &str) -> String {
    // Deserializers disagree on whether the path already ends in the unknown field.
    if path == name || path.ends_with(&format!(".{name}")) {
        path.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The names that a deserializer knows, where it has met another one: serde puts them between backticks.
pub fn known_fields(error: &str) -> Option<Vec<&str>> {
    let (_, known) = error.strip_prefix("unknown field `")?.split_once("`, ")?;
    Some(known.split('`').skip(1).step_by(2).collect())
}

/// The field that serde's own messages put between backticks: "unknown field `x`".
fn named_in(error: &str) -> Option<&str> {
    let rest = ["unknown field `", "missing field `", "duplicate field `"]
        .iter()
        .find_map(|start| error.strip_prefix(start))?;
    rest.split_once('`').map(|(name, _)| name)
}

/// In the schema of a value type: the key under which other values are refused. It is taken out where a
/// schema is shown.
pub const INVALID: &str = "x-invalid";

/// In the schema of an id: the key under which one that leads to nothing is refused.
pub const MISSING: &str = "x-missing";

/// Takes [`INVALID`] and [`MISSING`] out of a schema that is shown.
pub fn unmarked(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            [INVALID, MISSING].iter().for_each(|mark| drop(fields.remove(*mark)));
            fields.values_mut().for_each(unmarked);
        }
        Value::Array(items) => items.iter_mut().for_each(unmarked),
        _ => {}
    }
}

/// Separates a key and the texts of its rule inside a deserializer's error, which can carry text alone.
const MARK: char = '\u{1}';

/// The error with which a value type refuses its text: the key that the contract names for it,
/// and the rule. [`Problem::from_serde`] reads it back.
pub fn refuse<E: de::Error>(key: Key, rule: impl Into<Phrase>) -> E {
    let rule = rule.into();
    let [english, dutch, german] = Locale::ALL.map(|locale| rule.text(locale));
    let page = rule.on_page(Locale::English);
    E::custom(format!("{MARK}{}{MARK}{english}{MARK}{dutch}{MARK}{german}{MARK}{page}", key.wire()))
}

/// The key and the rule of an error that [`refuse`] made.
fn refused(error: &str) -> Option<(Key, Phrase)> {
    let mut parts = error.strip_prefix(MARK)?.split(MARK);
    let key = Key::parse(parts.next()?)?;
    let mut text = || Some(Cow::from(parts.next()?.to_owned()));
    let [english, dutch, german, page] = [text()?, text()?, text()?, text()?];
    let has_own_page = page != english;
    let phrase = Phrase::new([english, dutch, german]);
    Some((key, if has_own_page { phrase.with_page(page) } else { phrase }))
}

impl From<Key> for Problem {
    fn from(key: Key) -> Self {
        Self::new(key)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.key.wire(), self.message)?;
        self.cause.as_ref().map_or(Ok(()), |cause| write!(f, " ({cause})"))
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_is_unique() {
        let wires: BTreeSet<_> = Key::ALL.iter().map(|key| key.wire()).collect();
        assert_eq!(wires.len(), Key::ALL.len());
        for key in Key::ALL {
            assert_eq!(Key::parse(key.wire()), Some(*key));
            assert!(key.wire().len() > 8 && key.meaning().ends_with('.'), "{}", key.wire());
        }
    }

    #[test]
    fn a_value_types_refusal_keeps_its_key_and_rule() {
        let error: serde_json::Error = refuse(Key::InvalidDate, Rule::NotDate);
        let problem = Problem::from_serde("born", &error.to_string());
        assert_eq!(problem.key, Key::InvalidDate);
        assert_eq!(
            problem.details,
            Some(json!({"field": "born", "rule": "must be a date, YYYY-MM-DD"}))
        );
    }

    #[test]
    fn serdes_own_messages_name_the_field() {
        let problem = Problem::from_serde(".", "missing field `name` at line 1 column 2");
        assert_eq!(problem.message, "name: is required.");
        let problem =
            Problem::from_serde("tags", "invalid type: string \"x\", expected a sequence");
        assert_eq!(problem.message, "tags: must be a list.");
        let problem =
            Problem::from_serde("n", "invalid type: null, expected f64 at line 1 column 9");
        assert_eq!(problem.message, "n: must be a number.");
        let rule = |error: &str| Problem::from_serde("n", error).rule.unwrap().to_string();
        assert_eq!(
            rule("invalid type: floating point `1.5`, expected i64"),
            "must be a whole number, such as 1"
        );
        assert_eq!(rule("invalid value: integer `300`, expected u8"), "must be 0 to 255");
        assert_eq!(
            rule("unknown variant `zz`, expected `all` or `any`"),
            "must be one of all, any"
        );
        assert_eq!(
            rule("unknown variant `z`, expected one of `a`, `b`, `c`"),
            "must be one of a, b, c"
        );
        assert_eq!(
            rule("invalid length 0, expected struct Condition with 3 elements"),
            "must be an object"
        );
        assert_eq!(
            rule("invalid value: map, expected map with a single key"),
            "must have exactly one key"
        );
        assert_eq!(rule("trailing characters"), "does not have the documented form");
        let problem = Problem::from_serde("address.zip", "unknown field `zip`, expected `city`");
        assert_eq!(problem.details.unwrap()["field"], "address.zip");
    }
}
