//! Exercises: the starter library's, and a company's own beside them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use spotter_company::folding::{joined_haystack, looked_for, needles, singular, words_of};
use spotter_contract::{
    Area, Body, Flag, ListQuery, Path, Read, Success, Write, answer, listed, operation, path,
};
use spotter_kernel::{
    Change, Key, Many, Page, Patch, Problem, Result, Rule, Timestamp, id_type,
    text::{Name, Text, WebUrl},
};
use spotter_store::{
    Bind, Json, List, Value, filters, lists, params, record, set, statements, stored_ids, values,
};

use super::{
    equipment, recount, starter,
    vocabulary::{LibrarySource, Muscle, TrackingType},
};
use crate::rules::TrainingRule;

id_type!(
    /// An exercise, of the starter library or of a company.
    ExerciseId,
    RequestInvalid
);
stored_ids!(ExerciseId);

/// Most exercises of a company's own.
const OWN_MAX: i64 = 2_000;

/// An exercise.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exercise {
    /// The exercise's id.
    pub exercise_id: ExerciseId,
    /// Display name.
    pub name: String,
    /// Other names.
    pub(super) aliases: Vec<String>,
    /// The muscles that a set counts for.
    pub(super) primary_muscles: Vec<Muscle>,
    /// The muscles that help.
    pub(super) secondary_muscles: Vec<Muscle>,
    /// Keys of pieces of equipment.
    pub(super) equipment: Vec<String>,
    pub(super) tracking_type: TrackingType,
    /// Whether sides are trained separately; logged values are per side.
    pub(super) unilateral: bool,
    pub(super) instructions: Option<String>,
    pub(super) video_url: Option<String>,
    pub(super) thumbnail: Option<String>,
    /// system for the starter library, company for the company's own.
    pub(super) source: LibrarySource,
    /// False for the starter library.
    pub(super) editable: bool,
    pub(super) archived_at: Option<Timestamp>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
}

record! {
    /// A custom exercise: the record.
    #[derive(Debug, Clone, PartialEq)]
    struct CustomExercise {
        exercise_id: ExerciseId,
        name: String,
        aliases: Json<Vec<String>>,
        primary_muscles: Json<Vec<Muscle>>,
        secondary_muscles: Json<Vec<Muscle>>,
        equipment: Json<Vec<String>>,
        tracking_type: TrackingType,
        unilateral: bool,
        instructions: Option<String>,
        video_url: Option<String>,
        thumbnail: Option<String>,
        archived_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

impl From<CustomExercise> for Exercise {
    fn from(own: CustomExercise) -> Self {
        Self {
            exercise_id: own.exercise_id,
            name: own.name,
            aliases: own.aliases.0,
            primary_muscles: own.primary_muscles.0,
            secondary_muscles: own.secondary_muscles.0,
            equipment: own.equipment.0,
            tracking_type: own.tracking_type,
            unilateral: own.unilateral,
            instructions: own.instructions,
            video_url: own.video_url,
            thumbnail: own.thumbnail,
            source: LibrarySource::Company,
            editable: true,
            archived_at: own.archived_at,
            created_at: own.created_at,
            updated_at: own.updated_at,
        }
    }
}

/// What coaches write for short.
const SHORT: &[(&str, &str)] = &[
    ("bb", "barbell"),
    ("bss", "bulgarian split squat"),
    ("bw", "bodyweight"),
    ("db", "dumbbell"),
    ("dl", "deadlift"),
    ("ghr", "glute ham raise"),
    ("kb", "kettlebell"),
    ("ohp", "overhead press"),
    ("rdl", "romanian deadlift"),
    ("sldl", "stiff leg deadlift"),
];

/// Words to search exercises for: in the singular, with abbreviations expanded.
fn spelled_out(search: &str) -> Vec<String> {
    let words: Vec<String> = words_of(search)
        .map(|word| match SHORT.iter().find(|(short, _)| *short == word) {
            Some((_, long)) => (*long).to_owned(),
            None => singular(&word).to_owned(),
        })
        .collect();
    needles(&words.join(" "))
}

impl CustomExercise {
    fn find(cx: &mut Read, id: ExerciseId) -> Result<Self> {
        if starter::find(id).is_some() {
            return Err(Problem::conflict("exerciseId", TrainingRule::StarterLibrary));
        }
        cx.one(FIND, params![id])?.ok_or_else(|| Key::NotFound.into())
    }

