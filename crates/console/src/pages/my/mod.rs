//! The pages of a client, who has them on a phone: what comes, what to do, what there is.

pub(super) mod forms;

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{
    booking, bookings,
    client::{consents, progress::shared_progress},
    money as bills,
};
use crate::{
    parts::{
        fields::Form,
        lists::{empty, pager, state, table},
        shell::Shown,
        told::Told,
    },
    visit::{Ask, Visit},
};

/// What of the days to come is planned for training.
fn planned(cx: &mut Visit<'_, '_>, days: i64) -> Result<Vec<Value>> {
    let (own, today) = (cx.own_id(), cx.written.today());
    let until = today.plus_days(days).unwrap_or(today);
    let ask = Ask::of("get_client_workout_calendar")
        .at("clientId", &own)
        .with("from", today)
        .with("to", until);
    Ok(cx.ask_if(ask)?.unwrap_or_default().list("calendar.items").to_vec())
}

/// A day of training with what begins it, or goes on with it.
fn workout(cx: &Visit<'_, '_>, item: &Value) -> Markup {
    let own = cx.own_id();
    let say = cx.say;
    let open =
        matches!(item.text("status"), "today" | "missed" | "planned" | "in_progress" | "upcoming");
    html! {
        li {
            span.grow { b { (item.text("name")) } br; span.quiet {
                (item.date("scheduledDate").map(|date| cx.written.day(date)).unwrap_or_default()) " · " (item.text("planName")) } }
            @if item.text("status") == "in_progress" { a.button href={ "/my/training/" (item.text("sessionId")) } { (say.go_on()) } }
            @else if item.has("sessionId") { a href={ "/my/training/" (item.text("sessionId")) } { (state(cx, item.text("status"))) } }
            @else if open && item.date("scheduledDate").is_some_and(|date| date <= cx.written.today()) {
                (Form::about(cx, "begin_workout_session", vec![("clientId", own)])
                    .hidden("planId", item.text("planId")).hidden("planMomentId", item.text("planMomentId")).hidden("occurrenceDate", item.text("plannedDate"))
                    .next("/my/training/{session.sessionId}").send(say.begin()))
            } @else { (state(cx, item.text("status"))) }
        }
    }
}

/// `/my`
pub(super) fn home(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let (own, now) = (cx.own_id(), cx.written.now);
    let next = Ask::of("list_bookings")
        .with("status", "booked")
        .with("from", now)
        .with("to", now.plus_days(60))
        .with("limit", 100);
    let next = cx.ask(next)?.list("bookings").last().cloned();
    let coach = match &next {
        Some(next) => cx.coach(next.text("coachId"))?,
        None => String::new(),
    };
    let training = planned(cx, 1)?;
    let credits = cx.ask_if(Ask::of("get_credits").at("clientId", &own))?.unwrap_or_default();
    let unread = cx.ask_if(Ask::of("count_unread"))?.unwrap_or_default();
    let forms = cx
        .ask_if(Ask::of("list_form_assignments").at("clientId", &own).with("limit", 20))?
        .unwrap_or_default();
    let waits = forms
        .list("formAssignments")
        .iter()
        .filter(|form| matches!(form.text("status"), "assigned" | "in_progress"))
        .count() as i64;
    let due = cx
        .ask_if(Ask::of("list_invoices").with("status", "open").with("limit", 1))?
        .unwrap_or_default();
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        section.card.hero #next data-live="booking" {
            h2 { (say.next_visit()) }
            @match &next {
                Some(booking) => { p { b { (bookings::when(cx, booking)) } br; (booking.text("name")) " · " (coach) } a href="/my/bookings" { (say.bookings()) } }
                None => { p.quiet { (say.nothing_booked()) } a.button href="/my/book" { (say.book()) } }
            }
        }
        section.card {
            h2 { (say.todays_workout()) }
            @if training.is_empty() { p.quiet { (say.no_workout()) } }
            ul.rows { @for item in &training { (workout(cx, item)) } }
        }
        div.figures {
            @for pool in credits.list("credits") { div.figure { b { (written.count(pool.int("available"))) } (say.credits()) } }
            a.figure href="/my/messages" { b { (written.count(unread.int("unreadMessages"))) } (say.unread()) }
            @if waits > 0 { a.figure href="/my/forms" { b { (written.count(waits)) } (if waits == 1 { say.form_waits() } else { say.forms_wait() }) } }
            @if due.int("total") > 0 { a.figure href="/my/invoices" { b { (written.count(due.int("total"))) } (say.open_invoices()) } }
        }
    };
    Ok(Shown::new(say.hello(&cx.person.name), main))
}

