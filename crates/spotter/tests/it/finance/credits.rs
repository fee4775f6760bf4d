//! What bookings take: credits, places and days are held, used up, given back and forfeited in the
//! booking's own transaction.

use serde_json::{Value, json};
use spotter_testing_macros::scenario;

use super::{Travel, invoices, new_product, pay, sold, travelling};
use crate::{
    calendar::{book, coach_at_work, free_start, later, new_class, new_type, this_minute, with},
    harness::{App, Engine, people},
    workout::text,
};

/// Sells a pack of credits with these facts.
async fn pack(app: &App, client: &str, facts: Value) -> String {
    let new = json!({"productType": "CreditPack", "price": 5000, "assignCredits": true, "credits": 5,
        "creditValidity": {"value": 1, "unit": "Year"}});
    let product = new_product(app, with(&new, facts)).await;
    let path = format!("/finance/clients/{client}/products");
    let made = app.post(&path, json!({"productId": product})).await.ok();
    text(made.data(), "/clientProduct/clientProductId")
}

/// Available, held and owed credits that pay for everything.
async fn general(app: &App, client: &str) -> (i64, i64, i64) {
    let response = app.get(&format!("/finance/clients/{client}/credits")).await.ok();
    let all = response.data()["credits"].as_array().unwrap().clone();
    let own = all.iter().find(|pool| pool["poolKey"].is_null()).unwrap();
    let response = |name: &str| own[name].as_i64().unwrap();
    (response("available"), response("held"), response("debt"))
}

async fn entitlement(app: &App, booking: &str) -> (String, i64, String) {
    let response = app.get(&format!("/bookings/{booking}")).await.ok();
    let response = &response.data()["booking"]["entitlement"];
    (text(response, "/source"), response["units"].as_i64().unwrap(), text(response, "/state"))
}

fn is(source: &str, units: i64, state: &str) -> (String, i64, String) {
    (source.into(), units, state.into())
}

