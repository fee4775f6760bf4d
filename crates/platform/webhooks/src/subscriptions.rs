//! Subscriptions: which events are sent, and where.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Access, Actor, Area, Body, ListQuery, OptionalBody, Path, Payload, Read, Success, UpdatedFrom,
    Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Event, Id, Key, Problem, Result, Rule, Scope,
    number::BoundedInteger,
    text::{Name, Text},
};
use spotter_outbound::target::{Target, URL_MAX};
use spotter_store::{Json, words};

use super::{
    SubscriptionId,
    record::{
        LIST, SubscriptionView, SubscriptionWithSecret, TargetType, WebhookSubscription,
        WebhookSubscriptionStatus, invalid,
    },
};
use crate::rules::WebhookRule;

/// Subscriptions that a company may have.
const SUBSCRIPTIONS_MAX: i64 = 50;
/// How long a replaced secret signs beside the new one by default, in seconds.
const GRACE_SECONDS: i64 = 86_400;
/// The longest such time (7 days).
const GRACE_SECONDS_MAX: i64 = 7 * 86_400;

words! {
    else WebhookRequestInvalid;
    /// A status that a subscription can be given.
    enum WantedStatus { Active = "active", Disabled = "disabled" }
}

listed!(Subscriptions { subscriptions: SubscriptionView });

fn list_webhooks(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<UpdatedFrom>,
) -> Result<Subscriptions> {
    Ok(cx.page(&LIST, &wanted, page)?.map(Into::into).into())
}

path!(SubscriptionPath { id: SubscriptionId });

answer!(SubscriptionAnswer { subscription: SubscriptionView });

answer!(SecretAnswer { subscription: SubscriptionWithSecret });

fn answer(subscription: WebhookSubscription) -> SubscriptionAnswer {
    SubscriptionAnswer { subscription: subscription.into() }
}

fn get_webhook(cx: &mut Read, Path(at): Path<SubscriptionPath>) -> Result<SubscriptionAnswer> {
    Ok(answer(WebhookSubscription::find(cx, at.id)?))
}

/// Where deliveries are to go.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct WantedTarget {
    /// `url` when absent.
    #[serde(rename = "type")]
    _type: Option<TargetType>,
    /// A public HTTPS URL.
    #[schemars(regex(pattern = r"^[hH][tT][tT][pP][sS]://"))]
    url: Option<Text<URL_MAX>>,
}

/// The webhook subscription to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewWebhookSubscription")]
struct NewSubscription {
    /// Display name.
    name: Name<120>,
    /// A public HTTPS URL; required unless `target.url` is given.
    #[schemars(regex(pattern = r"^[hH][tT][tT][pP][sS]://"))]
    url: Option<Text<URL_MAX>>,
    /// Another way to give the URL.
    target: Option<WantedTarget>,
    /// An older name of `target.type`.
    #[serde(rename = "targetType")]
    _target_type: Option<TargetType>,
    /// At least one name of the event registry.
    #[schemars(length(min = 1))]
    events: Vec<Event>,
}

/// The fields of a subscription to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "WebhookSubscriptionChanges")]
struct SubscriptionChanges {
    #[serde(default)]
    name: Change<Name<120>>,
    #[serde(default)]
    status: Change<WantedStatus>,
    /// A public HTTPS URL.
    #[serde(default)]
    url: Change<Text<URL_MAX>>,
    /// Another way to give the URL.
    #[serde(default)]
    target: Change<WantedTarget>,
    /// At least one name of the event registry.
    #[schemars(length(min = 1))]
    #[serde(default)]
    events: Change<Vec<Event>>,
}

/// The one URL that a request names, if it names any, checked.
fn wanted_url(
    cx: &Write,
    url: Option<Text<URL_MAX>>,
    target: Option<WantedTarget>,
) -> Result<Option<String>> {
    let (field, wanted) = match (url, target.and_then(|target| target.url)) {
        (Some(url), Some(other)) if url != other => {
            return Err(invalid("target.url", WebhookRule::NotSameAsUrl));
        }
        (Some(url), _) => ("url", url),
        (None, Some(url)) => ("target.url", url),
        (None, None) => return Ok(None),
    };
    Target::parse(&wanted, &cx.env().private_networks)
        .map(|target| Some(target.url().to_string()))
        .map_err(|refused| invalid(field, refused))
}

/// Refuses events whose records the caller may not read.
pub(super) fn check_may_read<'e>(cx: &Read, events: impl Iterator<Item = &'e Event>) -> Result<()> {
    let scopes: BTreeSet<Scope> = events.filter_map(|event| event.scope()).collect();
    Access::check_all(cx.caller(), scopes)
}

fn wanted_events(cx: &Read, events: Vec<Event>) -> Result<Json<BTreeSet<String>>> {
    if events.is_empty() {
        return Err(invalid("events", WebhookRule::NoEvents));
    }
    check_may_read(cx, events.iter())?;
    Ok(Json(events.iter().map(|event| event.name().to_owned()).collect()))
}

