//! Charging: collecting money through a provider. A payment is recorded before it is sent, and its state is queried
//! before it is sent again, so that no failure charges anybody twice; an outcome is recorded once.

mod redirect;

use redirect::on_finished;
use spotter_company::company::Company;
use spotter_contract::{Area, Job, Offboarding, Read, Timer, Write, jobs::RetryPolicy};
use spotter_kernel::{Event, Id, Result, Timestamp, money::Money};
use spotter_store::{params, record, set, statements, values};

use super::{
    collection, connection,
    method::{MethodStatus, PaymentMethod},
    notice,
    provider::{ChargeOutcome, ChargedMethod, Order, PaymentResult, ProviderAccount, ProviderName},
};
use crate::{
    billing::{invoice::Invoice, letters},
    ids::{InvoiceId, PaymentId},
    payments::{
        allocation,
        payment::{FailureCode, Payment, PaymentKind, PaymentSource, PaymentStatus},
        request::{PaymentRequest, PaymentRequestStatus},
    },
};
pub use redirect::{PaymentRedirect, record_redirect, redirect};

record! {
    /// The provider's part of a payment.
    #[derive(Debug, Clone)]
    pub struct ProviderPayment {
        /// The payment.
        pub payment_id: PaymentId,
        /// The provider.
        pub provider: ProviderName,
        /// Id at the provider.
        pub reference: Option<String>,
        /// The page on which the client pays.
        pub page_url: Option<String>,
        /// When it was sent first.
        pub sent_at: Option<Timestamp>,
    }
}

impl ProviderPayment {
    /// The provider's part of a payment; `None` where staff took the money.
    pub fn find(cx: &mut Read, payment: PaymentId) -> Result<Option<Self>> {
        cx.one(FIND, params![payment])
    }

    fn write(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.params())
    }
}

/// A payment that a provider is to fetch.
pub struct Fetch {
    /// The amount to collect.
    pub money: Money,
    /// What requested the payment.
    pub source: PaymentSource,
    /// The bill that it is for.
    pub invoice: Option<InvoiceId>,
    /// The request that it answers.
    pub request: Option<PaymentRequest>,
    /// Which attempt it is, from 1.
    pub attempt: i64,
}

