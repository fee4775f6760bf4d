//! Browsers of clients that are to show notifications. A subscription is what a browser's `PushSubscription` says: the
//! address at its push service, and the keys that notifications are encrypted with.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, Effect, ErasureAction, ErasureRule, Offboarding, Path, Read, Success, Write,
    answer, operation, path, vault,
};
use spotter_kernel::{Id, Key, Problem, Result, Timestamp, id::ClientId, id_type, text::Text};
use spotter_store::{params, record, statements, stored_ids, values};
use url::Url;
use web_push_native::{Auth, p256::PublicKey};

use crate::{effects::PushEffect, rules::PushRule, vapid::VapidKey};

id_type!(
    /// A browser that shows notifications.
    PushSubscriptionId,
    RequestInvalid
);
stored_ids!(PushSubscriptionId);

/// Most browsers of one client; another one replaces the oldest.
const MOST: i64 = 10;

record! {
    /// A browser that shows notifications.
    #[derive(Debug, Clone)]
    struct PushSubscription {
        push_subscription_id: PushSubscriptionId,
        client_id: ClientId,
        endpoint_digest: Vec<u8>,
        push_service: String,
        /// Where and how notifications are sent, sealed: the address is a secret.
        sealed: Vec<u8>,
        created_at: Timestamp,
    }
}

record! {
    /// A browser that shows notifications.
    #[derive(Debug, Clone, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "PushSubscription")]
    struct PushSubscriptionView {
        /// The subscription's id.
        push_subscription_id: PushSubscriptionId,
        /// Host of the browser's push service.
        push_service: String,
        /// When the browser subscribed.
        created_at: Timestamp,
    }
}

impl From<PushSubscription> for PushSubscriptionView {
    fn from(subscription: PushSubscription) -> Self {
        let PushSubscription { push_subscription_id, push_service, created_at, .. } = subscription;
        Self { push_subscription_id, push_service, created_at }
    }
}

/// Where a notification goes, and what it is encrypted with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BrowserKeys {
    /// The address at the push service.
    pub endpoint: String,
    /// The browser's public key, as base64url.
    p256dh: String,
    /// The secret of both sides, as base64url.
    auth: String,
}

impl BrowserKeys {
    /// The browser's public key.
    pub fn public_key(&self) -> Option<PublicKey> {
        PublicKey::from_sec1_bytes(&decoded(&self.p256dh)?).ok()
    }

    /// The secret of both sides.
    pub fn secret(&self) -> Option<Auth> {
        let bytes: [u8; 16] = decoded(&self.auth)?.try_into().ok()?;
        Some(Auth::from(bytes))
    }
}

/// Bytes of base64url. Some browsers pad it.
fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// The browser that is to show notifications: what its `PushSubscription.toJSON()` returns.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "NewPushSubscription")]
struct NewPushSubscription {
    /// The address at the browser's push service.
    endpoint: Text<2048>,
    /// The keys that notifications are encrypted with (RFC 8291).
    keys: NewPushKeys,
    /// When the browser ends it, in milliseconds since 1970; it is not stored.
    #[serde(default)]
    #[expect(dead_code, reason = "browsers send it")]
    expiration_time: Option<i64>,
}

/// The keys that notifications are encrypted with (RFC 8291).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PushKeys")]
struct NewPushKeys {
    /// The browser's public key: an uncompressed point of P-256, as base64url.
    p256dh: Text<100>,
    /// The secret of both sides: 16 bytes, as base64url.
    auth: Text<30>,
}

answer!(PushSubscriptionAnswer { push_subscription: PushSubscriptionView });

answer!(
    /// The caller's browsers that show notifications.
    PushSubscriptions {
        /// The key that a browser subscribes with (`applicationServerKey`), as base64url.
        application_server_key: String,
        /// The browsers, newest first; ten at most.
        push_subscriptions: Vec<PushSubscriptionView>,
    }
);

fn caller(cx: &Read) -> Result<ClientId> {
    cx.calling_client().ok_or_else(|| Key::Forbidden.into())
}

fn list_push_subscriptions(cx: &mut Read) -> Result<PushSubscriptions> {
    let client = caller(cx)?;
    let application_server_key = VapidKey::of(cx.vault()?)?.public();
    let push_subscriptions = cx.all(LIST, params![client])?;
    Ok(PushSubscriptions { application_server_key, push_subscriptions })
}

