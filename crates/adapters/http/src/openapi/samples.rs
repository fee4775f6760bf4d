//! Requests beside each operation, in curl, TypeScript and Python, made from its examples. The SDKs in `sdk/` have a method
//! for each operation, of its name.

use serde_json::{Map, Value, json};

use super::examples;

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Json,
    TypeScript,
    Python,
}

impl Syntax {
    /// A value over several lines, whose first follows what is there already.
    fn write(self, value: &Value, indent: usize) -> String {
        let unit = if self == Self::Python { 4 } else { 2 };
        let (inner, outer) = (" ".repeat(indent + unit), " ".repeat(indent));
        // A comma behind the last one, where the language's formatter puts it.
        let last = if self == Self::Json { "" } else { "," };
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let each = fields.iter().map(|(name, own)| {
                    format!("{inner}{}: {}", self.key(name), self.write(own, indent + unit))
                });
                format!("{{\n{}{last}\n{outer}}}", each.collect::<Vec<_>>().join(",\n"))
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                let each =
                    items.iter().map(|item| format!("{inner}{}", self.write(item, indent + unit)));
                format!("[\n{}{last}\n{outer}]", each.collect::<Vec<_>>().join(",\n"))
            }
            Value::Array(items) => {
                let each = items.iter().map(|item| self.write(item, indent));
                format!("[{}]", each.collect::<Vec<_>>().join(", "))
            }
            Value::Bool(true) if self == Self::Python => "True".to_owned(),
            Value::Bool(false) if self == Self::Python => "False".to_owned(),
            Value::Null if self == Self::Python => "None".to_owned(),
            other => other.to_string(),
        }
    }

    fn key(self, name: &str) -> String {
        let is_plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        match self {
            Self::TypeScript if is_plain => name.to_owned(),
            _ => json!(name).to_string(),
        }
    }
}

