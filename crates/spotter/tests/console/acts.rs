//! Forms on pages: each runs once, as the signed-in person; errors appear at their field.

use serde_json::{Value, json};
use spotter_harness::{
    App,
    browser::{Browser, Form},
    calendar, people, random_text, scenario, text,
};
use spotter_store::{Sql, params};

#[scenario]
async fn a_client_is_added_and_looked_at(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/clients/new").await.form("create_client");
    let email = format!("{}@example.com", random_text());
    let form =
        form.with("firstName", "Zoë").with("lastName", "<b>de Vries</b>").with("email", &email);
    let page = browser.act(form).await.shows("&lt;b&gt;de Vries&lt;/b&gt;").shows("Added.");
    // A success is shown once.
    let path = page.form("archive_client").action;
    let again = browser.get(&path).await.is(200);
    assert!(!again.text.contains("Added."));
    assert_eq!(
        app.events().await.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
        ["client.created"]
    );
    let tags = again.form("set_client_tags").with("tags:list", "early, rehab ,");
    browser.act(tags).await.shows("early, rehab").shows("Saved.");
    let archive = browser.get(&path).await.form("archive_client").with("archiveReason", "Moved");
    let told = browser.send(archive).await.is(200).shows("is archived; their records stay.");
    browser.act(told.form("archive_client")).await.shows("Archived.").shows("Moved");
    let names: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["client.updated", "client.archived"]);
}

#[scenario]
async fn a_form_sent_twice_runs_once(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/clients/new").await.form("create_client");
    let form = form.with("firstName", "Once").with("lastName", "Only");
    let first = browser.send(form.clone()).await.is(303);
    let second = browser.send(form.clone()).await.is(303);
    assert_eq!(first.location, second.location);
    assert_eq!(app.get("/clients?search=once").await.data()["total"], 1);
    // The same form with something else in it was shown for another act.
    browser.send(form.with("firstName", "Twice")).await.is(422);
    assert_eq!(app.events().await.len(), 1);
}

#[scenario]
async fn errors_appear_at_their_field(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/clients/new").await.form("create_client");
    let form = form.with("firstName", "Kept").with("lastName", "Too").with("email", "no address");
    let page = browser.send(form).await.is(422);
    let page = page
        .shows("value=\"no address\" maxlength")
        .shows("value=\"Kept\"")
        .shows("<title>Error: ");
    let page = page.shows("aria-invalid=\"true\" aria-describedby=\"create-client-email-wrong\"");
    // It can be mended and sent on.
    let form = page.form("create_client").with("email", "");
    browser.act(form).await.shows("Kept Too");
    app.events().await;
}

#[scenario]
async fn a_secret_is_shown_once_after_the_password(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let coach = app.admin.to_string();
    let form = |page: spotter_harness::browser::Page| {
        let form = page.form("create_api_client").with("defaultAssignedCoachId", &coach);
        form.with("name", "Website").with("scopes", "clients:read")
    };
    let new = form(browser.get("/console/integrations").await);
    let view = browser.send(new.clone()).await.is(200).shows("fsps_").shows("fspc_");
    assert!(view.headers["cache-control"] == "no-store");
    // Sent again by a reload, it shows the same.
    let again = browser.send(new).await.is(200);
    let secret = |text: &str| text[text.find("fsps_").unwrap()..][..70].to_owned();
    assert_eq!(secret(&view.text), secret(&again.text));
    let list = browser.get("/console/integrations").await.is(200).shows("Website");
    assert!(!list.text.contains("fsps_"));
    // Ten minutes later the password is required.
    const LATE: Sql =
        Sql("UPDATE browser_session SET sure_at = sure_at - 3600000 WHERE company_id = ?1");
    let company = app.company;
    let late = move |tx: &mut spotter_store::Tx<'_>| tx.execute(LATE, params![company]);
    app.server.db.write(late).await.unwrap();
    let page = browser.get("/console/integrations").await.is(200);
    let new = form(page).with("-key", "another");
    assert!(new.field("-password").is_some());
    browser.send(new.clone()).await.is(422).shows("is required again");
    let wrong = new.clone().with("-password", "wrong");
    browser.send(wrong).await.is(422).shows("must be your password");
    let right = new.with("-password", spotter_harness::PASSWORD);
    browser.send(right).await.is(200).shows("fsps_");
    // It was typed a moment ago, which is enough for the next action.
    let page = browser.get("/console/integrations").await.is(200);
    assert!(page.form("create_api_client").field("-password").is_none());
    // Showing a secret requires it, on whichever page the form is.
    app.server.db.write(late).await.unwrap();
    let plain = page.form("create_api_client");
    let named =
        ["-csrf", "-next"].map(|name| (name.to_owned(), plain.field(name).unwrap().to_owned()));
    let mut fields = named.to_vec();
    for (name, value) in
        [("-do", "reinvite_coach"), ("-at.coachId", &*coach), ("-key", "to-invite")]
    {
        fields.push((name.to_owned(), value.to_owned()));
    }
    browser.send(Form { fields, ..plain }).await.is(422).shows("is required again");
}

