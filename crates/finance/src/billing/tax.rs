//! Value added tax of amounts that have it in them. Tax is worked out once for each rate of a bill, never
//! for each line, because the parts of an EN 16931 invoice add up by rate (BR-CO-14, BR-S-08); lines get
//! their share of what is left by the largest remainder. Knows no database.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::money::Percentage;

/// What a bill comes to at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct RateTotal {
    /// The rate in percent.
    pub vat_percentage: Percentage,
    /// Without tax.
    pub net: i64,
    /// The tax.
    pub tax: i64,
    /// With tax.
    pub gross: i64,
}

/// The tax in an amount, a half rounded up: `gross · rate / (1 + rate)`.
pub fn tax_in(gross: i64, rate: Percentage) -> i64 {
    let (gross, rate) = (i128::from(gross), i128::from(rate.hundredths()));
    let whole = 10_000 + rate;
    narrow((2 * gross * rate + whole).div_euclid(2 * whole))
}

/// Amounts fit into 64 bits where the amounts that they are shares of do.
fn narrow(amount: i128) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

/// The amounts of a bill's lines by rate, and each line's net amount, from its amounts with tax.
pub fn split(lines: &[(i64, Percentage)]) -> (Vec<RateTotal>, Vec<i64>) {
    let mut rates: BTreeMap<Percentage, i64> = BTreeMap::new();
    for (gross, rate) in lines {
        *rates.entry(*rate).or_default() += gross;
    }
    let mut nets = vec![0; lines.len()];
    let mut totals = Vec::with_capacity(rates.len());
    for (rate, gross) in rates {
        let tax = tax_in(gross, rate);
        let of: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].1 == rate).collect();
        let shares: Vec<i64> = of.iter().map(|at| lines[*at].0).collect();
        for (at, net) in of.into_iter().zip(nets_of(&shares, gross - tax, rate)) {
            nets[at] = net;
        }
        totals.push(RateTotal { vat_percentage: rate, net: gross - tax, tax, gross });
    }
    (totals, nets)
}

/// Each line's net amount, so that they add up to the net amount of their rate.
fn nets_of(lines: &[i64], net: i64, rate: Percentage) -> Vec<i64> {
    let exact: Vec<i128> = lines.iter().map(|gross| 10_000 * i128::from(*gross)).collect();
    by_largest_remainder(net, &exact, i128::from(10_000 + rate.hundredths()))
}

/// Parts of an amount in proportion to weights; they add up to it. Weights that are all 0 are equal ones.
pub fn parts(amount: i64, weights: &[i64]) -> Vec<i64> {
    let total: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    let amount_of = |weight: i128| i128::from(amount) * weight;
    let exact =
        weights.iter().map(|weight| amount_of(if total == 0 { 1 } else { (*weight).into() }));
    let whole = if total == 0 { weights.len() as i128 } else { total };
    by_largest_remainder(amount, &exact.collect::<Vec<_>>(), whole)
}

/// Whole numbers that are next to fractions with one denominator and add up to a total, which is at most
/// as much above the fractions' floors as there are fractions. Of equal remainders the first counts more.
fn by_largest_remainder(total: i64, fractions: &[i128], whole: i128) -> Vec<i64> {
    let mut parts: Vec<i64> = fractions.iter().map(|part| narrow(part.div_euclid(whole))).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| (-fractions[*at].rem_euclid(whole), *at));
    let left = usize::try_from(total - parts.iter().sum::<i64>()).unwrap_or(0);
    for at in order.into_iter().take(left) {
        parts[at] += 1;
    }
    parts
}

/// What of a bill's rates a credit note takes back, that credits an amount of it after others have
/// credited some: the share of all that is credited so far, less that of the earlier ones. So notes that
/// take back the whole take back each rate's tax to the cent.
pub fn credited(bill: &[RateTotal], before: i64, amount: i64) -> Vec<RateTotal> {
    let gross: Vec<i64> = bill.iter().map(|rate| rate.gross).collect();
    let (was, is) = (parts(before, &gross), parts(before + amount, &gross));
    let share = |rate: &RateTotal, of: i64| tax_in(of, rate.vat_percentage);
    bill.iter()
        .zip(was.into_iter().zip(is))
        .map(|(rate, (was, is))| {
            let (gross, tax) = (is - was, share(rate, is) - share(rate, was));
            RateTotal { vat_percentage: rate.vat_percentage, net: gross - tax, tax, gross }
        })
        .filter(|rate| rate.gross != 0 || rate.tax != 0)
        .collect()
}

