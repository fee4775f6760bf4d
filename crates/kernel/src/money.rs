//! Amounts of money: integers of minor units, never without their currency; and the shares of them
//! that taxes take.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    number,
    problem::{INVALID, Key, refuse},
};

/// An ISO 4217 currency code in upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads three letters A to Z.
    pub fn parse(text: &str) -> Option<Self> {
        let code: [u8; 3] = text.as_bytes().try_into().ok()?;
        code.iter().all(u8::is_ascii_uppercase).then_some(Self(code))
    }

    /// The three letters.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.code().to_owned()
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            refuse::<D::Error>(Key::InvalidCurrency, "must be an ISO 4217 code such as EUR")
        })
    }
}

impl JsonSchema for Currency {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Currency".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["EUR"],
            INVALID: Key::InvalidCurrency.wire()})
    }
}

/// An amount in the minor unit of its currency: 1250 EUR is €12.50, 1250 JPY is ¥1250.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Money {
    /// Minor units, such as cents; not negative.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    #[serde(deserialize_with = "amount")]
    pub amount: i64,
    /// ISO 4217 code.
    pub currency: Currency,
}

fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    number::within(deserializer, 0..=1_000_000_000_000)
}

/// A share in percent, 0 to 100 with at most two decimals; kept in whole hundredths of a percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percentage(i64);

impl Percentage {
    /// Hundredths of a percent that make a whole.
    const WHOLE: i64 = 10_000;

    /// The share of so many hundredths of a percent.
    pub fn from_hundredths(hundredths: i64) -> Option<Self> {
        (0..=Self::WHOLE).contains(&hundredths).then_some(Self(hundredths))
    }

    /// Hundredths of a percent.
    pub const fn hundredths(self) -> i64 {
        self.0
    }
}

impl Serialize for Percentage {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

impl<'de> Deserialize<'de> for Percentage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let percent = f64::deserialize(deserializer)?;
        // The nearest hundredth must be the very number that was written.
        let hundredths = (percent * 100.0).round();
        Self::from_hundredths(hundredths as i64)
            .filter(|_| hundredths / 100.0 == percent)
            .ok_or_else(|| {
                refuse::<D::Error>(
                    Key::RequestInvalid,
                    "must be 0 to 100 with at most two decimals",
                )
            })
    }
}

impl JsonSchema for Percentage {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Percentage".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 100, "examples": [21]})
    }
}
