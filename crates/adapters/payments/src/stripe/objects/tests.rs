//! Tests of the rules.

use super::*;
use serde_json::{Value, json};

fn intent(facts: Value) -> PaymentIntent {
    let mut whole = json!({"id": "pi_1", "status": "succeeded", "amount": 100, "currency": "eur",
        "payment_method_types": ["card"],
        "metadata": {PAYMENT: "0197c0de-0000-7000-8000-000000000001"}});
    whole.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
    serde_json::from_value(whole).unwrap()
}

#[test]
fn payment_states_are_translated() {
    let failed = |word: &str| {
        json!({"status": "requires_payment_method", "last_payment_error": {"code": "card_declined",
            "decline_code": word}})
    };
    let on_page = json!({PAYMENT: "x", PAGE: "yes"});
    let mut on_a_page = failed("generic_decline");
    on_a_page["metadata"] = on_page.clone();
    for (facts, outcome) in [
        (json!({}), ChargeOutcome::Succeeded(PaymentKind::Card)),
        (
            json!({"latest_charge": {"id": "ch_1", "payment_method_details": {"type": "ideal"}}}),
            ChargeOutcome::Succeeded(PaymentKind::Ideal),
        ),
        (
            json!({"status": "processing", "payment_method_types": ["sepa_debit"],
                "latest_charge": "ch_1"}),
            ChargeOutcome::Processing(PaymentKind::SepaDebit),
        ),
        (failed("generic_decline"), ChargeOutcome::Failed(FailureCode::Declined)),
        (failed("insufficient_funds"), ChargeOutcome::Failed(FailureCode::InsufficientFunds)),
        (failed("expired_card"), ChargeOutcome::Failed(FailureCode::MethodExpired)),
        (failed("stolen_card"), ChargeOutcome::Failed(FailureCode::MethodRevoked)),
        (
            failed("authentication_required"),
            ChargeOutcome::Failed(FailureCode::AuthenticationRequired),
        ),
        (json!({"status": "requires_payment_method"}), ChargeOutcome::Waiting),
        (on_a_page, ChargeOutcome::Waiting),
        (json!({"status": "canceled", "metadata": on_page}), ChargeOutcome::Cancelled),
        (
            json!({"status": "canceled", "cancellation_reason": ABANDONED}),
            ChargeOutcome::Failed(FailureCode::AuthenticationRequired),
        ),
        (json!({"status": "something_new"}), ChargeOutcome::Waiting),
    ] {
        assert_eq!(intent(facts.clone()).outcome(), outcome, "{facts}");
    }
}

#[test]
fn a_page_is_open_until_it_is_left_or_over() {
    let session = |status: &str, intent: Value| -> CheckoutSession {
        serde_json::from_value(json!({"id": "cs_1", "url": null, "status": status,
            "payment_intent": intent, "setup_intent": null}))
        .unwrap()
    };
    let paid = |status: &str| {
        json!({"id": "pi_1", "status": status, "amount": 100, "currency": "eur", "metadata": {PAGE: "yes"},
            "last_payment_error": {"code": "x", "decline_code": "insufficient_funds"}})
    };
    let open = session("open", Value::Null).result();
    assert_eq!((open.outcome, open.reference.as_deref()), (ChargeOutcome::Waiting, Some("cs_1")));
    let tried = session("open", paid("requires_payment_method")).result();
    assert_eq!(tried.outcome, ChargeOutcome::Waiting);
    let done = session("complete", paid("succeeded")).result();
    assert_eq!(done.reference.as_deref(), Some("pi_1"));
    assert_eq!(done.outcome, ChargeOutcome::Succeeded(PaymentKind::Card));
    let bounced = session("complete", paid("requires_payment_method")).result();
    assert_eq!(bounced.outcome, ChargeOutcome::Failed(FailureCode::InsufficientFunds));
    assert_eq!(session("expired", Value::Null).result().outcome, ChargeOutcome::Cancelled);
    // By its own name, too, once the page is left.
    let left: PaymentIntent = serde_json::from_value(paid("requires_payment_method")).unwrap();
    let code = FailureCode::InsufficientFunds;
    assert_eq!(left.result_after_page().outcome, ChargeOutcome::Failed(code));
    let euro = Currency::parse("EUR").unwrap();
    assert_eq!(left.result().money, Some(Money { amount: 100, currency: euro }));
    for strange in ["xyz", ""] {
        let strange = intent(json!({"currency": strange})).result();
        assert!(matches!(strange.outcome, ChargeOutcome::Unknown(_)), "{strange:?}");
    }
}

