//! Types of measurements: those that everybody knows, and those that a company adds.

mod key;
mod standard;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{
    Area, Body, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Id, Key, Page, Patch, Problem, Result, Rule, Timestamp,
    number::BoundedInteger,
    text::{Name, Text},
};
use spotter_store::{NoFilters, params, record, set, statements, values};

use crate::{
    rules::ProgressRule,
    units::{Unit, Units, rounded},
};
pub use key::TypeKey;
use standard::standard_types;
pub use standard::{BLOOD_PRESSURE, StandardType};

spotter_store::column_from! { TypeKey: String, TypeKey::parse; }

record! {
    /// A type that a company has added.
    #[derive(Debug, Clone, PartialEq)]
    pub struct OwnType {
        r#type: TypeKey,
        type_id: Id,
        label: String,
        unit: Option<String>,
        decimals: i64,
        minimum: i64,
        maximum: i64,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl OwnType {
    fn save(&mut self, cx: &mut Write, before: &Self) -> Result<()> {
        let changed = self.changed(before);
        let Some(now) = cx.audit_fields("measurement_type", self.type_id, changed) else {
            return Ok(());
        };
        self.updated_at = now;
        cx.defer(SAVE, &self.params())
    }
}

/// A type of measurement.
#[derive(Debug, Clone, PartialEq)]
pub enum MeasurementType {
    /// Everybody knows it.
    Known(&'static StandardType),
    /// The company has added it.
    Own(Box<OwnType>),
}

impl MeasurementType {
    /// The type with this key.
    pub fn find(cx: &mut Read, key: &TypeKey) -> Result<Self> {
        if let Some(known) = standard_types().find(|known| known.key == key.as_str()) {
            return Ok(Self::Known(known));
        }
        let own: Option<OwnType> = cx.one(FIND, params![key])?;
        own.map(|own| Self::Own(Box::new(own))).ok_or_else(|| Key::NotFound.into())
    }

    /// The same for a request: a missing or archived type is an error of the field.
    pub fn find_requested(cx: &mut Read, key: &TypeKey, field: &str) -> Result<Self> {
        match Self::find(cx, key) {
            Ok(Self::Own(own)) if own.archived_at.is_some() => {
                Err(Problem::conflict(field, Rule::Archived))
            }
            found => found.map_err(|none| match none.key {
                Key::NotFound => {
                    Problem::field(Key::InvalidEnum, field, ProgressRule::UnknownMeasurementType)
                }
                _ => none,
            }),
        }
    }

    /// Every type of the company that measurements of a client can have: those of everybody, then its own.
    pub fn all(cx: &mut Read) -> Result<Vec<Self>> {
        let own: Vec<OwnType> = cx.all(OWN, params![])?;
        let own = own.into_iter().map(|own| Self::Own(Box::new(own)));
        Ok(standard_types().map(Self::Known).chain(own).collect())
    }

    /// Key of the schedule.
    pub fn key(&self) -> TypeKey {
        match self {
            Self::Known(known) => TypeKey(known.key.to_owned()),
            Self::Own(own) => own.r#type.clone(),
        }
    }

    /// Display name.
    pub fn label(&self) -> &str {
        match self {
            Self::Known(known) => known.label,
            Self::Own(own) => &own.label,
        }
    }

    /// Whether a measurement of it has two values: that of the beat, and that of the pause.
    pub fn has_two(&self) -> bool {
        matches!(self, Self::Known(known) if known.key == BLOOD_PRESSURE)
    }

    fn range(&self) -> (i64, i64) {
        match self {
            Self::Known(known) => known.range,
            Self::Own(own) => (own.minimum, own.maximum),
        }
    }

    /// The displayed unit; `None` for a custom type without one.
    pub fn unit(&self, units: Units) -> Option<String> {
        match self {
            Self::Known(known) => Some(known.quantity.unit(units).word().to_owned()),
            Self::Own(own) => own.unit.clone(),
        }
    }

