//! What is kept of a client: what a data export holds of it, and what is left of it once they are erased: what accounts
//! are made of, which the law has companies keep for years (in the Netherlands and Germany seven to ten). Who owes
//! something, or has something under way, is not erased.

use spotter_contract::{Area, Effect, Ending, Fate, Part, Trace, With, Write};
use spotter_kernel::{Id, Problem, Result};
use spotter_store::{params, statements};

use crate::billing::paper;

fn check_settled(cx: &mut Write, client: Id) -> Result<u64> {
    for (sql, rule) in [
        (OWED, "must owe nothing: there are invoices to pay, to credit or to write off"),
        (RUNNING, "must have no membership that runs or is to be billed"),
        (UNDER_WAY, "must have no payment under way"),
        (DISPUTED, "must have no dispute that is open"),
    ] {
        if cx.one::<(i64,)>(sql, params![client])?.is_some() {
            return Err(Problem::conflict("clientId", rule));
        }
    }
    Ok(0)
}

const ENDS: &[Effect] = &[Effect::new(
    Ending::ClientErased,
    "Refused while they owe something, or a membership, a payment or a dispute is under way.",
    check_settled,
)];

/// Why accounts stay.
const ACCOUNTS: &str = "All of it: what accounts are made of is kept by law.";

const EXPORTS: &[Part] = &[
    Part::of("products", "list_client_products"),
    Part::of("subscriptions", "list_subscriptions")
        .with(&[With::Listed("requests", "list_subscription_requests")]),
    Part::of("invoices", "list_invoices").with(&[With::File("invoiceId", paper::read)]),
    Part::of("payments", "list_payments"),
    Part::of("payment-requests", "list_payment_requests"),
    Part::of("chargebacks", "list_chargebacks"),
    Part::of("billing-details", "get_billing_details"),
    Part::of("payment-methods", "list_payment_methods"),
    Part::of("credits", "get_credits"),
    Part::of("credit-entries", "list_credit_entries"),
];

const TRACES: &[Trace] = &[
    Trace::stays(
        "invoice",
        "All of it, with the name and the address on it: invoices are kept by law.",
    ),
    Trace::stays("payment", ACCOUNTS),
    Trace::stays("refund", ACCOUNTS),
    Trace::stays("allocation", ACCOUNTS),
    Trace::stays("payment_request", ACCOUNTS),
    Trace::stays("chargeback", ACCOUNTS),
    Trace::stays("pending_charge", ACCOUNTS),
    Trace::emptied("client_product", "What was sold, and when: no reasons.", Fate::By(PRODUCTS)),
    Trace::stays("subscription", "What was sold, and when."),
    Trace::emptied(
        "subscription_request",
        "What was asked for, and when: no reasons.",
        Fate::By(REQUESTS),
    ),
    Trace::stays("credit_lot", "What was granted and used."),
    Trace::emptied("credit_entry", "What was granted and used: no reasons.", Fate::By(ENTRIES)),
    Trace::stays("entitlement_hold", "What was granted and used."),
    Trace::emptied(
        "payment_method",
        "That there was one, which payments refer to.",
        Fate::By(METHODS),
    ),
    Trace::gone("payment_setup", Fate::By(SETUPS)),
    Trace::gone("billing_details", Fate::By(BILLING_DETAILS)),
];

/// What this chapter brings.
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
