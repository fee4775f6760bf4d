//! What waits for somebody: counted on the first page, and seen to where it is. Clients who stay away, come to the end of
//! their programme or have no credits left are listed here, each with what is done about it.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::Result;

use super::{messages, webhooks};
use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        format::{JsonFields, name},
        lists::{self, empty, pager, table},
        shell::View,
    },
    words::Strings,
};

/// Something that waits: what is said of so many, and where it is seen to.
struct PendingTask {
    call: ApiCall,
    label: fn(Strings, &str) -> String,
    address: &'static str,
}

/// What may wait; for somebody alone, where it can be told whose it is.
fn kinds(whose: &str) -> [PendingTask; 8] {
    [
        PendingTask {
            call: ApiCall::of("list_booking_requests")
                .with("status", "pending")
                .with("coachId", whose),
            label: |t, n| t.requests_wait(n),
            address: "/console/calendar/requests",
        },
        PendingTask {
            call: ApiCall::of("list_checkups").with("status", "submitted"),
            label: |t, n| t.checkups_wait(n),
            address: "/console/forms/checkups?status=submitted",
        },
        PendingTask {
            call: ApiCall::of("list_repeated_no_shows").with("coachId", whose),
            label: |t, n| t.stay_away(n),
            address: "/console/attention",
        },
        PendingTask {
            call: ApiCall::of("list_ending_workout_plans"),
            label: |t, n| t.plans_end(n),
            address: "/console/attention/programmes",
        },
        PendingTask {
            call: ApiCall::of("list_exhausted_credits"),
            label: |t, n| t.credits_out(n),
            address: "/console/attention/credits",
        },
        PendingTask {
            call: ApiCall::of("list_invoices").with("status", "overdue"),
            label: |t, n| t.invoices_overdue(n),
            address: "/console/money?status=overdue",
        },
        PendingTask {
            call: ApiCall::of("list_subscriptions").with("status", "past_due"),
            label: |t, n| t.memberships_past_due(n),
            address: "/console/money/memberships?status=past_due",
        },
        PendingTask {
            call: ApiCall::of("list_chargebacks").with("status", "open"),
            label: |t, n| t.chargebacks_open(n),
            address: "/console/money/chargebacks?status=open",
        },
    ]
}

/// What waits, each with the way to it; of a coach's own, where one is named.
pub(super) fn waiting(cx: &mut PageContext<'_, '_>, whose: &str) -> Result<Markup> {
    let mut all = Vec::new();
    for PendingTask { call: query, label, address } in kinds(whose) {
        if let Some(answer) = cx.call_if_allowed(query.with("limit", 1))? {
            all.push((answer.int("total"), label, address));
        }
    }
    if let Some(answer) = cx.call_if_allowed(ApiCall::of("list_webhooks").with("limit", 100))? {
        let count =
            answer.list("subscriptions").iter().filter(|hook| webhooks::fails(hook)).count();
        all.push((count as i64, |t, n| t.webhooks_fail(n), "/console/webhooks"));
    }
    all.retain(|(count, ..)| *count > 0);
    let (t, written) = (cx.strings, &cx.written);
    Ok(html! {
        @if all.is_empty() { p.quiet { (t.nothing_waits()) } }
        ul.rows {
            @for (count, label, address) in all {
                @let label = label(t, &written.count(count));
                li { span.grow { (label) } a.button.plain href=(address) { (t.look()) span.hidden { ": " (label) } } }
            }
        }
    })
}

/// A list of clients who should not be forgotten.
struct FollowUpList {
    path: &'static str,
    ask: ApiCall,
    list: &'static str,
    head: &'static str,
    means: &'static str,
    columns: [&'static str; 2],
}

/// The page of such a list: each client with two facts, and what is done about it.
fn page(
    cx: &mut PageContext<'_, '_>,
    kept: FollowUpList,
    row: impl Fn(&PageContext<'_, '_>, &Value, &Value) -> [Markup; 3],
) -> Result<View> {
    let answer = cx.list(kept.ask)?;
    let mut rows = Vec::new();
    for one in answer.list(kept.list) {
        let id = one.text("clientId");
        let client =
            cx.call_if_allowed(ApiCall::of("get_client").at("clientId", id))?.unwrap_or_default();
        let client = client.at("client");
        let [fact, other, act] = row(cx, one, client);
        rows.push(vec![
            html! { a href={ "/console/clients/" (id) } { (name(client)) } },
            fact,
            other,
            html! { div.buttons { (act) @if cx.may("open_conversation") && client.text("portalAccessStatus") == "active" { (messages::write_to(cx, id)) } } },
        ]);
    }
    let t = cx.strings;
    let tabs = [
        ("", t.stay_away_head(), ""),
        ("/programmes", t.plans_end_head(), ""),
        ("/credits", t.credits_out_head(), ""),
    ];
    let [fact, other] = kept.columns;
    let main = html! {
        (lists::tabs(cx, (t.attention(), "/console/attention", kept.path), &tabs))
        p { (kept.means) }
        @if rows.is_empty() { (empty(t.nothing_waits(), None)) }
        @else { (table(kept.head, &[t.client(), fact, other, ""], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(t.attention(), main))
}

/// `/console/attention`
pub(super) fn stay_away(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let t = cx.strings;
    let kept = FollowUpList {
        path: "",
        ask: ApiCall::of("list_repeated_no_shows").filtered(cx.place, &["coachId"]),
        list: "bookings",
        head: t.stay_away_head(),
        means: t.stay_away_means(),
        columns: [t.last_time(), t.what()],
    };
    page(cx, kept, |cx, booking, client| {
        let at = booking.instant("startsAt").map(|at| cx.written.instant(at));
        let id = client.text("clientId");
        [
            html! { a href={ "/console/calendar/events/" (booking.text("calendarEventId")) } { (at.unwrap_or_default()) } },
            html! { (booking.text("name")) },
            html! { a.button.plain href={ "/console/calendar/book?clientId=" (id) } { (cx.strings.book()) } },
        ]
    })
}

/// `/console/attention/programmes`
pub(super) fn plans_end(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let t = cx.strings;
    let kept = FollowUpList {
        path: "/programmes",
        ask: ApiCall::of("list_ending_workout_plans"),
        list: "plans",
        head: t.plans_end_head(),
        means: t.plans_end_means(),
        columns: [t.ends_on(), t.programme()],
    };
    page(cx, kept, |cx, plan, client| {
        let date = plan.date("endDate").map(|date| cx.written.date(date));
        let id = client.text("clientId");
        [
            html! { (date.unwrap_or_default()) },
            html! { (plan.text("name")) },
            html! { a.button.plain href={ "/console/clients/" (id) "/training" } { (cx.strings.assign_programme()) } },
        ]
    })
}

/// `/console/attention/credits`
pub(super) fn credits_out(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let t = cx.strings;
    let kept = FollowUpList {
        path: "/credits",
        ask: ApiCall::of("list_exhausted_credits"),
        list: "credits",
        head: t.credits_out_head(),
        means: t.credits_out_means(),
        columns: [t.last_time(), t.credits()],
    };
    page(cx, kept, |cx, pool, client| {
        let at = pool.instant("exhaustedAt").map(|at| cx.written.instant(at));
        let id = client.text("clientId");
        [
            html! { (at.unwrap_or_default()) },
            html! { @if pool.has("poolKey") { (pool.text("poolKey")) } @else { (cx.strings.general()) } },
            html! { @if cx.may("assign_product") { a.button.plain href={ "/console/clients/" (id) "/sell" } { (cx.strings.sell()) } } },
        ]
    })
}
