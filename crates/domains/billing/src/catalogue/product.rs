//! A product: its facts, and the rules that hold between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::folding::haystack;
use spotter_kernel::{
    Problem, Result, Timestamp, id_type,
    localized::{Localized, UNDECLARED},
    money::{Currency, Percentage},
    number::BoundedInteger,
    text::Language,
};
use spotter_store::{Json, record, stored_ids};

use super::pools::{CreditPool, NewCreditPool, TimeSpan, pools};
use super::vocabulary::{CreditCalendar, Period, ProductType, Shelf, StoreType, Visibility};
use crate::rules::BillingRule;

id_type!(
    /// A product that a company sells.
    ProductId,
    RequestInvalid
);
stored_ids!(ProductId);

/// The name of a product.
pub type ProductName = Localized<120>;
/// A product's description.
pub type Description = Localized<4000>;
/// A price in minor units.
pub type Price = BoundedInteger<0, 1_000_000_000_000>;

record! {
    /// A product that the company sells.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Product {
        /// The product's id.
        pub product_id: ProductId,
        /// What is bought: a pass, a membership, a pack of credits or something else.
        pub product_type: ProductType,
        /// Name by language.
        pub(crate) name: Json<ProductName>,
        /// Description by language; may be empty.
        pub(crate) description: Json<Description>,
        /// The language to fall back on; null where the name's language is not declared.
        pub(crate) default_language: Option<String>,
        /// Where the product is shown.
        pub visibility: Visibility,
        /// Recurring where it renews itself.
        store_type: StoreType,
        /// Price in minor units, including VAT.
        #[schemars(range(min = 0))]
        pub(crate) price: i64,
        pub(crate) currency: Currency,
        /// The share of VAT in percent, with at most two decimals.
        pub(crate) vat_percentage: Percentage,
        /// The paid period; `None` for products without a period.
        pub(crate) period: Period,
        /// Whether it is meant for people who try the business.
        trial: bool,
        /// Whether it is paid again each period until it is cancelled.
        pub(crate) auto_renew: bool,
        /// Minimum contract period; a value of 0 means none.
        pub(crate) contract_period: Json<TimeSpan>,
        /// Notice period for cancelling.
        pub(crate) cancellation_notice_period: Period,
        /// Number of days on which a pass can be used; 0 for other products.
        #[schemars(range(min = 0))]
        pub(crate) days_usable: i64,
        /// Period after the purchase in which it must be used; a value of 0 means unlimited.
        pub(crate) validity_after_purchase: Json<TimeSpan>,
        /// Whether the buyer is given credits.
        pub(crate) assign_credits: bool,
        /// Credits that are granted with each payment, besides those of the pools.
        #[schemars(range(min = 0))]
        pub(crate) credits: i64,
        /// Validity of credits; a value of 0 means unlimited.
        pub(crate) credit_validity: Json<TimeSpan>,
        /// When credits are granted.
        pub(crate) credit_calendar: CreditCalendar,
        /// Whether the balance may fall below zero.
        pub(crate) allow_negative_credits: bool,
        /// Number of credits by which the balance may fall below zero.
        #[schemars(range(min = 0))]
        pub(crate) max_negative_credits: i64,
        /// Credits of kinds of their own.
        pub(crate) credit_pools: Json<Vec<CreditPool>>,
        /// Whether it is no longer sold.
        pub is_archived: bool,
        created_at: Timestamp,
        pub(super) updated_at: Timestamp,
    }
}

