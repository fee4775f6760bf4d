//! Checks of the books: rules that hold between invoices, payments, credits and timers, tested on every row of a
//! company. A correct program finds nothing, so whatever is found is reported to the operator.

use spotter_company::companies;
use spotter_contract::{Actor, Area, Caller, Read, Repeating, timers::RepeatedWork};
use spotter_kernel::{Result, Timestamp, id::CompanyId};
use spotter_store::{Sql, Tx, params, statements};

/// What does not hold, and of which record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The company whose books are wrong.
    pub company: CompanyId,
    /// What does not hold.
    pub rule: &'static str,
    /// What the finding is about: an id, or a name for it.
    pub of: String,
}

/// Rules, each with the statement that finds what breaks it.
const RULES: &[(&str, Sql)] = &[
    ("the amounts of an invoice add up", AMOUNTS),
    ("an invoice stands where its balance says", OPEN_INVOICES),
    ("an invoice is paid with what payments pay of it", PAID),
    ("an invoice is credited by its credit notes", CREDITED),
    ("numbers of a series and year have no gap", NUMBERS),
    ("dates of issue do not go back", DATES),
    ("no day of a membership is billed twice", BILLED_TWICE),
    ("a payment pays, waits, went back or was taken back, as a whole", PAYMENTS),
    ("what went back of a payment is its refunds", REFUNDS),
    ("what banks took back of a payment is its chargebacks", DISPUTED),
    ("a payment that is to be charged has its job", CHARGED),
    ("money that is to go back has its job", RETURNED),
    ("credits are what their entries make them", ENTRIES),
    ("no more is held of credits than is left", LEFT),
    ("what is held of credits is held by bookings", HELD),
    ("a membership that is to be billed has its timer", RENEWING),
    ("a membership that goes on is billed for all of its days", UNBILLED),
    ("a bill that is to be paid has its timer", IN_DUNNING),
    ("what ended because a bill was given up is not billed from that day on", BILLED_AFTER),
    ("no bill is due while money of its client is held", HELD_MONEY),
];

/// The rules that do not hold in the books of the current company.
pub fn findings(cx: &mut Read) -> Result<Vec<Finding>> {
    let company = cx.company();
    let mut found = Vec::new();
    for (rule, sql) in RULES {
        let broken: Vec<(String,)> = cx.all(*sql, params![])?;
        found.extend(broken.into_iter().map(|(of,)| Finding { company, rule, of }));
    }
    Ok(found)
}

/// The same for every company.
pub fn all_findings(tx: &mut Tx<'_>, now: Timestamp) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    companies::for_each(tx, |tx, company| {
        found.extend(findings_of(tx, company.company_id, now)?);
        Ok(())
    })?;
    Ok(found)
}

fn findings_of(tx: &mut Tx<'_>, company: CompanyId, now: Timestamp) -> Result<Vec<Finding>> {
    let caller = Caller::new(company, Actor::System);
    findings(&mut Read::new(tx, &caller, now))
}

fn audit(tx: &mut Tx<'_>, company: CompanyId, now: Timestamp) -> Result<()> {
    for Finding { company, rule, of } in findings_of(tx, company, now)? {
        tracing::error!(%company, rule, of, "the daily audit found a difference");
    }
    Ok(())
}

const REPEATING: &[Repeating] = &[Repeating {
    id: "audit_books",
    summary: "Audit the books of every company",
    seconds: 86_400,
    work: RepeatedWork::Look(audit),
}];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).repeats(REPEATING)
}

