//! Training: what is planned, a workout as it is done, and what comes of it.

use maud::{Markup, html};
use serde_json::{Value, json};
use spotter_kernel::Result;

use crate::{
    field_kind::FieldKind,
    page_context::{ApiCall, PageContext},
    pages::programmes,
    parts::{
        fields::{Form, disclosure},
        format::{Format, JsonFields},
        icon,
        lists::{empty, pager, state},
        shell::View,
    },
    words::Strings,
};

/// What of the days to come is planned for training.
pub(super) fn planned(cx: &mut PageContext<'_, '_>, days: i64) -> Result<Vec<Value>> {
    let (own, today) = (cx.own_id(), cx.written.today());
    let until = today.plus_days(days).unwrap_or(today);
    let call = ApiCall::of("get_client_workout_calendar")
        .at("clientId", &own)
        .with("from", today)
        .with("to", until);
    Ok(cx.call_if_allowed(call)?.unwrap_or_default().list("calendar.items").to_vec())
}

/// A day of training with what begins it, or goes on with it.
pub(super) fn workout(cx: &PageContext<'_, '_>, item: &Value) -> Markup {
    let own = cx.own_id();
    let t = cx.strings;
    let open =
        matches!(item.text("status"), "today" | "missed" | "planned" | "in_progress" | "upcoming");
    html! {
        li {
            span.grow {
                @if item.text("status") == "locked" { b { (item.text("name")) } } @else { a href=(day_of(item)) { b { (item.text("name")) } } }
                br; span.quiet {
                (item.date("scheduledDate").map(|date| cx.written.day(date)).unwrap_or_default()) " · " (item.text("planName")) } }
            @if item.text("status") == "in_progress" { a.button href={ "/my/training/" (item.text("sessionId")) } { (t.go_on()) } }
            @else if item.has("sessionId") { a href={ "/my/training/" (item.text("sessionId")) } { (state(cx, item.text("status"))) } }
            @else if open && item.date("scheduledDate").is_some_and(|date| date <= cx.written.today()) {
                (beginning(cx, own, [item.text("planId"), item.text("planMomentId"), item.text("plannedDate")]).send(t.begin()))
            } @else { (state(cx, item.text("status"))) }
        }
    }
}

/// Where a planned workout is looked at before its day, too.
fn day_of(item: &Value) -> String {
    let [plan, day, date] = ["planId", "planMomentId", "plannedDate"].map(|name| item.text(name));
    format!("/my/training/days/{plan}/{day}?date={date}")
}

/// What begins a day of a plan, on a date that it is planned for, where there is one.
fn beginning<'f>(
    cx: &'f PageContext<'_, '_>,
    own: String,
    [plan, day, date]: [&str; 3],
) -> Form<'f> {
    let form = Form::about(cx, "begin_workout_session", vec![("clientId", own)])
        .hidden("planId", plan)
        .hidden("planMomentId", day);
    let form = if date.is_empty() { form } else { form.hidden("occurrenceDate", date) };
    form.next("/my/training/{session.sessionId}")
}

/// `/my/training/days/{planId}/{planMomentId}`: what a day asks for, and what begins it.
pub(in crate::pages) fn day(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let [plan, id] = ["planId", "planMomentId"].map(|name| cx.place.param(name).to_owned());
    let query = ApiCall::of("get_client_workout_day").at("clientId", &own).at("templateId", &plan);
    let answer = cx.call(query.at("planMomentId", &id))?;
    let unit = programmes::weight_unit(cx)?;
    let date = cx.place.parameter("date").to_owned();
    let (t, day) = (cx.strings, answer.at("day"));
    let main = html! {
        @if let Some(date) = spotter_kernel::Date::parse(&date) { p { (cx.written.day(date)) } }
        @if day.has("notes") { p.quiet { (day.text("notes")) } }
        section.card {
            ul.rows { @for exercise in day.list("exercises") {
                li { span.grow { b { (exercise.text("name")) } br; span.quiet { (programmes::prescription(cx, exercise, &unit)) }
                    @if exercise.has("notes") { br; span.quiet { (exercise.text("notes")) } } } }
            } }
        }
        (beginning(cx, own, [&plan, &id, &date]).send(t.begin()))
    };
    Ok(View::new(day.text("name"), main)
        .acts(html! { a.button.plain href="/my/training" { (t.training()) } }))
}