    /// The record's parameters, with the words that it is found by.
    fn parameters<'r>(&'r self, haystack: &'r str) -> Vec<Value<'r>> {
        let mut params = self.params();
        params.push(haystack.bind());
        params
    }

    fn haystack(&self) -> String {
        joined_haystack(
            [self.name.as_str()].into_iter().chain(self.aliases.0.iter().map(String::as_str)),
        )
    }

    fn save(mut self, cx: &mut Write, before: &Self) -> Result<Exercise> {
        let changed = self.changed(before);
        cx.set_audit_target("workout_exercise", self.exercise_id, changed.clone());
        if !changed.is_empty() {
            self.updated_at = cx.now();
            cx.defer(SAVE, &self.parameters(&self.haystack()))?;
        }
        Ok(self.into())
    }
}

impl Exercise {
    /// The exercise with this id, of the starter library or of the company.
    pub(super) fn find(cx: &mut Read, id: ExerciseId) -> Result<Self> {
        if let Some(exercise) = starter::find(id) {
            return Ok(exercise.clone());
        }
        let own: Option<CustomExercise> = cx.one(FIND, params![id])?;
        own.map(Into::into).ok_or_else(|| Key::NotFound.into())
    }

    /// The exercises with these ids that there are.
    pub(super) fn find_all(
        cx: &mut Read,
        ids: impl IntoIterator<Item = ExerciseId>,
    ) -> Result<BTreeMap<ExerciseId, Self>> {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        let (system, own): (Vec<_>, Vec<_>) =
            ids.into_iter().partition(|id| starter::find(*id).is_some());
        let wanted = own.into_iter().map(|id| vec![id.bind().into_owned()]);
        let own: Vec<Option<CustomExercise>> = cx.one_each(FIND, wanted)?;
        let own = own.into_iter().flatten().map(Self::from);
        let system = system.into_iter().filter_map(|id| starter::find(id).cloned());
        Ok(system.chain(own).map(|exercise| (exercise.exercise_id, exercise)).collect())
    }
}

listed!(Exercises { exercises: Exercise });

filters! {
    struct Filters {
        /// Words that the name or an alias has words beginning with; all must match.
        search: Text<100> => "haystack LIKE ?" each |text| looked_for(spelled_out(text));
        /// A primary muscle.
        muscle: Muscle => "primary_muscles LIKE ? ESCAPE '!'" as |muscle| super::in_json(muscle.word());
        /// The key of a piece of equipment.
        equipment: Text<120> => "equipment LIKE ? ESCAPE '!'" as |key| super::in_json(key);
        /// Exercises with this tracking type.
        tracking_type: TrackingType => "tracking_type = ?";
        /// system or company.
        source: LibrarySource;
        /// `true` for archived exercises, `false` for the others; both when absent.
        archived: Flag => "(archived_at IS NOT NULL) = ?";
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

impl Filters {
    fn find_system(&self, exercise: &starter::StarterItem<Exercise>) -> bool {
        let starter::StarterItem { item, haystack } = exercise;
        let needles = self.search.as_deref().map(spelled_out).unwrap_or_default();
        self.source.is_none_or(|source| source == LibrarySource::System)
            && self.archived != Some(Flag(true))
            && self.updated_from.is_none_or(|from| item.updated_at >= from)
            && needles.iter().all(|needle| haystack.contains(needle))
            && self.muscle.is_none_or(|muscle| item.primary_muscles.contains(&muscle))
            && self.tracking_type.is_none_or(|kind| item.tracking_type == kind)
            && self.equipment.as_deref().is_none_or(|key| item.equipment.iter().any(|k| k == key))
    }
}

fn list_workout_exercises(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<Exercises> {
    let system: Vec<Exercise> = starter::EXERCISES
        .iter()
        .filter(|exercise| wanted.find_system(exercise))
        .map(|exercise| exercise.item.clone())
        .collect();
    let own = |page| match wanted.source {
        Some(LibrarySource::System | LibrarySource::Client) => Page::of(Vec::new(), page),
        _ => Ok(cx.page(&LIST, &wanted, page)?.map(Exercise::from)),
    };
    Ok(Page::joined(page, own, &system)?.into())
}

path!(ExercisePath { exercise_id: ExerciseId });

answer!(ExerciseAnswer { exercise: Exercise });

fn get_workout_exercise(cx: &mut Read, Path(at): Path<ExercisePath>) -> Result<ExerciseAnswer> {
    Ok(ExerciseAnswer { exercise: Exercise::find(cx, at.exercise_id)? })
}

/// The exercise to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewExercise {
    /// Display name.
    pub name: Name<120>,
    /// At most 20 other names.
    #[serde(default)]
    pub aliases: Many<Text<120>, 0, 20>,
    /// 1 to 20 muscles that a set counts for.
    pub primary_muscles: Many<Muscle, 1, 20>,
    /// At most 20 muscles that help.
    #[serde(default)]
    pub secondary_muscles: Many<Muscle, 0, 20>,
    /// At most 20 keys of pieces of equipment.
    #[serde(default)]
    pub equipment: Many<Text<120>, 0, 20>,
    /// `weight_reps` when absent.
    pub tracking_type: Option<TrackingType>,
    /// Whether sides are trained separately; logged values are per side.
    #[serde(default)]
    pub unilateral: bool,
    /// How to perform it.
    pub instructions: Option<Text<5000>>,
    /// Address of a video.
    pub video_url: Option<WebUrl>,
    /// URL of a small picture.
    pub thumbnail: Option<WebUrl>,
}

/// Texts that a library keeps of an item.
pub(super) fn texts<const MAX: usize>(
    list: impl IntoIterator<Item = Text<MAX>>,
) -> Json<Vec<String>> {
    Json(list.into_iter().map(Into::into).collect())
}

fn checked_equipment(cx: &mut Read, keys: Many<Text<120>, 0, 20>) -> Result<Json<Vec<String>>> {
    let keys = texts(keys);
    for (at, key) in keys.0.iter().enumerate() {
        if !equipment::is_known(cx, key)? {
            let rule = TrainingRule::UnknownEquipment;
            return Err(Problem::invalid(&format!("equipment[{at}]"), rule));
        }
    }
    Ok(keys)
}

fn create_workout_exercise(cx: &mut Write, Body(new): Body<NewExercise>) -> Result<ExerciseAnswer> {
    Ok(ExerciseAnswer { exercise: create(cx, new)? })
}

/// Adds an exercise to the company's own.
pub fn create(cx: &mut Write, new: NewExercise) -> Result<Exercise> {
    let count: Option<(i64,)> = cx.one(COUNT, params![])?;
    if count.is_some_and(|(count,)| count >= OWN_MAX) {
        return Err(Problem::conflict("exercises", Rule::TooManyOfCompany { max: OWN_MAX }));
    }
    let own = CustomExercise {
        exercise_id: ExerciseId(cx.new_id()),
        name: new.name.into(),
        aliases: texts(new.aliases),
        primary_muscles: Json(new.primary_muscles.into()),
        secondary_muscles: Json(new.secondary_muscles.into()),
        equipment: checked_equipment(cx, new.equipment)?,
        tracking_type: new.tracking_type.unwrap_or(TrackingType::WeightReps),
        unilateral: new.unilateral,
        instructions: new.instructions.map(Into::into),
        video_url: new.video_url.map(Into::into),
        thumbnail: new.thumbnail.map(Into::into),
        archived_at: None,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    cx.set_audit_target("workout_exercise", own.exercise_id, ["exercise"]);
    cx.defer(INSERT, &own.parameters(&own.haystack()))?;
    Ok(own.into())
}

/// The fields of an exercise to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ExerciseChanges {
    name: Change<Name<120>>,
    aliases: Change<Many<Text<120>, 0, 20>>,
    primary_muscles: Change<Many<Muscle, 1, 20>>,
    secondary_muscles: Change<Many<Muscle, 0, 20>>,
    equipment: Change<Many<Text<120>, 0, 20>>,
    tracking_type: Change<TrackingType>,
    unilateral: Change<bool>,
    instructions: Patch<Text<5000>>,
    video_url: Patch<WebUrl>,
    thumbnail: Patch<WebUrl>,
}

fn update_workout_exercise(
    cx: &mut Write,
    Path(at): Path<ExercisePath>,
    Body(change): Body<ExerciseChanges>,
) -> Result<ExerciseAnswer> {
    let before = CustomExercise::find(cx, at.exercise_id)?;
    let mut own = before.clone();
    change.name.apply(&mut own.name);
    if let Some(aliases) = change.aliases.value() {
        own.aliases = texts(aliases);
    }
    if let Some(muscles) = change.primary_muscles.value() {
        own.primary_muscles = Json(muscles.into());
    }
    if let Some(muscles) = change.secondary_muscles.value() {
        own.secondary_muscles = Json(muscles.into());
    }
    if let Some(keys) = change.equipment.value() {
        own.equipment = checked_equipment(cx, keys)?;
    }
    change.tracking_type.apply(&mut own.tracking_type);
    let moves_body = [before.tracking_type, own.tracking_type].map(TrackingType::moves_body);
    if own.tracking_type != before.tracking_type && moves_body.contains(&true) {
        recount::later(cx, own.exercise_id)?;
    }
    change.unilateral.apply(&mut own.unilateral);
    change.instructions.map(Into::into).apply(&mut own.instructions);
    change.video_url.map(Into::into).apply(&mut own.video_url);
    change.thumbnail.map(Into::into).apply(&mut own.thumbnail);
    Ok(ExerciseAnswer { exercise: own.save(cx, &before)? })
}

fn archive_workout_exercise(
    cx: &mut Write,
    Path(at): Path<ExercisePath>,
) -> Result<ExerciseAnswer> {
    let before = CustomExercise::find(cx, at.exercise_id)?;
    let mut own = before.clone();
    own.archived_at = own.archived_at.or(Some(cx.now()));
    Ok(ExerciseAnswer { exercise: own.save(cx, &before)? })
}

/// Refuses ids that are no exercise's, or an archived one's, naming the field.
pub(super) fn check_usable(
    found: &BTreeMap<ExerciseId, Exercise>,
    id: ExerciseId,
    field: &str,
) -> Result<()> {
    match found.get(&id) {
        None => Err(Problem::field(Key::NotFound, field, TrainingRule::UnknownExercise)),
        Some(exercise) if exercise.archived_at.is_some() => {
            Err(Problem::conflict(field, Rule::Archived))
        }
        Some(_) => Ok(()),
    }
}

/// The ids of the starter library, in its order.
pub fn starter_ids() -> Vec<(ExerciseId, &'static str)> {
    let output = |listed: &'static starter::StarterItem<Exercise>| {
        (listed.item.exercise_id, listed.item.name.as_str())
    };
    starter::EXERCISES.iter().map(output).collect()
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/workout/exercises", WorkoutExercisesRead, list_workout_exercises)
            .summary("List exercises")
            .describe(
                "Returns the company's own exercises, newest first, then the starter library's. \
                 `search` matches names and aliases by words that begin with each given word.",
            )
            .for_every_client(&[]),
        operation!(GET "/workout/exercises/{exerciseId}", WorkoutExercisesRead, get_workout_exercise)
            .summary("Get an exercise")
            .describe("Returns one exercise with its muscles and equipment.")
            .for_every_client(&[]),
        operation!(POST "/workout/exercises", WorkoutExercisesWrite, create_workout_exercise)
            .success(Success::Added)
            .summary("Create an exercise")
            .describe("Adds an exercise of the company's own.")
            .created()
            .fails(&[Key::ApiError]),
        operation!(PATCH "/workout/exercises/{exerciseId}", WorkoutExercisesWrite, update_workout_exercise)
            .summary("Update an exercise")
            .describe(
                "Changes an exercise of the company's own. The starter library cannot be changed.",
            )
            .fails(&[Key::ApiError]),
        operation!(POST "/workout/exercises/{exerciseId}/archive", WorkoutExercisesWrite, archive_workout_exercise)
            .success(Success::Archived)
            .summary("Archive an exercise")
            .describe(
                "Keeps the exercise in existing plans and sessions and prevents new use. \
                 Archiving again changes nothing.",
            )
            .fails(&[Key::ApiError]),
    ])
}

lists! {
    /// A company's own exercises, newest first; at most 2000.
    LIST: List<CustomExercise, Filters> =
        List::new("workout_exercise WHERE company_id = ?1", "exercise_id DESC");
}

statements! {
    FIND = "SELECT ", CustomExercise::COLUMNS, " FROM workout_exercise \
        WHERE company_id = ?1 AND exercise_id = ?2";
    COUNT = "SELECT COUNT(*) FROM workout_exercise WHERE company_id = ?1";
    INSERT = "INSERT INTO workout_exercise ", values!(CustomExercise, haystack);
    SAVE = "UPDATE workout_exercise SET ", set!(CustomExercise, haystack),
        " WHERE company_id = ?1 AND exercise_id = ?2";
}
