//! Charging: money that is fetched through a provider. A payment is written before it is sent and asked about
//! before it is sent again, so that nobody is charged twice, whatever breaks; what became of it is written once.

use spotter_company::company::Company;
use spotter_contract::{
    Area, Job, Read, Timer, Write,
    jobs::{AttemptResult, RetryPolicy, State},
};
use spotter_kernel::{Event, Id, Problem, Result, Timestamp, money::Currency};
use spotter_store::{params, record, set, statements, values};

use super::{
    collection, connection,
    method::{MethodStatus, PaymentMethod},
    notice,
    provider::{Account, Charged, Order, Outcome, PaymentResult, ProviderName},
};
use crate::{
    billing::{invoice::Invoice, letters},
    ids::{InvoiceId, PaymentId},
    payments::{
        allocation,
        payment::{FailureCode, Payment, PaymentKind, PaymentSource, PaymentStatus},
        request::{PaymentRequest, RequestStatus},
    },
};

record! {
    /// What of a payment stands with the provider.
    #[derive(Debug, Clone)]
    pub struct ProviderPayment {
        /// The payment.
        pub payment_id: PaymentId,
        /// With whom.
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
    /// What of a payment stands with the provider; nothing of money that staff took.
    pub fn find(cx: &mut Read, payment: PaymentId) -> Result<Option<Self>> {
        cx.one(FIND, params![payment])
    }

