//! Units: measurements are stored as integers fine enough to restore a value in whichever of its units it was
//! entered, and displayed in the requested one.

use spotter_store::words;

words! {
    /// A unit of measurement.
    pub enum Unit {
        Kilograms = "kg",
        Pounds = "lb",
        Centimetres = "cm",
        Inches = "in",
        Percent = "%",
        MillimetresOfMercury = "mmHg",
        BeatsPerMinute = "bpm",
        MillimolesPerLitre = "mmol/L",
        MilligramsPerDecilitre = "mg/dL",
        Celsius = "C",
        Fahrenheit = "F",
        Seconds = "s",
        Minutes = "min",
        Hours = "h",
        Steps = "steps",
    }
}

words! {
    /// The system of displayed units.
    pub enum Units { Metric = "metric", Imperial = "imperial" }
}

/// A quantity, which determines its stored unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Kept in grams.
    Mass,
    /// Kept in tenths of a millimetre.
    Length,
    /// Kept in hundredths of a percent.
    Share,
    /// Kept in mmHg.
    Pressure,
    /// Kept in beats per minute.
    Rate,
    /// Kept in hundredths of mmol/L.
    Glucose,
    /// Kept in hundredths of a degree Celsius.
    Temperature,
    /// Kept in seconds.
    Duration,
    /// Kept as it is counted.
    Count,
}

/// Grams in a pound (the international one of 1959).
const POUND: f64 = 453.592_37;
/// Tenths of a millimetre in an inch.
const INCH: f64 = 254.0;
/// Hundredths of mmol/L in a mg/dL: glucose has 180.156 g/mol.
const GLUCOSE: f64 = 1_000.0 / 180.156;

impl Quantity {
    /// Units, the metric one first.
    pub const fn units(self) -> &'static [Unit] {
        match self {
            Self::Mass => &[Unit::Kilograms, Unit::Pounds],
            Self::Length => &[Unit::Centimetres, Unit::Inches],
            Self::Share => &[Unit::Percent],
            Self::Pressure => &[Unit::MillimetresOfMercury],
            Self::Rate => &[Unit::BeatsPerMinute],
            Self::Glucose => &[Unit::MillimolesPerLitre, Unit::MilligramsPerDecilitre],
            Self::Temperature => &[Unit::Celsius, Unit::Fahrenheit],
            Self::Duration => &[Unit::Seconds, Unit::Minutes, Unit::Hours],
            Self::Count => &[Unit::Steps],
        }
    }

    /// The displayed unit.
    pub fn unit(self, units: Units) -> Unit {
        let own = self.units();
        match units {
            Units::Metric => own[0],
            // Minutes and hours are the same in both systems.
            Units::Imperial if matches!(self, Self::Duration) => own[0],
            Units::Imperial => own[own.len() - 1],
        }
    }
}

