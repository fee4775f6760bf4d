//! Webhooks: who is told, what became of each delivery, and how it is sent again.

use maud::{Markup, html};
use serde_json::Value;
use spotter_kernel::{Event, Result};

use crate::{
    page_context::{ApiCall, PageContext},
    parts::{
        fields::{Form, disclosure},
        format::JsonFields,
        lists::{by_word, empty, facts, pager, state, table},
        shell::View,
    },
};

fn events() -> Vec<(&'static str, &'static str)> {
    Event::ALL.iter().map(|event| (event.name(), event.name())).collect()
}

/// Whether its last delivery failed.
pub(super) fn fails(hook: &Value) -> bool {
    hook.text("lastFailureAt") > hook.text("lastSuccessAt")
}

/// `/console/webhooks`: those that fail first.
pub(super) fn list(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.list(ApiCall::of("list_webhooks"))?;
    let mut hooks = answer.list("subscriptions").to_vec();
    hooks.sort_by_key(|hook| !fails(hook));
    let failed = cx
        .call_if_allowed(
            ApiCall::of("list_webhook_deliveries").with("status", "failed").with("limit", 10),
        )?
        .unwrap_or_default();
    let (t, written) = (cx.strings, &cx.written);
    let rows: Vec<Vec<Markup>> = hooks.iter().map(|hook| vec![
        html! { a href={ "/console/webhooks/" (hook.text("id")) } { b { (hook.text("name")) } } br; span.quiet { (hook.text("target.url")) } },
        html! { span.number { (written.count(hook.list("events").len() as i64)) } },
        html! { (hook.instant("lastSuccessAt").map(|at| written.instant(at)).unwrap_or_default()) },
        html! { (hook.instant("lastFailureAt").map(|at| written.instant(at)).unwrap_or_default()) },
        html! { @if fails(hook) { span.state.bad { (t.failing()) } } @else { (state(cx, hook.text("status"))) } },
    ]).collect();
    let form = Form::of(cx, "create_webhook")
        .next("/console/webhooks/{subscription.id}")
        .text("name", t.name())
        .of_type("url", "url", t.web_address(), "off")
        .any("events", t.events(), &events());
    let main = html! {
        @if rows.is_empty() { (empty(t.no_webhooks(), None)) }
        @else { (table(t.webhooks(), &[t.name(), t.events(), t.last_success(), t.last_failure(), t.status()], rows)) (pager(cx, &answer)) }
        @if !failed.list("deliveries").is_empty() {
            section.card { h2 { (t.failed_deliveries()) } (deliveries(cx, &failed)) }
        }
        section.card { (disclosure(t.add_webhook(), form.send(t.add_webhook()))) }
    };
    Ok(View::new(t.webhooks(), main))
}

fn deliveries(cx: &PageContext<'_, '_>, answer: &Value) -> Markup {
    html! {
        ul.rows {
            @for delivery in answer.list("deliveries") {
                li {
                    span.grow {
                        a href={ "/console/webhooks/deliveries/" (delivery.text("id")) } { (delivery.text("eventType")) }
                        br; span.quiet { (delivery.instant("createdAt").map(|at| cx.written.instant(at)).unwrap_or_default()) }
                    }
                    (state(cx, delivery.text("status")))
                    @if matches!(delivery.text("status"), "failed" | "cancelled") {
                        (Form::about(cx, "redeliver_webhook", vec![("id", delivery.text("id").to_owned())]).button(cx.strings.send_again()))
                    }
                }
            }
        }
    }
}

