//! Consent: where a company requires it, no health data is written without it, and none leaves the company.

use serde_json::{Value, json};
use spotter_contract::{Method, Surface};
use spotter_harness::{
    App, Engine, Reply,
    assistant::{Assistant, refused, switch_on},
    documents::fetch,
    forms::{published, questions},
    people,
    progress::{TURNED, send_picture},
    scenario, send, text,
    travel::{Travel, travelling},
    world::{World, with_body},
};

const LACKING: &str = "scopes.health_consent_required";

async fn ask_for_consent(app: &App) {
    app.app("PATCH", "/company/features", Some(json!({"healthConsent": true}))).await.ok();
}

async fn say(app: &App, token: &str, client: &str, submitted: Value) -> Value {
    let path = format!("/clients/{client}/health-consent");
    app.app_as(token, "PUT", &path, Some(submitted)).await.ok().data()["healthConsent"].clone()
}

/// Links a document as the integration, under one key.
async fn send_again(app: &App, link: &Value) -> Reply {
    let request = app.server.request("POST", "/public/v1/documents").bearer_auth(&app.token);
    send(request.header("Idempotency-Key", "again").json(link)).await
}

#[scenario]
async fn health_data_requires_consent(app: App) {
    let world = World::new(app).await;
    ask_for_consent(&world.app).await;
    let form = published(&world.app, "intake", questions()).await;
    world.app.events().await;
    let before = world.app.state().await;
    let mut count = 0;
    for operation in spotter::areas::operations() {
        let named = operation.path.contains("{clientId}");
        let writes = operation.writes && operation.method != Method::Delete;
        // Coaches can still read, and delete existing data.
        let reaches = operation.surface == Surface::Public || writes;
        if operation.is_about_health() && named && reaches {
            let request = world.request(&operation, &world.path(&operation));
            let reply = world.ask(&operation, with_body(&operation, &world, request)).await;
            reply.refused(403, LACKING);
            count += 1;
        }
    }
    assert!(count > 20, "{count} operations are about health");
    // Lists over clients leave out those without consent, and their records do not exist.
    let World { app, ids, .. } = &world;
    for (list, id) in [("intakes", "intakeId"), ("checkups", "checkupId")] {
        assert_eq!(app.get(&format!("/{list}")).await.ok().data()["total"], 0, "{list}");
        let one = format!("/{list}/{}", ids[id]);
        app.get(&one).await.refused(404, "resource.not_found");
        app.app("GET", &one, None).await.ok();
        let response = app.app("GET", &format!("/{list}"), None).await.ok();
        assert!(response.data()["total"].as_i64() > Some(0), "{list}");
    }
    for act in ["cancel", "review"] {
        let path = format!("/checkups/{}/{act}", ids["checkupId"]);
        app.act(&path).await.refused(404, "resource.not_found");
    }
    let link = json!({"name": "X-ray", "type": "medical", "url": "https://example.com/x", "clientId": ids["clientId"]});
    app.app("POST", "/documents", Some(link)).await.refused(403, LACKING);
    let given = json!({"formId": form});
    let path = format!("/clients/{}/form-assignments", ids["clientId"]);
    app.app("POST", &path, Some(given)).await.refused(403, LACKING);
    // Integrations see a client's forms that are not about health.
    let response = app.get(&path).await.ok();
    let kinds =
        response.data()["formAssignments"].as_array().unwrap().iter().map(|one| &one["kind"]);
    assert!(kinds.clone().all(|kind| kind == "general"), "{response:?}");
    // Another person's client is not found, as always.
    app.get(&format!("/clients/{}/measurements", app.company))
        .await
        .refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    assert!(app.events().await.is_empty());
    assert_eq!(before, app.state().await);
}

