//! Letters to clients, on a server that writes mail into a mailbox.

use serde_json::json;
use spotter_contract::Env;
use spotter_outbound::smtp::MailMessage;

use crate::{
    App, Engine, PASSWORD, random_text, send, text,
    travel::{Travel, travelling_as},
};

/// Runs a scenario with mail, from an instant on.
pub fn with_mail<F: Future<Output = ()>>(
    engine: Engine,
    from: &str,
    scenario: impl FnOnce(Travel) -> F,
) {
    let set = |env: &mut Env| env.mail_links = Some("https://gym.example".into());
    travelling_as(engine, from, set, scenario);
}

/// Letters to an address after the first `seen`, oldest first; counts them.
pub fn letters(app: &App, email: &str, seen: &mut usize) -> Vec<MailMessage> {
    let mut all = app.server.mailbox.messages();
    all.retain(|message| message.recipient == email);
    all.sort_by_key(|message| (message.written_at, message.id));
    let new = all.split_off(*seen);
    *seen += new.len();
    new
}

/// Their subjects.
pub fn subjects(letters: &[MailMessage]) -> Vec<&str> {
    letters.iter().map(|letter| letter.subject.as_str()).collect()
}

/// A client with a portal, whose invitation came by mail: the id and the address.
pub async fn member(travel: &mut Travel) -> (String, String) {
    let email = format!("{}@example.com", random_text());
    let client = travel.app.new_client(json!({"firstName": "Bea", "email": email})).await;
    travel.app.act(&format!("/clients/{client}/invite")).await.ok();
    travel.wait(1).await;
    let letter = letters(&travel.app, &email, &mut 0).remove(0);
    let (_, token) = letter.text.split_once("?token=").unwrap();
    let accept = json!({"token": token.split_whitespace().next(), "password": PASSWORD});
    let path = "/app/v1/auth/invitations/accept";
    send(travel.app.server.request("POST", path).json(&accept)).await.ok();
    (client, email)
}

/// An access token of a client.
pub async fn sign_in(app: &App, email: &str) -> String {
    let own = json!({"email": email, "password": PASSWORD});
    let reply = send(app.server.request("POST", "/app/v1/auth/login").json(&own)).await.ok();
    text(reply.data(), "/session/accessToken")
}