fn create_webhook(cx: &mut Write, Body(new): Body<NewSubscription>) -> Result<SecretAnswer> {
    let events = wanted_events(cx, new.events)?;
    let url = wanted_url(cx, new.url, new.target)?
        .ok_or_else(|| invalid("url", WebhookRule::UrlRequired))?;
    if WebhookSubscription::count(cx)? >= SUBSCRIPTIONS_MAX {
        return Err(Problem::conflict(
            "subscriptions",
            Rule::TooManyOfCompany { max: SUBSCRIPTIONS_MAX },
        ));
    }
    let mut subscription = WebhookSubscription {
        subscription_id: SubscriptionId(cx.new_id()),
        name: new.name.into(),
        status: WebhookSubscriptionStatus::Active,
        events,
        url,
        secret: Vec::new(),
        secret_prefix: String::new(),
        secret_last4: String::new(),
        secret_rotated_at: None,
        previous_secret: None,
        previous_secret_until: None,
        last_delivery_at: None,
        last_success_at: None,
        last_failure_at: None,
        api_client_id: owner(cx),
        withheld: Json(BTreeSet::new()),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    let signing_secret = subscription.renew_secret(cx)?;
    subscription.insert(cx)?;
    let subscription = SubscriptionWithSecret { subscription: subscription.into(), signing_secret };
    Ok(SecretAnswer { subscription })
}

/// Refuses integrations to act on a subscription with events that they may not read: the holder of its secret can
/// forge deliveries, and stopping it silences others. The business itself may do both.
pub(super) fn check_may_act(cx: &Read, subscription: &WebhookSubscription) -> Result<()> {
    match cx.caller().actor {
        Actor::ApiClient { .. } => check_may_read(cx, subscribed_events(subscription)),
        _ => Ok(()),
    }
}

/// The same where a change may also leave events out: an integration may of its own subscription, whatever it may still
/// read.
fn check_may_change(cx: &Read, subscription: &WebhookSubscription) -> Result<()> {
    match subscription.api_client_id.is_some() && subscription.api_client_id == owner(cx) {
        true => Ok(()),
        false => check_may_act(cx, subscription),
    }
}

/// The API client that asks; `None` for a person.
fn owner(cx: &Read) -> Option<Id> {
    match cx.caller().actor {
        Actor::ApiClient { id, .. } => Some(id),
        _ => None,
    }
}

fn subscribed_events(subscription: &WebhookSubscription) -> impl Iterator<Item = &'static Event> {
    Event::ALL.iter().filter(|event| subscription.events.0.contains(event.name()))
}

fn update_webhook(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    Body(change): Body<SubscriptionChanges>,
) -> Result<SubscriptionAnswer> {
    let before = WebhookSubscription::find(cx, at.id)?;
    check_may_change(cx, &before)?;
    let mut subscription = before.clone();
    change.name.apply(&mut subscription.name);
    if let Some(status) = change.status.value() {
        subscription.status = match status {
            WantedStatus::Active => WebhookSubscriptionStatus::Active,
            WantedStatus::Disabled => WebhookSubscriptionStatus::Disabled,
        };
    }
    if let Some(url) = wanted_url(cx, change.url.value(), change.target.value())? {
        subscription.url = url;
    }
    if let Some(events) = change.events.value() {
        subscription.events = wanted_events(cx, events)?;
    }
    // Changing the target means receiving all of its events, for as long as the changer may.
    check_may_read(cx, subscribed_events(&subscription))?;
    if (&subscription.url, &subscription.events) != (&before.url, &before.events) {
        subscription.answers_to(owner(cx));
    }
    subscription.save(cx, &before)?;
    Ok(answer(subscription))
}

fn delete_webhook(cx: &mut Write, Path(at): Path<SubscriptionPath>) -> Result<SubscriptionAnswer> {
    let before = WebhookSubscription::find(cx, at.id)?;
    check_may_act(cx, &before)?;
    let mut subscription = before.clone();
    subscription.status = WebhookSubscriptionStatus::Deleted;
    subscription.save(cx, &before)?;
    Ok(answer(subscription))
}

/// The grace period of the previous secret.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "WebhookSecretRotation")]
struct Rotation {
    /// Seconds for which deliveries are signed with the previous secret as well, 0 to 604800; one
    /// day when absent.
    grace_period_seconds: Option<BoundedInteger<0, GRACE_SECONDS_MAX>>,
}

