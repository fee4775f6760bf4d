//! Clients, their ways, their fields and their notes.

use serde_json::{Value, json};
use spotter_harness::{App, random_text, scenario, text};

fn strings<'a>(reply: &'a Value, field: &str) -> Vec<&'a str> {
    reply["clients"].as_array().unwrap().iter().map(|c| c[field].as_str().unwrap()).collect()
}

#[scenario]
async fn create_and_get(app: App) {
    let made = app
        .post(
            "/clients",
            json!({"firstName": "  Zoë ", "email": "Zoe@Example.com", "tags": ["VIP", "vip"],
            "address": {"line1": "Singel 1", "city": "Utrecht", "country": "NL"}}),
        )
        .await
        .ok();
    assert_eq!(made.status, 201);
    let client = &made.data()["client"];
    let id = client["clientId"].as_str().unwrap();
    assert_eq!(client["firstName"], "Zoë");
    assert_eq!(client["email"], "zoe@example.com");
    assert_eq!(client["tags"], json!(["vip"]));
    assert_eq!(client["assignedCoachId"], json!(app.admin), "the API client's default coach");
    assert_eq!(client["lastName"], Value::Null);
    assert_eq!(made.body["meta"]["idempotency"]["replayed"], false);
    let response = app.announced(&["client.created"]).await;
    assert_eq!(response[0]["clientId"], id);
    assert!(!response[0].to_string().contains("zoe"), "events carry no names: {}", response[0]);
    let got = app.get(&format!("/clients/{id}")).await.ok();
    assert_eq!(got.data()["client"], *client);
    assert!(got.body["meta"].get("idempotency").is_none());
    app.announced(&[]).await;
}

#[scenario]
async fn update_announces_changed_fields(app: App) {
    let id = app.new_client(json!({"firstName": "Ann", "phone": "+31 20 123 4567"})).await;
    let path = format!("/clients/{id}");
    let changed = app.patch(&path, json!({"lastName": "Bos", "phone": null})).await.ok();
    assert_eq!(changed.data()["client"]["phone"], Value::Null);
    assert_eq!(changed.data()["client"]["firstName"], "Ann", "absence leaves");
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["lastName", "phone"]));
    let same = app.patch(&path, json!({"lastName": "Bos"})).await.ok();
    assert_eq!(same.data()["client"]["updatedAt"], changed.data()["client"]["updatedAt"]);
    app.announced(&[]).await;
}

