//! What grants access beside a running membership, and what denies it nevertheless.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{new_product, sold},
    calendar, dates, forms, people, random_text, scenario, text,
};
use spotter_store::{Sql, params};

use super::{Door, allowed, denied, give, holder, visits};

async fn sell(app: &App, client: &str, product: &str) -> String {
    let path = format!("/finance/clients/{client}/products");
    let made = app.post(&path, json!({"productId": product})).await.ok();
    text(made.data(), "/clientProduct/clientProductId")
}

async fn zone(app: &App, door: &Door, facts: Value) {
    let path = format!("/locations/{}/access-zones", door.location);
    app.app("PUT", &path, Some(facts)).await.ok();
}

#[scenario]
async fn a_pass_pays_for_its_day_once(app: App) {
    let door = Door::new(&app, json!({})).await;
    let (ann, card) = holder(&app).await;
    let pass = new_product(&app, json!({"productType": "DayPass", "price": 1250})).await;
    let sold = sell(&app, &ann, &pass).await;
    for _ in 0..3 {
        assert_eq!(door.card(&app, &card).await, allowed());
    }
    assert_eq!(visits(&app, &ann).await[0]["entries"], 3);
    const DAYS: Sql = Sql(
        "SELECT COUNT(*) FROM entitlement_hold WHERE company_id = ?1 AND client_product_id = ?2",
    );
    let company = app.company;
    let used = move |tx: &mut spotter_store::Tx<'_>| tx.one::<(i64,)>(DAYS, params![company, sold]);
    assert_eq!(app.server.db.read(used).await.unwrap(), Some((1,)), "a visit uses a day once");
    app.events().await;
}

#[scenario]
async fn credits_pay_for_a_visit_once(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (ann, card) = holder(&app).await;
    let (_, other) = holder(&app).await;
    let pack = json!({"productType": "CreditPack", "price": 5000, "assignCredits": true, "credits": 5,
        "creditValidity": {"value": 1, "unit": "Year"}});
    let pack = new_product(&app, pack).await;
    sell(&app, &ann, &pack).await;
    // Credits pay where a zone requires them.
    assert_eq!(door.card(&app, &card).await, denied("membership_missing"));
    zone(&app, &door, json!({"zone": "gym", "creditsPerVisit": 2})).await;
    assert_eq!(door.card(&app, &other).await, denied("credits_missing"));
    for _ in 0..2 {
        assert_eq!(door.card(&app, &card).await, allowed());
    }
    let response = app.get(&format!("/finance/clients/{ann}/credits")).await.ok();
    assert_eq!(response.data()["credits"][0]["available"], 3, "{}", response.body);
    app.events().await;
}

#[scenario]
async fn booked_clients_enter_and_attend(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    zone(&app, &door, json!({"zone": "gym", "needsBooking": true})).await;
    let coach = calendar::coach_at_work(&app).await;
    let class = json!({"name": "Spin", "kind": "class", "capacity": 5});
    let kind = calendar::new_type(&app, class).await;
    let (ann, card) = holder(&app).await;
    let (bea, late) = holder(&app).await;
    sold(&app, &bea, json!({}), json!({})).await;
    let at = |minutes: i64| dates::later(&dates::this_minute(), minutes);
    let event = async |minutes: i64, location: &str| {
        let new = json!({"eventTypeId": kind, "coachId": coach, "startsAt": at(minutes),
            "locationId": location});
        let made = app.app("POST", "/calendar/events", Some(new)).await.ok();
        text(made.data(), "/calendarEvent/calendarEventId")
    };
    let (soon, later) = (event(10, &door.location).await, event(90, &door.location).await);
    assert_eq!(door.card(&app, &card).await, denied("booking_required"));
    let booking = calendar::book(
        &app,
        json!({"clientId": ann, "calendarEventId": soon, "ignorePolicy": true}),
    )
    .await;
    calendar::book(&app, json!({"clientId": bea, "calendarEventId": later, "ignorePolicy": true}))
        .await;
    app.events().await;
    assert_eq!(door.card(&app, &card).await, allowed());
    app.announced(&["booking.updated"]).await;
    let response = app.get(&format!("/bookings/{booking}")).await.ok();
    assert_eq!(response.data()["booking"]["attendanceStatus"], "attended", "{}", response.body);
    // One payment is enough, and a class in an hour and a half does not grant access yet.
    assert_eq!(door.card(&app, &card).await, allowed());
    app.announced(&[]).await;
    assert_eq!(door.card(&app, &late).await, denied("booking_required"));
}

