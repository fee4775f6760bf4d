//! Who chose the time, and who may have the seat: rules that hold on every way to a seat and away from it.

use std::time::Duration;

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::new_product,
    calendar::{book, coach_at_work, free_start, new_class, new_type},
    dates::{at, later, this_minute},
    people, scenario, text, with,
};

const NOT_BOOKABLE: &str = "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE";

/// A window of a day, with fees for late cancellation and no-show.
async fn strict(app: &App) {
    let policies = json!({"cancellationWindowHours": 24, "bookingWindowDays": 366,
        "lateCancellationFee": {"amount": 700, "currency": "EUR"},
        "noShowFee": {"amount": 1500, "currency": "EUR"}});
    app.app("PUT", "/company/policies", Some(policies)).await.ok();
}

/// A class type whose booking takes a credit.
async fn with_credits(app: &App, facts: Value) -> String {
    let line = json!({"kind": "class", "capacity": 1, "credits": 1, "waitlist": {"mode": "auto"}});
    new_type(app, with(&line, facts)).await
}

/// Grants a number of credits.
async fn give_credits(app: &App, client: &str, credits: i64) {
    let pack = json!({"productType": "CreditPack", "price": 5000, "assignCredits": true, "credits": credits,
        "creditValidity": {"value": 2, "unit": "Year"}});
    let product = new_product(app, pack).await;
    let path = format!("/finance/clients/{client}/products");
    app.post(&path, json!({"productId": product})).await.ok();
}

async fn booking(app: &App, id: &str) -> Value {
    app.get(&format!("/bookings/{id}")).await.ok().data()["booking"].clone()
}

