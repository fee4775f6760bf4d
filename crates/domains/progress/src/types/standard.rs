//! The types that every company has.

use crate::units::Quantity;

/// A part of the body with two sides.
macro_rules! around {
    ($($key:literal $label:literal)+) => { [$(standard($key, $label, Quantity::Length, (500, 30_000))),+] };
}

/// A type that everybody knows.
#[derive(Debug, PartialEq)]
pub struct StandardType {
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    pub(super) quantity: Quantity,
    /// Minimum and maximum in the stored unit: values outside are typing errors.
    pub(super) range: (i64, i64),
}

pub(super) const fn standard(
    key: &'static str,
    label: &'static str,
    quantity: Quantity,
    range: (i64, i64),
) -> StandardType {
    StandardType { key, label, quantity, range }
}

/// The type of which a measurement has two values.
pub const BLOOD_PRESSURE: &str = "blood_pressure";

pub(super) const BODY: [StandardType; 14] = [
    standard("weight", "Weight", Quantity::Mass, (10_000, 500_000)),
    standard("lean_mass", "Lean mass", Quantity::Mass, (5_000, 300_000)),
    standard("muscle_mass", "Muscle mass", Quantity::Mass, (2_000, 200_000)),
    standard("bone_mass", "Bone mass", Quantity::Mass, (200, 20_000)),
    standard("height", "Height", Quantity::Length, (5_000, 28_000)),
    standard("body_fat", "Body fat", Quantity::Share, (100, 10_000)),
    standard("body_water", "Body water", Quantity::Share, (100, 10_000)),
    standard("blood_oxygen", "Blood oxygen", Quantity::Share, (100, 10_000)),
    standard(BLOOD_PRESSURE, "Blood pressure", Quantity::Pressure, (20, 300)),
    standard("resting_heart_rate", "Resting heart rate", Quantity::Rate, (20, 300)),
    standard("blood_glucose", "Blood glucose", Quantity::Glucose, (50, 5_000)),
    standard("body_temperature", "Body temperature", Quantity::Temperature, (3_000, 4_500)),
    standard("sleep", "Sleep", Quantity::Duration, (0, 86_400)),
    standard("steps", "Steps", Quantity::Count, (0, 200_000)),
];

pub(super) const AROUND: [StandardType; 14] = around! {
    "neck" "Neck"
    "shoulders" "Shoulders"
    "chest" "Chest"
    "waist" "Waist"
    "abdomen" "Abdomen"
    "hips" "Hips"
    "left_upper_arm" "Left upper arm"
    "right_upper_arm" "Right upper arm"
    "left_forearm" "Left forearm"
    "right_forearm" "Right forearm"
    "left_thigh" "Left thigh"
    "right_thigh" "Right thigh"
    "left_calf" "Left calf"
    "right_calf" "Right calf"
};

/// The types that everybody knows, in the order in which they are shown.
pub(super) fn standard_types() -> impl Iterator<Item = &'static StandardType> {
    BODY.iter().chain(&AROUND)
}
