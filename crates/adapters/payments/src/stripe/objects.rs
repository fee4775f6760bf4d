//! What Stripe's answers say, as far as they are read, and what that is in the words of the area of finance.

use std::collections::BTreeMap;

use serde::Deserialize;
use spotter_billing::{
    collecting::{
        method::{MethodFacts, MethodType},
        provider::{
            ChargebackKind, ChargebackStatus, Dispute, Notice, NoticeAbout, Outcome, PaymentResult,
        },
    },
    ids::PaymentId,
    payments::payment::{FailureCode, PaymentKind},
};
use spotter_kernel::{Id, Timestamp, money::Currency};

use super::wire::Refusal;

/// What we write beside a thing of Stripe's: whose payment or refund it is.
type Metadata = BTreeMap<String, String>;

/// The name under which a payment's id stands in metadata.
pub const PAYMENT: &str = "spotter_payment";
/// The same of a refund's.
pub const REFUND: &str = "spotter_refund";
/// The name under which it stands that a payment is made on a page, with its client there.
pub const PAGE: &str = "spotter_page";
/// Why we cancel a payment: it asked for its client, who was not there.
pub const NOBODY_THERE: &str = "abandoned";

/// Something of Stripe's: its id alone, unless it was asked for as a whole.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Expandable<T> {
    /// As a whole.
    Whole(T),
    /// Id of the record.
    Id(String),
}

impl<T> Expandable<T> {
    fn expanded(&self) -> Option<&T> {
        match self {
            Self::Whole(whole) => Some(whole),
            Self::Id(_) => None,
        }
    }
}

/// A list of things.
#[derive(Debug, Deserialize)]
pub struct List<T> {
    /// The things of this page.
    pub data: Vec<T>,
}

/// How something was paid.
#[derive(Debug, Clone, Deserialize)]
pub struct Details {
    r#type: String,
}

/// Money that was fetched.
#[derive(Debug, Clone, Deserialize)]
pub struct Charge {
    payment_method_details: Option<Details>,
}

/// A payment.
#[derive(Debug, Clone, Deserialize)]
pub struct PaymentIntent {
    /// What Stripe calls it.
    pub id: String,
    status: String,
    amount: i64,
    amount_received: Option<i64>,
    currency: String,
    last_payment_error: Option<LastError>,
    cancellation_reason: Option<String>,
    latest_charge: Option<Expandable<Charge>>,
    #[serde(default)]
    payment_method_types: Vec<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Debug, Clone, Deserialize)]
struct LastError {
    code: Option<String>,
    decline_code: Option<String>,
}

/// How something was paid, in our words.
fn kind(word: &str) -> PaymentKind {
    match word {
        "sepa_debit" => PaymentKind::SepaDebit,
        "ideal" => PaymentKind::Ideal,
        "customer_balance" | "bancontact" | "eps" | "p24" | "giropay" | "sofort" => {
            PaymentKind::BankTransfer
        }
        _ => PaymentKind::Card,
    }
}

/// Why a payment failed, by the bank's word or Stripe's.
/// See <https://docs.stripe.com/declines/codes> and <https://docs.stripe.com/error-codes>.
fn failure(decline_code: Option<&str>, code: Option<&str>) -> FailureCode {
    match decline_code.or(code).unwrap_or_default() {
        "insufficient_funds" | "withdrawal_count_limit_exceeded" => FailureCode::InsufficientFunds,
        "expired_card" | "invalid_expiry_month" | "invalid_expiry_year" => {
            FailureCode::MethodExpired
        }
        "authentication_required"
        | "payment_intent_authentication_failure"
        | "authentication_not_handled" => FailureCode::AuthenticationRequired,
        "lost_card"
        | "stolen_card"
        | "pickup_card"
        | "revocation_of_authorization"
        | "revocation_of_all_authorizations"
        | "stop_payment_order"
        | "debit_not_authorized"
        | "account_closed"
        | "bank_account_closed"
        | "no_account"
        | "resource_missing" => FailureCode::MethodRevoked,
        _ => FailureCode::Declined,
    }
}

