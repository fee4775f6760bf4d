//! What is done on pages: once for each form, as whoever is signed in, with what is wrong told where it is.

use serde_json::{Value, json};
use spotter_store::{Sql, params};
use spotter_testing_macros::scenario;

use super::{Browser, Form};
use crate::{
    calendar,
    harness::{App, people, random_text},
    workout::{self, text},
};

#[scenario]
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
    let told = browser.send(archive).await.is(200).shows("is archived; their records stay.");
    browser.act(told.form("archive_client")).await.shows("Archived.").shows("Moved");
    let names: Vec<_> = app.events().await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["client.updated", "client.archived"]);
}

#[scenario]
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

#[scenario]
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

#[scenario]
async fn a_secret_is_shown_once_and_after_the_password(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let coach = app.admin.to_string();
    let form = |page: super::Page| {
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

#[scenario]
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
    // What is not ticked is so no more.
    let form = page.form("update_product");
    let kept: Vec<_> =
        form.fields.iter().filter(|(name, _)| name != "autoRenew").cloned().collect();
    browser.send(Form { fields: kept, ..form }).await.is(303);
    let answer = app.get("/finance/products").await.ok();
    assert_eq!(answer.data()["products"][0]["autoRenew"], false);
}

#[scenario]
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
    let answer = app.get(&format!("/workout/plans/moments/{plan}")).await.ok();
    let moment = &answer.data()["moments"][0];
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
    // What of a waiting list is not shown on the page of its type stays.
    let path = format!("/console/settings/event-types/{kind}");
    let mut staff = Browser::of(&app, &app.admin_email).await;
    let form = staff.get(&path).await.is(200).form("update_event_type");
    staff.act(form.with("waitlist.mode", "offer")).await;
    let answer = app.get(&format!("/event-types/{kind}")).await.ok();
    let waitlist = &answer.data()["eventType"]["waitlist"];
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
    let answer = app.get("/bookings?limit=10").await.ok();
    let found = answer.data()["bookings"].as_array().unwrap().clone();
    let mut statuses: Vec<String> = found.iter().map(|one| text(one, "/status")).collect();
    statuses.sort();
    assert_eq!(statuses, ["booked", "waitlisted"]);
    app.events().await;
}

#[scenario]
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
    let answer = app.app_as(&token, "GET", &path, None).await.ok();
    assert_eq!(answer.data()["days"][0]["name"], "Legs");
    let (_, other) = people::client(&app).await;
    app.app_as(&other, "GET", &path, None).await.refused(404, "PUBLIC_API_CLIENT_NOT_FOUND");
    let answer = app.get(&format!("/clients/{client}")).await.ok();
    let mut browser = Browser::of(&app, answer.data()["client"]["email"].as_str().unwrap()).await;
    let page =
        browser.get("/my/training").await.is(200).shows("whenever you have time").shows("Legs");
    let page = browser.act(page.form("begin_workout_session")).await.shows("Set 2");
    let form = page.form("set_workout_session_sets");
    let ticked = "exercises.0.sets.0.completed";
    let kept = form.fields.iter().filter(|(name, _)| !name.ends_with(".completed")).cloned();
    let form = Form { fields: kept.collect(), ..form }.with(ticked, "true");
    // What was ticked stays so where something else is refused.
    let wrong = browser.send(form.clone().with("exercises.0.sets.0.reps", "abc")).await.is(422);
    assert_eq!(wrong.form("set_workout_session_sets").field(ticked), Some("true"));
    let page = browser.act(form).await;
    browser.act(page.form("complete_workout_session")).await.shows("Well done!");
    let path = format!("/workout/clients/{client}/plans/sessions");
    let answer = app.get(&path).await.ok();
    assert_eq!(answer.data()["sessions"][0]["setCount"], 1, "{}", answer.data());
    app.events().await;
}

#[scenario]
async fn a_workout_is_looked_at_before_its_day(app: App) {
    let (client, _) = people::client(&app).await;
    let facts = json!({"layout": "calendar_week", "mode": "multi_week", "weeks": 1});
    let template = workout::template_of(&app, facts).await;
    let squat = json!({"exerciseId": workout::SQUAT, "sets": [{"reps": 5, "weight": 62.5}]});
    let day = json!({"name": "W1D1", "weekNumber": 1, "weekday": 1, "exercises": [squat]});
    workout::add_day(&app, &template, day).await;
    workout::publish(&app, &template).await;
    workout::assign(&app, &client, &template, Some(&workout::monday(1))).await;
    let answer = app.get(&format!("/clients/{client}")).await.ok();
    let mut browser = Browser::of(&app, answer.data()["client"]["email"].as_str().unwrap()).await;
    let page = browser.get("/my/training").await.is(200);
    let link = page.links().into_iter().find(|link| link.contains("/training/days/")).unwrap();
    browser
        .get(&link)
        .await
        .is(200)
        .shows("W1D1")
        .shows("Back Squat")
        .shows("62.5 kg")
        .shows("Begin");
    app.events().await;
}

