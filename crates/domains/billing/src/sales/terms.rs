//! The terms on which a product was sold: they stay as they were, whatever becomes of the product.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::{
    Date,
    localized::UNDECLARED,
    money::{Currency, Percentage},
};

use crate::catalogue::{
    pools::{CreditPool, Span},
    product::Product,
    vocabulary::{CreditCalendar, Period, ProductType},
};

/// What was agreed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// In minor units of the currency, VAT included; for a membership, of each period.
    pub price: i64,
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
    /// The share of VAT in percent.
    pub vat_percentage: Percentage,
    /// The time that is paid for.
    pub period: Period,
    /// Whether it is paid again each period until it is cancelled.
    pub auto_renew: bool,
    /// How long a membership binds.
    pub contract_period: Span,
    /// How long before its end a membership has to be cancelled.
    pub cancellation_notice_period: Period,
    /// On how many days a pass can be used; 0 for what is no pass.
    pub days_usable: i64,
    /// Within which time it has to be used.
    pub validity_after_purchase: Span,
    /// Whether credits are given.
    pub assign_credits: bool,
    /// Credits that are given with each payment, beside those of the pools.
    pub credits: i64,
    /// How long credits are good for.
    pub credit_validity: Span,
    /// When credits are given anew.
    pub credit_calendar: CreditCalendar,
    /// How many more credits can be booked than there are.
    pub max_negative_credits: i64,
    /// Credits of kinds of their own.
    pub credit_pools: Vec<CreditPool>,
}

impl Terms {
    /// The terms of a product as it is sold today.
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

    /// The first day after the term of what does not renew itself: how long it binds, or else one period, counted from
    /// its start. Nothing where it renews itself.
    pub fn term_end(&self, start: Date) -> Option<Date> {
        let term = || self.contract_period.after(start);
        (!self.auto_renew).then(|| term().unwrap_or_else(|| self.period.start(start, 1)))
    }

    /// Whether it gives credits, so that bookings take those and nothing else of it.
    pub fn gives_credits(&self) -> bool {
        self.assign_credits && (self.credits > 0 || !self.credit_pools.is_empty())
    }

    /// The first day on which what was sold on a day is of no use any more; nothing where there is none.
    pub fn valid_until(&self, kind: ProductType, from: Date) -> Option<Date> {
        let within = self.validity_after_purchase.after(from);
        match kind {
            ProductType::Membership => None,
            // A pass is good on the days that it has, unless it may be spread over a longer time.
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
    /// What people of a language call it; in its own, where it has no name in theirs.
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
