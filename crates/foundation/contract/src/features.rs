//! What a company may switch off, and operations may need.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_kernel::{Key, Problem, Result, Rule};

/// The features that are enabled for a company.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CompanyFeatures")]
pub struct Features {
    /// Integrations may use the Public API.
    pub public_api: bool,
    /// Whether the workout module is switched on.
    pub workout: bool,
    /// Workout programmes laid out on a calendar.
    pub programme_calendar: bool,
    /// AI assistants may connect for coaches.
    pub mcp: bool,
    /// AI assistants may connect for clients.
    pub client_ai: bool,
    /// Whether health data requires the client's consent.
    pub health_consent: bool,
    /// Managers sign in with a second step.
    pub second_step: bool,
}

/// What an operation may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The workout module.
    Workout,
    /// The workout module with programmes laid out on a calendar.
    ProgrammeCalendar,
}

impl Feature {
    /// The key of the refusal while it is switched off.
    pub const fn off(self) -> Key {
        match self {
            Self::Workout => Key::ApiError,
            Self::ProgrammeCalendar => Key::WorkoutProgrammeCalendarDisabled,
        }
    }

    /// What this one needs in its turn.
    pub const fn needs(self) -> Option<Self> {
        match self {
            Self::Workout => None,
            Self::ProgrammeCalendar => Some(Self::Workout),
        }
    }

    /// Admits a caller of a company with these features, or returns the missing one.
    pub fn check(self, features: Features) -> Result<()> {
        self.needs().map_or(Ok(()), |first| first.check(features))?;
        match self {
            Self::Workout if !features.workout => {
                Err(Problem::because(self.off(), Rule::WorkoutOff).with_status(403))
            }
            Self::ProgrammeCalendar if !features.programme_calendar => Err(self.off().into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_needs_the_module() {
        let features = |workout, programme_calendar| Features {
            workout,
            programme_calendar,
            ..Features::default()
        };
        let key = |features| Feature::ProgrammeCalendar.check(features).unwrap_err().key;
        assert_eq!(key(features(false, true)), Key::ApiError);
        assert_eq!(key(features(true, false)), Key::WorkoutProgrammeCalendarDisabled);
        assert!(Feature::ProgrammeCalendar.check(features(true, true)).is_ok());
        assert!(Feature::Workout.check(features(true, false)).is_ok());
    }
}
