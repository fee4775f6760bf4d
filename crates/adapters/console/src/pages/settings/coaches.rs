//! Coaches: who works here, as what, and when.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{
    hours::{self, TimeRange},
    only_if, tabs,
};
use crate::{
    api::{self, Json},
    field_kind::FieldKind,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{pager, state, table},
        shell::View,
    },
    record_version::FormSource,
};

/// What the ends of a range of working hours are called.
const AT_WORK: [&str; 2] = ["startTime", "endTime"];

/// `/console/settings/coaches`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_coaches())?;
    let t = cx.strings;
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, t.term(word))).collect();
    let rows: Vec<Vec<Markup>> = answer.coaches().iter().map(|coach| vec![
        html! {
            a href={ "/console/settings/coaches/" (coach.coach_id()) } { b { (coach.full_name()) } }
        },
        html! { (coach.email()) },
        html! { (t.term(coach.role())) },
        state(cx, coach.status()),
    ]).collect();
    let form = Form::of(cx, api::invite_coach())
        .next("/console/settings/coaches")
        .text("firstName", t.first_name())
        .text("lastName", t.last_name())
        .of_type("email", "email", t.email(), "off")
        .choice("role", t.role(), &roles);
    let main = html! {
        (tabs(cx, "/coaches"))
        (table(t.coaches(), &[t.name(), t.email(), t.role(), t.status()], rows))
        (pager(cx, &answer))
        @if cx.may(api::InviteCoach) {
            section.card { (disclosure(t.invite_coach(), form.send(t.invite_coach()))) }
        }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/coaches/{coachId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("coachId").to_owned();
    let answer = cx.call(api::get_coach(&id))?;
    let coach = answer.coach();
    let query = api::get_coach_availability(&id);
    let hours = cx.call_if_allowed(query.clone())?;
    let may_plan = hours.is_some() && cx.may(api::SetCoachAvailability);
    let hours = hours.unwrap_or_default();
    let made = FormSource::of(&query, &["availability"], &hours);
    let places = cx.location_choices()?;
    let step = cx.call_or_empty(api::get_coach_second_step(&id))?;
    let t = cx.strings;
    let roles: Vec<_> =
        ["Coach", "Manager", "Admin"].iter().map(|word| (*word, t.term(word))).collect();
    let form = Form::of(cx, api::update_coach(&id))
        .from(coach)
        .text("firstName", t.first_name())
        .text("lastName", t.last_name())
        .of_type("email", "email", t.email(), "off")
        .choice("role", t.role(), &roles);
    let weekly = hours
        .availability()
        .weekly()
        .iter()
        .map(|window| {
            vec![
                html! { (t.weekday(window.weekday())) },
                html! {
                    span.number { (hours::range(cx, window.start_time(), window.end_time())) }
                    @for place in hours::places_of(window.location_ids(), &places) { " · " (place) }
                },
            ]
        })
        .collect();
    let main = html! {
        (tabs(cx, "/coaches"))
        p {
            (state(cx, coach.status()))
            @if step.second_step().is_on() {
                " "
                span.state.good { (t.second_step()) }
            } @else if step.second_step().is_demanded() {
                " "
                span.state.warn { (t.second_step_missing()) }
            }
        }
        section.card { (only_if(cx, api::UpdateCoach, form.send(t.save()))) }
        h2 { (t.working_hours()) }
        (table(t.working_hours(), &[t.day(), t.when()], weekly))
        @if may_plan {
            @let availability = hours.availability();
            @let form = Form::of(cx, api::set_coach_availability(&id))
                .based_on(&made)
                .hidden("timeZone", availability.time_zone())
                .hidden(&FieldKind::Hours.name_of("weekly"), "")
                .hidden(
                    &FieldKind::Json.name_of("overrides"),
                    availability.json()["overrides"].to_string(),
                );
            @let windows: Vec<_> = availability
                .weekly()
                .iter()
                .map(|window| TimeRange {
                    weekday: window.weekday(),
                    from: window.start_time(),
                    until: window.end_time(),
                    location: window.location_ids().first().unwrap_or_default(),
                })
                .collect();
            // Hours that are for some appointments alone, or at several places, would lose that here.
            @let bound = availability
                .weekly()
                .iter()
                .any(|own| own.location_ids().len() > 1 || !own.event_type_ids().is_empty());
            @if bound {
                p.quiet { (t.hours_elsewhere()) }
            } @else {
                section.card {
                    (disclosure(
                        t.change_hours(),
                        hours::week_of(cx, form, AT_WORK, &windows, &places),
                    ))
                }
            }
        }
    };
    let acts = html! {
        @if coach.status() == "invited" && cx.may(api::ReinviteCoach) {
            (Form::of(cx, api::reinvite_coach(&id)).button(t.invite()))
        }
        @if step.second_step().is_on() {
            (disclosure(t.reset_second_step(), html! {
                p { (t.reset_second_step_means()) }
                (Form::of(cx, api::delete_coach_second_step(&id)).danger(t.reset_second_step()))
            }))
        }
        @if matches!(coach.status(), "active" | "invited") && cx.may(api::UpdateCoach) {
            (disclosure(t.deactivate(), html! {
                p { (t.deactivate_means()) }
                (Form::of(cx, api::update_coach(&id))
                    .previewed()
                    .hidden("status", "deactivated")
                    .danger(t.deactivate()))
            }))
        }
    };
    Ok(View::new(coach.full_name(), main).acts(acts))
}
