//! The prescription of a plan's day: exercises in order, with their sets.

use std::{borrow::Cow, collections::BTreeSet};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use spotter_contract::Read;
use spotter_kernel::{Key, Many, Problem, Result, problem::refuse, text::Text};
use spotter_store::{Bind, Value, column_from};

use super::{
    exercises::{Exercise, ExerciseId, check_usable},
    measures::{self, Milligrams, NewWeight, Rpe, WEIGHT_RULE, Weight, WeightUnit},
    vocabulary::SetType,
};
use crate::rules::TrainingRule;

/// Most exercises of a day, or of a session.
pub(super) const EXERCISES_MAX: usize = 50;
/// Most sets of an exercise.
pub(super) const SETS_MAX: usize = 30;

/// The planned sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedSet<W> {
    /// `normal` when absent.
    #[serde(default = "SetType::normal")]
    pub r#type: SetType,
    /// Repetitions, or the least of them where `repsMax` is given.
    #[serde(default, deserialize_with = "measures::reps")]
    #[schemars(range(min = 0, max = 1000))]
    pub reps: Option<i64>,
    /// The most repetitions; not below `reps`.
    #[serde(default, deserialize_with = "measures::reps")]
    #[schemars(range(min = 0, max = 1000))]
    pub reps_max: Option<i64>,
    /// Weight in the company's unit.
    #[serde(default = "Option::<W>::default")]
    pub weight: Option<W>,
    /// Distance in metres.
    #[serde(default, deserialize_with = "measures::distance")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub distance_meters: Option<i64>,
    /// Time in seconds.
    #[serde(default, deserialize_with = "measures::duration")]
    #[schemars(range(min = 0, max = 86400))]
    pub duration_seconds: Option<i64>,
    /// Rated perceived exertion to aim for.
    #[serde(default)]
    pub rpe: Option<Rpe>,
}

impl<W> PlannedSet<W> {
    fn map<U>(self, weight: impl FnOnce(W) -> U) -> PlannedSet<U> {
        let Self { r#type, reps, reps_max, distance_meters, duration_seconds, rpe, .. } = self;
        let weight = self.weight.map(weight);
        PlannedSet { r#type, reps, reps_max, weight, distance_meters, duration_seconds, rpe }
    }
}

/// The pace of a repetition in seconds: lowering, pause, lifting, pause; X is as fast as can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Tempo(String);

impl<'de> Deserialize<'de> for Tempo {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        let parts: Vec<_> = text.split('-').collect();
        let pace = |part: &&str| matches!(part.as_bytes(), [c] if c.is_ascii_digit() || *c == b'X');
        if parts.len() == 4 && parts.iter().all(pace) {
            Ok(Self(text.into_owned()))
        } else {
            Err(refuse::<D::Error>(Key::RequestInvalid, TrainingRule::NotTempo))
        }
    }
}

impl JsonSchema for Tempo {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Tempo".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9X](-[0-9X]){3}$", "examples": ["3-1-X-0"],
            "description": "Seconds of lowering, pause, lifting, pause; X is as fast as can be."})
    }
}

/// An exercise of a programme day.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPlannedExercise {
    /// Exercise of the library, one of `GET /workout/exercises`.
    pub exercise_id: ExerciseId,
    /// Neighbouring exercises with the same label are done in turn.
    pub superset: Option<Text<10>>,
    /// Seconds of rest after a set; the company's default where absent.
    #[serde(default, deserialize_with = "measures::rest")]
    #[schemars(range(min = 0, max = 3600))]
    pub rest_seconds: Option<i64>,
    /// The pace of a repetition.
    pub tempo: Option<Tempo>,
    /// Note of the coach.
    pub notes: Option<Text<1000>>,
    /// At most 30 sets.
    #[serde(default)]
    pub sets: Many<PlannedSet<NewWeight>, 0, SETS_MAX>,
}

/// An exercise of a day; weights are `W`, grams inside.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "camelCase")]
pub struct PlannedExercise<W> {
    pub(super) exercise_id: ExerciseId,
    /// The exercise's name when the day was written.
    pub(super) name: String,
    /// Neighbouring exercises with the same label are done in turn.
    pub(super) superset: Option<String>,
    /// Seconds of rest after a set.
    pub(super) rest_seconds: i64,
    pub(super) tempo: Option<Tempo>,
    pub(super) notes: Option<String>,
    pub(super) sets: Vec<PlannedSet<W>>,
}

/// Stored exercises of a day: JSON arrays of their values in a fixed order, because each client has a copy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prescription(pub(super) Vec<PlannedExercise<Milligrams>>);

/// A set's values in their stored order.
#[derive(Serialize, Deserialize)]
struct StoredPlannedSet(
    SetType,
    Option<i64>,
    Option<i64>,
    Option<Milligrams>,
    Option<i64>,
    Option<i64>,
    Option<Rpe>,
);

/// An exercise's values in their stored order.
#[derive(Serialize, Deserialize)]
struct StoredExercise(
    ExerciseId,
    String,
    Option<String>,
    i64,
    Option<Tempo>,
    Option<String>,
    Vec<StoredPlannedSet>,
);