#[scenario]
async fn credits_are_held_used_and_given_back(app: App) {
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
    // Moving takes nothing more.
    let to = json!({"startsAt": free_start()});
    app.post(&format!("/bookings/{two}/reschedule"), to).await.ok();
    assert_eq!(general(&app, &client).await, (1, 4, 0));
    app.events().await;
    app.post(&format!("/bookings/{one}/cancel"), json!({})).await.ok();
    app.announced(&["credit.adjusted", "booking.cancelled"]).await;
    assert_eq!(entitlement(&app, &one).await, is("credits", 2, "released"));
    assert_eq!(general(&app, &client).await, (3, 2, 0));
    // Who came has used them up; said wrongly, they are held again.
    let now = with(&new, json!({"startsAt": this_minute(), "ignorePolicy": true}));
    let free = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let sat = book(&app, with(&now, json!({"eventTypeId": free}))).await;
    // What is booked past the hours is not asked about, and takes what there is.
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
    // The entries tell it all, and add up.
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
async fn pools_pay_for_what_names_them(app: App) {
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
    // What the pool pays for is taken from it, and from the others once it is empty.
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
async fn debt_is_paid_by_what_comes_next(app: App) {
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
    // Both are lines of the next bill, whatever that is for.
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
    // Said wrongly: a credit note takes the fee off the bill.
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
        let new = json!({"clientId": guest, "eventTypeId": training, "startsAt": crate::calendar::at(day, minute)});
        async { app.post("/bookings", new).await }
    };
    let first = on(20, 600).await.ok();
    assert_eq!(first.data()["booking"]["entitlement"]["source"], "pass");
    on(20, 660).await.ok();
    on(21, 600).await.ok();
    on(22, 600).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
    on(21, 660).await.ok();
    // A day on which nothing is left is free again.
    let response = app.get(&format!("/bookings?clientId={guest}&limit=100")).await.ok();
    for booking in response.data()["bookings"].as_array().unwrap() {
        if text(booking, "/startsAt").starts_with(&crate::calendar::at(21, 0)[..10]) {
            let path = format!("/bookings/{}/cancel", text(booking, "/bookingId"));
            app.post(&path, json!({})).await.ok();
        }
    }
    on(22, 600).await.ok();
    on(21, 600).await.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
}

/// What speaks against a slot and may be waived hides nothing that may not.
#[scenario]
async fn being_elsewhere_pays_for_nothing(app: App) {
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
async fn what_is_used_up_says_so(app: App) {
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
    // What ends first is taken first.
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
async fn clients_book_with_what_they_have(app: App) {
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

#[scenario(process, clock)]
fn credits_lapse_on_their_day(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let coach = coach_at_work(&travel.app).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        pack(&travel.app, &client, json!({"creditValidity": {"value": 1, "unit": "Week"}})).await;
        let on = |at: &str| json!({"clientId": client, "eventTypeId": training, "startsAt": at});
        // What is held is good on the day of the class.
        let late = travel.app.post("/bookings", on("2026-11-08T10:00:00Z")).await;
        late.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        let kept = book(&travel.app, on("2026-11-07T10:00:00Z")).await;
        let early = book(&travel.app, on("2026-11-07T12:00:00Z")).await;
        travel.to("2026-11-07T23:59:59Z").await;
        assert_eq!(general(&travel.app, &client).await, (3, 2, 0));
        travel.app.events().await;
        travel.to("2026-11-08T00:00:00Z").await;
        let response = travel.app.announced(&["credit.revoked"]).await;
        assert_eq!((&response[0]["kind"], &response[0]["amount"]), (&json!("expire"), &json!(3)));
        assert_eq!(general(&travel.app, &client).await, (0, 0, 0));
        let mark = async |booking: &str, status: &str| {
            let path = format!("/bookings/{booking}/attendance");
            travel.app.post(&path, json!({"attendanceStatus": status})).await.ok();
        };
        mark(&kept, "attended").await;
        travel.app.announced(&["booking.updated"]).await;
        // Excused after the end: it lapses.
        mark(&early, "excused").await;
        travel.app.announced(&["credit.revoked", "booking.updated"]).await;
        assert_eq!(general(&travel.app, &client).await, (0, 0, 0));
    });
}

#[scenario(process, clock)]
fn a_class_after_the_next_grant_holds_that(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let coach = coach_at_work(&travel.app).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let facts = json!({"assignCredits": true, "credits": 2, "creditValidity": {"value": 1, "unit": "Month"}});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        let on = |at: &str| json!({"clientId": client, "eventTypeId": training, "startsAt": at});
        for (at, status) in [
            ("2026-12-05T10:00:00Z", 201),
            ("2026-12-06T10:00:00Z", 201),
            ("2026-12-07T10:00:00Z", 409),
            ("2026-11-05T10:00:00Z", 201),
            ("2027-01-02T10:00:00Z", 201),
        ] {
            assert_eq!(travel.app.post("/bookings", on(at)).await.status, status, "{at}");
        }
        assert_eq!(general(&travel.app, &client).await, (1, 4, 0));
        travel.app.events().await;
        travel.to("2026-12-01T00:00:00Z").await;
        let names = [
            "booking.updated",
            "credit.assigned",
            "credit.revoked",
            "invoice.created",
            "subscription.changed",
        ];
        assert_eq!(super::sent_letters(&travel.app).await, names);
        assert_eq!(general(&travel.app, &client).await, (0, 3, 0));
        // A pause, and the next grant comes later: what was booked then is taken from it, or comes to nothing.
        let path = format!("/finance/subscriptions/{}/pause-requests", one.course);
        travel.app.post(&path, json!({"from": "2026-12-06", "until": "2026-12-20"})).await.ok();
        travel.to("2026-12-06T00:00:00Z").await;
        let response = travel.app.get(&format!("/bookings?clientId={client}")).await.ok();
        let all: Vec<_> = response.data()["bookings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(one, "/startsAt")[..10].to_owned(), text(one, "/status")))
            .collect();
        let status = |day: &str| all.iter().find(|(at, _)| at == day).unwrap().1.clone();
        assert_eq!(status("2026-12-05"), "booked");
        assert_eq!(status("2026-12-06"), "cancelled");
        assert_eq!(status("2027-01-02"), "booked");
        assert_eq!(general(&travel.app, &client).await.2, 0);
    });
}

#[scenario(process, clock)]
fn what_covers_ends_with_its_bookings(engine: Engine) {
    travelling(engine, "2026-11-01T09:00:00Z", |mut travel: Travel| async move {
        let coach = coach_at_work(&travel.app).await;
        let training = new_type(&travel.app, json!({"coachIds": [coach], "credits": 1})).await;
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let one = sold(&travel.app, &client, json!({}), json!({})).await;
        let on = |at: &str| json!({"clientId": client, "eventTypeId": training, "startsAt": at});
        let (first, second) = (
            book(&travel.app, on("2026-12-15T10:00:00Z")).await,
            book(&travel.app, on("2026-12-16T10:00:00Z")).await,
        );
        let path = format!("/finance/subscriptions/{}/cancellation-requests", one.course);
        travel.app.post(&path, json!({})).await.ok();
        let after = travel.app.post("/bookings", on("2026-12-17T10:00:00Z")).await;
        after.refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        // One credit is there for one of them.
        let given = json!({"amount": 1});
        travel
            .app
            .post(&format!("/finance/clients/{client}/credits/adjustments"), given)
            .await
            .ok();
        travel.to("2026-12-01T00:00:00Z").await;
        assert_eq!(entitlement(&travel.app, &first).await, is("credits", 1, "held"));
        let response = travel.app.get(&format!("/bookings/{second}")).await.ok();
        let response = &response.data()["booking"];
        assert_eq!(
            (&response["status"], &response["cancelledBy"]),
            (&json!("cancelled"), &json!("system"))
        );
        assert_eq!(response["cancellationTiming"], "early");
    });
}

#[scenario(process, clock)]
fn pools_reset_or_pile_up(engine: Engine) {
    travelling(engine, "2026-11-02T09:00:00Z", |mut travel: Travel| async move {
        let client = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let pool = |key: &str, mode: &str| {
            json!({"key": key, "name": key, "credits": 2,
            "scheduleInterval": 1, "scheduleUnit": "Week", "mode": mode})
        };
        let facts = json!({"assignCredits": true, "credits": 1, "creditCalendar": "CalendarWeek",
            "creditPools": [pool("pt", "Reset"), pool("sauna", "Accumulate")]});
        let one = sold(&travel.app, &client, facts, json!({})).await;
        pay(&travel.app, &client, &one.invoice, None).await;
        travel.to("2026-11-17T00:00:00Z").await;
        let response = travel.app.get(&format!("/finance/clients/{client}/credits")).await.ok();
        let response: Vec<_> = response.data()["credits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pool| (pool["poolKey"].clone(), pool["available"].as_i64().unwrap()))
            .collect();
        assert_eq!(response, [(Value::Null, 3), (json!("pt"), 2), (json!("sauna"), 6)]);
    });
}
