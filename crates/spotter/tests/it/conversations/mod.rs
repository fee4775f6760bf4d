//! Conversations: who may read them and what they are shown, what people do in them, files, and live
//! updates.

mod files;
mod live;
mod people;
mod reading;
mod speaking;

use serde_json::{Value, json};

use crate::{
    harness::{
        App, Reply,
        people::{client, coach},
    },
    workout::text,
};

/// A group that somebody opens with others.
pub async fn open_group(app: &App, token: &str, others: &[&String]) -> String {
    let body = json!({"conversationType": "group", "name": "Runners", "userIds": others});
    let made = app.app_as(token, "POST", "/conversations", Some(body)).await.ok();
    text(made.data(), "/conversation/conversationId")
}

/// The direct conversation of somebody with another.
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

/// A coach, a client, and their direct conversation.
pub struct Pair {
    pub coach: String,
    pub coach_token: String,
    pub client: String,
    pub client_token: String,
    pub conversation: String,
}

impl Pair {
    pub async fn new(app: &App) -> Self {
        let (coach, coach_token) = coach(app, "Coach").await;
        let (client, client_token) = client(app).await;
        let conversation = open_direct(app, &coach_token, &client).await;
        app.events().await;
        Self { coach, coach_token, client, client_token, conversation }
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/conversations/{}{rest}", self.conversation)
    }

    pub async fn as_coach(
        &self,
        app: &App,
        method: &str,
        rest: &str,
        body: Option<Value>,
    ) -> Reply {
        app.app_as(&self.coach_token, method, &self.path(rest), body).await
    }

    pub async fn as_client(
        &self,
        app: &App,
        method: &str,
        rest: &str,
        body: Option<Value>,
    ) -> Reply {
        app.app_as(&self.client_token, method, &self.path(rest), body).await
    }
}
