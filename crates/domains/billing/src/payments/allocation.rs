//! Allocation of money: first the invoice that it came for, then the client's others, the oldest due first; the rest
//! waits for the next. Money that becomes free later pays what is open by then, in the same order.

use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Result, id::ClientId, money::Currency};
use spotter_store::{Bind, params, statements};

use crate::{
    account_status,
    billing::invoice::Invoice,
    collecting::charging,
    ids::{InvoiceId, PaymentId},
    payments::payment::{Allocation, Payment},
};

/// How much of an amount each invoice gets, given the balances in their order; and what is left.
fn shares(mut amount: i64, balances: &[i64]) -> (Vec<i64>, i64) {
    let share = |balance: &i64| {
        let share = amount.min(*balance).max(0);
        amount -= share;
        share
    };
    let shares = balances.iter().map(share).collect();
    (shares, amount)
}

/// Pays bills with money of a payment that has come. The payment itself is written by who calls.
pub fn pay_bills(cx: &mut Write, payment: &mut Payment, amount: i64) -> Result<()> {
    let mut bills = Invoice::due_of(cx, payment.client_id, payment.currency)?;
    if let Some(id) = payment.invoice_id {
        bills.retain(|bill| bill.invoice_id != id);
        let own = Invoice::find(cx, id)?;
        if own.balance > 0 && own.currency == payment.currency {
            bills.insert(0, own);
        }
    }
    let balances: Vec<i64> = bills.iter().map(|bill| bill.balance).collect();
    let (shares, left) = shares(amount, &balances);
    payment.unallocated += left;
    for (bill, share) in bills.iter_mut().zip(shares) {
        allocate(cx, payment.payment_id, bill, share)?;
    }
    Ok(())
}

/// Pays a new invoice from the client's earlier overpayments, the first received first.
pub fn prepay(cx: &mut Write, bill: &mut Invoice) -> Result<()> {
    for before in unallocated(cx, bill.client_id, bill.currency)? {
        let share = before.unallocated.min(bill.balance);
        if share <= 0 {
            break;
        }
        bill.prepaid_total += share;
        apply(cx, &before, bill, share)?;
    }
    Ok(())
}

/// Pays a client's open invoices of a currency, the oldest due first, with their unallocated money, the earliest
/// received first. Whatever frees money calls it last, and whatever follows from a debt calls it before: nobody is
/// charged, reminded or written off while their own money is held. An invoice that a bank is already paying is left
/// out. Whether they had such money.
pub fn apply_unallocated(cx: &mut Write, client: ClientId, currency: Currency) -> Result<bool> {
    let mut waiting = unallocated(cx, client, currency)?;
    if waiting.is_empty() {
        return Ok(false);
    }
    for mut bill in Invoice::due_of(cx, client, currency)? {
        if charging::is_with_the_bank(cx, bill.invoice_id)? {
            continue;
        }
        for before in &mut waiting {
            let share = before.unallocated.min(bill.balance);
            if share > 0 {
                *before = apply(cx, before, &mut bill, share)?;
            }
        }
    }
    Ok(true)
}

/// Pays part of an invoice from the unallocated rest of a payment; returns the payment afterwards.
fn apply(cx: &mut Write, before: &Payment, bill: &mut Invoice, share: i64) -> Result<Payment> {
    let mut payment = before.clone();
    payment.unallocated -= share;
    payment.save(cx, before)?;
    allocate(cx, payment.payment_id, bill, share)?;
    Ok(payment)
}

/// Asks ahead for the payments of a client with an unallocated rest.
pub fn ask_ahead(cx: &mut Read, client: ClientId, currency: Currency) -> Result<()> {
    cx.ask_ahead(UNALLOCATED, params![client, currency])
}

/// Payments of a client with an unallocated rest. Those of walk-in customers stay theirs: they pay nothing of the next.
pub fn unallocated(cx: &mut Read, client: ClientId, currency: Currency) -> Result<Vec<Payment>> {
    cx.all(UNALLOCATED, params![client, currency])
}

fn allocate(cx: &mut Write, payment: PaymentId, bill: &mut Invoice, share: i64) -> Result<()> {
    if share == 0 {
        return Ok(());
    }
    cx.defer(ADD, params![payment, bill.invoice_id, share])?;
    let turned = bill.weigh(cx, share, 0)?;
    account_status::follow(cx, bill, turned)
}

