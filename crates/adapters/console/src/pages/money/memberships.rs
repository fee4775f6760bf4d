//! Memberships: those of a list, and what can be done about one.

use maud::{Markup, html};
use spotter_kernel::Result;

use super::{status_filter, tabs};
use crate::{
    api,
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{empty, facts, pager, state_of, table},
        shell::View,
    },
};

/// A membership with what can be done about it.
pub(in crate::pages) fn membership(
    cx: &PageContext<'_, '_>,
    subscription: api::Subscription<'_>,
) -> Markup {
    let (t, written) = (cx.strings, &cx.written);
    let open = matches!(subscription.status(), "active" | "past_due" | "scheduled" | "paused");
    html! {
        div {
            p { b { (subscription.name()) } " " (state_of(cx, "subscription", subscription.status())) }
            (facts(vec![
                (t.price(), html! {
                    (written.money(subscription.price(), subscription.currency())) " / "
                    (t.term(subscription.period()))
                }),
                (t.starts_on(), html! { (written.date(subscription.start_date())) }),
                (t.next_bill(), html! { (written.date(subscription.next_billing_date())) }),
                (t.ends_on(), html! { (written.date(subscription.end_date())) }),
            ]))
            @if open && cx.may(api::RequestPause) {
                div.buttons {
                    @if subscription.status() != "paused" {
                        (disclosure(
                            t.pause(),
                            Form::of(cx, api::request_pause(subscription.subscription_id()))
                                .text("from", t.from())
                                .text("until", t.until())
                                .text("reason", t.reason())
                                .send(t.pause()),
                        ))
                    } @else {
                        (Form::of(cx, api::resume_subscription(subscription.subscription_id()))
                            .button(t.resume()))
                    }
                    @if subscription.end_date().is_some() && cx.may(api::UndoCancellation) {
                        (Form::of(cx, api::undo_cancellation(subscription.subscription_id()))
                            .button(t.undo_cancellation()))
                    }
                    @if subscription.end_date().is_none() {
                        (disclosure(
                            t.end_it(),
                            Form::of(
                                cx,
                                api::request_cancellation(subscription.subscription_id()),
                            )
                            .text("endDate", t.ends_on())
                            .text("reason", t.reason())
                            .danger(t.end_membership()),
                        ))
                    }
                }
            }
        }
    }
}

/// `/console/money/memberships`
pub(in crate::pages) fn memberships(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_subscriptions().status(cx.place.parameter("status").trim()))?;
    cx.know_clients(answer.subscriptions().iter().map(|one| one.client_id()))?;
    let mut rows = Vec::new();
    for subscription in answer.subscriptions() {
        let client = cx.client(subscription.client_id())?;
        let written = &cx.written;
        rows.push(vec![
            html! {
                a href={ "/console/clients/" (subscription.client_id()) "/money" } { (client) }
            },
            html! { (subscription.name()) },
            html! {
                span.number { (written.money(subscription.price(), subscription.currency())) }
            },
            html! { (written.date(subscription.next_billing_date())) },
            state_of(cx, "subscription", subscription.status()),
        ]);
    }
    let t = cx.strings;
    let main = html! {
        (tabs(cx, "/memberships"))
        (status_filter(cx, &["scheduled", "active", "past_due", "paused", "cancelled", "expired"]))
        @if rows.is_empty() {
            (empty(t.no_membership(), None))
        } @else {
            (table(
                t.memberships(),
                &[t.client(), t.membership(), t.price(), t.next_bill(), t.status()],
                rows,
            ))
            (pager(cx, &answer))
        }
    };
    Ok(View::new(t.memberships(), main))
}

/// A client's pending requests about a membership.
pub(in crate::pages) fn pending_requests(
    cx: &mut PageContext<'_, '_>,
    subscription: api::Subscription<'_>,
) -> Result<Markup> {
    let id = subscription.subscription_id();
    let call = api::list_subscription_requests(id).limit(10);
    let answer = cx.call_or_empty(call)?;
    let (t, written) = (cx.strings, &cx.written);
    let waiting = answer.requests().iter().filter(|one| one.status() == "pending");
    Ok(html! {
        @for one in waiting {
            div.notice.warn {
                b { (t.term(one.kind())) }
                " " (written.date(one.pause_from()))
                @if one.pause_until().is_some() { " – " (written.date(one.pause_until())) }
                (written.date(one.end_date()))
                @if !one.reason().is_empty() { p { (one.reason()) } }
                @if cx.may(api::ApproveSubscriptionRequest) {
                    div.buttons {
                        (Form::of(cx, api::approve_subscription_request(id, one.request_id()))
                            .send(t.approve()))
                        (Form::of(cx, api::reject_subscription_request(id, one.request_id()))
                            .button(t.reject()))
                    }
                }
            }
        }
    })
}
