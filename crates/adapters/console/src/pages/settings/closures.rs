//! Closures: when the business, a location or a coach is not there.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::tabs;
use crate::{
    page_context::{ApiCall, PageContext},
    pages::bookings::when,
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, facts, pager, table},
        shell::View,
    },
};

/// What says what is closed, in a closure as in a new one.
const OF_NEW: [&str; 8] = [
    "appliesTo",
    "locationId",
    "coachId",
    "startDate",
    "endDate",
    "startTime",
    "endTime",
    "reason",
];

/// What a closure is of, empty for the whole business, and at what time of its days, empty for all of them.
pub(in crate::pages) struct Closure {
    pub(in crate::pages) whose: String,
    pub(in crate::pages) time: String,
}

/// What a closure says.
pub(in crate::pages) fn closure(cx: &mut PageContext<'_, '_>, rule: &Value) -> Result<Closure> {
    let whose = match rule.text("appliesTo") {
        "location" => cx.location(rule.text("locationId"))?,
        "coach" => cx.coach(rule.text("coachId"))?,
        _ => String::new(),
    };
    let time = match rule.has("startTime") {
        true => format!("{}–{}", rule.text("startTime"), rule.text("endTime")),
        false => String::new(),
    };
    Ok(Closure { whose, time })
}

/// `/console/settings/closures`
pub(in crate::pages) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let from = match cx.place.parameter("past") {
        "true" => String::new(),
        _ => cx.written.today().to_string(),
    };
    let answer = cx.list(ApiCall::of("list_availability_rules").with("from", from))?;
    let mut rows: Vec<Vec<Markup>> = Vec::new();
    for rule in answer.list("availabilityRules") {
        let Closure { whose, time } = closure(cx, rule)?;
        let whose = if whose.is_empty() { cx.strings.whole_business().to_owned() } else { whose };
        let written = &cx.written;
        let date = |place| rule.date(place).map(|date| written.date(date)).unwrap_or_default();
        let (from, until) = (date("startDate"), date("endDate"));
        rows.push(vec![
            html! { a href={ "/console/settings/closures/" (rule.text("availabilityRuleId")) } { (from) @if until != from { " – " (until) } @if !time.is_empty() { ", " (time) } } },
            html! { (whose) },
            html! { (rule.text("reason")) },
        ]);
    }
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.choices(ApiCall::of("list_locations"), ("locations", "locationId"))?;
    let t = cx.strings;
    let recipient =
        [("company", t.whole_business()), ("location", t.location()), ("coach", t.coach())];
    let form = Form::of(cx, "create_availability_rule")
        .next("/console/settings/closures/{availabilityRule.availabilityRuleId}")
        .choice("appliesTo", t.what_is_closed(), &recipient)
        .choice("locationId", t.location(), &locations)
        .choice("coachId", t.coach(), &coaches)
        .text("startDate", t.from())
        .text("endDate", t.until())
        .of_type("time", "startTime", t.from_time(), "off")
        .of_type("time", "endTime", t.until_time(), "off")
        .text("reason", t.reason());
    let past = cx.place.parameter("past") == "true";
    let main = html! {
        (tabs(cx, "/closures"))
        p.quiet { (t.closures_mean()) }
        @if rows.is_empty() { (empty(t.no_closures(), None)) }
        @else { (table(t.closures(), &[t.when(), t.what_is_closed(), t.reason()], rows)) }
        (pager(cx, &answer))
        p { a href=(cx.place.with_parameters(&[("past", if past { "" } else { "true" }), ("page", "")])) { (if past { t.upcoming() } else { t.past() }) } }
        @if cx.may("create_availability_rule") { section.card { (disclosure(t.close(), form.send(t.close()))) } }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/closures/{availabilityRuleId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("availabilityRuleId").to_owned();
    let answer = cx.call(ApiCall::of("get_availability_rule").at("availabilityRuleId", &id))?;
    let rule = answer.at("availabilityRule");
    let Closure { whose, time } = closure(cx, rule)?;
    let body = OF_NEW.into_iter().filter(|field| rule.has(field));
    let body = body.map(|field| (field.to_owned(), rule.at(field).clone())).collect();
    let concerned = cx
        .call_if_allowed(ApiCall::of("preview_availability_rule").body(Value::Object(body)))?
        .unwrap_or_default();
    cx.know_clients(concerned.list("affectedBookings.bookings"))?;
    let mut rows = Vec::new();
    for booking in concerned.list("affectedBookings.bookings") {
        let (client, coach) =
            (cx.client(booking.text("clientId"))?, cx.coach(booking.text("coachId"))?);
        rows.push(vec![
            html! { a href={ "/console/calendar/events/" (booking.text("calendarEventId")) } { (when(cx, booking)) } },
            html! { a href={ "/console/clients/" (booking.text("clientId")) } { (client) } },
            html! { (coach) },
        ]);
    }
    let (t, written) = (cx.strings, &cx.written);
    let date = |place| rule.date(place).map(|date| written.date(date)).unwrap_or_default();
    let at = || vec![("availabilityRuleId", id.clone())];
    let change = Form::about(cx, "update_availability_rule", at())
        .from(rule)
        .text("startDate", t.from())
        .text("endDate", t.until())
        .of_type("time", "startTime", t.from_time(), "off")
        .of_type("time", "endTime", t.until_time(), "off")
        .text("reason", t.reason());
    let total = concerned.int("affectedBookings.total");
    let main = html! {
        section.card {
            (facts(vec![
                (t.what_is_closed(), html! { (if whose.is_empty() { t.whole_business() } else { &whose }) }),
                (t.from(), html! { (date("startDate")) }),
                (t.until(), html! { (date("endDate")) }),
                (t.time(), html! { (time) }),
                (t.reason(), html! { (rule.text("reason")) }),
            ]))
            @if cx.may("update_availability_rule") { (disclosure(t.change(), change.send(t.save()))) }
        }
        h2 { (t.bookings_concerned()) }
        @if rows.is_empty() { (empty(t.nobody_booked(), None)) }
        @else {
            p { (t.closures_concern(&written.count(total))) }
            (table(t.bookings_concerned(), &[t.when(), t.client(), t.coach()], rows))
        }
    };
    let acts = html! {
        a.button.plain href="/console/settings/closures" { (t.back()) }
        @if cx.may("delete_availability_rule") {
            (disclosure(t.open_again(), Form::about(cx, "delete_availability_rule", at()).next("/console/settings/closures").danger(t.open_again())))
        }
    };
    Ok(View::new(t.closures(), main).acts(acts))
}
