//! The audit log: who did what, when, by which request.

use maud::{Markup, html};
use spotter_kernel::Result;

use crate::{
    api,
    page_context::PageContext,
    parts::{
        lists::{empty, pager, state, table},
        shell::View,
    },
};

/// `/console/audit`
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let place = cx.place;
    let zone = cx.written.zone.clone();
    let mut call = api::list_audit_logs()
        .operation(place.parameter("operation").trim())
        .actor(place.parameter("actor").trim());
    if let Some(from) = place.date("from") {
        call = call.from(from.start_in(&zone));
    }
    if let Some(to) = place.date("to") {
        call = call.to(to.tomorrow().start_in(&zone));
    }
    let answer = cx.list(call)?;
    let mut rows: Vec<Vec<Markup>> = Vec::new();
    for row in answer.audit_logs() {
        let who = match row.actor_type() {
            "coach" => cx.coach(row.actor_id())?,
            "client" => cx.client(row.actor_id())?,
            _ => String::new(),
        };
        let (kind, target) = (row.target_type(), row.target_id());
        let recipient = match kind {
            "coach" => cx.coach(target)?,
            "client" => cx.client(target)?,
            _ => String::new(),
        };
        rows.push(vec![
            html! { span.number { (cx.written.instant(row.at())) } },
            html! {
                (who)
                @if who.is_empty() { (cx.strings.term(row.actor_type())) }
                @if !row.through_id().is_empty() {
                    br;
                    span.quiet { (cx.strings.through_assistant()) }
                }
            },
            html! {
                @let summary = cx.summary(row.operation());
                @if !summary.is_empty() { (summary) br; }
                code { (row.operation()) }
                " " (state(cx, row.outcome()))
            },
            html! {
                @let called = if recipient.is_empty() { cx.strings.term(kind) } else { &recipient };
                @match kind {
                    "client" => a href={ "/console/clients/" (target) } { (called) },
                    "coach" => a href={ "/console/settings/coaches/" (target) } { (called) },
                    _ => (called),
                }
                br;
                span.quiet { (row.changed_fields().join(", ")) }
            },
            html! { code { (row.request_id()) } },
        ]);
    }
    let t = cx.strings;
    let main = html! {
        form.filters method="get" role="search" {
            label {
                (t.operation())
                input
                    type="search"
                    name="operation"
                    value=(place.parameter("operation"))
                    autocomplete="off";
            }
            label { (t.from()) input type="date" name="from" value=(place.parameter("from")); }
            label { (t.until()) input type="date" name="to" value=(place.parameter("to")); }
            button.plain type="submit" { (t.filter()) }
        }
        @if rows.is_empty() {
            (empty(t.nothing(), None))
        } @else {
            (table(t.audit_log(), &[t.when(), t.who(), t.what(), t.about(), t.request()], rows))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.audit_log(), main))
}
