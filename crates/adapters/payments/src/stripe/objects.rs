//! What Stripe's answers say, as far as they are read, and what that is in the words of the area of finance.

use std::collections::BTreeMap;

use serde::Deserialize;
use spotter_billing::{
    collecting::{
        method::{MethodFacts, MethodType},
        provider::{
            ChargeOutcome, ChargebackKind, ChargebackStatus, Dispute, Notice, NoticeAbout,
            PaymentResult,
        },
    },
    ids::PaymentId,
    payments::payment::{FailureCode, PaymentKind},
};
use spotter_kernel::{
    Id, Timestamp,
    money::{Currency, Money},
};

use super::wire::StripeRefusal;

/// Our metadata of a Stripe object: the payment or refund it belongs to.
type Metadata = BTreeMap<String, String>;

/// The metadata key of a payment's id.
pub const PAYMENT: &str = "spotter_payment";
/// The same of a refund's.
pub const REFUND: &str = "spotter_refund";
/// The metadata key for a payment that its client makes on a page.
pub const PAGE: &str = "spotter_page";
/// The cancellation reason for a payment that required action by its absent client.
pub const ABANDONED: &str = "abandoned";

/// A Stripe object: its id only, unless it was expanded.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Expandable<T> {
    /// As a whole.
    Whole(T),
    /// Its id alone.
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
pub struct StripeList<T> {
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
pub struct StripeCharge {
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
    latest_charge: Option<Expandable<StripeCharge>>,
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

impl StripeRefusal {
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
    pub fn outcome(&self) -> ChargeOutcome {
        match self.status.as_str() {
            "succeeded" => ChargeOutcome::Succeeded(self.kind()),
            "processing" => ChargeOutcome::Processing(self.kind()),
            "canceled" if self.is_on_page() => ChargeOutcome::Cancelled,
            "canceled" if self.cancellation_reason.as_deref() == Some(ABANDONED) => {
                ChargeOutcome::Failed(FailureCode::AuthenticationRequired)
            }
            "canceled" => ChargeOutcome::Failed(FailureCode::ProviderError),
            // On a page another card may be tried.
            "requires_payment_method" if !self.is_on_page() => match &self.last_payment_error {
                Some(error) => ChargeOutcome::Failed(error.failure()),
                None => ChargeOutcome::Waiting,
            },
            _ => ChargeOutcome::Waiting,
        }
    }

    /// Its state and id.
    pub fn result(&self) -> PaymentResult {
        let outcome = self.outcome();
        let amount = match outcome {
            ChargeOutcome::Succeeded(_) => self.amount_received.unwrap_or(self.amount),
            _ => self.amount,
        };
        let reference = Some(self.id.clone());
        match Currency::parse(&self.currency.to_uppercase()) {
            Some(currency) => {
                let money = Some(Money { amount: from_units(amount, currency), currency });
                PaymentResult { outcome, reference, money }
            }
            None => {
                let why = format!("Stripe names a currency that nobody knows: {:?}", self.currency);
                PaymentResult { outcome: ChargeOutcome::Unknown(why), reference, money: None }
            }
        }
    }

    /// The same of one that a page was left with: there no other card is tried.
    pub fn result_after_page(&self) -> PaymentResult {
        let result = self.result();
        if result.outcome != ChargeOutcome::Waiting || self.status != "requires_payment_method" {
            return result;
        }
        let error = self.last_payment_error.as_ref();
        let code = error.map_or(FailureCode::Declined, LastError::failure);
        PaymentResult { outcome: ChargeOutcome::Failed(code), ..result }
    }
}

/// A page of Stripe's, on which something is paid or left.
#[derive(Debug, Deserialize)]
pub struct CheckoutSession {
    /// What Stripe calls it.
    pub id: String,
    /// Where it is; only while it is open.
    pub url: Option<String>,
    status: Option<String>,
    payment_intent: Option<Expandable<PaymentIntent>>,
    setup_intent: Option<Expandable<SetupIntent>>,
}

impl CheckoutSession {
    /// The PaymentIntent of the page.
    pub fn intent(&self) -> Option<&PaymentIntent> {
        self.payment_intent.as_ref().and_then(Expandable::expanded)
    }

    /// The state of the payment on this page.
    pub fn result(&self) -> PaymentResult {
        let of_page =
            |outcome| PaymentResult { outcome, reference: Some(self.id.clone()), money: None };
        match (self.status.as_deref(), self.intent()) {
            (Some("expired"), _) => of_page(ChargeOutcome::Cancelled),
            (Some("complete"), Some(intent)) => intent.result_after_page(),
            _ => of_page(ChargeOutcome::Waiting),
        }
    }

    /// The method that was saved on the page.
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
    sepa_debit: Option<BankAccount>,
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
struct BankAccount {
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
pub struct StripeRefund {
    /// Current status.
    pub status: Option<String>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

impl StripeRefund {
    /// Whether it is the one with this id of ours.
    pub fn is(&self, id: &str) -> bool {
        self.metadata
            .as_ref()
            .and_then(|metadata| metadata.get(REFUND))
            .is_some_and(|own| own == id)
    }
}

/// A chargeback.
#[derive(Debug, Deserialize)]
pub struct DisputeObject {
    id: String,
    amount: i64,
    currency: String,
    reason: Option<String>,
    status: String,
    payment_intent: Option<Expandable<PaymentIntent>>,
    charge: Option<Expandable<StripeCharge>>,
    evidence_details: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
struct Evidence {
    due_by: Option<i64>,
}

impl DisputeObject {
    /// Its form for billing; `None` where it is not ours or takes no money.
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

/// How many of Stripe's units equal a number of minor units, for currencies where Stripe deviates from ISO 4217. See
/// <https://docs.stripe.com/currencies#special-cases>.
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

/// A notice of Stripe.
#[derive(Debug, Deserialize)]
pub struct StripeEvent {
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

impl StripeEvent {
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
mod tests;