impl LastError {
    fn failure(&self) -> FailureCode {
        failure(self.decline_code.as_deref(), self.code.as_deref())
    }
}

impl Refusal {
    /// Why nothing was charged.
    pub fn failure(&self) -> FailureCode {
        let is_method = self.param.as_deref().is_some_and(|param| {
            matches!(param, "payment_method" | "customer")
                && self.code.as_deref() == Some("resource_missing")
        });
        match self.r#type == "card_error" || self.status == 402 || is_method {
            true => failure(self.decline_code.as_deref(), self.code.as_deref()),
            false => FailureCode::ProviderError,
        }
    }
}

impl PaymentIntent {
    /// Ours of it.
    pub fn payment(&self) -> Option<PaymentId> {
        Id::parse(self.metadata.get(PAYMENT)?).map(PaymentId)
    }

    /// Whether it is to be made by a client on a page.
    fn is_on_page(&self) -> bool {
        self.metadata.contains_key(PAGE)
    }

    /// Whether its client would have to do something, who is not there.
    pub fn wants_its_client(&self) -> bool {
        !self.is_on_page() && self.status == "requires_action"
    }

    fn kind(&self) -> PaymentKind {
        let charge = self.latest_charge.as_ref().and_then(Expandable::expanded);
        let details = charge.and_then(|charge| charge.payment_method_details.as_ref());
        let of_charge = details.map(|details| details.r#type.as_str());
        kind(of_charge.or(self.payment_method_types.first().map(String::as_str)).unwrap_or("card"))
    }

    /// Result.
    pub fn outcome(&self) -> Outcome {
        match self.status.as_str() {
            "succeeded" => Outcome::Succeeded(self.kind()),
            "processing" => Outcome::Processing(self.kind()),
            "canceled" if self.is_on_page() => Outcome::Cancelled,
            "canceled" if self.cancellation_reason.as_deref() == Some(NOBODY_THERE) => {
                Outcome::Failed(FailureCode::AuthenticationRequired)
            }
            "canceled" => Outcome::Failed(FailureCode::ProviderError),
            // On a page another card may be tried.
            "requires_payment_method" if !self.is_on_page() => match &self.last_payment_error {
                Some(error) => Outcome::Failed(error.failure()),
                None => Outcome::Waiting,
            },
            _ => Outcome::Waiting,
        }
    }

    /// What became of it, and what it is called.
    pub fn result(&self) -> PaymentResult {
        let outcome = self.outcome();
        let amount = match outcome {
            Outcome::Succeeded(_) => self.amount_received.unwrap_or(self.amount),
            _ => self.amount,
        };
        let reference = Some(self.id.clone());
        match Currency::parse(&self.currency.to_uppercase()) {
            Some(currency) => {
                let amount = Some((from_units(amount, currency), currency));
                PaymentResult { outcome, reference, amount }
            }
            None => {
                let why = format!("Stripe names a currency that nobody knows: {:?}", self.currency);
                PaymentResult { outcome: Outcome::Unknown(why), reference, amount: None }
            }
        }
    }

    /// The same of one that a page was left with: there no other card is tried.
    pub fn result_after_page(&self) -> PaymentResult {
        let result = self.result();
        if result.outcome != Outcome::Waiting || self.status != "requires_payment_method" {
            return result;
        }
        let error = self.last_payment_error.as_ref();
        let code = error.map_or(FailureCode::Declined, LastError::failure);
        PaymentResult { outcome: Outcome::Failed(code), ..result }
    }
}

/// A page of Stripe's, on which something is paid or left.
#[derive(Debug, Deserialize)]
pub struct Session {
    /// What Stripe calls it.
    pub id: String,
    /// Where it is; only while it is open.
    pub url: Option<String>,
    status: Option<String>,
    payment_intent: Option<Expandable<PaymentIntent>>,
    setup_intent: Option<Expandable<SetupIntent>>,
}

impl Session {
    /// What is paid on it.
    pub fn intent(&self) -> Option<&PaymentIntent> {
        self.payment_intent.as_ref().and_then(Expandable::expanded)
    }

