//! A workout as it is done: one exercise a screen, its sets, and exercises that are added.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::workout_exercises::{WorkoutExercise, WorkoutSet, exercises_of};
use crate::{
    api::{self, Answer, Call},
    field_kind::FieldKind,
    page_context::PageContext,
    pages::programmes,
    parts::{fields::Form, icon, lists::empty, shell::View},
    words::Strings,
};

/// Most exercises that a search shows.
const FOUND_MAX: i64 = 20;

/// `/my/training/{sessionId}/add`: exercises for a workout, found by their name.
pub(in crate::pages) fn add(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("sessionId").to_owned());
    let answer = cx.call(api::get_workout_session(&own, &id))?;
    let session = answer.session();
    let exercises = exercises_of(cx, &own, session)?;
    let search = cx.place.parameter("search").trim().to_owned();
    let found = match search.as_str() {
        "" => Answer::default(),
        search => {
            cx.call(api::list_workout_exercises().archived(false).search(search).limit(FOUND_MAX))?
        }
    };
    let (t, place) = (cx.strings, format!("/my/training/{id}"));
    let adding = |exercise: api::Exercise<'_>| {
        let mut form = Form::of(cx, api::set_workout_session_sets(&own, &id))
            .next(format!("{place}?exercise={}", exercises.len()));
        for (index, exercise) in exercises.iter().enumerate() {
            form = exercise.in_form(form, index);
        }
        let name = format!("exercises.{}.exerciseId", exercises.len());
        form.hidden(&name, exercise.exercise_id()).button(t.add())
    };
    let main = html! {
        form.filters method="get" role="search" {
            label.wide {
                (t.exercises())
                input type="search" name="search" value=(search) maxlength="100" autofocus;
            }
            button.plain type="submit" { (t.search()) }
        }
        @if !search.is_empty() && found.exercises().is_empty() {
            (empty(t.no_exercise_found(), None))
        }
        ul.rows.card {
            @for exercise in found.exercises() {
                li { span.grow { (exercise.name()) } (adding(exercise)) }
            }
        }
    };
    Ok(View::new(session.name(), main).acts(html! { a.button.plain href=(place) { (t.back()) } }))
}

/// `/my/training/{sessionId}`: one exercise a screen, each saved at once.
pub(in crate::pages) fn session(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (own, id) = (cx.own_id(), cx.place.param("sessionId").to_owned());
    let answer = cx.call(api::get_workout_session(&own, &id))?;
    let session = answer.session();
    let exercises = exercises_of(cx, &own, session)?;
    let unit = session.weight_unit().to_owned();
    let (t, written) = (cx.strings, &cx.written);
    let open = session.status() != "completed";
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
            p #rest.rest role="timer" data-over=(t.rest_is_over()) hidden {
                (t.rest()) " "
                b.number {}
            }
            p #kept.notice role="status" data-unticked=(t.unticked()) hidden { (t.kept_on_phone()) }
            @let next = if view + 1 < exercises.len() { to(view + 1) } else { to(view) };
            (sets_form(
                cx,
                api::set_workout_session_sets(&own, &id),
                &exercises, &unit,
                view, &to,
                &next,
            ))
            @let finish = || {
                Form::of(cx, api::complete_workout_session(&own, &id))
                    .offline()
                    .next(cx.place.path.clone())
                    .send(t.finish())
            };
            // Script saves the sets first and asks about unticked ones.
            div.scripted { (finish()) }
            details.behind.unscripted {
                summary { (t.finish()) }
                div { p { (t.save_sets_first()) } (finish()) }
            }
        } @else {
            div.figures {
                div.figure { b { (written.count(session.set_count())) } (t.sets()) }
                div.figure {
                    b { (written.number(session.total_volume(), 1)) }
                    (session.weight_unit())
                }
                @if let Some(seconds) = session.duration_seconds() {
                    div.figure { b { (written.count(seconds / 60)) } "min" }
                }
            }
            @for exercise in &exercises {
                section.card {
                    h3 { (exercise.name) }
                    ul.rows {
                        @for (number, set) in exercise.sets.iter().enumerate() {
                            li.quiet[!set.completed] {
                                span.quiet { (number + 1) }
                                span.grow.number {
                                    @if let Some(reps) = set.reps { (reps) " × " }
                                    @if let Some(weight) = set.weight {
                                        (written.number(weight, 2)) " "
                                        (weight_label(t, exercise, &unit))
                                    }
                                    @if let Some(seconds) = set.duration_seconds {
                                        " " (seconds) " s"
                                    }
                                    @if let Some(meters) = set.distance_meters { " " (meters) " m" }
                                }
                                @if set.completed { (icon("done")) } @else { (t.not_done()) }
                            }
                        }
                    }
                }
            }
            @if !open {
                section.card {
                    h2 { (t.how_was_it()) }
                    @let feelings: Vec<_> = [
                        "Strong",
                        "Energized",
                        "Challenging",
                        "Intense",
                        "Satisfied",
                        "Exhausted",
                    ]
                    .iter()
                    .map(|word| (*word, t.term(word)))
                    .collect();
                    @let efforts: Vec<_> = ["Easy", "Moderate", "Hard"]
                        .iter()
                        .map(|word| (*word, t.term(word)))
                        .collect();
                    @let ratings: Vec<_> = (1..=10)
                        .map(|rating: i64| (rating.to_string(), rating.to_string()))
                        .collect();
                    (Form::of(cx, api::update_workout_feedback(&own, &id))
                        .from(session.feedback())
                        .choice("rating", t.rating(), &ratings)
                        .choice("difficulty", t.effort(), &efforts)
                        .choice("emojiRating", t.feeling(), &feelings)
                        .area("notes", t.note())
                        .send(t.save()))
                }
            }
        }
    };
    let acts = html! {
        a.button.plain href="/my/training" { (t.training()) }
        @if open { a.button.plain href={ "/my/training/" (id) "/add" } { (t.add_exercise()) } }
    };
    Ok(View::new(session.name(), main).acts(acts))
}

