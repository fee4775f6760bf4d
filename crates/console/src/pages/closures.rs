//! Closures: when the business, a location or a coach is not there.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::settings::tabs;
use crate::{
    parts::{
        fields::{Form, behind},
        lists::{empty, pager, table},
        shell::Shown,
        told::Told,
    },
    visit::{Ask, Visit},
};

/// What a closure is of, empty for the whole business, and at what time of its days, empty for all of them.
pub(super) struct Closure {
    pub(super) whose: String,
    pub(super) time: String,
}

/// What a closure says.
pub(super) fn closure(cx: &mut Visit<'_, '_>, rule: &Value) -> Result<Closure> {
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
pub(super) fn list(cx: &mut Visit<'_, '_>) -> Result<Shown> {
    let from = match cx.place.asked("past") {
        "true" => String::new(),
        _ => cx.written.today().to_string(),
    };
    let told = cx.list(Ask::of("list_availability_rules").with("from", from))?;
    let mut rows: Vec<Vec<Markup>> = Vec::new();
    for rule in told.list("availabilityRules") {
        let Closure { whose, time } = closure(cx, rule)?;
        let whose = if whose.is_empty() { cx.say.whole_business().to_owned() } else { whose };
        let id = || vec![("availabilityRuleId", rule.text("availabilityRuleId").to_owned())];
        let (say, written) = (cx.say, &cx.written);
        let date = |place| rule.date(place).map(|date| written.date(date)).unwrap_or_default();
        let (from, until) = (date("startDate"), date("endDate"));
        rows.push(vec![
            html! { (from) @if until != from { " – " (until) } @if !time.is_empty() { ", " (time) } },
            html! { (whose) },
            html! { (rule.text("reason")) },
            html! { @if cx.may("delete_availability_rule") { (behind(say.delete(), Form::about(cx, "delete_availability_rule", id()).danger(say.open_again()))) } },
        ]);
    }
    let coaches =
        cx.choices(Ask::of("list_coaches").with("status", "active"), ("coaches", "coachId"))?;
    let locations = cx.choices(Ask::of("list_locations"), ("locations", "locationId"))?;
    let say = cx.say;
    let whom =
        [("company", say.whole_business()), ("location", say.location()), ("coach", say.coach())];
    let form = Form::of(cx, "create_availability_rule")
        .choice("appliesTo", say.what_is_closed(), &whom)
        .choice("locationId", say.location(), &locations)
        .choice("coachId", say.coach(), &coaches)
        .text("startDate", say.from())
        .text("endDate", say.until())
        .of_kind("time", "startTime", say.from_time(), "off")
        .of_kind("time", "endTime", say.until_time(), "off")
        .text("reason", say.reason());
    let past = cx.place.asked("past") == "true";
    let main = html! {
        (tabs(cx, "/closures"))
        p.quiet { (say.closures_mean()) }
        @if rows.is_empty() { (empty(say.no_closures(), None)) }
        @else { (table(say.closures(), &[say.when(), say.what_is_closed(), say.reason(), ""], rows)) }
        (pager(cx, &told))
        p { a href=(cx.place.but(&[("past", if past { "" } else { "true" }), ("page", "")])) { (if past { say.upcoming() } else { say.past() }) } }
        @if cx.may("create_availability_rule") { section.card { (behind(say.close(), form.send(say.close()))) } }
    };
    Ok(Shown::new(say.settings(), main))
}