/// Frees an amount that paid an invoice, of one payment or of the latest first, to be refunded or to pay another
/// invoice. The caller saves the invoice.
pub fn free(cx: &mut Write, bill: InvoiceId, amount: i64, of: Option<PaymentId>) -> Result<()> {
    let mut paying: Vec<(PaymentId, i64)> = cx.all(PAYING, params![bill])?;
    paying.retain(|(payment, _)| of.is_none_or(|of| of == *payment));
    let mut left = amount;
    for (payment, allocated) in paying.into_iter().rev() {
        let share = left.min(allocated);
        if share == 0 {
            break;
        }
        left -= share;
        cx.defer(ADD, params![payment, bill, -share])?;
        let before = Payment::find(cx, payment)?;
        let mut payment = before.clone();
        payment.unallocated += share;
        payment.save(cx, &before)?;
    }
    Ok(())
}

/// Takes an amount of a payment back: the unallocated rest first, then from invoices, the last paid first. The caller
/// saves the payment.
pub fn take_back(cx: &mut Write, payment: &mut Payment, amount: i64) -> Result<()> {
    let unallocated = amount.min(payment.unallocated);
    payment.unallocated -= unallocated;
    let mut left = amount - unallocated;
    for allocation in of_payment(cx, payment.payment_id)?.into_iter().rev() {
        let share = left.min(allocation.amount);
        if share == 0 {
            break;
        }
        left -= share;
        let mut bill = Invoice::find(cx, allocation.invoice_id)?;
        cx.defer(ADD, params![payment.payment_id, bill.invoice_id, -share])?;
        let turned = bill.weigh(cx, -share, 0)?;
        account_status::follow(cx, &bill, turned)?;
    }
    Ok(())
}

/// The allocations of a payment, in the order of the invoices.
pub fn of_payment(cx: &mut Read, payment: PaymentId) -> Result<Vec<Allocation>> {
    cx.all(OF_PAYMENT, params![payment])
}

/// The same for several payments, in one query.
pub fn of_payments(cx: &mut Read, payments: &[PaymentId]) -> Result<Vec<Vec<Allocation>>> {
    cx.all_each(OF_PAYMENT, payments.iter().map(|id| vec![id.bind().into_owned()]))
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    UNALLOCATED = "SELECT ", Payment::COLUMNS, " FROM payment WHERE company_id = ?1 AND client_id = ?2 \
        AND unallocated > 0 AND currency = ?3 AND status = 'succeeded' AND NOT EXISTS (SELECT 1 FROM client \
        WHERE client.company_id = ?1 AND client.client_id = ?2 AND client.is_walk_in) \
        ORDER BY payment_id LIMIT 1000";
    ADD = "INSERT INTO allocation (company_id, payment_id, invoice_id, amount) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (company_id, payment_id, invoice_id) \
        DO UPDATE SET amount = allocation.amount + excluded.amount";
    OF_PAYMENT = "SELECT ", Allocation::COLUMNS, " FROM allocation WHERE company_id = ?1 \
        AND payment_id = ?2 AND amount > 0 ORDER BY invoice_id LIMIT 1000";
    PAYING = "SELECT payment_id, amount FROM allocation WHERE company_id = ?1 AND invoice_id = ?2 \
        AND amount > 0 ORDER BY payment_id LIMIT 1000";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bills_are_paid_in_order() {
        assert_eq!(shares(100, &[30, 50, 40]), (vec![30, 50, 20], 0));
        assert_eq!(shares(100, &[30]), (vec![30], 70));
        assert_eq!(shares(0, &[30]), (vec![0], 0));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(amount in 0i64..10_000, balances in prop::collection::vec(0i64..3_000, 0..8)) {
            let (shares, left) = shares(amount, &balances);
            prop_assert_eq!(shares.iter().sum::<i64>() + left, amount);
            prop_assert!(shares.iter().zip(&balances).all(|(share, balance)| share <= balance));
            // No invoice is paid while an earlier one is not.
            let first = shares.iter().zip(&balances).position(|(share, balance)| share < balance);
            prop_assert!(first.is_none_or(|at| left == 0 && shares[at + 1..].iter().all(|share| *share == 0)));
        }
    }
}
