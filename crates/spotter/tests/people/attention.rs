//! Follow-ups: clients who miss bookings, whose programme ends, or who have no credits.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::new_product,
    browser::Browser,
    calendar::{book, coach_at_work, free_start, new_type},
    dates::{day, later, monday, this_minute},
    people, scenario, text,
    training::{assign, new_template, publish},
};

async fn listed(app: &App, path: &str, list: &str) -> Vec<Value> {
    let response = app.app("GET", path, None).await.ok();
    let all = response.data()[list].as_array().unwrap().clone();
    assert_eq!(response.data()["total"], all.len(), "{path}");
    all
}

/// Marks a booking that begins a number of minutes from now.
async fn marked(app: &App, client: &str, kind: &str, minutes: i64, status: &str) -> String {
    let new = json!({"clientId": client, "eventTypeId": kind, "startsAt": later(&this_minute(), minutes),
        "ignorePolicy": true, "allowOverlap": true});
    let booking = book(app, new).await;
    let path = format!("/bookings/{booking}/attendance");
    app.post(&path, json!({"attendanceStatus": status})).await.ok();
    booking
}

#[scenario]
async fn two_missed_bookings_are_listed(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach], "durationMinutes": 5})).await;
    let missing = async || -> Vec<String> {
        let all = listed(&app, "/calendar/no-shows", "bookings").await;
        all.iter().map(|one| text(one, "/bookingId")).collect()
    };
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    marked(&app, &ann, &kind, 5, "no_show").await;
    assert!(missing().await.is_empty(), "once is no habit");
    marked(&app, &ann, &kind, 12, "excused").await;
    let second = marked(&app, &ann, &kind, 19, "no_show").await;
    assert_eq!(
        missing().await,
        std::slice::from_ref(&second),
        "who was excused neither came nor stayed away"
    );
    let third = marked(&app, &ann, &kind, 26, "no_show").await;
    assert_eq!(missing().await, std::slice::from_ref(&third), "the latest alone");
    let other = format!("/calendar/no-shows?coachId={}", app.admin);
    assert!(listed(&app, &other, "bookings").await.is_empty());
    let later_on = format!("/calendar/no-shows?from={}", later(&this_minute(), 100));
    assert!(listed(&app, &later_on, "bookings").await.is_empty());
    // Future bookings do not count; a client who comes again is not listed.
    let to_come = json!({"clientId": ann, "eventTypeId": kind, "startsAt": free_start()});
    book(&app, to_come).await;
    assert_eq!(missing().await, [third]);
    app.act(&format!("/clients/{ann}/archive")).await.ok();
    assert!(missing().await.is_empty(), "nobody asks after who is archived");
    app.act(&format!("/clients/{ann}/restore")).await.ok();
    marked(&app, &ann, &kind, 33, "attended").await;
    assert!(missing().await.is_empty());
    let ben = app.new_client(json!({"firstName": "Ben"})).await;
    marked(&app, &ben, &kind, 40, "attended").await;
    marked(&app, &ben, &kind, 47, "no_show").await;
    assert!(missing().await.is_empty());
    let (_, token) = people::client(&app).await;
    app.app_as(&token, "GET", "/calendar/no-shows", None).await.refused(403, "auth.forbidden");
}

#[scenario]
async fn ending_plans_are_listed(app: App) {
    let template = new_template(&app).await;
    publish(&app, &template).await;
    let end = async |query: &str| -> Vec<String> {
        let all = listed(&app, &format!("/workout/plans/ending{query}"), "plans").await;
        all.iter().map(|one| text(one, "/clientId")).collect()
    };
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    let ben = app.new_client(json!({"firstName": "Ben"})).await;
    // Three weeks from a Monday end on a Sunday.
    let ends = assign(&app, &ann, &template, Some(&monday(-2))).await;
    assign(&app, &ben, &template, Some(&monday(0))).await;
    assert_eq!(end("").await, std::slice::from_ref(&ann));
    let far = format!("?from={}&to={}", day(-3), day(60));
    assert_eq!(end(&far).await, [ann.clone(), ben.clone()]);
    assert!(end(&format!("?from={}&to={}", day(-90), day(-30))).await.is_empty());
    app.app("GET", &format!("/workout/plans/ending?from={}&to={}", day(2), day(1)), None)
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
    // A client with a next plan is not listed; neither is one whose plan is completed.
    let next = assign(&app, &ann, &template, Some(&monday(1))).await;
    assert!(end("").await.is_empty());
    let path = |plan: &str| format!("/workout/clients/{ann}/plans/template/{plan}");
    app.delete(&path(&next)).await.ok();
    assert_eq!(end("").await, std::slice::from_ref(&ann));
    app.patch(&path(&ends), json!({"status": "Completed"})).await.ok();
    assert!(end("").await.is_empty());
}

