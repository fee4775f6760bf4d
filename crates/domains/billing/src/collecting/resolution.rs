//! Payments of which the provider says nothing that can be believed: somebody of the company says what became of
//! them, once they have looked it up there.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Path, Write, operation};
use spotter_kernel::{Event, Key, Problem, Result};
use spotter_store::words;

use super::{
    charging::{ProviderPayment, conclude},
    provider::Outcome,
};
use crate::{
    payments::{
        operations::{PaymentAnswer, PaymentPath, PaymentView},
        payment::{FailureCode, Payment},
    },
    rules::BillingRule,
};

/// How old a payment is that can be resolved by hand, in hours: until then the provider is asked.
const HOURS: i64 = 24;

words! {
    /// What became of a payment.
    enum Resolution { Succeeded = "succeeded", Failed = "failed" }
}

/// What became of a payment, as the provider's own pages show it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Resolve {
    /// `succeeded` where all of its amount has come; `failed` where nothing has.
    status: Resolution,
}

fn resolve_payment(
    cx: &mut Write,
    Path(at): Path<PaymentPath>,
    Body(submitted): Body<Resolve>,
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
        Resolution::Succeeded => Outcome::Succeeded(payment.kind),
        // Should the provider say after all that it came, it is believed.
        Resolution::Failed => Outcome::Failed(FailureCode::NotSent),
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
                "For payments that stay under way: the provider tells of other money than was asked for, or its \
                 account is gone. Look there first: what has `succeeded` pays its invoice, and what has `failed` \
                 is charged again or chased.",
            )
            .emits(crate::COLLECTS)
            .always(&[Event::PaymentFailed])
            .fails(&[Key::ApiError]),
    ])
}