/// `/my/book`
pub(super) fn book(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let main = booking::slots(cx, None, "/my/bookings")?;
    Ok(Shown::new(cx.say.book(), main))
}

/// `/my/bookings`
pub(super) fn bookings(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let (told, all, tabs) = bookings::by_when(cx, Ask::of("list_bookings"))?;
    let mut rows = Vec::new();
    for booking in &all {
        let coach = cx.coach(booking.text("coachId"))?;
        let coming = booking.instant("startsAt").is_some_and(|at| at > cx.written.now);
        let what = match (coming, booking.text("attendanceStatus")) {
            (false, marked) if booking.text("status") == "booked" && marked != "expected" => marked,
            _ => booking.text("status"),
        };
        let foreseen = match coming && booking.text("status") == "booked" {
            true => foreseen(cx, booking),
            false => Markup::default(),
        };
        rows.push(vec![
            html! { (bookings::when(cx, booking)) },
            html! { (booking.text("name")) },
            html! { (coach) },
            html! { (state(cx, what)) @if booking.has("waitlistPosition") { br; span.quiet { (cx.say.place_in_line(&booking.int("waitlistPosition").to_string())) } } },
            html! { (bookings::offered(cx, booking)) (foreseen) @if booking.text("status") != "offered" { (bookings::cancelling(cx, booking)) } },
        ]);
    }
    let say = cx.say;
    let main = html! {
        (tabs)
        div #bookings data-live="booking" {
            @if rows.is_empty() { (empty(say.nothing_booked(), Some(("/my/book", say.book())))) }
            @else { (table(say.bookings(), &[say.when(), say.what(), say.coach(), say.status(), ""], rows)) }
        }
        (pager(cx, &told))
    };
    Ok(Shown::new(say.bookings(), main).acts(html! { a.button href="/my/book" { (say.book()) } }))
}

/// What calling a booking off would cost now, as its own rules say.
fn foreseen(cx: &Visit<'_, '_>, booking: &Value) -> Markup {
    let policy = booking.at("policy");
    let Some(at) = booking.instant("startsAt") else { return Markup::default() };
    let window = policy.int("cancellationWindowMinutes");
    let late =
        policy.has("cancellationWindowMinutes") && cx.written.now > at.plus_seconds(-window * 60);
    let fee = policy.at("lateFee");
    html! {
        @if late && fee.is_object() { p.quiet { (cx.say.late_costs(&cx.written.money(fee.int("amount"), fee.text("currency")))) } }
        @else if policy.has("cancellationWindowMinutes") {
            p.quiet { (cx.say.free_until(&cx.written.instant(at.plus_seconds(-window * 60)))) }
        }
    }
}

/// Plans without dates that somebody trains by, a few of them, each with its days: those are done in turn, whenever there is time.
fn undated(cx: &mut Visit<'_, '_>, own: &str) -> Result<Vec<(Value, Vec<Value>)>> {
    let ask = Ask::of("list_client_workout_plans").at("clientId", own);
    let told = cx.ask_if(ask.with("status", "Active").with("limit", 50))?.unwrap_or_default();
    let plans = told.list("plans").iter().filter(|plan| !plan.has("startDate")).take(5);
    let mut all = Vec::new();
    for plan in plans {
        let ask = Ask::of("list_client_workout_days").at("clientId", own);
        let told = cx.ask_if(ask.at("templateId", plan.text("_id")))?.unwrap_or_default();
        all.push((plan.clone(), told.list("days").to_vec()));
    }
    Ok(all)
}

