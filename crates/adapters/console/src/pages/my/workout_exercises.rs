//! The exercises of a workout as its page shows them: the recorded ones, or else the planned ones.

use spotter_kernel::Result;

use crate::{api, page_context::PageContext, parts::fields::Form};

/// An exercise of a workout.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkoutExercise {
    pub(super) exercise_id: String,
    pub(super) name: String,
    pub(super) notes: String,
    pub(super) superset: String,
    /// The tracking type, such as `weight_reps`.
    pub(super) tracking_type: String,
    /// The weight of the person, where the body is moved.
    pub(super) body_weight: Option<f64>,
    /// Seconds of rest after a set, where the plan says so.
    pub(super) rest_seconds: Option<i64>,
    pub(super) sets: Vec<WorkoutSet>,
}

/// A set of an exercise.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkoutSet {
    /// Empty for a usual one.
    pub(super) kind: String,
    pub(super) reps: Option<i64>,
    pub(super) weight: Option<f64>,
    pub(super) duration_seconds: Option<i64>,
    pub(super) distance_meters: Option<i64>,
    pub(super) rpe: Option<f64>,
    pub(super) completed: bool,
}

impl WorkoutExercise {
    fn logged(own: api::WorkoutSessionExercise<'_>) -> Self {
        let sets = own.sets().iter().map(|set| WorkoutSet {
            kind: set.r#type().to_owned(),
            reps: set.reps(),
            weight: set.weight(),
            duration_seconds: set.duration_seconds(),
            distance_meters: set.distance_meters(),
            rpe: set.rpe(),
            completed: set.completed(),
        });
        Self {
            exercise_id: own.exercise_id().to_owned(),
            name: own.name().to_owned(),
            notes: own.notes().to_owned(),
            superset: own.superset().to_owned(),
            body_weight: own.body_weight(),
            sets: sets.collect(),
            ..Self::default()
        }
    }

    /// A planned exercise, with the weights of the last session where the programme has none.
    fn planned(own: api::PlanDayExercise<'_>, lifted: &[Option<f64>]) -> Self {
        let sets = own.sets().iter().enumerate().map(|(number, set)| WorkoutSet {
            kind: set.r#type().to_owned(),
            reps: set.reps(),
            weight: set.weight().or(lifted.get(number).or(lifted.last()).copied().flatten()),
            duration_seconds: set.duration_seconds(),
            distance_meters: set.distance_meters(),
            rpe: set.rpe(),
            completed: false,
        });
        Self {
            exercise_id: own.exercise_id().to_owned(),
            name: own.name().to_owned(),
            notes: own.notes().to_owned(),
            superset: own.superset().to_owned(),
            rest_seconds: Some(own.rest_seconds()),
            sets: sets.collect(),
            ..Self::default()
        }
    }

    /// Whether the body is what is moved, with help or with a weight on top.
    pub(super) fn moves_body(&self) -> bool {
        matches!(self.tracking_type.as_str(), "assisted" | "bodyweight_plus")
    }

    /// Adds it to a form unchanged, with its measured sets.
    pub(super) fn in_form<'f>(&self, mut form: Form<'f>, index: usize) -> Form<'f> {
        let name = |rest: &str| format!("exercises.{index}.{rest}");
        form = form.hidden(&name("exerciseId"), &*self.exercise_id);
        for (field, text) in [("notes", &self.notes), ("superset", &self.superset)] {
            if !text.is_empty() {
                form = form.hidden(&name(field), &**text);
            }
        }
        if let Some(weight) = self.body_weight {
            form = form.hidden(&name("bodyWeight"), weight.to_string());
        }
        for (number, set) in self.sets.iter().filter(|set| set.is_measured()).enumerate() {
            let name = |field: &str| name(&format!("sets.{number}.{field}"));
            form = form.hidden(&name("type"), set.kind());
            for field in ["reps", "weight", "durationSeconds", "distanceMeters", "rpe"] {
                if let Some(value) = set.value(field) {
                    form = form.hidden(&name(field), value.to_string());
                }
            }
            form = form.hidden(&name("completed"), set.completed.to_string());
        }
        form
    }
}

impl WorkoutSet {
    /// Its type.
    pub(super) fn kind(&self) -> &str {
        if self.kind.is_empty() { "normal" } else { &self.kind }
    }

    /// A measured value by its field.
    pub(super) fn value(&self, field: &str) -> Option<f64> {
        match field {
            "reps" => self.reps.map(|reps| reps as f64),
            "weight" => self.weight,
            "durationSeconds" => self.duration_seconds.map(|seconds| seconds as f64),
            "distanceMeters" => self.distance_meters.map(|meters| meters as f64),
            "rpe" => self.rpe,
            _ => None,
        }
    }

    fn is_measured(&self) -> bool {
        self.reps.is_some() || self.duration_seconds.is_some() || self.distance_meters.is_some()
    }
}

/// The exercises of a workout.
pub(super) fn exercises_of(
    cx: &mut PageContext<'_, '_>,
    own: &str,
    session: api::WorkoutSession<'_>,
) -> Result<Vec<WorkoutExercise>> {
    let is_open = session.status() != "completed";
    let mut exercises: Vec<_> = session.exercises().iter().map(WorkoutExercise::logged).collect();
    if exercises.is_empty() && is_open {
        exercises = planned_exercises(cx, own, session)?;
    }
    for exercise in &mut exercises {
        let answer = cx.call_or_empty(api::get_workout_exercise(&exercise.exercise_id))?;
        exercise.tracking_type = answer.exercise().tracking_type().to_owned();
    }
    let lacks_weight =
        |exercise: &WorkoutExercise| exercise.moves_body() && exercise.body_weight.is_none();
    if is_open && exercises.iter().any(lacks_weight) {
        let weight = latest_body_weight(cx, own, session.weight_unit())?;
        for exercise in exercises.iter_mut().filter(|exercise| lacks_weight(exercise)) {
            exercise.body_weight = weight;
        }
    }
    Ok(exercises)
}

/// The exercises of the programme's day, with the weights of the last session where the programme has none.
fn planned_exercises(
    cx: &mut PageContext<'_, '_>,
    own: &str,
    session: api::WorkoutSession<'_>,
) -> Result<Vec<WorkoutExercise>> {
    if session.plan_moment_id().is_empty() {
        return Ok(Vec::new());
    }
    let call = api::get_client_workout_day(own, session.plan_id(), session.plan_moment_id());
    let answer = cx.call_or_empty(call)?;
    let mut exercises = Vec::new();
    for exercise in answer.day().exercises() {
        let call = api::list_exercise_history(own, exercise.exercise_id()).limit(1);
        let history = cx.call_or_empty(call)?;
        let last = history.history().first().into_iter();
        let lifted: Vec<_> = last.flat_map(|entry| entry.sets()).map(|set| set.weight()).collect();
        exercises.push(WorkoutExercise::planned(exercise, &lifted));
    }
    Ok(exercises)
}

/// The latest weight of a person, in the unit in which weights are logged.
fn latest_body_weight(cx: &mut PageContext<'_, '_>, own: &str, unit: &str) -> Result<Option<f64>> {
    let units = if unit == "lb" { "imperial" } else { "metric" };
    let answer = cx.call_or_empty(api::get_latest_measurements(own).units(units))?;
    let weight = answer.measurements().iter().find(|one| one.r#type() == "weight");
    Ok(weight.and_then(|weight| weight.value()))
}
