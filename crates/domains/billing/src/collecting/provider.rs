//! The interface to payment providers: what is requested of them and what they answer. Their adapters are outside of
//! this crate.

use spotter_kernel::{
    Timestamp,
    id::{ClientId, CompanyId},
    money::{Currency, Money},
};
use spotter_store::words;

use crate::{
    collecting::method::{MethodFacts, MethodType},
    ids::{PaymentId, PaymentSetupId, RefundId},
    payments::payment::{FailureCode, PaymentKind},
};

words! {
    /// A payment provider: `sandbox` is a bank for trying things out, where no money moves.
    pub enum ProviderName { Sandbox = "sandbox", Stripe = "stripe" }
}

/// A company's account with a provider.
#[derive(Clone)]
pub struct ProviderAccount {
    /// The company.
    pub company: CompanyId,
    /// The provider.
    pub provider: ProviderName,
    /// What opens it.
    pub keys: Keys,
}

/// What opens an account with a provider, and what its notices are signed with.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Keys {
    /// What requests are made with.
    pub secret: String,
    /// The secret that notices are signed with; empty where it is not known, and notices are refused.
    pub notices: String,
}

/// A card or an account, as its provider knows it.
#[derive(Clone, Debug)]
pub struct ChargedMethod {
    /// Whether it is a card or a bank account.
    pub kind: MethodType,
    /// The provider's id of the customer.
    pub customer: Option<String>,
    /// Id at the provider.
    pub token: String,
}

/// Money that is to come.
#[derive(Clone, Debug)]
pub struct Order {
    /// The payment, whose id is the provider's idempotency key.
    pub payment: PaymentId,
    /// Who pays.
    pub client: ClientId,
    /// Amount in minor units.
    pub amount: i64,
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
    /// Description for the client.
    pub description: String,
    /// The provider's id, once it is known.
    pub reference: Option<String>,
}

/// A card or an account that is to be left with a provider.
#[derive(Clone, Debug)]
pub struct SetupOrder {
    /// The setup, whose id is the provider's idempotency key.
    pub setup: PaymentSetupId,
    /// Who leaves it.
    pub client: ClientId,
    /// Display name.
    pub name: String,
}

/// The state of a payment at its provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChargeOutcome {
    /// It came.
    Succeeded(PaymentKind),
    /// The bank has it.
    Processing(PaymentKind),
    /// It will not come.
    Failed(FailureCode),
    /// The client has turned back.
    Cancelled,
    /// The client is still at it.
    Waiting,
    /// The provider refused the request: nothing was done.
    NotTaken(String),
    /// The outcome is unknown.
    Unknown(String),
}

/// A provider's answer about a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentResult {
    /// Outcome of the attempt.
    pub outcome: ChargeOutcome,
    /// The provider's id of the payment, or its payment page; `None` where the provider does not say.
    pub reference: Option<String>,
    /// The amount that was or will be paid, in minor units, where the provider says it.
    pub money: Option<Money>,
}

impl From<ChargeOutcome> for PaymentResult {
    fn from(outcome: ChargeOutcome) -> Self {
        Self { outcome, reference: None, money: None }
    }
}

/// The state of a refund at its provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundResult {
    /// It was refunded.
    Done,
    /// It can't.
    Refused(String),
    /// The outcome is unknown; repeating the request refunds once.
    Unknown(String),
}

/// A refund.
#[derive(Clone, Debug)]
pub struct RefundOrder {
    /// The refund, whose id is the provider's idempotency key.
    pub refund: RefundId,
    /// The refunded payment.
    pub payment: PaymentId,
    /// The provider's id of the payment, if known.
    pub reference: Option<String>,
    /// Amount in minor units.
    pub amount: i64,
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
}

words! {
    /// How a bank takes money back: the holder of a card disputes a payment, or a direct debit is returned.
    pub enum ChargebackKind { Dispute = "dispute", DebitReturn = "debit_return" }
}

words! {
    /// The status of a chargeback. A returned direct debit is lost at once.
    pub enum ChargebackStatus {
        Open = "open",
        UnderReview = "under_review",
        Won = "won",
        Lost = "lost",
    }
}

/// A chargeback as the provider describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// Id at the provider.
    pub reference: String,
    /// Of which payment.
    pub payment: PaymentId,
    /// How.
    pub kind: ChargebackKind,
    /// Amount in minor units of the currency.
    pub amount: i64,
    /// ISO 4217 code; a chargeback in another currency than the payment's is ignored.
    pub currency: Currency,
    /// A word for why, such as `fraudulent`.
    pub reason: String,
    /// Current status.
    pub status: ChargebackStatus,
    /// Until when the company can show that it is in the right.
    pub evidence_due_at: Option<Timestamp>,
}

words! {
    /// What a notice is about: a payment, a payment page that is not wanted any more (only sent by this program), a
    /// page where a method is saved, or a chargeback.
    pub enum NoticeAbout {
        Payment = "payment",
        Page = "page",
        Setup = "setup",
        Dispute = "dispute",
    }
}

/// A provider's notice: only what it is about. The rest is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The provider's id of the notice; the same when it is repeated.
    pub event: String,
    /// About what.
    pub about: NoticeAbout,
    /// What that is called: our id of a payment or a setup, the provider's of a dispute.
    pub reference: String,
}

/// The result of a page on which a client saves a method.
#[derive(Clone, Debug)]
pub enum SetUp {
    /// It was left.
    Done(MethodFacts),
    /// The client is still at it, or has turned back.
    Waiting,
}
