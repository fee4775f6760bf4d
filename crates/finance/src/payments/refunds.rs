//! Refunds: money that goes back to where it came from. What is refunded of a bill is credited, so that
//! the books say why.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_contract::{Area, Body, Path, Read, Write, operation};
use spotter_kernel::{Key, Problem, Result, Timestamp, money::Currency, number::Whole, text::Text};
use spotter_store::{Bind, record, statements, values, words};

use crate::{
    billing::{correcting, invoice::Invoice},
    ids::{PaymentId, RefundId},
    payments::{
        allocating,
        operations::{PaymentAnswer, PaymentPath, PaymentView},
        payment::Payment,
    },
};

words! {
    /// Where it stands.
    pub enum RefundStatus { Pending = "pending", Succeeded = "succeeded", Failed = "failed" }
}

record! {
    /// Money that goes back.
    #[derive(Debug, Clone, PartialEq, schemars::JsonSchema, serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Refund {
        /// The payment of which it goes back.
        #[serde(skip)]
        pub payment_id: PaymentId,
        /// Its id.
        pub refund_id: RefundId,
        /// In minor units of the currency.
        pub amount: i64,
        /// ISO 4217 code.
        pub currency: Currency,
        /// Where it stands.
        pub status: RefundStatus,
        /// Why.
        pub reason: Option<String>,
        /// When it was made.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}

/// What goes back.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewRefund {
    /// In minor units of the payment's currency.
    amount: Whole<1, 1_000_000_000_000>,
    /// Why.
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
    let (amount, most) = (new.amount.0, before.refundable());
    if amount > most {
        return Err(Problem::conflict("amount", &format!("must be at most {most}")));
    }
    let reason: Option<String> = new.reason.map(Into::into);
    cx.as_of(before.updated_at);
    cx.happens(|| format!("{amount} in minor units go back to the client."));
    // What pays a bill is credited, the bill that was paid last first, until enough of the payment is free.
    let mut missing = amount - before.unallocated;
    for allocation in allocating::of_payment(cx, before.payment_id)?.into_iter().rev() {
        let wanted = missing.min(allocation.amount);
        if wanted <= 0 {
            break;
        }
        missing -= wanted;
        let mut bill = Invoice::find(cx, allocation.invoice_id)?;
        let number = bill.number.clone();
        cx.happens(|| {
            format!("A credit note over {wanted} in minor units is issued for {number}.")
        });
        correcting::credit(cx, &mut bill, wanted, Some(before.payment_id), reason.clone())?;
    }
    let before = Payment::find(cx, at.payment_id)?;
    let mut payment = before.clone();
    payment.unallocated -= amount;
    payment.refunded_total += amount;
    let refund = Refund {
        payment_id: payment.payment_id,
        refund_id: RefundId(cx.new_id()),
        amount,
        currency: payment.currency,
        status: RefundStatus::Succeeded,
        reason,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.defer(INSERT, &refund.params())?;
    payment.save(cx, &before)?;
    Ok(PaymentAnswer { payment: PaymentView::of(cx, payment)? })
}

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(app POST "/finance/payments/{paymentId}/refunds", Manager, refund_payment)
            .summary("Refund a payment")
            .describe(
                "As a whole or in part. What pays no invoice goes back first; for the rest a credit note is \
                 issued, of the invoice that it paid last first.",
            )
            .created()
            .emits(crate::SETTLES)
            .always(&[])
            .fails(&[Key::ApiError])
            .asks(),
    ])
}

statements! {
    OF_PAYMENT = "SELECT ", Refund::COLUMNS, " FROM refund WHERE company_id = ?1 AND payment_id = ?2 \
        ORDER BY refund_id LIMIT 200";
    INSERT = "INSERT INTO refund ", values!(Refund);
}