#[scenario]
async fn refuses_by_name(app: App) {
    let taken = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "email": taken, "externalId": "x-1"})).await;
    let stranger = "0".repeat(24);
    let before = app.state().await;
    let cases = [
        (json!({}), 400, "request.invalid", "firstName"),
        (json!({"firstName": ""}), 400, "request.invalid", "firstName"),
        (json!({"firstName": 7}), 400, "request.invalid", "firstName"),
        (json!({"firstName": "x".repeat(81)}), 400, "PUBLIC_API_FIELD_TOO_LONG", "firstName"),
        (json!({"firstName": "a\u{0}"}), 400, "request.invalid", "firstName"),
        (json!({"firstName": "a", "email": "a@b"}), 400, "request.invalid", "email"),
        (
            json!({"firstName": "a", "email": taken.to_uppercase()}),
            409,
            "PUBLIC_API_ERROR",
            "email",
        ),
        (json!({"firstName": "a", "externalId": "x-1"}), 409, "PUBLIC_API_ERROR", "externalId"),
        (
            json!({"firstName": "a", "dateOfBirth": "2026-02-30"}),
            400,
            "PUBLIC_API_INVALID_DATE",
            "dateOfBirth",
        ),
        (
            json!({"firstName": "a", "dateOfBirth": "2999-01-01"}),
            400,
            "PUBLIC_API_INVALID_DATE",
            "dateOfBirth",
        ),
        (
            json!({"firstName": "a", "memberStatus": "gold"}),
            400,
            "PUBLIC_API_INVALID_ENUM",
            "memberStatus",
        ),
        (
            json!({"firstName": "a", "assignedCoachId": "me"}),
            400,
            "PUBLIC_API_INVALID_COACH_ID",
            "assignedCoachId",
        ),
        (
            json!({"firstName": "a", "homeLocationId": stranger}),
            404,
            "resource.not_found",
            "homeLocationId",
        ),
        (
            json!({"firstName": "a", "address": {"line1": "x", "city": "y", "country": "nl"}}),
            400,
            "request.invalid",
            "address.country",
        ),
        (json!({"firstName": "a", "companyId": stranger}), 400, "request.invalid", "companyId"),
    ];
    for (body, status, key, field) in cases {
        app.post("/clients", body).await.refused(status, key).about(field);
    }
    let unknown = json!({"firstName": "a", "assignedCoachId": stranger});
    app.post("/clients", unknown).await.refused(404, "PUBLIC_API_COACH_NOT_FOUND");
    for (change, field) in [
        (json!({"lastName": null, "nickname": "x"}), "nickname"),
        (json!({"firstName": null}), "firstName"),
        (json!({"optIns": null}), "optIns"),
    ] {
        let refused = app.patch(&format!("/clients/{id}"), change).await;
        refused.refused(400, "request.invalid").about(field);
    }
    app.get("/clients/nobody").await.refused(400, "PUBLIC_API_INVALID_CLIENT_ID").about("clientId");
    app.get(&format!("/clients/{stranger}")).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn archive_to_the_letter(app: App) {
    let id = app.new_client(json!({"firstName": "Ann", "memberStatus": "active"})).await;
    let path = format!("/clients/{id}/archive");
    let done =
        app.post(&path, json!({"reason": "moved", "archiveReason": "moved away"})).await.ok();
    assert_eq!(done.status, 200);
    let lifecycle = &done.data()["lifecycle"];
    assert_eq!(lifecycle["clientId"], id.as_str());
    assert_eq!(lifecycle["relationshipStatus"], "archived");
    assert_eq!(lifecycle["memberStatus"], "former");
    assert_eq!(lifecycle["portalAccessStatus"], "none");
    assert_eq!(lifecycle["archiveReason"], "moved away", "archiveReason wins");
    assert!(lifecycle["archivedAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(lifecycle.as_object().unwrap().len(), 6);
    let response = app.announced(&["client.archived"]).await;
    assert!(!response[0].to_string().contains("moved"), "events carry no free text");
    let again = app.post(&path, json!({"reason": "other"})).await.ok();
    assert_eq!(again.data()["lifecycle"], *lifecycle, "the first archive stays");
    app.announced(&[]).await;
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    let bare = app.act(&format!("/clients/{other}/archive")).await.ok();
    assert_eq!(bare.data()["lifecycle"]["archiveReason"], Value::Null);
    app.announced(&["client.archived"]).await;
}

#[scenario]
async fn restore_brings_back(app: App) {
    let email = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "email": email})).await;
    app.act(&format!("/clients/{id}/archive")).await.ok();
    app.events().await;
    let back = app.act(&format!("/clients/{id}/restore")).await.ok();
    assert_eq!(back.data()["lifecycle"]["relationshipStatus"], "active");
    assert_eq!(back.data()["lifecycle"]["archivedAt"], Value::Null);
    let response = app.announced(&["client.updated"]).await;
    assert!(
        response[0]["changedFields"].as_array().unwrap().contains(&json!("relationshipStatus"))
    );
    app.act(&format!("/clients/{id}/restore")).await.ok();
    app.announced(&[]).await;
    // The address was given to another client in the meantime.
    app.act(&format!("/clients/{id}/archive")).await.ok();
    app.new_client(json!({"firstName": "Bea", "email": email})).await;
    app.act(&format!("/clients/{id}/restore"))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("email");
}