/// Waits until a booking has a status.
async fn becomes(app: &App, id: &str, status: &str) {
    for _ in 0..500 {
        if booking(app, id).await["status"] == status {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the booking does not become {status}: {}", booking(app, id).await);
}

/// A class of one seat, the booking that has it, and the one that waits for it.
async fn seat_and_line(
    app: &App,
    event_type: &str,
    coach: &str,
    start: &str,
) -> (String, Vec<String>) {
    let class = new_class(app, event_type, coach, start).await;
    let mut ids = Vec::new();
    for name in ["A", "B"] {
        let client = app.new_client(json!({"firstName": name})).await;
        let new =
            json!({"clientId": client, "calendarEventId": class, "capacityAction": "waitlist"});
        ids.push(book(app, new).await);
    }
    (class, ids)
}

async fn move_class(app: &App, class: &str, to: &str) {
    let path = format!("/calendar/events/{class}");
    app.app("PATCH", &path, Some(json!({"startsAt": to}))).await.ok();
}

#[scenario]
async fn moved_bookings_cancel_free_of_charge(app: App) {
    strict(&app).await;
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({"capacity": 9})).await;
    let training = new_type(&app, json!({"coachIds": [coach], "credits": 1})).await;
    let (client, token) = people::client(&app).await;
    give_credits(&app, &client, 5).await;
    let class = new_class(&app, &spin, &coach, &at(40, 600)).await;
    let seat = book(&app, json!({"clientId": client, "calendarEventId": class})).await;
    let appointment = json!({"clientId": client, "eventTypeId": training, "startsAt": at(41, 600)});
    let appointment = book(&app, appointment).await;
    assert_eq!(booking(&app, &seat).await["freeUntil"], Value::Null);
    let soon = |minutes| later(&this_minute(), minutes);
    move_class(&app, &class, &soon(180)).await;
    let to = json!({"startsAt": soon(300), "coachId": coach, "ignorePolicy": true});
    app.app("POST", &format!("/bookings/{appointment}/reschedule"), Some(to)).await.ok();
    for id in [&seat, &appointment] {
        // For a day, which is longer than until it begins.
        let moved = booking(&app, id).await;
        let until = text(&moved, "/freeUntil");
        assert!(until > soon(23 * 60) && until < soon(25 * 60), "{moved}");
        let preview = format!("/bookings/{id}/cancel/preview");
        let quote = app.app_as(&token, "POST", &preview, None).await.ok();
        let quote = &quote.data()["cancellation"];
        assert_eq!((&quote["cancellationTiming"], &quote["fee"]), (&json!("early"), &Value::Null));
        assert_eq!((&quote["returnedUnits"], &quote["forfeitedUnits"]), (&json!(1), &json!(0)));
        let path = format!("/bookings/{id}/cancel");
        let gone = app.app_as(&token, "POST", &path, None).await.ok();
        let gone = &gone.data()["booking"];
        assert_eq!((&gone["cancellationTiming"], &gone["fee"]), (&json!("early"), &Value::Null));
        assert_eq!(gone["entitlement"]["state"], "released");
    }
    // Until the window of the time that they had agreed to, and not for longer than it can be left.
    let far = json!({"clientId": client, "eventTypeId": training, "startsAt": at(44, 600)});
    let far = book(&app, far).await;
    let path = format!("/bookings/{far}/reschedule");
    let to = json!({"startsAt": at(43, 720), "coachId": coach});
    app.app("POST", &path, Some(to)).await.ok();
    let moved = booking(&app, &far).await;
    assert!(text(&moved, "/freeUntil") > at(43, 590), "{moved}");
    assert!(text(&moved, "/freeUntil") <= text(&moved, "/startsAt"), "{moved}");
    // A further move by the client keeps the free cancellation.
    app.app_as(&token, "POST", &path, Some(json!({"startsAt": at(43, 780)}))).await.ok();
    assert_eq!(booking(&app, &far).await["freeUntil"], moved["freeUntil"]);
    app.app("POST", &format!("/bookings/{far}/cancel"), None).await.ok();
    // Moving back is the client's own choice as well.
    let again = json!({"clientId": client, "eventTypeId": training, "startsAt": at(42, 600)});
    let again = book(&app, again).await;
    let path = format!("/bookings/{again}/reschedule");
    let to = json!({"startsAt": soon(480), "coachId": coach, "ignorePolicy": true});
    app.app("POST", &path, Some(to)).await.ok();
    app.app_as(&token, "POST", &path, Some(json!({"startsAt": at(43, 600)}))).await.ok();
    let kept = text(&booking(&app, &again).await, "/freeUntil");
    assert!(kept < soon(25 * 60), "{kept}");
}

#[scenario]
async fn late_cancellation_of_a_chosen_time_costs(app: App) {
    strict(&app).await;
    let coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [coach]})).await;
    let (client, token) = people::client(&app).await;
    let new = json!({"clientId": client, "eventTypeId": training, "startsAt": at(44, 600)});
    let id = book(&app, new).await;
    // An integration acts for its users, as when it cancels.
    let to =
        json!({"startsAt": later(&this_minute(), 240), "coachId": coach, "ignorePolicy": true});
    app.post(&format!("/bookings/{id}/reschedule"), to.clone()).await.ok();
    let path = format!("/bookings/{id}/cancel");
    let gone = app.app_as(&token, "POST", &path, None).await.ok();
    assert_eq!(gone.data()["booking"]["fee"]["amount"], 700);
    // Unless it says otherwise, which clients cannot.
    let new = json!({"clientId": client, "eventTypeId": training, "startsAt": at(45, 600)});
    let id = book(&app, new).await;
    let path = format!("/bookings/{id}/reschedule");
    let submitted = with(&to, json!({"rescheduledBy": "company"}));
    app.app_as(
        &token,
        "POST",
        &path,
        Some(json!({"startsAt": at(46, 600), "rescheduledBy": "company"})),
    )
    .await
    .refused(400, "request.invalid")
    .about("rescheduledBy");
    app.post(&path, submitted).await.ok();
    assert!(booking(&app, &id).await["freeUntil"].is_string());
}