/// Plans without dates that somebody trains by, a few of them, each with its days: those are done in turn, whenever there is time.
fn undated(cx: &mut PageContext<'_, '_>, own: &str) -> Result<Vec<(Value, Vec<Value>)>> {
    let call = ApiCall::of("list_client_workout_plans").at("clientId", own);
    let answer =
        cx.call_if_allowed(call.with("status", "Active").with("limit", 50))?.unwrap_or_default();
    let plans = answer.list("plans").iter().filter(|plan| !plan.has("startDate")).take(5);
    let mut all = Vec::new();
    for plan in plans {
        let call = ApiCall::of("list_client_workout_days").at("clientId", own);
        let answer =
            cx.call_if_allowed(call.at("templateId", plan.text("_id")))?.unwrap_or_default();
        all.push((plan.clone(), answer.list("days").to_vec()));
    }
    Ok(all)
}

/// `/my/training`
pub(in crate::pages) fn home(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let own = cx.own_id();
    let coming = planned(cx, 13)?;
    let undated = undated(cx, &own)?;
    let done = cx.list_if(ApiCall::of("list_workout_sessions").at("clientId", &own))?;
    let records = cx
        .call_if_allowed(
            ApiCall::of("list_personal_records").at("clientId", &own).with("limit", 10),
        )?
        .unwrap_or_default();
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        section.card {
            h2 { (t.planned()) }
            @if coming.is_empty() && undated.is_empty() { p.quiet { (t.no_workout()) } }
            ul.rows { @for item in &coming { (workout(cx, item)) } }
        }
        @for (plan, days) in &undated {
            section.card {
                h2 { (plan.text("name")) }
                p.quiet { (t.in_your_own_time()) }
                ul.rows { @for day in days {
                    li {
                        span.grow { a href={ "/my/training/days/" (plan.text("_id")) "/" (day.text("planMomentId")) } { b { (day.text("name")) } }
                            br; span.quiet { (day.list("exercises").iter().map(|one| one.text("name")).collect::<Vec<_>>().join(", ")) } }
                        (beginning(cx, own.clone(), [plan.text("_id"), day.text("planMomentId"), ""]).button(t.begin()))
                    }
                } }
            }
        }
        @if cx.may("begin_workout_session") {
            (disclosure(t.own_workout(), Form::about(cx, "begin_workout_session", vec![("clientId", own.clone())])
                .text("name", t.name()).next("/my/training/{session.sessionId}/add").send(t.begin())))
        }
        section.card {
            h2 { (t.records()) }
            ul.rows { @for lift in records.list("personalRecords") {
                li { span.grow { (lift.text("name")) } span.number { @for record in lift.list("records").iter().take(1) {
                    (record_value(written, record, lift.text("weightUnit"))) " " span.quiet { (t.term(record.text("type"))) } } } }
            } }
        }
        section.card {
            h2 { (t.sessions()) }
            ul.rows { @for session in done.iter().flat_map(|done| done.list("sessions")) {
                li { span.number { (session.date("localDate").map(|date| written.date(date)).unwrap_or_default()) }
                    a.grow href={ "/my/training/" (session.text("sessionId")) } { (session.text("name")) } (state(cx, session.text("status"))) }
            } }
        }
        @if let Some(done) = &done { (pager(cx, done)) }
    };
    Ok(View::new(t.training(), main))
}

/// What a record is, in its unit.
fn record_value(written: &Format, record: &Value, weight_unit: &str) -> String {
    let value = written.number(record.at("value").as_f64().unwrap_or_default(), 2);
    match record.text("type") {
        "max_reps" => value,
        "max_duration" => format!("{value} s"),
        "max_distance" => format!("{value} m"),
        _ => format!("{value} {weight_unit}"),
    }
}

