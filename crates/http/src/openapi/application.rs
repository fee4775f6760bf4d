//! What people's description has beside operations: signing in, files, and live updates.

use serde_json::{Map, Value, json};

/// One line.
pub(super) const SUMMARY: &str =
    "What coaches and clients do, for the apps and pages that people work with.";

/// What operations have in common.
pub(super) const DESCRIPTION: &str = "\
What coaches and clients of a company do. Integrations have the Public API; most of its operations are here, too, at the \
same path, for the people who may do the same.

**Who.** A coach reaches what their role has: a Coach works with clients, a Manager runs the company, an Admin also makes \
managers and admins. A client reaches what an operation says it grants them, about themselves: the `clientId` in a path is \
their own, and everybody else does not exist for them. What they may not do is 403 `auth.forbidden`.

**Sessions.** `POST /auth/login` gives an access token, sent as `Authorization: Bearer`, and a refresh token that is good for \
one `POST /auth/refresh`. The company is always derived from the token.

**The rest is as integrations have it**: the envelope, error keys, paging, values, limits (counted for each person), ETags. An \
`Idempotency-Key` is optional, and means the same where it is sent.";

/// How people are known.
pub(super) fn security_schemes() -> Value {
    json!({
        "session": {"type": "http", "scheme": "bearer", "description": "The access token of a session."},
    })
}

