//! Conversations: permissions, messages, files, and live updates.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing test panics"
)]

mod announcements;
mod files;
mod live;
mod people;
mod reading;
mod speaking;

use serde_json::Value;
use spotter_harness::{
    App, Reply,
    messaging::open_direct,
    people::{client, coach},
};

/// A coach, a client, and their direct conversation.
struct Pair {
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
