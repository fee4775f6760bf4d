//! What is measured, with its unit: a value is never typed or shown without one.

use serde_json::Value;

use super::format::{Format, JsonFields};

/// What stands between a type and a unit.
pub(crate) const BETWEEN: char = '|';

/// The units of a type, the one that somebody measures in first.
pub(crate) fn units<'t>(kind: &'t Value, units: &str) -> Vec<&'t str> {
    let mut own: Vec<&str> = kind.list("units").iter().map(|unit| unit.text("unit")).collect();
    let is_time = own.contains(&"h");
    if is_time || units == "imperial" && own.len() == 2 {
        own.reverse();
    }
    own
}

/// What can be measured, each in each of its units: what a field sends for it, and what it is called.
pub(crate) fn choices(types: &[Value], system: &str) -> Vec<(String, String)> {
    let single = types.iter().filter(|own| own.list("components").is_empty());
    single
        .flat_map(|own| {
            units(own, system).into_iter().map(|unit| {
                let label = own.text("label");
                let called =
                    if unit.is_empty() { label.to_owned() } else { format!("{label} ({unit})") };
                (format!("{}{BETWEEN}{unit}", own.text("type")), called)
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