/// The places that are no operations of the table.
pub(super) fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    let mut add = |path: &str, method: &str, place: ExtraEndpoint| {
        let methods = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
        methods[method] = place.describe();
    };
    let (text, id) = (
        json!({"type": "string"}),
        json!({"type": "string", "pattern": "^[a-fA-F0-9]{24}$", "examples": ["019a8f3c2b7d4e5f60718293"]}),
    );
    let submitted = |schema: &Value, about: &str| {
        let mut schema = schema.clone();
        schema["description"] = about.into();
        schema
    };
    let session = object(json!({"session": object(json!({
        "accessToken": submitted(&text, "Sent as `Authorization: Bearer`."),
        "tokenType": {"type": "string", "const": "Bearer", "description": "Always `Bearer`."},
        "expiresIn": {"type": "integer", "description": "Seconds until the access token expires."},
        "refreshToken": submitted(&text, "Good for one refresh within 30 days."),
        "subject": {"type": "string", "enum": ["coach", "client"], "description": "Who is signed in."},
        "subjectId": submitted(&id, "The coach's or the client's id."),
        "companyId": submitted(&id, "Their company's id."),
    }))}));
    let flag = |name: &str, about: &str| {
        object(json!({name: {"type": "boolean", "const": true, "description": about}}))
    };
    add(
        "/auth/login",
        "post",
        ExtraEndpoint {
            id: "sign_in",
            summary: "Sign in",
            text: "An address with accounts at several companies, or of a coach and a client, is asked which of them is meant: \
            send `companyId` or `subject`.",
            open: true,
            body: Some(json!({
                "type": "object", "additionalProperties": false, "required": ["email", "password"],
                "properties": {
                    "email": {"type": "string", "description": "The account's address.", "examples": ["sam@example.com"]},
                    "password": submitted(&text, "Its password."),
                    "companyId": submitted(&id, "The company, where there are several."),
                    "subject": {"type": "string", "enum": ["coach", "client"], "description": "As whom, where both are possible."},
                },
            })),
            answer: session.clone(),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/refresh",
        "post",
        ExtraEndpoint {
            id: "refresh_session",
            summary: "Get the next pair of tokens",
            open: true,
            body: Some(body(
                json!({"refreshToken": submitted(&text, "The refresh token of the pair before.")}),
            )),
            answer: session.clone(),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/logout",
        "post",
        ExtraEndpoint {
            id: "sign_out",
            summary: "End this session",
            answer: flag("signedOut", "Always true."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/password",
        "post",
        ExtraEndpoint {
            id: "change_password",
            summary: "Change the password",
            text: "Every other session of the account ends.",
            body: Some(body(json!({
                "currentPassword": submitted(&text, "The password so far."),
                "newPassword": {"type": "string", "minLength": 10, "maxLength": 200, "description": "The new one."},
            }))),
            answer: flag("passwordChanged", "Always true."),
            ..ExtraEndpoint::default()
        },
    );
    let new_password =
        json!({"type": "string", "minLength": 10, "maxLength": 200, "description": "The new one."});
    add(
        "/auth/password/forgot",
        "post",
        ExtraEndpoint {
            id: "forgot_password",
            summary: "Have a link mailed that sets a new password",
            text: "The answer is the same whether anybody has the address or not. 409 where the installation \
                sends no mail.",
            open: true,
            body: Some(body(json!({"email": submitted(&text, "The account's address.")}))),
            answer: flag("accepted", "Always true."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/password/reset",
        "post",
        ExtraEndpoint {
            id: "reset_password",
            summary: "Set a new password with what was mailed",
            text: "The token is good once, for an hour. Every session of the account ends.",
            open: true,
            body: Some(body(json!({
                "token": submitted(&text, "The token of the link."),
                "password": new_password,
            }))),
            answer: flag("passwordChanged", "Always true."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/address/confirm",
        "post",
        ExtraEndpoint {
            id: "confirm_address",
            summary: "Confirm an address to sign in with",
            text: "Where somebody else has written another e-mail address into a coach's or a client's record, it is \
                mailed a link. Its token, with the account's password, makes that address the one that signs in; until \
                then the address before does. The token is good once, for 14 days.",
            open: true,
            body: Some(body(json!({
                "token": submitted(&text, "The token of the link."),
                "password": submitted(&text, "The account's password."),
            }))),
            answer: flag("addressConfirmed", "Always true."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/invitations/accept",
        "post",
        ExtraEndpoint {
            id: "accept_invitation",
            summary: "Accept an invitation",
            open: true,
            body: Some(body(json!({
                "token": submitted(&text, "The invitation's token."),
                "password": {"type": "string", "minLength": 10, "maxLength": 200, "description": "The account's password from now on."},
            }))),
            answer: session,
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/uploads",
        "post",
        ExtraEndpoint {
            id: "upload_file",
            summary: "Send a file",
            text: "The body is the file itself, with its media type as Content-Type. It is kept for a day, until a message takes it.",
            status: "201",
            parameters: vec![json!({"name": "fileName", "in": "query", "required": true,
            "description": "What the file is called.", "schema": {"type": "string", "minLength": 1, "maxLength": 255}})],
            file: true,
            answer: object(json!({"upload": object(json!({
                "uploadId": submitted(&id, "The file's id, for the message that takes it."),
                "fileName": submitted(&text, "What it is called."),
                "mediaType": submitted(&text, "What it was found to be."),
                "size": {"type": "integer", "description": "Its length in bytes."},
            }))})),
            ..ExtraEndpoint::default()
        },
    );
    let path = "/conversations/{conversationId}/messages/{messageId}/attachment";
    add(
        path,
        "get",
        ExtraEndpoint {
            id: "get_attachment",
            summary: "Fetch the file of a message",
            parameters: ["conversationId", "messageId"]
                .map(|name| json!({"name": name, "in": "path", "required": true, "schema": id}))
                .into(),
            content: Some("application/octet-stream"),
            answer: submitted(&text, "The file."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/events",
        "get",
        ExtraEndpoint {
            id: "listen_for_updates",
            summary: "Listen for live updates",
            text: "Server-sent events of what concerns the caller's conversations. `Last-Event-ID` goes on where a stream broke off.",
            content: Some("text/event-stream"),
            answer: submitted(&text, "Events, as long as the stream is open."),
            ..ExtraEndpoint::default()
        },
    );
    paths
}

/// A place of the API that is no operation of the table.
#[derive(Default)]
struct ExtraEndpoint {
    id: &'static str,
    summary: &'static str,
    text: &'static str,
    /// Whether nobody has to be signed in.
    open: bool,
    parameters: Vec<Value>,
    body: Option<Value>,
    /// Whether the body is a file.
    file: bool,
    status: &'static str,
    /// The media type of an answer that has no envelope.
    content: Option<&'static str>,
    answer: Value,
}

impl ExtraEndpoint {
    /// How it may be refused.
    fn refusals(&self) -> Vec<(&'static str, &'static str)> {
        let takes = self.file || self.body.is_some() || !self.parameters.is_empty();
        let in_path = self.parameters.iter().any(|one| one["in"] == "path");
        let who = match self.open {
            true => "The credentials are none, or no longer.",
            false => "Nobody is signed in with this token.",
        };
        [
            ("400", "What was sent is not in order; details name the field and the rule.", takes),
            ("401", who, true),
            ("404", "There is none, or not for this caller.", in_path),
            ("409", "The state of things does not allow it.", self.open),
            ("413", "The file is too long.", self.file),
            ("415", "A file of this kind is not taken.", self.file),
            (
                "429",
                "Too many requests, or wrong tries; `Retry-After` tells when to come back.",
                true,
            ),
        ]
        .into_iter()
        .filter(|(.., may)| *may)
        .map(|(status, about, _)| (status, about))
        .collect()
    }

    fn describe(self) -> Value {
        let security = if self.open { json!([]) } else { json!([{"session": []}]) };
        let status = if self.status.is_empty() { "200" } else { self.status };
        let success = match self.content {
            Some(kind) => {
                json!({"description": "Success.", "content": {kind: {"schema": self.answer}}})
            }
            None => json!({"description": "Success.", "content": {"application/json": {"schema": {
                "type": "object", "required": ["data", "meta"],
                "properties": {"data": self.answer, "meta": {"$ref": "#/components/schemas/Meta"}},
            }}}}),
        };
        let failure = |about: &str| {
            json!({"description": about,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}})
        };
        let mut responses = Map::new();
        for (status, about) in self.refusals() {
            responses.insert(status.to_owned(), failure(about));
        }
        responses.insert(status.to_owned(), success);
        responses.insert("default".to_owned(), failure("What went wrong."));
        let mut described = json!({
            "operationId": self.id,
            "tags": ["Signing in"],
            "summary": self.summary,
            "description": self.text,
            "security": security,
            "parameters": self.parameters,
            "responses": responses,
        });
        let content = match (self.file, self.body) {
            (true, _) => Some(json!({"*/*": {"schema": {"type": "string", "format": "binary"}}})),
            (false, Some(schema)) => Some(json!({"application/json": {"schema": schema}})),
            (false, None) => None,
        };
        if let Some(content) = content {
            described["requestBody"] = json!({"required": true, "content": content});
        }
        described
    }
}

/// The schema of an object of an answer, whose fields are all there.
fn object(properties: Value) -> Value {
    let names: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({"type": "object", "required": names, "properties": properties})
}

/// The same of a body, which has no others.
fn body(properties: Value) -> Value {
    let mut schema = object(properties);
    schema["additionalProperties"] = false.into();
    schema
}
