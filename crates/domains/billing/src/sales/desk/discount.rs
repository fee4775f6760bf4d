//! What a discount takes off each line, and what each unit of a line costs then: to the minor unit, nothing is lost.

/// The share of each amount in a discount of all, in proportion to the amounts. What rounding leaves goes to the largest
/// remainders, the first of equals first.
pub(super) fn shares(discount: i64, amounts: &[i64]) -> Vec<i64> {
    let total: i128 = amounts.iter().map(|amount| i128::from(*amount)).sum();
    if total <= 0 {
        return vec![0; amounts.len()];
    }
    let exact = amounts.iter().map(|amount| i128::from(discount) * i128::from(*amount));
    let mut parts: Vec<(usize, i64, i128)> = exact
        .enumerate()
        .map(|(at, exact)| (at, i64::try_from(exact / total).unwrap_or(i64::MAX), exact % total))
        .collect();
    let mut left = discount - parts.iter().map(|(_, share, _)| share).sum::<i64>();
    parts.sort_by_key(|(at, _, remainder)| (-remainder, *at));
    for (_, share, _) in &mut parts {
        if left == 0 {
            break;
        }
        *share += 1;
        left -= 1;
    }
    parts.sort_by_key(|(at, ..)| *at);
    parts.into_iter().map(|(_, share, _)| share).collect()
}

/// The price of each unit of a line; the first ones bear what does not divide.
pub(super) fn each(gross: i64, quantity: i64) -> Vec<i64> {
    let quantity = quantity.max(1);
    (0..quantity).map(|at| gross / quantity + i64::from(at < gross % quantity)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_discount_is_shared_in_proportion() {
        assert_eq!(shares(100, &[500, 500]), [50, 50]);
        assert_eq!(shares(10, &[100, 100, 100]), [4, 3, 3]);
        assert_eq!(shares(1, &[1, 999]), [0, 1]);
        assert_eq!(shares(0, &[0, 0]), [0, 0]);
        assert_eq!(each(1_000, 3), [334, 333, 333]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_line_falls_below_nothing(
            amounts in prop::collection::vec(0i64..1_000_000_000, 1..20),
            hundredths in 0i64..=10_000,
            quantity in 1i64..50,
        ) {
            let total: i64 = amounts.iter().sum();
            let discount = (i128::from(total) * i128::from(hundredths) / 10_000) as i64;
            let off = shares(discount, &amounts);
            prop_assert_eq!(off.iter().sum::<i64>(), discount);
            for (off, amount) in off.iter().zip(&amounts) {
                prop_assert!((0..=*amount).contains(off));
                // No more than a unit from what a slow reference gives.
                let exact = discount as f64 * *amount as f64 / total.max(1) as f64;
                prop_assert!((*off as f64 - exact).abs() < 1.001);
                prop_assert_eq!(each(*amount, quantity).iter().sum::<i64>(), *amount);
            }
        }
    }
}
