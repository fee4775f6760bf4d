//! A day of a programme: its exercises in their order, and the sets of each. What a day holds is written whole; each form
//! writes what it would be after it.

use maud::html;
use serde_json::Value;
use spotter_kernel::Result;

use super::{is_measured, prescription, weight_unit};
use crate::{
    field_kind::FieldKind,
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Cell, Form, disclosure},
        format::JsonFields,
        lists::{swapped, without},
        shell::View,
    },
    record_version::FormSource,
};

/// What may be asked of a set, in the order in which it is typed.
const OF_SETS: [&str; 7] =
    ["type", "reps", "repsMax", "weight", "rpe", "durationSeconds", "distanceMeters"];
/// What may be asked of an exercise beside its sets.
const BESIDE_SETS: [&str; 4] = ["restSeconds", "tempo", "superset", "notes"];
/// Rows for more sets, below those that there are.
const MORE_SETS: usize = 3;

/// `/console/programmes/{templateId}/days/{planMomentId}`
pub(in crate::pages) fn day(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (plan, id) =
        (cx.place.param("templateId").to_owned(), cx.place.param("planMomentId").to_owned());
    let query = ApiCall::of("get_workout_moment").at("planId", &plan).at("planMomentId", &id);
    let answer = cx.call(query.clone())?;
    let day = answer.at("day").clone();
    let made = FormSource::of(&query, &["day.exercises"], &answer);
    let search = cx.place.parameter("search").to_owned();
    let exercises = match search.as_str() {
        "" => Vec::new(),
        search => {
            let found = ApiCall::of("list_workout_exercises").with("search", search);
            cx.call(found.with("archived", false).with("limit", 10))?.list("exercises").to_vec()
        }
    };
    let unit = weight_unit(cx)?;
    let t = cx.strings;
    let at = || vec![("planId", plan.clone()), ("planMomentId", id.clone())];
    let own = day.list("exercises");
    let blank = || {
        let form = Form::about(cx, "set_workout_moment_exercises", at());
        form.from(&day).based_on(&made).next(cx.place.path.clone())
    };
    let whole = |order: Vec<&Value>| {
        let form = blank();
        order
            .into_iter()
            .enumerate()
            .fold(form, |form, (index, one)| unchanged_exercise(form, index, one))
    };
    let editor = |index: usize, exercise: &Value| {
        let others = own.iter().enumerate().filter(|(other, _)| *other != index);
        let form = others.fold(blank(), |form, (other, one)| unchanged_exercise(form, other, one));
        edited(cx, form, (index, exercise), &unit).send(t.save())
    };
    let main = html! {
        p.quiet { @if day.has("weekNumber") { (t.week_number(&day.int("weekNumber").to_string())) } @if day.has("weekday") { @if day.has("weekNumber") { " · " } (t.weekday(day.int("weekday"))) } }
        section.card {
            h2 { (t.exercises()) }
            @if own.is_empty() { p.quiet { (t.no_exercises()) } }
            // What a drop sends is the whole of the day, in another order.
            div #order.hidden aria-hidden="true" { @if own.len() > 1 { (whole(own.iter().collect()).button(t.save())) } }
            ul.rows {
                @for (index, exercise) in own.iter().enumerate() {
                    li draggable="true" data-drag="exercise" data-drop="exercise" data-place=(index) {
                        span.grow { b { (exercise.text("name")) } br; span.quiet.number { (prescription(cx, exercise, &unit)) } @if exercise.has("notes") { br; span.quiet { (exercise.text("notes")) } } }
                        div.buttons {
                            @if index > 0 { (whole(swapped(own, index, index - 1)).button(t.move_up())) }
                            @if index + 1 < own.len() { (whole(swapped(own, index, index + 1)).button(t.move_down())) }
                            (whole(without(own, index)).hidden("exercises", "").danger(t.remove()))
                        }
                        (disclosure(t.sets_and_rest(), editor(index, exercise)))
                    }
                }
            }
        }
        section.card {
            h2 { (t.add_exercise()) }
            form.filters method="get" role="search" {
                label.wide { (t.search()) input type="search" name="search" value=(search) autocomplete="off"; }
                button.plain type="submit" { (t.search()) }
            }
            @if exercises.is_empty() && !search.is_empty() { p { (t.no_exercise_found()) " " a href="/console/programmes/exercises" { (t.own_exercises()) } } }
            ul.rows {
                @for exercise in &exercises {
                    li.adding {
                        b.grow { (exercise.text("name")) }
                        (added(whole(own.iter().collect()), own.len(), exercise, (t, &unit)).send(t.add()))
                    }
                }
            }
        }
    };
    let back = format!("/console/programmes/{plan}?week={}", day.int("weekNumber").max(1));
    let acts = html! {
        a.button.plain href=(back) { (t.back()) }
        (disclosure(t.delete_day(), Form::about(cx, "delete_workout_moment", at()).next(&*back).danger(t.delete_day())))
    };
    Ok(View::new(day.text("name"), main).acts(acts))
}