/// Most exercises that a search shows.
const FOUND_MAX: i64 = 20;

/// `/my/training/{sessionId}/add`: exercises for a workout, found by their name.
pub(in crate::pages) fn add(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("sessionId").to_owned());
    let answer =
        cx.call(ApiCall::of("get_workout_session").at("clientId", &own).at("sessionId", &id))?;
    let session = answer.at("session").clone();
    let exercises = exercises_of(cx, &own, &session)?;
    let search = cx.place.parameter("search").trim().to_owned();
    let query =
        ApiCall::of("list_workout_exercises").with("archived", "false").with("limit", FOUND_MAX);
    let found = match search.is_empty() {
        true => Value::Null,
        false => cx.call(query.with("search", &search))?,
    };
    let (t, place) = (cx.strings, format!("/my/training/{id}"));
    let adding = |exercise: &Value| {
        let at = vec![("clientId", own.clone()), ("sessionId", id.clone())];
        let mut form = Form::about(cx, "set_workout_session_sets", at)
            .next(format!("{place}?exercise={}", exercises.len()));
        for (index, exercise) in exercises.iter().enumerate() {
            form = logged(form, index, exercise);
        }
        let name = format!("exercises.{}.exerciseId", exercises.len());
        form.hidden(&name, exercise.text("exerciseId")).button(t.add())
    };
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (t.exercises()) input type="search" name="search" value=(search) maxlength="100" autofocus; }
            button.plain type="submit" { (t.search()) }
        }
        @if !search.is_empty() && found.list("exercises").is_empty() { (empty(t.no_exercise_found(), None)) }
        ul.rows.card { @for exercise in found.list("exercises") {
            li { span.grow { (exercise.text("name")) } (adding(exercise)) }
        } }
    };
    Ok(View::new(session.text("name"), main)
        .acts(html! { a.button.plain href=(place) { (t.back()) } }))
}

/// An exercise of a workout as it stands: sets of which something is known.
fn logged<'f>(mut form: Form<'f>, index: usize, exercise: &Value) -> Form<'f> {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let name = |rest: &str| format!("exercises.{index}.{rest}");
    form = form.hidden(&name("exerciseId"), exercise.text("exerciseId"));
    for field in BESIDE_SETS.into_iter().filter(|field| exercise.has(field)) {
        form = form.hidden(&name(field), plain(exercise.at(field)));
    }
    let measured =
        |set: &&Value| ["reps", "durationSeconds", "distanceMeters"].iter().any(|one| set.has(one));
    for (number, set) in exercise.list("sets").iter().filter(measured).enumerate() {
        let name = |field: &str| name(&format!("sets.{number}.{field}"));
        for field in OF_SETS.into_iter().filter(|field| set.has(field)) {
            form = form.hidden(&name(field), plain(set.at(field)));
        }
        form = form.hidden(&name("completed"), set.is("completed").to_string());
    }
    form
}

/// What is logged of an exercise beside its sets.
const BESIDE_SETS: [&str; 3] = ["notes", "superset", "bodyWeight"];
/// What is logged of a set, but whether it was done.
const OF_SETS: [&str; 6] = ["type", "reps", "weight", "durationSeconds", "distanceMeters", "rpe"];

/// The exercises of a workout: what was logged, or else what its plan asks for. Each tells what is measured of it.
fn exercises_of(cx: &mut PageContext<'_, '_>, own: &str, session: &Value) -> Result<Vec<Value>> {
    let mut all = session.list("exercises").to_vec();
    if all.is_empty() && session.text("status") != "completed" {
        all = from_plan(cx, own, session)?;
    }
    for exercise in &mut all {
        let call =
            ApiCall::of("get_workout_exercise").at("exerciseId", exercise.text("exerciseId"));
        let answer = cx.call_if_allowed(call)?.unwrap_or_default();
        exercise["trackingType"] = json!(answer.text("exercise.trackingType"));
    }
    let unknown = |exercise: &Value| moves_body(exercise) && !exercise.has("bodyWeight");
    if session.text("status") != "completed" && all.iter().any(unknown) {
        let body = weighed(cx, own, session.text("weightUnit"))?;
        for exercise in all.iter_mut().filter(|exercise| unknown(exercise)) {
            exercise["bodyWeight"] = body.clone();
        }
    }
    Ok(all)
}

