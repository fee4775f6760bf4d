//! Schemas of arguments and results for assistants. A model reads every byte of them in each conversation, so they contain what a
//! first call needs to be right: names, types, formats, choices, and a hint where a name is not enough. Limits such
//! as lengths are in the error, which names the field and the rule.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};
use spotter_kernel::problem::unmarked;

use super::words;

/// Most values of an enumeration that are listed.
const ENUM_MAX: usize = 60;

/// Longest pattern that is shown, in characters: those of currencies and countries.
const PATTERN_MAX: usize = 12;

/// Formats that say what a text looks like.
const FORMATS: &[&str] = &["date", "date-time", "email", "uri"];

/// What a first call can do without.
const REDUNDANT_KEYWORDS: &[&str] = &[
    "examples",
    "default",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
];

/// The arguments of a tool while they are gathered.
#[derive(Default)]
pub(super) struct Object {
    pub(super) properties: Map<String, Value>,
    pub(super) required: Vec<String>,
}

impl Object {
    /// Adds the properties of a schema; their names.
    pub(super) fn add(
        &mut self,
        schema: Option<Value>,
        definitions: &Value,
        required: bool,
    ) -> Vec<String> {
        let Some(schema) = schema else { return Vec::new() };
        let schema = resolved(schema, definitions);
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let names: Vec<String> = properties.keys().cloned().collect();
        if required {
            let demanded = schema["required"].as_array().into_iter().flatten();
            self.required.extend(demanded.filter_map(Value::as_str).map(str::to_owned));
        }
        self.properties.extend(properties);
        names
    }

    pub(super) fn put(&mut self, name: &str, schema: Value) {
        self.properties.insert(name.to_owned(), schema);
    }

    pub(super) fn require(&mut self, name: &str) {
        if !self.required.iter().any(|own| own == name) {
            self.required.push(name.to_owned());
        }
    }

    pub(super) fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.properties.retain(|name, _| wanted(name));
        self.required.retain(|name| wanted(name));
    }

    pub(super) fn join(&mut self, other: Self) {
        self.required
            .extend(other.required.into_iter().filter(|name| other.properties.contains_key(name)));
        self.properties.extend(other.properties);
    }

    fn schema(self) -> Value {
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema
    }

    /// The schema of a tool's arguments. An absent field and `null` are the same, except where `null` clears a value.
    pub(super) fn into_arguments(
        self,
        tool: &str,
        definitions: &Value,
        null_clears: bool,
    ) -> JsonObject {
        let mut schema = self.schema();
        let mut definitions = definitions.clone();
        for schema in [&mut schema, &mut definitions] {
            hint(tool, schema);
            slim(schema, null_clears);
        }
        whole(schema, &definitions)
    }

    /// Only the names of the arguments, where the rest is shown beside them.
    pub(super) fn names_only(mut self) -> JsonObject {
        self.required.clear();
        self.properties.values_mut().for_each(|schema| *schema = json!({}));
        whole(self.schema(), &json!({}))
    }
}

/// The schema of a result: its fields and their types.
pub(super) fn result(mut schema: Value, mut definitions: Value) -> JsonObject {
    for schema in [&mut schema, &mut definitions] {
        silence(schema);
        slim(schema, true);
    }
    whole(schema, &definitions)
}

/// A schema itself where it only refers to a definition.
pub(super) fn resolved(schema: Value, definitions: &Value) -> Value {
    let named = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
    match named.map(|name| definitions[name].clone()) {
        Some(found) => resolved(found, definitions),
        None => schema,
    }
}

/// A schema with the definitions that it uses, and no others; what is used once is inlined.
fn whole(mut schema: Value, definitions: &Value) -> JsonObject {
    let mut uses = Map::new();
    count(&schema, definitions, &mut uses);
    let mut needed = Map::new();
    unfold(&mut schema, definitions, &uses, &mut needed);
    let Value::Object(mut fields) = schema else { return JsonObject::new() };
    for keyword in ["$schema", "title", "$defs"] {
        fields.remove(keyword);
    }
    if !needed.is_empty() {
        fields.insert("$defs".to_owned(), Value::Object(needed));
    }
    fields
}

/// The definition that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"))
}

/// How often each definition is referred to.
fn count(schema: &Value, definitions: &Value, uses: &mut Map<String, Value>) {
    if let Some(name) = referred(schema) {
        let before = uses.get(name).and_then(Value::as_u64).unwrap_or_default();
        uses.insert(name.to_owned(), json!(before + 1));
        if before == 0 {
            count(&definitions[name], definitions, uses);
        }
    }
    match schema {
        Value::Object(fields) => fields.values().for_each(|value| count(value, definitions, uses)),
        Value::Array(items) => items.iter().for_each(|item| count(item, definitions, uses)),
        _ => {}
    }
}