fn place(index: usize, rest: &str) -> String {
    format!("exercises.{index}.{rest}")
}

fn cell<'c>(place: String, label: &'c str, keys: &'static str) -> Cell<'c> {
    Cell { place, label, keys, usual: "" }
}

/// A value as a field holds it.
fn field_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An exercise that stays as it is.
fn unchanged_exercise<'f>(form: Form<'f>, index: usize, exercise: &Value) -> Form<'f> {
    let mut form = form.hidden(&place(index, "exerciseId"), exercise.text("exerciseId"));
    for field in BESIDE_SETS.into_iter().filter(|field| exercise.has(field)) {
        form = form.hidden(&place(index, field), field_value(exercise.at(field)));
    }
    for (set, values) in exercise.list("sets").iter().enumerate() {
        for field in OF_SETS.into_iter().filter(|field| values.has(field)) {
            let name = place(index, &format!("sets.{set}.{field}"));
            form = form.hidden(&name, field_value(values.at(field)));
        }
    }
    form
}

/// The fields of an exercise that is there: a row a set, and rows for more. A row that is left or made empty is no set,
/// but for a set of which nothing was said before.
fn edited<'f>(
    cx: &PageContext<'_, '_>,
    form: Form<'f>,
    (index, exercise): (usize, &Value),
    unit: &str,
) -> Form<'f> {
    let (t, sets) = (cx.strings, exercise.list("sets"));
    let mut form = form
        .hidden(&place(index, "exerciseId"), exercise.text("exerciseId"))
        .hidden(&FieldKind::Rows.name_of(place(index, "sets")), "");
    let any = |field: &str| sets.iter().any(|set| set.has(field));
    // What is lifted so many times has a weight, and the reverse; nothing is known of what has no sets.
    let none = !OF_SETS[1..].iter().any(|field| any(field));
    let lifts = none || any("reps") || any("weight");
    let view = [
        ("reps", t.reps(), lifts),
        ("repsMax", t.reps_at_most(), lifts),
        ("weight", unit, lifts),
        ("rpe", "RPE", lifts),
        ("durationSeconds", "s", none || any("durationSeconds")),
        ("distanceMeters", "m", none || any("distanceMeters")),
    ];
    for set in 0..sets.len() + MORE_SETS {
        let name = |field: &str| place(index, &format!("sets.{set}.{field}"));
        if let Some(own) = sets.get(set) {
            let blank = !OF_SETS[1..].iter().any(|field| own.has(field));
            if blank || own.text("type") != "normal" {
                form = form.hidden(&name("type"), own.text("type"));
            }
        }
        let cells: Vec<_> = view
            .iter()
            .filter(|(.., request)| *request)
            .map(|(field, label, _)| cell(name(field), label, "decimal"))
            .collect();
        form = form.row(&format!("{} {}", t.set(), set + 1), &cells);
    }
    let beside = [
        cell(place(index, "restSeconds"), t.rest_seconds(), "numeric"),
        cell(place(index, "tempo"), t.tempo(), "text"),
        cell(place(index, "superset"), t.superset(), "text"),
    ];
    form.row(t.rest(), &beside).area(&place(index, "notes"), t.note())
}

/// The fields of an exercise that is added: so many equal sets.
fn added<'f>(
    form: Form<'f>,
    index: usize,
    exercise: &Value,
    (t, unit): (crate::words::Strings, &str),
) -> Form<'f> {
    let form = form.hidden(&place(index, "exerciseId"), exercise.text("exerciseId"));
    let tracking = exercise.text("trackingType");
    let of_set =
        [("reps", t.reps()), ("weight", unit), ("durationSeconds", "s"), ("distanceMeters", "m")];
    let times = cell(FieldKind::Repeated.name_of(place(index, "sets")), t.sets(), "numeric");
    let mut cells = vec![Cell { usual: "3", ..times }];
    let request = of_set.into_iter().filter(|(field, _)| is_measured(tracking, field));
    cells
        .extend(request.map(|(field, label)| {
            cell(place(index, &format!("sets.0.{field}")), label, "decimal")
        }));
    form.row(t.what_to_do(), &cells)
}
