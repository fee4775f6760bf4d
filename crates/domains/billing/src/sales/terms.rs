//! The terms of a purchase: they do not change with the product.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{
    Date,
    localized::UNDECLARED,
    money::{Currency, Percentage},
};

use crate::catalogue::{
    pools::{CreditPool, TimeSpan},
    product::Product,
    vocabulary::{CreditCalendar, Period, ProductType},
};

/// The terms that were agreed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct SaleTerms {
    /// Price in minor units, including VAT; per period for memberships.
    pub price: i64,
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
    /// The share of VAT in percent.
    pub vat_percentage: Percentage,
    /// The time that is paid for.
    pub period: Period,
    /// Whether it is paid again each period until it is cancelled.
    pub auto_renew: bool,
    /// Minimum contract period.
    pub contract_period: TimeSpan,
    /// Notice period for cancelling.
    pub cancellation_notice_period: Period,
    /// Number of days on which a pass can be used; 0 for other products.
    pub days_usable: i64,
    /// Period in which it must be used.
    pub validity_after_purchase: TimeSpan,
    /// Whether credits are given.
    pub assign_credits: bool,
    /// Credits that are granted with each payment, besides those of the pools.
    pub credits: i64,
    /// How long they can be spent once granted.
    pub credit_validity: TimeSpan,
    /// When credits are granted.
    pub credit_calendar: CreditCalendar,
    /// Number of credits by which the balance may fall below zero.
    pub max_negative_credits: i64,
    /// Credits of kinds of their own.
    pub credit_pools: Vec<CreditPool>,
}

impl SaleTerms {
    /// The current terms of a product.
    pub fn of(product: &Product) -> Self {
        Self {
            price: product.price,
            currency: product.currency,
            vat_percentage: product.vat_percentage,
            period: product.period,
            auto_renew: product.auto_renew,
            contract_period: product.contract_period.0,
            cancellation_notice_period: product.cancellation_notice_period,
            days_usable: product.days_usable,
            validity_after_purchase: product.validity_after_purchase.0,
            assign_credits: product.assign_credits,
            credits: product.credits,
            credit_validity: product.credit_validity.0,
            credit_calendar: product.credit_calendar,
            max_negative_credits: match product.allow_negative_credits {
                true => product.max_negative_credits,
                false => 0,
            },
            credit_pools: product.credit_pools.0.clone(),
        }
    }

    /// The first day after a fixed term: the minimum term, or else one period, counted from the start. `None` where
    /// it renews.
    pub fn term_end(&self, start: Date) -> Option<Date> {
        let term = || self.contract_period.after(start);
        (!self.auto_renew).then(|| term().unwrap_or_else(|| self.period.start(start, 1)))
    }

    /// Whether it grants credits, so that bookings use those and nothing else of it.
    pub fn gives_credits(&self) -> bool {
        self.assign_credits && (self.credits > 0 || !self.credit_pools.is_empty())
    }

    /// The first day on which a purchase has expired; `None` where it does not expire.
    pub fn valid_until(&self, kind: ProductType, from: Date) -> Option<Date> {
        let within = self.validity_after_purchase.after(from);
        match kind {
            ProductType::Membership => None,
            // A pass is valid on as many days as it has, unless they may be spread over a longer time.
            ProductType::DayPass | ProductType::WeekPass => within.or_else(|| {
                let days = self
                    .days_usable
                    .max(self.period.start(from, 0).days_until(self.period.start(from, 1)));
                from.plus_days(days)
            }),
            ProductType::CreditPack | ProductType::Other => within,
        }
    }
}

impl Product {
    /// Its name in a language, or else in its own.
    pub fn called(&self, language: Option<&str>) -> String {
        let name = &self.name.0;
        [language, self.default_language.as_deref(), Some(UNDECLARED)]
            .into_iter()
            .flatten()
            .find_map(|language| name.get(language))
            .or_else(|| name.texts().next())
            .unwrap_or_default()
            .to_owned()
    }
}
