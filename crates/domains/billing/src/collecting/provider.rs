//! What a payment provider is asked for, and what it says. Providers themselves stand outside of this area: here
//! is the language that all of them are spoken to in.

use spotter_kernel::{
    Timestamp,
    id::{ClientId, CompanyId},
    money::Currency,
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
pub struct Account {
    /// The company.
    pub company: CompanyId,
    /// With whom.
    pub provider: ProviderName,
    /// What opens it.
    pub keys: Keys,
}

/// What opens an account with a provider, and what its notices are signed with.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Keys {
    /// What requests are made with.
    pub secret: String,
    /// What notices are signed with; empty where that is not known, and none is taken.
    pub notices: String,
}

/// A card or an account, as its provider knows it.
#[derive(Clone, Debug)]
pub struct Charged {
    /// Which kind it is.
    pub kind: MethodType,
    /// Whose it is, as the provider calls them.
    pub customer: Option<String>,
    /// Id at the provider.
    pub token: String,
}

/// Money that is to come.
#[derive(Clone, Debug)]
pub struct Order {
    /// The payment, under whose id a provider does the same once.
    pub payment: PaymentId,
    /// Who pays.
    pub client: ClientId,
    /// Amount in minor units.
    pub amount: i64,
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
    /// What it is for, as the client reads it.
    pub description: String,
    /// What the provider calls it, once that is known.
    pub reference: Option<String>,
}

/// A card or an account that is to be left with a provider.
#[derive(Clone, Debug)]
pub struct SetupOrder {
    /// The request for it, under whose id a provider does the same once.
    pub setup: PaymentSetupId,
    /// Who leaves it.
    pub client: ClientId,
    /// Display name.
    pub name: String,
}

/// What became of money that was to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
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
    /// The provider did not take the request: nothing was done.
    NotTaken(String),
    /// Nobody knows.
    Unknown(String),
}

/// What a provider says of money that was to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentResult {
    /// Outcome of the attempt.
    pub outcome: Outcome,
    /// What the provider calls it, or the page on which it is made; nothing where that is not told.
    pub reference: Option<String>,
    /// How much of what came or is to come, in minor units, where that is told.
    pub amount: Option<(i64, Currency)>,
}

impl From<Outcome> for PaymentResult {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, reference: None, amount: None }
    }
}

/// What became of money that is to go back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundResult {
    /// It goes.
    Done,
    /// It can't.
    Refused(String),
    /// Nobody knows; asking for the same again does it once.
    Unknown(String),
}

/// A refund.
#[derive(Clone, Debug)]
pub struct RefundOrder {
    /// Under whose id a provider does the same once.
    pub refund: RefundId,
    /// What it goes back of.
    pub payment: PaymentId,
    /// What the provider calls that, if it is known.
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
    /// Where it stands. What is returned of a direct debit is lost at once.
    pub enum ChargebackStatus {
        Open = "open",
        UnderReview = "under_review",
        Won = "won",
        Lost = "lost",
    }
}

/// Money that a bank takes back, as the provider tells of it.
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
    /// ISO 4217 code; of another than the payment's nothing is taken.
    pub currency: Currency,
    /// A word for why, such as `fraudulent`.
    pub reason: String,
    /// Current status.
    pub status: ChargebackStatus,
    /// Until when the company can show that it is in the right.
    pub evidence_due_at: Option<Timestamp>,
}

words! {
    /// What a notice is about: a payment, the page of one that is not wanted any more (which nobody tells but
    /// we ourselves), a page on which a card or an account is left, or money that a bank takes back.
    pub enum NoticeAbout {
        Payment = "payment",
        Page = "page",
        Setup = "setup",
        Dispute = "dispute",
    }
}

/// What a provider tells by itself: about what, and no more. The rest is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What the provider calls this notice; the same each time that it is told.
    pub event: String,
    /// About what.
    pub about: NoticeAbout,
    /// What that is called: our id of a payment or a setup, the provider's of a dispute.
    pub reference: String,
}

/// What came of a page on which a client leaves a card or an account.
#[derive(Clone, Debug)]
pub enum SetUp {
    /// It was left.
    Done(MethodFacts),
    /// The client is still at it, or has turned back.
    Waiting,
}