#[scenario]
async fn clients_log_workouts_of_their_own(app: App) {
    let (client, _) = people::client(&app).await;
    let body = json!({"type": "weight", "value": 80, "unit": "kg"});
    app.post(&format!("/clients/{client}/measurements"), body).await.ok();
    let answer = app.get(&format!("/clients/{client}")).await.ok();
    let mut browser = Browser::of(&app, answer.data()["client"]["email"].as_str().unwrap()).await;
    let page = browser.get("/my/training").await.is(200);
    let form = page.form("begin_workout_session").with("name", "Hotel gym");
    browser.act(form).await.shows("Hotel gym");
    let sessions = format!("/workout/clients/{client}/plans/sessions");
    let session = text(app.get(&sessions).await.ok().data(), "/sessions/0/sessionId");
    let found = format!("/my/training/{session}/add?search=assisted+dip");
    let found = browser.get(&found).await.is(200);
    let page = browser.act(found.form("set_workout_session_sets")).await.shows("Assisted Dip");
    let form = page.form("set_workout_session_sets");
    assert_eq!(form.field("exercises.0.bodyWeight"), Some("80"), "as it was measured last");
    // Rows that nobody fills in are no sets.
    let form = form
        .with("exercises.0.sets.0.weight", "22,5")
        .with("exercises.0.sets.0.reps", "8")
        .with("exercises.0.sets.0.completed", "true");
    let page = browser.act(form).await.shows("22.5");
    browser.act(page.form("complete_workout_session")).await.shows("22.5 kg of help");
    let path = format!("/workout/clients/{client}/plans/personal-records");
    let answer = app.get(&path).await.ok();
    let records = &answer.data()["personalRecords"][0]["records"];
    assert_eq!(
        (&records[0]["type"], &records[0]["value"]),
        (&json!("min_assistance"), &json!(22.5))
    );
    browser.get("/my/training").await.is(200).shows("22.5 kg").shows("least help");
    app.events().await;
}

#[scenario]
async fn what_is_set_aside_says_what_it_leaves_behind(app: App) {
    let new = json!({"name": "Annex", "timeZone": "Europe/Amsterdam"});
    let location = text(app.post("/locations", new).await.ok().data(), "/location/locationId");
    let new = json!({"firstName": "Ann", "homeLocationId": location});
    app.new_client(new).await;
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let page = browser.get(&format!("/console/settings/locations/{location}")).await.is(200);
    // Told before, and done once it is confirmed.
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

#[scenario]
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

#[scenario]
async fn an_old_page_takes_nothing_back(app: App) {
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
    // It comes back, and is still of the page that was seen first.
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
    let form = |page: &super::Page| page.form("update_client_custom_fields");
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
    // What is written whole is refused where it is otherwise by now.
    let path = format!("/console/clients/{client}");
    let (one, other) = (browser.get(&path).await.is(200), browser.get(&path).await.is(200));
    browser.act(one.form("set_client_tags").with("tags:list", "early")).await;
    let late = other.form("set_client_tags").with("tags:list", "late");
    let back = browser.send(late).await.is(422).shows("was changed meanwhile");
    // It is shown as it is now, with what was typed beside it: sending it again takes nothing back.
    let back = back.shows("You had typed:").shows("late");
    assert_eq!(back.form("set_client_tags").field("tags:list"), Some("early"));
    // Two who write into one field: who comes later is told what stands there, and writes it over knowingly.
    let path = format!("/console/clients/{client}/edit");
    let (one, other) = (browser.get(&path).await.is(200), browser.get(&path).await.is(200));
    browser.act(one.form("update_client").with("lastName", "First")).await;
    let late = other.form("update_client").with("lastName", "Second");
    let back = browser.send(late).await.is(422).shows("by somebody else").shows("now: First");
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
async fn what_is_measured_has_its_unit(app: App) {
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
    // Whoever measures otherwise says so.
    let account = browser.get("/console/account").await.is(200);
    let taste = account.forms().into_iter().find(|form| form.action == "/console/taste").unwrap();
    browser.act(taste.with("units", "metric")).await;
    browser.get(&path).await.shows("81.65 kg").shows("81.28 cm");
    app.events().await;
}

#[scenario]
async fn what_went_back_is_seen_on_its_invoice(app: App) {
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