#[scenario]
async fn forged_forms_do_no_harm(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/clients/new").await.form("create_client");
    let form = form.with("firstName", "Once").with("lastName", "Only");
    let mut many = form.clone();
    many.fields.extend((0..1_000).map(|at| (format!("x{at}:hours"), String::new())));
    browser.send(many).await.is(422).shows("The form has too many fields");
    browser.send(form.clone().with("-key", "a\0b")).await.is(422);
    browser.get("/console/no-such-page").await.is(404).shows("There is no such page.");
    assert_eq!(app.get("/clients?search=once").await.data()["total"], 0);
    // Two clicks at once have one answer.
    let mut other = Browser::of(&app, &app.admin_email).await;
    other.set_cookie("spotter", browser.cookie("spotter").unwrap());
    let (first, second) = tokio::join!(browser.send(form.clone()), other.send(form));
    assert_eq!(first.is(303).location, second.is(303).location);
    assert_eq!(app.get("/clients?search=once").await.data()["total"], 1);
    assert_eq!(app.events().await.len(), 1);
}

#[scenario]
async fn money_and_times_are_read_as_people_write_them(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/products/new").await.form("create_product");
    let form =
        form.with("productType", "Membership").with("name.en", "Gold").with("price:money", "49,50");
    let form = form.with("vatPercentage", "21").with("period", "Month").with("autoRenew", "true");
    let page = browser.act(form).await.shows("49.50");
    let form = page.form("update_product").with("price:money", "a lot");
    browser.send(form).await.is(422).shows("must be an amount").shows("value=\"a lot\"");
    let answer = app.get("/finance/products").await.ok();
    let product = &answer.data()["products"][0];
    assert_eq!((&product["price"], &product["autoRenew"]), (&json!(4950), &json!(true)));
    // An unticked box means false.
    let form = page.form("update_product");
    let kept: Vec<_> =
        form.fields.iter().filter(|(name, _)| name != "autoRenew").cloned().collect();
    browser.send(Form { fields: kept, ..form }).await.is(303);
    let answer = app.get("/finance/products").await.ok();
    assert_eq!(answer.data()["products"][0]["autoRenew"], false);
}

#[scenario]
async fn a_client_is_checked_in_and_written_to(app: App) {
    let (client, _) = people::client(&app).await;
    let kind = app.post("/event-types", json!({"name": "Talk", "durationMinutes": 30})).await.ok();
    let kind = text(kind.data(), "/eventType/eventTypeId");
    let soon = spotter_kernel::Clock::now(&*app.server.env.clock).plus_seconds(3_600);
    let booking = json!({"clientId": client, "eventTypeId": kind, "coachId": app.admin.to_string(),
        "startsAt": soon.to_string(), "ignorePolicy": true});
    app.post("/bookings", booking).await.ok();
    app.events().await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get(&format!("/console/clients/{client}/bookings")).await.is(200);
    let attended = page.form("set_booking_attendance");
    assert_eq!(attended.field("attendanceStatus"), Some("attended"));
    browser.act(attended).await.shows("Attended");
    let page = browser.get(&format!("/console/clients/{client}")).await.is(200);
    let page = browser.act(page.form("open_conversation")).await;
    browser
        .act(page.form("send_message").with("text", "See you\r\ntomorrow"))
        .await
        .shows("tomorrow");
    let names: Vec<Value> = app.events().await.into_iter().map(|(name, _)| name.into()).collect();
    assert_eq!(names, ["booking.updated", "conversation.created", "conversation.message.created"]);
}

