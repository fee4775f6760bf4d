//! A rate, with its numerator and denominator.

use schemars::JsonSchema;
use serde::Serialize;

/// A share of something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Rate {
    /// Cases that count.
    pub numerator: i64,
    /// Cases that could have counted.
    pub denominator: i64,
    /// `numerator / denominator`, to four decimals; null where the denominator is 0.
    pub value: Option<f64>,
}

impl Rate {
    /// A rate of two counts.
    pub fn of(numerator: i64, denominator: i64) -> Self {
        let value = (denominator != 0)
            .then(|| (numerator as f64 / denominator as f64 * 10_000.0).round() / 10_000.0);
        Self { numerator, denominator, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_zero_are_null() {
        assert_eq!(Rate::of(0, 0).value, None);
        assert_eq!(Rate::of(5, 6).value, Some(0.8333));
        assert_eq!(Rate::of(0, 6).value, Some(0.0));
    }
}