#[test]
fn refusals_explain_failed_charges() {
    let refusal = |status: u16, facts: Value| StripeRefusal {
        status,
        ..serde_json::from_value(facts).unwrap()
    };
    let card = json!({"type": "card_error", "code": "card_declined",
        "decline_code": "insufficient_funds"});
    assert_eq!(refusal(402, card).failure(), FailureCode::InsufficientFunds);
    let gone = json!({"type": "invalid_request_error", "code": "resource_missing",
        "param": "payment_method"});
    assert_eq!(refusal(400, gone).failure(), FailureCode::MethodRevoked);
    let small = json!({"type": "invalid_request_error", "code": "amount_too_small"});
    assert_eq!(refusal(400, small).failure(), FailureCode::ProviderError);
    let key = refusal(400, json!({"type": "idempotency_error"}));
    assert!(!key.is_final());
    for (status, is_final) in [(400, true), (401, false), (402, true), (409, false), (500, false)] {
        assert_eq!(refusal(status, json!({})).is_final(), is_final, "{status}");
    }
}

#[test]
fn amounts_are_counted_as_stripe_counts_them() {
    let currency = |code: &str| Currency::parse(code).unwrap();
    for (code, amount, counted) in [
        ("EUR", 1250, 1250),
        ("JPY", 1250, 1250),
        ("ISK", 1250, 125_000),
        ("KWD", 1250, 1250),
        ("MGA", 1200, 12),
    ] {
        assert_eq!(units(amount, currency(code)), Some(counted), "{code}");
        assert_eq!(from_units(counted, currency(code)), amount, "{code}");
    }
    assert_eq!(units(1250, currency("MGA")), None);
}

#[test]
fn disputes_are_about_the_payments_money() {
    let notice = |amount: i64, currency: &str| {
        let intent = json!({"id": "pi_1", "status": "succeeded", "amount": 100, "currency": "eur",
            "metadata": {PAYMENT: "0197c0de0000700080000001"}});
        let dispute = json!({"id": "dp_1", "amount": amount, "currency": currency,
            "reason": "fraudulent", "status": "needs_response", "payment_intent": intent,
            "charge": null, "evidence_details": null});
        serde_json::from_value::<DisputeObject>(dispute).unwrap().to_dispute()
    };
    assert_eq!(notice(100, "eur").unwrap().amount, 100);
    for (amount, currency) in [(0, "eur"), (-5, "eur"), (i64::MIN, "isk"), (100, "usd")] {
        assert!(notice(amount, currency).is_none(), "{amount} {currency}");
    }
}

#[test]
fn notices_are_read_as_far_as_they_are_about_something_of_ours() {
    let event = |kind: &str, object: Value| {
        let output = json!({"id": "evt_1", "type": kind, "data": {"object": object}});
        serde_json::from_value::<StripeEvent>(output).unwrap().notice()
    };
    let submitted = |notice: Option<Notice>| notice.map(|notice| (notice.about, notice.reference));
    assert_eq!(
        submitted(event(
            "payment_intent.succeeded",
            json!({"id": "pi_1", "metadata": {PAYMENT: "a"}})
        )),
        Some((NoticeAbout::Payment, "a".to_owned()))
    );
    assert_eq!(
        submitted(event("payment_intent.succeeded", json!({"id": "pi_1", "metadata": {}}))),
        None
    );
    let session = |mode: &str| json!({"id": "cs_1", "mode": mode, "client_reference_id": "b"});
    assert_eq!(
        submitted(event("checkout.session.completed", session("setup"))),
        Some((NoticeAbout::Setup, "b".to_owned()))
    );
    assert_eq!(
        submitted(event("checkout.session.expired", session("payment"))),
        Some((NoticeAbout::Payment, "b".to_owned()))
    );
    assert_eq!(submitted(event("checkout.session.completed", session("subscription"))), None);
    assert_eq!(
        submitted(event("charge.dispute.created", json!({"id": "dp_1"}))),
        Some((NoticeAbout::Dispute, "dp_1".to_owned()))
    );
    assert_eq!(submitted(event("customer.created", json!({"id": "cus_1"}))), None);
}
