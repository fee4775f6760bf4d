//! Strangers at the public site: what they see, how they sign up, and what nobody learns.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::{Value, json};
use spotter_contract::Access;
use spotter_harness::{
    App, Engine, PASSWORD,
    calendar::{coach_at_work, new_class, new_type},
    letters::{letters, with_mail},
    scenario, send,
    site::{path, publish},
    text,
    travel::Travel,
};

/// A Monday morning.
const MONDAY: &str = "2026-11-02T09:00:00Z";
/// A class that week.
const WEDNESDAY: &str = "2026-11-04T18:00:00Z";

/// What a stranger asks for, without a token.
async fn get(app: &App, path: &str) -> spotter_harness::Reply {
    send(app.server.request("GET", path)).await
}

async fn post(app: &App, path: &str, body: Value) -> spotter_harness::Reply {
    send(app.server.request("POST", path).json(&body)).await
}

/// The code of a letter.
fn code_of(app: &App, email: &str) -> String {
    let letter = letters(app, email, &mut 0).pop().unwrap();
    letter.subject.split(' ').next().unwrap().to_owned()
}

/// Signs up and waits for the letter: the sign-up's id.
async fn sign_up(travel: &mut Travel, slug: &str, email: &str, choice: Value) -> String {
    let body = json!({"firstName": "Nia", "lastName": "Bos", "email": email, "choice": choice});
    let reply = post(&travel.app, &path(slug, "/sign-ups"), body).await.ok();
    travel.wait(1).await;
    text(reply.data(), "/signUp/signUpId")
}

async fn confirm(app: &App, slug: &str, id: &str, code: &str) -> spotter_harness::Reply {
    post(app, &path(slug, &format!("/sign-ups/{id}/confirm")), json!({"code": code})).await
}

/// Accepts an invitation; the client's access token.
async fn accept(app: &App, confirmed: &Value) -> String {
    let token = text(confirmed, "/invitation/token");
    let own = json!({"token": token, "password": PASSWORD});
    let reply =
        send(app.server.request("POST", "/app/v1/auth/invitations/accept").json(&own)).await.ok();
    text(reply.data(), "/session/accessToken")
}

async fn seats_taken(app: &App, class: &str) -> i64 {
    let event = app.get(&format!("/calendar/events/{class}")).await.ok();
    event.data()["calendarEvent"]["seatsTaken"].as_i64().unwrap()
}

#[scenario]
async fn strangers_see_what_is_published_and_nothing_personal(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"kind": "class", "capacity": 8})).await;
    let hidden =
        new_type(&app, json!({"kind": "class", "capacity": 8, "clientsMayBook": false})).await;
    let at = spotter_harness::calendar::free_start();
    let class = new_class(&app, &kind, &coach, &at).await;
    let secret = "Zyxwvut";
    let email = format!("{}@example.com", secret.to_lowercase());
    let client = app
        .new_client(json!({"firstName": secret, "email": email, "phone": "+31 20 555 0199"}))
        .await;
    app.post("/bookings", json!({"clientId": client, "calendarEventId": class})).await.ok();
    let slug =
        publish(&app, json!({"isPublished": false, "tagline": {"en": "By the river"}})).await;
    get(&app, &path(&slug, "")).await.refused(404, "resource.not_found");
    app.app("PATCH", "/company/site", Some(json!({"isPublished": true}))).await.ok();
    let shown = get(&app, &path(&slug, "")).await.ok();
    assert_eq!(text(shown.data(), "/site/tagline/en"), "By the river");
    let from = at.get(..10).unwrap();
    let range = format!("?from={from}T00:00:00Z&to={from}T23:59:59Z");
    let classes = get(&app, &path(&slug, &format!("/classes{range}"))).await.ok();
    let own = &classes.data()["classes"];
    assert_eq!(own.as_array().map(Vec::len), Some(1), "{own}");
    assert_eq!((&own[0]["capacityLeft"], &own[0]["capacity"]), (&json!(7), &json!(8)));
    let other = new_class(&app, &hidden, &coach, &spotter_harness::calendar::free_start()).await;
    get(&app, &path(&slug, &format!("/classes/{other}"))).await.refused(404, "resource.not_found");
    // Every operation that strangers reach, by the table: nothing of a client is in an answer.
    let mut reached = 0;
    for operation in spotter::areas::operations() {
        if operation.access != Access::Visitor || operation.writes {
            continue;
        }
        let rest = operation.path.strip_prefix("/site/{slug}").unwrap();
        let rest = rest.replace("{calendarEventId}", &class);
        let query = if operation.has_parameter("from") { &range } else { "" };
        let query = match operation.id {
            "list_site_times" => format!("{query}&eventTypeId={kind}"),
            _ => query.to_owned(),
        };
        let reply = get(&app, &path(&slug, &format!("{rest}{query}"))).await.ok();
        let shown = reply.body.to_string();
        for word in [secret, &email, &client, "555 0199", &app.admin_email] {
            assert!(!shown.contains(word), "{operation:?} shows {word}: {shown}");
        }
        reached += 1;
    }
    assert_eq!(reached, 7);
    // A token of another company opens nothing here, and none is needed.
    let elsewhere = get(&app, &path("no-such-gym", "")).await;
    elsewhere.refused(404, "resource.not_found");
}

