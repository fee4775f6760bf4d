//! Programmes: templates, the weeks and days of one, what a day holds ([`day`]), and the library of exercises
//! ([`exercises`]).

pub(super) mod day;
pub(super) mod exercises;

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api::{self, PlanDay, PlanDayExercise, PlanDayExerciseSet},
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/programmes`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let answer = cx.list(
        api::list_workout_templates()
            .search(place.parameter("search").trim())
            .status(place.parameter("status").trim()),
    )?;
    let t = cx.strings;
    let rows: Vec<Vec<Markup>> = answer.templates().iter().map(|template| vec![
        html! { a href={ "/console/programmes/" (template.id()) } { b { (template.name()) } } },
        html! { (template.goal()) },
        html! { span.number { (template.total_weeks()) } },
        html! { span.number { (template.total_days()) } },
        state(cx, template.status()),
    ]).collect();
    let layouts = [("calendar_week", t.by_week()), ("sequence", t.in_sequence())];
    let modes = [("multi_week", t.several_weeks()), ("recurring", t.again_and_again())];
    let main = html! {
        form.filters method="get" role="search" {
            label.wide {
                (t.search())
                input type="search" name="search" value=(place.parameter("search"));
            }
            label {
                (t.status())
                select name="status" {
                    option value="" { (t.all()) }
                    @for word in ["Draft", "Active"] {
                        option value=(word) selected[place.parameter("status") == word] {
                            (t.term(word))
                        }
                    }
                }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.no_programmes(), None))
        } @else {
            (table(t.programmes(), &[t.name(), t.goal(), t.weeks(), t.days(), t.status()], rows))
            (pager(cx, &answer))
        }
    };
    // Most users want the calendar layout; the operation's default has no dates.
    let usual = serde_json::json!({"layout": "calendar_week"});
    let form = Form::of(cx, api::create_workout_template())
        .from(&usual)
        .text("name", t.name())
        .text("goal", t.goal())
        .choice("layout", t.layout(), &layouts)
        .choice("mode", t.length(), &modes)
        .text("weeks", t.weeks())
        .next("/console/programmes/{template._id}");
    let acts = html! {
        a.button.plain href="/console/programmes/exercises" { (t.exercises()) }
        (disclosure(t.add_programme(), form.send(t.add_programme())))
    };
    Ok(View::new(t.programmes(), main).acts(acts))
}

/// The unit in which the business weighs.
pub(super) fn weight_unit(cx: &mut PageContext<'_, '_>) -> Result<String> {
    let answer = cx.call_or_empty(api::get_workout_settings())?;
    Ok(answer.settings().weight_unit().to_owned())
}

/// A planned exercise as text, such as 5 × 8 · 60 kg: equal sets together.
pub(super) fn prescription(
    cx: &PageContext<'_, '_>,
    exercise: PlanDayExercise<'_>,
    unit: &str,
) -> String {
    let sets: Vec<String> =
        exercise.sets().iter().map(|set| prescription_of(cx, set, unit)).collect();
    let alike = sets.chunk_by(|one, other| one == other);
    let answer = alike.map(|sets| match sets.first().filter(|first| !first.is_empty()) {
        Some(first) => format!("{} × {first}", sets.len()),
        None => format!("{} ×", sets.len()),
    });
    answer.collect::<Vec<_>>().join(", ")
}

/// Whether exercises of a tracking type use a field of a set.
pub(super) fn is_measured(tracking: &str, field: &str) -> bool {
    match field {
        "reps" => tracking.contains("reps") || matches!(tracking, "assisted" | "bodyweight_plus"),
        "weight" => tracking.contains("weight") || tracking == "assisted",
        "durationSeconds" => tracking.contains("duration"),
        _ => tracking.contains("distance"),
    }
}

/// A planned set as text.
fn prescription_of(cx: &PageContext<'_, '_>, set: PlanDayExerciseSet<'_>, unit: &str) -> String {
    let mut parts = Vec::new();
    if let Some(reps) = set.reps() {
        let most = set.reps_max().map(|most| format!("–{most}")).unwrap_or_default();
        parts.push(format!("{reps}{most}"));
    }
    if let Some(weight) = set.weight() {
        parts.push(format!("{} {unit}", cx.written.number(weight, 2)));
    }
    if let Some(seconds) = set.duration_seconds() {
        parts.push(format!("{seconds} s"));
    }
    if let Some(meters) = set.distance_meters() {
        parts.push(format!("{meters} m"));
    }
    parts.join(" · ")
}

/// `/console/programmes/{templateId}`
pub(super) fn builder(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("templateId").to_owned();
    let answer = cx.call(api::get_workout_template(&id))?;
    let template = answer.template();
    let pages = cx.pages(&api::list_workout_moments(&id), 10)?;
    let unit = weight_unit(cx)?;
    let weeks = template.total_weeks().max(1);
    let t = cx.strings;
    let by_week = template.layout() == "calendar_week";
    let view = cx
        .place
        .parameter("week")
        .parse::<i64>()
        .ok()
        .filter(|week| (1..=weeks).contains(week))
        .unwrap_or(1);
    let days = pages.iter().flat_map(|page| page.moments());
    let of_week: Vec<_> = days.filter(|day| day.week_number() == view).collect();
    let weekdays: Vec<(String, String)> =
        (1..=7).map(|day| (day.to_string(), t.weekday(day).to_owned())).collect();
    let here = cx.place.with_parameters(&[("week", &view.to_string())]);
    let added = cx.place.with_parameters(&[("week", &(weeks + 1).to_string())]);
    let main = html! {
        p { (state(cx, template.status())) " " span.quiet { (template.goal()) } }
        nav.tabs aria-label=(t.weeks()) {
            @for week in 1..=weeks {
                a
                    data-drop="day"
                    data-set={ "weekNumber=" (week) }
                    href=(cx.place.with_parameters(&[("week", &week.to_string())]))
                    aria-current=[(week == view).then_some("page")]
                {
                    (t.week_number(&week.to_string()))
                }
            }
        }
        div.buttons {
            (Form::of(cx, api::add_workout_week(&id)).next(&*added).button(t.add_week()))
            (Form::of(cx, api::add_workout_week(&id))
                .hidden("duplicateOf", view.to_string())
                .next(&*added)
                .button(t.copy_week()))
            @if weeks > 1 {
                (disclosure(
                    t.delete_week(),
                    Form::of(cx, api::delete_workout_week(&id, &view.to_string()))
                        .next(format!("/console/programmes/{id}"))
                        .danger(t.delete_week()),
                ))
            }
        }
        @let card = |day: PlanDay<'_>| {
            html! {
                section.card
                    draggable=[by_week.then_some("true")]
                    data-drag=[by_week.then_some("day")]
                {
                    h3 {
                        a href={ "/console/programmes/" (id) "/days/" (day.plan_moment_id()) } {
                            (day.name())
                        }
                    }
                    @if !day.start_time().is_empty() { p.quiet { (day.start_time()) } }
                    ul.rows {
                        @for exercise in day.exercises() {
                            li {
                                span.grow { (exercise.name()) }
                                span.quiet.number { (prescription(cx, exercise, &unit)) }
                            }
                        }
                    }
                    (moved(cx, &id, day, weeks, by_week, &here))
                }
            }
        };
        @if by_week {
            div.week {
                @for (weekday, label) in &weekdays {
                    section.daybox data-drop="day" data-set={ "weekday=" (weekday) } {
                        h2 { (label) }
                        @for day in of_week.iter().filter(|day| {
                            day.weekday().is_some_and(|own| own.to_string() == *weekday)
                        })
                        {
                            (card(*day))
                        }
                    }
                }
            }
        } @else {
            div.grid { @for day in of_week { (card(day)) } }
        }
        section.card {
            h2 { (t.add_day()) }
            @let form =
                Form::of(cx, api::create_workout_moment(&id)).next(&*here).text("name", t.name());
            @let form = if by_week {
                form.hidden("weekNumber", view.to_string()).choice("weekday", t.day(), &weekdays)
            } else {
                form
            };
            (form.of_type("time", "startTime", t.starts_at(), "off").send(t.add_day()))
        }
    };
    let acts = html! {
        @if template.status() == "Draft" {
            (Form::of(cx, api::publish_workout_template(&id)).send(t.publish()))
        }
        (Form::of(cx, api::duplicate_workout_template(&id))
            .next("/console/programmes/{template._id}")
            .button(t.duplicate()))
        @if cx.may(api::UpdateWorkoutTemplate) {
            (disclosure(
                t.edit(),
                Form::of(cx, api::update_workout_template(&id))
                    .from(template)
                    .text("name", t.name())
                    .text("goal", t.goal())
                    .area("description", t.description())
                    .send(t.save()),
            ))
        }
        @if cx.may(api::DeleteWorkoutTemplate) {
            (disclosure(
                t.delete(),
                Form::of(cx, api::delete_workout_template(&id))
                    .next("/console/programmes")
                    .danger(t.delete()),
            ))
        }
    };
    Ok(View::new(template.name(), main).acts(acts))
}

/// Buttons that move a day to the day or the week before or after it.
fn moved(
    cx: &PageContext<'_, '_>,
    plan: &str,
    day: PlanDay<'_>,
    weeks: i64,
    by_week: bool,
    here: &str,
) -> Markup {
    let (t, id) = (cx.strings, day.plan_moment_id());
    let form = || Form::of(cx, api::update_workout_moment(plan, id)).next(here);
    let week = day.week_number();
    let Some(weekday) = day.weekday().filter(|_| by_week) else { return Markup::default() };
    html! {
        div.buttons {
            @if weekday > 1 {
                (form().hidden("weekday", (weekday - 1).to_string()).button(t.earlier()))
            }
            @if weekday < 7 {
                (form().hidden("weekday", (weekday + 1).to_string()).button(t.later()))
            }
            @if week > 1 {
                (form()
                    .hidden("weekNumber", (week - 1).to_string())
                    .button(t.to_week(&(week - 1).to_string()).as_str()))
            }
            @if week < weeks {
                (form()
                    .hidden("weekNumber", (week + 1).to_string())
                    .button(t.to_week(&(week + 1).to_string()).as_str()))
            }
        }
    }
}
