//! Follow-ups: pending work counted on the first page, and lists of clients to get in touch with: after no-shows, at
//! the end of their programme, without credits.

use maud::{Markup, html};
use spotter_kernel::{Result, Timestamp};

use super::{messages, webhooks};
use crate::{
    api,
    api_call::ApiCall,
    page_context::{ListPage, PageContext},
    parts::{
        lists::{self, empty, pager, table},
        shell::View,
    },
    words::Strings,
};

/// Pending work: its count, its label and its page.
struct PendingTask {
    call: ApiCall,
    label: fn(Strings) -> &'static str,
    address: &'static str,
}

/// The kinds of pending work; of one coach where it can be filtered.
fn kinds(whose: &str, week_ago: Timestamp) -> [PendingTask; 10] {
    [
        PendingTask {
            call: api::list_clients().relationship_status("pending").coach_id(whose).into(),
            label: |t| t.newcomers_wait(),
            address: "/console/clients?relationshipStatus=pending",
        },
        PendingTask {
            call: api::list_sign_ups().status("confirmed").from(week_ago).into(),
            label: |t| t.newcomers_of_week(),
            address: "/console/clients?sort=newest",
        },
        PendingTask {
            call: api::list_booking_requests().status("pending").coach_id(whose).into(),
            label: |t| t.requests_wait(),
            address: "/console/calendar/requests",
        },
        PendingTask {
            call: api::list_checkups().status("submitted").into(),
            label: |t| t.checkups_wait(),
            address: "/console/forms/checkups?status=submitted",
        },
        PendingTask {
            call: api::list_repeated_no_shows().coach_id(whose).into(),
            label: |t| t.absent_clients_head(),
            address: "/console/attention",
        },
        PendingTask {
            call: api::list_ending_workout_plans().into(),
            label: |t| t.plans_end_head(),
            address: "/console/attention/programmes",
        },
        PendingTask {
            call: api::list_exhausted_credits().into(),
            label: |t| t.credits_out_head(),
            address: "/console/attention/credits",
        },
        PendingTask {
            call: api::list_invoices().status("overdue").into(),
            label: |t| t.invoices_overdue(),
            address: "/console/money?status=overdue",
        },
        PendingTask {
            call: api::list_subscriptions().status("past_due").into(),
            label: |t| t.memberships_past_due(),
            address: "/console/money/memberships?status=past_due",
        },
        PendingTask {
            call: api::list_chargebacks().status("open").into(),
            label: |t| t.chargebacks_open(),
            address: "/console/money/chargebacks?status=open",
        },
    ]
}

/// What waits, each with the way to it; of a coach's own, where one is named.
pub(super) fn waiting(cx: &mut PageContext<'_, '_>, whose: &str) -> Result<Markup> {
    let mut all = Vec::new();
    for PendingTask { call, label, address } in kinds(whose, cx.written.now.plus_days(-7)) {
        all.push((cx.count(call)?, label, address));
    }
    if let Some(answer) = cx.call_if_allowed(api::list_webhooks().limit(100))? {
        let count = answer.subscriptions().iter().filter(|hook| webhooks::fails(*hook)).count();
        all.push((count as i64, |t| t.webhooks_fail(), "/console/webhooks"));
    }
    all.retain(|(count, ..)| *count > 0);
    let (t, written) = (cx.strings, &cx.written);
    Ok(html! {
        @if all.is_empty() { p.quiet { (t.nothing_waits()) } }
        ul.rows.leads {
            @for (count, label, address) in all {
                li { a href=(address) { span.grow { (label(t)) } b.number { (written.count(count)) } } }
            }
        }
    })
}

