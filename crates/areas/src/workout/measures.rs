//! What is lifted, covered and felt: units, and the numbers that requests may send.
//!
//! Weights are whole grams inside, so that sums are exact; outside they are in the company's unit,
//! rounded to hundredths.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use spotter_kernel::{Key, number, problem::refuse};
use spotter_store::{Bind, Value, column_from, words};

words! {
    /// The unit that weights are shown and taken in.
    pub enum WeightUnit { Kilograms = "kg", Pounds = "lb" }
}

/// The international pound of 1959: 0.45359237 kg exactly.
const GRAMS_PER_POUND: f64 = 453.592_37;
/// Heaviest weight that is taken, in either unit.
const WEIGHT_MAX: f64 = 2_000.0;

/// A weight in whole grams, or a sum of weights times repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grams(pub i64);

impl Bind for Grams {
    fn bind(&self) -> Value<'_> {
        Value::Int(self.0)
    }
}

column_from! { Grams: i64, |grams| Some(Grams(grams)); }

/// A weight or a volume as it is told, in the company's unit.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Weight(pub f64);

impl JsonSchema for Weight {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Weight".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "description": "In the company's unit.",
            "examples": [62.5]})
    }
}

/// A weight as it stands in a request: 0 to 2000 in the company's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewWeight(pub f64);

impl<'de> Deserialize<'de> for NewWeight {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let weight = f64::deserialize(d)?;
        if (0.0..=WEIGHT_MAX).contains(&weight) {
            Ok(Self(weight))
        } else {
            Err(refuse::<D::Error>(Key::RequestInvalid, "must be 0 to 2000"))
        }
    }
}

impl JsonSchema for NewWeight {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "NewWeight".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 2000,
            "description": "In the company's unit.", "examples": [62.5]})
    }
}

impl WeightUnit {
    const fn grams(self) -> f64 {
        match self {
            Self::Kilograms => 1_000.0,
            Self::Pounds => GRAMS_PER_POUND,
        }
    }

    /// The weight inside, to the nearest gram.
    pub fn take(self, weight: NewWeight) -> Grams {
        Grams((weight.0 * self.grams()).round() as i64)
    }

    /// The weight outside, to the nearest hundredth.
    pub fn show(self, grams: Grams) -> Weight {
        Weight((grams.0 as f64 / self.grams() * 100.0).round() / 100.0)
    }
}

/// Rated perceived exertion, 1 to 10 in halves (Borg's CR10 as used for resistance training);
/// kept in halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rpe(i64);

impl Serialize for Rpe {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 2.0)
    }
}

impl<'de> Deserialize<'de> for Rpe {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let halves = f64::deserialize(d)? * 2.0;
        if halves.fract() == 0.0 && (2.0..=20.0).contains(&halves) {
            Ok(Self(halves as i64))
        } else {
            Err(refuse::<D::Error>(Key::RequestInvalid, "must be 1 to 10 in steps of 0.5"))
        }
    }
}

impl JsonSchema for Rpe {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Rpe".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 1, "maximum": 10, "multipleOf": 0.5,
            "examples": [8.5], "description": "Rated perceived exertion."})
    }
}

/// Repetitions of a set: 0 to 1000.
pub(super) fn reps<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 0..=1_000)
}

/// A distance in metres: 0 to 1000 kilometres.
pub(super) fn distance<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 0..=1_000_000)
}

/// A duration in seconds: up to a day.
pub(super) fn duration<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 0..=86_400)
}

/// A rest in seconds: up to an hour.
pub(super) fn rest<'de, D: Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    number::optional_within(d, 0..=3_600)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pounds_come_back_as_they_went_in() {
        let kept = WeightUnit::Pounds.take(NewWeight(225.0));
        assert_eq!(kept, Grams(102_058));
        assert_eq!(WeightUnit::Pounds.show(kept), Weight(225.0));
        assert_eq!(WeightUnit::Kilograms.show(kept), Weight(102.06));
    }

    #[test]
    fn exertion_goes_in_halves() {
        let read = |text| serde_json::from_str::<Rpe>(text);
        assert_eq!(serde_json::to_string(&read("8.5").unwrap()).unwrap(), "8.5");
        for bad in ["0.5", "10.5", "8.25", "\"8\"", "null"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn weights_in_hundredths_survive(hundredths in 0..200_000i64) {
            let weight = hundredths as f64 / 100.0;
            for unit in WeightUnit::ALL {
                let back = unit.show(unit.take(NewWeight(weight)));
                prop_assert!((back.0 - weight).abs() < 1e-9, "{weight:?} {back:?}");
            }
        }
    }
}