#[scenario]
async fn clients_book_classes_and_wait_for_a_seat(app: App) {
    let coach = calendar::coach_at_work(&app).await;
    let name = format!("Yoga {}", random_text());
    let kind = json!({"name": name, "kind": "class", "durationMinutes": 45, "capacity": 1,
        "clientsMayBook": true, "waitlist": {"mode": "auto", "maxEntries": 5}});
    let kind = calendar::new_type(&app, kind).await;
    let start = calendar::free_start();
    calendar::new_class(&app, &kind, &coach, &start).await;
    let day = format!("/my/book?date={}", &start[..10]);
    let mut browsers = Vec::new();
    for _ in 0..2 {
        let email = people::client_with_address(&app).await;
        browsers.push(Browser::of(&app, &email).await);
    }
    // Waiting-list fields that the page of a type does not show are kept.
    let path = format!("/console/settings/event-types/{kind}");
    let mut staff = Browser::of(&app, &app.admin_email).await;
    let form = staff.get(&path).await.is(200).form("update_event_type");
    staff.act(form.with("waitlist.mode", "offer")).await;
    let answer = app.get(&format!("/event-types/{kind}")).await.ok();
    let waitlist = &answer.data()["eventType"]["waitlist"];
    assert_eq!((&waitlist["mode"], &waitlist["maxEntries"]), (&json!("offer"), &json!(5)));
    app.events().await;
    let [first, second] = browsers.as_mut_slice() else { return };
    let seat = |page: &spotter_harness::browser::Page| page.form("create_booking");
    let page = first.get(&day).await.is(200).shows(&name).shows("1 left");
    // A booking is checked again before it is made.
    let links = page.links().into_iter().find(|link| link.contains("class=")).unwrap();
    let page = first.get(&links).await.is(200).shows("Book it");
    first.act(seat(&page)).await.shows("Booked.");
    app.announced(&["booking.created"]).await;
    first.get(&day).await.is(200).shows("Booked or waiting already");
    let page = second.get(&day).await.is(200).shows("0 left");
    assert_eq!(seat(&page).field("capacityAction"), Some("waitlist"));
    second.act(seat(&page)).await.shows("On the waiting list.");
    let answer = app.get("/bookings?limit=10").await.ok();
    let found = answer.data()["bookings"].as_array().unwrap().clone();
    let mut statuses: Vec<String> = found.iter().map(|one| text(one, "/status")).collect();
    statuses.sort();
    assert_eq!(statuses, ["booked", "waitlisted"]);
    app.events().await;
}

#[scenario]
async fn unknown_fields_stay_unknown(app: App) {
    let email = people::client_with_address(&app).await;
    let mut browser = Browser::of(&app, &email).await;
    let form = browser.get("/my/progress").await.form("create_habit").with("name", "Walk");
    let mut nested = form.clone().with("x:json", "[[[[[{\"a\":1}]]]]]");
    for place in ["x.0.0.0.0", "x.0.0.0", "x.0.0", "x.0", "x"] {
        nested = nested.with(&format!("{place}:times"), "30");
    }
    browser.send(nested).await.is(422).shows("is not a field of this form");
    let options = "?\n".repeat(1_000);
    let question = form.clone().with("x:question", "[]").with("question.options", &options);
    browser.send(question).await.is(422).shows("is not a field of this form");
    // A list is repeated once, of a page's own form, too, and options are few.
    let mut manager = Browser::of(&app, &app.admin_email).await;
    let page = manager.get("/console/forms").await;
    let page =
        manager.act(page.form("create_form").with("name", "Long").with("kind", "general")).await;
    let editor =
        page.forms().into_iter().find(|form| form.field("questions:question").is_some()).unwrap();
    let editor = editor.with("question.label", "Which?").with("question.type", "single_choice");
    manager.send(editor.with("question.options", &options)).await.is(422).shows("too many options");
    browser.act(form).await.shows("Walk");
    app.events().await;
}