/// Writes down a payment that is to come; who calls has it sent.
pub fn create_payment(
    cx: &mut Write,
    client: spotter_kernel::id::ClientId,
    provider: ProviderName,
    method: Option<&PaymentMethod>,
    fetch: Fetch,
) -> Result<Payment> {
    let mut payment = Payment {
        invoice_id: fetch.invoice,
        payment_request_id: fetch.request.map(|request| request.payment_request_id),
        payment_method_id: method.map(|method| method.payment_method_id),
        kind: method.map_or(PaymentKind::Card, |method| method.r#type.into()),
        attempt: fetch.attempt,
        ..Payment::to_come(cx, client, fetch.money, fetch.source)
    };
    payment.insert(cx)?;
    let payment_id = payment.payment_id;
    let kept =
        ProviderPayment { payment_id, provider, reference: None, page_url: None, sent_at: None };
    cx.defer(INSERT, &kept.params())?;
    look_later(cx, payment_id, BANK_SECONDS)?;
    Ok(payment)
}

/// Charges a card or an account, once this change is committed.
pub fn charge(cx: &mut Write, method: &PaymentMethod, fetch: Fetch) -> Result<Payment> {
    let payment = create_payment(cx, method.client_id, method.provider, Some(method), fetch)?;
    cx.begin_job(&CHARGE, payment.payment_id)?;
    Ok(payment)
}

/// The next step of a payment that is to be charged.
pub enum ChargeStep {
    /// Nothing: it is finished.
    Nothing,
    /// It is sent for the first time.
    Send(ProviderAccount, Order, ChargedMethod),
    /// It was sent before: its state is queried, and it is sent again only if the provider does not know it and still
    /// keeps the idempotency key.
    Ask(ProviderAccount, Order, Option<ChargedMethod>),
    /// It cannot be done now, and why.
    Wait(&'static str),
}

/// How long a provider certainly honours an idempotency key, in hours.
const REMEMBERED_HOURS: i64 = 20;
/// After this many hours without a trace a payment was never sent.
const LOST_HOURS: i64 = 48;

/// The next step of a payment that is to be charged; records that it is sent before it is.
pub fn next(cx: &mut Write, id: PaymentId) -> Result<ChargeStep> {
    let mut payment = Payment::find(cx, id)?;
    let Some(mut kept) = ProviderPayment::find(cx, id)? else { return Ok(ChargeStep::Nothing) };
    if payment.is_final() {
        return Ok(ChargeStep::Nothing);
    }
    let Some(account) = connection::account(cx)?.filter(|own| own.provider == kept.provider) else {
        return Ok(ChargeStep::Wait("the company's payment provider is not connected"));
    };
    let method = match payment.payment_method_id {
        Some(method) => Some(PaymentMethod::find(cx, method)?),
        None => None,
    };
    let now = cx.now();
    if kept.sent_at.is_none() {
        let Some(still) = still_wanted(cx, &payment, method.as_ref())? else {
            return Ok(ChargeStep::Nothing);
        };
        payment = still;
    }
    let order = order(cx, &payment, kept.reference.as_deref())?;
    let method = method.map(|method| method.charged());
    let hours = kept.sent_at.map(|sent_at| (now.millis() - sent_at.millis()) / 3_600_000);
    Ok(match (hours, method) {
        (None, Some(charged)) => {
            kept.sent_at = Some(now);
            kept.write(cx)?;
            ChargeStep::Send(account, order, charged)
        }
        (Some(hours), charged) => {
            ChargeStep::Ask(account, order, charged.filter(|_| hours < REMEMBERED_HOURS))
        }
        (None, None) => ChargeStep::Nothing,
    })
}

/// An unsent payment adjusted to what is still owed and refundable; `None` where it is not wanted any more, which is
/// recorded.
fn still_wanted(
    cx: &mut Write,
    before: &Payment,
    method: Option<&PaymentMethod>,
) -> Result<Option<Payment>> {
    let today = cx.today()?;
    let code = match method {
        Some(method) if method.status == MethodStatus::Revoked => Some(FailureCode::MethodRevoked),
        Some(method) if method.status == MethodStatus::Expired || method.is_over(today) => {
            Some(FailureCode::MethodExpired)
        }
        _ => None,
    };
    if let Some(code) = code {
        conclude(cx, before.payment_id, &ChargeOutcome::Failed(code))?;
        return Ok(None);
    }
    allocation::apply_unallocated(cx, before.client_id, before.currency)?;
    let left = match before.invoice_id {
        Some(invoice) => Invoice::find(cx, invoice)?.balance,
        None => before.amount,
    };
    if Payment::find(cx, before.payment_id)?.is_final() {
        return Ok(None);
    }
    if left <= 0 {
        conclude(cx, before.payment_id, &ChargeOutcome::Cancelled)?;
        return Ok(None);
    }
    let mut payment = before.clone();
    payment.amount = payment.amount.min(left);
    payment.save(cx, before)?;
    Ok(Some(payment))
}

/// A payment as it is sent to a provider.
fn order(cx: &mut Read, payment: &Payment, reference: Option<&str>) -> Result<Order> {
    let number = match payment.invoice_id {
        Some(invoice) => Some(Invoice::find(cx, invoice)?.number),
        None => None,
    };
    let request = match payment.payment_request_id {
        Some(request) => Some(PaymentRequest::find(cx, request)?.description),
        None => None,
    };
    let named = match number.or(request) {
        Some(named) => named,
        None => Company::find(cx)?.name,
    };
    Ok(Order {
        payment: payment.payment_id,
        client: payment.client_id,
        amount: payment.amount,
        currency: payment.currency,
        description: named,
        reference: reference.map(str::to_owned),
    })
}

/// The provider refused a payment that was sent for the first time: nothing was done, as if it had not been sent.
pub fn refused_by_provider(cx: &mut Write, id: PaymentId) -> Result<()> {
    let Some(mut kept) = ProviderPayment::find(cx, id)? else { return Ok(()) };
    kept.sent_at = None;
    kept.write(cx)
}

/// No payment page was opened for a payment: nobody was redirected, so nobody can pay there.
pub fn not_led(cx: &mut Write, id: PaymentId) -> Result<()> {
    let kept = ProviderPayment::find(cx, id)?;
    match kept.is_some_and(|kept| kept.page_url.is_none()) && Payment::find(cx, id)?.is_by_page() {
        true => conclude(cx, id, &ChargeOutcome::Cancelled),
        false => Ok(()),
    }
}

/// Records what a provider reports about a payment. Returns whether it is credible: a different amount or currency is
/// left for people to look into.
pub fn apply_result(cx: &mut Write, id: PaymentId, result: &PaymentResult) -> Result<bool> {
    let payment = Payment::find(cx, id)?;
    if result.money.is_some_and(|money| money != payment.money()) {
        look_later(cx, id, BANK_SECONDS)?;
        return Ok(false);
    }
    if let (Some(reference), Some(mut kept)) = (&result.reference, ProviderPayment::find(cx, id)?)
        && kept.reference.as_ref() != Some(reference)
    {
        kept.reference = Some(reference.clone());
        kept.write(cx)?;
    }
    conclude(cx, id, &result.outcome)?;
    Ok(true)
}

/// Records the outcome of a payment, once: a final payment is only reversed by a chargeback.
pub fn conclude(cx: &mut Write, id: PaymentId, outcome: &ChargeOutcome) -> Result<()> {
    let before = Payment::find(cx, id)?;
    // A payment that was given up as never sent may still arrive.
    let came = before.failure_code == Some(FailureCode::NotSent)
        && matches!(outcome, ChargeOutcome::Succeeded(_));
    if before.is_final() && !came {
        return Ok(());
    }
    let mut payment = Payment { failure_code: None, ..before.clone() };
    match outcome {
        ChargeOutcome::Waiting | ChargeOutcome::NotTaken(_) | ChargeOutcome::Unknown(_) => {
            look_later(cx, id, PAGE_SECONDS)
        }
        ChargeOutcome::Processing(kind) => {
            (payment.status, payment.kind) = (PaymentStatus::Processing, *kind);
            payment.save(cx, &before)?;
            look_later(cx, id, BANK_SECONDS)
        }
        ChargeOutcome::Succeeded(kind) => {
            (payment.status, payment.kind) = (PaymentStatus::Succeeded, *kind);
            payment.settled_at = Some(cx.now());
            // Saved first: the page of a paid payment stays open.
            payment.save(cx, &before)?;
            if let Some(request) = payment.payment_request_id {
                let request = PaymentRequest::find(cx, request)?;
                if request.is_open() {
                    request.end(cx, PaymentRequestStatus::Paid)?;
                }
            }
            let (came, amount) = (payment.clone(), payment.amount);
            allocation::pay_bills(cx, &mut payment, amount)?;
            payment.save(cx, &came)?;
            payment.publish(cx, Event::PaymentSucceeded)?;
            if let Some(request) = payment.payment_request_id {
                cx.end(Offboarding::RequestPaid, request)?;
            }
            letters::received(cx, &payment)
        }
        ChargeOutcome::Failed(code) => {
            fail(&mut payment, *code, cx.now());
            payment.save(cx, &before)?;
            payment.publish(cx, Event::PaymentFailed)?;
            allocation::apply_unallocated(cx, payment.client_id, payment.currency)?;
            collection::failed(cx, &payment)
        }
        ChargeOutcome::Cancelled => {
            payment.status = PaymentStatus::Cancelled;
            payment.settled_at = Some(cx.now());
            payment.save(cx, &before)?;
            allocation::apply_unallocated(cx, payment.client_id, payment.currency).map(drop)
        }
    }
}

fn fail(payment: &mut Payment, code: FailureCode, now: Timestamp) {
    payment.status = PaymentStatus::Failed;
    payment.failure_code = Some(code);
    payment.settled_at = Some(now);
}

/// Fails a payment before anything is sent: there is nothing to charge.
pub fn fail_at_once(
    cx: &mut Write,
    invoice: &Invoice,
    attempt: i64,
    code: FailureCode,
) -> Result<()> {
    let money = Money { amount: invoice.balance, currency: invoice.currency };
    let mut payment = Payment {
        invoice_id: Some(invoice.invoice_id),
        attempt,
        ..Payment::to_come(cx, invoice.client_id, money, PaymentSource::Automatic)
    };
    fail(&mut payment, code, cx.now());
    payment.insert(cx)?;
    payment.publish(cx, Event::PaymentFailed)?;
    collection::failed(cx, &payment)
}

/// The provider does not know the payment. Before it is sent, that is expected; after days it is final, and soon for
/// a page that nobody was redirected to.
pub fn unknown_to_provider(cx: &mut Write, id: PaymentId) -> Result<()> {
    let payment = Payment::find(cx, id)?;
    if payment.status != PaymentStatus::Pending {
        return Ok(());
    }
    let seconds = (cx.now().millis() - payment.created_at.millis()) / 1_000;
    match payment.is_by_page() {
        true if seconds >= LEADING_SECONDS => conclude(cx, id, &ChargeOutcome::Cancelled),
        false if seconds >= LOST_HOURS * 3_600 + BANK_SECONDS => {
            conclude(cx, id, &ChargeOutcome::Failed(FailureCode::NotSent))
        }
        _ => Ok(()),
    }
}

/// Has the page of a payment closed: it is not wanted any more, or not with these figures.
pub fn close_page(cx: &mut Write, payment: &Payment) -> Result<()> {
    match payment.is_by_page() && payment.status == PaymentStatus::Pending {
        true => notice::close_page(cx, payment.payment_id),
        false => Ok(()),
    }
}

/// The same for the page of an invoice's payment, where there is one.
pub fn close_page_of(cx: &mut Write, invoice: InvoiceId) -> Result<()> {
    match Payment::unfinished(cx, invoice)? {
        Some(payment) => close_page(cx, &payment),
        None => Ok(()),
    }
}

/// Whether a payment of an invoice is too late to cancel: it was sent, or the client has confirmed it and the bank is
/// processing it.
pub fn is_with_the_bank(cx: &mut Read, invoice: InvoiceId) -> Result<bool> {
    let Some(payment) = Payment::unfinished(cx, invoice)? else { return Ok(false) };
    if payment.status == PaymentStatus::Processing {
        return Ok(true);
    }
    let kept = ProviderPayment::find(cx, payment.payment_id)?;
    Ok(!payment.is_by_page() && kept.is_some_and(|kept| kept.sent_at.is_some()))
}

/// Cancels the unsent payment of an invoice that is settled.
pub fn call_off(cx: &mut Write, invoice: InvoiceId) -> Result<()> {
    let Some(before) = Payment::unfinished(cx, invoice)? else { return Ok(()) };
    close_page(cx, &before)?;
    let kept = ProviderPayment::find(cx, before.payment_id)?;
    if before.status != PaymentStatus::Pending || kept.is_none_or(|kept| kept.sent_at.is_some()) {
        return Ok(());
    }
    let mut payment = before.clone();
    payment.status = PaymentStatus::Cancelled;
    payment.settled_at = Some(cx.now());
    payment.save(cx, &before)?;
    cx.clear_job(&CHARGE, payment.payment_id)
}

/// Seconds for a client to be redirected to a page, until the state of a page is queried, and until a slow bank is
/// queried.
const LEADING_SECONDS: i64 = 120;
const PAGE_SECONDS: i64 = 3_600;
const BANK_SECONDS: i64 = 86_400;

/// Has the provider queried about a payment, in case it sends no notice.
fn look_later(cx: &mut Write, payment: PaymentId, seconds: i64) -> Result<()> {
    let at = cx.now().plus_seconds(seconds);
    cx.set_timer(&QUERY_PAYMENT, payment, at)
}

fn schedule_query(cx: &mut Write, id: Id) -> Result<()> {
    let payment = Payment::find(cx, PaymentId(id))?;
    match payment.is_final() {
        true => Ok(()),
        false => {
            notice::query_payment(cx, PaymentId(id))?;
            look_later(cx, PaymentId(id), BANK_SECONDS)
        }
    }
}

static QUERY_PAYMENT: Timer =
    Timer::new("ask_about_payment", "Query the status of a payment", schedule_query);

/// How long a charge is tried: ten attempts over two days.
const RETRY_POLICY: RetryPolicy = RetryPolicy {
    lease_ms: 60_000,
    retries: &[60, 300, 900, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400],
};

/// Charging a card or an account.
pub static CHARGE: Job =
    Job::new("charge_payment", "Charge cards and bank accounts", RETRY_POLICY, on_finished)
        .emits(crate::COLLECTS);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).jobs(&[&CHARGE]).timers(&[&QUERY_PAYMENT])
}

statements! {
    FIND = "SELECT ", ProviderPayment::COLUMNS, " FROM provider_payment \
        WHERE company_id = ?1 AND payment_id = ?2";
    INSERT = "INSERT INTO provider_payment ", values!(ProviderPayment);
    SAVE = "UPDATE provider_payment SET ", set!(ProviderPayment),
        " WHERE company_id = ?1 AND payment_id = ?2";
}
