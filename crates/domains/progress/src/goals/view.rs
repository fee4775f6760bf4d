//! The API form of a goal: with its progress, in the caller's units.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::Read;
use spotter_kernel::{Date, Id, Problem, Result, Rule, Timestamp, id::ClientId};

use crate::{
    goal::{Goal, GoalDirection, GoalId, GoalKind, GoalStatus},
    habit::{HabitId, amount_in_api},
    rules::ProgressRule,
    types::{MeasurementType, TypeKey},
    units::Units,
};

/// A goal of a client.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Goal")]
pub(super) struct GoalView {
    pub(super) goal_id: GoalId,
    pub(super) client_id: ClientId,
    pub(super) title: String,
    /// How progress is measured.
    pub(super) kind: GoalKind,
    /// The key of the measurement that it follows.
    pub(super) measurement_type: Option<TypeKey>,
    /// The habit that it follows.
    pub(super) habit_id: Option<HabitId>,
    /// Direction of progress.
    pub(super) direction: GoalDirection,
    /// Start value in `unit`; null until the first measurement.
    pub(super) start_value: Option<f64>,
    /// Target value in `unit`.
    pub(super) target_value: f64,
    /// The newest since `startDate`, in `unit`; of habits and sessions how many there were.
    pub(super) current_value: Option<f64>,
    /// Tolerance around the target, in `unit`, for goals with the direction `maintain`.
    pub(super) tolerance: Option<f64>,
    pub(super) unit: Option<String>,
    pub(super) start_date: Date,
    /// Due date; null if there is none.
    pub(super) due_date: Option<Date>,
    pub(super) status: GoalStatus,
    /// Progress from start to target in percent, 0 to 100, rounded down; for `maintain`, the share
    /// of measurements within the tolerance. Null without data.
    pub(super) progress_percent: Option<i64>,
    pub(super) achieved_at: Option<Timestamp>,
    pub(super) note: Option<String>,
    /// Type of the person: `api_client`, `coach`, `client` or `system`.
    pub(super) created_by_type: String,
    pub(super) created_by: Option<Id>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
}

/// How a goal's values are converted.
pub(super) enum GoalScale {
    Measured(Box<MeasurementType>),
    Counted,
    Said,
}

impl GoalScale {
    pub(super) fn of(cx: &mut Read, kind: GoalKind, measured: Option<&TypeKey>) -> Result<Self> {
        Ok(match (kind, measured) {
            (GoalKind::Measurement, Some(key)) => {
                Self::Measured(Box::new(MeasurementType::find(cx, key)?))
            }
            (GoalKind::Habit | GoalKind::Sessions, _) => Self::Counted,
            _ => Self::Said,
        })
    }

    pub(super) fn show(&self, kept: i64, units: Units) -> f64 {
        match self {
            Self::Measured(of) => of.show(kept, units),
            Self::Counted => kept as f64,
            Self::Said => amount_in_api(kept),
        }
    }

    pub(super) fn show_difference(&self, kept: i64, units: Units) -> f64 {
        match self {
            Self::Measured(of) => of.show_difference(kept, units),
            _ => self.show(kept, units),
        }
    }

    pub(super) fn take(&self, value: f64, unit: Option<&str>, field: &str) -> Result<i64> {
        match self {
            Self::Measured(of) => of.take(value, unit, field),
            Self::Counted if value.fract() == 0.0 && (1.0..=100_000.0).contains(&value) => {
                Ok(value as i64)
            }
            Self::Counted => {
                Err(Problem::invalid(field, Rule::NotWholeNumberIn { min: 1, max: 100000 }))
            }
            Self::Said if value.abs() <= 1_000_000_000.0 => Ok((value * 100.0).round() as i64),
            Self::Said => {
                Err(Problem::invalid(field, Rule::OutOfRange { min: -1000000000, max: 1000000000 }))
            }
        }
    }

    /// The stored form of a tolerance, which is a difference.
    pub(super) fn take_difference(&self, value: f64, from: f64, unit: Option<&str>) -> Result<i64> {
        let field = "tolerance";
        if value < 0.0 {
            return Err(Problem::invalid(field, ProgressRule::Negative));
        }
        Ok((self.take(from + value, unit, field)? - self.take(from, unit, "targetValue")?).abs())
    }

    pub(super) fn unit(&self, goal: &Goal, units: Units) -> Option<String> {
        match self {
            Self::Measured(of) => of.unit(units),
            Self::Counted => {
                Some(if goal.kind == GoalKind::Habit { "days" } else { "sessions" }.to_owned())
            }
            Self::Said => goal.unit.clone(),
        }
    }
}
