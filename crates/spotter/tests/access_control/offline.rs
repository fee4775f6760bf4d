//! Offline scans: uploads after a lost answer, ownership of credentials, and information disclosure.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{new_product, sold},
    random_text, scenario, text,
};

use super::{Door, allowed, denied, give, holder, visits};

fn now(app: &App) -> spotter_kernel::Timestamp {
    spotter_kernel::Clock::now(&*app.server.env.clock)
}

/// Uploads a late scan; its result.
async fn upload(door: &Door, app: &App, scan: Value) -> Value {
    let mut scan = scan;
    let at = scan["occurredAt"].as_str().map_or_else(|| now(app).to_string(), str::to_owned);
    scan["occurredAt"] = json!(at);
    let batch = json!({"sentAt": now(app).to_string(), "scans": [scan]});
    let response = door.ask(app, "POST", "/scans/late", Some(batch)).await.ok();
    response.data()["results"][0].clone()
}

#[scenario]
async fn a_devices_own_decision_counts_after_a_lost_answer(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (client, card) = holder(&app).await;
    let view = json!({"kind": "card", "number": card});
    let scan = json!({"scanId": "lost", "credential": view});
    let response = door.ask(&app, "POST", "/scans", Some(scan)).await.ok();
    assert_eq!(response.data()["decision"], "deny");
    let late = |decision: &str| json!({"scanId": "lost", "credential": view, "decision": decision});
    let same = upload(&door, &app, late("deny")).await;
    assert_eq!((&same["result"], &same["wouldHaveBeen"]), (&json!("known"), &json!("deny")));
    assert_eq!(visits(&app, &client).await, json!([]));
    let opened = late("allow");
    let response = upload(&door, &app, opened.clone()).await;
    assert_eq!(response["result"], "recorded", "{response}");
    assert_eq!(
        (&response["wouldHaveBeen"], &response["reason"]),
        (&json!("deny"), &json!("membership_missing"))
    );
    assert_eq!(visits(&app, &client).await[0]["entries"], 1);
    let listed = app.app("GET", &format!("/access-scans?clientId={client}"), None).await.ok();
    let entry = &listed.data()["accessScans"][0];
    assert_eq!(listed.data()["total"], 1);
    assert_eq!((&entry["decision"], &entry["offline"]), (&json!("allow"), &json!(true)), "{entry}");
    // A repeated upload is known, and another client's scan under its id is a conflict.
    let mut again = opened.clone();
    again["occurredAt"] = entry["deviceTime"].clone();
    assert_eq!(upload(&door, &app, again).await["result"], "known");
    let other = json!({"scanId": "lost", "credential": {"kind": "card", "number": "OTHER123"}, "decision": "allow"});
    assert_eq!(upload(&door, &app, other).await["result"], "conflict");
    assert_eq!(visits(&app, &client).await[0]["entries"], 1);
}

#[scenario]
async fn a_denied_client_is_not_inside(app: App) {
    let door =
        Door::new(&app, json!({"zones": ["gym"], "direction": "both", "passback": "hard"})).await;
    let (client, card) = holder(&app).await;
    sold(&app, &client, json!({}), json!({})).await;
    let view = json!({"kind": "card", "number": card});
    let scan = |id: &str| json!({"scanId": id, "credential": view, "direction": "in"});
    let response = door.ask(&app, "POST", "/scans", Some(scan("lost"))).await.ok();
    assert_eq!(response.data()["decision"], "allow", "{response:?}");
    let mut late = scan("lost");
    late["decision"] = json!("deny");
    assert_eq!(upload(&door, &app, late).await["result"], "recorded");
    let response = door.ask(&app, "POST", "/scans", Some(scan("next"))).await.ok();
    assert_eq!(response.data()["decision"], "allow", "{response:?}");
    let response = door.ask(&app, "POST", "/scans", Some(scan("third"))).await.ok();
    assert_eq!(response.data()["reason"], "passback", "{response:?}");
}

#[scenario]
async fn an_offline_scan_belongs_to_the_holder_at_scan_time(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (ann, card) = holder(&app).await;
    let then = now(&app).to_string();
    let own = app.app("GET", &format!("/clients/{ann}/access-credentials"), None).await.ok();
    let id = text(own.data(), "/accessCredentials/0/credentialId");
    let path = format!("/clients/{ann}/access-credentials/{id}/revoke");
    app.app("POST", &path, None).await.ok();
    let bea = app.new_client(json!({"firstName": "Bea"})).await;
    give(&app, &bea, json!({"kind": "card", "number": card})).await;
    let view = json!({"kind": "card", "number": card});
    let scan = json!({"scanId": "1", "credential": view, "decision": "allow", "occurredAt": then});
    assert_eq!(upload(&door, &app, scan).await["result"], "recorded");
    assert_eq!(visits(&app, &ann).await.as_array().unwrap().len(), 1);
    assert_eq!(visits(&app, &bea).await, json!([]));
    let scan = json!({"scanId": "2", "credential": view, "decision": "allow"});
    upload(&door, &app, scan).await;
    assert_eq!(visits(&app, &bea).await.as_array().unwrap().len(), 1);
}