/// A list of clients to get in touch with.
struct FollowUpList {
    path: &'static str,
    title: &'static str,
    explanation: &'static str,
    columns: [&'static str; 2],
}

/// A client of such a list: two facts, and the next step.
struct FollowUp {
    client: String,
    facts: [Markup; 2],
    act: Markup,
}

/// The page of such a list.
fn page<O>(
    cx: &mut PageContext<'_, '_>,
    list: FollowUpList,
    answer: &ListPage<O>,
    clients: Vec<FollowUp>,
) -> Result<View> {
    let mut rows = Vec::new();
    for FollowUp { client: id, facts: [fact, other], act } in clients {
        let client = cx.call_or_empty(api::get_client(&id))?;
        let client = client.client();
        let may_write = cx.may(api::OpenConversation) && client.portal_access_status() == "active";
        rows.push(vec![
            html! { a href={ "/console/clients/" (id) } { (client.full_name()) } },
            fact,
            other,
            html! { div.buttons { (act) @if may_write { (messages::write_to(cx, &id)) } } },
        ]);
    }
    let t = cx.strings;
    let tabs = [
        ("", t.absent_clients_head(), ""),
        ("/programmes", t.plans_end_head(), ""),
        ("/credits", t.credits_out_head(), ""),
    ];
    let [fact, other] = list.columns;
    let main = html! {
        (lists::tabs(cx, t.attention(), "/console/attention", list.path, &tabs))
        p { (list.explanation) }
        @if rows.is_empty() {
            (empty(t.nothing_waits(), None))
        } @else {
            (table(list.title, &[t.client(), fact, other, ""], rows))
            (pager(cx, answer))
        }
    };
    Ok(View::new(t.attention(), main))
}

/// `/console/attention`
pub(super) fn absent_clients(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let call = api::list_repeated_no_shows().coach_id(cx.place.parameter("coachId").trim());
    let answer = cx.list(call)?;
    let t = cx.strings;
    let list = FollowUpList {
        path: "",
        title: t.absent_clients_head(),
        explanation: t.absent_clients_means(),
        columns: [t.last_time(), t.what()],
    };
    let clients = answer.bookings().iter().map(|booking| {
        let event = format!("/console/calendar/events/{}", booking.calendar_event_id());
        let book = format!("/console/calendar/book?clientId={}", booking.client_id());
        FollowUp {
            client: booking.client_id().to_owned(),
            facts: [
                html! { a href=(event) { (cx.written.instant(booking.starts_at())) } },
                html! { (booking.name()) },
            ],
            act: html! { a.button.plain href=(book) { (t.book()) } },
        }
    });
    let clients = clients.collect();
    page(cx, list, &answer, clients)
}

/// `/console/attention/programmes`
pub(super) fn plans_end(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_ending_workout_plans())?;
    let t = cx.strings;
    let list = FollowUpList {
        path: "/programmes",
        title: t.plans_end_head(),
        explanation: t.plans_end_means(),
        columns: [t.ends_on(), t.programme()],
    };
    let clients = answer.plans().iter().map(|plan| {
        let training = format!("/console/clients/{}/training", plan.client_id());
        FollowUp {
            client: plan.client_id().to_owned(),
            facts: [html! { (cx.written.date(plan.end_date())) }, html! { (plan.name()) }],
            act: html! { a.button.plain href=(training) { (t.assign_programme()) } },
        }
    });
    let clients = clients.collect();
    page(cx, list, &answer, clients)
}

/// `/console/attention/credits`
pub(super) fn credits_out(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_exhausted_credits())?;
    let t = cx.strings;
    let list = FollowUpList {
        path: "/credits",
        title: t.credits_out_head(),
        explanation: t.credits_out_means(),
        columns: [t.last_time(), t.credits()],
    };
    let may_sell = cx.may(api::AssignProduct);
    let clients = answer.credits().iter().map(|pool| {
        let sell = format!("/console/clients/{}/sell", pool.client_id());
        let name = if pool.pool_key().is_empty() { t.general() } else { pool.pool_key() };
        FollowUp {
            client: pool.client_id().to_owned(),
            facts: [html! { (cx.written.instant(pool.exhausted_at())) }, html! { (name) }],
            act: html! { @if may_sell { a.button.plain href=(sell) { (t.sell()) } } },
        }
    });
    let clients = clients.collect();
    page(cx, list, &answer, clients)
}
