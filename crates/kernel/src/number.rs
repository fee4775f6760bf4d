//! Whole numbers as JSON has them: 5 and 5.0 are one number (RFC 8259; JSON Schema's "integer").

use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer};

use crate::problem::{Key, refuse};

/// Reads a whole number within a range, or refuses with the rule.
pub fn within<'de, D: Deserializer<'de>>(
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

fn whole<E: serde::de::Error>(number: f64, range: RangeInclusive<i64>) -> Result<i64, E> {
    // Every bound in use is far below 2^53, up to which f64 holds whole numbers exactly.
    let value = number as i64;
    if number.fract() == 0.0 && range.contains(&value) {
        Ok(value)
    } else {
        let rule = format!("must be a whole number from {} to {}", range.start(), range.end());
        Err(refuse(Key::RequestInvalid, &rule))
    }
}
