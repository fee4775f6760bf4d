//! Turns a form into the JSON body of an operation: fields are named by their place in it, such as `address.city` or
//! `steps.0.name`, and typed by the operation's schema.

use serde_json::{Map, Number, Value};

/// Places that a field's name may have.
const DEPTH_MAX: usize = 6;
/// The highest place in a list that a field's name may say.
const PLACES_MAX: usize = 200;

/// The body of a form's fields. Empty fields are `null` where the schema allows it and omitted where optional, as are
/// objects without any value; everything else is left to the operation to validate.
pub(crate) fn of_fields<'f>(
    schema: &Value,
    fields: impl IntoIterator<Item = (&'f str, &'f str)>,
) -> Value {
    let mut body = Value::Object(Map::new());
    for (name, text) in fields {
        let places: Vec<&str> = name.split('.').collect();
        if places.len() <= DEPTH_MAX {
            put(&mut body, schema, &places, text);
        }
    }
    empty_wholes(&mut body, schema);
    body
}

/// Has what may be `null`, and of which nothing is filled in, be `null`.
fn empty_wholes(whole: &mut Value, schema: &Value) {
    let Value::Object(fields) = whole else { return };
    for (name, value) in fields {
        let own = at(schema, name);
        empty_wholes(value, own);
        let is_empty = |value: &Value| value.is_null() || value == "";
        let nothing = value.as_object().is_some_and(|own| own.values().all(is_empty));
        if nothing && is_nullable(own) {
            *value = Value::Null;
        }
    }
}

/// Puts a value at a place in a body of objects and of the lists that there are.
pub(crate) fn set(body: &mut Value, name: &str, value: Value) {
    let places: Vec<&str> = name.split('.').collect();
    if places.len() > DEPTH_MAX {
        return;
    }
    let mut whole = body;
    for place in places {
        whole = match (whole, place.parse::<usize>()) {
            (Value::Array(items), Ok(index)) => match items.get_mut(index) {
                Some(item) => item,
                None => return,
            },
            (whole, _) => {
                if !whole.is_object() {
                    *whole = Value::Object(Map::new());
                }
                &mut whole[place]
            }
        };
    }
    *whole = value;
}

/// Whether a schema has a field, by the first part of its name; the rest is typed by that field's schema.
pub(crate) fn has(schema: &Value, name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default();
    name.split('.').count() <= DEPTH_MAX && !plain(schema)["properties"][first].is_null()
}

/// The list at a place in a body of objects and lists, if there is one.
pub(crate) fn list<'b>(body: &'b mut Value, name: &str) -> Option<&'b mut Vec<Value>> {
    name.split('.')
        .try_fold(body, |whole, place| match whole {
            Value::Array(items) => items.get_mut(place.parse::<usize>().ok()?),
            whole => whole.get_mut(place),
        })?
        .as_array_mut()
}

/// The part of a schema that is not about `null`.
pub(crate) fn plain(schema: &Value) -> &Value {
    // An object may say in choices which of its fields it needs.
    if schema["properties"].is_object() {
        return schema;
    }
    match schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        Some(choices) => choices.iter().find(|choice| choice["type"] != "null").unwrap_or(schema),
        None => schema,
    }
}

/// Whether something may be `null`.
pub(crate) fn is_nullable(schema: &Value) -> bool {
    let null = |kind: &Value| kind == "null";
    let among = |kinds: &Value| kinds.as_array().is_some_and(|kinds| kinds.iter().any(null));
    let listed = schema["enum"].as_array().is_some_and(|words| words.iter().any(Value::is_null));
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    listed
        || null(&schema["type"])
        || among(&schema["type"])
        || choices.is_some_and(|choices| choices.iter().any(|choice| null(&choice["type"])))
}

/// Whether an empty field is sent as `null`: the schema allows it, or is untyped and required.
pub(crate) fn is_cleared_by_null(schema: &Value, name: &str) -> bool {
    let (whole, last) = name.rsplit_once('.').unwrap_or(("", name));
    let places = whole.split('.').filter(|place| !place.is_empty());
    let whole = plain(places.fold(schema, |schema, place| at(schema, place)));
    let own = &whole["properties"][last];
    is_nullable(own) || requires(whole, last) && is_anything(own)
}

/// Whether the field of this name has to be there, such as `price` or `address.city`.
pub(crate) fn is_required(schema: &Value, name: &str) -> bool {
    let (whole, last) = name.rsplit_once('.').unwrap_or(("", name));
    let places = whole.split('.').filter(|place| !place.is_empty());
    requires(places.fold(schema, |schema, place| at(schema, place)), last)
}

/// Whether something has to be there.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    let names = plain(schema)["required"].as_array();
    names.is_some_and(|names| names.iter().any(|own| own == name))
}

/// Whether a schema leaves it open what a value is.
fn is_anything(schema: &Value) -> bool {
    let says = |word: &str| !schema[word].is_null();
    schema.is_object() && !["type", "enum", "anyOf", "oneOf", "$ref"].into_iter().any(says)
}

/// Whether something is of a kind.
pub(crate) fn is_kind(schema: &Value, wanted: &str) -> bool {
    match &plain(schema)["type"] {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == wanted),
        kind => kind == wanted,
    }
}

/// The schema of a field.
pub(crate) fn at<'s>(schema: &'s Value, place: &str) -> &'s Value {
    let schema = plain(schema);
    let own = &schema["properties"][place];
    match (own.is_null(), is_kind(schema, "array")) {
        (false, _) => own,
        (true, true) => &schema["items"],
        (true, false) => &schema["additionalProperties"],
    }
}