/// Declares the bodies that create and update a product, and how they apply, from one list of fields.
macro_rules! facts {
    ($($(#[$doc:meta])* $field:ident: $kind:ty => $apply:expr;)+) => {
        /// The product to create.
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct NewProduct {
            /// Type of product; it cannot be changed.
            pub(super) product_type: ProductType,
            /// Name by language.
            name: ProductName,
            /// Price in minor units, including VAT.
            price: Price,
            $($(#[$doc])* #[serde(default)] $field: spotter_kernel::Change<$kind>,)+
        }

        /// The fields of a product to change.
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct ProductChanges {
            /// Name by language.
            #[serde(default)]
            name: spotter_kernel::Change<ProductName>,
            /// Price in minor units, including VAT.
            #[serde(default)]
            price: spotter_kernel::Change<Price>,
            $($(#[$doc])* #[serde(default)] $field: spotter_kernel::Change<$kind>,)+
        }

        impl NewProduct {
            /// Copies the given fields to a product.
            fn apply(self, product: &mut Product) -> Result<()> {
                product.name = Json(self.name);
                product.price = self.price.0;
                $(if let Some(value) = self.$field.value() {
                    let apply: fn(&mut Product, $kind) -> Result<()> = $apply;
                    apply(product, value)?;
                })+
                Ok(())
            }
        }

        impl ProductChanges {
            fn apply(self, product: &mut Product) -> Result<()> {
                self.name.map(Json).apply(&mut product.name);
                self.price.apply(&mut product.price);
                $(if let Some(value) = self.$field.value() {
                    let apply: fn(&mut Product, $kind) -> Result<()> = $apply;
                    apply(product, value)?;
                })+
                Ok(())
            }
        }
    };
}

/// Sets a field to a submitted value.
macro_rules! set {
    ($field:ident) => {
        |product, value| {
            product.$field = value.into();
            Ok(())
        }
    };
    ($field:ident $into:expr) => {
        |product, value| {
            product.$field = $into(value);
            Ok(())
        }
    };
}

facts! {
    /// Description by language.
    description: Description => set!(description Json);
    /// One of the name's languages, the company's or the only one when absent; null where the name is given under `und`.
    default_language: Option<Language> => |product, language| {
        product.default_language = language.map(Into::into);
        Ok(())
    };
    /// `Visible` when absent.
    visibility: Visibility => set!(visibility);
    /// The company's when absent.
    currency: Currency => set!(currency);
    /// 0 when absent.
    vat_percentage: Percentage => set!(vat_percentage);
    /// For memberships: `Month` when absent.
    period: Period => set!(period);
    /// Whether it is meant for people who try the business.
    trial: bool => set!(trial);
    /// Whether a membership renews itself. Memberships only.
    auto_renew: bool => set!(auto_renew);
    /// Minimum term of a membership. Memberships only.
    contract_period: TimeSpan => set!(contract_period Json);
    /// For memberships: `None` when absent.
    cancellation_notice_period: Period => set!(cancellation_notice_period);
    /// For passes: 1 or 7 when absent.
    days_usable: BoundedInteger<0, 366> => set!(days_usable);
    /// Period after the purchase in which it must be used.
    validity_after_purchase: TimeSpan => set!(validity_after_purchase Json);
    /// Whether the buyer is given credits.
    assign_credits: bool => set!(assign_credits);
    /// Credits that are given with each payment.
    credits: BoundedInteger<0, 10_000> => set!(credits);
    /// How long they can be spent once granted.
    credit_validity: TimeSpan => set!(credit_validity Json);
    /// `Rolling` when absent.
    credit_calendar: CreditCalendar => set!(credit_calendar);
    /// Whether the balance may fall below zero.
    allow_negative_credits: bool => set!(allow_negative_credits);
    /// Number of credits by which the balance may fall below zero.
    max_negative_credits: BoundedInteger<0, 1_000> => set!(max_negative_credits);
    /// Credit pools that pay for a booking, at most 10; any pool if empty.
    credit_pools: Vec<NewCreditPool> => |product, new| {
        product.credit_pools = pools(new)?;
        Ok(())
    };
}

/// A product's defaults from its company.
pub(super) struct Defaults {
    pub(super) currency: Currency,
    pub(super) language: String,
}

impl Product {
    /// A new product, if its facts agree with each other.
    pub(super) fn new(
        product_id: ProductId,
        now: Timestamp,
        defaults: Defaults,
        new: NewProduct,
    ) -> Result<Self> {
        let product_type = new.product_type;
        // The company's language, or the only language of the name.
        let only = new.name.only().map(str::to_owned);
        let fallback = new.name.has(&defaults.language).then_some(defaults.language).or(only);
        let mut product = Self {
            product_id,
            product_type,
            name: Json::default(),
            description: Json::default(),
            default_language: fallback,
            visibility: Visibility::Visible,
            store_type: StoreType::OneTime,
            price: 0,
            currency: defaults.currency,
            vat_percentage: Percentage::default(),
            period: product_type.period().0,
            trial: false,
            auto_renew: false,
            contract_period: Json(TimeSpan::NONE),
            cancellation_notice_period: Period::None,
            days_usable: product_type.days_usable(),
            validity_after_purchase: Json(TimeSpan::NONE),
            assign_credits: product_type == ProductType::CreditPack,
            credits: 0,
            credit_validity: Json(TimeSpan::NONE),
            credit_calendar: CreditCalendar::Rolling,
            allow_negative_credits: false,
            max_negative_credits: 0,
            credit_pools: Json(Vec::new()),
            is_archived: false,
            created_at: now,
            updated_at: now,
        };
        new.apply(&mut product)?;
        product.complete()?;
        Ok(product)
    }

    /// Changes the product, if its facts then agree with each other.
    pub(super) fn change(&mut self, changes: ProductChanges) -> Result<()> {
        changes.apply(self)?;
        self.complete()
    }

    /// Whether it is meant for people who try the business.
    pub const fn is_trial(&self) -> bool {
        self.trial
    }

    /// The words that the product is found by.
    pub(super) fn haystack(&self) -> String {
        haystack(self.name.0.texts())
    }

    /// Refuses facts that do not agree, and works out what follows from the others.
    fn complete(&mut self) -> Result<()> {
        self.check_texts()?;
        self.check_terms()?;
        self.check_credits()?;
        self.store_type = if self.auto_renew { StoreType::Recurring } else { StoreType::OneTime };
        Ok(())
    }

    fn check_texts(&self) -> Result<()> {
        let name = &self.name.0;
        if name.is_empty() {
            return Err(Problem::invalid("name", BillingRule::NoText));
        }
        match &self.default_language {
            Some(language) if !name.has(language) => {
                Err(Problem::invalid("defaultLanguage", BillingRule::OtherLanguage))
            }
            None if !name.has(UNDECLARED) => {
                Err(Problem::invalid("defaultLanguage", BillingRule::LanguageRequired))
            }
            _ => Ok(()),
        }
    }

    fn check_terms(&self) -> Result<()> {
        let kind = self.product_type;
        let membership = kind == ProductType::Membership;
        let (period, may_differ) = kind.period();
        let wrong = match self {
            _ if self.period != period && !may_differ => {
                Some(("period", BillingRule::NotOfProductType))
            }
            _ if membership && self.period == Period::None => {
                Some(("period", BillingRule::MembershipWithoutRenewal))
            }
            _ if self.auto_renew && !membership => {
                Some(("autoRenew", BillingRule::OnlyForMemberships))
            }
            _ if self.contract_period.0.value > 0 && !membership => {
                Some(("contractPeriod", BillingRule::ValueForMembership))
            }
            _ if self.cancellation_notice_period != Period::None && !membership => {
                Some(("cancellationNoticePeriod", BillingRule::RenewalForMembership))
            }
            _ if (self.days_usable > 0) != (kind.shelf() == Shelf::Passes) => {
                Some(("daysUsable", BillingRule::VisitsForPass))
            }
            _ => None,
        };
        wrong.map_or(Ok(()), |(field, rule)| Err(Problem::invalid(field, rule)))
    }

    fn check_credits(&self) -> Result<()> {
        let some = self.credits > 0 || !self.credit_pools.0.is_empty();
        let wrong = match self {
            _ if self.product_type == ProductType::CreditPack && self.credits == 0 => {
                Some(("credits", BillingRule::CreditsForPack))
            }
            _ if some && !self.assign_credits => {
                Some(("assignCredits", BillingRule::CreditsNotAssigned))
            }
            _ if self.assign_credits && !some => Some(("credits", BillingRule::CreditsRequired)),
            _ if self.allow_negative_credits != (self.max_negative_credits > 0) => {
                let rule = BillingRule::NegativeCredits;
                Some(("maxNegativeCredits", rule))
            }
            _ => None,
        };
        wrong.map_or(Ok(()), |(field, rule)| Err(Problem::invalid(field, rule)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use spotter_kernel::Id;

    use super::*;

    fn parse_product(body: Value) -> Result<Product> {
        let new = serde_json::from_value(body).map_err(Problem::internal)?;
        let currency = Currency::parse("EUR").ok_or_else(|| Problem::internal("EUR"))?;
        let defaults = Defaults { currency, language: "nl".into() };
        let now = Timestamp::from_millis(1);
        Product::new(ProductId(Id::new(now, [0; 6])), now, defaults, new)
    }

    /// The field that a product with these facts and the required ones is refused for.
    fn refused(kind: &str, facts: Value) -> String {
        let mut body = json!({"productType": kind, "name": {"nl": "x"}, "price": 1});
        body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
        match parse_product(body) {
            Ok(_) => String::new(),
            Err(problem) => problem.details.unwrap()["field"].as_str().unwrap().to_owned(),
        }
    }

    #[test]
    fn passes_have_their_own_period_and_days() {
        let pass = parse_product(
            json!({"productType": "WeekPass", "name": {"nl": "Week"}, "price": 2500}),
        );
        let pass = pass.unwrap();
        assert_eq!((pass.period, pass.days_usable), (Period::Week, 7));
        assert_eq!(pass.default_language.as_deref(), Some("nl"));
        assert_eq!(pass.store_type, StoreType::OneTime);
    }

    #[test]
    fn facts_agree_with_the_type() {
        let cases = [
            ("DayPass", json!({"period": "Week"}), "period"),
            ("DayPass", json!({"daysUsable": 0}), "daysUsable"),
            ("DayPass", json!({"autoRenew": true}), "autoRenew"),
            ("Other", json!({"daysUsable": 3}), "daysUsable"),
            ("Other", json!({"contractPeriod": {"value": 1, "unit": "Year"}}), "contractPeriod"),
            ("Other", json!({"cancellationNoticePeriod": "Month"}), "cancellationNoticePeriod"),
            ("Membership", json!({"period": "None"}), "period"),
            ("Membership", json!({"period": "FourWeeks", "autoRenew": true}), ""),
            ("CreditPack", json!({}), "credits"),
            ("CreditPack", json!({"credits": 10}), ""),
            ("DayPass", json!({"credits": 1}), "assignCredits"),
            ("DayPass", json!({"assignCredits": true}), "credits"),
            ("DayPass", json!({"allowNegativeCredits": true}), "maxNegativeCredits"),
            ("DayPass", json!({"maxNegativeCredits": 1}), "maxNegativeCredits"),
            ("DayPass", json!({"name": {}}), "name"),
            ("DayPass", json!({"name": {"en": "x"}}), ""),
            ("DayPass", json!({"name": {"en": "x", "de": "y"}}), "defaultLanguage"),
            ("DayPass", json!({"name": {"en": "x"}, "defaultLanguage": "nl"}), "defaultLanguage"),
            ("DayPass", json!({"name": {"und": "x"}}), ""),
            ("DayPass", json!({"name": {"und": "x", "en": "y"}, "defaultLanguage": null}), ""),
        ];
        for (kind, facts, field) in cases {
            assert_eq!(refused(kind, facts.clone()), field, "{kind} {facts}");
        }
        let pool = |key: &str| {
            json!({"key": key, "name": "Sauna", "credits": 2, "scheduleInterval": 1,
                "scheduleUnit": "Month", "mode": "Reset"})
        };
        let pools = |pools: Vec<Value>| json!({"assignCredits": true, "creditPools": pools});
        assert_eq!(refused("Membership", pools(vec![pool("a"), pool("b")])), "");
        assert_eq!(refused("Membership", pools(vec![pool("a"), pool("A")])), "creditPools[1].key");
        assert_eq!(refused("Membership", pools(vec![pool("a"); 11])), "creditPools");
    }

    proptest! {
        /// A product that was accepted after any change is one that could have been created.
        #[test]
        fn changed_products_are_valid(
            kind in prop::sample::select(ProductType::ALL),
            credits in 0..3i64, assign: bool, negative: bool, most in 0..3i64, renew: bool,
            days in 0..3i64, price in 0..=1_000_000_000_000i64,
        ) {
            let least = if kind == ProductType::CreditPack { 1 } else { 0 };
            let mut body = json!({"productType": kind, "name": {"nl": "x"}, "price": 1,
                "credits": least});
            let mut product = parse_product(body.clone()).unwrap();
            let facts = json!({"credits": credits, "assignCredits": assign, "price": price,
                "allowNegativeCredits": negative, "maxNegativeCredits": most, "autoRenew": renew,
                "daysUsable": days});
            body.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
            let changed = product.change(serde_json::from_value(facts).unwrap());
            match parse_product(body) {
                Ok(made) => {
                    prop_assert!(changed.is_ok());
                    prop_assert_eq!(made.price, price);
                    prop_assert_eq!(product, made);
                }
                Err(problem) => prop_assert_eq!(changed.unwrap_err(), problem),
            }
        }
    }
}
