//! A day of a programme: its exercises in their order, and the sets of each. What a day holds is written whole; each form
//! writes what it would be after it.

use maud::html;
use spotter_kernel::Result;

use super::{is_measured, prescription, weight_unit};
use crate::{
    api::{self, Answer, Exercise, PlanDayExercise, PlanDayExerciseSet},
    field_kind::FieldKind,
    page_context::PageContext,
    parts::{
        fields::{Cell, Form, disclosure},
        lists::{swapped, without},
        shell::View,
    },
    record_version::FormSource,
};

/// The fields of a set except its type; empty where unset.
fn fields_of_set(set: PlanDayExerciseSet<'_>) -> [(&'static str, String); 6] {
    let whole = |number: Option<i64>| number.map(|own| own.to_string()).unwrap_or_default();
    let decimal = |number: Option<f64>| number.map(|own| own.to_string()).unwrap_or_default();
    [
        ("reps", whole(set.reps())),
        ("repsMax", whole(set.reps_max())),
        ("weight", decimal(set.weight())),
        ("rpe", decimal(set.rpe())),
        ("durationSeconds", whole(set.duration_seconds())),
        ("distanceMeters", whole(set.distance_meters())),
    ]
}

/// The fields of an exercise beside its sets, as [`fields_of_set`].
fn fields_beside_sets(exercise: PlanDayExercise<'_>) -> [(&'static str, String); 4] {
    [
        ("restSeconds", exercise.rest_seconds().to_string()),
        ("tempo", exercise.tempo().to_owned()),
        ("superset", exercise.superset().to_owned()),
        ("notes", exercise.notes().to_owned()),
    ]
}

/// Rows for more sets, below those that there are.
const MORE_SETS: usize = 3;

/// `/console/programmes/{templateId}/days/{planMomentId}`
pub(in crate::pages) fn day(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let (plan, id) =
        (cx.place.param("templateId").to_owned(), cx.place.param("planMomentId").to_owned());
    let query = api::get_workout_moment(&plan, &id);
    let answer = cx.call(query.clone())?;
    let day = answer.day();
    let made = FormSource::of(&query, &["day.exercises"], &answer);
    let search = cx.place.parameter("search").to_owned();
    let found = match search.as_str() {
        "" => Answer::default(),
        search => {
            cx.call(api::list_workout_exercises().search(search).archived(false).limit(10))?
        }
    };
    let exercises = found.exercises();
    let unit = weight_unit(cx)?;
    let t = cx.strings;
    let own: Vec<_> = day.exercises().iter().collect();
    let blank = || {
        let form = Form::of(cx, api::set_workout_moment_exercises(&plan, &id));
        form.from(day).based_on(&made).next(cx.place.path.clone())
    };
    let whole = |order: Vec<&PlanDayExercise<'_>>| {
        let form = blank();
        order
            .into_iter()
            .enumerate()
            .fold(form, |form, (index, one)| unchanged_exercise(form, index, *one))
    };
    let editor = |index: usize, exercise: PlanDayExercise<'_>| {
        let others = own.iter().enumerate().filter(|(other, _)| *other != index);
        let form = others.fold(blank(), |form, (other, one)| unchanged_exercise(form, other, *one));
        edited(cx, form, index, exercise, &unit).send(t.save())
    };
    let main = html! {
        p.quiet {
            (t.week_number(&day.week_number().to_string()))
            @if let Some(weekday) = day.weekday() { " · " (t.weekday(weekday)) }
        }
        section.card {
            h2 { (t.exercises()) }
            @if own.is_empty() { p.quiet { (t.no_exercises()) } }
            // What a drop sends is the whole of the day, in another order.
            div #order.hidden aria-hidden="true" {
                @if own.len() > 1 { (whole(own.iter().collect()).button(t.save())) }
            }
            ul.rows {
                @for (index, exercise) in own.iter().enumerate() {
                    li
                        draggable="true"
                        data-drag="exercise"
                        data-drop="exercise"
                        data-place=(index)
                    {
                        span.grow {
                            b { (exercise.name()) }
                            br;
                            span.quiet.number { (prescription(cx, *exercise, &unit)) }
                            @if !exercise.notes().is_empty() {
                                br;
                                span.quiet { (exercise.notes()) }
                            }
                        }
                        div.buttons {
                            @if index > 0 {
                                (whole(swapped(&own, index, index - 1)).button(t.move_up()))
                            }
                            @if index + 1 < own.len() {
                                (whole(swapped(&own, index, index + 1)).button(t.move_down()))
                            }
                            (whole(without(&own, index)).hidden("exercises", "").danger(t.remove()))
                        }
                        (disclosure(t.sets_and_rest(), editor(index, *exercise)))
                    }
                }
            }
        }
        section.card {
            h2 { (t.add_exercise()) }
            form.filters method="get" role="search" {
                label.wide {
                    (t.search())
                    input type="search" name="search" value=(search) autocomplete="off";
                }
                button.plain type="submit" { (t.search()) }
            }
            @if exercises.is_empty() && !search.is_empty() {
                p {
                    (t.no_exercise_found()) " "
                    a href="/console/programmes/exercises" { (t.own_exercises()) }
                }
            }
            ul.rows {
                @for exercise in exercises {
                    li.adding {
                        b.grow { (exercise.name()) }
                        (added(whole(own.iter().collect()), own.len(), exercise, t, &unit)
                            .send(t.add()))
                    }
                }
            }
        }
    };
    let back = format!("/console/programmes/{plan}?week={}", day.week_number().max(1));
    let acts = html! {
        a.button.plain href=(back) { (t.back()) }
        (disclosure(
            t.delete_day(),
            Form::of(cx, api::delete_workout_moment(&plan, &id))
                .next(&*back)
                .danger(t.delete_day()),
        ))
    };
    Ok(View::new(day.name(), main).acts(acts))
}

