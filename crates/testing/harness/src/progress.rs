//! Measurements, habits, goals and progress photos.

use serde_json::{Value, json};

use crate::{App, Reply, send, text};

/// A picture that a phone took: lying on its side, with the phone's name and the place in it. Red is above.
pub const TURNED: &[u8] = include_bytes!("turned.jpg");

/// Uploads a picture.
pub async fn send_picture(app: &App, token: &str, kind: &str, bytes: &[u8]) -> Reply {
    let path = "/app/v1/uploads?fileName=front.jpg&purpose=progress_photo";
    let request = app.server.request("POST", path).bearer_auth(token);
    send(request.header("Content-Type", kind).body(bytes.to_vec())).await
}

/// Records a measurement of a client.
pub async fn measure(app: &App, client: &str, body: Value) -> Value {
    let made = app.post(&format!("/clients/{client}/measurements"), body).await.ok();
    made.data()["measurement"].clone()
}

/// Takes up a habit of a client; its id.
pub async fn take_up(app: &App, client: &str, body: Value) -> String {
    let made = app.post(&format!("/clients/{client}/habits"), body).await.ok();
    text(made.data(), "/habit/habitId")
}

/// Sets a goal of a client.
pub async fn aim(app: &App, client: &str, facts: Value) -> Value {
    let mut body = json!({"title": "Goal"});
    body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    let made = app.post(&format!("/clients/{client}/goals"), body).await.ok();
    made.data()["goal"].clone()
}

/// The current state of a goal.
pub async fn goal(app: &App, client: &str, goal: &Value) -> Value {
    let path = format!("/clients/{client}/goals/{}", text(goal, "/goalId"));
    app.get(&path).await.ok().data()["goal"].clone()
}
