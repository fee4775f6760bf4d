//! The audit log: who did what, when, by which request.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        format::JsonFields,
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/audit`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let zone = cx.written.zone.clone();
    let mut call = ApiCall::of("list_audit_logs").filtered(place, &["operation", "actor"]);
    if let Some(from) = place.date("from") {
        call = call.with("from", from.start_in(&zone));
    }
    if let Some(to) = place.date("to") {
        call = call.with("to", to.tomorrow().start_in(&zone));
    }
    let answer = cx.list(call)?;
    let mut rows: Vec<Vec<Markup>> = Vec::new();
    for row in answer.list("auditLogs") {
        let who = match row.text("actorType") {
            "coach" => cx.coach(row.text("actorId"))?,
            "client" => cx.client(row.text("actorId"))?,
            _ => String::new(),
        };
        let (kind, target) = (row.text("targetType"), row.text("targetId"));
        let recipient = match kind {
            "coach" => cx.coach(target)?,
            "client" => cx.client(target)?,
            _ => String::new(),
        };
        rows.push(vec![
            html! { span.number { (row.instant("at").map(|at| cx.written.instant(at)).unwrap_or_default()) } },
            html! { (who) @if who.is_empty() { (cx.say.term(row.text("actorType"))) } @if row.has("throughId") { br; span.quiet { (cx.say.through_assistant()) } } },
            html! { (cx.summary(row.text("operation"))) br; code { (row.text("operation")) } " " (state(cx, row.text("outcome"))) },
            html! {
                @let called = if recipient.is_empty() { cx.say.term(kind) } else { &recipient };
                @match kind {
                    "client" => a href={ "/console/clients/" (target) } { (called) },
                    "coach" => a href={ "/console/settings/coaches/" (target) } { (called) },
                    _ => (called),
                }
                br; span.quiet { (row.list("changedFields").iter().filter_map(|field| field.as_str()).collect::<Vec<_>>().join(", ")) }
            },
            html! { code { (row.text("requestId")) } },
        ]);
    }
    let say = cx.say;
    let main = html! {
        form.filters method="get" role="search" {
            label { (say.operation()) input type="search" name="operation" value=(place.parameter("operation")) autocomplete="off"; }
            label { (say.from()) input type="date" name="from" value=(place.parameter("from")); }
            label { (say.until()) input type="date" name="to" value=(place.parameter("to")); }
            button.plain type="submit" { (say.filter()) }
        }
        @if rows.is_empty() { (empty(say.nothing(), None)) }
        @else { (table(say.audit_log(), &[say.when(), say.who(), say.what(), say.about(), say.request()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(say.audit_log(), main))
}
