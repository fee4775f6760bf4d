//! What food holds, and what several foods hold together. Amounts are those of what was eaten, in hundredths of their
//! unit; what nobody knows is not nothing. Knows no database.

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
        /// What food holds. What is absent is unknown.
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
        pub struct Totals {
            $(#[doc = $about] $field: Total,)+
        }

        impl Totals {
            /// Adds what one more food holds.
            pub fn add(&mut self, food: &Nutrients) {
                $(self.$field.add(food.$field);)+
            }
        }
    };
}

nutrients! {
    energy_kcal "In kcal."
    protein_g "In grams."
    carbohydrate_g "In grams, sugar included."
    sugar_g "In grams."
    fat_g "In grams, saturated fat included."
    saturated_fat_g "In grams."
    fibre_g "In grams."
    salt_g "In grams."
}

/// A sum of what is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct Total {
    /// Of the foods of which it is known.
    value: Hundredths,
    /// Foods of which it is not known.
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
    fn what_is_unknown_is_not_nothing() {
        let food = |value| serde_json::from_value::<Nutrients>(value).unwrap();
        let mut totals = Totals::default();
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
        fn amounts_come_back_as_they_were_kept(hundredths in 0..10_000_000i64) {
            let text = serde_json::to_string(&Hundredths(hundredths)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Hundredths>(&text).unwrap(), Hundredths(hundredths));
        }
    }
}
