//! Measured values with their unit.

use crate::{
    api::{List, MeasurementType},
    words::Strings,
};

use super::format::Format;

/// The separator between a type and a unit.
pub(crate) const BETWEEN: char = '|';

/// The units of a type, the person's preferred one first.
pub(crate) fn units<'t>(kind: MeasurementType<'t>, units: &str) -> Vec<&'t str> {
    let mut own: Vec<&str> = kind.units().iter().map(|unit| unit.unit()).collect();
    let is_time = own.contains(&"h");
    if is_time || units == "imperial" && own.len() == 2 {
        own.reverse();
    }
    own
}

/// What a type is called: in the reader's language, where it is not the company's own.
pub(crate) fn label<'t>(t: Strings, kind: MeasurementType<'t>) -> &'t str {
    if t.knows(kind.r#type()) { t.term(kind.r#type()) } else { kind.label() }
}

/// What can be measured, each in each of its units: what a field sends for it, and what it is called.
pub(crate) fn choices(
    t: Strings,
    types: List<'_, MeasurementType<'_>>,
    system: &str,
) -> Vec<(String, String)> {
    let single = types.iter().filter(|own| own.components().is_empty());
    single
        .flat_map(|own| {
            units(own, system).into_iter().map(move |unit| {
                let label = label(t, own);
                let called =
                    if unit.is_empty() { label.to_owned() } else { format!("{label} ({unit})") };
                (format!("{}{BETWEEN}{unit}", own.r#type()), called)
            })
        })
        .collect()
}

/// A value with its unit, as people read it.
pub(crate) fn value_with_unit(written: &Format, value: f64, unit: &str) -> String {
    match unit {
        "s" => {
            let minutes = (value / 60.0).round() as i64;
            match (minutes / 60, minutes % 60) {
                (0, minutes) => format!("{minutes} min"),
                (hours, 0) => format!("{hours} h"),
                (hours, minutes) => format!("{hours} h {minutes} min"),
            }
        }
        "C" | "F" => format!("{} °{unit}", written.number(value, 2)),
        "" => written.number(value, 2),
        unit => format!("{} {unit}", written.number(value, 2)),
    }
}