    /// What became of the payment that is made on it.
    pub fn result(&self) -> PaymentResult {
        let of_page =
            |outcome| PaymentResult { outcome, reference: Some(self.id.clone()), amount: None };
        match (self.status.as_deref(), self.intent()) {
            (Some("expired"), _) => of_page(Outcome::Cancelled),
            (Some("complete"), Some(intent)) => intent.result_after_page(),
            _ => of_page(Outcome::Waiting),
        }
    }

    /// What was left on it.
    pub fn left(&self) -> Option<MethodFacts> {
        self.setup_intent.as_ref()?.expanded()?.left()
    }
}

/// A card or an account that is being left.
#[derive(Debug, Clone, Deserialize)]
pub struct SetupIntent {
    status: String,
    payment_method: Option<Expandable<PaymentMethod>>,
}

#[derive(Debug, Clone, Deserialize)]
struct PaymentMethod {
    id: String,
    r#type: String,
    customer: Option<Expandable<ObjectId>>,
    card: Option<Card>,
    sepa_debit: Option<Account>,
    billing_details: Option<Billing>,
}

#[derive(Debug, Clone, Deserialize)]
struct Card {
    brand: Option<String>,
    last4: String,
    exp_month: i64,
    exp_year: i64,
}

#[derive(Debug, Clone, Deserialize)]
struct Account {
    last4: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Billing {
    name: Option<String>,
}

/// Something of which only the name matters.
#[derive(Debug, Clone, Deserialize)]
pub struct ObjectId {
    /// What Stripe calls it.
    pub id: String,
}

/// No more of a text than this.
fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

impl SetupIntent {
    fn left(&self) -> Option<MethodFacts> {
        if self.status != "succeeded" {
            return None;
        }
        let method = self.payment_method.as_ref()?.expanded()?.clone();
        let customer = method.customer.map(|customer| match customer {
            Expandable::Whole(customer) => customer.id,
            Expandable::Id(id) => id,
        });
        let (kind, last4) = match (method.r#type.as_str(), &method.card, &method.sepa_debit) {
            ("card", Some(card), _) => (MethodType::Card, &card.last4),
            ("sepa_debit", _, Some(account)) => (MethodType::SepaDebit, &account.last4),
            _ => return None,
        };
        let last4 = shortened(last4, 4);
        let card = method.card.as_ref();
        Some(MethodFacts {
            kind,
            brand: card.and_then(|card| card.brand.as_deref().map(|brand| shortened(brand, 40))),
            last4,
            exp_month: card.map(|card| card.exp_month.clamp(1, 12)),
            exp_year: card.map(|card| card.exp_year.clamp(2_000, 2_999)),
            holder_name: method
                .billing_details
                .and_then(|details| details.name)
                .map(|name| shortened(&name, 200)),
            customer,
            token: method.id,
        })
    }
}

/// A refund.
#[derive(Debug, Deserialize)]
pub struct Refund {
    /// Current status.
    pub status: Option<String>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

impl Refund {
    /// Whether it is the one with this id of ours.
    pub fn is(&self, id: &str) -> bool {
        self.metadata
            .as_ref()
            .and_then(|metadata| metadata.get(REFUND))
            .is_some_and(|own| own == id)
    }
}

/// Money that a bank takes back.
#[derive(Debug, Deserialize)]
pub struct DisputeObject {
    id: String,
    amount: i64,
    currency: String,
    reason: Option<String>,
    status: String,
    payment_intent: Option<Expandable<PaymentIntent>>,
    charge: Option<Expandable<Charge>>,
    evidence_details: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
struct Evidence {
    due_by: Option<i64>,
}

impl DisputeObject {
    /// As the area of finance hears of it; nothing of one that is not ours, or takes no money.
    pub fn to_dispute(&self) -> Option<Dispute> {
        let intent = self.payment_intent.as_ref()?.expanded()?;
        let charge = self.charge.as_ref().and_then(Expandable::expanded);
        let details = charge.and_then(|charge| charge.payment_method_details.as_ref());
        let is_debit = details.is_some_and(|details| details.r#type == "sepa_debit");
        let status = match self.status.as_str() {
            "needs_response" => ChargebackStatus::Open,
            "under_review" => ChargebackStatus::UnderReview,
            "won" => ChargebackStatus::Won,
            "lost" => ChargebackStatus::Lost,
            // An inquiry that only warns of one.
            _ => return None,
        };
        let currency = Currency::parse(&self.currency.to_uppercase())?;
        if self.amount <= 0 || intent.currency != self.currency {
            return None;
        }
        let due_by = self.evidence_details.as_ref().and_then(|evidence| evidence.due_by);
        Some(Dispute {
            reference: self.id.clone(),
            payment: intent.payment()?,
            kind: if is_debit { ChargebackKind::DebitReturn } else { ChargebackKind::Dispute },
            amount: from_units(self.amount, currency),
            currency,
            reason: self.reason.clone().unwrap_or_else(|| "general".to_owned()),
            status: if is_debit { ChargebackStatus::Lost } else { status },
            evidence_due_at: due_by
                .filter(|_| !is_debit && status == ChargebackStatus::Open)
                .map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1_000))),
        })
    }
}

/// How many of Stripe's units so many minor units are, where it counts a currency otherwise than ISO 4217 does.
/// See <https://docs.stripe.com/currencies#special-cases>.
fn ratio(currency: Currency) -> (i64, i64) {
    match currency.code() {
        "ISK" | "UGX" => (100, 1),
        "MGA" => (1, 100),
        _ => (1, 1),
    }
}

/// An amount in Stripe's units; nothing of one that has none.
pub fn units(amount: i64, currency: Currency) -> Option<i64> {
    let (units, minor) = ratio(currency);
    (amount % minor == 0).then(|| (amount / minor).saturating_mul(units))
}

/// An amount of Stripe's in minor units.
fn from_units(amount: i64, currency: Currency) -> i64 {
    let (units, minor) = ratio(currency);
    amount.saturating_mul(minor) / units
}

/// What Stripe tells by itself.
#[derive(Debug, Deserialize)]
pub struct Event {
    id: String,
    r#type: String,
    data: EventData,
}

#[derive(Debug, Deserialize)]
struct EventData {
    object: EventObject,
}

#[derive(Debug, Deserialize)]
struct EventObject {
    id: Option<String>,
    mode: Option<String>,
    client_reference_id: Option<String>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

impl Event {
    /// What there is to ask about; nothing where it is about nothing of ours.
    pub fn notice(self) -> Option<Notice> {
        let Self { id: event, r#type, data: EventData { object } } = self;
        let (about, reference) = if r#type.starts_with("payment_intent.") {
            (NoticeAbout::Payment, object.metadata?.remove(PAYMENT)?)
        } else if r#type.starts_with("checkout.session.") {
            let about = match object.mode.as_deref()? {
                "payment" => NoticeAbout::Payment,
                "setup" => NoticeAbout::Setup,
                _ => return None,
            };
            (about, object.client_reference_id?)
        } else if r#type.starts_with("charge.dispute.") {
            (NoticeAbout::Dispute, object.id?)
        } else {
            return None;
        };
        Some(Notice { event, about, reference })
    }
}

#[cfg(test)]
mod tests {
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
    fn what_became_of_a_payment_is_said_in_our_words() {
        let failed = |word: &str| {
            json!({"status": "requires_payment_method", "last_payment_error": {"code": "card_declined",
                "decline_code": word}})
        };
        let on_page = json!({PAYMENT: "x", PAGE: "yes"});
        let mut on_a_page = failed("generic_decline");
        on_a_page["metadata"] = on_page.clone();
        for (facts, outcome) in [
            (json!({}), Outcome::Succeeded(PaymentKind::Card)),
            (
                json!({"latest_charge": {"id": "ch_1", "payment_method_details": {"type": "ideal"}}}),
                Outcome::Succeeded(PaymentKind::Ideal),
            ),
            (
                json!({"status": "processing", "payment_method_types": ["sepa_debit"],
                    "latest_charge": "ch_1"}),
                Outcome::Processing(PaymentKind::SepaDebit),
            ),
            (failed("generic_decline"), Outcome::Failed(FailureCode::Declined)),
            (failed("insufficient_funds"), Outcome::Failed(FailureCode::InsufficientFunds)),
            (failed("expired_card"), Outcome::Failed(FailureCode::MethodExpired)),
            (failed("stolen_card"), Outcome::Failed(FailureCode::MethodRevoked)),
            (
                failed("authentication_required"),
                Outcome::Failed(FailureCode::AuthenticationRequired),
            ),
            (json!({"status": "requires_payment_method"}), Outcome::Waiting),
            (on_a_page, Outcome::Waiting),
            (json!({"status": "canceled", "metadata": on_page}), Outcome::Cancelled),
            (
                json!({"status": "canceled", "cancellation_reason": NOBODY_THERE}),
                Outcome::Failed(FailureCode::AuthenticationRequired),
            ),
            (json!({"status": "something_new"}), Outcome::Waiting),
        ] {
            assert_eq!(intent(facts.clone()).outcome(), outcome, "{facts}");
        }
    }

