//! Reading and building JSON.

use serde_json::Value;

/// A text at a place of an answer.
#[track_caller]
pub fn text(value: &Value, pointer: &str) -> String {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {pointer} of {value}")).to_owned()
}

/// One object with the fields of another beside its own.
pub fn with(one: &Value, other: Value) -> Value {
    let mut both = one.clone();
    for (name, value) in other.as_object().unwrap() {
        both[name] = value.clone();
    }
    both
}