/// What a request of an operation is made of.
struct Request<'d> {
    id: &'d str,
    method: String,
    path: &'d str,
    /// Values of the path and of what its query must have.
    path_values: Vec<(&'d str, Value)>,
    query_values: Vec<(&'d str, Value)>,
    body: Option<&'d Value>,
    is_for_devices: bool,
    /// Whether its answer is a list that goes on by a cursor.
    is_list: bool,
    /// The one field of its answer, if it has one.
    only_field: Option<&'d str>,
}

impl<'d> Request<'d> {
    fn of(
        operation: &'d Value,
        path: &'d str,
        method: &str,
        schemas: &Map<String, Value>,
    ) -> Option<Self> {
        let place = |kind: &'static str| {
            let all = operation["parameters"].as_array().into_iter().flatten();
            let asked =
                |one: &&Value| one["required"] == true || is_needed(operation, &one["name"]);
            all.filter(move |one| one["in"] == kind && asked(one)).filter_map(|one| {
                let name = one["name"].as_str()?;
                Some((name, examples::of(name, &one["schema"], schemas)))
            })
        };
        let responses = operation["responses"].as_object()?;
        let success = responses.iter().find(|(status, _)| status.starts_with('2'))?.1;
        let data = &success["content"]["application/json"]["schema"]["properties"]["data"];
        let fields = data["properties"].as_object();
        let body = &operation["requestBody"]["content"]["application/json"]["example"];
        Some(Self {
            id: operation["operationId"].as_str()?,
            method: method.to_ascii_uppercase(),
            path,
            path_values: place("path").collect(),
            query_values: place("query").collect(),
            body: Some(body).filter(|body| !body.is_null()),
            is_for_devices: operation["security"][0].get("deviceKey").is_some(),
            is_list: fields.is_some_and(|fields| fields.contains_key("nextCursor")),
            only_field: match fields.map(|fields| fields.keys().collect::<Vec<_>>()).as_deref() {
                Some([only]) => Some(only.as_str()),
                _ => None,
            },
        })
    }

    fn curl(&self) -> String {
        let mut path = self.path.to_owned();
        for (name, value) in &self.path_values {
            path = path.replace(&format!("{{{name}}}"), &text_of(value));
        }
        let mut sign = '?';
        for (name, value) in &self.query_values {
            path.push_str(&format!("{sign}{name}={}", text_of(value)));
            sign = '&';
        }
        let method =
            if self.method == "GET" { String::new() } else { format!("-X {} ", self.method) };
        let mut lines = vec![format!("curl {method}\"$SPOTTER_URL/public/v1{path}\"")];
        lines.push(match self.is_for_devices {
            true => "-H \"x-device-key: $SPOTTER_DEVICE_KEY\"".to_owned(),
            false => "-H \"Authorization: Bearer $SPOTTER_TOKEN\"".to_owned(),
        });
        if self.method != "GET" {
            lines.push(format!("-H \"Idempotency-Key: {}-1\"", self.id.replace('_', "-")));
        }
        if let Some(body) = self.body {
            lines.push("-H \"Content-Type: application/json\"".to_owned());
            let text = Syntax::Json.write(body, 2).replace('\'', "'\\''");
            lines.push(format!("-d '{text}'"));
        }
        lines.join(" \\\n  ")
    }

    fn typescript(&self) -> String {
        let mut arguments: Vec<_> =
            self.path_values.iter().map(|(_, value)| value.to_string()).collect();
        if !self.query_values.is_empty() {
            let query =
                self.query_values.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
            arguments.push(Syntax::TypeScript.write(&Value::Object(query.collect()), 0));
        }
        arguments.extend(self.body.map(|body| Syntax::TypeScript.write(body, 0)));
        let call = format!("spotter.{}({})", camel(self.id), arguments.join(", "));
        let run = match (self.is_list, self.only_field) {
            (true, _) => format!("for await (const item of {call}) {{\n  console.log(item);\n}}"),
            (false, Some(field)) => {
                format!("const {{ {field} }} = await {call};\nconsole.log({field});")
            }
            (false, None) => format!("const result = await {call};\nconsole.log(result);"),
        };
        let settings = match self.is_for_devices {
            true => "{ deviceKey: process.env.SPOTTER_DEVICE_KEY }",
            false => "",
        };
        format!(
            "import {{ Spotter }} from \"spotter-api\";\n\nconst spotter = new Spotter({settings});\n{run}"
        )
    }

    fn python(&self) -> String {
        let mut arguments: Vec<_> =
            self.path_values.iter().map(|(_, value)| Syntax::Python.write(value, 0)).collect();
        arguments.extend(self.body.map(|body| Syntax::Python.write(body, 0)));
        arguments.extend(self.query_values.iter().map(|(name, value)| {
            // A word of the language has an underscore behind it.
            let name = match *name {
                "from" => "from_".to_owned(),
                other => snake(other),
            };
            format!("{name}={}", Syntax::Python.write(value, 0))
        }));
        let call = format!("spotter.{}({})", self.id, arguments.join(", "));
        let run = match (self.is_list, self.only_field) {
            (true, _) => format!("for item in {call}:\n    print(item)"),
            (false, Some(field)) => format!("{0} = {call}[\"{field}\"]\nprint({0})", snake(field)),
            (false, None) => format!("result = {call}\nprint(result)"),
        };
        let (import, settings) = match self.is_for_devices {
            true => ("import os\n\n", "device_key=os.environ[\"SPOTTER_DEVICE_KEY\"]"),
            false => ("", ""),
        };
        format!("{import}from spotter_api import Spotter\n\nspotter = Spotter({settings})\n{run}")
    }
}

/// Whether a parameter is one of several of which a request has at least one.
fn is_needed(operation: &Value, parameter: &Value) -> bool {
    operation["operationId"] == "list_slots" && parameter == "eventTypeId"
}

/// Adds requests in three languages to an operation that has its examples.
pub(super) fn add(operation: &mut Value, path: &str, method: &str, schemas: &Map<String, Value>) {
    let Some(request) = Request::of(operation, path, method, schemas) else { return };
    let samples = json!([
        {"lang": "Shell", "label": "curl", "source": request.curl()},
        {"lang": "TypeScript", "label": "TypeScript", "source": request.typescript()},
        {"lang": "Python", "label": "Python", "source": request.python()},
    ]);
    operation["x-codeSamples"] = samples;
}

/// The token endpoint's, which the SDKs call by themselves.
pub(super) fn add_token(operation: &mut Value) {
    let curl = "curl \"$SPOTTER_URL/public/v1/oauth/token\" \\\n  -u \"$SPOTTER_CLIENT_ID:$SPOTTER_CLIENT_SECRET\" \\\n  \
        -d grant_type=client_credentials";
    operation["x-codeSamples"] = json!([{"lang": "Shell", "label": "curl", "source": curl}]);
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `list_clients` as `listClients`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut name, word| {
        let (head, rest) = word.split_at(word.len().min(1));
        name.push_str(&head.to_ascii_uppercase());
        name.push_str(rest);
        name
    })
}

/// `memberStatus` as `member_status`.
fn snake(name: &str) -> String {
    name.chars().fold(String::new(), |mut name, c| {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
        name
    })
}
