//! Entitlements of bookings: credits, places and days are held, consumed, returned and forfeited in the booking's own
//! transaction.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{invoices, new_product, sold},
    calendar::{book, coach_at_work, free_start, new_class, new_type},
    dates::{later, this_minute},
    people, scenario, text, with,
};

/// Sells a pack of credits with these facts.
pub(crate) async fn pack(app: &App, client: &str, facts: Value) -> String {
    let new = json!({"productType": "CreditPack", "price": 5000, "assignCredits": true, "credits": 5,
        "creditValidity": {"value": 1, "unit": "Year"}});
    let product = new_product(app, with(&new, facts)).await;
    let path = format!("/finance/clients/{client}/products");
    let made = app.post(&path, json!({"productId": product})).await.ok();
    text(made.data(), "/clientProduct/clientProductId")
}

/// Available, held and owed credits that pay for everything.
pub(crate) async fn general(app: &App, client: &str) -> (i64, i64, i64) {
    let response = app.get(&format!("/finance/clients/{client}/credits")).await.ok();
    let all = response.data()["credits"].as_array().unwrap().clone();
    let own = all.iter().find(|pool| pool["poolKey"].is_null()).unwrap();
    let response = |name: &str| own[name].as_i64().unwrap();
    (response("available"), response("held"), response("debt"))
}

pub(crate) async fn entitlement(app: &App, booking: &str) -> (String, i64, String) {
    let response = app.get(&format!("/bookings/{booking}")).await.ok();
    let response = &response.data()["booking"]["entitlement"];
    (text(response, "/source"), response["units"].as_i64().unwrap(), text(response, "/state"))
}

pub(crate) fn is(source: &str, units: i64, state: &str) -> (String, i64, String) {
    (source.into(), units, state.into())
}

#[scenario]
async fn credits_are_held_used_and_returned(app: App) {
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 2})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"clientId": client, "eventTypeId": training, "startsAt": free_start()});
    let refused = app.post("/bookings", new.clone()).await;
    refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    pack(&app, &client, json!({})).await;
    app.events().await;
    let one = book(&app, new.clone()).await;
    let response = app.announced(&["credit.adjusted", "booking.created"]).await;
    assert_eq!((&response[0]["kind"], &response[0]["held"]), (&json!("hold"), &json!(2)));
    assert_eq!(response[0]["bookingId"], one);
    assert_eq!(entitlement(&app, &one).await, is("credits", 2, "held"));
    let two = book(&app, with(&new, json!({"startsAt": free_start()}))).await;
    assert_eq!(general(&app, &client).await, (1, 4, 0));
    let third = app.post("/bookings", with(&new, json!({"startsAt": free_start()}))).await;
    let third = third.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert!(third.body.to_string().contains("not_entitled"), "{}", third.body);
    // Moving takes no further credit.
    let to = json!({"startsAt": free_start()});
    app.post(&format!("/bookings/{two}/reschedule"), to).await.ok();
    assert_eq!(general(&app, &client).await, (1, 4, 0));
    app.events().await;
    app.post(&format!("/bookings/{one}/cancel"), json!({})).await.ok();
    app.announced(&["credit.adjusted", "booking.cancelled"]).await;
    assert_eq!(entitlement(&app, &one).await, is("credits", 2, "released"));
    assert_eq!(general(&app, &client).await, (3, 2, 0));
    // Attendance consumes credits; a correction holds them again.
    let now = with(&new, json!({"startsAt": this_minute(), "ignorePolicy": true}));
    let free = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let sat = book(&app, with(&now, json!({"eventTypeId": free}))).await;
    // A past booking is not checked, and takes available credits.
    assert_eq!(general(&app, &client).await, (2, 3, 0));
    let mark = async |status: &str| {
        let path = format!("/bookings/{sat}/attendance");
        app.post(&path, json!({"attendanceStatus": status})).await.ok();
        (entitlement(&app, &sat).await.2, general(&app, &client).await)
    };
    assert_eq!(mark("attended").await, ("consumed".into(), (2, 2, 0)));
    assert_eq!(mark("no_show").await, ("forfeited".into(), (2, 2, 0)));
    assert_eq!(mark("excused").await, ("released".into(), (3, 2, 0)));
    assert_eq!(mark("expected").await, ("held".into(), (2, 3, 0)));
    assert_eq!(mark("attended").await, ("consumed".into(), (2, 2, 0)));
    // The entries are complete and add up.
    let path = format!("/finance/clients/{client}/credits/entries?limit=100");
    let entries = app.get(&path).await.ok();
    let sum = |kinds: &[&str]| -> i64 {
        let all = entries.data()["entries"].as_array().unwrap().iter();
        let of = all.filter(|entry| kinds.contains(&entry["kind"].as_str().unwrap()));
        of.map(|entry| entry["amount"].as_i64().unwrap()).sum()
    };
    assert_eq!(sum(&["grant"]) - sum(&["consume"]), 4);
    assert_eq!(sum(&["hold"]) - sum(&["release"]) - sum(&["consume"]), 2);
}

