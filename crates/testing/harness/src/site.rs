//! Public sites of test companies.

use serde_json::{Value, json};

use crate::{App, random_text, text};

/// Publishes the company's site with these settings; its address.
pub async fn publish(app: &App, settings: Value) -> String {
    let slug = format!("gym-{}", random_text().to_lowercase().replace(['_', '-'], "x"));
    let mut body = json!({"slug": slug, "isPublished": true, "signUpPolicy": "open"});
    for (name, value) in settings.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let reply = app.app("PATCH", "/company/site", Some(body)).await.ok();
    text(reply.data(), "/site/slug")
}

/// The path of an operation of strangers at a site.
pub fn path(slug: &str, rest: &str) -> String {
    format!("/app/v1/site/{slug}{rest}")
}
