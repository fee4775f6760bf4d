//! Whole numbers as JSON has them: 5 and 5.0 are one number (RFC 8259; JSON Schema's "integer").

use std::{borrow::Cow, ops::RangeInclusive};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::{
    problem::{Key, refuse},
    rule::Rule,
};

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedInteger<const MIN: i64, const MAX: i64>(pub i64);

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for BoundedInteger<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_within(deserializer, MIN..=MAX).map(Self)
    }
}

impl<const MIN: i64, const MAX: i64> From<BoundedInteger<MIN, MAX>> for i64 {
    fn from(number: BoundedInteger<MIN, MAX>) -> Self {
        number.0
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for BoundedInteger<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{MIN}To{MAX}").into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "format": "int64", "minimum": MIN, "maximum": MAX})
    }
}

/// Reads a whole number within a range, or refuses with the rule.
pub fn deserialize_within<'de, D: Deserializer<'de>>(
    deserializer: D,
    range: RangeInclusive<i64>,
) -> Result<i64, D::Error> {
    whole(f64::deserialize(deserializer)?, range)
}

/// The same where the number may be absent or null.
pub fn optional_within<'de, D: Deserializer<'de>>(
    deserializer: D,
    range: RangeInclusive<i64>,
) -> Result<Option<i64>, D::Error> {
    Option::<f64>::deserialize(deserializer)?.map(|number| whole(number, range)).transpose()
}

/// Whether a text is a whole number as URLs have it: digits without a sign, and no zeros in front.
pub fn is_whole(text: &str) -> bool {
    text == "0"
        || !text.is_empty() && !text.starts_with('0') && text.bytes().all(|c| c.is_ascii_digit())
}

fn whole<E: serde::de::Error>(number: f64, range: RangeInclusive<i64>) -> Result<i64, E> {
    // Every bound in use is far below 2^53, up to which f64 holds whole numbers exactly.
    let value = number as i64;
    if number.fract() == 0.0 && range.contains(&value) {
        Ok(value)
    } else {
        let rule = Rule::NotWholeNumberIn { min: *range.start(), max: *range.end() };
        Err(refuse(Key::RequestInvalid, rule))
    }
}

/// A decimal number with a point, such as `-1234567.50`, as people write it: its thousands apart, and pointed so.
pub fn grouped(decimal: &str, group: char, point: char) -> String {
    let (whole, part) = decimal.split_once('.').unwrap_or((decimal, ""));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut out = sign.to_owned();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(group);
        }
        out.push(digit);
    }
    if !part.is_empty() {
        out.push(point);
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (decimal, written) in [
            ("0", "0"),
            ("999.50", "999,50"),
            ("1000", "1.000"),
            ("-1234567.05", "-1.234.567,05"),
            ("-100", "-100"),
        ] {
            assert_eq!(grouped(decimal, '.', ','), written);
        }
    }
}