fn rotate_webhook_secret(
    cx: &mut Write,
    Path(at): Path<SubscriptionPath>,
    OptionalBody(wanted): OptionalBody<Rotation>,
) -> Result<SecretAnswer> {
    let before = WebhookSubscription::find(cx, at.id)?;
    check_may_act(cx, &before)?;
    let mut subscription = before.clone();
    let grace = wanted.grace_period_seconds.map_or(GRACE_SECONDS, |seconds| seconds.0);
    (subscription.previous_secret, subscription.previous_secret_until) = if grace > 0 {
        (Some(before.secret.clone()), Some(cx.now().plus_seconds(grace)))
    } else {
        (None, None)
    };
    let signing_secret = subscription.renew_secret(cx)?;
    subscription.answers_to(owner(cx));
    subscription.secret_rotated_at = Some(cx.now());
    subscription.save(cx, &before)?;
    subscription.forget_previous_secret_in_time(cx)?;
    let subscription = SubscriptionWithSecret { subscription: subscription.into(), signing_secret };
    Ok(SecretAnswer { subscription })
}

/// The payload of a test event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TestEvent {
    subscription_id: SubscriptionId,
}

impl Payload for TestEvent {
    const EVENTS: &'static [Event] = &[Event::SubscriptionTest];
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct TestResult {
    /// The event.
    event_id: Id,
    /// Ids of the deliveries: to this subscription, and to others that receive test events.
    delivery_ids: Vec<Id>,
}

answer!(TestAnswer { test: TestResult });

fn test_webhook(cx: &mut Write, Path(at): Path<SubscriptionPath>) -> Result<TestAnswer> {
    let subscription = WebhookSubscription::find_active(cx, at.id)?;
    check_may_act(cx, &subscription)?;
    Target::parse(&subscription.url, &cx.env().private_networks)
        .map_err(|refused| invalid("target.url", refused))?;
    let tested = TestEvent { subscription_id: at.id };
    cx.set_audit_target("webhook_subscription", at.id, Vec::<String>::new());
    let announced = cx.emit_to(at.id.0, Event::SubscriptionTest, &tested)?;
    let (event_id, delivery_ids) = (announced.event_id, announced.delivery_ids);
    Ok(TestAnswer { test: TestResult { event_id, delivery_ids } })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    const INVALID: Key = Key::WebhookRequestInvalid;
    const GATED: &[Key] =
        &[Key::ScopesHealthConsentRequired, Key::ScopesPrivateCommunicationConsentRequired];
    Area::default().tells::<TestEvent>().operations([
        operation!(GET "/webhooks", WebhooksRead, list_webhooks)
            .summary("List webhook subscriptions")
            .describe("Returns the company's webhook subscriptions, newest first.")
            .invalid_as(INVALID),
        operation!(POST "/webhooks", WebhooksWrite, create_webhook)
            .success(Success::Added)
            .summary("Create a webhook subscription")
            .describe(
                "Subscribes a URL to events. The signing secret is returned in this response \
                 only. A company has at most 50. An event requires the scope and the consent that \
                 reading its payload requires: without them the subscription is refused, and \
                 deliveries stop once they are withdrawn.",
            )
            .created()
            .secret(&["subscription.signingSecret"])
            .address_fields(&["url", "target.url"])
            .invalid_as(INVALID)
            .fails(&[
                Key::ScopesHealthConsentRequired,
                Key::ScopesPrivateCommunicationConsentRequired,
                Key::ApiError,
            ]),
        operation!(GET "/webhooks/{id}", WebhooksRead, get_webhook)
            .summary("Get a webhook subscription")
            .describe("Returns one subscription, without its secret.")
            .invalid_as(INVALID),
        operation!(PATCH "/webhooks/{id}", WebhooksWrite, update_webhook)
            .reauthentication()
            .summary("Update a webhook subscription")
            .describe(
                "Changes the fields that are sent. Waiting deliveries of a disabled subscription \
                 are cancelled when they come due.",
            )
            .address_fields(&["url", "target.url"])
            .invalid_as(INVALID)
            .fails(GATED),
        operation!(DELETE "/webhooks/{id}", WebhooksWrite, delete_webhook)
            .success(Success::Deleted)
            .summary("Delete a webhook subscription")
            .describe("Cancels waiting deliveries. The record of past deliveries stays.")
            .invalid_as(INVALID)
            .fails(GATED),
        operation!(POST "/webhooks/{id}/test", WebhooksWrite, test_webhook)
            .success(Success::Sent)
            .summary("Send a test event")
            .describe("Queues a `subscription.test` event for an active subscription.")
            .emits(&[Event::SubscriptionTest])
            .invalid_as(INVALID)
            .fails(GATED),
        operation!(POST "/webhooks/{id}/rotate-secret", WebhooksWrite, rotate_webhook_secret)
            .summary("Rotate the signing secret")
            .describe(
                "Replaces the secret and returns the new one in this response only. During the \
                 grace period deliveries carry two signatures, one of each secret.",
            )
            .secret(&["subscription.signingSecret"])
            .invalid_as(INVALID)
            .fails(GATED),
    ])
}
