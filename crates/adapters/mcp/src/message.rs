//! What a body must be before the library reads it: one JSON-RPC message, with what its method needs.

use axum::http::StatusCode;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use spotter_contract::Content;
use spotter_kernel::Rule;

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const INVALID_PARAMS: i64 = -32_602;

/// The message of a body. A malformed one is refused: 400 with JSON-RPC's error; a request with wrong parameters is answered with
/// its id (JSON-RPC 2.0, section 5.1).
pub(crate) fn read(body: &[u8]) -> Result<Value, (StatusCode, Value)> {
    let refused = |status, id: &Value, code: i64, message: &str| {
        let error = json!({"code": code, "message": message});
        Err((status, json!({"jsonrpc": "2.0", "id": id, "error": error})))
    };
    let message = match Content::parse(body) {
        Content::Object(message) => message,
        // Who reads the first and who reads the last would not agree.
        Content::Malformed(Rule::NameTwice { name }) => {
            let why = format!("{name} occurs twice in an object.");
            return refused(StatusCode::BAD_REQUEST, &Value::Null, INVALID_REQUEST, &why);
        }
        _ if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            let why = "The body must be one message, an object; batches are not taken.";
            return refused(StatusCode::BAD_REQUEST, &Value::Null, INVALID_REQUEST, why);
        }
        _ => {
            let why = "The body must be JSON.";
            return refused(StatusCode::BAD_REQUEST, &Value::Null, PARSE_ERROR, why);
        }
    };
    if let Some(why) = unlike_a_message(&message) {
        return refused(StatusCode::BAD_REQUEST, &Value::Null, INVALID_REQUEST, why);
    }
    match wrong_params(&message) {
        Some(why) => refused(StatusCode::OK, &message["id"], INVALID_PARAMS, why),
        None => Ok(message),
    }
}

fn unlike_a_message(message: &Value) -> Option<&'static str> {
    let fields = message.as_object()?;
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return Some("jsonrpc must be \"2.0\".");
    }
    let is_answer = fields.contains_key("result") || fields.contains_key("error");
    match (fields.get("method"), fields.get("id")) {
        (None, _) if !is_answer => Some("method is needed."),
        (Some(_), _) if is_answer => Some("a message has method, or else result or error."),
        (Some(method), _) if !method.is_string() => Some("method must be a text."),
        (_, Some(id)) if !(id.is_string() || id.is_i64()) => {
            Some("id must be a text or a whole number of at most 63 bits.")
        }
        _ => None,
    }
}

fn wrong_params(message: &Value) -> Option<&'static str> {
    message.get("id")?;
    let params = &message["params"];
    match message["method"].as_str()? {
        _ if !(params.is_null() || params.is_object()) => Some("params must be an object."),
        _ if !matches!(params["_meta"], Value::Null | Value::Object(_)) => {
            Some("params._meta must be an object.")
        }
        "tools/call" if !params["name"].is_string() => Some("params.name must be a tool's name."),
        "tools/call" if !matches!(params["arguments"], Value::Null | Value::Object(_)) => {
            Some("params.arguments must be an object.")
        }
        "tools/list" if !matches!(params["cursor"], Value::Null | Value::String(_)) => {
            Some("params.cursor must be a text.")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_messages_are_refused() {
        let code = |body: &str| match read(body.as_bytes()) {
            Ok(_) => 0,
            Err((_, answer)) => answer["error"]["code"].as_i64().unwrap(),
        };
        for (body, expected) in [
            ("{", PARSE_ERROR),
            ("[]", INVALID_REQUEST),
            ("\"x\"", INVALID_REQUEST),
            ("{}", INVALID_REQUEST),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}"#, INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"y"}}"#,
                INVALID_REQUEST,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}"#, INVALID_PARAMS),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, INVALID_PARAMS),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}"#,
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#,
                INVALID_PARAMS,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, 0),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, 0),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, 0),
        ] {
            assert_eq!(code(body), expected, "{body}");
        }
    }
}
