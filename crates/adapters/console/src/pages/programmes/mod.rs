//! Programmes: templates, the weeks and days of one, what a day holds ([`day`]), and the library of exercises
//! ([`exercises`]).

pub(super) mod day;
pub(super) mod exercises;

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/programmes`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let answer =
        cx.list(ApiCall::of("list_workout_templates").filtered(place, &["search", "status"]))?;
    let t = cx.strings;
    let rows: Vec<Vec<Markup>> = answer.list("templates").iter().map(|template| vec![
        html! { a href={ "/console/programmes/" (template.text("_id")) } { b { (template.text("name")) } } },
        html! { (template.text("goal")) },
        html! { span.number { (template.int("totalWeeks")) } },
        html! { span.number { (template.int("totalDays")) } },
        state(cx, template.text("status")),
    ]).collect();
    let layouts = [("calendar_week", t.by_week()), ("sequence", t.in_sequence())];
    let modes = [("multi_week", t.several_weeks()), ("recurring", t.again_and_again())];
    let main = html! {
        form.filters method="get" role="search" {
            label.wide { (t.search()) input type="search" name="search" value=(place.parameter("search")); }
            label { (t.status())
                select name="status" { option value="" { (t.all()) } @for word in ["Draft", "Active"] { option value=(word) selected[place.parameter("status") == word] { (t.term(word)) } } }
            }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.no_programmes(), None)) }
        @else { (table(t.programmes(), &[t.name(), t.goal(), t.weeks(), t.days(), t.status()], rows)) (pager(cx, &answer)) }
    };
    // What most mean: an operation takes a plan without dates where nothing is said.
    let usual = serde_json::json!({"layout": "calendar_week"});
    let form = Form::of(cx, "create_workout_template")
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

/// All days of a plan, in their order.
fn days(cx: &mut PageContext<'_, '_>, plan: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for page in 1..=10 {
        let answer = cx.call(
            ApiCall::of("list_workout_moments")
                .at("planId", plan)
                .with("limit", 100)
                .with("page", page),
        )?;
        all.extend(answer.list("moments").to_vec());
        if !answer.is("hasNextPage") {
            break;
        }
    }
    Ok(all)
}

/// The unit in which the business weighs.
pub(super) fn weight_unit(cx: &mut PageContext<'_, '_>) -> Result<String> {
    let answer = cx.call_if_allowed(ApiCall::of("get_workout_settings"))?.unwrap_or_default();
    Ok(answer.text("settings.weightUnit").to_owned())
}

/// What an exercise asks for, such as 5 × 8 · 60 kg: sets that are alike together.
pub(super) fn prescription(cx: &PageContext<'_, '_>, exercise: &Value, unit: &str) -> String {
    let sets: Vec<String> =
        exercise.list("sets").iter().map(|set| prescription_of(cx, set, unit)).collect();
    let alike = sets.chunk_by(|one, other| one == other);
    let answer = alike.map(|sets| match sets.first().filter(|first| !first.is_empty()) {
        Some(first) => format!("{} × {first}", sets.len()),
        None => format!("{} ×", sets.len()),
    });
    answer.collect::<Vec<_>>().join(", ")
}

/// Whether a field of a set says what is measured of an exercise of such a kind.
pub(super) fn is_measured(tracking: &str, field: &str) -> bool {
    match field {
        "reps" => tracking.contains("reps") || matches!(tracking, "assisted" | "bodyweight_plus"),
        "weight" => tracking.contains("weight") || tracking == "assisted",
        "durationSeconds" => tracking.contains("duration"),
        _ => tracking.contains("distance"),
    }
}

/// What a set asks for.
fn prescription_of(cx: &PageContext<'_, '_>, set: &Value, unit: &str) -> String {
    let mut parts = Vec::new();
    if set.has("reps") {
        let most = match set.has("repsMax") {
            true => format!("–{}", set.int("repsMax")),
            false => String::new(),
        };
        parts.push(format!("{}{most}", set.int("reps")));
    }
    if let Some(weight) = set.at("weight").as_f64() {
        parts.push(format!("{} {unit}", cx.written.number(weight, 2)));
    }
    if set.has("durationSeconds") {
        parts.push(format!("{} s", set.int("durationSeconds")));
    }
    if set.has("distanceMeters") {
        parts.push(format!("{} m", set.int("distanceMeters")));
    }
    parts.join(" · ")
}

/// `/console/programmes/{templateId}`
pub(super) fn builder(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("templateId").to_owned();
    let answer = cx.call(ApiCall::of("get_workout_template").at("templateId", &id))?;
    let template = answer.at("template").clone();
    let (days, unit) = (days(cx, &id)?, weight_unit(cx)?);
    let weeks = template.int("totalWeeks").max(1);
    let t = cx.strings;
    let by_week = template.text("layout") == "calendar_week";
    let view = cx
        .place
        .parameter("week")
        .parse::<i64>()
        .ok()
        .filter(|week| (1..=weeks).contains(week))
        .unwrap_or(1);
    let of_week: Vec<&Value> =
        days.iter().filter(|day| !day.has("weekNumber") || day.int("weekNumber") == view).collect();
    let weekdays: Vec<(String, String)> =
        (1..=7).map(|day| (day.to_string(), t.weekday(day).to_owned())).collect();
    let at = || vec![("planId", id.clone())];
    let here = cx.place.with_parameters(&[("week", &view.to_string())]);
    let added = cx.place.with_parameters(&[("week", &(weeks + 1).to_string())]);
    let main = html! {
        p { (state(cx, template.text("status"))) " " span.quiet { (template.text("goal")) } }
        nav.tabs aria-label=(t.weeks()) {
            @for week in 1..=weeks { a data-drop="day" data-set={ "weekNumber=" (week) } href=(cx.place.with_parameters(&[("week", &week.to_string())])) aria-current=[(week == view).then_some("page")] { (t.week_number(&week.to_string())) } }
        }
        div.buttons {
            (Form::about(cx, "add_workout_week", at()).next(&*added).button(t.add_week()))
            (Form::about(cx, "add_workout_week", at()).hidden("duplicateOf", view.to_string()).next(&*added).button(t.copy_week()))
            @if weeks > 1 { (disclosure(t.delete_week(), Form::about(cx, "delete_workout_week", vec![("planId", id.clone()), ("weekNumber", view.to_string())]).next(format!("/console/programmes/{id}")).danger(t.delete_week()))) }
        }
        @let card = |day: &Value| html! {
            section.card draggable=[by_week.then_some("true")] data-drag=[by_week.then_some("day")] {
                h3 { a href={ "/console/programmes/" (id) "/days/" (day.text("planMomentId")) } { (day.text("name")) } }
                @if day.has("startTime") { p.quiet { (day.text("startTime")) } }
                ul.rows { @for exercise in day.list("exercises") { li { span.grow { (exercise.text("name")) } span.quiet.number { (prescription(cx, exercise, &unit)) } } } }
                (moved(cx, &id, day, weeks, by_week, &here))
            }
        };
        @if by_week {
            div.week {
                @for (weekday, label) in &weekdays {
                    section.daybox data-drop="day" data-set={ "weekday=" (weekday) } {
                        h2 { (label) }
                        @for day in of_week.iter().filter(|day| day.int("weekday").to_string() == *weekday) { (card(day)) }
                    }
                }
            }
        } @else {
            div.grid { @for day in &of_week { (card(day)) } }
        }
        section.card {
            h2 { (t.add_day()) }
            @let form = Form::about(cx, "create_workout_moment", at()).next(&*here).text("name", t.name());
            @let form = if by_week { form.hidden("weekNumber", view.to_string()).choice("weekday", t.day(), &weekdays) } else { form };
            (form.of_type("time", "startTime", t.starts_at(), "off").send(t.add_day()))
        }
    };
    let acts = html! {
        @if template.text("status") == "Draft" { (Form::about(cx, "publish_workout_template", vec![("templateId", id.clone())]).send(t.publish())) }
        (Form::about(cx, "duplicate_workout_template", vec![("templateId", id.clone())]).next("/console/programmes/{template._id}").button(t.duplicate()))
        @let about = || vec![("templateId", id.clone())];
        @if cx.may("update_workout_template") { (disclosure(t.edit(), Form::about(cx, "update_workout_template", about()).from(&template).text("name", t.name()).text("goal", t.goal()).area("description", t.description()).send(t.save()))) }
        @if cx.may("delete_workout_template") { (disclosure(t.delete(), Form::about(cx, "delete_workout_template", about()).next("/console/programmes").danger(t.delete()))) }
    };
    Ok(View::new(template.text("name"), main).acts(acts))
}

/// Buttons that move a day to the day or the week before or after it.
fn moved(
    cx: &PageContext<'_, '_>,
    plan: &str,
    day: &Value,
    weeks: i64,
    by_week: bool,
    here: &str,
) -> Markup {
    let (t, id) = (cx.strings, day.text("planMomentId"));
    let form = || {
        let at = vec![("planId", plan.to_owned()), ("planMomentId", id.to_owned())];
        Form::about(cx, "update_workout_moment", at).next(here)
    };
    let (weekday, week) = (day.int("weekday"), day.int("weekNumber"));
    if !by_week {
        return Markup::default();
    }
    html! {
        div.buttons {
            @if weekday > 1 { (form().hidden("weekday", (weekday - 1).to_string()).button(t.earlier())) }
            @if weekday < 7 { (form().hidden("weekday", (weekday + 1).to_string()).button(t.later())) }
            @if week > 1 { (form().hidden("weekNumber", (week - 1).to_string()).button(t.to_week(&(week - 1).to_string()).as_str())) }
            @if week < weeks { (form().hidden("weekNumber", (week + 1).to_string()).button(t.to_week(&(week + 1).to_string()).as_str())) }
        }
    }
}
