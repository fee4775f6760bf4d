//! A client's card or bank account that can be charged: the record, masked. Only the provider has the number.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Read, Write};
use spotter_kernel::{Date, Key, Result, Timestamp, id::ClientId};
use spotter_store::{params, record, set, statements, values, words};

use super::{
    card_expiry,
    provider::{ChargedMethod, ProviderName},
};
use crate::{ids::PaymentMethodId, memberships::period::first_of_month};

words! {
    /// The type of a method.
    pub enum MethodType { Card = "card", SepaDebit = "sepa_debit" }
}

words! {
    /// Whether it can be charged: *expired* when its last month has gone by, *revoked* when the client or the
    /// bank has taken it back.
    pub enum MethodStatus { Active = "active", Expired = "expired", Revoked = "revoked" }
}

/// A card or bank account as a provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFacts {
    /// Whether it is a card or a bank account.
    pub kind: MethodType,
    /// Card brand, such as `visa`.
    pub brand: Option<String>,
    /// The last four characters of its number.
    pub last4: String,
    /// The last month in which a card is good, from 1.
    pub exp_month: Option<i64>,
    /// The year of that month.
    pub exp_year: Option<i64>,
    /// Person or company that the account or card belongs to.
    pub holder_name: Option<String>,
    /// The provider's id of the customer.
    pub customer: Option<String>,
    /// Id at the provider.
    pub token: String,
}

record! {
    /// A client's payment method, masked.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct PaymentMethod {
        /// Id of the payment method.
        pub payment_method_id: PaymentMethodId,
        /// Client who pays with it.
        pub client_id: ClientId,
        /// Provider that stores the payment method.
        pub provider: ProviderName,
        /// Whether it is a card or a bank account.
        pub r#type: MethodType,
        /// Card brand, such as `visa`.
        pub brand: Option<String>,
        /// The last four characters of its number.
        pub last4: String,
        /// The last month in which a card is good, from 1.
        pub exp_month: Option<i64>,
        /// The year of that month.
        pub exp_year: Option<i64>,
        /// Person or company that the account or card belongs to.
        pub holder_name: Option<String>,
        /// Whether it is charged where no other is named.
        pub is_default: bool,
        /// Whether it can be charged.
        pub status: MethodStatus,
        #[serde(skip)]
        customer: Option<String>,
        #[serde(skip)]
        token: String,
        /// When it was added.
        pub created_at: Timestamp,
        /// When it was last updated.
        pub updated_at: Timestamp,
    }
}

impl PaymentMethod {
    /// The method with this id, which for a client must be their own.
    pub fn find(cx: &mut Read, id: PaymentMethodId) -> Result<Self> {
        let found: Self = cx.one(FIND, params![id])?.ok_or(Key::NotFound)?;
        cx.own(found, |method| method.client_id)
    }

    /// The method to charge: the named one, or the client's default; `None` where it cannot be charged any more.
    pub fn of(
        cx: &mut Read,
        client: ClientId,
        named: Option<PaymentMethodId>,
    ) -> Result<Option<Self>> {
        Ok(Self::find_or_default(cx, client, named)?
            .filter(|method| method.status == MethodStatus::Active))
    }

    /// The method that is named, or the default one, whether or not it can be charged.
    pub fn find_or_default(
        cx: &mut Read,
        client: ClientId,
        named: Option<PaymentMethodId>,
    ) -> Result<Option<Self>> {
        match named {
            Some(id) => cx.one(FIND, params![id]),
            None => cx.one(DEFAULT, params![client]),
        }
    }

    /// Whether the last that a client has left ran out.
    pub fn ran_out(cx: &mut Read, client: ClientId) -> Result<bool> {
        let latest = Self::all_of(cx, client)?.pop();
        Ok(latest.is_some_and(|method| method.status == MethodStatus::Expired))
    }

    /// Everything that a client has left, the first first.
    pub fn all_of(cx: &mut Read, client: ClientId) -> Result<Vec<Self>> {
        cx.all(ALL_OF, params![client])
    }

    /// The method as it is sent to a provider.
    pub fn charged(&self) -> ChargedMethod {
        let (customer, token) = (self.customer.clone(), self.token.clone());
        ChargedMethod { kind: self.r#type, customer, token }
    }

    /// The first day of a card's last month; `None` where it has no valid one.
    pub fn last_month(&self) -> Option<Date> {
        let (year, month) = (self.exp_year?, self.exp_month?);
        Date::parse(&format!("{year:04}-{month:02}-01"))
    }

    /// The first day on which a card has expired.
    pub fn over_on(&self) -> Option<Date> {
        self.last_month().map(|month| first_of_month(month.tomorrow()))
    }

    /// Whether a card's last month has gone by on a date.
    pub fn is_over(&self, today: Date) -> bool {
        self.over_on().is_some_and(|over| today >= over)
    }

    /// Saves the changes.
    pub fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("payment_method", self.payment_method_id, changed) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }
}

