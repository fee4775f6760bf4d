//! Payments about which the provider gives no credible answer: a manager records the outcome after looking it up
//! there.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Path, Write, operation};
use spotter_kernel::{Event, Key, Problem, Result};
use spotter_store::words;

use super::{
    charging::{ProviderPayment, conclude},
    provider::ChargeOutcome,
};
use crate::{
    payments::{
        operations::{PaymentAnswer, PaymentPath, PaymentView},
        payment::{FailureCode, Payment},
    },
    rules::BillingRule,
};

/// Age in hours from which a payment can be resolved by hand: until then the provider is queried.
const HOURS: i64 = 24;

words! {
    /// The outcome of a payment.
    enum Resolution { Succeeded = "succeeded", Failed = "failed" }
}

/// The status of a payment according to the provider.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PaymentResolution {
    /// `succeeded` where the whole amount arrived; `failed` where nothing did.
    status: Resolution,
}

fn resolve_payment(
    cx: &mut Write,
    Path(at): Path<PaymentPath>,
    Body(submitted): Body<PaymentResolution>,
) -> Result<PaymentAnswer> {
    let payment = Payment::find(cx, at.payment_id)?;
    if ProviderPayment::find(cx, at.payment_id)?.is_none() {
        return Err(Problem::conflict("paymentId", BillingRule::NotProviderPayment));
    }
    if payment.is_final() {
        return Err(Problem::conflict("status", BillingRule::NotPendingOrProcessing));
    }
    if payment.created_at.plus_seconds(HOURS * 3_600) > cx.now() {
        return Err(Problem::conflict("createdAt", BillingRule::TooFresh));
    }
    let outcome = match submitted.status {
        Resolution::Succeeded => ChargeOutcome::Succeeded(payment.kind),
        // Should the provider say after all that it came, it is believed.
        Resolution::Failed => ChargeOutcome::Failed(FailureCode::NotSent),
    };
    conclude(cx, at.payment_id, &outcome)?;
    cx.set_audit_target("payment", at.payment_id, ["status"]);
    let resolved = Payment::find(cx, at.payment_id)?;
    Ok(PaymentAnswer { payment: PaymentView::of(cx, resolved)? })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().operations([
        operation!(app POST "/finance/payments/{paymentId}/resolve", Admin, resolve_payment)
            .summary("Resolve a payment")
            .describe(
                "Sets the outcome of a payment that stays in progress, because the provider reports another amount \
                 than was charged, or its account no longer exists. Check with the provider first: `succeeded` \
                 pays the invoice; `failed` lets it be charged again and returns it to dunning.",
            )
            .emits(crate::COLLECTS)
            .always(&[Event::PaymentFailed])
            .fails(&[Key::ApiError]),
    ])
}