/// Whether what is moved is the body, with help or with more.
fn moves_body(exercise: &Value) -> bool {
    matches!(exercise.text("trackingType"), "assisted" | "bodyweight_plus")
}

/// What somebody weighed last, in the unit in which weights are logged; null where it is not known.
fn weighed(cx: &mut PageContext<'_, '_>, own: &str, unit: &str) -> Result<Value> {
    let units = if unit == "lb" { "imperial" } else { "metric" };
    let call = ApiCall::of("get_latest_measurements").at("clientId", own).with("units", units);
    let answer = cx.call_if_allowed(call)?.unwrap_or_default();
    let weight = answer.list("measurements").iter().find(|one| one.text("type") == "weight");
    Ok(weight.map_or(Value::Null, |weight| weight.at("value").clone()))
}

/// `/my/training/{sessionId}`: one exercise a screen, each saved at once.
pub(in crate::pages) fn session(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("sessionId").to_owned());
    let answer =
        cx.call(ApiCall::of("get_workout_session").at("clientId", &own).at("sessionId", &id))?;
    let session = answer.at("session").clone();
    let exercises = exercises_of(cx, &own, &session)?;
    let unit = session.text("weightUnit").to_owned();
    let at = || vec![("clientId", own.clone()), ("sessionId", id.clone())];
    let (t, written) = (cx.strings, &cx.written);
    let open = session.text("status") != "completed";
    let view = cx
        .place
        .parameter("exercise")
        .parse::<usize>()
        .ok()
        .filter(|index| *index < exercises.len())
        .unwrap_or(0);
    let to = |index: usize| cx.place.with_parameters(&[("exercise", &index.to_string())]);
    let main = html! {
        @if open && !exercises.is_empty() {
            p #rest.rest role="timer" data-over=(t.rest_is_over()) hidden { (t.rest()) " " b.number {} }
            p #kept.notice role="status" data-unticked=(t.unticked()) hidden { (t.kept_on_phone()) }
            @let next = if view + 1 < exercises.len() { to(view + 1) } else { to(view) };
            (sets_form(cx, at(), (&exercises, &unit), (view, &to), &next))
            @let finish = || Form::about(cx, "complete_workout_session", at()).offline().next(cx.place.path.clone()).send(t.finish());
            // Script saves the sets first, and asks about those that are not ticked.
            div.scripted { (finish()) }
            details.behind.unscripted { summary { (t.finish()) } div { p { (t.save_sets_first()) } (finish()) } }
        } @else {
            div.figures {
                div.figure { b { (written.count(session.int("setCount"))) } (t.sets()) }
                div.figure { b { (written.number(session.at("totalVolume").as_f64().unwrap_or_default(), 1)) } (session.text("weightUnit")) }
                @if session.has("durationSeconds") { div.figure { b { (written.count(session.int("durationSeconds") / 60)) } "min" } }
            }
            @for exercise in &exercises {
                section.card {
                    h3 { (exercise.text("name")) }
                    ul.rows { @for (number, set) in exercise.list("sets").iter().enumerate() {
                        li.quiet[!set.is("completed")] { span.quiet { (number + 1) } span.grow.number {
                            @if set.has("reps") { (set.int("reps")) " × " }
                            @if let Some(weight) = set.at("weight").as_f64() { (written.number(weight, 2)) " " (weight_label(t, exercise, &unit)) }
                            @if set.has("durationSeconds") { " " (set.int("durationSeconds")) " s" }
                            @if set.has("distanceMeters") { " " (set.int("distanceMeters")) " m" }
                        } @if set.is("completed") { (icon("done")) } @else { (t.not_done()) } }
                    } }
                }
            }
            @if !open {
                section.card {
                    h2 { (t.how_was_it()) }
                    @let feelings: Vec<_> = ["Strong", "Energized", "Challenging", "Intense", "Satisfied", "Exhausted"].iter().map(|word| (*word, t.term(word))).collect();
                    @let efforts: Vec<_> = ["Easy", "Moderate", "Hard"].iter().map(|word| (*word, t.term(word))).collect();
                    @let ratings: Vec<_> = (1..=10).map(|rating: i64| (rating.to_string(), rating.to_string())).collect();
                    (Form::about(cx, "update_workout_feedback", at()).from(session.at("feedback")).choice("rating", t.rating(), &ratings)
                        .choice("difficulty", t.effort(), &efforts).choice("emojiRating", t.feeling(), &feelings).area("notes", t.note()).send(t.save()))
                }
            }
        }
    };
    let acts = html! {
        a.button.plain href="/my/training" { (t.training()) }
        @if open { a.button.plain href={ "/my/training/" (id) "/add" } { (t.add_exercise()) } }
    };
    Ok(View::new(session.text("name"), main).acts(acts))
}

