//! Conversations and messages.

use serde_json::json;

use crate::{App, text};

/// Opens a group; its id.
pub async fn open_group(app: &App, token: &str, others: &[&String]) -> String {
    let body = json!({"conversationType": "group", "name": "Runners", "userIds": others});
    let made = app.app_as(token, "POST", "/conversations", Some(body)).await.ok();
    text(made.data(), "/conversation/conversationId")
}

/// The direct conversation of two people.
pub async fn open_direct(app: &App, token: &str, other: &str) -> String {
    let body = json!({"conversationType": "direct", "userIds": [other]});
    let made = app.app_as(token, "POST", "/conversations", Some(body)).await.ok();
    text(made.data(), "/conversation/conversationId")
}

/// Sends a text; the message's id.
pub async fn say(app: &App, token: &str, conversation: &str, what: &str) -> String {
    let path = format!("/conversations/{conversation}/messages");
    let sent = app.app_as(token, "POST", &path, Some(json!({"text": what}))).await.ok();
    text(sent.data(), "/message/messageId")
}