    /// The given unit, or the metric one.
    fn own_unit(&self, submitted: Option<&str>) -> Option<Unit> {
        let Self::Known(known) = self else { return None };
        let unit = submitted.map_or(Some(known.quantity.units()[0]), Unit::parse)?;
        known.quantity.units().contains(&unit).then_some(unit)
    }

    /// The stored form of a value; in the metric unit where none is given.
    pub fn take(&self, value: f64, unit: Option<&str>, field: &str) -> Result<i64> {
        let kept = match self {
            Self::Known(_) => {
                let unit = self.own_unit(unit).ok_or_else(|| self.no_such_unit(field))?;
                unit.take(value)
            }
            Self::Own(own) if unit.is_some() && unit != own.unit.as_deref() => {
                return Err(self.no_such_unit(field));
            }
            Self::Own(own) => (value * 10_f64.powi(own.decimals as i32)).round() as i64,
        };
        let (least, most) = self.range();
        if (least..=most).contains(&kept) { Ok(kept) } else { Err(self.out_of_range(field)) }
    }

    /// The unit is the field next to this value.
    fn no_such_unit(&self, field: &str) -> Problem {
        let at = field.rsplit_once('.').map_or_else(String::new, |(at, _)| format!("{at}."));
        let units = match self {
            Self::Known(known) => known.quantity.units().iter().map(|unit| unit.word()).collect(),
            Self::Own(own) => own.unit.as_deref().map_or(Vec::new(), |unit| vec![unit]),
        };
        let rule = match units.is_empty() {
            true => ProgressRule::UnitOfUnitless { kind: self.key().0.to_string() },
            false => ProgressRule::OtherUnit { unit: units.join(" or ").to_string() },
        };
        Problem::field(Key::InvalidEnum, &format!("{at}unit"), rule)
    }

    fn out_of_range(&self, field: &str) -> Problem {
        let (least, most) = self.range();
        let output = |units| {
            let unit = self.unit(units).map_or(String::new(), |unit| format!(" {unit}"));
            let (least, most) = match self {
                Self::Known(known) => known.quantity.unit(units).limits((least, most)),
                Self::Own(_) => (self.show(least, units), self.show(most, units)),
            };
            format!("{least}–{most}{unit}")
        };
        let (metric, imperial) = (output(Units::Metric), output(Units::Imperial));
        let rule = match metric == imperial {
            true => ProgressRule::OtherUnit { unit: metric },
            false => ProgressRule::OtherUnits { metric, imperial },
        };
        Problem::invalid(field, rule)
    }

    /// Whether a value in a unit is the displayed form of a stored one: writing back what was read changes nothing,
    /// in either unit.
    pub fn equals_displayed(&self, kept: i64, value: f64, unit: Option<&str>) -> bool {
        match self {
            Self::Known(_) => self.own_unit(unit).is_some_and(|unit| unit.show(kept) == value),
            Self::Own(_) => self.show(kept, Units::Metric) == value,
        }
    }

    /// The displayed form of a value.
    pub fn show(&self, kept: i64, units: Units) -> f64 {
        self.displayed(kept, units, Unit::show)
    }

    /// The displayed form of a difference of two values.
    pub fn show_difference(&self, kept: i64, units: Units) -> f64 {
        self.displayed(kept, units, Unit::show_difference)
    }

    fn displayed(&self, kept: i64, units: Units, by: fn(Unit, i64) -> f64) -> f64 {
        match self {
            Self::Known(known) => by(known.quantity.unit(units), kept),
            Self::Own(own) => {
                let decimals = own.decimals as u32;
                rounded(kept as f64 / 10_f64.powi(own.decimals as i32), decimals)
            }
        }
    }