#[scenario]
async fn the_last_credit_books_once(app: App) {
    let coach = coach_at_work(&app).await;
    let line = json!({"kind": "class", "capacity": 60, "credits": 1});
    let spin = new_type(&app, line).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    pack(&app, &client, json!({"credits": 1})).await;
    let mut classes = Vec::new();
    for _ in 0..8 {
        classes.push(new_class(&app, &spin, &coach, &free_start()).await);
    }
    let call = |class: &String| {
        let new = json!({"clientId": client, "calendarEventId": class});
        async { app.post("/bookings", new).await.status }
    };
    let mut all = futures_util::future::join_all(classes.iter().map(call)).await;
    all.sort_unstable();
    assert_eq!(all, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(general(&app, &client).await, (0, 1, 0));
}

#[scenario]
async fn pools_pay_for_their_event_types(app: App) {
    let coach = coach_at_work(&app).await;
    let pt = json!({"coachIds": [coach], "credits": 1, "creditPools": ["pt"]});
    let (personal, other) = (
        new_type(&app, pt).await,
        new_type(&app, json!({"coachIds": [coach], "credits": 1})).await,
    );
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let pool = json!({"key": "pt", "name": "PT", "credits": 1, "scheduleInterval": 1,
        "scheduleUnit": "Month", "mode": "Accumulate"});
    pack(&app, &client, json!({"credits": 1, "creditPools": [pool]})).await;
    let book_one = async |what: &str| {
        app.post(
            "/bookings",
            json!({"clientId": client, "eventTypeId": what, "startsAt": free_start()}),
        )
        .await
    };
    // The pool's credits are used first, then general ones.
    book_one(&personal).await.ok();
    assert_eq!(general(&app, &client).await, (1, 0, 0));
    book_one(&personal).await.ok();
    assert_eq!(general(&app, &client).await, (0, 1, 0));
    book_one(&other).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    let given = json!({"amount": 1, "poolKey": "pt"});
    app.post(&format!("/finance/clients/{client}/credits/adjustments"), given).await.ok();
    book_one(&other).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    book_one(&personal).await.ok();
}

#[scenario]
async fn debt_is_settled_by_the_next_credits(app: App) {
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let facts = json!({"credits": 1, "allowNegativeCredits": true, "maxNegativeCredits": 2});
    pack(&app, &client, facts).await;
    let book_one = async || {
        app.post(
            "/bookings",
            json!({"clientId": client, "eventTypeId": training, "startsAt": free_start()}),
        )
        .await
    };
    for left in [(0, 1, 0), (0, 2, 1), (0, 3, 2)] {
        book_one().await.ok();
        assert_eq!(general(&app, &client).await, left);
    }
    book_one().await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    pack(&app, &client, json!({"credits": 5})).await;
    assert_eq!(general(&app, &client).await, (3, 3, 0));
}

#[scenario]
async fn late_and_absent_pay_the_fee(app: App) {
    let policies = json!({"cancellationWindowHours": 24, "bookingWindowDays": 366,
        "lateCancellationFee": {"amount": 750, "currency": "EUR"},
        "noShowFee": {"amount": 2000, "currency": "EUR"}});
    app.app("PUT", "/company/policies", Some(policies)).await.ok();
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let client = app.new_client(json!({"firstName": "Ann", "language": "nl"})).await;
    pack(&app, &client, json!({})).await;
    let new = json!({"clientId": client, "eventTypeId": training, "ignorePolicy": true});
    let soon = book(&app, with(&new, json!({"startsAt": later(&this_minute(), 60)}))).await;
    let now = book(&app, with(&new, json!({"startsAt": this_minute()}))).await;
    app.post(&format!("/bookings/{soon}/cancel"), json!({})).await.ok();
    assert_eq!(entitlement(&app, &soon).await, is("credits", 1, "forfeited"));
    let mark = async |status: &str| {
        let path = format!("/bookings/{now}/attendance");
        app.post(&path, json!({"attendanceStatus": status})).await.ok();
    };
    mark("no_show").await;
    assert_eq!(general(&app, &client).await, (3, 0, 0));
    // Both are lines of the next invoice.
    let apple = json!({"clientId": client, "lines": [{"description": "Appel", "amount": 100}]});
    let made = app.app("POST", "/finance/invoices", Some(apple)).await.ok();
    let lines = made.data()["invoice"]["lines"].as_array().unwrap();
    let response: Vec<_> = lines
        .iter()
        .map(|line| (text(line, "/description"), line["gross"].as_i64().unwrap()))
        .collect();
    assert_eq!(
        response,
        [
            ("Appel".to_owned(), 100),
            ("Kosten van te late annulering".to_owned(), 750),
            ("Kosten van wegblijven".to_owned(), 2000)
        ]
    );
    assert_eq!(made.data()["invoice"]["grossTotal"], 2850);
    app.events().await;
    // A correction credits the fee.
    mark("attended").await;
    app.announced(&["invoice.created", "booking.updated"]).await;
    let all = invoices(&app, &client).await;
    let note = all.last().unwrap();
    assert_eq!((&note["kind"], &note["grossTotal"]), (&json!("credit_note"), &json!(2000)));
    // A fee that no bill has is just not due.
    mark("no_show").await;
    mark("excused").await;
    let apple = json!({"clientId": client, "lines": [{"description": "Appel", "amount": 100}]});
    let made = app.app("POST", "/finance/invoices", Some(apple)).await.ok();
    assert_eq!(made.data()["invoice"]["grossTotal"], 100);
}

#[scenario]
async fn memberships_and_passes_cover(app: App) {
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let member = app.new_client(json!({"firstName": "Ann"})).await;
    sold(&app, &member, json!({}), json!({})).await;
    let start = free_start();
    let one = json!({"clientId": member, "eventTypeId": training, "startsAt": start});
    let booked = book(&app, one).await;
    assert_eq!(entitlement(&app, &booked).await, is("membership", 1, "held"));
    app.post(&format!("/bookings/{booked}/cancel"), json!({})).await.ok();
    assert_eq!(entitlement(&app, &booked).await, is("membership", 1, "released"));
    // A pass of two days within three months: as often as one likes on each.
    let guest = app.new_client(json!({"firstName": "Bo"})).await;
    let facts = json!({"daysUsable": 2, "validityAfterPurchase": {"value": 3, "unit": "Month"}});
    let pass = new_product(&app, facts).await;
    app.post(&format!("/finance/clients/{guest}/products"), json!({"productId": pass})).await.ok();
    let on = |day: i64, minute: i64| {
        let new = json!({"clientId": guest, "eventTypeId": training, "startsAt": spotter_harness::dates::at(day, minute)});
        async { app.post("/bookings", new).await }
    };
    let first = on(20, 600).await.ok();
    assert_eq!(first.data()["booking"]["entitlement"]["source"], "pass");
    on(20, 660).await.ok();
    on(21, 600).await.ok();
    on(22, 600).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    on(21, 660).await.ok();
    // A day without bookings is free again.
    let response = app.get(&format!("/bookings?clientId={guest}&limit=100")).await.ok();
    for booking in response.data()["bookings"].as_array().unwrap() {
        if text(booking, "/startsAt").starts_with(&spotter_harness::dates::at(21, 0)[..10]) {
            let path = format!("/bookings/{}/cancel", text(booking, "/bookingId"));
            app.post(&path, json!({})).await.ok();
        }
    }
    on(22, 600).await.ok();
    on(21, 600).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
}

/// Reasons that can be overridden do not hide those that cannot.
#[scenario]
async fn other_locations_are_not_paid_for(app: App) {
    let coach = coach_at_work(&app).await;
    let line = json!({"kind": "class", "capacity": 20});
    let (free, paid) = (
        new_type(&app, line.clone()).await,
        new_type(&app, with(&line, json!({"credits": 1}))).await,
    );
    let (other, start) = (coach_at_work(&app).await, free_start());
    let (free, paid) = (
        new_class(&app, &free, &coach, &start).await,
        new_class(&app, &paid, &other, &start).await,
    );
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    book(&app, json!({"clientId": client, "calendarEventId": free})).await;
    let both = json!({"clientId": client, "calendarEventId": paid, "allowOverlap": true});
    let refused = app.post("/bookings", both.clone()).await;
    let refused = refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    assert!(refused.body.to_string().contains("not_entitled"), "{}", refused.body);
    let meant = with(&both, json!({"ignorePolicy": true}));
    let booked = book(&app, meant).await;
    assert_eq!(entitlement(&app, &booked).await, is("none", 1, "none"));
}

#[scenario]
async fn used_up_passes_say_so(app: App) {
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let pass = new_product(&app, json!({})).await;
    let sold = app
        .post(&format!("/finance/clients/{client}/products"), json!({"productId": pass}))
        .await
        .ok();
    let pass = text(sold.data(), "/clientProduct/clientProductId");
    let now = json!({"clientId": client, "eventTypeId": training, "startsAt": this_minute(),
        "ignorePolicy": true});
    let on_pass = book(&app, now.clone()).await;
    let state = async |id: &str| {
        let response = app.get(&format!("/finance/client-products/{id}")).await.ok();
        let response = &response.data()["clientProduct"];
        (text(response, "/status"), response["daysUsed"].as_i64().unwrap())
    };
    let mark = async |booking: &str, status: &str| {
        let path = format!("/bookings/{booking}/attendance");
        app.post(&path, json!({"attendanceStatus": status})).await.ok();
    };
    assert_eq!(state(&pass).await, ("active".into(), 0));
    mark(&on_pass, "attended").await;
    assert_eq!(state(&pass).await, ("used".into(), 1));
    mark(&on_pass, "excused").await;
    assert_eq!(state(&pass).await, ("active".into(), 0));
    mark(&on_pass, "no_show").await;
    assert_eq!(state(&pass).await, ("used".into(), 1));
    // A pack is used up with its last credit, and not while one of it is held.
    let other = app.new_client(json!({"firstName": "Bo"})).await;
    let own = pack(&app, &other, json!({"credits": 1})).await;
    let on_pack =
        book(&app, with(&now, json!({"clientId": other, "startsAt": later(&this_minute(), 31)})))
            .await;
    assert_eq!(state(&own).await, ("active".into(), 0));
    mark(&on_pack, "attended").await;
    assert_eq!(state(&own).await, ("used".into(), 0));
}

#[scenario]
async fn credits_are_corrected_by_hand(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let path = format!("/finance/clients/{client}/credits/adjustments");
    app.events().await;
    app.post(&path, json!({"amount": 3, "reason": "Birthday"})).await.ok();
    app.announced(&["credit.adjusted"]).await;
    app.post(&path, json!({"amount": 2, "validUntil": "9999-12-31"})).await.ok();
    let taken = app.post(&path, json!({"amount": -4})).await.ok();
    // Credits that expire first are used first.
    assert_eq!(taken.data()["lots"][0]["validUntil"], Value::Null);
    assert_eq!(taken.data()["credits"][0]["available"], 1);
    app.announced(&["credit.adjusted", "credit.adjusted", "credit.adjusted"]).await;
    let before = app.state().await;
    for (body, status, field) in [
        (json!({"amount": -2}), 409, "amount"),
        (json!({"amount": 0}), 400, "amount"),
        (json!({"amount": 10_001}), 400, "amount"),
        (json!({"amount": 1, "validUntil": "2020-01-01"}), 400, "validUntil"),
        (json!({"amount": -1, "validUntil": "2031-01-01"}), 400, "validUntil"),
        (json!({"amount": -1, "poolKey": "pt"}), 409, "amount"),
    ] {
        let reply = app.post(&path, body).await.about(field);
        assert_eq!(reply.status, status, "{}", reply.body);
    }
    assert_eq!(before, app.state().await);
    app.announced(&[]).await;
}

#[scenario]
async fn clients_book_with_their_credits(app: App) {
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let (client, token) = people::client(&app).await;
    let new = json!({"eventTypeId": training, "startsAt": free_start()});
    let refused = app.app_as(&token, "POST", "/bookings", Some(new.clone())).await;
    refused.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    pack(&app, &client, json!({"credits": 1})).await;
    app.app_as(&token, "POST", "/bookings", Some(new)).await.ok();
    let own =
        app.app_as(&token, "GET", &format!("/finance/clients/{client}/credits"), None).await.ok();
    assert_eq!(
        (&own.data()["credits"][0]["available"], &own.data()["credits"][0]["held"]),
        (&json!(0), &json!(1))
    );
    let other = app.new_client(json!({"firstName": "Other"})).await;
    let path = format!("/finance/clients/{other}/credits");
    app.app_as(&token, "GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let path = format!("/finance/clients/{client}/credits/adjustments");
    let more = json!({"amount": 100});
    app.app_as(&token, "POST", &path, Some(more)).await.refused(403, "auth.forbidden");
}
