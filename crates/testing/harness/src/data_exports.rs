//! Data exports of clients.

use serde_json::Value;

use crate::App;

/// A data export once it is made.
pub async fn ready(app: &App, token: &str, client: &str, id: &str) -> Value {
    let path = format!("/clients/{client}/data-exports/{id}");
    for _ in 0..500 {
        let response = app.app_as(token, "GET", &path, None).await.ok();
        let own = &response.data()["dataExport"];
        if own["status"] != "pending" {
            assert_eq!(own["status"], "ready", "{own}");
            return own.clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the data export is not made");
}