    fn view(&self) -> TypeView {
        let (least, most) = self.range();
        let unit = |unit: &Unit| UnitView {
            unit: unit.word().to_owned(),
            ucum: Some(unit.ucum().to_owned()),
            decimals: unit.decimals().into(),
            minimum: unit.limits((least, most)).0,
            maximum: unit.limits((least, most)).1,
        };
        let own = |own: &OwnType| UnitView {
            unit: own.unit.clone().unwrap_or_default(),
            ucum: None,
            decimals: own.decimals,
            minimum: self.show(least, Units::Metric),
            maximum: self.show(most, Units::Metric),
        };
        TypeView {
            r#type: self.key(),
            label: self.label().to_owned(),
            components: match self.has_two() {
                true => vec!["systolic", "diastolic"],
                false => Vec::new(),
            },
            units: match self {
                Self::Known(known) => known.quantity.units().iter().map(unit).collect(),
                Self::Own(of) => vec![own(of)],
            },
            is_own: matches!(self, Self::Own(_)),
            is_archived: matches!(self, Self::Own(own) if own.archived_at.is_some()),
        }
    }
}

/// A unit of a type, with the least and the most that is taken.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct UnitView {
    /// Symbol of the unit; empty for own types without one.
    unit: String,
    /// UCUM code; null for units of own types.
    ucum: Option<String>,
    /// Number of decimals of returned values.
    decimals: i64,
    /// The least that is taken.
    minimum: f64,
    /// The most that is taken.
    maximum: f64,
}

/// A type of measurement.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MeasurementType")]
struct TypeView {
    r#type: TypeKey,
    /// Display name.
    label: String,
    /// The names of the values of which it has several; empty where it has one.
    components: Vec<&'static str>,
    /// Units, the metric one first.
    units: Vec<UnitView>,
    /// Whether the company has added it.
    is_own: bool,
    /// Whether new measurements of it are refused.
    is_archived: bool,
}

listed!(Types { measurement_types: TypeView });

fn list_measurement_types(
    cx: &mut Read,
    ListQuery(_, page): ListQuery<NoFilters>,
) -> Result<Types> {
    let all = MeasurementType::all(cx)?;
    Ok(Page::of(all.iter().map(MeasurementType::view).collect(), page)?.into())
}

/// Most types of a company's own.
const OWN_MAX: usize = 100;
/// Largest value of an own type.
const VALUE_MAX: f64 = 1_000_000_000.0;

/// The measurement type to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewMeasurementType {
    /// Display name; the key is made from it.
    pub label: Name<60>,
    /// Such as `kg`, `cm` or `repetitions`; none when absent.
    pub unit: Option<Text<20>>,
    /// Decimals that count, 0 to 2; 0 when absent.
    pub decimals: Option<BoundedInteger<0, 2>>,
    /// The least that is taken; 0 when absent.
    pub minimum: Option<f64>,
    /// The most that is taken.
    pub maximum: f64,
}

/// The stored forms of minimum and maximum.
fn bounds(minimum: f64, maximum: f64, decimals: i64) -> Result<(i64, i64)> {
    let within = |value: f64| value.abs() <= VALUE_MAX;
    if !within(minimum) {
        let rule = Rule::OutOfRange { min: -1_000_000_000, max: 1_000_000_000 };
        return Err(Problem::invalid("minimum", rule));
    }
    if !within(maximum) || maximum <= minimum {
        return Err(Problem::invalid("maximum", ProgressRule::NotAboveMinimum));
    }
    let kept = |value: f64| (value * 10_f64.powi(decimals as i32)).round() as i64;
    Ok((kept(minimum), kept(maximum)))
}

path!(TypePath { r#type: TypeKey });

answer!(TypeAnswer { measurement_type: TypeView });

/// Adds a type of measurement.
pub fn create(cx: &mut Write, new: NewMeasurementType) -> Result<OwnType> {
    let type_id = cx.new_id();
    let key = TypeKey::of(&new.label, type_id);
    let taken = MeasurementType::all(cx)?;
    if taken.iter().any(|one| one.key() == key) {
        let rule = ProgressRule::MeasurementTypeTaken { name: key.as_str().to_owned() };
        return Err(Problem::conflict("label", rule));
    }
    if taken.iter().filter(|one| matches!(one, MeasurementType::Own(_))).count() >= OWN_MAX {
        let rule = ProgressRule::TooManyMeasurementTypes { max: OWN_MAX };
        return Err(Problem::conflict("label", rule));
    }
    let decimals = new.decimals.map_or(0, i64::from);
    let (minimum, maximum) = bounds(new.minimum.unwrap_or(0.0), new.maximum, decimals)?;
    let own = OwnType {
        r#type: key,
        type_id,
        label: new.label.into(),
        unit: new.unit.map(Into::into),
        decimals,
        minimum,
        maximum,
        archived_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("measurement_type", own.type_id, ["type"]);
    cx.defer(INSERT, &own.params())?;
    Ok(own)
}

fn create_measurement_type(
    cx: &mut Write,
    Body(new): Body<NewMeasurementType>,
) -> Result<TypeAnswer> {
    let own = create(cx, new)?;
    Ok(TypeAnswer { measurement_type: MeasurementType::Own(Box::new(own)).view() })
}

/// The fields of a measurement type to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct MeasurementTypeChanges {
    label: Change<Name<60>>,
    unit: Patch<Text<20>>,
    /// The least that is taken from now on.
    minimum: Change<f64>,
    /// The most that is taken from now on.
    maximum: Change<f64>,
    /// Whether the type is archived; archived types take no new measurements.
    is_archived: Change<bool>,
}

fn update_measurement_type(
    cx: &mut Write,
    Path(at): Path<TypePath>,
    Body(change): Body<MeasurementTypeChanges>,
) -> Result<TypeAnswer> {
    let MeasurementType::Own(before) = MeasurementType::find(cx, &at.r#type)? else {
        return Err(Problem::conflict("type", ProgressRule::NotOwnMeasurementType));
    };
    let mut own = (*before).clone();
    change.label.apply(&mut own.label);
    change.unit.map(Into::into).apply(&mut own.unit);
    let fine = 10_f64.powi(own.decimals as i32);
    let (mut minimum, mut maximum) = (own.minimum as f64 / fine, own.maximum as f64 / fine);
    change.minimum.apply(&mut minimum);
    change.maximum.apply(&mut maximum);
    (own.minimum, own.maximum) = bounds(minimum, maximum, own.decimals)?;
    if let Some(is_archived) = change.is_archived.value() {
        let now = cx.now();
        own.archived_at = is_archived.then(|| own.archived_at.unwrap_or(now));
    }
    own.save(cx, &before)?;
    Ok(TypeAnswer { measurement_type: MeasurementType::Own(Box::new(own)).view() })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/measurement-types", MeasurementsRead, list_measurement_types)
            .summary("List measurement types")
            .describe("Returns the standard types with their units, then the company's own.")
            .for_every_client(&[]),
        operation!(POST "/measurement-types", MeasurementsWrite, create_measurement_type)
            .success(Success::Added)
            .summary("Create a measurement type")
            .describe("Adds a type of the company's own, with its unit.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(PATCH "/measurement-types/{type}", MeasurementsWrite, update_measurement_type)
            .summary("Update a measurement type")
            .describe("Changes, archives or restores a type of the company's own.")
            .fails(&[Key::ApiError, Key::NotFound]),
    ])
}

statements! {
    FIND = "SELECT ", OwnType::COLUMNS, " FROM measurement_type WHERE company_id = ?1 AND type = ?2";
    OWN = "SELECT ", OwnType::COLUMNS, " FROM measurement_type WHERE company_id = ?1 ORDER BY type LIMIT 200";
    INSERT = "INSERT INTO measurement_type ", values!(OwnType);
    SAVE = "UPDATE measurement_type SET ", set!(OwnType), " WHERE company_id = ?1 AND type = ?2";
}

#[cfg(test)]
mod tests;
