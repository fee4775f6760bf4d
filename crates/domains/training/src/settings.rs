//! What a company decides for the whole module.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Body, Read, Write, answer, operation};
use spotter_kernel::{Change, Result, Timestamp, number::BoundedInteger};
use spotter_store::{params, record, statements, values};

use super::{measures::WeightUnit, vocabulary::ReleasePolicy};

record! {
    /// The training settings of a company.
    #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "WorkoutSettings")]
    pub struct WorkoutSettings {
        /// Unit of weights in requests and responses; changing it converts nothing that is stored.
        pub(super) weight_unit: WeightUnit,
        /// The rest after a set where a plan names none.
        #[schemars(range(min = 0, max = 3600))]
        pub(super) default_rest_seconds: i64,
        /// The release policy of new plans that name none.
        pub(super) default_release_policy: ReleasePolicy,
        /// When they were last changed; null for defaults.
        updated_at: Option<Timestamp>,
    }
}

impl WorkoutSettings {
    /// The company's settings, or those that a company starts with.
    pub(super) fn find(cx: &mut Read) -> Result<Self> {
        Ok(cx.one(FIND, params![])?.unwrap_or(Self {
            weight_unit: WeightUnit::Kilograms,
            default_rest_seconds: 90,
            default_release_policy: ReleasePolicy::AllAtOnce,
            updated_at: None,
        }))
    }
}

answer!(SettingsAnswer { settings: WorkoutSettings });

fn get_workout_settings(cx: &mut Read) -> Result<SettingsAnswer> {
    Ok(SettingsAnswer { settings: WorkoutSettings::find(cx)? })
}

/// The training settings to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "WorkoutSettingsChanges")]
struct SettingsChanges {
    weight_unit: Change<WeightUnit>,
    default_rest_seconds: Change<BoundedInteger<0, 3_600>>,
    default_release_policy: Change<ReleasePolicy>,
}

fn update_workout_settings(
    cx: &mut Write,
    Body(change): Body<SettingsChanges>,
) -> Result<SettingsAnswer> {
    let before = WorkoutSettings::find(cx)?;
    let mut settings = before.clone();
    change.weight_unit.apply(&mut settings.weight_unit);
    change.default_rest_seconds.apply(&mut settings.default_rest_seconds);
    change.default_release_policy.apply(&mut settings.default_release_policy);
    let changed = settings.changed(&before);
    cx.set_audit_target("workout_settings", cx.company(), changed.clone());
    if !changed.is_empty() {
        settings.updated_at = Some(cx.now());
        cx.defer(SAVE, &settings.params())?;
    }
    Ok(SettingsAnswer { settings })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/workout/settings", WorkoutSettingsRead, get_workout_settings)
            .summary("Get the workout settings")
            .describe("Returns the company's weight unit, default rest and default release policy.")
            .for_every_client(&[]),
        operation!(PATCH "/workout/settings", WorkoutSettingsWrite, update_workout_settings)
            .summary("Update the workout settings")
            .describe("Changes the fields that are sent."),
    ])
}

statements! {
    FIND = "SELECT ", WorkoutSettings::COLUMNS, " FROM workout_settings WHERE company_id = ?1";
    SAVE = "INSERT INTO workout_settings ", values!(WorkoutSettings),
        " ON CONFLICT (company_id) DO UPDATE SET weight_unit = excluded.weight_unit, \
        default_rest_seconds = excluded.default_rest_seconds, default_release_policy = \
        excluded.default_release_policy, updated_at = excluded.updated_at";
}
