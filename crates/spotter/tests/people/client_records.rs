//! Custom fields, notes and the timeline of a client.

use serde_json::{Value, json};
use spotter_harness::{App, random_text, scenario};

#[scenario]
async fn custom_fields(app: App) {
    let define = async |body: Value| {
        let made = app.post("/client-custom-fields", body).await.ok();
        assert_eq!(made.status, 201);
        made.data()["customField"]["fieldId"].as_str().unwrap().to_owned()
    };
    let text = define(json!({"label": "Nick name", "type": "text"})).await;
    let number = define(json!({"label": "Height", "type": "number"})).await;
    let date = define(json!({"label": "Signed", "type": "date"})).await;
    let yes = define(json!({"label": "Monitor", "type": "boolean"})).await;
    let select = define(json!({"label": "Size", "type": "select", "options": ["S", "M"]})).await;
    app.post("/client-custom-fields", json!({"label": "nick-NAME", "type": "date"}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("label");
    app.post("/client-custom-fields", json!({"label": "x", "type": "select"}))
        .await
        .refused(400, "request.invalid")
        .about("options");
    app.post("/client-custom-fields", json!({"label": "x", "type": "colour"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_ENUM");
    app.announced(&[]).await;
    let id = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/clients/{id}/custom-fields");
    let set = |field: &str, value: Value| json!({"values": [{"fieldId": field, "value": value}]});
    for (field, value) in [
        (&text, json!("Annie")),
        (&number, json!(1.75)),
        (&date, json!("2026-01-31")),
        (&yes, json!(false)),
        (&select, json!("M")),
    ] {
        app.patch(&path, set(field, value)).await.ok();
        app.announced(&["client.updated"]).await;
    }
    let values = app.get(&path).await.ok();
    let response: Vec<_> = values.data()["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| (v["key"].as_str().unwrap().to_owned(), v["value"].clone()))
        .collect();
    let want = [
        ("nick_name", json!("Annie")),
        ("height", json!(1.75)),
        ("signed", json!("2026-01-31")),
        ("monitor", json!(false)),
        ("size", json!("M")),
    ];
    assert_eq!(response, want.map(|(key, value)| (key.to_owned(), value)));
    for (field, value, key) in [
        (&text, json!(1), "request.invalid"),
        (&number, json!("1"), "request.invalid"),
        (&date, json!("31-01-2026"), "PUBLIC_API_INVALID_DATE"),
        (&yes, json!("true"), "request.invalid"),
        (&select, json!("XL"), "PUBLIC_API_INVALID_ENUM"),
        (&text, json!("x".repeat(2001)), "PUBLIC_API_FIELD_TOO_LONG"),
    ] {
        app.patch(&path, set(field, value)).await.refused(400, key).about("values[0].value");
    }
    app.patch(&path, json!({"values": []}))
        .await
        .refused(400, "PUBLIC_API_CUSTOM_FIELD_VALUES_REQUIRED");
    app.patch(&path, json!({})).await.refused(400, "PUBLIC_API_CUSTOM_FIELD_VALUES_REQUIRED");
    app.patch(&path, set(&"0".repeat(24), json!(1)))
        .await
        .refused(404, "resource.not_found")
        .about("values[0].fieldId");
    app.announced(&[]).await;
    app.patch(&path, set(&text, Value::Null)).await.ok();
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!([format!("customFields.{text}")]));
    app.patch(&path, set(&text, Value::Null)).await.ok();
    app.announced(&[]).await;
    app.patch(&format!("/client-custom-fields/{text}"), json!({"archived": true, "label": "Old"}))
        .await
        .ok();
    app.patch(&path, set(&text, json!("x"))).await.refused(409, "PUBLIC_API_ERROR");
    assert_eq!(app.get("/client-custom-fields?archived=true").await.data()["total"], 1);
    assert_eq!(app.get("/client-custom-fields").await.data()["total"], 5);
}

#[scenario]
async fn notes_are_not_in_events(app: App) {
    let id = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/clients/{id}/notes");
    let made = app.post(&path, json!({"title": "Knee", "body": "secret pain"})).await.ok();
    let note = made.data()["note"]["noteId"].as_str().unwrap().to_owned();
    let one = format!("{path}/{note}");
    assert_eq!(app.get(&one).await.ok().data()["note"]["body"], "secret pain");
    app.patch(&one, json!({"title": null})).await.ok();
    app.patch(&one, json!({})).await.ok();
    assert_eq!(app.get(&path).await.ok().data()["total"], 1);
    let gone = app.delete(&one).await.ok();
    assert_eq!(gone.data()["note"]["deleted"], true);
    let response =
        app.announced(&["client.note.created", "client.note.updated", "client.note.deleted"]).await;
    for data in &response {
        assert_eq!((&data["clientId"], &data["noteId"]), (&json!(id), &json!(note)));
        assert!(!data.to_string().contains("secret") && !data.to_string().contains("Knee"));
    }
    app.get(&one).await.refused(404, "resource.not_found");
    app.delete(&one).await.refused(404, "resource.not_found");
    app.post(&path, json!({"title": "x"})).await.refused(400, "request.invalid").about("body");
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    let made = app.post(&path, json!({"body": "x"})).await.ok();
    let note = made.data()["note"]["noteId"].as_str().unwrap();
    app.get(&format!("/clients/{other}/notes/{note}")).await.refused(404, "resource.not_found");
}

#[scenario]
async fn the_timeline_has_every_step(app: App) {
    let id = app
        .new_client(json!({"firstName": "Ann", "email": format!("{}@example.com", random_text())}))
        .await;
    app.act(&format!("/clients/{id}/invite")).await.ok();
    app.act(&format!("/clients/{id}/archive")).await.ok();
    app.act(&format!("/clients/{id}/restore")).await.ok();
    let timeline = app.get(&format!("/clients/{id}/timeline")).await.ok();
    let steps = timeline.data()["steps"].as_array().unwrap();
    let kinds: Vec<_> = steps.iter().map(|step| step["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["restored", "archived", "invited", "created"]);
    let moved = json!({"field": "relationshipStatus", "from": "active", "to": "archived"});
    assert!(steps[1]["changes"].as_array().unwrap().contains(&moved));
    assert_eq!(steps[0]["actorId"], app.api_client.as_str());
}