fn create_push_subscription(
    cx: &mut Write,
    Body(new): Body<NewPushSubscription>,
) -> Result<PushSubscriptionAnswer> {
    let client = caller(cx)?;
    let NewPushSubscription { endpoint, keys: NewPushKeys { p256dh, auth }, .. } = new;
    let keys = BrowserKeys { endpoint: endpoint.into(), p256dh: p256dh.into(), auth: auth.into() };
    if keys.public_key().is_none() {
        return Err(Problem::invalid("keys.p256dh", PushRule::NotAPublicKey));
    }
    if keys.secret().is_none() {
        return Err(Problem::invalid("keys.auth", PushRule::NotASecret));
    }
    // Where an operator opens networks, their push service may be at any port.
    let other_port = Url::parse(&keys.endpoint).is_ok_and(|url| url.port().is_some());
    if other_port && cx.env().private_networks.is_empty() {
        return Err(Problem::invalid("endpoint", PushRule::OtherPort));
    }
    let digest = vault::digest_of(keys.endpoint.as_bytes()).to_vec();
    let content = serde_json::to_vec(&keys).map_err(Problem::internal)?;
    let host = keys.endpoint.split('/').nth(2).unwrap_or_default();
    let subscription = PushSubscription {
        push_subscription_id: PushSubscriptionId(cx.new_id()),
        client_id: client,
        endpoint_digest: digest,
        push_service: host.to_owned(),
        sealed: cx.env().vault.seal(&content, &*cx.env().entropy)?,
        created_at: cx.now(),
    };
    cx.set_audit_target(
        "push_subscription",
        subscription.push_subscription_id,
        ["pushSubscription"],
    );
    // A browser shows the notifications of one person: of who signed in last.
    cx.defer(PUT, &subscription.params())?;
    cx.defer(DELETE_OLDEST, params![client, MOST])?;
    Ok(PushSubscriptionAnswer { push_subscription: subscription.into() })
}

path!(PushSubscriptionPath { push_subscription_id: PushSubscriptionId });

fn delete_push_subscription(
    cx: &mut Write,
    Path(at): Path<PushSubscriptionPath>,
) -> Result<PushSubscriptionAnswer> {
    let client = caller(cx)?;
    let found: Option<PushSubscriptionView> =
        cx.one(FIND, params![client, at.push_subscription_id])?;
    let push_subscription = found.ok_or(Key::NotFound)?;
    cx.set_audit_target("push_subscription", at.push_subscription_id, ["deletedAt"]);
    end(cx, at.push_subscription_id)?;
    Ok(PushSubscriptionAnswer { push_subscription })
}

/// Ends a subscription.
pub(super) fn end(cx: &mut Write, id: PushSubscriptionId) -> Result<()> {
    cx.defer(DELETE, params![id])
}

/// Whether a client has a browser that shows notifications.
pub fn has_devices(cx: &mut Read, client: ClientId) -> Result<bool> {
    Ok(!of_client(cx, client)?.is_empty())
}

/// The browsers of a client.
pub(super) fn of_client(cx: &mut Read, client: ClientId) -> Result<Vec<PushSubscriptionId>> {
    let found: Vec<(PushSubscriptionId,)> = cx.all(OF_CLIENT, params![client])?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

fn end_all(cx: &mut Write, client: Id) -> Result<u64> {
    cx.execute(DELETE_ALL, params![client])
}

/// Personal data in this module.
const TRACES: &[ErasureRule] =
    &[ErasureRule::gone("push_subscription", ErasureAction::By(DELETE_ALL))];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
        .erases(TRACES)
        .ends(&[Effect::new(
            Offboarding::ClientArchived,
            || PushEffect::DevicesUnsubscribed.into(),
            end_all,
        )])
        .operations([
            operation!(app GET "/client/push-subscriptions", Client, list_push_subscriptions)
                .summary("List push subscriptions")
                .describe(
                    "Returns the browsers on which the calling client gets notifications, with the key that a browser \
                     subscribes with.",
                ),
            operation!(app POST "/client/push-subscriptions", Client, create_push_subscription)
                .summary("Create a push subscription")
                .describe(
                    "Sends the calling client's notifications to a browser, too: what they are written of by mail, and \
                     messages at once. Takes what `PushSubscription.toJSON()` returns in the browser. A browser shows \
                     one person's notifications; a client has at most ten browsers, and another one replaces the oldest.",
                )
                .address_fields(&["endpoint"])
                .created(),
            operation!(app DELETE "/client/push-subscriptions/{pushSubscriptionId}", Client,
                delete_push_subscription)
            .success(Success::Deleted)
            .summary("Delete a push subscription")
            .describe("Sends no more notifications to the browser."),
        ])
}

statements! {
    LIST = "SELECT ", PushSubscriptionView::COLUMNS, " FROM push_subscription \
        WHERE company_id = ?1 AND client_id = ?2 ORDER BY push_subscription_id DESC";
    FIND = "SELECT ", PushSubscriptionView::COLUMNS, " FROM push_subscription \
        WHERE company_id = ?1 AND client_id = ?2 AND push_subscription_id = ?3";
    OF_CLIENT = "SELECT push_subscription_id FROM push_subscription WHERE company_id = ?1 AND client_id = ?2";
    PUT = "INSERT INTO push_subscription ", values!(PushSubscription),
        " ON CONFLICT (company_id, endpoint_digest) DO UPDATE SET \
        push_subscription_id = excluded.push_subscription_id, client_id = excluded.client_id, \
        push_service = excluded.push_service, sealed = excluded.sealed, created_at = excluded.created_at";
    DELETE = "DELETE FROM push_subscription WHERE company_id = ?1 AND push_subscription_id = ?2";
    DELETE_OLDEST = "DELETE FROM push_subscription WHERE company_id = ?1 AND push_subscription_id IN \
        (SELECT push_subscription_id FROM push_subscription WHERE company_id = ?1 AND client_id = ?2 \
        ORDER BY push_subscription_id DESC LIMIT 100 OFFSET ?3)";
    DELETE_ALL = "DELETE FROM push_subscription WHERE company_id = ?1 AND client_id = ?2";
}
