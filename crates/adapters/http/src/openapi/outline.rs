//! The application API in outline: operations, the names of their parameters, and the shapes of their answers without
//! descriptions and examples. The console's build script generates types from it.

use schemars::Schema;
use serde_json::{Map, Value, json};
use spotter_contract::{Operation, Table};

use super::schemas::Schemas;

/// The keywords of a schema that determine its type.
const KEYWORDS: [&str; 9] = [
    "$ref",
    "additionalProperties",
    "anyOf",
    "format",
    "items",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// Operations by their id, and the schemas of the records that they return by their name.
pub fn outline(table: &Table) -> Value {
    let mut schemas = Schemas::new();
    let operations: Map<String, Value> = table
        .for_people()
        .map(|operation| (operation.id.to_owned(), outline_operation(operation, &mut schemas)))
        .collect();
    let records = schemas.given.take_definitions(true);
    let records: Map<String, Value> =
        records.into_iter().map(|(name, schema)| (name, outline_schema(schema))).collect();
    json!({ "operations": operations, "schemas": records })
}

fn outline_operation(operation: &Operation, schemas: &mut Schemas) -> Value {
    let arguments = operation.arguments(&mut schemas.taken);
    let mut query = parameter_names(arguments.query.as_ref());
    if arguments.paged {
        query.extend(["page", "limit", "cursor"].map(str::to_owned));
    }
    json!({
        // Generated functions take path parameters in this order.
        "path": operation.path,
        "query": query,
        "answer": outline_schema(operation.answer(&mut schemas.given).into()),
    })
}

fn parameter_names(schema: Option<&Schema>) -> Vec<String> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).cloned().collect()
}

/// A schema with those keywords alone that say which type it is.
fn outline_schema(schema: Value) -> Value {
    let Value::Object(keywords) = schema else { return schema };
    let keywords = keywords.into_iter().filter(|(keyword, _)| KEYWORDS.contains(&keyword.as_str()));
    keywords
        .map(|(keyword, value)| {
            let value = match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    let own = properties.into_iter();
                    own.map(|(name, schema)| (name, outline_schema(schema))).collect()
                }
                ("anyOf" | "oneOf", Value::Array(choices)) => {
                    choices.into_iter().map(outline_schema).collect()
                }
                ("items" | "additionalProperties", schema) => outline_schema(schema),
                (_, value) => value,
            };
            (keyword, value)
        })
        .collect()
}
