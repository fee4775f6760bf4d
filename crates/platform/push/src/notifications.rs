//! Notifications that are still to be shown: rows of the transaction that causes them, one for each browser.

use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, ErasureAction, ErasureRule, Job, Repeating, Write,
    jobs::{AttemptResult, RetryPolicy},
};
use spotter_kernel::{
    Id, Problem, Result, Timestamp,
    id::{ClientId, CompanyId},
    id_type,
};
use spotter_store::{Tx, params, record, statements, stored_ids, values};

use crate::subscriptions::{self, BrowserKeys, PushSubscriptionId};

id_type!(
    /// A notification for a browser.
    NotificationId,
    RequestInvalid
);
stored_ids!(NotificationId);

/// Most characters of what a notification says: push services carry four kilobytes.
const BODY_MAX: usize = 300;

/// What a notification shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// The heading: who sends it.
    pub title: String,
    /// What it says.
    pub body: String,
    /// The address that it leads to.
    pub url: String,
}

record! {
    /// A notification that is still to be sent.
    struct SealedNotification {
        push_notification_id: NotificationId,
        client_id: ClientId,
        push_subscription_id: PushSubscriptionId,
        content: Vec<u8>,
    }
}

/// Shows a notification on all browsers of a client, once this change is committed.
pub fn send(cx: &mut Write, client_id: ClientId, shown: &Notification) -> Result<()> {
    let browsers = subscriptions::of_client(cx, client_id)?;
    if browsers.is_empty() {
        return Ok(());
    }
    let body = match shown.body.char_indices().nth(BODY_MAX) {
        Some((end, _)) => format!("{}…", &shown.body[..end]),
        None => shown.body.clone(),
    };
    let shown = Notification { body, ..shown.clone() };
    let content = serde_json::to_vec(&shown).map_err(Problem::internal)?;
    for push_subscription_id in browsers {
        let content = cx.env().vault.seal(&content, &*cx.env().entropy)?;
        let push_notification_id = NotificationId(cx.new_id());
        let sealed =
            SealedNotification { push_notification_id, client_id, push_subscription_id, content };
        cx.defer(INSERT, &sealed.params())?;
        cx.begin_job(&SEND, push_notification_id)?;
    }
    Ok(())
}

/// Sending a notification. What is hours late is not worth a vibration.
pub static SEND: Job =
    Job::new("send_push", "Show notifications on clients' devices", RETRY_POLICY, on_finished);

const RETRY_POLICY: RetryPolicy =
    RetryPolicy { lease_ms: 60_000, retries: &[30, 300, 1_800, 7_200] };

/// A notification that is due: what it shows, and the browser; `None` where either is gone.
pub fn due(
    tx: &mut Tx<'_>,
    open: impl Fn(&[u8]) -> Result<Vec<u8>>,
    company: CompanyId,
    id: Id,
) -> Result<Option<(Notification, BrowserKeys)>> {
    let found: Option<(Vec<u8>, Vec<u8>)> = tx.one(FIND, params![company, id])?;
    let Some((content, keys)) = found else { return Ok(None) };
    let content = serde_json::from_slice(&open(&content)?).map_err(Problem::internal)?;
    let keys = serde_json::from_slice(&open(&keys)?).map_err(Problem::internal)?;
    Ok(Some((content, keys)))
}

/// Forgets a notification once it is not sent again, and a browser whose push service refuses it.
fn on_finished(cx: &mut Write, id: Id, settled: &AttemptResult) -> Result<()> {
    if settled.again_at.is_some() {
        return Ok(());
    }
    if settled.is_refused() {
        let found: Option<(PushSubscriptionId,)> = cx.one(BROWSER, params![id])?;
        if let Some((browser,)) = found {
            subscriptions::end(cx, browser)?;
        }
    }
    cx.defer(DELETE, params![id])
}

/// Days after which what was never finished is deleted: jobs end when a backup is restored.
const KEPT_DAYS: i64 = 2;

fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![Id::first_at(now.plus_days(-KEPT_DAYS))])
}

const REPEATING: &[Repeating] = &[Repeating::prune(
    "forget_push_notifications",
    "Delete notifications that were never shown",
    prune,
)];

/// Personal data in this module.
const TRACES: &[ErasureRule] =
    &[ErasureRule::gone("push_notification", ErasureAction::By(FORGET_CLIENT))];

/// The statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).jobs(&[&SEND]).erases(TRACES).repeats(REPEATING)
}

statements! {
    INSERT = "INSERT INTO push_notification ", values!(SealedNotification);
    FIND = "SELECT n.content, s.sealed FROM push_notification n JOIN push_subscription s \
        ON s.company_id = n.company_id AND s.push_subscription_id = n.push_subscription_id \
        WHERE n.company_id = ?1 AND n.push_notification_id = ?2";
    BROWSER = "SELECT push_subscription_id FROM push_notification \
        WHERE company_id = ?1 AND push_notification_id = ?2";
    DELETE = "DELETE FROM push_notification WHERE company_id = ?1 AND push_notification_id = ?2";
    FORGET_CLIENT = "DELETE FROM push_notification WHERE company_id = ?1 AND client_id = ?2";
    PRUNE = "DELETE FROM push_notification WHERE (company_id, push_notification_id) IN \
        (SELECT company_id, push_notification_id FROM push_notification WHERE push_notification_id < ?1 \
        ORDER BY push_notification_id LIMIT 500)";
}
