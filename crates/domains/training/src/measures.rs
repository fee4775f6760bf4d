//! Measures of training: units, and the numbers that requests may send.
//!
//! Weights are whole milligrams inside, so that sums are exact and a hundred pounds stay a hundred pounds; outside
//! they are in the company's unit, rounded to hundredths.

use std::borrow::Cow;

use crate::rules::TrainingRule;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use spotter_kernel::{Key, number, problem::refuse};
use spotter_store::{Bind, Value, column_from, words};

words! {
    /// The unit that weights are shown and taken in.
    pub enum WeightUnit { Kilograms = "kg", Pounds = "lb" }
}

/// The international pound of 1959: 0.45359237 kg exactly.
const MILLIGRAMS_PER_POUND: f64 = 453_592.37;
/// Heaviest weight that is taken, whatever the unit: 2,000 kg.
const WEIGHT_MAX: Milligrams = Milligrams(2_000_000_000);
/// The same in the smaller unit, rounded down to hundredths.
const WEIGHT_MAX_IN_POUNDS: f64 = 4_409.25;

/// A weight in whole milligrams, or a sum of weights times repetitions. Stored JSON has grams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Milligrams(pub i64);

impl Serialize for Milligrams {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 1_000 {
            0 => serializer.serialize_i64(self.0 / 1_000),
            _ => serializer.serialize_f64(self.0 as f64 / 1_000.0),
        }
    }
}

impl<'de> Deserialize<'de> for Milligrams {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Self((f64::deserialize(d)? * 1_000.0).round() as i64))
    }
}

impl Bind for Milligrams {
    fn bind(&self) -> Value<'_> {
        Value::Int(self.0)
    }
}

column_from! { Milligrams: i64, |weight| Some(Milligrams(weight)); }

/// A weight or volume of an answer, in the company's unit.
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
        json_schema!({"type": "number", "minimum": 0, "description": "Weight in the company's unit.",
            "examples": [62.5]})
    }
}

/// What a weight that is too heavy, or negative, breaks.
pub(super) const WEIGHT_RULE: TrainingRule = TrainingRule::NotWeight;

/// A weight of a request, in the company's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewWeight(pub f64);

impl<'de> Deserialize<'de> for NewWeight {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let weight = f64::deserialize(d)?;
        if (0.0..=WEIGHT_MAX_IN_POUNDS).contains(&weight) {
            Ok(Self(weight))
        } else {
            Err(refuse::<D::Error>(Key::RequestInvalid, WEIGHT_RULE))
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
        json_schema!({"type": "number", "minimum": 0, "maximum": WEIGHT_MAX_IN_POUNDS,
            "description": "In the company's unit; at most 2000 kg.", "examples": [62.5]})
    }
}

impl WeightUnit {
    const fn milligrams(self) -> f64 {
        match self {
            Self::Kilograms => 1_000_000.0,
            Self::Pounds => MILLIGRAMS_PER_POUND,
        }
    }

    /// The weight inside, to the nearest milligram; none where it is too heavy. One that is written
    /// as one of those before is shown is that one: reading and writing back changes nothing.
    pub(super) fn take(self, weight: NewWeight, before: &[Milligrams]) -> Option<Milligrams> {
        let same = before.iter().find(|before| self.show(**before).0 == weight.0);
        let taken = Milligrams((weight.0 * self.milligrams()).round() as i64);
        same.copied().or(Some(taken)).filter(|taken| *taken <= WEIGHT_MAX)
    }

    /// The weight outside, to the nearest hundredth.
    pub fn show(self, weight: Milligrams) -> Weight {
        Weight((weight.0 as f64 / self.milligrams() * 100.0).round() / 100.0)
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
            Err(refuse::<D::Error>(Key::RequestInvalid, TrainingRule::NotRpe))
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

    fn to_milligrams(unit: WeightUnit, weight: f64) -> Milligrams {
        unit.take(NewWeight(weight), &[]).unwrap()
    }

    #[test]
    fn pounds_round_trip_and_add_up() {
        let kept = to_milligrams(WeightUnit::Pounds, 225.0);
        assert_eq!(kept, Milligrams(102_058_283));
        assert_eq!(WeightUnit::Pounds.show(kept), Weight(225.0));
        assert_eq!(WeightUnit::Kilograms.show(kept), Weight(102.06));
        let [hundred, ninety] =
            [100.0, 90.0].map(|weight| to_milligrams(WeightUnit::Pounds, weight));
        let volume = Milligrams(5 * hundred.0 + 5 * ninety.0);
        assert_eq!(WeightUnit::Pounds.show(volume), Weight(950.0));
    }

    #[test]
    fn one_limit_holds_in_both_units() {
        for (unit, most) in [(WeightUnit::Kilograms, 2_000.0), (WeightUnit::Pounds, 4_409.24)] {
            assert!(unit.take(NewWeight(most), &[]).is_some());
        }
        assert_eq!(WeightUnit::Kilograms.take(NewWeight(2_000.01), &[]), None);
    }

    #[test]
    fn stored_json_is_read_in_grams() {
        for (text, weight) in [("62500", 62_500_000), ("40823.313", 40_823_313), ("0", 0)] {
            let read: Milligrams = serde_json::from_str(text).unwrap();
            assert_eq!(read, Milligrams(weight));
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
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
                let back = unit.show(to_milligrams(*unit, weight));
                prop_assert!((back.0 - weight).abs() < 1e-9, "{weight:?} {back:?}");
            }
        }

        #[test]
        fn writing_back_read_values_changes_nothing(
            hundredths in prop::collection::vec(0..200_000i64, 1..6),
        ) {
            let all = || hundredths.iter().map(|n| *n as f64 / 100.0);
            for [unit, other] in [
                [WeightUnit::Pounds, WeightUnit::Kilograms],
                [WeightUnit::Kilograms, WeightUnit::Pounds],
            ] {
                let kept: Vec<_> = all().map(|weight| to_milligrams(unit, weight)).collect();
                for weight in &kept {
                    let again = other.take(NewWeight(other.show(*weight).0), &kept).unwrap();
                    prop_assert_eq!(unit.show(again), unit.show(*weight));
                }
            }
        }
    }
}
