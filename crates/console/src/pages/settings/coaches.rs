//! Coaches: who works here, as what, and when.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{hours, only_if, tabs};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::{JsonFields, name},
        lists::{pager, state, table},
        shell::View,
    },
    record_version::FormSource,
};

/// What the ends of a range of working hours are called.
const AT_WORK: [&str; 2] = ["startTime", "endTime"];

/// `/console/settings/coaches`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_coaches"))?;
    let say = cx.say;
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, say.term(word))).collect();
    let rows: Vec<Vec<Markup>> = answer.list("coaches").iter().map(|coach| vec![
        html! { a href={ "/console/settings/coaches/" (coach.text("coachId")) } { b { (name(coach)) } } },
        html! { (coach.text("email")) },
        html! { (say.term(coach.text("role"))) },
        state(cx, coach.text("status")),
    ]).collect();
    let form = Form::of(cx, "invite_coach")
        .next("/console/settings/coaches")
        .text("firstName", say.first_name())
        .text("lastName", say.last_name())
        .of_type("email", "email", say.email(), "off")
        .choice("role", say.role(), &roles);
    let main = html! {
        (tabs(cx, "/coaches"))
        (table(say.coaches(), &[say.name(), say.email(), say.role(), say.status()], rows)) (pager(cx, &answer))
        @if cx.may("invite_coach") { section.card { (disclosure(say.invite_coach(), form.send(say.invite_coach()))) } }
    };
    Ok(View::new(say.settings(), main))
}

/// `/console/settings/coaches/{coachId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("coachId").to_owned();
    let answer = cx.call(ApiCall::of("get_coach").at("coachId", &id))?;
    let coach = answer.at("coach").clone();
    let query = ApiCall::of("get_coach_availability").at("coachId", &id);
    let hours = cx.call_if_allowed(query.clone())?.unwrap_or_default();
    let made = FormSource::of(&query, &["availability"], &hours);
    let places = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let step = cx
        .call_if_allowed(ApiCall::of("get_coach_second_step").at("coachId", &id))?
        .unwrap_or_default();
    let say = cx.say;
    let at = || vec![("coachId", id.clone())];
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, say.term(word))).collect();
    let form = Form::about(cx, "update_coach", at())
        .from(&coach)
        .text("firstName", say.first_name())
        .text("lastName", say.last_name())
        .of_type("email", "email", say.email(), "off")
        .choice("role", say.role(), &roles);
    let weekly = hours
        .list("availability.weekly")
        .iter()
        .map(|window| {
            vec![
                html! { (say.weekday(window.int("weekday"))) },
                html! { span.number { (hours::range(cx, window, AT_WORK)) } @for place in hours::at(window, &places) { " · " (place) } },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/coaches"))
        p { (state(cx, coach.text("status"))) @if step.is("secondStep.isOn") { " " span.state.good { (say.second_step()) } } @else if step.is("secondStep.isDemanded") { " " span.state.warn { (say.second_step_missing()) } } }
        section.card { (only_if(cx, "update_coach", form.send(say.save()))) }
        h2 { (say.working_hours()) }
        (table(say.working_hours(), &[say.day(), say.when()], weekly))
        @if cx.may("set_coach_availability") && hours.has("availability") {
            @let availability = hours.at("availability");
            @let form = Form::about(cx, "set_coach_availability", at()).based_on(&made).hidden("timeZone", availability.text("timeZone")).hidden("weekly:hours", "")
                .hidden("overrides:json", availability.at("overrides").to_string());
            // Hours that are for some appointments alone, or at several places, would lose that here.
            @let bound = availability.list("weekly").iter().any(|own| own.list("locationIds").len() > 1 || !own.list("eventTypeIds").is_empty());
            @if bound { p.quiet { (say.hours_elsewhere()) } }
            @else { section.card { (disclosure(say.change_hours(), hours::week_of(cx, form, (availability.list("weekly"), AT_WORK), &places))) } }
        }
    };
    let acts = html! {
        @if coach.text("status") == "invited" && cx.may("reinvite_coach") { (Form::about(cx, "reinvite_coach", at()).button(say.invite())) }
        @if step.is("secondStep.isOn") {
            (disclosure(say.reset_second_step(), html! { p { (say.reset_second_step_means()) } (Form::about(cx, "delete_coach_second_step", at()).danger(say.reset_second_step())) }))
        }
        @if matches!(coach.text("status"), "active" | "invited") && cx.may("update_coach") {
            (disclosure(say.deactivate(), html! { p { (say.deactivate_means()) } (Form::about(cx, "update_coach", at()).previewed().hidden("status", "deactivated").danger(say.deactivate())) }))
        }
    };
    Ok(View::new(name(&coach), main).acts(acts))
}
