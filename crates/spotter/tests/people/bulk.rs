//! Changes of many clients: each is changed, was so already, or is refused by itself, and leaves its own audit row.

use serde_json::{Value, json};
use spotter_harness::{App, people, random_text, scenario, text};

const PATH: &str = "/clients/bulk";

/// What became of each, by the order of the request.
fn outcomes(report: &Value) -> Vec<&str> {
    let results = report["report"]["results"].as_array().unwrap();
    results.iter().map(|one| one["outcome"].as_str().unwrap()).collect()
}

async fn client(app: &App, id: &str) -> Value {
    app.get(&format!("/clients/{id}")).await.ok().data()["client"].clone()
}

#[scenario]
async fn each_client_is_changed_or_refused_by_itself(app: App) {
    let ann = app.new_client(json!({"firstName": "Ann", "tags": ["early"]})).await;
    let bo = app.new_client(json!({"firstName": "Bo", "tags": ["vip"]})).await;
    let full: Vec<String> = (0..50).map(|n| format!("tag {n}")).collect();
    let cas = app.new_client(json!({"firstName": "Cas", "tags": full})).await;
    let nobody = "0".repeat(24);
    app.events().await;
    let wanted = json!({"clientIds": [ann, bo, cas, nobody, ann], "addTags": ["VIP"], "removeTags": ["early"]});
    let before = app.state().await;
    let preview = app.post(&format!("{PATH}/preview"), wanted.clone()).await.ok();
    assert_eq!(before, app.state().await, "a preview changes nothing");
    let made = app.post(PATH, wanted).await.ok();
    assert_eq!(preview.data(), made.data(), "it became what was foreseen");
    assert_eq!(outcomes(made.data()), ["changed", "unchanged", "refused", "refused"]);
    let report = &made.data()["report"];
    assert_eq!(
        (&report["changed"], &report["unchanged"], &report["refused"]),
        (&json!(1), &json!(1), &json!(2))
    );
    let keys: Vec<_> =
        [2, 3].iter().map(|at: &usize| &report["results"][*at]["error"]["key"]).collect();
    assert_eq!(keys, [&json!("request.invalid"), &json!("PUBLIC_API_CLIENT_NOT_FOUND")]);
    assert_eq!(client(&app, &ann).await["tags"], json!(["vip"]));
    app.announced(&["client.updated"]).await;
    let log = app.app("GET", "/audit-logs?operation=change_clients", None).await.ok();
    let rows = log.data()["auditLogs"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["targetId"], &rows[0]["changedFields"]), (&json!(ann), &json!(["tags"])));
}

#[scenario]
async fn many_get_a_coach_and_are_archived(app: App) {
    let coach = people::coach(&app, "Coach").await.0;
    let ids = [
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bo"})).await,
    ];
    app.events().await;
    app.post(PATH, json!({"clientIds": ids, "coachId": coach})).await.ok();
    app.announced(&["client.updated", "client.updated"]).await;
    assert_eq!(client(&app, &ids[1]).await["assignedCoachId"], json!(coach));
    let key = random_text();
    let archive = || {
        let request = app.raw("POST", PATH).header("Idempotency-Key", &key);
        request.json(&json!({"clientIds": ids, "archive": true, "archiveReason": "Moved away"}))
    };
    let first = spotter_harness::send(archive()).await.ok();
    assert_eq!(outcomes(first.data()), ["changed", "changed"]);
    app.announced(&["client.archived", "client.archived"]).await;
    let again = spotter_harness::send(archive()).await.ok();
    assert_eq!(first.data(), again.data(), "the same request is answered as it was");
    let anew = app.post(PATH, json!({"clientIds": ids, "archive": true})).await.ok();
    assert_eq!(outcomes(anew.data()), ["unchanged", "unchanged"]);
    app.announced(&[]).await;
    assert_eq!(text(&client(&app, &ids[0]).await, "/archiveReason"), "Moved away");
}

#[scenario]
async fn a_request_for_nothing_or_for_too_many_is_refused(app: App) {
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    let other = App::new(app.server.clone()).await;
    let theirs = other.new_client(json!({"firstName": "Bo"})).await;
    app.events().await;
    let before = app.state().await;
    let many: Vec<String> = (0..101).map(|n| format!("{n:024x}")).collect();
    for (wanted, status, field) in [
        (json!({"clientIds": [ann]}), 400, "body"),
        (json!({"clientIds": [], "archive": true}), 400, "clientIds"),
        (json!({"clientIds": many, "archive": true}), 400, "clientIds"),
        (json!({"clientIds": [ann], "coachId": "0".repeat(24)}), 404, "coachId"),
    ] {
        let reply = app.post(PATH, wanted.clone()).await;
        assert_eq!(reply.status, status, "{wanted}");
        reply.about(field);
    }
    // Another company's client is like none.
    let made = app.post(PATH, json!({"clientIds": [theirs], "archive": true})).await.ok();
    assert_eq!(outcomes(made.data()), ["refused"]);
    assert_eq!(client(&other, &theirs).await["archivedAt"], Value::Null);
    app.announced(&[]).await;
    let after = app.state().await;
    assert_eq!(before.get("client"), after.get("client"));
}

#[scenario]
async fn requests_for_the_same_clients_wait_for_each_other(app: App) {
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(app.new_client(json!({"firstName": "Ann"})).await);
    }
    let mut reversed = ids.clone();
    reversed.reverse();
    let add = |ids: &[String], tag: &str| json!({"clientIds": ids, "addTags": [tag]});
    let (one, two) = (add(&ids, "spring"), add(&reversed, "summer"));
    let (one, two) = tokio::join!(app.post(PATH, one), app.post(PATH, two));
    let (one, two) = (one.ok(), two.ok());
    // The answer keeps the order of the request.
    for (answer, ids) in [(&one, &ids), (&two, &reversed)] {
        let results = answer.data()["report"]["results"].as_array().unwrap();
        let told: Vec<_> = results.iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(told, *ids);
        assert!(results.iter().all(|one| one["outcome"] == "changed"));
    }
    for id in &ids {
        assert_eq!(client(&app, id).await["tags"], json!(["spring", "summer"]));
    }
    app.events().await;
}

#[scenario]
async fn a_tag_is_added_or_taken_away(app: App) {
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    let both = json!({"clientIds": [ann], "addTags": ["vip"], "removeTags": ["VIP"]});
    app.post(PATH, both).await.refused(400, "request.invalid").about("removeTags");
}
