//! What is done on pages: once for each form, as whoever is signed in, with what is wrong told where it is.

use serde_json::{Value, json};
use spotter_store::{Sql, params};

use super::{Browser, Form};
use crate::{
    calendar,
    harness::{App, people, random_text},
    on_both_engines,
    workout::{self, text},
};

on_both_engines!(
    a_client_is_added_and_looked_at,
    a_form_that_is_sent_twice_is_done_once,
    what_is_wrong_is_told_beside_its_field,
    a_secret_is_shown_once_and_after_the_password,
    forms_that_nobody_made_do_no_harm,
    money_and_times_are_read_as_people_write_them,
    a_day_of_a_programme_is_built_and_moved,
    a_client_is_checked_in_and_written_to,
    clients_book_classes_and_wait_for_a_seat,
    marks_make_nothing_of_what_the_operation_does_not_have,
    an_answer_that_is_wrong_loses_no_other,
    sets_that_nobody_ticks_were_left_out,
    a_business_adds_exercises_of_its_own,
    what_somebody_else_changed_is_not_written_over,
    nothing_begins_where_nobody_looks,
);

async fn a_client_is_added_and_looked_at(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/clients/new").await.form("create_client");
    let email = format!("{}@example.com", random_text());
    let form =
        form.with("firstName", "Zoë").with("lastName", "<b>de Vries</b>").with("email", &email);
    let page = browser.act(form).await.shows("&lt;b&gt;de Vries&lt;/b&gt;").shows("Added.");
    // What was done is said once.
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
    browser.act(archive).await.shows("Archived.").shows("Moved");
    let names: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["client.updated", "client.archived"]);
}

