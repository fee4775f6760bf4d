//! The one error type that every layer returns: a key, a message, and for refused input the field and its rule.

use std::{borrow::Cow, fmt};

use serde::de;
use serde_json::{Value, json};

use crate::{Locale, Phrase, Rule};

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
        // What somebody sent as a name is not sent back at any length.
        let field = shortened(field.into(), NAME_SHOWN);
        let rule = rule.into().map(|text| shortened(text, RULE_SHOWN));
        let mut problem = Self::with_message(key, format!("{field}: {rule}."));
        problem.details = Some(json!({"field": &*field, "rule": rule.to_string()}));
        problem.rule = Some(Box::new(rule));
        problem
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

    /// The generic conflict, naming the field whose value is taken.
    pub fn conflict(field: &str, rule: impl Into<Phrase>) -> Self {
        Self::field(Key::ApiError, field, rule).with_status(409)
    }

    /// A failure that only the log is told about.
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
        // Deserializers of JSON text append the position to what a value type said.
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
                Self::field(Key::InvalidEnum, place, Phrase::verbatim(error))
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
    let name = || named_in(error).unwrap_or_default().to_owned();
    if error.starts_with("missing field") {
        return Rule::MissingField { name: name() }.into();
    }
    if let Some((_, expected)) =
        error.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        let is_number = |kind: &str| kind.starts_with(['i', 'u', 'f']) && kind.len() <= 5;
        let rule = match expected {
            "a sequence" => Some(Rule::NotList),
            "a string" | "a borrowed string" | "string" | "str" => Some(Rule::NotText),
            "a boolean" => Some(Rule::NotBoolean),
            "a map" => Some(Rule::NotObject),
            kind if kind.starts_with("struct ") => Some(Rule::NotObject),
            kind if is_number(kind) => Some(Rule::NotNumber),
            _ => None,
        };
        if let Some(rule) = rule {
            return rule.into();
        }
    }
    Phrase::verbatim(error)
}

fn join(path: &str, name: &str) -> String {
    // Deserializers disagree on whether the path already ends in the unknown field.
    if path == name || path.ends_with(&format!(".{name}")) {
        path.to_owned()
    } else {
        format!("{path}.{name}")
    }
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
    E::custom(format!("{MARK}{}{MARK}{english}{MARK}{dutch}{MARK}{german}", key.wire()))
}

/// The key and the rule of an error that [`refuse`] made.
fn refused(error: &str) -> Option<(Key, Phrase)> {
    let mut parts = error.strip_prefix(MARK)?.split(MARK);
    let key = Key::parse(parts.next()?)?;
    let mut text = || Some(Cow::from(parts.next()?.to_owned()));
    Some((key, Phrase::new([text()?, text()?, text()?])))
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
    fn every_key_is_one_of_a_kind() {
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
        assert_eq!(problem.message, "name: missing field `name`.");
        let problem =
            Problem::from_serde("tags", "invalid type: string \"x\", expected a sequence");
        assert_eq!(problem.message, "tags: must be a list.");
        let problem =
            Problem::from_serde("n", "invalid type: null, expected f64 at line 1 column 9");
        assert_eq!(problem.message, "n: must be a number.");
        let problem = Problem::from_serde("address.zip", "unknown field `zip`, expected `city`");
        assert_eq!(problem.details.unwrap()["field"], "address.zip");
    }
}
