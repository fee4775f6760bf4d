//! Alerts to managers by mail about failing deliveries.

use spotter_contract::{Area, Timer, Write};
use spotter_kernel::{Id, Result, Timestamp};
use spotter_store::{params, statements};

use super::{SubscriptionId, record::WebhookSubscription};
use spotter_mail::Letter;
use spotter_people::coaches::Coach;

/// Time without further alerts, in seconds.
const QUIET_SECONDS: i64 = 86_400;

/// Alerts managers about a subscription whose deliveries fail, once a day.
pub static ALERT_OF_FAILURES: Timer =
    Timer::new("tell_of_failing_webhook", "Mail managers about a failing webhook", notify_managers);

fn notify_managers(cx: &mut Write, id: Id) -> Result<()> {
    let Some(subscription) = WebhookSubscription::find_if_active(cx, SubscriptionId(id))? else {
        return Ok(());
    };
    let now = cx.now();
    let output: Option<(Option<Timestamp>,)> = cx.one(ALERTED_AT, params![id])?;
    let quiet_until = output.and_then(|(at,)| at).map(|at| at.plus_seconds(QUIET_SECONDS));
    if !subscription.is_failing() || quiet_until.is_some_and(|until| until > now) {
        return Ok(());
    }
    let latest: Option<(Option<String>, Option<i64>)> = cx.one(LATEST, params![id])?;
    let error = match latest {
        Some((Some(error), _)) => error,
        Some((None, Some(status))) => format!("HTTP {status}"),
        _ => return Ok(()),
    };
    for coach in Coach::managers(cx)? {
        let letter = Letter::FailingWebhook { webhook: &subscription.name, error: &error };
        spotter_mail::send(cx, coach.recipient(), id, &letter)?;
    }
    cx.defer(MARK_ALERTED, params![id, now])
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&ALERT_OF_FAILURES])
}

statements! {
    ALERTED_AT = "SELECT alerted_at FROM webhook_subscription WHERE company_id = ?1 AND subscription_id = ?2";
    MARK_ALERTED = "UPDATE webhook_subscription SET alerted_at = ?3 \
        WHERE company_id = ?1 AND subscription_id = ?2";
    LATEST = "SELECT a.error, a.response_status FROM webhook_delivery d \
        JOIN webhook_attempt a ON a.company_id = d.company_id AND a.delivery_id = d.delivery_id \
        WHERE d.company_id = ?1 AND d.subscription_id = ?2 AND d.status = 'failed' \
        ORDER BY d.delivery_id DESC, a.attempt DESC LIMIT 1";
}