fn place(index: usize, rest: &str) -> String {
    format!("exercises.{index}.{rest}")
}

fn cell<'c>(place: String, label: &'c str, keys: &'static str) -> Cell<'c> {
    Cell { place, label, keys, usual: "" }
}

/// An exercise that stays as it is.
fn unchanged_exercise<'f>(form: Form<'f>, index: usize, exercise: PlanDayExercise<'_>) -> Form<'f> {
    let mut form = form.hidden(&place(index, "exerciseId"), exercise.exercise_id());
    for (field, value) in fields_beside_sets(exercise) {
        if !value.is_empty() {
            form = form.hidden(&place(index, field), value);
        }
    }
    for (number, set) in exercise.sets().iter().enumerate() {
        let name = |field: &str| place(index, &format!("sets.{number}.{field}"));
        form = form.hidden(&name("type"), set.r#type());
        for (field, value) in fields_of_set(set) {
            if !value.is_empty() {
                form = form.hidden(&name(field), value);
            }
        }
    }
    form
}

/// The fields of an existing exercise: a row per set, and empty rows for more. An empty row is no set, unless it
/// belongs to a set that had no values.
fn edited<'f>(
    cx: &PageContext<'_, '_>,
    form: Form<'f>,
    index: usize,
    exercise: PlanDayExercise<'_>,
    unit: &str,
) -> Form<'f> {
    let (t, sets) = (cx.strings, exercise.sets());
    let mut form = form
        .hidden(&place(index, "exerciseId"), exercise.exercise_id())
        .hidden(&FieldKind::Rows.name_of(place(index, "sets")), "");
    let any = |field: &str| {
        let fields = sets.iter().flat_map(fields_of_set);
        fields.into_iter().any(|(own, value)| own == field && !value.is_empty())
    };
    // Sets with repetitions have weights and vice versa; without sets all fields are shown.
    let is_blank =
        |set: PlanDayExerciseSet<'_>| fields_of_set(set).iter().all(|(_, value)| value.is_empty());
    let none = sets.iter().all(is_blank);
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
        if let Some(own) = sets.get(set)
            && (is_blank(own) || own.r#type() != "normal")
        {
            form = form.hidden(&name("type"), own.r#type());
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

/// The fields of a new exercise: a number of equal sets.
fn added<'f>(
    form: Form<'f>,
    index: usize,
    exercise: Exercise<'_>,
    t: crate::words::Strings,
    unit: &str,
) -> Form<'f> {
    let form = form.hidden(&place(index, "exerciseId"), exercise.exercise_id());
    let tracking = exercise.tracking_type();
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
