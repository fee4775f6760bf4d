//! A call of a tool as nearly all calls come: one message of a version without negotiation in each request, sent by no page, to a name
//! of the server. It is answered here, without the tasks, channels and copies that the library makes for each request; what
//! differs from that in anything is the library's to judge.

use axum::http::{HeaderMap, HeaderName, header};
use rmcp::model::{ErrorData, JsonObject, ProtocolVersion, RequestId};
use serde::Serialize;
use serde_json::Value;

use crate::tools::ToolAnswer;

/// A call that needs nothing of the library.
pub(crate) struct PlainCall {
    id: RequestId,
    pub(crate) name: String,
    pub(crate) arguments: JsonObject,
}

/// What a call is answered with (JSON-RPC 2.0, section 5).
#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a ToolAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorData>,
}

impl PlainCall {
    /// The call of a message that [`crate::message::read`] has checked; the message, where it is none.
    pub(crate) fn of(headers: &HeaderMap, hosts: &Hosts, message: Value) -> Option<Self> {
        if !hosts.are_plain(headers) || message["method"] != "tools/call" {
            return None;
        }
        let Value::Object(mut message) = message else { return None };
        let id = serde_json::from_value(message.remove("id")?).ok()?;
        let Value::Object(mut params) = message.remove("params")? else { return None };
        let Value::String(name) = params.remove("name")? else { return None };
        let arguments = match params.remove("arguments") {
            Some(Value::Object(arguments)) => arguments,
            None => JsonObject::new(),
            Some(_) => return None,
        };
        let is_noted = params.remove("_meta").is_none_or(|notes| is_of_the_client(&notes));
        (is_noted && params.is_empty()).then_some(Self { id, name, arguments })
    }

    /// The message that answers the call.
    pub(crate) fn answer(
        &self,
        outcome: &Result<ToolAnswer, ErrorData>,
    ) -> serde_json::Result<Vec<u8>> {
        let (result, error) = (outcome.as_ref().ok(), outcome.as_ref().err());
        serde_json::to_vec(&Answer { jsonrpc: "2.0", id: &self.id, result, error })
    }
}

/// Whether notes are a client's own: those of the protocol change what is asked.
fn is_of_the_client(notes: &Value) -> bool {
    notes
        .as_object()
        .is_some_and(|notes| notes.keys().all(|name| !name.starts_with("io.modelcontextprotocol/")))
}

/// The names of the server.
pub(crate) struct Hosts(pub(crate) Vec<String>);

impl Hosts {
    /// Whether headers say what nearly all say.
    fn are_plain(&self, headers: &HeaderMap) -> bool {
        let only = |name: &HeaderName| {
            let mut sent = headers.get_all(name).iter();
            let first = sent.next()?;
            sent.next().is_none().then(|| first.to_str().ok()).flatten()
        };
        !headers.contains_key(header::ORIGIN)
            && only(&header::HOST).is_some_and(|host| self.0.iter().any(|own| own == host))
            && only(&header::CONTENT_TYPE) == Some("application/json")
            && only(&VERSION)
                .is_some_and(|sent| PLAIN_VERSIONS.iter().any(|own| own.as_str() == sent))
    }
}

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Versions that are agreed on once, and whose messages come one at a time.
const PLAIN_VERSIONS: [ProtocolVersion; 2] =
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25];

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;

    const PLAIN: [(&str, &str); 3] = [
        ("host", "gym.example:8443"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2025-06-18"),
    ];

    fn is_plain(sent: &[(&'static str, &'static str)], params: Value) -> bool {
        let hosts =
            Hosts(["localhost", "gym.example:8443", "gym.example"].map(str::to_owned).into());
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        PlainCall::of(&headers, &hosts, message).is_some()
    }

    #[test]
    fn plain_headers_are_recognized() {
        let params = json!({"name": "get_client", "arguments": {}});
        assert!(is_plain(&PLAIN, params.clone()));
        for (name, value) in [
            ("host", "gym.example:8443"),
            ("host", "evil.example"),
            ("origin", "https://gym.example:8443"),
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-06-18"),
            ("mcp-protocol-version", "2025-11-25"),
        ] {
            let more = [&PLAIN[..], &[(name, value)]].concat();
            assert!(!is_plain(&more, params.clone()), "one more {name}");
        }
        for (name, value) in [
            ("host", "evil.example"),
            ("host", "gym.example:8443.evil.example"),
            ("content-type", "text/plain"),
            ("mcp-protocol-version", "2025-03-26"),
            ("mcp-protocol-version", "2026-07-28"),
        ] {
            let others = PLAIN.map(|own| if own.0 == name { (name, value) } else { own });
            assert!(!is_plain(&others, params.clone()), "{name}: {value}");
        }
        for missing in PLAIN {
            let others: Vec<_> = PLAIN.into_iter().filter(|own| *own != missing).collect();
            assert!(!is_plain(&others, params.clone()), "no {}", missing.0);
        }
    }

    #[test]
    fn plain_messages_are_recognized() {
        for (params, expected) in [
            (json!({"name": "x"}), true),
            (json!({"name": "x", "arguments": {"a": 1}, "_meta": {"progressToken": 1}}), true),
            (json!({"name": "x", "arguments": null}), false),
            (json!({"name": "x", "_meta": []}), false),
            (json!({"name": "x", "_meta": {"io.modelcontextprotocol/clientInfo": {}}}), false),
            (json!({"name": "x", "task": {}}), false),
        ] {
            assert_eq!(is_plain(&PLAIN, params.clone()), expected, "{params}");
        }
    }
}