async fn a_form_that_is_sent_twice_is_done_once(app: App) {
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

async fn what_is_wrong_is_told_beside_its_field(app: App) {
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

async fn a_secret_is_shown_once_and_after_the_password(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let coach = app.admin.to_string();
    let form = |page: super::Page| {
        let form = page.form("create_api_client").with("defaultAssignedCoachId", &coach);
        form.with("name", "Website").with("scopes", "clients:read")
    };
    let new = form(browser.get("/console/integrations").await);
    let shown = browser.send(new.clone()).await.is(200).shows("fsps_").shows("fspc_");
    assert!(shown.headers["cache-control"] == "no-store");
    // Sent again by a reload, it shows the same.
    let again = browser.send(new).await.is(200);
    let secret = |text: &str| text[text.find("fsps_").unwrap()..][..70].to_owned();
    assert_eq!(secret(&shown.text), secret(&again.text));
    let list = browser.get("/console/integrations").await.is(200).shows("Website");
    assert!(!list.text.contains("fsps_"));
    // Ten minutes later the password is asked for.
    const LATE: Sql =
        Sql("UPDATE browser_session SET sure_at = sure_at - 3600000 WHERE company_id = ?1");
    let company = app.company;
    let late = move |tx: &mut spotter_store::Tx<'_>| tx.execute(LATE, params![company]);
    app.server.db.write(late).await.unwrap();
    let page = browser.get("/console/integrations").await.is(200);
    let new = form(page).with("-key", "another");
    assert!(new.field("-password").is_some());
    browser.send(new.clone()).await.is(422).shows("is needed again");
    let wrong = new.clone().with("-password", "wrong");
    browser.send(wrong).await.is(422).shows("must be your password");
    let right = new.with("-password", crate::harness::PASSWORD);
    browser.send(right).await.is(200).shows("fsps_");
    // That was a moment ago, for whatever comes next.
    let page = browser.get("/console/integrations").await.is(200);
    assert!(page.form("create_api_client").field("-password").is_none());
    // Whatever shows a secret asks, on whichever page its form was made.
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
    browser.send(Form { fields, ..plain }).await.is(422).shows("is needed again");
}

async fn forms_that_nobody_made_do_no_harm(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/clients/new").await.form("create_client");
    let form = form.with("firstName", "Once").with("lastName", "Only");
    let mut many = form.clone();
    many.fields.extend((0..1_000).map(|at| (format!("x{at}:hours"), String::new())));
    browser.send(many).await.is(422).shows("at most 1000 fields");
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

async fn money_and_times_are_read_as_people_write_them(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/products/new").await.form("create_product");
    let form =
        form.with("productType", "Membership").with("name.en", "Gold").with("price:money", "49,50");
    let form = form.with("vatPercentage", "21").with("period", "Month").with("autoRenew", "true");
    let page = browser.act(form).await.shows("49.50");
    let form = page.form("update_product").with("price:money", "a lot");
    browser.send(form).await.is(422).shows("must be an amount").shows("value=\"a lot\"");
    let told = app.get("/finance/products").await.ok();
    let product = &told.data()["products"][0];
    assert_eq!((&product["price"], &product["autoRenew"]), (&json!(4950), &json!(true)));
    // What is not ticked is so no more.
    let form = page.form("update_product");
    let kept: Vec<_> =
        form.fields.iter().filter(|(name, _)| name != "autoRenew").cloned().collect();
    browser.send(Form { fields: kept, ..form }).await.is(303);
    let told = app.get("/finance/products").await.ok();
    assert_eq!(told.data()["products"][0]["autoRenew"], false);
}

async fn a_day_of_a_programme_is_built_and_moved(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/programmes").await.form("create_workout_template");
    let form = form.with("name", "Base").with("layout", "calendar_week").with("mode", "multi_week");
    let page = browser.act(form.with("weeks", "2")).await.shows("Week 2");
    let form = page.form("create_workout_moment").with("name", "Push").with("weekday", "2");
    let page = browser.act(form).await.shows("Tuesday");
    let day = page.links().into_iter().find(|link| link.contains("/days/")).unwrap();
    let written = |page: &super::Page| -> Vec<Form> {
        let forms = page.forms().into_iter();
        forms.filter(|form| form.field("-do") == Some("set_workout_moment_exercises")).collect()
    };
    // So many equal sets are added.
    let page = browser.get(&format!("{day}?search=bench+press")).await.is(200);
    let first = page.form("set_workout_moment_exercises");
    let first =
        first.with("exercises.0.sets.0.reps", "5").with("exercises.0.sets.0.weight", "60,5");
    let often = first.clone().with("exercises.0.sets:times", "31");
    browser.send(often).await.is(422).shows("from 1 to 30").shows("What to do, sets");
    browser.act(first).await.shows("3 × 5 · 60.5 kg");
    let page = browser.get(&format!("{day}?search=squat")).await.is(200);
    let form = written(&page).into_iter().next_back().unwrap();
    let form = form.with("exercises.1.sets:times", "1").with("exercises.1.sets.0.reps", "8");
    let page = browser.act(form).await.shows("1 × 8");
    // The sets of one are written otherwise; an empty row is no set.
    let form = written(&page)
        .into_iter()
        .find(|form| form.field("exercises.0.sets:rows").is_some())
        .unwrap();
    let wrong = form.clone().with("exercises.0.sets.3.reps", "many");
    browser.send(wrong).await.is(422).shows("Set 4, Reps");
    let form = form
        .with("exercises.0.sets.1.weight", "62.5")
        .with("exercises.0.sets.2.reps", "")
        .with("exercises.0.sets.2.weight", "")
        .with("exercises.0.sets.4.reps", "3")
        .with("exercises.0.restSeconds", "120")
        .with("exercises.0.notes", "Slowly");
    let page = browser.act(form).await.shows("Slowly");
    // Down and up again, by buttons.
    // The first of them is what a drop sends.
    let down = page
        .forms()
        .into_iter()
        .filter(|form| form.field("-do") == Some("set_workout_moment_exercises"))
        .nth(1)
        .unwrap();
    browser.act(down).await.shows("Saved.");
    let plan = text(app.get("/workout/plans/templates").await.data(), "/templates/0/_id");
    let told = app.get(&format!("/workout/plans/moments/{plan}")).await.ok();
    let moment = &told.data()["moments"][0];
    assert_eq!(moment["exercises"].as_array().unwrap().len(), 2);
    let bench = &moment["exercises"][1];
    let sets: Vec<_> = bench["sets"].as_array().unwrap().iter().collect();
    let of = |place: usize| (sets[place]["reps"].clone(), sets[place]["weight"].clone());
    assert_eq!(sets.len(), 3, "{bench}");
    assert_eq!(of(0), (json!(5), json!(60.5)));
    assert_eq!(of(1), (json!(5), json!(62.5)));
    assert_eq!(of(2), (json!(3), json!(null)));
    assert_eq!((&bench["restSeconds"], &bench["notes"]), (&json!(120), &json!("Slowly")));
    let page = browser.get(&format!("/console/programmes/{plan}")).await.is(200);
    let later = page.forms().into_iter().rfind(|form| form.field("weekday") == Some("3")).unwrap();
    browser.act(later).await.shows("Wednesday");
    app.events().await;
}

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
    // What of a waiting list is not shown on the page of its type stays.
    let path = format!("/console/settings/event-types/{kind}");
    let mut staff = Browser::of(&app, &app.admin_email).await;
    let form = staff.get(&path).await.is(200).form("update_event_type");
    staff.act(form.with("waitlist.mode", "offer")).await;
    let told = app.get(&format!("/event-types/{kind}")).await.ok();
    let waitlist = &told.data()["eventType"]["waitlist"];
    assert_eq!((&waitlist["mode"], &waitlist["maxEntries"]), (&json!("offer"), &json!(5)));
    app.events().await;
    let [first, second] = browsers.as_mut_slice() else { return };
    let seat = |page: &super::Page| page.form("create_booking");
    let page = first.get(&day).await.is(200).shows(&name).shows("1 left");
    // What is about to be booked is looked at once more.
    let links = page.links().into_iter().find(|link| link.contains("class=")).unwrap();
    let page = first.get(&links).await.is(200).shows("Book it");
    first.act(seat(&page)).await.shows("Booked.");
    app.announced(&["booking.created"]).await;
    first.get(&day).await.is(200).shows("Booked or waiting already");
    let page = second.get(&day).await.is(200).shows("0 left");
    assert_eq!(seat(&page).field("capacityAction"), Some("waitlist"));
    second.act(seat(&page)).await.shows("On the waiting list.");
    let told = app.get("/bookings?limit=10").await.ok();
    let found = told.data()["bookings"].as_array().unwrap().clone();
    let mut statuses: Vec<String> = found.iter().map(|one| text(one, "/status")).collect();
    statuses.sort();
    assert_eq!(statuses, ["booked", "waitlisted"]);
    app.events().await;
}

async fn marks_make_nothing_of_what_the_operation_does_not_have(app: App) {
    let email = people::client_with_address(&app).await;
    let mut browser = Browser::of(&app, &email).await;
    let form = browser.get("/my/progress").await.form("create_habit").with("name", "Walk");
    let mut nested = form.clone().with("x:json", "[[[[[{\"a\":1}]]]]]");
    for place in ["x.0.0.0.0", "x.0.0.0", "x.0.0", "x.0", "x"] {
        nested = nested.with(&format!("{place}:times"), "30");
    }
    browser.send(nested).await.is(422).shows("is no field of this form");
    let options = "?\n".repeat(1_000);
    let question = form.clone().with("x:question", "[]").with("question.options", &options);
    browser.send(question).await.is(422).shows("is no field of this form");
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

async fn an_answer_that_is_wrong_loses_no_other(app: App) {
    let email = people::client_with_address(&app).await;
    let told = app.get(&format!("/clients?search={email}")).await.ok();
    let client = text(told.data(), "/clients/0/clientId");
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

async fn sets_that_nobody_ticks_were_left_out(app: App) {
    let (client, token) = people::client(&app).await;
    // A plan without dates: its days are done in turn, whenever there is time.
    let facts = json!({"layout": "sequence", "mode": "recurring"});
    let template = workout::template_of(&app, facts).await;
    let squat = text(
        app.get("/workout/exercises?search=back+squat").await.data(),
        "/exercises/0/exerciseId",
    );
    let sets = json!([{"reps": 5, "weight": 60}, {"reps": 5, "weight": 60}]);
    let day = json!({"name": "Legs", "exercises": [{"exerciseId": squat, "sets": sets}]});
    workout::add_day(&app, &template, day).await;
    workout::publish(&app, &template).await;
    let plan = workout::assign(&app, &client, &template, None).await;
    let path = format!("/workout/clients/{client}/plans/template/{plan}/days");
    let told = app.app_as(&token, "GET", &path, None).await.ok();
    assert_eq!(told.data()["days"][0]["name"], "Legs");
    let (_, other) = people::client(&app).await;
    app.app_as(&other, "GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let told = app.get(&format!("/clients/{client}")).await.ok();
    let mut browser = Browser::of(&app, told.data()["client"]["email"].as_str().unwrap()).await;
    let page =
        browser.get("/my/training").await.is(200).shows("whenever you have time").shows("Legs");
    let page = browser.act(page.form("begin_workout_session")).await.shows("Set 2");
    let form = page.form("set_workout_session_sets");
    let ticked = "exercises.0.sets.0.completed";
    let kept = form.fields.iter().filter(|(name, _)| !name.ends_with(".completed")).cloned();
    let form = Form { fields: kept.collect(), ..form }.with(ticked, "true");
    let page = browser.act(form).await;
    browser.act(page.form("complete_workout_session")).await.shows("Well done!");
    let path = format!("/workout/clients/{client}/plans/sessions");
    let told = app.get(&path).await.ok();
    assert_eq!(told.data()["sessions"][0]["setCount"], 1, "{}", told.data());
    app.events().await;
}

async fn a_business_adds_exercises_of_its_own(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/programmes/exercises").await.form("create_workout_exercise");
    let form = form.with("name", "Sled push").with("trackingType", "weight_distance");
    browser.send(form.clone()).await.is(422).shows("Muscles");
    let page = browser.act(form.with("primaryMuscles", "quadriceps")).await.shows("Sled push");
    browser
        .act(page.form("update_workout_exercise").with("instructions", "Low"))
        .await
        .shows("Low");
    browser.get("/console/programmes/exercises?source=company").await.is(200).shows("Sled push");
    let page = browser.get("/console/programmes/exercises?source=system").await.is(200);
    let link = page.links().into_iter().find(|link| link.contains("/exercises/")).unwrap();
    let page = browser.get(&link).await.is(200).shows("stay as they are");
    assert!(page.forms().iter().all(|form| form.field("-do") != Some("update_workout_exercise")));
    app.events().await;
}

async fn what_somebody_else_changed_is_not_written_over(app: App) {
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
    browser.send(second).await.is(422).shows("was changed meanwhile");
    // What is sent twice is no change by somebody else.
    browser.send(first).await.is(303);
    browser.get(&path).await.shows("First");
    // What was seen is an answer, and nothing that is done.
    for seen in
        ["{}", "x", r#"{"operation":"create_client","path":[],"query":"","places":[],"digest":""}"#]
    {
        let odd = added("Odd").with("-key", &random_text()).with("-seen", seen);
        browser.send(odd).await.is(422);
    }
    app.events().await;
}

async fn nothing_begins_where_nobody_looks(app: App) {
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