/// Not too late and not too far ahead: what the site calls bookable is what a booking takes.
#[scenario(process, clock)]
fn strangers_are_told_what_can_be_booked_now(engine: Engine) {
    with_mail(engine, MONDAY, |travel: Travel| async move {
        let app = &travel.app;
        let rules = json!({"kind": "class", "capacity": 8, "bookingWindowDays": 7, "minNoticeMinutes": 240});
        let kind = new_type(app, rules).await;
        let coach = app.admin.to_string();
        let slug = publish(app, json!({})).await;
        let range = "?from=2026-11-02T00:00:00Z&to=2026-11-30T00:00:00Z";
        for (at, bookable) in [
            ("2026-11-02T12:59:00Z", false),
            ("2026-11-02T14:00:00Z", true),
            ("2026-11-09T08:00:00Z", true),
            ("2026-11-09T10:00:00Z", false),
            ("2026-11-20T18:00:00Z", false),
        ] {
            let class = new_class(app, &kind, &coach, at).await;
            let one = get(app, &path(&slug, &format!("/classes/{class}"))).await.ok();
            assert_eq!(one.data()["class"]["bookable"], bookable, "{at}");
            let listed = get(app, &path(&slug, &format!("/classes{range}"))).await.ok();
            let listed = listed.data()["classes"].as_array().unwrap().clone();
            let own = listed.iter().find(|own| own["calendarEventId"] == *class).unwrap();
            assert_eq!(own["bookable"], bookable, "{at}");
        }
    });
}

#[scenario]
async fn an_address_belongs_to_one_site(app: App) {
    let slug = publish(&app, json!({})).await;
    let other = App::new(app.server.clone()).await;
    let taken = other.app("PATCH", "/company/site", Some(json!({"slug": slug}))).await;
    taken.refused(409, "PUBLIC_API_ERROR");
    app.app("PATCH", "/company/site", Some(json!({"slug": format!("{slug}-b")}))).await.ok();
    other.app("PATCH", "/company/site", Some(json!({"slug": slug}))).await.ok();
    for wrong in ["ab", "-abc", "abc-", "Abc", "a b c", "a/b", ""] {
        let reply = app.app("PATCH", "/company/site", Some(json!({"slug": wrong}))).await;
        assert_eq!(reply.status, 400, "{wrong}");
    }
    for wrong in [
        "http://example.com",
        "https://example.com/path",
        "*",
        "https://a.example https://b.example",
    ] {
        let reply = app.app("PATCH", "/company/site", Some(json!({"embedOrigins": [wrong]}))).await;
        assert_eq!(reply.status, 400, "{wrong}");
    }
}