/// `/my/training`
pub(super) fn training(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let own = cx.own_id();
    let coming = planned(cx, 13)?;
    let undated = undated(cx, &own)?;
    let done = cx.list_if(Ask::of("list_workout_sessions").at("clientId", &own))?;
    let records = cx
        .ask_if(Ask::of("list_personal_records").at("clientId", &own).with("limit", 10))?
        .unwrap_or_default();
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        section.card {
            h2 { (say.planned()) }
            @if coming.is_empty() && undated.is_empty() { p.quiet { (say.no_workout()) } }
            ul.rows { @for item in &coming { (workout(cx, item)) } }
        }
        @for (plan, days) in &undated {
            section.card {
                h2 { (plan.text("name")) }
                p.quiet { (say.in_your_own_time()) }
                ul.rows { @for day in days {
                    li {
                        span.grow { b { (day.text("name")) } br; span.quiet { (day.list("exercises").iter().map(|one| one.text("name")).collect::<Vec<_>>().join(", ")) } }
                        (Form::about(cx, "begin_workout_session", vec![("clientId", own.clone())]).hidden("planId", plan.text("_id"))
                            .hidden("planMomentId", day.text("planMomentId")).next("/my/training/{session.sessionId}").button(say.begin()))
                    }
                } }
            }
        }
        section.card {
            h2 { (say.records()) }
            ul.rows { @for lift in records.list("personalRecords") {
                li { span.grow { (lift.text("name")) } span.number { @for record in lift.list("records").iter().take(1) {
                    (written.number(record.at("value").as_f64().unwrap_or_default(), 2)) " " span.quiet { (say.term(record.text("type"))) } } } }
            } }
        }
        section.card {
            h2 { (say.sessions()) }
            ul.rows { @for session in done.iter().flat_map(|done| done.list("sessions")) {
                li { span.number { (session.date("localDate").map(|date| written.date(date)).unwrap_or_default()) }
                    a.grow href={ "/my/training/" (session.text("sessionId")) } { (session.text("name")) } (state(cx, session.text("status"))) }
            } }
        }
        @if let Some(done) = &done { (pager(cx, done)) }
    };
    Ok(Shown::new(say.training(), main))
}

/// `/my/training/{sessionId}`: one exercise a screen, each saved at once.
pub(super) fn session(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let (own, id) = (cx.own_id(), cx.place.param("sessionId").to_owned());
    let told = cx.ask(Ask::of("get_workout_session").at("clientId", &own).at("sessionId", &id))?;
    let session = told.at("session").clone();
    let planned =
        match session.list("exercises").is_empty() && session.text("status") != "completed" {
            true => from_plan(cx, &own, &session)?,
            false => Vec::new(),
        };
    let exercises = if planned.is_empty() { session.list("exercises") } else { &planned };
    let at = || vec![("clientId", own.clone()), ("sessionId", id.clone())];
    let (say, written) = (cx.say, &cx.written);
    let open = session.text("status") != "completed";
    let shown = cx
        .place
        .asked("exercise")
        .parse::<usize>()
        .ok()
        .filter(|index| *index < exercises.len())
        .unwrap_or(0);
    let to = |index: usize| cx.place.but(&[("exercise", &index.to_string())]);
    let main = html! {
        @if open && !exercises.is_empty() {
            p #rest.rest role="timer" data-over=(say.rest_is_over()) hidden { (say.rest()) " " b.number {} }
            p #kept.notice role="status" data-unticked=(say.unticked()) hidden { (say.kept_on_phone()) }
            @let next = if shown + 1 < exercises.len() { to(shown + 1) } else { to(shown) };
            (sets_form(cx, at(), exercises, (shown, &to), &next))
            @let finish = || Form::about(cx, "complete_workout_session", at()).offline().next(cx.place.path.clone()).send(say.finish());
            // Script saves the sets first, and asks about those that are not ticked.
            div.scripted { (finish()) }
            details.behind.unscripted { summary { (say.finish()) } div { p { (say.save_sets_first()) } (finish()) } }
        } @else {
            div.figures {
                div.figure { b { (written.count(session.int("setCount"))) } (say.sets()) }
                div.figure { b { (written.number(session.at("totalVolume").as_f64().unwrap_or_default(), 1)) } (session.text("weightUnit")) }
                @if session.has("durationSeconds") { div.figure { b { (written.count(session.int("durationSeconds") / 60)) } "min" } }
            }
            @for exercise in exercises {
                section.card {
                    h3 { (exercise.text("name")) }
                    ul.rows { @for (number, set) in exercise.list("sets").iter().enumerate() {
                        li.quiet[!set.is("completed")] { span.quiet { (number + 1) } span.grow.number {
                            @if set.has("reps") { (set.int("reps")) " × " }
                            @if let Some(weight) = set.at("weight").as_f64() { (written.number(weight, 2)) " " (session.text("weightUnit")) }
                            @if set.has("durationSeconds") { " " (set.int("durationSeconds")) " s" }
                            @if set.has("distanceMeters") { " " (set.int("distanceMeters")) " m" }
                        } @if set.is("completed") { (crate::parts::icon("done")) } @else { (say.not_done()) } }
                    } }
                }
            }
            @if !open {
                section.card {
                    h2 { (say.how_was_it()) }
                    @let feelings: Vec<_> = ["Strong", "Energized", "Challenging", "Intense", "Satisfied", "Exhausted"].iter().map(|word| (*word, say.term(word))).collect();
                    @let efforts: Vec<_> = ["Easy", "Moderate", "Hard"].iter().map(|word| (*word, say.term(word))).collect();
                    @let ratings: Vec<_> = (1..=10).map(|rating: i64| (rating.to_string(), rating.to_string())).collect();
                    (Form::about(cx, "update_workout_feedback", at()).from(session.at("feedback")).choice("rating", say.rating(), &ratings)
                        .choice("difficulty", say.effort(), &efforts).choice("emojiRating", say.feeling(), &feelings).area("notes", say.note()).send(say.save()))
                }
            }
        }
    };
    Ok(Shown::new(session.text("name"), main)
        .acts(html! { a.button.plain href="/my/training" { (say.training()) } }))
}

