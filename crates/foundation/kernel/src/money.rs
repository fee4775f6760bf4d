//! Amounts of money: integers of minor units, never without their currency; and the shares of them
//! that taxes take.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    number,
    problem::{INVALID, Key, refuse},
    rule::Rule,
};

/// The codes of ISO 4217 that people pay with.
const CURRENCIES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD \
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP \
    GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD \
    KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN \
    NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP \
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND \
    VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

/// An ISO 4217 currency code in upper case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// The codes that there are, in order.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        CURRENCIES.split_ascii_whitespace()
    }

    /// An amount as people write it, in minor units: the point and the comma both part the decimals, or the thousands, which
    /// are three digits each. Whatever could be meant otherwise is no amount.
    pub fn read(self, text: &str) -> Option<i64> {
        let text = text.trim();
        let text = text.strip_prefix(['€', '$', '£']).unwrap_or(text).trim();
        let (sign, digits) = match text.strip_prefix(['-', '−']) {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let decimals = self.decimals() as usize;
        let (whole, part) = match digits.rfind(['.', ',']) {
            // Three digits behind a point are thousands, unless the currency has three decimals.
            Some(at) if (1..=decimals).contains(&(digits.len() - at - 1)) => {
                (&digits[..at], &digits[at + 1..])
            }
            _ => (digits, ""),
        };
        let mark = whole.chars().find(|c| !c.is_ascii_digit());
        let parted = matches!(mark, Some('.' | ',' | ' ' | '\u{a0}' | '\u{202f}'));
        let decimal_mark = digits[whole.len()..].chars().next();
        if mark.is_some() && (!parted || mark == decimal_mark) {
            return None;
        }
        let mut groups = whole.split(|c| Some(c) == mark);
        let first = groups.next().unwrap_or_default();
        let first_fits = mark.is_none() || (1..=3).contains(&first.len());
        let all_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
        let thousands = groups.all(|group| group.len() == 3 && all_digits(group));
        let empty = whole.is_empty() && part.is_empty();
        if empty || !first_fits || !thousands || !all_digits(first) || !all_digits(part) {
            return None;
        }
        let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
        let amount: i64 = format!("{whole}{part:0<decimals$}").parse().ok()?;
        Some(sign * amount)
    }

    /// Reads a code that is in use.
    pub fn parse(text: &str) -> Option<Self> {
        let code: [u8; 3] = text.as_bytes().try_into().ok()?;
        CURRENCIES.split(' ').any(|known| known == text).then_some(Self(code))
    }

    /// The three letters.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Currency {
    /// How many decimals of the currency its minor unit is (ISO 4217).
    pub fn decimals(&self) -> u32 {
        match self.code() {
            "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF"
            | "UGX" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
            "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
            _ => 2,
        }
    }

    /// An amount of minor units with its currency, such as `12.50 EUR`.
    pub fn format_amount(&self, amount: i64) -> String {
        format!("{} {}", self.decimal(amount), self.code())
    }

    /// An amount of minor units as a decimal number with a point, such as `12.50`.
    pub fn decimal(&self, amount: i64) -> String {
        let (sign, digits) = (if amount < 0 { "-" } else { "" }, amount.unsigned_abs());
        let whole = 10u64.pow(self.decimals());
        match self.decimals() {
            0 => format!("{sign}{digits}"),
            width => format!("{sign}{}.{:02$}", digits / whole, digits % whole, width as usize),
        }
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
        Self::parse(&text)
            .ok_or_else(|| refuse::<D::Error>(Key::InvalidCurrency, Rule::NotCurrency))
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
    /// Currency as an ISO 4217 code, such as `EUR`.
    pub currency: Currency,
}

fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    number::deserialize_within(deserializer, 0..=1_000_000_000_000)
}

/// A share in percent, 0 to 100 with at most two decimals; kept in whole hundredths of a percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percentage(i64);

impl Percentage {
    /// Hundredths of a percent that make a whole.
    const WHOLE: i64 = 10_000;

    /// A share in hundredths of a percent.
    pub fn from_hundredths(hundredths: i64) -> Option<Self> {
        (0..=Self::WHOLE).contains(&hundredths).then_some(Self(hundredths))
    }

    /// Hundredths of a percent.
    pub const fn hundredths(self) -> i64 {
        self.0
    }

    /// This share of an amount that is not negative, to the nearest minor unit, halves up.
    pub fn of(self, amount: i64) -> i64 {
        let exact = i128::from(amount) * i128::from(self.0) + i128::from(Self::WHOLE / 2);
        i64::try_from(exact / i128::from(Self::WHOLE)).unwrap_or(i64::MAX)
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
            .ok_or_else(|| refuse::<D::Error>(Key::RequestInvalid, Rule::NotRate))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn euros(text: &str) -> Option<i64> {
        Currency::parse("EUR").unwrap().read(text)
    }

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, amount) in [
            ("49", 4_900),
            ("49.5", 4_950),
            ("49,50", 4_950),
            ("€ 1.234,56", 123_456),
            ("1,234.56", 123_456),
            ("1.234", 123_400),
            ("-0,01", -1),
            (".5", 50),
        ] {
            assert_eq!(euros(text), Some(amount), "{text}");
        }
        for wrong in [
            "",
            "x",
            "1e3",
            "--1",
            ".",
            "99999999999999999999",
            "12,3456",
            "1.2345",
            "49.0000",
            "1.2.3",
            "1..5",
            "1 2 3",
            "$€5",
            "1,234,56",
            "5.",
            ",123",
            "1234.567",
            "1.234,567.89",
        ] {
            assert_eq!(euros(wrong), None, "{wrong}");
        }
        let yen = Currency::parse("JPY").unwrap();
        assert_eq!(yen.read("1,500"), Some(1_500));
        assert_eq!(yen.read("1.5"), None);
    }

    proptest! {
        #[test]
        fn an_amount_that_was_written_is_read_back(amount in -1_000_000_000i64..1_000_000_000, code in "EUR|JPY|BHD") {
            let currency = Currency::parse(&code).unwrap();
            let read = currency.read(&currency.decimal(amount));
            prop_assert_eq!(read, Some(amount));
        }
    }
}
