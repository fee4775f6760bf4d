//! A subscription: the record and its API form.

use std::collections::BTreeSet;

use crate::signature::{SECRET_PREFIX, new_secret};
use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Effect, Offboarding, Read, Timer, UpdatedFrom, Write};
use spotter_kernel::{Event, Id, Key, Phrase, Problem, Result, Timestamp};
use spotter_store::{Json, List, lists, params, parts, record, statements, values, words};

use super::SubscriptionId;
use crate::{effects::WebhookEffect, rules::WebhookRule};
use spotter_people::identity::api_clients::ApiClient;

words! {
    else WebhookRequestInvalid;
    /// Whether a subscription receives events; `deleted` is only seen in the answer to a deletion.
    pub enum WebhookSubscriptionStatus { Active = "active", Disabled = "disabled", Deleted = "deleted" }
}

words! {
    else WebhookRequestInvalid;
    /// The kind of target.
    pub(super) enum TargetType { Url = "url" }
}

record! {
    /// A subscription: the record.
    #[derive(Debug, Clone, PartialEq)]
    pub struct WebhookSubscription {
        pub(super) subscription_id: SubscriptionId,
        pub(super) name: String,
        pub(super) status: WebhookSubscriptionStatus,
        pub(super) events: Json<BTreeSet<String>>,
        pub(super) url: String,
        pub(super) secret: Vec<u8>,
        pub(super) secret_prefix: String,
        pub(super) secret_last4: String,
        pub(super) secret_rotated_at: Option<Timestamp>,
        pub(super) previous_secret: Option<Vec<u8>>,
        pub(super) previous_secret_until: Option<Timestamp>,
        pub(super) last_delivery_at: Option<Timestamp>,
        pub(super) last_success_at: Option<Timestamp>,
        pub(super) last_failure_at: Option<Timestamp>,
        /// The API client that created it, or last decided where it leads; `None` for a person.
        pub(super) api_client_id: Option<Id>,
        /// Events that its API client may not receive, by its current scopes and consents.
        pub(super) withheld: Json<BTreeSet<String>>,
        pub(super) created_at: Timestamp,
        pub(super) updated_at: Timestamp,
    }
}

/// The endpoint that receives deliveries.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct TargetView {
    r#type: TargetType,
    url: String,
}

/// The visible ends of a signing secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[schemars(rename = "WebhookSecret")]
struct SecretView {
    /// First characters of the secret.
    prefix: String,
    /// Last four digits.
    last4: String,
    /// When it was last replaced.
    rotated_at: Option<Timestamp>,
}

/// A subscription to events.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookSubscription")]
pub(super) struct SubscriptionView {
    id: SubscriptionId,
    name: String,
    status: WebhookSubscriptionStatus,
    /// Names of the event registry.
    events: Vec<Event>,
    target: TargetView,
    secret: SecretView,
    last_delivery_at: Option<Timestamp>,
    last_success_at: Option<Timestamp>,
    last_failure_at: Option<Timestamp>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// A subscription with its signing secret, which is shown once.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookSubscriptionWithSecret")]
pub(super) struct SubscriptionWithSecret {
    #[serde(flatten)]
    pub(super) subscription: SubscriptionView,
    /// Signs every delivery; the whole value is the key. Shown once.
    pub(super) signing_secret: String,
}

impl From<WebhookSubscription> for SubscriptionView {
    fn from(kept: WebhookSubscription) -> Self {
        let result = Event::ALL.iter().filter(|event| kept.events.0.contains(event.name()));
        Self {
            id: kept.subscription_id,
            name: kept.name,
            status: kept.status,
            events: result.copied().collect(),
            target: TargetView { r#type: TargetType::Url, url: kept.url },
            secret: SecretView {
                prefix: kept.secret_prefix,
                last4: kept.secret_last4,
                rotated_at: kept.secret_rotated_at,
            },
            last_delivery_at: kept.last_delivery_at,
            last_success_at: kept.last_success_at,
            last_failure_at: kept.last_failure_at,
            created_at: Some(kept.created_at),
            updated_at: Some(kept.updated_at),
        }
    }
}

impl WebhookSubscription {
    /// The company's subscription with this id, if it is not deleted.
    pub(super) fn find(cx: &mut Read, id: SubscriptionId) -> Result<Self> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        found
            .filter(|subscription| subscription.status != WebhookSubscriptionStatus::Deleted)
            .ok_or_else(|| Key::NotFound.into())
    }