impl From<PlannedSet<Milligrams>> for StoredPlannedSet {
    fn from(set: PlannedSet<Milligrams>) -> Self {
        let PlannedSet { r#type, reps, reps_max, weight, distance_meters, duration_seconds, rpe } =
            set;
        Self(r#type, reps, reps_max, weight, distance_meters, duration_seconds, rpe)
    }
}

impl From<StoredPlannedSet> for PlannedSet<Milligrams> {
    fn from(kept: StoredPlannedSet) -> Self {
        let StoredPlannedSet(
            r#type,
            reps,
            reps_max,
            weight,
            distance_meters,
            duration_seconds,
            rpe,
        ) = kept;
        Self { r#type, reps, reps_max, weight, distance_meters, duration_seconds, rpe }
    }
}

impl Bind for Prescription {
    fn bind(&self) -> Value<'_> {
        let kept = self.0.iter().cloned().map(|exercise| {
            let PlannedExercise { exercise_id, name, superset, rest_seconds, tempo, notes, sets } =
                exercise;
            let sets = sets.into_iter().map(StoredPlannedSet::from).collect();
            StoredExercise(exercise_id, name, superset, rest_seconds, tempo, notes, sets)
        });
        let kept: Vec<_> = kept.collect();
        serde_json::to_string(&kept).map_or(Value::Null, |text| Value::Text(text.into()))
    }
}

column_from! {
    Prescription: String, |text| {
        let kept: Vec<StoredExercise> = serde_json::from_str(text).ok()?;
        let exercise = |kept| {
            let StoredExercise(exercise_id, name, superset, rest_seconds, tempo, notes, sets) = kept;
            let sets = sets.into_iter().map(PlannedSet::from).collect();
            PlannedExercise { exercise_id, name, superset, rest_seconds, tempo, notes, sets }
        };
        Some(Prescription(kept.into_iter().map(exercise).collect()))
    };
}

impl PlannedExercise<Milligrams> {
    /// The same in the company's unit.
    pub(super) fn in_unit(self, unit: WeightUnit) -> PlannedExercise<Weight> {
        let Self { exercise_id, name, superset, rest_seconds, tempo, notes, sets } = self;
        let sets = sets.into_iter().map(|set| set.map(|grams| unit.show(grams))).collect();
        PlannedExercise { exercise_id, name, superset, rest_seconds, tempo, notes, sets }
    }
}

/// Checks a day's exercises and converts them to the stored form.
pub(super) fn checked(
    cx: &mut Read,
    unit: WeightUnit,
    default_rest: i64,
    new: Many<NewPlannedExercise, 0, EXERCISES_MAX>,
    before: &Prescription,
) -> Result<Prescription> {
    check_supersets(new.iter().map(|exercise| exercise.superset.as_deref()))?;
    let found = Exercise::find_all(cx, new.iter().map(|exercise| exercise.exercise_id))?;
    let mut kept = Vec::with_capacity(new.len());
    for (at, exercise) in new.into_iter().enumerate() {
        let id = exercise.exercise_id;
        check_usable(&found, id, &format!("exercises[{at}].exerciseId"))?;
        for (number, set) in exercise.sets.iter().enumerate() {
            if set.reps_max.is_some_and(|most| set.reps.is_none_or(|least| least > most)) {
                let field = format!("exercises[{at}].sets[{number}].repsMax");
                return Err(Problem::invalid(&field, TrainingRule::BelowReps));
            }
        }
        let same = before.0.iter().filter(|was| was.exercise_id == id);
        let weights: Vec<_> = same.flat_map(|was| &was.sets).filter_map(|set| set.weight).collect();
        let mut sets = Vec::with_capacity(exercise.sets.len());
        for (number, set) in exercise.sets.into_iter().enumerate() {
            let weight = set.weight.map(|weight| unit.take(weight, &weights));
            if weight == Some(None) {
                let field = format!("exercises[{at}].sets[{number}].weight");
                return Err(Problem::invalid(&field, WEIGHT_RULE));
            }
            sets.push(set.map(|_| weight.flatten().unwrap_or_default()));
        }
        kept.push(PlannedExercise {
            exercise_id: id,
            name: found.get(&id).map(|exercise| exercise.name.clone()).unwrap_or_default(),
            superset: exercise.superset.map(Into::into),
            rest_seconds: exercise.rest_seconds.unwrap_or(default_rest),
            tempo: exercise.tempo,
            notes: exercise.notes.map(Into::into),
            sets,
        });
    }
    Ok(Prescription(kept))
}

/// The exercises of a superset are adjacent.
pub(super) fn check_supersets<'l>(labels: impl Iterator<Item = Option<&'l str>>) -> Result<()> {
    let (mut closed, mut open) = (BTreeSet::new(), None);
    for (at, label) in labels.enumerate() {
        if label != open {
            closed.extend(open);
            open = label;
        }
        if label.is_some_and(|label| closed.contains(label)) {
            let field = format!("exercises[{at}].superset");
            return Err(Problem::invalid(&field, TrainingRule::SupersetApart));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supersets_are_adjacent() {
        let check = |labels: &[Option<&str>]| check_supersets(labels.iter().copied());
        assert!(check(&[Some("A"), Some("A"), None, Some("B"), Some("B")]).is_ok());
        assert!(check(&[Some("A"), None, Some("A")]).is_err());
        assert!(check(&[Some("A"), Some("B"), Some("A")]).is_err());
        assert!(check(&[None, None]).is_ok());
    }

    #[test]
    fn tempos_have_four_parts() {
        let read = |text: &str| serde_json::from_value::<Tempo>(text.into());
        assert!(read("3-1-X-0").is_ok());
        for bad in ["3-1-1", "3110", "3-1-1-10", "a-1-1-0", ""] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
