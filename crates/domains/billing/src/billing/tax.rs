//! VAT that is included in amounts. It is computed once per rate of an invoice, never per line, because the parts of
//! an EN 16931 invoice add up by rate (BR-CO-14, BR-S-08); lines share the remainder by largest remainder. The
//! category says why a line has no VAT (BT-151). Needs no database.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_kernel::money::Percentage;
use spotter_store::words;

words! {
    /// The category of VAT (EN 16931, BT-118; UNTDID 5305).
    pub enum VatCategory {
        Standard = "standard",
        Zero = "zero",
        Exempt = "exempt",
        ReverseCharge = "reverse_charge",
        OutsideScope = "outside_scope",
    }
}

/// What decides of which category a line is: who sells, and who buys.
#[derive(Debug, Clone, Default)]
pub struct TaxStatus {
    /// Whether the seller has a VAT number.
    pub is_registered: bool,
    /// Whether the seller has a VAT number, or another under which taxes are paid: exempt is who pays some (BR-E-02).
    pub has_tax_number: bool,
    /// Why the seller bills no VAT at 0 %.
    pub exemption_reason: Option<String>,
    /// Whether the buyer accounts for it.
    pub is_reversed: bool,
}

impl TaxStatus {
    /// The rate and the category of a line that is sold at a rate: a buyer who accounts for VAT is billed none.
    pub fn of(&self, rate: Percentage) -> (VatCategory, Percentage) {
        let none = Percentage::default();
        match () {
            () if self.is_reversed && self.is_registered => (VatCategory::ReverseCharge, none),
            () if rate != none => (VatCategory::Standard, rate),
            () if self.exemption_reason.is_some() && self.has_tax_number => {
                (VatCategory::Exempt, none)
            }
            () if self.is_registered => (VatCategory::Zero, none),
            () => (VatCategory::OutsideScope, none),
        }
    }

    /// The seller's reason for a category without VAT.
    fn reason(&self, category: VatCategory) -> Option<String> {
        match category {
            VatCategory::Exempt | VatCategory::OutsideScope => self.exemption_reason.clone(),
            _ => None,
        }
    }
}

/// Totals by VAT rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct RateTotal {
    /// The rate in percent.
    pub vat_percentage: Percentage,
    /// The VAT category; null on invoices that were issued before it was recorded.
    #[serde(default)]
    pub vat_category: Option<VatCategory>,
    /// Reason for the VAT exemption, if any.
    #[serde(default)]
    pub vat_exemption_reason: Option<String>,
    /// Amount excluding VAT, in minor units.
    pub net: i64,
    /// VAT in minor units.
    pub tax: i64,
    /// Amount including VAT, in minor units.
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