#[scenario(process, clock)]
fn a_stranger_becomes_a_member_and_books(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let coach = travel.app.admin.to_string();
        let kind = new_type(&travel.app, json!({"kind": "class", "capacity": 1})).await;
        let class = new_class(&travel.app, &kind, &coach, WEDNESDAY).await;
        let slug = publish(&travel.app, json!({"holdMinutes": 10})).await;
        let email = "nia@example.com";
        let choice = json!({"purpose": "account", "calendarEventId": class});
        let id = sign_up(&mut travel, &slug, email, choice.clone()).await;
        travel.app.events().await;
        assert_eq!(seats_taken(&travel.app, &class).await, 0, "nothing is held before");
        let wrong = confirm(&travel.app, &slug, &id, "000000x").await.ok();
        assert_eq!(text(wrong.data(), "/signUp/status"), "waiting");
        assert_eq!(wrong.data()["signUp"]["attemptsLeft"], 4);
        let code = code_of(&travel.app, email);
        let confirmed = confirm(&travel.app, &slug, &id, &code).await.ok();
        assert_eq!(text(confirmed.data(), "/signUp/outcome"), "password");
        assert!(confirmed.data()["signUp"]["seatHeldUntil"].is_string());
        assert_eq!(seats_taken(&travel.app, &class).await, 1);
        // The last seat is theirs while it is held.
        let other = travel.app.new_client(json!({"firstName": "Ann"})).await;
        let draft = json!({"clientId": other, "calendarEventId": class});
        travel
            .app
            .post("/bookings", draft.clone())
            .await
            .refused(409, "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE");
        let token = accept(&travel.app, confirmed.data()).await;
        let booked = travel
            .app
            .app_as(&token, "POST", "/bookings", Some(json!({"calendarEventId": class})))
            .await
            .ok();
        assert_eq!(text(booked.data(), "/booking/status"), "booked");
        assert_eq!(seats_taken(&travel.app, &class).await, 1);
        // Later nothing is given back: the seat is booked.
        travel.wait(3_600).await;
        assert_eq!(seats_taken(&travel.app, &class).await, 1);
        // A code opens the address that it was mailed to, and no other.
        let moved = sign_up(&mut travel, &slug, "old@example.com", json!({})).await;
        let own = code_of(&travel.app, "old@example.com");
        confirm(&travel.app, &slug, &moved, &own).await.ok();
        let found = travel.app.get("/clients?search=old@example.com").await.ok();
        let client = text(found.data(), "/clients/0/clientId");
        let change = json!({"email": "new@example.com"});
        travel.app.patch(&format!("/clients/{client}"), change).await.ok();
        let replayed = confirm(&travel.app, &slug, &moved, &own).await.ok();
        assert_eq!(text(replayed.data(), "/signUp/outcome"), "review");
        assert!(replayed.data()["invitation"].is_null());
        // Who is known is told to sign in, and nothing is made twice.
        let again = sign_up(&mut travel, &slug, email, choice).await;
        let code = code_of(&travel.app, email);
        let known = confirm(&travel.app, &slug, &again, &code).await.ok();
        assert_eq!(text(known.data(), "/signUp/outcome"), "sign_in");
        assert!(known.data()["invitation"].is_null());
    });
}

#[scenario(process, clock)]
fn a_held_seat_comes_back_on_time(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let coach = travel.app.admin.to_string();
        let kind = new_type(&travel.app, json!({"kind": "class", "capacity": 1})).await;
        let class = new_class(&travel.app, &kind, &coach, WEDNESDAY).await;
        let slug = publish(&travel.app, json!({"holdMinutes": 10})).await;
        let choice = json!({"calendarEventId": class});
        let id = sign_up(&mut travel, &slug, "mo@example.com", choice).await;
        let code = code_of(&travel.app, "mo@example.com");
        confirm(&travel.app, &slug, &id, &code).await.ok();
        travel.wait(9 * 60).await;
        assert_eq!(seats_taken(&travel.app, &class).await, 1);
        travel.wait(2 * 60).await;
        assert_eq!(seats_taken(&travel.app, &class).await, 0);
        // A class that is called off leaves nothing behind.
        let id =
            sign_up(&mut travel, &slug, "ida@example.com", json!({"calendarEventId": class})).await;
        let code = code_of(&travel.app, "ida@example.com");
        confirm(&travel.app, &slug, &id, &code).await.ok();
        travel
            .app
            .app("POST", &format!("/calendar/events/{class}/cancel"), Some(json!({})))
            .await
            .ok();
        travel.wait(3_600).await;
        assert_eq!(seats_taken(&travel.app, &class).await, 0);
    });
}

#[scenario(process, clock)]
fn nobody_learns_whether_an_address_is_known(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let slug = publish(&travel.app, json!({})).await;
        travel.app.new_client(json!({"firstName": "Kim", "email": "kim@example.com"})).await;
        let fields = async |email: &str| {
            let body = json!({"firstName": "Nia", "email": email});
            let reply = post(&travel.app, &path(&slug, "/sign-ups"), body).await.ok();
            let answer = reply.data()["signUp"].as_object().unwrap().clone();
            (reply.status, answer.keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(fields("kim@example.com").await, fields("unknown@example.com").await);
        travel.wait(1).await;
        let subject = |email: &str| {
            let letter = letters(&travel.app, email, &mut 0).pop().unwrap();
            letter.subject.split_once(' ').unwrap().1.to_owned()
        };
        assert_eq!(subject("kim@example.com"), subject("unknown@example.com"));
        // After three letters an hour there are no more, and the answer is the same.
        for _ in 0..4 {
            let body = json!({"firstName": "Nia", "email": "unknown@example.com"});
            post(&travel.app, &path(&slug, "/sign-ups"), body).await.ok();
        }
        travel.wait(1).await;
        assert_eq!(letters(&travel.app, "unknown@example.com", &mut 0).len(), 3);
    });
}

