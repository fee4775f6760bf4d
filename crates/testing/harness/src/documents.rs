//! Documents, and files at signed addresses.

use serde_json::{Value, json};

use crate::App;

/// The address that [`link`] links to.
pub const URL: &str = "https://files.example.com/rules.pdf";

/// Links a document with these fields; returns it.
pub async fn link(app: &App, facts: Value) -> Value {
    let mut new = json!({"name": "Rules", "type": "contract", "url": URL});
    new.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    app.post("/documents", new).await.ok().data()["document"].clone()
}

/// Requests a signed address: status, content and media type.
pub async fn fetch(app: &App, url: &str) -> (u16, Vec<u8>, String) {
    let path = &url[url.find("/files/").unwrap()..];
    let response = app.server.request("GET", path).send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let kind = headers["content-type"].to_str().unwrap().to_owned();
    (status, response.bytes().await.unwrap().to_vec(), kind)
}
