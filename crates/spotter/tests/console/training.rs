//! Forms of training: programmes by staff, workouts by clients.

use serde_json::json;
use spotter_harness::{
    App,
    browser::{Browser, Form},
    dates, people, scenario, text, training,
};

#[scenario]
async fn a_day_of_a_programme_is_built_and_moved(app: App) {
    let mut browser = Browser::of(&app, &app.admin_email).await;
    let form = browser.get("/console/programmes").await.form("create_workout_template");
    let form = form.with("name", "Base").with("layout", "calendar_week").with("mode", "multi_week");
    let page = browser.act(form.with("weeks", "2")).await.shows("Week 2");
    let form = page.form("create_workout_moment").with("name", "Push").with("weekday", "2");
    let page = browser.act(form).await.shows("Tuesday");
    let day = page.links().into_iter().find(|link| link.contains("/days/")).unwrap();
    let written = |page: &spotter_harness::browser::Page| -> Vec<Form> {
        let forms = page.forms().into_iter();
        forms.filter(|form| form.field("-do") == Some("set_workout_moment_exercises")).collect()
    };
    // A number of equal sets is added.
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
    // Moved down and up again, by buttons. The first of them is what drag and drop sends.
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
async fn unticked_sets_are_skipped(app: App) {
    let (client, token) = people::client(&app).await;
    // A plan without dates: its days are done in turn, whenever there is time.
    let facts = json!({"layout": "sequence", "mode": "recurring"});
    let template = training::template_of(&app, facts).await;
    let squat = text(
        app.get("/workout/exercises?search=back+squat").await.data(),
        "/exercises/0/exerciseId",
    );
    let sets = json!([{"reps": 5, "weight": 60}, {"reps": 5, "weight": 60}]);
    let day = json!({"name": "Legs", "exercises": [{"exerciseId": squat, "sets": sets}]});
    training::add_day(&app, &template, day).await;
    training::publish(&app, &template).await;
    let plan = training::assign(&app, &client, &template, None).await;
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
    // Ticked boxes stay ticked where another field is refused.
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
    let template = training::template_of(&app, facts).await;
    let squat = json!({"exerciseId": training::SQUAT, "sets": [{"reps": 5, "weight": 62.5}]});
    let day = json!({"name": "W1D1", "weekNumber": 1, "weekday": 1, "exercises": [squat]});
    training::add_day(&app, &template, day).await;
    training::publish(&app, &template).await;
    training::assign(&app, &client, &template, Some(&dates::monday(1))).await;
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
    // Empty rows are not sets.
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