#[scenario]
async fn lists_filter_and_count(app: App) {
    let mut ids = Vec::new();
    for number in 0..5 {
        let status = if number < 3 { "active" } else { "lead" };
        ids.push(
            app.new_client(
                json!({"firstName": format!("N{number}"), "memberStatus": status, "tags": ["t"]}),
            )
            .await,
        );
    }
    app.act(&format!("/clients/{}/archive", ids[0])).await.ok();
    let all = app.get("/clients?limit=2&page=2").await.ok();
    assert_eq!(strings(all.data(), "firstName"), ["N2", "N1"], "newest first");
    let metrics = json!({"page": 2, "limit": 2, "total": 5, "totalPages": 3, "hasNextPage": true, "hasPrevPage": true});
    for (name, value) in metrics.as_object().unwrap() {
        assert_eq!(all.data()[name], *value, "{name}");
    }
    for (query, total) in [
        ("memberStatus=active", 2),
        ("memberStatus=former", 1),
        ("relationshipStatus=archived", 1),
        ("archived=true", 1),
        ("archived=false", 4),
        ("archived=false&memberStatus=lead", 2),
        ("tag=T", 5),
        (&format!("coachId={}", app.admin), 5),
        (&format!("coachId={}", "0".repeat(24)), 0),
        ("createdFrom=2020-01-01T00:00:00Z", 5),
        ("createdTo=2020-01-01T00:00:00Z", 0),
        ("page=9", 5),
    ] {
        let reply = app.get(&format!("/clients?{query}")).await.ok();
        assert_eq!(reply.data()["total"], total, "{query}");
    }
    for (query, field) in [
        ("cursor=nonsense", "cursor"),
        ("cursor=00000000-5b5d", "cursor"),
        ("cursor=%00", "cursor"),
        ("search=%FF%FE", "search"),
    ] {
        app.get(&format!("/clients?{query}")).await.refused(400, "request.invalid").about(field);
    }
    let when = app.get("/clients?updatedFrom=yesterday").await;
    when.refused(400, "PUBLIC_API_INVALID_DATE").about("updatedFrom");
    let cursor = all.data()["nextCursor"].as_str().unwrap().to_owned();
    app.get(&format!("/clients?page=2&cursor={cursor}"))
        .await
        .refused(400, "request.invalid")
        .about("page");
    // A cursor is of one list.
    app.get(&format!("/bookings?cursor={cursor}"))
        .await
        .refused(400, "request.invalid")
        .about("cursor");
    // A forged cursor is never a server error.
    let forged = format!("{}-{}", &cursor[..8], "5b315d");
    assert_ne!(app.get(&format!("/clients?cursor={forged}")).await.status, 500);
    let empty = app.get("/clients?page=9").await.ok();
    assert_eq!(empty.data()["clients"], json!([]));
    app.get("/clients?archived=yes")
        .await
        .refused(400, "PUBLIC_API_INVALID_BOOLEAN")
        .about("archived");
    app.get("/clients?limit=101").await.refused(400, "request.invalid").about("limit");
    app.get("/clients?createdFrom=2026-02-01T00:00:00Z&createdTo=2026-01-01T00:00:00Z")
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
    app.get("/clients?order=name").await.refused(400, "request.invalid").about("order");
    app.get("/clients?relationshipStatus=gone").await.refused(400, "PUBLIC_API_INVALID_ENUM");
}

