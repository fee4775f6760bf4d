//! The library of exercises: those of the business's own, which are written here, and the starter library's.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api::{self, List},
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, pager, state, table},
        shell::View,
    },
    words::Strings,
};

/// `/console/programmes/exercises`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let call = api::list_workout_exercises()
        .search(place.parameter("search").trim())
        .muscle(place.parameter("muscle").trim())
        .source(place.parameter("source").trim());
    let answer = cx.list(call)?;
    let t = cx.strings;
    let rows = answer.exercises().iter().map(|exercise| {
        vec![
            html! {
                a href={ "/console/programmes/exercises/" (exercise.exercise_id()) } {
                    b { (exercise.name()) }
                }
            },
            html! { (terms(t, exercise.primary_muscles())) },
            html! { (t.term(exercise.tracking_type())) },
            html! {
                @if exercise.source() == "company" { (t.own()) }
                @if exercise.archived_at().is_some() { " " (state(cx, "archived")) }
            },
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    let muscles = cx.words_of("create_workout_exercise", "primaryMuscles");
    let form = fields(cx, Form::of(cx, api::create_workout_exercise()))
        .next("/console/programmes/exercises/{exercise.exerciseId}");
    let main = html! {
        form.filters method="get" role="search" {
            label.wide {
                (t.search())
                input type="search" name="search" value=(place.parameter("search")) maxlength="100";
            }
            label {
                (t.muscle())
                select name="muscle" {
                    option value="" { (t.all()) }
                    @for word in muscles {
                        option value=(word) selected[place.parameter("muscle") == word] {
                            (t.term(word))
                        }
                    }
                }
            }
            label {
                (t.origin())
                select name="source" {
                    option value="" { (t.all()) }
                    @for (word, label) in [("company", t.own()), ("system", t.starter_library())] {
                        option value=(word) selected[place.parameter("source") == word] { (label) }
                    }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.no_exercise_found(), None))
        } @else {
            (table(t.exercises(), &[t.name(), t.muscle(), t.measured_by(), ""], rows))
            (pager(cx, &answer))
        }
    };
    let acts = html! {
        @if cx.may(api::CreateWorkoutExercise) {
            (disclosure(t.add_exercise(), form.send(t.add_exercise())))
        }
    };
    Ok(View::new(t.exercises(), main).acts(acts))
}

/// Words as people read them.
fn terms(t: Strings, words: List<'_, &str>) -> String {
    words.iter().map(|word| t.term(word)).collect::<Vec<_>>().join(", ")
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
    let answer = cx.call(api::get_workout_exercise(&id))?;
    let exercise = answer.exercise();
    let t = cx.strings;
    let archived = exercise.archived_at().is_some();
    let own = exercise.editable() && !archived && cx.may(api::UpdateWorkoutExercise);
    let main = html! {
        @if archived { p { (state(cx, "archived")) } }
        section.card {
            @if own {
                (fields(cx, Form::of(cx, api::update_workout_exercise(&id)).from(exercise))
                    .send(t.save()))
            } @else {
                (facts(vec![
                    (t.measured_by(), html! { (t.term(exercise.tracking_type())) }),
                    (t.muscle(), html! { (terms(t, exercise.primary_muscles())) }),
                    (t.helps(), html! { (terms(t, exercise.secondary_muscles())) }),
                    (t.video(), html! {
                        @if !exercise.video_url().is_empty() {
                            a href=(exercise.video_url()) rel="noopener noreferrer" {
                                (exercise.video_url())
                            }
                        }
                    }),
                ]))
                @for line in exercise.instructions().lines() { p { (line) } }
                @if !exercise.editable() { p.quiet { (t.starter_stays()) } }
            }
        }
    };
    let acts = html! {
        a.button.plain href="/console/programmes/exercises" { (t.back()) }
        @if own && cx.may(api::ArchiveWorkoutExercise) {
            (disclosure(
                t.archive(),
                Form::of(cx, api::archive_workout_exercise(&id)).danger(t.archive()),
            ))
        }
    };
    Ok(View::new(exercise.name(), main).acts(acts))
}