impl Unit {
    /// Its code in UCUM, the Unified Code for Units of Measure, as FHIR and laboratories write it.
    pub const fn ucum(self) -> &'static str {
        match self {
            Self::Kilograms => "kg",
            Self::Pounds => "[lb_av]",
            Self::Centimetres => "cm",
            Self::Inches => "[in_i]",
            Self::Percent => "%",
            Self::MillimetresOfMercury => "mm[Hg]",
            Self::BeatsPerMinute => "/min",
            Self::MillimolesPerLitre => "mmol/L",
            Self::MilligramsPerDecilitre => "mg/dL",
            Self::Celsius => "Cel",
            Self::Fahrenheit => "[degF]",
            Self::Seconds => "s",
            Self::Minutes => "min",
            Self::Hours => "h",
            Self::Steps => "1",
        }
    }

    /// Factor and offset from a value to its stored form.
    const fn scale_and_offset(self) -> (f64, f64) {
        match self {
            Self::Kilograms => (1_000.0, 0.0),
            Self::Pounds => (POUND, 0.0),
            Self::Centimetres | Self::Percent | Self::MillimolesPerLitre | Self::Celsius => {
                (100.0, 0.0)
            }
            Self::Inches => (INCH, 0.0),
            Self::Minutes => (60.0, 0.0),
            Self::Hours => (3_600.0, 0.0),
            Self::MilligramsPerDecilitre => (GLUCOSE, 0.0),
            Self::Fahrenheit => (100.0 / 1.8, -3_200.0 / 1.8),
            Self::MillimetresOfMercury | Self::BeatsPerMinute | Self::Seconds | Self::Steps => {
                (1.0, 0.0)
            }
        }
    }

    /// A value in the smallest displayed steps.
    pub fn steps(self, value: f64) -> i64 {
        (value * 10_f64.powi(self.decimals() as i32)).round() as i64
    }

    /// The number of displayed decimals.
    pub const fn decimals(self) -> u32 {
        match self {
            Self::Kilograms
            | Self::Pounds
            | Self::Centimetres
            | Self::Inches
            | Self::Percent
            | Self::MillimolesPerLitre
            | Self::Celsius
            | Self::Hours => 2,
            Self::Fahrenheit | Self::Minutes => 1,
            Self::MillimetresOfMercury
            | Self::BeatsPerMinute
            | Self::MilligramsPerDecilitre
            | Self::Seconds
            | Self::Steps => 0,
        }
    }

    /// The stored form of a value, rounded once.
    pub fn take(self, value: f64) -> i64 {
        let (times, plus) = self.scale_and_offset();
        (value * times + plus).round() as i64
    }

    /// The displayed form of a value.
    pub fn show(self, kept: i64) -> f64 {
        let (times, plus) = self.scale_and_offset();
        rounded((kept as f64 - plus) / times, self.decimals())
    }

    /// Displayed minimum and maximum: rounded inwards, so that both are accepted themselves.
    pub fn limits(self, (least, most): (i64, i64)) -> (f64, f64) {
        let step = 0.1_f64.powi(self.decimals() as i32);
        let output = |kept: i64, inwards: f64| {
            let view = self.show(kept);
            let is_taken = (least..=most).contains(&self.take(view));
            if is_taken { view } else { rounded(view + inwards, self.decimals()) }
        };
        (output(least, step), output(most, -step))
    }

    /// The displayed form of a difference of two values.
    pub fn show_difference(self, kept: i64) -> f64 {
        rounded(kept as f64 / self.scale_and_offset().0, self.decimals())
    }
}

/// A number rounded to a number of decimals.
pub fn rounded(value: f64, decimals: u32) -> f64 {
    let fine = 10_f64.powi(decimals as i32);
    // Adding zero takes the sign off a zero.
    (value * fine).round() / fine + 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cached_totals_equal_stored_ones() {
        for (unit, value, kept) in [
            (Unit::Kilograms, 72.35, 72_350),
            (Unit::Pounds, 160.0, 72_575),
            (Unit::Inches, 70.0, 17_780),
            (Unit::Fahrenheit, 98.6, 3_700),
            (Unit::Fahrenheit, -40.0, -4_000),
            (Unit::MilligramsPerDecilitre, 90.0, 500),
        ] {
            assert_eq!(unit.take(value), kept, "{value} {}", unit.word());
            assert_eq!(unit.show(kept), value, "{value} {}", unit.word());
        }
    }

    #[test]
    fn every_unit_belongs_to_one_quantity_and_has_a_code() {
        let quantities = [
            Quantity::Mass,
            Quantity::Length,
            Quantity::Share,
            Quantity::Pressure,
            Quantity::Rate,
            Quantity::Glucose,
            Quantity::Temperature,
            Quantity::Duration,
            Quantity::Count,
        ];
        for unit in Unit::ALL {
            assert_eq!(quantities.iter().filter(|one| one.units().contains(unit)).count(), 1);
            assert!(!unit.ucum().is_empty());
        }
    }

    proptest! {
        #[test]
        fn typed_values_come_back(at in 0..Unit::ALL.len(), fine in -50_000..5_000_000i64) {
            let unit = Unit::ALL[at];
            let typed = rounded(fine as f64 / 10_f64.powi(unit.decimals() as i32), unit.decimals());
            prop_assert_eq!(unit.show(unit.take(typed)), typed);
        }

        #[test]
        fn differences_are_those_of_the_values(a in 0..500_000i64, b in 0..500_000i64) {
            for unit in Unit::ALL {
                let output = unit.show_difference(b - a);
                let fine = 10_f64.powi(-(unit.decimals() as i32));
                prop_assert!((output - (unit.show(b) - unit.show(a))).abs() < 1.1 * fine);
            }
        }
    }
}
