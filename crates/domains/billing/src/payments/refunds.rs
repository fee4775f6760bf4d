//! Refunds: money that goes back to where it came from. What is refunded of an invoice is credited, so that the books
//! show why.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{
    Area, Body, Job, Path, Read, Success, Timer, Write,
    jobs::{AttemptResult, JobState, RetryPolicy},
    operation,
};
use spotter_kernel::{
    Date, Id, Key, Problem, Result, Timestamp,
    id::LocationId,
    money::Currency,
    number::BoundedInteger,
    text::{Text, quoted},
};
use spotter_people::clients::Client;
use spotter_store::{Bind, Tx, params, record, statements, values, words};

use crate::{
    billing::{credit_notes, invoice::Invoice},
    collecting::{
        chargeback,
        charging::ProviderPayment,
        connection,
        provider::{ProviderAccount, RefundOrder},
    },
    effects::BillingEffect,
    ids::{PaymentId, RefundId},
    payments::{
        allocation,
        operations::{PaymentAnswer, PaymentPath, PaymentView},
        payment::{Payment, PaymentStatus},
    },
    rules::BillingRule,
};

words! {
    /// Current status.
    pub enum RefundStatus { Pending = "pending", Succeeded = "succeeded", Failed = "failed" }
}

record! {
    /// A refund.
    #[derive(Debug, Clone, PartialEq, schemars::JsonSchema, serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Refund {
        /// The refunded payment.
        #[serde(skip)]
        pub payment_id: PaymentId,
        /// Id of the refund.
        pub refund_id: RefundId,
        /// Amount in minor units of the currency.
        pub amount: i64,
        /// Currency as an ISO 4217 code, such as `EUR`.
        pub currency: Currency,
        /// Current status.
        pub status: RefundStatus,
        /// Why the money goes back; the credit note shows it.
        pub reason: Option<String>,
        /// The company's date on which it went back.
        #[serde(skip)]
        pub settled_on: Option<Date>,
        /// The client's home location when they paid.
        #[serde(skip)]
        pub home_location_id: Option<LocationId>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

/// The amount to refund.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewRefund {
    /// Amount in minor units of the payment's currency.
    amount: BoundedInteger<1, 1_000_000_000_000>,
    /// Why the money goes back; the credit note shows it.
    reason: Option<Text<500>>,
}

/// What went back of each of several payments.
pub fn of_payments(cx: &mut Read, payments: &[PaymentId]) -> Result<Vec<Vec<Refund>>> {
    cx.all_each(OF_PAYMENT, payments.iter().map(|id| vec![id.bind().into_owned()]))
}

