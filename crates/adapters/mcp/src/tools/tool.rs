//! A tool: an operation, how it is used, and what it takes.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use spotter_assistants::modules::GrantSubject;
use spotter_contract::{
    Arguments, Content, Method, Operation, PreparedRequest,
    confirmations::{ConfirmationRequest, ConfirmationStep, Preview},
    idempotency::{self, Idempotent},
};
use spotter_kernel::{Id, Phrase, Problem, Result};

use super::{
    list_summaries,
    schemas::{Object, resolved, result},
    words,
};

/// The argument that makes a repeated call one call. Every tool that changes something takes it; the server's
/// instructions say so once, for all of them.
const KEY: &str = "idempotencyKey";

/// The argument that confirms a preview.
const CONFIRM: &str = "confirmToken";

/// What the names of previews begin with.
const PREVIEW: &str = "preview_";

/// The path's parameter that is a client's own where a client's assistant calls.
const CLIENT: &str = "clientId";

/// How a tool uses its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolMode {
    /// It does it.
    Does,
    /// The call previews.
    Previews,
    /// The call confirms a preview.
    Confirms,
}

/// A tool of one kind of assistant.
pub(super) struct Tool {
    pub(super) operation: Arc<Operation>,
    pub(super) used: ToolMode,
    pub(super) described: Described,
    path: Vec<String>,
    query: Vec<String>,
    body: Vec<String>,
    /// Whether the path's client is the caller.
    of_client: bool,
}

impl Tool {
    pub(super) fn new(operation: Arc<Operation>, used: ToolMode, subject: GrantSubject) -> Self {
        let mut schemas = schemars::SchemaGenerator::default();
        let described = operation.arguments(&mut schemas);
        let answer = match used {
            ToolMode::Previews => Preview::json_schema(&mut schemas).to_value(),
            _ => operation.answer(&mut schemas).to_value(),
        };
        let definitions = Value::Object(schemas.take_definitions(true));
        let of_client = subject == GrantSubject::Client;
        let granted = operation.for_client.filter(|_| of_client);
        // What clients cannot say, and what only programs have to say, is no argument.
        let is_theirs = |name: &str| {
            let is_untold = words::HIDDEN_ARGUMENTS.contains(&name) || of_client && name == CLIENT;
            !is_untold && granted.is_none_or(|granted| !granted.is_staff_field(name))
        };
        let mut input = Object::default();
        input.add(described.path.map(|schema| schema.to_value()), &definitions, true);
        input.retain(|name| !(of_client && name == CLIENT));
        let path: Vec<String> = input.properties.keys().cloned().collect();
        let mut query =
            input.add(described.query.map(|schema| schema.to_value()), &definitions, false);
        query.retain(|name| is_theirs(name));
        if described.paged {
            input.put("page", json!({"type": "integer"}));
            input.put("limit", json!({"type": "integer"}));
            query.extend(["page".to_owned(), "limit".to_owned()]);
        }
        input.retain(|name| query.iter().chain(&path).any(|own| own == name));
        let mut body = Object::default();
        let sent = described.body.map(|schema| schema.to_value());
        body.add(sent, &definitions, described.body_required);
        // A name that the path has too means the same there.
        body.properties.retain(|name, _| !input.properties.contains_key(name));
        body.retain(is_theirs);
        let body_names: Vec<String> = body.properties.keys().cloned().collect();
        input.join(body);
        let input = match used {
            ToolMode::Previews => input.names_only(),
            ToolMode::Confirms => {
                input.put(CONFIRM, json!({"type": "string"}));
                input.require(CONFIRM);
                input.into_arguments(operation.id, &definitions, operation.method == Method::Patch)
            }
            ToolMode::Does => {
                input.into_arguments(operation.id, &definitions, operation.method == Method::Patch)
            }
        };
        let mut output = resolved(answer, &definitions);
        output["type"] = json!("object");
        let mut definitions = definitions;
        if let Some(granted) = granted {
            granted.strip_schema(&mut output);
            granted.strip_schema(&mut definitions);
        }
        if let Some(brief) = list_summaries::of(operation.id) {
            brief.cut_schema(&mut output, &mut definitions);
        }
        let described = describe(&operation, used, input, result(output, definitions));
        Self { operation, used, described, path, query, body: body_names, of_client }
    }

