//! Where a payer is redirected to, and what their return means.

use spotter_contract::{
    Write,
    jobs::{AttemptResult, JobState},
};
use spotter_kernel::{Id, Problem, Result, money::Money};

use super::{
    BANK_SECONDS, Fetch, LEADING_SECONDS, PAGE_SECONDS, ProviderPayment, close_page, conclude,
    create_payment, look_later, order,
};
use crate::{
    collecting::{
        connection,
        provider::{ChargeOutcome, Order, ProviderAccount},
    },
    ids::PaymentId,
    payments::{
        payment::{FailureCode, Payment, PaymentSource, PaymentStatus},
        request::PaymentRequest,
    },
};

/// What to do to pay a request on a provider's page.
pub enum PaymentRedirect {
    /// The client is led to this page.
    To(String),
    /// Request a page from the provider.
    Ask(ProviderAccount, Order),
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
                money: Money { amount: request.amount, currency: request.currency },
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

/// Records the page of a payment and its provider's id; returns whether the payment is still wanted.
pub fn record_redirect(
    cx: &mut Write,
    payment: PaymentId,
    url: &str,
    reference: &str,
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

/// Handles the end of all attempts to charge: what was never sent has failed. What may have been sent stays as it is,
/// for people to look into.
pub(super) fn on_finished(cx: &mut Write, id: Id, settled: &AttemptResult) -> Result<()> {
    if settled.again_at.is_some() || !matches!(settled.state, JobState::Failed | JobState::Unknown)
    {
        return Ok(());
    }
    let sent = ProviderPayment::find(cx, PaymentId(id))?.is_some_and(|kept| kept.sent_at.is_some());
    match sent {
        true => look_later(cx, PaymentId(id), BANK_SECONDS),
        false => conclude(cx, PaymentId(id), &ChargeOutcome::Failed(FailureCode::NotSent)),
    }
}
