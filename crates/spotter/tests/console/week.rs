//! Weekly series and closures on pages, as staff manage them; and what is written about a client there.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    billing::{new_product, pay, sold},
    browser::Browser,
    calendar::{book, coach_at_work, free_start, new_class, new_type},
    dates::day,
    scenario, text,
};

#[scenario]
async fn classes_of_every_week_are_added_changed_and_ended(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach], "kind": "class", "capacity": 5})).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/calendar/series").await.is(200);
    let form = page.form("create_event_series").with("eventTypeId", &kind).with("coachId", &coach);
    // A missing day is reported by its name.
    let none = form.clone().with("recurrence.startTime", "10:00");
    browser.send(none).await.is(422).shows(">On</a>");
    let form = form.with("recurrence.weekdays", "2").with("recurrence.startTime", "10:00");
    let form = form.with("recurrence.untilDate", &day(40));
    let at = browser.send(form).await.is(303).location;
    let page = browser.get(&at).await.shows("Tuesday 10:00").shows("0 / 5");
    let change = page.form("update_event_series").with("recurrence.startTime", "11:30");
    let page = browser.act(change).await.shows("Tuesday 11:30").shows("11:30");
    let series = at.rsplit('/').next().unwrap().split('?').next().unwrap();
    let answer = app.app("GET", &format!("/calendar/event-series/{series}"), None).await.ok();
    let series = answer.data()["eventSeries"].clone();
    assert_eq!((&series["recurrence"]["weekdays"], &series["version"]), (&json!([2]), &json!(2)));
    // Effects on others are shown before the action.
    let answer = browser.send(page.form("cancel_event_series")).await.is(200);
    let answer = answer.shows("This is what happens then").shows("do not take place");
    browser.act(answer.form("cancel_event_series")).await.shows("Cancelled");
    browser.get("/console/calendar/series?status=cancelled").await.shows("Tuesday 11:30");
    app.events().await;
}

#[scenario]
async fn a_series_change_lists_cancelled_bookings(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach], "kind": "class", "capacity": 5})).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/calendar/series").await.is(200);
    let form = page.form("create_event_series").with("eventTypeId", &kind).with("coachId", &coach);
    let form = form.with("recurrence.weekdays", "2").with("recurrence.startTime", "10:00");
    let at = browser.send(form.with("recurrence.untilDate", &day(40))).await.is(303).location;
    let page = browser.get(&at).await.is(200);
    let link = page.links().into_iter().rfind(|link| link.contains("/calendar/events/")).unwrap();
    let class = link.rsplit('/').next().unwrap().to_owned();
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let new = json!({"clientId": client, "calendarEventId": class});
    let booking = text(app.post("/bookings", new).await.ok().data(), "/booking/bookingId");
    // Another weekday cancels the booked class: shown first with its number, and without any effect yet.
    let mut change = page.form("update_event_series");
    for field in &mut change.fields {
        if field.0 == "recurrence.weekdays" {
            "4".clone_into(&mut field.1);
        }
    }
    let answer = browser.send(change).await.is(200);
    let answer = answer.shows("This is what happens then").shows("with 1 bookings are cancelled");
    let path = format!("/bookings/{booking}");
    assert_eq!(app.get(&path).await.ok().data()["booking"]["status"], "booked");
    // Changed effects are shown again.
    let other = app.new_client(json!({"firstName": "Bea"})).await;
    let new = json!({"clientId": other, "calendarEventId": class});
    app.post("/bookings", new).await.ok();
    let answer = browser.send(answer.form("update_event_series")).await.is(200);
    let answer = answer.shows("with 2 bookings are cancelled");
    browser.act(answer.form("update_event_series")).await.shows("Thursday 10:00");
    assert_eq!(app.get(&path).await.ok().data()["booking"]["status"], "cancelled");
    app.events().await;
}

#[scenario]
async fn a_class_is_changed_and_moved(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach], "kind": "class", "capacity": 5})).await;
    let class = new_class(&app, &kind, &coach, &free_start()).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/calendar/events/{class}");
    let page = browser.get(&path).await.is(200);
    let change = page.form("update_calendar_event").with("name", "Early birds");
    browser.act(change.with("capacity", "7")).await.shows("Early birds").shows("0 / 7");
    // The drop target is in the address, and is confirmed.
    let dragged = format!("{path}?to={}&at=15:00", day(20));
    let page = browser.get(&dragged).await.shows("Move the class");
    browser.act(page.form("update_calendar_event")).await.shows("15:00");
    let answer = app.app("GET", &format!("/calendar/events/{class}"), None).await.ok();
    let starts = text(answer.data(), "/calendarEvent/startsAt");
    assert!(starts.starts_with(&day(20)), "{starts}");
    app.events().await;
}

#[scenario]
async fn closures_list_affected_bookings(app: App) {
    let coach = coach_at_work(&app).await;
    let kind = new_type(&app, json!({"coachIds": [coach]})).await;
    let client = app.new_client(json!({"firstName": "Ann", "lastName": "Booked"})).await;
    let start = free_start();
    book(&app, json!({"clientId": client, "eventTypeId": kind, "startsAt": start})).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get("/console/settings/closures").await.is(200);
    let date = &start[..10];
    let form = page.form("create_availability_rule").with("appliesTo", "company");
    let form = form.with("startDate", date).with("endDate", date).with("reason", "Painting");
    let page = browser.act(form).await.shows("Ann Booked").shows("Painting").shows("1 in all");
    let other = page.form("update_availability_rule").with("startDate", &day(60));
    let page = browser.act(other.with("endDate", &day(61))).await.shows("Nobody");
    browser.act(page.form("delete_availability_rule")).await.shows("No closures");
    app.events().await;
}

