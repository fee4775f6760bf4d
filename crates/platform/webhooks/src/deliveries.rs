//! Deliveries: what was sent, the result, and sending it again.

use crate::{queue::Stage, rules::WebhookRule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, outbox, path,
};
use spotter_kernel::{
    Event, Id, Key, Problem, Result, Rule, Timestamp, limits::WEBHOOK_ATTEMPTS_MAX,
};
use spotter_store::{Json, List, filters, lists, params, record, statements, words};

use super::{
    DeliveryId, EventId, SubscriptionId, events::LoggedEvent, record::WebhookSubscription,
    subscriptions::check_may_act,
};

/// Most deliveries that one request recovers.
const RECOVERED_MAX: i64 = 500;

words! {
    /// The status of a delivery.
    pub enum DeliveryStatus {
        Pending = "pending",
        Sending = "sending",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

record! {
    /// A delivery: the record, with its latest attempt.
    #[derive(Debug, Clone)]
    struct Delivery {
        delivery_id: DeliveryId,
        subscription_id: SubscriptionId,
        event_id: Id,
        event_type: String,
        status: Stage,
        attempts: i64,
        due_at: Option<Timestamp>,
        held: bool,
        completed_at: Option<Timestamp>,
        redelivery_id: Option<DeliveryId>,
        attempted_at: Option<Timestamp>,
        duration_ms: Option<i64>,
        response_status: Option<i64>,
        response_preview: Option<String>,
        error: Option<String>,
    }
}

/// The columns of a delivery with its latest attempt.
const COLUMNS: &str = "d.delivery_id, d.subscription_id, d.event_id, d.event_type, d.status, \
    d.attempts, d.due_at, d.lease IS NOT NULL, d.completed_at, d.redelivery_id, a.attempted_at, \
    a.duration_ms, a.response_status, a.response_preview, a.error";

/// Deliveries with their latest attempts.
const DELIVERIES: &str = "webhook_delivery d LEFT JOIN webhook_attempt a \
    ON a.company_id = d.company_id AND a.delivery_id = d.delivery_id AND a.attempt = d.attempts \
    WHERE d.company_id = ?1";

record! {
    /// An attempt to deliver an event.
    #[derive(Debug, Clone, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "WebhookAttempt")]
    struct Attempt {
        /// Number of the attempt, from 1.
        attempt: i64,
        /// When the attempt started.
        attempted_at: Timestamp,
        /// Duration in milliseconds.
        duration_ms: i64,
        /// The status that the target answered, if it answered.
        response_status: Option<i64>,
        /// The beginning of the answer's body: at most 1 KiB, without tokens, keys and e-mail
        /// addresses.
        response_preview: Option<String>,
        /// The error; null after success.
        error: Option<String>,
    }
}

/// The delivery of an event to a subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookDelivery")]
struct DeliveryView {
    id: DeliveryId,
    subscription_id: SubscriptionId,
    event_id: Id,
    /// The event's name.
    event_type: String,
    status: DeliveryStatus,
    /// Attempts made so far.
    attempt_count: i64,
    /// Attempts made at most.
    max_attempts: u32,
    /// When the next attempt is due; null while one is under way and after the last.
    next_attempt_at: Option<Timestamp>,
    last_attempt: Option<Attempt>,
    /// The delivery that repeats this one, if there is one.
    redelivery_id: Option<DeliveryId>,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
}

impl From<Delivery> for DeliveryView {
    fn from(kept: Delivery) -> Self {
        let status = match kept.status {
            Stage::Pending if kept.held => DeliveryStatus::Sending,
            Stage::Pending => DeliveryStatus::Pending,
            Stage::Succeeded => DeliveryStatus::Succeeded,
            Stage::Failed => DeliveryStatus::Failed,
            Stage::Cancelled => DeliveryStatus::Cancelled,
        };
        let last_attempt = kept.attempted_at.map(|attempted_at| Attempt {
            attempt: kept.attempts,
            attempted_at,
            duration_ms: kept.duration_ms.unwrap_or_default(),
            response_status: kept.response_status,
            response_preview: kept.response_preview,
            error: kept.error,
        });
        Self {
            id: kept.delivery_id,
            subscription_id: kept.subscription_id,
            event_id: kept.event_id,
            event_type: kept.event_type,
            status,
            attempt_count: kept.attempts,
            max_attempts: WEBHOOK_ATTEMPTS_MAX,
            next_attempt_at: kept.due_at.filter(|_| !kept.held),
            last_attempt,
            redelivery_id: kept.redelivery_id,
            created_at: kept.delivery_id.0.created_at(),
            completed_at: kept.completed_at,
        }
    }
}

listed!(Deliveries { deliveries: DeliveryView });

words! {
    /// A status to look for; `pending` finds deliveries that are being sent, too.
    enum WantedStatus {
        Pending = "pending",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

filters! {
    struct Filters {
        /// Deliveries of this subscription; an id that is none finds nothing.
        subscription_id: String => "d.subscription_id = ?" as |id| id.to_ascii_lowercase(), tallied;
        /// Deliveries with this status; `pending` includes those in progress.
        status: WantedStatus => "d.status = ?", tallied;
    }
}

fn list_webhook_deliveries(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Deliveries> {
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(DeliveryPath { id: DeliveryId });

/// A delivery with all its attempts.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDeliveryWithAttempts")]
struct DeliveryWithAttempts {
    #[serde(flatten)]
    delivery: DeliveryView,
    /// Attempts, in order.
    attempts: Vec<Attempt>,
    /// The payload; null once the event is deleted, and if the caller may not read its records.
    payload: Option<LoggedEvent>,
}

answer!(DeliveryAnswer { delivery: DeliveryWithAttempts });

fn find(cx: &mut Read, id: DeliveryId) -> Result<Delivery> {
    cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
}

fn get_webhook_delivery(cx: &mut Read, Path(at): Path<DeliveryPath>) -> Result<DeliveryAnswer> {
    let delivery = find(cx, at.id)?;
    let attempts = cx.all(ATTEMPTS, params![at.id])?;
    let payload = LoggedEvent::find(cx, EventId(delivery.event_id))?;
    let delivery = DeliveryWithAttempts { delivery: delivery.into(), attempts, payload };
    Ok(DeliveryAnswer { delivery })
}

/// Queues the event of a delivery once more; the new delivery's id.
fn redeliver(
    cx: &mut Write,
    delivery: DeliveryId,
    of: SubscriptionId,
    event_id: Id,
    event: &str,
) -> Result<Id> {
    let id = cx.deliver_again(of.0, event_id, event)?;
    cx.defer(REPEATED, params![delivery, id])?;
    Ok(id)
}

answer!(RedeliveryAnswer { redelivery: Redelivery });

/// A delivery that repeats another.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Redelivery {
    /// The new delivery.
    delivery_id: Id,
    /// The same event: its id in the body is the one that was sent before.
    event_id: Id,
}

fn redeliver_webhook(cx: &mut Write, Path(at): Path<DeliveryPath>) -> Result<RedeliveryAnswer> {
    let delivery = find(cx, at.id)?;
    let subscription = WebhookSubscription::find_active(cx, delivery.subscription_id)?;
    check_may_act(cx, &subscription)?;
    if !subscription.receives(&delivery.event_type) {
        return Err(Problem::conflict("eventType", WebhookRule::EventLeftOut));
    }
    if delivery.status == Stage::Pending {
        return Err(Problem::conflict("status", WebhookRule::DeliveryPending));
    }
    let kept: Option<(Json<Map<String, Value>>,)> = cx.one(EVENT, params![delivery.event_id])?;
    let Some((data,)) = kept else {
        return Err(Problem::conflict("eventId", WebhookRule::EventDeleted));
    };
    if let Some(event) = Event::parse(&delivery.event_type)
        && cx.lacks_consent_for(event, &data.0)?
    {
        return Err(Problem::because(Key::ScopesHealthConsentRequired, Rule::NoHealthConsent));
    }
    cx.set_audit_target("webhook_delivery", at.id, Vec::<String>::new());
    let Delivery { subscription_id, event_id, event_type, .. } = delivery;
    let delivery_id = redeliver(cx, at.id, subscription_id, event_id, &event_type)?;
    Ok(RedeliveryAnswer { redelivery: Redelivery { delivery_id, event_id } })
}

path!(SubscriptionPath { id: SubscriptionId });

/// The instant from which failed deliveries are sent again.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WebhookRecovery")]
struct Recovery {
    /// Failed deliveries that were queued at or after this instant are sent again.
    since: Timestamp,
}

answer!(RecoveryAnswer { recovery: RecoveryResult });

/// The result of the recovery.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct RecoveryResult {
    /// Deliveries that were queued again, at most 500.
    recovered: i64,
    /// Whether there are more; ask again with a new key.
    has_more: bool,
}

fn recover_webhook(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    Body(wanted): Body<Recovery>,
) -> Result<RecoveryAnswer> {
    let subscription = WebhookSubscription::find_active(cx, at.id)?;
    check_may_act(cx, &subscription)?;
    let since = Id::first_at(wanted.since);
    let failed: Vec<(DeliveryId, Id, String)> =
        cx.all(FAILED, params![at.id, since, RECOVERED_MAX + 1])?;
    cx.set_audit_target("webhook_subscription", at.id, Vec::<String>::new());
    let has_more = failed.len() as i64 > RECOVERED_MAX;
    let mut recovered = 0;
    for (delivery, event_id, event) in failed.iter().take(RECOVERED_MAX as usize) {
        redeliver(cx, *delivery, at.id, *event_id, event)?;
        recovered += i64::from(subscription.receives(event));
    }
    Ok(RecoveryAnswer { recovery: RecoveryResult { recovered, has_more } })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    const INVALID: Key = Key::WebhookRequestInvalid;
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/webhooks/deliveries", WebhookDeliveriesRead, list_webhook_deliveries)
            .summary("List webhook deliveries")
            .describe("Returns deliveries newest first, with their status."),
        operation!(GET "/webhooks/deliveries/{id}", WebhookDeliveriesRead, get_webhook_delivery)
            .summary("Get a webhook delivery")
            .describe(
                "Returns a delivery with its attempts and, for callers who may read its event, \
                 the payload.",
            ),
        operation!(POST "/webhooks/deliveries/{id}/redeliver", WebhooksWrite, redeliver_webhook)
            .success(Success::SentAgain)
            .summary("Redeliver an event")
            .describe(
                "Queues a new delivery of the same event to the same subscription, which must be \
                 active. A delivery that is still in progress is refused.",
            )
            .invalid_as(INVALID)
            .fails(&[
                Key::ScopesHealthConsentRequired,
                Key::ScopesPrivateCommunicationConsentRequired,
                Key::ApiError,
            ]),
        operation!(POST "/webhooks/{id}/recover", WebhooksWrite, recover_webhook)
            .success(Success::SentAgain)
            .summary("Redeliver failed deliveries")
            .describe(
                "Queues a new delivery for every failed one since an instant that was not \
                 redelivered yet, oldest first, at most 500 at a time.",
            )
            .invalid_as(INVALID)
            .fails(&[
                Key::ScopesHealthConsentRequired,
                Key::ScopesPrivateCommunicationConsentRequired,
            ]),
    ])
}

lists! {
    /// Every delivery, newest first.
    LIST: List<Delivery, Filters> =
        List::new(DELIVERIES, "d.delivery_id DESC").selecting(COLUMNS).tallied(outbox::TALLY);
}

statements! {
    FIND = "SELECT ", COLUMNS, " FROM ", DELIVERIES, " AND d.delivery_id = ?2";
    ATTEMPTS = "SELECT ", Attempt::COLUMNS, " FROM webhook_attempt \
        WHERE company_id = ?1 AND delivery_id = ?2 ORDER BY attempt";
    EVENT = "SELECT data FROM event WHERE company_id = ?1 AND event_id = ?2";
    REPEATED = "UPDATE webhook_delivery SET redelivery_id = ?3 WHERE company_id = ?1 AND delivery_id = ?2";
    FAILED = "SELECT d.delivery_id, d.event_id, d.event_type FROM webhook_delivery d \
        JOIN event e ON e.company_id = d.company_id AND e.event_id = d.event_id \
        WHERE d.company_id = ?1 AND d.status = 'failed' AND d.delivery_id >= ?3 \
        AND d.subscription_id = ?2 AND d.redelivery_id IS NULL ORDER BY d.delivery_id LIMIT ?4";
}