#[scenario]
async fn clients_are_listed_by_name(app: App) {
    for (first, last) in [
        ("Zoë", Some("Özil")),
        ("Bea", Some("de Vries")),
        ("ann", Some("De Vries")),
        ("Cher", None),
        ("Eva", Some("Álvarez")),
    ] {
        app.new_client(json!({"firstName": first, "lastName": last})).await;
    }
    let names = |reply: &Value| -> Vec<String> {
        let clients = reply["clients"].as_array().unwrap();
        clients.iter().map(|client| text(client, "/firstName")).collect()
    };
    let all = app.get("/clients?sort=name").await.ok();
    assert_eq!(names(all.data()), ["Eva", "Cher", "ann", "Bea", "Zoë"]);
    let found = app.get("/clients?sort=name&search=vries").await.ok();
    assert_eq!(names(found.data()), ["ann", "Bea"]);
    // Page by page, and as the names are by then.
    let first = app.get("/clients?sort=name&limit=2").await.ok();
    let cursor = text(first.data(), "/nextCursor");
    let next = app.get(&format!("/clients?sort=name&limit=2&cursor={cursor}")).await.ok();
    assert_eq!(names(next.data()), ["ann", "Bea"]);
    let bea = text(&next.data()["clients"][1], "/clientId");
    app.patch(&format!("/clients/{bea}"), json!({"lastName": "Aa"})).await.ok();
    let all = app.get("/clients?sort=name&archived=false").await.ok();
    assert_eq!(names(all.data()), ["Bea", "Eva", "Cher", "ann", "Zoë"]);
    let newest = app.get("/clients").await.ok();
    assert_eq!(names(newest.data())[0], "Eva");
    // A cursor is of the order that it was made in.
    app.get(&format!("/clients?cursor={cursor}")).await.refused(400, "request.invalid");
    app.get("/clients?sort=age").await.refused(400, "PUBLIC_API_INVALID_ENUM").about("sort");
}

/// By name, few matches are found first, and many are looked for in order: both list the same clients.
#[scenario]
async fn filtered_clients_are_listed_by_name(app: App) {
    let mut expected = Vec::new();
    for index in 0..60 {
        // Names in another order than that of the records, two of each.
        let last = format!("Name {:02}", index * 7 % 30);
        let tags = if index % 4 == 0 { json!(["rare"]) } else { json!([]) };
        let status = if index % 8 == 0 { "paused" } else { "active" };
        let new = json!({"firstName": "A", "lastName": last, "tags": tags, "memberStatus": status});
        let client = app.new_client(new).await;
        expected.push((last, client, index % 4 == 0, index % 8 == 0));
    }
    expected.sort();
    for (filter, wants) in [
        ("tag=rare", (|one| one.2) as fn(&(String, String, bool, bool)) -> bool),
        ("memberStatus=active", |one| !one.3),
        ("tag=rare&memberStatus=active", |one| one.2 && !one.3),
        ("memberStatus=paused&archived=false", |one| one.3),
    ] {
        let wanted: Vec<&str> =
            expected.iter().filter(|one| wants(one)).map(|one| &*one.1).collect();
        let address = format!("/clients?sort=name&limit=4&{filter}");
        let (mut by_page, mut by_cursor, mut cursor) = (Vec::new(), Vec::new(), String::new());
        for page in 1..=wanted.len().div_ceil(4) {
            let found = app.get(&format!("{address}&page={page}")).await.ok();
            assert_eq!(found.data()["total"], wanted.len(), "{filter}");
            by_page.extend(ids(found.data()));
            let found = app.get(&format!("{address}{cursor}")).await.ok();
            by_cursor.extend(ids(found.data()));
            cursor = format!("&cursor={}", found.data()["nextCursor"].as_str().unwrap_or_default());
        }
        assert_eq!(by_page, wanted, "{filter}");
        assert_eq!(by_cursor, wanted, "{filter}");
        assert_eq!(cursor, "&cursor=", "{filter}");
    }
}

fn ids(reply: &Value) -> Vec<String> {
    let clients = reply["clients"].as_array().unwrap();
    clients.iter().map(|client| text(client, "/clientId")).collect()
}

#[scenario]
async fn search_finds_by_prefix(app: App) {
    let email = format!("sofia.{}@example.com", random_text());
    app.new_client(json!({"firstName": "Sofía", "lastName": "van der Núñez", "email": email, "phone": "+31 6 1234 5678"})).await;
    app.new_client(json!({"firstName": "Anna", "lastName": "Annabel"})).await;
    for (search, found) in [
        ("sof", 1),
        ("SOFÍA", 1),
        ("nun", 1),
        ("sof nun", 1),
        ("nun sof", 1),
        ("sof ann", 0),
        ("sof 5678 nun", 1),
        ("sof 612345678", 1),
        ("sof 612345679", 0),
        ("ann", 1),
        ("fia", 0),
        (&*email, 1),
        ("0612345678", 1),
        ("%2B31612345678", 1),
        ("5678", 1),
        ("!!", 0),
        ("x", 0),
    ] {
        let reply = app.get(&format!("/clients?search={}", search.replace(' ', "%20"))).await.ok();
        assert_eq!(reply.data()["total"], found, "{search}");
        assert_eq!(reply.data()["clients"].as_array().unwrap().len(), found, "{search}");
    }
    let id = app.get("/clients?search=sofia").await.data()["clients"][0]["clientId"]
        .as_str()
        .unwrap()
        .to_owned();
    app.patch(&format!("/clients/{id}"), json!({"firstName": "Maria"})).await.ok();
    assert_eq!(app.get("/clients?search=mar").await.data()["total"], 1);
    assert_eq!(
        app.get("/clients?search=nun%20sof&limit=1").await.data()["total"],
        1,
        "the address still says so"
    );
}