    fn write(&self, cx: &mut Write) -> Result<()> {
        cx.defer(SAVE, &self.params())
    }
}

/// A payment that a provider is to fetch.
pub struct Fetch {
    /// How much of what.
    pub amount: (i64, Currency),
    /// Who asks for it.
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
        ..Payment::to_come(cx, client, fetch.amount, fetch.source)
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

/// What is to be done about a payment that is to be charged.
pub enum ChargeStep {
    /// Nothing: it is done with.
    Nothing,
    /// It is sent for the first time.
    Send(Account, Order, Charged),
    /// It was sent before: the provider is asked what became of it, and it is sent again only if nothing is
    /// known of it there and the provider still remembers what it was sent.
    Ask(Account, Order, Option<Charged>),
    /// It cannot be done now, and why.
    Wait(&'static str),
}

/// How long a provider does what it is sent again under one key once, in hours; none less.
const REMEMBERED_HOURS: i64 = 20;
/// After so many hours without a trace a payment was never sent.
const LOST_HOURS: i64 = 48;

/// Looks at a payment that is to be charged, and notes that it is sent before it is.
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

/// A payment that has not been sent, as it is wanted now: no more than is left to pay, and of what may still be
/// charged. Nothing where it is not wanted any more, which is written then.
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
        conclude(cx, before.payment_id, &Outcome::Failed(code))?;
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
        conclude(cx, before.payment_id, &Outcome::Cancelled)?;
        return Ok(None);
    }
    let mut payment = before.clone();
    payment.amount = payment.amount.min(left);
    payment.save(cx, before)?;
    Ok(Some(payment))
}

/// A payment as a provider is asked for it.
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

/// The provider did not take a payment that was sent for the first time: nothing was done, so that it is as if it
/// had not been sent.
pub fn not_taken(cx: &mut Write, id: PaymentId) -> Result<()> {
    let Some(mut kept) = ProviderPayment::find(cx, id)? else { return Ok(()) };
    kept.sent_at = None;
    kept.write(cx)
}

/// No page was opened for a payment: nobody was led to one, so that nobody can pay there.
pub fn not_led(cx: &mut Write, id: PaymentId) -> Result<()> {
    let kept = ProviderPayment::find(cx, id)?;
    match kept.is_some_and(|kept| kept.page_url.is_none()) && Payment::find(cx, id)?.is_by_page() {
        true => conclude(cx, id, &Outcome::Cancelled),
        false => Ok(()),
    }
}

/// Writes what a provider says of a payment; whether it can be believed: not where it speaks of other money, which
/// is for people to look into.
pub fn apply_result(cx: &mut Write, id: PaymentId, result: &PaymentResult) -> Result<bool> {
    let payment = Payment::find(cx, id)?;
    if result.amount.is_some_and(|amount| amount != (payment.amount, payment.currency)) {
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

/// Writes what became of a payment, once: what is final goes back by a chargeback alone.
pub fn conclude(cx: &mut Write, id: PaymentId, outcome: &Outcome) -> Result<()> {
    let before = Payment::find(cx, id)?;
    // What was given up as never sent may come after all.
    let came = before.failure_code == Some(FailureCode::NotSent)
        && matches!(outcome, Outcome::Succeeded(_));
    if before.is_final() && !came {
        return Ok(());
    }
    let mut payment = Payment { failure_code: None, ..before.clone() };
    match outcome {
        Outcome::Waiting | Outcome::NotTaken(_) | Outcome::Unknown(_) => {
            look_later(cx, id, PAGE_SECONDS)
        }
        Outcome::Processing(kind) => {
            (payment.status, payment.kind) = (PaymentStatus::Processing, *kind);
            payment.save(cx, &before)?;
            look_later(cx, id, BANK_SECONDS)
        }
        Outcome::Succeeded(kind) => {
            (payment.status, payment.kind) = (PaymentStatus::Succeeded, *kind);
            payment.settled_at = Some(cx.now());
            // Before what it pays turns: nothing closes the page of what has come.
            payment.save(cx, &before)?;
            if let Some(request) = payment.payment_request_id {
                let request = PaymentRequest::find(cx, request)?;
                if request.is_open() {
                    request.end(cx, RequestStatus::Paid)?;
                }
            }
            let (came, amount) = (payment.clone(), payment.amount);
            allocation::pay_bills(cx, &mut payment, amount)?;
            payment.save(cx, &came)?;
            payment.publish(cx, Event::PaymentSucceeded)?;
            letters::received(cx, &payment)
        }
        Outcome::Failed(code) => {
            fail(&mut payment, *code, cx.now());
            payment.save(cx, &before)?;
            payment.publish(cx, Event::PaymentFailed)?;
            allocation::apply_unallocated(cx, payment.client_id, payment.currency)?;
            collection::failed(cx, &payment)
        }
        Outcome::Cancelled => {
            payment.status = PaymentStatus::Cancelled;
            payment.settled_at = Some(cx.now());
            payment.save(cx, &before)?;
            allocation::apply_unallocated(cx, payment.client_id, payment.currency)
        }
    }
}

fn fail(payment: &mut Payment, code: FailureCode, now: Timestamp) {
    payment.status = PaymentStatus::Failed;
    payment.failure_code = Some(code);
    payment.settled_at = Some(now);
}

/// A payment that failed before anything was sent: there is nothing to charge.
pub fn fail_at_once(
    cx: &mut Write,
    invoice: &Invoice,
    attempt: i64,
    code: FailureCode,
) -> Result<()> {
    let money = (invoice.balance, invoice.currency);
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

/// The provider has never heard of a payment. That is so until it is sent; after days it will not be any more. A
/// page that nobody was led to is soon none.
pub fn unheard_of(cx: &mut Write, id: PaymentId) -> Result<()> {
    let payment = Payment::find(cx, id)?;
    if payment.status != PaymentStatus::Pending {
        return Ok(());
    }
    let seconds = (cx.now().millis() - payment.created_at.millis()) / 1_000;
    match payment.is_by_page() {
        true if seconds >= LEADING_SECONDS => conclude(cx, id, &Outcome::Cancelled),
        false if seconds >= LOST_HOURS * 3_600 + BANK_SECONDS => {
            conclude(cx, id, &Outcome::Failed(FailureCode::NotSent))
        }
        _ => Ok(()),
    }
}

/// Has the page closed on which a payment is to be made: it is not wanted any more, or not as it stands there.
pub fn close_page(cx: &mut Write, payment: &Payment) -> Result<()> {
    match payment.is_by_page() && payment.status == PaymentStatus::Pending {
        true => notice::close_page(cx, payment.payment_id),
        false => Ok(()),
    }
}

/// The same of the page on which a bill is paid, where there is one.
pub fn close_page_of(cx: &mut Write, invoice: InvoiceId) -> Result<()> {
    match Payment::unfinished(cx, invoice)? {
        Some(payment) => close_page(cx, &payment),
        None => Ok(()),
    }
}

/// Whether a payment for a bill is past being called off: it was sent, or the client has made it on a page and the bank
/// has it.
pub fn is_with_the_bank(cx: &mut Read, invoice: InvoiceId) -> Result<bool> {
    let Some(payment) = Payment::unfinished(cx, invoice)? else { return Ok(false) };
    if payment.status == PaymentStatus::Processing {
        return Ok(true);
    }
    let kept = ProviderPayment::find(cx, payment.payment_id)?;
    Ok(!payment.is_by_page() && kept.is_some_and(|kept| kept.sent_at.is_some()))
}

/// Takes back what is to be fetched for a bill and has not been sent: nothing is left to pay of it.
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

/// Seconds in which a client is led to a page, after which one who pays there is asked about, and after which a
/// bank is that takes its time.
const LEADING_SECONDS: i64 = 120;
const PAGE_SECONDS: i64 = 3_600;
const BANK_SECONDS: i64 = 86_400;

/// Has the provider asked what became of a payment, should it not tell by itself.
fn look_later(cx: &mut Write, payment: PaymentId, seconds: i64) -> Result<()> {
    let at = cx.now().plus_seconds(seconds);
    cx.set_timer(&ASK_ABOUT_PAYMENT, payment, at)
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

static ASK_ABOUT_PAYMENT: Timer = Timer::new(
    "ask_about_payment",
    "Ask the provider what became of a payment that it has told nothing of",
    schedule_query,
);

/// What a provider's page is asked for, to pay a request on it.
pub enum PaymentRedirect {
    /// The client is led to this page.
    To(String),
    /// A page is asked for.
    Ask(Account, Order),
    /// A payment for it is under way.
    UnderWay,
    /// It cannot be paid on a page.
    Nowhere,
}

/// Where the page of a request to pay leads.
pub fn redirect(cx: &mut Write, request: &PaymentRequest) -> Result<PaymentRedirect> {
    if !request.is_open() {
        return Ok(PaymentRedirect::Nowhere);
    }
    let Some(account) = connection::account(cx)? else { return Ok(PaymentRedirect::Nowhere) };
    let under_way = Payment::answering(cx, request.payment_request_id)?;
    let under_way = match (under_way, request.invoice_id) {
        (None, Some(invoice)) => Payment::unfinished(cx, invoice)?,
        (found, _) => found,
    };
    let payment = match under_way {
        None => {
            let fetch = Fetch {
                amount: (request.amount, request.currency),
                source: PaymentSource::Request,
                invoice: request.invoice_id,
                request: Some(request.clone()),
                attempt: 1,
            };
            create_payment(cx, request.client_id, account.provider, None, fetch)?
        }
        Some(payment) => payment,
    };
    let own = payment.payment_request_id == Some(request.payment_request_id);
    let Some(mut kept) = ProviderPayment::find(cx, payment.payment_id)? else {
        return Ok(PaymentRedirect::UnderWay);
    };
    if !own || payment.status != PaymentStatus::Pending {
        return Ok(PaymentRedirect::UnderWay);
    }
    if payment.amount != request.amount {
        close_page(cx, &payment)?;
        return Ok(PaymentRedirect::UnderWay);
    }
    if let Some(url) = kept.page_url {
        return Ok(PaymentRedirect::To(url));
    }
    kept.sent_at = kept.sent_at.or(Some(cx.now()));
    kept.write(cx)?;
    look_later(cx, payment.payment_id, LEADING_SECONDS)?;
    let order = order(cx, &payment, kept.reference.as_deref())?;
    Ok(PaymentRedirect::Ask(account, order))
}

/// Notes the page on which a payment is made, and what the provider calls it; whether it is still wanted.
pub fn record_redirect(
    cx: &mut Write,
    payment: PaymentId,
    (url, reference): (&str, &str),
) -> Result<bool> {
    let Some(mut kept) = ProviderPayment::find(cx, payment)? else {
        return Err(Problem::internal("a page of no payment"));
    };
    if Payment::find(cx, payment)?.is_final() {
        return Ok(false);
    }
    kept.page_url = Some(url.to_owned());
    kept.reference = Some(reference.to_owned());
    kept.write(cx)?;
    look_later(cx, payment, PAGE_SECONDS)?;
    Ok(true)
}

/// What became of the attempts to charge: what was never sent has failed. What may have been stays as it is,
/// for people to look into.
fn on_finished(cx: &mut Write, id: Id, settled: &AttemptResult) -> Result<()> {
    if settled.again_at.is_some() || !matches!(settled.state, State::Failed | State::Unknown) {
        return Ok(());
    }
    let sent = ProviderPayment::find(cx, PaymentId(id))?.is_some_and(|kept| kept.sent_at.is_some());
    match sent {
        true => look_later(cx, PaymentId(id), BANK_SECONDS),
        false => conclude(cx, PaymentId(id), &Outcome::Failed(FailureCode::NotSent)),
    }
}

/// How long a charge is tried: ten attempts over two days.
const PATIENCE: RetryPolicy = RetryPolicy {
    lease_ms: 60_000,
    retries: &[60, 300, 900, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400],
};

/// Charging a card or an account.
pub static CHARGE: Job =
    Job::new("charge_payment", "Charge clients' cards and accounts", PATIENCE, on_finished)
        .emits(crate::COLLECTS);

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).jobs(&[&CHARGE]).timers(&[&ASK_ABOUT_PAYMENT])
}

statements! {
    FIND = "SELECT ", ProviderPayment::COLUMNS, " FROM provider_payment \
        WHERE company_id = ?1 AND payment_id = ?2";
    INSERT = "INSERT INTO provider_payment ", values!(ProviderPayment);
    SAVE = "UPDATE provider_payment SET ", set!(ProviderPayment),
        " WHERE company_id = ?1 AND payment_id = ?2";
}