    #[test]
    fn a_page_is_open_until_it_is_left_or_over() {
        let session = |status: &str, intent: Value| -> Session {
            serde_json::from_value(json!({"id": "cs_1", "url": null, "status": status,
                "payment_intent": intent, "setup_intent": null}))
            .unwrap()
        };
        let paid = |status: &str| {
            json!({"id": "pi_1", "status": status, "amount": 100, "currency": "eur", "metadata": {PAGE: "yes"},
                "last_payment_error": {"code": "x", "decline_code": "insufficient_funds"}})
        };
        let open = session("open", Value::Null).result();
        assert_eq!((open.outcome, open.reference.as_deref()), (Outcome::Waiting, Some("cs_1")));
        let tried = session("open", paid("requires_payment_method")).result();
        assert_eq!(tried.outcome, Outcome::Waiting);
        let done = session("complete", paid("succeeded")).result();
        assert_eq!(done.reference.as_deref(), Some("pi_1"));
        assert_eq!(done.outcome, Outcome::Succeeded(PaymentKind::Card));
        let bounced = session("complete", paid("requires_payment_method")).result();
        assert_eq!(bounced.outcome, Outcome::Failed(FailureCode::InsufficientFunds));
        assert_eq!(session("expired", Value::Null).result().outcome, Outcome::Cancelled);
        // By its own name, too, once the page is left.
        let left: PaymentIntent = serde_json::from_value(paid("requires_payment_method")).unwrap();
        let code = FailureCode::InsufficientFunds;
        assert_eq!(left.result_after_page().outcome, Outcome::Failed(code));
        assert_eq!(left.result().amount, Some((100, Currency::parse("EUR").unwrap())));
        for strange in ["xyz", ""] {
            let strange = intent(json!({"currency": strange})).result();
            assert!(matches!(strange.outcome, Outcome::Unknown(_)), "{strange:?}");
        }
    }

    #[test]
    fn refusals_say_why_nothing_was_charged() {
        let refusal = |status: u16, facts: Value| Refusal {
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
        for (status, is_final) in
            [(400, true), (401, false), (402, true), (409, false), (500, false)]
        {
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
            serde_json::from_value::<Event>(output).unwrap().notice()
        };
        let submitted =
            |notice: Option<Notice>| notice.map(|notice| (notice.about, notice.reference));
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
}