fn put(whole: &mut Value, schema: &Value, places: &[&str], text: &str) {
    let Some((place, rest)) = places.split_first() else { return };
    let own = at(schema, place);
    match whole {
        Value::Object(fields) if rest.is_empty() => {
            let named = !plain(schema)["properties"][*place].is_null();
            let required = requires(schema, place);
            if is_kind(own, "array") {
                let list = fields.entry(*place).or_insert_with(|| Value::Array(Vec::new()));
                if let (Value::Array(list), false) = (list, text.is_empty()) {
                    list.push(typed(at(own, "0"), text));
                }
            } else if !text.is_empty() {
                fields.insert((*place).to_owned(), typed(own, text));
            } else if is_nullable(own) || required && is_anything(own) {
                fields.insert((*place).to_owned(), Value::Null);
            } else if required || named && is_kind(own, "string") && plain(own)["enum"].is_null() {
                fields.insert((*place).to_owned(), Value::String(String::new()));
            }
        }
        Value::Object(fields) => {
            let empty = if is_kind(own, "array") {
                Value::Array(Vec::new())
            } else {
                Value::Object(Map::new())
            };
            put(fields.entry(*place).or_insert(empty), own, rest, text);
        }
        Value::Array(items) => {
            let Some(index) = place.parse().ok().filter(|index| *index < PLACES_MAX) else {
                return;
            };
            if items.len() <= index {
                items.resize(index + 1, Value::Object(Map::new()));
            }
            match rest.is_empty() {
                true if text.is_empty() && is_nullable(own) => items[index] = Value::Null,
                true => items[index] = typed(own, text),
                false => put(&mut items[index], own, rest, text),
            }
        }
        _ => {}
    }
}

/// A text converted to the type of the schema, or unchanged if it cannot be converted, so that the operation reports
/// the error.
fn typed(schema: &Value, text: &str) -> Value {
    let kept = || Value::String(text.to_owned());
    if is_kind(schema, "boolean") {
        return match text {
            "true" | "on" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => kept(),
        };
    }
    if is_kind(schema, "integer") {
        return text.parse::<i64>().map_or_else(|_| kept(), Value::from);
    }
    if is_kind(schema, "number") {
        // People in much of Europe write a comma.
        let number = text.replace(',', ".").parse().ok().and_then(Number::from_f64);
        return number.map_or_else(kept, Value::Number);
    }
    // Browsers send the ends of lines as mail does.
    Value::String(text.replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"},
            "phone": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "kind": {"type": "string", "enum": ["one", "other"]},
            "size": {"type": ["integer", "null"]},
            "share": {"type": "number"},
            "open": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "address": {"type": "object", "properties": {"city": {"type": "string"}}},
            "steps": {"type": "array", "items": {"type": "object", "properties": {"weight": {"type": "number"}}}},
            "texts": {"type": "object", "additionalProperties": {"type": "string"}},
            "home": {"type": ["object", "null"], "required": ["city"],
                "properties": {"city": {"type": "string"}, "region": {"type": ["string", "null"]}}},
            "values": {"type": "array", "items": {"type": "object", "required": ["value"],
                "properties": {"id": {"type": "string"}, "value": {"description": "Whatever it is."}}}},
        }})
    }

    #[test]
    fn fields_match_the_schema() {
        let body = of_fields(
            &schema(),
            [
                ("name", "Zoë\r\nde Vries"),
                ("kind", ""),
                ("phone", ""),
                ("size", "12"),
                ("share", "2,5"),
                ("open", "true"),
                ("tags", "a"),
                ("tags", ""),
                ("tags", "b"),
                ("address.city", "Utrecht"),
                ("steps.1.weight", "60"),
                ("texts.nl", "Tien"),
                ("texts.en", ""),
            ],
        );
        assert_eq!(
            body,
            json!({"name": "Zoë\nde Vries", "phone": null, "size": 12, "share": 2.5, "open": true,
                "tags": ["a", "b"], "address": {"city": "Utrecht"}, "steps": [{}, {"weight": 60.0}],
                "texts": {"nl": "Tien"}})
        );
    }

    #[test]
    fn empty_groups_are_null() {
        let home =
            |city| of_fields(&schema(), [("home.city", city), ("home.region", "")])["home"].clone();
        assert_eq!(home(""), Value::Null);
        assert_eq!(home("Utrecht"), json!({"city": "Utrecht", "region": null}));
        let mut body = of_fields(
            &schema(),
            [("values.0.id", "a"), ("values.0.value", ""), ("values.1.id", "b")],
        );
        set(&mut body, "values.1.value", json!(2.5));
        assert!(
            is_cleared_by_null(&schema(), "values.0.value")
                && is_cleared_by_null(&schema(), "size")
        );
        assert!(
            !is_cleared_by_null(&schema(), "texts.nl") && !is_cleared_by_null(&schema(), "share")
        );
        set(&mut body, "values.7.value", json!(1));
        assert_eq!(body["values"], json!([{"id": "a", "value": null}, {"id": "b", "value": 2.5}]));
    }

    #[test]
    fn invalid_values_are_left_to_the_operation() {
        let body = of_fields(
            &schema(),
            [("size", "twelve"), ("open", "perhaps"), ("share", ""), ("name", ""), ("other", "x")],
        );
        assert_eq!(body, json!({"size": "twelve", "open": "perhaps", "name": "", "other": "x"}));
    }

    #[test]
    fn forged_names_do_no_harm() {
        let long = ["a"; 40].join(".");
        let body = of_fields(
            &schema(),
            [
                (&*long, "x"),
                ("steps.999999999.weight", "1"),
                ("steps.x", "1"),
                ("name.x.y", "1"),
                ("", "x"),
            ],
        );
        assert_eq!(body["steps"], json!([]));
    }
}
