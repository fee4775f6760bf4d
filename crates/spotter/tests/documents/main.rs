//! Documents over HTTP on both engines: linked and filed, in folders without cycles, with permissions, and announced
//! before they expire.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

use futures_util::future::join_all;
use serde_json::{Value, json};
use spotter_harness::{
    App, Engine,
    documents::{URL, fetch, link},
    forms::send_file,
    people, random_text, scenario, send, text,
    travel::{Travel, travelling_as},
};
use spotter_store::{Sql, params};

async fn folder(app: &App, name: &str, parent: Option<&str>) -> String {
    let made = app.post("/document-folders", json!({"name": name, "parentId": parent})).await.ok();
    text(made.data(), "/documentFolder/folderId")
}

#[scenario]
async fn documents_are_linked_moved_and_put_away(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    app.events().await;
    let own = link(&app, json!({})).await;
    assert_eq!(
        (&own["clientId"], &own["source"], &own["url"]),
        (&Value::Null, &json!("link"), &json!(URL))
    );
    app.announced(&[]).await;
    let path = format!("/documents/{}", text(&own, "/documentId"));
    // A document can be given to a client, and then stays theirs.
    let change = json!({"clientId": client, "name": "House rules"});
    app.patch(&path, change.clone()).await.ok();
    let response = app.announced(&["document.linked", "document.updated"]).await;
    assert_eq!(response[0]["clientId"], json!(client));
    assert_eq!((response[0].get("url"), response[0].get("name")), (None, None));
    assert_eq!(response[1]["changedFields"], json!(["name"]));
    app.patch(&path, change).await.ok();
    app.announced(&[]).await;
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    app.events().await;
    app.patch(&path, json!({"clientId": other}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("clientId");
    let into = folder(&app, "Rules", None).await;
    app.patch(&path, json!({"folderId": into})).await.ok();
    let response = app.announced(&["document.updated"]).await;
    assert_eq!(
        (&response[0]["folderId"], &response[0]["changedFields"]),
        (&json!(into), &json!(["folderId"]))
    );
    for (query, total) in [
        ("", 1),
        (&*format!("?folderId={into}"), 1),
        (&*format!("?clientId={client}"), 1),
        (&*format!("?clientId={other}"), 0),
        ("?type=waiver", 0),
        ("?status=archived", 0),
        ("?expiresBefore=2099-01-01", 0),
    ] {
        assert_eq!(
            app.get(&format!("/documents{query}")).await.ok().data()["total"],
            total,
            "{query}"
        );
    }
    let archive = format!("{path}/archive");
    let response = app.act(&archive).await.ok();
    assert_eq!(response.data()["document"]["status"], "archived");
    app.act(&archive).await.ok();
    app.announced(&["document.archived"]).await;
    app.patch(&path, json!({"name": "x"})).await.refused(409, "PUBLIC_API_ERROR").about("status");
    // Archived documents do not keep a folder.
    app.delete(&format!("/document-folders/{into}")).await.ok();
    let response = app.act(&format!("{path}/restore")).await.ok();
    let is = &response.data()["document"];
    assert_eq!(
        (&is["status"], &is["folderId"], &is["archivedAt"]),
        (&json!("active"), &Value::Null, &Value::Null)
    );
    app.act(&format!("{path}/restore")).await.ok();
    app.announced(&["document.updated"]).await;
    assert_eq!(app.get("/documents?status=active").await.ok().data()["total"], 1);
}

#[scenario]
async fn invalid_documents_are_refused(app: App) {
    let good = json!({"name": "Rules", "type": "contract", "url": URL});
    let nobody = "0123456789abcdef01234567";
    for (field, value, status, key, about) in [
        ("name", Value::Null, 400, "PUBLIC_API_DOCUMENT_NAME_REQUIRED", "name"),
        ("type", Value::Null, 400, "PUBLIC_API_DOCUMENT_TYPE_REQUIRED", "type"),
        ("type", json!("poem"), 400, "PUBLIC_API_INVALID_ENUM", "type"),
        ("url", Value::Null, 400, "PUBLIC_API_DOCUMENT_URL_INVALID", "url"),
        ("url", json!("http://example.com"), 400, "PUBLIC_API_DOCUMENT_URL_INVALID", "url"),
        ("url", json!("javascript:alert(1)"), 400, "PUBLIC_API_DOCUMENT_URL_INVALID", "url"),
        (
            "url",
            json!("https://me:pass@example.com"),
            400,
            "PUBLIC_API_DOCUMENT_URL_INVALID",
            "url",
        ),
        ("url", json!(1), 400, "PUBLIC_API_DOCUMENT_URL_INVALID", "url"),
        ("clientId", json!("x"), 400, "PUBLIC_API_INVALID_CLIENT_ID", "clientId"),
        ("clientId", json!(nobody), 404, "PUBLIC_API_CLIENT_NOT_FOUND", ""),
        ("folderId", json!("x"), 400, "PUBLIC_API_INVALID_DOCUMENT_FOLDER_ID", "folderId"),
        ("folderId", json!(nobody), 404, "PUBLIC_API_DOCUMENT_FOLDER_NOT_FOUND", "folderId"),
        ("expiresOn", json!("tomorrow"), 400, "PUBLIC_API_INVALID_DATE", "expiresOn"),
        ("colour", json!("red"), 400, "request.invalid", "colour"),
    ] {
        let mut new = good.clone();
        new[field] = value.clone();
        let refused = app.post("/documents", new).await;
        assert_eq!((refused.status, refused.key()), (status, key), "{field} {value}");
        if !about.is_empty() {
            refused.about(about);
        }
    }
    let path = format!("/documents/{}", text(&link(&app, json!({})).await, "/documentId"));
    for (change, status, key) in [
        (json!({}), 400, "PUBLIC_API_DOCUMENT_NOTHING_TO_UPDATE"),
        (json!({"name": null}), 400, "PUBLIC_API_DOCUMENT_NAME_REQUIRED"),
        (json!({"type": null}), 400, "PUBLIC_API_DOCUMENT_TYPE_REQUIRED"),
        (json!({"url": null}), 400, "PUBLIC_API_DOCUMENT_URL_INVALID"),
        (json!({"folderId": nobody}), 404, "PUBLIC_API_DOCUMENT_FOLDER_NOT_FOUND"),
    ] {
        app.patch(&path, change).await.refused(status, key);
    }
    app.patch("/documents/x", json!({"name": "x"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_DOCUMENT_ID");
    app.get(&format!("/documents/{nobody}")).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    app.announced(&[]).await;
}

#[scenario]
async fn files_are_fetched_with_permission(app: App) {
    let (client, token) = people::client(&app).await;
    let (_, other) = people::client(&app).await;
    // A client files their own documents, whatever client they name.
    let sent = send_file(&app, &token).await;
    let new = json!({"uploadId": sent, "type": "id"});
    let made = app.app_as(&token, "POST", "/document-files", Some(new.clone())).await.ok();
    let is = &made.data()["document"];
    assert_eq!(
        (&is["clientId"], &is["name"], &is["url"]),
        (&json!(client), &json!("résumé.pdf"), &Value::Null)
    );
    assert_eq!(is.get("folderId"), None);
    app.announced(&["document.linked"]).await;
    app.app_as(&token, "POST", "/document-files", Some(new))
        .await
        .refused(404, "resource.not_found")
        .about("uploadId");
    let path = format!("/documents/{}", text(is, "/documentId"));
    let file = format!("{path}/file");
    for response in
        [app.app_as(&token, "GET", &file, None).await.ok(), app.app("GET", &file, None).await.ok()]
    {
        let (status, bytes, kind) = fetch(&app, &text(response.data(), "/documentFile/url")).await;
        assert_eq!(
            (status, kind.as_str(), bytes.starts_with(b"%PDF")),
            (200, "application/pdf", true)
        );
    }
    app.app_as(&other, "GET", &path, None).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    app.app_as(&other, "GET", &file, None).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    assert_eq!(app.app_as(&other, "GET", "/documents", None).await.ok().data()["total"], 0);
    assert_eq!(app.app_as(&token, "GET", "/documents", None).await.ok().data()["total"], 1);
    // Integrations see the record, and its address ends when it is archived.
    assert_eq!(app.get(&path).await.ok().data()["document"]["fileName"], "résumé.pdf");
    let response = app.app_as(&token, "GET", &file, None).await.ok();
    let url = text(response.data(), "/documentFile/url");
    app.patch(&path, json!({"url": URL})).await.refused(409, "PUBLIC_API_ERROR").about("url");
    app.act(&format!("{path}/archive")).await.ok();
    assert_eq!(fetch(&app, &url).await.0, 404);
    app.app_as(&token, "GET", &path, None).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    assert_eq!(app.app_as(&token, "GET", "/documents", None).await.ok().data()["total"], 0);
    app.app("GET", &file, None).await.ok();
    let linked = link(&app, json!({})).await;
    let none = format!("/documents/{}/file", text(&linked, "/documentId"));
    app.app("GET", &none, None).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    // Clients cannot file for others, or into folders.
    let sent = send_file(&app, &token).await;
    let new = json!({"uploadId": sent, "type": "id", "clientId": app.new_client(json!({"firstName": "Bea"})).await});
    app.app_as(&token, "POST", "/document-files", Some(new))
        .await
        .refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let new = json!({"uploadId": sent, "type": "id", "folderId": folder(&app, "x", None).await});
    app.app_as(&token, "POST", "/document-files", Some(new))
        .await
        .refused(400, "request.invalid")
        .about("folderId");
}

#[scenario]
async fn health_documents_require_permission(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let medical = link(&app, json!({"type": "medical", "clientId": client})).await;
    let plain = link(&app, json!({"type": "waiver", "clientId": client})).await;
    let path = format!("/documents/{}", text(&medical, "/documentId"));
    let made = app.new_api_client(&["documents:read", "documents:write"]).await;
    let made = |name: &str| text(made.data(), &format!("/{name}"));
    let consents = json!({"consents": {"healthData": false, "privateCommunication": true}});
    let own = format!("/integrations/public-api/clients/{}", made("client/id"));
    app.app("PATCH", &own, Some(consents)).await.ok();
    let token = app.issue(&made("clientId"), &made("clientSecret")).await;
    app.events().await;
    let call = async |method: &str, path: &str, body: Option<Value>| {
        let request = app.server.request(method, &format!("/public/v1{path}")).bearer_auth(&token);
        let request = request.header("Idempotency-Key", random_text());
        send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    };
    let response = call("GET", "/documents", None).await.ok();
    assert_eq!(
        (&response.data()["total"], &response.data()["documents"][0]["documentId"]),
        (&json!(1), &plain["documentId"])
    );
    for query in [&*format!("?clientId={client}"), "?status=active"] {
        assert_eq!(call("GET", &format!("/documents{query}"), None).await.ok().data()["total"], 1);
        assert_eq!(app.get(&format!("/documents{query}")).await.ok().data()["total"], 2);
    }
    assert_eq!(call("GET", "/documents?type=medical", None).await.ok().data()["total"], 0);
    for (method, path, body) in [
        ("GET", path.clone(), None),
        ("PATCH", path.clone(), Some(json!({"name": "x"}))),
        ("POST", format!("{path}/archive"), None),
    ] {
        call(method, &path, body).await.refused(404, "PUBLIC_API_DOCUMENT_NOT_FOUND");
    }
    let hides = json!({"type": "medical"});
    let own = format!("/documents/{}", text(&plain, "/documentId"));
    call("PATCH", &own, Some(hides)).await.refused(403, "scopes.health_consent_required");
    let new = json!({"name": "Knee", "type": "medical", "url": URL});
    call("POST", "/documents", Some(new)).await.refused(403, "scopes.health_consent_required");
    app.announced(&[]).await;
}

#[scenario]
async fn folders_stand_in_order(app: App) {
    let mut chain = vec![folder(&app, "1", None).await];
    for depth in 2..=5 {
        chain.push(folder(&app, &depth.to_string(), chain.last().map(String::as_str)).await);
    }
    let deeper = json!({"name": "6", "parentId": chain[4]});
    app.post("/document-folders", deeper).await.refused(409, "PUBLIC_API_ERROR").about("parentId");
    let at = |depth: usize| format!("/document-folders/{}", chain[depth - 1]);
    for inside in [0, 2, 4] {
        app.patch(&at(1), json!({"parentId": chain[inside]}))
            .await
            .refused(409, "PUBLIC_API_ERROR")
            .about("parentId");
    }
    let beside = folder(&app, "Plans", None).await;
    app.patch(&at(1), json!({"parentId": beside}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("parentId");
    app.patch(&at(2), json!({"parentId": beside})).await.ok();
    // Beside each other they have names of their own.
    for same in ["2", " 2 "] {
        app.post("/document-folders", json!({"name": same, "parentId": beside}))
            .await
            .refused(409, "PUBLIC_API_ERROR")
            .about("name");
    }
    app.post("/document-folders", json!({"name": "plans"}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("name");
    app.patch(&at(1), json!({"name": "PLANS"}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("name");
    app.patch(&at(1), json!({"name": "1"})).await.ok();
    let response = app.get(&format!("/document-folders?parentId={beside}")).await.ok();
    assert_eq!(
        (&response.data()["total"], &response.data()["documentFolders"][0]["name"]),
        (&json!(1), &json!("2"))
    );
    app.delete(&format!("/document-folders/{beside}"))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("folderId");
    let held = link(&app, json!({"folderId": chain[4]})).await;
    app.delete(&at(5)).await.refused(409, "PUBLIC_API_ERROR").about("folderId");
    app.patch(&format!("/documents/{}", text(&held, "/documentId")), json!({"folderId": null}))
        .await
        .ok();
    app.delete(&at(5)).await.ok();
    app.get(&at(5)).await.refused(404, "PUBLIC_API_DOCUMENT_FOLDER_NOT_FOUND");
    let nobody = json!({"parentId": "0123456789abcdef01234567"});
    app.patch(&at(1), nobody)
        .await
        .refused(404, "PUBLIC_API_DOCUMENT_FOLDER_NOT_FOUND")
        .about("parentId");
    app.patch(&at(1), json!({"parentId": "x"}))
        .await
        .refused(400, "PUBLIC_API_INVALID_DOCUMENT_FOLDER_ID");
}

/// Each is moved into the next at once: at least one is refused, for all of them together would be a circle.
#[scenario]
async fn racing_moves_make_no_folder_cycle(app: App) {
    for round in 0..5 {
        let mut all = Vec::new();
        for number in 0..4 {
            all.push(folder(&app, &format!("{round}-{number}"), None).await);
        }
        let move_on = async |at: usize| {
            let to = json!({"parentId": all[(at + 1) % 4]});
            app.patch(&format!("/document-folders/{}", all[at]), to).await
        };
        let moved = join_all((0..4).map(move_on)).await;
        let refused = moved.iter().filter(|reply| reply.status == 409).count();
        assert!(refused >= 1);
        // From each there is a way out.
        for folder in &all {
            let mut at = Some(folder.clone());
            for _ in 0..5 {
                let Some(id) = at else { break };
                let response = app.get(&format!("/document-folders/{id}")).await.ok();
                at = response.data()["documentFolder"]["parentId"].as_str().map(str::to_owned);
            }
            assert_eq!(at, None, "round {round}");
        }
    }
}

#[scenario(process, clock)]
fn coaches_are_told_of_expiring_documents(engine: Engine) {
    let links = "https://gym.example";
    travelling_as(
        engine,
        "2027-03-01T12:00:00Z",
        |env| env.mail_links = Some(links.into()),
        async |mut travel: Travel| {
            let new = json!({"firstName": "Bo", "lastName": "Vos", "email": "bo@example.com", "role": "Coach"});
            let made = travel.app.app("POST", "/coaches", Some(new)).await.ok();
            let coach = text(made.data(), "/coach/coachId");
            // The invitation is accepted; its mail is not the subject here.
            const ACCEPTED: Sql = Sql(
                "UPDATE coach SET status = 'active' WHERE company_id = ?1 AND email = 'bo@example.com'",
            );
            let company = travel.app.company;
            let db = &travel.app.server.db;
            db.write(move |tx| tx.execute(ACCEPTED, params![company])).await.unwrap();
            let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
            travel
                .app
                .put(&format!("/clients/{client}/coach"), json!({"coachId": coach}))
                .await
                .ok();
            let facts = json!({"clientId": client, "expiresOn": "2027-04-05"});
            let path =
                format!("/documents/{}", text(&link(&travel.app, facts).await, "/documentId"));
            link(&travel.app, json!({"expiresOn": "2027-03-20"})).await;
            let admin = travel.app.admin_email.clone();
            let result = async |app: &App| {
                let response = app.app("GET", "/mail", None).await.ok();
                let all = response.data()["mail"].as_array().unwrap().iter();
                let of = |one: &&Value| one["kind"] == "document_expires";
                let mut all: Vec<_> = all.filter(of).map(|one| text(one, "/recipient")).collect();
                all.sort();
                all
            };
            // Nine o'clock, two weeks before.
            travel.to("2027-03-06T08:59:00Z").await;
            assert_eq!(result(&travel.app).await, Vec::<String>::new());
            travel.to("2027-03-06T09:01:00Z").await;
            assert_eq!(result(&travel.app).await, std::slice::from_ref(&admin));
            travel.to("2027-03-22T09:01:00Z").await;
            let mut expected = vec![admin.clone(), admin.clone(), "bo@example.com".to_owned()];
            expected.sort();
            assert_eq!(result(&travel.app).await, expected);
            // An extended document is announced again; an archived one is not.
            travel.app.patch(&path, json!({"expiresOn": "2027-05-05"})).await.ok();
            travel.to("2027-04-06T09:01:00Z").await;
            assert_eq!(result(&travel.app).await, expected);
            travel.app.act(&format!("{path}/archive")).await.ok();
            travel.to("2027-05-06T09:01:00Z").await;
            assert_eq!(result(&travel.app).await, expected);
        },
    );
}