#[scenario]
async fn used_up_credits_are_listed(app: App) {
    let coach = coach_at_work(&app).await;
    let facts = json!({"coachIds": [coach], "credits": 1, "durationMinutes": 5});
    let kind = new_type(&app, facts).await;
    let pack = json!({"productType": "CreditPack", "price": 5000, "assignCredits": true, "credits": 1,
        "creditValidity": {"value": 1, "unit": "Year"}});
    let pack = new_product(&app, pack).await;
    let out = async || listed(&app, "/finance/credits/exhausted", "credits").await;
    let ann = app.new_client(json!({"firstName": "Ann"})).await;
    let buy = async || {
        let path = format!("/finance/clients/{ann}/products");
        app.post(&path, json!({"productId": pack})).await.ok();
    };
    buy().await;
    assert!(out().await.is_empty());
    let booking = json!({"clientId": ann, "eventTypeId": kind, "startsAt": free_start(), "allowOverlap": true});
    let booked = book(&app, booking).await;
    let response = out().await;
    assert_eq!(
        (response.len(), &response[0]["clientId"]),
        (1, &json!(ann)),
        "the last one is held"
    );
    assert!(
        response[0]["poolKey"].is_null() && response[0]["exhaustedAt"].is_string(),
        "{response:?}"
    );
    app.post(&format!("/bookings/{booked}/cancel"), json!({})).await.ok();
    assert!(out().await.is_empty(), "it came back");
    marked(&app, &ann, &kind, 5, "attended").await;
    assert_eq!(out().await.len(), 1);
    buy().await;
    assert!(out().await.is_empty(), "there are new ones");
    marked(&app, &ann, &kind, 12, "attended").await;
    assert_eq!(out().await.len(), 1, "a client is told once");
    let tomorrow = format!("/finance/credits/exhausted?from={}", later(&this_minute(), 1440));
    assert!(listed(&app, &tomorrow, "credits").await.is_empty());
}

#[scenario]
async fn the_first_page_leads_to_each(app: App) {
    let coach = coach_at_work(&app).await;
    let facts = json!({"coachIds": [coach], "credits": 1, "durationMinutes": 5});
    let kind = new_type(&app, facts).await;
    let ann = app.new_client(json!({"firstName": "Ann", "lastName": "Away"})).await;
    let give = json!({"amount": 2});
    app.post(&format!("/finance/clients/{ann}/credits/adjustments"), give).await.ok();
    for minutes in [5, 12] {
        marked(&app, &ann, &kind, minutes, "no_show").await;
    }
    let template = new_template(&app).await;
    publish(&app, &template).await;
    assign(&app, &ann, &template, Some(&monday(-2))).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let first = browser.get("/console").await.is(200);
    for (label, path, fix) in [
        ("Missed twice in a row", "/console/attention", "/console/calendar/book?clientId="),
        ("Programmes that end", "/console/attention/programmes", "/training"),
        ("Credits used up", "/console/attention/credits", "/sell"),
    ] {
        assert!(first.text.contains(label), "{label}");
        assert!(first.text.contains(&format!("href=\"{path}\"")), "{path}");
        let page = browser.get(path).await.is(200);
        assert!(
            page.text.contains("Ann Away") && page.text.contains(fix),
            "{path}: {}",
            page.main()
        );
    }
    app.events().await;
}

#[scenario]
async fn absent_clients_are_found(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach], "durationMinutes": 5})).await;
    let absent = async |since: i64| -> Vec<String> {
        let path = format!("/calendar/absences?before={}", later(&this_minute(), since));
        let all = listed(&app, &path, "bookings").await;
        all.iter().map(|one| text(one, "/clientId")).collect()
    };
    let [ann, bea] = [
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Bea"})).await,
    ];
    marked(&app, &ann, &kind, 5, "attended").await;
    marked(&app, &bea, &kind, 12, "attended").await;
    marked(&app, &bea, &kind, 19, "no_show").await;
    assert_eq!(absent(30).await, [bea.clone(), ann.clone()], "the latest first");
    // A client who came since is not listed; one who missed a booking is.
    marked(&app, &ann, &kind, 40, "attended").await;
    assert_eq!(absent(30).await, std::slice::from_ref(&bea));
    assert!(absent(12).await.is_empty(), "she came at that instant");
    app.act(&format!("/clients/{bea}/archive")).await.ok();
    assert_eq!(absent(60).await, [ann]);
    let wrong =
        format!("/calendar/absences?from={}&before={}", later(&this_minute(), 9), this_minute());
    app.app("GET", &wrong, None).await.refused(400, "PUBLIC_API_DATE_RANGE_ORDER_INVALID");
}
