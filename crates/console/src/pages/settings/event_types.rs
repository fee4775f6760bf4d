//! Event types: what can be booked, and by which rules.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{only_if, tabs};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/settings/event-types`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_event_types"))?;
    let say = cx.say;
    let kinds = [("appointment", say.term("appointment")), ("class", say.term("class"))];
    let rows: Vec<Vec<Markup>> = answer.list("eventTypes").iter().map(|kind| vec![
        html! { a href={ "/console/settings/event-types/" (kind.text("eventTypeId")) } { b { (kind.text("name")) } } },
        html! { (say.term(kind.text("kind"))) },
        html! { span.number { (kind.int("durationMinutes")) " min" } },
        html! { span.number { (kind.int("capacity")) } },
        state(cx, kind.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_event_type")
        .next("/console/settings/event-types/{eventType.eventTypeId}")
        .text("name", say.name())
        .choice("kind", say.kind(), &kinds)
        .text("durationMinutes", say.minutes())
        .helped("capacity", say.seats(), say.seats_help());
    let main = html! {
        (tabs(cx, "/event-types"))
        @if rows.is_empty() { (empty(say.no_event_types(), None)) }
        @else { (table(say.event_types(), &[say.name(), say.kind(), say.minutes(), say.seats(), say.status()], rows)) (pager(cx, &answer)) }
        @if cx.may("create_event_type") { section.card { (disclosure(say.add_event_type(), form.send(say.add_event_type()))) } }
    };
    Ok(View::new(say.settings(), main))
}

/// `/console/settings/event-types/{eventTypeId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("eventTypeId").to_owned();
    let answer = cx.call(ApiCall::of("get_event_type").at("eventTypeId", &id))?;
    let kind = answer.at("eventType").clone();
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let say = cx.say;
    let at = || vec![("eventTypeId", id.clone())];
    let form = Form::about(cx, "update_event_type", at())
        .from(&kind)
        .text("name", say.name())
        .area("description", say.description())
        .text("durationMinutes", say.minutes())
        .helped("capacity", say.seats(), say.seats_help())
        .text("credits", say.credits())
        .text("minNoticeMinutes", say.notice_minutes())
        .text("bookingWindowDays", say.window_days())
        .check("clientsMayBook", say.clients_may_book())
        .check("requiresApproval", say.needs_approval())
        .any("coachIds", say.coaches(), &coaches)
        .any("locationIds", say.locations(), &locations);
    // It is written whole; what is not shown stays.
    let form = match kind.text("kind") {
        "class" => ["maxEntries", "offerMinutes", "closesMinutesBefore"]
            .iter()
            .map(|part| format!("waitlist.{part}"))
            .filter(|place| !kind.at(place).is_null())
            .fold(form, |form, place| form.unchanged_hidden(&place, &kind.int(&place).to_string()))
            .choice(
                "waitlist.mode",
                say.wait_for_it(),
                &["off", "auto", "offer"].map(|word| (word, say.term(word))),
            ),
        _ => form,
    };
    let main = html! { (tabs(cx, "/event-types")) section.card { (only_if(cx, "update_event_type", form.send(say.save()))) } };
    let acts = html! {
        @if kind.text("status") == "active" && cx.may("archive_event_type") {
            (disclosure(say.archive(), Form::about(cx, "archive_event_type", at()).previewed().next("/console/settings/event-types").danger(say.archive())))
        }
    };
    Ok(View::new(kind.text("name"), main).acts(acts))
}
