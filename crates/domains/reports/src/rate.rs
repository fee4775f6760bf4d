//! A share, told with what it is made of.

use schemars::JsonSchema;
use serde::Serialize;

/// A share of something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct Rate {
    /// How many of them.
    pub numerator: i64,
    /// Denominator of the rate.
    pub denominator: i64,
    /// The one by the other, to four decimals; null where there is nothing to divide by.
    pub value: Option<f64>,
}

impl Rate {
    /// So many of so many.
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
    fn nothing_is_divided_by_nothing() {
        assert_eq!(Rate::of(0, 0).value, None);
        assert_eq!(Rate::of(5, 6).value, Some(0.8333));
        assert_eq!(Rate::of(0, 6).value, Some(0.0));
    }
}