    /// The same, refusing one that is not active.
    pub(super) fn find_active(cx: &mut Read, id: SubscriptionId) -> Result<Self> {
        let subscription = Self::find(cx, id)?;
        match subscription.status {
            WebhookSubscriptionStatus::Active => Ok(subscription),
            _ => Err(invalid("status", WebhookRule::SubscriptionInactive)),
        }
    }

    /// The same where it may be there and active.
    pub(super) fn find_if_active(cx: &mut Read, id: SubscriptionId) -> Result<Option<Self>> {
        let found: Option<Self> = cx.one(FIND, params![id])?;
        Ok(found.filter(|subscription| subscription.status == WebhookSubscriptionStatus::Active))
    }

    /// Whether its target has failed since it last answered.
    pub(super) fn is_failing(&self) -> bool {
        self.last_failure_at > self.last_success_at
    }

    /// Has the secret before the present one forgotten when its time is over.
    pub(super) fn forget_previous_secret_in_time(&self, cx: &mut Write) -> Result<()> {
        match self.previous_secret_until {
            Some(until) => cx.set_timer(&FORGET_PREVIOUS_SECRET, self.subscription_id, until),
            None => cx.clear_timer(&FORGET_PREVIOUS_SECRET, self.subscription_id),
        }
    }

    /// Has it follow the rights of an API client that decides where it leads. A person's decision leaves it as it is: who
    /// receives its events stays the same.
    pub(super) fn answers_to(&mut self, api_client: Option<Id>) {
        self.api_client_id = api_client.or(self.api_client_id);
    }

    /// Whether it is subscribed to an event.
    pub(super) fn receives(&self, event: &str) -> bool {
        is_subscribed(&self.events.0, event)
    }

    /// How many the company has that are not deleted.
    pub(super) fn count(cx: &mut Read) -> Result<i64> {
        let found: Option<(i64,)> = cx.one(COUNT, params![])?;
        Ok(found.map_or(0, |(count,)| count))
    }

    /// Writes a new subscription, which receives its events from this commit on.
    pub(super) fn insert(&mut self, cx: &mut Write) -> Result<()> {
        self.withhold(cx)?;
        cx.set_audit_target("webhook_subscription", self.subscription_id, ["subscription"]);
        cx.defer(INSERT, &self.params())?;
        self.listen(cx)
    }

    /// Writes a change and what follows from it.
    pub(super) fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        self.withhold(cx)?;
        let Some(now) =
            cx.audit_fields("webhook_subscription", self.subscription_id, self.changed(before))
        else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.facts())?;
        let hears = |own: &Self| (own.status, own.events.clone(), own.withheld.clone());
        if hears(self) != hears(before) {
            cx.defer(SILENCE, params![self.subscription_id])?;
            self.listen(cx)?;
        }
        Ok(())
    }

    /// Works out which of its events its API client may not hear of.
    fn withhold(&mut self, cx: &mut Read) -> Result<()> {
        let Some(owner) = self.api_client_id else { return Ok(()) };
        let owner = ApiClient::find(cx, owner)?;
        let named = Event::ALL.iter().filter(|event| self.events.0.contains(event.name()));
        let withheld = named.filter(|event| !owner.may_receive(**event));
        self.withheld = Json(withheld.map(|event| event.name().to_owned()).collect());
        Ok(())
    }

    /// Has an active subscription hear of its events from this commit on.
    fn listen(&self, cx: &mut Write) -> Result<()> {
        if self.status == WebhookSubscriptionStatus::Active {
            for event in self.events.0.difference(&self.withheld.0) {
                cx.defer(LISTEN, params![event, self.subscription_id])?;
            }
        }
        Ok(())
    }

    /// Gives the subscription a new secret, which is returned in the clear.
    pub(super) fn renew_secret(&mut self, cx: &Write) -> Result<String> {
        let env = cx.env();
        let secret = new_secret(&*env.entropy);
        self.secret = env.vault.seal(secret.as_bytes(), &*env.entropy)?;
        self.secret_prefix = secret.chars().take(SECRET_PREFIX.len() + 4).collect();
        self.secret_last4 = secret.chars().skip(secret.len() - 4).collect();
        Ok(secret)
    }
}

