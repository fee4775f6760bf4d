//! Tests of the rules.

use super::standard::{AROUND, BODY};
use super::*;

fn of(key: &str) -> MeasurementType {
    MeasurementType::Known(standard_types().find(|known| known.key == key).unwrap())
}

#[test]
fn keys_are_made_of_labels() {
    let id = Id::first_at(Timestamp::from_millis(1));
    let key = |label| TypeKey::of(label, id).0;
    assert_eq!(key("Grip strength (left)"), "grip_strength_left");
    assert_eq!(key("Größe — Ø"), "grosse_o");
    assert_eq!(key("握力"), format!("own_{id}"));
    assert_eq!(TypeKey::parse("Weight"), None);
}

#[test]
fn implausible_values_are_refused_in_both_units() {
    let weight = of("weight");
    assert_eq!(weight.take(160.0, Some("lb"), "value").unwrap(), 72_575);
    // What is told of 81.5 kg in pounds leaves it where it is; anything else is a change.
    assert!(weight.equals_displayed(81_500, 179.68, Some("lb")));
    assert!(!weight.equals_displayed(81_500, 179.69, Some("lb")));
    let wrong = weight.take(7_235.0, None, "value").unwrap_err().to_string();
    assert!(wrong.contains("must be 10–500 kg (22.05–1102.31 lb)"), "{wrong}");
    let wrong = weight.take(72.0, Some("cm"), "value").unwrap_err().to_string();
    assert!(wrong.contains("must be kg or lb"), "{wrong}");
    assert!(of("steps").take(f64::NAN, None, "value").is_ok_and(|steps| steps == 0));
}

/// What is told as the least and the most is taken, in every unit, and nothing a step beyond it.
#[test]
fn displayed_limits_are_accepted() {
    for known in standard_types() {
        let (least, most) = known.range;
        for unit in known.quantity.units() {
            let (low, high) = unit.limits(known.range);
            let step = 0.1_f64.powi(unit.decimals() as i32);
            for (value, inside) in
                [(low, true), (high, true), (low - step, false), (high + step, false)]
            {
                let is_taken = (least..=most).contains(&unit.take(value));
                // A step of what is told may be less than one of what is kept.
                assert!(is_taken || !inside, "{} {value} {}", known.key, unit.word());
                assert!(
                    !is_taken || inside || step * unit.take(1.0) as f64 <= 1.0,
                    "{} {value}",
                    known.key
                );
            }
        }
    }
}

#[test]
fn known_types_have_keys_of_their_own() {
    let mut keys: Vec<_> = standard_types().map(|known| known.key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), BODY.len() + AROUND.len());
    assert!(keys.iter().all(|key| TypeKey::parse(key).is_some()));
}
