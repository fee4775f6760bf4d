//! A request to sell at the desk: what, to whom, with which discount, and how it is paid.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_kernel::{
    Many, Problem, Result,
    id::ClientId,
    money::Percentage,
    number::BoundedInteger,
    text::{Email, Name, Text},
};
use spotter_store::words;

use crate::{catalogue::product::ProductId, payments::payment::PaymentKind, rules::BillingRule};

words! {
    /// How a sale at the desk is paid: `card` is a card terminal, `payment_page` a page that the customer opens, and
    /// `payment_method` the card or account that is on file.
    pub(super) enum DeskPaymentKind {
        Cash = "cash",
        Card = "card",
        PaymentPage = "payment_page",
        PaymentMethod = "payment_method",
    }
}

impl DeskPaymentKind {
    /// The payment to record now; `None` where the money comes later.
    pub(super) fn recorded(self) -> Option<PaymentKind> {
        match self {
            Self::Cash => Some(PaymentKind::Cash),
            Self::Card => Some(PaymentKind::Card),
            Self::PaymentPage | Self::PaymentMethod => None,
        }
    }
}

/// A product to sell at the desk.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SoldItem {
    /// What is sold, one of `GET /finance/products`; memberships are sold by themselves.
    pub(super) product_id: ProductId,
    /// Number of units; 1 when absent.
    pub(super) quantity: Option<BoundedInteger<1, 50>>,
}

/// A discount on all items: a share of them or an amount.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Discount {
    /// Share in percent, rounded to a minor unit of the whole.
    pub(super) percentage: Option<Percentage>,
    /// Amount in minor units, including VAT.
    pub(super) amount: Option<BoundedInteger<1, 1_000_000_000_000>>,
    /// Why it is given; the customer reads it on the invoice.
    pub(super) reason: Name<100>,
}

impl Discount {
    /// What it takes off a total.
    pub(super) fn of(&self, total: i64) -> Result<i64> {
        match (self.percentage, self.amount.map(i64::from)) {
            (Some(share), None) => Ok(share.of(total)),
            (None, Some(amount)) if amount <= total => Ok(amount),
            (None, Some(_)) => {
                let rule = BillingRule::MoreThan { most: total.to_string() };
                Err(Problem::invalid("discount.amount", rule))
            }
            _ => Err(Problem::invalid("discount", BillingRule::ShareOrAmount)),
        }
    }
}

/// How a sale is paid.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeskPayment {
    /// How it is paid.
    pub(super) kind: DeskPaymentKind,
    /// The cash that was handed over, in minor units; exactly what is due when absent.
    pub(super) amount_received: Option<BoundedInteger<0, 1_000_000_000_000>>,
    /// Reference in your accounts, such as the number of a terminal's slip.
    pub(super) reference: Option<Text<120>>,
}

/// A sale at the desk.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewDeskSale {
    /// Who buys. When absent, a walk-in customer, who pays in cash or by card and buys products of the type Other.
    pub(super) client_id: Option<ClientId>,
    /// What is sold.
    pub(super) items: Many<SoldItem, 1, 20>,
    /// What is taken off.
    pub(super) discount: Option<Discount>,
    /// Whether fees that wait for the client's next invoice are lines of this one.
    #[serde(default)]
    pub(super) include_fees: bool,
    /// How it is paid now; the invoice stays open when absent.
    pub(super) payment: Option<DeskPayment>,
    /// An address that the receipt is mailed to, beside the client's own.
    pub(super) receipt_email: Option<Email>,
}