/// Whether a subscription to these events is sent this one: a test event always.
pub(crate) fn is_subscribed(events: &BTreeSet<String>, event: &str) -> bool {
    event == Event::SubscriptionTest.name() || events.contains(event)
}

/// A refusal that names the field, under the key of webhook management.
pub(super) fn invalid(field: &str, rule: impl Into<Phrase>) -> Problem {
    Problem::field(Key::WebhookRequestInvalid, field, rule)
}

const FORGET_PREVIOUS_SECRET: Timer = Timer::new(
    "forget_previous_webhook_secret",
    "Delete a rotated signing secret after its grace period",
    forget_previous_secret,
);

fn forget_previous_secret(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<WebhookSubscription> = cx.one(FIND, params![id])?;
    let kept = found.filter(|subscription| subscription.previous_secret_until.is_some());
    let Some(over) = kept else { return Ok(()) };
    if over.previous_secret_until.is_some_and(|until| until > cx.now()) {
        return over.forget_previous_secret_in_time(cx);
    }
    cx.set_audit_target("webhook_subscription", over.subscription_id, ["previousSecret"]);
    cx.defer(FORGET, params![over.subscription_id])
}

/// Withholds events that the API client may not read any more: new ones and waiting ones.
fn follow_scopes(cx: &mut Write, api_client: Id) -> Result<u64> {
    let mut changed = 0;
    for before in cx.all::<WebhookSubscription>(OF_CLIENT, params![api_client])? {
        let mut subscription = before.clone();
        subscription.save(cx, &before)?;
        changed += u64::from(subscription.withheld != before.withheld);
    }
    Ok(changed)
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ScopesWithdrawn,
    || WebhookEffect::WebhooksNarrowed.into(),
    follow_scopes,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).ends(ENDS).timers(&[&FORGET_PREVIOUS_SECRET]).lists(lists())
}

lists! {
    /// Every subscription that is not deleted, newest first; a company has few.
    pub(super) LIST: List<WebhookSubscription, UpdatedFrom> = List::new(
        "webhook_subscription WHERE company_id = ?1 AND status <> 'deleted'",
        "subscription_id DESC",
    );
}

parts! {
    WebhookSubscription by subscription_id
        without last_delivery_at, last_success_at, last_failure_at, created_at;
    FACTS facts: name, status, events, api_client_id, withheld, url, secret, secret_prefix, secret_last4, secret_rotated_at,
        previous_secret, previous_secret_until, updated_at;
}

statements! {
    FIND = "SELECT ", WebhookSubscription::COLUMNS, " FROM webhook_subscription \
        WHERE company_id = ?1 AND subscription_id = ?2";
    OF_CLIENT = "SELECT ", WebhookSubscription::COLUMNS, " FROM webhook_subscription \
        WHERE company_id = ?1 AND api_client_id = ?2 AND status <> 'deleted' ORDER BY subscription_id LIMIT 1000";
    COUNT = "SELECT COUNT(*) FROM webhook_subscription WHERE company_id = ?1 AND status <> 'deleted'";
    INSERT = "INSERT INTO webhook_subscription ", values!(WebhookSubscription);
    SAVE = "UPDATE webhook_subscription SET ", WebhookSubscription::FACTS,
        " WHERE company_id = ?1 AND subscription_id = ?2";
    FORGET = "UPDATE webhook_subscription SET previous_secret = NULL, previous_secret_until = NULL \
        WHERE company_id = ?1 AND subscription_id = ?2";
    LISTEN = "INSERT INTO webhook_listener (company_id, event_type, subscription_id) VALUES (?1, ?2, ?3)";
    SILENCE = "DELETE FROM webhook_listener WHERE company_id = ?1 AND subscription_id = ?2";
}