#[scenario]
async fn an_answer_that_is_wrong_loses_no_other(app: App) {
    let email = people::client_with_address(&app).await;
    let answer = app.get(&format!("/clients?search={email}")).await.ok();
    let client = text(answer.data(), "/clients/0/clientId");
    let questions = json!([
        {"questionId": "story", "type": "text", "label": "Your story", "required": true},
        {"questionId": "sleep", "type": "number", "label": "Hours of sleep", "required": true, "max": 24, "min": 0},
        {"questionId": "waist", "type": "measurement", "label": "Your waist", "measurementType": "waist"}]);
    let made = app
        .app(
            "POST",
            "/forms",
            Some(json!({"name": "Week", "kind": "intake", "questions": questions})),
        )
        .await
        .ok();
    let form = text(made.data(), "/form/formId");
    app.app("POST", &format!("/forms/{form}/publish"), None).await.ok();
    let path = format!("/clients/{client}/form-assignments");
    let made = app.app("POST", &path, Some(json!({"formId": form}))).await.ok();
    let assignment = text(made.data(), "/formAssignment/assignmentId");
    let mut browser = Browser::of(&app, &email).await;
    let page = browser.get(&format!("/my/forms/{assignment}")).await.is(200);
    let form = page
        .form("save_form_draft")
        .with("answers.story", "a long story")
        .with("answers.sleep:number", "99");
    let page = browser.send(form).await.is(422).shows("Hours of sleep").shows("a long story");
    let form = page.form("save_form_draft").with("answers.sleep:number", "8");
    assert_eq!(
        form.field("answers.waist.value:number"),
        Some(""),
        "what is left empty is no answer"
    );
    browser.act(form).await.shows("Everything is answered");
    app.events().await;
}

#[scenario]
async fn archiving_lists_what_it_leaves_behind(app: App) {
    let new = json!({"name": "Annex", "timeZone": "Europe/Amsterdam"});
    let location = text(app.post("/locations", new).await.ok().data(), "/location/locationId");
    let new = json!({"firstName": "Ann", "homeLocationId": location});
    app.new_client(new).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get(&format!("/console/settings/locations/{location}")).await.is(200);
    // Announced first, and done after confirmation.
    let answer = browser.send(page.form("archive_location")).await.is(200);
    let answer = answer.shows("This is what happens then").shows("1 clients have it as their home");
    let path = format!("/locations/{location}");
    assert_eq!(app.get(&path).await.ok().data()["location"]["status"], "active");
    let page = browser.act(answer.form("archive_location")).await;
    page.shows("These stay unchanged").shows("Client: 1");
    assert_eq!(app.get(&path).await.ok().data()["location"]["status"], "archived");
    app.events().await;
}

