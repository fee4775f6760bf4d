//! Automatic collection: invoices are charged on their due date, and again some days after a failed attempt, by the
//! company's settings. The first failure makes a membership past due; a final failure is not retried.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, OptionalBody, Path, Timer, Write, operation};
use spotter_kernel::{Id, Key, Problem, Result, money::Money};
use spotter_store::{params, statements};

use super::{
    charging::{self, Fetch},
    connection,
    method::{self, MethodStatus, PaymentMethod},
    methods,
};
use crate::{
    account_status,
    billing::{
        dunning,
        invoice::{Collection, Invoice, InvoiceStatus},
        invoices::InvoicePath,
        letters,
    },
    company_day,
    effects::BillingEffect,
    ids::{InvoiceId, PaymentMethodId},
    memberships::subscription::Subscription,
    payments::{
        operations::{PaymentAnswer, PaymentView},
        payment::{FailureCode, Payment, PaymentSource},
    },
    rules::BillingRule,
    settings::FinanceSettings,
};

/// Schedules the charge of a new invoice on its due date, where collection is automatic: in a transaction of its own,
/// because a failure changes the membership that is being billed.
pub fn collect(cx: &mut Write, invoice: &Invoice) -> Result<()> {
    if invoice.collection != Collection::Automatic || invoice.balance == 0 {
        return Ok(());
    }
    let at = company_day(cx, invoice.due_date)?.max(cx.now());
    cx.set_timer(&COLLECT_INVOICE, invoice.invoice_id, at)
}

/// Attempts to collect a bill, with what its membership or its client names.
fn attempt(cx: &mut Write, invoice: &Invoice, number: i64) -> Result<()> {
    if let Some(payment) = Payment::unfinished(cx, invoice.invoice_id)? {
        return wait_for(cx, invoice, &payment);
    }
    let named = match invoice.subscription_id {
        Some(id) => Subscription::find(cx, id)?.payment_method_id,
        None => None,
    };
    let today = cx.today()?;
    let provider = connection::provider(cx)?;
    let method = PaymentMethod::find_or_default(cx, invoice.client_id, named)?;
    let code = match (&method, provider) {
        (_, None) => FailureCode::ProviderError,
        (None, _) if PaymentMethod::ran_out(cx, invoice.client_id)? => FailureCode::MethodExpired,
        (Some(method), _) if method.status == MethodStatus::Expired => FailureCode::MethodExpired,
        (None, _) => FailureCode::MethodRevoked,
        (Some(method), _) if method.status == MethodStatus::Revoked => FailureCode::MethodRevoked,
        (Some(method), _) if method.is_over(today) => {
            method::end(cx, method, MethodStatus::Expired)?;
            FailureCode::MethodExpired
        }
        (Some(method), Some(provider)) if method.provider == provider => {
            charging::charge(cx, method, for_invoice(invoice, PaymentSource::Automatic, number))?;
            return Ok(());
        }
        (Some(_), Some(_)) => FailureCode::MethodRevoked,
    };
    charging::fail_at_once(cx, invoice, number, code)
}

fn for_invoice(invoice: &Invoice, source: PaymentSource, attempt: i64) -> Fetch {
    Fetch {
        money: Money { amount: invoice.balance, currency: invoice.currency },
        source,
        invoice: Some(invoice.invoice_id),
        request: None,
        attempt,
    }
}

/// Seconds in which a page that is closed is done with.
const CLOSING_SECONDS: i64 = 300;

/// Something is on its way for a bill: a bank is waited for until tomorrow, a client who has opened a page and
/// may have left it is not.
fn wait_for(cx: &mut Write, invoice: &Invoice, payment: &Payment) -> Result<()> {
    charging::close_page(cx, payment)?;
    let at = match payment.is_by_page() {
        true => cx.now().plus_seconds(CLOSING_SECONDS),
        false => {
            let tomorrow = cx.today()?.tomorrow();
            company_day(cx, tomorrow)?
        }
    };
    cx.set_timer(&COLLECT_INVOICE, invoice.invoice_id, at)
}

/// Whether trying again may help.
const fn may_help(code: FailureCode) -> bool {
    match code {
        FailureCode::Declined
        | FailureCode::InsufficientFunds
        | FailureCode::NotSent
        | FailureCode::ProviderError => true,
        FailureCode::MethodExpired
        | FailureCode::MethodRevoked
        | FailureCode::AuthenticationRequired => false,
    }
}

