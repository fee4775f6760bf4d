//! Nutrients of foods, and their sums. Amounts are those of the eaten portion, in hundredths of their unit; an
//! unknown amount is not zero. Needs no database.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spotter_kernel::{Key, Problem, Result, Rule, problem::refuse};

use crate::{rules::ProgressRule, units::rounded};

/// An amount in hundredths of its unit: 0 to 100,000 of it, with two decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hundredths(pub i64);

/// The most of it.
const MOST: f64 = 100_000.0;

impl Serialize for Hundredths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(rounded(self.0 as f64 / 100.0, 2))
    }
}

impl<'de> Deserialize<'de> for Hundredths {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(d)?;
        match (0.0..=MOST).contains(&value) {
            true => Ok(Self((value * 100.0).round() as i64)),
            false => Err(refuse(Key::RequestInvalid, Rule::OutOfRange { min: 0, max: 100000 })),
        }
    }
}

impl JsonSchema for Hundredths {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Hundredths".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": MOST, "examples": [12.5]})
    }
}

/// Each nutrient once: its field, and what it is.
macro_rules! nutrients {
    ($($field:ident $about:literal)+) => {
        /// Nutrients of a food. An absent one is unknown.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct Nutrients {
            $(#[doc = $about] pub $field: Option<Hundredths>,)+
        }

        /// What several foods hold together.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
        #[schemars(inline)]
        #[serde(rename_all = "camelCase")]
        pub struct NutrientTotals {
            $(#[doc = $about] $field: Total,)+
        }

        impl NutrientTotals {
            /// Adds what one more food holds.
            pub fn add(&mut self, food: &Nutrients) {
                $(self.$field.add(food.$field);)+
            }
        }
    };
}

nutrients! {
    energy_kcal "Energy in kilocalories."
    protein_g "Amount in grams."
    carbohydrate_g "Carbohydrate in grams, including sugar."
    sugar_g "Amount in grams."
    fat_g "Fat in grams, including saturated fat."
    saturated_fat_g "Amount in grams."
    fibre_g "Amount in grams."
    salt_g "Amount in grams."
}

/// A sum of known amounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Total {
    /// Sum of the items with a value.
    value: Hundredths,
    /// Number of items without a value.
    unknown: i64,
}

impl Total {
    fn add(&mut self, amount: Option<Hundredths>) {
        match amount {
            Some(Hundredths(amount)) => self.value.0 += amount,
            None => self.unknown += 1,
        }
    }
}

impl Nutrients {
    /// Refuses a part that is more than what it is part of.
    pub fn check(&self, field: &str) -> Result<()> {
        for (part, whole, name, of) in [
            (self.sugar_g, self.carbohydrate_g, "sugarG", "carbohydrateG"),
            (self.saturated_fat_g, self.fat_g, "saturatedFatG", "fatG"),
        ] {
            if part.zip(whole).is_some_and(|(part, whole)| part > whole) {
                let rule = ProgressRule::AboveWhole { of };
                return Err(Problem::invalid(&format!("{field}.{name}"), rule));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_nutrients_are_not_zero() {
        let food = |value| serde_json::from_value::<Nutrients>(value).unwrap();
        let mut totals = NutrientTotals::default();
        for one in [json!({"energyKcal": 0.1, "saltG": 0}), json!({"energyKcal": 0.2}), json!({})] {
            totals.add(&food(one));
        }
        let output = serde_json::to_value(totals).unwrap();
        assert_eq!(output["energyKcal"], json!({"value": 0.3, "unknown": 1}));
        assert_eq!(output["saltG"], json!({"value": 0.0, "unknown": 2}));
        assert!(food(json!({"sugarG": 5, "carbohydrateG": 4})).check("items[0]").is_err());
        assert!(food(json!({"sugarG": 5})).check("items[0]").is_ok());
        for bad in [json!({"energyKcal": -1}), json!({"energyKcal": 100_001}), json!({"fat": 1})] {
            assert!(serde_json::from_value::<Nutrients>(bad).is_err());
        }
    }

    proptest! {
        #[test]
        fn amounts_round_trip(hundredths in 0..10_000_000i64) {
            let text = serde_json::to_string(&Hundredths(hundredths)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Hundredths>(&text).unwrap(), Hundredths(hundredths));
        }
    }
}
