//! Imports of files of other programs.

use serde_json::{Value, json};

use crate::{App, text};

/// Uploads a file to import and waits for its check; the import's id.
pub async fn brought(app: &App, kind: &str, file: &str) -> String {
    let new = json!({"kind": kind, "text": file, "fileName": "old.csv"});
    let made = app.app("POST", "/imports", Some(new)).await.ok();
    let import = text(made.data(), "/import/importId");
    settled(app, &import).await;
    import
}

/// An import once no work is in progress.
pub async fn settled(app: &App, import: &str) -> Value {
    for _ in 0..1_000 {
        let response = app.app("GET", &format!("/imports/{import}"), None).await.ok();
        let status = text(response.data(), "/import/status");
        if !["checking", "running", "undoing"].contains(&&*status) {
            return response.data().clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the import does not end");
}

/// Rows of an import in a state: their line, the refused field and its rule.
pub async fn wrong(app: &App, import: &str, state: &str) -> Vec<(i64, String, String)> {
    let path = format!("/imports/{import}/rows?state={state}");
    let response = app.app("GET", &path, None).await.ok();
    let rows = response.data()["importRows"].as_array().unwrap().clone();
    let word = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| (row["line"].as_i64().unwrap(), word(row, "field"), word(row, "rule")))
        .collect()
}
