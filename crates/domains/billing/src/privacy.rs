//! Privacy: what a data export contains of a client's billing, and what remains after erasure: accounting records,
//! which the law has companies keep for years (seven to ten in the Netherlands and Germany). A client who owes
//! something, or has something in progress, cannot be erased.

use spotter_contract::{
    Area, Effect, ErasureAction, ErasureRule, ExportSection, Offboarding, RelatedRecords, Write,
};
use spotter_kernel::{Id, Problem, Result};
use spotter_store::{params, statements};

use crate::{billing::invoice_pdf, effects::BillingEffect, rules::BillingRule};

fn check_settled(cx: &mut Write, client: Id) -> Result<u64> {
    for (sql, rule) in [
        (OWED, BillingRule::InvoicesOwed),
        (RUNNING, BillingRule::MembershipRuns),
        (UNDER_WAY, BillingRule::PaymentRuns),
        (DISPUTED, BillingRule::DisputeOpen),
    ] {
        if cx.one::<(i64,)>(sql, params![client])?.is_some() {
            return Err(Problem::conflict("clientId", rule));
        }
    }
    Ok(0)
}

const ENDS: &[Effect] = &[Effect::new(
    Offboarding::ClientErased,
    || BillingEffect::RefusedWhileOwing.into(),
    check_settled,
)];

/// Why accounts stay.
const ACCOUNTS: &str = "All of it: retained as required by accounting law.";

const EXPORTS: &[ExportSection] = &[
    ExportSection::of("products", "list_client_products"),
    ExportSection::of("subscriptions", "list_subscriptions")
        .with(&[RelatedRecords::Listed("requests", "list_subscription_requests")]),
    ExportSection::of("invoices", "list_invoices")
        .with(&[RelatedRecords::File("invoiceId", invoice_pdf::read)]),
    ExportSection::of("payments", "list_payments"),
    ExportSection::of("payment-requests", "list_payment_requests"),
    ExportSection::of("chargebacks", "list_chargebacks"),
    ExportSection::of("billing-details", "get_billing_details"),
    ExportSection::of("payment-methods", "list_payment_methods"),
    ExportSection::of("credits", "get_credits"),
    ExportSection::of("credit-entries", "list_credit_entries"),
];

const TRACES: &[ErasureRule] = &[
    ErasureRule::stays(
        "invoice",
        "All of it, with the name and address on it: retained as required by accounting law.",
    ),
    ErasureRule::stays("payment", ACCOUNTS),
    ErasureRule::stays("refund", ACCOUNTS),
    ErasureRule::stays("allocation", ACCOUNTS),
    ErasureRule::stays("payment_request", ACCOUNTS),
    ErasureRule::stays("chargeback", ACCOUNTS),
    ErasureRule::stays("pending_charge", ACCOUNTS),
    ErasureRule::emptied(
        "client_product",
        "What was sold, and when: no reasons.",
        ErasureAction::By(PRODUCTS),
    ),
    ErasureRule::stays("subscription", "What was sold, and when."),
    ErasureRule::emptied(
        "subscription_request",
        "What was requested, and when: no reasons.",
        ErasureAction::By(REQUESTS),
    ),
    ErasureRule::stays("credit_lot", "Granted and used credits."),
    ErasureRule::emptied(
        "credit_entry",
        "Granted and used credits: no reasons.",
        ErasureAction::By(ENTRIES),
    ),
    ErasureRule::stays("entitlement_hold", "Granted and used credits."),
    ErasureRule::emptied(
        "payment_method",
        "That there was one, because payments refer to it.",
        ErasureAction::By(METHODS),
    ),
    ErasureRule::gone("payment_setup", ErasureAction::By(SETUPS)),
    ErasureRule::gone("billing_details", ErasureAction::By(BILLING_DETAILS)),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).ends(ENDS).exports(EXPORTS).erases(TRACES)
}

statements! {
    OWED = "SELECT balance FROM invoice WHERE company_id = ?1 AND client_id = ?2 \
        AND status IN ('open', 'overdue') AND balance > 0 LIMIT 1";
    RUNNING = "SELECT price FROM subscription WHERE company_id = ?1 AND client_id = ?2 \
        AND status NOT IN ('cancelled', 'expired') LIMIT 1";
    UNDER_WAY = "SELECT amount FROM payment WHERE company_id = ?1 AND client_id = ?2 AND status IN ('pending', 'processing') LIMIT 1";
    DISPUTED = "SELECT amount FROM chargeback WHERE company_id = ?1 AND client_id = ?2 AND status IN ('open', 'under_review') LIMIT 1";
    PRODUCTS = "UPDATE client_product SET revoke_reason = NULL, external_id = NULL \
        WHERE company_id = ?1 AND client_id = ?2";
    REQUESTS = "UPDATE subscription_request SET reason = NULL WHERE company_id = ?1 AND subscription_id IN \
        (SELECT subscription_id FROM subscription WHERE company_id = ?1 AND client_id = ?2)";
    ENTRIES = "UPDATE credit_entry SET reason = NULL WHERE company_id = ?1 AND client_id = ?2";
    METHODS = "UPDATE payment_method SET holder_name = NULL, last4 = '', exp_month = NULL, exp_year = NULL, \
        brand = NULL, customer = NULL, token = '', is_default = FALSE WHERE company_id = ?1 AND client_id = ?2";
    SETUPS = "DELETE FROM payment_setup WHERE company_id = ?1 AND client_id = ?2";
    BILLING_DETAILS = "DELETE FROM billing_details WHERE company_id = ?1 AND client_id = ?2";
}