/// A share of an amount for some of its days, a half rounded up.
pub fn for_days(amount: i64, days: i64, of: i64) -> i64 {
    let (amount, days, of) = (i128::from(amount), i128::from(days), i128::from(of.max(1)));
    narrow((2 * amount * days + of).div_euclid(2 * of))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(hundredths: i64) -> Percentage {
        Percentage::from_hundredths(hundredths).unwrap()
    }

    #[test]
    fn a_half_is_rounded_up() {
        // 9.5 cents of tax would be 10: 105 at 10 % has 9.545, 11 at 5 % has 0.524, 21 at 5 % has 1.
        for (gross, hundredths, tax) in [
            (105, 1_000, 10),
            (11, 500, 1),
            (21, 500, 1),
            (1_250, 2_100, 217),
            (3, 10_000, 2),
            (0, 2_100, 0),
        ] {
            assert_eq!(tax_in(gross, rate(hundredths)), tax, "{gross} at {hundredths}");
        }
    }

    #[test]
    fn the_largest_remainder_gets_what_is_left() {
        // Three times 0.826…: 2.479 is 2.48 net, and each line alone would be 0.83.
        let (rates, nets) = split(&[(100, rate(2_100)), (100, rate(2_100)), (100, rate(2_100))]);
        assert_eq!((rates[0].net, rates[0].tax), (248, 52));
        assert_eq!(nets, [83, 83, 82]);
        assert_eq!(parts(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(parts(3, &[0, 0]), [2, 1]);
    }

    proptest! {
        #[test]
        fn lines_and_rates_add_up(
            lines in prop::collection::vec((0i64..1_000_000, 0usize..4), 1..20)
        ) {
            let rates = [0, 900, 1_050, 2_100];
            let lines: Vec<_> =
                lines.into_iter().map(|(gross, at)| (gross, rate(rates[at]))).collect();
            let (totals, nets) = split(&lines);
            let gross: i64 = lines.iter().map(|line| line.0).sum();
            prop_assert_eq!(totals.iter().map(|one| one.gross).sum::<i64>(), gross);
            for total in &totals {
                prop_assert_eq!(total.net + total.tax, total.gross);
                // Exact to half a cent, in whole numbers.
                let (h, w) = (total.vat_percentage.hundredths(), 10_000 + total.vat_percentage.hundredths());
                prop_assert!((2 * (total.tax * w - total.gross * h)).abs() <= w);
                let of = lines.iter().zip(&nets).filter(|(line, _)| line.1 == total.vat_percentage);
                prop_assert_eq!(of.clone().map(|(_, net)| net).sum::<i64>(), total.net);
                for (line, net) in of {
                    // No line is further than a cent from its own net amount.
                    prop_assert!((net * w - line.0 * 10_000).abs() <= w);
                }
            }
        }

        #[test]
        fn notes_take_back_the_whole(
            lines in prop::collection::vec((1i64..100_000, 0usize..4), 1..6),
            cuts in prop::collection::vec(0.0f64..1.0, 0..6),
        ) {
            let rates = [0, 900, 1_050, 2_100];
            let lines: Vec<_> =
                lines.into_iter().map(|(gross, at)| (gross, rate(rates[at]))).collect();
            let (bill, _) = split(&lines);
            let total: i64 = bill.iter().map(|one| one.gross).sum();
            let mut ends: Vec<i64> = cuts.iter().map(|cut| (cut * total as f64) as i64).collect();
            ends.push(total);
            ends.sort_unstable();
            let mut back: BTreeMap<Percentage, (i64, i64)> = BTreeMap::new();
            let mut before = 0;
            for end in ends {
                let note = credited(&bill, before, end - before);
                prop_assert_eq!(note.iter().map(|one| one.gross).sum::<i64>(), end - before);
                for one in note {
                    let sum = back.entry(one.vat_percentage).or_default();
                    *sum = (sum.0 + one.gross, sum.1 + one.tax);
                }
                before = end;
            }
            for one in bill {
                prop_assert_eq!(back[&one.vat_percentage], (one.gross, one.tax));
            }
        }

        #[test]
        fn parts_add_up(amount in 0i64..1_000_000, weights in prop::collection::vec(0i64..1_000, 1..9)) {
            prop_assert_eq!(parts(amount, &weights).iter().sum::<i64>(), amount);
        }
    }
}