/// Handles a failed payment: the client is sent a link to pay; where collection is automatic, the invoice
/// becomes overdue and is retried when that may help.
pub fn failed(cx: &mut Write, payment: &Payment) -> Result<()> {
    let (Some(id), PaymentSource::Automatic) = (payment.invoice_id, payment.source) else {
        return Ok(());
    };
    let before = Invoice::find(cx, id)?;
    if !before.is_unpaid() {
        return Ok(());
    }
    let (mut invoice, settings) = (before.clone(), FinanceSettings::find(cx)?);
    if invoice.status == InvoiceStatus::Open {
        invoice.status = InvoiceStatus::Overdue;
        invoice.save(cx, &before)?;
        account_status::unpaid(cx, &invoice)?;
        dunning::schedule(cx, &invoice, &settings)?;
    }
    letters::not_collected(cx, &invoice)?;
    let code = payment.failure_code.unwrap_or(FailureCode::ProviderError);
    let days = usize::try_from(payment.attempt - 1).ok();
    let days = days.and_then(|at| settings.retry_days.0.get(at)).filter(|_| may_help(code));
    let Some(days) = days else { return Ok(()) };
    let first: Option<(spotter_kernel::Timestamp,)> = cx.one(FIRST_ATTEMPT, params![id])?;
    let first = first.map_or(cx.now(), |(at,)| at);
    let (first, today) = (cx.zone()?.date_at(first), cx.today()?);
    let date = first.plus_days(*days).unwrap_or(today).max(today.tomorrow());
    let at = company_day(cx, date)?;
    cx.set_timer(&COLLECT_INVOICE, id, at)
}

/// Stops collecting a settled invoice.
pub fn stop(cx: &mut Write, invoice: InvoiceId) -> Result<()> {
    cx.clear_timer(&COLLECT_INVOICE, invoice)?;
    charging::call_off(cx, invoice)
}

fn collect_invoice(cx: &mut Write, id: Id) -> Result<()> {
    let invoice = Invoice::still_due(cx, InvoiceId(id))?;
    if !invoice.is_unpaid() {
        return Ok(());
    }
    let before: Option<(i64,)> = cx.one(ATTEMPTS, params![id])?;
    attempt(cx, &invoice, before.map_or(0, |(count,)| count) + 1)
}

static COLLECT_INVOICE: Timer = Timer::new(
    "collect_invoice",
    "Charge an invoice that is collected automatically, and retry",
    collect_invoice,
)
.emits(crate::COLLECTS);

/// The payment method to charge.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct NewCharge {
    /// A card or an account of the client; the default one when absent.
    payment_method_id: Option<PaymentMethodId>,
}

fn charge_invoice(
    cx: &mut Write,
    Path(at): Path<InvoicePath>,
    OptionalBody(new): OptionalBody<NewCharge>,
) -> Result<PaymentAnswer> {
    let found = Invoice::find(cx, at.invoice_id)?;
    let invoice = Invoice::payable(cx, at.invoice_id, found.client_id)?;
    let provider = methods::required_provider(cx)?;
    if let Some(id) = new.payment_method_id {
        let rule = || BillingRule::OtherPaymentMethod;
        let method = PaymentMethod::find(cx, id);
        let method = method.map_err(|none| none.missing("paymentMethodId", rule()))?;
        if method.client_id != invoice.client_id {
            return Err(Problem::field(Key::NotFound, "paymentMethodId", rule()));
        }
    }
    let today = cx.today()?;
    let method = PaymentMethod::of(cx, invoice.client_id, new.payment_method_id)?;
    let method = method.filter(|own| own.provider == provider && !own.is_over(today));
    let rule = match new.payment_method_id {
        Some(_) => BillingRule::NotChargeable,
        None => BillingRule::NoPaymentMethod,
    };
    let method = method.ok_or_else(|| Problem::conflict("paymentMethodId", rule))?;
    if let Some(payment) = Payment::unfinished(cx, invoice.invoice_id)? {
        let rule = match payment.is_by_page() {
            true => BillingRule::PayingNow,
            false => BillingRule::PaymentUnderWay,
        };
        return Err(Problem::conflict("payment", rule));
    }
    let (amount, last4) = (invoice.currency.format_amount(invoice.balance), method.last4.clone());
    cx.describe_effect(|| BillingEffect::Charged {
        last4: last4.to_string(),
        amount: amount.to_string(),
    });
    let payment = charging::charge(cx, &method, for_invoice(&invoice, PaymentSource::Manual, 1))?;
    Ok(PaymentAnswer { payment: PaymentView::of(cx, payment)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).timers(&[&COLLECT_INVOICE]).operations([
        operation!(app POST "/finance/invoices/{invoiceId}/charge", Manager, charge_invoice)
            .summary("Charge an invoice")
            .describe(
                "Charges the balance of an invoice now with the client's payment method. The \
                 payment is `pending` until the provider has answered; `payment.succeeded` or \
                 `payment.failed` reports the result.",
            )
            .created()
            .for_own(&[])
            .fails(&[Key::ApiError])
            .confirmation(),
    ])
}

statements! {
    FIRST_ATTEMPT = "SELECT created_at FROM payment WHERE company_id = ?1 AND invoice_id = ?2 \
        AND source = 'automatic' ORDER BY payment_id LIMIT 1";
    ATTEMPTS = "SELECT COUNT(*) FROM payment WHERE company_id = ?1 AND invoice_id = ?2 \
        AND source = 'automatic' AND status <> 'cancelled'";
}
