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
    let say = cx.say;
    let rows = answer.list("exercises").iter().map(|exercise| {
        let muscles: Vec<_> = exercise
            .list("primaryMuscles")
            .iter()
            .filter_map(|muscle| muscle.as_str())
            .map(|muscle| say.term(muscle))
            .collect();
        vec![
            html! { a href={ "/console/programmes/exercises/" (exercise.text("exerciseId")) } { b { (exercise.text("name")) } } },
            html! { (muscles.join(", ")) },
            html! { (say.term(exercise.text("trackingType"))) },
            html! { @if exercise.text("source") == "company" { (say.own()) } @if exercise.has("archivedAt") { " " (state(cx, "archived")) } },
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    let muscles = cx.words_of("create_workout_exercise", "primaryMuscles");
    let form = fields(cx, Form::of(cx, "create_workout_exercise"))
        .next("/console/programmes/exercises/{exercise.exerciseId}");
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (say.search()) input type="search" name="search" value=(place.parameter("search")) maxlength="100"; }
            label { (say.muscle())
                select name="muscle" { option value="" { (say.all()) } @for word in muscles { option value=(word) selected[place.parameter("muscle") == word] { (say.term(word)) } } }
            }
            label { (say.origin())
                select name="source" { option value="" { (say.all()) } @for (word, label) in [("company", say.own()), ("system", say.starter_library())] { option value=(word) selected[place.parameter("source") == word] { (label) } } }
            }
            button.plain type="submit" { (say.filter()) }
        }
        @if rows.is_empty() { (empty(say.no_exercise_found(), None)) }
        @else { (table(say.exercises(), &[say.name(), say.muscle(), say.measured_by(), ""], rows)) (pager(cx, &answer)) }
    };
    let acts = html! {
        @if cx.may("create_workout_exercise") { (disclosure(say.add_exercise(), form.send(say.add_exercise()))) }
    };
    Ok(View::new(say.exercises(), main).acts(acts))
}

fn fields<'f>(cx: &PageContext<'_, '_>, form: Form<'f>) -> Form<'f> {
    let say = cx.say;
    let words = |field: &str| -> Vec<(&str, &str)> {
        let words = cx.words_of("create_workout_exercise", field);
        words.into_iter().map(|word| (word, say.term(word))).collect()
    };
    form.text("name", say.name())
        .choice("trackingType", say.measured_by(), &words("trackingType"))
        .any("primaryMuscles", say.muscle(), &words("primaryMuscles"))
        .area("instructions", say.how_it_is_done())
        .of_type("url", "videoUrl", say.video(), "off")
}

/// `/console/programmes/exercises/{exerciseId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("exerciseId").to_owned();
    let answer = cx.call(ApiCall::of("get_workout_exercise").at("exerciseId", &id))?;
    let exercise = answer.at("exercise").clone();
    let say = cx.say;
    let at = || vec![("exerciseId", id.clone())];
    let archived = exercise.has("archivedAt");
    let own = exercise.is("editable") && !archived && cx.may("update_workout_exercise");
    let muscles = |list: &str| -> Vec<&str> {
        let words = exercise.list(list).iter().filter_map(|muscle| muscle.as_str());
        words.map(|muscle| say.term(muscle)).collect()
    };
    let main = html! {
        @if archived { p { (state(cx, "archived")) } }
        section.card {
            @if own { (fields(cx, Form::about(cx, "update_workout_exercise", at()).from(&exercise)).send(say.save())) }
            @else {
                (facts(vec![
                    (say.measured_by(), html! { (say.term(exercise.text("trackingType"))) }),
                    (say.muscle(), html! { (muscles("primaryMuscles").join(", ")) }),
                    (say.helps(), html! { (muscles("secondaryMuscles").join(", ")) }),
                    (say.video(), html! { @if exercise.has("videoUrl") { a href=(exercise.text("videoUrl")) rel="noopener noreferrer" { (exercise.text("videoUrl")) } } }),
                ]))
                @for line in exercise.text("instructions").lines() { p { (line) } }
                @if !exercise.is("editable") { p.quiet { (say.starter_stays()) } }
            }
        }
    };
    let acts = html! {
        a.button.plain href="/console/programmes/exercises" { (say.back()) }
        @if own && cx.may("archive_workout_exercise") { (disclosure(say.archive(), Form::about(cx, "archive_workout_exercise", at()).danger(say.archive()))) }
    };
    Ok(View::new(exercise.text("name"), main).acts(acts))
}
