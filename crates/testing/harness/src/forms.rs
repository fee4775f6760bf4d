//! Forms, their questions and files.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::{App, send, text};

/// A question that every form can ask.
pub static NOTE: LazyLock<Value> =
    LazyLock::new(|| json!({"questionId": "note", "type": "text", "label": "Anything else?"}));

/// The questions of most scenarios' forms.
pub fn questions() -> Value {
    json!([
        {"questionId": "mood", "type": "scale", "label": "How do you feel?", "min": 1, "max": 5, "required": true},
        {"questionId": "pain", "type": "single_choice", "label": "Any pain?", "options": [
            {"optionId": "none", "label": "None"}, {"optionId": "some", "label": "Some", "flag": true}]},
        {"questionId": "where", "type": "text", "label": "Where?", "required": true,
            "showWhen": {"all": [{"questionId": "pain", "op": "eq", "value": "some"}]}},
        {"questionId": "scan", "type": "file", "label": "A picture of it",
            "showWhen": {"any": [{"questionId": "where", "op": "answered"}, {"questionId": "mood", "op": "eq", "value": 3}]}},
        NOTE.clone(),
    ])
}

/// Writes a form of a kind; its id.
pub async fn new_form(app: &App, kind: &str, questions: Value) -> String {
    let new = json!({"name": "Welcome", "kind": kind, "questions": questions});
    let made = app.app("POST", "/forms", Some(new)).await.ok();
    text(made.data(), "/form/formId")
}

/// Publishes a form of a kind; its id.
pub async fn published(app: &App, kind: &str, questions: Value) -> String {
    let form = new_form(app, kind, questions).await;
    app.app("POST", &format!("/forms/{form}/publish"), None).await.ok();
    form
}

/// Assigns a form to a client; the assignment's id.
pub async fn give(app: &App, client: &str, form: &str) -> String {
    let path = format!("/clients/{client}/form-assignments");
    let made = app.post(&path, json!({"formId": form})).await.ok();
    text(made.data(), "/formAssignment/assignmentId")
}

/// Uploads a file; its id.
pub async fn send_file(app: &App, token: &str) -> String {
    let request = app.server.request("POST", "/app/v1/uploads?fileName=r%C3%A9sum%C3%A9.pdf");
    let request = request.bearer_auth(token).header("Content-Type", "application/pdf");
    let sent = send(request.body(b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n".to_vec())).await.ok();
    text(sent.data(), "/upload/uploadId")
}