/// `/console/webhooks/{id}`
pub(super) fn one(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let answer = cx.call(ApiCall::of("get_webhook").at("id", &id))?;
    let mut hook = answer.at("subscription").clone();
    hook["url"] = hook["target"]["url"].clone();
    let status = cx.place.parameter("status").to_owned();
    let query =
        ApiCall::of("list_webhook_deliveries").with("subscriptionId", &id).with("status", &status);
    let sent = cx.list(query)?;
    let (t, written) = (cx.strings, &cx.written);
    let at = || vec![("id", id.clone())];
    let time = |place: &str| hook.instant(place).map(|at| written.instant(at)).unwrap_or_default();
    let active = hook.text("status") == "active";
    let main = html! {
        section.card {
            (facts(vec![
                (t.web_address(), html! { code { (hook.text("target.url")) } }),
                (t.status(), state(cx, hook.text("status"))),
                (t.last_success(), html! { (time("lastSuccessAt")) }),
                (t.last_failure(), html! { (time("lastFailureAt")) }),
                (t.secret(), html! { (hook.text("secret.prefix")) "…" (hook.text("secret.last4")) }),
            ]))
            (disclosure(t.edit(), Form::about(cx, "update_webhook", at()).from(&hook)
                .text("name", t.name()).of_type("url", "url", t.web_address(), "off").any("events", t.events(), &events()).send(t.save())))
        }
        (by_word(cx, (t.deliveries(), "status", &status), &["", "pending", "succeeded", "failed", "cancelled"]))
        section.card { @if sent.list("deliveries").is_empty() { p.quiet { (t.nothing()) } } (deliveries(cx, &sent)) }
        (pager(cx, &sent))
    };
    let acts = html! {
        @if active { (Form::about(cx, "test_webhook", at()).button(t.send_test())) }
        (Form::about(cx, "update_webhook", at()).hidden("status", if active { "disabled" } else { "active" }).button(if active { t.switch_off() } else { t.switch_on() }))
        (disclosure(t.recover(), html! {
            p { (t.recover_means()) }
            (Form::about(cx, "recover_webhook", at()).moment("since", t.since(), "").send(t.recover()))
        }))
        (disclosure(t.new_secret(), Form::about(cx, "rotate_webhook_secret", at()).text("gracePeriodSeconds", t.grace_seconds()).danger(t.new_secret())))
        (disclosure(t.delete(), Form::about(cx, "delete_webhook", at()).next("/console/webhooks").danger(t.delete())))
    };
    Ok(View::new(hook.text("name"), main).acts(acts))
}

/// `/console/webhooks/deliveries/{id}`
pub(super) fn delivery(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let id = cx.place.param("id").to_owned();
    let output = cx.call(ApiCall::of("get_webhook_delivery").at("id", &id))?;
    let delivery = output.at("delivery").clone();
    let (t, written) = (cx.strings, &cx.written);
    let time = |of: &Value, place: &str| {
        of.instant(place).map(|at| written.instant(at)).unwrap_or_default()
    };
    let main = html! {
        section.card {
            (facts(vec![
                (t.status(), state(cx, delivery.text("status"))),
                (t.event(), html! { (delivery.text("eventType")) }),
                (t.since(), html! { (time(&delivery, "createdAt")) }),
                (t.next_try(), html! { (time(&delivery, "nextAttemptAt")) }),
                (t.webhook(), html! { a href={ "/console/webhooks/" (delivery.text("subscriptionId")) } { (t.look()) } }),
            ]))
        }
        @if delivery.has("payload") {
            h2 { (t.what()) }
            pre.card { code { (serde_json::to_string_pretty(delivery.at("payload")).unwrap_or_default()) } }
        }
        h2 { (t.attempts()) }
        @for attempt in delivery.list("attempts") {
            section.card {
                (facts(vec![
                    (t.when(), html! { (time(attempt, "attemptedAt")) }),
                    (t.answer(), html! { @if attempt.has("responseStatus") { (attempt.int("responseStatus")) } }),
                    (t.took(), html! { @if attempt.has("durationMs") { (written.count(attempt.int("durationMs"))) " ms" } }),
                    (t.error_word(), html! { (attempt.text("error")) }),
                ]))
                @if attempt.has("responsePreview") { code.secret { (attempt.text("responsePreview")) } }
            }
        }
    };
    let acts = html! {
        @if matches!(delivery.text("status"), "failed" | "cancelled" | "succeeded") {
            (Form::about(cx, "redeliver_webhook", vec![("id", id.clone())]).next(format!("/console/webhooks/{}", delivery.text("subscriptionId"))).send(t.send_again()))
        }
    };
    Ok(View::new(t.delivery(), main).acts(acts))
}
