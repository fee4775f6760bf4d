//! How much a client trains, by week and muscle.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_contract::{Area, Path, Query, Read, answer, operation};
use spotter_kernel::{Date, DateRange, Key, Result, TimeZone};
use spotter_people::clients::{Client, ClientPath};
use spotter_store::{params, statements};

use super::{
    exercises::{Exercise, ExerciseId},
    measures::{Milligrams, Weight, WeightUnit},
    performance::Amount,
    settings::WorkoutSettings,
    templates::company_zone,
    vocabulary::Muscle,
};

/// Default number of weeks.
const WEEKS: i64 = 12;
/// Most days of a range.
const DAYS_MAX: i64 = 371;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VolumeQuery {
    /// The first date; with `to`. Twelve weeks up to today when both are absent.
    from: Option<Date>,
    /// The last date, at most 370 days after the first.
    to: Option<Date>,
}

/// Volume by muscle. A set counts in full for each primary muscle of its exercise.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
struct MuscleVolume {
    muscle: Muscle,
    set_count: i64,
    total_reps: i64,
    total_volume: Weight,
}

/// Training volume in a week, Monday to Sunday.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WeekVolume {
    /// Monday of the week.
    week_start: Date,
    set_count: i64,
    total_reps: i64,
    /// The sum of weight times repetitions over working sets.
    total_volume: Weight,
    /// Trained muscles by volume, highest first.
    muscles: Vec<MuscleVolume>,
}

/// Training volume between two dates, by week and muscle.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TrainingVolume")]
struct Volume {
    from: Date,
    to: Date,
    /// The IANA time zone of the dates.
    time_zone: TimeZone,
    weight_unit: WeightUnit,
    /// Every week that the range touches, the first first.
    weeks: Vec<WeekVolume>,
}

answer!(VolumeAnswer { volume: Volume });

#[derive(Default)]
struct Week {
    all: Amount,
    by_muscle: BTreeMap<Muscle, Amount>,
}

fn get_workout_volume(
    cx: &mut Read,
    Path(at): Path<ClientPath>,
    Query(wanted): Query<VolumeQuery>,
) -> Result<VolumeAnswer> {
    Client::find(cx, at.client_id)?;
    let time_zone = company_zone(cx)?;
    let today = time_zone.date_at(cx.now());
    let DateRange { from, to } = match (wanted.from, wanted.to) {
        (None, None) => {
            let from = today.monday().plus_days(-7 * (WEEKS - 1)).unwrap_or(today);
            DateRange { from, to: today }
        }
        (from, to) => DateRange::checked(from, to, DAYS_MAX)?,
    };
    let weight_unit = WorkoutSettings::find(cx)?.weight_unit;
    type Done = (Date, ExerciseId, i64, i64, Milligrams);
    let done: Vec<Done> = cx.all(DONE, params![at.client_id, from, to])?;
    let found = Exercise::find_all(cx, done.iter().map(|row| row.1))?;
    let mut weeks: BTreeMap<Date, Week> = BTreeMap::new();
    let mut next = Some(from.monday());
    while let Some(week) = next.filter(|week| *week <= to) {
        weeks.entry(week).or_default();
        next = week.plus_days(7);
    }
    for (date, exercise, sets, reps, volume) in done {
        let amount = Amount { sets, reps, volume };
        let week = weeks.entry(date.monday()).or_default();
        week.all.add(amount);
        for muscle in found.get(&exercise).map(|e| e.primary_muscles.as_slice()).unwrap_or_default()
        {
            week.by_muscle.entry(*muscle).or_default().add(amount);
        }
    }
    let weeks = weeks.into_iter().map(|(week_start, week)| {
        let mut muscles: Vec<_> = week.by_muscle.into_iter().collect();
        muscles.sort_by_key(|(_, amount)| std::cmp::Reverse((amount.volume, amount.sets)));
        let output = |(muscle, amount): (Muscle, Amount)| MuscleVolume {
            muscle,
            set_count: amount.sets,
            total_reps: amount.reps,
            total_volume: weight_unit.show(amount.volume),
        };
        WeekVolume {
            week_start,
            set_count: week.all.sets,
            total_reps: week.all.reps,
            total_volume: weight_unit.show(week.all.volume),
            muscles: muscles.into_iter().map(output).collect(),
        }
    });
    let weeks = weeks.collect();
    Ok(VolumeAnswer { volume: Volume { from, to, time_zone, weight_unit, weeks } })
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).operations([
        operation!(GET "/workout/clients/{clientId}/plans/volume", WorkoutProgressRead, get_workout_volume)
            .summary("Get training volume")
            .for_client(&[])
            .describe(
                "By week (Monday to Sunday in the company's time zone) and muscle. The volume is \
                 the sum of weight times repetitions over working sets of completed sessions. A set \
                 counts in full for each primary muscle of its exercise, so the muscles of a week may \
                 add up to more than the week.",
            )
            .fails(&[Key::DateRangeRequired, Key::DateRangeTooLarge]),
    ])
}

statements! {
    DONE = "SELECT local_date, exercise_id, CAST(SUM(set_count) AS BIGINT), \
        CAST(SUM(reps) AS BIGINT), CAST(SUM(volume_mg) AS BIGINT) FROM workout_performance \
        WHERE company_id = ?1 AND client_id = ?2 AND counted AND local_date >= ?3 \
        AND local_date <= ?4 GROUP BY local_date, exercise_id LIMIT 20000";
}