#[scenario]
async fn cancelled_events_have_no_absentees(app: App) {
    strict(&app).await;
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({"capacity": 9})).await;
    let class = new_class(&app, &spin, &coach, &later(&this_minute(), 30)).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    give_credits(&app, &client, 1).await;
    let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
    let seat = book(&app, new).await;
    let missed = json!({"attendanceStatus": "no_show"});
    let missed = app.post(&format!("/bookings/{seat}/attendance"), missed).await.ok();
    assert_eq!(missed.data()["booking"]["fee"]["amount"], 1500);
    app.events().await;
    app.app("POST", &format!("/calendar/events/{class}/cancel"), None).await.ok();
    let off = booking(&app, &seat).await;
    assert_eq!((&off["status"], &off["fee"]), (&json!("cancelled"), &Value::Null));
    assert_eq!(
        (&off["attendanceStatus"], &off["entitlement"]["state"]),
        (&json!("expected"), &json!("released"))
    );
    app.announced(&["credit.adjusted", "booking.cancelled"]).await;
    // The next invoice has no fee.
    let product = new_product(&app, json!({"price": 1000})).await;
    let path = format!("/finance/clients/{client}/products");
    let sale = app.post(&path, json!({"productId": product})).await.ok();
    assert_eq!(sale.data()["invoice"]["grossTotal"], 1000);
}

#[scenario]
async fn moving_a_booking_resets_attendance(app: App) {
    strict(&app).await;
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({"capacity": 9})).await;
    let class = new_class(&app, &spin, &coach, &later(&this_minute(), 20)).await;
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    give_credits(&app, &client, 1).await;
    let new = json!({"clientId": client, "calendarEventId": class, "ignorePolicy": true});
    let seat = book(&app, new).await;
    let path = format!("/bookings/{seat}/attendance");
    app.post(&path, json!({"attendanceStatus": "no_show"})).await.ok();
    move_class(&app, &class, &at(47, 600)).await;
    let moved = booking(&app, &seat).await;
    assert_eq!((&moved["attendanceStatus"], &moved["fee"]), (&json!("expected"), &Value::Null));
    assert_eq!(moved["entitlement"]["state"], "held");
}

#[scenario]
async fn promotion_checks_booking_rules(app: App) {
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({})).await;
    let start = free_start();
    let class = new_class(&app, &spin, &coach, &start).await;
    let (first, second) = (
        app.new_client(json!({"firstName": "A"})).await,
        app.new_client(json!({"firstName": "B"})).await,
    );
    give_credits(&app, &first, 1).await;
    give_credits(&app, &second, 1).await;
    book(&app, json!({"clientId": first, "calendarEventId": class})).await;
    let waits = json!({"clientId": second, "calendarEventId": class, "capacityAction": "waitlist"});
    let waits = book(&app, waits).await;
    // The credit is used elsewhere, at the same hour.
    let other_coach = coach_at_work(&app).await;
    let training = new_type(&app, json!({"coachIds": [other_coach], "credits": 1})).await;
    let elsewhere = json!({"clientId": second, "eventTypeId": training, "startsAt": start});
    book(&app, elsewhere).await;
    let path = format!("/bookings/{waits}/promote");
    let state = app.state().await;
    let refused = app.act(&path).await;
    let refused = refused.refused(409, NOT_BOOKABLE);
    let reasons = refused.body["error"]["details"]["reasons"].to_string();
    assert!(reasons.contains("not_entitled") && reasons.contains("client_busy"), "{reasons}");
    let reasons = app.post(&path, json!({"ignorePolicy": true})).await;
    let reasons = reasons.refused(409, NOT_BOOKABLE).body["error"]["details"]["reasons"].clone();
    assert_eq!(reasons, json!(["client_busy"]));
    assert_eq!(state, app.state().await);
    app.post(&path, json!({"ignorePolicy": true, "allowOverlap": true})).await.ok();
    let seat = booking(&app, &waits).await;
    assert_eq!(
        (&seat["status"], &seat["entitlement"]["source"]),
        (&json!("booked"), &json!("none"))
    );
}

