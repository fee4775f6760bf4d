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
    let t = cx.strings;
    let kinds = [("appointment", t.term("appointment")), ("class", t.term("class"))];
    let rows: Vec<Vec<Markup>> = answer.list("eventTypes").iter().map(|kind| vec![
        html! { a href={ "/console/settings/event-types/" (kind.text("eventTypeId")) } { b { (kind.text("name")) } } },
        html! { (t.term(kind.text("kind"))) },
        html! { span.number { (kind.int("durationMinutes")) " min" } },
        html! { span.number { (kind.int("capacity")) } },
        state(cx, kind.text("status")),
    ]).collect();
    let form = Form::of(cx, "create_event_type")
        .next("/console/settings/event-types/{eventType.eventTypeId}")
        .text("name", t.name())
        .choice("kind", t.kind(), &kinds)
        .text("durationMinutes", t.minutes())
        .helped("capacity", t.seats(), t.seats_help());
    let main = html! {
        (tabs(cx, "/event-types"))
        @if rows.is_empty() { (empty(t.no_event_types(), None)) }
        @else { (table(t.event_types(), &[t.name(), t.kind(), t.minutes(), t.seats(), t.status()], rows)) (pager(cx, &answer)) }
        @if cx.may("create_event_type") { section.card { (disclosure(t.add_event_type(), form.send(t.add_event_type()))) } }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/event-types/{eventTypeId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("eventTypeId").to_owned();
    let answer = cx.call(ApiCall::of("get_event_type").at("eventTypeId", &id))?;
    let kind = answer.at("eventType").clone();
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let t = cx.strings;
    let at = || vec![("eventTypeId", id.clone())];
    let form = Form::about(cx, "update_event_type", at())
        .from(&kind)
        .text("name", t.name())
        .area("description", t.description())
        .text("durationMinutes", t.minutes())
        .helped("capacity", t.seats(), t.seats_help())
        .text("credits", t.credits())
        .text("minNoticeMinutes", t.notice_minutes())
        .text("bookingWindowDays", t.window_days())
        .check("clientsMayBook", t.clients_may_book())
        .check("requiresApproval", t.needs_approval())
        .any("coachIds", t.coaches(), &coaches)
        .any("locationIds", t.locations(), &locations);
    // It is written whole; what is not shown stays.
    let form = match kind.text("kind") {
        "class" => ["maxEntries", "offerMinutes", "closesMinutesBefore"]
            .iter()
            .map(|part| format!("waitlist.{part}"))
            .filter(|place| !kind.at(place).is_null())
            .fold(form, |form, place| form.unchanged_hidden(&place, &kind.int(&place).to_string()))
            .choice(
                "waitlist.mode",
                t.wait_for_it(),
                &["off", "auto", "offer"].map(|word| (word, t.term(word))),
            ),
        _ => form,
    };
    let main = html! { (tabs(cx, "/event-types")) section.card { (only_if(cx, "update_event_type", form.send(t.save()))) } };
    let acts = html! {
        @if kind.text("status") == "active" && cx.may("archive_event_type") {
            (disclosure(t.archive(), Form::about(cx, "archive_event_type", at()).previewed().next("/console/settings/event-types").danger(t.archive())))
        }
    };
    Ok(View::new(kind.text("name"), main).acts(acts))
}
