//! Closures: when the business, a location or a coach is not there.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::tabs;
use crate::{
    api::{self, Json},
    page_context::PageContext,
    pages::bookings::when,
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{empty, facts, pager, table},
        shell::View,
    },
};

/// The fields that define a closure.
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

/// The subject and the time of a closure.
pub(in crate::pages) fn closure(
    cx: &mut PageContext<'_, '_>,
    rule: api::AvailabilityRule<'_>,
) -> Result<Closure> {
    let whose = match rule.applies_to() {
        "location" => cx.location(rule.location_id())?,
        "coach" => cx.coach(rule.coach_id())?,
        _ => String::new(),
    };
    let time = match !rule.start_time().is_empty() {
        true => format!("{}–{}", rule.start_time(), rule.end_time()),
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
    let answer = cx.list(api::list_availability_rules().from(from))?;
    let mut rows: Vec<Vec<Markup>> = Vec::new();
    for rule in answer.availability_rules() {
        let Closure { whose, time } = closure(cx, rule)?;
        let whose = if whose.is_empty() { cx.strings.whole_business().to_owned() } else { whose };
        let written = &cx.written;
        let (from, until) = (written.date(rule.start_date()), written.date(rule.end_date()));
        rows.push(vec![
            html! {
                a href={ "/console/settings/closures/" (rule.availability_rule_id()) } {
                    (from)
                    @if until != from { " – " (until) }
                    @if !time.is_empty() { ", " (time) }
                }
            },
            html! { (whose) },
            html! { (rule.reason()) },
        ]);
    }
    let coaches = cx.coaches_to_plan()?;
    let locations = cx.location_choices()?;
    let t = cx.strings;
    let recipient =
        [("company", t.whole_business()), ("location", t.location()), ("coach", t.coach())];
    let form = Form::of(cx, api::create_availability_rule())
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
        @if rows.is_empty() {
            (empty(t.no_closures(), None))
        } @else {
            (table(t.closures(), &[t.when(), t.what_is_closed(), t.reason()], rows))
        }
        (pager(cx, &answer))
        p {
            a
                href=(cx.place.with_parameters(&[
                    ("past", if past { "" } else { "true" }),
                    ("page", ""),
                ]))
            {
                (if past { t.upcoming() } else { t.past() })
            }
        }
        @if cx.may(api::CreateAvailabilityRule) {
            section.card { (disclosure(t.close(), form.send(t.close()))) }
        }
    };
    Ok(View::new(t.settings(), main))
}

/// `/console/settings/closures/{availabilityRuleId}`
pub(in crate::pages) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("availabilityRuleId").to_owned();
    let answer = cx.call(api::get_availability_rule(&id))?;
    let rule = answer.availability_rule();
    let Closure { whose, time } = closure(cx, rule)?;
    let record = rule.json();
    let body = OF_NEW.into_iter().filter(|field| record.has(field));
    let body = body.map(|field| (field.to_owned(), record[field].clone())).collect();
    let preview = api::preview_availability_rule().with_body(Value::Object(body));
    let concerned = cx.call_or_empty(preview)?;
    let bookings = concerned.affected_bookings().bookings();
    cx.know_clients(bookings.iter().map(|booking| booking.client_id()))?;
    let mut rows = Vec::new();
    for booking in bookings {
        let (client, coach) = (cx.client(booking.client_id())?, cx.coach(booking.coach_id())?);
        rows.push(vec![
            html! {
                a href={ "/console/calendar/events/" (booking.calendar_event_id()) } {
                    (when(cx, booking.starts_at()))
                }
            },
            html! { a href={ "/console/clients/" (booking.client_id()) } { (client) } },
            html! { (coach) },
        ]);
    }
    let (t, written) = (cx.strings, &cx.written);
    let change = Form::of(cx, api::update_availability_rule(&id))
        .from(rule)
        .text("startDate", t.from())
        .text("endDate", t.until())
        .of_type("time", "startTime", t.from_time(), "off")
        .of_type("time", "endTime", t.until_time(), "off")
        .text("reason", t.reason());
    let total = concerned.affected_bookings().total();
    let main = html! {
        section.card {
            (facts(vec![
                (t.what_is_closed(), html! {
                    (if whose.is_empty() { t.whole_business() } else { &whose })
                }),
                (t.from(), html! { (written.date(rule.start_date())) }),
                (t.until(), html! { (written.date(rule.end_date())) }),
                (t.time(), html! { (time) }),
                (t.reason(), html! { (rule.reason()) }),
            ]))
            @if cx.may(api::UpdateAvailabilityRule) {
                (disclosure(t.change(), change.send(t.save())))
            }
        }
        h2 { (t.bookings_concerned()) }
        @if rows.is_empty() {
            (empty(t.nobody_booked(), None))
        } @else {
            p { (t.closures_concern(&written.count(total))) }
            @if cx.may(api::CancelClosedEvents) {
                (disclosure(
                    t.cancel_closed(),
                    Form::of(cx, api::cancel_closed_events(&id))
                        .previewed()
                        .text("reason", t.reason())
                        .text("message", t.mail_sentence())
                        .danger(t.cancel_closed()),
                ))
            }
            (table(t.bookings_concerned(), &[t.when(), t.client(), t.coach()], rows))
        }
    };
    let acts = html! {
        a.button.plain href="/console/settings/closures" { (t.back()) }
        @if cx.may(api::DeleteAvailabilityRule) {
            (disclosure(
                t.open_again(),
                Form::of(cx, api::delete_availability_rule(&id))
                    .next("/console/settings/closures")
                    .danger(t.open_again()),
            ))
        }
    };
    Ok(View::new(t.closures(), main).acts(acts))
}