#[scenario]
async fn concurrent_changes_are_not_overwritten(app: App) {
    let made = app.app(
        "POST",
        "/forms",
        Some(json!({"name": "Week", "kind": "general", "questions": []})),
    );
    let form = text(made.await.ok().data(), "/form/formId");
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/forms/{form}");
    let page = browser.get(&path).await.is(200);
    let new =
        page.forms().into_iter().find(|form| form.field("questions:question").is_some()).unwrap();
    let added = |label: &str| new.clone().with("question.label", label);
    let (first, second) = (added("First"), added("Second").with("-key", &random_text()));
    browser.act(first.clone()).await.shows("First");
    browser.send(second).await.is(422).shows("was changed in the meantime");
    // Sending a form twice is not a change by another person.
    browser.send(first).await.is(303);
    browser.get(&path).await.shows("First");
    // A displayed success message has no effect by itself.
    for seen in
        ["{}", "x", r#"{"operation":"create_client","path":[],"query":"","places":[],"digest":""}"#]
    {
        let odd = added("Odd").with("-key", &random_text()).with("-seen", seen);
        browser.send(odd).await.is(422);
    }
    app.events().await;
}

#[scenario]
async fn a_stale_page_undoes_nothing(app: App) {
    let of_field = json!({"label": "Locker", "type": "text"});
    let fields = [
        of_field.clone(),
        json!({"label": "Size", "type": "number"}),
        json!({"label": "Since", "type": "date"}),
    ];
    for field in fields {
        app.app("POST", "/client-custom-fields", Some(field)).await.ok();
    }
    let address = json!({"line1": "Street 1", "city": "Utrecht", "country": "NL", "region": "UT"});
    let ann =
        json!({"firstName": "Ann", "lastName": "Old", "phone": "+31201234567", "address": address});
    let client = app.new_client(ann).await;
    app.events().await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/clients/{client}/edit");
    let (one, other) = (browser.get(&path).await.is(200), browser.get(&path).await.is(200));
    browser.act(one.form("update_client").with("phone", "+31612345678")).await;
    let wrong = other.form("update_client").with("lastName", "New").with("email", "no address");
    // The form returns, and still refers to the page that was shown first.
    let back = browser.send(wrong).await.is(422).form("update_client").with("email", "");
    browser.act(back).await;
    let is = app.get(&format!("/clients/{client}")).await.ok();
    let is = &is.data()["client"];
    assert_eq!((&is["lastName"], &is["phone"]), (&json!("New"), &json!("+31612345678")));
    assert_eq!(
        (&is["address"]["city"], &is["address"]["region"]),
        (&json!("Utrecht"), &json!("UT"))
    );
    let answer = app.announced(&["client.updated"; 2]).await;
    assert_eq!(answer[1]["changedFields"], json!(["lastName"]));
    // Of an address the whole is sent, of a list of fields those that were changed.
    let city = browser.get(&path).await.form("update_client").with("address.city", "Breda");
    browser.act(city).await;
    let form = |page: &spotter_harness::browser::Page| page.form("update_client_custom_fields");
    let (one, other) = (browser.get(&path).await.is(200), browser.get(&path).await.is(200));
    browser.act(form(&one).with("values.0.value", "12")).await;
    browser.act(form(&other).with("values.1.value:number", "4")).await;
    let odd = form(&browser.get(&path).await).with("values.2.value", "last year");
    let odd = browser.send(odd).await.is(422);
    let wrong = odd.text.find("class=\"mistake\"").unwrap();
    assert!(odd.text[..wrong].contains("Since"), "what is wrong is told beside its field");
    let is = app.get(&format!("/clients/{client}")).await.ok();
    assert_eq!(is.data()["client"]["address"]["line1"], "Street 1");
    let values = app.get(&format!("/clients/{client}/custom-fields")).await.ok();
    let values: Vec<_> = values.data()["values"].as_array().unwrap().iter().collect();
    let filled = values.iter().filter(|value| !value["value"].is_null()).count();
    assert_eq!(filled, 2, "{values:?}");
    // A form that replaces a whole record is refused when the record has changed.
    let path = format!("/console/clients/{client}");
    let (one, other) = (browser.get(&path).await.is(200), browser.get(&path).await.is(200));
    browser.act(one.form("set_client_tags").with("tags:list", "early")).await;
    let late = other.form("set_client_tags").with("tags:list", "late");
    let back = browser.send(late).await.is(422).shows("was changed in the meantime");
    // It shows the current values, with the typed ones beside them: sending it again restores nothing old.
    let back = back.shows("You had typed:").shows("late");
    assert_eq!(back.form("set_client_tags").field("tags:list"), Some("early"));
    // Two people edit one field: the later one sees the current value, and overwrites it knowingly.
    let path = format!("/console/clients/{client}/edit");
    let (one, other) = (browser.get(&path).await.is(200), browser.get(&path).await.is(200));
    browser.act(one.form("update_client").with("lastName", "First")).await;
    let late = other.form("update_client").with("lastName", "Second");
    let back = browser.send(late).await.is(422).shows("by another person").shows("now: First");
    let name = async || {
        let is = app.get(&format!("/clients/{client}")).await.ok();
        text(is.data(), "/client/lastName")
    };
    assert_eq!(name().await, "First");
    let again = back.form("update_client");
    assert_eq!(again.field("lastName"), Some("Second"), "what was typed is kept");
    browser.act(again).await;
    assert_eq!(name().await, "Second");
    app.events().await;
}

#[scenario]
async fn measured_answers_have_units(app: App) {
    let (client, _) = people::client(&app).await;
    app.events().await;
    app.patch("/workout/settings", json!({"weightUnit": "lb"})).await.ok();
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let path = format!("/console/clients/{client}/progress");
    for (kind, value) in [("weight|lb", "180"), ("sleep|h", "7.5"), ("waist|in", "32")] {
        let page = browser.get(&path).await.is(200);
        let form = page.form("record_measurement").with("type:measured", kind);
        browser.act(form.with("value", value)).await.is(200);
    }
    // The business weighs in pounds, and so are its values shown and offered first.
    let page = browser.get(&path).await.is(200).shows("180 lb").shows("7 h 30 min").shows("32 in");
    assert!(page.text.find("weight|lb") < page.text.find("weight|kg"), "{}", page.main());
    let goal = page.form("create_goal").with("measurementType:measured", "weight|lb");
    browser.act(goal.with("title", "Lighter").with("targetValue", "165")).await;
    browser.get(&path).await.shows("180 lb → 165 lb");
    let kept = app.get(&format!("/clients/{client}/measurements/latest")).await.ok();
    let kept = kept.data()["measurements"].as_array().unwrap().clone();
    let value = |kind: &str| kept.iter().find(|one| one["type"] == kind).unwrap()["value"].clone();
    assert_eq!(
        (value("weight"), value("sleep"), value("waist")),
        (json!(81.65), json!(27_000.0), json!(81.28))
    );
    // People can choose another system of units.
    let account = browser.get("/console/account").await.is(200);
    let display =
        account.forms().into_iter().find(|form| form.action == "/console/display").unwrap();
    browser.act(display.with("units", "metric")).await;
    browser.get(&path).await.shows("81.65 kg").shows("81.28 cm");
    app.events().await;
}

#[scenario]
async fn refunds_are_shown_on_their_invoice(app: App) {
    let client = app.new_client(json!({"firstName": "Ann"})).await;
    let invoice = json!({"clientId": client, "lines": [{"description": "Hour", "amount": 12_100}]});
    let made = app.app("POST", "/finance/invoices", Some(invoice)).await.ok();
    let id = text(made.data(), "/invoice/invoiceId");
    let pay = json!({"clientId": client, "invoiceId": id, "kind": "cash", "amount": 12_100});
    let paid = app.app("POST", "/finance/payments", Some(pay)).await.ok();
    let payment = text(paid.data(), "/payment/paymentId");
    let credit = json!({"amount": 4_000, "reason": "Too short"});
    let credit =
        app.app("POST", &format!("/finance/invoices/{id}/credit-notes"), Some(credit)).await.ok();
    let number = text(credit.data(), "/invoice/number");
    let back = json!({"amount": 4_000, "reason": "Half an hour"});
    app.app("POST", &format!("/finance/payments/{payment}/refunds"), Some(back)).await.ok();
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get(&format!("/console/money/invoices/{id}")).await.is(200);
    let page = page.shows("Half an hour").shows("Refunded").shows("Too short").shows(&number);
    let note = page.links().into_iter().rfind(|link| link.starts_with("/console/money/invoices/"));
    let note = note.unwrap();
    browser.get(&note).await.is(200).shows("Corrects").shows(&id);
    app.events().await;
}

#[scenario]
async fn far_starts_are_refused(app: App) {
    let coach = calendar::coach_at_work(&app).await;
    let class = json!({"coachIds": [coach], "kind": "class", "capacity": 5});
    let kind = calendar::new_type(&app, class).await;
    let class = calendar::new_class(&app, &kind, &coach, &calendar::free_start()).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get(&format!("/console/calendar/events/{class}")).await.is(200);
    for (far, why) in [
        ("9999-12-31T23:59", "must be a date and a time"),
        ("3000-01-01T10:00", "within ten years"),
        ("1980-01-02T10:00", "within ten years"),
    ] {
        let moved = page.form("update_calendar_event").with("startsAt:local", far);
        browser.send(moved).await.is(422).shows(why);
    }
    let far = json!({"eventTypeId": kind, "coachId": coach, "startsAt": "3000-01-01T10:00:00Z"});
    app.app("POST", "/calendar/events", Some(far)).await.refused(400, "request.invalid");
    app.events().await;
}