/// The sets of all exercises, one exercise a screen; saved entirely.
fn sets_form(
    cx: &PageContext<'_, '_>,
    call: Call<api::SetWorkoutSessionSets>,
    exercises: &[WorkoutExercise],
    unit: &str,
    view: usize,
    to: &dyn Fn(usize) -> String,
    next: &str,
) -> Markup {
    let t = cx.strings;
    let mut form = Form::of(cx, call).offline().next(next);
    for (index, exercise) in exercises.iter().enumerate() {
        let name = |rest: &str| format!("exercises.{index}.{rest}");
        form = form
            .hidden(&name("exerciseId"), &*exercise.exercise_id)
            .hidden(&FieldKind::Rows.name_of(name("sets")), "");
        for (field, text) in [("notes", &exercise.notes), ("superset", &exercise.superset)] {
            if !text.is_empty() {
                form = form.hidden(&name(field), &**text);
            }
        }
        let mut sets = exercise.sets.clone();
        // One more than planned, or three if none are.
        let more = if sets.is_empty() { 3 } else { 1 };
        sets.resize(sets.len() + more, WorkoutSet::default());
        let weight = weight_label(t, exercise, unit);
        form = form.content(html! {
            section.card
                data-screen=(index)
                data-rest=(exercise.rest_seconds.unwrap_or(REST_SECONDS))
                hidden[index != view]
            {
                p.quiet { (index + 1) " / " (exercises.len()) }
                h2 { (exercise.name) }
                @if exercise.moves_body() { (body_weight(cx, &name("bodyWeight"), exercise, unit)) }
                @for (number, set) in sets.iter().enumerate() {
                    @let name = |field: &str| format!("exercises.{index}.sets.{number}.{field}");
                    @if set.kind() != "normal" {
                        input type="hidden" name=(name("type")) value=(set.kind());
                    }
                    @if let Some(rpe) = set.rpe {
                        input type="hidden" name=(name("rpe")) value=(rpe);
                    }
                    (stepping(cx, &name, number, set, &exercise.tracking_type, &weight))
                }
                div.buttons {
                    @if index > 0 {
                        a.button.plain href=(to(index - 1)) data-to=(index - 1) { (t.previous()) }
                    }
                    @if index + 1 < exercises.len() {
                        a.button.plain href=(to(index + 1)) data-to=(index + 1) { (t.next()) }
                    }
                }
            }
        });
    }
    form.send(t.save_sets())
}

/// What the weight of a set is, in its unit: of itself, help, or what comes to the body.
fn weight_label(t: Strings, exercise: &WorkoutExercise, unit: &str) -> String {
    match exercise.tracking_type.as_str() {
        "assisted" => t.of_help(unit),
        "bodyweight_plus" => t.on_top(unit),
        _ => unit.to_owned(),
    }
}

/// The field of the body weight.
fn body_weight(
    cx: &PageContext<'_, '_>,
    name: &str,
    exercise: &WorkoutExercise,
    unit: &str,
) -> Markup {
    html! {
        label.field {
            (cx.strings.you_weigh(unit))
            input
                type="text"
                inputmode="decimal"
                name=(name)
                value=(field_value(cx, name, exercise.body_weight));
        }
    }
}

/// The value of a field: the entered one, else the known number.
fn field_value(cx: &PageContext<'_, '_>, name: &str, known: Option<f64>) -> String {
    cx.entered.value(name).map(str::to_owned).unwrap_or_else(|| match known {
        Some(value) => cx.written.field_number(value),
        None => String::new(),
    })
}

/// How long one rests after a set, in seconds, where the plan does not say.
const REST_SECONDS: i64 = 90;

/// The fields of a set, with buttons that are easily hit.
fn stepping(
    cx: &PageContext<'_, '_>,
    name: &dyn Fn(&str) -> String,
    number: usize,
    set: &WorkoutSet,
    tracking: &str,
    weight: &str,
) -> Markup {
    let t = cx.strings;
    let done = cx.entered.is_ticked(&name("completed")).unwrap_or(set.completed);
    let fields: [(&str, &str, f64); 4] = [
        ("weight", weight, 2.5),
        ("reps", t.reps(), 1.0),
        ("durationSeconds", "s", 5.0),
        ("distanceMeters", "m", 100.0),
    ];
    let calls =
        |field: &str| set.value(field).is_some() || programmes::is_measured(tracking, field);
    html! {
        fieldset.field {
            legend { (t.set()) " " (number + 1) }
            @for (field, label, step) in fields.into_iter().filter(|(field, ..)| calls(field)) {
                span.quiet aria-hidden="true" { (label) }
                div.stepper {
                    button.plain type="button" data-step=(-step) aria-label={ (label) " −" } { "−" }
                    input
                        type="text"
                        inputmode="decimal"
                        name=(name(field))
                        value=(field_value(cx, &name(field), set.value(field)))
                        aria-label={ (label) ", " (t.set()) " " (number + 1) };
                    button.plain type="button" data-step=(step) aria-label={ (label) " +" } { "+" }
                }
            }
            // An unticked set was not done.
            input type="hidden" name=(FieldKind::Flag.name_of(name("completed"))) value="";
            label.check {
                input type="checkbox" name=(name("completed")) value="true" checked[done];
                (t.done_it())
            }
        }
    }
}
