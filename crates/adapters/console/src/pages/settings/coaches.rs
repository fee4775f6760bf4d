//! Coaches: who works here, as what, and when.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{hours, only_if, tabs};
use crate::{
    field_kind::FieldKind,
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
    let t = cx.strings;
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, t.term(word))).collect();
    let rows: Vec<Vec<Markup>> = answer.list("coaches").iter().map(|coach| vec![
        html! { a href={ "/console/settings/coaches/" (coach.text("coachId")) } { b { (name(coach)) } } },
        html! { (coach.text("email")) },
        html! { (t.term(coach.text("role"))) },
        state(cx, coach.text("status")),
    ]).collect();
    let form = Form::of(cx, "invite_coach")
        .next("/console/settings/coaches")
        .text("firstName", t.first_name())
        .text("lastName", t.last_name())
        .of_type("email", "email", t.email(), "off")
        .choice("role", t.role(), &roles);
    let main = html! {
        (tabs(cx, "/coaches"))
        (table(t.coaches(), &[t.name(), t.email(), t.role(), t.status()], rows)) (pager(cx, &answer))
        @if cx.may("invite_coach") { section.card { (disclosure(t.invite_coach(), form.send(t.invite_coach()))) } }
    };
    Ok(View::new(t.settings(), main))
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
    let t = cx.strings;
    let at = || vec![("coachId", id.clone())];
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, t.term(word))).collect();
    let form = Form::about(cx, "update_coach", at())
        .from(&coach)
        .text("firstName", t.first_name())
        .text("lastName", t.last_name())
        .of_type("email", "email", t.email(), "off")
        .choice("role", t.role(), &roles);
    let weekly = hours
        .list("availability.weekly")
        .iter()
        .map(|window| {
            vec![
                html! { (t.weekday(window.int("weekday"))) },
                html! { span.number { (hours::range(cx, window, AT_WORK)) } @for place in hours::at(window, &places) { " · " (place) } },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/coaches"))
        p { (state(cx, coach.text("status"))) @if step.is("secondStep.isOn") { " " span.state.good { (t.second_step()) } } @else if step.is("secondStep.isDemanded") { " " span.state.warn { (t.second_step_missing()) } } }
        section.card { (only_if(cx, "update_coach", form.send(t.save()))) }
        h2 { (t.working_hours()) }
        (table(t.working_hours(), &[t.day(), t.when()], weekly))
        @if cx.may("set_coach_availability") && hours.has("availability") {
            @let availability = hours.at("availability");
            @let form = Form::about(cx, "set_coach_availability", at()).based_on(&made).hidden("timeZone", availability.text("timeZone")).hidden(&FieldKind::Hours.name_of("weekly"), "")
                .hidden(&FieldKind::Json.name_of("overrides"), availability.at("overrides").to_string());
            // Hours that are for some appointments alone, or at several places, would lose that here.
            @let bound = availability.list("weekly").iter().any(|own| own.list("locationIds").len() > 1 || !own.list("eventTypeIds").is_empty());
            @if bound { p.quiet { (t.hours_elsewhere()) } }
            @else { section.card { (disclosure(t.change_hours(), hours::week_of(cx, form, (availability.list("weekly"), AT_WORK), &places))) } }
        }
    };
    let acts = html! {
        @if coach.text("status") == "invited" && cx.may("reinvite_coach") { (Form::about(cx, "reinvite_coach", at()).button(t.invite())) }
        @if step.is("secondStep.isOn") {
            (disclosure(t.reset_second_step(), html! { p { (t.reset_second_step_means()) } (Form::about(cx, "delete_coach_second_step", at()).danger(t.reset_second_step())) }))
        }
        @if matches!(coach.text("status"), "active" | "invited") && cx.may("update_coach") {
            (disclosure(t.deactivate(), html! { p { (t.deactivate_means()) } (Form::about(cx, "update_coach", at()).previewed().hidden("status", "deactivated").danger(t.deactivate())) }))
        }
    };
    Ok(View::new(name(&coach), main).acts(acts))
}