    /// The request that a call stands for; `caller` is the person for whom the assistant acts.
    pub(super) fn prepare(
        &self,
        mut given: JsonObject,
        caller: Option<Id>,
    ) -> Result<PreparedRequest> {
        let takes_key = self.operation.writes && self.used != ToolMode::Previews;
        let key = match given.remove(KEY) {
            None | Some(Value::Null) => None,
            Some(Value::String(key)) if takes_key => Some(key),
            Some(_) => {
                let rule = "must be a text, for tools that change something";
                return Err(Problem::invalid(KEY, Phrase::verbatim(rule)));
            }
        };
        let confirmed = match given.remove(CONFIRM).filter(|_| self.used == ToolMode::Confirms) {
            None | Some(Value::Null) => None,
            Some(Value::String(token)) => Some(token),
            Some(_) => {
                let rule = "must be the text that the preview gave";
                return Err(Problem::invalid(CONFIRM, Phrase::verbatim(rule)));
            }
        };
        let arguments = self.read(given, caller.filter(|_| self.of_client))?;
        let named: Vec<_> = arguments.path.iter().map(|(_, value)| value.as_str()).collect();
        let place = format!("{} {}", self.operation.id, named.join("/"));
        let fingerprint = idempotency::fingerprint("TOOL", &place, &arguments);
        let idempotent = Idempotent::new(key.as_ref().map(|key| key.as_bytes()), fingerprint)?;
        let mut request =
            PreparedRequest::new(self.operation.clone(), Ok(arguments), Ok(idempotent));
        request.confirmation = match self.used {
            ToolMode::Does => None,
            ToolMode::Previews => Some(ConfirmationRequest::preview(fingerprint)),
            ToolMode::Confirms => Some(ConfirmationRequest {
                wanted: ConfirmationStep::Confirmed(confirmed),
                fingerprint,
            }),
        };
        Ok(request)
    }

    /// Reads the arguments of a call as those of its operation.
    fn read(&self, given: JsonObject, bound_to: Option<Id>) -> Result<Arguments> {
        let mut path = Vec::new();
        path.extend(bound_to.map(|id| (CLIENT.to_owned(), id.to_string())));
        let mut query = form_urlencoded::Serializer::new(String::new());
        let mut body = Map::new();
        for (name, value) in given {
            let is_in_address = self.path.contains(&name) || self.query.contains(&name);
            if is_in_address && (value.is_object() || value.is_array()) {
                let rule = "must be a text, a number, true or false";
                return Err(Problem::invalid(&name, Phrase::verbatim(rule)));
            }
            if self.path.contains(&name) {
                path.push((name, plain(&value)));
            } else if self.query.contains(&name) {
                if !value.is_null() {
                    query.append_pair(&name, &plain(&value));
                }
            } else if self.body.contains(&name) {
                body.insert(name, value);
            } else {
                let own = [&self.path, &self.query, &self.body].into_iter().flatten();
                let names = own.map(String::as_str).collect::<Vec<_>>().join(", ");
                let rule = format!("is no argument of this tool; there are {names}");
                return Err(Problem::invalid(&name, Phrase::verbatim(&rule)));
            }
        }
        // Where a body is optional, an empty object means no body.
        let body = match self.operation.takes_body() {
            true => Value::Object(body).into(),
            false => Content::Nothing,
        };
        Ok(Arguments { path, query: query.finish(), body })
    }
}

/// A value as part of a path or query; ids may have either case.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        // 5.0 is 5 in JSON, and is written so where numbers have one spelling.
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => (float as i64).to_string(),
            _ => number.to_string(),
        },
        other => other.to_string(),
    };
    if Id::parse(&text).is_some() { text.to_ascii_lowercase() } else { text }
}

fn describe(
    operation: &Operation,
    used: ToolMode,
    input: JsonObject,
    output: JsonObject,
) -> Described {
    let (id, summary) = (operation.id, operation.summary.trim_end_matches('.'));
    let (name, title, text) = match used {
        ToolMode::Previews => (
            format!("{PREVIEW}{id}"),
            format!("{summary}: what would happen"),
            format!("Tells what {id} would do; gives its {CONFIRM}."),
        ),
        _ => (id.to_owned(), summary.to_owned(), words::of(operation)),
    };
    Described::new(name, text, Arc::new(input))
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(hints(operation, used, &title))
        .with_title(title)
}

/// The protocol's annotations of a tool. A tool that replaces or removes something is destructive in the protocol's
/// sense: all but those that create a record or are known to only add.
fn hints(operation: &Operation, used: ToolMode, title: &str) -> ToolAnnotations {
    let reads = !operation.writes || used == ToolMode::Previews;
    let adds = operation.status == 201 || words::ADDING.contains(&operation.id);
    let replaces = matches!(operation.method, Method::Patch | Method::Put | Method::Delete)
        || words::REPLACING.contains(&operation.id);
    ToolAnnotations::with_title(title)
        .read_only(reads)
        .destructive(!reads && (used == ToolMode::Confirms || replaces || !adds))
        .idempotent(reads || replaces)
        .open_world(false)
}