/// Stores a method that a client has saved with a provider; the first one becomes the default.
pub fn store(
    cx: &mut Write,
    client: ClientId,
    provider: ProviderName,
    facts: &MethodFacts,
) -> Result<PaymentMethod> {
    let own = PaymentMethod::all_of(cx, client)?;
    let is_default = !own.iter().any(|one| {
        one.is_default && one.status == MethodStatus::Active && one.provider == provider
    });
    if is_default {
        undo_default(cx, own)?;
    }
    let method = PaymentMethod {
        payment_method_id: PaymentMethodId(cx.new_id()),
        client_id: client,
        provider,
        r#type: facts.kind,
        brand: facts.brand.clone(),
        last4: facts.last4.clone(),
        exp_month: facts.exp_month,
        exp_year: facts.exp_year,
        holder_name: facts.holder_name.clone(),
        is_default,
        status: MethodStatus::Active,
        customer: facts.customer.clone(),
        token: facts.token.clone(),
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("payment_method", method.payment_method_id, ["paymentMethod"]);
    cx.defer(INSERT, &method.params())?;
    card_expiry::follow(cx, &method)?;
    Ok(method)
}

/// Makes a method the default.
pub fn make_default(cx: &mut Write, before: PaymentMethod) -> Result<PaymentMethod> {
    let own = PaymentMethod::all_of(cx, before.client_id)?;
    undo_default(
        cx,
        own.into_iter().filter(|one| one.payment_method_id != before.payment_method_id),
    )?;
    let mut method = PaymentMethod { is_default: true, ..before.clone() };
    method.save(cx, &before)?;
    Ok(method)
}

fn undo_default(cx: &mut Write, own: impl IntoIterator<Item = PaymentMethod>) -> Result<()> {
    own.into_iter().filter(|one| one.is_default).try_for_each(|before| {
        let mut method = PaymentMethod { is_default: false, ..before.clone() };
        method.save(cx, &before)
    })
}

/// Marks a method as not chargeable any more; the latest other method of its provider becomes the default.
pub fn end(cx: &mut Write, before: &PaymentMethod, status: MethodStatus) -> Result<PaymentMethod> {
    let mut method = PaymentMethod { is_default: false, status, ..before.clone() };
    method.save(cx, before)?;
    if before.is_default {
        let others = PaymentMethod::all_of(cx, before.client_id)?.into_iter();
        let mut others = others
            .filter(|one| one.status == MethodStatus::Active && one.provider == before.provider);
        if let Some(latest) = others.next_back() {
            make_default(cx, latest)?;
        }
    }
    Ok(method)
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    FIND = "SELECT ", PaymentMethod::COLUMNS, " FROM payment_method \
        WHERE company_id = ?1 AND payment_method_id = ?2";
    DEFAULT = "SELECT ", PaymentMethod::COLUMNS, " FROM payment_method \
        WHERE company_id = ?1 AND client_id = ?2 AND is_default ORDER BY payment_method_id LIMIT 1";
    ALL_OF = "SELECT ", PaymentMethod::COLUMNS, " FROM payment_method \
        WHERE company_id = ?1 AND client_id = ?2 ORDER BY payment_method_id LIMIT 100";
    INSERT = "INSERT INTO payment_method ", values!(PaymentMethod);
    SAVE = "UPDATE payment_method SET ", set!(PaymentMethod),
        " WHERE company_id = ?1 AND payment_method_id = ?2";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_good_until_their_month_is_over() {
        let id = spotter_kernel::Id::first_at(Timestamp::from_millis(0));
        let card = PaymentMethod {
            payment_method_id: PaymentMethodId(id),
            client_id: ClientId(id),
            provider: ProviderName::Sandbox,
            r#type: MethodType::Card,
            brand: None,
            last4: "4242".into(),
            exp_month: Some(2),
            exp_year: Some(2028),
            holder_name: None,
            is_default: true,
            status: MethodStatus::Active,
            customer: None,
            token: "sandbox_ok".into(),
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        };
        let on = |day: &str| card.is_over(Date::parse(day).unwrap());
        assert!(!on("2028-02-29") && !on("2027-12-31") && on("2028-03-01") && on("2029-01-01"));
        let account = PaymentMethod { exp_month: None, ..card.clone() };
        assert!(!account.is_over(Date::parse("2090-01-01").unwrap()));
    }
}