/// Puts definitions that are used once in the place of their references, and gathers the others.
fn unfold(
    schema: &mut Value,
    definitions: &Value,
    uses: &Map<String, Value>,
    needed: &mut Map<String, Value>,
) {
    if let Some(name) = referred(schema).map(str::to_owned) {
        if uses[&name] == 1 {
            let Value::Object(mut fields) = definitions[&name].clone() else { return };
            if let Some(output) = schema.get("description") {
                fields.insert("description".to_owned(), output.clone());
            }
            *schema = Value::Object(fields);
        } else if !needed.contains_key(&name) {
            needed.insert(name.clone(), Value::Null);
            let mut definition = definitions[&name].clone();
            unfold(&mut definition, definitions, uses, needed);
            needed.insert(name, definition);
        }
    }
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| unfold(value, definitions, uses, needed));
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| unfold(item, definitions, uses, needed));
        }
        _ => {}
    }
}

/// Goes through every schema within one, and the names of its properties.
fn visit(schema: &mut Value, change: &mut impl FnMut(Option<&str>, &mut Map<String, Value>)) {
    fn walk(
        name: Option<&str>,
        schema: &mut Value,
        change: &mut impl FnMut(Option<&str>, &mut Map<String, Value>),
    ) {
        match schema {
            Value::Object(fields) => {
                change(name, fields);
                for (keyword, value) in fields {
                    match (keyword.as_str(), value) {
                        // Names, which may be those of keywords.
                        ("properties", Value::Object(named)) => {
                            named.iter_mut().for_each(|(name, own)| walk(Some(name), own, change));
                        }
                        ("enum" | "const" | "required" | "default", _) => {}
                        (_, value) => walk(None, value, change),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| walk(None, item, change)),
            _ => {}
        }
    }
    // Definitions come by their names, which are no keywords.
    walk(None, schema, change);
}

/// Reduces descriptions to hints for assistants.
fn hint(tool: &str, schema: &mut Value) {
    visit(schema, &mut |name, fields| {
        fields.remove("description");
        if let Some(hint) = name.and_then(|name| words::hint(tool, name)) {
            fields.insert("description".to_owned(), hint.into());
        }
    });
}

/// Removes descriptions and fields that are always there.
fn silence(schema: &mut Value) {
    visit(schema, &mut |_, fields| {
        fields.retain(|word, _| word != "description" && word != "required");
        // Without these fields, more than one alternative may match.
        if let Some(choices) = fields.remove("oneOf") {
            fields.insert("anyOf".to_owned(), choices);
        }
    });
}

/// Removes constraints: the server checks them anyway.
fn slim(schema: &mut Value, null_counts: bool) {
    unmarked(schema);
    visit(schema, &mut |_, fields| {
        REDUNDANT_KEYWORDS.iter().for_each(|keyword| drop(fields.remove(*keyword)));
        fields.retain(|keyword, value| match keyword.as_str() {
            "additionalProperties" => value != false,
            "pattern" => value.as_str().is_some_and(|text| text.len() <= PATTERN_MAX),
            "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
            // Hundreds of time zones would be most of the list.
            "enum" => value.as_array().is_some_and(|all| all.len() <= ENUM_MAX),
            "required" => value.as_array().is_none_or(|names| !names.is_empty()),
            _ => true,
        });
        if !null_counts {
            without_null(fields);
        }
    });
}

/// Takes `null` out of what a value may be.
fn without_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            fields.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({"type": "null"}));
        if let [Value::Object(choice)] = &choices[..] {
            let choice = choice.clone();
            fields.remove("anyOf");
            fields.extend(choice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argument_schemas_are_short() {
        let mut object = Object::default();
        object
            .put("note", json!({"type": ["string", "null"], "maxLength": 9, "description": "X."}));
        object.put(
            "day",
            json!({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}$"}),
        );
        object.put(
            "weekdays",
            json!({"type": "array", "items": {"type": "integer", "format": "int64"}}),
        );
        object.put("rule", json!({"anyOf": [{"$ref": "#/$defs/Rule"}, {"type": "null"}]}));
        let definitions = json!({"Rule": {"type": "object", "additionalProperties": false,
            "properties": {"description": {"type": "string", "description": "Y."}}}});
        assert_eq!(
            Value::Object(object.into_arguments("x", &definitions, false)),
            json!({"type": "object", "properties": {
                "note": {"type": "string"},
                "day": {"type": "string", "format": "date"},
                "weekdays": {"type": "array", "items": {"type": "integer"},
                    "description": words::hint("x", "weekdays").unwrap()},
                "rule": {"type": "object", "properties": {"description": {"type": "string"}}},
            }})
        );
    }

    #[test]
    fn schemas_used_twice_are_defined_once() {
        let schema = json!({"type": "object", "properties": {
            "from": {"$ref": "#/$defs/Place"}, "to": {"$ref": "#/$defs/Place"}, "by": {"$ref": "#/$defs/Way"}}});
        let definitions =
            json!({"Place": {"type": "string"}, "Way": {"type": "integer"}, "Other": {}});
        let output = Value::Object(result(schema, definitions));
        assert_eq!(output["$defs"], json!({"Place": {"type": "string"}}));
        assert_eq!(output["properties"]["by"], json!({"type": "integer"}));
        assert_eq!(output["properties"]["to"], json!({"$ref": "#/$defs/Place"}));
    }
}