/// A scan before a card's assignment is not attributed; scans of erased holders have no client.
#[scenario]
async fn a_late_scan_is_not_of_the_next_holder(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (ann, card) = holder(&app).await;
    let then = now(&app).plus_seconds(-3_600).to_string();
    app.act(&format!("/clients/{ann}/archive")).await.ok();
    app.app("POST", &format!("/clients/{ann}/erase"), Some(json!({}))).await.ok();
    let own = format!("/clients/{ann}");
    for _ in 0..100 {
        if app.get(&own).await.status == 404 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let bea = app.new_client(json!({"firstName": "Bea"})).await;
    let view = json!({"kind": "card", "number": card});
    for _ in 0..100 {
        let path = format!("/clients/{bea}/access-credentials");
        if app.app("POST", &path, Some(view.clone())).await.status < 300 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let scan = json!({"scanId": "1", "credential": view, "decision": "allow", "occurredAt": then});
    let response = upload(&door, &app, scan).await;
    assert_eq!(
        (&response["result"], &response["reason"]),
        (&json!("recorded"), &json!("credential_unknown")),
        "{response}"
    );
    assert_eq!(visits(&app, &bea).await, json!([]));
}

#[scenario]
async fn late_and_outgoing_pins_reveal_nothing(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"], "direction": "both"})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    give(&app, &client, json!({"kind": "pin", "number": "482913"})).await;
    let mut answers = Vec::new();
    for pin in ["482913", "482914"] {
        let view = json!({"kind": "pin", "number": pin});
        let out = json!({"scanId": random_text(), "credential": view, "direction": "out"});
        let response = door.ask(&app, "POST", "/scans", Some(out)).await.ok();
        assert_eq!(
            (&response.data()["decision"], &response.data()["client"]),
            (&json!("allow"), &Value::Null)
        );
        let late = json!({"scanId": random_text(), "credential": view, "direction": "in", "decision": "deny"});
        let mut late = upload(&door, &app, late).await;
        let fields = late.as_object_mut().unwrap();
        fields.remove("scanId");
        fields.remove("occurredAt");
        answers.push(late);
    }
    assert_eq!(answers[0], answers[1], "a right guess looks like a wrong one");
    let listed = app.app("GET", &format!("/access-scans?clientId={client}"), None).await.ok();
    assert_eq!(listed.data()["total"], 2, "managers see whose it was");
}

#[scenario]
async fn invalid_offline_scans_are_explained(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym", "sauna"], "direction": "both"})).await;
    let view = json!({"kind": "card", "number": "ABCD1234"});
    for (more, rule) in [
        (json!({}), "zone: is required"),
        (json!({"zone": "gym"}), "direction: must be in or out"),
        (json!({"zone": "bar", "direction": "in"}), "zone: must be one that the device guards"),
    ] {
        let mut scan = json!({"scanId": random_text(), "credential": view, "decision": "allow"});
        scan.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let response = upload(&door, &app, scan).await;
        assert_eq!(response["result"], "invalid");
        assert!(response["rule"].as_str().unwrap().starts_with(rule), "{response}");
    }
}

#[scenario]
async fn a_zone_that_a_door_guards_stays_as_it_is(app: App) {
    let door = Door::new(&app, json!({"zones": ["sauna"]})).await;
    let path = format!("/locations/{}", door.location);
    for zones in [json!(["gym"]), json!(["gym", "Sauna"]), json!([])] {
        let refused = app.patch(&path, json!({"accessZones": zones})).await;
        refused.refused(409, "PUBLIC_API_ERROR").about("accessZones");
    }
    app.patch(&path, json!({"accessZones": ["Gym", "sauna", "bar"]})).await.ok();
    app.app("POST", &format!("/access-devices/{}/revoke", door.id), None).await.ok();
    app.patch(&path, json!({"accessZones": ["gym"]})).await.ok();
    let online = app.post("/locations", json!({"name": "Online", "type": "online"})).await.ok();
    let online = text(online.data(), "/location/locationId");
    let new = json!({"name": "No door", "locationId": online});
    let refused = app.app("POST", "/access-devices", Some(new)).await;
    refused.refused(400, "request.invalid").about("locationId");
}

#[scenario]
async fn later_sales_do_not_hide_a_membership(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (client, card) = holder(&app).await;
    sold(&app, &client, json!({}), json!({})).await;
    assert_eq!(door.card(&app, &card).await, allowed());
    let pass =
        json!({"productType": "DayPass", "name": {"en": "Day"}, "price": 100, "daysUsable": 1});
    let pass = new_product(&app, pass).await;
    for _ in 0..101 {
        let sale = json!({"productId": pass});
        let made = app.post(&format!("/finance/clients/{client}/products"), sale).await.ok();
        let id = text(made.data(), "/clientProduct/clientProductId");
        app.act(&format!("/finance/client-products/{id}/revoke")).await.ok();
    }
    assert_eq!(door.card(&app, &card).await, allowed());
    let response = app.app("GET", &format!("/finance/clients/{client}/entrance"), None).await.ok();
    assert_eq!(response.data()["entrance"]["allowed"], true, "{}", response.body);
    assert_ne!(door.card(&app, "NOBODY99").await, denied("membership_missing"));
    app.events().await;
}