statements! {
    AMOUNTS = "SELECT invoice_id FROM invoice WHERE company_id = ?1 AND (gross_total <> net_total + tax_total \
        OR (kind = 'invoice' AND balance <> gross_total - paid_total - credited_total) \
        OR (kind = 'credit_note' AND balance <> 0) OR balance < 0 OR paid_total < 0 OR credited_total < 0) \
        ORDER BY invoice_id LIMIT 100";
    OPEN_INVOICES = "SELECT invoice_id FROM invoice WHERE company_id = ?1 AND kind = 'invoice' \
        AND ((status IN ('open', 'overdue', 'uncollectible')) <> (balance > 0)) ORDER BY invoice_id LIMIT 100";
    PAID = "SELECT i.invoice_id FROM invoice i LEFT JOIN allocation a ON a.company_id = i.company_id \
        AND a.invoice_id = i.invoice_id WHERE i.company_id = ?1 GROUP BY i.invoice_id, i.paid_total \
        HAVING i.paid_total <> COALESCE(SUM(a.amount), 0) ORDER BY i.invoice_id LIMIT 100";
    CREDITED = "SELECT i.invoice_id FROM invoice i LEFT JOIN invoice n ON n.company_id = i.company_id \
        AND n.corrects_invoice_id = i.invoice_id WHERE i.company_id = ?1 AND i.kind = 'invoice' \
        GROUP BY i.invoice_id, i.credited_total, i.tax_total, i.gross_total \
        HAVING i.credited_total <> COALESCE(SUM(n.gross_total), 0) OR (i.credited_total = i.gross_total \
        AND i.credited_total > 0 AND i.tax_total <> SUM(n.tax_total)) ORDER BY i.invoice_id LIMIT 100";
    NUMBERS = "SELECT s.series || '-' || s.year FROM invoice_series s WHERE s.company_id = ?1 \
        AND s.last_number <> (SELECT COUNT(*) FROM invoice i WHERE i.company_id = ?1 \
        AND i.series = s.series AND i.number LIKE s.series || '-' || s.year || '-%') LIMIT 100";
    DATES = "SELECT number FROM (SELECT number, issue_date, LAG(issue_date) OVER (PARTITION BY series \
        ORDER BY number) AS earlier FROM invoice WHERE company_id = ?1) AS dated \
        WHERE issue_date < earlier LIMIT 100";
    BILLED_TWICE = "SELECT invoice_id FROM (SELECT invoice_id, period_start, MAX(period_end) OVER \
        (PARTITION BY subscription_id ORDER BY period_start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) \
        AS billed_until FROM invoice WHERE company_id = ?1 AND kind = 'invoice' AND subscription_id IS NOT NULL) \
        AS dated WHERE period_start < billed_until LIMIT 100";
    PAYMENTS = "SELECT p.payment_id FROM payment p LEFT JOIN allocation a ON a.company_id = p.company_id \
        AND a.payment_id = p.payment_id WHERE p.company_id = ?1 GROUP BY p.payment_id, p.amount, \
        p.unallocated, p.refunded_total, p.disputed_total, p.status HAVING p.unallocated < 0 \
        OR MIN(COALESCE(a.amount, 0)) < 0 OR COALESCE(SUM(a.amount), 0) + p.unallocated <> CASE p.status \
        WHEN 'succeeded' THEN p.amount - p.refunded_total - p.disputed_total ELSE 0 END \
        ORDER BY p.payment_id LIMIT 100";
    REFUNDS = "SELECT p.payment_id FROM payment p LEFT JOIN refund r ON r.company_id = p.company_id \
        AND r.payment_id = p.payment_id AND r.status <> 'failed' WHERE p.company_id = ?1 \
        GROUP BY p.payment_id, p.refunded_total HAVING p.refunded_total <> COALESCE(SUM(r.amount), 0) \
        ORDER BY p.payment_id LIMIT 100";
    DISPUTED = "SELECT p.payment_id FROM payment p LEFT JOIN chargeback c ON c.company_id = p.company_id \
        AND c.payment_id = p.payment_id AND c.status <> 'won' WHERE p.company_id = ?1 \
        GROUP BY p.payment_id, p.disputed_total HAVING p.disputed_total < 0 OR p.disputed_total <> COALESCE(SUM(c.taken), 0) \
        ORDER BY p.payment_id LIMIT 100";
    CHARGED = "SELECT p.payment_id FROM payment p JOIN provider_payment w ON w.company_id = p.company_id \
        AND w.payment_id = p.payment_id WHERE p.company_id = ?1 AND p.status IN ('pending', 'processing') \
        AND NOT EXISTS (SELECT 1 FROM job j WHERE j.company_id = ?1 \
        AND j.kind = 'charge_payment' AND j.subject = p.payment_id AND j.due_at IS NOT NULL) \
        AND NOT EXISTS (SELECT 1 FROM timer t WHERE t.company_id = ?1 \
        AND t.kind = 'ask_about_payment' AND t.subject = p.payment_id) ORDER BY p.payment_id LIMIT 100";
    RETURNED = "SELECT r.refund_id FROM refund r WHERE r.company_id = ?1 AND r.status = 'pending' \
        AND NOT EXISTS (SELECT 1 FROM job j WHERE j.company_id = ?1 AND j.kind = 'send_refund' \
        AND j.subject = r.refund_id AND j.due_at IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM timer t \
        WHERE t.company_id = ?1 AND t.kind = 'send_refund_again' AND t.subject = r.refund_id) \
        ORDER BY r.refund_id LIMIT 100";
    ENTRIES = "SELECT l.credit_lot_id FROM credit_lot l LEFT JOIN credit_entry e \
        ON e.company_id = l.company_id AND e.credit_lot_id = l.credit_lot_id WHERE l.company_id = ?1 \
        GROUP BY l.credit_lot_id, l.granted, l.remaining, l.held \
        HAVING l.granted <> COALESCE(SUM(CASE WHEN e.kind = 'grant' THEN e.amount END), 0) \
        OR l.remaining <> COALESCE(SUM(CASE WHEN e.kind IN ('grant', 'adjust', 'settle') THEN e.amount \
        WHEN e.kind IN ('consume', 'expire', 'revoke') THEN -e.amount END), 0) \
        OR l.held <> COALESCE(SUM(CASE WHEN e.kind = 'hold' THEN e.amount \
        WHEN e.kind IN ('release', 'consume') THEN -e.amount END), 0) ORDER BY l.credit_lot_id LIMIT 100";
    LEFT = "SELECT credit_lot_id FROM credit_lot WHERE company_id = ?1 AND (held < 0 OR (source <> 'debt' \
        AND (remaining < 0 OR held > remaining))) ORDER BY credit_lot_id LIMIT 100";
    HELD = "SELECT l.credit_lot_id FROM credit_lot l LEFT JOIN entitlement_hold h \
        ON h.company_id = l.company_id AND h.part_id = l.credit_lot_id AND h.state = 'held' \
        WHERE l.company_id = ?1 GROUP BY l.credit_lot_id, l.held HAVING l.held <> COALESCE(SUM(h.units), 0) \
        ORDER BY l.credit_lot_id LIMIT 100";
    RENEWING = "SELECT s.subscription_id FROM subscription s WHERE s.company_id = ?1 \
        AND s.next_billing_date IS NOT NULL AND (s.status IN ('cancelled', 'expired') OR NOT EXISTS (\
        SELECT 1 FROM timer t WHERE t.company_id = ?1 AND t.kind = 'turn_sale' \
        AND t.subject = s.client_product_id)) ORDER BY s.subscription_id LIMIT 100";
    UNBILLED = "SELECT subscription_id FROM subscription WHERE company_id = ?1 AND next_billing_date IS NULL \
        AND status IN ('scheduled', 'active', 'past_due') AND (end_date IS NULL OR paid_until < end_date) \
        ORDER BY subscription_id LIMIT 100";
    HELD_MONEY = "SELECT i.invoice_id FROM invoice i WHERE i.company_id = ?1 AND i.kind = 'invoice' \
        AND i.status IN ('open', 'overdue') AND EXISTS (SELECT 1 FROM payment p \
        WHERE p.company_id = ?1 AND p.client_id = i.client_id AND p.currency = i.currency \
        AND p.unallocated > 0 AND p.status = 'succeeded') AND NOT EXISTS (SELECT 1 FROM payment w \
        WHERE w.company_id = ?1 AND w.invoice_id = i.invoice_id \
        AND w.status IN ('pending', 'processing')) ORDER BY i.invoice_id LIMIT 100";
    BILLED_AFTER = "SELECT i.invoice_id FROM invoice i JOIN subscription s ON s.company_id = i.company_id \
        AND s.subscription_id = i.subscription_id JOIN client_product c ON c.company_id = s.company_id \
        AND c.client_product_id = s.client_product_id WHERE i.company_id = ?1 AND i.kind = 'invoice' \
        AND i.credited_total = 0 AND i.period_start >= s.end_date AND EXISTS (SELECT 1 FROM invoice u \
        WHERE u.company_id = ?1 AND u.subscription_id = i.subscription_id \
        AND u.invoice_id <> i.invoice_id AND u.status = 'uncollectible' AND u.updated_at = c.revoked_at) \
        ORDER BY i.invoice_id LIMIT 100";
    IN_DUNNING = "SELECT i.invoice_id FROM invoice i WHERE i.company_id = ?1 AND i.kind = 'invoice' \
        AND i.status IN ('open', 'overdue') AND NOT EXISTS (SELECT 1 FROM timer t \
        WHERE t.company_id = ?1 AND t.kind = 'chase_invoice' AND t.subject = i.invoice_id) \
        ORDER BY i.invoice_id LIMIT 100";
}