/// The amounts of a bill's lines by rate and category, and each line's net amount, from its amounts with tax.
pub fn split(
    state: &TaxStatus,
    lines: &[(i64, (VatCategory, Percentage))],
) -> (Vec<RateTotal>, Vec<i64>) {
    let mut rates: BTreeMap<(Percentage, VatCategory), i64> = BTreeMap::new();
    for (gross, (category, rate)) in lines {
        *rates.entry((*rate, *category)).or_default() += gross;
    }
    let mut nets = vec![0; lines.len()];
    let mut totals = Vec::with_capacity(rates.len());
    for ((rate, category), gross) in rates {
        let tax = tax_in(gross, rate);
        let of = (0..lines.len()).filter(|at| lines[*at].1 == (category, rate));
        let of: Vec<usize> = of.collect();
        let shares: Vec<i64> = of.iter().map(|at| lines[*at].0).collect();
        for (at, net) in of.into_iter().zip(nets_of(&shares, gross - tax, rate)) {
            nets[at] = net;
        }
        totals.push(RateTotal {
            vat_percentage: rate,
            vat_category: Some(category),
            vat_exemption_reason: state.reason(category),
            net: gross - tax,
            tax,
            gross,
        });
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

/// The VAT breakdown of a credit note over an amount, where earlier notes have credited part of the invoice: each
/// rate's share of what is left of it, so that no rate is credited below zero or beyond its amount, and notes that
/// credit everything credit each rate's VAT to the cent.
pub fn credited(bill: &[RateTotal], earlier: &[RateTotal], amount: i64) -> Vec<RateTotal> {
    let before = |rate: &RateTotal| {
        let key = |one: &RateTotal| (one.vat_percentage, one.vat_category);
        let of_rate = earlier.iter().filter(|note| key(note) == key(rate));
        of_rate.fold((0, 0), |(gross, tax), note| (gross + note.gross, tax + note.tax))
    };
    let left: Vec<i64> = bill.iter().map(|rate| rate.gross - before(rate).0).collect();
    bill.iter()
        .zip(parts(amount, &left))
        .map(|(rate, gross)| {
            let (gross_before, tax_before) = before(rate);
            let tax = tax_in(gross_before + gross, rate.vat_percentage) - tax_before;
            RateTotal { net: gross - tax, tax, gross, ..rate.clone() }
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

    /// The amounts of lines of a seller who is registered for VAT.
    fn billed(lines: &[(i64, Percentage)]) -> (Vec<RateTotal>, Vec<i64>) {
        let state = TaxStatus { is_registered: true, ..TaxStatus::default() };
        let lines: Vec<_> = lines.iter().map(|(gross, rate)| (*gross, state.of(*rate))).collect();
        split(&state, &lines)
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
        let (rates, nets) = billed(&[(100, rate(2_100)), (100, rate(2_100)), (100, rate(2_100))]);
        assert_eq!((rates[0].net, rates[0].tax), (248, 52));
        assert_eq!(nets, [83, 83, 82]);
        assert_eq!(parts(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(parts(3, &[0, 0]), [2, 1]);
    }

    /// Six at 10 %, six at 8 % and two at 0 %, credited by ten and then by one: the second note takes from one rate alone.
    #[test]
    fn no_rate_is_billed_again_by_a_note() {
        let (bill, _) = billed(&[(6, rate(1_000)), (6, rate(800)), (2, rate(0))]);
        let first = credited(&bill, &[], 10);
        let second = credited(&bill, &first, 1);
        let amounts = |note: &[RateTotal]| note.iter().map(|one| one.gross).collect::<Vec<_>>();
        assert_eq!(amounts(&first), [2, 4, 4]);
        assert_eq!(amounts(&second), [1]);
    }

    #[test]
    fn vat_exemption_depends_on_seller_and_buyer() {
        let state = |is_registered, has_tax_number, reason: Option<&str>, is_reversed| TaxStatus {
            is_registered,
            has_tax_number,
            exemption_reason: reason.map(str::to_owned),
            is_reversed,
        };
        let exempt = Some("Art. 132");
        for (own, percent, category, billed) in [
            (state(true, true, None, false), 2_100, VatCategory::Standard, 2_100),
            (state(true, true, None, false), 0, VatCategory::Zero, 0),
            (state(true, true, exempt, false), 0, VatCategory::Exempt, 0),
            (state(true, true, exempt, false), 900, VatCategory::Standard, 900),
            (state(false, true, exempt, false), 0, VatCategory::Exempt, 0),
            (state(false, false, exempt, false), 0, VatCategory::OutsideScope, 0),
            (state(false, false, None, false), 0, VatCategory::OutsideScope, 0),
            (state(true, true, exempt, true), 2_100, VatCategory::ReverseCharge, 0),
            // A seller without a VAT number cannot use reverse charge.
            (state(false, false, None, true), 2_100, VatCategory::Standard, 2_100),
        ] {
            assert_eq!(own.of(rate(percent)), (category, rate(billed)), "{own:?} at {percent}");
        }
    }

    proptest! {
        #[test]
        fn lines_and_rates_add_up(
            lines in prop::collection::vec((0i64..1_000_000, 0usize..4), 1..20)
        ) {
            let rates = [0, 900, 1_050, 2_100];
            let lines: Vec<_> =
                lines.into_iter().map(|(gross, at)| (gross, rate(rates[at]))).collect();
            let (totals, nets) = billed(&lines);
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
            let (bill, _) = billed(&lines);
            let total: i64 = bill.iter().map(|one| one.gross).sum();
            let mut ends: Vec<i64> = cuts.iter().map(|cut| (cut * total as f64) as i64).collect();
            ends.push(total);
            ends.sort_unstable();
            let mut notes: Vec<RateTotal> = Vec::new();
            let mut before = 0;
            for end in ends {
                let note = credited(&bill, &notes, end - before);
                prop_assert_eq!(note.iter().map(|one| one.gross).sum::<i64>(), end - before);
                // Each rate stays between what was credited of it and what is left.
                prop_assert!(note.iter().all(|one| one.gross >= 0 && one.tax >= 0 && one.net >= 0));
                notes.extend(note);
                before = end;
            }
            for one in bill {
                let back = notes.iter().filter(|note| note.vat_percentage == one.vat_percentage);
                let sums = back.fold((0, 0), |sum, note| (sum.0 + note.gross, sum.1 + note.tax));
                prop_assert_eq!(sums, (one.gross, one.tax));
            }
        }

        #[test]
        fn parts_add_up(amount in 0i64..1_000_000, weights in prop::collection::vec(0i64..1_000, 1..9)) {
            prop_assert_eq!(parts(amount, &weights).iter().sum::<i64>(), amount);
        }
    }
}
