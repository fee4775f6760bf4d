//! Notices of providers. A notice is stored once and only means that there is something to query: the current state
//! is fetched, so that notices may arrive twice, late or in any order.

use spotter_contract::{
    Area, Job, Read, Write,
    jobs::{AttemptResult, RetryPolicy},
};
use spotter_kernel::{Id, Result, Timestamp};
use spotter_store::{Tx, params, record, statements, values};

use super::{
    provider::{Notice, NoticeAbout, ProviderName},
    setup::PaymentSetup,
};
use crate::ids::PaymentId;

record! {
    /// A notice that was kept.
    #[derive(Debug, Clone)]
    pub struct StoredNotice {
        /// Ours of it.
        pub provider_notice_id: Id,
        /// The provider that sent it.
        pub provider: ProviderName,
        /// Id at the provider.
        pub event: String,
        /// About what.
        pub about: NoticeAbout,
        /// What that is called.
        pub reference: String,
        /// When it came.
        pub created_at: Timestamp,
    }
}

/// Stores a notice unless it was received before.
pub fn store(cx: &mut Write, provider: ProviderName, notice: &Notice) -> Result<()> {
    if cx.one::<(Id,)>(KNOWN, params![provider, notice.event])?.is_some() {
        return Ok(());
    }
    let kept = StoredNotice {
        provider_notice_id: cx.new_id(),
        provider,
        event: notice.event.clone(),
        about: notice.about,
        reference: notice.reference.clone(),
        created_at: cx.now(),
    };
    cx.defer(INSERT, &kept.params())?;
    cx.begin_job(&FOLLOW_NOTICE, kept.provider_notice_id)
}

/// Has a provider queried about a payment that it has sent no notice of.
pub fn query_payment(cx: &mut Write, payment: PaymentId) -> Result<()> {
    let Some(kept) = super::charging::ProviderPayment::find(cx, payment)? else { return Ok(()) };
    let event = format!("asked {}", cx.new_id());
    let (about, reference) = (NoticeAbout::Payment, payment.to_string());
    store(cx, kept.provider, &Notice { event, about, reference })
}

/// Has a provider queried about a saved method that it has sent no notice of.
pub fn query_setup(cx: &mut Write, setup: &PaymentSetup) -> Result<()> {
    let event = format!("asked {}", cx.new_id());
    let (about, reference) = (NoticeAbout::Setup, setup.payment_setup_id.to_string());
    store(cx, setup.provider, &Notice { event, about, reference })
}

/// Has the page closed on which a payment is made.
pub fn close_page(cx: &mut Write, payment: PaymentId) -> Result<()> {
    let Some(kept) = super::charging::ProviderPayment::find(cx, payment)? else { return Ok(()) };
    let event = format!("closed {}", cx.new_id());
    let (about, reference) = (NoticeAbout::Page, payment.to_string());
    store(cx, kept.provider, &Notice { event, about, reference })
}

/// The notice with this id.
pub fn find(cx: &mut Read, id: Id) -> Result<Option<StoredNotice>> {
    cx.one(FIND, params![id])
}

fn on_finished(_: &mut Write, _: Id, _: &AttemptResult) -> Result<()> {
    Ok(())
}

/// How long a provider is queried: over two days.
const RETRY_POLICY: RetryPolicy = RetryPolicy {
    lease_ms: 60_000,
    retries: &[10, 60, 300, 900, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400],
};

/// The job that fetches and records what a notice is about.
pub static FOLLOW_NOTICE: Job =
    Job::new("follow_notice", "Process notices of payment providers", RETRY_POLICY, on_finished);

/// How long notices are stored, in days: longer than any provider repeats one.
const KEPT_DAYS: i64 = 90;

fn prune(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(PRUNE, params![Id::first_at(now.plus_days(-KEPT_DAYS))])
}

const REPEATING: &[spotter_contract::Repeating] = &[spotter_contract::Repeating::prune(
    "forget_notices",
    "Delete notices of payment providers that are three months old",
    prune,
)];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).jobs(&[&FOLLOW_NOTICE]).repeats(REPEATING)
}

statements! {
    KNOWN = "SELECT provider_notice_id FROM provider_notice \
        WHERE company_id = ?1 AND provider = ?2 AND event = ?3";
    FIND = "SELECT ", StoredNotice::COLUMNS, " FROM provider_notice \
        WHERE company_id = ?1 AND provider_notice_id = ?2";
    INSERT = "INSERT INTO provider_notice ", values!(StoredNotice);
    PRUNE = "DELETE FROM provider_notice WHERE (company_id, provider_notice_id) IN \
        (SELECT company_id, provider_notice_id FROM provider_notice WHERE provider_notice_id < ?1 \
        ORDER BY provider_notice_id LIMIT 500)";
}