/// What the day of the plan asks for, as sets to be done: with the weight of the last time where the plan names none.
fn from_plan(cx: &mut PageContext<'_, '_>, own: &str, session: &Value) -> Result<Vec<Value>> {
    if !session.has("planMomentId") {
        return Ok(Vec::new());
    }
    let call = ApiCall::of("get_client_workout_day").at("clientId", own);
    let call = call.at("templateId", session.text("planId"));
    let day = cx
        .call_if_allowed(call.at("planMomentId", session.text("planMomentId")))?
        .unwrap_or_default();
    let mut all = Vec::new();
    for exercise in day.list("day.exercises") {
        let id = exercise.text("exerciseId");
        let call = ApiCall::of("list_exercise_history").at("clientId", own).at("exerciseId", id);
        let last = cx.call_if_allowed(call.with("limit", 1))?.unwrap_or_default();
        let lifted =
            last.list("history").first().map(|entry| entry.list("sets")).unwrap_or_default();
        let mut exercise = exercise.clone();
        if let Some(sets) = exercise["sets"].as_array_mut() {
            for (at, set) in sets.iter_mut().enumerate() {
                let before = lifted.get(at).or(lifted.last()).map(|set| set["weight"].clone());
                if set["weight"].is_null()
                    && let Some(weight) = before
                {
                    set["weight"] = weight;
                }
            }
        }
        all.push(exercise);
    }
    Ok(all)
}