fn refund_payment(
    cx: &mut Write,
    Path(at): Path<PaymentPath>,
    Body(new): Body<NewRefund>,
) -> Result<PaymentAnswer> {
    let before = Payment::find(cx, at.payment_id)?;
    if before.status != PaymentStatus::Succeeded {
        return Err(Problem::conflict("status", BillingRule::NotSucceeded));
    }
    let (amount, most) = (new.amount.0, before.refundable());
    if amount > most {
        return Err(Problem::conflict("amount", BillingRule::MoreThan { most: most.to_string() }));
    }
    let reason: Option<String> = new.reason.map(Into::into);
    cx.as_of(before.updated_at);
    let currency = before.currency;
    let name = match cx.is_preview() {
        true => Client::names(cx, &[before.client_id])?.pop().flatten().unwrap_or_default(),
        false => String::new(),
    };
    cx.describe_effect(|| BillingEffect::Refunded {
        amount: currency.format_amount(amount),
        name: quoted(&name),
    });
    // What pays a bill is credited, the bill that was paid last first, until enough of the payment is free.
    let mut missing = amount - before.unallocated;
    for allocation in allocation::of_payment(cx, before.payment_id)?.into_iter().rev() {
        let wanted = missing.min(allocation.amount);
        if wanted <= 0 {
            break;
        }
        missing -= wanted;
        let mut bill = Invoice::find(cx, allocation.invoice_id)?;
        let number = bill.number.clone();
        cx.describe_effect(|| {
            let wanted = currency.format_amount(wanted);
            BillingEffect::CreditNoteIssued {
                amount: wanted.to_string(),
                number: number.to_string(),
            }
        });
        credit_notes::credit(cx, &mut bill, wanted, Some(before.payment_id), reason.clone())?;
    }
    let before = Payment::find(cx, at.payment_id)?;
    let mut payment = before.clone();
    payment.unallocated -= amount;
    payment.refunded_total += amount;
    // Money collected through a provider is refunded through it; staff refund what they took.
    let kept = ProviderPayment::find(cx, payment.payment_id)?;
    let is_sent = kept.is_some();
    if let Some(kept) = kept
        && connection::provider(cx)? != Some(kept.provider)
    {
        return Err(Problem::conflict("paymentProvider", BillingRule::OtherProvider));
    }
    let mut refund = Refund {
        payment_id: payment.payment_id,
        refund_id: RefundId(cx.new_id()),
        amount,
        currency: payment.currency,
        status: if is_sent { RefundStatus::Pending } else { RefundStatus::Succeeded },
        reason,
        settled_on: None,
        home_location_id: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    refund.update_metrics(cx, &payment)?;
    cx.defer(INSERT, &refund.params())?;
    if is_sent {
        cx.begin_job(&SEND_REFUND, refund.refund_id)?;
    }
    payment.save(cx, &before)?;
    Ok(PaymentAnswer { payment: PaymentView::of(cx, payment)? })
}

/// The next step of a refund.
pub enum RefundStep {
    /// Nothing: it is finished.
    Nothing,
    /// It is sent.
    Send(ProviderAccount, RefundOrder),
    /// It cannot be sent now: the company's provider is not connected.
    Wait,
}

/// What a provider is to refund.
pub fn to_send(cx: &mut Read, id: RefundId) -> Result<RefundStep> {
    let found: Option<Refund> = cx.one(FIND, params![id])?;
    let Some(refund) = found.filter(|refund| refund.status == RefundStatus::Pending) else {
        return Ok(RefundStep::Nothing);
    };
    let kept = ProviderPayment::find(cx, refund.payment_id)?;
    let account = connection::account(cx)?;
    Ok(match (account, kept) {
        (Some(account), Some(kept)) if account.provider == kept.provider => {
            let order = RefundOrder {
                refund: id,
                payment: refund.payment_id,
                reference: kept.reference,
                amount: refund.amount,
                currency: refund.currency,
            };
            RefundStep::Send(account, order)
        }
        _ => RefundStep::Wait,
    })
}

/// Records the outcome of a refund. Money that could not be refunded stays the client's, for their open invoices and
/// the next.
pub fn conclude(cx: &mut Write, id: RefundId, status: RefundStatus) -> Result<()> {
    let found: Option<Refund> = cx.one(FIND, params![id])?;
    let Some(mut refund) = found.filter(|refund| refund.status == RefundStatus::Pending) else {
        return Ok(());
    };
    let now = cx.now();
    cx.set_audit_target("payment", refund.payment_id, ["refunds"]);
    let before = Payment::find(cx, refund.payment_id)?;
    refund.status = status;
    refund.update_metrics(cx, &before)?;
    let (settled_on, home) = (refund.settled_on, refund.home_location_id);
    cx.defer(CONCLUDE, params![refund.payment_id, id, status, now, settled_on, home])?;
    if status != RefundStatus::Failed {
        return Ok(());
    }
    let mut payment = before.clone();
    payment.refunded_total -= refund.amount;
    payment.unallocated += refund.amount;
    payment.save(cx, &before)?;
    // What a bank has taken back in the meantime comes first.
    chargeback::claim_remainder(cx, payment.payment_id)?;
    allocation::apply_unallocated(cx, payment.client_id, payment.currency).map(drop)
}

/// Handles the end of all attempts: a refund with an unknown outcome is retried for as long as it takes.
fn on_finished(cx: &mut Write, id: Id, settled: &AttemptResult) -> Result<()> {
    match (settled.state, settled.again_at) {
        (JobState::Failed | JobState::Unknown, None) => {
            let tomorrow = cx.now().plus_days(1);
            cx.set_timer(&SEND_REFUND_AGAIN, RefundId(id), tomorrow)
        }
        _ => Ok(()),
    }
}

fn send_refund_again(cx: &mut Write, id: Id) -> Result<()> {
    let found: Option<Refund> = cx.one(FIND, params![RefundId(id)])?;
    if found.is_none_or(|refund| refund.status != RefundStatus::Pending) {
        return Ok(());
    }
    cx.begin_job_again(&SEND_REFUND, RefundId(id))
}

/// Retries waiting refunds tomorrow in a restored database, whose jobs were ended: they may have been sent since the
/// backup, which the provider is queried about first.
pub fn resume(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(RESUME, params![SEND_REFUND_AGAIN.id, now.plus_days(1)])
}

static SEND_REFUND_AGAIN: Timer =
    Timer::new("send_refund_again", "Retry a refund", send_refund_again);

/// How long a refund is tried: within the time that providers honour its idempotency key.
const RETRY_POLICY: RetryPolicy =
    RetryPolicy { lease_ms: 60_000, retries: &[60, 300, 900, 3_600, 7_200, 14_400, 28_800] };

/// Sending money back.
pub static SEND_REFUND: Job = Job::new("send_refund", "Send refunds", RETRY_POLICY, on_finished);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).jobs(&[&SEND_REFUND]).timers(&[&SEND_REFUND_AGAIN]).operations([
        operation!(app POST "/finance/payments/{paymentId}/refunds", Manager, refund_payment)
            .success(Success::Refunded)
            .summary("Refund a payment")
            .describe(
                "Refunds a payment completely or in part. Unallocated money goes back first; for \
                 the rest a credit note is issued, for the invoice that was paid last first. A \
                 payment by a provider is refunded through it and is `pending` until it answers.",
            )
            .created()
            .emits(crate::SETTLES)
            .always(&[])
            .fails(&[Key::ApiError])
            .confirmation(),
    ])
}

statements! {
    OF_PAYMENT = "SELECT ", Refund::COLUMNS, " FROM refund WHERE company_id = ?1 AND payment_id = ?2 \
        ORDER BY refund_id LIMIT 200";
    FIND = "SELECT ", Refund::COLUMNS, " FROM refund WHERE company_id = ?1 AND refund_id = ?2";
    CONCLUDE = "UPDATE refund SET (status, updated_at, settled_on, home_location_id) = (?4, ?5, ?6, ?7) \
        WHERE company_id = ?1 AND payment_id = ?2 AND refund_id = ?3";
    INSERT = "INSERT INTO refund ", values!(Refund);
    RESUME = "INSERT INTO timer (company_id, kind, subject, due_at, attempts) \
        SELECT company_id, ?1, refund_id, ?2, 0 FROM refund WHERE status = 'pending' ON CONFLICT DO NOTHING";
}
