//! The library of exercises: those of the business's own, which are written here, and the starter library's.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
};

/// `/console/programmes/exercises`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let call =
        ApiCall::of("list_workout_exercises").filtered(place, &["search", "muscle", "source"]);
    let answer = cx.list(call)?;
    let t = cx.strings;
    let rows = answer.list("exercises").iter().map(|exercise| {
        let muscles: Vec<_> = exercise
            .list("primaryMuscles")
            .iter()
            .filter_map(|muscle| muscle.as_str())
            .map(|muscle| t.term(muscle))
            .collect();
        vec![
            html! { a href={ "/console/programmes/exercises/" (exercise.text("exerciseId")) } { b { (exercise.text("name")) } } },
            html! { (muscles.join(", ")) },
            html! { (t.term(exercise.text("trackingType"))) },
            html! { @if exercise.text("source") == "company" { (t.own()) } @if exercise.has("archivedAt") { " " (state(cx, "archived")) } },
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    let muscles = cx.words_of("create_workout_exercise", "primaryMuscles");
    let form = fields(cx, Form::of(cx, "create_workout_exercise"))
        .next("/console/programmes/exercises/{exercise.exerciseId}");
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (t.search()) input type="search" name="search" value=(place.parameter("search")) maxlength="100"; }
            label { (t.muscle())
                select name="muscle" { option value="" { (t.all()) } @for word in muscles { option value=(word) selected[place.parameter("muscle") == word] { (t.term(word)) } } }
            }
            label { (t.origin())
                select name="source" { option value="" { (t.all()) } @for (word, label) in [("company", t.own()), ("system", t.starter_library())] { option value=(word) selected[place.parameter("source") == word] { (label) } } }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.no_exercise_found(), None)) }
        @else { (table(t.exercises(), &[t.name(), t.muscle(), t.measured_by(), ""], rows)) (pager(cx, &answer)) }
    };
    let acts = html! {
        @if cx.may("create_workout_exercise") { (disclosure(t.add_exercise(), form.send(t.add_exercise()))) }
    };
    Ok(View::new(t.exercises(), main).acts(acts))
}

fn fields<'f>(cx: &PageContext<'_, '_>, form: Form<'f>) -> Form<'f> {
    let t = cx.strings;
    let words = |field: &str| -> Vec<(&str, &str)> {
        let words = cx.words_of("create_workout_exercise", field);
        words.into_iter().map(|word| (word, t.term(word))).collect()
    };
    form.text("name", t.name())
        .choice("trackingType", t.measured_by(), &words("trackingType"))
        .any("primaryMuscles", t.muscle(), &words("primaryMuscles"))
        .area("instructions", t.how_it_is_done())
        .of_type("url", "videoUrl", t.video(), "off")
}

/// `/console/programmes/exercises/{exerciseId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("exerciseId").to_owned();
    let answer = cx.call(ApiCall::of("get_workout_exercise").at("exerciseId", &id))?;
    let exercise = answer.at("exercise").clone();
    let t = cx.strings;
    let at = || vec![("exerciseId", id.clone())];
    let archived = exercise.has("archivedAt");
    let own = exercise.is("editable") && !archived && cx.may("update_workout_exercise");
    let muscles = |list: &str| -> Vec<&str> {
        let words = exercise.list(list).iter().filter_map(|muscle| muscle.as_str());
        words.map(|muscle| t.term(muscle)).collect()
    };
    let main = html! {
        @if archived { p { (state(cx, "archived")) } }
        section.card {
            @if own { (fields(cx, Form::about(cx, "update_workout_exercise", at()).from(&exercise)).send(t.save())) }
            @else {
                (facts(vec![
                    (t.measured_by(), html! { (t.term(exercise.text("trackingType"))) }),
                    (t.muscle(), html! { (muscles("primaryMuscles").join(", ")) }),
                    (t.helps(), html! { (muscles("secondaryMuscles").join(", ")) }),
                    (t.video(), html! { @if exercise.has("videoUrl") { a href=(exercise.text("videoUrl")) rel="noopener noreferrer" { (exercise.text("videoUrl")) } } }),
                ]))
                @for line in exercise.text("instructions").lines() { p { (line) } }
                @if !exercise.is("editable") { p.quiet { (t.starter_stays()) } }
            }
        }
    };
    let acts = html! {
        a.button.plain href="/console/programmes/exercises" { (t.back()) }
        @if own && cx.may("archive_workout_exercise") { (disclosure(t.archive(), Form::about(cx, "archive_workout_exercise", at()).danger(t.archive()))) }
    };
    Ok(View::new(exercise.text("name"), main).acts(acts))
}
