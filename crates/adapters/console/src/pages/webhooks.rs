//! Webhooks: subscriptions, their deliveries, and sending again.

use maud::{Markup, html};
use spotter_kernel::{Event, Result};

use crate::{
    api::{self, Answer, Json},
    page_context::PageContext,
    parts::{
        fields::{Form, disclosure},
        lists::{by_word, empty, facts, pager, state, table},
        shell::View,
    },
};

fn events() -> Vec<(&'static str, &'static str)> {
    Event::ALL.iter().map(|event| (event.name(), event.name())).collect()
}

/// Whether its last delivery failed.
pub(super) fn fails(hook: api::WebhookSubscription<'_>) -> bool {
    hook.last_failure_at() > hook.last_success_at()
}

/// `/console/webhooks`: those that fail first.
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(api::list_webhooks())?;
    let mut hooks = answer.subscriptions().iter().collect::<Vec<_>>();
    hooks.sort_by_key(|hook| !fails(*hook));
    let failed = cx.call_or_empty(api::list_webhook_deliveries().status("failed").limit(10))?;
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = hooks
        .into_iter()
        .map(|hook| {
            vec![
                html! {
                    a href={ "/console/webhooks/" (hook.id()) } { b { (hook.name()) } }
                    br;
                    span.quiet { (hook.target().url()) }
                },
                html! { span.number { (written.count(hook.events().len() as i64)) } },
                html! { (written.instant(hook.last_success_at())) },
                html! { (written.instant(hook.last_failure_at())) },
                html! {
                    @if fails(hook) {
                        span.state.bad { (t.failing()) }
                    } @else {
                        (state(cx, hook.status()))
                    }
                },
            ]
        })
        .collect();
    let form = Form::of(cx, api::create_webhook())
        .next("/console/webhooks/{subscription.id}")
        .text("name", t.name())
        .of_type("url", "url", t.web_address(), "off")
        .any("events", t.events(), &events());
    let main = html! {
        @if rows.is_empty() {
            (empty(t.no_webhooks(), None))
        } @else {
            (table(
                t.webhooks(),
                &[t.name(), t.events(), t.last_success(), t.last_failure(), t.status()],
                rows,
            ))
            (pager(cx, &answer))
        }
        @if !failed.deliveries().is_empty() {
            section.card { h2 { (t.failed_deliveries()) } (deliveries(cx, &failed)) }
        }
        section.card { (disclosure(t.add_webhook(), form.send(t.add_webhook()))) }
    };
    Ok(View::new(t.webhooks(), main))
}

fn deliveries(cx: &PageContext<'_, '_>, answer: &Answer<api::ListWebhookDeliveries>) -> Markup {
    html! {
        ul.rows {
            @for delivery in answer.deliveries() {
                li {
                    span.grow {
                        a href={ "/console/webhooks/deliveries/" (delivery.id()) } {
                            (delivery.event_type())
                        }
                        br;
                        span.quiet { (cx.written.instant(delivery.created_at())) }
                    }
                    (state(cx, delivery.status()))
                    @if matches!(delivery.status(), "failed" | "cancelled") {
                        (Form::of(cx, api::redeliver_webhook(delivery.id()))
                            .button(cx.strings.send_again()))
                    }
                }
            }
        }
    }
}

/// `/console/webhooks/{id}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let answer = cx.call(api::get_webhook(&id))?;
    let hook = answer.subscription();
    // The form has the address of the target as a field of its own.
    let mut record = hook.json().clone();
    record["url"] = hook.target().url().into();
    let status = cx.place.parameter("status").to_owned();
    let query = api::list_webhook_deliveries().subscription_id(&id).status(&status);
    let sent = cx.list(query)?;
    let (t, written) = (cx.strings, &cx.written);
    let active = hook.status() == "active";
    let main = html! {
        section.card {
            (facts(vec![
                (t.web_address(), html! { code { (hook.target().url()) } }),
                (t.status(), state(cx, hook.status())),
                (t.last_success(), html! { (written.instant(hook.last_success_at())) }),
                (t.last_failure(), html! { (written.instant(hook.last_failure_at())) }),
                (t.secret(), html! {
                    (hook.secret().prefix()) "…" (hook.secret().last4())
                }),
            ]))
            (disclosure(
                t.edit(),
                Form::of(cx, api::update_webhook(&id))
                    .from(&record)
                    .text("name", t.name())
                    .of_type("url", "url", t.web_address(), "off")
                    .any("events", t.events(), &events())
                    .send(t.save()),
            ))
        }
        (by_word(
            cx,
            t.deliveries(), "status", &status,
            &["", "pending", "succeeded", "failed", "cancelled"],
        ))
        section.card {
            @if sent.deliveries().is_empty() { p.quiet { (t.nothing()) } }
            (deliveries(cx, &sent))
        }
        (pager(cx, &sent))
    };
    let acts = html! {
        @if active { (Form::of(cx, api::test_webhook(&id)).button(t.send_test())) }
        (Form::of(cx, api::update_webhook(&id))
            .hidden("status", if active { "disabled" } else { "active" })
            .button(if active { t.switch_off() } else { t.switch_on() }))
        (disclosure(t.recover(), html! {
            p { (t.recover_means()) }
            (Form::of(cx, api::recover_webhook(&id))
                .moment("since", t.since(), "")
                .send(t.recover()))
        }))
        (disclosure(
            t.new_secret(),
            Form::of(cx, api::rotate_webhook_secret(&id))
                .text("gracePeriodSeconds", t.grace_seconds())
                .danger(t.new_secret()),
        ))
        (disclosure(
            t.delete(),
            Form::of(cx, api::delete_webhook(&id)).next("/console/webhooks").danger(t.delete()),
        ))
    };
    Ok(View::new(hook.name(), main).acts(acts))
}

/// `/console/webhooks/deliveries/{id}`
pub(super) fn delivery(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let output = cx.call(api::get_webhook_delivery(&id))?;
    let delivery = output.delivery();
    let (t, written) = (cx.strings, &cx.written);
    let main = html! {
        section.card {
            (facts(vec![
                (t.status(), state(cx, delivery.status())),
                (t.event(), html! { (delivery.event_type()) }),
                (t.since(), html! { (written.instant(delivery.created_at())) }),
                (t.next_try(), html! { (written.instant(delivery.next_attempt_at())) }),
                (t.webhook(), html! {
                    a href={ "/console/webhooks/" (delivery.subscription_id()) } { (t.view()) }
                }),
            ]))
        }
        @if let Some(payload) = delivery.payload() {
            h2 { (t.what()) }
            pre.card { code { (serde_json::to_string_pretty(payload.json()).unwrap_or_default()) } }
        }
        h2 { (t.attempts()) }
        @for attempt in delivery.attempts() {
            section.card {
                (facts(vec![
                    (t.when(), html! { (written.instant(attempt.attempted_at())) }),
                    (t.answer(), html! {
                        @if let Some(status) = attempt.response_status() { (status) }
                    }),
                    (t.took(), html! { (written.count(attempt.duration_ms())) " ms" }),
                    (t.error_word(), html! { (attempt.error()) }),
                ]))
                @if !attempt.response_preview().is_empty() {
                    code.secret { (attempt.response_preview()) }
                }
            }
        }
    };
    let acts = html! {
        @if matches!(delivery.status(), "failed" | "cancelled" | "succeeded") {
            (Form::of(cx, api::redeliver_webhook(&id))
                .next(format!("/console/webhooks/{}", delivery.subscription_id()))
                .send(t.send_again()))
        }
    };
    Ok(View::new(t.delivery(), main).acts(acts))
}
