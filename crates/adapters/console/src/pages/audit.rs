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
            html! { (who) @if who.is_empty() { (cx.strings.term(row.text("actorType"))) } @if row.has("throughId") { br; span.quiet { (cx.strings.through_assistant()) } } },
            html! { (cx.summary(row.text("operation"))) br; code { (row.text("operation")) } " " (state(cx, row.text("outcome"))) },
            html! {
                @let called = if recipient.is_empty() { cx.strings.term(kind) } else { &recipient };
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
    let t = cx.strings;
    let main = html! {
        form.filters method="get" role="search" {
            label { (t.operation()) input type="search" name="operation" value=(place.parameter("operation")) autocomplete="off"; }
            label { (t.from()) input type="date" name="from" value=(place.parameter("from")); }
            label { (t.until()) input type="date" name="to" value=(place.parameter("to")); }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() { (empty(t.nothing(), None)) }
        @else { (table(t.audit_log(), &[t.when(), t.who(), t.what(), t.about(), t.request()], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.audit_log(), main))
}
