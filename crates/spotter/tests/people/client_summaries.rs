//! Summaries of many clients: names, visits, balances, bookings.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{pay, sold},
    calendar::{book, coach_at_work, free_start, new_class, new_type},
    dates::{later, this_minute},
    people, scenario, text,
};

/// A list for several clients.
async fn list_for(app: &App, path: &str, list: &str, clients: &[&str]) -> Vec<Value> {
    let path = format!("{path}?clientIds={}", clients.join(","));
    app.app("GET", &path, None).await.ok().data()[list].as_array().unwrap().clone()
}

#[scenario]
async fn visits_are_the_last_and_the_next(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach], "durationMinutes": 5})).await;
    let (ann, ben) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Ben"})).await,
    );
    let visits = async || list_for(&app, "/clients/visits", "clientVisits", &[&ben, &ann]).await;
    let none = |id: &str| json!({"clientId": id, "lastVisitAt": null, "nextVisitAt": null});
    assert_eq!(visits().await, [none(&ben), none(&ann)]);
    let was = |minutes: i64, status: &'static str| {
        let new = json!({"clientId": ann, "eventTypeId": kind, "startsAt": later(&this_minute(), -minutes),
            "ignorePolicy": true, "allowOverlap": true});
        let app = &app;
        async move {
            let booking = book(app, new).await;
            let path = format!("/bookings/{booking}/attendance");
            app.post(&path, json!({"attendanceStatus": status})).await.ok();
            booking
        }
    };
    let starts = async |id: &str| {
        text(app.get(&format!("/bookings/{id}")).await.ok().data(), "/booking/startsAt")
    };
    was(60, "attended").await;
    let last = was(40, "attended").await;
    was(20, "no_show").await;
    let start = free_start();
    let next = book(&app, json!({"clientId": ann, "eventTypeId": kind, "startsAt": start})).await;
    let far = json!({"clientId": ann, "eventTypeId": kind, "startsAt": later(&start, 600), "ignorePolicy": true});
    book(&app, far).await;
    let known = visits().await;
    assert_eq!(known[1]["lastVisitAt"], starts(&last).await);
    assert_eq!(known[1]["nextVisitAt"], starts(&next).await);
    app.post(&format!("/bookings/{next}/cancel"), json!({})).await.ok();
    assert_eq!(visits().await[1]["nextVisitAt"], later(&start, 600));
    let (_, token) = people::client(&app).await;
    let path = format!("/clients/visits?clientIds={ann}");
    app.app_as(&token, "GET", &path, None).await.refused(403, "auth.forbidden");
}

#[scenario]
async fn balances_are_owed_and_unused_amounts(app: App) {
    let (ann, ben) = (
        app.new_client(json!({"firstName": "Ann"})).await,
        app.new_client(json!({"firstName": "Ben"})).await,
    );
    let balances =
        async || list_for(&app, "/finance/balances", "clientBalances", &[&ann, &ben]).await;
    assert_eq!(balances().await[0], json!({"clientId": ann, "balances": []}));
    let bought = sold(&app, &ann, json!({"price": 5000}), json!({})).await;
    let (invoice, gross) = (bought.invoice, 5000);
    let balance = |owed: i64, unallocated: i64| json!([{"currency": "EUR", "owed": owed, "unallocated": unallocated}]);
    assert_eq!(balances().await[0]["balances"], balance(gross, 0));
    pay(&app, &ann, &invoice, Some(2000)).await;
    assert_eq!(balances().await[0]["balances"], balance(gross - 2000, 0));
    pay(&app, &ann, &invoice, Some(gross)).await;
    assert_eq!(balances().await[0]["balances"], balance(0, 2000));
    assert_eq!(balances().await[1]["balances"], json!([]));
}

#[scenario]
async fn appointments_list_their_clients(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach]})).await;
    let course = new_type(&app, json!({"coachIds": [coach], "kind": "class", "capacity": 5})).await;
    let start = free_start();
    let class = new_class(&app, &course, &coach, &later(&start, 600)).await;
    let ann = app.new_client(json!({"firstName": "Ann", "lastName": "Ho"})).await;
    let booked = book(&app, json!({"clientId": ann, "eventTypeId": kind, "startsAt": start})).await;
    book(&app, json!({"clientId": ann, "calendarEventId": class})).await;
    let event =
        text(app.get(&format!("/bookings/{booked}")).await.ok().data(), "/booking/calendarEventId");
    let path = |more: &str| {
        format!("/calendar/appointment-clients?from={start}&to={}{more}", later(&start, 1440))
    };
    let response = async |more: &str| {
        let response = app.app("GET", &path(more), None).await.ok();
        response.data()["appointmentClients"].clone()
    };
    let own = json!([{"calendarEventId": event, "clientId": ann, "name": "Ann Ho"}]);
    assert_eq!(response("").await, own);
    assert_eq!(response(&format!("&coachId={coach}")).await, own);
    assert_eq!(response(&format!("&coachId={}", app.admin)).await, json!([]));
    app.post(&format!("/bookings/{booked}/cancel"), json!({})).await.ok();
    assert_eq!(response("").await, json!([]));
    let long =
        format!("/calendar/appointment-clients?from={start}&to={}", later(&start, 60 * 24 * 32));
    app.app("GET", &long, None).await.refused(400, "PUBLIC_API_DATE_RANGE_TOO_LARGE");
    app.app("GET", "/calendar/appointment-clients", None)
        .await
        .refused(400, "PUBLIC_API_DATE_RANGE_REQUIRED");
}

#[scenario]
async fn coaches_see_names_of_their_clients(app: App) {
    let ann = app.new_client(json!({"firstName": "Ann", "lastName": "Ho"})).await;
    let bo = app.new_client(json!({"firstName": "Bo", "lastName": null})).await;
    let nobody = "0".repeat(24);
    let names = list_for(&app, "/clients/names", "clientNames", &[&bo, &nobody, &ann]).await;
    let named = |id: &str, name: &str| json!({"clientId": id, "name": name});
    assert_eq!(names, [named(&bo, "Bo"), named(&ann, "Ann Ho")]);
    let other = App::new(app.server.clone()).await;
    assert!(list_for(&other, "/clients/names", "clientNames", &[&ann, &bo]).await.is_empty());
    let many = vec![&*ann; 101].join(",");
    for (wrong, key) in [
        ("", "PUBLIC_API_INVALID_CLIENT_ID"),
        (&*format!("{ann},"), "PUBLIC_API_INVALID_CLIENT_ID"),
        ("x", "PUBLIC_API_INVALID_CLIENT_ID"),
        (&*many, "request.invalid"),
    ] {
        let reply = app.app("GET", &format!("/clients/names?clientIds={wrong}"), None).await;
        reply.refused(400, key);
    }
}
