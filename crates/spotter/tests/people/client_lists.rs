//! Lists of clients: their filters, orders and searches.

use serde_json::{Value, json};
use spotter_harness::{App, random_text, scenario, text};

fn strings<'a>(reply: &'a Value, field: &str) -> Vec<&'a str> {
    reply["clients"].as_array().unwrap().iter().map(|c| c[field].as_str().unwrap()).collect()
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
