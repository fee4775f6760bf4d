//! Access control: who is admitted, the effects, and what devices know offline.
#![expect(clippy::unwrap_used, reason = "a failing test panics")]

mod days;
mod lists;
mod offline;
mod rules;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use spotter_harness::{App, Reply, billing::sold, people, random_text, scenario, send, text};
use spotter_kernel::Id;
use spotter_store::{Sql, Tx, params};

/// A device, with steps to present credentials.
struct Door {
    id: String,
    key: String,
    location: String,
}

impl Door {
    async fn new(app: &App, facts: Value) -> Self {
        let place = json!({"name": random_text(), "accessZones": ["gym", "sauna"]});
        let made = app.post("/locations", place).await.ok();
        Self::at(app, &text(made.data(), "/location/locationId"), facts).await
    }

    async fn at(app: &App, location: &str, facts: Value) -> Self {
        let mut new = json!({"name": "Front door", "locationId": location});
        new.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
        let made = app.app("POST", "/access-devices", Some(new)).await.ok();
        let (id, key) = (text(made.data(), "/device/deviceId"), text(made.data(), "/deviceKey"));
        Self { id, key, location: location.to_owned() }
    }

    async fn ask(&self, app: &App, method: &str, path: &str, body: Option<Value>) -> Reply {
        let request = app.server.request(method, &format!("/public/v1/access{path}"));
        let request = request.header("x-device-key", &self.key);
        let request = request.header("Idempotency-Key", random_text());
        send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    /// How the door knows cards that are on its list.
    async fn digests(&self, app: &App) -> impl Fn(&str) -> String + use<> {
        let own = self.ask(app, "GET", "/device", None).await.ok();
        let key = text(own.data(), "/digestKey");
        let byte = move |at: usize| u8::from_str_radix(&key[at..at + 2], 16).unwrap();
        let key: Vec<u8> = (0..64).step_by(2).map(byte).collect();
        move |number: &str| {
            let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
            mac.update(format!("card:{number}").as_bytes());
            mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
        }
    }

    /// The decision and reason for a card.
    async fn card(&self, app: &App, number: &str) -> (String, Value) {
        self.present(app, json!({"kind": "card", "number": number})).await
    }

    async fn present(&self, app: &App, view: Value) -> (String, Value) {
        let scan = json!({"scanId": random_text(), "credential": view});
        let response = self.ask(app, "POST", "/scans", Some(scan)).await.ok();
        (text(response.data(), "/decision"), response.data()["reason"].clone())
    }
}

/// A client who has had a card for a month.
async fn holder(app: &App) -> (String, String) {
    const LONG_HELD: Sql = Sql(
        "UPDATE access_credential SET created_at = created_at - 2592000000 WHERE company_id = ?1 AND client_id = ?2",
    );
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let number = random_text().replace('-', "").to_uppercase();
    give(app, &client, json!({"kind": "card", "number": number})).await;
    let (company, id) = (app.company, Id::parse(&client).unwrap());
    let backdate = move |tx: &mut Tx<'_>| tx.execute(LONG_HELD, params![company, id]).map(drop);
    app.server.db.write(backdate).await.unwrap();
    (client, number)
}

async fn give(app: &App, client: &str, new: Value) -> String {
    let path = format!("/clients/{client}/access-credentials");
    let made = app.app("POST", &path, Some(new)).await.ok();
    text(made.data(), "/accessCredential/credentialId")
}

fn denied(why: &str) -> (String, Value) {
    ("deny".to_owned(), json!(why))
}

fn allowed() -> (String, Value) {
    ("allow".to_owned(), Value::Null)
}

#[scenario]
async fn paid_clients_are_admitted_and_logged(app: App) {
    let door = Door::new(&app, json!({"zones": ["GYM"]})).await;
    let hard = json!({"passback": "hard"});
    let path = format!("/access-devices/{}", door.id);
    let refused = app.app("PATCH", &path, Some(hard.clone())).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("passback");
    let facts = json!({"zones": ["gym"], "direction": "out"});
    let out = Door::at(&app, &door.location, facts).await;
    app.app("PATCH", &path, Some(hard)).await.ok();
    let (client, card) = holder(&app).await;
    assert_eq!(door.card(&app, &card).await, denied("membership_missing"));
    let sale = sold(&app, &client, json!({}), json!({})).await;
    assert!(!sale.course.is_empty());
    app.events().await;
    // A number works in any notation, and a repeated scan counts once.
    let written: String = card.chars().flat_map(|c| [c, ':']).collect();
    let scan = json!({"scanId": "1", "credential": {"kind": "card", "number": written}});
    let response = door.ask(&app, "POST", "/scans", Some(scan.clone())).await.ok();
    assert_eq!(response.data()["decision"], "allow", "{}", response.body);
    assert_eq!(response.data()["displayText"], "Welcome");
    assert_eq!(response.data()["client"]["displayName"], "Ann");
    let again = door.ask(&app, "POST", "/scans", Some(scan)).await.ok();
    assert_eq!(response.data(), again.data());
    let other = json!({"scanId": "1", "credential": {"kind": "card", "number": "AAAA"}});
    let refused = door.ask(&app, "POST", "/scans", Some(other)).await;
    refused.refused(409, "PUBLIC_API_ERROR").about("scanId");
    assert_eq!(door.card(&app, &card).await, denied("passback"));
    assert_eq!(out.card(&app, &card).await, allowed());
    assert_eq!(out.card(&app, "0000").await, allowed(), "nobody is kept in");
    assert_eq!(door.card(&app, &card).await, allowed());
    assert_eq!(visits(&app, &client).await[0]["entries"], 2);
    app.announced(&[]).await;
    // The log is managers', and of clients their own.
    let listed = app.app("GET", &format!("/access-scans?clientId={client}"), None).await.ok();
    assert_eq!(listed.data()["total"], 5, "{}", listed.body);
    let (_, token) = people::client(&app).await;
    let own = app.app_as(&token, "GET", "/access-scans", None).await.ok();
    assert_eq!(own.data()["total"], 0);
    let theirs = format!("/access-scans?clientId={client}");
    let theirs = app.app_as(&token, "GET", &theirs, None).await;
    theirs.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let (_, coach) = people::coach(&app, "Coach").await;
    app.app_as(&coach, "GET", "/access-scans", None).await.refused(403, "auth.forbidden");
    app.act(&format!("/clients/{client}/archive")).await.ok();
    assert_eq!(door.card(&app, &card).await, denied("credential_suspended"));
}

#[scenario]
async fn a_replaced_key_ends_with_the_first_use_of_the_new_one(app: App) {
    let mut door = Door::new(&app, json!({})).await;
    let path = format!("/access-devices/{}", door.id);
    let response = app.app("GET", &path, None).await.ok();
    assert_eq!(response.data()["device"]["status"], "pending");
    door.ask(&app, "GET", "/device", None).await.ok();
    let made = app.app("POST", &format!("{path}/rotate-key"), None).await.ok();
    let new = text(made.data(), "/deviceKey");
    door.ask(&app, "GET", "/device", None).await.ok();
    let old = std::mem::replace(&mut door.key, new);
    let beat = json!({"deviceTime": "2026-11-02T10:00:00Z", "queueDepth": 3});
    let response = door.ask(&app, "POST", "/heartbeats", Some(beat)).await.ok();
    assert_eq!(response.data()["clockIsOff"], true, "{}", response.body);
    let response = app.app("GET", &path, None).await.ok();
    let device = &response.data()["device"];
    assert_eq!((&device["status"], &device["connection"]), (&json!("active"), &json!("online")));
    let new = std::mem::replace(&mut door.key, old);
    let refused = door.ask(&app, "GET", "/device", None).await;
    refused.refused(401, "auth.invalid_device_key");
    door.key = new;
    app.app("PATCH", &path, Some(json!({"status": "disabled"}))).await.ok();
    let refused = door.ask(&app, "GET", "/device", None).await;
    refused.refused(401, "auth.invalid_device_key");
    app.app("PATCH", &path, Some(json!({"status": "active"}))).await.ok();
    door.ask(&app, "GET", "/device", None).await.ok();
    app.app("POST", &format!("{path}/revoke"), None).await.ok();
    door.ask(&app, "GET", "/device", None).await.refused(401, "auth.invalid_device_key");
    let change = json!({"status": "active"});
    app.app("PATCH", &path, Some(change)).await.refused(409, "PUBLIC_API_ERROR").about("status");
}

/// The visits of a client, without their ids.
async fn visits(app: &App, client: &str) -> Value {
    let listed = app.app("GET", &format!("/visits?clientId={client}"), None).await.ok();
    let mut visits = listed.data()["visits"].clone();
    for visit in visits.as_array_mut().unwrap() {
        visit
            .as_object_mut()
            .unwrap()
            .retain(|name, _| ["day", "enteredAt", "leftAt", "entries"].contains(&name.as_str()));
    }
    visits
}

#[scenario]
async fn late_scans_make_the_same_visits_in_any_order(app: App) {
    let door = Door::new(&app, json!({"direction": "both"})).await;
    let now = app.server.env.clock.now();
    let at = |hours: i64| now.plus_seconds(-3_600 * hours).to_string();
    let mut seen = Vec::new();
    for turn in 0..3 {
        let (client, number) = holder(&app).await;
        let mut scans: Vec<Value> = [
            (70, "in"),
            (68, "out"),
            (60, "in"),
            (30, "in"),
            (29, "out"),
            (5, "in"),
        ]
        .iter()
        .map(|(hours, way)| {
            json!({"scanId": random_text(), "credential": {"kind": "card", "number": number},
                    "occurredAt": at(*hours), "decision": "allow", "direction": way})
        })
        .collect();
        match turn {
            0 => {}
            1 => scans.reverse(),
            _ => scans.rotate_left(3),
        }
        for part in scans.chunks(if turn == 0 { 6 } else { 2 }) {
            // The device's clock is right, however long the scenario has taken so far.
            let sent_at = app.server.env.clock.now().to_string();
            let sent = json!({"sentAt": sent_at, "scans": part});
            for result in ["recorded", "known"] {
                let response = door.ask(&app, "POST", "/scans/late", Some(sent.clone())).await.ok();
                for one in response.data()["results"].as_array().unwrap() {
                    assert_eq!(one["result"], result, "{}", response.body);
                }
            }
        }
        seen.push(visits(&app, &client).await);
    }
    assert!(seen[0].as_array().unwrap().len() >= 2, "{}", seen[0]);
    assert!(seen.iter().all(|own| *own == seen[0]), "{seen:?}");
}

#[scenario]
async fn the_allow_list_admits_nobody_the_server_denies(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (member, card) = holder(&app).await;
    let (_, stranger) = holder(&app).await;
    sold(&app, &member, json!({}), json!({})).await;
    let digest = door.digests(&app).await;
    let listed = |response: &Reply, number: &str| {
        let entries = response.data()["entries"].as_array().unwrap();
        entries.iter().any(|entry| entry["digest"] == digest(number))
    };
    let response = door.ask(&app, "GET", "/allow-list", None).await.ok();
    assert!(listed(&response, &card) && !listed(&response, &stranger), "{}", response.body);
    assert_eq!(door.card(&app, &card).await, allowed());
    assert_eq!(door.card(&app, &stranger).await, denied("membership_missing"));
    // Nothing has changed, and then one part has.
    let since = text(response.data(), "/listVersion");
    let again = door.ask(&app, "GET", &format!("/allow-list?since={since}"), None).await.ok();
    assert_eq!((&again.data()["replaces"], &again.data()["entries"]), (&json!([]), &json!([])));
    let path = format!("/clients/{member}/access-block");
    app.app("PUT", &path, Some(json!({}))).await.ok();
    let again = door.ask(&app, "GET", &format!("/allow-list?since={since}"), None).await.ok();
    assert_eq!(again.data()["replaces"], json!([digest(&card)[..2]]));
    assert!(!listed(&again, &card), "{}", again.body);
    assert_eq!(door.card(&app, &card).await, denied("client_blocked"));
    app.app("DELETE", &path, None).await.ok();
    let zone = json!({"zone": "gym", "capacity": 1});
    let path = format!("/locations/{}/access-zones", door.location);
    app.app("PUT", &path, Some(zone)).await.ok();
    let response = door.ask(&app, "GET", "/allow-list", None).await.ok();
    assert_eq!(response.data()["onlineOnly"], json!([{"zone": "gym", "asks": "capacity"}]));
    assert_eq!(response.data()["entries"], json!([]));
    let (other, second) = holder(&app).await;
    sold(&app, &other, json!({}), json!({})).await;
    assert_eq!(door.card(&app, &second).await, denied("zone_full"));
}

#[scenario]
async fn pins_cannot_be_guessed(app: App) {
    let door = Door::new(&app, json!({})).await;
    let (client, card) = holder(&app).await;
    sold(&app, &client, json!({}), json!({})).await;
    give(&app, &client, json!({"kind": "pin", "number": "482913"})).await;
    let pin = |number: String| json!({"kind": "pin", "number": number});
    assert_eq!(door.present(&app, pin("482913".to_owned())).await, allowed());
    for guess in 0..10 {
        assert_eq!(
            door.present(&app, pin(format!("77000{guess}"))).await,
            denied("credential_unknown")
        );
    }
    assert_eq!(door.present(&app, pin("482913".to_owned())).await, denied("keypad_locked"));
    assert_eq!(door.card(&app, &card).await, allowed(), "cards go on");
    let path = format!("/clients/{client}/access-credentials");
    for bad in ["123456", "12345", "1a3456"] {
        let new = json!({"kind": "pin", "number": bad});
        app.app("POST", &path, Some(new)).await.refused(400, "request.invalid").about("number");
    }
    let taken = json!({"kind": "card", "number": card});
    app.app("POST", &path, Some(taken)).await.refused(409, "PUBLIC_API_ERROR").about("number");
    let (_, token) = people::client(&app).await;
    let none = app.app_as(&token, "GET", "/client/access-code", None).await;
    none.refused(404, "resource.not_found");
}
