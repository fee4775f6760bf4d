//! A public mailbox: mail of the demo to fictional people.

use axum::{
    Json, Router,
    body::Body,
    http::{HeaderMap, Response, StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use maud::html;
use serde_json::json;
use spotter_outbound::smtp::{MailMessage, Mailbox};

use crate::parts::page;

/// The route of the mailbox: a page, or JSON on request.
pub fn router(mailbox: Mailbox) -> Router {
    let show = move |headers: HeaderMap| {
        let messages = mailbox.messages();
        let calls = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        let answer = match calls.is_some_and(|calls| calls.contains("application/json")) {
            true => listed(&messages),
            false => list(&messages),
        };
        async { answer }
    };
    Router::new().route("/demo/mail", get(show))
}

fn listed(messages: &[MailMessage]) -> Response<Body> {
    let each = messages.iter().map(|message| {
        json!({
            "to": message.recipient,
            "subject": message.subject,
            "text": message.text,
            "html": message.html,
            "writtenAt": message.written_at.to_string(),
        })
    });
    let no_store = [(header::CACHE_CONTROL, "no-store")];
    (no_store, Json(json!({"mail": each.collect::<Vec<_>>()}))).into_response()
}

fn list(messages: &[MailMessage]) -> Response<Body> {
    let main = html! {
        h1 { "The demo's mail" }
        p.quiet { "What Spotter would have sent, newest first. It is kept until the demo stops." }
        @if messages.is_empty() {
            p {
                "There is none yet. Invite a coach or a client, or "
                a href="/forgot-password" { "forget a password" }
                "."
            }
        }
        @for message in messages {
            section.card {
                p.asker { strong { bdi { (message.subject) } } }
                p.quiet { "To " bdi { (message.recipient) } ", " (message.written_at) }
                @for line in
                    message.text.lines().filter(|line| !matches!(line.trim(), "" | "--"))
                {
                    @if line.starts_with("http") {
                        p { a href=(line) { (line) } }
                    } @else {
                        p { (line) }
                    }
                }
            }
        }
    };
    page(StatusCode::OK, "The demo's mail", "", main)
}
