//! Schemas of arguments and results, as assistants are shown them.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};
use spotter_kernel::problem::unmarked;

/// Most values of an enumeration that are listed.
const ENUM_MAX: usize = 60;

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

    pub(super) fn forget(&mut self, name: &str) {
        self.properties.remove(name);
        self.required.retain(|required| required != name);
    }

    pub(super) fn keep(&mut self, wanted: impl Fn(&str) -> bool) {
        self.properties.retain(|name, _| wanted(name));
        self.required.retain(|name| wanted(name));
    }

    pub(super) fn join(&mut self, other: Self) {
        self.required
            .extend(other.required.into_iter().filter(|name| other.properties.contains_key(name)));
        self.properties.extend(other.properties);
    }

    pub(super) fn schema(self) -> Value {
        json!({"type": "object", "properties": self.properties, "required": self.required,
            "additionalProperties": false})
    }
}

/// A schema itself where it only refers to a definition.
pub(super) fn resolved(schema: Value, definitions: &Value) -> Value {
    let named = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
    match named.map(|name| definitions[name].clone()) {
        Some(found) => resolved(found, definitions),
        None => schema,
    }
}

/// A schema with the definitions that it leads to, and no others.
pub(super) fn with_definitions(schema: Value, definitions: &Value) -> JsonObject {
    let mut needed = Map::new();
    gather(&schema, definitions, &mut needed);
    let Value::Object(mut fields) = schema else { return JsonObject::new() };
    fields.remove("$schema");
    fields.remove("title");
    fields.remove("$defs");
    if !needed.is_empty() {
        fields.insert("$defs".to_owned(), Value::Object(needed));
    }
    let mut schema = Value::Object(fields);
    unmarked(&mut schema);
    slim(&mut schema);
    match schema {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    }
}

/// Takes out what costs an assistant's attention and tells it nothing: the checks are made anyway.
fn slim(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for keyword in ["pattern", "examples", "format"] {
                fields.remove(keyword);
            }
            // Hundreds of time zones would be most of the list.
            if fields.get("enum").and_then(Value::as_array).is_some_and(|all| all.len() > ENUM_MAX)
            {
                fields.remove("enum");
            }
            for (keyword, value) in fields {
                match (keyword.as_str(), value) {
                    // Names, which may be those of keywords.
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(slim)
                    }
                    ("enum" | "const" | "required" | "default", _) => {}
                    (_, value) => slim(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        _ => {}
    }
}

fn gather(schema: &Value, definitions: &Value, needed: &mut Map<String, Value>) {
    match schema {
        Value::Object(fields) => {
            let named = fields.get("$ref").and_then(Value::as_str);
            if let Some(name) = named.and_then(|name| name.strip_prefix("#/$defs/"))
                && !needed.contains_key(name)
            {
                needed.insert(name.to_owned(), definitions[name].clone());
                gather(&definitions[name], definitions, needed);
            }
            fields.values().for_each(|value| gather(value, definitions, needed));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, definitions, needed)),
        _ => {}
    }
}