/// What the day of the plan asks for, as sets to be done: with the weight of the last time where the plan names none.
fn from_plan(cx: &mut Visit<'_, '_>, own: &str, session: &Value) -> Result<Vec<Value>> {
    if !session.has("planMomentId") {
        return Ok(Vec::new());
    }
    let ask = Ask::of("get_client_workout_day").at("clientId", own);
    let ask = ask.at("templateId", session.text("planId"));
    let day = cx.ask_if(ask.at("planMomentId", session.text("planMomentId")))?.unwrap_or_default();
    let mut all = Vec::new();
    for exercise in day.list("day.exercises") {
        let id = exercise.text("exerciseId");
        let ask = Ask::of("list_exercise_history").at("clientId", own).at("exerciseId", id);
        let last = cx.ask_if(ask.with("limit", 1))?.unwrap_or_default();
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
    cx: &Visit<'_, '_>,
    at: Vec<(&'static str, String)>,
    exercises: &[Value],
    (shown, to): (usize, &dyn Fn(usize) -> String),
    next: &str,
) -> Markup {
    let say = cx.say;
    let mut form = Form::about(cx, "set_workout_session_sets", at).offline().next(next);
    for (index, exercise) in exercises.iter().enumerate() {
        let name = |rest: &str| format!("exercises.{index}.{rest}");
        form = form.hidden(&name("exerciseId"), exercise.text("exerciseId"));
        for field in ["notes", "superset"] {
            if exercise.has(field) {
                form = form.hidden(&name(field), exercise.text(field));
            }
        }
        let sets = exercise.list("sets").iter().enumerate();
        form = form.beside(html! {
            section.card data-screen=(index) data-rest=(rest_after(exercise)) hidden[index != shown] {
                p.quiet { (index + 1) " / " (exercises.len()) }
                h2 { (exercise.text("name")) }
                @for (number, set) in sets {
                    @let name = |field: &str| format!("exercises.{index}.sets.{number}.{field}");
                    input type="hidden" name=(name("type")) value=(set.text("type"));
                    @if set.has("rpe") { input type="hidden" name=(name("rpe")) value=(set.at("rpe").to_string()); }
                    (stepping(cx, &name, number, set))
                }
                div.buttons {
                    @if index > 0 { a.button.plain href=(to(index - 1)) data-to=(index - 1) { (say.previous()) } }
                    @if index + 1 < exercises.len() { a.button.plain href=(to(index + 1)) data-to=(index + 1) { (say.next()) } }
                }
            }
        });
    }
    form.send(say.save_sets())
}

/// How long one rests after a set, in seconds, where the plan does not say.
const REST_SECONDS: i64 = 90;

fn rest_after(exercise: &Value) -> i64 {
    if exercise.has("restSeconds") { exercise.int("restSeconds") } else { REST_SECONDS }
}

/// The fields of a set, with buttons that are easily hit.
fn stepping(
    cx: &Visit<'_, '_>,
    name: &dyn Fn(&str) -> String,
    number: usize,
    set: &Value,
) -> Markup {
    let say = cx.say;
    let done = set.is("completed");
    let fields: [(&str, &str, f64); 4] = [
        ("weight", "kg", 2.5),
        ("reps", say.reps(), 1.0),
        ("durationSeconds", "s", 5.0),
        ("distanceMeters", "m", 100.0),
    ];
    let entered = |field: &str| {
        let typed = cx.entered.fields.iter().find(|(own, _)| *own == name(field));
        typed.map(|(_, value)| value.clone()).unwrap_or_else(|| match set.at(field).as_f64() {
            Some(value) if value.fract() == 0.0 => format!("{value:.0}"),
            Some(value) => value.to_string(),
            None => String::new(),
        })
    };
    // What is lifted so many times has a weight, and the reverse, whichever of them is known yet.
    let lifts = set.has("reps") || set.has("weight");
    let asks = |field: &str| set.has(field) || lifts && matches!(field, "reps" | "weight");
    html! {
        fieldset.field {
            legend { (say.set()) " " (number + 1) }
            @for (field, label, step) in fields.into_iter().filter(|(field, ..)| asks(field)) {
                span.quiet aria-hidden="true" { (label) }
                div.stepper {
                    button.plain type="button" data-step=(-step) aria-label={ (label) " −" } { "−" }
                    input type="text" inputmode="decimal" name=(name(field)) value=(entered(field)) aria-label={ (label) ", " (say.set()) " " (number + 1) };
                    button.plain type="button" data-step=(step) aria-label={ (label) " +" } { "+" }
                }
            }
            // A set that nobody ticks was left out.
            input type="hidden" name={ (name("completed")) ":flag" } value="";
            label.check { input type="checkbox" name=(name("completed")) value="true" checked[done]; (say.done_it()) }
        }
    }
}

/// `/my/progress`
pub(super) fn progress(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let own = cx.own_id();
    let main = shared_progress(cx, &own, Markup::default())?;
    Ok(Shown::new(cx.say.progress(), main))
}

/// `/my/consents`: what somebody agreed to, and what is kept of them.
pub(super) fn consents(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let own = cx.own_id();
    let (health, data) = (consents::health(cx, &own)?, consents::data(cx, &own)?);
    let say = cx.say;
    let main = html! {
        (health)
        section.card { h2 { (say.your_data()) } (data) }
    };
    Ok(Shown::new(say.consents(), main))
}

/// `/my/invoices`
pub(super) fn invoices(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let own = cx.own_id();
    let told = cx.list(Ask::of("list_invoices"))?;
    let courses = cx.ask_if(Ask::of("list_subscriptions").with("limit", 20))?.unwrap_or_default();
    let rows = bills::rows(cx, &told, false)?;
    let requests = cx
        .ask_if(Ask::of("list_payment_requests").with("status", "open").with("limit", 20))?
        .unwrap_or_default();
    let credits = cx.ask_if(Ask::of("get_credits").at("clientId", &own))?.unwrap_or_default();
    let (say, written) = (cx.say, &cx.written);
    let main = html! {
        @for request in requests.list("paymentRequests") {
            div.notice.warn { (request.text("description")) ": " b { (written.money(request.int("amount"), request.text("currency"))) } " "
                a.button href=(request.text("payUrl")) data-hx-boost="false" { (say.pay()) } }
        }
        section.card {
            h2 { (say.membership()) }
            @if courses.list("subscriptions").is_empty() { p.quiet { (say.no_membership()) } }
            @for course in courses.list("subscriptions") { (bills::course(cx, course)) }
            @for pool in credits.list("credits") { p { (say.credits()) ": " b.number { (written.count(pool.int("available"))) } } }
        }
        h2 { (say.invoices()) }
        @if rows.is_empty() { p.quiet { (say.no_invoices()) } }
        @else { (table(say.invoices(), &bills::columns(say, false), rows)) (pager(cx, &told)) }
    };
    Ok(Shown::new(say.invoices(), main))
}