#[scenario]
async fn consent_applies_until_it_is_withdrawn(app: App) {
    switch_on(&app).await;
    let (client, token) = people::client(&app).await;
    ask_for_consent(&app).await;
    let all = format!("/clients/{client}/measurements");
    let weight = json!({"type": "weight", "value": 80, "unit": "kg"});
    app.app_as(&token, "POST", &all, Some(weight.clone())).await.refused(403, LACKING);
    let own = say(&app, &token, &client, json!({"given": true, "version": "2026-11"})).await;
    assert_eq!(
        (&own["required"], &own["given"], &own["version"], &own["recordedByType"]),
        (&json!(true), &json!(true), &json!("2026-11"), &json!("client"))
    );
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["healthConsent"]));
    // Repeating it changes nothing.
    say(&app, &token, &client, json!({"given": true, "version": "2026-11"})).await;
    assert!(app.events().await.is_empty());
    let made = app.app_as(&token, "POST", &all, Some(weight.clone())).await.ok();
    let measured = format!("{all}/{}", text(made.data(), "/measurement/measurementId"));
    assert_eq!(app.get(&all).await.ok().data()["total"], 1);
    let sent = send_picture(&app, &token, "image/jpeg", TURNED).await.ok();
    let photo = json!({"uploadId": text(sent.data(), "/upload/uploadId")});
    let photos = format!("/clients/{client}/progress-photos");
    app.app_as(&token, "POST", &photos, Some(photo)).await.ok();
    let url = text(app.get(&photos).await.ok().data(), "/progressPhotos/0/url");
    assert_eq!(fetch(&app, &url).await.0, 200);
    let again = json!({"name": "X-ray", "type": "medical", "url": "https://example.com/x", "clientId": client});
    let made = send_again(&app, &again).await.ok();
    let medical = (again, format!("/documents/{}", text(made.data(), "/document/documentId")));
    let assistant = Assistant::register(&app).await;
    let (access, _) =
        assistant.tokens(&app, &app.coach_token, "company", Some("measurements")).await;
    app.events().await;
    let own = say(&app, &app.coach_token, &client, json!({"given": false})).await;
    assert_eq!((&own["given"], &own["recordedByType"]), (&json!(false), &json!("coach")));
    app.announced(&["client.updated"]).await;
    // Neither integrations nor assistants see it, and signed addresses end.
    app.get(&all).await.refused(403, LACKING);
    assert_eq!(fetch(&app, &url).await.0, 404);
    let response = refused(&app, &access, "list_measurements", json!({"clientId": client})).await;
    assert!(response.to_string().contains("not consented"), "{response}");
    // Health records stay health records under any name, and stored answers are not replayed.
    let (again, medical) = medical;
    app.app("PATCH", &medical, Some(json!({"type": "plan"}))).await.refused(403, LACKING);
    app.app("POST", &format!("{medical}/restore"), None).await.refused(403, LACKING);
    app.get(&medical).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    send_again(&app, &again).await.refused(403, LACKING);
    let own = json!({"name": "Scan", "type": "medical", "url": "https://example.com/s"});
    let made = app.app("POST", "/documents", Some(own)).await.ok();
    let own = format!("/documents/{}", text(made.data(), "/document/documentId"));
    let linked = json!({"clientId": client, "type": "plan"});
    app.app("PATCH", &own, Some(linked)).await.refused(403, LACKING);
    // The client and their coaches still read; deletions are not announced.
    assert_eq!(app.app_as(&token, "GET", &all, None).await.ok().data()["total"], 1);
    assert_eq!(app.app("GET", &all, None).await.ok().data()["total"], 1);
    app.app("POST", &all, Some(weight)).await.refused(403, LACKING);
    app.app("DELETE", &measured, None).await.ok();
    assert!(app.events().await.is_empty());
    let (_, stranger) = people::client(&app).await;
    let path = format!("/clients/{client}/health-consent");
    app.app_as(&stranger, "GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let wrong = json!({"given": false, "version": "1"});
    app.app_as(&token, "PUT", &path, Some(wrong))
        .await
        .refused(400, "request.invalid")
        .about("version");
}

/// Scenarios with a clock of their own.
#[scenario(process, clock)]
fn no_checkup_is_assigned_without_consent(engine: Engine) {
    travelling(engine, "2027-05-03T08:00:00Z", async |mut travel: Travel| {
        let app = &travel.app;
        let client = app.new_client(json!({"firstName": "Ann"})).await;
        let form = published(app, "checkup", questions()).await;
        let weekly = json!({"formId": form, "recurrence": {"frequency": "weekly"}});
        app.post(&format!("/clients/{client}/checkups"), weekly).await.ok();
        ask_for_consent(app).await;
        app.events().await;
        travel.to("2027-05-11T08:00:00Z").await;
        assert!(travel.app.events().await.is_empty());
        let coach = travel.app.coach_token.clone();
        say(&travel.app, &coach, &client, json!({"given": true})).await;
        travel.app.events().await;
        travel.to("2027-05-18T08:00:00Z").await;
        travel.app.announced(&["checkup.assigned"]).await;
    });
}