#[scenario]
async fn promoted_clients_cancel_free_of_charge(app: App) {
    strict(&app).await;
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({})).await;
    let class = new_class(&app, &spin, &coach, &later(&this_minute(), 300)).await;
    let first = app.new_client(json!({"firstName": "A"})).await;
    let (second, token) = people::client(&app).await;
    for client in [&first, &second] {
        give_credits(&app, client, 1).await;
    }
    let seat = json!({"clientId": first, "calendarEventId": class, "ignorePolicy": true});
    let seat = book(&app, seat).await;
    let waits = json!({"clientId": second, "calendarEventId": class, "capacityAction": "waitlist"});
    let waits = book(&app, waits).await;
    app.app("POST", &format!("/bookings/{seat}/cancel"), None).await.ok();
    let moved_up = booking(&app, &waits).await;
    assert_eq!(moved_up["status"], "booked");
    assert!(moved_up["freeUntil"].is_string());
    let path = format!("/bookings/{waits}/cancel");
    let gone = app.app_as(&token, "POST", &path, None).await.ok();
    let gone = &gone.data()["booking"];
    assert_eq!((&gone["fee"], &gone["entitlement"]["state"]), (&Value::Null, &json!("released")));
}

#[scenario]
async fn a_closed_day_is_not_filled_from_its_line(app: App) {
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({"credits": 0})).await;
    let start = free_start();
    let (_, ids) = seat_and_line(&app, &spin, &coach, &start).await;
    let date = &start[..10];
    let closed =
        json!({"appliesTo": "coach", "coachId": coach, "startDate": date, "endDate": date});
    let rule = app.post("/availability-rules", closed).await.ok();
    let rule = text(rule.data(), "/availabilityRule/availabilityRuleId");
    app.app("POST", &format!("/bookings/{}/cancel", ids[0]), None).await.ok();
    assert_eq!(booking(&app, &ids[1]).await["status"], "waitlisted");
    app.act(&format!("/bookings/{}/promote", ids[1])).await.refused(409, NOT_BOOKABLE);
    // The waiting list is promoted when the closure is removed.
    app.delete(&format!("/availability-rules/{rule}")).await.ok();
    becomes(&app, &ids[1], "booked").await;
}

#[scenario]
async fn new_credits_promote_from_the_waiting_list(app: App) {
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({})).await;
    let class = new_class(&app, &spin, &coach, &free_start()).await;
    let (a, b) = (
        app.new_client(json!({"firstName": "A"})).await,
        app.new_client(json!({"firstName": "B"})).await,
    );
    give_credits(&app, &a, 1).await;
    let seat = book(&app, json!({"clientId": a, "calendarEventId": class})).await;
    let waits = json!({"clientId": b, "calendarEventId": class, "capacityAction": "waitlist", "ignorePolicy": true});
    let waits = book(&app, waits).await;
    app.app("POST", &format!("/bookings/{seat}/cancel"), None).await.ok();
    assert_eq!(booking(&app, &waits).await["status"], "waitlisted", "nothing pays for it yet");
    give_credits(&app, &b, 1).await;
    becomes(&app, &waits, "booked").await;
    assert_eq!(booking(&app, &waits).await["entitlement"]["source"], "credits");
}

/// A returning coach promotes nobody; the next booking finds the waiting list first.
#[scenario]
async fn the_waiting_list_precedes_new_bookings(app: App) {
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({"credits": 0})).await;
    let (class, ids) = seat_and_line(&app, &spin, &coach, &free_start()).await;
    let path = format!("/coaches/{coach}");
    app.app("PATCH", &path, Some(json!({"status": "deactivated"}))).await.ok();
    app.app("POST", &format!("/bookings/{}/cancel", ids[0]), None).await.ok();
    app.app("PATCH", &path, Some(json!({"status": "active"}))).await.ok();
    assert_eq!(booking(&app, &ids[1]).await["status"], "waitlisted");
    let late = app.new_client(json!({"firstName": "C"})).await;
    let new = json!({"clientId": late, "calendarEventId": class});
    app.post("/bookings", new.clone()).await.refused(409, NOT_BOOKABLE);
    let late = book(&app, with(&new, json!({"capacityAction": "waitlist"}))).await;
    assert_eq!(booking(&app, &late).await["status"], "waitlisted");
    assert_eq!(booking(&app, &ids[1]).await["status"], "booked");
}

