//! Objects are sent as objects.
//!
//! Deserializers also take a struct from an array of its fields in their order. The contract knows
//! no such form, so it is refused before they see it.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;
use spotter_kernel::{Problem, Result, Rule};

use crate::arguments::ArgumentSchemas;

/// The names of the parameters in the path and the query that are whole numbers.
pub(crate) fn whole_numbers(describe: fn(&mut SchemaGenerator) -> ArgumentSchemas) -> Vec<String> {
    let described = describe(&mut SchemaGenerator::default());
    let mut names = Vec::new();
    for schema in [described.path, described.query].into_iter().flatten() {
        let schema = schema.to_value();
        let is_whole = |schema: &Value| match &schema["type"] {
            Value::Array(kinds) => kinds.iter().any(|kind| kind == "integer"),
            kind => kind == "integer",
        };
        let own = schema["properties"].as_object().into_iter().flatten();
        names.extend(own.filter(|(_, schema)| is_whole(schema)).map(|(name, _)| name.clone()));
    }
    names
}

/// The schema of a handler's body with everything inlined.
pub(crate) fn body_schema(describe: fn(&mut SchemaGenerator) -> ArgumentSchemas) -> Option<Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    describe(&mut settings.into_generator()).body.map(Into::into)
}

/// Refuses an array where the schema has an object.
pub(crate) fn check(schema: &Value, body: &Value) -> Result<()> {
    walk(schema, body, String::new())
}

fn walk(schema: &Value, value: &Value, path: String) -> Result<()> {
    if let Some(choices) = schema["anyOf"].as_array() {
        // Only nullable types have alternatives, so the first is the one.
        return choices.first().map_or(Ok(()), |first| walk(first, value, path));
    }
    match value {
        Value::Array(_) if schema["properties"].is_object() => {
            Err(Problem::invalid(&path, Rule::NotObject))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(at, item)| walk(&schema["items"], item, format!("{path}[{at}]"))),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            let dot = if path.is_empty() { "" } else { "." };
            walk(&schema["properties"][name], value, format!("{path}{dot}{name}"))
        }),
        _ => Ok(()),
    }
}
