//! What people's description has beside operations: signing in, files, and live updates.

use serde_json::{Map, Value, json};

/// One line.
pub(super) const SUMMARY: &str = "The API for apps and pages that coaches and clients use.";

/// The conventions that all operations share.
pub(super) const DESCRIPTION: &str = "\
The API for coaches and clients who are signed in. Integrations use the Public API; most of its operations are available here \
at the same paths.

**Permissions.** A coach's role decides what they may do: a Coach works with clients, a Manager runs the company, an Admin also \
appoints managers and admins. A client may call operations about themselves: `clientId` in a path must be their own id; for other \
clients the response is 404. An operation that the caller may not use returns 403 `auth.forbidden`.

**Sessions.** `POST /auth/login` returns an access token, sent as `Authorization: Bearer`, and a refresh token for one \
`POST /auth/refresh`. The company is always derived from the token.

**Conventions** are those of the Public API: the envelope, error keys, paging, formats, rate limits (counted per person) and \
ETags. `Idempotency-Key` is optional.";

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
    let described = |schema: &Value, about: &str| {
        let mut schema = schema.clone();
        schema["description"] = about.into();
        schema
    };
    let session = object(json!({"session": object(json!({
        "accessToken": described(&text, "Sent as `Authorization: Bearer`."),
        "tokenType": {"type": "string", "const": "Bearer", "description": "Always `Bearer`."},
        "expiresIn": {"type": "integer", "description": "Seconds until the access token expires."},
        "refreshToken": described(&text, "Good for one refresh within 30 days."),
        "subject": {"type": "string", "enum": ["coach", "client"], "description": "The signed-in person."},
        "subjectId": described(&id, "The coach's or the client's id."),
        "companyId": described(&id, "Id of the company."),
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
            text: "Returns an access token and a refresh token. If the address has several accounts, 409 lists them: \
            repeat the request with `companyId` or `subject`.",
            open: true,
            body: Some(json!({
                "type": "object", "additionalProperties": false, "required": ["email", "password"],
                "properties": {
                    "email": {"type": "string", "description": "The account's address.", "examples": ["sam@example.com"]},
                    "password": described(&text, "The account's password."),
                    "companyId": described(&id, "The company, where there are several."),
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
            summary: "Refresh a session",
            text: "Returns a new access token and a new refresh token. A refresh token is accepted once.",
            open: true,
            body: Some(body(
                json!({"refreshToken": described(&text, "The refresh token of the pair before.")}),
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
            summary: "Sign out",
            text: "Ends the session of the access token.",
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
            text: "Sets a new password and ends every other session of the account.",
            body: Some(body(json!({
                "currentPassword": described(&text, "The password so far."),
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
            summary: "Request a password reset",
            text: "Mails a link that sets a new password. The response is the same whether an account has the address or \
                not. Fails with 409 if the installation sends no mail.",
            open: true,
            body: Some(body(json!({"email": described(&text, "The account's address.")}))),
            answer: flag("accepted", "Always true."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/auth/password/reset",
        "post",
        ExtraEndpoint {
            id: "reset_password",
            summary: "Reset a password",
            text: "Sets a new password with the token of the mailed link, which is valid once, for an hour. Ends every session \
                of the account.",
            open: true,
            body: Some(body(json!({
                "token": described(&text, "The token of the link."),
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
            summary: "Confirm an e-mail address",
            text: "When another person changes the e-mail address of a coach or a client with an account, the new address \
                is mailed a link. Its token, with the account's password, makes that address the one to sign in with; \
                until then the previous address stays. The token is valid once, for 14 days.",
            open: true,
            body: Some(body(json!({
                "token": described(&text, "The token of the link."),
                "password": described(&text, "The account's password."),
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
            text: "Sets the account's first password and returns a session.",
            open: true,
            body: Some(body(json!({
                "token": described(&text, "The invitation's token."),
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
            summary: "Upload a file",
            text: "Send the file itself as the body, with its media type as Content-Type. An upload that nothing refers to is \
                deleted after a day.",
            status: "201",
            parameters: vec![json!({"name": "fileName", "in": "query", "required": true,
            "description": "The file's name with its extension, such as `plan.pdf`.", "schema": {"type": "string", "minLength": 1, "maxLength": 255}})],
            file: true,
            answer: object(json!({"upload": object(json!({
                "uploadId": described(&id, "The upload's id, to be sent with the record that uses it."),
                "fileName": described(&text, "The file's name."),
                "mediaType": described(&text, "The media type that was detected from the content."),
                "size": {"type": "integer", "description": "Size in bytes."},
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
            summary: "Get a message's file",
            text: "Returns the file that was attached to a message of a conversation that the caller takes part in.",
            parameters: ["conversationId", "messageId"]
                .map(|name| json!({"name": name, "in": "path", "required": true, "schema": id}))
                .into(),
            content: Some("application/octet-stream"),
            answer: described(&text, "The file."),
            ..ExtraEndpoint::default()
        },
    );
    add(
        "/events",
        "get",
        ExtraEndpoint {
            id: "listen_for_updates",
            summary: "Stream live updates",
            text: "Returns server-sent events about the caller's conversations and bookings. Send `Last-Event-ID` to resume a stream.",
            content: Some("text/event-stream"),
            answer: described(&text, "Events, as long as the stream is open."),
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
    /// Whether it needs no sign-in.
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
            true => "The credentials are wrong or have expired.",
            false => "The access token is missing, wrong or expired.",
        };
        [
            ("400", "The request is invalid; `error.details` names the field and the rule.", takes),
            ("401", who, true),
            ("404", "Not found, or not visible to the caller.", in_path),
            ("409", "The current state does not allow it.", self.open),
            ("413", "The file is too large.", self.file),
            ("415", "The file's type is not accepted.", self.file),
            (
                "429",
                "Too many requests or failed attempts; retry after `Retry-After` seconds.",
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
        responses.insert("default".to_owned(), failure("Any error, in the envelope."));
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

/// The schema of an object whose fields are all required.
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