#[scenario]
async fn a_client_is_written_whole(app: App) {
    let define = async |new: Value| {
        let made = app.post("/client-custom-fields", new).await.ok();
        text(made.data(), "/customField/fieldId")
    };
    let size = define(json!({"label": "Shoe size", "type": "number"})).await;
    let dog = define(json!({"label": "Has a dog", "type": "boolean"})).await;
    let level =
        define(json!({"label": "Level", "type": "select", "options": ["Low", "High"]})).await;
    let signed = define(json!({"label": "Signed on", "type": "date"})).await;
    let client = app
        .new_client(json!({"firstName": "Ann", "address": {"line1": "Kade 1", "line2": "Achter",
        "city": "Gouda", "country": "NL", "region": "ZH"}}))
        .await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let edit = format!("/console/clients/{client}/edit");
    let stands = async || {
        let answer = app.get(&format!("/clients/{client}")).await.ok();
        answer.data()["client"].clone()
    };
    let page = browser.get(&edit).await.is(200);
    // Fields that the form does not show are kept; an empty group is null.
    browser.act(page.form("update_client").with("address.city", "Delft")).await.shows("Delft");
    let address = stands().await["address"].clone();
    assert_eq!(
        address,
        json!({"line1": "Kade 1", "line2": "Achter", "city": "Delft", "country": "NL", "region": "ZH", "postalCode": null})
    );
    assert!(stands().await["emergencyContact"].is_null());
    let page = browser.get(&edit).await.is(200);
    let half = page.form("update_client").with("emergencyContact.name", "Bo");
    browser.send(half).await.is(422).shows("emergency");
    // Each value by its field's type; an empty one is null.
    let page = browser.get(&edit).await.is(200);
    let form = page.form("update_client_custom_fields");
    let place = |field: &str, mark: &str| {
        let is_own =
            |(name, value): &&(String, String)| value == field && name.ends_with(".fieldId");
        let (name, _) = form.fields.iter().find(is_own).unwrap();
        format!("{}{mark}", name.replace("fieldId", "value"))
    };
    let filled = form
        .clone()
        .with(&place(&size, ":number"), "41,5")
        .with(&place(&dog, ":truth"), "false")
        .with(&place(&level, ""), "High");
    browser.act(filled.clone()).await.shows("41.5").shows("High");
    let values = async || -> Vec<Value> {
        let answer = app.get(&format!("/clients/{client}/custom-fields")).await.ok();
        let own = |field: &str| {
            let all = answer.data()["values"].as_array().unwrap();
            all.iter().find(|one| one["fieldId"] == *field).unwrap()["value"].clone()
        };
        [&size, &dog, &level, &signed].map(|field| own(field)).to_vec()
    };
    assert_eq!(values().await, [json!(41.5), json!(false), json!("High"), Value::Null]);
    for wrong in ["nan", "inf", "x"] {
        browser.send(filled.clone().with(&place(&size, ":number"), wrong)).await.is(422);
    }
    let page = browser.get(&edit).await.is(200);
    let emptied = page.form("update_client_custom_fields").with(&place(&size, ":number"), "");
    browser.act(emptied.with(&place(&dog, ":truth"), "")).await.is(200);
    assert_eq!(values().await, [Value::Null, Value::Null, json!("High"), Value::Null]);
    // A word that is offered no more stays where a client has it.
    let path = format!("/client-custom-fields/{level}");
    app.patch(&path, json!({"options": ["Low", "Higher"]})).await.ok();
    let page = browser.get(&edit).await.is(200);
    browser.act(page.form("update_client_custom_fields")).await.shows("High");
    assert_eq!(values().await[2], json!("High"));
    app.events().await;
}

#[scenario]
async fn unallocated_money_is_listed(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let bought = sold(&app, &client, json!({"price": 5000}), json!({})).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = format!("/console/clients/{client}/money");
    browser.get("/console/clients").await.shows("€50.00");
    pay(&app, &client, &bought.invoice, Some(6500)).await;
    browser.get(&page).await.shows("€15.00 is not used");
    browser.get("/console/money/payments").await.shows("€15.00 is not used");
    app.events().await;
}

#[scenario]
async fn products_keep_their_names_in_every_language(app: App) {
    let product = new_product(
        &app,
        json!({"productType": "Other", "price": 900,
        "name": {"en": "Towel", "nl": "Handdoek"}}),
    )
    .await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get(&format!("/console/products/{product}")).await.shows("Handdoek");
    browser
        .act(page.form("update_product").with("name.en", "Bath towel"))
        .await
        .shows("Bath towel");
    let answer = app.app("GET", &format!("/products/{product}"), None).await.ok();
    assert_eq!(answer.data()["product"]["name"], json!({"en": "Bath towel", "nl": "Handdoek"}));
    app.events().await;
}