/// Clients are counted once, however many of their words match, whoever was archived or renamed since.
#[scenario]
async fn searches_count_each_client_once(app: App) {
    let mut named: Vec<(String, bool)> = Vec::new();
    for at in 0..90 {
        let (first, last) =
            (["Anna", "Bo", "Ané"][at % 3], ["Andersen", "Bos", "Annema", "Cox"][at % 4]);
        let email = format!("{}.{at}@example.com", last.to_lowercase());
        let new = json!({"firstName": first, "lastName": last, "email": email, "phone": format!("06 9234 {at:04}")});
        let id = app.new_client(new).await;
        if at % 5 == 0 {
            app.act(&format!("/clients/{id}/archive")).await.ok();
        }
        if at % 10 == 0 {
            app.act(&format!("/clients/{id}/restore")).await.ok();
        }
        if at % 7 == 0 {
            let path = format!("/clients/{id}");
            app.patch(&path, json!({"lastName": "Anker"})).await.ok();
        }
        let last = if at % 7 == 0 { "Anker" } else { last };
        let words = format!("{first} {last} {email} 69234{at:04}").to_lowercase().replace('é', "e");
        named.push((words, at % 5 == 0 && at % 10 != 0));
    }
    for prefix in
        ["a", "an", "ann", "anna", "ander", "andersen.1", "b", "com", "example", "6", "69234", "x"]
    {
        for archived in [None, Some(false), Some(true)] {
            let begins = |words: &str| {
                words
                    .split([' ', '.', '@'])
                    .chain(words.split(' '))
                    .any(|word| word.starts_with(prefix))
            };
            let matching = named.iter().filter(|(words, own)| {
                begins(words) && archived.is_none_or(|archived| archived == *own)
            });
            let expected = matching.count();
            let filter = archived.map_or(String::new(), |archived| format!("&archived={archived}"));
            let path = format!("/clients?search={prefix}{filter}");
            let whole = app.get(&format!("{path}&limit=100")).await.ok();
            let ids: Vec<String> =
                strings(whole.data(), "clientId").into_iter().map(str::to_owned).collect();
            assert_eq!((&whole.data()["total"], ids.len()), (&json!(expected), expected), "{path}");
            // A page of one is soon full, where very many match.
            for page in 1..=expected.min(3) {
                let one = app.get(&format!("{path}&limit=1&page={page}")).await.ok();
                assert_eq!(one.data()["total"], expected, "{path}");
                assert_eq!(strings(one.data(), "clientId"), [&ids[page - 1]], "{path} {page}");
            }
        }
    }
    app.events().await;
}

