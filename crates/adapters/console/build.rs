//! Generates a type for each operation of the application API and for each record that it returns, from
//! `application_api.json` (printed by `spotter openapi --outline`). What is generated are tables; the macros that make
//! types of them are in `src/api.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs,
    path::Path,
};

use serde_json::{Map, Value};

const OUTLINE: &str = "application_api.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={OUTLINE}");
    let outline: Value = serde_json::from_str(&fs::read_to_string(OUTLINE)?)?;
    let mut generator = Generator {
        schemas: properties(&outline["schemas"]),
        records: BTreeSet::new(),
        parts: BTreeMap::new(),
        code: String::new(),
    };
    for (name, schema) in properties(&outline["schemas"]) {
        generator.add_record(name, schema);
    }
    for (id, operation) in properties(&outline["operations"]) {
        generator.add_operation(id, operation);
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("api.rs"), generator.code)?;
    Ok(())
}

struct Generator<'s> {
    schemas: &'s Map<String, Value>,
    /// Names of the records so far.
    records: BTreeSet<String>,
    /// Objects without a name of their own by their fields: those with the same fields are one type.
    parts: BTreeMap<String, String>,
    code: String,
}

impl Generator<'_> {
    /// An operation with the parameters of its path and its query, and the fields of its answer.
    fn add_operation(&mut self, id: &str, operation: &Value) {
        let name = pascal_case(id);
        let answer = self.fields(&name, &operation["answer"]);
        let path = operation["path"].as_str().unwrap_or_default().split('/');
        let path = path.filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        let path: Vec<String> = path.map(field).collect();
        let query = operation["query"].as_array().into_iter().flatten();
        let query: Vec<String> = query.filter_map(Value::as_str).map(field).collect();
        self.code.push_str(&format!(
            "operation! {{ {name} {} {id:?} ({}) ({}) {{ {answer} }} }}\n",
            identifier(id),
            path.join(", "),
            query.join(", "),
        ));
    }

    /// A record with its fields.
    fn add_record(&mut self, name: &str, schema: &Value) {
        if schema["properties"].is_object() && self.records.insert(name.to_owned()) {
            let fields = self.fields(name, schema);
            self.code.push_str(&format!("record! {{ {name} {{ {fields} }} }}\n"));
        }
    }

    /// Each field of an object with its type.
    fn fields(&mut self, owner: &str, schema: &Value) -> String {
        let required = schema["required"].as_array().into_iter().flatten();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        properties(&schema["properties"])
            .iter()
            .map(|(key, schema)| {
                let own = format!("{owner}{}", pascal_case(key));
                let kind = self.kind(&own, schema, !required.contains(key.as_str()));
                format!("{}: {kind}, ", field(key))
            })
            .collect()
    }

    /// The Rust type of a schema; an object without a name of its own is a record of the given name.
    fn kind(&mut self, name: &str, schema: &Value, is_optional: bool) -> String {
        let (schema, is_nullable) = without_null(schema);
        let optional = |kind: &str| match is_optional || is_nullable {
            true => format!("Option<{kind}>"),
            false => kind.to_owned(),
        };
        if let Some(target) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            let Some(target_schema) = self.schemas.get(target) else { return ANY.to_owned() };
            return match target_schema["properties"].is_object() {
                true => optional(&format!("{target}<'a>")),
                false => self.kind(target, target_schema, is_optional || is_nullable),
            };
        }
        match (type_name(&schema), schema["format"].as_str()) {
            ("string", Some("date-time")) => optional("Timestamp"),
            ("string", Some("date")) => optional("Date"),
            // A text that is not there is empty, as pages write it.
            ("string", _) => "&'a str".to_owned(),
            ("integer", _) => optional("i64"),
            ("number", _) => optional("f64"),
            ("boolean", _) => optional("bool"),
            ("array", _) => {
                format!("List<'a, {}>", self.kind(&singular(name), &schema["items"], false))
            }
            ("object", _) if schema["properties"].is_object() => {
                let fields = self.fields(name, &schema);
                if !self.parts.contains_key(&fields) {
                    self.code.push_str(&format!("record! {{ {name} {{ {fields} }} }}\n"));
                }
                let name = self.parts.entry(fields).or_insert_with(|| name.to_owned()).clone();
                optional(&format!("{name}<'a>"))
            }
            _ => ANY.to_owned(),
        }
    }
}

/// The type of what may be anything.
const ANY: &str = "&'a Value";

/// A schema without `null`, and whether that was allowed.
fn without_null(schema: &Value) -> (Value, bool) {
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    let Some(choices) = choices else {
        let kinds = schema["type"].as_array();
        return (
            schema.clone(),
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "null")),
        );
    };
    let others: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    let is_nullable = others.len() < choices.len();
    match others.as_slice() {
        [one] => {
            let (one, own) = without_null(one);
            (one, is_nullable || own)
        }
        _ => (Value::Null, is_nullable),
    }
}

/// The type that a schema names beside `null`.
fn type_name(schema: &Value) -> &str {
    let listed = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let listed = listed.into_iter().find(|kind| *kind != "null");
    schema["type"].as_str().or(listed).unwrap_or_default()
}

fn properties(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE)
}

/// A name in Rust and in JSON: `starts_at "startsAt"`.
fn field(key: &str) -> String {
    format!("{} {key:?}", identifier(key))
}

fn identifier(key: &str) -> String {
    let mut name = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        match letter.is_ascii_alphanumeric() {
            true => name.push(letter.to_ascii_lowercase()),
            false => name.push('_'),
        }
    }
    match name.trim_start_matches('_') {
        keyword @ ("type" | "in" | "ref" | "move" | "match" | "use" | "where" | "for") => {
            format!("r#{keyword}")
        }
        name => name.to_owned(),
    }
}

/// The name of an item of a list: `questions` are of the type `Question`.
fn singular(name: &str) -> String {
    match (name.strip_suffix("ies"), name.strip_suffix("xes"), name.strip_suffix('s')) {
        (Some(stem), ..) => format!("{stem}y"),
        (_, Some(stem), _) => format!("{stem}x"),
        (.., Some(stem)) => stem.to_owned(),
        _ => name.to_owned(),
    }
}

fn pascal_case(key: &str) -> String {
    let mut name = String::new();
    let mut starts = true;
    for letter in key.chars() {
        if !letter.is_ascii_alphanumeric() {
            starts = true;
        } else if starts {
            name.push(letter.to_ascii_uppercase());
            starts = false;
        } else {
            name.push(letter);
        }
    }
    name
}
