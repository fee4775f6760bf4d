//! Lists for copying a company: cursors are stable under writes, and filters by last change.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spotter_harness::{App, SystemClock, scenario, send, world::World};
use spotter_kernel::Clock;

/// The array of a list's answer.
fn items(data: &Value) -> Vec<Value> {
    let fields = data.as_object().unwrap().values();
    fields.filter_map(Value::as_array).next().unwrap().clone()
}

/// Every paged list has the same records by cursor as by page number.
#[scenario]
async fn every_list_has_cursors(app: App) {
    let world = World::new(app).await;
    for number in 0..3 {
        world.app.new_client(json!({"firstName": format!("N{number}")})).await;
    }
    let (mut walked, mut longer) = (0, BTreeSet::new());
    for operation in spotter::areas::operations() {
        if !operation.is_paged() || operation.method != spotter_contract::Method::Get {
            continue;
        }
        let get = async |query: &str| {
            let path = format!("{}?{query}", world.path(&operation));
            send(world.signed(&operation, world.app.server.request("GET", &path))).await
        };
        if operation.has_parameter("updatedFrom") {
            let later = get("updatedFrom=2099-01-01T00:00:00Z").await;
            let requested = later.status != 400 || later.body["error"]["key"] != "request.invalid";
            assert!(later.status < 500 && requested, "{}: {}", operation.id, later.body);
            if later.status == 200 {
                assert_eq!(later.data()["total"], 0, "{}: {}", operation.id, later.body);
            }
        }
        let first = get("limit=1").await;
        // Ranges are required, some have contracts of their own, and some are for other callers.
        if first.status != 200 || !first.data()["nextCursor"].is_string() {
            continue;
        }
        walked += 1;
        let cursor = first.data()["nextCursor"].as_str().unwrap().to_owned();
        let (by_cursor, by_number) =
            (get(&format!("limit=1&cursor={cursor}")).await, get("limit=1&page=2").await);
        assert_eq!(by_cursor.status, 200, "{}: {}", operation.id, by_cursor.body);
        assert_eq!(items(by_cursor.data()), items(by_number.data()), "{}", operation.id);
        assert_eq!(by_cursor.data()["total"], by_number.data()["total"], "{}", operation.id);
        assert_eq!(
            by_cursor.data()["nextCursor"].is_string(),
            by_cursor.data()["hasNextPage"] == true
        );
        // A malformed cursor is not the end of a list.
        for odd in ["at-", "at-1x", "at--1", "at-99999999999999999999", "AAAA"] {
            let refused = get(&format!("cursor={odd}")).await;
            assert_eq!(refused.status, 400, "{} {odd}: {}", operation.id, refused.body);
        }
        longer.insert(operation.id);
    }
    assert!(walked > 10, "{longer:?}");
}

#[scenario]
async fn a_company_is_copied_while_others_write(app: App) {
    let mut expected = BTreeSet::new();
    for number in 0..9 {
        expected.insert(app.new_client(json!({"firstName": format!("N{number}")})).await);
    }
    let (mut seen, mut query) = (Vec::new(), "limit=2".to_owned());
    loop {
        let page = app.get(&format!("/clients?{query}")).await.ok();
        let ids =
            items(page.data()).into_iter().map(|one| one["clientId"].as_str().unwrap().to_owned());
        seen.extend(ids);
        let Some(cursor) = page.data()["nextCursor"].as_str() else { break };
        query = format!("limit=2&cursor={cursor}");
        // A page by number would repeat the records that these push down.
        app.new_client(json!({"firstName": "New"})).await;
        app.patch(&format!("/clients/{}", seen[0]), json!({"lastName": "Bos"})).await.ok();
    }
    let each: BTreeSet<String> = seen.iter().cloned().collect();
    assert_eq!((seen.len(), &each), (9, &expected), "each once");
}

#[scenario]
async fn lists_show_changes(app: App) {
    let old = app.new_client(json!({"firstName": "Old"})).await;
    let location = app.post("/locations", json!({"name": "North", "type": "physical"})).await.ok();
    let location = location.data()["location"]["locationId"].as_str().unwrap().to_owned();
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let since = SystemClock.now();
    for (path, count) in [("/clients", 0), ("/locations", 0), ("/products", 0), ("/event-types", 0)]
    {
        let response = app.app("GET", &format!("{path}?updatedFrom={since}"), None).await.ok();
        assert_eq!(response.data()["total"], count, "{path}");
    }
    app.patch(&format!("/clients/{old}"), json!({"lastName": "Bos"})).await.ok();
    app.patch(&format!("/locations/{location}"), json!({"name": "South"})).await.ok();
    for path in ["/clients", "/locations"] {
        let response = app.get(&format!("{path}?updatedFrom={since}")).await.ok();
        assert_eq!(response.data()["total"], 1, "{path}");
    }
}