#[scenario]
async fn a_coach_who_has_left_takes_no_bookings(app: App) {
    let coach = coach_at_work(&app).await;
    let spin = with_credits(&app, json!({"credits": 0})).await;
    let start = free_start();
    let (class, ids) = seat_and_line(&app, &spin, &coach, &start).await;
    let path = format!("/coaches/{coach}");
    app.app("PATCH", &path, Some(json!({"status": "deactivated"}))).await.ok();
    app.app("POST", &format!("/bookings/{}/cancel", ids[0]), None).await.ok();
    assert_eq!(booking(&app, &ids[1]).await["status"], "waitlisted");
    let new = app.new_client(json!({"firstName": "C"})).await;
    let new = json!({"clientId": new, "calendarEventId": class});
    app.post("/bookings", new).await.refused(409, NOT_BOOKABLE);
    let query = format!("eventTypeId={spin}&from={}&to={}", later(&start, -60), later(&start, 60));
    assert_eq!(spotter_harness::calendar::slots(&app, &query).await.len(), 0);
}

/// Kind and count of the remainders in an answer.
fn left(response: &Value) -> Vec<(String, i64)> {
    let listed = response["leavesBehind"].as_array().unwrap().iter();
    let kind = |left: &Value| {
        assert_eq!(left["ids"].as_array().unwrap().len() as i64, left["total"].as_i64().unwrap());
        (text(left, "/kind"), left["total"].as_i64().unwrap())
    };
    listed.map(kind).collect()
}

#[scenario]
async fn archiving_reports_remainders(app: App) {
    let coach = coach_at_work(&app).await;
    let place = app.post("/locations", json!({"name": "North", "type": "physical"})).await.ok();
    let place = text(place.data(), "/location/locationId");
    let spin = with_credits(&app, json!({"credits": 0, "locationIds": [place]})).await;
    let start = free_start();
    let (_, ids) = seat_and_line(&app, &spin, &coach, &start).await;
    let client = booking(&app, &ids[0]).await["clientId"].clone();
    let series = json!({"eventTypeId": spin, "coachId": coach, "locationId": place,
        "recurrence": {"startDate": &at(60, 0)[..10], "startTime": "10:00", "weekdays": [1, 3], "count": 3}});
    app.app("POST", "/calendar/event-series", Some(series)).await.ok();
    app.app(
        "PUT",
        &format!("/clients/{}/coach", client.as_str().unwrap()),
        Some(json!({"coachId": coach})),
    )
    .await
    .ok();
    let home = json!({"homeLocationId": place});
    app.patch(&format!("/clients/{}", client.as_str().unwrap()), home).await.ok();
    let own = |kind: &str, count: i64| (kind.to_owned(), count);
    let both = vec![own("calendar_event", 4), own("event_series", 1)];
    let with_client = [vec![own("client", 1)], both.clone()].concat();
    let sorted = |mut left: Vec<(String, i64)>| {
        left.sort();
        left
    };
    let kind = app.act(&format!("/event-types/{spin}/archive")).await.ok();
    assert_eq!(sorted(left(kind.data())), sorted(both));
    let there = app.act(&format!("/locations/{place}/archive")).await.ok();
    assert_eq!(sorted(left(there.data())), sorted(with_client.clone()));
    let renamed = json!({"firstName": "Zoe"});
    let path = format!("/coaches/{coach}");
    assert!(left(app.app("PATCH", &path, Some(renamed)).await.ok().data()).is_empty());
    let gone = app.app("PATCH", &path, Some(json!({"status": "deactivated"}))).await.ok();
    assert_eq!(sorted(left(gone.data())), sorted(with_client));
    // Owners of the product keep it.
    let membership = json!({"productType": "Membership", "price": 4900,
        "vatPercentage": 21, "period": "Month", "autoRenew": true});
    let product = new_product(&app, membership).await;
    let path = format!("/finance/clients/{}/memberships", client.as_str().unwrap());
    app.post(&path, json!({"productId": product})).await.ok();
    let kept = app.app("POST", &format!("/products/{product}/archive"), None).await.ok();
    assert_eq!(left(kept.data()), [own("subscription", 1)]);
    app.events().await;
}