#[scenario(process, clock)]
fn a_code_is_tried_five_times_and_good_for_an_hour(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let slug = publish(&travel.app, json!({})).await;
        let id = sign_up(&mut travel, &slug, "eve@example.com", json!({})).await;
        for left in (0..5).rev() {
            let reply = confirm(&travel.app, &slug, &id, "wrong").await.ok();
            assert_eq!(reply.data()["signUp"]["attemptsLeft"], left);
        }
        let code = code_of(&travel.app, "eve@example.com");
        confirm(&travel.app, &slug, &id, &code).await.refused(404, "resource.not_found");
        let id = sign_up(&mut travel, &slug, "eve@example.com", json!({})).await;
        let code = code_of(&travel.app, "eve@example.com");
        travel.wait(3_601).await;
        confirm(&travel.app, &slug, &id, &code).await.refused(404, "resource.not_found");
        let none = travel.app.get("/clients?search=eve").await.ok();
        assert_eq!(none.data()["total"], 0);
    });
}

#[scenario(process, clock)]
fn an_owner_who_looks_first_has_pending_clients(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let slug = publish(&travel.app, json!({"signUpPolicy": "review"})).await;
        let id =
            sign_up(&mut travel, &slug, "rex@example.com", json!({"purpose": "account"})).await;
        let code = code_of(&travel.app, "rex@example.com");
        let reply = confirm(&travel.app, &slug, &id, &code).await.ok();
        assert_eq!(text(reply.data(), "/signUp/outcome"), "review");
        assert!(reply.data()["invitation"].is_null());
        let found = travel.app.get("/clients?relationshipStatus=pending").await.ok();
        assert_eq!(text(found.data(), "/clients/0/email"), "rex@example.com");
        travel.wait(1).await;
        let told = letters(&travel.app, &travel.app.admin_email, &mut 0);
        assert!(told.iter().any(|letter| letter.subject.contains("Nia Bos")), "the owner is told");
        // A message makes a lead without an account.
        let body = json!({"firstName": "Leo", "email": "leo@example.com", "message": "Do you have parking?",
            "choice": {"purpose": "contact"}});
        let sent = post(&travel.app, &path(&slug, "/sign-ups"), body).await.ok();
        travel.wait(1).await;
        let code = code_of(&travel.app, "leo@example.com");
        let reply =
            confirm(&travel.app, &slug, &text(sent.data(), "/signUp/signUpId"), &code).await.ok();
        assert_eq!(text(reply.data(), "/signUp/outcome"), "answer");
        // Who wrote first is looked at, too.
        let id =
            sign_up(&mut travel, &slug, "leo@example.com", json!({"purpose": "account"})).await;
        let code = code_of(&travel.app, "leo@example.com");
        let reply = confirm(&travel.app, &slug, &id, &code).await.ok();
        assert_eq!(text(reply.data(), "/signUp/outcome"), "review");
        let closed = json!({"signUpPolicy": "closed"});
        travel.app.app("PATCH", "/company/site", Some(closed)).await.ok();
        let body = json!({"firstName": "Leo", "email": "leo@example.com"});
        post(&travel.app, &path(&slug, "/sign-ups"), body).await.refused(409, "PUBLIC_API_ERROR");
    });
}

#[scenario(process, clock)]
fn two_hundred_strangers_share_fifteen_seats(engine: Engine) {
    with_mail(engine, MONDAY, |mut travel: Travel| async move {
        let coach = travel.app.admin.to_string();
        let kind = new_type(&travel.app, json!({"kind": "class", "capacity": 15})).await;
        let class = new_class(&travel.app, &kind, &coach, WEDNESDAY).await;
        let slug = publish(&travel.app, json!({"holdMinutes": 10})).await;
        let mut ids = Vec::new();
        for number in 0..200 {
            let email = format!("n{number}@example.com");
            let body =
                json!({"firstName": "Nia", "email": email, "choice": {"calendarEventId": class}});
            let reply = post(&travel.app, &path(&slug, "/sign-ups"), body).await.ok();
            ids.push((email, text(reply.data(), "/signUp/signUpId")));
        }
        travel.wait(1).await;
        let app = &travel.app;
        let tries = ids.iter().map(async |(email, id)| {
            let code = code_of(app, email);
            loop {
                let reply = confirm(app, &slug, id, &code).await;
                if reply.status != 503 {
                    return reply.ok().data()["signUp"]["seatHeldUntil"].is_string();
                }
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        });
        let mut held = BTreeMap::<bool, usize>::new();
        for is_held in join_all(tries).await {
            *held.entry(is_held).or_default() += 1;
        }
        assert_eq!(held, BTreeMap::from([(true, 15), (false, 185)]));
        assert_eq!(seats_taken(&travel.app, &class).await, 15);
        travel.wait(11 * 60).await;
        assert_eq!(seats_taken(&travel.app, &class).await, 0, "what was held comes back");
    });
}
