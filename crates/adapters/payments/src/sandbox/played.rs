//! The bank within one transaction: for generating a history, in which nobody waits for an answer.

use spotter_billing::{
    COLLECTS,
    collecting::{
        chargeback,
        charging::{self, CHARGE, ChargeStep},
        provider::{NoticeAbout, PaymentResult},
    },
    ids::PaymentId,
};
use spotter_contract::{Env, Write};
use spotter_kernel::{Id, Result, id::CompanyId};
use spotter_store::Tx;

use super::{books, days};

/// Charges a payment and records the result.
pub fn charge(tx: &mut Tx<'_>, env: &Env, company: CompanyId, payment: PaymentId) -> Result<()> {
    let mut next = ChargeStep::Nothing;
    Write::as_system(tx, env, company, "send_payment", COLLECTS, |cx| {
        next = charging::next(cx, payment)?;
        cx.clear_job(&CHARGE, payment)
    })?;
    let ChargeStep::Send(_, order, charged) = next else { return Ok(()) };
    let now = env.clock.now();
    let (paid, _) = books::charge(tx, company, &order, &charged.token, now)?;
    apply_notices(tx, env, company, payment, &paid.outcome().into())
}

fn apply_notices(
    tx: &mut Tx<'_>,
    env: &Env,
    company: CompanyId,
    payment: PaymentId,
    result: &PaymentResult,
) -> Result<()> {
    let notice = |cx: &mut Write<'_, '_>| charging::apply_result(cx, payment, result).map(drop);
    Write::as_system(tx, env, company, "conclude_payment", COLLECTS, notice).map(drop)
}

/// Runs the bank until now and records its notices.
pub fn pass_time(tx: &mut Tx<'_>, env: &Env, company: CompanyId) -> Result<()> {
    days::run_due(tx, env.clock.now())?;
    for (about, reference) in days::take_pending_notices(tx, company)? {
        match NoticeAbout::parse(&about) {
            Some(NoticeAbout::Payment) => {
                let paid = books::payment(tx, company, &reference)?;
                let named = Id::parse(&reference).map(PaymentId);
                if let (Some(paid), Some(payment)) = (paid, named) {
                    apply_notices(tx, env, company, payment, &paid.outcome().into())?;
                }
            }
            Some(NoticeAbout::Dispute) => {
                let dispute = books::dispute(tx, company, &reference)?;
                if let Some(notice) = dispute.and_then(books::BankDispute::into_dispute) {
                    let follow = |cx: &mut Write<'_, '_>| chargeback::follow(cx, &notice);
                    Write::as_system(tx, env, company, "follow_dispute", COLLECTS, follow)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
