//! Canonical JSON: the bytes that are signed, and that are sent.

use serde_json::{Value, json};

/// The text of a value with the keys of every object in order, arrays as they are, and nothing
/// between the tokens. Keys are compared by their bytes; those of events are ASCII, for which
/// every language's sorting agrees.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            out.push('{');
            for (at, name) in names.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(&fields[name], out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// The body of a delivery: the event's id, name, instant and public-safe data.
pub fn body(id: &str, event: &str, occurred_at: &str, data: &Value) -> String {
    canonical(&json!({"id": id, "type": event, "occurredAt": occurred_at, "data": data}))
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prelude::*};

    use super::*;

    #[test]
    fn keys_are_sorted_and_arrays_are_not() {
        let text = r#"{"b": [3, 1, {"z": null, "a": true}], "a": {"y": "é\n", "x": 1.5}}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(canonical(&value), r#"{"a":{"x":1.5,"y":"é\n"},"b":[3,1,{"a":true,"z":null}]}"#);
    }

    fn values() -> impl Strategy<Value = Value> {
        let plain = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("JSON has no such number", |f| f.is_finite())
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        plain.prop_recursive(4, 48, 6, |inner| {
            prop_oneof![
                collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// The positions at which a text has no string open.
    fn outside_strings(text: &str) -> String {
        let (mut inside, mut escaped, mut out) = (false, false, String::new());
        for c in text.chars() {
            match c {
                '"' if !escaped => inside = !inside,
                _ if !inside => out.push(c),
                _ => {}
            }
            escaped = inside && c == '\\' && !escaped;
        }
        out
    }

    fn check_sorted(text: &str) {
        // The deserializer keeps the order of the text, which a map would not.
        struct CanonicalVisitor;
        impl<'de> serde::de::Visitor<'de> for CanonicalVisitor {
            type Value = ();
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<(), E> {
                Ok(())
            }
            fn visit_bool<E>(self, _: bool) -> Result<(), E> {
                Ok(())
            }
            fn visit_i64<E>(self, _: i64) -> Result<(), E> {
                Ok(())
            }
            fn visit_u64<E>(self, _: u64) -> Result<(), E> {
                Ok(())
            }
            fn visit_f64<E>(self, _: f64) -> Result<(), E> {
                Ok(())
            }
            fn visit_str<E>(self, _: &str) -> Result<(), E> {
                Ok(())
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
                while seq.next_element_seed(CanonicalVisitor)?.is_some() {}
                Ok(())
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                let mut before: Option<String> = None;
                while let Some(name) = map.next_key::<String>()? {
                    assert!(
                        before.as_ref().is_none_or(|before| *before < name),
                        "{before:?} {name}"
                    );
                    map.next_value_seed(CanonicalVisitor)?;
                    before = Some(name);
                }
                Ok(())
            }
        }
        impl<'de> serde::de::DeserializeSeed<'de> for CanonicalVisitor {
            type Value = ();
            fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
                d.deserialize_any(self)
            }
        }
        let mut json = serde_json::Deserializer::from_str(text);
        serde::de::DeserializeSeed::deserialize(CanonicalVisitor, &mut json).unwrap();
    }

    proptest! {
        #[test]
        fn it_is_the_same_value_in_one_spelling(value in values()) {
            let text = canonical(&value);
            let again: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(canonical(&again), text.clone());
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            let spaced: Value = serde_json::from_str(&pretty).unwrap();
            prop_assert_eq!(canonical(&spaced), text.clone());
            prop_assert!(!outside_strings(&text).contains(char::is_whitespace));
            check_sorted(&text);
        }
    }
}
