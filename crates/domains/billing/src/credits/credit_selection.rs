//! What covers a booking: a membership, a day of a pass, or credits; what ends first is taken first. Knows
//! no database.

use std::collections::{BTreeMap, BTreeSet};

use spotter_kernel::Date;

use crate::{
    catalogue::vocabulary::ProductType,
    credits::{
        grants::CreditGrant,
        lot::{CreditLot, LotStatus},
    },
    ids::{ClientProductId, CreditLotId},
    memberships::subscription::{Subscription, SubscriptionStatus},
    sales::client_product::{ClientProduct, ClientProductStatus},
};

/// All that a client has.
#[derive(Debug, Clone, Default)]
pub struct AvailableCredits {
    /// The client's usable purchases.
    pub products: Vec<ClientProduct>,
    /// Their memberships that have not ended.
    pub subscriptions: Vec<Subscription>,
    /// Their credits, in the order in which they are taken.
    pub lots: Vec<CreditLot>,
    /// Days on which passes are used, or will be.
    pub days: BTreeMap<ClientProductId, BTreeSet<Date>>,
}

/// What a booking takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cover {
    /// A place under a membership.
    Membership(ClientProductId),
    /// A day of a pass.
    Pass(ClientProductId),
    /// Credits.
    Credits(Vec<CreditUse>),
}

/// Some of the credits that a booking takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditUse {
    /// Of which.
    pub of: CreditSource,
    /// Number of credits.
    pub units: i64,
}

/// Credits that a booking can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreditSource {
    /// An existing lot.
    Lot(CreditLotId),
    /// Of a grant that is to come, by the place of its sale among the client's products.
    Promised(usize, CreditGrant),
    /// Of none: the next grant pays for them.
    Debt,
}

impl AvailableCredits {
    /// What covers a number of units on a day; `None` where the client has too few.
    pub fn cover(&self, day: Date, units: i64, pools: &[String]) -> Option<Cover> {
        let membership = self.products.iter().find(|product| {
            product.product_type == ProductType::Membership
                && !product.terms.0.gives_credits()
                && self.runs_on(product, day)
        });
        if let Some(product) = membership {
            return Some(Cover::Membership(product.client_product_id));
        }
        let pass = self.products.iter().find(|product| self.is_pass_for(product, day));
        if let Some(product) = pass {
            return Some(Cover::Pass(product.client_product_id));
        }
        self.credits(day, units, pools).map(Cover::Credits)
    }

    /// Whether a purchase can be used on a day: its membership runs then and has no unpaid invoice; other purchases
    /// are valid.
    pub fn runs_on(&self, product: &ClientProduct, day: Date) -> bool {
        if product.product_type != ProductType::Membership {
            return product.is_valid_on(day);
        }
        let own = Some(product.client_product_id);
        self.subscriptions.iter().any(|one| {
            Some(one.client_product_id) == own
                && one.status != SubscriptionStatus::PastDue
                && one.start_date <= day
                && one.end_date.is_none_or(|end| day < end)
                && one.pause_on(day).is_none()
        })
    }

    fn is_pass_for(&self, product: &ClientProduct, day: Date) -> bool {
        let is_pass = matches!(product.product_type, ProductType::DayPass | ProductType::WeekPass);
        let used = self.days.get(&product.client_product_id);
        let left = || {
            let count = used.map_or(0, BTreeSet::len) as i64;
            count < product.terms.0.days_usable || used.is_some_and(|days| days.contains(&day))
        };
        is_pass && !product.terms.0.gives_credits() && product.is_valid_on(day) && left()
    }

    fn credits(&self, day: Date, units: i64, pools: &[String]) -> Option<Vec<CreditUse>> {
        let (mut parts, mut left) = (Vec::new(), units);
        let mut take = |of: CreditSource, available: i64| {
            let taken = left.min(available);
            if taken > 0 {
                left -= taken;
                parts.push(CreditUse { of, units: taken });
            }
            left == 0
        };
        let usable = |lot: &&CreditLot| {
            matches!(lot.status, LotStatus::Active | LotStatus::Promised)
                && lot.fits(pools)
                && lot.is_good_on(day)
                && self.is_open(lot, day)
        };
        for lot in self.lots.iter().filter(usable) {
            if take(CreditSource::Lot(lot.credit_lot_id), lot.available()) {
                return Some(parts);
            }
        }
        for (at, product) in self.products.iter().enumerate() {
            for grant in self.promised(product, day) {
                let good = grant.until.is_none_or(|until| day < until);
                let fits = grant.pool.as_ref().is_none_or(|pool| pools.contains(pool));
                let credits = grant.credits;
                if good && fits && take(CreditSource::Promised(at, grant), credits) {
                    return Some(parts);
                }
            }
        }
        (take(CreditSource::Debt, self.allowance(day) - self.debt())).then_some(parts)
    }

    /// Whether the sale that gave a lot lets it be used on a day.
    fn is_open(&self, lot: &CreditLot, day: Date) -> bool {
        let Some(id) = lot.client_product_id else { return true };
        let product = self.products.iter().find(|product| product.client_product_id == id);
        product.is_none_or(|product| {
            product.product_type != ProductType::Membership || self.runs_on(product, day)
        })
    }

    /// Credits that a membership will have given by a day, and has not written down yet.
    fn promised(&self, product: &ClientProduct, day: Date) -> Vec<CreditGrant> {
        let own = product.client_product_id;
        let Some(subscription) = self.subscriptions.iter().find(|one| one.client_product_id == own)
        else {
            return Vec::new();
        };
        if !self.runs_on(product, day) {
            return Vec::new();
        }
        let terms = &product.terms.0;
        let mut grants = terms.by_date(product.valid_from, product.granted_until, day.tomorrow());
        let bills = subscription.bills_to_come(BILLS_AHEAD).into_iter();
        grants.extend(
            bills
                .filter(|bill| bill.period_start <= day)
                .filter_map(|bill| terms.with_bill(bill.period_start)),
        );
        grants.retain(|grant| subscription.pause_on(grant.on).is_none());
        // Grants that were promised before are among the lots.
        grants.retain(|grant| {
            !self.lots.iter().any(|lot| {
                lot.client_product_id == Some(own)
                    && lot.pool_key == grant.pool
                    && lot.grant_number == Some(grant.number())
            })
        });
        grants
    }

    /// How much more than they have the client may book on a day.
    pub fn allowance(&self, day: Date) -> i64 {
        let active = self.products.iter().filter(|product| {
            product.status != ClientProductStatus::Used && self.runs_on(product, day)
        });
        active.map(|product| product.terms.0.max_negative_credits).max().unwrap_or(0)
    }

    /// How much more than they had the client has booked.
    pub fn debt(&self) -> i64 {
        let debts =
            self.lots.iter().filter(|lot| lot.source == crate::credits::lot::LotSource::Debt);
        debts.map(|lot| -lot.available()).sum::<i64>().max(0)
    }
}

/// Invoices of a membership that are considered for future credits: more than a horizon of bookings has.
const BILLS_AHEAD: usize = 60;