#[scenario]
async fn access_rules_of_products_apply(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym", "sauna"]})).await;
    let (ann, card) = holder(&app).await;
    let one = sold(&app, &ann, json!({}), json!({})).await;
    let product = app.get(&format!("/finance/client-products/{}", one.product)).await.ok();
    let product = text(product.data(), "/clientProduct/productId");
    let rule = async |facts: Value| {
        app.app("PUT", &format!("/access-rules/{product}"), Some(facts)).await.ok();
    };
    let view = async |zone: &str| {
        let scan = json!({"scanId": random_text(), "zone": zone,
            "credential": {"kind": "card", "number": card}});
        let response = door.ask(&app, "POST", "/scans", Some(scan)).await.ok();
        response.data()["reason"].clone()
    };
    assert_eq!(view("gym").await, Value::Null);
    rule(json!({"zones": ["Sauna"]})).await;
    assert_eq!((view("gym").await, view("sauna").await), (json!("zone_not_allowed"), Value::Null));
    // By the clock of the place: the whole week but two days around today, and then today.
    let today = spotter_kernel::Clock::now(&spotter_harness::SystemClock);
    let company = app.app("GET", "/company/settings", None).await.ok();
    let zone = text(company.data(), "/company/timeZone");
    let zone = spotter_kernel::TimeZone::parse(&zone).unwrap();
    let weekday = zone.date_at(today).weekday();
    let hours = |weekday: i64| json!({"weekday": weekday, "from": "00:00", "until": "00:00"});
    let far = (weekday + 2) % 7 + 1;
    rule(json!({"hours": [hours(far)]})).await;
    assert_eq!(view("gym").await, json!("outside_allowed_hours"));
    rule(json!({"hours": [hours(weekday)]})).await;
    assert_eq!(view("gym").await, Value::Null);
    let elsewhere = app.post("/locations", json!({"name": random_text()})).await.ok();
    rule(json!({"locationIds": [text(elsewhere.data(), "/location/locationId")]})).await;
    assert_eq!(view("gym").await, json!("zone_not_allowed"));
    app.events().await;
}

#[scenario]
async fn a_form_is_requested(app: App) {
    let door = Door::new(&app, json!({"zones": ["gym"]})).await;
    let (ann, token) = people::client(&app).await;
    give(&app, &ann, json!({"kind": "card", "number": "CAFE0123"})).await;
    sold(&app, &ann, json!({}), json!({})).await;
    let form = forms::published(&app, "general", forms::questions()).await;
    zone(&app, &door, json!({"zone": "gym", "formId": form})).await;
    assert_eq!(door.card(&app, "CAFE0123").await, denied("form_required"));
    let given = forms::give(&app, &ann, &form).await;
    let path = format!("/clients/{ann}/form-assignments/{given}/submit");
    let answers = json!({"answers": {"mood": 3, "pain": "none"}});
    app.app_as(&token, "POST", &path, Some(answers)).await.ok();
    assert_eq!(door.card(&app, "CAFE0123").await, allowed());
    app.events().await;
}

#[scenario]
async fn passback_is_denied(app: App) {
    let timed = Door::new(&app, json!({"passback": "timed", "passbackMinutes": 5})).await;
    let soft = Door::new(&app, json!({"passback": "soft"})).await;
    let (ann, card) = holder(&app).await;
    sold(&app, &ann, json!({}), json!({})).await;
    assert_eq!(timed.card(&app, &card).await, allowed());
    assert_eq!(timed.card(&app, &card).await, denied("passback"));
    assert_eq!(soft.card(&app, &card).await, allowed());
    assert_eq!(soft.card(&app, &card).await, allowed(), "it is noted, and nobody is kept out");
    let path = format!("/access-scans?clientId={ann}&deviceId={}", soft.id);
    let response = app.app("GET", &path, None).await.ok();
    let broken: Vec<_> = response.data()["accessScans"].as_array().unwrap().iter().collect();
    assert_eq!(
        broken.iter().map(|scan| scan["passbackBroken"] == true).collect::<Vec<_>>(),
        [true, false],
        "{}",
        response.body
    );
    // Without a reader on the way out, time alone opens it again.
    const EARLIER: Sql = Sql(
        "UPDATE access_presence SET moved_at = moved_at - 301000 WHERE company_id = ?1 AND client_id = ?2",
    );
    let (company, client) = (app.company, ann.clone());
    let earlier =
        move |tx: &mut spotter_store::Tx<'_>| tx.execute(EARLIER, params![company, client]);
    app.server.db.write(earlier).await.unwrap();
    assert_eq!(timed.card(&app, &card).await, allowed());
}

#[scenario]
async fn simultaneous_scans_are_decided_once(app: App) {
    let door = Door::new(&app, json!({})).await;
    let (ann, card) = holder(&app).await;
    sold(&app, &ann, json!({}), json!({})).await;
    let scan = json!({"scanId": "the same", "credential": {"kind": "card", "number": card}});
    let all = (0..8).map(|_| door.ask(&app, "POST", "/scans", Some(scan.clone())));
    let replies = futures_util::future::join_all(all).await;
    let first = replies[0].data().clone();
    for reply in replies {
        assert_eq!((reply.status, reply.data()), (200, &first), "{}", reply.body);
    }
    let response = app.app("GET", &format!("/access-scans?clientId={ann}"), None).await.ok();
    assert_eq!(response.data()["total"], 1);
    assert_eq!(visits(&app, &ann).await[0]["entries"], 1);
}

#[scenario]
async fn the_last_place_is_given_once(app: App) {
    let door = Door::new(&app, json!({"zones": ["sauna"]})).await;
    zone(&app, &door, json!({"zone": "sauna", "capacity": 1})).await;
    let mut cards = Vec::new();
    for _ in 0..6 {
        let (client, card) = holder(&app).await;
        sold(&app, &client, json!({}), json!({})).await;
        cards.push(card);
    }
    let response =
        futures_util::future::join_all(cards.iter().map(|card| door.card(&app, card))).await;
    let mut response: Vec<_> = response.into_iter().map(|(decision, _)| decision).collect();
    response.sort();
    assert_eq!(response.join(" "), "allow deny deny deny deny deny");
}
