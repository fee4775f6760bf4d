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
            label: |say, n| say.requests_wait(n),
            address: "/console/calendar/requests",
        },
        PendingTask {
            call: ApiCall::of("list_checkups").with("status", "submitted"),
            label: |say, n| say.checkups_wait(n),
            address: "/console/forms/checkups?status=submitted",
        },
        PendingTask {
            call: ApiCall::of("list_repeated_no_shows").with("coachId", whose),
            label: |say, n| say.stay_away(n),
            address: "/console/attention",
        },
        PendingTask {
            call: ApiCall::of("list_ending_workout_plans"),
            label: |say, n| say.plans_end(n),
            address: "/console/attention/programmes",
        },
        PendingTask {
            call: ApiCall::of("list_exhausted_credits"),
            label: |say, n| say.credits_out(n),
            address: "/console/attention/credits",
        },
        PendingTask {
            call: ApiCall::of("list_invoices").with("status", "overdue"),
            label: |say, n| say.invoices_overdue(n),
            address: "/console/money?status=overdue",
        },
        PendingTask {
            call: ApiCall::of("list_subscriptions").with("status", "past_due"),
            label: |say, n| say.memberships_past_due(n),
            address: "/console/money/memberships?status=past_due",
        },
        PendingTask {
            call: ApiCall::of("list_chargebacks").with("status", "open"),
            label: |say, n| say.chargebacks_open(n),
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
        all.push((count as i64, |say, n| say.webhooks_fail(n), "/console/webhooks"));
    }
    all.retain(|(count, ..)| *count > 0);
    let (say, written) = (cx.say, &cx.written);
    Ok(html! {
        @if all.is_empty() { p.quiet { (say.nothing_waits()) } }
        ul.rows {
            @for (count, label, address) in all {
                @let label = label(say, &written.count(count));
                li { span.grow { (label) } a.button.plain href=(address) { (say.look()) span.hidden { ": " (label) } } }
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
    let say = cx.say;
    let tabs = [
        ("", say.stay_away_head(), ""),
        ("/programmes", say.plans_end_head(), ""),
        ("/credits", say.credits_out_head(), ""),
    ];
    let [fact, other] = kept.columns;
    let main = html! {
        (lists::tabs(cx, (say.attention(), "/console/attention", kept.path), &tabs))
        p { (kept.means) }
        @if rows.is_empty() { (empty(say.nothing_waits(), None)) }
        @else { (table(kept.head, &[say.client(), fact, other, ""], rows)) (pager(cx, &answer)) }
    };
    Ok(View::new(say.attention(), main))
}

/// `/console/attention`
pub(super) fn stay_away(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let say = cx.say;
    let kept = FollowUpList {
        path: "",
        ask: ApiCall::of("list_repeated_no_shows").filtered(cx.place, &["coachId"]),
        list: "bookings",
        head: say.stay_away_head(),
        means: say.stay_away_means(),
        columns: [say.last_time(), say.what()],
    };
    page(cx, kept, |cx, booking, client| {
        let at = booking.instant("startsAt").map(|at| cx.written.instant(at));
        let id = client.text("clientId");
        [
            html! { a href={ "/console/calendar/events/" (booking.text("calendarEventId")) } { (at.unwrap_or_default()) } },
            html! { (booking.text("name")) },
            html! { a.button.plain href={ "/console/calendar/book?clientId=" (id) } { (cx.say.book()) } },
        ]
    })
}

/// `/console/attention/programmes`
pub(super) fn plans_end(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let say = cx.say;
    let kept = FollowUpList {
        path: "/programmes",
        ask: ApiCall::of("list_ending_workout_plans"),
        list: "plans",
        head: say.plans_end_head(),
        means: say.plans_end_means(),
        columns: [say.ends_on(), say.programme()],
    };
    page(cx, kept, |cx, plan, client| {
        let date = plan.date("endDate").map(|date| cx.written.date(date));
        let id = client.text("clientId");
        [
            html! { (date.unwrap_or_default()) },
            html! { (plan.text("name")) },
            html! { a.button.plain href={ "/console/clients/" (id) "/training" } { (cx.say.assign_programme()) } },
        ]
    })
}

/// `/console/attention/credits`
pub(super) fn credits_out(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let say = cx.say;
    let kept = FollowUpList {
        path: "/credits",
        ask: ApiCall::of("list_exhausted_credits"),
        list: "credits",
        head: say.credits_out_head(),
        means: say.credits_out_means(),
        columns: [say.last_time(), say.credits()],
    };
    page(cx, kept, |cx, pool, client| {
        let at = pool.instant("exhaustedAt").map(|at| cx.written.instant(at));
        let id = client.text("clientId");
        [
            html! { (at.unwrap_or_default()) },
            html! { @if pool.has("poolKey") { (pool.text("poolKey")) } @else { (cx.say.general()) } },
            html! { @if cx.may("assign_product") { a.button.plain href={ "/console/clients/" (id) "/sell" } { (cx.say.sell()) } } },
        ]
    })
}
