//! What a sale hands over: a product on the terms of its day, the record of the purchase, its credits and their events.

use spotter_contract::{Read, Write};
use spotter_kernel::{Date, Event, Problem, Result, Rule, Timestamp, id::ClientId};
use spotter_people::clients::Client;
use spotter_store::Json;

use crate::{
    catalogue::{
        product::{Product, ProductId},
        vocabulary::ProductType,
    },
    credits::{grant, grants::CreditGrant},
    ids::ClientProductId,
    memberships::subscription::Subscription,
    rules::BillingRule,
    sales::{
        client_product::{ClientProduct, ClientProductStatus},
        lifecycle,
        terms::SaleTerms,
    },
};

/// A product that a client buys, before it is stored.
pub(super) struct Purchase {
    /// Who buys it.
    pub(super) client_id: ClientId,
    pub(super) product: Product,
    /// Its name in the buyer's language.
    pub(super) name: String,
    pub(super) terms: SaleTerms,
    /// First day.
    pub(super) start: Date,
    /// The company's date.
    pub(super) today: Date,
    /// The integrator's own id for the sale.
    pub(super) external_id: Option<String>,
}

/// The product that a field names, where it is sold: as a membership, or as anything else.
pub(super) fn find_sold(
    cx: &mut Read,
    id: ProductId,
    field: &str,
    as_membership: bool,
) -> Result<Product> {
    let rule = || BillingRule::NotSold;
    let product = Product::find(cx, id).map_err(|none| none.missing(field, rule()))?;
    if product.is_archived {
        return Err(Problem::conflict(field, rule()));
    }
    match (product.product_type == ProductType::Membership, as_membership) {
        (true, false) => Err(Problem::conflict(field, BillingRule::IsMembership)),
        (false, true) => Err(Problem::conflict(field, BillingRule::NotMembership)),
        _ => Ok(product),
    }
}

/// Refuses a client to whom nothing is sold any more.
pub(super) fn check_buyer(client: &Client) -> Result<()> {
    client.check_named()?;
    match client.is_archived() {
        true => Err(Problem::conflict("clientId", Rule::Archived)),
        false => Ok(()),
    }
}

impl Purchase {
    /// Whether it can be used at once.
    fn begins(&self) -> bool {
        self.start <= self.today
    }

    /// The record of the purchase, not stored yet.
    pub(super) fn client_product(&self, id: ClientProductId, now: Timestamp) -> ClientProduct {
        let kind = self.product.product_type;
        ClientProduct {
            client_product_id: id,
            client_id: self.client_id,
            product_id: self.product.product_id,
            product_type: kind,
            name: self.name.clone(),
            terms: Json(self.terms.clone()),
            invoice_id: None,
            subscription_id: None,
            status: match self.begins() {
                true => ClientProductStatus::Active,
                false => ClientProductStatus::Scheduled,
            },
            valid_from: self.start,
            valid_until: self.terms.valid_until(kind, self.start),
            days_used: 0,
            granted_until: match self.begins() {
                true => self.start.tomorrow(),
                false => self.start,
            },
            external_id: self.external_id.clone(),
            revoked_at: None,
            revoke_reason: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Credits that are given with it, on its first day.
    pub(super) fn grants(&self) -> Vec<CreditGrant> {
        let mut grants: Vec<CreditGrant> = self.terms.with_bill(self.start).into_iter().collect();
        grants.extend(self.terms.by_date(self.start, self.start, self.start.tomorrow()));
        grants
    }

    /// Stores the record of the purchase, whose invoice is issued, gives its credits, and sees to its course.
    pub(super) fn hand_over(
        &self,
        cx: &mut Write,
        product: &ClientProduct,
        subscription: Option<&Subscription>,
    ) -> Result<()> {
        product.insert(cx)?;
        product.publish(cx, Event::ClientProductAssigned)?;
        if subscription.is_some() {
            product.publish(cx, Event::MembershipAssigned)?;
        }
        if self.begins() {
            grant::give(cx, product, &self.grants())?;
        }
        lifecycle::schedule(cx, product, subscription)
    }
}