#[scenario]
async fn tags_and_coach(app: App) {
    let id = app.new_client(json!({"firstName": "Ann", "tags": ["a"]})).await;
    let path = format!("/clients/{id}/tags");
    app.put(&path, json!({"tags": ["B", "c"]})).await.ok();
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["tags"]));
    let tags = app.get("/clients/tags").await.ok();
    assert_eq!(
        tags.data()["tags"],
        json!([{"tag": "b", "clients": 1}, {"tag": "c", "clients": 1}])
    );
    let coach = app
        .app(
            "POST",
            "/coaches",
            Some(json!({"firstName": "Bo", "lastName": "Vos", "role": "Coach",
        "email": format!("{}@example.com", random_text())})),
        )
        .await
        .ok();
    let coach = coach.data()["coach"]["coachId"].as_str().unwrap().to_owned();
    let path = format!("/clients/{id}/coach");
    app.put(&path, json!({"coachId": coach})).await.ok();
    let response = app.announced(&["client.updated"]).await;
    assert_eq!(response[0]["changedFields"], json!(["assignedCoachId"]));
    app.put(&path, json!({})).await.refused(400, "PUBLIC_API_COACH_REQUIRED").about("coachId");
    app.put(&path, json!({"coachId": null})).await.refused(400, "PUBLIC_API_COACH_REQUIRED");
    app.put(&path, json!({"coachId": "0".repeat(24)}))
        .await
        .refused(404, "PUBLIC_API_COACH_NOT_FOUND");
    app.app("PATCH", &format!("/coaches/{coach}"), Some(json!({"status": "deactivated"})))
        .await
        .ok();
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    app.put(&format!("/clients/{other}/coach"), json!({"coachId": coach}))
        .await
        .refused(404, "PUBLIC_API_COACH_NOT_FOUND");
}

#[scenario]
async fn onboarding(app: App) {
    let email = format!("{}@example.com", random_text());
    let id = app.new_client(json!({"firstName": "Ann", "relationshipStatus": "pending"})).await;
    let path = |step: &str| format!("/clients/{id}/{step}");
    app.act(&path("invite")).await.refused(400, "PUBLIC_API_CLIENT_EMAIL_REQUIRED_FOR_INVITE");
    app.patch(&format!("/clients/{id}"), json!({"email": email})).await.ok();
    app.events().await;
    app.act(&path("invite")).await.refused(409, "PUBLIC_API_ERROR").about("relationshipStatus");
    let approved = app.act(&path("relationship/approve")).await.ok();
    assert_eq!(approved.data()["lifecycle"]["relationshipStatus"], "active");
    app.announced(&["client.relationship.approved"]).await;
    app.act(&path("relationship/reject")).await.refused(409, "PUBLIC_API_ERROR");
    let invited = app.act(&path("invite")).await.ok();
    assert_eq!(invited.data()["lifecycle"]["portalAccessStatus"], "invited");
    let response = app.announced(&["client.invited", "client.portal_access.changed"]).await;
    assert!(!response[0].to_string().contains("example.com"));
    let again = app.act(&path("invite")).await.ok();
    app.announced(&["client.invited"]).await;
    let accept = |token: Value| {
        spotter_harness::send(
            app.server
                .request("POST", "/app/v1/auth/invitations/accept")
                .json(&json!({"token": token, "password": "a long password"})),
        )
    };
    accept(invited.data()["invitation"]["token"].clone())
        .await
        .refused(400, "request.invalid")
        .about("token");
    let accepted = accept(again.data()["invitation"]["token"].clone()).await.ok();
    assert_eq!(accepted.data()["session"]["subject"], "client");
    assert_eq!(accepted.data()["session"]["subjectId"], id.as_str());
    app.announced(&["client.portal_access.changed"]).await;
    accept(again.data()["invitation"]["token"].clone()).await.refused(400, "request.invalid");
    app.act(&path("invite")).await.refused(409, "PUBLIC_API_ERROR").about("portalAccessStatus");
    app.patch(&format!("/clients/{id}"), json!({"email": null}))
        .await
        .refused(409, "PUBLIC_API_ERROR")
        .about("email");
    let rejected =
        app.new_client(json!({"firstName": "Bea", "relationshipStatus": "pending"})).await;
    app.act(&format!("/clients/{rejected}/relationship/reject")).await.ok();
    app.announced(&["client.relationship.rejected"]).await;
}

#[scenario]
async fn ids_in_either_case(app: App) {
    let id = app.new_client(json!({"firstName": "Ann"})).await;
    let got = app.get(&format!("/clients/{}", id.to_uppercase())).await.ok();
    assert_eq!(got.data()["client"]["clientId"], id.as_str());
}
