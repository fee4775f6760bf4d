//! A request to sell: a product or a membership, its price and its dates.

use schemars::JsonSchema;
use serde::Deserialize;
use spotter_kernel::{Date, text::Text};

use crate::{
    billing::invoice::Collection,
    catalogue::product::{Price, ProductId},
    ids::PaymentMethodId,
    settings::{BillingAnchor, FirstPeriod},
};

/// A product to sell to a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewSale {
    /// What is sold, one of `GET /finance/products`.
    pub(super) product_id: ProductId,
    /// First day; today when absent.
    pub(super) starts_on: Option<Date>,
    /// Price in minor units, instead of the product's price.
    pub(super) price: Option<Price>,
    /// Whether fees that wait for the client's next invoice are lines of this one; they are when absent.
    pub(super) include_fees: Option<bool>,
    /// The integrator's own id for the sale; unique in the company.
    pub(super) external_id: Option<Text<120>>,
}

/// A membership to sell to a client.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewMembership {
    /// What is sold, one of `GET /finance/products`.
    pub(super) product_id: ProductId,
    /// First day; today when absent.
    pub(super) starts_on: Option<Date>,
    /// Price per period in minor units, instead of the product's price.
    pub(super) price: Option<Price>,
    /// The date from which billing periods are counted; the company's setting when absent.
    pub(super) billing_anchor: Option<BillingAnchor>,
    /// How the days before the first of the month are billed; the company's setting when absent.
    pub(super) first_period: Option<FirstPeriod>,
    /// For a membership that has run elsewhere: the date on which it began there, from which its periods and its term are
    /// counted, in place of `billingAnchor`. `startsOn` is where one of its periods begins.
    pub(super) anchor_date: Option<Date>,
    /// How invoices are collected: paid by the client, or charged to the client's payment method;
    /// paid by the client when absent.
    pub(super) collection: Option<Collection>,
    /// Payment method to charge; the client's default when absent.
    pub(super) payment_method_id: Option<PaymentMethodId>,
    /// Whether fees that wait for the client's next invoice are lines of the first one; they are when absent.
    pub(super) include_fees: Option<bool>,
    /// The integrator's own id for the sale; unique in the company.
    pub(super) external_id: Option<Text<120>>,
}

/// From when the periods of a membership are to be counted, and what its first days cost.
pub(super) struct AnchorChoice {
    pub(super) anchor: Option<BillingAnchor>,
    pub(super) first: Option<FirstPeriod>,
    pub(super) date: Option<Date>,
}

/// A request to sell, of either kind.
pub(super) struct SaleRequest {
    pub(super) product_id: ProductId,
    pub(super) starts_on: Option<Date>,
    pub(super) price: Option<i64>,
    pub(super) external_id: Option<String>,
    /// Of a membership, from when its periods are counted and what its first days cost.
    pub(super) membership: Option<AnchorChoice>,
    pub(super) collection: Collection,
    pub(super) payment_method_id: Option<PaymentMethodId>,
    pub(super) with_fees: bool,
}

impl From<NewSale> for SaleRequest {
    fn from(new: NewSale) -> Self {
        Self {
            product_id: new.product_id,
            starts_on: new.starts_on,
            price: new.price.map(Into::into),
            external_id: new.external_id.map(Into::into),
            membership: None,
            collection: Collection::Manual,
            payment_method_id: None,
            with_fees: new.include_fees.unwrap_or(true),
        }
    }
}

impl From<NewMembership> for SaleRequest {
    fn from(new: NewMembership) -> Self {
        Self {
            product_id: new.product_id,
            starts_on: new.starts_on,
            price: new.price.map(Into::into),
            external_id: new.external_id.map(Into::into),
            membership: Some(AnchorChoice {
                anchor: new.billing_anchor,
                first: new.first_period,
                date: new.anchor_date,
            }),
            collection: new.collection.unwrap_or(Collection::Manual),
            payment_method_id: new.payment_method_id,
            with_fees: new.include_fees.unwrap_or(true),
        }
    }
}