/// The sets of all exercises, a screen each, of which one is seen: what was done is written whole.
fn sets_form(
    cx: &PageContext<'_, '_>,
    at: Vec<(&'static str, String)>,
    (exercises, unit): (&[Value], &str),
    (view, to): (usize, &dyn Fn(usize) -> String),
    next: &str,
) -> Markup {
    let t = cx.strings;
    let mut form = Form::about(cx, "set_workout_session_sets", at).offline().next(next);
    for (index, exercise) in exercises.iter().enumerate() {
        let name = |rest: &str| format!("exercises.{index}.{rest}");
        form = form
            .hidden(&name("exerciseId"), exercise.text("exerciseId"))
            .hidden(&FieldKind::Rows.name_of(name("sets")), "");
        for field in ["notes", "superset"] {
            if exercise.has(field) {
                form = form.hidden(&name(field), exercise.text(field));
            }
        }
        let mut sets = exercise.list("sets").to_vec();
        // One more than was planned, or three where nobody has.
        let more = if sets.is_empty() { 3 } else { 1 };
        sets.resize(sets.len() + more, json!({"type": "normal"}));
        let weight = weight_label(t, exercise, unit);
        form = form.content(html! {
            section.card data-screen=(index) data-rest=(rest_after(exercise)) hidden[index != view] {
                p.quiet { (index + 1) " / " (exercises.len()) }
                h2 { (exercise.text("name")) }
                @if moves_body(exercise) { (body_weight(cx, &name("bodyWeight"), exercise, unit)) }
                @for (number, set) in sets.iter().enumerate() {
                    @let name = |field: &str| format!("exercises.{index}.sets.{number}.{field}");
                    @if set.text("type") != "normal" { input type="hidden" name=(name("type")) value=(set.text("type")); }
                    @if set.has("rpe") { input type="hidden" name=(name("rpe")) value=(set.at("rpe").to_string()); }
                    (stepping(cx, &name, number, (set, exercise.text("trackingType"), &weight)))
                }
                div.buttons {
                    @if index > 0 { a.button.plain href=(to(index - 1)) data-to=(index - 1) { (t.previous()) } }
                    @if index + 1 < exercises.len() { a.button.plain href=(to(index + 1)) data-to=(index + 1) { (t.next()) } }
                }
            }
        });
    }
    form.send(t.save_sets())
}

/// What the weight of a set is, in its unit: of itself, help, or what comes to the body.
fn weight_label(t: Strings, exercise: &Value, unit: &str) -> String {
    match exercise.text("trackingType") {
        "assisted" => t.of_help(unit),
        "bodyweight_plus" => t.on_top(unit),
        _ => unit.to_owned(),
    }
}

/// What is typed as what somebody weighs.
fn body_weight(cx: &PageContext<'_, '_>, name: &str, exercise: &Value, unit: &str) -> Markup {
    html! {
        label.field { (cx.strings.you_weigh(unit))
            input type="text" inputmode="decimal" name=(name) value=(field_value(cx, name, exercise.at("bodyWeight"))); }
    }
}

/// What stands in a field: what was typed, or else the number that is known.
fn field_value(cx: &PageContext<'_, '_>, name: &str, known: &Value) -> String {
    cx.entered.value(name).map(str::to_owned).unwrap_or_else(|| match known.as_f64() {
        Some(value) => cx.written.field_number(value),
        None => String::new(),
    })
}

/// How long one rests after a set, in seconds, where the plan does not say.
const REST_SECONDS: i64 = 90;

fn rest_after(exercise: &Value) -> i64 {
    if exercise.has("restSeconds") { exercise.int("restSeconds") } else { REST_SECONDS }
}

/// The fields of a set, with buttons that are easily hit.
fn stepping(
    cx: &PageContext<'_, '_>,
    name: &dyn Fn(&str) -> String,
    number: usize,
    (set, tracking, weight): (&Value, &str, &str),
) -> Markup {
    let t = cx.strings;
    let done = cx.entered.is_ticked(&name("completed")).unwrap_or(set.is("completed"));
    let fields: [(&str, &str, f64); 4] = [
        ("weight", weight, 2.5),
        ("reps", t.reps(), 1.0),
        ("durationSeconds", "s", 5.0),
        ("distanceMeters", "m", 100.0),
    ];
    let calls = |field: &str| set.has(field) || programmes::is_measured(tracking, field);
    html! {
        fieldset.field {
            legend { (t.set()) " " (number + 1) }
            @for (field, label, step) in fields.into_iter().filter(|(field, ..)| calls(field)) {
                span.quiet aria-hidden="true" { (label) }
                div.stepper {
                    button.plain type="button" data-step=(-step) aria-label={ (label) " −" } { "−" }
                    input type="text" inputmode="decimal" name=(name(field)) value=(field_value(cx, &name(field), set.at(field))) aria-label={ (label) ", " (t.set()) " " (number + 1) };
                    button.plain type="button" data-step=(step) aria-label={ (label) " +" } { "+" }
                }
            }
            // A set that nobody ticks was left out.
            input type="hidden" name=(FieldKind::Flag.name_of(name("completed"))) value="";
            label.check { input type="checkbox" name=(name("completed")) value="true" checked[done]; (t.done_it()) }
        }
    }
}
